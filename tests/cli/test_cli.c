// SPDX-License-Identifier: MIT
// The program as its user meets it: help, exit codes, JSON, a run and its pictures.
// labels: long
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <signal.h>
#include <cmocka.h>

#include "compare.h"

#include <sys/resource.h>

#include "cli/scene_folder.h"
#include "frazil/law.h"

static const char *const commands[] = {"check", "run",      "resume", "render", "surface",
                                       "info",  "validate", "bench",  NULL};

static const char tiny_scene[] = "title: \"A \\\"tiny\\\" scene\"\n"
                                 "dimension: 2\n"
                                 "spacing: 0.1\n"
                                 "duration: 0.1\n"
                                 "frame_rate: 20\n"
                                 "materials: {water: {density: 1000}}\n"
                                 "bodies:\n"
                                 "  - name: water\n"
                                 "    state: liquid\n"
                                 "    material: water\n"
                                 "    shape: {box: {min: [0, 0], max: [0.6, 0.6]}}\n"
                                 "  - name: tank\n"
                                 "    state: static\n"
                                 "    shape: {shell: {of: {box: {min: [0, 0], max: [1, 1]}}, thickness: 0.2}}\n";

static int set_up(void **state)
{
    (void)state;
    return enter_scratch("tiny.yaml", tiny_scene);
}

static void assert_file(const char *path)
{
    if (access(path, R_OK) != 0)
        fail_msg("%s is missing", path);
}

// ---- a JSON reader that only says yes or no

static const char *skip_blank(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *skip_value(const char *at);

static const char *skip_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; ++at)
    {
        if ((unsigned char)*at < ' ') // also the end of the text
            return NULL;
        if (*at == '\\' && strchr("\"\\/bfnrtu", *++at) == NULL)
            return NULL;
    }
    return at + 1;
}

static const char *skip_members(const char *at, char end)
{
    at = skip_blank(at + 1);
    if (*at == end)
        return at + 1;
    for (;;)
    {
        if (end == '}')
        {
            at = skip_string(skip_blank(at));
            at = at != NULL ? skip_blank(at) : NULL;
            if (at == NULL || *at++ != ':')
                return NULL;
        }
        at = skip_value(at);
        if (at == NULL)
            return NULL;
        at = skip_blank(at);
        if (*at == end)
            return at + 1;
        if (*at++ != ',')
            return NULL;
    }
}

// NOLINTNEXTLINE(misc-no-recursion): JSON is nested
static const char *skip_value(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    at = skip_blank(at);
    if (*at == '{')
        return skip_members(at, '}');
    if (*at == '[')
        return skip_members(at, ']');
    if (*at == '"')
        return skip_string(at);
    for (int i = 0; i < 3; ++i)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    const size_t length = strspn(at, "+-0123456789.eE");
    return length > 0 ? at + length : NULL;
}

static void assert_json(const char *text)
{
    const char *end = skip_value(text);
    if (end == NULL || *skip_blank(end) != '\0')
        fail_msg("this is not JSON: %s", text);
}

// ---- tests

static void help_of_every_command_exits_with_0(void **state)
{
    (void)state;
    for (int i = 0; commands[i] != NULL; ++i)
    {
        const outcome *result = RUN(scratch, "help", commands[i]);
        assert_int_equal(result->code, 0);
        assert_said(result->out, "Usage: frazil ");
        assert_said(result->out, "--json");
        assert_int_equal(RUN(scratch, commands[i], "--help")->code, 0);
    }
    assert_int_equal(RUN(scratch, "help")->code, 0);
    assert_int_equal(RUN(scratch, "--help")->code, 0);
}

static void without_a_command_help_is_shown_and_the_exit_code_is_2(void **state)
{
    (void)state;
    const char *const none[] = {NULL};
    const outcome *result = run_program(scratch, none);
    assert_int_equal(result->code, 2);
    assert_said(result->err, "frazil run scene.yaml");
}

