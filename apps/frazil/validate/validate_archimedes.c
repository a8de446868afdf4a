// SPDX-License-Identifier: MIT
// A box floats so deep that it displaces its weight; one as heavy as water stays where it is. A box made of particles
// does as one with a shape.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

static const double width = 0.5, height = 0.3, tank = 1.4, depth = 0.6; // m, as in the scene
static const double settling_time = 3.0, end_time = 5.0;                // s
static const double clear_of_box = 0.1;  // m; water beside the box that has a flat surface
static const double drifting_time = 2.0; // s
static const double shaking_time = 1.0;  // s; from here on

typedef struct draft
{
    int count;
    double sum; // of drafts
} draft;

static const double held_from = 1.0, held_until = 2.0; // s; bodies held under water
static const double water_density = 1000.0, gravity = 9.81;

// Bodies held under water: round, turned, and in space; they fit no lattice.
typedef struct held_body
{
    const char *name, *scene, *shape, *rotation;
    double volume; // m^3, m^2 in the plane
} held_body;

static const held_body held_bodies[] = {
    {"disc", "submerged", "{sphere: {center: [0.507, 0.391], radius: 0.12}}", "0", 0.045238934},
    {"turned_box", "submerged", "{box: {center: [0.633, 0.1], size: [0.213, 0.187]}}", "30", 0.039831},
    {"ball", "submerged_3d", "{sphere: {center: [0.25, 0.25, 0.25], radius: 0.13}}", "[0, 0, 0]", 0.0092027720},
};

static frz_body_info buoy_of(const frz_sim *sim)
{
    frz_body_info bodies[8] = {{{0}}};
    frz_sim_bodies(sim, bodies);
    return bodies[2];
}

// Twice the mean height of the water beside the box, where it stands on the floor.
static double surface_of(const frz_sim *sim, double x)
{
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double sum = 0.0, count = 0.0;
    for (int64_t i = 0; i < position.count; ++i)
    {
        const double at = frz_field_value(&position, i, 0);
        if (fabs(at - x) < 0.5 * width + clear_of_box || at < clear_of_box || at > tank - clear_of_box)
            continue;
        sum += frz_field_value(&position, i, 1);
        count += 1.0;
    }
    return count > 0.0 ? 2.0 * sum / count : 0.0;
}

static void add_draft(const frz_sim *sim, void *user)
{
    draft *d = user;
    if (frz_sim_time(sim) < settling_time)
        return;
    const frz_body_info buoy = buoy_of(sim);
    d->sum += surface_of(sim, buoy.position[0]) - (buoy.position[1] - 0.5 * height);
    d->count += 1;
}

// Where the box starts is where it should float, so that little is left to settle. fill: of a box with a material;
// null: the box of the scene archimedes.
static frz_status float_box(const case_context *context, double ratio, const char *fill, case_result *result,
                            double *found, frz_diag *diag)
{
    char density[32], shape[128];
    snprintf(density, sizeof density, "%g", 1000.0 * ratio);
    snprintf(shape, sizeof shape, "{box: {center: [%g, %g], size: [%g, %g]}}", 0.5 * tank,
             depth + height * (0.5 - ratio), width, height);
    const char *const settings[] = {fill != NULL ? "materials.wood.density" : "bodies.buoy.density",
                                    density,
                                    "bodies.buoy.shape",
                                    shape,
                                    fill != NULL ? "bodies.buoy.fill" : NULL,
                                    fill,
                                    NULL};
    frz_sim *sim = NULL;
    draft d = {0, 0.0};
    const char *const scene = fill != NULL ? "particles_float" : "archimedes";
    frz_status status = case_sim_with(context, scene, settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, end_time, 0.02, add_draft, &d, diag);
    *found = d.count > 0 ? d.sum / d.count : 0.0;
    frz_sim_destroy(&sim);
    return status;
}

// Drift of a box released in the middle of the water. It replaces a whole number of particles of the same mass:
// otherwise water would fall into the gaps around it at the start, and carry it along. Only the layers that particles
// form between it and the floor hold it; it comes to rest in them, up to half a spacing from its start: 3 % of its
// height at the spacing of the scene, so this one has half of that. A thousandth of its weight that the water does not
// bear takes it 10 mm down in these 2 s.
static frz_status hold_box(const case_context *context, case_result *result, double *drift, frz_diag *diag)
{
    const char *const settings[] = {"bodies.buoy.density",
                                    "1000",
                                    "bodies.buoy.damping",
                                    "0",
                                    "bodies.buoy.angular_damping",
                                    "0",
                                    "bodies.buoy.shape",
                                    "{box: {center: [0.71, 0.31], size: [0.3, 0.3]}}",
                                    "spacing",
                                    "10 mm",
                                    NULL};
    frz_sim *sim = NULL;
    frz_status status = case_sim_with(context, "archimedes", settings, result, &sim, diag);
    const double start = status == FRZ_OK ? buoy_of(sim).position[1] : 0.0;
    if (status == FRZ_OK)
        status = case_advance(context, sim, drifting_time, 0.02, NULL, NULL, diag);
    if (status == FRZ_OK)
        *drift = fabs(buoy_of(sim).position[1] - start);
    frz_sim_destroy(&sim);
    return status;
}

