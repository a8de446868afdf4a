// SPDX-License-Identifier: MIT
#include "sim/forces.h"

#include "base/blocks.h"
#include "sim/bodies.h"
#include "sim/state.h"

void frz_forces_begin(const frz_model *model, frz_state *state, double dt)
{
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    const frz_v4 gravity =
        frz_v4_set((frz_real)model->gravity[0], (frz_real)model->gravity[1], (frz_real)model->gravity[2], 0);
#pragma omp parallel for schedule(static) if (state->particles.count[FRZ_ROLE_FREE] >= frz_parallel_least)
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        acceleration[i] = gravity;
    frz_regions_push(model, state, dt);
}

void frz_forces_kick(const frz_model *model, frz_state *state, double dt)
{
    const frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
#pragma omp parallel for schedule(static) if (state->particles.count[FRZ_ROLE_FREE] >= frz_parallel_least)
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        velocity[i] += (frz_real)dt * acceleration[i];
    frz_bodies_kick(model, state, dt);
}
