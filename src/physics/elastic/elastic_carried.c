// SPDX-License-Identifier: MIT
#include "physics/elastic/elastic_carried.h"

#include <math.h>
#include <string.h>

#include "base/exact.h"

// a pivot below this share of the trace is a direction in which a joint holds the body
static const double smallest_pivot = 1e-12;

// L with L L^T = a, for a symmetric matrix without negative eigenvalues (Cholesky; columns without a pivot are zero).
static frz_mat3 root_of(frz_mat3 a)
{
    frz_mat3 l = frz_m3_zero();
    const double least = smallest_pivot * frz_m3_trace(a);
    for (int c = 0; c < 3; ++c)
    {
        double pivot = a.m[c][c];
        for (int k = 0; k < c; ++k)
            pivot -= l.m[c][k] * l.m[c][k];
        if (!(pivot > least))
            continue;
        l.m[c][c] = sqrt(pivot);
        for (int r = c + 1; r < 3; ++r)
        {
            double sum = a.m[r][c];
            for (int k = 0; k < c; ++k)
                sum -= l.m[r][k] * l.m[c][k];
            l.m[r][c] = sum / l.m[c][c];
        }
    }
    return l;
}

static void make_row(const frz_state *state, int body, double mass, double part, frz_elastic_row *row)
{
    const frz_rigid_body *now = &state->bodies.rigid[body], *before = &state->bodies.before[body];
    const bool rail = now->joint == FRZ_JOINT_SLIDER;
    row->body = body;
    row->shift =
        frz_m3_scale(sqrt(mass * now->inverse_mass), rail ? frz_m3_outer(now->axis, now->axis) : frz_m3_identity());
    row->turn = root_of(frz_m3_scale(mass, now->inverse_inertia_world));
    row->velocity = frz_v3_mad(before->velocity, part, frz_v3_sub(now->velocity, before->velocity));
    row->spin = frz_v3_mad(before->spin, part, frz_v3_sub(now->spin, before->spin));
    row->y[0] = row->y[1] = frz_v4_zero();
}

static int find_row(const frz_elastic_rows *rows, int body)
{
    int at = 0;
    while (at < rows->count && rows->row[at].body != body)
        ++at;
    return at;
}

// Particles of the elastic body that are attached to a rigid one, and those of rigid ones that ties lead to.
static bool is_carried(const frz_bonds *bonds, int body, const frz_driven *d)
{
    return d->body >= 0 && ((d->number >= bonds->first[body] && d->number < bonds->first[body + 1]) ||
                            frz_bonds_has_anchor(bonds, body, d->number));
}

// Those of one row follow each other.
static frz_status sort_by_row(frz_state *state, frz_elastic_rows *out, frz_diag *diag)
{
    out->first = FRZ_SCRATCH(&state->scratch, out->count + 2, int32_t);
    out->by_row = FRZ_SCRATCH(&state->scratch, out->carried_count + 1, int32_t);
    if (out->first == NULL || out->by_row == NULL)
        return frz_fail_memory(diag, "the elastic solver");
    memset(out->first, 0, (size_t)(out->count + 2) * sizeof *out->first);
    for (int n = 0; n < out->carried_count; ++n)
        out->first[out->row_of[n] + 2] += 1;
    for (int r = 0; r < out->count; ++r)
        out->first[r + 2] += out->first[r + 1];
    for (int n = 0; n < out->carried_count; ++n)
        out->by_row[out->first[out->row_of[n] + 1]++] = n; // afterwards first[r] is where row r begins
    return FRZ_OK;
}

