// SPDX-License-Identifier: MIT
// Two liquids in a tank end up in the order of their densities, with a flat interface and the volumes they had.
//
// One run starts with the liquids side by side (density ratio 10), the other at rest upon each other (ratio 100).
// Volumes come from centres of mass: a layer from 0 to h has its centre at h / 2, the next one at h + h' / 2.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

static const double width = 0.6, volume = 0.12; // m and m^2 of each liquid, as in the scenes

enum
{
    column_count = 20,
    sample_max = 512
};

typedef struct layers
{
    double interface_height; // from the centre of the heavy liquid
    double heavy_volume, light_volume;
    double roughness; // root mean square of the interface's height over columns, against its mean
    double astray;    // share of all particles on the wrong side by more than two spacings
} layers;

typedef struct history
{
    int count;
    double t[sample_max], heavy[sample_max], light[sample_max];
} history;

static layers measure(const frz_sim *sim)
{
    frz_sim_report report;
    frz_sim_report_get(sim, &report);
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view body = frz_sim_field(sim, "body", FRZ_SEGMENT_FREE);
    double sum[2] = {0.0, 0.0}, number[2] = {0.0, 0.0}, column[column_count] = {0.0};
    for (int64_t i = 0; i < position.count; ++i)
    {
        const int liquid = frz_field_value(&body, i, 0) > 0.5 ? 1 : 0; // bodies: heavy, light, tank
        sum[liquid] += frz_field_value(&position, i, 1);
        number[liquid] += 1.0;
        const int c = (int)(frz_field_value(&position, i, 0) / width * column_count);
        if (liquid == 0 && c >= 0 && c < column_count)
            column[c] += report.spacing * report.spacing * column_count / width;
    }
    layers l = {0};
    l.interface_height = 2.0 * sum[0] / number[0];
    l.heavy_volume = l.interface_height * width;
    l.light_volume = 2.0 * (sum[1] / number[1] - l.interface_height) * width;
    for (int c = 0; c < column_count; ++c)
        l.roughness += pow(column[c] - volume / width, 2.0) / column_count;
    l.roughness = sqrt(l.roughness);
    for (int64_t i = 0; i < position.count; ++i)
    {
        const double above = frz_field_value(&position, i, 1) - volume / width;
        const bool light = frz_field_value(&body, i, 0) > 0.5;
        if ((light ? -above : above) > 2.0 * report.spacing)
            l.astray += 1.0 / (double)position.count;
    }
    return l;
}

static void add_sample(const frz_sim *sim, void *user)
{
    history *h = user;
    const layers l = measure(sim);
    if (h->count == sample_max)
        return;
    h->t[h->count] = frz_sim_time(sim);
    h->heavy[h->count] = l.heavy_volume / volume;
    h->light[h->count] = l.light_volume / volume;
    h->count += 1;
}

static frz_status run(const case_context *context, const char *scene, double until, const char *prefix,
                      case_result *result, history *h, frz_diag *diag)
{
    frz_sim *sim = NULL;
    frz_status status = case_sim(context, scene, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, until, 0.1, add_sample, h, diag);
    if (status == FRZ_OK)
    {
        const layers l = measure(sim);
        frz_sim_report report;
        frz_sim_report_get(sim, &report);
        char name[64];
        snprintf(name, sizeof name, "%s_heavy_volume", prefix);
        case_figure(result, name, l.heavy_volume / volume, 1.0, 1.0, 0.01);
        snprintf(name, sizeof name, "%s_light_volume", prefix);
        case_figure(result, name, l.light_volume / volume, 1.0, 1.0, 0.01);
        snprintf(name, sizeof name, "%s_interface_roughness_spacings", prefix);
        case_limit(result, name, l.roughness / report.spacing, 1.0);
        snprintf(name, sizeof name, "%s_share_astray", prefix);
        case_limit(result, name, l.astray, 0.001);
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_two_liquids(const case_context *context, case_result *result, frz_diag *diag)
{
    static history h, rest;
    memset(&h, 0, sizeof h);
    memset(&rest, 0, sizeof rest);
    frz_status status = run(context, "two_liquids", 16.0, "ratio_10", result, &h, diag);
    if (status == FRZ_OK)
        status = run(context, "two_liquids_100", 2.0, "ratio_100", result, &rest, diag);
    if (status != FRZ_OK)
        return status;
    const frz_plot_series series[4] = {{"heavy, ratio 10", h.t, h.heavy, h.count, false},
                                       {"light, ratio 10", h.t, h.light, h.count, false},
                                       {"heavy, ratio 100", rest.t, rest.heavy, rest.count, false},
                                       {"light, ratio 100", rest.t, rest.light, rest.count, false}};
    const frz_plot plot = {"Two liquids", "time [s]", "volume by centre of mass / volume", series, 4};
    return case_plot(context, result, &plot, diag);
}
