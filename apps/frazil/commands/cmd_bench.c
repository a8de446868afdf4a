// SPDX-License-Identifier: MIT
// frazil bench: time of each stage, compared with the limits of the machine.
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/bench_coupling.h"
#include "bench/bench_dough.h"
#include "bench/bench_mpm.h"
#include "bench/bench_render.h"
#include "bench/bench_rigid.h"
#include "bench/bench_surface.h"
#include "clocks.h"
#include "commands/command.h"
#include "output.h"

enum
{
    longest_earlier = 1 << 20 // bytes of a result to compare with
};

// a timer that encloses others
static const char enclosing_timer[] = "pressure";

// ---- cases

/// A whole number of spacings, so that the lattice fits.
static double snap(double length, double spacing)
{
    return fmax(1.0, round(length / spacing)) * spacing;
}

/// Block and tank of scenes/bench_dam.yaml.
static void scale_dam(double factor, frz_bench_scaling *out)
{
    const double spacing = 0.025;
    out->count = 2;
    snprintf(out->texts[0], sizeof out->texts[0], "bodies.0.shape={box: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g]}}",
             snap(1.25 * factor, spacing), snap(factor, spacing), snap(factor, spacing));
    snprintf(out->texts[1], sizeof out->texts[1],
             "bodies.1.shape={shell: {of: {box: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g]}}, thickness: 50 mm, "
             "open: [+y]}}",
             snap(4.0 * factor, spacing), snap(2.0 * factor, spacing), snap(factor, spacing) + spacing);
}

/// The same of scenes/bench_viscous.yaml.
static void scale_viscous(double factor, frz_bench_scaling *out)
{
    const double spacing = 0.005;
    out->count = 2;
    snprintf(out->texts[0], sizeof out->texts[0], "bodies.0.shape={box: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g]}}",
             snap(0.25 * factor, spacing), snap(0.2 * factor, spacing), snap(0.25 * factor, spacing));
    snprintf(out->texts[1], sizeof out->texts[1],
             "bodies.1.shape={shell: {of: {box: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g]}}, thickness: 10 mm, "
             "open: [+y]}}",
             snap(0.5 * factor, spacing), snap(0.3 * factor, spacing), snap(0.25 * factor, spacing) + spacing);
}

/// The same of scenes/bench_column.yaml.
static void scale_column(double factor, frz_bench_scaling *out)
{
    const double spacing = 0.01;
    out->count = 2;
    snprintf(out->texts[0], sizeof out->texts[0], "bodies.0.shape={box: {min: [0, 0], max: [%.9g, %.9g]}}",
             snap(0.25 * factor, spacing), snap(2.0 * factor, spacing));
    snprintf(out->texts[1], sizeof out->texts[1],
             "bodies.1.shape={shell: {of: {box: {min: [0, 0], max: [%.9g, %.9g]}}, thickness: 20 mm, open: [+y]}}",
             snap(0.25 * factor, spacing), snap(2.2 * factor, spacing));
}

/// Wider blocks in a wider bath of scenes/bench_melt.yaml, as deep as before: step and work for a particle stay, and
/// only their number grows. Finer particles in the same blocks would be stiffer and take shorter steps.
static void scale_melt(double factor, frz_bench_scaling *out)
{
    const double spacing = 0.005, wider = pow(factor, 1.5), tank = snap(0.3 * wider, spacing);
    static const double from[2][3] = {{0.02, 0.115, 0.21}, {0.02, 0.12, 0.22}}; // of the blocks along x and z
    const double side = snap(0.065 * wider, spacing);
    out->count = 11;
    snprintf(out->texts[0], sizeof out->texts[0], "bodies.0.shape={box: {min: [0, 0, 0], max: [%.9g, 0.03, %.9g]}}",
             tank, tank);
    snprintf(out->texts[1], sizeof out->texts[1],
             "bodies.1.shape={shell: {of: {box: {min: [0, 0, 0], max: [%.9g, 0.15, %.9g]}}, thickness: 10 mm, open: "
             "[+y]}}",
             tank, tank);
    for (int k = 0; k < 9; ++k)
    {
        const double x = snap(from[0][k / 3] * wider, spacing), z = snap(from[1][k % 3] * wider, spacing);
        snprintf(out->texts[2 + k], sizeof out->texts[2 + k],
                 "bodies.%d.shape={box: {min: [%.9g, 0.035, %.9g], max: [%.9g, 0.1, %.9g]}}", 2 + k, x, z, x + side,
                 z + side);
    }
}

