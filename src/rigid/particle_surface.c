// SPDX-License-Identifier: MIT
// See particle_surface.h. With weights that end at 1.5 spacings, the second layer of a lattice has no share in the mean
// at the surface in front of the first one.
#include "rigid/particle_surface.h"

#include "base/memory.h"
#include "geom/shape_internal.h"
#include "rigid/particle_surface_internal.h"

static const double support = 1.5;  ///< radius of the mean, in spacings
static const double near_by = 1.0;  ///< places with a particle this near have enough others around; in spacings
static const double more = 0.5;     ///< elsewhere the mean is of those this much further than the nearest; in spacings
static const double shallow = 0.3;  ///< depth from which the mean says little; in spacings, where it ends at a half
static const double farthest = 6.0; ///< from the bounds on they tell the distance, in spacings
static const double thickest =
    1.3; ///< no place of the surface is further from all particles, in spacings (in pits; elsewhere 0.9)

enum
{
    sum_lanes = 4 ///< the spare places behind the particles are as many
};

/// Sums over particles around a place, with ways from the place.
typedef struct mean_sum
{
    double weight;
    frz_vec3 first;   ///< weights times ways
    frz_vec3 slope;   ///< derivative of the weight: sum of u e
    double second[6]; ///< of the first: sum of u e e^T; xx, yy, zz, xy, xz, yz
} mean_sum;

/// The same in lanes: particles in a row take turns, so that compilers can do some at once.
typedef struct lane_sum
{
    double weight[sum_lanes], first[3][sum_lanes], slope[3][sum_lanes], second[6][sum_lanes];
} lane_sum;

/// Particles begin..begin + sum_lanes; those from end on, and those beyond the radius, count nothing.
static inline void add_lanes(lane_sum *sum, const frz_particle_surface *s, frz_vec3 place, double inverse, int begin,
                             int end)
{
    const double *px = s->x + begin, *py = s->y + begin, *pz = s->z + begin;
    for (int l = 0; l < sum_lanes; ++l)
    {
        const double x = px[l] - place.x, y = py[l] - place.y, z = pz[l] - place.z;
        const double room = 1.0 - (x * x + y * y + z * z) * inverse;
        const double left = begin + l < end && room > 0.0 ? room : 0.0;
        const double u = left * left, w = u * left, ux = u * x, uy = u * y, uz = u * z;
        sum->weight[l] += w;
        sum->first[0][l] += w * x;
        sum->first[1][l] += w * y;
        sum->first[2][l] += w * z;
        sum->slope[0][l] += ux;
        sum->slope[1][l] += uy;
        sum->slope[2][l] += uz;
        sum->second[0][l] += ux * x;
        sum->second[1][l] += uy * y;
        sum->second[2][l] += uz * z;
        sum->second[3][l] += ux * y;
        sum->second[4][l] += ux * z;
        sum->second[5][l] += uy * z;
    }
}

