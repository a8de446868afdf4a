// SPDX-License-Identifier: MIT
#include "sim/change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "sim/body_surface.h"
#include "sim/change_internal.h"
#include "sim/change_room.h"
#include "sim/state_solids.h"
#include "solid/changes.h"

frz_status frz_changes_create(const frz_model *model, frz_state *state, frz_diag *diag)
{
    state->changes.events = FRZ_ALLOC("events", model->event_count + 1, frz_event_state);
    if (state->changes.events == NULL)
        return frz_fail_memory(diag, "the events");
    for (int e = 0; e < model->event_count; ++e)
        state->changes.events[e].next = model->events[e].at;
    return FRZ_OK;
}

void frz_changes_destroy(frz_state *state)
{
    FRZ_FREE(state->changes.events);
}

static bool begin(const frz_model *model, frz_state *state, frz_batch *batch)
{
    const int count = state->particles.count[FRZ_ROLE_FREE];
    *batch = (frz_batch){
        .model = model,
        .state = state,
        .count = count,
        .body_count = state->bodies.count,
        .wanted = FRZ_SCRATCH(&state->scratch, count + 1, uint8_t),
        .event = FRZ_SCRATCH(&state->scratch, count + 1, int16_t),
        .material = FRZ_SCRATCH(&state->scratch, count + 1, int16_t),
        .joins = FRZ_SCRATCH(&state->scratch, count + 1, int16_t),
        .before = FRZ_SCRATCH(&state->scratch, count + 1, uint8_t),
        .old_body = FRZ_SCRATCH(&state->scratch, count + 1, int32_t),
        .part = FRZ_SCRATCH(&state->scratch, count + 1, int32_t),
        .object = FRZ_SCRATCH(&state->scratch, count + 1, int32_t),
        .reference = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4),
        .touched = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, bool),
    };
    if (batch->wanted == NULL || batch->event == NULL || batch->material == NULL || batch->joins == NULL ||
        batch->before == NULL || batch->old_body == NULL || batch->part == NULL || batch->object == NULL ||
        batch->reference == NULL || batch->touched == NULL)
        return false;
    memset(batch->wanted, FRZ_CHANGE_NONE, (size_t)count);
    memset(batch->touched, 0, (size_t)state->bodies.count * sizeof *batch->touched);
    memcpy(batch->before, frz_particles_phase(&state->particles), (size_t)count);
    memcpy(batch->old_body, frz_field_i32(&state->particles, FRZ_FIELD_ID_body), (size_t)count * sizeof(int32_t));
    for (int i = 0; i < count; ++i)
        batch->event[i] = batch->material[i] = batch->joins[i] = -1;
    return true;
}

// Slots of the solid particles by their numbers, -1: gone. The store may have been permuted since the last sort.
static bool find_slots(frz_batch *batch)
{
    frz_state *state = batch->state;
    batch->slot_of = FRZ_SCRATCH(&state->scratch, state->solids.count + 1, int32_t);
    if (batch->slot_of == NULL)
        return false;
    for (int e = 0; e < state->solids.count; ++e)
        batch->slot_of[e] = -1;
    const int32_t *number = frz_field_i32(&state->particles, state->fields.solid);
    for (int i = 0; i < batch->count; ++i)
    {
        const bool rigid = batch->before[i] == FRZ_PHASE_RIGID;
        if (number[i] >= 0)
            batch->slot_of[number[i]] = i;
        batch->reference[i] = rigid ? state->solids.reference[number[i]] : frz_v4_zero();
    }
    return true;
}

bool frz_changes_has_points(const frz_model *model, const frz_state *state, int body)
{
    const frz_body_identity *identity = &state->bodies.identity[body];
    return identity->kind == FRZ_BODY_ELASTIC && identity->material >= 0 &&
           frz_model_has_points(model, identity->material);
}

