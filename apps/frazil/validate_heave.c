// SPDX-License-Identifier: MIT
// A half-immersed cylinder bobs: T = 2 pi sqrt((m + m_a) / (rho g A)) / sqrt(1 - zeta^2).
//
// Added mass m_a and damping by waves depend on the frequency; in deep water they follow from linear theory (Ursell 1949,
// On the heaving motion of a circular cylinder on the surface of a fluid). At the natural frequency, omega^2 a / g = 0.798,
// the added mass is 0.596 of the mass of the displaced water, and the damping 0.164 of the critical one (computed by his expansion
// in a source and wave-free multipoles). The tank is wide enough for the waves not to come back in the time that counts.
#include <math.h>
#include <string.h>

#include "validation.h"

static const double radius = 0.15, gravity = 9.81, offset = 0.0375; // as in the scene, m, m/s^2
static const double pi = 3.14159265358979323846;
static const double added_mass = 0.596, damping = 0.164;

enum
{
    sample_max = 512
};

typedef struct bob
{
    int count;
    double t[sample_max], y[sample_max];
} bob;

static void add_height(const frz_sim *sim, void *user)
{
    bob *b = user;
    frz_body_info bodies[8] = {{0}};
    frz_sim_bodies(sim, bodies);
    if (b->count == sample_max)
        return;
    b->t[b->count] = frz_sim_time(sim);
    b->y[b->count] = bodies[2].position[1];
    b->count += 1;
}

// Time of the k-th turning point after the start, by a parabola through three samples.
static double turning_point(const bob *b, int k)
{
    for (int n = 2; n + 1 < b->count; ++n)
    {
        const double before = b->y[n] - b->y[n - 1], after = b->y[n + 1] - b->y[n];
        if ((before < 0.0) == (after < 0.0) || --k > 0)
            continue;
        return b->t[n] + 0.5 * (b->t[n] - b->t[n - 1]) * (before + after) / (before - after);
    }
    return 0.0;
}

frz_status validate_heave(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    static bob b;
    memset(&b, 0, sizeof b);
    frz_status status = case_sim(context, "heave", result, &sim, diag);
    if (status == FRZ_OK)
    {
        add_height(sim, &b);
        status = case_advance(context, sim, 1.6, 0.01, add_height, &b, diag);
    }
    if (status == FRZ_OK)
    {
        const double mass = 0.5 * pi * radius * radius * (1.0 + added_mass); // over the density of water
        const double omega = sqrt(2.0 * radius * gravity / mass), damped = omega * sqrt(1.0 - damping * damping);
        const double period = 2.0 * pi / damped, low = turning_point(&b, 1), high = turning_point(&b, 2);
        // from the lowest point to the next highest: at the start waves have yet to build up
        case_figure(result, "period_s", 2.0 * (high - low), period, period, 0.10);
        static double exact[sample_max];
        for (int n = 0; n < b.count; ++n)
            exact[n] = offset * exp(-damping * omega * b.t[n]) *
                       (cos(damped * b.t[n]) + damping * omega / damped * sin(damped * b.t[n]));
        const frz_plot_series series[2] = {{"measured", b.t, b.y, b.count, false},
                                           {"added mass and damping of linear theory", b.t, exact, b.count, false}};
        const frz_plot plot = {"Bobbing cylinder", "time [s]", "height of its centre [m]", series, 2};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}
