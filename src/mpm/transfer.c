// SPDX-License-Identifier: MIT
#include "mpm/transfer.h"

#include <string.h>

enum
{
    lanes = 8,
    shift = 16 // taken up and down again so that whole parts of coordinates are positive
};

// Stencils of the eight points of a group.
typedef struct stencils
{
    frz_w8 weight[3][4];  // axis, node
    frz_w8 slope[3][4];   // their derivatives, 1/cells
    frz_w8 first[3];      // from the point to the first node of its stencil, cells
    int32_t begin[lanes]; // in the window
    bool inside;
} stencils;

// Splines and their derivatives by the place of the point.
static inline __attribute__((always_inline)) void splines(int degree, frz_w8 f, frz_w8 w[4], frz_w8 d[4])
{
    const frz_w8 one = frz_w8_splat(1);
    if (degree == 2) // f: from the first node, 0.5 .. 1.5
    {
        const frz_w8 half = frz_w8_splat((frz_real)0.5), a = frz_w8_splat((frz_real)1.5) - f, b = f - one, c = f - half;
        w[0] = half * a * a;
        w[1] = frz_w8_splat((frz_real)0.75) - b * b;
        w[2] = half * c * c;
        d[0] = -a;
        d[1] = -(b + b);
        d[2] = c;
        return;
    }
    // f: from the first node, 1 .. 2; Khadke, eqs. 20, 21
    const frz_w8 t = f - one, u = one - t, sixth = frz_w8_splat((frz_real)(1.0 / 6.0)), three = frz_w8_splat(3);
    w[0] = sixth * u * u * u;
    w[1] = sixth * ((three * t - frz_w8_splat(6)) * t * t + frz_w8_splat(4));
    w[2] = sixth * ((three * u - frz_w8_splat(6)) * u * u + frz_w8_splat(4));
    w[3] = sixth * t * t * t;
    const frz_w8 half = frz_w8_splat((frz_real)0.5), two = frz_w8_splat(2);
    d[0] = -half * u * u;
    d[1] = (frz_w8_splat((frz_real)1.5) * t - two) * t;
    d[2] = -(frz_w8_splat((frz_real)1.5) * u - two) * u;
    d[3] = half * t * t;
}

static inline __attribute__((always_inline)) void find_stencils(const frz_mpm_group *g, int degree, int dimension,
                                                                stencils *s)
{
    const int window = FRZ_MPM_MARGIN + FRZ_MPM_EDGE + degree + 1;
    const frz_real start = degree == 2 ? (frz_real)(shift - 0.5) : (frz_real)(shift - 1);
    frz_w8_mask begin = {0}, outside = {0};
    int stride = 1;
    for (int a = 0; a < dimension; ++a)
    {
        const frz_w8_mask whole = __builtin_convertvector(g->x[a] + frz_w8_splat(start), frz_w8_mask) - shift;
        const frz_w8 base = __builtin_convertvector(whole, frz_w8);
        const frz_w8_mask at = whole + FRZ_MPM_MARGIN; // the first node in the window
        outside |= (at < 0) | (at > FRZ_MPM_EDGE + 2 * FRZ_MPM_MARGIN - 1);
        begin += at * stride;
        s->first[a] = base - g->x[a];
        splines(degree, g->x[a] - base, s->weight[a], s->slope[a]);
        stride *= window;
    }
    begin &= ~outside; // what is not a number must not lead out of the window
    s->inside = true;
    for (int l = 0; l < lanes; ++l)
    {
        s->begin[l] = (int32_t)begin[l];
        s->inside = s->inside && (outside[l] == 0 || l >= g->count);
    }
}

static inline frz_real lane_of(const frz_w8 *w, int l)
{
    return ((const frz_real *)(const void *)w)[l];
}

