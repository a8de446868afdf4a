// SPDX-License-Identifier: MIT
// Free drops, set swinging: omega^2 = n (n^2 - 1) tension / (rho R^3) in the plane, n (n - 1) (n + 2) in space, n = 2
// (Rayleigh 1879).
//
// A drop settles first, with its velocities damped, until it is round and at rest; there its pressure is measured. Then
// it gets the velocity (b x, -b y), one of the second mode in space too, and swings.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validation.h"

static const double pi = 3.14159265358979323846;
static const double density = 1000.0, tension = 0.072;        // as in the scene
static const double settling_time = 0.5, swinging_time = 1.1; // periods
static const double amplitude = 0.1;                          // of the velocity at the surface, in radii times omega
static const double kept = 0.98; // share of the velocities that a step of the settling leaves

enum
{
    sample_max = 512
};

typedef struct swing
{
    int count;
    double start;
    double t[sample_max], q[sample_max];
} swing;

// What theory says of a drop of so many particles.
typedef struct theory
{
    int dimension;
    double mass, radius, omega, pressure;
} theory;

static theory theory_of(const frz_sim *sim, int dimension)
{
    frz_sim_report report;
    frz_sim_report_get(sim, &report);
    const double volume = pow(report.spacing, dimension) * (double)frz_sim_particle_count(sim, FRZ_SEGMENT_FREE);
    const double radius = dimension == 3 ? cbrt(volume * 3.0 / (4.0 * pi)) : sqrt(volume / pi);
    const double stiffness = dimension == 3 ? 8.0 : 6.0; // n (n - 1) (n + 2), n (n^2 - 1)
    return (theory){dimension, density * volume, radius, sqrt(stiffness * tension / (density * pow(radius, 3.0))),
                    (dimension - 1) * tension / radius};
}

// Difference of the second moments along x and y over their sum: twice the relative amplitude of the second mode.
static double elongation(const frz_sim *sim)
{
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double moment[2] = {0.0, 0.0};
    for (int a = 0; a < 2; ++a)
    {
        double centre = 0.0;
        for (int64_t i = 0; i < position.count; ++i)
            centre += frz_field_value(&position, i, a) / (double)position.count;
        for (int64_t i = 0; i < position.count; ++i)
            moment[a] += pow(frz_field_value(&position, i, a) - centre, 2.0);
    }
    return (moment[0] - moment[1]) / (moment[0] + moment[1]);
}

static void add_sample(const frz_sim *sim, void *user)
{
    swing *s = user;
    if (s->count == sample_max)
        return;
    s->t[s->count] = frz_sim_time(sim) - s->start;
    s->q[s->count] = elongation(sim);
    s->count += 1;
}

// Twice the mean time between crossings of the elongation that the drop had at rest; the start is one of them.
static double period_of(const swing *s)
{
    double last = 0.0;
    int halves = 0;
    for (int k = 2; k < s->count; ++k)
    {
        const double a = s->q[k - 1] - s->q[0], b = s->q[k] - s->q[0];
        if ((a < 0.0) == (b < 0.0))
            continue;
        last = s->t[k - 1] + (s->t[k] - s->t[k - 1]) * a / (a - b);
        halves += 1;
    }
    return halves > 0 ? 2.0 * last / halves : 0.0;
}

// Replace the velocities by keep times themselves plus rate (x, -y, 0).
static frz_status set_velocity(frz_sim *sim, double keep, double rate, frz_diag *diag)
{
    static const double mode[3] = {1.0, -1.0, 0.0};
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view before = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
    double *velocity = calloc((size_t)position.count + 1, 3 * sizeof *velocity);
    if (velocity == NULL)
    {
        diag->status = FRZ_ERR_MEMORY;
        snprintf(diag->message, sizeof diag->message, "there is not enough memory for the velocities");
        return FRZ_ERR_MEMORY;
    }
    for (int64_t i = 0; i < position.count; ++i)
        for (int a = 0; a < 3; ++a)
            velocity[3 * i + a] =
                keep * frz_field_value(&before, i, a) + mode[a] * rate * frz_field_value(&position, i, a);
    const frz_status status = frz_sim_set_velocity(sim, velocity, position.count, diag);
    free(velocity);
    return status;
}

