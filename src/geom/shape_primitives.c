// SPDX-License-Identifier: MIT
// Boxes, round primitives and half spaces: constructors, exact signed distances, bounds, volumes and surfaces.
#include "geom/shape_internal.h"

static const double pi = 3.14159265358979323846;
static const double touching = 1.0e-12; ///< distances in sizes of the shape below which their direction is noise

// ---- box

static double box_distance(const frz_shape *shape, frz_vec3 point)
{
    return frz_box_distance(shape->u.box.min, shape->u.box.max, point);
}

static double box_gradient(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal)
{
    const frz_vec3 min = shape->u.box.min, max = shape->u.box.max;
    frz_vec3 beyond = {0.0, 0.0, 0.0}; // outside: from the nearest point of the box
    double deepest = -HUGE_VAL;
    int nearest = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        const double below = frz_v3_get(min, axis) - frz_v3_get(point, axis);
        const double above = frz_v3_get(point, axis) - frz_v3_get(max, axis);
        const double depth = frz_larger(below, above);
        frz_v3_set(&beyond, axis, depth > 0.0 ? copysign(depth, above - below) : 0.0);
        if (depth > deepest)
        {
            deepest = depth;
            nearest = above > below ? axis : axis + 3;
        }
    }
    if (deepest > 0.0)
    {
        *normal = frz_v3_normalize(beyond);
        return frz_v3_length(beyond);
    }
    *normal = frz_v3(0.0, 0.0, 0.0);
    frz_v3_set(normal, nearest % 3, nearest < 3 ? 1.0 : -1.0);
    return deepest;
}

static frz_bounds box_bounds(const frz_shape *shape)
{
    const frz_bounds bounds = {shape->u.box.min, shape->u.box.max};
    return bounds;
}

static double box_volume(const frz_shape *shape, int dimension)
{
    const frz_vec3 d = frz_v3_sub(shape->u.box.max, shape->u.box.min);
    if (dimension == 2)
        return shape->u.box.min.z <= 0.0 && shape->u.box.max.z >= 0.0 ? d.x * d.y : 0.0;
    return d.x * d.y * d.z;
}

static double bounds_area(frz_bounds bounds, int dimension)
{
    const frz_vec3 d = frz_v3_sub(bounds.max, bounds.min);
    return dimension == 2 ? 2.0 * (d.x + d.y) : 2.0 * (d.x * d.y + d.y * d.z + d.z * d.x);
}

static double box_area(const frz_shape *shape, int dimension, frz_bounds window)
{
    (void)shape; // window lies inside the bounds, which are the box
    return bounds_area(window, dimension);
}

const frz_shape_class frz_shape_class_box = {.name = "box",
                                             .distance = box_distance,
                                             .gradient = box_gradient,
                                             .bounds = box_bounds,
                                             .volume = box_volume,
                                             .area = box_area};

static frz_status make(frz_shape_kind kind, frz_shape **out, frz_diag *diag)
{
    *out = frz_shape_new(kind, 0);
    return *out != NULL ? FRZ_OK : frz_fail_memory(diag, "a shape");
}

frz_status frz_shape_box(frz_vec3 min, frz_vec3 max, frz_shape **out, frz_diag *diag)
{
    *out = NULL;
    if (!(min.x < max.x && min.y < max.y && min.z < max.z))
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "box: min must be below max on every axis, got min (%g, %g, %g) and max (%g, %g, %g)", min.x,
                        min.y, min.z, max.x, max.y, max.z);
    FRZ_TRY(make(FRZ_SHAPE_BOX, out, diag));
    (*out)->u.box.min = min;
    (*out)->u.box.max = max;
    frz_shape_finish(*out);
    return FRZ_OK;
}

// ---- sphere

static double sphere_distance(const frz_shape *shape, frz_vec3 point)
{
    return frz_v3_length(frz_v3_sub(point, shape->u.round.a)) - shape->u.round.radius_a;
}

static double sphere_gradient(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal)
{
    *normal = frz_v3_normalize(frz_v3_sub(point, shape->u.round.a));
    return sphere_distance(shape, point);
}