static inline __attribute__((always_inline)) bool scatter(const frz_mpm_group *g, const frz_mpm_load *load, frz_v4 *to,
                                                          int degree, int dimension)
{
    const int window = FRZ_MPM_MARGIN + FRZ_MPM_EDGE + degree + 1, reach = degree + 1;
    stencils s;
    frz_v4 p[lanes], q[3][lanes], r[3][lanes];
    find_stencils(g, degree, dimension, &s);
    const frz_w8 zero = frz_w8_splat(0), value[4] = {load->momentum[0], load->momentum[1], load->momentum[2], g->mass};
    frz_w8_to_v4(value, p);
    for (int a = 0; a < dimension; ++a)
    {
        const frz_w8 column[4] = {load->slope.m[0][a], load->slope.m[1][a], load->slope.m[2][a], zero};
        const frz_w8 push[4] = {load->push.m[0][a], load->push.m[1][a], load->push.m[2][a], zero};
        frz_w8_to_v4(column, q[a]);
        frz_w8_to_v4(push, r[a]);
    }
    for (int l = 0; l < g->count; ++l)
    {
        frz_v4 *const base = to + s.begin[l];
        frz_v4 along[4];
        frz_v4 forced[4];
        frz_real wx[4];
        const frz_real x = lane_of(&s.first[0], l), y = lane_of(&s.first[1], l);
        for (int i = 0; i < reach; ++i)
        {
            wx[i] = lane_of(&s.weight[0][i], l);
            along[i] = p[l] + (x + (frz_real)i) * q[0][l];
            forced[i] = wx[i] * along[i] + lane_of(&s.slope[0][i], l) * r[0][l];
        }
        for (int k = 0; k < (dimension == 3 ? reach : 1); ++k)
        {
            const frz_real wz = dimension == 3 ? lane_of(&s.weight[2][k], l) : 1;
            const frz_real z = dimension == 3 ? lane_of(&s.first[2], l) + (frz_real)k : 0;
            for (int j = 0; j < reach; ++j)
            {
                const frz_real wy = lane_of(&s.weight[1][j], l), w = wz * wy;
                frz_v4 side = w * ((y + (frz_real)j) * q[1][l]) + (wz * lane_of(&s.slope[1][j], l)) * r[1][l];
                if (dimension == 3)
                    side += (w * z) * q[2][l] + (wy * lane_of(&s.slope[2][k], l)) * r[2][l];
                frz_v4 *row = base + (k * window + j) * window;
                for (int i = 0; i < reach; ++i)
                    row[i] += w * forced[i] + wx[i] * side;
            }
        }
    }
    return s.inside;
}

bool frz_mpm_scatter(const frz_mpm_grid *grid, const frz_mpm_group *group, const frz_mpm_load *load, frz_v4 *window)
{
    if (grid->space.dimension == 3)
        return grid->space.degree == 2 ? scatter(group, load, window, 2, 3) : scatter(group, load, window, 3, 3);
    return grid->space.degree == 2 ? scatter(group, load, window, 2, 2) : scatter(group, load, window, 3, 2);
}

static inline __attribute__((always_inline)) void gather(const frz_mpm_grid *grid, const frz_mpm_group *g,
                                                         const frz_v4 *from, frz_w8 v[3], frz_wide3 *affine,
                                                         frz_wide3 *gradient, int degree, int dimension)
{
    const int window = FRZ_MPM_MARGIN + FRZ_MPM_EDGE + degree + 1, reach = degree + 1;
    stencils s;
    frz_v4 mean[lanes], slope[3][lanes], steep[3][lanes];
    find_stencils(g, degree, dimension, &s);
    memset(mean, 0, sizeof mean);
    memset(slope, 0, sizeof slope);
    memset(steep, 0, sizeof steep);
    for (int l = 0; l < g->count; ++l)
    {
        const frz_v4 *const base = from + s.begin[l];
        frz_real wx[4], mx[4], dx[4];
        const frz_real x = lane_of(&s.first[0], l), y = lane_of(&s.first[1], l);
        for (int i = 0; i < reach; ++i)
        {
            wx[i] = lane_of(&s.weight[0][i], l);
            mx[i] = wx[i] * (x + (frz_real)i);
            dx[i] = lane_of(&s.slope[0][i], l);
        }
        frz_v4 sum = frz_v4_zero(), sx = sum, sy = sum, sz = sum, tx = sum, ty = sum, tz = sum;
        for (int k = 0; k < (dimension == 3 ? reach : 1); ++k)
        {
            const frz_real wz = dimension == 3 ? lane_of(&s.weight[2][k], l) : 1;
            const frz_real z = dimension == 3 ? lane_of(&s.first[2], l) + (frz_real)k : 0;
            for (int j = 0; j < reach; ++j)
            {
                const frz_v4 *row = base + (k * window + j) * window;
                frz_v4 plain = wx[0] * row[0], moment = mx[0] * row[0], steeper = dx[0] * row[0];
                for (int i = 1; i < reach; ++i)
                {
                    plain += wx[i] * row[i];
                    moment += mx[i] * row[i];
                    steeper += dx[i] * row[i];
                }
                const frz_real wy = lane_of(&s.weight[1][j], l), w = wz * wy;
                tx += w * steeper;
                ty += (wz * lane_of(&s.slope[1][j], l)) * plain;
                if (dimension == 3)
                    tz += (wy * lane_of(&s.slope[2][k], l)) * plain;
                plain *= w;
                sum += plain;
                sx += w * moment;
                sy += (y + (frz_real)j) * plain;
                if (dimension == 3)
                    sz += z * plain;
            }
        }
        mean[l] = sum;
        slope[0][l] = sx;
        slope[1][l] = sy;
        slope[2][l] = sz;
        steep[0][l] = tx;
        steep[1][l] = ty;
        steep[2][l] = tz;
    }
    frz_w8 column[4];
    frz_w8_from_v4(mean, column);
    for (int a = 0; a < 3; ++a)
        v[a] = column[a];
    for (int b = 0; b < 3 && affine != NULL; ++b)
    {
        const double scale = b < dimension ? 1.0 / grid->space.cell[b] : 0.0;
        frz_w8_from_v4(slope[b], column);
        for (int a = 0; a < 3; ++a)
            affine->m[a][b] = frz_w8_splat((frz_real)(frz_mpm_stiffness(degree) * scale)) * column[a];
        frz_w8_from_v4(steep[b], column);
        for (int a = 0; a < 3; ++a)
            gradient->m[a][b] = frz_w8_splat((frz_real)scale) * column[a];
    }
}

