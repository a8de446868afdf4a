// SPDX-License-Identifier: MIT
// Strong against weak coupling on the scenes of Gissler et al. 2019, sec. 4.1: a light body that rises, the splashdown
// of a capsule, a propeller that pumps.
//
// Strong coupling takes the paper's step, then twice and four times that as long as it does the same. Weak coupling
// takes the paper's step, half of it, a quarter and so on, until it does the same: the body never deviates by more than
// 5 % of its longest path (if need be from strong coupling at the same step, since the step alone changes the liquid),
// no more steps are rejected, it is not accelerated erratically (its mean speed over a step of the strong coupling
// never deviates by half of the highest), and the dry fraction of the body never grows by more than 5 % (voids). A run
// that fails is stopped early. At last, unless --quick, weak coupling takes its step of the paper, only to report the
// cost. Times are processor times, independent of other programs.
#include "bench/bench_coupling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_void.h"
#include "clocks.h"
#include "json.h"
#include "options.h"
#include "output.h"

enum
{
    sample_count = 20,
    most_halvings = 7,
    most_doublings = 2,
    most_runs = 3 + 2 * (most_halvings + 1) + most_doublings,
    most_bodies = 16,
    track_most = 4096
};

static const double same_way = 0.05; // of the whole way
static const double same_dry = 0.05; // of the body's samples
// of the highest mean speed over a step
static const double same_rate = 0.5;
static const double frame_time = 0.02; // s: 50 frames per second in the paper

// Measure of a body's motion.
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
    double dry[sample_count]; // fraction of the body without liquid
    double last_way;
    double start, turn;                 // height at the start, m, and angle turned since, rad
    double compared_time, compared_way; // at the last comparison of rates
    double time;                        // simulated, s
    double wall, cpu;                   // s
    int64_t steps;
    double iterations;      // per step, both solves
    double difference;      // from the strong one, over its way
    double rate_difference; // the same of the rate, over the highest
    double void_share;      // largest excess of the dry fraction over that of the strong one
    double squeeze;         // largest mean compression of the liquid beside the body
    double worst_error;     // largest average density error of a step, %
    double worst_particle;  // largest density error of a particle, %
    int64_t liquid, walls;
    int64_t rejected;
    bool judged;            // else it continues after a deviation
    bool strays;            // weak coupling: it deviates, but so may strong coupling at this step
    double twin_difference; // from strong coupling at the same step, over its way; 0: not compared
    const char *verdict;    // reason of an early stop; null: complete
} course;

// Motion of the reference over time, step by step.
typedef struct track
{
    int count;
    double time[track_most], way[track_most];
    double highest; // rate of a step
} track;

// All runs, the first being the reference.
typedef struct series
{
    course runs[most_runs];
    track reference;
    int count, code;
} series;

// Processor time of weak over that of strong coupling.
typedef struct gains
{
    double paper_step; // that at the paper's step; 0: weak coupling never does the same
    double best_step;  // that at the step which is cheapest
    double paper_both; // weak coupling at the paper's step for it too, whether it does the same or not
} gains;

