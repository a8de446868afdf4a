// SPDX-License-Identifier: MIT
// Liquid and rigid bodies in turn: the pressure solver takes the velocity of bodies after all forces but the liquid's,
// and its pressure acts on the bodies afterwards. Akinci et al. 2012; Algorithm 1 of Gissler et al. 2019.
//
// The reaction is equal and opposite, but explicit: the liquid responds to the body's motion with an added mass m_a,
// one step late, so that an error of the body's velocity grows by -m_a / m per step, for any length of the step. Only
// errors too small for the tolerance of the pressure solver, |dv| dt / s, go unanswered: that is why short steps are
// stable.
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
