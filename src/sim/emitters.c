// SPDX-License-Identifier: MIT
// Emitters. Between steps, the flow of an emitter advances by speed x time. Whenever it has advanced by another
// spacing, the inlet emits a layer, displaced by the fraction of a spacing that the flow is beyond. So layers are one
// spacing apart for any time steps, and the volume is right to half a layer.
//
// Liquid in an inlet, which reaches from just behind the plane to one support in front of it, has the inlet's velocity
// (sim/drivers.h), whether emitted there or not: pressure cannot push new layers back, and a submerged inlet carries
// away the liquid in front of it. Where the compression exceeds yield_compression, though, the inlet releases its
// liquid. This liquid then occupies its site when the next layer comes, and the layer leaves the site out: an inlet
// into a full vessel dries up instead of crushing the liquid.
//
// All of this happens after a step was accepted and is a function of the saved state: rejected tries make nothing.
#include <math.h>
#include <string.h>

#include "sim/domain.h"
#include "sim/state.h"

// a site is occupied if a particle is nearer than this many spacings; the last layer is one spacing away
static const double occupied_distance = 0.75;
// compression at which an inlet releases a particle; far above the solvers' residual in a free flow
static const frz_real yield_compression = (frz_real)1.1;
// new capacity over the needed one
static const int growth = 2;

static bool is_on(const frz_emitter *emitter, const frz_emitter_state *status, double time)
{
    return status->exhausted == 0 && frz_schedule_is_on(&emitter->schedule, time);
}

double frz_emitters_speed(const frz_model *model, const frz_state *state)
{
    double speed = 0.0;
    for (int e = 0; e < model->emitter_count; ++e)
    {
        const frz_emitter *emitter = &model->emitters[e];
        const double until = state->time + model->time_step.max;
        if (state->sources.emitters[e].exhausted == 0 &&
            frz_schedule_on_time(&emitter->schedule, state->time, until) > 0.0)
            speed = fmax(speed, emitter->speed);
    }
    return speed;
}

frz_status frz_emitters_reserve(const frz_model *model, frz_state *state, double dt, frz_diag *diag)
{
    double needed = state->particles.count[FRZ_ROLE_FREE];
    for (int e = 0; e < model->emitter_count; ++e)
        if (state->sources.emitters[e].exhausted == 0)
            needed += (ceil(model->emitters[e].speed * dt / model->spacing) + 1.0) * model->emitters[e].site_count;
    const int capacity = state->particles.capacity[FRZ_ROLE_FREE];
    if (needed <= capacity)
        return FRZ_OK;
    if (!(needed < INT32_MAX / 2))
        return frz_fail(diag, FRZ_ERR_MEMORY,
                        "the emitters have made more particles than can be counted; give them max_particles");
    return frz_particles_grow(&state->particles, FRZ_ROLE_FREE, (int)needed + (int)needed / growth, diag);
}

static frz_vec3 nearest_image(const frz_grid *grid, frz_vec3 d)
{
    const double *period = grid->period;
    return frz_v3(grid->periodic[0] ? d.x - period[0] * floor(d.x / period[0] + 0.5) : d.x,
                  grid->periodic[1] ? d.y - period[1] * floor(d.y / period[1] + 0.5) : d.y,
                  grid->periodic[2] ? d.z - period[2] * floor(d.z / period[2] + 0.5) : d.z);
}

static bool is_in_inlet(const frz_model *model, const frz_grid *grid, const frz_emitter *emitter, frz_v4 position)
{
    const frz_vec3 x = frz_v3_of(position);
    const frz_vec3 offset = nearest_image(grid, frz_v3_sub(x, emitter->patch.center));
    const double ahead = frz_v3_dot(offset, emitter->patch.normal);
    return ahead > -occupied_distance * model->spacing && ahead < frz_emitter_length(model) &&
           frz_patch_covers(&emitter->patch, offset, model->dimension);
}

bool frz_emitters_any_on(const frz_model *model, const frz_state *state)
{
    bool any = false;
    for (int e = 0; e < model->emitter_count; ++e)
        any = any || is_on(&model->emitters[e], &state->sources.emitters[e], state->time);
    return any;
}

int frz_emitters_inlet_of(const frz_model *model, const frz_state *state, int slot)
{
    const frz_v4 position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position)[slot];
    const frz_real compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression)[slot];
    int inlet = -1;
    for (int e = 0; e < model->emitter_count && compression < yield_compression; ++e)
        if (is_on(&model->emitters[e], &state->sources.emitters[e], state->time) &&
            is_in_inlet(model, &state->neighbors.grid, &model->emitters[e], position))
            inlet = e;
    return inlet;
}

frz_v4 frz_emitter_velocity(const frz_emitter *emitter)
{
    const frz_vec3 v = frz_v3_scale(emitter->speed, emitter->patch.normal);
    return frz_v4_of(v);
}

// ---- a new layer

// Mark the sites near a particle, given relative to the middle of the new layer.
static void mark_near(const frz_emitter *emitter, double spacing, frz_vec3 offset, bool *occupied)
{
    const double reach = occupied_distance * spacing;
    if (fabs(frz_v3_dot(offset, emitter->patch.normal)) >= reach)
        return;
    const double x = frz_v3_dot(offset, emitter->patch.across) / spacing + 0.5 * (emitter->columns - 1);
    const double y = frz_v3_dot(offset, emitter->patch.up) / spacing + 0.5 * (emitter->rows - 1);
    if (!(x > -1.0 && x < emitter->columns && y > -1.0 && y < emitter->rows))
        return;
    for (int row = (int)floor(y); row <= (int)floor(y) + 1; ++row)
        for (int column = (int)floor(x); column <= (int)floor(x) + 1; ++column)
        {
            if (row < 0 || row >= emitter->rows || column < 0 || column >= emitter->columns)
                continue;
            const int site = emitter->site_of[column + emitter->columns * row];
            if (site >= 0 && frz_v3_length(frz_v3_sub(offset, emitter->sites[site])) < reach)
                occupied[site] = true;
        }
}

