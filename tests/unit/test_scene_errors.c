// SPDX-License-Identifier: MIT
// Scenes that are wrong: every fault has its place and its sentence, and no text makes the reader crash.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "frazil/scene.h"

#define BALL         "{sphere: {center: [0, 0, 0], radius: 1}}"
#define HEAD         "spacing: 0.1\nduration: 1\nmaterials: {water: {density: 1000}}\n"
#define TOP(lines)   HEAD "bodies: [{state: static, shape: " BALL "}]\n" lines
#define BODY(entry)  HEAD "bodies: [" entry "]\n"
#define SHAPE(value) HEAD "bodies: [{state: static, shape: " value "}]\n"
#define FLAT(lines)  "dimension: 2\nspacing: 0.1\nduration: 1\n" lines

typedef struct broken
{
    const char *text;
    int line, column;
    const char *message; ///< part of the sentence
} broken;

// clang-format off
static const broken cases[] = {
    {TOP("spacin: 1\n"),
     5, 1, "did you mean 'spacing'?"},
    {TOP("color: red\n"),
     5, 1, "known keys are title"},
    {TOP("emiters: []\n"),
     5, 1, "unknown key 'emiters'"},
    {TOP("<<: {a: 1}\n"),
     5, 1, "merge keys"},
    {TOP("duration: 2\n"),
     5, 1, "second time, the first is in line 2"},
    {TOP("title: [a]\n"),
     5, 8, "expected a text, got a list of 1 value"},
    {TOP("title:\n"),
     5, 7, "expected a text, got nothing"},
    {TOP("dimension: 4\n"),
     5, 12, "expected at most 3"},
    {TOP("dimension: 2.0\n"),
     5, 12, "expected a whole number"},
    {TOP("dimension: two\n"),
     5, 12, "expected a whole number, got 'two'"},
    {TOP("dimension: 99999999999999999999\n"),
     5, 12, "nine digits"},
    {TOP("dimension: \"3\"\n"),
     5, 12, "expected a whole number, got the text '3'"},
    {TOP("gravity: 9.81\n"),
     5, 10, "list of three numbers"},
    {TOP("gravity: [0, -9.81]\n"),
     5, 10, "list of three numbers such as [1, 0, 0], got a list of 2 values"},
    {TOP("gravity: [0, -9.81 m/s, 0]\n"),
     5, 14, "expected an acceleration such as '9.81 m/s2', got '-9.81 m/s'"},
    {TOP("gravity: [0, down, 0]\n"),
     5, 14, "got 'down'"},
    {TOP("gravity: [0, [1], 0]\n"),
     5, 14, "got a list of 1 value"},
    {TOP("frame_rate: 0\n"),
     5, 13, "more than 0 1/s"},
    {TOP("frame_rate: 5 m\n"),
     5, 13, "expected a rate such as '50 Hz'"},
    {TOP("kernel: 5\n"),
     5, 9, "kernel: expected a name"},
    {TOP("kernel: {name: cubic_spline, support: 9}\n"),
     5, 39, "expected at most 4"},
    {TOP("kernel: {nam: cubic_spline}\n"),
     5, 10, "did you mean 'name'?"},
    {TOP("time_step: [1]\n"),
     5, 12, "expected a time such as '2 ms'"},
    {TOP("time_step: -1 ms\n"),
     5, 12, "more than 0 s"},
    {TOP("time_step: {fixed: 1 ms, cfl: 0.3}\n"),
     5, 20, "either fixed alone"},
    {TOP("time_step: {max: 1 us, min: 1 ms}\n"),
     5, 18, "expected max of at least min"},
    {TOP("time_step: fast\n"),
     5, 12, "time_step: expected a time such as '2 ms', got 'fast'"},
    {TOP("pressure: dfsp\n"),
     5, 11, "did you mean 'dfsph'?"},
    {TOP("pressure: none\n"),
     5, 11, "expected the name of a method"},
    {TOP("pressure: [dfsph]\n"),
     5, 11, "got a list"},
    {TOP("pressure: {method: dfsph, max_iteration: 5}\n"),
     5, 27, "did you mean 'max_iterations'?"},
    {TOP("pressure: {max_iterations: 5.5}\n"),
     5, 28, "whole number"},
    {TOP("pressure: {solver: chebishev}\n"),
     5, 20, "did you mean 'chebyshev'?"},
    {TOP("pressure: {max_density_error: 50 %}\n"),
     5, 31, "at most 10 %"},
    {FLAT("materials: {w: {density: 1, viscosity: {slip: yes}}}\n"),
     4, 47, "expected true or false, got 'yes'"},
    {TOP("viscosity: 1\n"),
     5, 1, "belongs in a material, not in a scene"},
    {TOP("domain: {periodic: [x]}\n"),
     5, 20, "periodic needs min and max"},
    {TOP("domain: {min: [0, 0, 0], max: [1, 0, 1]}\n"),
     5, 31, "expected max above min (0 m) along y"},
    {TOP("domain: {periodic: [x, x]}\n"),
     5, 24, "got 'x' twice"},
    {TOP("domain: {periodic: [w]}\n"),
     5, 21, "expected x, y or z, got 'w'"},
    {TOP("domain: 5\n"),
     5, 9, "expected a domain as a map of keys"},
    {TOP("probes: {a: 1}\n"),
     5, 9, "expected a list"},
    {TOP("probes: [{name: p}]\n"),
     5, 10, "a probe needs the key 'position'"},
    {TOP("probes: [{position: [0, 0, 0], fields: []}]\n"),
     5, 40, "at least one of"},
    {TOP("probes: [{position: [0, 0, 0], fields: [presure]}]\n"),
     5, 41, "did you mean 'pressure'?"},
    {TOP("probes: [{name: p, position: [0, 0, 0]}, {name: p, position: [1, 0, 0]}]\n"),
     5, 49, "got 'p' for the second time"},
    {TOP("output: {image: {width: 1}}\n"),
     5, 25, "at least 16"},
    {TOP("output: {fields: pressure}\n"),
     5, 18, "expected a list of names"},
    {TOP("output: {fields: [\"a b\"]}\n"),
     5, 19, "expected a name of at most 64 letters"},
    {TOP("output: {stats_every: -1}\n"),
     5, 23, "at least 0"},
    {TOP("output: {directory: x}\n"),
     5, 10, "unknown key 'directory'"},
    {TOP("output: {camera: {fov: 40, height: 1}}\n"),
     5, 36, "got both"},
    {TOP("output: {camera: {eye: [0, 0, 0], target: [0, 0, 0]}}\n"),
     5, 43, "the same point"},
    {TOP("output: {camera: {eye: [0, 0, 0], target: [0, 1, 0]}}\n"),
     5, 18, "across the view"},
    {TOP("output: {camera: {up: [0, 0, 0]}}\n"),
     5, 23, "expected a direction"},
    {TOP("output: {color: {min: 2, max: 1}}\n"),
     5, 31, "expected max above min"},
    {BODY(""),
     4, 9, "expected at least one entry"},
    {BODY("5"),
     4, 10, "expected a body as a map of keys"},
    {BODY("{}"),
     4, 10, "a body needs the key 'shape'"},
    {BODY("{shape: {}, state: static}"),
     4, 18, "expected a shape as one key"},
    {BODY("{shape: " BALL "}"),
     4, 10, "a body needs the key 'state': liquid, static, elastic or rigid"},
    {BODY("{shape: " BALL ", state: liqid}"),
     4, 67, "did you mean 'liquid'?"},
    {BODY("{shape: " BALL ", state: elastic}"),
     4, 10, "an elastic body needs the key 'material'"},
    {BODY("{shape: " BALL ", state: rigid}"),
     4, 10, "a rigid body needs exactly one of the keys 'density', 'mass' and 'material', got 0"},
    {BODY("{shape: " BALL ", state: liquid}"),
     4, 10, "needs the key 'material'"},
    {BODY("{shape: " BALL ", state: liquid, material: watr}"),
     4, 85, "did you mean 'water'?"},
    {BODY("{shape: " BALL ", state: liquid, material: water, motion: [{time: 0}]}"),
     4, 100, "motion is for static bodies"},
    {BODY("{shape: " BALL ", state: static, velocity: [0, 0, 0]}"),
     4, 85, "velocity is for bodies that move by themselves"},
    {BODY("{shape: " BALL ", state: static, motion: []}"),
     4, 83, "at least one entry"},
    {BODY("{shape: " BALL ", state: static, motion: [{time: 1}, {time: 1}]}"),
     4, 95, "expected a time after"},
    {BODY("{shape: " BALL ", state: static, motion: {keyframes: [{time: 0}], periodic: true}}"),
     4, 83, "at least two keyframes"},
    {BODY("{shape: " BALL ", state: static, name: 1st}"),
     4, 81, "begins with a letter"},
    {BODY("{shape: " BALL ", state: static, name: a}, {shape: " BALL ", state: static, name: a}"),
     4, 156, "second time"},
    {BODY("{shape: " BALL ", state: static, name: body_1}, {shape: " BALL ", state: static}"),
     4, 90, "got 'body_1' for the second time"},
    {BODY("{shape: " BALL ", state: static, rotation: 30}"),
     4, 85, "{axis, angle} or three angles"},
    {BODY("{shape: " BALL ", state: static, rotation: {angle: 30}}"),
     4, 85, "the keys axis and angle"},
    {BODY("{shape: " BALL ", state: static, rotation: {axis: [0, 0, 0], angle: 30}}"),
     4, 92, "zero vector"},
    {BODY("{shape: " BALL ", state: static, rotation: [0, 5 m, 0]}"),
     4, 89, "expected an angle such as '30 deg', got '5 m'"},
    {BODY("{shape: " BALL ", state: static, scale: 0}"),
     4, 82, "more than 0"},
    {BODY("{shape: " BALL ", state: static, priority: high}"),
     4, 85, "whole number"},
    {BODY("{shape: " BALL ", state: static, color: #ff0000\n}"),
     5, 1, "needs quotes"},
    {BODY("{shape: " BALL ", state: static, color: gren}"),
     4, 82, "did you mean 'green'?"},
    {BODY("{shape: " BALL ", state: static, color: \"#12345\"}"),
     4, 82, "\"#rrggbb\""},
    {BODY("{shape: " BALL ", state: static, visible: maybe}"),
     4, 84, "auto, true, false or see_through"},
    {SHAPE("ball"),
     4, 33, "expected a shape as one key"},
    {SHAPE("{box: {}, sphere: {}}"),
     4, 33, "got a map of 2 keys"},
    {SHAPE("{spheer: {}}"),
     4, 34, "did you mean 'sphere'?"},
    {SHAPE("{blob: {}}"),
     4, 34, "known shapes are box"},
    {SHAPE("{box: {min: [0, 0, 0]}}"),
     4, 39, "either the keys min and max, or center and size"},
    {SHAPE("{box: {min: [0, 0, 0], max: [1, 0, 1]}}"),
     4, 39, "box"},
    {SHAPE("{box: {min: [0, 0, 0], size: [1, 1, 1]}}"),
     4, 39, "either the keys"},
    {SHAPE("{sphere: {center: [0, 0, 0], radius: 0}}"),
     4, 42, "sphere"},
    {SHAPE("{sphere: {center: [0, 0, 0]}}"),
     4, 42, "needs the key 'radius'"},
    {SHAPE("{sphere: {center: [0, 0, 0], radius: 1 kg}}"),
     4, 70, "expected a length such as '5 mm', got '1 kg'"},
    {SHAPE("{cylinder: {from: [0, 0, 0], to: [0, 0, 0], radius: 1}}"),
     4, 44, "cylinder"},
    {SHAPE("{half_space: {point: [0, 0, 0], normal: [0, 0, 0]}}"),
     4, 73, "zero vector"},
    {SHAPE("{union: []}"),
     4, 41, "list of at least 1 shape"},
    {SHAPE("{difference: [" BALL "]}"),
     4, 46, "list of at least 2 shapes"},
    {SHAPE("{difference: [" BALL ", {sphere: {center: [0, 0, 0], radius: -1}}]}"),
     4, 98, "sphere"},
    {SHAPE("{shell: {of: " BALL ", thickness: 1 mm, open: [up]}}"),
     4, 112, "expected -x, +x, -y, +y, -z or +z"},
    {SHAPE("{shell: {of: " BALL ", thickness: 0}}"),
     4, 41, "thickness"},
    {SHAPE("{heightfield: {min: [0, 0, 0], max: [1, 1, 1], rows: [[1, 1], [1]]}}"),
     4, 95, "a row of 2 heights"},
    {SHAPE("{heightfield: {min: [0, 0, 0], max: [1, 1, 1], rows: 5}}"),
     4, 86, "at least two rows"},
    {SHAPE("{mesh: {file: no_such_file.obj}}"),
     4, 47, "no_such_file.obj"},
    {SHAPE("{mesh: {file: \"\"}}"),
     4, 47, "expected the path of a mesh"},
    {SHAPE("&a {union: [*a]}"),
     4, 45, "makes the value of line 4 contain itself"},
    {SHAPE("{union: &b [{difference: [" BALL ", {union: *b}]}]}"),
     4, 109, "contain itself"},
    {"",
     1, 1, "empty"},
    {"# only a comment\n",
     1, 1, "empty"},
    {"---\n",
     2, 1, "empty"},
    {"5\n",
     1, 1, "expected a scene as a map of keys"},
    {"[1, 2]\n",
     1, 1, "expected a scene as a map of keys"},
    {"spacing: 1\n---\nspacing: 2\n",
     2, 1, "one document per file"},
    {"duration: 1\nbodies: [{state: static, shape: " BALL "}]\n",
     1, 1, "a scene needs the key 'spacing', such as 'spacing: 5 mm'"},
    {"spacing: 1\nbodies: [{state: static, shape: " BALL "}]\n",
     1, 1, "a scene needs the key 'duration'"},
    {"spacing: 1\nduration: 1\n",
     1, 1, "a scene needs the key 'bodies'"},
    {"spacing: 5 kg\nduration: 1\nbodies: []\n",
     1, 10, "spacing: expected a length such as '5 mm', got '5 kg'"},
    {"spacing: 5 furlong\nduration: 1\nbodies: []\n",
     1, 10, "um, mm, cm, m, km"},
    {"spacing: \"5\"\nduration: 1\nbodies: []\n",
     1, 10, "number without quotes"},
    {"spacing: .nan\nduration: 1\nbodies: []\n",
     1, 10, "finite number"},
    {"spacing: .inf\nduration: 1\nbodies: []\n",
     1, 10, "finite number"},
    {"spacing: 1e999\nduration: 1\nbodies: []\n",
     1, 10, "finite number"},
    {"spacing: 0x10\nduration: 1\nbodies: []\n",
     1, 10, "unknown unit 'x10'"},
    {"spacing: true\nduration: 1\nbodies: []\n",
     1, 10, "got 'true'"},
    {"spacing: 0\nduration: 1\nbodies: []\n",
     1, 10, "more than 0 m"},
    {"spacing: 1\nduration: 0 s\nbodies: []\n",
     2, 11, "more than 0 s"},
    {"spacing: 1\nduration: 1\nbodies: {a: 1}\n",
     3, 9, "expected a list"},
    {"spacing: 1\n\tduration: 1\n",
     2, 1, "tabs"},
    {"spacing: [1\nduration: 1\n",
     2, 9, "expected valid YAML"},
    {"spacing: 'x\n",
     2, 1, "expected valid YAML"},
    {"a: *b\n",
     1, 4, "anchor that stands before"},
    {"? [a, b]\n: 1\n",
     1, 3, "a word as key"},
    {"spacing: !foo 1\n",
     1, 10, "without a tag"},
    {"spacing: !!int 1\n",
     1, 10, "without a tag"},
    {"title: \"a\\0b\"\n",
     1, 8, "zero characters"},
    {"title: a\x01\n",
     1, 9, "control character 0x01"},
    {"title: \xff\n",
     1, 8, "UTF-8"},
    {"ti\xc3\xa4tle: a\xc0\x80\n",
     1, 10, "UTF-8"},
    {"a: &x [1,1,1,1,1,1,1,1,1,1]\n"
     "b: &y [*x,*x,*x,*x,*x,*x,*x,*x,*x,*x]\n"
     "c: &z [*y,*y,*y,*y,*y,*y,*y,*y,*y,*y]\n"
     "d: &u [*z,*z,*z,*z,*z,*z,*z,*z,*z,*z]\n"
     "e: &v [*u,*u,*u,*u,*u,*u,*u,*u,*u,*u]\n"
     "f: &w [*v,*v,*v,*v,*v,*v,*v,*v,*v,*v]\n"
     "g: [*w,*w,*w,*w,*w,*w,*w,*w,*w,*w]\n",
     6, 32, "at most 1100000 values"},
    {FLAT("gravity: [0, 1, 2]\n"),
     4, 17, "expected z = 0 in a 2D scene, got '2'"},
    {FLAT("gravity: [1]\n"),
     4, 10, "two numbers"},
    {FLAT("domain: {min: [0, 0], max: [1, 1], periodic: z}\n"),
     4, 46, "expected x or y"},
    {FLAT("bodies: [{state: static, shape: " BALL ", rotation: {axis: [1, 0, 0], angle: 5}}]\n"),
     4, 85, "about z in a 2D scene"},
    {FLAT("bodies: [{state: static, shape: " BALL ", rotation: [0, 0]}]\n"),
     4, 85, "expected an angle"},
    {FLAT("bodies: [{state: liquid, material: w, shape: " BALL ", angular_velocity: [1, 0, 0]}]\n"),
     4, 106, "about z"},
    {FLAT("materials: {w w: {density: 1}}\n"),
     4, 13, "letters, digits"},
    {FLAT("materials: {w: {density: -1}}\n"),
     4, 26, "more than 0 kg/m3"},
    {FLAT("materials: {w: {}}\n"),
     4, 16, "a material needs the key 'density'"},
    {FLAT("materials: {w: 1000}\n"),
     4, 16, "expected a material as a map"},
    {FLAT("materials: [w]\n"),
     4, 12, "expected a map of names"},
    {FLAT("materials: {w: {density: 1, viscosity: thick}}\n"),
     4, 40, "morris1997, xsph, weiler2018"},
    {FLAT("materials: {w: {density: 1, viscosity: 5 m}}\n"),
     4, 40, "expected a dynamic viscosity such as '1 mPa s', got '5 m'"},
    {FLAT("materials: {w: {density: 1, viscosity: {method: none, viscosity: 1}}}\n"),
     4, 40, "no parameters for 'none'"},
    {TOP("materials: {w: {density: 1, pressure: dfsph}}\n"),
     5, 1, "second time"},
    {FLAT("materials: {w: {density: 1, pressure: dfsph}}\n"),
     4, 29, "belongs at the top level, not in a material"},
};
// clang-format on

