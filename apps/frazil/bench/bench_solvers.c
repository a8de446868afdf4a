// SPDX-License-Identifier: MIT
// The pressure methods side by side: how each is set up for the comparison, and the table.
#include <stdio.h>

#include "bench/bench.h"
#include "json.h"

// Incompressible methods take 2 ms and the tolerance of the scene. Explicit ones take steps that resolve their sound at
// ten times the speed of a fall by the block's height (some 45 m/s): by the usual rule (0.4 h / c) sesph 0.23 ms; wcsph
// with a sound of 20 m/s, which 0.5 ms resolves, and errors of a few percent. wcsph has friction of its own.
const frz_bench_preset frz_bench_presets[] = {
    {"dfsph", {"pressure={method: dfsph, max_density_error: 0.05, max_divergence_error: 0.1}"}, 0.05, 0.1},
    {"iisph", {"pressure={method: iisph, max_density_error: 0.05}"}, 0.05, 0.1},
    {"pcisph", {"pressure={method: pcisph, max_density_error: 0.05}"}, 0.05, 0.1},
    {"wcsph",
     {"pressure={method: wcsph, speed_of_sound: 20}", "time_step=0.5 ms", "materials.water.viscosity=none"},
     5.0,
     0.1},
    {"sesph", {"pressure=sesph", "time_step=0.23 ms"}, 1.0, 0.1},
    {0}};

// All of a group at the same tolerance, which every one can reach: they differ in the cost of an iteration.
#define ITERATION(case, steps, method, name, density, text)                                                            \
    {                                                                                                                  \
        case, steps, name,                                                                                             \
        {                                                                                                              \
            method, {"pressure={method: " method ", " text ", max_iterations: 20000, solver: " name "}"}, density, 0.1 \
        }                                                                                                              \
    }
#define ITERATIONS(case, steps, method, density, text)                                                                 \
    ITERATION(case, steps, method, "conjugate_gradients", density, text),                                              \
        ITERATION(case, steps, method, "barzilai_borwein", density, text),                                             \
        ITERATION(case, steps, method, "chebyshev", density, text),                                                    \
        ITERATION(case, steps, method, "jacobi", density, text)

const frz_bench_iteration frz_bench_iterations[] = {
    ITERATIONS("dam", 200, "dfsph", 0.05, "max_density_error: 0.05, max_divergence_error: 0.1"),
    ITERATIONS("dam", 200, "iisph", 0.05, "max_density_error: 0.05"),
    ITERATIONS("column", 20, "dfsph", 0.001, "max_density_error: 0.001, max_divergence_error: 0.001"),
    ITERATIONS("column", 20, "iisph", 0.001, "max_density_error: 0.001"),
    {0}};

static double ms_per_step(const frz_bench_result *r)
{
    return 1e3 * r->seconds / (double)r->steps;
}

static double cpu_ms_per_step(const frz_bench_result *r)
{
    return 1e3 * r->cpu_seconds / (double)r->steps;
}

static double iterations_per_step(const frz_bench_result *r)
{
    return (double)(r->density.iterations + r->divergence.iterations) / (double)r->steps;
}

static void print_json(frz_json *out, const frz_bench_result *r, const char *iteration)
{
    const double steps = (double)r->steps;
    frz_json_begin_object(out, NULL);
    frz_json_text(out, "case", r->of->name);
    frz_json_text(out, "solver", r->preset->solver);
    frz_json_text(out, "iteration", iteration);
    frz_json_real(out, "step", r->simulated_time / steps);
    frz_json_real(out, "seconds_per_step", r->seconds / steps);
    frz_json_real(out, "cpu_seconds_per_step", r->cpu_seconds / steps);
    frz_json_real(out, "iterations_per_step", iterations_per_step(r));
    frz_json_real(out, "error_average_percent", r->density.error_sum / steps);
    frz_json_real(out, "error_worst_step_percent", r->density.error_worst);
    frz_json_real(out, "seconds_per_simulated_second", r->seconds / r->simulated_time);
    frz_json_end_object(out);
}

static void print_methods(const frz_bench_result *results, int count)
{
    printf("%-8s  %9s  %9s  %9s  %10s  %12s  %12s  %12s\n", "solver", "step ms", "ms/step", "CPU ms", "iterations",
           "error %", "worst step %", "s per second");
    for (const frz_bench_result *r = results; r < results + count; ++r)
        printf("%-8s  %9.3f  %9.2f  %9.2f  %10.2f  %12.4f  %12.4f  %12.2f\n", r->preset->solver,
               1e3 * r->simulated_time / (double)r->steps, ms_per_step(r), cpu_ms_per_step(r), iterations_per_step(r),
               r->density.error_sum / (double)r->steps, r->density.error_worst, r->seconds / r->simulated_time);
}

static void print_iterations(const frz_bench_result *results, int count)
{
    printf("\n%-8s  %-8s  %-20s  %9s  %9s  %10s  %12s\n", "case", "solver", "iteration", "ms/step", "CPU ms",
           "iterations", "worst step %");
    for (int k = 0; k < count; ++k)
        printf("%-8s  %-8s  %-20s  %9.2f  %9.2f  %10.2f  %12.4f\n", results[k].of->name, results[k].preset->solver,
               frz_bench_iterations[k].name, ms_per_step(&results[k]), cpu_ms_per_step(&results[k]),
               iterations_per_step(&results[k]), results[k].density.error_worst);
}

void frz_bench_print_solvers(const frz_bench_result *results, int count, bool json)
{
    frz_json out = {.out = stdout};
    int methods = 0;
    while (methods < count && frz_bench_presets[methods].solver != NULL)
        methods += 1;
    if (!json)
    {
        print_methods(results, methods);
        print_iterations(results + methods, count - methods);
        return;
    }
    frz_json_begin_array(&out, NULL);
    for (int k = 0; k < count; ++k)
        print_json(&out, &results[k], k < methods ? "" : frz_bench_iterations[k - methods].name);
    frz_json_end_array(&out);
}
