// SPDX-License-Identifier: MIT
// Random changes of phase: whatever melts, freezes, softens, hardens, is joined or cut, masses and momenta are kept,
// and bodies are the components of the bonds.
// labels: long
#include "core_trial.h"
#include "sim/change.h"
#include "compare.h"

enum
{
    events_in_plane = 8500, // ten thousand with those in space, which take longer
    events_in_space = 1500,
    events_between_steps = 40
};

static const double spacing = 0.05;

// A cloud of blocks side by side, in the plane or in space; they drift and turn.
static frz_sim *make_cloud(int dimension, int threads)
{
    static const char plane[] =
        "bodies: [{name: pool, state: liquid, material: jelly, velocity: [0.1, 0.05], shape: {box: {min: [0, 0], max: "
        "[0.6, 0.3]}}}, {name: cube, state: elastic, material: jam, velocity: [0, -0.1], shape: {box: {min: [0, "
        "0.3], "
        "max: [0.3, 0.6]}}}, {name: brick, state: rigid, material: jelly, fill: particles, velocity: [-0.1, 0], "
        "angular_velocity: 0.5, shape: {box: {min: [0.3, 0.3], max: [0.6, 0.6]}}}],";
    static const char space[] =
        "bodies: [{name: pool, state: liquid, material: jelly, velocity: [0.1, 0.05, 0], shape: {box: {min: [0, 0, 0], "
        "max: [0.6, 0.3, 0.3]}}}, {name: cube, state: elastic, material: jam, velocity: [0, -0.1, 0], shape: {box: "
        "{min: [0, 0.3, 0], max: [0.3, 0.6, 0.3]}}}, {name: brick, state: rigid, material: jelly, fill: particles, "
        "velocity: [-0.1, 0, 0], angular_velocity: [0.2, 0.1, 0.5], shape: {box: {min: [0.3, 0.3, 0], max: [0.6, 0.6, "
        "0.3]}}}],";
    char text[2048];
    snprintf(text, sizeof text,
             "{dimension: %d, spacing: %g, duration: 10, gravity: [0, 0%s], materials: {jelly: {density: 900, "
             "viscosity: {method: xsph, coefficient: 0.1}, elastic: {method: becker2009, young: 1e3}}, jam: {density: "
             "1200, viscosity: {method: xsph, coefficient: 0.1}, elastic: {method: becker2009, young: 2e3}}}, %s"
             "events: [{at: 0, every: 1e6, do: melt, in: {sphere: {center: [0, 0%s], radius: 1e-3}}},"
             "{at: 0, every: 1e6, do: freeze, to: rigid, in: {sphere: {center: [0, 0%s], radius: 1e-3}}, name: ice}]}",
             dimension, spacing, dimension == 3 ? ", 0" : "", dimension == 3 ? space : plane,
             dimension == 3 ? ", 0" : "", dimension == 3 ? ", 0" : "");
    return core_sim(text, threads);
}

// Mass, momenta about the origin, and how large their terms are.
typedef struct books
{
    double mass, size, turn_size;
    double unkept; // angular momenta of single particles and lines, which liquid cannot take over
    frz_vec3 linear, angular;
} books;

static void add_motion(books *b, double mass, frz_vec3 x, frz_vec3 v)
{
    const frz_vec3 p = frz_v3_scale(mass, v);
    b->mass += mass;
    b->linear = frz_v3_add(b->linear, p);
    b->angular = frz_v3_add(b->angular, frz_v3_cross(x, p));
    b->size += frz_v3_length(p);
    b->turn_size += frz_v3_length(x) * frz_v3_length(p);
}

static books keep_books(const frz_sim *sim)
{
    const frz_state *s = sim->state;
    books b = {0};
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
        if (frz_particles_phase(&s->particles)[i] != FRZ_PHASE_RIGID)
            add_motion(&b, frz_particle_mass(sim->model, frz_particles_inverse_density(&s->particles)[i]),
                       frz_v3_of(frz_field_v4(&s->particles, FRZ_FIELD_ID_position)[i]),
                       frz_v3_of(frz_field_v4(&s->particles, FRZ_FIELD_ID_velocity)[i]));
    for (int k = 0; k < s->bodies.count; ++k)
    {
        if (!frz_body_is(s, k, FRZ_BODY_RIGID))
            continue;
        add_motion(&b, s->bodies.rigid[k].mass, s->bodies.rigid[k].position, s->bodies.rigid[k].velocity);
        const frz_vec3 own = frz_rigid_body_angular_momentum(&s->bodies.rigid[k], s->bodies.rigid[k].position);
        b.angular = frz_v3_add(b.angular, own);
        b.turn_size += frz_v3_length(own);
        if (s->bodies.identity[k].particles <= 3)
            b.unkept += frz_v3_length(own);
    }
    return b;
}

