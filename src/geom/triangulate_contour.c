// SPDX-License-Identifier: MIT
// Iso-surface of a shape by dual contouring: one vertex per cell that the surface crosses, one quad per crossed edge.
//
// Ju, Losasso, Schaefer, Warren, Dual Contouring of Hermite Data (2002). The vertex of a cell minimizes the squared
// distances to the tangent planes where the surface crosses the cell's edges; that draws it to sharp edges and corners.
// The minimum is sought by steps towards the planes' mean, which need no matrix and cannot leave the cell.
#include "geom/shape_internal.h"

#include <limits.h>

#include "base/memory.h"

enum
{
    bisections = 12,  ///< place of a crossing on its edge, to 1/4096 of a cell
    plane_steps = 30, ///< steps of the vertex towards the planes
    cell_edges = 12,
    node_limit = 1 << 28 ///< grid nodes: 3 GB of values and vertex numbers
};

typedef struct contour
{
    const frz_shape *shape;
    frz_bounds box; ///< the shape is cut here
    frz_vec3 origin;
    double cell;
    int64_t size[3]; ///< nodes
    float *values;   ///< per node; only the sign matters
    int *vertex;     ///< per cell (numbered like its lowest node): number of its vertex, or -1
} contour;

static double cut_distance(const contour *c, frz_vec3 p)
{
    return fmax(frz_shape_distance(c->shape, p), frz_box_distance(c->box.min, c->box.max, p));
}

static frz_vec3 cut_normal(const contour *c, frz_vec3 p)
{
    const double wall = frz_box_distance(c->box.min, c->box.max, p);
    if (frz_shape_distance(c->shape, p) >= wall)
        return frz_shape_normal(c->shape, p);
    // the nearest side of the box
    frz_vec3 normal = {0.0, 0.0, 0.0};
    double best = -HUGE_VAL;
    for (int side = 0; side < 6; ++side)
    {
        const double x = frz_v3_get(p, side / 2);
        const double d = side % 2 == 0 ? frz_v3_get(c->box.min, side / 2) - x : x - frz_v3_get(c->box.max, side / 2);
        if (d <= best)
            continue;
        best = d;
        normal = frz_v3(0.0, 0.0, 0.0);
        frz_v3_set(&normal, side / 2, side % 2 == 0 ? -1.0 : 1.0);
    }
    return normal;
}

static int64_t node_index(const contour *c, int64_t i, int64_t j, int64_t k)
{
    return i + c->size[0] * (j + c->size[1] * k);
}

static frz_vec3 node_point(const contour *c, int64_t i, int64_t j, int64_t k)
{
    return frz_v3(c->origin.x + c->cell * (double)i, c->origin.y + c->cell * (double)j,
                  c->origin.z + c->cell * (double)k);
}

static frz_status set_up(contour *c, frz_diag *diag)
{
    double nodes = 1.0;
    for (int axis = 0; axis < 3; ++axis)
    {
        const double low = frz_v3_get(c->box.min, axis);
        const double length = frz_v3_get(c->box.max, axis) - low;
        const double cells = ceil(length / c->cell) + 2.0; // the outermost nodes are outside: the surface closes
        nodes *= cells + 1.0;
        if (nodes > (double)node_limit)
            return frz_fail(diag, FRZ_ERR_ARGUMENT,
                            "triangulation: cells of %g are too small for this shape; use larger ones", c->cell);
        c->size[axis] = (int64_t)cells + 1;
        frz_v3_set(&c->origin, axis, low - 0.5 * (cells * c->cell - length));
    }
    const int64_t count = c->size[0] * c->size[1] * c->size[2];
    c->values = FRZ_ALLOC("contour values", count, float);
    c->vertex = FRZ_ALLOC("contour vertices", count, int);
    if (c->values == NULL || c->vertex == NULL)
        return frz_fail_memory(diag, "a triangulation");
    const int64_t rows = c->size[1] * c->size[2];
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t row = 0; row < rows; ++row)
    {
        const int64_t j = row % c->size[1];
        const int64_t k = row / c->size[1];
        for (int64_t i = 0; i < c->size[0];)
        {
            // nodes nearer than the distance have the same sign
            const double d = cut_distance(c, node_point(c, i, j, k));
            const int64_t run = 1 + (int64_t)fmin(floor(fabs(d) / c->cell * 0.999), (double)(c->size[0] - i - 1));
            for (int64_t n = i; n < i + run; ++n)
                c->values[node_index(c, n, j, k)] = d < 0.0 ? -1.0f : 1.0f;
            i += run;
        }
    }
    return FRZ_OK;
}

/// Where the surface crosses the edge from an inner to an outer point.
static frz_vec3 crossing(const contour *c, frz_vec3 inside, frz_vec3 outside)
{
    for (int step = 0; step < bisections; ++step)
    {
        const frz_vec3 middle = frz_v3_scale(0.5, frz_v3_add(inside, outside));
        if (cut_distance(c, middle) < 0.0)
            inside = middle;
        else
            outside = middle;
    }
    return frz_v3_scale(0.5, frz_v3_add(inside, outside));
}

