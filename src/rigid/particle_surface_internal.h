// SPDX-License-Identifier: MIT
// Shared by the files of surfaces made of particles: walks over cells, neighbours of a particle.
#pragma once

#include "rigid/particle_surface.h"

enum
{
    FRZ_PARTICLE_NEIGHBORS = 64 ///< of one particle that are used; inside a lattice there are 18
};

/// A particle next to another one.
typedef struct frz_particle_neighbor
{
    frz_vec3 way;  ///< to it, m
    double square; ///< of its length
    int number;
} frz_particle_neighbor;

/// Others within the radius of a particle; the last of the list is spare.
int frz_particle_neighbors(const frz_particle_surface *surface, int number,
                           frz_particle_neighbor list[FRZ_PARTICLE_NEIGHBORS + 1]);
/// It has fewer neighbours than one inside a lattice.
bool frz_particle_is_outer(const frz_particle_surface *surface, int number);
/// Square of the distance of the nearest particle, and its number; -1: none within the radius, whose square it is then.
double frz_particle_nearest(const frz_particle_surface *surface, frz_vec3 place, double radius, int *number);

/// Sort the particles into cells. order (the caller's to free, also after a failure): index in the definition by
/// number.
FRZ_NODISCARD frz_status frz_particle_cells_make(frz_particle_surface *surface, const frz_particle_surface_def *def,
                                                 int **order, frz_diag *diag);
/// Find particles at the surface, and the surface there. skin is by index in the definition; null: found by counting.
FRZ_NODISCARD frz_status frz_particle_skin_make(frz_particle_surface *surface, const bool *skin, const int *order,
                                                frz_diag *diag);

/// Rows of cells around a place: particles of a row are next to each other.
typedef struct frz_cell_walk
{
    const frz_particle_surface *surface;
    int low[3], high[3]; ///< cells, both included
    int y, z;            ///< of the next row
} frz_cell_walk;

static inline frz_cell_walk frz_cell_walk_begin(const frz_particle_surface *s, frz_vec3 place, double radius)
{
    frz_cell_walk walk = {.surface = s};
    const double reach = radius * s->per_cell;
    for (int axis = 0; axis < 3; ++axis)
    {
        const double at = (frz_v3_get(place, axis) - frz_v3_get(s->cell_origin, axis)) * s->per_cell;
        const double low = at - reach, high = at + reach;
        const int cells = s->cells[axis];
        walk.low[axis] = low > 0.0 ? (low < cells ? (int)low : cells) : 0;
        walk.high[axis] = high < cells ? (high >= 0.0 ? (int)high : -1) : cells - 1;
    }
    walk.y = walk.low[1];
    walk.z = walk.low[0] > walk.high[0] || walk.low[1] > walk.high[1] ? walk.high[2] + 1 : walk.low[2];
    return walk;
}

/// Particles begin..end of the next row; false: there is none.
static inline bool frz_cell_walk_next(frz_cell_walk *walk, int *begin, int *end)
{
    const frz_particle_surface *s = walk->surface;
    if (walk->z > walk->high[2])
        return false;
    const int row = s->cells[0] * (walk->y + s->cells[1] * walk->z);
    *begin = s->begin[row + walk->low[0]];
    *end = s->begin[row + walk->high[0] + 1];
    if (++walk->y > walk->high[1])
    {
        walk->y = walk->low[1];
        ++walk->z;
    }
    return true;
}
