// SPDX-License-Identifier: MIT
// Surface tension as the derivative of the liquid's surface area.
//
//     E = tension / M * integral of f(c) |grad c| + k c (1 - c) / (2 s),   f = 2 (1 - c) for c < 1, else 0
//
// c is the smoothed fraction of space that liquid fills (tension_field.h). By the coarea formula the first term is the
// mean area of the surfaces c = const with the weights f, whose integral over c is 1: no constant is calibrated. Its
// derivative by c is -f div(grad c / |grad c|): f times the curvature. So a flat surface feels no force, forces are of
// the order tension / R, and they are a gradient, which the pressure balances with pressures above zero inside convex
// surfaces. Sums over particles instead of the integral over all space have forces of the order tension / s in the
// outermost layers, which freeze like a glass.
//
// f falls with c: particles that leave a convex surface are drawn back, and disorder inside, where c is near 1, has no
// energy. But at a flat surface the first term draws no particle back: |grad c| does not depend on how c falls. The
// second term does, a weak cohesion (above c = 1 it is linear, without force). M is the sum of both at a flat surface.
//
// Walls: the energy is that of the open space alone, and of the wall's surface,
//
//     integral of w e(level) - cos(angle) M F(level) |grad w|,   F = integral of f from 0 to c,
//
// with e as above, the level of tension_walls.h and w = 1 in the open, 0 in walls, a smooth step of the fraction v of
// space that no wall fills. For each surface level = const the sum is its area in the open less cos(angle) times the
// area of wall that it encloses: Young's law for each of them by itself. A surface that meets the wall at its angle is
// not bent there, so that no force is left at the line of contact.
//
// Rigid bodies take the derivative by their pose. Nodes do not move with the liquid: unless there are fixed walls, the
// sum of all forces, and of their moments, is a small error, which is removed from the liquid as a rigid motion.

#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "physics/tension/tension_walls.h"
#include "sim/bodies.h"

typedef struct area
{
    double tension;
    double contact_angle; // rad
} area;

static const double pi = 3.14159265358979323846;

static const frz_param area_params[] = {
    {"tension", "surface tension against air", FRZ_PARAM_REAL, offsetof(area, tension), 0.0728, 0.0, 100.0, "N/m"},
    {"contact_angle", "angle between wall and surface, inside the liquid", FRZ_PARAM_REAL,
     offsetof(area, contact_angle), 90.0, 0.0, 180.0, "deg"},
    {0},
};

// dt <= this * sqrt(rho s^3 / (2 pi tension)). The shortest waves that c shows
// swing with 0.41 sqrt(tension / (rho s^3)), so that a step is at most 0.13 of
// their radian
static const double stability = 0.8;
// k below: more holds surfaces together better, and a swinging drop loses more:
// 7, 9, 12, 19 % of the amplitude in a period at 0, 0.02, 0.1, 0.3 in the
// plane; at 0 drops with weakly curved surfaces evaporate
static const double cohesion = 0.03;
// |grad c| s below which a gradient has no direction
static const double no_slope = 1e-3;

// Data of the sweeps over the nodes.
typedef struct surface
{
    frz_tension_field field;
    double blur;      // no_slope, 1/m
    double cohesion;  // 1/m
    double *c, *by_c; // and the derivative of E / tension by c
    double *flux[3];  // f grad c / |grad c|
    double *spare;    // by node
    double *stretch_energy;
} surface;

static frz_status surface_make(const frz_model *model, frz_state *state, const uint8_t *member, surface *s,
                               frz_diag *diag)
{
    *s = (surface){0};
    const bool walls = state->particles.count[FRZ_ROLE_SAMPLE] > 0;
    FRZ_TRY(frz_tension_field_make(model, state, member, walls, &s->field, diag));
    s->blur = no_slope / model->spacing;
    s->cohesion = cohesion / s->field.step[0];
    const ptrdiff_t total = s->field.total;
    double **const all[] = {&s->c, &s->by_c, &s->flux[0], &s->flux[1], &s->flux[2], &s->spare};
    for (size_t n = 0; n < sizeof all / sizeof *all; ++n)
    {
        *all[n] = FRZ_SCRATCH(&state->scratch, total + 1, double);
        if (*all[n] == NULL)
            return frz_fail_memory(diag, "the surface tension");
        memset(*all[n], 0, (size_t)total * sizeof **all[n]);
    }
    s->stretch_energy = FRZ_SCRATCH(&state->scratch, s->field.stretch_count + 1, double);
    return s->stretch_energy != NULL ? FRZ_OK : frz_fail_memory(diag, "the surface tension");
}

