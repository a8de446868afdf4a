// SPDX-License-Identifier: MIT
// Points times substeps per second of processor time, of whole steps: sorting, neighbour search, Drucker-Prager, output
// of none. Sand slumps (scenes/bench_sand.yaml), with quadratic and with cubic splines.
#include "bench/bench_mpm.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "clocks.h"
#include "json.h"
#include "output.h"

enum
{
    rounds = 3,
    warm_steps = 2
};

typedef struct sand
{
    int64_t points, steps, substeps;
    double rate;  // points times substeps per second of processor time, best round
    double bytes; // of memory per point
} sand;

static frz_status measure(frz_scene *scene, int threads, int64_t steps, sand *out, frz_diag *diag)
{
    frz_sim *sim = NULL;
    frz_sim_def def = frz_sim_def_default();
    def.threads = threads;
    frz_status status = frz_sim_create(scene, &def, &sim, diag);
    for (int n = 0; status == FRZ_OK && n < warm_steps; ++n)
        status = frz_sim_step(sim, HUGE_VAL, diag);
    int64_t substeps = 0;
    const double start = frz_processor_seconds();
    for (int64_t n = 0; status == FRZ_OK && n < steps; ++n)
    {
        frz_stats stats;
        status = frz_sim_step(sim, HUGE_VAL, diag);
        frz_sim_stats(sim, &stats);
        substeps += stats.point_substeps;
        out->points = stats.elastic;
    }
    const double seconds = frz_processor_seconds() - start;
    if (status == FRZ_OK)
    {
        frz_sim_report report;
        frz_sim_report_get(sim, &report);
        out->steps = steps;
        out->substeps = substeps;
        out->rate = fmax(out->rate, (double)out->points * (double)substeps / seconds);
        out->bytes = report.memory / (double)out->points;
    }
    frz_sim_destroy(&sim);
    return status;
}

static frz_status scale_scene(frz_scene *scene, double scale, frz_diag *diag)
{
    char block[64], floor[64];
    snprintf(block, sizeof block, "[%.9g, %.9g, %.9g]", 0.64 * scale, 0.64 * scale, 0.64 * scale);
    snprintf(floor, sizeof floor, "[%.9g, 0, %.9g]", 1.6 * scale, 0.84 * scale);
    frz_status status = frz_scene_set(scene, "bodies.sand.shape.box.max", block, diag);
    return status == FRZ_OK ? frz_scene_set(scene, "bodies.floor.shape.box.max", floor, diag) : status;
}

static void print_json(const char *const *kernels, const sand *found, int threads)
{
    frz_json out = {.out = stdout};
    frz_json_begin_object(&out, NULL);
    frz_json_integer(&out, "threads", threads);
    for (int k = 0; k < 2; ++k)
    {
        char name[80];
        snprintf(name, sizeof name, "%s_particle_steps_per_second_per_core", kernels[k]);
        frz_json_real(&out, name, found[k].rate);
    }
    frz_json_integer(&out, "particles", found[0].points);
    frz_json_integer(&out, "steps", found[0].steps);
    frz_json_integer(&out, "substeps", found[0].substeps);
    frz_json_real(&out, "bytes_per_particle", found[0].bytes);
    frz_json_end_object(&out);
}

static void print_text(const char *const *kernels, const sand *found)
{
    printf("Sand slumps: %lld points, %lld steps with %lld substeps, best of %d rounds\n\n", (long long)found[0].points,
           (long long)found[0].steps, (long long)found[0].substeps, rounds);
    for (int k = 0; k < 2; ++k)
        printf("%-10s %8.2f million particle steps per second and core\n", kernels[k], 1e-6 * found[k].rate);
    printf("%.0f bytes per point\n", found[0].bytes);
}

int bench_mpm(const frz_call *call, int64_t steps, double scale)
{
    static const char *const kernels[2] = {"quadratic", "cubic"};
    const int threads = call->common->threads > 0 ? call->common->threads : omp_get_num_procs();
    int code = FRZ_EXIT_DONE;
    sand found[2];
    memset(found, 0, sizeof found);
    frz_scene *scene = frz_command_load_scene(call, "builtin:bench_sand", NULL, &code);
    if (scene == NULL)
        return code;
    frz_diag diag = {0};
    frz_status status = scale != 1.0 ? scale_scene(scene, scale, &diag) : FRZ_OK;
    for (int round = 0; round < rounds; ++round)
        for (int k = 0; status == FRZ_OK && k < 2; ++k)
        {
            status = frz_scene_set(scene, "materials.sand.elastic.kernel", kernels[k], &diag);
            if (status == FRZ_OK)
                status = measure(scene, threads, steps, &found[k], &diag);
        }
    frz_scene_destroy(&scene);
    if (status != FRZ_OK)
        return frz_command_fail(call, &diag);
    if (call->common->json)
        print_json(kernels, found, threads);
    else
        print_text(kernels, found);
    return FRZ_EXIT_DONE;
}