// Bodies that have lost particles beyond the domain's limits or in a drain.
static void notice_losses(frz_batch *batch)
{
    frz_state *state = batch->state;
    int64_t *count = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, int64_t);
    if (count == NULL)
        return; // the next step looks again
    memset(count, 0, (size_t)state->bodies.count * sizeof *count);
    for (int i = 0; i < batch->count; ++i)
        count[batch->old_body[i]] += 1;
    for (int b = 0; b < state->bodies.count; ++b)
    {
        frz_body_identity *identity = &state->bodies.identity[b];
        const bool points = frz_changes_has_points(batch->model, state, b);
        const bool solid = (identity->kind == FRZ_BODY_ELASTIC && !points) || identity->kind == FRZ_BODY_RIGID;
        if (points && identity->alive != 0) // as it will be after the batch: they can melt, and nothing becomes one
        {
            identity->particles = count[b];
            for (int i = 0; i < batch->count && batch->any; ++i)
                identity->particles -= batch->old_body[i] == b && batch->wanted[i] != FRZ_CHANGE_NONE;
            identity->alive = identity->particles > 0;
        }
        if (solid && identity->filled + (identity->kind == FRZ_BODY_ELASTIC) == 0)
            continue; // it has a shape
        if (solid && identity->alive != 0 && count[b] < identity->particles)
            batch->touched[b] = batch->any = true;
        if (!solid && identity->kind == FRZ_BODY_LIQUID)
            identity->particles = count[b];
    }
}

// Bonds have broken in the step: objects may have fallen into parts.
static frz_status notice_cracks(frz_batch *batch, frz_diag *diag)
{
    frz_state *state = batch->state;
    if (!state->solids.stale)
        return FRZ_OK;
    const frz_slot_pairs none = {0};
    const frz_solid_parts parts = {.object = batch->object, .part = batch->part};
    int32_t *first = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, int32_t); // by object before: a part of it
    if (first == NULL)
        return frz_fail_memory(diag, "the changes");
    FRZ_TRY(frz_solids_components(&state->solids, &state->bonds, &state->particles, state->fields.solid, NULL, &none,
                                  &parts, &state->scratch, diag));
    for (int b = 0; b < state->bodies.count; ++b)
        first[b] = -1;
    for (int i = 0; i < batch->count; ++i)
    {
        if (batch->object[i] < 0)
            continue;
        const int object = state->bodies.identity[batch->old_body[i]].object;
        if (first[object] < 0)
            first[object] = batch->object[i];
        else if (first[object] != batch->object[i])
            batch->touched[batch->old_body[i]] = batch->any = true;
    }
    return FRZ_OK;
}

void frz_changes_request(frz_batch *batch, int slot, frz_phase phase, int material)
{
    FRZ_ASSERT(slot >= 0 && slot < batch->count && phase != FRZ_PHASE_SAMPLE);
    if (batch->before[slot] == phase || batch->wanted[slot] != FRZ_CHANGE_NONE)
        return;
    batch->wanted[slot] = (uint8_t)phase;
    batch->material[slot] = (int16_t)material;
    batch->any = true;
}

static void ask_methods(frz_batch *batch)
{
    for (int n = 0; n < batch->model->instance_count; ++n)
    {
        const frz_instance *instance = &batch->model->instances[n];
        if (instance->method->changes != NULL)
            instance->method->changes(batch->model, batch->state, instance, batch);
    }
}

static void zero_field(frz_particles *particles, int f, int i)
{
    frz_field *field = &particles->fields[f];
    const size_t size = frz_dtype_size(field->type) * (size_t)field->stride;
    memset((char *)field->data + (size_t)i * size, 0, size);
}

// A particle gets its new phase and material. Fields that methods keep of its history are set to zero.
static void change_particle(frz_batch *batch, const frz_solid_space *space, int i)
{
    frz_state *state = batch->state;
    batch->touched[batch->old_body[i]] = true;
    if (batch->wanted[i] == FRZ_PHASE_LIQUID)
    {
        frz_solids_leave(&state->solids, &state->bonds, space, &state->particles, state->fields.solid, i);
        frz_field_i32(&state->particles, FRZ_FIELD_ID_body)[i] =
            frz_changes_pool(batch->model, state, batch->old_body[i]);
    }
    frz_particles_phase(&state->particles)[i] = batch->wanted[i];
    if (batch->material[i] >= 0)
    {
        frz_particles_material(&state->particles)[i] = (uint8_t)batch->material[i];
        if (batch->model->has_heat) // it keeps its temperature
            frz_particle_set_temperature(batch->model, state, i,
                                         (double)frz_field_real(&state->particles, batch->model->temperature_field)[i]);
    }
    frz_room_ask(state, i);
    for (int f = 0; f < state->particles.field_count; ++f)
        if ((state->particles.fields[f].decl.flags & FRZ_FIELD_RESET) != 0)
            zero_field(&state->particles, f, i);
    batch->changed += 1;
}