// Mean pressure within six tenths of the radius.
static double pressure_inside(const frz_sim *sim, double radius)
{
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view pressure = frz_sim_field(sim, "pressure", FRZ_SEGMENT_FREE);
    double sum = 0.0;
    int64_t count = 0;
    for (int64_t i = 0; i < position.count; ++i)
    {
        double square = 0.0;
        for (int a = 0; a < 3; ++a)
            square += pow(frz_field_value(&position, i, a), 2.0);
        if (sqrt(square) < 0.6 * radius)
        {
            sum += frz_field_value(&pressure, i, 0);
            count += 1;
        }
    }
    return count > 0 ? sum / (double)count : 0.0;
}

// Settle; the pressure is the mean over the second half of the time.
static frz_status settle(const case_context *context, frz_sim *sim, double until, double radius, double *pressure,
                         frz_diag *diag)
{
    double sum = 0.0, weight = 0.0;
    while (frz_sim_time(sim) < until)
    {
        const double before = frz_sim_time(sim);
        frz_status status = frz_sim_step(sim, until - before, diag);
        if (status == FRZ_OK)
            status = set_velocity(sim, kept, 0.0, diag);
        if (status != FRZ_OK)
            return status;
        if (before > 0.5 * until)
        {
            sum += (frz_sim_time(sim) - before) * pressure_inside(sim, radius);
            weight += frz_sim_time(sim) - before;
        }
        if (context->progress != NULL)
            context->progress(context->name, frz_sim_time(sim) / until);
    }
    *pressure = weight > 0.0 ? sum / weight : 0.0;
    return FRZ_OK;
}

// Root mean square of the speed over the capillary speed.
static double restlessness(const frz_sim *sim, const theory *drop)
{
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    return sqrt(2.0 * stats.kinetic_energy / drop->mass) / sqrt(tension / (density * drop->radius));
}

static void tell(case_result *result, const char *what, int dimension, double value, double reference, double gate)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%dd", what, dimension);
    if (reference > 0.0)
        case_figure(result, name, value, reference, reference, gate);
    else
        case_limit(result, name, value, gate);
}

static frz_status measure(const case_context *context, frz_sim *sim, int dimension, swing *s, case_result *result,
                          frz_diag *diag)
{
    const theory drop = theory_of(sim, dimension);
    const double period = 2.0 * pi / drop.omega;
    double pressure = 0.0;
    frz_status status = settle(context, sim, settling_time * period, drop.radius, &pressure, diag);
    const double rest = restlessness(sim, &drop);
    s->start = frz_sim_time(sim);
    add_sample(sim, s);
    if (status == FRZ_OK)
        status = set_velocity(sim, 0.0, amplitude * drop.omega, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, s->start + swinging_time * period, period / 64.0, add_sample, s, diag);
    if (status != FRZ_OK)
        return status;
    tell(result, "period_s", dimension, period_of(s), period, 0.1);
    // told, not judged: the outermost layers bear part of the tension's normal forces
    tell(result, "laplace_pressure_pa", dimension, pressure, drop.pressure, 1.0);
    tell(result, "speed_at_rest_over_capillary_speed", dimension, rest, 0.0, 0.1);
    return FRZ_OK;
}

static frz_status swing_drop(const case_context *context, int dimension, swing *s, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    memset(s, 0, sizeof *s);
    frz_status status = case_sim(context, dimension == 3 ? "droplet_3d" : "droplet", result, &sim, diag);
    if (status == FRZ_OK)
        status = measure(context, sim, dimension, s, result, diag);
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_droplet(const case_context *context, case_result *result, frz_diag *diag)
{
    static swing plane, space;
    frz_status status = swing_drop(context, 2, &plane, result, diag);
    if (status == FRZ_OK)
        status = swing_drop(context, 3, &space, result, diag);
    if (status != FRZ_OK)
        return status;
    snprintf(result->note, sizeof result->note, "gates of the pressure and of the speed are wide");
    const frz_plot_series series[2] = {{"in the plane", plane.t, plane.q, plane.count, false},
                                       {"in space", space.t, space.q, space.count, false}};
    const frz_plot plot = {"Swinging drops", "time [s]", "elongation", series, 2};
    return case_plot(context, result, &plot, diag);
}
