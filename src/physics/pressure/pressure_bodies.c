// SPDX-License-Identifier: MIT
// Rigid bodies in the pressure system: the motion of bodies by the multipliers, and the change of compression by it.
//
// With the links of sim/body_links, a body's part of the problem is, in the units of pressure_system,
//
//     F_B = sum kappa_i G_iB,   T_B = sum kappa_i a_iB x G_iB       a = (x_i - x_B) / s
//     shift_B = (rho_ref s^d / m_B) F_B,   turn_B = rho_ref s^(d+2) I_B^-1 T_B
//     D(u)_i -= sum_B G_iB . (shift_B + turn_B x a_iB)
//
// A particle that a body drives (sim/drivers.h) is a part of it: the push at it adds to F and T of the body, and its
// displacement is the body's there, shift + turn x arm.
//
// That is D M^-1 D^T again: the matrix stays symmetric and the problem the same bound-constrained one. Sums over a body
// go over the pieces of its links, one for each block of particles, which are added exactly.
//
// Joints between bodies make M^-1 the inverse mass of the mechanisms, M^-1 - M^-1 G^T (G M^-1 G^T)^-1 G M^-1
// (rigid/joints.h): symmetric and semidefinite too, so that liquid and joints are one problem.
#include <math.h>
#include <string.h>

#include "physics/pressure/pressure_system.h"
#include "sim/coupling.h"

// Multipliers are in single precision, and the acceleration of a body is the difference of pushes from all sides over
// its mass. Below a thousandth of the mass of the liquid beside it, a body's own mass changes its acceleration by no
// more than a thousandth, but rounding errors move it violently.
static const double least_mass = 1e-3;

void frz_pressure_bodies_weigh(const frz_pressure_system *system, double least)
{
    if (system->links == NULL)
        return;
    for (int b = 0; b < system->body_count; ++b)
    {
        const double beside = least * system->mass_unit * system->links->entry_count[b];
        const bool alone = system->joints == NULL && system->strong && system->bodies[b].mass > 0.0;
        system->share[b] = alone && beside > system->bodies[b].mass ? system->bodies[b].mass / beside : 1.0;
    }
}

frz_status frz_pressure_bodies_make(const frz_model *model, frz_state *state, frz_pressure_system *system,
                                    frz_diag *diag)
{
    const frz_body_links *links = &state->links;
    system->bodies = state->bodies.rigid;
    if (links->count == 0 && (state->attempt.drivers.with_body == 0 || links->begin == NULL))
        return FRZ_OK;
    system->links = links;
    system->strong = frz_coupling_is_strong(model);
    system->interleaved = frz_coupling_is_interleaved(model) && frz_contact_can_sweep(state);
    const double gravity = frz_v3_length(frz_v3(model->gravity[0], model->gravity[1], model->gravity[2]));
    system->weight = system->strong ? gravity * state->attempt.dt * state->attempt.dt / model->spacing : 0.0;
    system->body_count = state->bodies.count;
    system->change_before = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, frz_rigid_motion);
    system->change_foreseen = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, frz_rigid_motion);
    system->inertia_unit = system->mass_unit * model->spacing * model->spacing;
    system->motion = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, frz_body_motion);
    system->step_motion = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, frz_body_motion);
    system->piece_motion = FRZ_SCRATCH(&state->scratch, links->piece_count + 1, frz_body_motion);
    system->joints = state->contact.set != NULL ? frz_contacts_joints(state->contact.set) : NULL;
    system->joined = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, frz_rigid_motion);
    system->share = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, double);
    system->flow_field = FRZ_SCRATCH(&state->scratch, frz_particles_rows(&state->particles) + 1, frz_v4);
    if (system->share == NULL || system->flow_field == NULL || system->change_before == NULL ||
        system->change_foreseen == NULL || system->joined == NULL || system->motion == NULL ||
        system->step_motion == NULL || system->piece_motion == NULL)
        return frz_fail_memory(diag, "the coupling of bodies");
    memset(system->motion, 0, (size_t)state->bodies.count * sizeof *system->motion);
    memcpy(system->change_foreseen, state->contact.change,
           (size_t)state->bodies.count * sizeof *system->change_foreseen);
    frz_pressure_bodies_weigh(system, least_mass);
    return FRZ_OK;
}

static void sum_piece(const frz_pressure_system *system, const frz_real *kappa, const frz_link_piece *piece,
                      frz_body_motion *out)
{
    const frz_body_links *links = system->links;
    frz_vec3 force = frz_v3(0.0, 0.0, 0.0), torque = force;
    for (int k = piece->begin; k < piece->end; ++k)
    {
        const int n = links->order[k];
        const frz_body_link *link = &links->link[n];
        const int i = link->source;
        const double value =
            (double)(n < links->particle_links ? kappa[i] + frz_pair_mirrored(system->pairs, kappa, i / FRZ_BLOCK, i)
                                               : system->sample_kappa[i]);
        const frz_vec3 push = frz_v3_scale(value, frz_v3_of(link->gradient));
        force = frz_v3_add(force, push);
        torque = frz_v3_add(torque, frz_v3_cross(frz_v3_of(link->arm), push));
    }
    out->force = force;
    out->torque = torque;
}

