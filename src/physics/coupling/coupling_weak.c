// SPDX-License-Identifier: MIT
// Liquid and rigid bodies in turn: the liquid sees bodies with the velocity that all forces but its own give them, and
// the pressure that this takes acts on them afterwards. Akinci et al. 2012; Algorithm 1 of Gissler et al. 2019.
//
// Equal and opposite, but explicit: a liquid that is moved answers to what the body did, with an added mass m_a, one
// step late, so that an error of the body's velocity grows by -m_a / m per step, however short the step is. Only errors
// too small for the tolerance of the pressure solver, |dv| dt / s, go unanswered: that is why short steps are stable.
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
    .doc = "The liquid sees bodies as they would move without it and pushes them afterwards; needs small steps.",
    .cite = "Akinci et al. 2012, doi:10.1145/2185520.2185558",
    .run = {[FRZ_STAGE_PREPARE] = weak_prepare, [FRZ_STAGE_FORCE] = weak_link},
};
