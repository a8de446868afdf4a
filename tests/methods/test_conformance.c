// SPDX-License-Identifier: MIT
// What every method of the table must do, whatever it computes. Each is tried in a scene that leaves all other slots at
// their defaults. A method may declare an exemption, with a reason, in its entry; the reason is shown.
// labels: tsan long
// shards: 4
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core_trial.h"
#include "physics/registry.h"
#include "scene/scene.h"

enum
{
    text_size = 4096
};

static const double spacing = 0.05;
static const double gravity = 9.81;

static bool exempt(const frz_method *method, frz_conformance test)
{
    if (method->exempt[test] != NULL)
        print_message("%s %s is exempt: %s\n", frz_slots[method->slot].key, method->key, method->exempt[test]);
    return method->exempt[test] != NULL;
}

enum
{
    no_exemption = FRZ_CONFORMANCE_COUNT // for tests that every method must pass
};

typedef void method_check_fn(const frz_method *method, int dimension);

// Whether this process tries the n-th method: one process takes them all, several (FRZ_SHARD, "2/4") take turns.
static bool in_shard(ptrdiff_t n)
{
    const char *shard = getenv("FRZ_SHARD");
    char *rest = NULL;
    if (shard == NULL || shard[0] == '\0')
        return true;
    const long part = strtol(shard, &rest, 10);
    assert_int_equal(*rest, '/');
    const long parts = strtol(rest + 1, &rest, 10);
    assert_true(*rest == '\0' && 1 <= part && part <= parts);
    return n % parts == part - 1;
}

// Run a check on every method in the plane and in space, but for exemptions.
static void check_all(method_check_fn *check, int test)
{
    for (const frz_method *const *m = frz_methods; *m != NULL; ++m)
        for (int dimension = 2; dimension <= 3; ++dimension)
            if (in_shard(m - frz_methods) && (test == no_exemption || !exempt(*m, (frz_conformance)test)))
                check(*m, dimension);
}

// ---- scenes

// A scene that chooses the method; parameters is what follows its name, e.g. ", a: 1". Bodies: a column in a tank
// (full) or a drop in the open.
static const char *scene_text(const frz_method *method, const char *parameters, int dimension, bool full, char *text)
{
    const frz_slot_info *slot = &frz_slots[method->slot];
    char choice[text_size / 2];
    snprintf(choice, sizeof choice, ", %s: {method: %s%s}", slot->key, method->key, parameters);
    // small in space, and for some tests without walls there: sampling them takes most of the time
    const double width = dimension == 3 ? 0.3 : 0.5;
    const char *const z = dimension == 3 ? ", 0" : "", *const top = dimension == 3 ? ", 0.25" : "";
    int used =
        snprintf(text, text_size,
                 "{dimension: %d, spacing: %g, duration: 10, gravity: [0, %g%s]%s, domain: {min: [-50, -50%s], max: "
                 "[50, 50%s]}, materials: {stuff: {density: 1000%s}}, bodies: ["
                 "{name: stuff, state: %s, material: stuff, shape: {box: {min: [0, 0%s], max: [%g, 0.4%s]}}}",
                 dimension, spacing, full ? -gravity : 0.0, z, slot->per_material ? "" : choice,
                 dimension == 3 ? ", -50" : "", dimension == 3 ? ", 50" : "", slot->per_material ? choice : "",
                 method->slot == FRZ_SLOT_ELASTIC ? "elastic" : "liquid", z, width, top);
    if (full) // two boxes: a shell would take twice as long to sample
        used += snprintf(text + used, (size_t)(text_size - used),
                         ", {name: tank, state: static, shape: {difference: [{box: {min: [-0.15, -0.15%s], max: "
                         "[%g, 0.6%s]}}, {box: {min: [0, 0%s], max: [%g, 1%s]}}]}}",
                         dimension == 3 ? ", -0.15" : "", width + 0.15, dimension == 3 ? ", 0.4" : "", z, width, top);
    used += snprintf(text + used, (size_t)(text_size - used), "]}");
    assert_true(used < text_size);
    return text;
}

static frz_sim *method_sim(const frz_method *method, int dimension, bool full, int threads)
{
    char text[text_size];
    return core_sim(scene_text(method, "", dimension, full, text), threads);
}