// The body and its number.
static int read_body(const frz_sim *sim, const char *name, frz_body_info *out)
{
    frz_body_info bodies[most_bodies] = {{{0}}};
    const int count = frz_sim_body_count(sim);
    int found = -1;
    *out = (frz_body_info){0};
    if (count > most_bodies)
        return found;
    frz_sim_bodies(sim, bodies);
    for (int b = 0; b < count; ++b)
        if (strcmp(bodies[b].name, name) == 0)
        {
            *out = bodies[b];
            found = b;
        }
    return found;
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

// Largest value: longest path or highest rate.
static double largest_of(const double *values)
{
    double largest = 0.0;
    for (int k = 0; k < sample_count; ++k)
        largest = fmax(largest, fabs(values[k]));
    return largest;
}

// Sample k against that of the reference; null is the reference itself.
static void compare(const course *reference, int k, course *out)
{
    if (reference == NULL)
        return;
    out->difference = fmax(out->difference, fabs(out->way[k] - reference->way[k]) / largest_of(reference->way));
    out->void_share = fmax(out->void_share, out->dry[k] - reference->dry[k]);
    if (out->judged && !(out->difference <= same_way))
    {
        out->strays = strcmp(out->coupling, "weak") == 0;
        out->verdict = out->strays ? NULL : "moves otherwise";
    }
    if (out->judged && out->void_share > same_dry)
        out->verdict = "voids";
}

// Motion of the reference at a time within its duration.
static double way_at(const track *r, double time)
{
    int n = 1;
    while (n < r->count - 1 && r->time[n] < time)
        ++n;
    const double part = (time - r->time[n - 1]) / (r->time[n] - r->time[n - 1]);
    return r->way[n - 1] + part * (r->way[n] - r->way[n - 1]);
}

static void note_way(track *r, double time, double way)
{
    if (r->count == track_most)
        return;
    if (r->count > 0)
        r->highest = fmax(r->highest, fabs(way - r->way[r->count - 1]) / (time - r->time[r->count - 1]));
    r->time[r->count] = time;
    r->way[r->count++] = way;
}

// Record the motion of the reference, or compare the mean rate since the last comparison, at least a step of the
// reference ago: a body that moves erratically may still follow the right path, and a jolt of one short step is
// harmless.
static void compare_rate(series *all, const coupling_scene *of, double time, double way, course *out)
{
    track *r = &all->reference;
    if (out == all->runs)
    {
        note_way(r, time, way);
        return;
    }
    const double since = time - out->compared_time;
    if (r->count < 2 || time > r->time[r->count - 1] * (1.0 + 1e-9) || since < of->step * (1.0 - 1e-9))
        return;
    const double expected = (way_at(r, time) - way_at(r, out->compared_time)) / since;
    const double rate = (way - out->compared_way) / since;
    out->compared_time = time;
    out->compared_way = way;
    out->rate_difference = fmax(out->rate_difference, fabs(rate - expected) / r->highest);
    if (out->judged && out->rate_difference > same_rate)
        out->verdict = "thrown about";
}

// How far the body has gone: it has turned by that much, and started at that height.
static double way_of(const coupling_scene *of, const frz_body_info *body, double turn, double start)
{
    return of->way == way_turn ? turn : body->position[1] - start;
}

// Steps to the time of a sample, or until too many tries are rejected.
static void go_on(frz_sim *sim, const coupling_scene *of, double until, series *all, course *out)
{
    frz_diag diag = {0};
    const double wall = frz_wall_seconds(), cpu = frz_processor_seconds();
    while (frz_sim_time(sim) < until * (1.0 - 1e-12) && out->verdict == NULL)
    {
        const double before = frz_sim_time(sim);
        if (frz_sim_step(sim, until - before, &diag) != FRZ_OK)
            out->verdict = "breaks down";
        add_step(sim, out);
        frz_body_info body;
        (void)read_body(sim, of->body, &body);
        out->turn += body.spin[0] * (frz_sim_time(sim) - before);
        out->last_way = way_of(of, &body, out->turn, out->start);
        if (out->verdict == NULL)
            compare_rate(all, of, frz_sim_time(sim), out->last_way, out);
        if (out != all->runs && out->rejected > all->runs[0].rejected)
            out->verdict = "steps rejected";
    }
    out->wall += frz_wall_seconds() - wall;
    out->cpu += frz_processor_seconds() - cpu;
}

static void follow(frz_sim *sim, const coupling_scene *of, double end_time, double spacing, series *all, course *out)
{
    frz_body_info body;
    const int number = read_body(sim, of->body, &body);
    out->start = body.position[1];
    compare_rate(all, of, 0.0, 0.0, out);
    for (int k = 0; k < sample_count && out->verdict == NULL; ++k)
    {
        go_on(sim, of, end_time * (k + 1) / sample_count, all, out);
        out->way[k] = out->last_way;
        const bench_interface interface = bench_interface_of(sim, number, spacing);
        out->dry[k] = interface.dry;
        out->squeeze = fmax(out->squeeze, interface.squeeze);
        if (out->verdict == NULL)
            compare(out == all->runs ? NULL : all->runs, k, out);
    }
    out->iterations /= out->steps > 0 ? (double)out->steps : 1.0;
}

static int measure(const frz_call *call, const bench_coupling_wish *wish, const coupling_scene *of, series *all,
                   course *out)
{
    char choice[64], length[64], name[80];
    int code = FRZ_EXIT_DONE;
    snprintf(choice, sizeof choice, "coupling=%s", out->coupling);
    snprintf(length, sizeof length, "time_step=%.9g s", out->step);
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
        follow(sim, of, wish->quick ? of->quick_time : of->end_time, report.spacing, all, out);
    }
    frz_sim_destroy(&sim);
    frz_scene_destroy(&scene);
    return code;
}

