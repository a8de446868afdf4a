// SPDX-License-Identifier: MIT
// Pictures of a run: read its scene and frames, draw each frame, make the film and the contact sheet.
#include "frazil/render.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "api/render_run_internal.h"
#include "base/memory.h"
#include "base/timers.h"
#include "io/file_replace.h"
#include "io/text_file.h"
#include "scene/yaml_tree.h"

static const uint32_t render_cookie = 0x52454e44; // "REND": a def that did not start from the default is refused
static const double default_radius = 0.5;         // spacings: neighbours at rest touch

typedef struct rendering
{
    const frz_render_def *def;
    frz_scene *scene;
    frz_frame_plan plan;
    frz_coloring coloring;
    frz_camera camera;
    frz_drawn_bodies bodies;
    frz_render_options options;
    frz_sheet sheet;
    int64_t capacity; ///< spheres that fit
    float *xyzr;
    frz_color *colors;
    int caption_decimals;
    int done;
} rendering;

frz_render_def frz_render_def_default(void)
{
    const frz_render_def def = {.last = -1, .every = 1, .static_bodies = true, .cookie = render_cookie};
    return def;
}

static frz_status check_def(const frz_render_def *def, frz_diag *diag)
{
    if (def == NULL || def->cookie != render_cookie)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "start a frz_render_def from frz_render_def_default()");
    if (def->directory == NULL || def->directory[0] == '\0')
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "rendering needs the folder of a run");
    if (def->has_range && !(isfinite(def->min) && isfinite(def->max) && def->min < def->max))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the range of the colours must go up, got %g to %g", def->min,
                        def->max);
    if (def->first < 0 || def->every < 0)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the first frame and the step between frames must not be negative");
    if (def->radius < 0.0 || !isfinite(def->radius))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the radius of a drawn particle must be above 0, got %g", def->radius);
    struct stat info;
    if (stat(def->directory, &info) != 0)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot open the folder %s: %s", def->directory, strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return frz_fail(diag, FRZ_ERR_FILE, "expected the folder of a run, but %s is a file", def->directory);
    return FRZ_OK;
}

// ---- what the folder holds

/// Folder of the original scene, in which relative mesh files lie; null if run.json does not say.
static char *scene_folder(const char *directory)
{
    char path[FRZ_PATH_SIZE];
    char *text = NULL, *folder = NULL;
    size_t length = 0;
    frz_tree *tree = NULL;
    if (frz_path_format(path, NULL, "%s/run.json", directory) != FRZ_OK ||
        frz_text_read(path, &text, &length, NULL) != FRZ_OK)
        return NULL;
    // JSON is YAML; a damaged file only costs the folder
    if (frz_tree_parse(text, length, path, &tree, NULL) == FRZ_OK && frz_tree_root(tree)->kind == FRZ_NODE_MAP)
    {
        const frz_node *node = frz_node_find(frz_tree_root(tree), "scene_folder");
        if (node != NULL && node->kind == FRZ_NODE_SCALAR && !frz_node_is_nothing(node))
            folder = frz_strdup(node->text);
    }
    frz_tree_destroy(&tree);
    frz_free(text);
    return folder;
}

static frz_status load_scene(const char *directory, frz_scene **out, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    char *text = NULL;
    size_t length = 0;
    FRZ_TRY(frz_path_format(path, diag, "%s/scene.yaml", directory));
    if (frz_text_read(path, &text, &length, diag) != FRZ_OK)
        return frz_fail(diag, FRZ_ERR_FILE, "%s holds no run: it has no readable scene.yaml", directory);
    char *folder = scene_folder(directory);
    const frz_status status = frz_scene_parse(text, path, folder, out, diag);
    frz_free(folder);
    frz_free(text);
    return status;
}

