// SPDX-License-Identifier: MIT
// The pressure methods side by side: how each is set up for the comparison, and the table.
#include <stdio.h>

#include "bench.h"
#include "json.h"

// Incompressible methods take 2 ms and the tolerance of the scene. Explicit ones take steps that resolve their sound at ten
// times the speed of a fall by the block's height (some 45 m/s): by the usual rule (0.4 h / c) sesph 0.23 ms; wcsph with a
// sound of 20 m/s, which 0.5 ms resolves, and errors of a few percent. wcsph has friction of its own.
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

static double ms_per_step(const frz_bench_result *r)
{
    return 1e3 * r->seconds / (double)r->steps;
}

void frz_bench_print_solvers(const frz_bench_result *results, int count, bool json)
{
    frz_json out = {.out = stdout};
    if (json)
        frz_json_begin_array(&out, NULL);
    else
        printf("%-8s  %9s  %9s  %10s  %12s  %12s  %12s\n", "solver", "step ms", "ms/step", "iterations", "error %",
               "worst step %", "s per second");
    for (int k = 0; k < count; ++k)
    {
        const frz_bench_result *r = &results[k];
        const double steps = (double)r->steps;
        const double iterations = (double)(r->density.iterations + r->divergence.iterations) / steps;
        if (!json)
        {
            printf("%-8s  %9.3f  %9.2f  %10.2f  %12.4f  %12.4f  %12.2f\n", r->preset->solver,
                   1e3 * r->simulated_time / steps, ms_per_step(r), iterations, r->density.error_sum / steps,
                   r->density.error_worst, r->seconds / r->simulated_time);
            continue;
        }
        frz_json_begin_object(&out, NULL);
        frz_json_text(&out, "solver", r->preset->solver);
        frz_json_real(&out, "step", r->simulated_time / steps);
        frz_json_real(&out, "seconds_per_step", r->seconds / steps);
        frz_json_real(&out, "iterations_per_step", iterations);
        frz_json_real(&out, "error_average_percent", r->density.error_sum / steps);
        frz_json_real(&out, "error_worst_step_percent", r->density.error_worst);
        frz_json_real(&out, "seconds_per_simulated_second", r->seconds / r->simulated_time);
        frz_json_end_object(&out);
    }
    if (json)
        frz_json_end_array(&out);
}
