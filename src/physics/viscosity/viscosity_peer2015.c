// SPDX-License-Identifier: MIT
// Implicit viscosity by a target velocity gradient. Peer, Ihmsen, Cornelis & Teschner 2015, eqs. 7 to 12.
//
// The velocity gradient of every particle is split into spin, expansion and shear; the shear is scaled by xi, and the
// method solves for velocities with these gradients: for all i
//
//     sum_j W_ij (v_i - v_j - (T_i + T_j) / 2 x_ij) = xi (the same with v and G before),     T_i = G_i - (1 - xi) S_i
//
// Each pair's term changes sign with i and j, so the sum of the velocities is kept; the system is symmetric, and
// singular (a velocity may be added to all). Conjugate gradients still converge: they only move in its range. With
// masses as preconditioner the momentum of liquids of different density is kept as well. Rigid bodies are unknowns
// like particles (viscosity_rows.h): they are taken along, and take the reaction. The unknown is the change of the
// velocities, whose rounding is small beside it.
//
// Liquids of other methods beside these, and solids, are part of the system by the pairs that they have with them, with
// xi and T of the one that has this method. Among themselves they have their own friction.
//
// Where this differs from the paper: xi = exp(-dt / shear_time) instead of a fixed number per step, so that the result
// does not depend on the step; the part of the velocities beyond the gradients is scaled by xi too, where the paper's
// right-hand side is 0 and removes it at once for every xi; G_i is fitted by least squares with the same weights, so
// that a liquid that turns as a whole, for which it must be exact, is not braked at its surface; walls are included.
//
// It is no physical viscosity: shear decays at one rate at every length, while real friction is faster at shorter
// lengths. A driven flow between plates becomes a plug, not a parabola. Use weiler2018 for numbers.

#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "math/conjugate_gradient.h"
#include "physics/viscosity/viscosity_implicit.h"
#include "physics/viscosity/viscosity_mean.h"
#include "physics/viscosity/viscosity_rows.h"
#include "sim/forecast.h"
#include "sim/neighborhood.h"

extern const frz_method frz_method_viscosity_peer2015;

typedef struct peer
{
    double shear_time;
    bool slip;
    double max_error;
    int max_iterations;
} peer;

static const frz_param peer_params[] = {
    {"shear_time", "time in which shear dies away to 1/e; the shorter, the more viscous", FRZ_PARAM_REAL,
     offsetof(peer, shear_time), 0.01, 1e-9, 1e9, "s"},
    {"slip", "let the liquid slide along walls without friction", FRZ_PARAM_BOOL, offsetof(peer, slip), 0, 0, 1, ""},
    {"max_error", "part of the first misfit of velocities and wanted gradients at which the solver stops",
     FRZ_PARAM_REAL, offsetof(peer, max_error), 0.1, 1e-4, 100.0, "%"},
    {"max_iterations", "iterations after which the solver gives up", FRZ_PARAM_INT, offsetof(peer, max_iterations), 500,
     1, 100000, ""},
    {0},
};

// an unconverged solution with an error beyond this many tolerances is a failed step
static const double hopeless = 20.0;
// added to the moments of a neighbourhood, as part of their trace, so that flat and lonely ones can be inverted; a
// gradient is read too small by about this part
static const double regularization = 1e-6;
// the residual cannot be computed better than about this many roundings of the velocities
static const double rounding = 16.0 * FRZ_REAL_EPSILON;

// Rows of a 3x3 matrix.
typedef struct gradient
{
    frz_v4 row[3];
} gradient;

typedef struct misfit
{
    const frz_pairs *pairs;
    const uint8_t *material;
    const uint8_t *phase; // by particle; null: all are liquid
    const frz_real *keep; // xi by material; negative: it has another method
    const bool *rubs;     // by material: it has a viscosity
    const frz_real *mass; // by particle
    const bool *slip;     // by material
    gradient *wanted;     // T_i - xi G_i
    frz_real *wall;       // sum_b V_b W_ib over walls that do not yield
    frz_viscous_rows rows;
    frz_v4 *target; // velocities before, with the forecast; behind the particles those of bodies
    frz_v4 *source;
    frz_v4 *change; // of the velocities
    double *partial;
} misfit;

