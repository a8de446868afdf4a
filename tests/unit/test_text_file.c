// SPDX-License-Identifier: MIT
// Whole-file text writes, folders, and append-only tables.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/text_file.h"

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[4][256];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static int make_scratch(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/frz_text_XXXXXX");
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

static void assert_file_is(const char *path, const char *expected)
{
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(frz_text_read(path, &text, &length, NULL), FRZ_OK);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    frz_free(text);
}

// Files may not grow beyond limit bytes: what a full disk does, without one.
static void limit_files(rlim_t limit)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit now;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
    now.rlim_cur = limit;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
}

static void text_comes_back_and_leaves_no_temporary(void **state)
{
    (void)state;
    const char *path = in_folder("note.txt");
    assert_int_equal(frz_text_write(path, "one\ntwo\n", 8, NULL), FRZ_OK);
    assert_file_is(path, "one\ntwo\n");
    assert_int_equal(frz_text_write(path, "", 0, NULL), FRZ_OK);
    assert_file_is(path, "");
    assert_int_equal(entries_in(folder), 1);
}

static void long_text_comes_back(void **state)
{
    (void)state;
    enum
    {
        size = 100001
    };
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, 'x', size);
    text[size] = '\0';
    assert_int_equal(frz_text_write(in_folder("long.txt"), text, size, NULL), FRZ_OK);
    assert_file_is(in_folder("long.txt"), text);
    free(text);
}

static void failures_say_what_is_wrong_and_keep_the_old_file(void **state)
{
    (void)state;
    frz_diag diag;
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(frz_text_read(in_folder("missing"), &text, &length, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "No such file"));
    assert_null(text);
    assert_int_equal(frz_text_read(folder, &text, &length, &diag), FRZ_ERR_FILE);
    assert_int_equal(frz_text_write(in_folder("no/such/folder.txt"), "a", 1, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "folder does not exist"));
    assert_int_equal(frz_text_write(in_folder("kept.txt"), "old", 3, NULL), FRZ_OK);
    assert_int_equal(frz_text_write(in_folder("kept.txt/below"), "a", 1, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "part of the path is a file"));
    limit_files(4);
    assert_int_equal(frz_text_write(in_folder("kept.txt"), "much longer", 11, &diag), FRZ_ERR_FILE);
    limit_files(RLIM_INFINITY);
    assert_non_null(strstr(diag.message, "File too large"));
    assert_file_is(in_folder("kept.txt"), "old");
}

static void folders_are_made_with_parents(void **state)
{
    (void)state;
    frz_diag diag;
    const char *deep = in_folder("a/b//c/");
    assert_int_equal(frz_folder_make(deep, NULL), FRZ_OK);
    assert_int_equal(frz_folder_make(deep, NULL), FRZ_OK);
    assert_int_equal(access(in_folder("a/b/c"), F_OK), 0);
    assert_int_equal(frz_text_write(in_folder("plain"), "", 0, NULL), FRZ_OK);
    assert_int_equal(frz_folder_make(in_folder("plain"), &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "in the way"));
    assert_int_equal(frz_folder_make(in_folder("plain/x"), &diag), FRZ_ERR_FILE);
    assert_int_equal(frz_folder_make("", &diag), FRZ_ERR_ARGUMENT);
}

static frz_csv *open_table(const char *path, int64_t keep_rows)
{
    frz_csv *csv = NULL;
    assert_int_equal(frz_csv_open(path, "t,x", keep_rows, &csv, NULL), FRZ_OK);
    return csv;
}

static void rows_are_appended_and_cut_back(void **state)
{
    (void)state;
    const char *path = in_folder("table.csv");
    frz_csv *csv = open_table(path, -1);
    assert_int_equal(frz_csv_row(csv, "0,1", NULL), FRZ_OK);
    assert_int_equal(frz_csv_row(csv, "1,2", NULL), FRZ_OK);
    assert_int_equal(frz_csv_row(csv, "2,3", NULL), FRZ_OK);
    assert_file_is(path, "t,x\n"); // buffered
    assert_int_equal(frz_csv_flush(csv, NULL), FRZ_OK);
    assert_file_is(path, "t,x\n0,1\n1,2\n2,3\n");
    frz_csv_close(&csv);
    assert_null(csv);
    csv = open_table(path, 2);
    assert_int_equal(frz_csv_row_count(csv), 2);
    assert_int_equal(frz_csv_row(csv, "9,9", NULL), FRZ_OK);
    assert_int_equal(frz_csv_row_count(csv), 3);
    frz_csv_close(&csv);
    assert_file_is(path, "t,x\n0,1\n1,2\n9,9\n");
    csv = open_table(path, 99);
    assert_int_equal(frz_csv_row_count(csv), 3);
    frz_csv_close(&csv);
    csv = open_table(path, -1);
    frz_csv_close(&csv);
    assert_file_is(path, "t,x\n");
}

