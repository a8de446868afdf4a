// SPDX-License-Identifier: MIT
// Liquid and rigid bodies in turn: the liquid sees bodies that go on with the velocity they had, and the pressure that
// this takes acts on them afterwards. Akinci et al. 2012; Algorithm 1 of Gissler et al. 2019.
//
// Equal and opposite, but explicit: a body lighter than the water it moves is thrown back and forth by it unless steps
// are small.
#include "sim/state.h"

static frz_status weak_prepare(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                               frz_diag *diag)
{
    (void)model;
    (void)instance;
    (void)dt;
    (void)diag;
    state->strong = false;
    return FRZ_OK;
}

static frz_status weak_link(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                            frz_diag *diag)
{
    (void)instance;
    (void)dt;
    return frz_state_body_links(model, state, diag);
}

const frz_method frz_method_coupling_weak = {
    .key = "weak",
    .slot = FRZ_SLOT_COUPLING,
    .doc = "The liquid sees bodies with the velocity they had and pushes them afterwards; needs small steps.",
    .cite = "Akinci et al. 2012, doi:10.1145/2185520.2185558",
    .run = {[FRZ_STAGE_PREPARE] = weak_prepare, [FRZ_STAGE_FORCE] = weak_link},
};
