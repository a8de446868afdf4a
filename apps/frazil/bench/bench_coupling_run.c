// SPDX-License-Identifier: MIT
// A scene simulated with one coupling at one step, compared with a reference while it goes on.
#include "bench/bench_coupling_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_void.h"
#include "clocks.h"
#include "options.h"
#include "output.h"

const double coupling_same_way = 0.05;
const double coupling_same_dry = 0.05; // of the body's samples
// of the highest mean speed over a step of strong coupling
const double coupling_same_rate = 0.5;
const double coupling_frame_time = 0.02; // s: 50 frames per second in the paper
static const double lost_way = 0.5;      // so far off at any time nothing is the same in the end

// The body and its number.
static int read_body(const frz_sim *sim, const char *name, frz_body_info *out)
{
    frz_body_info bodies[COUPLING_BODIES] = {{{0}}};
    const int count = frz_sim_body_count(sim);
    int found = -1;
    *out = (frz_body_info){0};
    if (count > COUPLING_BODIES)
        return found;
    if (frz_sim_bodies(sim, bodies) != FRZ_OK)
        return found;
    for (int b = 0; b < count; ++b)
        if (strcmp(bodies[b].name, name) == 0)
        {
            *out = bodies[b];
            found = b;
        }
    return found;
}

static void add_step(const frz_sim *sim, coupling_run *out)
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

double coupling_largest(const double *values)
{
    double largest = 0.0;
    for (int k = 0; k < COUPLING_SAMPLES; ++k)
        largest = fmax(largest, fabs(values[k]));
    return largest;
}

double coupling_cost(const coupling_run *run)
{
    return run->time > 0.0 ? run->cpu / run->time : 0.0;
}

// ---- comparing

// Sample k against that of the reference.
static void compare(const coupling_scene *of, const coupling_rule *rule, const coupling_run *reference, int k,
                    coupling_run *out)
{
    const double off = fabs(out->way[k] - reference->way[k]);
    out->difference = fmax(out->difference, off / fmax(coupling_largest(reference->way), of->least_way));
    out->end_difference = off / fmax(fabs(reference->way[k]), of->least_way);
    out->void_share = fmax(out->void_share, out->dry[k] - reference->dry[k]);
    if (!out->judged)
        return;
    const bool strays = rule->always               ? !(out->difference <= coupling_same_way)
                        : k + 1 < COUPLING_SAMPLES ? !(out->difference <= lost_way)
                                                   : !(out->end_difference <= coupling_same_way);
    if (strays)
        out->verdict = "moves otherwise";
    else if (rule->bounds && out->void_share > coupling_same_dry)
        out->verdict = "voids";
}

// Way of the reference at a time within its own.
static double way_at(const coupling_track *r, double time)
{
    int n = 1;
    while (n < r->count - 1 && r->time[n] < time)
        ++n;
    const double part = (time - r->time[n - 1]) / (r->time[n] - r->time[n - 1]);
    return r->way[n - 1] + part * (r->way[n] - r->way[n - 1]);
}

static double highest_rate(const coupling_track *r)
{
    double highest = 0.0;
    for (int n = 1; n < r->count; ++n)
        highest = fmax(highest, fabs(r->way[n] - r->way[n - 1]) / (r->time[n] - r->time[n - 1]));
    return highest;
}

// The mean rate since the last comparison, at least a step of strong coupling ago: a light body that is thrown about
// may well get on as it should, and a jolt of one short step is no harm.
static void compare_rate(const coupling_rule *rule, const coupling_run *reference, double step, coupling_run *out)
{
    const coupling_track *r = &reference->track;
    const double since = out->time - out->compared_time;
    if (r->count < 2 || out->time > r->time[r->count - 1] * (1.0 + 1e-9) || since < step * (1.0 - 1e-9))
        return;
    const double expected = (way_at(r, out->time) - way_at(r, out->compared_time)) / since;
    const double rate = (out->last_way - out->compared_way) / since;
    out->compared_time = out->time;
    out->compared_way = out->last_way;
    out->rate_difference = fmax(out->rate_difference, fabs(rate - expected) / highest_rate(r));
    if (out->judged && rule->bounds && out->rate_difference > coupling_same_rate)
        out->verdict = "thrown about";
}

