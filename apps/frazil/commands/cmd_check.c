// SPDX-License-Identifier: MIT
// frazil check: is the scene good, how large is it, how long will it take?
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/command.h"
#include "commands/estimate.h"
#include "json.h"
#include "output.h"

enum
{
    widest_name = 40 // characters of a body's name in the table
};

typedef struct check_values
{
    frz_common_values common;
    frz_text_list set;
    bool quick;
} check_values;

static const frz_option check_options[] = {
    {"set", 0, FRZ_OPTION_LIST, offsetof(check_values, set), "KEY=VALUE", "override a key of the scene; repeatable"},
    {"quick", 0, FRZ_OPTION_FLAG, offsetof(check_values, quick), NULL,
     "leave out the trial of a few steps, up to a second"},
    {0}};

/// The findings about a scene.
typedef struct findings
{
    const frz_scene *scene;
    const frz_sim *sim;
    frz_sim_report report;
    frz_body_info *bodies;
    int body_count;
    frz_run_size size;
    frz_estimate estimate;
} findings;

typedef struct table_row
{
    char name[200];
    const char *state;
    int64_t particles, carved;
    double mass; ///< kg (kg/m in 2D)
} table_row;

/// A body, or all links of a chain, as one row of the table. Returns how many bodies that are.
static int fill_row(const findings *f, int b, table_row *row)
{
    const frz_body_info *body = &f->bodies[b];
    *row = (table_row){.state = body->state};
    int count = 0;
    while (b + count < f->body_count && (count == 0 || (body->chain > 0 && body[count].chain == body->chain)))
    {
        row->particles += body[count].particles;
        row->carved += body[count].carved;
        row->mass += body[count].mass;
        count += 1;
    }
    const char *number = strrchr(body->name, '_'); // links are called <chain>_<number>
    if (body->chain > 0 && number != NULL)
        snprintf(row->name, sizeof row->name, "%.*s (chain of %d link%s)", (int)(number - body->name), body->name,
                 count, count == 1 ? "" : "s");
    else
        snprintf(row->name, sizeof row->name, "%s", body->name);
    return count;
}

static void print_bodies(const findings *f)
{
    int width = 4;
    table_row row;
    for (int b = 0; b < f->body_count;)
    {
        b += fill_row(f, b, &row);
        const int length = (int)strlen(row.name);
        width = length > width ? length : width;
    }
    width = width < widest_name ? width : (int)widest_name;
    const char *unit = f->report.dimension == 2 ? "Mass kg/m" : "Mass kg";
    printf("%-*s  %-7s  %12s  %12s  %12s\n", width, "Body", "State", "Particles", "Carved", unit);
    for (int b = 0; b < f->body_count;)
    {
        char particles[32], carved[32], mass[32];
        b += fill_row(f, b, &row);
        snprintf(mass, sizeof mass, row.mass > 0.0 ? "%.5g" : "-", row.mass);
        printf("%-*.*s  %-7s  %12s  %12s  %12s\n", width, width, row.name, row.state,
               frz_format_count(row.particles, particles), frz_format_count(row.carved, carved), mass);
    }
}

static void print_filled(const findings *f)
{
    for (int b = 0; b < f->body_count; ++b)
        if (f->bodies[b].filled)
            printf("Filled       '%s' is rigid and made of particles, so that it can change\n", f->bodies[b].name);
}

static void print_emitters(const findings *f)
{
    const int flat = f->report.dimension == 2;
    for (int e = 0; e < frz_sim_emitter_count(f->sim); ++e)
    {
        char rate[32], count[32], speed[32];
        const frz_emitter_info emitter = frz_sim_emitter(f->sim, e);
        printf("%sEmitter      '%s': %.4g %s at %s, %s particles/s, ", e == 0 ? "\n" : "", emitter.name,
               emitter.flow_rate, flat ? "m2/s" : "m3/s", frz_format_quantity(emitter.speed, "m/s", speed),
               frz_format_count(llround(emitter.particle_rate), rate));
        printf("%s particles at the end\n", frz_format_count((int64_t)emitter.expected, count));
    }
    for (int r = 0; r < frz_sim_region_count(f->sim); ++r)
    {
        const frz_region_info region = frz_sim_region(f->sim, r);
        const bool heats = strcmp(region.action, "heat") == 0;
        printf("%sRegion       '%s': %s %s", r == 0 ? "\n" : "", region.name,
               heats                                ? "heats or cools"
               : strcmp(region.action, "kill") == 0 ? "removes"
                                                    : "pushes",
               region.material != NULL ? region.material
               : heats                 ? "all matter"
                                       : "all liquid");
        if (isfinite(region.volume))
            printf(" in %.4g %s\n", region.volume, flat ? "m2" : "m3");
        else
            printf(" in a space without end\n");
    }
}

