// SPDX-License-Identifier: MIT
// Sand and snow of material points: columns that collapse, slopes, a silo, a snow ball.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

enum
{
    point_max = 1 << 16,
    bin_max = 1024,
    gap = 3,
    track_max = 4096
};

static const double radian = 3.14159265358979323846 / 180.0;

// ---- columns

static const double base = 0.2;    // m, as in the scene
static const double across = 40.0; // points along the shorter side of a column

// Places by id, counted from the lowest one.
typedef struct places
{
    int64_t count;
    double x[point_max], y[point_max];
} places;

static void take_places(const frz_sim *sim, places *p)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view id = frz_sim_field(sim, "id", FRZ_SEGMENT_FREE);
    double lowest = HUGE_VAL; // samples of walls may come before it
    for (int64_t i = 0; i < id.count; ++i)
        lowest = fmin(lowest, frz_field_value(&id, i, 0));
    p->count = x.count < point_max ? x.count : point_max;
    for (int64_t i = 0; i < x.count; ++i)
    {
        const int64_t n = (int64_t)(frz_field_value(&id, i, 0) - lowest);
        if (n >= p->count)
            continue;
        p->x[n] = frz_field_value(&x, i, 0);
        p->y[n] = frz_field_value(&x, i, 1);
    }
}

// How far the heap reaches without a gap of three bins, m: beyond 1.5 cells of the grid points do not touch any more.
static double front(const places *p, double bin)
{
    static bool filled[bin_max];
    memset(filled, 0, sizeof filled);
    for (int64_t n = 0; n < p->count; ++n)
        if (p->x[n] >= 0.0 && p->x[n] < bin * bin_max)
            filled[(int)(p->x[n] / bin)] = true;
    int last = 0;
    for (int n = 0; n < bin_max && n - last <= gap; ++n)
        last = filled[n] ? n + 1 : last;
    return bin * last;
}

// The angle of the plane along which a column fails: for each height, how far from the wall material has hardly moved
// while that further out has. Degrees.
static double failure_angle(const places *before, const places *now, double unit, double height)
{
    double x[bin_max], y[bin_max];
    int count = 0;
    double most = 0.0;
    for (int64_t n = 0; n < now->count; ++n)
        most = fmax(most, hypot(now->x[n] - before->x[n], now->y[n] - before->y[n]));
    for (int row = 2; row < (int)(0.8 * height / unit) && row < bin_max; ++row)
    {
        double nearest = HUGE_VAL;
        for (int64_t n = 0; n < now->count; ++n)
            if (fabs(before->y[n] - (row + 0.5) * unit) < 0.25 * unit &&
                hypot(now->x[n] - before->x[n], now->y[n] - before->y[n]) > 0.3 * most)
                nearest = fmin(nearest, before->x[n]);
        if (!(nearest > unit && nearest < base - 2.0 * unit))
            continue;
        x[count] = (row + 0.5) * unit;
        y[count++] = nearest;
    }
    double offset = 0.0, slope = 0.0;
    if (count < 3)
        return 0.0;
    (void)case_fit_line(x, y, count, &offset, &slope);
    return atan2(1.0, -slope) / radian; // places move towards the wall with height
}

typedef struct collapse
{
    double run_out; // over the base
    double angle;   // degrees
} collapse;

static frz_status let_collapse(const case_context *context, double aspect, collapse *out, case_result *result,
                               frz_diag *diag)
{
    static places before, now;
    char corner[64], spacing[64];
    const double height = aspect * base, early = 0.35 * sqrt(2.0 * height / 9.81), end = 1.0 + 1.5 * sqrt(height);
    const double coarse = fmin(base, height) / across, unit = coarse / context->resolution;
    frz_sim *sim = NULL;
    snprintf(corner, sizeof corner, "[%.9g, %.9g]", base, height);
    snprintf(spacing, sizeof spacing, "%.9g", coarse);
    const char *const settings[] = {"bodies.column.shape.box.max", corner, "spacing", spacing, NULL};
    frz_status status = case_sim_with(context, "sand_column", settings, result, &sim, diag);
    if (status == FRZ_OK)
    {
        take_places(sim, &before);
        status = case_advance(context, sim, early, early, NULL, NULL, diag);
    }
    if (status == FRZ_OK)
    {
        take_places(sim, &now);
        out->angle = failure_angle(&before, &now, unit, height);
        status = case_advance(context, sim, end, 0.1 * end, NULL, NULL, diag);
    }
    if (status == FRZ_OK)
    {
        take_places(sim, &now);
        out->run_out = (front(&now, unit) - base) / base;
    }
    frz_sim_destroy(&sim);
    return status;
}

