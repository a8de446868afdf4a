// SPDX-License-Identifier: MIT
// frazil validate: hold the physics against theory and experiment.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clocks.h"
#include "commands/command.h"
#include "json.h"
#include "output.h"
#include "validate/validation_outcome.h"

#define VALIDATION_QUICK(name, function, doc) {name, function, doc, true, false},
#define VALIDATION_CASE(name, function, doc)  {name, function, doc, false, false},
#define VALIDATION_LONG(name, function, doc)  {name, function, doc, false, true},
static const validation_case cases[] = {
#include "validate/validation_cases.def"
};
#undef VALIDATION_QUICK
#undef VALIDATION_CASE
#undef VALIDATION_LONG

enum
{
    case_count = sizeof cases / sizeof cases[0],
    path_size = 500 // of the folder: a name of a file behind it still fits case_result.plot
};

typedef struct validate_values
{
    frz_common_values common;
    const char *output, *pressure, *boundary;
    double resolution;
    bool list, quick, no_plots;
} validate_values;

static const validate_values validate_defaults = {.output = "validation", .resolution = 1.0};

static const frz_option validate_options[] = {
    {"output", 'o', FRZ_OPTION_TEXT, offsetof(validate_values, output), "DIR",
     "folder for index.html, validation.json and the plots; validation if left out"},
    {"resolution", 0, FRZ_OPTION_REAL, offsetof(validate_values, resolution), "X",
     "1 as shipped (the default); 2 halves the spacing"},
    {"pressure", 0, FRZ_OPTION_TEXT, offsetof(validate_values, pressure), "METHOD",
     "another pressure method than the scenes', e.g. wcsph or '{method: iisph, max_density_error: 0.01}'"},
    {"boundary", 0, FRZ_OPTION_TEXT, offsetof(validate_values, boundary), "METHOD",
     "another boundary method than the scenes', e.g. band2018"},
    {"list", 0, FRZ_OPTION_FLAG, offsetof(validate_values, list), NULL, "only tell which cases there are"},
    {"quick", 0, FRZ_OPTION_FLAG, offsetof(validate_values, quick), NULL,
     "only the cases that take less than ten seconds of one core"},
    {"no-plots", 0, FRZ_OPTION_FLAG, offsetof(validate_values, no_plots), NULL, "make no plots"},
    {0}};

// ---- running

// The cases' progress function takes no user data, and the program runs one case at a time.
static frz_progress_bar progress_bar;
static double progress_start;

static void show_progress(const char *name, double fraction)
{
    const double elapsed = frz_wall_seconds() - progress_start;
    frz_progress_bar_show(&progress_bar, fraction, fraction > 0.0 ? elapsed * (1.0 / fraction - 1.0) : -1.0, name);
}

static void run_case(const frz_call *call, outcome *out)
{
    const validate_values *values = call->values;
    const case_context context = {
        .name = out->of->name,
        .directory = values->no_plots ? NULL : values->output,
        .pressure = values->pressure,
        .boundary = values->boundary,
        .threads = call->common->threads,
        .resolution = values->resolution,
        .progress = show_progress,
    };
    frz_diag diag = {0};
    progress_bar = frz_progress_bar_create(call->common->quiet);
    progress_start = frz_wall_seconds();
    case_watch_begin();
    out->status = out->of->run(&context, &out->result, &diag);
    case_watch_end(&out->result);
    out->seconds = frz_wall_seconds() - progress_start;
    frz_progress_bar_close(&progress_bar);
    if (out->status != FRZ_OK)
        frz_diag_text(&diag, out->message, sizeof out->message);
    out->passed = out->status == FRZ_OK && out->result.figure_count > 0; // a case that measures nothing proves nothing
    for (int k = 0; k < out->result.figure_count; ++k)
        out->passed = out->passed && out->result.figures[k].passed;
}

// ---- telling

