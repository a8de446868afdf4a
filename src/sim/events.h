// SPDX-License-Identifier: MIT
// Events of a scene: trigger, target and action. Part of the model; sim/change.h carries them out.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "geom/shape.h"
#include "particles/matter.h"

typedef enum frz_event_trigger
{
    FRZ_EVENT_AT,    ///< at a time
    FRZ_EVENT_PROBE, ///< when a probe's value passes a threshold
    FRZ_EVENT_COUNT  ///< when the number of particles in a shape passes a threshold
} frz_event_trigger;

typedef enum frz_event_action
{
    FRZ_EVENT_CHANGE, ///< change the phase of particles: melt, freeze, soften, harden
    FRZ_EVENT_JOIN,   ///< solid bodies that touch become one
    FRZ_EVENT_CUT     ///< break the bonds that pass through a shape
} frz_event_action;

typedef enum frz_event_field
{
    FRZ_EVENT_PRESSURE,    ///< Pa
    FRZ_EVENT_SPEED,       ///< m/s
    FRZ_EVENT_DENSITY,     ///< kg/m^3
    FRZ_EVENT_TEMPERATURE, ///< K
    FRZ_EVENT_FLOW         ///< m^3 that have crossed the probe's patch so far (m^2 in the plane)
} frz_event_field;

/// The particles of the listed bodies and materials that lie in the shape.
typedef struct frz_event_target
{
    bool *bodies; ///< by body of the scene (and emitter): particles that belong to it, or to a part of it; null: all
    int material; ///< -1: any
    frz_shape *shape;  ///< null: everywhere
    frz_vec3 velocity; ///< of the shape from the first time the event can happen on, m/s
} frz_event_target;

typedef struct frz_event
{
    char *label; ///< for messages; event_<index> if the scene gives none
    frz_event_trigger trigger;
    double at;    ///< s; not before
    double every; ///< s; 0: happens once
    double until; ///< s; HUGE_VAL: no end
    int probe;    ///< FRZ_EVENT_PROBE
    frz_event_field field;
    double threshold;       ///< of the probe's value (SI) or of the count
    bool above;             ///< else below
    frz_event_target count; ///< FRZ_EVENT_COUNT: the particles that are counted
    frz_event_action action;
    frz_phase from; ///< FRZ_EVENT_CHANGE: only particles of this phase; FRZ_PHASE_SAMPLE: any that is not yet `to`
    frz_phase to;
    int material;            ///< new material of the particles; -1: they keep theirs. Masses never change
    frz_event_target target; ///< particles that change, are joined or cut
    bool whole; ///< bodies with their centre of mass in the shape change as a whole; else particle by particle
    char *name; ///< of bodies that it makes; null: the name of the body they came from
    double friction, restitution;       ///< of rigid bodies that are born
    bool has_friction, has_restitution; ///< bodies that harden or are joined get these, too
} frz_event;
