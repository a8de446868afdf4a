// SPDX-License-Identifier: MIT
#include "physics/tension/tension_walls.h"

#include <math.h>
#include <string.h>

#include "sim/wall_shape.h"

const double frz_tension_open_least = 0.1;

static const double spline_reach = 2.0; // of a cubic B-spline, in steps

// Integral of a cubic B-spline from t to infinity: what a node sees of a wall whose surface is t steps away.
static double filled_at(double t)
{
    const double u = fabs(t), rest = 2.0 - u;
    double outer = 0.0; // from u on
    if (u < 1.0)
        outer = 0.5 - u * (2.0 / 3.0 - u * u / 3.0 + u * u * u / 8.0);
    else if (u < spline_reach)
        outer = rest * rest * rest * rest / 24.0;
    return t < 0.0 ? 1.0 - outer : outer;
}

static double spline_at(double t)
{
    const double u = fabs(t), rest = 2.0 - u;
    if (u < 1.0)
        return 2.0 / 3.0 - u * u + 0.5 * u * u * u;
    return u < spline_reach ? rest * rest * rest / 6.0 : 0.0;
}

static frz_vec3 place_of(const frz_tension_field *f, int row, int x)
{
    const int y = row % f->nodes[1], z = row / f->nodes[1];
    return frz_v3((x + f->first[0]) * f->step[0], (y + f->first[1]) * f->step[1],
                  f->dimension == 3 ? (z + f->first[2]) * f->step[2] : 0.0);
}

static bool is_wall(const frz_model *model, int body)
{
    return model->bodies[body].role == FRZ_ROLE_SAMPLE && model->bodies[body].shape != NULL;
}

// Signed distance in steps from a body, or from the nearest of its images in a periodic domain. The place is moved to
// that image.
static double distance(const frz_model *model, const frz_state *state, const frz_tension_field *f, int body,
                       frz_vec3 *place)
{
    const frz_vec3 at = *place;
    const double *period = state->neighbors.grid.period;
    const int px = f->periodic[0] ? 1 : 0, py = f->periodic[1] ? 1 : 0, pz = f->periodic[2] ? 1 : 0;
    double least = HUGE_VAL;
    for (int kz = -pz; kz <= pz; ++kz)
        for (int ky = -py; ky <= py; ++ky)
            for (int kx = -px; kx <= px; ++kx)
            {
                const frz_vec3 image =
                    frz_v3(at.x + (px > 0 ? kx * period[0] : 0.0), at.y + (py > 0 ? ky * period[1] : 0.0),
                           at.z + (pz > 0 ? kz * period[2] : 0.0));
                const double d = frz_wall_shape_distance(model, state, body, image);
                if (d < least)
                {
                    least = d;
                    *place = image;
                }
            }
    return least / f->step[0];
}

// Nodes along x that are surely as far inside or outside of a wall as is seen, next to one at a distance in steps: a
// signed distance never changes faster than the place.
static int alike(double apart)
{
    return (int)fmin(fmax(fabs(apart) - spline_reach - 0.1, 0.0), 1e6);
}

static void fill_stretch(const frz_model *model, const frz_state *state, const frz_tension_field *f,
                         const frz_tension_stretch *at, double *filled)
{
    for (int b = 0; b < model->body_count; ++b)
        for (int x = at->begin; x < at->end && is_wall(model, b);)
        {
            frz_vec3 place = place_of(f, at->row, x);
            const double apart = distance(model, state, f, b, &place), value = filled_at(apart);
            for (int left = alike(apart); left >= 0 && x < at->end; --left, ++x)
                filled[at->at + (x - at->begin)] += value;
        }
}

static bool fill(const frz_model *model, const frz_state *state, const frz_tension_field *f, double *filled)
{
    bool any = false;
    memset(filled, 0, (size_t)f->total * sizeof *filled);
#pragma omp parallel for schedule(dynamic, 16)
    for (int n = 0; n < f->stretch_count; ++n)
        fill_stretch(model, state, f, &f->stretch[n], filled);
    for (ptrdiff_t n = 0; n < f->total && !any; ++n)
        any = filled[n] > 0.0;
    return any;
}

