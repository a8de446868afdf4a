// SPDX-License-Identifier: MIT
// What every method of the table must do, whatever it computes. Each is tried in a scene of its slot, with something
// for it to do, that leaves all other slots at their defaults: liquid, liquid and a floating box, boxes that touch, a
// block that deforms, flows or breaks. A test of motion first asserts that the method has acted: the same scene with an
// idle twin of the method, which does nothing, ends elsewhere. A method may declare an exemption, with a reason, in its
// entry; the reason is shown.
// labels: tsan long
// shards: 4
#include "compare.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance_trial.h"
#include "scene/scene.h"

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
    assert_same(*rest, '\0');
    assert_less_equal(1, part);
    assert_less_equal(part, parts);
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
        assert_non_null(method->doc);
        assert_greater(strlen(method->doc), 10);
        assert_null(strchr(method->doc, '\n'));
        assert_non_null(method->cite);
        assert_greater(strlen(method->cite), 5);
        assert_in_range(method->slot, 0, FRZ_SLOT_COUNT - 1);
        assert_ptr_equal(frz_method_find(method->slot, method->key), method); // the key is taken once
        for (const frz_field_decl *f = method->fields; f != NULL && f->name != NULL; ++f)
        {
            assert_true(is_word(f->name));
            assert_non_null(f->doc);
            assert_non_null(f->unit);
            assert_greater(strlen(f->doc), 5);
            assert_true(f->components == 1 || f->components % 3 == 0); // numbers, vectors, matrices
            if ((f->flags & FRZ_FIELD_SAVE) != 0) // what survives a restart must follow its particle
                assert_different((f->flags & FRZ_FIELD_SORT), 0);
        }
        for (int t = 0; t < FRZ_CONFORMANCE_COUNT; ++t)
            if (method->exempt[t] != NULL)
                assert_greater(strlen(method->exempt[t]), 10);
        assert_int_equal(method->boundary != NULL, method->slot == FRZ_SLOT_BOUNDARY);
        assert_int_equal(method->coupling != NULL, method->slot == FRZ_SLOT_COUPLING);
        assert_int_equal(method->contact != NULL, method->slot == FRZ_SLOT_CONTACT);
    }
    assert_greater(count, 0);
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
        assert_true(is_word(p->key));
        assert_string_not_equal(p->key, "method");
        assert_non_null(p->doc);
        assert_greater(strlen(p->doc), 5);
        assert_non_null(p->unit);
        assert_less_equal(p->offset + param_size(p), method->self_size);
        if (p->kind == FRZ_PARAM_WORD)
        {
            int words = 0;
            for (; p->words[words] != NULL; ++words)
                assert_true(is_word(p->words[words]));
            assert_greater(words, 1);
            assert_less_equal(0.0, p->fallback);
            assert_less((int)p->fallback, words);
        }
        else if (p->kind != FRZ_PARAM_BOOL)
        {
            assert_less(p->min, p->max);
            assert_less_equal(p->min, p->fallback);
            assert_less_equal(p->fallback, p->max);
        }
        assert_same(param_value(p, self), p->fallback);
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
    char parameters[text_size / 4] = "";
    text_buffer text;
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
        assert_less(used, sizeof parameters);
    }
    frz_scene *first = parse(scene_text(method, parameters, dimension, true, &text));
    frz_scene *again = parse(frz_scene_text(first));
    const void *a = chosen(first, method), *b = chosen(again, method);
    for (const frz_param *p = method->params; p != NULL && p->key != NULL; ++p)
    {
        assert_same(param_value(p, a), other_value(p));
        assert_same(param_value(p, b), other_value(p));
    }
    assert_same(frz_scene_hash(first), frz_scene_hash(again));
    assert_string_equal(frz_scene_text(first), frz_scene_text(again));
    frz_scene_destroy(&first);
    frz_scene_destroy(&again);
    frz_scene *plain = parse(scene_text(method, "", dimension, true, &text));
    for (const frz_param *p = method->params; p != NULL && p->key != NULL; ++p)
        assert_same(param_value(p, chosen(plain, method)), p->fallback);
    frz_scene_destroy(&plain);
}

