// SPDX-License-Identifier: MIT
#include "physics/tension/tension_field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    smoothing = 4,    // passes of [1 2 1] / 4; with 2 a swinging drop in the plane loses four times as much
    differences = 3,  // nodes that a difference reaches to each side
    spline_reach = 2, // nodes that a B-spline reaches to each side
    slab_count = 16,  // of nodes; each sums up by itself, in the order of the particles
    tile = 8,         // nodes of a row that are there or not together
    word = 64         // tiles in a word of the mask
};

// all passes of S along an axis at once, by the distance
static const double binomial[smoothing + 1] = {70.0 / 256.0, 56.0 / 256.0, 28.0 / 256.0, 8.0 / 256.0, 1.0 / 256.0};
// of the difference, by the distance
static const double difference[differences + 1] = {0.0, 45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
// of a B-spline and of the passes, in steps: variances add up
const double frz_tension_field_width = 1.527525231651947; // sqrt(1 / 3 + smoothing / 2)
// nodes for each particle, and altogether, above which they are laid further apart; the same for tiles of their box
static const double most_nodes = 512.0, least_nodes = 1e6, least_tiles = 4e6, most_tiles = 1e9;
static const double coarser = 1.25; // how much further

// Nodes that a particle needs to each side. Its c is felt as far as spline and smoothing reach, and the slope of c by
// the differences further. Walls have to be right that far, and so smoothed from nodes that are further out still.
static int margin_of(bool walls)
{
    const int own = spline_reach + smoothing + differences;
    return walls ? own + differences + smoothing : own;
}

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

// Node k along an axis; around the period, -1 beyond the box.
static inline int wrap(const frz_tension_field *f, int axis, int k)
{
    const int nodes = f->nodes[axis];
    if (k >= 0 && k < nodes)
        return k;
    if (!f->periodic[axis])
        return -1;
    const int left = k % nodes;
    return left < 0 ? left + nodes : left;
}

// The row k rows further along y or z; -1: none.
static inline int row_beside(const frz_tension_field *f, int row, int axis, int k)
{
    const int y = row % f->nodes[1], z = row / f->nodes[1];
    const int to = wrap(f, axis, (axis == 1 ? y : z) + k);
    return to < 0 ? -1 : axis == 1 ? to + f->nodes[1] * z : y + f->nodes[1] * to;
}

// Where the node is in arrays; -1: it is not there.
static inline ptrdiff_t node_at(const frz_tension_field *f, int row, int x)
{
    for (int s = f->row_begin[row]; s < f->row_begin[row + 1]; ++s)
        if (x < f->stretch[s].end)
            return x >= f->stretch[s].begin ? f->stretch[s].at + (x - f->stretch[s].begin) : -1;
    return -1;
}

// The four nodes along each axis around a point.
typedef struct stencil
{
    int node[3][4]; // -1: beyond the box
    double weight[3][4], slope[3][4];
    int count[3]; // 1 along z in the plane
} stencil;

static void stencil_at(const frz_tension_field *f, frz_v4 at, stencil *s)
{
    for (int a = 0; a < 3; ++a)
    {
        s->count[a] = a < f->dimension ? 4 : 1;
        s->node[a][0] = 0;
        s->weight[a][0] = 1.0;
        s->slope[a][0] = 0.0;
        if (a >= f->dimension)
            continue;
        const double u = (double)at[a] / f->step[a], lower = floor(u);
        spline(u - lower, s->weight[a], s->slope[a]);
        for (int k = 0; k < 4; ++k)
            s->node[a][k] = wrap(f, a, (int)lower - f->first[a] + k - 1);
    }
}

// Where the four nodes of a row are.
static void find_nodes(const frz_tension_field *f, const stencil *s, int row, ptrdiff_t at[4])
{
    const ptrdiff_t begin = s->node[0][0] >= 0 ? node_at(f, row, s->node[0][0]) : -1;
    const ptrdiff_t end = s->node[0][3] >= 0 ? node_at(f, row, s->node[0][3]) : -1;
    const bool together = begin >= 0 && end == begin + 3;
    for (int k = 0; k < 4; ++k)
        at[k] = together ? begin + k : s->node[0][k] >= 0 ? node_at(f, row, s->node[0][k]) : -1;
}

// Add the volume of a point, in the planes [from, to) of the last axis.
static void add_point(const frz_tension_field *f, const frz_tension_point *point, int from, int to, double *c)
{
    const int last = f->dimension - 1;
    const double volume = point->volume / f->cell;
    stencil s = {0};
    stencil_at(f, point->at, &s);
    for (int z = 0; z < s.count[2]; ++z)
        for (int y = 0; y < s.count[1]; ++y)
        {
            const int plane = last == 2 ? s.node[2][z] : s.node[1][y];
            if (plane < from || plane >= to || s.node[1][y] < 0)
                continue;
            const double w = volume * s.weight[2][z] * s.weight[1][y];
            ptrdiff_t at[4];
            find_nodes(f, &s, s.node[1][y] + f->nodes[1] * s.node[2][z], at);
            for (int x = 0; x < 4; ++x)
                if (at[x] >= 0)
                    c[at[x]] += w * s.weight[0][x];
        }
}

bool frz_tension_field_covers(const frz_tension_field *f, frz_v4 at)
{
    bool inside = true; // false for NaN
    for (int a = 0; a < f->dimension; ++a)
    {
        const double u = (double)at[a] / f->step[a] - f->first[a];
        inside = inside && (f->periodic[a] ? fabs(u) < 1e9 : u >= -2.0 && u < f->nodes[a] + 1.0);
    }
    return inside;
}

void frz_tension_field_add(const frz_tension_field *f, const frz_tension_point *points, int count, double *c)
{
    const int last = f->dimension - 1, planes = f->nodes[last];
#pragma omp parallel for schedule(dynamic, 1)
    for (int b = 0; b < slab_count; ++b)
    {
        const int from = (int)((int64_t)planes * b / slab_count), to = (int)((int64_t)planes * (b + 1) / slab_count);
        const double low = (f->first[last] + from - 3) * f->step[last],
                     high = (f->first[last] + to + 2) * f->step[last];
        for (int i = 0; i < count && from < to; ++i)
        {
            const double place = (double)points[i].at[last];
            if ((f->periodic[last] || (place > low && place < high)) && frz_tension_field_covers(f, points[i].at))
                add_point(f, &points[i], from, to, c);
        }
    }
}

// sum += weight times the values of nodes [x, x + count) of a row.
static void add_row(const frz_tension_field *f, const double *c, int row, int x, int count, double weight, double *sum)
{
    for (int s = row >= 0 ? f->row_begin[row] : 0; row >= 0 && s < f->row_begin[row + 1]; ++s)
    {
        const frz_tension_stretch *other = &f->stretch[s];
        const int from = other->begin > x ? other->begin : x, to = other->end < x + count ? other->end : x + count;
        const double *value = c + other->at - other->begin;
        for (int k = from; k < to; ++k)
            sum[k - x] += weight * value[k];
    }
}

// Values of a chunk and of side nodes before and behind it.
static void load(const frz_tension_field *f, const double *c, const frz_tension_stretch *s, int x, int count, int side,
                 double *line)
{
    memcpy(line + side, c + s->at + (x - s->begin), (size_t)count * sizeof *line);
    for (int k = 0; k < side; ++k)
    {
        const int before = x - side + k, behind = x + count + k;
        const int left = wrap(f, 0, before), right = wrap(f, 0, behind);
        const ptrdiff_t l = before >= s->begin ? s->at + (before - s->begin)
                            : left >= 0        ? node_at(f, s->row, left)
                                               : -1;
        const ptrdiff_t r = behind < s->end ? s->at + (behind - s->begin) : right >= 0 ? node_at(f, s->row, right) : -1;
        line[k] = l >= 0 ? c[l] : 0.0;
        line[side + count + k] = r >= 0 ? c[r] : 0.0;
    }
}

static void smooth_chunk(const frz_tension_field *f, const double *from, const frz_tension_stretch *s, int x, int axis,
                         double *to)
{
    const int count = frz_tension_chunk(s, x);
    double line[FRZ_TENSION_CHUNK + 2 * smoothing];
    double *out = to + s->at + (x - s->begin);
    load(f, from, s, x, count, smoothing, line);
    const double *middle = line + smoothing;
    for (int k = 0; k < count; ++k)
        out[k] = binomial[0] * middle[k];
    for (int m = 1; m <= smoothing && axis == 0; ++m)
        for (int k = 0; k < count; ++k)
            out[k] += binomial[m] * (middle[k - m] + middle[k + m]);
    for (int m = 1; m <= smoothing && axis > 0; ++m)
        for (int side = -1; side <= 1; side += 2)
            add_row(f, from, row_beside(f, s->row, axis, side * m), x, count, binomial[m], out);
}

void frz_tension_field_smooth(const frz_tension_field *f, double *c, double *spare)
{
    double *from = c, *to = spare;
    for (int axis = 0; axis < f->dimension; ++axis)
    {
#pragma omp parallel for schedule(static)
        for (int s = 0; s < f->stretch_count; ++s)
            for (int x = f->stretch[s].begin; x < f->stretch[s].end; x += FRZ_TENSION_CHUNK)
                smooth_chunk(f, from, &f->stretch[s], x, axis, to);
        double *const swap = from;
        from = to;
        to = swap;
    }
    if (from != c)
        memcpy(c, from, (size_t)f->total * sizeof *c);
}

void frz_tension_field_slope(const frz_tension_field *f, const double *c, const frz_tension_stretch *s, int x,
                             int count, int axis, double *slope)
{
    const double scale = 1.0 / f->step[axis];
    if (axis > 0)
    {
        for (int m = 1; m <= differences; ++m)
            for (int side = -1; side <= 1; side += 2)
                add_row(f, c, row_beside(f, s->row, axis, side * m), x, count, side * difference[m] * scale, slope);
        return;
    }
    double line[FRZ_TENSION_CHUNK + 2 * differences];
    load(f, c, s, x, count, differences, line);
    const double *middle = line + differences;
    for (int m = 1; m <= differences; ++m)
        for (int k = 0; k < count; ++k)
            slope[k] += difference[m] * scale * (middle[k + m] - middle[k - m]);
}

void frz_tension_field_subtract_divergence(const frz_tension_field *f, double *const flux[3], double *to)
{
#pragma omp parallel for schedule(static)
    for (int n = 0; n < f->stretch_count; ++n)
    {
        const frz_tension_stretch *at = &f->stretch[n];
        for (int x = at->begin; x < at->end; x += FRZ_TENSION_CHUNK)
        {
            const int count = frz_tension_chunk(at, x);
            double sum[FRZ_TENSION_CHUNK] = {0.0}, *out = to + at->at + (x - at->begin);
            for (int a = 0; a < f->dimension; ++a)
                frz_tension_field_slope(f, flux[a], at, x, count, a, sum);
            for (int k = 0; k < count; ++k)
                out[k] -= sum[k];
        }
    }
}

void frz_tension_field_gradient(const frz_tension_field *f, const double *q, frz_v4 at, double gradient[3])
{
    stencil s = {0};
    gradient[0] = gradient[1] = gradient[2] = 0.0;
    if (!frz_tension_field_covers(f, at))
        return;
    stencil_at(f, at, &s);
    for (int z = 0; z < s.count[2]; ++z)
        for (int y = 0; y < s.count[1]; ++y)
        {
            if (s.node[1][y] < 0 || s.node[2][z] < 0)
                continue;
            double value = 0.0, slope = 0.0;
            ptrdiff_t node[4];
            find_nodes(f, &s, s.node[1][y] + f->nodes[1] * s.node[2][z], node);
            for (int x = 0; x < 4; ++x)
            {
                const double here = node[x] >= 0 ? q[node[x]] : 0.0;
                value += here * s.weight[0][x];
                slope += here * s.slope[0][x];
            }
            gradient[0] += slope * s.weight[1][y] * s.weight[2][z];
            gradient[1] += value * s.slope[1][y] * s.weight[2][z];
            gradient[2] += value * s.weight[1][y] * s.slope[2][z];
        }
    for (int a = 0; a < f->dimension; ++a)
        gradient[a] /= f->step[a];
}

// ---- sets of nodes

int frz_tension_field_margin(bool walls)
{
    return margin_of(walls);
}

void frz_tension_field_mark(const frz_tension_field *f, frz_v4 at, uint8_t *set)
{
    if (!frz_tension_field_covers(f, at))
        return;
    stencil s = {0};
    stencil_at(f, at, &s);
    for (int z = 0; z < (f->dimension == 3 ? 2 : 1); ++z)
        for (int y = 0; y < 2; ++y)
            for (int x = 0; x < 2; ++x)
            {
                const int to[3] = {s.node[0][x + 1], s.node[1][y + 1], f->dimension == 3 ? s.node[2][z + 1] : 0};
                const ptrdiff_t n =
                    to[0] >= 0 && to[1] >= 0 && to[2] >= 0 ? node_at(f, to[1] + f->nodes[1] * to[2], to[0]) : -1;
                if (n >= 0)
                    set[n] = 1;
            }
}

static void dilate_stretch(const frz_tension_field *f, const frz_tension_stretch *s, int axis, const uint8_t *from,
                           uint8_t *to)
{
    const int count = s->end - s->begin;
    uint8_t *out = to + s->at;
    const uint8_t *in = from + s->at;
    memcpy(out, in, (size_t)count);
    if (axis == 0)
    {
        for (int k = 1; k < count; ++k)
            out[k] |= in[k - 1];
        for (int k = 0; k + 1 < count; ++k)
            out[k] |= in[k + 1];
        const int ends[2][2] = {{wrap(f, 0, s->begin - 1), 0}, {wrap(f, 0, s->end), count - 1}};
        for (int e = 0; e < 2; ++e)
        {
            const ptrdiff_t n = ends[e][0] >= 0 ? node_at(f, s->row, ends[e][0]) : -1;
            out[ends[e][1]] |= n >= 0 ? from[n] : 0;
        }
        return;
    }
    for (int side = -1; side <= 1; side += 2)
    {
        const int row = row_beside(f, s->row, axis, side);
        for (int o = row >= 0 ? f->row_begin[row] : 0; row >= 0 && o < f->row_begin[row + 1]; ++o)
        {
            const frz_tension_stretch *other = &f->stretch[o];
            const int begin = other->begin > s->begin ? other->begin : s->begin;
            const int end = other->end < s->end ? other->end : s->end;
            const uint8_t *value = from + other->at - other->begin;
            for (int k = begin; k < end; ++k)
                out[k - s->begin] |= value[k];
        }
    }
}

void frz_tension_field_dilate(const frz_tension_field *f, const uint8_t *within, uint8_t *set, uint8_t *spare)
{
    uint8_t *from = set, *to = spare;
    for (int axis = 0; axis < f->dimension; ++axis)
    {
#pragma omp parallel for schedule(static)
        for (int n = 0; n < f->stretch_count; ++n)
        {
            const frz_tension_stretch *s = &f->stretch[n];
            dilate_stretch(f, s, axis, from, to);
            for (ptrdiff_t k = s->at; k < s->at + (s->end - s->begin) && within != NULL; ++k)
                to[k] &= within[k];
        }
        uint8_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != set)
        memcpy(set, from, (size_t)f->total);
}

// ---- laying the nodes

// Bounds of the members, and their number.
typedef struct extent
{
    double min[3], max[3], members;
} extent;

static extent extent_of(const frz_model *model, const frz_state *state, const uint8_t *member)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const double far = 1e8 * model->spacing; // beyond that numbers of nodes end
    extent e = {{far, far, far}, {-far, -far, -far}, 0.0};
    for (int i = 0; i < state->neighbors.pairs.count; ++i)
    {
        e.members += member[i];
        for (int a = 0; a < 3 && member[i] != 0; ++a)
        {
            e.min[a] = fmin(e.min[a], fmax((double)position[i][a], -far));
            e.max[a] = fmax(e.max[a], fmin((double)position[i][a], far));
        }
    }
    return e;
}

