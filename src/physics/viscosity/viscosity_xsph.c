// SPDX-License-Identifier: MIT
// XSPH velocity smoothing as artificial viscosity. Schechter & Bridson 2012, eq. 7.
//
//     v_i += sum_j c_ij (rho_ij / rho_i) V W_ij (v_j - v_i)
//
// written as an acceleration so that it is one force among others. c_ij and rho_ij are harmonic means (within one
// liquid its own c and density), so that forces between two liquids are equal and opposite too; a liquid without the
// method has no friction with others. Walls take part in the same way if the liquid may not slip along them, v_i += c
// sum_b V_b W_ib (v_b - v_i), and rigid bodies take the reaction. It is explicit, but c is at most 0.5 and rho_ij /
// rho_i below 2.

#include <math.h>

#include "base/blocks.h"
#include "physics/viscosity/viscosity_mean.h"
#include "sim/bodies.h"
#include "sim/neighborhood.h"
#include "sim/state.h"

typedef struct xsph
{
    double coefficient;
    bool slip;
} xsph;

static const frz_param xsph_params[] = {
    {"coefficient", "fraction of the velocity difference taken away per step", FRZ_PARAM_REAL,
     offsetof(xsph, coefficient), 0.02, 0.0, 0.5, ""},
    {"slip", "let the liquid slide along walls without friction", FRZ_PARAM_BOOL, offsetof(xsph, slip), 1, 0, 1, ""},
    {0},
};

enum
{
    kernel_lane = 3 // of a wall pair's difference
};

// sum_b V_b W_ib (v_b - v_i)
static frz_v4 wall_difference(const frz_state *state, int i)
{
    const frz_sample_pairs *walls = &state->neighbors.sample_pairs;
    frz_v4 sum = frz_v4_zero();
    for (int64_t k = walls->begin[i]; k < walls->begin[i + 1]; ++k)
        sum -= walls->pair[k].difference[kernel_lane] * frz_sample_slip(state, i, k);
    return frz_v4_xyz(sum);
}

// Input of the drag on rigid bodies.
typedef struct body_drag
{
    const frz_state *state;
    const uint8_t *own;   // material by particle
    const uint8_t *phase; // by particle; null: all are liquid
    int material;
    const frz_real *inverse_density; // by particle
    frz_real rate;                   // volume over time: of rho_i V_b W_ib (v_i - v_b)
} body_drag;

// The reaction on rigid bodies, at the particle's position, so that angular momentum is kept too.
static void drag_body(const void *user, int i, int64_t k, frz_v4 *force, frz_v4 *away)
{
    const body_drag *d = user;
    *away = d->state->neighbors.sample_pairs.pair[k].difference;
    const bool ours = d->own[i] == d->material && frz_viscosity_is_liquid(d->phase, i);
    const frz_real weight = ours ? d->rate / d->inverse_density[i] * (*away)[kernel_lane] : 0;
    *force = weight * frz_sample_slip(d->state, i, k);
}

// c_ij rho_ij / rho_i over c_i by the material of j, in scratch memory; null if all particles are of one liquid.
static frz_status share_by_material(const frz_model *model, frz_state *state, const frz_instance *instance,
                                    frz_real **share, frz_diag *diag)
{
    const frz_real own = (frz_real)((const xsph *)instance->self)->coefficient;
    const frz_real density = (frz_real)model->materials[instance->material].density;
    *share = NULL;
    if (model->material_count < 2 || !(own > 0))
        return FRZ_OK;
    *share = FRZ_SCRATCH(&state->scratch, model->material_count + 1, frz_real);
    if (*share == NULL)
        return frz_fail_memory(diag, "the viscosity");
    for (int m = 0; m < model->material_count; ++m)
    {
        const frz_instance *other = frz_model_method(model, FRZ_SLOT_VISCOSITY, m);
        (*share)[m] = m == instance->material ? 1 : 0;
        if (m != instance->material && other != NULL && other->method == instance->method)
            (*share)[m] = frz_harmonic_mean(own, (frz_real)((const xsph *)other->self)->coefficient) / own *
                          frz_harmonic_mean(density, (frz_real)model->materials[m].density) / density;
    }
    return FRZ_OK;
}

// sum_j share V W_ij (v_j - v_i) over the liquid near a solid particle
static frz_v4 solid_difference(const frz_pairs *pairs, const frz_v4 *velocity, const uint8_t *material,
                               const uint8_t *phase, const frz_real *share, int i)
{
    const frz_pair *pair = pairs->blocks[i / FRZ_BLOCK].pair;
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    frz_v4 sum = frz_v4_zero();
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
        if (phase[index[k]] == FRZ_PHASE_LIQUID)
            sum += (share != NULL ? share[material[index[k]]] : 1) * frz_pair_load(pair + k)[3] *
                   (velocity[index[k]] - velocity[i]);
    return sum;
}

// The same over all neighbours of a liquid particle.
static frz_v4 liquid_difference(const frz_pairs *pairs, const frz_v4 *velocity, const uint8_t *material,
                                const frz_real *share, int i)
{
    const frz_pair *pair = pairs->blocks[i / FRZ_BLOCK].pair;
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    frz_v4 sum0 = frz_v4_zero(), sum1 = sum0;
    if (share != NULL)
    {
        for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
            sum0 += share[material[index[k]]] * frz_pair_load(pair + k)[3] * (velocity[index[k]] - velocity[i]);
        return sum0;
    }
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; k += 2)
    {
        sum0 += frz_pair_load(pair + k)[3] * (velocity[index[k]] - velocity[i]);
        sum1 += frz_pair_load(pair + k + 1)[3] * (velocity[index[k + 1]] - velocity[i]);
    }
    return sum0 + sum1;
}

static frz_status xsph_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                             frz_diag *diag)
{
    const xsph *self = instance->self;
    if (!self->slip)
        FRZ_TRY(frz_state_sample_pairs(model, state, diag));
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_real *share = NULL;
    FRZ_TRY(share_by_material(model, state, instance, &share, diag));
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const uint8_t *material = frz_particles_material(&state->particles), *phase = frz_viscosity_phases(state);
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    const frz_real scale = (frz_real)(self->coefficient / dt);
    const int blocks = frz_block_count(pairs->count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
        {
            if (material[i] != instance->material)
                continue;
            const bool liquid = frz_viscosity_is_liquid(phase, i);
            frz_v4 sum = liquid ? liquid_difference(pairs, velocity, material, share, i)
                                : solid_difference(pairs, velocity, material, phase, share, i);
            if (!self->slip && pairs->sample_count[i] > 0 && liquid)
                sum += wall_difference(state, i);
            acceleration[i] += scale * sum;
        }
    if (!self->slip && frz_body_links_wanted(state))
    {
        const body_drag drag = {state,
                                material,
                                phase,
                                instance->material,
                                frz_particles_inverse_density(&state->particles),
                                (frz_real)model->cell * scale};
        FRZ_TRY(frz_body_links_push(model, state, drag_body, &drag, dt, diag));
    }
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

const frz_method frz_method_viscosity_xsph = {
    .key = "xsph",
    .slot = FRZ_SLOT_VISCOSITY,
    .doc = "Smooths velocities between neighbours; cheap and stable at any step, but not a physical viscosity.",
    .cite = "Schechter & Bridson 2012, doi:10.1145/2185520.2185557",
    .self_size = sizeof(xsph),
    .params = xsph_params,
    .run = {[FRZ_STAGE_FORCE] = xsph_force},
};