static frz_status plan_frames(const frz_render_def *def, frz_frame_plan *plan, frz_diag *diag)
{
    const int frames = frz_frame_count(def->directory);
    if (frames == 0)
        return frz_fail(diag, FRZ_ERR_FILE, "%s/frames holds no frames to draw", def->directory);
    if (def->first >= frames)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the run holds frames 0 to %d, so that drawing cannot start at %d",
                        frames - 1, def->first);
    if (def->last >= 0 && def->last < def->first)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the last frame (%d) must not come before the first (%d)", def->last,
                        def->first);
    if (def->last >= frames && def->log != NULL)
    {
        char note[128];
        snprintf(note, sizeof note, "the run holds frames 0 to %d only; drawing ends there", frames - 1);
        def->log(def->log_user, FRZ_LOG_WARNING, note);
    }
    const int last = def->last < 0 || def->last >= frames ? frames - 1 : def->last;
    plan->first = def->first;
    plan->every = def->every > 0 ? def->every : 1;
    plan->count = (last - def->first) / plan->every + 1;
    return FRZ_OK;
}

static void choose_options(rendering *r)
{
    const frz_render_def *def = r->def;
    r->options = frz_render_options_default();
    r->options.width = def->width > 0 ? def->width : r->scene->output.image.width;
    r->options.height = def->height > 0 ? def->height : r->scene->output.image.height;
    if (def->samples > 0)
        r->options.samples = def->samples;
    // one digit more than the time between two pictures needs
    const double interval = r->plan.every / r->scene->frame_rate;
    r->caption_decimals = (int)fmin(fmax(ceil(-log10(interval)) + 1.0, 2.0), 9.0);
}

static frz_status prepare(rendering *r, frz_diag *diag)
{
    FRZ_TRY(plan_frames(r->def, &r->plan, diag));
    FRZ_TRY(load_scene(r->def->directory, &r->scene, diag));
    choose_options(r);
    FRZ_TRY(frz_coloring_create(r->def, r->scene, &r->plan, &r->coloring, diag));
    const frz_extent extent = frz_extent_find(r->def, r->scene, &r->plan);
    r->camera = frz_camera_choose(r->scene, &extent, (double)r->options.width / (double)r->options.height);
    if (r->def->static_bodies)
        FRZ_TRY(frz_drawn_bodies_create(r->def->directory, r->scene, &extent, &r->camera, &r->bodies, diag));
    char path[FRZ_PATH_SIZE];
    FRZ_TRY(frz_path_format(path, diag, "%s/images", r->def->directory));
    return frz_folder_make(path, diag);
}

// ---- one picture

static frz_status make_spheres(rendering *r, const frz_frame *frame, frz_render_spheres *out, frz_diag *diag)
{
    if (frame->count > r->capacity)
    {
        frz_free(r->xyzr);
        frz_free(r->colors);
        r->xyzr = FRZ_ALLOC("drawn particles", 4 * frame->count, float);
        r->colors = FRZ_ALLOC("drawn particles", frame->count, frz_color);
        r->capacity = r->xyzr != NULL && r->colors != NULL ? frame->count : 0;
        if (r->capacity == 0)
            return frz_fail(diag, FRZ_ERR_MEMORY, "not enough memory to draw %lld particles", (long long)frame->count);
    }
    const double spacings = r->def->radius > 0.0 ? r->def->radius : default_radius;
    const float radius = (float)(spacings * r->scene->spacing);
    const frz_array_desc *position = &frame->position;
    float *xyzr = r->xyzr;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < frame->count; ++i)
    {
        for (int c = 0; c < 3; ++c)
            xyzr[4 * i + c] = (float)frz_array_value(position, i, c);
        xyzr[4 * i + 3] = radius;
    }
    FRZ_TRY(frz_coloring_apply(&r->coloring, frame, r->colors, diag));
    *out = (frz_render_spheres){frame->count, r->xyzr, r->colors};
    return FRZ_OK;
}

static frz_status draw_image(rendering *r, const frz_frame *frame, const char *caption, frz_image *image,
                             frz_diag *diag)
{
    frz_render_spheres spheres;
    FRZ_TRY(make_spheres(r, frame, &spheres, diag));
    FRZ_TRY(frz_drawn_bodies_place(&r->bodies, frame->time, diag));
    const frz_render_legend legend = {.title = r->coloring.field[0] != '\0' ? r->coloring.title : NULL,
                                      .colormap = r->coloring.map,
                                      .min = r->coloring.min,
                                      .max = r->coloring.max,
                                      .caption = caption};
    return frz_raycast(&spheres, r->bodies.meshes, r->bodies.count, &r->camera, &legend, &r->options, image, diag);
}

