// SPDX-License-Identifier: MIT
// Functions common to the validation cases.
#include "validate/validation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/solid_probe.h"

frz_status case_sim(const case_context *context, const char *scene_name, case_result *result, frz_sim **out,
                    frz_diag *diag)
{
    return case_sim_with(context, scene_name, NULL, result, out, diag);
}

frz_status case_sim_with(const case_context *context, const char *scene_name, const char *const *settings,
                         case_result *result, frz_sim **out, frz_diag *diag)
{
    frz_scene *scene = NULL;
    frz_status status = frz_scene_builtin(scene_name, &scene, diag);
    for (; status == FRZ_OK && settings != NULL && settings[0] != NULL; settings += 2)
        status = frz_scene_set(scene, settings[0], settings[1], diag);
    settings = context->settings;
    for (; status == FRZ_OK && settings != NULL && settings[0] != NULL; settings += 2)
        status = frz_scene_set(scene, settings[0], settings[1], diag);
    if (status == FRZ_OK && context->pressure != NULL)
        status = frz_scene_set(scene, "pressure", context->pressure, diag);
    if (status == FRZ_OK && context->boundary != NULL)
        status = frz_scene_set(scene, "boundary", context->boundary, diag);
    if (status == FRZ_OK && context->resolution != 1.0)
    {
        frz_sim_report report;
        frz_sim *probe = NULL;
        frz_sim_def def = frz_sim_def_default();
        status = frz_sim_create(scene, &def, &probe, diag);
        if (status == FRZ_OK)
        {
            char value[64];
            frz_sim_report_get(probe, &report);
            snprintf(value, sizeof value, "%.17g", report.spacing / context->resolution);
            status = frz_scene_set(scene, "spacing", value, diag);
        }
        frz_sim_destroy(&probe);
    }
    frz_sim_def def = frz_sim_def_default();
    def.threads = context->threads;
    if (status == FRZ_OK)
        status = frz_sim_create(scene, &def, out, diag);
    if (status == FRZ_OK)
    {
        frz_sim_report report;
        frz_sim_report_get(*out, &report);
        snprintf(result->pressure, sizeof result->pressure, "%s", report.pressure);
    }
    frz_scene_destroy(&scene);
    return status;
}

// ---- energy

enum
{
    watched_steps = 10 // one in so many
};

// The program runs one case at a time.
static struct
{
    int simulations;
    double worst;
} watched;

void case_watch_begin(void)
{
    watched.simulations = 0;
    watched.worst = 0.0;
}

void case_watch_end(case_result *result)
{
    if (watched.simulations > 0)
        case_tell(result, "energy_made_over_allowed", watched.worst);
}

static void watch(frz_sim *sim)
{
    frz_audit audit;
    frz_diag ignored = {.status = FRZ_OK};
    if (frz_sim_audit(sim, &audit, &ignored) != FRZ_OK || audit.driver[0] != '\0')
        return;
    watched.simulations += 1;
    watched.worst = audit.worst > watched.worst ? audit.worst : watched.worst;
}

frz_status case_advance(const case_context *context, frz_sim *sim, double until, double interval, measure_fn *measure,
                        void *user, frz_diag *diag)
{
    const double from = frz_sim_time(sim);
    const int intervals = (int)ceil((until - from) / interval - 1e-9);
    for (int k = 1; k <= intervals; ++k)
    {
        const frz_status status = frz_sim_advance(sim, from + (until - from) * k / intervals, diag);
        if (status != FRZ_OK)
            return status;
        watch(sim);
        if (measure != NULL)
            measure(sim, user);
        if (context->progress != NULL)
            context->progress(context->name, (double)k / intervals);
    }
    return FRZ_OK;
}

frz_status case_advance_audited(const case_context *context, frz_sim *sim, double until, double end,
                                case_energies *most, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    while (status == FRZ_OK && frz_sim_time(sim) < until * (1.0 - 1e-9))
    {
        status = frz_sim_step(sim, until - frz_sim_time(sim), diag);
        if (status == FRZ_OK)
            status = frz_sim_audit(sim, &most->last, diag);
        if (status != FRZ_OK)
            return status;
        most->made = fmax(most->made, most->last.made);
        most->kinetic = fmax(most->kinetic, most->last.energies.kinetic);
        most->elastic = fmax(most->elastic, most->last.energies.elastic);
        if (context->progress != NULL)
            context->progress(context->name, frz_sim_time(sim) / end);
    }
    return status;
}

