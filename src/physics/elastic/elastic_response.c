// SPDX-License-Identifier: MIT
#include "physics/elastic/elastic_response.h"

#include <math.h>
#include <string.h>

#include "math/conjugate_gradient.h"

// Error of the answer at which the solver stops, over the kicks (root mean squares); that below which it need not be;
// and over the change of kicks since the last step. The factor of the kicks is found with what the solver has done, so
// that these are a matter of accuracy, not of energy.
static const double tolerance = 0.03, finest = 0.005, share = 0.5;
// Impulses over those of the last step, below which they are gone: some of the 1e-7 that single precision leaves.
static const double leftover = 1e-3;

// Square of the sine of an angle below which two directions are one.
static const double same_direction = 1e-8;
// Part of a start that may be due to answers of the last step, over the impulses; and the largest multiple of what was
// found in this one.
static const double most_stale = 0.05, most_again = 2.0;

// Sums over the particles of a piece, their masses m (over that of the body's first material) and a vector r of each;
// the piece as a rigid body that moves with them.
typedef struct piece_sums
{
    double mass;
    frz_elastic_wide r, x, turn; // sums of r, m x and x cross r
    frz_elastic_wide second[3];  // sum of m x x^T by columns
    frz_vec3 center, velocity, spin;
    bool held;
} piece_sums;

typedef struct body_answer
{
    const frz_elastic_response *self;
    frz_elastic_matrix a;
    frz_kicks *kicks;
    frz_v4 *kick, *answer, *rest;
    double *partial;      // by block
    struct fit_sums *fit; // by block
    double more, again;   // multiples of known impulses to begin with, see find_start
    bool begun;           // kick, answer and rest are of the change since the last step
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

static frz_elastic_wide place_of(const frz_state *state, const frz_elastic_matrix *a, int i)
{
    return frz_elastic_widen(frz_v4_xyz(frz_field_v4(&state->particles, FRZ_FIELD_ID_position)[a->slot[i]]));
}

static frz_vec3 narrow(frz_elastic_wide a)
{
    return frz_v3(a[0], a[1], a[2]);
}

static frz_elastic_wide cross(frz_elastic_wide a, frz_elastic_wide b)
{
    const frz_elastic_wide product = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
                                      0.0};
    return product;
}

static void add_mass_to_piece(piece_sums *p, double mass, frz_elastic_wide x)
{
    p->mass += mass;
    p->x += mass * x;
    for (int c = 0; c < 3; ++c)
        p->second[c] += (mass * x[c]) * x;
}

static void add_to_piece(piece_sums *p, double mass, frz_elastic_wide x, frz_elastic_wide r)
{
    p->r += r;
    p->turn += cross(x, r);
    add_mass_to_piece(p, mass, x);
}

// inertia w = moment, where that has an answer: not along a rod, and only across the plane of a plane body.
static frz_vec3 spin_of(frz_mat3 second, frz_vec3 moment)
{
    const frz_mat3 inertia = frz_m3_sub(frz_m3_scale(frz_m3_trace(second), frz_m3_identity()), second);
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

// The motion of a rigid piece with the momenta of r. In periodic spaces a piece across the seam has no centre, and no
// spin.
static void find_motion(const frz_state *state, piece_sums *p)
{
    p->center = p->velocity = p->spin = frz_v3(0.0, 0.0, 0.0);
    if (!(p->mass > 0.0))
        return;
    p->center = frz_v3_scale(1.0 / p->mass, narrow(p->x));
    p->velocity = frz_v3_scale(1.0 / p->mass, narrow(p->r));
    if (state->neighbors.grid.periodic[0] || state->neighbors.grid.periodic[1] || state->neighbors.grid.periodic[2])
        return;
    frz_mat3 second;
    for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 3; ++d)
            second.m[d][c] = p->second[c][d];
    second = frz_m3_sub(second, frz_m3_scale(p->mass, frz_m3_outer(p->center, p->center)));
    p->spin = spin_of(second, frz_v3_sub(narrow(p->turn), frz_v3_cross(p->center, narrow(p->r))));
}

static frz_elastic_wide wide_of(frz_vec3 v)
{
    const frz_elastic_wide wide = {v.x, v.y, v.z, 0.0};
    return wide;
}

