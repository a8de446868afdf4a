// SPDX-License-Identifier: MIT
// Particles of a body in cells, so that those around a place are found at once, and how far away the nearest are.
#include "base/memory.h"
#include "geom/shape_internal.h"
#include "rigid/particle_surface_internal.h"

static const double cells_per_particle = 64.0; ///< of bodies that fill their bounds badly; then cells are larger
static const double least_cells = 1.0e5;

enum
{
    spare_places = 4,
    farthest_ring = 4 ///< that is told from those beyond: bodies further apart than this seldom have to know
};

/// One empty cell on each side: places near a particle are in the grid.
static void lay_out_cells(frz_particle_surface *s)
{
    double total;
    s->cell = 0.5 * s->radius;
    do
    {
        s->cell *= 2.0;
        total = 1.0;
        for (int axis = 0; axis < 3; ++axis)
        {
            const double extent = frz_v3_get(s->box.max, axis) - frz_v3_get(s->box.min, axis);
            const double cells = axis == 2 && s->dimension == 2 ? 1.0 : floor(extent / s->cell) + 3.0;
            s->cells[axis] = (int)fmin(cells, 1.0e6);
            total *= cells;
        }
    } while (total > fmax(least_cells, cells_per_particle * s->count));
    s->per_cell = 1.0 / s->cell;
    s->cell_origin = frz_v3_sub(s->box.min, frz_v3(s->cell, s->cell, s->dimension == 2 ? 0.5 * s->cell : s->cell));
}

/// In 2D all are in the one layer of cells.
static int cell_of(const frz_particle_surface *s, frz_vec3 place)
{
    const frz_vec3 at = frz_v3_scale(s->per_cell, frz_v3_sub(place, s->cell_origin));
    return (int)at.x + s->cells[0] * ((int)at.y + s->cells[1] * (s->dimension == 2 ? 0 : (int)at.z));
}

/// The least of each cell and its two neighbours along an axis: cells in lines of count, step apart. The outermost
/// cells of a line have none beyond them, and lines follow each other.
static void take_least(const uint8_t *from, uint8_t *to, int total, int step, int count)
{
    for (int line = 0; line < total; line += step * count)
    {
        for (int at = 0; at < count; ++at)
        {
            const uint8_t *here = from + line + at * step;
            const uint8_t *low = at > 0 ? here - step : here, *high = at + 1 < count ? here + step : here;
            uint8_t *out = to + line + at * step;
            for (int n = 0; n < step; ++n)
            {
                const uint8_t least = low[n] < high[n] ? low[n] : high[n];
                out[n] = least < here[n] ? least : here[n];
            }
        }
    }
}

/// Cells with particles are 0, those around them 1, and so on.
static void spread_rings(frz_particle_surface *s, uint8_t *spare, int total)
{
    for (int n = 0; n < total; ++n)
        s->ring[n] = s->begin[n + 1] > s->begin[n] ? 0 : farthest_ring;
    for (int k = 1; k < farthest_ring; ++k)
    {
        uint8_t *a = spare, *b = spare + total;
        take_least(s->ring, a, total, 1, s->cells[0]);
        take_least(a, b, total, s->cells[0], s->cells[1]);
        take_least(b, a, total, s->cells[0] * s->cells[1], s->cells[2]);
        for (int n = 0; n < total; ++n)
            s->ring[n] = s->ring[n] <= a[n] ? s->ring[n] : (uint8_t)(a[n] + 1);
    }
}

/// Into the cell at its place by id, so that the order does not depend on that of the caller.
static void insert(frz_particle_surface *s, const frz_particle_surface_def *def, int index, int first, int *end,
                   int *order)
{
    const int64_t id = def->ids != NULL ? def->ids[index] : index;
    int at = (*end)++;
    for (; at > first && s->ids[at - 1] > id; --at)
    {
        s->ids[at] = s->ids[at - 1];
        s->places[at] = s->places[at - 1];
        order[at] = order[at - 1];
    }
    s->ids[at] = id;
    s->places[at] = def->places[index];
    order[at] = index;
}

static void sort_particles(frz_particle_surface *s, const frz_particle_surface_def *def, int *order, int *cell,
                           int *end, int total)
{
    for (int n = 0; n < s->count; ++n)
    {
        cell[n] = cell_of(s, def->places[n]);
        ++s->begin[cell[n] + 1];
    }
    for (int c = 0; c < total; ++c)
    {
        s->begin[c + 1] += s->begin[c];
        end[c] = s->begin[c];
    }
    for (int n = 0; n < s->count; ++n)
        insert(s, def, n, s->begin[cell[n]], &end[cell[n]], order);
}

