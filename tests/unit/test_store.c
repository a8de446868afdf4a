// SPDX-License-Identifier: MIT
// The particle store: roles, fields, views, sorting and the way back.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <string.h>

#include "base/memory.h"
#include "particles/store.h"

enum
{
    liquid = 1000,
    walls = 37,
    spare_room = 5
};

static const frz_field_decl extra_fields[] = {
    {"heat", 1, "K", FRZ_FIELD_SAVE | FRZ_FIELD_SORT, "follows the particle"},
    {"spin", 3, "1/s", FRZ_FIELD_SORT, "follows the particle"},
    {"scratch", 1, "", 0, "stays in its slot"},
    {0},
};

static char rows[liquid * 16]; // for the sort of a field

// A store with particles whose every field tells the number of the particle.
static frz_particles make(void)
{
    const int capacity[FRZ_ROLE_COUNT] = {[FRZ_ROLE_FREE] = liquid + spare_room, [FRZ_ROLE_SAMPLE] = walls};
    frz_particles store;
    int first = 0;
    assert_int_equal(frz_particles_create(capacity, &store, NULL), FRZ_OK);
    assert_int_equal(frz_particles_add_fields(&store, extra_fields, &first, NULL), FRZ_OK);
    assert_int_equal(first, FRZ_FIELD_CORE_COUNT);
    store.count[FRZ_ROLE_FREE] = liquid;
    store.count[FRZ_ROLE_SAMPLE] = walls;
    for (int i = 0; i < store.total; ++i)
    {
        const frz_real n = (frz_real)i;
        frz_field_v4(&store, FRZ_FIELD_ID_position)[i] = frz_v4_set(n, n + 1, n + 2, 0);
        frz_field_i64(&store, FRZ_FIELD_ID_id)[i] = i;
        frz_field_i32(&store, FRZ_FIELD_ID_body)[i] = 2 * i;
        if (i < store.capacity[FRZ_ROLE_FREE])
            frz_field_real(&store, FRZ_FIELD_ID_compression)[i] = n;
        frz_field_real(&store, first)[i] = 3 * n;
        frz_field_v4(&store, first + 1)[i] = frz_v4_set(-n, 0, n, 0);
        frz_field_real(&store, first + 2)[i] = n;
    }
    frz_particles_mirror(&store, FRZ_ROLE_FREE);
    frz_particles_mirror(&store, FRZ_ROLE_SAMPLE);
    return store;
}

static void check_particle(const frz_particles *store, int slot, int number)
{
    const frz_real n = (frz_real)number;
    const frz_v4 x = frz_field_v4(store, FRZ_FIELD_ID_position)[slot];
    const frz_v4 spin = frz_field_v4(store, FRZ_FIELD_CORE_COUNT + 1)[slot];
    assert_same(x[0], n);
    assert_same(x[1], n + 1);
    assert_same(x[2], n + 2);
    assert_int_equal(frz_field_i64(store, FRZ_FIELD_ID_id)[slot], number);
    assert_int_equal(frz_field_i32(store, FRZ_FIELD_ID_body)[slot], 2 * number);
    assert_same(frz_field_real(store, FRZ_FIELD_CORE_COUNT)[slot], 3 * n);
    assert_same(spin[0], -n);
    assert_same(spin[2], n);
    // fields that are not sorted belong to the slot
    if (slot < store->first[FRZ_ROLE_SAMPLE]) // walls do not have it
        assert_same(frz_field_real(store, FRZ_FIELD_ID_compression)[slot], (frz_real)slot);
    assert_same(frz_field_real(store, FRZ_FIELD_CORE_COUNT + 2)[slot], (frz_real)slot);
}

static void check_walls(const frz_particles *store)
{
    const int first = store->first[FRZ_ROLE_SAMPLE];
    assert_int_equal(store->count[FRZ_ROLE_SAMPLE], walls);
    for (int k = 0; k < walls; ++k)
        check_particle(store, first + k, first + k);
}

static void roles_follow_each_other_and_fields_are_aligned(void **state)
{
    (void)state;
    frz_particles store = make();
    assert_int_equal(store.first[FRZ_ROLE_FREE], 0);
    assert_int_equal(store.first[FRZ_ROLE_SAMPLE], liquid + spare_room);
    assert_int_equal(store.total, liquid + spare_room + walls);
    for (int f = 0; f < store.field_count; ++f)
    {
        const frz_field *field = &store.fields[f];
        assert_int_equal((uintptr_t)field->data % 64, 0);
        assert_int_equal(field->spare != NULL,
                         (field->decl.flags & (FRZ_FIELD_SORT | FRZ_FIELD_FINAL)) == FRZ_FIELD_SORT);
        assert_int_equal(field->stride, field->decl.components == 1 ? 1 : 4);
        // what is saved must follow its particle
        if ((field->decl.flags & FRZ_FIELD_SAVE) != 0)
            assert_different((field->decl.flags & FRZ_FIELD_SORT), 0);
    }
    frz_particles_destroy(&store);
}

