// SPDX-License-Identifier: MIT
// Laminar viscosity, explicit. Morris, Fox & Zhu 1997, eq. 22, with number-density volumes.
//
//     a_i = (1 / rho_i) sum_j V_j 2 mu_ij (x_ij . gradW_ij) / (|x_ij|^2 + eta^2) v_ij
//
// with mu_ij the harmonic mean of both viscosities (Cleary 1998): the shear stress is the same on both sides of the
// middle between two particles. Walls take part with the liquid's own viscosity and their velocity, unless the liquid
// may slip. Their samples lie half a spacing behind the surface, where the velocity is prescribed: a profile that is
// linear between particle and surface continues to the sample (the paper's eq. 28).
// The sum is divided by its value for a parabola on the liquid's own lattice, 0.93 of the exact value with the default
// kernel in the plane, so that mu is the viscosity there.
// Pair forces are equal and opposite, so momentum is conserved; each is along v_ij, so angular momentum is not.

#include <math.h>

#include "base/blocks.h"
#include "physics/viscosity/viscosity_explicit.h"
#include "physics/viscosity/viscosity_mean.h"
#include "sim/bodies.h"
#include "sim/neighborhood.h"
#include "sim/state.h"

extern const frz_method frz_method_viscosity_morris1997;

// keeps coincident particles from dividing by zero; fraction of the support squared, Monaghan 1992
static const double singular_guard = 0.01 * 0.25;
// particles pressed closer to a wall than this are taken to be there; spacings, half the distance at rest
static const double nearest = 0.25;

// Value on the lattice of -sum_j V r W' r^2 / (r^2 + eta^2) / d, which should be 1.
static double lattice_share(const frz_model *model, double guard)
{
    const double spacing = model->spacing;
    const int reach = (int)ceil(model->support / spacing), depth = model->dimension == 3 ? reach : 0;
    double sum = 0.0;
    for (int k = -depth; k <= depth; ++k)
        for (int j = -reach; j <= reach; ++j)
            for (int i = -reach; i <= reach; ++i)
            {
                const double r = spacing * sqrt((double)(i * i + j * j + k * k));
                sum -= model->particle_volume * r * frz_kernel_slope(&model->kernel, r) * r * r / (r * r + guard);
            }
    return sum / model->dimension;
}

// V_b 2 mu (x_ib . gradW_ib) / (|x_ib|^2 + eta^2) (1 + s / 2a), a the distance to the surface; 0 for a face that looks
// elsewhere.
static frz_real wall_weight(const frz_state *state, const frz_sample_pair *pair, frz_real mu, frz_real guard,
                            double spacing)
{
    const double half = 0.5 * spacing;
    const double depth = (double)frz_v4_dot3(pair->difference, state->samples.normal[pair->slot]);
    if (depth <= 0.0)
        return 0;
    const frz_real beyond = (frz_real)(1.0 + half / fmax(depth - half, nearest * spacing));
    return 2 * mu * beyond * frz_v4_dot3(pair->difference, pair->gradient) /
           (frz_v4_dot3(pair->difference, pair->difference) + guard);
}

// Friction of the walls near particle i: sum_b of the weights times (v_i - v_b).
static frz_v4 wall_friction(const frz_state *state, int i, frz_real mu, frz_real guard, double spacing)
{
    frz_v4 sum = frz_v4_zero();
    for (int64_t k = state->neighbors.sample_pairs.begin[i]; k < state->neighbors.sample_pairs.begin[i + 1]; ++k)
        sum += wall_weight(state, &state->neighbors.sample_pairs.pair[k], mu, guard, spacing) *
               frz_sample_slip(state, i, k);
    return sum;
}

// Input of the drag on rigid bodies.
typedef struct body_drag
{
    const frz_state *state;
    const uint8_t *own;   // material by particle
    const uint8_t *phase; // by particle; null: all are liquid
    int material;
    frz_real mu, guard, cell;
    double spacing;
} body_drag;

// The same force on rigid bodies, equal and opposite and at the particle's position, so that angular momentum is kept
// too.
static void drag_body(const void *user, int i, int64_t k, frz_v4 *force, frz_v4 *away)
{
    const body_drag *d = user;
    const frz_sample_pair *pair = &d->state->neighbors.sample_pairs.pair[k];
    const frz_real weight = -d->cell * wall_weight(d->state, pair, d->mu, d->guard, d->spacing);
    *force = d->own[i] == d->material && frz_viscosity_is_liquid(d->phase, i) ? weight * frz_sample_slip(d->state, i, k)
                                                                              : frz_v4_zero();
    *away = pair->difference;
}

static frz_status morris_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
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
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const uint8_t *material = frz_particles_material(&state->particles), *phase = frz_viscosity_phases(state);
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    const frz_real guard = (frz_real)(singular_guard * model->support * model->support);
    const double calibration = 1.0 / lattice_share(model, (double)guard);
    const frz_real inverse_spacing = (frz_real)(calibration / model->spacing);
    const int blocks = frz_block_count(pairs->count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
        {
            if (material[i] != instance->material)
                continue;
            frz_v4 sum = frz_v4_zero();
            for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
            {
                const uint32_t j = pairs->blocks[b].index[k];
                if (!frz_viscosity_is_between(phase, i, (int)j))
                    continue;
                const frz_v4 x = frz_minimum_image(&state->neighbors.grid, position[i] - position[j]);
                const frz_real slope =
                    frz_pairs_bare(pairs, i, (int)j) * frz_v4_dot3(x, frz_pair_load(&pairs->blocks[b].pair[k]));
                const frz_real weight =
                    2 * frz_harmonic_mean(mu[material[i]], mu[material[j]]) * slope / (frz_v4_dot3(x, x) + guard);
                sum += weight * (velocity[i] - velocity[j]);
            }
            sum *= inverse_spacing;
            if (!self->slip && pairs->sample_count[i] > 0 && frz_viscosity_is_liquid(phase, i))
                sum += wall_friction(state, i, (frz_real)(calibration * self->viscosity), guard, model->spacing);
            acceleration[i] += inverse_density[i] * sum;
        }
    if (!self->slip && frz_body_links_wanted(state))
    {
        const body_drag drag = {.state = state,
                                .own = frz_particles_material(&state->particles),
                                .phase = phase,
                                .material = instance->material,
                                .mu = (frz_real)(calibration * self->viscosity),
                                .guard = guard,
                                .cell = (frz_real)model->cell,
                                .spacing = model->spacing};
        FRZ_TRY(frz_body_links_push(model, state, drag_body, &drag, dt, diag));
    }
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

const frz_method frz_method_viscosity_morris1997 = {
    .key = "morris1997",
    .slot = FRZ_SLOT_VISCOSITY,
    .doc = "Explicit laminar viscosity with a physical coefficient; limits the time step to density spacing^2 / "
           "viscosity.",
    .cite = "Morris, Fox & Zhu 1997, doi:10.1006/jcph.1997.5776",
    .self_size = sizeof(frz_explicit_viscosity),
    .params = frz_explicit_viscosity_params,
    .run = {[FRZ_STAGE_FORCE] = morris_force},
    .max_dt = frz_explicit_viscosity_max_dt,
};