// The steps must work; a failure names the method.
static void run(const frz_method *method, frz_sim *sim, int steps)
{
    frz_diag diag = {.status = FRZ_OK};
    for (int n = 0; n < steps; ++n)
        if (frz_sim_step(sim, HUGE_VAL, &diag) != FRZ_OK)
            fail_msg("%s %s, step %d: %s", frz_slots[method->slot].key, method->key, n + 1, diag.message);
}

// Stir the liquid: something to do for pressure and friction.
static void stir(frz_sim *sim, double speed)
{
    frz_particles *particles = &sim->state->particles;
    uint64_t seed = 11;
    for (int64_t id = 0; id < particles->count[FRZ_ROLE_FREE]; ++id)
    {
        frz_v4 v = frz_v4_zero();
        for (int a = 0; a < sim->model->dimension; ++a)
            v[a] = (frz_real)(speed * (2.0 * core_random(&seed) - 1.0));
        frz_field_v4(particles, FRZ_FIELD_ID_velocity)[core_slot(sim, id)] = v;
    }
    sim->state->stats.max_speed = speed * 2.0;
}

static void check_finite(const frz_method *method, const frz_sim *sim)
{
    static const char *const names[] = {"position", "velocity", "density", "pressure"};
    for (int n = 0; n < 4; ++n)
    {
        const frz_field_view view = frz_sim_field(sim, names[n], FRZ_SEGMENT_FREE);
        for (int64_t i = 0; i < view.count; ++i)
            for (int c = 0; c < view.components; ++c)
                if (!isfinite(frz_field_value(&view, i, c)))
                    fail_msg("%s %s: %s is not finite", frz_slots[method->slot].key, method->key, names[n]);
    }
}

// ---- the entry

static bool is_word(const char *text)
{
    if (text == NULL || !islower((unsigned char)text[0]))
        return false;
    for (; *text != '\0'; ++text)
        if (!islower((unsigned char)*text) && !isdigit((unsigned char)*text) && *text != '_')
            return false;
    return true;
}

static double param_value(const frz_param *param, const void *self)
{
    assert_non_null(self);
    const char *at = (const char *)self + param->offset;
    switch (param->kind)
    {
    case FRZ_PARAM_INT:
    case FRZ_PARAM_WORD:
        return *(const int *)(const void *)at;
    case FRZ_PARAM_BOOL:
        return *(const bool *)(const void *)at ? 1.0 : 0.0;
    default:
        return *(const double *)(const void *)at;
    }
}

static size_t param_size(const frz_param *param)
{
    const bool whole = param->kind == FRZ_PARAM_INT || param->kind == FRZ_PARAM_WORD;
    return whole ? sizeof(int) : param->kind == FRZ_PARAM_BOOL ? sizeof(bool) : sizeof(double);
}

static void every_entry_says_what_it_is_and_where_it_comes_from(void **state)
{
    (void)state;
    int count = 0;
    for (const frz_method *const *m = frz_methods; *m != NULL; ++m)
    {
        const frz_method *method = *m;
        count += 1;
        assert_true(is_word(method->key));
        assert_true(method->doc != NULL && strlen(method->doc) > 10 && strchr(method->doc, '\n') == NULL);
        assert_true(method->cite != NULL && strlen(method->cite) > 5);
        assert_in_range(method->slot, 0, FRZ_SLOT_COUNT - 1);
        assert_ptr_equal(frz_method_find(method->slot, method->key), method); // the key is taken once
        for (const frz_field_decl *f = method->fields; f != NULL && f->name != NULL; ++f)
        {
            assert_true(is_word(f->name) && f->doc != NULL && f->unit != NULL && strlen(f->doc) > 5);
            assert_true(f->components == 1 || f->components == 3);
            if ((f->flags & FRZ_FIELD_SAVE) != 0) // what survives a restart must follow its particle
                assert_true((f->flags & FRZ_FIELD_SORT) != 0);
        }
        for (int t = 0; t < FRZ_CONFORMANCE_COUNT; ++t)
            if (method->exempt[t] != NULL)
                assert_true(strlen(method->exempt[t]) > 10);
        assert_int_equal(method->boundary != NULL, method->slot == FRZ_SLOT_BOUNDARY);
        assert_int_equal(method->coupling != NULL, method->slot == FRZ_SLOT_COUPLING);
        assert_int_equal(method->contact != NULL, method->slot == FRZ_SLOT_CONTACT);
    }
    assert_true(count > 0);
    for (int slot = 0; slot < FRZ_SLOT_COUNT; ++slot)
        assert_true(!frz_slots[slot].required || frz_method_default((frz_slot)slot) != NULL);
}

