// SPDX-License-Identifier: MIT
// Coulomb friction of elastic bodies on walls, on each other and on themselves.
//
// The pressure solver has applied the normal forces; their sizes follow from the pressures. Two particles push at each
// other with the impulse (dt / s) s^d (P_i + P_j) |g_ij| along g_ij (pressure_system.h), a wall with (dt / s) s^d P_i
// |S| along S, the part of the gradient that comes from its samples. Friction reduces the tangential velocity by an
// impulse of at most mu times the normal impulse; a smaller impulse that stops the sliding suffices for sticking. At a
// wall a particle can stop completely, so that bodies at rest on a slope do not creep; between particles the impulse is
// divided among all pairs of a particle, so that none is stopped twice, and sweeps are repeated. Impulses of a pair are
// equal and opposite.
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
// sweeps over all pairs of a step, and the largest change of a velocity in the last one over that in the first
static const int most_sweeps = 12;
static const double converged = 0.01;
// errors of velocities in working precision, over the largest: sweeps cannot do better
static const double rounding = 8.0 * FRZ_REAL_EPSILON;
// and so are gradients of walls
static const double smallest_gradient = 1e-6;

// Within one step; arrays by free particle.
typedef struct friction
{
    const frz_model *model;
    frz_state *state;
    double volume; // of a particle at rest, m^d
    frz_v4 *velocity;
    frz_real *push;           // dt P / s, Pa s/m
    frz_real *touched;        // number of elastic particles that it pushes at
    frz_v4 *load;             // sum of push times gradient over these: along the normal of the surface there
    frz_v4 *change;           // of velocity, by other particles
    frz_v4 *impulse;          // of walls, kg m/s; last lane 1 + the body that the wall belongs to
    frz_v4 *free_way;         // the velocity that it slides with but for friction, m/s
    frz_v4 *way;              // the same with friction so far, m/s
    int64_t *first;           // first of its pairs in pair_impulse; -1: it touches nobody
    frz_v4 *pair_impulse;     // kg m/s on the particle itself, by pair
    frz_vec3 *force, *torque; // by body: friction on its particles so far, kg m/s and kg m^2/s
    int32_t *sample;          // of a wall nearest to it, where it is asked for; -1: none
    int32_t *rubbing;   // by body: number of places of it, particles or those beside its samples, that others push at
    const bool *stands; // by body: contacts lead to the ground
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

// A place as counted from the position of a body.
static frz_v4 arm_on_body(const friction *f, int b, frz_v4 x)
{
    const frz_v4 position = frz_v4_of(f->state->bodies.rigid[b].position);
    return frz_minimum_image(&f->state->neighbors.grid, frz_v4_xyz(x - position));
}

// Inertia of a place of a rigid body, its share of all that are pushed at, for impulses along a unit vector, kg. A body
// that stands does not yield: its ground holds it.
static double body_inertia(const friction *f, int b, frz_v4 x, frz_v4 along)
{
    const frz_rigid_body *body = &f->state->bodies.rigid[b];
    if (f->stands[b] || !frz_rigid_body_yields(body))
        return HUGE_VAL;
    const frz_vec3 t = frz_v3_of(along), moment = frz_v3_cross(frz_v3_of(arm_on_body(f, b, x)), t);
    const double give = frz_v3_dot(t, frz_rigid_body_yield(body, t)) +
                        frz_v3_dot(moment, frz_m3_apply(body->inverse_inertia_world, moment));
    return give > 0.0 ? 1.0 / (give * (f->rubbing[b] > 0 ? f->rubbing[b] : 1)) : HUGE_VAL;
}

static double reduced(double a, double b)
{
    return isinf(a) ? b : isinf(b) ? a : a * b / (a + b);
}

// The rigid body that a particle is a part of; -1: none.
static int carrier_of(const friction *f, int i)
{
    const frz_drivers *drivers = &f->state->attempt.drivers;
    const int driver = drivers->of_slot != NULL ? drivers->of_slot[i] - 1 : -1;
    return driver >= 0 ? drivers->driver[driver].body : -1;
}

// Estimated response of a particle to an impulse, relative to that of its mass alone.
static double give_of(const friction *f, int i)
{
    if (f->kicks == NULL || !is_soft(f, i))
        return 1.0;
    const frz_response *r = f->kicks->of_body[f->body[i]];
    return r->theta * f->kicks->give[r->body];
}

// Velocity of a place that moves with a rigid body, as far as is known.
static frz_v4 velocity_on_body(const friction *f, int b, frz_v4 x)
{
    const frz_rigid_body *body = &f->state->bodies.rigid[b];
    const frz_rigid_motion now = {body->velocity, body->spin};
    const frz_rigid_motion *motion = f->kicks != NULL ? &f->kicks->foreseen[b] : &now;
    return frz_v4_of(frz_v3_add(motion->velocity, frz_v3_cross(motion->spin, frz_v3_of(arm_on_body(f, b, x)))));
}

// The velocity that it slides with, as far as is known.
static frz_v4 way_of(const friction *f, int i)
{
    const int carrier = f->kicks != NULL ? carrier_of(f, i) : -1;
    if (carrier >= 0)
        return velocity_on_body(f, carrier, frz_field_v4(&f->state->particles, FRZ_FIELD_ID_position)[i]);
    if (f->kicks == NULL || frz_drivers_has(&f->state->attempt.drivers, i))
        return f->velocity[i];
    const frz_v4 way = is_soft(f, i) ? frz_kicks_forecast(f->kicks, f->state, i) : f->velocity[i];
    return way + (frz_real)give_of(f, i) * f->kicks->kick[i];
}

// For impulses along a unit vector.
static double inertia_of(const friction *f, int i, frz_v4 along)
{
    const int carrier = carrier_of(f, i);
    if (carrier >= 0)
        return body_inertia(f, carrier, frz_field_v4(&f->state->particles, FRZ_FIELD_ID_position)[i], along);
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

static void find_touched(const friction *f, int i)
{
    const frz_pairs *pairs = &f->state->neighbors.pairs;
    const frz_pair_block *block = &pairs->blocks[i / FRZ_BLOCK];
    frz_v4 load = frz_v4_zero();
    int count = 0;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)block->index[k];
        if (j == i || !is_asked(f, i, j) || !(f->push[i] + f->push[j] > 0))
            continue;
        load += (f->push[i] + f->push[j]) * frz_v4_xyz(frz_pair_load(&block->pair[k]));
        count += 1;
    }
    f->touched[i] = (frz_real)count;
    f->load[i] = load;
}

