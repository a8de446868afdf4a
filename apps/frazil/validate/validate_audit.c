// SPDX-License-Identifier: MIT
// The energy of all scenes to look at: none is made beside the work of who moves walls, inlets and held particles.
//
// To be affordable each scene gets the same amount of work, counted in particles times steps, so that the figures are
// the same on every machine: it is made coarser, and ended when the work is done. The name of a figure contains both:
// burst_x1.50_to_80% has 1.5 times the spacing and ran for 80 % of its time. `--resolution 2` halves the spacings.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

static const double most_particles = 5000.0;
static const double most_coarse = 2.0; // factor of the spacing: layers one spacing thick fall apart beyond it
static const double most_work = 4.0e6; // particles times steps, samples of walls included
static const double rows = 400.0;      // at most so many audits of a scene: not every short step needs one
static const double finer_by = 1.25; // a scene that cannot be made so coarse is tried with a spacing this much smaller
static const double at_rest = 0.1;   // spacings that the fastest particle could go in the whole time
static const double worth_it = 0.9;  // spacing over that of a scene that was made too coarse, to make it again

// One scene under test.
typedef struct subject
{
    const char *name;
    int dimension;
    double duration; // as shipped, s
    double factor;   // of the spacing
    double reached;  // share of the duration
    double fastest;  // particle, m/s; infinite if there are bodies only
    double spacing;  // m
    frz_audit audit;
    char stopped[256]; // why it stopped; empty: it did not
} subject;

static double rows_of(const frz_sim *sim)
{
    return (double)(frz_sim_field(sim, "position", FRZ_SEGMENT_FREE).count +
                    frz_sim_field(sim, "position", FRZ_SEGMENT_SAMPLES).count);
}

static frz_status make(const case_context *context, const subject *s, case_result *result, frz_sim **sim,
                       frz_diag *diag)
{
    case_context coarser = *context;
    coarser.resolution = context->resolution / s->factor;
    return case_sim(&coarser, s->name, result, sim, diag);
}

// Whether the scene can be made so coarse. One that the program warns of (walls thinner than a spacing, particles that
// start too dense) is no longer the same scene.
static bool can_make(const case_context *context, const subject *s, case_result *result, frz_sim **sim)
{
    frz_diag ignored = {.status = FRZ_OK};
    frz_sim_report report = {.warning_count = 0};
    if (make(context, s, result, sim, &ignored) == FRZ_OK)
        frz_sim_report_get(*sim, &report);
    if (report.warning_count > 0)
        frz_sim_destroy(sim);
    return *sim != NULL;
}

// The simulation, as coarse as intended, or the coarsest that can be made.
static frz_status coarsen(const case_context *context, subject *s, case_result *result, frz_sim **sim, frz_diag *diag)
{
    for (s->factor = most_coarse; s->factor > 1.0 && !can_make(context, s, result, sim);)
        s->factor /= finer_by;
    const double wanted = most_particles * pow(context->resolution, s->dimension);
    const double share = *sim != NULL ? fmin(rows_of(*sim) / wanted, 1.0) : 0.0;
    const double finer = s->factor * pow(share, 1.0 / s->dimension);
    if (*sim != NULL && finer > worth_it * s->factor)
        return FRZ_OK;
    frz_sim_destroy(sim);
    for (s->factor = finer; s->factor > 1.0 && !can_make(context, s, result, sim);)
        s->factor /= finer_by;
    if (*sim != NULL)
        return FRZ_OK;
    s->factor = 1.0;
    return make(context, s, result, sim, diag);
}

static frz_status watch(const case_context *context, frz_sim *sim, subject *s, frz_diag *diag)
{
    double next = 0.0, work = 0.0;
    s->fastest = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE).count > 0 ? 0.0 : HUGE_VAL;
    frz_status status = frz_sim_audit(sim, &s->audit, diag);
    while (status == FRZ_OK && s->audit.driver[0] == '\0' && frz_sim_time(sim) < (1.0 - 1e-9) * s->duration &&
           work < most_work)
    {
        frz_diag cause = {.status = FRZ_OK};
        work += rows_of(sim);
        if (frz_sim_step(sim, s->duration - frz_sim_time(sim), &cause) != FRZ_OK)
        {
            snprintf(s->stopped, sizeof s->stopped, "%.200s", cause.message);
            break;
        }
        frz_stats stats;
        frz_sim_stats(sim, &stats);
        s->fastest = fmax(s->fastest, stats.max_speed);
        if (frz_sim_time(sim) < next)
            continue;
        status = frz_sim_audit(sim, &s->audit, diag);
        next = frz_sim_time(sim) + s->duration / rows;
        if (context->progress != NULL)
            context->progress(s->name, fmax(work / most_work, frz_sim_time(sim) / s->duration));
    }
    frz_sim_report report;
    frz_sim_report_get(sim, &report);
    s->spacing = report.spacing;
    s->reached = frz_sim_time(sim) / s->duration;
    return status;
}

static void note(const subject *s, case_result *result)
{
    char name[64];
    snprintf(name, sizeof name, "%s_x%.2f_to_%.0f%%%s", s->name, s->factor, 100.0 * s->reached,
             s->stopped[0] != '\0' ? "_stopped" : "");
    case_limit(result, name, s->stopped[0] != '\0' ? HUGE_VAL : s->audit.worst, 1.0);
}

// Which scenes are not judged, and why.
typedef struct left_out
{
    int still;         // nothing moves by a tenth of a spacing
    char unknown[240]; // the energy is not known: names and reasons
} left_out;

static void leave_out(const subject *s, left_out *out)
{
    const size_t used = strlen(out->unknown);
    snprintf(out->unknown + used, sizeof out->unknown - used, "%s%.40s (%.120s)", used > 0 ? ", " : "", s->name,
             s->audit.driver);
}

static frz_status look_at(const case_context *context, const char *name, case_result *result, left_out *out,
                          frz_diag *diag)
{
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_status status = frz_scene_builtin(name, &scene, diag);
    if (status != FRZ_OK)
        return status;
    subject s = {
        .name = name, .dimension = frz_scene_dimension(scene), .duration = frz_scene_duration(scene), .factor = 1.0};
    frz_scene_destroy(&scene);
    status = coarsen(context, &s, result, &sim, diag);
    if (status == FRZ_OK)
        status = watch(context, sim, &s, diag);
    const bool unknown = s.audit.driver[0] != '\0';
    const bool still = !unknown && s.stopped[0] == '\0' && s.fastest * s.duration < at_rest * s.spacing;
    if (status == FRZ_OK && !unknown && !still)
        note(&s, result);
    if (unknown)
        leave_out(&s, out);
    out->still += still;
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_audit(const case_context *context, case_result *result, frz_diag *diag)
{
    left_out out = {.still = 0};
    frz_status status = FRZ_OK;
    for (int i = 0; status == FRZ_OK && frz_scene_builtin_name(i) != NULL; ++i)
        if (strcmp(frz_scene_builtin_kind(i), "show") == 0)
            status = look_at(context, frz_scene_builtin_name(i), result, &out, diag);
    snprintf(
        result->note, sizeof result->note,
        "Largest rise of the energy, less the work of all that is moved from outside, above its lowest value so far, "
        "over 1 %% of the largest that moved, the energy that lifts all by a tenth of a spacing and the work of a "
        "step. "
        "Names tell the spacing over that of the scene, and the part of its time that was run. Not judged: %d scenes "
        "in "
        "which nothing moves; %s.",
        out.still, out.unknown);
    return status;
}
