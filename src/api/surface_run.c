// SPDX-License-Identifier: MIT
// Surfaces of a run as mesh files.
#include "frazil/surface.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "api/frames_done.h"
#include "api/run_foam.h"
#include "api/run_reading.h"
#include "api/run_skins.h"
#include "api/run_surfaces.h"
#include "api/surface_bodies.h"
#include "base/memory.h"
#include "base/timers.h"
#include "io/file_replace.h"
#include "io/mesh_file.h"
#include "io/text_file.h"

static const uint32_t surface_cookie = 0x53555246; // "SURF": a def that did not start from the default is refused

static const double pose_step = 0.01; // frames: over which the velocity of a body is taken

enum
{
    value_most = 3 * FRZ_ISO_FIELDS_MOST
};

typedef struct exporting
{
    const frz_surface_def *def;
    char output[FRZ_PATH_SIZE];
    frz_scene *scene;
    frz_frame_plan plan;
    frz_run_skins skins;
    frz_run_surfaces surfaces;
    frz_surface_bodies bodies;
    frz_run_foam foam;
    frz_frames_done done;
    bool still_written; ///< the bodies that do not move
    int value_count;
    char names[value_most][64];
    const char *value_names[value_most];
    frz_surface_times times;
    int files, kept; ///< files written; frames of an earlier call
} exporting;

frz_surface_options frz_surface_options_default(void)
{
    const frz_surface_options options = {.smoothing = -1, .spray = -1};
    return options;
}

const char *const *frz_surface_methods(void)
{
    return frz_iso_method_names();
}

frz_surface_def frz_surface_def_default(void)
{
    const frz_surface_def def = {
        .options = frz_surface_options_default(), .last = -1, .every = 1, .cookie = surface_cookie};
    return def;
}

static frz_status check_def(const frz_surface_def *def, frz_diag *diag)
{
    if (def == NULL || def->cookie != surface_cookie)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "start a frz_surface_def from frz_surface_def_default()");
    if (def->directory == NULL || def->directory[0] == '\0')
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "surfaces need the folder of a run");
    if (def->format != FRZ_SURFACE_PLY && def->format != FRZ_SURFACE_OBJ && def->format != FRZ_SURFACE_VTKHDF)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "unknown format of surfaces: %d", (int)def->format);
    if (!(def->options.decimate >= 0.0 && def->options.decimate <= 1.0))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "--decimate: expected the share of triangles to keep, 0 to 1, got %g",
                        def->options.decimate);
    if (!(def->foam >= 0.0 && def->foam <= 10.0))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "--foam: expected an amount of 0 to 10, got %g", def->foam);
    if (def->first < 0 || def->every < 0)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the first frame and the step between frames must not be negative");
    return FRZ_OK;
}

// ---- files

static frz_status write_view(exporting *e, const char *name, const frz_frame *frame, frz_mesh_view *view,
                             frz_diag *diag)
{
    static frz_status (*const writers[])(const char *, const frz_mesh_view *,
                                         frz_diag *) = {[FRZ_SURFACE_PLY] = frz_mesh_write_ply,
                                                        [FRZ_SURFACE_OBJ] = frz_mesh_write_obj,
                                                        [FRZ_SURFACE_VTKHDF] = frz_mesh_write_vtkhdf};
    static const char *const endings[] = {
        [FRZ_SURFACE_PLY] = "ply", [FRZ_SURFACE_OBJ] = "obj", [FRZ_SURFACE_VTKHDF] = "vtkhdf"};
    char path[FRZ_PATH_SIZE], comment[64];
    FRZ_TRY(frz_path_format(path, diag, "%s/%s_%06d.%s", e->output, name, frame->index, endings[e->def->format]));
    snprintf(comment, sizeof comment, "frazil %s, time %.9g s, lengths in m", frz_version(), frame->time);
    view->comment = comment;
    FRZ_TRY(writers[e->def->format](path, view, diag));
    ++e->files;
    return FRZ_OK;
}

static frz_mesh_view view_of(const frz_mesh *mesh, const frz_vec3 *normals)
{
    const frz_mesh_view view = {.vertex_count = mesh->vertex_count,
                                .triangle_count = mesh->triangle_count,
                                .positions = (const double *)mesh->vertices,
                                .normals = (const double *)normals,
                                .triangles = (const int *)mesh->triangles};
    return view;
}