static void add_slip(const friction *f, int i, double work)
{
    f->kicks->given[i] += work;
    f->kicks->slips[i] += work;
}

// Normal of the surface between two particles, and how much friction they can bear, kg m/s; whether they rub. The
// normal is that of all pushes at both. The line between two particles is none: friction across oblique lines would
// bear a part of the weight, and take the load from the contacts that it needs.
static bool pair_of(const friction *f, int i, uint32_t k, frz_v4 *unit, double *cone)
{
    const frz_pairs *pairs = &f->state->neighbors.pairs;
    const frz_pair_block *block = &pairs->blocks[i / FRZ_BLOCK];
    const int j = (int)block->index[k];
    const frz_v4 g = frz_v4_xyz(frz_pair_load(&block->pair[k])), load = f->load[i] - f->load[j];
    const double slope = (double)frz_v4_dot3(g, load), size = sqrt((double)frz_v4_dot3(load, load));
    const double push = (double)(f->push[i] + f->push[j]);
    if (j == i || !is_asked(f, i, j) || !(push > 0.0) || !(slope > smallest_gradient * size))
        return false;
    *unit = (frz_real)(1.0 / size) * load;
    *cone = coefficient(f, f->body[i], f->body[j]) * f->volume * push * slope / size;
    return true;
}

static frz_v4 within_cone(frz_v4 p, double cone)
{
    const double length = sqrt((double)frz_v4_dot3(p, p));
    return length > cone ? (frz_real)(cone / length) * p : p;
}

// First guess of the impulses of the pairs of i, from the friction of its and their last step.
static void guess_pairs(const friction *f, int i)
{
    const frz_pairs *pairs = &f->state->neighbors.pairs;
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    const frz_v4 *last = f->kicks->last_rub;
    frz_v4 sum = frz_v4_zero(), unit;
    double cone;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)index[k];
        if (!pair_of(f, i, k, &unit, &cone))
            continue;
        const frz_v4 own = (frz_real)(0.5 * mass_of(f, i) / (double)f->touched[i]) * last[i],
                     other = (frz_real)(0.5 * mass_of(f, j) / (double)f->touched[j]) * last[j];
        const frz_v4 p = within_cone(across(own - other, unit), cone);
        f->pair_impulse[f->first[i] + (k - pairs->begin[i])] = p;
        sum += p;
    }
    f->change[i] = (frz_real)(1.0 / mass_of(f, i)) * sum;
}

