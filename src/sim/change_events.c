// SPDX-License-Identifier: MIT
// Events that happen after a step, and their particles.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/exact.h"
#include "sim/change_internal.h"
#include "sim/measure.h"
#include "sim/state_solids.h"

static frz_vec3 place_in_shape(const frz_state *state, const frz_event_target *target, double since, frz_vec3 x)
{
    return frz_v3_mad(x, -(state->time - since), target->velocity);
}

static bool is_inside(const frz_state *state, const frz_event_target *target, double since, frz_vec3 x)
{
    return target->shape == NULL || frz_shape_distance(target->shape, place_in_shape(state, target, since, x)) < 0.0;
}

// By body and material alone.
static bool is_named(const frz_state *state, const frz_event_target *target, int slot)
{
    const int body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body)[slot];
    if (target->material >= 0 && frz_particles_material(&state->particles)[slot] != target->material)
        return false;
    return target->bodies == NULL || target->bodies[state->bodies.identity[body].made];
}

static bool is_selected(const frz_state *state, const frz_event_target *target, double since, int slot)
{
    const frz_v4 x = frz_field_v4(&state->particles, FRZ_FIELD_ID_position)[slot];
    return is_named(state, target, slot) && is_inside(state, target, since, frz_v3_of(x));
}

static int64_t count_selected(const frz_state *state, const frz_event *event)
{
    int64_t sum = 0; // of integers: the same in any order
    const int count = state->particles.count[FRZ_ROLE_FREE];
#pragma omp parallel for schedule(static) reduction(+ : sum) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
        sum += is_selected(state, &event->count, event->at, i);
    return sum;
}

static double probe_value(const frz_model *model, const frz_state *state, const frz_event *event, bool *known)
{
    const frz_probe *probe = &model->probes[event->probe];
    double value = 0.0, velocity[3] = {0.0, 0.0, 0.0};
    *known = true;
    switch (event->field)
    {
    case FRZ_EVENT_FLOW:
        return model->cell * (double)state->sources.flows[event->probe].crossed;
    case FRZ_EVENT_TEMPERATURE:
        *known = frz_probe_field(model, state, probe->position, model->temperature_field, &value);
        return value;
    case FRZ_EVENT_SPEED:
        *known = frz_probe_sample(model, state, probe->position, NULL, velocity, NULL);
        return sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
    case FRZ_EVENT_DENSITY:
        *known = frz_probe_sample(model, state, probe->position, NULL, NULL, &value);
        return value;
    default:
        *known = frz_probe_sample(model, state, probe->position, &value, NULL, NULL);
        return value;
    }
}

// Its condition, if it has one.
static bool is_met(const frz_model *model, const frz_state *state, const frz_event *event)
{
    bool known = true;
    double value = 0.0;
    if (event->trigger == FRZ_EVENT_AT)
        return true;
    if (event->trigger == FRZ_EVENT_COUNT)
        value = (double)count_selected(state, event);
    else
        value = probe_value(model, state, event, &known);
    return known && (event->above ? value > event->threshold : value < event->threshold);
}

// Whether an event happens now. A repeating event is tested once per interval, any other until it has happened.
static bool happens(const frz_model *model, frz_state *state, int e)
{
    const frz_event *event = &model->events[e];
    frz_event_state *now = &state->changes.events[e];
    if (now->spent != 0 || state->time < now->next || state->time > event->until)
        return false;
    const bool met = is_met(model, state, event);
    if (event->every > 0.0)
        while (now->next <= state->time)
            now->next += event->every;
    else if (met)
        now->spent = 1;
    now->fired += met;
    return met;
}

// Sums of a body: m and m x, with x counted from its particle with the lowest id, across periodic seams.
typedef struct center_sum
{
    int64_t id;
    frz_v4 from;
    frz_exact mass, first[3];
} center_sum;

