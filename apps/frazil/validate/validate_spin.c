// SPDX-License-Identifier: MIT
// A brick turns freely about its middle axis, which is unstable: energy and angular momentum over 100 turns.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

static const double size[3] = {0.3, 0.2, 0.1}; // m, as in the scene
static const double end_time = 100.0;          // s, at one turn per second

enum
{
    sample_max = 2048
};

typedef struct tumble
{
    int count;
    double energy, momentum[3]; // at the start
    double worst_energy, worst_momentum;
    double t[sample_max], middle[sample_max]; // spin about the middle axis of the brick
} tumble;

// The vector in the frame of a turned body.
static void turn_back(const double q[4], const double v[3], double out[3])
{
    // u = -(x, y, z) of the quaternion: v + 2 w (u x v) + 2 u x (u x v)
    const double u[3] = {-q[1], -q[2], -q[3]};
    const double a[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double b[3] = {u[1] * a[2] - u[2] * a[1], u[2] * a[0] - u[0] * a[2], u[0] * a[1] - u[1] * a[0]};
    for (int c = 0; c < 3; ++c)
        out[c] = v[c] + 2.0 * (q[0] * a[c] + b[c]);
}

static void look(const frz_sim *sim, void *user)
{
    tumble *t = user;
    frz_body_info body;
    memset(&body, 0, sizeof body);
    frz_sim_bodies(sim, &body);
    double spin[3], local[3], momentum[3], energy = 0.0;
    turn_back(body.orientation, body.spin, spin);
    for (int c = 0; c < 3; ++c)
    {
        const double a = size[(c + 1) % 3], b = size[(c + 2) % 3];
        local[c] = body.mass / 12.0 * (a * a + b * b) * spin[c];
        energy += 0.5 * local[c] * spin[c];
    }
    const double forth[4] = {body.orientation[0], -body.orientation[1], -body.orientation[2], -body.orientation[3]};
    turn_back(forth, local, momentum);
    if (t->count == 0)
    {
        t->energy = energy;
        memcpy(t->momentum, momentum, sizeof momentum);
    }
    double difference = 0.0, length = 0.0;
    for (int c = 0; c < 3; ++c)
    {
        difference += pow(momentum[c] - t->momentum[c], 2.0);
        length += pow(t->momentum[c], 2.0);
    }
    t->worst_energy = fmax(t->worst_energy, fabs(energy / t->energy - 1.0));
    t->worst_momentum = fmax(t->worst_momentum, sqrt(difference / length));
    if (t->count < sample_max)
    {
        t->t[t->count] = frz_sim_time(sim);
        t->middle[t->count] = spin[1];
    }
    t->count += 1;
}

frz_status validate_spin(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    static tumble t;
    memset(&t, 0, sizeof t);
    frz_status status = case_sim(context, "spin", result, &sim, diag);
    if (status == FRZ_OK)
    {
        look(sim, &t);
        status = case_advance(context, sim, end_time, 0.1, look, &t, diag);
    }
    if (status == FRZ_OK)
    {
        case_figure(result, "energy_worst", t.worst_energy, 0.0, 1.0, 0.001);
        case_figure(result, "angular_momentum_worst", t.worst_momentum, 0.0, 1.0, 0.001);
        const int count = t.count < sample_max ? t.count : sample_max;
        const frz_plot_series series[1] = {{"about the middle axis", t.t, t.middle, count, false}};
        const frz_plot plot = {"Tumbling brick", "time [s]", "spin in the brick's axes [rad/s]", series, 1};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}
