// SPDX-License-Identifier: MIT
// Strong against weak coupling on the scenes of Gissler et al. 2019, sec. 4.1: a light body that rises, the splashdown
// of a capsule, a propeller that pumps.
//
// Every run is compared with a converged one: strong coupling with a shorter step and a tolerance so small that the
// acceleration it lets pass is negligible. Strong coupling takes the paper's step, then twice and four times that as
// long as it is the same. Weak coupling takes the paper's step, half of it and so on, until it is the same. The rule
// 'paper' is that of the paper: plain relaxed Jacobi, an average of 0.1 %, no further bounds; the body has gone as far
// as in the converged run within 5 % in the end (of half a metre at least: a neutral body stays where it is). The rule
// 'strict' has the scene's pressure method, and the way at all times, rates, rejected tries and voids; weak coupling
// that only strays is then held against strong coupling at its own step, which is told as another rule. Times are of
// the processor, so that other programs do not show.
#include "bench/bench_coupling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_coupling_tell.h"
#include "options.h"
#include "output.h"

enum
{
    most_halvings = 8,
    most_doublings = 2
};

#define IISPH_PLAIN "{method: iisph, max_density_error: 0.1, max_particle_error: 0, classic: true, solver: jacobi}"
#define DFSPH_PLAIN                                                                                                    \
    "{method: dfsph, max_density_error: 0.1, max_divergence_error: 0.1, max_particle_error: 0, solver: jacobi, "       \
    "max_iterations: 1000}"

static const coupling_scene coupling_scenes[] = {
    {"sphere", "bench_coupling", "cylinder", COUPLING_HEIGHT, 2e-3, 1.0, 0.5, 4, 0.5, IISPH_PLAIN,
     "{method: iisph, max_density_error: 0.000625, max_particle_error: 0.001, classic: true, max_iterations: 1000}",
     58.0, 0.02e-3, 0.046},
    {"capsule", "bench_capsule", "capsule", COUPLING_HEIGHT, 20e-3, 4.0, 0.4, 2, 0.0, IISPH_PLAIN,
     "{method: iisph, max_density_error: 0.01, max_particle_error: 0.1}", 3.4, 2e-3, 0.39},
    {"propeller", "bench_propeller", "propeller", COUPLING_TURN, 3e-3, 1.0, 0.15, 2, 0.0, DFSPH_PLAIN,
     "{method: dfsph, max_density_error: 0.01, max_divergence_error: 0.01, max_particle_error: 0.1}", 4.6, 0.3e-3,
     1.43},
};

static const coupling_rule coupling_rules[] = {
    {"paper", "relaxed Jacobi, 0.1 % on average, no further bounds; the way in the end within 5 % of the converged run",
     true, false, false},
    {"strict",
     "the scene's pressure method; the way at all times within 5 % of the longest, rates, rejected tries and voids",
     false, true, true},
};

enum
{
    scene_count = sizeof coupling_scenes / sizeof coupling_scenes[0],
    rule_count = sizeof coupling_rules / sizeof coupling_rules[0]
};

// ---- one series

// One run more, told at once: the next may take a while. Null: it could not be made.
static coupling_run *run_next(const frz_call *call, const bench_coupling_wish *wish, const char *coupling, double step,
                              const char *pressure, bool judged, coupling_series *all)
{
    if (all->count == COUPLING_RUNS)
        return NULL;
    coupling_run *next = &all->runs[all->count];
    memset(next, 0, sizeof *next);
    next->converged = all->count == 0;
    next->coupling = coupling;
    next->step = step;
    next->pressure = pressure;
    next->judged = judged;
    all->code = coupling_measure(call, wish, all->of, all->rule, all->count > 0 ? &all->runs[0] : NULL, next);
    if (all->code != FRZ_EXIT_DONE)
        return NULL;
    if (!call->common->json && all->count == 0)
        coupling_print_head(all);
    if (!call->common->json)
        coupling_print_run(next);
    all->count += 1;
    return next;
}

