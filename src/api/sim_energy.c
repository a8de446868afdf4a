// SPDX-License-Identifier: MIT
// The energy of a simulation, for users of the library, and the warning if it grows.
#include <stdio.h>

#include "api/sim_internal.h"

static frz_energies energies_of(const frz_energy *e)
{
    return (frz_energies){
        .kinetic = e->kinetic, .potential = e->potential, .elastic = e->elastic, .surface = e->surface};
}

frz_status frz_sim_energies(frz_sim *sim, frz_energies *out, frz_diag *diag)
{
    frz_energy energy;
    FRZ_TRY(frz_energy_measure(sim->model, sim->state, &energy, NULL, diag));
    *out = energies_of(&energy);
    return FRZ_OK;
}

static void tell(const frz_sim *sim, int body)
{
    const frz_energy_account *account = &sim->state->energy;
    char name[FRZ_BODY_NAME_SIZE] = "", text[512];
    if (body >= 0)
        frz_bodies_name(sim->model, sim->state, body, name);
    snprintf(text, sizeof text,
             "energy was made: at t = %.6g s there are %.3g J more than the least so far, %.3g %% of the most that "
             "moved%s%s%s; shorter steps (time_step.cfl) tell whether the result can be trusted",
             sim->state->time, account->made, 100.0 * account->made / account->scale, body >= 0 ? "; body '" : "", name,
             body >= 0 ? "' gained most" : "");
    if (sim->log != NULL)
        sim->log(sim->log_user, FRZ_LOG_WARNING, text);
}

frz_status frz_sim_audit(frz_sim *sim, frz_audit *out, frz_diag *diag)
{
    frz_energy energy;
    bool told;
    int body;
    FRZ_TRY(frz_energy_audit(sim->model, sim->state, &energy, &told, &body, diag));
    const frz_energy_account *account = &sim->state->energy;
    *out = (frz_audit){
        .energies = energies_of(&energy), .made = account->made, .worst = account->worst, .scale = account->scale};
    if (!frz_energy_driver(sim->model, out->driver, sizeof out->driver) && told)
        tell(sim, body);
    return FRZ_OK;
}