static void check_kept(const books *before, const books *after)
{
    const double worst = frz_v3_length(frz_v3_sub(after->linear, before->linear));
    const double turned = frz_v3_length(frz_v3_sub(after->angular, before->angular));
    const double allowed = 1e-6; // velocities of particles are in single precision
    assert_near(after->mass, before->mass, 1e-12 * before->mass);
    if (worst > allowed * (before->size + after->size))
        fail_msg("momentum changed by %g of %g", worst, before->size);
    if (turned > allowed * (before->turn_size + after->turn_size) + before->unkept)
        fail_msg("angular momentum changed by %g of %g", turned, before->turn_size);
}

// Mass, centre and inertia of a rigid body against sums over its particles.
static void check_rigid(const frz_sim *sim, int body)
{
    const frz_state *s = sim->state;
    const frz_rigid_body *rigid = &s->bodies.rigid[body];
    const int32_t *own = frz_field_i32(&s->particles, FRZ_FIELD_ID_body);
    double mass = 0.0;
    frz_vec3 first = frz_v3(0.0, 0.0, 0.0);
    frz_mat3 inertia = frz_m3_zero();
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        if (own[i] != body)
            continue;
        const int number = frz_field_i32(&s->particles, s->fields.solid)[i];
        const frz_vec3 arm = frz_rigid_body_arm(rigid, frz_v3_of(s->solids.reference[number]));
        const frz_vec3 x = frz_v3_of(frz_field_v4(&s->particles, FRZ_FIELD_ID_position)[i]);
        assert_less(frz_v3_length(frz_v3_sub(frz_v3_add(rigid->position, arm), x)), 1e-4 * spacing);
        const double m = frz_particle_mass(sim->model, frz_particles_inverse_density(&s->particles)[i]);
        const frz_vec3 r = frz_quat_rotate(frz_quat_conjugate(rigid->rotation), arm);
        mass += m;
        first = frz_v3_mad(first, m, r);
        const double across = frz_v3_dot(r, r) + spacing * spacing / 6.0;
        inertia = frz_m3_add(inertia,
                             frz_m3_scale(m, frz_m3_sub(frz_m3_diagonal(across, across, across), frz_m3_outer(r, r))));
    }
    // places of particles that a scene made are rounded after its moments were taken
    const double allowed = s->bodies.identity[body].intact != 0 ? 1e-6 : 1e-9;
    assert_near(mass, rigid->mass, 1e-7 * mass);
    assert_less(frz_v3_length(first), allowed * mass * spacing);
    for (int a = sim->model->dimension == 2 ? 2 : 0; a < 3; ++a)
        for (int b = sim->model->dimension == 2 ? 2 : 0; b < 3; ++b)
            assert_near(inertia.m[a][b], rigid->inertia.m[a][b], allowed * frz_m3_norm(inertia));
}

static int root_of(const int *parent, int e)
{
    while (parent[e] != e)
        e = parent[e];
    return e;
}

// By number: body of the particle, -1 if it is gone.
static int32_t *list_bodies(const frz_sim *sim)
{
    const frz_state *s = sim->state;
    int32_t *body = calloc((size_t)s->solids.count + 1, sizeof *body);
    assert_non_null(body);
    for (int e = 0; e < s->solids.count; ++e)
        body[e] = -1;
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        const int number = frz_field_i32(&s->particles, s->fields.solid)[i];
        const bool solid = frz_particles_phase(&s->particles)[i] != FRZ_PHASE_LIQUID;
        assert_same(solid, (number >= 0));
        if (solid)
            body[number] = frz_field_i32(&s->particles, FRZ_FIELD_ID_body)[i];
    }
    return body;
}

