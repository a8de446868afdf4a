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
// Walls: of the two surfaces, of the liquid alone and of liquid and walls together, the energy is
//
//     (1 - cos(angle)) / 2 E(c) + (1 + cos(angle)) / 2 E(c + c_walls),
//
// which is tension (A_air - cos(angle) A_wet) and a constant: Young's law. A sample represents a column behind it.
//
// Rigid bodies take the derivative by their pose. Nodes do not move with the liquid: unless there are fixed walls, the
// sum of all forces, and of their moments, is a small error, which is removed from the liquid as a rigid motion.

#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "physics/tension/tension_field.h"
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

enum
{
    column = 8 // points of the column behind a sample: deeper than c reaches
};

// Data of the sweeps over the nodes.
typedef struct surface
{
    frz_tension_field field;
    double blur;      // no_slope, 1/m
    double cohesion;  // 1/m
    double *c, *by_c; // and the derivative of E / tension by c
    double *by_walls; // the same by c of walls; null: no body yields
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

// Nodes [x, x + count) of a stretch: energy and its derivatives by c and grad c; by_c gets the first one, times weight.
static double chunk_energy(const surface *s, const double *c, double weight, const frz_tension_stretch *at, int x,
                           int count)
{
    const frz_tension_field *f = &s->field;
    const ptrdiff_t begin = at->at + (x - at->begin);
    double slope[3][FRZ_TENSION_CHUNK] = {{0.0}}, energy[FRZ_TENSION_CHUNK], sum = 0.0;
    for (int a = 0; a < f->dimension; ++a)
        frz_tension_field_slope(f, c, at, x, count, a, slope[a]);
    for (int k = 0; k < count; ++k)
    {
        const ptrdiff_t n = begin + k;
        const double room = fmax(1.0 - c[n], 0.0), full = room > 0.0 ? weight : 0.0;
        const double square = slope[0][k] * slope[0][k] + slope[1][k] * slope[1][k] + slope[2][k] * slope[2][k];
        const double root = sqrt(square + s->blur * s->blur);
        energy[k] = 0.5 * s->cohesion * (1.0 - c[n]) * fmin(c[n], 1.0) + 2.0 * room * (root - s->blur);
        s->by_c[n] += full * (s->cohesion * room - 2.0 * (root - s->blur));
        const double share = weight * 2.0 * room / root;
        for (int a = 0; a < 3; ++a)
            s->flux[a][n] = share * slope[a][k];
    }
    for (int k = 0; k < count; ++k)
        sum += energy[k];
    return sum;
}

// Add the contribution of grad c to by_c of a chunk.
static void chunk_divergence(const surface *s, const frz_tension_stretch *at, int x, int count)
{
    const frz_tension_field *f = &s->field;
    double sum[FRZ_TENSION_CHUNK] = {0.0}, *by_c = s->by_c + at->at + (x - at->begin);
    for (int a = 0; a < f->dimension; ++a)
        frz_tension_field_slope(f, s->flux[a], at, x, count, a, sum);
    for (int k = 0; k < count; ++k)
        by_c[k] -= sum[k];
}

// Add the derivative of weight E / tension by c to by_c; returns E / tension.
static double add_area(const surface *s, const double *c, double weight)
{
    const frz_tension_field *f = &s->field;
#pragma omp parallel for schedule(static)
    for (int n = 0; n < f->stretch_count; ++n)
    {
        const frz_tension_stretch *at = &f->stretch[n];
        s->stretch_energy[n] = 0.0;
        for (int x = at->begin; x < at->end; x += FRZ_TENSION_CHUNK)
            s->stretch_energy[n] += chunk_energy(s, c, weight, at, x, frz_tension_chunk(at, x));
    }
#pragma omp parallel for schedule(static)
    for (int n = 0; n < f->stretch_count; ++n)
    {
        const frz_tension_stretch *at = &f->stretch[n];
        for (int x = at->begin; x < at->end; x += FRZ_TENSION_CHUNK)
            chunk_divergence(s, at, x, frz_tension_chunk(at, x));
    }
    return f->cell * frz_blocks_sum(s->stretch_energy, f->stretch_count);
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

// Point d of the column behind sample k.
static frz_tension_point point_behind(const frz_model *model, const frz_state *state, int k, int d)
{
    const int first = state->particles.first[FRZ_ROLE_SAMPLE];
    const frz_v4 place = frz_field_v4(&state->particles, FRZ_FIELD_ID_position)[first + k];
    const double volume = (double)frz_field_real(&state->particles, FRZ_FIELD_ID_volume)[first + k];
    return (frz_tension_point){place - (frz_real)(d * model->spacing) * frz_v4_xyz(state->samples.normal[k]),
                               model->cell * volume / model->particle_volume};
}

// c of walls; *out is null without walls.
static frz_status fill_walls(const frz_model *model, frz_state *state, const surface *s, double **out, frz_diag *diag)
{
    const int samples = state->particles.count[FRZ_ROLE_SAMPLE];
    int count = 0;
    *out = NULL;
    if (samples == 0)
        return FRZ_OK;
    frz_tension_point *points = FRZ_SCRATCH(&state->scratch, (ptrdiff_t)samples * column + 1, frz_tension_point);
    *out = FRZ_SCRATCH(&state->scratch, s->field.total + 1, double);
    if (points == NULL || *out == NULL)
        return frz_fail_memory(diag, "the surface tension");
    for (int k = 0; k < samples; ++k)
        for (int d = 0; d < column; ++d)
        {
            points[count] = point_behind(model, state, k, d);
            count += frz_tension_field_covers(&s->field, points[count].at);
        }
    memset(*out, 0, (size_t)s->field.total * sizeof **out);
    frz_tension_field_add(&s->field, points, count, *out);
    frz_tension_field_smooth(&s->field, *out, s->spare);
    return FRZ_OK;
}

// The same of the liquid alone, times its weight, and of liquid and walls, less the energy of walls alone.
static double add_areas(const surface *s, double *walls, double alone)
{
    double energy = alone * add_area(s, s->c, alone) - (1.0 - alone) * add_area(s, walls, 0.0);
    for (ptrdiff_t n = 0; n < s->field.total; ++n)
        walls[n] += s->c[n];
    if (s->by_walls != NULL)
        memcpy(s->by_walls, s->by_c, (size_t)s->field.total * sizeof *s->by_c);
    energy += (1.0 - alone) * add_area(s, walls, 1.0 - alone);
    for (ptrdiff_t n = 0; s->by_walls != NULL && n < s->field.total; ++n)
        s->by_walls[n] = s->by_c[n] - s->by_walls[n];
    return energy;
}

// Force (N) and moment about the origin (N m) on all bodies that yield.
typedef struct reaction
{
    frz_vec3 force, moment;
} reaction;

// Let the liquid act on bodies: the derivative by the positions of the columns behind their samples, which move with
// them.
static frz_status push_bodies(const frz_model *model, frz_state *state, const surface *s, double tension, double dt,
                              reaction *out, frz_diag *diag)
{
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body) + state->particles.first[FRZ_ROLE_SAMPLE];
    reaction *each = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, reaction);
    if (each == NULL)
        return frz_fail_memory(diag, "the surface tension");
    memset(each, 0, (size_t)state->bodies.count * sizeof *each);
    frz_tension_field_smooth(&s->field, s->by_walls, s->spare);
    for (int k = 0; k < state->particles.count[FRZ_ROLE_SAMPLE]; ++k)
        for (int d = 0; d < column && frz_rigid_body_yields(&state->bodies.rigid[body[k]]); ++d)
        {
            const frz_tension_point point = point_behind(model, state, k, d);
            double g[3];
            frz_tension_field_gradient(&s->field, s->by_walls, point.at, g);
            const frz_vec3 force = frz_v3_scale(-tension * point.volume, frz_v3(g[0], g[1], g[2]));
            each[body[k]].force = frz_v3_add(each[body[k]].force, force);
            each[body[k]].moment = frz_v3_add(each[body[k]].moment, frz_v3_cross(frz_v3_of(point.at), force));
        }
    for (int b = 0; b < state->bodies.count; ++b)
        if (frz_rigid_body_yields(&state->bodies.rigid[b]))
        {
            const frz_vec3 lever = frz_v3_cross(state->bodies.rigid[b].position, each[b].force);
            frz_bodies_push(state, b, each[b].force, frz_v3_sub(each[b].moment, lever), dt);
            out->force = frz_v3_add(out->force, each[b].force);
            out->moment = frz_v3_add(out->moment, each[b].moment);
        }
    return FRZ_OK;
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

// Accelerations of particles, loads on bodies, and the energy over the tension.
static frz_status find_push(const frz_model *model, frz_state *state, const frz_instance *instance,
                            const uint8_t *member, double tension, double dt, double (*push)[3], double *energy,
                            frz_diag *diag)
{
    const double alone = 0.5 * (1.0 - cos(((const area *)instance->self)->contact_angle * pi / 180.0));
    const double density = model->materials[instance->material].density;
    double *walls;
    surface s;
    reaction other = {0};
    bool yielding, fixed;
    FRZ_TRY(surface_make(model, state, member, &s, diag));
    if (s.field.total == 0)
        return FRZ_OK;
    find_bodies(state, &yielding, &fixed);
    if (yielding && (s.by_walls = FRZ_SCRATCH(&state->scratch, s.field.total + 1, double)) == NULL)
        return frz_fail_memory(diag, "the surface tension");
    FRZ_TRY(fill_liquid(model, state, &s, member, diag));
    FRZ_TRY(fill_walls(model, state, &s, &walls, diag));
    *energy = walls == NULL ? add_area(&s, s.c, 1.0) : add_areas(&s, walls, alone);
    fill_push(model, state, &s, member, tension / density, push);
    if (yielding)
        FRZ_TRY(push_bodies(model, state, &s, tension, dt, &other, diag));
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
    const double sigma = self->tension / (1.0 + 0.5 * cohesion * frz_tension_field_width / sqrt(pi));
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
    .traits = FRZ_TRAIT_HIDES_WORK,
    .doc = "Derivative of the liquid's surface area, in N/m, with an angle of "
           "contact: for drops, pools and jets, in 2D "
           "and 3D; what is thinner than three spacings has less tension.",
    .cite = "after Brackbill, Kothe & Zemach 1992, "
            "doi:10.1016/0021-9991(92)90240-Y, and Rudin, Osher & Fatemi 1992, "
            "doi:10.1016/0167-2789(92)90242-F",
    .self_size = sizeof(area),
    .params = area_params,
    .run = {[FRZ_STAGE_FORCE] = area_force},
    .max_dt = area_max_dt,
    .support = 3.0,
};
