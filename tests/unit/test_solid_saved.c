// SPDX-License-Identifier: MIT
// Solids as plain arrays: the list is enough to go on bit for bit, and damaged arrays are refused.
#include "solid_trial.h"
#include "compare.h"

static frz_sim *make_blocks(const char *method, int threads)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{dimension: 2, spacing: 0.05, duration: 10, gravity: [0, -9.81], time_step: {max: 1 ms}, materials: {m: "
             "{density: 1000, elastic: {method: %s, young: 1e5, poisson: 0.2}, fracture: {method: stretch, limit: "
             "0.02}}}, bodies: [{name: a, state: elastic, material: m, velocity: [0, -1], shape: {box: {min: [0, 0.6], "
             "max: [0.5, 0.9]}}}, {name: b, state: elastic, material: m, shape: {box: {min: [0.1, 0], max: [0.7, "
             "0.5]}}}]}",
             method);
    return core_sim(text, threads);
}

static void what_is_listed_goes_on_bit_for_bit(void **state)
{
    (void)state;
    static const char *const methods[] = {"becker2009", "zhou2013", "peer2018", "kugelstadt2021"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m)
    {
        frz_sim *straight = make_blocks(methods[m], 2), *resumed = make_blocks(methods[m], 1);
        core_steps(straight, 160);
        core_steps(resumed, 160);
        assert_greater(straight->state->bonds.broken_count, 0);
        frz_solids_saved saved;
        frz_diag diag = {.status = FRZ_OK};
        solid_copy_saved(resumed->state, &saved);
        assert_int_equal(frz_solids_saved_take(&saved, &resumed->state->solids, &resumed->state->bonds, &diag), FRZ_OK);
        assert_true(resumed->state->solids.changed);
        // changed bodies are measured one by one, with sums in another order: the other simulation must do the same
        straight->state->solids.changed = true;
        straight->state->solids.stale = straight->state->solids.cracked;
        core_steps(straight, 30);
        core_steps(resumed, 30);
        assert_same(core_hash(straight), core_hash(resumed));
        frz_sim_destroy(&straight);
        frz_sim_destroy(&resumed);
    }
}

enum
{
    damages = 12
};

static void damage(frz_solids_saved *saved, int how)
{
    frz_solids *solids = &saved->solids;
    frz_bonds *bonds = &saved->bonds;
    switch (how)
    {
    case 0:
        solids->body[3] = 7;
        break;
    case 1:
        solids->body[0] = 1; // not in order
        break;
    case 2:
        solids->reference[5][1] = (frz_real)NAN;
        break;
    case 3:
        solids->rest_compression[5] = 2;
        break;
    case 4:
        bonds->begin[4] += 1;
        break;
    case 5:
        bonds->begin[bonds->count] -= 4;
        break;
    case 6:
        bonds->other[0] = (uint32_t)bonds->count;
        break;
    case 7:
        bonds->other[1] = bonds->other[0];
        break;
    case 8:
        bonds->weight[0] *= 2; // not the same from the other end
        break;
    case 9:
        bonds->rest_shift[0] = 0;
        break;
    case 10:
        bonds->own_volume[2] = -1;
        break;
    default:
        solids->body_phase[1] = FRZ_PHASE_LIQUID;
    }
}

static void what_is_damaged_is_refused_and_nothing_is_lost(void **state)
{
    (void)state;
    frz_sim *straight = make_blocks("becker2009", 1), *tried = make_blocks("becker2009", 1);
    core_steps(straight, 20);
    core_steps(tried, 20);
    for (int how = 0; how < damages; ++how)
    {
        frz_solids_saved saved;
        frz_diag diag = {.status = FRZ_OK};
        solid_copy_saved(tried->state, &saved);
        damage(&saved, how);
        if (frz_solids_saved_take(&saved, &tried->state->solids, &tried->state->bonds, &diag) != FRZ_ERR_FILE)
            fail_msg("damage %d is not seen", how);
        assert_non_null(strstr(diag.message, "damaged"));
    }
    core_steps(straight, 10);
    core_steps(tried, 10);
    assert_same(core_hash(straight), core_hash(tried));
    frz_sim_destroy(&straight);
    frz_sim_destroy(&tried);
}

static void absurd_numbers_of_rows_are_refused(void **state)
{
    (void)state;
    frz_sim *sim = make_blocks("becker2009", 1);
    const frz_solids_rows absurd[] = {{.bodies = -1}, {.particles = INT64_MAX}, {.bonds = 8, .rest = 9}};
    for (int n = 0; n < 3; ++n)
    {
        frz_solids_saved saved;
        frz_diag diag = {.status = FRZ_OK};
        assert_int_equal(frz_solids_saved_room(&absurd[n], &sim->state->bonds, &saved, &diag), FRZ_ERR_FILE);
    }
    frz_sim_destroy(&sim);
}

static void numbers_do_not_hang_on_ids(void **state)
{
    (void)state;
    frz_sim *plain = make_blocks("becker2009", 1), *renamed = make_blocks("becker2009", 1);
    frz_state *s = renamed->state;
    int64_t *id = frz_field_i64(&s->particles, FRZ_FIELD_ID_id);
    for (int i = 0; i < s->particles.count[FRZ_ROLE_FREE]; ++i)
        id[i] = 100000 - 7 * id[i];
    core_steps(plain, 30);
    core_steps(renamed, 30);
    const frz_v4 *a = frz_field_v4(&plain->state->particles, FRZ_FIELD_ID_position);
    const frz_v4 *b = frz_field_v4(&s->particles, FRZ_FIELD_ID_position);
    assert_greater(s->solids.count, 0);
    assert_same(s->solids.present, s->solids.count);
    for (int e = 0; e < s->solids.count; ++e)
        assert_memory_equal(&a[plain->state->solids.slot[e]], &b[s->solids.slot[e]], sizeof *a);
    frz_sim_destroy(&plain);
    frz_sim_destroy(&renamed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_listed_goes_on_bit_for_bit),
        cmocka_unit_test(what_is_damaged_is_refused_and_nothing_is_lost),
        cmocka_unit_test(absurd_numbers_of_rows_are_refused),
        cmocka_unit_test(numbers_do_not_hang_on_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