// One step of projected Jacobi iterations on the pairs of i: their impulses and its change of velocity. All
// pairs of a particle share the work, so that none is stopped twice. Returns the change of its velocity in the sweep.
static double sweep_pairs(const friction *f, int i)
{
    const frz_pairs *pairs = &f->state->neighbors.pairs;
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    frz_v4 sum = frz_v4_zero(), unit;
    double cone;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)index[k];
        frz_v4 *p = &f->pair_impulse[f->first[i] + (k - pairs->begin[i])];
        if (!pair_of(f, i, k, &unit, &cone))
            continue;
        const frz_v4 slide = across(f->way[i] - f->way[j], unit);
        const double speed = sqrt((double)frz_v4_dot3(slide, slide));
        if (speed > 0.0)
        {
            const frz_v4 along = (frz_real)(1.0 / speed) * slide;
            const double share = fmax((double)f->touched[i], (double)f->touched[j]);
            *p -= (frz_real)(reduced(inertia_of(f, i, along), inertia_of(f, j, along)) / share) * slide;
            *p = within_cone(*p, cone);
        }
        sum += *p;
    }
    const frz_v4 change = (frz_real)(1.0 / mass_of(f, i)) * sum, step = change - f->change[i];
    f->change[i] = change;
    return sqrt((double)frz_v4_dot3(step, step));
}

// Velocities with the friction so far; rigid bodies move by all that their particles get.
static void follow_pairs(const friction *f, int count)
{
    const frz_v4 *position = frz_field_v4(&f->state->particles, FRZ_FIELD_ID_position);
    memset(f->force, 0, (size_t)f->state->bodies.count * sizeof *f->force);
    memset(f->torque, 0, (size_t)f->state->bodies.count * sizeof *f->torque);
    for (int i = 0; i < count; ++i)
    {
        const int b = f->first[i] >= 0 ? carrier_of(f, i) : -1;
        if (b < 0 || f->stands[b])
            continue;
        const frz_vec3 impulse = frz_v3_scale(mass_of(f, i), frz_v3_of(f->change[i]));
        f->force[b] = frz_v3_add(f->force[b], impulse);
        f->torque[b] = frz_v3_add(f->torque[b], frz_v3_cross(frz_v3_of(arm_on_body(f, b, position[i])), impulse));
    }
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
    {
        const int b = f->first[i] >= 0 ? carrier_of(f, i) : -1;
        if (f->first[i] < 0)
            continue;
        f->way[i] = f->free_way[i];
        if (b < 0)
            f->way[i] += (frz_real)give_of(f, i) * f->change[i];
        else if (!f->stands[b])
        {
            const frz_rigid_body *body = &f->state->bodies.rigid[b];
            const frz_vec3 turn = frz_m3_apply(body->inverse_inertia_world, f->torque[b]);
            f->way[i] += frz_v4_of(frz_v3_add(frz_rigid_body_yield(body, f->force[b]),
                                              frz_v3_cross(turn, frz_v3_of(arm_on_body(f, b, position[i])))));
        }
    }
}

// Work of a pair that still slides after friction, J.
static double slip_of(const friction *f, int i, uint32_t k, frz_v4 p)
{
    const frz_pairs *pairs = &f->state->neighbors.pairs;
    const int j = (int)pairs->blocks[i / FRZ_BLOCK].index[k];
    return -fmin((double)frz_v4_dot3(p, f->way[i] - f->way[j]), 0.0);
}

// Who still slides, and the heat that it makes, of which each particle of a pair gets half.
static void note_slips(const friction *f, int i)
{
    const frz_pairs *pairs = &f->state->neighbors.pairs;
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    double slips = 0.0, warming = 0.0;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)index[k];
        const frz_v4 p = f->pair_impulse[f->first[i] + (k - pairs->begin[i])];
        slips += (is_soft(f, j) ? 0.5 : 1.0) * slip_of(f, i, k, p);
        warming -= 0.5 * fmin((double)frz_v4_dot3(p, f->free_way[i] - f->free_way[j]), 0.0);
    }
    if (is_soft(f, i))
        add_slip(f, i, slips);
    f->kicks->warming[i] += warming;
}