// Gradient of a field at count nodes of a stretch from x on.
static void chunk_slope(const surface *s, const double *c, const frz_tension_stretch *at, int x, int count,
                        double slope[3][FRZ_TENSION_CHUNK])
{
    memset(slope, 0, 3 * sizeof *slope);
    for (int a = 0; a < s->field.dimension; ++a)
        frz_tension_field_slope(&s->field, c, at, x, count, a, slope[a]);
}

// Nodes [x, x + count) of a stretch: energy and its derivatives by c and grad c; by_c gets the first one. share: of the
// energy, by node (null: 1).
static void chunk_energy(const surface *s, const double *c, const double *share, const frz_tension_stretch *at, int x,
                         int count, double energy[FRZ_TENSION_CHUNK])
{
    const ptrdiff_t begin = at->at + (x - at->begin);
    double slope[3][FRZ_TENSION_CHUNK];
    chunk_slope(s, c, at, x, count, slope);
    for (int k = 0; k < count; ++k)
    {
        const ptrdiff_t n = begin + k;
        const double weight = share != NULL ? share[k] : 1.0;
        const double room = fmax(1.0 - c[n], 0.0), full = room > 0.0 ? weight : 0.0;
        const double square = slope[0][k] * slope[0][k] + slope[1][k] * slope[1][k] + slope[2][k] * slope[2][k];
        const double root = sqrt(square + s->blur * s->blur);
        energy[k] = 0.5 * s->cohesion * (1.0 - c[n]) * fmin(c[n], 1.0) + 2.0 * room * (root - s->blur);
        s->by_c[n] += full * (s->cohesion * room - 2.0 * (root - s->blur));
        const double part = weight * 2.0 * room / root;
        for (int a = 0; a < 3; ++a)
            s->flux[a][n] = part * slope[a][k];
    }
}

// w, a smooth step from 0 to 1 of the open fraction v, and its derivatives.
typedef struct step
{
    double value, first, second;
} step;

static step step_at(double v)
{
    const double length = 1.0 - 2.0 * frz_tension_open_least;
    const double u = fmin(fmax((v - frz_tension_open_least) / length, 0.0), 1.0);
    const bool within = u > 0.0 && u < 1.0;
    return (step){u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / length,
                  within ? 6.0 * (1.0 - 2.0 * u) / (length * length) : 0.0};
}

// The same beside walls, with the energy of their surface. Derivatives by v go to by_open and, by grad v, to wall_flux.
static double chunk_energy_walls(const surface *s, const frz_tension_walls *walls, double wetting,
                                 const frz_tension_stretch *at, int x, int count, double *const wall_flux[3])
{
    const ptrdiff_t begin = at->at + (x - at->begin);
    double open[3][FRZ_TENSION_CHUNK], energy[FRZ_TENSION_CHUNK], share[FRZ_TENSION_CHUNK], sum = 0.0;
    for (int k = 0; k < count; ++k)
        share[k] = step_at(walls->open[begin + k]).value;
    chunk_energy(s, walls->level, share, at, x, count, energy);
    chunk_slope(s, walls->open, at, x, count, open);
    for (int k = 0; k < count; ++k)
    {
        const ptrdiff_t n = begin + k;
        const step w = step_at(walls->open[n]);
        const double room = fmax(1.0 - walls->level[n], 0.0), wet = wetting * (1.0 - room * room);
        const double slope = sqrt(open[0][k] * open[0][k] + open[1][k] * open[1][k] + open[2][k] * open[2][k]);
        sum += w.value * energy[k] - wet * w.first * slope;
        s->by_c[n] -= wetting * 2.0 * room * w.first * slope;
        for (int a = 0; a < 3 && walls->by_open != NULL; ++a)
            wall_flux[a][n] = slope > 0.0 ? -wet * w.first * open[a][k] / slope : 0.0;
        if (walls->by_open != NULL)
            walls->by_open[n] += w.first * energy[k] - wet * w.second * slope;
    }
    return sum;
}

static double sum_stretches(const surface *s)
{
    return s->field.cell * frz_blocks_sum(s->stretch_energy, s->field.stretch_count);
}

// by_c of the liquid alone; returns E / tension.
static double find_area(const surface *s)
{
    const frz_tension_field *f = &s->field;
#pragma omp parallel for schedule(static)
    for (int n = 0; n < f->stretch_count; ++n)
    {
        const frz_tension_stretch *at = &f->stretch[n];
        double energy[FRZ_TENSION_CHUNK];
        s->stretch_energy[n] = 0.0;
        for (int x = at->begin; x < at->end; x += FRZ_TENSION_CHUNK)
        {
            double sum = 0.0;
            chunk_energy(s, s->c, NULL, at, x, frz_tension_chunk(at, x), energy);
            for (int k = 0; k < frz_tension_chunk(at, x); ++k)
                sum += energy[k];
            s->stretch_energy[n] += sum;
        }
    }
    frz_tension_field_subtract_divergence(f, s->flux, s->by_c);
    return sum_stretches(s);
}

