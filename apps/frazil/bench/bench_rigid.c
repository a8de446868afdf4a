// SPDX-License-Identifier: MIT
// Rigid bodies and nothing else: concave bodies in a funnel, a bolt in its nut at steps of 10 ms, piles of several
// sizes.
//
// Times are processor times, independent of other programs. The pile shows whether a sweep costs the same per contact
// at any size; the bolt whether thin overlapping surfaces hold: how far it sinks once it rests, and without friction
// whether it goes down by a pitch per turn.
#include "bench/bench_rigid.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <frazil/frazil.h>

#include "clocks.h"
#include "json.h"
#include "options.h"
#include "output.h"

typedef struct measurement
{
    const char *name;
    frz_rigid_trial trial;
    double spacing;
    int64_t steps, visits, contact_sum, iteration_sum, rejected;
    int most_contacts, most_iterations;
    double seconds, search, solve;  ///< processor time; the parts in proportion to their wall-clock times
    double deepest, last_depth;     ///< m: at any time, in the end
    double peak_energy, end_energy; ///< of the motion of centres, J
    double settled;                 ///< s; half of the duration: later motion is drift
    double drift;                   ///< largest displacement of a body since then, m
    double fall, turn;              ///< of the last body, m and rad
    int through, lost;              ///< bodies below the outlet; outside everything
    bool stopped;
} measurement;

// ---- measuring

