// SPDX-License-Identifier: MIT
// Surface tension from a surface energy: that of a liquid whose density varies, Cahn & Hilliard 1958.
//
//     E = K sum_i ( phi(c_i) + mu psi(|g_i|) ),   phi = max(0, full - c)^2 / 2,   psi = max(0, g / g_0 - gate)^2 / 2
//     a_i = N sum_j k_ij,   c_i = N sum_j k_ij a_j,   g_i = s grad a_i,   k = (1 - r^2 / R^2)^3,   N sum k = 1 inside
//
// The first term is cohesion: it draws in particles with too little liquid around them. Alone it packs the surface
// densely, and the drop freezes. The second counts area and keeps layers apart; alone it disperses. As in the theory,
// the two balance across the surface: mu is such that the outermost layer of a flat lattice feels no force, and the
// remaining force acts along the surface. (He et al. 2014 use the second term alone.) Forces are the exact derivative,
// equal and opposite, and along x_ij up to terms that keep the angular momentum; energy is conserved. Inside the liquid
// both terms are zero.
//
// K: the energy of a flat surface is tension times area. A moving liquid's surface is less orderly than the lattice,
// and has the fraction relaxed_share of the lattice's energy, measured on flat films (tests/methods/test_tension.c),
// not on drops. Materials do not interact: the tension between two liquids is the sum of theirs. Walls count as liquid:
// the angle of contact is about 90 degrees.

#include <math.h>

#include "base/blocks.h"
#include "physics/tension/tension_lattice.h"
#include "sim/bodies.h"
#include "sim/neighborhood.h"
#include "sim/state.h"

typedef struct cahn
{
    double tension;
} cahn;

static const frz_param cahn_params[] = {
    {"tension", "surface tension against air", FRZ_PARAM_REAL, offsetof(cahn, tension), 0.0728, 0.0, 100.0, "N/m"},
    {0},
};

static const double pi = 3.14159265358979323846;
// dt <= this * sqrt(rho s^3 / (2 pi tension)), a fraction of the shortest capillary wave's time (Brackbill et al. 1992)
static const double stability = 0.2;

// Parameters of the loops, in frz_real.
typedef struct surface
{
    frz_tension_lattice flat;
    int material;
    frz_real inverse_square; // 1 / R^2
    frz_real norm;           // N
    frz_real gradient;       // s N / R^2
} surface;

// a_i without the walls' part, and g_i in the first lanes.
static frz_v4 sum_density(const frz_state *state, const surface *f, const int32_t *material, int i)
{
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    frz_v4 sum = frz_v4_zero();
    frz_real own = 1;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const uint32_t j = index[k];
        if ((int)j == i || material[j] != f->material)
            continue;
        const frz_v4 x = frz_minimum_image(&state->neighbors.grid, position[i] - position[j]);
        const frz_real u = frz_tension_inside(x, f->inverse_square);
        sum -= (6 * u * u) * x;
        own += u * u * u;
    }
    for (int64_t k = state->neighbors.sample_pairs.begin[i]; k < state->neighbors.sample_pairs.begin[i + 1]; ++k)
    {
        const frz_v4 x = state->neighbors.sample_pairs.pair[k].difference;
        const frz_real u = frz_tension_inside(x, f->inverse_square);
        const frz_real weight = frz_tension_wall_weight(state, &f->flat, k);
        sum -= (weight * 6 * u * u) * x;
        own += weight * u * u * u;
    }
    sum *= f->gradient;
    sum[3] = f->norm * own;
    return sum;
}

// N sum_j k_ij field_j over the material; walls take part with the value at_wall.
static frz_real smooth(const frz_state *state, const surface *f, const int32_t *material, const frz_real *field,
                       frz_real at_wall, int i)
{
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    frz_real sum = field[i];
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const uint32_t j = index[k];
        if ((int)j == i || material[j] != f->material)
            continue;
        const frz_real u =
            frz_tension_inside(frz_minimum_image(&state->neighbors.grid, position[i] - position[j]), f->inverse_square);
        sum += u * u * u * field[j];
    }
    if (at_wall != 0)
        for (int64_t k = state->neighbors.sample_pairs.begin[i]; k < state->neighbors.sample_pairs.begin[i + 1]; ++k)
        {
            const frz_real u = frz_tension_inside(state->neighbors.sample_pairs.pair[k].difference, f->inverse_square);
            sum += at_wall * frz_tension_wall_weight(state, &f->flat, k) * u * u * u;
        }
    return f->norm * sum;
}

