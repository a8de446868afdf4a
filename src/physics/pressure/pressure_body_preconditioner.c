// SPDX-License-Identifier: MIT
// Rigid bodies in the preconditioner of conjugate gradients.
//
// A body that yields adds G B G^T to the matrix, with one column of G per degree of freedom: a few large eigenvalues,
// the larger the lighter the body. With the liquid's diagonal D the inverse of D + G B G^T is known in closed form
// (Woodbury 1950), and B may be singular, as of bodies on hinges and in two dimensions, or very large:
//
//     z = D^-1 (r - G q),    q = (1 + B C)^-1 B G^T D^-1 r,    C = G^T D^-1 G
//
// G q is the response of a body: the decrease of the residuals beside it by its motion. Sums are over particles that
// are free to change: with pressure, or too dense. A particle beside n bodies enters each with the weight 1 / sqrt(n):
// z is then the sum of r in the inverses of the bodies, and the preconditioner stays positive.
#include <math.h>
#include <string.h>

#include "math/small_solve.h"
#include "physics/pressure/pressure_system.h"

enum
{
    dof = FRZ_BODY_DOF
};

// Column of G: the change of the particle's compression by a shift and a turn of the body.
static void column_of(const frz_body_link *link, double *out)
{
    const frz_vec3 g = frz_v3_of(link->gradient), moment = frz_v3_cross(frz_v3_of(link->arm), g);
    memcpy(out, (double[dof]){g.x, g.y, g.z, moment.x, moment.y, moment.z}, dof * sizeof *out);
}

// B of a body.
static void set_mobility(const frz_pressure_system *system, int b)
{
    const frz_rigid_body *body = &system->bodies[b];
    const double mass_unit = system->share[b] * system->mass_unit,
                 inertia_unit = system->share[b] * system->inertia_unit;
    frz_preconditioner_body *out = &system->preconditioner_body[b];
    memset(out, 0, sizeof *out);
    const frz_vec3 unit[3] = {frz_v3(1.0, 0.0, 0.0), frz_v3(0.0, 1.0, 0.0), frz_v3(0.0, 0.0, 1.0)};
    for (int c = 0; c < 3; ++c)
    {
        const frz_vec3 shift = frz_v3_scale(mass_unit, frz_rigid_body_yield(body, unit[c]));
        const frz_vec3 turn = frz_v3_scale(inertia_unit, frz_m3_apply(body->inverse_inertia_world, unit[c]));
        const double both[dof] = {shift.x, shift.y, shift.z, turn.x, turn.y, turn.z};
        for (int r = 0; r < 3; ++r)
        {
            out->mobility[r][c] = both[r];
            out->mobility[r + 3][c + 3] = both[r + 3];
        }
    }
}

frz_status frz_pressure_body_preconditioner_make(frz_state *state, frz_pressure_system *system, frz_diag *diag)
{
    // with joints or particles of its own a body does not respond as B assumes
    if (system->links == NULL || !system->strong || system->sample_fit != NULL || system->joints != NULL ||
        system->drivers->with_body > 0)
        return FRZ_OK;
    const int count = system->pairs->count;
    system->preconditioner_piece =
        FRZ_SCRATCH(&state->scratch, system->links->piece_count + 1, frz_preconditioner_sums);
    system->preconditioner_body = FRZ_SCRATCH(&state->scratch, system->body_count + 1, frz_preconditioner_body);
    system->body_response = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    if (system->preconditioner_piece == NULL || system->preconditioner_body == NULL || system->body_response == NULL)
        return frz_fail_memory(diag, "the coupling of bodies");
    memset(system->body_response, 0, (size_t)(count + 1) * sizeof *system->body_response);
    frz_pressure_body_preconditioner_weigh(system);
    return FRZ_OK;
}

void frz_pressure_body_preconditioner_weigh(const frz_pressure_system *system)
{
    for (int b = 0; system->body_response != NULL && b < system->body_count; ++b)
        set_mobility(system, b);
}

