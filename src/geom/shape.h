// SPDX-License-Identifier: MIT
// Solid shapes: primitives, meshes and their CSG combinations, as a tree of nodes with a signed distance.
//
// A shape is built bottom-up; every constructor that takes child shapes owns them from then on (the verb is "take").
// Distances are negative inside. In 2D scenes the same shapes are used through their cross-section z = 0.
#pragma once

#include "base/fail.h"
#include "math/quat.h"
#include "math/vec3.h"

typedef struct frz_shape frz_shape;
typedef struct frz_mesh frz_mesh;

typedef enum frz_shape_kind
{
    FRZ_SHAPE_BOX,
    FRZ_SHAPE_SPHERE,
    FRZ_SHAPE_CYLINDER,
    FRZ_SHAPE_CAPSULE,
    FRZ_SHAPE_CONE,
    FRZ_SHAPE_TORUS,
    FRZ_SHAPE_THREAD,
    FRZ_SHAPE_HALF_SPACE,
    FRZ_SHAPE_HEIGHTFIELD,
    FRZ_SHAPE_MESH,
    FRZ_SHAPE_UNION,
    FRZ_SHAPE_INTERSECTION,
    FRZ_SHAPE_DIFFERENCE,
    FRZ_SHAPE_SHELL,
    FRZ_SHAPE_TRANSFORM
} frz_shape_kind;

typedef struct frz_bounds
{
    frz_vec3 min, max; ///< empty when any min > max; may hold +-HUGE_VAL for half spaces
} frz_bounds;

/// Box with the given corners (min < max on every axis; in 2D z is +-HUGE_VAL).
FRZ_NODISCARD frz_status frz_shape_box(frz_vec3 min, frz_vec3 max, frz_shape **out, frz_diag *diag);
FRZ_NODISCARD frz_status frz_shape_sphere(frz_vec3 center, double radius, frz_shape **out, frz_diag *diag);
/// Cylinder, capsule and cone run from a to b; the cone has radius_a at a and radius_b at b.
FRZ_NODISCARD frz_status frz_shape_cylinder(frz_vec3 a, frz_vec3 b, double radius, frz_shape **out, frz_diag *diag);
FRZ_NODISCARD frz_status frz_shape_capsule(frz_vec3 a, frz_vec3 b, double radius, frz_shape **out, frz_diag *diag);
FRZ_NODISCARD frz_status frz_shape_cone(frz_vec3 a, frz_vec3 b, double radius_a, double radius_b, frz_shape **out,
                                        frz_diag *diag);
FRZ_NODISCARD frz_status frz_shape_torus(frz_vec3 center, frz_vec3 axis, double major, double minor, frz_shape **out,
                                         frz_diag *diag);
/// A right-handed screw thread; the same with a clearance, taken away from something, is the thread of its nut.
typedef struct frz_thread_def
{
    frz_vec3 from, to; ///< ends of the axis; at from a crest points where the thread's angle is 0
    double radius;     ///< of the crests
    double pitch;      ///< along the axis per turn
    double depth;      ///< from crest to root; 0: that of metric threads, 0.541 pitches
    double clearance;  ///< all faces are this much further out
    double chamfer;    ///< height of the 45 degree cones that the ends are cut to; 0: none
} frz_thread_def;

FRZ_NODISCARD frz_status frz_shape_thread(const frz_thread_def *def, frz_shape **out, frz_diag *diag);
/// Everything on the side of the plane through point that normal points away from.
FRZ_NODISCARD frz_status frz_shape_half_space(frz_vec3 point, frz_vec3 normal, frz_shape **out, frz_diag *diag);
/// Solid below a height grid (nx x nz values, row by row in z, heights along +y) spanning x, z of min..max, down to
/// min.y.
FRZ_NODISCARD frz_status frz_shape_heightfield(frz_vec3 min, frz_vec3 max, int nx, int nz, const double *heights,
                                               frz_shape **out, frz_diag *diag);
