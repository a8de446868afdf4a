// SPDX-License-Identifier: MIT
// Frames: exact round trip, counting, failures that cost nothing. With a folder as argument the program only writes the
// sample frames and their master there, for tools/check_output.py.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <dirent.h>
#include <ftw.h>
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/frame_file.h"
#include "io/text_file.h"

enum
{
    sample_frames = 3,
    largest = 40, // particles of the largest sample frame
    stride = 4    // positions and velocities carry a fourth value in memory
};

static const int sample_counts[sample_frames] = {7, 40, 23};
static char folder[64];

// The data of one sample frame; a second density is there in some frames only.
typedef struct sample
{
    float position[largest * stride];
    double velocity[largest * stride];
    float density[largest];
    int64_t id[largest];
    int32_t body[largest];
    unsigned char role[largest];
    frz_array_desc fields[6];
    frz_frame frame;
} sample;

static void fill_sample(sample *s, int index, int count)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < count; ++i)
    {
        for (int c = 0; c < stride; ++c)
        {
            s->position[i * stride + c] = (float)(index + 0.1 * i + 0.01 * c);
            s->velocity[i * stride + c] = index * 1e-3 - 1.0 / (3.0 + i + c);
        }
        s->density[i] = 1000.0F + (float)i / 3.0F;
        s->id[i] = INT64_C(1234567890123) + i;
        s->body[i] = -i;
        s->role[i] = (unsigned char)(i % 4);
    }
    const frz_array_desc fields[] = {{"velocity", "m/s", FRZ_F64, 3, stride, count, s->velocity},
                                     {"density", "kg/m^3", FRZ_F32, 1, 1, count, s->density},
                                     {"id", "", FRZ_I64, 1, 1, count, s->id},
                                     {"body", "", FRZ_I32, 1, 1, count, s->body},
                                     {"role", "", FRZ_U8, 1, 1, count, s->role},
                                     {"rarely", "Pa", FRZ_F32, 1, 1, count, s->density}};
    memcpy(s->fields, fields, sizeof fields);
    s->frame = (frz_frame){.index = index,
                           .step = INT64_C(100) * index,
                           .time = index / 30.0,
                           .count = count,
                           .position = {"position", "m", FRZ_F32, 3, stride, count, s->position},
                           .fields = s->fields,
                           .field_count = index == 1 ? 6 : 5};
}

/// The master over frames, all of which must be there.
static frz_status write_master(const char *directory, int frames, frz_diag *diag)
{
    frz_frame_index *index = NULL;
    int complete = 0;
    FRZ_TRY(frz_frame_index_create(&index, diag));
    const frz_status status = frz_frame_write_master(directory, frames, index, &complete, diag);
    frz_frame_index_destroy(&index);
    return status == FRZ_OK && complete < frames ? FRZ_ERR_FILE : status;
}

static frz_status write_samples(const char *directory, const int *counts, int frames, frz_diag *diag)
{
    for (int k = 0; k < frames; ++k)
    {
        sample s;
        fill_sample(&s, k, counts[k]);
        FRZ_TRY(frz_frame_write(directory, &s.frame, diag));
    }
    return write_master(directory, frames, diag);
}

static void assert_reads_back(const char *directory, int index, int count)
{
    sample s;
    frz_frame_data data;
    fill_sample(&s, index, count);
    assert_int_equal(frz_frame_read(directory, index, &data, NULL), FRZ_OK);
    assert_int_equal(data.frame.index, index);
    assert_int_equal(data.frame.step, s.frame.step);
    assert_same(data.frame.time, s.frame.time);
    assert_int_equal(data.frame.count, count);
    assert_int_equal(data.frame.field_count, s.frame.field_count);
    for (int k = -1; k < s.frame.field_count; ++k)
    {
        const frz_array_desc *wrote = k < 0 ? &s.frame.position : &s.frame.fields[k];
        const frz_array_desc *read = k < 0 ? &data.frame.position : &data.frame.fields[k];
        assert_string_equal(read->name, wrote->name);
        assert_string_equal(read->unit, wrote->unit);
        assert_int_equal(read->type, wrote->type);
        assert_int_equal(read->components, wrote->components);
        const size_t size = frz_dtype_size(read->type);
        for (int i = 0; i < count; ++i)
            assert_memory_equal((char *)read->data + (size_t)(i * read->stride) * size,
                                (char *)wrote->data + (size_t)(i * wrote->stride) * size,
                                size * (size_t)read->components);
    }
    frz_frame_data_destroy(&data);
    assert_null(data.owned);
}

