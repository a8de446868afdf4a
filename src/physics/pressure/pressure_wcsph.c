// SPDX-License-Identifier: MIT
// Weakly compressible SPH. Becker & Teschner 2007, with number-density volumes.
//
//     p_i = (rho_i c^2 / gamma) (delta_i^gamma - 1)      eq. 7 (Tait), gamma = 7; at least 0: liquids do not pull
//     a_i = -(1 / rho_i) ( sum_j (P_i + P_j + Q_ij) V gradW_ij + P_i grad walls_i ),   P_i = p_i / delta_i^2
//     Q_ij = -alpha h c rho_ij min(0, v_ij . x_ij) / (|x_ij|^2 + 0.01 h^2)
//
// P is eq. 6, Q the artificial viscosity of eqs. 10-11 (Monaghan 1992), part of the method: without it nothing damps
// the sound that every impact sets free. rho_ij is the harmonic mean of the rest densities (2 / (rho_i + rho_j) in the
// acceleration), h half the support. Walls do not rub. One sweep over the pairs does it all.

#include <math.h>

#include "physics/pressure/pressure_explicit.h"

typedef struct wcsph
{
    double speed_of_sound;
    double artificial_viscosity;
} wcsph;

static const frz_param wcsph_params[] = {
    {"speed_of_sound", "0: ten times the speed that the liquid is expected to get", FRZ_PARAM_REAL,
     offsetof(wcsph, speed_of_sound), 0.0, 0.0, 1e6, "m/s"},
    {"artificial_viscosity", "damps approaching particles; the paper uses 0.08 to 0.5", FRZ_PARAM_REAL,
     offsetof(wcsph, artificial_viscosity), 0.08, 0.0, 10.0, ""},
    {0},
};

// exponent of the state equation; Becker & Teschner 2007 take that of water
static const double gamma_water = 7.0;
// keeps coincident particles from dividing by zero; fraction of h squared, Monaghan 1992
static const double singular_guard = 0.01;

// Constants of the artificial viscosity in working precision.
typedef struct friction
{
    frz_real strength; // alpha h c dt^2 / s^2, which gives the Q of kappa, m^2
    frz_real guard;    // m^2
} friction;

// P dt^2 / (rho_ref s^2) by the state equation, and the velocities with it in their spare lanes: one load for both.
static void set_kappa(const frz_state *state, const frz_pressure_system *p, const frz_real *compression, double scale,
                      frz_v4 *loaded)
{
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < p->pairs->count; ++i)
    {
        const frz_real delta = compression[i], square = delta * delta;
        const frz_real tait = square * square * square * delta - 1;
        const frz_real factor = (frz_real)scale / inverse_density[i];
        p->kappa[i] = delta > 1 ? factor * tait / square : 0;
        loaded[i] = velocity[i];
        loaded[i][3] = p->kappa[i];
    }
}

// kappa_j + Q_ij of the four pairs of i that start at index.
static inline __attribute__((always_inline)) frz_v4 push_of(const frz_state *state, const frz_pressure_system *p,
                                                            const friction *f, const frz_v4 *position,
                                                            const frz_v4 *loaded, int i, const uint32_t *index,
                                                            bool periodic)
{
    const frz_w8 here = frz_w8_join(position[i], position[i]), own = frz_w8_join(loaded[i], loaded[i]);
    frz_w8 x01 = here - frz_w8_join(position[index[0]], position[index[1]]);
    frz_w8 x23 = here - frz_w8_join(position[index[2]], position[index[3]]);
    if (periodic)
    {
        frz_v4 x[4];
        for (int l = 0; l < 4; ++l)
            x[l] = frz_minimum_image(&state->neighbors.grid, position[i] - position[index[l]]);
        x01 = frz_w8_join(x[0], x[1]);
        x23 = frz_w8_join(x[2], x[3]);
    }
    const frz_w8 v01 = frz_w8_join(loaded[index[0]], loaded[index[1]]);
    const frz_w8 v23 = frz_w8_join(loaded[index[2]], loaded[index[3]]);
    frz_v4 approach, square; // the spare lanes of positions are zero
    frz_w8_sum4_two(x01 * (own - v01), x23 * (own - v23), x01 * x01, x23 * x23, &approach, &square);
    const __typeof__(approach < square) near = approach < frz_v4_zero();
    frz_v4 q = (frz_v4)(near & (__typeof__(near))approach); // min(0, v . x), four at once
    q = frz_v4_splat(-f->strength) * q / (square + frz_v4_splat(f->guard));
    if (p->mobility != NULL)
        for (int l = 0; l < 4; ++l)
            q[l] *= 2 / (p->mobility[i] + p->mobility[index[l]]);
    return q + frz_w8_spare4(v01, v23);
}