static frz_status change_particles(frz_batch *batch, const frz_solid_space *space, frz_diag *diag)
{
    // a pool for each body of the scene at most
    FRZ_TRY(frz_bodies_reserve(batch->state, batch->state->bodies.count + batch->model->body_count, diag));
    for (int i = 0; i < batch->count; ++i)
        if (batch->wanted[i] != FRZ_CHANGE_NONE)
            change_particle(batch, space, i);
    return FRZ_OK;
}

void frz_changes_break(frz_state *state, int e, int64_t k)
{
    const int other = (int)state->bonds.other[k];
    frz_pieces_break(state, e, k);
    frz_bonds_correct(&state->bonds, e);
    frz_bonds_correct(&state->bonds, other);
}

// Can elastic particles of two materials be of one body? Its law may differ from particle to particle, but one method
// computes it.
static bool can_mix(const frz_model *model, int a, int b)
{
    if (a == b)
        return true;
    const frz_instance *p = frz_model_method(model, FRZ_SLOT_ELASTIC, a);
    const frz_instance *q = frz_model_method(model, FRZ_SLOT_ELASTIC, b);
    return p != NULL && q != NULL && p->method == q->method && frz_method_mixes(p->method, p->self, q->self);
}

// Elastic particles of materials that cannot be of one body do not bond.
static void keep_like_pairs(const frz_batch *batch, frz_slot_pairs *pairs)
{
    const uint8_t *phase = frz_particles_phase(&batch->state->particles);
    const uint8_t *material = frz_particles_material(&batch->state->particles);
    int64_t kept = 0;
    for (int64_t n = 0; n < pairs->count; ++n)
    {
        const frz_slot_pair p = pairs->pair[n];
        const bool elastic = phase[p.a] == FRZ_PHASE_ELASTIC && phase[p.b] == FRZ_PHASE_ELASTIC;
        if (!elastic || can_mix(batch->model, material[p.a], material[p.b]))
            pairs->pair[kept++] = p;
    }
    pairs->count = kept;
}

static frz_status find_pairs(frz_batch *batch, const frz_solid_space *space, frz_slot_pairs *pairs, frz_diag *diag)
{
    frz_state *state = batch->state;
    const uint8_t *phase = frz_particles_phase(&state->particles);
    int8_t *wish = FRZ_SCRATCH(&state->scratch, batch->count + 1, int8_t);
    int32_t *join = FRZ_SCRATCH(&state->scratch, batch->count + 1, int32_t);
    bool any = false;
    if (wish == NULL || join == NULL)
        return frz_fail_memory(diag, "the changes");
    for (int i = 0; i < batch->count; ++i)
    {
        const bool solid = frz_phase_is_bonded((frz_phase)phase[i]);
        const bool fresh = solid && batch->before[i] == FRZ_PHASE_LIQUID;
        wish[i] = (int8_t)(fresh ? FRZ_BOND_WISH_NEW : solid ? FRZ_BOND_WISH_JOIN : FRZ_BOND_WISH_NONE);
        join[i] = batch->joins[i] >= 0 ? 0 : -1;
        any = any || fresh || batch->joins[i] >= 0;
    }
    if (!any)
        return frz_solids_renew_ties(&state->bonds, &state->particles, state->fields.solid, pairs, &state->scratch,
                                     diag);
    const frz_new_bonds_input input = {.space = space,
                                       .particles = &state->particles,
                                       .field = state->fields.solid,
                                       .solids = &state->solids,
                                       .bonds = &state->bonds,
                                       .wish = wish,
                                       .join = join};
    FRZ_TRY(frz_solids_find_new_bonds(&input, &state->scratch, pairs, diag));
    keep_like_pairs(batch, pairs);
    return frz_solids_renew_ties(&state->bonds, &state->particles, state->fields.solid, pairs, &state->scratch, diag);
}

static void add_to_component(const frz_batch *batch, frz_component *c, int i)
{
    const frz_particles *particles = &batch->state->particles;
    const int64_t id = frz_field_i64(particles, FRZ_FIELD_ID_id)[i];
    const bool fresh = batch->before[i] == FRZ_PHASE_LIQUID;
    c->count += 1;
    c->mass += frz_particle_mass(batch->model, frz_particles_inverse_density(particles)[i]);
    c->low_id = id < c->low_id ? id : c->low_id;
    c->fresh = c->fresh && fresh;
    if (fresh && c->event < 0)
        c->event = batch->event[i];
    const int16_t maker = batch->wanted[i] != FRZ_CHANGE_NONE ? batch->event[i] : -1;
    c->maker = c->count == 1 || c->maker == maker ? maker : -1;
    if (c->joiner < 0)
        c->joiner = batch->joins[i];
}