// The box of the nodes for a distance between them; returns how many tiles it has.
static double lay_box(const frz_model *model, const frz_state *state, const extent *e, double step, int margin,
                      frz_tension_field *f)
{
    double tiles = 1.0;
    f->cell = 1.0;
    for (int a = 0; a < 3; ++a)
    {
        const double period = state->neighbors.grid.period[a];
        double nodes = 1.0;
        f->first[a] = 0;
        f->step[a] = step;
        f->periodic[a] = a < model->dimension && state->neighbors.grid.periodic[a];
        if (f->periodic[a])
        {
            nodes = fmax(round(period / step), 1.0);
            f->step[a] = period / nodes;
        }
        else if (a < model->dimension)
        {
            f->first[a] = (int)floor(e->min[a] / step) - margin;
            nodes = floor(e->max[a] / step) + margin + 1 - f->first[a];
        }
        f->nodes[a] = (int)fmin(nodes, 1e9);
        f->cell *= a < model->dimension ? f->step[a] : 1.0;
        tiles *= a == 0 ? ceil(nodes / tile) : nodes;
    }
    return tiles;
}

// Mark the tiles of the nodes that a point needs along x, in its own row.
static void mark_place(const frz_tension_field *f, frz_v4 at, int margin, int words, uint64_t *mask)
{
    int lower[3] = {0, 0, 0};
    if (!frz_tension_field_covers(f, at))
        return;
    for (int a = 0; a < f->dimension; ++a)
        lower[a] = (int)floor((double)at[a] / f->step[a]) - f->first[a];
    const int y = wrap(f, 1, lower[1]), z = wrap(f, 2, lower[2]);
    if (y < 0 || z < 0)
        return;
    uint64_t *row = mask + (ptrdiff_t)(y + f->nodes[1] * z) * words;
    for (int k = 1 - margin; k <= margin; ++k)
    {
        const int x = wrap(f, 0, lower[0] + k);
        if (x >= 0)
            row[x / tile / word] |= (uint64_t)1 << (x / tile % word);
    }
}

