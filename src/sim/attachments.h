// SPDX-License-Identifier: MIT
// Attachments: parts of elastic bodies that are held by the world, a given motion or a static body, or carried by a
// rigid one.
#pragma once

#include "base/fail.h"
#include "geom/shape.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;
typedef struct frz_motion frz_motion;

/// Numbers of the particles that an attachment holds, and what it takes to hold them; derived, not saved.
typedef struct frz_attachment_state
{
    int count;
    int32_t *number;
    bool glued;     ///< the solids' glue knows that it holds
    frz_vec3 force; ///< on the particles during the last step, N (per metre of thickness in the plane)
} frz_attachment_state;

/// Does an attachment hold at state->time?
bool frz_attachments_hold_now(const frz_model *model, const frz_state *state, int a);
/// At the end of a step that began at the time before: rigid bodies lose the masses of what attachments have let go of.
void frz_attachments_let_go(const frz_model *model, frz_state *state, double before);

/// Find the particles (once; by their reference positions).
FRZ_NODISCARD frz_status frz_attachments_prepare(const frz_model *model, frz_state *state, frz_diag *diag);
void frz_attachments_destroy(frz_state *state);

/// Add the attached particles to state->held, with numbers behind those of the emitters.
FRZ_NODISCARD frz_status frz_attachments_mark_held(const frz_model *model, frz_state *state, frz_diag *diag);
/// Give them the velocity that takes them to their place at the end of the step; what that takes adds to the force,
/// which first sets to zero. Not those that rigid bodies carry.
void frz_attachments_hold(const frz_model *model, frz_state *state, double dt, bool first);
