// SPDX-License-Identifier: MIT
#include "sim/response.h"

#include <math.h>
#include <string.h>

#include "sim/response_tied.h"
#include "sim/state.h"

// Distance of a factor from 1 up to which the answer of the last step is good enough.
static const double about_one = 0.1;
// Error of the answer that was reckoned with, over the part of it that goes with the kick (root mean squares), from
// which on pressures are found again.
static const double worth_again[] = {[FRZ_KICKS_LIQUID] = 0.1, [FRZ_KICKS_CONTACT] = 0.02};

frz_v4 frz_kicks_way(const frz_state *state, int slot)
{
    const frz_v4 v = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity)[slot];
    const int body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body)[slot];
    return frz_v4_xyz(v - (frz_real)state->bodies.position_theta[body] * (v - state->attempt.drivers.before[slot]));
}

// ---- explicit bodies

static frz_status answer_with_masses(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag)
{
    (void)diag;
    for (int e = state->bonds.first[self->body]; e < state->bonds.first[self->body + 1]; ++e)
    {
        const int i = state->solids.slot[e];
        if (i >= 0 && frz_kicks_is_soft(kicks, i))
            kicks->answer[i] = kicks->acted[i] = kicks->kick[i];
    }
    return FRZ_OK;
}

static frz_status settle_nothing(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag)
{
    (void)state;
    (void)self;
    (void)kicks;
    (void)diag;
    return FRZ_OK;
}

static bool has_response(const frz_state *state, int body)
{
    const frz_response *r = state->attempt.responses;
    while (r != NULL && r->body != body)
        r = r->next;
    return r != NULL;
}

frz_status frz_responses_complete(const frz_model *model, frz_state *state, frz_diag *diag)
{
    bool solves = false;
    for (int n = 0; n < model->instance_count; ++n)
        solves = solves || (model->instances[n].method->traits & FRZ_TRAIT_SOLVES_PRESSURE) != 0;
    for (int b = 0; solves && b < state->solids.body_count && state->bonds.first != NULL; ++b)
    {
        if (state->solids.body_phase[b] != FRZ_PHASE_ELASTIC || state->bonds.first[b] == state->bonds.first[b + 1] ||
            has_response(state, b))
            continue;
        frz_response *r = FRZ_SCRATCH(&state->scratch, 1, frz_response);
        if (r == NULL)
            return frz_fail_memory(diag, "contacts of elastic bodies");
        *r = (frz_response){.next = state->attempt.responses,
                            .answer = answer_with_masses,
                            .settle = settle_nothing,
                            .body = b,
                            .theta = 1.0};
        state->attempt.responses = r;
    }
    return FRZ_OK;
}

// A chain of particles that begins at the contact answers a push at its end like a mass of beta particles,
// beta (beta - 1) = stiffness; the whole body answers like its mass, divided among the particles in contact.
// Rods and sheets have no such chain behind a contact: pushed across they hardly resist, like a mass of one particle.
static bool find_give(const frz_state *state, frz_kicks *kicks)
{
    const frz_bonds *bonds = &state->bonds;
    bool any = false;
    for (const frz_response *r = state->attempt.responses; r != NULL; r = r->next)
    {
        int touching = 0, thin = 0, all = 0;
#pragma omp parallel for schedule(static) reduction(+ : touching, thin, all) if (bonds->count >= frz_parallel_some)
        for (int e = bonds->first[r->body]; e < bonds->first[r->body + 1]; ++e)
        {
            const int i = state->solids.slot[e];
            all += i >= 0;
            touching += i >= 0 && state->neighbors.pairs.diagonal[i] > 0;
            thin += i >= 0 && state->neighbors.pairs.diagonal[i] > 0 && state->solids.thin[e];
        }
        const double beta = 0.5 * (1.0 + sqrt(1.0 + 4.0 * r->stiffness));
        kicks->give[r->body] = touching > 0 && thin == 0 ? fmin(1.0, 1.0 / beta + (double)touching / all) : 1.0;
        kicks->of_body[r->body] = r;
        kicks->implicit = kicks->implicit || !frz_response_is_explicit(r);
        any = any || touching > 0;
    }
    return any;
}

frz_v4 frz_kicks_forecast(const frz_kicks *kicks, const frz_state *state, int slot)
{
    return frz_kicks_way(state, slot) + kicks->missed[slot];
}

static frz_v4 missed_of(const frz_response *r, int number, double give)
{
    return r->last_answer[number] - (frz_real)give * r->last_kick[number];
}

static void read_missed(const frz_state *state, const frz_kicks *kicks)
{
    memset(kicks->missed, 0, (size_t)kicks->count * sizeof *kicks->missed);
    memset(kicks->missed_liquid, 0, (size_t)kicks->count * sizeof *kicks->missed_liquid);
    memset(kicks->last_rub, 0, (size_t)kicks->count * sizeof *kicks->last_rub);
    for (const frz_response *r = state->attempt.responses; r != NULL; r = r->next)
        for (int e = state->bonds.first[r->body]; e < state->bonds.first[r->body + 1]; ++e)
        {
            const int i = state->solids.slot[e], number = e - state->bonds.first[r->body];
            if (i < 0 || frz_response_is_explicit(r) || !frz_kicks_is_soft(kicks, i))
                continue;
            kicks->last_rub[i] = r->last_rub[number];
            kicks->missed_liquid[i] = (frz_real)r->theta * r->last_missed[number];
            kicks->missed[i] =
                (frz_real)r->theta * missed_of(r, number, kicks->give[r->body]) + kicks->missed_liquid[i];
        }
    frz_tied_read_missed(state, kicks);
}