static frz_bounds sphere_bounds(const frz_shape *shape)
{
    const frz_bounds center = {shape->u.round.a, shape->u.round.a};
    return frz_bounds_grow(center, shape->u.round.radius_a);
}

/// Squared radius of the circle in which the sphere meets z = 0.
static double section_radius2(const frz_shape *shape)
{
    const frz_shape_round_data *s = &shape->u.round;
    return fmax(0.0, s->radius_a * s->radius_a - s->a.z * s->a.z);
}

static double sphere_volume(const frz_shape *shape, int dimension)
{
    const double r = shape->u.round.radius_a;
    return dimension == 2 ? pi * section_radius2(shape) : 4.0 / 3.0 * pi * r * r * r;
}

static double sphere_area(const frz_shape *shape, int dimension, frz_bounds window)
{
    (void)window;
    const double r = shape->u.round.radius_a;
    return dimension == 2 ? 2.0 * pi * sqrt(section_radius2(shape)) : 4.0 * pi * r * r;
}

const frz_shape_class frz_shape_class_sphere = {.name = "sphere",
                                                .distance = sphere_distance,
                                                .gradient = sphere_gradient,
                                                .bounds = sphere_bounds,
                                                .volume = sphere_volume,
                                                .area = sphere_area};

static frz_status check_length(const char *kind, const char *what, double value, frz_diag *diag)
{
    if (isfinite(value) && value > 0.0)
        return FRZ_OK;
    return frz_fail(diag, FRZ_ERR_SCENE, "%s: %s must be a number > 0, got %g", kind, what, value);
}

static frz_status check_point(const char *kind, const char *what, frz_vec3 point, frz_diag *diag)
{
    if (frz_v3_is_finite(point))
        return FRZ_OK;
    return frz_fail(diag, FRZ_ERR_SCENE, "%s: %s must be three finite numbers, got (%g, %g, %g)", kind, what, point.x,
                    point.y, point.z);
}

frz_status frz_shape_sphere(frz_vec3 center, double radius, frz_shape **out, frz_diag *diag)
{
    *out = NULL;
    FRZ_TRY(check_point("sphere", "center", center, diag));
    FRZ_TRY(check_length("sphere", "radius", radius, diag));
    FRZ_TRY(make(FRZ_SHAPE_SPHERE, out, diag));
    (*out)->u.round.a = center;
    (*out)->u.round.radius_a = radius;
    frz_shape_finish(*out);
    return FRZ_OK;
}

// ---- shapes along an axis

/// Position along the axis (from a) and distance from it.
static void axial(const frz_shape_round_data *s, frz_vec3 point, double *along, double *radial)
{
    const frz_vec3 d = frz_v3_sub(point, s->a);
    *along = frz_v3_dot(d, s->axis);
    *radial = frz_v3_length(frz_v3_mad(d, -*along, s->axis));
}

/// Away from the axis; any way across it for points on the axis.
static frz_vec3 outward(const frz_shape_round_data *s, frz_vec3 point)
{
    const frz_vec3 d = frz_v3_sub(point, s->a);
    const frz_vec3 across = frz_v3_mad(d, -frz_v3_dot(d, s->axis), s->axis);
    if (frz_v3_length(across) > 0.0)
        return frz_v3_normalize(across);
    const frz_vec3 helper = fabs(s->axis.x) < 0.9 ? frz_v3(1.0, 0.0, 0.0) : frz_v3(0.0, 1.0, 0.0);
    return frz_v3_normalize(frz_v3_cross(s->axis, helper));
}

/// A point of the half plane (r, y) relative to the nearest point of a segment.
typedef struct offset
{
    double r, y, squared;
    double normal_r, normal_y; ///< of the segment, outwards
} offset;

static inline offset make_offset(double r, double y, double normal_r, double normal_y)
{
    return (offset){r, y, r * r + y * y, normal_r, normal_y};
}

