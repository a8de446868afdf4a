// SPDX-License-Identifier: MIT
// Identity of a particle: phase, material, mass and the body that owns it. A change of phase changes these and nothing
// else ("only changing the attribute values", Solenthaler, Schlaefli & Pajarola 2007).
//
// Every particle has the rest volume spacing^d, so that its mass is spacing^d over inverse_density. These fields are
// written when a particle is made and by the change stage (sim/change.h), never by a method.
#pragma once

#include "particles/store.h"

typedef enum frz_phase
{
    FRZ_PHASE_LIQUID,
    FRZ_PHASE_ELASTIC,
    FRZ_PHASE_RIGID,  ///< a particle of a rigid body; its velocity is the body's
    FRZ_PHASE_SAMPLE, ///< of the surface of a static body or of a rigid one with a shape
    FRZ_PHASE_POINT   ///< a material point of an elastic body without bonds and undeformed state (src/mpm)
} frz_phase;

/// Whether particles of a phase have bonds and numbers of solids.
static inline bool frz_phase_is_bonded(frz_phase phase)
{
    return phase == FRZ_PHASE_ELASTIC || phase == FRZ_PHASE_RIGID;
}

enum
{
    FRZ_MATERIAL_MAX = 254, ///< materials that a scene may have
    FRZ_MATERIAL_NONE = 255 ///< of samples of bodies without a material
};

static inline uint8_t *frz_particles_phase(const frz_particles *particles)
{
    return (uint8_t *)particles->fields[FRZ_FIELD_ID_phase].data;
}

static inline uint8_t *frz_particles_material(const frz_particles *particles)
{
    return (uint8_t *)particles->fields[FRZ_FIELD_ID_material].data;
}

/// 1 / rest density, m^3/kg (m^2 m/kg in 2D: per metre of thickness)
static inline frz_real *frz_particles_inverse_density(const frz_particles *particles)
{
    return (frz_real *)particles->fields[FRZ_FIELD_ID_inverse_density].data;
}
