// SPDX-License-Identifier: MIT
// Response of elastic bodies of implicit methods to impulses within a step.
//
// An implicit step solves for velocities and elastic forces together: with tau = theta dt, A = m (1 + tau c) + tau^2 K.
// An impulse J that comes later, of a contact or of friction, changes the velocities by A^-1 J, not by J / m: the
// elastic forces answer it within the step. Impulses on bare masses would move the surface of a body without the rest,
// and store more elastic energy than the contact takes of the kinetic one, up to (theta omega dt)^2 times as much.
//
// Bodies move with w = theta v" + (1 - theta) v in the step, so the work of impulses is J . w. The scheme with the
// contact inside changes the energy by that work, less the damping by theta > 1/2: if contacts do no positive work in
// total, energy does not grow, for any step and for theta from 1/2 on.
//
// The solvers of impulses (pressure, friction) use the estimate give / m of A^-1, give being a number for each body.
// Here the impulses get their true answer A^-1 J and a factor alpha, one for each group of bodies in contact, which
// limits their work to the intended one:
//
//     alpha = -(W + R) / Q      W: J . w before them,   R: allowed approach and slip, times the impulses,
//                               Q: J . (theta A^-1 J)
//
// That is the best point along J of the problem with the true A^-1, and friction stays in Coulomb's cone. The impulses
// on liquid stay as solved, with alpha below 1 only if the body yields more than estimated. They come before the
// impulses of contacts. A change that contacts make in the work of the former counts as work of contacts.
//
// The error of the estimate in the last step, (A^-1 - give / m) J, serves as correction in this step (a deferred
// correction): impulses that held a body in the last step hold it in the next, and it does not creep. The same holds
// for the push of liquid: a stiff plate yields much less to a pressure than to a push at one point. Without the
// correction, liquid that relies on the yielding would be compressed in every step and pushed back by the correction of
// the density, which creates energy. Both corrections are renewed with the pressures of the step until they agree with
// them: where the particles that touch change, as on a film of melt, those of the last step are wrong, and with them a
// load would pass one body of a pile per step. Friction is found later: that of the last step counts until then.
//
// Impulses of contacts that last change little from step to step. So the implicit step is solved with those of the
// last one, J', inside, and only the change is left to be solved for: A^-1 J = x' + A^-1 (J - J'), with x' the answer
// of the last step. Each renewal is the J' and x' of the next, or rather the multiple of these and of what the step has
// changed in them that comes nearest to J. Velocities are kept without the first x' in between.
// With alpha = 1 that is exact for every x'. Else the error of x', which belongs to a matrix that is a step old,
// counts alpha - 1 times, and alpha itself is found with it: then the error y = A^-1 J' - x' is solved for, added to
// the answer and taken from the velocities. Bonds that break change the matrix most. Without J' inside, the implicit
// step would first move the body as if unsupported, and the answer would move it back. Residuals of the step's solver
// are part of J', so the answer corrects them: its tolerance may be that of contacts.
//
// All pairs with at least one particle of such a body are scaled with the factor of its group: momentum is kept. Other
// particles in these pairs (liquid, explicit bodies) answer with their masses, and rigid bodies with theirs and with
// their contacts and joints: the floor below a rigid body bears its load. Contacts are asked twice, for
// the bodies without and with the impulses, and the change is taken as linear in alpha. Contact laws are
// monotone, so that J . (answer) of all bodies that touch each other, which are one group, is not negative.
//
// A rigid body made of particles that ties hold to an implicit body is among the unknowns of A. So the push of liquid
// on it has its answer there, too; the estimate is that of the body alone. Left to that, the first step of a blow would
// move the rigid part without the rest, and the ties would store more energy than the liquid has lost.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fail.h"
#include "base/simd.h"
#include "math/vec3.h"
#include "rigid/contacts.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;
typedef struct frz_response frz_response;
typedef struct frz_kicks frz_kicks;

