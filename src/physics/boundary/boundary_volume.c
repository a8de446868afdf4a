// SPDX-License-Identifier: MIT
#include "physics/boundary/boundary_volume.h"

#include "space/search.h"

void frz_boundary_set_volumes(const frz_model *model, frz_state *state)
{
    const frz_cell_list *walls = &state->sample_cells;
    const int first = state->particles.first[FRZ_ROLE_SAMPLE];
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body) + first;
    frz_real *volume = frz_field_real(&state->particles, FRZ_FIELD_ID_volume) + first;
#pragma omp parallel for schedule(dynamic, 256)
    for (int k = 0; k < walls->count; ++k)
    {
        frz_cell_run runs[FRZ_RUN_MAX];
        frz_found found;
        const frz_real at[3] = {walls->x[k], walls->y[k], walls->z[k]};
        const int run_count = frz_cell_runs_at(&state->grid, walls, at, runs);
        const int near = frz_search(walls, runs, run_count, at, (frz_real)model->support, k, &found);
        const int own = body[walls->index[k]];
        double sum = frz_kernel_value(&model->kernel, 0.0);
        for (int n = 0; n < near; ++n)
        {
            // bodies that move against each other must keep their volumes: they see only themselves
            const int slot = walls->index[frz_lane_index(found.lane[n])];
            const int other = body[slot];
            if (other != own && (frz_body_moves(&model->bodies[own]) || frz_body_moves(&model->bodies[other])))
                continue;
            const double r2 = (double)found.dx[n] * (double)found.dx[n] + (double)found.dy[n] * (double)found.dy[n] +
                              (double)found.dz[n] * (double)found.dz[n];
            // only samples of the same face share a volume: not those around a corner, nor on a thin wall's other side
            const double facing =
                (double)frz_v4_dot3(state->samples.normal[walls->index[k]], state->samples.normal[slot]);
            sum += (facing > 0.0 ? facing * facing : 0.0) * frz_kernel_value(&model->kernel, sqrt(r2));
        }
        const double calibrated = model->plane_sum / sum;
        volume[walls->index[k]] = (frz_real)(calibrated < model->particle_volume ? calibrated : model->particle_volume);
    }
}
