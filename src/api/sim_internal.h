// SPDX-License-Identifier: MIT
// The members of a frz_sim.
#pragma once

#include "base/team.h"
#include "frazil/sim.h"
#include "sim/state.h"

struct frz_sim
{
    frz_model *model;
    frz_state *state;
    char *scene_text;
    uint64_t scene_hash;
    int threads; ///< that were asked for; 0: the team chooses
    frz_team team;
    int warning_count;
    char **warnings;
    frz_log_fn *log;
    void *log_user;
    bool *announced;    ///< by emitter: there was a message about its last particle
    int noted_capacity; ///< entries allocated for missed and crushed
    bool *missed;       ///< by body: there was a message that it has left the domain
    bool *crushed;      ///< by body: there was a message that contacts cannot hold it
};

// sim_checkpoint.c

struct frz_checkpoint_reader;
/// Restore from an open checkpoint; directory is named in messages.
FRZ_NODISCARD frz_status frz_sim_take(frz_sim *sim, struct frz_checkpoint_reader *reader, const char *directory,
                                      frz_diag *diag);

// sim_sources.c

/// Warn the user of exhausted emitters, of bodies that have left the domain and of crushed bodies.
void frz_sim_announce(frz_sim *sim);

/// Size of the simulation after all emitters have finished.
void frz_sim_report_growth(const frz_sim *sim, frz_sim_report *report);
