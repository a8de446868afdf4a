// SPDX-License-Identifier: MIT
#include "bench/bench_coupling_tell.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <frazil/frazil.h>

#include "json.h"
#include "output.h"

static void write_run(frz_json *out, const coupling_run *r)
{
    frz_json_begin_object(out, NULL);
    frz_json_text(out, "coupling", r->coupling);
    frz_json_text(out, "pressure", r->pressure);
    frz_json_real(out, "step", r->step);
    frz_json_real(out, "time", r->time);
    frz_json_real(out, "way", r->last_way);
    frz_json_real(out, "difference_end", r->end_difference);
    frz_json_real(out, "difference", r->difference);
    frz_json_real(out, "difference_same_step", r->twin_difference);
    frz_json_real(out, "rate_difference", r->rate_difference);
    frz_json_real(out, "force_shaking", r->shaking);
    frz_json_real(out, "dry", coupling_largest(r->dry));
    frz_json_real(out, "void", r->void_share);
    frz_json_real(out, "squeeze_percent", 100.0 * r->squeeze);
    frz_json_real(out, "seconds_per_frame", r->time > 0.0 ? r->wall / r->time * coupling_frame_time : 0.0);
    frz_json_real(out, "cpu_seconds_per_frame", coupling_cost(r) * coupling_frame_time);
    frz_json_real(out, "iterations_per_step", r->iterations);
    frz_json_real(out, "density_error_percent", r->worst_error);
    frz_json_real(out, "density_error_max_percent", r->worst_particle);
    frz_json_integer(out, "rejected", r->rejected);
    frz_json_boolean(out, "same", r->judged && r->verdict == NULL);
    frz_json_text(out, "verdict",
                  r->converged         ? "converged"
                  : r->verdict != NULL ? r->verdict
                  : r->judged          ? "same"
                                       : "not judged");
    frz_json_end_object(out);
}

static void write_series(frz_json *out, const coupling_series *all)
{
    const coupling_scene *of = all->of;
    frz_json_begin_object(out, NULL);
    frz_json_text(out, "scene", of->name);
    frz_json_text(out, "rule", all->rule->name);
    frz_json_text(out, "rule_means", all->rule->title);
    frz_json_integer(out, "liquid", all->runs[0].liquid);
    frz_json_integer(out, "walls", all->runs[0].walls);
    frz_json_boolean(out, "strong_is_same", all->strong_is_same);
    frz_json_real(out, "gain", all->gain);
    frz_json_real(out, "gain_best_steps", all->best_gain);
    frz_json_real(out, "gain_same_step", all->own_step_gain);
    frz_json_real(out, "cost_ratio_paper_steps", all->paper_ratio);
    frz_json_begin_object(out, "reference");
    frz_json_text(out, "source", "Gissler et al. 2019, table 2");
    frz_json_real(out, "gain", of->paper_gain);
    frz_json_real(out, "strong_step", of->step);
    frz_json_real(out, "weak_step", of->paper_weak_step);
    frz_json_real(out, "seconds_per_frame", of->paper_frame);
    frz_json_end_object(out);
    frz_json_begin_array(out, "runs");
    for (int k = 0; k < all->count; ++k)
        write_run(out, &all->runs[k]);
    frz_json_end_array(out);
    frz_json_end_object(out);
}

void coupling_print_json(const coupling_series *list, int count, const double *density, const double *sweep,
                         int sweep_count)
{
    frz_json out = {.out = stdout};
    frz_json_begin_object(&out, NULL);
    frz_json_begin_array(&out, "rules");
    for (int k = 0; k < count; ++k)
        write_series(&out, &list[k]);
    frz_json_end_array(&out);
    if (sweep_count > 0)
    {
        frz_json_begin_array(&out, "sweep");
        for (int k = 0; k < sweep_count; ++k)
        {
            frz_json_begin_object(&out, NULL);
            frz_json_real(&out, "density_ratio", density[k]);
            frz_json_real(&out, "gain", sweep[k]);
            frz_json_end_object(&out);
        }
        frz_json_end_array(&out);
    }
    frz_json_end_object(&out);
}

void coupling_print_head(const coupling_series *all)
{
    const coupling_run *first = &all->runs[0];
    printf("\n%s, rule '%s': %s.\n%lld liquid particles, %lld samples of bodies, frames of %g ms\n\n", all->of->name,
           all->rule->name, all->rule->title, (long long)first->liquid, (long long)first->walls,
           1e3 * coupling_frame_time);
    printf("%-9s  %8s  %8s  %9s  %6s  %6s  %6s  %6s  %9s  %7s  %11s  %10s  %8s\n", "coupling", "step ms", "time s",
           all->of->way == COUPLING_TURN ? "turn rad" : "rise m", "end %", "off %", "rate %", "void %", "squeeze %",
           "shaking", "CPU s/frame", "iterations", "rejected");
}

