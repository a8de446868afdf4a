// SPDX-License-Identifier: MIT
// Taylor-Green vortices in a periodic square: u = U e^(-8 pi^2 t / Re) (-cos 2 pi x sin 2 pi y, sin 2 pi x cos 2 pi y).
//
// An exact solution of the Navier-Stokes equations, and a hard one for particles: every lattice is stretched along the
// streamlines towards the corners of the vortices, where a method that lets particles line up loses energy.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/validation.h"

static const double pi = 3.14159265358979323846;
static const double reynolds = 100.0;

enum
{
    sample_max = 256
};

typedef struct decay
{
    int count;
    double start; // kinetic energy at time 0
    double t[sample_max], amplitude[sample_max], exact[sample_max];
} decay;

static double energy_of(const frz_sim *sim)
{
    const frz_field_view velocity = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
    double sum = 0.0;
    for (int64_t i = 0; i < velocity.count; ++i)
        for (int a = 0; a < 2; ++a)
            sum += pow(frz_field_value(&velocity, i, a), 2.0);
    return sum;
}

static void add_sample(const frz_sim *sim, void *user)
{
    decay *d = user;
    if (d->count == sample_max)
        return;
    d->t[d->count] = frz_sim_time(sim);
    d->amplitude[d->count] = sqrt(energy_of(sim) / d->start);
    d->exact[d->count] = exp(-8.0 * pi * pi * frz_sim_time(sim) / reynolds);
    d->count += 1;
}

// Give every particle the exact velocity at its place.
static frz_status start_vortices(frz_sim *sim, frz_diag *diag)
{
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double *velocity = calloc((size_t)position.count + 1, 3 * sizeof *velocity);
    if (velocity == NULL)
    {
        diag->status = FRZ_ERR_MEMORY;
        snprintf(diag->message, sizeof diag->message, "there is not enough memory for the velocities");
        return FRZ_ERR_MEMORY;
    }
    for (int64_t i = 0; i < position.count; ++i)
    {
        const double x = 2.0 * pi * frz_field_value(&position, i, 0), y = 2.0 * pi * frz_field_value(&position, i, 1);
        velocity[3 * i] = -cos(x) * sin(y);
        velocity[3 * i + 1] = sin(x) * cos(y);
    }
    const frz_status status = frz_sim_set_velocity(sim, velocity, position.count, diag);
    free(velocity);
    return status;
}

static double amplitude_at(const decay *d, double t)
{
    for (int k = 1; k < d->count; ++k)
        if (d->t[k] >= t)
        {
            const double s = (t - d->t[k - 1]) / (d->t[k] - d->t[k - 1]);
            return d->amplitude[k - 1] + s * (d->amplitude[k] - d->amplitude[k - 1]);
        }
    return d->amplitude[d->count - 1];
}

frz_status validate_taylor_green(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double until = 2.0; // s
    frz_sim *sim = NULL;
    decay d;
    memset(&d, 0, sizeof d);
    frz_status status = case_sim(context, "taylor_green", result, &sim, diag);
    if (status == FRZ_OK)
        status = start_vortices(sim, diag);
    if (status == FRZ_OK)
    {
        d.start = energy_of(sim);
        add_sample(sim, &d);
        status = case_advance(context, sim, until, 0.02, add_sample, &d, diag);
    }
    if (status == FRZ_OK)
    {
        const double exact = exp(-8.0 * pi * pi / reynolds);
        case_figure(result, "amplitude_at_1_s", amplitude_at(&d, 1.0), exact, exact, 0.05);
        case_figure(result, "amplitude_at_2_s", amplitude_at(&d, until), exact * exact, exact * exact, 0.05);
        const frz_plot_series series[2] = {{"measured", d.t, d.amplitude, d.count, false},
                                           {"exact", d.t, d.exact, d.count, false}};
        const frz_plot plot = {"Taylor-Green vortices, Re = 100", "time [s]", "amplitude of the velocity / U", series,
                               2};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}
