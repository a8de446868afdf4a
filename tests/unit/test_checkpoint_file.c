// SPDX-License-Identifier: MIT
// Checkpoints: exact round trip, two generations, and every kind of broken file.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <ftw.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/checkpoint_file.h"
#include "io/checkpoint_internal.h"
#include "io/text_file.h"

enum
{
    rows = 20000, // more than one slab of a strided array
    stride = 4
};

static char folder[64];
static float position[rows * stride];
static double heat[rows];
static int64_t step;
static double instant;

static const char *in_folder(const char *name)
{
    static char path[4][256];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

// Contents that depend on number, so that generations can be told apart.
static frz_status write_number(int number, frz_diag *diag)
{
    for (int i = 0; i < rows; ++i)
    {
        for (int c = 0; c < stride; ++c)
            position[i * stride + c] = (float)(number + i * 0.001 + c);
        heat[i] = number + 1.0 / (i + 1.0);
    }
    step = INT64_MAX - number;
    instant = nextafter(number + 0.1, 10.0);
    const frz_checkpoint_value values[] = {{"step", FRZ_I64, &step, FRZ_RANGE_FINITE},
                                           {"time", FRZ_F64, &instant, FRZ_RANGE_FINITE}};
    const frz_array_desc arrays[] = {{"position", "m", FRZ_F32, 3, stride, rows, position},
                                     {"heat", "J", FRZ_F64, 1, 1, rows, heat},
                                     {"nothing", "", FRZ_I32, 1, 1, 0, NULL}};
    const frz_checkpoint checkpoint = {"title: älter\n", UINT64_C(0xfedcba9876543210), values, 2, arrays, 3};
    return frz_checkpoint_write(folder, &checkpoint, diag);
}

static int make_scratch(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/frz_checkpoint_XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

static int remove_scratch(void **state)
{
    (void)state;
    enum
    {
        open_folders = 8
    };
    return nftw(folder, remove_entry, open_folders, FTW_DEPTH | FTW_PHYS);
}

// Both generations fresh: 1 older, 2 newest.
static int two_generations(void **state)
{
    (void)state;
    unlink(in_folder("checkpoint.h5"));
    unlink(in_folder("checkpoint.old.h5"));
    return write_number(1, NULL) != FRZ_OK || write_number(2, NULL) != FRZ_OK;
}

static void assert_opens_number(int number, bool older)
{
    frz_checkpoint_reader *reader = NULL;
    bool used_older = !older;
    int64_t read_step = 0;
    assert_int_equal(frz_checkpoint_open(folder, &reader, &used_older, NULL), FRZ_OK);
    assert_int_equal(used_older, older);
    const frz_checkpoint_value value = {"step", FRZ_I64, &read_step, FRZ_RANGE_FINITE};
    assert_int_equal(frz_checkpoint_read_value(reader, &value, NULL), FRZ_OK);
    assert_same(read_step, INT64_MAX - number);
    frz_checkpoint_close(&reader);
    assert_null(reader);
}

static void damage(const char *name, size_t keep, long flip)
{
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(frz_text_read(in_folder(name), &text, &length, NULL), FRZ_OK);
    if (flip >= 0)
        text[flip] = (char)(text[flip] ^ 0x10);
    assert_int_equal(frz_text_write(in_folder(name), text, keep < length ? keep : length, NULL), FRZ_OK);
    frz_free(text);
}

static void values_arrays_and_scene_come_back_exactly(void **state)
{
    (void)state;
    frz_checkpoint_reader *reader = NULL;
    bool used_older = true;
    assert_int_equal(frz_checkpoint_open(folder, &reader, &used_older, NULL), FRZ_OK);
    assert_false(used_older);
    assert_string_equal(frz_checkpoint_scene_text(reader), "title: älter\n");
    assert_same(frz_checkpoint_scene_hash(reader), UINT64_C(0xfedcba9876543210));
    double read_time = 0.0;
    const frz_checkpoint_value value = {"time", FRZ_F64, &read_time, FRZ_RANGE_FINITE};
    assert_int_equal(frz_checkpoint_read_value(reader, &value, NULL), FRZ_OK);
    assert_memory_equal(&read_time, &instant, sizeof instant);
    assert_int_equal(frz_checkpoint_rows(reader, "position"), rows);
    assert_int_equal(frz_checkpoint_rows(reader, "nothing"), 0);
    assert_int_equal(frz_checkpoint_rows(reader, "unknown"), -1);
    float *read_position = calloc((size_t)rows * 5, sizeof(float)); // another stride than when writing
    double *read_heat = calloc(rows, sizeof(double));
    assert_non_null(read_position);
    assert_non_null(read_heat);
    const frz_array_desc wide = {"position", "m", FRZ_F32, 3, 5, rows, read_position};
    const frz_array_desc plain = {"heat", "J", FRZ_F64, 1, 1, rows, read_heat};
    const frz_array_desc nothing = {"nothing", "", FRZ_I32, 1, 1, 0, NULL};
    assert_int_equal(frz_checkpoint_read_array(reader, &wide, NULL), FRZ_OK);
    assert_int_equal(frz_checkpoint_read_array(reader, &plain, NULL), FRZ_OK);
    assert_int_equal(frz_checkpoint_read_array(reader, &nothing, NULL), FRZ_OK);
    assert_memory_equal(read_heat, heat, sizeof heat);
    for (int i = 0; i < rows; ++i)
    {
        assert_memory_equal(read_position + 5 * (size_t)i, position + stride * (size_t)i, 3 * sizeof(float));
        assert_same(read_position[5 * i + 3], 0.0F); // the gap is not touched
    }
    free(read_position);
    free(read_heat);
    frz_checkpoint_close(&reader);
}

static void wrong_type_shape_and_name_are_refused(void **state)
{
    (void)state;
    frz_diag diag;
    frz_checkpoint_reader *reader = NULL;
    bool used_older = false;
    assert_int_equal(frz_checkpoint_open(folder, &reader, &used_older, NULL), FRZ_OK);
    const frz_array_desc wrong_type = {"position", "m", FRZ_F64, 3, 3, rows, heat};
    assert_int_equal(frz_checkpoint_read_array(reader, &wrong_type, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "precision program"));
    const frz_array_desc wrong_rows = {"heat", "J", FRZ_F64, 1, 1, rows - 1, heat};
    assert_int_equal(frz_checkpoint_read_array(reader, &wrong_rows, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "rows"));
    const frz_array_desc wrong_name = {"unknown", "", FRZ_F64, 1, 1, rows, heat};
    assert_int_equal(frz_checkpoint_read_array(reader, &wrong_name, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "no array 'unknown'"));
    double number = 0.0;
    const frz_checkpoint_value as_double = {"step", FRZ_F64, &number, FRZ_RANGE_FINITE};
    assert_int_equal(frz_checkpoint_read_value(reader, &as_double, &diag), FRZ_ERR_FILE);
    const frz_checkpoint_value missing = {"unknown", FRZ_F64, &number, FRZ_RANGE_FINITE};
    assert_int_equal(frz_checkpoint_read_value(reader, &missing, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "no value 'unknown'"));
    // a failure does not spoil the reader
    const frz_array_desc right = {"heat", "J", FRZ_F64, 1, 1, rows, heat};
    assert_int_equal(frz_checkpoint_read_array(reader, &right, &diag), FRZ_OK);
    frz_checkpoint_close(&reader);
    frz_checkpoint_close(&reader);
}

static void newest_becomes_the_older_one(void **state)
{
    (void)state;
    assert_opens_number(2, false);
    assert_int_equal(unlink(in_folder("checkpoint.h5")), 0); // killed between the two renames
    assert_opens_number(1, true);
    assert_int_equal(write_number(3, NULL), FRZ_OK);
    assert_opens_number(3, false);
}

static void truncated_newest_falls_back(void **state)
{
    (void)state;
    damage("checkpoint.h5", 5000, -1);
    assert_opens_number(1, true);
}

static void one_wrong_bit_anywhere_is_noticed(void **state)
{
    (void)state;
    for (long at = 0; at < 200000; at += 49999)
    {
        assert_int_equal(two_generations(NULL), 0);
        damage("checkpoint.h5", SIZE_MAX, at);
        assert_opens_number(1, true);
    }
}

static void broken_newest_does_not_push_out_the_good_older_one(void **state)
{
    (void)state;
    damage("checkpoint.h5", 5000, -1);
    assert_int_equal(write_number(3, NULL), FRZ_OK);
    assert_opens_number(3, false);
    assert_int_equal(unlink(in_folder("checkpoint.h5")), 0);
    assert_opens_number(1, true);
}

static void both_broken_names_both_and_why(void **state)
{
    (void)state;
    frz_diag diag;
    frz_checkpoint_reader *reader = NULL;
    bool used_older = true;
    const struct
    {
        const char *text;
        const char *reason;
    } cases[] = {{"", "checkpoint.h5: it is empty; checkpoint.old.h5: it is truncated"},
                 {"not a checkpoint at all", "checkpoint.h5: it is not an HDF5 file; checkpoint.old.h5: it is trunc"}};
    damage("checkpoint.old.h5", 5000, -1);
    for (int k = 0; k < 2; ++k)
    {
        assert_int_equal(frz_text_write(in_folder("checkpoint.h5"), cases[k].text, strlen(cases[k].text), NULL),
                         FRZ_OK);
        assert_int_equal(frz_checkpoint_open(folder, &reader, &used_older, &diag), FRZ_ERR_FILE);
        assert_non_null(strstr(diag.message, cases[k].reason));
        assert_null(reader);
        assert_false(used_older);
    }
    assert_int_equal(unlink(in_folder("checkpoint.h5")), 0);
    assert_int_equal(unlink(in_folder("checkpoint.old.h5")), 0);
    assert_int_equal(frz_checkpoint_open(folder, &reader, &used_older, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "checkpoint.h5: it does not exist; checkpoint.old.h5: it does not exist"));
}

// Give the newest file another number of its format (below 0: none), and a seal that fits.
static void set_format(int64_t number)
{
    char *text = NULL;
    size_t length = 0;
    const char *path = in_folder("checkpoint.h5");
    assert_int_equal(frz_text_read(path, &text, &length, NULL), FRZ_OK);
    assert_int_equal(frz_text_write(path, text, length - sizeof(frz_seal), NULL), FRZ_OK);
    frz_free(text);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t attribute = H5Aopen(file, "format", H5P_DEFAULT);
    assert_greater_equal(attribute, 0);
    assert_greater_equal(H5Awrite(attribute, H5T_NATIVE_INT64, &number), 0);
    H5Aclose(attribute);
    if (number < 0)
        assert_greater_equal(H5Adelete(file, "format"), 0);
    H5Fclose(file);
    assert_int_equal(frz_text_read(path, &text, &length, NULL), FRZ_OK);
    const frz_seal seal = frz_seal_make(FRZ_CHECKPOINT_MAGIC, &(frz_piece){text, length});
    text = frz_realloc("test", text, length + sizeof seal, 1);
    assert_non_null(text);
    memcpy(text + length, &seal, sizeof seal);
    assert_int_equal(frz_text_write(path, text, length + sizeof seal, NULL), FRZ_OK);
    frz_free(text);
}

static void assert_not_opened(const char *words)
{
    frz_diag diag;
    frz_checkpoint_reader *reader = NULL;
    bool used_older = true;
    assert_int_equal(frz_checkpoint_open(folder, &reader, &used_older, &diag), FRZ_ERR_FILE);
    if (strstr(diag.message, words) == NULL)
        fail_msg("no '%s' in: %s", words, diag.message);
}

static void other_formats_are_refused_with_advice(void **state)
{
    (void)state;
    assert_int_equal(unlink(in_folder("checkpoint.old.h5")), 0);
    set_format(3);
    assert_opens_number(2, false); // the seal made here is good
    set_format(4);
    assert_not_opened("it has format 4, of a newer frazil, but this program reads format 3: go on with the program");
    set_format(1);
    assert_not_opened("it has format 1, of an older frazil, but this program reads format 3: go on with the program");
    set_format(-1);
    assert_not_opened("an older frazil");
}

static void files_with_the_first_seal_are_refused_with_advice(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(unlink(in_folder("checkpoint.old.h5")), 0);
    assert_int_equal(frz_text_read(in_folder("checkpoint.h5"), &text, &length, NULL), FRZ_OK);
    text[length - sizeof(frz_seal) + 7] = '1'; // FZRSEAL1
    assert_int_equal(frz_text_write(in_folder("checkpoint.h5"), text, length, NULL), FRZ_OK);
    frz_free(text);
    assert_not_opened("it has format 1, of frazil 0.1, which this program does not read: go on with the program");
}

static void values_out_of_their_range_are_refused(void **state)
{
    (void)state;
    frz_diag diag;
    frz_checkpoint_reader *reader = NULL;
    bool used_older = false;
    double number = 7.0;
    assert_int_equal(frz_checkpoint_open(folder, &reader, &used_older, NULL), FRZ_OK);
    const frz_checkpoint_value value = {"time", FRZ_F64, &number, FRZ_RANGE(0.0, 1.0)};
    assert_int_equal(frz_checkpoint_read_value(reader, &value, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "value 'time' is 2.1"));
    assert_same(number, 7.0);
    frz_checkpoint_close(&reader);
}

static void full_disk_leaves_both_generations(void **state)
{
    (void)state;
    frz_diag diag;
    struct rlimit now;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
    const struct rlimit tight = {50000, now.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const frz_status status = write_number(3, &diag);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
    assert_int_equal(status, FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "checkpoint.h5: File too large"));
    assert_opens_number(2, false);
    assert_int_equal(unlink(in_folder("checkpoint.h5")), 0);
    assert_opens_number(1, true);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    frz_diag diag;
    const frz_array_desc slash = {"a/b", "", FRZ_F64, 1, 1, 1, heat};
    frz_checkpoint checkpoint = {.scene_text = "", .arrays = &slash, .array_count = 1};
    assert_int_equal(frz_checkpoint_write(folder, &checkpoint, &diag), FRZ_ERR_ARGUMENT);
    const frz_checkpoint_value narrow = {"n", FRZ_F32, &step, FRZ_RANGE_FINITE};
    checkpoint = (frz_checkpoint){.scene_text = "", .values = &narrow, .value_count = 1};
    assert_int_equal(frz_checkpoint_write(folder, &checkpoint, &diag), FRZ_ERR_ARGUMENT);
    checkpoint = (frz_checkpoint){.scene_text = ""};
    assert_int_equal(frz_checkpoint_write("/proc/nothing", &checkpoint, &diag), FRZ_ERR_FILE);
    assert_int_equal(frz_checkpoint_write(folder, &checkpoint, &diag), FRZ_OK); // nothing at all is fine
    assert_int_equal(frz_memory_bytes(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(values_arrays_and_scene_come_back_exactly, two_generations),
        cmocka_unit_test_setup(wrong_type_shape_and_name_are_refused, two_generations),
        cmocka_unit_test_setup(newest_becomes_the_older_one, two_generations),
        cmocka_unit_test_setup(truncated_newest_falls_back, two_generations),
        cmocka_unit_test_setup(one_wrong_bit_anywhere_is_noticed, two_generations),
        cmocka_unit_test_setup(broken_newest_does_not_push_out_the_good_older_one, two_generations),
        cmocka_unit_test_setup(both_broken_names_both_and_why, two_generations),
        cmocka_unit_test_setup(other_formats_are_refused_with_advice, two_generations),
        cmocka_unit_test_setup(files_with_the_first_seal_are_refused_with_advice, two_generations),
        cmocka_unit_test_setup(values_out_of_their_range_are_refused, two_generations),
        cmocka_unit_test_setup(full_disk_leaves_both_generations, two_generations),
        cmocka_unit_test_setup(nonsense_is_refused, two_generations),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
