// SPDX-License-Identifier: MIT
// Scenes that are right: every feature, the defaults, the round trip through text, overrides, 2D, JSON, documents.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "scene/scene.h"

static const char everything[] =
    "# everything\n"
    "title: \"Everything: all keys\"\n"
    "dimension: 3\n"
    "spacing: 20 mm\n"
    "kernel: {name: wendland_c2, support: 2.2}\n"
    "gravity: [0, -9.81 m/s2, 0]\n"
    "duration: 2 s\n"
    "frame_rate: 25 Hz\n"
    "time_step: {max: 5ms, min: 1 us, cfl: 0.3}\n"
    "pressure: {method: dfsph, max_density_error: 0.05 %, max_iterations: 50}\n"
    "boundary: akinci2012\n"
    "domain: {min: [-2, -1, -2], max: [2, 3, 2], periodic: [x, z]}\n"
    "materials:\n"
    "  water: {density: 998 kg/m3, viscosity: 1 mPa s, color: blue}\n"
    "  oil: {density: 0.9 g/cm3, viscosity: {method: xsph, coefficient: 0.1}, color: \"#ffcc00\"}\n"
    "  ideal: {density: 1000, viscosity: none}\n"
    "bodies:\n"
    "  - name: tank\n"
    "    state: static\n"
    "    shape: {shell: {of: &tank {box: {min: [-1, 0, -1], max: [1, 1, 1]}}, thickness: 5 cm, open: [+y]}}\n"
    "    visible: see_through\n"
    "    motion:\n"
    "      keyframes:\n"
    "        - {time: 0}\n"
    "        - {time: 1 s, position: [0.1, 0, 0], rotation: [0, 10 deg, 0]}\n"
    "        - {time: 2 s}\n"
    "      periodic: true\n"
    "      interpolation: smooth\n"
    "  - state: liquid\n"
    "    material: water\n"
    "    shape:\n"
    "      intersection:\n"
    "        - *tank\n"
    "        - half_space: {point: [0, 0.4, 0], normal: [0, 1, 0]}\n"
    "  - state: liquid\n"
    "    name: drop\n"
    "    material: oil\n"
    "    shape:\n"
    "      union:\n"
    "        - sphere: {center: [0, 0, 0], radius: 0.2}\n"
    "        - cylinder: {from: [0, 0, 0], to: [0, 0.5, 0], radius: 0.1}\n"
    "        - capsule: {from: [0, 0, 0], to: [0.5, 0, 0], radius: 0.1}\n"
    "        - cone: {from: [0, 0, 0], to: [0, 0, 0.5], radius_from: 0.1, radius_to: 0}\n"
    "        - torus: {center: [0, 0, 0], major: 0.3, minor: 0.05}\n"
    "        - transform: {of: {box: {center: [0, 0, 0], size: [0.1, 0.1, 0.1]}}, rotation: {axis: [0, 1, 0], angle: "
    "0.5 rad}}\n"
    "        - difference: [{box: {center: [0, 0, 0], size: [1, 1, 1]}}, {sphere: {center: [0, 0, 0], radius: 0.2}}]\n"
    "    position: [0, 2, 0]\n"
    "    rotation: {axis: [0, 0, 1], angle: 30}\n"
    "    scale: 0.5\n"
    "    velocity: [0, -1, 0]\n"
    "    angular_velocity: [0, 60 rpm, 0]\n"
    "    priority: 3\n"
    "  - state: static\n"
    "    color: gray\n"
    "    visible: false\n"
    "    shape: {heightfield: {min: [-1, -0.5, -1], max: [1, 0.5, 1], rows: [[0, 0.1, 0], [0, 0.1, 0]]}}\n"
    "probes:\n"
    "  - {name: p1, position: [0, 0.1, 0], fields: [pressure, velocity]}\n"
    "  - {position: [0, 0.2, 0]}\n"
    "output:\n"
    "  fields: [density, pressure]\n"
    "  checkpoint_every: 2 min\n"
    "  stats_every: 10\n"
    "  camera: {eye: [3, 2, 3], target: [0, 0.5, 0], fov: 35 deg}\n"
    "  color: {field: speed, map: viridis, min: 0, max: 3}\n"
    "  image: {width: 640, height: 360}\n";

static const char least[] = "spacing: 0.1\n"
                            "duration: 1\n"
                            "materials: {water: {density: 1000}}\n"
                            "bodies:\n"
                            "  - {state: liquid, material: water, shape: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}\n"
                            "  - {state: static, shape: {half_space: {point: [0, 0, 0], normal: [0, 1, 0]}}}\n";

