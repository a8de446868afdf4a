// SPDX-License-Identifier: MIT
// Joints of a world of bodies: which bodies move together, and the joints' part of a step.
#include "rigid/joints.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/union_find.h"
#include "rigid/joints_internal.h"

// of the correction of violated joints: rounds, and tolerance in spacings
enum
{
    most_rounds = 4
};
static const double joined = 1.0e-11;

static bool yields(const frz_rigid_body *bodies, int body)
{
    return body >= 0 && frz_rigid_body_yields(&bodies[body]);
}

/// By joints of all kinds (group), or by those that hold both ways only.
static void unite_all(const frz_joints *joints, const frz_rigid_body *bodies, bool ropes, int *parent)
{
    for (int b = 0; b < joints->body_count; ++b)
        parent[b] = b;
    for (int j = 0; j < joints->count; ++j)
    {
        const frz_pair_joint *joint = &joints->list[j];
        if ((ropes || joint->kind != FRZ_PAIR_ROPE) && yields(bodies, joint->body[0]) && yields(bodies, joint->body[1]))
            frz_set_unite(parent, joint->body[0], joint->body[1]);
    }
    for (int b = 0; b < joints->body_count; ++b)
        parent[b] = frz_set_root(parent, b); // the smallest number, so in front of b
}

static int assembly_of_joint(const frz_joints *joints, const frz_pair_joint *joint)
{
    for (int side = 0; side < 2; ++side)
    {
        if (joint->body[side] >= 0 && joints->assembly_of[joint->body[side]] >= 0)
            return joints->assembly_of[joint->body[side]];
    }
    return -1;
}

/// Bodies that joints hold both ways, assembly after assembly. parent is scratch.
static void form_assemblies(frz_joints *joints, const frz_rigid_body *bodies, int *parent)
{
    unite_all(joints, bodies, false, parent);
    for (int b = 0; b < joints->body_count; ++b)
        joints->assembly_of[b] = -1;
    for (int j = 0; j < joints->count; ++j)
    {
        for (int side = 0; side < 2 && joints->list[j].kind != FRZ_PAIR_ROPE; ++side)
        {
            const int b = joints->list[j].body[side];
            if (yields(bodies, b) && joints->assembly_of[parent[b]] < 0)
                joints->assembly_of[parent[b]] = joints->assembly_count++;
        }
    }
    for (int b = 0; b < joints->body_count; ++b) // a root in front of its members has its number already
        joints->assembly_of[b] = yields(bodies, b) ? joints->assembly_of[parent[b]] : -1;
    int member = 0;
    for (int a = 0; a < joints->assembly_count; ++a)
    {
        joints->assemblies[a].first_member = member;
        for (int b = 0; b < joints->body_count; ++b)
        {
            if (joints->assembly_of[b] != a)
                continue;
            joints->member_slot[b] = member - joints->assemblies[a].first_member;
            joints->members[member++] = b;
        }
        joints->assemblies[a].member_count = member - joints->assemblies[a].first_member;
    }
}

/// Rows in the order of assemblies, then of joints; and the envelope of the factor, whose size is returned.
static int64_t form_rows(frz_joints *joints, int *first_row_of_body)
{
    for (int b = 0; b < joints->body_count; ++b)
        first_row_of_body[b] = -1;
    int64_t size = 0;
    for (int a = 0; a < joints->assembly_count; ++a)
    {
        joints->assemblies[a].first_row = joints->row_count;
        for (int j = 0; j < joints->count; ++j)
        {
            const frz_pair_joint *joint = &joints->list[j];
            if (joint->kind == FRZ_PAIR_ROPE || assembly_of_joint(joints, joint) != a)
                continue;
            joints->first_row_of[j] = joints->row_count;
            int first = joints->row_count;
            for (int side = 0; side < 2; ++side)
            {
                const int b = joint->body[side];
                if (b < 0 || joints->assembly_of[b] < 0)
                    continue;
                if (first_row_of_body[b] < 0)
                    first_row_of_body[b] = joints->row_count;
                first = first_row_of_body[b] < first ? first_row_of_body[b] : first;
            }
            for (int k = frz_joint_row_count(joint, joints->dimension); k > 0; --k)
            {
                frz_joint_row *row = &joints->rows[joints->row_count];
                row->joint = j;
                row->first = first;
                row->start = size - first;
                size += joints->row_count++ - first;
                for (int side = 0; side < 2; ++side)
                    row->body[side] = joint->body[side] < 0 ? joints->body_count : joint->body[side];
            }
        }
        joints->assemblies[a].row_count = joints->row_count - joints->assemblies[a].first_row;
    }
    return size;
}

