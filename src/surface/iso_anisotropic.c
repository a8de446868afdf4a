// SPDX-License-Identifier: MIT
// Yu & Turk 2013: every particle has an ellipsoid for a kernel, flat where its neighbours lie in a plane:
//
//     phi(x) = sum_j V_j det(G_j) W(G_j (x - xbar_j)).
//
// xbar_j is the particle's place drawn to the weighted mean of its neighbours (weights 1 - (r / r_i)^3, their eq. 11),
// and G_j comes from the covariance of the neighbours. Two things differ from the paper: semi-axes are proportional to
// the standard deviations, not the variances, and places are drawn half way only. With the paper's values the kernels
// of the outermost particles do not reach the plane half a spacing in front of them, so that no level gives the right
// volume.
#include <math.h>

#include "base/memory.h"
#include "math/mat3.h"
#include "surface/iso_internal.h"

static const double radius = 2.0;       // spacings: neighbours
static const double drawn = 0.5;        // part of the way to the mean of the neighbours
static const double least_ratio = 0.5;  // of the smallest to the largest semi-axis: root of their 1 / k_r = 1/4
static const double lone_stretch = 0.6; // semi-axes of particles with few neighbours, in those of full ones
static const double largest_stretch = 1.5;
static const double least_neighbors[2] = {6.0, 12.0}; // in 2D and 3D; below, kernels are round

/// Per particle: x^T A x is 1 on the ellipsoid; A as xx yy zz yz zx xy; reach along the axes; amount.
typedef struct ellipsoid
{
    frz_real a[6], reach[3], amount;
} ellipsoid;

typedef struct cloud
{
    double count, weight, first[3], second[6]; // sums over the neighbours, seen from the particle, spacings
} cloud;

static void add_neighbor(cloud *c, double x, double y, double z)
{
    const double r2 = (x * x + y * y + z * z) / (radius * radius);
    if (r2 >= 1.0)
        return;
    const double w = 1.0 - r2 * sqrt(r2), r[3] = {x, y, z};
    c->count += 1.0;
    c->weight += w;
    for (int i = 0; i < 3; ++i)
    {
        c->first[i] += w * r[i];
        c->second[i] += w * r[i] * r[i];
        c->second[3 + i] += w * r[(i + 1) % 3] * r[(i + 2) % 3];
    }
}

/// Variance along an axis of the neighbours of a particle deep inside a lattice, spacings^2.
static double full_variance(int dimension)
{
    cloud c = {.count = 0.0};
    for (int x = -2; x <= 2; ++x)
        for (int y = -2; y <= 2; ++y)
            for (int z = dimension == 3 ? -2 : 0; z <= (dimension == 3 ? 2 : 0); ++z)
                add_neighbor(&c, x, y, z);
    return c.second[0] / c.weight;
}

/// The ellipsoid of a cloud, and by how much its middle moves, spacings.
static ellipsoid shape_of(const frz_iso_field *field, const cloud *c, double volume, double shift[3])
{
    const int dimension = field->cells->dimension;
    const double full = full_variance(dimension);
    const double h = field->kernel.support;
    double mean[3] = {0.0, 0.0, 0.0}, stretch[3] = {lone_stretch, lone_stretch, lone_stretch};
    frz_mat3 axes = frz_m3_identity();
    for (int i = 0; i < 3; ++i)
    {
        mean[i] = c->first[i] / c->weight;
        shift[i] = drawn * mean[i];
    }
    if (c->count >= least_neighbors[dimension == 3])
    {
        const double v[6] = {
            c->second[0] / c->weight - mean[0] * mean[0], c->second[1] / c->weight - mean[1] * mean[1],
            c->second[2] / c->weight - mean[2] * mean[2], c->second[3] / c->weight - mean[1] * mean[2],
            c->second[4] / c->weight - mean[2] * mean[0], c->second[5] / c->weight - mean[0] * mean[1]};
        const frz_mat3 variance = {{{v[0], v[5], v[4]}, {v[5], v[1], v[3]}, {v[4], v[3], v[2]}}};
        const frz_eigen3 eigen = frz_m3_eigen(variance);
        axes = eigen.v;
        for (int k = 0; k < 3; ++k)
        {
            const double s = sqrt(fmax(eigen.s[k], 0.0) / full), most = sqrt(fmax(eigen.s[0], 0.0) / full);
            stretch[k] = fmin(fmax(s, least_ratio * most), fmin(largest_stretch, (ISO_REACH - 1) / h));
        }
    }
    ellipsoid e = {.amount = 0};
    const double determinant = stretch[0] * stretch[1] * (dimension == 3 ? stretch[2] : 1.0);
    for (int i = 0; i < 3; ++i)
    {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        double reach = 0.0, diagonal = 0.0, mixed = 0.0;
        for (int k = 0; k < 3; ++k)
        {
            const double inverse = 1.0 / (stretch[k] * stretch[k] * h * h);
            reach += axes.m[i][k] * axes.m[i][k] * stretch[k] * stretch[k] * h * h;
            diagonal += axes.m[i][k] * axes.m[i][k] * inverse;
            mixed += axes.m[p][k] * axes.m[q][k] * inverse;
        }
        e.reach[i] = (frz_real)sqrt(reach);
        e.a[i] = (frz_real)diagonal;
        e.a[3 + i] = (frz_real)mixed;
    }
    e.amount = (frz_real)(volume * field->kernel.normalization / determinant);
    return e;
}