static const frz_bench_case bench_cases[] = {
    {"dam", "bench_dam", "Collapse of a block of water in a tank", scale_dam, true, {NULL, NULL, 0}, 0},
    {"column", "bench_column", "A tall column of water at rest", scale_column, true, {NULL, NULL, 0}, 0},
    {"viscous",
     "bench_viscous",
     "A very viscous block, implicit against explicit viscosity",
     scale_viscous,
     false,
     {"morris1997", "materials.tar.viscosity={method: morris1997, viscosity: 100 Pa s}", 50},
     0},
    {"melt",
     "bench_melt",
     "Blocks melt in a hot bath, with and without heat",
     scale_melt,
     false,
     {"heat held", NULL, 40},
     100},
};

// name of the comparison of all solvers on the first case, and of all iteration schemes
static const char all_solvers[] = "solvers";
static const char coupling_word[] = "coupling";
// the word for the elastic methods
static const char beam_word[] = "beam";
static const char rigid_word[] = "rigid";
static const char dough_word[] = "dough";
static const char mpm_word[] = "mpm";
static const char render_word[] = "render";
static const char surface_word[] = "surface";

enum
{
    case_count = sizeof bench_cases / sizeof bench_cases[0],
    preset_most = 16,
    result_most = 32
};

// ---- options

typedef struct bench_values
{
    frz_common_values common;
    int64_t steps, warmup;
    double scale;
    frz_text_list set;
    const char *compare, *solver, *method, *scene, *contact, *plots, *rule;
    bool quick, overhead, sweep;
} bench_values;

static const bench_values bench_defaults = {.steps = 500, .warmup = -1, .scale = 1.0, .plots = "bench"};

static const frz_option bench_options[] = {
    {"steps", 0, FRZ_OPTION_COUNT, offsetof(bench_values, steps), "N", "steps to measure; 500 if left out"},
    {"warmup", 0, FRZ_OPTION_COUNT, offsetof(bench_values, warmup), "N",
     "steps before that; 0 if left out, 100 of melt"},
    {"scale", 0, FRZ_OPTION_REAL, offsetof(bench_values, scale), "X",
     "make all edges X times as long, those of melt sidewards only; 2.1544 is ten times the particles"},
    {"solver", 0, FRZ_OPTION_TEXT, offsetof(bench_values, solver), "NAME",
     "pressure method, with a time step that suits it; dfsph if left out"},
    {"method", 0, FRZ_OPTION_TEXT, offsetof(bench_values, method), "NAME",
     "beam: one elastic method, e.g. peer2018; all if left out"},
    {"quick", 0, FRZ_OPTION_FLAG, offsetof(bench_values, quick), NULL,
     "beam: leave out the reference and the errors; dough: --steps only; coupling: simulate a shorter time; rigid: "
     "small and short"},
    {"scene", 0, FRZ_OPTION_TEXT, offsetof(bench_values, scene), "NAME",
     "coupling: sphere (if left out), capsule or propeller; rigid: funnel, bolt, screw or pile; all if left out"},
    {"contact", 0, FRZ_OPTION_TEXT, offsetof(bench_values, contact), "METHOD",
     "rigid: contact method; distance if left out"},
    {"overhead", 0, FRZ_OPTION_FLAG, offsetof(bench_values, overhead), NULL,
     "beam: only the cost of rotations, over the number of particles"},
    {"rule", 0, FRZ_OPTION_TEXT, offsetof(bench_values, rule), "NAME",
     "coupling: when weak coupling counts as the same, paper or strict; one after the other if left out"},
    {"sweep", 0, FRZ_OPTION_FLAG, offsetof(bench_values, sweep), NULL,
     "coupling: the gain for densities of the body from a hundredth of the liquid's to the liquid's"},
    {"plots", 0, FRZ_OPTION_TEXT, offsetof(bench_values, plots), "DIR",
     "beam, coupling: folder for plots; bench if left out"},
    {"set", 0, FRZ_OPTION_LIST, offsetof(bench_values, set), "KEY=VALUE", "override a key of the scene; repeatable"},
    {"compare", 0, FRZ_OPTION_TEXT, offsetof(bench_values, compare), "FILE",
     "an earlier result (made with --json) to compare with"},
    {0}};

