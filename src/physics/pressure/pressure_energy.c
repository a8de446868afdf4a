// SPDX-License-Identifier: MIT
// Limit of the kinetic energy that corrections of the density add.
//
// The projection that removes the divergence of a velocity never adds energy. The correction of the density may: it
// pushes particles apart that are already too close, by a velocity that remains. Where a step brought particles closer
// than its linear solve predicted (water that falls flat: rows pair up without a pressure), the correction returns more
// energy than the impact had. An error of position belongs into positions (as the split impulses of rigid bodies). But
// water at rest, whose velocities need a small part of the correction, would then take four times the iterations.
//
// So: with w the velocity of a correction and E the energy that pressure has dissipated in this step, f w stays in the
// velocity, f the largest number up to 1 with
//
//     sum m (f v . w + f^2 w . w / 2) <= E + sum m (tolerance s / dt)^2 / 2 + tolerance K
//
// E is not the loss of kinetic energy in the divergence solve. Gravity kicks water at rest by g dt, and the solve takes
// all of it again: energy that was lent for the solve and dissipated by nobody. If the correction may spend it, water
// at rest gains energy. With velocities v0 at the start of the step, v1 with the kick of all forces and v2 after the
// solve, forces do the work m (v1 - v0) . v2 in the step, so that pressure dissipates
//
//     E = sum m (v0^2 - v2^2) / 2 + m (v1 - v0) . v2 = sum m (v1^2 - v2^2) / 2 - m (v1 - v0) . ((v0 + v1) / 2 - v2)
//
// and the last sum is the energy that was lent. The correction also lifts the liquid, whether it moves positions or
// stays in the velocity: its work against the forces of the step, - sum m a . w dt, is taken from E.
//
// (the second term is motion below the tolerance, the last one its fraction of the kinetic energy) and (1 - f) w dt
// moves positions, of liquids and of the rigid bodies that move with them. Multipliers that move positions stay below
// the bound from which on particles oscillate (frz_pressure_steady).
//
// Forces are -D^T P, so that any factors of the multipliers leave them equal and opposite. f is one number for all
// liquids. Multipliers of elastic particles keep theirs: they are contacts, whose errors the response of the bodies
// corrects (pressure_response.c), and moving the positions of elastic particles would strain their bodies. In a weak
// coupling no positions are moved, for bodies do not follow the solution; nor beside bodies of almost no mass, which
// rounding errors of cancelling forces would move.
#include "physics/pressure/pressure_iterate.h"

// least mass of a body that can be moved with the liquid, over that of the liquid beside it
static const double least_mass = 0.01;

static double mass_of(const frz_pressure_system *p, int i)
{
    return p->mass_unit / (p->mobility != NULL ? (double)p->mobility[i] : 1.0);
}

// Work on bodies that move with the liquid, added.
static void add_bodies(const frz_pressure_system *p, double dt, frz_pressure_work *work)
{
    if (p->links == NULL || !p->strong)
        return;
    const double impulse = p->mass_unit * p->spacing / dt; // of a force of 1, as in frz_pressure_bodies_apply
    for (int b = 0; b < p->body_count; ++b)
    {
        const frz_body_motion *m = &p->motion[b];
        const frz_rigid_body *body = &p->state->bodies.rigid[b];
        const frz_rigid_motion *kick = &p->state->contact.change[b];
        work->along += impulse * (frz_v3_dot(m->force, frz_v3_add(body->velocity, kick->velocity)) +
                                  p->spacing * frz_v3_dot(m->torque, frz_v3_add(body->spin, kick->spin)));
        work->square +=
            0.5 * impulse * p->spacing / dt * (frz_v3_dot(m->force, m->shift) + frz_v3_dot(m->torque, m->turn));
    }
}

// Velocity of walls along their gradients at particle i, m/s, without that of bodies that the work is added of.
static double wall_flow(const frz_pressure_system *p, int i)
{
    double flow = (double)p->pairs->sample_flow[i];
    for (int n = p->links != NULL ? p->links->begin[i] : 0; p->links != NULL && n < p->links->begin[i + 1]; ++n)
    {
        const frz_body_link *link = &p->links->link[n];
        const frz_rigid_body *before = &p->state->bodies.before[link->body];
        const frz_vec3 arm = frz_v3_scale(p->spacing, frz_v3_of(link->arm));
        flow -= frz_v3_dot(frz_v3_of(link->gradient), frz_v3_add(before->velocity, frz_v3_cross(before->spin, arm)));
    }
    return flow;
}

