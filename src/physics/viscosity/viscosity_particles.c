// SPDX-License-Identifier: MIT
#include "physics/viscosity/viscosity_particles.h"

#include <string.h>

#include "base/blocks.h"
#include "base/exact.h"
#include "math/small_solve.h"
#include "sim/bodies.h"

enum
{
    freedoms = 6
};

frz_status frz_viscous_particles_make(const frz_model *model, frz_state *state, double mass_unit,
                                      frz_viscous_particles *p, frz_diag *diag)
{
    const frz_drivers *drivers = &state->attempt.drivers;
    *p = (frz_viscous_particles){.state = NULL};
    bool any = false;
    for (int n = 0; n < drivers->count && !any; ++n)
        any = frz_drivers_is_rigid(drivers, drivers->list[n].slot);
    if (!any)
        return FRZ_OK;
    const int count = state->particles.count[FRZ_ROLE_FREE];
    *p = (frz_viscous_particles){
        .state = state,
        .spacing = model->spacing,
        .mass_unit = mass_unit,
        .phase = frz_particles_phase(&state->particles),
        .grip = FRZ_SCRATCH(&state->scratch, drivers->count + 1, frz_mat3),
        .push = FRZ_SCRATCH(&state->scratch, drivers->count + 1, frz_vec3),
        .response = frz_arena_alloc(&state->scratch, (size_t)state->bodies.count + 1, sizeof *p->response),
        .own = frz_arena_alloc(&state->scratch, (size_t)state->bodies.count + 1, sizeof *p->own),
        .motion = frz_arena_alloc(&state->scratch, (size_t)state->bodies.count + 1, sizeof *p->motion),
        .full = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4),
    };
    if (p->grip == NULL || p->push == NULL || p->response == NULL || p->own == NULL || p->motion == NULL ||
        p->full == NULL)
        return frz_fail_memory(diag, "the viscosity");
    memset(p->grip, 0, (size_t)drivers->count * sizeof *p->grip);
    memset(p->push, 0, (size_t)drivers->count * sizeof *p->push);
    memset(p->response, 0, (size_t)state->bodies.count * sizeof *p->response);
    memset(p->own, 0, (size_t)state->bodies.count * sizeof *p->own);
    memset(p->motion, 0, (size_t)state->bodies.count * sizeof *p->motion);
    return FRZ_OK;
}

static bool takes_part(const frz_viscous_particles *p, const frz_driven *d)
{
    return d->body >= 0 && p->phase[d->slot] == FRZ_PHASE_RIGID;
}

// M^-1 c of a push: force, and torque over the spacing.
static void yield(const frz_viscous_particles *p, const frz_rigid_body *body, const double push[freedoms],
                  double out[freedoms])
{
    const frz_vec3 v = frz_rigid_body_yield(body, frz_v3(push[0], push[1], push[2]));
    const frz_vec3 w = frz_m3_apply(body->inverse_inertia_world, frz_v3(push[3], push[4], push[5]));
    const double mass = p->mass_unit, inertia = mass * p->spacing * p->spacing;
    const double all[freedoms] = {mass * v.x, mass * v.y, mass * v.z, inertia * w.x, inertia * w.y, inertia * w.z};
    memcpy(out, all, sizeof all);
}

static frz_vec3 velocity_at(const frz_viscous_particles *p, const frz_driven *d, const double m[freedoms])
{
    const frz_vec3 arm = frz_v3_scale(1.0 / p->spacing, d->arm);
    return frz_v3_add(frz_v3(m[0], m[1], m[2]), frz_v3_cross(frz_v3(m[3], m[4], m[5]), arm));
}

// R^T G R of a particle, added to the sums of its body.
static void add_grip(const frz_viscous_particles *p, int n, frz_exact k[freedoms][freedoms])
{
    const frz_driven *d = &p->state->attempt.drivers.list[n];
    const frz_vec3 arm = frz_v3_scale(1.0 / p->spacing, d->arm);
    for (int c = 0; c < freedoms; ++c)
    {
        double unit[freedoms] = {0.0};
        unit[c] = 1.0;
        const frz_vec3 f = frz_m3_apply(p->grip[n], velocity_at(p, d, unit)), t = frz_v3_cross(arm, f);
        const double column[freedoms] = {f.x, f.y, f.z, t.x, t.y, t.z};
        for (int r = 0; r < freedoms; ++r)
            frz_exact_add(&k[r][c], column[r]);
    }
}

static void factor_body(const frz_viscous_particles *p, int body, frz_exact k[freedoms][freedoms])
{
    const frz_rigid_body *now = &p->state->bodies.rigid[body], *before = &p->state->bodies.before[body];
    // as with shaped bodies the forecast is the velocity that it had
    const double start[freedoms] = {before->velocity.x,          before->velocity.y,
                                    before->velocity.z,          p->spacing * before->spin.x,
                                    p->spacing * before->spin.y, p->spacing * before->spin.z};
    double a[freedoms][freedoms], b[freedoms][freedoms + 1];
    for (int c = 0; c < freedoms; ++c)
    {
        double column[freedoms], unit[freedoms] = {0.0}, image[freedoms], inverse[freedoms];
        for (int r = 0; r < freedoms; ++r)
            column[r] = frz_exact_value(&k[r][c]);
        unit[c] = 1.0;
        yield(p, now, column, image);
        yield(p, now, unit, inverse);
        for (int r = 0; r < freedoms; ++r)
        {
            a[r][c] = image[r] + (r == c ? 1.0 : 0.0);
            b[r][c] = inverse[r];
        }
        b[c][freedoms] = start[c];
    }
    frz_small_solve(freedoms, freedoms + 1, a[0], b[0]); // 1 + M^-1 K has no eigenvalue below 1
    for (int r = 0; r < freedoms; ++r)
    {
        memcpy(p->response[body][r], b[r], sizeof p->response[body][r]);
        p->own[body][r] = b[r][freedoms];
    }
}

