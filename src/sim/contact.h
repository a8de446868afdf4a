// SPDX-License-Identifier: MIT
// Contacts of bodies within a step, and the interface of a contact method.
//
// A try calls the method four times: find pairs that may touch (begin), predict the velocities that contacts allow
// (predict), answer the motion that the liquid's pressure gives the bodies (answer, during the pressure solve), and
// write the result into the velocities (finish). Then the overlaps are corrected (separate). A try that fails is
// undone.
#pragma once

#include "base/fail.h"
#include "rigid/contact_pressure.h"
#include "rigid/contacts.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

struct frz_contact_ops
{
    /// Once before the first step and after a restart; self are the method's parameters.
    frz_status (*prepare)(const frz_model *model, frz_state *state, const void *self, frz_diag *diag);
    void (*destroy)(void *own); ///< of frz_contact_state.own
    /// Find bodies that may touch in a step dt; null: the solver finds them.
    frz_status (*begin)(frz_state *state, double dt, frz_diag *diag);
    /// Change the velocities of bodies. again: not the first solve in this try.
    frz_status (*solve)(frz_state *state, frz_rigid_body *bodies, bool again, frz_diag *diag);
    void (*record)(frz_state *state); ///< forces and torques of the last solve, to state->bodies.loads
    frz_status (*separate)(frz_state *state, double dt, frz_diag *diag); ///< null: overlaps are not corrected
    void (*undo)(frz_state *state);                                      ///< undo begin; null: nothing to undo
    frz_contact_stats (*report)(const frz_state *state);                 ///< of the last step
    /// One iteration for bodies with the velocities that the liquid gives them, which are changed (Gissler et al. 2019,
    /// Algorithm 3); error gets the residual over its tolerance. Null: the method has no single iterations.
    frz_status (*sweep)(frz_state *state, frz_rigid_body *bodies, double *error, frz_diag *diag);
    bool keeps_samples; ///< contact.kept has an entry for each surface sample, from step to step
};
typedef struct frz_contact_ops frz_contact_ops;

typedef struct frz_contact_state
{
    const frz_contact_ops *ops; ///< of the model's method, once prepared
    void *own;                  ///< the method's memory
    bool begun;                 ///< in the present try
    frz_contacts *set;          ///< null without rigid bodies. Saved: list and last step
    frz_contact_shape **shapes; ///< by body; null entries touch nothing
    frz_rigid_body *scratch;    ///< by body, for the solver
    frz_rigid_motion *change;   ///< by body: effect of contacts, added to the velocities at the end of the step
    frz_contact_kept *kept,
        *kept_before; ///< by surface sample, body after body: of this step and of the last one; null: none
    int64_t kept_count;
    bool interleaved; ///< the liquid asks for single iterations
    bool undone;      ///< the last try failed: the next one starts from kept_before
} frz_contact_state;

FRZ_NODISCARD frz_status frz_contact_prepare(const frz_model *model, frz_state *state, frz_diag *diag);
void frz_contact_destroy(frz_contact_state *contact);

/// Contacts at the poses and velocities of the start of the step.
FRZ_NODISCARD frz_status frz_contact_begin(frz_state *state, double dt, frz_diag *diag);
/// Predict the velocities of bodies for the particles: contact.change for the present velocities.
FRZ_NODISCARD frz_status frz_contact_predict(frz_state *state, frz_diag *diag);
/// Solve contacts for bodies with given velocities without contact impulses; the answer is contact.change.
FRZ_NODISCARD frz_status frz_contact_answer(frz_state *state, const frz_rigid_body *free, bool again, frz_diag *diag);
/// One iteration of contacts for bodies with given velocities; the answer is contact.change. False: the method solves
/// as a whole only.
bool frz_contact_can_sweep(const frz_state *state);
FRZ_NODISCARD frz_status frz_contact_sweep(frz_state *state, const frz_rigid_body *free, double *error, frz_diag *diag);
/// After the solvers: solve contacts once more, change the velocities and record the forces.
FRZ_NODISCARD frz_status frz_contact_finish(frz_state *state, frz_diag *diag);
/// Correct overlaps after bodies have moved.
FRZ_NODISCARD frz_status frz_contact_separate(frz_state *state, double dt, frz_diag *diag);
void frz_contact_undo(frz_state *state);
/// Figures of the last step; only the contact method `distance` knows the depth.
frz_contact_stats frz_contact_report(const frz_state *state);
