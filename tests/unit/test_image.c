// SPDX-License-Identifier: MIT
// Pictures in memory and as PNG files.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render/raycast.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/frz_image_XXXXXX");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int count_files(void)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    int count = 0;
    for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
        count += entry->d_name[0] != '.';
    assert_int_equal(closedir(directory), 0);
    return count;
}

static void png_round_trip_keeps_every_byte(void **state)
{
    (void)state;
    frz_image image, back;
    frz_diag diag;
    char path[128];
    snprintf(path, sizeof path, "%s/a.png", folder);
    assert_int_equal(frz_image_create(37, 23, &image, &diag), FRZ_OK);
    for (size_t i = 0; i < (size_t)3 * 37 * 23; ++i)
        image.rgb[i] = (unsigned char)(i * 7 + i / 13);
    assert_int_equal(frz_image_write_png(&image, path, &diag), FRZ_OK);
    assert_int_equal(count_files(), 1); // no temporary file is left
    assert_int_equal(frz_image_read_png(path, &back, &diag), FRZ_OK);
    assert_int_equal(back.width, 37);
    assert_int_equal(back.height, 23);
    assert_memory_equal(back.rgb, image.rgb, (size_t)3 * 37 * 23);
    frz_image_destroy(&image);
    frz_image_destroy(&back);
    assert_null(back.rgb);
    frz_image_destroy(&back);
    assert_int_equal(unlink(path), 0);
}

static void bad_paths_fail_with_a_sentence(void **state)
{
    (void)state;
    frz_image image, back;
    frz_diag diag;
    assert_int_equal(frz_image_create(2, 2, &image, &diag), FRZ_OK);
    assert_int_equal(frz_image_write_png(&image, "/nonexistent/folder/a.png", &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "/nonexistent/folder/a.png"));
    assert_int_equal(frz_image_read_png("/nonexistent/a.png", &back, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "/nonexistent/a.png"));
    assert_int_equal(frz_image_write_png(&image, folder, &diag), FRZ_ERR_FILE); // a folder is in the way
    assert_int_equal(count_files(), 0);
    frz_image_destroy(&image);
}

static void a_file_that_is_no_png_is_refused(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/b.png", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_greater_equal(fputs("this is not a picture", file), 0);
    assert_int_equal(fclose(file), 0);
    frz_image image;
    frz_diag diag;
    assert_int_equal(frz_image_read_png(path, &image, &diag), FRZ_ERR_FILE);
    assert_null(image.rgb);
    assert_int_equal(unlink(path), 0);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    const int sizes[][2] = {{0, 5}, {5, 0}, {-1, 5}, {16385, 5}, {5, 16385}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    {
        frz_image image;
        frz_diag diag;
        assert_int_equal(frz_image_create(sizes[i][0], sizes[i][1], &image, &diag), FRZ_ERR_ARGUMENT);
        assert_null(image.rgb);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_round_trip_keeps_every_byte),
        cmocka_unit_test(bad_paths_fail_with_a_sentence),
        cmocka_unit_test(a_file_that_is_no_png_is_refused),
        cmocka_unit_test(impossible_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
