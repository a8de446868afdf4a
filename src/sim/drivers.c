// SPDX-License-Identifier: MIT
#include "sim/drivers.h"

#include <string.h>

#include "base/blocks.h"
#include "sim/state.h"

// ---- driven particles

// Drivers are numbered: emitters, attachments, bodies.
static int driver_count(const frz_model *model, const frz_state *state)
{
    return model->emitter_count + model->attachment_count + state->bodies.count;
}

static int driver_of_attachment(const frz_model *model, int a)
{
    return model->emitter_count + a;
}

static int driver_of_body(const frz_model *model, int b)
{
    return model->emitter_count + model->attachment_count + b;
}

// Rigid bodies made of particles have free ones.
static bool has_rigid_particles(const frz_state *state)
{
    bool any = false;
    for (int b = 0; b < state->bodies.count; ++b)
        any = any || (frz_body_is(state, b, FRZ_BODY_RIGID) && state->bodies.identity[b].filled != 0);
    return any;
}

static bool may_drive(const frz_model *model, const frz_state *state)
{
    bool any = frz_emitters_any_on(model, state) || has_rigid_particles(state);
    for (int a = 0; a < state->attachments.count; ++a)
        any = any || (state->attachments.item[a].count > 0 && frz_attachments_hold_now(model, state, a));
    return any;
}

static void mark_inlets(const frz_model *model, const frz_state *state, int32_t *of_slot)
{
    if (!frz_emitters_any_on(model, state))
        return;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        of_slot[i] = 1 + frz_emitters_inlet_of(model, state, i);
}

// place: by slot, of attached particles: position at the start
static void mark_attached(const frz_model *model, const frz_state *state, int32_t *of_slot, frz_v4 *place)
{
    for (int a = 0; a < state->attachments.count; ++a)
    {
        const frz_attachment_state *from = &state->attachments.item[a];
        for (int k = 0; frz_attachments_hold_now(model, state, a) && k < from->count; ++k)
        {
            const int slot = state->solids.slot[from->number[k]];
            if (slot < 0 || place == NULL)
                continue;
            of_slot[slot] = 1 + driver_of_attachment(model, a);
            place[slot] = from->place[k];
        }
    }
}

// All particles of phase RIGID are driven by the body that they make up.
static void mark_rigid(const frz_model *model, const frz_state *state, int32_t *of_slot)
{
    const uint8_t *phase = frz_particles_phase(&state->particles);
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    if (!has_rigid_particles(state))
        return;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        if (phase[i] == FRZ_PHASE_RIGID)
            of_slot[i] = 1 + driver_of_body(model, body[i]);
}

static frz_driver *make_drivers(const frz_model *model, frz_state *state)
{
    frz_driver *drivers = FRZ_SCRATCH(&state->scratch, driver_count(model, state) + 1, frz_driver);
    if (drivers == NULL)
        return NULL;
    for (int e = 0; e < model->emitter_count; ++e)
        drivers[e] = (frz_driver){.body = -1, .attachment = -1, .emitter = e};
    for (int a = 0; a < model->attachment_count; ++a)
    {
        frz_driver *driver = &drivers[driver_of_attachment(model, a)];
        *driver = (frz_driver){.body = frz_attachments_carrier(model, a), .attachment = a, .emitter = -1};
        frz_attachments_pose(model, a, state->time + state->attempt.dt, &driver->pivot, &driver->position,
                             &driver->rotation);
    }
    for (int b = 0; b < state->bodies.count; ++b)
        drivers[driver_of_body(model, b)] = (frz_driver){.body = b, .attachment = -1, .emitter = -1};
    return drivers;
}

// ---- the list

// Where in its list of pieces a block sums up a driver; a new one at the end if it has none yet. Neighbours in a block
// mostly have the same driver.
static int piece_at(int32_t *drivers, int *count, int driver)
{
    for (int p = *count - 1; p >= 0; --p)
        if (drivers[p] == driver)
            return p;
    drivers[*count] = driver;
    return (*count)++;
}

// Particles and pieces of a block; seen: the drivers of the pieces.
static void count_block(const int32_t *of_slot, int b, int count, int32_t seen[FRZ_BLOCK], int32_t *driven,
                        int32_t *pieces)
{
    int particle_count = 0, piece_count = 0;
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
        if (of_slot[i] != 0)
        {
            (void)piece_at(seen, &piece_count, of_slot[i] - 1);
            particle_count += 1;
        }
    *driven = particle_count;
    *pieces = piece_count;
}