// Fill what the liquid cannot reach around the walls. Kernels are wider than thin walls, whose far side would otherwise
// count as air beside the liquid.
static frz_status fill_behind(frz_state *state, const frz_tension_field *f, const uint8_t *member, double *filled,
                              frz_diag *diag)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    uint8_t *open = FRZ_SCRATCH(&state->scratch, f->total + 1, uint8_t);
    uint8_t *set = FRZ_SCRATCH(&state->scratch, f->total + 1, uint8_t);
    uint8_t *spare = FRZ_SCRATCH(&state->scratch, f->total + 1, uint8_t);
    if (open == NULL || set == NULL || spare == NULL)
        return frz_fail_memory(diag, "the surface tension");
    memset(set, 0, (size_t)f->total);
    const double barrier = filled_at(0.5); // walls of any thickness are closed if nodes next to them belong to them
    for (int i = 0; i < state->neighbors.pairs.count; ++i)
        if (member[i] != 0)
            frz_tension_field_mark(f, position[i], set);
    for (ptrdiff_t n = 0; n < f->total; ++n)
    {
        open[n] = filled[n] < barrier;
        set[n] &= open[n];
    }
    for (int k = 0; k < frz_tension_field_margin(true); ++k)
        frz_tension_field_dilate(f, open, set, spare);
    frz_tension_field_dilate(f, NULL, set, spare);
    for (ptrdiff_t n = 0; n < f->total; ++n)
        filled[n] = set[n] != 0 ? filled[n] : 1.0;
    return FRZ_OK;
}

// d, and the level, of a chunk.
static void correct_chunk(const frz_tension_field *f, const frz_tension_walls *w, const frz_tension_stretch *at, int x,
                          int count)
{
    const ptrdiff_t begin = at->at + (x - at->begin);
    const double square = frz_tension_field_width * frz_tension_field_width * f->step[0] * f->step[0];
    for (int k = 0; k < count; ++k)
        w->level[begin + k] = w->mean[begin + k];
    for (int a = 0; a < f->dimension; ++a)
    {
        double open[FRZ_TENSION_CHUNK] = {0.0}, mean[FRZ_TENSION_CHUNK] = {0.0};
        frz_tension_field_slope(f, w->open, at, x, count, a, open);
        frz_tension_field_slope(f, w->mean, at, x, count, a, mean);
        for (int k = 0; k < count; ++k)
        {
            const double v = w->open[begin + k];
            w->shift[a][begin + k] = v > frz_tension_open_least ? square * open[k] / v : 0.0;
            w->level[begin + k] -= w->shift[a][begin + k] * mean[k];
        }
    }
}

frz_status frz_tension_walls_make(const frz_model *model, frz_state *state, const frz_tension_field *f,
                                  const uint8_t *member, const double *c, bool yielding, double *spare,
                                  frz_tension_walls *w, frz_diag *diag)
{
    double **const all[] = {&w->filled,   &w->open,     &w->mean,     &w->level,
                            &w->shift[0], &w->shift[1], &w->shift[2], &w->by_open};
    *w = (frz_tension_walls){0};
    for (size_t n = 0; n < sizeof all / sizeof *all - (yielding ? 0 : 1); ++n)
    {
        *all[n] = FRZ_SCRATCH(&state->scratch, f->total + 1, double);
        if (*all[n] == NULL)
            return frz_fail_memory(diag, "the surface tension");
    }
    w->any = fill(model, state, f, w->filled);
    if (!w->any)
        return FRZ_OK;
    FRZ_TRY(fill_behind(state, f, member, w->filled, diag));
    for (ptrdiff_t n = 0; n < f->total; ++n)
    {
        w->open[n] = fmin(w->filled[n], 1.0);
        w->shift[0][n] = w->shift[1][n] = w->shift[2][n] = 0.0;
        if (yielding)
            w->by_open[n] = 0.0;
    }
    frz_tension_field_smooth(f, w->open, spare);
    for (ptrdiff_t n = 0; n < f->total; ++n)
    {
        w->open[n] = 1.0 - w->open[n];
        w->mean[n] = c[n] / fmax(w->open[n], frz_tension_open_least);
    }
#pragma omp parallel for schedule(static)
    for (int n = 0; n < f->stretch_count; ++n)
        for (int x = f->stretch[n].begin; x < f->stretch[n].end; x += FRZ_TENSION_CHUNK)
            correct_chunk(f, w, &f->stretch[n], x, frz_tension_chunk(&f->stretch[n], x));
    return FRZ_OK;
}

