// SPDX-License-Identifier: MIT
// Water without viscosity at default settings: at rest it makes no energy, and a body of its density stays where it is.
// The lattice of the start is not the lowest state of the particles, so that some energy is set free.
#include <math.h>
#include <stdio.h>

#include "validate/validation.h"

static const double spacing = 0.02; // m, of all scenes
// energy made over the potential energy at the start: the density may be wrong by 2e-4 and change within this
static const double made_gate = 1e-3;
static const double drift_gate = 0.5; // spacings that the body drifts along the vertical

typedef struct trial
{
    const char *label;
    const char *scene;
    double end; // s
    int body;   // that must stay; -1: none
} trial;

static const trial trials[] = {
    {"plane", "still_water", 3.0, -1}, {"space", "still_water_3d", 1.5, -1}, {"neutral_disc", "neutral_disc", 3.0, 2}};

static double height_of(const frz_sim *sim, int body)
{
    frz_body_info bodies[3]; // of every scene here, at most
    (void)frz_sim_bodies(sim, bodies);
    return bodies[body].position[1];
}

static frz_status try_one(const case_context *context, const trial *t, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    frz_audit start = {.made = 0.0}, now = {.made = 0.0};
    double made = 0.0, drift = 0.0, height = 0.0;
    frz_status status = case_sim_with(context, t->scene, (const char *const[]){NULL}, result, &sim, diag);
    if (status == FRZ_OK)
        status = frz_sim_audit(sim, &start, diag);
    if (status == FRZ_OK && t->body >= 0)
        height = height_of(sim, t->body);
    while (status == FRZ_OK && frz_sim_time(sim) < t->end * (1.0 - 1e-9))
    {
        status = frz_sim_step(sim, t->end - frz_sim_time(sim), diag);
        if (status == FRZ_OK)
            status = frz_sim_audit(sim, &now, diag);
        made = fmax(made, now.made);
        if (status == FRZ_OK && t->body >= 0)
            drift = fmax(drift, fabs(height_of(sim, t->body) - height));
        if (status == FRZ_OK && context->progress != NULL)
            context->progress(context->name, frz_sim_time(sim) / t->end);
    }
    if (status == FRZ_OK)
    {
        char name[64];
        snprintf(name, sizeof name, "%s_energy_made", t->label);
        case_limit(result, name, made / start.energies.potential, made_gate);
        snprintf(name, sizeof name, "%s_kinetic_energy", t->label);
        case_tell(result, name, now.energies.kinetic / start.energies.potential);
        snprintf(name, sizeof name, "%s_drift_in_spacings", t->label);
        if (t->body >= 0)
            case_limit(result, name, drift / spacing, drift_gate);
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_still_water(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    for (size_t n = 0; n < sizeof trials / sizeof trials[0] && status == FRZ_OK; ++n)
        status = try_one(context, &trials[n], result, diag);
    return status;
}