static void print_figures(const case_result *result)
{
    int width = (int)strlen("Figure");
    for (int k = 0; k < result->figure_count; ++k)
    {
        const int length = (int)strlen(result->figures[k].name);
        width = length > width ? length : width;
    }
    if (result->figure_count > 0)
        printf("  %-*s  %12s  %12s  %10s  %10s\n", width, "Figure", "Value", "Reference", "Error", "Gate");
    for (int k = 0; k < result->figure_count; ++k)
    {
        const figure *f = &result->figures[k];
        if (isinf(f->gate))
            printf("  %-*s  %12.6g  %12s  %10s  %10s  told\n", width, f->name, f->value, "", "", "");
        else
            printf("  %-*s  %12.6g  %12.6g  %10.4g  %10.4g  %s\n", width, f->name, f->value, f->reference, f->error,
                   f->gate, f->passed ? "ok" : "FAILED");
    }
}

static void print_case(const outcome *out)
{
    char wall[32];
    printf("%s: %s with %s (%s), %s\n", out->of->name, out->passed ? "passed" : "FAILED",
           out->result.pressure[0] != '\0' ? out->result.pressure : "no simulation",
           frz_format_duration(out->seconds, wall), out->of->doc);
    if (out->status != FRZ_OK)
        printf("  The simulation failed: %s\n", out->message);
    else if (out->result.figure_count == 0)
        printf("  The case gave no figures.\n");
    print_figures(&out->result);
    if (out->result.note[0] != '\0')
        printf("  %s\n", out->result.note);
    if (out->result.plot[0] != '\0')
        printf("  Plot: %s\n", out->result.plot);
    printf("\n");
    (void)fflush(stdout); // the next case may take minutes
}

static void write_case(frz_json *json, const outcome *out)
{
    const case_result *result = &out->result;
    frz_json_begin_object(json, NULL);
    frz_json_text(json, "name", out->of->name);
    frz_json_text(json, "pressure", result->pressure);
    frz_json_boolean(json, "passed", out->passed);
    frz_json_real(json, "seconds", out->seconds);
    frz_json_text(json, "doc", out->of->doc);
    frz_json_text(json, "note", result->note);
    frz_json_text(json, "plot", result->plot[0] != '\0' ? result->plot : NULL);
    if (out->status != FRZ_OK)
        frz_json_text(json, "error", out->message);
    frz_json_begin_array(json, "figures");
    for (int k = 0; k < result->figure_count; ++k)
    {
        const figure *f = &result->figures[k];
        frz_json_begin_object(json, NULL);
        frz_json_text(json, "name", f->name);
        frz_json_real(json, "value", f->value);
        frz_json_boolean(json, "judged", isfinite(f->gate));
        frz_json_real(json, "reference", f->reference);
        frz_json_real(json, "error", f->error);
        frz_json_real(json, "gate", f->gate);
        frz_json_boolean(json, "passed", f->passed);
        frz_json_end_object(json);
    }
    frz_json_end_array(json);
    frz_json_end_object(json);
}

static void write_result(FILE *file, const outcome *outcomes, int count)
{
    bool passed = true;
    for (int k = 0; k < count; ++k)
        passed = passed && outcomes[k].passed;
    frz_json json = {.out = file};
    frz_json_begin_object(&json, NULL);
    frz_json_boolean(&json, "passed", passed);
    frz_json_begin_array(&json, "cases");
    for (int k = 0; k < count; ++k)
        write_case(&json, &outcomes[k]);
    frz_json_end_array(&json);
    frz_json_end_object(&json);
}

static int list_cases(const frz_call *call)
{
    frz_json json = {.out = stdout};
    if (call->common->json)
        frz_json_begin_array(&json, NULL);
    for (int k = 0; k < case_count; ++k)
    {
        if (!call->common->json)
        {
            printf("%-16s %s\n", cases[k].name, cases[k].doc);
            continue;
        }
        frz_json_begin_object(&json, NULL);
        frz_json_text(&json, "name", cases[k].name);
        frz_json_text(&json, "doc", cases[k].doc);
        frz_json_end_object(&json);
    }
    if (call->common->json)
        frz_json_end_array(&json);
    return FRZ_EXIT_DONE;
}

// ---- files

static int fail_file(const frz_call *call, const char *what, const char *path)
{
    frz_diag diag = {.status = FRZ_ERR_FILE};
    snprintf(diag.message, sizeof diag.message, "cannot %s %s: %s", what, path, strerror(errno));
    return frz_command_fail(call, &diag);
}

