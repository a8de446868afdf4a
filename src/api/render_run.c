// SPDX-License-Identifier: MIT
// Pictures of a run: read its scene and frames, draw each frame, make the film and the contact sheet.
#include "frazil/render.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/frames_done.h"
#include "api/render_run_internal.h"
#include "base/grow.h"
#include "base/memory.h"
#include "base/timers.h"
#include "io/file_replace.h"
#include "io/text_file.h"
#include "render/environment.h"

static const uint32_t render_cookie = 0x52454e44; // "REND": a def that did not start from the default is refused
static const double default_radius = 0.5;         // spacings: neighbours at rest touch
static const double flat_radius = 0.8;            // the same in 2D, where no gap may be left between four of them
static const float see_through_share = 0.35f;     // of the radius: one looks through between the spheres

enum
{
    path_samples = 16 // per pixel, with the noise smoothed
};

typedef struct rendering
{
    const frz_render_def *def;
    frz_scene *scene;
    frz_frame_plan plan;
    frz_coloring coloring;
    frz_moving_camera camera;
    frz_drawn_bodies bodies;
    frz_drawn_skins skins;
    frz_drawn_surfaces surfaces;
    frz_run_foam foam;
    frz_render_mesh *meshes; ///< of the bodies, the skins and the surfaces
    int64_t mesh_room;
    frz_environment *environment;
    frz_render_options options;
    frz_sheet sheet;
    int64_t capacity; ///< spheres that fit
    float *xyzr;
    frz_color *colors;
    frz_frames_done drawn; ///< by a rendering that was stopped, and by this one
    int caption_decimals;
    int done, kept; ///< pictures; of these drawn by the rendering that was stopped
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
    if (!(def->shutter >= 0.0 && def->shutter <= 1.0))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the shutter is open for 0 to 1 of the time of a frame, got %g",
                        def->shutter);
    if (def->radius < 0.0 || !isfinite(def->radius))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the radius of a drawn particle must be above 0, got %g", def->radius);
    if (!(def->film_rate >= 0.0 && def->film_rate <= 1000.0))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a film has more than 0 and up to 1000 pictures per second, got %g",
                        def->film_rate);
    struct stat info;
    if (stat(def->directory, &info) != 0)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot open the folder %s: %s", def->directory, strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return frz_fail(diag, FRZ_ERR_FILE, "expected the folder of a run, but %s is a file", def->directory);
    return FRZ_OK;
}

bool frz_render_follows_paths(const frz_render_def *def, const frz_scene *scene)
{
    return def->style == FRZ_RENDER_SURFACE && !def->preview && scene->dimension == 3;
}

static void choose_options(rendering *r)
{
    const frz_render_def *def = r->def;
    r->options = frz_render_options_default();
    r->options.width = def->width > 0 ? def->width : r->scene->output.image.width;
    r->options.height = def->height > 0 ? def->height : r->scene->output.image.height;
    const bool paths = frz_render_follows_paths(def, r->scene);
    r->options.paths = (frz_render_paths){.on = paths,
                                          .denoise = !def->no_denoise,
                                          .shutter = def->shutter / r->scene->frame_rate,
                                          .environment = r->environment};
    if (def->style == FRZ_RENDER_DIAGRAM)
    {
        const frz_color white = {1.0f, 1.0f, 1.0f};
        r->options.diagram = true;
        r->options.background_top = r->options.background_bottom = white;
    }
    if (paths)
        r->options.samples = path_samples;
    if (def->samples > 0)
        r->options.samples = def->samples;
    // one digit more than the time between two pictures needs
    const double interval = r->plan.every / r->scene->frame_rate;
    r->caption_decimals = (int)fmin(fmax(ceil(-log10(interval)) + 1.0, 2.0), 9.0);
}

/// Width and height in the header of a PNG file (ISO 15948: signature, length, "IHDR", width, height).
static bool png_size(const char *path, int *width, int *height)
{
    unsigned char head[24];
    FILE *file = fopen(path, "rbe");
    const bool good = file != NULL && fread(head, 1, sizeof head, file) == sizeof head;
    if (file != NULL)
        (void)fclose(file);
    *width = good ? (int)((unsigned)head[16] << 24 | head[17] << 16 | head[18] << 8 | head[19]) : 0;
    *height = good ? (int)((unsigned)head[20] << 24 | head[21] << 16 | head[22] << 8 | head[23]) : 0;
    return good;
}

