// SPDX-License-Identifier: MIT
#include "physics/viscosity/viscosity_rows.h"

#include <string.h>

#include "math/small_solve.h"

enum
{
    freedoms = 6
};

frz_status frz_viscous_rows_make(const frz_model *model, frz_state *state, double mass_unit, frz_viscous_rows *rows,
                                 frz_diag *diag)
{
    const frz_body_links *links = &state->links;
    *rows = (frz_viscous_rows){.first = state->neighbors.pairs.count, .count = state->neighbors.pairs.count};
    if (links->particle_links == 0)
        return FRZ_OK;
    *rows = (frz_viscous_rows){
        .links = links,
        .state = state,
        .first = state->neighbors.pairs.count,
        .count = state->neighbors.pairs.count + 2 * state->bodies.count,
        .spacing = model->spacing,
        .mass_unit = mass_unit,
        .grip = FRZ_SCRATCH(&state->scratch, links->particle_links + 1, frz_real),
        .arm = FRZ_SCRATCH(&state->scratch, links->particle_links + 1, frz_v4),
        .wanted = FRZ_SCRATCH(&state->scratch, links->particle_links + 1, frz_v4),
        .piece = FRZ_SCRATCH(&state->scratch, links->piece_count + 1, frz_viscous_motion),
    };
    if (rows->grip == NULL || rows->arm == NULL || rows->wanted == NULL || rows->piece == NULL)
        return frz_fail_memory(diag, "the viscosity");
    memset(rows->grip, 0, (size_t)links->particle_links * sizeof *rows->grip);
    memset(rows->arm, 0, (size_t)links->particle_links * sizeof *rows->arm);
    memset(rows->wanted, 0, (size_t)links->particle_links * sizeof *rows->wanted);
    return FRZ_OK;
}

int frz_viscous_rows_link(const frz_viscous_rows *rows, int i, int body)
{
    for (int n = rows->links != NULL ? rows->links->begin[i] : 0; rows->links != NULL && n < rows->links->begin[i + 1];
         ++n)
        if (rows->links->link[n].body == body)
            return n;
    return -1;
}

void frz_viscous_rows_add(const frz_viscous_rows *rows, int link, frz_real weight, frz_v4 away)
{
    const frz_v4 arm = rows->links->link[link].arm - (frz_real)(1.0 / rows->spacing) * away;
    rows->grip[link] += weight;
    rows->arm[link] += weight * frz_v4_xyz(arm);
}

void frz_viscous_rows_close(const frz_viscous_rows *rows, int i)
{
    for (int n = rows->links->begin[i]; n < rows->links->begin[i + 1]; ++n)
        if (rows->grip[n] > 0)
            rows->arm[n] = (1 / rows->grip[n]) * rows->arm[n];
}

static frz_vec3 surface_velocity(const frz_viscous_rows *rows, int n, frz_vec3 velocity, frz_vec3 spin)
{
    return frz_v3_add(velocity, frz_v3_cross(spin, frz_v3_of(rows->arm[n])));
}

frz_v4 frz_viscous_rows_before(const frz_viscous_rows *rows, int link)
{
    const frz_rigid_body *before = &rows->state->bodies.before[rows->links->link[link].body];
    return frz_v4_of(surface_velocity(rows, link, before->velocity, frz_v3_scale(rows->spacing, before->spin)));
}

// k (x_i - v_b(x)), in double precision: particle and body take the same number.
static frz_vec3 misfit_of(const frz_viscous_rows *rows, const frz_v4 *x, int n)
{
    const frz_body_link *link = &rows->links->link[n];
    const frz_v4 *row = &x[rows->first + 2 * link->body];
    const frz_vec3 surface = surface_velocity(rows, n, frz_v3_of(row[0]), frz_v3_of(row[1]));
    return frz_v3_scale((double)rows->grip[n], frz_v3_sub(frz_v3_of(x[link->source]), surface));
}

frz_v4 frz_viscous_rows_pull(const frz_viscous_rows *rows, const frz_v4 *x, int i)
{
    frz_vec3 sum = frz_v3(0.0, 0.0, 0.0);
    for (int n = rows->links->begin[i]; n < rows->links->begin[i + 1]; ++n)
        sum = frz_v3_add(sum, misfit_of(rows, x, n));
    return frz_v4_of(sum);
}