// The work of a moving wall, or of an inlet, on the liquid by the multipliers is no gain of energy: it comes from the
// wall's drive. In the unit of the products of mass, velocity and displacement.
static double work_from_outside(const frz_pressure_system *p, const frz_real *kappa, const frz_v4 *velocity, int i)
{
    const bool held = frz_drivers_has(p->drivers, i) && p->drivers->driver[p->drivers->of_slot[i] - 1].body < 0;
    double work = 0.0;
    if (p->pairs->sample_flow[i] != 0)
        work -= (double)(kappa[i] + frz_pair_mirrored(p->pairs, kappa, i / FRZ_BLOCK, i)) * wall_flow(p, i);
    if (held)
        work += (double)frz_v4_dot3(velocity[i], frz_pressure_push(p, kappa, i / FRZ_BLOCK, i));
    return work * p->mass_unit;
}

// Whether anything that is moved from outside is beside the liquid.
static bool is_moved(const frz_pressure_system *p)
{
    return p->state->any_motion || p->drivers->count > p->drivers->with_body;
}

void frz_pressure_note_work(const frz_pressure_system *p, const frz_real *taken, double dt)
{
    const frz_v4 *velocity = frz_field_v4(&p->state->particles, FRZ_FIELD_ID_velocity);
    const int blocks = frz_block_count(p->pairs->count);
    if (!is_moved(p) || frz_pressure_is_idle(p))
        return;
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int b = 0; b < blocks; ++b)
    {
        p->block_sums[b].ss = 0.0;
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, p->pairs->count); ++i)
            if (p->kicks == NULL || !frz_kicks_is_soft(p->kicks, i)) // theirs follow from the response of their bodies
                p->block_sums[b].ss += work_from_outside(p, taken, velocity, i);
    }
    p->state->stats.work += p->spacing / dt * frz_exact_sum(&p->block_sums->ss, sizeof *p->block_sums, blocks);
}

double frz_pressure_wall_flow(const frz_pressure_system *system, int i)
{
    return wall_flow(system, i);
}

typedef double lanes __attribute__((vector_size(4 * sizeof(double))));

static double sum3(lanes a)
{
    return a[0] + a[1] + a[2];
}

// Work on the particles of a block.
static frz_pressure_work work_of_block(const frz_pressure_system *p, const frz_real *kappa, const frz_v4 *velocity,
                                       bool moved, int b)
{
    lanes along = {0.0}, square = {0.0}, kinetic = {0.0};
    double mass = 0.0, outside = 0.0;
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, p->pairs->count); ++i)
    {
        const lanes u = __builtin_convertvector(p->displacement[i], lanes);
        const lanes v = __builtin_convertvector(velocity[i], lanes);
        const double own = frz_drivers_has(p->drivers, i) ? 0.0 : mass_of(p, i); // drivers' are the bodies'
        along += own * v * u;
        square += own * u * u;
        kinetic += own * v * v;
        mass += own;
        if (moved)
            outside += work_from_outside(p, kappa, velocity, i);
    }
    return (frz_pressure_work){sum3(along) - outside, 0.5 * sum3(square), mass, 0.5 * sum3(kinetic)};
}

frz_pressure_work frz_pressure_work_of(const frz_pressure_system *p, const frz_real *kappa, double dt)
{
    const frz_v4 *velocity = frz_field_v4(&p->state->particles, FRZ_FIELD_ID_velocity);
    const int blocks = frz_block_count(p->pairs->count);
    const double speed = p->spacing / dt;
    const bool moved = is_moved(p);
    if (frz_pressure_is_idle(p))
        return (frz_pressure_work){0};
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int b = 0; b < blocks; ++b)
        p->block_work[b] = work_of_block(p, kappa, velocity, moved, b);
    const frz_pressure_work *sums = p->block_work;
    frz_pressure_work work = {.along = speed * frz_exact_sum(&sums->along, sizeof *sums, blocks),
                              .square = speed * speed * frz_exact_sum(&sums->square, sizeof *sums, blocks),
                              .mass = frz_exact_sum(&sums->mass, sizeof *sums, blocks),
                              .kinetic = frz_exact_sum(&sums->kinetic, sizeof *sums, blocks)};
    add_bodies(p, dt, &work);
    return work;
}