/// Cylinders and cones: the distance to the trapezium (0,0) (ra,0) (rb,length) (0,length) in the half plane (r, y).
static double cone_nearest(const frz_shape_round_data *s, double r, double y, offset *best)
{
    const double beyond_a = r - s->radius_a, beyond_b = r - s->radius_b, above = y - s->length;
    const offset top = make_offset(frz_larger(beyond_b, 0.0), above, 0.0, 1.0);
    double along = beyond_a * s->slant_r + y * s->slant_y;
    along = along < 0.0 ? 0.0 : along > s->slant ? s->slant : along;
    const offset side = make_offset(beyond_a - along * s->slant_r, y - along * s->slant_y, s->slant_y, -s->slant_r);
    *best = make_offset(frz_larger(beyond_a, 0.0), y, 0.0, -1.0);
    if (side.squared < best->squared)
        *best = side;
    if (top.squared < best->squared)
        *best = top;
    const double distance = sqrt(best->squared);
    const bool inside = y > 0.0 && above < 0.0 && beyond_a * s->slant_y < y * s->slant_r;
    return inside ? -distance : distance;
}

static double cone_distance(const frz_shape *shape, frz_vec3 point)
{
    double y, r;
    offset best;
    axial(&shape->u.round, point, &y, &r);
    return cone_nearest(&shape->u.round, r, y, &best);
}

static double cone_gradient(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal)
{
    const frz_shape_round_data *s = &shape->u.round;
    const frz_vec3 d = frz_v3_sub(point, s->a);
    const double y = frz_v3_dot(d, s->axis);
    const frz_vec3 across = frz_v3_mad(d, -y, s->axis);
    const double r = frz_v3_length(across);
    offset best;
    const double distance = cone_nearest(s, r, y, &best);
    const bool touches = fabs(distance) < touching * shape->size;
    const double share = touches ? 1.0 : 1.0 / distance; // makes the offset from the nearest point a unit vector
    const double out = touches ? best.normal_r : share * best.r, up = touches ? best.normal_y : share * best.y;
    *normal = r > 0.0 ? frz_v3_mad(frz_v3_scale(out / r, across), up, s->axis)
                      : frz_v3_mad(frz_v3_scale(out, outward(s, point)), up, s->axis);
    return distance;
}

/// Half extents along the axes of a flat disk of unit radius across axis.
static frz_vec3 disk_extent(frz_vec3 axis)
{
    return frz_v3(sqrt(fmax(0.0, 1.0 - axis.x * axis.x)), sqrt(fmax(0.0, 1.0 - axis.y * axis.y)),
                  sqrt(fmax(0.0, 1.0 - axis.z * axis.z)));
}

static frz_bounds hull(frz_bounds a, frz_bounds b)
{
    const frz_bounds both = {{fmin(a.min.x, b.min.x), fmin(a.min.y, b.min.y), fmin(a.min.z, b.min.z)},
                             {fmax(a.max.x, b.max.x), fmax(a.max.y, b.max.y), fmax(a.max.z, b.max.z)}};
    return both;
}

static frz_bounds cone_bounds(const frz_shape *shape)
{
    const frz_shape_round_data *s = &shape->u.round;
    const frz_vec3 e = disk_extent(s->axis);
    const frz_bounds a = {frz_v3_mad(s->a, -s->radius_a, e), frz_v3_mad(s->a, s->radius_a, e)};
    const frz_bounds b = {frz_v3_mad(s->b, -s->radius_b, e), frz_v3_mad(s->b, s->radius_b, e)};
    return hull(a, b);
}

static double cone_volume(const frz_shape *shape, int dimension)
{
    const frz_shape_round_data *s = &shape->u.round;
    if (dimension == 2)
        return -1.0;
    return pi / 3.0 * s->length * (s->radius_a * s->radius_a + s->radius_a * s->radius_b + s->radius_b * s->radius_b);
}

