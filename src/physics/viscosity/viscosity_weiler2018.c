// SPDX-License-Identifier: MIT
// Implicit laminar viscosity. Weiler, Koschier, Brand & Bender 2018, eqs. 8 to 13, with another weight and with walls.
//
// Backward Euler of the viscous force in Monaghan's form: every pair is a dashpot along its own line,
//
//     m_i (v_i - v~_i) = dt s^(d-2) sum_j mu_ij C_c g_ij e_ij e_ij . (v_j - v_i) + dt k_i (v_wall - v_i)
//
// so linear and angular momentum are kept, a free surface bears no stress, and a liquid that turns as a whole is not
// braked. C_c and the weight g are those of sph/shear_weight, which make mu the viscosity on the liquid's own lattice
// (the paper's |W'| / r shows 0.65 to 0.78 of it with the short supports in use here).
//
// mu_ij is the harmonic mean 2 mu_i mu_j / (mu_i + mu_j): half of the distance from i to j lies in each liquid, the
// shear stress is the same in both halves, so their resistances 1 / mu add up. All materials with this method are one
// system; with others (mu = 0) there is no friction.
//
// Walls (viscosity_walls.h): k_i is the sum over the samples. Wall friction is isotropic: it also holds liquid that
// would leave, as a film that cannot cavitate does. Rigid bodies take part in the solve with their own six unknowns
// each (viscosity_bodies.h).
//
// v~ is the velocity with all explicit forces and, as a forecast, the pressure of the last step: friction acts on the
// velocity at the end of the step, not on the free fall before the pressure has acted. (Without it a very viscous
// liquid hangs on its walls instead of standing on its floor: the first solve takes all weight and leaves no pressure.)
// The forecast is not applied; the pressure solver does that.
//
// Solved by conjugate gradients with the 3x3 diagonal blocks as preconditioner, from the last step's friction as first
// guess. The velocities then take the dashpots' forces at the solution, not the solution: those are equal and opposite
// for any residual.

#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "math/conjugate_gradient.h"
#include "physics/viscosity/viscosity_bodies.h"
#include "physics/viscosity/viscosity_implicit.h"
#include "physics/viscosity/viscosity_mean.h"
#include "physics/viscosity/viscosity_particles.h"
#include "physics/viscosity/viscosity_walls.h"
#include "sim/forecast.h"
#include "sim/neighborhood.h"
#include "sph/shear_weight.h"

extern const frz_method frz_method_viscosity_weiler2018;

typedef struct weiler
{
    double viscosity;
    double activation, activation_reference;
    double slip_length;
    bool slip;
    double max_error;
    int max_iterations;
} weiler;

static const frz_param weiler_params[] = {
    {"viscosity", "dynamic viscosity", FRZ_PARAM_REAL, offsetof(weiler, viscosity), 1.0, 0.0, 1.0e6, "Pa s"},
    {"activation",
     "of the flow over the gas constant: the viscosity is multiplied by exp(activation (1/T - "
     "1/activation_reference)); 0 K: it does not depend on the temperature",
     FRZ_PARAM_REAL, offsetof(weiler, activation), 0.0, 0.0, 1.0e6, "K"},
    {"activation_reference", "temperature at which the viscosity is the given one", FRZ_PARAM_REAL,
     offsetof(weiler, activation_reference), 293.15, 1.0, 1.0e6, "K"},
    {"slip_length", "how far behind a wall's surface the velocity would come to that of the wall; 0 is no slip",
     FRZ_PARAM_REAL, offsetof(weiler, slip_length), 0.0, 0.0, 1.0e6, "m"},
    {"slip", "let the liquid slide along walls without friction", FRZ_PARAM_BOOL, offsetof(weiler, slip), 0, 0, 1, ""},
    {"max_error", "acceleration left unbalanced at which the solver stops, of the explicit and viscous ones",
     FRZ_PARAM_REAL, offsetof(weiler, max_error), 0.1, 1e-6, 10.0, "%"},
    {"max_iterations", "iterations after which the solver gives up", FRZ_PARAM_INT, offsetof(weiler, max_iterations),
     500, 1, 100000, ""},
    {0},
};

static const frz_field_decl weiler_fields[] = {
    {"weiler_acceleration", 3, "m/s^2", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,
     "by friction in the last step; warm start"},
    {0},
};

