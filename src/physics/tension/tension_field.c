// SPDX-License-Identifier: MIT
#include "physics/tension/tension_field.h"

#include <math.h>
#include <string.h>

enum
{
    smoothing_passes = 4,                     // with 2 a swinging drop in the plane loses four times as much as with 4
    reach = 3,                                // nodes that a difference reaches
    rim = 2 * (2 + smoothing_passes + reach), // the border of the nodes, where walls end, is out of sight
    slab_count = 16                           // of nodes; each sums up by itself, in the order of the particles
};

// of a B-spline and of the passes, in steps: variances add up
const double frz_tension_field_width = 1.527525231651947; // sqrt(1 / 3 + smoothing_passes / 2)
// nodes for each particle, and altogether, above which they are laid further apart
static const double most_nodes = 512.0, least_nodes = 1e6;

// Weights of four nodes around u in [0, 1) behind the second one, and their slopes.
static void spline(double u, double w[4], double slope[4])
{
    const double v = 1.0 - u;
    w[0] = v * v * v / 6.0;
    w[1] = 2.0 / 3.0 - u * u + 0.5 * u * u * u;
    w[2] = 2.0 / 3.0 - v * v + 0.5 * v * v * v;
    w[3] = u * u * u / 6.0;
    slope[0] = -0.5 * v * v;
    slope[1] = -2.0 * u + 1.5 * u * u;
    slope[2] = 2.0 * v - 1.5 * v * v;
    slope[3] = 0.5 * u * u;
}

// The four nodes along each axis that a place belongs to.
typedef struct stencil
{
    ptrdiff_t offset[3][4]; // in the field, by axis
    int node[3][4];
    double weight[3][4], slope[3][4];
    int count[3]; // 1 along z in the plane
} stencil;

static int wrap(const frz_tension_field *f, int axis, int node)
{
    if (!f->periodic[axis])
        return node;
    const int left = node % f->nodes[axis];
    return left < 0 ? left + f->nodes[axis] : left;
}

static void stencil_at(const frz_tension_field *f, frz_v4 at, stencil *s)
{
    for (int a = 0; a < 3; ++a)
    {
        s->count[a] = a < f->dimension ? 4 : 1;
        if (a >= f->dimension)
        {
            s->offset[a][0] = s->node[a][0] = 0;
            s->weight[a][0] = 1.0;
            s->slope[a][0] = 0.0;
            continue;
        }
        const double u = (double)at[a] / f->step[a], lower = floor(u);
        spline(u - lower, s->weight[a], s->slope[a]);
        for (int k = 0; k < 4; ++k)
        {
            s->node[a][k] = wrap(f, a, (int)lower - f->first[a] + k - 1);
            s->offset[a][k] = f->stride[a] * s->node[a][k];
        }
    }
}

// Add what a point fills, in the planes [from, to) of the last axis.
static void add_point(const frz_tension_field *f, const frz_tension_point *point, int from, int to, double *c)
{
    const int last = f->dimension - 1;
    stencil s;
    stencil_at(f, point->at, &s);
    for (int n = 0; n < s.count[last]; ++n)
        if (s.node[last][n] < from || s.node[last][n] >= to)
            s.weight[last][n] = 0.0;
    const double volume = point->volume / f->cell;
    for (int z = 0; z < s.count[2]; ++z)
        for (int y = 0; y < s.count[1]; ++y)
        {
            const double w = volume * s.weight[2][z] * s.weight[1][y];
            double *row = c + s.offset[2][z] + s.offset[1][y];
            for (int x = 0; w != 0.0 && x < 4; ++x)
                row[s.offset[0][x]] += w * s.weight[0][x];
        }
}

// Whether nodes of a place can lie in planes [from, to) of the last axis.
static bool is_near(const frz_tension_field *f, frz_v4 at, int from, int to)
{
    const int last = f->dimension - 1, lower = (int)floor((double)at[last] / f->step[last]) - f->first[last];
    return f->periodic[last] || (lower + 2 >= from && lower - 1 < to);
}

// Whether all of its nodes are there; places that are not numbers, and samples far from the liquid, are not.
static bool is_inside(const frz_tension_field *f, frz_v4 at)
{
    bool inside = true;
    for (int a = 0; a < f->dimension; ++a)
    {
        const double u = (double)at[a] / f->step[a] - f->first[a];
        inside = inside && (f->periodic[a] ? fabs(u) < 1e9 : u >= 1.0 && u < f->nodes[a] - 2.0);
    }
    return inside;
}

void frz_tension_field_add(const frz_tension_field *field, const frz_tension_point *points, int count, double *c)
{
    const int last = field->nodes[field->dimension - 1];
#pragma omp parallel for schedule(dynamic, 1)
    for (int b = 0; b < slab_count; ++b)
    {
        const int from = (int)((int64_t)last * b / slab_count), to = (int)((int64_t)last * (b + 1) / slab_count);
        for (int i = 0; i < count; ++i)
            if (is_inside(field, points[i].at) && is_near(field, points[i].at, from, to))
                add_point(field, &points[i], from, to, c);
    }
}

