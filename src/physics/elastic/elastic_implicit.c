// SPDX-License-Identifier: MIT
#include "physics/elastic/elastic_implicit.h"

#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "math/conjugate_gradient.h"
#include "physics/elastic/elastic_corotated.h"
#include "physics/elastic/elastic_flow.h"
#include "physics/elastic/elastic_response.h"
#include "sim/state_solids.h"

const char *const frz_elastic_scheme_words[] = {[FRZ_ELASTIC_BACKWARD_EULER] = "backward_euler",
                                                [FRZ_ELASTIC_MIDPOINT] = "midpoint",
                                                [FRZ_ELASTIC_DAMPED] = "damped",
                                                NULL};

// The part of a step after which the equation holds. Beyond one half, oscillations faster than the steps are multiplied
// by (1 - 1 / theta) in each: two thirds halve them.
static const double theta_of[] = {
    [FRZ_ELASTIC_BACKWARD_EULER] = 1.0, [FRZ_ELASTIC_MIDPOINT] = 0.5, [FRZ_ELASTIC_DAMPED] = 2.0 / 3.0};

// The least number of passes. Rotations of a forecast place err by the square of the turn in a step. A scheme that
// takes nothing out of the fast modes keeps that, and stiff bodies that turn gain: two discs of 1e8 Pa that met off
// centre had 94 times their energy with one pass, 1.001 with two, 1.0008 with three; smaller ones 13 times and 1.18.
// The 1.18 may be the chord of a turn (not tested alone): half way through a turn by a, chords are nearer by a^2 / 8.
// Forces are those of there, so that the ends of steps are stretched by as much, and every second one by more.
static const int least_passes[] = {
    [FRZ_ELASTIC_BACKWARD_EULER] = 1, [FRZ_ELASTIC_MIDPOINT] = 3, [FRZ_ELASTIC_DAMPED] = 1};

// an unconverged solution with an error beyond this many tolerances is a failed step
static const double hopeless = 20.0;
// the residual must shrink by this for the last step's change to be the first guess
static const double worth_it = 0.5;
// root mean square of the rounding error of a number of size 1 to 2, and as if all of it met the stiffest mode half
// way
static const double rounding = 0.5 * 0.29 * FRZ_REAL_EPSILON;

// relative change of the length of a step up to which contacts of the last one are a part of the next
static const double same_step = 0.02;
// ratio of their lengths up to which the answer to liquid of the last one says something about the next
static const double most_ratio = 2.0;
// tolerance over that without contacts, relative to what these do to particles: contacts of the step change as much
static const double while_touching = 20.0;

// Sums over the imbalance b, the change x of the last step and its image y, of one block.
typedef struct last_sums
{
    double bb, xx, yy, xb, yb;
} last_sums;

// Sum of the changes of velocity of a block's particles by other forces in tau; and whether one of them is held.
typedef struct load_sums
{
    double sum[3];
    bool held;
} load_sums;

// One body in one step; arrays count from the body's first particle. Behind the particles imbalance and change have
// the rows of rigid bodies, see elastic_carried.h.
typedef struct body_step
{
    frz_elastic_matrix a;
    const frz_elastic_implicit *implicit;
    double theta;         // the part of the step after which forces and velocities are those of the equation
    frz_real tau;         // theta dt
    const frz_v4 *before; // v
    const frz_v4 *target; // v + tau a; for the solver times the particle's share (elastic_matrix.h)
    const frz_v4 *start;  // displacement at the beginning, and its part beyond working precision
    const frz_v4 *start_low;
    frz_v4 *velocity;    // w
    frz_v4 *imbalance;   // residual of the equation
    frz_v4 *change;      // of w in a pass
    frz_v4 *rest;        // of the imbalance behind it
    frz_v4 *last_change; // by slot: that of the first pass of the last step
    frz_v4 *last_image;  // by slot: its product with the matrix
    frz_v4 *last_rest;   // by slot: residual of its solver
    frz_v4 *last_kick;   // of contacts in the last step, and the answer to them
    frz_v4 *last_answer;
    frz_v4 *last_missed; // of the push of liquid, in a step as long as this one
    frz_v4 *last_rub;    // the part of last_kick that is friction
    frz_v4 *now_kick;    // room for those of this step
    frz_v4 *now_answer;
    bool begun; // the step is solved with these inside
    double *partial;
    last_sums *last_sums; // by block
    load_sums *load;      // by block
} body_step;