static void version_is_printed(void **state)
{
    (void)state;
    const outcome *result = RUN(scratch, "--version");
    assert_int_equal(result->code, 0);
    assert_said(result->out, "frazil ");
    result = RUN(scratch, "info", "version", "--json");
    assert_int_equal(result->code, 0);
    assert_json(result->out);
}

static void an_unknown_command_is_answered_with_the_nearest_one(void **state)
{
    (void)state;
    const outcome *result = RUN(scratch, "redner");
    assert_int_equal(result->code, 2);
    assert_string_equal(result->err, "frazil: error: unknown command 'redner'; did you mean 'render'?\n");
}

static void check_tells_about_bodies_and_steps(void **state)
{
    (void)state;
    const outcome *result = RUN(scratch, "check", "tiny.yaml", "--threads", "1");
    assert_int_equal(result->code, 0);
    assert_said(result->out, "36 liquid");
    assert_said(result->out, "tank");
    assert_said(result->out, "Run time");
    assert_string_equal(result->err, "");
}

static void check_tells_masses_and_what_they_lack(void **state)
{
    (void)state;
    const outcome *result = RUN(scratch, "check", "tiny.yaml", "--threads", "1", "--set",
                                "bodies.water.shape={box: {min: [0, 0], max: [1, 0.546]}}");
    assert_int_equal(result->code, 0);
    assert_said(result->out, "55             0           550"); // 54.6 squares of the spacing
    assert_null(strstr(result->out, "volume than"));
    result = RUN(scratch, "check", "tiny.yaml", "--threads", "1", "--set",
                 "bodies.water.shape={box: {min: [0, 0], max: [1, 0.14]}}"); // one layer or two
    assert_int_equal(result->code, 0);
    assert_said(result->out, "29 % less volume than its shape (0.1 m2 instead of 0.14)");
}

static void a_run_may_end_just_after_its_last_frame(void **state)
{
    (void)state;
    const outcome *result =
        RUN(scratch, "run", "tiny.yaml", "-o", "end", "--set", "duration=0.10000005", "-q", "--threads", "1");
    assert_int_equal(result->code, 0);
    assert_string_equal(result->err, "");
    assert_file("end/frames/frame_000002.vtkhdf");
}

static void write_scene_surely(const char *name, const char *text)
{
    assert_int_equal(write_scene(name, text), 0);
}

static void check_tells_about_emitters_and_regions(void **state)
{
    (void)state;
    write_scene_surely(
        "tap.yaml",
        "dimension: 2\nspacing: 0.1\nduration: 2\nmaterials: {water: {density: 1000}}\n"
        "emitters: [{name: tap, material: water, position: [0, 0], direction: [1, 0], width: 0.4, speed: 0.5}]\n"
        "regions: [{name: sink, action: kill, material: water, shape: {box: {min: [1, -1], max: [2, 1]}}}]\n");
    const outcome *result = RUN(scratch, "check", "tap.yaml", "--quick");
    assert_int_equal(result->code, 0);
    assert_said(result->out, "'tap': 0.2 m2/s at 500 mm/s, 20 particles/s, 40 particles at the end");
    assert_said(result->out, "'sink': removes water in 2 m2");
    assert_said(result->out, "up to 40 liquid particles");
    assert_said(result->out, "No warnings");
    result = RUN(scratch, "check", "tap.yaml", "--quick", "--json");
    assert_json(result->out);
    assert_said(result->out, "\"expected_particles\": 40");
}

