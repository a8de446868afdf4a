// SPDX-License-Identifier: MIT
// Melting of gallium in a box that is heated from one side: the melt convects, and the front leans.
//
// The mean position of the front is the molten fraction of the volume times the width. References: the simulation of
// Blais & Ilinca 2018 (doi:10.1016/j.compfluid.2018.03.037) and the experiment of Gau & Viskanta 1986
// (doi:10.1115/1.3246884), as digitised with the example melting-cavity of the program Lethe; times are tau = Ste Fo,
// with Fo by the width. The experiment is reported, not judged: it is not two-dimensional, and its Rayleigh number is
// larger.
#include <math.h>
#include <stdio.h>

#include "validate/validation.h"

// as in the scene
static const double width = 0.0889, height = 0.0635, density = 6093.0, latent = 76.3e3;
static const double diffusivity = 32.0 / (6093.0 * 381.5), stefan = 0.041;

// Molten part of the volume at a time.
typedef struct front
{
    double tau, simulation, experiment;
} front;

frz_status validate_gallium(const case_context *context, case_result *result, frz_diag *diag)
{
    // the experiment between its points
    static const front fronts[] = {
        {0.01116, 0.1423, 0.134}, {0.02473, 0.2344, 0.215}, {0.03891, 0.3163, 0.286}, {0.05323, 0.4000, 0.383}};
    const double all = density * width * height * latent; // J/m
    frz_sim *sim = NULL;
    frz_status status = case_sim(context, "gallium", result, &sim, diag);
    for (int n = 0; n < 4 && status == FRZ_OK; ++n)
    {
        const front *f = &fronts[n];
        const double time = f->tau * width * width / (diffusivity * stefan);
        char name[64];
        frz_stats stats;
        status = case_advance(context, sim, time, time / 50.0, NULL, NULL, diag);
        if (status != FRZ_OK)
            break;
        frz_sim_stats(sim, &stats);
        const double molten = stats.latent_heat / all;
        snprintf(name, sizeof name, "front_after_%.0f_s", time);
        case_figure(result, name, width * molten, width * f->simulation, width * f->simulation, 0.1);
        snprintf(name, sizeof name, "experiment_after_%.0f_s", time);
        case_figure(result, name, width * molten, width * f->experiment, width * f->experiment, HUGE_VAL);
        if (n == 3)
            case_limit(result, "heat_drift", fabs(stats.heat_drift) / stats.heat, 1e-10);
    }
    frz_sim_destroy(&sim);
    snprintf(result->note, sizeof result->note,
             "mean place of the front in m, from the latent heat; the solid is very viscous, as in the reference");
    return status;
}
