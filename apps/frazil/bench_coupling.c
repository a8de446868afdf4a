// SPDX-License-Identifier: MIT
// Strong against weak coupling on the scenes of Gissler et al. 2019, sec. 4.1: a light body that rises, the splashdown of a
// capsule, a propeller that pumps.
//
// Strong coupling takes the paper's step. Weak coupling takes half of it, a quarter and so on, until the body moves as it
// does with strong coupling: at no time further off than 5 % of the longest way, with no more tries of steps rejected. A run
// that has more is broken off. Times are of the processor, so that other programs do not show.
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
    most_bodies = 16
};

static const double same_way = 0.05;   // of the whole way
static const double frame_time = 0.02; // s: 50 frames per second in the paper

// How a body's way is measured.
typedef enum way_kind
{
    way_height, // of its position, m
    way_turn    // integral of its spin about x, rad
} way_kind;

typedef struct coupling_scene
{
    const char *name, *scene, *body;
    way_kind way;
    double step;                 // of strong coupling, s
    double end_time, quick_time; // s
    // of the paper: tables 1 and 2
    double paper_gain, paper_weak_step, paper_frame; // s; seconds per frame on 16 cores with strong coupling
} coupling_scene;

static const coupling_scene coupling_scenes[] = {
    {"sphere", "bench_coupling", "cylinder", way_height, 2e-3, 1.0, 0.5, 58.0, 0.02e-3, 0.046},
    {"capsule", "bench_capsule", "capsule", way_height, 20e-3, 1.0, 0.4, 3.4, 2e-3, 0.39},
    {"propeller", "bench_propeller", "propeller", way_turn, 3e-3, 1.0, 0.15, 4.6, 0.3e-3, 1.43},
};

enum
{
    scene_count = sizeof coupling_scenes / sizeof coupling_scenes[0]
};

// One run.
typedef struct course
{
    const char *coupling;
    double step;              // s
    double way[sample_count]; // since the start
    double time;              // simulated, s
    double wall, cpu;         // s
    int64_t steps;
    double iterations;     // per step, both solves
    double difference;     // from the strong one, over its way
    double worst_error;    // largest average density error of a step, %
    double worst_particle; // largest density error of a particle, %
    int64_t liquid, walls;
    int64_t rejected;
    bool complete; // got to the end
} course;