// Components as a list. Single solid particles without a pair are components too.
static frz_status list_components(frz_batch *batch, frz_components *c, frz_diag *diag)
{
    frz_state *state = batch->state;
    c->of_slot = FRZ_SCRATCH(&state->scratch, batch->count + 1, int32_t);
    c->list = FRZ_SCRATCH(&state->scratch, batch->count + 1, frz_component);
    if (c->of_slot == NULL || c->list == NULL)
        return frz_fail_memory(diag, "the changes");
    const uint8_t *phase = frz_particles_phase(&state->particles);
    c->count = 0;
    for (int i = 0; i < batch->count; ++i)
    {
        c->of_slot[i] = -1;
        const bool fresh = frz_phase_is_bonded((frz_phase)phase[i]) && batch->before[i] == FRZ_PHASE_LIQUID;
        if (batch->part[i] < 0 && fresh)
            batch->part[i] = batch->object[i] = i;
        if (batch->part[i] < 0)
            continue;
        if (batch->part[i] == i)
        {
            c->of_slot[i] = c->count;
            c->list[c->count++] = (frz_component){.first = i,
                                                  .object = batch->object[i],
                                                  .low_id = INT64_MAX,
                                                  .body = -1,
                                                  .phase = phase[i],
                                                  .fresh = true,
                                                  .event = -1,
                                                  .maker = -1,
                                                  .joiner = -1,
                                                  .material = frz_particles_material(&state->particles)[i]};
        }
        else
            c->of_slot[i] = c->of_slot[batch->part[i]]; // the lowest slot comes first
        add_to_component(batch, &c->list[c->of_slot[i]], i);
    }
    return FRZ_OK;
}

// Which components are parts of objects that are new and too small to be one.
static bool find_dust(const frz_batch *batch, const frz_components *c, bool *dust)
{
    frz_arena *scratch = &batch->state->scratch;
    int64_t *count = FRZ_SCRATCH(scratch, batch->count + 1, int64_t); // by object
    bool *old = FRZ_SCRATCH(scratch, batch->count + 1, bool);
    if (count == NULL || old == NULL)
        return false;
    for (int n = 0; n < c->count; ++n)
    {
        count[c->list[n].object] = 0;
        old[c->list[n].object] = false;
    }
    for (int n = 0; n < c->count; ++n)
    {
        count[c->list[n].object] += c->list[n].count;
        old[c->list[n].object] |= !c->list[n].fresh;
    }
    for (int n = 0; n < c->count; ++n)
        dust[n] = !old[c->list[n].object] && count[c->list[n].object] <= batch->model->dimension;
    return true;
}

// Particles that would make a body too small to be one stay liquid.
static void refuse_dust(frz_batch *batch, frz_components *c)
{
    frz_state *state = batch->state;
    int64_t refused = 0;
    int kept = 0;
    int32_t *new_index = FRZ_SCRATCH(&state->scratch, c->count + 1, int32_t);
    bool *dust = FRZ_SCRATCH(&state->scratch, c->count + 1, bool);
    if (new_index == NULL || dust == NULL || !find_dust(batch, c, dust))
        return;
    for (int n = 0; n < c->count; ++n)
    {
        new_index[n] = dust[n] ? -1 : kept;
        if (!dust[n])
            c->list[kept++] = c->list[n];
    }
    for (int i = 0; i < batch->count; ++i)
    {
        if (c->of_slot[i] < 0)
            continue;
        c->of_slot[i] = new_index[c->of_slot[i]];
        if (c->of_slot[i] >= 0)
            continue;
        frz_particles_phase(&state->particles)[i] = batch->before[i];
        batch->wanted[i] = FRZ_CHANGE_NONE;
        batch->changed -= 1;
        refused += batch->event[i] >= 0; // a change that heat requests may wait until more particles are cold
    }
    c->count = kept;
    state->changes.refused += refused;
    if (refused > 0)
        snprintf(state->changes.warning, sizeof state->changes.warning,
                 "%lld particles stay liquid at t = %.6g s: they touch too few others that freeze to be a body of more "
                 "than %d particles",
                 (long long)refused, state->time, batch->model->dimension);
}

