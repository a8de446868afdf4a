// SPDX-License-Identifier: MIT
#include "sim/attachments.h"

#include <math.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "sim/state.h"

// Particles up to this many bonds away from one attached to a rigid body never touch that body. The distance is two
// supports, as for particles of one body that never touch each other, and for the same reason: an elastic body pressed
// to half its length must not get contacts with the body that holds it.
static const int attached_rings = 3;

static bool holds(const frz_attachment *attachment, int body, frz_vec3 x)
{
    return (attachment->of < 0 || attachment->of == body) &&
           frz_shape_distance(attachment->shape, x) < attachment->margin;
}

// A particle in several shapes belongs to the first.
static int attachment_at(const frz_model *model, const frz_solids *solids, int e)
{
    for (int a = 0; a < model->attachment_count; ++a)
        if (holds(&model->attachments[a], solids->body[e], frz_v3_of(solids->reference[e])))
            return a;
    return -1;
}

bool frz_attachments_hold_now(const frz_model *model, const frz_state *state, int a)
{
    return state->time < model->attachments[a].until;
}

// ---- attachments to rigid bodies

int frz_attachments_carrier(const frz_model *model, int a)
{
    const int body = model->attachments[a].body;
    return body >= 0 && model->bodies[body].kind == FRZ_BODY_RIGID ? body : -1;
}

static int carrier_now(const frz_model *model, const frz_state *state, int a)
{
    return frz_attachments_hold_now(model, state, a) ? frz_attachments_carrier(model, a) : -1;
}

static double mass_of(const frz_model *model, const frz_state *state, int number)
{
    return frz_particle_mass(model, frz_particles_inverse_density(&state->particles)[state->solids.slot[number]]);
}

static bool has_attachments(const frz_model *model, int body)
{
    bool any = false;
    for (int a = 0; a < model->attachment_count; ++a)
        any = any || model->attachments[a].body == body;
    return any && model->bodies[body].kind == FRZ_BODY_RIGID;
}

// Sums over the particles attached to a body, exact: mass, mass times position, and mass times products of positions.
typedef struct load_sums
{
    frz_exact mass, first[3], second[6]; // xx, xy, xz, yy, yz, zz
} load_sums;

static void add_load(load_sums *sums, double mass, frz_vec3 place)
{
    const double x[3] = {place.x, place.y, place.z};
    frz_exact_add(&sums->mass, mass);
    for (int a = 0, n = 0; a < 3; ++a)
    {
        frz_exact_add(&sums->first[a], mass * x[a]);
        for (int b = a; b < 3; ++b)
            frz_exact_add(&sums->second[n++], mass * x[a] * x[b]);
    }
}

static frz_rigid_load load_of(const load_sums *sums)
{
    frz_rigid_load load = {.mass = frz_exact_value(&sums->mass),
                           .first = frz_v3(frz_exact_value(&sums->first[0]), frz_exact_value(&sums->first[1]),
                                           frz_exact_value(&sums->first[2]))};
    for (int a = 0, n = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b)
            load.second.m[a][b] = load.second.m[b][a] = frz_exact_value(&sums->second[n++]);
    return load;
}

static void load_bodies(const frz_model *model, frz_state *state)
{
    for (int b = 0; b < model->body_count; ++b)
    {
        if (!has_attachments(model, b))
            continue;
        load_sums sums = {0};
        for (int a = 0; a < model->attachment_count; ++a)
            for (int k = 0; carrier_now(model, state, a) == b && k < state->attachments.item[a].count; ++k)
            {
                const int e = state->attachments.item[a].number[k];
                if (state->solids.slot[e] < 0)
                    continue;
                // in the body's axes, from where its shape is counted from
                const frz_vec3 place = frz_v3_of(state->attachments.item[a].place[k]);
                add_load(&sums, mass_of(model, state, e), frz_v3_sub(place, model->bodies[b].position));
            }
        const frz_rigid_load load = load_of(&sums);
        frz_rigid_body_load(&state->bodies.rigid[b], &model->bodies[b].rigid, &load, model->dimension);
    }
}