static void check_defaults(const frz_method *method, int dimension)
{
    (void)dimension;
    void *self = frz_method_self_create(method);
    assert_int_equal(self != NULL, method->self_size > 0);
    assert_true(self != NULL || method->params == NULL);
    for (const frz_param *p = method->params; p != NULL && p->key != NULL; ++p)
    {
        assert_true(is_word(p->key) && strcmp(p->key, "method") != 0);
        assert_true(p->doc != NULL && strlen(p->doc) > 5 && p->unit != NULL);
        assert_true(p->offset + param_size(p) <= method->self_size);
        if (p->kind == FRZ_PARAM_WORD)
        {
            int words = 0;
            for (; p->words[words] != NULL; ++words)
                assert_true(is_word(p->words[words]));
            assert_true(words > 1 && 0.0 <= p->fallback && (int)p->fallback < words);
        }
        else if (p->kind != FRZ_PARAM_BOOL)
            assert_true(p->min < p->max && p->min <= p->fallback && p->fallback <= p->max);
        assert_true(param_value(p, self) == p->fallback);
        for (const frz_param *q = method->params; q != p; ++q)
            assert_string_not_equal(q->key, p->key);
    }
    frz_free(self);
}

static void defaults_lie_within_their_limits_and_fill_the_parameters(void **state)
{
    (void)state;
    check_all(check_defaults, no_exemption);
}

// ---- scene round trip

// A legal value that is not the default.
static double other_value(const frz_param *p)
{
    if (p->kind == FRZ_PARAM_BOOL || p->kind == FRZ_PARAM_WORD)
        return p->fallback != 0.0 ? 0.0 : 1.0;
    const double towards = p->fallback > p->min ? p->min : p->max;
    const double value = p->fallback + 0.37 * (towards - p->fallback);
    return p->kind == FRZ_PARAM_INT ? floor(value) : value;
}

static const void *chosen(const frz_scene *scene, const frz_method *method)
{
    const frz_choice *choice = frz_slots[method->slot].per_material ? &scene->materials.items[0].methods[method->slot]
                                                                    : &scene->methods[method->slot];
    assert_ptr_equal(choice->method, method);
    return choice->self;
}

static frz_scene *parse(const char *text)
{
    frz_scene *scene = NULL;
    frz_diag diag = {.status = FRZ_OK};
    char sentence[1400];
    if (frz_scene_parse(text, "round_trip.yaml", NULL, &scene, &diag) != FRZ_OK)
        fail_msg("%s\n%s", frz_diag_text(&diag, sentence, sizeof sentence), text);
    return scene;
}

static void check_round_trip(const frz_method *method, int dimension)
{
    char text[text_size], parameters[text_size / 4] = "";
    size_t used = 0;
    for (const frz_param *p = method->params; p != NULL && p->key != NULL; ++p)
    {
        const double value = other_value(p);
        if (p->kind == FRZ_PARAM_BOOL)
            used += (size_t)snprintf(parameters + used, sizeof parameters - used, ", %s: %s", p->key,
                                     value != 0.0 ? "true" : "false");
        else if (p->kind == FRZ_PARAM_WORD)
            used +=
                (size_t)snprintf(parameters + used, sizeof parameters - used, ", %s: %s", p->key, p->words[(int)value]);
        else
            used += (size_t)snprintf(parameters + used, sizeof parameters - used, ", %s: %.17g", p->key, value);
        assert_true(used < sizeof parameters);
    }
    frz_scene *first = parse(scene_text(method, parameters, dimension, true, text));
    frz_scene *again = parse(frz_scene_text(first));
    const void *a = chosen(first, method), *b = chosen(again, method);
    for (const frz_param *p = method->params; p != NULL && p->key != NULL; ++p)
    {
        assert_true(param_value(p, a) == other_value(p));
        assert_true(param_value(p, b) == other_value(p));
    }
    assert_true(frz_scene_hash(first) == frz_scene_hash(again));
    assert_string_equal(frz_scene_text(first), frz_scene_text(again));
    frz_scene_destroy(&first);
    frz_scene_destroy(&again);
    frz_scene *plain = parse(scene_text(method, "", dimension, true, text));
    for (const frz_param *p = method->params; p != NULL && p->key != NULL; ++p)
        assert_true(param_value(p, chosen(plain, method)) == p->fallback);
    frz_scene_destroy(&plain);
}