static void torn_last_line_is_dropped(void **state)
{
    (void)state;
    const char *path = in_folder("torn.csv");
    assert_int_equal(frz_text_write(path, "t,x\n0,1\n1,", 10, NULL), FRZ_OK);
    frz_csv *csv = open_table(path, 5);
    assert_int_equal(frz_csv_row_count(csv), 1);
    assert_int_equal(frz_csv_row(csv, "1,2", NULL), FRZ_OK);
    frz_csv_close(&csv);
    assert_file_is(path, "t,x\n0,1\n1,2\n");
    assert_int_equal(frz_text_write(path, "t,", 2, NULL), FRZ_OK);
    csv = open_table(path, 5);
    frz_csv_close(&csv);
    assert_file_is(path, "t,x\n");
}

static void other_columns_and_line_breaks_are_refused(void **state)
{
    (void)state;
    frz_diag diag;
    frz_csv *csv = NULL;
    const char *path = in_folder("other.csv");
    assert_int_equal(frz_text_write(path, "a,b\n1,2\n", 8, NULL), FRZ_OK);
    assert_int_equal(frz_csv_open(path, "t,x", 1, &csv, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "columns"));
    assert_null(csv);
    csv = open_table(path, -1);
    assert_int_equal(frz_csv_row(csv, "1\n2", &diag), FRZ_ERR_ARGUMENT);
    frz_csv_close(&csv);
    frz_csv_close(&csv);
    frz_csv_close(NULL);
}

static void full_disk_leaves_whole_lines_and_keeps_the_rows(void **state)
{
    (void)state;
    frz_diag diag;
    const char *path = in_folder("full.csv");
    frz_csv *csv = open_table(path, -1);
    assert_int_equal(frz_csv_row(csv, "0,1", NULL), FRZ_OK);
    assert_int_equal(frz_csv_flush(csv, NULL), FRZ_OK);
    assert_int_equal(frz_csv_row(csv, "1,123456789", NULL), FRZ_OK);
    limit_files(12);
    const frz_status status = frz_csv_flush(csv, &diag);
    limit_files(RLIM_INFINITY);
    assert_int_equal(status, FRZ_ERR_FILE);
    assert_file_is(path, "t,x\n0,1\n");
    assert_int_equal(frz_csv_flush(csv, NULL), FRZ_OK); // space was made
    frz_csv_close(&csv);
    assert_file_is(path, "t,x\n0,1\n1,123456789\n");
}

static void many_and_long_rows_survive_the_buffer(void **state)
{
    (void)state;
    enum
    {
        rows = 30000,
        long_row = 200000
    };
    const char *path = in_folder("many.csv");
    frz_csv *csv = open_table(path, -1);
    for (int i = 0; i < rows; ++i)
        assert_int_equal(frz_csv_row(csv, "12345678", NULL), FRZ_OK);
    char *row = malloc(long_row + 1);
    assert_non_null(row);
    memset(row, '7', long_row);
    row[long_row] = '\0';
    assert_int_equal(frz_csv_row(csv, row, NULL), FRZ_OK);
    free(row);
    frz_csv_close(&csv);
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(frz_text_read(path, &text, &length, NULL), FRZ_OK);
    assert_int_equal(length, 4 + (size_t)rows * 9 + long_row + 1);
    frz_free(text);
}

static void temporary_names_cannot_be_foreseen(void **state)
{
    (void)state;
    char path[256], trap[320], victim[256];
    snprintf(path, sizeof path, "%s/target", folder);
    snprintf(victim, sizeof victim, "%s/victim", folder);
    snprintf(trap, sizeof trap, "%s.tmp.%ld", path, (long)getpid()); // a name that was used once
    assert_int_equal(frz_text_write(victim, "mine", 4, NULL), FRZ_OK);
    assert_int_equal(symlink(victim, trap), 0);
    assert_int_equal(frz_text_write(path, "text", 4, NULL), FRZ_OK);
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(frz_text_read(victim, &text, &length, NULL), FRZ_OK);
    assert_string_equal(text, "mine");
    frz_free(text);
    struct stat info;
    assert_same(lstat(path, &info), 0);
    assert_true(S_ISREG(info.st_mode));
    unlink(trap);
    unlink(victim);
    unlink(path);
}

static void pipes_are_neither_read_nor_replaced(void **state)
{
    (void)state;
    char path[256], *text = NULL;
    size_t length = 0;
    frz_diag diag = {.status = FRZ_OK};
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(10);
    assert_int_equal(frz_text_read(path, &text, &length, &diag), FRZ_ERR_FILE);
    alarm(0);
    assert_non_null(strstr(diag.message, "it is a pipe, not a regular file"));
    assert_int_equal(frz_text_write(path, "text", 4, &diag), FRZ_ERR_FILE);
    assert_non_null(strstr(diag.message, "it is a pipe, not a regular file"));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(temporary_names_cannot_be_foreseen),
        cmocka_unit_test(pipes_are_neither_read_nor_replaced),
        cmocka_unit_test(text_comes_back_and_leaves_no_temporary),
        cmocka_unit_test(long_text_comes_back),
        cmocka_unit_test(failures_say_what_is_wrong_and_keep_the_old_file),
        cmocka_unit_test(folders_are_made_with_parents),
        cmocka_unit_test(rows_are_appended_and_cut_back),
        cmocka_unit_test(torn_last_line_is_dropped),
        cmocka_unit_test(other_columns_and_line_breaks_are_refused),
        cmocka_unit_test(full_disk_leaves_whole_lines_and_keeps_the_rows),
        cmocka_unit_test(many_and_long_rows_survive_the_buffer),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
