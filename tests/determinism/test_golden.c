// SPDX-License-Identifier: MIT
// The bits of shipped scenes after a few steps are the recorded ones (golden.tsv).
//
// A change that is meant to keep results must keep these hashes; one that is meant to change them records new ones in
// the same commit (tools/golden --write). They are compared in builds without fused multiply-adds (FRZ_CONTRACT=OFF),
// whose bits are a matter of the source and not of the compiler or its optimisation. Results of the others differ in
// rounding.
// labels: long
// shards: 4
#include "base/blocks.h"
#include "run_trial.h"

#include <inttypes.h>
#include <math.h>
#include "compare.h"

enum
{
    most_scenes = 64,
    name_length = 64
};

typedef struct golden
{
    char scene[name_length];
    int steps;
    uint64_t hash;
} golden;

// FNV-1a
static void add_bytes(uint64_t *hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t k = 0; k < size; ++k)
        *hash = (*hash ^ bytes[k]) * UINT64_C(1099511628211);
}

static void add_field(uint64_t *hash, const frz_sim *sim, const char *name, frz_segment segment)
{
    const frz_field_view view = frz_sim_field(sim, name, segment);
    assert_non_null(view.data);
    const size_t value = view.type == FRZ_SCALAR_F64 || view.type == FRZ_SCALAR_I64 ? 8 : 4;
    for (int64_t i = 0; i < view.count; ++i)
        add_bytes(hash, (const unsigned char *)view.data + (size_t)(i * view.stride) * value,
                  (size_t)view.components * value);
}

static uint64_t hash_of(const frz_sim *sim)
{
    static const char *const fields[] = {"position", "velocity", "density", "pressure", "id"};
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t f = 0; f < sizeof fields / sizeof *fields; ++f)
        add_field(&hash, sim, fields[f], FRZ_SEGMENT_FREE);
    add_field(&hash, sim, "position", FRZ_SEGMENT_SAMPLES);
    const int bodies = frz_sim_body_count(sim);
    frz_body_info *info = calloc((size_t)bodies + 1, sizeof *info);
    assert_non_null(info);
    frz_sim_bodies(sim, info);
    for (int b = 0; b < bodies; ++b)
    {
        add_bytes(&hash, info[b].position, sizeof info[b].position);
        add_bytes(&hash, info[b].orientation, sizeof info[b].orientation);
        add_bytes(&hash, info[b].velocity, sizeof info[b].velocity);
        add_bytes(&hash, info[b].spin, sizeof info[b].spin);
    }
    free(info);
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    add_bytes(&hash, &stats.time, sizeof stats.time);
    return hash;
}

static uint64_t simulate(const golden *g, int threads)
{
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim_def def = frz_sim_def_default();
    def.threads = threads;
    if (frz_scene_builtin(g->scene, &scene, &diag) != FRZ_OK || frz_sim_create(scene, &def, &sim, &diag) != FRZ_OK)
        fail_msg("%s: %s", g->scene, diag.message);
    for (int k = 0; k < g->steps; ++k)
        if (frz_sim_step(sim, HUGE_VAL, &diag) != FRZ_OK)
            fail_msg("%s: %s", g->scene, diag.message);
    const uint64_t hash = hash_of(sim);
    frz_sim_destroy(&sim);
    frz_scene_destroy(&scene);
    return hash;
}

// "scene steps hash"; the hash may be missing.
static bool read_line(const char *line, golden *out)
{
    const size_t name = strcspn(line, " \t\n");
    if (name == 0 || name >= sizeof out->scene)
        return false;
    memcpy(out->scene, line, name);
    out->scene[name] = '\0';
    char *end = NULL;
    out->steps = (int)strtol(line + name, &end, 10);
    out->hash = strtoull(end, NULL, 16);
    return end != line + name;
}

static int read_table(golden table[most_scenes])
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/determinism/golden.tsv", getenv("FRZ_SOURCE_DIR"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[256];
    int count = 0;
    while (fgets(line, sizeof line, file) != NULL && count < most_scenes)
        count += line[0] != '#' && read_line(line, &table[count]);
    fclose(file);
    return count;
}

// The part of this process: number / parts.
static void read_shard(int *number, int *parts)
{
    *number = *parts = 1;
    const char *text = getenv("FRZ_SHARD"), *slash = text != NULL ? strchr(text, '/') : NULL;
    if (slash == NULL)
        return;
    *number = (int)strtol(text, NULL, 10);
    *parts = (int)strtol(slash + 1, NULL, 10);
}

static void shipped_scenes_have_their_recorded_bits(void **state)
{
    (void)state;
    golden table[most_scenes];
    const int count = read_table(table);
    assert_greater_equal(count, 20);
    const bool print = getenv("FRZ_GOLDEN_PRINT") != NULL;
#ifndef FRZ_NO_CONTRACTION
    if (!print)
        skip(); // fused multiply-adds are the compiler's choice
#endif
    int number, parts, different = 0;
    read_shard(&number, &parts);
    const int turns = getenv("FRZ_GOLDEN_ALL") != NULL && !print ? 3 : 1; // scenes take turns with threads, or take all
    for (int n = turns * (number - 1); n < turns * count; n += n % turns == turns - 1 ? turns * (parts - 1) + 1 : 1)
    {
        static const int threads[] = {1, 2, 5};
        const int k = n / turns, used = threads[turns == 1 ? k / parts % 3 : n % 3];
        const uint64_t hash = simulate(&table[k], used);
        if (print)
            printf("%s\t%d\t%016" PRIx64 "\n", table[k].scene, table[k].steps, hash);
        else if (hash != table[k].hash)
        {
            print_error("%s after %d steps with %d threads: %016" PRIx64 ", recorded %016" PRIx64 "\n", table[k].scene,
                        table[k].steps, used, hash, table[k].hash);
            different += 1;
        }
    }
    assert_int_equal(different, 0);
}

int main(void)
{
    frz_parallel_least = frz_parallel_some = 1; // small scenes, too, are shared out
    const struct CMUnitTest tests[] = {cmocka_unit_test(shipped_scenes_have_their_recorded_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