// an unconverged solution with an error beyond this many tolerances is a failed step
static const double hopeless = 20.0;
// the residual cannot be computed better than about this many roundings of the largest terms in it
static const double rounding = 4.0 * FRZ_REAL_EPSILON;

// Symmetric 3x3 matrix: xx, yy, zz, xy, xz, yz.
typedef struct block_matrix
{
    frz_real m[6];
} block_matrix;

// In units of the reference density, the spacing and the largest viscosity.
typedef struct dashpot_system
{
    const frz_pairs *pairs;
    frz_real stiffness;   // dt mu C_c / (rho s^2): of a pair with weight 1
    const frz_real *mass; // by particle
    frz_pair *link;       // sqrt(g mu_ij / mu) e_ij for every stored pair
    const int64_t *base;  // where the links of a block begin
    frz_real *friction;   // dt k_i of walls that do not yield
    frz_v4 *pull;         // dt k_i v_wall
    frz_viscous_bodies bodies;
    frz_viscous_particles particles;
    frz_real *inverse_mass; // by particle
    block_matrix *inverse;  // of the diagonal blocks
} dashpot_system;

typedef struct rates
{
    double dt;
    double largest_viscosity;
    double density; // reference
    double inverse_spacing;
    const frz_real *viscosity;
    const frz_real *factor;      // of the temperature, by particle; null: it has no influence
    const frz_real *slip_length; // by material, like viscosity; negative: no friction at walls
    const uint8_t *phase;        // by particle; null: all are liquid
    frz_shear_weight weight;
} rates;

static const weiler *chosen_for(const frz_model *model, int material)
{
    const frz_instance *chosen = frz_model_method(model, FRZ_SLOT_VISCOSITY, material);
    return chosen != NULL && chosen->method == &frz_method_viscosity_weiler2018 ? chosen->self : NULL;
}

static frz_real viscosity_of(const rates *r, const uint8_t *material, int i)
{
    return r->factor != NULL ? r->viscosity[material[i]] * r->factor[i] : r->viscosity[material[i]];
}

// Arrhenius' law, within a range that float and solver can bear. The largest viscosity is that of the particles then.
static frz_status find_factors(const frz_model *model, frz_state *state, rates *r, frz_diag *diag)
{
    const double widest = 1e6;
    const int count = state->particles.count[FRZ_ROLE_FREE];
    const uint8_t *material = frz_particles_material(&state->particles);
    frz_real *factor = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    if (factor == NULL)
        return frz_fail_memory(diag, "the viscosity");
    const frz_real *temperature = frz_field_real(&state->particles, model->temperature_field);
    double largest = 0.0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (int i = 0; i < count; ++i)
    {
        const weiler *self = chosen_for(model, material[i]);
        factor[i] = 1;
        if (self != NULL && frz_material_depends(&model->materials[material[i]], FRZ_PROPERTY_VISCOSITY))
            factor[i] = (frz_real)frz_material_factor(&model->materials[material[i]], FRZ_PROPERTY_VISCOSITY,
                                                      (double)temperature[i]);
        if (self != NULL && self->activation > 0.0)
            factor[i] *= (frz_real)fmin(fmax(exp(self->activation * (1.0 / fmax((double)temperature[i], 1.0) -
                                                                     1.0 / self->activation_reference)),
                                             1.0 / widest),
                                        widest);
        if (self != NULL)
            largest = fmax(largest, self->viscosity * (double)factor[i]);
    }
    r->factor = factor;
    r->largest_viscosity = largest;
    return FRZ_OK;
}

static frz_status rates_make(const frz_model *model, frz_state *state, double dt, rates *r, frz_diag *diag)
{
    frz_real *viscosity = FRZ_SCRATCH(&state->scratch, model->material_count + 1, frz_real);
    frz_real *slip = FRZ_SCRATCH(&state->scratch, model->material_count + 1, frz_real);
    if (viscosity == NULL || slip == NULL)
        return frz_fail_memory(diag, "the viscosity");
    bool depends = false;
    *r = (rates){.dt = dt,
                 .density = 1000.0,
                 .inverse_spacing = 1.0 / model->spacing,
                 .viscosity = viscosity,
                 .slip_length = slip,
                 .phase = frz_viscosity_phases(state)};
    r->weight = frz_shear_weight_make(model->spacing, model->support, model->dimension);
    for (int m = 0; m < model->material_count; ++m)
    {
        const weiler *self = chosen_for(model, m);
        viscosity[m] = self != NULL ? (frz_real)self->viscosity : 0;
        slip[m] = self != NULL && !self->slip ? (frz_real)self->slip_length : -1;
        if (self != NULL && self->viscosity > r->largest_viscosity)
        {
            r->largest_viscosity = self->viscosity;
            r->density = model->materials[m].density;
        }
        depends = depends || (self != NULL && (self->activation > 0.0 ||
                                               frz_material_depends(&model->materials[m], FRZ_PROPERTY_VISCOSITY)));
    }
    if (depends && model->has_temperature)
        return find_factors(model, state, r, diag);
    return FRZ_OK;
}

