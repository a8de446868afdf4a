// SPDX-License-Identifier: MIT
// Events and rigid bodies of particles, from the text of a scene to the model.
#include "core_trial.h"

#include <omp.h>

#include "geom/shape_moments.h"
#include "scene/compile.h"
#include "scene/compile_internal.h"
#include "compare.h"

#define SPHERE "{sphere: {center: [0.2, 0.2, 0.2], radius: 0.1}}"

static const char head[] =
    "spacing: 0.1\nduration: 10\ngravity: [0, 0, 0]\n"
    "materials:\n"
    "  water: {density: 1000, elastic: 1e5 Pa}\n"
    "  wax: {density: 900, elastic: 1e5 Pa}\n"
    "  ice: {density: 917}\n"
    "bodies:\n"
    "  - {name: pool, state: liquid, material: water, shape: {box: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}}}\n"
    "  - {name: bar, state: elastic, material: wax, shape: {box: {min: [1, 0, 0], max: [1.5, 0.5, 0.5]}}}\n"
    "  - {name: floe, state: rigid, material: ice, shape: {box: {min: [2, 0, 0], max: [2.4, 0.2, 0.3]}}}\n"
    "  - {name: wall, state: static, shape: {box: {min: [-1, 0, 0], max: [-0.5, 0.5, 0.5]}}}\n"
    "emitters: [{name: tap, material: water, position: [0, 2, 0], direction: [0, -1, 0], radius: 0.2, speed: 1}]\n"
    "probes:\n"
    "  - {name: gauge, position: [0.2, 0.2, 0.2]}\n"
    "  - {name: meter, position: [0, 1.5, 0], normal: [0, -1, 0], radius: 0.3}\n";

typedef struct trial
{
    frz_scene *scene;
    frz_model *model;
    frz_state *state;
    int warning_count;
    char warnings[8][512];
} trial;

static void keep_warning(void *user, frz_log_level level, const char *text)
{
    trial *t = user;
    (void)level;
    assert_less(t->warning_count, 8);
    snprintf(t->warnings[t->warning_count++], sizeof t->warnings[0], "%s", text);
}

/// Reads and compiles a text.
static void compile(trial *t, const char *text)
{
    frz_diag diag = {.status = FRZ_OK};
    memset(t, 0, sizeof *t);
    frz_status status = frz_scene_parse(text, "test.yaml", NULL, &t->scene, &diag);
    if (status == FRZ_OK)
        status = frz_scene_compile(t->scene, keep_warning, t, &t->model, &t->state, &diag);
    if (status != FRZ_OK)
        fail_msg("line %d: %s\n%s", diag.line, diag.message, text);
}

static void compile_events(trial *t, const char *events)
{
    char text[8000];
    snprintf(text, sizeof text, "%sevents:\n%s", head, events);
    compile(t, text);
}

static void clear(trial *t)
{
    frz_state_destroy(&t->state);
    frz_model_destroy(&t->model);
    frz_scene_destroy(&t->scene);
}

static bool is_warned(const trial *t, const char *words)
{
    bool any = false;
    for (int w = 0; w < t->warning_count; ++w)
        any = any || strstr(t->warnings[w], words) != NULL;
    return any;
}

static void assert_bodies(const trial *t, const frz_event_target *target, const bool expected[5])
{
    assert_int_equal(t->model->body_count, 5);
    assert_non_null(target->bodies);
    for (int b = 0; b < 5; ++b)
        assert_int_equal(target->bodies[b], expected[b]);
}

// ---- keys