// Room for the impulses of pairs; the first velocities.
static frz_status begin_pairs(friction *f, int count, frz_diag *diag)
{
    const frz_pairs *pairs = &f->state->neighbors.pairs;
    int64_t room = 0;
    for (int i = 0; i < count; ++i)
    {
        const bool touches = is_solid(f->state, i) && f->touched[i] > 0;
        f->first[i] = touches ? room : -1;
        room += touches ? pairs->end[i] - pairs->begin[i] : 0;
        f->change[i] = frz_v4_zero();
    }
    f->pair_impulse = FRZ_SCRATCH(&f->state->scratch, room + 1, frz_v4);
    if (f->pair_impulse == NULL)
        return frz_fail_memory(diag, "friction");
    memset(f->pair_impulse, 0, (size_t)room * sizeof *f->pair_impulse);
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
        if (f->first[i] >= 0)
            f->way[i] = f->free_way[i] = way_of(f, i);
    return FRZ_OK;
}

static frz_status rub_pairs(friction *f, int count, frz_diag *diag)
{
    FRZ_TRY(begin_pairs(f, count, diag));
    double first = 0.0;
    if (f->kicks != NULL && f->kicks->implicit)
    {
#pragma omp parallel for schedule(dynamic, at_once)
        for (int i = 0; i < count; ++i)
            if (f->first[i] >= 0)
                guess_pairs(f, i);
        follow_pairs(f, count);
    }
    for (int sweep = 0; sweep < most_sweeps; ++sweep)
    {
        double most = 0.0;
#pragma omp parallel for schedule(dynamic, at_once) reduction(max : most)
        for (int i = 0; i < count; ++i)
            if (f->first[i] >= 0)
                most = fmax(most, sweep_pairs(f, i));
        if (!(most > 0.0))
            break;
        follow_pairs(f, count);
        first = sweep == 0 ? most : first;
        if (most <= fmax(converged * first, rounding * f->state->stats.max_speed))
            break;
    }
#pragma omp parallel for schedule(dynamic, at_once)
    for (int i = 0; i < count; ++i)
        if (f->first[i] >= 0 && f->kicks != NULL)
            note_slips(f, i);
    return FRZ_OK;
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
    if (f->model->bodies[wall].kind == FRZ_BODY_RIGID)
        return velocity_on_body(f, wall, x);
    const frz_v4 *position = frz_field_v4(&f->state->particles, FRZ_FIELD_ID_position);
    const frz_v4 from = position[f->state->particles.first[FRZ_ROLE_SAMPLE] + sample];
    return frz_sample_velocity_at(f->state, (uint32_t)sample, frz_minimum_image(&f->state->neighbors.grid, x - from));
}