// A row has nodes where a row near it along an axis has points that need them.
static void widen(const frz_tension_field *f, const uint64_t *from, int axis, int margin, int words, uint64_t *to)
{
    const int rows = f->nodes[1] * f->nodes[2];
#pragma omp parallel for schedule(static)
    for (int r = 0; r < rows; ++r)
    {
        uint64_t *out = to + (ptrdiff_t)r * words;
        memset(out, 0, (size_t)words * sizeof *out);
        for (int k = -margin; k < margin; ++k)
        {
            const int other = row_beside(f, r, axis, k);
            for (int w = 0; other >= 0 && w < words; ++w)
                out[w] |= from[(ptrdiff_t)other * words + w];
        }
    }
}

// The stretches of all rows from the mask; without an array for them (null) only their number and that of the nodes.
static void find_stretches(const uint64_t *mask, int words, frz_tension_field *f)
{
    const int tiles = (f->nodes[0] + tile - 1) / tile;
    f->stretch_count = 0;
    f->total = 0;
    for (int r = 0; r < f->nodes[1] * f->nodes[2]; ++r)
    {
        const uint64_t *row = mask + (ptrdiff_t)r * words;
        if (f->row_begin != NULL)
            f->row_begin[r] = f->stretch_count;
        for (int t = 0; t < tiles;)
        {
            const int begin = t;
            while (t < tiles && (row[t / word] >> (t % word) & 1) != 0)
                ++t;
            const int end = t * tile < f->nodes[0] ? t * tile : f->nodes[0], first = begin * tile;
            if (t == begin)
                t += row[t / word] == 0 ? word - t % word : 1;
            else
            {
                if (f->stretch != NULL)
                    f->stretch[f->stretch_count] = (frz_tension_stretch){r, first, end, f->total};
                f->stretch_count += 1;
                f->total += end - first;
            }
        }
    }
    if (f->row_begin != NULL)
        f->row_begin[f->nodes[1] * f->nodes[2]] = f->stretch_count;
}