static void parameters_survive_writing_and_reading_a_scene(void **state)
{
    (void)state;
    check_all(check_round_trip, no_exemption);
}

// ---- few particles

// Bodies of one, two and three particles, far from each other.
static void check_few_solid(const frz_method *method, int dimension)
{
    text_buffer to;
    char parameters[100];
    (void)scene_text(method, acting(method, parameters, sizeof parameters), dimension, false, &to);
    to.used -= 2; // "]}"
    for (int n = 1; n <= 3; ++n)
    {
        put(&to, ", {name: few_%d, state: elastic, material: stuff, ", n);
        put_box(&to, dimension, (double[]){2.0 * n, 0.0, 0.0}, (double[]){2.0 * n + n * spacing, spacing, spacing});
        put(&to, "}");
    }
    put(&to, "]}");
    frz_sim *sim = core_sim(to.text, 2);
    const int64_t count = frz_sim_particle_count(sim, FRZ_SEGMENT_FREE);
    stir(sim, 0.5);
    run(method, sim, 5);
    check_finite(method, sim);
    assert_int_equal(frz_sim_particle_count(sim, FRZ_SEGMENT_FREE), count);
    frz_sim_destroy(&sim);
}

static void check_few(const frz_method *method, int dimension)
{
    static const core_particle few[] = {
        {{0.1, 0.2, 0.0}, {0.3, -0.1, 0.0}},
        {{0.1, 0.2, 0.0}, {0.0, 0.2, 0.0}}, // the same place
        {{1.0, 1.0, 0.0}, {0.0, 0.0, 0.0}},
        {{-2.0, 3.0, 0.0}, {0.5, 0.5, 0.0}}, // alone
    };
    static const int first[] = {0, 0, 0, 2}, count[] = {0, 1, 2, 2};
    if (is_solid(method))
    {
        check_few_solid(method, dimension);
        return;
    }
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

// A scene without gravity in which everything moves: a cloud of liquid, a stirred block, bodies.
static frz_sim *moving_sim(const frz_method *method, int dimension, int side, int threads)
{
    frz_sim *sim = method_sim(method, dimension, false, threads);
    if (is_solid(method) || has_bodies(method))
        stir(sim, 1.0);
    else
        cloud(sim, side);
    return sim;
}

// The method has made a difference in these steps of the moving scene.
static void assert_acted(const frz_method *method, int dimension, int side, int steps, const frz_sim *sim)
{
    frz_sim *idle = moving_sim(method, dimension, side, 2);
    make_idle(idle, method);
    run(method, idle, steps);
    if (motion_hash(idle) == motion_hash(sim))
        fail_msg("%s %s in %d dimensions has done nothing", frz_slots[method->slot].key, method->key, dimension);
    frz_sim_destroy(&idle);
}

// Sum of the momenta of particles and bodies, kg m/s, and of their sizes.
static double momentum(const frz_sim *sim, double sum[3])
{
    const frz_particles *particles = &sim->state->particles;
    double total = 0.0;
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
    {
        const double mass = frz_particle_mass(sim->model, frz_particles_inverse_density(particles)[i]);
        const frz_v4 v = frz_field_v4(particles, FRZ_FIELD_ID_velocity)[i];
        for (int a = 0; a < 3; ++a)
            sum[a] += mass * (double)v[a];
        total += mass * sqrt((double)frz_v4_dot3(v, v));
    }
    for (int b = 0; b < sim->model->body_count; ++b)
    {
        const frz_rigid_body *body = &sim->state->bodies.rigid[b];
        if (sim->model->bodies[b].kind != FRZ_BODY_RIGID)
            continue;
        sum[0] += body->mass * body->velocity.x;
        sum[1] += body->mass * body->velocity.y;
        sum[2] += body->mass * body->velocity.z;
        total += body->mass * frz_v3_length(body->velocity);
    }
    return total;
}

static void check_momentum(const frz_method *method, int dimension)
{
    const int steps = 10, side = dimension == 2 ? 24 : 8;
    frz_sim *sim = moving_sim(method, dimension, side, 2);
    double before[3], after[3];
    const double size = momentum(sim, before);
    run(method, sim, steps);
    assert_acted(method, dimension, side, steps, sim);
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

static void what_is_free_keeps_its_momentum(void **state)
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

// How much of a fall is left where things rest: of the way and of the kinetic energy after the same time.
typedef struct fall
{
    double way, energy;
} fall;

static fall rest_for(const frz_method *method, frz_sim *sim, double time)
{
    const double height = centre(sim), speed = gravity * time;
    const double mass = 1000.0 * pow(spacing, sim->model->dimension) * frz_sim_particle_count(sim, FRZ_SEGMENT_FREE);
    fall most = {0.0, 0.0};
    while (frz_sim_time(sim) < time)
    {
        frz_stats stats;
        run(method, sim, 1);
        frz_sim_stats(sim, &stats);
        most.way = fmax(most.way, fabs(height - centre(sim)) / (0.5 * gravity * time * time));
        if (frz_sim_time(sim) > 0.5 * time) // it has settled
            most.energy = fmax(most.energy, stats.kinetic_energy / (0.5 * mass * speed * speed));
    }
    check_finite(method, sim);
    return most;
}

// The same of the rigid bodies' heights.
static fall fall_of_bodies(const frz_method *method, frz_sim *sim, double time)
{
    fall most = {0.0, 0.0};
    const double way = 0.5 * gravity * time * time;
    while (frz_sim_time(sim) < time)
        run(method, sim, 1);
    for (int b = 0; b < sim->model->body_count; ++b)
        if (sim->model->bodies[b].kind == FRZ_BODY_RIGID)
            most.way = fmax(
                most.way, fabs(sim->state->bodies.rigid[b].position.y - sim->model->bodies[b].rigid.position.y) / way);
    return most;
}

static void check_rest(const frz_method *method, int dimension)
{
    // the lattice settles against the walls by a fraction of a spacing, and what that sets free swings about
    frz_sim *sim = method_sim(method, dimension, true, 2);
    const fall left = rest_for(method, sim, CORE_ADDRESS_SANITIZER ? 0.06 : 0.3); // memory is used alike in every step
    print_message("%s %s, %dD: of a fall %.4f of the way and %.4f of the energy\n", frz_slots[method->slot].key,
                  method->key, dimension, left.way, left.energy);
    if (!CORE_ADDRESS_SANITIZER)
    {
        assert_less(left.way, 0.01);
        assert_less(left.energy, 0.01);
    }
    frz_sim_destroy(&sim);
    if (method->slot != FRZ_SLOT_CONTACT)
        return;
    sim = method_sim(method, dimension, true, 2);
    assert_less(fall_of_bodies(method, sim, 0.3).way, 0.01);
    frz_sim_destroy(&sim);
}

static void what_rests_falls_by_less_than_a_hundredth(void **state)
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
        const int side = dimension == 2 ? 40 : 11; // several blocks
        frz_sim *sim = moving_sim(method, dimension, side, threads[n]);
        run(method, sim, 4);
        hash[n] = core_hash(sim);
        if (n == 0)
            assert_acted(method, dimension, side, 4, sim);
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
    assert_same(core_hash(straight), core_hash(resumed));
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
    frz_sim *sim = method_sim(method, dimension, dimension == 2 || has_bodies(method), 2);
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
    assert_same(core_hash(sim), before);
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
        if (body->role != FRZ_ROLE_SAMPLE || body->kind == FRZ_BODY_RIGID)
            continue;
        body->motion.keyframes = FRZ_ALLOC("test", 1, frz_keyframe);
        assert_non_null(body->motion.keyframes);
        body->motion.count = 1;
        body->motion.keyframes[0] =
            (frz_keyframe){0.0, frz_v3_sub(moved(s, body->position), body->position),
                           frz_quat_axis_angle(frz_v3(0.0, 0.0, 1.0), quarter * s->quarter_turns)};
    }
}