// ---- simulating

static void note(coupling_track *track, double end_time, double time, double way, double force)
{
    const double least = end_time / (COUPLING_TRACK - 2);
    if (track->count == COUPLING_TRACK || (track->count > 0 && time - track->time[track->count - 1] < least))
        return;
    track->time[track->count] = time;
    track->way[track->count] = way;
    track->force[track->count++] = force;
}

// Data shared by the runs of a series.
typedef struct progress
{
    const coupling_scene *of;
    const coupling_rule *rule;
    const coupling_run *reference;
    double end_time;
    double before, last; // forces of the last steps
    double shaken;
} progress;

// The force against the mean of its neighbours.
static void add_force(progress *p, double force, double weight, int64_t steps)
{
    if (steps > 2)
    {
        const double off = (p->last - 0.5 * (p->before + force)) / weight;
        p->shaken += off * off;
    }
    p->before = p->last;
    p->last = force;
}

// Steps to the time of a sample.
static void go_on(frz_sim *sim, progress *p, double until, coupling_run *out)
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
        (void)read_body(sim, p->of->body, &body);
        out->turn += body.spin[0] * (frz_sim_time(sim) - before);
        out->last_way = p->of->way == COUPLING_TURN ? out->turn : body.position[1] - out->start;
        const double force = p->of->way == COUPLING_TURN ? body.torque[0] : body.force[1];
        add_force(p, force, p->of->way == COUPLING_TURN ? 1.0 : 9.81 * body.mass, out->steps);
        note(&out->track, p->end_time, out->time, out->last_way, force);
        if (out->verdict == NULL && p->reference != NULL)
            compare_rate(p->rule, p->reference, p->of->step, out);
        if (p->reference != NULL && p->rule->bounds && out->judged && out->rejected > p->reference->rejected)
            out->verdict = "steps rejected";
    }
    out->wall += frz_wall_seconds() - wall;
    out->cpu += frz_processor_seconds() - cpu;
}

static void follow(frz_sim *sim, progress *p, double spacing, coupling_run *out)
{
    frz_body_info body;
    const int number = read_body(sim, p->of->body, &body);
    out->start = body.position[1];
    note(&out->track, p->end_time, 0.0, 0.0, 0.0);
    for (int k = 0; k < COUPLING_SAMPLES && out->verdict == NULL; ++k)
    {
        go_on(sim, p, p->end_time * (k + 1) / COUPLING_SAMPLES, out);
        out->way[k] = out->last_way;
        const bench_interface interface = bench_interface_of(sim, number, spacing);
        out->dry[k] = interface.dry;
        out->squeeze = fmax(out->squeeze, interface.squeeze);
        if (out->verdict == NULL && p->reference != NULL)
            compare(p->of, p->rule, p->reference, k, out);
    }
    out->iterations /= out->steps > 0 ? (double)out->steps : 1.0;
    out->shaking = out->steps > 3 ? sqrt(p->shaken / (double)(out->steps - 2)) : 0.0;
}

int coupling_measure(const frz_call *call, const bench_coupling_wish *wish, const coupling_scene *of,
                     const coupling_rule *rule, const coupling_run *reference, coupling_run *out)
{
    char choice[64], length[64], name[80], pressure[256];
    int code = FRZ_EXIT_DONE;
    snprintf(choice, sizeof choice, "coupling=%s", out->coupling);
    snprintf(length, sizeof length, "time_step=%.9g s", out->step);
    snprintf(name, sizeof name, "builtin:%s", of->scene);
    frz_text_list settings = {.count = 2, .items = {choice, length}};
    if (out->pressure != NULL)
    {
        snprintf(pressure, sizeof pressure, "pressure=%s", out->pressure);
        settings.items[settings.count++] = pressure;
    }
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
        progress p = {
            .of = of, .rule = rule, .reference = reference, .end_time = wish->quick ? of->quick_time : of->end_time};
        follow(sim, &p, report.spacing, out);
    }
    frz_sim_destroy(&sim);
    frz_scene_destroy(&scene);
    return code;
}
