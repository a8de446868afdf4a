// SPDX-License-Identifier: MIT
// Surfaces of a run as mesh files.
#include "frazil/surface.h"

#include <omp.h>
#include <stdio.h>

#include "api/run_reading.h"
#include "api/run_skins.h"
#include "base/timers.h"
#include "io/file_replace.h"
#include "io/mesh_file.h"
#include "io/text_file.h"

static const uint32_t surface_cookie = 0x53555246; // "SURF": a def that did not start from the default is refused

typedef struct exporting
{
    const frz_surface_def *def;
    char output[FRZ_PATH_SIZE];
    frz_scene *scene;
    frz_frame_plan plan;
    frz_run_skins skins;
    int files;
} exporting;

frz_surface_def frz_surface_def_default(void)
{
    const frz_surface_def def = {.last = -1, .every = 1, .cookie = surface_cookie};
    return def;
}

static frz_status check_def(const frz_surface_def *def, frz_diag *diag)
{
    if (def == NULL || def->cookie != surface_cookie)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "start a frz_surface_def from frz_surface_def_default()");
    if (def->directory == NULL || def->directory[0] == '\0')
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "surfaces need the folder of a run");
    if (def->format != FRZ_SURFACE_PLY && def->format != FRZ_SURFACE_OBJ)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "unknown format of surfaces: %d", (int)def->format);
    if (def->first < 0 || def->every < 0)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the first frame and the step between frames must not be negative");
    return FRZ_OK;
}

static frz_status prepare(exporting *e, frz_diag *diag)
{
    const frz_surface_def *def = e->def;
    const frz_frame_wish wish = {def->directory, def->first, def->last, def->every, def->log, def->log_user};
    FRZ_TRY(frz_run_scene_load(def->directory, &e->scene, diag));
    FRZ_TRY(frz_frame_plan_make(&wish, &e->plan, diag));
    FRZ_TRY(frz_run_skins_create(e->scene, def->directory, &e->skins, diag));
    if (e->skins.missing != NULL)
        return frz_fail(diag, FRZ_ERR_FILE,
                        "the frames of %s have no field '%s', without which a surface cannot follow the particles; add "
                        "id and body to output.fields of the scene and run it again",
                        def->directory, e->skins.missing);
    if (e->skins.count == 0)
        return frz_fail(diag, FRZ_ERR_ARGUMENT,
                        "the run in %s has no surface to write: surfaces are made of elastic bodies, and it has none",
                        def->directory);
    if (def->output != NULL)
        FRZ_TRY(frz_path_format(e->output, diag, "%s", def->output));
    else
        FRZ_TRY(frz_path_format(e->output, diag, "%s/surface", def->directory));
    return frz_folder_make(e->output, diag);
}

static frz_status write_body(exporting *e, const frz_body_skin *item, const frz_frame *frame, frz_diag *diag)
{
    const frz_mesh *mesh = frz_skin_mesh(item->skin);
    const bool ply = e->def->format == FRZ_SURFACE_PLY;
    char path[FRZ_PATH_SIZE], comment[64];
    FRZ_TRY(frz_path_format(path, diag, "%s/%s_%06d.%s", e->output, e->scene->bodies.items[item->body].name,
                            frame->index, ply ? "ply" : "obj"));
    snprintf(comment, sizeof comment, "frazil %s, time %.9g s, lengths in m", frz_version(), frame->time);
    const frz_mesh_view view = {.vertex_count = mesh->vertex_count,
                                .triangle_count = mesh->triangle_count,
                                .positions = (const double *)mesh->vertices,
                                .normals = (const double *)frz_skin_normals(item->skin),
                                .triangles = (const int *)mesh->triangles,
                                .comment = comment};
    FRZ_TRY(ply ? frz_mesh_write_ply(path, &view, diag) : frz_mesh_write_obj(path, &view, diag));
    ++e->files;
    return FRZ_OK;
}

static frz_status write_frame(exporting *e, int index, frz_diag *diag)
{
    frz_frame_data data;
    FRZ_TRY(frz_frame_read(e->def->directory, index, &data, diag));
    frz_status status = frz_run_skins_place(&e->skins, &data.frame, diag);
    for (int k = 0; k < e->skins.count && status == FRZ_OK; ++k)
        status = write_body(e, &e->skins.items[k], &data.frame, diag);
    frz_frame_data_destroy(&data);
    return status;
}

static frz_status write_all(exporting *e, frz_diag *diag)
{
    const double start = frz_now();
    FRZ_TRY(prepare(e, diag));
    for (int position = 0; position < e->plan.count; ++position)
    {
        FRZ_TRY(write_frame(e, frz_frame_plan_at(&e->plan, position), diag));
        const double elapsed = frz_now() - start;
        const int done = position + 1, left = e->plan.count - done;
        const frz_surface_progress progress = {done, e->plan.count, elapsed, elapsed / done * left};
        if (e->def->progress != NULL && !e->def->progress(e->def->progress_user, &progress) && left > 0)
            return frz_fail(diag, FRZ_ERR_STOPPED, "stopped after %d of %d frames", done, e->plan.count);
    }
    return FRZ_OK;
}

frz_status frz_surface_run(const frz_surface_def *def, int *files, frz_diag *diag)
{
    if (files != NULL)
        *files = 0;
    FRZ_TRY(check_def(def, diag));
    const int threads = omp_get_max_threads();
    if (def->threads > 0)
        omp_set_num_threads(def->threads);
    exporting e = {.def = def};
    const frz_status status = write_all(&e, diag);
    if (files != NULL)
        *files = e.files;
    frz_run_skins_destroy(&e.skins);
    frz_scene_destroy(&e.scene);
    omp_set_num_threads(threads);
    return status;
}