// ---- the matrix

static frz_status reserve(const frz_model *model, frz_state *state, const rates *r, dashpot_system *s, frz_diag *diag)
{
    const int count = state->neighbors.pairs.count, blocks = frz_block_count(count), wide = 8;
    int64_t *base = FRZ_SCRATCH(&state->scratch, blocks + 1, int64_t), total = 0;
    frz_real *mass = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    if (base == NULL || mass == NULL)
        return frz_fail_memory(diag, "the viscosity");
    for (int b = 0; b < blocks; ++b)
    {
        base[b] = total;
        total += (int64_t)state->neighbors.pairs.end[frz_block_end(b, count) - 1] +
                 wide; // the last store may go beyond the list
    }
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
        mass[i] = (frz_real)(1.0 / ((double)inverse_density[i] * r->density));
    const double unit = r->density * model->spacing * model->spacing;
    *s = (dashpot_system){
        .pairs = &state->neighbors.pairs,
        .stiffness = (frz_real)(r->dt * r->largest_viscosity * r->weight.central / unit),
        .mass = mass,
        .link = FRZ_SCRATCH(&state->scratch, total + 1, frz_pair),
        .base = base,
        .friction = FRZ_SCRATCH(&state->scratch, count + 1, frz_real),
        .pull = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4),
        .inverse_mass = FRZ_SCRATCH(&state->scratch, count + 1, frz_real),
        .inverse = FRZ_SCRATCH(&state->scratch, count + 1, block_matrix),
    };
    if (s->link == NULL || s->friction == NULL || s->pull == NULL || s->inverse_mass == NULL || s->inverse == NULL)
        return frz_fail_memory(diag, "the viscosity");
    return FRZ_OK;
}

// Of a dashpot between a liquid particle and one of a rigid body: the surface lies half way, and the velocity equals
// that of the body there, or a slip length behind it. The resistance is that of the liquid half alone.
static frz_real at_surface(const rates *r, const uint8_t *material, int liquid)
{
    const frz_real slip = r->slip_length[material[liquid]];
    return slip < 0 ? 0 : 2 * viscosity_of(r, material, liquid) / (1 + 2 * slip * (frz_real)r->inverse_spacing);
}

static frz_real viscosity_between(const rates *r, const uint8_t *material, int i, int j)
{
    if (frz_viscosity_is_rigid(r->phase, i))
        return at_surface(r, material, j);
    if (frz_viscosity_is_rigid(r->phase, j))
        return at_surface(r, material, i);
    return frz_harmonic_mean(viscosity_of(r, material, i), viscosity_of(r, material, j));
}

// sqrt(g mu_ij / mu) e_ij of eight pairs of i; lanes behind the end become zero.
static void make_links(const frz_state *state, const rates *r, int b, int i, uint32_t from, frz_w8 link[3])
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const uint8_t *material = frz_particles_material(&state->particles);
    const uint32_t *index = state->neighbors.pairs.blocks[b].index;
    const frz_real scale = (frz_real)(1.0 / r->largest_viscosity);
    link[0] = link[1] = link[2] = frz_w8_splat(0);
    for (uint32_t l = 0; l < 8 && from + l < state->neighbors.pairs.end[i]; ++l)
    {
        const uint32_t j = index[from + l];
        const frz_v4 x = frz_minimum_image(&state->neighbors.grid, position[i] - position[j]);
        const frz_real square = frz_v4_dot3(x, x);
        if (!(square > 0) || // padding, or two coinciding particles, which have no direction
            !frz_viscosity_is_between(r->phase, i, (int)j))
            continue;
        const frz_real mean = scale * viscosity_between(r, material, i, (int)j);
        const frz_real factor = (frz_real)sqrt((double)(mean * frz_shear_weight_at(&r->weight, square) / square));
        for (int a = 0; a < 3; ++a)
            link[a][l] = factor * x[a];
    }
}