static void check_counts_the_links_of_a_chain_once(void **state)
{
    (void)state;
    write_scene_surely(
        "chain.yaml",
        "dimension: 2\nspacing: 0.02\nduration: 1\nbodies:\n"
        "  - {name: ball, state: rigid, density: 500, shape: {sphere: {center: [0, 0], radius: 0.1}}}\n"
        "chains: [{name: rope_a, bodies: [world, ball], from: [0, 0.5], to: [0, 0.1], links: 7, radius: 0.002,"
        " density: 1000}]\n");
    const outcome *result = RUN(scratch, "check", "chain.yaml", "--quick");
    assert_int_equal(result->code, 0);
    assert_said(result->out, "rope_a (chain of 7 links)  rigid");
    assert_said(result->out, "the wall of body 'rope_a_1' is 0.004 m thin");
    assert_null(strstr(result->out, "rope_a_2"));
}

static void check_json_is_valid_and_complete(void **state)
{
    (void)state;
    const outcome *result = RUN(scratch, "check", "tiny.yaml", "--json", "--quick");
    assert_int_equal(result->code, 0);
    assert_json(result->out);
    assert_said(result->out, "\"A \\\"tiny\\\" scene\"");
    assert_said(result->out, "\"liquid\": 36");
    assert_said(result->out, "\"seconds_per_step\": null");
}

static void a_file_that_may_not_grow_is_an_error_with_a_sentence(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {4096, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const outcome *result = RUN(scratch, "run", "tiny.yaml", "-o", "small", "--threads", "1", "-q");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result->signal, 0);
    assert_int_equal(result->code, 1);
    assert_said(result->err, "File too large");
}

static void overrides_reach_the_scene(void **state)
{
    (void)state;
    const outcome *result =
        RUN(scratch, "check", "tiny.yaml", "--json", "--quick", "--set", "spacing=0.05", "--set=title=Finer");
    assert_int_equal(result->code, 0);
    assert_said(result->out, "\"liquid\": 144");
    assert_said(result->out, "\"Finer\"");
}

static void an_error_is_json_too_when_asked_for(void **state)
{
    (void)state;
    const outcome *result = RUN(scratch, "check", "tiny.yaml", "--json", "--set", "spacing=-1");
    assert_int_equal(result->code, 2);
    assert_json(result->out);
    assert_said(result->out, "\"error\": {");
    assert_said(result->out, "\"status\": \"scene\"");
    assert_said(result->err, "frazil: error: ");
}

static void info_knows_its_topics(void **state)
{
    (void)state;
    static const char *const json_topics[] = {"methods", "laws", "schema", "scenes", "fields", "tiny.yaml", NULL};
    for (int i = 0; json_topics[i] != NULL; ++i)
    {
        const outcome *result = RUN(scratch, "info", json_topics[i], "--json");
        assert_int_equal(result->code, 0);
        assert_json(result->out);
        assert_int_equal(RUN(scratch, "info", json_topics[i])->code, 0);
    }
    assert_said(RUN(scratch, "info", "methods", "--markdown")->out, "dfsph");
    assert_said(RUN(scratch, "info", "schema", "--markdown")->out, "frame_rate");
    assert_said(RUN(scratch, "info", "fields")->out, "velocity");
}

static void every_law_is_drawn(void **state)
{
    (void)state;
    char path[512], svg[SAID_SIZE];
    const outcome *result = RUN(scratch, "info", "laws", "--plot", "plots/laws", "--json");
    assert_int_equal(result->code, 0);
    assert_json(result->out);
    assert_said(result->out, "thesis_figure_7.svg");
    snprintf(path, sizeof path, "%s/plots/laws/laws_uniaxial.svg", scratch);
    read_back(path, svg);
    for (int i = 0; frz_law_name(i) != NULL; ++i)
        assert_said(svg, frz_law_name(i));
    assert_int_equal(RUN(scratch, "info", "laws", "--plot", "tiny.yaml")->code, 2);
    assert_int_equal(RUN(scratch, "info", "methods", "--plot", "plots")->code, 2);
}

