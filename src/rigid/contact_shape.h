// SPDX-License-Identifier: MIT
// The surface of a rigid body for contacts: points, which are tested against the signed distance of other bodies.
//
// Points lie on the true surface. Those of faces are the surface samples, stepped outwards by the depth of their layer;
// edges and corners, which a layer below the surface rounds off, get points of their own, so that a box stands on its
// corners. Every point has an inset, a position a little inside the body, at which the distance of the other body is
// evaluated: from there the nearest part of the other surface is the one in contact, also where faces of two boxes end
// together.
#pragma once

#include "geom/sampling.h"
#include "math/mat3.h"
#include "rigid/particle_surface.h"

enum
{
    FRZ_CONTACT_FEW = 4000, ///< contacts, points or samples for which starting more threads does not pay
    FRZ_CONTACT_NORMALS = 4 ///< faces that meet in a corner; more are represented by these
};

typedef struct frz_contact_point
{
    frz_vec3 position;                    ///< on the surface
    frz_vec3 inset;                       ///< a place inside the body next to it
    frz_vec3 normal[FRZ_CONTACT_NORMALS]; ///< outward, of the faces that meet here
    int normal_count;                     ///< 1 on faces, 2 on edges, 3 or 4 in corners
    bool flat;                            ///< the surface is plane or concave here
    bool round;                           ///< on a curved edge
    frz_vec3 center;                      ///< of its circle, if it is one; from the point
    int64_t id;                           ///< of its particle, on surfaces of particles
} frz_contact_point;

typedef struct frz_distance_grid frz_distance_grid;
typedef struct frz_contact_tree frz_contact_tree;
typedef struct frz_clearance frz_clearance;

/// Distance from a point that is not flat within which the deepest penetration may lie, in spacings.
extern const double frz_contact_refine_reach;
/// Distance from a point at which the surface is probed for its curvature, in spacings.
extern const double frz_contact_trial;
/// A surface that falls by less than this over that distance is flat.
extern const double frz_contact_flat_sine;

/// A plane face: points with dot(normal, x) = offset.
typedef struct frz_contact_plane
{
    frz_vec3 normal;
    double offset;
} frz_contact_plane;

/// All in axes of the shape, which start at the centre of mass; those of the body unless it is turned.
typedef struct frz_contact_shape
{
    frz_shape *shape;  ///< shared; null: made of particles
    frz_vec3 origin;   ///< the centre of mass in it; zero for particles
    bool turned;       ///< axes of the shape are not those of the body
    frz_quat frame;    ///< then: from axes of the shape to those of the body
    int *owners;       ///< number of shapes that share the data below; null: this one only
    double spacing;    ///< m
    int dimension;     ///< 2 or 3
    frz_bounds bounds; ///< infinite for half spaces
    int point_count;   ///< sorted along the tree
    int sample_count;  ///< of the surface samples
    frz_contact_point *points;
    double *sample_sums; ///< by sample: sum of the cubic spline of one spacing over the samples of the body, 1/m^d
    frz_vec3 *samples;   ///< half a spacing behind the surface, in the order they were given

    frz_contact_tree *tree;   ///< of the points
    frz_clearance *clearance; ///< null: infinite shape

    // source of the distance: particles, planes of a convex solid, else a grid, else the shape itself
    frz_particle_surface *particles;
    int plane_count;
    frz_contact_plane *planes;
    frz_distance_grid *grid;
} frz_contact_shape;

typedef struct frz_contact_shape_def
{
    frz_shape *shape;        ///< stays the caller's; shared
    frz_vec3 center;         ///< of mass, at time 0
    double spacing;          ///< m
    int dimension;           ///< 2 or 3
    frz_bounds clip;         ///< the part of the world where contacts happen (matters for shapes without end)
    int64_t sample_count;    ///< 0: the surface is sampled here
    const frz_vec3 *samples; ///< scene's axes at time 0
    bool fixed;              ///< it never moves: any number of samples is accepted
    bool unsummed;           ///< sample_sums are not needed
    bool untouched;          ///< only distances are needed
    const char *name;        ///< of the body, for messages
} frz_contact_shape_def;

/// Refuses bodies with fewer samples than dimensions.
FRZ_NODISCARD frz_status frz_contact_shape_create(const frz_contact_shape_def *def, frz_contact_shape **out,
                                                  frz_diag *diag);
