// SPDX-License-Identifier: MIT
// The beam of Turek & Hron 2006 without a flow: 0.35 m x 0.02 m, clamped, under gravity, St. Venant-Kirchhoff in plane
// strain. CSM1 and CSM2: at rest, soft and stiff; CSM3: released from the straight state, without damping. The tip is
// the middle of the free end. Reference: finite elements on fine meshes, from the authors' page.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solid_probe.h"
#include "validation.h"

static const double length = 0.35, thickness = 0.02; // m
static const double clamp_layers = 4.0;              // of particles behind the clamp; the kernel reaches over two

// The sagging tip of CSM3 in mm, every 0.04 s: the authors' curve (level of refinement 4 + 0, step 5 ms).
static const double csm3_step = 0.04;
static const double csm3_curve[] = {
    0.00,    -1.49,   -7.89,   -20.54, -36.18, -52.04,  -69.42,  -88.09,  -103.93, -115.09, -123.60, -129.16, -128.68,
    -122.50, -113.50, -101.65, -85.40, -66.68, -49.31,  -33.63,  -18.49,  -6.47,   -0.78,   -0.09,   -2.29,   -9.39,
    -22.75,  -38.78,  -54.71,  -72.20, -90.80, -106.04, -116.61, -124.69, -129.43, -128.09, -121.37, -111.74, -99.27,
    -82.75,  -63.88,  -46.55,  -31.21, -16.53, -5.08,   -0.22,   -0.33,   -3.16,   -10.99,  -25.07,  -41.37};

enum
{
    curve_count = sizeof csm3_curve / sizeof *csm3_curve
};

// The beam with so many particles through its thickness; damping in 1/s.
static frz_status make_beam(const case_context *context, int particles, double young, double damping,
                            case_result *result, frz_sim **sim, frz_diag *diag)
{
    char spacing[32], corner[64], modulus[32], rate[32];
    const double s = thickness / particles;
    case_context plain = *context;
    plain.resolution = 1.0;
    snprintf(spacing, sizeof spacing, "%.9g", s);
    snprintf(corner, sizeof corner, "[%.9g, %.9g]", -clamp_layers * s, -0.5 * thickness);
    snprintf(modulus, sizeof modulus, "%.9g", young);
    snprintf(rate, sizeof rate, "%.9g", damping);
    const char *const settings[] = {"spacing",
                                    spacing,
                                    "bodies.beam.shape.box.min",
                                    corner,
                                    "materials.rubber.elastic.young",
                                    modulus,
                                    "materials.rubber.elastic.damping",
                                    rate,
                                    NULL};
    return case_sim_with(&plain, "csm", settings, result, sim, diag);
}

static solid_point tip_of(const frz_sim *sim)
{
    frz_sim_report report;
    frz_sim_report_get(sim, &report);
    const double place[3] = {length, 0.0, 0.0}, inward[3] = {-report.spacing, 0.0, 0.0};
    return solid_point_at(sim, place, inward);
}

// Deflection of the tip at rest: damped until it stands.
static frz_status sag(const case_context *context, int particles, double young, double damping, double until,
                      case_result *result, double tip[3], frz_diag *diag)
{
    frz_sim *sim = NULL;
    frz_status status = make_beam(context, particles, young, damping, result, &sim, diag);
    if (status == FRZ_OK)
    {
        const solid_point point = tip_of(sim);
        status = case_advance(context, sim, until, 0.02 * until, NULL, NULL, diag);
        if (status == FRZ_OK)
            solid_point_displacement(sim, &point, tip);
    }
    frz_sim_destroy(&sim);
    return status;
}

static int particles_through(const case_context *context, int shipped)
{
    return (int)floor(shipped * context->resolution + 0.5);
}

frz_status validate_csm1(const case_context *context, case_result *result, frz_diag *diag)
{
    static const int shipped[3] = {4, 6, 9}; // a ratio of 3/2 each
    double tip[3][3];
    for (int k = 0; k < 3; ++k)
    {
        // near critical: the first mode has 6.9 rad/s
        const frz_status status =
            sag(context, particles_through(context, shipped[k]), 1.4e6, 13.0, 1.4, result, tip[k], diag);
        if (status != FRZ_OK)
            return status;
    }
    case_figure(result, "tip_x_m", tip[2][0], -7.188e-3, 7.188e-3, 0.03);
    case_figure(result, "tip_y_m", tip[2][1], -66.10e-3, 66.10e-3, 0.03);
    snprintf(result->note, sizeof result->note,
             "tip_y with %d, %d, %d particles through the thickness: %.3f, %.3f, %.3f mm; observed order %.2f",
             particles_through(context, shipped[0]), particles_through(context, shipped[1]),
             particles_through(context, shipped[2]), 1e3 * tip[0][1], 1e3 * tip[1][1], 1e3 * tip[2][1],
             solid_order(tip[0][1], tip[1][1], tip[2][1], 1.5));
    return FRZ_OK;
}

frz_status validate_csm2(const case_context *context, case_result *result, frz_diag *diag)
{
    double tip[3];
    const frz_status status = sag(context, particles_through(context, 9), 5.6e6, 26.0, 0.7, result, tip, diag);
    if (status != FRZ_OK)
        return status;
    case_figure(result, "tip_x_m", tip[0], -0.4690e-3, 0.4690e-3, 0.03);
    case_figure(result, "tip_y_m", tip[1], -16.974e-3, 16.974e-3, 0.03);
    snprintf(result->note, sizeof result->note, "%d particles through the thickness", particles_through(context, 9));
    return FRZ_OK;
}

frz_status validate_csm3(const case_context *context, case_result *result, frz_diag *diag)
{
    static solid_track track;
    frz_sim *sim = NULL;
    frz_status status = make_beam(context, particles_through(context, 9), 1.4e6, 0.0, result, &sim, diag);
    if (status == FRZ_OK)
    {
        track.point = tip_of(sim);
        track.axis = 1;
        track.count = 0;
        solid_track_add(sim, &track);
        status = case_advance(context, sim, 2.0, 0.005, solid_track_add, &track, diag);
    }
    if (status == FRZ_OK)
    {
        const double low = solid_track_min(&track), high = solid_track_max(&track), middle = 0.5 * (low + high);
        const double period = solid_track_period(&track, middle);
        static double t[curve_count], u[curve_count];
        for (int k = 0; k < curve_count; ++k)
        {
            t[k] = csm3_step * k;
            u[k] = 1e-3 * csm3_curve[k];
        }
        case_figure(result, "mean_y_m", middle, -64.09e-3, 64.09e-3, 0.05);
        case_figure(result, "amplitude_y_m", 0.5 * (high - low), 65.64e-3, 65.64e-3, 0.05);
        case_figure(result, "frequency_hz", period > 0.0 ? 1.0 / period : 0.0, 1.094, 1.094, 0.02);
        const frz_plot_series series[2] = {{"measured", track.t, track.u, track.count, false},
                                           {"Turek & Hron 2006", t, u, curve_count, true}};
        const frz_plot plot = {"CSM3: tip of the swinging beam", "time [s]", "displacement y [m]", series, 2};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}
