// SPDX-License-Identifier: MIT
// Joints of rigid bodies: pendulums and a hanging chain.
#include <math.h>
#include <string.h>

#include "validate/validation.h"

enum
{
    body_max = 32,
    sample_max = 8192
};

static const double gravity = 9.81; // m/s^2

static void read_bodies(const frz_sim *sim, frz_body_info *out)
{
    memset(out, 0, body_max * sizeof *out);
    if (frz_sim_body_count(sim) <= body_max)
        frz_sim_bodies(sim, out);
}

// ---- pendulum

static const double bar_reach = 0.2;     // m, from the joint to the middle of the bar
static const double bar_width = 0.04;    // m, across
static const double bar_angle = 1.0;     // rad, at the start
static const double arm_length = 0.3;    // m, of each of the two bars
static const double arm_width = 0.04;    // m
static const double pendulum_end = 10.0; // s

typedef struct pendulum_track
{
    frz_body_info before[body_max], now[body_max];
    double time, first, last; ///< s; of the passages through the lowest point
    int passages;
    double energy[2]; ///< least and largest of the double pendulum, J/kg
    double longest;   ///< error of the elbow, m
    int count;
    double t[sample_max], x[sample_max];
} pendulum_track;

// Place of a point of a bar that lay along x, s from its middle.
static void bar_point(const frz_body_info *bar, double s, double out[2])
{
    const double *q = bar->orientation;
    out[0] = bar->position[0] + s * (1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]));
    out[1] = bar->position[1] + s * 2.0 * (q[1] * q[2] + q[0] * q[3]);
}

// Of both bars, per mass of one, with velocities in the middle between two steps': the scheme's are half a step behind.
static double pair_energy(const pendulum_track *track)
{
    const double inertia = (arm_length * arm_length + arm_width * arm_width) / 12.0;
    double sum = 0.0;
    for (int b = 1; b <= 2; ++b)
    {
        const frz_body_info *a = &track->before[b], *c = &track->now[b];
        const double u = 0.5 * (a->velocity[0] + c->velocity[0]), v = 0.5 * (a->velocity[1] + c->velocity[1]);
        const double w = 0.5 * (a->spin[2] + c->spin[2]);
        sum += 0.5 * (u * u + v * v + inertia * w * w) + gravity * a->position[1];
    }
    return sum;
}

static void follow_pendulum(const frz_sim *sim, void *user)
{
    pendulum_track *track = user;
    memcpy(track->before, track->now, sizeof track->before);
    const double then = track->time;
    track->time = frz_sim_time(sim);
    read_bodies(sim, track->now);
    if (then == 0.0)
        return; // velocities of before the first step are those of the start, not half a step behind it
    const double from = track->before[0].position[0], to = track->now[0].position[0];
    if (from > 0.0 && to <= 0.0)
    {
        track->last = then + (track->time - then) * from / (from - to);
        track->first = track->passages++ == 0 ? track->last : track->first;
    }
    const double energy = pair_energy(track);
    track->energy[0] = track->count == 0 ? energy : fmin(track->energy[0], energy);
    track->energy[1] = track->count == 0 ? energy : fmax(track->energy[1], energy);
    double end[2], start[2];
    bar_point(&track->now[1], 0.5 * arm_length, end);
    bar_point(&track->now[2], -0.5 * arm_length, start);
    track->longest = fmax(track->longest, hypot(end[0] - start[0], end[1] - start[1]));
    if (track->count < sample_max)
    {
        track->t[track->count] = track->time;
        track->x[track->count++] = to;
    }
}

static double mean_of_means(double a, double b) // arithmetic-geometric
{
    for (int k = 0; k < 10; ++k)
    {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

frz_status validate_pendulum(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    static pendulum_track track;
    memset(&track, 0, sizeof track);
    frz_status status = case_sim(context, "pendulum", result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance_steps(context, sim, pendulum_end, follow_pendulum, &track, diag);
    if (status == FRZ_OK)
    {
        // about the joint, per mass; the exact period of a pendulum is that of small swings over agm(1, cos(angle / 2))
        const double inertia = (4.0 * bar_reach * bar_reach + bar_width * bar_width) / 12.0 + bar_reach * bar_reach;
        const double period =
            2.0 * acos(-1.0) * sqrt(inertia / (gravity * bar_reach)) / mean_of_means(1.0, cos(0.5 * bar_angle));
        const double measured = track.passages > 1 ? (track.last - track.first) / (track.passages - 1) : 0.0;
        case_figure(result, "period_s", measured, period, period, 1e-4);
        case_limit(result, "double_pendulum_energy_range",
                   (track.energy[1] - track.energy[0]) / (2.0 * gravity * arm_length), 0.01);
        case_limit(result, "elbow_error_m", track.longest, 1e-9);
        const frz_plot_series series[] = {{"middle of the bar", track.t, track.x, track.count, false}};
        const frz_plot plot = {.title = "A bar that swings on a ball joint",
                               .x_label = "t / s",
                               .y_label = "x / m",
                               .series = series,
                               .series_count = 1};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}

// ---- catenary

enum
{
    link_count = 20
};
static const double chain_width = 1.0;  // m, between its ends
static const double chain_length = 1.6; // m
static const double chain_end = 8.0;    // s

// Middles of links at rest: the vertical force in link n is (n + 1/2 - N/2) m g, the horizontal one is the same in all
// and found from the width.
static void hang(double x[link_count], double y[link_count])
{
    const double length = chain_length / link_count;
    double low = 0.0, high = 1e3; // horizontal force / (m g)
    for (int k = 0; k < 200; ++k)
    {
        const double pull = 0.5 * (low + high);
        double across = 0.0;
        for (int n = 0; n < link_count; ++n)
            across += length * pull / hypot(pull, n + 0.5 - 0.5 * link_count);
        *(across < chain_width ? &low : &high) = pull;
    }
    double at[2] = {-0.5 * chain_width, 0.0};
    for (int n = 0; n < link_count; ++n)
    {
        const double rise = n + 0.5 - 0.5 * link_count, size = hypot(low, rise);
        x[n] = at[0] + 0.5 * length * low / size;
        y[n] = at[1] + 0.5 * length * rise / size;
        at[0] += length * low / size;
        at[1] += length * rise / size;
    }
}

frz_status validate_catenary(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    frz_body_info links[body_max];
    double x[link_count], y[link_count], at_x[link_count], at_y[link_count], worst = 0.0, fastest = 0.0;
    frz_status status = case_sim(context, "catenary", result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, chain_end, 0.1, NULL, NULL, diag);
    if (status == FRZ_OK)
    {
        hang(x, y);
        read_bodies(sim, links);
        for (int n = 0; n < link_count; ++n)
        {
            at_x[n] = links[n].position[0];
            at_y[n] = links[n].position[1];
            worst = fmax(worst, hypot(hypot(at_x[n] - x[n], at_y[n] - y[n]), links[n].position[2]));
            fastest = fmax(fastest, hypot(links[n].velocity[0], links[n].velocity[1]));
        }
        case_limit(result, "distance_from_statics_m", worst, 1e-4);
        case_limit(result, "speed_left_m_s", fastest, 1e-3);
        const frz_plot_series series[] = {{"statics", x, y, link_count, false},
                                          {"frazil", at_x, at_y, link_count, true}};
        const frz_plot plot = {.title = "A hanging chain: middles of its links",
                               .x_label = "x / m",
                               .y_label = "y / m",
                               .series = series,
                               .series_count = 2};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}
