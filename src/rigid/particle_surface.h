// SPDX-License-Identifier: MIT
// The surface of a body made of particles, for contacts: phi(x) = |x - mean place(x)| - s/2, with the mean place of the
// particles around x (Zhu and Bridson 2005; Solenthaler et al. 2007, eqs. 22 to 24).
//
// Faces along a lattice of particles come out half a spacing in front of the first layer, as those of liquids and
// shaped bodies do. Near their borders they are too low, by a hundredth of a spacing in the plane and more in corners,
// enough for a stack of boxes to sway. So where particles lie in plane faces, and where such faces meet at right
// angles, the distance is that from the plane, edge or corner of particles, less s/2, which is the same elsewhere.
// Edges and corners are round, with a radius of half a spacing.
//
// In body axes, from the frame of the body; knows no particle store. Same bits for any order in which particles with
// ids are given.
#pragma once

#include <stdint.h>

#include "geom/shape.h"

typedef struct frz_particle_surface_def
{
    int64_t count;          ///< of the body's particles, at least one
    const frz_vec3 *places; ///< body axes, from the frame of the body; z = 0 in 2D
    const int64_t *ids;     ///< of the particles, each once; null: their indices
    const bool *skin;       ///< particles at the surface; null: they are found here
    double spacing;         ///< m
    int dimension;          ///< 2 or 3
    bool samples;           ///< skin particles are wanted as samples, for frz_contact_pressure
    const char *name;       ///< of the body, for messages
} frz_particle_surface_def;

enum
{
    FRZ_PARTICLE_FACES = 3,      ///< plane faces that meet at a particle
    FRZ_PARTICLE_DIRECTIONS = 14 ///< directions around a particle that are tested
};

/// The surface around a particle of the skin.
typedef struct frz_particle_side
{
    frz_vec3 lean;                     ///< from the mean position around the particle to the particle, m
    frz_vec3 outward;                  ///< unit; zero where there is no outer side
    frz_vec3 face[FRZ_PARTICLE_FACES]; ///< normals of plane faces that it is in or borders
    int face_count;
    bool flat;     ///< it is inside a plane face
    bool whole;    ///< its faces are square to each other, and no other direction is open: the surface is known exactly
    uint16_t open; ///< bits of the directions without particles, unless it is whole
} frz_particle_side;

typedef struct frz_particle_surface
{
    double spacing, radius; ///< m; of the particles, and of the neighbourhood that the mean position is taken over
    int dimension;
    int count;
    frz_bounds box; ///< of the places

    // particles by cells, and by id in a cell
    frz_vec3 *places;
    double *x, *y, *z; ///< the same by coordinate, in one block; four spare ones behind each
    int64_t *ids;
    frz_vec3 cell_origin;
    double cell, per_cell; ///< m, 1/m
    int cells[3];
    int *begin;    ///< by cell, x fastest; one more than there are
    uint8_t *ring; ///< by cell: distance in cells, along any axis, of the nearest cell with particles; 255: or more

    int *number; ///< in the skin, by particle; -1: inside
    int skin_count;
    int *skin;                ///< particles of the skin, ascending
    frz_particle_side *sides; ///< by number in the skin
    int direction_count;
    frz_vec3 directions[FRZ_PARTICLE_DIRECTIONS]; ///< bits of `open`
} frz_particle_surface;

FRZ_NODISCARD frz_status frz_particle_surface_create(const frz_particle_surface_def *def, frz_particle_surface **out,
                                                     frz_diag *diag);
void frz_particle_surface_destroy(frz_particle_surface **surface);

/// Which particles have fewer neighbours than one inside a lattice, by index.
FRZ_NODISCARD frz_status frz_particle_skin_find(const frz_particle_surface_def *def, bool *skin, frz_diag *diag);

/// As frz_contact_shape_distance. Inside it is that of the plane of the nearest particle of the skin.
double frz_particle_surface_distance(const frz_particle_surface *surface, frz_vec3 place, double limit,
                                     frz_vec3 *normal);
/// Lower bound of the distance of the surface; 0 or less where the position may be inside.
double frz_particle_surface_room(const frz_particle_surface *surface, frz_vec3 place);