// Processor time per simulated second.
static double cost(const course *r)
{
    return r->time > 0.0 ? r->cpu / r->time : 0.0;
}

// ---- report

static void write_run(frz_json *out, const course *r)
{
    frz_json_begin_object(out, NULL);
    frz_json_text(out, "coupling", r->coupling);
    frz_json_real(out, "step", r->step);
    frz_json_real(out, "time", r->time);
    frz_json_real(out, "way", r->last_way);
    frz_json_real(out, "difference", r->difference);
    frz_json_real(out, "difference_same_step", r->twin_difference);
    frz_json_real(out, "rate_difference", r->rate_difference);
    frz_json_real(out, "dry", largest_of(r->dry));
    frz_json_real(out, "void", r->void_share);
    frz_json_real(out, "squeeze_percent", 100.0 * r->squeeze);
    frz_json_real(out, "seconds_per_frame", r->time > 0.0 ? r->wall / r->time * frame_time : 0.0);
    frz_json_real(out, "cpu_seconds_per_frame", cost(r) * frame_time);
    frz_json_real(out, "iterations_per_step", r->iterations);
    frz_json_real(out, "density_error_percent", r->worst_error);
    frz_json_real(out, "density_error_max_percent", r->worst_particle);
    frz_json_integer(out, "rejected", r->rejected);
    frz_json_boolean(out, "same", r->verdict == NULL);
    frz_json_text(out, "verdict", r->verdict == NULL ? "same" : r->verdict);
    frz_json_end_object(out);
}

