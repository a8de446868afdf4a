// SPDX-License-Identifier: MIT
// Narrow phase: one point of a body against the distance of another.
//
// The other surface is looked at from the point's inset and continued to the point along the gradient found there:
// gap(p) = phi(q) + grad phi(q) . (p - q). As long as bodies overlap by less than the inset is deep, q is outside the
// other body and the gradient is the direction between the nearest surfaces; looked at from p itself it would be that
// of any face near by as soon as surfaces cross. On plane surfaces the continuation is exact.
#include "rigid/contacts_internal.h"

static const double kept_overlap =
    0.1; ///< depth from which a point counts although another one may be deeper, in spacings
static const double facing_least = 0.2;   ///< cosine between a face and the way to the other body: less is another side
static const double facing_face = 0.9;    ///< the same for plane and hollow faces; oblique touches belong to edges
static const double facing_round = 0.998; ///< the same for round ones: the deepest place was found
static const double edge_cosine = 0.99; ///< between the normal in front of a surface and that below it: less is an edge
static const double one_face = 0.95;   ///< the same along an edge that lies on another surface: less is an edge of that
static const double below = 0.1;       ///< how far below the surface that is looked up, in spacings
static const double aside_share = 0.5; ///< of that way aside, where the other face at an edge is the nearer one
static const double farthest = 1.25;   ///< the same plus the length of the longest inset, in spacings
static const double longest_slide = 0.75;  ///< of a point along its surface at once, in spacings
static const double farthest_slide = 1.25; ///< in all: beyond, another point of a round face is nearer; in spacings
static const double hopeless_slide = 2.0;  ///< guess of a slide that will be further than that, in spacings
static const double aligned = 1.0e-3;      ///< angle between normals that oppose each other
static const double curvature_trial = 0.1; ///< difference that curvatures are found by, in spacings
static const double overhang =
    0.05; ///< points up to this far beyond the edge of the touched surface count, in spacings

const double frz_contact_refine_reach = 0.5;
const double frz_contact_trial = 0.25;
const double frz_contact_flat_sine = 1.0e-4; // faces this parallel need no refinement

enum
{
    slide_steps = 5,
    edge_steps = 4,
    edge_bisections = 6
};

typedef struct probe
{
    frz_vec3 position, inset; ///< axes of the toucher's shape
    frz_vec3 normal;          ///< of the touched surface, the same
    double gap;
    bool cut_short; ///< the deepest place is further away than the point may slide: another point's business
    bool enters;    ///< beyond an edge of the other body, but inside at the end of the step
    double facing;  ///< how well the two normals oppose each other; 1 for edges and corners
} probe;

frz_contact_query frz_contact_query_make(const frz_rigid_body *toucher, const frz_contact_shape *toucher_shape,
                                         const frz_rigid_body *touched, const frz_contact_shape *touched_shape,
                                         double margin)
{
    const frz_mat3 back = frz_m3_transpose(frz_m3_from_quat(frz_contact_shape_axes(touched_shape, touched->rotation)));
    const frz_contact_query query = {
        .toucher = toucher,
        .touched = touched,
        .toucher_shape = toucher_shape,
        .touched_shape = touched_shape,
        .margin = margin,
        .limit = margin + farthest * toucher_shape->spacing,
        .turn = frz_m3_mul(back, frz_m3_from_quat(frz_contact_shape_axes(toucher_shape, toucher->rotation))),
        .shift = frz_m3_apply(back, frz_v3_sub(frz_rigid_body_frame(toucher), frz_rigid_body_frame(touched)))};
    return query;
}

void frz_contact_query_direct(frz_contact_query *query, double least, double dt)
{
    const frz_rigid_body *bodies[2] = {query->toucher, query->touched};
    const frz_contact_shape *shape = query->toucher_shape;
    const frz_mat3 back = frz_m3_transpose(frz_m3_from_quat(frz_contact_shape_axes(shape, query->toucher->rotation)));
    const frz_vec3 origin = frz_rigid_body_frame(query->toucher);
    query->directed = true;
    query->least = query->around = least;
    for (int side = 0; side < 2; ++side)
    {
        query->way[side] = frz_m3_apply(back, frz_v3_scale(dt, frz_rigid_body_velocity_at(bodies[side], origin)));
        query->sweep[side] = frz_m3_apply(back, frz_v3_scale(dt, bodies[side]->spin));
        query->around += frz_v3_length(query->sweep[side]) * farthest * shape->spacing;
    }
}

