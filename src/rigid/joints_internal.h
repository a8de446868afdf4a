// SPDX-License-Identifier: MIT
// Shared by the files of the joints.
#pragma once

#include "rigid/joints.h"

enum
{
    FRZ_JOINT_MOST_ROWS = 6 ///< of one joint: relative coordinates of two bodies
};

/// One coordinate: its rate is the sum over both bodies of linear . velocity + angular . spin.
typedef struct frz_joint_row
{
    int joint;
    int body[2]; ///< body_count: the world
    frz_vec3 linear[2], angular[2];
    frz_vec3 drift[2], swing[2]; ///< velocity and spin of the bodies by a unit impulse
    double unit;                 ///< m per unit of the coordinate, for errors: 1, or the spacing for angles
    double rate;                 ///< that the step needs, 1/s times the coordinate
    double impulse;              ///< in the step, in response to all forces but those in pushed
    double pushed;               ///< in response to forces of which other code has solved the joints' part
    double inverse_pivot;        ///< of the factor; 0 where nothing can move, or for redundant rows
    int first;                   ///< column of the first entry of the factor's row
    int64_t start;               ///< entry (i, k) is lower[start + k], for first <= k < i
} frz_joint_row;

/// A mechanism: bodies that joints connect. Its rows are consecutive, and so are its members.
typedef struct frz_assembly
{
    int first_row, row_count;
    int first_member, member_count;
} frz_assembly;

struct frz_joints
{
    int dimension, body_count, count;
    double spacing;
    frz_pair_joint *list;
    frz_vec3 (*across)[2]; ///< by joint: two directions normal to its axis, body axes
    frz_joint_memory *memory, *memory_before;
    int row_count;
    frz_joint_row *rows; ///< assembly after assembly
    int *first_row_of;   ///< by joint: its first row, -1 for ropes
    double *lower;
    double *work; ///< by row
    frz_rigid_motion *moves;
    int assembly_count;
    frz_assembly *assemblies;
    int *assembly_of; ///< by body, -1: none
    int *member_slot; ///< by body: its place among the members of its assembly
    int *members;
    int *group; ///< by body
    int apart_count;
    int (*apart)[2]; ///< pairs that do not touch, sorted
    int rope_count;
    frz_rope *ropes;
};

/// Numbers of rows of a joint; 0 for ropes.
int frz_joint_row_count(const frz_pair_joint *joint, int dimension);
/// Gradients of a joint's coordinates at the present poses, without the members that depend on masses. rows:
/// FRZ_JOINT_MOST_ROWS entries.
void frz_joint_gradients(const frz_joints *joints, int joint, const frz_rigid_body *bodies, frz_joint_row *rows);
/// The coordinates; directions fixed in the world are those of the rows.
void frz_joint_coordinates(const frz_joints *joints, int joint, const frz_rigid_body *bodies, const frz_joint_row *rows,
                           double *out);

/// Update the rotations of the bodies of a gear.
void frz_joint_remember(frz_joints *joints, int joint, const frz_rigid_body *bodies);
/// Direction and ends of a rope at the present poses, and the excess of their distance over its length, m.
void frz_joint_pull(const frz_joints *joints, const frz_rigid_body *bodies, frz_rope *rope, double *excess);

/// Factors of all assemblies, from the rows.
void frz_joints_factor(frz_joints *joints);
/// Solve for the impulses of an assembly; y begins at its first row.
void frz_joints_solve(const frz_joints *joints, const frz_assembly *assembly, double *y);

/// Rate of a row's coordinate by motions of the bodies.
double frz_joint_rate(const frz_joints *joints, const frz_joint_row *row, const frz_rigid_motion *motions);

/// The body, or one that never moves for the world.
const frz_rigid_body *frz_joint_body(const frz_joints *joints, const frz_rigid_body *bodies, int body);