static int compare_pairs(const void *a, const void *b)
{
    const int *p = a, *q = b;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return (p[1] > q[1]) - (p[1] < q[1]);
}

static void list_pairs(frz_joints *joints)
{
    for (int j = 0; j < joints->count; ++j)
    {
        const int a = joints->list[j].body[0], b = joints->list[j].body[1];
        if (joints->list[j].collide || a < 0 || b < 0)
            continue;
        joints->apart[joints->apart_count][0] = a < b ? a : b;
        joints->apart[joints->apart_count++][1] = a < b ? b : a;
    }
    qsort(joints->apart, (size_t)joints->apart_count, sizeof *joints->apart, compare_pairs);
}

static void set_across(frz_joints *joints, int j)
{
    const frz_vec3 axis = joints->list[j].axis;
    const frz_vec3 helper = fabs(axis.z) < 0.6 ? frz_v3(0.0, 0.0, 1.0) : frz_v3(1.0, 0.0, 0.0);
    joints->across[j][0] = frz_v3_normalize(frz_v3_cross(helper, axis)); // in the plane, if the axis is
    joints->across[j][1] = frz_v3_cross(axis, joints->across[j][0]);
}

static frz_status allocate(frz_joints *joints, frz_diag *diag)
{
    const int count = joints->count, bodies = joints->body_count;
    const int most_rows = FRZ_JOINT_MOST_ROWS * count;
    joints->list = FRZ_ALLOC("joints", count + 1, frz_pair_joint);
    joints->across = frz_alloc("joints", (size_t)count + 1, sizeof *joints->across);
    joints->memory = FRZ_ALLOC("joints", count + 1, frz_joint_memory);
    joints->memory_before = FRZ_ALLOC("joints", count + 1, frz_joint_memory);
    joints->rows = FRZ_ALLOC("joints", most_rows + 1, frz_joint_row);
    joints->first_row_of = FRZ_ALLOC("joints", count + 1, int);
    joints->work = FRZ_ALLOC("joints", most_rows + 1, double);
    joints->moves = FRZ_ALLOC("joints", bodies + 1, frz_rigid_motion);
    joints->assemblies = FRZ_ALLOC("joints", bodies + 1, frz_assembly);
    joints->assembly_of = FRZ_ALLOC("joints", bodies + 1, int);
    joints->member_slot = FRZ_ALLOC("joints", bodies + 1, int);
    joints->members = FRZ_ALLOC("joints", bodies + 1, int);
    joints->group = FRZ_ALLOC("joints", bodies + 1, int);
    joints->apart = frz_alloc("joints", (size_t)count + 1, sizeof *joints->apart);
    joints->ropes = FRZ_ALLOC("joints", count + 1, frz_rope);
    if (joints->list == NULL || joints->across == NULL || joints->memory == NULL || joints->memory_before == NULL ||
        joints->rows == NULL || joints->first_row_of == NULL || joints->work == NULL || joints->moves == NULL ||
        joints->assemblies == NULL || joints->assembly_of == NULL || joints->member_slot == NULL ||
        joints->members == NULL || joints->group == NULL || joints->apart == NULL || joints->ropes == NULL)
        return frz_fail_memory(diag, "the joints of bodies");
    return FRZ_OK;
}

static frz_status arrange(frz_joints *joints, const frz_pair_joint *list, const frz_rigid_body *bodies, frz_diag *diag)
{
    FRZ_TRY(allocate(joints, diag));
    for (int j = 0; j < joints->count; ++j)
    {
        joints->list[j] = list[j];
        joints->first_row_of[j] = -1;
        set_across(joints, j);
        if (list[j].kind == FRZ_PAIR_ROPE)
        {
            frz_rope *rope = &joints->ropes[joints->rope_count++];
            rope->joint = j;
            for (int side = 0; side < 2; ++side)
                rope->body[side] = list[j].body[side] < 0 ? joints->body_count : list[j].body[side];
        }
    }
    form_assemblies(joints, bodies, joints->group);
    joints->lower = FRZ_ALLOC("joints", form_rows(joints, joints->group) + 1, double);
    if (joints->lower == NULL)
        return frz_fail_memory(diag, "the joints of bodies");
    unite_all(joints, bodies, true, joints->group);
    list_pairs(joints);
    return FRZ_OK;
}