// The pieces of a driver are in the order of the blocks; those of a body are found by a loop over the list.
void frz_viscous_particles_factor(const frz_viscous_particles *p)
{
    if (p->state == NULL)
        return;
    const frz_drivers *drivers = &p->state->attempt.drivers;
    for (int body = 0; body < p->state->bodies.count; ++body)
    {
        frz_exact k[freedoms][freedoms] = {0};
        if (!frz_body_is(p->state, body, FRZ_BODY_RIGID) || p->state->bodies.identity[body].filled == 0)
            continue;
        for (int n = 0; n < drivers->count; ++n)
            if (drivers->list[n].body == body && takes_part(p, &drivers->list[n]) && frz_m3_trace(p->grip[n]) > 0.0)
                add_grip(p, n, k);
        factor_body(p, body, k);
    }
}

// Sums of the pushes by body into the pieces of the drivers.
static void sum_pushes(const frz_viscous_particles *p)
{
    const frz_drivers *drivers = &p->state->attempt.drivers;
    const int blocks = frz_block_count(p->state->particles.count[FRZ_ROLE_FREE]);
#pragma omp parallel for schedule(static) if (drivers->count >= frz_parallel_some)
    for (int b = 0; b < blocks; ++b)
    {
        frz_drivers_clear_block(drivers, b);
        for (int n = drivers->block_begin[b]; n < drivers->block_begin[b + 1]; ++n)
            if (takes_part(p, &drivers->list[n]))
                frz_driven_piece_add(&drivers->piece[drivers->list[n].piece], &drivers->list[n], p->push[n]);
    }
}

// The driver of a body made of particles.
static bool is_of_body(const frz_drivers *drivers, int d)
{
    return drivers->driver[d].body >= 0 && drivers->driver[d].attachment < 0 &&
           drivers->driver_piece[d] < drivers->driver_piece[d + 1];
}

void frz_viscous_particles_gather(const frz_viscous_particles *p, bool whole)
{
    const frz_drivers *drivers = &p->state->attempt.drivers;
    sum_pushes(p);
    for (int d = 0; d < drivers->driver_count; ++d)
    {
        if (!is_of_body(drivers, d))
            continue;
        frz_vec3 force, torque;
        const int body = drivers->driver[d].body;
        (void)frz_drivers_sum(drivers, d, &force, &torque);
        const double sum[freedoms] = {
            force.x, force.y, force.z, torque.x / p->spacing, torque.y / p->spacing, torque.z / p->spacing};
        for (int r = 0; r < freedoms; ++r)
        {
            p->motion[body][r] = whole ? p->own[body][r] : 0.0;
            for (int c = 0; c < freedoms; ++c)
                p->motion[body][r] += p->response[body][r][c] * sum[c];
        }
    }
}

void frz_viscous_particles_start(const frz_viscous_particles *p)
{
    memcpy(p->motion, p->own, (size_t)p->state->bodies.count * sizeof *p->motion);
}

void frz_viscous_particles_fill(const frz_viscous_particles *p, const frz_v4 *x)
{
    const frz_drivers *drivers = &p->state->attempt.drivers;
    const int count = p->state->particles.count[FRZ_ROLE_FREE];
    if (x != NULL)
        memcpy(p->full, x, (size_t)count * sizeof *x);
    else
        memset(p->full, 0, (size_t)count * sizeof *x);
#pragma omp parallel for schedule(static) if (drivers->count >= frz_parallel_some)
    for (int n = 0; n < drivers->count; ++n)
    {
        const frz_driven *d = &drivers->list[n];
        if (takes_part(p, d))
            p->full[d->slot] = frz_v4_of(velocity_at(p, d, p->motion[d->body]));
    }
}

void frz_viscous_particles_react(frz_state *state, const frz_viscous_particles *p, double dt)
{
    const frz_drivers *drivers = &state->attempt.drivers;
    for (int n = 0; n < drivers->count; ++n) // the forces without the part of the body's own motion
        if (takes_part(p, &drivers->list[n]))
            p->push[n] = frz_v3_sub(
                p->push[n],
                frz_m3_apply(p->grip[n], velocity_at(p, &drivers->list[n], p->motion[drivers->list[n].body])));
    sum_pushes(p);
    for (int d = 0; d < drivers->driver_count; ++d)
    {
        if (!is_of_body(drivers, d))
            continue;
        frz_vec3 force, torque;
        (void)frz_drivers_sum(drivers, d, &force, &torque);
        const double scale = p->mass_unit / dt;
        frz_bodies_push(state, drivers->driver[d].body, frz_v3_scale(scale, force), frz_v3_scale(scale, torque), dt);
    }
}
