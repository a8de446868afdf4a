// SPDX-License-Identifier: MIT
// Path-traced pictures of 0.3 million triangles, as a preview and for a film.
#include "bench/bench_render.h"

#include <omp.h>
#include <stdio.h>

#include <frazil/render.h>

#include "json.h"
#include "output.h"

typedef struct picture
{
    const char *name, *key;
    int width, height, samples;
    double seconds;
} picture;

static void print_text(const picture *pictures, int count, int triangles, int threads)
{
    printf("Pictures of %d triangles by paths of light, smoothed, %d thread%s\n\n", triangles, threads,
           threads == 1 ? "" : "s");
    printf("%-10s  %-11s  %8s  %10s\n", "picture", "pixels", "samples", "s/picture");
    for (int k = 0; k < count; ++k)
    {
        char size[32];
        snprintf(size, sizeof size, "%d x %d", pictures[k].width, pictures[k].height);
        printf("%-10s  %-11s  %8d  %10.2f\n", pictures[k].name, size, pictures[k].samples, pictures[k].seconds);
    }
}

static void print_json(const picture *pictures, int count, int triangles, int threads)
{
    frz_json json = {.out = stdout};
    frz_json_begin_object(&json, NULL);
    frz_json_integer(&json, "triangles", triangles);
    frz_json_integer(&json, "threads", threads);
    for (int k = 0; k < count; ++k)
        frz_json_real(&json, pictures[k].key, pictures[k].seconds);
    frz_json_end_object(&json);
}

int bench_render(const frz_call *call)
{
    picture pictures[] = {{"preview", "preview_seconds_per_frame", 640, 360, 16, 0.0},
                          {"final", "final_seconds_per_frame", 1280, 720, 64, 0.0}};
    enum
    {
        count = sizeof pictures / sizeof pictures[0]
    };
    const int threads = call->common->threads > 0 ? call->common->threads : omp_get_num_procs();
    int triangles = 0;
    frz_diag diag = {0};
    for (int k = 0; k < count; ++k)
    {
        const frz_render_trial trial = {pictures[k].width, pictures[k].height, pictures[k].samples, threads, NULL};
        if (frz_render_trial_run(&trial, &triangles, &pictures[k].seconds, &diag) != FRZ_OK)
            return frz_command_fail(call, &diag);
    }
    if (call->common->json)
        print_json(pictures, count, triangles, threads);
    else
        print_text(pictures, count, triangles, threads);
    return FRZ_EXIT_DONE;
}