// Find out which nodes of the box are needed.
static frz_status lay_nodes(frz_state *state, const uint8_t *member, int margin, frz_tension_field *f, frz_diag *diag)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const int words = f->nodes[0] / (tile * word) + 1, rows = f->nodes[1] * f->nodes[2];
    uint64_t *mask = FRZ_SCRATCH(&state->scratch, (ptrdiff_t)rows * words, uint64_t);
    uint64_t *spare = FRZ_SCRATCH(&state->scratch, (ptrdiff_t)rows * words, uint64_t);
    if (mask == NULL || spare == NULL)
        return frz_fail_memory(diag, "the surface tension");
    memset(mask, 0, (size_t)rows * (size_t)words * sizeof *mask);
    for (int i = 0; i < state->neighbors.pairs.count; ++i)
        if (member[i] != 0)
            mark_place(f, position[i], margin, words, mask);
    widen(f, mask, 1, margin, words, spare);
    if (f->dimension == 3)
    {
        widen(f, spare, 2, margin, words, mask);
        spare = mask;
    }
    find_stretches(spare, words, f);
    f->stretch = FRZ_SCRATCH(&state->scratch, f->stretch_count + 1, frz_tension_stretch);
    f->row_begin = FRZ_SCRATCH(&state->scratch, rows + 1, int32_t);
    if (f->stretch == NULL || f->row_begin == NULL)
        return frz_fail_memory(diag, "the surface tension");
    find_stretches(spare, words, f);
    return FRZ_OK;
}