// Derivatives of the energy over K, by particle.
typedef struct slopes
{
    frz_real *density; // a
    frz_real *by_c;    // phi'(c)
    frz_real *by_a;    // through c, N sum_j k_ij phi'(c_j)
    frz_v4 *by_g;      // mu psi'(g) g / |g|
} slopes;

// grad E / K of one neighbour at -x, whose part in a_i and c_i is weight: (scalar) grad k + s (by_g . grad) grad k,
// over N / R^2
static inline frz_v4 pull(const surface *f, frz_v4 x, frz_real scalar, frz_v4 by_g, frz_real spacing)
{
    const frz_real u = frz_tension_inside(x, f->inverse_square);
    const frz_real along = 24 * u * f->inverse_square * spacing * frz_v4_dot3(x, by_g);
    return (along - 6 * u * u * scalar) * x - (6 * u * u * spacing) * by_g;
}

// The same of the sample of wall pair k.
static frz_v4 wall_pull(const frz_state *state, const surface *f, const slopes *d, int i, int64_t k, frz_real spacing)
{
    return frz_tension_wall_weight(state, &f->flat, k) *
           pull(f, state->neighbors.sample_pairs.pair[k].difference, d->by_a[i] + d->by_c[i], d->by_g[i], spacing);
}

static frz_v4 sum_pull(const frz_model *model, const frz_state *state, const surface *f, const int32_t *material,
                       const slopes *d, int i)
{
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    const frz_real s = (frz_real)model->spacing;
    frz_v4 sum = frz_v4_zero();
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const uint32_t j = index[k];
        if ((int)j == i || material[j] != f->material)
            continue;
        const frz_v4 x = frz_minimum_image(&state->neighbors.grid, position[i] - position[j]);
        const frz_real scalar = (d->by_a[i] + d->by_a[j]) + (d->by_c[i] * d->density[j] + d->by_c[j] * d->density[i]);
        sum += pull(f, x, scalar, d->by_g[i] - d->by_g[j], s);
    }
    for (int64_t k = state->neighbors.sample_pairs.begin[i]; k < state->neighbors.sample_pairs.begin[i + 1]; ++k)
        sum += wall_pull(state, f, d, i, k, s);
    return frz_v4_xyz(sum);
}

// Input of the pull on rigid bodies.
typedef struct body_pull
{
    const frz_state *state;
    const surface *f;
    const int32_t *material; // by particle
    const slopes *d;
    frz_real strength, spacing;
} body_pull;

// The reaction on rigid bodies, at their samples: the energy depends on differences of positions only.
static void pull_body(const void *user, int i, int64_t k, frz_v4 *force, frz_v4 *away)
{
    const body_pull *b = user;
    *away = frz_v4_zero();
    *force = b->material[i] == b->f->material ? b->strength * wall_pull(b->state, b->f, b->d, i, k, b->spacing)
                                              : frz_v4_zero();
}

// Three sweeps: density and its gradient, the energy's derivative by c, that by a. Other materials' slots stay zero.
static void fill_slopes(const frz_state *state, const surface *f, const int32_t *material, const slopes *d)
{
    const int count = state->neighbors.pairs.count;
    const frz_tension_lattice *flat = &f->flat;
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < count; ++i)
    {
        const frz_v4 sum = material[i] == f->material ? sum_density(state, f, material, i) : frz_v4_zero();
        const double g = sqrt((double)frz_v4_dot3(sum, sum));
        const double slope = frz_tension_area_slope(g / flat->gradient) * flat->mix / flat->gradient;
        d->density[i] = sum[3];
        d->by_g[i] = slope > 0.0 ? (frz_real)(slope / g) * frz_v4_xyz(sum) : frz_v4_zero();
    }
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < count; ++i)
        d->by_c[i] = material[i] == f->material
                         ? (frz_real)frz_tension_cohesion_slope((double)smooth(state, f, material, d->density, 1, i))
                         : 0;
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < count; ++i)
        d->by_a[i] = material[i] == f->material ? smooth(state, f, material, d->by_c, 0, i) : 0;
}