/// The surface of a body made of particles. Points are particles of the skin moved onto it, with the particles' ids:
/// in a plane face and at its border one for each such face, elsewhere one or more on the round surface. Fast enough to
/// be made anew whenever particles have left a body.
FRZ_NODISCARD frz_status frz_contact_shape_create_from_particles(const frz_particle_surface_def *def,
                                                                 frz_contact_shape **out, frz_diag *diag);
/// The same surface for one more body, whose axes are turned against those of the shape by frame.
FRZ_NODISCARD frz_status frz_contact_shape_share(frz_contact_shape *shape, frz_quat frame, frz_contact_shape **out,
                                                 frz_diag *diag);
/// Let the axes of a shape, which has one owner, be turned against those of its body.
void frz_contact_shape_turn(frz_contact_shape *shape, frz_quat frame);
void frz_contact_shape_destroy(frz_contact_shape **shape);

/// Rotation of the axes of a body's shape in the world, for the rotation of the body.
static inline frz_quat frz_contact_shape_axes(const frz_contact_shape *shape, frz_quat rotation)
{
    return shape->turned ? frz_quat_mul(rotation, shape->frame) : rotation;
}

/// A position or a direction in the shape in axes of the body.
static inline frz_vec3 frz_contact_shape_to_body(const frz_contact_shape *shape, frz_vec3 place)
{
    return shape->turned ? frz_quat_rotate(shape->frame, place) : place;
}

/// The point of another shape of the same particle with the same normal; -1: none. Transfers impulses when the surface
/// of a body was made anew.
int frz_contact_shape_find_point(const frz_contact_shape *shape, const frz_contact_point *like);

/// Signed distance at a place in axes of the shape, and its unit gradient. Distances beyond limit, and many spacings
/// from the surface, may be bounds of the right sign. In 2D the gradient lies in the plane. Threads may call it at
/// once.
double frz_contact_shape_distance(const frz_contact_shape *shape, frz_vec3 place, double limit, frz_vec3 *normal);

/// Lower bound of the distance of the body from a position (axes of the shape). Where that may be inside: 0 or less, or
/// a signed distance.
double frz_contact_shape_room(const frz_contact_shape *shape, frz_vec3 place);

/// Sums of the kernel over the own samples, for contact_pressure.
FRZ_NODISCARD frz_status frz_contact_shape_sum_samples(frz_contact_shape *shape, frz_diag *diag);

/// Move a point (axes of the shape) that is near an edge or a corner onto it, and set its normals there; near: it was
/// on one and has been moved along it. False: the surface is smooth there.
bool frz_contact_edge_settle(const frz_contact_shape *shape, bool near, frz_contact_point *point);
/// The direction of an edge at a point that has two normals.
frz_vec3 frz_contact_edge_tangent(const frz_contact_point *point);
/// Whether an edge is curved at a point; sets the centre of a circle.
bool frz_contact_edge_is_round(const frz_contact_shape *shape, frz_contact_point *point);
/// The point of a round edge at a distance along it; false: the edge ends.
bool frz_contact_edge_follow(const frz_contact_shape *shape, const frz_contact_point *point, double way,
                             frz_contact_point *to);

/// Features of the surface of a shape from its triangles, scene's axes.
typedef struct frz_contact_outline
{
    int count;
    int64_t capacity;
    frz_contact_point *points; ///< at sharp convex edges and in corners; the inset is not set yet
    int place_count;
    frz_vec3 *places; ///< all over the surface, about a spacing apart where triangles are not larger
} frz_contact_outline;

/// Call frz_contact_outline_clear afterwards, also after a failure.
FRZ_NODISCARD frz_status frz_contact_features(const frz_contact_shape_def *def, frz_contact_outline *outline,
                                              frz_diag *diag);
void frz_contact_outline_clear(frz_contact_outline *outline);
/// The planes of a convex solid with few faces (scene's axes): intersections of boxes and half spaces, and meshes; else
/// none.
FRZ_NODISCARD frz_status frz_contact_convex_planes(const frz_shape *shape, frz_contact_plane **planes, int *count,
                                                   frz_diag *diag);
/// frz_contact_features of such a solid, exactly and without places.
FRZ_NODISCARD frz_status frz_contact_convex_features(const frz_contact_shape_def *def, const frz_contact_plane *planes,
                                                     int plane_count, frz_contact_outline *outline, frz_diag *diag);