// Friction of the walls near i: its rate dt k_i / (rho s^d), and that times the walls' velocity. The friction of bodies
// that yield goes to their grips.
static frz_real wall_friction(const frz_model *model, const frz_state *state, const rates *r,
                              const frz_viscous_bodies *bodies, int i, frz_v4 *pull)
{
    const int32_t *sample_body =
        frz_field_i32(&state->particles, FRZ_FIELD_ID_body) + state->particles.first[FRZ_ROLE_SAMPLE];
    const int m = frz_particles_material(&state->particles)[i];
    const double rate = r->dt * (double)viscosity_of(r, frz_particles_material(&state->particles), i) / r->density;
    frz_real sum = 0;
    *pull = frz_v4_zero();
    if (r->slip_length[m] < 0 || state->neighbors.pairs.sample_count[i] == 0 || !frz_viscosity_is_liquid(r->phase, i))
        return 0;
    for (int64_t k = state->neighbors.sample_pairs.begin[i]; k < state->neighbors.sample_pairs.begin[i + 1]; ++k)
    {
        const frz_sample_pair *pair = &state->neighbors.sample_pairs.pair[k];
        const frz_real k_ib =
            (frz_real)(rate * frz_viscosity_wall_weight(model, state, &r->weight, pair, (double)r->slip_length[m]));
        frz_real *grip = frz_viscous_bodies_grip(bodies, i, sample_body[pair->slot]);
        if (grip != NULL)
        {
            *grip += k_ib;
            continue;
        }
        sum += k_ib;
        *pull += k_ib * frz_sample_velocity_at(state, pair->slot, pair->difference);
    }
    return sum;
}

static block_matrix inverted(const frz_real m[6])
{
    const double xx = (double)m[0], yy = (double)m[1], zz = (double)m[2];
    const double xy = (double)m[3], xz = (double)m[4], yz = (double)m[5];
    const double a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy;
    const double scale = 1.0 / (xx * a + xy * b + xz * c);
    return (block_matrix){{(frz_real)(scale * a), (frz_real)(scale * (xx * zz - xz * xz)),
                           (frz_real)(scale * (xx * yy - xy * xy)), (frz_real)(scale * b), (frz_real)(scale * c),
                           (frz_real)(scale * (xy * xz - xx * yz))}};
}

// Links, walls and the inverse of the diagonal block of one particle.
static void fill_particle(const frz_model *model, const frz_state *state, const rates *r, const dashpot_system *s,
                          int b, int i)
{
    frz_real sum[6] = {0};
    for (uint32_t k = state->neighbors.pairs.begin[i]; k < state->neighbors.pairs.end[i]; k += 8)
    {
        frz_w8 q[3];
        make_links(state, r, b, i, k, q);
        frz_pair_store8(s->link + s->base[b] + k, &q[0], &q[1], &q[2], frz_w8_splat(0));
        sum[0] += frz_w8_sum(q[0] * q[0]);
        sum[1] += frz_w8_sum(q[1] * q[1]);
        sum[2] += frz_w8_sum(q[2] * q[2]);
        sum[3] += frz_w8_sum(q[0] * q[1]);
        sum[4] += frz_w8_sum(q[0] * q[2]);
        sum[5] += frz_w8_sum(q[1] * q[2]);
    }
    s->friction[i] = wall_friction(model, state, r, &s->bodies, i, &s->pull[i]);
    const frz_real mass = s->mass[i];
    s->inverse_mass[i] = 1 / mass;
    frz_real held = s->friction[i];
    for (int n = 0; s->bodies.links != NULL && n < s->bodies.links->begin[i + 1] - s->bodies.links->begin[i]; ++n)
        held += s->bodies.grip[s->bodies.links->begin[i] + n];
    for (int n = 0; n < 6; ++n)
        sum[n] = s->stiffness * sum[n] + (n < 3 ? mass + held : 0);
    s->inverse[i] = inverted(sum);
}

static void fill(const frz_model *model, const frz_state *state, const rates *r, const dashpot_system *s)
{
    const int count = state->neighbors.pairs.count, blocks = frz_block_count(count);
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
            fill_particle(model, state, r, s, b, i);
}

