// SPDX-License-Identifier: MIT
// Plane Poiseuille flow: u = F / (2 nu) y (L - y), with F the body force per mass.
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

// as in the scene
static const double height = 1.0, force = 1.0e-5, kinematic_viscosity = 0.01;
static const double duration = 100.0; // s: exp(-pi^2 nu t / L^2) = 5e-5 of the start is left

enum
{
    curve_points = 100
};

static double parabola(double y, const void *user)
{
    (void)user;
    return force / (2.0 * kinematic_viscosity) * y * (height - y);
}

// The error of one method; p (may be null) takes its profile.
static frz_status try_method(const case_context *context, const char *choice, case_result *result, double *error,
                             case_profile *p, frz_diag *diag)
{
    const char *const settings[] = {"materials.liquid.viscosity", choice, NULL};
    frz_sim *sim = NULL;
    frz_status status = case_sim_with(context, "poiseuille", settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, duration, 1.0, NULL, NULL, diag);
    if (status == FRZ_OK)
        *error = case_profile_error(sim, parabola, NULL);
    if (status == FRZ_OK && p != NULL)
        case_take_profile(sim, p);
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_poiseuille(const case_context *context, case_result *result, frz_diag *diag)
{
    static case_profile p;
    double implicit = 0.0, explicit = 0.0;
    frz_status status = try_method(context, "{method: weiler2018, viscosity: 10 Pa s}", result, &implicit, &p, diag);
    if (status == FRZ_OK)
        status = try_method(context, "{method: morris1997, viscosity: 10 Pa s}", result, &explicit, NULL, diag);
    // shear dies away as the slowest part of the exact solution does, L^2 / (pi^2 nu)
    double damped = 0.0;
    if (status == FRZ_OK)
        status = try_method(context, "{method: peer2015, shear_time: 10.13 s}", result, &damped, NULL, diag);
    if (status != FRZ_OK)
        return status;
    case_limit(result, "weiler2018_profile_error", implicit, 0.02);
    snprintf(
        result->note, sizeof result->note,
        "told, not judged: morris1997 misses the profile by %.2g %%; peer2015, which is no physical viscosity, by %.2g "
        "%% with a shear time of L^2 / (pi^2 nu)",
        100.0 * explicit, 100.0 * damped);
    double y[curve_points], curve[curve_points];
    for (int k = 0; k < curve_points; ++k)
    {
        y[k] = height * (k + 0.5) / curve_points;
        curve[k] = parabola(y[k], NULL);
    }
    const frz_plot_series series[2] = {{"weiler2018", p.y, p.u, p.count, true},
                                       {"F y (L - y) / 2 nu", y, curve, curve_points, false}};
    const frz_plot plot = {"Plane Poiseuille flow", "distance from the plate [m]", "velocity [m/s]", series, 2};
    return case_plot(context, result, &plot, diag);
}
