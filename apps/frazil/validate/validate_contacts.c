// SPDX-License-Identifier: MIT
// Rigid bodies in contact: a slope, a stack, two balls, an arch.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

enum
{
    body_max = 32,
    sample_max = 4096
};

/// Bodies at the start and now.
typedef struct scene_bodies
{
    int count;
    frz_body_info start[body_max], now[body_max];
} scene_bodies;

static void read_bodies(const frz_sim *sim, frz_body_info *out)
{
    memset(out, 0, body_max * sizeof *out);
    if (frz_sim_body_count(sim) <= body_max)
        frz_sim_bodies(sim, out);
}

static double moved(const scene_bodies *b, int n)
{
    double square = 0.0;
    for (int c = 0; c < 3; ++c)
        square += pow(b->now[n].position[c] - b->start[n].position[c], 2.0);
    return sqrt(square);
}

// ---- slope

static const double slope_gravity = 9.81; // m/s^2
static const double slope_friction = 0.3; // of the block that slides, as in the scene
static const double slope_settled = 0.2;  // s; from here on it is measured
static const double slope_end = 1.5;      // s
static const double slope_spacing = 0.05; // m

typedef struct slope_track
{
    scene_bodies bodies;
    int count;
    double t[sample_max], speed[sample_max], expected[sample_max];
    double acceleration; ///< m/s^2, that of theory
} slope_track;

static void follow_slope(const frz_sim *sim, void *user)
{
    slope_track *track = user;
    read_bodies(sim, track->bodies.now);
    if (track->count == sample_max)
        return;
    track->t[track->count] = frz_sim_time(sim);
    track->speed[track->count] = track->bodies.now[2].velocity[0];
    track->expected[track->count] = track->acceleration * frz_sim_time(sim);
    track->count += 1;
}

