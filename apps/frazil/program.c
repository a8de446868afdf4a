// SPDX-License-Identifier: MIT
// The program: finds the subcommand, reads its options, runs it.
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/command.h"
#include "json.h"
#include "output.h"
#include "sandbox.h"

#define FRZ_COMMAND(name, summary) extern const frz_command frz_command_##name;
#include "commands/commands.def"
#undef FRZ_COMMAND

typedef struct entry
{
    const char *name, *summary;
    const frz_command *command;
} entry;

#define FRZ_COMMAND(name, summary) {#name, summary, &frz_command_##name},
static const entry entries[] = {
#include "commands/commands.def"
    {NULL, NULL, NULL}};
#undef FRZ_COMMAND

enum
{
    entry_count = sizeof entries / sizeof entries[0] - 1
};

static const frz_option common_options[] = {
    {"threads", 0, FRZ_OPTION_SMALL, offsetof(frz_common_values, threads), "N",
     "threads to use; all cores, or one while that is faster, if left out"},
    {"json", 0, FRZ_OPTION_FLAG, offsetof(frz_common_values, json), NULL, "write the result as JSON to stdout"},
    {"allow-files", 0, FRZ_OPTION_LIST, offsetof(frz_common_values, allowed), "DIR",
     "let scenes name files below this folder, too; repeatable"},
    {"quiet", 'q', FRZ_OPTION_FLAG, offsetof(frz_common_values, quiet), NULL, "no progress and no notes"},
    {"help", 'h', FRZ_OPTION_FLAG, offsetof(frz_common_values, help), NULL, "show this help"},
    {0}};

// ---- failures

static const char *status_name(frz_status status)
{
    static const char *const names[] = {"ok", "argument", "scene", "file", "memory", "diverged", "stopped", "program"};
    const size_t index = (size_t)status;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown";
}

static void print_json_error(const frz_diag *diag)
{
    frz_json json = {.out = stdout};
    frz_json_begin_object(&json, NULL);
    frz_json_begin_object(&json, "error");
    frz_json_text(&json, "status", status_name(diag->status));
    frz_json_text(&json, "message", diag->message);
    if (diag->file[0] != '\0')
        frz_json_text(&json, "file", diag->file);
    if (diag->line > 0)
        frz_json_integer(&json, "line", diag->line);
    if (diag->column > 0)
        frz_json_integer(&json, "column", diag->column);
    frz_json_end_object(&json);
    frz_json_end_object(&json);
}

int frz_command_fail(const frz_call *call, const frz_diag *diag)
{
    char text[sizeof diag->file + sizeof diag->message + 32];
    frz_output_error(frz_diag_text(diag, text, sizeof text));
    if (call->common->json)
        print_json_error(diag);
    return diag->status == FRZ_ERR_ARGUMENT || diag->status == FRZ_ERR_SCENE ? FRZ_EXIT_USAGE : FRZ_EXIT_FAILED;
}

int frz_command_fail_usage(const frz_call *call, const char *format, ...)
{
    frz_diag diag = {.status = FRZ_ERR_ARGUMENT};
    va_list args;
    va_start(args, format);
    vsnprintf(diag.message, sizeof diag.message, format, args);
    va_end(args);
    return frz_command_fail(call, &diag);
}

// ---- scenes

static const char builtin_prefix[] = "builtin:";

frz_status frz_setting_split(const char *setting, char key[FRZ_SETTING_KEY], const char **value, frz_diag *diag)
{
    const char *equals = strchr(setting, '=');
    if (equals == NULL || equals == setting || equals - setting >= FRZ_SETTING_KEY)
    {
        diag->status = FRZ_ERR_ARGUMENT;
        snprintf(diag->message, sizeof diag->message, "--set: expected key=value such as spacing=0.01, got '%.80s'",
                 setting);
        return FRZ_ERR_ARGUMENT;
    }
    snprintf(key, FRZ_SETTING_KEY, "%.*s", (int)(equals - setting), setting);
    *value = equals + 1;
    return FRZ_OK;
}

