// SPDX-License-Identifier: MIT
// Divergence-free SPH. Bender & Koschier 2017, with number-density volumes (Solenthaler & Pajarola 2008).
//
// Unknown is a multiplier P_i >= 0 of the compression; pair forces are antisymmetric for any mix of densities:
//
//     a_i = -(1 / rho_i) ( sum_j (P_i + P_j) g_ij + P_i sum_b g_ib ),   g the gradients of sph/pairs over the spacing
//
// which is the transpose of the compression's rate: the system is symmetric, and pressure does no work on water at rest.
// The pressure written out is c_i P_i with c_i the virial of i's pairs (about 1): the stress these forces amount to.
//
// Two constraints are solved one after the other when all other forces are in, with P >= 0 and r <= 0 complementary:
//   divergence   r_i = dt D(v)_i + dt^2 D(a)_i - room_i                 no compression in this step, unless i is loose
//   density      r_i = delta_i - 1 + dt D(v)_i + dt^2 D(a)_i            what would still be too dense at its end
// with D(v)_i = sum_j (v_i - v_j) . g_ij + sum_b (v_i - v_b) . g_ib. (The original solves for the divergence before the forces;
// after them, one solve carries gravity and removes divergence, and the second only has the drift left to correct.)
// The correction of the density is limited per step, for it stays in the velocity: overlaps at the start drift apart
// instead of exploding.
//
// Both are bound-constrained quadratic programs with a symmetric matrix, solved by projected gradients with
// Barzilai-Borwein steps and the diagonal as preconditioner (relaxed Jacobi, the usual choice, takes more
// iterations). All quantities inside are dimensionless: kappa = P dt^2 / (rho_ref s^2) gives displacements in spacings, so
// single (and for the stored gradients half) precision serves at any scale. An iteration is two sweeps over the pairs;
// walls enter through gradient sums only.

#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "sim/state.h"

typedef struct dfsph
{
    double max_density_error;
    double max_divergence_error;
    int max_iterations;
} dfsph;

static const frz_param dfsph_params[] = {
    {"max_density_error", "average compression at which the density solver stops", FRZ_PARAM_REAL,
     offsetof(dfsph, max_density_error), 0.02, 1e-6, 10.0, "%"},
    {"max_divergence_error", "average compression per step at which the divergence solver stops", FRZ_PARAM_REAL,
     offsetof(dfsph, max_divergence_error), 0.02, 1e-6, 10.0, "%"},
    {"max_iterations", "iterations after which a solver gives up", FRZ_PARAM_INT, offsetof(dfsph, max_iterations), 200,
     1, 100000, ""},
    {0},
};

static const frz_field_decl dfsph_fields[] = {
    {"dfsph_pressure", 1, "Pa", FRZ_FIELD_SAVE | FRZ_FIELD_SORT, "solution of the last divergence solve; warm start"},
    {"dfsph_correction", 1, "Pa", FRZ_FIELD_SAVE | FRZ_FIELD_SORT, "solution of the last density solve; warm start"},
    {0},
};

// relaxation of the Jacobi update; 0.5 is safe for any neighbourhood (Ihmsen et al. 2014)
static const double relaxation = 0.5;
static const double longest_step = 20.0;
// particles with (almost) no neighbours have no pressure; dimensionless like the diagonal, which is about 0.5 inside
static const frz_real smallest_diagonal = (frz_real)1e-9;
// an unconverged solution with an error beyond this many tolerances is a failed step
static const double hopeless = 20.0;
// compression below which a particle counts as loose (surface, spray) and may be compressed up to it; well below what
// corrections of the density leave inside a liquid at rest, or it would fall into the room they make
static const frz_real loose = (frz_real)0.97;
// share of the last density correction that the next one starts from: an error corrected is gone, so all of it would be
// too much (water at rest gains energy), but a liquid held up by gravity needs much of it again
static const frz_real keep_correction = (frz_real)0.5;
// see limit_correction
static const double full_correction = 0.05;
static const double gross_haste = 0.5;
// dt <= this * spacing / sqrt(p / rho)
static const double pressure_courant = 0.4;

