// SPDX-License-Identifier: MIT
// How materials look in path-traced pictures: a table of names (looks.def).
#pragma once

#include "render/raycast.h"

typedef enum frz_look_kind
{
    FRZ_LOOK_DIFFUSE, ///< scatters light evenly
    FRZ_LOOK_COATED,  ///< diffuse below a smooth or rough coat that reflects
    FRZ_LOOK_METAL,   ///< reflects in its own colour
    FRZ_LOOK_CLEAR,   ///< reflects, refracts and absorbs; the mesh is closed
    FRZ_LOOK_SOFT     ///< light wanders below a coat and comes out beside; the mesh is closed
} frz_look_kind;

struct frz_look
{
    const char *name;
    frz_look_kind kind;
    float refraction; ///< index of refraction of the coat or the medium
    float roughness;  ///< of the reflection: alpha of the GGX distribution
    frz_color color;  ///< albedo; of a clear look the share of light that passes a way of clear_size
    float free_path;  ///< of light below a soft surface: mean free path, in sizes of the scene
    int priority;     ///< where two clear bodies overlap, the one of higher priority counts
    bool own_color;   ///< the colour of the body does not replace this one
    const char *doc;
};

/// The look of that name; null if there is none.
const frz_look *frz_look_find(const char *name);
/// Null-terminated list of names.
const char *const *frz_look_names(void);
