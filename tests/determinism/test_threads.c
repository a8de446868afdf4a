// SPDX-License-Identifier: MIT
// Any number of threads gives the same bits.
// labels: tsan
#include "base/blocks.h"
#include "run_trial.h"

#include <math.h>
#include "compare.h"

enum
{
    steps = 30,
    field_limit = 64
};

static const frz_segment segments[] = {FRZ_SEGMENT_FREE, FRZ_SEGMENT_SAMPLES};

// Contents of every field of liquid and walls after some steps.
typedef struct snapshot
{
    int count;
    const char *names[2 * field_limit];
    size_t sizes[2 * field_limit];
    void *bytes[2 * field_limit];
    frz_stats stats;
} snapshot;

static size_t value_size(frz_scalar type)
{
    return type == FRZ_SCALAR_U8 ? 1 : type == FRZ_SCALAR_F64 || type == FRZ_SCALAR_I64 ? 8 : 4;
}

// Only the components that mean something; rows may be padded.
static void keep_field(snapshot *shot, const frz_field_view *view)
{
    const size_t value = value_size(view->type), row = value * (size_t)view->components;
    unsigned char *bytes = calloc((size_t)view->count * row + 1, 1);
    assert_non_null(bytes);
    for (int64_t i = 0; i < view->count; ++i)
        memcpy(bytes + (size_t)i * row, (const unsigned char *)view->data + (size_t)(i * view->stride) * value, row);
    shot->names[shot->count] = view->name;
    shot->sizes[shot->count] = (size_t)view->count * row;
    shot->bytes[shot->count++] = bytes;
}

static void simulate(const char *text, int threads, snapshot *shot)
{
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim_def def = frz_sim_def_default();
    def.threads = threads;
    memset(shot, 0, sizeof *shot);
    assert_int_equal(frz_scene_parse(text, "trial.yaml", NULL, &scene, &diag), FRZ_OK);
    assert_int_equal(frz_sim_create(scene, &def, &sim, &diag), FRZ_OK);
    for (int k = 0; k < steps; ++k)
        if (frz_sim_step(sim, HUGE_VAL, &diag) != FRZ_OK)
            fail_msg("%s", diag.message);
    for (int s = 0; s < 2; ++s)
        for (int f = 0; frz_sim_field_name(sim, f) != NULL; ++f)
        {
            const frz_field_view view = frz_sim_field(sim, frz_sim_field_name(sim, f), segments[s]);
            assert_less(shot->count, 2 * field_limit);
            keep_field(shot, &view);
        }
    frz_sim_stats(sim, &shot->stats);
    frz_sim_destroy(&sim);
    frz_scene_destroy(&scene);
}

static void forget(snapshot *shot)
{
    for (int k = 0; k < shot->count; ++k)
        free(shot->bytes[k]);
}

static void same(const snapshot *a, const snapshot *b, int threads)
{
    assert_int_equal(a->count, b->count);
    for (int k = 0; k < a->count; ++k)
        if (a->sizes[k] != b->sizes[k] || memcmp(a->bytes[k], b->bytes[k], a->sizes[k]) != 0)
            fail_msg("field %s differs between 1 and %d threads", a->names[k], threads);
    assert_memory_equal(&a->stats.time, &b->stats.time, sizeof(double));
    assert_memory_equal(&a->stats.kinetic_energy, &b->stats.kinetic_energy, sizeof(double));
    assert_memory_equal(&a->stats.potential_energy, &b->stats.potential_energy, sizeof(double));
    assert_memory_equal(a->stats.momentum, b->stats.momentum, sizeof a->stats.momentum);
    assert_int_equal(a->stats.density_iterations, b->stats.density_iterations);
}

static void compare_threads(const char *scene)
{
    static const int threads[] = {2, 3, 8};
    static snapshot one, many;
    simulate(scene, 1, &one);
    assert_greater(one.count, 8);
    for (int k = 0; k < 3; ++k)
    {
        simulate(scene, threads[k], &many);
        same(&one, &many, threads[k]);
        forget(&many);
    }
    forget(&one);
}

static void two_dimensions_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    compare_threads(trial_spill);
}

static void three_dimensions_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    compare_threads(trial_cube);
}

int main(void)
{
    frz_parallel_least = frz_parallel_some = 1; // small scenes, too, are shared out
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_dimensions_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(three_dimensions_have_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
