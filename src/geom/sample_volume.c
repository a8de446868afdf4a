// SPDX-License-Identifier: MIT
// Filling a shape with a lattice of particles.
//
// Rows of the lattice are scanned in parallel. Because a distance is never larger than the true one, a scan can jump
// over all cells that a single value decides, so the cost grows with the surface and not with the volume.
//
// Shapes with plane walls along the lattice keep it, except for points too close to a wall. In shapes with curved or
// slanting surfaces as many cells are filled as belong to the volume, the deepest ones, and then relaxed
// (sample_relax.c).
#include "geom/sample_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const double fill_depth = 0.25; ///< cells whose centre lies deeper are filled, in spacings
static const double fit_depth = 0.5;   ///< distance of the outermost particles from the surface, in spacings
static const double least_gap = 0.8;   ///< a push must not bring particles closer than this, in spacings
static const double slack = 1.0e-6;    ///< rounding in lengths that are meant to be multiples, in spacings
static const double surely_in = 1.0;   ///< cells deeper than this are never left out, in spacings
static const double surely_out = 0.5;  ///< cells further outside than this are never taken, in spacings
static const double count_error =
    2.5e-3; ///< fraction of particles that may be missing or in excess to keep the symmetry
static const double volume_error = 5.0e-3; ///< the same of a lattice, beyond which it is rejected

typedef struct lattice
{
    frz_vec3 origin; ///< position of cell (0, 0, 0)
    frz_vec3 axis[3];
    int64_t count[3];
    double step[3]; ///< along the axes: the spacing, but for lattices stretched to fit a length
    double spacing;
    int dimension;
    double depth; ///< cells whose centre lies deeper are filled, in spacings
    bool box;     ///< lattice of a box along its axes, of any thickness
} lattice;

/// The filled cells of a row, in order: columns, and distances of their centres in spacings (at least of the right side
/// of -fit_depth and -surely_in).
typedef struct cell
{
    int column;
    float distance;
} cell;

/// The filled cells, row by row: row r = j + count[1] k holds starts[r + 1] - starts[r] of them.
typedef struct filling
{
    int64_t row_count;
    int64_t *starts;
    cell **rows;
} filling;

static frz_vec3 lattice_position(const lattice *l, int64_t i, int64_t j, int64_t k)
{
    frz_vec3 p = frz_v3_mad(l->origin, l->step[0] * (double)i, l->axis[0]);
    p = frz_v3_mad(p, l->step[1] * (double)j, l->axis[1]);
    p = frz_v3_mad(p, l->step[2] * (double)k, l->axis[2]);
    if (l->dimension == 2)
        p.z = 0.0;
    return p;
}

static bool in_band(const cell *c)
{
    return (double)c->distance > -fit_depth + slack;
}

/// The shape behind a chain of transforms, and its pose.
static const frz_shape *behind_transforms(const frz_shape *shape, int dimension, frz_shape_transform_data *place)
{
    const frz_shape_transform_data identity = {1.0, frz_quat_identity(), {0.0, 0.0, 0.0}};
    const frz_shape *node = shape;
    *place = identity;
    while (node->kind == FRZ_SHAPE_TRANSFORM)
    {
        const frz_shape_transform_data *t = &node->u.transform;
        if (dimension == 2 && !frz_shape_transform_is_planar(t))
            break;
        place->translation = frz_shape_transform_apply(place, t->translation);
        place->rotation = frz_quat_normalize(frz_quat_mul(place->rotation, t->rotation));
        place->scale *= t->scale;
        node = node->children[0];
    }
    return node;
}

/// The box to which the lattice is fitted, in its own axes: a box behind any chain of transforms, or the bounds.
static frz_bounds fitted_box(const frz_shape *shape, int dimension, frz_shape_transform_data *place)
{
    const frz_shape_transform_data identity = {1.0, frz_quat_identity(), {0.0, 0.0, 0.0}};
    const frz_shape *node = behind_transforms(shape, dimension, place);
    if (node->kind == FRZ_SHAPE_BOX)
        return node->bounds;
    *place = identity;
    return shape->bounds;
}