static void write_missed(const frz_state *state, const frz_kicks *kicks)
{
    frz_tied_write_missed(state, kicks);
    for (int i = 0; i < kicks->count; ++i)
        if (frz_kicks_is_soft(kicks, i))
        {
            const frz_response *r = kicks->of_body[kicks->body_of_slot[i]];
            if (frz_response_is_explicit(r))
                continue;
            r->missed_now[i] = (frz_real)kicks->scale[state->solids.group[i]] *
                               (kicks->answer[i] - (frz_real)kicks->give[r->body] * kicks->kick[i]);
        }
}

static void write_last(const frz_state *state, const frz_kicks *kicks)
{
    for (const frz_response *r = state->attempt.responses; r != NULL; r = r->next)
        for (int e = state->bonds.first[r->body]; e < state->bonds.first[r->body + 1]; ++e)
        {
            const int i = state->solids.slot[e];
            if (i < 0 || frz_response_is_explicit(r))
                continue;
            const frz_real scale = (frz_real)kicks->scale[state->solids.group[i]];
            r->kick_now[i] = scale * kicks->acted[i];
            r->answer_now[i] = scale * kicks->answer[i];
            r->rub_now[i] = scale * kicks->rub[i];
        }
}

static void clear(const frz_state *state, frz_kicks *kicks)
{
    const size_t count = (size_t)kicks->count, bodies = (size_t)kicks->body_count;
    memset(kicks->kick, 0, count * sizeof *kicks->kick);
    memset(kicks->answer, 0, count * sizeof *kicks->answer);
    memset(kicks->acted, 0, count * sizeof *kicks->acted);
    memset(kicks->given, 0, count * sizeof *kicks->given);
    memset(kicks->rub, 0, count * sizeof *kicks->rub);
    memset(kicks->warming, 0, count * sizeof *kicks->warming);
    memset(kicks->cooling, 0, count * sizeof *kicks->cooling);
    memset(kicks->slips, 0, count * sizeof *kicks->slips);
    memset(kicks->rubbed, 0, count * sizeof *kicks->rubbed);
    memset(kicks->rub_impulse, 0, bodies * sizeof *kicks->rub_impulse);
    memset(kicks->rub_moment, 0, bodies * sizeof *kicks->rub_moment);
    memset(kicks->impulse, 0, bodies * sizeof *kicks->impulse);
    memset(kicks->moment, 0, bodies * sizeof *kicks->moment);
    memset(kicks->motion, 0, bodies * sizeof *kicks->motion);
    memset(kicks->held, 0, bodies * sizeof *kicks->held);
    memset(kicks->held_more, 0, bodies * sizeof *kicks->held_more);
    for (int n = 0; n < kicks->node_count; ++n)
        kicks->parent[n] = n;
    for (int i = 0; i < kicks->count; ++i)
        kicks->node[i] = frz_kicks_is_soft(kicks, i)   ? state->solids.group[i]
                         : frz_kicks_is_tied(kicks, i) ? kicks->first_body_node + kicks->body_of_slot[i]
                                                       : -1;
}

void frz_kicks_settle_liquid(frz_kicks *kicks)
{
    for (int i = 0; i < kicks->count; ++i)
    {
        kicks->missed[i] -= kicks->missed_liquid[i];
        kicks->missed_liquid[i] = frz_v4_zero();
    }
}

void frz_kicks_next(const frz_state *state, frz_kicks *kicks)
{
    for (int i = 0; i < kicks->count; ++i)
        if (frz_kicks_is_soft(kicks, i))
            kicks->earlier[i] += (frz_real)frz_kicks_scale(kicks, i) * kicks->kick[i];
    for (int b = 0; b < kicks->body_count; ++b)
        if (kicks->tied[b] != NULL)
        {
            const double scale = kicks->scale[kicks->first_body_node + b];
            kicks->earlier_impulse[b] = frz_v3_mad(kicks->earlier_impulse[b], scale, kicks->impulse[b]);
            kicks->earlier_moment[b] = frz_v3_mad(kicks->earlier_moment[b], scale, kicks->moment[b]);
        }
    clear(state, kicks);
}

