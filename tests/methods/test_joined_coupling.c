// SPDX-License-Identifier: MIT
// Liquid and bodies that are joined: one system, momentum, the record of forces, restarts; bodies that leave the
// domain. labels: tsan
#include <string.h>

#include "core_trial.h"
#include "physics/pressure/pressure_system.h"
#include "sim/bodies.h"
#include "sim/body_links.h"
#include "sim/contact.h"
#include "sim/neighborhood.h"
#include "compare.h"

// A blob of water in empty space runs into two bodies that are joined, and a third on a rope; nothing else is there.
static frz_sim *make_free(int dimension, const char *methods, int threads)
{
    static const char scene[] =
        "dimension: %d\nspacing: 0.05\nduration: 1\ngravity: [0, 0, 0]\ntime_step: 2 ms\n%s\n"
        "materials: {water: {density: 1000}}\n"
        "bodies:\n"
        "  - {state: liquid, material: water, velocity: [1, 0.2, 0], shape: {box: {min: [0, 0%s], max: [0.4, "
        "0.5%s]}}}\n"
        "  - {name: a, state: rigid, density: 200, angular_velocity: %s, shape: {box: {min: [0.4, 0.2%s], max: [0.6, "
        "0.7%s]}}}\n"
        "  - {name: b, state: rigid, density: 400, shape: {box: {min: [0.62, 0.5%s], max: [0.9, 0.7%s]}}}\n"
        "  - {name: c, state: rigid, density: 300, shape: {box: {min: [0.7, -0.2%s], max: [0.9, 0.2%s]}}}\n"
        "joints:\n"
        "  - {type: ball, bodies: [a, b], point: [0.61, 0.6%s]}\n"
        "  - {type: rope, bodies: [b, c], point: [0.8, 0.5%s], to: [0.8, 0.2%s]}\n";
    char text[2000];
    const char *low = dimension == 2 ? "" : ", 0", *high = dimension == 2 ? "" : ", 0.4";
    const char *mid = dimension == 2 ? "" : ", 0.2";
    snprintf(text, sizeof text, scene, dimension, methods, low, high, dimension == 2 ? "3" : "[0.5, 1, 3]", low, high,
             low, high, low, high, mid, mid, mid);
    return core_sim(text, threads);
}

typedef struct momenta
{
    frz_vec3 linear, angular;
    double scale;
} momenta;

static momenta total(const frz_sim *sim)
{
    const frz_v4 *x = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    const frz_v4 *v = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
    const double mass = 1000.0 * pow(sim->model->spacing, sim->model->dimension);
    momenta sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0};
    for (int b = 1; b < 4; ++b)
    {
        const frz_rigid_body *body = &sim->state->bodies.rigid[b];
        sum.linear = frz_v3_mad(sum.linear, body->mass, body->velocity);
        sum.angular = frz_v3_add(sum.angular, frz_rigid_body_angular_momentum(body, frz_v3(0.0, 0.0, 0.0)));
    }
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        const frz_vec3 p = frz_v3_scale(mass, frz_v3((double)v[i][0], (double)v[i][1], (double)v[i][2]));
        sum.linear = frz_v3_add(sum.linear, p);
        sum.angular =
            frz_v3_add(sum.angular, frz_v3_cross(frz_v3((double)x[i][0], (double)x[i][1], (double)x[i][2]), p));
        sum.scale += frz_v3_length(p);
    }
    return sum;
}

static void momentum_of_liquid_and_joined_bodies_is_kept_to_rounding(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"", "coupling: weak", "pressure: iisph", "boundary: band2018"};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; ++k)
    {
        frz_sim *sim = make_free(k < 2 ? 3 : 2, methods[k], 1);
        const momenta before = total(sim);
        core_steps(sim, 40);
        const momenta after = total(sim);
        assert_greater(frz_v3_length(sim->state->bodies.rigid[3].velocity), 0.005); // the rope pulled it
        const double linear = frz_v3_length(frz_v3_sub(after.linear, before.linear)) / before.scale;
        const double angular = frz_v3_length(frz_v3_sub(after.angular, before.angular)) / before.scale;
        if (!(linear < 2e-6 && angular < 2e-5))
            fail_msg("'%s': momentum by %.3g, angular momentum by %.3g", methods[k], linear, angular);
        frz_sim_destroy(&sim);
    }
}

