// SPDX-License-Identifier: MIT
// Corrections of the density that move positions.
//
// Particles in disorder change their density as they pass each other, and its correction is a motion of single
// particles besides that of the flow. As a velocity it is shear of the length of a spacing, and friction dissipates the
// energy of the flow through it: a cylinder that sinks in syrup had 0.85 to 0.93 of its speed, because the dashpots
// around it took twice the power of the flow. An error of position belongs into positions.
//
// Two rates decide. Neighbours pass each other with v / s, v the fastest speed, and friction slows a particle that
// moves among neighbours at rest with the rate r of its viscosity. Where r is the larger one, friction damps the
// velocity of one arrangement before the next; where it is the smaller one, friction has no effect, and water at rest
// needs the correction in its velocities. So the fraction r / (r + v / s) of a multiplier moves positions, the rest
// stays in the velocity. The forces of each multiplier are equal and opposite, and so are those of any fraction of it.
//
// Rigid bodies are moved along. Elastic bodies would be strained: multipliers that push them stay in the velocity, and
// so do all in a weak coupling, whose bodies do not move with the solution.
#include <math.h>

#include "physics/pressure/pressure_system.h"

// Whether the multiplier of particle i pushes something elastic.
static bool pushes_elastic(const frz_pairs *pairs, const uint8_t *phase, int b, int i)
{
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const uint8_t other = phase[pairs->blocks[b].index[k]];
        if (other != FRZ_PHASE_LIQUID && other != FRZ_PHASE_RIGID)
            return true;
    }
    return false;
}

frz_status frz_pressure_places_make(const frz_model *model, frz_state *state, frz_pressure_system *system,
                                    frz_diag *diag)
{
    const frz_instance *viscosity = frz_model_friction(model);
    const int count = system->pairs->count;
    if (viscosity == NULL || system->closed || count == 0 || (system->links != NULL && !system->strong))
        return FRZ_OK;
    frz_real *share = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    if (share == NULL)
        return frz_fail_memory(diag, "the pressure solver");
    FRZ_TRY(viscosity->method->friction_rate(model, state, viscosity, share, diag));
    const uint8_t *phase =
        state->solids.count > 0 || state->attempt.points.is_one != NULL ? frz_particles_phase(&state->particles) : NULL;
    const frz_real passing = (frz_real)(state->stats.max_speed / model->spacing);
    int moving = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : moving)
    for (int b = 0; b < frz_block_count(count); ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
        {
            const bool held = !(share[i] > 0) || (phase != NULL && pushes_elastic(system->pairs, phase, b, i));
            share[i] = held ? 0 : share[i] / (share[i] + passing);
            moving += !held;
        }
    system->in_places = moving > 0 ? share : NULL;
    return FRZ_OK;
}

void frz_pressure_move_places(const frz_model *model, const frz_pressure_system *system, const frz_real *taken,
                              const frz_real *share, frz_real all)
{
    frz_v4 *position = frz_field_v4(&system->state->particles, FRZ_FIELD_ID_position);
    const frz_real most = (frz_real)frz_pressure_steady(model), spacing = (frz_real)system->spacing;
#pragma omp parallel for schedule(static) if (system->pairs->count >= frz_parallel_least)
    for (int i = 0; i < system->pairs->count; ++i)
    {
        const frz_real part = (share != NULL ? share[i] : all) * taken[i];
        system->kappa[i] = !frz_pressure_may_move(system, i) ? 0 : part < most ? part : most;
    }
    frz_pressure_displace(system);
#pragma omp parallel for schedule(static) if (system->pairs->count >= frz_parallel_least)
    for (int i = 0; i < system->pairs->count; ++i)
        if (frz_pressure_may_move(system, i) && !frz_drivers_has(system->drivers, i))
            position[i] += frz_v4_xyz(spacing * system->displacement[i]);
    frz_pressure_bodies_shift(system->state, system);
}
