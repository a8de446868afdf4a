// SPDX-License-Identifier: MIT
// frazil resume: continue a run from its newest checkpoint.
#include "commands/run_common.h"
#include "sandbox.h"

typedef struct resume_values
{
    frz_common_values common;
    int64_t max_steps, checkpoint_steps;
} resume_values;

static const frz_option resume_options[] = {
    {"max-steps", 0, FRZ_OPTION_COUNT, offsetof(resume_values, max_steps), "N", "stop after so many steps in total"},
    {"checkpoint-steps", 0, FRZ_OPTION_COUNT, offsetof(resume_values, checkpoint_steps), "N",
     "also write a checkpoint every N steps"},
    {0}};

static int run(const frz_call *call)
{
    const resume_values *values = call->values;
    const char *directory = call->words[0];
    const int missing = frz_command_need_run(call, directory, "run.json");
    if (missing != FRZ_EXIT_DONE)
        return missing;
    frz_sandbox_enter(&(frz_sandbox){.write = directory}); // only run.json knows which files the scene may read
    frz_run_watch watch;
    frz_run_def def = frz_run_def_default();
    def.directory = directory;
    def.max_steps = values->max_steps;
    def.checkpoint_steps = values->checkpoint_steps;
    frz_run_watch_attach(&watch, call, &def);
    frz_run *resumed = NULL;
    frz_diag diag = {0};
    if (frz_run_resume(&def, &resumed, &diag) != FRZ_OK)
        return frz_command_fail(call, &diag);
    return frz_run_watch_execute(&watch, call, &resumed, directory);
}

const frz_command frz_command_resume = {
    .words = "DIR",
    .min_words = 1,
    .max_words = 1,
    .doc = "Go on with the run in a folder from its newest checkpoint, bit for bit as if it had never\n"
           "stopped.",
    .options = resume_options,
    .values_size = sizeof(resume_values),
    .run = run,
};
