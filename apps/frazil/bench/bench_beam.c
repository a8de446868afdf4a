// SPDX-License-Identifier: MIT
// The elastic methods on one beam, soft and stiff: time per step, per simulated second, and how far the end of the beam
// is from where steps four times shorter than the explicit limit take it.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "clocks.h"
#include "json.h"
#include "output.h"
#include "validate/solid_probe.h"

enum
{
    sample_count = 20 // times at which the end's position is compared
};

static const double simulated = 0.2; // s: the soft beam sags by a tenth of its length, the stiff one swings once

typedef struct beam_method
{
    const char *name;
    const char *setting; // of the elastic method, but for the modulus
    double step;         // s; 0: the largest stable step, found by the program
} beam_method;

// Implicit methods take the step that public codes are quoted for; explicit ones the longest that is stable.
static const beam_method beam_methods[] = {
    {"becker2009", "method: becker2009", 0.0},
    {"solenthaler2007", "method: solenthaler2007", 0.0},
    {"tlsph", "method: tlsph", 0.0},
    {"peer2018", "method: peer2018", 2e-3},
    {"kugelstadt2021", "method: kugelstadt2021", 2e-3},
    {"peer2018-midpoint", "method: peer2018, scheme: midpoint", 2e-3},
    {"peer2018-euler", "method: peer2018, scheme: backward_euler", 2e-3},
    // as public codes run it: backward Euler, one linear solve with fixed rotations, to a hundredth
    {"peer2018-public", "method: peer2018, scheme: backward_euler, passes: 1, max_error: 1", 2e-3},
};

static const double moduli[] = {1e5, 5e6}; // Pa

enum
{
    method_count = sizeof beam_methods / sizeof beam_methods[0],
    modulus_count = sizeof moduli / sizeof moduli[0]
};

typedef struct beam_result
{
    double setup, seconds, step;       // s
    double first;                      // of seconds: the first step, in which bonds and a factor are made
    double processor, processor_first; // the same of all threads' processor time
    int64_t steps, iterations, rejected, memory;
    double end[sample_count]; // height of the beam's end over time, m
    double error;             // root mean square of its difference from the reference, over the largest sag
} beam_result;

static frz_status set_up(frz_scene *scene, const char *setting, double modulus, double step, frz_diag *diag)
{
    char text[200];
    snprintf(text, sizeof text, "{%s, young: %g, poisson: 0.33}", setting, modulus);
    frz_status status = frz_scene_set(scene, "materials.rubber.elastic", text, diag);
    snprintf(text, sizeof text, "%.9g", step);
    if (status == FRZ_OK)
        status = frz_scene_set(scene, "time_step", step > 0.0 ? text : "{max: 2 ms}", diag);
    return status;
}

static frz_status follow(frz_sim *sim, int64_t most, beam_result *r, frz_diag *diag)
{
    const double place[3] = {2.0, 0.25, 0.25}, inward[3] = {-0.025, 0.0, 0.0};
    const solid_point end = solid_point_at(sim, place, inward);
    frz_status status = FRZ_OK;
    const double start = omp_get_wtime(), processor_start = frz_processor_seconds();
    for (int k = 0; status == FRZ_OK && k < sample_count && r->steps < most; ++k)
    {
        const double until = simulated * (k + 1) / sample_count;
        while (status == FRZ_OK && until - frz_sim_time(sim) > 1e-9 && r->steps < most)
        {
            frz_stats stats;
            status = frz_sim_step(sim, until - frz_sim_time(sim), diag);
            frz_sim_stats(sim, &stats);
            if (r->steps == 0)
            {
                r->first = omp_get_wtime() - start;
                r->processor_first = frz_processor_seconds() - processor_start;
            }
            r->steps += 1;
            r->iterations += stats.elastic_iterations;
            r->rejected = stats.rejected_total;
        }
        double displacement[3];
        solid_point_displacement(sim, &end, displacement);
        r->end[k] = displacement[1];
    }
    r->seconds = omp_get_wtime() - start;
    r->processor = frz_processor_seconds() - processor_start;
    r->step = frz_sim_time(sim) / (double)r->steps;
    return status;
}

static frz_status measure(const frz_bench_beam *bench, const char *setting, double modulus, double step, beam_result *r,
                          frz_diag *diag)
{
    *r = (beam_result){.error = NAN};
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_sim_def def = frz_sim_def_default();
    def.threads = bench->threads;
    frz_status status = frz_scene_builtin("bench_beam", &scene, diag);
    if (status == FRZ_OK)
        status = set_up(scene, setting, modulus, step, diag);
    const double start = omp_get_wtime();
    int64_t bytes, allocations;
    if (status == FRZ_OK)
        status = frz_sim_create(scene, &def, &sim, diag);
    r->setup = omp_get_wtime() - start;
    if (status == FRZ_OK)
        status = follow(sim, bench->most_steps, r, diag);
    frz_memory_info(&bytes, &r->memory, &allocations);
    r->memory = bytes; // held now; the peak is that of all methods so far
    frz_sim_destroy(&sim);
    frz_scene_destroy(&scene);
    return status;
}

static void compare(const beam_result *reference, beam_result *r)
{
    double sum = 0.0, largest = 0.0;
    for (int k = 0; k < sample_count; ++k)
    {
        sum += (r->end[k] - reference->end[k]) * (r->end[k] - reference->end[k]);
        largest = fmax(largest, fabs(reference->end[k]));
    }
    r->error = sqrt(sum / sample_count) / largest;
}

