// SPDX-License-Identifier: MIT
// Checks of a checkpoint where values that are possible by themselves have to agree with others.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/sim_exchange.h"
#include "base/memory.h"
#include "rigid/contacts_internal.h"

#define REFUSE(name, row, ...) return frz_checkpoint_refuse(x->reader, name, row, x->diag, __VA_ARGS__)

// relative difference by rounding between two compilers
static const double rounding = 1e-9;

// ---- values

static frz_status check_clock(const frz_exchange *x)
{
    const frz_state *state = x->state;
    const frz_time_step_rules *rules = &x->model->time_step;
    const double longest = rules->fixed > 0.0 ? rules->fixed : rules->max;
    if (state->time > (1.0 + rounding) * (double)state->step * longest)
        REFUSE("time", -1, "is %.17g s, but %lld steps of at most %g s do not take so long", state->time,
               (long long)state->step, longest);
    if (state->sources.flow_marked > state->time)
        REFUSE("flow_marked", -1, "is %.17g s, which is later than the time, %.17g s", state->sources.flow_marked,
               state->time);
    return FRZ_OK;
}

static frz_status check_grid(const frz_exchange *x)
{
    const frz_state *state = x->state;
    const frz_model *model = x->model;
    static const char *const names[3] = {"grid_min_x", "grid_min_y", "grid_min_z"};
    static const char *const liquid_names[3] = {"liquid_min_x", "liquid_min_y", "liquid_min_z"};
    for (int a = 0; a < 3; ++a)
    {
        if (!(state->neighbors.grid_min[a] <= state->neighbors.grid_max[a]))
            REFUSE(names[a], -1, "is %.17g m, which is beyond the other end of the grid, %.17g m",
                   state->neighbors.grid_min[a], state->neighbors.grid_max[a]);
        if (!(state->stats.min[a] <= state->stats.max[a]))
            REFUSE(liquid_names[a], -1, "is %.17g m, which is beyond the other end of the liquid, %.17g m",
                   state->stats.min[a], state->stats.max[a]);
        if (model->periodic[a] && (state->neighbors.grid_min[a] != model->domain_min[a] ||
                                   state->neighbors.grid_max[a] != model->domain_max[a]))
            REFUSE(names[a], -1, "is %.17g m, which is not where the periodic domain begins and ends",
                   state->neighbors.grid_min[a]);
    }
    // the first step would make it; here the error can still name the value
    frz_grid grid;
    const frz_status status =
        frz_grid_create(state->neighbors.grid_min, state->neighbors.grid_max, model->periodic, model->support,
                        model->dimension, state->neighbors.cell_budget, &grid, x->diag);
    frz_grid_destroy(&grid);
    if (status != FRZ_OK && status != FRZ_ERR_MEMORY)
        REFUSE(names[0], -1, "and its like give a grid of %g m x %g m x %g m, which is too large to be searched",
               state->neighbors.grid_max[0] - state->neighbors.grid_min[0],
               state->neighbors.grid_max[1] - state->neighbors.grid_min[1],
               state->neighbors.grid_max[2] - state->neighbors.grid_min[2]);
    return status;
}

frz_status frz_exchange_check_values(const frz_exchange *x)
{
    FRZ_TRY(check_clock(x));
    return check_grid(x);
}

// ---- emitters

