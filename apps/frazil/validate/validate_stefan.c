// SPDX-License-Identifier: MIT
// The one-phase Stefan problem: matter at its melting point, and a wall that is hotter (stefan) or colder (freeze). The
// front stands at s = 2 lambda sqrt(a t) with lambda exp(lambda^2) erf(lambda) = Ste / sqrt(pi), Ste = c dT / L.
#include <math.h>
#include <stdio.h>

#include "validate/validation.h"

static const double diffusivity = 1e-4, specific_heat = 1000.0, density = 1000.0; // as in the scene
static const double difference = 100.0, width = 0.05;                             // K, m
static const double distance = 0.1;                                               // m: position at which the front is
                                                                                  // measured

// lambda by bisection
static double front_constant(double stefan)
{
    const double root_pi = 1.7724538509055160273;
    double low = 0.0, high = 3.0;
    for (int n = 0; n < 60; ++n)
    {
        const double middle = 0.5 * (low + high);
        if (middle * exp(middle * middle) * erf(middle) * root_pi < stefan)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static frz_status try_front(const case_context *context, bool freezes, double stefan, const char *integration,
                            case_result *result, frz_diag *diag)
{
    char latent[48];
    const double heat = specific_heat * difference / stefan;
    snprintf(latent, sizeof latent, "%.17g J/kg", heat);
    // the liquid begins at the liquidus, the solid at the solidus
    const char *const settings[] = {"materials.stuff.melting.latent_heat",
                                    latent,
                                    "materials.stuff.heat.integration",
                                    integration,
                                    "temperature",
                                    freezes ? "400.0001 K" : "400 K",
                                    "bodies.wall.temperature",
                                    freezes ? "300 K" : "500 K",
                                    NULL};
    const double lambda = front_constant(stefan), half = distance / (2.0 * lambda), until = half * half / diffusivity;
    frz_sim *sim = NULL;
    frz_status status = case_sim_with(context, "stefan", settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, until, until / 50.0, NULL, NULL, diag);
    if (status == FRZ_OK)
    {
        frz_stats stats;
        frz_sim_stats(sim, &stats);
        const double all = density * 0.6 * width * heat; // latent heat of all matter, J/m
        const double changed = freezes ? all - stats.latent_heat : stats.latent_heat;
        char name[64];
        snprintf(name, sizeof name, "front_%g_%s", stefan, integration);
        case_figure(result, name, changed / (density * width * heat), distance, distance, 0.03);
        snprintf(name, sizeof name, "heat_drift_%g_%s", stefan, integration);
        case_limit(result, name, fabs(stats.heat_drift) / stats.heat, 1e-10);
    }
    frz_sim_destroy(&sim);
    return status;
}

static frz_status try_all(const case_context *context, bool freezes, case_result *result, frz_diag *diag)
{
    static const double numbers[] = {0.1, 0.5, 1.0, 2.0};
    frz_status status = FRZ_OK;
    for (int n = 0; n < 4 && status == FRZ_OK; ++n)
        status = try_front(context, freezes, numbers[n], "auto", result, diag);
    if (status == FRZ_OK)
        status = try_front(context, freezes, 0.5, "implicit", result, diag);
    snprintf(result->note, sizeof result->note,
             "front in m when theory has it at %g m, 20 spacings from the wall; the latent heat that was taken tells "
             "where it is",
             distance);
    return status;
}

frz_status validate_stefan(const case_context *context, case_result *result, frz_diag *diag)
{
    return try_all(context, false, result, diag);
}

frz_status validate_freeze(const case_context *context, case_result *result, frz_diag *diag)
{
    return try_all(context, true, result, diag);
}
