// SPDX-License-Identifier: MIT
#include "physics/elastic/elastic_response.h"

#include <math.h>
#include <string.h>

#include "math/conjugate_gradient.h"

// error of the answer at which the solver stops, over the kicks (root mean squares). The factor of the kicks is found
// with what the solver has done, so that this is a matter of accuracy, not of energy.
static const double tolerance = 0.1;

// Residual of the solver for a piece, taken as a motion without deformation: momentum and angular momentum are
// kept whatever the tolerance is.
typedef struct piece_sums
{
    double count;
    frz_vec3 shift;  // sum of r
    frz_vec3 center; // sum of x
    frz_vec3 moment; // sum of (x - centre) x r
    frz_mat3 second; // sum of (x - centre) (x - centre)^T
    frz_vec3 velocity, spin;
    bool held;
} piece_sums;

typedef struct body_answer
{
    const frz_elastic_response *self;
    frz_elastic_matrix a;
    frz_kicks *kicks;
    frz_v4 *kick, *answer, *rest;
} body_answer;

static bool read_kicks(body_answer *s)
{
    bool any = false;
    for (int i = 0; i < s->a.count; ++i)
    {
        const int slot = s->a.slot[i];
        s->kick[i] = slot >= 0 && !frz_elastic_is_held(&s->a, i) ? frz_v4_xyz(s->kicks->kick[slot]) : frz_v4_zero();
        any = any || frz_v4_dot3(s->kick[i], s->kick[i]) > 0;
    }
    for (int r = 0; r < s->a.rows.count; ++r)
    {
        const frz_elastic_row *row = &s->a.rows.row[r];
        const frz_rigid_motion *motion = &s->kicks->motion[row->body];
        frz_elastic_row_coordinates(row, motion->velocity, motion->spin, &s->kick[s->a.count + 2 * r]);
        any =
            any || frz_v3_dot(motion->velocity, motion->velocity) > 0.0 || frz_v3_dot(motion->spin, motion->spin) > 0.0;
    }
    return any;
}

static int piece_of(const frz_state *state, const frz_elastic_matrix *a, int i)
{
    return state->solids.cracked ? state->solids.piece[a->first + i] - a->first : 0;
}

static frz_vec3 place_of(const frz_state *state, const frz_elastic_matrix *a, int i)
{
    return frz_v3_of(frz_field_v4(&state->particles, FRZ_FIELD_ID_position)[a->slot[i]]);
}

// Sums in order of numbers; in periodic spaces a piece across the seam has no centre, and its spin is left alone.
static void sum_pieces(const frz_state *state, const body_answer *s, piece_sums *piece)
{
    const frz_elastic_matrix *a = &s->a;
    for (int i = 0; i < a->count; ++i)
    {
        piece_sums *p = &piece[piece_of(state, a, i)];
        if (a->slot[i] < 0)
            continue;
        p->held = p->held || frz_elastic_is_held(a, i);
        p->count += 1.0;
        p->shift = frz_v3_add(p->shift, frz_v3_of(s->rest[i]));
        p->center = frz_v3_add(p->center, place_of(state, a, i));
    }
    for (int i = 0; i < a->count; ++i)
    {
        piece_sums *p = &piece[piece_of(state, a, i)];
        if (a->slot[i] < 0)
            continue;
        const frz_vec3 arm = frz_v3_mad(place_of(state, a, i), -1.0 / p->count, p->center);
        p->moment = frz_v3_add(p->moment, frz_v3_cross(arm, frz_v3_of(s->rest[i])));
        p->second = frz_m3_add(p->second, frz_m3_outer(arm, arm));
    }
}

// inertia w = moment, where that has an answer: not along a rod, and only across the plane of a plane body.
static frz_vec3 spin_of(const piece_sums *p, frz_vec3 moment)
{
    const frz_mat3 inertia = frz_m3_sub(frz_m3_scale(frz_m3_trace(p->second), frz_m3_identity()), p->second);
    const frz_eigen3 axes = frz_m3_eigen(inertia);
    frz_vec3 spin = frz_v3(0.0, 0.0, 0.0);
    for (int c = 0; c < 3; ++c)
    {
        const frz_vec3 axis = frz_v3(axes.v.m[0][c], axes.v.m[1][c], axes.v.m[2][c]);
        if (axes.s[c] > 1e-6 * axes.s[0])
            spin = frz_v3_mad(spin, frz_v3_dot(axis, moment) / axes.s[c], axis);
    }
    return spin;
}