static const char flat[] = "dimension: 2\n"
                           "spacing: 1 cm\n"
                           "duration: 1 s\n"
                           "gravity: [0, -9.81]\n"
                           "materials: {water: {density: 1000}}\n"
                           "domain: {min: [0, 0], max: [2, 1], periodic: x}\n"
                           "bodies:\n"
                           "  - state: liquid\n"
                           "    material: water\n"
                           "    shape: {box: {min: [0, 0], max: [1, 1]}}\n"
                           "    position: [0.5, 0]\n"
                           "    rotation: 30 deg\n"
                           "    angular_velocity: 2 rad/s\n"
                           "  - state: static\n"
                           "    shape: {heightfield: {min: [0, -1], max: [1, 0], rows: [-0.5, -0.4, -0.5]}}\n"
                           "output: {camera: {eye: [0, 0, 5], target: [0, 0], height: 2}}\n";

static frz_scene *parse_good(const char *text)
{
    frz_scene *scene = NULL;
    frz_diag diag = {0};
    char message[1500];
    if (frz_scene_parse(text, "test.yaml", NULL, &scene, &diag) != FRZ_OK)
        fail_msg("%s", frz_diag_text(&diag, message, sizeof message));
    return scene;
}

static void set_good(frz_scene *scene, const char *path, const char *value)
{
    frz_diag diag = {0};
    char message[1500];
    if (frz_scene_set(scene, path, value, &diag) != FRZ_OK)
        fail_msg("%s", frz_diag_text(&diag, message, sizeof message));
}

static void assert_close(double a, double b)
{
    if (fabs(a - b) > 1e-12 * fmax(1.0, fabs(b)))
        fail_msg("%.17g is not %.17g", a, b);
}

static void assert_vector(frz_vec3 v, double x, double y, double z)
{
    assert_close(v.x, x);
    assert_close(v.y, y);
    assert_close(v.z, z);
}

static void every_scene_wide_key_arrives(void **state)
{
    (void)state;
    frz_scene *scene = parse_good(everything);
    assert_string_equal(frz_scene_title(scene), "Everything: all keys");
    assert_int_equal(frz_scene_dimension(scene), 3);
    assert_close(scene->spacing, 0.02);
    assert_string_equal(scene->kernel.name, "wendland_c2");
    assert_close(scene->kernel.support, 2.2);
    assert_vector(scene->gravity, 0, -9.81, 0);
    assert_close(frz_scene_duration(scene), 2.0);
    assert_close(frz_scene_frame_rate(scene), 25.0);
    assert_close(scene->time_step.fixed, 0.0);
    assert_close(scene->time_step.max, 0.005);
    assert_close(scene->time_step.min, 1e-6);
    assert_close(scene->time_step.cfl, 0.3);
    assert_true(scene->domain.has_min && scene->domain.has_max);
    assert_int_equal(scene->domain.periodic, 1 | 4);
    assert_vector(scene->domain.max, 2, 3, 2);
    assert_int_equal(scene->probes.count, 2);
    assert_string_equal(scene->probes.items[0].name, "p1");
    assert_string_equal(scene->probes.items[1].name, "probe_1");
    assert_int_equal(scene->probes.items[0].fields, FRZ_PROBE_PRESSURE | FRZ_PROBE_VELOCITY);
    assert_int_equal(scene->probes.items[1].fields, FRZ_PROBE_PRESSURE);
    frz_scene_destroy(&scene);
    assert_null(scene);
}

static void every_output_key_arrives(void **state)
{
    (void)state;
    frz_scene *scene = parse_good(everything);
    const frz_scene_output *output = &scene->output;
    assert_int_equal(output->fields.count, 2);
    assert_string_equal(output->fields.items[1], "pressure");
    assert_close(output->checkpoint_every, 120.0);
    assert_int_equal(output->stats_every, 10);
    assert_true(output->camera.has_eye && output->camera.has_target && output->camera.has_fov);
    assert_false(output->camera.has_height);
    assert_close(output->camera.fov, 35.0);
    assert_vector(output->camera.up, 0, 1, 0);
    assert_string_equal(output->color.field, "speed");
    assert_string_equal(output->color.map, "viridis");
    assert_close(output->color.max, 3.0);
    assert_int_equal(output->image.width, 640);
    assert_int_equal(output->image.height, 360);
    frz_scene_destroy(&scene);
}