typedef struct problem
{
    const frz_pairs *pairs;
    frz_real *source;
    const frz_real *mobility; // rho_ref / rho by body; null if all are one
    const int32_t *body;
    const int32_t *held;                   // particles whose velocity is given; null if there are none
    frz_real *diagonal, *inverse_diagonal; // of the matrix; the inverse is 0 for particles that can have no pressure
    frz_real *kappa, *kappa_before, *residual;
    frz_v4 *displacement;
    struct sweep_sums *block_sums;
    double reference_density;
    frz_real correction;         // density error that is corrected in full in this step
    frz_real haste;              // share of what goes beyond that is corrected too
    const frz_real *compression; // density solve: for the error that the limit leaves aside; else null
} problem;

// u_i = -(rho_ref / rho_i) (kappa_i S_i + sum_j kappa_j g_ij)
static void sweep_displacement(const problem *p)
{
    const frz_pairs *pairs = p->pairs;
    const int blocks = frz_block_count(pairs->count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
        {
            const frz_pair *pair = pairs->blocks[b].pair + pairs->begin[i];
            const uint32_t *index = pairs->blocks[b].index + pairs->begin[i];
            const uint32_t *end = pairs->blocks[b].index + pairs->end[i];
            frz_w8 sum0 = frz_w8_splat(0), sum1 = sum0;
            for (; index < end; index += 4, pair += 4)
            {
                sum0 += frz_w8_splat2(p->kappa[index[0]], p->kappa[index[1]]) * frz_pair_load2(pair);
                sum1 += frz_w8_splat2(p->kappa[index[2]], p->kappa[index[3]]) * frz_pair_load2(pair + 2);
            }
            frz_real mobility = p->mobility != NULL ? p->mobility[p->body[i]] : 1;
            if (p->held != NULL && p->held[i])
                mobility = 0; // pushes, but does not give way
            const frz_v4 sum = p->kappa[i] * pairs->gradient_sum[i] + frz_w8_fold(sum0 + sum1);
            p->displacement[i] = frz_v4_xyz(-mobility * sum);
        }
}

// sum_j (f_i - f_j) . g_ij + f_i . sum_b g_ib for a vector field whose spare lane is zero
static inline frz_real divergence_of(const frz_pairs *pairs, const frz_v4 *field, int b, int i)
{
    const frz_pair *pair = pairs->blocks[b].pair + pairs->begin[i];
    const uint32_t *index = pairs->blocks[b].index + pairs->begin[i];
    const uint32_t *end = pairs->blocks[b].index + pairs->end[i];
    frz_w8 sum0 = frz_w8_splat(0), sum1 = sum0;
    for (; index < end; index += 4, pair += 4)
    {
        sum0 += frz_w8_join(field[index[0]], field[index[1]]) * frz_pair_load2(pair);
        sum1 += frz_w8_join(field[index[2]], field[index[3]]) * frz_pair_load2(pair + 2);
    }
    const frz_v4 sum = frz_w8_fold(sum0 + sum1);
    const frz_v4 own = field[i] * pairs->gradient_sum[i];
    const frz_v4 difference = own - sum;
    return difference[0] + difference[1] + difference[2];
}

// Sums over the particles that one residual sweep gives.
typedef struct sweep_sums
{
    double error;   // sum of errors
    double hidden;  // sum of what is left aside for later steps
    double largest; // largest error, with what is left aside; NaN if any residual is
    double ss;      // d . D d     with d the last change of kappa and D the diagonal
    double sy;      // d . y       with y = A d the change of the residual
    double yy;      // y . D^-1 y
} sweep_sums;

// The part of a density error that is not corrected in this step: most of what goes beyond the limit.
static inline frz_real left_aside(const problem *p, frz_real error)
{
    return error > p->correction ? (1 - p->haste) * (error - p->correction) : 0;
}

// r_i = source_i + D(u)_i, its error, and the inner products of the last step.
static void residual_block(const problem *p, int b, sweep_sums *out)
{
    const frz_pairs *pairs = p->pairs;
    sweep_sums sums = {0};
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
    {
        const frz_real residual = p->source[i] + divergence_of(pairs, p->displacement, b, i);
        const frz_real diagonal = p->diagonal[i];
        // what is wrong: compression, or pressure that drives a particle below rest density (at most as far as taking
        // all its pressure away would undo)
        const frz_real pull = p->kappa[i] * diagonal;
        const double error = (double)(residual > 0 ? residual : -residual < pull ? -residual : pull);
        const double hidden = p->compression != NULL ? (double)left_aside(p, p->compression[i] - 1) : 0.0;
        sums.error += error;
        sums.hidden += hidden;
        sums.largest = error + hidden > sums.largest ? error + hidden : sums.largest;
        if (residual != residual)
            sums.largest = NAN;
        const frz_real step = p->kappa[i] - p->kappa_before[i];
        const frz_real y = p->residual[i] - residual;
        sums.ss += (double)(step * step * diagonal);
        sums.sy += (double)(step * y);
        sums.yy += (double)(y * y * p->inverse_diagonal[i]);
        p->residual[i] = residual;
    }
    *out = sums;
}

static sweep_sums sweep_residual(const problem *p)
{
    const int blocks = frz_block_count(p->pairs->count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        residual_block(p, b, &p->block_sums[b]);
    sweep_sums total = {0};
    for (int b = 0; b < blocks; ++b)
    {
        const sweep_sums *s = &p->block_sums[b];
        total.error += s->error;
        total.hidden += s->hidden;
        total.largest = isnan(s->largest) || s->largest > total.largest ? s->largest : total.largest;
        total.ss += s->ss;
        total.sy += s->sy;
        total.yy += s->yy;
    }
    return total;
}

// kappa = max(0, kappa + alpha r / D)
static void update_kappa(const problem *p, double alpha)
{
    const frz_real step = (frz_real)alpha;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < p->pairs->count; ++i)
    {
        const frz_real inverse = p->inverse_diagonal[i];
        const frz_real next = inverse > 0 ? p->kappa[i] + step * p->residual[i] * inverse : 0;
        p->kappa_before[i] = p->kappa[i];
        p->kappa[i] = next > 0 ? next : 0;
    }
}

// Step length of the projected gradient step, Barzilai & Borwein 1988, alternating the long and the short form.
static double step_length(const sweep_sums *sums, int iteration)
{
    if (iteration == 1 || !(sums->sy > 0.0) || !(sums->yy > 0.0))
        return relaxation;
    const double alpha = iteration % 2 == 0 ? sums->ss / sums->sy : sums->sy / sums->yy;
    return fmin(fmax(alpha, relaxation), longest_step);
}

static frz_status solve(const problem *p, double tolerance, int max_iterations, frz_solver_report *report,
                        const char *name, frz_diag *diag)
{
    memset(report, 0, sizeof *report);
    const double count = p->pairs->count > 0 ? (double)p->pairs->count : 1.0;
    double error = 0.0;
    bool taken = false;
    for (int iteration = 1; !taken; ++iteration)
    {
        sweep_displacement(p);
        const sweep_sums sums = sweep_residual(p);
        error = sums.error / count;
        report->iterations = iteration;
        report->error_average = error + sums.hidden / count;
        report->error_max = sums.largest;
        if (!(error <= hopeless) || isnan(sums.largest))
            return frz_fail(diag, FRZ_ERR_DIVERGED, "the %s solver blew up in iteration %d", name, iteration);
        // what is left aside counts against the tolerance, as far as iterating can make up for it
        const double wanted = fmax(tolerance - sums.hidden / count, 0.5 * tolerance);
        taken = error <= wanted || iteration == max_iterations;
        // the displacement belongs to kappa before this update; a solution that is taken still gets a cautious step, for
        // the next time step to start from: so the pressure follows even where every first guess is good enough
        update_kappa(p, taken ? relaxation : step_length(&sums, iteration));
    }
    report->converged = error <= tolerance;
    if (error > hopeless * tolerance)
        return frz_fail(diag, FRZ_ERR_DIVERGED,
                        "the %s solver did not converge in %d iterations (average error %.3g %%, allowed %.3g %%)",
                        name, max_iterations, 100.0 * error, 100.0 * tolerance);
    return FRZ_OK;
}

// Everything a solve needs but the source; scratch memory lives until the caller's release.
static frz_status problem_make(const frz_model *model, frz_state *state, problem *p, frz_diag *diag)
{
    const int count = state->pairs.count, blocks = frz_block_count(count);
    memset(p, 0, sizeof *p);
    p->pairs = &state->pairs;
    p->body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    p->held = state->held;
    p->reference_density = 1000.0;
    for (int b = model->body_count - 1; b >= 0; --b)
        if (model->bodies[b].role == FRZ_ROLE_LIQUID)
            p->reference_density = model->materials[model->bodies[b].material].density;
    frz_real *source = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    frz_real *mobility = FRZ_SCRATCH(&state->scratch, model->body_count + 1, frz_real);
    p->diagonal = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    p->inverse_diagonal = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    p->kappa = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    p->kappa_before = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    p->residual = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    p->displacement = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4);
    p->block_sums = FRZ_SCRATCH(&state->scratch, blocks + 1, sweep_sums);
    if (source == NULL || mobility == NULL || p->kappa == NULL || p->kappa_before == NULL || p->residual == NULL ||
        p->displacement == NULL || p->block_sums == NULL || p->diagonal == NULL || p->inverse_diagonal == NULL)
        return frz_fail_memory(diag, "the pressure solver");
    const frz_real reference = (frz_real)p->reference_density;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
    {
        p->diagonal[i] = state->pairs.diagonal[i] * reference;
        p->inverse_diagonal[i] = p->diagonal[i] > smallest_diagonal ? 1 / p->diagonal[i] : 0;
    }
    p->source = source;
    if (!state->one_density)
    {
        for (int b = 0; b < model->body_count; ++b)
            mobility[b] = (frz_real)(p->reference_density * (double)state->inverse_density[b]);
        p->mobility = mobility;
    }
    return FRZ_OK;
}

