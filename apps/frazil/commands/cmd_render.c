// SPDX-License-Identifier: MIT
// frazil render: pictures, a film and a contact sheet of a run.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/command.h"
#include "commands/frame_range.h"
#include "json.h"
#include "output.h"

typedef struct render_values
{
    frz_common_values common;
    const char *field, *map, *range, *size, *frames, *movie, *sheet, *camera, *style, *method, *foam;
    frz_text_list set;
    int samples;
    double radius, film_rate;
    const char *environment;
    double shutter;
    bool no_bodies, particles, preview, no_denoise;
} render_values;

static const frz_option render_options[] = {
    {"movie", 'm', FRZ_OPTION_TEXT, offsetof(render_values, movie), "FILE",
     "make a film, e.g. out/film.mp4, .webm or .gif"},
    {"film-rate", 0, FRZ_OPTION_REAL, offsetof(render_values, film_rate), "N",
     "pictures per second of the film; those of the run if left out, 30 if they are more than 120"},
    {"sheet", 0, FRZ_OPTION_TEXT, offsetof(render_values, sheet), "FILE",
     "make a contact sheet (PNG) of nine frames, or of those of --frames, 64 at most"},
    {"style", 0, FRZ_OPTION_TEXT, offsetof(render_values, style), "NAME",
     "particles: liquids as spheres (the default); surface: as water, wax, ... by paths of light; diagram: plain "
     "colours and lines on white"},
    {"method", 0, FRZ_OPTION_TEXT, offsetof(render_values, method), "NAME",
     "field of the surfaces: density (the default), anisotropic, zhu2005 or solenthaler2007"},
    {"preview", 0, FRZ_OPTION_FLAG, offsetof(render_values, preview), NULL,
     "surfaces with simple shading, about six times faster"},
    {"environment", 0, FRZ_OPTION_TEXT, offsetof(render_values, environment), "FILE",
     "Radiance picture (.hdr) that lights surfaces; a sky with a sun if left out"},
    {"shutter", 0, FRZ_OPTION_REAL, offsetof(render_values, shutter), "SHARE",
     "part of a frame's time that the shutter is open, for motion blur; 0.5 as in films"},
    {"foam", 0, FRZ_OPTION_TEXT, offsetof(render_values, foam), "AMOUNT",
     "white points where clear liquids have taken in air; 1: about as much as water has, 0: none"},
    {"no-denoise", 0, FRZ_OPTION_FLAG, offsetof(render_values, no_denoise), NULL,
     "leave the noise that few samples make"},
    {"field", 0, FRZ_OPTION_TEXT, offsetof(render_values, field), "NAME",
     "colour by this field, e.g. velocity; none: by material"},
    {"map", 0, FRZ_OPTION_TEXT, offsetof(render_values, map), "NAME", "viridis, turbo, water, heat, coolwarm or gray"},
    {"range", 0, FRZ_OPTION_TEXT, offsetof(render_values, range), "MIN:MAX", "values of the first and last colour"},
    {"size", 0, FRZ_OPTION_TEXT, offsetof(render_values, size), "WxH", "pixels, e.g. 1920x1080"},
    FRZ_FRAMES_OPTION(render_values),
    {"camera", 0, FRZ_OPTION_TEXT, offsetof(render_values, camera), "YAML",
     "another camera, e.g. '{eye: [2, 1, 3], turntable: 90 deg}' or '{follow: boat}'"},
    {"set", 0, FRZ_OPTION_LIST, offsetof(render_values, set), "KEY=VALUE",
     "override a key of the scene that pictures depend on; repeatable"},
    {"samples", 0, FRZ_OPTION_SMALL, offsetof(render_values, samples), "N", "rays per pixel"},
    {"radius", 0, FRZ_OPTION_REAL, offsetof(render_values, radius), "R", "of a particle, in spacings; 0.5, in 2D 0.8"},
    {"no-bodies", 0, FRZ_OPTION_FLAG, offsetof(render_values, no_bodies), NULL, "leave out the static bodies"},
    {"particles", 0, FRZ_OPTION_FLAG, offsetof(render_values, particles), NULL,
     "draw elastic bodies as particles, not as surfaces"},
    {0}};

static bool show_progress(void *user, const frz_render_progress *progress)
{
    return frz_frames_watch_show(user, "picture", progress->done, progress->total, progress->elapsed, progress->eta);
}

/// "a:b" with numbers.
static bool read_range(const char *text, frz_render_def *def)
{
    char *end = NULL;
    def->min = strtod(text, &end);
    if (end == text || *end != ':')
        return false;
    const char *second = end + 1;
    def->max = strtod(second, &end);
    def->has_range = true;
    return end != second && *end == '\0' && def->min < def->max;
}

