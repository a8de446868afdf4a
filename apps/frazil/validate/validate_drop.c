// SPDX-License-Identifier: MIT
// Free drops of water that swing without any damping by the case, against
// Rayleigh 1879, and drops on a floor against Young's angle.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/validation.h"

static const double pi = 3.14159265358979323846;
static const double density = 1000.0, tension = 0.072; // as in the scenes
static const double swinging_time = 2.0;               // periods
static const double amplitude = 0.1;                   // of the velocity at the surface, in radii times omega

enum
{
    sample_max = 512
};

typedef struct swing
{
    int count;
    double t[sample_max], q[sample_max];
} swing;

// Difference of the second moments along x and y over their sum: twice the
// relative amplitude of the second mode.
static void add_elongation(const frz_sim *sim, void *user)
{
    swing *s = user;
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double mean[2] = {0.0, 0.0}, square[2] = {0.0, 0.0};
    if (s->count == sample_max)
        return;
    for (int64_t i = 0; i < x.count; ++i)
        for (int a = 0; a < 2; ++a)
        {
            mean[a] += frz_field_value(&x, i, a) / (double)x.count;
            square[a] += pow(frz_field_value(&x, i, a), 2.0) / (double)x.count;
        }
    const double xx = square[0] - mean[0] * mean[0], yy = square[1] - mean[1] * mean[1];
    s->t[s->count] = frz_sim_time(sim);
    s->q[s->count++] = (xx - yy) / (xx + yy);
}

// Mean square that q = a + exp(-rate t) (b cos(omega t) + c sin(omega t))
// leaves with the best a, b, c.
static double misfit(const swing *s, double omega, double rate)
{
    double m[3][4] = {{0.0}}, sum = 0.0;
    for (int k = 0; k < s->count; ++k)
    {
        const double e = exp(-rate * s->t[k]), f[3] = {1.0, e * cos(omega * s->t[k]), e * sin(omega * s->t[k])};
        for (int a = 0; a < 3; ++a)
        {
            for (int b = 0; b < 3; ++b)
                m[a][b] += f[a] * f[b];
            m[a][3] += f[a] * s->q[k];
        }
        sum += s->q[k] * s->q[k];
    }
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
        {
            const double share = b != a ? m[b][a] / m[a][a] : 0.0;
            for (int c = 0; c < 4 && b != a; ++c)
                m[b][c] -= share * m[a][c];
        }
    for (int a = 0; a < 3; ++a)
        sum -= m[a][3] * m[a][3] / m[a][a]; // once diagonal, each unknown takes this off
    return sum;
}

// The best period over a given one, and the share of the amplitude that is lost
// in a period.
static void fit(const swing *s, double period, double *ratio, double *lost)
{
    double best = HUGE_VAL;
    for (int k = 0; k <= 200; ++k)
        for (int n = 0; n <= 200; ++n)
        {
            const double r = 0.7 + 0.003 * k, share = 0.0045 * n; // lost
            const double left = misfit(s, 2.0 * pi / (r * period), -log(1.0 - share) / (r * period));
            if (left < best)
            {
                best = left;
                *ratio = r;
                *lost = share;
            }
        }
}

// Velocities (b x, -b y) for all particles.
static frz_status set_mode(frz_sim *sim, double rate, frz_diag *diag)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double *velocity = calloc((size_t)x.count + 1, 3 * sizeof *velocity);
    if (velocity == NULL)
    {
        diag->status = FRZ_ERR_MEMORY;
        snprintf(diag->message, sizeof diag->message, "there is not enough memory for the velocities");
        return FRZ_ERR_MEMORY;
    }
    for (int64_t i = 0; i < x.count; ++i)
    {
        velocity[3 * i] = rate * frz_field_value(&x, i, 0);
        velocity[3 * i + 1] = -rate * frz_field_value(&x, i, 1);
    }
    const frz_status status = frz_sim_set_velocity(sim, velocity, x.count, diag);
    free(velocity);
    return status;
}

static frz_status swing_drop(const case_context *context, int dimension, swing *s, case_result *result, frz_diag *diag)
{
    static const char *const names[2][3] = {{"period_2d_over_rayleigh", "amplitude_lost_2d", "drift_2d_over_radius"},
                                            {"period_3d_over_rayleigh", "amplitude_lost_3d", "drift_3d_over_radius"}};
    const char *const *name = names[dimension - 2];
    frz_sim *sim = NULL;
    frz_sim_report report;
    frz_stats stats;
    s->count = 0;
    frz_status status = case_sim(context, dimension == 3 ? "drop_3d" : "drop", result, &sim, diag);
    if (status != FRZ_OK)
        return status;
    frz_sim_report_get(sim, &report);
    const double count = (double)frz_sim_particle_count(sim, FRZ_SEGMENT_FREE);
    const double volume = pow(report.spacing, dimension) * count;
    const double radius = dimension == 3 ? cbrt(volume * 3.0 / (4.0 * pi)) : sqrt(volume / pi);
    const double omega = sqrt((dimension == 3 ? 8.0 : 6.0) * tension / (density * pow(radius, 3.0)));
    const double period = 2.0 * pi / omega;
    status = set_mode(sim, amplitude * omega, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, swinging_time * period, period / 64.0, add_elongation, s, diag);
    frz_sim_stats(sim, &stats);
    frz_sim_destroy(&sim);
    if (status != FRZ_OK)
        return status;
    double ratio = 0.0, lost = 1.0;
    fit(s, period, &ratio, &lost);
    const double *p = stats.momentum, speed = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / (density * volume);
    case_figure(result, name[0], ratio, 1.0, 1.0, 0.05);
    case_limit(result, name[1], lost, 0.1);
    case_limit(result, name[2], speed * period / radius, 1e-4);
    return FRZ_OK;
}