static frz_status fit_lattice(const frz_shape *shape, double spacing, int dimension, lattice *l, frz_diag *diag)
{
    frz_shape_transform_data place;
    frz_bounds box = fitted_box(shape, dimension, &place);
    l->spacing = spacing;
    l->dimension = dimension;
    l->depth = fill_depth;
    frz_vec3 first = {0.0, 0.0, 0.0};
    for (int axis = 0; axis < 3; ++axis)
    {
        const frz_vec3 unit = {axis == 0, axis == 1, axis == 2};
        l->axis[axis] = frz_quat_rotate(place.rotation, unit);
        l->count[axis] = 1;
        l->step[axis] = spacing;
        if (axis >= dimension)
            continue;
        const double low = frz_v3_get(box.min, axis);
        const double length = place.scale * (frz_v3_get(box.max, axis) - low);
        const double count = fmax(1.0, floor(length / spacing + slack));
        if (count > (double)INT_MAX)
            return frz_fail(diag, FRZ_ERR_SCENE,
                            "the shape is %.3g particles long at spacing %g, more than the limit of %d; use a larger "
                            "spacing",
                            count, spacing, INT_MAX);
        l->count[axis] = (int64_t)count;
        frz_v3_set(&first, axis, low + 0.5 * (length - (count - 1.0) * spacing) / place.scale);
    }
    l->origin = frz_shape_transform_apply(&place, first);
    return FRZ_OK;
}

/// Whether a direction is one of the lattice's.
static bool is_along(const lattice *l, frz_vec3 direction)
{
    const double straight = 1.0 - 1.0e-9; // cosine
    for (int axis = 0; axis < l->dimension; ++axis)
        if (fabs(frz_v3_dot(l->axis[axis], direction)) > straight)
            return true;
    return false;
}

/// Whether a shape, turned, has surfaces that the lattice cannot follow: curved ones, and plane ones across it. Cells
/// that such a wall cuts are stairs, which bear nothing; with as many cells as the volume has, relaxed, the error is of
/// second order.
static bool is_across(const frz_shape *shape, frz_quat turn, const lattice *l)
{
    static const frz_vec3 unit[2] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    if (shape->kind == FRZ_SHAPE_BOX)
        return !is_along(l, frz_quat_rotate(turn, unit[0])) || !is_along(l, frz_quat_rotate(turn, unit[1]));
    if (shape->kind == FRZ_SHAPE_HALF_SPACE)
        return !is_along(l, frz_quat_rotate(turn, shape->u.round.axis));
    if (shape->kind == FRZ_SHAPE_TRANSFORM)
        turn = frz_quat_normalize(frz_quat_mul(turn, shape->u.transform.rotation));
    bool across = shape->child_count == 0;
    for (int i = 0; i < shape->child_count; ++i)
        across = across || is_across(shape->children[i], turn, l);
    return across;
}

/// Ends of a cylinder or cone are plane and meet lattice layers if these are stretched to its length (and drawn
/// together across it, so that a cell keeps its volume).
static void stretch_lattice(const frz_shape *shape, lattice *l)
{
    frz_shape_transform_data place;
    const frz_shape *node = behind_transforms(shape, l->dimension, &place);
    if (l->dimension == 2 || (node->kind != FRZ_SHAPE_CYLINDER && node->kind != FRZ_SHAPE_CONE))
        return;
    const frz_shape_round_data *r = &node->u.round;
    const double s = l->spacing, length = place.scale * r->length;
    const double width = place.scale * 2.0 * fmax(r->radius_a, r->radius_b);
    const double layers = fmax(1.0, round(length / s));
    const frz_vec3 along = frz_quat_rotate(place.rotation, r->axis);
    const frz_vec3 other = fabs(along.x) < 0.5 ? frz_v3(1.0, 0.0, 0.0) : frz_v3(0.0, 0.0, 1.0);
    l->axis[2] = along;
    l->axis[0] = frz_v3_normalize(frz_v3_sub(other, frz_v3_scale(frz_v3_dot(other, along), along)));
    l->axis[1] = frz_v3_cross(along, l->axis[0]);
    l->step[2] = length / layers;
    l->step[0] = l->step[1] = s * sqrt(s / l->step[2]);
    l->count[2] = (int64_t)layers;
    l->count[0] = l->count[1] = (int64_t)fmax(1.0, ceil(width / l->step[0]));
    frz_vec3 p = frz_v3_mad(frz_shape_transform_apply(&place, r->a), 0.5 * l->step[2], along);
    for (int axis = 0; axis < 2; ++axis)
        p = frz_v3_mad(p, -0.5 * (double)(l->count[axis] - 1) * l->step[axis], l->axis[axis]);
    l->origin = p;
}

/// Candidates for a curved shape: one more cell on every side, and cells whose centre lies outside.
static void widen_lattice(lattice *l)
{
    for (int axis = 0; axis < l->dimension; ++axis)
    {
        l->count[axis] += 2;
        l->origin = frz_v3_mad(l->origin, -l->step[axis], l->axis[axis]);
    }
    l->depth = -surely_out;
}

