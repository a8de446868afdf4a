// SPDX-License-Identifier: MIT
// Cylinders sink slowly midway between two walls, and a ball along the axis of a tube: their mean speed from half a
// diameter to one below the start.
//
// Drag per length of a cylinder of radius a between walls 2 H apart, with k = a / H (Faxen 1946; Happel & Brenner 1983,
// section 7-5):
//
//     F = 4 pi mu U / (ln(1 / k) - 0.9157 + 1.7244 k^2 - 1.7302 k^4 + 2.4056 k^6 - 4.5913 k^8)
//
// A solution for the tank of the scene with lid, by Stokeslets outside of the liquid, is 0.03 % from it. Re = U 2 a /
// nu is 0.3 at most. Drag of a ball of radius a in a tube of radius R, with k = a / R (Haberman & Sayre 1958; Happel &
// Brenner 1983, section 7-3):
//
//     F = 6 pi mu a U (1 - 0.75857 k^5) / (1 - 2.1050 k + 2.0865 k^3 - 1.7068 k^5 + 0.72603 k^6)
#include <math.h>
#include <stdio.h>

#include "validate/validation.h"

// as in the scenes
static const double radius = 0.05, half_width = 0.2, viscosity = 100.0, liquid_density = 1000.0, gravity = 9.81;
static const double ball_radius = 0.04, tube_radius = 0.16, ball_density = 9000.0;
static const double latest = 20.0, interval = 0.02; // s, and diameters over the speed

typedef struct descent
{
    double time, depth;  // at the last look
    double since, until; // s: when the centre was half a diameter and one below its start
} descent;

// When the centre passed a depth, if it was between the last two looks; else the time that is known.
static double passed(const descent *d, double known, double time, double depth, double at)
{
    if (known > 0.0 || depth < at)
        return known;
    return d->time + (time - d->time) * (at - d->depth) / (depth - d->depth);
}

static void watch(const frz_sim *sim, double size, descent *d)
{
    frz_body_info bodies[8] = {{{0}}};
    frz_sim_bodies(sim, bodies);
    const double depth = -bodies[2].position[1], time = frz_sim_time(sim);
    d->since = passed(d, d->since, time, depth, size);
    d->until = passed(d, d->until, time, depth, 2.0 * size);
    d->time = time;
    d->depth = depth;
}

static double faxen_speed(double density)
{
    const double k = radius / half_width, k2 = k * k;
    const double factor = -log(k) - 0.9157 + k2 * (1.7244 + k2 * (-1.7302 + k2 * (2.4056 - 4.5913 * k2)));
    return (density - liquid_density) * gravity * radius * radius / (4.0 * viscosity) * factor;
}

static double haberman_speed(void)
{
    const double k = ball_radius / tube_radius, k2 = k * k, k3 = k2 * k, k5 = k3 * k2;
    const double factor = (1.0 - 2.1050 * k + 2.0865 * k3 - 1.7068 * k5 + 0.72603 * k3 * k3) / (1.0 - 0.75857 * k5);
    return 2.0 / 9.0 * (ball_density - liquid_density) * gravity * ball_radius * ball_radius / viscosity * factor;
}

static frz_status sink(const case_context *context, const char *scene, const char *const settings[], const char *name,
                       double size, double speed, case_result *result, frz_diag *diag)
{
    const double step = interval * size / speed;
    frz_sim *sim = NULL;
    descent d = {0.0, 0.0, 0.0, 0.0};
    frz_status status = case_sim_with(context, scene, settings, result, &sim, diag);
    for (int n = 1; status == FRZ_OK && n * step < latest && d.until == 0.0; ++n)
    {
        status = frz_sim_advance(sim, n * step, diag);
        watch(sim, size, &d);
    }
    if (status == FRZ_OK)
        case_figure(result, name, d.until > 0.0 ? size / (d.until - d.since) : 0.0, speed, speed, 0.05);
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_stokes(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double densities[] = {9000.0, 2000.0, 1500.0};
    static const char *const none[] = {NULL};
    frz_status status = FRZ_OK;
    for (int n = 0; n < 3 && status == FRZ_OK; ++n)
    {
        char value[32], name[64];
        snprintf(value, sizeof value, "%g", densities[n]);
        snprintf(name, sizeof name, "speed_at_%g_kg_per_m3", densities[n]);
        const char *const settings[] = {"bodies.cylinder.density", value, NULL};
        status = sink(context, "stokes", settings, name, radius, faxen_speed(densities[n]), result, diag);
    }
    if (status == FRZ_OK)
        status = sink(context, "stokes_3d", none, "speed_of_ball", ball_radius, haberman_speed(), result, diag);
    return status;
}
