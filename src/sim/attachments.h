// SPDX-License-Identifier: MIT
// Attachments: particles of elastic bodies that the world, a given motion or a static body holds, or that are fixed to
// a rigid body. sim/drivers.h sets the velocities of attached particles.
#pragma once

#include "base/fail.h"
#include "geom/shape.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;
typedef struct frz_motion frz_motion;

/// Numbers of the particles that an attachment holds, and the forces that hold them.
typedef struct frz_attachment_state
{
    int count;
    int32_t *number;
    frz_v4 *place;  ///< by particle: position at the start, m; reference positions change with the bodies
    bool marked;    ///< solids.attached_body contains its particles
    frz_vec3 force; ///< on the particles during the last step, N (per metre of thickness in the plane)
} frz_attachment_state;

typedef struct frz_attachments
{
    int count;
    frz_attachment_state *item; ///< null if the scene has none
} frz_attachments;

/// Does an attachment hold at state->time?
bool frz_attachments_hold_now(const frz_model *model, const frz_state *state, int a);
/// The rigid body that carries its particles; -1: the holder is immovable.
int frz_attachments_carrier(const frz_model *model, int a);
/// Pose of attached particles at a time: pivot + arm becomes position + R arm.
void frz_attachments_pose(const frz_model *model, int a, double time, frz_vec3 *pivot, frz_vec3 *position,
                          frz_quat *rotation);

/// Find the particles (once; by their reference positions) and put their masses into the rigid bodies.
FRZ_NODISCARD frz_status frz_attachments_prepare(const frz_model *model, frz_state *state, frz_diag *diag);
/// Update solids.attached_body: particles that do not touch the rigid body that they are attached to. Needs bonds.
FRZ_NODISCARD frz_status frz_attachments_mark_bodies(const frz_model *model, frz_state *state, frz_diag *diag);
/// At the end of a step that began at the time before: rigid bodies lose the masses of released particles.
void frz_attachments_let_go(const frz_model *model, frz_state *state, double before);
/// Solid particles have new numbers; particles without one are released.
void frz_attachments_renumber(frz_state *state, const int32_t *new_of_old);
void frz_attachments_destroy(frz_state *state);