/// Fill cells with the filled cells of a row; returns their number.
static int64_t scan_row(const frz_shape *shape, const lattice *l, int64_t row, cell *cells)
{
    const double s = l->spacing, shrink = s / l->step[0];
    const double certain = l->depth > 0.0 ? fit_depth : surely_in; // deeper cells need no test
    const int64_t j = row % l->count[1];
    const int64_t k = row / l->count[1];
    int64_t found = 0;
    for (int64_t i = 0; i < l->count[0];)
    {
        const double distance = frz_shape_distance(shape, lattice_position(l, i, j, k)) / s;
        if (distance > -l->depth + slack) // no cell before this one can be deep enough
        {
            i += (int64_t)fmin(fmax(1.0, ceil((distance + l->depth - 2.0 * slack) * shrink)), (double)INT_MAX);
            continue;
        }
        int64_t run = 1; // how many cells from here on are certainly as deep
        if (distance <= -fit_depth + slack)
            run += (int64_t)fmin(fmax(0.0, floor((-certain - distance) * shrink)), (double)(l->count[0] - i - 1));
        for (int64_t c = i; c < i + run; ++c, ++found)
        {
            cells[found].column = (int)c;
            cells[found].distance = (float)(run > 1 ? -certain : distance);
        }
        i += run;
    }
    return found;
}

/// Scan a row into memory of its own; false when that is short.
static bool keep_row(const frz_shape *shape, const lattice *l, int64_t row, cell *scratch, filling *f)
{
    const int64_t count = scan_row(shape, l, row, scratch);
    f->starts[row + 1] = count;
    if (count == 0)
        return true;
    f->rows[row] = FRZ_ALLOC("lattice row", count, cell);
    if (f->rows[row] != NULL)
        memcpy(f->rows[row], scratch, (size_t)count * sizeof *scratch);
    return f->rows[row] != NULL;
}

/// Whether threads are worth waking, which takes a millisecond on a busy machine: scenes may have thousands of bodies.
static bool is_large(const lattice *l)
{
    return l->count[0] * l->count[1] * l->count[2] > 1000;
}

static frz_status scan(const frz_shape *shape, const lattice *l, filling *f, frz_diag *diag)
{
    f->row_count = l->count[1] * l->count[2];
    f->starts = FRZ_ALLOC("lattice rows", f->row_count + 1, int64_t);
    f->rows = FRZ_ALLOC("lattice rows", f->row_count, cell *);
    if (f->starts == NULL || f->rows == NULL)
        return frz_fail_memory(diag, "the rows of a particle lattice");
    int short_rows = 0; // a count of failures, which does not depend on the order
#pragma omp parallel reduction(+ : short_rows) if (is_large(l))
    {
        cell *scratch = FRZ_ALLOC("lattice row", l->count[0], cell);
#pragma omp for schedule(dynamic, 16)
        for (int64_t row = 0; row < f->row_count; ++row)
            short_rows += scratch == NULL || !keep_row(shape, l, row, scratch, f);
        frz_free(scratch);
    }
    if (short_rows > 0)
        return frz_fail_memory(diag, "a particle lattice");
    for (int64_t row = 0; row < f->row_count; ++row)
        f->starts[row + 1] += f->starts[row];
    return frz_sample_check_count((double)f->starts[f->row_count], l->spacing, diag);
}

static void destroy_filling(filling *f)
{
    for (int64_t row = 0; f->rows != NULL && row < f->row_count; ++row)
        frz_free(f->rows[row]);
    frz_free(f->rows);
    frz_free(f->starts);
    *f = (filling){0, NULL, NULL};
}

static void place_points(const lattice *l, const filling *f, frz_vec3 *points)
{
#pragma omp parallel for schedule(dynamic, 256) if (is_large(l))
    for (int64_t row = 0; row < f->row_count; ++row)
    {
        for (int64_t n = f->starts[row]; n < f->starts[row + 1]; ++n)
            points[n] =
                lattice_position(l, f->rows[row][n - f->starts[row]].column, row % l->count[1], row / l->count[1]);
    }
}