/// Under a temporary name first: an earlier result is replaced by a whole one or not at all.
static int write_file(const frz_call *call, const char *name, void (*put)(FILE *, const outcome *, int),
                      const outcome *outcomes, int count)
{
    const validate_values *values = call->values;
    char path[path_size + 32], temporary[path_size + 32];
    snprintf(path, sizeof path, "%s/%s", values->output, name);
    snprintf(temporary, sizeof temporary, "%s/%s.XXXXXX", values->output, name);
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return frz_command_fail_usage(call, "cannot write %s: it is not a regular file", path);
    const int fd = mkstemp(temporary);
    const mode_t mask = umask(0);
    (void)umask(mask);
    FILE *file = fd >= 0 && fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
    if (file == NULL)
        return fail_file(call, "write", path);
    put(file, outcomes, count);
    const bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad || rename(temporary, path) != 0)
    {
        const int code = fail_file(call, "write", path);
        (void)remove(temporary);
        return code;
    }
    return FRZ_EXIT_DONE;
}

// ---- the command

/// Marks the cases named; without a name all, or all that are quick.
static int choose_cases(const frz_call *call, bool wanted[case_count])
{
    const validate_values *values = call->values;
    for (int k = 0; k < case_count; ++k)
        wanted[k] = call->word_count == 0 && !cases[k].long_one && (!values->quick || cases[k].quick);
    for (int w = 0; w < call->word_count; ++w)
    {
        const char *known[case_count + 1] = {NULL};
        bool found = false;
        for (int k = 0; k < case_count; ++k)
        {
            known[k] = cases[k].name;
            if (strcmp(cases[k].name, call->words[w]) == 0)
                found = wanted[k] = true;
        }
        char hint[64];
        if (!found)
            return frz_command_fail_usage(call, "there is no validation case '%.60s'%s", call->words[w],
                                          frz_did_you_mean(call->words[w], known, "", hint, sizeof hint)[0] != '\0'
                                              ? hint
                                              : "; 'frazil validate --list' tells which there are");
    }
    return FRZ_EXIT_DONE;
}

static int run_cases(const frz_call *call, const bool wanted[case_count])
{
    static outcome outcomes[case_count]; // some 6 kB each
    const validate_values *values = call->values;
    int count = 0, good = 0;
    for (int k = 0; k < case_count; ++k)
    {
        if (!wanted[k])
            continue;
        outcome *out = &outcomes[count++];
        out->of = &cases[k];
        run_case(call, out);
        good += out->passed;
        if (!call->common->json)
            print_case(out);
    }
    if (call->common->json)
        write_result(stdout, outcomes, count);
    else
        printf("%d of %d cases passed.\n", good, count);
    int code = write_file(call, "validation.json", write_result, outcomes, count);
    if (code == FRZ_EXIT_DONE)
        code = write_file(call, "index.html", frz_validation_page, outcomes, count);
    if (code == FRZ_EXIT_DONE && !call->common->quiet)
        frz_output_note("The figures are in %s/validation.json, with plots in %s/index.html", values->output,
                        values->output);
    return code == FRZ_EXIT_DONE && good < count ? FRZ_EXIT_FAILED : code;
}

static int run(const frz_call *call)
{
    const validate_values *values = call->values;
    bool wanted[case_count];
    if (values->list)
        return list_cases(call);
    if (!(values->resolution > 0.0))
        return frz_command_fail_usage(call, "--resolution: expected a number above 0 such as 2, got %g",
                                      values->resolution);
    if (values->output[0] == '\0' || strlen(values->output) >= path_size - 32)
        return frz_command_fail_usage(call, "--output: expected the name of a folder, of %d letters at most",
                                      path_size - 33);
    int code = choose_cases(call, wanted);
    if (code == FRZ_EXIT_DONE)
        code = frz_command_make_folder(call, values->output);
    return code == FRZ_EXIT_DONE ? run_cases(call, wanted) : code;
}

const frz_command frz_command_validate = {
    .words = "[CASE ...]",
    .min_words = 0,
    .max_words = case_count,
    .doc = "Simulate cases with a known answer, and compare the results with theory and experiment:\n"
           "every figure has an error and a gate that it must not exceed. Without a name: all but the long cases.\n"
           "The exit code is 1 if a case fails.",
    .options = validate_options,
    .values_size = sizeof(validate_values),
    .defaults = &validate_defaults,
    .run = run,
};