static frz_vec3 center_of(const frz_model *model, const center_sum *sum)
{
    const double mass = frz_exact_value(&sum->mass);
    const double *min = model->domain_min, *max = model->domain_max;
    double x[3];
    for (int a = 0; a < 3; ++a)
    {
        x[a] = (double)sum->from[a] + frz_exact_value(&sum->first[a]) / mass;
        if (model->periodic[a]) // within the domain, as its particles are
            x[a] -= (max[a] - min[a]) * floor((x[a] - min[a]) / (max[a] - min[a]));
    }
    return frz_v3(x[0], x[1], x[2]);
}

// Centres of mass of all bodies of free particles, for events that select whole bodies; null without memory.
static frz_vec3 *find_centers(const frz_batch *batch)
{
    frz_state *state = batch->state;
    const int bodies = state->bodies.count;
    const int64_t *id = frz_field_i64(&state->particles, FRZ_FIELD_ID_id);
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    frz_vec3 *center = FRZ_SCRATCH(&state->scratch, bodies + 1, frz_vec3);
    center_sum *sum = FRZ_SCRATCH(&state->scratch, bodies + 1, center_sum);
    if (center == NULL || sum == NULL)
        return NULL;
    memset(sum, 0, (size_t)bodies * sizeof *sum);
    for (int b = 0; b < bodies; ++b)
        sum[b].id = INT64_MAX;
    for (int i = 0; i < batch->count; ++i)
        if (id[i] < sum[body[i]].id)
        {
            sum[body[i]].id = id[i];
            sum[body[i]].from = position[i];
        }
    for (int i = 0; i < batch->count; ++i)
    {
        center_sum *to = &sum[body[i]];
        const double m = frz_particle_mass(batch->model, inverse_density[i]);
        const frz_v4 d = frz_minimum_image(&state->neighbors.grid, frz_v4_xyz(position[i] - to->from));
        frz_exact_add(&to->mass, m);
        for (int a = 0; a < 3; ++a)
            frz_exact_add(&to->first[a], m * (double)d[a]);
    }
    for (int b = 0; b < bodies; ++b)
        center[b] = sum[b].id < INT64_MAX ? center_of(batch->model, &sum[b]) : frz_v3(0.0, 0.0, 0.0);
    return center;
}

static bool is_meant(const frz_batch *batch, const frz_event *event, const frz_vec3 *center, int i)
{
    const frz_state *state = batch->state;
    if (!event->whole || frz_particles_phase(&state->particles)[i] == FRZ_PHASE_LIQUID)
        return is_selected(state, &event->target, event->at, i);
    const int body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body)[i];
    return is_named(state, &event->target, i) && center != NULL &&
           is_inside(state, &event->target, event->at, center[body]);
}

static void ask_change(frz_batch *batch, int e, const frz_vec3 *center)
{
    const frz_event *event = &batch->model->events[e];
    const uint8_t *phase = frz_particles_phase(&batch->state->particles);
    bool any = false;
#pragma omp parallel for schedule(static) reduction(|| : any) if (batch->count >= frz_parallel_least)
    for (int i = 0; i < batch->count; ++i)
    {
        const bool from = event->from == FRZ_PHASE_SAMPLE ? phase[i] != event->to : phase[i] == event->from;
        if (!from || phase[i] == event->to || batch->wanted[i] != FRZ_CHANGE_NONE || !is_meant(batch, event, center, i))
            continue;
        batch->wanted[i] = (uint8_t)event->to;
        batch->event[i] = (int16_t)e;
        batch->material[i] = (int16_t)event->material;
        any = true;
    }
    batch->any = batch->any || any;
}

// All particles of the bodies that the event names, as far as they lie in its shape.
static void ask_join(frz_batch *batch, int e)
{
    const frz_event *event = &batch->model->events[e];
    const uint8_t *phase = frz_particles_phase(&batch->state->particles);
    for (int i = 0; i < batch->count; ++i)
        if (phase[i] != FRZ_PHASE_LIQUID && is_selected(batch->state, &event->target, event->at, i))
        {
            batch->joins[i] = (int16_t)e;
            batch->any = true;
        }
}

