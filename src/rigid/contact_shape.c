// SPDX-License-Identifier: MIT
// Contact points of a body, and the distance that other bodies' points are tested against.
#include "rigid/contact_shape.h"

#include "base/memory.h"
#include "geom/mesh.h"
#include "geom/sample_internal.h"
#include "rigid/contact_pressure_internal.h"
#include "rigid/contact_tree.h"
#include "rigid/distance_grid.h"

static const double pi = 3.14159265358979323846;
static const double inset_depth = 0.25; ///< of the insets below all faces that meet at a point, in spacings
static const double inset_share =
    0.9; ///< an inset must be this deep; less means that another surface is near, as in thin walls
static const double longest_inset = 3.0; ///< in depths: the bound for needles
static const double thin_depth = 0.45;   ///< samples less deep are the middle of a thin wall, in spacings
static const double hole = 1.0;          ///< around every place of round faces there is a point this near, in spacings
static const double same_side = 0.5;     ///< cosine between normals of points of the same side of a wall
static const double on_surface = 0.05;   ///< distance of a point that is left out, in spacings
static const double grid_cell = 0.5;     ///< in spacings
static const double grid_band = 2.0;     ///< in spacings
static const double grid_trusted = 0.6;  ///< nearer to the surface than this the shape itself is asked, in spacings

enum
{
    flat_directions = 8, ///< around a point
    inset_trials = 5,
    newton_steps = 3,
    direct_nodes = 12 ///< shapes with more parts than this are slower than a grid
};

/// Distance to a convex solid inside it and in front of one face; false where an edge or a corner is nearest and the
/// planes only give a bound, unless the bound is beyond the limit.
static bool plane_distance(const frz_contact_shape *s, frz_vec3 p, double limit, frz_vec3 *normal, double *distance)
{
    int best = 0, outside = 0;
    *distance = -HUGE_VAL;
    for (int k = 0; k < s->plane_count; ++k)
    {
        const double d = frz_v3_dot(s->planes[k].normal, p) - s->planes[k].offset;
        outside += d > 0.0;
        if (d > *distance)
        {
            *distance = d;
            best = k;
        }
    }
    *normal = s->planes[best].normal;
    if (s->dimension == 2) // the way in the plane to a face that leans
    {
        const double slant = hypot(normal->x, normal->y);
        *normal = frz_v3(normal->x / slant, normal->y / slant, 0.0);
        *distance /= slant;
    }
    return outside < 2 || *distance > limit;
}

double frz_contact_shape_distance(const frz_contact_shape *s, frz_vec3 place, double limit, frz_vec3 *normal)
{
    if (s->particles != NULL)
        return frz_particle_surface_distance(s->particles, place, limit, normal);
    const frz_vec3 p = frz_v3_add(place, s->origin);
    double distance;
    if (s->plane_count > 0 && plane_distance(s, p, limit, normal, &distance))
        return distance;
    if (s->grid != NULL)
    {
        distance = frz_distance_grid_at(s->grid, p, normal);
        if (fabs(distance) > grid_trusted * s->spacing)
            return distance;
    }
    distance = frz_shape_gradient(s->shape, p, normal);
    if (s->dimension == 2)
    {
        normal->z = 0.0;
        *normal = frz_v3_normalize(*normal);
    }
    return distance;
}

double frz_contact_shape_room(const frz_contact_shape *s, frz_vec3 place)
{
    if (s->particles != NULL)
        return frz_particle_surface_room(s->particles, place);
    if (s->clearance != NULL)
        return frz_clearance_at(s->clearance, place);
    frz_vec3 normal;
    return frz_contact_shape_distance(s, place, HUGE_VAL, &normal);
}

// ---- points

/// The place inside the body from which a point looks at others: equally deep below all its faces.
static void set_inset(const frz_contact_shape *s, frz_contact_point *point)
{
    frz_vec3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < point->normal_count; ++k)
        sum = frz_v3_add(sum, point->normal[k]);
    const frz_vec3 direction = frz_v3_normalize(sum);
    double least = 1.0;
    for (int k = 0; k < point->normal_count; ++k)
        least = fmin(least, frz_v3_dot(direction, point->normal[k]));
    const double stretch = 1.0 / fmax(least, 1.0 / longest_inset);
    double depth = inset_depth * s->spacing;
    for (int trial = 0; trial < inset_trials; ++trial)
    {
        point->inset = frz_v3_mad(point->position, -depth * stretch, direction);
        if (frz_shape_distance(s->shape, frz_v3_add(point->inset, s->origin)) <= -inset_share * depth * stretch * least)
            return;
        depth *= 0.5;
    }
    point->inset = point->position; // a feature finer than its triangles tell: no place is known to be inside
}

