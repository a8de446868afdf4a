// SPDX-License-Identifier: MIT
// Coulomb friction of elastic bodies on walls, on each other and on themselves.
//
// The pressure solver has applied the normal forces; their sizes follow from the pressures. Two particles push at each
// other with the impulse (dt / s) s^d (P_i + P_j) |g_ij| along g_ij (pressure_system.h), a wall with (dt / s) s^d P_i
// |S| along S, the part of the gradient that comes from its samples. Friction reduces the tangential velocity by an
// impulse of at most mu times the normal impulse; a smaller impulse that stops the sliding suffices for sticking. At a
// wall a particle can stop completely, so that bodies at rest on a slope do not creep; between particles the impulse is
// divided among all pairs of a particle, so that none is stopped twice. Impulses of a pair are equal and opposite.
//
// Particles of implicit bodies slide with the velocity that moves them in the step; the matrix of the implicit step
// gives their response to impulses (sim/response.h).
#include "sim/friction.h"

#include <math.h>
#include <string.h>

#include "sim/state.h"
#include "space/search.h"

enum
{
    at_once = 64 // particles that a thread takes
};

// virials below this belong to particles with almost no contact
static const frz_real smallest_virial = (frz_real)1e-6;
// and so are gradients of walls
static const double smallest_gradient = 1e-6;

// Within one step; arrays by free particle.
typedef struct friction
{
    const frz_model *model;
    frz_state *state;
    double volume; // of a particle at rest, m^d
    frz_v4 *velocity;
    frz_real *push;    // dt P / s, Pa s/m
    frz_real *touched; // number of elastic particles that it pushes at
    frz_v4 *change;    // of velocity, by other particles
    frz_v4 *impulse;   // of walls, kg m/s; last lane 1 + the body that the wall belongs to
    const int32_t *body;
    const bool *implicit; // by body: it is one
    frz_kicks *kicks;     // of implicit bodies; null: this pass treats friction between all others
} friction;

static inline bool is_solid(const frz_state *state, int i)
{
    return state->solids.index_of_slot[i] >= 0;
}

static double coefficient(const friction *f, int a, int b)
{
    return sqrt(f->state->bodies.rigid[a].friction * f->state->bodies.rigid[b].friction);
}

static double mass_of(const friction *f, int i)
{
    return frz_particle_mass(f->model, frz_particles_inverse_density(&f->state->particles)[i]);
}

// Whether it is free and of an implicit body.
static inline bool is_soft(const friction *f, int i)
{
    return f->implicit[f->body[i]] && !frz_drivers_has(&f->state->attempt.drivers, i);
}

// Whether the present pass treats the pair i, j.
static inline bool is_asked(const friction *f, int i, int j)
{
    return is_solid(f->state, j) && (is_soft(f, i) || is_soft(f, j)) == (f->kicks != NULL);
}

// Estimated response of a particle to an impulse, relative to that of its mass alone.
static double give_of(const friction *f, int i)
{
    if (f->kicks == NULL || !is_soft(f, i))
        return 1.0;
    const frz_response *r = f->kicks->of_body[f->body[i]];
    return r->theta * f->kicks->give[r->body];
}

// The velocity that it slides with, as far as is known.
static frz_v4 way_of(const friction *f, int i)
{
    if (f->kicks == NULL || frz_drivers_has(&f->state->attempt.drivers, i))
        return f->velocity[i];
    const frz_v4 way = is_soft(f, i) ? frz_kicks_forecast(f->kicks, f->state, i) : f->velocity[i];
    return way + (frz_real)give_of(f, i) * f->kicks->kick[i];
}

static double inertia_of(const friction *f, int i)
{
    return mass_of(f, i) / give_of(f, i);
}

static frz_v4 across(frz_v4 v, frz_v4 unit)
{
    return v - frz_v4_dot3(v, unit) * unit;
}

static void measure_push(const friction *f, int i, double dt)
{
    const frz_pairs *pairs = &f->state->neighbors.pairs;
    const frz_real *pressure = frz_field_real(&f->state->particles, FRZ_FIELD_ID_pressure);
    const bool held_up = pairs->virial[i] > smallest_virial && pressure[i] > 0;
    f->push[i] = held_up ? (frz_real)(dt / f->model->spacing) * pressure[i] / pairs->virial[i] : 0;
}

