// SPDX-License-Identifier: MIT
// What a run needs of the inside of a simulation, beyond the public interface.
//
// Kept apart because space/grid.h, which the state includes, has a frz_run of its own (a stretch of candidates).
#pragma once

#include "frazil/sim.h"
#include "particles/store.h"
#include "sim/model.h"

const frz_model *frz_sim_model(const frz_sim *sim);
const frz_particles *frz_sim_particles(const frz_sim *sim);

/// Take away the rounding error of a sum of steps: time must be what the simulation has reached, but for that.
void frz_sim_round_time(frz_sim *sim, double time);
