// SPDX-License-Identifier: MIT
// Checkpoints with a good seal and wrong contents. The input is a list of changes to a good one, twelve bytes each:
// which array or value, what kind of change, row, component, number. What is refused leaves the simulation as it was;
// an accepted one must run, or stop with a sentence (tried with some of them).
#include "checkpoint_trial.h"

#include <sys/stat.h>

#include "fuzz.h"

static const char scene_text[] =
    "dimension: 2\n"
    "spacing: 0.1\n"
    "duration: 10\n"
    "time_step: {max: 2 ms}\n"
    "domain: {min: [-2, -1], max: [4, 3]}\n"
    "temperature: 20 degC\n"
    "materials:\n"
    "  water: {density: 1000, viscosity: {method: xsph, coefficient: 0.05}}\n"
    "  chalk: {density: 1200, elastic: {method: tlsph, young: 1e5, poisson: 0.2}, fracture: {method: stretch, limit: "
    "0.02}}\n"
    "bodies:\n"
    "  - {name: tank, state: static, shape: {box: {min: [-0.2, -0.2], max: [2, 0]}}}\n"
    "  - {name: water, state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.5, 0.3]}}}\n"
    "  - {name: bar, state: elastic, material: chalk, shape: {box: {min: [0.6, 1.2], max: [1.2, 1.6]}}}\n"
    "  - {name: ice, state: rigid, fill: particles, material: chalk, shape: {box: {min: [2.5, 0], max: [3, 0.5]}}}\n"
    "  - {name: lower, state: rigid, density: 2000, shape: {box: {min: [1, 0], max: [1.4, 0.2]}}}\n"
    "  - {name: upper, state: rigid, density: 2000, shape: {box: {min: [1.1, 0.2], max: [1.3, 0.4]}}}\n"
    "  - {name: wheel, state: rigid, density: 2000, hinge: [1.7, 1.5], shape: {sphere: {center: [1.7, 1.5], radius: "
    "0.15}}}\n"
    "joints:\n"
    "  - {type: rope, bodies: [upper, wheel], point: [1.1, 0.4], to: [1.6, 1.5]}\n"
    "emitters:\n"
    "  - {name: tap, material: water, position: [0.2, 0.8], direction: [0, -1], width: 0.2, speed: 2}\n"
    "regions:\n"
    "  - {name: drain, action: kill, shape: {box: {min: [-2, -1], max: [-1.5, 3]}}}\n"
    "probes:\n"
    "  - {name: gate, position: [0.2, 0.7], normal: [0, -1], width: 0.5, fields: [flow]}\n"
    "events:\n"
    "  - {at: 1 s, do: melt, of: ice, in: {sphere: {center: [2.7, 0.2], radius: 0.1}}}\n";

enum
{
    change_size = 12, // bytes of a change
    most_changes = 8,
    through_file = 256, // one of so many inputs
    stepped = 4         // of those that are taken
};

static char folder[64], kept[80], good_path[128];
static trial_contents *good;
static uint64_t scene_hash;
static frz_sim *sim;

static void set_up(void)
{
    frz_diag diag = {.status = FRZ_OK};
    fuzz_make_folder(folder, sizeof folder);
    snprintf(kept, sizeof kept, "%s/kept", folder);
    FUZZ_REQUIRE(mkdir(kept, 0700) == 0);
    sim = core_sim(scene_text, 1);
    scene_hash = sim->scene_hash;
    core_steps(sim, 20);
    FUZZ_REQUIRE(frz_sim_save(sim, kept, &diag) == FRZ_OK);
    snprintf(good_path, sizeof good_path, "%s/checkpoint.h5", kept);
    good = trial_load(good_path);
}

static double number_of(const uint8_t *bytes)
{
    static const double special[] = {0.0,    -1.0,    1.0,  2.0,   255.0, 1e9,      -1e9,      0x1p31,
                                     0x1p53, -0x1p60, 1e30, 1e-30, NAN,   INFINITY, -INFINITY, 0.5};
    if (bytes[0] < 128)
        return special[bytes[0] % 16];
    int16_t small = 0;
    memcpy(&small, bytes + 1, sizeof small);
    return bytes[0] < 192 ? (double)small : (double)small / 1024.0;
}

static void put(void *at, frz_dtype type, double number)
{
    const double whole = isfinite(number) ? fmax(fmin(trunc(number), 0x1p62), -0x1p62) : 0.0;
    const float narrow = (float)number;
    const int64_t wide = (int64_t)whole;
    const int32_t small = (int32_t)wide;
    const uint8_t byte = (uint8_t)wide;
    const void *const from[] = {
        [FRZ_F32] = &narrow, [FRZ_F64] = &number, [FRZ_I32] = &small, [FRZ_I64] = &wide, [FRZ_U8] = &byte};
    memcpy(at, from[type], frz_dtype_size(type));
}

