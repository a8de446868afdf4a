// SPDX-License-Identifier: MIT
// Following particles of elastic bodies through a validation case.
#pragma once

#include <frazil/frazil.h>

enum
{
    track_max = 8192
};

/// A point of a body that is followed: two particles on a line through it, extrapolated to it.
typedef struct solid_point
{
    int64_t near, next;
    double start[3]; ///< where the point was
    double beyond;   ///< from the near particle on, in distances between the two
} solid_point;

/// The point at a position; inward leads from it to the next particle behind the nearest one, m.
solid_point solid_point_at(const frz_sim *sim, const double place[3], const double inward[3]);

/// Displacement of the point now, m.
void solid_point_displacement(const frz_sim *sim, const solid_point *point, double out[3]);

/// One component of a displacement over time.
typedef struct solid_track
{
    solid_point point;
    int axis;
    int count;
    double t[track_max], u[track_max];
} solid_track;

/// A measure_fn; user is a solid_track.
void solid_track_add(const frz_sim *sim, void *user);

/// Twice the mean time between crossings of a level, s; 0 if there are fewer than three.
double solid_track_period(const solid_track *track, double level);
/// Angular frequency of the mode near a guess, rad/s: where the track's Fourier transform, with a Hann window, is
/// largest within a tenth of the guess. Other modes, which shift crossings, do not matter.
double solid_track_frequency(const solid_track *track, double guess);
double solid_track_min(const solid_track *track);
double solid_track_max(const solid_track *track);

enum
{
    places_max = 32768
};

/// Positions of the free particles by id, m; particles with an id of places_max or more are left out.
typedef struct solid_places
{
    int64_t count;
    double x[places_max][3];
} solid_places;

void solid_places_take(const frz_sim *sim, solid_places *places);

/// Root mean square of the distances of the same particles, m.
double solid_places_distance(const solid_places *a, const solid_places *b);

/// Observed order of convergence from three values at spacings that fall by the same ratio. NaN if the values do not
/// come closer to each other from one side.
double solid_order(double coarse, double middle, double fine, double ratio);

/// Observed order of convergence from the errors of count values at spacings (or steps) h: the slope of the line
/// through their logarithms.
double solid_order_of(const double *h, const double *errors, int count);