frz_status frz_joints_create(const frz_pair_joint *list, int count, const frz_rigid_body *bodies, int body_count,
                             int dimension, double spacing, frz_joints **out, frz_diag *diag)
{
    *out = FRZ_ALLOC("joints", 1, frz_joints);
    if (*out == NULL)
        return frz_fail_memory(diag, "the joints of bodies");
    (*out)->count = count;
    (*out)->body_count = body_count;
    (*out)->dimension = dimension;
    (*out)->spacing = spacing;
    const frz_status status = arrange(*out, list, bodies, diag);
    if (status != FRZ_OK)
        frz_joints_destroy(out);
    return status;
}

void frz_joints_destroy(frz_joints **joints)
{
    if (joints == NULL || *joints == NULL)
        return;
    frz_joints *j = *joints;
    frz_free(j->list);
    frz_free(j->across);
    frz_free(j->memory);
    frz_free(j->memory_before);
    frz_free(j->rows);
    frz_free(j->first_row_of);
    frz_free(j->lower);
    frz_free(j->work);
    frz_free(j->moves);
    frz_free(j->assemblies);
    frz_free(j->assembly_of);
    frz_free(j->member_slot);
    frz_free(j->members);
    frz_free(j->group);
    frz_free(j->apart);
    frz_free(j->ropes);
    FRZ_FREE(*joints);
}

// ---- a step

/// Gradients at the present poses, and the members that depend on masses.
static void place_rows(frz_joints *joints, const frz_rigid_body *bodies)
{
    for (int j = 0; j < joints->count; ++j)
    {
        if (joints->first_row_of[j] < 0)
            continue;
        frz_joint_row *rows = &joints->rows[joints->first_row_of[j]];
        frz_joint_gradients(joints, j, bodies, rows);
        for (int k = frz_joint_row_count(&joints->list[j], joints->dimension) - 1; k >= 0; --k)
        {
            for (int side = 0; side < 2; ++side)
            {
                const frz_rigid_body *body = frz_joint_body(joints, bodies, rows[k].body[side]);
                rows[k].drift[side] = frz_rigid_body_yield(body, rows[k].linear[side]);
                rows[k].swing[side] = frz_m3_apply(body->inverse_inertia_world, rows[k].angular[side]);
            }
        }
    }
    frz_joints_factor(joints);
}

static void clear_rates(frz_joints *joints)
{
    for (int i = 0; i < joints->row_count; ++i)
        joints->rows[i].rate = 0.0;
}

/// Take the coordinates, times scale, from the rates; returns the largest, m.
static double take_errors(frz_joints *joints, const frz_rigid_body *bodies, double scale)
{
    double largest = 0.0, errors[FRZ_JOINT_MOST_ROWS];
    for (int j = 0; j < joints->count; ++j)
    {
        if (joints->first_row_of[j] < 0)
            continue;
        frz_joint_row *rows = &joints->rows[joints->first_row_of[j]];
        frz_joint_coordinates(joints, j, bodies, rows, errors);
        for (int k = frz_joint_row_count(&joints->list[j], joints->dimension) - 1; k >= 0; --k)
        {
            rows[k].rate -= scale * errors[k];
            if (rows[k].inverse_pivot > 0.0)
                largest = fmax(largest, rows[k].unit * fabs(errors[k]));
        }
    }
    return largest;
}

void frz_joints_begin(frz_joints *joints, const frz_rigid_body *bodies, double dt, double last_dt)
{
    memcpy(joints->memory_before, joints->memory, (size_t)joints->count * sizeof *joints->memory);
    place_rows(joints, bodies);
    clear_rates(joints);
    for (int i = 0; i < joints->row_count; ++i)
        joints->rows[i].impulse = joints->rows[i].pushed = 0.0;
    if (dt > 0.0)
        (void)take_errors(joints, bodies, 1.0 / dt);
    for (int r = 0; r < joints->rope_count; ++r)
    {
        frz_rope *rope = &joints->ropes[r];
        double excess = 0.0;
        frz_joint_pull(joints, bodies, rope, &excess);
        rope->least = dt > 0.0 ? excess / dt : 0.0;
        rope->impulse = last_dt > 0.0 ? dt / last_dt * joints->memory[rope->joint].impulse : 0.0;
    }
}

