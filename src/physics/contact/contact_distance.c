// SPDX-License-Identifier: MIT
// Contacts of rigid bodies where their surfaces are: signed distances, impulses with Coulomb's cone (rigid/contacts.h).
//
// 0 <= l_n complementary to u_n >= b, |l_t| <= mu l_n, by block Gauss-Seidel with conjugate directions: friction holds
// at rest, bodies touch at their true surfaces, and what is left of overlaps is taken back without energy. See
// docs/theory.md.
#include "sim/state.h"

typedef struct distance
{
    double tolerance, max_tolerance; ///< %
    int max_iterations;
} distance;

static const frz_param distance_params[] = {
    {"tolerance", "Mean change of contact velocities in the last sweep, in percent of what contacts change them by.",
     FRZ_PARAM_REAL, offsetof(distance, tolerance), 1e-5, 1e-10, 10.0, "%", NULL},
    {"max_tolerance", "The same of the worst contact.", FRZ_PARAM_REAL, offsetof(distance, max_tolerance), 1e-4, 1e-10,
     1000.0, "%", NULL},
    {"max_iterations", "Sweeps after which bodies that touch each other are left as they are.", FRZ_PARAM_INT,
     offsetof(distance, max_iterations), 1000, 1, 1e6, "", NULL},
    {0}};

static frz_status distance_prepare(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                   frz_diag *diag)
{
    (void)model;
    (void)dt;
    (void)diag;
    const distance *self = instance->self;
    frz_contact_pressure_destroy(&state->contact_pressure);
    if (state->contacts != NULL)
        frz_contacts_tune(state->contacts, 0.01 * self->tolerance, 0.01 * self->max_tolerance, self->max_iterations);
    return FRZ_OK;
}

const frz_method frz_method_contact_distance = {
    .key = "distance",
    .slot = FRZ_SLOT_CONTACT,
    .doc = "Impulses where surfaces meet, with friction that holds at rest and restitution; large steps.",
    .cite = "Silcowitz-Hansen, Niebe & Erleben 2010, doi:10.1007/s00371-010-0502-6",
    .self_size = sizeof(distance),
    .params = distance_params,
    .run = {[FRZ_STAGE_PREPARE] = distance_prepare},
};