// The residual of the rows of a rigid body are momenta, too: M W over the mass of a particle, with W = S y.
static void add_row_to_piece(const frz_state *state, const body_answer *s, int r, piece_sums *p)
{
    const frz_elastic_row *row = &s->a.rows.row[r];
    const frz_rigid_body *body = &state->bodies.rigid[row->body];
    const frz_mat3 axes = frz_m3_from_quat(body->rotation);
    const frz_mat3 inertia =
        frz_m3_scale(1.0 / s->self->mass, frz_m3_mul(frz_m3_mul(axes, body->inertia), frz_m3_transpose(axes)));
    const double mass = body->mass / s->self->mass;
    frz_vec3 velocity, spin;
    frz_elastic_row_motion(row, &s->rest[s->a.count + 2 * r], &velocity, &spin);
    add_to_piece(p, mass, wide_of(body->position), mass * wide_of(velocity));
    p->turn += wide_of(frz_m3_apply(inertia, spin));
    // inertia = trace(second) - second
    const frz_mat3 second = frz_m3_sub(frz_m3_scale(0.5 * frz_m3_trace(inertia), frz_m3_identity()), inertia);
    for (int c = 0; c < 3; ++c)
        p->second[c] += wide_of(frz_v3(second.m[0][c], second.m[1][c], second.m[2][c]));
}

static void move_row_with_piece(const frz_state *state, const body_answer *s, int r, const piece_sums *p)
{
    const frz_elastic_row *row = &s->a.rows.row[r];
    const frz_vec3 arm = frz_v3_sub(state->bodies.rigid[row->body].position, p->center);
    frz_v4 y[2];
    frz_elastic_row_coordinates(row, frz_v3_add(p->velocity, frz_v3_cross(p->spin, arm)), p->spin, y);
    for (int k = 0; k < 2; ++k)
    {
        s->answer[s->a.count + 2 * r + k] += y[k];
        s->rest[s->a.count + 2 * r + k] -= y[k];
    }
}

// Residual of the solver, taken as a motion without deformation: momentum and angular momentum are kept whatever the
// tolerance is. Rigid bodies at the ends of ties move with the body. Sums go in order of numbers.
static frz_status keep_momenta(frz_state *state, const body_answer *s, frz_diag *diag)
{
    const frz_elastic_matrix *a = &s->a;
    const int pieces = state->solids.cracked ? a->count : 1;
    piece_sums *piece = FRZ_SCRATCH(&state->scratch, pieces + 1, piece_sums);
    if (piece == NULL)
        return frz_fail_memory(diag, "contacts of elastic bodies");
    memset(piece, 0, (size_t)pieces * sizeof *piece);
    frz_elastic_moments *moments = s->self->moments;
    const bool known = moments->known && !state->solids.cracked;
    for (int i = 0; i < a->count; ++i)
    {
        piece_sums *p = &piece[piece_of(state, a, i)];
        p->held = p->held || frz_elastic_is_held(a, i);
        if (a->slot[i] < 0)
            continue;
        const frz_elastic_wide x = place_of(state, a, i), rest = frz_elastic_widen(s->rest[i]);
        p->r += rest;
        p->turn += cross(x, rest);
        if (!known)
            add_mass_to_piece(p, (double)frz_elastic_inertia(a, i), x);
    }
    if (known)
    {
        piece->mass = moments->mass;
        piece->x = moments->x;
        memcpy(piece->second, moments->second, sizeof piece->second);
    }
    else if (!state->solids.cracked)
    {
        *moments = (frz_elastic_moments){.mass = piece->mass, .x = piece->x, .known = true};
        memcpy(moments->second, piece->second, sizeof piece->second);
    }
    for (int r = 0; r < a->rows.count; ++r)
        add_row_to_piece(state, s, r, piece);
    for (int n = 0; n < pieces; ++n)
        find_motion(state, &piece[n]);
    for (int i = 0; i < a->count; ++i)
    {
        const piece_sums *p = &piece[piece_of(state, a, i)];
        if (a->slot[i] < 0 || p->held)
            continue;
        const frz_vec3 arm = frz_v3_sub(narrow(place_of(state, a, i)), p->center);
        const frz_v4 rigid = frz_v4_of(frz_v3_add(p->velocity, frz_v3_cross(p->spin, arm)));
        s->answer[i] += rigid;
        s->rest[i] -= frz_elastic_inertia(a, i) * rigid;
    }
    for (int r = 0; r < a->rows.count && !piece->held; ++r)
        move_row_with_piece(state, s, r, piece);
    return FRZ_OK;
}