void frz_tension_field_smooth(const frz_tension_field *field, double *c, double *spare)
{
    double *from = c, *to = spare;
    for (int pass = 0; pass < smoothing_passes * field->dimension; ++pass)
    {
        const int a = pass % field->dimension;
        const int rows = field->nodes[1] * field->nodes[2];
#pragma omp parallel for schedule(static)
        for (int r = 0; r < rows; ++r)
            for (int x = 0; x < field->nodes[0]; ++x)
            {
                const int place[3] = {x, r % field->nodes[1], r / field->nodes[1]};
                const ptrdiff_t n = x + (ptrdiff_t)r * field->nodes[0];
                const ptrdiff_t *hop = field->hop[a][place[a]];
                to[n] = 0.5 * from[n] + 0.25 * (from[n + hop[2]] + from[n + hop[4]]);
            }
        double *const swap = from;
        from = to;
        to = swap;
    }
    if (from != c)
        memcpy(c, from, (size_t)field->total * sizeof *c);
}

void frz_tension_field_gradient(const frz_tension_field *field, const double *q, frz_v4 at, double gradient[3])
{
    stencil s;
    gradient[0] = gradient[1] = gradient[2] = 0.0;
    if (!is_inside(field, at))
        return;
    stencil_at(field, at, &s);
    for (int z = 0; z < s.count[2]; ++z)
        for (int y = 0; y < s.count[1]; ++y)
        {
            const double *row = q + s.offset[2][z] + s.offset[1][y];
            double value = 0.0, slope = 0.0;
            for (int x = 0; x < 4; ++x)
            {
                // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): stencil_at sets it for every axis
                value += row[s.offset[0][x]] * s.weight[0][x];
                slope += row[s.offset[0][x]] * s.slope[0][x];
            }
            gradient[0] += slope * s.weight[1][y] * s.weight[2][z];
            gradient[1] += value * s.slope[1][y] * s.weight[2][z];
            gradient[2] += value * s.weight[1][y] * s.slope[2][z];
        }
    for (int a = 0; a < field->dimension; ++a)
        gradient[a] /= field->step[a];
}

// Nodes along the axes for a distance between them; returns their number.
static double lay(const frz_model *model, const frz_state *state, const double min[3], const double max[3], double step,
                  frz_tension_field *f)
{
    double total = 1.0;
    f->cell = 1.0;
    for (int a = 0; a < 3; ++a)
    {
        const double period = state->grid.period[a];
        f->nodes[a] = 1;
        f->first[a] = 0;
        f->step[a] = step;
        f->periodic[a] = a < model->dimension && state->grid.periodic[a];
        if (f->periodic[a])
        {
            f->nodes[a] = (int)fmax(round(period / step), 1.0);
            f->step[a] = period / f->nodes[a];
        }
        else if (a < model->dimension)
        {
            f->first[a] = (int)floor(min[a] / step) - rim;
            f->nodes[a] = (int)floor(max[a] / step) + rim + 1 - f->first[a];
        }
        f->cell *= a < model->dimension ? f->step[a] : 1.0;
        total *= f->nodes[a];
    }
    return total;
}

// The hops of a node: around the period, or to the first node, which is empty.
static void fill_hops(const frz_tension_field *f, int axis)
{
    const int nodes = f->nodes[axis];
    for (int k = 0; k < nodes; ++k)
        for (int m = -reach; m <= reach; ++m)
        {
            const int to = wrap(f, axis, k + m), there = to >= 0 && to < nodes ? to : 0;
            f->hop[axis][k][reach + m] = f->stride[axis] * (there - k);
        }
}

frz_status frz_tension_field_make(const frz_model *model, frz_state *state, const uint8_t *member,
                                  frz_tension_field *field, frz_diag *diag)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const double far = 1e8 * model->spacing; // beyond that numbers of nodes end
    double min[3] = {far, far, far}, max[3] = {-far, -far, -far}, members = 0.0, step = model->spacing;
    for (int i = 0; i < state->pairs.count; ++i)
    {
        members += member[i];
        for (int a = 0; a < 3 && member[i] != 0; ++a)
        {
            min[a] = fmin(min[a], fmax((double)position[i][a], -far));
            max[a] = fmax(max[a], fmin((double)position[i][a], far));
        }
    }
    *field = (frz_tension_field){.dimension = model->dimension};
    if (!(members > 0.0))
        return FRZ_OK;
    while (lay(model, state, min, max, step, field) > fmax(most_nodes * members, least_nodes))
        step *= 1.25;
    field->total = 1;
    for (int a = 0; a < 3; ++a)
    {
        field->stride[a] = field->total;
        field->total *= field->nodes[a];
        field->hop[a] = frz_arena_alloc(&state->scratch, (size_t)field->nodes[a], sizeof *field->hop[a]);
        if (field->hop[a] == NULL)
            return frz_fail_memory(diag, "the surface tension");
        fill_hops(field, a);
    }
    return FRZ_OK;
}