static void permute_moves_every_sorted_field_and_no_wall(void **state)
{
    (void)state;
    frz_particles store = make();
    int order[liquid];
    for (int k = 0; k < liquid; ++k)
        order[k] = (k * 7 + 3) % liquid;
    frz_particles_permute(&store, FRZ_ROLE_FREE, order, liquid, rows);
    assert_int_equal(store.count[FRZ_ROLE_FREE], liquid);
    for (int k = 0; k < liquid; ++k)
        check_particle(&store, k, order[k]);
    check_walls(&store);
    frz_particles_destroy(&store);
}

static void a_shorter_order_removes_particles(void **state)
{
    (void)state;
    frz_particles store = make();
    int order[liquid];
    int kept = 0;
    for (int k = 0; k < liquid; ++k)
        if (k % 3 != 1)
            order[kept++] = k;
    frz_particles_permute(&store, FRZ_ROLE_FREE, order, kept, NULL);
    assert_int_equal(store.count[FRZ_ROLE_FREE], kept);
    for (int k = 0; k < kept; ++k)
        check_particle(&store, k, order[k]);
    check_walls(&store);
    frz_particles_permute(&store, FRZ_ROLE_FREE, order, 0, NULL);
    assert_int_equal(store.count[FRZ_ROLE_FREE], 0);
    check_walls(&store);
    frz_particles_destroy(&store);
}

static void restore_undoes_a_permute_and_what_was_written_after_it(void **state)
{
    (void)state;
    frz_particles store = make();
    int order[liquid];
    for (int k = 0; k < liquid; ++k)
        order[k] = liquid - 1 - k;
    frz_particles_permute(&store, FRZ_ROLE_FREE, order, liquid, rows);
    const frz_v4 *spin = frz_particles_keep(&store, FRZ_ROLE_FREE, FRZ_FIELD_CORE_COUNT + 1);
    for (int k = 0; k < liquid; ++k)
    {
        frz_field_v4(&store, FRZ_FIELD_ID_position)[k] = frz_v4_splat(-1);
        frz_field_v4(&store, FRZ_FIELD_CORE_COUNT + 1)[k] = frz_v4_splat(-1);
        assert_same(spin[k][2], (frz_real)order[k]); // in the new order, and not what was written since
    }
    frz_particles_restore(&store, FRZ_ROLE_FREE, order, rows);
    assert_int_equal(store.count[FRZ_ROLE_FREE], liquid);
    for (int k = 0; k < liquid; ++k)
        check_particle(&store, k, k);
    check_walls(&store);
    frz_particles_destroy(&store);
}

static void mirror_brings_what_was_written_to_both_generations(void **state)
{
    (void)state;
    frz_particles store = make();
    const int first = store.first[FRZ_ROLE_SAMPLE];
    frz_field_v4(&store, FRZ_FIELD_ID_velocity)[first + 5] = frz_v4_set(1, 2, 3, 0);
    frz_particles_mirror(&store, FRZ_ROLE_SAMPLE);
    int order[liquid];
    for (int k = 0; k < liquid; ++k)
        order[k] = k;
    frz_particles_permute(&store, FRZ_ROLE_FREE, order, liquid, rows);
    const frz_v4 v = frz_field_v4(&store, FRZ_FIELD_ID_velocity)[first + 5];
    assert_same(v[0], 1);
    assert_same(v[1], 2);
    assert_same(v[2], 3);
    check_walls(&store);
    frz_particles_destroy(&store);
}

static void views_show_one_role_of_one_field(void **state)
{
    (void)state;
    frz_particles store = make();
    const frz_array_desc x = frz_particles_view(&store, FRZ_FIELD_ID_position, FRZ_ROLE_SAMPLE);
    assert_string_equal(x.name, "position");
    assert_string_equal(x.unit, "m");
    assert_int_equal(x.components, 3);
    assert_int_equal(x.stride, 4);
    assert_int_equal(x.rows, walls);
    assert_int_equal(x.type, FRZ_DTYPE_REAL);
    assert_ptr_equal(x.data, frz_field_v4(&store, FRZ_FIELD_ID_position) + store.first[FRZ_ROLE_SAMPLE]);
    const frz_array_desc id = frz_particles_view(&store, FRZ_FIELD_ID_id, FRZ_ROLE_FREE);
    assert_int_equal(id.type, FRZ_I64);
    assert_int_equal(id.stride, 1);
    assert_int_equal(id.rows, liquid);
    assert_ptr_equal(id.data, frz_field_i64(&store, FRZ_FIELD_ID_id));
    frz_particles_destroy(&store);
}

