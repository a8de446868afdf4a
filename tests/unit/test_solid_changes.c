// SPDX-License-Identifier: MIT
// Solid particles that come and go at random: pairs, components and lists are those of brute force, numbers and bits do
// not depend on the number of threads, and what a file holds is enough.
// labels: tsan
#include <omp.h>

#include "sim/state_solids.h"
#include "solid_trial.h"
#include "compare.h"

enum
{
    most = 700,
    rounds = 12
};

static frz_sim *make_block(int dimension)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{dimension: %d, spacing: 0.1, duration: 10, gravity: [0, 0%s], materials: {m: {density: 1000, elastic: "
             "{method: becker2009, young: 1e5, poisson: 0.2}}}, bodies: [{name: a, state: elastic, material: m, shape: "
             "{box: {min: [0, 0%s], max: [%s]}}}]}",
             dimension, dimension == 3 ? ", 0" : "", dimension == 3 ? ", 0" : "",
             dimension == 3 ? "0.8, 0.8, 0.7" : "2.4, 2");
    return core_sim(text, 1);
}

// Expected bonds, by slot.
typedef struct mirror
{
    bool bonded[most][most];
} mirror;

static double distance(const frz_state *s, int i, int j)
{
    const frz_v4 *x = frz_field_v4(&s->particles, FRZ_FIELD_ID_position);
    const frz_v4 d = x[i] - x[j];
    return sqrt((double)frz_v4_dot3(d, d));
}

static void copy_bonds(const frz_state *s, mirror *m)
{
    const frz_bonds *b = &s->bonds;
    memset(m, 0, sizeof *m);
    for (int e = 0; e < b->count; ++e)
        for (int64_t k = b->begin[e]; k < b->begin[e + 1]; ++k)
            if (b->weight[k] > 0)
                m->bonded[s->solids.slot[e]][s->solids.slot[b->other[k]]] = true;
}

static void change_at_random(frz_sim *sim, solid_batch *batch, mirror *m, uint64_t *seed)
{
    frz_state *s = sim->state;
    const int count = s->particles.count[FRZ_ROLE_FREE];
    const frz_solid_space space = frz_state_solid_space(sim->model, s);
    uint8_t *phase = frz_particles_phase(&s->particles);
    frz_v4 *x = frz_field_v4(&s->particles, FRZ_FIELD_ID_position);
    for (int i = 0; i < count; ++i)
    {
        for (int a = 0; a < sim->model->dimension; ++a)
            x[i][a] += (frz_real)(0.004 * (core_random(seed) - 0.5));
        const double chance = core_random(seed);
        batch->wish[i] = phase[i] == FRZ_PHASE_LIQUID ? FRZ_BOND_WISH_NONE : FRZ_BOND_WISH_JOIN;
        batch->join[i] = -1;
        if (phase[i] == FRZ_PHASE_LIQUID && chance < 0.5)
        {
            phase[i] = FRZ_PHASE_ELASTIC;
            batch->wish[i] = FRZ_BOND_WISH_NEW;
        }
        else if (phase[i] == FRZ_PHASE_ELASTIC && chance < 0.25)
        {
            frz_solids_leave(&s->solids, &s->bonds, &space, &s->particles, s->fields.solid, i);
            phase[i] = FRZ_PHASE_LIQUID;
            batch->wish[i] = FRZ_BOND_WISH_NONE;
            for (int j = 0; j < count; ++j)
                m->bonded[i][j] = m->bonded[j][i] = false;
        }
    }
}

static void compare_pairs(const frz_sim *sim, const solid_batch *batch, mirror *m)
{
    const frz_state *s = sim->state;
    const int count = s->particles.count[FRZ_ROLE_FREE];
    int64_t n = 0;
    for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count; ++j)
        {
            const bool want = batch->wish[i] != FRZ_BOND_WISH_NONE && batch->wish[j] != FRZ_BOND_WISH_NONE &&
                              (batch->wish[i] == FRZ_BOND_WISH_NEW || batch->wish[j] == FRZ_BOND_WISH_NEW) &&
                              distance(s, i, j) < 1.6 * sim->model->spacing;
            if (!want)
                continue;
            assert_less(n, batch->pairs.count);
            assert_int_equal(batch->pairs.pair[n].a, i);
            assert_int_equal(batch->pairs.pair[n].b, j);
            n += 1;
            m->bonded[i][j] = m->bonded[j][i] = true;
        }
    assert_int_equal(n, batch->pairs.count);
}