// Distances of the beam's end from the reference over time, of all methods that ran.
static frz_status plot_errors(const frz_bench_beam *bench, double modulus, const beam_result *reference,
                              const beam_result *results, frz_diag *diag)
{
    static double t[sample_count], difference[method_count][sample_count];
    frz_plot_series series[method_count];
    int count = 0;
    double largest = 0.0;
    for (int k = 0; k < sample_count; ++k)
    {
        t[k] = simulated * (k + 1) / sample_count;
        largest = fmax(largest, fabs(reference->end[k]));
    }
    for (int m = 0; m < method_count; ++m)
    {
        if (results[m].steps == 0)
            continue;
        for (int k = 0; k < sample_count; ++k)
            difference[m][k] = 100.0 * fabs(results[m].end[k] - reference->end[k]) / largest;
        series[count++] = (frz_plot_series){beam_methods[m].name, t, difference[m], sample_count, false};
    }
    char path[600], title[100];
    snprintf(path, sizeof path, "%s/beam_error_%.0e.svg", bench->plots, modulus);
    snprintf(title, sizeof title, "Beam of %.0e Pa: error of the time step and the solver", modulus);
    const frz_plot plot = {title, "time [s]", "distance of the end from the reference, over the sag [%]", series,
                           count};
    return frz_plot_write(path, &plot, diag);
}

// Mean of the steps but for the first one.
static double mean_step(const beam_result *r, double all, double first)
{
    return r->steps > 1 ? (all - first) / (double)(r->steps - 1) : all;
}

static double step_seconds(const beam_result *r)
{
    return mean_step(r, r->seconds, r->first);
}

static void print_line(const beam_method *method, double modulus, const beam_result *r)
{
    const double steps = (double)r->steps;
    char memory[32];
    printf("%-18s  %8.0e  %9.3f  %8.2f  %12.2f  %10.1f  %13.2f  %9.3f  %8.2f  %12.2f  %s\n", method->name, modulus,
           1e3 * r->step, 1e3 * step_seconds(r), 1e3 * mean_step(r, r->processor, r->processor_first),
           (double)r->iterations / steps, step_seconds(r) / r->step, 100.0 * r->error, r->setup, r->first,
           frz_format_bytes((double)r->memory, memory));
    (void)fflush(stdout);
}

static void write_line(frz_json *json, const beam_method *method, double modulus, const beam_result *r)
{
    const double steps = (double)r->steps;
    frz_json_begin_object(json, NULL);
    frz_json_text(json, "method", method->name);
    frz_json_real(json, "young", modulus);
    frz_json_real(json, "time_step", r->step);
    frz_json_integer(json, "steps", r->steps);
    frz_json_integer(json, "rejected", r->rejected);
    frz_json_real(json, "seconds_per_step", step_seconds(r));
    frz_json_real(json, "processor_seconds_per_step", mean_step(r, r->processor, r->processor_first));
    frz_json_real(json, "first_step_seconds", r->first);
    frz_json_real(json, "first_step_processor_seconds", r->processor_first);
    frz_json_real(json, "iterations_per_step", (double)r->iterations / steps);
    frz_json_real(json, "seconds_per_simulated_second", step_seconds(r) / r->step);
    frz_json_real(json, "error_percent", 100.0 * r->error);
    frz_json_real(json, "setup_seconds", r->setup);
    frz_json_integer(json, "memory_bytes", r->memory);
    frz_json_end_object(json);
}

// The explicit corotated method with a fourth of its step: its own error is some ten times smaller than the compared
// ones.
static frz_status find_reference(const frz_bench_beam *bench, double modulus, beam_result *reference, frz_diag *diag)
{
    beam_result probe;
    frz_bench_beam few = *bench;
    few.most_steps = 1;
    frz_status status = measure(&few, "method: becker2009", modulus, 0.0, &probe, diag);
    if (status == FRZ_OK)
        status = measure(bench, "method: becker2009", modulus, 0.25 * probe.step, reference, diag);
    return status;
}

bool frz_bench_beam_knows(const char *method)
{
    bool known = method == NULL;
    for (int m = 0; m < method_count && !known; ++m)
        known = strcmp(beam_methods[m].name, method) == 0;
    return known;
}

frz_status frz_bench_beam_run(const frz_bench_beam *bench, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    frz_json json = {.out = stdout};
    if (bench->json)
        frz_json_begin_array(&json, NULL);
    else
        printf(
            "An elastic beam of 80 x 20 x 20 particles, fixed at one end, %g s, %d thread%s\n\n%-18s  %8s  %9s  %8s  "
            "%12s  %10s  %13s  %9s  %8s  %12s  %s\n",
            simulated, bench->threads, bench->threads == 1 ? "" : "s", "method", "young Pa", "step ms", "ms/step",
            "processor ms", "iterations", "s per second", "error %", "set-up s", "first step s", "memory");
    for (int e = 0; e < modulus_count; ++e)
    {
        beam_result reference = {.steps = 0};
        if (bench->compare && status == FRZ_OK)
            status = find_reference(bench, moduli[e], &reference, diag);
        static beam_result results[method_count];
        memset(results, 0, sizeof results);
        for (int m = 0; status == FRZ_OK && m < method_count; ++m)
        {
            beam_result result;
            if (bench->method != NULL && strcmp(bench->method, beam_methods[m].name) != 0)
                continue;
            status = measure(bench, beam_methods[m].setting, moduli[e], beam_methods[m].step, &result, diag);
            if (status == FRZ_OK && bench->compare)
                compare(&reference, &result);
            results[m] = result;
            if (status == FRZ_OK && bench->json)
                write_line(&json, &beam_methods[m], moduli[e], &result);
            else if (status == FRZ_OK)
                print_line(&beam_methods[m], moduli[e], &result);
        }
        if (bench->compare && status == FRZ_OK)
            status = plot_errors(bench, moduli[e], &reference, results, diag);
    }
    if (bench->json)
        frz_json_end_array(&json);
    return status;
}
