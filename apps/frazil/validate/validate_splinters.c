// SPDX-License-Identifier: MIT
// A bar that breaks on a liquid, and its splinters: small bodies that turn all the way round, touch each other, a soft
// ball and a block, and float. No energy may come of it.
#include <stdio.h>

#include "validate/validation.h"

static const double growth_gate = 0.01; // energy made over the largest that moved: beyond it the program warns
static const int least_bodies = 25;     // with pieces: it broke

typedef struct trial
{
    const char *label, *viscosity, *elastic; // of the liquid, and of the bar
} trial;

static const trial trials[] = {
    {"syrup", "{method: weiler2018, viscosity: 8}", "{method: tlsph, young: 2e6, poisson: 0.3}"},
    {"water", "{method: xsph, coefficient: 0.02}", "{method: tlsph, young: 2e6, poisson: 0.3}"},
    {"syrup_implicit_bar", "{method: weiler2018, viscosity: 8}", "{method: peer2018, young: 2e6, poisson: 0.3}"},
};

static frz_status try_one(const case_context *context, const trial *t, case_result *result, frz_diag *diag)
{
    const char *const settings[] = {"materials.syrup.viscosity", t->viscosity, "materials.plaster.elastic", t->elastic,
                                    NULL};
    const double until = 0.4;
    frz_sim *sim = NULL;
    case_energies most = {.made = 0.0};
    frz_status status = case_sim_with(context, "splinters", settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance_audited(context, sim, until, until, &most, diag);
    if (status == FRZ_OK)
    {
        char name[64];
        snprintf(name, sizeof name, "%s_energy_made", t->label);
        case_limit(result, name, most.made / most.kinetic, growth_gate);
        snprintf(name, sizeof name, "%s_broke", t->label);
        case_limit(result, name, (double)least_bodies / frz_sim_body_count(sim), 1.0);
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_splinters(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    for (size_t n = 0; n < sizeof trials / sizeof trials[0] && status == FRZ_OK; ++n)
        status = try_one(context, &trials[n], result, diag);
    return status;
}
