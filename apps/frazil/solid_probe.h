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

/// The point at a place; inward leads from it to the next particle behind the nearest one, m.
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
double solid_track_min(const solid_track *track);
double solid_track_max(const solid_track *track);

/// Observed order of convergence from three values at spacings that fall by the same ratio.
double solid_order(double coarse, double middle, double fine, double ratio);