frz_status frz_elastic_rows_make(frz_state *state, int body, double mass, double tau, double dt, frz_elastic_rows *out,
                                 frz_diag *diag)
{
    memset(out, 0, sizeof *out);
    out->tau = tau;
    int room = 0;
    const frz_drivers *drivers = &state->attempt.drivers;
    const frz_bonds *bonds = &state->bonds;
    for (int n = 0; n < drivers->count; ++n)
        room += is_carried(bonds, body, &drivers->list[n]);
    if (room == 0)
        return FRZ_OK;
    out->carried = FRZ_SCRATCH(&state->scratch, room, frz_driven *);
    out->row_of = FRZ_SCRATCH(&state->scratch, room, int32_t);
    out->local = FRZ_SCRATCH(&state->scratch, room, int32_t);
    out->start = FRZ_SCRATCH(&state->scratch, room, frz_v4);
    out->arm = FRZ_SCRATCH(&state->scratch, room, frz_vec3);
    out->row = FRZ_SCRATCH(&state->scratch, room + 1, frz_elastic_row);
    if (out->carried == NULL || out->row_of == NULL || out->local == NULL || out->start == NULL || out->arm == NULL ||
        out->row == NULL)
        return frz_fail_memory(diag, "the elastic solver");
    for (int n = 0; n < drivers->count; ++n)
    {
        frz_driven *c = &drivers->list[n];
        if (!is_carried(bonds, body, c))
            continue;
        const bool own = bonds->body[c->number] == body;
        const int at = find_row(out, c->body);
        if (at == out->count)
            make_row(state, c->body, mass, tau / dt, &out->row[out->count++]);
        frz_v4 low;
        frz_elastic_split(own ? frz_elastic_displacement(state, c->number) : frz_elastic_position(state, c->number),
                          &out->start[out->carried_count], &low);
        out->row_of[out->carried_count] = at;
        out->local[out->carried_count] = c->number - bonds->first[body];
        out->carried[out->carried_count++] = c;
    }
    out->own = bonds->first[body + 1] - bonds->first[body];
    return sort_by_row(state, out, diag);
}

void frz_elastic_rows_velocity(const frz_elastic_rows *rows, frz_v4 *velocity)
{
    for (int n = 0; n < rows->carried_count; ++n)
    {
        const frz_elastic_row *row = &rows->row[rows->row_of[n]];
        if (rows->local[n] >= 0 && rows->local[n] < rows->own)
            velocity[rows->local[n]] =
                frz_v4_of(frz_v3_add(row->velocity, frz_v3_cross(row->spin, rows->carried[n]->arm)));
    }
}

void frz_elastic_rows_place(const frz_elastic_rows *rows, frz_elastic_place *place)
{
    for (int n = 0; n < rows->carried_count; ++n)
    {
        const frz_elastic_row *row = &rows->row[rows->row_of[n]];
        const frz_vec3 arm = rows->carried[n]->arm;
        rows->arm[n] = frz_quat_rotate(frz_quat_from_vector(frz_v3_scale(rows->tau, row->spin)), arm);
        const frz_vec3 way = frz_v3_mad(frz_v3_sub(rows->arm[n], arm), rows->tau, row->velocity);
        place[rows->local[n]].displacement = rows->start[n] + frz_v4_of(way);
    }
}

// S x of one body.
void frz_elastic_row_motion(const frz_elastic_row *row, const frz_v4 y[2], frz_vec3 *velocity, frz_vec3 *spin)
{
    *velocity = frz_m3_apply(row->shift, frz_v3_of(y[0]));
    *spin = frz_m3_apply(row->turn, frz_v3_of(y[1]));
}

// x of l x = b for a lower triangle in which columns without a pivot are zero.
static frz_v4 substitute(const frz_mat3 *l, frz_vec3 b)
{
    const double right[3] = {b.x, b.y, b.z};
    double x[3] = {0.0, 0.0, 0.0};
    for (int r = 0; r < 3; ++r)
    {
        double sum = right[r];
        for (int c = 0; c < r; ++c)
            sum -= l->m[r][c] * x[c];
        x[r] = l->m[r][r] > 0.0 ? sum / l->m[r][r] : 0.0;
    }
    return frz_v4_of(frz_v3(x[0], x[1], x[2]));
}

void frz_elastic_row_coordinates(const frz_elastic_row *row, frz_vec3 velocity, frz_vec3 spin, frz_v4 y[2])
{
    // S of the velocity is a multiple of a projection, of which the velocity is a part
    const double size = frz_m3_norm(row->shift), rank = frz_m3_trace(row->shift) / fmax(size, 1e-300);
    const double scale = size > 0.0 ? rank / size : 0.0;
    y[0] = frz_v4_of(frz_v3_scale(scale, velocity));
    y[1] = substitute(&row->turn, spin);
}