static void count_touched(const friction *f, int i)
{
    const frz_pairs *pairs = &f->state->neighbors.pairs;
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    int count = 0;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)index[k];
        count += j != i && is_asked(f, i, j) && f->push[i] + f->push[j] > 0;
    }
    f->touched[i] = (frz_real)count;
}

static void add_slip(const friction *f, int i, double work)
{
    f->kicks->given[i] += work;
    f->kicks->slips[i] += work;
}

// Friction of i against other elastic particles.
static void add_pair_friction(const friction *f, int i)
{
    const frz_pairs *pairs = &f->state->neighbors.pairs;
    const frz_pair_block *block = &pairs->blocks[i / FRZ_BLOCK];
    const double mass = mass_of(f, i), inertia = inertia_of(f, i);
    const frz_v4 way = f->touched[i] > 0 ? way_of(f, i) : frz_v4_zero();
    frz_v4 change = frz_v4_zero();
    double slips = 0.0, warming = 0.0;
    for (uint32_t k = pairs->begin[i]; f->touched[i] > 0 && k < pairs->end[i]; ++k)
    {
        const int j = (int)block->index[k];
        const frz_v4 g = frz_v4_xyz(frz_pair_load(&block->pair[k]));
        const double slope = sqrt((double)frz_v4_dot3(g, g)), push = (double)(f->push[i] + f->push[j]);
        if (j == i || !is_asked(f, i, j) || !(push > 0.0) || !(slope > smallest_gradient))
            continue;
        const frz_v4 slide = across(way - way_of(f, j), (frz_real)(1.0 / slope) * g);
        const double speed = sqrt((double)frz_v4_dot3(slide, slide)), other = inertia_of(f, j);
        const double share = fmax((double)f->touched[i], (double)f->touched[j]);
        const double most = inertia * other / (inertia + other) * speed / share;
        const double impulse = fmin(coefficient(f, f->body[i], f->body[j]) * f->volume * push * slope, most);
        if (!(speed > 0.0))
            continue;
        change -= (frz_real)(impulse / (mass * speed)) * slide;
        warming += 0.5 * impulse * speed;
        slips += (is_soft(f, j) ? 0.5 : 1.0) * impulse * speed * (1.0 - impulse / most);
    }
    f->change[i] = change;
    if (f->kicks != NULL && is_soft(f, i))
        add_slip(f, i, slips);
    if (f->kicks != NULL)
        f->kicks->warming[i] += warming;
}

// The sample of a wall nearest to particle i; -1 if none is near.
static int nearest_sample(const friction *f, int i)
{
    const frz_cell_list *walls = &f->state->neighbors.sample_cells;
    const frz_v4 x = frz_field_v4(&f->state->particles, FRZ_FIELD_ID_position)[i];
    const frz_real at[3] = {x[0], x[1], x[2]};
    frz_cell_run runs[FRZ_RUN_MAX];
    frz_found found;
    const int run_count = frz_cell_runs_at(&f->state->neighbors.grid, walls, at, runs);
    const int near = frz_search(walls, runs, run_count, at, (frz_real)f->model->support, -1, &found);
    int nearest = -1;
    frz_real least = 0;
    for (int k = 0; k < near; ++k)
    {
        const frz_real square = found.dx[k] * found.dx[k] + found.dy[k] * found.dy[k] + found.dz[k] * found.dz[k];
        if (nearest < 0 || square < least)
        {
            nearest = walls->index[frz_lane_index(found.lane[k])];
            least = square;
        }
    }
    return nearest;
}

static frz_v4 sample_velocity(const friction *f, int sample, int wall, frz_v4 x)
{
    if (f->model->bodies[wall].kind != FRZ_BODY_RIGID)
        return f->velocity[f->state->particles.first[FRZ_ROLE_SAMPLE] + sample];
    const frz_vec3 v = frz_rigid_body_velocity_at(&f->state->bodies.rigid[wall], frz_v3_of(x));
    return frz_v4_of(v);
}

