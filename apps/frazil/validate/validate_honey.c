// SPDX-License-Identifier: MIT
// Honey: a film that drains down a wall (speed, and time to get there), a rope that falls freely, and the same rope
// coiling on a plate.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

enum
{
    sample_max = 1024
};

static const double pi = 3.14159265358979323846, gravity = 9.81;

// ---- the film

// as in the scene
static const double thickness = 0.02, density = 1400.0, viscosity = 10.0, film_duration = 0.15;

// Downward speed at the distance x from the wall in the steady state: rho g x (2 h - x) / (2 mu).
static double film_speed(double x)
{
    return density * gravity * x * (2.0 * thickness - x) / (2.0 * viscosity);
}

// Mean speed over the last one at a time after the start: 1 - sum_odd n 96 / (n pi)^4 exp(-(n pi / 2h)^2 nu t).
static double film_progress(double t)
{
    double sum = 0.0;
    for (int n = 1; n < 40; n += 2)
    {
        const double k = 0.5 * n * pi / thickness;
        sum += 96.0 / pow(n * pi, 4.0) * exp(-k * k * viscosity / density * t);
    }
    return 1.0 - sum;
}

typedef struct history
{
    int count;
    double t[sample_max], mean[sample_max], exact[sample_max];
} history;

static void add_mean(const frz_sim *sim, void *user)
{
    history *h = user;
    const frz_field_view velocity = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
    double sum = 0.0;
    for (int64_t i = 0; i < velocity.count; ++i)
        sum -= frz_field_value(&velocity, i, 1) / (double)velocity.count;
    if (h->count == sample_max)
        return;
    h->t[h->count] = frz_sim_time(sim);
    h->mean[h->count] = sum;
    h->exact[h->count] = density * gravity * thickness * thickness / (3.0 * viscosity) * film_progress(h->t[h->count]);
    h->count += 1;
}

// Time at which the mean speed reaches a fraction of its last value; the curve starts at t = 0.
static double time_to(const double *t, const double *mean, int count, double value)
{
    for (int k = 1; k < count; ++k)
        if (mean[k] >= value)
            return t[k - 1] + (t[k] - t[k - 1]) * (value - mean[k - 1]) / (mean[k] - mean[k - 1]);
    return NAN;
}

static frz_status drain_film(const case_context *context, case_result *result, history *h, frz_diag *diag)
{
    const double part = 1.0 - exp(-1.0);
    frz_sim *sim = NULL;
    frz_status status = case_sim(context, "honey_film", result, &sim, diag);
    if (status == FRZ_OK)
    {
        add_mean(sim, h);
        status = case_advance(context, sim, film_duration, 0.5e-3, add_mean, h, diag);
    }
    if (status == FRZ_OK)
    {
        const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
        const frz_field_view velocity = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
        double difference = 0.0, size = 0.0, fastest = 0.0;
        for (int64_t i = 0; i < position.count; ++i)
        {
            const double u = film_speed(frz_field_value(&position, i, 0)), v = -frz_field_value(&velocity, i, 1);
            difference += (v - u) * (v - u);
            size += u * u;
            fastest = fmax(fastest, v);
        }
        const double most = film_speed(thickness), last = 2.0 / 3.0 * most;
        case_figure(result, "film_greatest_speed_m_per_s", fastest, most, most, 0.05);
        case_limit(result, "film_profile_error", sqrt(difference / size), 0.05);
        const double exact = time_to(h->t, h->exact, h->count, part * last);
        case_figure(result, "film_time_to_speed_s", time_to(h->t, h->mean, h->count, part * last), exact, exact, 0.05);
    }
    frz_sim_destroy(&sim);
    return status;
}

// ---- the rope

static const double fall_time = 0.09;                     // s, before the end touches the plate 5 cm below
static const double coil_from = 0.12;                     // s, when it has touched
static const double coil_until = 0.3;                     // s, before the upper end comes
static const double watch_low = 0.02, watch_high = 0.035; // m above the plate, where the rope bends
static const int fewest_turns = 4;                        // changes of direction; a rope that only piles up has none

enum
{
    most_samples = 128
};

// Mean velocity of the rope where it bends, along x and z, over time.
typedef struct swings
{
    int count;
    double velocity[2][most_samples];
} swings;

static double mean_height(const frz_sim *sim)
{
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double sum = 0.0;
    for (int64_t i = 0; i < position.count; ++i)
        sum += frz_field_value(&position, i, 1) / (double)position.count;
    return sum;
}

static void add_swing(const frz_sim *sim, void *user)
{
    swings *s = user;
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view velocity = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
    double sum[2] = {0.0, 0.0};
    int count = 0;
    for (int64_t i = 0; i < position.count; ++i)
    {
        const double y = frz_field_value(&position, i, 1);
        if (!(y > watch_low && y < watch_high))
            continue;
        sum[0] += frz_field_value(&velocity, i, 0);
        sum[1] += frz_field_value(&velocity, i, 2);
        count += 1;
    }
    if (count == 0 || s->count == most_samples)
        return;
    for (int a = 0; a < 2; ++a)
        s->velocity[a][s->count] = sum[a] / count;
    s->count += 1;
}

// Changes of direction along an axis, about the mean: the rope also drifts sideways as a whole.
static int count_changes(const swings *s, int axis)
{
    double mean = 0.0;
    int changes = 0;
    for (int n = 0; n < s->count; ++n)
        mean += s->velocity[axis][n] / s->count;
    for (int n = 1; n < s->count; ++n)
        changes += (s->velocity[axis][n] - mean) * (s->velocity[axis][n - 1] - mean) < 0.0;
    return changes;
}

static frz_status drop_rope(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    static swings s;
    s.count = 0;
    frz_status status = case_sim(context, "honey_rope", result, &sim, diag);
    if (status == FRZ_OK)
    {
        const double start = mean_height(sim), free_fall = 0.5 * gravity * fall_time * fall_time;
        status = case_advance(context, sim, fall_time, 0.01, NULL, NULL, diag);
        case_figure(result, "rope_free_fall_m", start - mean_height(sim), free_fall, free_fall, 0.05);
    }
    if (status == FRZ_OK)
        status = case_advance(context, sim, coil_from, 0.01, NULL, NULL, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, coil_until, 2e-3, add_swing, &s, diag);
    if (status == FRZ_OK)
    {
        const int along_x = count_changes(&s, 0), along_z = count_changes(&s, 1);
        const int changes = along_x < along_z ? along_x : along_z;
        const int counted = changes < fewest_turns ? changes : fewest_turns;
        case_figure(result, "rope_changes_direction_at_least", counted, fewest_turns, fewest_turns, 0.0);
        snprintf(result->note, sizeof result->note,
                 "while it coils, the rope above the plate changes its direction %d times along x and %d times along z",
                 along_x, along_z);
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_honey(const case_context *context, case_result *result, frz_diag *diag)
{
    static history h;
    memset(&h, 0, sizeof h);
    frz_status status = drain_film(context, result, &h, diag);
    if (status == FRZ_OK)
        status = drop_rope(context, result, diag);
    if (status != FRZ_OK)
        return status;
    const frz_plot_series series[2] = {{"measured", h.t, h.mean, h.count, true},
                                       {"exact", h.t, h.exact, h.count, false}};
    const frz_plot plot = {"A film of honey on a vertical wall", "time [s]", "mean speed [m/s]", series, 2};
    return case_plot(context, result, &plot, diag);
}