/// Value of a REAL or INT parameter of a chosen method.
static double param_of(const frz_choice *choice, const char *key)
{
    for (const frz_param *p = choice->method->params; p->key != NULL; ++p)
    {
        const char *at = (const char *)choice->self + p->offset;
        if (strcmp(p->key, key) != 0)
            continue;
        if (p->kind == FRZ_PARAM_REAL)
            return *(const double *)(const void *)at;
        return p->kind == FRZ_PARAM_INT ? *(const int *)(const void *)at : *(const bool *)(const void *)at;
    }
    fail_msg("no parameter %s", key);
    return 0.0;
}

static void methods_and_their_parameters_arrive(void **state)
{
    (void)state;
    frz_scene *scene = parse_good(everything);
    const frz_choice *pressure = &scene->methods[FRZ_SLOT_PRESSURE];
    assert_string_equal(pressure->method->key, "dfsph");
    assert_close(param_of(pressure, "max_density_error"), 0.05);
    assert_close(param_of(pressure, "max_iterations"), 50);
    assert_string_equal(scene->methods[FRZ_SLOT_BOUNDARY].method->key, "akinci2012");
    assert_null(scene->methods[FRZ_SLOT_VISCOSITY].method);
    const frz_choice *water = &scene->materials.items[0].methods[FRZ_SLOT_VISCOSITY];
    assert_string_equal(water->method->key, "morris1997");
    assert_close(*(const double *)water->self, 0.001);
    const frz_choice *oil = &scene->materials.items[1].methods[FRZ_SLOT_VISCOSITY];
    assert_string_equal(oil->method->key, "xsph");
    assert_close(param_of(oil, "coefficient"), 0.1);
    assert_null(scene->materials.items[2].methods[FRZ_SLOT_VISCOSITY].method);
    assert_int_equal(scene->materials.items[1].color.red, 0xff);
    assert_int_equal(scene->materials.items[1].color.green, 0xcc);
    assert_true(scene->materials.items[0].color.given);
    assert_false(scene->materials.items[2].color.given);
    assert_close(scene->materials.items[1].density, 900.0);
    frz_scene_destroy(&scene);
}

static void bodies_arrive_in_their_place(void **state)
{
    (void)state;
    frz_scene *scene = parse_good(everything);
    assert_int_equal(scene->bodies.count, 4);
    const frz_scene_body *tank = &scene->bodies.items[0], *pool = &scene->bodies.items[1],
                         *drop = &scene->bodies.items[2], *ground = &scene->bodies.items[3];
    assert_int_equal(tank->state, FRZ_SCENE_STATIC);
    assert_int_equal(tank->priority, 100);
    assert_int_equal(tank->visible, FRZ_SCENE_SEE_THROUGH);
    assert_int_equal(tank->material, -1);
    assert_true(tank->has_motion && tank->motion.periodic);
    assert_int_equal(tank->motion.interpolation, FRZ_SCENE_SMOOTH);
    assert_int_equal(tank->motion.keyframes.count, 3);
    assert_vector(tank->motion.keyframes.items[1].position, 0.1, 0, 0);
    assert_close(tank->motion.keyframes.items[1].rotation.rotation.y, sin(5.0 * M_PI / 180.0));
    assert_string_equal(pool->name, "body_1");
    assert_int_equal(pool->material, 0);
    assert_int_equal(pool->priority, 0);
    assert_less(frz_shape_distance(pool->shape, frz_v3(0, 0.2, 0)), 0.0);
    assert_greater(frz_shape_distance(pool->shape, frz_v3(0, 0.6, 0)), 0.0);
    assert_int_equal(drop->material, 1);
    assert_int_equal(drop->priority, 3);
    assert_vector(drop->velocity, 0, -1, 0);
    assert_vector(drop->angular_velocity, 0, 2 * M_PI, 0);
    // placed: scaled by 0.5, turned by 30 degrees, moved up by 2; the cylinder along y now leans to -x
    assert_int_equal(frz_shape_kind_of(drop->shape), FRZ_SHAPE_TRANSFORM);
    assert_greater(frz_shape_distance(drop->shape, frz_v3(0, 0, 0)), 0.0);
    assert_less(frz_shape_distance(drop->shape, frz_v3(-0.24 * 0.5, 2.0 + 0.24 * sqrt(0.75), 0)), 0.0);
    assert_int_equal(ground->visible, FRZ_SCENE_HIDDEN);
    assert_less(frz_shape_distance(ground->shape, frz_v3(0, -0.2, 0)), 0.0);
    frz_scene_destroy(&scene);
}