static int make_scratch(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/frz_frame_XXXXXX");
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

static void in_folder(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", folder, name);
}

static void frames_of_differing_counts_read_back_exactly(void **state)
{
    (void)state;
    assert_int_equal(frz_frame_count(folder), 0);
    assert_int_equal(write_samples(folder, sample_counts, sample_frames, NULL), FRZ_OK);
    assert_int_equal(frz_frame_count(folder), sample_frames);
    for (int k = 0; k < sample_frames; ++k)
        assert_reads_back(folder, k, sample_counts[k]);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static void leftovers_and_gaps_are_not_counted(void **state)
{
    (void)state;
    char path[256];
    in_folder(path, "frames/frame_000003.vtkhdf.tmp.77");
    assert_int_equal(frz_text_write(path, "torn", 4, NULL), FRZ_OK);
    in_folder(path, "frames/frame_000004.vtkhdf");
    assert_int_equal(frz_text_write(path, "beyond a gap", 12, NULL), FRZ_OK);
    assert_int_equal(frz_frame_count(folder), sample_frames);
    in_folder(path, "frames/frame_000003.vtkhdf");
    assert_int_equal(frz_text_write(path, "", 0, NULL), FRZ_OK);
    assert_int_equal(frz_frame_count(folder), sample_frames);
    assert_int_equal(frz_frame_count("/nowhere/at/all"), 0);
}

static void empty_frames_are_written_read_and_mastered(void **state)
{
    (void)state;
    char path[256];
    const int counts[] = {0, 5, 0, 3};
    const int nothing[] = {0};
    in_folder(path, "empty");
    assert_int_equal(write_samples(path, nothing, 1, NULL), FRZ_OK);
    assert_int_equal(write_samples(path, counts, 4, NULL), FRZ_OK);
    for (int k = 0; k < 4; ++k)
        assert_reads_back(path, k, counts[k]);
}

static hssize_t rows_of(hid_t file, const char *name)
{
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_greater_equal(dataset, 0);
    const hid_t space = H5Dget_space(dataset);
    const hssize_t rows = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    H5Dclose(dataset);
    return rows;
}

static void master_shows_all_frames_and_only_common_fields(void **state)
{
    (void)state;
    char path[256];
    int64_t ids[7 + 40 + 23];
    in_folder(path, "particles.vtkhdf");
    assert_int_equal(write_samples(folder, sample_counts, sample_frames, NULL), FRZ_OK);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_greater_equal(file, 0);
    assert_int_equal(rows_of(file, "/VTKHDF/Points"), 70 * 3);
    assert_int_equal(rows_of(file, "/VTKHDF/Vertices/Offsets"), 70 + 3);
    assert_int_equal(rows_of(file, "/VTKHDF/Steps/PointDataOffsets/velocity"), 3);
    assert_int_equal(H5Lexists(file, "/VTKHDF/PointData/rarely", H5P_DEFAULT), 0);
    const hid_t dataset = H5Dopen2(file, "/VTKHDF/PointData/id", H5P_DEFAULT);
    assert_greater_equal(H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ids), 0);
    assert_int_equal(ids[7], INT64_C(1234567890123));
    assert_int_equal(ids[69], INT64_C(1234567890123) + 22);
    H5Dclose(dataset);
    H5Fclose(file);
}

static void master_notices_a_replaced_frame(void **state)
{
    (void)state;
    char path[256];
    sample s;
    assert_int_equal(write_samples(folder, sample_counts, sample_frames, NULL), FRZ_OK);
    fill_sample(&s, 1, 11);
    assert_int_equal(frz_frame_write(folder, &s.frame, NULL), FRZ_OK);
    assert_int_equal(write_master(folder, sample_frames, NULL), FRZ_OK);
    in_folder(path, "particles.vtkhdf");
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_int_equal(rows_of(file, "/VTKHDF/Points"), (7 + 11 + 23) * 3);
    H5Fclose(file);
}

static void master_without_frames_removes_stale_ones(void **state)
{
    (void)state;
    char path[256];
    in_folder(path, "stale");
    assert_int_equal(write_samples(path, sample_counts, sample_frames, NULL), FRZ_OK);
    assert_int_equal(write_master(path, 0, NULL), FRZ_OK);
    in_folder(path, "stale/particles.xmf");
    assert_int_not_equal(access(path, F_OK), 0);
    in_folder(path, "stale/particles.vtkhdf");
    assert_int_not_equal(access(path, F_OK), 0);
}

static void master_is_due_ever_more_rarely(void **state)
{
    (void)state;
    int due = 0;
    for (int k = 1; k <= 10000; ++k)
        due += frz_frame_master_due(k);
    assert_true(frz_frame_master_due(1) && frz_frame_master_due(100) && !frz_frame_master_due(10001));
    assert_greater(due, 200);
    assert_less(due, 1000);
}

static void limit_files(rlim_t limit)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit now;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
    now.rlim_cur = limit;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
}