// Minus the sums of a force at each link by body; x null: the right-hand side.
static void sum_links(const frz_viscous_rows *rows, const frz_v4 *x, frz_v4 *out)
{
    const frz_body_links *links = rows->links;
#pragma omp parallel for schedule(static)
    for (int p = 0; p < links->piece_count; ++p)
    {
        frz_viscous_motion sum = {{0.0}};
        for (int k = links->piece[p].begin; k < links->piece[p].end; ++k)
        {
            const int n = links->order[k];
            if (n >= links->particle_links)
                continue;
            const frz_vec3 f = x != NULL ? misfit_of(rows, x, n) : frz_v3_of(rows->wanted[n]);
            const frz_vec3 t = frz_v3_cross(frz_v3_of(rows->arm[n]), f);
            const double all[freedoms] = {f.x, f.y, f.z, t.x, t.y, t.z};
            for (int r = 0; r < freedoms; ++r)
                sum.v[r] -= all[r];
        }
        rows->piece[p] = sum;
    }
    for (int b = 0; b < rows->state->bodies.count; ++b)
    {
        double sum[freedoms];
        for (int r = 0; r < freedoms; ++r)
            sum[r] = frz_body_links_sum(links, b, &rows->piece->v[r], sizeof *rows->piece);
        out[rows->first + 2 * b] = frz_v4_of(frz_v3(sum[0], sum[1], sum[2]));
        out[rows->first + 2 * b + 1] = frz_v4_of(frz_v3(sum[3], sum[4], sum[5]));
    }
}

void frz_viscous_rows_apply(const frz_viscous_rows *rows, const frz_v4 *x, frz_v4 *out)
{
    if (rows->links != NULL)
        sum_links(rows, x, out);
}

void frz_viscous_rows_source(const frz_viscous_rows *rows, frz_v4 *out)
{
    if (rows->links != NULL)
        sum_links(rows, NULL, out);
}

void frz_viscous_rows_start(const frz_viscous_rows *rows, frz_v4 *out)
{
    for (int b = 0; rows->links != NULL && b < rows->state->bodies.count; ++b)
    {
        const frz_rigid_body *before = &rows->state->bodies.before[b];
        out[rows->first + 2 * b] = frz_v4_of(before->velocity);
        out[rows->first + 2 * b + 1] = frz_v4_of(frz_v3_scale(rows->spacing, before->spin));
    }
}

void frz_viscous_rows_divide(const frz_viscous_rows *rows, const frz_v4 *x, frz_v4 *out)
{
    for (int b = 0; rows->links != NULL && b < rows->state->bodies.count; ++b)
    {
        const frz_rigid_body *body = &rows->state->bodies.rigid[b];
        const frz_v4 *row = &x[rows->first + 2 * b];
        const bool linked = rows->links->entry_count[b] > 0; // else its row is empty
        const frz_vec3 none = frz_v3(0.0, 0.0, 0.0);
        const frz_vec3 v = linked ? frz_rigid_body_yield(body, frz_v3_of(row[0])) : none;
        const frz_vec3 w = linked ? frz_m3_apply(body->inverse_inertia_world, frz_v3_of(row[1])) : none;
        const double inertia = rows->mass_unit * rows->spacing * rows->spacing;
        out[rows->first + 2 * b] = frz_v4_of(frz_v3_scale(rows->mass_unit, v));
        out[rows->first + 2 * b + 1] = frz_v4_of(frz_v3_scale(inertia, w));
    }
}

// The torque that gives a spin: inertia is that of all axes, or of the one that the body can turn about.
static frz_vec3 torque_of(const frz_rigid_body *body, frz_vec3 spin)
{
    const double trace = frz_m3_trace(body->inverse_inertia_world);
    if (!(frz_m3_determinant(body->inverse_inertia_world) > 0.0))
        return frz_v3_scale(trace > 0.0 ? 1.0 / trace : 0.0, spin);
    frz_mat3 inverse = body->inverse_inertia_world;
    double torque[3] = {spin.x, spin.y, spin.z};
    frz_small_solve(3, 1, inverse.m[0], torque);
    return frz_v3(torque[0], torque[1], torque[2]);
}

void frz_viscous_rows_move(frz_state *state, const frz_viscous_rows *rows, const frz_v4 *x, double dt)
{
    for (int b = 0; rows->links != NULL && b < state->bodies.count; ++b)
    {
        frz_rigid_body *body = &state->bodies.rigid[b];
        frz_body_load *load = &state->bodies.loads[b];
        if (rows->links->entry_count[b] == 0)
            continue;
        const frz_vec3 v = frz_v3_of(x[rows->first + 2 * b]);
        const frz_vec3 w = frz_v3_scale(1.0 / rows->spacing, frz_v3_of(x[rows->first + 2 * b + 1]));
        body->velocity = frz_v3_add(body->velocity, v);
        body->spin = frz_v3_add(body->spin, w);
        load->fluid_force = frz_v3_mad(load->fluid_force, body->mass / dt, v);
        load->fluid_torque = frz_v3_mad(load->fluid_torque, 1.0 / dt, torque_of(body, w));
    }
}