static void what_is_left_out_gets_the_default(void **state)
{
    (void)state;
    frz_scene *scene = parse_good(least);
    assert_string_equal(frz_scene_title(scene), "");
    assert_int_equal(scene->dimension, 3);
    assert_string_equal(scene->kernel.name, "wendland_c2");
    assert_close(scene->kernel.support, 2.1);
    assert_vector(scene->gravity, 0, -9.81, 0);
    assert_close(scene->frame_rate, 50.0);
    assert_close(scene->time_step.cfl, 0.4);
    assert_close(scene->time_step.max, 0.0);
    assert_close(scene->time_step.min, 1e-7);
    assert_string_equal(scene->methods[FRZ_SLOT_PRESSURE].method->key, "dfsph");
    assert_null(scene->materials.items[0].methods[FRZ_SLOT_VISCOSITY].method);
    assert_false(scene->domain.has_min || scene->domain.has_max);
    assert_close(scene->output.checkpoint_every, 60.0);
    assert_int_equal(scene->output.stats_every, 0);
    assert_int_equal(scene->output.image.width, 1280);
    assert_false(scene->output.has_fields || scene->output.camera.has_eye);
    assert_close(scene->bodies.items[0].scale, 1.0);
    assert_close(scene->bodies.items[0].rotation.w, 1.0);
    assert_int_equal(frz_shape_kind_of(scene->bodies.items[0].shape), FRZ_SHAPE_BOX);
    frz_scene_destroy(&scene);
}

static void structs_remember_their_place(void **state)
{
    (void)state;
    frz_scene *scene = parse_good(least);
    assert_int_equal(scene->bodies.items[1].mark.line, 6);
    assert_int_equal(scene->bodies.items[1].mark.column, 5);
    const frz_mark mark = frz_scene_mark_of(scene, "materials.water.density");
    assert_int_equal(mark.line, 3);
    assert_int_equal(mark.column, 30);
    assert_int_equal(frz_scene_mark_of(scene, "materials.water.viscosity").column, 20);
    frz_diag diag = {0};
    char text[300];
    assert_int_equal(frz_scene_fail(scene, mark, &diag, "too %s", "dense"), FRZ_ERR_SCENE);
    assert_string_equal(frz_diag_text(&diag, text, sizeof text), "test.yaml:3:30: too dense");
    frz_scene_destroy(&scene);
}

static void text_parses_to_the_same_scene(void **state)
{
    (void)state;
    const char *const texts[] = {everything, least, flat};
    for (int i = 0; i < 3; ++i)
    {
        frz_scene *first = parse_good(texts[i]);
        frz_scene *second = parse_good(frz_scene_text(first));
        assert_string_equal(frz_scene_text(first), frz_scene_text(second));
        assert_same(frz_scene_hash(first), frz_scene_hash(second));
        assert_int_equal(first->bodies.count, second->bodies.count);
        assert_close(first->spacing, second->spacing);
        frz_scene_destroy(&first);
        frz_scene_destroy(&second);
    }
}

static void odd_texts_survive_the_round_trip(void **state)
{
    (void)state;
    static const char *const titles[] = {
        "\"5\"",
        "\"true\"",
        "\"a: b # c\"",
        "\"tab\\tnewline\\nquote\\\"\"",
        "'- x'",
        "\"~\"",
        "\"#\"",
        "\"Wasserfall \u00fcber Stufe\"",
        "\"\\u2028\\uFEFF\"",
        "|\n  two\n  lines",
        "5",
        "yes",
        "\"\"",
        "\"...\"",
        "\"---\"",
        "\" blank \"",
        "a  b",
    };
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; ++i)
    {
        char text[2000];
        snprintf(text, sizeof text, "title: %s\n%s", titles[i], least);
        frz_scene *first = parse_good(text);
        frz_scene *second = parse_good(frz_scene_text(first));
        assert_string_equal(frz_scene_title(first), frz_scene_title(second));
        assert_string_equal(frz_scene_text(first), frz_scene_text(second));
        frz_scene_destroy(&first);
        frz_scene_destroy(&second);
    }
}

