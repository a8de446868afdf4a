// SPDX-License-Identifier: MIT
// The few looks that a run takes into a simulation.
#include "api/run_sim.h"

#include "api/sim_internal.h"

const frz_model *frz_sim_model(const frz_sim *sim)
{
    return sim->model;
}

const frz_particles *frz_sim_particles(const frz_sim *sim)
{
    return &sim->state->particles;
}

void frz_sim_round_time(frz_sim *sim, double time)
{
    sim->state->time = time;
}