// the allowed error, over the change of relative velocities of the body's particles by other forces; and the share of
// the noise below which an error is not worth an iteration
static const double load_share = 0.005, smallest_load = 0.01;

// Length of the step over that of the last one; 0: too different to say something about it.
static double longer_than_last(const frz_state *state, double dt)
{
    const double ratio = state->stats.dt > 0.0 ? dt / state->stats.dt : 0.0;
    return ratio < 1.0 / most_ratio || ratio > most_ratio ? 0.0 : ratio;
}

// Take the contact impulses kept from the last step; none after a step without contacts. The step is solved with them
// if it is as long as that one and something touches (sim/response.h). Impulses go with the length of the step; one of
// another length altogether has another matrix.
static void take_last(const frz_state *state, const frz_instance *instance, body_step *s, double dt)
{
    frz_v4 *kick = frz_field_v4(&state->particles, instance->first_field + 4);
    frz_v4 *answer = frz_field_v4(&state->particles, instance->first_field + 5);
    frz_v4 *missed = frz_field_v4(&state->particles, instance->first_field + 6);
    frz_v4 *rub = frz_field_v4(&state->particles, instance->first_field + 7);
    const double ratio = state->stats.dt > 0.0 ? dt / state->stats.dt : 0.0;
    const frz_real longer = (frz_real)longer_than_last(state, dt);
    const bool same = fabs(ratio - 1.0) < same_step;
    const frz_real kept = same ? 1 : longer;
    int touching = 0;
#pragma omp parallel for schedule(static) reduction(+ : touching) if (s->a.count >= frz_parallel_some)
    for (int i = 0; i < s->a.count; ++i)
    {
        const int slot = s->a.slot[i];
        s->last_kick[i] = slot >= 0 ? kept * frz_v4_xyz(kick[slot]) : frz_v4_zero();
        s->last_answer[i] = slot >= 0 ? kept * frz_v4_xyz(answer[slot]) : frz_v4_zero();
        s->last_missed[i] = slot >= 0 ? longer * frz_v4_xyz(missed[slot]) : frz_v4_zero();
        s->last_rub[i] = slot >= 0 ? kept * frz_v4_xyz(rub[slot]) : frz_v4_zero();
        s->now_kick[i] = s->now_answer[i] = frz_v4_zero();
        if (slot >= 0)
            kick[slot] = answer[slot] = missed[slot] = rub[slot] = frz_v4_zero();
        touching += slot >= 0 && state->neighbors.pairs.diagonal[slot] > 0;
    }
    s->begun = touching > 0 && s->a.rows.count == 0 && same;
}

static void begin_imbalance(const void *user, int begin, int end)
{
    const body_step *s = user;
    for (int i = begin - s->a.first; i < end - s->a.first; ++i)
    {
        const frz_elastic_wide u = frz_elastic_widen(s->start[i]) + frz_elastic_widen(s->start_low[i]) +
                                   (double)s->tau * frz_elastic_widen(s->velocity[i]);
        frz_elastic_split(u, &s->a.work->place[s->a.first + i].displacement, &s->a.work->low[s->a.first + i]);
    }
}

static void finish_imbalance(const void *user, int begin, int end)
{
    const body_step *s = user;
    const frz_real per_force = s->a.per_mass / s->tau;
    for (int i = begin - s->a.first; i < end - s->a.first; ++i)
    {
        s->change[i] = per_force * s->a.work->force[s->a.first + i];
        s->imbalance[i] = frz_elastic_is_held(&s->a, i)
                              ? frz_v4_zero()
                              : s->target[i] - frz_elastic_inertia(&s->a, i) * s->velocity[i] + s->change[i];
    }
}

