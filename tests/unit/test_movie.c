// SPDX-License-Identifier: MIT
// Films through ffmpeg.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render/raycast.h"

enum
{
    frame_count = 3
};

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool has_ffmpeg(void)
{
    const char *search = getenv("PATH");
    char path[512];
    while (search != NULL && *search != '\0')
    {
        const size_t length = strcspn(search, ":");
        snprintf(path, sizeof path, "%.*s/ffmpeg", (int)length, search);
        if (access(path, X_OK) == 0)
            return true;
        search += length + (search[length] == ':' ? 1 : 0);
    }
    return false;
}

static int make_frames(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/frz_movie_XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    frz_image image;
    frz_diag diag;
    if (frz_image_create(65, 33, &image, &diag) != FRZ_OK) // odd on purpose
        return -1;
    int result = 0;
    for (int frame = 0; frame < frame_count; ++frame)
    {
        char name[32];
        snprintf(name, sizeof name, "frame_%04d.png", frame + 5);
        memset(image.rgb, 60 * (frame + 1), (size_t)3 * 65 * 33);
        result |= frz_image_write_png(&image, in_folder(name), &diag) != FRZ_OK;
    }
    frz_image_destroy(&image);
    return result;
}

static int remove_frames(void **state)
{
    (void)state;
    for (int frame = 0; frame < frame_count; ++frame)
    {
        char name[32];
        snprintf(name, sizeof name, "frame_%04d.png", frame + 5);
        (void)unlink(in_folder(name));
    }
    return rmdir(folder); // fails if a temporary file was left
}

static void three_frames_become_a_film(void **state)
{
    (void)state;
    if (!has_ffmpeg())
        skip();
    char pattern[256], film[256];
    snprintf(pattern, sizeof pattern, "%s", in_folder("frame_%04d.png"));
    snprintf(film, sizeof film, "%s", in_folder("a film: $(x).mp4"));
    frz_diag diag = {0};
    const frz_status status = frz_movie_encode(pattern, 5, 25.0, film, &diag);
    assert_string_equal(diag.message, "");
    assert_int_equal(status, FRZ_OK);
    FILE *file = fopen(film, "rb");
    assert_non_null(file);
    char head[8] = "";
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    assert_memory_equal(head + 4, "ftyp", 4); // an MP4 file
    assert_int_equal(fclose(file), 0);
    assert_int_equal(unlink(film), 0);
}

static void kinds_of_films_follow_from_their_names(void **state)
{
    (void)state;
    if (!has_ffmpeg())
        skip();
    static const struct
    {
        const char *name, *head;
        size_t at, length;
    } kinds[] = {{"film.gif", "GIF89a", 0, 6}, {"film.webm", "\x1a\x45\xdf\xa3", 0, 4}, {"plain", "ftyp", 4, 4}};
    char pattern[256], film[256];
    snprintf(pattern, sizeof pattern, "%s", in_folder("frame_%04d.png"));
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k)
    {
        frz_diag diag = {0};
        snprintf(film, sizeof film, "%s", in_folder(kinds[k].name));
        assert_int_equal(frz_movie_check(film, &diag), FRZ_OK);
        assert_int_equal(frz_movie_encode(pattern, 5, 25.0, film, &diag), FRZ_OK);
        FILE *file = fopen(film, "rb");
        assert_non_null(file);
        char head[8] = "";
        assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
        assert_memory_equal(head + kinds[k].at, kinds[k].head, kinds[k].length);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(unlink(film), 0);
    }
    frz_diag diag;
    assert_int_equal(frz_movie_check("film.unknown", &diag), FRZ_ERR_ARGUMENT);
    assert_non_null(strstr(diag.message, ".webm"));
}

static void a_bad_pattern_fails_with_a_sentence(void **state)
{
    (void)state;
    const char *const bad[] = {"frames.png", "frame_%d_%d.png", "frame_%s.png", "frame_%", "frame_%99999999d.png", ""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        frz_diag diag;
        assert_int_equal(frz_movie_encode(bad[i], 0, 25.0, "film.mp4", &diag), FRZ_ERR_ARGUMENT);
        assert_non_null(strstr(diag.message, "%06d"));
    }
}

static void a_missing_first_picture_is_named(void **state)
{
    (void)state;
    frz_diag diag;
    assert_int_equal(frz_movie_encode("/nonexistent/a%%b_%03d.png", 7, 25.0, "film.mp4", &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "/nonexistent/a%b_007.png"));
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    frz_diag diag;
    assert_int_equal(frz_movie_encode("f_%d.png", 0, 0.0, "film.mp4", &diag), FRZ_ERR_ARGUMENT);
    assert_int_equal(frz_movie_encode("f_%d.png", -1, 25.0, "film.mp4", &diag), FRZ_ERR_ARGUMENT);
}

static void a_failing_ffmpeg_is_quoted(void **state)
{
    (void)state;
    if (!has_ffmpeg())
        skip();
    frz_diag diag;
    char pattern[256], damaged[256];
    snprintf(pattern, sizeof pattern, "%s", in_folder("damaged_%04d.png"));
    snprintf(damaged, sizeof damaged, "%s", in_folder("damaged_0005.png"));
    FILE *file = fopen(damaged, "wb");
    assert_non_null(file);
    assert_greater_equal(fputs("no picture", file), 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(frz_movie_encode(pattern, 5, 25.0, in_folder("film.mp4"), &diag), FRZ_ERR_PROGRAM);
    assert_int_equal(unlink(damaged), 0);
    assert_non_null(strstr(diag.message, "ffmpeg failed: "));
    snprintf(pattern, sizeof pattern, "%s", in_folder("frame_%04d.png"));
    assert_int_equal(frz_movie_encode(pattern, 5, 25.0, "/nonexistent/film.mp4", &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "/nonexistent/film.mp4': No such file"));
}

static void a_missing_ffmpeg_names_the_package(void **state)
{
    (void)state;
    char path[4096];
    const char *old = getenv("PATH");
    snprintf(path, sizeof path, "%s", old != NULL ? old : "");
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    frz_diag diag;
    char pattern[256];
    snprintf(pattern, sizeof pattern, "%s", in_folder("frame_%04d.png"));
    const frz_status status = frz_movie_encode(pattern, 5, 25.0, in_folder("film.mp4"), &diag);
    assert_int_equal(setenv("PATH", path, 1), 0);
    assert_int_equal(status, FRZ_ERR_PROGRAM);
    assert_non_null(strstr(diag.message, "package ffmpeg"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_frames_become_a_film),
        cmocka_unit_test(kinds_of_films_follow_from_their_names),
        cmocka_unit_test(a_bad_pattern_fails_with_a_sentence),
        cmocka_unit_test(a_missing_first_picture_is_named),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(a_failing_ffmpeg_is_quoted),
        cmocka_unit_test(a_missing_ffmpeg_names_the_package),
    };
    return cmocka_run_group_tests(tests, make_frames, remove_frames);
}