static const peer *chosen_for(const frz_model *model, int material)
{
    const frz_instance *chosen = frz_model_method(model, FRZ_SLOT_VISCOSITY, material);
    return chosen != NULL && chosen->method == &frz_method_viscosity_peer2015 ? chosen->self : NULL;
}

static frz_status misfit_make(const frz_model *model, frz_state *state, double dt, misfit *m, frz_diag *diag)
{
    const int count = state->neighbors.pairs.count, materials = model->material_count + 1;
    frz_arena *scratch = &state->scratch;
    frz_real *keep = FRZ_SCRATCH(scratch, materials, frz_real), *mass = FRZ_SCRATCH(scratch, count + 1, frz_real);
    bool *slip = FRZ_SCRATCH(scratch, materials, bool), *rubs = FRZ_SCRATCH(scratch, materials, bool);
    frz_viscous_rows rows;
    FRZ_TRY(frz_viscous_rows_make(model, state, model->materials[0].density * model->cell, &rows, diag));
    *m = (misfit){
        .pairs = &state->neighbors.pairs,
        .material = frz_particles_material(&state->particles),
        .phase = frz_viscosity_phases(state),
        .keep = keep,
        .rubs = rubs,
        .mass = mass,
        .slip = slip,
        .rows = rows,
        .wanted = FRZ_SCRATCH(scratch, count + 1, gradient),
        .wall = FRZ_SCRATCH(scratch, count + 1, frz_real),
        .target = FRZ_SCRATCH(scratch, rows.count + 1, frz_v4),
        .source = FRZ_SCRATCH(scratch, rows.count + 1, frz_v4),
        .change = FRZ_SCRATCH(scratch, rows.count + 1, frz_v4),
        .partial = FRZ_SCRATCH(scratch, frz_block_count(rows.count) + 1, double),
    };
    if (keep == NULL || mass == NULL || slip == NULL || rubs == NULL || m->wanted == NULL || m->wall == NULL ||
        m->target == NULL || m->source == NULL || m->change == NULL || m->partial == NULL)
        return frz_fail_memory(diag, "the viscosity");
    for (int b = 0; b < model->material_count; ++b)
    {
        const peer *self = chosen_for(model, b);
        keep[b] = self != NULL ? (frz_real)exp(-dt / self->shear_time) : -1;
        slip[b] = self == NULL || self->slip;
        rubs[b] = frz_model_method(model, FRZ_SLOT_VISCOSITY, b) != NULL;
    }
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    for (int i = 0; i < count; ++i)
        mass[i] = (frz_real)(1.0 / ((double)inverse_density[i] * model->materials[0].density));
    return FRZ_OK;
}

// Whether a particle is a liquid that has this method.
static inline bool is_ours(const misfit *m, int i)
{
    return m->keep[m->material[i]] >= 0 && frz_viscosity_is_liquid(m->phase, i);
}

// Whether liquid of this method has friction with a particle.
static inline bool takes_part(const misfit *m, int i)
{
    return m->rubs[m->material[i]] || !frz_viscosity_is_liquid(m->phase, i);
}

// W of a pair, 0 if it is none of ours or there is no pair (padding).
static inline frz_real weight_of(const misfit *m, const frz_pair *pair, int i, uint32_t j)
{
    const bool first = is_ours(m, i), second = is_ours(m, (int)j);
    const bool ours = (first && (second || takes_part(m, (int)j))) || (second && takes_part(m, i));
    return ours ? frz_pair_load(pair)[3] : 0;
}

// Value of a pair: sum of both ends, or twice that of the end with this method.
static inline void shares_of(const misfit *m, int i, uint32_t j, frz_real *first, frz_real *second)
{
    const bool a = is_ours(m, i), b = is_ours(m, (int)j);
    *first = a ? (b ? 1 : 2) : 0;
    *second = b ? (a ? 1 : 2) : 0;
}

// ---- gradients

// Moments of a neighbourhood: sum w x x^T (xx, yy, zz, xy, xz, yz) and sum w v x^T.
typedef struct moments
{
    double square[6];
    double flow[3][3];
} moments;

