// SPDX-License-Identifier: MIT
// Elastic bodies attached to rigid ones: momentum and angular momentum of the pair, the extension and the period of a
// mass on a bar, stiffness that does not limit implicit steps, joints, letting go, and pressure on the attached part.
// labels: numbers
#include "core_trial.h"
#include "compare.h"

// Without what is carried, whose mass is in the bodies.
static void momenta(const frz_sim *sim, frz_vec3 *linear, frz_vec3 *angular)
{
    const frz_state *s = sim->state;
    const frz_v4 *x = frz_field_v4(&s->particles, FRZ_FIELD_ID_position);
    const frz_v4 *v = frz_field_v4(&s->particles, FRZ_FIELD_ID_velocity);
    const double volume = pow(sim->model->spacing, sim->model->dimension);
    *linear = *angular = frz_v3(0.0, 0.0, 0.0);
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        bool carried = false;
        for (int a = 0; a < s->attachments.count; ++a)
            for (int k = 0; k < s->attachments.item[a].count; ++k)
                carried = carried || (s->attachments.item[a].number[k] == s->solids.index_of_slot[i] &&
                                      frz_attachments_hold_now(sim->model, s, a));
        if (carried)
            continue;
        const double mass = volume / (double)frz_particles_inverse_density(&s->particles)[i];
        const frz_vec3 p = frz_v3(mass * (double)v[i][0], mass * (double)v[i][1], mass * (double)v[i][2]);
        *linear = frz_v3_add(*linear, p);
        *angular = frz_v3_add(*angular, frz_v3_cross(frz_v3((double)x[i][0], (double)x[i][1], (double)x[i][2]), p));
    }
    for (int b = 0; b < sim->model->body_count; ++b)
    {
        if (sim->model->bodies[b].kind != FRZ_BODY_RIGID)
            continue;
        const frz_rigid_body *r = &s->bodies.rigid[b];
        *linear = frz_v3_mad(*linear, r->mass, r->velocity);
        *angular = frz_v3_add(*angular, frz_rigid_body_angular_momentum(r, frz_v3(0.0, 0.0, 0.0)));
    }
}

static const char *time_step = "100 ms"; // at most

static frz_sim *pair_sim(const char *elastic, const char *rest)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "{dimension: 3, spacing: 0.1, duration: 10, gravity: [0, 0, 0], time_step: {max: %s}, materials: {rubber: "
        "{density: 1000, elastic: {%s}}}, bodies: [{name: bar, state: elastic, material: rubber, shape: {box: {min: "
        "[0, 0, 0], "
        "max: [0.8, 0.3, 0.3]}}}, {name: block, state: rigid, density: 700, velocity: [0.3, 0.2, 0], "
        "angular_velocity: [0.5, 1, 2], shape: {box: {min: [-0.4, 0, 0], max: [0, 0.3, 0.4]}}}], attachments: [{to: "
        "block, shape: {box: {min: [-0.1, -1, -1], max: [0.1, 1, 1]}}%s}]}",
        time_step, elastic, rest);
    return core_sim(text, 1);
}

static double drift_of(frz_vec3 now, frz_vec3 before)
{
    return frz_v3_length(frz_v3_sub(now, before)) / frz_v3_length(before);
}

typedef struct drifts
{
    double linear, angular;
} drifts;

// A moving block drags a resting bar along.
static drifts drag_along(const char *elastic)
{
    frz_sim *sim = pair_sim(elastic, "");
    frz_vec3 p0, l0, p, l;
    momenta(sim, &p0, &l0);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_advance(sim, 0.2, &diag), FRZ_OK);
    momenta(sim, &p, &l);
    const drifts d = {drift_of(p, p0), drift_of(l, l0)};
    print_message("%s: %d steps, momentum off by %.2e, angular by %.2e\n", elastic, (int)sim->state->step, d.linear,
                  d.angular);
    frz_sim_destroy(&sim);
    return d;
}