static double clamp(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

static frz_vec3 place_vertex(const contour *c, int64_t i, int64_t j, int64_t k)
{
    frz_vec3 points[cell_edges];
    frz_vec3 normals[cell_edges];
    int count = 0;
    for (int edge = 0; edge < cell_edges; ++edge)
    {
        const int axis = edge / 4;
        int from[3] = {0, 0, 0};
        from[(axis + 1) % 3] = edge & 1;
        from[(axis + 2) % 3] = edge >> 1 & 1;
        int to[3] = {from[0], from[1], from[2]};
        to[axis] = 1;
        const float a = c->values[node_index(c, i + from[0], j + from[1], k + from[2])];
        const float b = c->values[node_index(c, i + to[0], j + to[1], k + to[2])];
        if ((a < 0.0f) == (b < 0.0f))
            continue;
        const frz_vec3 p = node_point(c, i + from[0], j + from[1], k + from[2]);
        const frz_vec3 q = node_point(c, i + to[0], j + to[1], k + to[2]);
        points[count] = a < 0.0f ? crossing(c, p, q) : crossing(c, q, p);
        normals[count] = cut_normal(c, points[count]);
        ++count;
    }
    frz_vec3 x = {0.0, 0.0, 0.0};
    for (int n = 0; n < count; ++n)
        x = frz_v3_mad(x, 1.0 / count, points[n]);
    const frz_vec3 low = node_point(c, i, j, k);
    const frz_vec3 high = node_point(c, i + 1, j + 1, k + 1);
    for (int step = 0; step < plane_steps; ++step)
    {
        frz_vec3 move = {0.0, 0.0, 0.0};
        for (int n = 0; n < count; ++n)
            move = frz_v3_mad(move, frz_v3_dot(normals[n], frz_v3_sub(points[n], x)) / count, normals[n]);
        x = frz_v3_add(x, move);
        x = frz_v3(clamp(x.x, low.x, high.x), clamp(x.y, low.y, high.y), clamp(x.z, low.z, high.z));
    }
    return x;
}

/// Number the cells that the surface crosses; returns how many there are.
static int64_t number_cells(contour *c)
{
    int64_t count = 0;
    for (int64_t k = 0; k < c->size[2]; ++k)
    {
        for (int64_t j = 0; j < c->size[1]; ++j)
        {
            for (int64_t i = 0; i < c->size[0]; ++i)
            {
                const int64_t n = node_index(c, i, j, k);
                c->vertex[n] = -1;
                if (i + 1 >= c->size[0] || j + 1 >= c->size[1] || k + 1 >= c->size[2])
                    continue;
                int inside = 0;
                for (int corner = 0; corner < 8; ++corner)
                {
                    const int64_t m = node_index(c, i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2));
                    inside += c->values[m] < 0.0f;
                }
                if (inside > 0 && inside < 8)
                    c->vertex[n] = (int)count++;
            }
        }
    }
    return count;
}

/// The quad of the cells around a crossed edge; triangles may be null to count only.
static int64_t make_quads(const contour *c, int (*triangles)[3])
{
    int64_t count = 0;
    for (int64_t n = 0; n < c->size[0] * c->size[1] * c->size[2]; ++n)
    {
        const int64_t at[3] = {n % c->size[0], n / c->size[0] % c->size[1], n / (c->size[0] * c->size[1])};
        const int64_t strides[3] = {1, c->size[0], c->size[0] * c->size[1]};
        for (int axis = 0; axis < 3; ++axis)
        {
            // crossed edges never lie on the border of the grid, so all four cells exist
            if (at[axis] + 1 >= c->size[axis] || (c->values[n] < 0.0f) == (c->values[n + strides[axis]] < 0.0f))
                continue;
            const int64_t u = strides[(axis + 1) % 3];
            const int64_t v = strides[(axis + 2) % 3];
            const int around[4] = {c->vertex[n - u - v], c->vertex[n - v], c->vertex[n], c->vertex[n - u]};
            const bool out_along = c->values[n] < 0.0f; // the normal points along the axis
            for (int t = 0; t < 2 && triangles != NULL; ++t)
            {
                int *triangle = triangles[count + t];
                triangle[0] = around[0];
                triangle[1] = out_along ? around[1 + t] : around[2 + t];
                triangle[2] = out_along ? around[2 + t] : around[1 + t];
            }
            count += 2;
        }
    }
    return count;
}

static frz_status extract(contour *c, frz_mesh **out, frz_diag *diag)
{
    FRZ_TRY(set_up(c, diag));
    const int64_t vertices = number_cells(c);
    const int64_t triangles = make_quads(c, NULL);
    if (vertices > INT_MAX || triangles > INT_MAX)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "triangulation: cells of %g give too many triangles", c->cell);
    FRZ_TRY(frz_mesh_create((int)vertices, (int)triangles, out, diag));
    frz_vec3 *points = (*out)->vertices;
    const int64_t rows = c->size[1] * c->size[2];
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t row = 0; row < rows; ++row)
    {
        for (int64_t i = 0; i < c->size[0]; ++i)
        {
            const int vertex = c->vertex[i + c->size[0] * row];
            if (vertex >= 0)
                points[vertex] = place_vertex(c, i, row % c->size[1], row / c->size[1]);
        }
    }
    (void)make_quads(c, (*out)->triangles);
    return FRZ_OK;
}

frz_status frz_shape_contour(const frz_shape *shape, double cell, frz_bounds clip, frz_mesh **out, frz_diag *diag)
{
    contour c = {.shape = shape, .box = clip, .cell = cell};
    *out = NULL;
    const frz_status status = extract(&c, out, diag);
    frz_free(c.values);
    frz_free(c.vertex);
    return status;
}