// Sums over the liquid beside each particle of a rigid body: q q^T, or q q . x.
static void hold_bodies(const frz_state *state, const dashpot_system *s, const frz_v4 *x)
{
    const frz_viscous_particles *p = &s->particles;
    const frz_drivers *drivers = &state->attempt.drivers;
#pragma omp parallel for schedule(static) if (drivers->count >= frz_parallel_some)
    for (int n = 0; n < drivers->count; ++n)
    {
        const int j = drivers->list[n].slot, b = j / FRZ_BLOCK;
        if (!frz_viscous_particles_has(p, j))
            continue;
        frz_mat3 grip = frz_m3_zero();
        frz_vec3 push = frz_v3(0.0, 0.0, 0.0);
        for (uint32_t k = s->pairs->begin[j]; k < s->pairs->end[j]; ++k)
        {
            const frz_vec3 q = frz_v3_of(frz_pair_load(s->link + s->base[b] + k));
            if (x == NULL)
                grip = frz_m3_mad(grip, (double)s->stiffness, frz_m3_outer(q, q));
            else
                push = frz_v3_mad(push,
                                  (double)s->stiffness * frz_v3_dot(q, frz_v3_of(x[s->pairs->blocks[b].index[k]])), q);
        }
        if (x == NULL)
            p->grip[n] = grip;
        else
            p->push[n] = push;
    }
}

// sum_j q_ij q_ij . (x_i - x_j)
static inline frz_v4 dashpots(const dashpot_system *s, const frz_v4 *x, int b, int i)
{
    const frz_pair *link = s->link + s->base[b] + s->pairs->begin[i];
    const uint32_t *index = s->pairs->blocks[b].index + s->pairs->begin[i];
    const uint32_t *end = s->pairs->blocks[b].index + s->pairs->end[i];
    const frz_v4 own = x[i];
    frz_v4 sum0 = frz_v4_zero(), sum1 = sum0;
    for (; index < end; index += 2, link += 2)
    {
        const frz_v4 q0 = frz_pair_load(link), q1 = frz_pair_load(link + 1);
        sum0 += frz_v4_dot3(q0, own - x[index[0]]) * q0;
        sum1 += frz_v4_dot3(q1, own - x[index[1]]) * q1;
    }
    return s->stiffness * (sum0 + sum1);
}

static void apply(const void *user, const frz_v4 *x, frz_v4 *out)
{
    const dashpot_system *s = user;
    const int blocks = frz_block_count(s->pairs->count);
    frz_viscous_bodies_gather(&s->bodies, x);
    if (s->particles.state != NULL)
    {
        hold_bodies(s->particles.state, s, x);
        frz_viscous_particles_gather(&s->particles, false);
        frz_viscous_particles_fill(&s->particles, x);
    }
    const frz_v4 *all = s->particles.state != NULL ? s->particles.full : x;
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, s->pairs->count); ++i)
        {
            out[i] = s->mass[i] * x[i];
            if (frz_viscous_particles_has(&s->particles, i)) // an empty row
                continue;
            out[i] = (s->mass[i] + s->friction[i]) * x[i] + dashpots(s, all, b, i);
            if (s->bodies.links != NULL)
                out[i] -= frz_viscous_bodies_force(&s->bodies, x[i], false, i);
        }
}

static void precondition(const void *user, const frz_v4 *x, frz_v4 *out)
{
    const dashpot_system *s = user;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < s->pairs->count; ++i)
    {
        const frz_real *m = s->inverse[i].m;
        const frz_v4 v = x[i];
        out[i] = frz_v4_set(m[0] * v[0] + m[3] * v[1] + m[4] * v[2], m[3] * v[0] + m[1] * v[1] + m[5] * v[2],
                            m[4] * v[0] + m[5] * v[1] + m[2] * v[2], 0);
    }
}

// ---- the solve

// First guess, right-hand side and tolerance of the solve.
typedef struct start
{
    frz_v4 *target; // v~
    frz_v4 *source; // right-hand side
    frz_v4 *guess;
    double *partial;
    double tolerance, floor;
} start;