/// Motion of bodies by their forces without joints.
static void move_alone(const frz_pressure_system *system, frz_body_motion *motion)
{
    for (int b = 0; b < system->body_count; ++b)
    {
        const frz_rigid_body *body = &system->bodies[b];
        const double mass_unit = system->share[b] * system->mass_unit,
                     inertia_unit = system->share[b] * system->inertia_unit;
        motion[b].shift = frz_v3_scale(mass_unit, frz_rigid_body_yield(body, motion[b].force));
        motion[b].turn = frz_v3_scale(inertia_unit, frz_m3_apply(body->inverse_inertia_world, motion[b].torque));
    }
}

/// Motions in m and rad (times scale).
static void set_joined(const frz_pressure_system *system, const frz_body_motion *motion, double scale)
{
    for (int b = 0; b < system->body_count; ++b)
        system->joined[b] = (frz_rigid_motion){frz_v3_scale(scale * system->spacing, motion[b].shift),
                                               frz_v3_scale(scale, motion[b].turn)};
}

// Push of the multipliers on bodies through their particles, block by block.
static void sum_driven(const frz_pressure_system *system, const frz_real *kappa, frz_body_motion *motion)
{
    const frz_drivers *drivers = system->drivers;
    const int blocks = drivers->with_body > 0 ? frz_block_count(system->pairs->count) : 0;
#pragma omp parallel for schedule(dynamic, 1) if (drivers->with_body >= frz_parallel_some)
    for (int b = 0; b < blocks; ++b)
    {
        frz_drivers_clear_block(drivers, b);
        for (int n = drivers->block_begin[b]; n < drivers->block_begin[b + 1]; ++n)
        {
            const frz_driven *d = &drivers->list[n];
            if (d->body >= 0)
                frz_driven_piece_add(&drivers->piece[d->piece], d,
                                     frz_v3_of(frz_pressure_push(system, kappa, b, d->slot)));
        }
    }
    for (int d = 0; d < drivers->driver_count && blocks > 0; ++d)
    {
        frz_vec3 force, torque;
        const int body = drivers->driver[d].body;
        if (body < 0 || frz_drivers_sum(drivers, d, &force, &torque) == 0)
            continue;
        motion[body].force = frz_v3_sub(motion[body].force, force);
        motion[body].torque = frz_v3_mad(motion[body].torque, -1.0 / system->spacing, torque);
    }
}

// Displacement of a particle of a body when the body moves, spacings.
static frz_v4 driven_way(const frz_pressure_system *system, const frz_driven *d, const frz_body_motion *motion)
{
    const frz_body_motion *m = &motion[d->body];
    const frz_vec3 way = frz_v3_mad(m->shift, 1.0 / system->spacing, frz_v3_cross(m->turn, d->arm));
    return frz_v4_of(way);
}

void frz_pressure_bodies_carry(const frz_pressure_system *system, const frz_real *kappa, const frz_body_motion *motion,
                               frz_v4 *displacement)
{
    const frz_drivers *drivers = system->drivers;
#pragma omp parallel for schedule(static) if (drivers->with_body >= frz_parallel_least)
    for (int n = 0; n < drivers->count; ++n)
    {
        const frz_driven *d = &drivers->list[n];
        if (d->body < 0)
            continue;
        if (system->strong)
            displacement[d->slot] = driven_way(system, d, motion);
        else if (frz_rigid_body_yields(&system->bodies[d->body]))
        {
            const frz_real mobility = system->mobility != NULL ? system->mobility[d->slot] : 1;
            displacement[d->slot] =
                frz_v4_xyz(-mobility * frz_pressure_push(system, kappa, d->slot / FRZ_BLOCK, d->slot));
        }
    }
}

void frz_pressure_bodies_displace(const frz_pressure_system *system, const frz_real *kappa, frz_body_motion *motion)
{
    const frz_body_links *links = system->links;
    memset(motion, 0, (size_t)system->body_count * sizeof *motion);
#pragma omp parallel for schedule(static)
    for (int p = 0; p < links->piece_count; ++p)
        sum_piece(system, kappa, &links->piece[p], &system->piece_motion[p]);
    const frz_body_motion *piece = system->piece_motion;
    for (int b = 0; b < system->body_count; ++b)
    {
        motion[b].force = frz_body_links_sum3(links, b, &piece->force, sizeof *piece);
        motion[b].torque = frz_body_links_sum3(links, b, &piece->torque, sizeof *piece);
    }
    if (system->strong)
        sum_driven(system, kappa, motion);
    move_alone(system, motion);
    if (system->joints == NULL)
        return;
    set_joined(system, motion, 1.0);
    frz_joints_project(system->joints, system->joined, true);
    for (int b = 0; b < system->body_count; ++b)
    {
        motion[b].shift = frz_v3_scale(1.0 / system->spacing, system->joined[b].velocity);
        motion[b].turn = system->joined[b].spin;
    }
}

