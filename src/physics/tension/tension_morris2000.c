// SPDX-License-Identifier: MIT
// Surface tension as a force along the normal: the continuum surface force of Brackbill et al. 1992, curvature from the
// normals of neighbours as in Morris 2000.
//
//     a_i = (tension / (rho s)) K_i g_i / G,   g_i = s grad a_i = s N sum_j grad k_ij as in tension_cahn1958.c
//     n_i = -sum_j k_ij g_j, normalised,       w = max(0, |g| / g_0 - gate): weight of i in the surface
//     kappa_i = (d - 1) sum_j k_ij w_j (n_j - n_i) . t_ij / sum_j k_ij w_j |t_ij|^2
//     K_i = sum_j k_ij w_j kappa_j / sum_j k_ij w_j
//
// with t_ij the part of x_j - x_i across n_i.
//
// kappa is the mean slope of the normal along the surface: exact for circles and spheres for any arrangement of the
// neighbours. The layers that have normals lie below the surface, and a sphere inside another is more curved: kappa is
// extrapolated to the surface by their mean depth on the lattice, kappa / (1 + kappa depth / (d - 1)).
//
// G is the sum of |g| over the layers of a flat surface. It depends on the inside only, not on the particles at the
// surface: pairs of them cancel, and the sum over all pairs across a plane below remains. Therefore g itself is the
// force's direction and weight, without a gate. For the same reason a uniform curvature gives no net force.
//
// Forces of this kind are of the order tension / R. Those that keep the momentum pair by pair bear tension / s along
// the surface, which particles answer like a glass (docs/theory.md); here momentum is kept on average over a closed
// surface. Liquid thinner than a support (films, threads, lone particles) has no measurable curvature, and no tension.

#include <math.h>

#include "base/blocks.h"
#include "physics/tension/tension_lattice.h"
#include "sim/neighborhood.h"
#include "sim/state.h"

typedef struct morris
{
    double tension;
} morris;

static const frz_param morris_params[] = {
    {"tension", "surface tension against air", FRZ_PARAM_REAL, offsetof(morris, tension), 0.0728, 0.0, 100.0, "N/m"},
    {0},
};

static const double pi = 3.14159265358979323846;
// dt <= this * sqrt(rho s^3 / (2 pi tension)), a fraction of the shortest capillary wave's time (Brackbill et al. 1992)
static const double stability = 0.2;
// largest curvature that particles can show, per spacing and direction
static const double sharpest = 1.0;

typedef struct layer
{
    frz_tension_lattice flat;
    int material;
    int dimension;
    frz_real inverse_square; // 1 / R^2
    frz_real gradient;       // s N / R^2
    double depth;            // of the layers that have a normal, m
    double spacing;
    const int32_t *materials; // by particle
    frz_v4 *slope;            // g
    frz_v4 *normal;           // n, and w in the spare lane
    frz_real *curvature;      // kappa, 1/m
} layer;

// g_i: walls count as liquid.
static frz_v4 sum_slope(const frz_state *state, const layer *f, int i)
{
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    frz_v4 sum = frz_v4_zero();
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const uint32_t j = index[k];
        if ((int)j == i || f->materials[j] != f->material)
            continue;
        const frz_v4 x = frz_minimum_image(&state->neighbors.grid, position[i] - position[j]);
        const frz_real u = frz_tension_inside(x, f->inverse_square);
        sum -= (6 * u * u) * x;
    }
    for (int64_t k = state->neighbors.sample_pairs.begin[i]; k < state->neighbors.sample_pairs.begin[i + 1]; ++k)
    {
        const frz_v4 x = state->neighbors.sample_pairs.pair[k].difference;
        const frz_real u = frz_tension_inside(x, f->inverse_square);
        sum -= (frz_tension_wall_weight(state, &f->flat, k) * 6 * u * u) * x;
    }
    return f->gradient * frz_v4_xyz(sum);
}

// Outward normal, smoothed over the neighbours, and w.
static frz_v4 smooth_normal(const frz_state *state, const layer *f, int i)
{
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    frz_v4 sum = f->slope[i];
    const double own = sqrt((double)frz_v4_dot3(sum, sum)), weight = frz_tension_area_slope(own / f->flat.gradient);
    if (!(weight > 0.0))
        return frz_v4_zero();
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const uint32_t j = index[k];
        if ((int)j == i || f->materials[j] != f->material)
            continue;
        const frz_real u =
            frz_tension_inside(frz_minimum_image(&state->neighbors.grid, position[i] - position[j]), f->inverse_square);
        sum += (u * u * u) * f->slope[j];
    }
    const double length = sqrt((double)frz_v4_dot3(sum, sum));
    if (!(length > 0.0))
        return frz_v4_zero();
    frz_v4 normal = (frz_real)(-1.0 / length) * frz_v4_xyz(sum);
    normal[3] = (frz_real)weight;
    return normal;
}