// Residual of the equation at w; root mean square of the change of velocities by elasticity, m/s.
static double find_imbalance(const body_step *s)
{
    frz_elastic_use force = s->implicit->force;
    force.begin = s->a.rows.count == 0 ? begin_imbalance : NULL;
    force.finish = finish_imbalance;
    force.user = s;
    s->a.work->with_low = true;
    s->a.work->change = false;
    if (s->a.rows.count > 0)
    {
        begin_imbalance(s, s->a.first, s->a.first + s->a.count);
        frz_elastic_rows_place(&s->a.rows, s->a.work->place + s->a.first);
    }
    for (int n = 0; n < s->a.rows.carried_count; ++n)
        s->a.work->low[s->a.first + s->a.rows.local[n]] = frz_v4_zero();
    (void)frz_elastic_forces(s->a.bonds, s->a.body, &force, s->a.work);
    frz_elastic_rows_sum(&s->a.rows, s->a.work->force + s->a.first, (double)(s->a.per_mass / s->tau),
                         s->imbalance + s->a.count);
    for (int r = 0; r < 2 * s->a.rows.count; ++r)
        s->imbalance[s->a.count + r] -= s->a.rows.row[r / 2].y[r % 2];
    return sqrt(frz_cg_dot(s->a.count, s->change, s->change, NULL, s->partial) / s->a.count);
}

static frz_v4 last_of(const body_step *s, const frz_v4 *field, int i)
{
    return s->a.slot[i] >= 0 && !frz_elastic_is_held(&s->a, i) ? frz_v4_xyz(field[s->a.slot[i]]) : frz_v4_zero();
}

static last_sums last_block(const body_step *s, int begin, int end)
{
    last_sums sums = {0.0, 0.0, 0.0, 0.0, 0.0};
    for (int i = begin; i < end; ++i)
    {
        const frz_v4 b = s->imbalance[i], x = last_of(s, s->last_change, i), y = last_of(s, s->last_image, i);
        s->change[i] = x;
        sums.bb += (double)frz_v4_dot3(b, b);
        sums.xx += (double)frz_v4_dot3(x, x);
        sums.yy += (double)frz_v4_dot3(y, y);
        sums.xb += (double)frz_v4_dot3(x, b);
        sums.yb += (double)frz_v4_dot3(y, b);
    }
    return sums;
}

// Square of the sine of an angle, from the squares of two lengths and the product of the vectors.
static double sine_square(double aa, double bb, double ab)
{
    return aa > 0.0 && bb > 0.0 ? 1.0 - ab * ab / (aa * bb) : 1.0;
}

// The change x of the first pass in the last step may be the first guess: elastic forces against contacts (a table, a
// tool) are much the same in every step. With b the imbalance and A the matrix of that step, the part of b beside A x
// is the residual after such a start; the part of b beside x is about the residual of the first iteration from zero, at
// the same cost. Sets change to the first guess; false if that is zero.
//
// Steps that begin where others ended make the same errors again, which would add up where the motion is slow. So the
// residual of the last step's solver is added to the imbalance. Both are of particles only: a first guess without its
// rows would move the centre of mass.
static bool begin_with_last(const body_step *s)
{
    if (s->a.rows.count > 0)
        return false;
    const int blocks = frz_block_count(s->a.count);
#pragma omp parallel for schedule(static) if (s->a.count >= frz_parallel_some)
    for (int b = 0; b < blocks; ++b)
        s->last_sums[b] = last_block(s, b * FRZ_BLOCK, frz_block_end(b, s->a.count));
    const last_sums *of = s->last_sums;
    const last_sums sum = {.bb = frz_exact_sum(&of->bb, sizeof *of, blocks),
                           .xx = frz_exact_sum(&of->xx, sizeof *of, blocks),
                           .yy = frz_exact_sum(&of->yy, sizeof *of, blocks),
                           .xb = frz_exact_sum(&of->xb, sizeof *of, blocks),
                           .yb = frz_exact_sum(&of->yb, sizeof *of, blocks)};
    const double with = sine_square(sum.yy, sum.bb, sum.yb), without = sine_square(sum.xx, sum.bb, sum.xb);
    const bool warm = with < worth_it * worth_it * without;
    if (!warm)
        memset(s->change, 0, (size_t)s->a.count * sizeof *s->change);
#pragma omp parallel for schedule(static) if (s->a.count >= frz_parallel_least)
    for (int i = 0; i < (warm ? s->a.count : 0); ++i)
        s->imbalance[i] += last_of(s, s->last_rest, i);
    return warm;
}

