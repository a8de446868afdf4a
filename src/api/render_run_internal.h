// SPDX-License-Identifier: MIT
// Shared by the files render_run*: colours, bodies, view, film of one rendering.
#pragma once

#include "frazil/render.h"
#include "api/render_run_looks.h"
#include "api/run_foam.h"
#include "api/run_poses.h"
#include "api/run_reading.h"
#include "api/run_skins.h"
#include "api/run_surfaces.h"
#include "io/frame_file.h"
#include "render/raycast.h"
#include "scene/scene.h"
#include "sim/model.h"

enum
{
    FRZ_SHEET_MOST = 64 ///< pictures on a contact sheet
};

/// Paths of light are followed; else surfaces have simple shading.
bool frz_render_follows_paths(const frz_render_def *def, const frz_scene *scene);

// ---- colours of the particles

enum
{
    FRZ_COLOR_STEPS = 1024 ///< of the colour table; more than the 256 levels of a channel
};

typedef struct frz_coloring
{
    char field[64];        ///< empty: the colour of the body or its material
    bool wanted;           ///< the user or the scene named the field
    const char *map;       ///< static text
    char title[96];        ///< of the legend
    double min, max;       ///< values of the first and the last colour
    frz_color *table;      ///< FRZ_COLOR_STEPS colours
    frz_color *body_color; ///< one per body of the scene, and one for particles of no known body
    int body_count;
    frz_color *material_color; ///< of particles whose body was born in the run
    int material_count;
} frz_coloring;

/// Choose field, map and range from the request, the scene and the data of the frames.
FRZ_NODISCARD frz_status frz_coloring_create(const frz_render_def *def, const frz_scene *scene,
                                             const frz_frame_plan *plan, frz_coloring *out, frz_diag *diag);
void frz_coloring_destroy(frz_coloring *coloring);

/// Colours of all particles of a frame. Fails when the frame lacks the field.
FRZ_NODISCARD frz_status frz_coloring_apply(const frz_coloring *coloring, const frz_frame *frame, frz_color *colors,
                                            frz_diag *diag);

/// Colour of one value of the field.
frz_color frz_coloring_at(const frz_coloring *coloring, double value);
/// The value that is coloured: the number itself, or the length of a vector.
double frz_coloring_value(const frz_array_desc *array, int64_t row);

// ---- view

frz_bounds frz_bounds_none(void);
frz_bounds frz_bounds_join(frz_bounds a, frz_bounds b);
bool frz_bounds_drawable(frz_bounds bounds, int dimension); ///< finite and not empty

/// Space that matters for the pictures.
typedef struct frz_extent
{
    frz_bounds start;  ///< liquid in the first frame drawn
    frz_bounds finish; ///< liquid in the last frame drawn
    frz_bounds all;    ///< liquid in the drawn frames, and bounded static bodies
    frz_bounds action; ///< bounds of moving matter in these frames, and of static bodies close to it
    frz_bounds clip;   ///< where bodies without end are cut
} frz_extent;

/// Frames that cannot be read are left out here; drawing them will fail.
FRZ_NODISCARD frz_status frz_extent_find(const frz_render_def *def, const frz_scene *scene, const frz_frame_plan *plan,
                                         frz_extent *out, frz_diag *diag);

frz_camera frz_camera_choose(const frz_scene *scene, const frz_extent *extent, double aspect);

/// The camera of a film. Zero members: it stands still.
typedef struct frz_moving_camera
{
    frz_camera start;
    double from, to; ///< s, times of the first and the last picture
    double turn;     ///< rad, around the target between these times
    int keyframes;
    double *times;       ///< s
    frz_vec3 *values[3]; ///< eye, target, angle of view (x alone) at these times
    int body;            ///< of the scene, that the camera goes with; -1: none
    frz_motion track;    ///< of that body, if it is rigid
    frz_vec3 place;      ///< of that body in the first picture
} frz_moving_camera;

