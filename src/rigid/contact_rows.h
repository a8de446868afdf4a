// SPDX-License-Identifier: MIT
// Contacts and ropes as rows of the solver: directions, and the effect of impulses on bodies. Impulses are vectors of
// the world.
#pragma once

#include "rigid/contacts_internal.h"

/// Motion of a body of a mechanism by unit impulses along the axes of the world at the position of a row.
typedef struct frz_contact_reaction
{
    int body;
    frz_rigid_motion by[3];
} frz_contact_reaction;

/// Inverse mass and inertia of a body without joints.
typedef struct frz_contact_mass
{
    double inverse;   ///< 1/kg
    frz_mat3 inertia; ///< its inverse, world axes
} frz_contact_mass;

typedef struct frz_contact_row
{
    int body[2];                     ///< toucher, touched; the number of bodies for the world
    bool yields[2];                  ///< movable, and not part of a mechanism
    bool moving;                     ///< its bodies move against each other
    int reaction_count;              ///< movable bodies of mechanisms
    frz_contact_reaction *reactions; ///< room for them; null: none
    frz_vec3 normal;
    frz_vec3 arm[2];         ///< from the position of the body
    frz_mat3 inverse;        ///< of the block: impulse per relative velocity
    double normal_response;  ///< velocity per impulse along the normal, 1/kg
    double tangent_response; ///< largest of the tangent plane
    double response;         ///< trace / 3: the scale for errors
    double friction;
    double restitution;
    double gap;         ///< m
    bool bounces;       ///< an impact with restitution
    bool struck;        ///< in a reflection
    bool reflected;     ///< in any
    double blow;        ///< impulse of a reflection, kg m/s
    double target;      ///< b
    frz_vec3 impulse;   ///< on the toucher, kg m/s
    frz_vec3 before;    ///< impulse at the beginning of the sweep
    frz_vec3 direction; ///< of the conjugate gradients
} frz_contact_row;

/// Input of making rows besides bodies.
typedef struct frz_contact_row_maker
{
    const frz_contact_options *options;
    const frz_joints *joints; ///< null: none
    double *work;             ///< for frz_joints_respond
    frz_rigid_motion *response;
    double dt;
} frz_contact_row_maker;

/// Largest number of reactions of a body in a row: none, or one for each body joined to it.
int frz_contact_reactions(const frz_joints *joints, const frz_rigid_body *body, int number);

/// Make the row of a contact; reactions must have been allocated.
void frz_contact_row_make(const frz_contact_row_maker *maker, const frz_contact *c, const frz_rigid_body *bodies,
                          frz_contact_row *r);
/// The same for a rope: a contact without friction that pulls. world is the number of bodies.
void frz_contact_row_make_rope(const frz_contact_row_maker *maker, const frz_rope *rope, const frz_rigid_body *bodies,
                               int world, frz_contact_row *r);

/// Change motions (by body, as masses) with an impulse of a row.
void frz_contact_row_apply(const frz_contact_row *r, frz_vec3 impulse, const frz_contact_mass *masses,
                           frz_rigid_motion *motions);
/// Normal velocity of the toucher against the touched; negative for approach.
double frz_contact_row_speed(const frz_contact_row *r, const frz_rigid_motion *motions);
/// Propagate the impacts of an island from contact to contact; sets the targets of the rows that take part. motions are
/// those without contacts, by body, and are changed; impacts slower than slowest do not count.
void frz_contact_rows_reflect(frz_contact_row *rows, int count, const frz_contact_mass *masses,
                              frz_rigid_motion *motions, double slowest, double dt);
/// Solve a single row. False if it has no impulse and needs none, by its normal velocity alone.
bool frz_contact_row_solve(frz_contact_row *r, const frz_contact_mass *masses, frz_rigid_motion *motions);
