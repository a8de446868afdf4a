// SPDX-License-Identifier: MIT
#include "physics/heat/heat_volume.h"

#include <math.h>

#include "base/blocks.h"
#include "sim/change_room.h"

// volume of the lattice below which nothing goes
static const double smallest = 0.2;
// compression that solid particles behind those of the surface bear: these are the ones that keep others away
static const frz_real shielded = (frz_real)0.05;

static bool can_change(const frz_model *model, int material)
{
    const frz_melting *melting = &model->materials[material].melting;
    return melting->given && melting->form != FRZ_FORM_NONE;
}

static double aim_of(const frz_model *model, const frz_state *state, int i)
{
    const frz_particles *particles = &state->particles;
    const frz_material *material = &model->materials[frz_particles_material(particles)[i]];
    const double molten =
        frz_heat_curve_fraction(&material->curve, frz_state_enthalpy(particles, model->enthalpy_field)[i]);
    const double own = 1.0 / (double)frz_particles_inverse_density(particles)[i];
    return own * (molten / material->density + (1.0 - molten) / material->solid_density) - 1.0;
}

// Volumes that are not those of the lattice, as compression. A solid particle has by the body around it what it has: no
// more than all of it.
static frz_real shift_of(const frz_state *state, frz_real swelling, int number)
{
    const frz_real shift = 1 - 1 / (1 + swelling);
    const frz_real left = number >= 0 ? 1 - state->solids.rest_compression[number] : shift;
    return shift > left && shift > 0 ? (left > 0 ? left : 0) : shift;
}

// Behind the surface the body fills all of the kernel but its outermost part. What comes there adds next to nothing to
// the sum: to take back a compression of 1e-6 the solver would move it by a hundredth of a spacing, within a step.
static bool is_shielded(const frz_state *state, int number, frz_real shift)
{
    return number >= 0 && state->solids.rest_compression[number] + shift >= FRZ_SURFACE_COMPRESSION;
}

void frz_heat_volume_apply(frz_state *state, int field)
{
    const frz_real *swelling = frz_field_real(&state->particles, field);
    frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    const int count = state->particles.count[FRZ_ROLE_FREE];
#pragma omp parallel for schedule(static) if (count >= frz_parallel_some)
    for (int i = 0; i < count; ++i)
    {
        const int number = state->solids.count > 0 ? state->solids.index_of_slot[i] : -1;
        const frz_real shift = shift_of(state, swelling[i], number);
        compression[i] += shift;
        if (is_shielded(state, number, shift))
            compression[i] -= shielded;
    }
}

frz_status frz_heat_volume_relax(const frz_model *model, frz_state *state, int field, double dt, frz_diag *diag)
{
    frz_real *swelling = frz_field_real(&state->particles, field);
    const int count = state->particles.count[FRZ_ROLE_FREE];
    const uint8_t *phase = frz_particles_phase(&state->particles),
                  *material = frz_particles_material(&state->particles);
    const frz_real *pressure = frz_field_real(&state->particles, FRZ_FIELD_ID_pressure);
    const double most = frz_room_rate(model) * dt;
    const int blocks = frz_block_count(count);
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    double *work = FRZ_SCRATCH(&state->scratch, blocks + 1, double);
    if (work == NULL)
        return frz_fail_memory(diag, "the volumes");
#pragma omp parallel for schedule(static) if (count >= frz_parallel_some)
    for (int b = 0; b < blocks; ++b)
    {
        work[b] = 0.0;
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
        {
            if (phase[i] != FRZ_PHASE_LIQUID || !can_change(model, material[i]))
                continue;
            const double now = (double)swelling[i], way = aim_of(model, state, i) - now;
            swelling[i] = (frz_real)fmax(now + fmin(fmax(way, -most), most), smallest - 1.0);
            work[b] +=
                (double)pressure[i] * (double)(shift_of(state, swelling[i], -1) - shift_of(state, (frz_real)now, -1));
        }
    }
    state->stats.work += model->cell * frz_exact_sum(work, sizeof *work, blocks);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}
