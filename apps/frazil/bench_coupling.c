// SPDX-License-Identifier: MIT
// Strong against weak coupling: a body of a tenth of the density of water rises (Gissler et al. 2019, sec. 4.1.1).
//
// Strong coupling takes the paper's step of 2 ms. Weak coupling takes half of it, a quarter and so on, until the body rises as
// it does with strong coupling: at no time further off than 5 % of the whole rise, with no step rejected. Times are of the
// processor, so that other programs do not show.
#include "bench_coupling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "options.h"
#include "output.h"

enum
{
    sample_count = 20,
    most_halvings = 7,
    cylinder = 2 // number of the body in the scene
};

static const double end_time = 1.0;      // s
static const double longest_step = 2e-3; // s
static const double same_rise = 0.05;    // of the rise

typedef struct rise
{
    const char *coupling;
    double step;                 // s
    double height[sample_count]; // above the start, m
    double seconds;              // of the processor
    double iterations;           // per step, both solves
    double difference;           // from the strong one, over its rise
    double worst_error;          // largest average density error of a sampled step, %
    int64_t rejected;
    bool stopped; // did not get to the end
} rise;

static double processor_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double height_of(const frz_sim *sim)
{
    frz_body_info bodies[8] = {{0}};
    frz_sim_bodies(sim, bodies);
    return bodies[cylinder].position[1];
}

// Steps to the end; a run that breaks off has not risen as it should.
static void climb(frz_sim *sim, rise *out)
{
    frz_diag diag = {0};
    const double start = height_of(sim), clock = processor_seconds();
    int64_t steps = 0;
    for (int k = 0; k < sample_count && !out->stopped; ++k)
    {
        const double until = end_time * (k + 1) / sample_count;
        frz_stats stats = {0};
        while (frz_sim_time(sim) < until * (1.0 - 1e-12) && !out->stopped)
        {
            out->stopped = frz_sim_step(sim, until - frz_sim_time(sim), &diag) != FRZ_OK;
            frz_sim_stats(sim, &stats);
            out->iterations += stats.density_iterations + stats.divergence_iterations;
            steps += 1;
        }
        out->rejected = stats.rejected_total;
        out->worst_error = fmax(out->worst_error, stats.density_error_average);
        out->height[k] = height_of(sim) - start;
    }
    out->seconds = processor_seconds() - clock;
    out->iterations /= steps > 0 ? (double)steps : 1.0;
}

static int measure(const frz_call *call, const char *coupling, double step, rise *out)
{
    char choice[64], length[64];
    int code = FRZ_EXIT_DONE;
    *out = (rise){.coupling = coupling, .step = step};
    snprintf(choice, sizeof choice, "coupling=%s", coupling);
    snprintf(length, sizeof length, "time_step=%g s", step);
    const frz_text_list settings = {.count = 2, .items = {choice, length}};
    frz_scene *scene = frz_command_load_scene(call, "builtin:bench_coupling", &settings, &code);
    if (scene == NULL)
        return code;
    frz_sim *sim = NULL;
    frz_diag diag = {0};
    frz_sim_def def = frz_sim_def_default();
    def.threads = call->common->threads;
    if (frz_sim_create(scene, &def, &sim, &diag) != FRZ_OK)
        code = frz_command_fail(call, &diag);
    else
        climb(sim, out);
    frz_sim_destroy(&sim);
    frz_scene_destroy(&scene);
    return code;
}

static void compare(const rise *reference, rise *other)
{
    for (int k = 0; k < sample_count; ++k)
        other->difference = fmax(other->difference, fabs(other->height[k] - reference->height[k]));
    other->difference /= fabs(reference->height[sample_count - 1]);
}

static bool is_same(const rise *r)
{
    return !r->stopped && r->rejected == 0 && r->difference <= same_rise;
}

static void print_json(const rise *runs, int count, double gain)
{
    frz_json out = {.out = stdout};
    frz_json_begin_object(&out, NULL);
    frz_json_real(&out, "gain", gain);
    frz_json_begin_array(&out, "runs");
    for (const rise *r = runs; r < runs + count; ++r)
    {
        frz_json_begin_object(&out, NULL);
        frz_json_text(&out, "coupling", r->coupling);
        frz_json_real(&out, "step", r->step);
        frz_json_real(&out, "rise", r->height[sample_count - 1]);
        frz_json_real(&out, "difference", r->difference);
        frz_json_real(&out, "cpu_seconds", r->seconds);
        frz_json_real(&out, "iterations_per_step", r->iterations);
        frz_json_real(&out, "density_error_percent", r->worst_error);
        frz_json_integer(&out, "rejected", r->rejected);
        frz_json_boolean(&out, "stopped", r->stopped);
        frz_json_end_object(&out);
    }
    frz_json_end_array(&out);
    frz_json_end_object(&out);
}

static void print_text(const rise *runs, int count, double gain)
{
    printf("%-8s  %8s  %8s  %12s  %8s  %10s  %8s\n", "coupling", "step ms", "rise m", "difference %", "CPU s",
           "iterations", "rejected");
    for (const rise *r = runs; r < runs + count; ++r)
        printf("%-8s  %8.3f  %8.3f  %12.2f  %8.2f  %10.2f  %8lld%s\n", r->coupling, 1e3 * r->step,
               r->height[sample_count - 1], 100.0 * r->difference, r->seconds, r->iterations, (long long)r->rejected,
               r->stopped ? "  stopped" : "");
    if (gain > 0.0)
        printf("\nStrong coupling is %.1f times faster than weak coupling that rises the same within %g %%.\n", gain,
               100.0 * same_rise);
    else
        printf("\nWeak coupling does not rise the same within %g %% at any of these steps.\n", 100.0 * same_rise);
}

int bench_coupling(const frz_call *call)
{
    static rise runs[most_halvings + 2];
    int count = 1, code = measure(call, "strong", longest_step, &runs[0]);
    double gain = 0.0;
    for (int k = 0; k <= most_halvings && code == FRZ_EXIT_DONE && gain == 0.0; ++k)
    {
        rise *weak = &runs[count++];
        code = measure(call, "weak", longest_step / pow(2.0, k), weak);
        compare(&runs[0], weak);
        if (is_same(weak))
            gain = weak->seconds / runs[0].seconds;
        if (!call->common->quiet)
            fprintf(stderr, "weak, %g ms: %.1f s\n", 1e3 * weak->step, weak->seconds);
    }
    if (code != FRZ_EXIT_DONE)
        return code;
    if (call->common->json)
        print_json(runs, count, gain);
    else
        print_text(runs, count, gain);
    return code;
}
