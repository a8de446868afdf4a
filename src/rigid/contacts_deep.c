// SPDX-License-Identifier: MIT
// Bodies so deep in each other that no point of one sees the surface of the other from outside (contact_touch.c): one
// contact for the pair holds them, and frz_contacts_separate drives them apart until their points see each other again.
//
// Insets decide: those of bodies in contact are outside of each other, those of bodies at the same place inside. The
// direction out is the sum of the gradients of the distance at all insets inside the other body, weighted by their
// depth: each point has its nearest way out, and opposite ones cancel. The direction is kept from step to step until no
// inset is deep: of a body wholly inside another it would change with every motion. The present direction replaces the
// kept one only where all points are next to a surface and agree. If one of the bodies is immovable it never leads into
// a surface that points touch from outside: a body on the ground is not driven through it.
#include "rigid/contacts_internal.h"

#include <math.h>

#include "geom/shape.h"

static const double hidden = 0.125; ///< depth of an inset from which it counts, in spacings: half that of its own
static const double direction_least = 1e-3; ///< length of the mean gradient below which it says nothing
static const double agreement = 0.7; ///< the same above which all points ask for about one way: 45 degrees off the mean
static const double shallow = 0.5; ///< depth up to which points are next to the surface they came through, in spacings
static const double touching_depth = 0.25; ///< of points whose insets are still outside the other body, in spacings
static const double way_least = 1e-3;      ///< cosine with which a way leads into a surface
static const double shortest_way = 0.1;    ///< least length that remains of a unit way

enum
{
    way_steps = 8
};

typedef struct deep_sum
{
    frz_vec3 way;   ///< out of the second body for the first, world, weighted by depth
    frz_vec3 place; ///< world, weighted by depth
    double weight;  ///< m
    double deepest; ///< m
} deep_sum;

/// The exact gradient: grids know none far below a surface.
static void add_point(deep_sum *sum, const frz_contact_query *query, int point, double depth, double sign)
{
    const frz_contact_shape *touched = query->touched_shape;
    const frz_vec3 inset = query->toucher_shape->points[point].inset;
    const frz_vec3 place =
        frz_rigid_body_to_world(query->toucher, frz_contact_shape_to_body(query->toucher_shape, inset));
    const frz_vec3 local = frz_contact_query_carry(query, inset);
    frz_vec3 normal;
    if (touched->particles != NULL)
        (void)frz_particle_surface_distance(touched->particles, local, HUGE_VAL, &normal);
    else
        normal = frz_shape_normal(touched->shape, frz_v3_add(local, touched->origin));
    if (touched->dimension == 2)
        normal.z = 0.0;
    const frz_quat axes = frz_contact_shape_axes(touched, query->touched->rotation);
    sum->way = frz_v3_mad(sum->way, sign * depth, frz_quat_rotate(axes, normal));
    sum->place = frz_v3_mad(sum->place, depth, place);
    sum->weight += depth;
    sum->deepest = fmax(sum->deepest, depth);
}

static frz_vec3 oriented_normal(const frz_contact *hit)
{
    return hit->key.toucher < hit->key.touched ? hit->normal : frz_v3_scale(-1.0, hit->normal);
}

bool frz_contact_opposes(const frz_contact *hit, frz_vec3 way)
{
    return frz_v3_dot(oriented_normal(hit), way) < -way_least;
}

/// The way without its parts into surfaces that points see and touch from outside; false if nothing is left of it.
static bool take_clear_way(const frz_contact_findings *found, double touching, frz_vec3 *way)
{
    for (int k = 0; k < way_steps; ++k)
    {
        const double length = frz_v3_length(*way);
        double worst = -way_least * length;
        frz_vec3 normal = {0.0, 0.0, 0.0};
        for (int n = 0; n < found->hit_count; ++n)
        {
            const frz_vec3 out = oriented_normal(&found->hits[n]);
            const double along = found->hits[n].gap > -touching ? frz_v3_dot(out, *way) : 0.0;
            if (along >= worst)
                continue;
            worst = along;
            normal = out;
        }
        if (!(length > 0.0))
            return false;
        *way = frz_v3_scale(1.0 / length, *way);
        if (frz_v3_dot(normal, normal) == 0.0)
            return true;
        *way = frz_v3_mad(*way, -frz_v3_dot(normal, *way), normal);
        if (frz_v3_length(*way) < shortest_way)
            return false;
    }
    return false;
}