static double seconds_of(clockid_t which)
{
    struct timespec now;
    (void)clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void read_body(const frz_sim *sim, const char *name, frz_body_info *out)
{
    frz_body_info bodies[most_bodies] = {{0}};
    const int count = frz_sim_body_count(sim);
    *out = (frz_body_info){0};
    if (count > most_bodies)
        return;
    frz_sim_bodies(sim, bodies);
    for (int b = 0; b < count; ++b)
        if (strcmp(bodies[b].name, name) == 0)
            *out = bodies[b];
}

static void add_step(const frz_sim *sim, course *out)
{
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    out->steps += 1;
    out->time = stats.time;
    out->iterations += stats.density_iterations + stats.divergence_iterations;
    out->rejected = stats.rejected_total;
    out->worst_error = fmax(out->worst_error, stats.density_error_average);
    out->worst_particle = fmax(out->worst_particle, stats.density_error_max);
}

// Steps to the end, or until more tries are rejected than may be.
static void follow(frz_sim *sim, const coupling_scene *of, double end_time, int64_t most_rejected, course *out)
{
    frz_diag diag = {0};
    frz_body_info body;
    read_body(sim, of->body, &body);
    const double start = body.position[1];
    const double wall = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    double turn = 0.0;
    out->complete = true;
    for (int k = 0; k < sample_count && out->complete; ++k)
    {
        const double until = end_time * (k + 1) / sample_count;
        while (frz_sim_time(sim) < until * (1.0 - 1e-12) && out->complete)
        {
            const double before = frz_sim_time(sim);
            out->complete = frz_sim_step(sim, until - before, &diag) == FRZ_OK;
            add_step(sim, out);
            out->complete = out->complete && out->rejected <= most_rejected;
            if (of->way == way_turn)
            {
                read_body(sim, of->body, &body);
                turn += body.spin[0] * (frz_sim_time(sim) - before);
            }
        }
        read_body(sim, of->body, &body);
        out->way[k] = of->way == way_turn ? turn : body.position[1] - start;
    }
    out->wall = seconds_of(CLOCK_MONOTONIC) - wall;
    out->cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    out->iterations /= out->steps > 0 ? (double)out->steps : 1.0;
}

static int measure(const frz_call *call, const bench_coupling_wish *wish, const coupling_scene *of,
                   const char *coupling, double step, int64_t most_rejected, course *out)
{
    char choice[64], length[64], name[80];
    int code = FRZ_EXIT_DONE;
    *out = (course){.coupling = coupling, .step = step};
    snprintf(choice, sizeof choice, "coupling=%s", coupling);
    snprintf(length, sizeof length, "time_step=%.9g s", step);
    snprintf(name, sizeof name, "builtin:%s", of->scene);
    frz_text_list settings = {.count = 2, .items = {choice, length}};
    for (int k = 0; k < wish->set->count && settings.count < FRZ_TEXT_LIST_MOST; ++k)
        settings.items[settings.count++] = wish->set->items[k];
    frz_scene *scene = frz_command_load_scene(call, name, &settings, &code);
    if (scene == NULL)
        return code;
    frz_sim *sim = NULL;
    frz_diag diag = {0};
    frz_sim_def def = frz_sim_def_default();
    def.threads = call->common->threads;
    if (frz_sim_create(scene, &def, &sim, &diag) != FRZ_OK)
        code = frz_command_fail(call, &diag);
    else
    {
        frz_sim_report report;
        frz_sim_report_get(sim, &report);
        out->liquid = report.liquid;
        out->walls = report.walls;
        follow(sim, of, wish->quick ? of->quick_time : of->end_time, most_rejected, out);
    }
    frz_sim_destroy(&sim);
    frz_scene_destroy(&scene);
    return code;
}

static void compare(const course *reference, course *other)
{
    double longest = 0.0;
    for (int k = 0; k < sample_count; ++k)
    {
        longest = fmax(longest, fabs(reference->way[k]));
        other->difference = fmax(other->difference, fabs(other->way[k] - reference->way[k]));
    }
    other->difference /= longest;
}

static bool is_same(const course *r)
{
    return r->complete && r->difference <= same_way;
}

// Processor time per simulated second.
static double cost(const course *r)
{
    return r->time > 0.0 ? r->cpu / r->time : 0.0;
}

// ---- what is told

static void write_run(frz_json *out, const course *r)
{
    frz_json_begin_object(out, NULL);
    frz_json_text(out, "coupling", r->coupling);
    frz_json_real(out, "step", r->step);
    frz_json_real(out, "time", r->time);
    frz_json_real(out, "way", r->way[sample_count - 1]);
    frz_json_real(out, "difference", r->difference);
    frz_json_real(out, "seconds_per_frame", r->time > 0.0 ? r->wall / r->time * frame_time : 0.0);
    frz_json_real(out, "cpu_seconds_per_frame", cost(r) * frame_time);
    frz_json_real(out, "iterations_per_step", r->iterations);
    frz_json_real(out, "density_error_percent", r->worst_error);
    frz_json_real(out, "density_error_max_percent", r->worst_particle);
    frz_json_integer(out, "rejected", r->rejected);
    frz_json_boolean(out, "complete", r->complete);
    frz_json_end_object(out);
}

static void print_json(const coupling_scene *of, const course *runs, int count, double gain)
{
    frz_json out = {.out = stdout};
    frz_json_begin_object(&out, NULL);
    frz_json_text(&out, "scene", of->name);
    frz_json_integer(&out, "liquid", runs[0].liquid);
    frz_json_integer(&out, "walls", runs[0].walls);
    frz_json_real(&out, "gain", gain);
    frz_json_begin_object(&out, "reference");
    frz_json_text(&out, "source", "Gissler et al. 2019, table 2");
    frz_json_real(&out, "gain", of->paper_gain);
    frz_json_real(&out, "strong_step", of->step);
    frz_json_real(&out, "weak_step", of->paper_weak_step);
    frz_json_real(&out, "seconds_per_frame", of->paper_frame);
    frz_json_end_object(&out);
    frz_json_begin_array(&out, "runs");
    for (const course *r = runs; r < runs + count; ++r)
        write_run(&out, r);
    frz_json_end_array(&out);
    frz_json_end_object(&out);
}

static void print_text(const coupling_scene *of, const course *runs, int count, double gain)
{
    printf(
        "%s: %lld liquid particles, %lld samples of bodies, frames of %g ms\n\n%-8s  %8s  %8s  %9s  %12s  %11s  %11s  "
        "%10s  %8s\n",
        of->name, (long long)runs[0].liquid, (long long)runs[0].walls, 1e3 * frame_time, "coupling", "step ms",
        "time s", of->way == way_turn ? "turn rad" : "rise m", "difference %", "s/frame", "CPU s/frame", "iterations",
        "rejected");
    for (const course *r = runs; r < runs + count; ++r)
        printf("%-8s  %8.3f  %8.3f  %9.3f  %12.2f  %11.3f  %11.3f  %10.2f  %8lld%s\n", r->coupling, 1e3 * r->step,
               r->time, r->way[sample_count - 1], 100.0 * r->difference, r->wall / r->time * frame_time,
               cost(r) * frame_time, r->iterations, (long long)r->rejected, r->complete ? "" : "  broken off");
    if (gain > 0.0)
        printf("\nStrong coupling is %.1f times faster than weak coupling that moves the same within %g %%.\n", gain,
               100.0 * same_way);
    else
        printf("\nWeak coupling does not move the same within %g %% at any of these steps.\n", 100.0 * same_way);
    printf("Gissler et al. 2019: %g times (%g ms against %g ms), %g s per frame on 16 cores.\n", of->paper_gain,
           1e3 * of->step, 1e3 * of->paper_weak_step, of->paper_frame);
}

static const coupling_scene *find_scene(const frz_call *call, const char *name, int *code)
{
    const char *known[scene_count + 1] = {NULL};
    for (int k = 0; k < scene_count; ++k)
    {
        known[k] = coupling_scenes[k].name;
        if (name == NULL || strcmp(known[k], name) == 0)
            return &coupling_scenes[k];
    }
    char hint[64];
    *code = frz_command_fail_usage(call, "--scene: coupling has no scene '%.60s'%s", name,
                                   frz_did_you_mean(name, known, "", hint, sizeof hint));
    return NULL;
}

int bench_coupling(const frz_call *call, const bench_coupling_wish *wish)
{
    static course runs[most_halvings + 2];
    int count = 1, code = FRZ_EXIT_DONE;
    const coupling_scene *of = find_scene(call, wish->scene, &code);
    if (of != NULL)
        code = measure(call, wish, of, "strong", of->step, INT64_MAX, &runs[0]);
    double gain = 0.0;
    for (int k = 0; k <= most_halvings && code == FRZ_EXIT_DONE && gain == 0.0; ++k)
    {
        course *weak = &runs[count++];
        code = measure(call, wish, of, "weak", of->step / pow(2.0, k), runs[0].rejected, weak);
        compare(&runs[0], weak);
        if (is_same(weak))
            gain = cost(weak) / cost(&runs[0]);
        if (!call->common->quiet)
            fprintf(stderr, "weak, %g ms: %.1f s of the processor for %g s\n", 1e3 * weak->step, weak->cpu, weak->time);
    }
    if (code != FRZ_EXIT_DONE)
        return code;
    if (call->common->json)
        print_json(of, runs, count, gain);
    else
        print_text(of, runs, count, gain);
    return code;
}
