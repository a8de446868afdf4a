// SPDX-License-Identifier: MIT
// Free drops, set swinging: omega^2 = n (n^2 - 1) tension / (rho R^3) in the plane, n (n - 1) (n + 2) in space, n = 2
// (Rayleigh 1879). Within another liquid, in the plane, rho is the sum of both densities (Lamb 1932, section 275).
//
// A drop is left to itself for half a period, where its pressure is measured. Then it gets the velocity (b x, -b y),
// one of the second mode in space too, with the potential flow of that around it, and swings. The case damps nothing.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/validation.h"

static const double pi = 3.14159265358979323846;
static const double density = 1000.0, tension = 0.072;        // as in the scene
static const double settling_time = 0.5, swinging_time = 1.1; // periods
static const double amplitude = 0.1;                          // of the velocity at the surface, in radii times omega
static const double cohesion = 0.03, part = 1.0129;           // k and M of the method 'area'

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

// Theoretical values for a drop of so many particles.
typedef struct theory
{
    int dimension;
    bool immersed;                               // in another liquid
    double mass, radius, omega, pressure, inner; // inner: the pressure that cohesion adds everywhere
} theory;

// The drop is the first body of the scenes.
static bool in_drop(const frz_field_view *body, int64_t i)
{
    return frz_field_value(body, i, 0) < 0.5;
}

static theory theory_of(const frz_sim *sim, int dimension, bool immersed)
{
    frz_sim_report report;
    frz_sim_report_get(sim, &report);
    const frz_field_view body = frz_sim_field(sim, "body", FRZ_SEGMENT_FREE);
    int64_t count = 0;
    for (int64_t i = 0; i < body.count; ++i)
        count += in_drop(&body, i);
    const double volume = pow(report.spacing, dimension) * (double)count;
    const double radius = dimension == 3 ? cbrt(volume * 3.0 / (4.0 * pi)) : sqrt(volume / pi);
    const double stiffness = dimension == 3 ? 8.0 : 6.0; // n (n - 1) (n + 2), n (n^2 - 1)
    const double inertia = (immersed ? 2.0 : 1.0) * density;
    return (theory){dimension,
                    immersed,
                    density * report.spacing * report.spacing * (dimension == 3 ? report.spacing : 1.0) *
                        (double)body.count,
                    radius,
                    sqrt(stiffness * tension / (inertia * pow(radius, 3.0))),
                    (dimension - 1) * tension / radius,
                    cohesion * tension / (2.0 * report.spacing * part)};
}

// Difference of the second moments along x and y over their sum: twice the relative amplitude of the second mode.
static double elongation(const frz_sim *sim)
{
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view body = frz_sim_field(sim, "body", FRZ_SEGMENT_FREE);
    double moment[2] = {0.0, 0.0};
    for (int a = 0; a < 2; ++a)
    {
        double sum = 0.0, count = 0.0;
        for (int64_t i = 0; i < position.count; ++i)
            if (in_drop(&body, i))
            {
                sum += frz_field_value(&position, i, a);
                count += 1.0;
            }
        for (int64_t i = 0; i < position.count; ++i)
            if (in_drop(&body, i))
                moment[a] += pow(frz_field_value(&position, i, a) - sum / count, 2.0);
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

// Velocity (x, -y, 0) inside the radius; outside, in the plane, the flow with the potential -(R^4 / 2) (x^2 - y^2) /
// r^4.
static double mode_velocity(const double x[3], double radius, int axis)
{
    static const double sign[3] = {1.0, -1.0, 0.0};
    const double r2 = x[0] * x[0] + x[1] * x[1];
    if (!(r2 + x[2] * x[2] > radius * radius) || x[2] != 0.0)
        return sign[axis] * x[axis];
    const double shrink = pow(radius * radius / r2, 2.0);
    return shrink * x[axis] * (2.0 * (x[0] * x[0] - x[1] * x[1]) / r2 - sign[axis]);
}

// Give the velocities of the mode, times the rate.
static frz_status set_velocity(frz_sim *sim, double rate, double radius, frz_diag *diag)
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
        const double x[3] = {frz_field_value(&position, i, 0), frz_field_value(&position, i, 1),
                             frz_field_value(&position, i, 2)};
        for (int a = 0; a < 3; ++a)
            velocity[3 * i + a] = rate * mode_velocity(x, radius, a);
    }
    const frz_status status = frz_sim_set_velocity(sim, velocity, position.count, diag);
    free(velocity);
    return status;
}

