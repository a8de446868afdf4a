// SPDX-License-Identifier: MIT
// Water at rest: p = rho g (H - y). The profile is the time average over the last second, in bins one spacing high.
// Every step counts, by its length: the pressure of a step holds the water up and corrects errors of the step before,
// and only the mean of both must carry the weight. The weights of the average rise and fall smoothly (Hann window):
// with a compressible method the column rings, and a window with sharp edges would take part of a period for a mean.
// Reported, not judged: the scatter of the pressures of single particles in single steps about rho g (H - y), inside
// and in the layer along the walls, and the iterations of the solver.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

enum
{
    bin_max = 512
};

static const double depth = 1.0, width = 0.6, density = 1000.0, gravity = 9.81; // as in the scene

enum
{
    inside,
    at_walls,
    place_count
};

typedef struct profile
{
    double bin;         // m
    double from, until; // s
    double samples;     // sum of their weights
    double pressure[bin_max], height[bin_max], number[bin_max];
    double scatter[place_count], scattered[place_count]; // sums of squares, and their weights
    double iterations;
} profile;

static void add_scatter(profile *p, double x, double y, double pressure, double weight)
{
    if (y > depth - 2.0 * p->bin)
        return; // the free surface
    const int place = x < p->bin || x > width - p->bin || y < p->bin ? at_walls : inside;
    const double difference = pressure - density * gravity * (depth - y);
    p->scatter[place] += weight * difference * difference;
    p->scattered[place] += weight;
}

static void add_profile(const frz_sim *sim, void *user)
{
    profile *p = user;
    const double phase = (frz_sim_time(sim) - p->from) / (p->until - p->from);
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    const double weight = stats.dt * (1.0 - cos(2.0 * M_PI * phase));
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view pressure = frz_sim_field(sim, "pressure", FRZ_SEGMENT_FREE);
    for (int64_t i = 0; i < position.count; ++i)
    {
        const double y = frz_field_value(&position, i, 1);
        add_scatter(p, frz_field_value(&position, i, 0), y, frz_field_value(&pressure, i, 0), weight);
        const int b = (int)(y / p->bin);
        if (b < 0 || b >= bin_max)
            continue;
        p->pressure[b] += weight * frz_field_value(&pressure, i, 0);
        p->height[b] += weight * y;
        p->number[b] += weight;
    }
    p->iterations += weight * (stats.divergence_iterations + stats.density_iterations);
    p->samples += weight;
}

frz_status validate_hydrostatic(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    profile p;
    memset(&p, 0, sizeof p);
    p.from = 2.0;
    p.until = 3.0;
    frz_status status = case_sim(context, "hydrostatic", result, &sim, diag);
    frz_sim_report report;
    frz_stats stats;
    if (status == FRZ_OK)
    {
        frz_sim_report_get(sim, &report);
        p.bin = report.spacing;
        status = case_advance(context, sim, p.from, 0.1, NULL, NULL, diag);
    }
    if (status == FRZ_OK)
        status = case_advance_steps(context, sim, p.until, add_profile, &p, diag);
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
        snprintf(
            result->note, sizeof result->note,
            "Scatter of single pressures: %.2g %% of the bottom's inside, %.2g %% along the walls; %.3g iterations "
            "per step.",
            100.0 / head * sqrt(p.scatter[inside] / p.scattered[inside]),
            100.0 / head * sqrt(p.scatter[at_walls] / p.scattered[at_walls]), p.iterations / p.samples);
        const frz_plot_series series[2] = {{"measured", y, value, count, true},
                                           {"rho g (H - y)", y, exact, count, false}};
        const frz_plot plot = {"Hydrostatic pressure", "height [m]", "pressure [Pa]", series, 2};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}