FRZ_NODISCARD frz_status frz_moving_camera_create(const char *directory, const frz_scene *scene,
                                                  const frz_extent *extent, const frz_frame_plan *plan, double aspect,
                                                  frz_moving_camera *out, frz_diag *diag);
void frz_moving_camera_destroy(frz_moving_camera *camera);
bool frz_moving_camera_moves(const frz_moving_camera *camera);
frz_camera frz_moving_camera_at(const frz_moving_camera *camera, const frz_frame *frame);

// ---- static and rigid bodies

typedef struct frz_drawn_body
{
    int body;             ///< in the scene
    bool told_inside;     ///< that the camera is inside of it
    frz_mesh *mesh;       ///< at the start
    frz_mesh *placed;     ///< at the time of the frame; null for a body that stays
    frz_vec3 *velocities; ///< m/s, of its vertices while the shutter is open
    frz_run_pose pose;
} frz_drawn_body;

typedef struct frz_drawn_bodies
{
    int count;
    frz_drawn_body *bodies;
    frz_render_mesh *meshes; ///< input of the ray caster
} frz_drawn_bodies;

/// Triangulate the bodies once. The scene must outlive them and may have its shapes cut in 2D. A wall that the camera
/// is inside of is left out unless the scene wants it; the log says so if the camera was placed by the user.
FRZ_NODISCARD frz_status frz_drawn_bodies_create(const frz_render_def *def, frz_scene *scene, const frz_extent *extent,
                                                 const frz_camera *camera, frz_drawn_bodies *out, frz_diag *diag);
void frz_drawn_bodies_destroy(frz_drawn_bodies *bodies);

/// Put the moving bodies where they are at a time, with the velocities of their vertices if the shutter is open for a
/// time (s) around it.
void frz_drawn_bodies_place(frz_drawn_bodies *bodies, double time, double shutter);

/// Tell the log, once for each, of the bodies that the camera is inside of at a time: one sees nothing but their inner
/// side.
void frz_drawn_bodies_tell_inside(frz_drawn_bodies *bodies, const frz_render_def *def, const frz_scene *scene,
                                  frz_vec3 eye, double time);

/// Join to bounds where the bodies are from one time to another, unless they went far away. Moves them.
void frz_drawn_bodies_sweep(frz_drawn_bodies *bodies, double from, double to, frz_bounds *bounds);

// ---- elastic bodies

/// The skins as the ray caster gets them.
typedef struct frz_drawn_skins
{
    frz_run_skins skins;
    frz_color **colors; ///< per skin: one per vertex
    frz_vec3 **moves;   ///< per skin: velocity of each vertex, m/s
    double *values;     ///< scratch: of the particles, then of the vertices of one skin
} frz_drawn_skins;

/// Make the skins of the elastic bodies. If the frames lack fields that this needs there are none, with a message.
FRZ_NODISCARD frz_status frz_drawn_skins_create(const frz_render_def *def, const frz_scene *scene, frz_drawn_skins *out,
                                                frz_diag *diag);
void frz_drawn_skins_destroy(frz_drawn_skins *drawn);

/// Whether the particles of a body (by its number in a frame) are left to be drawn as spheres.
bool frz_drawn_skins_leave(const frz_drawn_skins *drawn, const frz_scene *scene, double body);

/// Show particles at cracks, through which one would look into a hollow skin: spheres of a radius, placed already, in
/// xyzr of the whole frame; colors gets the body's colour unless a field was asked for. After frz_run_skins_place.
void frz_drawn_skins_fill(const frz_drawn_skins *drawn, const frz_scene *scene, const frz_coloring *coloring,
                          float radius, float *xyzr, frz_color *colors);

/// Put the visible skins, placed in the frame, into meshes (room for one per skin); returns how many there are. With
/// blurred the vertices get velocities, if the frame has those of the particles.
int frz_drawn_skins_collect(frz_drawn_skins *drawn, const frz_scene *scene, const frz_coloring *coloring,
                            const frz_frame *frame, bool blurred, frz_render_mesh *meshes);