static void print_json(const coupling_scene *of, const course *runs, int count, const gains *gain)
{
    frz_json out = {.out = stdout};
    frz_json_begin_object(&out, NULL);
    frz_json_text(&out, "scene", of->name);
    frz_json_integer(&out, "liquid", runs[0].liquid);
    frz_json_integer(&out, "walls", runs[0].walls);
    frz_json_real(&out, "gain", gain->paper_step);
    frz_json_real(&out, "gain_best_steps", gain->best_step);
    frz_json_real(&out, "cost_ratio_paper_steps", gain->paper_both);
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

static void print_head(const coupling_scene *of, const course *first)
{
    printf("%s: %lld liquid particles, %lld samples of bodies, frames of %g ms\n\n", of->name, (long long)first->liquid,
           (long long)first->walls, 1e3 * frame_time);
    printf("%-8s  %8s  %8s  %9s  %6s  %6s  %6s  %9s  %9s  %11s  %10s  %8s\n", "coupling", "step ms", "time s",
           of->way == way_turn ? "turn rad" : "rise m", "off %", "rate %", "void %", "squeeze %", "s/frame",
           "CPU s/frame", "iterations", "rejected");
}

static void print_run(const course *r)
{
    printf("%-8s  %8.4f  %8.3f  %9.3f  %6.2f  %6.1f  %6.1f  %9.3f  %9.3f  %11.4f  %10.2f  %8lld  %s\n", r->coupling,
           1e3 * r->step, r->time, r->last_way, 100.0 * r->difference, 100.0 * r->rate_difference,
           100.0 * r->void_share, 100.0 * r->squeeze, r->wall / r->time * frame_time, cost(r) * frame_time,
           r->iterations, (long long)r->rejected,
           r->verdict != NULL ? r->verdict
           : r->strays        ? "strays"
                              : "");
    (void)fflush(stdout);
}

static void print_gains(const coupling_scene *of, const gains *gain)
{
    if (gain->paper_step > 0.0)
        printf("\nStrong coupling is %.1f times faster than weak coupling that does the same within %g %%; %.1f times "
               "with "
               "the step that is best for it.\n",
               gain->paper_step, 100.0 * same_way, gain->best_step);
    else
        printf("\nWeak coupling does not do the same within %g %% at any of these steps.\n", 100.0 * same_way);
    if (gain->paper_both > 0.0)
        printf("Weak coupling at %g ms takes %.1f times as long as strong coupling at %g ms.\n",
               1e3 * of->paper_weak_step, gain->paper_both, 1e3 * of->step);
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

// One more run, reported at once: the next may take a while.
static const course *run_next(const frz_call *call, const bench_coupling_wish *wish, const coupling_scene *of,
                              const char *coupling, double step, series *all)
{
    course *next = &all->runs[all->count];
    *next = (course){.coupling = coupling,
                     .step = step,
                     .judged = step != of->paper_weak_step && (step >= of->step || strcmp(coupling, "weak") == 0)};
    all->code = measure(call, wish, of, all, next);
    if (all->code != FRZ_EXIT_DONE)
        return NULL;
    if (!call->common->json && all->count == 0)
        print_head(of, next);
    if (!call->common->json)
        print_run(next);
    all->count += 1;
    return next;
}

// A short step itself changes the liquid, independent of the coupling: weak coupling that deviates may agree with
// strong coupling at the same step.
static void compare_twin(const frz_call *call, const bench_coupling_wish *wish, const coupling_scene *of, series *all)
{
    course *weak = &all->runs[all->count - 1];
    const course *twin = run_next(call, wish, of, "strong", weak->step, all);
    if (twin == NULL)
        return;
    for (int k = 0; k < sample_count && twin->verdict == NULL; ++k)
        weak->twin_difference = fmax(weak->twin_difference, fabs(weak->way[k] - twin->way[k]) / largest_of(twin->way));
    if (twin->verdict != NULL || !(weak->twin_difference <= same_way))
        weak->verdict = "moves otherwise";
    if (!call->common->json)
        printf("Weak coupling at %.4g ms is %.2f %% off strong coupling at the same step.\n", 1e3 * weak->step,
               100.0 * weak->twin_difference);
    (void)fflush(stdout);
}

int bench_coupling(const frz_call *call, const bench_coupling_wish *wish)
{
    static series all;
    all = (series){.count = 0};
    const coupling_scene *of = find_scene(call, wish->scene, &all.code);
    if (of == NULL)
        return all.code;
    const course *run = run_next(call, wish, of, "strong", of->step, &all);
    double cheapest = run != NULL ? cost(run) : 0.0;
    gains gain = {0};
    // samples cut longer steps short
    const double longest = (wish->quick ? of->quick_time : of->end_time) / sample_count;
    for (int k = 1; k <= most_doublings && run != NULL && run->verdict == NULL && of->step * pow(2.0, k) <= longest;
         ++k)
    {
        run = run_next(call, wish, of, "strong", of->step * pow(2.0, k), &all);
        if (run != NULL && run->verdict == NULL)
            cheapest = fmin(cheapest, cost(run));
    }
    for (int k = 0; k <= most_halvings && all.code == FRZ_EXIT_DONE && gain.paper_step == 0.0; ++k)
    {
        run = run_next(call, wish, of, "weak", of->step / pow(2.0, k), &all);
        if (run != NULL && run->verdict == NULL && run->strays)
            compare_twin(call, wish, of, &all);
        if (run != NULL && run->verdict == NULL)
            gain = (gains){.paper_step = cost(run) / cost(&all.runs[0]), .best_step = cost(run) / cheapest};
    }
    run =
        all.code == FRZ_EXIT_DONE && !wish->quick ? run_next(call, wish, of, "weak", of->paper_weak_step, &all) : NULL;
    if (run != NULL)
        gain.paper_both = cost(run) / cost(&all.runs[0]);
    if (all.code != FRZ_EXIT_DONE)
        return all.code;
    if (call->common->json)
        print_json(of, all.runs, all.count, &gain);
    else
        print_gains(of, &gain);
    return all.code;
}
