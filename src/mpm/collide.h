// SPDX-License-Identifier: MIT
// Nodes against bodies: signed distances, Coulomb friction, reactions.
//
// A node inside a body does not move into it relative to the body's surface, and slides along it with at most mu times
// the impulse that keeps it out. Where several bodies meet, their conditions are applied in turn. Movable bodies take
// the opposite impulses within the substep, by Gauss-Seidel over their nodes with the effective mass of both, so that
// light bodies on heavy sand are as stable as heavy ones.
#pragma once

#include "mpm/mpm_grid.h"
#include "rigid/contact_shape.h"
#include "rigid/rigid_body.h"

/// A body, or a shape that holds nodes.
typedef struct frz_mpm_obstacle
{
    const frz_contact_shape *shape; ///< null: see held
    const frz_shape *held;          ///< nodes within margin of it move with the body; in scene's axes at
    double margin;                  ///< time 0, about frame
    frz_vec3 frame;                 ///< of held: its origin
    frz_rigid_body *body;           ///< its motion; changes if it is movable
    bool yields;
    double friction;
    frz_vec3 impulse, moment; ///< on the body so far, about its position
    frz_vec3 *force;          ///< of held: where the force that holds nodes is told, N
} frz_mpm_obstacle;

typedef struct frz_mpm_contact
{
    int32_t node; ///< in grid->node
    int32_t obstacle;
    bool sticks;     ///< it is held
    frz_vec3 place;  ///< of the node, m
    frz_vec3 normal; ///< out of the body
    double friction;
    double pushed;   ///< normal impulse in the present substep
    frz_vec3 rubbed; ///< tangential one
    frz_vec3 taken;  ///< on a node that is held, so far in the step
} frz_mpm_contact;

typedef struct frz_mpm_contacts
{
    int count;
    frz_mpm_contact *list; ///< of one block of nodes after the other
    bool any_yields;
} frz_mpm_contacts;

/// Signed distance of a place from an obstacle, and its direction in world axes; beyond limit a bound.
double frz_mpm_obstacle_distance(const frz_mpm_obstacle *obstacle, frz_vec3 place, double limit, frz_vec3 *normal);
/// Apply an impulse to a movable one.
void frz_mpm_obstacle_push(frz_mpm_obstacle *obstacle, frz_vec3 place, frz_vec3 impulse);

/// Find the nodes inside obstacles at their present poses. If the grid is weighed, normals are those of the side of the
/// points, and only nodes count whose points come near enough in the step.
FRZ_NODISCARD frz_status frz_mpm_contacts_find(frz_mpm_grid *grid, const frz_mpm_obstacle *obstacles, int count,
                                               frz_arena *scratch, frz_mpm_contacts *contacts, frz_diag *diag);

/// Velocities of a block's nodes against immovable bodies.
void frz_mpm_contacts_hold(const frz_mpm_grid *grid, int nodes, const frz_mpm_obstacle *obstacles,
                           const frz_mpm_contacts *contacts);

/// Velocities of all nodes and movable bodies.
void frz_mpm_contacts_solve(const frz_mpm_grid *grid, frz_mpm_obstacle *obstacles, const frz_mpm_contacts *contacts);

/// At the end of a step of dt: add the forces that hold nodes to where they are told. Returns the work of who holds
/// them and does not yield, J.
double frz_mpm_contacts_tell(const frz_mpm_contacts *contacts, const frz_mpm_obstacle *obstacles, double dt);