/// Mesh file (STL, OBJ, PLY). repair = false: an open, inverted or broken mesh is an error, whose message names the
/// defect; repair = true: duplicate vertices are welded, degenerate triangles dropped, orientation made consistent,
/// small holes closed by fans; note (may be null) describes the repairs. In-memory meshes: frz_shape_take_mesh.
FRZ_NODISCARD frz_status frz_shape_mesh_file(const char *root, const char *path, double scale, bool repair,
                                             frz_shape **out, char *note, size_t note_size, frz_diag *diag);
FRZ_NODISCARD frz_status frz_shape_take_mesh(frz_mesh *mesh, frz_shape **out, frz_diag *diag);

/// CSG; takes children[0..count). The difference is children[0] minus all others.
FRZ_NODISCARD frz_status frz_shape_take_combine(frz_shape_kind kind, frz_shape **children, int count, frz_shape **out,
                                                frz_diag *diag);

typedef enum frz_shell_side
{
    FRZ_SHELL_INSIDE,  ///< the wall lies inside the shape's surface
    FRZ_SHELL_OUTSIDE, ///< the wall lies outside: the shape is the cavity (a tank)
    FRZ_SHELL_CENTER   ///< half and half
} frz_shell_side;

/// Hollow wall of a thickness along the child's surface. open_mask: bits 0..5 = -x +x -y +y -z +z, faces of the child's
/// bounding box on which the wall is left out (an open tank has bit 3, +y).
FRZ_NODISCARD frz_status frz_shape_take_shell(frz_shape *child, double thickness, frz_shell_side side,
                                              unsigned open_mask, frz_shape **out, frz_diag *diag);

/// Scale (uniform, > 0), then rotate, then translate.
FRZ_NODISCARD frz_status frz_shape_take_transform(frz_shape *child, double scale, frz_quat rotation,
                                                  frz_vec3 translation, frz_shape **out, frz_diag *diag);

/// The same shape for one more owner, each of whom destroys it. Thread: any, at once.
frz_shape *frz_shape_share(frz_shape *shape);

/// Frees the shape when its last owner calls.
void frz_shape_destroy(frz_shape **shape);

/// Where a shape stands: first turned, then moved.
typedef struct frz_placement
{
    frz_quat rotation;
    frz_vec3 translation;
} frz_placement;

frz_vec3 frz_placement_apply(const frz_placement *placement, frz_vec3 point);
frz_vec3 frz_placement_invert(const frz_placement *placement, frz_vec3 point);
/// The shape in axes of its own, for the caller to destroy, and where it stands; as it is if its outermost node moves
/// nothing (or, in two dimensions, not within the plane).
FRZ_NODISCARD frz_status frz_shape_unplace(frz_shape *shape, int dimension, frz_shape **own, frz_placement *placement,
                                           frz_diag *diag);
/// Two shapes are equal but for where they stand, as far as frz_shape_unplace can tell. False is no proof of the
/// opposite.
bool frz_shape_is_like(const frz_shape *a, const frz_shape *b, int dimension);

frz_shape_kind frz_shape_kind_of(const frz_shape *shape);
/// The shape, or one that it is made of, is of this kind.
bool frz_shape_contains(const frz_shape *shape, frz_shape_kind kind);

/// Signed distance, negative inside. Exact for primitives and meshes; CSG gives a bound with the right sign and the
/// right zero set, exact next to smooth parts of the surface. Thread: any, at once.
double frz_shape_distance(const frz_shape *shape, frz_vec3 point);

/// Outward unit normal of the level set through point (gradient of the distance).
frz_vec3 frz_shape_normal(const frz_shape *shape, frz_vec3 point);

frz_bounds frz_shape_bounds(const frz_shape *shape);

/// Volume (area in 2D) by integration over the bounds; exact for single primitives. HUGE_VAL for unbounded shapes.
double frz_shape_volume(const frz_shape *shape, int dimension);

/// Thinnest wall found along inward normals from surface points, up to limit (returns limit if nothing is thinner).
double frz_shape_min_thickness(const frz_shape *shape, int dimension, double limit);
