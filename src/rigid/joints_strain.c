// SPDX-License-Identifier: MIT
// Impulses of joints in a step, and the frequency of oscillations by them: a taut chain is a string.
//
// Joints act along directions of the beginning of a step. The forces that turning would add (the geometric stiffness)
// are thus explicit, and a step must resolve their frequency. A force f at the arm s of a body changes its torque by (d
// x s) x f when the body turns by d: the stiffness against turns is K = (f . s) 1 - sym(s f^T), and the frequency that
// of I^-1 K. (For a link of a chain under the tension T this is sqrt(12 T / (m l)), that of the zigzag, which is the
// fastest motion of the chain.)
#include "rigid/joints_internal.h"

/// Impulses of all joints that turn free motions (by body) into those without rates; set, or added to the present ones.
static void find_impulses(frz_joints *joints, const frz_rigid_motion *motions, double sign, bool pushed)
{
    for (int a = 0; a < joints->assembly_count; ++a)
    {
        const frz_assembly *assembly = &joints->assemblies[a];
        frz_joint_row *rows = joints->rows + assembly->first_row;
        for (int i = 0; i < assembly->row_count; ++i)
            joints->work[i] = sign * frz_joint_rate(joints, &rows[i], motions);
        frz_joints_solve(joints, assembly, joints->work);
        for (int i = 0; i < assembly->row_count; ++i)
        {
            if (pushed)
                rows[i].pushed += joints->work[i];
            else
                rows[i].impulse = joints->work[i];
        }
    }
}

void frz_joints_note(frz_joints *joints, const frz_rigid_motion *change)
{
    find_impulses(joints, change, 1.0, false);
}

void frz_joints_note_push(frz_joints *joints, const frz_rigid_motion *alone)
{
    find_impulses(joints, alone, -1.0, true);
}

frz_vec3 frz_joints_impulse(const frz_joints *joints, int joint, int side, frz_vec3 *moment)
{
    frz_vec3 sum = {0.0, 0.0, 0.0};
    *moment = sum;
    if (joints->first_row_of[joint] < 0)
        return sum;
    const frz_joint_row *rows = &joints->rows[joints->first_row_of[joint]];
    for (int k = frz_joint_row_count(&joints->list[joint], joints->dimension) - 1; k >= 0; --k)
    {
        const double impulse = rows[k].impulse + rows[k].pushed;
        sum = frz_v3_mad(sum, impulse, rows[k].linear[side]);
        *moment = frz_v3_mad(*moment, impulse, rows[k].angular[side]);
    }
    return sum;
}

/// Square of the frequency by a force on a side of a joint, 1/s^2; taken apart by bodies it adds up.
static double swing_of(const frz_joints *joints, const frz_rigid_body *body, frz_vec3 arm, frz_vec3 force)
{
    const double pull = frz_v3_dot(force, arm);
    const frz_mat3 stiffness =
        frz_m3_sub(frz_m3_diagonal(pull, pull, pull), frz_m3_symmetric(frz_m3_outer(arm, force)));
    // of the turns across the force, of which there are as many as this
    return frz_m3_dot(body->inverse_inertia_world, stiffness) / (joints->dimension - 1);
}

static void add_swing(frz_joints *joints, int joint, const frz_rigid_body *bodies, frz_vec3 force)
{
    const frz_pair_joint *j = &joints->list[joint];
    for (int side = 0; side < 2; ++side)
    {
        if (j->body[side] < 0)
            continue;
        const frz_rigid_body *body = &bodies[j->body[side]];
        const frz_vec3 arm = frz_quat_rotate(body->rotation, j->anchor[side]);
        joints->moves[j->body[side]].spin.x += swing_of(joints, body, arm, frz_v3_scale(side == 0 ? 1.0 : -1.0, force));
    }
}

double frz_joints_frequency(frz_joints *joints, const frz_rigid_body *bodies, double dt)
{
    double largest = 0.0;
    frz_vec3 moment;
    for (int b = 0; b < joints->body_count; ++b)
        joints->moves[b].spin.x = 0.0; // scratch by body
    for (int j = 0; j < joints->count; ++j)
    {
        const frz_pair_joint_kind kind = joints->list[j].kind;
        if (kind == FRZ_PAIR_BALL || kind == FRZ_PAIR_HINGE || kind == FRZ_PAIR_FIXED)
            add_swing(joints, j, bodies, frz_v3_scale(1.0 / dt, frz_joints_impulse(joints, j, 0, &moment)));
    }
    for (int r = 0; r < joints->rope_count; ++r)
    {
        const frz_rope *rope = &joints->ropes[r];
        const frz_vec3 force = frz_v3_scale(rope->impulse / dt, rope->normal);
        const double length = frz_v3_length(frz_v3_sub(rope->place[1], rope->place[0]));
        add_swing(joints, rope->joint, bodies, force);
        double inverse_mass = 0.0;
        for (int side = 0; side < 2; ++side)
            inverse_mass += frz_joint_body(joints, bodies, rope->body[side])->inverse_mass;
        if (length > 0.0)
            largest = fmax(largest, rope->impulse / (dt * length) * inverse_mass);
    }
    for (int b = 0; b < joints->body_count; ++b)
        largest = fmax(largest, joints->moves[b].spin.x);
    return sqrt(largest);
}