// Strong coupling at the paper's step and at longer ones; returns the cost of the cheapest that is the same.
static double run_strong(const frz_call *call, const bench_coupling_wish *wish, const char *pressure,
                         coupling_series *all)
{
    const double step = all->of->step;
    // samples cut longer steps short
    const double longest = (wish->quick ? all->of->quick_time : all->of->end_time) / COUPLING_SAMPLES;
    const coupling_run *run = run_next(call, wish, "strong", step, pressure, true, all);
    double cheapest = run != NULL ? coupling_cost(run) : 0.0;
    all->strong_is_same = run != NULL && run->verdict == NULL;
    for (int k = 1; k <= most_doublings && run != NULL && run->verdict == NULL && step * pow(2.0, k) <= longest; ++k)
    {
        run = run_next(call, wish, "strong", step * pow(2.0, k), pressure, true, all);
        if (run != NULL && run->verdict == NULL)
            cheapest = fmin(cheapest, coupling_cost(run));
    }
    return cheapest;
}

// Effects of a short step on the liquid are no fault of the coupling: weak coupling that only strays is run to its end,
// and so is strong coupling at its step.
static void compare_twin(const frz_call *call, const bench_coupling_wish *wish, const char *pressure, double step,
                         double strong_cost, coupling_series *all)
{
    coupling_run *weak = run_next(call, wish, "weak", step, pressure, false, all);
    const coupling_run *twin =
        weak != NULL && weak->verdict == NULL ? run_next(call, wish, "strong", step, pressure, false, all) : NULL;
    if (twin == NULL || twin->verdict != NULL)
        return;
    for (int k = 0; k < COUPLING_SAMPLES; ++k)
        weak->twin_difference = fmax(weak->twin_difference, fabs(weak->way[k] - twin->way[k]) /
                                                                fmax(coupling_largest(twin->way), all->of->least_way));
    const bool same = weak->twin_difference <= coupling_same_way && weak->rejected <= all->runs[0].rejected &&
                      weak->void_share <= coupling_same_dry;
    if (same)
        all->own_step_gain = coupling_cost(weak) / strong_cost;
    weak->verdict = "strays";
    if (!call->common->json)
        printf("Weak coupling at %.4g ms is %.2f %% off strong coupling at the same step.\n", 1e3 * step,
               100.0 * weak->twin_difference);
    (void)fflush(stdout);
}

static void run_weak(const frz_call *call, const bench_coupling_wish *wish, const char *pressure, double cheapest,
                     coupling_series *all)
{
    const double strong_cost = coupling_cost(&all->runs[1]);
    double stray = 0.0;
    for (int k = 0; k <= most_halvings && all->code == FRZ_EXIT_DONE && all->gain == 0.0; ++k)
    {
        const coupling_run *run = run_next(call, wish, "weak", all->of->step / pow(2.0, k), pressure, true, all);
        if (run == NULL || run->verdict != NULL)
        {
            const bool strays = run != NULL && all->rule->always && strcmp(run->verdict, "moves otherwise") == 0;
            stray = strays && stray == 0.0 && run->time > 0.2 * all->runs[0].time ? run->step : stray;
            continue;
        }
        all->gain = coupling_cost(run) / strong_cost;
        all->best_gain = coupling_cost(run) / cheapest;
    }
    if (all->gain == 0.0 && stray > 0.0 && all->code == FRZ_EXIT_DONE)
        compare_twin(call, wish, pressure, stray, strong_cost, all);
    const coupling_run *run = all->code == FRZ_EXIT_DONE && !wish->quick && !wish->sweep
                                  ? run_next(call, wish, "weak", all->of->paper_weak_step, pressure, false, all)
                                  : NULL;
    if (run != NULL && run->verdict == NULL)
        all->paper_ratio = coupling_cost(run) / strong_cost;
}