static void layout_and_comments_do_not_change_the_hash(void **state)
{
    (void)state;
    frz_scene *a = parse_good(least);
    frz_scene *b =
        parse_good("# a comment\n"
                   "spacing:    0.1   # another\n"
                   "duration: 1\n\n"
                   "\"materials\":\n    'water':\n        density: 1000\n"
                   "bodies: [{state: liquid, material: \"water\", shape: {box: {min: [0,0,0], max: [1, 1,\n  1]}}},\n"
                   "  {state: static, shape: {half_space: {point: [0, 0, 0], normal: [0, 1, 0]}}}]\n");
    assert_same(frz_scene_hash(a), frz_scene_hash(b));
    set_good(b, "spacing", "0.2");
    assert_different(frz_scene_hash(a), frz_scene_hash(b));
    frz_scene_destroy(&a);
    frz_scene_destroy(&b);
}

static void json_is_a_scene_too(void **state)
{
    (void)state;
    frz_scene *scene =
        parse_good("{\"spacing\": \"5 mm\", \"duration\": 1.5e0, \"materials\": {\"w\": {\"density\": 1000}},\n"
                   " \"bodies\": [{\"state\": \"liquid\", \"material\": \"w\",\n"
                   "   \"shape\": {\"sphere\": {\"center\": [0, 0, 0], \"radius\": 1}}}]}");
    assert_close(scene->spacing, 0.005);
    assert_close(scene->duration, 1.5);
    frz_scene_destroy(&scene);
}

static void two_components_do_in_2d(void **state)
{
    (void)state;
    frz_scene *scene = parse_good(flat);
    assert_int_equal(scene->dimension, 2);
    const frz_scene_body *body = &scene->bodies.items[0];
    assert_vector(scene->gravity, 0, -9.81, 0);
    assert_vector(body->angular_velocity, 0, 0, 2);
    assert_close(body->rotation.z, sin(15.0 * M_PI / 180.0));
    const frz_bounds bounds = frz_shape_bounds(body->shape);
    assert_true(isinf(bounds.min.z) && isinf(bounds.max.z));
    assert_less(frz_shape_distance(body->shape, frz_v3(0.5, 0.5, 0)), 0.0);
    assert_less(frz_shape_distance(scene->bodies.items[1].shape, frz_v3(0.5, -0.6, 0)), 0.0);
    assert_close(scene->output.camera.eye.z, 5.0);
    frz_scene_destroy(&scene);
}

static void a_method_asks_for_its_support_unless_the_scene_says_one(void **state)
{
    (void)state;
    frz_scene *scene = parse_good(least);
    set_good(scene, "materials.water.tension", "0.072 N/m");
    assert_close(scene->kernel.support, 2.1); // it has a wall of the default boundary, which would leak
    set_good(scene, "boundary", "akinci2012");
    assert_close(scene->kernel.support, 3.0);
    set_good(scene, "materials.water.tension", "{method: cahn1958}");
    assert_close(scene->kernel.support, 2.1);
    set_good(scene, "materials.water.tension", "{method: area}");
    set_good(scene, "kernel.support", "2.5");
    assert_close(scene->kernel.support, 2.5);
    frz_scene_destroy(&scene);
}

static void short_forms_are_understood(void **state)
{
    (void)state;
    frz_scene *scene = parse_good(least);
    set_good(scene, "time_step", "2 ms");
    set_good(scene, "kernel", "wendland_c4");
    set_good(scene, "output.color", "pressure");
    set_good(scene, "pressure", "0.01 %");
    set_good(scene, "materials.water.viscosity", "5");
    assert_close(scene->time_step.fixed, 0.002);
    assert_string_equal(scene->kernel.name, "wendland_c4");
    assert_close(scene->kernel.support, 2.1);
    assert_string_equal(scene->output.color.field, "pressure");
    assert_close(param_of(&scene->methods[FRZ_SLOT_PRESSURE], "max_density_error"), 0.01);
    assert_close(*(const double *)scene->materials.items[0].methods[FRZ_SLOT_VISCOSITY].self, 5.0);
    frz_scene_destroy(&scene);
}