// by_c and by_open beside walls; wetting is M cos(angle).
static frz_status find_area_walls(frz_state *state, const surface *s, frz_tension_walls *walls, double wetting,
                                  double *energy, frz_diag *diag)
{
    const frz_tension_field *f = &s->field;
    double *wall_flux[3] = {NULL, NULL, NULL};
    for (int a = 0; a < 3 && walls->by_open != NULL; ++a)
    {
        wall_flux[a] = FRZ_SCRATCH(&state->scratch, f->total + 1, double);
        if (wall_flux[a] == NULL)
            return frz_fail_memory(diag, "the surface tension");
    }
#pragma omp parallel for schedule(static)
    for (int n = 0; n < f->stretch_count; ++n)
    {
        const frz_tension_stretch *at = &f->stretch[n];
        s->stretch_energy[n] = 0.0;
        for (int x = at->begin; x < at->end; x += FRZ_TENSION_CHUNK)
            s->stretch_energy[n] += chunk_energy_walls(s, walls, wetting, at, x, frz_tension_chunk(at, x), wall_flux);
    }
    frz_tension_field_subtract_divergence(f, s->flux, s->by_c);
    if (walls->by_open != NULL)
        frz_tension_field_subtract_divergence(f, wall_flux, walls->by_open);
    frz_tension_walls_pull_back(f, walls, s->flux, s->by_c);
    *energy = sum_stretches(s);
    return FRZ_OK;
}

// c of the liquid.
static frz_status fill_liquid(const frz_model *model, frz_state *state, const surface *s, const uint8_t *member,
                              frz_diag *diag)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    frz_tension_point *points = FRZ_SCRATCH(&state->scratch, state->neighbors.pairs.count + 1, frz_tension_point);
    int count = 0;
    if (points == NULL)
        return frz_fail_memory(diag, "the surface tension");
    for (int i = 0; i < state->neighbors.pairs.count; ++i)
        if (member[i] != 0)
            points[count++] = (frz_tension_point){position[i], model->cell};
    frz_tension_field_add(&s->field, points, count, s->c);
    frz_tension_field_smooth(&s->field, s->c, s->spare);
    return FRZ_OK;
}

// Force (N) and moment about the origin (N m) on all bodies that yield.
typedef struct reaction
{
    frz_vec3 force, moment;
} reaction;

// Let the liquid act on bodies: the derivative by their pose.
static void push_bodies(const frz_model *model, frz_state *state, const surface *s, frz_tension_walls *walls,
                        double tension, double dt, reaction *out)
{
    for (ptrdiff_t n = 0; n < s->field.total; ++n)
        walls->by_open[n] = -walls->by_open[n];
    frz_tension_field_smooth(&s->field, walls->by_open, s->spare);
    for (int b = 0; b < model->body_count; ++b)
        if (frz_rigid_body_yields(&state->bodies.rigid[b]))
        {
            frz_vec3 force, moment;
            frz_tension_walls_load(model, state, &s->field, walls, walls->by_open, b, tension * s->field.cell, &force,
                                   &moment);
            const frz_vec3 lever = frz_v3_cross(state->bodies.rigid[b].position, force);
            frz_bodies_push(state, b, force, frz_v3_sub(moment, lever), dt);
            out->force = frz_v3_add(out->force, force);
            out->moment = frz_v3_add(out->moment, moment);
        }
}

// Sums over the particles of a block, for the rigid motion.
typedef struct motion_sums
{
    double count, place[3], force[3], moment[3],
        square[6]; // square: xx yy zz xy xz yz, from the centre
} motion_sums;

enum
{
    motion_numbers = sizeof(motion_sums) / sizeof(double)
};

static void add_blocks(const motion_sums *block, int blocks, motion_sums *sum)
{
    for (int n = 0; n < motion_numbers; ++n)
        ((double *)sum)[n] = frz_exact_sum((const double *)block + n, sizeof *block, blocks);
}