static double product(const frz_sim *sim, frz_pressure_system *p, const frz_real *x, const frz_real *y)
{
    frz_pressure_bodies_displace(p, x, p->motion);
    double sum = 0.0;
    memset(p->flow_field, 0, (size_t)p->pairs->count * sizeof *p->flow_field);
    frz_pressure_note_mirrors(p, p->motion, 0, p->flow_field);
    for (int i = 0; i < sim->state->neighbors.pairs.count; ++i)
        sum += (double)y[i] * (double)(frz_pressure_body_flow(p, p->motion, i) -
                                       frz_pressure_divergence(p, p->flow_field, i / FRZ_BLOCK, i));
    return sum;
}

static void the_matrix_with_mechanisms_is_symmetric_and_smaller_than_without(void **unused)
{
    (void)unused;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = make_free(3, "", 1);
    frz_pressure_system p;
    frz_bodies_begin(sim->model, sim->state, 0.002);
    assert_int_equal(frz_contact_begin(sim->state, 0.002, &diag), FRZ_OK);
    assert_int_equal(frz_neighborhood_update(sim->model, sim->state, &diag), FRZ_OK);
    assert_int_equal(frz_state_body_links(sim->model, sim->state, &diag), FRZ_OK);
    assert_int_equal(frz_pressure_system_make_iterative(sim->model, sim->state, FRZ_PRESSURE_CONJUGATE, &p, &diag),
                     FRZ_OK);
    const int count = sim->state->neighbors.pairs.count;
    frz_real *x = FRZ_ALLOC("test", count, frz_real), *y = FRZ_ALLOC("test", count, frz_real);
    uint64_t seed = 7;
    for (int i = 0; i < count; ++i)
    {
        x[i] = (frz_real)core_random(&seed);
        y[i] = (frz_real)core_random(&seed);
    }
    const double xy = product(sim, &p, x, y), yx = product(sim, &p, y, x), xx = product(sim, &p, x, x);
    p.joints = NULL;
    const double loose = product(sim, &p, x, x);
    assert_greater(xx, 0.0);
    assert_less(xx, 0.95 * loose);
    assert_near(xy, yx, 1e-5 * fabs(xy));
    frz_free(x);
    frz_free(y);
    frz_sim_destroy(&sim);
}

// What is written of liquid, contacts and joints is what changes a body's momentum.
static void recorded_forces_are_the_change_of_momentum(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"", "coupling: weak"};
    for (int k = 0; k < 2; ++k)
    {
        frz_sim *sim = make_free(2, methods[k], 1);
        core_steps(sim, 10);
        frz_rigid_body before[4];
        memcpy(before, sim->state->bodies.rigid, sizeof before);
        core_steps(sim, 1);
        for (int b = 1; b < 4; ++b)
        {
            const frz_vec3 change = frz_v3_scale(before[b].mass / sim->state->stats.dt,
                                                 frz_v3_sub(sim->state->bodies.rigid[b].velocity, before[b].velocity));
            const frz_body_load *load = &sim->state->bodies.loads[b];
            const frz_vec3 force = frz_v3_add(load->fluid_force, load->contact_force);
            assert_greater(frz_v3_length(load->contact_force), 0.0);
            assert_less(frz_v3_length(frz_v3_sub(change, force)), 1e-7 * frz_v3_length(load->contact_force));
        }
        frz_sim_destroy(&sim);
    }
}

// A mechanism of everything: chain, gear, rope, contacts and liquid.
static frz_sim *make_machine(int threads)
{
    return core_sim(
        "dimension: 2\nspacing: 0.05\nduration: 2\n"
        "materials: {water: {density: 1000}}\n"
        "bodies:\n"
        "  - {name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [1.6, 1]}}, thickness: 0.1, "
        "open: [+y]}}}\n"
        "  - {state: liquid, material: water, shape: {box: {min: [0, 0], max: [1.6, 0.6]}}}\n"
        "  - {name: buoy, state: rigid, density: 100, shape: {sphere: {center: [0.4, 0.6], radius: 0.15}}}\n"
        "  - {name: wheel, state: rigid, density: 300, hinge: [1.2, 0.6], shape: {box: {center: [1.2, 0.6], size: "
        "[0.5, 0.1]}}}\n"
        "  - {name: drum, state: rigid, density: 300, hinge: [1.2, 1.2], shape: {sphere: {center: [1.2, 1.2], radius: "
        "0.1}}}\n"
        "  - {name: stone, state: rigid, density: 3000, shape: {box: {center: [0.8, 1.2], size: [0.1, 0.1]}}}\n"
        "chains:\n"
        "  - {bodies: [tank, buoy], from: [0.4, 0], to: [0.4, 0.45], links: 4, radius: 0.025, density: 1200}\n"
        "joints:\n"
        "  - {type: gear, bodies: [wheel, drum], ratio: -3}\n"
        "  - {type: rope, bodies: [stone, wheel], point: [0.85, 1.2], to: [0.95, 0.6]}\n",
        threads);
}