static void add_moment(moments *sum, frz_real weight, frz_v4 x, frz_v4 v)
{
    const double w = (double)weight, a[3] = {(double)x[0], (double)x[1], (double)x[2]};
    sum->square[0] += w * a[0] * a[0];
    sum->square[1] += w * a[1] * a[1];
    sum->square[2] += w * a[2] * a[2];
    sum->square[3] += w * a[0] * a[1];
    sum->square[4] += w * a[0] * a[2];
    sum->square[5] += w * a[1] * a[2];
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            sum->flow[r][c] += w * (double)v[r] * a[c];
}

// From the surface of a wall, below its sample, to the particle: there the velocity is the wall's.
static inline frz_v4 from_surface(const frz_state *state, const frz_sample_pair *pair, frz_real half_spacing)
{
    return frz_v4_xyz(pair->difference - half_spacing * state->samples.normal[pair->slot]);
}

static moments moments_of(const frz_model *model, const frz_state *state, const misfit *m, int b, int i)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    moments sum;
    memset(&sum, 0, sizeof sum);
    for (uint32_t k = m->pairs->begin[i]; k < m->pairs->end[i]; ++k)
    {
        const uint32_t j = m->pairs->blocks[b].index[k];
        const frz_v4 x = frz_minimum_image(&state->neighbors.grid, position[i] - position[j]);
        add_moment(&sum, weight_of(m, &m->pairs->blocks[b].pair[k], i, j), x, m->target[i] - m->target[j]);
    }
    m->wall[i] = 0;
    if (!is_ours(m, i) || m->slip[m->material[i]] || m->pairs->sample_count[i] == 0)
        return sum;
    const int32_t *sample_body =
        frz_field_i32(&state->particles, FRZ_FIELD_ID_body) + state->particles.first[FRZ_ROLE_SAMPLE];
    for (int64_t k = state->neighbors.sample_pairs.begin[i]; k < state->neighbors.sample_pairs.begin[i + 1]; ++k)
    {
        const frz_sample_pair *pair = &state->neighbors.sample_pairs.pair[k];
        const frz_v4 x = from_surface(state, pair, (frz_real)(0.5 * model->spacing));
        const int link = frz_viscous_rows_link(&m->rows, i, sample_body[pair->slot]);
        add_moment(&sum, pair->difference[3], x,
                   m->target[i] - frz_sample_velocity_at(state, pair->slot, pair->difference - x));
        if (link >= 0)
            frz_viscous_rows_add(&m->rows, link, pair->difference[3], x);
        else
            m->wall[i] += pair->difference[3];
    }
    if (m->rows.links != NULL)
        frz_viscous_rows_close(&m->rows, i);
    return sum;
}

// G = (sum w v x^T) (sum w x x^T)^-1
static void fit_gradient(const moments *sum, int dimension, double g[3][3])
{
    const double *s = sum->square;
    const double trace = s[0] + s[1] + s[2], more = regularization * trace;
    memset(g, 0, 9 * sizeof(double));
    if (!(trace > 0.0))
        return;
    const double xx = s[0] + more, yy = s[1] + more, zz = dimension == 3 ? s[2] + more : trace;
    const double xy = s[3], xz = s[4], yz = s[5];
    const double a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy;
    const double scale = 1.0 / (xx * a + xy * b + xz * c);
    const double inverse[3][3] = {{scale * a, scale * b, scale * c},
                                  {scale * b, scale * (xx * zz - xz * xz), scale * (xy * xz - xx * yz)},
                                  {scale * c, scale * (xy * xz - xx * yz), scale * (xx * yy - xy * xy)}};
    for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k)
            for (int n = 0; n < 3; ++n)
                g[r][k] += sum->flow[r][n] * inverse[n][k];
}

// T - xi G = (1 - xi) (G - S), S the symmetric part of G without its trace
static gradient scale_shear(double g[3][3], double xi, int dimension)
{
    const double expansion = (g[0][0] + g[1][1] + g[2][2]) / dimension;
    gradient out;
    for (int r = 0; r < 3; ++r)
    {
        out.row[r] = frz_v4_zero();
        for (int c = 0; c < dimension && r < dimension; ++c)
        {
            const double shear = 0.5 * (g[r][c] + g[c][r]) - (r == c ? expansion : 0.0);
            out.row[r][c] = (frz_real)((1.0 - xi) * (g[r][c] - shear));
        }
    }
    return out;
}

