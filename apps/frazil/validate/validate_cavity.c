// SPDX-License-Identifier: MIT
// Natural convection in a square with a hot and a cold side, all walls without slip, Pr = 0.71.
//
// Reference: de Vahl Davis 1983, Natural convection of air in a square cavity: a bench mark numerical solution: mean
// Nusselt number, and the largest velocities along the lines through the middle, in units of alpha / L. Heat that flows
// through every line x = const is the same at rest, so that the mean over the square of u (T - T_0) / alpha - dT/dx
// gives the Nusselt number without derivatives: Nu = 1 + L <u (T - T_0)> / (alpha (T_hot - T_cold)).
#include <math.h>
#include <stdio.h>

#include "validate/validation.h"

// as in the scene
static const double side = 0.1, difference = 10.0, middle = 300.0, diffusivity = 3.717e-4, rayleigh = 1e4;
static const double settled = 0.15, end = 0.25; // in L^2 / alpha: from when on it is averaged, and until
enum
{
    line_points = 100
};

typedef struct convection
{
    double since, scale; // s; to units of alpha / L
    int count;
    double nusselt, along, up;
} convection;

static void measure(const frz_sim *sim, void *user)
{
    convection *c = user;
    if (frz_sim_time(sim) < c->since)
        return;
    const frz_field_view temperature = frz_sim_field(sim, "temperature", FRZ_SEGMENT_FREE);
    const frz_field_view velocity = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
    double sum = 0.0, along = 0.0, up = 0.0;
    for (int64_t i = 0; i < temperature.count; ++i)
        sum += frz_field_value(&velocity, i, 0) * (frz_field_value(&temperature, i, 0) - middle);
    for (int n = 0; n < line_points; ++n)
    {
        const double at = side * (n + 0.5) / line_points;
        const double upright[3] = {0.5 * side, at, 0.0}, level[3] = {at, 0.5 * side, 0.0};
        double v[3];
        if (frz_sim_probe(sim, upright, NULL, v, NULL))
            along = fmax(along, v[0]);
        if (frz_sim_probe(sim, level, NULL, v, NULL))
            up = fmax(up, v[1]);
    }
    c->count += 1;
    c->nusselt += 1.0 + c->scale * sum / ((double)temperature.count * difference);
    c->along += c->scale * along;
    c->up += c->scale * up;
}

// References at a Rayleigh number.
typedef struct bench_mark
{
    const char *name;
    double rayleigh, nusselt, along, up;
} bench_mark;

static frz_status convect(const case_context *context, const bench_mark *reference, case_result *result, frz_diag *diag)
{
    // viscosity and conductivity both go with 1 / sqrt(Ra): the Prandtl number stays
    const double factor = sqrt(rayleigh / reference->rayleigh), alpha = diffusivity * factor;
    const double slow = side * side / alpha;
    char viscosity[32], conductivity[32], name[64];
    snprintf(viscosity, sizeof viscosity, "%.6g", 0.26392 * factor);
    snprintf(conductivity, sizeof conductivity, "%.6g", 371.7 * factor);
    const char *const settings[] = {"materials.fluid.viscosity.viscosity", viscosity,
                                    "materials.fluid.heat.conductivity", conductivity, NULL};
    convection c = {.since = settled * slow, .scale = side / alpha};
    frz_sim *sim = NULL;
    frz_status status = case_sim_with(context, "cavity", settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, end * slow, 0.002 * slow, measure, &c, diag);
    if (status == FRZ_OK && c.count > 0)
    {
        snprintf(name, sizeof name, "nusselt_number_at_%s", reference->name);
        case_figure(result, name, c.nusselt / c.count, reference->nusselt, reference->nusselt, 0.03);
        snprintf(name, sizeof name, "speed_along_x_at_%s", reference->name);
        case_figure(result, name, c.along / c.count, reference->along, reference->along, HUGE_VAL);
        snprintf(name, sizeof name, "speed_along_y_at_%s", reference->name);
        case_figure(result, name, c.up / c.count, reference->up, reference->up, HUGE_VAL);
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_cavity(const case_context *context, case_result *result, frz_diag *diag)
{
    static const bench_mark references[] = {{"ra_1e4", 1e4, 2.243, 16.178, 19.617},
                                            {"ra_1e5", 1e5, 4.519, 34.73, 68.59}};
    frz_status status = FRZ_OK;
    for (int n = 0; n < 2 && status == FRZ_OK; ++n)
        status = convect(context, &references[n], result, diag);
    return status;
}
