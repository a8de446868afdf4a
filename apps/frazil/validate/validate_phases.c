// SPDX-License-Identifier: MIT
// Changes of phase by heat: melting particles leave their body, freezing ones join the solids that they touch
// (Solenthaler, Schlaefli & Pajarola 2007, figures 1 and 3). Bodies are counted before, while it is molten and after.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/validation.h"

// Bodies of a state with more particles than dust.
static int count_bodies(const frz_sim *sim, const char *state)
{
    const int count = frz_sim_body_count(sim), dust = 8;
    frz_body_info *bodies = malloc(((size_t)count + 1) * sizeof *bodies);
    int found = 0;
    if (bodies == NULL)
        return -1;
    frz_sim_bodies(sim, bodies);
    for (int b = 0; b < count; ++b)
        found += strcmp(bodies[b].state, state) == 0 && bodies[b].particles > dust;
    free(bodies);
    return found;
}

static double total_mass(const frz_sim *sim)
{
    const int count = frz_sim_body_count(sim);
    frz_body_info *bodies = malloc(((size_t)count + 1) * sizeof *bodies);
    double sum = 0.0;
    if (bodies == NULL)
        return -1.0;
    frz_sim_bodies(sim, bodies);
    for (int b = 0; b < count; ++b)
        sum += bodies[b].mass;
    free(bodies);
    return sum;
}

/// One scene with solids of one state, and how many there must be at each time.
typedef struct story
{
    const char *scene, *state;
    double until[2];    ///< s
    int start, then[2]; ///< bodies at the start and at these times
} story;

static frz_status tell(const case_context *context, const story *t, case_result *result, frz_diag *diag)
{
    char name[64];
    const char *const settings[] = {
        "bodies.0.state", t->state, "bodies.1.state", t->state, "materials.wax.melting.solid", t->state, NULL};
    const char *const single[] = {"bodies.0.state", t->state, "materials.wax.melting.solid", t->state, NULL};
    frz_sim *sim = NULL;
    frz_status status =
        case_sim_with(context, t->scene, strcmp(t->scene, "split") == 0 ? single : settings, result, &sim, diag);
    if (status != FRZ_OK)
        return status;
    const double mass = total_mass(sim);
    snprintf(name, sizeof name, "%s_bodies_at_the_start", t->state);
    case_figure(result, name, count_bodies(sim, t->state), t->start, 1.0, 0.0);
    for (int n = 0; n < 2 && status == FRZ_OK; ++n)
    {
        status = case_advance(context, sim, t->until[n], 0.1, NULL, NULL, diag);
        snprintf(name, sizeof name, "%s_bodies_after_%g_s", t->state, t->until[n]);
        if (status == FRZ_OK)
            case_figure(result, name, count_bodies(sim, t->state), t->then[n], 1.0, 0.0);
    }
    if (status == FRZ_OK)
    {
        frz_stats stats;
        frz_sim_stats(sim, &stats);
        snprintf(name, sizeof name, "%s_heat_drift", t->state);
        case_limit(result, name, fabs(stats.heat_drift) / stats.heat, 1e-10);
        snprintf(name, sizeof name, "%s_mass_change", t->state);
        case_limit(result, name, fabs(total_mass(sim) / mass - 1.0), 1e-9);
        snprintf(name, sizeof name, "%s_changes", t->state);
        case_tell(result, name, (double)stats.changed);
    }
    frz_sim_destroy(&sim);
    return status;
}

static frz_status tell_both(const case_context *context, const story *rigid, case_result *result, frz_diag *diag)
{
    story elastic = *rigid;
    elastic.state = "elastic";
    const frz_status status = tell(context, rigid, result, diag);
    return status == FRZ_OK ? tell(context, &elastic, result, diag) : status;
}

frz_status validate_merge(const case_context *context, case_result *result, frz_diag *diag)
{
    static const story blocks = {"merge", "rigid", {2.5, 8.0}, 2, {2, 1}};
    return tell_both(context, &blocks, result, diag);
}

frz_status validate_split(const case_context *context, case_result *result, frz_diag *diag)
{
    static const story bar = {"split", "rigid", {2.5, 4.0}, 1, {2, 2}};
    return tell_both(context, &bar, result, diag);
}

frz_status validate_distinct(const case_context *context, case_result *result, frz_diag *diag)
{
    static const story blocks = {"distinct", "rigid", {2.5, 5.0}, 2, {2, 2}};
    return tell(context, &blocks, result, diag);
}