// By spreading the lowest slot until nothing changes. Gives bodies in the order of their lowest slots.
static void compare_components(const frz_sim *sim, solid_batch *batch, const mirror *m)
{
    const frz_state *s = sim->state;
    const uint8_t *phase = frz_particles_phase(&s->particles);
    const int count = s->particles.count[FRZ_ROLE_FREE];
    int root[most], bodies = 0;
    bool more = true;
    for (int i = 0; i < count; ++i)
        root[i] = phase[i] == FRZ_PHASE_ELASTIC ? i : -1;
    while (more)
    {
        more = false;
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < count; ++j)
                if (m->bonded[i][j] && root[j] < root[i])
                {
                    root[i] = root[j];
                    more = true;
                }
    }
    for (int i = 0; i < count; ++i)
    {
        // one that is new and alone is in no pair and has no number yet
        const bool alone = batch->wish[i] == FRZ_BOND_WISH_NEW && root[i] == i && batch->component[i] < 0;
        if (!alone)
            assert_int_equal(batch->component[i], root[i]);
        batch->body[i] = root[i] < 0 ? -1 : root[i] == i ? bodies++ : batch->body[root[i]];
    }
    assert_less(bodies, batch->body_count);
}

static void compare_lists(const frz_sim *sim, const mirror *m)
{
    const frz_state *s = sim->state;
    const frz_bonds *b = &s->bonds;
    const int32_t *number = frz_field_i32(&s->particles, s->fields.solid);
    const uint8_t *phase = frz_particles_phase(&s->particles);
    const int count = s->particles.count[FRZ_ROLE_FREE];
    int solid = 0;
    for (int i = 0; i < count; ++i)
    {
        solid += phase[i] == FRZ_PHASE_ELASTIC;
        assert_int_equal(number[i] >= 0, phase[i] == FRZ_PHASE_ELASTIC);
        if (number[i] < 0)
            continue;
        const int e = number[i];
        assert_int_equal(s->solids.slot[e], i);
        int expected = 0, found = 0, last = -1;
        for (int j = 0; j < count; ++j)
            expected += m->bonded[i][j];
        for (int64_t k = b->begin[e]; k < b->begin[e + 1]; ++k)
        {
            const int f = (int)b->other[k];
            if (!(b->weight[k] > 0))
                continue;
            assert_greater(f, last);
            assert_different(f, e);
            assert_true(m->bonded[i][s->solids.slot[f]]);
            assert_int_equal(b->body[f], b->body[e]);
            last = f;
            found += 1;
        }
        assert_int_equal(found, expected);
    }
    assert_int_equal(solid, s->solids.count);
    for (int e = 1; e < b->count; ++e)
        assert_greater_equal(b->body[e], b->body[e - 1]);
}

static uint64_t hash_solids(frz_state *s)
{
    frz_solid_array arrays[FRZ_SOLID_ARRAYS];
    uint64_t hash = 14695981039346656037u;
    const int count = frz_solids_saved_list(&s->solids, &s->bonds, arrays);
    for (int n = 0; n < count; ++n)
    {
        const frz_array_desc *a = &arrays[n].array;
        const size_t size = frz_dtype_size(a->type);
        for (int64_t row = 0; row < a->rows; ++row)
            hash = core_hash_bytes(hash, (const char *)a->data + (size_t)(row * a->stride) * size,
                                   size * (size_t)a->components);
    }
    hash = core_hash_bytes(hash, s->bonds.correction.xx, (size_t)s->bonds.count * sizeof(frz_real));
    hash = core_hash_bytes(hash, s->bonds.moment.xy, (size_t)s->bonds.count * sizeof(frz_real));
    return core_hash_bytes(hash, s->bonds.rank, (size_t)s->bonds.count);
}