/// Pictures of another size would stay between the new ones, and make a film that changes its size: take them away
/// before the first is drawn, and say so.
static frz_status drop_other_sizes(const rendering *r, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    int dropped = 0, other[2] = {0, 0};
    const int frames = frz_frame_count(r->def->directory);
    for (int k = 0; k < frames; ++k)
    {
        struct stat info;
        int width = 0, height = 0;
        FRZ_TRY(frz_path_format(path, diag, "%s/images/frame_%06d.png", r->def->directory, k));
        if (lstat(path, &info) != 0 || !S_ISREG(info.st_mode) || !png_size(path, &width, &height) ||
            (width == r->options.width && height == r->options.height))
            continue;
        if (unlink(path) != 0)
            return frz_fail_file(diag, "remove", path, errno);
        ++dropped;
        other[0] = width;
        other[1] = height;
    }
    char text[160];
    snprintf(text, sizeof text, "removed %d earlier picture%s of another size (%d x %d)", dropped,
             dropped == 1 ? "" : "s", other[0], other[1]);
    if (dropped > 0 && r->def->log != NULL)
        r->def->log(r->def->log_user, FRZ_LOG_INFO, text);
    return FRZ_OK;
}

/// Whether a key of the scene concerns pictures alone, so that it can be changed after the run.
static bool is_of_pictures(const char *path)
{
    static const char *const starts[] = {"output.camera", "output.color", "output.image", "output.foam"};
    static const char *const ends[] = {".look", ".color", ".visible"};
    for (size_t k = 0; k < sizeof starts / sizeof starts[0]; ++k)
    {
        const size_t length = strlen(starts[k]);
        if (strncmp(path, starts[k], length) == 0 && (path[length] == '\0' || path[length] == '.'))
            return true;
    }
    const char *last = strrchr(path, '.');
    for (size_t k = 0; k < sizeof ends / sizeof ends[0] && last != NULL; ++k)
        if (strcmp(last, ends[k]) == 0 && (strncmp(path, "materials.", 10) == 0 || strncmp(path, "bodies.", 7) == 0))
            return true;
    return false;
}

static frz_status apply_override(frz_scene *scene, const frz_render_override *override, frz_diag *diag)
{
    if (!is_of_pictures(override->key))
        return frz_fail(diag, FRZ_ERR_ARGUMENT,
                        "'%.60s' cannot be changed after the run; pictures take output.camera, output.color, "
                        "output.image, output.foam, and look, color and visible of materials and bodies",
                        override->key);
    return frz_scene_set(scene, override->key, override->value, diag);
}

/// All that pictures depend on, beside the frames.
static void add_options(frz_text_builder *text, const rendering *r)
{
    const frz_render_def *d = r->def;
    const frz_coloring *c = &r->coloring;
    frz_text_add(
        text, "frazil %s scene %016llx style %d %s preview %d size %d x %d samples %d denoise %d shutter %.17g ",
        frz_version(), (unsigned long long)frz_scene_hash(r->scene), (int)d->style, d->method != NULL ? d->method : "-",
        d->preview, r->options.width, r->options.height, r->options.samples, !d->no_denoise, d->shutter);
    frz_text_add(text, "radius %.17g bodies %d particles %d environment %s frames %d %d %d color %s %s %.17g %.17g\n",
                 d->radius, d->static_bodies, d->particles, d->environment != NULL ? d->environment : "sky",
                 r->plan.first, r->plan.every, r->plan.count, c->field, c->map != NULL ? c->map : "-", c->min, c->max);
}

/// From corner to corner of a cube of all particles, at the start or at the end, whatever is drawn; 0: there are none.
/// A rope and a film are thinner than the boxes around them: light that passes them tells how much there is.
static double matter_size(const rendering *r)
{
    const int last = frz_frame_count(r->def->directory) - 1;
    int64_t most = 0;
    for (int k = 0; k <= last && r->options.paths.on; k += last > 0 ? last : 1)
    {
        frz_frame_data data;
        if (frz_frame_read(r->def->directory, k, &data, NULL) != FRZ_OK)
            continue;
        most = data.frame.count > most ? data.frame.count : most;
        frz_frame_data_destroy(&data);
    }
    return sqrt(3.0) * cbrt((double)most) * r->scene->spacing;
}