static int run_series(const frz_call *call, const bench_coupling_wish *wish, coupling_series *all)
{
    const coupling_scene *of = all->of;
    const char *pressure = all->rule->plain ? of->plain : NULL;
    // the converged run is the same for all rules; nothing it does is judged
    if (run_next(call, wish, "strong", of->step / of->refined, of->exact, false, all) == NULL)
        return all->code;
    if (all->runs[0].verdict != NULL)
        return frz_command_fail_usage(call, "the converged run breaks down after %g s", all->runs[0].time);
    const double cheapest = run_strong(call, wish, pressure, all);
    if (all->code == FRZ_EXIT_DONE && all->count > 1)
        run_weak(call, wish, pressure, cheapest, all);
    if (all->code == FRZ_EXIT_DONE && !call->common->json)
        coupling_print_gains(all);
    frz_diag diag = {0};
    if (all->code == FRZ_EXIT_DONE && wish->plots != NULL && coupling_plot_force(wish->plots, all, &diag) != FRZ_OK)
        all->code = frz_command_fail(call, &diag);
    return all->code;
}

// ---- the benchmark

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

// The light body by the paper's rule, with other densities.
static int run_sweep(const frz_call *call, const bench_coupling_wish *wish, coupling_series *all)
{
    enum
    {
        density_count = 5
    };
    static const double ratio[density_count] = {1.0, 0.3, 0.1, 0.03, 0.01};
    double gain[density_count] = {0.0};
    for (int k = 0; k < density_count; ++k)
    {
        char density[64];
        snprintf(density, sizeof density, "bodies.2.density=%g", 1000.0 * ratio[k]);
        frz_text_list set = *wish->set;
        if (set.count < FRZ_TEXT_LIST_MOST)
            set.items[set.count++] = density;
        bench_coupling_wish one = *wish;
        one.set = &set;
        one.plots = NULL;
        memset(all, 0, sizeof *all);
        all->of = &coupling_scenes[0];
        all->rule = &coupling_rules[0];
        if (!call->common->json)
            printf("\nDensity of the body over the liquid's: %g", ratio[k]);
        const int code = run_series(call, &one, all);
        if (code != FRZ_EXIT_DONE)
            return code;
        gain[k] = all->gain;
    }
    frz_diag diag = {0};
    if (wish->plots != NULL && coupling_plot_sweep(wish->plots, ratio, gain, density_count, &diag) != FRZ_OK)
        return frz_command_fail(call, &diag);
    if (call->common->json)
        coupling_print_json(NULL, 0, ratio, gain, density_count);
    for (int k = 0; k < density_count && !call->common->json; ++k)
        printf(gain[k] > 0.0 ? "density ratio %g: %.1f times faster\n"
                             : "density ratio %g: weak coupling never the same\n",
               ratio[k], gain[k]);
    return FRZ_EXIT_DONE;
}

static int run_rules(const frz_call *call, const bench_coupling_wish *wish, const coupling_scene *of,
                     coupling_series *list)
{
    int count = 0, code = FRZ_EXIT_DONE;
    for (int k = 0; k < rule_count && code == FRZ_EXIT_DONE; ++k)
    {
        if (wish->rule != NULL && strcmp(wish->rule, coupling_rules[k].name) != 0)
            continue;
        list[count].of = of;
        list[count].rule = &coupling_rules[k];
        code = run_series(call, wish, &list[count++]);
    }
    if (count == 0)
        return frz_command_fail_usage(call, "--rule: there is no '%.60s'; try paper or strict", wish->rule);
    if (code == FRZ_EXIT_DONE && call->common->json)
        coupling_print_json(list, count, NULL, NULL, 0);
    return code;
}

int bench_coupling(const frz_call *call, const bench_coupling_wish *wish)
{
    int code = FRZ_EXIT_DONE;
    const coupling_scene *of = find_scene(call, wish->scene, &code);
    if (of == NULL)
        return code;
    coupling_series *list = calloc(rule_count, sizeof *list);
    if (list == NULL)
        return frz_command_fail_usage(call, "not enough memory for the runs");
    code = wish->sweep ? run_sweep(call, wish, list) : run_rules(call, wish, of, list);
    free(list);
    return code;
}