// Note where the pressure is highest, averaged over blocks: single spikes say nothing about stability.
static void note_pressure(frz_state *state, const problem *p)
{
    const int count = p->pairs->count, blocks = frz_block_count(count);
    const frz_real *pressure = frz_field_real(&state->particles, FRZ_FIELD_ID_pressure);
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; ++b)
    {
        double sum = 0.0;
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
            sum += (double)(pressure[i] * state->inverse_density[p->body[i]]);
        p->block_sums[b].error = sum / (frz_block_end(b, count) - b * FRZ_BLOCK);
    }
    double highest = 0.0;
    for (int b = 0; b < blocks; ++b)
        highest = fmax(highest, p->block_sums[b].error);
    state->stats.pressure_speed = sqrt(highest);
}

// What a loose particle may be compressed by without anything being done about it (negative), else 0.
static inline frz_real room_of(frz_real compression)
{
    return compression < loose ? compression - loose : 0;
}

// Source of the divergence solve and its first guess.
static void start_divergence(const frz_state *state, const problem *p, double dt_over_spacing, const frz_real *warm,
                             double to_kappa)
{
    const frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const frz_real scale = (frz_real)to_kappa, rate = (frz_real)dt_over_spacing;
    const int count = state->pairs.count, blocks = frz_block_count(count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
        {
            // dt D(v)_i, walls included
            const frz_real change = rate * (divergence_of(&state->pairs, velocity, b, i) - state->pairs.wall_flow[i]);
            p->source[i] = room_of(compression[i]) + change;
            p->kappa[i] = p->kappa_before[i] = warm[i] * scale;
            p->residual[i] = 0;
        }
}

// The same for the density solve. The residual that the divergence solve ended with is what is left of dt D(v) (and the
// room), so that no sweep is needed.
static void start_density(const frz_state *state, const problem *p, const frz_real *warm, double to_kappa)
{
    const frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    const frz_real scale = (frz_real)to_kappa;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < state->pairs.count; ++i)
    {
        const frz_real change = p->residual[i] - room_of(compression[i]);
        // what an inlet carries along a wall cannot get out of its way: correcting would only push at its neighbours
        const frz_real error = p->held != NULL && p->held[i] && compression[i] > 1 ? 0 : compression[i] - 1;
        p->source[i] = error - left_aside(p, error) + change;
        p->kappa[i] = p->kappa_before[i] = warm[i] * scale;
        p->residual[i] = 0;
    }
}