// ---- where to begin

// Sums over the particles of a block: squares of the impulses, of their change c since the last answer, of the last
// ones k, of what this step has changed in those (n); and products.
typedef struct fit_sums
{
    double square, cc, kk, nn, ck, cn, kn;
} fit_sums;

static double sum3(frz_elastic_wide a)
{
    return a[0] + a[1] + a[2];
}

static fit_sums fit_block(const body_answer *s, int begin, int end)
{
    const frz_response *r = &s->self->base;
    frz_elastic_wide square = {0.0}, cc = {0.0}, kk = {0.0}, nn = {0.0}, ck = {0.0}, cn = {0.0}, kn = {0.0};
    for (int i = begin; i < end; ++i)
    {
        const frz_elastic_wide kick = frz_elastic_widen(s->kick[i]), k = frz_elastic_widen(r->last_kick[i]);
        const frz_elastic_wide c = kick - k, n = frz_elastic_widen(r->last_kick[i] - r->begin_kick[i]);
        square += kick * kick;
        cc += c * c;
        kk += k * k;
        nn += n * n;
        ck += c * k;
        cn += c * n;
        kn += k * n;
    }
    return (fit_sums){sum3(square), sum3(cc), sum3(kk), sum3(nn), sum3(ck), sum3(cn), sum3(kn)};
}

static fit_sums fit_all(const body_answer *s)
{
    const int blocks = frz_block_count(s->a.count);
    fit_sums *of = s->fit;
#pragma omp parallel for schedule(static) if (s->a.count >= frz_parallel_least)
    for (int b = 0; b < blocks; ++b)
        of[b] = fit_block(s, b * FRZ_BLOCK, frz_block_end(b, s->a.count));
    return (fit_sums){.square = frz_exact_sum(&of->square, sizeof *of, blocks),
                      .cc = frz_exact_sum(&of->cc, sizeof *of, blocks),
                      .kk = frz_exact_sum(&of->kk, sizeof *of, blocks),
                      .nn = frz_exact_sum(&of->nn, sizeof *of, blocks),
                      .ck = frz_exact_sum(&of->ck, sizeof *of, blocks),
                      .cn = frz_exact_sum(&of->cn, sizeof *of, blocks),
                      .kn = frz_exact_sum(&of->kn, sizeof *of, blocks)};
}

// Impulses of contacts are those answered last, but for a factor of all, a part of what this step has changed in them
// already, and what is new. The first two need no solver: their answers are the same multiples of known ones. Here are
// the multiples that come nearest. x' belongs to a matrix that is a step old, so that its multiple stays near 1.
static double find_start(body_answer *s)
{
    const frz_response *r = &s->self->base;
    const fit_sums sums = fit_all(s);
    s->more = s->again = 0.0;
    if (!r->inside)
        return sqrt(sums.square);
    const double determinant = sums.kk * sums.nn - sums.kn * sums.kn;
    const bool differ = determinant > same_direction * sums.kk * sums.nn;
    s->more = differ ? (sums.ck * sums.nn - sums.cn * sums.kn) / determinant : sums.kk > 0 ? sums.ck / sums.kk : 0.0;
    double *kept = &s->kicks->kept[r->body];
    if (s->more * s->more * sums.kk > most_stale * most_stale * sums.square ||
        fabs((1.0 + s->more) * *kept - 1.0) > most_stale)
        s->more = 0.0;
    if (differ)
        s->again = fmin(fmax((sums.cn - s->more * sums.kn) / sums.nn, -most_again), most_again);
    *kept *= 1.0 + s->more;
    return sqrt(sums.square);
}

static inline frz_v4 start_at(const body_answer *s, const frz_v4 *last, const frz_v4 *begin, int i)
{
    return last[i] + (frz_real)s->more * last[i] + (frz_real)s->again * (last[i] - begin[i]);
}