frz_status case_advance_steps(const case_context *context, frz_sim *sim, double until, measure_fn *measure, void *user,
                              frz_diag *diag)
{
    const double from = frz_sim_time(sim), sliver = 1e-9 * (until - from);
    while (frz_sim_time(sim) < until - sliver)
    {
        const frz_status status = frz_sim_step(sim, until - frz_sim_time(sim), diag);
        if (status != FRZ_OK)
            return status;
        if (frz_sim_step_count(sim) % watched_steps == 0)
            watch(sim);
        measure(sim, user);
        if (context->progress != NULL)
            context->progress(context->name, (frz_sim_time(sim) - from) / (until - from));
    }
    return FRZ_OK;
}

frz_status case_order_in_time(const case_context *context, const char *scene, double step, double until,
                              case_result *result, double *order, frz_diag *diag)
{
    static solid_places places[3];
    for (int k = 0; k < 3; ++k)
    {
        char text[32];
        frz_sim *sim = NULL;
        snprintf(text, sizeof text, "%.9g", step / (1 << k));
        const char *const settings[] = {"time_step", text, NULL};
        frz_status status = case_sim_with(context, scene, settings, result, &sim, diag);
        if (status == FRZ_OK)
            status = frz_sim_advance(sim, until, diag);
        if (status == FRZ_OK)
            solid_places_take(sim, &places[k]);
        frz_sim_destroy(&sim);
        if (status != FRZ_OK)
            return status;
    }
    *order = log2(solid_places_distance(&places[0], &places[1]) / solid_places_distance(&places[1], &places[2]));
    return FRZ_OK;
}

static figure *next_figure(case_result *result, const char *name)
{
    figure *f = &result->figures[result->figure_count < figure_max - 1 ? result->figure_count++ : figure_max - 1];
    snprintf(f->name, sizeof f->name, "%s", name);
    return f;
}

void case_figure(case_result *result, const char *name, double value, double reference, double scale, double gate)
{
    figure *f = next_figure(result, name);
    f->value = value;
    f->reference = reference;
    f->error = fabs(value - reference) / fabs(scale);
    f->gate = gate;
    f->passed = f->error <= gate;
}

void case_limit(case_result *result, const char *name, double value, double gate)
{
    figure *f = next_figure(result, name);
    f->value = value;
    f->reference = 0.0;
    f->error = fabs(value);
    f->gate = gate;
    f->passed = f->error <= gate;
}

void case_tell(case_result *result, const char *name, double value)
{
    figure *f = next_figure(result, name);
    f->value = value;
    f->reference = f->error = NAN;
    f->gate = HUGE_VAL;
    f->passed = true;
}

double case_profile_error(const frz_sim *sim, profile_fn *exact, const void *user)
{
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view velocity = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
    double difference = 0.0, size = 0.0;
    for (int64_t i = 0; i < position.count; ++i)
    {
        const double u = exact(frz_field_value(&position, i, 1), user);
        const double d = frz_field_value(&velocity, i, 0) - u;
        difference += d * d;
        size += u * u;
    }
    return size > 0.0 ? sqrt(difference / size) : NAN;
}

void case_take_profile(const frz_sim *sim, case_profile *profile)
{
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view velocity = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
    profile->count = 0;
    for (int64_t i = 0; i < position.count && profile->count < profile_max; ++i)
    {
        profile->y[profile->count] = frz_field_value(&position, i, 1);
        profile->u[profile->count] = frz_field_value(&velocity, i, 0);
        profile->count += 1;
    }
}

frz_status case_plot(const case_context *context, case_result *result, const frz_plot *plot, frz_diag *diag)
{
    if (context->directory == NULL)
        return FRZ_OK;
    snprintf(result->plot, sizeof result->plot, "%s/%s.svg", context->directory, context->name);
    return frz_plot_write(result->plot, plot, diag);
}

double case_fit_line(const double *x, const double *y, int count, double *a, double *b)
{
    double sx = 0.0, sy = 0.0;
    for (int i = 0; i < count; ++i)
    {
        sx += x[i];
        sy += y[i];
    }
    const double mx = sx / count, my = sy / count;
    double sxx = 0.0, sxy = 0.0, syy = 0.0;
    for (int i = 0; i < count; ++i)
    {
        sxx += (x[i] - mx) * (x[i] - mx);
        sxy += (x[i] - mx) * (y[i] - my);
        syy += (y[i] - my) * (y[i] - my);
    }
    *b = sxx > 0.0 ? sxy / sxx : 0.0;
    *a = my - *b * mx;
    return sxx > 0.0 && syy > 0.0 ? sxy * sxy / (sxx * syy) : 0.0;
}