// E / K from the derivatives: phi = phi'^2 / 2, and psi = psi'^2 / 2 likewise.
static frz_status sum_energy(frz_state *state, const surface *f, const slopes *d, double *out, frz_diag *diag)
{
    const int count = state->neighbors.pairs.count, blocks = frz_block_count(count);
    const double area = f->flat.gradient * f->flat.gradient / f->flat.mix;
    double *partial = FRZ_SCRATCH(&state->scratch, blocks + 1, double);
    if (partial == NULL)
        return frz_fail_memory(diag, "the surface energy");
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; ++b)
    {
        partial[b] = 0.0;
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
            partial[b] +=
                0.5 * ((double)(d->by_c[i] * d->by_c[i]) + area * (double)frz_v4_dot3(d->by_g[i], d->by_g[i]));
    }
    *out = frz_blocks_sum(partial, blocks);
    return FRZ_OK;
}

static frz_status cahn_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                             frz_diag *diag)
{
    const cahn *self = instance->self;
    const int count = state->neighbors.pairs.count, rows = frz_particles_rows(&state->particles);
    if (!(self->tension > 0.0))
        return FRZ_OK;
    FRZ_TRY(frz_state_sample_pairs(model, state, diag));
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    int32_t *material = FRZ_SCRATCH(&state->scratch, rows + 1, int32_t);
    const slopes d = {FRZ_SCRATCH(&state->scratch, rows + 1, frz_real),
                      FRZ_SCRATCH(&state->scratch, rows + 1, frz_real),
                      FRZ_SCRATCH(&state->scratch, rows + 1, frz_real), FRZ_SCRATCH(&state->scratch, rows + 1, frz_v4)};
    if (material == NULL || d.density == NULL || d.by_c == NULL || d.by_a == NULL || d.by_g == NULL)
        return frz_fail_memory(diag, "the surface tension");
    const uint8_t *own_material = frz_particles_material(&state->particles);
    const uint8_t *phase = frz_particles_phase(&state->particles);
    for (int i = 0; i < count; ++i)
        material[i] = phase[i] == FRZ_PHASE_LIQUID ? own_material[i] : -1;
    const frz_tension_lattice flat = frz_tension_lattice_make(model);
    const double s = model->spacing, square = model->support * model->support;
    const surface f = {flat, instance->material, (frz_real)(1.0 / square), (frz_real)flat.norm,
                       (frz_real)(s * flat.norm / square)};
    fill_slopes(state, &f, material, &d);
    const double mass = model->materials[instance->material].density * model->cell;
    const double scale = frz_tension_energy_scale(model, &flat, self->tension);
    const frz_real strength = (frz_real)(scale * flat.norm / (square * mass));
    double energy = 0.0;
    FRZ_TRY(sum_energy(state, &f, &d, &energy, diag));
    state->stats.surface_energy += scale * energy;
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < count; ++i)
        if (material[i] == instance->material)
            acceleration[i] -= strength * sum_pull(model, state, &f, material, &d, i);
    if (frz_body_links_wanted(state))
    {
        const body_pull reaction = {state, &f, material, &d, strength * (frz_real)mass, (frz_real)s};
        FRZ_TRY(frz_body_links_push(model, state, pull_body, &reaction, dt, diag));
    }
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

static double cahn_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    (void)state;
    const double sigma = ((const cahn *)instance->self)->tension;
    const double density = model->materials[instance->material].density, s = model->spacing;
    return sigma > 0.0 ? stability * sqrt(density * s * s * s / (2.0 * pi * sigma)) : HUGE_VAL;
}

const frz_method frz_method_tension_cahn1958 = {
    .key = "cahn1958",
    .slot = FRZ_SLOT_TENSION,
    .doc =
        "Derivative of a surface energy, holds films and spray together; drops below some 20 spacings, and all in 3D, "
        "are too stiff.",
    .cite = "after Cahn & Hilliard 1958, doi:10.1063/1.1744102, and He et al. 2014, doi:10.1145/2682630",
    .self_size = sizeof(cahn),
    .params = cahn_params,
    .run = {[FRZ_STAGE_FORCE] = cahn_force},
    .max_dt = cahn_max_dt,
};