static void want_gradients(const frz_model *model, const frz_state *state, const misfit *m)
{
    const int blocks = frz_block_count(m->pairs->count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, m->pairs->count); ++i)
        {
            double g[3][3];
            const moments sum = moments_of(model, state, m, b, i);
            fit_gradient(&sum, model->dimension, g);
            m->wanted[i] = scale_shear(g, fmax((double)m->keep[m->material[i]], 0.0), model->dimension);
        }
}

// ---- the system

static inline frz_v4 times(const gradient *g, frz_v4 x)
{
    return frz_v4_set(frz_v4_dot3(g->row[0], x), frz_v4_dot3(g->row[1], x), frz_v4_dot3(g->row[2], x), 0);
}

// Right-hand side for a particle and the bodies beside it: k (xi (v_i - v_b) + T' x_ib).
static frz_v4 want_links(const misfit *m, double spacing, int i)
{
    frz_v4 sum = frz_v4_zero();
    for (int n = m->rows.links->begin[i]; n < m->rows.links->begin[i + 1]; ++n)
    {
        const frz_v4 away = (frz_real)spacing * (m->rows.links->link[n].arm - m->rows.arm[n]);
        const frz_v4 kept = m->keep[m->material[i]] * (m->target[i] - frz_viscous_rows_before(&m->rows, n));
        m->rows.wanted[n] = m->rows.grip[n] * frz_v4_xyz(kept + times(&m->wanted[i], away));
        sum += m->rows.wanted[n];
    }
    return sum;
}

// Right-hand side: sum_j w (xi (v_i - v_j) + (T'_i + T'_j) / 2 x_ij) + sum_b w (v_b + xi (v_i - v_b) + T'_i x_ib) with
// T' = T - xi G. Between liquids xi is the mean of both, so that pairs stay antisymmetric.
static void fill_source(const frz_model *model, const frz_state *state, const misfit *m, int b, int i)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const frz_real half_spacing = (frz_real)(0.5 * model->spacing);
    frz_v4 sum = frz_v4_zero();
    for (uint32_t k = m->pairs->begin[i]; k < m->pairs->end[i]; ++k)
    {
        const uint32_t j = m->pairs->blocks[b].index[k];
        const frz_v4 x = frz_minimum_image(&state->neighbors.grid, position[i] - position[j]);
        frz_real a, b_share;
        shares_of(m, i, j, &a, &b_share);
        const frz_real xi = a * m->keep[m->material[i]] + b_share * m->keep[m->material[j]];
        const frz_v4 step =
            xi * (m->target[i] - m->target[j]) + a * times(&m->wanted[i], x) + b_share * times(&m->wanted[j], x);
        sum += (frz_real)0.5 * weight_of(m, &m->pairs->blocks[b].pair[k], i, j) * step;
    }
    if (m->rows.links != NULL && is_ours(m, i) && !m->slip[m->material[i]])
        sum += want_links(m, model->spacing, i);
    const int32_t *sample_body =
        frz_field_i32(&state->particles, FRZ_FIELD_ID_body) + state->particles.first[FRZ_ROLE_SAMPLE];
    if (m->wall[i] > 0)
        for (int64_t k = state->neighbors.sample_pairs.begin[i]; k < state->neighbors.sample_pairs.begin[i + 1]; ++k)
        {
            const frz_sample_pair *pair = &state->neighbors.sample_pairs.pair[k];
            if (frz_viscous_rows_link(&m->rows, i, sample_body[pair->slot]) >= 0)
                continue;
            const frz_v4 x = from_surface(state, pair, half_spacing);
            const frz_v4 wall = frz_sample_velocity_at(state, pair->slot, pair->difference - x);
            const frz_v4 kept = m->keep[m->material[i]] * (m->target[i] - wall);
            sum += pair->difference[3] * (wall + kept + times(&m->wanted[i], x));
        }
    m->source[i] = sum;
}

static void fill_sources(const frz_model *model, const frz_state *state, const misfit *m)
{
    const int blocks = frz_block_count(m->pairs->count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, m->pairs->count); ++i)
            fill_source(model, state, m, b, i);
    frz_viscous_rows_source(&m->rows, m->source);
}

