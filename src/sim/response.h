// SPDX-License-Identifier: MIT
// How elastic bodies of implicit methods answer impulses within a step.
//
// An implicit step has settled velocities and elastic forces together: with tau = theta dt, A = m (1 + tau c) + tau^2
// K. An impulse J that comes later, of a contact or of friction, changes the velocities by A^-1 J, not by J / m: the
// elastic forces answer it within the step. Impulses on bare masses would move the surface of a body without the rest,
// and store more elastic energy than the contact takes of the kinetic one, up to (theta omega dt)^2 times as much.
//
// Bodies move with w = theta v" + (1 - theta) v in the step, so the work of impulses is J . w. The scheme with the
// contact inside changes the energy by that work, less what theta > 1/2 damps: if contacts do no positive work in
// total, energy does not grow, for any step and for theta from 1/2 on.
//
// Who makes impulses (the pressure, friction) finds them with the estimate give / m of A^-1, give being a number for
// each body. Here they get their true answer and a factor alpha, one for each group of bodies that push at each other,
// with which they do no work but what they were meant to:
//
//     alpha = -(W + R) / Q      W: J . w before them,   R: what bodies may come nearer and slip, times the impulses,
//                               Q: J . (theta A^-1 J)
//
// That is the best point along J of the problem with the true A^-1, and friction stays in Coulomb's cone. Liquid is
// pushed as it was solved for, with alpha below 1 only if the body gives way more than it was estimated to; its
// impulses come first, and those of contacts find them done. What contacts change in the work of the former is theirs.
//
// What the estimate was wrong by in the last step, (A^-1 - give / m) J, is taken for this one's too (a deferred
// correction): what held a body in the last step holds it in the next, and it does not creep. So with the push of
// liquid: a stiff plate gives way to a pressure much less than to a push at one place. Liquid that waited for it to
// give way would be pressed together in every step, and pushed back by the correction of the density, which makes
// energy.
//
// Impulses of contacts that last change little from step to step. So the implicit step is solved with those of the
// last one, J', inside, and only the change is left to be solved for: A^-1 J = x' + A^-1 (J - J'), with x' the answer
// of the last step. Velocities are kept without x' in between. With alpha = 1 that is exact, whatever x' is. Else the
// error of x', which belongs to a matrix that is a step old, counts alpha - 1 times, and alpha itself is found with
// it: then the error y = A^-1 J' - x' is solved for, added to the answer and taken from the velocities. Bonds that
// break change the matrix most. Without all this the step would first undo what holds the body, and the answer would
// do it again. Residuals of the step's solver are part of J' and so are taken up by the answer: its tolerance may be
// that of contacts.
//
// All pairs with at least one particle of such a body are scaled with the factor of its group: momentum is kept. Other
// particles in these pairs (liquid, explicit bodies) answer with their masses, and rigid bodies with theirs and with
// their contacts and joints: the floor below a rigid body bears what lies on top of it. Contacts are asked twice, for
// the bodies without and with the impulses, and what lies between is taken as linear in alpha. Contact laws are
// monotone, so that J . (answer) of all bodies that touch each other, which are one group, is not negative.
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

/// Where the impulses of a stage come from.
typedef enum frz_kicks_kind
{
    FRZ_KICKS_LIQUID,  ///< pressure of liquid: the factor is at most 1
    FRZ_KICKS_CONTACT, ///< pressure and friction of solids on each other: any factor
} frz_kicks_kind;

/// Fill in the effect of kicks on a body's particles (answer), and on rigid bodies that carry some (motion).
typedef frz_status frz_response_fn(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag);

/// An elastic body whose implicit step is done; in scratch memory, a list.
struct frz_response
{
    frz_response *next;
    frz_response_fn *answer;
    frz_response_fn *mend;   ///< called when a factor is not about 1 though the step began with the last contacts
    frz_response_fn *settle; ///< called when factors are known and velocities have changed
    int body;
    double theta;
    frz_v4 *last_kick, *last_answer; ///< by number in the body: J' / m and x', m/s
    const frz_v4 *last_missed;       ///< by number in the body: error of the answer to liquid in the last step, m/s
    bool begun;                      ///< the step was solved with these inside
    frz_v4 *kick_now, *answer_now, *missed_now; ///< by slot: the same for the next step
    double
        stiffness; ///< (lambda + 2 mu) tau^2 / (rho s^2): tau over the time of a wave from particle to particle, squared
};