static bool is_rigid(const frz_state *s, int body)
{
    return s->bodies.identity[body].kind == FRZ_BODY_RIGID;
}

// How many components whole bonds make of each object, or (rigid) bonds within rigid bodies of each of these.
static int *count_components(const frz_state *s, const int32_t *body, bool rigid)
{
    const frz_bonds *bonds = &s->bonds;
    const int count = s->solids.count;
    int *parent = calloc((size_t)count + 1, sizeof *parent), *parts = calloc((size_t)s->bodies.count, sizeof *parts);
    assert_non_null(parent);
    assert_non_null(parts);
    for (int e = 0; e < count; ++e)
        parent[e] = e;
    for (int e = 0; e < count; ++e)
        for (int64_t k = bonds->begin[e]; k < bonds->begin[e + 1]; ++k)
        {
            const int other = (int)bonds->other[k];
            if (bonds->weight[k] > 0 && (!rigid || (is_rigid(s, body[e]) && is_rigid(s, body[other]))))
                parent[root_of(parent, e)] = root_of(parent, other);
        }
    for (int e = 0; e < count; ++e)
        if (body[e] >= 0 && parent[e] == e)
            parts[rigid ? body[e] : s->bodies.identity[body[e]].object] += 1;
    free(parent);
    return parts;
}

// Bonds within a body, or between an elastic and a rigid one of an object.
static void check_bonds(const frz_state *s, const int32_t *body)
{
    const frz_bonds *bonds = &s->bonds;
    for (int e = 0; e < s->solids.count; ++e)
        for (int64_t k = bonds->begin[e]; k < bonds->begin[e + 1]; ++k)
        {
            if (!(bonds->weight[k] > 0))
                continue;
            const int a = body[e], b = body[bonds->other[k]];
            assert_greater_equal(a, 0);
            assert_greater_equal(b, 0);
            assert_same(s->bodies.identity[a].object, s->bodies.identity[b].object);
            assert_true(a == b || is_rigid(s, a) != is_rigid(s, b));
        }
}

// Every object is one component of the bonds, with one elastic body at most; so is each of its rigid bodies.
static void check_components(const frz_sim *sim)
{
    const frz_state *s = sim->state;
    int32_t *body = list_bodies(sim);
    int *objects = count_components(s, body, false), *rigid = count_components(s, body, true);
    int *elastic = calloc((size_t)s->bodies.count, sizeof *elastic);
    assert_non_null(elastic);
    check_bonds(s, body);
    for (int b = 0; b < s->bodies.count; ++b)
    {
        const int object = s->bodies.identity[b].object;
        const bool solid = frz_body_is(s, b, FRZ_BODY_ELASTIC) || frz_body_is(s, b, FRZ_BODY_RIGID);
        assert_less_equal(object, b);
        assert_same(s->bodies.identity[object].object, object);
        assert_same(s->solids.object[b], object);
        if (solid)
            elastic[object] += is_rigid(s, b) ? 0 : 1;
        if (solid && (objects[object] != 1 || (is_rigid(s, b) && rigid[b] != 1) || elastic[object] > 1))
            fail_msg("body %d (kind %d) of object %d has %d components, the object %d, elastic bodies %d", b,
                     s->bodies.identity[b].kind, object, rigid[b], objects[object], elastic[object]);
        if (!solid && object == b)
            assert_int_equal(objects[b], 0);
    }
    free(body);
    free(objects);
    free(rigid);
    free(elastic);
}

static void check_particles(const frz_sim *sim)
{
    const frz_state *s = sim->state;
    int64_t *count = calloc((size_t)s->bodies.count, sizeof *count);
    assert_non_null(count);
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        const int body = frz_field_i32(&s->particles, FRZ_FIELD_ID_body)[i];
        assert_int_equal(s->bodies.identity[body].kind,
                         frz_phase_kind((frz_phase)frz_particles_phase(&s->particles)[i]));
        count[body] += 1;
    }
    for (int b = 0; b < s->bodies.count; ++b)
    {
        const bool solid = frz_body_is(s, b, FRZ_BODY_ELASTIC) || frz_body_is(s, b, FRZ_BODY_RIGID);
        assert_true(!solid || (count[b] == s->bodies.identity[b].particles && count[b] > 0));
        if (frz_body_is(s, b, FRZ_BODY_RIGID))
            check_rigid(sim, b);
    }
    free(count);
}

