// SPDX-License-Identifier: MIT
// Driven particles: another object, their driver, determines their velocity.
//
//     driver                                            its particles                      impulses on them
//     inlet                                             liquid that passes it              is lost
//     attachment to the world, a motion, a static body  elastic ones that it holds         goes on record as a force
//     attachment to a rigid body                        elastic ones that it holds         acts on the body, on record
//     rigid body made of particles                      all of phase FRZ_PHASE_RIGID       acts on the body
//
// The first two are given velocities, the others are parts of a body. Their mass is in the body's mass and inertia
// already, so that gravity, contacts and the pressure of the liquid move body and particles as one. A force on a
// particle acts on the body as an impulse at the particle's position.
//
// Stages may change the velocities of driven particles like any others and need not know their driver. At the border
// behind a stage the drivers collect these changes and set the velocities again; no other code does. A stage that moves
// bodies itself reports it (frz_drivers_follow, frz_drivers_settle). Momentum and angular momentum are kept.
//
// Sums over the particles of a driver are taken per block of slots and added exactly.
#pragma once

#include <stdint.h>

#include "base/fail.h"
#include "base/simd.h"
#include "math/quat.h"
#include "math/vec3.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

typedef struct frz_driver
{
    int32_t body;             ///< the rigid body itself, or the one it attaches particles to; -1: given velocities
    int32_t attachment;       ///< -1: it is none
    int32_t emitter;          ///< -1: it is none
    frz_vec3 pivot, position; ///< attachments with given velocities: pivot + a is taken to position + R a
    frz_quat rotation;        ///< R
} frz_driver;

typedef struct frz_driven
{
    int32_t slot;
    int32_t number; ///< its number among the solid particles, -1: none
    int32_t driver;
    int32_t body;    ///< the driver's
    int32_t piece;   ///< that it is summed in
    frz_vec3 place;  ///< with a body: position in its axes, from the origin of its shape; of attachments: position at
                     ///< the end of the step, m
    frz_vec3 arm;    ///< with a body: from its position, world axes, at the start of the step, m
    double mass;     ///< kg
    frz_v4 velocity; ///< last velocity from the driver
} frz_driven;

/// The driven particles of one driver in one block of slots.
typedef struct frz_driven_piece
{
    frz_vec3 force, torque; ///< sums of forces on them, about the position of their body
} frz_driven_piece;

/// All drivers of a try, in scratch memory; empty outside of a try.
typedef struct frz_drivers
{
    const frz_v4 *before;      ///< by free particle: velocities at the start of the step
    const int32_t *of_slot;    ///< by free particle: 1 + its driver, 0: none; null: no particle is driven
    const frz_v4 *attached_at; ///< by attached free particle: position at the start, m; null: no attachments
    int count;
    int with_body;              ///< number of driven particles with a body
    frz_driven *list;           ///< in slot order
    const int32_t *block_begin; ///< by block of slots, and one more: first in the list
    int piece_count;
    frz_driven_piece *piece;     ///< driver by driver, of each block by block
    const int32_t *block_piece;  ///< by block of slots, and one more: its first in piece_of
    const int32_t *piece_of;     ///< pieces of the blocks, one block after the other
    int driver_count;            ///< number of possible drivers
    const int32_t *driver_piece; ///< by driver, and one more: its first piece
    const frz_driver *driver;
} frz_drivers;

/// The borders behind the stages of a step.
typedef enum frz_border
{
    FRZ_AFTER_FORCE,    ///< particles and bodies have been kicked
    FRZ_AFTER_VELOCITY, ///< contacts predict the velocities of bodies, and driven particles follow these
    FRZ_AFTER_PRESSURE, ///< final solve of contacts
    FRZ_AFTER_FRICTION
} frz_border;

/// Find the driven particles of this try, and copy the velocities before it. Sets the forces of attachments to zero.
FRZ_NODISCARD frz_status frz_drivers_collect(const frz_model *model, frz_state *state, frz_diag *diag);
/// Pass the impulses of a stage on driven particles to their drivers, let contacts answer, and set the velocities
/// again.
FRZ_NODISCARD frz_status frz_drivers_border(const frz_model *model, frz_state *state, double dt, frz_border border,
                                            frz_diag *diag);
/// After the bodies have moved: set the positions and velocities of driven particles from their drivers.
void frz_drivers_place(frz_state *state, double dt);

/// Within a stage that has moved a body itself: give its particle the velocity of the body there.
void frz_drivers_follow(frz_state *state, frz_driven *driven);
/// The same for all particles of bodies, where the stage has set their velocities (by slot) too.
void frz_drivers_settle(const frz_drivers *drivers, const frz_v4 *velocity);

/// Whether a free particle is driven.
static inline bool frz_drivers_has(const frz_drivers *drivers, int slot)
{
    return drivers->of_slot != NULL && drivers->of_slot[slot] != 0;
}

/// Whether a driven particle belongs to a rigid body made of particles.
static inline bool frz_drivers_is_rigid(const frz_drivers *drivers, int slot)
{
    const frz_driver *driver = &drivers->driver[drivers->of_slot[slot] - 1];
    return driver->body >= 0 && driver->attachment < 0;
}

/// Begin the sums of a block of slots.
static inline void frz_drivers_clear_block(const frz_drivers *drivers, int block)
{
    for (int p = drivers->block_piece[block]; p < drivers->block_piece[block + 1]; ++p)
        drivers->piece[drivers->piece_of[p]].force = drivers->piece[drivers->piece_of[p]].torque =
            frz_v3(0.0, 0.0, 0.0);
}

/// How many pieces a driver has, and the exact sums over them: the order of blocks does not matter.
static inline int frz_drivers_sum(const frz_drivers *drivers, int driver, frz_vec3 *force, frz_vec3 *torque)
{
    const int first = drivers->driver_piece[driver], count = drivers->driver_piece[driver + 1] - first;
    const frz_driven_piece *piece = &drivers->piece[first];
    *force = frz_v3_exact_sum(&piece->force, sizeof *piece, count);
    *torque = frz_v3_exact_sum(&piece->torque, sizeof *piece, count);
    return count;
}

/// Add a force at a particle of a body to the sum of its piece.
static inline void frz_driven_piece_add(frz_driven_piece *piece, const frz_driven *driven, frz_vec3 force)
{
    piece->force = frz_v3_add(piece->force, force);
    piece->torque = frz_v3_add(piece->torque, frz_v3_cross(driven->arm, force));
}