static frz_status apply_override(frz_scene *scene, const char *setting, frz_diag *diag)
{
    char key[FRZ_SETTING_KEY];
    const char *value = NULL;
    const frz_status status = frz_setting_split(setting, key, &value, diag);
    return status == FRZ_OK ? frz_scene_set(scene, key, value, diag) : status;
}

const char *frz_builtin_meant(const char *name)
{
    const char *const slash = strrchr(name, '/');
    const char *const base = slash != NULL ? slash + 1 : name;
    const char *const ending = strstr(base, ".yaml");
    const size_t length = ending != NULL ? (size_t)(ending - base) : strlen(base);
    for (int i = 0; frz_scene_builtin_name(i) != NULL; ++i)
        if (strlen(frz_scene_builtin_name(i)) == length && strncmp(frz_scene_builtin_name(i), base, length) == 0)
            return frz_scene_builtin_name(i);
    return NULL;
}

static frz_status fail_input(frz_diag *diag, const char *reason)
{
    diag->status = FRZ_ERR_SCENE;
    snprintf(diag->message, sizeof diag->message, "cannot read a scene from standard input: %s", reason);
    return FRZ_ERR_SCENE;
}

/// The scene on standard input, up to its end.
static frz_status read_input(frz_scene **scene, frz_diag *diag)
{
    enum
    {
        chunk = 1 << 16, // bytes read at once
        most = 64u << 20 // bytes; the library's own limit
    };
    size_t used = 0;
    char *text = NULL;
    for (size_t got = 1; got > 0; used += got)
    {
        char *grown = used <= most ? realloc(text, used + chunk + 1) : NULL;
        if (grown == NULL)
        {
            free(text);
            return fail_input(diag, "it is too long");
        }
        text = grown;
        got = fread(text + used, 1, chunk, stdin);
    }
    text[used] = '\0';
    frz_status status = FRZ_OK;
    if (ferror(stdin) != 0)
        status = fail_input(diag, strerror(errno));
    else if (strlen(text) != used)
        status = fail_input(diag, "it is binary");
    else
        status = frz_scene_parse(text, "standard input", NULL, scene, diag);
    free(text);
    return status;
}

static frz_status load(const char *name, frz_scene **scene, frz_diag *diag)
{
    if (strncmp(name, builtin_prefix, sizeof builtin_prefix - 1) == 0)
        return frz_scene_builtin(name + sizeof builtin_prefix - 1, scene, diag);
    if (strcmp(name, "-") == 0)
        return read_input(scene, diag);
    const frz_status status = frz_scene_load(name, scene, diag);
    const size_t used = strlen(diag->message);
    if (status != FRZ_OK && access(name, F_OK) != 0 && frz_builtin_meant(name) != NULL)
        snprintf(diag->message + used, sizeof diag->message - used, "; did you mean 'builtin:%s'?",
                 frz_builtin_meant(name));
    return status;
}

frz_scene *frz_command_load_scene(const frz_call *call, const char *name, const frz_text_list *overrides, int *code)
{
    frz_scene *scene = NULL;
    frz_diag diag = {0};
    frz_status status = load(name, &scene, &diag);
    for (int i = 0; status == FRZ_OK && overrides != NULL && i < overrides->count; ++i)
        status = apply_override(scene, overrides->items[i], &diag);
    if (status == FRZ_OK)
        return scene;
    frz_scene_destroy(&scene);
    *code = frz_command_fail(call, &diag);
    if (status == FRZ_ERR_FILE)
        *code = FRZ_EXIT_USAGE; // a scene that cannot be read is a bad scene
    return NULL;
}

