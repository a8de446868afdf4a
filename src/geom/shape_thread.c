// SPDX-License-Identifier: MIT
// A screw thread: the solid r < R(z - k theta) around an axis, k = pitch / 2 pi, between two planes. R is the trapezium
// of ISO 68-1: flanks at 60 degrees to each other, crests an eighth of a pitch wide, cut off at the depth.
//
// The distance. At an angle delta away from a point the half plane through the axis holds the profile, shifted by k
// delta, and the point is r sin(delta) off it; so the distance to the helical surface is the least, over delta, of
//     D(delta)^2 = (r sin delta)^2 + d(z - k (theta + delta), r cos delta)^2
// with d the distance to the profile in the plane. By Newton's method from delta = 0; near the surface delta is small.
#include "geom/shape_internal.h"

static const double pi = 3.14159265358979323846;
static const double flank_slope = 0.57735026918962576451; ///< tan 30 degrees: axial run of a flank per depth
static const double flank_shift =
    0.57735026918962576451; ///< 1 / cos 30 - tan 30 degrees: shift of a crest per shift of a flank
static const double flank_cosine = 0.86602540378443864676; ///< cos 30 degrees
static const double crest_share = 0.125;                   ///< of the pitch (ISO 68-1)
static const double iso_depth = 0.54126587736527415; ///< 5/8 of the height of the sharp triangle, in pitches (ISO 68-1)
static const double converged = 1.0e-7;              ///< rad; Newton's method squares the error
static const double on_surface = 1.0e-12;            ///< distances in pitches below which a direction is noise

enum
{
    newton_steps = 3 ///< leave 1e-7 of the distance within a quarter pitch of the surface (tests)
};

/// The nearest point of the profile to a point of the half plane.
typedef struct nearest
{
    double along, across; ///< from the profile to the point: along the axis, away from it
    double radius;        ///< of the point on the profile
    double normal_along;  ///< of the profile there
    double normal_across;
    bool corner; ///< it is a corner of the profile
} nearest;

/// Nearest point of the profile, which is symmetric about the middle of a crest and of a root.
static nearest find_nearest(const frz_shape_thread_data *t, double u, double r)
{
    u -= t->pitch * round(u / t->pitch);
    const double sign = u < 0.0 ? -1.0 : 1.0, from = fabs(u) - t->crest; // from the corner of the crest
    const double depth = t->major - t->minor, run = flank_slope * depth;
    const nearest crest = {from > 0.0 ? from : 0.0, r - t->major, t->major, 0.0, 1.0, from > 0.0};
    const nearest root = {from < run ? from - run : 0.0, r - t->minor, t->minor, 0.0, 1.0, from < run};
    // the flank falls from (0, major) by 1 / flank_slope: direction (1/2, -sqrt(3)/2), normal (sqrt(3)/2, 1/2)
    const double way = 0.5 * from - flank_cosine * (r - t->major), length = depth / flank_cosine;
    const double held = way < 0.0 ? 0.0 : way > length ? length : way;
    const nearest flank = {
        from - 0.5 * held, r - t->major + flank_cosine * held, t->major - flank_cosine * held, flank_cosine, 0.5,
        held != way};
    nearest best = crest;
    if (root.along * root.along + root.across * root.across < best.along * best.along + best.across * best.across)
        best = root;
    if (flank.along * flank.along + flank.across * flank.across <= best.along * best.along + best.across * best.across)
        best = flank;
    best.along *= sign;
    best.normal_along *= sign;
    return best;
}

static double profile_radius(const frz_shape_thread_data *t, double u)
{
    u = fabs(u - t->pitch * round(u / t->pitch));
    return fmax(fmin(t->major - (u - t->crest) / flank_slope, t->major), t->minor);
}

/// A point in cylinder coordinates of the thread.
typedef struct cylindrical
{
    double r, z, theta;
    frz_vec3 outward, around; ///< unit vectors there
} cylindrical;

static cylindrical locate(const frz_shape_thread_data *t, frz_vec3 point)
{
    const frz_vec3 d = frz_v3_sub(point, t->from);
    const double x = frz_v3_dot(d, t->side), y = frz_v3_dot(d, t->other);
    cylindrical c = {.r = sqrt(x * x + y * y), .z = frz_v3_dot(d, t->axis), .theta = atan2(y, x)};
    const double cosine = c.r > 0.0 ? x / c.r : 1.0, sine = c.r > 0.0 ? y / c.r : 0.0;
    c.outward = frz_v3_mad(frz_v3_scale(cosine, t->side), sine, t->other);
    c.around = frz_v3_mad(frz_v3_scale(-sine, t->side), cosine, t->other);
    return c;
}

