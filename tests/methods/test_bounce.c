// SPDX-License-Identifier: MIT
// Contacts and friction of implicit elastic bodies make no energy: kinetic, potential and elastic energy together,
// zero-energy control included, do not grow from one step to another beyond the tolerance of the solvers, for any
// stiffness, and if steps become shorter in the middle of a contact. Momenta are kept.
// labels: numbers
#include "core_trial.h"

#include "physics/elastic/elastic_corotated.h"
#include "physics/elastic/elastic_hyperelastic.h"
#include "compare.h"

static const double tolerance = 1e-3; // of the energy at the start

// Elastic energy of all bodies of the corotated material.
static double elastic_energy(const frz_sim *sim)
{
    frz_state *state = sim->state;
    frz_diag diag = {.status = FRZ_OK};
    double sum = 0.0;
    for (int n = 0; n < sim->model->instance_count; ++n)
    {
        const frz_instance *instance = &sim->model->instances[n];
        if (instance->method->slot != FRZ_SLOT_ELASTIC)
            continue;
        const frz_elastic_params *params = instance->self;
        const frz_arena_mark mark = frz_arena_here(&state->scratch);
        frz_elastic_work work;
        assert_int_equal(frz_elastic_work_make(&state->bonds, &state->scratch, &work, &diag), FRZ_OK);
        frz_elastic_corotated material = {.rotation = frz_elastic_read_turns(state, instance)};
        assert_non_null(material.rotation);
        frz_elastic_moduli(sim->model, params, &material.lambda, &material.mu);
        const frz_elastic_use use = {.stress = frz_elastic_corotated_stress,
                                     .context = &material,
                                     .corrected = true,
                                     .zero_energy = params->zero_energy * params->young};
        for (int b = 0; b < state->solids.body_count; ++b)
            if (frz_elastic_owns(state, instance, b) && state->bonds.first[b] < state->bonds.first[b + 1])
            {
                frz_elastic_gather(state, b, &work);
                sum += frz_elastic_energy(&state->bonds, b, &use, &work);
            }
        frz_arena_release(&state->scratch, mark);
    }
    return sum;
}

static double rigid_energy(const frz_sim *sim)
{
    const double *g = sim->model->gravity;
    double sum = 0.0;
    for (int b = 0; b < sim->state->bodies.count; ++b)
    {
        const frz_rigid_body *body = &sim->state->bodies.rigid[b];
        if (!frz_body_is(sim->state, b, FRZ_BODY_RIGID) || sim->state->bodies.identity[b].filled != 0)
            continue;
        sum += 0.5 * body->mass * frz_v3_dot(body->velocity, body->velocity) +
               0.5 * frz_v3_dot(body->spin, frz_rigid_body_angular_momentum(body, body->position)) -
               body->mass * frz_v3_dot(frz_v3(g[0], g[1], g[2]), body->position);
    }
    return sum;
}

typedef struct track
{
    double first, most, least, rise; // energy, J: at first, largest, least so far, largest growth from that
    double elastic;                  // largest elastic energy
    double lowest, highest;          // potential energy: the lowest, and the highest after that
    double top;                      // at the start
} track;

static void look(const frz_sim *sim, bool begins, track *seen)
{
    const frz_step_stats *stats = &sim->state->stats;
    const double elastic = elastic_energy(sim), potential = stats->potential_energy;
    const double energy = stats->kinetic_energy + potential + elastic + rigid_energy(sim);
    if (begins)
        *seen = (track){.first = energy, .most = energy, .least = energy, .lowest = potential, .top = potential};
    seen->most = fmax(seen->most, energy);
    seen->least = fmin(seen->least, energy);
    seen->rise = fmax(seen->rise, energy - seen->least);
    seen->elastic = fmax(seen->elastic, elastic);
    if (potential < seen->lowest)
        seen->lowest = seen->highest = potential;
    seen->highest = fmax(seen->highest, potential);
}

