// SPDX-License-Identifier: MIT
#include "sim/energy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/blocks.h"
#include "base/memory.h"
#include "rigid/exact_moments.h"
#include "sim/state.h"
#include "sim/state_solids.h"

// A rise counts as made energy if it exceeds this fraction of the largest kinetic and stored energy so far, ...
static const double tolerance = 0.01;
// ... and this fraction of the energy that lifts all particles and bodies by a spacing: smaller motion counts as rest.
static const double at_rest = 0.1;
// A warning is repeated only when the energy made has grown by this factor.
static const double tell_again = 2.0;

typedef struct particle_sums
{
    double kinetic, potential, weight;
} particle_sums;

// 1 for free particles whose energy the rigid body already contains: its own particles, and those attached to it.
static uint8_t *find_parts(const frz_model *model, const frz_state *state, frz_arena *scratch)
{
    const int count = state->particles.count[FRZ_ROLE_FREE];
    const uint8_t *phase = frz_particles_phase(&state->particles);
    uint8_t *part = FRZ_SCRATCH(scratch, count + 1, uint8_t);
    for (int i = 0; i < count && part != NULL; ++i)
        part[i] = phase[i] == FRZ_PHASE_RIGID;
    for (int a = 0; a < state->attachments.count && part != NULL; ++a)
    {
        const frz_attachment_state *held = &state->attachments.item[a];
        if (frz_attachments_carrier(model, a) < 0 || !frz_attachments_hold_now(model, state, a))
            continue;
        for (int k = 0; k < held->count; ++k)
            if (state->solids.slot[held->number[k]] >= 0)
                part[state->solids.slot[held->number[k]]] = 1;
    }
    return part;
}

// Time before the present at which the potential energy is evaluated, s; see energy.h.
static double lag_of(const frz_state *state, int body)
{
    return (0.5 - state->bodies.position_theta[body]) * state->stats.dt;
}

static particle_sums energy_of(const frz_model *model, const frz_state *state, double lag, int i)
{
    const frz_v4 v = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity)[i];
    const frz_v4 x = frz_field_v4(&state->particles, FRZ_FIELD_ID_position)[i];
    const double mass = frz_particle_mass(model, frz_particles_inverse_density(&state->particles)[i]);
    particle_sums e = {0.5 * mass * (double)frz_v4_dot3(v, v), 0.0, mass};
    for (int a = 0; a < 3; ++a)
        e.potential -= mass * model->gravity[a] * ((double)x[a] - lag * (double)v[a]);
    return e;
}

// part: null, or particles that are left out. lagging: at the middle of the step.
static frz_status sum_particles(const frz_model *model, frz_state *state, const uint8_t *part, bool lagging,
                                particle_sums *out, frz_diag *diag)
{
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    const int count = state->particles.count[FRZ_ROLE_FREE], blocks = frz_block_count(count);
    particle_sums *sums = FRZ_SCRATCH(&state->scratch, blocks + 1, particle_sums);
    if (sums == NULL)
        return frz_fail_memory(diag, "the energy");
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int b = 0; b < blocks; ++b)
    {
        sums[b] = (particle_sums){0.0, 0.0, 0.0};
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
        {
            if (part != NULL && part[i] != 0)
                continue;
            const particle_sums e = energy_of(model, state, lagging ? lag_of(state, body[i]) : 0.0, i);
            sums[b].kinetic += e.kinetic;
            sums[b].potential += e.potential;
            sums[b].weight += e.weight;
        }
    }
    out->kinetic = frz_exact_sum(&sums->kinetic, sizeof *sums, blocks);
    out->potential = frz_exact_sum(&sums->potential, sizeof *sums, blocks);
    out->weight = frz_exact_sum(&sums->weight, sizeof *sums, blocks);
    return FRZ_OK;
}

static particle_sums energy_of_body(const frz_model *model, const frz_state *state, int b)
{
    const frz_rigid_body *body = &state->bodies.rigid[b];
    particle_sums e = {0.0, 0.0, 0.0};
    if (!frz_body_is(state, b, FRZ_BODY_RIGID) || !frz_rigid_body_yields(body) || body->parked)
        return e;
    const frz_vec3 end = frz_v3_add(body->position, frz_quat_rotate(body->rotation, body->center));
    const frz_vec3 at = frz_v3_mad(end, -lag_of(state, b), frz_rigid_body_velocity_at(body, end));
    const double *g = model->gravity;
    e.kinetic = frz_rigid_body_energy(body);
    e.potential = -body->mass * (g[0] * at.x + g[1] * at.y + g[2] * at.z);
    e.weight = body->mass;
    return e;
}

