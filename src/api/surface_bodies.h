// SPDX-License-Identifier: MIT
// Static and rigid bodies of a run as meshes: triangulated once, placed by their pose in a frame.
#pragma once

#include "api/run_poses.h"
#include "geom/mesh.h"
#include "io/frame_file.h"

typedef struct frz_surface_body
{
    const frz_scene_body *body;
    frz_run_pose pose;
    frz_mesh *mesh;       ///< as the scene places it; exact faces, or the vertices of a mesh file
    float (*texture)[2];  ///< of its vertices; null: none
    frz_vec3 *places;     ///< of the vertices in a frame
    frz_vec3 *velocities; ///< m/s
} frz_surface_body;

typedef struct frz_surface_bodies
{
    int count;
    frz_surface_body *items;
} frz_surface_bodies;

/// 3D scenes only. Unbounded bodies are cut around the particles of a frame and the other bodies.
FRZ_NODISCARD frz_status frz_surface_bodies_create(const frz_scene *scene, const char *directory,
                                                   const frz_frame *frame, frz_surface_bodies *out, frz_diag *diag);
void frz_surface_bodies_destroy(frz_surface_bodies *bodies);

/// Positions and velocities of the vertices at a time; the velocity is that of the motion over a step (s) around it.
void frz_surface_body_place(frz_surface_body *body, double time, double step);