// Whether the motion of particle i is its own: not that of a driver, nor the answer of an implicit elastic body.
static bool answers_alone(const frz_pressure_system *p, int i)
{
    return !frz_drivers_has(p->drivers, i) && (p->kicks == NULL || !frz_kicks_is_soft(p->kicks, i));
}

// The part of frz_pressure_lent that bodies have which move with the liquid.
static double lent_to_bodies(const frz_pressure_system *p, double dt)
{
    double lent = 0.0;
    for (int b = 0; p->links != NULL && p->strong && b < p->body_count; ++b)
    {
        const frz_vec3 before = p->state->bodies.before[b].velocity;
        const frz_vec3 now = frz_v3_add(p->state->bodies.rigid[b].velocity, p->state->contact.change[b].velocity);
        const frz_vec3 after = frz_v3_mad(now, p->spacing / dt, p->motion[b].shift);
        const frz_vec3 mean = frz_v3_scale(0.5, frz_v3_add(now, before));
        lent += p->bodies[b].mass * frz_v3_dot(frz_v3_sub(now, before), frz_v3_sub(mean, after));
    }
    return lent;
}

double frz_pressure_lent(const frz_pressure_system *p, double dt)
{
    const frz_v4 *velocity = frz_field_v4(&p->state->particles, FRZ_FIELD_ID_velocity);
    const frz_v4 *before = p->drivers->before;
    const int blocks = frz_block_count(p->pairs->count);
    const frz_real speed = (frz_real)(p->spacing / dt);
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int b = 0; b < blocks; ++b)
    {
        lanes sum = {0.0};
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, p->pairs->count); ++i)
        {
            const frz_v4 kick = velocity[i] - before[i];
            const frz_v4 short_of = (frz_real)-0.5 * kick - speed * p->displacement[i];
            if (answers_alone(p, i))
                sum += mass_of(p, i) * __builtin_convertvector(kick, lanes) * __builtin_convertvector(short_of, lanes);
        }
        p->block_sums[b].ss = sum3(sum);
    }
    return frz_exact_sum(&p->block_sums->ss, sizeof *p->block_sums, blocks) + lent_to_bodies(p, dt);
}

double frz_pressure_lift(const frz_model *model, const frz_pressure_system *p)
{
    const frz_v4 *acceleration = frz_field_v4(&p->state->particles, FRZ_FIELD_ID_acceleration);
    const int blocks = frz_block_count(p->pairs->count);
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int b = 0; b < blocks; ++b)
    {
        lanes sum = {0.0};
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, p->pairs->count); ++i)
            if (answers_alone(p, i))
                sum -= mass_of(p, i) * __builtin_convertvector(acceleration[i], lanes) *
                       __builtin_convertvector(p->displacement[i], lanes);
        p->block_sums[b].ss = sum3(sum);
    }
    double lift = frz_exact_sum(&p->block_sums->ss, sizeof *p->block_sums, blocks);
    for (int b = 0; p->links != NULL && p->strong && b < p->body_count; ++b)
        lift -= p->bodies[b].mass *
                frz_v3_dot(frz_v3(model->gravity[0], model->gravity[1], model->gravity[2]), p->motion[b].shift);
    return p->spacing * lift;
}

double frz_pressure_unseen(const frz_pressure_system *system, const frz_pressure_work *work, double tolerance,
                           double dt)
{
    const double speed = tolerance * system->spacing / dt;
    return 0.5 * work->mass * speed * speed + tolerance * work->kinetic;
}

// Displacements of the multipliers that were taken: of liquids times a factor, of elastic particles times another.
static void displace_parts(const frz_pressure_system *p, frz_real liquid, frz_real elastic)
{
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int i = 0; i < p->pairs->count; ++i)
        p->kappa[i] = (frz_pressure_may_move(p, i) ? liquid : elastic) * p->kappa_before[i];
    frz_pressure_displace(p);
}