static void apply(const void *user, const frz_v4 *x, frz_v4 *out)
{
    const misfit *m = user;
    const int blocks = frz_block_count(m->pairs->count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, m->pairs->count); ++i)
        {
            frz_v4 sum = m->wall[i] * x[i];
            for (uint32_t k = m->pairs->begin[i]; k < m->pairs->end[i]; ++k)
            {
                const uint32_t j = m->pairs->blocks[b].index[k];
                sum += weight_of(m, &m->pairs->blocks[b].pair[k], i, j) * (x[i] - x[j]);
            }
            if (m->rows.links != NULL)
                sum += frz_viscous_rows_pull(&m->rows, x, i);
            out[i] = sum;
        }
    frz_viscous_rows_apply(&m->rows, x, out);
}

static void divide_by_mass(const void *user, const frz_v4 *x, frz_v4 *out)
{
    const misfit *m = user;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < m->pairs->count; ++i)
        out[i] = x[i] / m->mass[i];
    frz_viscous_rows_divide(&m->rows, x, out);
}

// Residual of the velocities at the start; returns its norm.
static double find_misfit(const misfit *m, frz_v4 *missing)
{
    apply(m, m->target, missing);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < m->rows.count; ++i)
        missing[i] = m->source[i] - missing[i];
    return sqrt(frz_cg_dot(m->rows.count, missing, missing, NULL, m->partial));
}

static frz_status solve(const frz_model *model, frz_state *state, const peer *self, const misfit *m, double dt,
                        frz_diag *diag)
{
    const int count = state->neighbors.pairs.count;
    frz_v4 *missing = FRZ_SCRATCH(&state->scratch, m->rows.count + 1, frz_v4);
    if (missing == NULL)
        return frz_fail_memory(diag, "the viscosity");
    want_gradients(model, state, m);
    fill_sources(model, state, m);
    frz_viscous_rows_start(&m->rows, m->target);
    const double speed = sqrt(frz_cg_dot(count, m->target, m->target, NULL, m->partial));
    memset(m->change, 0, (size_t)m->rows.count * sizeof *m->change);
    const frz_cg cg = {.count = m->rows.count,
                       .user = m,
                       .apply = apply,
                       .precondition = divide_by_mass,
                       .tolerance = fmax(0.01 * self->max_error * find_misfit(m, missing), rounding * speed),
                       .max_iterations = self->max_iterations,
                       .from_zero = true};
    frz_cg_report report;
    FRZ_TRY(frz_cg_solve(&cg, missing, m->change, &state->scratch, &report, diag));
    state->stats.viscosity = (frz_solver_report){.iterations = report.iterations, .converged = report.converged};
    if (!(report.residual <= hopeless * cg.tolerance))
        return frz_fail(diag, FRZ_ERR_DIVERGED,
                        "the viscosity solver did not converge in %d iterations (misfit %.3g of what is allowed)",
                        report.iterations, report.residual / cg.tolerance);
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
        velocity[i] += m->change[i];
    frz_viscous_rows_move(state, &m->rows, m->change, dt);
    return FRZ_OK;
}

static frz_status peer_velocity(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                frz_diag *diag)
{
    const int count = state->neighbors.pairs.count;
    if (!frz_viscosity_solves(model, instance) || count == 0)
        return FRZ_OK;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    misfit m;
    FRZ_TRY(misfit_make(model, state, dt, &m, diag));
    FRZ_TRY(frz_state_sample_pairs(model, state, diag));
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
        m.target[i] = frz_v4_xyz(velocity[i]);
    FRZ_TRY(frz_state_forecast(model, state, dt, m.target, diag));
    FRZ_TRY(solve(model, state, instance->self, &m, dt, diag));
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

const frz_method frz_method_viscosity_peer2015 = {
    .key = "peer2015",
    .slot = FRZ_SLOT_VISCOSITY,
    .doc = "Implicit damping of shear at one rate for all lengths; keeps rotation, but is not a physical viscosity.",
    .cite = "Peer, Ihmsen, Cornelis & Teschner 2015, doi:10.1145/2766925",
    .self_size = sizeof(peer),
    .params = peer_params,
    .run = {[FRZ_STAGE_VELOCITY] = peer_velocity},
    .traits = FRZ_TRAIT_RUBS_ALL | FRZ_TRAIT_HIDES_WORK,
};