// Friction of i against the wall near it.
static void add_wall_friction(const friction *f, int i)
{
    const frz_pairs *pairs = &f->state->neighbors.pairs;
    const frz_pair_block *block = &pairs->blocks[i / FRZ_BLOCK];
    const frz_v4 *position = frz_field_v4(&f->state->particles, FRZ_FIELD_ID_position);
    const int sample = pairs->sample_count[i] > 0 && f->push[i] > 0 ? nearest_sample(f, i) : -1;
    if (sample < 0)
        return;
    frz_v4 gradient = pairs->gradient_sum[i];
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
        gradient -= frz_v4_xyz(frz_pair_load(&block->pair[k]));
    const double slope = sqrt((double)frz_v4_dot3(gradient, gradient));
    if (!(slope > smallest_gradient))
        return;
    const int wall = f->body[f->state->particles.first[FRZ_ROLE_SAMPLE] + sample];
    const double mass = mass_of(f, i), inertia = inertia_of(f, i);
    const frz_v4 wall_velocity = sample_velocity(f, sample, wall, position[i]);
    const frz_v4 slide = across(way_of(f, i) - wall_velocity, (frz_real)(1.0 / slope) * gradient);
    const double speed = sqrt((double)frz_v4_dot3(slide, slide));
    const double impulse =
        fmin(coefficient(f, f->body[i], wall) * f->volume * (double)f->push[i] * slope, inertia * speed);
    if (!(speed > 0.0))
        return;
    f->impulse[i] = (frz_real)(impulse / speed) * slide;
    f->impulse[i][3] = (frz_real)(wall + 1);
    if (f->kicks == NULL)
    {
        f->velocity[i] -= (frz_real)(impulse / (mass * speed)) * slide;
        return;
    }
    f->kicks->kick[i] -= (frz_real)(impulse / (mass * speed)) * slide;
    f->kicks->rub[i] -= (frz_real)(impulse / (mass * speed)) * slide;
    add_slip(f, i, impulse * speed * (1.0 - impulse / (inertia * speed)));
    f->kicks->warming[i] += 0.5 * impulse * speed;
    f->kicks->cooling[i] += 0.5 * impulse * speed;
    if (f->model->bodies[wall].kind != FRZ_BODY_RIGID)
    {
        f->kicks->rubbed[i] = (double)frz_v4_dot3(f->impulse[i], wall_velocity);
        add_slip(f, i, f->kicks->rubbed[i]);
    }
}

static void note_friction(frz_state *state, int wall, frz_vec3 x, frz_vec3 force)
{
    frz_body_load *load = &state->bodies.loads[wall];
    const frz_vec3 arm = frz_v3_sub(x, state->bodies.rigid[wall].position);
    load->friction_force = frz_v3_add(load->friction_force, force);
    load->friction_torque = frz_v3_add(load->friction_torque, frz_v3_cross(arm, force));
}

// Apply the reactions to rigid bodies, one particle after the other.
static void push_bodies(const friction *f, double dt)
{
    const frz_v4 *position = frz_field_v4(&f->state->particles, FRZ_FIELD_ID_position);
    for (int e = 0; e < f->state->solids.count; ++e)
    {
        const int i = f->state->solids.slot[e];
        const int wall = i >= 0 ? (int)f->impulse[i][3] - 1 : -1;
        if (wall < 0)
            continue;
        const frz_vec3 x = frz_v3_of(position[i]), j = frz_v3_of(f->impulse[i]);
        if (f->kicks == NULL)
            note_friction(f->state, wall, x, frz_v3_scale(1.0 / dt, j));
        if (f->model->bodies[wall].kind != FRZ_BODY_RIGID)
            continue;
        if (f->kicks != NULL)
        {
            const frz_vec3 arm = frz_v3_sub(x, f->state->bodies.rigid[wall].position);
            f->kicks->impulse[wall] = frz_v3_add(f->kicks->impulse[wall], j);
            f->kicks->moment[wall] = frz_v3_add(f->kicks->moment[wall], frz_v3_cross(arm, j));
            f->kicks->rub_impulse[wall] = frz_v3_add(f->kicks->rub_impulse[wall], j);
            f->kicks->rub_moment[wall] = frz_v3_add(f->kicks->rub_moment[wall], frz_v3_cross(arm, j));
            frz_kicks_join_body(f->kicks, i, wall);
        }
        else
            frz_rigid_body_push(&f->state->bodies.rigid[wall], x, j);
    }
}

