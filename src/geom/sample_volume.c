// SPDX-License-Identifier: MIT
// Filling a shape with a lattice of particles.
//
// Rows of the lattice are scanned in parallel. Because a distance is never larger than the true one, a scan can jump
// over all cells that a single value decides, so the cost grows with the surface and not with the volume.
#include "geom/sample_internal.h"

#include <string.h>

#include "base/memory.h"

static const double fill_depth = 0.25; ///< cells whose centre lies deeper are filled, in spacings
static const double fit_depth = 0.5;   ///< distance of the outermost particles from the surface, in spacings
static const double least_gap = 0.8;   ///< a push must not bring particles closer than this, in spacings
static const double slack = 1.0e-6;    ///< rounding in lengths that are meant to be multiples, in spacings

typedef struct lattice
{
    frz_vec3 origin; ///< position of cell (0, 0, 0)
    frz_vec3 axis[3];
    int64_t count[3];
    double spacing;
    int dimension;
} lattice;

/// The filled cells of a row, in order: columns, and whether they lie between fill_depth and fit_depth.
typedef struct cell
{
    int column;
    bool in_band;
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
    frz_vec3 p = frz_v3_mad(l->origin, l->spacing * (double)i, l->axis[0]);
    p = frz_v3_mad(p, l->spacing * (double)j, l->axis[1]);
    p = frz_v3_mad(p, l->spacing * (double)k, l->axis[2]);
    if (l->dimension == 2)
        p.z = 0.0;
    return p;
}

/// The box to which the lattice is fitted, in its own axes: a box behind any chain of transforms, or the bounds.
static frz_bounds fitted_box(const frz_shape *shape, int dimension, frz_shape_transform_data *place)
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
    frz_vec3 first = {0.0, 0.0, 0.0};
    for (int axis = 0; axis < 3; ++axis)
    {
        const frz_vec3 unit = {axis == 0, axis == 1, axis == 2};
        l->axis[axis] = frz_quat_rotate(place.rotation, unit);
        l->count[axis] = 1;
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

/// Fill cells with the filled cells of a row; returns their number.
static int64_t scan_row(const frz_shape *shape, const lattice *l, int64_t row, cell *cells)
{
    const double s = l->spacing;
    const int64_t j = row % l->count[1];
    const int64_t k = row / l->count[1];
    int64_t found = 0;
    for (int64_t i = 0; i < l->count[0];)
    {
        const double distance = frz_shape_distance(shape, lattice_position(l, i, j, k)) / s;
        if (distance > -fill_depth + slack) // no cell before this one can be deep enough
        {
            i += (int64_t)fmin(fmax(1.0, ceil(distance + fill_depth - 2.0 * slack)), (double)INT_MAX);
            continue;
        }
        const bool band = distance > -fit_depth + slack;
        int64_t run = 1; // how many cells from here on are certainly as deep
        if (!band)
            run += (int64_t)fmin(fmax(0.0, floor(-fit_depth - distance)), (double)(l->count[0] - i - 1));
        for (int64_t c = i; c < i + run; ++c, ++found)
        {
            cells[found].column = (int)c;
            cells[found].in_band = band;
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

static frz_status scan(const frz_shape *shape, const lattice *l, filling *f, frz_diag *diag)
{
    f->row_count = l->count[1] * l->count[2];
    f->starts = FRZ_ALLOC("lattice rows", f->row_count + 1, int64_t);
    f->rows = FRZ_ALLOC("lattice rows", f->row_count, cell *);
    if (f->starts == NULL || f->rows == NULL)
        return frz_fail_memory(diag, "the rows of a particle lattice");
    int short_rows = 0; // a count of failures, which does not depend on the order
#pragma omp parallel reduction(+ : short_rows)
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
}

static void place_points(const lattice *l, const filling *f, frz_vec3 *points)
{
#pragma omp parallel for schedule(dynamic, 256)
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

/// Push the outermost particles to half a spacing below the surface, where there is room.
static frz_status fit_surface(const frz_shape *shape, const lattice *l, const filling *f, frz_vec3 *points,
                              frz_diag *diag)
{
    frz_vec3 *targets = FRZ_ALLOC("lattice pushes", f->starts[f->row_count], frz_vec3);
    if (targets == NULL)
        return frz_fail_memory(diag, "fitting particles to a surface");
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t row = 0; row < f->row_count; ++row)
    {
        for (int64_t n = f->starts[row]; n < f->starts[row + 1]; ++n)
        {
            targets[n] = points[n];
            if (f->rows[row][n - f->starts[row]].in_band)
                (void)frz_sample_project(shape, -fit_depth * l->spacing, l->spacing, l->dimension, &targets[n], NULL);
        }
    }
    for (int64_t row = 0; row < f->row_count; ++row) // in order: a push depends on the pushes before it
    {
        for (int64_t n = f->starts[row]; n < f->starts[row + 1]; ++n)
        {
            if (f->rows[row][n - f->starts[row]].in_band && has_room(l, f, points, row, n, targets[n]))
                points[n] = targets[n];
        }
    }
    frz_free(targets);
    return FRZ_OK;
}

static frz_status fill(const frz_shape *shape, const lattice *l, filling *f, frz_point_set *out, frz_diag *diag)
{
    FRZ_TRY(scan(shape, l, f, diag));
    const int64_t total = f->starts[f->row_count];
    if (total == 0)
        return FRZ_OK;
    FRZ_TRY(frz_point_set_reserve(out, out->count + total, diag));
    place_points(l, f, out->points + out->count);
    FRZ_TRY(fit_surface(shape, l, f, out->points + out->count, diag));
    out->count += total;
    return FRZ_OK;
}

frz_status frz_sample_volume(const frz_shape *shape, double spacing, int dimension, frz_point_set *out, frz_diag *diag)
{
    FRZ_TRY(frz_sample_check(spacing, dimension, diag));
    if (frz_bounds_is_empty(shape->bounds, dimension))
        return FRZ_OK;
    FRZ_TRY(frz_sample_check_count(frz_sample_volume_estimate(shape, spacing, dimension), spacing, diag));
    lattice l;
    FRZ_TRY(fit_lattice(shape, spacing, dimension, &l, diag));
    filling f = {0, NULL, NULL};
    const frz_status status = fill(shape, &l, &f, out, diag);
    destroy_filling(&f);
    return status;
}