// ---- particles

/// A plane wall near a particle.
typedef struct mirror
{
    bool there;
    double distance; // spacings
    double n[3];     // into the wall
} mirror;

static mirror find_mirror(const frz_iso_field *field, frz_vec3 x)
{
    const double spacing = field->cells->spacing * field->cells->cell, distance = frz_iso_walls_distance(field, x);
    mirror m = {.there = distance > 0.0 && distance < radius * spacing, .distance = distance / spacing};
    if (!m.there)
        return m;
    const frz_vec3 n = frz_iso_walls_normal(field, x);
    m.n[0] = n.x;
    m.n[1] = n.y;
    m.n[2] = n.z;
    return m;
}

/// A neighbour, and its image behind the wall, as if the liquid went on there.
static void add_with_image(cloud *c, const mirror *m, double x, double y, double z)
{
    add_neighbor(c, x, y, z);
    const double back = 2.0 * (m->distance - x * m->n[0] - y * m->n[1] - z * m->n[2]);
    if (m->there && back > 0.0)
        add_neighbor(c, x + back * m->n[0], y + back * m->n[1], z + back * m->n[2]);
}

static cloud gather(const frz_iso_cells *cells, const frz_iso_around *around, frz_v4 point, const mirror *wall)
{
    const double a = 1.0 / cells->spacing;
    const int wide = (int)ceil(radius * cells->spacing / ISO_BRICK), deep = cells->dimension == 3 ? wide : 0;
    const int at[3] = {(int)point[0] / ISO_BRICK, (int)point[1] / ISO_BRICK, (int)point[2] / ISO_BRICK};
    cloud c = {.count = 0.0};
    for (int z = -deep; z <= deep; ++z)
        for (int y = -wide; y <= wide; ++y)
            for (int x = -wide; x <= wide; ++x)
            {
                int first = 0;
                frz_v4 shift;
                const int count = frz_iso_brick(cells, around, at[0] + x, at[1] + y, at[2] + z, &first, &shift);
                for (int k = first; k < first + count; ++k)
                {
                    const frz_v4 r = cells->points[k] + shift - point;
                    add_with_image(&c, wall, a * (double)r[0], a * (double)r[1], a * (double)r[2]);
                }
            }
    return c;
}

static frz_status prepare(frz_iso_field *field, frz_iso_cells *cells, frz_diag *diag)
{
    ellipsoid *all = FRZ_ALLOC("ellipsoids", cells->count + 1, ellipsoid);
    frz_v4 *moved = FRZ_ALLOC("ellipsoids", cells->count + 8, frz_v4);
    field->self = all;
    field->reach = ISO_REACH;
    if (all == NULL || moved == NULL)
    {
        frz_free(moved);
        return frz_fail_memory(diag, "the kernels of a surface");
    }
#pragma omp parallel for schedule(dynamic, 1)
    for (int b = 0; b < cells->block_count; ++b)
    {
        if (cells->tables[b] < 0)
            continue;
        const frz_iso_around around = frz_iso_cells_around(cells, b);
        const int64_t table = (int64_t)cells->tables[b] * ISO_TABLE;
        for (int k = cells->starts[table]; k < cells->starts[table + ISO_TABLE]; ++k)
        {
            double shift[3];
            const frz_v4 p = cells->points[k];
            const mirror wall =
                find_mirror(field, frz_iso_node(cells, cells->blocks[b], (double)p[0], (double)p[1], (double)p[2]));
            const cloud c = gather(cells, &around, p, &wall);
            all[k] = shape_of(field, &c, (double)p[3], shift);
            for (int i = 0; i < 3; ++i) // less than a cell, so that the brick's particles still act within reach
                moved[k][i] = frz_iso_round((double)p[i] + fmin(fmax(shift[i] * cells->spacing, -0.999), 0.999));
            moved[k][3] = p[3];
        }
    }
    frz_free(cells->points);
    cells->points = moved;
    return FRZ_OK;
}

