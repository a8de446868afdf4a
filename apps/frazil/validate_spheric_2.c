// SPDX-License-Identifier: MIT
// SPHERIC test case 2: a dam break against a box. Pressure at the sensors P1 and P3 on the front of the box.
//
// Experiment: Kleefsman et al. 2005, doi:10.1016/j.jcp.2004.12.007, with the data distributed as SPHERIC test 2.
// Peaks are compared as means over 10 ms: a single sample of a sensor or of a particle is chance. The sensors are read half a
// spacing before the box.
#include <math.h>
#include <string.h>

#include "validation.h"

enum
{
    sample_max = 2048,
    window = 10 // samples, 10 ms
};

// sensor P1, means over 10 ms around each time
static const double measured_t[] = {0.38, 0.39, 0.40, 0.41, 0.42, 0.43, 0.44, 0.45, 0.46, 0.47, 0.48, 0.50, 0.52, 0.55};
static const double measured_p[] = {0.0,    0.0,    5600.0, 9700.0, 10000.0, 9200.0, 8550.0,
                                    8150.0, 7800.0, 7400.0, 7000.0, 6550.0,  6480.0, 5760.0};
// the pressure passes a quarter of its peak (11.24 kPa) at this time, s; highest mean over 10 ms of P1 and P3, Pa
static const double measured_arrival = 0.3945, measured_peak_1 = 10100.0, measured_peak_3 = 6450.0;
static const double quarter_of_peak = 2810.0; // Pa

typedef struct record
{
    int count;
    double standoff; // of the reading from the box, m
    double t[sample_max], p1[sample_max], p3[sample_max];
} record;

static void add_sample(const frz_sim *sim, void *user)
{
    record *r = user;
    if (r->count == sample_max)
        return;
    const double x = 0.8245 + r->standoff, z = 0.4752; // 26 mm beside the middle of the box, as in the experiment
    const double at_1[3] = {x, 0.021, z}, at_3[3] = {x, 0.101, z};
    r->t[r->count] = frz_sim_time(sim);
    frz_sim_probe(sim, at_1, &r->p1[r->count], NULL, NULL);
    frz_sim_probe(sim, at_3, &r->p3[r->count], NULL, NULL);
    r->count += 1;
}

static void smooth(const double *p, int count, double *out)
{
    for (int k = 0; k < count; ++k)
    {
        const int from = k - window / 2 < 0 ? 0 : k - window / 2, to = k + window / 2 > count ? count : k + window / 2;
        double sum = 0.0;
        for (int n = from; n < to; ++n)
            sum += p[n];
        out[k] = sum / (to - from);
    }
}

static double highest(const double *p, int count)
{
    double most = 0.0;
    for (int k = 0; k < count; ++k)
        most = fmax(most, p[k]);
    return most;
}

static double arrival(const record *r)
{
    for (int k = 0; k < r->count; ++k)
        if (r->p1[k] > quarter_of_peak)
            return r->t[k];
    return 0.0;
}

frz_status validate_spheric_2(const case_context *context, case_result *result, frz_diag *diag)
{
    static record r;
    static double p1[sample_max], p3[sample_max];
    memset(&r, 0, sizeof r);
    frz_sim *sim = NULL;
    frz_status status = case_sim(context, "spheric_2", result, &sim, diag);
    if (status == FRZ_OK)
    {
        frz_sim_report report;
        frz_sim_report_get(sim, &report);
        r.standoff = 0.5 * report.spacing;
        status = case_advance(context, sim, 0.6, 0.001, add_sample, &r, diag);
    }
    frz_sim_destroy(&sim);
    if (status != FRZ_OK)
        return status;
    smooth(r.p1, r.count, p1);
    smooth(r.p3, r.count, p3);
    case_figure(result, "arrival_at_p1_s", arrival(&r), measured_arrival, measured_arrival, 0.05);
    case_figure(result, "peak_p1_pa", highest(p1, r.count), measured_peak_1, measured_peak_1, 0.25);
    case_figure(result, "peak_p3_pa", highest(p3, r.count), measured_peak_3, measured_peak_3, 0.25);
    const frz_plot_series series[3] = {
        {"P1, mean over 10 ms", r.t, p1, r.count, false},
        {"P3, mean over 10 ms", r.t, p3, r.count, false},
        {"P1, experiment", measured_t, measured_p, sizeof measured_t / sizeof *measured_t, true}};
    const frz_plot plot = {"Dam break against a box", "time [s]", "pressure [Pa]", series, 3};
    return case_plot(context, result, &plot, diag);
}
