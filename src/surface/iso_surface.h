// SPDX-License-Identifier: MIT
// Surfaces of liquids and of all other bodies of particles without a skin: the zero set of a field of the particles, as
// triangles (3D) or as filled outlines (2D).
//
// The field is computed on the nodes of a cubic grid, block by block, only near the surface. Marching cubes turn each
// block into triangles; vertices have the numbers of their (block, cell, edge), so that the result has the same bits
// for any number of threads. Positions are rounded to 2^-16 of a cell first: differences between nodes and particles
// are then exact in every block, and blocks agree on the nodes that they share.
#pragma once

#include "base/array_desc.h"
#include "geom/mesh.h"

/// One closed surface. Arrays have one entry per vertex.
typedef struct frz_surface_mesh
{
    frz_mesh *mesh;       ///< places and triangles, counter-clockwise seen from outside; 2D: the filled area at z = 0
    frz_vec3 *normals;    ///< unit length, outwards
    frz_vec3 *velocities; ///< m/s; null if the particles have none
    int value_count;      ///< numbers of all fields together
    float *values;        ///< value_count per vertex; means of the particles around, within their range
    unsigned char *walls; ///< 1: the vertex lies on a wall
    int edge_count;       ///< 2D: pieces of the outline, the area to the left
    int (*edges)[2];      ///< vertices
    double dress_seconds; ///< of the processor, for the work after the triangles
    int64_t spray_count;  ///< lone drops, which are not part of the mesh
    int64_t *spray;       ///< their rows in the frame
} frz_surface_mesh;

/// Accepts null, leaves null.
void frz_surface_mesh_destroy(frz_surface_mesh **mesh);

/// A solid that the liquid ends at: a shape, moved as x -> position + rotation x.
typedef struct frz_surface_wall
{
    const frz_shape *shape;
    frz_quat rotation;
    frz_vec3 position;
} frz_surface_wall;

typedef struct frz_iso_method frz_iso_method;

/// A method by its name, or null; the default for null.
const frz_iso_method *frz_iso_method_find(const char *name);
/// Null-terminated list.
const char *const *frz_iso_method_names(void);
const char *frz_iso_method_name(const frz_iso_method *method);

#define FRZ_ISO_CELL_LEAST 0.3 ///< spacings: a particle reaches seven cells at most
#define FRZ_ISO_CELL_MOST  2.0

enum
{
    FRZ_ISO_FIELDS_MOST = 16 ///< that vertices can carry
};

typedef struct frz_iso_def
{
    int dimension;
    double spacing;               ///< m, of the particles
    const frz_iso_method *method; ///< null: the default
    double cell;                  ///< spacings; 0: the default, 0.5
    int smoothing;                ///< rounds of smoothing; < 0: the default
    double decimate;              ///< share of the triangles to keep; 0 or 1: all
    int spray_least;              ///< particles with fewer neighbours are spray; < 0: the default; 0: none are
    frz_vec3 origin;              ///< of the grid, m
    unsigned periodic;            ///< bits 0..2: periodic axes of the domain
    frz_bounds domain;            ///< m, of the periodic axes
    const frz_surface_wall *walls;
    int wall_count;                 ///< 0: the surface ends where the particles do
    const int *rows;                ///< of the particles in the arrays below, ascending; null: all
    int count;                      ///< rows
    const frz_array_desc *position; ///< m
    const frz_array_desc *velocity; ///< null: none
    const float *volumes;           ///< per entry of rows, spacings^d; null: computed from the positions
    const frz_array_desc *fields[FRZ_ISO_FIELDS_MOST]; ///< carried to the vertices
    int field_count;
} frz_iso_def;

frz_iso_def frz_iso_def_default(void);

/// Make the surface. Owner: the caller.
FRZ_NODISCARD frz_status frz_iso_surface_create(const frz_iso_def *def, frz_surface_mesh **out, frz_diag *diag);