// A point within a shape, in its frame, is in a thick part if it is deeper than a spacing, or would be a spacing
// further inside.
static bool is_thick_at(const frz_shape *shape, frz_vec3 place, frz_vec3 normal, double spacing)
{
    const frz_vec3 deeper = frz_v3_mad(place, -spacing, normal);
    if (frz_shape_distance(shape, place) < -spacing)
        return true;
    return frz_shape_distance(shape, deeper) < 0.0 && frz_v3_dot(frz_shape_normal(shape, deeper), normal) > 0.0;
}

// Does the shape separate a from b? A blade does if the line between them passes through it and they lie on opposite
// sides: particles within the blade stay with those of their side, so that it makes no dust. It may be thinner than a
// spacing. Where the shape is thicker than two spacings, its surface cuts: particles inside separate from those
// outside.
static bool parts(const frz_model *model, const frz_state *state, const frz_event *event, frz_vec3 a, frz_vec3 b)
{
    enum
    {
        looks = 16
    };
    const frz_event_target *knife = &event->target;
    const frz_shape *shape = knife->shape;
    const frz_vec3 place[2] = {place_in_shape(state, knife, event->at, a), place_in_shape(state, knife, event->at, b)};
    bool inside[2], thick = false, passes = false;
    frz_vec3 normal[2];
    for (int k = 0; k <= looks && !passes; ++k)
        passes = is_inside(state, knife, event->at, frz_v3_mad(a, (double)k / looks, frz_v3_sub(b, a)));
    if (!passes)
        return false;
    for (int end = 0; end < 2; ++end)
    {
        inside[end] = frz_shape_distance(shape, place[end]) < 0.0;
        normal[end] = frz_shape_normal(shape, place[end]);
        thick = thick || (inside[end] && is_thick_at(shape, place[end], normal[end], model->spacing));
    }
    return thick ? inside[0] != inside[1] : frz_v3_dot(normal[0], normal[1]) < 0.0;
}

static void ask_cut(frz_batch *batch, int e)
{
    frz_state *state = batch->state;
    const frz_event *event = &batch->model->events[e];
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const frz_bonds *bonds = &state->bonds;
    int64_t cut = 0;
    for (int i = 0; i < bonds->count; ++i)
    {
        const int slot = batch->slot_of[i];
        if (slot < 0 || !is_named(state, &event->target, slot))
            continue;
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
        {
            const int j = (int)bonds->other[k], other = batch->slot_of[j];
            if (j <= i || other < 0 || !(bonds->weight[k] > 0))
                continue;
            const frz_v4 way = frz_minimum_image(&state->neighbors.grid, frz_v4_xyz(position[other] - position[slot]));
            const frz_vec3 a = frz_v3_of(position[slot]);
            if (!parts(batch->model, state, event, a, frz_v3_add(a, frz_v3_of(way))))
                continue;
            frz_changes_break(state, i, k);
            batch->touched[frz_field_i32(&state->particles, FRZ_FIELD_ID_body)[slot]] = true;
            batch->any = true;
            cut += 1;
        }
    }
    if (cut == 0 && !(event->every > 0.0))
        snprintf(
            state->changes.warning, sizeof state->changes.warning,
            "event '%.80s' cut nothing at t = %.6g s: no bond of the bodies that it names passes through its shape",
            event->label, state->time);
}

void frz_changes_ask(frz_batch *batch)
{
    frz_state *state = batch->state;
    const frz_vec3 *center = NULL;
    for (int e = 0; e < batch->model->event_count; ++e)
    {
        const frz_event *event = &batch->model->events[e];
        if (!happens(batch->model, state, e))
            continue;
        if (event->whole && center == NULL)
            center = find_centers(batch);
        if (event->action == FRZ_EVENT_CHANGE)
            ask_change(batch, e, center);
        else if (event->action == FRZ_EVENT_JOIN)
            ask_join(batch, e);
        else
            ask_cut(batch, e);
    }
}
