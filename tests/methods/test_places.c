// SPDX-License-Identifier: MIT
// Corrections of the density of viscous liquids move places: they leave no velocity that friction would have to take
// out of the flow again, and the centre of mass stays where it is, with rigid bodies too. Nothing elastic is moved. In
// short steps water at rest is not thrown up, whatever else is in the scene.
#include "compare.h"
#include "core_trial.h"
#include "physics/pressure/pressure_system.h"
#include "sim/bodies.h"
#include "sim/neighborhood.h"

// Particles in disorder, without gravity, around a box.
static frz_sim *make(const char *viscosity, const char *box)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{dimension: 2, spacing: 0.05, duration: 10, time_step: 1 ms, gravity: [0, 0], materials: {oil: {density: "
             "1000%s}, gel: {density: 1000, elastic: {method: tlsph, young: 1e5}}}, bodies: [{name: oil, state: "
             "liquid, material: oil, disorder: 0.2, shape: {box: {min: [0, 0], max: [1, 1]}}}%s]}",
             viscosity, box);
    return core_sim(text, 1);
}

static const char syrup[] = ", viscosity: {method: weiler2018, viscosity: 100}";
static const char rigid[] =
    ", {name: box, state: rigid, density: 3000, shape: {box: {min: [0.93, 0.41], max: [1.2, 0.61]}}}";
static const char elastic[] =
    ", {name: box, state: elastic, material: gel, shape: {box: {min: [0.35, 0.4], max: [0.6, 0.6]}}}";

static double mean_excess(const frz_sim *sim)
{
    const frz_real *compression = frz_field_real(&sim->state->particles, FRZ_FIELD_ID_compression);
    const int count = sim->state->particles.count[FRZ_ROLE_FREE];
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
        sum += fmax((double)compression[i] - 1.0, 0.0);
    return sum / count;
}

// Sum of mass times place, of particles and the last body.
static frz_vec3 first_moment(const frz_sim *sim)
{
    const frz_particles *p = &sim->state->particles;
    const frz_v4 *position = frz_field_v4(p, FRZ_FIELD_ID_position);
    const frz_rigid_body *body = &sim->state->bodies.rigid[sim->state->bodies.count - 1];
    frz_vec3 sum = frz_v3_scale(body->mass, body->position);
    for (int i = 0; i < p->count[FRZ_ROLE_FREE]; ++i)
        sum = frz_v3_mad(sum, 1000.0 * sim->model->cell, frz_v3_of(position[i]));
    return sum;
}

static void viscous_liquid_is_spread_out_without_velocities(void **state)
{
    (void)state;
    double energy[2], excess[2];
    for (int n = 0; n < 2; ++n)
    {
        frz_sim *sim = make(n == 0 ? "" : syrup, "");
        core_steps(sim, 1);
        const double before = mean_excess(sim);
        core_steps(sim, 40);
        energy[n] = sim->state->stats.kinetic_energy;
        excess[n] = mean_excess(sim) / before;
        frz_sim_destroy(&sim);
    }
    assert_less(excess[0], 0.2);
    assert_less(excess[1], 0.2);
    assert_greater(energy[0], 0.0);
    assert_less(energy[1], 1e-6 * energy[0]);
}

static void bodies_are_moved_along_and_the_centre_of_mass_stays(void **state)
{
    (void)state;
    frz_sim *sim = make(syrup, rigid);
    const frz_rigid_body *body = &sim->state->bodies.rigid[sim->state->bodies.count - 1];
    frz_v4 *position = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        position[i][0] += position[i][0] < (frz_real)0.93 ? (frz_real)0.02 * position[i][0] : 0; // squeezed at the box
    const frz_vec3 place = body->position, moment = first_moment(sim);
    core_steps(sim, 40);
    const double way = frz_v3_length(frz_v3_sub(body->position, place));
    assert_greater(way, 1e-6);
    assert_less(frz_v3_length(frz_v3_sub(first_moment(sim), moment)), 1e-3 * way * body->mass);
    frz_sim_destroy(&sim);
}

static bool is_beside_elastic(const frz_pressure_system *p, const uint8_t *phase, int i)
{
    for (uint32_t k = p->pairs->begin[i]; k < p->pairs->end[i]; ++k)
        if (phase[p->pairs->blocks[i / FRZ_BLOCK].index[k]] == FRZ_PHASE_ELASTIC)
            return true;
    return phase[i] == FRZ_PHASE_ELASTIC;
}

static void what_pushes_elastic_bodies_stays_a_velocity(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = make(syrup, elastic);
    frz_pressure_system p;
    frz_bodies_begin(sim->model, sim->state, 0.001);
    assert_int_equal(frz_neighborhood_update(sim->model, sim->state, &diag), FRZ_OK);
    assert_int_equal(frz_pressure_system_make_iterative(sim->model, sim->state, FRZ_PRESSURE_CONJUGATE, &p, &diag),
                     FRZ_OK);
    sim->state->stats.max_speed = 0.1;
    assert_int_equal(frz_pressure_places_make(sim->model, sim->state, &p, &diag), FRZ_OK);
    const uint8_t *phase = frz_particles_phase(&sim->state->particles);
    int held = 0, free = 0;
    for (int i = 0; i < p.pairs->count; ++i)
    {
        const bool beside = is_beside_elastic(&p, phase, i);
        assert_true(beside ? p.in_places[i] == 0 : p.in_places[i] > (frz_real)0.9 && p.in_places[i] < 1);
        held += beside;
        free += !beside;
    }
    assert_greater(held, 20);
    assert_greater(free, 200);
    frz_sim_destroy(&sim);
}

// A contact at the edge of the support has a small error over a much smaller gradient: it is not sent further.
static void weak_contacts_are_corrected_no_faster_than_others(void **state)
{
    (void)state;
    const double dt = 1e-4;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim = make("", elastic);
    frz_pressure_system p;
    frz_bodies_begin(sim->model, sim->state, dt);
    assert_int_equal(frz_neighborhood_update(sim->model, sim->state, &diag), FRZ_OK);
    assert_int_equal(frz_pressure_system_make_iterative(sim->model, sim->state, FRZ_PRESSURE_CONJUGATE, &p, &diag),
                     FRZ_OK);
    frz_pressure_limit_correction(sim->model, dt, &p);
    const double most =
        (double)frz_pressure_corrected(&p, (frz_real)0.01, 0); // of liquid, with a diagonal of about 0.5
    int weak = 0;
    for (int i = 0; i < p.pairs->count; ++i)
        if (p.solid[i] >= 0 && p.diagonal[i] > 0 && p.diagonal[i] < (frz_real)1e-3)
        {
            const double way = (double)frz_pressure_corrected(&p, (frz_real)0.01, i) / sqrt((double)p.diagonal[i]);
            assert_less(way, most / sqrt(0.5));
            ++weak;
        }
    assert_greater(weak, 3);
    frz_sim_destroy(&sim);
}

// A pool whose rows were drawn together a little to fit its tank; the other body falls far away.
static void water_at_rest_is_not_thrown_up_in_short_steps(void **state)
{
    (void)state;
    static const char *const bodies[] = {"rigid, density: 600", "elastic, material: gel",
                                         "rigid, fill: particles, material: gel"};
    static const char *const methods[] = {"dfsph", "iisph", "pcisph"};
    for (int n = 0; n < 9; ++n)
    {
        char text[1024];
        snprintf(text, sizeof text,
                 "{dimension: 2, spacing: 0.02, duration: 10, time_step: 0.1 ms, pressure: %s, materials: {water: "
                 "{density: 1000}, gel: {density: 1000, elastic: {method: tlsph, young: 1e5}}}, bodies: [{name: pool, "
                 "state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.51, 0.57]}}}, {name: tank, state: "
                 "static, shape: {shell: {of: {box: {min: [0, 0], max: [0.51, 2]}}, thickness: 0.06}}}, {name: box, "
                 "state: %s, shape: {box: {min: [0.2, 1], max: [0.3, 1.1]}}}]}",
                 methods[n / 3], bodies[n % 3]);
        frz_sim *sim = core_sim(text, 1);
        double speed = 0.0, excess = 0.0;
        for (int step = 0; step < 100; ++step)
        {
            core_steps(sim, 1);
            speed = fmax(speed, (double)sim->state->stats.max_speed);
            excess = fmax(excess, mean_excess(sim));
        }
        assert_greater(excess, 1e-4); // it was too dense
        assert_less(speed, 1.0);      // up to 20 m/s with all of the correction in the velocity
        frz_sim_destroy(&sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(viscous_liquid_is_spread_out_without_velocities),
        cmocka_unit_test(bodies_are_moved_along_and_the_centre_of_mass_stays),
        cmocka_unit_test(what_pushes_elastic_bodies_stays_a_velocity),
        cmocka_unit_test(weak_contacts_are_corrected_no_faster_than_others),
        cmocka_unit_test(water_at_rest_is_not_thrown_up_in_short_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
