// SPDX-License-Identifier: MIT
// Interface of a coupling method: links of liquid and rigid bodies.
#pragma once

#include "base/fail.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

struct frz_coupling_ops
{
    /// Make state->links for the present neighbourhood.
    frz_status (*link)(const frz_model *model, frz_state *state, frz_diag *diag);
    bool strong; ///< bodies are part of the pressure solve; else the liquid pushes them afterwards
    /// one iteration of contacts for each of the liquid (Gissler et al. 2019, Algorithm 3); else contacts are solved as
    /// a whole between solves of the liquid
    bool interleaved;
};

/// Make the links of liquid and bodies by the model's method.
FRZ_NODISCARD frz_status frz_coupling_begin(const frz_model *model, frz_state *state, frz_diag *diag);
bool frz_coupling_is_strong(const frz_model *model);
bool frz_coupling_is_interleaved(const frz_model *model);