static void print_estimate(const findings *f)
{
    char a[32], b[32];
    const frz_estimate *e = &f->estimate;
    const bool measured = e->step_seconds >= 0.0;
    printf("Disk         about %s for %s frame%s, ", frz_format_bytes(f->size.bytes, a),
           frz_format_count((int64_t)f->size.frames, b), f->size.frames == 1.0 ? "" : "s");
    printf("%s free\n", frz_format_bytes(f->size.free_bytes, a));
    printf("Steps        %s %s for %s\n", e->whole ? "exactly" : "about",
           frz_format_count((int64_t)fmin(measured ? e->steps : f->size.steps, 9e18), a),
           frz_format_quantity(frz_scene_duration(f->scene), "s", b));
    if (!measured)
        return;
    printf("Run time     %s %s ",
           frz_sim_emitter_count(f->sim) > 0 ? "at least" : "about", // more particles take longer
           frz_format_duration(e->seconds, a));
    if (e->whole)
        printf("(all steps were tried now)\n");
    else
        printf("with frames, by %d steps tried now (%s each); violent flow takes up to 3 times as long\n", e->tried,
               frz_format_quantity(e->step_seconds, "s", b));
}

static void print_sizes(const findings *f)
{
    const frz_sim_report *r = &f->report;
    char a[32], b[32];
    printf("\nParticles    %s liquid, ", frz_format_count(r->liquid, a));
    if (r->elastic > 0)
        printf("%s elastic, ", frz_format_count(r->elastic, a));
    printf("%s on walls\n", frz_format_count(r->walls, a));
    printf("Spacing      %s, kernel support %s\n", frz_format_quantity(r->spacing, "m", a),
           frz_format_quantity(r->support, "m", b));
    printf("Memory       %s", frz_format_bytes(f->size.memory, a));
    if (frz_sim_emitter_count(f->sim) > 0)
        printf("; at the end up to %s liquid particles and about %s", frz_format_count((int64_t)r->expected_liquid, a),
               frz_format_bytes(f->size.expected_memory, b));
    printf("\n");
    printf("Time step    %s at first (limited by %s), about %s", frz_format_quantity(r->time_step, "s", a),
           r->time_step_limit != NULL ? r->time_step_limit : "nothing",
           frz_format_quantity(r->expected_time_step, "s", b));
    printf(" at the expected speed of %s\n", frz_format_quantity(r->expected_speed, "m/s", a));
    print_estimate(f);
}

static void print_text(const findings *f)
{
    const char *title = frz_scene_title(f->scene);
    printf("%s (%dD)\n\n", title[0] != '\0' ? title : "Untitled scene", f->report.dimension);
    if (f->body_count > 0)
        print_bodies(f);
    print_filled(f);
    print_emitters(f);
    print_sizes(f);
    for (int i = 0; frz_sim_warning(f->sim, i) != NULL; ++i)
        printf("%sWarning      %s\n", i == 0 ? "\n" : "", frz_sim_warning(f->sim, i));
    if (f->report.warning_count == 0)
        printf("\nNo warnings; the scene is good.\n");
}

static void print_json_bodies(frz_json *json, const findings *f)
{
    frz_json_begin_array(json, "bodies");
    for (int b = 0; b < f->body_count; ++b)
    {
        frz_json_begin_object(json, NULL);
        frz_json_text(json, "name", f->bodies[b].name);
        frz_json_text(json, "state", f->bodies[b].state);
        if (f->bodies[b].filled)
            frz_json_boolean(json, "filled", true);
        if (f->bodies[b].chain > 0)
            frz_json_integer(json, "chain", f->bodies[b].chain);
        frz_json_integer(json, "particles", f->bodies[b].particles);
        frz_json_integer(json, "carved", f->bodies[b].carved);
        frz_json_real(json, "mass", f->bodies[b].mass);
        frz_json_end_object(json);
    }
    frz_json_end_array(json);
}

static void print_json_sources(frz_json *json, const findings *f)
{
    frz_json_begin_array(json, "emitters");
    for (int e = 0; e < frz_sim_emitter_count(f->sim); ++e)
    {
        const frz_emitter_info emitter = frz_sim_emitter(f->sim, e);
        frz_json_begin_object(json, NULL);
        frz_json_text(json, "name", emitter.name);
        frz_json_real(json, "speed", emitter.speed);
        frz_json_real(json, "flow_rate", emitter.flow_rate);
        frz_json_real(json, "particle_rate", emitter.particle_rate);
        frz_json_integer(json, "sites", emitter.sites);
        frz_json_integer(json, "sites_carved", emitter.sites_carved);
        frz_json_real(json, "expected_particles", emitter.expected);
        frz_json_end_object(json);
    }
    frz_json_end_array(json);
    frz_json_begin_array(json, "regions");
    for (int r = 0; r < frz_sim_region_count(f->sim); ++r)
    {
        const frz_region_info region = frz_sim_region(f->sim, r);
        frz_json_begin_object(json, NULL);
        frz_json_text(json, "name", region.name);
        frz_json_text(json, "action", region.action);
        frz_json_text(json, "material", region.material);
        frz_json_real(json, "volume", region.volume);
        frz_json_end_object(json);
    }
    frz_json_end_array(json);
}