// An emitter that is behind its flow would emit all missing layers in one step, beyond the reserved memory.
frz_status frz_exchange_check_emitters(const frz_exchange *x)
{
    for (int e = 0; e < x->model->emitter_count; ++e)
    {
        const frz_emitter *emitter = &x->model->emitters[e];
        const frz_emitter_state *status = &x->state->sources.emitters[e];
        const int64_t due = (int64_t)floor(x->state->sources.travelled[e] / x->model->spacing + 0.5);
        const bool exhausted = emitter->max_particles > 0 && status->emitted >= emitter->max_particles;
        if (status->layers > due || (status->layers < due && status->exhausted == 0))
            REFUSE("emitters.layers", e, "is %lld, but the flow has come %g m, which makes %lld",
                   (long long)status->layers, x->state->sources.travelled[e], (long long)due);
        if ((double)status->emitted > (double)status->layers * emitter->site_count)
            REFUSE("emitters.emitted", e, "is %lld, but %lld layers of %d particles were born",
                   (long long)status->emitted, (long long)status->layers, emitter->site_count);
        if ((status->exhausted != 0) != exhausted)
            REFUSE("emitters.exhausted", e, "is %lld, but %lld of %lld particles are made",
                   (long long)status->exhausted, (long long)status->emitted, (long long)emitter->max_particles);
    }
    return FRZ_OK;
}

// ---- bodies

// Steps in which bodies move by spacings or turn by radians are rejected. The saved velocity and spin can be larger,
// since a spin changes as a body tumbles, but not by orders of magnitude.
static frz_status check_motion(const frz_exchange *x, int b)
{
    const double far = 1e3; // spacings, rad
    const frz_rigid_body *body = &x->state->bodies.rigid[b];
    const double dt = x->state->stats.dt;
    if (!(frz_v3_length(body->velocity) * dt <= far * x->model->spacing))
        REFUSE("bodies.velocity", b, "is %g m/s, with which no step of %g s can have ended",
               frz_v3_length(body->velocity), dt);
    if (!(frz_v3_length(body->spin) * dt <= far))
        REFUSE("bodies.spin", b, "is %g rad/s, with which no step of %g s can have ended", frz_v3_length(body->spin),
               dt);
    return FRZ_OK;
}

frz_status frz_exchange_check_bodies(const frz_exchange *x)
{
    for (int b = 0; b < frz_exchange_body_count(x); ++b)
    {
        frz_rigid_body body = x->state->bodies.rigid[b];
        const frz_mat3 stored = body.inverse_inertia_world;
        const double size = frz_m3_norm(body.inverse_inertia);
        frz_rigid_body_refresh(&body);
        if (!(frz_m3_norm(frz_m3_sub(stored, body.inverse_inertia_world)) <= rounding * size))
            REFUSE("bodies.inverse_inertia_world", b, "is not bodies.inverse_inertia turned by bodies.rotation");
        if (frz_body_is(x->state, b, FRZ_BODY_RIGID) && !(body.mass > 0.0))
            REFUSE("bodies.mass", b, "is %g kg, but a rigid body has a mass", body.mass);
        if (frz_body_is(x->state, b, FRZ_BODY_RIGID))
            FRZ_TRY(check_motion(x, b));
        if (body.parked && frz_rigid_body_yields(&body))
            REFUSE("bodies.parked", b, "is 1, but forces can still move the body");
        const bool moves = frz_v3_length(body.velocity) > 0.0 || frz_v3_length(body.spin) > 0.0;
        if (body.asleep && (moves || !frz_rigid_body_yields(&body)))
            REFUSE("bodies.asleep", b, "is 1, but the body moves or can never move");
    }
    return FRZ_OK;
}

static frz_status check_contact(const frz_exchange *x, const frz_contacts_memory *memory, int n)
{
    const frz_contact_key *key = &memory->list[n].key;
    const frz_contact_shape *shape = x->state->contact.shapes[key->toucher];
    if (shape == NULL)
        REFUSE("contacts.toucher", n, "is %d, which is a body without a surface", key->toucher);
    if (x->state->contact.shapes[key->touched] == NULL || key->touched == key->toucher)
        REFUSE("contacts.touched", n, "is %d, which body %d cannot touch", key->touched, key->toucher);
    if (key->point > shape->point_count) // the number beyond the last means bodies deep in each other
        REFUSE("contacts.point", n, "is %d, but body %d has %d points", key->point, key->toucher, shape->point_count);
    if (n > 0 && frz_contact_key_compare(&memory->list[n - 1].key, key) >= 0)
        REFUSE("contacts.toucher", n, "and the others of its contact do not follow those of row %d in order", n - 1);
    return FRZ_OK;
}

