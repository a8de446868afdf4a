// SPDX-License-Identifier: MIT
// Elastic and rigid parts of one object: bonds between them hold, keep momenta, bend like a beam with a stiff part, and
// are no contacts.
#include "core_trial.h"
#include "sim/change.h"
#include "compare.h"

enum
{
    method_count = 4
};

static const char *const methods[method_count] = {"becker2009", "tlsph", "peer2018", "kugelstadt2021"};

static const double spacing = 0.05;

// A bar of 24 x 6 particles of which the middle third is hardened in the first step.
static frz_sim *make_bar(const char *method, const char *velocity, int threads)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{dimension: 2, spacing: %g, duration: 10, gravity: [0, 0], materials: {jelly: {density: 900, elastic: "
             "{method: %s, young: 1e5}}}, bodies: [{name: bar, state: elastic, material: jelly, %s shape: {box: {min: "
             "[0, 0], max: [1.2, 0.3]}}}], events: [{at: 0, do: harden, in: {box: {min: [0.4, -1], max: [0.8, 1]}}}]}",
             spacing, method, velocity);
    return core_sim(text, threads);
}

static void hardened_parts_stay_in_one_piece(void **state)
{
    (void)state;
    for (int m = 0; m < method_count; ++m)
    {
        frz_sim *sim = make_bar(methods[m], "", 1);
        core_steps(sim, 2);
        const frz_state *s = sim->state;
        assert_int_equal(s->changes.changed, 48);
        assert_int_equal(s->bodies.count, 2);
        assert_int_equal(s->bodies.identity[0].kind, FRZ_BODY_ELASTIC);
        assert_int_equal(s->bodies.identity[0].particles, 96);
        assert_int_equal(s->bodies.identity[1].kind, FRZ_BODY_RIGID);
        assert_int_equal(s->bodies.identity[1].object, 0);
        assert_non_null(s->bonds.anchor_first);
        assert_int_equal(s->bonds.anchor_first[1] - s->bonds.anchor_first[0], 12);
        assert_int_equal(s->neighbors.pairs.pair_count, 0); // nobody touches anybody
        frz_sim_destroy(&sim);
    }
}

// Momenta about the origin.
static void find_momenta(const frz_sim *sim, frz_vec3 *linear, frz_vec3 *angular, double *size)
{
    const frz_state *s = sim->state;
    *linear = *angular = frz_v3(0.0, 0.0, 0.0);
    *size = 0.0;
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        if (frz_particles_phase(&s->particles)[i] == FRZ_PHASE_RIGID)
            continue;
        const double mass = frz_particle_mass(sim->model, frz_particles_inverse_density(&s->particles)[i]);
        const frz_vec3 p = frz_v3_scale(mass, frz_v3_of(frz_field_v4(&s->particles, FRZ_FIELD_ID_velocity)[i]));
        *linear = frz_v3_add(*linear, p);
        *angular =
            frz_v3_add(*angular, frz_v3_cross(frz_v3_of(frz_field_v4(&s->particles, FRZ_FIELD_ID_position)[i]), p));
        *size += frz_v3_length(p);
    }
    for (int b = 0; b < s->bodies.count; ++b)
        if (frz_body_is(s, b, FRZ_BODY_RIGID))
        {
            *linear = frz_v3_mad(*linear, s->bodies.rigid[b].mass, s->bodies.rigid[b].velocity);
            *angular =
                frz_v3_add(*angular, frz_rigid_body_angular_momentum(&s->bodies.rigid[b], frz_v3(0.0, 0.0, 0.0)));
            *size += s->bodies.rigid[b].mass * frz_v3_length(s->bodies.rigid[b].velocity);
        }
}