// Say so if nodes are further apart than particles, and each time that they are further apart than ever.
static void tell(const frz_model *model, frz_state *state, double step)
{
    if (!(step > fmax(1.001 * model->spacing, 1.001 * state->coarsest_tension)))
        return;
    state->coarsest_tension = step;
    snprintf(
        state->changes.warning, sizeof state->changes.warning,
        "the surface tension 'area' resolves %.3g m only from t = %.6g s on, not the spacing of %.3g m: the liquid is "
        "spread so widely that finer nodes would be too many; let a domain remove what flies away",
        step, state->time, model->spacing);
}

frz_status frz_tension_field_make(const frz_model *model, frz_state *state, const uint8_t *member, bool walls,
                                  frz_tension_field *field, frz_diag *diag)
{
    const extent e = extent_of(model, state, member);
    const double share = most_nodes * e.members;
    const int margin = margin_of(walls);
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    *field = (frz_tension_field){.dimension = model->dimension};
    if (!(e.members > 0.0))
        return FRZ_OK;
    for (int tries = 0;; ++tries)
    {
        const double step = model->spacing * pow(coarser, tries);
        frz_arena_release(&state->scratch, mark);
        *field = (frz_tension_field){.dimension = model->dimension};
        if (lay_box(model, state, &e, step, margin, field) > fmin(fmax(share, least_tiles), most_tiles))
            continue;
        FRZ_TRY(lay_nodes(state, member, margin, field, diag));
        if ((double)field->total <= fmax(share, least_nodes))
        {
            tell(model, state, step);
            return FRZ_OK;
        }
    }
}
