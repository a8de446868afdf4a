// SPDX-License-Identifier: MIT
// The filled fraction of tension_field.h beside walls. With the fraction v of the space near a node that no wall fills,
//
//     c' = c / v,   level = c' - d . grad c',   d = width^2 grad v / v
//
// c' is the mean over the open space alone: 1 where liquid touches a wall, and unchanged by a wall at right angles to a
// surface. Its kernel's centre lies off the node by d (exactly for a Gaussian kernel); the second term takes that back,
// so that the level surfaces of a liquid that meets a wall at any angle are straight up to the wall.
#pragma once

#include "physics/tension/tension_field.h"

/// By node, in scratch memory.
typedef struct frz_tension_walls
{
    double *filled;   ///< fraction that walls fill, not smoothed; above 1 where bodies overlap
    double *open;     ///< v
    double *mean;     ///< c'
    double *level;    ///< the corrected c'
    double *shift[3]; ///< d
    double *by_open;  ///< derivative of an energy by v; null: no movable body
    bool any;         ///< walls fill something
} frz_tension_walls;

/// v below which a place counts as wall: divided by no less
extern const double frz_tension_open_least;

/// Fill all arrays for the liquid's c; by_open is zero.
FRZ_NODISCARD frz_status frz_tension_walls_make(const frz_model *model, frz_state *state,
                                                const frz_tension_field *field, const uint8_t *member, const double *c,
                                                bool yielding, double *spare, frz_tension_walls *walls, frz_diag *diag);

/// Turn the derivative of an energy by the level into that by c, in place, and add its derivative by v to by_open.
/// flux: three numbers per node of scratch memory.
void frz_tension_walls_pull_back(const frz_tension_field *field, frz_tension_walls *walls, double *const flux[3],
                                 double *by_level);

/// Force (N) and moment about the origin (N m) on a body, for an energy of scale (J) times a sum over nodes; by_filled:
/// derivative of the sum by filled.
void frz_tension_walls_load(const frz_model *model, const frz_state *state, const frz_tension_field *field,
                            const frz_tension_walls *walls, const double *by_filled, int body, double scale,
                            frz_vec3 *force, frz_vec3 *moment);
