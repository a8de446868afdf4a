// SPDX-License-Identifier: MIT
// The skins of the elastic bodies of a run: bound to the particles of frame 0, moved by those of any other frame.
#pragma once

#include "io/frame_file.h"
#include "scene/scene.h"
#include "surface/skin.h"

typedef struct frz_body_skin
{
    int body;      ///< index in the scene
    int count;     ///< particles
    int64_t *ids;  ///< of the particles, ascending
    int64_t *rows; ///< of the particles in the frame placed last; -1: gone
    frz_vec3 *now; ///< their positions in it
    frz_skin *skin;
    bool open; ///< particles of it are gone in the frame placed last: molten, or out of the domain
} frz_body_skin;

typedef struct frz_run_skins
{
    int count;
    frz_body_skin *items;
    int body_count;      ///< of the scene
    int *of_body;        ///< per body of the scene: its index in items, or -1
    const char *missing; ///< field that skins need and frames lack; null: none
    bool closed_only;    ///< a body of which particles are gone has no skin: its particles have a surface
} frz_run_skins;

/// Make the skins of all elastic bodies that have particles, from the scene and frame 0 of the run in directory. A run
/// without elastic bodies has none.
FRZ_NODISCARD frz_status frz_run_skins_create(const frz_scene *scene, const char *directory, frz_run_skins *out,
                                              frz_diag *diag);
/// The body of the scene whose skin a particle of a frame may move: for elastic particles their first body, so that
/// pieces keep their skin, else their present body. Frames without the field body: -1.
double frz_run_skins_body(const frz_frame *frame, int64_t row);

/// Whether a body of the scene is covered by a skin in the frame placed last.
bool frz_run_skins_covers(const frz_run_skins *skins, int body);

void frz_run_skins_destroy(frz_run_skins *skins);

/// Move the skins with the particles of a frame.
FRZ_NODISCARD frz_status frz_run_skins_place(frz_run_skins *skins, const frz_frame *frame, frz_diag *diag);

/// Cell for triangulating a shape within bounds: as fine as the particles, within a budget of cells.
double frz_triangulation_cell(frz_bounds bounds, double spacing);