// Derivative by d, times that of d by v and by its gradient (flux), of a chunk.
static void shift_chunk(const frz_tension_field *f, const frz_tension_walls *w, const double *by_level,
                        const frz_tension_stretch *at, int x, int count, double *const flux[3])
{
    const ptrdiff_t begin = at->at + (x - at->begin);
    const double square = frz_tension_field_width * frz_tension_field_width * f->step[0] * f->step[0];
    for (int a = 0; a < f->dimension; ++a)
    {
        double mean[FRZ_TENSION_CHUNK] = {0.0};
        frz_tension_field_slope(f, w->mean, at, x, count, a, mean);
        for (int k = 0; k < count; ++k)
        {
            const ptrdiff_t n = begin + k;
            const bool seen = w->open[n] > frz_tension_open_least;
            const double by_shift = seen ? -by_level[n] * mean[k] : 0.0;
            flux[a][n] = seen ? square / w->open[n] * by_shift : 0.0;
            w->by_open[n] -= seen ? by_shift * w->shift[a][n] / w->open[n] : 0.0;
        }
    }
}

void frz_tension_walls_pull_back(const frz_tension_field *f, frz_tension_walls *w, double *const flux[3],
                                 double *by_level)
{
    if (w->by_open != NULL)
    {
#pragma omp parallel for schedule(static)
        for (int n = 0; n < f->stretch_count; ++n)
            for (int x = f->stretch[n].begin; x < f->stretch[n].end; x += FRZ_TENSION_CHUNK)
                shift_chunk(f, w, by_level, &f->stretch[n], x, frz_tension_chunk(&f->stretch[n], x), flux);
        frz_tension_field_subtract_divergence(f, flux, w->by_open);
    }
    for (int a = 0; a < f->dimension; ++a)
        for (ptrdiff_t n = 0; n < f->total; ++n)
            flux[a][n] = -by_level[n] * w->shift[a][n];
    frz_tension_field_subtract_divergence(f, flux, by_level);
    for (ptrdiff_t n = 0; n < f->total; ++n)
    {
        by_level[n] /= fmax(w->open[n], frz_tension_open_least);
        if (w->by_open != NULL && w->open[n] > frz_tension_open_least)
            w->by_open[n] -= by_level[n] * w->mean[n];
    }
}

void frz_tension_walls_load(const frz_model *model, const frz_state *state, const frz_tension_field *f,
                            const frz_tension_walls *w, const double *by_filled, int body, double scale,
                            frz_vec3 *force, frz_vec3 *moment)
{
    *force = *moment = frz_v3(0.0, 0.0, 0.0);
    for (int n = 0; n < f->stretch_count && is_wall(model, body); ++n)
    {
        const frz_tension_stretch *at = &f->stretch[n];
        for (int x = at->begin; x < at->end;)
        {
            frz_vec3 place = place_of(f, at->row, x);
            const ptrdiff_t node = at->at + (x - at->begin);
            const double apart = distance(model, state, f, body, &place);
            x += 1 + alike(apart);
            if (fabs(apart) >= spline_reach || w->filled[node] >= 1.0)
                continue;
            const double share = -scale * by_filled[node] * spline_at(apart) / f->step[0];
            const frz_vec3 push = frz_v3_scale(share, frz_wall_shape_normal(model, state, body, place));
            *force = frz_v3_add(*force, push);
            *moment = frz_v3_add(*moment, frz_v3_cross(place, push));
        }
    }
}