// f of the first comment, for work of the whole correction.
static double velocity_share(const frz_pressure_system *p, frz_pressure_work work, double allowed, double dt)
{
    if (p->solid != NULL)
    {
        // along f + square f^2, with the part of the square that liquids and elastic particles have in common
        const double both = work.square;
        displace_parts(p, 0, 1);
        const double elastic = frz_pressure_work_of(p, p->kappa, dt).square;
        displace_parts(p, 1, 0);
        work = frz_pressure_work_of(p, p->kappa, dt);
        work.along += both - elastic - work.square;
    }
    if (!(work.along + work.square > allowed))
        return 1.0;
    const double root = sqrt(work.along * work.along + 4.0 * work.square * allowed);
    return (root - work.along) / (2.0 * work.square);
}

// The same fraction of all multipliers moves positions: displacements are linear in them, so that no sweep over the
// pairs is needed. False if one is: displacements are not those of the multipliers alone, or these are limited.
static bool split_evenly(const frz_model *model, const frz_pressure_system *p, frz_real all)
{
    frz_v4 *position = frz_field_v4(&p->state->particles, FRZ_FIELD_ID_position);
    const frz_real most = (frz_real)frz_pressure_steady(model) / all, spacing = (frz_real)p->spacing;
    if (p->solid != NULL || p->links != NULL || p->drivers->count > 0 || p->state->attempt.points.is_one != NULL)
        return false;
    int limited = 0;
#pragma omp parallel for schedule(static) reduction(+ : limited) if (p->pairs->count >= frz_parallel_least)
    for (int i = 0; i < p->pairs->count; ++i)
        limited += !(p->kappa_before[i] < most);
    if (limited > 0)
        return false;
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int i = 0; i < p->pairs->count; ++i)
    {
        position[i] += frz_v4_xyz(spacing * all * p->displacement[i]);
        p->displacement[i] *= 1 - all;
        p->kappa_before[i] *= 1 - all;
    }
    return true;
}

// Remove the fraction of each multiplier that moves positions (the same for all, if share is null) from the solution.
static void split(const frz_model *model, const frz_pressure_system *p, const frz_real *share, frz_real all)
{
    frz_real *taken = p->kappa_before;
    if (share == NULL && split_evenly(model, p, all))
        return;
    frz_pressure_move_places(model, p, taken, share, all);
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int i = 0; i < p->pairs->count; ++i)
        taken[i] *= frz_pressure_may_move(p, i) ? 1 - (share != NULL ? share[i] : all) : 1;
    displace_parts(p, 1, 1);
}

// Whether bodies that yield can be moved with the liquid.
static bool bodies_follow(const frz_pressure_system *p)
{
    bool follow = p->links == NULL || p->strong;
    for (int b = 0; p->links != NULL && b < p->body_count; ++b)
    {
        const double beside = p->mass_unit * p->links->entry_count[b];
        follow = follow && (p->bodies[b].mass <= 0.0 || p->bodies[b].mass > least_mass * beside);
    }
    return follow;
}

static void copy(const frz_pressure_system *p, const frz_real *from, frz_real *to)
{
#pragma omp parallel for schedule(static) if (p->pairs->count >= frz_parallel_least)
    for (int i = 0; i < p->pairs->count; ++i)
        to[i] = from[i];
}

void frz_pressure_apply_correction(const frz_model *model, const frz_pressure_system *system, double taken_energy,
                                   double tolerance, double dt, bool add)
{
    frz_pressure_system places = *system;
    places.drift = NULL;
    const bool viscous = system->in_places != NULL;
    if (viscous)
    {
        copy(system, system->kappa, system->residual); // kept for the next step; the residual is not needed any more
        split(model, &places, system->in_places, 0);
    }
    const frz_pressure_work work = frz_pressure_work_of(system, system->kappa_before, dt);
    const double allowed = fmax(taken_energy, 0.0) + frz_pressure_unseen(system, &work, tolerance, dt);
    const bool too_much = work.along + work.square > allowed && bodies_follow(system);
    if (too_much)
    {
        if (!viscous)
            copy(system, system->kappa, system->residual);
        const frz_real part = (frz_real)velocity_share(&places, work, allowed, dt);
        if (part < 1)
            split(model, &places, NULL, 1 - part);
        else
            displace_parts(&places, 1, 1);
    }
    if (viscous || too_much)
        copy(system, system->residual, system->kappa);
    frz_pressure_apply(system->state, system, system->kappa_before, dt, add);
}