/// The impulses of one stage. Arrays by slot of a free particle or by body.
struct frz_kicks
{
    int count, body_count;
    frz_kicks_kind kind;          ///< of the impulses being answered
    const frz_response **of_body; ///< null: no implicit body
    double *give; ///< by body: about A^-1 over 1 / m where something touches; at least as much as it gives way
    const int32_t *body_of_slot;
    const int32_t *driven; ///< by slot: not 0 where the velocity belongs to somebody; may be null
    frz_v4 *kick;          ///< by slot: effect of the impulses on a particle alone, m/s
    frz_v4 *answer;        ///< by slot: what they do to it as part of its body, m/s; of one that is held: what the body
                           ///< does to that
    frz_v4 *acted;  ///< by slot: the kicks that the answers belong to, those asked for but for the solver's error, m/s
    frz_v4 *missed; ///< by slot: error of the estimate of the answer, m/s
    frz_v4 *missed_liquid;              ///< by slot: the part of it that answers liquid
    frz_v4 *earlier;                    ///< by slot: kicks of soft particles by liquid, already done, m/s
    frz_v4 *rub;                        ///< by slot: the part of the kicks that is friction, m/s
    double *given;                      ///< by slot: -J . velocity of walls that move as they are told, and R, J
    double *warming;                    ///< by slot: half of the heat of friction at it, estimated, J
    double *cooling;                    ///< by slot: the other half of that at walls and rigid bodies, J
    double *slips;                      ///< by slot: the part of given that is friction's
    double *rubbed;                     ///< by slot: work of friction on walls that move as they are told, J
    frz_v4 *wall_rub;                   ///< by slot: friction of a particle on a wall, kg m/s; last lane 1 + body
    frz_vec3 *impulse, *moment;         ///< by rigid body, about its position
    frz_vec3 *rub_impulse, *rub_moment; ///< the part of these that is friction of walls
    frz_rigid_motion *foreseen;         ///< by rigid body: velocity at the end of the step by the solved pressures
    frz_rigid_motion *motion;           ///< by rigid body: effect on it alone
    frz_rigid_motion *held;             ///< by rigid body: change by its contacts and joints without the impulses
    frz_rigid_motion *held_more;        ///< by rigid body: what the impulses change in that
    int32_t *node;                      ///< by slot: in the groups, -1: in none
    int32_t *parent;                    ///< by node
    int node_count, first_body_node;
    double *scale; ///< by node
};

/// Whether a body answers with its masses.
static inline bool frz_response_is_explicit(const frz_response *response)
{
    return response->kick_now == NULL;
}

/// Bodies of explicit methods answer too, with A = m: give and theta are 1, and their contacts get a factor with which
/// they do no work. Where a system of equations gives the pressures; others push as they do.
FRZ_NODISCARD frz_status frz_responses_complete(const frz_model *model, frz_state *state, frz_diag *diag);

/// Whether a particle is free and of an elastic body that answers.
static inline bool frz_kicks_is_soft(const frz_kicks *kicks, int slot)
{
    return kicks->of_body[kicks->body_of_slot[slot]] != NULL && (kicks->driven == NULL || kicks->driven[slot] == 0);
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

/// No impulses yet; null if no implicit body is near anything. Scratch memory lives until the caller's release.
FRZ_NODISCARD frz_status frz_kicks_make(frz_state *state, frz_kicks **out, frz_diag *diag);

/// Two particles push at each other, one of them soft; a soft one and a rigid body do.
void frz_kicks_join(frz_kicks *kicks, int slot, int other);
void frz_kicks_join_body(frz_kicks *kicks, int slot, int body);
/// A rigid body carries a particle of an elastic one.
void frz_kicks_join_carried(frz_kicks *kicks, const frz_state *state, int slot, int body);

/// How rigid bodies will move, as their velocities and contacts are now: for friction, which comes before factors.
void frz_kicks_foresee(const frz_state *state, frz_kicks *kicks);

/// Find answers and factors, and change velocities of particles and rigid bodies.
FRZ_NODISCARD frz_status frz_kicks_apply(const frz_model *model, frz_state *state, frz_kicks *kicks,
                                         frz_kicks_kind kind, frz_diag *diag);
/// Done: the next impulses of the same stage, those of before being earlier ones.
void frz_kicks_next(const frz_state *state, frz_kicks *kicks);