static void every_fault_has_its_place_and_its_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        frz_scene *scene = NULL;
        frz_diag diag = {0};
        const frz_status status = frz_scene_parse(cases[i].text, "bad.yaml", NULL, &scene, &diag);
        if (status != FRZ_ERR_SCENE || scene != NULL || diag.line != cases[i].line || diag.column != cases[i].column ||
            strstr(diag.message, cases[i].message) == NULL)
            fail_msg("case %zu, expected %d:%d ...%s...\n%s\ngot status %d, %d:%d %s", i, cases[i].line,
                     cases[i].column, cases[i].message, cases[i].text, (int)status, diag.line, diag.column,
                     diag.message);
        assert_string_equal(diag.file, "bad.yaml");
    }
}

static void failures_leave_no_memory_behind(void **state)
{
    (void)state;
    const int64_t before = frz_memory_bytes();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        frz_scene *scene = NULL;
        assert_int_equal(frz_scene_parse(cases[i].text, "bad.yaml", NULL, &scene, NULL), FRZ_ERR_SCENE);
    }
    assert_int_equal(frz_memory_bytes(), before);
}

/// A scene whose shape is wrapped in the given number of unions.
static char *nested_scene(int depth)
{
    static const char open[] = "{union: [", close[] = "]}";
    const size_t size = sizeof HEAD + 200 + (size_t)depth * (sizeof open + sizeof close);
    char *text = malloc(size), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", HEAD "bodies: [{state: static, shape: ");
    for (int i = 0; i < depth; ++i)
        at += sprintf(at, "%s", open);
    at += sprintf(at, "%s", BALL);
    for (int i = 0; i < depth; ++i)
        at += sprintf(at, "%s", close);
    sprintf(at, "%s", "}]\n");
    return text;
}

static void shapes_nest_to_a_limit(void **state)
{
    (void)state;
    static const struct
    {
        int depth;
        frz_status status;
        const char *message;
    } depths[] = {
        {63, FRZ_OK, ""}, {64, FRZ_ERR_SCENE, "at most 64 shapes"}, {20000, FRZ_ERR_SCENE, "at most 200 levels"}};
    for (int i = 0; i < 3; ++i)
    {
        char *text = nested_scene(depths[i].depth);
        frz_scene *scene = NULL;
        frz_diag diag = {0};
        assert_int_equal(frz_scene_parse(text, "deep.yaml", NULL, &scene, &diag), depths[i].status);
        assert_non_null(strstr(diag.message, depths[i].message));
        frz_scene_destroy(&scene);
        free(text);
    }
}

static void assert_load_fails(const char *path, frz_status status, const char *message)
{
    frz_scene *scene = NULL;
    frz_diag diag = {0};
    assert_int_equal(frz_scene_load(path, &scene, &diag), status);
    assert_null(scene);
    if (strstr(diag.message, message) == NULL)
        fail_msg("'%s' lacks '%s'", diag.message, message);
}

static void write_bytes(const char *path, const void *bytes, size_t count, long size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    if (size > 0)
        assert_int_equal(truncate(path, size), 0);
}

static void unreadable_files_are_named(void **state)
{
    (void)state;
    static const char elf[] = "\x7f"
                              "ELF\x02\x01\x01\x00\x00";
    static const char utf16[] = "\xff\xfes\x00p\x00";
    const long too_large = 65L * 1024 * 1024;
    char folder[] = "/tmp/frz_errors_XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    assert_load_fails(path, FRZ_ERR_FILE, "No such file");
    assert_load_fails(folder, FRZ_ERR_FILE, "found a folder");
    write_bytes(path, "", 0, 0);
    assert_load_fails(path, FRZ_ERR_SCENE, "empty text");
    write_bytes(path, elf, sizeof elf, 0);
    assert_load_fails(path, FRZ_ERR_SCENE, "binary file");
    write_bytes(path, "spacing: 1\0", 11, 0);
    assert_load_fails(path, FRZ_ERR_SCENE, "control character 0x00");
    write_bytes(path, utf16, sizeof utf16, 0);
    assert_load_fails(path, FRZ_ERR_SCENE, "UTF-8");
    write_bytes(path, "a", 1, too_large);
    assert_load_fails(path, FRZ_ERR_FILE, "at most 64 MB");
    unlink(path);
    rmdir(folder);
}

static void null_arguments_are_refused(void **state)
{
    (void)state;
    frz_scene *scene = NULL;
    frz_diag diag = {0};
    assert_int_equal(frz_scene_load(NULL, &scene, &diag), FRZ_ERR_ARGUMENT);
    assert_int_equal(frz_scene_load("x", NULL, &diag), FRZ_ERR_ARGUMENT);
    assert_int_equal(frz_scene_parse(NULL, "x", NULL, &scene, &diag), FRZ_ERR_ARGUMENT);
    assert_int_equal(frz_scene_parse("", "x", NULL, NULL, &diag), FRZ_ERR_ARGUMENT);
    assert_int_equal(frz_scene_builtin(NULL, &scene, &diag), FRZ_ERR_ARGUMENT);
    assert_int_equal(frz_scene_set(NULL, "a", "b", &diag), FRZ_ERR_ARGUMENT);
    frz_scene_destroy(NULL);
    frz_scene_destroy(&scene);
}

static const char fuzz_seed[] =
    "title: \"seed \\u00e9\"\n"
    "spacing: 20 mm\n"
    "kernel: {name: wendland_c2, support: 2.2}\n"
    "duration: 2 s\n"
    "time_step: {max: 5ms, cfl: 0.3}\n"
    "pressure: {method: dfsph, max_iterations: 50}\n"
    "domain: {min: [-2, -1, -2], max: [2, 3, 2], periodic: [x, z]}\n"
    "materials:\n"
    "  water: {density: 998 kg/m3, viscosity: 1 mPa s, color: \"#ffcc00\"}\n"
    "bodies:\n"
    "  - name: tank\n"
    "    state: static\n"
    "    shape: {shell: {of: &tank {box: {min: [-1, 0, -1], max: [1, 1, 1]}}, thickness: 5 cm, open: [+y]}}\n"
    "    motion: {keyframes: [{time: 0}, {time: 1 s, rotation: [0, 10 deg, 0]}], periodic: true}\n"
    "  - {state: liquid, material: water, shape: {intersection: [*tank, {sphere: {center: [0, 0, 0], radius: 1}}]}}\n"
    "probes: [{position: [0, 0.1, 0], fields: [pressure, velocity]}]\n"
    "output: {camera: {eye: [3, 2, 3], target: [0, 0.5, 0]}, image: {width: 640}}\n";

/// Any text either gives a scene whose own text parses again, or one sentence with a place.
static void try_text(const char *text)
{
    frz_scene *scene = NULL, *again = NULL;
    frz_diag diag = {0};
    const frz_status status = frz_scene_parse(text, "fuzz", NULL, &scene, &diag);
    if (status != FRZ_OK)
    {
        assert_int_equal(status, FRZ_ERR_SCENE);
        if (diag.message[0] == '\0' || diag.line < 1 || diag.column < 1)
            fail_msg("'%s' at %d:%d for\n%s", diag.message, diag.line, diag.column, text);
        return;
    }
    if (frz_scene_parse(frz_scene_text(scene), "again", NULL, &again, &diag) != FRZ_OK)
        fail_msg("%d:%d %s in the canonical text of\n%s", diag.line, diag.column, diag.message, text);
    assert_same(frz_scene_hash(scene), frz_scene_hash(again));
    frz_scene_destroy(&scene);
    frz_scene_destroy(&again);
}

static void no_prefix_of_a_scene_crashes(void **state)
{
    (void)state;
    char text[sizeof fuzz_seed];
    for (size_t length = 0; length < sizeof fuzz_seed; ++length)
    {
        memcpy(text, fuzz_seed, length);
        text[length] = '\0';
        try_text(text);
    }
}

static void no_changed_byte_crashes(void **state)
{
    (void)state;
    enum
    {
        mutations = 2000
    };
    static const char interesting[] = "{}[],:&*!|>'\"%@`#-?~ \t\n09azAZ.\xff\x01\xc3";
    uint32_t random = 12345; // a linear congruential generator, Numerical Recipes
    char text[sizeof fuzz_seed];
    for (int i = 0; i < mutations; ++i)
    {
        memcpy(text, fuzz_seed, sizeof fuzz_seed);
        random = random * 1664525u + 1013904223u;
        const size_t place = (random >> 8) % (sizeof fuzz_seed - 1);
        random = random * 1664525u + 1013904223u;
        text[place] = interesting[(random >> 8) % (sizeof interesting - 1)];
        try_text(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_has_its_place_and_its_sentence),
        cmocka_unit_test(failures_leave_no_memory_behind),
        cmocka_unit_test(shapes_nest_to_a_limit),
        cmocka_unit_test(unreadable_files_are_named),
        cmocka_unit_test(null_arguments_are_refused),
        cmocka_unit_test(no_prefix_of_a_scene_crashes),
        cmocka_unit_test(no_changed_byte_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