// Velocities and pressure from the solution that is taken, and the first guess of the next step.
static void finish(const frz_state *state, const problem *p, double spacing_over_dt, double from_kappa, frz_real keep,
                   bool add, frz_real *warm)
{
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    frz_real *pressure = frz_field_real(&state->particles, FRZ_FIELD_ID_pressure);
    const frz_real speed = (frz_real)spacing_over_dt, scale = (frz_real)from_kappa;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < p->pairs->count; ++i)
    {
        velocity[i] += speed * p->displacement[i];
        pressure[i] = (add ? pressure[i] : 0) + scale * p->kappa_before[i] * p->pairs->virial[i];
        warm[i] = scale * keep * p->kappa[i];
    }
}

// How much of a density error is corrected in a step: shares of the longest step that gravity allows, so that corrections have
// the same speed at any step, and trying again with a smaller one is gentler, not harsher.
static void limit_correction(const frz_model *model, double dt, problem *p)
{
    const double *g = model->gravity;
    const double force = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double longest =
        force > 0.0 ? fmin(0.1 * sqrt(model->spacing / force), model->time_step.max) : model->time_step.max;
    const double part = fmin(1.0, dt / longest);
    p->correction = (frz_real)(full_correction * part);
    p->haste = (frz_real)(gross_haste * part);
}