static uint64_t run_changes(int dimension, int threads, bool compare)
{
    frz_sim *sim = make_block(dimension);
    omp_set_num_threads(threads);
    frz_state *s = sim->state;
    mirror *m = calloc(1, sizeof *m);
    assert_non_null(m);
    assert_greater(s->particles.count[FRZ_ROLE_FREE], 400);
    assert_less_equal(s->particles.count[FRZ_ROLE_FREE], most);
    copy_bonds(s, m);
    uint64_t seed = 17, hash = 0;
    for (int round = 0; round < rounds; ++round)
    {
        solid_batch batch = solid_batch_make(sim, most + 1);
        change_at_random(sim, &batch, m, &seed);
        solid_batch_search(sim, &batch);
        assert_true(round == 0 || batch.pairs.count > 100);
        if (compare)
            compare_pairs(sim, &batch, m);
        else
            for (int64_t n = 0; n < batch.pairs.count; ++n)
                m->bonded[batch.pairs.pair[n].a][batch.pairs.pair[n].b] =
                    m->bonded[batch.pairs.pair[n].b][batch.pairs.pair[n].a] = true;
        compare_components(sim, &batch, m);
        solid_batch_renumber(sim, &batch);
        compare_lists(sim, m);
        hash = hash * 31 + hash_solids(s);
        solid_batch_destroy(&batch);
    }
    assert_non_null(s->bonds.rest); // bodies that have got bonds
    free(m);
    frz_sim_destroy(&sim);
    return hash;
}

static void random_changes_are_those_of_brute_force(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
        run_changes(dimension, 2, true);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        const uint64_t one = run_changes(dimension, 1, false);
        assert_same(run_changes(dimension, 2, false), one);
        assert_same(run_changes(dimension, 5, false), one);
    }
}

// Freeze everything anew: a lattice has lattice volumes and the bonds it had.
static void a_lattice_that_melts_and_freezes_is_what_it_was(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        frz_sim *plain = make_block(dimension), *sim = make_block(dimension);
        frz_state *s = sim->state;
        const frz_solid_space space = frz_state_solid_space(sim->model, s);
        const int count = s->particles.count[FRZ_ROLE_FREE];
        solid_batch batch = solid_batch_make(sim, 1);
        for (int i = 0; i < count; ++i)
        {
            frz_solids_leave(&s->solids, &s->bonds, &space, &s->particles, s->fields.solid, i);
            batch.wish[i] = FRZ_BOND_WISH_NEW;
        }
        assert_int_equal(s->solids.present, 0);
        assert_int_equal(s->bonds.rank[5], 0);
        solid_batch_search(sim, &batch);
        for (int i = 0; i < count; ++i)
            assert_int_equal(batch.component[i], 0);
        solid_batch_renumber(sim, &batch);
        const frz_bonds *a = &plain->state->bonds, *b = &s->bonds;
        assert_int_equal(a->bond_count, b->bond_count);
        assert_null(b->rest);
        assert_int_equal(b->uneven[0], 0);
        for (int e = 0; e < count; ++e)
        {
            assert_int_equal(a->begin[e + 1], b->begin[e + 1]);
            assert_small((double)(a->correction.xx[e] - b->correction.xx[e]), 1e-6);
            assert_same(plain->state->solids.core[e], s->solids.core[e]);
        }
        assert_memory_equal(a->other, b->other, (size_t)a->begin[count] * sizeof *a->other);
        solid_batch_destroy(&batch);
        frz_sim_destroy(&plain);
        frz_sim_destroy(&sim);
    }
}

// All is gone for a while, numbers too.
static void what_has_melted_altogether_can_freeze_again(void **state)
{
    (void)state;
    frz_sim *sim = make_block(2);
    frz_state *s = sim->state;
    frz_diag diag = {.status = FRZ_OK};
    const frz_solid_space space = frz_state_solid_space(sim->model, s);
    const int count = s->particles.count[FRZ_ROLE_FREE];
    solid_batch melt = solid_batch_make(sim, 1), freeze = solid_batch_make(sim, 1);
    for (int i = 0; i < count; ++i)
    {
        frz_solids_leave(&s->solids, &s->bonds, &space, &s->particles, s->fields.solid, i);
        frz_particles_phase(&s->particles)[i] = FRZ_PHASE_LIQUID;
        melt.body[i] = -1;
        freeze.wish[i] = FRZ_BOND_WISH_NEW;
    }
    const int64_t bonds = s->bonds.bond_count;
    solid_batch_renumber(sim, &melt);
    assert_int_equal(s->solids.count, 0);
    memset(frz_field_i32(&s->particles, s->fields.solid), 0,
           (size_t)count * sizeof(int32_t)); // as an emitter leaves it
    assert_int_equal(frz_solids_locate(&s->solids, &s->particles, s->fields.solid, &diag), FRZ_OK);
    memset(frz_particles_phase(&s->particles), FRZ_PHASE_ELASTIC, (size_t)count);
    solid_batch_search(sim, &freeze);
    solid_batch_renumber(sim, &freeze);
    assert_int_equal(s->solids.count, count);
    assert_int_equal(s->bonds.bond_count, bonds);
    assert_int_equal(frz_state_prepare_solids(sim->model, s, &diag), FRZ_OK);
    core_steps(sim, 3);
    solid_batch_destroy(&melt);
    solid_batch_destroy(&freeze);
    frz_sim_destroy(&sim);
}