double frz_contact_query_margin(const frz_contact_query *query, frz_vec3 inset)
{
    if (!query->directed)
        return query->margin;
    const frz_vec3 first = frz_v3_add(query->way[0], frz_v3_cross(query->sweep[0], inset)),
                   second = frz_v3_add(query->way[1], frz_v3_cross(query->sweep[1], inset)),
                   apart = frz_v3_sub(first, second);
    const double squares[3] = {frz_v3_dot(first, first), frz_v3_dot(second, second), frz_v3_dot(apart, apart)};
    const double one = squares[0] > squares[1] ? squares[0] : squares[1];
    const double margin = query->around + sqrt(one > squares[2] ? one : squares[2]);
    return margin < query->margin ? margin : query->margin;
}

/// How far a place of a side goes along a direction within the step.
static double way_along(const frz_contact_query *f, int side, frz_vec3 place, frz_vec3 direction)
{
    return frz_v3_dot(frz_v3_add(f->way[side], frz_v3_cross(f->sweep[side], place)), direction);
}

/// Largest gap along a normal that matters: each of both goes on, or is stopped by something else.
static double margin_along(const frz_contact_query *f, frz_vec3 place, frz_vec3 normal)
{
    if (!f->directed)
        return f->margin;
    const double flees = way_along(f, 0, place, normal), follows = way_along(f, 1, place, normal);
    const double margin = f->least + (flees < 0.0 ? -flees : 0.0) + (follows > 0.0 ? follows : 0.0);
    return margin < f->margin ? margin : f->margin;
}

/// How far a place of the toucher goes within the step, against the touched body.
static frz_vec3 relative_way(const frz_contact_query *f, frz_vec3 place)
{
    const frz_vec3 own = frz_v3_add(f->way[0], frz_v3_cross(f->sweep[0], place)),
                   other = frz_v3_add(f->way[1], frz_v3_cross(f->sweep[1], place));
    return frz_v3_sub(own, other);
}

/// A direction of the touched body's axes in the toucher's.
static frz_vec3 turn_back(const frz_contact_query *f, frz_vec3 v)
{
    const frz_mat3 *t = &f->turn;
    return frz_v3(t->m[0][0] * v.x + t->m[1][0] * v.y + t->m[2][0] * v.z,
                  t->m[0][1] * v.x + t->m[1][1] * v.y + t->m[2][1] * v.z,
                  t->m[0][2] * v.x + t->m[1][2] * v.y + t->m[2][2] * v.z);
}

static double distance_at(const frz_contact_query *f, frz_vec3 place, frz_vec3 *normal)
{
    frz_vec3 n;
    const double distance =
        frz_contact_shape_distance(f->touched_shape, frz_contact_query_carry(f, place), f->limit, &n);
    *normal = turn_back(f, n);
    return distance;
}

static void look(const frz_contact_query *f, probe *p)
{
    const double distance = distance_at(f, p->inset, &p->normal);
    p->gap = distance + frz_v3_dot(p->normal, frz_v3_sub(p->position, p->inset));
}

static double best_facing(const frz_contact_point *point, frz_vec3 normal)
{
    double best = -1.0;
    for (int k = 0; k < point->normal_count; ++k)
    {
        const double facing = -frz_v3_dot(point->normal[k], normal);
        best = facing > best ? facing : best;
    }
    return best;
}

/// How much deeper than a point its surroundings may be, per way to them: as steep as the edge or the face is against
/// the other surface. Corners have no surroundings that are deeper.
static double steepness(const frz_contact_point *point, frz_vec3 normal)
{
    if (point->flat || point->normal_count > 2)
        return 0.0;
    if (point->normal_count == 2)
        return fabs(frz_v3_dot(normal, frz_v3_normalize(frz_v3_cross(point->normal[0], point->normal[1]))));
    const double cosine = frz_v3_dot(normal, point->normal[0]), square = 1.0 - cosine * cosine;
    return square > 0.0 ? sqrt(square) : 0.0;
}

/// Around a point of a round face: directions in its tangent plane, the first one the way to the deepest place, and how
/// fast the normals of both surfaces turn against each other along them, 1/m.
typedef struct tangents
{
    int count; ///< 1 in 2D
    frz_vec3 along[2];
    double bend[2][2];
} tangents;

