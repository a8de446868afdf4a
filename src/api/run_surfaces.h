// SPDX-License-Identifier: MIT
// Surfaces of the particles of a run that no skin covers: one mesh per liquid material, and one per body of particles.
#pragma once

#include "frazil/surface.h"
#include "api/run_poses.h"
#include "api/run_skins.h"
#include "surface/iso_surface.h"

enum
{
    FRZ_SURFACE_NAME = 96 ///< bytes of a name
};

/// Data of surfaces over the frames: moving walls.
typedef struct frz_run_surfaces
{
    const frz_scene *scene;
    const frz_run_skins *skins; ///< of particles to leave out; null: none
    frz_surface_options options;
    const frz_iso_method *method;
    frz_run_pose *poses; ///< of the bodies that are walls
    frz_surface_wall *walls;
    int wall_count;
    int *alike;                 ///< per material: the first one whose liquid is in the same mesh
    bool shown;                 ///< in pictures; see frz_run_surfaces_show
    bool nested;                ///< a clear liquid continues over others of higher priority
    const frz_array_desc *tint; ///< colours of the particles of the frame, three numbers each; null: none
} frz_run_surfaces;

/// Checks the options. Scene and skins must outlive it.
FRZ_NODISCARD frz_status frz_run_surfaces_create(const frz_scene *scene, const char *directory,
                                                 const frz_run_skins *skins, const frz_surface_options *options,
                                                 frz_run_surfaces *out, frz_diag *diag);
void frz_run_surfaces_destroy(frz_run_surfaces *surfaces);

/// Make surfaces for pictures: opaque liquids that look alike but for their colour are one mesh, as one sees a groove
/// between two, and their lone drops are parts of it.
void frz_run_surfaces_show(frz_run_surfaces *surfaces);

/// Data common to all surfaces of a frame; without rows.
frz_iso_def frz_run_surfaces_def(const frz_run_surfaces *surfaces, const frz_frame *frame);
/// Rows of the liquid particles of wanted materials (one answer per material of the scene), ascending; owner: the
/// caller; null when memory is short. Puts the walls where they are in the frame.
int *frz_run_surfaces_liquid(const frz_run_surfaces *surfaces, const frz_frame *frame, const bool *wanted, int *count);

/// One mesh of a frame.
typedef struct frz_frame_surface
{
    char name[FRZ_SURFACE_NAME]; ///< of the material or the body; begins the names of files
    int material;                ///< index in the scene; -1: several
    int body;                    ///< number of the body; -1: liquid
    int origin;                  ///< body or emitter of the scene that it came from; -1: liquid, or not known
    int nesting;                 ///< materials whose clear liquids count where their mesh overlaps this one
    bool tinted;                 ///< its particles differ in colour: the last three values of its vertices are the tint
    frz_surface_mesh *mesh;
} frz_frame_surface;

typedef struct frz_frame_surfaces
{
    int count;
    frz_frame_surface *items;
} frz_frame_surfaces;

/// Make all surfaces of a frame.
FRZ_NODISCARD frz_status frz_run_surfaces_make(frz_run_surfaces *surfaces, const frz_frame *frame,
                                               frz_frame_surfaces *out, frz_diag *diag);
void frz_frame_surfaces_destroy(frz_frame_surfaces *surfaces);