static frz_status prepare(rendering *r, frz_diag *diag)
{
    const frz_frame_wish wish = {r->def->directory, r->def->first, r->def->last,
                                 r->def->every,     r->def->log,   r->def->log_user};
    FRZ_TRY(frz_frame_plan_make(&wish, &r->plan, diag));
    FRZ_TRY(frz_run_scene_load(r->def->directory, &r->scene, diag));
    for (int k = 0; k < r->def->override_count; ++k)
        FRZ_TRY(apply_override(r->scene, &r->def->overrides[k], diag));
    if (r->def->environment != NULL)
        FRZ_TRY(frz_environment_read(r->def->environment, &r->environment, diag));
    choose_options(r);
    if (r->def->movie != NULL)
    {
        FRZ_TRY(frz_movie_check(r->def->movie, diag)); // before hours of drawing
        FRZ_TRY(frz_file_try_place(r->def->movie, diag));
    }
    if (r->def->sheet != NULL)
        FRZ_TRY(frz_file_try_place(r->def->sheet, diag));
    FRZ_TRY(frz_drawn_skins_create(r->def, r->scene, &r->skins, diag));
    FRZ_TRY(frz_coloring_create(r->def, r->scene, &r->plan, &r->coloring, diag));
    frz_extent extent;
    FRZ_TRY(frz_extent_find(r->def, r->scene, &r->plan, &extent, diag));
    r->options.standing = extent.all;
    const frz_bounds size = frz_bounds_drawable(extent.start, r->scene->dimension) ? extent.start : extent.all;
    r->options.paths.scene_size = frz_v3_length(frz_v3_sub(size.max, size.min));
    r->options.paths.clear_size = matter_size(r);
    FRZ_TRY(frz_moving_camera_create(r->def->directory, r->scene, &extent, &r->plan,
                                     (double)r->options.width / (double)r->options.height, &r->camera, diag));
    if (r->def->static_bodies)
    {
        FRZ_TRY(frz_drawn_bodies_create(r->def, r->scene, &extent, &r->camera.start, &r->bodies, diag));
        const double last = frz_frame_plan_at(&r->plan, r->plan.count - 1);
        frz_drawn_bodies_sweep(&r->bodies, r->plan.first / r->scene->frame_rate, last / r->scene->frame_rate,
                               &r->options.standing);
    }
    FRZ_TRY(frz_drawn_surfaces_create(r->def, r->scene, &r->skins.skins, &r->coloring, &r->surfaces, diag));
    FRZ_TRY(frz_drawn_foam_create(r->def, r->scene, &r->plan, &r->surfaces, &r->foam, diag));
    char path[FRZ_PATH_SIZE];
    FRZ_TRY(frz_path_format(path, diag, "%s/images", r->def->directory));
    FRZ_TRY(frz_folder_make(path, diag));
    add_options(&r->drawn.text, r);
    FRZ_TRY(frz_frames_done_open(&r->drawn, path, diag));
    return drop_other_sizes(r, diag);
}

// ---- one picture

static float sphere_radius(const rendering *r)
{
    const double radius = r->scene->dimension < 3 ? flat_radius : default_radius;
    return (float)((r->def->radius > 0.0 ? r->def->radius : radius) * r->scene->spacing);
}

/// Of the radius that a particle of a body is drawn with; the ray caster leaves out spheres without one.
static float shown_share(const rendering *r, double body)
{
    if (!frz_drawn_skins_leave(&r->skins, r->scene, body))
        return 0.0f;
    const bool known = body >= 0.0 && body < r->scene->bodies.count;
    return known && r->scene->bodies.items[(int)body].visible == FRZ_SCENE_SEE_THROUGH ? see_through_share : 1.0f;
}

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
    const float radius = sphere_radius(r);
    const frz_array_desc *position = &frame->position, *body = frz_frame_field(frame, "body");
    float *xyzr = r->xyzr;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < frame->count; ++i)
    {
        for (int c = 0; c < 3; ++c)
            xyzr[4 * i + c] = (float)frz_array_value(position, i, c);
        xyzr[4 * i + 3] = body == NULL ? radius : radius * shown_share(r, frz_run_skins_body(frame, i));
    }
    FRZ_TRY(frz_coloring_apply(&r->coloring, frame, r->colors, diag));
    *out = (frz_render_spheres){frame->count, r->xyzr, r->colors};
    return FRZ_OK;
}

/// The meshes of bodies, skins and surfaces as they are in a frame.
static frz_status collect_meshes(rendering *r, const frz_frame *frame, int *count, frz_diag *diag)
{
    FRZ_TRY(frz_drawn_surfaces_make(&r->surfaces, r->scene, &r->coloring, frame, r->colors, diag));
    const int surfaces = r->surfaces.frame.count, most = r->bodies.count + r->skins.skins.count + surfaces;
    void *grown = frz_grow("drawn bodies", r->meshes, &r->mesh_room, most + 1, 0, sizeof *r->meshes);
    if (grown == NULL)
        return frz_fail_memory(diag, "the bodies of a picture");
    r->meshes = grown;
    for (int b = 0; b < r->bodies.count; ++b)
        r->meshes[b] = r->bodies.meshes[b];
    const bool blurred = r->options.paths.on && r->options.paths.shutter > 0.0;
    const int skins =
        frz_drawn_skins_collect(&r->skins, r->scene, &r->coloring, frame, blurred, r->meshes + r->bodies.count);
    for (int k = 0; k < surfaces; ++k)
        r->meshes[r->bodies.count + skins + k] = r->surfaces.meshes[k];
    *count = r->bodies.count + skins + surfaces;
    return FRZ_OK;
}

