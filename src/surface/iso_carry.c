// SPDX-License-Identifier: MIT
// Velocities and fields on the vertices: means of the particles around, with the weights of a kernel (Shepard 1968), so
// that they stay within the range of the particles.
#include <math.h>

#include "base/memory.h"
#include "surface/iso_internal.h"

enum
{
    values_most = 3 + 4 * FRZ_ISO_FIELDS_MOST // velocity, then the fields
};

static const double faint = 1.0e-9; // weight of particles beyond the kernel, for vertices with none inside

typedef struct carrying
{
    const frz_iso_def *def;
    const frz_iso_cells *cells;
    frz_surface_mesh *mesh;
    float *neighbors;
    int components; ///< of all fields
} carrying;

typedef struct mean
{
    double weight, sum[values_most];
    float low[values_most], high[values_most];
    int near; ///< particles within two spacings
} mean;

static void add_particle(const carrying *c, int row, double weight, mean *m)
{
    int k = 0;
    const bool first = m->weight == 0.0;
    const frz_array_desc *velocity = c->def->velocity;
    for (int f = velocity != NULL ? -1 : 0; f < c->def->field_count; ++f)
    {
        const frz_array_desc *array = f < 0 ? velocity : c->def->fields[f];
        for (int i = 0; i < array->components; ++i, ++k)
        {
            const double value = frz_array_value(array, row, i);
            m->sum[k] += weight * value;
            if (first || (float)value < m->low[k])
                m->low[k] = (float)value;
            if (first || (float)value > m->high[k])
                m->high[k] = (float)value;
        }
    }
    m->weight += weight;
}

static void add_brick(const carrying *c, const frz_iso_around *around, const int brick[3], frz_v4 point, mean *m)
{
    const double support = 2.0 * c->cells->spacing, near = support * support, wide = (double)ISO_REACH * ISO_REACH;
    int first = 0;
    frz_v4 shift;
    const int count = frz_iso_brick(c->cells, around, brick[0], brick[1], brick[2], &first, &shift);
    for (int k = first; k < first + count; ++k)
    {
        const frz_v4 r = c->cells->points[k] + shift - point;
        const double r2 = (double)frz_v4_dot3(r, r);
        if (r2 >= near && (r2 >= wide || m->near > 0))
            continue;
        const double q = r2 < near ? 1.0 - r2 / near : 0.0;
        m->near += r2 < near;
        add_particle(c, c->cells->rows[k], (double)c->cells->points[k][3] * (q * q * q + faint * (1.0 - r2 / wide)), m);
    }
}

static void finish_vertex(const carrying *c, int v, const mean *m)
{
    float value[values_most] = {0.0f};
    const int velocity = c->def->velocity != NULL ? 3 : 0;
    for (int k = 0; k < velocity + c->components; ++k)
        value[k] = m->weight > 0.0 ? fminf(fmaxf((float)(m->sum[k] / m->weight), m->low[k]), m->high[k]) : 0.0f;
    if (velocity > 0)
        c->mesh->velocities[v] = frz_v3((double)value[0], (double)value[1], (double)value[2]);
    for (int k = 0; k < c->components; ++k)
        c->mesh->values[(int64_t)v * c->components + k] = value[velocity + k];
    c->neighbors[v] = (float)m->near;
}

/// Vertices that follow each other mostly lie in one block.
static void carry_range(const carrying *c, int from, int to)
{
    const frz_iso_cells *cells = c->cells;
    const int deep = cells->dimension == 3;
    frz_iso_place last = {0, 0, 0};
    frz_iso_around around;
    bool known = false;
    for (int v = from; v < to; ++v)
    {
        const frz_vec3 x = frz_v3_scale(1.0 / cells->cell, frz_v3_sub(c->mesh->mesh->vertices[v], cells->origin));
        const frz_iso_place place = {(int)floor(x.x / ISO_BLOCK), (int)floor(x.y / ISO_BLOCK),
                                     deep ? (int)floor(x.z / ISO_BLOCK) : 0};
        if (!known || place.x != last.x || place.y != last.y || place.z != last.z)
        {
            const int block = frz_iso_cells_find(cells, place);
            known = block >= 0;
            last = place;
            if (known)
                around = frz_iso_cells_around(cells, block);
        }
        mean m = {.weight = 0.0};
        const frz_v4 point = frz_v4_set((frz_real)(x.x - ISO_BLOCK * place.x), (frz_real)(x.y - ISO_BLOCK * place.y),
                                        deep ? (frz_real)(x.z - ISO_BLOCK * place.z) : 0, 0);
        const int at[3] = {(int)point[0] / ISO_BRICK, (int)point[1] / ISO_BRICK, (int)point[2] / ISO_BRICK};
        for (int wide = 1; wide <= 2 && known && m.near == 0; ++wide) // farther only if there is nothing near
        {
            m = (mean){.weight = 0.0};
            for (int dz = -wide * deep; dz <= wide * deep; ++dz)
                for (int dy = -wide; dy <= wide; ++dy)
                    for (int dx = -wide; dx <= wide; ++dx)
                        add_brick(c, &around, (const int[3]){at[0] + dx, at[1] + dy, at[2] + dz}, point, &m);
        }
        finish_vertex(c, v, &m);
    }
}

frz_status frz_iso_carry(const frz_iso_def *def, const frz_iso_cells *cells, frz_surface_mesh *mesh, float *neighbors,
                         frz_diag *diag)
{
    enum
    {
        chunk = 256 // vertices
    };
    carrying c = {.def = def, .cells = cells, .mesh = mesh, .neighbors = neighbors};
    for (int f = 0; f < def->field_count; ++f)
        c.components += def->fields[f]->components;
    if (c.components > values_most - 3)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "vertices cannot carry %d numbers each", c.components);
    const int count = mesh->mesh->vertex_count;
    mesh->value_count = c.components;
    mesh->values = FRZ_ALLOC("surface fields", (int64_t)count * c.components + 1, float);
    mesh->velocities = def->velocity != NULL ? FRZ_ALLOC("surface fields", count + 1, frz_vec3) : NULL;
    if (mesh->values == NULL || (mesh->velocities == NULL && def->velocity != NULL))
        return frz_fail_memory(diag, "the fields of a surface");
#pragma omp parallel for schedule(dynamic, 4)
    for (int from = 0; from < count; from += chunk)
        carry_range(&c, from, from + chunk < count ? from + chunk : count);
    return FRZ_OK;
}
