// SPDX-License-Identifier: MIT
#include "physics/viscosity/viscosity_bodies.h"

#include <string.h>

#include "base/blocks.h"
#include "math/small_solve.h"
#include "sim/bodies.h"

enum
{
    freedoms = 6
};

frz_status frz_viscous_bodies_make(const frz_model *model, frz_state *state, double mass_unit,
                                   frz_viscous_bodies *bodies, frz_diag *diag)
{
    const frz_body_links *links = &state->links;
    memset(bodies, 0, sizeof *bodies);
    if (links->particle_links == 0)
        return FRZ_OK;
    const int count = state->bodies.count;
    *bodies = (frz_viscous_bodies){
        .links = links,
        .body_count = count,
        .spacing = model->spacing,
        .mass_unit = mass_unit,
        .grip = FRZ_SCRATCH(&state->scratch, links->particle_links + 1, frz_real),
        .response = frz_arena_alloc(&state->scratch, (size_t)count + 1, sizeof *bodies->response),
        .own = FRZ_SCRATCH(&state->scratch, count + 1, frz_viscous_motion),
        .motion = FRZ_SCRATCH(&state->scratch, count + 1, frz_viscous_motion),
        .piece = FRZ_SCRATCH(&state->scratch, links->piece_count + 1, frz_viscous_motion),
        .piece_grip = frz_arena_alloc(&state->scratch, (size_t)links->piece_count + 1, sizeof *bodies->piece_grip),
    };
    if (bodies->grip == NULL || bodies->response == NULL || bodies->own == NULL || bodies->motion == NULL ||
        bodies->piece == NULL || bodies->piece_grip == NULL)
        return frz_fail_memory(diag, "the viscosity");
    memset(bodies->grip, 0, (size_t)links->particle_links * sizeof *bodies->grip);
    return FRZ_OK;
}

frz_real *frz_viscous_bodies_grip(const frz_viscous_bodies *bodies, int i, int body)
{
    if (bodies->links == NULL)
        return NULL;
    for (int n = bodies->links->begin[i]; n < bodies->links->begin[i + 1]; ++n)
        if (bodies->links->link[n].body == body)
            return &bodies->grip[n];
    return NULL;
}

// Rows of R^T for an arm: velocity at a point = V + W x a, so that a push f gives (f, a x f).
static frz_viscous_motion push_at(const frz_body_link *link, frz_vec3 f)
{
    const frz_vec3 arm = frz_v3_of(link->arm);
    const frz_vec3 torque = frz_v3_cross(arm, f);
    return (frz_viscous_motion){{f.x, f.y, f.z, torque.x, torque.y, torque.z}};
}

static frz_vec3 velocity_at(const frz_body_link *link, const frz_viscous_motion *m)
{
    const frz_vec3 arm = frz_v3_of(link->arm);
    return frz_v3_add(frz_v3(m->v[0], m->v[1], m->v[2]), frz_v3_cross(frz_v3(m->v[3], m->v[4], m->v[5]), arm));
}

// M^-1 c
static frz_viscous_motion yield(const frz_viscous_bodies *bodies, const frz_rigid_body *body,
                                const frz_viscous_motion *push)
{
    const frz_vec3 v = frz_rigid_body_yield(body, frz_v3(push->v[0], push->v[1], push->v[2]));
    const frz_vec3 w = frz_m3_apply(body->inverse_inertia_world, frz_v3(push->v[3], push->v[4], push->v[5]));
    const double mass = bodies->mass_unit, inertia = mass * bodies->spacing * bodies->spacing;
    return (frz_viscous_motion){{mass * v.x, mass * v.y, mass * v.z, inertia * w.x, inertia * w.y, inertia * w.z}};
}