// Data for the first guess of the next step: the change, its product with the matrix, and the residual.
static void write_last(const body_step *s, bool first_pass)
{
#pragma omp parallel for schedule(static) if (s->a.count >= frz_parallel_some)
    for (int i = 0; i < s->a.count; ++i)
    {
        const int slot = s->a.slot[i];
        if (slot < 0)
            continue;
        if (first_pass)
        {
            s->last_change[slot] = frz_v4_xyz(s->change[i]);
            s->last_image[slot] = frz_v4_xyz(s->imbalance[i] - s->rest[i]);
        }
        s->last_rest[slot] = frz_v4_xyz(s->rest[i]);
    }
}

static frz_status solve_body(const body_step *s, double noise, frz_arena *scratch, frz_solver_report *report,
                             frz_diag *diag)
{
    const frz_elastic_step_params *params = s->implicit->params;
    const double contact =
        s->begun ? while_touching * s->theta *
                       sqrt(frz_cg_dot(s->a.count, s->last_kick, s->last_kick, NULL, s->partial) / s->a.count)
                 : 0.0;
    const int least = least_passes[params->scheme], passes = params->passes > least ? params->passes : least;
    for (int pass = 0; pass < passes; ++pass)
    {
        const double kick = find_imbalance(s);
        const double tolerance = fmax(0.01 * params->tolerance * fmax(kick, contact), noise);
        memset(s->change, 0, (size_t)s->a.unknowns * sizeof *s->change);
        const bool warm = !s->begun && pass == 0 && begin_with_last(s);
        const frz_cg cg = {.count = s->a.unknowns,
                           .user = &s->a,
                           .apply = frz_elastic_matrix_apply,
                           .precondition = frz_elastic_matrix_preconditioner(&s->a),
                           .tolerance = tolerance * sqrt((double)s->a.count),
                           .max_iterations = params->max_iterations,
                           .from_zero = !warm,
                           .remainder = s->rest,
                           .scale_guess = true};
        frz_cg_report solved;
        FRZ_TRY(frz_cg_solve(&cg, s->imbalance, s->change, scratch, &solved, diag));
        report->iterations += solved.iterations;
        report->converged = solved.converged;
        if (!(solved.residual <= hopeless * cg.tolerance))
            return frz_fail(diag, FRZ_ERR_DIVERGED,
                            "the elastic solver did not converge in %d iterations (velocity error %.3g m/s, allowed "
                            "%.3g m/s)",
                            solved.iterations, solved.residual / sqrt((double)s->a.count), tolerance);
        write_last(s, pass == 0);
#pragma omp parallel for schedule(static) if (s->a.count >= frz_parallel_least)
        for (int i = 0; i < s->a.count; ++i)
            s->velocity[i] += s->change[i];
        frz_elastic_rows_add(&s->a.rows, s->change + s->a.count);
    }
    for (int i = 0; s->begun && i < s->a.count; ++i)
        s->last_kick[i] -= (frz_real)(1.0 / s->theta) / frz_elastic_share(&s->a, i) *
                           s->rest[i]; // the answer to contacts takes up the rest
    return FRZ_OK;
}

// Velocities within rounding errors, m/s: those of differences of displacements, through the bonds. These differences
// are up to a spacing where a body has turned; positions themselves are finer than single precision.
static double noise_of(const frz_model *model, const frz_elastic_implicit *implicit, double density, double tau)
{
    const double stiffest = 4.0 * implicit->modulus / (density * model->spacing * model->spacing); // 1/s^2
    return rounding * model->spacing * tau * stiffest;
}

// Guess the velocities: the effect of forces on the body as a whole does not depend on elasticity. (Left to the solver,
// a weight below the noise would be none.) Not for a body that is held. Returns the root mean square of the rest, m/s.
static double guess(const body_step *s)
{
    double sum[3] = {0.0, 0.0, 0.0};
    bool held = s->a.rows.count > 0;
    const int blocks = frz_block_count(s->a.count);
    for (int b = 0; b < blocks; ++b)
        held = held || s->load[b].held;
    for (int a = 0; a < 3; ++a)
        sum[a] = frz_exact_sum(&s->load->sum[a], sizeof *s->load, blocks);
    const double share = held ? 0.0 : 1.0 / frz_elastic_matrix_mass(&s->a);
    const frz_v4 mean =
        frz_v4_set((frz_real)(share * sum[0]), (frz_real)(share * sum[1]), (frz_real)(share * sum[2]), 0);
#pragma omp parallel for schedule(static) if (s->a.count >= frz_parallel_some)
    for (int b = 0; b < blocks; ++b)
    {
        double square = 0.0;
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, s->a.count); ++i)
        {
            const frz_v4 left = frz_elastic_is_held(&s->a, i) ? frz_v4_zero() : s->target[i] - s->before[i] - mean;
            square += (double)frz_v4_dot3(left, left);
            s->velocity[i] = s->before[i] + mean;
        }
        s->partial[b] = square;
    }
    return sqrt(frz_blocks_sum(s->partial, blocks) / s->a.count);
}

