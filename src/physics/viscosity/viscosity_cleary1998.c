// SPDX-License-Identifier: MIT
// Laminar viscosity, explicit, along the line of each pair. Cleary 1998, after Monaghan & Gingold 1983, with the weight
// of sph/shear_weight.
//
//     a_i = (1 / rho_i) (C / s^2) sum_j mu_ij g_ij e_ij e_ij . (v_j - v_i),   mu_ij = 2 mu_i mu_j / (mu_i + mu_j)
//
// The same dashpots as weiler2018, and the same walls, without its solve. Linear and angular momentum are kept, a free
// surface bears no stress, and a liquid that turns as a whole is not braked. (Forces along v_ij, as in morris1997, take
// 40 % of the angular momentum of a turning drop of oil while it goes round once.)

#include <math.h>

#include "base/blocks.h"
#include "physics/viscosity/viscosity_explicit.h"
#include "physics/viscosity/viscosity_mean.h"
#include "physics/viscosity/viscosity_walls.h"
#include "sim/bodies.h"
#include "sim/state.h"

extern const frz_method frz_method_viscosity_cleary1998;

// Input of the sums over neighbours.
typedef struct dashpots
{
    const frz_model *model;
    const frz_state *state;
    const uint8_t *material; // by particle
    const uint8_t *phase;    // by particle; null: all are liquid
    const frz_real *mu;      // by material
    int own;                 // material
    frz_shear_weight weight;
} dashpots;

// s^2 / C times the force per volume of the neighbours.
static frz_v4 liquid_friction(const dashpots *d, int b, int i)
{
    const frz_pairs *pairs = &d->state->neighbors.pairs;
    const frz_v4 *velocity = frz_field_v4(&d->state->particles, FRZ_FIELD_ID_velocity);
    const frz_v4 *position = frz_field_v4(&d->state->particles, FRZ_FIELD_ID_position);
    const uint32_t *index = pairs->blocks[b].index;
    frz_v4 sum = frz_v4_zero();
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const uint32_t j = index[k];
        const frz_v4 x = frz_minimum_image(&d->state->neighbors.grid, position[i] - position[j]);
        const frz_real square = frz_v4_dot3(x, x);
        if (!(square > 0) || // padding, or two coinciding particles, which have no direction
            !frz_viscosity_is_between(d->phase, i, (int)j))
            continue;
        const frz_real mean = frz_harmonic_mean(d->mu[d->own], d->mu[d->material[j]]);
        sum += mean * frz_shear_weight_at(&d->weight, square) / square * frz_v4_dot3(x, velocity[j] - velocity[i]) * x;
    }
    return sum;
}

// Force per volume of the walls.
static frz_v4 wall_friction(const dashpots *d, int i)
{
    const frz_sample_pairs *walls = &d->state->neighbors.sample_pairs;
    frz_v4 sum = frz_v4_zero();
    for (int64_t k = walls->begin[i]; k < walls->begin[i + 1]; ++k)
    {
        const double weight = frz_viscosity_wall_weight(d->model, d->state, &d->weight, &walls->pair[k], 0.0);
        sum -= d->mu[d->own] * (frz_real)weight * frz_sample_slip(d->state, i, k);
    }
    return sum;
}

// The reaction on rigid bodies, at the particle's position, so that angular momentum is kept too.
static void drag_body(const void *user, int i, int64_t k, frz_v4 *force, frz_v4 *away)
{
    const dashpots *d = user;
    const frz_sample_pair *pair = &d->state->neighbors.sample_pairs.pair[k];
    *away = pair->difference;
    *force = frz_v4_zero();
    if (d->material[i] == d->own && frz_viscosity_is_liquid(d->phase, i))
        *force = d->mu[d->own] *
                 (frz_real)(d->model->cell * frz_viscosity_wall_weight(d->model, d->state, &d->weight, pair, 0.0)) *
                 frz_sample_slip(d->state, i, k);
}

static frz_status cleary_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                               frz_diag *diag)
{
    const frz_explicit_viscosity *self = instance->self;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_real *mu = FRZ_SCRATCH(&state->scratch, model->material_count + 1, frz_real);
    if (mu == NULL)
        return frz_fail_memory(diag, "the viscosity");
    frz_explicit_viscosity_by_material(model, instance->method, mu);
    if (!self->slip)
        FRZ_TRY(frz_state_sample_pairs(model, state, diag));
    const dashpots d = {.model = model,
                        .state = state,
                        .material = frz_particles_material(&state->particles),
                        .phase = frz_viscosity_phases(state),
                        .mu = mu,
                        .own = instance->material,
                        .weight = frz_shear_weight_make(model->spacing, model->support, model->dimension)};
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    const frz_real scale = (frz_real)(d.weight.central / (model->spacing * model->spacing));
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    const int blocks = frz_block_count(pairs->count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
        {
            if (d.material[i] != d.own)
                continue;
            frz_v4 force = scale * liquid_friction(&d, b, i);
            if (!self->slip && pairs->sample_count[i] > 0 && frz_viscosity_is_liquid(d.phase, i))
                force += wall_friction(&d, i);
            acceleration[i] += inverse_density[i] * force;
        }
    if (!self->slip && frz_body_links_wanted(state))
        FRZ_TRY(frz_body_links_push(model, state, drag_body, &d, dt, diag));
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

const frz_method frz_method_viscosity_cleary1998 = {
    .key = "cleary1998",
    .slot = FRZ_SLOT_VISCOSITY,
    .doc =
        "Explicit laminar viscosity with a physical coefficient that keeps rotation; limits the time step to density "
        "spacing^2 / viscosity.",
    .cite = "Cleary 1998, doi:10.1016/S0307-904X(98)10031-8, after Monaghan & Gingold 1983, "
            "doi:10.1016/0021-9991(83)90036-0",
    .self_size = sizeof(frz_explicit_viscosity),
    .params = frz_explicit_viscosity_params,
    .run = {[FRZ_STAGE_FORCE] = cleary_force},
    .max_dt = frz_explicit_viscosity_max_dt,
};