/// Lone drops as points with their velocity.
static frz_status write_spray(exporting *e, const frz_frame_surface *surface, const frz_frame *frame, frz_diag *diag)
{
    const int count = (int)surface->mesh->spray_count;
    const frz_array_desc *velocity = frz_frame_field(frame, "velocity");
    char name[FRZ_SURFACE_NAME + 8];
    snprintf(name, sizeof name, "%s_spray", surface->name);
    double *values = FRZ_ALLOC("spray", 6 * (int64_t)count + 1, double);
    if (values == NULL)
        return frz_fail_memory(diag, "the spray of a surface");
    for (int k = 0; k < count; ++k)
        for (int c = 0; c < 3; ++c)
        {
            const int64_t row = surface->mesh->spray[k];
            values[3 * k + c] = frz_array_value(&frame->position, row, c);
            values[3 * (count + k) + c] = velocity != NULL ? frz_array_value(velocity, row, c) : 0.0;
        }
    frz_mesh_view view = {.vertex_count = count, .positions = values, .velocities = values + 3 * (int64_t)count};
    const frz_status status = write_view(e, name, frame, &view, diag);
    frz_free(values);
    return status;
}

/// Foam as points with their radii.
static frz_status write_foam(exporting *e, const frz_frame *frame, frz_diag *diag)
{
    static const char *const names[] = {"radius"};
    FRZ_TRY(frz_run_foam_make(&e->foam, frame, e->def->log, e->def->log_user, diag));
    const frz_foam_points *points = &e->foam.points;
    if (!e->foam.wanted || points->count == 0 || points->count > INT32_MAX)
        return FRZ_OK;
    const int count = (int)points->count;
    double *places = FRZ_ALLOC("foam", 3 * (int64_t)count, double);
    float *radii = FRZ_ALLOC("foam", count, float);
    for (int k = 0; k < count && places != NULL && radii != NULL; ++k)
    {
        for (int c = 0; c < 3; ++c)
            places[3 * k + c] = (double)points->xyzr[4 * k + c];
        radii[k] = points->xyzr[4 * k + 3];
    }
    frz_mesh_view view = {
        .vertex_count = count, .positions = places, .value_count = 1, .value_names = names, .values = radii};
    const frz_status status = places != NULL && radii != NULL ? write_view(e, "foam", frame, &view, diag)
                                                              : frz_fail_memory(diag, "the foam of a liquid");
    frz_free(places);
    frz_free(radii);
    return status;
}

static frz_status write_surface(exporting *e, const frz_frame_surface *surface, const frz_frame *frame, frz_diag *diag)
{
    const frz_surface_mesh *mesh = surface->mesh;
    frz_mesh_view view = view_of(mesh->mesh, mesh->normals);
    view.velocities = (const double *)mesh->velocities;
    view.value_count = mesh->value_count;
    view.value_names = (const char *const *)e->value_names;
    view.values = mesh->values;
    view.edge_count = mesh->edge_count;
    view.edges = (const int *)mesh->edges;
    FRZ_TRY(write_view(e, surface->name, frame, &view, diag));
    return mesh->spray_count > 0 ? write_spray(e, surface, frame, diag) : FRZ_OK;
}

/// Names of the numbers that vertices carry: that of the field, with _x, _y, _z for vectors.
static frz_status name_values(exporting *e, const frz_frame *frame, frz_diag *diag)
{
    const frz_surface_options *options = &e->def->options;
    e->value_count = 0;
    for (int f = 0; f < options->field_count; ++f)
    {
        const frz_array_desc *array = frz_frame_field(frame, options->fields[f]);
        for (int c = 0; array != NULL && c < array->components && e->value_count < value_most; ++c)
        {
            char *name = e->names[e->value_count];
            snprintf(name, sizeof e->names[0], "%.60s%s", array->name,
                     array->components == 1 ? "" : (const char *[]){"_x", "_y", "_z"}[c < 3 ? c : 2]);
            e->value_names[e->value_count++] = name;
        }
    }
    (void)diag;
    return FRZ_OK;
}

