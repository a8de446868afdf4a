// SPDX-License-Identifier: MIT
// Water without viscosity at default settings: at rest it makes no energy, and bodies of its density do not sink.
// The lattice of the start is not the lowest state of the particles, so that some energy is set free.
#include <math.h>
#include <stdio.h>

#include "validate/validation.h"

static const double spacing = 0.02; // m, of all scenes
// energy made over the potential energy at the start: the density may be wrong by 2e-4 and change within this
static const double made_gate = 1e-3;
static const double sink_gate = 0.2; // spacings in 2.5 s: 1.6 mm/s

enum
{
    first_disc = 2, // of the bodies of neutral_discs
    disc_count = 4
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

// Heights of the discs.
static void find_discs(const frz_sim *sim, double height[disc_count])
{
    frz_body_info bodies[first_disc + disc_count] = {{{0}}};
    (void)frz_sim_bodies(sim, bodies);
    for (int d = 0; d < disc_count; ++d)
        height[d] = bodies[first_disc + d].position[1];
}

// How far the discs have sunk, in spacings: on average, and the one that moved furthest.
static void judge_discs(const frz_sim *sim, const double start[disc_count], case_result *result)
{
    double now[disc_count], mean = 0.0, furthest = 0.0;
    find_discs(sim, now);
    for (int d = 0; d < disc_count; ++d)
    {
        const double way = (start[d] - now[d]) / spacing;
        mean += way / disc_count;
        furthest = fmax(furthest, fabs(way));
    }
    case_limit(result, "neutral_discs_sink_by_spacings", fabs(mean), sink_gate);
    case_tell(result, "neutral_discs_furthest_by_spacings", furthest);
}

static frz_status try_one(const case_context *context, const trial *t, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    frz_audit start = {.made = 0.0};
    case_energies most = {.made = 0.0};
    double height[disc_count] = {0.0};
    frz_status status = case_sim_with(context, t->scene, (const char *const[]){NULL}, result, &sim, diag);
    if (status == FRZ_OK)
        status = frz_sim_audit(sim, &start, diag);
    if (status == FRZ_OK && t->discs)
        find_discs(sim, height);
    if (status == FRZ_OK)
        status = case_advance_audited(context, sim, t->end, t->end, &most, diag);
    if (status == FRZ_OK)
    {
        char name[64];
        snprintf(name, sizeof name, "%s_energy_made", t->label);
        case_limit(result, name, most.made / start.energies.potential, made_gate);
        snprintf(name, sizeof name, "%s_kinetic_energy", t->label);
        case_tell(result, name, most.last.energies.kinetic / start.energies.potential);
        if (t->discs)
            judge_discs(sim, height, result);
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