// Elastic energy of all bodies, by body.
static frz_status add_stored(const frz_model *model, frz_state *state, double *energy, frz_diag *diag)
{
    memset(energy, 0, (size_t)state->bodies.count * sizeof *energy);
    if (!state->prepared) // before the first step nothing is deformed
        return FRZ_OK;
    if (state->solids.count > 0)
        FRZ_TRY(frz_solids_locate(&state->solids, &state->particles, state->fields.solid, diag));
    for (int n = 0; n < model->instance_count; ++n)
    {
        const frz_instance *instance = &model->instances[n];
        const bool any = state->fields.solid >= 0 || (instance->method->traits & FRZ_TRAIT_NO_REFERENCE) != 0;
        if (instance->method->energy != NULL && any)
            FRZ_TRY(instance->method->energy(model, state, instance, energy, diag));
    }
    return FRZ_OK;
}

frz_status frz_energy_elastic(const frz_model *model, frz_state *state, double *out, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    double *stored = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, double);
    if (stored == NULL)
        return frz_fail_memory(diag, "the energy");
    FRZ_TRY(add_stored(model, state, stored, diag));
    *out = frz_blocks_sum(stored, state->bodies.count);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

static frz_status measure(const frz_model *model, frz_state *state, frz_energy *out, double *weight, double *by_body,
                          frz_diag *diag)
{
    const int count = state->particles.count[FRZ_ROLE_FREE];
    double *stored = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, double);
    particle_sums sums = {0.0, 0.0, 0.0};
    if (stored == NULL)
        return frz_fail_memory(diag, "the energy");
    FRZ_TRY(add_stored(model, state, stored, diag));
    const uint8_t *part = NULL;
    if (state->solids.count > 0 && (part = find_parts(model, state, &state->scratch)) == NULL)
        return frz_fail_memory(diag, "the energy");
    FRZ_TRY(sum_particles(model, state, part, true, &sums, diag));
    *out = (frz_energy){.kinetic = sums.kinetic,
                        .potential = sums.potential,
                        .elastic = frz_blocks_sum(stored, state->bodies.count),
                        .surface = state->stats.surface_energy};
    *weight = sums.weight;
    for (int b = 0; b < state->bodies.count; ++b)
    {
        const particle_sums e = energy_of_body(model, state, b);
        out->kinetic += e.kinetic;
        out->potential += e.potential;
        *weight += e.weight;
        if (by_body != NULL)
            by_body[b] = e.kinetic + e.potential + stored[b];
    }
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    for (int i = 0; by_body != NULL && i < count; ++i)
        if (part == NULL || part[i] == 0)
        {
            const particle_sums e = energy_of(model, state, lag_of(state, body[i]), i);
            by_body[body[i]] += e.kinetic + e.potential;
        }
    return FRZ_OK;
}

frz_status frz_energy_measure(const frz_model *model, frz_state *state, frz_energy *out, double *by_body,
                              frz_diag *diag)
{
    double weight;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    const frz_status status = measure(model, state, out, &weight, by_body, diag);
    frz_arena_release(&state->scratch, mark);
    return status;
}

void frz_energy_exchange(const frz_model *model, frz_state *state)
{
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_diag ignored = {.status = FRZ_OK};
    particle_sums sums = {0.0, 0.0, 0.0};
    if (sum_particles(model, state, NULL, false, &sums, &ignored) == FRZ_OK)
        state->energy.exchanged +=
            sums.kinetic + sums.potential - state->stats.kinetic_energy - state->stats.potential_energy;
    frz_arena_release(&state->scratch, mark);
}

void frz_energy_enter(const frz_model *model, frz_state *state, int first)
{
    for (int i = first; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        const particle_sums e = energy_of(model, state, 0.0, i);
        state->energy.exchanged += e.kinetic + e.potential;
    }
}

// Whether a body moves as it is told.
static bool is_moved(const frz_body *body)
{
    const double speeds =
        frz_v3_dot(body->rigid.velocity, body->rigid.velocity) + frz_v3_dot(body->rigid.spin, body->rigid.spin);
    return body->motion.count > 0 ||
           (body->kind == FRZ_BODY_RIGID && !frz_rigid_body_yields(&body->rigid) && speeds > 0.0);
}