void frz_command_enclose(const frz_call *call, const char *scene, const char *write, const char *clean)
{
    char folder[4096];
    const char *read[FRZ_TEXT_LIST_MOST + 3] = {NULL};
    const frz_text_list *allowed = &call->common->allowed;
    for (int k = 0; k < allowed->count; ++k)
        read[k] = allowed->items[k];
    if (strcmp(scene, "-") == 0)
        read[allowed->count] = ".";
    else if (strncmp(scene, builtin_prefix, sizeof builtin_prefix - 1) != 0)
    {
        snprintf(folder, sizeof folder, "%s", scene);
        read[allowed->count] = scene; // it may be a link
        read[allowed->count + 1] = dirname(folder);
    }
    frz_sandbox_enter(&(frz_sandbox){.read = read, .write = write, .clean = clean});
}

int frz_command_need_run(const frz_call *call, const char *directory, const char *file)
{
    char path[4096];
    struct stat info;
    if (stat(directory, &info) != 0)
        return frz_command_fail_usage(call, "there is no folder %s; 'frazil run SCENE -o %s' starts a run in it",
                                      directory, directory);
    snprintf(path, sizeof path, "%s/%s", directory, file);
    if (!S_ISDIR(info.st_mode) || access(path, F_OK) != 0)
        return frz_command_fail_usage(call, "there is no run in %s (it has no %s); check the name", directory, file);
    return FRZ_EXIT_DONE;
}

static int fail_folder(const frz_call *call, const char *path)
{
    frz_diag diag = {.status = FRZ_ERR_FILE};
    snprintf(diag.message, sizeof diag.message, "cannot make the folder %.500s: %s", path, strerror(errno));
    return frz_command_fail(call, &diag);
}

/// Make one folder, and have its name on disk: complete files are lost with a folder that is not there. True if it is
/// there.
static bool make_one(const char *path)
{
    char copy[4096];
    if (mkdir(path, 0777) != 0)
        return errno == EEXIST;
    snprintf(copy, sizeof copy, "%s", path);
    const int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return true; // a folder that may be entered but not listed
    (void)fsync(fd);
    (void)close(fd);
    return true;
}