// The ends swing about the rigid middle.
static void ties_keep_momentum_and_angular_momentum(void **state)
{
    (void)state;
    for (int m = 0; m < method_count; ++m)
    {
        frz_sim *sim = make_bar(methods[m], "", 1);
        core_steps(sim, 1);
        frz_state *s = sim->state;
        frz_v4 *velocity = frz_field_v4(&s->particles, FRZ_FIELD_ID_velocity);
        const frz_v4 *position = frz_field_v4(&s->particles, FRZ_FIELD_ID_position);
        for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
            if (position[i][0] > (frz_real)0.8)
                velocity[i] = frz_v4_set((frz_real)0.1, (frz_real)0.5, 0, 0);
        frz_vec3 linear, angular, linear_after, angular_after;
        double size, size_after;
        find_momenta(sim, &linear, &angular, &size);
        core_steps(sim, 40);
        find_momenta(sim, &linear_after, &angular_after, &size_after);
        assert_greater(fabs(s->bodies.rigid[1].spin.z), 0.01); // the ties have acted
        const double lost = frz_v3_length(frz_v3_sub(linear_after, linear)) / size;
        const double turned = frz_v3_length(frz_v3_sub(angular_after, angular)) / size;
        print_message("%s: momentum %.1e, angular momentum %.1e m of the sum of all\n", methods[m], lost, turned);
        assert_less(lost, 2e-6);
        assert_less(turned, (m < 2 ? 1e-4 : 1e-3)); // steps of finite length turn the force with the body
        frz_sim_destroy(&sim);
    }
}

// A clamped beam that hangs under its weight: sag of its end, m.
static double sag_of(const char *method, bool harden)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{dimension: 2, spacing: %g, duration: 100, gravity: [0, -0.05], materials: {jelly: {density: 1000, "
             "elastic: {method: %s, young: 1e5, damping: 3, plane: stress}}}, bodies: [{name: beam, state: elastic, "
             "material: jelly, shape: {box: {min: [0, 0], max: [1.6, 0.3]}}}], attachments: [{of: beam, shape: {box: "
             "{min: [-0.1, -0.1], max: [0.2, 0.4]}}}]%s}",
             spacing, method,
             harden ? ", events: [{at: 0, do: harden, in: {box: {min: [0.8, -1], max: [1.2, 1]}}}]" : "");
    frz_sim *sim = core_sim(text, 1);
    frz_diag diag = {.status = FRZ_OK};
    while (sim->state->time < 6.0)
        if (frz_sim_step(sim, 6.0, &diag) != FRZ_OK)
            fail_msg("%s", diag.message);
    double sum = 0.0;
    int count = 0;
    const frz_state *s = sim->state;
    const int64_t *id = frz_field_i64(&s->particles, FRZ_FIELD_ID_id);
    frz_sim *start = core_sim(text, 1);
    double *height = calloc((size_t)s->particles.count[FRZ_ROLE_FREE] + 1, sizeof *height);
    assert_non_null(height);
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
        height[frz_field_i64(&start->state->particles, FRZ_FIELD_ID_id)[i]] =
            frz_field_v4(&start->state->particles, FRZ_FIELD_ID_position)[i][0] > (frz_real)1.55
                ? (double)frz_field_v4(&start->state->particles, FRZ_FIELD_ID_position)[i][1]
                : -1.0;
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
        if (height[id[i]] >= 0.0)
        {
            sum += height[id[i]] - (double)frz_field_v4(&s->particles, FRZ_FIELD_ID_position)[i][1];
            count += 1;
        }
    assert_int_equal(count, 6);
    if (harden)
        assert_int_equal(s->bodies.identity[s->bodies.count - 1].object, 0);
    free(height);
    frz_sim_destroy(&start);
    frz_sim_destroy(&sim);
    return sum / count;
}

// Sag of the end of a beam of length l by its weight w per length, with a rigid part from a to b (Euler, Bernoulli):
// the sum of M(x) (l - x) / (E I) over all but that part, M = w (l - x)^2 / 2.
static double sag_by_theory(double l, double a, double b, double w, double stiffness)
{
    return w / (8.0 * stiffness) * (pow(l, 4) - pow(l - a, 4) + pow(l - b, 4));
}

static void a_beam_with_a_hardened_middle_bends_like_one_with_a_stiff_part(void **state)
{
    (void)state;
    static const char *const both[2] = {"peer2018", "becker2009"};
    // the clamp holds the first 0.2 m
    const double w = 1000.0 * 0.3 * 0.05, stiffness = 1e5 * pow(0.3, 3) / 12.0;
    const double expected = sag_by_theory(1.4, 0.6, 1.0, w, stiffness) / sag_by_theory(1.4, 0.0, 0.0, w, stiffness);
    for (int m = 0; m < 2; ++m)
    {
        const double soft = sag_of(both[m], false), stiff = sag_of(both[m], true);
        print_message("%s: sag %.4f m, with a hardened part %.4f m: ratio %.4f, by theory %.4f\n", both[m], soft, stiff,
                      stiff / soft, expected);
        assert_near(stiff / soft / expected, 1.0, 0.03);
    }
}

// A bar of 20 x 6 particles with a hardened part meets water. The push of water on the rigid part has its answer in the
// matrix of the elastic one: else the part moves without the rest, and its ties store what nobody has lost (244 J of
// 42 J of motion at 1e7 Pa).
static void water_against_a_tied_part_makes_no_energy(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; ++wide)
    {
        char text[2048];
        snprintf(
            text, sizeof text,
            "{dimension: 2, spacing: 20 mm, duration: 1, materials: {water: {density: 1000, viscosity: 0.01}, "
            "jelly: {density: 900, elastic: {method: peer2018, young: 1e7}}}, bodies: [{name: tank, state: static, "
            "shape: {difference: [{box: {min: [-0.1, -0.1], max: [0.9, 0.7]}}, {box: {min: [0, 0], max: [0.8, "
            "0.8]}}]}}, {name: sea, state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.8, 0.4]}}}, "
            "{name: bar, state: elastic, material: jelly, velocity: [0, -1.4], shape: {box: {min: [0.2, 0.42], "
            "max: [0.6, 0.54]}}}], events: [{at: 0, do: harden, in: {box: {min: [%g, -1], max: [%g, 2]}}}]}",
            wide ? 0.3 : 0.38, wide ? 0.5 : 0.42);
        frz_sim *sim = core_sim(text, 1);
        frz_diag diag = {.status = FRZ_OK};
        double least = HUGE_VAL, rise = 0.0, speed = HUGE_VAL;
        while (sim->state->time < 0.08)
        {
            if (frz_sim_step(sim, 0.08, &diag) != FRZ_OK)
                fail_msg("%s", diag.message);
            const double energy = core_energy(sim);
            least = fmin(least, energy);
            rise = fmax(rise, energy - least);
            if (sim->state->bodies.count > 3)
                speed = fmin(speed, fabs(sim->state->bodies.rigid[3].velocity.y));
        }
        assert_true(frz_body_is(sim->state, 3, FRZ_BODY_RIGID));
        print_message("water against a tied part of %lld particles: energy risen by %.3g J\n",
                      (long long)sim->state->bodies.identity[3].particles, rise);
        assert_less(speed, 1.0); // water has slowed it down
        assert_less(rise, 1.0);
        frz_sim_destroy(&sim);
    }
}