// ---- looks

// ---- liquids as surfaces

typedef struct frz_drawn_surfaces
{
    bool wanted;  ///< the style is surface
    bool colored; ///< by a field that was asked for
    char field[64];
    const char *fields[1];
    frz_run_surfaces surfaces;
    frz_frame_surfaces frame; ///< of the frame made last
    frz_color **colors;       ///< per surface: one per vertex, or null
    bool plain;               ///< clear liquids have the colour of their material, too
    bool overlapping;         ///< clear surfaces reach into walls, so that no gap shows
    frz_render_mesh *meshes;  ///< one per surface of the frame
} frz_drawn_surfaces;

/// The struct must stay where it is. Does nothing for other styles.
FRZ_NODISCARD frz_status frz_drawn_surfaces_create(const frz_render_def *def, const frz_scene *scene,
                                                   const frz_run_skins *skins, const frz_coloring *coloring,
                                                   frz_drawn_surfaces *out, frz_diag *diag);
void frz_drawn_surfaces_destroy(frz_drawn_surfaces *drawn);

/// Make the surfaces of a frame, and their meshes.
/// Colors: of the particles; bodies of several materials show them.
FRZ_NODISCARD frz_status frz_drawn_surfaces_make(frz_drawn_surfaces *drawn, const frz_scene *scene,
                                                 const frz_coloring *coloring, const frz_frame *frame,
                                                 const frz_color *colors, frz_diag *diag);
/// Make the lone drops of a clear liquid balls of its mesh.
FRZ_NODISCARD frz_status frz_drawn_drops_add(const frz_frame *frame, double spacing, frz_surface_mesh *mesh,
                                             frz_diag *diag);
/// Hide the spheres of the whole frame, but for lone drops, which get a radius.
void frz_drawn_surfaces_hide(const frz_drawn_surfaces *drawn, const frz_frame *frame, float radius, float *xyzr,
                             frz_color *colors);

// ---- foam

/// Foam of the clear liquids, if the scene wants some and the style is that of surfaces; else none is wanted. The
/// surfaces must outlive it.
FRZ_NODISCARD frz_status frz_drawn_foam_create(const frz_render_def *def, const frz_scene *scene,
                                               const frz_frame_plan *plan, const frz_drawn_surfaces *surfaces,
                                               frz_run_foam *out, frz_diag *diag);

/// Add points to the spheres, whose arrays have a capacity and may grow.
FRZ_NODISCARD frz_status frz_drawn_foam_add(const frz_foam_points *points, int64_t *capacity, float **xyzr,
                                            frz_color **colors, frz_render_spheres *spheres, frz_diag *diag);

// ---- film and sheet

/// Pictures per second of a film: the given rate, or (0) real time as far as that can be watched, else slow motion.
double frz_film_rate(double wanted, double frame_rate, int every);
/// Film of the pictures images/frame_%06d.png of the plan, so many per second.
FRZ_NODISCARD frz_status frz_film_make(const char *directory, const frz_frame_plan *plan, double rate, const char *path,
                                       frz_diag *diag);

typedef struct frz_sheet
{
    int wanted, count;
    frz_image images[FRZ_SHEET_MOST]; ///< reduced
    char captions[FRZ_SHEET_MOST][32];
} frz_sheet;

/// Keep a reduced copy of the picture if it is one of those for the sheet: all up to FRZ_SHEET_MOST if the frames were
/// chosen, nine at most of a whole run.
FRZ_NODISCARD frz_status frz_sheet_offer(frz_sheet *sheet, const frz_frame_plan *plan, bool chosen, int position,
                                         const frz_image *image, const char *caption, frz_diag *diag);
FRZ_NODISCARD frz_status frz_sheet_write(const frz_sheet *sheet, const char *title, const char *path, frz_diag *diag);
void frz_sheet_destroy(frz_sheet *sheet);