/// Source of the impulses of a stage.
typedef enum frz_kicks_kind
{
    FRZ_KICKS_LIQUID,  ///< pressure of liquid: the factor is at most 1
    FRZ_KICKS_CONTACT, ///< pressure and friction of solids on each other: any factor
} frz_kicks_kind;

/// Fill in the effect of kicks on a body's particles (answer), and on rigid bodies that carry some (motion).
typedef frz_status frz_response_fn(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag);

/// An elastic body after its implicit step; a list in scratch memory.
struct frz_response
{
    frz_response *next;
    frz_response_fn *answer;
    frz_response_fn *mend;   ///< called if a factor differs from 1 although the step began with the last contacts
    frz_response_fn *settle; ///< called after factors are known and velocities have changed
    int body;
    double theta;
    frz_v4 *last_kick, *last_answer;         ///< by number in the body: J' / m and x', m/s; then those answered last
    const frz_v4 *begin_kick, *begin_answer; ///< by number: J' / m and x'
    frz_v4 *now_kick, *now_answer;           ///< by number: room for those answered last
    const frz_v4 *last_missed; ///< by number in the body: error of the answer to liquid in the last step, m/s
    const frz_v4 *last_rub;    ///< by number in the body: the part of J' / m that is friction, m/s
    bool begun;                ///< answers start from these
    bool inside;               ///< the step began with J' inside: velocities are without x' until then
    bool restarts;             ///< answers can start from other impulses and their answer, too
    frz_v4 *kick_now, *answer_now, *missed_now, *rub_now; ///< by slot: the same for the next step
    double longer;    ///< length of the step over that of the last one; 0: they differ too much
    double stiffness; ///< (lambda + 2 mu) tau^2 / (rho s^2): squared ratio of tau and the time of a wave over a spacing
};

/// The impulses of one stage. Arrays by slot of a free particle or by body.
struct frz_kicks
{
    int count, body_count;
    frz_kicks_kind kind;          ///< of the impulses being answered
    bool implicit;                ///< one of the bodies is implicit
    const frz_response **of_body; ///< null: no implicit body
    double *give;                 ///< by body: estimate of A^-1 over 1 / m at contacts; an upper bound of its response
    double *kept;                 ///< by body: multiple of x' in its answers
    const frz_response **tied;    ///< by rigid body of particles: the implicit body that ties hold it to; null: none
    const int32_t *body_of_slot;
    const int32_t *driven;      ///< by slot: not 0 where a driver determines the velocity; may be null
    frz_v4 *kick;               ///< by slot: effect of the impulses on a particle alone, m/s
    frz_v4 *answer;             ///< by slot: effect on it as part of its body, m/s; of a held particle: effect of the
                                ///< elastic body on it
    frz_v4 *acted;              ///< by slot: the kicks of these answers; differ from kick by the solver's error, m/s
    frz_v4 *missed;             ///< by slot: error of the estimate of the answer, m/s
    frz_v4 *missed_liquid;      ///< by slot: the part of it that answers liquid
    frz_v4 *last_rub;           ///< by slot: kicks of friction in the last step, m/s
    frz_v4 *earlier;            ///< by slot: kicks of soft particles by liquid, already applied, m/s
    frz_v4 *rub;                ///< by slot: the part of the kicks that is friction, m/s
    double *given;              ///< by slot: -J . velocity of walls of given motion, and R, J
    double *warming;            ///< by slot: half of the heat of friction at it, estimated, J
    double *cooling;            ///< by slot: the other half of that at walls and rigid bodies, J
    double *slips;              ///< by slot: the part of given that is friction's
    double *rubbed;             ///< by slot: work of friction on walls of given motion, J
    frz_v4 *wall_rub;           ///< by slot: friction of a particle on a wall, kg m/s; last lane 1 + body
    frz_vec3 *impulse, *moment; ///< by rigid body, about its position
    frz_vec3 *earlier_impulse, *earlier_moment; ///< by tied rigid body: of liquid, already applied
    frz_vec3 *rub_impulse, *rub_moment;         ///< the part of these that is friction of walls
    frz_rigid_motion *foreseen;  ///< by rigid body: velocity at the end of the step by the solved pressures
    frz_rigid_motion *motion;    ///< by rigid body: effect on it alone
    frz_rigid_motion *held;      ///< by rigid body: change by its contacts and joints without the impulses
    frz_rigid_motion *held_more; ///< by rigid body: change of that by the impulses
    int32_t *node;               ///< by slot: node of its group, -1: none
    int32_t *parent;             ///< by node
    int node_count, first_body_node;
    double *scale; ///< by node
};