// 1 + M^-1 c K of a body, and M^-1 c with U0 behind it.
static void set_up(const frz_viscous_bodies *bodies, const frz_rigid_body *body, const frz_rigid_body *before,
                   double k[freedoms][freedoms], double a[freedoms][freedoms], double b[freedoms][freedoms + 1])
{
    const double start[freedoms] = {before->velocity.x,
                                    before->velocity.y,
                                    before->velocity.z,
                                    bodies->spacing * before->spin.x,
                                    bodies->spacing * before->spin.y,
                                    bodies->spacing * before->spin.z};
    for (int c = 0; c < freedoms; ++c)
    {
        frz_viscous_motion column, unit = {{0.0}};
        for (int r = 0; r < freedoms; ++r)
            column.v[r] = k[r][c];
        unit.v[c] = 1.0;
        const frz_viscous_motion image = yield(bodies, body, &column), inverse = yield(bodies, body, &unit);
        for (int r = 0; r < freedoms; ++r)
        {
            a[r][c] = image.v[r] + (r == c ? 1.0 : 0.0);
            b[r][c] = inverse.v[r];
        }
        b[c][freedoms] = start[c];
    }
}

// K of a piece.
static void grip_of_piece(const frz_viscous_bodies *bodies, const frz_link_piece *piece, double k[freedoms][freedoms])
{
    memset(k, 0, sizeof(double[freedoms][freedoms]));
    for (int n = piece->begin; n < piece->end; ++n)
    {
        const int which = bodies->links->order[n];
        if (which >= bodies->links->particle_links)
            continue;
        const frz_body_link *link = &bodies->links->link[which];
        for (int c = 0; c < freedoms; ++c)
        {
            frz_viscous_motion unit = {{0.0}};
            unit.v[c] = (double)bodies->grip[which];
            const frz_viscous_motion column = push_at(link, velocity_at(link, &unit));
            for (int r = 0; r < freedoms; ++r)
                k[r][c] += column.v[r];
        }
    }
}

// The forecast of a body's velocity is its last velocity: all forces on it balance, as on the liquid beside it.
void frz_viscous_bodies_factor(const frz_state *state, const frz_viscous_bodies *bodies)
{
    if (bodies->links == NULL)
        return;
#pragma omp parallel for schedule(static)
    for (int p = 0; p < bodies->links->piece_count; ++p)
        grip_of_piece(bodies, &bodies->links->piece[p], bodies->piece_grip[p]);
    for (int body = 0; body < bodies->body_count; ++body)
    {
        double k[freedoms][freedoms], a[freedoms][freedoms], b[freedoms][freedoms + 1];
        for (int r = 0; r < freedoms; ++r)
            for (int c = 0; c < freedoms; ++c)
                k[r][c] =
                    frz_body_links_sum(bodies->links, body, &bodies->piece_grip[0][r][c], sizeof *bodies->piece_grip);
        set_up(bodies, &state->bodies.rigid[body], &state->bodies.before[body], k, a, b);
        frz_small_solve(freedoms, freedoms + 1, a[0], b[0]); // 1 + M^-1 K has no eigenvalue below 1
        for (int r = 0; r < freedoms; ++r)
        {
            memcpy(bodies->response[body][r], b[r], sizeof bodies->response[body][r]);
            bodies->own[body].v[r] = b[r][freedoms];
        }
    }
}

static void gather_piece(const frz_viscous_bodies *bodies, const frz_v4 *x, int p)
{
    const frz_body_links *links = bodies->links;
    frz_viscous_motion sum = {{0.0}};
    for (int k = links->piece[p].begin; k < links->piece[p].end; ++k)
    {
        const int n = links->order[k];
        if (n >= links->particle_links)
            continue;
        const frz_body_link *link = &links->link[n];
        const frz_viscous_motion push =
            push_at(link, frz_v3_scale((double)bodies->grip[n], frz_v3_of(x[link->source])));
        for (int r = 0; r < freedoms; ++r)
            sum.v[r] += push.v[r];
    }
    bodies->piece[p] = sum;
}

static frz_viscous_motion total_of(const frz_viscous_bodies *bodies, int body)
{
    frz_viscous_motion sum;
    for (int r = 0; r < freedoms; ++r)
        sum.v[r] = frz_body_links_sum(bodies->links, body, &bodies->piece->v[r], sizeof *bodies->piece);
    return sum;
}

