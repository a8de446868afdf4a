// SPDX-License-Identifier: MIT
// Shared by the files of geom: the node of the shape tree, the table of functions per kind, mesh checks and queries.
#pragma once

#include "geom/mesh.h"
#include "geom/shape.h"

typedef struct frz_mesh_query frz_mesh_query;

typedef struct frz_shape_box_data
{
    frz_vec3 min, max;
} frz_shape_box_data;

/// Sphere (a, radius_a), cylinder, capsule and cone (a to b along the unit vector axis), torus (centre a, axis,
/// radius_a = major, radius_b = minor), half space (point a, normal axis).
typedef struct frz_shape_round_data
{
    frz_vec3 a, b, axis;
    double length;
    double radius_a, radius_b;
    double slant, slant_r,
        slant_y; ///< of cylinders and cones: length of the side, and its unit vector across and along
} frz_shape_round_data;

typedef struct frz_shape_thread_data
{
    frz_vec3 from, axis, side, other; ///< axis, side and other are perpendicular unit vectors
    double length, pitch;
    double major, minor; ///< radii of crests and roots
    double crest;        ///< half the width of a crest
    double chamfer;
} frz_shape_thread_data;

typedef struct frz_shape_mesh_data
{
    frz_mesh *mesh;
    frz_mesh_query *query;
    frz_bounds bounds;
    char *root, *path; ///< of the file that it was read from unrepaired; null: none
    double scale;
} frz_shape_mesh_data;

typedef struct frz_shape_shell_data
{
    double inner;       ///< depth of the wall inside the child
    double outer;       ///< thickness of the wall outside the child
    unsigned open_mask; ///< bits 0..5 = -x +x -y +y -z +z
    frz_bounds cut;     ///< on open sides the wall ends here
    frz_bounds clamp;   ///< on open sides the cavity beyond this is the child's cross-section here, drawn out
} frz_shape_shell_data;

typedef struct frz_shape_transform_data
{
    double scale;
    frz_quat rotation;
    frz_vec3 translation;
} frz_shape_transform_data;

struct frz_shape
{
    frz_shape_kind kind;
    int more_owners; ///< besides the first one
    int child_count;
    frz_shape **children;
    frz_bounds bounds;
    double size; ///< longest finite extent (1 if there is none): the scale for difference steps and tolerances
    union
    {
        frz_shape_box_data box;
        frz_shape_round_data round;
        frz_shape_thread_data thread;
        frz_shape_mesh_data mesh;
        frz_shape_shell_data shell;
        frz_shape_transform_data transform;
    } u;
};

/// One kind of shape. Null functions: gradient by differences, volume by integration, nothing to release.
typedef struct frz_shape_class
{
    const char *name;
    double (*distance)(const frz_shape *shape, frz_vec3 point);
    frz_bounds (*bounds)(const frz_shape *shape);
    /// Distance, and the unit gradient, for the price of one where that is possible.
    double (*gradient)(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal);
    double (*volume)(const frz_shape *shape, int dimension); ///< negative: not known in closed form
    /// Upper bound of the surface (3D) or of the outline of the cross-section z = 0 (2D) inside window.
    double (*area)(const frz_shape *shape, int dimension, frz_bounds window);
    void (*release)(frz_shape *shape);
} frz_shape_class;

extern const frz_shape_class frz_shape_class_box;
extern const frz_shape_class frz_shape_class_sphere;
extern const frz_shape_class frz_shape_class_cylinder;
extern const frz_shape_class frz_shape_class_capsule;
extern const frz_shape_class frz_shape_class_cone;
extern const frz_shape_class frz_shape_class_torus;
extern const frz_shape_class frz_shape_class_thread;
extern const frz_shape_class frz_shape_class_half_space;
extern const frz_shape_class frz_shape_class_heightfield;
extern const frz_shape_class frz_shape_class_mesh;
extern const frz_shape_class frz_shape_class_union;
extern const frz_shape_class frz_shape_class_intersection;
extern const frz_shape_class frz_shape_class_difference;
extern const frz_shape_class frz_shape_class_shell;
extern const frz_shape_class frz_shape_class_transform;

/// A zeroed node with an array of child_count children, or null.
frz_shape *frz_shape_new(frz_shape_kind kind, int child_count);
/// Last step of every constructor: bounds and size.
void frz_shape_finish(frz_shape *shape);
const frz_shape_class *frz_shape_class_of(const frz_shape *shape);
/// frz_shape_distance and frz_shape_normal in one.
double frz_shape_gradient(const frz_shape *shape, frz_vec3 point, frz_vec3 *normal);
/// Upper bound of the surface (outline in 2D) inside window; HUGE_VAL if it has no end there.
double frz_shape_area(const frz_shape *shape, int dimension, frz_bounds window);

// fmax and fmin are calls unless NaN may be forgotten
static inline double frz_larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double frz_smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double frz_box_distance(frz_vec3 min, frz_vec3 max, frz_vec3 point)
{
    // with corners, not with centre and half lengths: infinite corners then need no special case
    const double dx = frz_larger(min.x - point.x, point.x - max.x);
    const double dy = frz_larger(min.y - point.y, point.y - max.y);
    const double dz = frz_larger(min.z - point.z, point.z - max.z);
    const double deepest = frz_larger(dx, frz_larger(dy, dz));
    if (deepest <= 0.0)
        return deepest;
    return frz_v3_length(frz_v3(frz_larger(dx, 0.0), frz_larger(dy, 0.0), frz_larger(dz, 0.0)));
}

