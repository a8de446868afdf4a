// SPDX-License-Identifier: MIT
// Elastic particles that searches pass by: nothing that they could touch is ever near them.
#include "core_trial.h"
#include "sim/neighborhood.h"
#include "compare.h"

// One block comes to rest on another and is pressed into it.
static const char blocks[] =
    "spacing: 0.05\nduration: 1 s\nframe_rate: 10\ntime_step: 2 ms\ngravity: [0, 0, 0]\n"
    "materials: {rubber: {density: 1000, elastic: {method: peer2018, young: 2e4}}}\n"
    "bodies:\n"
    "  - {name: low, state: elastic, material: rubber, shape: {box: {min: [0, 0, 0], max: [0.4, 0.3, 0.3]}}}\n"
    "  - {name: high, state: elastic, material: rubber, velocity: [0, -0.5, 0],\n"
    "     shape: {box: {min: [0.1, 0.4, 0], max: [0.5, 0.6, 0.3]}}}\n";

enum
{
    steps = 200
};

typedef struct tally
{
    int clear, wrong;
} tally;

// All pairs, without a grid: clear particles with something near that they could touch.
static tally count_clear(const frz_sim *sim)
{
    const frz_state *state = sim->state;
    const frz_solids *solids = &state->solids;
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const double support = sim->model->support;
    tally t = {0, 0};
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        const int e = solids->index_of_slot[i];
        if (!solids->isolated_known || !solids->isolated[e])
            continue;
        ++t.clear;
        for (int j = 0; j < state->particles.count[FRZ_ROLE_FREE]; ++j)
        {
            const frz_v4 d = position[i] - position[j];
            const bool free = j != i && !solids->core[solids->index_of_slot[j]] &&
                              !frz_exclusion_holds(&solids->exclusion, i, j, solids->reach[solids->body[e]]);
            t.wrong += free && sqrt((double)frz_v4_dot3(d, d)) < support;
        }
    }
    return t;
}

static void what_is_clear_has_nothing_near(void **unused)
{
    (void)unused;
    frz_sim *sim = core_sim(blocks, 2);
    frz_diag diag = {.status = FRZ_OK};
    int most = 0, least = INT32_MAX, known = 0;
    int64_t pairs = 0;
    for (int n = 0; n < steps; n += 2)
    {
        core_steps(sim, 2);
        assert_int_equal(frz_neighborhood_update(sim->model, sim->state, &diag), FRZ_OK);
        const tally t = count_clear(sim);
        assert_int_equal(t.wrong, 0);
        most = t.clear > most ? t.clear : most;
        least = sim->state->solids.isolated_known && t.clear < least ? t.clear : least;
        known += sim->state->solids.isolated_known;
        pairs = sim->state->neighbors.pairs.pair_count > pairs ? sim->state->neighbors.pairs.pair_count : pairs;
    }
    print_message("known in %d of %d steps, %d to %d clear, %lld pairs at most\n", known, steps / 2, least, most,
                  (long long)pairs);
    assert_greater(4 * known, steps);
    assert_greater(most, least);
    assert_greater(pairs, 0);
    frz_sim_destroy(&sim);
}

// Fast particles are searched around as ever.
static void nothing_is_found_out_where_it_would_not_last(void **unused)
{
    (void)unused;
    frz_sim *sim = core_sim(blocks, 1);
    frz_v4 *velocity = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        velocity[i] = frz_v4_set(10, 0, 0, 0);
    core_steps(sim, 10);
    assert_false(sim->state->solids.isolated_known);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_clear_has_nothing_near),
        cmocka_unit_test(nothing_is_found_out_where_it_would_not_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