static bool is_fixed(const frz_rigid_body *body)
{
    return !(body->inverse_mass > 0.0);
}

/// Along the sum, else along the line of centres, else up: bodies at the same place have no better way. All of these
/// without their parts into surfaces that touch the bodies already.
static bool choose_way(const frz_contact_findings *found, const deep_sum *sum, const frz_rigid_body *a,
                       const frz_rigid_body *b, double spacing, frz_vec3 *way)
{
    const double touching = is_fixed(a) || is_fixed(b) ? touching_depth * spacing : -HUGE_VAL;
    const frz_vec3 centers = frz_v3_sub(a->position, b->position);
    *way = sum->way;
    if (frz_v3_length(*way) > direction_least * sum->weight && take_clear_way(found, touching, way))
        return true;
    *way = centers;
    if (frz_v3_length(*way) > direction_least * spacing && take_clear_way(found, touching, way))
        return true;
    *way = frz_v3(0.0, 1.0, 0.0);
    return take_clear_way(found, touching, way);
}

/// The contact of the last step with this key; null if there was none.
static const frz_contact *find_previous(const frz_contact_list *previous, const frz_contact_key *key)
{
    for (int n = 0; n < previous->count; ++n)
    {
        if (frz_contact_key_compare(&previous->items[n].key, key) == 0)
            return &previous->items[n];
    }
    return NULL;
}

bool frz_contact_find_deep(const frz_contacts *contacts, const frz_contact_findings *found,
                           const frz_rigid_body *bodies, const frz_contact_shape *const *shapes, frz_contact *out)
{
    const double spacing = contacts->options.spacing;
    const frz_contact_candidate *list = found->candidates;
    double seen = 0.0; // largest penetration at the contacts
    deep_sum sum = {.deepest = 0.0};
    const int first = list[0].key.toucher < list[0].key.touched ? list[0].key.toucher : list[0].key.touched;
    const int second = list[0].key.toucher + list[0].key.touched - first;
    for (int n = 0; n < found->candidate_count; ++n)
    {
        const frz_contact_candidate *c = &list[n];
        if (c->key.point >= 0)
            seen = fmax(seen, -c->gap);
        if (c->key.point >= 0 || -c->gap < hidden * spacing)
            continue;
        const int a = c->key.toucher, b = c->key.touched;
        const frz_contact_query query = frz_contact_query_make(&bodies[a], shapes[a], &bodies[b], shapes[b], 0.0);
        add_point(&sum, &query, frz_contact_missed_point(&c->key), -c->gap, a == first ? 1.0 : -1.0);
    }
    if (sum.deepest < hidden * spacing)
        return false;
    const frz_rigid_body *a = &bodies[first], *b = &bodies[second];
    *out = (frz_contact){
        .key = {first, second, shapes[first]->point_count, FRZ_CONTACT_MOVING}, .gap = -sum.deepest, .facing = 1.0};
    // a way that was begun is gone to its end: on the way, points of hollow bodies see surfaces that would push them
    // back
    const frz_contact *before = find_previous(&contacts->previous, &out->key);
    if (before == NULL && sum.deepest < seen + hidden * spacing)
        return false;
    if (before != NULL)
        out->normal = frz_quat_rotate(b->rotation, before->axis); // it turns with the bodies
    const bool agrees = sum.deepest < shallow * spacing && frz_v3_length(sum.way) > agreement * sum.weight;
    const bool keeps =
        before != NULL && !agrees &&
        ((!is_fixed(a) && !is_fixed(b)) || take_clear_way(found, touching_depth * spacing, &out->normal));
    if (!keeps && !choose_way(found, &sum, a, b, spacing, &out->normal))
        return false;
    out->axis = frz_quat_rotate(frz_quat_conjugate(b->rotation), out->normal);
    out->place = frz_v3_scale(1.0 / sum.weight, sum.place);
    out->anchor[0] = frz_rigid_body_to_local(a, frz_v3_mad(out->place, 0.5 * out->gap, out->normal));
    out->anchor[1] = frz_rigid_body_to_local(b, frz_v3_mad(out->place, -0.5 * out->gap, out->normal));
    const frz_vec3 relative =
        frz_v3_sub(frz_rigid_body_velocity_at(a, out->place), frz_rigid_body_velocity_at(b, out->place));
    out->approach = frz_v3_dot(relative, out->normal);
    return true;
}