// Let one of the two events of the cloud be a random one.
static void draw_event(frz_sim *sim, uint64_t *seed)
{
    static const struct
    {
        frz_event_action action;
        frz_phase from, to;
    } kinds[] = {
        {FRZ_EVENT_CHANGE, FRZ_PHASE_SAMPLE, FRZ_PHASE_LIQUID},  {FRZ_EVENT_CHANGE, FRZ_PHASE_LIQUID, FRZ_PHASE_RIGID},
        {FRZ_EVENT_CHANGE, FRZ_PHASE_LIQUID, FRZ_PHASE_ELASTIC}, {FRZ_EVENT_CHANGE, FRZ_PHASE_RIGID, FRZ_PHASE_ELASTIC},
        {FRZ_EVENT_CHANGE, FRZ_PHASE_ELASTIC, FRZ_PHASE_RIGID},  {FRZ_EVENT_JOIN, FRZ_PHASE_SAMPLE, FRZ_PHASE_SAMPLE},
        {FRZ_EVENT_CUT, FRZ_PHASE_SAMPLE, FRZ_PHASE_SAMPLE}};
    const int kind = (int)(core_random(seed) * 7.0), e = core_random(seed) < 0.5;
    frz_event *event = &sim->model->events[e];
    frz_diag diag = {.status = FRZ_OK};
    const frz_v4 at =
        frz_field_v4(&sim->state->particles,
                     FRZ_FIELD_ID_position)[(int)(core_random(seed) * sim->state->particles.count[FRZ_ROLE_FREE])];
    event->action = kinds[kind].action;
    event->from = kinds[kind].from;
    event->to = kinds[kind].to;
    event->whole = event->action == FRZ_EVENT_CHANGE && core_random(seed) < 0.1;
    frz_shape_destroy(&event->target.shape);
    assert_int_equal(
        frz_shape_sphere(frz_v3_of(at), spacing * (1.0 + 3.0 * core_random(seed)), &event->target.shape, &diag),
        FRZ_OK);
    sim->state->changes.events[e].next = 0.0;
    sim->state->changes.events[1 - e].next = 1e9;
}

static uint64_t hash_state(const frz_sim *sim)
{
    const frz_state *s = sim->state;
    const size_t count = (size_t)s->particles.count[FRZ_ROLE_FREE];
    uint64_t hash = 14695981039346656037u;
    hash = core_hash_bytes(hash, frz_field_v4(&s->particles, FRZ_FIELD_ID_position), count * sizeof(frz_v4));
    hash = core_hash_bytes(hash, frz_field_v4(&s->particles, FRZ_FIELD_ID_velocity), count * sizeof(frz_v4));
    hash = core_hash_bytes(hash, frz_field_i32(&s->particles, FRZ_FIELD_ID_body), count * sizeof(int32_t));
    hash = core_hash_bytes(hash, frz_particles_phase(&s->particles), count);
    for (int b = 0; b < s->bodies.count; ++b)
        if (frz_body_is(s, b, FRZ_BODY_RIGID))
        {
            hash = core_hash_bytes(hash, &s->bodies.rigid[b].position, sizeof(frz_vec3));
            hash = core_hash_bytes(hash, &s->bodies.rigid[b].spin, sizeof(frz_vec3));
        }
    return hash;
}

// So many random events from one on, with steps in between; everything is checked after each.
static void torment(frz_sim *sim, int from, int to, int every, bool checked)
{
    frz_diag diag = {.status = FRZ_OK};
    for (int n = from; n < to; ++n)
    {
        uint64_t seed = 1000003u * (uint64_t)(n + 1);
        for (int k = 0; k < 5; ++k)
            (void)core_random(&seed);
        draw_event(sim, &seed);
        const books before = keep_books(sim);
        frz_changes_run(sim->model, sim->state);
        if (sim->state->changes.warning[0] != '\0' && strstr(sim->state->changes.warning, "failed") != NULL)
            fail_msg("%s", sim->state->changes.warning);
        sim->state->changes.warning[0] = '\0';
        if (checked)
        {
            const books after = keep_books(sim);
            check_kept(&before, &after);
            check_components(sim);
            check_particles(sim);
        }
        sim->state->changes.events[0].next = sim->state->changes.events[1].next = 1e9;
        if (n % every == every - 1 && frz_sim_step(sim, HUGE_VAL, &diag) != FRZ_OK)
            fail_msg("event %d: %s", n, diag.message);
    }
}

