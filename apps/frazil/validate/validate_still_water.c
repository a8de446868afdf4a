// SPDX-License-Identifier: MIT
// Water without viscosity at default settings: at rest it makes no energy. Told: how bodies of its density drift.
// The lattice of the start is not the lowest state of the particles, so that some energy is set free.
#include <stdio.h>

#include "validate/validation.h"

static const double spacing = 0.02; // m, of all scenes
// energy made over the potential energy at the start: the density may be wrong by 2e-4 and change within this
static const double made_gate = 1e-3;

enum
{
    first_disc = 2, // of the bodies of neutral_discs
    last_disc = 5
};

typedef struct trial
{
    const char *label;
    const char *scene;
    double end; // s
    bool discs;
} trial;

static const trial trials[] = {{"plane", "still_water", 3.0, false},
                               {"space", "still_water_3d", 1.5, false},
                               {"neutral_discs", "neutral_discs", 2.5, true}};

// Mean height of the discs.
static double height_of_discs(const frz_sim *sim)
{
    frz_body_info bodies[last_disc + 1] = {{{0}}};
    double sum = 0.0;
    (void)frz_sim_bodies(sim, bodies);
    for (int b = first_disc; b <= last_disc; ++b)
        sum += bodies[b].position[1];
    return sum / (last_disc + 1 - first_disc);
}

static frz_status try_one(const case_context *context, const trial *t, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    frz_audit start = {.made = 0.0};
    case_energies most = {.made = 0.0};
    double height = 0.0;
    frz_status status = case_sim_with(context, t->scene, (const char *const[]){NULL}, result, &sim, diag);
    if (status == FRZ_OK)
        status = frz_sim_audit(sim, &start, diag);
    if (status == FRZ_OK && t->discs)
        height = height_of_discs(sim);
    if (status == FRZ_OK)
        status = case_advance_audited(context, sim, t->end, t->end, &most, diag);
    if (status == FRZ_OK)
    {
        char name[64];
        snprintf(name, sizeof name, "%s_energy_made", t->label);
        case_limit(result, name, most.made / start.energies.potential, made_gate);
        snprintf(name, sizeof name, "%s_kinetic_energy", t->label);
        case_tell(result, name, most.last.energies.kinetic / start.energies.potential);
        snprintf(name, sizeof name, "%s_sink_by_spacings", t->label);
        if (t->discs)
            case_tell(result, name, (height - height_of_discs(sim)) / spacing);
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