// Friction of i against the wall near it.
static void add_wall_friction(const friction *f, int i)
{
    const frz_pairs *pairs = &f->state->neighbors.pairs;
    const frz_pair_block *block = &pairs->blocks[i / FRZ_BLOCK];
    const frz_v4 *position = frz_field_v4(&f->state->particles, FRZ_FIELD_ID_position);
    const int sample = f->sample[i];
    if (sample < 0)
        return;
    frz_v4 gradient = pairs->gradient_sum[i];
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
        gradient -= frz_v4_xyz(frz_pair_load(&block->pair[k]));
    const double slope = sqrt((double)frz_v4_dot3(gradient, gradient));
    if (!(slope > smallest_gradient))
        return;
    const int wall = f->body[f->state->particles.first[FRZ_ROLE_SAMPLE] + sample];
    const double mass = mass_of(f, i);
    const frz_v4 wall_velocity = sample_velocity(f, sample, wall, position[i]);
    const frz_v4 slide = across(way_of(f, i) - wall_velocity, (frz_real)(1.0 / slope) * gradient);
    const double speed = sqrt((double)frz_v4_dot3(slide, slide));
    if (!(speed > 0.0))
        return;
    const frz_v4 along = (frz_real)(1.0 / speed) * slide;
    const bool rigid = f->model->bodies[wall].kind == FRZ_BODY_RIGID;
    const double inertia =
        reduced(inertia_of(f, i, along), rigid ? body_inertia(f, wall, position[i], along) : HUGE_VAL);
    const double impulse =
        fmin(coefficient(f, f->body[i], wall) * f->volume * (double)f->push[i] * slope, inertia * speed);
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

// Who touches rigid bodies, and where.
static void find_places(const friction *f, int count)
{
    const frz_pairs *pairs = &f->state->neighbors.pairs;
    const frz_solids *solids = &f->state->solids;
#pragma omp parallel for schedule(dynamic, at_once) // few touch, and those are neighbours
    for (int e = 0; e < solids->count; ++e)
    {
        const int i = solids->slot[e];
        if (i >= 0)
            f->sample[i] = pairs->sample_count[i] > 0 && f->push[i] > 0 && is_soft(f, i) == (f->kicks != NULL)
                               ? nearest_sample(f, i)
                               : -1;
    }
    for (int e = 0; e < solids->count; ++e)
        if (solids->slot[e] >= 0 && f->sample[solids->slot[e]] >= 0)
            f->rubbing[f->body[f->state->particles.first[FRZ_ROLE_SAMPLE] + f->sample[solids->slot[e]]]] += 1;
    for (int i = 0; i < count; ++i)
        if (is_solid(f->state, i) && f->touched[i] > 0 && carrier_of(f, i) >= 0)
            f->rubbing[carrier_of(f, i)] += 1;
}

static frz_status apply(friction *f, double dt, frz_diag *diag)
{
    const frz_solids *solids = &f->state->solids;
    const int count = f->state->particles.count[FRZ_ROLE_FREE];
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
        measure_push(f, i, dt);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
        if (is_solid(f->state, i))
            find_touched(f, i);
    find_places(f, count);
    FRZ_TRY(rub_pairs(f, count, diag));
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
    return FRZ_OK;
}

// Which rigid bodies stand on the ground, by contacts that push, one on top of the other.
static void find_standing(const frz_state *state, bool *stands)
{
    const frz_contact *list = NULL;
    const int count = state->contact.set != NULL ? frz_contacts_view(state->contact.set, &list) : 0;
    bool more = count > 0;
    memset(stands, 0, (size_t)state->bodies.count * sizeof *stands);
    while (more)
    {
        more = false;
        for (int n = 0; n < count; ++n)
        {
            const int a = list[n].key.toucher, b = list[n].key.touched;
            const bool ground_a = stands[a] || !frz_rigid_body_yields(&state->bodies.rigid[a]);
            const bool ground_b = stands[b] || !frz_rigid_body_yields(&state->bodies.rigid[b]);
            if (!(list[n].impulse.x > 0.0) || ground_a == ground_b)
                continue;
            stands[ground_a ? b : a] = more = true;
        }
    }
}

static frz_status run(const frz_model *model, frz_state *state, frz_kicks *kicks, double dt, frz_diag *diag)
{
    const int count = state->particles.count[FRZ_ROLE_FREE];
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    bool *implicit = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, bool);
    bool *stands = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, bool);
    friction f = {.model = model,
                  .state = state,
                  .volume = model->cell,
                  .velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity),
                  .push = FRZ_SCRATCH(&state->scratch, count + 1, frz_real),
                  .touched = FRZ_SCRATCH(&state->scratch, count + 1, frz_real),
                  .load = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4),
                  .change = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4),
                  .impulse = kicks != NULL ? kicks->wall_rub : FRZ_SCRATCH(&state->scratch, count + 1, frz_v4),
                  .free_way = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4),
                  .way = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4),
                  .first = FRZ_SCRATCH(&state->scratch, count + 1, int64_t),
                  .force = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, frz_vec3),
                  .torque = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, frz_vec3),
                  .sample = FRZ_SCRATCH(&state->scratch, count + 1, int32_t),
                  .rubbing = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, int32_t),
                  .stands = stands,
                  .body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body),
                  .implicit = implicit,
                  .kicks = kicks};
    if (f.push == NULL || f.touched == NULL || f.load == NULL || f.change == NULL || f.impulse == NULL ||
        implicit == NULL || f.free_way == NULL || f.way == NULL || f.first == NULL || f.force == NULL ||
        f.torque == NULL || f.sample == NULL || f.rubbing == NULL || stands == NULL)
        return frz_fail_memory(diag, "friction");
    memset(f.rubbing, 0, (size_t)state->bodies.count * sizeof *f.rubbing);
    find_standing(state, stands);
    memset(implicit, 0, (size_t)state->bodies.count * sizeof *implicit);
    for (const frz_response *r = state->attempt.responses; r != NULL; r = r->next)
        implicit[r->body] = true;
    FRZ_TRY(apply(&f, dt, diag));
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