static void random_changes_keep_masses_momenta_and_bodies(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        frz_sim *sim = make_cloud(dimension, 1);
        core_steps(sim, 1);
        const int all = dimension == 2 ? events_in_plane : events_in_space;
        const bool sanitized = CORE_THREAD_SANITIZER || CORE_ADDRESS_SANITIZER, wide = sizeof(frz_real) > sizeof(float);
        const int events = sanitized ? all / 20 : wide ? all / 5 : all;
        torment(sim, 0, events, events_between_steps, true);
        assert_greater(sim->state->changes.changed, events);
        assert_greater(sim->state->bodies.count, 20);
        print_message("%dD: %lld particles changed in %lld batches, %d bodies were born\n", dimension,
                      (long long)sim->state->changes.changed, (long long)sim->state->changes.batches,
                      sim->state->bodies.count - sim->model->body_count);
        frz_sim_destroy(&sim);
    }
}

static void changes_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    static const int threads[3] = {1, 2, 5};
    uint64_t hash[3];
    for (int t = 0; t < 3; ++t)
    {
        frz_sim *sim = make_cloud(3, threads[t]);
        core_steps(sim, 1);
        torment(sim, 0, 120, 10, false);
        hash[t] = hash_state(sim);
        frz_sim_destroy(&sim);
    }
    assert_same(hash[0], hash[1]);
    assert_same(hash[0], hash[2]);
}

static void changes_go_on_after_a_restart_as_without(void **state)
{
    (void)state;
    frz_sim *sim = make_cloud(3, 2), *again = make_cloud(3, 1);
    core_steps(sim, 1);
    torment(sim, 0, 100, 10, false);
    assert_greater(sim->state->changes.changed, 0);
    assert_int_equal(core_pass_on(sim, again), FRZ_OK);
    assert_same(hash_state(sim), hash_state(again));
    for (int n = 100; n < 200; ++n)
    {
        torment(sim, n, n + 1, 10, false);
        torment(again, n, n + 1, 10, false);
        if (hash_state(sim) != hash_state(again))
            fail_msg("event %d: %d and %d bodies", n, sim->state->bodies.count, again->state->bodies.count);
    }
    frz_sim_destroy(&sim);
    frz_sim_destroy(&again);
}

// A method that freezes all liquid of its material beyond a place.
static void freeze_beyond(const frz_model *model, const frz_state *state, const frz_instance *instance,
                          frz_batch *batch)
{
    (void)model;
    (void)instance;
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        if (position[i][0] > (frz_real)0.25)
            frz_changes_request(batch, i, FRZ_PHASE_RIGID, -1);
}

static void methods_change_single_particles_by_requests(void **state)
{
    (void)state;
    static const char text[] =
        "{dimension: 2, spacing: 0.05, duration: 10, gravity: [0, 0], materials: {wax: {density: 900, viscosity: "
        "{method: xsph, coefficient: 0.1}}}, bodies: [{name: wax, state: liquid, material: wax, shape: {box: {min: "
        "[0, 0], max: [0.5, 0.5]}}}], events: [{at: 5, do: freeze, to: rigid}]}";
    frz_sim *sim = core_sim(text, 1);
    frz_diag diag = {.status = FRZ_OK};
    frz_method asking = {0};
    for (int n = 0; n < sim->model->instance_count; ++n)
        if (sim->model->instances[n].method->slot == FRZ_SLOT_VISCOSITY)
        {
            asking = *sim->model->instances[n].method;
            asking.changes = freeze_beyond;
            sim->model->instances[n].method = &asking;
        }
    assert_non_null(asking.changes);
    assert_int_equal(frz_sim_step(sim, HUGE_VAL, &diag), FRZ_OK);
    assert_int_equal(sim->state->changes.changed, 50);
    assert_int_equal(sim->state->bodies.count, sim->model->body_count + 1);
    check_components(sim);
    check_particles(sim);
    frz_sim_destroy(&sim);
}