static frz_status draw_picture(rendering *r, int position, frz_diag *diag)
{
    const int index = frz_frame_plan_at(&r->plan, position);
    char path[FRZ_PATH_SIZE], caption[32];
    frz_frame_data data;
    frz_image image = {0, 0, NULL};
    FRZ_TRY(frz_path_format(path, diag, "%s/images/frame_%06d.png", r->def->directory, index));
    FRZ_TRY(frz_frame_read(r->def->directory, index, &data, diag));
    snprintf(caption, sizeof caption, "t = %.*f s", r->caption_decimals, data.frame.time);
    frz_status status = draw_image(r, &data.frame, caption, &image, diag);
    frz_frame_data_destroy(&data);
    if (status == FRZ_OK)
        status = frz_image_write_png(&image, path, diag);
    if (status == FRZ_OK && r->def->sheet != NULL)
        status = frz_sheet_offer(&r->sheet, &r->plan, position, &image, caption, diag);
    frz_image_destroy(&image);
    return status;
}

/// Say in the message how far the drawing came.
static void add_drawn(const rendering *r, frz_diag *diag)
{
    if (diag == NULL)
        return;
    const size_t length = strlen(diag->message);
    char *end = diag->message + length;
    const size_t room = sizeof diag->message - length;
    const int last = frz_frame_plan_at(&r->plan, r->done - 1);
    if (r->done == 0)
        snprintf(end, room, "; no picture was drawn");
    else if (r->done == 1)
        snprintf(end, room, "; the picture of frame %d was drawn", last);
    else
        snprintf(end, room, "; %d pictures, of frames %d to %d, were drawn", r->done, r->plan.first, last);
}

static bool report(const rendering *r, double start)
{
    if (r->def->progress == NULL)
        return true;
    const double elapsed = frz_now() - start;
    const frz_render_progress progress = {.done = r->done,
                                          .total = r->plan.count,
                                          .elapsed = elapsed,
                                          .eta = elapsed / r->done * (r->plan.count - r->done)};
    return r->def->progress(r->def->progress_user, &progress);
}

static frz_status draw_all(rendering *r, frz_diag *diag)
{
    const double start = frz_now();
    for (int position = 0; position < r->plan.count; ++position)
    {
        const frz_status status = draw_picture(r, position, diag);
        if (status != FRZ_OK)
        {
            add_drawn(r, diag);
            return status;
        }
        r->done = position + 1;
        if (!report(r, start) && r->done < r->plan.count)
            return frz_fail(diag, FRZ_ERR_STOPPED, "stopped after %d of %d pictures", r->done, r->plan.count);
    }
    return FRZ_OK;
}

static frz_status render(rendering *r, frz_diag *diag)
{
    FRZ_TRY(prepare(r, diag));
    FRZ_TRY(draw_all(r, diag));
    const char *title = frz_scene_title(r->scene);
    if (r->def->sheet != NULL)
        FRZ_TRY(frz_sheet_write(&r->sheet, title, r->def->sheet, diag));
    if (r->def->movie != NULL)
        FRZ_TRY(frz_film_make(r->def->directory, &r->plan, r->scene->frame_rate, r->def->movie, diag));
    return FRZ_OK;
}

frz_status frz_render_run(const frz_render_def *def, int *pictures, frz_diag *diag)
{
    if (pictures != NULL)
        *pictures = 0;
    FRZ_TRY(check_def(def, diag));
    const int threads = omp_get_max_threads();
    if (def->threads > 0)
        omp_set_num_threads(def->threads);
    rendering r = {.def = def};
    const frz_status status = render(&r, diag);
    if (pictures != NULL)
        *pictures = r.done;
    frz_sheet_destroy(&r.sheet);
    frz_drawn_bodies_destroy(&r.bodies);
    frz_coloring_destroy(&r.coloring);
    frz_free(r.xyzr);
    frz_free(r.colors);
    frz_scene_destroy(&r.scene);
    omp_set_num_threads(threads);
    return status;
}