static void a_run_and_its_pictures_are_files(void **state)
{
    (void)state;
    const outcome *result = RUN(scratch, "run", "tiny.yaml", "--threads", "1", "--json");
    assert_int_equal(result->code, 0);
    assert_json(result->out);
    assert_said(result->out, "\"frames\": 3");
    assert_file("tiny/run.json");
    assert_file("tiny/scene.yaml");
    assert_file("tiny/stats.csv");
    assert_file("tiny/particles.vtkhdf");
    assert_file("tiny/frames/frame_000002.vtkhdf");

    result = RUN(scratch, "info", "tiny", "--json");
    assert_int_equal(result->code, 0);
    assert_json(result->out);
    assert_said(RUN(scratch, "info", "tiny")->out, "state: finished");

    result = RUN(scratch, "render", "tiny", "--size", "160x90", "--samples", "1", "--threads", "1", "--sheet",
                 "sheet.png", "--movie", "film.mp4", "--json");
    assert_int_equal(result->code, 0);
    assert_json(result->out);
    assert_said(result->out, "\"pictures\": 3");
    assert_file("tiny/images/frame_000002.png");
    assert_file("sheet.png");
    assert_file("film.mp4");
    // NOLINTNEXTLINE(cert-env33-c): a fixed command in a test
    assert_int_not_equal(system("ls -d tiny/images/.film-* >/dev/null 2>&1"), 0); // its links are gone
}

static void render_refuses_what_is_not_there(void **state)
{
    (void)state;
    assert_int_equal(RUN(scratch, "run", "tiny.yaml", "-o", "shown", "--threads", "1", "-q")->code, 0);
    const outcome *result = RUN(scratch, "render", "shown", "--field", "velocty");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "did you mean 'velocity'?");
    result = RUN(scratch, "render", "shown", "--map", "virids");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "did you mean 'viridis'?");
    result = RUN(scratch, "render", "shown", "--frames", "7:9");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "holds frames 0 to 2");
    result = RUN(scratch, "render", "shown", "--movie", "film.avi");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "the name of a film ends in .mp4");
    result = RUN(scratch, "render", "shown", "--set", "spacing=1");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "'spacing' cannot be changed after the run");
    result = RUN(scratch, "render", "shown", "--camera", "{follow: nobody}");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "there is no body 'nobody' that the camera could follow");
}

/// The bytes of a picture; the caller frees them.
static unsigned char *picture_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

/// Whether rendering the last frame with an option gives another picture than without.
static bool changes_picture(const char *option, const char *value)
{
    size_t size[2];
    unsigned char *bytes[2];
    for (int k = 0; k < 2; ++k)
    {
        const outcome *result = RUN(scratch, "render", "seen", "--frames", "1:2", "--size", "64x36", "--samples", "1",
                                    "--threads", "1", "-q", k == 0 ? "--radius" : option, k == 0 ? "0.5" : value);
        assert_int_equal(result->code, 0);
        bytes[k] = picture_bytes("seen/images/frame_000002.png", &size[k]);
    }
    const bool differs = size[0] != size[1] || memcmp(bytes[0], bytes[1], size[0]) != 0;
    free(bytes[0]);
    free(bytes[1]);
    return differs;
}

static void the_camera_can_be_changed_after_the_run(void **state)
{
    (void)state;
    assert_int_equal(RUN(scratch, "run", "tiny.yaml", "-o", "seen", "--threads", "1", "-q")->code, 0);
    assert_false(changes_picture("--radius", "0.5"));
    assert_true(changes_picture("--camera", "{turntable: 50 deg}"));
    assert_true(changes_picture("--camera", "{eye: [3, 4, 5]}"));
    assert_true(changes_picture("--camera", "{keyframes: [{time: 0, eye: [3, 4, 5]}, {time: 9, eye: [9, 4, 5]}]}"));
    assert_true(changes_picture("--set", "output.camera.fov=20 deg"));
}