// Velocities and displacements of a body at the beginning, and their change by the other forces.
static void read_body(const frz_state *state, const body_step *s, frz_v4 *before, frz_v4 *target, frz_v4 *start,
                      frz_v4 *start_low)
{
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
#pragma omp parallel for schedule(static) if (s->a.count >= frz_parallel_some)
    for (int b = 0; b < frz_block_count(s->a.count); ++b)
    {
        load_sums load = {{0.0, 0.0, 0.0}, false};
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, s->a.count); ++i)
        {
            const int slot = s->a.slot[i];
            before[i] = target[i] = frz_v4_zero();
            frz_elastic_split(frz_elastic_displacement(state, s->a.first + i), &start[i], &start_low[i]);
            if (slot < 0)
                continue;
            before[i] = target[i] = frz_v4_xyz(velocity[slot]);
            if (!frz_elastic_is_held(&s->a, i))
            {
                // they have been kicked already, and viscosity has pulled at them: forces of the step like any others
                before[i] = frz_v4_xyz(state->attempt.drivers.before[slot]);
                target[i] = before[i] + (frz_real)s->theta * (target[i] - before[i]);
            }
            else
                target[i] += s->tau * frz_v4_xyz(acceleration[slot]);
            if (s->begun)
                target[i] += (frz_real)s->theta * s->last_kick[i];
            load.held = load.held || frz_elastic_is_held(&s->a, i);
            for (int a = 0; a < 3; ++a)
                load.sum[a] += (double)frz_elastic_share(&s->a, i) * (double)(target[i][a] - before[i][a]);
        }
        s->load[b] = load;
    }
}

// The end of the step. Positions move with the velocity at theta, however contacts change the one at the end. A held
// particle gets the velocity that the forces would give it: the step records the impulse that takes it back.
static void write_body(frz_state *state, const body_step *s)
{
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const frz_real whole = (frz_real)(1.0 / s->theta);
#pragma omp parallel for schedule(static) if (s->a.count >= frz_parallel_some)
    for (int i = 0; i < s->a.count; ++i)
    {
        const int slot = s->a.slot[i];
        if (slot < 0)
            continue;
        if (frz_elastic_is_held(&s->a, i))
        {
            velocity[slot] += whole / frz_elastic_share(&s->a, i) * s->change[i];
            if (s->begun)
                velocity[slot] -= s->last_answer[i];
            continue;
        }
        velocity[slot] = s->theta < 1.0 ? s->before[i] + whole * (s->velocity[i] - s->before[i]) : s->velocity[i];
        if (s->begun)
            velocity[slot] -= s->last_answer[i];
    }
    state->bodies.position_theta[s->a.body] = 1.0 - s->theta;
    frz_elastic_rows_finish(state, &s->a.rows, s->a.work->force + s->a.first, s->theta);
}

static bool has_anchors(const frz_bonds *bonds, int body)
{
    return bonds->anchor_first != NULL && bonds->anchor_first[body] < bonds->anchor_first[body + 1];
}

