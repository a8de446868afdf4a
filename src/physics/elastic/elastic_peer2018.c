// SPDX-License-Identifier: MIT
// Implicit corotated SPH. Peer, Gissler, Band & Teschner 2018, with the changes of later papers and of its errata:
//
//   - Forces are the derivative of an energy (equal and opposite, with the corrected gradients of both particles).
//   - Zero-energy control is part of the implicit system, not an explicit force that limits the step (Kugelstadt et al.
//     2021).
//   - Rotations are those of the place the body is about to reach, and may be taken anew within the step.
#include "physics/elastic/elastic_implicit.h"
#include "sim/state_solids.h"

typedef struct peer
{
    frz_elastic_params common;
    frz_elastic_step_params step;
} peer;

static const frz_param peer_params[] = {
    FRZ_ELASTIC_PARAM_YOUNG(peer),
    FRZ_ELASTIC_PARAM_ZERO_ENERGY(peer),
    FRZ_ELASTIC_PARAM_STEP(peer),
    FRZ_ELASTIC_PARAM_REST(peer),
    {0},
};

static const frz_field_decl peer_fields[] = {FRZ_ELASTIC_IMPLICIT_FIELDS, {0}};

static frz_status peer_prepare(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                               frz_diag *diag)
{
    (void)instance;
    (void)dt;
    return frz_state_bonds(model, state, diag);
}

static frz_status peer_velocity(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                frz_diag *diag)
{
    const peer *self = instance->self;
    frz_elastic_implicit implicit = {.params = &self->step};
    return frz_elastic_implicit_corotated(model, state, instance, &implicit, dt, diag);
}

const frz_method frz_method_elastic_peer2018 = {
    .key = "peer2018",
    .slot = FRZ_SLOT_ELASTIC,
    .traits = FRZ_TRAIT_PLASTIC_FLOW,
    .doc = "Corotated SPH, implicit: steps as long as the motion allows, whatever the stiffness.",
    .cite = "Peer, Gissler, Band & Teschner 2018, doi:10.1111/cgf.13317",
    .self_size = sizeof(peer),
    .params = peer_params,
    .fields = peer_fields,
    .run = {[FRZ_STAGE_PREPARE] = peer_prepare, [FRZ_STAGE_VELOCITY] = peer_velocity},
    .energy = frz_elastic_implicit_energy,
    .check = frz_elastic_check,
};