static void surfaces_are_drawn_by_paths_of_light(void **state)
{
    (void)state;
    FILE *file = fopen("pool.yaml", "w");
    assert_non_null(file);
    assert_greater_equal(
        fputs("{spacing: 0.2, duration: 0.1, frame_rate: 20, materials: {water: {density: 1000}}, bodies: [{state: "
              "liquid, material: water, shape: {box: {min: [0, 0, 0], max: [1, 0.6, 1]}}}]}\n",
              file),
        0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(RUN(scratch, "run", "pool.yaml", "-o", "lit", "--threads", "1", "-q")->code, 0);
    size_t size[2];
    unsigned char *bytes[2];
    for (int k = 0; k < 2; ++k)
    {
        const outcome *result = RUN(scratch, "render", "lit", "--frames", "2", "--size", "64x36", "--samples", "2",
                                    "--style", "surface", "-q", k == 0 ? "--preview" : "--no-denoise");
        assert_int_equal(result->code, 0);
        bytes[k] = picture_bytes("lit/images/frame_000002.png", &size[k]);
    }
    assert_false(size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
    free(bytes[0]);
    free(bytes[1]);
    const outcome *result = RUN(scratch, "render", "lit", "--style", "surface", "--environment", "nowhere.hdr");
    assert_int_equal(result->code, 1);
    assert_said(result->err, "nowhere.hdr");
    result = RUN(scratch, "render", "lit", "--style", "surface", "--shutter", "2");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "the shutter is open for 0 to 1 of the time of a frame");
    result = RUN(scratch, "render", "lit", "--style", "surfaces");
    assert_int_equal(result->code, 2);
}

static void surfaces_of_a_run_are_meshes(void **state)
{
    (void)state;
    FILE *file = fopen("soft.yaml", "w");
    assert_non_null(file);
    fputs("spacing: 50 mm\nduration: 20 ms\nframe_rate: 100\n"
          "materials: {jelly: {density: 1000 kg/m3, elastic: {young: 1e5}}}\n"
          "bodies:\n  - {name: cube, state: elastic, material: jelly,\n"
          "     shape: {box: {min: [0, 0, 0], max: [0.2, 0.2, 0.2]}}}\n",
          file);
    (void)fclose(file);
    assert_int_equal(RUN(scratch, "run", "soft.yaml", "-o", "soft", "--threads", "1", "-q")->code, 0);
    const outcome *result = RUN(scratch, "surface", "soft", "--threads", "1", "--json");
    assert_int_equal(result->code, 0);
    assert_json(result->out);
    assert_said(result->out, "\"files\": 3");
    assert_said(result->err, "3 meshes in soft/surface");
    assert_file("soft/surface/cube_000002.ply");
    result = RUN(scratch, "surface", "soft", "-o", "texts", "--format", "obj", "--frames", "1:1", "-q");
    assert_int_equal(result->code, 0);
    assert_string_equal(result->err, "");
    assert_file("texts/cube_000001.obj");
    result = RUN(scratch, "surface", "soft", "-o", "texts", "--format", "vtkhdf", "--frames", "1:1", "-q");
    assert_int_equal(result->code, 0);
    assert_file("texts/cube_000001.vtkhdf");
    result = RUN(scratch, "render", "soft", "--particles", "--size", "64x36", "--samples", "1", "--frames", "0");
    assert_int_equal(result->code, 0);
    // a new run takes the old one's surfaces away
    assert_int_equal(RUN(scratch, "run", "soft.yaml", "-o", "soft", "--threads", "1", "-q", "--force")->code, 0);
    assert_int_not_equal(access("soft/surface/cube_000002.ply", F_OK), 0);

    result = RUN(scratch, "surface", "soft", "--format", "stl");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "expected ply, obj or vtkhdf, got 'stl'");
    result = RUN(scratch, "surface", "soft", "--cell", "0");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "expected a number of spacings above 0, got 0");
    assert_int_equal(RUN(scratch, "surface", "soft", "--decimate", "0")->code, 2);
    assert_int_equal(RUN(scratch, "surface", "soft", "--frames", "x")->code, 2);
    assert_int_equal(RUN(scratch, "surface", "nowhere")->code, 2);
    assert_int_equal(RUN(scratch, "run", "tiny.yaml", "-o", "wet", "--threads", "1", "-q")->code, 0);
    assert_int_equal(RUN(scratch, "surface", "wet")->code, 0);
    result = RUN(scratch, "surface", "wet", "--method", "densty");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "did you mean 'density'?");
    result = RUN(scratch, "surface", "wet", "--walls", "closed");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "expected fit or open, got 'closed'");
    result = RUN(scratch, "surface", "wet", "--field", "temperature");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "no field 'temperature'");
    assert_int_equal(RUN(scratch, "surface", "wet", "--cell", "9")->code, 2);
    result = RUN(scratch, "render", "wet", "--style", "surface", "--size", "64x36", "--samples", "1", "--frames", "0");
    assert_int_equal(result->code, 0);
    assert_int_equal(RUN(scratch, "render", "wet", "--style", "pearls")->code, 2);
}