static double fold(const double lanes[sum_lanes])
{
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

static mean_sum sum_around(const frz_particle_surface *s, frz_vec3 place, double radius)
{
    const double inverse = 1.0 / (radius * radius), rise = 6.0 * inverse; // of the weight: derivative of left^3
    lane_sum lanes = {.weight = {0.0}};
    frz_cell_walk walk = frz_cell_walk_begin(s, place, radius);
    int begin, end;
    while (frz_cell_walk_next(&walk, &begin, &end))
    {
        for (int n = begin; n < end; n += sum_lanes)
            add_lanes(&lanes, s, place, inverse, n, end);
    }
    mean_sum sum = {.weight = fold(lanes.weight),
                    .first = {fold(lanes.first[0]), fold(lanes.first[1]), fold(lanes.first[2])},
                    .slope = {rise * fold(lanes.slope[0]), rise * fold(lanes.slope[1]), rise * fold(lanes.slope[2])}};
    for (int k = 0; k < 6; ++k)
        sum.second[k] = rise * fold(lanes.second[k]);
    return sum;
}

/// Gradient of the distance from the mean place: the unit vector d from it, less how the mean moves along, the
/// derivative of the weights times (place of a particle - mean) . d.
static frz_vec3 gradient_of(const mean_sum *sum, frz_vec3 mean, frz_vec3 d)
{
    const double *m = sum->second;
    const frz_vec3 along = {m[0] * d.x + m[3] * d.y + m[4] * d.z, m[3] * d.x + m[1] * d.y + m[5] * d.z,
                            m[4] * d.x + m[5] * d.y + m[2] * d.z};
    const frz_vec3 moved = frz_v3_mad(along, -frz_v3_dot(mean, d), sum->slope);
    return frz_v3_mad(d, -1.0 / sum->weight, moved);
}

/// Depth below the plane of the nearest particle of the skin.
static double deep_distance(const frz_particle_surface *s, frz_vec3 place, double shallowest, frz_vec3 *normal)
{
    double least = HUGE_VAL;
    int best = 0;
    for (int k = 0; k < s->skin_count; ++k)
    {
        const frz_vec3 way = frz_v3_sub(s->places[s->skin[k]], place);
        const double far = frz_v3_dot(way, way);
        if (far < least)
        {
            least = far;
            best = k;
        }
    }
    if (s->skin_count == 0)
        return shallowest;
    const frz_vec3 way = frz_v3_sub(s->places[s->skin[best]], place), outward = s->sides[best].outward;
    if (frz_v3_dot(outward, outward) > 0.0)
        *normal = outward;
    else if (least > 0.0)
        *normal = frz_v3_normalize(way);
    return fmin(shallowest, -frz_v3_dot(way, *normal) - 0.5 * s->spacing);
}

/// In front of a plane face, or of the edge or corner where such faces meet.
static double face_distance(const frz_particle_side *side, frz_vec3 way, double half, frz_vec3 *normal)
{
    frz_vec3 out = {0.0, 0.0, 0.0};
    double highest = -HUGE_VAL;
    for (int k = 0; k < side->face_count; ++k)
    {
        const double height = frz_v3_dot(side->face[k], way);
        if (height > 0.0)
            out = frz_v3_mad(out, height, side->face[k]);
        if (height > highest)
        {
            highest = height;
            *normal = side->face[k];
        }
    }
    if (highest <= 0.0)
        return highest - half;
    const double distance = frz_v3_length(out);
    *normal = frz_v3_scale(1.0 / distance, out);
    return distance - half;
}

static inline double beyond(double low, double high, double at)
{
    return at < low ? at - low : at > high ? at - high : 0.0;
}

/// From the bounds of the particles to a place; zero inside.
static frz_vec3 beyond_bounds(const frz_particle_surface *s, frz_vec3 p)
{
    return frz_v3(beyond(s->box.min.x, s->box.max.x, p.x), beyond(s->box.min.y, s->box.max.y, p.y),
                  beyond(s->box.min.z, s->box.max.z, p.z));
}

double frz_particle_surface_distance(const frz_particle_surface *s, frz_vec3 place, double limit, frz_vec3 *normal)
{
    const double half = 0.5 * s->spacing;
    const frz_vec3 outside = beyond_bounds(s, place);
    const double bound = frz_v3_length(outside) - half;
    *normal = frz_v3(0.0, 1.0, 0.0);
    if (!isfinite(place.x + place.y + place.z)) // the search for neighbours would not end
        return HUGE_VAL;
    if (bound > limit || bound > farthest * s->spacing)
    {
        *normal = frz_v3_normalize(outside);
        return bound;
    }
    int particle;
    double radius = s->radius, square = frz_particle_nearest(s, place, radius, &particle);
    while (particle < 0)
        square = frz_particle_nearest(s, place, radius *= 2.0, &particle);
    const int number = s->number[particle];
    if (number >= 0 && s->sides[number].whole)
        return face_distance(&s->sides[number], frz_v3_sub(place, s->places[particle]), half, normal);
    const bool is_near = square <= near_by * near_by * s->spacing * s->spacing;
    const mean_sum sum = sum_around(s, place, is_near ? s->radius : sqrt(square) + more * s->spacing);
    const frz_vec3 mean = frz_v3_scale(1.0 / sum.weight, sum.first);
    const double distance = frz_v3_length(mean);
    if (distance < half - shallow * s->spacing)
        return deep_distance(s, place, distance - half, normal);
    *normal = frz_v3_scale(-1.0 / distance, mean);
    if (is_near)
        *normal = frz_v3_normalize(gradient_of(&sum, mean, *normal));
    return distance - half;
}

/// In a cell some rings away from the nearest particles these are as many cells away, less the one they are in.
static double ring_bound(const frz_particle_surface *s, frz_vec3 place, int *ring)
{
    int at[3] = {0, 0, 0};
    double wall = s->cell;
    *ring = 0;
    for (int axis = 0; axis < (s->dimension == 2 ? 2 : 3); ++axis)
    {
        const double x = (frz_v3_get(place, axis) - frz_v3_get(s->cell_origin, axis)) * s->per_cell;
        if (!(x >= 0.0 && x < s->cells[axis]))
            return -1.0;
        at[axis] = (int)x;
        wall = fmin(wall, s->cell * fmin(x - at[axis], at[axis] + 1 - x));
    }
    *ring = s->ring[at[0] + s->cells[0] * (at[1] + s->cells[1] * (s->dimension == 2 ? 0 : at[2]))];
    return *ring > 0 ? s->cell * (*ring - 1) + wall : 0.0;
}

double frz_particle_surface_room(const frz_particle_surface *s, frz_vec3 place)
{
    int ring;
    const double bounds = frz_v3_length(beyond_bounds(s, place)) - 0.5 * s->spacing;
    const double apart = ring_bound(s, place, &ring);
    const double room = fmax(bounds, apart - thickest * s->spacing);
    if (ring > 1 || apart < 0.0)
        return room;
    int particle;
    const double least = frz_particle_nearest(s, place, s->radius, &particle);
    return fmax(room, sqrt(least) - thickest * s->spacing);
}

static frz_status build(frz_particle_surface *s, const frz_particle_surface_def *def, frz_diag *diag)
{
    int *order = NULL;
    frz_status status = frz_particle_cells_make(s, def, &order, diag);
    if (status == FRZ_OK)
        status = frz_particle_skin_make(s, def->skin, order, diag);
    frz_free(order);
    return status;
}

static frz_particle_surface start(const frz_particle_surface_def *def)
{
    return (frz_particle_surface){
        .spacing = def->spacing, .radius = support * def->spacing, .dimension = def->dimension};
}

frz_status frz_particle_surface_create(const frz_particle_surface_def *def, frz_particle_surface **out, frz_diag *diag)
{
    *out = NULL;
    frz_particle_surface *s = FRZ_ALLOC("particle surface", 1, frz_particle_surface);
    if (s == NULL)
        return frz_fail_memory(diag, "the surface of a body made of particles");
    *s = start(def);
    const frz_status status = build(s, def, diag);
    if (status != FRZ_OK)
        frz_particle_surface_destroy(&s);
    *out = s;
    return status;
}

void frz_particle_surface_destroy(frz_particle_surface **surface)
{
    if (surface == NULL || *surface == NULL)
        return;
    frz_particle_surface *s = *surface;
    frz_free(s->places);
    frz_free(s->x);
    frz_free(s->ids);
    frz_free(s->begin);
    frz_free(s->ring);
    frz_free(s->skin);
    frz_free(s->number);
    frz_free(s->sides);
    FRZ_FREE(*surface);
}

frz_status frz_particle_skin_find(const frz_particle_surface_def *def, bool *skin, frz_diag *diag)
{
    frz_particle_surface *s = NULL;
    int *order = NULL;
    s = FRZ_ALLOC("particle surface", 1, frz_particle_surface);
    if (s == NULL)
        return frz_fail_memory(diag, "the surface of a body made of particles");
    *s = start(def);
    const frz_status status = frz_particle_cells_make(s, def, &order, diag);
    for (int n = 0; n < s->count && status == FRZ_OK; ++n)
        skin[order[n]] = frz_particle_is_outer(s, n);
    frz_free(order);
    frz_particle_surface_destroy(&s);
    return status;
}