// Run to the end; from the time at which a contact is on, in steps of a quarter of what they were, if asked.
static track follow(frz_sim *sim, double end, bool cut)
{
    frz_diag diag = {.status = FRZ_OK};
    track seen = {.first = 0.0};
    double fastest = 0.0, longest = HUGE_VAL;
    for (bool begins = true; sim->state->time < end; begins = false)
    {
        if (frz_sim_step(sim, fmin(longest, end), &diag) != FRZ_OK)
            fail_msg("%s", diag.message);
        look(sim, begins, &seen);
        fastest = fmax(fastest, sim->state->stats.kinetic_energy);
        if (cut && longest == HUGE_VAL && sim->state->stats.kinetic_energy < 0.6 * fastest)
            longest = 0.25 * sim->state->stats.dt;
    }
    assert_true(!cut || longest < HUGE_VAL);
    return seen;
}

static void falls_without_gain(int dimension, const char *elastic, bool cut)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{dimension: %d, spacing: %g, duration: 1, materials: {rubber: {density: 1000, elastic: %s}}, bodies: ["
             "{name: ball, state: elastic, material: rubber, shape: %s}, {name: floor, state: static, shape: {box: "
             "{min: %s, max: %s}}}]}",
             dimension, dimension == 2 ? 0.03 : 0.04, elastic,
             dimension == 2 ? "{sphere: {center: [0, 0.3], radius: 0.12}}"
                            : "{box: {min: [-0.08, 0.2, -0.08], max: [0.08, 0.36, 0.08]}}",
             dimension == 2 ? "[-0.4, -0.12]" : "[-0.4, -0.12, -0.4]", dimension == 2 ? "[0.4, 0]" : "[0.4, 0, 0.4]");
    frz_sim *sim = core_sim(text, 1);
    const track seen = follow(sim, 0.4, cut);
    print_message("%dD %s%s: energy %.4g J, risen by %.1e of it, elastic %.3g J, back by %.3f\n", dimension, elastic,
                  cut ? " cut" : "", seen.first, seen.rise / seen.first, seen.elastic,
                  (seen.highest - seen.lowest) / (seen.top - seen.lowest));
    assert_greater(seen.elastic, 1e-4 * seen.first);
    assert_greater(seen.highest, seen.lowest);
    assert_less(seen.rise, tolerance * seen.first);
    assert_less_equal(seen.highest, seen.top);
    frz_sim_destroy(&sim);
}

static void a_ball_that_falls_gains_nothing(void **state)
{
    (void)state;
    falls_without_gain(2, "{method: peer2018, young: 1e6}", false);
    falls_without_gain(2, "{method: peer2018, young: 1e5}", false);
    falls_without_gain(2, "{method: peer2018, young: 1e8}", false);
    falls_without_gain(2, "{method: kugelstadt2021, young: 1e6}", false);
    falls_without_gain(2, "{method: zhou2013, law: corotated, integration: implicit, young: 1e6}", false);
    falls_without_gain(2, "{method: peer2018, scheme: backward_euler, young: 1e6}", false);
    falls_without_gain(3, "{method: peer2018, young: 1e6}", false);
}

static void nor_if_steps_get_shorter_in_the_contact(void **state)
{
    (void)state;
    falls_without_gain(2, "{method: peer2018, young: 1e6}", true);
    falls_without_gain(2, "{method: peer2018, young: 1e9}", true);
    falls_without_gain(2, "{method: kugelstadt2021, young: 1e7}", true);
}

