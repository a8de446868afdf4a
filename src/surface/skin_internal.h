// SPDX-License-Identifier: MIT
// Shared by the files skin*.c.
#pragma once

#include "math/mat3.h"
#include "surface/skin.h"

enum
{
    FRZ_SKIN_TIES_MOST = 512 ///< of a vertex or a particle; two spacings around a point hold about 33
};

/// Lists of different lengths one behind the other: list i is items[starts[i]] .. items[starts[i + 1]].
typedef struct frz_skin_lists
{
    int64_t *starts;
    int *items;
} frz_skin_lists;

struct frz_skin
{
    // at rest
    int count;            ///< particles
    double spacing;       ///< m
    double stretch_limit; ///< of bonds, in their lengths at rest
    frz_vec3 *places;     ///< of the particles, m
    frz_mesh *rest;       ///< the mesh undeformed
    frz_skin_lists bonds; ///< per particle: the others within reach
    frz_skin_lists ties;  ///< per vertex: particles that carry it, the heaviest first
    frz_skin_lists fans;  ///< per vertex: its triangles
    double *weights;      ///< per tie

    // as it is now
    frz_mat3 *gradients;      ///< F per particle
    unsigned char *torn;      ///< per particle: a bond of it is broken
    unsigned char *loose;     ///< per tie: the particle does not carry the vertex any more
    unsigned char *vertex_is; ///< frz_skin_vertex
    unsigned char *kept;      ///< per triangle
    frz_mesh *mesh;
    frz_vec3 *normals;
};

typedef enum frz_skin_vertex
{
    FRZ_SKIN_WHOLE, ///< all its particles are connected
    FRZ_SKIN_CUT,   ///< some of them are loose
    FRZ_SKIN_GONE   ///< none is left
} frz_skin_vertex;

/// Spacings within which particles carry a vertex.
#define FRZ_SKIN_REACH 2.0

/// Spacings within which particles are neighbours: those at the sides and across the edges of a cell of the lattice, no
/// farther, because a long bond breaks late and would keep the two sides of a crack together.
#define FRZ_SKIN_BOND 1.6

/// Of a list of particles, find those connected to the one at index first by bonds that are whole with the particles at
/// `now`; loose gets 0 for them and 1 for the others. count is at most FRZ_SKIN_TIES_MOST.
void frz_skin_join(const frz_skin *skin, const frz_vec3 *now, const int *particles, int count, int first,
                   unsigned char *loose);
