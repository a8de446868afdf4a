// SPDX-License-Identifier: MIT
// Viscosity by the Laplacian of a kernel made for it, explicit. Mueller, Charypar & Gross 2003, eq. 14; Solenthaler,
// Schlaefli & Pajarola 2007, eq. 8.
//
//     a_i = (1 / rho_i) sum_j (mu_i + mu_j) / 2 (m_j / rho_j) (v_j - v_i) lap W(r_ij),   lap W = c (1 - r / R)
//
// It is for comparison with the paper: the sum is exact for a parabola only in the limit of many neighbours (0.86 to
// 1.08 of it on square, 0.95 to 1.02 on cubic lattices with supports of 2 to 3 spacings). Walls take part with the
// liquid's own viscosity, their volume and their velocity, unless the liquid may slip. Forces of a pair are equal and
// opposite along v_ij: momentum is kept, angular momentum is not.

#include <math.h>

#include "base/blocks.h"
#include "physics/viscosity/viscosity_explicit.h"
#include "physics/viscosity/viscosity_mean.h"
#include "sim/bodies.h"
#include "sim/neighborhood.h"
#include "sim/state.h"

extern const frz_method frz_method_viscosity_mueller2003;

// c of lap W = c (1 - r / R)
static double laplacian_factor(const frz_model *model)
{
    static const double unscaled[3] = {6.0, 1.0, 6.0}; // of the kernel's w in one, two and three dimensions
    const frz_kernel kernel = frz_kernel_make(FRZ_KERNEL_VISCOSITY, model->support, model->dimension);
    return unscaled[model->dimension - 1] * kernel.slope_factor / kernel.support;
}

// Within one call.
typedef struct laplacian
{
    const frz_model *model;
    const frz_state *state;
    const uint8_t *material;
    const uint8_t *phase;        // by particle; null: all are liquid
    const frz_real *mu;          // by material; those without this method take no part
    const frz_real *compression; // by free particle
    int own;                     // material whose particles are pushed
    frz_real factor;             // V c
    frz_real inverse_support;
} laplacian;

static inline frz_real weight_at(const laplacian *l, frz_v4 x)
{
    const frz_real q = (frz_real)sqrt((double)frz_v4_dot3(x, x)) * l->inverse_support;
    return q < 1 ? l->factor * (1 - q) : 0;
}

// Of a sample of a wall, whose own volume counts.
static frz_real sample_weight(const laplacian *l, int64_t k)
{
    const frz_sample_pair *pair = &l->state->neighbors.sample_pairs.pair[k];
    const frz_real *volume = frz_field_real(&l->state->particles, FRZ_FIELD_ID_volume);
    const int slot = l->state->particles.first[FRZ_ROLE_SAMPLE] + pair->slot;
    return l->mu[l->own] * volume[slot] / (frz_real)l->model->particle_volume * weight_at(l, pair->difference);
}

// Force per volume of all neighbours on particle i.
static frz_v4 force_at(const laplacian *l, int b, int i, bool slip)
{
    const frz_pairs *pairs = &l->state->neighbors.pairs;
    const frz_v4 *velocity = frz_field_v4(&l->state->particles, FRZ_FIELD_ID_velocity);
    const frz_v4 *position = frz_field_v4(&l->state->particles, FRZ_FIELD_ID_position);
    frz_v4 sum = frz_v4_zero();
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)pairs->blocks[b].index[k];
        const frz_real other = l->mu[l->material[j]];
        if (j == i || !(other > 0) || !frz_viscosity_is_between(l->phase, i, j))
            continue;
        const frz_v4 x = frz_minimum_image(&l->state->neighbors.grid, position[i] - position[j]);
        const frz_real mean = (frz_real)0.5 * (l->mu[l->own] + other);
        sum += mean / l->compression[j] * weight_at(l, x) * (velocity[j] - velocity[i]);
    }
    slip = slip || !frz_viscosity_is_liquid(l->phase, i);
    for (int64_t k = slip ? 0 : l->state->neighbors.sample_pairs.begin[i];
         !slip && k < l->state->neighbors.sample_pairs.begin[i + 1]; ++k)
        sum -= sample_weight(l, k) * frz_sample_slip(l->state, i, k);
    return frz_v4_xyz(sum);
}

// The reaction on rigid bodies, at the particle's position, so that angular momentum is kept too.
static void drag_body(const void *user, int i, int64_t k, frz_v4 *force, frz_v4 *away)
{
    const laplacian *l = user;
    *away = l->state->neighbors.sample_pairs.pair[k].difference;
    const frz_real weight = (frz_real)l->model->cell * sample_weight(l, k) / l->compression[i];
    *force = l->material[i] == l->own && frz_viscosity_is_liquid(l->phase, i) ? weight * frz_sample_slip(l->state, i, k)
                                                                              : frz_v4_zero();
}

static frz_status mueller_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
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
    const laplacian l = {.model = model,
                         .state = state,
                         .material = frz_particles_material(&state->particles),
                         .phase = frz_viscosity_phases(state),
                         .mu = mu,
                         .compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression),
                         .own = instance->material,
                         .factor = (frz_real)(model->particle_volume * laplacian_factor(model)),
                         .inverse_support = (frz_real)(1.0 / model->support)};
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    const int blocks = frz_block_count(state->neighbors.pairs.count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, state->neighbors.pairs.count); ++i)
            if (l.material[i] == l.own && mu[l.own] > 0)
                acceleration[i] += inverse_density[i] / l.compression[i] * force_at(&l, b, i, self->slip);
    if (!self->slip && frz_body_links_wanted(state))
        FRZ_TRY(frz_body_links_push(model, state, drag_body, &l, dt, diag));
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

const frz_method frz_method_viscosity_mueller2003 = {
    .key = "mueller2003",
    .slot = FRZ_SLOT_VISCOSITY,
    .doc = "Explicit viscosity by the Laplacian of Mueller's viscosity kernel, for comparison with the papers; "
           "morris1997 is "
           "more exact.",
    .cite = "Mueller, Charypar & Gross 2003, Symposium on Computer Animation, 154-159; Solenthaler, Schlaefli & "
            "Pajarola 2007, doi:10.1002/cav.162",
    .self_size = sizeof(frz_explicit_viscosity),
    .params = frz_explicit_viscosity_params,
    .run = {[FRZ_STAGE_FORCE] = mueller_force},
    .max_dt = frz_explicit_viscosity_max_dt,
};