static frz_status write_liquids(exporting *e, const frz_frame *frame, frz_diag *diag)
{
    frz_frame_surfaces surfaces;
    FRZ_TRY(name_values(e, frame, diag));
    double start = frz_cpu_now();
    FRZ_TRY(frz_run_surfaces_make(&e->surfaces, frame, &surfaces, diag));
    e->times.triangles += frz_cpu_lap(&start);
    frz_status status = FRZ_OK;
    for (int k = 0; k < surfaces.count && status == FRZ_OK; ++k)
    {
        const double dressing = surfaces.items[k].mesh->dress_seconds;
        e->times.triangles -= dressing;
        e->times.dress += dressing;
        e->times.triangle_count += surfaces.items[k].mesh->mesh->triangle_count;
        status = write_surface(e, &surfaces.items[k], frame, diag);
    }
    e->times.write += frz_cpu_lap(&start);
    frz_frame_surfaces_destroy(&surfaces);
    return status;
}

/// Bodies that move in every frame; the others once, in the first.
static frz_status write_bodies(exporting *e, const frz_frame *frame, frz_diag *diag)
{
    for (int b = 0; b < e->bodies.count; ++b)
    {
        frz_surface_body *body = &e->bodies.items[b];
        if (body->pose.motion.count == 0 && e->still_written)
            continue;
        frz_surface_body_place(body, frame->time, pose_step / e->scene->frame_rate);
        frz_mesh_view view = view_of(body->mesh, NULL);
        view.positions = (const double *)body->places;
        view.velocities = (const double *)body->velocities;
        view.texture = (const float *)body->texture;
        FRZ_TRY(write_view(e, body->body->name, frame, &view, diag));
    }
    e->still_written = true;
    return FRZ_OK;
}

static frz_status write_frame(exporting *e, int index, frz_diag *diag)
{
    frz_frame_data data;
    if (frz_frames_done_has(&e->done, e->def->directory, index))
    {
        e->kept += 1;
        e->still_written = true;
        return FRZ_OK;
    }
    double start = frz_cpu_now();
    FRZ_TRY(frz_frame_read(e->def->directory, index, &data, diag));
    e->times.read += frz_cpu_lap(&start);
    e->times.particles += data.frame.count;
    frz_status status = frz_run_skins_place(&e->skins, &data.frame, diag);
    for (int k = 0; k < e->skins.count && status == FRZ_OK; ++k)
    {
        const frz_body_skin *item = &e->skins.items[k];
        if (!frz_run_skins_covers(&e->skins, item->body))
            continue;
        frz_mesh_view view = view_of(frz_skin_mesh(item->skin), frz_skin_normals(item->skin));
        status = write_view(e, e->scene->bodies.items[item->body].name, &data.frame, &view, diag);
    }
    if (status == FRZ_OK)
        status = write_bodies(e, &data.frame, diag);
    if (status == FRZ_OK)
        status = write_liquids(e, &data.frame, diag);
    if (status == FRZ_OK)
        status = write_foam(e, &data.frame, diag);
    frz_frame_data_destroy(&data);
    return status == FRZ_OK ? frz_frames_done_add(&e->done, e->def->directory, index, diag) : status;
}

// ---- the whole

static bool has_surfaces(const frz_scene *scene, bool with_bodies)
{
    bool any = scene->emitters.count > 0 || (with_bodies && scene->bodies.count > 0);
    for (int b = 0; b < scene->bodies.count; ++b)
        any = any || scene->bodies.items[b].state == FRZ_SCENE_LIQUID ||
              scene->bodies.items[b].state == FRZ_SCENE_ELASTIC || scene->bodies.items[b].filled;
    return any;
}

static void add_options(frz_text_builder *text, const frz_surface_def *def)
{
    const frz_surface_options *o = &def->options;
    frz_text_add(text,
                 "frazil %s format %d method %s cell %.17g smoothing %d decimate %.17g spray %d open %d merge %d "
                 "bodies %d foam %.17g fields",
                 frz_version(), (int)def->format, o->method != NULL ? o->method : frz_surface_methods()[0], o->cell,
                 o->smoothing, o->decimate, o->spray, o->walls_open, o->merge, def->bodies, def->foam);
    for (int f = 0; f < o->field_count; ++f)
        frz_text_add(text, " %s", o->fields[f]);
    frz_text_add(text, "\n");
}

