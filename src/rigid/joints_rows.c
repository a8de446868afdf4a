// SPDX-License-Identifier: MIT
// The coordinates that joints hold, and their gradients.
#include "rigid/joints_internal.h"

static const frz_rigid_body world = {.rotation = {1.0, 0.0, 0.0, 0.0}};

const frz_rigid_body *frz_joint_body(const frz_joints *joints, const frz_rigid_body *bodies, int body)
{
    return body < 0 || body >= joints->body_count ? &world : &bodies[body];
}

int frz_joint_row_count(const frz_pair_joint *joint, int dimension)
{
    static const int in_plane[] = {[FRZ_PAIR_BALL] = 2,  [FRZ_PAIR_HINGE] = 2, [FRZ_PAIR_SLIDER] = 2,
                                   [FRZ_PAIR_FIXED] = 3, [FRZ_PAIR_GEAR] = 1,  [FRZ_PAIR_ROPE] = 0};
    static const int in_space[] = {[FRZ_PAIR_BALL] = 3,  [FRZ_PAIR_HINGE] = 5, [FRZ_PAIR_SLIDER] = 5,
                                   [FRZ_PAIR_FIXED] = 6, [FRZ_PAIR_GEAR] = 1,  [FRZ_PAIR_ROPE] = 0};
    return dimension == 2 ? in_plane[joint->kind] : in_space[joint->kind];
}

typedef struct ends
{
    const frz_rigid_body *body[2];
    frz_vec3 place[2]; ///< of the anchors, world
} ends;

static ends find_ends(const frz_joints *joints, int joint, const frz_rigid_body *bodies)
{
    const frz_pair_joint *j = &joints->list[joint];
    ends e;
    for (int side = 0; side < 2; ++side)
    {
        e.body[side] = frz_joint_body(joints, bodies, j->body[side]);
        e.place[side] =
            frz_v3_add(frz_rigid_body_frame(e.body[side]), frz_quat_rotate(e.body[side]->rotation, j->anchor[side]));
    }
    return e;
}

/// Impulses along a direction at a common place: equal and opposite, and without a torque in sum.
static void set_linear(frz_joint_row *row, const ends *e, frz_vec3 place, frz_vec3 direction)
{
    for (int side = 0; side < 2; ++side)
    {
        row->linear[side] = frz_v3_scale(side == 0 ? 1.0 : -1.0, direction);
        row->angular[side] = frz_v3_cross(frz_v3_sub(place, e->body[side]->position), row->linear[side]);
    }
    row->unit = 1.0;
}

static void set_angular(const frz_joints *joints, frz_joint_row *row, frz_vec3 direction)
{
    for (int side = 0; side < 2; ++side)
    {
        row->linear[side] = frz_v3(0.0, 0.0, 0.0);
        row->angular[side] = frz_v3_scale(side == 0 ? 1.0 : -1.0, direction);
    }
    row->unit = joints->spacing;
}

static frz_vec3 unit_vector(int k)
{
    return frz_v3(k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0);
}

/// A body of a gear moves along or about the axis of its own joint with the world.
static void set_gear(const frz_joints *joints, const frz_pair_joint *j, const ends *e, frz_joint_row *row)
{
    for (int side = 0; side < 2; ++side)
    {
        const frz_rigid_body *body = e->body[side];
        const frz_vec3 along = frz_v3_scale(side == 0 ? -j->ratio : 1.0, body->axis), none = {0.0, 0.0, 0.0};
        row->linear[side] = body->joint == FRZ_JOINT_SLIDER ? along : none;
        row->angular[side] = body->joint == FRZ_JOINT_SLIDER ? none : along;
    }
    row->unit = e->body[1]->joint == FRZ_JOINT_SLIDER ? 1.0 : joints->spacing;
}

void frz_joint_gradients(const frz_joints *joints, int joint, const frz_rigid_body *bodies, frz_joint_row *rows)
{
    const frz_pair_joint *j = &joints->list[joint];
    const ends e = find_ends(joints, joint, bodies);
    const frz_vec3 middle = frz_v3_scale(0.5, frz_v3_add(e.place[0], e.place[1]));
    const int axes = joints->dimension;
    int n = 0;
    if (j->kind == FRZ_PAIR_GEAR)
        set_gear(joints, j, &e, &rows[n++]);
    for (int k = 0; k < axes && (j->kind == FRZ_PAIR_BALL || j->kind == FRZ_PAIR_HINGE || j->kind == FRZ_PAIR_FIXED);
         ++k)
        set_linear(&rows[n++], &e, middle, unit_vector(k));
    for (int k = 0; k < 2 && j->kind == FRZ_PAIR_HINGE && axes == 3; ++k)
        set_angular(joints, &rows[n++], frz_quat_rotate(e.body[1]->rotation, joints->across[joint][k]));
    for (int k = 0; k < axes - 1 && j->kind == FRZ_PAIR_SLIDER; ++k)
        set_linear(&rows[n++], &e, e.place[0], frz_quat_rotate(e.body[1]->rotation, joints->across[joint][k]));
    for (int k = axes == 3 ? 0 : 2; k < 3 && (j->kind == FRZ_PAIR_SLIDER || j->kind == FRZ_PAIR_FIXED); ++k)
        set_angular(joints, &rows[n++], unit_vector(k));
}