static int entries_in(const char *path)
{
    DIR *dir = opendir(path);
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void full_disk_keeps_the_old_frame_and_says_so(void **state)
{
    (void)state;
    frz_diag diag;
    char path[256];
    sample s;
    in_folder(path, "full");
    assert_int_equal(write_samples(path, sample_counts, sample_frames, NULL), FRZ_OK);
    fill_sample(&s, 1, 12);
    limit_files(2000);
    const frz_status frame_status = frz_frame_write(path, &s.frame, &diag);
    frz_diag master_diag;
    const frz_status master_status = write_master(path, sample_frames, &master_diag);
    limit_files(RLIM_INFINITY);
    assert_int_equal(frame_status, FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "frame_000001.vtkhdf: File too large; frames 0 to 2 are complete"));
    assert_int_equal(master_status, FRZ_ERR_FILE);
    assert_non_null(strstr(master_diag.message, "particles.vtkhdf"));
    for (int k = 0; k < sample_frames; ++k)
        assert_reads_back(path, k, sample_counts[k]);
    in_folder(path, "full/frames");
    assert_int_equal(entries_in(path), sample_frames); // no temporary is left
}

static void real_full_disk_is_named(void **state)
{
    (void)state;
    char path[256];
    frz_diag diag;
    in_folder(path, "tiny");
    assert_int_equal(mkdir(path, 0777), 0);
    if (mount("tmpfs", path, "tmpfs", 0, "size=16k") != 0)
        skip(); // needs the right to mount
    frz_status status = FRZ_OK;
    for (int k = 0; k < 8 && status == FRZ_OK; ++k)
    {
        sample s;
        fill_sample(&s, k, largest);
        status = frz_frame_write(path, &s.frame, &diag);
    }
    const int complete = frz_frame_count(path);
    umount(path);
    assert_int_equal(status, FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "No space left on device; "));
    assert_less(complete, 8);
}

static void unwritable_places_are_named(void **state)
{
    (void)state;
    frz_diag diag;
    sample s;
    char path[256];
    fill_sample(&s, 0, 3);
    in_folder(path, "a_file");
    assert_int_equal(frz_text_write(path, "x", 1, NULL), FRZ_OK);
    assert_int_equal(frz_frame_write(path, &s.frame, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "a_file"));
    assert_int_equal(frz_frame_write("/proc/nothing", &s.frame, &diag), FRZ_ERR_FILE);
}

static void damaged_frames_give_a_sentence(void **state)
{
    (void)state;
    frz_diag diag;
    frz_frame_data data;
    char path[256];
    char *text = NULL;
    size_t length = 0;
    in_folder(path, "damaged");
    assert_int_equal(write_samples(path, sample_counts, sample_frames, NULL), FRZ_OK);
    in_folder(path, "damaged/frames/frame_000001.vtkhdf");
    assert_int_equal(frz_text_read(path, &text, &length, NULL), FRZ_OK);
    assert_int_equal(frz_text_write(path, text, length / 2, NULL), FRZ_OK);
    frz_free(text);
    in_folder(path, "damaged/frames/frame_000002.vtkhdf");
    assert_int_equal(frz_text_write(path, "garbage garbage garbage", 23, NULL), FRZ_OK);
    in_folder(path, "damaged");
    for (int k = 1; k <= 3; ++k) // the last is missing
    {
        assert_int_equal(frz_frame_read(path, k, &data, &diag), FRZ_ERR_FILE);
        assert_non_null(strstr(diag.message, "cannot read"));
        assert_null(data.owned);
    }
    assert_int_equal(write_master(path, 3, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "frame_000001"));
}

