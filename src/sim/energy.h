// SPDX-License-Identifier: MIT
// The energy of particles and bodies, and its balance over a run.
//
// The sum of all parts and of the heat of friction between solids, less the work done from outside, can only fall:
// viscosity, impacts, plastic flow, fracture and the damping of time schemes turn it into heat, too. (That of friction
// is the work of its impulses, J . (v + v') / 2, or with the velocity that an implicit body moves with.) The energy of
// particles that enter or leave, and the loss by changes of phase, is recorded and excluded from the sum. Stages add
// work to stats.work: of moved walls and bodies (pressure, friction, contacts, joints), of inlets and held particles,
// of forces that a scene gives to bodies or in regions, of buoyancy, of volumes that change against a pressure, and of
// heat that changes the stiffness of strained bodies. A sum that rises above its lowest value so far, by more than the
// solvers' tolerance allows, is an error of the simulation.
//
// In x' = x + dt v' the velocity belongs to the middle of the step. Taken at its end, K + U of an oscillation swings by
// omega dt / 2 of itself, and that of a fall drifts. So potential and elastic energy are those of the position in the
// middle, x' - dt v' / 2. Implicit elastic bodies move with theta v' + (1 - theta) v: their elastic energy is that of
// the end, and (theta - 1/2) takes the place of 1/2 in the field of gravity.
#pragma once

#include "base/fail.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Parts of the energy at one time, J (per metre of depth in two dimensions).
typedef struct frz_energy
{
    double kinetic;   ///< of particles and rigid bodies
    double potential; ///< in the field of gravity; zero at the origin
    double elastic;   ///< of elastic bodies
    double surface;   ///< of liquid surfaces, where the method computes it; at the start of the last step
} frz_energy;

/// The energy balance of a run; saved.
typedef struct frz_energy_account
{
    double friction;  ///< heat made by friction between solids, J
    double work;      ///< done from outside up to the end of the last step, J
    double exchanged; ///< energy of particles that entered, less that of particles that left, J
    double lowest;    ///< smallest sum of all parts and the heat, less the exchanged energy, plus losses by changes, J
    double scale;     ///< largest sum of kinetic, elastic and surface energy, J
    double made;      ///< rise of the present sum above the lowest, J
    double worst;     ///< largest ratio of this rise to its bound so far
    double told;      ///< value of made at the last warning, J
    double power;     ///< of gravity at the start, W: the first step moves from the end of a step to the middle of one
    int64_t begun;    ///< 1: lowest is known
    int body_count;   ///< not saved: of by_body
    double *by_body;  ///< not saved: energy of each body at the last audit, J
} frz_energy_account;

void frz_energy_destroy(frz_state *state);

/// All parts, between two steps. by_body: null, or the sum of kinetic, potential and elastic energy of each body.
FRZ_NODISCARD frz_status frz_energy_measure(const frz_model *model, frz_state *state, frz_energy *out, double *by_body,
                                            frz_diag *diag);

/// Elastic energy of all bodies, J.
FRZ_NODISCARD frz_status frz_energy_elastic(const frz_model *model, frz_state *state, double *out, frz_diag *diag);

/// Record the energy of particles that have entered, left or been removed since the step was integrated.
void frz_energy_exchange(const frz_model *model, frz_state *state);

/// The free particles from this one on have just entered: put their energy on record.
void frz_energy_enter(const frz_model *model, frz_state *state, int first);

/// Whether the sum may rise in this scene without being an error, and why: "method 'wcsph' stores energy that is ...".
bool frz_energy_driver(const frz_model *model, char *out, size_t size);

/// Compute the energy and update the balance. made: the energy has grown since the last warning; body: the one that
/// gained most since the last call, -1 if unknown.
FRZ_NODISCARD frz_status frz_energy_audit(const frz_model *model, frz_state *state, frz_energy *out, bool *made,
                                          int *body, frz_diag *diag);