static void fields_are_found_by_name(void **state)
{
    (void)state;
    frz_particles store = make();
    assert_int_equal(frz_particles_find(&store, "pressure"), FRZ_FIELD_ID_pressure);
    assert_int_equal(frz_particles_find(&store, "scratch"), FRZ_FIELD_CORE_COUNT + 2);
    assert_int_equal(frz_particles_find(&store, "flavour"), -1);
    int first = 0;
    assert_int_equal(frz_particles_add_fields(&store, NULL, &first, NULL), FRZ_OK);
    assert_int_equal(first, store.field_count);
    frz_particles_destroy(&store);
}

static void an_empty_store_works_and_nothing_leaks(void **state)
{
    (void)state;
    const int64_t before = frz_memory_bytes();
    const int capacity[FRZ_ROLE_COUNT] = {0};
    frz_particles store;
    assert_int_equal(frz_particles_create(capacity, &store, NULL), FRZ_OK);
    const int nothing = 0;
    frz_particles_permute(&store, FRZ_ROLE_FREE, &nothing, 0, NULL);
    frz_particles_restore(&store, FRZ_ROLE_FREE, &nothing, NULL);
    frz_particles_mirror(&store, FRZ_ROLE_SAMPLE);
    assert_int_equal(frz_particles_view(&store, FRZ_FIELD_ID_id, FRZ_ROLE_FREE).rows, 0);
    frz_particles_destroy(&store);
    frz_particles_destroy(&store);
    assert_int_equal(frz_memory_bytes(), before);
}

static void growing_moves_the_roles_behind_and_loses_nothing(void **state)
{
    (void)state;
    frz_particles store = make();
    const int first = store.first[FRZ_ROLE_SAMPLE], more = 5000;
    assert_int_equal(frz_particles_grow(&store, FRZ_ROLE_FREE, liquid, NULL), FRZ_OK); // there is room already
    assert_int_equal(store.first[FRZ_ROLE_SAMPLE], first);
    assert_int_equal(frz_particles_grow(&store, FRZ_ROLE_FREE, liquid + spare_room + more, NULL), FRZ_OK);
    assert_int_equal(store.first[FRZ_ROLE_SAMPLE], first + more);
    assert_int_equal(store.capacity[FRZ_ROLE_FREE], liquid + spare_room + more);
    assert_int_equal(store.total, liquid + spare_room + more + walls);
    for (int i = 0; i < liquid; ++i)
        check_particle(&store, i, i);
    for (int i = first; i < first + walls; ++i)
    {
        assert_int_equal(frz_field_i64(&store, FRZ_FIELD_ID_id)[i + more], i);
        assert_int_equal(frz_field_i32(&store, FRZ_FIELD_ID_body)[i + more], 2 * i);
        assert_same(frz_field_v4(&store, FRZ_FIELD_ID_position)[i + more][0], (frz_real)i);
        assert_same(((frz_v4 *)store.fields[FRZ_FIELD_ID_position].spare)[i + more][0], (frz_real)i);
        assert_int_equal(frz_particles_view(&store, FRZ_FIELD_ID_compression, FRZ_ROLE_SAMPLE).rows, 0);
    }
    frz_particles_destroy(&store);
}

static void a_new_particle_is_zero_in_every_field(void **state)
{
    (void)state;
    frz_particles store = make();
    assert_int_equal(frz_particles_append(&store, FRZ_ROLE_FREE), liquid);
    assert_int_equal(store.count[FRZ_ROLE_FREE], liquid + 1);
    const frz_v4 x = frz_field_v4(&store, FRZ_FIELD_ID_position)[liquid];
    assert_same(x[0], 0);
    assert_same(x[1], 0);
    assert_same(x[2], 0);
    assert_int_equal(frz_field_i64(&store, FRZ_FIELD_ID_id)[liquid], 0);
    assert_same(frz_field_real(&store, FRZ_FIELD_CORE_COUNT)[liquid], 0);
    check_particle(&store, liquid - 1, liquid - 1);
    frz_particles_destroy(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_follow_each_other_and_fields_are_aligned),
        cmocka_unit_test(permute_moves_every_sorted_field_and_no_wall),
        cmocka_unit_test(a_shorter_order_removes_particles),
        cmocka_unit_test(restore_undoes_a_permute_and_what_was_written_after_it),
        cmocka_unit_test(mirror_brings_what_was_written_to_both_generations),
        cmocka_unit_test(views_show_one_role_of_one_field),
        cmocka_unit_test(fields_are_found_by_name),
        cmocka_unit_test(an_empty_store_works_and_nothing_leaks),
        cmocka_unit_test(growing_moves_the_roles_behind_and_loses_nothing),
        cmocka_unit_test(a_new_particle_is_zero_in_every_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