// Liquid particles that were never solid have no number among solids.
static void liquids_freeze_where_nothing_was_solid_before(void **state)
{
    (void)state;
    static const char *const sources[2] = {
        "bodies: [{name: wax, state: liquid, material: wax, shape: {box: {min: [0, 0], max: [0.5, 0.5]}}}]",
        "emitters: [{name: wax, material: wax, position: [0, 0], direction: [1, 0], width: 0.4, speed: 1}]"};
    for (int k = 0; k < 2; ++k)
    {
        char text[1024];
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: %g, duration: 10, gravity: [0, 0], materials: {wax: {density: 900}}, %s, "
                 "events: [{at: 0.4, do: freeze, of: wax, in: {box: {min: [0.1, -1], max: [1, 1]}}, name: duck}]}",
                 spacing, sources[k]);
        frz_sim *sim = core_sim(text, 1);
        frz_diag diag = {.status = FRZ_OK};
        while (sim->state->time < 0.5)
            if (frz_sim_step(sim, 0.5, &diag) != FRZ_OK)
                fail_msg("%s", diag.message);
        assert_int_equal(sim->state->changes.batches, 1);
        assert_greater(sim->state->changes.changed, 20);
        const int born = sim->state->bodies.count - 1;
        assert_int_equal(born, sim->model->body_count);
        assert_int_equal(sim->state->bodies.identity[born].particles, sim->state->changes.changed);
        check_rigid(sim, born);
        frz_sim_destroy(&sim);
    }
}

// Nothing is elastic here, so that no method asks for the bonds. The block must stay one while its particles leave.
static void rigid_bodies_stay_whole_as_they_leave_the_domain(void **state)
{
    (void)state;
    static const char *const forms[2] = {"state: rigid", "state: liquid"};
    static const char *const events[2] = {"{at: 5, do: melt}", "{at: 0.05, do: freeze}"};
    for (int k = 0; k < 2; ++k)
    {
        char text[1024];
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: %g, duration: 10, gravity: [0, 0], domain: {min: [-1, -1], max: [1, 1]}, "
                 "materials: {wax: {density: 900}}, bodies: [{name: block, %s, material: wax, velocity: [2, 0], "
                 "shape: {box: {min: [0, 0], max: [0.5, 0.3]}}}], events: [%s]}",
                 spacing, forms[k], events[k]);
        frz_sim *sim = core_sim(text, 1), *again = core_sim(text, 1);
        frz_diag diag = {.status = FRZ_OK};
        while (sim->state->time < 0.2)
            assert_int_equal(frz_sim_step(sim, 0.2, &diag), FRZ_OK);
        assert_int_equal(core_pass_on(sim, again), FRZ_OK);
        const int bodies = again->state->bodies.count;
        while (again->state->time < 0.4)
            assert_int_equal(frz_sim_step(again, 0.4, &diag), FRZ_OK);
        assert_greater(again->state->lost, 0);
        assert_greater(again->state->particles.count[FRZ_ROLE_FREE], 0);
        assert_int_equal(again->state->bodies.count, bodies);
        check_rigid(again, bodies - 1);
        while (again->state->time < 1.0)
            assert_int_equal(frz_sim_step(again, 1.0, &diag), FRZ_OK);
        assert_int_equal(again->state->particles.count[FRZ_ROLE_FREE], 0);
        assert_string_equal(again->state->changes.warning, "");
        frz_sim_destroy(&sim);
        frz_sim_destroy(&again);
    }
}

// A run that is stopped after one batch of changes and goes on in another simulation until there were so many.
static void assert_goes_on(const char *text, double stop, double end, int64_t batches)
{
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = core_sim(text, 2), *again = core_sim(text, 1);
    while (sim->state->time < stop)
        assert_int_equal(frz_sim_step(sim, stop, &diag), FRZ_OK);
    assert_int_equal(sim->state->changes.batches, 1);
    assert_int_equal(core_pass_on(sim, again), FRZ_OK);
    frz_sim *const both[2] = {sim, again};
    for (int k = 0; k < 2; ++k)
        while (both[k]->state->time < end)
            assert_int_equal(frz_sim_step(both[k], end, &diag), FRZ_OK);
    assert_int_equal(sim->state->changes.batches, batches);
    assert_same(hash_state(sim), hash_state(again));
    frz_sim_destroy(&sim);
    frz_sim_destroy(&again);
}