void frz_joints_undo(frz_joints *joints)
{
    memcpy(joints->memory, joints->memory_before, (size_t)joints->count * sizeof *joints->memory);
}

/// A joint's two bodies after dt, in the places of a copy of all of them: only theirs are read then.
static void move_two(const frz_joints *joints, int joint, const frz_rigid_body *bodies, double dt,
                     frz_rigid_body *ahead)
{
    for (int side = 0; side < 2; ++side)
    {
        const int b = joints->list[joint].body[side];
        if (b < 0)
            continue;
        ahead[b] = bodies[b];
        frz_rigid_body_move(&ahead[b], dt);
    }
}

double frz_joints_correct(frz_joints *joints, const frz_rigid_body *bodies, frz_rigid_body *ahead, double dt)
{
    for (int j = 0; j < joints->count; ++j)
        move_two(joints, j, bodies, dt, ahead);
    double largest = take_errors(joints, ahead, 1.0 / dt);
    for (int r = 0; r < joints->rope_count; ++r)
    {
        frz_rope *rope = &joints->ropes[r];
        frz_rope then = *rope;
        double excess = 0.0;
        frz_joint_pull(joints, ahead, &then, &excess);
        if (excess < 0.0 && rope->impulse == 0.0)
            continue; // slack
        rope->least += excess / dt;
        largest = fmax(largest, fabs(excess));
    }
    return largest;
}

static void put_together(frz_joints *joints, frz_rigid_body *bodies)
{
    memset(joints->moves, 0, (size_t)joints->body_count * sizeof *joints->moves);
    frz_joints_project(joints, joints->moves, false);
    for (int b = 0; b < joints->body_count; ++b)
    {
        if (joints->assembly_of[b] < 0)
            continue;
        bodies[b].position = frz_v3_add(bodies[b].position, joints->moves[b].velocity);
        bodies[b].rotation =
            frz_quat_normalize(frz_quat_mul(frz_quat_from_vector(joints->moves[b].spin), bodies[b].rotation));
        frz_rigid_body_refresh(&bodies[b]);
    }
}

void frz_joints_end(frz_joints *joints, frz_rigid_body *bodies)
{
    for (int n = 0; n < most_rounds && take_errors(joints, bodies, 1.0) > joined * joints->spacing; ++n)
    {
        place_rows(joints, bodies); // before the errors: some are measured along directions of the rows
        clear_rates(joints);
        (void)take_errors(joints, bodies, 1.0);
        put_together(joints, bodies);
    }
    for (int j = 0; j < joints->count; ++j)
        frz_joint_remember(joints, j, bodies);
    for (int r = 0; r < joints->rope_count; ++r)
        joints->memory[joints->ropes[r].joint].impulse = joints->ropes[r].impulse;
}

// ---- questions

bool frz_joints_keep_apart(const frz_joints *joints, int a, int b)
{
    const int pair[2] = {a < b ? a : b, a < b ? b : a};
    return joints->apart_count > 0 &&
           bsearch(pair, joints->apart, (size_t)joints->apart_count, sizeof *joints->apart, compare_pairs) != NULL;
}

int frz_joints_group(const frz_joints *joints, int body)
{
    return body < joints->body_count ? joints->group[body] : body; // bodies that were born have no joints
}

int frz_joints_count(const frz_joints *joints)
{
    return joints->count;
}

const frz_pair_joint *frz_joints_view(const frz_joints *joints)
{
    return joints->list;
}

frz_joint_memory *frz_joints_memory(frz_joints *joints)
{
    return joints->memory;
}

int frz_joints_ropes(frz_joints *joints, int world_index, frz_rope **ropes)
{
    for (int r = 0; r < joints->rope_count; ++r)
        for (int side = 0; side < 2; ++side)
            if (joints->list[joints->ropes[r].joint].body[side] < 0)
                joints->ropes[r].body[side] = world_index;
    *ropes = joints->ropes;
    return joints->rope_count;
}
