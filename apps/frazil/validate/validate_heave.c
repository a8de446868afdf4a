// SPDX-License-Identifier: MIT
// A half-immersed cylinder, released a quarter of its radius too high, bobs: times of its lowest and next highest
// point.
//
// T = 2 pi sqrt((m + m_a) / (rho g A)) is the idea, but the added mass depends on the frequency and waves take energy
// away. Reference is linear theory in deep water: added mass and damping of a half-immersed circle over the frequency
// (Ursell 1949, On the heaving motion of a circular cylinder on the surface of a fluid; at the natural frequency
// omega^2 a / g = 0.798 the added mass is 0.596 of the displaced one, and a period would be 7.03 sqrt(a / g)), put into
// the equation of motion with memory (Cummins 1962) and integrated from rest: a turn at 3.71 sqrt(a / g), the next at
// 7.21 sqrt(a / g), with -0.640 and 0.304 of the first height. The tank is wide enough for the waves not to come back
// in that time.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

static const double radius = 0.15, gravity = 9.81, offset = 0.0375; // as in the scene, m, m/s^2
static const double width = 2.4, floor_depth = 0.6;                 // of the tank, m
static const double pi = 3.14159265358979323846;
static const double end_time = 1.2;                    // s
static const double low_time = 3.71, high_time = 7.21; // in sqrt(a / g), see above
static const double low = -0.640, high = 0.304;        // heights there over that at the start

enum
{
    fit_reach = 8 // samples on either side of a turning point that a parabola is fitted to
};

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
    frz_body_info bodies[8] = {{{0}}};
    frz_sim_bodies(sim, bodies);
    if (b->count == sample_max)
        return;
    b->t[b->count] = frz_sim_time(sim);
    b->y[b->count] = bodies[2].position[1];
    b->count += 1;
}

// The turning point near sample n: vertex of the parabola y = c0 + c1 u + c2 u^2 fitted to the samples around it, which
// are evenly spaced in u.
static double turning_point(const bob *b, int n, double *height)
{
    double u2 = 0.0, u4 = 0.0, y0 = 0.0, y1 = 0.0, y2 = 0.0, count = 0.0;
    for (int u = -fit_reach; u <= fit_reach; ++u)
    {
        if (n + u < 0 || n + u >= b->count)
            return 0.0;
        const double y = b->y[n + u], square = (double)u * u;
        count += 1.0;
        u2 += square;
        u4 += square * square;
        y0 += y;
        y1 += u * y;
        y2 += square * y;
    }
    const double c2 = (count * y2 - u2 * y0) / (count * u4 - u2 * u2), c1 = y1 / u2, c0 = (y0 - c2 * u2) / count;
    const double at = -0.5 * c1 / c2;
    *height = c0 + at * (c1 + at * c2);
    return b->t[n] + at * (b->t[n] - b->t[n - 1]);
}

// Sample with the lowest (sign -1) or highest (1) place from a sample on.
static int extreme(const bob *b, int from, double sign)
{
    int best = from;
    for (int n = from; n < b->count; ++n)
        best = sign * b->y[n] > sign * b->y[best] ? n : best;
    return best;
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
        status = case_advance(context, sim, end_time, 0.01, add_height, &b, diag);
    }
    if (status == FRZ_OK)
    {
        const double unit = sqrt(radius / gravity);
        frz_sim_report report;
        frz_sim_report_get(sim, &report);
        // where the surface is at rest: water and the half of the cylinder that it carries fill the tank up to there
        const double level =
            ((double)report.liquid * report.spacing * report.spacing + 0.5 * pi * radius * radius) / width -
            floor_depth;
        double depth = 0.0, top = 0.0;
        const int lowest = extreme(&b, 0, -1.0);
        const double down = turning_point(&b, lowest, &depth);
        const double up = turning_point(&b, extreme(&b, lowest, 1.0), &top);
        case_figure(result, "first_turn_s", down, low_time * unit, low_time * unit, 0.10);
        case_figure(result, "period_s", up, high_time * unit, high_time * unit, 0.10);
        snprintf(result->note, sizeof result->note,
                 "heights at the turns: %.2f and %.2f of the first, theory %.2f and %.2f",
                 (depth - level) / (offset - level), (top - level) / (offset - level), low, high);
        const double turn_t[3] = {0.0, low_time * unit, high_time * unit};
        const double turn_y[3] = {offset, level + low * (offset - level), level + high * (offset - level)};
        const frz_plot_series series[2] = {{"measured", b.t, b.y, b.count, false},
                                           {"turning points of linear theory", turn_t, turn_y, 3, true}};
        const frz_plot plot = {"Bobbing cylinder", "time [s]", "height of its centre [m]", series, 2};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}