/// Whether a body answers with its masses.
static inline bool frz_response_is_explicit(const frz_response *response)
{
    return response->kick_now == NULL;
}

/// Bodies of explicit methods answer too, with A = m: give and theta are 1, and their contacts get a factor with which
/// they do no work. Only with pressure methods that solve a system; with others their impulses do not change.
FRZ_NODISCARD frz_status frz_responses_complete(const frz_model *model, frz_state *state, frz_diag *diag);

/// Whether a particle is free and of an elastic body that answers.
static inline bool frz_kicks_is_soft(const frz_kicks *kicks, int slot)
{
    return kicks->of_body[kicks->body_of_slot[slot]] != NULL && (kicks->driven == NULL || kicks->driven[slot] == 0);
}

/// Whether a particle is of a rigid body that is tied to an implicit one.
static inline bool frz_kicks_is_tied(const frz_kicks *kicks, int slot)
{
    return kicks->tied[kicks->body_of_slot[slot]] != NULL;
}

/// Whether the push of liquid on a particle is answered by an elastic body.
static inline bool frz_kicks_answers(const frz_kicks *kicks, int slot)
{
    return frz_kicks_is_soft(kicks, slot) || frz_kicks_is_tied(kicks, slot);
}

/// The factor of a particle's group.
static inline double frz_kicks_scale(const frz_kicks *kicks, int slot)
{
    return kicks->node[slot] >= 0 ? kicks->scale[kicks->node[slot]] : 1.0;
}

/// The velocity that a particle moves with in the step.
frz_v4 frz_kicks_way(const frz_state *state, int slot);

/// The same with the part of the answer to come that does not depend on the impulses.
frz_v4 frz_kicks_forecast(const frz_kicks *kicks, const frz_state *state, int slot);

/// Make an empty set of impulses; null if no implicit body has a contact. Scratch memory lives until the caller's
/// release.
FRZ_NODISCARD frz_status frz_kicks_make(frz_state *state, frz_kicks **out, frz_diag *diag);

/// Join the groups of two particles in contact, of which one is soft; and those of a soft particle and a rigid body.
void frz_kicks_join(frz_kicks *kicks, int slot, int other);
void frz_kicks_join_body(frz_kicks *kicks, int slot, int body);
/// Join the groups of a particle of an elastic body and the rigid body that carries it.
void frz_kicks_join_carried(frz_kicks *kicks, const frz_state *state, int slot, int body);

/// How rigid bodies will move, as their velocities and contacts are now: for friction, which comes before factors.
void frz_kicks_foresee(const frz_state *state, frz_kicks *kicks);

/// The kicks of a kind are known, but not done: compute the error of the estimated answer to them, and
/// reckon with it from now on; wrong: that is far. Forgets the kicks.
FRZ_NODISCARD frz_status frz_kicks_correct(frz_state *state, frz_kicks *kicks, frz_kicks_kind kind, bool *wrong,
                                           frz_diag *diag);

/// Find answers and factors, and change velocities of particles and rigid bodies.
FRZ_NODISCARD frz_status frz_kicks_apply(const frz_model *model, frz_state *state, frz_kicks *kicks,
                                         frz_kicks_kind kind, frz_diag *diag);
/// The true answers to liquid are in the velocities, if there is any: the error of their estimate is no longer to come.
void frz_kicks_settle_liquid(frz_kicks *kicks);
/// Start the next impulses of the same stage; the former ones become `earlier`.
void frz_kicks_next(const frz_state *state, frz_kicks *kicks);