static double cone_area(const frz_shape *shape, int dimension, frz_bounds window)
{
    if (dimension == 2) // the section of a convex body has a shorter outline than the rectangle around it
        return bounds_area(window, 2);
    const frz_shape_round_data *s = &shape->u.round;
    const double slant = hypot(s->length, s->radius_a - s->radius_b);
    return pi * (s->radius_a + s->radius_b) * slant + pi * (s->radius_a * s->radius_a + s->radius_b * s->radius_b);
}

const frz_shape_class frz_shape_class_cylinder = {.name = "cylinder",
                                                  .distance = cone_distance,
                                                  .gradient = cone_gradient,
                                                  .bounds = cone_bounds,
                                                  .volume = cone_volume,
                                                  .area = cone_area};
const frz_shape_class frz_shape_class_cone = {.name = "cone",
                                              .distance = cone_distance,
                                              .gradient = cone_gradient,
                                              .bounds = cone_bounds,
                                              .volume = cone_volume,
                                              .area = cone_area};

/// Ends and their radii are known: finish a cylinder or a cone.
static void finish_cone(frz_shape *shape, double radius_a, double radius_b)
{
    frz_shape_round_data *s = &shape->u.round;
    s->radius_a = radius_a;
    s->radius_b = radius_b;
    s->slant = hypot(radius_b - radius_a, s->length);
    s->slant_r = (radius_b - radius_a) / s->slant;
    s->slant_y = s->length / s->slant;
    frz_shape_finish(shape);
}

static frz_status make_axial(frz_shape_kind kind, frz_vec3 a, frz_vec3 b, frz_shape **out, frz_diag *diag)
{
    const char *name = kind == FRZ_SHAPE_CYLINDER ? "cylinder" : kind == FRZ_SHAPE_CAPSULE ? "capsule" : "cone";
    FRZ_TRY(check_point(name, "end a", a, diag));
    FRZ_TRY(check_point(name, "end b", b, diag));
    const double length = frz_v3_length(frz_v3_sub(b, a));
    if (!(length > 0.0))
        return frz_fail(diag, FRZ_ERR_SCENE, "%s: its ends a and b are the same point (%g, %g, %g)", name, a.x, a.y,
                        a.z);
    FRZ_TRY(make(kind, out, diag));
    frz_shape_round_data *s = &(*out)->u.round;
    s->a = a;
    s->b = b;
    s->axis = frz_v3_normalize(frz_v3_sub(b, a));
    s->length = length;
    return FRZ_OK;
}

frz_status frz_shape_cylinder(frz_vec3 a, frz_vec3 b, double radius, frz_shape **out, frz_diag *diag)
{
    *out = NULL;
    FRZ_TRY(check_length("cylinder", "radius", radius, diag));
    FRZ_TRY(make_axial(FRZ_SHAPE_CYLINDER, a, b, out, diag));
    finish_cone(*out, radius, radius);
    return FRZ_OK;
}

frz_status frz_shape_cone(frz_vec3 a, frz_vec3 b, double radius_a, double radius_b, frz_shape **out, frz_diag *diag)
{
    *out = NULL;
    if (!(radius_a >= 0.0 && radius_b >= 0.0 && radius_a + radius_b > 0.0 && isfinite(radius_a + radius_b)))
        return frz_fail(diag, FRZ_ERR_SCENE, "cone: its radii must be >= 0 and not both 0, got %g and %g", radius_a,
                        radius_b);
    FRZ_TRY(make_axial(FRZ_SHAPE_CONE, a, b, out, diag));
    finish_cone(*out, radius_a, radius_b);
    return FRZ_OK;
}

static double capsule_distance(const frz_shape *shape, frz_vec3 point)
{
    const frz_shape_round_data *s = &shape->u.round;
    const double along = frz_v3_dot(frz_v3_sub(point, s->a), s->axis);
    const frz_vec3 nearest = frz_v3_mad(s->a, fmin(fmax(along, 0.0), s->length), s->axis);
    return frz_v3_length(frz_v3_sub(point, nearest)) - s->radius_a;
}

