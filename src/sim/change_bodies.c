// SPDX-License-Identifier: MIT
// Bodies after a batch of changes: which keep their number and name, which are new, which have ended.
#include <stdlib.h>
#include <string.h>

#include "sim/change_internal.h"

// Of a particle: the solid body it came from (-1: it was liquid) and where it went.
typedef struct origin
{
    int32_t body, component, slot;
} origin;

static int compare_origins(const void *a, const void *b)
{
    const origin *x = a, *y = b;
    if (x->body != y->body)
        return x->body < y->body ? -1 : 1;
    if (x->component != y->component)
        return x->component < y->component ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

// All pairs of a body before and a component now that have particles in common.
static frz_status find_shares(frz_batch *batch, frz_components *c, frz_diag *diag)
{
    frz_state *state = batch->state;
    const int64_t *id = frz_field_i64(&state->particles, FRZ_FIELD_ID_id);
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    origin *list = FRZ_SCRATCH(&state->scratch, batch->count + 1, origin);
    c->share = FRZ_SCRATCH(&state->scratch, batch->count + 1, frz_share);
    if (list == NULL || c->share == NULL)
        return frz_fail_memory(diag, "the changes");
    int count = 0;
    for (int i = 0; i < batch->count; ++i)
        if (c->of_slot[i] >= 0)
            list[count++] = (origin){batch->old_body[i], c->of_slot[i], i};
    qsort(list, (size_t)count, sizeof *list, compare_origins);
    c->share_count = 0;
    for (int n = 0; n < count; ++n)
    {
        const origin *o = &list[n];
        frz_share *last = c->share_count > 0 ? &c->share[c->share_count - 1] : NULL;
        if (last == NULL || last->body != o->body || last->component != o->component)
        {
            last = &c->share[c->share_count++];
            *last = (frz_share){.body = o->body, .component = o->component, .low_id = INT64_MAX};
        }
        last->count += 1;
        last->mass += frz_particle_mass(batch->model, inverse_density[o->slot]);
        last->low_id = id[o->slot] < last->low_id ? id[o->slot] : last->low_id;
    }
    return FRZ_OK;
}

static bool was_solid(const frz_state *state, int body)
{
    return frz_body_is(state, body, FRZ_BODY_ELASTIC) || frz_body_is(state, body, FRZ_BODY_RIGID);
}

// The event that made a component as it is: all of it changed its phase, or bodies were joined to it. Null: none.
static const frz_event *event_of(const frz_batch *batch, const frz_component *c)
{
    const int e = c->fresh ? c->event : c->maker >= 0 ? c->maker : c->merged ? c->joiner : -1;
    return e >= 0 ? &batch->model->events[e] : NULL;
}

// Whether an event gives it a name of its own.
static bool is_named(const frz_batch *batch, const frz_component *c)
{
    const frz_event *event = event_of(batch, c);
    return event != NULL && event->name != NULL;
}

// The largest part of a body, then the one with the lowest id, is the body; the others came off it, and those that an
// event names. Null: there is none.
static const frz_share *find_heir(const frz_batch *batch, const frz_components *c, int first)
{
    const frz_share *heir = NULL;
    for (int n = first; n < c->share_count && c->share[n].body == c->share[first].body; ++n)
    {
        const frz_share *s = &c->share[n];
        if (is_named(batch, &c->list[s->component]))
            continue;
        if (heir == NULL || s->count > heir->count || (s->count == heir->count && s->low_id < heir->low_id))
            heir = s;
    }
    return heir;
}

// Which components several solid bodies became.
static void find_merged(const frz_batch *batch, frz_components *c)
{
    for (int n = 0; n < c->count; ++n)
        c->list[n].merged = false;
    for (int n = 0; n < c->share_count; ++n)
    {
        frz_component *to = &c->list[c->share[n].component];
        if (!was_solid(batch->state, c->share[n].body))
            continue;
        to->merged = to->body >= 0; // for the time being: somebody was here before
        to->body = 0;
    }
    for (int n = 0; n < c->count; ++n)
        c->list[n].body = -1;
}

// Of several bodies that became one the heaviest, then the oldest, gives its name.
static void let_bodies_live_on(const frz_batch *batch, frz_components *c, double *kept)
{
    for (int n = 0; n < c->share_count; ++n)
    {
        const frz_share *s = &c->share[n];
        if ((n > 0 && c->share[n - 1].body == s->body) || !was_solid(batch->state, s->body))
            continue;
        const frz_share *heir = find_heir(batch, c, n);
        if (heir == NULL)
            continue;
        frz_component *to = &c->list[heir->component];
        if (to->body < 0 || heir->mass > kept[heir->component])
        {
            to->body = heir->body;
            kept[heir->component] = heir->mass;
        }
    }
}

// Source of a component without a body of its own: the body with most of its particles.
static int largest_source(const frz_components *c, int component, const frz_state *state, bool solid)
{
    int best = -1;
    double mass = -1.0;
    for (int n = 0; n < c->share_count; ++n)
        if (c->share[n].component == component && c->share[n].mass > mass &&
            (!solid || was_solid(state, c->share[n].body)))
        {
            best = c->share[n].body;
            mass = c->share[n].mass;
        }
    return best;
}

static void give_birth(const frz_batch *batch, frz_components *c, int component)
{
    frz_state *state = batch->state;
    frz_component *to = &c->list[component];
    const frz_body_kind kind = frz_phase_kind((frz_phase)to->phase);
    const int source = largest_source(c, component, state, !to->fresh);
    const frz_event *event = event_of(batch, to);
    to->body = frz_bodies_birth(
        batch->model, state, state->bodies.identity[source].made,
        is_named(batch, to) ? (int)(event - batch->model->events) : state->bodies.identity[source].named_by, kind);
    frz_rigid_body *rigid = &state->bodies.rigid[to->body];
    rigid->friction = to->fresh && event != NULL ? event->friction : state->bodies.rigid[source].friction;
    rigid->restitution = to->fresh && event != NULL ? event->restitution : state->bodies.rigid[source].restitution;
}

// A body that is no longer rigid has no mass and no motion of its own. The rest is that of a body after a restart.
static void forget_motion(frz_state *state, int b)
{
    const double friction = state->bodies.rigid[b].friction, restitution = state->bodies.rigid[b].restitution;
    state->bodies.rigid[b] = (frz_rigid_body){
        .rotation = {.w = 1.0}, .axis = {0.0, 0.0, 1.0}, .friction = friction, .restitution = restitution};
    state->bodies.loads[b] = (frz_body_load){0};
}

// Friction and restitution that an event gives.
static void take_surface(const frz_batch *batch, const frz_component *c)
{
    const frz_event *event = event_of(batch, c);
    frz_rigid_body *rigid = &batch->state->bodies.rigid[c->body];
    if (event != NULL && event->has_friction)
        rigid->friction = event->friction;
    if (event != NULL && event->has_restitution)
        rigid->restitution = event->restitution;
}

static void settle_identities(const frz_batch *batch, const frz_components *c, const bool *lives)
{
    frz_state *state = batch->state;
    for (int b = 0; b < batch->body_count; ++b)
        if (batch->touched[b] && was_solid(state, b) && !lives[b] && !frz_changes_has_points(batch->model, state, b))
        {
            state->bodies.identity[b].alive = 0;
            state->bodies.identity[b].particles = 0;
            state->bodies.identity[b].object = b;
            forget_motion(state, b);
        }
    for (int n = 0; n < c->count; ++n)
    {
        const frz_component *to = &c->list[n];
        frz_body_identity *identity = &state->bodies.identity[to->body];
        const frz_body_kind kind = frz_phase_kind((frz_phase)to->phase);
        if (identity->kind == FRZ_BODY_RIGID && kind != FRZ_BODY_RIGID)
            forget_motion(state, to->body);
        take_surface(batch, to);
        identity->kind = (int32_t)kind;
        identity->alive = identity->filled = 1;
        identity->intact = 0;
        identity->material = to->material;
        identity->particles = to->count;
    }
}

// The object of a body is the lowest of the bodies that bonds tie together.
static frz_status settle_objects(const frz_batch *batch, const frz_components *c, frz_diag *diag)
{
    frz_state *state = batch->state;
    int32_t *lowest = FRZ_SCRATCH(&state->scratch, batch->count + 1, int32_t); // by object
    if (lowest == NULL)
        return frz_fail_memory(diag, "the changes");
    for (int n = 0; n < c->count; ++n)
        lowest[c->list[n].object] = INT32_MAX;
    for (int n = 0; n < c->count; ++n)
    {
        int32_t *low = &lowest[c->list[n].object];
        *low = c->list[n].body < *low ? c->list[n].body : *low;
    }
    for (int n = 0; n < c->count; ++n)
        state->bodies.identity[c->list[n].body].object = lowest[c->list[n].object];
    return FRZ_OK;
}

frz_status frz_changes_assign_bodies(frz_batch *batch, frz_components *components, frz_diag *diag)
{
    frz_state *state = batch->state;
    FRZ_TRY(find_shares(batch, components, diag));
    find_merged(batch, components);
    double *kept = FRZ_SCRATCH(&state->scratch, components->count + 1, double);
    bool *lives = FRZ_SCRATCH(&state->scratch, state->bodies.count + components->count + 1, bool);
    if (kept == NULL || lives == NULL)
        return frz_fail_memory(diag, "the changes");
    memset(lives, 0, (size_t)(state->bodies.count + components->count) * sizeof *lives);
    FRZ_TRY(frz_bodies_reserve(state, state->bodies.count + components->count, diag));
    let_bodies_live_on(batch, components, kept);
    const int before = state->bodies.count;
    for (int n = 0; n < components->count; ++n)
        if (components->list[n].body >= 0)
            lives[components->list[n].body] = true;
    for (int n = 0; n < components->count; ++n)
        if (components->list[n].body < 0)
            give_birth(batch, components, n);
    FRZ_ASSERT(state->bodies.count <= before + components->count);
    for (int n = 0; n < components->share_count; ++n) // new bonds lead to bodies that nothing else has changed
        batch->touched[components->share[n].body] = true;
    settle_identities(batch, components, lives);
    FRZ_TRY(settle_objects(batch, components, diag));
    int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    for (int i = 0; i < batch->count; ++i)
        if (components->of_slot[i] >= 0)
            body[i] = components->list[components->of_slot[i]].body;
    return FRZ_OK;
}

int frz_changes_pool(const frz_model *model, frz_state *state, int body)
{
    const int made = state->bodies.identity[body].made;
    if (model->bodies[made].kind == FRZ_BODY_LIQUID)
        return made;
    for (int b = model->body_count; b < state->bodies.count; ++b)
        if (state->bodies.identity[b].made == made && state->bodies.identity[b].kind == FRZ_BODY_LIQUID)
            return b;
    const int pool = frz_bodies_birth(model, state, made, -1, FRZ_BODY_LIQUID);
    state->bodies.last_piece[made] -= 1; // a pool takes no number
    state->bodies.identity[pool].piece = FRZ_BODY_MELT;
    return pool;
}
