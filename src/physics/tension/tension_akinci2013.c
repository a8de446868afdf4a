// SPDX-License-Identifier: MIT
// Cohesion, area and adhesion forces between particles. Akinci, Akinci & Teschner 2013, sections 3.1 to 3.3.
//
//     m a_i = sum_j K_ij ( -gamma m m C(r) x_ij / r - gamma m (n_i - n_j) ) - beta m sum_b rho_0 V_b A(r) x_ib / r
//     n_i = R sum_j (m / rho_j) gradW_ij,   K_ij = 2 rho_0 / (rho_i + rho_j)
//
// with R the support, C and A the paper's kernels. gamma is a strength, not a tension in N/m: docs/theory.md has the
// relation that pair forces should obey, and its consequences. Materials do not interact. Walls count in the normals,
// unlike in the paper: without them liquid at a wall would feel a surface there.

#include <math.h>

#include "base/blocks.h"
#include "sim/bodies.h"
#include "sim/neighborhood.h"
#include "sim/state.h"

typedef struct akinci
{
    double coefficient;
    double adhesion;
} akinci;

static const frz_param akinci_params[] = {
    {"coefficient", "gamma of the paper: strength of cohesion and area forces, not in N/m", FRZ_PARAM_REAL,
     offsetof(akinci, coefficient), 0.1, 0.0, 1.0e6, ""},
    {"adhesion", "beta of the paper: strength with which walls attract", FRZ_PARAM_REAL, offsetof(akinci, adhesion),
     0.0, 0.0, 1.0e6, ""},
    {0},
};

static const double pi = 3.14159265358979323846;
// dt <= this * sqrt(s / a), a the sum of the forces' sizes at a flat surface
static const double stability = 0.25;

typedef struct forces
{
    double support;
    double cohesion; // 32 / (pi R^9), of C
    double adhesion; // 0.007 / R^3.25, of A
    double mass;     // rho_0 s^3: in the plane a particle is a column one spacing high, with the forces of space
    int material;
} forces;

static forces forces_of(const frz_model *model, int material)
{
    const double s = model->spacing, support = model->support;
    // both constants are the paper's
    return (forces){
        .support = support,
        .cohesion = 32.0 / (pi * pow(support, 9.0)),
        .adhesion = 0.007 / pow(support, 3.25),
        .mass = model->materials[material].density * s * s * s,
        .material = material,
    };
}

// C(r): attraction beyond R/2, repulsion close up.
static double cohesion(const forces *f, double r)
{
    const double rest = f->support - r, cube = rest * rest * rest * r * r * r;
    if (r <= 0.0 || rest <= 0.0)
        return 0.0;
    return f->cohesion * (r > 0.5 * f->support ? cube : 2.0 * cube - pow(f->support, 6.0) / 64.0);
}

// A(r): between R/2 and R.
static double adhesion(const forces *f, double r)
{
    if (r <= 0.5 * f->support || r >= f->support)
        return 0.0;
    const double inside = -4.0 * r * r / f->support + 6.0 * r - 2.0 * f->support;
    return inside > 0.0 ? f->adhesion * pow(inside, 0.25) : 0.0;
}

// n_i, with number-density volumes (m / rho_j = V / delta_j); walls fill it up.
static frz_v4 normal_of(const frz_model *model, const frz_state *state, const int32_t *material, int own, int i)
{
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    const frz_pair_block *block = &pairs->blocks[i / FRZ_BLOCK];
    frz_v4 sum = frz_v4_zero();
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
        if (material[block->index[k]] == own)
            sum += frz_pairs_bare(pairs, i, (int)block->index[k]) * frz_pair_load(&block->pair[k]) /
                   compression[block->index[k]];
    sum *= (frz_real)(1.0 / model->spacing);
    for (int64_t k = state->neighbors.sample_pairs.begin[i]; k < state->neighbors.sample_pairs.begin[i + 1]; ++k)
        sum += state->neighbors.sample_pairs.pair[k].gradient;
    return (frz_real)model->support * frz_v4_xyz(sum);
}

// Acceleration of i by its own liquid.
static frz_v4 pull_of_liquid(const frz_state *state, const forces *f, const int32_t *material, const frz_v4 *normal,
                             int i)
{
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    frz_v4 sum = frz_v4_zero();
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const uint32_t j = index[k];
        if ((int)j == i || material[j] != f->material)
            continue;
        const frz_v4 x = frz_minimum_image(&state->neighbors.grid, position[i] - position[j]);
        const double r = sqrt((double)frz_v4_dot3(x, x));
        const frz_real along = r > 0.0 ? (frz_real)(f->mass * cohesion(f, r) / r) : 0;
        sum -= 2 / (compression[i] + compression[j]) * (along * x + (normal[i] - normal[j]));
    }
    return frz_v4_xyz(sum);
}

// Acceleration of a particle by the sample of a wall pair, over beta; height is that of a particle in the plane.
static frz_v4 pull_of_sample(const frz_state *state, const forces *f, double density, double height,
                             const frz_sample_pair *pair)
{
    const frz_real *volume =
        frz_field_real(&state->particles, FRZ_FIELD_ID_volume) + state->particles.first[FRZ_ROLE_SAMPLE];
    const double r = sqrt((double)frz_v4_dot3(pair->difference, pair->difference));
    const double weight = r > 0.0 ? density * height * (double)volume[pair->slot] * adhesion(f, r) / r : 0.0;
    return (frz_real)-weight * frz_v4_xyz(pair->difference);
}

