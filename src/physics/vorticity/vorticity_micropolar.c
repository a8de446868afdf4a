// SPDX-License-Identifier: MIT
// Micropolar liquid: particles spin, and spin and flow drive each other. Bender et al. 2017, eq. 8-9.
//
//     Dv/Dt       += nu_t curl(omega)
//     Theta Domega/Dt = nu_t (curl(v) - 2 omega) + zeta laplace(omega)
//
// with the spin omega, its inertia per mass Theta (given in spacings squared) and the transfer nu_t. The curls are each
// other's transpose,
//
//     curl(v)_i     = sum_j V (v_i - v_j) x gradW_ij
//     curl(omega)_i = sum_j V gradW_ij x (omega_i + omega_j)
//
// over the factor by which such a sum over-reads a gradient on the lattice. This differs from the paper (differences in
// both): the forces are then equal and opposite, and the spin gains the energy nu_t curl(v) . omega that the flow
// loses. The term nu_t laplace(v) of the full theory is left to the viscosity method: without it spin in step with the
// flow (2 omega = curl v) gives back nu_t curl(v)^2 / 2 per mass and time, which replaces the swirl that the particles
// lose. A transfer beyond twice the kinematic viscosity (real and numerical) therefore adds energy.

#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "sim/state.h"

typedef struct micropolar
{
    double transfer;
    double inertia;
    double spin_viscosity;
} micropolar;

static const frz_param micropolar_params[] = {
    {"transfer", "exchange between flow and spin, nu_t", FRZ_PARAM_REAL, offsetof(micropolar, transfer), 1.0e-4, 0.0,
     1.0e3, "m2/s"},
    {"inertia", "inertia of the spin per mass, in spacings squared", FRZ_PARAM_REAL, offsetof(micropolar, inertia), 0.5,
     0.01, 100.0, ""},
    {"spin_viscosity", "diffusion of the spin, zeta over its inertia", FRZ_PARAM_REAL,
     offsetof(micropolar, spin_viscosity), 0.0, 0.0, 1.0e3, "m2/s"},
    {0},
};

static const frz_field_decl micropolar_fields[] = {
    {"spin", 3, "rad/s", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,
     "angular velocity of the particle; vorticity micropolar"},
    {0},
};

// dt <= this * s^2 / nu_t: as for an explicit viscosity, Morris et al. 1997, eq. 29
static const double stability = 0.125;
// keeps coincident particles from dividing by zero; fraction of the support squared, Monaghan 1992
static const double singular_guard = 0.01 * 0.25;

// Value on the lattice of sum_j V x_ij . (-gradW_ij) / d, which should be 1.
static double lattice_slope(const frz_model *model)
{
    const int reach = (int)(model->support / model->spacing), deep = model->dimension == 3 ? reach : 0;
    double sum = 0.0;
    for (int x = -reach; x <= reach; ++x)
        for (int y = -reach; y <= reach; ++y)
            for (int z = -deep; z <= deep; ++z)
            {
                const double r = model->spacing * sqrt((double)(x * x + y * y + z * z));
                sum -= r < model->support ? r * frz_kernel_slope(&model->kernel, r) : 0.0;
            }
    return sum * model->particle_volume / model->dimension;
}

static frz_v4 cross(frz_v4 a, frz_v4 b)
{
    return frz_v4_set(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 0);
}

// Sums over the neighbours of particle i of the same material.
typedef struct swirl
{
    frz_v4 curl_velocity, curl_spin, laplace_spin;
} swirl;

static swirl swirl_at(const frz_model *model, const frz_state *state, const frz_v4 *spin, int i)
{
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_pair_block *block = &pairs->blocks[i / FRZ_BLOCK];
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const uint8_t *material = frz_particles_material(&state->particles);
    const frz_real guard = (frz_real)(singular_guard * model->support * model->support);
    const frz_real inverse_spacing = (frz_real)(1.0 / model->spacing);
    swirl sum = {frz_v4_zero(), frz_v4_zero(), frz_v4_zero()};
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const uint32_t j = block->index[k];
        if (material[j] != material[i])
            continue;
        const frz_real bare = inverse_spacing * frz_pairs_bare(pairs, i, (int)j);
        const frz_v4 gradient = bare * frz_v4_xyz(frz_pair_load(&block->pair[k]));
        const frz_v4 x = frz_minimum_image(&state->neighbors.grid, position[i] - position[j]);
        sum.curl_velocity += cross(velocity[i] - velocity[j], gradient);
        sum.curl_spin += cross(gradient, spin[i] + spin[j]);
        const frz_real slope = 2 * frz_v4_dot3(x, gradient) / (frz_v4_dot3(x, x) + guard);
        sum.laplace_spin += slope * (spin[i] - spin[j]);
    }
    return sum;
}

static frz_status micropolar_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                   frz_diag *diag)
{
    const micropolar *self = instance->self;
    const int count = state->neighbors.pairs.count, rows = frz_particles_rows(&state->particles);
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_v4 *before = FRZ_SCRATCH(&state->scratch, rows + 1, frz_v4);
    if (before == NULL)
        return frz_fail_memory(diag, "the spin");
    frz_v4 *spin = frz_field_v4(&state->particles, instance->first_field);
    memcpy(before, spin, (size_t)count * sizeof *before);
    const uint8_t *material = frz_particles_material(&state->particles);
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    const double inertia = self->inertia * model->spacing * model->spacing;
    const double slope = lattice_slope(model);
    const frz_real transfer = (frz_real)(self->transfer / slope), diffusion = (frz_real)(dt * self->spin_viscosity);
    const double decay = dt * self->transfer / inertia;
    const frz_real gain = (frz_real)(decay / slope);
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < count; ++i)
    {
        if (material[i] != instance->material)
            continue;
        const swirl around = swirl_at(model, state, before, i);
        acceleration[i] += transfer * around.curl_spin;
        // the decay is implicit: spin may settle within a step, but never overshoots
        spin[i] =
            (before[i] + gain * around.curl_velocity + diffusion * around.laplace_spin) / (frz_real)(1.0 + 2.0 * decay);
    }
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

static double micropolar_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    (void)state;
    const micropolar *self = instance->self;
    const double fastest = fmax(self->transfer, self->spin_viscosity);
    return fastest > 0.0 ? stability * model->spacing * model->spacing / fastest : HUGE_VAL;
}

extern const frz_method frz_method_vorticity_micropolar;
const frz_method frz_method_vorticity_micropolar = {
    .key = "micropolar",
    .slot = FRZ_SLOT_VORTICITY,
    .traits = FRZ_TRAIT_HIDES_ENERGY,
    .doc = "Particles with a spin of their own that stores swirl and gives it back to the flow.",
    .cite = "Bender, Koschier, Kugelstadt & Weiler 2017, doi:10.1145/3099564.3099578",
    .self_size = sizeof(micropolar),
    .params = micropolar_params,
    .fields = micropolar_fields,
    .run = {[FRZ_STAGE_FORCE] = micropolar_force},
    .max_dt = micropolar_max_dt,
};