static frz_status keep_momenta(frz_state *state, const body_answer *s, frz_diag *diag)
{
    const frz_elastic_matrix *a = &s->a;
    const int pieces = state->solids.cracked ? a->count : 1;
    piece_sums *piece = FRZ_SCRATCH(&state->scratch, pieces + 1, piece_sums);
    if (piece == NULL)
        return frz_fail_memory(diag, "contacts of elastic bodies");
    memset(piece, 0, (size_t)pieces * sizeof *piece);
    sum_pieces(state, s, piece);
    const bool turns = !(state->grid.periodic[0] || state->grid.periodic[1] || state->grid.periodic[2]);
    for (int n = 0; n < pieces; ++n)
    {
        piece_sums *p = &piece[n];
        if (p->held || !(p->count > 0.0))
            continue;
        p->velocity = frz_v3_scale(1.0 / (p->count * (double)a->inertia), p->shift);
        if (turns)
            p->spin = frz_v3_scale(1.0 / (double)a->inertia, spin_of(p, p->moment));
    }
    for (int i = 0; i < a->count; ++i)
    {
        const piece_sums *p = &piece[piece_of(state, a, i)];
        if (a->slot[i] < 0 || p->held)
            continue;
        const frz_vec3 arm = frz_v3_mad(place_of(state, a, i), -1.0 / p->count, p->center);
        const frz_v4 rigid = frz_v4_of(frz_v3_add(p->velocity, frz_v3_cross(p->spin, arm)));
        s->answer[i] += rigid;
        s->rest[i] -= a->inertia * rigid;
    }
    return FRZ_OK;
}

// Particles of the body; held ones get the force that its neighbours' answers make there.
static void write_answer(const frz_state *state, const body_answer *s)
{
    const frz_elastic_matrix *a = &s->a;
    for (int i = 0; i < a->count; ++i)
        if (a->slot[i] >= 0)
            s->kicks->acted[a->slot[i]] = s->kick[i] - s->rest[i];
    if (a->held != NULL)
        frz_elastic_matrix_apply(a, s->answer, s->rest); // leaves forces behind
    for (int i = 0; i < a->count; ++i)
        if (a->slot[i] >= 0)
            s->kicks->answer[a->slot[i]] =
                frz_elastic_is_held(a, i) ? a->per_mass * a->work->force[a->first + i] : s->answer[i];
    for (int r = 0; r < a->rows.count; ++r)
    {
        const frz_elastic_row *row = &a->rows.row[r];
        frz_rigid_motion *motion = &s->kicks->motion[row->body];
        frz_elastic_row_motion(row, &s->answer[a->count + 2 * r], &motion->velocity, &motion->spin);
    }
    for (int n = 0; n < a->rows.carried_count; ++n)
        frz_kicks_join_carried(s->kicks, state, a->rows.carried[n]->slot, a->rows.row[a->rows.row_of[n]].body);
}

static frz_status solve(frz_state *state, body_answer *s, frz_diag *diag)
{
    frz_arena *scratch = &state->scratch;
    frz_elastic_matrix *a = &s->a;
    FRZ_TRY(frz_elastic_work_make_body(a->bonds, a->body, scratch, a->work, diag));
    if (a->columns != NULL) // those of the step are gone
        FRZ_TRY(frz_elastic_matrix_make_room(a, scratch, diag));
    double *partial = FRZ_SCRATCH(scratch, frz_block_count(a->unknowns) + 1, double);
    if (partial == NULL)
        return frz_fail_memory(diag, "contacts of elastic bodies");
    memset(s->answer, 0, (size_t)a->unknowns * sizeof *s->answer);
    for (int n = 0; n < a->rows.carried_count; ++n)
        a->rows.arm[n] = a->rows.carried[n]->arm;
    const frz_cg cg = {.count = a->unknowns,
                       .user = a,
                       .apply = frz_elastic_matrix_apply,
                       .precondition = a->columns != NULL ? frz_elastic_matrix_precondition : NULL,
                       .tolerance = tolerance * sqrt(frz_cg_dot(a->unknowns, s->kick, s->kick, NULL, partial)),
                       .max_iterations = s->self->max_iterations,
                       .from_zero = true,
                       .remainder = s->rest};
    frz_cg_report solved;
    FRZ_TRY(frz_cg_solve(&cg, s->kick, s->answer, scratch, &solved, diag));
    state->stats.elastic.iterations += solved.iterations;
    if (!isfinite(solved.residual))
        return frz_fail(diag, FRZ_ERR_DIVERGED, "the elastic solver blew up over a contact");
    if (a->rows.count == 0)
        FRZ_TRY(keep_momenta(state, s, diag));
    write_answer(state, s);
    return FRZ_OK;
}