/// Number of the point of a cell, or -1 if it is not filled.
static int64_t find_cell(const lattice *l, const filling *f, int64_t i, int64_t j, int64_t k)
{
    if (j < 0 || j >= l->count[1] || k < 0 || k >= l->count[2])
        return -1;
    const int64_t row = j + l->count[1] * k;
    const int64_t count = f->starts[row + 1] - f->starts[row];
    int64_t low = 0;
    int64_t high = count;
    while (low < high)
    {
        const int64_t middle = low + (high - low) / 2;
        if (f->rows[row][middle].column < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && f->rows[row][low].column == i ? f->starts[row] + low : -1;
}

static bool has_room(const lattice *l, const filling *f, const frz_vec3 *points, int64_t row, int64_t number,
                     frz_vec3 target)
{
    const double gap2 = least_gap * least_gap * l->spacing * l->spacing;
    const int64_t i = f->rows[row][number - f->starts[row]].column;
    const int64_t j = row % l->count[1];
    const int64_t k = row / l->count[1];
    for (int n = 0; n < 27; ++n)
    {
        const int64_t other = find_cell(l, f, i + n % 3 - 1, j + n / 3 % 3 - 1, k + n / 9 - 1);
        if (other < 0 || other == number)
            continue;
        const frz_vec3 d = frz_v3_sub(points[other], target);
        if (frz_v3_dot(d, d) < gap2)
            return false;
    }
    return true;
}

/// Push the outermost particles to half a spacing below the surface, where no other particle is in the way.
static frz_status fit_surface(const frz_shape *shape, const lattice *l, const filling *f, frz_vec3 *points,
                              frz_diag *diag)
{
    frz_vec3 *targets = FRZ_ALLOC("lattice pushes", f->starts[f->row_count], frz_vec3);
    if (targets == NULL)
        return frz_fail_memory(diag, "fitting particles to a surface");
#pragma omp parallel for schedule(dynamic, 16) if (is_large(l))
    for (int64_t row = 0; row < f->row_count; ++row)
    {
        for (int64_t n = f->starts[row]; n < f->starts[row + 1]; ++n)
        {
            targets[n] = points[n];
            if (in_band(&f->rows[row][n - f->starts[row]]))
                (void)frz_sample_project(shape, -fit_depth * l->spacing, l->spacing, l->dimension, &targets[n], NULL);
        }
    }
    for (int64_t row = 0; row < f->row_count; ++row) // in order: a push depends on the pushes before it
    {
        for (int64_t n = f->starts[row]; n < f->starts[row + 1]; ++n)
        {
            if (in_band(&f->rows[row][n - f->starts[row]]) && has_room(l, f, points, row, n, targets[n]))
                points[n] = targets[n];
        }
    }
    frz_free(targets);
    return FRZ_OK;
}

/// Which of the candidate cells are taken: all below lowest, and of those up to highest (equally deep ones, as many as
/// symmetry wants) the share wanted / tied.
typedef struct choice
{
    float lowest, highest;
    int64_t tied, wanted;
} choice;

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/// The choice among distances in order, of which need are to be taken (some of all that the count allows are in
/// already).
static choice choose(const float *distance, int64_t count, int64_t need, double total)
{
    choice c = {0.0F, 0.0F, 0, 0};
    need = need < 0 ? 0 : need > count ? count : need;
    if (need == 0 || count == 0)
        return (choice){-HUGE_VALF, -HUGE_VALF, 0, 0};
    const float tie = 1.0e-5F; // rounding of equal distances, in spacings
    int64_t first = need - 1, last = first;
    while (first > 0 && distance[first - 1] > distance[need - 1] - tie)
        first -= 1;
    while (last + 1 < count && distance[last + 1] < distance[need - 1] + tie)
        last += 1;
    c.lowest = distance[first];
    c.highest = distance[last];
    c.tied = last + 1 - first;
    c.wanted = need - first;
    if ((double)(c.tied - c.wanted) <= count_error * total && c.tied - c.wanted <= c.wanted)
        c.wanted = c.tied;
    else if ((double)c.wanted <= count_error * total)
        c.wanted = 0;
    return c;
}

/// Keep as many cells as the volume has particles, the deepest ones.
static frz_status keep_deepest(filling *f, double total, frz_diag *diag)
{
    const int64_t candidates = f->starts[f->row_count];
    float *distance = FRZ_ALLOC("lattice choice", candidates + 1, float);
    if (distance == NULL)
        return frz_fail_memory(diag, "choosing lattice cells");
    int64_t count = 0;
    for (int64_t row = 0; row < f->row_count; ++row)
        for (int64_t n = 0; n < f->starts[row + 1] - f->starts[row]; ++n)
            if ((double)f->rows[row][n].distance > -surely_in)
                distance[count++] = f->rows[row][n].distance;
    qsort(distance, (size_t)count, sizeof *distance, by_value);
    const choice c = choose(distance, count, llround(total) - (candidates - count), total);
    frz_free(distance);
    int64_t kept = 0, tie = 0, before = 0;
    for (int64_t row = 0; row < f->row_count; ++row)
    {
        const int64_t length = f->starts[row + 1] - before;
        int64_t in_row = 0;
        for (int64_t n = 0; n < length; ++n)
        {
            const cell *candidate = &f->rows[row][n];
            bool taken = candidate->distance < c.lowest || (double)candidate->distance <= -surely_in;
            if (!taken && c.tied > 0 && candidate->distance <= c.highest)
            {
                taken = (tie + 1) * c.wanted / c.tied > tie * c.wanted / c.tied; // spread evenly over the tied ones
                tie += 1;
            }
            if (taken)
                f->rows[row][in_row++] = *candidate;
        }
        before = f->starts[row + 1];
        kept += in_row;
        f->starts[row + 1] = kept;
    }
    return FRZ_OK;
}

/// Whether the surface passes between the outermost particles and where they should stand.
static bool is_cut(const filling *f)
{
    for (int64_t row = 0; row < f->row_count; ++row)
        for (int64_t n = 0; n < f->starts[row + 1] - f->starts[row]; ++n)
            if (in_band(&f->rows[row][n]))
                return true;
    return false;
}

static frz_status fill(const frz_shape *shape, lattice *l, filling *f, frz_point_set *out, frz_diag *diag)
{
    const double volume = frz_sample_volume_estimate(shape, l->spacing, l->dimension);
    FRZ_TRY(scan(shape, l, f, diag));
    if (!l->box && l->depth > 0.0 && fabs((double)f->starts[f->row_count] - volume) > fmax(volume_error * volume, 0.5))
    { // whole layers have another volume
        destroy_filling(f);
        widen_lattice(l);
        FRZ_TRY(scan(shape, l, f, diag));
    }
    const bool curved = l->depth < 0.0;
    if (curved)
        FRZ_TRY(keep_deepest(f, volume, diag));
    const int64_t total = f->starts[f->row_count];
    if (total == 0)
        return FRZ_OK;
    FRZ_TRY(frz_point_set_reserve(out, out->count + total, diag));
    frz_vec3 *points = out->points + out->count;
    place_points(l, f, points);
    if (curved && is_cut(f))
        FRZ_TRY(frz_sample_relax(shape, l->spacing, l->dimension, points, total, diag));
    else if (!curved)
        FRZ_TRY(fit_surface(shape, l, f, points, diag));
    out->count += total;
    return FRZ_OK;
}

frz_status frz_sample_volume(const frz_shape *shape, double spacing, int dimension, frz_point_set *out, frz_diag *diag)
{
    FRZ_TRY(frz_sample_check(spacing, dimension, diag));
    if (frz_bounds_is_empty(shape->bounds, dimension))
        return FRZ_OK;
    FRZ_TRY(frz_sample_check_count(frz_sample_volume_estimate(shape, spacing, dimension), spacing, diag));
    frz_shape_transform_data place;
    const frz_shape *node = behind_transforms(shape, dimension, &place);
    bool filled = false;
    if (node->kind == FRZ_SHAPE_BOX)
        FRZ_TRY(frz_sample_rows(node->bounds, &place, spacing, dimension, out, &filled, diag));
    if (filled)
        return FRZ_OK;
    lattice l;
    FRZ_TRY(fit_lattice(shape, spacing, dimension, &l, diag));
    l.box = node->kind == FRZ_SHAPE_BOX;
    if (is_across(shape, frz_quat_identity(), &l))
    {
        stretch_lattice(shape, &l);
        widen_lattice(&l);
    }
    filling f = {0, NULL, NULL};
    const frz_status status = fill(shape, &l, &f, out, diag);
    destroy_filling(&f);
    return status;
}

// ---- disorder

// Uniform in -1 ... 1: one number of the sequence splitmix64 (Steele, Lea & Flood 2014), which can be had in any order.
static double draw(uint64_t seed, uint64_t index)
{
    const uint64_t golden = 0x9e3779b97f4a7c15U;
    uint64_t z = seed * 0xd1342543de82ef95U + (index + 1U) * golden; // seeds start far apart
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}

void frz_sample_disorder(frz_point_set *points, double reach, int dimension, uint64_t seed)
{
    for (int64_t k = 0; k < points->count; ++k)
        for (int axis = 0; axis < dimension; ++axis)
            frz_v3_set(&points->points[k], axis,
                       frz_v3_get(points->points[k], axis) + reach * draw(seed, 3U * (uint64_t)k + (uint64_t)axis));
}
