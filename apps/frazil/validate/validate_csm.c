// SPDX-License-Identifier: MIT
// The beam of Turek & Hron 2006 without a flow: 0.35 m x 0.02 m, clamped, under gravity, St. Venant-Kirchhoff in plane
// strain. CSM1 and CSM2: at rest, soft and stiff; CSM3: released from the straight state, without damping. The tip is
// the middle of the free end. Reference: finite elements on fine meshes, from the authors' page.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/solid_probe.h"
#include "validate/validation.h"

static const double length = 0.35, thickness = 0.02; // m
static const double clamp_layers = 4.0;              // of particles behind the clamp; bonds reach over one

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

// The beam with so many particles through its thickness, an odd number: then a layer of particles lies in the plane of
// the clamp, which holds it, and the length is whole. damping in 1/s.
static frz_status make_beam(const case_context *context, int particles, double young, double damping,
                            case_result *result, frz_sim **sim, frz_diag *diag)
{
    char spacing[32], corner[64], clamp[96], modulus[32], rate[32];
    const double s = thickness / particles;
    case_context plain = *context;
    plain.resolution = 1.0;
    snprintf(spacing, sizeof spacing, "%.9g", s);
    snprintf(corner, sizeof corner, "[%.9g, %.9g]", -(clamp_layers + 0.5) * s, -0.5 * thickness);
    snprintf(clamp, sizeof clamp, "{box: {min: [-0.1, -0.1], max: [%.9g, 0.1]}}", 0.25 * s);
    snprintf(modulus, sizeof modulus, "%.9g", young);
    snprintf(rate, sizeof rate, "%.9g", damping);
    const char *const settings[] = {"spacing",
                                    spacing,
                                    "bodies.beam.shape.box.min",
                                    corner,
                                    "attachments.clamp.shape",
                                    clamp,
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

// Deflection of the tip at rest, after damped motion.
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
    return 2 * (int)floor(0.5 * shipped * context->resolution) + 1; // odd
}

static const int levels[] = {5, 7, 9}; // particles through the thickness

enum
{
    level_count = sizeof levels / sizeof levels[0]
};

// The tip at rest at all levels, the finest one judged, and its convergence to the reference.
static frz_status judge_sag(const case_context *context, double young, double damping, double until, double tip_x,
                            double tip_y, case_result *result, frz_diag *diag)
{
    double tip[level_count][3], spacing[level_count], error[level_count];
    for (int k = 0; k < level_count; ++k)
    {
        const int particles = particles_through(context, levels[k]);
        const frz_status status = sag(context, particles, young, damping, until, result, tip[k], diag);
        if (status != FRZ_OK)
            return status;
        spacing[k] = thickness / particles;
        error[k] = tip[k][1] - tip_y;
    }
    case_figure(result, "tip_x_m", tip[level_count - 1][0], tip_x, tip_x, 0.03);
    case_figure(result, "tip_y_m", tip[level_count - 1][1], tip_y, tip_y, 0.03);
    case_tell(result, "order_in_space_tip_y", solid_order_of(spacing, error, level_count));
    snprintf(result->note, sizeof result->note,
             "tip_y with %d, %d, %d particles through the thickness: %.3f, %.3f, %.3f mm",
             particles_through(context, levels[0]), particles_through(context, levels[1]),
             particles_through(context, levels[2]), 1e3 * tip[0][1], 1e3 * tip[1][1], 1e3 * tip[2][1]);
    return FRZ_OK;
}

// Damped near critically: the first mode has 6.9 rad/s, and twice that with four times the modulus.
frz_status validate_csm1(const case_context *context, case_result *result, frz_diag *diag)
{
    return judge_sag(context, 1.4e6, 13.0, 1.4, -7.188e-3, -66.10e-3, result, diag);
}

frz_status validate_csm2(const case_context *context, case_result *result, frz_diag *diag)
{
    return judge_sag(context, 5.6e6, 26.0, 0.7, -0.4690e-3, -16.974e-3, result, diag);
}

static frz_status swing(const case_context *context, int particles, solid_track *track, case_result *result,
                        frz_diag *diag)
{
    frz_sim *sim = NULL;
    frz_status status = make_beam(context, particles, 1.4e6, 0.0, result, &sim, diag);
    if (status == FRZ_OK)
    {
        track->point = tip_of(sim);
        track->axis = 1;
        track->count = 0;
        solid_track_add(sim, track);
        status = case_advance(context, sim, 2.0, 0.005, solid_track_add, track, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_csm3(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double amplitude = 65.64e-3; // m
    static solid_track track;
    static double t[curve_count], u[curve_count];
    double spacing[level_count], error[level_count], low = 0.0, high = 0.0;
    for (int k = 0; k < level_count; ++k)
    {
        const int particles = particles_through(context, levels[k]);
        const frz_status status = swing(context, particles, &track, result, diag);
        if (status != FRZ_OK)
            return status;
        low = solid_track_min(&track);
        high = solid_track_max(&track);
        spacing[k] = thickness / particles;
        error[k] = 0.5 * (high - low) - amplitude;
    }
    const double middle = 0.5 * (low + high), period = solid_track_period(&track, middle);
    for (int k = 0; k < curve_count; ++k)
    {
        t[k] = csm3_step * k;
        u[k] = 1e-3 * csm3_curve[k];
    }
    case_figure(result, "mean_y_m", middle, -64.09e-3, 64.09e-3, 0.05);
    case_figure(result, "amplitude_y_m", 0.5 * (high - low), amplitude, amplitude, 0.05);
    case_figure(result, "frequency_hz", period > 0.0 ? 1.0 / period : 0.0, 1.094, 1.094, 0.02);
    case_tell(result, "order_in_space_amplitude", solid_order_of(spacing, error, level_count));
    const frz_plot_series series[2] = {{"measured", track.t, track.u, track.count, false},
                                       {"Turek & Hron 2006", t, u, curve_count, true}};
    const frz_plot plot = {"CSM3: tip of the swinging beam", "time [s]", "displacement y [m]", series, 2};
    return case_plot(context, result, &plot, diag);
}
