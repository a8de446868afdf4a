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
    bool *announced;    ///< by emitter: the user knows that it has made its last particle
    int noted_capacity; ///< bodies that missed and crushed have room for
    bool *missed;       ///< by body: the user knows that it has left the domain
    bool *crushed;      ///< by body: the user knows that contacts cannot hold it
};

// sim_checkpoint.c

struct frz_checkpoint_reader;
/// Restore from an open checkpoint; directory is named in messages.
FRZ_NODISCARD frz_status frz_sim_take(frz_sim *sim, struct frz_checkpoint_reader *reader, const char *directory,
                                      frz_diag *diag);

// sim_sources.c

/// Tell the user about emitters that have made all they may, of bodies that have left the domain and of such that are
/// crushed.
void frz_sim_announce(frz_sim *sim);

/// How large the simulation will be when the emitters have done their work.
void frz_sim_report_growth(const frz_sim *sim, frz_sim_report *report);
