// SPDX-License-Identifier: MIT
// Plane Couette flow from rest: the upper plate starts to move at t = 0.
//
//     u(y, t) = U y / L + sum_n (2 U / n pi) (-1)^n exp(-n^2 pi^2 nu t / L^2) sin(n pi y / L)     (Morris et al. 1997,
//     eq. 36)
#include <math.h>
#include <string.h>

#include "validate/validation.h"

// as in the scene
static const double height = 1.0, speed = 0.01, kinematic_viscosity = 0.01;
static const double early = 10.0, late = 100.0; // s: a tenth of L^2 / nu, and when 5e-5 of the start is left
static const double pi = 3.14159265358979323846;

enum
{
    term_count = 200,
    curve_points = 100
};

static double series_at(double y, const void *user)
{
    const double t = *(const double *)user;
    double u = speed * y / height;
    for (int n = 1; n <= term_count; ++n)
    {
        const double k = n * pi / height;
        u += (n % 2 == 0 ? 2.0 : -2.0) * speed / (n * pi) * exp(-k * k * kinematic_viscosity * t) * sin(k * y);
    }
    return u;
}

frz_status validate_couette(const case_context *context, case_result *result, frz_diag *diag)
{
    static case_profile at_first, in_the_end;
    double y[curve_points], first_curve[curve_points], last_curve[curve_points];
    frz_sim *sim = NULL;
    frz_status status = case_sim(context, "couette", result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, early, 0.025, NULL, NULL, diag);
    if (status == FRZ_OK)
    {
        case_limit(result, "profile_error_after_10_s", case_profile_error(sim, series_at, &early), 0.02);
        case_take_profile(sim, &at_first);
        status = case_advance(context, sim, late, 0.5, NULL, NULL, diag);
    }
    if (status == FRZ_OK)
    {
        case_limit(result, "profile_error_steady", case_profile_error(sim, series_at, &late), 0.02);
        case_take_profile(sim, &in_the_end);
        for (int k = 0; k < curve_points; ++k)
        {
            y[k] = height * (k + 0.5) / curve_points;
            first_curve[k] = series_at(y[k], &early);
            last_curve[k] = series_at(y[k], &late);
        }
        const frz_plot_series series[4] = {{"after 10 s", at_first.y, at_first.u, at_first.count, true},
                                           {"after 100 s", in_the_end.y, in_the_end.u, in_the_end.count, true},
                                           {"series, 10 s", y, first_curve, curve_points, false},
                                           {"series, 100 s", y, last_curve, curve_points, false}};
        const frz_plot plot = {"Plane Couette flow", "distance from the resting plate [m]", "velocity [m/s]", series,
                               4};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}
