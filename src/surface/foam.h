// SPDX-License-Identifier: MIT
// Foam: white points in and on a liquid that has taken in air.
//
// Every particle of the liquid carries a share of air, 0 to 1. It takes in air where the liquid is fast and either
// collides with itself or throws up a sharp crest (the potentials of Ihmsen et al. 2012, "Unified spray, foam and air
// bubbles for particle-based fluids"), and loses it with time. Points are placed around the particles by their ids:
// they move with the liquid, and grow and shrink with its air, so that nothing jumps from frame to frame.
#pragma once

#include "surface/iso_surface.h"

/// The air in a liquid. Zero members: none yet.
typedef struct frz_foam
{
    int64_t room;
    float *air;  ///< by the id of the particle
    bool begun;  ///< a frame has been processed
    double time; ///< s, of that frame
} frz_foam;

void frz_foam_destroy(frz_foam *foam);

/// The liquid of one frame: def has its particles and walls; ids: of all rows of the frame.
typedef struct frz_foam_liquid
{
    const frz_iso_def *def;
    const frz_array_desc *ids;
    double time;   ///< s
    double amount; ///< of foam; 1: as water has
} frz_foam_liquid;

/// Time after which air that was taken in is no longer visible, s.
double frz_foam_memory(void);

/// White points of a frame.
typedef struct frz_foam_points
{
    int64_t count, room;
    float *xyzr; ///< m
} frz_foam_points;

void frz_foam_points_destroy(frz_foam_points *points);

/// Advance to the next frame: air is lost and taken in. The liquid needs velocities. points (may be null) takes the
/// points of the frame.
FRZ_NODISCARD frz_status frz_foam_advance(frz_foam *foam, const frz_foam_liquid *liquid, frz_foam_points *points,
                                          frz_diag *diag);