static void parameters_survive_writing_and_reading_a_scene(void **state)
{
    (void)state;
    check_all(check_round_trip, no_exemption);
}

// ---- few particles

static void check_few(const frz_method *method, int dimension)
{
    static const core_particle few[] = {
        {{0.1, 0.2, 0.0}, {0.3, -0.1, 0.0}},
        {{0.1, 0.2, 0.0}, {0.0, 0.2, 0.0}}, // the same place
        {{1.0, 1.0, 0.0}, {0.0, 0.0, 0.0}},
        {{-2.0, 3.0, 0.0}, {0.5, 0.5, 0.0}}, // alone
    };
    static const int first[] = {0, 0, 0, 2}, count[] = {0, 1, 2, 2};
    for (int n = 0; n < 4; ++n)
    {
        frz_sim *sim = method_sim(method, dimension, false, 2);
        core_refill(sim, few + first[n], count[n]);
        run(method, sim, 5);
        check_finite(method, sim);
        assert_int_equal(frz_sim_particle_count(sim, FRZ_SEGMENT_FREE), count[n]);
        assert_int_equal(frz_sim_step_count(sim), 5);
        frz_sim_destroy(&sim);
    }
}

static void none_one_coincident_and_isolated_particles_are_no_trouble(void **state)
{
    (void)state;
    check_all(check_few, no_exemption);
}

// ---- momentum

// A disordered drop with random velocities; the seed is fixed.
static void cloud(frz_sim *sim, int side)
{
    uint64_t seed = 5;
    const int layers = sim->model->dimension == 3 ? side : 1, count = side * side * layers;
    core_particle *particles = FRZ_ALLOC("test", count, core_particle);
    assert_non_null(particles);
    for (int i = 0; i < count; ++i)
    {
        const int place[3] = {i % side, i / side % side, i / side / side};
        for (int a = 0; a < 3 && a < sim->model->dimension; ++a)
        {
            particles[i].x[a] = spacing * (place[a] + 0.3 * (core_random(&seed) - 0.5));
            particles[i].v[a] = 2.0 * core_random(&seed) - 1.0;
        }
    }
    core_refill(sim, particles, count);
    frz_free(particles);
}

// Sum of the velocities (all masses are equal) and of their sizes.
static double momentum(const frz_sim *sim, double sum[3])
{
    double total = 0.0;
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        const frz_v4 v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[i];
        for (int a = 0; a < 3; ++a)
            sum[a] += (double)v[a];
        total += sqrt((double)frz_v4_dot3(v, v));
    }
    return total;
}

static void check_momentum(const frz_method *method, int dimension)
{
    const int steps = 10;
    frz_sim *sim = method_sim(method, dimension, false, 2);
    cloud(sim, dimension == 2 ? 24 : 8);
    double before[3], after[3];
    const double size = momentum(sim, before);
    run(method, sim, steps);
    (void)momentum(sim, after);
    for (int a = 0; a < 3; ++a)
    {
        // every step rounds each velocity a few times; systematic losses would be far larger
        const double change = fabs(after[a] - before[a]) / size;
        if (!(change < 4.0 * steps * FRZ_REAL_EPSILON))
            fail_msg("%s %s in %d dimensions: momentum %c changes by %.3g of the sum of its sizes",
                     frz_slots[method->slot].key, method->key, dimension, "xyz"[a], change);
    }
    frz_sim_destroy(&sim);
}