static bool is_in_moving_wall(const frz_model *model, const frz_state *state, frz_vec3 point)
{
    for (int b = 0; b < model->body_count; ++b)
    {
        const frz_body *body = &model->bodies[b];
        if (body->shape == NULL || !frz_body_moves(body))
            continue;
        const frz_vec3 arm = frz_v3_sub(point, frz_rigid_body_frame(&state->bodies.rigid[b]));
        const frz_vec3 local = frz_quat_rotate(frz_quat_conjugate(state->bodies.rigid[b].rotation), arm);
        if (frz_shape_distance(body->shape, frz_v3_add(body->position, local)) < frz_wall_clearance(model))
            return true;
    }
    return false;
}

// Sites on which no particle may be emitted now. One pass over all particles, once per layer.
static void find_occupied(const frz_model *model, const frz_state *state, const frz_emitter *emitter, frz_vec3 middle,
                          bool *occupied)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    memset(occupied, 0, (size_t)emitter->site_count * sizeof *occupied);
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        const frz_vec3 x = frz_v3_of(position[i]);
        mark_near(emitter, model->spacing, nearest_image(&state->neighbors.grid, frz_v3_sub(x, middle)), occupied);
    }
    for (int k = 0; k < emitter->site_count; ++k)
        occupied[k] = occupied[k] || is_in_moving_wall(model, state, frz_v3_add(middle, emitter->sites[k]));
}

static void add_particle(const frz_model *model, frz_state *state, const frz_emitter *emitter, frz_vec3 at)
{
    const int material = model->bodies[emitter->body].material;
    const frz_real inverse_density = (frz_real)(1.0 / model->materials[material].density);
    frz_v4 x = frz_v4_of(at);
    (void)frz_domain_wrap(model, &x); // a particle emitted beyond an open limit is lost in the next step
    const bool first = state->particles.count[FRZ_ROLE_FREE] == 0;
    const int slot = frz_particles_append(&state->particles, FRZ_ROLE_FREE);
    frz_field_v4(&state->particles, FRZ_FIELD_ID_position)[slot] = x;
    frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity)[slot] = frz_emitter_velocity(emitter);
    frz_particles_phase(&state->particles)[slot] =
        frz_model_has_points(model, material) ? FRZ_PHASE_POINT : FRZ_PHASE_LIQUID;
    frz_particles_material(&state->particles)[slot] = (uint8_t)material;
    frz_particles_inverse_density(&state->particles)[slot] = inverse_density;
    frz_field_real(&state->particles, FRZ_FIELD_ID_density)[slot] = 1 / inverse_density;
    frz_field_i64(&state->particles, FRZ_FIELD_ID_id)[slot] = state->next_id++;
    frz_field_i32(&state->particles, FRZ_FIELD_ID_body)[slot] = emitter->body;
    if (state->fields.solid >= 0)
        frz_field_i32(&state->particles, state->fields.solid)[slot] = -1;
    if (state->fields.origin >= 0)
        frz_field_i32(&state->particles, state->fields.origin)[slot] = emitter->body;
    frz_particle_set_temperature(model, state, slot, model->bodies[emitter->body].temperature);
    for (int a = 0; a < 3; ++a)
    {
        state->stats.min[a] = first ? (double)x[a] : fmin(state->stats.min[a], (double)x[a]);
        state->stats.max[a] = first ? (double)x[a] : fmax(state->stats.max[a], (double)x[a]);
    }
}

// A layer that has come distance beyond the inlet.
static void add_layer(const frz_model *model, frz_state *state, const frz_emitter *emitter, frz_emitter_state *status,
                      double distance)
{
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    const frz_vec3 middle = frz_v3_mad(emitter->patch.center, distance, emitter->patch.normal);
    bool *occupied = FRZ_SCRATCH(&state->scratch, emitter->site_count + 1, bool);
    status->layers += 1;
    if (occupied == NULL)
    {
        status->blocked += emitter->site_count; // without memory the layer is not made
        return;
    }
    find_occupied(model, state, emitter, middle, occupied);
    for (int k = 0; k < emitter->site_count && status->exhausted == 0; ++k)
    {
        if (occupied[k])
        {
            status->blocked += 1;
            continue;
        }
        add_particle(model, state, emitter, frz_v3_add(middle, emitter->sites[k]));
        status->emitted += 1;
        status->exhausted = emitter->max_particles > 0 && status->emitted >= emitter->max_particles;
    }
    frz_arena_release(&state->scratch, mark);
}

void frz_emitters_run(const frz_model *model, frz_state *state, double start)
{
    for (int e = 0; e < model->emitter_count; ++e)
    {
        const frz_emitter *emitter = &model->emitters[e];
        frz_emitter_state *status = &state->sources.emitters[e];
        double *travelled = &state->sources.travelled[e];
        if (status->exhausted == 0)
            *travelled += emitter->speed * frz_schedule_on_time(&emitter->schedule, start, state->time);
        const int64_t due = (int64_t)floor(*travelled / model->spacing + 0.5);
        while (status->layers < due && status->exhausted == 0)
            add_layer(model, state, emitter, status, *travelled - ((double)status->layers + 0.5) * model->spacing);
    }
}
