// SPDX-License-Identifier: MIT
// Joints between rigid bodies, or between a body and the world.
//
// A joint holds some coordinates C(x) of the poses x at zero. In a step it acts with impulses along the gradients G of
// C at the poses of the beginning, of such size that C vanishes at the poses of the end: leapfrog with constraints,
// SHAKE (Ryckaert, Ciccotti & Berendsen 1977), which does not drift and keeps the energy in the long run. With M the
// masses and inertias, velocities that have the rates u = G v are
//
//     v = v_free + M^-1 G^T l,     (G M^-1 G^T) l = u - G v_free
//
// and u is corrected (Newton's method with the matrix of the beginning) until C is zero. The matrix is symmetric, has
// entries only where joints share a body, and is factored once per step without iterations: the cost of a chain is
// proportional to its length, however heavy its load. Contacts (frz_joints_respond) and the liquid (frz_joints_project)
// get the motion of the whole mechanism by an impulse.
//
// Ropes only pull, and are rows of the contact solver (contacts_solve.c).
#pragma once

#include "rigid/rigid_body.h"

typedef enum frz_pair_joint_kind
{
    FRZ_PAIR_BALL,   ///< a point of one body is a point of the other
    FRZ_PAIR_HINGE,  ///< also an axis; in two dimensions the same as a ball
    FRZ_PAIR_SLIDER, ///< bodies move along an axis against each other and do not turn
    FRZ_PAIR_FIXED,  ///< no relative motion
    FRZ_PAIR_GEAR,   ///< of bodies on hinges or sliders of the world: the second moves ratio times as far as the first
    FRZ_PAIR_ROPE    ///< the distance of two points is at most a length
} frz_pair_joint_kind;

typedef struct frz_pair_joint
{
    frz_pair_joint_kind kind;
    int body[2];        ///< -1: the world
    frz_vec3 anchor[2]; ///< body axes
    frz_vec3 axis;      ///< of hinges and sliders, unit; body axes, the same in both
    double length;      ///< of a rope, m
    double ratio;       ///< of a gear: rad (m for sliders) of the second per rad (m) of the first
    bool collide;       ///< the two bodies have contacts with each other
} frz_pair_joint;

/// Data of a joint kept from step to step; saved in checkpoints.
typedef struct frz_joint_memory
{
    double impulse;  ///< of a rope in the last step, kg m/s
    double angle[2]; ///< rotation of the bodies of a gear, with whole turns, rad (or displacement, m)
} frz_joint_memory;

typedef struct frz_rigid_motion
{
    frz_vec3 velocity, spin;
} frz_rigid_motion;

/// A rope at the beginning of a step.
typedef struct frz_rope
{
    int joint;
    int body[2];       ///< body_count: the world
    frz_vec3 normal;   ///< unit, direction of its pull on the first body
    frz_vec3 place[2]; ///< ends
    double least;      ///< of the velocity of approach along it, m/s
    double impulse;    ///< kg m/s, at least 0; answer of the solver
} frz_rope;

typedef struct frz_joints frz_joints;

/// Joints of bodies; C is zero at the present poses.
FRZ_NODISCARD frz_status frz_joints_create(const frz_pair_joint *list, int count, const frz_rigid_body *bodies,
                                           int body_count, int dimension, double spacing, frz_joints **out,
                                           frz_diag *diag);
void frz_joints_destroy(frz_joints **joints);

/// Begin a step of length dt at the present poses; last_dt: of the last step, for the first guess of ropes; 0: none.
void frz_joints_begin(frz_joints *joints, const frz_rigid_body *bodies, double dt, double last_dt);
/// Restore the state before the last begin.
void frz_joints_undo(frz_joints *joints);

/// Change motions (by body) with impulses of the joints, so that the rates are those of the step, or zero if free.
void frz_joints_project(frz_joints *joints, frz_rigid_motion *motions, bool free);

/// Correct the rates by the value of C after dt with the present velocities. Returns the largest such error, m (angles
/// times the spacing). ahead: scratch for as many bodies.
double frz_joints_correct(frz_joints *joints, const frz_rigid_body *bodies, frz_rigid_body *ahead, double dt);

/// Record a change of motions by the joints, in response to all forces but those of frz_joints_note_push.
void frz_joints_note(frz_joints *joints, const frz_rigid_motion *change);
/// Record forces on bodies by the motions that they would cause without joints.
void frz_joints_note_push(frz_joints *joints, const frz_rigid_motion *alone);
/// Impulse (kg m/s) of a joint on its first or second body (side) in the step, and its moment about the body's
/// position.
frz_vec3 frz_joints_impulse(const frz_joints *joints, int joint, int side, frz_vec3 *moment);
/// Highest frequency of oscillations by the recorded forces, rad/s: steps must resolve it.
double frz_joints_frequency(frz_joints *joints, const frz_rigid_body *bodies, double dt);

/// End a step whose poses are final: correct joints that other corrections of poses have violated, and store rotations
/// of gears.
void frz_joints_end(frz_joints *joints, frz_rigid_body *bodies);

/// The bodies of the mechanism of this one, itself included; 0: it has no joint.
int frz_joints_members(const frz_joints *joints, int body, const int **members);
/// Number of doubles of work for frz_joints_respond, for a body.
int frz_joints_workspace(const frz_joints *joints, int body);
/// Motion of all members of a body's mechanism by an impulse that would move the body alone by alone. Thread-safe.
void frz_joints_respond(const frz_joints *joints, int body, const frz_rigid_motion *alone, double *work,
                        frz_rigid_motion *out);

/// Whether a joint between two bodies excludes contacts of them.
bool frz_joints_keep_apart(const frz_joints *joints, int a, int b);
/// A number common to all bodies connected by joints, ropes and gears included.
int frz_joints_group(const frz_joints *joints, int body);

int frz_joints_count(const frz_joints *joints);
const frz_pair_joint *frz_joints_view(const frz_joints *joints);
frz_joint_memory *frz_joints_memory(frz_joints *joints); ///< by joint
/// All ropes; ends in the world have the given index.
int frz_joints_ropes(frz_joints *joints, int world_index, frz_rope **ropes);