static bool is_of_pair(const frz_contact_key *key, const frz_contact_pair *pair)
{
    return (key->toucher == pair->low && key->touched == pair->high) ||
           (key->toucher == pair->high && key->touched == pair->low);
}

frz_status frz_exchange_check_contacts(const frz_exchange *x, const frz_contacts_memory *memory)
{
    for (int n = 0; n < memory->count; ++n)
        FRZ_TRY(check_contact(x, memory, n));
    int next = 0;
    for (int p = 0; p < memory->pair_count; ++p)
    {
        const frz_contact_pair *pair = &memory->pairs[p];
        if (pair->low >= pair->high)
            REFUSE("contact_pairs.low", p, "is %d, but must be below the other body, %d", pair->low, pair->high);
        if (p > 0 && frz_contact_pair_compare(pair - 1, pair) >= 0)
            REFUSE("contact_pairs.low", p, "and the other body do not follow those of row %d in order", p - 1);
        if (pair->first != next)
            REFUSE("contact_pairs.first", p, "is %d, but the contacts of the pair begin with %d", pair->first, next);
        if (pair->count > memory->count - next || pair->count > pair->points)
            REFUSE("contact_pairs.count", p, "is %d, but there are no more than %d contacts of %d points", pair->count,
                   memory->count - next, pair->points);
        for (; next < pair->first + pair->count; ++next)
            if (!is_of_pair(&memory->list[next].key, pair))
                REFUSE("contact_pairs.count", p, "is %d, but contact %d is not one of bodies %d and %d", pair->count,
                       next, pair->low, pair->high);
    }
    if (next != memory->count)
        REFUSE("contacts.toucher", next, "belongs to no pair of bodies");
    return FRZ_OK;
}

// ---- identities of bodies

frz_status frz_exchange_check_identities(const frz_exchange *x)
{
    const frz_model *model = x->model;
    for (int b = 0; b < x->state->bodies.count; ++b)
    {
        const frz_body_identity *identity = &x->state->bodies.identity[b];
        if (b < model->body_count && identity->made != b)
            REFUSE("bodies.made", b, "is %d, but the first bodies are those of the scene", identity->made);
        if (identity->named_by >= 0 && model->events[identity->named_by].name == NULL)
            REFUSE("bodies.named_by", b, "is %d, an event that names no bodies", identity->named_by);
        if (identity->object > b || x->state->bodies.identity[identity->object].object != identity->object)
            REFUSE("bodies.object", b, "is %d, which is not the lowest body of an object", identity->object);
        const frz_body_kind kind = (frz_body_kind)identity->kind;
        const bool shaped = kind == FRZ_BODY_STATIC || (kind == FRZ_BODY_RIGID && identity->filled == 0);
        if (shaped && (b >= model->body_count || model->bodies[b].kind != kind || model->bodies[b].filled))
            REFUSE("bodies.kind", b, "is %d, which is no body with a shape of the scene", identity->kind);
        if (!shaped && b < model->body_count && model->bodies[b].role == FRZ_ROLE_SAMPLE)
            REFUSE("bodies.kind", b, "is %d, but the body has a shape, which cannot change", identity->kind);
        if (kind == FRZ_BODY_ELASTIC && identity->alive != 0 && identity->material < 0)
            REFUSE("bodies.material", b, "is %d, but elastic bodies have one", identity->material);
    }
    return FRZ_OK;
}

// ---- particles

static int compare_ids(const void *a, const void *b)
{
    const int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
    return (p > q) - (p < q);
}

