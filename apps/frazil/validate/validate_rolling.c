// SPDX-License-Identifier: MIT
// Round bodies that roll down slopes without slipping: a = g sin(angle) / (1 + I / (m r^2)).
#include <math.h>
#include <stdio.h>

#include "validate/validation.h"

static const double pi = 3.14159265358979323846;
static const double gravity = 9.81;         // m/s^2
static const double slopes[] = {5, 20, 40}; // degrees
static const double begin = 0.1, end = 0.7; // s; when the acceleration is measured
static const double gate = 0.02;

enum
{
    slope_count = sizeof slopes / sizeof slopes[0],
    roller_max = 3,
    body_max = 8
};

/// A body of a scene that rolls.
typedef struct roller
{
    const char *name;
    double inertia; ///< over mass times the square of the radius
} roller;

typedef struct rolling_scene
{
    const char *name, *spacing;
    int count;
    roller rollers[roller_max]; ///< in the scene's order, after the slope
} rolling_scene;

static const rolling_scene scenes[] = {
    {"rolling", "20 mm", 3, {{"cylinder", 0.5}, {"ring", 0.5 * (1.0 + 0.36)}, {"ball", 0.4}}},
    {"rolling", "13 mm", 3, {{"cylinder", 0.5}, {"ring", 0.5 * (1.0 + 0.36)}, {"ball", 0.4}}},
    {"rolling_2d", "20 mm", 2, {{"disc_2d", 0.5}, {"ring_2d", 0.5 * (1.0 + 0.49)}}},
    {"rolling_2d", "7 mm", 2, {{"disc_2d", 0.5}, {"ring_2d", 0.5 * (1.0 + 0.49)}}},
};

static void read_speeds(const frz_sim *sim, double *speed)
{
    frz_body_info bodies[body_max];
    if (frz_sim_body_count(sim) > body_max)
        return;
    frz_sim_bodies(sim, bodies);
    for (int n = 0; n < roller_max && n + 1 < frz_sim_body_count(sim); ++n)
        speed[n] = bodies[n + 1].velocity[0];
}

static frz_status roll(const case_context *context, const rolling_scene *scene, double degrees, case_result *result,
                       frz_diag *diag)
{
    const double angle = degrees * pi / 180.0;
    char lean[96];
    snprintf(lean, sizeof lean, "[%.12g, %.12g, 0]", gravity * sin(angle), -gravity * cos(angle));
    const char *const settings[] = {"gravity", lean, "spacing", scene->spacing, NULL};
    double first[roller_max] = {0.0}, last[roller_max] = {0.0};
    frz_sim *sim = NULL;
    frz_status status = case_sim_with(context, scene->name, settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, begin, begin, NULL, NULL, diag);
    if (status == FRZ_OK)
    {
        read_speeds(sim, first);
        status = case_advance(context, sim, end, end - begin, NULL, NULL, diag);
    }
    if (status == FRZ_OK)
        read_speeds(sim, last);
    for (int n = 0; n < scene->count && status == FRZ_OK; ++n)
    {
        char name[64];
        const double theory = gravity * sin(angle) / (1.0 + scene->rollers[n].inertia);
        snprintf(name, sizeof name, "%s_%g_deg_%.*s_mm_m_s2", scene->rollers[n].name, degrees,
                 scene->spacing[1] == ' ' ? 1 : 2, scene->spacing);
        case_figure(result, name, (last[n] - first[n]) / (end - begin), theory, theory, gate);
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_rolling(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    for (int n = 0; n < (int)(sizeof scenes / sizeof scenes[0]); ++n)
    {
        for (int k = 0; k < slope_count && status == FRZ_OK; ++k)
            status = roll(context, &scenes[n], slopes[k], result, diag);
    }
    return status;
}