// Water hits the rigid part of a free bar: all momenta are kept, whatever the solvers leave undone.
static void water_against_a_tied_part_keeps_momenta(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 20 mm, duration: 1, gravity: [0, 0], materials: {water: {density: 1000}, jelly: "
        "{density: 900, elastic: {method: peer2018, young: 1e6}}}, bodies: [{name: drop, state: liquid, material: "
        "water, velocity: [0, 1], shape: {box: {min: [0.3, 0], max: [0.4, 0.1]}}}, {name: bar, state: elastic, "
        "material: jelly, shape: {box: {min: [0.2, 0.12], max: [0.6, 0.24]}}}], events: [{at: 0, do: harden, in: {box: "
        "{min: [0.3, -1], max: [0.5, 2]}}}]}",
        1);
    frz_vec3 linear, angular, linear_after, angular_after;
    double size;
    find_momenta(sim, &linear, &angular, &size);
    core_steps(sim, 60);
    find_momenta(sim, &linear_after, &angular_after, &size);
    assert_greater(sim->state->bodies.rigid[2].velocity.y, 0.05); // it was hit
    const double lost = frz_v3_length(frz_v3_sub(linear_after, linear)) / size;
    const double turned = frz_v3_length(frz_v3_sub(angular_after, angular)) / size;
    print_message("water against a tied part: momentum %.1e, angular momentum %.1e m of the sum of all\n", lost,
                  turned);
    assert_less(lost, 2e-6);
    assert_less(turned, 1e-3);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hardened_parts_stay_in_one_piece),
        cmocka_unit_test(ties_keep_momentum_and_angular_momentum),
        cmocka_unit_test(water_against_a_tied_part_makes_no_energy),
        cmocka_unit_test(water_against_a_tied_part_keeps_momenta),
        cmocka_unit_test(a_beam_with_a_hardened_middle_bends_like_one_with_a_stiff_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