void frz_elastic_rows_vary(const frz_elastic_rows *rows, const frz_v4 *x, frz_elastic_place *place)
{
    for (int n = 0; n < rows->carried_count; ++n)
    {
        const int r = rows->row_of[n];
        frz_vec3 velocity, spin;
        frz_elastic_row_motion(&rows->row[r], x + 2 * r, &velocity, &spin);
        place[rows->local[n]].displacement = frz_v4_of(frz_v3_add(velocity, frz_v3_cross(spin, rows->arm[n])));
    }
}

// Exact sums of vectors.
typedef struct exact_vector
{
    frz_exact x, y, z;
} exact_vector;

static void exact_vector_add(exact_vector *sum, frz_vec3 v)
{
    frz_exact_add(&sum->x, v.x);
    frz_exact_add(&sum->y, v.y);
    frz_exact_add(&sum->z, v.z);
}

static frz_vec3 exact_vector_value(const exact_vector *sum)
{
    return frz_v3(frz_exact_value(&sum->x), frz_exact_value(&sum->y), frz_exact_value(&sum->z));
}

void frz_elastic_rows_sum(const frz_elastic_rows *rows, const frz_v4 *force, double scale, frz_v4 *out)
{
    for (int r = 0; r < rows->count; ++r)
    {
        exact_vector sums = {0}, moments = {0};
        for (int k = rows->first[r]; k < rows->first[r + 1]; ++k)
        {
            const int n = rows->by_row[k];
            const frz_vec3 f = frz_v3_of(force[rows->local[n]]);
            exact_vector_add(&sums, f);
            exact_vector_add(&moments, frz_v3_cross(rows->arm[n], f));
        }
        const frz_vec3 sum = exact_vector_value(&sums), moment = exact_vector_value(&moments);
        const frz_elastic_row *row = &rows->row[r];
        out[2 * r] = frz_v4_of(frz_v3_scale(scale, frz_m3_apply(frz_m3_transpose(row->shift), sum)));
        out[2 * r + 1] = frz_v4_of(frz_v3_scale(scale, frz_m3_apply(frz_m3_transpose(row->turn), moment)));
    }
}

void frz_elastic_rows_add(const frz_elastic_rows *rows, const frz_v4 *x)
{
    for (int r = 0; r < rows->count; ++r)
    {
        frz_elastic_row *row = &rows->row[r];
        frz_vec3 velocity, spin;
        frz_elastic_row_motion(row, x + 2 * r, &velocity, &spin);
        row->velocity = frz_v3_add(row->velocity, velocity);
        row->spin = frz_v3_add(row->spin, spin);
        row->y[0] += x[2 * r];
        row->y[1] += x[2 * r + 1];
    }
}

void frz_elastic_rows_finish(frz_state *state, const frz_elastic_rows *rows, const frz_v4 *force, double theta)
{
    for (int r = 0; r < rows->count; ++r)
    {
        const frz_elastic_row *row = &rows->row[r];
        frz_rigid_body *now = &state->bodies.rigid[row->body];
        frz_vec3 shift, turn;
        frz_elastic_row_motion(row, row->y, &shift, &turn);
        now->velocity = frz_v3_mad(now->velocity, 1.0 / theta, shift);
        now->spin = frz_v3_mad(now->spin, 1.0 / theta, turn);
        state->bodies.position_theta[row->body] = 1.0 - theta;
    }
    for (int n = 0; n < rows->carried_count; ++n)
    {
        frz_driven *c = rows->carried[n];
        frz_drivers_follow(state, c);
        const int attachment = state->attempt.drivers.driver[c->driver].attachment;
        if (attachment < 0)
            continue; // a part of a rigid body of particles
        frz_attachment_state *by = &state->attachments.item[attachment];
        by->force = frz_v3_sub(by->force, frz_v3_of(force[rows->local[n]]));
    }
}