// Angular acceleration that a moment gives to particles of mass 1; false: they
// lie on a line.
static bool turn_of(const motion_sums *m, int dimension, double turn[3])
{
    const double *q = m->square, trace = q[0] + q[1] + q[2];
    const double a = trace - q[0], b = trace - q[1], c = trace - q[2], d = -q[3], e = -q[4], f = -q[5];
    turn[0] = turn[1] = turn[2] = 0.0;
    if (dimension == 2)
    {
        turn[2] = c > 0.0 ? m->moment[2] / c : 0.0;
        return c > 0.0;
    }
    const double cofactor[6] = {b * c - f * f, a * c - e * e, a * b - d * d,
                                e * f - d * c, d * f - e * b, d * e - a * f};
    const double determinant = a * cofactor[0] + d * cofactor[3] + e * cofactor[4];
    if (!(determinant > 1e-9 * trace * trace * trace))
        return false;
    const double *t = m->moment;
    turn[0] = (cofactor[0] * t[0] + cofactor[3] * t[1] + cofactor[4] * t[2]) / determinant;
    turn[1] = (cofactor[3] * t[0] + cofactor[1] * t[1] + cofactor[5] * t[2]) / determinant;
    turn[2] = (cofactor[4] * t[0] + cofactor[5] * t[1] + cofactor[2] * t[2]) / determinant;
    return true;
}

static void sum_motion(const frz_state *state, const uint8_t *member, const double (*push)[3], const double center[3],
                       int block, motion_sums *m)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    *m = (motion_sums){0};
    for (int i = block * FRZ_BLOCK; i < frz_block_end(block, state->neighbors.pairs.count); ++i)
    {
        if (member[i] == 0)
            continue;
        const double *p = push[i], r[3] = {(double)position[i][0] - center[0], (double)position[i][1] - center[1],
                                           (double)position[i][2] - center[2]};
        m->count += 1.0;
        for (int a = 0; a < 3; ++a)
        {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            m->place[a] += r[a];
            m->force[a] += p[a];
            m->moment[a] += r[b] * p[c] - r[c] * p[b];
            m->square[a] += r[a] * r[a];
        }
        m->square[3] += r[0] * r[1];
        m->square[4] += r[0] * r[2];
        m->square[5] += r[1] * r[2];
    }
}

// Subtract from the accelerations the rigid motion of their sum and the reaction (over a particle's mass).
static frz_status keep_momentum(const frz_model *model, frz_state *state, const uint8_t *member, const reaction *other,
                                double mass, double (*push)[3], frz_diag *diag)
{
    const int count = state->neighbors.pairs.count, blocks = frz_block_count(count);
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    motion_sums *block = FRZ_SCRATCH(&state->scratch, blocks + 1, motion_sums), sum;
    double center[3] = {0.0, 0.0, 0.0}, turn[3] = {0.0, 0.0, 0.0};
    bool turns = true;
    if (block == NULL)
        return frz_fail_memory(diag, "the surface tension");
    for (int pass = 0; pass < 2; ++pass)
    {
#pragma omp parallel for schedule(static)
        for (int b = 0; b < blocks; ++b)
            sum_motion(state, member, push, center, b, &block[b]);
        add_blocks(block, blocks, &sum);
        for (int a = 0; a < 3 && pass == 0; ++a)
            center[a] = sum.place[a] / sum.count;
    }
    const frz_vec3 middle = frz_v3(center[0], center[1], center[2]);
    const frz_vec3 moment = frz_v3_sub(other->moment, frz_v3_cross(middle, other->force));
    const double more[2][3] = {{other->force.x, other->force.y, other->force.z}, {moment.x, moment.y, moment.z}};
    for (int a = 0; a < 3; ++a)
    {
        sum.force[a] += more[0][a] / mass;
        sum.moment[a] += more[1][a] / mass;
    }
    for (int a = 0; a < model->dimension; ++a)
        turns = turns && !state->neighbors.grid.periodic[a];
    turns = turns && turn_of(&sum, model->dimension, turn);
    for (int i = 0; i < count; ++i)
        for (int a = 0; a < model->dimension && member[i] != 0; ++a)
        {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            const double rb = (double)position[i][b] - center[b], rc = (double)position[i][c] - center[c];
            push[i][a] -= sum.force[a] / sum.count + (turns ? turn[b] * rc - turn[c] * rb : 0.0);
        }
    return FRZ_OK;
}

// Accelerations, for a tension over the density.
static void fill_push(const frz_model *model, const frz_state *state, const surface *s, const uint8_t *member,
                      double strength, double (*push)[3])
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    frz_tension_field_smooth(&s->field, s->by_c, s->spare);
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < state->neighbors.pairs.count; ++i)
    {
        double gradient[3] = {0.0, 0.0, 0.0};
        if (member[i] != 0)
            frz_tension_field_gradient(&s->field, s->by_c, position[i], gradient);
        for (int a = 0; a < 3; ++a)
            push[i][a] = a < model->dimension ? -strength * gradient[a] : 0.0;
    }
}