// Position of a particle in its body. The reference position of a rigid particle is its position in the body.
static frz_vec3 place_in_body(const frz_model *model, const frz_state *state, const frz_driven *d)
{
    if (state->attempt.drivers.driver[d->driver].attachment < 0)
        return frz_v3_of(state->solids.reference[d->number]);
    return frz_v3_sub(frz_v3_of(state->attempt.drivers.attached_at[d->slot]), model->bodies[d->body].position);
}

static frz_driven make_driven(const frz_model *model, const frz_state *state, const frz_driver *drivers, int slot,
                              int number)
{
    const frz_drivers *to = &state->attempt.drivers;
    const int driver = to->of_slot[slot] - 1;
    const frz_driver *by = &drivers[driver];
    frz_driven d = {.slot = slot, .number = number, .driver = driver, .body = by->body};
    d.mass = frz_particle_mass(model, frz_particles_inverse_density(&state->particles)[slot]);
    d.velocity = to->before[slot];
    if (by->body >= 0)
    {
        d.place = place_in_body(model, state, &d);
        d.arm = frz_rigid_body_arm(&state->bodies.rigid[by->body], d.place);
    }
    else if (by->attachment >= 0)
    {
        const frz_vec3 arm = frz_v3_sub(frz_v3_of(to->attached_at[slot]), by->pivot);
        d.place = frz_v3_add(by->position, frz_quat_rotate(by->rotation, arm));
    }
    else
        d.velocity = frz_emitter_velocity(&model->emitters[by->emitter]);
    return d;
}

static void fill_block(const frz_model *model, frz_state *state, int b)
{
    frz_drivers *to = &state->attempt.drivers;
    int32_t seen[FRZ_BLOCK];
    int n = to->block_begin[b], pieces = 0;
    const int count = state->particles.count[FRZ_ROLE_FREE];
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
    {
        if (to->of_slot[i] == 0)
            continue;
        const int number = state->solids.count > 0 ? state->solids.index_of_slot[i] : -1;
        to->list[n] = make_driven(model, state, to->driver, i, number);
        to->list[n].piece = to->piece_of[to->block_piece[b] + piece_at(seen, &pieces, to->of_slot[i] - 1)];
        n += 1;
    }
}

// Pieces driver by driver: those of one follow each other in the order of the blocks.
static frz_status group_pieces(const frz_model *model, frz_state *state, frz_diag *diag)
{
    frz_drivers *to = &state->attempt.drivers;
    to->driver_count = driver_count(model, state);
    const int count = state->particles.count[FRZ_ROLE_FREE], blocks = frz_block_count(count);
    int32_t *begin = FRZ_SCRATCH(&state->scratch, to->driver_count + 2, int32_t);
    int32_t *place = FRZ_SCRATCH(&state->scratch, to->piece_count + 1, int32_t);
    int32_t *driver = FRZ_SCRATCH(&state->scratch, to->piece_count + 1, int32_t);
    to->piece = FRZ_SCRATCH(&state->scratch, to->piece_count + 1, frz_driven_piece);
    if (begin == NULL || place == NULL || driver == NULL || to->piece == NULL)
        return frz_fail_memory(diag, "the driven particles");
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; ++b)
    {
        int32_t seen[FRZ_BLOCK], driven, pieces;
        count_block(to->of_slot, b, count, seen, &driven, &pieces);
        memcpy(driver + to->block_piece[b], seen, (size_t)pieces * sizeof *seen);
    }
    memset(begin, 0, (size_t)(to->driver_count + 2) * sizeof *begin);
    for (int p = 0; p < to->piece_count; ++p)
        begin[driver[p] + 2] += 1;
    for (int d = 0; d < to->driver_count; ++d)
        begin[d + 2] += begin[d + 1];
    for (int p = 0; p < to->piece_count; ++p)
        place[p] = begin[driver[p] + 1]++; // afterwards begin[d] is where driver d begins
    to->piece_of = place;
    to->driver_piece = begin;
    return FRZ_OK;
}

static frz_status make_list(const frz_model *model, frz_state *state, frz_diag *diag)
{
    frz_drivers *to = &state->attempt.drivers;
    const int count = state->particles.count[FRZ_ROLE_FREE], blocks = frz_block_count(count);
    int32_t *begin = FRZ_SCRATCH(&state->scratch, blocks + 1, int32_t);
    int32_t *piece = FRZ_SCRATCH(&state->scratch, blocks + 1, int32_t);
    if (begin == NULL || piece == NULL)
        return frz_fail_memory(diag, "the driven particles");
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; ++b)
    {
        int32_t seen[FRZ_BLOCK];
        count_block(to->of_slot, b, count, seen, &begin[b], &piece[b]);
    }
    for (int b = 0; b < blocks; ++b) // from counts to first ones
    {
        const int32_t driven = begin[b], pieces = piece[b];
        begin[b] = to->count;
        piece[b] = to->piece_count;
        to->count += driven;
        to->piece_count += pieces;
    }
    begin[blocks] = to->count;
    piece[blocks] = to->piece_count;
    to->block_begin = begin;
    to->block_piece = piece;
    to->list = FRZ_SCRATCH(&state->scratch, to->count + 1, frz_driven);
    if (to->list == NULL)
        return frz_fail_memory(diag, "the driven particles");
    FRZ_TRY(group_pieces(model, state, diag));
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; ++b)
        fill_block(model, state, b);
    for (int n = 0; n < to->count; ++n)
        to->with_body += to->list[n].body >= 0;
    return FRZ_OK;
}

