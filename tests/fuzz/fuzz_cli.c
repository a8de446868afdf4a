// SPDX-License-Identifier: MIT
// Command lines, one argument per line. Everything happens in a scratch folder with one small scene; what could reach
// outside of it, or take long, is left out or only parsed.
#include "fuzz.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "commands/command.h"

static const char scene_text[] = "dimension: 2\nspacing: 0.1\nduration: 0.05\nframe_rate: 20\n"
                                 "materials: {water: {density: 1000}}\n"
                                 "bodies:\n"
                                 "  - {state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.3, 0.3]}}}\n";

enum
{
    most_arguments = 12,
    longest_line = 200
};

static void set_up(void)
{
    static char folder[64];
    fuzz_make_folder(folder, sizeof folder);
    FUZZ_REQUIRE(chdir(folder) == 0);
    FILE *file = fopen("a.yaml", "w");
    FUZZ_REQUIRE(file != NULL);
    fputs(scene_text, file);
    FUZZ_REQUIRE(fclose(file) == 0);
    // what the program says is of no interest; the sanitizers write to the descriptor, which stays
    stdout = stderr = fopen("/dev/null", "w");
    FUZZ_REQUIRE(stdout != NULL);
}

static bool is_harmless(char *const *arguments, int count)
{
    for (int k = 0; k < count; ++k)
        if (strchr(arguments[k], '/') != NULL || strstr(arguments[k], "..") != NULL ||
            strstr(arguments[k], "builtin:") != NULL || strstr(arguments[k], "set") != NULL ||
            strcmp(arguments[k], "--") == 0 || strcmp(arguments[k], "-") == 0)
            return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool ready;
    static char program[] = "frazil", help[] = "--help", steps[] = "--max-steps=1", threads[] = "--threads=1",
                quick[] = "--quick", small[] = "--size=16x16", quiet[] = "--quiet";
    if (!ready)
        set_up();
    ready = true;
    if (size > longest_line)
        return 0;
    char text[longest_line + 1], *arguments[most_arguments + 6] = {program};
    int count = 1;
    memcpy(text, data, size);
    text[size] = '\0';
    char *rest = text;
    while (rest != NULL && *rest != '\0' && count < most_arguments)
        arguments[count++] = strsep(&rest, "\n");
    if (count < 2 || !is_harmless(arguments, count))
        return 0;
    const char *command = arguments[1];
    if (strcmp(command, "check") == 0)
        arguments[count++] = quick;
    else if (strcmp(command, "run") == 0 || strcmp(command, "resume") == 0)
        arguments[count++] = steps;
    else if (strcmp(command, "render") == 0)
        arguments[count++] = small;
    else if (strcmp(command, "info") != 0)
        arguments[count++] = help;
    if (strcmp(command, "help") != 0 && command[0] != '-')
    {
        arguments[count++] = threads;
        arguments[count++] = quiet;
    }
    const int code = frz_program_main(count, arguments);
    FUZZ_REQUIRE(code >= 0 && code <= 2);
    return 0;
}