static frz_sim *meeting(const char *elastic, double across, double friction, int threads)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{dimension: 2, spacing: 0.03, duration: 1, gravity: [0, 0], materials: {rubber: {density: 1000, elastic: "
             "%s}}, bodies: [{name: a, state: elastic, material: rubber, friction: %g, velocity: [1, 0], shape: "
             "{sphere: {center: [-0.15, 0], radius: 0.13}}}, {name: b, state: elastic, material: rubber, friction: %g, "
             "velocity: [-1, 0], shape: {sphere: {center: [0.15, %g], radius: 0.13}}}]}",
             elastic, friction, friction, across);
    return core_sim(text, threads);
}

// Momentum, angular momentum about the origin, and spin of a body about itself, per mass of a particle.
static void momenta(const frz_sim *sim, double sum[3], double *spin)
{
    const frz_particles *p = &sim->state->particles;
    const frz_v4 *x = frz_field_v4(p, FRZ_FIELD_ID_position), *v = frz_field_v4(p, FRZ_FIELD_ID_velocity);
    const int32_t *body = frz_field_i32(p, FRZ_FIELD_ID_body);
    double center[2] = {0.0, 0.0}, mean[2] = {0.0, 0.0}, count = 0.0;
    sum[0] = sum[1] = sum[2] = *spin = 0.0;
    for (int i = 0; i < p->count[FRZ_ROLE_FREE]; ++i)
    {
        sum[0] += (double)v[i][0];
        sum[1] += (double)v[i][1];
        sum[2] += (double)x[i][0] * (double)v[i][1] - (double)x[i][1] * (double)v[i][0];
        for (int a = 0; a < 2 && body[i] == 0; ++a)
        {
            center[a] += (double)x[i][a];
            mean[a] += (double)v[i][a];
        }
        count += body[i] == 0;
    }
    for (int i = 0; i < p->count[FRZ_ROLE_FREE]; ++i)
        if (body[i] == 0)
            *spin += ((double)x[i][0] - center[0] / count) * ((double)v[i][1] - mean[1] / count) -
                     ((double)x[i][1] - center[1] / count) * ((double)v[i][0] - mean[0] / count);
}

static void balls_that_meet_gain_nothing_and_keep_momenta(void **state)
{
    (void)state;
    static const struct
    {
        const char *elastic;
        double across, friction;
        bool cut;
    } cases[] = {{"{method: peer2018, young: 1e6}", 0.0, 0.0, false},
                 {"{method: peer2018, young: 1e6}", 0.12, 0.8, false},
                 {"{method: peer2018, young: 1e6}", 0.12, 0.8, true},
                 {"{method: peer2018, young: 1e7}", 0.12, 0.8, true},
                 {"{method: peer2018, young: 1e9}", 0.0, 0.0, true}};
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; ++n)
    {
        frz_sim *sim = meeting(cases[n].elastic, cases[n].across, cases[n].friction, 1);
        double before[3], after[3], spin;
        momenta(sim, before, &spin);
        const track seen = follow(sim, 0.1, cases[n].cut);
        momenta(sim, after, &spin);
        print_message("%s across %g: risen by %.1e, left %.3f, spin %.3g, momenta changed by %.1e %.1e %.1e\n",
                      cases[n].elastic, cases[n].across, seen.rise / seen.first, seen.least / seen.first, spin,
                      after[0] - before[0], after[1] - before[1], after[2] - before[2]);
        assert_less(seen.least, 0.99 * seen.first); // they have met
        assert_true(!(cases[n].friction > 0.0) || fabs(spin) > 0.1);
        assert_less(seen.rise, tolerance * seen.first);
        const double size = sim->state->particles.count[FRZ_ROLE_FREE]; // m/s times particles
        assert_near(after[0], before[0], 1e-5 * size);
        assert_near(after[1], before[1], 1e-5 * size);
        assert_true(cases[n].friction > 0.0 || fabs(after[2] - before[2]) < 2e-3 * size * 0.13);
        frz_sim_destroy(&sim);
    }
}

// The matrix of the implicit step is applied to velocities and to directions of the solver. Those that differ by more
// than half a period, in m/s, were taken to the nearest image like positions: this ball made 10.6 J of its 253.
static void a_ball_in_a_periodic_space_bounces_as_in_any(void **state)
{
    (void)state;
    double left[2];
    for (int n = 0; n < 2; ++n)
    {
        char text[1024];
        snprintf(
            text, sizeof text,
            "{dimension: 2, spacing: 0.02, duration: 1, gravity: [0, 0], domain: {min: [0, -0.1], max: [0.6, 1]%s},"
            " materials: {gel: {density: 1000, elastic: {method: peer2018, young: 1e5, poisson: 0.3}}}, bodies:"
            " [{state: elastic, material: gel, velocity: [0, -4], shape: {sphere: {center: [0.3, 0.12], radius: "
            "0.1}}}, {state: static, shape: {box: {min: [0, -0.1], max: [0.6, 0]}}}]}",
            n == 0 ? "" : ", periodic: [x]");
        frz_sim *sim = core_sim(text, 1);
        const track seen = follow(sim, 0.1, false);
        assert_less(seen.rise, tolerance * seen.first);
        assert_less(seen.least, 0.9 * seen.first); // it has hit the floor
        left[n] = seen.least / seen.first;
        frz_sim_destroy(&sim);
    }
    assert_near(left[1], left[0], 0.01);
}