// u_i = -(rho_ref / rho_i) (kappa_i S_i + sum_j (kappa_j + q_ij) g_ij)
static inline __attribute__((always_inline)) void displace_block(const frz_state *state, const frz_pressure_system *p,
                                                                 const friction *f, const frz_v4 *loaded, int b,
                                                                 bool periodic)
{
    const frz_pairs *pairs = p->pairs;
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
    {
        const frz_pair *pair = pairs->blocks[b].pair + pairs->begin[i];
        const uint32_t *index = pairs->blocks[b].index + pairs->begin[i];
        const uint32_t *end = pairs->blocks[b].index + pairs->end[i];
        frz_w8 sum0 = frz_w8_splat(0), sum1 = sum0;
        for (; index < end; index += 4, pair += 4)
        {
            frz_w8 push0, push1;
            frz_w8_splat4(push_of(state, p, f, position, loaded, i, index, periodic), &push0, &push1);
            sum0 += push0 * frz_pair_load2(pair);
            sum1 += push1 * frz_pair_load2(pair + 2);
        }
        const frz_real mobility = p->mobility != NULL ? p->mobility[i] : 1;
        const frz_v4 walls = frz_pair_mirrored(pairs, p->kappa, b, i) * pairs->sample_gradient[i];
        p->displacement[i] =
            frz_v4_xyz(-mobility * (p->kappa[i] * pairs->gradient_sum[i] + frz_w8_fold(sum0 + sum1) + walls));
    }
}

static void displace(const frz_state *state, const frz_pressure_system *p, const friction *f, const frz_v4 *loaded)
{
    const bool periodic =
        state->neighbors.grid.periodic[0] || state->neighbors.grid.periodic[1] || state->neighbors.grid.periodic[2];
    const int blocks = frz_block_count(p->pairs->count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        if (periodic)
            displace_block(state, p, f, loaded, b, true);
        else
            displace_block(state, p, f, loaded, b, false);
}

static frz_status wcsph_pressure(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                 frz_diag *diag)
{
    const wcsph *self = instance->self;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    const double clock = frz_now();
    frz_pressure_system p;
    FRZ_TRY(frz_pressure_system_make(model, state, &p, diag));
    const frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    const double c = frz_pressure_sound(model, self->speed_of_sound), h = 0.5 * model->support;
    frz_v4 *loaded = FRZ_SCRATCH(&state->scratch, p.pairs->count + 1, frz_v4);
    if (loaded == NULL)
        return frz_fail_memory(diag, "the pressure");
    set_kappa(state, &p, compression, c * c / gamma_water * frz_pressure_to_kappa(&p, dt), loaded);
    const double steps = dt / model->spacing;
    const friction f = {.strength = (frz_real)(self->artificial_viscosity * h * c * steps * steps),
                        .guard = (frz_real)(singular_guard * h * h)};
    if (f.strength > 0)
        displace(state, &p, &f, loaded);
    else
        frz_pressure_displace(&p);
    frz_pressure_finish_explicit(state, &p, compression, dt, clock);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

static double wcsph_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    const wcsph *self = instance->self;
    return frz_pressure_sound_max_dt(model, state, frz_pressure_sound(model, self->speed_of_sound),
                                     self->artificial_viscosity);
}

static frz_status wcsph_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    const wcsph *self = instance->self;
    return frz_pressure_sound_check(model, self->speed_of_sound, "wcsph", diag);
}

const frz_method frz_method_pressure_wcsph = {
    .key = "wcsph",
    .slot = FRZ_SLOT_PRESSURE,
    .traits = FRZ_TRAIT_HIDES_ENERGY,
    .doc = "Weakly compressible, explicit: stiff state equation and artificial viscosity; small steps, no iterations.",
    .cite = "Becker & Teschner 2007, Symposium on Computer Animation, 209-217",
    .self_size = sizeof(wcsph),
    .params = wcsph_params,
    .max_dt = wcsph_max_dt,
    .check = wcsph_check,
    .run = {[FRZ_STAGE_PRESSURE] = wcsph_pressure},
};