static void pose_bodies(frz_sim *sim, const symmetry *s)
{
    const double quarter = 0.5 * 3.14159265358979323846;
    for (int b = 0; b < sim->model->body_count; ++b)
    {
        frz_rigid_body *body = &sim->model->bodies[b].rigid; // where the state starts from
        if (sim->model->bodies[b].kind != FRZ_BODY_RIGID)
            continue;
        body->position = moved(s, body->position);
        body->velocity = turned(s, body->velocity);
        body->rotation = frz_quat_axis_angle(frz_v3(0.0, 0.0, 1.0), quarter * s->quarter_turns);
        frz_rigid_body_refresh(body);
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
    pose_bodies(sim, s);
    double *g = sim->model->gravity;
    const frz_vec3 down = turned(s, frz_v3(g[0], g[1], g[2]));
    g[0] = down.x;
    g[1] = down.y;
    g[2] = down.z;
    state->prepared = false;
    frz_grid_destroy(&state->neighbors.grid);
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
    assert_greater(fastest, 0.1);
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

// ---- the suite itself

static void check_idle(const frz_method *method, int dimension)
{
    const int side = dimension == 2 ? 24 : 8;
    frz_sim *one = moving_sim(method, dimension, side, 2);
    make_idle(one, method);
    run(method, one, 4);
    const uint64_t idle = motion_hash(one);
    frz_sim_destroy(&one);
    frz_sim *other = moving_sim(method, dimension, side, 2);
    make_idle(other, method);
    run(method, other, 4);
    assert_same(motion_hash(other), idle); // so that assert_acted would fail
    frz_sim_destroy(&other);
    if (method->slot != FRZ_SLOT_PRESSURE && method->slot != FRZ_SLOT_BOUNDARY && method->slot != FRZ_SLOT_CONTACT)
        return; // elsewhere rest does not need the method
    frz_sim *falling = method_sim(method, dimension, true, 2);
    make_idle(falling, method);
    const fall left =
        method->slot == FRZ_SLOT_CONTACT ? fall_of_bodies(method, falling, 0.05) : rest_for(method, falling, 0.05);
    assert_greater(left.way, 0.01);
    frz_sim_destroy(&falling);
}

static void a_method_that_does_nothing_fails(void **state)
{
    (void)state;
    check_all(check_idle, no_exemption);
}

int main(void)
{
    frz_parallel_least = frz_parallel_some = 1; // loops over few particles, too, are shared out
    if (CORE_THREAD_SANITIZER) // looks at what several threads do: one test of all methods shows it that
        cmocka_set_test_filter("any_number_of_threads*");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_says_what_it_is_and_where_it_comes_from),
        cmocka_unit_test(defaults_lie_within_their_limits_and_fill_the_parameters),
        cmocka_unit_test(parameters_survive_writing_and_reading_a_scene),
        cmocka_unit_test(none_one_coincident_and_isolated_particles_are_no_trouble),
        cmocka_unit_test(what_is_free_keeps_its_momentum),
        cmocka_unit_test(what_rests_falls_by_less_than_a_hundredth),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_restart_goes_on_bit_for_bit),
        cmocka_unit_test(nothing_is_allocated_after_the_third_step),
        cmocka_unit_test(a_velocity_that_is_no_number_stops_the_run_by_name),
        cmocka_unit_test(a_quarter_turn_and_a_shift_change_nothing_else),
        cmocka_unit_test(a_method_that_does_nothing_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