frz_status frz_kicks_make(frz_state *state, frz_kicks **out, frz_diag *diag)
{
    *out = NULL;
    if (state->attempt.responses == NULL)
        return FRZ_OK;
    frz_arena *scratch = &state->scratch;
    const int count = state->particles.count[FRZ_ROLE_FREE], bodies = state->bodies.count;
    frz_kicks *kicks = FRZ_SCRATCH(scratch, 1, frz_kicks);
    if (kicks == NULL)
        return frz_fail_memory(diag, "contacts of elastic bodies");
    *kicks = (frz_kicks){.count = count,
                         .body_count = bodies,
                         .body_of_slot = frz_field_i32(&state->particles, FRZ_FIELD_ID_body),
                         .driven = state->attempt.drivers.of_slot,
                         .of_body = FRZ_SCRATCH(scratch, bodies + 1, const frz_response *),
                         .tied = FRZ_SCRATCH(scratch, bodies + 1, const frz_response *),
                         .give = FRZ_SCRATCH(scratch, bodies + 1, double),
                         .kept = FRZ_SCRATCH(scratch, bodies + 1, double)};
    if (kicks->of_body == NULL || kicks->tied == NULL || kicks->give == NULL || kicks->kept == NULL)
        return frz_fail_memory(diag, "contacts of elastic bodies");
    for (int b = 0; b < bodies; ++b)
    {
        kicks->of_body[b] = kicks->tied[b] = NULL;
        kicks->kept[b] = 1.0;
    }
    const bool soft = find_give(state, kicks);
    if (!frz_tied_find(state, kicks) && !soft)
        return FRZ_OK;
    kicks->first_body_node = state->solids.count > bodies ? state->solids.count : bodies;
    kicks->node_count = kicks->first_body_node + bodies;
    kicks->kick = FRZ_SCRATCH(scratch, count + 1, frz_v4);
    kicks->answer = FRZ_SCRATCH(scratch, count + 1, frz_v4);
    kicks->acted = FRZ_SCRATCH(scratch, count + 1, frz_v4);
    kicks->missed = FRZ_SCRATCH(scratch, count + 1, frz_v4);
    kicks->missed_liquid = FRZ_SCRATCH(scratch, count + 1, frz_v4);
    kicks->last_rub = FRZ_SCRATCH(scratch, count + 1, frz_v4);
    kicks->given = FRZ_SCRATCH(scratch, count + 1, double);
    kicks->rub = FRZ_SCRATCH(scratch, count + 1, frz_v4);
    kicks->rubbed = FRZ_SCRATCH(scratch, count + 1, double);
    kicks->slips = FRZ_SCRATCH(scratch, count + 1, double);
    kicks->warming = FRZ_SCRATCH(scratch, count + 1, double);
    kicks->cooling = FRZ_SCRATCH(scratch, count + 1, double);
    kicks->rub_impulse = FRZ_SCRATCH(scratch, bodies + 1, frz_vec3);
    kicks->rub_moment = FRZ_SCRATCH(scratch, bodies + 1, frz_vec3);
    kicks->wall_rub = FRZ_SCRATCH(scratch, count + 1, frz_v4);
    kicks->impulse = FRZ_SCRATCH(scratch, bodies + 1, frz_vec3);
    kicks->moment = FRZ_SCRATCH(scratch, bodies + 1, frz_vec3);
    kicks->earlier_impulse = FRZ_SCRATCH(scratch, bodies + 1, frz_vec3);
    kicks->earlier_moment = FRZ_SCRATCH(scratch, bodies + 1, frz_vec3);
    kicks->motion = FRZ_SCRATCH(scratch, bodies + 1, frz_rigid_motion);
    kicks->foreseen = FRZ_SCRATCH(scratch, bodies + 1, frz_rigid_motion);
    kicks->held = FRZ_SCRATCH(scratch, bodies + 1, frz_rigid_motion);
    kicks->held_more = FRZ_SCRATCH(scratch, bodies + 1, frz_rigid_motion);
    kicks->node = FRZ_SCRATCH(scratch, count + 1, int32_t);
    kicks->parent = FRZ_SCRATCH(scratch, kicks->node_count + 1, int32_t);
    kicks->earlier = FRZ_SCRATCH(scratch, count + 1, frz_v4);
    kicks->scale = FRZ_SCRATCH(scratch, kicks->node_count + 1, double);
    if (kicks->kick == NULL || kicks->answer == NULL || kicks->given == NULL || kicks->impulse == NULL ||
        kicks->moment == NULL || kicks->motion == NULL || kicks->node == NULL || kicks->parent == NULL ||
        kicks->earlier == NULL || kicks->scale == NULL || kicks->missed == NULL || kicks->acted == NULL ||
        kicks->missed_liquid == NULL || kicks->last_rub == NULL || kicks->rub == NULL || kicks->rubbed == NULL ||
        kicks->slips == NULL || kicks->warming == NULL || kicks->cooling == NULL || kicks->rub_impulse == NULL ||
        kicks->rub_moment == NULL || kicks->wall_rub == NULL || kicks->foreseen == NULL || kicks->held == NULL ||
        kicks->held_more == NULL || kicks->earlier_impulse == NULL || kicks->earlier_moment == NULL)
        return frz_fail_memory(diag, "contacts of elastic bodies");
    memset(kicks->earlier, 0, (size_t)count * sizeof *kicks->earlier);
    memset(kicks->earlier_impulse, 0, (size_t)bodies * sizeof *kicks->earlier_impulse);
    memset(kicks->earlier_moment, 0, (size_t)bodies * sizeof *kicks->earlier_moment);
    clear(state, kicks);
    read_missed(state, kicks);
    *out = kicks;
    return FRZ_OK;
}