static frz_status prepare_foam(exporting *e, frz_diag *diag)
{
    if (!(e->def->foam > 0.0) || e->scene->dimension < 3)
        return FRZ_OK;
    bool *liquids = FRZ_ALLOC("foam", e->scene->materials.count + 1, bool);
    if (liquids == NULL)
        return frz_fail_memory(diag, "the foam of a liquid");
    for (int m = 0; m < e->scene->materials.count; ++m)
        liquids[m] = true;
    frz_run_foam_create(&e->surfaces, e->def->directory, e->def->foam, liquids, e->plan.first, &e->foam);
    return FRZ_OK;
}

static frz_status prepare(exporting *e, frz_diag *diag)
{
    const frz_surface_def *def = e->def;
    const frz_frame_wish wish = {def->directory, def->first, def->last, def->every, def->log, def->log_user};
    FRZ_TRY(frz_run_scene_load(def->directory, &e->scene, diag));
    FRZ_TRY(frz_frame_plan_make(&wish, &e->plan, diag));
    FRZ_TRY(frz_run_skins_create(e->scene, def->directory, &e->skins, diag));
    e->skins.closed_only = true;
    if (e->skins.missing != NULL)
        return frz_fail(diag, FRZ_ERR_FILE,
                        "the frames of %s have no field '%s', without which a surface cannot follow the particles; add "
                        "id and body to output.fields of the scene and run it again",
                        def->directory, e->skins.missing);
    if (!has_surfaces(e->scene, def->bodies))
        return frz_fail(
            diag, FRZ_ERR_ARGUMENT,
            "the run in %s has no surface to write but those of static and rigid bodies; let them be written, too",
            def->directory);
    FRZ_TRY(frz_run_surfaces_create(e->scene, def->directory, &e->skins, &def->options, &e->surfaces, diag));
    FRZ_TRY(prepare_foam(e, diag));
    if (def->output != NULL)
        FRZ_TRY(frz_path_format(e->output, diag, "%s", def->output));
    else
        FRZ_TRY(frz_path_format(e->output, diag, "%s/surface", def->directory));
    FRZ_TRY(frz_folder_make(e->output, diag));
    add_options(&e->done.text, def);
    FRZ_TRY(frz_frames_done_open(&e->done, e->output, diag));
    if (!def->bodies)
        return FRZ_OK;
    frz_frame_data data;
    FRZ_TRY(frz_frame_read(def->directory, e->plan.first, &data, diag));
    const frz_status status = frz_surface_bodies_create(e->scene, def->directory, &data.frame, &e->bodies, diag);
    frz_frame_data_destroy(&data);
    return status;
}

/// Say in the message how far it came.
static void add_done(const exporting *e, int done, frz_diag *diag)
{
    if (diag == NULL)
        return;
    const size_t length = strlen(diag->message);
    snprintf(diag->message + length, sizeof diag->message - length,
             "; the surfaces of %d of %d frames are there, and the same command goes on with the others", done,
             e->plan.count);
}

static frz_status write_all(exporting *e, frz_diag *diag)
{
    const double start = frz_now();
    FRZ_TRY(prepare(e, diag));
    for (int position = 0; position < e->plan.count; ++position)
    {
        const frz_status status = write_frame(e, frz_frame_plan_at(&e->plan, position), diag);
        if (status != FRZ_OK)
        {
            if (status != FRZ_ERR_ARGUMENT) // which the same command would meet again
                add_done(e, position, diag);
            return status;
        }
        const double elapsed = frz_now() - start;
        const int done = position + 1, left = e->plan.count - done;
        const frz_surface_progress progress = {done, e->plan.count, elapsed,
                                               frz_frames_time_left(elapsed, done, e->kept, e->plan.count)};
        if (e->def->progress != NULL && !e->def->progress(e->def->progress_user, &progress) && left > 0)
            return frz_fail(diag, FRZ_ERR_STOPPED,
                            "stopped after %d of %d frames; the same command goes on with the others", done,
                            e->plan.count);
    }
    return e->def->format == FRZ_SURFACE_VTKHDF ? frz_mesh_write_masters(e->output, e->scene->frame_rate, diag)
                                                : FRZ_OK;
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
    if (def->times != NULL)
        *def->times = e.times;
    frz_frames_done_close(&e.done);
    frz_surface_bodies_destroy(&e.bodies);
    frz_run_foam_destroy(&e.foam);
    frz_run_surfaces_destroy(&e.surfaces);
    frz_run_skins_destroy(&e.skins);
    frz_scene_destroy(&e.scene);
    omp_set_num_threads(threads);
    return status;
}