static frz_status draw_image(rendering *r, const frz_frame *frame, const char *caption, frz_image *image,
                             frz_diag *diag)
{
    frz_render_spheres spheres;
    FRZ_TRY(frz_run_skins_place(&r->skins.skins, frame, diag));
    FRZ_TRY(make_spheres(r, frame, &spheres, diag));
    frz_drawn_bodies_place(&r->bodies, frame->time, r->options.paths.on ? r->options.paths.shutter : 0.0);
    int meshes = 0;
    FRZ_TRY(collect_meshes(r, frame, &meshes, diag));
    frz_drawn_surfaces_hide(&r->surfaces, frame, sphere_radius(r), r->xyzr, r->colors);
    frz_drawn_skins_fill(&r->skins, r->scene, &r->coloring, sphere_radius(r), r->xyzr, r->colors);
    FRZ_TRY(frz_run_foam_make(&r->foam, frame, r->def->log, r->def->log_user, diag));
    FRZ_TRY(frz_drawn_foam_add(&r->foam.points, &r->capacity, &r->xyzr, &r->colors, &spheres, diag));
    const frz_render_legend legend = {.title = r->coloring.field[0] != '\0' ? r->coloring.title : NULL,
                                      .colormap = r->coloring.map,
                                      .min = r->coloring.min,
                                      .max = r->coloring.max,
                                      .caption = r->options.paths.on ? NULL : caption};
    const frz_camera camera = frz_moving_camera_at(&r->camera, frame);
    frz_drawn_bodies_tell_inside(&r->bodies, r->def, r->scene, camera.eye, frame->time);
    return frz_raycast(&spheres, r->meshes, meshes, &camera, &legend, &r->options, image, diag);
}

static frz_status draw_picture(rendering *r, int position, frz_diag *diag)
{
    const int index = frz_frame_plan_at(&r->plan, position);
    char path[FRZ_PATH_SIZE], caption[32];
    frz_frame_data data;
    frz_image image = {0, 0, NULL};
    FRZ_TRY(frz_path_format(path, diag, "%s/images/frame_%06d.png", r->def->directory, index));
    int size[2];
    if (frz_frames_done_has(&r->drawn, r->def->directory, index) && png_size(path, &size[0], &size[1]) &&
        r->def->sheet == NULL) // a sheet wants to see them all
    {
        r->kept += 1;
        return FRZ_OK;
    }
    FRZ_TRY(frz_frame_read(r->def->directory, index, &data, diag));
    snprintf(caption, sizeof caption, "t = %.*f s", r->caption_decimals, data.frame.time);
    frz_status status = draw_image(r, &data.frame, caption, &image, diag);
    frz_frame_data_destroy(&data);
    if (status == FRZ_OK)
        status = frz_image_write_png(&image, path, diag);
    if (status == FRZ_OK && r->def->sheet != NULL)
    {
        const bool chosen = r->def->first > 0 || r->def->last >= 0 || r->def->every > 1;
        status = frz_sheet_offer(&r->sheet, &r->plan, chosen, position, &image, caption, diag);
    }
    frz_image_destroy(&image);
    return status == FRZ_OK ? frz_frames_done_add(&r->drawn, r->def->directory, index, diag) : status;
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
        snprintf(end, room, "; the picture of frame %d was drawn, and the same command goes on", last);
    else
        snprintf(end, room,
                 "; %d pictures, of frames %d to %d, were drawn, and the same command goes on with the others", r->done,
                 r->plan.first, last);
}

static bool report(const rendering *r, double start)
{
    if (r->def->progress == NULL)
        return true;
    const double elapsed = frz_now() - start;
    const frz_render_progress progress = {.done = r->done,
                                          .total = r->plan.count,
                                          .elapsed = elapsed,
                                          .eta = frz_frames_time_left(elapsed, r->done, r->kept, r->plan.count)};
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
            return frz_fail(diag, FRZ_ERR_STOPPED,
                            "stopped after %d of %d pictures; the same command goes on with the others", r->done,
                            r->plan.count);
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
        FRZ_TRY(frz_film_make(r->def->directory, &r->plan,
                              frz_film_rate(r->def->film_rate, r->scene->frame_rate, r->plan.every), r->def->movie,
                              diag));
    frz_frames_done_remove(&r->drawn);
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
    frz_frames_done_close(&r.drawn);
    frz_environment_destroy(&r.environment);
    frz_sheet_destroy(&r.sheet);
    frz_moving_camera_destroy(&r.camera);
    frz_drawn_bodies_destroy(&r.bodies);
    frz_run_foam_destroy(&r.foam);
    frz_drawn_surfaces_destroy(&r.surfaces);
    frz_drawn_skins_destroy(&r.skins);
    frz_free(r.meshes);
    frz_coloring_destroy(&r.coloring);
    frz_free(r.xyzr);
    frz_free(r.colors);
    frz_scene_destroy(&r.scene);
    omp_set_num_threads(threads);
    return status;
}
