// SPDX-License-Identifier: MIT
// Shared by the files iso_*: particles sorted into bricks and blocks, one block of nodes, the field methods.
#pragma once

#include "base/simd.h"
#include "surface/iso_surface.h"

enum
{
    ISO_BLOCK = 32,            ///< cells along an edge of a block
    ISO_BRICK = 4,             ///< cells along an edge of a brick, the unit of sorting and skipping
    ISO_BRICKS = 8,            ///< bricks along an edge of a block
    ISO_TABLE = 512,           ///< bricks of a block
    ISO_NODES = ISO_BLOCK + 3, ///< nodes along an edge: -1 to 33, so that every node of a cell has neighbours
    ISO_STRIDE = 44,           ///< of rows of nodes: eight more than the last start of a vector
    ISO_LAYER = ISO_NODES * ISO_STRIDE,
    ISO_SIZE = ISO_NODES * ISO_LAYER,
    ISO_CHANNELS = 13, ///< sums per node, at most
    ISO_REACH = 7,     ///< cells: farthest that a particle may act
    ISO_SPAN = 12,     ///< bricks around and in a block whose particles may act in it: -2 to 9
    ISO_AROUND = 16    ///< bricks known around a block: -4 to 11
};

typedef struct frz_iso_place
{
    int x, y, z; ///< of a block, in blocks
} frz_iso_place;

/// The particles, sorted by block and brick, in cells.
typedef struct frz_iso_cells
{
    int dimension;
    double cell;           ///< m
    double spacing;        ///< cells
    frz_vec3 origin;       ///< m
    int count;             ///< particles and their periodic images
    frz_v4 *points;        ///< x y z from the corner of the own block, volume in cells^d
    int *rows;             ///< of the particles in the frame
    int block_count;       ///< all that the surface may reach
    frz_iso_place *blocks; ///< sorted by z, y, x
    int *tables;           ///< per block: number of its table, -1: no particles in it
    int table_count;
    int *starts;           ///< ISO_TABLE per table, and one: first particle of each brick
    unsigned char *active; ///< ISO_TABLE per table: the field is needed there
} frz_iso_cells;

FRZ_NODISCARD frz_status frz_iso_cells_create(const frz_iso_def *def, frz_iso_cells *out, frz_diag *diag);
void frz_iso_cells_destroy(frz_iso_cells *cells);
/// Index of a block, or -1.
int frz_iso_cells_find(const frz_iso_cells *cells, frz_iso_place place);

/// The blocks around a block: index or -1; [z + 1][y + 1][x + 1].
typedef struct frz_iso_around
{
    int block[3][3][3];
} frz_iso_around;

frz_iso_around frz_iso_cells_around(const frz_iso_cells *cells, int block);

/// Particles of a brick; x, y, z from -8 to 15 bricks from the corner of the block in the middle. Returns their number;
/// shift moves their positions to the corner of that block.
int frz_iso_brick(const frz_iso_cells *cells, const frz_iso_around *around, int x, int y, int z, int *first,
                  frz_v4 *shift);

/// Place of a node of a block, m. The same bits for every block that has the node.
static inline frz_vec3 frz_iso_node(const frz_iso_cells *cells, frz_iso_place place, double x, double y, double z)
{
    return frz_v3(cells->origin.x + (ISO_BLOCK * (double)place.x + x) * cells->cell,
                  cells->origin.y + (ISO_BLOCK * (double)place.y + y) * cells->cell,
                  cells->origin.z + (ISO_BLOCK * (double)place.z + z) * cells->cell);
}

/// A place of a block, in cells from its corner, rounded so that it has the same value seen from every block.
static inline frz_real frz_iso_round(double cells)
{
    return (frz_real)(floor(cells * 65536.0 + 0.5) / 65536.0);
}

/// Spacings: how far beyond half a spacing the surface of a lattice at rest lies. Settled liquid is not a lattice; with
/// the level of a lattice its surface lies 0.13 spacings too deep. A little more than half of that keeps the volume of
/// both.
#define FRZ_ISO_LIFT 0.08

/// Kernel (1 - q^2)^3 with its normalisation; lengths in cells.
typedef struct frz_iso_kernel
{
    double support, normalization;
} frz_iso_kernel;

