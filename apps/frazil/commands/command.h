// SPDX-License-Identifier: MIT
// The interface of a subcommand: a constant with its usage, options and function, and one line in commands.def.
#pragma once

#include <frazil/frazil.h>

#include "options.h"

/// Exit codes of the program.
enum
{
    FRZ_EXIT_DONE = 0,
    FRZ_EXIT_FAILED = 1, ///< the run failed or was stopped
    FRZ_EXIT_USAGE = 2   ///< bad usage or bad scene
};

/// Options that every command has; the first member of the values of a command.
typedef struct frz_common_values
{
    bool help, json, quiet;
    int threads;
    frz_text_list allowed; ///< folders
} frz_common_values;

/// A command line that was understood.
typedef struct frz_call
{
    int word_count;
    const char *const *words; ///< words that are not options, e.g. SCENE
    const void *values;       ///< of the command's options; begins with frz_common_values
    const frz_common_values *common;
} frz_call;

typedef struct frz_command
{
    const char *words; ///< of the usage line, e.g. "SCENE"
    int min_words, max_words;
    const char *doc;           ///< paragraph of the help
    const frz_option *options; ///< besides the common ones; null for none
    size_t values_size;
    const void *defaults;             ///< values before the options are read; null: all zero
    int (*run)(const frz_call *call); ///< returns the exit code
} frz_command;

/// The whole program, as main calls it.
int frz_program_main(int argc, char **argv);

/// Print a failure ("frazil: error: ...", and as JSON if requested); returns its exit code.
int frz_command_fail(const frz_call *call, const frz_diag *diag);
/// The same for wrong usage, from a sentence.
int frz_command_fail_usage(const frz_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// The builtin scene that a user may mean by a name without "builtin:" (demo, demo.yaml, scenes/demo.yaml); null
/// without a match.
const char *frz_builtin_meant(const char *name);

enum
{
    FRZ_SETTING_KEY = 256 ///< bytes of the key of a --set option
};

/// Split "key=value" of a --set option; value points into it.
frz_status frz_setting_split(const char *setting, char key[FRZ_SETTING_KEY], const char **value, frz_diag *diag);

/// Load a scene file, "builtin:NAME", or "-" for standard input, and apply the overrides ("key=value"). On failure
/// prints it, gives null and sets the exit code.
frz_scene *frz_command_load_scene(const frz_call *call, const char *name, const frz_text_list *overrides, int *code);

/// From here on the process reads nothing but the folder of the scene of that name, folders that are allowed, and the
/// system's libraries, and writes to no folder but the one given (null: none); it starts no program. Where the kernel
/// can do that. clean: a folder in which empty folders may be removed, or null.
void frz_command_enclose(const frz_call *call, const char *scene, const char *write, const char *clean);

/// Is there a run in the folder (a file of the given name, "run.json")? If not, prints that and gives the exit code;
/// FRZ_EXIT_DONE if there is.
int frz_command_need_run(const frz_call *call, const char *directory, const char *file);

/// Make a folder for output, and its parents; fine if it exists. On failure prints it; returns the exit code.
int frz_command_make_folder(const frz_call *call, const char *directory);