/// Whether the surface falls away nowhere around a point of a face.
static bool is_flat(const frz_contact_shape *s, const frz_contact_point *point)
{
    const frz_vec3 n = point->normal[0];
    const frz_vec3 side =
        frz_v3_normalize(frz_v3_cross(n, fabs(n.z) < 0.6 ? frz_v3(0.0, 0.0, 1.0) : frz_v3(1.0, 0.0, 0.0)));
    const frz_vec3 other = frz_v3_cross(n, side);
    const double trial = frz_contact_trial * s->spacing;
    for (int k = 0; k < flat_directions; ++k)
    {
        const double angle = 2.0 * pi * k / flat_directions;
        const frz_vec3 way = frz_v3_mad(frz_v3_scale(cos(angle), side), sin(angle), other);
        const frz_vec3 place = frz_v3_add(frz_v3_mad(point->position, trial, way), s->origin);
        if (frz_shape_distance(s->shape, place) > frz_contact_flat_sine * trial)
            return false;
    }
    return true;
}

/// The surface point next to a place, by Newton steps along the gradient.
static frz_contact_point surface_point(const frz_contact_shape *s, frz_vec3 place)
{
    frz_contact_point point = {.position = place, .normal_count = 1};
    for (int step = 0; step < newton_steps; ++step)
    {
        const double distance =
            frz_sample_gradient(s->shape, frz_v3_add(point.position, s->origin), s->dimension, &point.normal[0]);
        point.position = frz_v3_mad(point.position, -distance, point.normal[0]);
    }
    return point;
}

/// Points of one surface sample: in front of it, and on the other side too where the wall is thin.
static int sample_points(const frz_contact_shape *s, frz_vec3 sample, frz_contact_point points[2])
{
    frz_vec3 normal, behind;
    const frz_vec3 place = frz_v3_add(sample, s->origin);
    const double distance = frz_sample_gradient(s->shape, place, s->dimension, &normal);
    points[0] = surface_point(s, sample);
    if (-distance > thin_depth * s->spacing)
        return 1;
    const frz_vec3 beyond = frz_v3_mad(sample, 1.5 * distance, normal); // distance < 0: away from the near side
    (void)frz_sample_gradient(s->shape, frz_v3_add(beyond, s->origin), s->dimension, &behind);
    if (frz_v3_dot(normal, behind) > -0.5)
        return 1;
    points[1] = surface_point(s, beyond);
    return 2;
}

/// Whether a point has another one near by that looks the same way.
static bool has_company(const frz_contact_shape *s, const frz_point_hash *hash, const frz_vec3 *positions,
                        const frz_contact_point *point)
{
    enum
    {
        most = 64 // within a spacing: edges have points one spacing apart, faces too
    };
    int found[most];
    const int number = frz_point_hash_collect(hash, positions, point->position, hole * s->spacing, found, most);
    for (int k = 0; k < number; ++k)
    {
        const frz_contact_point *other = &s->points[found[k]];
        for (int n = 0; n < other->normal_count; ++n)
        {
            if (frz_v3_dot(other->normal[n], point->normal[0]) > same_side)
                return true;
        }
    }
    return false;
}

/// Walls of one to two spacings have samples for one of their sides only. Plane and hollow faces need no points,
/// because edges, corners and round faces of others have theirs; but two round faces that meet without any would not
/// see each other.
static void fill_holes(frz_contact_shape *s, const frz_contact_shape_def *def, const frz_contact_outline *outline,
                       frz_point_hash *hash, frz_vec3 *positions)
{
    for (int n = 0; n < s->point_count; ++n)
    {
        positions[n] = s->points[n].position;
        frz_point_hash_insert(hash, positions, n);
    }
    for (int n = 0; n < outline->place_count; ++n)
    {
        frz_contact_point point = surface_point(s, frz_v3_sub(outline->places[n], s->origin));
        const frz_vec3 place = frz_v3_add(point.position, s->origin);
        if (has_company(s, hash, positions, &point) || !frz_bounds_contain(def->clip, place, s->dimension) ||
            fabs(frz_shape_distance(s->shape, place)) > on_surface * s->spacing || is_flat(s, &point))
            continue;
        positions[s->point_count] = point.position;
        s->points[s->point_count] = point;
        frz_point_hash_insert(hash, positions, s->point_count++);
    }
}

static frz_status add_missing(frz_contact_shape *s, const frz_contact_shape_def *def,
                              const frz_contact_outline *outline, frz_diag *diag)
{
    const int64_t capacity = (int64_t)s->point_count + outline->place_count;
    if (outline->place_count == 0)
        return FRZ_OK;
    frz_point_hash hash = {0};
    frz_vec3 *positions = FRZ_ALLOC("contact points", capacity, frz_vec3);
    if (positions == NULL)
        return frz_fail_memory(diag, "the contact points of a body");
    const frz_status status = frz_point_hash_create(&hash, capacity, 2.0 * hole * s->spacing, diag);
    if (status == FRZ_OK)
        fill_holes(s, def, outline, &hash, positions);
    frz_point_hash_destroy(&hash);
    frz_free(positions);
    return status;
}