static inline frz_v4 start_kick(const body_answer *s, int i)
{
    return start_at(s, s->self->base.last_kick, s->self->base.begin_kick, i);
}

// Particles of the body; held ones get the force that its neighbours' answers make there.
static void write_answer(const frz_state *state, const body_answer *s)
{
    const frz_elastic_matrix *a = &s->a;
    for (int i = 0; i < a->count; ++i)
        if (a->slot[i] >= 0)
            s->kicks->acted[a->slot[i]] = s->kick[i] - 1 / frz_elastic_share(a, i) * s->rest[i];
    for (int i = 0; s->begun && i < a->count; ++i)
    {
        if (a->slot[i] >= 0)
            s->kicks->acted[a->slot[i]] += start_kick(s, i);
        if (!frz_elastic_is_held(a, i)) // else it is a force
            s->answer[i] += start_at(s, s->self->base.last_answer, s->self->base.begin_answer, i);
    }
    if (a->held != NULL)
        frz_elastic_matrix_apply(a, s->answer, s->rest); // leaves forces behind
    for (int i = 0; i < a->count; ++i)
        if (a->slot[i] >= 0)
            s->kicks->answer[a->slot[i]] = frz_elastic_is_held(a, i)
                                               ? a->per_mass / frz_elastic_share(a, i) * a->work->force[a->first + i]
                                               : s->answer[i];
    for (int r = 0; r < a->rows.count; ++r)
    {
        const frz_elastic_row *row = &a->rows.row[r];
        frz_rigid_motion *motion = &s->kicks->motion[row->body];
        frz_elastic_row_motion(row, &s->answer[a->count + 2 * r], &motion->velocity, &motion->spin);
    }
    for (int n = 0; n < a->rows.carried_count; ++n)
        frz_kicks_join_carried(s->kicks, state, a->rows.carried[n]->slot, a->rows.row[a->rows.row_of[n]].body);
}

// From kicks to the right-hand side of the matrix, whose rows are multiplied by shares; and back.
static void multiply_shares(const frz_elastic_matrix *a, frz_v4 *kick, bool back)
{
    for (int i = 0; a->shares != NULL && i < a->count; ++i)
        kick[i] *= back ? 1 / a->shares[i] : a->shares[i];
}

// Solve A answer = kick from zero; rest is what remains.
static frz_status solve_kicks(frz_state *state, const body_answer *s, double stop, frz_diag *diag)
{
    const frz_elastic_matrix *a = &s->a;
    memset(s->answer, 0, (size_t)a->unknowns * sizeof *s->answer);
    const frz_cg cg = {.count = a->unknowns,
                       .user = a,
                       .apply = frz_elastic_matrix_apply,
                       .precondition = frz_elastic_matrix_preconditioner(a),
                       .tolerance = stop,
                       .max_iterations = s->self->max_iterations,
                       .from_zero = true,
                       .remainder = s->rest};
    frz_cg_report solved;
    multiply_shares(a, s->kick, false);
    FRZ_TRY(frz_cg_solve(&cg, s->kick, s->answer, &state->scratch, &solved, diag));
    multiply_shares(a, s->kick, true);
    state->stats.elastic.iterations += solved.iterations;
    if (!isfinite(solved.residual))
        return frz_fail(diag, FRZ_ERR_DIVERGED, "the elastic solver blew up over a contact");
    const bool in_pieces = a->rows.count > 0 && state->solids.cracked; // held together by rigid bodies
    return in_pieces ? FRZ_OK : keep_momenta(state, s, diag);
}

static double size_of(const body_answer *s, const frz_v4 *v)
{
    return sqrt(frz_cg_dot(s->a.unknowns, v, v, NULL, s->partial));
}

static frz_status solve(frz_state *state, body_answer *s, frz_diag *diag)
{
    const frz_elastic_matrix *a = &s->a;
    const double size = s->begun ? find_start(s) : size_of(s, s->kick);
    for (int i = 0; s->begun && i < a->count; ++i)
        s->kick[i] -= start_kick(s, i);
    const double change = size_of(s, s->kick);
    for (int n = 0; n < a->rows.carried_count; ++n)
        a->rows.arm[n] = a->rows.carried[n]->arm;
    FRZ_TRY(solve_kicks(state, s, fmin(tolerance * size, fmax(finest * size, share * change)), diag));
    write_answer(state, s);
    return FRZ_OK;
}