// Kinetic energy of all particles, each of a rigid body as a cube that turns with it.
static double kinetic_energy(const frz_batch *batch, const frz_rigid_body *bodies, const int32_t *body,
                             const uint8_t *phase)
{
    const frz_state *state = batch->state;
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    frz_exact sum = {0};
    for (int i = 0; i < batch->count; ++i)
    {
        const double mass = frz_particle_mass(batch->model, inverse_density[i]);
        frz_vec3 v = frz_v3_of(frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity)[i]);
        if (phase[i] == FRZ_PHASE_RIGID)
        {
            const frz_rigid_body *of = &bodies[body[i]];
            const frz_vec3 arm = frz_rigid_body_arm(of, frz_v3_of(batch->reference[i]));
            v = frz_v3_add(of->velocity, frz_v3_cross(of->spin, arm));
            frz_exact_add(&sum, 0.5 * frz_cube_inertia(mass, batch->model->spacing) * frz_v3_dot(of->spin, of->spin));
        }
        frz_exact_add(&sum, 0.5 * mass * frz_v3_dot(v, v));
    }
    return frz_exact_value(&sum);
}

static frz_status renumber(frz_batch *batch, const frz_solid_space *space, const frz_slot_pairs *pairs, frz_diag *diag)
{
    frz_state *state = batch->state;
    int32_t *body = FRZ_SCRATCH(&state->scratch, batch->count + 1, int32_t);
    int32_t *new_of_old = FRZ_SCRATCH(&state->scratch, state->solids.count + 1, int32_t);
    double *reach = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, double);
    int32_t *object = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, int32_t);
    if (body == NULL || reach == NULL || new_of_old == NULL || object == NULL)
        return frz_fail_memory(diag, "the changes");
    const uint8_t *phase = frz_particles_phase(&state->particles);
    for (int i = 0; i < batch->count; ++i)
        body[i] =
            frz_phase_is_bonded((frz_phase)phase[i]) ? frz_field_i32(&state->particles, FRZ_FIELD_ID_body)[i] : -1;
    for (int b = 0; b < state->bodies.count; ++b)
    {
        reach[b] = frz_state_solid_reach(batch->model, state, b);
        object[b] = state->bodies.identity[b].object;
    }
    const frz_solids_plan plan = {.space = space,
                                  .particles = &state->particles,
                                  .field = state->fields.solid,
                                  .low = frz_state_position_rest(state),
                                  .body_count = state->bodies.count,
                                  .body = body,
                                  .reach = reach,
                                  .object = object,
                                  .local = batch->reference,
                                  .pairs = pairs,
                                  .step = state->step,
                                  .new_of_old = new_of_old};
    FRZ_TRY(frz_solids_renumber(&state->solids, &state->bonds, &plan, &state->scratch, diag));
    frz_attachments_renumber(state, new_of_old);
    return FRZ_OK;
}

// Compute the clearance of particles that have just become rigid; particles that move from one rigid body to another
// keep theirs.
static void keep_clear(const frz_batch *batch, const frz_components *c, const frz_rigid_body *old)
{
    frz_state *state = batch->state;
    frz_v4 *clearance = frz_field_v4(&state->particles, state->fields.clearance);
    for (int i = 0; i < batch->count; ++i)
    {
        const int n = c->of_slot[i];
        if (n < 0 || c->list[n].phase != FRZ_PHASE_RIGID)
            continue;
        const bool was_rigid = batch->before[i] == FRZ_PHASE_RIGID;
        const frz_rigid_body *body = &state->bodies.rigid[c->list[n].body];
        frz_vec3 world;
        if (was_rigid && batch->old_body[i] == c->list[n].body)
            continue;
        if (was_rigid)
            world = frz_quat_rotate(old[batch->old_body[i]].rotation, frz_v3_of(clearance[i]));
        else
        {
            const frz_vec3 arm = frz_rigid_body_arm(body, frz_v3_of(batch->reference[i]));
            world = frz_body_surface_clearance(batch->model, state, c->list[n].body, frz_v3_add(body->position, arm));
        }
        clearance[i] = frz_v4_of(frz_quat_rotate(frz_quat_conjugate(body->rotation), world));
    }
}