static void a_changed_byte_is_noticed_before_hdf5_sees_it(void **state)
{
    (void)state;
    frz_diag diag;
    frz_frame_data data;
    char path[256], folder_path[256];
    char *text = NULL;
    size_t length = 0;
    in_folder(folder_path, "flipped");
    assert_int_equal(write_samples(folder_path, sample_counts, sample_frames, NULL), FRZ_OK);
    in_folder(path, "flipped/frames/frame_000001.vtkhdf");
    assert_int_equal(frz_text_read(path, &text, &length, NULL), FRZ_OK);
    int tried = 0;
    for (size_t at = 0; at + 24 < length; at += 37, ++tried) // the seal takes 24 bytes
    {
        text[at] ^= (char)(1 << at % 8);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(text, 1, length, file), length);
        (void)fclose(file);
        text[at] ^= (char)(1 << at % 8);
        assert_int_equal(frz_frame_read(folder_path, 1, &data, &diag), FRZ_ERR_FILE);
        assert_non_null(strstr(diag.message, "it is damaged (its checksum does not match)"));
    }
    assert_greater(tried, 50);
    // without its seal, as another program would write it, it is read
    assert_int_equal(frz_text_write(path, text, length - 24, NULL), FRZ_OK);
    assert_int_equal(frz_frame_read(folder_path, 1, &data, &diag), FRZ_OK);
    frz_frame_data_destroy(&data);
    frz_free(text);
}

static void impossible_frames_are_refused(void **state)
{
    (void)state;
    frz_diag diag;
    sample s;
    fill_sample(&s, 0, 3);
    s.fields[1].name = "a/b";
    assert_int_equal(frz_frame_write(folder, &s.frame, &diag), FRZ_ERR_ARGUMENT);
    fill_sample(&s, 0, 3);
    s.fields[2].rows = 2;
    assert_int_equal(frz_frame_write(folder, &s.frame, &diag), FRZ_ERR_ARGUMENT);
    fill_sample(&s, 0, 3);
    s.frame.position.components = 2;
    assert_int_equal(frz_frame_write(folder, &s.frame, &diag), FRZ_ERR_ARGUMENT);
}

static long resident_pages(void)
{
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &all, &resident), 2); // NOLINT(cert-err34-c): numbers of the kernel
    (void)fclose(file);
    return resident;
}

// A master of k frames takes some 30 kB for each of them while it is built; they must not stay.
static void masters_of_more_and_more_frames_keep_no_memory(void **state)
{
    (void)state;
    enum
    {
        first = 60,
        last = 140
    };
    char path[128];
    long before = 0;
    frz_frame_index *index = NULL;
    snprintf(path, sizeof path, "%s/growth", folder);
    assert_int_equal(frz_frame_index_create(&index, NULL), FRZ_OK);
    for (int k = 0; k < last; ++k)
    {
        sample s;
        int complete = 0;
        fill_sample(&s, k, 3);
        assert_int_equal(frz_frame_write(path, &s.frame, NULL), FRZ_OK);
        assert_int_equal(frz_frame_write_master(path, k + 1, index, &complete, NULL), FRZ_OK);
        assert_int_equal(complete, k + 1);
        if (k == first)
            before = resident_pages();
    }
    frz_frame_index_destroy(&index);
#ifndef __SANITIZE_ADDRESS__ // which keeps freed memory for a while
    const long grown = (resident_pages() - before) * sysconf(_SC_PAGESIZE);
    if (grown > 1500000)
        fail_msg("the process grew by %ld bytes", grown);
#endif
}

static void nothing_of_ours_stays_allocated(void **state)
{
    (void)state;
    assert_int_equal(frz_memory_bytes(), 0);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static int write_for_checker(const char *directory)
{
    frz_diag diag;
    if (write_samples(directory, sample_counts, sample_frames, &diag) == FRZ_OK)
        return 0;
    fprintf(stderr, "%s\n", diag.message);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return write_for_checker(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_differing_counts_read_back_exactly),
        cmocka_unit_test(leftovers_and_gaps_are_not_counted),
        cmocka_unit_test(empty_frames_are_written_read_and_mastered),
        cmocka_unit_test(master_shows_all_frames_and_only_common_fields),
        cmocka_unit_test(master_notices_a_replaced_frame),
        cmocka_unit_test(master_without_frames_removes_stale_ones),
        cmocka_unit_test(master_is_due_ever_more_rarely),
        cmocka_unit_test(full_disk_keeps_the_old_frame_and_says_so),
        cmocka_unit_test(real_full_disk_is_named),
        cmocka_unit_test(unwritable_places_are_named),
        cmocka_unit_test(a_changed_byte_is_noticed_before_hdf5_sees_it),
        cmocka_unit_test(damaged_frames_give_a_sentence),
        cmocka_unit_test(impossible_frames_are_refused),
        cmocka_unit_test(masters_of_more_and_more_frames_keep_no_memory),
        cmocka_unit_test(nothing_of_ours_stays_allocated),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
