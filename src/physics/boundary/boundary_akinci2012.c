// SPDX-License-Identifier: MIT
// Static samples as boundary: each stands for a volume of its own. Akinci et al. 2012, eq. 4, calibrated.
//
//     V_b = V * plane_sum / (V sum_k (n_b . n_k)^2 W_bk)   over samples k of the same wall, b itself included
//
// so that a flat wall sampled at the liquid's spacing gets exactly the particles' volume V, denser samples less, and the
// liquid's lattice half a spacing from the wall has exactly the rest density. How they push: sph/pairs.

#include "base/memory.h"
#include "sim/state.h"
#include "space/search.h"

static frz_status boundary_prepare(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                   frz_diag *diag)
{
    (void)instance;
    (void)dt;
    (void)diag;
    const frz_cell_list *walls = &state->wall_cells;
    const int first = state->particles.first[FRZ_ROLE_STATIC];
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
            const double facing = (double)frz_v4_dot3(state->wall_normal[walls->index[k]], state->wall_normal[slot]);
            sum += (facing > 0.0 ? facing * facing : 0.0) * frz_kernel_value(&model->kernel, sqrt(r2));
        }
        const double calibrated = model->plane_sum / sum;
        volume[walls->index[k]] = (frz_real)(calibrated < model->particle_volume ? calibrated : model->particle_volume);
    }
    return FRZ_OK;
}

const frz_method frz_method_boundary_akinci2012 = {
    .key = "akinci2012",
    .slot = FRZ_SLOT_BOUNDARY,
    .doc = "One layer of samples half a spacing behind the surface, with volumes from their own density.",
    .cite = "Akinci et al. 2012, doi:10.1145/2185520.2185558",
    .run = {[FRZ_STAGE_PREPARE] = boundary_prepare},
};