// The middle of the step loses nothing by itself: what contacts make is seen at once.
static void the_midpoint_does_not_end_above_its_start(void **state)
{
    (void)state;
    frz_sim *sim = meeting("{method: peer2018, scheme: midpoint, young: 1e6}", 0.0, 0.0, 1);
    const track seen = follow(sim, 0.15, false);
    print_message("midpoint: at most %.4f of the energy at the start\n", seen.most / seen.first);
    assert_greater(seen.elastic, 0.1 * seen.first);
    assert_less(seen.most, (1.0 + tolerance) * seen.first);
    frz_sim_destroy(&sim);
}

static void the_midpoint_bears_stiff_bodies_that_turn(void **state)
{
    (void)state;
    frz_sim *sim = meeting("{method: peer2018, scheme: midpoint, young: 1e8}", 0.12, 0.0, 1);
    const track seen = follow(sim, 0.3, false);
    print_message("midpoint, stiff, off centre: at most %.4f of the energy at the start\n", seen.most / seen.first);
    assert_less(seen.most, 1.5 * seen.first);
    frz_sim_destroy(&sim);
}

static void rigid_falls_on_soft(const char *fill, const char *coupling, const char *pressure)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{dimension: 2, spacing: 0.03, duration: 1, coupling: %s, pressure: %s, materials: {rubber: {density: "
        "1000, elastic: {method: peer2018, young: 1e6}}}, bodies: [{name: block, state: elastic, material: rubber, "
        "shape: {box: {min: [-0.15, 0], max: [0.15, 0.15]}}}, {name: ball, state: rigid, %s, shape: {sphere: "
        "{center: [0.03, 0.35], radius: 0.1}}}, {name: floor, state: static, shape: {box: {min: [-0.5, "
        "-0.12], max: [0.5, 0]}}}]}",
        coupling, pressure, fill);
    frz_sim *sim = core_sim(text, 1);
    const track seen = follow(sim, 0.35, false);
    print_message("%s, %s, %s: risen by %.1e, elastic %.3g of %.3g J\n", fill, coupling, pressure,
                  seen.rise / seen.first, seen.elastic, seen.first);
    assert_greater(seen.elastic, 0.01 * seen.first);
    assert_less(seen.rise, tolerance * seen.first);
    frz_sim_destroy(&sim);
}

static void rigid_bodies_on_soft_ones_gain_nothing(void **state)
{
    (void)state;
    static const char *const fills[] = {"density: 2000", "material: rubber, fill: particles"};
    for (int n = 0; n < 2; ++n)
    {
        rigid_falls_on_soft(fills[n], "strong", "dfsph");
        rigid_falls_on_soft(fills[n], "weak", "dfsph");
    }
    rigid_falls_on_soft(fills[0], "strong", "iisph");
    rigid_falls_on_soft(fills[0], "strong", "pcisph");
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    frz_sim *one = meeting("{method: peer2018, young: 1e6}", 0.12, 0.8, 1);
    frz_sim *many = meeting("{method: peer2018, young: 1e6}", 0.12, 0.8, 3);
    (void)follow(one, 0.12, false);
    (void)follow(many, 0.12, false);
    const size_t size = (size_t)one->state->particles.count[FRZ_ROLE_FREE] * sizeof(frz_v4);
    assert_memory_equal(frz_field_v4(&one->state->particles, FRZ_FIELD_ID_velocity),
                        frz_field_v4(&many->state->particles, FRZ_FIELD_ID_velocity), size);
    frz_sim_destroy(&one);
    frz_sim_destroy(&many);
}

// Contacts that last are a part of the implicit step: neither its solver nor the answer to contacts has much to do.
static void contacts_that_last_cost_little(void **state)
{
    (void)state;
    frz_sim *sim = core_sim("{dimension: 2, spacing: 0.02, duration: 1, time_step: 2 ms, materials: {dough: {density: "
                            "1000, elastic: {method: peer2018, young: 3e4}}}, bodies: [{name: block, state: elastic, "
                            "material: dough, friction: 0.8, shape: {box: {min: [-0.2, 0], max: [0.2, 0.2]}}}, {name: "
                            "floor, state: static, friction: 0.8, shape: {box: {min: [-0.5, -0.12], max: [0.5, 0]}}}]}",
                            1);
    frz_diag diag = {.status = FRZ_OK};
    int iterations = 0;
    double speed = 0.0;
    for (int n = 0; n < 400; ++n)
    {
        assert_int_equal(frz_sim_step(sim, HUGE_VAL, &diag), FRZ_OK);
        iterations += n >= 300 ? sim->state->stats.elastic.iterations : 0;
        speed = n >= 300 ? fmax(speed, sim->state->stats.max_speed) : 0.0;
    }
    print_message("at rest: %.2f iterations a step, moving with %.1e m/s\n", 0.01 * iterations, speed);
    assert_less(iterations, 300);
    assert_greater(speed, 0.0);
    assert_less(speed, 0.3);
    frz_sim_destroy(&sim);
}

// Water presses a plate that is clamped above and stands on the floor. In short steps the impulses of the floor come
// and go; their answer in the last step says little about this one.
static void a_plate_in_water_gains_nothing_in_short_steps(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 5 mm, duration: 1, boundary: mirrored, time_step: {max: 1e-4}, materials: {water: "
        "{density: 1000}, rubber: {density: 1100, elastic: {method: peer2018, young: 12e6, poisson: 0.4}}}, bodies: "
        "[{name: water, state: liquid, material: water, shape: {box: {min: [-0.1, 0], max: [0, 0.14]}}}, {name: plate, "
        "state: elastic, material: rubber, friction: 0, shape: {box: {min: [0, 0], max: [10 mm, 0.15]}}}, {name: tank, "
        "state: static, friction: 0, shape: {shell: {of: {box: {min: [-0.1, 0], max: [0.3, 0.2]}}, thickness: 20 mm, "
        "open: [+y, +x]}}}], attachments: [{name: clamp, shape: {box: {min: [-0.01, 0.1], max: [0.02, 0.2]}}}]}",
        1);
    frz_diag diag = {.status = FRZ_OK};
    double force = 0.0;
    track seen = {.first = 0.0};
    for (bool begins = true; sim->state->time < 5e-3; begins = false)
    {
        assert_int_equal(frz_sim_step(sim, HUGE_VAL, &diag), FRZ_OK);
        look(sim, begins, &seen);
        const frz_vec3 f = sim->state->attachments.item[0].force;
        force = fmax(force, sqrt(frz_v3_dot(f, f)));
    }
    const double weight = 0.5 * 1000.0 * 9.81 * 0.14 * 0.14; // of the water against a wall, N/m
    print_message("a plate in water: energy risen by %.2g J, clamped by at most %.3g N, water at rest %.3g N\n",
                  seen.rise, force, weight);
    assert_less(seen.rise, 0.1);
    assert_less(force, 3.0 * weight);
    frz_sim_destroy(&sim);
}

// A beam sags as much far from the origin as near it.
static double sag_at(double x)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{dimension: 2, spacing: 10 mm, duration: 1, materials: {rubber: {density: 1000, elastic: {method: "
             "peer2018, young: 1e8, poisson: 0.45}}}, bodies: [{name: beam, state: elastic, material: rubber, shape: "
             "{box: {min: [%g, 0], max: [%g, 0.05]}}}], attachments: [{name: clamp, shape: {box: {min: [%g, -1], max: "
             "[%g, 1]}}}]}",
             x, x + 0.6, x - 1.0, x + 0.04);
    frz_sim *sim = core_sim(text, 1);
    frz_diag diag = {.status = FRZ_OK};
    const frz_field_view place = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double before = 0.0, after = 0.0;
    for (int64_t i = 0; i < place.count; ++i)
        before += frz_field_value(&place, i, 1);
    assert_int_equal(frz_sim_advance(sim, 0.02, &diag), FRZ_OK);
    const frz_field_view now = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    for (int64_t i = 0; i < now.count; ++i)
        after += frz_field_value(&now, i, 1);
    frz_sim_destroy(&sim);
    return (before - after) / (double)place.count;
}

static void a_beam_sags_the_same_everywhere(void **state)
{
    (void)state;
    const double here = sag_at(0.0), there = sag_at(16.0);
    print_message("a beam sags by %.5g mm, and by %.5g mm 16 m from there\n", 1e3 * here, 1e3 * there);
    assert_less(fabs(there / here - 1.0), 0.02);
}

// A bar swings along itself until it breaks, and goes on breaking. Faces of cracks meet in every step, and each bond
// that breaks changes the matrix that the contacts of the last step were answered with.
static void a_bar_that_breaks_gains_nothing(void **state)
{
    (void)state;
    frz_sim *sim = core_sim("{dimension: 2, spacing: 50 mm, duration: 1, gravity: [0, 0], time_step: {max: 1e-4}, "
                            "materials: {chalk: {density: 1000, elastic: {method: peer2018, young: 1e5, poisson: 0}, "
                            "fracture: {method: stress, strength: 1000}}}, bodies: [{name: bar, state: elastic, "
                            "material: chalk, shape: {box: {min: [-0.5, -0.1], max: [0.5, 0.1]}}}]}",
                            1);
    const frz_v4 *place = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    frz_v4 *velocity = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        velocity[i][0] = (frz_real)(0.13 * sin(acos(-1.0) * (double)place[i][0]));
    const track seen = follow(sim, 0.3, false);
    print_message("a bar that breaks into %d bodies: risen by %.1e of %.3g J\n", sim->state->bodies.count,
                  seen.rise / seen.first, seen.first);
    assert_true(sim->state->solids.cracked || sim->state->bodies.count > 1);
    assert_less(seen.rise, 0.03 * seen.first);
    frz_sim_destroy(&sim);
}

// Steps of implicit bodies are not rejected for how far the solver thinks that contacts move single particles: steps of
// changing length lose the impulses that hold a pile, and it sank by half a spacing at each contact in half a second.
static void a_pile_of_blocks_stays_one(void **state)
{
    (void)state;
    frz_sim *sim =
        core_sim("{spacing: 0.02, duration: 1, materials: {rubber: {density: 1000, elastic: {method: peer2018, "
                 "young: 1e6, poisson: 0.3}}}, bodies: [{name: a, state: elastic, material: rubber, shape: "
                 "{box: {min: [-0.04, 0, -0.1], max: [0.04, 0.08, 0.1]}}}, {name: b, state: elastic, "
                 "material: rubber, shape: {box: {min: [-0.1, 0.08, -0.04], max: [0.1, 0.16, 0.04]}}}, "
                 "{name: floor, state: static, shape: {box: {min: [-0.2, -0.1, -0.2], max: [0.2, 0, 0.2]}}}]}",
                 1);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_advance(sim, 0.5, &diag), FRZ_OK);
    const frz_v4 *position = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    const int32_t *body = frz_field_i32(&sim->state->particles, FRZ_FIELD_ID_body);
    double top = 0.0, bottom = 1.0, lowest = 1.0;
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        const double y = (double)position[i][1];
        const bool between = fabs((double)position[i][0]) < 0.04 && fabs((double)position[i][2]) < 0.04;
        lowest = fmin(lowest, y);
        if (between && body[i] == 0)
            top = fmax(top, y);
        if (between && body[i] == 1)
            bottom = fmin(bottom, y);
    }
    print_message("the pile: %.2f spacings apart, %.2f from the floor's surface, %d tries rejected\n",
                  (bottom - top) / 0.02, lowest / 0.02, (int)sim->state->rejected);
    assert_greater(bottom - top, 0.8 * 0.02);
    assert_greater(lowest, 0.4 * 0.02);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_that_falls_gains_nothing),
        cmocka_unit_test(nor_if_steps_get_shorter_in_the_contact),
        cmocka_unit_test(balls_that_meet_gain_nothing_and_keep_momenta),
        cmocka_unit_test(a_ball_in_a_periodic_space_bounces_as_in_any),
        cmocka_unit_test(the_midpoint_does_not_end_above_its_start),
        cmocka_unit_test(the_midpoint_bears_stiff_bodies_that_turn),
        cmocka_unit_test(rigid_bodies_on_soft_ones_gain_nothing),
        cmocka_unit_test(a_plate_in_water_gains_nothing_in_short_steps),
        cmocka_unit_test(a_beam_sags_the_same_everywhere),
        cmocka_unit_test(a_bar_that_breaks_gains_nothing),
        cmocka_unit_test(contacts_that_last_cost_little),
        cmocka_unit_test(a_pile_of_blocks_stays_one),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
