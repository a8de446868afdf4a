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

void frz_boundary_set_volumes(const frz_model *model, frz_state *state)
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
        double sum = frz_kernel_value(&model->kernel, 0.0);
        for (int n = 0; n < near; ++n)
        {
            // bodies that move relative to each other must keep their volumes, so samples of other bodies do not count
            const int slot = walls->index[frz_lane_index(found.lane[n])];
            const int other = body[slot];
            if (other != own && (frz_body_moves(&model->bodies[own]) || frz_body_moves(&model->bodies[other])))
                continue;
            const frz_v4 apart = frz_v4_set(found.dx[n], found.dy[n], found.dz[n], 0);
            const double r = sqrt((double)frz_v4_dot3(apart, apart));
            sum += shared(apart, state->samples.normal[walls->index[k]], state->samples.normal[slot]) *
                   frz_kernel_value(&model->kernel, r);
        }
        volume[walls->index[k]] = (frz_real)(model->plane_sum / sum);
    }
}