static void defaults_are_those_of_one_change_of_everything(void **state)
{
    (void)state;
    trial t;
    compile_events(&t, "  - {at: 2 s, do: melt}\n");
    assert_int_equal(t.model->event_count, 1);
    assert_true(t.model->can_change);
    const frz_event *event = &t.model->events[0];
    assert_string_equal(event->label, "event_0");
    assert_int_equal(event->trigger, FRZ_EVENT_AT);
    assert_same(event->at, 2.0);
    assert_same(event->every, 0.0);
    assert_same(event->until, HUGE_VAL);
    assert_int_equal(event->action, FRZ_EVENT_CHANGE);
    assert_int_equal(event->from, FRZ_PHASE_SAMPLE);
    assert_int_equal(event->to, FRZ_PHASE_LIQUID);
    assert_int_equal(event->material, -1);
    assert_null(event->target.bodies);
    assert_int_equal(event->target.material, -1);
    assert_null(event->target.shape);
    assert_same(frz_v3_length(event->target.velocity), 0.0);
    assert_false(event->whole);
    assert_null(event->name);
    assert_same(event->friction, 0.3);
    assert_same(event->restitution, 0.0);
    assert_int_equal(t.warning_count, 0);
    clear(&t);
}

static void every_key_of_a_change_arrives(void **state)
{
    (void)state;
    trial t;
    compile_events(&t,
                   "  - {label: frost, at: 500 ms, every: 0.5 s, until: 3 s, do: freeze, to: rigid, of: [pool, tap],"
                   " in: " SPHERE ", velocity: [1, 0, 20 cm/s], material: ice, name: duck, friction: 0.1,"
                   " restitution: 0.2}\n"
                   "  - {at: 1, do: melt, of: bar, in: " SPHERE ", whole: true, material: water}\n");
    const frz_event *event = &t.model->events[0];
    assert_string_equal(event->label, "frost");
    assert_same(event->at, 0.5);
    assert_same(event->every, 0.5);
    assert_same(event->until, 3.0);
    assert_int_equal(event->from, FRZ_PHASE_LIQUID);
    assert_int_equal(event->to, FRZ_PHASE_RIGID);
    assert_bodies(&t, &event->target, (const bool[5]){true, false, false, false, true});
    assert_int_equal(event->target.material, -1);
    assert_small(frz_shape_distance(event->target.shape, frz_v3(0.2, 0.2, 0.2)) + 0.1, 1e-12);
    assert_same(event->target.velocity.x, 1.0);
    assert_same(event->target.velocity.z, 0.2);
    assert_int_equal(event->material, 2);
    assert_string_equal(event->name, "duck");
    assert_same(event->friction, 0.1);
    assert_same(event->restitution, 0.2);
    assert_false(event->whole);
    assert_true(t.model->events[1].whole);
    assert_int_equal(t.model->events[1].material, 0);
    clear(&t);
}

