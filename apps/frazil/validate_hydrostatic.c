// SPDX-License-Identifier: MIT
// Water at rest: p = rho g (H - y). The profile is the time average over the last half second, in bins one spacing high.
#include <math.h>
#include <string.h>

#include "validation.h"

enum
{
    bin_max = 512
};

typedef struct profile
{
    double bin; // m
    int samples;
    double pressure[bin_max], height[bin_max], number[bin_max];
} profile;

static void add_profile(const frz_sim *sim, void *user)
{
    profile *p = user;
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_LIQUID);
    const frz_field_view pressure = frz_sim_field(sim, "pressure", FRZ_SEGMENT_LIQUID);
    for (int64_t i = 0; i < position.count; ++i)
    {
        const double y = frz_field_value(&position, i, 1);
        const int b = (int)(y / p->bin);
        if (b < 0 || b >= bin_max)
            continue;
        p->pressure[b] += frz_field_value(&pressure, i, 0);
        p->height[b] += y;
        p->number[b] += 1.0;
    }
    p->samples += 1;
}

frz_status validate_hydrostatic(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double depth = 1.0, width = 0.6, density = 1000.0, gravity = 9.81; // as in the scene
    frz_sim *sim = NULL;
    profile p;
    memset(&p, 0, sizeof p);
    frz_status status = case_sim(context, "hydrostatic", &sim, diag);
    frz_sim_report report;
    frz_stats stats;
    if (status == FRZ_OK)
    {
        frz_sim_report_get(sim, &report);
        p.bin = report.spacing;
        status = case_advance(context, sim, 2.5, 0.1, NULL, NULL, diag);
    }
    if (status == FRZ_OK)
        status = case_advance(context, sim, 3.0, 0.01, add_profile, &p, diag);
    if (status == FRZ_OK)
    {
        frz_sim_stats(sim, &stats);
        // layers that hold at least half their particles, without the free surface's two
        double y[bin_max], value[bin_max], exact[bin_max];
        int count = 0;
        const double full = width / report.spacing * p.samples;
        for (int b = 0; b < (int)(depth / p.bin) - 2 && b < bin_max; ++b)
        {
            if (p.number[b] < 0.5 * full)
                continue;
            y[count] = p.height[b] / p.number[b];
            value[count] = p.pressure[b] / p.number[b];
            exact[count] = density * gravity * (depth - y[count]);
            count += 1;
        }
        double bottom, slope;
        const double fit = case_fit_line(y, value, count, &bottom, &slope);
        const double head = density * gravity * depth;
        case_figure(result, "bottom_pressure_Pa", bottom, head, head, 0.01);
        case_figure(result, "pressure_gradient_Pa_per_m", slope, -density * gravity, density * gravity, 0.01);
        case_figure(result, "linearity_r2", fit, 1.0, 1.0, 0.001);
        case_limit(result, "kinetic_over_potential_energy", stats.kinetic_energy / (head * width * depth), 1e-4);
        const frz_plot_series series[2] = {{"measured", y, value, count, true},
                                           {"rho g (H - y)", y, exact, count, false}};
        const frz_plot plot = {"Hydrostatic pressure", "height [m]", "pressure [Pa]", series, 2};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}
