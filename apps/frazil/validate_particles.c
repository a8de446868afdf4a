// SPDX-License-Identifier: MIT
// Rigid bodies made of particles: a box floats as deep as one with a shape, and ten boxes stand on each other.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validation.h"

enum
{
    body_most = 16,
    buoy = 2, // in the scene
    boxes = 10
};

static const double width = 0.5, height = 0.3, tank = 1.4, depth = 0.6; // m, as in the scene
static const double settling_time = 3.0, end_time = 5.0;                // s
static const double clear_of_box = 0.1; // m; water beside the box that has a flat surface

typedef struct draft
{
    int count;
    double sum; // of drafts
} draft;

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
    frz_body_info bodies[body_most];
    if (frz_sim_time(sim) < settling_time || frz_sim_body_count(sim) > body_most)
        return;
    frz_sim_bodies(sim, bodies);
    d->sum += surface_of(sim, bodies[buoy].position[0]) - (bodies[buoy].position[1] - 0.5 * height);
    d->count += 1;
}

static frz_status float_box(const case_context *context, double ratio, const char *fill, case_result *result,
                            double *found, frz_diag *diag)
{
    char density[32], shape[128];
    snprintf(density, sizeof density, "%g", 1000.0 * ratio);
    snprintf(shape, sizeof shape, "{box: {center: [%g, %g], size: [%g, %g]}}", 0.5 * tank,
             depth + height * (0.5 - ratio), width, height);
    const char *const settings[] = {
        "materials.wood.density", density, "bodies.buoy.shape", shape, "bodies.buoy.fill", fill, NULL};
    frz_sim *sim = NULL;
    draft d = {0, 0.0};
    frz_status status = case_sim_with(context, "particles_float", settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, end_time, 0.02, add_draft, &d, diag);
    *found = d.count > 0 ? d.sum / d.count : 0.0;
    frz_sim_destroy(&sim);
    return status;
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

// ---- stack

static const double stack_settled = 0.1; // s; the boxes have changed by then
static const double stack_end = 10.0;    // s
static const double stack_box = 0.1;     // m
static const double stack_spacing = 0.02;

typedef struct stack_track
{
    frz_body_info start[body_most], now[body_most];
    double deepest; ///< m; of the middles of boxes on each other, or of the lowest one and the ground
} stack_track;

static void follow_stack(const frz_sim *sim, void *user)
{
    stack_track *track = user;
    if (frz_sim_body_count(sim) > body_most)
        return;
    frz_sim_bodies(sim, track->now);
    for (int n = 1; n <= boxes; ++n)
    {
        const double below = n > 1 ? track->now[n - 1].position[1] + 0.5 * stack_box : 0.0;
        track->deepest = fmax(track->deepest, below - (track->now[n].position[1] - 0.5 * stack_box));
    }
}

frz_status validate_particles_stack(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    static stack_track track;
    memset(&track, 0, sizeof track);
    frz_status status = case_sim(context, "particles_stack", result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, stack_settled, stack_settled, follow_stack, &track, diag);
    if (status == FRZ_OK)
    {
        memcpy(track.start, track.now, sizeof track.start);
        status = case_advance(context, sim, stack_end, 0.1, follow_stack, &track, diag);
    }
    if (status == FRZ_OK)
    {
        const double spacing = stack_spacing / context->resolution;
        double creep = 0.0;
        for (int n = 1; n <= boxes; ++n)
            creep = fmax(creep, hypot(track.now[n].position[0] - track.start[n].position[0],
                                      track.now[n].position[2] - track.start[n].position[2]));
        frz_stats stats;
        frz_sim_stats(sim, &stats);
        case_limit(result, "particles_that_have_not_changed", stats.changed >= 2 * 5 * 125 ? 0.0 : 1.0, 0.5);
        case_limit(result, "creep_spacings", creep / spacing, 0.1);
        case_limit(result, "deepest_overlap_spacings", track.deepest / spacing, 0.1);
    }
    frz_sim_destroy(&sim);
    return status;
}