static void mechanisms_are_the_same_bits_for_any_number_of_threads(void **unused)
{
    (void)unused;
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k)
    {
        frz_sim *sim = make_machine(k == 0 ? 1 : 3);
        core_steps(sim, 20);
        hash[k] = core_hash(sim);
        frz_sim_destroy(&sim);
    }
    assert_same(hash[0], hash[1]);
}

static void a_restart_of_mechanisms_goes_on_bit_for_bit(void **unused)
{
    (void)unused;
    frz_sim *through = make_machine(1), *resumed = make_machine(1);
    core_steps(through, 30);
    assert_int_equal(core_pass_on(through, resumed), FRZ_OK);
    core_steps(through, 30);
    core_steps(resumed, 30);
    assert_same(core_hash(through), core_hash(resumed));
    const frz_rigid_body *bodies = through->state->bodies.rigid;
    assert_greater(fabs(bodies[4].spin.z), 0.01);
    assert_small(bodies[4].spin.z + 3.0 * bodies[3].spin.z, 1e-9);
    frz_sim_destroy(&through);
    frz_sim_destroy(&resumed);
}

static void the_steady_state_of_mechanisms_allocates_nothing(void **unused)
{
    (void)unused;
    frz_sim *sim = make_free(2, "", 1);
    core_assert_steady(sim);
    frz_sim_destroy(&sim);
}

// A light buoy on a chain too short for it: the chain carries buoyancy less weights.
static void a_moored_buoy_pulls_its_chain_taut(void **unused)
{
    (void)unused;
    frz_sim *sim = make_machine(1);
    double pull = 0.0, lift = 0.0, time = 0.0;
    while (sim->state->time < 0.8)
    {
        core_steps(sim, 1);
        if (sim->state->time < 0.4)
            continue;
        pull += sim->state->stats.dt * sim->state->bodies.loads[2].contact_force.y;
        lift += sim->state->stats.dt * sim->state->bodies.loads[2].fluid_force.y;
        time += sim->state->stats.dt;
    }
    const frz_rigid_body *buoy = &sim->state->bodies.rigid[2];
    const double weight = 9.81 * buoy->mass;
    assert_greater(lift / time, 3.0 * weight); // half of it is under water
    assert_near(pull + lift, weight * time, 0.05 * lift);
    assert_near(buoy->position.y, 0.6, 0.02);
    frz_sim_destroy(&sim);
}

// A light buoy held under water by a chain. Contacts and joints begin with the push of the last step; the pressure
// solve has the answer of the chain to the push of this one. Counted in both, the buoy seems to fall.
static void water_pushes_a_moored_buoy_once_and_makes_no_energy(void **unused)
{
    (void)unused;
    frz_sim *sim = core_sim(
        "dimension: 2\nspacing: 0.04\nduration: 1\n"
        "materials: {water: {density: 1000}}\n"
        "bodies:\n"
        "  - {name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [1.2, 1.1]}}, thickness: "
        "0.1, open: [+y]}}}\n"
        "  - {state: liquid, material: water, shape: {box: {min: [0, 0], max: [1.2, 0.9]}}}\n"
        "  - {name: buoy, state: rigid, density: 100, shape: {sphere: {center: [0.6, 0.6], radius: 0.15}}}\n"
        "chains:\n"
        "  - {bodies: [tank, buoy], from: [0.6, 0], to: [0.6, 0.45], links: 6, radius: 0.02, density: 2500}\n",
        1);
    while (sim->state->time < 0.2)
        core_steps(sim, 1);
    const frz_body_load *load = &sim->state->bodies.loads[2];
    assert_greater(load->last_force.y, 0.0);                      // pushed up by water,
    assert_less(load->contact_force.y, 0.0);                      // held by the chain,
    assert_int_equal(frz_contact_report(sim->state).contacts, 0); // and by nothing else
    frz_audit account;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_audit(sim, &account, &diag), FRZ_OK);
    assert_less(account.worst, 1.0);
    frz_sim_destroy(&sim);
}