static frz_v4 pull_of_walls(const frz_state *state, const forces *f, double density, double height, int i)
{
    frz_v4 sum = frz_v4_zero();
    for (int64_t k = state->neighbors.sample_pairs.begin[i]; k < state->neighbors.sample_pairs.begin[i + 1]; ++k)
        sum += pull_of_sample(state, f, density, height, &state->neighbors.sample_pairs.pair[k]);
    return sum;
}

// Input of the pull on rigid bodies.
typedef struct body_pull
{
    const frz_state *state;
    const forces *f;
    const int32_t *material; // by particle
    frz_real scale;          // takes an acceleration to a force, kg
    double density, height;
} body_pull;

// The reaction to adhesion on rigid bodies.
static void pull_body(const void *user, int i, int64_t k, frz_v4 *force, frz_v4 *away)
{
    const body_pull *b = user;
    *away = frz_v4_zero();
    *force = b->material[i] == b->f->material ? b->scale * pull_of_sample(b->state, b->f, b->density, b->height,
                                                                          &b->state->neighbors.sample_pairs.pair[k])
                                              : frz_v4_zero();
}

static frz_status akinci_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                               frz_diag *diag)
{
    const akinci *self = instance->self;
    const int count = state->neighbors.pairs.count, rows = frz_particles_rows(&state->particles);
    FRZ_TRY(frz_state_sample_pairs(model, state, diag));
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    int32_t *material = FRZ_SCRATCH(&state->scratch, rows + 1, int32_t);
    frz_v4 *normal = FRZ_SCRATCH(&state->scratch, rows + 1, frz_v4);
    if (material == NULL || normal == NULL)
        return frz_fail_memory(diag, "the surface tension");
    const uint8_t *own_material = frz_particles_material(&state->particles);
    const uint8_t *phase = frz_particles_phase(&state->particles);
    const forces f = forces_of(model, instance->material);
    const double density = model->materials[instance->material].density;
    // volumes of the plane are areas: one spacing high, like the particles
    const double height = model->dimension == 2 ? model->spacing : 1.0;
    for (int i = 0; i < count; ++i)
        material[i] = phase[i] == FRZ_PHASE_LIQUID ? own_material[i] : -1;
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < count; ++i)
        normal[i] = material[i] == f.material ? normal_of(model, state, material, f.material, i) : frz_v4_zero();
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < count; ++i)
        if (material[i] == f.material)
            acceleration[i] += (frz_real)self->coefficient * pull_of_liquid(state, &f, material, normal, i) +
                               (frz_real)self->adhesion * pull_of_walls(state, &f, density, height, i);
    if (self->adhesion > 0.0 && state->links.count > 0)
    {
        const frz_real scale = (frz_real)(-self->adhesion * density * model->cell);
        const body_pull reaction = {state, &f, material, scale, density, height};
        FRZ_TRY(frz_body_links_push(model, state, pull_body, &reaction, dt, diag));
    }
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

// Sizes of all forces on a particle at a flat surface of the lattice, with and beside a flat wall, m/s^2.
static double surface_pull(const frz_model *model, const akinci *self, const forces *f)
{
    const double s = model->spacing;
    const int reach = (int)ceil(model->support / s), deep = model->dimension == 3 ? reach : 0;
    double pairs = 0.0, number = 0.0, normal = 0.0, walls = 0.0;
    for (int z = 1; z <= reach; ++z)
        for (int y = -deep; y <= deep; ++y)
            for (int x = -reach; x <= reach; ++x)
            {
                const double r = s * sqrt((double)(x * x + y * y + z * z)), slope = z * s / r;
                pairs += f->mass * fabs(cohesion(f, r)) * slope;
                number += r < model->support ? 1.0 : 0.0;
                normal -= model->support * model->particle_volume * frz_kernel_slope(&model->kernel, r) * slope;
                walls += z == 1 ? f->mass * adhesion(f, r) * slope : 0.0;
            }
    return self->coefficient * (pairs + number * normal) + self->adhesion * walls;
}

static double akinci_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    (void)state;
    const forces f = forces_of(model, instance->material);
    const double pull = surface_pull(model, instance->self, &f);
    return pull > 0.0 ? stability * sqrt(model->spacing / pull) : HUGE_VAL;
}

const frz_method frz_method_tension_akinci2013 = {
    .key = "akinci2013",
    .slot = FRZ_SLOT_TENSION,
    .traits = FRZ_TRAIT_HIDES_ENERGY,
    .doc = "Cohesion and area forces between particles, and adhesion to walls; the coefficients are no tension in N/m.",
    .cite = "Akinci, Akinci & Teschner 2013, doi:10.1145/2508363.2508395",
    .self_size = sizeof(akinci),
    .params = akinci_params,
    .run = {[FRZ_STAGE_FORCE] = akinci_force},
    .max_dt = akinci_max_dt,
};