static void runs_in_which_all_has_melted_go_on_after_a_restart(void **state)
{
    (void)state;
    static const char text[] =
        "{dimension: 2, spacing: 0.05, duration: 10, gravity: [0, 0], materials: {wax: {density: 900}}, bodies: "
        "[{name: block, state: rigid, material: wax, shape: {box: {min: [0, 0], max: [0.5, 0.3]}}}], events: [{at: "
        "0.02, do: melt}, {at: 0.08, do: freeze, in: {box: {min: [0.2, -1], max: [1, 1]}}}]}";
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = core_sim(text, 2);
    assert_int_equal(frz_sim_advance(sim, 0.05, &diag), FRZ_OK);
    assert_int_equal(sim->state->solids.count, 0);
    frz_sim_destroy(&sim);
    assert_goes_on(text, 0.05, 0.12, 2);
}

// The body that another one has taken in whole has no surface any more.
static void joined_bodies_go_on_after_a_restart(void **state)
{
    (void)state;
    assert_goes_on(
        "{dimension: 2, spacing: 0.05, duration: 10, gravity: [0, 0], materials: {wood: {density: 700}}, bodies: "
        "[{name: left, state: rigid, fill: particles, material: wood, velocity: [0, 1], angular_velocity: 1, shape: "
        "{box: {min: [0, 0], max: [0.4, 0.4]}}}, {name: right, state: rigid, fill: particles, material: wood, shape: "
        "{box: {min: [0.4, 0], max: [0.7, 0.4]}}}], events: [{at: 0.01, do: join, of: [left, right]}]}",
        0.05, 0.1, 1);
}