frz_status frz_attachments_prepare(const frz_model *model, frz_state *state, frz_diag *diag)
{
    const frz_solids *solids = &state->solids;
    if (model->attachment_count == 0 || state->attachments.item != NULL)
        return FRZ_OK;
    state->attachments.item = FRZ_ALLOC("attachments", model->attachment_count, frz_attachment_state);
    if (state->attachments.item == NULL)
        return frz_fail_memory(diag, "the attachments");
    state->attachments.count = model->attachment_count;
    for (int e = 0; e < solids->count; ++e)
    {
        const int a = attachment_at(model, solids, e);
        if (a >= 0)
            state->attachments.item[a].count += 1;
    }
    for (int a = 0; a < model->attachment_count; ++a)
    {
        frz_attachment_state *to = &state->attachments.item[a];
        to->number = FRZ_ALLOC("attachments", to->count + 1, int32_t);
        to->place = FRZ_ALLOC("attachments", to->count + 1, frz_v4);
        if (to->number == NULL || to->place == NULL)
            return frz_fail_memory(diag, "the attachments");
        to->count = 0;
    }
    for (int e = 0; e < solids->count; ++e)
    {
        const int a = attachment_at(model, solids, e);
        frz_attachment_state *to = a >= 0 ? &state->attachments.item[a] : NULL;
        if (to == NULL)
            continue;
        to->place[to->count] = solids->reference[e];
        to->number[to->count++] = e;
    }
    load_bodies(model, state);
    return FRZ_OK;
}

void frz_attachments_renumber(frz_state *state, const int32_t *new_of_old)
{
    for (int a = 0; a < state->attachments.count; ++a)
    {
        frz_attachment_state *item = &state->attachments.item[a];
        int kept = 0;
        for (int k = 0; k < item->count; ++k)
        {
            if (new_of_old[item->number[k]] < 0)
                continue;
            item->place[kept] = item->place[k];
            item->number[kept++] = new_of_old[item->number[k]];
        }
        item->count = kept;
        item->marked = false; // attached_body must be recomputed
    }
    FRZ_FREE(state->solids.attached_body);
}

void frz_attachments_destroy(frz_state *state)
{
    for (int a = 0; a < state->attachments.count; ++a)
    {
        frz_free(state->attachments.item[a].number);
        frz_free(state->attachments.item[a].place);
    }
    FRZ_FREE(state->attachments.item);
}

void frz_attachments_let_go(const frz_model *model, frz_state *state, double before)
{
    bool any = false;
    for (int a = 0; a < state->attachments.count; ++a)
        any = any || (before < model->attachments[a].until && !frz_attachments_hold_now(model, state, a));
    if (any)
        load_bodies(model, state);
}

void frz_attachments_pose(const frz_model *model, int a, double time, frz_vec3 *pivot, frz_vec3 *position,
                          frz_quat *rotation)
{
    const frz_attachment *attachment = &model->attachments[a];
    const frz_body anchor = {.position = attachment->pivot, .motion = attachment->motion};
    const frz_body *body = attachment->body >= 0 ? &model->bodies[attachment->body] : &anchor;
    *pivot = body->position;
    frz_body_pose(body, time, position, rotation);
}

// Pass the body on along bonds, ring by ring. Each ring grows from the previous one only, so the order does not matter.
static frz_status spread(const frz_bonds *bonds, int32_t *attached_body, frz_arena *scratch, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(scratch);
    uint8_t *ring = FRZ_SCRATCH(scratch, bonds->count + 1, uint8_t);
    if (ring == NULL)
        return frz_fail_memory(diag, "the attachments");
    for (int e = 0; e < bonds->count; ++e)
        ring[e] = attached_body[e] > 0;
    for (int r = 1; r <= attached_rings; ++r)
        for (int e = 0; e < bonds->count; ++e)
            for (int64_t k = bonds->begin[e]; ring[e] == 0 && k < bonds->begin[e + 1]; ++k)
                if (ring[bonds->other[k]] == r && bonds->weight[k] > 0)
                {
                    attached_body[e] = attached_body[bonds->other[k]];
                    ring[e] = (uint8_t)(r + 1);
                }
    frz_arena_release(scratch, mark);
    return FRZ_OK;
}

frz_status frz_attachments_mark_bodies(const frz_model *model, frz_state *state, frz_diag *diag)
{
    frz_solids *solids = &state->solids;
    bool changed = false;
    for (int a = 0; a < state->attachments.count; ++a)
    {
        changed = changed || state->attachments.item[a].marked != (carrier_now(model, state, a) >= 0);
        state->attachments.item[a].marked = carrier_now(model, state, a) >= 0;
    }
    if (!changed)
        return FRZ_OK;
    if (solids->attached_body == NULL)
        solids->attached_body = FRZ_ALLOC("solids", solids->count + 1, int32_t);
    if (solids->attached_body == NULL)
        return frz_fail_memory(diag, "the attachments");
    memset(solids->attached_body, 0, (size_t)solids->count * sizeof *solids->attached_body);
    for (int a = 0; a < state->attachments.count; ++a)
        for (int k = 0; state->attachments.item[a].marked && k < state->attachments.item[a].count; ++k)
            solids->attached_body[state->attachments.item[a].number[k]] = 1 + model->attachments[a].body;
    return state->bonds.count == solids->count ? spread(&state->bonds, solids->attached_body, &state->scratch, diag)
                                               : FRZ_OK;
}