/// How the normals miss each other at a place, along the tangents: the tangent of the angle between them.
static bool misalignment(const tangents *t, const probe *p, frz_vec3 own, double miss[2])
{
    const double cosine = -frz_v3_dot(p->normal, own);
    miss[0] = miss[1] = 0.0;
    if (cosine < facing_least)
        return false;
    const frz_vec3 toward = frz_v3_mad(frz_v3_scale(-1.0, p->normal), -cosine, own);
    for (int k = 0; k < t->count; ++k)
        miss[k] = frz_v3_dot(toward, t->along[k]) / cosine;
    return true;
}

/// Tangents at a point, their bends by differences; false: the normals oppose each other already.
static bool find_tangents(const frz_contact_query *f, const probe *p, frz_vec3 own, tangents *t)
{
    const frz_contact_shape *shape = f->toucher_shape;
    const double trial = curvature_trial * shape->spacing, depth = frz_v3_length(frz_v3_sub(p->position, p->inset));
    const frz_vec3 way = frz_v3_mad(p->normal, -frz_v3_dot(p->normal, own), own);
    const double sine = frz_v3_length(way);
    if (sine < frz_contact_flat_sine)
        return false;
    t->count = shape->dimension - 1;
    t->along[0] = frz_v3_scale(-1.0 / sine, way);
    t->along[1] = frz_v3_cross(own, t->along[0]);
    for (int k = 0; k < t->count; ++k)
    {
        frz_vec3 n, m;
        (void)frz_contact_shape_distance(shape, frz_v3_mad(p->position, trial, t->along[k]), HUGE_VAL, &n);
        (void)distance_at(f, frz_v3_mad(p->inset, trial, t->along[k]), &m);
        const frz_vec3 turned = frz_v3_sub(n, own), met = frz_v3_sub(m, p->normal);
        const double share = 1.0 - depth * frz_v3_dot(turned, t->along[k]) / trial; // of the inset's way
        for (int j = 0; j < t->count; ++j)
            t->bend[j][k] = frz_v3_dot(t->along[j], frz_v3_mad(turned, share, met)) / trial;
    }
    return true;
}

/// The way to where the normals oppose each other, by Newton's method. Directions in which the surfaces fit each other,
/// as a cylinder along a plane, have no such place and are left alone; false: all have none.
static bool way_to_deepest(const tangents *t, const double miss[2], double least, double way[2])
{
    way[1] = 0.0;
    if (t->count == 1)
    {
        way[0] = miss[0] / t->bend[0][0];
        return t->bend[0][0] > least;
    }
    const double a = t->bend[0][0], b = 0.5 * (t->bend[0][1] + t->bend[1][0]), c = t->bend[1][1];
    const double mean = 0.5 * (a + c), half = 0.5 * (a - c), spread = sqrt(half * half + b * b);
    const double high = mean + spread;
    if (!(high > least))
        return false;
    if (mean - spread > least)
    {
        const double scale = 1.0 / (a * c - b * b);
        way[0] = scale * (c * miss[0] - b * miss[1]);
        way[1] = scale * (a * miss[1] - b * miss[0]);
        return true;
    }
    const double axis[2] = {half > 0.0 ? spread + half : b, half > 0.0 ? b : spread - half};
    const double square = axis[0] * axis[0] + axis[1] * axis[1];
    const double share = square > 0.0 ? (axis[0] * miss[0] + axis[1] * miss[1]) / (square * high) : 0.0;
    way[0] = share * axis[0];
    way[1] = share * axis[1];
    return true;
}

/// Update of the curvatures by a step (symmetric rank one, Conn, Gould & Toint 1991).
static void learn_bends(tangents *t, const double way[2], const double before[2], const double after[2])
{
    double rest[2] = {0.0, 0.0}, along = 0.0, size = 0.0;
    for (int j = 0; j < t->count; ++j)
    {
        rest[j] = before[j] - after[j];
        for (int k = 0; k < t->count; ++k)
            rest[j] -= t->bend[j][k] * way[k];
        along += rest[j] * way[j];
        size += fabs(rest[j]) * fabs(way[j]);
    }
    if (!(fabs(along) > 0.01 * size))
        return;
    for (int j = 0; j < t->count; ++j)
        for (int k = 0; k < t->count; ++k)
            t->bend[j][k] += rest[j] * rest[k] / along;
}