void frz_mpm_gather(const frz_mpm_grid *grid, const frz_mpm_group *group, const frz_v4 *window, frz_w8 v[3],
                    frz_wide3 *affine, frz_wide3 *gradient)
{
    if (grid->space.dimension == 3 && grid->space.degree == 2)
        gather(grid, group, window, v, affine, gradient, 2, 3);
    else if (grid->space.dimension == 3)
        gather(grid, group, window, v, affine, gradient, 3, 3);
    else if (grid->space.degree == 2)
        gather(grid, group, window, v, affine, gradient, 2, 2);
    else
        gather(grid, group, window, v, affine, gradient, 3, 2);
}

// Overlap of a window and the neighbour of that number.
typedef struct overlap3
{
    frz_mpm_overlap axis[3];
} overlap3;

static overlap3 overlap_of(const frz_mpm_grid *grid, int n)
{
    overlap3 o;
    o.axis[0] = frz_mpm_overlap_of(n % 3 - 1, grid->window);
    o.axis[1] = frz_mpm_overlap_of(n / 3 % 3 - 1, grid->window);
    o.axis[2] = frz_mpm_overlap_of(n / 9 - 1, grid->window);
    if (grid->space.dimension == 2)
        o.axis[2] = (frz_mpm_overlap){0, 0, 1};
    return o;
}

void frz_mpm_reduce(const frz_mpm_grid *grid, int nodes, frz_v4 *to)
{
    memset(to, 0, (size_t)grid->block_nodes * sizeof *to);
    for (int n = 0; n < FRZ_MPM_NEAR; ++n)
    {
        const int from = grid->nodes[nodes].from[n];
        if (from < 0)
            continue;
        const overlap3 o = overlap_of(grid, n);
        const frz_v4 *window = grid->spread + (size_t)from * (size_t)grid->window_nodes;
        for (int k = 0; k < o.axis[2].count; ++k)
            for (int j = 0; j < o.axis[1].count; ++j)
            {
                const int row = ((o.axis[2].window + k) * grid->window + o.axis[1].window + j) * grid->window;
                const frz_v4 *source = window + row + o.axis[0].window;
                frz_v4 *target = to + frz_mpm_node_index(o.axis[0].block, o.axis[1].block + j, o.axis[2].block + k);
                for (int i = 0; i < o.axis[0].count; ++i)
                    target[i] += source[i];
            }
    }
}

void frz_mpm_collect(const frz_mpm_grid *grid, const frz_v4 *node, int block, frz_v4 *window)
{
    for (int n = 0; n < FRZ_MPM_NEAR; ++n)
    {
        const int from = grid->block[block].near[n];
        if (from < 0)
            continue;
        const overlap3 o = overlap_of(grid, n);
        const frz_v4 *source = node + (size_t)from * (size_t)grid->block_nodes;
        for (int k = 0; k < o.axis[2].count; ++k)
            for (int j = 0; j < o.axis[1].count; ++j)
            {
                const int row = ((o.axis[2].window + k) * grid->window + o.axis[1].window + j) * grid->window;
                memcpy(window + row + o.axis[0].window,
                       source + frz_mpm_node_index(o.axis[0].block, o.axis[1].block + j, o.axis[2].block + k),
                       (size_t)o.axis[0].count * sizeof *window);
            }
    }
}