// Low columns run out in proportion to their height, and the front ends where the wedge is thinner than a spacing: all
// have as many points along their shorter side.
//
// Lajeunesse et al. 2005 and DEM (Kumar 2015): 1.67 a below an aspect of 2.3, then 2.5 a^(2/3). From 1.7 on, this law
// itself has a mean exponent of 0.85; so the second one is fitted where it holds.
frz_status validate_sand_column(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double aspects[] = {0.4, 0.8, 1.2, 1.7, 3.0, 4.5, 6.0};
    enum
    {
        low = 4,
        all = sizeof aspects / sizeof aspects[0]
    };
    collapse found[all];
    double x[all], y[all], offset, slope;
    for (int n = 0; n < all; ++n)
    {
        char name[64];
        const frz_status status = let_collapse(context, aspects[n], &found[n], result, diag);
        if (status != FRZ_OK)
            return status;
        x[n] = log(aspects[n]);
        y[n] = log(found[n].run_out);
        snprintf(name, sizeof name, "run_out_over_base_%.1f", aspects[n]);
        if (n < low)
            case_figure(result, name, found[n].run_out, 1.67 * aspects[n], 1.67 * aspects[n], 0.15);
        else
            case_tell(result, name, found[n].run_out);
    }
    (void)case_fit_line(x, y, low, &offset, &slope);
    case_figure(result, "exponent_low", slope, 1.0, 1.0, 0.1);
    (void)case_fit_line(x + low, y + low, all - low, &offset, &slope);
    case_figure(result, "exponent_tall", slope, 2.0 / 3.0, 1.0, 0.1);
    case_figure(result, "failure_angle_degrees", found[low - 2].angle, 56.0, 1.0, 3.0);
    snprintf(result->note, sizeof result->note,
             "tall columns run out to %.2f, %.2f, %.2f of the base; 2.5 a^(2/3) is "
             "%.2f, %.2f, %.2f",
             found[4].run_out, found[5].run_out, found[6].run_out, 2.5 * pow(3.0, 2.0 / 3.0), 2.5 * pow(4.5, 2.0 / 3.0),
             2.5 * pow(6.0, 2.0 / 3.0));
    return FRZ_OK;
}

// Round columns of radius 0.1 m: how far they run out over the radius.
static frz_status let_round_collapse(const case_context *context, double aspect, double *run_out, case_result *result,
                                     frz_diag *diag)
{
    static places now;
    static const double radius = 0.1, round_spacing = 0.01; // m, as in the scene
    char shape[128];
    const double height = aspect * radius, end = 5.0 * sqrt(height / 9.81);
    frz_sim *sim = NULL;
    snprintf(shape, sizeof shape, "{cylinder: {from: [0, 0, 0], to: [0, %.9g, 0], radius: %.9g}}", height, radius);
    const char *const settings[] = {"bodies.column.shape", shape, NULL};
    frz_status status = case_sim_with(context, "sand_column_round", settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, end, 0.1 * end, NULL, NULL, diag);
    if (status == FRZ_OK)
    {
        const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
        now.count = x.count < point_max ? x.count : point_max;
        for (int64_t i = 0; i < now.count; ++i)
            now.x[i] = hypot(frz_field_value(&x, i, 0), frz_field_value(&x, i, 2));
        *run_out = front(&now, round_spacing / context->resolution) / radius - 1.0;
    }
    frz_sim_destroy(&sim);
    return status;
}