// Rows of particles at their bound that would go below it are left out on both sides: mixed with others, their step
// could lead uphill (Bertsekas 1982).
static bool is_free(const frz_pressure_system *system, int i)
{
    return system->kappa[i] > 0 || system->residual[i] > 0 || system->unbounded;
}

static double weight_of(const frz_body_links *links, int i)
{
    const int bodies = links->begin[i + 1] - links->begin[i];
    return bodies == 1 ? 1.0 : 1.0 / sqrt((double)bodies);
}

// G^T D^-1 r of a piece, and the lower triangle of C with its diagonal.
static void sum_piece(const frz_pressure_system *system, const frz_link_piece *piece, frz_preconditioner_sums *out)
{
    const frz_body_links *links = system->links;
    memset(out, 0, sizeof *out);
    for (int k = piece->begin; k < piece->end; ++k)
    {
        const frz_body_link *link = &links->link[links->order[k]];
        const int i = link->source;
        if (!is_free(system, i))
            continue;
        double g[dof];
        column_of(link, g);
        const double inverse = (double)system->inverse_diagonal[i];
        const double pull = weight_of(links, i) * inverse * (double)system->residual[i];
        for (int r = 0; r < dof; ++r)
        {
            out->pull[r] += pull * g[r];
            for (int c = 0; c <= r; ++c)
                out->stiffness[r][c] += inverse * g[r] * g[c];
        }
    }
}

// The same of a body.
static void sum_body(const frz_pressure_system *system, int b, frz_preconditioner_sums *out)
{
    const frz_preconditioner_sums *piece = system->preconditioner_piece;
    for (int r = 0; r < dof; ++r)
    {
        out->pull[r] = frz_body_links_sum(system->links, b, &piece->pull[r], sizeof *piece);
        for (int c = 0; c <= r; ++c)
            out->stiffness[r][c] = out->stiffness[c][r] =
                frz_body_links_sum(system->links, b, &piece->stiffness[r][c], sizeof *piece);
    }
}

// q of a body from its sums. 1 + B C is regular for any B and C that are symmetric and semidefinite.
static void find_answer(frz_preconditioner_body *body)
{
    double matrix[dof][dof];
    for (int r = 0; r < dof; ++r)
    {
        body->answer[r] = 0.0;
        for (int c = 0; c < dof; ++c)
        {
            body->answer[r] += body->mobility[r][c] * body->sums.pull[c];
            matrix[r][c] = r == c ? 1.0 : 0.0;
            for (int k = 0; k < dof; ++k)
                matrix[r][c] += body->mobility[r][k] * body->sums.stiffness[k][c];
        }
    }
    frz_small_solve(dof, 1, matrix[0], body->answer);
}

void frz_pressure_body_preconditioner_clear(const frz_pressure_system *system)
{
    for (int n = 0; system->body_response != NULL && n < system->links->particle_links; ++n)
        system->body_response[system->links->link[n].source] = 0;
}

void frz_pressure_body_precondition(const frz_pressure_system *system)
{
    const frz_body_links *links = system->links;
    if (system->body_response == NULL)
        return;
#pragma omp parallel for schedule(static) if (links->count >= frz_parallel_least)
    for (int p = 0; p < links->piece_count; ++p)
        sum_piece(system, &links->piece[p], &system->preconditioner_piece[p]);
#pragma omp parallel for schedule(static) if (links->count >= frz_parallel_least)
    for (int b = 0; b < system->body_count; ++b)
    {
        if (links->entry_count[b] == 0)
            continue;
        sum_body(system, b, &system->preconditioner_body[b].sums);
        find_answer(&system->preconditioner_body[b]);
    }
    for (int n = 0; n < links->particle_links; ++n)
    {
        const frz_body_link *link = &links->link[n];
        const int i = link->source;
        const double *answer = system->preconditioner_body[link->body].answer;
        double g[dof], sum = 0.0;
        column_of(link, g);
        for (int r = 0; r < dof; ++r)
            sum += g[r] * answer[r];
        const frz_real part = is_free(system, i) ? (frz_real)(weight_of(links, i) * sum) : 0;
        system->body_response[i] = n == links->begin[i] ? part : system->body_response[i] + part;
    }
}
