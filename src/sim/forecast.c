// SPDX-License-Identifier: MIT
// Forecast of the pressure acceleration of this step from that of the last one.
#include "sim/forecast.h"

#include <string.h>

#include "sim/boundary.h"
#include "sim/neighborhood.h"
#include "sim/state.h"
#include "sph/pair_push.h"

// -(1 / (rho_i s)) (P_i S_i + sum_j P_j g_ij + sum_b P_b g_ib), the acceleration by multipliers P (see
// pressure_system), times dt; affine: corrections of the gradients, or null; walls is null if walls have no pressure,
// and sample_scale is the factor from its gradients to those of the pairs.
static void add_kick(const frz_state *state, frz_real dt_over_spacing, const frz_real *multiplier,
                     const frz_affine *affine, const frz_real *walls, frz_real sample_scale, frz_v4 *velocity)
{
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    const int blocks = frz_block_count(pairs->count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
        {
            frz_v4 sum = frz_pair_push(pairs, multiplier, b, i);
            if (affine != NULL)
                sum += frz_affine_push(pairs, affine, multiplier, b, i);
            if (walls != NULL && pairs->sample_count[i] > 0)
                sum += sample_scale * frz_sample_push(&state->neighbors.sample_pairs, walls, i);
            velocity[i] -= frz_v4_xyz(dt_over_spacing * inverse_density[i] * sum);
        }
}

frz_status frz_state_forecast(const frz_model *model, frz_state *state, double dt, frz_v4 *velocity, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    const int samples = state->particles.count[FRZ_ROLE_SAMPLE];
    const frz_sample_law law = frz_boundary_law(model);
    const bool own = law.plain > 0.0;
    frz_real *multiplier = FRZ_SCRATCH(&state->scratch, state->neighbors.pairs.count + 1, frz_real);
    frz_real *walls = own ? FRZ_SCRATCH(&state->scratch, samples + 1, frz_real) : NULL;
    if (multiplier == NULL || (own && walls == NULL))
        return frz_fail_memory(diag, "the forecast of the pressure");
    const frz_real *pressure = frz_field_real(&state->particles, FRZ_FIELD_ID_pressure);
    const uint8_t *phase = state->solids.count > 0 ? frz_particles_phase(&state->particles) : NULL;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < state->neighbors.pairs.count; ++i)
    {
        // multipliers of elastic particles are contacts. One at the edge of its support pushes with a large multiplier
        // along a small gradient, which is another one a step later
        const bool contact = phase != NULL && phase[i] == FRZ_PHASE_ELASTIC;
        multiplier[i] =
            !contact && state->neighbors.pairs.virial[i] > 0 ? pressure[i] / state->neighbors.pairs.virial[i] : 0;
    }
    if (own)
    {
        memset(walls, 0, (size_t)samples * sizeof *walls);
        frz_sample_fit_extrapolate(&state->neighbors.sample_fit, multiplier, walls);
    }
    const frz_affine *affine;
    FRZ_TRY(frz_state_affine(model, state, &affine, diag));
    const frz_real sample_scale = (frz_real)(law.plain * model->spacing);
    add_kick(state, (frz_real)(dt / model->spacing), multiplier, affine, walls, sample_scale, velocity);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}