static void every_change_has_its_phases(void **state)
{
    (void)state;
    static const struct
    {
        const char *text;
        frz_event_action action;
        frz_phase from, to;
    } cases[] = {
        {"do: melt, of: bar", FRZ_EVENT_CHANGE, FRZ_PHASE_SAMPLE, FRZ_PHASE_LIQUID},
        {"do: freeze, of: pool", FRZ_EVENT_CHANGE, FRZ_PHASE_LIQUID, FRZ_PHASE_RIGID},
        {"do: freeze, to: elastic, of: pool", FRZ_EVENT_CHANGE, FRZ_PHASE_LIQUID, FRZ_PHASE_ELASTIC},
        {"do: soften, of: floe, material: wax", FRZ_EVENT_CHANGE, FRZ_PHASE_RIGID, FRZ_PHASE_ELASTIC},
        {"do: harden, of: bar", FRZ_EVENT_CHANGE, FRZ_PHASE_ELASTIC, FRZ_PHASE_RIGID},
        {"do: join, of: [bar, floe]", FRZ_EVENT_JOIN, FRZ_PHASE_SAMPLE, FRZ_PHASE_SAMPLE},
        {"do: cut, in: " SPHERE, FRZ_EVENT_CUT, FRZ_PHASE_SAMPLE, FRZ_PHASE_SAMPLE},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
    {
        trial t;
        char text[300];
        snprintf(text, sizeof text, "  - {at: 0, %s}\n", cases[k].text);
        compile_events(&t, text);
        assert_int_equal(t.model->events[0].action, cases[k].action);
        assert_int_equal(t.model->events[0].from, cases[k].from);
        assert_int_equal(t.model->events[0].to, cases[k].to);
        clear(&t);
    }
}

static void probes_have_thresholds_in_their_units(void **state)
{
    (void)state;
    static const struct
    {
        const char *text;
        int probe;
        frz_event_field field;
        double threshold;
        bool above;
    } cases[] = {
        {"probe: gauge, field: pressure, above: 3 kPa", 0, FRZ_EVENT_PRESSURE, 3000.0, true},
        {"probe: gauge, field: pressure, below: -2 Pa", 0, FRZ_EVENT_PRESSURE, -2.0, false},
        {"probe: gauge, field: speed, below: 5 cm/s", 0, FRZ_EVENT_SPEED, 0.05, false},
        {"probe: gauge, field: density, above: 1 g/cm3", 0, FRZ_EVENT_DENSITY, 1000.0, true},
        {"probe: gauge, field: temperature, below: 0 degC", 0, FRZ_EVENT_TEMPERATURE, 273.15, false},
        {"probe: meter, field: flow, above: 2 l", 1, FRZ_EVENT_FLOW, 0.002, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
    {
        trial t;
        char text[300];
        snprintf(text, sizeof text, "  - {at: 1, when: {%s}, do: melt, of: bar}\n", cases[k].text);
        compile_events(&t, text);
        const frz_event *event = &t.model->events[0];
        assert_int_equal(event->trigger, FRZ_EVENT_PROBE);
        assert_same(event->at, 1.0);
        assert_int_equal(event->probe, cases[k].probe);
        assert_int_equal(event->field, cases[k].field);
        assert_less_equal(fabs(event->threshold - cases[k].threshold), 1e-12 * fabs(cases[k].threshold));
        assert_int_equal(event->above, cases[k].above);
        assert_int_equal(t.model->has_temperature, cases[k].field == FRZ_EVENT_TEMPERATURE); // else nothing to wait for
        clear(&t);
    }
}

static void particles_are_counted_by_body_and_by_material(void **state)
{
    (void)state;
    trial t;
    compile_events(&t, "  - {when: {in: " SPHERE ", of: [pool, tap], above: 500}, do: melt, of: wax}\n"
                       "  - {when: {in: " SPHERE ", of: water, below: 20}, do: melt, of: bar}\n"
                       "  - {when: {in: " SPHERE ", below: 20}, do: melt, of: bar}\n");
    const frz_event *events = t.model->events;
    for (int e = 0; e < 3; ++e)
    {
        assert_int_equal(events[e].trigger, FRZ_EVENT_COUNT);
        assert_same(events[e].at, 0.0);
        assert_non_null(events[e].count.shape);
        assert_same(events[e].threshold, (e == 0 ? 500.0 : 20.0));
        assert_int_equal(events[e].above, e == 0);
    }
    assert_bodies(&t, &events[0].count, (const bool[5]){true, false, false, false, true});
    assert_int_equal(events[0].count.material, -1);
    assert_null(events[0].target.bodies);
    assert_int_equal(events[0].target.material, 1);
    assert_null(events[1].count.bodies);
    assert_int_equal(events[1].count.material, 0);
    assert_bodies(&t, &events[1].target, (const bool[5]){false, true, false, false, false});
    assert_null(events[2].count.bodies);
    assert_int_equal(events[2].count.material, -1);
    clear(&t);
}

static void a_name_of_a_body_and_of_a_material_is_the_body(void **state)
{
    (void)state;
    trial t;
    compile(&t, "dimension: 2\nspacing: 0.1\nduration: 1\nmaterials: {wax: {density: 900, elastic: 1e5}}\n"
                "bodies: [{name: wax, state: elastic, material: wax, shape: {box: {min: [0, 0], max: [1, 1]}}}]\n"
                "events: [{at: 0, do: melt, of: wax}]\n");
    assert_non_null(t.model->events[0].target.bodies);
    assert_true(t.model->events[0].target.bodies[0]);
    assert_int_equal(t.model->events[0].target.material, -1);
    clear(&t);
}

static void flow_in_the_plane_is_an_area(void **state)
{
    (void)state;
    trial t;
    compile(&t,
            "dimension: 2\nspacing: 0.1\nduration: 1\nmaterials: {wax: {density: 900, elastic: 1e5}}\n"
            "bodies: [{name: bar, state: elastic, material: wax, shape: {box: {min: [0, 0], max: [1, 1]}}}]\n"
            "probes: [{name: meter, position: [0, 2], normal: [0, -1], width: 1}]\n"
            "events: [{when: {probe: meter, field: flow, above: 3 dm2}, do: melt, velocity: [1, 2], in: {box: {min: "
            "[0, 0], max: [1, 1]}}}]\n");
    assert_near(t.model->events[0].threshold, 0.03, 1e-12);
    assert_same(t.model->events[0].target.velocity.y, 2.0);
    clear(&t);
}

static void a_scene_without_events_cannot_change(void **state)
{
    (void)state;
    trial t;
    compile(&t, head);
    assert_int_equal(t.model->event_count, 0);
    assert_false(t.model->can_change);
    assert_false(t.model->bodies[2].filled);
    assert_int_equal(t.model->bodies[2].role, FRZ_ROLE_SAMPLE);
    assert_int_equal(t.model->bodies[2].material, -1);
    clear(&t);
}

// ---- reachable phases

static void a_change_may_rest_on_another_one(void **state)
{
    (void)state;
    static const char *const chain[] = {
        "  - {at: 1, do: freeze, of: pool, to: elastic}\n", "  - {at: 2, do: harden, of: pool, material: wax}\n",
        "  - {at: 3, do: soften, of: wax, material: water}\n", "  - {at: 4, do: melt, of: pool}\n"};
    char text[4000];
    for (int k = 1; k < 4; ++k) // none of the later ones can do anything alone
    {
        frz_scene *scene = NULL;
        frz_diag diag = {.status = FRZ_OK};
        snprintf(text, sizeof text, "%sevents:\n%s", head, chain[k]);
        assert_int_equal(frz_scene_parse(text, "test.yaml", NULL, &scene, &diag), FRZ_ERR_SCENE);
        assert_non_null(strstr(diag.message, "can do nothing: nothing that it names is ever"));
    }
    trial t;
    snprintf(text, sizeof text, "%s%s%s%s", chain[3], chain[2], chain[1], chain[0]); // in any order
    compile_events(&t, text);
    assert_int_equal(t.model->event_count, 4);
    assert_int_equal(t.model->events[1].target.material, 1);
    clear(&t);
}

// ---- rigid bodies of particles

static void events_fill_the_rigid_bodies_that_they_can_change(void **state)
{
    (void)state;
    static const struct
    {
        const char *event;
        bool filled;
    } cases[] = {
        {"do: melt", true},           {"do: melt, of: floe", true},   {"do: melt, of: ice", true},
        {"do: melt, of: bar", false}, {"do: melt, of: wax", false},   {"do: soften, of: floe, material: wax", true},
        {"do: join", true},           {"do: cut, in: " SPHERE, true}, {"do: cut, of: bar, in: " SPHERE, false},
        {"do: harden", false}, // rigid bodies stay rigid
        {"do: freeze", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
    {
        trial t;
        char text[300];
        snprintf(text, sizeof text, "  - {at: 0, %s}\n", cases[k].event);
        compile_events(&t, text);
        assert_int_equal(t.model->bodies[2].filled, cases[k].filled);
        assert_int_equal(t.model->bodies[2].role, cases[k].filled ? FRZ_ROLE_FREE : FRZ_ROLE_SAMPLE);
        clear(&t);
    }
}

static void a_body_that_says_shape_keeps_it(void **state)
{
    (void)state;
    trial t;
    char text[4000];
    snprintf(text, sizeof text, "%sevents: [{at: 0, do: melt}]\n", head);
    frz_diag diag = {.status = FRZ_OK};
    frz_scene *scene = NULL;
    assert_int_equal(frz_scene_parse(text, "test.yaml", NULL, &scene, &diag), FRZ_OK);
    assert_int_equal(frz_scene_set(scene, "bodies.floe.fill", "shape", &diag), FRZ_OK);
    compile(&t, frz_scene_text(scene));
    assert_false(t.model->bodies[2].filled);
    assert_int_equal(t.model->event_count, 1);
    clear(&t);
    frz_scene_destroy(&scene);
}

static void links_and_rigid_parts_are_never_filled(void **state)
{
    (void)state;
    trial t;
    compile(&t, "spacing: 0.1\nduration: 1\nmaterials: {wax: {density: 900, elastic: 1e5}}\n"
                "bodies: [{name: bar, state: elastic, material: wax, shape: {box: {min: [0, 0, 0], max: [1, 1, 1]}},"
                " rigid_part: {shape: {box: {min: [0, 0, 0], max: [0.3, 1, 1]}}}}]\n"
                "chains: [{name: rope, bodies: [world, free], from: [3, 0, 0], to: [3, 1, 0], links: 2, radius: 0.1,"
                " density: 1000}]\n"
                "events: [{at: 0, do: melt}]\n");
    assert_int_equal(t.model->body_count, 4);
    for (int b = 0; b < 4; ++b)
        assert_false(t.model->bodies[b].filled);
    clear(&t);
}

/// The floe, 4 x 2 x 3 particles, with more keys.
static void compile_floe(trial *t, const char *keys)
{
    char text[1000];
    snprintf(text, sizeof text,
             "spacing: 0.1\nduration: 1\nmaterials: {ice: {density: 917}}\n"
             "bodies: [{name: floe, state: rigid, material: ice, fill: particles, velocity: [1, 0, 0],"
             " angular_velocity: [0, 0, 2], shape: {box: {min: [2, 0, 0], max: [2.4, 0.2, 0.3]}}%s}]\n",
             keys);
    compile(t, text);
}

static void a_filled_body_has_the_mass_and_the_inertia_of_its_particles(void **state)
{
    (void)state;
    trial t;
    compile_floe(&t, "");
    const frz_body *body = &t.model->bodies[0];
    assert_true(body->filled && t.model->can_change);
    assert_int_equal(body->kind, FRZ_BODY_RIGID);
    assert_int_equal(body->role, FRZ_ROLE_FREE);
    assert_int_equal(body->material, 0);
    assert_int_equal(body->sample_count, 24);
    assert_int_equal(t.state->particles.count[FRZ_ROLE_FREE], 24);
    assert_int_equal(t.state->particles.count[FRZ_ROLE_SAMPLE], 0);
    // a box of particles is the box
    const double mass = 917.0 * 0.4 * 0.2 * 0.3, x = 0.4 * 0.4, y = 0.2 * 0.2, z = 0.3 * 0.3;
    assert_near(body->rigid.mass, mass, 1e-6 * mass);
    assert_less(frz_v3_length(frz_v3_sub(body->position, frz_v3(2.2, 0.1, 0.15))), 1e-9);
    const double expected[3] = {mass * (y + z) / 12.0, mass * (x + z) / 12.0, mass * (x + y) / 12.0};
    for (int a = 0; a < 3; ++a)
        assert_near(body->rigid.inertia.m[a][a], expected[a], 1e-6 * expected[a]);
    double sum = 0.0;
    for (int i = 0; i < 24; ++i)
        sum += frz_particle_mass(t.model, frz_particles_inverse_density(&t.state->particles)[i]);
    assert_near(sum, body->rigid.mass, 1e-12 * mass);
    clear(&t);
}

static void particles_of_a_filled_body_are_rigid_and_move_with_it(void **state)
{
    (void)state;
    trial t;
    compile_floe(&t, "");
    const frz_v4 *position = frz_field_v4(&t.state->particles, FRZ_FIELD_ID_position);
    const frz_v4 *velocity = frz_field_v4(&t.state->particles, FRZ_FIELD_ID_velocity);
    for (int i = 0; i < 24; ++i)
    {
        assert_int_equal(frz_particles_phase(&t.state->particles)[i], FRZ_PHASE_RIGID);
        assert_int_equal(frz_particles_material(&t.state->particles)[i], 0);
        const frz_vec3 at = frz_v3(position[i][0], position[i][1], position[i][2]);
        const frz_vec3 v = frz_rigid_body_velocity_at(&t.model->bodies[0].rigid, at);
        assert_near(v.x, (double)velocity[i][0], 1e-5);
        assert_near(v.y, (double)velocity[i][1], 1e-5);
        // the first layer stands half a spacing behind the surface
        assert_less(frz_shape_distance(t.scene->bodies.items[0].shape, at), -0.5 * 0.1 + 1e-6);
    }
    clear(&t);
}

static void a_filled_body_may_have_a_mass_of_its_own(void **state)
{
    (void)state;
    trial t;
    compile_floe(&t, ", density: 500");
    assert_near(t.model->bodies[0].rigid.mass, 12.0, 1e-5);
    assert_near((double)frz_particles_inverse_density(&t.state->particles)[0], 1.0 / 500.0, 1e-9);
    clear(&t);
    compile_floe(&t, ", mass: 6 kg");
    assert_near(t.model->bodies[0].rigid.mass, 6.0, 1e-5);
    assert_near((double)frz_particles_inverse_density(&t.state->particles)[0], 1.0 / 250.0, 1e-9);
    clear(&t);
}

static void a_body_of_too_few_particles_is_refused(void **state)
{
    (void)state;
    frz_scene *scene = NULL;
    frz_model *model = NULL;
    frz_state *made = NULL;
    frz_diag diag = {.status = FRZ_OK};
    const char *text = "spacing: 0.1\nduration: 1\nmaterials: {ice: {density: 917}}\n"
                       "bodies: [{name: chip, state: rigid, material: ice, fill: particles,"
                       " shape: {box: {min: [0, 0, 0], max: [0.3, 0.1, 0.1]}}}]\n";
    assert_int_equal(frz_scene_parse(text, "test.yaml", NULL, &scene, &diag), FRZ_OK);
    assert_int_equal(frz_scene_compile(scene, NULL, NULL, &model, &made, &diag), FRZ_ERR_SCENE);
    assert_non_null(strstr(diag.message, "body 'chip' is filled with particles, and at a spacing of 0.1 m it has 3"));
    assert_null(model);
    frz_scene_destroy(&scene);
}

// ---- warnings

static void suspicious_events_are_told(void **state)
{
    (void)state;
    static const char *const far = "{box: {min: [900, 0, 0], max: [901, 1, 1]}}";
    trial t;
    char text[1000];
    snprintf(text, sizeof text,
             "  - {label: away, at: 0, do: melt, of: bar, in: %s}\n"
             "  - {label: coming, at: 0, do: melt, of: bar, in: %s, velocity: [-100, 0, 0]}\n"
             "  - {label: waiting, when: {in: %s, above: 1}, do: melt, of: bar}\n"
             "  - {label: late, at: 10, do: melt, of: bar}\n"
             "  - {label: empty, at: 0, do: melt, of: bar, in: {intersection: [" SPHERE ", %s]}}\n",
             far, far, far, far);
    compile_events(&t, text);
    assert_int_equal(t.warning_count, 4);
    assert_true(is_warned(&t, "the shape of event 'away' lies outside the domain, where no particle can be"));
    assert_true(is_warned(&t, "the shape of the condition of event 'waiting' lies outside the domain"));
    assert_true(is_warned(&t, "event 'late' never happens within the 10 s of the scene"));
    assert_true(is_warned(&t, "the shape of event 'empty' holds no space"));
    clear(&t);
}

static void events_survive_writing_and_setting(void **state)
{
    (void)state;
    trial t, again;
    char text[4000];
    frz_diag diag = {.status = FRZ_OK};
    compile_events(&t, "  - {label: frost, at: 500 ms, every: 0.5 s, until: 3 s, do: freeze, of: pool, in: " SPHERE ","
                       " velocity: [1, 0, 0], name: duck}\n"
                       "  - {when: {probe: gauge, field: pressure, above: 3 kPa}, do: melt, of: [bar, floe]}\n");
    snprintf(text, sizeof text, "%s", frz_scene_text(t.scene));
    compile(&again, text);
    assert_string_equal(frz_scene_text(again.scene), text);
    assert_int_equal(frz_scene_hash(again.scene), frz_scene_hash(t.scene));
    assert_int_equal(again.model->event_count, 2);
    assert_string_equal(again.model->events[0].name, "duck");
    assert_same(again.model->events[1].threshold, t.model->events[1].threshold);
    clear(&again);
    // by label, by the label that it gets, and by position
    assert_int_equal(frz_scene_set(t.scene, "events.frost.at", "1 s", &diag), FRZ_OK);
    assert_int_equal(frz_scene_set(t.scene, "events.event_1.when.above", "5 kPa", &diag), FRZ_OK);
    assert_int_equal(frz_scene_set(t.scene, "events.0.of", "tap", &diag), FRZ_OK);
    assert_same(t.scene->events.items[0].at, 1.0);
    assert_same(t.scene->events.items[1].when.above, 5000.0);
    assert_int_equal(t.scene->events.items[0].target.bodies[0], 4);
    assert_int_equal(frz_scene_set(t.scene, "events.duck.at", "1 s", &diag), FRZ_ERR_SCENE); // no label
    assert_int_equal(frz_scene_set(t.scene, "events.frost.do", "harden", &diag), FRZ_ERR_SCENE);
    assert_int_equal(t.scene->events.items[0].change, FRZ_SCENE_FREEZE);
    clear(&t);
}

int main(void)
{
    omp_set_num_threads(1); // the scenes are tiny
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_one_change_of_everything),
        cmocka_unit_test(every_key_of_a_change_arrives),
        cmocka_unit_test(every_change_has_its_phases),
        cmocka_unit_test(probes_have_thresholds_in_their_units),
        cmocka_unit_test(particles_are_counted_by_body_and_by_material),
        cmocka_unit_test(a_name_of_a_body_and_of_a_material_is_the_body),
        cmocka_unit_test(flow_in_the_plane_is_an_area),
        cmocka_unit_test(a_scene_without_events_cannot_change),
        cmocka_unit_test(a_change_may_rest_on_another_one),
        cmocka_unit_test(events_fill_the_rigid_bodies_that_they_can_change),
        cmocka_unit_test(a_body_that_says_shape_keeps_it),
        cmocka_unit_test(links_and_rigid_parts_are_never_filled),
        cmocka_unit_test(a_filled_body_has_the_mass_and_the_inertia_of_its_particles),
        cmocka_unit_test(particles_of_a_filled_body_are_rigid_and_move_with_it),
        cmocka_unit_test(a_filled_body_may_have_a_mass_of_its_own),
        cmocka_unit_test(a_body_of_too_few_particles_is_refused),
        cmocka_unit_test(suspicious_events_are_told),
        cmocka_unit_test(events_survive_writing_and_setting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
