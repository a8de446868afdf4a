// SPDX-License-Identifier: MIT
// Is a small scene faster than real time? In scenes/dough.yaml the fixed cost of a step matters more than the work per
// particle.
//
// The simulation gives the same bits every time, so that step n does the same work in every round. Of each step, and of
// each stage in it, the shortest round counts, which removes the influence of other programs.
#include "bench/bench_dough.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "clocks.h"
#include "json.h"
#include "output.h"

enum
{
    rounds = 5,
    stage_most = 16
};

// timers inside others, reported below these
static const char *const inner_timers[] = {"divergence", "density", "plastic flow"};

typedef struct dough
{
    int threads;
    int64_t particles, steps;
    int64_t iterations;     // of the elastic solver, all steps
    double simulated;       // s
    double setup;           // s, best round
    double seconds;         // s, of the best rounds of all steps
    double cpu_seconds;     // s on a processor, of all threads, in the round that took least of it
    double round_seconds;   // s, of the fastest whole round
    double worst;           // s, longest best step
    double iterations_most; // of a step
    int stage_count;
    const char *stage[stage_most];
    double stage_seconds[stage_most];
} dough;

// Seconds of one step: the whole, then each stage.
typedef struct step_times
{
    double total, stage[stage_most];
} step_times;

static void note_shortest(step_times *best, const step_times *now, bool first)
{
    best->total = first ? now->total : fmin(best->total, now->total);
    for (int t = 0; t < stage_most; ++t)
        best->stage[t] = first ? now->stage[t] : fmin(best->stage[t], now->stage[t]);
}

static void read_timers(dough *d, const frz_sim *sim, step_times *out)
{
    *out = (step_times){.total = 0.0};
    for (int t = 0; t < stage_most && frz_sim_timer(sim, t).name != NULL; ++t)
    {
        const frz_timer_info timer = frz_sim_timer(sim, t);
        d->stage[t] = timer.name;
        d->stage_count = t + 1 > d->stage_count ? t + 1 : d->stage_count;
        out->stage[t] = timer.seconds;
    }
}

static frz_status take_round(dough *d, frz_sim *sim, int round, step_times *best, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    double sum = 0.0;
    const double cpu_start = frz_processor_seconds();
    d->iterations = 0;
    for (int64_t s = 0; status == FRZ_OK && s < d->steps; ++s)
    {
        step_times now;
        frz_stats stats;
        frz_sim_timers_reset(sim);
        const double start = omp_get_wtime();
        status = frz_sim_step(sim, HUGE_VAL, diag);
        const double taken = omp_get_wtime() - start;
        read_timers(d, sim, &now);
        now.total = taken;
        note_shortest(&best[s], &now, round == 0);
        frz_sim_stats(sim, &stats);
        d->iterations += stats.elastic_iterations;
        d->iterations_most = fmax(d->iterations_most, (double)stats.elastic_iterations);
        sum += taken;
    }
    const double cpu = frz_processor_seconds() - cpu_start;
    d->cpu_seconds = round == 0 ? cpu : fmin(d->cpu_seconds, cpu);
    d->round_seconds = round == 0 ? sum : fmin(d->round_seconds, sum);
    d->simulated = frz_sim_time(sim);
    return status;
}

static frz_status measure_round(dough *d, const frz_scene *scene, int round, int64_t most_steps, step_times **best,
                                frz_diag *diag)
{
    frz_sim *sim = NULL;
    frz_sim_def def = frz_sim_def_default();
    def.threads = d->threads;
    const double start = omp_get_wtime();
    frz_status status = frz_sim_create(scene, &def, &sim, diag);
    d->setup = round == 0 ? omp_get_wtime() - start : fmin(d->setup, omp_get_wtime() - start);
    if (status == FRZ_OK && round == 0)
    {
        frz_sim_report report;
        frz_sim_report_get(sim, &report);
        d->particles = report.elastic;
        const int64_t whole = (int64_t)ceil(report.expected_steps - 1e-6); // the step is fixed
        d->steps = whole < most_steps ? whole : most_steps;
        *best = calloc((size_t)d->steps + 1, sizeof **best);
    }
    if (status == FRZ_OK && *best == NULL)
    {
        diag->status = status = FRZ_ERR_MEMORY;
        snprintf(diag->message, sizeof diag->message, "not enough memory for the times of the steps");
    }
    if (status == FRZ_OK)
        status = take_round(d, sim, round, *best, diag);
    frz_sim_destroy(&sim);
    return status;
}

static bool is_inner(const char *timer)
{
    for (size_t k = 0; k < sizeof inner_timers / sizeof inner_timers[0]; ++k)
        if (strcmp(inner_timers[k], timer) == 0)
            return true;
    return false;
}