void frz_viscous_bodies_gather(const frz_viscous_bodies *bodies, const frz_v4 *x)
{
    if (bodies->links == NULL)
        return;
#pragma omp parallel for schedule(static)
    for (int p = 0; p < bodies->links->piece_count; ++p)
        gather_piece(bodies, x, p);
    for (int body = 0; body < bodies->body_count; ++body)
    {
        const frz_viscous_motion sum = total_of(bodies, body);
        for (int r = 0; r < freedoms; ++r)
        {
            bodies->motion[body].v[r] = 0.0;
            for (int c = 0; c < freedoms; ++c)
                bodies->motion[body].v[r] += bodies->response[body][r][c] * sum.v[c];
        }
    }
}

// k_iB (R_i U_B - v_i) of a link, in double precision: liquid and body take the same number
static frz_vec3 force_of(const frz_viscous_bodies *bodies, int n, frz_v4 velocity, bool whole)
{
    const frz_body_link *link = &bodies->links->link[n];
    frz_viscous_motion motion = bodies->motion[link->body];
    for (int r = 0; whole && r < freedoms; ++r)
        motion.v[r] += bodies->own[link->body].v[r];
    return frz_v3_scale((double)bodies->grip[n], frz_v3_sub(velocity_at(link, &motion), frz_v3_of(velocity)));
}

frz_v4 frz_viscous_bodies_force(const frz_viscous_bodies *bodies, frz_v4 velocity, bool whole, int i)
{
    frz_vec3 sum = frz_v3(0.0, 0.0, 0.0);
    for (int n = bodies->links->begin[i]; n < bodies->links->begin[i + 1]; ++n)
        sum = frz_v3_add(sum, force_of(bodies, n, velocity, whole));
    return frz_v4_of(sum);
}

frz_v4 frz_viscous_bodies_pull(const frz_viscous_bodies *bodies, int i, frz_real *grip)
{
    frz_v4 sum = frz_v4_zero();
    *grip = 0;
    for (int n = bodies->links->begin[i]; n < bodies->links->begin[i + 1]; ++n)
    {
        const frz_body_link *link = &bodies->links->link[n];
        const frz_vec3 v = velocity_at(link, &bodies->own[link->body]);
        sum += bodies->grip[n] * frz_v4_of(v);
        *grip += bodies->grip[n];
    }
    return sum;
}

static void react_piece(const frz_viscous_bodies *bodies, const frz_v4 *x, double dt, int p)
{
    const frz_body_links *links = bodies->links;
    frz_viscous_motion sum = {{0.0}};
    for (int k = links->piece[p].begin; k < links->piece[p].end; ++k)
    {
        const int n = links->order[k];
        if (n >= links->particle_links)
            continue;
        const frz_vec3 force =
            frz_v3_scale(-bodies->mass_unit / dt, force_of(bodies, n, x[links->link[n].source], true));
        const frz_viscous_motion push = push_at(&links->link[n], force);
        for (int r = 0; r < freedoms; ++r)
            sum.v[r] += push.v[r];
    }
    bodies->piece[p] = sum;
}

void frz_viscous_bodies_react(frz_state *state, const frz_viscous_bodies *bodies, const frz_v4 *x, double dt)
{
    if (bodies->links == NULL)
        return;
#pragma omp parallel for schedule(static)
    for (int p = 0; p < bodies->links->piece_count; ++p)
        react_piece(bodies, x, dt, p);
    for (int body = 0; body < bodies->body_count; ++body)
    {
        const frz_viscous_motion sum = total_of(bodies, body);
        const frz_vec3 torque = frz_v3_scale(bodies->spacing, frz_v3(sum.v[3], sum.v[4], sum.v[5]));
        if (bodies->links->entry_count[body] > 0)
            frz_bodies_push(state, body, frz_v3(sum.v[0], sum.v[1], sum.v[2]), torque, dt);
    }
}