static frz_status step_body(const frz_model *model, frz_state *state, const frz_instance *instance, body_step *s,
                            double dt, frz_diag *diag)
{
    const frz_elastic_params *params = instance->self;
    const double density = model->materials[instance->material].density;
    frz_arena *scratch = &state->scratch;
    const frz_arena_mark mark = frz_arena_here(scratch);
    frz_v4 *before = FRZ_SCRATCH(scratch, s->a.count + 1, frz_v4),
           *target = FRZ_SCRATCH(scratch, s->a.count + 1, frz_v4),
           *start = FRZ_SCRATCH(scratch, s->a.count + 1, frz_v4),
           *start_low = FRZ_SCRATCH(scratch, s->a.count + 1, frz_v4);
    s->theta = theta_of[s->implicit->params->scheme];
    const double tau = s->theta * dt;
    FRZ_TRY(frz_elastic_rows_make(state, s->a.body, density * s->a.bonds->volume, tau, dt, &s->a.rows, diag));
    s->a.unknowns = s->a.count + 2 * s->a.rows.count;
    s->velocity = FRZ_SCRATCH(scratch, s->a.count + 1, frz_v4);
    s->imbalance = FRZ_SCRATCH(scratch, s->a.unknowns + 1, frz_v4);
    s->change = FRZ_SCRATCH(scratch, s->a.unknowns + 1, frz_v4);
    s->rest = FRZ_SCRATCH(scratch, s->a.unknowns + 1, frz_v4);
    s->partial = FRZ_SCRATCH(scratch, frz_block_count(s->a.count) + 1, double);
    s->last_sums = FRZ_SCRATCH(scratch, frz_block_count(s->a.count) + 1, last_sums);
    s->load = FRZ_SCRATCH(scratch, frz_block_count(s->a.count) + 1, load_sums);
    if (before == NULL || target == NULL || start == NULL || start_low == NULL || s->velocity == NULL ||
        s->imbalance == NULL || s->change == NULL || s->rest == NULL || s->partial == NULL || s->last_sums == NULL ||
        s->load == NULL)
        return frz_fail_memory(diag, "the elastic solver");
    s->tau = (frz_real)tau;
    s->a.per_mass = (frz_real)(tau * tau / (density * s->a.bonds->volume));
    s->a.inertia = (frz_real)(1.0 + tau * params->damping);
    frz_elastic_matrix_mix(model, state, instance, tau, &s->a);
    // a factor takes anchors for held, and its errors would not keep momentum; it is of one material
    if (s->implicit->factorize != NULL && !has_anchors(s->a.bonds, s->a.body) && s->a.shares == NULL)
    {
        FRZ_TRY(s->implicit->factorize(model, state, instance, s->a.body, tau, diag));
        FRZ_TRY(frz_elastic_matrix_make_room(&s->a, scratch, diag));
    }
    take_last(state, instance, s, dt);
    read_body(state, s, before, target, start, start_low);
    s->before = before;
    s->target = target;
    s->start = start;
    s->start_low = start_low;
    const double load = guess(s);
    for (int i = 0; s->a.shares != NULL && i < s->a.count; ++i)
        target[i] *= s->a.shares[i];
    frz_elastic_rows_velocity(&s->a.rows, s->velocity);
    double noise = noise_of(model, s->implicit, density, tau);
    if (load > smallest_load * noise)
        noise = fmin(noise, load_share * load);
    FRZ_TRY(solve_body(s, noise, scratch, &state->stats.elastic, diag));
    if (s->a.held != NULL)
        (void)find_imbalance(s); // sets change to the effect of elasticity
    write_body(state, s);
    frz_arena_release(scratch, mark);
    return FRZ_OK;
}

static bool has_body(const frz_state *state, const frz_instance *instance, int b)
{
    return frz_elastic_owns(state, instance, b) && state->bonds.first[b] < state->bonds.first[b + 1];
}

// Later impulses of this step are answered with the matrix that it was made with.
static void keep_response(const frz_model *model, frz_state *state, const frz_instance *instance, const body_step *s,
                          double dt, frz_elastic_moments *moments, frz_elastic_response *to)
{
    const double density = model->materials[instance->material].density, tau = s->theta * dt;
    *to = (frz_elastic_response){
        .base = {.next = state->attempt.responses,
                 .answer = frz_elastic_answer,
                 .mend = frz_elastic_mend,
                 .settle = frz_elastic_settle,
                 .body = s->a.body,
                 .theta = s->theta,
                 .last_kick = s->last_kick,
                 .last_answer = s->last_answer,
                 .begin_kick = s->last_kick,
                 .begin_answer = s->last_answer,
                 .now_kick = s->now_kick,
                 .now_answer = s->now_answer,
                 .last_missed = s->last_missed,
                 .last_rub = s->last_rub,
                 .begun = s->begun,
                 .inside = s->begun,
                 .restarts = s->a.rows.count == 0,
                 .kick_now = frz_field_v4(&state->particles, instance->first_field + 4),
                 .answer_now = frz_field_v4(&state->particles, instance->first_field + 5),
                 .missed_now = frz_field_v4(&state->particles, instance->first_field + 6),
                 .rub_now = frz_field_v4(&state->particles, instance->first_field + 7),
                 .longer = longer_than_last(state, dt),
                 .stiffness = s->implicit->modulus * tau * tau / (density * model->spacing * model->spacing)},
        .matrix = s->a,
        .mass = density * s->a.bonds->volume,
        .tau = tau,
        .dt = dt,
        .max_iterations = s->implicit->params->max_iterations,
        .moments = moments};
    state->attempt.responses = &to->base;
}