static void a_free_pair_keeps_its_momenta(void **state)
{
    (void)state;
    const char *const explicit[] = {"method: tlsph, young: 1e5", "method: becker2009, young: 1e5",
                                    "method: zhou2013, young: 1e5"};
    for (int n = 0; n < 3; ++n)
    {
        const drifts d = drag_along(explicit[n]);
        assert_less(d.linear, 2e-6);
        assert_less(d.angular, 2e-6);
    }
}

// An implicit step keeps the momentum to rounding and the angular momentum to its order: it changes by
// -(2 theta - 1) dt^2 sum m w x a in a step, of first order once steps resolve the waves (a spacing in 10 ms) that the
// sudden start makes, but for the midpoint rule.
static void a_free_pair_keeps_its_momenta_in_implicit_steps(void **state)
{
    (void)state;
    static const struct
    {
        const char *elastic, *step, *quarter;
    } implicit[] = {{"method: peer2018", "1.25 ms", "0.3125 ms"},
                    {"method: peer2018, scheme: midpoint", "20 ms", "5 ms"},
                    {"method: kugelstadt2021", "1.25 ms", "0.3125 ms"},
                    {"method: zhou2013, integration: implicit", "1.25 ms", "0.3125 ms"}};
    for (int n = 0; n < 4; ++n)
    {
        char elastic[200];
        snprintf(elastic, sizeof elastic, "%s, young: 1e5, max_error: 0.001, passes: 3", implicit[n].elastic);
        time_step = "20 ms";
        const drifts far = drag_along(elastic);
        time_step = implicit[n].step;
        const drifts long_step = drag_along(elastic);
        time_step = implicit[n].quarter;
        const drifts short_step = drag_along(elastic);
        time_step = "100 ms";
        assert_less(far.linear, 1e-5);
        assert_less(long_step.linear, 1e-5);
        assert_less(short_step.linear, 1e-5);
        assert_less(far.angular, 2e-3);
        assert_less(short_step.angular, 0.35 * long_step.angular);
    }
}

// A bar of 28 rows, of which two are held and two belong to a heavy block that falls into it. (The gradient at the
// inner one of two held rows is half that of the bar, and at the outer one zero, so that the bar is as long as it is
// between the inner ones.)
static frz_sim *bob_sim(const char *elastic, const char *joint)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{dimension: 2, spacing: 0.025, duration: 10, gravity: [0, -9.81], time_step: {max: 2 ms}, materials: "
             "{rubber: {density: 1000, elastic: {young: 1e6, poisson: 0, %s}}}, bodies: [{name: bar, state: elastic, "
             "material: rubber, shape: {box: {min: [0, 0], max: [0.2, 0.7]}}}, {name: block, state: rigid, density: "
             "16000, shape: {box: {min: [0, -0.2], max: [0.2, 0]}}%s}], attachments: [{shape: {box: {min: [-1, 0.65], "
             "max: [1, 1]}}}, {to: block, shape: {box: {min: [-1, -0.1], max: [1, 0.05]}}}]}",
             elastic, joint);
    return core_sim(text, 1);
}

// Extension and period of a uniform bar with a mass at its end: x tan(x) = m / M, T = 2 pi / (x sqrt(E / rho) / L).
static void check_bob(const char *elastic, const char *joint)
{
    const double length = 0.625, area = 0.2, young = 1e6, density = 1000.0, free_mass = density * area * 0.6;
    const double mass = 16000.0 * 0.04 + density * area * 0.05, weight = (mass + 0.5 * free_mass) * 9.81;
    const double rest = weight * length / (young * area);
    double low = 1e-6, high = 1.5;
    while (high - low > 1e-12)
    {
        const double x = 0.5 * (low + high);
        *(x * tan(x) > density * area * length / (mass - 0.5 * density * area * 0.025) ? &high : &low) = x;
    }
    const double period = 2.0 * 3.14159265358979 * length / (low * sqrt(young / density));
    frz_sim *sim = bob_sim(elastic, joint);
    frz_diag diag = {.status = FRZ_OK};
    const double start = sim->state->bodies.rigid[1].position.y;
    double turned[2] = {0.0, 0.0}, deepest = 0.0, before = 0.0;
    for (int n = 0; n < 2;)
    {
        assert_int_equal(frz_sim_step(sim, HUGE_VAL, &diag), FRZ_OK);
        const double v = sim->state->bodies.rigid[1].velocity.y, dt = sim->state->stats.dt;
        deepest = fmax(deepest, start - sim->state->bodies.rigid[1].position.y);
        if (v * before < 0.0)
            turned[n++] = sim->state->time - dt * v / (v - before);
        before = v;
        assert_less(sim->state->time, 2.0);
    }
    print_message("%s %s: extension %.4g of %.4g mm, period %.4g of %.4g s\n", elastic, joint, 500.0 * deepest,
                  1e3 * rest, turned[1], period);
    assert_near(0.5 * deepest, rest, 0.02 * rest);
    assert_near(turned[1], period, 0.01 * period);
    frz_sim_destroy(&sim);
}