static frz_status check_unique(const frz_exchange *x, const int64_t *id, int count)
{
    int64_t *sorted = FRZ_ALLOC("checkpoint", count + 1, int64_t);
    if (sorted == NULL)
        return frz_fail_memory(x->diag, "the numbers of the particles");
    memcpy(sorted, id, (size_t)count * sizeof *id);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_ids);
    int64_t twice = -1;
    for (int k = 1; k < count && twice < 0; ++k)
        twice = sorted[k] == sorted[k - 1] ? sorted[k] : -1;
    frz_free(sorted);
    if (twice < 0)
        return FRZ_OK;
    int last = count - 1;
    while (id[last] != twice)
        last -= 1;
    REFUSE("id", last, "is %lld, which another particle has already", (long long)twice);
}

// The numbers of solid particles (solid/solids.h): in range, each once, and of the body that the particle belongs to.
static frz_status check_numbers(const frz_exchange *x)
{
    const frz_solids *solids = &x->state->solids;
    const frz_particles *particles = &x->state->particles;
    const int count = particles->count[FRZ_ROLE_FREE];
    if (x->state->fields.solid < 0)
        return FRZ_OK;
    const int32_t *number = frz_field_i32(particles, x->state->fields.solid);
    const int32_t *body = frz_field_i32(particles, FRZ_FIELD_ID_body);
    const uint8_t *phase = frz_particles_phase(particles);
    bool *taken = FRZ_ALLOC("checkpoint", solids->count + 1, bool);
    if (taken == NULL)
        return frz_fail_memory(x->diag, "the numbers of the particles");
    int bad = -1;
    for (int i = 0; i < count && bad < 0; ++i)
    {
        const bool solid = phase[i] == FRZ_PHASE_ELASTIC || phase[i] == FRZ_PHASE_RIGID;
        const bool known = number[i] >= 0 && number[i] < solids->count;
        if (!solid)
            continue;
        if (!known || taken[number[i]] || solids->body[number[i]] != body[i])
            bad = i;
        else
            taken[number[i]] = true;
    }
    frz_free(taken);
    if (bad >= 0)
        REFUSE("solid", bad, "is %d, which is no particle of body %d or belongs to another one", number[bad],
               body[bad]);
    return FRZ_OK;
}

frz_status frz_exchange_check_particles(const frz_exchange *x)
{
    const frz_particles *particles = &x->state->particles;
    const int count = particles->count[FRZ_ROLE_FREE];
    const int32_t *body = frz_field_i32(particles, FRZ_FIELD_ID_body);
    const uint8_t *phase = frz_particles_phase(particles);
    for (int i = 0; i < count; ++i)
    {
        const frz_body_kind kind = frz_exchange_body_kind(x, body[i]);
        if (phase[i] == FRZ_PHASE_SAMPLE)
            REFUSE("phase", i, "is %d, which free particles do not have", (int)phase[i]);
        if (kind == FRZ_BODY_STATIC || (kind == FRZ_BODY_RIGID && x->state->bodies.identity[body[i]].filled == 0))
            REFUSE("body", i, "is %d, which has no particles of its own", body[i]);
        if (frz_phase_kind((frz_phase)phase[i]) != kind)
            REFUSE("phase", i, "is %d, which particles of body %d do not have", phase[i], body[i]);
    }
    FRZ_TRY(check_numbers(x));
    return check_unique(x, frz_field_i64(particles, FRZ_FIELD_ID_id), count);
}

// ---- bonds

frz_status frz_exchange_check_broken(const frz_exchange *x, const int64_t *place, int64_t count)
{
    const frz_bonds *bonds = &x->state->bonds;
    int i = 0;
    for (int64_t n = 0; n < count; ++n)
    {
        if (n > 0 && place[n] <= place[n - 1])
            REFUSE("bonds.broken", n, "is %lld, which is not beyond the one before, %lld", (long long)place[n],
                   (long long)place[n - 1]);
        while (bonds->begin[i + 1] <= place[n])
            i += 1;
        if ((int)bonds->other[place[n]] <= i) // padding, or the bond of the other end
            REFUSE("bonds.broken", n, "is %lld, where there is no bond", (long long)place[n]);
    }
    return FRZ_OK;
}