static void bodies_that_leave_the_domain_stop_and_steps_stay_long(void **unused)
{
    (void)unused;
    frz_sim *sim =
        core_sim("dimension: 2\nspacing: 0.05\nduration: 20\ndomain: {min: [-1, -1], max: [1, 1]}\n"
                 "bodies:\n"
                 "  - {name: a, state: rigid, density: 1000, shape: {sphere: {center: [0, 0], radius: 0.1}}}\n"
                 "  - {name: b, state: rigid, density: 1000, shape: {sphere: {center: [0, 0.9], radius: 0.2}}}\n"
                 "  - {name: c, state: rigid, density: 1000, shape: {sphere: {center: [0.5, 0.5], radius: 0.1}}}\n"
                 "  - {name: d, state: rigid, density: 1000, hinge: [0.5, 0.8], shape: {sphere: {center: [0.5, 0.8], "
                 "radius: 0.1}}}\n"
                 "joints: [{type: rope, bodies: [c, d], point: [0.5, 0.5], to: [0.5, 0.8], length: 3}]\n",
                 1);
    while (sim->state->time < 2.0)
        core_steps(sim, 1);
    const frz_rigid_body *bodies = sim->state->bodies.rigid;
    assert_true(bodies[0].parked && bodies[1].parked && !bodies[2].parked); // the third hangs on one that is inside
    assert_less(bodies[0].position.y, -1.07);
    assert_greater(bodies[0].position.y, -1.2);
    assert_less(bodies[2].position.y, -1.1);
    assert_true(sim->missed[0] && sim->missed[1] && !sim->missed[2]); // the user was told
    frz_sim_destroy(&sim);
}

static void a_body_that_reaches_out_of_the_domain_is_sampled_whole(void **unused)
{
    (void)unused;
    int64_t samples[2];
    for (int k = 0; k < 2; ++k)
    {
        char text[400];
        snprintf(text, sizeof text,
                 "dimension: 2\nspacing: 0.05\nduration: 1\ndomain: {min: [-1, -1], max: [1, %s]}\n"
                 "bodies: [{state: rigid, density: 1000, shape: {box: {min: [-0.2, 0.4], max: [0.2, 1]}}}]\n",
                 k == 0 ? "2" : "0.5");
        frz_sim *sim = core_sim(text, 1);
        samples[k] = sim->model->bodies[0].sample_count;
        frz_sim_destroy(&sim);
    }
    assert_int_equal(samples[0], samples[1]);
}

static void the_forecast_of_speed_knows_bodies(void **unused)
{
    (void)unused;
    frz_sim *sim = core_sim("dimension: 2\nspacing: 0.05\nduration: 1\n"
                            "bodies:\n"
                            "  - {state: static, shape: {box: {min: [-1, -0.1], max: [1, 0]}}}\n"
                            "  - {state: rigid, density: 1000, velocity: [3, 0], shape: {sphere: {center: [0, 2], "
                            "radius: 0.1}}}\n",
                            1);
    frz_sim_report report;
    frz_sim_report_get(sim, &report);
    assert_near(report.expected_speed, sqrt(9.0 + 2.0 * 9.81 * 2.0), 0.2);
    assert_less(report.expected_time_step, 0.41 * 0.05 / 6.8);
    assert_less(report.time_step, 0.41 * 0.05 / 3.0);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_of_liquid_and_joined_bodies_is_kept_to_rounding),
        cmocka_unit_test(the_matrix_with_mechanisms_is_symmetric_and_smaller_than_without),
        cmocka_unit_test(recorded_forces_are_the_change_of_momentum),
        cmocka_unit_test(mechanisms_are_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_restart_of_mechanisms_goes_on_bit_for_bit),
        cmocka_unit_test(the_steady_state_of_mechanisms_allocates_nothing),
        cmocka_unit_test(a_moored_buoy_pulls_its_chain_taut),
        cmocka_unit_test(water_pushes_a_moored_buoy_once_and_makes_no_energy),
        cmocka_unit_test(bodies_that_leave_the_domain_stop_and_steps_stay_long),
        cmocka_unit_test(a_body_that_reaches_out_of_the_domain_is_sampled_whole),
        cmocka_unit_test(the_forecast_of_speed_knows_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