// Whether a sample belongs to a body that yields, and to one that does not.
static void find_bodies(const frz_state *state, bool *yielding, bool *fixed)
{
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body) + state->particles.first[FRZ_ROLE_SAMPLE];
    *yielding = *fixed = false;
    for (int k = 0; k < state->particles.count[FRZ_ROLE_SAMPLE]; ++k)
        *(frz_rigid_body_yields(&state->bodies.rigid[body[k]]) ? yielding : fixed) = true;
}

// M: energy of a flat surface over tension and area.
static double flat_energy(void)
{
    return 1.0 + 0.5 * cohesion * frz_tension_field_width / sqrt(pi);
}

// Accelerations of particles, loads on bodies, and the energy over the tension.
static frz_status find_push(const frz_model *model, frz_state *state, const frz_instance *instance,
                            const uint8_t *member, double tension, double dt, double (*push)[3], double *energy,
                            frz_diag *diag)
{
    const double wetting = flat_energy() * cos(((const area *)instance->self)->contact_angle * pi / 180.0);
    const double density = model->materials[instance->material].density;
    frz_tension_walls walls = {0};
    surface s;
    reaction other = {0};
    bool yielding, fixed;
    FRZ_TRY(surface_make(model, state, member, &s, diag));
    if (s.field.total == 0)
        return FRZ_OK;
    find_bodies(state, &yielding, &fixed);
    FRZ_TRY(fill_liquid(model, state, &s, member, diag));
    if (yielding || fixed)
        FRZ_TRY(frz_tension_walls_make(model, state, &s.field, member, s.c, yielding, s.spare, &walls, diag));
    if (walls.any)
        FRZ_TRY(find_area_walls(state, &s, &walls, wetting, energy, diag));
    else
        *energy = find_area(&s);
    fill_push(model, state, &s, member, tension / density, push);
    if (yielding && walls.any)
        push_bodies(model, state, &s, &walls, tension, dt, &other);
    return fixed ? FRZ_OK : keep_momentum(model, state, member, &other, density * model->cell, push, diag);
}

static frz_status area_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                             frz_diag *diag)
{
    const area *self = instance->self;
    const int count = state->neighbors.pairs.count;
    if (!(self->tension > 0.0) || count == 0)
        return FRZ_OK;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    uint8_t *member = FRZ_SCRATCH(&state->scratch, count + 1, uint8_t);
    double(*push)[3] = frz_arena_alloc(&state->scratch, (size_t)count + 1, sizeof *push);
    if (member == NULL || push == NULL)
        return frz_fail_memory(diag, "the surface tension");
    const uint8_t *material = frz_particles_material(&state->particles);
    const uint8_t *phase = frz_particles_phase(&state->particles);
    for (int i = 0; i < count; ++i)
        member[i] = phase[i] == FRZ_PHASE_LIQUID && material[i] == instance->material;
    double energy = 0.0;
    const double sigma = self->tension / flat_energy();
    FRZ_TRY(find_push(model, state, instance, member, sigma, dt, push, &energy, diag));
    state->stats.surface_energy += sigma * energy;
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    for (int i = 0; i < count; ++i)
        for (int a = 0; a < model->dimension && member[i] != 0; ++a)
            acceleration[i][a] += (frz_real)push[i][a];
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

static double area_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    (void)state;
    const double sigma = ((const area *)instance->self)->tension;
    const double density = model->materials[instance->material].density, s = model->spacing;
    return sigma > 0.0 ? stability * sqrt(density * s * s * s / (2.0 * pi * sigma)) : HUGE_VAL;
}

const frz_method frz_method_tension_area = {
    .key = "area",
    .slot = FRZ_SLOT_TENSION,
    .traits = FRZ_TRAIT_HIDES_WORK | FRZ_TRAIT_NEEDS_SHAPES,
    .doc = "Derivative of the liquid's surface area, in N/m, with an angle of "
           "contact: for drops, pools and jets, in 2D "
           "and 3D; films and threads thinner than three spacings have less tension.",
    .cite = "after Brackbill, Kothe & Zemach 1992, "
            "doi:10.1016/0021-9991(92)90240-Y, and Rudin, Osher & Fatemi 1992, "
            "doi:10.1016/0167-2789(92)90242-F",
    .self_size = sizeof(area),
    .params = area_params,
    .run = {[FRZ_STAGE_FORCE] = area_force},
    .max_dt = area_max_dt,
    .support = 3.0,
};