/// The point of a round surface next to a place beside it, and its normal.
static frz_vec3 slide_to(const frz_contact_query *f, frz_vec3 place, double depth, probe *to)
{
    frz_vec3 n;
    const double off = frz_contact_shape_distance(f->toucher_shape, place, HUGE_VAL, &n);
    to->position = frz_v3_mad(place, -off, n);
    to->inset = frz_v3_mad(to->position, -depth, n);
    look(f, to);
    return n;
}

/// Distances of some shapes are bounds, so that one step does not lead onto the surface.
static void make_good(const frz_contact_query *f, double depth, probe *p, frz_vec3 *own)
{
    frz_vec3 n;
    const double off = frz_contact_shape_distance(f->toucher_shape, p->position, HUGE_VAL, &n);
    if (fabs(off) > frz_contact_flat_sine * f->toucher_shape->spacing)
        *own = slide_to(f, p->position, depth, p);
}

/// On a round surface the deepest place is where the normals oppose each other. Returns whether the point has moved
/// there; cut_short: it is further away than the next point.
static bool slide_smooth(const frz_contact_query *f, probe *p, frz_vec3 *own)
{
    const double spacing = f->toucher_shape->spacing,
                 least = 2.0 * frz_contact_flat_sine / (frz_contact_trial * spacing);
    const double depth = frz_v3_length(frz_v3_sub(p->position, p->inset));
    const frz_vec3 start = p->position;
    tangents t = {0};
    double miss[2], at[2] = {0.0, 0.0}, way[2];
    bool moved = false;
    if (!find_tangents(f, p, *own, &t) || !misalignment(&t, p, *own, miss))
        return false;
    for (int n = 0; n < slide_steps && way_to_deepest(&t, miss, least, way); ++n)
    {
        const double length = sqrt(way[0] * way[0] + way[1] * way[1]);
        // differences on facets tell curvatures badly, ways tell them well
        p->cut_short = n > 0 && frz_v3_length(frz_v3(at[0] + way[0], at[1] + way[1], 0.0)) > hopeless_slide * spacing;
        if (p->cut_short)
            return true;
        const double share = length > longest_slide * spacing ? longest_slide * spacing / length : 1.0;
        way[0] *= share;
        way[1] *= share;
        const double to[2] = {at[0] + way[0], at[1] + way[1]};
        probe better = *p;
        double after[2];
        const frz_vec3 place = frz_v3_mad(frz_v3_mad(start, to[0], t.along[0]), to[1], t.along[1]);
        const frz_vec3 normal = slide_to(f, place, depth, &better);
        if (!misalignment(&t, &better, normal, after))
            break;
        learn_bends(&t, way, miss, after);
        if (!(better.gap < p->gap))
            continue;
        moved = true;
        *p = better;
        *own = normal;
        for (int k = 0; k < 2; ++k)
        {
            at[k] = to[k];
            miss[k] = after[k];
        }
        if (miss[0] * miss[0] + miss[1] * miss[1] < aligned * aligned)
            break;
    }
    if (moved)
        make_good(f, depth, p, own);
    p->cut_short = frz_v3_length(frz_v3_sub(p->position, start)) > farthest_slide * spacing;
    return moved;
}

/// Along a sharp edge the deepest place is where the slope changes sign: edges that cross touch between points.
static bool slide_edge(const frz_contact_query *f, const probe *from, const frz_contact_point *point, probe *to)
{
    const frz_contact_shape *shape = f->toucher_shape;
    const frz_vec3 edge = frz_v3_normalize(frz_v3_cross(point->normal[0], point->normal[1]));
    double low = -frz_contact_refine_reach * shape->spacing, high = -low;
    frz_vec3 n;
    (void)distance_at(f, frz_v3_mad(from->inset, low, edge), &n);
    const double slope_low = frz_v3_dot(n, edge);
    (void)distance_at(f, frz_v3_mad(from->inset, high, edge), &n);
    const double slope_high = frz_v3_dot(n, edge);
    if (slope_low > -frz_contact_flat_sine || slope_high < frz_contact_flat_sine)
        return false;
    for (int k = 0; k < edge_bisections; ++k)
    {
        const double middle = 0.5 * (low + high);
        (void)distance_at(f, frz_v3_mad(from->inset, middle, edge), &n);
        *(frz_v3_dot(n, edge) < 0.0 ? &low : &high) = middle;
    }
    const double slide = 0.5 * (low + high);
    to->position = frz_v3_mad(from->position, slide, edge);
    to->inset = frz_v3_mad(from->inset, slide, edge);
    look(f, to);
    return true;
}