// ---- the machine

static void find_cpu(char *text, size_t size)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, size, "unknown processor");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
    {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(text, size, "%s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    if (file != NULL)
        (void)fclose(file);
}

/// Largest resident size of this process so far, bytes; 0 if the system does not tell.
static double process_peak(void)
{
    char line[256];
    double kilobytes = 0.0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = strtod(line + 6, NULL);
    if (file != NULL)
        (void)fclose(file);
    return 1024.0 * kilobytes;
}

// ---- measuring

static void add_solver(frz_bench_solver *solver, const frz_stats *stats, int iterations, double average, double largest)
{
    solver->iterations += iterations;
    solver->particle_iterations += (double)iterations * (double)stats->liquid;
    solver->pair_iterations += (double)iterations * (double)stats->pairs;
    solver->error_sum += average;
    solver->error_worst = fmax(solver->error_worst, average);
    solver->error_largest = fmax(solver->error_largest, largest);
}

static void add_step(frz_bench_result *r, const frz_stats *stats)
{
    r->particle_steps += (double)stats->liquid;
    r->pair_steps += (double)stats->pairs;
    r->rejected += stats->rejected;
    r->simulated_time += stats->dt;
    r->lost = stats->lost;
    add_solver(&r->density, stats, stats->density_iterations, stats->density_error_average, stats->density_error_max);
    add_solver(&r->divergence, stats, stats->divergence_iterations, stats->divergence_error_average,
               stats->divergence_error_max);
}

static void take_stages(frz_bench_result *r, const frz_sim *sim)
{
    double known = 0.0;
    for (int t = 0; frz_sim_timer(sim, t).name != NULL && r->stage_count < FRZ_BENCH_STAGES - 1; ++t)
    {
        const frz_timer_info timer = frz_sim_timer(sim, t);
        if (strcmp(timer.name, enclosing_timer) == 0)
            continue;
        known += timer.seconds;
        r->stages[r->stage_count++] =
            (frz_bench_stage){.name = timer.name, .seconds = timer.seconds, .calls = timer.calls};
    }
    r->stages[r->stage_count++] = (frz_bench_stage){.name = "other", .seconds = fmax(r->seconds - known, 0.0)};
}

/// What the first steps took, as many as the rival does.
static void note_common_steps(frz_bench_result *r, double seconds, double cpu)
{
    r->common_seconds = seconds;
    r->common_cpu = cpu;
    r->common_time = r->simulated_time;
}

static frz_status take_steps(frz_bench_result *r, frz_sim *sim, bool held, frz_progress_bar *bar, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    for (int64_t s = 0; status == FRZ_OK && s < r->warmup; ++s)
        status = frz_sim_step(sim, HUGE_VAL, diag);
    frz_sim_hold_heat(sim, held);
    frz_sim_timers_reset(sim);
    const double start = omp_get_wtime(), cpu_start = frz_processor_seconds();
    for (int64_t s = 0; status == FRZ_OK && s < r->steps; ++s)
    {
        frz_stats stats;
        status = frz_sim_step(sim, HUGE_VAL, diag);
        frz_sim_stats(sim, &stats);
        add_step(r, &stats);
        if (s < r->of->rival.most_steps)
            note_common_steps(r, omp_get_wtime() - start, frz_processor_seconds() - cpu_start);
        const double share = (double)(s + 1) / (double)r->steps;
        if (frz_progress_bar_due(bar, share))
            frz_progress_bar_show(bar, share, (omp_get_wtime() - start) * (1.0 / share - 1.0), r->of->name);
    }
    r->seconds = omp_get_wtime() - start;
    r->cpu_seconds = frz_processor_seconds() - cpu_start;
    return status;
}

static void describe(frz_bench_result *r, const frz_sim *sim)
{
    frz_sim_report report;
    frz_sim_report_get(sim, &report);
    r->dimension = report.dimension;
    r->liquid = report.liquid;
    r->walls = report.walls;
    r->double_precision = frz_sim_field(sim, "density", FRZ_SEGMENT_FREE).type == FRZ_SCALAR_F64;
    find_cpu(r->cpu, sizeof r->cpu);
}

static frz_status measure(frz_bench_result *r, const frz_scene *scene, bool quiet, frz_diag *diag)
{
    frz_sim *sim = NULL;
    frz_sim_def def = frz_sim_def_default();
    def.threads = r->threads;
    frz_progress_bar bar = frz_progress_bar_create(quiet);
    frz_status status = frz_sim_create(scene, &def, &sim, diag);
    if (status == FRZ_OK)
    {
        describe(r, sim);
        status = take_steps(r, sim, false, &bar, diag);
        frz_progress_bar_close(&bar);
        take_stages(r, sim);
        int64_t bytes, allocations;
        frz_memory_info(&bytes, &r->library_peak, &allocations);
        r->process_peak = process_peak(); // before the arrays of the limits
    }
    frz_sim_destroy(&sim);
    return status;
}

/// Traffic and arithmetic of the stages, and the limits of the machine.
static frz_status measure_machine(frz_bench_result *r, frz_diag *diag)
{
    frz_bench_model(r);
    if (frz_bench_limits_measure(r->threads, &r->limits))
        return FRZ_OK;
    diag->status = FRZ_ERR_MEMORY;
    snprintf(diag->message, sizeof diag->message, "not enough memory to measure the bandwidth");
    return FRZ_ERR_MEMORY;
}

/// The rival's steps, timed.
static frz_status measure_rival(frz_bench_result *r, const frz_scene *scene, bool quiet, frz_diag *diag)
{
    frz_bench_result other = {.of = r->of, .steps = r->steps, .warmup = r->warmup};
    if (other.steps > r->of->rival.most_steps)
        other.steps = r->of->rival.most_steps;
    frz_sim *sim = NULL;
    frz_sim_def def = frz_sim_def_default();
    def.threads = r->threads;
    frz_progress_bar bar = frz_progress_bar_create(quiet);
    frz_status status = frz_sim_create(scene, &def, &sim, diag);
    if (status == FRZ_OK)
        status = take_steps(&other, sim, r->of->rival.setting == NULL, &bar, diag);
    frz_progress_bar_close(&bar);
    frz_sim_destroy(&sim);
    r->rival_steps = other.steps;
    r->rival_seconds = other.seconds;
    r->rival_cpu = other.cpu_seconds;
    r->rival_time = other.simulated_time;
    return status;
}

// ---- the command

static const frz_bench_case *find_case(const frz_call *call, int *code)
{
    const char *known[case_count + 1] = {NULL};
    for (int k = 0; k < case_count; ++k)
    {
        known[k] = bench_cases[k].name;
        if (call->word_count == 0 || strcmp(known[k], call->words[0]) == 0)
            return &bench_cases[k];
    }
    char hint[64];
    *code = frz_command_fail_usage(call, "there is no benchmark '%.60s'%s", call->words[0],
                                   frz_did_you_mean(call->words[0], known, "", hint, sizeof hint));
    return NULL;
}

static const frz_bench_preset *find_preset(const frz_call *call, int *code)
{
    const bench_values *values = call->values;
    const char *known[preset_most + 1] = {NULL};
    int count = 0;
    for (const frz_bench_preset *p = frz_bench_presets; p->solver != NULL; ++p)
    {
        if (values->solver == NULL || strcmp(p->solver, values->solver) == 0)
            return p;
        if (count < preset_most)
            known[count++] = p->solver;
    }
    char hint[64];
    *code = frz_command_fail_usage(call, "--solver: there is no pressure method '%.60s'%s", values->solver,
                                   frz_did_you_mean(values->solver, known, "", hint, sizeof hint));
    return NULL;
}

/// The case's scene, larger if that is wanted, set up for the solver, with the rival's setting if there is one, then
/// with the user's overrides.
static frz_scene *load_scene(const frz_call *call, const frz_bench_case *of, const frz_bench_preset *preset,
                             const char *rival, int *code)
{
    const bench_values *values = call->values;
    char name[80];
    frz_bench_scaling scaling = {.count = 0};
    frz_text_list settings = {.count = 0};
    if (values->scale != 1.0)
        of->scale(values->scale, &scaling);
    for (int k = 0; k < scaling.count; ++k)
        settings.items[settings.count++] = scaling.texts[k];
    for (int k = 0; k < FRZ_BENCH_PRESET_TEXTS && preset->settings[k] != NULL; ++k)
        settings.items[settings.count++] = preset->settings[k];
    if (rival != NULL)
        settings.items[settings.count++] = rival;
    for (int k = 0; k < values->set.count; ++k)
    {
        if (settings.count == FRZ_TEXT_LIST_MOST)
        {
            *code = frz_command_fail_usage(call, "--set is given too often");
            return NULL;
        }
        settings.items[settings.count++] = values->set.items[k];
    }
    snprintf(name, sizeof name, "builtin:%s", of->scene);
    return frz_command_load_scene(call, name, &settings, code);
}

/// The text of the result to compare with (free it), or null with an exit code.
static char *read_earlier(const frz_call *call, const char *path, int *code)
{
    char *text = malloc(longest_earlier + 1);
    FILE *file = text != NULL ? fopen(path, "r") : NULL;
    const int reason = errno;
    size_t length = 0;
    if (file != NULL)
    {
        length = fread(text, 1, longest_earlier, file);
        (void)fclose(file);
    }
    if (text != NULL)
        text[length] = '\0';
    if (file != NULL && frz_bench_is_result(text))
        return text;
    if (file != NULL)
        *code = frz_command_fail_usage(call, "%s is no result of 'frazil bench --json'", path);
    else
        *code = frz_command_fail_usage(call, "cannot read %s: %s", path, strerror(reason));
    free(text);
    return NULL;
}

static int measure_case(const frz_call *call, const frz_bench_case *of, const frz_bench_preset *preset,
                        int64_t most_steps, frz_bench_result *result)
{
    const bench_values *values = call->values;
    int code = FRZ_EXIT_DONE;
    frz_scene *scene = load_scene(call, of, preset, NULL, &code);
    if (scene == NULL)
        return code;
    frz_scene *rival = of->rival.name != NULL ? load_scene(call, of, preset, of->rival.setting, &code) : NULL;
    if (code != FRZ_EXIT_DONE)
    {
        frz_scene_destroy(&scene);
        return code;
    }
    *result = (frz_bench_result){
        .of = of,
        .preset = preset,
        .scale = values->scale,
        .threads = call->common->threads > 0 ? call->common->threads : omp_get_num_procs(),
        .steps = values->steps < most_steps ? values->steps : most_steps,
        .warmup = values->warmup >= 0 ? values->warmup : of->warmup,
        .density.tolerance = preset->density_tolerance,
        .divergence.tolerance = preset->divergence_tolerance,
    };
    frz_diag diag = {0};
    if (measure(result, scene, call->common->quiet, &diag) != FRZ_OK ||
        (rival != NULL && measure_rival(result, rival, call->common->quiet, &diag) != FRZ_OK))
        code = frz_command_fail(call, &diag);
    frz_scene_destroy(&scene);
    frz_scene_destroy(&rival);
    return code;
}

static int run_case(const frz_call *call, const frz_bench_case *of, const char *earlier)
{
    const bench_values *values = call->values;
    int code = FRZ_EXIT_DONE;
    frz_bench_result result;
    const frz_bench_preset *preset = find_preset(call, &code);
    if (preset != NULL)
        code = measure_case(call, of, preset, INT64_MAX, &result);
    if (code != FRZ_EXIT_DONE)
        return code;
    frz_diag diag = {0};
    if (measure_machine(&result, &diag) != FRZ_OK)
        return frz_command_fail(call, &diag);
    if (call->common->json)
        frz_bench_print_json(&result, earlier, values->compare);
    else
        frz_bench_print_text(&result, earlier, values->compare);
    return code;
}

static int run_solvers(const frz_call *call)
{
    static frz_bench_result results[result_most];
    int count = 0, code = FRZ_EXIT_DONE;
    for (const frz_bench_preset *p = frz_bench_presets; code == FRZ_EXIT_DONE && p->solver != NULL; ++p)
        code = measure_case(call, &bench_cases[0], p, INT64_MAX, &results[count++]);
    for (const frz_bench_iteration *i = frz_bench_iterations; code == FRZ_EXIT_DONE && i->name != NULL; ++i)
        for (int k = 0; k < case_count; ++k)
            if (strcmp(bench_cases[k].name, i->of) == 0)
                code = measure_case(call, &bench_cases[k], &i->preset, i->most_steps, &results[count++]);
    if (code == FRZ_EXIT_DONE)
        frz_bench_print_solvers(results, count, call->common->json);
    return code;
}

static int run_beam(const frz_call *call)
{
    const bench_values *values = call->values;
    const frz_bench_beam beam = {.method = values->method,
                                 .threads = call->common->threads > 0 ? call->common->threads : omp_get_num_procs(),
                                 .most_steps = values->quick ? values->steps : INT64_MAX,
                                 .compare = !values->quick,
                                 .json = call->common->json,
                                 .plots = values->plots,
                                 .overhead = values->overhead};
    if (strlen(values->plots) == 0 || strlen(values->plots) > 500)
        return frz_command_fail_usage(call, "--plots: expected the name of a folder, of 500 letters at most");
    if (!frz_bench_beam_knows(values->method))
        return frz_command_fail_usage(call, "--method: the beam has no method '%.60s'; try peer2018 or becker2009",
                                      values->method);
    const int code = frz_command_make_folder(call, values->plots);
    if (code != FRZ_EXIT_DONE)
        return code;
    frz_diag diag = {0};
    const frz_status status = beam.overhead ? frz_bench_beam_overhead(&beam, &diag) : frz_bench_beam_run(&beam, &diag);
    return status == FRZ_OK ? FRZ_EXIT_DONE : frz_command_fail(call, &diag);
}

static int run(const frz_call *call)
{
    const bench_values *values = call->values;
    int code = FRZ_EXIT_DONE;
    if (values->steps < 1)
        return frz_command_fail_usage(call, "--steps: expected at least 1");
    if (!(values->scale > 0.0))
        return frz_command_fail_usage(call, "--scale: expected a number above 0, got %g", values->scale);
    if (call->word_count > 0 && strcmp(call->words[0], all_solvers) == 0)
        return run_solvers(call);
    if (call->word_count > 0 && strcmp(call->words[0], coupling_word) == 0)
        return bench_coupling(call, &(bench_coupling_wish){.scene = values->scene,
                                                           .rule = values->rule,
                                                           .set = &values->set,
                                                           .quick = values->quick,
                                                           .sweep = values->sweep,
                                                           .plots = values->plots});
    if (call->word_count > 0 && strcmp(call->words[0], beam_word) == 0)
        return run_beam(call);
    if (call->word_count > 0 && strcmp(call->words[0], rigid_word) == 0)
    {
        const frz_rigid_options rigid = {values->scene, values->contact, values->quick};
        return bench_rigid(call, &rigid);
    }
    if (call->word_count > 0 && strcmp(call->words[0], render_word) == 0)
        return bench_render(call);
    if (call->word_count > 0 && strcmp(call->words[0], surface_word) == 0)
        return bench_surface(call, values->scale, values->quick);
    if (call->word_count > 0 && strcmp(call->words[0], mpm_word) == 0)
        return bench_mpm(call, values->steps < bench_defaults.steps ? values->steps : 10, values->scale);
    if (call->word_count > 0 && strcmp(call->words[0], dough_word) == 0)
        return bench_dough(call, values->quick ? values->steps : INT64_MAX, &values->set);
    const frz_bench_case *of = find_case(call, &code);
    char *earlier = NULL;
    if (of != NULL && values->compare != NULL)
        earlier = read_earlier(call, values->compare, &code);
    if (code == FRZ_EXIT_DONE)
        code = run_case(call, of, earlier);
    free(earlier);
    return code;
}

const frz_command frz_command_bench = {
    .words = "[dam|column|viscous|melt|solvers|beam|dough|coupling|rigid|mpm|surface|render]",
    .min_words = 0,
    .max_words = 1,
    .doc = "Simulate a fixed number of steps and tell how long each stage takes, how well the solvers did,\n"
           "and which part of the machine's memory bandwidth or arithmetic is used. Writes nothing.\n"
           "'solvers' runs the dam with every pressure method in turn and puts them side by side, and then every\n"
           "way to iterate the pressures on the dam and on a deep column at rest. 'beam' runs the elastic methods.\n"
           "'coupling' finds the step at which weak coupling of liquid and bodies does the same as strong coupling\n"
           "with a long step: a light body rises, a capsule splashes down, a propeller pumps (--scene). 'rigid' has\n"
           "bodies in a funnel, a bolt in its nut, and piles of several sizes. 'dough' tells whether a small body is\n"
           "simulated faster than the clock. 'mpm' lets sand of material points slump. 'surface' makes the\n"
           "surface of a dam, from file to file. 'render' draws pictures by paths of light.",
    .options = bench_options,
    .values_size = sizeof(bench_values),
    .defaults = &bench_defaults,
    .run = run,
};