frz_status validate_drop(const case_context *context, case_result *result, frz_diag *diag)
{
    static swing swings[2];
    frz_plot_series series[2];
    for (int k = 0; k < 2; ++k)
    {
        const frz_status status = swing_drop(context, k + 2, &swings[k], result, diag);
        if (status != FRZ_OK)
            return status;
        series[k] =
            (frz_plot_series){k == 0 ? "in the plane" : "in space", swings[k].t, swings[k].q, swings[k].count, false};
    }
    snprintf(result->note, sizeof result->note,
             "20 spacings of radius; viscosity alone takes 2 %% of the amplitude in a period");
    const frz_plot plot = {"Drops that swing undamped", "time [s]", "elongation", series, 2};
    return case_plot(context, result, &plot, diag);
}

// Mean height over the root of the area, or the third root of the volume, of the part of a disc or of a ball that meets
// its base at an angle.
static double cap_height(int dimension, double angle)
{
    const double c = cos(angle);
    if (dimension == 3)
    {
        const double volume = pi / 3.0 * (1.0 - c) * (1.0 - c) * (2.0 + c); // over the cube of the radius
        return (0.75 * (1.0 + c) * (1.0 + c) / (2.0 + c) - c) / cbrt(volume);
    }
    const double area = angle - sin(angle) * c; // over the square of the radius
    return (2.0 / 3.0 * pow(sin(angle), 3.0) / area - c) / sqrt(area);
}

// Mean of the angles, degrees, each from the mean height above the floor y = 0.
typedef struct angles
{
    int dimension;
    double sum;
    int count;
} angles;

static void add_angle(const frz_sim *sim, void *user)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    frz_sim_report report;
    angles *all = user;
    double height = 0.0, low = 0.01, high = 3.13;
    frz_sim_report_get(sim, &report);
    for (int64_t i = 0; i < x.count; ++i)
        height += frz_field_value(&x, i, 1) / (double)x.count;
    const double size = pow((double)x.count, 1.0 / all->dimension) * report.spacing;
    for (int n = 0; n < 50; ++n)
    {
        const double middle = 0.5 * (low + high);
        *(cap_height(all->dimension, middle) < height / size ? &low : &high) = middle;
    }
    all->sum += low * 180.0 / pi;
    all->count += 1;
}

static frz_status settle_drop(const case_context *context, int dimension, int k, case_result *result, frz_diag *diag)
{
    static const char *const given[] = {"45 deg", "90 deg", "135 deg"};
    const double settled = dimension == 3 ? 0.1 : 0.12, until = dimension == 3 ? 0.14 : 0.2; // s; the mean between
    const char *const settings[] = {"materials.water.tension.contact_angle", given[k], NULL};
    char name[64];
    angles all = {dimension, 0.0, 0};
    frz_sim *sim = NULL;
    frz_status status =
        case_sim_with(context, dimension == 3 ? "contact_angle_3d" : "contact_angle", settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, settled, settled, NULL, NULL, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, until, (until - settled) / 32.0, add_angle, &all, diag);
    frz_sim_destroy(&sim);
    if (status != FRZ_OK)
        return status;
    snprintf(name, sizeof name, "angle_%.0f_degrees%s", 45.0 * (k + 1), dimension == 3 ? "_in_space" : "");
    case_figure(result, name, all.sum / all.count, 45.0 * (k + 1), 1.0, 5.0);
    return FRZ_OK;
}

frz_status validate_contact_angle(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    for (int k = 0; k < 3 && status == FRZ_OK; ++k)
        status = settle_drop(context, 2, k, result, diag);
    snprintf(result->note, sizeof result->note,
             "half a disc of 20 spacings on a floor without gravity goes to the "
             "angle; the gate is in degrees");
    return status;
}

frz_status validate_contact_angle_3d(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    for (int k = 0; k < 3 && status == FRZ_OK; ++k)
        status = settle_drop(context, 3, k, result, diag);
    snprintf(result->note, sizeof result->note,
             "half a ball of 8 spacings on a floor without gravity goes to the angle; the gate is in degrees");
    return status;
}
