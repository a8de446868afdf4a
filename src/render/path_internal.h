// SPDX-License-Identifier: MIT
// Shared by the files of the path tracer: a path on its way, colours, the light that reaches a place.
#pragma once

#include "render/color.h"
#include "render/path.h"

enum
{
    FRZ_PATH_MEDIA_MOST = 8 ///< clear bodies within each other
};

/// Clear bodies that a path is inside of, by the number of their mesh, in the order of entering.
typedef struct frz_path_media
{
    int count;
    int mesh[FRZ_PATH_MEDIA_MOST];
} frz_path_media;

typedef struct frz_path
{
    frz_vec3f origin, direction;
    float time;
    frz_path_media media;
    frz_color weight; ///< of the light that comes from ahead
    float density;    ///< per steradian, with which the direction was chosen; 0: the only one possible
    int bounces;
    bool split; ///< the path was divided at a clear or coated surface already
    frz_path_random *random;
} frz_path;

/// Direction with a density proportional to the cosine over the normal.
frz_vec3f frz_path_cosine(frz_vec3f normal, frz_point2f random);

/// Share of light, by colour, that is left after a way in the media.
frz_color frz_path_transmittance(const frz_path_scene *scene, const frz_path_media *media, float distance);

/// Number of the mesh whose medium counts here: of the highest priority; -1 for air.
int frz_path_medium(const frz_path_scene *scene, const frz_path_media *media);
float frz_path_refraction(const frz_path_scene *scene, int mesh);
void frz_path_media_enter(frz_path_media *media, int mesh);
void frz_path_media_leave(frz_path_media *media, int mesh);

/// Whether a soft surface is met from inside by light that does not wander in it. Soft bodies that touch overlap: light
/// that left one may start a little way inside of another, and goes straight on.
bool frz_path_is_hidden_side(const frz_trace_surface *at);

/// Share of the light that reaches a place from a direction: opaque bodies stop it, clear ones let it pass straight,
/// dimmed by reflection and absorption.
frz_color frz_path_visible(const frz_path_scene *scene, const frz_path *path, frz_vec3f from, frz_vec3f direction);

/// Reflected share at a clear surface by Fresnel's equations, unpolarised. eta: index on the side of the ray over that
/// beyond; cosine > 0. 1 for total reflection.
float frz_path_fresnel(float eta, float cosine);

/// Light that a place with a normal sends on by scattering evenly, from a light chosen at random; albedo 1.
frz_color frz_path_direct(const frz_path_scene *scene, const frz_path *path, frz_vec3f point, frz_vec3f normal);

/// Let light wander below a soft surface. Puts the path behind the place where it comes out, with a new direction, and
/// adds the direct light of that place to sum; false if it was absorbed.
bool frz_path_wander(const frz_path_scene *scene, frz_path *path, const frz_trace_surface *at, frz_color *sum);

/// Start of a ray on one side of a surface, far enough from it not to meet it again.
static inline frz_vec3f frz_path_offset(frz_vec3f point, frz_vec3f normal)
{
    static const float offset = 5e-5f; // picture units
    return frz_v3f_mad(point, offset, normal);
}

struct RTCRayHit frz_path_shoot(const frz_path_scene *scene, frz_vec3f origin, frz_vec3f direction, float distance,
                                float time);