/// Along a round edge the deepest place is where it runs along the other surface. The slope changes evenly on the way
/// there, or nearly so.
static bool slide_round_edge(const frz_contact_query *f, const probe *from, const frz_contact_point *point, probe *to)
{
    const double spacing = f->toucher_shape->spacing;
    const frz_vec3 along = frz_contact_edge_tangent(point);
    const double depth = frz_v3_length(frz_v3_sub(from->inset, from->position));
    const double slope = frz_v3_dot(from->normal, along);
    double low = 0.0, at_low = slope, way = slope > 0.0 ? -frz_contact_trial * spacing : frz_contact_trial * spacing;
    if (fabs(slope) < frz_contact_flat_sine)
        return false;
    for (int k = 0; k < edge_steps; ++k)
    {
        frz_contact_point there;
        to->cut_short = fabs(way) > longest_slide * spacing;
        if (to->cut_short || !frz_contact_edge_follow(f->toucher_shape, point, way, &there))
            return to->cut_short;
        to->position = there.position;
        to->inset = frz_v3_mad(there.position, -depth, frz_v3_normalize(frz_v3_add(there.normal[0], there.normal[1])));
        look(f, to);
        const double at_way = frz_v3_dot(to->normal, frz_contact_edge_tangent(&there));
        if (fabs(at_way) < frz_contact_flat_sine)
            return true;
        if ((at_way * at_low > 0.0 && fabs(at_way) >= fabs(at_low)) || frz_v3_dot(to->normal, from->normal) < one_face)
            return false; // it gets no flatter, or over an edge
        const double next = way + (way - low) * at_way / (at_low - at_way);
        low = way;
        at_low = at_way;
        way = next;
    }
    return true;
}

/// Points of faces: the normals of the surfaces oppose each other where they touch, so a round one is followed to that
/// place, and a plane or hollow one tells the direction itself, also where the other body has an edge or a corner
/// there.
static bool refine_face(const frz_contact_query *f, const frz_contact_point *point, probe *p)
{
    frz_vec3 own = point->normal[0];
    const bool round = !point->flat && slide_smooth(f, p, &own);
    const double facing = -frz_v3_dot(own, p->normal);
    p->facing = facing;
    if (facing < (round ? facing_round : facing_face) || p->cut_short)
        return false;
    if (!round)
    {
        p->normal = frz_v3_scale(-1.0, own);
        p->gap /= facing;
    }
    return true;
}

/// The inset sees an edge or a corner of the other body at a place of its surface, with a face below. Of both faces at
/// the edge that one counts which the point is further above, or less deep below. Beyond both faces the point enters
/// through the one that it crosses last, if it ends the step inside.
static bool refine_at_edge(const frz_contact_query *f, frz_vec3 surface, frz_vec3 inner, probe *p)
{
    const double spacing = f->touched_shape->spacing, beyond = overhang * spacing;
    const frz_vec3 aside = frz_v3_normalize(frz_v3_mad(p->normal, -frz_v3_dot(inner, p->normal), inner));
    const frz_vec3 depth = frz_v3_sub(p->position, surface);
    frz_vec3 faces[2] = {inner, inner};
    (void)distance_at(
        f, frz_v3_mad(frz_v3_mad(surface, -below * spacing, inner), -aside_share * below * spacing, aside), &faces[1]);
    const double gaps[2] = {frz_v3_dot(faces[0], depth), frz_v3_dot(faces[1], depth)};
    int chosen = gaps[1] > gaps[0];
    if (gaps[1 - chosen] > beyond)
    {
        const frz_vec3 way = relative_way(f, p->position);
        frz_vec3 n;
        if (!f->directed || distance_at(f, frz_v3_add(p->position, way), &n) > 0.0)
            return false;
        const double speeds[2] = {-frz_v3_dot(faces[0], way), -frz_v3_dot(faces[1], way)};
        if (!(speeds[0] > 0.0) || !(speeds[1] > 0.0))
            return false;
        chosen = gaps[1] * speeds[0] > gaps[0] * speeds[1];
        p->enters = true;
    }
    p->gap = gaps[chosen];
    p->normal = faces[chosen];
    return true;
}