/// The turn of the first body against the second, as a vector.
static frz_vec3 turn_between(const ends *e)
{
    const frz_quat q = frz_quat_mul(e->body[0]->rotation, frz_quat_conjugate(e->body[1]->rotation));
    const frz_vec3 v = {q.x, q.y, q.z};
    const double sine = frz_v3_length(v), angle = 2.0 * atan2(sine, fabs(q.w));
    return sine > 0.0 ? frz_v3_scale((q.w < 0.0 ? -angle : angle) / sine, v) : v;
}

/// Rotation of a body of a gear, continued from its last value.
static double travel(const frz_rigid_body *body, frz_vec3 start, double last)
{
    static const double full = 6.28318530717958647692;
    if (body->joint == FRZ_JOINT_SLIDER)
        return frz_v3_dot(body->axis, frz_v3_sub(frz_rigid_body_frame(body), start));
    const frz_quat q = body->rotation;
    const double angle = 2.0 * atan2(frz_v3_dot(body->axis, frz_v3(q.x, q.y, q.z)), q.w);
    return angle + full * floor((last - angle) / full + 0.5);
}

void frz_joint_coordinates(const frz_joints *joints, int joint, const frz_rigid_body *bodies, const frz_joint_row *rows,
                           double *out)
{
    const frz_pair_joint *j = &joints->list[joint];
    const ends e = find_ends(joints, joint, bodies);
    const frz_vec3 apart = frz_v3_sub(e.place[0], e.place[1]), turned = turn_between(&e);
    const int axes = joints->dimension;
    int n = 0;
    if (j->kind == FRZ_PAIR_GEAR) // the anchor is where a slider's centre was at the start
    {
        const double *last = joints->memory[joint].angle;
        out[n++] = travel(e.body[1], j->anchor[1], last[1]) - j->ratio * travel(e.body[0], j->anchor[0], last[0]);
    }
    for (int k = 0; k < axes && (j->kind == FRZ_PAIR_BALL || j->kind == FRZ_PAIR_HINGE || j->kind == FRZ_PAIR_FIXED);
         ++k)
        out[n++] = frz_v3_dot(unit_vector(k), apart);
    for (int k = 0; k < 2 && j->kind == FRZ_PAIR_HINGE && axes == 3; ++k, ++n)
        out[n] = frz_v3_dot(rows[n].angular[0], frz_v3_cross(frz_quat_rotate(e.body[1]->rotation, j->axis),
                                                             frz_quat_rotate(e.body[0]->rotation, j->axis)));
    for (int k = 0; k < axes - 1 && j->kind == FRZ_PAIR_SLIDER; ++k)
        out[n++] = frz_v3_dot(frz_quat_rotate(e.body[1]->rotation, joints->across[joint][k]), apart);
    for (int k = axes == 3 ? 0 : 2; k < 3 && (j->kind == FRZ_PAIR_SLIDER || j->kind == FRZ_PAIR_FIXED); ++k)
        out[n++] = frz_v3_dot(unit_vector(k), turned);
}

void frz_joint_remember(frz_joints *joints, int joint, const frz_rigid_body *bodies)
{
    const frz_pair_joint *j = &joints->list[joint];
    for (int side = 0; side < 2 && j->kind == FRZ_PAIR_GEAR; ++side)
    {
        double *angle = &joints->memory[joint].angle[side];
        *angle = travel(frz_joint_body(joints, bodies, j->body[side]), j->anchor[side], *angle);
    }
}

void frz_joint_pull(const frz_joints *joints, const frz_rigid_body *bodies, frz_rope *rope, double *excess)
{
    const ends e = find_ends(joints, rope->joint, bodies);
    const frz_vec3 between = frz_v3_sub(e.place[1], e.place[0]);
    rope->normal = frz_v3_normalize(between);
    rope->place[0] = e.place[0];
    rope->place[1] = e.place[1];
    *excess = frz_v3_length(between) - joints->list[rope->joint].length;
}
