// SPDX-License-Identifier: MIT
// Headless pictures: spheres and triangle meshes, ray cast with Embree; soft shadow, ambient occlusion, legend.
#pragma once

#include "base/fail.h"
#include "geom/mesh.h"

typedef struct frz_image
{
    int width, height;
    unsigned char *rgb; ///< 8-bit sRGB, row by row from the top
} frz_image;

void frz_image_destroy(frz_image *image);
FRZ_NODISCARD frz_status frz_image_create(int width, int height, frz_image *out, frz_diag *diag);
FRZ_NODISCARD frz_status frz_image_write_png(const frz_image *image, const char *path, frz_diag *diag);
FRZ_NODISCARD frz_status frz_image_read_png(const char *path, frz_image *out, frz_diag *diag);

typedef struct frz_color
{
    float r, g, b; ///< linear light, 0..1
} frz_color;

typedef struct frz_camera
{
    frz_vec3 eye, target, up;
    double vertical_fov; ///< radians; <= 0: orthographic with ortho_height
    double ortho_height; ///< m
} frz_camera;

/// A camera that shows all of bounds from a pleasant angle (3D) or straight on along -z, orthographic (2D).
frz_camera frz_camera_auto(frz_bounds bounds, int dimension, double aspect);

typedef struct frz_render_spheres
{
    int64_t count;
    const float *xyzr; ///< 4 floats each; a negative radius: not drawn, but counts as the content of a see-through mesh
    const frz_color *colors; ///< one each
} frz_render_spheres;

typedef struct frz_look frz_look; ///< see render/look.h

typedef struct frz_render_mesh
{
    const frz_mesh *mesh;
    frz_color color;
    bool see_through;           ///< draw only the faces turned away from the camera, so that one looks into a tank
    const frz_vec3 *normals;    ///< one per vertex; null: found from the triangles, sharp across creases
    const frz_color *colors;    ///< one per vertex; null: color everywhere
    const frz_vec3 *velocities; ///< m/s, one per vertex, for motion blur; null: at rest
    const frz_look *look;       ///< in path-traced pictures; null: matte
} frz_render_mesh;

typedef struct frz_environment frz_environment; ///< see render/environment.h

typedef struct frz_render_legend
{
    const char *title; ///< e.g. "speed [m/s]"; null for no legend
    const char *colormap;
    double min, max;
    const char *caption; ///< bottom line, e.g. "t = 1.240 s"; may be null
} frz_render_legend;

/// Path tracing: light that is reflected, refracted and absorbed.
typedef struct frz_render_paths
{
    bool on;                            ///< else one hit per ray, lit by a key light and the sky
    bool denoise;                       ///< smooth the noise that few samples leave
    double shutter;                     ///< s that the shutter is open, for motion blur; 0: none
    double scene_size;                  ///< m; mean free paths of looks are given in it; 0: the distance of the camera
    double clear_size;                  ///< m; absorption of looks is given in it; 0: the same as scene_size
    const frz_environment *environment; ///< light from a picture of the surroundings; null: sky and sun
} frz_render_paths;

typedef struct frz_render_options
{
    int width, height;
    int samples;           ///< rays per pixel
    int occlusion_samples; ///< ambient-occlusion rays per hit; 0 switches it off
    double occlusion_distance;
    frz_color background_top, background_bottom;
    bool diagram;       ///< plain colours with lines between things and faces, without light and shadow
    bool ground_shadow; ///< a plane under the scene that catches the shadow
    frz_bounds
        standing; ///< the plane is below these, so that it does not move within a film; empty: below the drawn bodies
    frz_render_paths paths;
} frz_render_options;

frz_render_options frz_render_options_default(void);

/// Draw one picture. Deterministic for any number of threads.
FRZ_NODISCARD frz_status frz_raycast(const frz_render_spheres *spheres, const frz_render_mesh *meshes, int mesh_count,
                                     const frz_camera *camera, const frz_render_legend *legend,
                                     const frz_render_options *options, frz_image *out, frz_diag *diag);

/// Colour maps: "viridis", "turbo", "water", "heat", "coolwarm", "gray". t is clamped to [0, 1]. Unknown name: false.
bool frz_colormap_lookup(const char *name, double t, frz_color *out);
/// Null-terminated list of names.
const char *const *frz_colormap_names(void);

/// Several pictures on one sheet with captions below each.
FRZ_NODISCARD frz_status frz_contact_sheet(const frz_image *images, const char *const *captions, int count, int columns,
                                           const char *title, frz_image *out, frz_diag *diag);

/// Whether a film of that name can be made: its kind is known (.mp4, .mkv, .webm, .gif), the place may be written,
/// ffmpeg is there.
FRZ_NODISCARD frz_status frz_movie_check(const char *path, frz_diag *diag);

/// pattern is a printf pattern such as "out/images/frame_%06d.png"; runs ffmpeg. A missing ffmpeg is a sentence that
/// says which package holds it.
FRZ_NODISCARD frz_status frz_movie_encode(const char *pattern, int first, double frame_rate, const char *path,
                                          frz_diag *diag);
