// SPDX-License-Identifier: MIT
// Solids of a material that is viscous when it is liquid: its viscosity is none of theirs, and does not make energy at
// bodies of implicit methods. Viscous liquid does not slip at rigid bodies of particles, as little as at those with a
// shape.
// labels: numbers
#include "compare.h"
#include "core_trial.h"

static const char *const viscosities[] = {
    "",
    ", viscosity: {method: weiler2018, viscosity: 100}",
    ", viscosity: {method: morris1997, viscosity: 1}",
    ", viscosity: {method: mueller2003, viscosity: 1}",
    ", viscosity: {method: peer2015, shear_time: 0.01}",
    ", viscosity: {method: xsph, coefficient: 0.3}",
};

enum
{
    viscosity_count = sizeof viscosities / sizeof viscosities[0]
};

// Two blocks, elastic and rigid of particles, fall onto a floor and slide, one onto the other.
static frz_sim *make_blocks(const char *viscosity)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{dimension: 2, spacing: 0.05, duration: 10, time_step: 1 ms, materials: {wax: {density: 1000, elastic: "
        "{method: peer2018, young: 1e5}%s}}, bodies: [{name: soft, state: elastic, material: wax, velocity: [1, 0], "
        "shape: {box: {min: [0, 0], max: [0.3, 0.3]}}}, {name: hard, state: rigid, fill: particles, material: wax, "
        "velocity: [1, 0], shape: {box: {min: [0, 0.3], max: [0.3, 0.5]}}}, {name: floor, state: static, shape: "
        "{box: {min: [-2, -0.2], max: [3, 0]}}}]}",
        viscosity);
    return core_sim(text, 1);
}

static void solids_alone_do_not_feel_the_viscosity_of_their_melt(void **state)
{
    (void)state;
    enum
    {
        particles = 60
    };
    frz_v4 plain[particles];
    for (int n = 0; n < viscosity_count; ++n)
    {
        frz_sim *sim = make_blocks(viscosities[n]);
        core_steps(sim, 100);
        const frz_particles *p = &sim->state->particles;
        assert_int_equal(p->count[FRZ_ROLE_FREE], particles);
        assert_greater(sim->state->stats.max_speed, 0.0);
        const frz_v4 *velocity = frz_field_v4(p, FRZ_FIELD_ID_velocity);
        const int64_t *id = frz_field_i64(p, FRZ_FIELD_ID_id);
        for (int i = 0; i < particles; ++i)
        {
            if (n == 0)
                plain[id[i]] = velocity[i];
            for (int a = 0; a < 3; ++a)
                assert_same(plain[id[i]][a], velocity[i][a]);
        }
        frz_sim_destroy(&sim);
    }
}

// A soft block stands on a floor and melts from below, layer by layer; steps are as long as they may be.
static void a_block_that_melts_in_long_steps_makes_no_energy(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.02, duration: 10, materials: {caramel: {density: 1000, elastic: {method: peer2018, "
        "young: 1e5, damping: 1}, viscosity: {method: weiler2018, viscosity: 150}}}, bodies: [{name: block, state: "
        "elastic, material: caramel, shape: {box: {min: [-0.2, 0], max: [0.2, 0.4]}}}, {name: floor, state: static, "
        "friction: 0.5, shape: {box: {min: [-0.6, -0.06], max: [0.6, 0]}}}], events: [{at: 0.2, every: 0.05, do: melt, "
        "in: {box: {min: [-1, -1], max: [1, 0]}}, velocity: [0, 0.15]}]}",
        1);
    double lowest = HUGE_VAL, rise = 0.0, moved = 0.0;
    frz_diag diag = {.status = FRZ_OK};
    while (sim->state->time < 1.0)
    {
        assert_int_equal(frz_sim_step(sim, 1.0, &diag), FRZ_OK);
        const double now = core_energy(sim);
        lowest = fmin(lowest, now);
        rise = fmax(rise, now - lowest);
        moved = fmax(moved, 0.5 * 160.0 * sim->state->stats.max_speed * sim->state->stats.max_speed);
    }
    assert_greater((double)sim->state->changes.changed, 100.0); // it did melt
    print_message("energy made %.4f J, of %.3f J of motion\n", rise, moved);
    assert_less(rise, 0.01 * moved);
    frz_sim_destroy(&sim);
}

// A stiff block stands on a plate and its two lowest layers melt by heat. Its weight makes 350 Pa. (Contacts that the
// solver did not find had factors of a million, 2e9 Pa; molten particles kept that as their pressure, and the forecast
// of the viscosity threw them out.)
static double made_by_melting(const char *elastic, double *pressure)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{spacing: 4 mm, duration: 2, frame_rate: 20, temperature: 20 degC, materials: {wax: {density: 900, elastic: "
        "{%s}, viscosity: {method: weiler2018, viscosity: 0.3}, heat: {conductivity: 40, specific_heat: 2200}, "
        "melting: {solidus: 45 degC, liquidus: 60 degC, latent_heat: 20 kJ/kg, between: keep, solid: elastic}}}, "
        "bodies: [{name: block, state: elastic, material: wax, temperature: 40 degC, shape: {box: {min: [-14 mm, 0, "
        "-14 mm], max: [14 mm, 40 mm, 14 mm]}}}, {name: plate, state: static, shape: {box: {min: [-40 mm, -12 mm, "
        "-40 mm], max: [40 mm, 0, 40 mm]}}}], regions: [{name: burner, action: heat, power: 2.4e8 W/m3, shape: {box: "
        "{min: [-1, -1, -1], max: [1, 10 mm, 1]}}}]}",
        elastic);
    frz_sim *sim = core_sim(text, 1);
    double lowest = HUGE_VAL, rise = 0.0;
    frz_diag diag = {.status = FRZ_OK};
    while (sim->state->time < 0.5)
    {
        assert_int_equal(frz_sim_step(sim, 0.5, &diag), FRZ_OK);
        const double now = core_energy(sim);
        lowest = fmin(lowest, now);
        rise = fmax(rise, now - lowest);
        for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
            *pressure = fmax(*pressure, (double)frz_field_real(&sim->state->particles, FRZ_FIELD_ID_pressure)[i]);
    }
    assert_greater((double)sim->state->changes.changed, 90.0); // it did melt
    frz_sim_destroy(&sim);
    return rise;
}

static void a_stiff_block_that_melts_on_a_plate_makes_no_energy(void **state)
{
    (void)state;
    const char *const blocks[] = {"method: peer2018, young: 5e5", "method: peer2018, young: 2e6"};
    for (int n = 0; n < 2; ++n)
    {
        double pressure = 0.0;
        const double made = made_by_melting(blocks[n], &pressure);
        print_message("%s: %.4f mJ, at most %.3g Pa\n", blocks[n], 1e3 * made, pressure);
        // in double precision the softer block comes down on melt that cannot get away: 0.19 to 0.29 mJ
        assert_less(made, sizeof(frz_real) == sizeof(double) ? 4e-4 : 2e-4);
        assert_less(pressure, 1e6);
    }
}

// A square block of 0.4 m that turns in the middle of a free drop of honey, and its spin after a while, 1/s. Steps are
// short: in long ones the splitting of friction and pressure shows, differently for both kinds of body.
static double spin_left(const char *block, double spacing)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{dimension: 2, spacing: %g, duration: 10, gravity: [0, 0], time_step: {max: 0.2 ms}, materials: {honey: "
        "{density: 1000, viscosity: {method: weiler2018, viscosity: 100}}, wood: {density: 1000}}, bodies: [{name: "
        "honey, state: liquid, material: honey, shape: {box: {min: [-0.6, -0.6], max: [0.6, 0.6]}}}, {name: block, "
        "state: rigid, %s, angular_velocity: 1, shape: {box: {min: [-0.2, -0.2], max: [0.2, 0.2]}}}]}",
        spacing, block);
    frz_sim *sim = core_sim(text, 1);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_advance(sim, 0.02, &diag), FRZ_OK);
    const double spin = sim->state->bodies.rigid[1].spin.z;
    frz_sim_destroy(&sim);
    return spin;
}

// Both converge to one spin from either side, to first order: it is a matter of the corners.
static void liquid_holds_a_body_of_particles_like_one_with_a_shape(void **state)
{
    (void)state;
    static const double spacings[] = {0.05, 0.025}, gates[] = {0.28, 0.10};
    for (int n = 0; n < 2; ++n)
    {
        const double shape = spin_left("density: 1000", spacings[n]);
        const double particles = spin_left("fill: particles, material: wood", spacings[n]);
        print_message("spin at %g m: %.4f 1/s with a shape, %.4f 1/s of particles\n", spacings[n], shape, particles);
        assert_less(shape, 0.4); // it was held
        assert_near(particles / shape, 1.0, gates[n]);
    }
}

// A block in a drop of honey, both free: the honey brakes the block and turns with it.
static void friction_with_a_body_of_particles_keeps_momenta(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 3, spacing: 0.1, duration: 10, gravity: [0, 0, 0], time_step: {max: 2 ms}, materials: {honey: "
        "{density: 1000, viscosity: {method: weiler2018, viscosity: 100}}, wood: {density: 700}}, bodies: [{name: "
        "honey, "
        "state: liquid, material: honey, shape: {box: {min: [0, 0, 0], max: [0.8, 0.8, 0.8]}}}, {name: block, state: "
        "rigid, fill: particles, material: wood, velocity: [0.1, 0.2, 0], angular_velocity: [0.5, 0, 1], shape: {box: "
        "{min: [0.3, 0.3, 0.3], max: [0.6, 0.6, 0.7]}}}]}",
        1);
    frz_vec3 linear[2], angular[2];
    double spin[2];
    for (int n = 0; n < 2; ++n)
    {
        core_steps(sim, n == 0 ? 1 : 40);
        const frz_state *s = sim->state;
        const frz_rigid_body *body = &s->bodies.rigid[1];
        linear[n] = frz_v3_scale(body->mass, body->velocity);
        angular[n] = frz_rigid_body_angular_momentum(body, frz_v3(0.0, 0.0, 0.0));
        spin[n] = frz_v3_length(body->spin);
        for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
        {
            const double mass = frz_particle_mass(sim->model, frz_particles_inverse_density(&s->particles)[i]);
            const frz_vec3 x = frz_v3_of(frz_field_v4(&s->particles, FRZ_FIELD_ID_position)[i]);
            const frz_vec3 p = frz_v3_scale(mass, frz_v3_of(frz_field_v4(&s->particles, FRZ_FIELD_ID_velocity)[i]));
            if (frz_particles_phase(&s->particles)[i] == FRZ_PHASE_RIGID)
                continue;
            linear[n] = frz_v3_add(linear[n], p);
            angular[n] = frz_v3_add(angular[n], frz_v3_cross(x, p));
        }
    }
    const double lost = frz_v3_length(frz_v3_sub(linear[1], linear[0])) / frz_v3_length(linear[0]);
    const double turned = frz_v3_length(frz_v3_sub(angular[1], angular[0])) / frz_v3_length(angular[0]);
    print_message("spin %.3f to %.3f 1/s, momentum %.1e, angular momentum %.1e\n", spin[0], spin[1], lost, turned);
    assert_less(spin[1], 0.8 * spin[0]); // it was braked
    assert_less(lost, 1e-5);
    assert_less(turned, 1e-4);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_alone_do_not_feel_the_viscosity_of_their_melt),
        cmocka_unit_test(a_block_that_melts_in_long_steps_makes_no_energy),
        cmocka_unit_test(a_stiff_block_that_melts_on_a_plate_makes_no_energy),
        cmocka_unit_test(liquid_holds_a_body_of_particles_like_one_with_a_shape),
        cmocka_unit_test(friction_with_a_body_of_particles_keeps_momenta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
