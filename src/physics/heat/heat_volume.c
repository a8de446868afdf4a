// SPDX-License-Identifier: MIT
#include "physics/heat/heat_volume.h"

#include <math.h>

#include "base/blocks.h"

// speed of the flow that a change of volume makes across a particle, over that of a fall over a spacing
static const double gentle = 0.01;
// 1/s, of scenes without gravity
static const double weightless_rate = 0.5;
// volume of the lattice below which nothing goes
static const double smallest = 0.2;
// compression that solid particles behind those of the surface bear: these are the ones that keep others away
static const frz_real shielded = (frz_real)0.05;

typedef struct volumes
{
    frz_real *swelling, *room, *known;
} volumes;

static volumes fields_of(const frz_state *state, int first)
{
    return (volumes){frz_field_real(&state->particles, first), frz_field_real(&state->particles, first + 1),
                     frz_field_real(&state->particles, first + 2)};
}

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

// Share of the compression beyond rest.
static frz_real excess_of(const volumes *v, frz_real sum, int i)
{
    const frz_real excess = sum - 1 / (1 + v->swelling[i]);
    return excess > 0 ? excess : 0;
}

// Particles whose phase is new.
static bool find_fresh(const frz_model *model, const frz_state *state, const volumes *v, uint8_t *fresh)
{
    const uint8_t *phase = frz_particles_phase(&state->particles),
                  *material = frz_particles_material(&state->particles);
    const int count = state->particles.count[FRZ_ROLE_FREE];
    int any = 0;
#pragma omp parallel for schedule(static) reduction(| : any) if (count >= frz_parallel_some)
    for (int i = 0; i < count; ++i)
    {
        const frz_real now = (frz_real)(phase[i] + 1);
        fresh[i] = v->known[i] > 0 && v->known[i] != now && can_change(model, material[i]);
        v->known[i] = now;
        any |= fresh[i];
    }
    return any != 0;
}

static void give_room(const frz_state *state, const volumes *v, const uint8_t *fresh)
{
    const frz_pairs *pairs = &state->pairs;
    const frz_real *sum = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    const int blocks = frz_block_count(pairs->count);
#pragma omp parallel for schedule(static) if (pairs->count >= frz_parallel_some)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
        {
            bool near = fresh[i] != 0;
            for (uint32_t k = pairs->begin[i]; k < pairs->end[i] && !near; ++k)
                near = fresh[pairs->blocks[b].index[k]] != 0;
            if (near)
                v->room[i] = excess_of(v, sum[i], i);
        }
}

// Volumes that are not those of the lattice, as compression. A solid particle has by the body around it what it has: no
// more than all of it.
static frz_real shift_of(const frz_state *state, const volumes *v, int number, int i)
{
    const frz_real shift = 1 - 1 / (1 + v->swelling[i]);
    const frz_real left = number >= 0 ? 1 - state->solids.rest_compression[number] : shift;
    return shift > left && shift > 0 ? (left > 0 ? left : 0) : shift;
}

// Behind the surface the body fills all of the kernel but its outermost part. What comes there adds next to nothing to
// the sum: to take back a compression of 1e-6 the solver would move it by a hundredth of a spacing, within a step.
static bool is_shielded(const frz_state *state, int number, frz_real shift)
{
    return number >= 0 && state->solids.rest_compression[number] + shift >= FRZ_SURFACE_COMPRESSION;
}

frz_status frz_heat_volume_apply(const frz_model *model, frz_state *state, int first, frz_diag *diag)
{
    const volumes v = fields_of(state, first);
    const int count = state->particles.count[FRZ_ROLE_FREE];
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    uint8_t *fresh = FRZ_SCRATCH(&state->scratch, count + 1, uint8_t);
    if (fresh == NULL)
        return frz_fail_memory(diag, "the volumes");
    if (find_fresh(model, state, &v, fresh))
        give_room(state, &v, fresh);
    frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
#pragma omp parallel for schedule(static) if (count >= frz_parallel_some)
    for (int i = 0; i < count; ++i)
    {
        const int number = state->solids.count > 0 ? state->solids.index_of_slot[i] : -1;
        const frz_real excess = excess_of(&v, compression[i], i), shift = shift_of(state, &v, number, i);
        v.room[i] = v.room[i] > excess ? excess : v.room[i];
        compression[i] += shift - v.room[i];
        if (is_shielded(state, number, shift))
            compression[i] -= shielded;
    }
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

// Change per second that goes unnoticed.
static double rate_of(const frz_model *model)
{
    const double *g = model->gravity, weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    return weight > 0.0 ? gentle * model->dimension * sqrt(2.0 * weight / model->spacing) : weightless_rate;
}

void frz_heat_volume_relax(const frz_model *model, frz_state *state, int first, double dt)
{
    const volumes v = fields_of(state, first);
    const int count = state->particles.count[FRZ_ROLE_FREE];
    const uint8_t *phase = frz_particles_phase(&state->particles),
                  *material = frz_particles_material(&state->particles);
    const double most = rate_of(model) * dt;
#pragma omp parallel for schedule(static) if (count >= frz_parallel_some)
    for (int i = 0; i < count; ++i)
    {
        v.room[i] = (frz_real)fmax((double)v.room[i] - most, 0.0);
        if (phase[i] != FRZ_PHASE_LIQUID || !can_change(model, material[i]))
            continue;
        const double now = (double)v.swelling[i], way = aim_of(model, state, i) - now;
        v.swelling[i] = (frz_real)fmax(now + fmin(fmax(way, -most), most), smallest - 1.0);
    }
}