static void print_json(const findings *f)
{
    const frz_sim_report *r = &f->report;
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)frz_scene_hash(f->scene));
    frz_json json = {.out = stdout};
    frz_json_begin_object(&json, NULL);
    frz_json_text(&json, "title", frz_scene_title(f->scene));
    frz_json_text(&json, "scene_hash", hash);
    frz_json_integer(&json, "dimension", r->dimension);
    frz_json_real(&json, "duration", frz_scene_duration(f->scene));
    frz_json_real(&json, "frame_rate", frz_scene_frame_rate(f->scene));
    print_json_bodies(&json, f);
    print_json_sources(&json, f);
    frz_json_integer(&json, "liquid", r->liquid);
    frz_json_integer(&json, "elastic", r->elastic);
    frz_json_integer(&json, "walls", r->walls);
    frz_json_real(&json, "spacing", r->spacing);
    frz_json_real(&json, "support", r->support);
    frz_json_real(&json, "particle_mass_min", r->particle_mass_min);
    frz_json_real(&json, "particle_mass_max", r->particle_mass_max);
    frz_json_real(&json, "memory", f->size.memory);
    frz_json_real(&json, "expected_liquid", r->expected_liquid);
    frz_json_real(&json, "expected_memory", f->size.expected_memory);
    frz_json_real(&json, "time_step", r->time_step);
    frz_json_text(&json, "time_step_limit", r->time_step_limit);
    frz_json_real(&json, "expected_speed", r->expected_speed);
    frz_json_real(&json, "expected_time_step", r->expected_time_step);
    const bool measured = f->estimate.step_seconds >= 0.0;
    frz_json_real(&json, "expected_steps", measured ? f->estimate.steps : f->size.steps);
    frz_json_real(&json, "seconds_per_step", measured ? f->estimate.step_seconds : NAN);
    frz_json_real(&json, "expected_seconds", measured ? f->estimate.seconds : NAN);
    frz_json_integer(&json, "steps_tried", f->estimate.tried);
    frz_json_real(&json, "frames", f->size.frames);
    frz_json_real(&json, "disk", f->size.bytes);
    frz_json_real(&json, "disk_free", f->size.free_bytes);
    frz_json_begin_array(&json, "warnings");
    for (int i = 0; frz_sim_warning(f->sim, i) != NULL; ++i)
        frz_json_text(&json, NULL, frz_sim_warning(f->sim, i));
    frz_json_end_array(&json);
    frz_json_end_object(&json);
}

static int check_sim(const frz_call *call, const frz_scene *scene, frz_sim *sim, double sync_seconds)
{
    const check_values *values = call->values;
    findings f = {.scene = scene, .sim = sim, .body_count = frz_sim_body_count(sim)};
    f.estimate = (frz_estimate){.step_seconds = -1.0, .sync_seconds = sync_seconds};
    frz_sim_report_get(sim, &f.report); // before the steps, which change it
    f.size = frz_run_size_get(scene, sim, ".");
    f.bodies = calloc((size_t)f.body_count + 1, sizeof *f.bodies);
    if (f.bodies == NULL || frz_sim_bodies(sim, f.bodies) != FRZ_OK)
    {
        free(f.bodies);
        return frz_command_fail(call, &(frz_diag){.status = FRZ_ERR_MEMORY, .message = "not enough memory"});
    }
    frz_diag diag = {0};
    int code = FRZ_EXIT_DONE;
    if (frz_run_size_check(&f.size, &diag) != FRZ_OK ||
        (!values->quick && frz_estimate_make(&f.estimate, scene, sim, &f.size, &diag) != FRZ_OK))
        code = frz_command_fail(call, &diag);
    else if (call->common->json)
        print_json(&f);
    else
        print_text(&f);
    free(f.bodies);
    return code;
}

/// Warnings are a part of the result; notes on slow work are printed at once.
static void log_note(void *user, frz_log_level level, const char *text)
{
    if (level != FRZ_LOG_WARNING)
        frz_output_log(user, level, text);
}

static int run(const frz_call *call)
{
    const check_values *values = call->values;
    int code = FRZ_EXIT_DONE;
    const double sync_seconds = values->quick ? 0.0 : frz_estimate_sync(".");
    frz_command_enclose(call, call->words[0], NULL, NULL);
    frz_scene *scene = frz_command_load_scene(call, call->words[0], &values->set, &code);
    if (scene == NULL)
        return code;
    frz_sim_def def = frz_sim_def_default();
    def.threads = call->common->threads;
    def.log = log_note;
    def.log_user = (void *)&call->common->quiet;
    frz_sim *sim = NULL;
    frz_diag diag = {0};
    if (frz_sim_create(scene, &def, &sim, &diag) == FRZ_OK)
        code = check_sim(call, scene, sim, sync_seconds);
    else
        code = frz_command_fail(call, &diag);
    frz_sim_destroy(&sim);
    frz_scene_destroy(&scene);
    return code;
}

const frz_command frz_command_check = {
    .words = "SCENE",
    .min_words = 1,
    .max_words = 1,
    .doc = "Check a scene file (or builtin:NAME, or - for standard input) and tell how many particles it makes, how "
           "much memory\n"
           "and disk space it takes and about how long a run lasts, by real steps of up to a second. Leaves no file "
           "behind.",
    .options = check_options,
    .values_size = sizeof(check_values),
    .run = run,
};
