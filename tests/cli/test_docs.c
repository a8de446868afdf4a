// SPDX-License-Identifier: MIT
// The documents are true: generated pages are up to date, the scenes they show are good, and their links lead
// somewhere.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <dirent.h>

#include "cli/program.h"

enum
{
    PATH_SIZE = 512,
    PAGE_SIZE = SAID_SIZE // what read_back takes
};

static char scratch[256], page[PAGE_SIZE];

static int set_up(void **state)
{
    (void)state;
    const char *root = getenv("FRZ_SOURCE_DIR");
    return make_scratch(scratch, sizeof scratch) && chdir(root != NULL ? root : ".") == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    remove_scratch(scratch);
    return 0;
}

static void load_page(const char *path)
{
    read_back(path, page);
    if (page[0] == '\0')
        fail_msg("%s is missing or empty", path);
}

// ---- generated pages

static void assert_page(const char *path, const outcome *result)
{
    assert_int_equal(result->code, 0);
    load_page(path);
    int line = 1;
    size_t at = 0;
    for (; page[at] == result->out[at] && page[at] != '\0'; ++at)
        line += page[at] == '\n';
    if (page[at] != result->out[at])
        fail_msg("%s is out of date from line %d on; run 'make docs'", path, line);
}

static void the_scene_reference_is_what_the_program_generates(void **state)
{
    (void)state;
    assert_page("docs/scene-reference.md", RUN(scratch, "info", "schema", "--markdown"));
}

static void the_page_of_methods_is_what_the_program_generates(void **state)
{
    (void)state;
    assert_page("docs/methods.md", RUN(scratch, "info", "methods", "--markdown"));
}

static void the_page_of_laws_is_what_the_program_generates(void **state)
{
    (void)state;
    assert_page("docs/laws.md", RUN(scratch, "info", "laws", "--markdown"));
}

// ---- scenes in the text

static void check_scene(const char *path, const char *text, size_t length)
{
    char scene[PATH_SIZE];
    snprintf(scene, sizeof scene, "%s/shown.yaml", scratch);
    FILE *file = fopen(scene, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    const outcome *result = RUN(scratch, "check", scene, "--quick", "--threads", "1");
    if (result->code != 0 || strstr(result->out, "No warnings") == NULL)
        fail_msg("a scene in %s is not good:\n%.*s\n%s%s", path, (int)length, text, result->out, result->err);
}

// Blocks of YAML that begin with a title are whole scenes; the others are parts of one.
static int check_scenes(const char *path)
{
    static const char opening[] = "```yaml\n";
    int count = 0;
    load_page(path);
    for (const char *at = strstr(page, opening); at != NULL; at = strstr(at, opening))
    {
        at += strlen(opening);
        const char *end = strstr(at, "```");
        if (end == NULL)
            fail_msg("%s: a block of YAML does not end", path);
        else if (strncmp(at, "title:", strlen("title:")) == 0)
        {
            check_scene(path, at, (size_t)(end - at));
            ++count;
        }
    }
    return count;
}

static void the_scenes_that_are_shown_are_good(void **state)
{
    (void)state;
    assert_greater(check_scenes("README.md"), 0);
    assert_greater(check_scenes("docs/guide.md"), 0);
}

// ---- links

// A target without its anchor, relative to the folder of the page that names it; null for addresses and anchors alone.
static const char *link_path(const char *page_path, const char *target, size_t length, char *path)
{
    const char *const slash = strrchr(page_path, '/');
    const char *const anchor = memchr(target, '#', length);
    const size_t kept = anchor != NULL ? (size_t)(anchor - target) : length;
    if (kept == 0 || memchr(target, ':', kept) != NULL)
        return NULL;
    snprintf(path, PATH_SIZE, "%.*s%.*s", slash != NULL ? (int)(slash - page_path + 1) : 0, page_path, (int)kept,
             target);
    return path;
}

static void check_links(const char *path)
{
    char target[PATH_SIZE];
    load_page(path);
    for (const char *at = strstr(page, "]("); at != NULL; at = strstr(at, "]("))
    {
        at += 2;
        const size_t length = strcspn(at, ")\n ");
        if (link_path(path, at, length, target) != NULL && access(target, F_OK) != 0)
            fail_msg("%s: the link to %.*s leads nowhere", path, (int)length, at);
    }
}

static void every_link_between_documents_leads_somewhere(void **state)
{
    (void)state;
    check_links("README.md");
    check_links("ARCHITECTURE.md");
    check_links("CONTRIBUTING.md");
    DIR *folder = opendir("docs");
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
    {
        const size_t length = strlen(entry->d_name);
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "docs/%s", entry->d_name);
        if (length > 3 && strcmp(entry->d_name + length - 3, ".md") == 0)
            check_links(path);
    }
    closedir(folder);
}

static void every_show_scene_is_in_the_gallery(void **state)
{
    (void)state;
    load_page("docs/gallery.md");
    const outcome *listed = RUN(scratch, "info", "scenes");
    assert_int_equal(listed->code, 0);
    const char *end = strstr(listed->out, "Benchmarks"), *at = listed->out;
    assert_non_null(end);
    int count = 0;
    while ((at = strstr(at, "builtin:")) != NULL && at < end)
    {
        char name[64] = "", command[96], picture[96];
        assert_int_equal(sscanf(at, "builtin:%63s", name), 1);
        snprintf(command, sizeof command, "frazil run builtin:%s ", name);
        snprintf(picture, sizeof picture, "images/gallery/%s", name);
        if (strstr(page, command) == NULL || strstr(page, picture) == NULL)
            fail_msg("docs/gallery.md has no picture with a command of the show scene %s", name);
        at += strlen("builtin:");
        ++count;
    }
    assert_greater(count, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scene_reference_is_what_the_program_generates),
        cmocka_unit_test(the_page_of_methods_is_what_the_program_generates),
        cmocka_unit_test(the_page_of_laws_is_what_the_program_generates),
        cmocka_unit_test(the_scenes_that_are_shown_are_good),
        cmocka_unit_test(every_link_between_documents_leads_somewhere),
        cmocka_unit_test(every_show_scene_is_in_the_gallery),
    };
    return cmocka_run_group_tests_name("docs", tests, set_up, tear_down);
}
