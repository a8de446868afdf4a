// SPDX-License-Identifier: MIT
// Liquid and rigid bodies in one system: bodies move with every iteration of the pressure solver.
//
// The aim of Gissler, Peer, Band, Bender & Teschner 2019, with another algorithm: they predict the motion of bodies
// from their contacts and interlink two solvers. Here the displacement of a body is a linear function of the
// multipliers that push at it (sim/body_links, pressure/pressure_system), so that it is one more part of the same
// symmetric matrix,
//
//     A = D M^-1 D^T,     with the masses and inertias of bodies in M and the columns G_iB, (x_i - x_B) x G_iB in D
//
// and every iterative solver finds the motion of liquid and bodies together. Light bodies in heavy water converge like
// others.

#include "physics/coupling/coupling_check.h"
#include "physics/registry.h"
#include "sim/body_links.h"
#include "sim/coupling.h"
#include "sim/state.h"

static const frz_coupling_ops strong_ops = {.link = frz_state_body_links, .strong = true};

// A state equation gives pressures without a system of equations that a body could be part of.
static frz_status strong_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    (void)instance;
    return frz_coupling_check_pressure(model, "strong", diag);
}

const frz_method frz_method_coupling_strong = {
    .key = "strong",
    .slot = FRZ_SLOT_COUPLING,
    .doc = "Bodies move within the pressure solve, as part of one system with the liquid: large steps at any density.",
    .cite = "Gissler, Peer, Band, Bender & Teschner 2019, doi:10.1145/3284980",
    .check = strong_check,
    .coupling = &strong_ops,
};