static void overrides_reach_every_kind_of_place(void **state)
{
    (void)state;
    frz_scene *scene = parse_good(everything);
    const uint64_t before = frz_scene_hash(scene);
    set_good(scene, "spacing", "3 cm");
    set_good(scene, "materials.water.density", "997");
    set_good(scene, "bodies.2.velocity", "[1, 2, 3]");
    set_good(scene, "bodies.drop.scale", "2");
    set_good(scene, "bodies.body_1.priority", "9");
    set_good(scene, "probes.p1.position", "[9, 9, 9]");
    set_good(scene, "bodies.drop.velocity.1", "-7 m/s");
    set_good(scene, "materials.milk", "{density: 1030}");
    set_good(scene, "title", "new");
    assert_close(scene->spacing, 0.03);
    assert_close(scene->materials.items[0].density, 997);
    assert_vector(scene->bodies.items[2].velocity, 1, -7, 3);
    assert_close(scene->bodies.items[2].scale, 2);
    assert_int_equal(scene->bodies.items[1].priority, 9);
    assert_vector(scene->probes.items[0].position, 9, 9, 9);
    assert_int_equal(scene->materials.count, 4);
    assert_string_equal(frz_scene_title(scene), "new");
    assert_different(frz_scene_hash(scene), before);
    frz_scene *again = parse_good(frz_scene_text(scene));
    assert_same(frz_scene_hash(again), frz_scene_hash(scene));
    frz_scene_destroy(&again);
    frz_scene_destroy(&scene);
}

static void overrides_make_missing_sections(void **state)
{
    (void)state;
    frz_scene *scene = parse_good(least);
    set_good(scene, "output.image.width", "320");
    set_good(scene, "domain", "{min: [-1, -1, -1]}");
    assert_int_equal(scene->output.image.width, 320);
    assert_int_equal(scene->output.image.height, 720);
    assert_true(scene->domain.has_min);
    frz_scene_destroy(&scene);
}

static void a_refused_override_leaves_the_scene_alone(void **state)
{
    (void)state;
    static const struct
    {
        const char *path, *value, *message;
    } cases[] = {
        {"spacing", "5 kg", "expected a length such as '5 mm', got '5 kg'"},
        {"spacing", "", "empty"},
        {"spacing", "[1", "valid YAML"},
        {"spacin", "1", "did you mean 'spacing'?"},
        {"spacing.x", "1", "plain value '20 mm'"},
        {"bodies.9.velocity", "[0, 0, 0]", "a number from 0 to 3"},
        {"bodies.dorp.velocity", "[0, 0, 0]", "did you mean 'drop'?"},
        {"bodies.tank.name", "drop", "second time"},
        {"materials.water", "{}", "needs the key 'density'"},
        {"", "1", "keys with dots"},
        {"a..b", "1", "keys with dots"},
        {"bodies.drop.material", "wood", "got 'wood'"},
    };
    frz_scene *scene = parse_good(everything);
    const uint64_t before = frz_scene_hash(scene);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        frz_diag diag = {0};
        assert_int_equal(frz_scene_set(scene, cases[i].path, cases[i].value, &diag), FRZ_ERR_SCENE);
        if (strstr(diag.message, cases[i].message) == NULL)
            fail_msg("%s = %s: %s", cases[i].path, cases[i].value, diag.message);
        assert_same(frz_scene_hash(scene), before);
        assert_close(scene->spacing, 0.02);
    }
    frz_scene_destroy(&scene);
}

static void errors_in_overrides_name_the_override(void **state)
{
    (void)state;
    frz_scene *scene = parse_good(least);
    frz_diag diag = {0};
    assert_int_equal(frz_scene_set(scene, "gravity", "[0, 1 kg, 0]", &diag), FRZ_ERR_SCENE);
    assert_string_equal(diag.file, "override gravity");
    assert_int_equal(diag.line, 1);
    assert_int_equal(diag.column, 5);
    frz_scene_destroy(&scene);
}

static void files_are_loaded_relative_to_their_folder(void **state)
{
    (void)state;
    static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    char folder[] = "/tmp/frz_scene_XXXXXX", path[100], mesh[100];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    snprintf(mesh, sizeof mesh, "%s/solid.obj", folder);
    FILE *file = fopen(mesh, "w");
    assert_non_null(file);
    fputs(tetrahedron, file);
    fclose(file);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "spacing: 0.1\nduration: 1\nbodies: [{state: static, shape: {mesh: {file: solid.obj, scale: 2}}}]\n");
    fclose(file);
    frz_scene *scene = NULL;
    frz_diag diag = {0};
    const frz_status status = frz_scene_load(path, &scene, &diag);
    if (status == FRZ_OK)
    {
        assert_less(frz_shape_distance(scene->bodies.items[0].shape, frz_v3(0.4, 0.4, 0.4)), 0.0);
        assert_greater(frz_shape_distance(scene->bodies.items[0].shape, frz_v3(0.9, 0.9, 0.9)), 0.0);
    }
    unlink(mesh);
    frz_scene *missing = NULL;
    frz_diag missing_diag = {0};
    assert_int_equal(frz_scene_load(path, &missing, &missing_diag), FRZ_ERR_SCENE);
    assert_int_equal(missing_diag.line, 3);
    assert_int_equal(missing_diag.column, 47);
    assert_string_equal(missing_diag.file, path);
    unlink(path);
    rmdir(folder);
    if (status != FRZ_OK)
        fail_msg("%s", diag.message);
    frz_scene_destroy(&scene);
}