frz_status validate_slope(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    static slope_track track;
    memset(&track, 0, sizeof track);
    track.acceleration = slope_gravity * (0.5 - slope_friction * sqrt(0.75)); // 2.356 m/s^2 at 30 degrees
    frz_status status = case_sim(context, "slope", result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, slope_settled, slope_settled, NULL, NULL, diag);
    if (status == FRZ_OK)
    {
        read_bodies(sim, track.bodies.start);
        status = case_advance(context, sim, slope_end, 0.01, follow_slope, &track, diag);
    }
    if (status == FRZ_OK)
    {
        const double time = slope_end - slope_settled;
        const double gained = track.bodies.now[2].velocity[0] - track.bodies.start[2].velocity[0];
        const double spacing = slope_spacing / context->resolution;
        case_figure(result, "acceleration_m_s2", gained / time, track.acceleration, track.acceleration, 0.02);
        case_limit(result, "creep_spacings_per_s", moved(&track.bodies, 1) / (spacing * time), 1e-3);
        const frz_plot_series series[2] = {{"measured", track.t, track.speed, track.count, true},
                                           {"Coulomb", track.t, track.expected, track.count, false}};
        const frz_plot plot = {"Block on a slope of 30 degrees, friction 0.3", "time [s]", "speed [m/s]", series, 2};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}

// ---- stack

static const double stack_end = 10.0;     // s
static const double stack_box = 0.1;      // m
static const double stack_spacing = 0.02; // m

typedef struct stack_track
{
    scene_bodies bodies;
    double deepest; ///< m; of the middles of boxes on each other, or of the lowest one and the ground
} stack_track;

static void follow_stack(const frz_sim *sim, void *user)
{
    stack_track *track = user;
    read_bodies(sim, track->bodies.now);
    for (int n = 1; n <= 10; ++n)
    {
        const double below = n > 1 ? track->bodies.now[n - 1].position[1] + 0.5 * stack_box : 0.0;
        track->deepest = fmax(track->deepest, below - (track->bodies.now[n].position[1] - 0.5 * stack_box));
    }
}

frz_status validate_stack(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    static stack_track track;
    memset(&track, 0, sizeof track);
    frz_status status = case_sim(context, "stack", result, &sim, diag);
    if (status == FRZ_OK)
    {
        read_bodies(sim, track.bodies.start);
        status = case_advance(context, sim, stack_end, 0.1, follow_stack, &track, diag);
    }
    if (status == FRZ_OK)
    {
        const double spacing = stack_spacing / context->resolution;
        double farthest = 0.0, speed = 0.0;
        for (int n = 1; n <= 10; ++n)
        {
            const double *v = track.bodies.now[n].velocity;
            farthest = fmax(farthest, moved(&track.bodies, n));
            speed = fmax(speed, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        }
        case_limit(result, "penetration_spacings", track.deepest / spacing, 0.1);
        case_limit(result, "moved_spacings", farthest / spacing, 0.1);
        case_limit(result, "speed_spacings_per_s", speed / spacing, 0.01);
    }
    frz_sim_destroy(&sim);
    return status;
}

static const double stack_changed = 0.1; // s; every second box of particles has changed by then
static const int stack_particles = 125;  // of a box

frz_status validate_particles_stack(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    static stack_track track;
    memset(&track, 0, sizeof track);
    frz_status status = case_sim(context, "particles_stack", result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, stack_changed, stack_changed, NULL, NULL, diag);
    if (status == FRZ_OK)
    {
        read_bodies(sim, track.bodies.start);
        status = case_advance(context, sim, stack_end, 0.1, follow_stack, &track, diag);
    }
    if (status == FRZ_OK)
    {
        const double spacing = stack_spacing / context->resolution;
        double farthest = 0.0;
        frz_stats stats;
        frz_sim_stats(sim, &stats);
        for (int n = 1; n <= 10; ++n)
            farthest = fmax(farthest, moved(&track.bodies, n));
        case_figure(result, "particles_changed", (double)stats.changed, 2.0 * 5.0 * stack_particles, 1.0, 0.5);
        case_limit(result, "penetration_spacings", track.deepest / spacing, 0.1);
        case_limit(result, "moved_spacings", farthest / spacing, 0.1);
    }
    frz_sim_destroy(&sim);
    return status;
}

// ---- billiard

static const double billiard_restitution = 0.8; // as in the scene
static const double billiard_end = 0.4;         // s
static const double billiard_jump = 0.1;        // m/s; a change of the velocity in a step that is a collision

typedef struct billiard_track
{
    frz_body_info last[body_max], now[body_max];
    double came, left;
    double momentum[3], worst; ///< kg m/s
} billiard_track;

static void follow_billiard(const frz_sim *sim, void *user)
{
    billiard_track *track = user;
    memcpy(track->last, track->now, sizeof track->last);
    read_bodies(sim, track->now);
    double axis[3], length = 0.0, before = 0.0, after = 0.0, off = 0.0;
    for (int c = 0; c < 3; ++c)
    {
        axis[c] = track->last[1].position[c] - track->last[0].position[c];
        length += axis[c] * axis[c];
        const double momentum =
            track->now[0].mass * track->now[0].velocity[c] + track->now[1].mass * track->now[1].velocity[c];
        off += pow(momentum - track->momentum[c], 2.0);
    }
    track->worst = fmax(track->worst, sqrt(off));
    for (int c = 0; c < 3; ++c)
    {
        before += axis[c] / sqrt(length) * (track->last[1].velocity[c] - track->last[0].velocity[c]);
        after += axis[c] / sqrt(length) * (track->now[1].velocity[c] - track->now[0].velocity[c]);
    }
    if (after - before > billiard_jump)
    {
        track->came = -before;
        track->left = after;
    }
}

frz_status validate_billiard(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    static billiard_track track;
    memset(&track, 0, sizeof track);
    frz_status status = case_sim(context, "billiard", result, &sim, diag);
    if (status == FRZ_OK)
    {
        read_bodies(sim, track.now);
        for (int c = 0; c < 3; ++c)
            track.momentum[c] = track.now[0].mass * track.now[0].velocity[c];
        status = case_advance_steps(context, sim, billiard_end, follow_billiard, &track, diag);
    }
    if (status == FRZ_OK)
    {
        case_figure(result, "restitution", track.came > 0.0 ? track.left / track.came : 0.0, billiard_restitution,
                    billiard_restitution, 0.03);
        case_limit(result, "momentum_error", track.worst / track.momentum[0], 1e-12);
    }
    frz_sim_destroy(&sim);
    return status;
}

// ---- cradle

static const double cradle_end = 1.1;  // s; the last ball has swung out
static const double cradle_angle = 30; // degrees, as in the scene
static const double degrees = 180 / M_PI;

/// Largest angles of the balls.
static void follow_cradle(const frz_sim *sim, void *user)
{
    double *largest = user;
    frz_body_info now[body_max];
    read_bodies(sim, now);
    for (int n = 0; n < 5; ++n)
        largest[n] = fmax(largest[n], fabs(2.0 * degrees * asin(now[n].orientation[3])));
}

frz_status validate_cradle(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    double largest[5] = {0.0};
    frz_status status = case_sim(context, "cradle", result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, cradle_end, 0.01, follow_cradle, largest, diag);
    if (status == FRZ_OK)
    {
        case_figure(result, "last_ball_deg", largest[4], cradle_angle, cradle_angle, 0.03);
        case_limit(result, "balls_between_deg", fmax(largest[1], fmax(largest[2], largest[3])), 0.03 * cradle_angle);
    }
    frz_sim_destroy(&sim);
    return status;
}

// ---- arch

static const double arch_end = 2.0;     // s
static const int arch_keystone = 7;     // number of the body, of 13 stones after the ground
static const double arch_still = 0.001; // m; a standing arch of 1 m radius moves less
static const double arch_fallen = 0.2;  // m; a falling one has come down further

static frz_status drop(const case_context *context, const char *scene, case_result *result, double *fall,
                       frz_diag *diag)
{
    frz_sim *sim = NULL;
    scene_bodies bodies = {0};
    frz_status status = case_sim(context, scene, result, &sim, diag);
    if (status == FRZ_OK)
    {
        read_bodies(sim, bodies.start);
        status = case_advance(context, sim, arch_end, 0.1, NULL, NULL, diag);
    }
    if (status == FRZ_OK)
    {
        read_bodies(sim, bodies.now);
        *fall = bodies.start[arch_keystone].position[1] - bodies.now[arch_keystone].position[1];
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_arch(const case_context *context, case_result *result, frz_diag *diag)
{
    double thick = 0.0, thin = 0.0;
    frz_status status = drop(context, "arch", result, &thick, diag);
    if (status == FRZ_OK)
        status = drop(context, "arch_thin", result, &thin, diag);
    if (status == FRZ_OK)
    {
        case_limit(result, "keystone_fall_t_R_0.15_m", fabs(thick), arch_still);
        case_limit(result, "keystone_left_t_R_0.09_m", fmax(0.0, arch_fallen - thin), 0.0);
        snprintf(
            result->note, sizeof result->note,
            "least thickness of theory 0.1075 R (Makris & Alexakis 2013); the thin arch came down by %.2f m in %g s",
            thin, arch_end);
    }
    return status;
}