// Mean pressure from one part of the radius to another, reduced to the height of the middle where there is weight.
static double pressure_between(const frz_sim *sim, double from, double to, double weight)
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
        if (sqrt(square) >= from && sqrt(square) < to)
        {
            sum += frz_field_value(&pressure, i, 0) + weight * frz_field_value(&position, i, 1);
            count += 1;
        }
    }
    return count > 0 ? sum / (double)count : 0.0;
}

// How much more it is within six tenths of the radius than outside.
static double pressure_inside(const frz_sim *sim, const theory *drop)
{
    const double weight = drop->immersed ? density * 9.81 : 0.0, radius = drop->radius;
    const double inside = pressure_between(sim, 0.0, 0.6 * radius, weight);
    return drop->immersed ? inside - pressure_between(sim, 1.4 * radius, 1.8 * radius, weight) : inside;
}

// The pressure is the mean over the second half of the time.
static frz_status settle(const case_context *context, frz_sim *sim, double until, const theory *drop, double *pressure,
                         frz_diag *diag)
{
    double sum = 0.0, weight = 0.0;
    while (frz_sim_time(sim) < until)
    {
        const double before = frz_sim_time(sim);
        const frz_status status = frz_sim_step(sim, until - before, diag);
        if (status != FRZ_OK)
            return status;
        if (before > 0.5 * until)
        {
            sum += (frz_sim_time(sim) - before) * pressure_inside(sim, drop);
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

static void tell(case_result *result, const char *what, const theory *drop, double value, double reference, double gate)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%dd%s", what, drop->dimension, drop->immersed ? "_in_liquid" : "");
    if (reference > 0.0)
        case_figure(result, name, value, reference, reference, gate);
    else
        case_limit(result, name, value, gate);
}

typedef struct kind
{
    const char *scene, *label;
    int dimension;
    bool immersed;
} kind;

static frz_status measure(const case_context *context, frz_sim *sim, const kind *of, swing *s, case_result *result,
                          frz_diag *diag)
{
    const theory drop = theory_of(sim, of->dimension, of->immersed);
    const double period = 2.0 * pi / drop.omega;
    double pressure = 0.0;
    frz_status status = settle(context, sim, settling_time * period, &drop, &pressure, diag);
    const double rest = restlessness(sim, &drop);
    s->start = frz_sim_time(sim);
    add_sample(sim, s);
    if (status == FRZ_OK)
        status = set_velocity(sim, amplitude * drop.omega, drop.radius, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, s->start + swinging_time * period, period / 64.0, add_sample, s, diag);
    if (status != FRZ_OK)
        return status;
    tell(result, "period_s", &drop, period_of(s), period, 0.05);
    tell(result, "laplace_pressure_pa", &drop, pressure - drop.inner, drop.pressure, 0.1);
    tell(result, "speed_at_rest_over_capillary_speed", &drop, rest, 0.0, 0.1);
    return FRZ_OK;
}

static frz_status swing_drop(const case_context *context, const kind *of, swing *s, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    memset(s, 0, sizeof *s);
    frz_status status = case_sim(context, of->scene, result, &sim, diag);
    if (status == FRZ_OK)
        status = measure(context, sim, of, s, result, diag);
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_droplet(const case_context *context, case_result *result, frz_diag *diag)
{
    static const kind kinds[] = {{"droplet", "in the plane", 2, false},
                                 {"droplet_3d", "in space", 3, false},
                                 {"droplet_in_liquid", "in a liquid", 2, true}};
    enum
    {
        count = sizeof kinds / sizeof *kinds
    };
    static swing swings[count];
    frz_plot_series series[count];
    for (int k = 0; k < count; ++k)
    {
        const frz_status status = swing_drop(context, &kinds[k], &swings[k], result, diag);
        if (status != FRZ_OK)
            return status;
        series[k] = (frz_plot_series){kinds[k].label, swings[k].t, swings[k].q, swings[k].count, false};
    }
    snprintf(result->note, sizeof result->note,
             "pressures are less the one that cohesion adds everywhere, k tension / (2 s M)");
    const frz_plot plot = {"Swinging drops", "time [s]", "elongation", series, count};
    return case_plot(context, result, &plot, diag);
}