static void an_earlier_run_is_replaced_only_by_force(void **state)
{
    (void)state;
    assert_int_equal(RUN(scratch, "run", "tiny.yaml", "-o", "twice", "--threads", "1")->code, 0);
    const outcome *result = RUN(scratch, "run", "tiny.yaml", "-o", "twice", "--threads", "1");
    assert_int_equal(result->code, 2);
    assert_said(result->err, "--force");
    assert_int_equal(RUN(scratch, "run", "tiny.yaml", "-o", "twice", "--threads", "1", "--force")->code, 0);
}

static void a_stopped_run_is_resumed_to_the_same_end(void **state)
{
    (void)state;
    assert_int_equal(RUN(scratch, "run", "tiny.yaml", "-o", "whole", "--threads", "1", "-q")->code, 0);
    const outcome *result = RUN(scratch, "run", "tiny.yaml", "-o", "parts", "--threads", "1", "--max-steps", "2");
    assert_int_equal(result->code, 1);
    assert_said(result->err, "stopped at t = ");
    assert_said(result->err, "continue with: frazil resume parts");
    assert_int_equal(RUN(scratch, "resume", "parts", "--threads", "1", "-q")->code, 0);
    // NOLINTNEXTLINE(cert-env33-c): a fixed command in a test
    assert_int_equal(system("cmp -s whole/stats.csv parts/stats.csv"), 0);
}

static void an_interrupt_leaves_a_checkpoint(void **state)
{
    (void)state;
    const char *program = getenv("FRZ_PROGRAM");
    char path[512];
    snprintf(path, sizeof path, "%s", program != NULL ? program : "frazil");
    char *argv[] = {path, "run", "tiny.yaml", "-o", "broken", "--set", "duration=1000", "-q", "--threads", "1", NULL};
    pid_t child = 0;
    int ended = 0;
    assert_int_equal(posix_spawnp(&child, path, NULL, NULL, argv, environ), 0);
    for (int wait = 0; wait < 1000 && access("broken/frames/frame_000002.vtkhdf", F_OK) != 0; ++wait)
        (void)usleep(10000);
    assert_int_equal(kill(child, SIGINT), 0);
    (void)usleep(2000); // 'timeout' signals the process, then its group
    (void)kill(child, SIGINT);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), 1);
    assert_file("broken/checkpoint.h5");
}

// ---- measuring

static void validate_lists_its_cases(void **state)
{
    (void)state;
    const outcome *result = RUN(scratch, "validate", "--list");
    assert_int_equal(result->code, 0);
    assert_said(result->out, "hydrostatic ");
    result = RUN(scratch, "validate", "--list", "--json");
    assert_int_equal(result->code, 0);
    assert_json(result->out);
}

