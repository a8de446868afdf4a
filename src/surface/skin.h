// SPDX-License-Identifier: MIT
// Skin: a fine triangle mesh carried by the particles of a deformable body. Becker 2009 (section 5.4) couples one
// "geometrically" without a formula; this one is that of Mueller 2004 for surfels.
//
// A vertex X of the mesh at rest is tied to the particles within about two spacings. Each of them predicts the position
// of X by its own displacement and deformation gradient; the skin takes the weighted mean of the predictions:
//
//     x = sum_i w_i(X) (x_i + F_i (X - X_i)),    sum_i w_i = 1.
//
// F_i is fitted to the particle's neighbours by least squares, so that a rigid motion and every affine one carry the
// mesh exactly, corners and edges included, which a mean of displacements alone would round off.
#pragma once

#include "geom/mesh.h"

typedef struct frz_skin frz_skin;

typedef struct frz_skin_def
{
    int count;              ///< particles of the body
    const frz_vec3 *places; ///< m, one per particle, undeformed
    double spacing;         ///< m, of the particles
    const frz_mesh *mesh;   ///< undeformed; copied
    double stretch_limit;   ///< a bond longer than this many times its length at rest is broken; 0: 3
} frz_skin_def;

/// Tie the mesh to the particles. Owner: the caller.
FRZ_NODISCARD frz_status frz_skin_create(const frz_skin_def *def, frz_skin **out, frz_diag *diag);
/// Accepts null, leaves null.
void frz_skin_destroy(frz_skin **skin);

/// Move the mesh: now has one position per particle, not finite for one that has left. Same bits for any number of
/// threads; allocates nothing.
void frz_skin_deform(frz_skin *skin, const frz_vec3 *now);

/// The mesh at its last positions (at first undeformed). Vertices keep their numbers; triangles across a crack, or
/// whose particles are gone, are left out. Owner: the skin.
const frz_mesh *frz_skin_mesh(const frz_skin *skin);
/// Unit normals, one per vertex: smooth over the triangles that share it.
const frz_vec3 *frz_skin_normals(const frz_skin *skin);

/// Whether a particle lies at a crack: a bond of it is broken.
bool frz_skin_is_torn(const frz_skin *skin, int particle);

/// Transfer a field from the particles to the vertices: means with the same weights. Vertices without particles get 0.
void frz_skin_blend(const frz_skin *skin, const double *values, double *out);

/// The particles a vertex is tied to, and their weights, whose sum is 1; returns how many.
int frz_skin_ties(const frz_skin *skin, int vertex, const int **particles, const double **weights);
