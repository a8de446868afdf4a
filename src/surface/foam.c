// SPDX-License-Identifier: MIT
// Air that particles of a liquid take in and lose, and the points that show it.
#include "surface/foam.h"

#include <math.h>

#include "base/grow.h"
#include "base/memory.h"
#include "surface/iso_internal.h"

// Speeds, m/s: water that runs into water takes in air from about 1 m/s on (plunging jets; Bin 1993, Chem. Eng. Sci.
// 48, 3585). The upper ends, the curvatures and the rates were chosen by eye.
static const double closing[2] = {0.3, 1.5};     // mean speed at which neighbours come closer: no and all air
static const double crest[2] = {0.15, 0.6};      // mean of 1 - cos of the angles between normals
static const double speed[2] = {0.7, 2.5};       // of the particle, by kinetic energy
static const double rate_closing = 10.0;         // 1/s
static const double rate_crest = 6.0;            // 1/s
static const double outwards = 0.6;              // cosine between velocity and normal of a crest (Ihmsen et al. 2012)
static const double life = 0.7;                  // s, in which all but 1/e of the air is lost
static const double support = 2.0;               // spacings
static const double surface_off[2] = {0.1, 0.2}; // mean place of the neighbours, in supports: inside, at the surface
static const double spread = 0.9;                // spacings: points lie within this of their particle
static const double float_height = 0.56;         // spacings: of the surface above its particles
static const double sizes[2] = {0.025, 0.075};   // spacings: radii of the points

enum
{
    most_points = 32, // of a particle
    id_limit = 1 << 30,
    numbers = 4 // at random per point
};

void frz_foam_destroy(frz_foam *foam)
{
    frz_free(foam->air);
    *foam = (frz_foam){0};
}

void frz_foam_points_destroy(frz_foam_points *points)
{
    frz_free(points->xyzr);
    *points = (frz_foam_points){0};
}

double frz_foam_memory(void)
{
    return 8.0 * life; // 1/3000 of it is left
}

/// 0 below low, 1 above high, linear between, as in Ihmsen et al.
static double ramp(double x, const double ends[2])
{
    return fmin(fmax((x - ends[0]) / (ends[1] - ends[0]), 0.0), 1.0);
}

/// Sums over the neighbours of particles, in the order of the cells.
typedef struct survey
{
    const frz_foam_liquid *liquid;
    frz_iso_cells cells;
    frz_iso_field walls;
    frz_v4 *normals;  // unit length, outwards; w: 0 inside to 1 at the surface
    frz_v4 *velocity; // m/s; w: 1 if it is no periodic image
    float *air;       // by id
    double step;      // s
} survey;

static void leave(survey *s)
{
    frz_free(s->normals);
    frz_free(s->velocity);
    frz_iso_cells_destroy(&s->cells);
}

static frz_vec3 place_of(const survey *s, int block, frz_v4 point)
{
    return frz_iso_node(&s->cells, s->cells.blocks[block], (double)point[0], (double)point[1], (double)point[2]);
}

/// Whether a point is the particle itself, not its image on the other side of a periodic domain.
static bool is_own(const survey *s, int block, int k)
{
    const frz_array_desc *position = s->liquid->def->position;
    const int64_t row = s->cells.rows[k];
    const frz_vec3 own = {frz_array_value(position, row, 0), frz_array_value(position, row, 1),
                          frz_array_value(position, row, 2)};
    return frz_v3_length(frz_v3_sub(place_of(s, block, s->cells.points[k]), own)) < s->cells.cell;
}

typedef void visitor(survey *s, int block, const frz_iso_around *around, int k);

static void visit_all(survey *s, visitor *visit)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < s->cells.block_count; ++b)
    {
        if (s->cells.tables[b] < 0)
            continue;
        const frz_iso_around around = frz_iso_cells_around(&s->cells, b);
        const int64_t table = (int64_t)s->cells.tables[b] * ISO_TABLE;
        for (int k = s->cells.starts[table]; k < s->cells.starts[table + ISO_TABLE]; ++k)
            visit(s, b, &around, k);
    }
}

/// A neighbour within the support: its vector in supports, its weight 1 - q.
typedef struct neighbor
{
    int k;
    frz_v4 r; // from the particle to it
    double q, weight;
} neighbor;

typedef void neighbor_fn(const survey *s, int k, const neighbor *near, void *sum);

static void each_neighbor(const survey *s, const frz_iso_around *around, int k, neighbor_fn *add, void *sum)
{
    const frz_v4 point = s->cells.points[k];
    const double reach = support * s->cells.spacing;
    const int wide = (int)ceil(reach / ISO_BRICK);
    const int at[3] = {(int)point[0] / ISO_BRICK, (int)point[1] / ISO_BRICK, (int)point[2] / ISO_BRICK};
    for (int z = -wide; z <= wide; ++z)
        for (int y = -wide; y <= wide; ++y)
            for (int x = -wide; x <= wide; ++x)
            {
                int first = 0;
                frz_v4 shift;
                const int count = frz_iso_brick(&s->cells, around, at[0] + x, at[1] + y, at[2] + z, &first, &shift);
                for (int j = first; j < first + count; ++j)
                {
                    const frz_v4 r = s->cells.points[j] + shift - point;
                    const double r2 = (double)frz_v4_dot3(r, r);
                    if (j == k || !(r2 > 0.0) || r2 >= reach * reach)
                        continue;
                    const double q = sqrt(r2) / reach;
                    const neighbor near = {j, r / (frz_real)reach, q, 1.0 - q};
                    add(s, k, &near, sum);
                }
            }
}