// Lube et al. 2004: 1.24 a below an aspect of 1.7, then 1.6 a^(1/2).
frz_status validate_sand_column_round(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double aspects[] = {1.0, 2.0, 4.0, 8.0};
    enum
    {
        all = sizeof aspects / sizeof aspects[0]
    };
    double x[all], y[all], offset, slope;
    for (int n = 0; n < all; ++n)
    {
        char name[64];
        double run_out = 0.0;
        const frz_status status = let_round_collapse(context, aspects[n], &run_out, result, diag);
        if (status != FRZ_OK)
            return status;
        x[n] = log(aspects[n]);
        y[n] = log(run_out);
        snprintf(name, sizeof name, "run_out_over_radius_%.0f", aspects[n]);
        case_tell(result, name, run_out);
    }
    (void)case_fit_line(x + 1, y + 1, all - 1, &offset, &slope);
    case_figure(result, "exponent_tall", slope, 0.5, 1.0, 0.1);
    return FRZ_OK;
}

// ---- slopes

// Means over all points along x: place in m, not wrapped as long as nothing crosses the border, and velocity.
typedef struct layer
{
    double place, velocity;
} layer;

static layer layer_of(const frz_sim *sim)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view v = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
    layer mean = {0.0, 0.0};
    for (int64_t i = 0; i < v.count; ++i)
    {
        mean.place += frz_field_value(&x, i, 0) / (double)v.count;
        mean.velocity += frz_field_value(&v, i, 0) / (double)v.count;
    }
    return mean;
}

// At the angle, after a settling time and at the end.
static frz_status lean(const case_context *context, double degrees, double settled, double until, layer *first,
                       layer *last, case_result *result, frz_diag *diag)
{
    char gravity[64];
    frz_sim *sim = NULL;
    snprintf(gravity, sizeof gravity, "[%.9g, %.9g]", 9.81 * sin(degrees * radian), -9.81 * cos(degrees * radian));
    const char *const settings[] = {"gravity", gravity, NULL};
    frz_status status = case_sim_with(context, "sand_slope", settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, settled, settled, NULL, NULL, diag);
    if (status == FRZ_OK)
    {
        *first = layer_of(sim);
        status = case_advance(context, sim, until, 0.1 * until, NULL, NULL, diag);
    }
    if (status == FRZ_OK)
        *last = layer_of(sim);
    frz_sim_destroy(&sim);
    return status;
}

// Infinite slope: a layer of friction angle phi (30 degrees) sticks below it and slides above, faster and faster as a
// block of friction tan(phi) does.
frz_status validate_sand_slope(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double friction = 0.57735, unit = 0.01; // tan 30 degrees; m
    static const double angles[] = {35.0, 40.0};
    layer first, last;
    frz_status status = lean(context, 29.0, 1.0, 2.0, &first, &last, result, diag);
    if (status != FRZ_OK)
        return status;
    case_limit(result, "creep_spacings_per_second", fabs(last.place - first.place) / unit, 1e-3);
    for (int n = 0; n < 2; ++n)
    {
        char name[64];
        status = lean(context, angles[n], 0.2, 0.8, &first, &last, result, diag);
        if (status != FRZ_OK)
            return status;
        const double expected = 9.81 * (sin(angles[n] * radian) - friction * cos(angles[n] * radian));
        const double found = (last.velocity - first.velocity) / 0.6 / expected;
        snprintf(name, sizeof name, "acceleration_over_block_at_%.0f_degrees", angles[n]);
        case_figure(result, name, found, 1.0, 1.0, n == 0 ? 0.5 : HUGE_VAL);
    }
    return FRZ_OK;
}

// ---- a silo

typedef struct outflow
{
    int count;
    double t[track_max], left[track_max]; // s; points still in the silo
} outflow;

static void count_left(const frz_sim *sim, void *user)
{
    outflow *o = user;
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double sum = 0.0;
    for (int64_t i = 0; i < x.count; ++i)
        sum += frz_field_value(&x, i, 1) > -0.02 ? 1.0 : 0.0;
    if (o->count == track_max)
        return;
    o->t[o->count] = frz_sim_time(sim);
    o->left[o->count++] = sum;
}

