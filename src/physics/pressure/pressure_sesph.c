// SPDX-License-Identifier: MIT
// SPH with a linear state equation. Mueller, Charypar & Gross 2003, as run by Solenthaler, Schlaefli & Pajarola 2007.
//
//     p_i = k (rho_i - rho0_i)                       Solenthaler et al. 2007, eq. 9; at least 0
//     a_i = -(1 / rho0_i) ( sum_j (P_i + P_j) V gradW_ij + P_i grad walls_i ),   P_i = p_i / delta_i^2
//
// in place of their eq. 7, -sum_j m_j (p_i + p_j) / (2 rho_j) gradW_ij, which is not equal and opposite between liquids
// of different density, and which gives half the gradient of p (the half belongs to p_j - p_i only): with eq. 7 the
// speed of sound would be sqrt(k / 2), here it is sqrt(k). Viscosity (eq. 8) is the material's own; the method adds
// none.
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
} sesph;

static const frz_param sesph_params[] = {
    {"stiffness",
     "pressure over excess density, the square of the speed of sound; 0: sound ten times as fast as the "
     "liquid is expected to get",
     FRZ_PARAM_REAL, offsetof(sesph, stiffness), 0.0, 0.0, 1e12, "m^2/s^2"},
    {"mass_density", "sum densities with the neighbours' own masses, which smears them where liquids meet",
     FRZ_PARAM_BOOL, offsetof(sesph, mass_density), 0, 0, 1, ""},
    {0},
};

static double sound_of(const frz_model *model, const sesph *self)
{
    return frz_pressure_sound(model, sqrt(self->stiffness));
}

// rho_i / rho0_i with the neighbours' own masses: the sum by number, and what neighbours of another density add to it.
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