/// A copy of what the change needs: arrays are copied before they are written to.
static void apply(trial_contents *all, bool *owned, const uint8_t *change)
{
    const int target = change[0] % (all->array_count + all->value_count);
    const double number = number_of(change + 4);
    if (target >= all->array_count)
    {
        const int v = target - all->array_count;
        all->values[v].data = &all->numbers[v];
        put(all->values[v].data, all->values[v].type, number);
        return;
    }
    frz_array_desc *array = &all->arrays[target];
    const size_t width = (size_t)array->stride * frz_dtype_size(array->type), bytes = (size_t)array->rows * width;
    if (!owned[target])
    {
        void *copy = calloc(bytes + width + 8, 1);
        FUZZ_REQUIRE(copy != NULL);
        memcpy(copy, array->data, bytes);
        array->data = copy;
        owned[target] = true;
        if (change[1] % 16 == 1)
            array->rows += 1; // there is room for one
    }
    if (change[1] % 16 == 2 && array->rows > 0)
        array->rows -= 1;
    const int64_t row = array->rows > 0 ? (change[2] | change[3] << 8) % array->rows : 0;
    if (array->rows > 0)
        put((char *)array->data + (size_t)row * width +
                (size_t)(change[7] % array->components) * frz_dtype_size(array->type),
            array->type, number);
}

/// Mostly from memory; now and then through a file, which takes ten times as long.
static frz_status restore(const frz_checkpoint *checkpoint, bool by_file, frz_diag *diag)
{
    if (by_file)
    {
        FUZZ_REQUIRE(frz_checkpoint_write(folder, checkpoint, diag) == FRZ_OK);
        return frz_sim_restore(sim, folder, diag);
    }
    frz_checkpoint_reader *reader = NULL;
    FUZZ_REQUIRE(frz_checkpoint_lend(checkpoint, &reader, diag) == FRZ_OK);
    const frz_status status = frz_sim_take(sim, reader, folder, diag);
    frz_checkpoint_close(&reader);
    return status;
}

/// It has moved on: back to the good one, which is faster than a new simulation, but not always possible.
static void go_back(void)
{
    frz_diag diag = {.status = FRZ_OK};
    frz_checkpoint_reader *reader = NULL;
    const frz_checkpoint checkpoint = {.scene_text = scene_text,
                                       .scene_hash = scene_hash,
                                       .values = good->values,
                                       .value_count = good->value_count,
                                       .arrays = good->arrays,
                                       .array_count = good->array_count};
    FUZZ_REQUIRE(frz_checkpoint_lend(&checkpoint, &reader, &diag) == FRZ_OK);
    const frz_status status = frz_sim_take(sim, reader, kept, &diag);
    frz_checkpoint_close(&reader);
    if (status == FRZ_OK)
        return;
    frz_sim_destroy(&sim);
    sim = core_sim(scene_text, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (good == NULL)
        set_up();
    trial_contents *all = malloc(sizeof *all);
    bool owned[TRIAL_MOST_ARRAYS] = {false};
    FUZZ_REQUIRE(all != NULL);
    *all = *good;
    for (int v = 0; v < all->value_count; ++v)
        all->values[v].data = &all->numbers[v];
    for (size_t at = 0; at + change_size <= size && at < (size_t)most_changes * change_size; at += change_size)
        apply(all, owned, data + at);
    const frz_checkpoint checkpoint = {.scene_text = scene_text,
                                       .scene_hash = scene_hash,
                                       .values = all->values,
                                       .value_count = all->value_count,
                                       .arrays = all->arrays,
                                       .array_count = all->array_count};
    frz_diag diag = {.status = FRZ_OK};
    frz_status status = restore(&checkpoint, fuzz_one_of(data, size, through_file), &diag);
    const bool taken = status == FRZ_OK;
    FUZZ_REQUIRE(taken || diag.message[0] != '\0');
    if (taken && fuzz_one_of(data, size, stepped))
    {
        for (int n = 0; n < 2 && status == FRZ_OK; ++n)
            status = frz_sim_step(sim, HUGE_VAL, &diag);
        FUZZ_REQUIRE(status == FRZ_OK || diag.message[0] != '\0');
        go_back();
    }
    for (int k = 0; k < all->array_count; ++k)
        if (owned[k])
            free(all->arrays[k].data);
    free(all);
    return 0;
}
