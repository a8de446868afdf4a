// SPDX-License-Identifier: MIT
#include "physics/boundary/boundary_volume.h"

#include <math.h>

#include "space/search.h"

// Fraction of a volume that two samples share: all on the same face, and with the sample in a concave corner, behind
// which faces continue; none on faces at a right angle and on the two sides of a thin wall; half with the sample under
// an edge. The function is continuous; otherwise rounding would decide, for example about normals at a right angle.
static double shared(frz_v4 apart, frz_v4 normal, frz_v4 other)
{
    const double facing = fmax((double)frz_v4_dot3(normal, other), 0.0), around = facing * facing;
    const frz_v4 turn = other - normal;
    const double size = sqrt((double)frz_v4_dot3(turn, turn) * (double)frz_v4_dot3(apart, apart));
    const double hollow = size > 0.0 ? 2.0 * (double)frz_v4_dot3(apart, turn) / size : 0.0; // up to 2
    return around + (fmin(2.0 * around, 1.0) - around) * fmin(fmax(hollow, 0.0), 1.0);
}

static const double other_side = -0.5; // cosine of normals, of faces at the back of a thin wall

// Curvature of the surface between two samples, 1/m, positive if it is convex.
static double bend(frz_v4 apart, frz_v4 normal, frz_v4 other)
{
    return -(double)frz_v4_dot3(apart, other - normal) / (double)frz_v4_dot3(apart, apart);
}

// How smooth the surface is between two samples: 1 up to radii of three spacings, 0 from two spacings on, which are
// edges and corners.
static double smoothness(frz_v4 apart, frz_v4 normal, frz_v4 other, double spacing)
{
    const frz_v4 turn = other - normal;
    const double k = spacing * sqrt((double)frz_v4_dot3(turn, turn) / (double)frz_v4_dot3(apart, apart));
    return fmin(fmax(3.0 - 6.0 * k, 0.0), 1.0);
}

static const double flat = 1e-4; // curvature times spacing

// Samples are half a spacing behind the surface, where a curved one has another area: with the sum of principal
// curvatures K at the surface it is 1 - K s / 2 of the surface's. The compression by walls goes with the square of the
// volumes, so that these get a factor of 1 + K s / 4; else liquid comes too close to convex surfaces, and the push on a
// body under water is the weight of the missing liquid. curvature: mean one at the samples.
static double area_factor(const frz_model *model, double curvature)
{
    const double k = curvature * model->spacing;
    if (fabs(k) < flat) // else rounding of normals would change volumes at plane walls
        return 1.0;
    return 1.0 + 0.25 * (model->dimension - 1) * k / (1.0 + 0.5 * k);
}

static void set_volumes(const frz_model *model, frz_state *state, bool curved)
{
    const frz_cell_list *walls = &state->neighbors.sample_cells;
    const int first = state->particles.first[FRZ_ROLE_SAMPLE];
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body) + first;
    frz_real *volume = frz_field_real(&state->particles, FRZ_FIELD_ID_volume) + first;
#pragma omp parallel for schedule(dynamic, 256)
    for (int k = 0; k < walls->count; ++k)
    {
        frz_cell_run runs[FRZ_RUN_MAX];
        frz_found found;
        const frz_real at[3] = {walls->x[k], walls->y[k], walls->z[k]};
        const int run_count = frz_cell_runs_at(&state->neighbors.grid, walls, at, runs);
        const int near = frz_search(walls, runs, run_count, at, (frz_real)model->support, k, &found);
        const int own = body[walls->index[k]];
        const frz_v4 normal = state->samples.normal[walls->index[k]];
        double sum = frz_kernel_value(&model->kernel, 0.0), bends = 0.0, weight = 0.0, smooth = 1.0;
        for (int n = 0; n < near; ++n)
        {
            // bodies that move relative to each other must keep their volumes, so samples of other bodies do not count
            const int slot = walls->index[frz_lane_index(found.lane[n])];
            const int other = body[slot];
            if (other != own && (frz_body_moves(&model->bodies[own]) || frz_body_moves(&model->bodies[other])))
                continue;
            const frz_v4 apart = frz_v4_set(found.dx[n], found.dy[n], found.dz[n], 0);
            const frz_real square = frz_v4_dot3(apart, apart);
            const double value = frz_kernel_value(&model->kernel, sqrt((double)square));
            sum += shared(apart, normal, state->samples.normal[slot]) * value;
            if (!(square > 0) || frz_v4_dot3(normal, state->samples.normal[slot]) < (frz_real)other_side)
                continue;
            bends += bend(apart, normal, state->samples.normal[slot]) * value;
            weight += value;
            smooth = fmin(smooth, smoothness(apart, normal, state->samples.normal[slot], model->spacing));
        }
        const double curvature = weight > 0.0 ? smooth * bends / weight : 0.0;
        const double area = curved ? area_factor(model, curvature) : 1.0;
        state->samples.area[walls->index[k]] = (frz_real)area;
        volume[walls->index[k]] = (frz_real)(model->plane_sum / sum * area);
    }
}

void frz_boundary_set_volumes(const frz_model *model, frz_state *state)
{
    set_volumes(model, state, false);
}

void frz_boundary_set_curved_volumes(const frz_model *model, frz_state *state)
{
    set_volumes(model, state, true);
}
