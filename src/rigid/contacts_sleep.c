// SPDX-License-Identifier: MIT
// Bodies at rest that are left alone: groups that touch each other and have hardly moved for some time.
//
// A sleeping group has no velocity, gets no weight and is not solved; its contacts keep the impulses that hold it. It
// wakes as a whole before the step in which something may touch it: a body that is awake, one that moves as it is told;
// or in which a contact that carried a load is gone. Both are told by contacts and velocities alone, so that the same
// happens for any number of threads and after a restart.
#include "math/union_find.h"
#include "rigid/contacts_internal.h"

#include <stdlib.h>

// A body whose weight contacts hold is slower than this share of the velocity that the weight would give it in a step:
// solvers leave that much of it. A pile that creeps is faster.
static const double rest_share = 1.0e-3;

void frz_contacts_let_sleep(frz_contacts *contacts, double after)
{
    contacts->options.sleep_after = after;
}

static bool moves(const frz_rigid_body *body)
{
    return frz_v3_dot(body->velocity, body->velocity) > 0.0 || frz_v3_dot(body->spin, body->spin) > 0.0;
}

/// Whether it can fall asleep: bodies on joints swing, and the joints would have to be solved.
static bool may_sleep(const frz_contacts *contacts, const frz_rigid_body *bodies, int b)
{
    const int *members = NULL;
    const bool joined = contacts->joints != NULL && frz_joints_members(contacts->joints, b, &members) > 0;
    return !joined && bodies[b].joint == FRZ_JOINT_NONE && bodies[b].inverse_mass > 0.0;
}

/// Groups of bodies that touch each other: parent[b] becomes the lowest of b's.
static void group(const frz_contacts *contacts, const frz_rigid_body *bodies, int count, int *parent)
{
    for (int b = 0; b < count; ++b)
        parent[b] = b;
    for (int n = 0; n < contacts->list.count; ++n)
    {
        const frz_contact_key *key = &contacts->list.items[n].key;
        if (frz_rigid_body_yields(&bodies[key->toucher]) && frz_rigid_body_yields(&bodies[key->touched]))
            frz_set_unite(parent, key->toucher, key->touched);
    }
    for (int b = 0; b < count; ++b)
        parent[b] = frz_set_root(parent, b);
}

// ---- waking

/// Whether a contact wakes a sleeping body: the other body is awake or moves.
static bool disturbs(const frz_rigid_body *other)
{
    return moves(other) || (frz_rigid_body_yields(other) && !other->asleep);
}

/// Bodies that lose a contact that carried a load.
static void rouse_unsupported(const frz_contacts *contacts, const frz_rigid_body *bodies, const int *parent,
                              bool *roused)
{
    const frz_contact_pair_list *now = &contacts->pairs, *old = &contacts->previous_pairs;
    for (int n = 0; n < old->count; ++n)
    {
        const frz_contact_pair *before = &old->items[n];
        if (before->count == 0 || !(bodies[before->low].asleep || bodies[before->high].asleep))
            continue;
        double load = 0.0;
        for (int k = before->first; k < before->first + before->count; ++k)
            load += contacts->previous.items[k].impulse.x;
        const frz_contact_pair *pair =
            now->count > 0 ? bsearch(before, now->items, (size_t)now->count, sizeof *before, frz_contact_pair_compare)
                           : NULL;
        if (load > 0.0 && (pair == NULL || pair->count == 0))
            roused[parent[before->low]] = roused[parent[before->high]] = true;
    }
}

frz_status frz_contacts_wake(frz_contacts *contacts, frz_rigid_body *bodies, int count, frz_diag *diag)
{
    int sleepers = 0;
    for (int b = 0; b < count; ++b)
        sleepers += bodies[b].asleep;
    if (sleepers == 0)
        return FRZ_OK;
    const frz_arena_mark mark = frz_arena_here(&contacts->scratch);
    int *parent = FRZ_SCRATCH(&contacts->scratch, count, int);
    bool *roused = FRZ_SCRATCH(&contacts->scratch, count, bool);
    if (parent == NULL || roused == NULL)
    {
        frz_arena_release(&contacts->scratch, mark);
        return frz_fail_memory(diag, "bodies at rest");
    }
    group(contacts, bodies, count, parent);
    for (int b = 0; b < count; ++b)
        roused[b] = !(contacts->options.sleep_after > 0.0);
    for (int b = 0; b < count; ++b)
        roused[parent[b]] = roused[parent[b]] || (frz_rigid_body_yields(&bodies[b]) && disturbs(&bodies[b]));
    for (int n = 0; n < contacts->list.count; ++n)
    {
        const frz_contact_key *key = &contacts->list.items[n].key;
        const int pair[2] = {key->toucher, key->touched};
        for (int side = 0; side < 2; ++side)
            roused[parent[pair[side]]] = roused[parent[pair[side]]] || disturbs(&bodies[pair[1 - side]]);
    }
    rouse_unsupported(contacts, bodies, parent, roused);
    for (int b = 0; b < count; ++b)
    {
        if (!bodies[b].asleep || !roused[parent[b]])
            continue;
        bodies[b].asleep = false;
        bodies[b].rest_time = 0.0;
    }
    frz_arena_release(&contacts->scratch, mark);
    return FRZ_OK;
}

// ---- falling asleep

/// Count how long a body has been at rest at the end of a step. moved: by corrections.
static void count_rest(const frz_contacts *contacts, frz_rigid_body *body, double moved, double dt)
{
    const double slow = rest_share * contacts->options.acceleration * dt;
    const double speed = sqrt(2.0 * frz_rigid_body_energy(body) / body->mass);
    body->rest_time = speed <= slow && moved <= slow * dt ? body->rest_time + dt : 0.0;
}

frz_status frz_contacts_sleep(frz_contacts *contacts, frz_rigid_body *bodies, int count, const double *moved, double dt,
                              frz_diag *diag)
{
    const double after = contacts->options.sleep_after;
    if (!(after > 0.0))
        return FRZ_OK;
    int *parent = FRZ_SCRATCH(&contacts->scratch, count, int);
    bool *restless = FRZ_SCRATCH(&contacts->scratch, count, bool);
    if (parent == NULL || restless == NULL)
        return frz_fail_memory(diag, "bodies at rest");
    group(contacts, bodies, count, parent);
    for (int b = 0; b < count; ++b)
        restless[b] = false;
    for (int b = 0; b < count; ++b)
    {
        if (!frz_rigid_body_yields(&bodies[b]) || bodies[b].asleep)
            continue;
        count_rest(contacts, &bodies[b], moved[b], dt);
        if (!may_sleep(contacts, bodies, b) || bodies[b].rest_time < after)
            restless[parent[b]] = true;
    }
    for (int n = 0; n < contacts->list.count; ++n)
    {
        const frz_contact_key *key = &contacts->list.items[n].key;
        const int pair[2] = {key->toucher, key->touched};
        for (int side = 0; side < 2; ++side)
            if (!frz_rigid_body_yields(&bodies[pair[1 - side]]) && moves(&bodies[pair[1 - side]]))
                restless[parent[pair[side]]] = true;
    }
    contacts->stats.asleep = 0;
    for (int b = 0; b < count; ++b)
    {
        if (frz_rigid_body_yields(&bodies[b]) && !bodies[b].asleep && !restless[parent[b]])
        {
            bodies[b].asleep = true;
            bodies[b].velocity = bodies[b].spin = frz_v3(0.0, 0.0, 0.0);
        }
        contacts->stats.asleep += bodies[b].asleep;
    }
    return FRZ_OK;
}