frz_iso_kernel frz_iso_kernel_create(int dimension, double support);
static inline double frz_iso_kernel_value(const frz_iso_kernel *kernel, double r2)
{
    const double q = 1.0 - r2 / (kernel->support * kernel->support);
    return q > 0.0 ? kernel->normalization * q * q * q : 0.0;
}

/// The field as a whole.
typedef struct frz_iso_field
{
    const frz_iso_cells *cells;
    const frz_iso_method *method;
    frz_iso_kernel kernel;
    double level, slope; ///< of the method's sums half a spacing in front of a lattice; slope per cell
    double reach;        ///< cells
    void *self;          ///< of the method: per particle
    const frz_surface_wall *walls;
    int wall_count;
    unsigned periodic;
    frz_bounds domain;
} frz_iso_field;

/// Volumes of the points from the density that they have with a kernel, and a plane wall where one is near.
FRZ_NODISCARD frz_status frz_iso_cells_measure(const frz_iso_field *field, frz_iso_cells *cells, frz_diag *diag);

/// Nodes of one block; arrays of ISO_SIZE.
typedef struct frz_iso_block
{
    const frz_iso_field *field;
    frz_iso_place place;
    frz_iso_around around;
    int layers;  ///< of nodes along z: ISO_NODES, in 2D 1
    int base;    ///< z of the first layer: -1, in 2D 0
    bool any;    ///< some particle acted
    bool walled; ///< wall and shade are set
    frz_real *channel[ISO_CHANNELS];
    frz_real *value; ///< about the distance to the surface in cells, positive inside
    frz_real *uncut; ///< the same before walls cut it; only if walled
    frz_real *wall;  ///< distance to the walls in cells, positive outside of them
    frz_real *shade; ///< part of the kernel that walls take
    frz_real *memory;
    unsigned char active[ISO_AROUND][ISO_AROUND][ISO_AROUND]; ///< bricks -4 to 11
} frz_iso_block;

static inline int frz_iso_index(const frz_iso_block *block, int x, int y, int z)
{
    return (z - block->base) * ISO_LAYER + (y + 1) * ISO_STRIDE + x + 1;
}

/// Mark the bricks near the surface: those that are not full, or have a neighbour that is not, or a wall.
void frz_iso_activate(const frz_iso_field *field, frz_iso_cells *cells);

FRZ_NODISCARD frz_status frz_iso_block_create(const frz_iso_field *field, frz_iso_block *out, frz_diag *diag);
void frz_iso_block_destroy(frz_iso_block *block);
/// The field on the nodes of a block; false: no surface can be there.
bool frz_iso_block_fill(frz_iso_block *block, int number);

/// Nodes that a particle reaches: ranges in x (starts of vectors of eight), y and z.
typedef struct frz_iso_box
{
    int low[3], high[3];
} frz_iso_box;

static inline frz_iso_box frz_iso_box_around(const frz_iso_block *block, frz_v4 point, frz_v4 reach)
{
    frz_iso_box box;
    for (int c = 0; c < 3; ++c)
    {
        const int least = c < 2 ? -1 : block->base, most = c < 2 ? ISO_BLOCK + 1 : block->base + block->layers - 1;
        const int low = (int)ceil((double)(point[c] - reach[c])), high = (int)floor((double)(point[c] + reach[c]));
        box.low[c] = low > least ? low : least;
        box.high[c] = high < most ? high : most;
    }
    return box;
}

/// 0 to 7 as numbers.
static inline frz_w8 frz_iso_steps(void)
{
    const frz_w8 steps = {0, 1, 2, 3, 4, 5, 6, 7};
    return steps;
}

// ---- methods

/// A method to make a field from particles: sums per node, and a value from the sums.
struct frz_iso_method
{
    const char *name;
    const char *doc;
    int channels;
    double support; ///< spacings, of the kernel
    /// Per-particle data in field->self, reach; may move points by less than a cell. May be null.
    frz_status (*prepare)(frz_iso_field *field, frz_iso_cells *cells, frz_diag *diag);
    void (*release)(frz_iso_field *field); ///< may be null
    /// Level and slope at half a spacing in front of a lattice at rest.
    void (*calibrate)(frz_iso_field *field);
    /// Add a particle, at a point of the block, to the sums.
    void (*splat)(frz_iso_block *block, frz_v4 point, int particle);
    /// Values from the sums, on all nodes.
    void (*finish)(frz_iso_block *block);
};