frz_status frz_elastic_implicit_step(const frz_model *model, frz_state *state, const frz_instance *instance,
                                     const frz_elastic_implicit *implicit, double dt, frz_diag *diag)
{
    const frz_bonds *bonds = &state->bonds;
    int owned = 0;
    for (int b = 0; b < state->solids.body_count; ++b)
        owned += has_body(state, instance, b);
    frz_elastic_response *response = FRZ_SCRATCH(&state->scratch, owned + 1, frz_elastic_response);
    frz_elastic_moments *moments = FRZ_SCRATCH(&state->scratch, owned + 1, frz_elastic_moments);
    enum
    {
        kept_vectors = 6
    };
    const size_t rows = (size_t)bonds->count + 1;
    frz_v4 *kept = FRZ_SCRATCH(&state->scratch, kept_vectors * rows, frz_v4);
    const bool any_mixed = bonds->run_first != NULL;
    frz_real *shares = any_mixed ? FRZ_SCRATCH(&state->scratch, bonds->count + 1, frz_real) : NULL;
    frz_real *inertias = any_mixed ? FRZ_SCRATCH(&state->scratch, bonds->count + 1, frz_real) : NULL;
    if (response == NULL || moments == NULL || kept == NULL || (any_mixed && (shares == NULL || inertias == NULL)))
        return frz_fail_memory(diag, "the elastic solver");
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_work work;
    FRZ_TRY(frz_elastic_work_make(bonds, &state->scratch, &work, diag));
    for (int b = 0; b < state->solids.body_count; ++b)
    {
        if (!has_body(state, instance, b))
            continue;
        const bool mixed = frz_bonds_is_mixed(bonds, b);
        body_step step = {.a = {.bonds = bonds,
                                .shares = mixed ? shares + bonds->first[b] : NULL,
                                .inertias = mixed ? inertias + bonds->first[b] : NULL,
                                .tangent = implicit->tangent,
                                .work = &work,
                                .body = b,
                                .first = bonds->first[b],
                                .count = bonds->first[b + 1] - bonds->first[b],
                                .held = state->attempt.drivers.of_slot,
                                .slot = state->solids.slot + bonds->first[b]},
                          .implicit = implicit,
                          .last_kick = kept + bonds->first[b],
                          .last_answer = kept + rows + bonds->first[b],
                          .last_missed = kept + 2 * rows + bonds->first[b],
                          .last_rub = kept + 3 * rows + bonds->first[b],
                          .now_kick = kept + 4 * rows + bonds->first[b],
                          .now_answer = kept + 5 * rows + bonds->first[b],
                          .last_change = frz_field_v4(&state->particles, instance->first_field + 1),
                          .last_image = frz_field_v4(&state->particles, instance->first_field + 2),
                          .last_rest = frz_field_v4(&state->particles, instance->first_field + 3)};
        FRZ_TRY(step_body(model, state, instance, &step, dt, diag));
        moments->known = false;
        keep_response(model, state, instance, &step, dt, moments++, response++);
    }
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

frz_status frz_elastic_implicit_tangent(const frz_model *model, frz_state *state, const frz_instance *instance,
                                        frz_elastic_stress_fn *stress, const frz_v4 *turned,
                                        frz_elastic_implicit *implicit, frz_diag *diag)
{
    implicit->tangent = implicit->force;
    implicit->tangent.stress = stress;
    implicit->tangent.turned = turned;
    implicit->tangent.by_material = frz_elastic_mix_like(state, &implicit->force, stress);
    if (implicit->force.by_material == NULL)
        return FRZ_OK;
    if (implicit->tangent.by_material == NULL)
        return frz_fail_memory(diag, "the elastic solver");
    for (int m = 0; m < model->material_count; ++m)
    {
        const frz_instance *other = frz_model_method(model, FRZ_SLOT_ELASTIC, m);
        double lambda, mu;
        if (other == NULL || other->method != instance->method)
            continue;
        frz_elastic_moduli(model, other->self, &lambda, &mu);
        const double relative = model->materials[instance->material].density / model->materials[m].density;
        const double factor = frz_state_largest_factor(model, state, m, FRZ_PROPERTY_STIFFNESS);
        implicit->modulus = fmax(implicit->modulus, factor * relative * (lambda + 2.0 * mu));
    }
    return FRZ_OK;
}

static frz_status corotated_use(const frz_model *model, frz_state *state, const frz_instance *instance,
                                frz_elastic_corotated *material, frz_elastic_use *use, frz_diag *diag)
{
    *use = (frz_elastic_use){.stress = frz_elastic_corotated_stress, .context = material, .corrected = true};
    FRZ_TRY(frz_elastic_corotated_adapt(model, instance, material, use, diag));
    return frz_elastic_mix(model, state, instance, sizeof *material, frz_elastic_corotated_adapt, use, diag);
}

frz_status frz_elastic_implicit_energy(const frz_model *model, frz_state *state, const frz_instance *instance,
                                       double *energy, frz_diag *diag)
{
    FRZ_TRY(frz_state_bonds(model, state, diag));
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_corotated material = {.rotation = frz_elastic_read_turns(state, instance),
                                      .adds = frz_plastic_added_all(model, state, 0.0)};
    if (material.rotation == NULL || material.adds == NULL)
        return frz_fail_memory(diag, "the elastic energy");
    FRZ_TRY(frz_elastic_let_flow(model, state, instance, 0.0, &material, diag));
    frz_elastic_use use;
    FRZ_TRY(corotated_use(model, state, instance, &material, &use, diag));
    FRZ_TRY(frz_elastic_add_energy(model, state, instance, &use, false, energy, diag));
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

frz_status frz_elastic_implicit_corotated(const frz_model *model, frz_state *state, const frz_instance *instance,
                                          frz_elastic_implicit *implicit, double dt, frz_diag *diag)
{
    FRZ_TRY(frz_state_bonds(model, state, diag));
    // the data of the tangent live until the end of the try: responses use them
    frz_elastic_corotated *material = FRZ_SCRATCH(&state->scratch, 1, frz_elastic_corotated);
    frz_plastic_added *adds = frz_plastic_added_all(model, state, dt);
    if (material == NULL || adds == NULL)
        return frz_fail_memory(diag, "the elastic solver");
    *material = (frz_elastic_corotated){.rotation = frz_elastic_read_turns(state, instance), .adds = adds};
    if (material->rotation == NULL)
        return frz_fail_memory(diag, "the elastic solver");
    FRZ_TRY(frz_elastic_let_flow(model, state, instance, dt, material, diag));
    FRZ_TRY(corotated_use(model, state, instance, material, &implicit->force, diag));
    implicit->modulus = (material->lambda + 2.0 * material->mu) *
                        frz_state_largest_factor(model, state, instance->material, FRZ_PROPERTY_STIFFNESS);
    bool flows = false;
    for (int m = 0; m < model->material_count; ++m)
        flows = flows || (adds[m].flows && frz_elastic_reaches(model, state, instance, m));
    if (flows)
        FRZ_TRY(frz_elastic_add_flow(model, state, instance, &implicit->force, diag));
    for (int m = 0; m < model->material_count; ++m)
        adds[m].flows = false; // within the step
    FRZ_TRY(frz_elastic_implicit_tangent(model, state, instance, frz_elastic_corotated_tangent, material->rotation,
                                         implicit, diag));
    FRZ_TRY(frz_elastic_implicit_step(model, state, instance, implicit, dt, diag));
    frz_elastic_write_turns(state, instance, material->rotation);
    return FRZ_OK;
}