static frz_status start_make(const frz_model *model, frz_state *state, const frz_instance *instance, const rates *r,
                             const dashpot_system *s, start *t, frz_diag *diag)
{
    const int count = state->neighbors.pairs.count;
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    const frz_v4 *warm = frz_field_v4(&state->particles, instance->first_field);
    t->target = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4);
    t->source = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4);
    t->guess = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4);
    t->partial = FRZ_SCRATCH(&state->scratch, frz_block_count(count) + 1, double);
    frz_real *largest_term = FRZ_SCRATCH(&state->scratch, count + 1, frz_real); // of the residual, over the velocity
    if (t->target == NULL || t->source == NULL || t->guess == NULL || t->partial == NULL || largest_term == NULL)
        return frz_fail_memory(diag, "the viscosity");
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
        t->target[i] = frz_v4_xyz(velocity[i]);
    FRZ_TRY(frz_state_forecast(model, state, r->dt, t->target, diag));
    frz_v4 *by_walls = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4);
    if (by_walls == NULL)
        return frz_fail_memory(diag, "the viscosity");
    const frz_real step = (frz_real)r->dt;
    const bool bodies = s->particles.state != NULL; // whose own motion pulls
    if (bodies)
    {
        frz_viscous_particles_start(&s->particles);
        frz_viscous_particles_fill(&s->particles, NULL);
    }
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
    {
        const frz_real mass = s->mass[i];
        frz_v4 pull = s->pull[i];
        largest_term[i] = s->inverse_mass[i] * (mass + s->stiffness) * (mass + s->stiffness);
        if (frz_viscous_particles_has(&s->particles, i))
        {
            t->target[i] = t->source[i] = t->guess[i] = by_walls[i] = frz_v4_zero();
            continue;
        }
        if (bodies)
            pull -= dashpots(s, s->particles.full, i / FRZ_BLOCK, i);
        frz_real friction = s->friction[i], grip = 0;
        if (s->bodies.links != NULL)
            pull += frz_viscous_bodies_pull(&s->bodies, i, &grip);
        friction += grip;
        t->source[i] = mass * t->target[i] + pull;
        t->guess[i] = t->target[i] + frz_v4_xyz(step * warm[i]);
        by_walls[i] = (pull - friction * t->target[i]) / (mass + friction);
    }
    // changes of the velocity in this step: by explicit forces, by friction if it is as in the last step, by walls
    // alone
    const weiler *self = instance->self;
    const double kick = r->dt * sqrt(frz_cg_dot(count, acceleration, acceleration, NULL, t->partial));
    const double friction = r->dt * sqrt(frz_cg_dot(count, warm, warm, NULL, t->partial));
    const double walls = sqrt(frz_cg_dot(count, by_walls, by_walls, NULL, t->partial));
    t->tolerance = 0.01 * self->max_error * (kick + friction + walls);
    t->floor = rounding * sqrt(frz_cg_dot(count, t->target, t->target, largest_term, t->partial));
    return FRZ_OK;
}

// Velocities take the forces of the dashpots and the walls at the solution, bodies the reaction to theirs.
static void finish(frz_state *state, const frz_instance *instance, double dt, const dashpot_system *s, const frz_v4 *x)
{
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    frz_v4 *warm = frz_field_v4(&state->particles, instance->first_field);
    const frz_real rate = (frz_real)(1.0 / dt);
    const int blocks = frz_block_count(s->pairs->count);
    frz_viscous_bodies_gather(&s->bodies, x);
    frz_viscous_bodies_react(state, &s->bodies, x, dt);
    if (s->particles.state != NULL)
    {
        hold_bodies(state, s, x);
        frz_viscous_particles_gather(&s->particles, true);
        frz_viscous_particles_fill(&s->particles, x);
        frz_viscous_particles_react(state, &s->particles, dt);
    }
    const frz_v4 *all = s->particles.state != NULL ? s->particles.full : x;
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, s->pairs->count); ++i)
        {
            warm[i] = frz_v4_zero();
            if (frz_viscous_particles_has(&s->particles, i)) // its body has taken the reaction
                continue;
            frz_v4 force = s->pull[i] - s->friction[i] * x[i] - dashpots(s, all, b, i);
            if (s->bodies.links != NULL)
                force += frz_viscous_bodies_force(&s->bodies, x[i], true, i);
            const frz_v4 change = s->inverse_mass[i] * force;
            velocity[i] += change;
            warm[i] = rate * change;
        }
}

// Work of walls that are moved, by friction; unit: kg of a mass of 1.
static frz_status note_work(frz_state *state, const dashpot_system *s, const frz_v4 *x, double unit, frz_diag *diag)
{
    const int count = s->pairs->count, blocks = frz_block_count(count);
    double *sums = FRZ_SCRATCH(&state->scratch, blocks + 1, double);
    if (sums == NULL)
        return frz_fail_memory(diag, "the viscosity");
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int b = 0; b < blocks; ++b)
    {
        sums[b] = 0.0;
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
            if (s->friction[i] > 0 && !frz_viscous_particles_has(&s->particles, i))
                sums[b] += (double)(frz_v4_dot3(s->pull[i] - s->friction[i] * x[i], s->pull[i]) / s->friction[i]);
    }
    state->stats.work += unit * frz_exact_sum(sums, sizeof *sums, blocks);
    return FRZ_OK;
}

