// SPDX-License-Identifier: MIT
// Cylinders sink slowly midway between two walls: their mean speed from half a diameter to one below the start.
//
// Drag per length of a cylinder of radius a between walls 2 H apart, with k = a / H (Faxen 1946; Happel & Brenner 1983,
// section 7-5):
//
//     F = 4 pi mu U / (ln(1 / k) - 0.9157 + 1.7244 k^2 - 1.7302 k^4 + 2.4056 k^6 - 4.5913 k^8)
//
// A solution for the tank of the scene with lid, by Stokeslets outside of the liquid, is 0.03 % from it. Re = U 2 a /
// nu is 0.3 at most.
#include <math.h>
#include <stdio.h>

#include "validation.h"

// as in the scene
static const double radius = 0.05, half_width = 0.2, viscosity = 100.0, liquid_density = 1000.0, gravity = 9.81;
static const double latest = 20.0, interval = 0.02; // s

typedef struct descent
{
    double since, until; // s: when the centre was half a diameter and one below its start
} descent;

static void watch(const frz_sim *sim, void *user)
{
    descent *d = user;
    frz_body_info bodies[8] = {{{0}}};
    frz_sim_bodies(sim, bodies);
    const double depth = -bodies[2].position[1], time = frz_sim_time(sim);
    d->since = d->since == 0.0 && depth >= radius ? time : d->since;
    d->until = d->until == 0.0 && depth >= 2.0 * radius ? time : d->until;
}

static double faxen_speed(double density)
{
    const double k = radius / half_width, k2 = k * k;
    const double factor = -log(k) - 0.9157 + k2 * (1.7244 + k2 * (-1.7302 + k2 * (2.4056 - 4.5913 * k2)));
    return (density - liquid_density) * gravity * radius * radius / (4.0 * viscosity) * factor;
}

static frz_status sink(const case_context *context, double density, case_result *result, frz_diag *diag)
{
    char value[32], name[64];
    snprintf(value, sizeof value, "%g", density);
    const char *const settings[] = {"bodies.cylinder.density", value, NULL};
    const double speed = faxen_speed(density), step = interval * 0.05 / speed;
    frz_sim *sim = NULL;
    descent d = {0.0, 0.0};
    frz_status status = case_sim_with(context, "stokes", settings, result, &sim, diag);
    for (int n = 1; status == FRZ_OK && n * step < latest && d.until == 0.0; ++n)
    {
        status = frz_sim_advance(sim, n * step, diag);
        watch(sim, &d);
    }
    if (status == FRZ_OK)
    {
        snprintf(name, sizeof name, "speed_at_%g_kg_per_m3", density);
        case_figure(result, name, d.until > 0.0 ? radius / (d.until - d.since) : 0.0, speed, speed, 0.05);
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_stokes(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double densities[] = {9000.0, 2000.0, 1500.0};
    frz_status status = FRZ_OK;
    for (int n = 0; n < 3 && status == FRZ_OK; ++n)
        status = sink(context, densities[n], result, diag);
    return status;
}