frz_status frz_drivers_collect(const frz_model *model, frz_state *state, frz_diag *diag)
{
    frz_drivers *to = &state->attempt.drivers;
    const int count = state->particles.count[FRZ_ROLE_FREE];
    state->attempt.drivers = (frz_drivers){0};
    to->before = frz_particles_keep(&state->particles, FRZ_ROLE_FREE, FRZ_FIELD_ID_velocity);
    for (int a = 0; a < state->attachments.count; ++a)
        state->attachments.item[a].force = frz_v3(0.0, 0.0, 0.0);
    if (!may_drive(model, state))
        return FRZ_OK;
    int32_t *of_slot = FRZ_SCRATCH(&state->scratch, count + 1, int32_t);
    const bool attaches = state->attachments.count > 0;
    frz_v4 *attached_at = attaches ? FRZ_SCRATCH(&state->scratch, count + 1, frz_v4) : NULL;
    to->driver = make_drivers(model, state);
    if (of_slot == NULL || to->driver == NULL || (attaches && attached_at == NULL))
        return frz_fail_memory(diag, "the driven particles");
    memset(of_slot, 0, (size_t)count * sizeof *of_slot);
    mark_inlets(model, state, of_slot); // later drivers override earlier ones
    mark_attached(model, state, of_slot, attached_at);
    mark_rigid(model, state, of_slot);
    to->of_slot = of_slot;
    to->attached_at = attached_at;
    return make_list(model, state, diag);
}

// ---- borders

static frz_vec3 way_to(const frz_state *state, const frz_driven *d, frz_vec3 place)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const frz_v4 *rest = frz_state_position_rest(state);
    frz_vec3 way = frz_v3_sub(place, frz_v3_of(position[d->slot]));
    if (rest != NULL)
        way = frz_v3_sub(way, frz_v3_of(rest[d->slot]));
    return frz_v3_of(frz_minimum_image(&state->neighbors.grid, frz_v4_of(way)));
}

// The velocity that the driver prescribes now; predicted: of bodies with the predicted change by contacts.
static frz_v4 wanted_velocity(const frz_state *state, const frz_driven *d, double dt, bool predicted)
{
    if (d->body < 0)
        return state->attempt.drivers.driver[d->driver].attachment >= 0
                   ? frz_v4_of(frz_v3_scale(1.0 / dt, way_to(state, d, d->place)))
                   : d->velocity;
    const frz_rigid_body *body = &state->bodies.rigid[d->body];
    frz_vec3 v = frz_v3_add(body->velocity, frz_v3_cross(body->spin, d->arm));
    const frz_rigid_motion *change = &state->contact.change[d->body];
    if (predicted)
        v = frz_v3_add(v, frz_v3_add(change->velocity, frz_v3_cross(change->spin, d->arm)));
    return frz_v4_of(v);
}

// Impulse of a stage on a driven particle. The force stage is known by its accelerations, without the weight, which
// bodies have already.
static frz_vec3 impulse_on(const frz_model *model, const frz_state *state, const frz_driven *d, double dt,
                           frz_border border)
{
    const frz_v4 velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity)[d->slot];
    if (d->body < 0)
        return frz_v3_scale(d->mass, frz_v3_of(velocity - wanted_velocity(state, d, dt, false)));
    if (border != FRZ_AFTER_FORCE)
        return frz_v3_scale(d->mass, frz_v3_of(velocity - d->velocity));
    const frz_v4 acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration)[d->slot];
    const frz_vec3 gravity = frz_v3(model->gravity[0], model->gravity[1], model->gravity[2]);
    return frz_v3_scale(d->mass * dt, frz_v3_sub(frz_v3_of(acceleration), gravity));
}