/// Distance to the helical surface, and its gradient if it is wanted.
static double helix_distance(const frz_shape_thread_data *t, const cylindrical *c, frz_vec3 *normal)
{
    if (normal != NULL)
        *normal = c->outward;
    if (c->r > t->major + t->pitch) // far away bounds will do
        return c->r - t->major;
    if (c->r < t->minor - t->pitch)
        return c->r - t->minor;
    const double k = t->pitch / (2.0 * pi), start = c->z - k * c->theta;
    double delta = 0.0, sine = 0.0, cosine = 1.0;
    nearest n = find_nearest(t, start, c->r);
    const double direct = sqrt(n.along * n.along + n.across * n.across);
    for (int step = 0; step < newton_steps; ++step)
    {
        const double weight = n.corner ? 1.0 : n.normal_along * n.normal_along;
        const double slope = c->r * n.radius * sine - k * n.along;
        const double change = slope / (c->r * n.radius * cosine + k * k * weight);
        delta -= change;
        delta = delta < -1.0 ? -1.0 : delta > 1.0 ? 1.0 : delta;
        sincos(delta, &sine, &cosine);
        n = find_nearest(t, start - k * delta, c->r * cosine);
        if (fabs(change) < converged)
            break;
    }
    const double off = -c->r * sine;
    const double distance = fmin(sqrt(n.along * n.along + n.across * n.across + off * off), direct);
    const double sign = c->r < profile_radius(t, start) ? -1.0 : 1.0;
    if (normal == NULL)
        return sign * distance;
    const frz_vec3 out = frz_v3_mad(frz_v3_scale(cosine, c->outward), sine, c->around);
    const frz_vec3 around = frz_v3_mad(frz_v3_scale(cosine, c->around), -sine, c->outward);
    if (distance > on_surface * t->pitch)
        *normal =
            frz_v3_scale(sign, frz_v3_mad(frz_v3_mad(frz_v3_scale(n.across, out), off, around), n.along, t->axis));
    else
        *normal = frz_v3_mad(frz_v3_mad(frz_v3_scale(n.normal_across, out), n.normal_along, t->axis),
                             -n.normal_along * k / n.radius, around);
    *normal = frz_v3_normalize(*normal);
    return sign * distance;
}

/// Intersection with the planes at the ends, and with the cones of the chamfers.
static double thread_gradient(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal)
{
    const frz_shape_thread_data *t = &shape->u.thread;
    const cylindrical c = locate(t, point);
    double distance = helix_distance(t, &c, normal);
    for (int end = 0; end < 2; ++end)
    {
        const double inward = end == 0 ? c.z : t->length - c.z;
        const frz_vec3 out = frz_v3_scale(end == 0 ? -1.0 : 1.0, t->axis);
        const double cone = t->chamfer > 0.0 ? sqrt(0.5) * (c.r - inward - (t->major - t->chamfer)) : -HUGE_VAL;
        if (-inward > distance && normal != NULL)
            *normal = out;
        distance = fmax(distance, -inward);
        if (cone > distance && normal != NULL)
            *normal = frz_v3_scale(sqrt(0.5), frz_v3_add(out, c.outward));
        distance = fmax(distance, cone);
    }
    return distance;
}

static double thread_distance(const frz_shape *shape, frz_vec3 point)
{
    return thread_gradient(shape, point, NULL);
}

static frz_bounds thread_bounds(const frz_shape *shape)
{
    const frz_shape_thread_data *t = &shape->u.thread;
    const frz_vec3 to = frz_v3_mad(t->from, t->length, t->axis);
    frz_bounds bounds;
    for (int k = 0; k < 3; ++k)
    {
        const double cosine = frz_v3_get(t->axis, k), reach = t->major * sqrt(fmax(0.0, 1.0 - cosine * cosine));
        const double a = frz_v3_get(t->from, k), b = frz_v3_get(to, k);
        frz_v3_set(&bounds.min, k, fmin(a, b) - reach);
        frz_v3_set(&bounds.max, k, fmax(a, b) + reach);
    }
    return bounds;
}