static void apply(const friction *f, double dt)
{
    const frz_solids *solids = &f->state->solids;
    const int count = f->state->particles.count[FRZ_ROLE_FREE];
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
        measure_push(f, i, dt);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
        if (is_solid(f->state, i))
            count_touched(f, i);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
        if (is_solid(f->state, i))
            add_pair_friction(f, i);
#pragma omp parallel for schedule(dynamic, at_once) // few particles have contacts, and those are neighbours
    for (int e = 0; e < solids->count; ++e)
        if (solids->slot[e] >= 0)
        {
            const int i = solids->slot[e];
            frz_v4 *to = f->kicks != NULL ? f->kicks->kick : f->velocity;
            to[i] += f->change[i];
            if (f->kicks != NULL)
                f->kicks->rub[i] = f->change[i];
            f->impulse[i] = frz_v4_zero();
            if (is_soft(f, i) == (f->kicks != NULL))
                add_wall_friction(f, i);
        }
    push_bodies(f, dt);
}

static frz_status run(const frz_model *model, frz_state *state, frz_kicks *kicks, double dt, frz_diag *diag)
{
    const int count = state->particles.count[FRZ_ROLE_FREE];
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    bool *implicit = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, bool);
    const friction f = {.model = model,
                        .state = state,
                        .volume = model->cell,
                        .velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity),
                        .push = FRZ_SCRATCH(&state->scratch, count + 1, frz_real),
                        .touched = FRZ_SCRATCH(&state->scratch, count + 1, frz_real),
                        .change = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4),
                        .impulse = kicks != NULL ? kicks->wall_rub : FRZ_SCRATCH(&state->scratch, count + 1, frz_v4),
                        .body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body),
                        .implicit = implicit,
                        .kicks = kicks};
    if (f.push == NULL || f.touched == NULL || f.change == NULL || f.impulse == NULL || implicit == NULL)
        return frz_fail_memory(diag, "friction");
    memset(implicit, 0, (size_t)state->bodies.count * sizeof *implicit);
    for (const frz_response *r = state->attempt.responses; r != NULL; r = r->next)
        implicit[r->body] = true;
    apply(&f, dt);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

frz_status frz_solids_kick_friction(const frz_model *model, frz_state *state, frz_kicks *kicks, double dt,
                                    frz_diag *diag)
{
    return run(model, state, kicks, dt, diag);
}

void frz_solids_note_friction(const frz_model *model, frz_state *state, const frz_kicks *kicks, double dt)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    for (int e = 0; e < state->solids.count; ++e)
    {
        const int i = state->solids.slot[e];
        const int wall = i >= 0 ? (int)kicks->wall_rub[i][3] - 1 : -1;
        if (wall < 0)
            continue;
        const double scale = frz_kicks_scale(kicks, i);
        const frz_vec3 x = frz_v3_of(position[i]), force = frz_v3_scale(1.0 / dt, frz_v3_of(kicks->wall_rub[i]));
        note_friction(state, wall, x, frz_v3_scale(scale, force));
        if (model->bodies[wall].kind != FRZ_BODY_RIGID)
            continue;
        // the record of the liquid got the change of it
        frz_body_load *load = &state->bodies.loads[wall];
        const frz_vec3 arm = frz_v3_sub(x, state->bodies.rigid[wall].position);
        load->fluid_force = frz_v3_mad(load->fluid_force, 1.0 - scale, force);
        load->fluid_torque = frz_v3_mad(load->fluid_torque, 1.0 - scale, frz_v3_cross(arm, force));
    }
}

// Whether there are solid particles that are not of implicit bodies, or of these but parts of a rigid one.
static bool has_others(const frz_state *state)
{
    int bodies = 0;
    for (int b = 0; b < state->solids.body_count; ++b)
        bodies += frz_phase_is_solid(state->solids.body_phase[b]);
    for (const frz_response *r = state->attempt.responses; r != NULL; r = r->next)
        bodies -= 1;
    return bodies > 0 || state->attempt.drivers.with_body > 0;
}

frz_status frz_solids_apply_friction(const frz_model *model, frz_state *state, double dt, frz_diag *diag)
{
    return state->solids.present == 0 || !has_others(state) ? FRZ_OK : run(model, state, NULL, dt, diag);
}
