// SPDX-License-Identifier: MIT
// The matrix G M^-1 G^T of the joints, factored as L D L^T within its envelope: rows of a chain in order fill nothing
// in.
//
// A part per ten billion of its diagonal is added, so that redundant rows (a loop of hinges in space) do not make it
// singular; the residual of this is solved for once more.
#include "rigid/joints_internal.h"

// added to the diagonal, relative: far above rounding, far below the smallest eigenvalue of the stiffest chains
static const double softness = 1.0e-10;

enum
{
    refinements = 2 ///< solutions in sequence for one projection
};

/// Rate of one row's coordinate by a unit impulse of the other.
static double couple(const frz_joint_row *a, const frz_joint_row *b)
{
    double sum = 0.0;
    for (int i = 0; i < 2; ++i)
    {
        for (int k = 0; k < 2; ++k)
        {
            if (a->body[i] == b->body[k])
                sum += frz_v3_dot(a->linear[i], b->drift[k]) + frz_v3_dot(a->angular[i], b->swing[k]);
        }
    }
    return sum;
}

/// Row i of the factor; the rows before it are done.
static void factor_row(frz_joints *joints, int i)
{
    frz_joint_row *row = &joints->rows[i];
    double *own = joints->lower + row->start;
    for (int k = row->first; k < i; ++k)
    {
        const frz_joint_row *other = &joints->rows[k];
        const double *theirs = joints->lower + other->start;
        double sum = couple(row, other);
        for (int m = row->first > other->first ? row->first : other->first; m < k; ++m)
            sum -= own[m] * theirs[m];
        own[k] = sum; // times its pivot, by which the next loop divides
    }
    const double diagonal = couple(row, row);
    double pivot = (1.0 + softness) * diagonal;
    for (int k = row->first; k < i; ++k)
    {
        const double entry = own[k] * joints->rows[k].inverse_pivot;
        pivot -= own[k] * entry;
        own[k] = entry;
    }
    row->inverse_pivot = diagonal > 0.0 && pivot > 0.5 * softness * diagonal ? 1.0 / pivot : 0.0;
}

void frz_joints_factor(frz_joints *joints)
{
    for (int i = 0; i < joints->row_count; ++i)
        factor_row(joints, i);
}

void frz_joints_solve(const frz_joints *joints, const frz_assembly *assembly, double *y)
{
    const int first = assembly->first_row, end = first + assembly->row_count;
    for (int i = first; i < end; ++i)
    {
        const double *lower = joints->lower + joints->rows[i].start;
        for (int k = joints->rows[i].first; k < i; ++k)
            y[i - first] -= lower[k] * y[k - first];
    }
    for (int i = first; i < end; ++i)
        y[i - first] *= joints->rows[i].inverse_pivot;
    for (int i = end - 1; i >= first; --i)
    {
        const double *lower = joints->lower + joints->rows[i].start;
        for (int k = joints->rows[i].first; k < i; ++k)
            y[k - first] -= lower[k] * y[i - first];
    }
}

double frz_joint_rate(const frz_joints *joints, const frz_joint_row *row, const frz_rigid_motion *motions)
{
    double sum = 0.0;
    for (int side = 0; side < 2; ++side)
    {
        if (row->body[side] == joints->body_count)
            continue;
        const frz_rigid_motion *m = &motions[row->body[side]];
        sum += frz_v3_dot(row->linear[side], m->velocity) + frz_v3_dot(row->angular[side], m->spin);
    }
    return sum;
}

static void act(const frz_joints *joints, const frz_joint_row *row, double impulse, frz_rigid_motion *motions)
{
    for (int side = 0; side < 2; ++side)
    {
        if (row->body[side] == joints->body_count)
            continue;
        frz_rigid_motion *m = &motions[row->body[side]];
        m->velocity = frz_v3_mad(m->velocity, impulse, row->drift[side]);
        m->spin = frz_v3_mad(m->spin, impulse, row->swing[side]);
    }
}

void frz_joints_project(frz_joints *joints, frz_rigid_motion *motions, bool free)
{
    // a symmetric operator, which the solver of the liquid needs, is one solution; the rates of the step are met to
    // rounding
    for (int n = 0; n < (free ? 1 : refinements); ++n)
    {
        for (int a = 0; a < joints->assembly_count; ++a)
        {
            const frz_assembly *assembly = &joints->assemblies[a];
            frz_joint_row *rows = joints->rows + assembly->first_row;
            for (int i = 0; i < assembly->row_count; ++i)
                joints->work[i] = (free ? 0.0 : rows[i].rate) - frz_joint_rate(joints, &rows[i], motions);
            frz_joints_solve(joints, assembly, joints->work);
            for (int i = 0; i < assembly->row_count; ++i)
                act(joints, &rows[i], joints->work[i], motions);
        }
    }
}

int frz_joints_members(const frz_joints *joints, int body, const int **members)
{
    const int a = body < joints->body_count ? joints->assembly_of[body] : -1;
    if (a < 0)
        return 0;
    *members = joints->members + joints->assemblies[a].first_member;
    return joints->assemblies[a].member_count;
}

int frz_joints_workspace(const frz_joints *joints, int body)
{
    const int a = body < joints->body_count ? joints->assembly_of[body] : -1;
    return a < 0 ? 0 : joints->assemblies[a].row_count;
}

void frz_joints_respond(const frz_joints *joints, int body, const frz_rigid_motion *alone, double *work,
                        frz_rigid_motion *out)
{
    const frz_assembly *assembly = &joints->assemblies[joints->assembly_of[body]];
    const frz_joint_row *rows = joints->rows + assembly->first_row;
    for (int m = 0; m < assembly->member_count; ++m)
        out[m] = (frz_rigid_motion){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    out[joints->member_slot[body]] = *alone;
    for (int i = 0; i < assembly->row_count; ++i)
    {
        work[i] = 0.0;
        for (int side = 0; side < 2; ++side)
        {
            if (rows[i].body[side] == body)
                work[i] -=
                    frz_v3_dot(rows[i].linear[side], alone->velocity) + frz_v3_dot(rows[i].angular[side], alone->spin);
        }
    }
    frz_joints_solve(joints, assembly, work);
    for (int i = 0; i < assembly->row_count; ++i)
    {
        for (int side = 0; side < 2; ++side)
        {
            const int b = rows[i].body[side];
            if (b == joints->body_count || joints->assembly_of[b] < 0)
                continue;
            frz_rigid_motion *m = &out[joints->member_slot[b]];
            m->velocity = frz_v3_mad(m->velocity, work[i], rows[i].drift[side]);
            m->spin = frz_v3_mad(m->spin, work[i], rows[i].swing[side]);
        }
    }
}