// The matrix of the step and room for vectors.
static frz_status make_answer(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_elastic_work *work,
                              body_answer *s, frz_diag *diag)
{
    frz_arena *scratch = &state->scratch;
    const frz_elastic_response *r = (const frz_elastic_response *)self;
    *s = (body_answer){.self = r, .a = r->matrix, .kicks = kicks};
    s->a.work = work;
    FRZ_TRY(frz_elastic_rows_make(state, s->a.body, r->mass, r->tau, r->dt, &s->a.rows, diag));
    s->a.unknowns = s->a.count + 2 * s->a.rows.count;
    s->kick = FRZ_SCRATCH(scratch, s->a.unknowns + 1, frz_v4);
    s->answer = FRZ_SCRATCH(scratch, s->a.unknowns + 1, frz_v4);
    s->rest = FRZ_SCRATCH(scratch, s->a.unknowns + 1, frz_v4);
    s->partial = FRZ_SCRATCH(scratch, frz_block_count(s->a.unknowns) + 1, double);
    s->fit = FRZ_SCRATCH(scratch, frz_block_count(s->a.unknowns) + 1, fit_sums);
    if (s->kick == NULL || s->answer == NULL || s->rest == NULL || s->partial == NULL || s->fit == NULL)
        return frz_fail_memory(diag, "contacts of elastic bodies");
    FRZ_TRY(frz_elastic_work_make_body(s->a.bonds, s->a.body, scratch, work, diag));
    if (s->a.columns != NULL) // those of the step are gone
        FRZ_TRY(frz_elastic_matrix_make_room(&s->a, scratch, diag));
    s->begun = r->base.begun && kicks->kind == FRZ_KICKS_CONTACT;
    return FRZ_OK;
}

