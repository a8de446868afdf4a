// SPDX-License-Identifier: MIT
// The energy of all shipped scenes, to their ends: where nothing does work, none is made.
#include <stdio.h>
#include <string.h>

#include "validation.h"

static const double rows = 2000.0; // at most so many looks at a scene: short steps need not all be seen

static frz_status watch(const case_context *context, frz_sim *sim, double duration, frz_audit *audit, frz_diag *diag)
{
    double next = 0.0;
    frz_status status = frz_sim_audit(sim, audit, diag);
    while (status == FRZ_OK && audit->driver[0] == '\0' && frz_sim_time(sim) < (1.0 - 1e-9) * duration)
    {
        status = frz_sim_step(sim, duration - frz_sim_time(sim), diag);
        if (status != FRZ_OK || frz_sim_time(sim) < next)
            continue;
        status = frz_sim_audit(sim, audit, diag);
        next = frz_sim_time(sim) + duration / rows;
        if (context->progress != NULL)
            context->progress(context->name, frz_sim_time(sim) / duration);
    }
    return status;
}

frz_status validate_audit(const case_context *context, case_result *result, frz_diag *diag)
{
    int driven = 0;
    frz_status status = FRZ_OK;
    for (int i = 0; status == FRZ_OK && frz_scene_builtin_name(i) != NULL; ++i)
    {
        const char *name = frz_scene_builtin_name(i);
        frz_scene *scene = NULL;
        frz_sim *sim = NULL;
        frz_audit audit;
        status = frz_scene_builtin(name, &scene, diag);
        if (status == FRZ_OK && strncmp(name, "bench_", 6) != 0)
            status = case_sim(context, name, result, &sim, diag);
        if (status == FRZ_OK && sim != NULL)
        {
            status = watch(context, sim, frz_scene_duration(scene), &audit, diag);
            driven += audit.driver[0] != '\0';
            if (status == FRZ_OK && audit.driver[0] == '\0')
                case_limit(result, name, audit.worst, 1.0);
        }
        frz_sim_destroy(&sim);
        frz_scene_destroy(&scene);
    }
    snprintf(result->note, sizeof result->note,
             "Largest rise of the energy above its lowest value so far, over 1 %% of the largest that moved. %d scenes "
             "in which "
             "something does work are not judged.",
             driven);
    return status;
}