static frz_status solve(const frz_model *model, frz_state *state, const frz_instance *instance, const rates *r,
                        frz_diag *diag)
{
    const weiler *self = instance->self;
    dashpot_system s;
    start t;
    FRZ_TRY(reserve(model, state, r, &s, diag));
    FRZ_TRY(frz_viscous_bodies_make(model, state, r->density * model->cell, &s.bodies, diag));
    FRZ_TRY(frz_viscous_particles_make(model, state, r->density * model->cell, &s.particles, diag));
    FRZ_TRY(frz_state_sample_pairs(model, state, diag));
    fill(model, state, r, &s);
    frz_viscous_bodies_factor(state, &s.bodies);
    if (s.particles.state != NULL)
        hold_bodies(state, &s, NULL);
    frz_viscous_particles_factor(&s.particles);
    FRZ_TRY(start_make(model, state, instance, r, &s, &t, diag));
    frz_cg cg = {.count = state->neighbors.pairs.count,
                 .user = &s,
                 .apply = apply,
                 .precondition = precondition,
                 .weight = s.inverse_mass,
                 .tolerance = fmax(t.tolerance, t.floor),
                 .max_iterations = self->max_iterations};
    frz_cg_report report;
    FRZ_TRY(frz_cg_solve(&cg, t.source, t.guess, &state->scratch, &report, diag));
    state->stats.viscosity = (frz_solver_report){.iterations = report.iterations, .converged = report.converged};
    if (!(report.residual <= hopeless * cg.tolerance))
        return frz_fail(
            diag, FRZ_ERR_DIVERGED,
            "the viscosity solver did not converge in %d iterations (velocity error %.3g m/s, allowed %.3g)",
            report.iterations, report.residual / sqrt((double)state->neighbors.pairs.count),
            cg.tolerance / sqrt((double)state->neighbors.pairs.count));
    finish(state, instance, r->dt, &s, t.guess);
    return state->any_motion ? note_work(state, &s, t.guess, r->density * model->cell, diag) : FRZ_OK;
}

static frz_status weiler_velocity(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                  frz_diag *diag)
{
    if (!frz_viscosity_solves(model, instance) || state->neighbors.pairs.count == 0)
        return FRZ_OK;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    rates r;
    FRZ_TRY(rates_make(model, state, dt, &r, diag));
    if (r.largest_viscosity > 0.0)
        FRZ_TRY(solve(model, state, instance, &r, diag));
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

static frz_status weiler_friction_rate(const frz_model *model, frz_state *state, const frz_instance *instance,
                                       frz_real *rate, frz_diag *diag)
{
    (void)instance;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    rates r;
    FRZ_TRY(rates_make(model, state, 0.0, &r, diag));
    const uint8_t *material = frz_particles_material(&state->particles);
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    const frz_real unit = (frz_real)(r.weight.own / (model->spacing * model->spacing));
#pragma omp parallel for schedule(static) if (state->neighbors.pairs.count >= frz_parallel_least)
    for (int i = 0; i < state->neighbors.pairs.count; ++i)
        rate[i] = frz_viscosity_is_liquid(r.phase, i) ? unit * inverse_density[i] * viscosity_of(&r, material, i) : 0;
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

const frz_method frz_method_viscosity_weiler2018 = {
    .key = "weiler2018",
    .slot = FRZ_SLOT_VISCOSITY,
    .traits = FRZ_TRAIT_BY_TEMPERATURE | FRZ_TRAIT_NEEDS_AFFINE,
    .doc = "Implicit laminar viscosity with a physical coefficient, for honey and the like: no limit of the time step, "
           "keeps rotation.",
    .cite = "Weiler, Koschier, Brand & Bender 2018, doi:10.1111/cgf.13349",
    .self_size = sizeof(weiler),
    .params = weiler_params,
    .fields = weiler_fields,
    .run = {[FRZ_STAGE_VELOCITY] = weiler_velocity},
    .check = frz_viscosity_check_alone,
    .friction_rate = weiler_friction_rate,
};