/// Whether bounds alone tell that a shape outside which the point lies is at least this far from it.
static inline bool frz_shape_is_beyond(const frz_shape *shape, frz_vec3 point, double distance)
{
    const frz_vec3 min = shape->bounds.min, max = shape->bounds.max;
    const frz_vec3 away = {frz_larger(frz_larger(min.x - point.x, point.x - max.x), 0.0),
                           frz_larger(frz_larger(min.y - point.y, point.y - max.y), 0.0),
                           frz_larger(frz_larger(min.z - point.z, point.z - max.z), 0.0)};
    const double square = frz_v3_dot(away, away);
    return square > 0.0 && (distance <= 0.0 || square >= distance * distance);
}

/// From the child's coordinates to the transform's, and back.
frz_vec3 frz_shape_transform_apply(const frz_shape_transform_data *t, frz_vec3 point);
frz_vec3 frz_shape_transform_invert(const frz_shape_transform_data *t, frz_vec3 point);
frz_bounds frz_shape_transform_bounds(const frz_shape_transform_data *t, frz_bounds bounds);
frz_bounds frz_shape_transform_invert_bounds(const frz_shape_transform_data *t, frz_bounds bounds);
/// The cross-section z = 0 of the transform is the transformed cross-section z = 0 of the child.
bool frz_shape_transform_is_planar(const frz_shape_transform_data *t);

frz_bounds frz_bounds_infinite(void);
frz_bounds frz_bounds_intersect(frz_bounds a, frz_bounds b);
frz_bounds frz_bounds_grow(frz_bounds bounds, double by);
bool frz_bounds_is_empty(frz_bounds bounds, int dimension);
bool frz_bounds_is_finite(frz_bounds bounds, int dimension);
bool frz_bounds_contain(frz_bounds bounds, frz_vec3 point, int dimension);

static inline bool frz_v3_is_finite(frz_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/// Defects of a mesh; all counts zero and volume > 0 for a good one.
typedef struct frz_mesh_report
{
    int64_t bad_vertices;       ///< NaN or infinite
    int64_t bad_triangles;      ///< vertex numbers out of range
    int64_t degenerate;         ///< triangles without area
    int64_t repeated;           ///< repeated triangles of the same orientation
    int64_t open_edges;         ///< edges with an odd number of triangles
    int64_t inconsistent_edges; ///< edges whose triangles do not run through them in opposite directions
    double volume;              ///< signed
    double size;                ///< diagonal of the bounds
} frz_mesh_report;

typedef struct frz_mesh_edge
{
    int a, b;     ///< a < b
    int triangle; ///< whose edge it is
    int corner;   ///< the edge runs from triangle corner to corner + 1
    bool forward; ///< the triangle runs through it from a to b
} frz_mesh_edge;

/// Edges of all triangles, three per triangle, sorted by (a, b, triangle); null when memory is short.
frz_mesh_edge *frz_mesh_edges(const frz_mesh *mesh);
FRZ_NODISCARD frz_status frz_mesh_examine(const frz_mesh *mesh, frz_mesh_report *report, frz_diag *diag);
/// Turn a bad report into a sentence; name says which mesh.
FRZ_NODISCARD frz_status frz_mesh_judge(const frz_mesh_report *report, const char *name, frz_diag *diag);
double frz_mesh_volume(const frz_mesh *mesh);
double frz_mesh_area(const frz_mesh *mesh, int dimension);
frz_bounds frz_mesh_bounds(const frz_mesh *mesh);
bool frz_mesh_triangle_is_degenerate(const frz_mesh *mesh, const int triangle[3], double size);
/// Number of triangles that repeat another one with the same orientation; -1 without memory. marks (may be null), one
/// per triangle, gets true for these.
int64_t frz_mesh_find_repeated(const frz_mesh *mesh, bool *marks);

/// Weld, drop degenerate and repeated triangles, orient, close small holes; note (may be null) describes the repairs.
FRZ_NODISCARD frz_status frz_mesh_repair(frz_mesh **mesh, char *note, size_t note_size, frz_diag *diag);

/// Closest-point queries on a closed mesh, which must outlive the query. Thread: any, at once.
FRZ_NODISCARD frz_status frz_mesh_query_create(const frz_mesh *mesh, frz_mesh_query **out, frz_diag *diag);
void frz_mesh_query_destroy(frz_mesh_query **query);
/// Signed distance; gradient (may be null) gets the unit gradient.
double frz_mesh_query_distance(const frz_mesh_query *query, frz_vec3 point, frz_vec3 *gradient);

/// Iso-surface of the shape cut at clip (dual contouring).
FRZ_NODISCARD frz_status frz_shape_contour(const frz_shape *shape, double cell, frz_bounds clip, frz_mesh **out,
                                           frz_diag *diag);