// Mean rate through a slot, m^2/s, and how much the rates of the first and second half of the time differ.
static frz_status drain(const case_context *context, double slot, double *rate, double *uneven, case_result *result,
                        frz_diag *diag)
{
    static outflow o;
    char left[64], right[64];
    const double unit = 5e-3 / context->resolution, area = unit * unit;
    frz_sim *sim = NULL;
    snprintf(left, sizeof left, "{box: {min: [-0.3, -0.02], max: [%.9g, 0]}}", -0.5 * slot);
    snprintf(right, sizeof right, "{box: {min: [%.9g, -0.02], max: [0.3, 0]}}", 0.5 * slot);
    const char *const settings[] = {"bodies.left.shape", left, "bodies.right.shape", right, NULL};
    frz_status status = case_sim_with(context, "hourglass", settings, result, &sim, diag);
    o.count = 0;
    if (status == FRZ_OK)
        status = case_advance(context, sim, 0.3, 0.3, NULL, NULL, diag); // until it flows
    if (status == FRZ_OK)
        status = case_advance(context, sim, 0.8, 0.01, count_left, &o, diag);
    frz_sim_destroy(&sim);
    if (status != FRZ_OK)
        return status;
    double offset, slope, early, late;
    const int half = o.count / 2;
    (void)case_fit_line(o.t, o.left, o.count, &offset, &slope);
    (void)case_fit_line(o.t, o.left, half, &offset, &early);
    (void)case_fit_line(o.t + half, o.left + half, o.count - half, &offset, &late);
    *rate = -slope * area;
    *uneven = fabs(late - early) / fabs(slope);
    return FRZ_OK;
}

// Beverloo, Leniger & van de Velde 1961, for slots (Nedderman 1992): Q = 1.03 sqrt(g) (D - k d)^(3/2), so that Q^(2/3)
// is a line over D; its slope does not depend on how wide the empty border k d is, which for points is that of a cell.
frz_status validate_hourglass(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double slots[] = {0.1, 0.13, 0.16};
    double x[3], y[3], uneven[3], offset, slope;
    for (int n = 0; n < 3; ++n)
    {
        double rate = 0.0;
        const frz_status status = drain(context, slots[n], &rate, &uneven[n], result, diag);
        if (status != FRZ_OK)
            return status;
        x[n] = slots[n];
        y[n] = pow(rate / sqrt(9.81), 2.0 / 3.0);
    }
    const double straight = case_fit_line(x, y, 3, &offset, &slope);
    case_figure(result, "beverloo_constant", pow(slope, 1.5), 1.03, 1.03, 0.1);
    case_limit(result, "change_of_rate", fmax(uneven[0], fmax(uneven[1], uneven[2])), 0.1);
    case_tell(result, "straightness", straight);
    case_tell(result, "empty_border_m", -offset / slope);
    return FRZ_OK;
}

// ---- snow

frz_status validate_snow_ball(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    double left = 0.0, right = 0.0, count = 0.0, after = 0.0;
    frz_stats stats = {0};
    frz_status status = case_sim(context, "snow_ball", result, &sim, diag);
    if (status == FRZ_OK)
    {
        count = (double)frz_sim_particle_count(sim, FRZ_SEGMENT_FREE);
        status = case_advance(context, sim, 0.15, 0.01, NULL, NULL, diag);
    }
    if (status == FRZ_OK)
    {
        const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
        frz_sim_stats(sim, &stats);
        after = (double)x.count;
        for (int64_t i = 0; i < x.count; ++i)
        {
            left += frz_field_value(&x, i, 0) < -0.02 ? 1.0 / count : 0.0;
            right += frz_field_value(&x, i, 0) > 0.02 ? 1.0 / count : 0.0;
        }
    }
    frz_sim_destroy(&sim);
    if (status != FRZ_OK)
        return status;
    case_figure(result, "points", after, count, 1.0, 0.0);
    case_figure(result, "left_share", left, 0.5, 0.5, 0.4);
    case_figure(result, "right_share", right, 0.5, 0.5, 0.4);
    return FRZ_OK;
}