static frz_status place_points(frz_contact_shape *s, const frz_contact_shape_def *def,
                               const frz_contact_outline *outline, frz_diag *diag)
{
    s->points =
        FRZ_ALLOC("contact points", 2 * (int64_t)s->sample_count + outline->count + (int64_t)outline->place_count + 1,
                  frz_contact_point);
    if (s->points == NULL)
        return frz_fail_memory(diag, "the contact points of a body");
    for (int n = 0; n < outline->count; ++n)
    {
        frz_contact_point *point = &s->points[s->point_count];
        *point = outline->points[n];
        point->position = frz_v3_sub(outline->points[n].position, s->origin);
        // edges of planes are exact
        s->point_count += s->plane_count > 0 || frz_contact_edge_settle(s, false, point);
    }
    for (int n = 0; n < s->sample_count; ++n)
        s->point_count += sample_points(s, s->samples[n], &s->points[s->point_count]);
    FRZ_TRY(add_missing(s, def, outline, diag));
    for (int n = 0; n < s->point_count; ++n)
    {
        set_inset(s, &s->points[n]);
        s->points[n].flat = s->points[n].normal_count == 1 && is_flat(s, &s->points[n]);
        s->points[n].round = s->points[n].normal_count == 2 && s->dimension == 3 && s->plane_count == 0 &&
                             frz_contact_edge_is_round(s, &s->points[n]);
    }
    return FRZ_OK;
}

static frz_status make_points(frz_contact_shape *s, const frz_contact_shape_def *def, frz_diag *diag)
{
    frz_contact_outline outline = {0};
    frz_status status = FRZ_OK;
    if (s->sample_count > 0 && s->plane_count > 0)
        status = frz_contact_convex_features(def, s->planes, s->plane_count, &outline, diag);
    else if (s->sample_count > 0)
        status = frz_contact_features(def, &outline, diag);
    if (status == FRZ_OK)
        status = place_points(s, def, &outline, diag);
    frz_contact_outline_clear(&outline);
    return status;
}

// ---- distance

typedef struct shape_census
{
    int nodes;
    bool mesh;
    bool combined; ///< by intersection
} shape_census;

static void take_census(const frz_shape *shape, shape_census *census)
{
    ++census->nodes;
    census->mesh = census->mesh || shape->kind == FRZ_SHAPE_MESH || shape->kind == FRZ_SHAPE_HEIGHTFIELD;
    census->combined = census->combined || shape->kind == FRZ_SHAPE_INTERSECTION;
    for (int n = 0; n < shape->child_count; ++n)
        take_census(shape->children[n], census);
}

/// Convex solids with few plane faces are their planes; other meshes and large trees get a grid.
static frz_status choose_distance(frz_contact_shape *s, frz_diag *diag)
{
    shape_census census = {0, false, false};
    take_census(s->shape, &census);
    if (census.mesh || census.combined)
        FRZ_TRY(frz_contact_convex_planes(s->shape, &s->planes, &s->plane_count, diag));
    const frz_bounds bounds = frz_shape_bounds(s->shape);
    if (s->dimension == 2 || s->plane_count > 0 || !(census.mesh || census.nodes > direct_nodes) ||
        !frz_bounds_is_finite(bounds, 3))
        return FRZ_OK;
    return frz_distance_grid_create(s->shape, bounds, grid_cell * s->spacing, grid_band * s->spacing, &s->grid, diag);
}

static frz_status take_samples(frz_contact_shape *s, const frz_contact_shape_def *def, frz_diag *diag)
{
    frz_point_set set = {0};
    const frz_vec3 *samples = def->samples;
    int64_t count = def->sample_count;
    if (samples == NULL)
    {
        const frz_status status = frz_sample_surface(def->shape, def->spacing, def->dimension, def->clip, &set, diag);
        if (status != FRZ_OK)
        {
            frz_point_set_destroy(&set);
            return status;
        }
        samples = set.points;
        count = set.count;
    }
    frz_status status = FRZ_OK;
    if (count < def->dimension && !def->fixed)
        status =
            frz_fail(diag, FRZ_ERR_SCENE,
                     "body '%s' has only %lld surface particle(s), a rigid body needs at least %d: make the spacing "
                     "smaller or the body larger",
                     def->name != NULL ? def->name : "?", (long long)count, def->dimension);
    else
    {
        s->samples = FRZ_ALLOC("contact samples", count + 1, frz_vec3);
        if (s->samples == NULL)
            status = frz_fail_memory(diag, "the surface samples of a body");
        for (int64_t n = 0; n < count && s->samples != NULL; ++n)
            s->samples[n] = frz_v3_sub(samples[n], s->origin);
        s->sample_count = (int)count;
    }
    frz_point_set_destroy(&set);
    return status;
}

