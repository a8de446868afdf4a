// SPDX-License-Identifier: MIT
// Remaining penetrations are corrected by moving poses: no velocity, so no energy, comes from it.
//
// Small overlaps (the slop) stay: correcting them to nothing would break contacts, and friction with them, every other
// step.
#include "rigid/contacts_internal.h"

static const double slop = 0.01;     ///< overlap that is left alone, in spacings
static const double share = 0.2;     ///< of the rest that is corrected in a step: errors of neighbours do not pile up
static const double enough = 1.0e-3; ///< sweeps end when corrections change by less, in slops

enum
{
    most_sweeps = 50
};

typedef struct shove
{
    int body[2];
    frz_vec3 normal;
    frz_vec3 drift[2], lever[2], swing[2]; ///< as for impulses
    double response, give;                 ///< and its inverse
    double target;                         ///< least displacement along the normal, m
    double amount;
} shove;

typedef struct displacement
{
    frz_vec3 shift, turn;
} displacement;

/// The gap after the poses moved: both surface points are carried along with their bodies.
static double present_gap(const frz_contact *c, const frz_rigid_body *a, const frz_rigid_body *b)
{
    const frz_vec3 on_a = frz_rigid_body_to_world(a, c->anchor[0]);
    const frz_vec3 on_b = frz_rigid_body_to_world(b, c->anchor[1]);
    return frz_v3_dot(c->normal, frz_v3_sub(on_a, on_b));
}

static void prepare(const frz_contact *c, const frz_rigid_body *bodies, double gap, const frz_contact_options *options,
                    double dt, shove *s)
{
    const frz_rigid_body *pair[2] = {&bodies[c->key.toucher], &bodies[c->key.touched]};
    *s = (shove){.body = {c->key.toucher, c->key.touched}, .normal = c->normal};
    const frz_vec3 place = frz_rigid_body_to_world(pair[0], c->anchor[0]);
    for (int side = 0; side < 2; ++side)
    {
        s->drift[side] = frz_rigid_body_yield(pair[side], c->normal);
        s->lever[side] = frz_v3_cross(frz_v3_sub(place, pair[side]->position), c->normal);
        s->swing[side] = frz_m3_apply(pair[side]->inverse_inertia_world, s->lever[side]);
        s->response += frz_v3_dot(s->drift[side], c->normal) + frz_v3_dot(s->lever[side], s->swing[side]);
    }
    s->give = 1.0 / s->response;
    const double excess = -gap - slop * options->spacing;
    s->target = excess > 0.0 ? fmin(share * excess, options->push_speed * dt) : excess;
}

static double solve_one(shove *s, displacement *moved)
{
    displacement *a = &moved[s->body[0]], *b = &moved[s->body[1]];
    const double present = frz_v3_dot(s->normal, frz_v3_sub(a->shift, b->shift)) + frz_v3_dot(s->lever[0], a->turn) -
                           frz_v3_dot(s->lever[1], b->turn);
    const double wanted = s->amount + s->give * (s->target - present), amount = wanted > 0.0 ? wanted : 0.0;
    const double change = amount - s->amount;
    if (change == 0.0) // most contacts are open
        return 0.0;
    s->amount = amount;
    a->shift = frz_v3_mad(a->shift, change, s->drift[0]);
    a->turn = frz_v3_mad(a->turn, change, s->swing[0]);
    b->shift = frz_v3_mad(b->shift, -change, s->drift[1]);
    b->turn = frz_v3_mad(b->turn, -change, s->swing[1]);
    return fabs(change) * s->response;
}

/// Contacts that corrections do not change: nothing there can move, or it sleeps.
static bool is_settled(const frz_rigid_body *a, const frz_rigid_body *b)
{
    return (a->asleep || !frz_rigid_body_yields(a)) && (b->asleep || !frz_rigid_body_yields(b));
}

static void move(frz_rigid_body *body, const displacement *d)
{
    body->position = frz_v3_add(body->position, d->shift);
    body->rotation = frz_quat_normalize(frz_quat_mul(frz_quat_from_vector(d->turn), body->rotation));
    frz_rigid_body_refresh(body);
}

/// How far corrections move a body at about the distance of its mass from the centre, m.
static double way_of(const displacement *d, const frz_rigid_body *body)
{
    const double radius = body->mass > 0.0 ? sqrt(frz_m3_trace(body->inertia) / body->mass) : 0.0;
    return frz_v3_length(d->shift) + radius * frz_v3_length(d->turn);
}

static frz_status push_apart(frz_contacts *contacts, frz_rigid_body *bodies, int count, double dt, frz_diag *diag)
{
    const frz_contact_list *list = &contacts->list;
    const double spacing = contacts->options.spacing;
    shove *shoves = FRZ_SCRATCH(&contacts->scratch, list->count, shove);
    displacement *moved = FRZ_SCRATCH(&contacts->scratch, count, displacement);
    double *ways = FRZ_SCRATCH(&contacts->scratch, count, double);
    if (shoves == NULL || moved == NULL || ways == NULL)
        return frz_fail_memory(diag, "the separation of bodies");
    bool needed = false;
    int used = 0;
    for (int n = 0; n < list->count; ++n)
    {
        const frz_contact *c = &list->items[n];
        const frz_rigid_body *a = &bodies[c->key.toucher], *b = &bodies[c->key.touched];
        if (is_settled(a, b))
            continue;
        prepare(c, bodies, present_gap(c, a, b), &contacts->options, dt, &shoves[used]);
        needed = needed || shoves[used].target > 0.0;
        ++used;
    }
    for (int b = 0; b < count; ++b)
        moved[b] = (displacement){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    double largest = needed ? HUGE_VAL : 0.0;
    for (int k = 0; k < most_sweeps && largest > enough * slop * spacing; ++k)
    {
        largest = 0.0;
        for (int n = 0; n < used; ++n)
            largest = fmax(largest, solve_one(&shoves[n], moved));
    }
    for (int b = 0; b < count && needed; ++b)
    {
        if (frz_rigid_body_yields(&bodies[b]) && !bodies[b].asleep)
            move(&bodies[b], &moved[b]);
    }
    for (int b = 0; b < count; ++b)
        ways[b] = way_of(&moved[b], &bodies[b]);
    return frz_contacts_sleep(contacts, bodies, count, ways, dt, diag);
}

frz_status frz_contacts_separate(frz_contacts *contacts, frz_rigid_body *bodies, int count, double dt, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(&contacts->scratch);
    const frz_status status = push_apart(contacts, bodies, count, dt, diag);
    frz_arena_release(&contacts->scratch, mark);
    if (status != FRZ_OK)
        return status;
    if (contacts->joints != NULL)
        frz_joints_end(contacts->joints, bodies);
    return FRZ_OK;
}