// For one link b_i, the entries of b b^T are bounded by a diagonal matrix: (sum b_i x_i)^2 <= n sum b_i^2 x_i^2 over
// the n links of the body. (Gissler et al. 2019 relax by the number of contacts of a body for the same reason.)
frz_real frz_pressure_bodies_diagonal(const frz_pressure_system *system, int i, bool crowd)
{
    if (system->links == NULL || !system->strong)
        return 0;
    double sum = 0.0;
    for (int n = system->links->begin[i]; n < system->links->begin[i + 1]; ++n)
    {
        const frz_body_link *link = &system->links->link[n];
        const frz_rigid_body *body = &system->bodies[link->body];
        const frz_vec3 g = frz_v3_of(link->gradient), moment = frz_v3_cross(frz_v3_of(link->arm), g);
        const double own = system->mass_unit * frz_v3_dot(g, frz_rigid_body_yield(body, g)) +
                           system->inertia_unit * frz_v3_dot(moment, frz_m3_apply(body->inverse_inertia_world, moment));
        sum += system->share[link->body] * (crowd ? own * system->links->entry_count[link->body] : own);
    }
    return (frz_real)sum;
}

// Add the change of compression by a motion of bodies to the source; driven: include the particles that bodies drive,
// and update the residual too.
static void take_flow(const frz_pressure_system *system, const frz_body_motion *motion, bool driven)
{
    const frz_pairs *pairs = system->pairs;
    const frz_drivers *drivers = system->drivers;
    frz_v4 *field = system->flow_field;
    memset(field, 0, (size_t)pairs->count * sizeof *field);
    for (int n = 0; driven && n < drivers->count; ++n)
        if (drivers->list[n].body >= 0)
            field[drivers->list[n].slot] = driven_way(system, &drivers->list[n], motion);
    frz_pressure_note_mirrors(system, motion, 0, field);
#pragma omp parallel for schedule(static) if (pairs->count >= frz_parallel_least)
    for (int i = 0; i < pairs->count; ++i)
    {
        const frz_real flow =
            frz_pressure_link_flow(system, motion, i) - frz_pressure_divergence(system, field, i / FRZ_BLOCK, i);
        system->source[i] -= flow;
        if (driven)
            system->residual[i] -= flow;
    }
}

// Velocities of driven particles have the change by contacts that was foreseen before the pressure. Since then contacts
// may have answered a solve, which is repeated now.
void frz_pressure_bodies_follow_contacts(const frz_pressure_system *system, frz_v4 *velocity)
{
    const frz_drivers *drivers = system->drivers;
    for (int n = 0; system->links != NULL && system->strong && n < drivers->count; ++n)
    {
        const frz_driven *d = &drivers->list[n];
        if (d->body < 0)
            continue;
        const frz_rigid_motion *now = &system->state->contact.change[d->body],
                               *then = &system->change_foreseen[d->body];
        const frz_vec3 turn = frz_v3_cross(frz_v3_sub(now->spin, then->spin), d->arm);
        velocity[d->slot] += frz_v4_of(frz_v3_add(frz_v3_sub(now->velocity, then->velocity), turn));
    }
}

// Bodies have the velocity that all forces but the liquid's give them (v_r* of Gissler et al. 2019). In a weak coupling
// the liquid takes no other velocity of them, and contacts come after the liquid (Algorithm 1, lines 5 and 9).
void frz_pressure_bodies_predict(const frz_state *state, const frz_pressure_system *system, double dt)
{
    if (system->links == NULL)
        return;
    const frz_rigid_motion none = {.velocity = {0.0, 0.0, 0.0}, .spin = {0.0, 0.0, 0.0}};
    for (int b = 0; b < system->body_count; ++b)
    {
        const frz_rigid_body *now = &state->bodies.rigid[b], *before = &state->bodies.before[b];
        const frz_rigid_motion *kick = system->strong ? &state->contact.change[b] : &none;
        system->motion[b].shift =
            frz_v3_scale(dt / system->spacing, frz_v3_sub(frz_v3_add(now->velocity, kick->velocity), before->velocity));
        system->motion[b].turn = frz_v3_scale(dt, frz_v3_sub(frz_v3_add(now->spin, kick->spin), before->spin));
    }
    take_flow(system, system->motion, false);
}