static void a_free_drop_keeps_its_momentum(void **state)
{
    (void)state;
    check_all(check_momentum, FRZ_CONFORMANCE_MOMENTUM);
}

// ---- rest

// Mean height of the liquid.
static double centre(const frz_sim *sim)
{
    const int count = sim->state->particles.count[FRZ_ROLE_FREE];
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
        sum += (double)frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position)[i][1];
    return sum / count;
}

static void check_rest(const frz_method *method, int dimension)
{
    // The lattice settles against the walls by a fraction of a spacing, and what that sets free swings about: no
    // particle as fast as after a fall by a whole spacing, and all of them together no faster than after a sixteenth of
    // one.
    const double fall = sqrt(2.0 * gravity * spacing);
    frz_sim *sim = method_sim(method, dimension, true, 2);
    const double height = centre(sim);
    const double mass = 1000.0 * pow(spacing, dimension) * (double)frz_sim_particle_count(sim, FRZ_SEGMENT_FREE);
    double fastest = 0.0, mean = 0.0, sunk = 0.0;
    for (int n = 0; n < (CORE_ADDRESS_SANITIZER ? 20 : 100); ++n) // memory is used in the same way in every step
    {
        frz_stats stats;
        run(method, sim, 1);
        frz_sim_stats(sim, &stats);
        fastest = fmax(fastest, stats.max_speed);
        mean = fmax(mean, sqrt(2.0 * stats.kinetic_energy / mass));
        sunk = fmax(sunk, fabs(height - centre(sim)));
    }
    print_message("%s %s, %dD: fastest %.3f m/s, mean %.3f m/s, settled by %.3f spacings\n",
                  frz_slots[method->slot].key, method->key, dimension, fastest, mean, sunk / spacing);
    assert_true(fastest < fall);
    assert_true(mean < 0.25 * fall);
    assert_true(sunk < 0.25 * spacing);
    check_finite(method, sim);
    frz_sim_destroy(&sim);
}

static void water_at_rest_stays_at_rest(void **state)
{
    (void)state;
    check_all(check_rest, FRZ_CONFORMANCE_REST);
}

// ---- bits

static void check_threads(const frz_method *method, int dimension)
{
    static const int threads[] = {7, 2, 1};
    uint64_t hash[3];
    // the thread sanitizer takes ten times as long, and one run by several threads shows it all there is to see
    const int runs = CORE_THREAD_SANITIZER ? 1 : 3;
    for (int n = 0; n < runs; ++n)
    {
        frz_sim *sim = method_sim(method, dimension, false, threads[n]);
        cloud(sim, dimension == 2 ? 40 : 11); // several blocks
        run(method, sim, 4);
        hash[n] = core_hash(sim);
        frz_sim_destroy(&sim);
    }
    if (runs == 3 && (hash[0] != hash[1] || hash[0] != hash[2]))
        fail_msg("%s %s in %d dimensions: the number of threads shows", frz_slots[method->slot].key, method->key,
                 dimension);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    check_all(check_threads, no_exemption);
}

static void check_restart(const frz_method *method, int dimension)
{
    frz_sim *straight = method_sim(method, dimension, dimension == 2, 2),
            *resumed = method_sim(method, dimension, dimension == 2, 1);
    stir(straight, 0.5);
    run(method, straight, 5);
    assert_int_equal(core_pass_on(straight, resumed), FRZ_OK);
    assert_true(core_hash(straight) == core_hash(resumed));
    run(method, straight, 5);
    run(method, resumed, 5);
    if (core_hash(straight) != core_hash(resumed))
        fail_msg("%s %s in %d dimensions: a restart changes the result", frz_slots[method->slot].key, method->key,
                 dimension);
    frz_sim_destroy(&straight);
    frz_sim_destroy(&resumed);
}

static void a_restart_goes_on_bit_for_bit(void **state)
{
    (void)state;
    check_all(check_restart, no_exemption);
}

static void check_allocation(const frz_method *method, int dimension)
{
    frz_sim *sim = method_sim(method, dimension, dimension == 2, 2);
    run(method, sim, 3);
    const int64_t before = frz_memory_allocation_count();
    run(method, sim, 20);
    if (frz_memory_allocation_count() != before)
        fail_msg("%s %s in %d dimensions: %lld allocations after the third step", frz_slots[method->slot].key,
                 method->key, dimension, (long long)(frz_memory_allocation_count() - before));
    frz_sim_destroy(&sim);
}