typedef struct push
{
    double time, impulse; // s and N s, upwards
} push;

static void add_push(const frz_sim *sim, void *user)
{
    push *p = user;
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    if (frz_sim_time(sim) < held_from)
        return;
    p->time += stats.dt;
    p->impulse += stats.dt * buoy_of(sim).force[1];
}

// The push of the water on a body that is held, over the weight of the water that it displaces.
static frz_status hold_under_water(const case_context *context, const held_body *body, case_result *result,
                                   frz_diag *diag)
{
    const char *const settings[] = {"bodies.held.shape", body->shape, "bodies.held.rotation", body->rotation, NULL};
    frz_sim *sim = NULL;
    push p = {0.0, 0.0};
    char name[64];
    frz_status status = case_sim_with(context, body->scene, settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance_steps(context, sim, held_until, add_push, &p, diag);
    if (status == FRZ_OK)
    {
        snprintf(name, sizeof name, "push_on_a_%s", body->name);
        case_figure(result, name, p.impulse / (p.time * water_density * gravity * body->volume), 1.0, 1.0, 0.04);
    }
    frz_sim_destroy(&sim);
    return status;
}

typedef struct shake
{
    int count;
    double square; // sum over velocities, m^2/s^2
} shake;

static void add_shake(const frz_sim *sim, void *user)
{
    shake *s = user;
    const double *v = buoy_of(sim).velocity;
    if (frz_sim_time(sim) < shaking_time)
        return;
    s->square += v[0] * v[0] + v[1] * v[1];
    s->count += 1;
}

// A box that floats in a wide tank of syrup: an average over all the liquid says little about the force on it.
static frz_status shake_box(const case_context *context, case_result *result, double *speed, frz_diag *diag)
{
    const char *const settings[] = {
        "bodies.buoy.density",
        "600",
        "bodies.buoy.damping",
        "0",
        "bodies.buoy.angular_damping",
        "0",
        "bodies.buoy.shape",
        "{box: {center: [1.4, 1.18], size: [0.2, 0.2]}}",
        "bodies.water.shape",
        "{box: {min: [0, 0], max: [2.8, 1.2]}}",
        "bodies.tank.shape",
        "{shell: {of: {box: {min: [0, 0], max: [2.8, 1.5]}}, thickness: 60 mm, open: [+y]}}",
        "materials.water.viscosity",
        "5 Pa s",
        NULL};
    frz_sim *sim = NULL;
    shake s = {0, 0.0};
    frz_status status = case_sim_with(context, "archimedes", settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, drifting_time, 0.01, add_shake, &s, diag);
    *speed = s.count > 0 ? sqrt(s.square / s.count) : HUGE_VAL;
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_archimedes(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double ratios[] = {0.25, 0.5, 0.75};
    double drift = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        double found = 0.0;
        char name[64];
        const frz_status status = float_box(context, ratios[k], NULL, result, &found, diag);
        if (status != FRZ_OK)
            return status;
        snprintf(name, sizeof name, "draft_at_%g_m", ratios[k]);
        case_figure(result, name, found, height * ratios[k], height, 0.03);
    }
    const frz_status status = hold_box(context, result, &drift, diag);
    if (status != FRZ_OK)
        return status;
    case_figure(result, "neutral_drift_in_2_s_m", drift, 0.0, height, 0.03);
    double speed = 0.0;
    const frz_status shaken = shake_box(context, result, &speed, diag);
    if (shaken != FRZ_OK)
        return shaken;
    case_limit(result, "floating_in_syrup_shakes_m_s", speed, 0.008);
    frz_status held = FRZ_OK;
    for (size_t k = 0; k < sizeof held_bodies / sizeof held_bodies[0] && held == FRZ_OK; ++k)
        held = hold_under_water(context, &held_bodies[k], result, diag);
    return held;
}

frz_status validate_particles_float(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double ratios[] = {0.25, 0.5, 0.75};
    for (int k = 0; k < 3; ++k)
    {
        double found = 0.0, shaped = 0.0;
        char name[64];
        frz_status status = float_box(context, ratios[k], "particles", result, &found, diag);
        if (status == FRZ_OK)
            status = float_box(context, ratios[k], "shape", result, &shaped, diag);
        if (status != FRZ_OK)
            return status;
        snprintf(name, sizeof name, "draft_at_%g_m", ratios[k]);
        case_figure(result, name, found, height * ratios[k], height, 0.03);
        snprintf(name, sizeof name, "draft_at_%g_less_that_of_the_shape_m", ratios[k]);
        case_figure(result, name, found - shaped, 0.0, height, 0.03);
    }
    return FRZ_OK;
}