// The first body melts a little: the other keeps its bits.
static void bodies_that_do_not_change_keep_their_bits(void **state)
{
    (void)state;
    frz_sim *sim = core_sim(
        "{dimension: 2, spacing: 0.1, duration: 10, gravity: [0, 0], materials: {m: {density: 1000, elastic: {method: "
        "zhou2013, young: 1e5, poisson: 0.2}}}, bodies: [{state: elastic, material: m, shape: {box: {min: [0, 0], max: "
        "[1, 1]}}}, {state: elastic, material: m, shape: {box: {min: [2, 0], max: [3, 1.2]}}}]}",
        1);
    frz_state *s = sim->state;
    frz_diag diag = {.status = FRZ_OK};
    const frz_solid_space space = frz_state_solid_space(sim->model, s);
    const int count = s->particles.count[FRZ_ROLE_FREE], before = s->bonds.first[1];
    const int kept = s->bonds.first[2] - before;
    const int64_t from = s->bonds.begin[before], rows = s->bonds.begin[s->bonds.count] - from;
    frz_real *weight = malloc((size_t)rows * sizeof *weight), *correction = malloc((size_t)kept * sizeof *correction);
    assert_non_null(weight);
    assert_non_null(correction);
    memcpy(weight, s->bonds.weight + from, (size_t)rows * sizeof *weight);
    memcpy(correction, s->bonds.correction.xx + before, (size_t)kept * sizeof *correction);
    const double stiffness[2] = {s->bonds.stiffness[0], s->bonds.stiffness[1]};
    solid_batch batch = solid_batch_make(sim, 2);
    frz_solids_leave(&s->solids, &s->bonds, &space, &s->particles, s->fields.solid, s->solids.slot[44]);
    for (int i = 0; i < count; ++i)
    {
        const int e = frz_field_i32(&s->particles, s->fields.solid)[i];
        batch.body[i] = e >= 0 ? s->solids.body[e] : -1;
        frz_particles_phase(&s->particles)[i] = e >= 0 ? FRZ_PHASE_ELASTIC : FRZ_PHASE_LIQUID;
    }
    solid_batch_renumber(sim, &batch);
    assert_int_equal(s->solids.count, count - 1);
    assert_memory_equal(weight, s->bonds.weight + s->bonds.begin[before - 1], (size_t)rows * sizeof *weight);
    assert_memory_equal(correction, s->bonds.correction.xx + before - 1, (size_t)kept * sizeof *correction);
    assert_same(s->bonds.stiffness[1], stiffness[1]);
    assert_less(s->bonds.stiffness[0], 0.0);
    assert_int_equal(frz_state_prepare_solids(sim->model, s, &diag), FRZ_OK);
    assert_greater(s->bonds.stiffness[0], 0.5 * stiffness[0]);
    assert_less(s->bonds.stiffness[0], 1.3 * stiffness[0]);
    free(weight);
    free(correction);
    solid_batch_destroy(&batch);
    frz_sim_destroy(&sim);
}