static double capsule_gradient(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal)
{
    const frz_shape_round_data *s = &shape->u.round;
    const double along = frz_v3_dot(frz_v3_sub(point, s->a), s->axis);
    const frz_vec3 away = frz_v3_sub(point, frz_v3_mad(s->a, fmin(fmax(along, 0.0), s->length), s->axis));
    const double length = frz_v3_length(away);
    *normal = length > 0.0 ? frz_v3_scale(1.0 / length, away) : outward(s, point);
    return length - s->radius_a;
}

static frz_bounds capsule_bounds(const frz_shape *shape)
{
    const frz_shape_round_data *s = &shape->u.round;
    const frz_bounds a = {s->a, s->a};
    const frz_bounds b = {s->b, s->b};
    return frz_bounds_grow(hull(a, b), s->radius_a);
}

static double capsule_volume(const frz_shape *shape, int dimension)
{
    const frz_shape_round_data *s = &shape->u.round;
    const double r = s->radius_a;
    return dimension == 2 ? -1.0 : pi * r * r * (s->length + 4.0 / 3.0 * r);
}

static double capsule_area(const frz_shape *shape, int dimension, frz_bounds window)
{
    const frz_shape_round_data *s = &shape->u.round;
    return dimension == 2 ? bounds_area(window, 2) : 2.0 * pi * s->radius_a * (s->length + 2.0 * s->radius_a);
}

const frz_shape_class frz_shape_class_capsule = {.name = "capsule",
                                                 .distance = capsule_distance,
                                                 .gradient = capsule_gradient,
                                                 .bounds = capsule_bounds,
                                                 .volume = capsule_volume,
                                                 .area = capsule_area};

frz_status frz_shape_capsule(frz_vec3 a, frz_vec3 b, double radius, frz_shape **out, frz_diag *diag)
{
    *out = NULL;
    FRZ_TRY(check_length("capsule", "radius", radius, diag));
    FRZ_TRY(make_axial(FRZ_SHAPE_CAPSULE, a, b, out, diag));
    finish_cone(*out, radius, radius);
    return FRZ_OK;
}

// ---- torus

static double torus_distance(const frz_shape *shape, frz_vec3 point)
{
    const frz_shape_round_data *s = &shape->u.round;
    double along;
    double radial;
    axial(s, point, &along, &radial);
    const double beyond = radial - s->radius_a;
    return sqrt(beyond * beyond + along * along) - s->radius_b;
}

static double torus_gradient(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal)
{
    const frz_shape_round_data *s = &shape->u.round;
    const frz_vec3 d = frz_v3_sub(point, s->a);
    const double along = frz_v3_dot(d, s->axis);
    const frz_vec3 across = frz_v3_mad(d, -along, s->axis);
    const double radial = frz_v3_length(across), beyond = radial - s->radius_a;
    const double length = sqrt(beyond * beyond + along * along);
    const frz_vec3 out = radial > 0.0 ? frz_v3_scale(1.0 / radial, across) : outward(s, point);
    const frz_vec3 away = frz_v3_mad(frz_v3_scale(beyond, out), along, s->axis);
    *normal = length > 0.0 ? frz_v3_scale(1.0 / length, away) : s->axis;
    return length - s->radius_b;
}

static frz_bounds torus_bounds(const frz_shape *shape)
{
    const frz_shape_round_data *s = &shape->u.round;
    const frz_vec3 e = disk_extent(s->axis);
    const frz_bounds ring = {frz_v3_mad(s->a, -s->radius_a, e), frz_v3_mad(s->a, s->radius_a, e)};
    return frz_bounds_grow(ring, s->radius_b);
}

static double torus_volume(const frz_shape *shape, int dimension)
{
    const frz_shape_round_data *s = &shape->u.round;
    return dimension == 2 ? -1.0 : 2.0 * pi * pi * s->radius_a * s->radius_b * s->radius_b;
}

static double torus_area(const frz_shape *shape, int dimension, frz_bounds window)
{
    const frz_shape_round_data *s = &shape->u.round;
    // the section may be a ring: two outlines, each shorter than the rectangle around the shape
    return dimension == 2 ? 2.0 * bounds_area(window, 2) : 4.0 * pi * pi * s->radius_a * s->radius_b;
}