// Bodies take the impulses on their particles; attachments record the force of holding theirs.
static void take_impulses(const frz_model *model, frz_state *state, double dt, frz_border border)
{
    const frz_drivers *drivers = &state->attempt.drivers;
    const int blocks = drivers->count > 0 ? frz_block_count(state->particles.count[FRZ_ROLE_FREE]) : 0;
#pragma omp parallel for schedule(static) if (drivers->count >= frz_parallel_some)
    for (int b = 0; b < blocks; ++b)
    {
        frz_drivers_clear_block(drivers, b);
        for (int n = drivers->block_begin[b]; n < drivers->block_begin[b + 1]; ++n)
        {
            const frz_driven *d = &drivers->list[n];
            frz_driven_piece_add(&drivers->piece[d->piece], d, impulse_on(model, state, d, dt, border));
        }
    }
    for (int d = 0; d < drivers->driver_count; ++d)
    {
        frz_vec3 sum, moment;
        if (frz_drivers_sum(drivers, d, &sum, &moment) == 0)
            continue;
        const frz_driver *by = &drivers->driver[d];
        if (by->body >= 0)
            frz_rigid_body_act(&state->bodies.rigid[by->body], sum, moment);
        if (by->attachment >= 0)
        {
            frz_vec3 *force = &state->attachments.item[by->attachment].force;
            *force = frz_v3_mad(*force, -1.0 / dt, sum);
        }
    }
}

// Work of drivers with a given motion: the change of the kinetic energy of their particles, less the work of the stages
// on these at the prescribed velocity.
static void add_work(const frz_model *model, frz_state *state, double dt, frz_border border)
{
    const frz_drivers *drivers = &state->attempt.drivers;
    for (int n = 0; drivers->count > drivers->with_body && n < drivers->count; ++n)
    {
        const frz_driven *d = &drivers->list[n];
        if (d->body >= 0)
            continue;
        const frz_vec3 wanted = frz_v3_of(wanted_velocity(state, d, dt, false));
        frz_vec3 impulse = impulse_on(model, state, d, dt, border);
        if (border == FRZ_AFTER_FORCE)
        {
            const frz_vec3 before = frz_v3_of(drivers->before[d->slot]);
            impulse = frz_v3_mad(impulse, d->mass, frz_v3_sub(wanted, before));
            state->stats.work += 0.5 * d->mass * (frz_v3_dot(wanted, wanted) - frz_v3_dot(before, before));
        }
        state->stats.work -= frz_v3_dot(impulse, wanted);
    }
}

static void set_velocities(frz_state *state, double dt, bool predicted)
{
    const frz_drivers *drivers = &state->attempt.drivers;
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
#pragma omp parallel for schedule(static) if (drivers->count >= frz_parallel_some)
    for (int n = 0; n < drivers->count; ++n)
    {
        frz_driven *d = &drivers->list[n];
        velocity[d->slot] = d->velocity = wanted_velocity(state, d, dt, predicted);
    }
}

frz_status frz_drivers_border(const frz_model *model, frz_state *state, double dt, frz_border border, frz_diag *diag)
{
    // only particles need the predicted velocities of bodies
    const bool predicts = border == FRZ_AFTER_VELOCITY && state->particles.count[FRZ_ROLE_FREE] > 0;
    take_impulses(model, state, dt, border);
    add_work(model, state, dt, border);
    if (predicts)
        FRZ_TRY(frz_contact_predict(state, diag));
    if (border == FRZ_AFTER_PRESSURE)
        FRZ_TRY(frz_contact_finish(state, diag));
    set_velocities(state, dt, predicts);
    return FRZ_OK;
}

void frz_drivers_follow(frz_state *state, frz_driven *driven)
{
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    velocity[driven->slot] = driven->velocity = wanted_velocity(state, driven, state->attempt.dt, false);
}

void frz_drivers_settle(const frz_drivers *drivers, const frz_v4 *velocity)
{
#pragma omp parallel for schedule(static) if (drivers->count >= frz_parallel_least)
    for (int n = 0; n < drivers->count; ++n)
        if (drivers->list[n].body >= 0)
            drivers->list[n].velocity = velocity[drivers->list[n].slot];
}

void frz_drivers_place(frz_state *state, double dt)
{
    const frz_drivers *drivers = &state->attempt.drivers;
    frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    frz_v4 *rest = frz_state_position_rest(state);
#pragma omp parallel for schedule(static) if (drivers->count >= frz_parallel_some)
    for (int n = 0; n < drivers->count; ++n)
    {
        frz_driven *d = &drivers->list[n];
        frz_v4 way = (frz_real)dt * d->velocity;
        if (d->body >= 0)
        {
            const frz_rigid_body *body = &state->bodies.rigid[d->body];
            d->arm = frz_rigid_body_arm(body, d->place);
            way = frz_v4_of(way_to(state, d, frz_v3_add(body->position, d->arm)));
            velocity[d->slot] = d->velocity = wanted_velocity(state, d, dt, false);
        }
        frz_position_move(&position[d->slot], rest != NULL ? &rest[d->slot] : NULL, way);
    }
}