frz_status frz_elastic_answer(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag)
{
    frz_arena *scratch = &state->scratch;
    const frz_arena_mark mark = frz_arena_here(scratch);
    const frz_elastic_response *r = (const frz_elastic_response *)self;
    frz_elastic_work work;
    body_answer s = {.self = r, .a = r->matrix, .kicks = kicks};
    s.a.work = &work;
    FRZ_TRY(frz_elastic_rows_make(state, s.a.body, r->mass, r->tau, r->dt, &s.a.rows, diag));
    s.a.unknowns = s.a.count + 2 * s.a.rows.count;
    s.kick = FRZ_SCRATCH(scratch, s.a.unknowns + 1, frz_v4);
    s.answer = FRZ_SCRATCH(scratch, s.a.unknowns + 1, frz_v4);
    s.rest = FRZ_SCRATCH(scratch, s.a.unknowns + 1, frz_v4);
    if (s.kick == NULL || s.answer == NULL || s.rest == NULL)
        return frz_fail_memory(diag, "contacts of elastic bodies");
    if (read_kicks(&s))
        FRZ_TRY(solve(state, &s, diag));
    frz_arena_release(scratch, mark);
    return FRZ_OK;
}

// Spins of the pieces before and after.
typedef struct turn_sums
{
    piece_sums piece; // moment: of the velocities that it moves with now
    frz_vec3 before;  // the same before the impulses
    bool kicked;
} turn_sums;

static void sum_turns(const frz_state *state, const frz_elastic_response *r, const frz_kicks *kicks, turn_sums *turn)
{
    const frz_elastic_matrix *a = &r->matrix;
    for (int i = 0; i < a->count; ++i)
    {
        turn_sums *t = &turn[piece_of(state, a, i)];
        if (a->slot[i] < 0)
            continue;
        const frz_v4 answer = kicks->answer[a->slot[i]];
        t->piece.held = t->piece.held || frz_elastic_is_held(a, i);
        t->piece.count += 1.0;
        t->piece.center = frz_v3_add(t->piece.center, place_of(state, a, i));
        t->kicked = t->kicked || frz_v4_dot3(answer, answer) > 0;
    }
    for (int i = 0; i < a->count; ++i)
    {
        turn_sums *t = &turn[piece_of(state, a, i)];
        if (a->slot[i] < 0 || t->piece.held || !t->kicked)
            continue;
        const int slot = a->slot[i];
        const frz_v4 way = frz_kicks_way(state, slot);
        const frz_v4 change = (frz_real)(r->base.theta * frz_kicks_scale(kicks, slot)) * kicks->answer[slot];
        const frz_vec3 arm = frz_v3_mad(place_of(state, a, i), -1.0 / t->piece.count, t->piece.center);
        t->piece.moment = frz_v3_add(t->piece.moment, frz_v3_cross(arm, frz_v3_of(way)));
        t->before = frz_v3_add(t->before, frz_v3_cross(arm, frz_v3_of(way - change)));
        t->piece.second = frz_m3_add(t->piece.second, frz_m3_outer(arm, arm));
    }
}

frz_status frz_elastic_settle(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag)
{
    const frz_elastic_response *r = (const frz_elastic_response *)self;
    const frz_elastic_matrix *a = &r->matrix;
    if (state->grid.periodic[0] || state->grid.periodic[1] || state->grid.periodic[2] || a->rows.count > 0)
        return FRZ_OK; // what is tied to a rigid body turns with that
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    const int pieces = state->solids.cracked ? a->count : 1;
    turn_sums *turn = FRZ_SCRATCH(&state->scratch, pieces + 1, turn_sums);
    if (turn == NULL)
        return frz_fail_memory(diag, "contacts of elastic bodies");
    memset(turn, 0, (size_t)pieces * sizeof *turn);
    sum_turns(state, r, kicks, turn);
    for (int n = 0; n < pieces; ++n)
        if (turn[n].kicked && !turn[n].piece.held)
        {
            turn[n].piece.spin = spin_of(&turn[n].piece, turn[n].piece.moment);
            turn[n].before = spin_of(&turn[n].piece, turn[n].before);
        }
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    for (int i = 0; i < a->count; ++i)
    {
        const turn_sums *t = &turn[piece_of(state, a, i)];
        if (a->slot[i] < 0 || t->piece.held || !t->kicked)
            continue;
        const frz_vec3 arm = frz_v3_mad(place_of(state, a, i), -1.0 / t->piece.count, t->piece.center);
        const frz_vec3 now = frz_v3_cross(t->piece.spin, frz_v3_cross(t->piece.spin, arm));
        const frz_vec3 before = frz_v3_cross(t->before, frz_v3_cross(t->before, arm));
        velocity[a->slot[i]] += frz_v4_of(frz_v3_scale(0.5 * r->dt / r->base.theta, frz_v3_sub(now, before)));
    }
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}