static void documents_are_made_from_the_tables(void **state)
{
    (void)state;
    char *const texts[] = {frz_schema_json(), frz_schema_markdown(), frz_methods_markdown(), frz_methods_json()};
    static const char *const wanted[][4] = {
        {"2020-12", "\"spacing\"", "#/$defs/shape", "\"morris1997\""},
        {"| `spacing` | number, m | **required** |", "### `heightfield`", "| a length |", "## bodies.motion.keyframes"},
        {"### `dfsph` (default)", "## `viscosity` (in a material)", "| `max_iterations` | whole number |", "Source: "},
        {"\"slot\": \"pressure\"", "\"unit\": \"Pa s\"", "\"exempt\"", "\"cite\""},
    };
    for (int i = 0; i < 4; ++i)
    {
        assert_non_null(texts[i]);
        for (int j = 0; j < 4; ++j)
            if (strstr(texts[i], wanted[i][j]) == NULL)
                fail_msg("document %d lacks '%s'", i, wanted[i][j]);
        frz_text_free(texts[i]);
    }
}

static void builtin_scenes_are_listed_and_parse(void **state)
{
    (void)state;
    for (int i = 0; frz_scene_builtin_name(i) != NULL; ++i)
    {
        frz_scene *scene = NULL;
        frz_diag diag = {0};
        if (frz_scene_builtin(frz_scene_builtin_name(i), &scene, &diag) != FRZ_OK)
            fail_msg("%s: %s", frz_scene_builtin_name(i), diag.message);
        frz_scene_destroy(&scene);
    }
    frz_scene *scene = NULL;
    frz_diag diag = {0};
    assert_int_equal(frz_scene_builtin("no_such_scene", &scene, &diag), FRZ_ERR_ARGUMENT);
    assert_null(scene);
    assert_null(frz_scene_builtin_name(-1));
}

static void nothing_stays_allocated(void **state)
{
    (void)state;
    frz_scene *warm = parse_good(everything);
    frz_scene_destroy(&warm);
    const int64_t before = frz_memory_bytes();
    frz_scene *scene = parse_good(everything);
    set_good(scene, "spacing", "1 cm");
    frz_scene_destroy(&scene);
    frz_scene_destroy(&scene);
    frz_text_free(NULL);
    assert_int_equal(frz_memory_bytes(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_wide_key_arrives),
        cmocka_unit_test(every_output_key_arrives),
        cmocka_unit_test(methods_and_their_parameters_arrive),
        cmocka_unit_test(bodies_arrive_in_their_place),
        cmocka_unit_test(what_is_left_out_gets_the_default),
        cmocka_unit_test(structs_remember_their_place),
        cmocka_unit_test(text_parses_to_the_same_scene),
        cmocka_unit_test(odd_texts_survive_the_round_trip),
        cmocka_unit_test(layout_and_comments_do_not_change_the_hash),
        cmocka_unit_test(json_is_a_scene_too),
        cmocka_unit_test(two_components_do_in_2d),
        cmocka_unit_test(a_method_asks_for_its_support_unless_the_scene_says_one),
        cmocka_unit_test(short_forms_are_understood),
        cmocka_unit_test(overrides_reach_every_kind_of_place),
        cmocka_unit_test(overrides_make_missing_sections),
        cmocka_unit_test(a_refused_override_leaves_the_scene_alone),
        cmocka_unit_test(errors_in_overrides_name_the_override),
        cmocka_unit_test(files_are_loaded_relative_to_their_folder),
        cmocka_unit_test(documents_are_made_from_the_tables),
        cmocka_unit_test(builtin_scenes_are_listed_and_parse),
        cmocka_unit_test(nothing_stays_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