// Curvature of the surface above particle i, 1/m.
static double curvature_at(const frz_state *state, const layer *f, int i)
{
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    const frz_v4 n = frz_v4_xyz(f->normal[i]);
    double turn = 0.0, way = 0.0;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const uint32_t j = index[k];
        if ((int)j == i || f->materials[j] != f->material || !(f->normal[j][3] > 0))
            continue;
        const frz_v4 x = frz_minimum_image(&state->neighbors.grid, position[j] - position[i]);
        const frz_real u = frz_tension_inside(x, f->inverse_square);
        const frz_v4 along = frz_v4_xyz(x) - frz_v4_dot3(x, n) * n;
        const double weight = (double)(u * u * u * f->normal[j][3]);
        turn += weight * (double)frz_v4_dot3(frz_v4_xyz(f->normal[j]) - n, along);
        way += weight * (double)frz_v4_dot3(along, along);
    }
    if (!(way > 0.0))
        return 0.0;
    const double each = fmax(fmin(turn / way, sharpest / f->spacing), -sharpest / f->spacing);
    return (f->dimension - 1) * each / fmax(1.0 + each * f->depth, 0.5);
}

// K_i: the curvature of the surface near i, 0 inside.
static double smooth_curvature(const frz_state *state, const layer *f, int i)
{
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    double weight = (double)f->normal[i][3], sum = weight * (double)f->curvature[i];
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const uint32_t j = index[k];
        if ((int)j == i || !(f->normal[j][3] > 0))
            continue;
        const frz_real u =
            frz_tension_inside(frz_minimum_image(&state->neighbors.grid, position[i] - position[j]), f->inverse_square);
        const double w = (double)(u * u * u * f->normal[j][3]);
        sum += w * (double)f->curvature[j];
        weight += w;
    }
    return weight > 0.0 ? sum / weight : 0.0;
}

static void find_curvatures(const frz_state *state, const layer *f)
{
    const int count = state->neighbors.pairs.count;
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < count; ++i)
        f->slope[i] = f->materials[i] == f->material ? sum_slope(state, f, i) : frz_v4_zero();
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < count; ++i)
        f->normal[i] = smooth_normal(state, f, i);
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < count; ++i)
        f->curvature[i] = f->normal[i][3] > 0 ? (frz_real)curvature_at(state, f, i) : 0;
}

static frz_status morris_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                               frz_diag *diag)
{
    (void)dt;
    const morris *self = instance->self;
    const int count = state->neighbors.pairs.count, rows = frz_particles_rows(&state->particles);
    if (!(self->tension > 0.0))
        return FRZ_OK;
    FRZ_TRY(frz_state_sample_pairs(model, state, diag));
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    int32_t *material = FRZ_SCRATCH(&state->scratch, rows + 1, int32_t);
    const frz_tension_lattice flat = frz_tension_lattice_make(model);
    const double s = model->spacing, square = model->support * model->support;
    double layers, depth;
    frz_tension_layers(model, &flat, &layers, &depth);
    const layer f = {.flat = flat,
                     .material = instance->material,
                     .dimension = model->dimension,
                     .inverse_square = (frz_real)(1.0 / square),
                     .gradient = (frz_real)(s * flat.norm / square),
                     .depth = depth * s,
                     .spacing = s,
                     .materials = material,
                     .slope = FRZ_SCRATCH(&state->scratch, rows + 1, frz_v4),
                     .normal = FRZ_SCRATCH(&state->scratch, rows + 1, frz_v4),
                     .curvature = FRZ_SCRATCH(&state->scratch, rows + 1, frz_real)};
    if (material == NULL || f.slope == NULL || f.normal == NULL || f.curvature == NULL)
        return frz_fail_memory(diag, "the surface tension");
    const uint8_t *own_material = frz_particles_material(&state->particles);
    const uint8_t *phase = frz_particles_phase(&state->particles);
    for (int i = 0; i < count; ++i)
        material[i] = phase[i] == FRZ_PHASE_LIQUID ? own_material[i] : -1;
    find_curvatures(state, &f);
    const double strength = self->tension / (model->materials[instance->material].density * s * layers);
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < count; ++i)
        if (material[i] == instance->material)
            acceleration[i] += (frz_real)(strength * smooth_curvature(state, &f, i)) * f.slope[i];
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

static double morris_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    (void)state;
    const double sigma = ((const morris *)instance->self)->tension;
    const double density = model->materials[instance->material].density, s = model->spacing;
    return sigma > 0.0 ? stability * sqrt(density * s * s * s / (2.0 * pi * sigma)) : HUGE_VAL;
}

const frz_method frz_method_tension_morris2000 = {
    .key = "morris2000",
    .slot = FRZ_SLOT_TENSION,
    .traits = FRZ_TRAIT_SPARES_BODIES |
              FRZ_TRAIT_HIDES_ENERGY, // its forces are no pair forces that a body could take the reaction to
    .doc = "Force along the normal by curvature, with the tension in N/m: for drops and smooth surfaces, in 2D and 3D; "
           "does not "
           "hold films together.",
    .cite = "after Morris 2000, doi:10.1002/1097-0363(20000615)33:3<333::AID-FLD11>3.0.CO;2-7, and Brackbill, Kothe & "
            "Zemach 1992, doi:10.1016/0021-9991(92)90240-Y",
    .self_size = sizeof(morris),
    .params = morris_params,
    .run = {[FRZ_STAGE_FORCE] = morris_force},
    .max_dt = morris_max_dt,
    .exempt = {[FRZ_CONFORMANCE_MOMENTUM] =
                   "curvature is estimated particle by particle: momentum is kept on average over "
                   "a closed surface only"},
};