static void a_mass_on_a_bar_hangs_and_bobs_by_the_formula(void **state)
{
    (void)state;
    check_bob("method: becker2009", "");
    check_bob("method: peer2018, scheme: midpoint", "");
    check_bob("method: kugelstadt2021, scheme: midpoint", ", slider: [0, 1, 0]");
}

// A block of a twentieth of the bar's mass on a bar whose waves cross a spacing forty times in a step.
static void a_light_body_does_not_limit_an_implicit_step(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.05, duration: 10, gravity: [0, -9.81], time_step: 2 ms, materials: {steel: "
        "{density: "
        "1000, elastic: {method: peer2018, young: 1e9, poisson: 0.3}}}, bodies: [{name: bar, state: elastic, material: "
        "steel, shape: {box: {min: [0, 0], max: [0.2, 0.55]}}}, {name: block, state: rigid, density: 100, shape: {box: "
        "{min: [0, -0.2], max: [0.2, 0]}}}], attachments: [{shape: {box: {min: [-1, 0.5], max: [1, 1]}}}, {to: block, "
        "shape: {box: {min: [-1, -0.1], max: [1, 0.05]}}}]}",
        1);
    const double start = sim->state->bodies.rigid[1].position.y;
    core_steps(sim, 100);
    assert_near(sim->state->bodies.rigid[1].position.y, start, 1e-3);
    assert_int_equal(sim->state->rejected, 0);
    frz_sim_destroy(&sim);
}

// What is let go moves on, and the block weighs what it did.
static void letting_go_keeps_momenta_and_gives_masses_back(void **state)
{
    (void)state;
    frz_sim *sim = pair_sim("method: tlsph, young: 1e5", ", until: 0.05");
    const double bare = sim->model->bodies[1].rigid.mass;
    assert_near(sim->state->bodies.rigid[1].mass - bare, 9.0, 1e-6); // 9 particles of 1 kg
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_advance(sim, 0.04, &diag), FRZ_OK);
    frz_vec3 p0, l0, p, l;
    momenta(sim, &p0, &l0);
    assert_int_equal(frz_sim_advance(sim, 0.07, &diag), FRZ_OK);
    momenta(sim, &p, &l);
    print_message("momentum off by %.2e, angular by %.2e\n", drift_of(p, p0), drift_of(l, l0));
    assert_near(sim->state->bodies.rigid[1].mass, bare, 1e-12 * bare);
    assert_same(frz_v3_length(sim->state->bodies.rigid[1].origin), 0.0);
    assert_less(drift_of(p, p0), 1e-3); // chords of turning particles
    assert_less(drift_of(l, l0), 1e-2);
    frz_sim_destroy(&sim);
}