static void a_validation_case_leaves_a_plot_and_its_figures(void **state)
{
    (void)state;
    const outcome *result = RUN(scratch, "validate", "leak", "--resolution", "0.3", "-o", "proof/coarse", "--quiet");
    assert_true(result->code == 0 || result->code == 1); // so coarse a case need not pass
    assert_said(result->out, "leak: ");
    assert_said(result->out, "particles_outside_at_the_end");
    assert_file("proof/coarse/leak.svg");
    assert_file("proof/coarse/validation.json");
}

static void a_validation_case_that_cannot_run_fails_and_the_others_go_on(void **state)
{
    (void)state;
    const outcome *result =
        RUN(scratch, "validate", "leak", "volume", "--threads", "99999", "-o", "proof", "--json", "-q");
    assert_int_equal(result->code, 1);
    assert_json(result->out);
    assert_said(result->out, "\"passed\": false");
    assert_said(result->out, "\"name\": \"leak\"");
    assert_said(result->out, "\"name\": \"volume\"");
    assert_said(result->out, "the number of threads must be between");
}

static void bench_json_can_be_compared_with(void **state)
{
    (void)state;
    const outcome *result = RUN(scratch, "bench", "dam", "--steps", "2", "--scale", "0.2", "--json", "--quiet");
    assert_int_equal(result->code, 0);
    assert_json(result->out);
    assert_said(result->out, "\"triad_bytes_per_second\"");
    assert_said(result->out, "\"name\": \"neighbours and density\"");
    FILE *file = fopen("bench.json", "w");
    assert_non_null(file);
    fputs(result->out, file);
    assert_int_equal(fclose(file), 0);
    result = RUN(scratch, "bench", "--steps", "2", "--scale", "0.2", "--compare", "bench.json", "--quiet");
    assert_int_equal(result->code, 0);
    assert_said(result->out, "Against bench.json");
    assert_said(result->out, "particle-iterations per second");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_of_every_command_exits_with_0),
        cmocka_unit_test(without_a_command_help_is_shown_and_the_exit_code_is_2),
        cmocka_unit_test(version_is_printed),
        cmocka_unit_test(an_unknown_command_is_answered_with_the_nearest_one),
        cmocka_unit_test(check_tells_about_bodies_and_steps),
        cmocka_unit_test(check_tells_masses_and_what_they_lack),
        cmocka_unit_test(a_run_may_end_just_after_its_last_frame),
        cmocka_unit_test(check_tells_about_emitters_and_regions),
        cmocka_unit_test(check_counts_the_links_of_a_chain_once),
        cmocka_unit_test(check_json_is_valid_and_complete),
        cmocka_unit_test(a_file_that_may_not_grow_is_an_error_with_a_sentence),
        cmocka_unit_test(overrides_reach_the_scene),
        cmocka_unit_test(an_error_is_json_too_when_asked_for),
        cmocka_unit_test(info_knows_its_topics),
        cmocka_unit_test(every_law_is_drawn),
        cmocka_unit_test(a_run_and_its_pictures_are_files),
        cmocka_unit_test(render_refuses_what_is_not_there),
        cmocka_unit_test(the_camera_can_be_changed_after_the_run),
        cmocka_unit_test(surfaces_are_drawn_by_paths_of_light),
        cmocka_unit_test(surfaces_of_a_run_are_meshes),
        cmocka_unit_test(an_earlier_run_is_replaced_only_by_force),
        cmocka_unit_test(a_stopped_run_is_resumed_to_the_same_end),
        cmocka_unit_test(an_interrupt_leaves_a_checkpoint),
        cmocka_unit_test(validate_lists_its_cases),
        cmocka_unit_test(a_validation_case_leaves_a_plot_and_its_figures),
        cmocka_unit_test(a_validation_case_that_cannot_run_fails_and_the_others_go_on),
        cmocka_unit_test(bench_json_can_be_compared_with),
    };
    return cmocka_run_group_tests_name("cli", tests, set_up, tear_down);
}