/// Every section across the axis has the area pi <R^2>: a turn passes the whole profile.
static double thread_volume(const frz_shape *shape, int dimension)
{
    const frz_shape_thread_data *t = &shape->u.thread;
    if (dimension == 2 || t->chamfer > 0.0)
        return -1.0;
    const double run = flank_slope * (t->major - t->minor), root = 0.5 * t->pitch - t->crest - run;
    const double flank = (t->major * t->major + t->major * t->minor + t->minor * t->minor) / 3.0;
    const double half = t->crest * t->major * t->major + run * flank + root * t->minor * t->minor;
    return pi * t->length * 2.0 * half / t->pitch;
}

static double thread_area(const frz_shape *shape, int dimension, frz_bounds window)
{
    const frz_shape_thread_data *t = &shape->u.thread;
    const double depth = t->major - t->minor, run = flank_slope * depth;
    const double tilt = hypot(1.0, t->pitch / (2.0 * pi * t->minor));
    const double profile = 2.0 * t->crest + (t->pitch - 2.0 * t->crest - 2.0 * run) + 2.0 * tilt * hypot(depth, run);
    if (dimension == 2) // a section through the axis has a profile on either side; others have less
        return 2.0 * (profile / t->pitch * t->length + 2.0 * t->major +
                      frz_v3_length(frz_v3_sub(frz_v3(window.max.x, window.max.y, 0.0),
                                               frz_v3(window.min.x, window.min.y, 0.0))));
    return 2.0 * pi * t->major * (t->length * profile / t->pitch + t->major);
}

const frz_shape_class frz_shape_class_thread = {.name = "thread",
                                                .distance = thread_distance,
                                                .gradient = thread_gradient,
                                                .bounds = thread_bounds,
                                                .volume = thread_volume,
                                                .area = thread_area};

static frz_status check_def(const frz_thread_def *def, double depth, double crest, frz_diag *diag)
{
    if (!(frz_v3_is_finite(def->from) && frz_v3_is_finite(def->to) &&
          frz_v3_length(frz_v3_sub(def->to, def->from)) > 0.0))
        return frz_fail(diag, FRZ_ERR_SCENE, "thread: its ends from and to must be two different points");
    if (!(def->radius > 0.0 && def->pitch > 0.0 && def->depth >= 0.0 && def->clearance >= 0.0 && def->chamfer >= 0.0 &&
          isfinite(def->radius + def->pitch + def->clearance)))
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "thread: radius and pitch must be above 0, depth, clearance and chamfer not below 0");
    if (!(depth < def->radius) || !(def->chamfer < def->radius + def->clearance))
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "thread: depth (%g m) and chamfer (%g m) must be less than the radius (%g m)", depth,
                        def->chamfer, def->radius);
    if (!(2.0 * (crest + flank_slope * depth) < def->pitch))
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "thread: at a pitch of %g m there is no room for a depth of %g m with a clearance of %g m; "
                        "take less of them, or a larger pitch",
                        def->pitch, depth, def->clearance);
    return FRZ_OK;
}

frz_status frz_shape_thread(const frz_thread_def *def, frz_shape **out, frz_diag *diag)
{
    *out = NULL;
    const double depth = def->depth > 0.0 ? def->depth : iso_depth * def->pitch;
    // all faces moved outwards by the clearance: crests grow wider
    const double crest = 0.5 * crest_share * def->pitch + flank_shift * def->clearance;
    FRZ_TRY(check_def(def, depth, crest, diag));
    frz_shape *shape = frz_shape_new(FRZ_SHAPE_THREAD, 0);
    if (shape == NULL)
        return frz_fail_memory(diag, "a shape");
    frz_shape_thread_data *t = &shape->u.thread;
    const frz_vec3 line = frz_v3_sub(def->to, def->from);
    t->from = def->from;
    t->axis = frz_v3_normalize(line);
    t->length = frz_v3_length(line);
    const frz_vec3 helper = fabs(t->axis.y) < 0.9 ? frz_v3(0.0, 1.0, 0.0) : frz_v3(0.0, 0.0, 1.0);
    t->side = frz_v3_normalize(frz_v3_cross(helper, t->axis));
    t->other = frz_v3_cross(t->axis, t->side);
    t->pitch = def->pitch;
    t->major = def->radius + def->clearance;
    t->minor = t->major - depth;
    t->crest = crest;
    t->chamfer = def->chamfer;
    frz_shape_finish(shape);
    *out = shape;
    return FRZ_OK;
}