void coupling_print_run(const coupling_run *r)
{
    printf("%-9s  %8.4f  %8.3f  %9.3f  %6.2f  %6.2f  %6.1f  %6.1f  %9.3f  %7.3g  %11.4f  %10.2f  %8lld  %s\n",
           r->coupling, 1e3 * r->step, r->time, r->last_way, 100.0 * r->end_difference, 100.0 * r->difference,
           100.0 * r->rate_difference, 100.0 * r->void_share, 100.0 * r->squeeze, r->shaking,
           coupling_cost(r) * coupling_frame_time, r->iterations, (long long)r->rejected,
           r->converged         ? "converged"
           : r->verdict != NULL ? r->verdict
           : r->judged          ? "same"
                                : "");
    (void)fflush(stdout);
}

void coupling_print_gains(const coupling_series *all)
{
    const coupling_scene *of = all->of;
    printf("\nBy the rule '%s', ", all->rule->name);
    if (!all->strong_is_same)
        printf("strong coupling itself is not the same as the converged run at %g ms; ", 1e3 * of->step);
    if (all->gain > 0.0)
        printf("strong coupling at %g ms is %.1f times faster than weak coupling that is the same; %.1f times with the "
               "cheapest step at which it is the same.\n",
               1e3 * of->step, all->gain, all->best_gain);
    else
        printf("weak coupling is not the same at any of these steps: there is no gain to tell.\n");
    if (all->own_step_gain > 0.0)
        printf("By another rule, the way of strong coupling at the step of the weak one, it is %.1f times.\n",
               all->own_step_gain);
    if (all->paper_ratio > 0.0)
        printf("Weak coupling at %g ms takes %.1f times as long as strong coupling at %g ms, the same or not.\n",
               1e3 * of->paper_weak_step, all->paper_ratio, 1e3 * of->step);
    printf("Gissler et al. 2019: %g times (%g ms against %g ms), %g s per frame on 16 cores.\n", of->paper_gain,
           1e3 * of->step, 1e3 * of->paper_weak_step, of->paper_frame);
    (void)fflush(stdout);
}

// ---- plots

static frz_status make_folder(const char *folder, frz_diag *diag)
{
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return FRZ_OK;
    snprintf(diag->message, sizeof diag->message, "cannot make the folder '%.100s' for plots", folder);
    return diag->status = FRZ_ERR_FILE;
}

static const coupling_run *find_run(const coupling_series *all, const char *coupling, double step, bool same)
{
    for (int k = 1; k < all->count; ++k)
    {
        const coupling_run *r = &all->runs[k];
        if (strcmp(r->coupling, coupling) == 0 && (same ? r->verdict == NULL : r->step == step))
            return r;
    }
    return NULL;
}

frz_status coupling_plot_force(const char *folder, const coupling_series *all, frz_diag *diag)
{
    char path[512], title[128], label[3][64];
    frz_plot_series series[3];
    int count = 0;
    if (make_folder(folder, diag) != FRZ_OK)
        return diag->status;
    const coupling_run *chosen[3] = {find_run(all, "strong", all->of->step, false),
                                     find_run(all, "weak", all->of->step, false), find_run(all, "weak", 0.0, true)};
    for (int k = 0; k < 3; ++k)
    {
        const coupling_run *r = chosen[k];
        if (r == NULL || (k == 2 && r == chosen[1]) || r->track.count < 2)
            continue;
        snprintf(label[count], sizeof label[count], "%s, %.3g ms", r->coupling, 1e3 * r->step);
        series[count] = (frz_plot_series){label[count], r->track.time, r->track.force, r->track.count, false};
        ++count;
    }
    snprintf(path, sizeof path, "%s/coupling_force_%s_%s.svg", folder, all->of->name, all->rule->name);
    snprintf(title, sizeof title, "%s: push of the liquid", all->of->name);
    const frz_plot plot = {title, "time [s]",
                           all->of->way == COUPLING_TURN ? "torque about the shaft [N m]" : "upward force [N]", series,
                           count};
    return frz_plot_write(path, &plot, diag);
}

frz_status coupling_plot_sweep(const char *folder, const double *ratio, const double *gain, int count, frz_diag *diag)
{
    char path[512];
    double x[16], y[16];
    int found = 0;
    if (make_folder(folder, diag) != FRZ_OK)
        return diag->status;
    for (int k = 0; k < count && k < 16; ++k)
        if (gain[k] > 0.0)
        {
            x[found] = log10(ratio[k]);
            y[found++] = gain[k];
        }
    const frz_plot_series series[2] = {{"strong over weak, same rise", x, y, found, false}, {"", x, y, found, true}};
    const frz_plot plot = {"Gain of strong coupling", "log10 of the body's density over the liquid's",
                           "processor time of weak over that of strong coupling", series, 2};
    snprintf(path, sizeof path, "%s/coupling_gain.svg", folder);
    return frz_plot_write(path, &plot, diag);
}