frz_status frz_contact_shape_sum_samples(frz_contact_shape *s, frz_diag *diag)
{
    enum
    {
        most = 256 // within two spacings of a sample; a layer has 21 there
    };
    frz_point_hash hash = {0};
    s->sample_sums = FRZ_ALLOC("contact samples", s->sample_count + 1, double);
    if (s->sample_sums == NULL)
        return frz_fail_memory(diag, "the surface samples of a body");
    FRZ_TRY(frz_point_hash_create(&hash, s->sample_count, 2.0 * s->spacing, diag));
    for (int n = 0; n < s->sample_count; ++n)
        frz_point_hash_insert(&hash, s->samples, n);
#pragma omp parallel for schedule(static) if (s->sample_count > FRZ_CONTACT_FEW)
    for (int n = 0; n < s->sample_count; ++n)
    {
        int found[most];
        const int number = frz_point_hash_collect(&hash, s->samples, s->samples[n], 2.0 * s->spacing, found, most);
        for (int k = 0; k < number; ++k)
            s->sample_sums[n] += frz_contact_kernel(frz_v3_length(frz_v3_sub(s->samples[n], s->samples[found[k]])),
                                                    s->spacing, s->dimension);
    }
    frz_point_hash_destroy(&hash);
    return FRZ_OK;
}

static frz_status build(frz_contact_shape *s, const frz_contact_shape_def *def, frz_diag *diag)
{
    if (def->untouched)
        return choose_distance(s, diag);
    FRZ_TRY(take_samples(s, def, diag));
    if (!def->unsummed)
        FRZ_TRY(frz_contact_shape_sum_samples(s, diag));
    FRZ_TRY(choose_distance(s, diag));
    FRZ_TRY(make_points(s, def, diag));
    FRZ_TRY(frz_contact_tree_create(s, diag));
    return frz_clearance_create(s, diag);
}

frz_status frz_contact_shape_create(const frz_contact_shape_def *def, frz_contact_shape **out, frz_diag *diag)
{
    *out = NULL;
    frz_contact_shape *s = FRZ_ALLOC("contact shape", 1, frz_contact_shape);
    if (s == NULL)
        return frz_fail_memory(diag, "the contact shape of a body");
    s->shape = frz_shape_share(def->shape);
    s->origin = def->center;
    s->spacing = def->spacing;
    s->dimension = def->dimension;
    const frz_bounds bounds = frz_shape_bounds(def->shape);
    s->bounds = (frz_bounds){frz_v3_sub(bounds.min, def->center), frz_v3_sub(bounds.max, def->center)};
    const frz_status status = build(s, def, diag);
    if (status != FRZ_OK)
        frz_contact_shape_destroy(&s);
    *out = s;
    return status;
}

void frz_contact_shape_turn(frz_contact_shape *shape, frz_quat frame)
{
    shape->turned = frame.x != 0.0 || frame.y != 0.0 || frame.z != 0.0;
    shape->frame = frame;
}

frz_status frz_contact_shape_share(frz_contact_shape *shape, frz_quat frame, frz_contact_shape **out, frz_diag *diag)
{
    frz_contact_shape *s = FRZ_ALLOC("contact shape", 1, frz_contact_shape);
    if (s != NULL && shape->owners == NULL)
    {
        shape->owners = FRZ_ALLOC("contact shape", 1, int);
        if (shape->owners != NULL)
            *shape->owners = 1;
    }
    *out = s;
    if (s == NULL || shape->owners == NULL)
    {
        FRZ_FREE(*out);
        return frz_fail_memory(diag, "the contact shape of a body");
    }
    *s = *shape;
    *s->owners += 1;
    frz_contact_shape_turn(s, frame);
    return FRZ_OK;
}

void frz_contact_shape_destroy(frz_contact_shape **shape)
{
    if (shape == NULL || *shape == NULL)
        return;
    frz_contact_shape *s = *shape;
    if (s->owners != NULL && --*s->owners > 0)
    {
        FRZ_FREE(*shape);
        return;
    }
    frz_free(s->owners);
    frz_shape_destroy(&s->shape);
    frz_free(s->points);
    frz_free(s->samples);
    frz_free(s->sample_sums);
    frz_contact_tree_destroy(&s->tree);
    frz_clearance_destroy(&s->clearance);
    frz_free(s->planes);
    frz_distance_grid_destroy(&s->grid);
    frz_particle_surface_destroy(&s->particles);
    FRZ_FREE(*shape);
}