// Elastic to rigid and back: the undeformed state is the place in the body's axes, bonds stay.
static void a_body_that_goes_rigid_has_its_own_axes_as_reference(void **state)
{
    (void)state;
    frz_sim *sim = make_block(3);
    frz_state *s = sim->state;
    frz_diag diag = {.status = FRZ_OK};
    const frz_solid_space space = frz_state_solid_space(sim->model, s);
    const int count = s->particles.count[FRZ_ROLE_FREE];
    const int64_t bonds = s->bonds.bond_count;
    frz_v4 *local = FRZ_ALLOC("test", count + 1, frz_v4);
    int32_t *body = calloc((size_t)count + 1, sizeof *body);
    assert_non_null(local);
    assert_non_null(body);
    const double reach = 0.4;
    for (int i = 0; i < count; ++i)
    {
        const frz_v4 x = frz_field_v4(&s->particles, FRZ_FIELD_ID_position)[i];
        local[i] = frz_v4_set((frz_real)1.1 * x[1], -x[0], x[2], 0);
    }
    for (int round = 0; round < 2; ++round)
    {
        memset(frz_particles_phase(&s->particles), round == 0 ? FRZ_PHASE_RIGID : FRZ_PHASE_ELASTIC, (size_t)count);
        const frz_solids_plan plan = {.space = &space,
                                      .particles = &s->particles,
                                      .field = s->fields.solid,
                                      .body_count = 1,
                                      .body = body,
                                      .reach = &reach,
                                      .local = local,
                                      .step = 7};
        assert_int_equal(frz_solids_renumber(&s->solids, &s->bonds, &plan, &s->scratch, &diag), FRZ_OK);
        assert_int_equal(s->solids.body_phase[0], round == 0 ? FRZ_PHASE_RIGID : FRZ_PHASE_ELASTIC);
        assert_true(round == 0 ? isinf(s->solids.reach[0]) : s->solids.reach[0] == reach);
        assert_int_equal(s->bonds.bond_count, bonds);
        assert_null(s->bonds.rest);
        assert_less(s->bonds.stiffness[0], 0.0);
        for (int e = 0; e < count; ++e)
            assert_memory_equal(&s->solids.reference[e], &local[s->solids.slot[e]], 3 * sizeof(frz_real));
    }
    assert_int_equal(frz_state_prepare_solids(sim->model, s, &diag), FRZ_OK);
    assert_greater(s->bonds.stiffness[0], 0.0);
    frz_free(local);
    free(body);
    frz_sim_destroy(&sim);
}

static void particles_of_a_body_are_numbered_material_by_material(void **state)
{
    (void)state;
    frz_sim *sim = make_block(2);
    frz_state *s = sim->state;
    frz_diag diag = {.status = FRZ_OK};
    const frz_solid_space space = frz_state_solid_space(sim->model, s);
    const int count = s->particles.count[FRZ_ROLE_FREE];
    int32_t *body = calloc((size_t)count + 1, sizeof *body);
    assert_non_null(body);
    const double reach = 0.4;
    for (int i = 0; i < count; i += 3)
        frz_particles_material(&s->particles)[i] = 1;
    const frz_solids_plan plan = {.space = &space,
                                  .particles = &s->particles,
                                  .field = s->fields.solid,
                                  .body_count = 1,
                                  .body = body,
                                  .reach = &reach};
    assert_int_equal(frz_solids_renumber(&s->solids, &s->bonds, &plan, &s->scratch, &diag), FRZ_OK);
    assert_int_equal(s->bonds.run_first[1], 2);
    assert_int_equal(s->bonds.run[0].last, count - (count + 2) / 3);
    assert_int_equal(s->bonds.run[1].last, count);
    for (int n = 0; n < count; ++n)
    {
        const int slot = s->solids.slot[n];
        assert_int_equal(s->bonds.material[n], slot % 3 == 0);
        assert_int_equal(s->bonds.material[n], s->bonds.run[n >= s->bonds.run[1].first].material);
        assert_near((double)s->bonds.mass[n],
                    frz_particle_mass(sim->model, frz_particles_inverse_density(&s->particles)[slot]),
                    1e-6 * (double)s->bonds.mass[n]);
    }
    free(body);
    frz_sim_destroy(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes_are_those_of_brute_force),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_lattice_that_melts_and_freezes_is_what_it_was),
        cmocka_unit_test(what_has_melted_altogether_can_freeze_again),
        cmocka_unit_test(bodies_that_do_not_change_keep_their_bits),
        cmocka_unit_test(a_body_that_goes_rigid_has_its_own_axes_as_reference),
        cmocka_unit_test(particles_of_a_body_are_numbered_material_by_material),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