void frz_kicks_foresee(const frz_state *state, frz_kicks *kicks)
{
    for (int b = 0; b < kicks->body_count; ++b)
    {
        const frz_rigid_body *body = &state->bodies.rigid[b];
        const frz_rigid_motion *change = &state->contact.change[b];
        kicks->foreseen[b] =
            (frz_rigid_motion){frz_v3_add(body->velocity, change->velocity), frz_v3_add(body->spin, change->spin)};
    }
}

// ---- groups

static int root_of(int32_t *parent, int node)
{
    while (parent[node] != node)
    {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

static void join_nodes(frz_kicks *kicks, int a, int b)
{
    const int x = root_of(kicks->parent, a), y = root_of(kicks->parent, b);
    kicks->parent[x > y ? x : y] = x < y ? x : y;
}

void frz_kicks_join(frz_kicks *kicks, int slot, int other)
{
    const int node = kicks->node[slot];
    if (kicks->node[other] < 0)
        kicks->node[other] = node;
    else
        join_nodes(kicks, node, kicks->node[other]);
}

void frz_kicks_join_body(frz_kicks *kicks, int slot, int body)
{
    join_nodes(kicks, kicks->node[slot], kicks->first_body_node + body);
}

void frz_kicks_join_carried(frz_kicks *kicks, const frz_state *state, int slot, int body)
{
    join_nodes(kicks, state->solids.group[slot], kicks->first_body_node + body);
}

// ---- answers

static bool is_zero(frz_v4 v)
{
    return !(frz_v4_dot3(v, v) > 0);
}

// Apply the impulses on a rigid body's particles to the body, and compute the body's change of motion by them.
static void move_bodies(const frz_state *state, frz_kicks *kicks)
{
    for (int n = 0; n < state->attempt.drivers.count; ++n)
    {
        const frz_driven *d = &state->attempt.drivers.list[n];
        if (d->body < 0 || is_zero(kicks->kick[d->slot]))
            continue;
        const frz_vec3 impulse = frz_v3_scale(d->mass, frz_v3_of(kicks->kick[d->slot]));
        kicks->impulse[d->body] = frz_v3_add(kicks->impulse[d->body], impulse);
        kicks->moment[d->body] = frz_v3_add(kicks->moment[d->body], frz_v3_cross(d->arm, impulse));
        const frz_vec3 rub = frz_v3_scale(d->mass, frz_v3_of(kicks->rub[d->slot]));
        kicks->rub_impulse[d->body] = frz_v3_add(kicks->rub_impulse[d->body], rub);
        kicks->rub_moment[d->body] = frz_v3_add(kicks->rub_moment[d->body], frz_v3_cross(d->arm, rub));
        join_nodes(kicks, kicks->node[d->slot], kicks->first_body_node + d->body);
    }
    for (int b = 0; b < kicks->body_count; ++b)
        kicks->motion[b] = frz_tied_motion_alone(state, kicks, b);
}

static bool is_pushed(const frz_kicks *kicks, int b)
{
    return frz_v3_dot(kicks->impulse[b], kicks->impulse[b]) + frz_v3_dot(kicks->moment[b], kicks->moment[b]) > 0.0;
}

static void join_bodies(const frz_state *state, frz_kicks *kicks, int a, int b)
{
    if (a >= 0 && b >= 0 && frz_rigid_body_yields(&state->bodies.rigid[a]) &&
        frz_rigid_body_yields(&state->bodies.rigid[b]))
        join_nodes(kicks, kicks->first_body_node + a, kicks->first_body_node + b);
}

// Rigid bodies that touch each other or are joined are one group.
static void join_touching(const frz_state *state, frz_kicks *kicks)
{
    const frz_contact *list = NULL;
    const int count = frz_contacts_view(state->contact.set, &list);
    for (int n = 0; n < count; ++n)
        join_bodies(state, kicks, list[n].key.toucher, list[n].key.touched);
    const frz_joints *joints = frz_contacts_joints(state->contact.set);
    for (int n = 0; joints != NULL && n < frz_joints_count(joints); ++n)
        join_bodies(state, kicks, frz_joints_view(joints)[n].body[0], frz_joints_view(joints)[n].body[1]);
}

// Changes of rigid bodies by their contacts and joints, without the impulses and with them.
static frz_status hold_bodies(frz_state *state, frz_kicks *kicks, frz_diag *diag)
{
    frz_contact_state *contact = &state->contact;
    bool any = false;
    for (int b = 0; b < kicks->body_count; ++b)
        any = any || is_pushed(kicks, b);
    if (!any || contact->set == NULL ||
        (frz_contact_report(state).contacts == 0 && frz_contacts_joints(contact->set) == NULL))
        return FRZ_OK;
    join_touching(state, kicks);
    FRZ_TRY(frz_contact_answer(state, state->bodies.rigid, true, diag));
    memcpy(kicks->held, contact->change, (size_t)kicks->body_count * sizeof *kicks->held);
    memcpy(contact->scratch, state->bodies.rigid, (size_t)kicks->body_count * sizeof *contact->scratch);
    for (int b = 0; b < kicks->body_count; ++b)
    {
        contact->scratch[b].velocity = frz_v3_add(contact->scratch[b].velocity, kicks->motion[b].velocity);
        contact->scratch[b].spin = frz_v3_add(contact->scratch[b].spin, kicks->motion[b].spin);
    }
    FRZ_TRY(frz_contact_answer(state, contact->scratch, true, diag));
    for (int b = 0; b < kicks->body_count; ++b)
    {
        kicks->held_more[b].velocity = frz_v3_sub(contact->change[b].velocity, kicks->held[b].velocity);
        kicks->held_more[b].spin = frz_v3_sub(contact->change[b].spin, kicks->held[b].spin);
    }
    return FRZ_OK;
}

// Sums of a group: W, Q, the estimate of Q with the error of the last one and without it (most), the change by answers
// in the work of earlier impulses, and W with the velocities at the start of the step.
typedef struct group_sums
{
    double before, answer, estimate, most, earlier, start;
    double push_before, push_answer, push_start; // of the impulses without friction
    bool implicit;                               // one of its bodies is
} group_sums;

typedef double lanes __attribute__((vector_size(4 * sizeof(double))));

static double dot(frz_v4 a, frz_v4 b)
{
    const lanes product = __builtin_convertvector(a, lanes) * __builtin_convertvector(b, lanes);
    return product[0] + product[1] + product[2];
}

// The answer that was reckoned with, as far as it moves the particle.
static frz_v4 estimate_of(const frz_kicks *kicks, const frz_response *r, int i)
{
    const frz_v4 missed = kicks->kind == FRZ_KICKS_LIQUID ? kicks->missed_liquid[i] : kicks->missed[i];
    return (frz_real)(r->theta * kicks->give[r->body]) * kicks->kick[i] + missed;
}

static void add_particle(const frz_model *model, const frz_state *state, frz_kicks *kicks, int i, group_sums *sums)
{
    const frz_response *r = frz_kicks_is_soft(kicks, i) ? kicks->of_body[kicks->body_of_slot[i]] : NULL;
    const frz_v4 kick = r != NULL ? kicks->acted[i] : kicks->kick[i];
    if (kicks->node[i] < 0 || (is_zero(kick) && is_zero(kicks->earlier[i])))
        return;
    const int driver = kicks->driven != NULL ? kicks->driven[i] - 1 : -1;
    group_sums *to = &sums[root_of(kicks->parent, kicks->node[i])];
    const double mass = frz_particle_mass(model, frz_particles_inverse_density(&state->particles)[i]);
    if (kicks->kind == FRZ_KICKS_LIQUID && frz_kicks_is_tied(kicks, i))
        to->estimate += mass * dot(kick, kicks->missed_liquid[i]);
    if (driver >= 0 && state->attempt.drivers.driver[driver].body >= 0)
        return; // all else is in the sums of its body
    const frz_v4 way = frz_kicks_way(state, i);
    to->before += mass * dot(kick, way) + kicks->given[i];
    if (r != NULL && driver < 0 && !frz_response_is_explicit(r)) // other sums are of groups without implicit bodies
    {
        to->implicit = true;
        to->answer += mass * r->theta * dot(kick, kicks->answer[i]);
        to->estimate += mass * dot(kicks->kick[i], estimate_of(kicks, r, i));
        to->most += mass * r->theta * kicks->give[r->body] * dot(kicks->kick[i], kicks->kick[i]);
        to->earlier += mass * r->theta * dot(kicks->earlier[i], kicks->answer[i]);
        return;
    }
    to->start += mass * dot(kick, state->attempt.drivers.before[i]) + kicks->given[i];
    const frz_v4 push = kick - kicks->rub[i];
    to->push_before += mass * dot(push, way) + kicks->given[i] - kicks->slips[i];
    to->push_start += mass * dot(push, state->attempt.drivers.before[i]) + kicks->given[i] - kicks->slips[i];
    if (driver >= 0)
        return; // its velocity is given
    if (r != NULL)
    {
        to->answer += mass * r->theta * dot(kick, kicks->answer[i]);
        to->push_answer += mass * r->theta * dot(push, kicks->answer[i]);
        to->estimate += mass * dot(kicks->kick[i], estimate_of(kicks, r, i));
        to->most += mass * r->theta * kicks->give[r->body] * dot(kicks->kick[i], kicks->kick[i]);
        to->earlier += mass * r->theta * dot(kicks->earlier[i], kicks->answer[i]);
        return;
    }
    to->answer += mass * dot(kick, kick);
    to->push_answer += mass * dot(push, kick);
    to->estimate += mass * dot(kick, kick);
    to->most += mass * dot(kick, kick);
}

// Tied bodies have their part in the estimate, with the errors at their particles, and in the work of earlier impulses.
static void add_tied(const frz_state *state, const frz_kicks *kicks, int b, group_sums *to)
{
    const frz_rigid_motion alone = frz_tied_motion_alone(state, kicks, b), *motion = &kicks->motion[b];
    to->estimate += frz_v3_dot(kicks->impulse[b], alone.velocity) + frz_v3_dot(kicks->moment[b], alone.spin);
    to->earlier += kicks->tied[b]->theta * (frz_v3_dot(kicks->earlier_impulse[b], motion->velocity) +
                                            frz_v3_dot(kicks->earlier_moment[b], motion->spin));
}

static void add_body(const frz_state *state, frz_kicks *kicks, int b, group_sums *sums)
{
    const frz_vec3 impulse = kicks->impulse[b], moment = kicks->moment[b];
    group_sums *to = &sums[root_of(kicks->parent, kicks->first_body_node + b)];
    if (kicks->tied[b] != NULL)
        add_tied(state, kicks, b, to);
    if (!is_pushed(kicks, b))
        return;
    const frz_rigid_body *body = &state->bodies.rigid[b], *before = &state->bodies.before[b];
    const double lag = state->bodies.position_theta[b];
    const frz_vec3 now = frz_v3_add(body->velocity, kicks->held[b].velocity),
                   now_spin = frz_v3_add(body->spin, kicks->held[b].spin);
    const frz_vec3 v = frz_v3_mad(now, -lag, frz_v3_sub(now, before->velocity));
    const frz_vec3 spin = frz_v3_mad(now_spin, -lag, frz_v3_sub(now_spin, before->spin));
    const frz_vec3 change = frz_v3_add(kicks->motion[b].velocity, kicks->held_more[b].velocity);
    const frz_vec3 turn = frz_v3_add(kicks->motion[b].spin, kicks->held_more[b].spin);
    to->before += frz_v3_dot(impulse, v) + frz_v3_dot(moment, spin);
    to->start += frz_v3_dot(impulse, before->velocity) + frz_v3_dot(moment, before->spin);
    const double answer = (1.0 - lag) * (frz_v3_dot(impulse, change) + frz_v3_dot(moment, turn));
    to->answer += answer;
    to->most += answer;
    const frz_vec3 push = frz_v3_sub(impulse, kicks->rub_impulse[b]), twist = frz_v3_sub(moment, kicks->rub_moment[b]);
    to->push_before += frz_v3_dot(push, v) + frz_v3_dot(twist, spin);
    to->push_start += frz_v3_dot(push, before->velocity) + frz_v3_dot(twist, before->spin);
    to->push_answer += (1.0 - lag) * (frz_v3_dot(push, change) + frz_v3_dot(twist, turn));
}

// Contacts stop approaching particles. Where that increases the work of earlier impulses, contacts are weakened by it;
// where it decreases that work, they are not strengthened.
//
// The answer of an implicit body to the impulses that act is not larger than give estimates for the impulses of the
// solver. Without this bound, impulses of 1e-5 of the approaching motion (rounding, where the solver found no contact)
// had factors of 1e5 and more.
//
// Explicit bodies have their velocities in the middle of steps: the work of an impulse is J . (v + v") / 2, v being
// those at the start. The factor is limited so that this work is not positive, neither with friction nor without: else
// a push could gain the energy that friction loses.
static double factor_of(const group_sums *sums, frz_kicks_kind kind)
{
    const double stop = -(sums->before + fmax(sums->earlier, 0.0));
    const double wanted = kind == FRZ_KICKS_LIQUID ? sums->estimate
                          : sums->implicit         ? fmin(stop, sums->most)
                                                   : fmin(stop - sums->start, sums->answer);
    double factor = sums->answer > 0.0 ? fmax(wanted, 0.0) / sums->answer : 0.0;
    if (kind == FRZ_KICKS_CONTACT && !sums->implicit && sums->push_answer > 0.0)
        factor = fmin(factor, fmax(-(sums->push_before + sums->push_start), 0.0) / sums->push_answer);
    return kind == FRZ_KICKS_CONTACT ? factor : fmin(factor, 1.0);
}

// In order of slots and bodies, which no number of threads changes.
static frz_status find_factors(const frz_model *model, frz_state *state, frz_kicks *kicks, frz_kicks_kind kind,
                               frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    group_sums *sums = FRZ_SCRATCH(&state->scratch, kicks->node_count + 1, group_sums);
    if (sums == NULL)
        return frz_fail_memory(diag, "contacts of elastic bodies");
    memset(sums, 0, (size_t)kicks->node_count * sizeof *sums);
    for (int i = 0; i < kicks->count; ++i)
        add_particle(model, state, kicks, i, sums);
    for (int b = 0; b < kicks->body_count; ++b)
        add_body(state, kicks, b, sums);
    for (int n = 0; n < kicks->node_count; ++n)
    {
        const int root = root_of(kicks->parent, n);
        kicks->scale[n] = root == n ? factor_of(&sums[n], kind) : kicks->scale[root];
    }
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

// ---- effect of the impulses

// Drivers collect the changes of their particles' velocities at the border behind the stage.
static void move_particles(frz_state *state, const frz_kicks *kicks)
{
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
#pragma omp parallel for schedule(static) if (kicks->count >= frz_parallel_least)
    for (int i = 0; i < kicks->count; ++i)
    {
        if (kicks->node[i] < 0)
            continue;
        const frz_real scale = (frz_real)kicks->scale[kicks->node[i]];
        velocity[i] += scale * (frz_kicks_is_soft(kicks, i) ? kicks->answer[i] : kicks->kick[i]);
    }
}

static void turn_bodies(frz_state *state, const frz_kicks *kicks)
{
    for (int b = 0; b < kicks->body_count; ++b)
    {
        const double scale = kicks->scale[kicks->first_body_node + b];
        frz_rigid_body *body = &state->bodies.rigid[b];
        body->velocity = frz_v3_mad(body->velocity, scale, kicks->motion[b].velocity);
        body->spin = frz_v3_mad(body->spin, scale, kicks->motion[b].spin);
    }
}

// Work of friction on a particle that is no part of a rigid body, J.
static double friction_on(const frz_model *model, const frz_state *state, const frz_kicks *kicks, int i)
{
    const int driver = kicks->driven != NULL ? kicks->driven[i] - 1 : -1;
    if (is_zero(kicks->rub[i]) || (driver >= 0 && state->attempt.drivers.driver[driver].body >= 0))
        return 0.0;
    const frz_response *r = frz_kicks_is_soft(kicks, i) ? kicks->of_body[kicks->body_of_slot[i]] : NULL;
    const frz_v4 now = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity)[i];
    const frz_v4 way = r != NULL && !frz_response_is_explicit(r)
                           ? frz_kicks_way(state, i)
                           : (frz_real)0.5 * (state->attempt.drivers.before[i] + now);
    const double mass = frz_particle_mass(model, frz_particles_inverse_density(&state->particles)[i]);
    return frz_kicks_scale(kicks, i) * (mass * dot(kicks->rub[i], way) + kicks->rubbed[i]);
}

// The same on a rigid body.
static double friction_on_body(const frz_state *state, const frz_kicks *kicks, int b)
{
    const frz_rigid_body *body = &state->bodies.rigid[b], *before = &state->bodies.before[b];
    const double before_share = fmax(state->bodies.position_theta[b], 0.5);
    const double scale = kicks->scale[kicks->first_body_node + b];
    const frz_rigid_motion *held = &kicks->held[b], *more = &kicks->held_more[b];
    const frz_vec3 now = frz_v3_mad(frz_v3_add(body->velocity, held->velocity), scale, more->velocity);
    const frz_vec3 now_spin = frz_v3_mad(frz_v3_add(body->spin, held->spin), scale, more->spin);
    const frz_vec3 v = frz_v3_mad(now, -before_share, frz_v3_sub(now, before->velocity));
    const frz_vec3 spin = frz_v3_mad(now_spin, -before_share, frz_v3_sub(now_spin, before->spin));
    return scale * (frz_v3_dot(kicks->rub_impulse[b], v) + frz_v3_dot(kicks->rub_moment[b], spin));
}

// Heat of friction in a group and its estimate, J.
typedef struct group_heat
{
    double made, estimate;
} group_heat;

// The heat of a group is the work of the final impulses; its particles get it in proportion to their estimates.
static void warm_particles(const frz_model *model, const frz_state *state, const frz_kicks *kicks,
                           const group_heat *heat)
{
    const uint8_t *material = frz_particles_material(&state->particles);
    for (int i = 0; i < kicks->count; ++i)
    {
        frz_real *to = kicks->node[i] >= 0 && kicks->warming[i] > 0.0
                           ? frz_state_heat_of_friction(model, state, material[i])
                           : NULL;
        if (to == NULL)
            continue;
        const group_heat *of = &heat[root_of(kicks->parent, kicks->node[i])];
        to[i] += (frz_real)(of->made * kicks->warming[i] / of->estimate);
    }
}

// The work of friction becomes heat. Impulses on particles of rigid bodies are in those of the bodies.
static frz_status make_heat(const frz_model *model, frz_state *state, const frz_kicks *kicks, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    group_heat *heat = FRZ_SCRATCH(&state->scratch, kicks->node_count + 1, group_heat);
    if (heat == NULL)
        return frz_fail_memory(diag, "the heat of friction");
    memset(heat, 0, (size_t)kicks->node_count * sizeof *heat);
    for (int i = 0; i < kicks->count; ++i)
        if (kicks->node[i] >= 0)
        {
            group_heat *to = &heat[root_of(kicks->parent, kicks->node[i])];
            to->made -= friction_on(model, state, kicks, i);
            to->estimate += kicks->warming[i] + kicks->cooling[i];
        }
    for (int b = 0; b < kicks->body_count; ++b)
        heat[root_of(kicks->parent, kicks->first_body_node + b)].made -= friction_on_body(state, kicks, b);
    for (int n = 0; n < kicks->node_count; ++n)
        state->stats.friction_heat += heat[n].made;
    if (model->has_heat)
        warm_particles(model, state, kicks, heat);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

// Move bodies by the impulses except those on their own particles. Held particles get the forces of the elastic body.
static void move_held(frz_state *state, frz_kicks *kicks)
{
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    for (int n = 0; n < state->attempt.drivers.count; ++n)
    {
        const frz_driven *d = &state->attempt.drivers.list[n];
        const double own = frz_kicks_scale(kicks, d->slot);
        if (d->body >= 0 && !is_zero(kicks->kick[d->slot])) // the border will do it
        {
            const frz_vec3 impulse = frz_v3_scale(-own * d->mass, frz_v3_of(kicks->kick[d->slot]));
            frz_rigid_body_act(&state->bodies.rigid[d->body], impulse, frz_v3_cross(d->arm, impulse));
        }
        if (d->number < 0 || is_zero(kicks->answer[d->slot]))
            continue;
        const double scale = kicks->scale[state->solids.group[d->slot]];
        const int attachment = state->attempt.drivers.driver[d->driver].attachment;
        if (d->body < 0)
            velocity[d->slot] += (frz_real)scale * kicks->answer[d->slot];
        else if (attachment >= 0)
        {
            frz_vec3 *force = &state->attachments.item[attachment].force;
            *force = frz_v3_mad(*force, -scale * d->mass / state->attempt.dt, frz_v3_of(kicks->answer[d->slot]));
        }
    }
}

// Whether the factor of a body that began with the last contacts is not about 1.
static bool is_stale(const frz_state *state, const frz_kicks *kicks, const frz_response *r)
{
    bool stale = false;
    for (int e = state->bonds.first[r->body]; r->begun && e < state->bonds.first[r->body + 1]; ++e)
    {
        const int i = state->solids.slot[e];
        stale = stale || (i >= 0 && frz_kicks_is_soft(kicks, i) &&
                          fabs(kicks->kept[r->body] * kicks->scale[state->solids.group[i]] - 1.0) > about_one);
    }
    return stale;
}

static frz_status mend_answers(const frz_model *model, frz_state *state, frz_kicks *kicks, frz_diag *diag)
{
    bool any = false;
    for (const frz_response *r = state->attempt.responses; r != NULL; r = r->next)
        if (is_stale(state, kicks, r))
        {
            FRZ_TRY(r->mend(state, r, kicks, diag));
            any = true;
        }
    return any ? find_factors(model, state, kicks, kicks->kind, diag) : FRZ_OK;
}

// Later answers start from the impulses just answered.
static void restart(const frz_state *state, const frz_kicks *kicks, frz_response *r)
{
    for (int e = state->bonds.first[r->body]; r->restarts && e < state->bonds.first[r->body + 1]; ++e)
    {
        const int i = state->solids.slot[e], number = e - state->bonds.first[r->body];
        if (i < 0)
            continue;
        r->now_kick[number] = kicks->acted[i];
        r->now_answer[number] = kicks->answer[i];
    }
    if (!r->restarts)
        return;
    r->last_kick = r->now_kick;
    r->last_answer = r->now_answer;
    r->begun = true;
}

// The part of the error of estimates that belongs to the impulses of a kind becomes that of the impulses just answered.
// Sums of squares: of the change of this error, and of the estimates.
static void correct_particle(const frz_kicks *kicks, int i, double *error, double *size)
{
    const frz_response *r = frz_kicks_is_soft(kicks, i) ? kicks->of_body[kicks->body_of_slot[i]] : NULL;
    if (r == NULL || frz_response_is_explicit(r))
        return;
    const bool contact = kicks->kind == FRZ_KICKS_CONTACT;
    const frz_v4 kick = (frz_real)(r->theta * kicks->give[r->body]) * (contact ? kicks->acted[i] : kicks->kick[i]);
    const frz_v4 missed = frz_v4_xyz((frz_real)r->theta * kicks->answer[i] - kick);
    const frz_v4 before = contact ? kicks->missed[i] - kicks->missed_liquid[i] : kicks->missed_liquid[i];
    const frz_v4 change = missed - before;
    *error += (double)frz_v4_dot3(change, change);
    *size += (double)frz_v4_dot3(kick, kick);
    kicks->missed[i] += change;
    if (!contact)
        kicks->missed_liquid[i] = missed;
}

frz_status frz_kicks_correct(frz_state *state, frz_kicks *kicks, frz_kicks_kind kind, bool *wrong, frz_diag *diag)
{
    double error = 0.0, size = 0.0;
    kicks->kind = kind;
    move_bodies(state, kicks);
    for (frz_response *r = state->attempt.responses; r != NULL; r = r->next)
        if (!frz_response_is_explicit(r))
        {
            FRZ_TRY(r->answer(state, r, kicks, diag));
            if (kind == FRZ_KICKS_CONTACT)
                restart(state, kicks, r);
        }
    for (int i = 0; i < kicks->count; ++i)
        correct_particle(kicks, i, &error, &size);
    if (kind == FRZ_KICKS_LIQUID)
        frz_tied_correct(state, kicks, &error, &size);
    *wrong = error > worth_again[kind] * worth_again[kind] * size;
    clear(state, kicks);
    return FRZ_OK;
}

frz_status frz_kicks_apply(const frz_model *model, frz_state *state, frz_kicks *kicks, frz_kicks_kind kind,
                           frz_diag *diag)
{
    kicks->kind = kind;
    move_bodies(state, kicks);
    FRZ_TRY(hold_bodies(state, kicks, diag));
    for (const frz_response *r = state->attempt.responses; r != NULL; r = r->next)
        FRZ_TRY(r->answer(state, r, kicks, diag));
    FRZ_TRY(find_factors(model, state, kicks, kind, diag));
    if (kind == FRZ_KICKS_CONTACT)
        FRZ_TRY(mend_answers(model, state, kicks, diag));
    move_particles(state, kicks);
    turn_bodies(state, kicks);
    FRZ_TRY(make_heat(model, state, kicks, diag));
    move_held(state, kicks);
    for (const frz_response *r = state->attempt.responses; r != NULL; r = r->next)
        FRZ_TRY(r->settle(state, r, kicks, diag));
    if (kind == FRZ_KICKS_LIQUID) // others of its particles touch in every step, so that it is not begun with
        write_missed(state, kicks);
    else
        write_last(state, kicks);
    return FRZ_OK;
}
