// SPDX-License-Identifier: MIT
// Elastic bodies and rigid ones that lie on each other: the floor below bears both, and friction holds on a slope.
#include "core_trial.h"
#include "compare.h"

static const double spacing = 0.02;

// A rigid box on the floor and an elastic one on top of it, or the other way round; gravity as on a slope of angle.
typedef struct tower
{
    const char *method; // of the elastic body
    const char *fill;   // of the rigid one
    bool soft_below;
    double angle; // degrees
} tower;

static frz_sim *make_tower(const tower *t)
{
    char soft[100], hard[100], text[2000];
    const double a = t->angle * 0.017453292519943295;
    snprintf(soft, sizeof soft, "state: elastic, material: gel");
    snprintf(hard, sizeof hard, "state: rigid, material: wood, fill: %s", t->fill);
    snprintf(text, sizeof text,
             "dimension: 2\nspacing: 0.02\nduration: 2\ngravity: [%.6f, %.6f]\n"
             "materials:\n  wood: {density: 700}\n"
             "  gel: {density: 1000, elastic: {method: %s, young: 2e5, poisson: 0.3, damping: 2}}\n"
             "bodies:\n"
             "  - {name: floor, state: static, friction: 0.5, shape: {box: {min: [-0.5, -0.06], max: [0.5, 0]}}}\n"
             "  - {name: low, %s, friction: 0.5, shape: {box: {min: [-0.08, 0], max: [0.08, 0.1]}}}\n"
             "  - {name: high, %s, friction: 0.5, shape: {box: {min: [-0.06, 0.11], max: [0.06, 0.19]}}}\n",
             9.81 * sin(a), -9.81 * cos(a), t->method, t->soft_below ? soft : hard, t->soft_below ? hard : soft);
    return core_sim(text, 1);
}

static void run_until(frz_sim *sim, double time)
{
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_advance(sim, time, &diag), FRZ_OK);
}

// It sank with a speed of its own, 6 cm/s, as if the rigid body could give way.
static void a_rigid_body_on_the_floor_bears_an_elastic_one(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"peer2018", "tlsph"}, *const fills[] = {"shape", "particles"};
    for (int m = 0; m < 2; ++m)
        for (int k = 0; k < 2; ++k)
        {
            const tower t = {.method = methods[m], .fill = fills[k]};
            frz_sim *sim = make_tower(&t);
            run_until(sim, 0.6);
            const frz_rigid_body *low = &sim->state->bodies.rigid[1];
            assert_near(low->position.y, 0.05, 1e-4 * spacing);
            assert_near(low->position.x, 0.0, 1e-4 * spacing);
            // half its height above the box, less its compression by weight, plus the clearance of particles
            assert_near(core_center(sim, 2).y, 0.14, 0.12 * spacing);
            assert_near(core_center(sim, 2).x, 0.0, 0.05 * spacing);
            frz_stats stats;
            frz_sim_stats(sim, &stats);
            assert_less(stats.kinetic_energy, 0.01); // it fell by 1 cm: 0.9 J
            frz_sim_destroy(&sim);
        }
}

// tan 10 degrees is 0.18, friction 0.5: upper boxes slid off within a second.
static void friction_holds_on_a_slope(void **unused)
{
    (void)unused;
    for (int below = 0; below < 2; ++below)
    {
        const tower t = {.method = "peer2018", .fill = "particles", .soft_below = below != 0, .angle = 10.0};
        frz_sim *sim = make_tower(&t);
        run_until(sim, 0.7);
        const double soft = core_center(sim, below ? 1 : 2).x,
                     hard = sim->state->bodies.rigid[below ? 2 : 1].position.x;
        assert_less(fabs(soft), 0.3 * spacing);
        assert_less(fabs(hard), 0.3 * spacing);
        run_until(sim, 1.2);
        assert_less(fabs(core_center(sim, below ? 1 : 2).x - soft), 0.05 * spacing);
        // a hard box still rocks on soft ground, and steps forward by up to 0.1 spacings in this time
        assert_less(fabs(sim->state->bodies.rigid[below ? 2 : 1].position.x - hard), (below ? 0.2 : 0.01) * spacing);
        frz_sim_destroy(&sim);
    }
}

// tan 35 degrees is 0.70: half of the weight's share is left.
static void friction_yields_on_a_steep_slope(void **unused)
{
    (void)unused;
    const tower t = {.method = "peer2018", .fill = "particles", .angle = 35.0};
    frz_sim *sim = make_tower(&t);
    run_until(sim, 0.3);
    assert_greater(core_center(sim, 2).x, 0.5 * spacing);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_body_on_the_floor_bears_an_elastic_one),
        cmocka_unit_test(friction_holds_on_a_slope),
        cmocka_unit_test(friction_yields_on_a_steep_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