/// Points of edges and corners: where edges cross the direction between them is the normal; else it is that of a face
/// of the other body, because its edges against faces of this one are the business of its own points.
static bool refine_sharp(const frz_contact_query *f, const frz_contact_point *point, probe *p)
{
    probe better = *p;
    if (point->round && slide_round_edge(f, p, point, &better))
    {
        if (better.cut_short)
            return false;
        if (better.gap < p->gap)
            *p = better;
    }
    else if (point->normal_count == 2 && f->toucher_shape->dimension == 3 && slide_edge(f, p, point, &better) &&
             better.gap < p->gap)
    {
        *p = better;
        return true;
    }
    // under the inset, not under the point: where faces of two bodies end together that one is at the edge
    const double height = p->gap - frz_v3_dot(p->normal, frz_v3_sub(p->position, p->inset));
    const frz_vec3 surface = frz_v3_mad(p->inset, -height, p->normal);
    frz_vec3 inner;
    (void)distance_at(f, frz_v3_mad(surface, -below * f->touched_shape->spacing, p->normal), &inner);
    return frz_v3_dot(inner, p->normal) >= edge_cosine || refine_at_edge(f, surface, inner, p);
}

/// The touched surface must really be there, not only its continuation beyond an edge.
static bool is_supported(const frz_contact_query *f, const probe *p)
{
    const frz_contact_shape *touched = f->touched_shape;
    frz_vec3 n;
    const double beyond = distance_at(f, frz_v3_mad(p->position, -p->gap, p->normal), &n);
    return beyond <= overhang * touched->spacing;
}

bool frz_contact_touch(const frz_contact_query *query, int point, frz_contact *contact)
{
    const frz_contact_point *own = &query->toucher_shape->points[point];
    probe p = {.position = own->position, .inset = own->inset, .facing = 1.0};
    look(query, &p);
    contact->gap = p.gap - frz_v3_dot(p.normal, frz_v3_sub(p.position, p.inset));
    if (best_facing(own, p.normal) < facing_least)
        return false;
    const double slide = frz_contact_refine_reach * query->toucher_shape->spacing;
    double margin = margin_along(query, p.position, p.normal);
    for (int k = 0; k < own->normal_count && query->directed && !own->flat; ++k) // the normal may come to oppose these
        margin = fmax(margin, margin_along(query, p.position, frz_v3_scale(-1.0, own->normal[k])));
    if (!(p.gap <= margin) && !(p.gap <= margin + slide * steepness(own, p.normal)))
        return false;
    const probe found = p;
    if (!(own->normal_count > 1 ? refine_sharp(query, own, &p) : refine_face(query, own, &p)))
    { // another point is deeper, unless none can slide there. Trust the normal while the inset is still outside.
        if (found.gap > -kept_overlap * query->toucher_shape->spacing || contact->gap < 0.0)
            return false;
        p = found;
        p.facing = best_facing(own, p.normal);
    }
    if (!(p.gap <= margin_along(query, p.position, p.normal)) || best_facing(own, p.normal) < facing_least ||
        (!p.enters && !is_supported(query, &p)))
        return false;
    const frz_contact_shape *toucher_shape = query->toucher_shape, *touched_shape = query->touched_shape;
    contact->axis = frz_v3_normalize(frz_contact_shape_to_body(touched_shape, frz_m3_apply(query->turn, p.normal)));
    contact->normal = frz_quat_rotate(query->touched->rotation, contact->axis);
    // half way between the surfaces: the same place whichever body's point it is
    const frz_vec3 middle = frz_v3_mad(p.position, -0.5 * p.gap, p.normal);
    contact->place = frz_rigid_body_to_world(query->toucher, frz_contact_shape_to_body(toucher_shape, middle));
    contact->gap = p.gap;
    contact->facing = p.facing;
    contact->anchor[0] = frz_contact_shape_to_body(toucher_shape, p.position);
    const frz_vec3 touched = frz_v3_mad(p.position, -p.gap, p.normal);
    contact->anchor[1] = frz_contact_shape_to_body(touched_shape, frz_contact_query_carry(query, touched));
    return true;
}