// Update the contact surfaces of bodies whose particles have changed.
static frz_status remake_surfaces(frz_batch *batch, const frz_components *c, const frz_rigid_body *old, frz_diag *diag)
{
    frz_state *state = batch->state;
    frz_body_particles list = {.place = FRZ_SCRATCH(&state->scratch, batch->count + 1, frz_vec3),
                               .id = FRZ_SCRATCH(&state->scratch, batch->count + 1, int64_t)};
    if (list.place == NULL || list.id == NULL)
        return frz_fail_memory(diag, "the surfaces of bodies");
    for (int b = 0; b < batch->body_count; ++b)
        if (!frz_body_is(state, b, FRZ_BODY_RIGID) && state->bodies.identity[b].filled != 0)
            frz_body_surface_drop(state, b);
    if (state->contact.set != NULL)
        keep_clear(batch, c, old);
    const frz_v4 *clearance = frz_field_v4(&state->particles, state->fields.clearance);
    for (int n = 0; n < c->count && state->contact.set != NULL; ++n)
    {
        if (c->list[n].phase != FRZ_PHASE_RIGID)
            continue;
        list.count = 0;
        for (int i = 0; i < batch->count; ++i)
            if (c->of_slot[i] == n)
            {
                list.place[list.count] = frz_v3_add(frz_v3_of(batch->reference[i]), frz_v3_of(clearance[i]));
                list.id[list.count++] = frz_field_i64(&state->particles, FRZ_FIELD_ID_id)[i];
            }
        FRZ_TRY(frz_body_surface_make(batch->model, state, c->list[n].body, &list, diag));
    }
    return FRZ_OK;
}

static frz_status carry_out(frz_batch *batch, frz_slot_pairs *pairs, frz_diag *diag)
{
    frz_state *state = batch->state;
    const frz_solid_space space = frz_state_solid_space(batch->model, state);
    frz_rigid_body *old = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, frz_rigid_body);
    uint8_t *changed = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, uint8_t);
    if (old == NULL || changed == NULL)
        return frz_fail_memory(diag, "the changes");
    memcpy(old, state->bodies.rigid, (size_t)state->bodies.count * sizeof *old);
    double stored = 0.0, left = 0.0;
    FRZ_TRY(frz_energy_elastic(batch->model, state, &stored, diag));
    const double energy = stored + kinetic_energy(batch, old, batch->old_body, batch->before);
    FRZ_TRY(change_particles(batch, &space, diag));
    FRZ_TRY(find_pairs(batch, &space, pairs, diag));
    for (int b = 0; b < batch->body_count; ++b)
        changed[b] = batch->touched[b];
    const frz_solid_parts parts = {.object = batch->object, .part = batch->part};
    FRZ_TRY(frz_solids_components(&state->solids, &state->bonds, &state->particles, state->fields.solid, changed, pairs,
                                  &parts, &state->scratch, diag));
    frz_components components = {0};
    FRZ_TRY(list_components(batch, &components, diag));
    refuse_dust(batch, &components);
    FRZ_TRY(frz_changes_assign_bodies(batch, &components, diag));
    FRZ_TRY(frz_changes_move_rigid(batch, &components, old, diag));
    FRZ_TRY(renumber(batch, &space, pairs, diag));
    FRZ_TRY(frz_state_prepare_solids(batch->model, state, diag));
    FRZ_TRY(remake_surfaces(batch, &components, old, diag));
    state->stats.changed += batch->changed;
    FRZ_TRY(frz_energy_elastic(batch->model, state, &left, diag));
    batch->lost = energy - left -
                  kinetic_energy(batch, state->bodies.rigid, frz_field_i32(&state->particles, FRZ_FIELD_ID_body),
                                 frz_particles_phase(&state->particles));
    state->stats.change_energy += batch->lost;
    return FRZ_OK;
}

void frz_changes_run(const frz_model *model, frz_state *state)
{
    state->stats.changed = 0;
    state->stats.change_energy = 0.0;
    if (!model->can_change)
        return;
    state->stats.change_energy = -frz_room_fade(model, state, state->stats.dt);
    state->changes.energy += state->stats.change_energy;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_batch batch;
    frz_diag diag = {.status = FRZ_OK};
    frz_slot_pairs pairs = {0};
    frz_status status = FRZ_OK;
    if (!begin(model, state, &batch) || !find_slots(&batch))
        status = frz_fail_memory(&diag, "the changes");
    if (status == FRZ_OK)
        status = notice_cracks(&batch, &diag);
    if (status == FRZ_OK)
    {
        frz_changes_ask(&batch);
        ask_methods(&batch);
        notice_losses(&batch);
        if (batch.any)
            status = carry_out(&batch, &pairs, &diag);
        state->changes.batches += batch.any;
        state->changes.changed += state->stats.changed;
        state->changes.energy += batch.lost;
    }
    frz_slot_pairs_destroy(&pairs);
    frz_arena_release(&state->scratch, mark);
    if (status != FRZ_OK)
        snprintf(state->changes.warning, sizeof state->changes.warning, "changes at t = %.6g s failed: %.400s",
                 state->time, diag.message);
}