static frz_status dfsph_pressure(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                 frz_diag *diag)
{
    const dfsph *self = instance->self;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    double clock = frz_now();
    problem p;
    FRZ_TRY(problem_make(model, state, &p, diag));
    frz_real *first = frz_field_real(&state->particles, instance->first_field);
    frz_real *second = frz_field_real(&state->particles, instance->first_field + 1);
    const double s = model->spacing, to_kappa = dt * dt / (p.reference_density * s * s);
    limit_correction(model, dt, &p);

    start_divergence(state, &p, dt / s, first, to_kappa);
    FRZ_TRY(solve(&p, 0.01 * self->max_divergence_error, self->max_iterations, &state->stats.divergence, "divergence",
                  diag));
    finish(state, &p, s / dt, 1.0 / to_kappa, 1, false, first);
    clock = frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "divergence"), clock);

    p.compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    start_density(state, &p, second, to_kappa);
    FRZ_TRY(solve(&p, 0.01 * self->max_density_error, self->max_iterations, &state->stats.density, "density", diag));
    finish(state, &p, s / dt, 1.0 / to_kappa, keep_correction, true, second);
    note_pressure(state, &p);
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "density"), clock);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

// Pressure acts along gradients frozen at the start of the step; the forces that the turning of the gradients would add
// have the frequency sqrt(p / rho) / s, and an explicit step must resolve it.
static double dfsph_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    (void)instance;
    const double speed = state->stats.pressure_speed;
    return speed > 0.0 ? pressure_courant * model->spacing / speed : HUGE_VAL;
}

const frz_method frz_method_pressure_dfsph = {
    .key = "dfsph",
    .slot = FRZ_SLOT_PRESSURE,
    .doc = "Incompressible to a chosen tolerance: divergence-free velocity, then rest density; large steps.",
    .cite = "Bender & Koschier 2017, doi:10.1109/TVCG.2016.2578335",
    .self_size = sizeof(dfsph),
    .params = dfsph_params,
    .fields = dfsph_fields,
    .max_dt = dfsph_max_dt,
    .run = {[FRZ_STAGE_PRESSURE] = dfsph_pressure},
};