/// Mean over a plane half a spacing in front of a half space full of particles on a lattice (spacing 1) of a sum that
/// term adds up over the particles near; also its slope per spacing.
typedef double frz_iso_term(const void *user, frz_vec3 from_node, double volume);
void frz_iso_lattice_plane(const frz_iso_field *field, double height, frz_iso_term *term, const void *user,
                           double *mean);
/// Volumes of the particles of such a lattice by layer, from the density of the field's kernel.
double frz_iso_lattice_volume(const frz_iso_field *field, int layer);

/// The sum of V W of all particles, into one channel; shared by density methods.
void frz_iso_splat_kernel(frz_iso_block *block, frz_v4 point, frz_real *out);
/// Values of a density in channel 0, walls taken into account.
void frz_iso_finish_density(frz_iso_block *block);

// ---- walls

/// Distances and shade on the nodes of a block whose channel 0 is filled.
void frz_iso_walls_fill(frz_iso_block *block);
/// Whether a wall or the end of a periodic domain may be within reach (m) of a point.
bool frz_iso_walls_near(const frz_iso_field *field, frz_vec3 point, double reach);
/// Distance to the nearest wall, negative inside; HUGE_VAL if there is none.
double frz_iso_walls_distance(const frz_iso_field *field, frz_vec3 point);

/// Unit normal of the walls next to a point, into them.
frz_vec3 frz_iso_walls_normal(const frz_iso_field *field, frz_vec3 point);

// ---- triangles

/// Cases of marching cubes, by rule.
typedef struct frz_iso_case
{
    signed char count;       ///< triangles
    signed char edges[5][3]; ///< of the cube: 4 axis + number among those along the axis
} frz_iso_case;

/// All 256; bit c of a case: corner c (x + 2 y + 4 z) is inside.
void frz_iso_table_create(frz_iso_case *cases);

/// The triangles of a block. Corners: own vertices, or -1 - code of an edge of a block behind.
typedef struct frz_iso_piece
{
    int vertex_count, triangle_count, edge_count;
    int64_t vertex_room, triangle_room, edge_room;
    int *
        codes; ///< of the edges of the vertices, ascending: 4 (node) + axis, node = x + 33 (y + 33 z); axis 3: the node
    frz_vec3 *vertices;
    frz_vec3 *normals;
    unsigned char *walls;
    int (*triangles)[3];
    int (*edges)[2];
} frz_iso_piece;

void frz_iso_piece_destroy(frz_iso_piece *piece);
/// Triangles of a block that is filled. lookup has room for 4 * 33^3 numbers. False when memory is short.
bool frz_iso_march_cubes(const frz_iso_block *block, const frz_iso_case *cases, int *lookup, frz_iso_piece *piece);
bool frz_iso_march_squares(const frz_iso_block *block, int *lookup, frz_iso_piece *piece);

/// Join the pieces (one per block) to one mesh.
FRZ_NODISCARD frz_status frz_iso_stitch(const frz_iso_cells *cells, frz_iso_piece *pieces, frz_surface_mesh *out,
                                        frz_diag *diag);

// ---- behind the triangles

/// Join vertices of a surface in space that are close to the same node of the grid, before it has fields.
FRZ_NODISCARD frz_status frz_iso_snap(const frz_iso_cells *cells, frz_surface_mesh *mesh, frz_diag *diag);
/// Keep the vertices that triangles use, in their order; number is scratch, one per vertex.
void frz_iso_drop_unused(frz_surface_mesh *mesh, int *number);

/// Keep about a share of the triangles of a surface in space.
FRZ_NODISCARD frz_status frz_iso_decimate(double share, double spacing, frz_surface_mesh *mesh, frz_diag *diag);

/// Velocities and fields on the vertices, and how many particles are within two spacings of each.
FRZ_NODISCARD frz_status frz_iso_carry(const frz_iso_def *def, const frz_iso_cells *cells, frz_surface_mesh *mesh,
                                       float *neighbors, frz_diag *diag);
/// Smooth the mesh; neighbors as above.
FRZ_NODISCARD frz_status frz_iso_smooth(const frz_iso_field *field, const float *neighbors, int rounds,
                                        frz_surface_mesh *mesh, frz_diag *diag);
/// Take particles with fewer neighbours than least within two spacings out of the cells; mesh gets their rows.
FRZ_NODISCARD frz_status frz_iso_spray(frz_iso_cells *cells, int least, frz_surface_mesh *mesh, frz_diag *diag);