int frz_command_make_folder(const frz_call *call, const char *directory)
{
    char path[4096];
    if (directory[0] == '\0' || strlen(directory) >= sizeof path)
        return frz_command_fail_usage(call, "'%.60s' cannot be the name of a folder", directory);
    snprintf(path, sizeof path, "%s", directory);
    for (char *slash = path; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/')
    {
        *slash = '\0';
        if (!make_one(path))
            return fail_folder(call, path);
    }
    struct stat info;
    if (!make_one(path))
        return fail_folder(call, path);
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return frz_command_fail_usage(call, "cannot write to %s: it is a file; give the name of a folder", path);
    return FRZ_EXIT_DONE;
}

// ---- help

static void print_overview(FILE *out)
{
    fprintf(out, "Frazil simulates liquids, elastic and rigid bodies with particles.\n\n"
                 "  frazil check scene.yaml                  is the scene good, and how long will it take?\n"
                 "  frazil run scene.yaml -o out             simulate\n"
                 "  frazil render out --movie out/film.mp4   look at it\n\n"
                 "Commands:\n");
    for (const entry *e = entries; e->name != NULL; ++e)
        fprintf(out, "  %-10s %s\n", e->name, e->summary);
    fprintf(out, "\n'frazil help COMMAND' tells more; 'frazil --version' the version.\n");
}

static void print_help(const entry *e)
{
    printf("Usage: frazil %s%s%s [options]\n\n%s\n\nOptions:\n", e->name, e->command->words[0] != '\0' ? " " : "",
           e->command->words, e->command->doc);
    frz_options_print(e->command->options);
    frz_options_print(common_options);
}

static const entry *find_entry(const char *name)
{
    for (const entry *e = entries; e->name != NULL; ++e)
        if (strcmp(e->name, name) == 0)
            return e;
    return NULL;
}

static int fail_unknown_command(const char *name)
{
    const char *known[entry_count + 2] = {NULL};
    for (int i = 0; i < entry_count; ++i)
        known[i] = entries[i].name;
    known[entry_count] = "help";
    char text[160], hint[64];
    snprintf(text, sizeof text, "unknown command '%.60s'%s", name,
             frz_did_you_mean(name, known, "", hint, sizeof hint)[0] != '\0' ? hint
                                                                             : "; 'frazil help' lists the commands");
    frz_output_error(text);
    return FRZ_EXIT_USAGE;
}

static int help(int argc, char **argv)
{
    if (argc < 3)
    {
        print_overview(stdout);
        return FRZ_EXIT_DONE;
    }
    const entry *e = find_entry(argv[2]);
    if (e == NULL)
        return fail_unknown_command(argv[2]);
    print_help(e);
    return FRZ_EXIT_DONE;
}

// ---- calling a command

static int call_command(const entry *e, frz_option_parse *parse)
{
    const frz_call call = {.words = parse->words, .values = parse->values, .common = parse->values};
    frz_call filled = call;
    const bool good = frz_options_parse(parse);
    filled.word_count = parse->word_count;
    if (!good)
        return frz_command_fail_usage(&filled, "%s (see 'frazil help %s')", parse->error, e->name);
    if (filled.common->help)
    {
        print_help(e);
        return FRZ_EXIT_DONE;
    }
    if (parse->word_count < e->command->min_words)
        return frz_command_fail_usage(&filled, "frazil %s needs %s (see 'frazil help %s')", e->name, e->command->words,
                                      e->name);
    if (parse->word_count > e->command->max_words)
        return frz_command_fail_usage(&filled, "unexpected '%.80s' after 'frazil %s%s%s' (see 'frazil help %s')",
                                      parse->words[e->command->max_words], e->name,
                                      e->command->words[0] != '\0' ? " " : "", e->command->words, e->name);
    for (int k = 0; k < filled.common->allowed.count; ++k)
    {
        frz_diag diag = {0};
        if (frz_scene_allow_files(filled.common->allowed.items[k], &diag) != FRZ_OK)
            return frz_command_fail(&filled, &diag);
    }
    return e->command->run(&filled);
}

/// Files that are opened must not get the numbers of standard input, output and error, or messages land in them.
static void keep_standard_files(void)
{
    int fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = open("/dev/null", O_RDWR);
    if (fd > STDERR_FILENO)
        (void)close(fd);
}

static int run_line(int argc, char **argv)
{
    if (argc < 2)
    {
        print_overview(stderr);
        return FRZ_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc, argv);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
    {
        printf("frazil %s\n", frz_version());
        return FRZ_EXIT_DONE;
    }
    const entry *e = find_entry(name);
    if (e == NULL)
        return fail_unknown_command(name);
    frz_option_parse parse = {.tables = {e->command->options, common_options}, .argc = argc - 2, .argv = argv + 2};
    parse.values = calloc(1, e->command->values_size);
    parse.words = calloc((size_t)argc, sizeof *parse.words);
    int code = FRZ_EXIT_FAILED;
    if (parse.values == NULL || parse.words == NULL)
        frz_output_error("not enough memory");
    else
    {
        if (e->command->defaults != NULL)
            memcpy(parse.values, e->command->defaults, e->command->values_size);
        code = call_command(e, &parse);
    }
    free(parse.values);
    free((void *)parse.words);
    return code;
}

int frz_program_main(int argc, char **argv)
{
    keep_standard_files();
    (void)signal(SIGXFSZ, SIG_IGN); // a file that grows too large is an error of writing, with a sentence, not a death
    const int code = run_line(argc, argv);
    const bool lost = ferror(stdout) != 0 || fflush(stdout) != 0;
    if (!lost || code != FRZ_EXIT_DONE)
        return code;
    frz_output_error("cannot write the result to standard output: the disk is full, or nobody reads it");
    return FRZ_EXIT_FAILED; // a full disk must not look like success
}