static bool read_style(const char *text, frz_render_style *style)
{
    static const char *const names[] = {
        [FRZ_RENDER_PARTICLES] = "particles", [FRZ_RENDER_SURFACE] = "surface", [FRZ_RENDER_DIAGRAM] = "diagram"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
        if (strcmp(names[k], text) == 0)
        {
            *style = (frz_render_style)k;
            return true;
        }
    return false;
}

/// Overrides of the scene: the camera, the foam, and those of --set.
typedef struct render_overrides
{
    int count;
    char keys[FRZ_TEXT_LIST_MOST][FRZ_SETTING_KEY];
    frz_render_override items[FRZ_TEXT_LIST_MOST + 2];
} render_overrides;

static const long most_pixels = 16384; // along a side; the renderer's own limit

static bool read_size(const char *text, frz_render_def *def)
{
    char *end = NULL;
    const long width = strtol(text, &end, 10);
    if (end == text || *end != 'x' || width < 1 || width > most_pixels)
        return false;
    const char *second = end + 1;
    const long height = strtol(second, &end, 10);
    if (end == second || *end != '\0' || height < 1 || height > most_pixels)
        return false;
    def->width = (int)width;
    def->height = (int)height;
    return true;
}

static void print_json(const render_values *values, const char *directory, int pictures, double elapsed)
{
    frz_json json = {.out = stdout};
    frz_json_begin_object(&json, NULL);
    frz_json_text(&json, "directory", directory);
    frz_json_integer(&json, "pictures", pictures);
    frz_json_text(&json, "movie", values->movie);
    frz_json_text(&json, "sheet", values->sheet);
    frz_json_real(&json, "seconds", elapsed);
    frz_json_end_object(&json);
}

static int draw(const frz_call *call, const frz_render_def *wanted)
{
    frz_render_def def = *wanted;
    const render_values *values = call->values;
    frz_frames_watch w = frz_frames_watch_create(call->common->quiet);
    def.threads = call->common->threads;
    def.log = frz_frames_watch_log;
    def.log_user = &w;
    def.progress = show_progress;
    def.progress_user = &w;
    frz_stop_install();
    int pictures = 0;
    frz_diag diag = {0};
    const frz_status status = frz_render_run(&def, &pictures, &diag);
    frz_progress_bar_close(&w.bar);
    if (status != FRZ_OK)
        return frz_command_fail(call, &diag);
    char wall[32];
    if (!call->common->quiet)
    {
        frz_output_note("%d picture%s in %s/images; this took %s", pictures, pictures == 1 ? "" : "s", def.directory,
                        frz_format_duration(w.elapsed, wall));
        if (values->movie != NULL)
            frz_output_note("The film is %s", values->movie);
        if (values->sheet != NULL)
            frz_output_note("The contact sheet is %s", values->sheet);
    }
    if (call->common->json)
        print_json(values, def.directory, pictures, w.elapsed);
    return FRZ_EXIT_DONE;
}

static int run(const frz_call *call)
{
    const render_values *values = call->values;
    frz_render_def def = frz_render_def_default();
    def.directory = call->words[0];
    def.field = values->field;
    def.colormap = values->map;
    def.samples = values->samples;
    def.radius = values->radius;
    def.movie = values->movie;
    def.film_rate = values->film_rate;
    def.sheet = values->sheet;
    def.static_bodies = !values->no_bodies;
    def.particles = values->particles;
    def.preview = values->preview;
    def.no_denoise = values->no_denoise;
    def.environment = values->environment;
    def.shutter = values->shutter;
    if (values->style != NULL && !read_style(values->style, &def.style))
        return frz_command_fail_usage(call, "--style: expected particles, surface or diagram, got '%.60s'",
                                      values->style);
    def.method = values->method;
    if ((def.movie != NULL && def.movie[0] == '\0') || (def.sheet != NULL && def.sheet[0] == '\0'))
        return frz_command_fail_usage(call, "--%s: expected the name of a file, got an empty text",
                                      def.movie != NULL && def.movie[0] == '\0' ? "movie" : "sheet");
    if (values->range != NULL && !read_range(values->range, &def))
        return frz_command_fail_usage(call, "--range: expected MIN:MAX with MIN below MAX, such as 0:2.5, got '%.60s'",
                                      values->range);
    if (values->size != NULL && !read_size(values->size, &def))
        return frz_command_fail_usage(call, "--size: expected WIDTHxHEIGHT such as 1920x1080, got '%.60s'",
                                      values->size);
    if (!frz_read_frames(call, values->frames, &def.first, &def.last, &def.every))
        return FRZ_EXIT_USAGE;
    const int missing = frz_command_need_run(call, def.directory, "scene.yaml");
    if (missing != FRZ_EXIT_DONE)
        return missing;
    render_overrides overrides = {.count = 0};
    if (values->camera != NULL)
        overrides.items[overrides.count++] = (frz_render_override){"output.camera", values->camera};
    if (values->foam != NULL)
        overrides.items[overrides.count++] = (frz_render_override){"output.foam", values->foam};
    for (int k = 0; k < values->set.count; ++k)
    {
        frz_diag diag = {0};
        frz_render_override *item = &overrides.items[overrides.count++];
        item->key = overrides.keys[k];
        if (frz_setting_split(values->set.items[k], overrides.keys[k], &item->value, &diag) != FRZ_OK)
            return frz_command_fail(call, &diag);
    }
    def.overrides = overrides.items;
    def.override_count = overrides.count;
    return draw(call, &def);
}

const frz_command frz_command_render = {
    .words = "DIR",
    .min_words = 1,
    .max_words = 1,
    .doc = "Draw the frames of a run as PNG pictures into DIR/images, and make a film or a contact sheet\n"
           "of them. The scene's 'output' section says how; the options overrule it.",
    .options = render_options,
    .values_size = sizeof(render_values),
    .run = run,
};