// ---- normals

typedef struct offset
{
    double weight;
    frz_v4 sum;
} offset;

static void add_offset(const survey *s, int k, const neighbor *near, void *user)
{
    offset *o = user;
    (void)s;
    (void)k;
    o->weight += near->weight;
    o->sum += (frz_real)near->weight * near->r;
}

/// The normal points away from the neighbours; who has a wall there is not at the surface.
static void find_normal(survey *s, int block, const frz_iso_around *around, int k)
{
    offset o = {.weight = 0.0};
    each_neighbor(s, around, k, add_offset, &o);
    const double length = sqrt((double)frz_v4_dot3(o.sum, o.sum));
    const double share = o.weight > 0.0 ? ramp(length / o.weight, surface_off) : 1.0;
    frz_v4 normal = length > 0.0 ? o.sum / (frz_real)-length : frz_v4_set(0, 1, 0, 0);
    const double out = s->cells.spacing;
    const frz_v4 ahead = s->cells.points[k] + (frz_real)out * normal;
    const bool walled = share > 0.0 && frz_iso_walls_distance(&s->walls, place_of(s, block, ahead)) < 0.0;
    normal[3] = walled ? 0 : (frz_real)share;
    s->normals[k] = normal;
    const frz_array_desc *velocity = s->liquid->def->velocity;
    const int64_t row = s->cells.rows[k];
    s->velocity[k] =
        frz_v4_set((frz_real)frz_array_value(velocity, row, 0), (frz_real)frz_array_value(velocity, row, 1),
                   (frz_real)frz_array_value(velocity, row, 2), is_own(s, block, k));
}

static frz_status look_at(const frz_foam_liquid *liquid, survey *s, frz_diag *diag)
{
    frz_iso_def def = *liquid->def;
    def.cell = 0.5;
    *s = (survey){.liquid = liquid};
    FRZ_TRY(frz_iso_cells_create(&def, &s->cells, diag));
    s->walls = (frz_iso_field){.cells = &s->cells, .walls = def.walls, .wall_count = def.wall_count};
    s->normals = FRZ_ALLOC("foam", s->cells.count + 1, frz_v4);
    s->velocity = FRZ_ALLOC("foam", s->cells.count + 1, frz_v4);
    if (s->normals == NULL || s->velocity == NULL)
    {
        leave(s);
        return frz_fail_memory(diag, "the foam of a liquid");
    }
    visit_all(s, find_normal);
    return FRZ_OK;
}

// ---- air

typedef struct potentials
{
    double weight, closing, curvature;
} potentials;

/// Trapped air and wave crests of Ihmsen et al., as means instead of sums: they do not depend on the resolution then.
static void add_potentials(const survey *s, int k, const neighbor *near, void *user)
{
    potentials *p = user;
    const frz_v4 apart = s->velocity[k] - s->velocity[near->k];
    const double fast = sqrt((double)frz_v4_dot3(apart, apart)), along = (double)frz_v4_dot3(apart, near->r) / near->q;
    p->weight += near->weight;
    p->closing += near->weight * (fast + along); // |v| (1 - cos), the angle from the neighbour to the particle
    const frz_v4 own = s->normals[k], other = s->normals[near->k];
    if (frz_v4_dot3(near->r, own) < 0)
        p->curvature += near->weight * (double)other[3] * (1.0 - (double)frz_v4_dot3(own, other));
}

/// 1/s that a particle takes in.
static double rate_of(const survey *s, const frz_iso_around *around, int k)
{
    const frz_v4 v = s->velocity[k], n = s->normals[k];
    const double square = (double)frz_v4_dot3(v, v), fast = sqrt(square);
    const double energy = ramp(square, (const double[2]){speed[0] * speed[0], speed[1] * speed[1]});
    if (!(energy > 0.0))
        return 0.0;
    potentials p = {.weight = 0.0};
    each_neighbor(s, around, k, add_potentials, &p);
    if (!(p.weight > 0.0))
        return 0.0;
    const bool out = (double)frz_v4_dot3(v, n) >= outwards * fast;
    const double at_crest = out ? (double)n[3] * ramp(p.curvature / p.weight, crest) : 0.0;
    return energy * (rate_closing * ramp(p.closing / p.weight, closing) + rate_crest * at_crest);
}

static int64_t id_of(const survey *s, int k)
{
    return (int64_t)frz_array_value(s->liquid->ids, s->cells.rows[k], 0);
}