// Answer of contacts to bodies moved by the liquid: as a whole, or (error is not null) one iteration of theirs, and
// its residual over the tolerance.
static frz_status ask_contacts(const frz_pressure_system *system, double *error, frz_diag *diag)
{
    frz_state *state = system->state;
    const double dt = state->attempt.dt;
    memcpy(system->change_before, state->contact.change, (size_t)system->body_count * sizeof *system->change_before);
    memcpy(state->contact.scratch, state->bodies.rigid, (size_t)system->body_count * sizeof *state->contact.scratch);
    for (int b = 0; b < system->body_count; ++b)
    {
        frz_rigid_body *body = &state->contact.scratch[b];
        body->velocity = frz_v3_mad(body->velocity, system->spacing / dt, system->motion[b].shift);
        body->spin = frz_v3_mad(body->spin, 1.0 / dt, system->motion[b].turn);
    }
    FRZ_TRY(error != NULL ? frz_contact_sweep(state, state->contact.scratch, error, diag)
                          : frz_contact_answer(state, state->contact.scratch, true, diag));
    for (int b = 0; b < system->body_count; ++b)
    {
        const frz_rigid_motion *now = &state->contact.change[b], *before = &system->change_before[b];
        frz_body_motion *m = &system->step_motion[b];
        m->shift = frz_v3_scale(dt / system->spacing, frz_v3_sub(now->velocity, before->velocity));
        m->turn = frz_v3_scale(dt, frz_v3_sub(now->spin, before->spin));
    }
    take_flow(system, system->step_motion, true);
    return FRZ_OK;
}

// Block Gauss-Seidel on one problem: contacts take the bodies as the liquid moves them, the liquid as contacts hold
// them.
frz_status frz_pressure_bodies_interlink(const frz_pressure_system *system, bool *changed, frz_diag *diag)
{
    const frz_state *state = system->state;
    *changed = false;
    if (system->links == NULL || !system->strong || system->interleaved || state->contact.set == NULL)
        return FRZ_OK;
    const frz_contact_stats touching = frz_contact_report(state);
    const bool roped = frz_contacts_stats(state->contact.set).ropes > 0;
    if (touching.contacts == 0 && !roped)
        return FRZ_OK;
    *changed = true;
    return ask_contacts(system, NULL, diag);
}

frz_status frz_pressure_bodies_interleave(const frz_pressure_system *system, double *error, frz_diag *diag)
{
    *error = 0.0;
    return system->interleaved ? ask_contacts(system, error, diag) : FRZ_OK;
}

void frz_pressure_bodies_apply(const frz_state *state, const frz_pressure_system *system, const frz_real *taken,
                               double dt, bool first)
{
    if (system->links == NULL)
        return;
    if (!system->strong)
        frz_pressure_bodies_displace(system, taken, system->motion);
    // P = kappa / to_kappa acts with s^(d-1) P G; rho_ref s^d is the mass unit
    const double to_force = system->mass_unit * system->spacing / (dt * dt);
    for (int b = 0; b < system->body_count; ++b)
    {
        const frz_body_motion *m = &system->motion[b];
        frz_rigid_body *body = &state->bodies.rigid[b];
        frz_body_load *load = &state->bodies.loads[b];
        body->velocity = frz_v3_mad(body->velocity, system->spacing / dt, m->shift);
        body->spin = frz_v3_mad(body->spin, 1.0 / dt, m->turn);
        load->fluid_force = frz_v3_mad(load->fluid_force, to_force, m->force);
        load->fluid_torque = frz_v3_mad(load->fluid_torque, to_force * system->spacing, m->torque);
        if (first && system->strong)
        {
            load->pressure_force = frz_v3_scale(to_force, m->force);
            load->pressure_torque = frz_v3_scale(to_force * system->spacing, m->torque);
        }
    }
    if (system->joints == NULL)
        return;
    memcpy(system->step_motion, system->motion, (size_t)system->body_count * sizeof *system->motion);
    move_alone(system, system->step_motion);
    set_joined(system, system->step_motion, 1.0 / dt);
    frz_joints_note_push(system->joints, system->joined);
}

void frz_pressure_bodies_shift(const frz_state *state, const frz_pressure_system *system)
{
    if (system->links == NULL)
        return;
    for (int b = 0; b < system->body_count; ++b)
    {
        frz_rigid_body *body = &state->bodies.rigid[b];
        frz_body_motion *m = &system->motion[b];
        body->position = frz_v3_mad(body->position, system->spacing, m->shift);
        body->rotation = frz_quat_normalize(frz_quat_mul(frz_quat_from_vector(m->turn), body->rotation));
    }
    memset(system->motion, 0, (size_t)system->body_count * sizeof *system->motion);
}
