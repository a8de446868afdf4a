// SPDX-License-Identifier: MIT
// Points where bodies made of particles touch others.
//
// Particles in a plane face and at its border have a point in that face, with its normal, so that a box stands on its
// outermost particles. Edges and corners also get a point on their round surface, which contact_touch.c moves to where
// that is touched.
#include "base/grow.h"
#include "base/memory.h"
#include "geom/shape_internal.h"
#include "rigid/contact_shape.h"
#include "rigid/contact_tree.h"
#include "rigid/particle_surface_internal.h"

static const double inset_depth = 0.25; ///< in spacings
static const double own_lean = 0.9;     ///< the same between a face and the way a particle leans: nothing new above
static const double covered = 0.55;     ///< the same between a direction and a point's normal that stands for it
static const double least_lean = 0.02;  ///< of a particle that has an outer side, in spacings
static const double on_surface = 0.05;  ///< points further from it are none, in spacings
static const double like_point = 0.8;   ///< cosine between normals of points that are the same before and after

enum
{
    newton_steps = 2
};

/// Points of one particle, as they are found.
typedef struct point_list
{
    frz_contact_shape *shape;
    int64_t capacity;
    frz_diag *diag;
} point_list;

static frz_status reserve(point_list *list, int count)
{
    frz_contact_shape *s = list->shape;
    frz_contact_point *points =
        frz_grow("contact points", s->points, &list->capacity, count, frz_grow_spare(s->point_count), sizeof *points);
    if (points == NULL)
        return frz_fail_memory(list->diag, "the contact points of a body");
    s->points = points;
    return FRZ_OK;
}

static frz_status append(point_list *list, frz_vec3 position, frz_vec3 normal, bool flat, int64_t id)
{
    frz_contact_shape *s = list->shape;
    FRZ_TRY(reserve(list, s->point_count + 1));
    s->points[s->point_count++] = (frz_contact_point){.position = position,
                                                      .inset = frz_v3_mad(position, -inset_depth * s->spacing, normal),
                                                      .normal = {normal},
                                                      .normal_count = 1,
                                                      .flat = flat,
                                                      .id = id};
    return FRZ_OK;
}

/// Whether one of the normals from first on is within a cosine of a direction.
static bool is_covered(const frz_contact_shape *s, int first, frz_vec3 direction, double cosine)
{
    for (int n = first; n < s->point_count; ++n)
    {
        if (frz_v3_dot(s->points[n].normal[0], direction) > cosine)
            return true;
    }
    return false;
}

/// The round surface in a direction from a particle.
static frz_status add_round(point_list *list, frz_vec3 place, frz_vec3 direction, int64_t id)
{
    const frz_contact_shape *s = list->shape;
    frz_vec3 position = frz_v3_mad(place, 0.5 * s->spacing, direction), normal = direction;
    double distance = 0.0;
    for (int step = 0; step < newton_steps; ++step)
    {
        distance = frz_particle_surface_distance(s->particles, position, HUGE_VAL, &normal);
        position = frz_v3_mad(position, -distance, normal);
    }
    if (fabs(distance) > on_surface * s->spacing)
        return FRZ_OK;
    return append(list, position, normal, false, id);
}

static frz_status add_particle(point_list *list, int number, const frz_vec3 *directions, int direction_count)
{
    const frz_contact_shape *s = list->shape;
    const frz_particle_surface *surface = s->particles;
    const frz_particle_side *side = &surface->sides[number];
    const int particle = surface->skin[number], first = s->point_count;
    const frz_vec3 place = surface->places[particle];
    const int64_t id = surface->ids[particle];
    for (int k = 0; k < side->face_count; ++k)
        FRZ_TRY(append(list, frz_v3_mad(place, 0.5 * s->spacing, side->face[k]), side->face[k], true, id));
    if (side->flat)
        return FRZ_OK;
    const frz_vec3 way = frz_v3_normalize(side->lean);
    if (side->whole && side->face_count > 1)
        return append(list, frz_v3_mad(place, 0.5 * s->spacing, way), way, false, id);
    if (frz_v3_length(side->lean) > least_lean * s->spacing && !is_covered(s, first, way, own_lean))
        FRZ_TRY(add_round(list, place, way, id));
    for (int k = 0; k < direction_count; ++k)
    {
        if ((side->open >> k & 1) != 0 && !is_covered(s, first, directions[k], covered))
            FRZ_TRY(add_round(list, place, directions[k], id));
    }
    return FRZ_OK;
}

static frz_status make_points(frz_contact_shape *s, frz_diag *diag)
{
    frz_vec3 directions[FRZ_PARTICLE_DIRECTIONS];
    const int direction_count = frz_particle_directions(s->dimension, directions);
    point_list list = {.shape = s, .diag = diag};
    FRZ_TRY(reserve(&list, 2 * s->particles->skin_count));
    for (int k = 0; k < s->particles->skin_count; ++k)
        FRZ_TRY(add_particle(&list, k, directions, direction_count));
    return FRZ_OK;
}

static frz_status take_samples(frz_contact_shape *s, frz_diag *diag)
{
    const frz_particle_surface *surface = s->particles;
    s->samples = FRZ_ALLOC("contact samples", surface->skin_count + 1, frz_vec3);
    if (s->samples == NULL)
        return frz_fail_memory(diag, "the surface samples of a body");
    for (int k = 0; k < surface->skin_count; ++k)
        s->samples[k] = surface->places[surface->skin[k]];
    s->sample_count = surface->skin_count;
    return frz_contact_shape_sum_samples(s, diag);
}

static frz_status build(frz_contact_shape *s, const frz_particle_surface_def *def, frz_diag *diag)
{
    FRZ_TRY(frz_particle_surface_create(def, &s->particles, diag));
    s->bounds = frz_bounds_grow(s->particles->box, 0.5 * s->spacing);
    FRZ_TRY(make_points(s, diag));
    if (def->samples)
        FRZ_TRY(take_samples(s, diag));
    return frz_contact_tree_create(s, diag);
}

frz_status frz_contact_shape_create_from_particles(const frz_particle_surface_def *def, frz_contact_shape **out,
                                                   frz_diag *diag)
{
    *out = NULL;
    frz_contact_shape *s = FRZ_ALLOC("contact shape", 1, frz_contact_shape);
    if (s == NULL)
        return frz_fail_memory(diag, "the contact shape of a body");
    s->spacing = def->spacing;
    s->dimension = def->dimension;
    const frz_status status = build(s, def, diag);
    if (status != FRZ_OK)
        frz_contact_shape_destroy(&s);
    *out = s;
    return status;
}

int frz_contact_shape_find_point(const frz_contact_shape *shape, const frz_contact_point *like)
{
    double best = like_point;
    int found = -1;
    for (int n = 0; n < shape->point_count; ++n)
    {
        const frz_contact_point *p = &shape->points[n];
        if (p->id != like->id)
            continue;
        const double cosine = frz_v3_dot(p->normal[0], like->normal[0]);
        if (cosine > best)
        {
            best = cosine;
            found = n;
        }
    }
    return found;
}