/// Room for the ids of a liquid.
static frz_status make_room(frz_foam *foam, const frz_foam_liquid *liquid, frz_diag *diag)
{
    int64_t most = -1;
    const frz_iso_def *def = liquid->def;
    for (int e = 0; e < def->count; ++e)
    {
        const double id = frz_array_value(liquid->ids, def->rows != NULL ? def->rows[e] : e, 0);
        if (!(id >= 0.0 && id < id_limit))
            return frz_fail(diag, FRZ_ERR_FILE, "a particle has the id %g, with which it cannot carry foam", id);
        most = (int64_t)id > most ? (int64_t)id : most;
    }
    void *grown = frz_grow("foam", foam->air, &foam->room, most + 1, most < foam->room ? 0 : most / 4, sizeof(float));
    if (grown == NULL)
        return frz_fail_memory(diag, "the foam of a liquid");
    foam->air = grown;
    return FRZ_OK;
}

static void take_air(survey *s, int block, const frz_iso_around *around, int k)
{
    (void)block;
    if (!(s->velocity[k][3] > 0))
        return;
    float *air = &s->air[id_of(s, k)];
    const double more = s->liquid->amount * s->step * rate_of(s, around, k);
    *air = fminf((float)exp(-s->step / life) * *air + (float)more, 1.0f);
}

// ---- points

/// A number of 0 to 1 from an id, a point and a purpose: a hash with the finaliser of SplitMix64 (Steele et al. 2014).
static double chance(int64_t id, int point, int purpose)
{
    uint64_t x = (uint64_t)id * (most_points * numbers) + (uint64_t)(point * numbers + purpose);
    x = (x + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

/// Where a point lies from its particle, spacings: anywhere in a ball, at the surface afloat on it.
static frz_vec3 offset_of(int64_t id, int point, frz_v4 normal)
{
    const double height = 2.0 * chance(id, point, 0) - 1.0, angle = 6.283185307179586 * chance(id, point, 1);
    const double across = sqrt(1.0 - height * height), far = spread * cbrt(chance(id, point, 2));
    const frz_vec3 ball = {far * across * cos(angle), far * height, far * across * sin(angle)};
    const frz_vec3 n = {(double)normal[0], (double)normal[1], (double)normal[2]};
    const double depth = frz_v3_dot(ball, n);
    return frz_v3_mad(ball, (double)normal[3] * (float_height - depth), n);
}

/// Points of a particle; returns how many. Those in walls are left out.
static int points_of(const survey *s, int block, int k, float *xyzr)
{
    const int64_t id = id_of(s, k);
    const double spacing = s->liquid->def->spacing, filled = (double)s->air[id] * most_points;
    const frz_vec3 place = place_of(s, block, s->cells.points[k]);
    int count = 0;
    for (int p = 0; p < most_points && p < filled; ++p)
    {
        const double chosen = chance(id, p, 3), grown = fmin(filled - p, 1.0);
        const double radius = grown * spacing * (sizes[0] + (sizes[1] - sizes[0]) * chosen * chosen);
        const frz_vec3 at = frz_v3_mad(place, spacing, offset_of(id, p, s->normals[k]));
        if (frz_iso_walls_distance(&s->walls, at) < radius)
            continue;
        const float values[4] = {(float)at.x, (float)at.y, (float)at.z, (float)radius};
        for (int c = 0; c < 4; ++c)
            xyzr[4 * count + c] = values[c];
        ++count;
    }
    return count;
}

static frz_status add_points(const survey *s, frz_foam_points *out, frz_diag *diag)
{
    float own[4 * most_points];
    for (int b = 0; b < s->cells.block_count; ++b)
    {
        const int64_t table = (int64_t)s->cells.tables[b] * ISO_TABLE;
        for (int k = table < 0 ? 0 : s->cells.starts[table]; table >= 0 && k < s->cells.starts[table + ISO_TABLE]; ++k)
        {
            const int count = s->velocity[k][3] > 0 ? points_of(s, b, k, own) : 0;
            const int64_t all = out->count + count;
            void *grown = frz_grow("foam", out->xyzr, &out->room, all, frz_grow_spare(all), 4 * sizeof(float));
            if (grown == NULL)
                return frz_fail_memory(diag, "the foam of a liquid");
            out->xyzr = grown;
            for (int c = 0; c < 4 * count; ++c)
                out->xyzr[4 * out->count + c] = own[c];
            out->count = all;
        }
    }
    return FRZ_OK;
}

frz_status frz_foam_advance(frz_foam *foam, const frz_foam_liquid *liquid, frz_foam_points *points, frz_diag *diag)
{
    const double step = foam->begun ? fmax(liquid->time - foam->time, 0.0) : 0.0;
    foam->time = liquid->time;
    foam->begun = true;
    if (points != NULL)
        points->count = 0;
    if (liquid->def->count == 0)
        return FRZ_OK;
    FRZ_TRY(make_room(foam, liquid, diag));
    survey s;
    FRZ_TRY(look_at(liquid, &s, diag));
    s.air = foam->air;
    s.step = step;
    visit_all(&s, take_air);
    const frz_status status = points != NULL ? add_points(&s, points, diag) : FRZ_OK;
    leave(&s);
    return status;
}