bool frz_energy_driver(const frz_model *model, char *out, size_t size)
{
    const frz_body *moved = NULL;
    for (int b = 0; b < model->body_count && moved == NULL; ++b)
        moved = is_moved(&model->bodies[b]) ? &model->bodies[b] : NULL;
    out[0] = '\0';
    for (int n = 0; n < model->instance_count && out[0] == '\0'; ++n)
    {
        const frz_method *method = model->instances[n].method;
        if ((method->traits & FRZ_TRAIT_HIDES_ENERGY) != 0)
            snprintf(out, size, "method '%s' stores energy that is not measured", method->key);
        else if (moved != NULL && (method->traits & FRZ_TRAIT_HIDES_WORK) != 0)
            snprintf(out, size, "method '%s' does not tell the work of body '%s', which is moved", method->key,
                     moved->name);
    }
    return out[0] != '\0';
}

// The body that has gained most energy since the last call.
static int find_gainer(const frz_energy_account *account, const double *by_body, int count)
{
    int most = -1;
    for (int b = 0; b < count && b < account->body_count; ++b)
        if (most < 0 || by_body[b] - account->by_body[b] > by_body[most] - account->by_body[most])
            most = b;
    return most;
}

// Keep the energies of bodies for the next call. Without memory its message names no body.
static void remember_bodies(frz_energy_account *account, const double *by_body, int count)
{
    if (count > account->body_count)
    {
        FRZ_FREE(account->by_body);
        account->by_body = FRZ_ALLOC("energy", count, double);
    }
    account->body_count = account->by_body != NULL ? count : 0;
    if (account->by_body != NULL)
        memcpy(account->by_body, by_body, (size_t)count * sizeof *by_body);
}

void frz_energy_destroy(frz_state *state)
{
    FRZ_FREE(state->energy.by_body);
}

static double gravity_power(const frz_model *model, const frz_state *state)
{
    const frz_vec3 g = frz_v3(model->gravity[0], model->gravity[1], model->gravity[2]);
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    double sum = 0.0;
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        sum += frz_particle_mass(model, frz_particles_inverse_density(&state->particles)[i]) *
               frz_v3_dot(g, frz_v3_of(velocity[i]));
    for (int b = 0; b < state->bodies.count; ++b)
        if (frz_body_is(state, b, FRZ_BODY_RIGID) && frz_rigid_body_yields(&state->bodies.rigid[b]))
            sum += state->bodies.rigid[b].mass * frz_v3_dot(g, state->bodies.rigid[b].velocity);
    return sum;
}

static bool has_surface(const frz_model *model)
{
    bool any = false;
    for (int n = 0; n < model->instance_count; ++n)
        any = any || model->instances[n].method->slot == FRZ_SLOT_TENSION;
    return any;
}

frz_status frz_energy_audit(const frz_model *model, frz_state *state, frz_energy *out, bool *made, int *body,
                            frz_diag *diag)
{
    frz_energy_account *account = &state->energy;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    const double *g = model->gravity;
    double weight = 0.0, *by_body = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, double);
    *made = false;
    *body = -1;
    if (by_body == NULL)
        return frz_fail_memory(diag, "the energy");
    FRZ_TRY(measure(model, state, out, &weight, by_body, diag));
    const double moving = out->kinetic + out->elastic + out->surface;
    const double work = account->work - 0.5 * state->stats.work; // up to the middle of the last step, as all is
    const double sum = moving + out->potential + account->friction - account->exchanged - work + state->changes.energy;
    account->scale = fmax(account->scale, moving);
    if (state->step == 0)
        account->power = gravity_power(model, state);
    else if (account->power > 0.0)
    {
        account->lowest += 0.5 * state->stats.dt * account->power;
        account->power = 0.0;
    }
    account->lowest = account->begun != 0 ? fmin(account->lowest, sum) : sum;
    account->begun = state->step > 0 || !has_surface(model); // methods compute the surface energy in a step
    account->made = sum - account->lowest;
    const double lift = at_rest * weight * model->spacing * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    // the time of the work within a step is not known: with the change of the velocity, or on the way
    const double allowed = tolerance * account->scale + lift + fabs(state->stats.work);
    account->worst = fmax(account->worst, allowed > 0.0 ? account->made / allowed : 0.0);
    if (account->made > allowed && account->made > tell_again * account->told)
    {
        *made = true;
        account->told = account->made;
        *body = find_gainer(account, by_body, state->bodies.count);
    }
    remember_bodies(account, by_body, state->bodies.count);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}