static void nothing_is_allocated_after_the_third_step(void **state)
{
    (void)state;
    check_all(check_allocation, no_exemption);
}

// ---- bad numbers

static void check_bad_velocity(const frz_method *method, int dimension)
{
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = method_sim(method, dimension, dimension == 2, 2);
    run(method, sim, 2);
    frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity)[core_slot(sim, 17)] = frz_v4_splat((frz_real)NAN);
    const uint64_t before = core_hash(sim);
    assert_int_equal(frz_sim_step(sim, HUGE_VAL, &diag), FRZ_ERR_DIVERGED);
    if (strstr(diag.message, "particle 17 ") == NULL)
        fail_msg("%s %s does not name the particle: %s", frz_slots[method->slot].key, method->key, diag.message);
    assert_true(core_hash(sim) == before);
    frz_sim_destroy(&sim);
}

static void a_velocity_that_is_no_number_stops_the_run_by_name(void **state)
{
    (void)state;
    check_all(check_bad_velocity, no_exemption);
}

// ---- symmetries

typedef struct symmetry
{
    int quarter_turns; // about z
    double shift[3];
} symmetry;

static frz_vec3 turned(const symmetry *s, frz_vec3 v)
{
    for (int n = 0; n < s->quarter_turns; ++n)
        v = frz_v3(-v.y, v.x, v.z);
    return v;
}

static frz_vec3 moved(const symmetry *s, frz_vec3 x)
{
    return frz_v3_add(turned(s, x), frz_v3(s->shift[0], s->shift[1], s->shift[2]));
}

static frz_vec3 of_v4(frz_v4 v)
{
    return frz_v3((double)v[0], (double)v[1], (double)v[2]);
}

static frz_v4 to_v4(frz_vec3 v)
{
    return frz_v4_set((frz_real)v.x, (frz_real)v.y, (frz_real)v.z, 0);
}

// Walls take the new pose as their motion, which brings along everything they consist of.
static void pose_walls(frz_model *model, const symmetry *s)
{
    const double quarter = 0.5 * 3.14159265358979323846;
    for (int b = 0; b < model->body_count; ++b)
    {
        frz_body *body = &model->bodies[b];
        if (body->role != FRZ_ROLE_SAMPLE)
            continue;
        body->motion.keyframes = FRZ_ALLOC("test", 1, frz_keyframe);
        assert_non_null(body->motion.keyframes);
        body->motion.count = 1;
        body->motion.keyframes[0] =
            (frz_keyframe){0.0, frz_v3_sub(moved(s, body->position), body->position),
                           frz_quat_axis_angle(frz_v3(0.0, 0.0, 1.0), quarter * s->quarter_turns)};
    }
}

// The same simulation seen from elsewhere: liquid, walls and gravity turned and moved, before the first step.
static void see_from(frz_sim *sim, const symmetry *s)
{
    frz_diag diag = {.status = FRZ_OK};
    frz_state *state = sim->state;
    frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        position[i] = to_v4(moved(s, of_v4(position[i])));
        velocity[i] = to_v4(turned(s, of_v4(velocity[i])));
    }
    pose_walls(sim->model, s);
    double *g = sim->model->gravity;
    const frz_vec3 down = turned(s, frz_v3(g[0], g[1], g[2]));
    g[0] = down.x;
    g[1] = down.y;
    g[2] = down.z;
    state->prepared = false;
    frz_grid_destroy(&state->grid);
    assert_int_equal(frz_state_finish(sim->model, state, &diag), FRZ_OK);
}

// Solvers that stop at an error (in percent) stop at a hundredth of the usual one: where sums are taken in another
// order, one of two simulations may happen to be just below the tolerance and stop an iteration before the other.
static void tighten(frz_sim *sim)
{
    for (int n = 0; n < sim->model->instance_count; ++n)
    {
        const frz_instance *instance = &sim->model->instances[n];
        for (const frz_param *p = instance->method->params; p != NULL && p->key != NULL; ++p)
            if (p->kind == FRZ_PARAM_REAL && strcmp(p->unit, "%") == 0 && strstr(p->key, "error") != NULL)
                *(double *)(void *)((char *)instance->self + p->offset) = fmax(p->min, 0.01 * p->fallback);
    }
}