frz_status frz_elastic_answer(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_work work;
    body_answer s;
    FRZ_TRY(make_answer(state, self, kicks, &work, &s, diag));
    if (read_kicks(&s))
        FRZ_TRY(solve(state, &s, diag));
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

// Add the error that was found to the answer, and take it from the velocities, which were solved with its opposite.
static void write_error(frz_state *state, const body_answer *s)
{
    const frz_elastic_matrix *a = &s->a;
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    for (int i = 0; i < a->count; ++i)
        if (a->slot[i] >= 0)
            s->kicks->acted[a->slot[i]] -= 1 / frz_elastic_share(a, i) * s->rest[i];
    if (a->held != NULL)
        frz_elastic_matrix_apply(a, s->answer, s->rest); // leaves forces behind
    for (int i = 0; i < a->count; ++i)
    {
        if (a->slot[i] < 0)
            continue;
        const frz_v4 error = frz_elastic_is_held(a, i)
                                 ? a->per_mass / frz_elastic_share(a, i) * a->work->force[a->first + i]
                                 : frz_v4_xyz(s->answer[i]);
        s->kicks->answer[a->slot[i]] += error;
        velocity[a->slot[i]] -= error;
    }
}

// Contacts of the last step that have gone: what is left of their impulses is rounding, and has no answer.
static void drop_leftovers(const body_answer *s)
{
    for (int i = 0; i < s->a.count; ++i)
        if (s->a.slot[i] >= 0)
            s->kicks->acted[s->a.slot[i]] = s->kicks->answer[s->a.slot[i]] = frz_v4_zero();
}

frz_status frz_elastic_mend(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_work work;
    body_answer s;
    FRZ_TRY(make_answer(state, self, kicks, &work, &s, diag));
    for (int i = 0; i < s.a.count; ++i)
    {
        const int slot = s.a.slot[i];
        const bool free = slot >= 0 && !frz_elastic_is_held(&s.a, i);
        s.kick[i] = free ? frz_v4_xyz(kicks->acted[slot]) : frz_v4_zero();
        s.answer[i] = free ? frz_v4_xyz(kicks->answer[slot]) : frz_v4_zero();
    }
    const double size = size_of(&s, s.kick), least = leftover * size_of(&s, s.self->base.last_kick);
    const double stop = tolerance * fmax(size, least);
    frz_elastic_matrix_apply(&s.a, s.answer, s.rest);
    for (int i = 0; i < s.a.count; ++i)
        s.kick[i] -= 1 / frz_elastic_share(&s.a, i) * s.rest[i];
    if (size_of(&s, s.kick) > stop)
    {
        FRZ_TRY(solve_kicks(state, &s, stop, diag));
        write_error(state, &s);
    }
    if (size < least)
        drop_leftovers(&s);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

// A piece that impulses have made to turn otherwise.
typedef struct turned_piece
{
    piece_sums after;
    frz_elastic_wide moved, turned; // what they have changed in the sums of r and x cross r
    frz_mat3 inward;                // times the arm: velocity towards the centre
    bool kicked;
} turned_piece;

static void sum_turns(const frz_state *state, const frz_elastic_response *r, const frz_kicks *kicks, turned_piece *turn)
{
    const frz_elastic_matrix *a = &r->matrix;
    for (int i = 0; i < a->count; ++i)
    {
        turned_piece *t = &turn[piece_of(state, a, i)];
        const int slot = a->slot[i];
        if (slot < 0)
            continue;
        const frz_v4 answer = frz_v4_xyz(kicks->answer[slot]), way = frz_kicks_way(state, slot);
        const frz_v4 change = (frz_real)(r->base.theta * frz_kicks_scale(kicks, slot)) * answer;
        const frz_elastic_wide x = place_of(state, a, i);
        t->after.held = t->after.held || frz_elastic_is_held(a, i);
        t->kicked = t->kicked || frz_v4_dot3(answer, answer) > 0;
        const double mass = (double)frz_elastic_share(a, i);
        add_to_piece(&t->after, mass, x, mass * frz_elastic_widen(way));
        t->turned += cross(x, mass * frz_elastic_widen(change));
        t->moved += mass * frz_elastic_widen(change);
    }
}

// spin x (spin x arm) as a matrix.
static frz_mat3 inward_of(frz_vec3 spin)
{
    return frz_m3_sub(frz_m3_outer(spin, spin), frz_m3_scale(frz_v3_dot(spin, spin), frz_m3_identity()));
}

static void find_turn(const frz_state *state, const frz_elastic_response *r, turned_piece *t)
{
    piece_sums before = t->after;
    before.turn -= t->turned;
    before.r -= t->moved;
    find_motion(state, &t->after);
    find_motion(state, &before);
    t->inward = frz_m3_scale(0.5 * r->dt / r->base.theta, frz_m3_sub(inward_of(t->after.spin), inward_of(before.spin)));
}

frz_status frz_elastic_settle(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag)
{
    const frz_elastic_response *r = (const frz_elastic_response *)self;
    const frz_elastic_matrix *a = &r->matrix;
    if (state->neighbors.grid.periodic[0] || state->neighbors.grid.periodic[1] || state->neighbors.grid.periodic[2] ||
        a->rows.count > 0)
        return FRZ_OK; // what is tied to a rigid body turns with that
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    const int pieces = state->solids.cracked ? a->count : 1;
    turned_piece *turn = FRZ_SCRATCH(&state->scratch, pieces + 1, turned_piece);
    if (turn == NULL)
        return frz_fail_memory(diag, "contacts of elastic bodies");
    memset(turn, 0, (size_t)pieces * sizeof *turn);
    sum_turns(state, r, kicks, turn);
    for (int n = 0; n < pieces; ++n)
        if (turn[n].kicked && !turn[n].after.held)
            find_turn(state, r, &turn[n]);
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    for (int i = 0; i < a->count; ++i)
    {
        const turned_piece *t = &turn[piece_of(state, a, i)];
        if (a->slot[i] < 0 || t->after.held || !t->kicked)
            continue;
        const frz_vec3 arm = frz_v3_sub(narrow(place_of(state, a, i)), t->after.center);
        velocity[a->slot[i]] += frz_v4_of(frz_m3_apply(t->inward, arm));
    }
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}
