// SPDX-License-Identifier: MIT
#include "validate/solid_probe.h"

#include <math.h>

static int64_t nearest_particle(const frz_field_view *position, const double place[3])
{
    int64_t best = -1;
    double least = HUGE_VAL;
    for (int64_t i = 0; i < position->count; ++i)
    {
        double square = 0.0;
        for (int a = 0; a < 3; ++a)
        {
            const double d = frz_field_value(position, i, a) - place[a];
            square += d * d;
        }
        if (square < least)
        {
            least = square;
            best = i;
        }
    }
    return best;
}

solid_point solid_point_at(const frz_sim *sim, const double place[3], const double inward[3])
{
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view id = frz_sim_field(sim, "id", FRZ_SEGMENT_FREE);
    const int64_t near = nearest_particle(&position, place);
    double behind[3];
    for (int a = 0; a < 3; ++a)
        behind[a] = frz_field_value(&position, near, a) + inward[a];
    const int64_t next = nearest_particle(&position, behind);
    solid_point point = {.near = (int64_t)frz_field_value(&id, near, 0),
                         .next = (int64_t)frz_field_value(&id, next, 0)};
    double along = 0.0, square = 0.0;
    for (int a = 0; a < 3; ++a)
    {
        const double x = frz_field_value(&position, near, a), step = x - frz_field_value(&position, next, a);
        along += (place[a] - x) * step;
        square += step * step;
        point.start[a] = place[a];
    }
    point.beyond = square > 0.0 ? along / square : 0.0;
    for (int a = 0; a < 3; ++a) // extrapolated from the two particles, so that the displacement starts at zero
        point.start[a] = frz_field_value(&position, near, a) +
                         point.beyond * (frz_field_value(&position, near, a) - frz_field_value(&position, next, a));
    return point;
}

void solid_point_displacement(const frz_sim *sim, const solid_point *point, double out[3])
{
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view id = frz_sim_field(sim, "id", FRZ_SEGMENT_FREE);
    for (int a = 0; a < 3; ++a)
        out[a] = -point->start[a];
    for (int64_t i = 0; i < position.count; ++i)
    {
        const int64_t number = (int64_t)frz_field_value(&id, i, 0);
        const double weight =
            (number == point->near ? 1.0 + point->beyond : 0.0) - (number == point->next ? point->beyond : 0.0);
        for (int a = 0; weight != 0.0 && a < 3; ++a)
            out[a] += weight * frz_field_value(&position, i, a);
    }
}

void solid_track_add(const frz_sim *sim, void *user)
{
    solid_track *track = user;
    double u[3];
    if (track->count == track_max)
        return;
    solid_point_displacement(sim, &track->point, u);
    track->t[track->count] = frz_sim_time(sim);
    track->u[track->count] = u[track->axis];
    track->count += 1;
}

double solid_track_period(const solid_track *track, double level)
{
    double first = 0.0, last = 0.0;
    int crossings = 0;
    for (int k = 1; k < track->count; ++k)
    {
        const double a = track->u[k - 1] - level, b = track->u[k] - level;
        if ((a < 0.0) == (b < 0.0))
            continue;
        last = track->t[k - 1] + (track->t[k] - track->t[k - 1]) * a / (a - b);
        first = crossings == 0 ? last : first;
        crossings += 1;
    }
    return crossings > 2 ? 2.0 * (last - first) / (crossings - 1) : 0.0;
}

// Squared size of the transform of the track at a frequency.
static double transform_at(const solid_track *track, double omega)
{
    const double from = track->t[0], length = track->t[track->count - 1] - from;
    double re = 0.0, im = 0.0;
    for (int k = 0; k < track->count; ++k)
    {
        const double t = track->t[k] - from, weight = 0.5 - 0.5 * cos(2.0 * M_PI * t / length);
        re += weight * track->u[k] * cos(omega * t);
        im += weight * track->u[k] * sin(omega * t);
    }
    return re * re + im * im;
}

double solid_track_frequency(const solid_track *track, double guess)
{
    static const double golden = 0.6180339887498949, range = 0.1, enough = 1e-9;
    double low = (1.0 - range) * guess, high = (1.0 + range) * guess;
    if (track->count < 3)
        return 0.0;
    while (high - low > enough * guess)
    {
        const double a = high - golden * (high - low), b = low + golden * (high - low);
        if (transform_at(track, a) > transform_at(track, b))
            high = b;
        else
            low = a;
    }
    return 0.5 * (low + high);
}

double solid_track_min(const solid_track *track)
{
    double least = HUGE_VAL;
    for (int k = 0; k < track->count; ++k)
        least = fmin(least, track->u[k]);
    return least;
}

double solid_track_max(const solid_track *track)
{
    double most = -HUGE_VAL;
    for (int k = 0; k < track->count; ++k)
        most = fmax(most, track->u[k]);
    return most;
}

void solid_places_take(const frz_sim *sim, solid_places *places)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view id = frz_sim_field(sim, "id", FRZ_SEGMENT_FREE);
    places->count = x.count < places_max ? x.count : places_max;
    for (int64_t i = 0; i < x.count; ++i)
    {
        const int64_t n = (int64_t)frz_field_value(&id, i, 0);
        for (int a = 0; a < 3 && n < places_max; ++a)
            places->x[n][a] = frz_field_value(&x, i, a);
    }
}

double solid_places_distance(const solid_places *a, const solid_places *b)
{
    double square = 0.0;
    for (int64_t n = 0; n < a->count; ++n)
        for (int c = 0; c < 3; ++c)
            square += (a->x[n][c] - b->x[n][c]) * (a->x[n][c] - b->x[n][c]) / (double)a->count;
    return sqrt(square);
}

double solid_order(double coarse, double middle, double fine, double ratio)
{
    const double quotient = (coarse - middle) / (middle - fine);
    return quotient > 0.0 ? log(quotient) / log(ratio) : NAN;
}

double solid_order_of(const double *h, const double *errors, int count)
{
    double mean_x = 0.0, mean_y = 0.0, above = 0.0, below = 0.0;
    for (int k = 0; k < count; ++k)
    {
        mean_x += log(h[k]) / count;
        mean_y += log(fabs(errors[k])) / count;
    }
    for (int k = 0; k < count; ++k)
    {
        above += (log(h[k]) - mean_x) * (log(fabs(errors[k])) - mean_y);
        below += (log(h[k]) - mean_x) * (log(h[k]) - mean_x);
    }
    return above / below;
}
