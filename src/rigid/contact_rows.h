// SPDX-License-Identifier: MIT
// Contacts and ropes as rows of the solver: which way they act, and what their impulses do to bodies.
#pragma once

#include "rigid/contacts_internal.h"

enum
{
    FRZ_CONTACT_AXES = 3 ///< normal, two tangents
};

/// What a unit impulse along each axis of a row does to a body.
typedef struct frz_contact_reaction
{
    int body;
    frz_rigid_motion by[FRZ_CONTACT_AXES];
} frz_contact_reaction;

typedef struct frz_contact_row
{
    int body[2];                         ///< toucher, touched; the number of bodies for the world
    frz_vec3 axis[FRZ_CONTACT_AXES];     ///< normal, two tangents
    frz_vec3 lever[2][FRZ_CONTACT_AXES]; ///< arm x axis
    int reaction_count;                  ///< bodies that yield: these two, and what is joined to them
    frz_contact_reaction *reactions;
    frz_mat3 inverse;        ///< of the block
    double normal_response;  ///< velocity per impulse along the normal, 1/kg
    double tangent_response; ///< largest of the tangent plane
    double response;         ///< trace / 3: the scale for errors
    double loose;            ///< the same if there were no joints
    double friction;
    double target; ///< b
    double impulse[FRZ_CONTACT_AXES];
    double before[FRZ_CONTACT_AXES];    ///< impulse at the beginning of the sweep
    double direction[FRZ_CONTACT_AXES]; ///< of the conjugate gradients
} frz_contact_row;

/// What making rows takes besides bodies.
typedef struct frz_contact_row_maker
{
    const frz_contact_options *options;
    const frz_joints *joints; ///< null: none
    double *work;             ///< for frz_joints_respond
    frz_rigid_motion *response;
    double dt;
} frz_contact_row_maker;

/// Most reactions that a body brings to a row: itself, or all that is joined to it.
int frz_contact_reactions(const frz_joints *joints, int body);

/// A row (whose reactions have room) for a contact.
void frz_contact_row_make(const frz_contact_row_maker *maker, const frz_contact *c, const frz_rigid_body *bodies,
                          frz_contact_row *r);
/// The same for a rope: a contact without friction that pulls. world is the number of bodies.
void frz_contact_row_make_rope(const frz_contact_row_maker *maker, const frz_rope *rope, const frz_rigid_body *bodies,
                               int world, frz_contact_row *r);
