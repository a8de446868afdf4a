// SPDX-License-Identifier: MIT
// SPH with a linear state equation. Mueller, Charypar & Gross 2003, as run by Solenthaler, Schlaefli & Pajarola 2007.
//
//     p_i = k (rho_i - rho0_i)                       Solenthaler et al. 2007, eq. 9; at least 0
//     a_i = -(1 / rho0_i) ( sum_j (P_i + P_j) V gradW_ij + P_i grad walls_i ),   P_i = p_i / delta_i^2
//
// in place of their eq. 7, -sum_j m_j (p_i + p_j) / (2 rho_j) gradW_ij. That is a force per volume m_i / rho_i, so it
// is equal and opposite too; but it gives half the gradient of p (the half belongs to p_j - p_i only), so that the
// speed of sound is sqrt(k / 2) instead of sqrt(k), and it is no gradient of an energy. With `printed` pairs push as
// eq. 7 says, with the gradient of Mueller's spiky kernel (Mueller et al. 2003, eq. 21); walls and bodies push as
// without. `kernel: poly6` and the viscosity mueller2003 (eq. 8) complete the paper's liquid.
//
// Density is by number (Solenthaler & Pajarola 2008), or with mass_density by the neighbours' own masses,
// rho_i = sum_j m_j W_ij (Mueller et al. 2005; Solenthaler et al. 2007, eq. 4), which smears the densities where two
// liquids meet: the light one is pushed away. For comparison.

#include <math.h>

#include "physics/pressure/pressure_explicit.h"

typedef struct sesph
{
    double stiffness;
    bool mass_density;
    bool printed;
} sesph;

static const frz_param sesph_params[] = {
    {"stiffness",
     "pressure over excess density, the square of the speed of sound; 0: sound ten times as fast as the "
     "liquid is expected to get",
     FRZ_PARAM_REAL, offsetof(sesph, stiffness), 0.0, 0.0, 1e12, "m^2/s^2"},
    {"mass_density", "sum densities with the neighbours' own masses, which smears them where liquids meet",
     FRZ_PARAM_BOOL, offsetof(sesph, mass_density), 0, 0, 1, ""},
    {"printed", "forces of particles on each other as the paper prints them, with the spiky kernel: half the gradient",
     FRZ_PARAM_BOOL, offsetof(sesph, printed), 0, 0, 1, ""},
    {0},
};

static double sound_of(const frz_model *model, const sesph *self)
{
    return frz_pressure_sound(model, sqrt(self->stiffness));
}

// rho_i / rho0_i with the neighbours' own masses: the sum by number, and the correction for neighbours of another
// density.
static void sum_masses(const frz_state *state, const frz_pressure_system *p, const frz_real *by_number, frz_real *out)
{
    const frz_pairs *pairs = p->pairs;
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    const int blocks = frz_block_count(pairs->count);
    enum
    {
        kernel_lane = 3
    };
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
        {
            frz_real sum = by_number[i];
            for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
            {
                const frz_real ratio = inverse_density[i] / inverse_density[pairs->blocks[b].index[k]];
                sum += (ratio - 1) * frz_pair_load(&pairs->blocks[b].pair[k])[kernel_lane];
            }
            out[i] = sum;
        }
}

// The printed force between two free particles in place of the symmetric one.
typedef struct printed_force
{
    const frz_state *state;
    const frz_pressure_system *system;
    const frz_real *compression;
    frz_kernel spiky;
    frz_real to_gradient; // takes the slope of the kernel to gradients of pairs: V s
} printed_force;

static frz_v4 exchange(const printed_force *f, int b, int i)
{
    const frz_pairs *pairs = f->system->pairs;
    const frz_v4 *position = frz_field_v4(&f->state->particles, FRZ_FIELD_ID_position);
    const frz_real *kappa = f->system->kappa, *delta = f->compression;
    frz_v4 sum = frz_v4_zero();
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)pairs->blocks[b].index[k];
        const frz_v4 x = frz_minimum_image(&f->state->neighbors.grid, position[i] - position[j]);
        const double r = sqrt((double)frz_v4_dot3(x, x));
        if (j == i || !(r > 0.0) || frz_drivers_has(f->system->drivers, j))
            continue;
        const frz_real slope = f->to_gradient * (frz_real)(frz_kernel_slope(&f->spiky, r) / r);
        // p = P delta^2, and (p_i + p_j) / (2 delta_i delta_j)
        const frz_real mean =
            (kappa[i] * delta[i] * delta[i] + kappa[j] * delta[j] * delta[j]) / (2 * delta[i] * delta[j]);
        sum += mean * slope * x - (kappa[i] + kappa[j]) * frz_v4_xyz(frz_pair_load(&pairs->blocks[b].pair[k]));
    }
    return frz_v4_xyz(sum);
}

static void push_as_printed(const frz_model *model, const frz_state *state, const frz_pressure_system *p,
                            const frz_real *compression)
{
    const printed_force f = {.state = state,
                             .system = p,
                             .compression = compression,
                             .spiky = frz_kernel_make(FRZ_KERNEL_SPIKY, model->support, model->dimension),
                             .to_gradient = (frz_real)(model->particle_volume * model->spacing)};
    const int blocks = frz_block_count(p->pairs->count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, p->pairs->count); ++i)
            if (!frz_drivers_has(p->drivers, i))
                p->displacement[i] -= (p->mobility != NULL ? p->mobility[i] : 1) * exchange(&f, b, i);
}

static frz_status sesph_pressure(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                 frz_diag *diag)
{
    const sesph *self = instance->self;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    const double clock = frz_now();
    frz_pressure_system p;
    FRZ_TRY(frz_pressure_system_make(model, state, &p, diag));
    const frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    if (self->mass_density && !state->one_density)
    {
        frz_real *smeared = FRZ_SCRATCH(&state->scratch, p.pairs->count + 1, frz_real);
        if (smeared == NULL)
            return frz_fail_memory(diag, "the densities");
        sum_masses(state, &p, compression, smeared);
        compression = smeared;
    }
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    const double c = sound_of(model, self), to_kappa = frz_pressure_to_kappa(&p, dt);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < p.pairs->count; ++i)
    {
        // k rho0 (delta - 1) / delta^2
        const frz_real delta = compression[i], scale = (frz_real)(c * c * to_kappa) / inverse_density[i];
        p.kappa[i] = delta > 1 ? scale * (delta - 1) / (delta * delta) : 0;
    }
    frz_pressure_displace(&p);
    if (self->printed)
        push_as_printed(model, state, &p, compression);
    frz_pressure_finish_explicit(state, &p, compression, dt, clock);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

static double sesph_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    return frz_pressure_sound_max_dt(model, state, sound_of(model, instance->self), 0.0);
}

static frz_status sesph_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    const sesph *self = instance->self;
    return frz_pressure_sound_check(model, sqrt(self->stiffness), "sesph", diag);
}

const frz_method frz_method_pressure_sesph = {
    .key = "sesph",
    .slot = FRZ_SLOT_PRESSURE,
    .traits = FRZ_TRAIT_HIDES_ENERGY,
    .doc = "Compressible, explicit: pressure in proportion to the excess density; small steps, no iterations.",
    .cite = "Mueller, Charypar & Gross 2003, Symposium on Computer Animation, 154-159; Solenthaler, Schlaefli & "
            "Pajarola 2007, doi:10.1002/cav.162",
    .self_size = sizeof(sesph),
    .params = sesph_params,
    .max_dt = sesph_max_dt,
    .check = sesph_check,
    .run = {[FRZ_STAGE_PRESSURE] = sesph_pressure},
};
