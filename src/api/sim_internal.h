// SPDX-License-Identifier: MIT
// What a frz_sim holds.
#pragma once

#include "frazil/sim.h"
#include "sim/state.h"

struct frz_sim
{
    frz_model *model;
    frz_state *state;
    char *scene_text;
    uint64_t scene_hash;
    int threads;
    int warning_count;
    char **warnings;
    frz_log_fn *log;
    void *log_user;
};