static void release(frz_iso_field *field)
{
    frz_free(field->self);
    field->self = NULL;
}

// ---- the level

enum
{
    layers = 5 // of the lattice
};

typedef struct lattice
{
    ellipsoid form[layers];
    double sunk[layers]; // cells, how far each layer is drawn, negative inwards
    double spacing;      // cells
} lattice;

static double add_layer(const void *user, frz_vec3 r, double volume)
{
    const lattice *l = user;
    (void)volume;
    for (int j = 0; j < layers; ++j)
    {
        const double y = -l->spacing * (j + 0.5);
        if (fabs(r.y - y) > 0.3 * l->spacing) // which layer it is; heights differ by less
            continue;
        const ellipsoid *e = &l->form[j];
        const double depth = r.y + l->sunk[j];
        const double q =
            1.0 - (double)e->a[0] * r.x * r.x - (double)e->a[1] * depth * depth - (double)e->a[2] * r.z * r.z;
        return q > 0.0 ? (double)e->amount * q * q * q : 0.0;
    }
    return 0.0;
}

static void calibrate(frz_iso_field *field)
{
    const double a = field->cells->spacing, step = 0.05 * a;
    const int deep = field->cells->dimension == 3 ? 3 : 0;
    lattice l = {.spacing = a};
    for (int j = 0; j < layers; ++j)
    {
        cloud c = {.count = 0.0};
        for (int y = -3; y <= j && y <= 3; ++y)
            for (int x = -3; x <= 3; ++x)
                for (int z = -deep; z <= deep; ++z)
                    add_neighbor(&c, x, y, z);
        double shift[3];
        l.form[j] = shape_of(field, &c, frz_iso_lattice_volume(field, j), shift);
        l.sunk[j] = fmin(fmax(shift[1] * a, -0.999), 0.999);
    }
    double below = 0.0, above = 0.0;
    const double lift = FRZ_ISO_LIFT * a;
    frz_iso_lattice_plane(field, lift, add_layer, &l, &field->level);
    frz_iso_lattice_plane(field, lift - step, add_layer, &l, &below);
    frz_iso_lattice_plane(field, lift + step, add_layer, &l, &above);
    field->slope = (below - above) / (2.0 * step);
}

static void splat(frz_iso_block *block, frz_v4 point, int particle)
{
    const ellipsoid *e = &((const ellipsoid *)block->field->self)[particle];
    const frz_iso_box box = frz_iso_box_around(block, point, frz_v4_set(e->reach[0], e->reach[1], e->reach[2], 0));
    for (int x = box.low[0]; x <= box.high[0]; x += 8)
    {
        const frz_w8 dx = frz_iso_steps() + ((frz_real)x - point[0]), along = 1 - e->a[0] * (dx * dx);
        for (int z = box.low[2]; z <= box.high[2]; ++z)
            for (int y = box.low[1]; y <= box.high[1]; ++y)
            {
                const frz_real dy = (frz_real)y - point[1], dz = (frz_real)z - point[2];
                const frz_real across = e->a[1] * dy * dy + e->a[2] * dz * dz + 2 * e->a[3] * dy * dz;
                const frz_real slant = 2 * (e->a[5] * dy + e->a[4] * dz);
                const frz_w8 q = frz_w8_max(along - slant * dx - across, frz_w8_splat(0));
                frz_real *row = block->channel[0] + frz_iso_index(block, x, y, z);
                frz_w8_store(row, frz_w8_load(row) + e->amount * (q * q * q));
            }
    }
}

const frz_iso_method frz_iso_anisotropic = {
    .name = "anisotropic",
    .doc = "density with kernels that are flat along sheets of particles",
    .channels = 1,
    .support = 2.0,
    .prepare = prepare,
    .release = release,
    .calibrate = calibrate,
    .splat = splat,
    .finish = frz_iso_finish_density,
};
