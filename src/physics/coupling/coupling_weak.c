// SPDX-License-Identifier: MIT
// Liquid and rigid bodies in turn: the liquid sees bodies with the velocity that all forces but its own give them, and
// the pressure that this takes acts on them afterwards. Akinci et al. 2012; Algorithm 1 of Gissler et al. 2019.
//
// Equal and opposite, but explicit: a liquid that is moved answers to what the body did, with an added mass m_a, one
// step late, so that an error of the body's velocity grows by -m_a / m per step, however short the step is. Only errors
// too small for the tolerance of the pressure solver, |dv| dt / s, go unanswered: that is why short steps are stable.
#include "sim/body_links.h"
#include "sim/coupling.h"
#include "sim/state.h"

static const frz_coupling_ops weak_ops = {.link = frz_state_body_links, .strong = false};

const frz_method frz_method_coupling_weak = {
    .key = "weak",
    .slot = FRZ_SLOT_COUPLING,
    .doc = "The liquid sees bodies as they would move without it and pushes them afterwards; needs small steps.",
    .cite = "Akinci et al. 2012, doi:10.1145/2185520.2185558",
    .coupling = &weak_ops,
    .exempt = {[FRZ_CONFORMANCE_REST] = "the liquid answers a step late, so that a body no heavier than it trembles"},
};