static double energy_of(const frz_body_info *bodies, int count)
{
    double sum = 0.0;
    for (int b = 0; b < count; ++b)
    {
        const double *v = bodies[b].velocity;
        sum += 0.5 * bodies[b].mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return sum;
}

static void add_step(measurement *m, const frz_stats *stats, const frz_body_info *bodies, int count)
{
    ++m->steps;
    m->visits += stats->contact_visits;
    m->contact_sum += stats->contacts;
    m->iteration_sum += stats->contact_iterations;
    m->rejected = stats->rejected_total;
    m->most_contacts = stats->contacts > m->most_contacts ? stats->contacts : m->most_contacts;
    m->most_iterations =
        stats->contact_iterations > m->most_iterations ? stats->contact_iterations : m->most_iterations;
    m->deepest = fmax(m->deepest, stats->contact_depth);
    m->last_depth = stats->contact_depth;
    m->end_energy = energy_of(bodies, count);
    m->peak_energy = fmax(m->peak_energy, m->end_energy);
}

/// Turn about the vertical since the start; the sign of a quaternion says nothing.
static double turn_of(const frz_body_info *body)
{
    return 2.0 * atan2(body->orientation[2], body->orientation[0]);
}

static void compare_places(measurement *m, const frz_body_info *first, const frz_body_info *middle,
                           const frz_body_info *last, int count)
{
    for (int b = 0; b < count; ++b)
    {
        const double *from = middle[b].position, *to = last[b].position;
        m->drift = fmax(m->drift, sqrt((to[0] - from[0]) * (to[0] - from[0]) + (to[1] - from[1]) * (to[1] - from[1]) +
                                       (to[2] - from[2]) * (to[2] - from[2])));
        if (strcmp(last[b].state, "rigid") != 0)
            continue;
        m->through += to[1] < frz_rigid_outlet;
        m->lost += to[1] < -0.1;
    }
    m->fall = first[count - 1].position[1] - last[count - 1].position[1];
}

/// Steps to the end; reports a run that stops early.
static void run(frz_sim *sim, measurement *m, frz_body_info *bodies[3], int count)
{
    frz_diag diag = {0};
    frz_sim_bodies(sim, bodies[0]);
    double before = 0.0;
    const double start = frz_processor_seconds(), clock_start = omp_get_wtime();
    while (frz_sim_time(sim) < m->trial.duration - 0.5 * m->trial.step && !m->stopped)
    {
        frz_stats stats;
        m->stopped = frz_sim_step(sim, HUGE_VAL, &diag) != FRZ_OK;
        if (m->stopped)
            fprintf(stderr, "%s: %s\n", m->name, diag.message);
        frz_sim_stats(sim, &stats);
        frz_sim_bodies(sim, bodies[2]);
        add_step(m, &stats, bodies[2], count);
        const double angle = turn_of(&bodies[2][count - 1]);
        m->turn += remainder(angle - before, 8.0 * atan(1.0));
        before = angle;
        if (frz_sim_time(sim) <= m->settled)
            frz_sim_bodies(sim, bodies[1]);
    }
    m->seconds = frz_processor_seconds() - start;
    const double share = m->seconds / (omp_get_wtime() - clock_start);
    compare_places(m, bodies[0], bodies[1], bodies[2], count);
    for (int t = 0; frz_sim_timer(sim, t).name != NULL; ++t)
    {
        const frz_timer_info timer = frz_sim_timer(sim, t);
        m->search += strcmp(timer.name, "contact search") == 0 ? share * timer.seconds : 0.0;
        m->solve += strcmp(timer.name, "contact solve") == 0 ? share * timer.seconds : 0.0;
    }
}

static int measure(const frz_call *call, const frz_rigid_options *options, measurement *m)
{
    frz_diag diag = {0};
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_sim_def def = frz_sim_def_default();
    def.threads = call->common->threads;
    int code = FRZ_EXIT_DONE;
    m->settled = 0.5 * m->trial.duration;
    char *text = frz_rigid_scene(&m->trial, options->contact, &m->spacing);
    if (text == NULL)
        return frz_command_fail_usage(call, "not enough memory for the scene");
    if (frz_scene_parse(text, "bench", NULL, &scene, &diag) != FRZ_OK ||
        frz_sim_create(scene, &def, &sim, &diag) != FRZ_OK)
        code = frz_command_fail(call, &diag);
    if (code == FRZ_EXIT_DONE)
    {
        const int count = frz_sim_body_count(sim);
        frz_body_info *all = calloc(3 * (size_t)count, sizeof *all);
        if (all != NULL)
        {
            frz_body_info *bodies[3] = {all, all + count, all + 2 * (size_t)count};
            run(sim, m, bodies, count);
        }
        else
            code = frz_command_fail_usage(call, "not enough memory for the bodies");
        free(all);
    }
    free(text);
    frz_sim_destroy(&sim);
    frz_scene_destroy(&scene);
    return code;
}

// ---- telling

static double per_visit(const measurement *m)
{
    return m->visits > 0 ? 1e9 * m->solve / (double)m->visits : 0.0;
}

static void print_json(const measurement *list, int count)
{
    frz_json out = {.out = stdout};
    frz_json_begin_object(&out, NULL);
    frz_json_begin_array(&out, "runs");
    for (const measurement *m = list; m < list + count; ++m)
    {
        const double steps = m->steps > 0 ? (double)m->steps : 1.0;
        frz_json_begin_object(&out, NULL);
        frz_json_text(&out, "scene", m->name);
        frz_json_integer(&out, "bodies", m->trial.bodies);
        frz_json_real(&out, "time_step", m->trial.step);
        frz_json_real(&out, "duration", m->trial.duration);
        frz_json_integer(&out, "steps", m->steps);
        frz_json_boolean(&out, "stopped", m->stopped);
        frz_json_integer(&out, "rejected", m->rejected);
        frz_json_real(&out, "cpu_seconds", m->seconds);
        frz_json_real(&out, "cpu_seconds_per_step", m->seconds / steps);
        frz_json_real(&out, "search_seconds", m->search);
        frz_json_real(&out, "solve_seconds", m->solve);
        frz_json_real(&out, "contacts_mean", (double)m->contact_sum / steps);
        frz_json_integer(&out, "contacts_max", m->most_contacts);
        frz_json_real(&out, "iterations_mean", (double)m->iteration_sum / steps);
        frz_json_integer(&out, "iterations_max", m->most_iterations);
        frz_json_real(&out, "nanoseconds_per_contact_and_iteration", per_visit(m));
        frz_json_real(&out, "penetration_max_spacings", m->deepest / m->spacing);
        frz_json_real(&out, "penetration_end_spacings", m->last_depth / m->spacing);
        frz_json_real(&out, "energy_peak", m->peak_energy);
        frz_json_real(&out, "energy_end", m->end_energy);
        frz_json_real(&out, "drift_spacings", m->drift / m->spacing);
        frz_json_real(&out, "fall", m->fall);
        frz_json_real(&out, "turn", m->turn);
        frz_json_integer(&out, "through", m->through);
        frz_json_integer(&out, "lost", m->lost);
        frz_json_end_object(&out);
    }
    frz_json_end_array(&out);
    frz_json_end_object(&out);
}

static void print_case(const measurement *m)
{
    const double turns = m->turn / (8.0 * atan(1.0));
    switch (m->trial.of)
    {
    case FRZ_RIGID_FUNNEL:
        printf("          %d of %d bodies are through the funnel, %d fell out of the world\n", m->through,
               m->trial.bodies, m->lost);
        break;
    case FRZ_RIGID_BOLT:
        printf("          the bolt sank by %.3f mm to where it rests and by %.4f mm in the second half\n",
               1e3 * m->fall, 1e3 * m->drift);
        break;
    case FRZ_RIGID_SCREW:
        printf("          the bolt turned %.2f times and fell by %.3f pitches\n", fabs(turns),
               m->fall / frz_rigid_pitch);
        break;
    default:
        printf("          kinetic energy %.3g J at most, %.3g J in the end; moved by up to %.3f spacings in the second "
               "half\n",
               m->peak_energy, m->end_energy, m->drift / m->spacing);
    }
}

static void print_text(const measurement *list, int count)
{
    printf("%-8s  %6s  %7s  %6s  %8s  %8s  %8s  %14s  %10s  %8s  %11s\n", "scene", "bodies", "step ms", "steps",
           "CPU ms/s", "search", "solve", "contacts (max)", "iterations", "ns/visit", "penetration");
    for (const measurement *m = list; m < list + count; ++m)
    {
        const double steps = m->steps > 0 ? (double)m->steps : 1.0;
        printf("%-8s  %6d  %7.3g  %6lld  %8.2f  %8.2f  %8.2f  %6.0f (%5d)  %10.1f  %8.1f  %5.3f %5.3f%s\n", m->name,
               m->trial.bodies, 1e3 * m->trial.step, (long long)m->steps, 1e3 * m->seconds / steps,
               1e3 * m->search / steps, 1e3 * m->solve / steps, (double)m->contact_sum / steps, m->most_contacts,
               (double)m->iteration_sum / steps, per_visit(m), m->deepest / m->spacing, m->last_depth / m->spacing,
               m->stopped ? "  stopped" : "");
        print_case(m);
    }
    printf("\nMilliseconds are per step. Penetration is the largest at any time and that of the last step, in "
           "spacings.\n");
}

// ---- the benchmark

static const measurement full_runs[] = {
    {.name = "funnel", .trial = {FRZ_RIGID_FUNNEL, 300, 0.0025, 2.0}},
    {.name = "bolt", .trial = {FRZ_RIGID_BOLT, 1, 0.01, 4.0}},
    {.name = "screw", .trial = {FRZ_RIGID_SCREW, 1, 0.01, 0.6}},
    {.name = "pile", .trial = {FRZ_RIGID_PILE, 125, 0.004, 1.2}},
    {.name = "pile", .trial = {FRZ_RIGID_PILE, 343, 0.004, 1.2}},
    {.name = "pile", .trial = {FRZ_RIGID_PILE, 1331, 0.004, 1.2}},
};
static const measurement quick_runs[] = {
    {.name = "funnel", .trial = {FRZ_RIGID_FUNNEL, 48, 0.0025, 0.3}},
    {.name = "bolt", .trial = {FRZ_RIGID_BOLT, 1, 0.01, 0.3}},
    {.name = "screw", .trial = {FRZ_RIGID_SCREW, 1, 0.01, 0.2}},
    {.name = "pile", .trial = {FRZ_RIGID_PILE, 27, 0.004, 0.4}},
    {.name = "pile", .trial = {FRZ_RIGID_PILE, 64, 0.004, 0.4}},
};

enum
{
    full_count = sizeof full_runs / sizeof full_runs[0],
    quick_count = sizeof quick_runs / sizeof quick_runs[0]
};

int bench_rigid(const frz_call *call, const frz_rigid_options *options)
{
    static measurement list[full_count + quick_count];
    const measurement *from = options->quick ? quick_runs : full_runs;
    int count = 0, code = FRZ_EXIT_DONE;
    for (int k = 0; k < (options->quick ? quick_count : full_count); ++k)
    {
        if (options->scene == NULL || strcmp(options->scene, from[k].name) == 0)
            list[count++] = from[k];
    }
    if (count == 0)
        return frz_command_fail_usage(call, "--scene: there is no '%.60s'; try funnel, bolt, screw or pile",
                                      options->scene);
    for (int k = 0; k < count && code == FRZ_EXIT_DONE; ++k)
    {
        code = measure(call, options, &list[k]);
        if (!call->common->quiet)
            fprintf(stderr, "%s: %.1f s\n", list[k].name, list[k].seconds);
    }
    if (code != FRZ_EXIT_DONE)
        return code;
    if (call->common->json)
        print_json(list, count);
    else
        print_text(list, count);
    return code;
}