static void sum_up(dough *d, const step_times *best)
{
    for (int64_t s = 0; s < d->steps; ++s)
    {
        d->seconds += best[s].total;
        d->worst = fmax(d->worst, best[s].total);
        for (int t = 0; t < d->stage_count; ++t)
            d->stage_seconds[t] += best[s].stage[t];
    }
}

static void print_json(const dough *d)
{
    const double steps = (double)d->steps;
    frz_json out = {.out = stdout};
    frz_json_begin_object(&out, NULL);
    frz_json_integer(&out, "threads", d->threads);
    frz_json_integer(&out, "particles", d->particles);
    frz_json_integer(&out, "steps", d->steps);
    frz_json_integer(&out, "rounds", rounds);
    frz_json_real(&out, "simulated_seconds", d->simulated);
    frz_json_real(&out, "setup_seconds", d->setup);
    frz_json_real(&out, "seconds_per_step", d->seconds / steps);
    frz_json_real(&out, "seconds_per_step_of_fastest_round", d->round_seconds / steps);
    frz_json_real(&out, "cpu_seconds_per_step", d->cpu_seconds / steps);
    frz_json_real(&out, "longest_step_seconds", d->worst);
    frz_json_real(&out, "real_time_factor", d->simulated / d->seconds);
    frz_json_real(&out, "iterations_per_step", (double)d->iterations / steps);
    frz_json_real(&out, "iterations_most", d->iterations_most);
    frz_json_begin_array(&out, "stages");
    for (int t = 0; t < d->stage_count; ++t)
    {
        frz_json_begin_object(&out, NULL);
        frz_json_text(&out, "name", d->stage[t]);
        frz_json_boolean(&out, "inside_another", is_inner(d->stage[t]));
        frz_json_real(&out, "seconds_per_step", d->stage_seconds[t] / steps);
        frz_json_end_object(&out);
    }
    frz_json_end_array(&out);
    frz_json_end_object(&out);
}

static void print_text(const dough *d)
{
    const double steps = (double)d->steps;
    double known = 0.0;
    printf("Dough under a tool: %lld particles, %lld steps, %d thread%s, best of %d rounds step by step\n\n",
           (long long)d->particles, (long long)d->steps, d->threads, d->threads == 1 ? "" : "s", rounds);
    printf("%-28s  %8s\n", "stage", "ms/step");
    for (int t = 0; t < d->stage_count; ++t)
    {
        known += is_inner(d->stage[t]) ? 0.0 : d->stage_seconds[t];
        printf("%s%-*s  %8.4f\n", is_inner(d->stage[t]) ? "  " : "", is_inner(d->stage[t]) ? 26 : 28, d->stage[t],
               1e3 * d->stage_seconds[t] / steps);
    }
    printf("%-28s  %8.4f\n", "other", 1e3 * fmax(d->seconds - known, 0.0) / steps);
    printf("%-28s  %8.4f   longest step %.3f, fastest whole round %.4f per step\n", "all", 1e3 * d->seconds / steps,
           1e3 * d->worst, 1e3 * d->round_seconds / steps);
    printf("%-28s  %8.4f   of all threads\n", "processor time", 1e3 * d->cpu_seconds / steps);
    printf("\n%.1f iterations of the elastic solver per step, %.0f at most; set-up %.3f s\n",
           (double)d->iterations / steps, d->iterations_most, d->setup);
    printf("%.2f simulated seconds per second\n", d->simulated / d->seconds);
}

int bench_dough(const frz_call *call, int64_t most_steps, const frz_text_list *overrides)
{
    int code = FRZ_EXIT_DONE;
    frz_scene *scene = frz_command_load_scene(call, "builtin:dough", overrides, &code);
    if (scene == NULL)
        return code;
    dough d = {.threads = call->common->threads > 0 ? call->common->threads : omp_get_num_procs()};
    step_times *best = NULL;
    frz_diag diag = {0};
    frz_status status = FRZ_OK;
    frz_progress_bar bar = frz_progress_bar_create(call->common->quiet);
    const double start = omp_get_wtime();
    for (int round = 0; status == FRZ_OK && round < rounds; ++round)
    {
        const double share = (double)round / rounds;
        if (frz_progress_bar_due(&bar, share))
            frz_progress_bar_show(&bar, share, round > 0 ? (omp_get_wtime() - start) * (1.0 / share - 1.0) : -1.0,
                                  "dough");
        status = measure_round(&d, scene, round, most_steps, &best, &diag);
    }
    frz_progress_bar_close(&bar);
    if (status == FRZ_OK)
    {
        sum_up(&d, best);
        if (call->common->json)
            print_json(&d);
        else
            print_text(&d);
    }
    free(best);
    frz_scene_destroy(&scene);
    return status == FRZ_OK ? code : frz_command_fail(call, &diag);
}
