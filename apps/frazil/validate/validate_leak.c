// SPDX-License-Identifier: MIT
// A cup with walls one spacing thick is carried about by keyframes, with accelerations that spill nothing over the rim.
// Every particle must still be inside at the end, and at every frame on the way.
#include <math.h>
#include <string.h>

#include "validate/validation.h"

enum
{
    sample_max = 512
};

typedef struct census
{
    int count;
    double t[sample_max], outside[sample_max], zero[sample_max];
    double most;
} census;

static const double cup_radius = 0.056, cup_height = 0.18; // as in the scene

// Rotate v by the inverse of the unit quaternion q = (w, x, y, z).
static void rotate_back(const double q[4], const double v[3], double out[3])
{
    const double u[3] = {-q[1], -q[2], -q[3]};
    const double t[3] = {2.0 * (u[1] * v[2] - u[2] * v[1]), 2.0 * (u[2] * v[0] - u[0] * v[2]),
                         2.0 * (u[0] * v[1] - u[1] * v[0])};
    out[0] = v[0] + q[0] * t[0] + u[1] * t[2] - u[2] * t[1];
    out[1] = v[1] + q[0] * t[1] + u[2] * t[0] - u[0] * t[2];
    out[2] = v[2] + q[0] * t[2] + u[0] * t[1] - u[1] * t[0];
}

static void count_outside(const frz_sim *sim, void *user)
{
    census *c = user;
    frz_body_info bodies[2];
    frz_sim_bodies(sim, bodies);
    const frz_body_info *cup = &bodies[1];
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    double outside = (double)stats.lost;
    for (int64_t i = 0; i < position.count; ++i)
    {
        double v[3], local[3];
        for (int a = 0; a < 3; ++a)
            v[a] = frz_field_value(&position, i, a) - cup->position[a];
        rotate_back(cup->orientation, v, local);
        const double radius = sqrt(local[0] * local[0] + local[2] * local[2]);
        outside += local[1] < 0.0 || local[1] > cup_height || radius > cup_radius;
    }
    c->most = fmax(c->most, outside);
    if (c->count < sample_max)
    {
        c->t[c->count] = frz_sim_time(sim);
        c->outside[c->count] = outside;
        c->count += 1;
    }
}

frz_status validate_leak(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    census c;
    memset(&c, 0, sizeof c);
    frz_status status = case_sim(context, "leak", result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, 4.0, 0.02, count_outside, &c, diag);
    if (status == FRZ_OK)
    {
        case_limit(result, "particles_outside_at_the_end", c.outside[c.count - 1], 0.0);
        case_limit(result, "most_particles_outside_at_any_time", c.most, 0.0);
        const frz_plot_series series[2] = {{"outside the cup", c.t, c.outside, c.count, false},
                                           {"none", c.t, c.zero, c.count, false}};
        const frz_plot plot = {"Leaking", "time [s]", "particles", series, 2};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}