static void split_places(frz_particle_surface *s)
{
    s->y = s->x + s->count + spare_places;
    s->z = s->y + s->count + spare_places;
    for (int n = 0; n < s->count; ++n)
    {
        s->x[n] = s->places[n].x;
        s->y[n] = s->places[n].y;
        s->z[n] = s->places[n].z;
    }
}

static frz_status check_places(frz_particle_surface *s, const frz_particle_surface_def *def, frz_diag *diag)
{
    if (def->count < 1 || def->count > INT32_MAX / 2)
        return frz_fail(diag, FRZ_ERR_SCENE, "body '%s' has %lld particles, which no surface can be made of",
                        def->name != NULL ? def->name : "?", (long long)def->count);
    s->box = (frz_bounds){def->places[0], def->places[0]};
    frz_vec3 sum = {0.0, 0.0, 0.0};
    for (int64_t n = 0; n < def->count; ++n)
    {
        const frz_vec3 p = def->places[n];
        sum = frz_v3_add(sum, p);
        s->box.min = frz_v3(fmin(s->box.min.x, p.x), fmin(s->box.min.y, p.y), fmin(s->box.min.z, p.z));
        s->box.max = frz_v3(fmax(s->box.max.x, p.x), fmax(s->box.max.y, p.y), fmax(s->box.max.z, p.z));
    }
    if (!isfinite(sum.x + sum.y + sum.z))
        return frz_fail(diag, FRZ_ERR_DIVERGED, "a particle of body '%s' has no finite place",
                        def->name != NULL ? def->name : "?");
    return FRZ_OK;
}

frz_status frz_particle_cells_make(frz_particle_surface *s, const frz_particle_surface_def *def, int **order,
                                   frz_diag *diag)
{
    *order = NULL;
    FRZ_TRY(check_places(s, def, diag));
    s->count = (int)def->count;
    lay_out_cells(s);
    const int total = s->cells[0] * s->cells[1] * s->cells[2];
    s->places = FRZ_ALLOC("particle surface", s->count, frz_vec3);
    s->x = FRZ_ALLOC("particle surface", 3 * ((int64_t)s->count + spare_places), double);
    s->ids = FRZ_ALLOC("particle surface", s->count, int64_t);
    s->begin = FRZ_ALLOC("particle surface", total + 1, int);
    s->ring = FRZ_ALLOC("particle surface", total, uint8_t);
    *order = FRZ_ALLOC("particle surface", s->count, int);
    int *cell = FRZ_ALLOC("particle surface", s->count, int), *end = FRZ_ALLOC("particle surface", total, int);
    uint8_t *spare = FRZ_ALLOC("particle surface", 2 * (int64_t)total, uint8_t);
    frz_status status = FRZ_OK;
    if (s->places == NULL || s->x == NULL || s->ids == NULL || s->begin == NULL || s->ring == NULL || *order == NULL ||
        cell == NULL || end == NULL || spare == NULL)
        status = frz_fail_memory(diag, "the surface of a body made of particles");
    else
    {
        sort_particles(s, def, *order, cell, end, total);
        split_places(s);
        spread_rings(s, spare, total);
    }
    frz_free(cell);
    frz_free(end);
    frz_free(spare);
    return status;
}

// Every particle is written down and counted only if it is near: no branch for processors to guess wrong.
int frz_particle_neighbors(const frz_particle_surface *s, int number,
                           frz_particle_neighbor list[FRZ_PARTICLE_NEIGHBORS + 1])
{
    const frz_vec3 here = s->places[number];
    const double radius = s->radius * s->radius;
    frz_cell_walk walk = frz_cell_walk_begin(s, here, s->radius);
    int count = 0, begin, end;
    while (frz_cell_walk_next(&walk, &begin, &end))
    {
        for (int n = begin; n < end; ++n)
        {
            const frz_vec3 way = {s->x[n] - here.x, s->y[n] - here.y, s->z[n] - here.z};
            const double square = frz_v3_dot(way, way);
            list[count] = (frz_particle_neighbor){way, square, n};
            count += (square < radius) & (n != number) & (count < FRZ_PARTICLE_NEIGHBORS);
        }
    }
    return count;
}

double frz_particle_nearest(const frz_particle_surface *s, frz_vec3 place, double radius, int *number)
{
    double least = radius * radius;
    int begin, end;
    frz_cell_walk walk = frz_cell_walk_begin(s, place, radius);
    *number = -1;
    while (frz_cell_walk_next(&walk, &begin, &end))
    {
        for (int n = begin; n < end; ++n)
        {
            const double x = s->x[n] - place.x, y = s->y[n] - place.y, z = s->z[n] - place.z;
            const double square = x * x + y * y + z * z;
            if (square < least)
            {
                least = square;
                *number = n;
            }
        }
    }
    return least;
}