// A hinged flap with a soft edge: the whole pendulum swings with the period of its composite, 2 pi sqrt(I / (m g c)).
static void a_hinged_body_swings_with_what_it_carries(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.05, duration: 10, gravity: [0, -9.81], time_step: {max: 1 ms}, materials: {stiff: "
        "{density: 1000, elastic: {method: peer2018, young: 1e6, scheme: midpoint}}}, bodies: [{name: bob, state: "
        "elastic, material: stiff, angular_velocity: 0.3, shape: {box: {min: [-0.1, -1.2], max: [0.1, -1]}}}, {name: "
        "arm, state: rigid, "
        "density: 500, hinge: [0, 0], angular_velocity: 0.3, shape: {box: {min: [-0.1, -1], max: [0.1, 0]}}}], "
        "attachments: [{to: arm, shape: {box: {min: [-1, -1.05], max: [1, -0.9]}}}]}",
        1);
    const double arm = 100.0, bob = 40.0; // kg/m
    const double inertia = arm * (0.04 + 1.0) / 12.0 + arm * 0.25 + bob * (0.08 - 0.005) / 12.0 + bob * 1.21;
    const double period = 2.0 * 3.14159265358979 * sqrt(inertia / (9.81 * (arm * 0.5 + bob * 1.1)));
    frz_diag diag = {.status = FRZ_OK};
    double before = sim->state->bodies.rigid[1].spin.z, turned[2] = {0.0, 0.0};
    for (int n = 0; n < 2;)
    {
        assert_int_equal(frz_sim_step(sim, HUGE_VAL, &diag), FRZ_OK);
        const double w = sim->state->bodies.rigid[1].spin.z;
        if (w * before < 0.0)
            turned[n++] = sim->state->time - sim->state->stats.dt * w / (w - before);
        before = w;
        assert_less(sim->state->time, 4.0);
    }
    print_message("half period %.5g of %.5g s\n", turned[1] - turned[0], 0.5 * period);
    assert_near(turned[1] - turned[0], 0.5 * period, 0.01 * period);
    frz_sim_destroy(&sim);
}

// A soft foot in water under a light float: body and carried particles are moved by the pressure as one.
static void pressure_on_the_carried_part_moves_the_body(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.05, duration: 10, gravity: [0, -9.81], materials: {water: {density: 1000}, foam: "
        "{density: 500, elastic: {method: peer2018, young: 1e6, damping: 1}}}, bodies: [{name: tank, state: static, "
        "shape: {difference: [{box: {min: [-0.2, -0.2], max: [1.4, 1.6]}}, {box: {min: [0, 0], max: [1.2, 2]}}]}}, "
        "{name: pool, state: liquid, material: water, shape: {box: {min: [0, 0], max: [1.2, 0.8]}}}, {name: foot, "
        "state: elastic, material: foam, shape: {box: {min: [0.4, 0.6], max: [0.8, 0.8]}}}, {name: float, state: "
        "rigid, "
        "density: 500, damping: 1, shape: {box: {min: [0.4, 0.8], max: [0.8, 1.0]}}}], attachments: [{to: float, "
        "shape: "
        "{box: {min: [0, 0.7], max: [1, 0.81]}}}]}",
        1);
    frz_diag diag = {.status = FRZ_OK};
    double mean = 0.0;
    for (int n = 0; n < 20; ++n)
    {
        assert_int_equal(frz_sim_advance(sim, 0.5 + 0.05 * n, &diag), FRZ_OK);
        mean += sim->state->bodies.rigid[3].velocity.y / 20.0;
    }
    // half of the 0.4 m is in the water, as at the start: it stays, but for the water that the foot's shape took
    const frz_vec3 place = frz_rigid_body_frame(&sim->state->bodies.rigid[3]);
    print_message("float at %.4g m, mean velocity %.2g m/s\n", place.y, mean);
    assert_near(place.y, 0.9, 0.05);
    assert_small(mean, 0.02);
    frz_sim_destroy(&sim);
}