static frz_sim *symmetric_sim(const frz_method *method, int dimension, const symmetry *s)
{
    frz_sim *sim = method_sim(method, dimension, true, 2);
    tighten(sim);
    stir(sim, 0.5);
    see_from(sim, s);
    for (int n = 0; n < 5; ++n)
    {
        const double dt = 1e-3;
        frz_diag diag = {.status = FRZ_OK};
        assert_int_equal(frz_sim_step(sim, dt, &diag), FRZ_OK);
    }
    return sim;
}

// Largest difference of velocities between a simulation and the same seen from elsewhere, as a fraction of the largest.
static double asymmetry(const frz_sim *here, const frz_sim *there, const symmetry *s)
{
    double worst = 0.0, fastest = 0.0;
    for (int64_t id = 0; id < frz_sim_particle_count(here, FRZ_SEGMENT_FREE); ++id)
    {
        const frz_v4 *va = frz_field_v4(&here->state->particles, FRZ_FIELD_ID_velocity);
        const frz_v4 *vb = frz_field_v4(&there->state->particles, FRZ_FIELD_ID_velocity);
        const frz_vec3 a = turned(s, of_v4(va[core_slot(here, id)])), b = of_v4(vb[core_slot(there, id)]);
        worst = fmax(worst, frz_v3_length(frz_v3_sub(a, b)));
        fastest = fmax(fastest, frz_v3_length(a));
    }
    assert_true(fastest > 0.1);
    return worst / fastest;
}

static void check_symmetries(const frz_method *method, int dimension)
{
    const struct
    {
        const char *name;
        frz_conformance test;
        symmetry symmetry;
        double allowed;
    } cases[] = {
        // sums are taken in another order; stirring, walls and solvers make something larger of that
        {"turned by a quarter", FRZ_CONFORMANCE_ROTATION, {.quarter_turns = 1}, 2e-3},
        // coordinates lose up to three bits, and gradients stored in half precision may fall on the other side of a
        // rounding
        {"shifted", FRZ_CONFORMANCE_TRANSLATION, {.shift = {2.5, -1.25, dimension == 3 ? 0.75 : 0.0}}, 5e-3},
    };
    frz_sim *here = symmetric_sim(method, dimension, &(symmetry){0});
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; ++n)
    {
        if (exempt(method, cases[n].test))
            continue;
        frz_sim *there = symmetric_sim(method, dimension, &cases[n].symmetry);
        const double worst = asymmetry(here, there, &cases[n].symmetry);
        if (!(worst < cases[n].allowed))
            fail_msg("%s %s in %d dimensions, %s: velocities differ by %.3g of the largest",
                     frz_slots[method->slot].key, method->key, dimension, cases[n].name, worst);
        frz_sim_destroy(&there);
    }
    frz_sim_destroy(&here);
}

static void a_quarter_turn_and_a_shift_change_nothing_else(void **state)
{
    (void)state;
    check_all(check_symmetries, no_exemption);
}

int main(void)
{
    if (CORE_THREAD_SANITIZER) // looks at what several threads do: one test of all methods shows it that
        cmocka_set_test_filter("any_number_of_threads*");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_says_what_it_is_and_where_it_comes_from),
        cmocka_unit_test(defaults_lie_within_their_limits_and_fill_the_parameters),
        cmocka_unit_test(parameters_survive_writing_and_reading_a_scene),
        cmocka_unit_test(none_one_coincident_and_isolated_particles_are_no_trouble),
        cmocka_unit_test(a_free_drop_keeps_its_momentum),
        cmocka_unit_test(water_at_rest_stays_at_rest),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_restart_goes_on_bit_for_bit),
        cmocka_unit_test(nothing_is_allocated_after_the_third_step),
        cmocka_unit_test(a_velocity_that_is_no_number_stops_the_run_by_name),
        cmocka_unit_test(a_quarter_turn_and_a_shift_change_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
