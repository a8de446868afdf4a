// SPDX-License-Identifier: MIT
// The cost of rotation: the time per step of becker2009, without gradient correction as in the paper, over that of
// solenthaler2007, which extracts no rotation, against the number of particles. Figure 2 of Becker et al. 2009, who
// report at most twice the time.
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "clocks.h"
#include "json.h"

static const double spacings[] = {100e-3, 50e-3, 31.25e-3, 25e-3}; // m: 500 to 32 000 particles

enum
{
    size_count = sizeof spacings / sizeof spacings[0],
    warmup = 3,
    measured_steps = 20,
    tries = 3 // of which the quickest counts
};

// Processor time of a step, s: of all threads together, so that other programs do not show.
static frz_status time_step(const frz_bench_beam *bench, const char *elastic, double spacing, double *seconds,
                            int64_t *count, frz_diag *diag)
{
    char text[64];
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_sim_def def = frz_sim_def_default();
    def.threads = bench->threads;
    snprintf(text, sizeof text, "%.9g", spacing);
    frz_status status = frz_scene_builtin("bench_beam", &scene, diag);
    if (status == FRZ_OK)
        status = frz_scene_set(scene, "spacing", text, diag);
    snprintf(text, sizeof text, "{box: {min: [-1, -1, -1], max: [%.9g, 1, 1]}}", spacing);
    if (status == FRZ_OK)
        status = frz_scene_set(scene, "attachments.clamp.shape", text, diag);
    if (status == FRZ_OK)
        status = frz_scene_set(scene, "materials.rubber.elastic", elastic, diag);
    if (status == FRZ_OK)
        status = frz_scene_set(scene, "time_step", "0.5 ms", diag);
    if (status == FRZ_OK)
        status = frz_sim_create(scene, &def, &sim, diag);
    for (int n = 0; status == FRZ_OK && n < warmup; ++n)
        status = frz_sim_step(sim, 1.0, diag);
    const double start = frz_processor_seconds();
    for (int n = 0; status == FRZ_OK && n < measured_steps; ++n)
        status = frz_sim_step(sim, 1.0, diag);
    *seconds = (frz_processor_seconds() - start) / measured_steps;
    *count = status == FRZ_OK ? frz_sim_particle_count(sim, FRZ_SEGMENT_FREE) : 0;
    frz_sim_destroy(&sim);
    frz_scene_destroy(&scene);
    return status;
}

static frz_status quickest(const frz_bench_beam *bench, const char *elastic, double spacing, double *seconds,
                           int64_t *count, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    for (int n = 0; status == FRZ_OK && n < tries; ++n)
    {
        double one = 0.0;
        status = time_step(bench, elastic, spacing, &one, count, diag);
        *seconds = n == 0 || one < *seconds ? one : *seconds;
    }
    return status;
}

frz_status frz_bench_beam_overhead(const frz_bench_beam *bench, frz_diag *diag)
{
    double count[size_count], ratio[size_count], bound[size_count];
    frz_json json = {.out = stdout};
    if (bench->json)
        frz_json_begin_array(&json, NULL);
    else
        printf("\n%10s  %18s  %18s  %s\n", "particles", "solenthaler ms", "becker ms", "ratio");
    for (int k = 0; k < size_count; ++k)
    {
        double still = 0.0, turning = 0.0;
        int64_t particles = 0;
        frz_status status = quickest(bench, "{method: solenthaler2007, young: 1e5, poisson: 0.33}", spacings[k], &still,
                                     &particles, diag);
        if (status == FRZ_OK)
            status = quickest(bench, "{method: becker2009, correction: false, young: 1e5, poisson: 0.33}", spacings[k],
                              &turning, &particles, diag);
        if (status != FRZ_OK)
            return status;
        count[k] = 1e-3 * (double)particles;
        ratio[k] = turning / still;
        bound[k] = 2.0;
        if (!bench->json)
        {
            printf("%10lld  %18.3f  %18.3f  %.2f\n", (long long)particles, 1e3 * still, 1e3 * turning, ratio[k]);
            continue;
        }
        frz_json_begin_object(&json, NULL);
        frz_json_integer(&json, "particles", particles);
        frz_json_real(&json, "solenthaler2007_cpu_seconds_per_step", still);
        frz_json_real(&json, "becker2009_cpu_seconds_per_step", turning);
        frz_json_real(&json, "ratio", ratio[k]);
        frz_json_end_object(&json);
    }
    if (bench->json)
        frz_json_end_array(&json);
    char path[600];
    snprintf(path, sizeof path, "%s/beam_overhead.svg", bench->plots);
    const frz_plot_series series[2] = {{"measured", count, ratio, size_count, false},
                                       {"at most, Becker et al. 2009, fig. 2", count, bound, size_count, false}};
    const frz_plot plot = {"Corotated SPH: the cost of rotations", "particles [1000]",
                           "time per step, becker2009 / solenthaler2007", series, 2};
    return frz_plot_write(path, &plot, diag);
}