// A bar that is torn apart, without and with events in its scene.
static void parts_of_bodies_that_break_are_bodies(void **state)
{
    (void)state;
    static const char *const events[2] = {"", ", events: [{at: 5, do: melt}]"};
    for (int k = 0; k < 2; ++k)
    {
        char text[1024];
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: 0.05, duration: 10, gravity: [0, 0], materials: {chalk: {density: 1000, "
                 "elastic: {method: becker2009, young: 1e5}, fracture: {method: stretch, limit: 0.05}}}, bodies: "
                 "[{name: bar, state: elastic, material: chalk, shape: {box: {min: [0, 0], max: [1, 0.2]}}}]%s}",
                 events[k]);
        frz_sim *sim = core_sim(text, 2), *again = core_sim(text, 1);
        frz_state *s = sim->state;
        frz_v4 *velocity = frz_field_v4(&s->particles, FRZ_FIELD_ID_velocity);
        for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
            velocity[i][0] = frz_field_v4(&s->particles, FRZ_FIELD_ID_position)[i][0] < 0.5 ? -2 : 2;
        core_steps(sim, 60);
        assert_greater(s->bonds.broken_count, 0);
        assert_greater(s->bodies.count, 1);
        char name[FRZ_BODY_NAME_SIZE];
        frz_bodies_name(sim->model, s, 1, name);
        assert_string_equal(name, "bar/2");
        check_components(sim);
        check_particles(sim);
        assert_int_equal(core_pass_on(sim, again), FRZ_OK);
        core_steps(sim, 10);
        core_steps(again, 10);
        assert_int_equal(again->state->bodies.count, s->bodies.count);
        assert_same(hash_state(sim), hash_state(again));
        frz_sim_destroy(&sim);
        frz_sim_destroy(&again);
    }
}

// A film that lies nearer to the floor and the rim of a dish than half a spacing freezes into a cake. It rests where it
// froze, also after a restart: nothing drives it out of its mould.
static void what_freezes_in_a_mould_rests_there(void **state)
{
    (void)state;
    static const char text[] =
        "{spacing: 4 mm, duration: 1, materials: {wax: {density: 900, viscosity: 0.2 Pa s}}, bodies: [{name: wax, "
        "state: liquid, material: wax, shape: {cylinder: {from: [0, 0, 0], to: [0, 12 mm, 0], radius: 14 mm}}}, {name: "
        "dish, state: static, shape: {difference: [{cylinder: {from: [0, -8 mm, 0], to: [0, 8 mm, 0], radius: 32 mm}}, "
        "{cylinder: {from: [0, 0, 0], to: [0, 20 mm, 0], radius: 24 mm}}]}}], events: [{at: 0.4, do: freeze, to: "
        "rigid, "
        "name: cake}]}";
    frz_sim *sim = core_sim(text, 1), *again = core_sim(text, 1);
    const frz_state *s = sim->state;
    while (s->changes.batches == 0)
        core_steps(sim, 1);
    const int cake = s->bodies.count - 1;
    assert_true(frz_body_is(s, cake, FRZ_BODY_RIGID));
    const double fine = sim->model->spacing;
    int low = 0;
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
        low += (double)frz_field_v4(&s->particles, FRZ_FIELD_ID_position)[i][1] < 0.4 * fine;
    assert_greater(low, 10);
    const frz_vec3 start = s->bodies.rigid[cake].position;
    core_steps(sim, 25);
    assert_int_equal(core_pass_on(sim, again), FRZ_OK);
    core_steps(sim, 25);
    core_steps(again, 25);
    assert_same(hash_state(sim), hash_state(again));
    assert_greater(s->bodies.loads[cake].contact_force.y, 0.0);
    assert_less(frz_v3_length(frz_v3_sub(s->bodies.rigid[cake].position, start)), 0.01 * fine); // once 0.8 spacings
    frz_sim_destroy(&sim);
    frz_sim_destroy(&again);
}

// A ball on a rope from the world swings as if nothing had been born, whatever freezes far away.
static void ropes_hold_while_bodies_are_born(void **state)
{
    (void)state;
    static const char *const events[2] = {"", ", events: [{at: 0.02, do: freeze, of: wax, name: duck}]"};
    frz_vec3 end[2];
    for (int k = 0; k < 2; ++k)
    {
        char text[1024];
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: 0.05, duration: 10, gravity: [0, -10], time_step: {max: 5 ms}, domain: {min: "
                 "[-9, -9], max: [9, 9]}, materials: {wax: {density: 900}}, bodies: [{name: ball, state: rigid, "
                 "density: 1000, shape: {sphere: {center: [1, 0], radius: 0.1}}}, {name: wax, state: liquid, material: "
                 "wax, shape: {box: {min: [5, 0], max: [5.5, 0.5]}}}], joints: [{type: rope, bodies: [ball, world], "
                 "point: [1, 0], to: [0, 0]}]%s}",
                 events[k]);
        frz_sim *sim = core_sim(text, 1);
        frz_diag diag = {.status = FRZ_OK};
        while (sim->state->time < 0.2)
            if (frz_sim_step(sim, 0.2, &diag) != FRZ_OK)
                fail_msg("%s", diag.message);
        assert_int_equal(sim->state->bodies.count - sim->model->body_count, k);
        end[k] = sim->state->bodies.rigid[0].position;
        frz_sim_destroy(&sim);
    }
    print_message("ball at (%.4f, %.4f) and (%.4f, %.4f)\n", end[0].x, end[0].y, end[1].x, end[1].y);
    assert_less(frz_v3_length(frz_v3_sub(end[0], end[1])), 1e-3);
    assert_less(frz_v3_length(end[1]), 1.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes_keep_masses_momenta_and_bodies),
        cmocka_unit_test(changes_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(changes_go_on_after_a_restart_as_without),
        cmocka_unit_test(methods_change_single_particles_by_requests),
        cmocka_unit_test(liquids_freeze_where_nothing_was_solid_before),
        cmocka_unit_test(rigid_bodies_stay_whole_as_they_leave_the_domain),
        cmocka_unit_test(runs_in_which_all_has_melted_go_on_after_a_restart),
        cmocka_unit_test(joined_bodies_go_on_after_a_restart),
        cmocka_unit_test(parts_of_bodies_that_break_are_bodies),
        cmocka_unit_test(what_freezes_in_a_mould_rests_there),
        cmocka_unit_test(ropes_hold_while_bodies_are_born),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