// A rod in a block is a rigid body of its own, which carries what is within two spacings of it; the whole spins as one.
static void a_rigid_part_is_a_body_that_carries_the_rest(void **state)
{
    (void)state;
    frz_sim *sim = core_sim("{dimension: 2, spacing: 0.05, duration: 1, gravity: [0, 0], materials: {rubber: {density: "
                            "1000, elastic: {method: "
                            "peer2018, young: 1e6}}}, bodies: [{name: tip, state: elastic, material: rubber, position: "
                            "[1, 0], velocity: [0.5, "
                            "0], angular_velocity: 1, shape: {box: {min: [0, -0.2], max: [0.8, 0.2]}}, rigid_part: "
                            "{density: 3000, shape: {box: "
                            "{min: [-0.4, -0.1], max: [0.4, 0.1]}}}}]}",
                            1);
    assert_int_equal(sim->model->body_count, 2);
    assert_string_equal(sim->model->bodies[1].name, "tip_rigid");
    assert_int_equal(sim->model->bodies[1].kind, FRZ_BODY_RIGID);
    assert_near(sim->model->bodies[1].rigid.mass, 3000.0 * 0.16, 1e-9);
    assert_near(sim->model->bodies[1].rigid.velocity.x, 0.5, 1e-12); // its centre is at the position
    assert_int_equal(sim->model->bodies[0].carved, 8 * 4);
    // two rows along each side, two columns at the end, and three of four at each corner
    assert_int_equal(sim->state->attachments.item[0].count, 2 * (8 * 2) + 4 * 2 + 2 * 3);
    frz_vec3 p0, l0, p, l;
    momenta(sim, &p0, &l0);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_advance(sim, 0.3, &diag), FRZ_OK);
    momenta(sim, &p, &l);
    print_message("momentum off by %.2e, angular by %.2e\n", drift_of(p, p0), drift_of(l, l0));
    assert_less(drift_of(p, p0), 1e-5);
    assert_near(sim->state->bodies.rigid[1].spin.z, 1.0, 0.02);
    frz_sim_destroy(&sim);
}

// Two bars, of which the first is held by a rigid block that turns and the other one by a motion, become one while they
// move: reference positions are new then, and attached particles must not jump.
static void what_is_attached_stays_in_place_when_its_body_changes(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 3, spacing: 0.1, duration: 10, gravity: [0, 0, 0], time_step: {max: 5 ms}, materials: {rubber: "
        "{density: 1000, elastic: {method: peer2018, young: 1e5}}}, bodies: [{name: bar, state: elastic, material: "
        "rubber, shape: {box: {min: [0, 0, 0], max: [0.4, 0.3, 0.3]}}}, {name: other, state: elastic, material: "
        "rubber, "
        "shape: {box: {min: [0.4, 0, 0], max: [0.8, 0.3, 0.3]}}}, {name: block, state: rigid, density: 700, "
        "velocity: [0, 0.3, 0], shape: {box: {min: [-0.4, 0, 0], max: [0, 0.3, 0.4]}}}], "
        "attachments: [{to: block, shape: {box: {min: [-0.1, -1, -1], max: [0.1, 1, 1]}}}, {of: other, shape: {box: "
        "{min: [0.7, -1, -1], max: [1, 1, 1]}}, motion: {keyframes: [{time: 0, position: [0, 0, 0]}, {time: 1, "
        "position: "
        "[0, 0.3, 0]}]}}], events: [{at: 0.2, do: join, of: [bar, other]}]}",
        1);
    frz_diag diag = {.status = FRZ_OK};
    double most = 0.0;
    while (sim->state->time < 0.3)
    {
        assert_int_equal(frz_sim_step(sim, 0.3, &diag), FRZ_OK);
        const frz_v4 *v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
        for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
            most = fmax(most, sqrt((double)frz_v4_dot3(v[i], v[i])));
    }
    assert_non_null(sim->state->bonds.rest); // they have been joined
    assert_int_equal(sim->state->attachments.item[0].count, 9);
    print_message("fastest particle %.3f m/s\n", most);
    assert_less(most, 1.2); // the motion has 0.3 m/s, waves twice that; a jump by 0.06 m would have 12
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_attached_stays_in_place_when_its_body_changes),
        cmocka_unit_test(a_free_pair_keeps_its_momenta),
        cmocka_unit_test(a_free_pair_keeps_its_momenta_in_implicit_steps),
        cmocka_unit_test(a_mass_on_a_bar_hangs_and_bobs_by_the_formula),
        cmocka_unit_test(a_light_body_does_not_limit_an_implicit_step),
        cmocka_unit_test(letting_go_keeps_momenta_and_gives_masses_back),
        cmocka_unit_test(a_hinged_body_swings_with_what_it_carries),
        cmocka_unit_test(a_rigid_part_is_a_body_that_carries_the_rest),
        cmocka_unit_test(pressure_on_the_carried_part_moves_the_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