const frz_shape_class frz_shape_class_torus = {.name = "torus",
                                               .distance = torus_distance,
                                               .gradient = torus_gradient,
                                               .bounds = torus_bounds,
                                               .volume = torus_volume,
                                               .area = torus_area};

frz_status frz_shape_torus(frz_vec3 center, frz_vec3 axis, double major, double minor, frz_shape **out, frz_diag *diag)
{
    *out = NULL;
    FRZ_TRY(check_point("torus", "center", center, diag));
    FRZ_TRY(check_length("torus", "major radius", major, diag));
    FRZ_TRY(check_length("torus", "minor radius", minor, diag));
    FRZ_TRY(check_length("torus", "length of the axis", frz_v3_length(axis), diag));
    if (minor >= major)
        return frz_fail(diag, FRZ_ERR_SCENE, "torus: the minor radius must be below the major radius, got %g and %g",
                        minor, major);
    FRZ_TRY(make(FRZ_SHAPE_TORUS, out, diag));
    frz_shape_round_data *s = &(*out)->u.round;
    s->a = center;
    s->axis = frz_v3_normalize(axis);
    s->radius_a = major;
    s->radius_b = minor;
    frz_shape_finish(*out);
    return FRZ_OK;
}

// ---- half space

static double half_space_distance(const frz_shape *shape, frz_vec3 point)
{
    return frz_v3_dot(frz_v3_sub(point, shape->u.round.a), shape->u.round.axis);
}

static double half_space_gradient(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal)
{
    *normal = shape->u.round.axis;
    return half_space_distance(shape, point);
}

static frz_bounds half_space_bounds(const frz_shape *shape)
{
    frz_bounds bounds = frz_bounds_infinite();
    for (int axis = 0; axis < 3; ++axis)
    {
        const double n = frz_v3_get(shape->u.round.axis, axis);
        if (n == 1.0)
            frz_v3_set(&bounds.max, axis, frz_v3_get(shape->u.round.a, axis));
        if (n == -1.0)
            frz_v3_set(&bounds.min, axis, frz_v3_get(shape->u.round.a, axis));
    }
    return bounds;
}

static double half_space_volume(const frz_shape *shape, int dimension)
{
    (void)shape;
    (void)dimension;
    return HUGE_VAL;
}

/// Along each axis the plane inside the window is at most the window's face over the cosine of the slope.
static double half_space_area(const frz_shape *shape, int dimension, frz_bounds window)
{
    const frz_vec3 n = shape->u.round.axis;
    const frz_vec3 d = frz_v3_sub(window.max, window.min);
    double best = HUGE_VAL;
    for (int axis = 0; axis < dimension; ++axis)
    {
        const double cosine = fabs(frz_v3_get(n, axis));
        const double other = frz_v3_get(d, (axis + 1) % dimension);
        const double face = dimension == 2 ? other : other * frz_v3_get(d, (axis + 2) % 3);
        if (cosine > 0.0)
            best = fmin(best, face / cosine);
    }
    return best;
}

const frz_shape_class frz_shape_class_half_space = {.name = "half space",
                                                    .distance = half_space_distance,
                                                    .bounds = half_space_bounds,
                                                    .gradient = half_space_gradient,
                                                    .volume = half_space_volume,
                                                    .area = half_space_area};

frz_status frz_shape_half_space(frz_vec3 point, frz_vec3 normal, frz_shape **out, frz_diag *diag)
{
    *out = NULL;
    FRZ_TRY(check_point("half space", "point", point, diag));
    FRZ_TRY(check_length("half space", "length of the normal", frz_v3_length(normal), diag));
    FRZ_TRY(make(FRZ_SHAPE_HALF_SPACE, out, diag));
    (*out)->u.round.a = point;
    (*out)->u.round.axis = frz_v3_normalize(normal);
    frz_shape_finish(*out);
    return FRZ_OK;
}
