// SPDX-License-Identifier: MIT
// Soft bodies that fall on a floor or into each other make no energy: kinetic, potential and elastic energy together
// never exceed those at the start, and no ball comes back higher than it fell from. With methods at their defaults, in
// two and three dimensions, from soft to stiff, and with steps that become four times as short within a contact.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/validation.h"

static const double poisson = 0.3;      // of all trials
static const double growth_gate = 1e-3; // of the energy at the start
static const double return_gate = 1.0;  // height that a ball comes back to, over that it fell
static const double in_contact = 0.7;   // kinetic energy over its largest, below which a contact is on
static const double cut = 4.0;

typedef struct trial
{
    const char *label;
    const char *scene;
    const char *elastic; // method and its parameters
    double young;        // Pa; 0: the program's own account is taken for the elastic energy
    int dimension;
    bool cuts;          // steps become shorter in the contact
    const char *across; // position of the right ball; null: that of the scene
} trial;

static const trial trials[] = {
    {"drop_peer2018", "bounce", "{method: peer2018, young: 1e6, poisson: 0.3}", 1e6, 2, false, NULL},
    {"drop_kugelstadt2021", "bounce", "{method: kugelstadt2021, young: 1e6, poisson: 0.3}", 1e6, 2, false, NULL},
    {"drop_zhou2013_implicit", "bounce",
     "{method: zhou2013, law: corotated, integration: implicit, young: 1e6, poisson: 0.3}", 1e6, 2, false, NULL},
    {"drop_midpoint", "bounce", "{method: peer2018, scheme: midpoint, young: 1e6, poisson: 0.3}", 1e6, 2, false, NULL},
    {"drop_1e5_Pa", "bounce", "{method: peer2018, young: 1e5, poisson: 0.3}", 1e5, 2, false, NULL},
    {"drop_1e7_Pa", "bounce", "{method: peer2018, young: 1e7, poisson: 0.3}", 1e7, 2, false, NULL},
    {"drop_1e9_Pa", "bounce", "{method: peer2018, young: 1e9, poisson: 0.3}", 1e9, 2, false, NULL},
    {"drop_cut", "bounce", "{method: peer2018, young: 1e6, poisson: 0.3}", 1e6, 2, true, NULL},
    {"drop_cut_1e9_Pa", "bounce", "{method: peer2018, young: 1e9, poisson: 0.3}", 1e9, 2, true, NULL},
    {"drop_3d", "bounce_3d", "{method: peer2018, young: 1e6, poisson: 0.3}", 1e6, 3, false, NULL},
    {"meet_peer2018", "collide", "{method: peer2018, young: 1e6, poisson: 0.3}", 1e6, 2, false, NULL},
    {"meet_midpoint", "collide", "{method: peer2018, scheme: midpoint, young: 1e6, poisson: 0.3}", 1e6, 2, false, NULL},
    {"meet_1e9_Pa", "collide", "{method: peer2018, young: 1e9, poisson: 0.3}", 1e9, 2, false, NULL},
    {"meet_cut", "collide", "{method: peer2018, young: 1e6, poisson: 0.3}", 1e6, 2, true, NULL},
    {"meet_off_centre", "collide", "{method: peer2018, young: 1e6, poisson: 0.3}", 1e6, 2, false, "0.2"},
    {"meet_off_centre_cut", "collide", "{method: kugelstadt2021, young: 1e6, poisson: 0.3}", 1e6, 2, true, "0.2"},
    {"meet_3d", "collide_3d", "{method: peer2018, young: 1e6, poisson: 0.3}", 1e6, 3, false, NULL},
    {"meet_tlsph", "collide", "{method: tlsph, young: 1e6, poisson: 0.3}", 0.0, 2, false, NULL},
    {"meet_becker2009", "collide", "{method: becker2009, young: 1e6, poisson: 0.3}", 0.0, 2, false, NULL},
    {"meet_mueller2004", "collide", "{method: mueller2004, young: 1e6, poisson: 0.3}", 0.0, 2, false, NULL},
    {"meet_zhou2013", "collide", "{method: zhou2013, young: 1e6, poisson: 0.3}", 0.0, 2, false, NULL},
    {"meet_solenthaler2007", "collide", "{method: solenthaler2007, young: 1e6, poisson: 0.3}", 0.0, 2, false, NULL},
    {"meet_off_centre_tlsph", "collide", "{method: tlsph, young: 1e6, poisson: 0.3}", 0.0, 2, false, "0.2"},
    {"meet_off_centre_becker2009", "collide", "{method: becker2009, young: 1e6, poisson: 0.3}", 0.0, 2, false, "0.2"},
    {"drop_tlsph", "bounce", "{method: tlsph, young: 1e6, poisson: 0.3}", 0.0, 2, false, NULL},
    {"drop_becker2009", "bounce", "{method: becker2009, young: 1e6, poisson: 0.3}", 0.0, 2, false, NULL},
    {"drop_mueller2004", "bounce", "{method: mueller2004, young: 1e6, poisson: 0.3}", 0.0, 2, false, NULL},
    {"drop_zhou2013", "bounce", "{method: zhou2013, young: 1e6, poisson: 0.3}", 0.0, 2, false, NULL},
};

// (R + R^-T) / 2, whose limit is the rotation of a matrix with a positive determinant (Higham 1986).
static void improve_rotation(double r[9])
{
    const double c[9] = {r[4] * r[8] - r[5] * r[7], r[5] * r[6] - r[3] * r[8], r[3] * r[7] - r[4] * r[6],
                         r[2] * r[7] - r[1] * r[8], r[0] * r[8] - r[2] * r[6], r[1] * r[6] - r[0] * r[7],
                         r[1] * r[5] - r[2] * r[4], r[2] * r[3] - r[0] * r[5], r[0] * r[4] - r[1] * r[3]};
    const double determinant = r[0] * c[0] + r[1] * c[1] + r[2] * c[2];
    for (int k = 0; k < 9; ++k)
        r[k] = 0.5 * (r[k] + c[k] / determinant);
}

// mu |F - R|^2 + lambda / 2 (tr(R^T F) - 3)^2, J/m^3. Without the energy of zero-energy control.
static double corotated_energy(const double *f, double young)
{
    const double mu = young / (2.0 * (1.0 + poisson));
    const double lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    double r[9], square = 0.0, trace = -3.0;
    memcpy(r, f, sizeof r);
    for (int n = 0; n < 12; ++n)
        improve_rotation(r);
    for (int k = 0; k < 9; ++k)
    {
        square += (f[k] - r[k]) * (f[k] - r[k]);
        trace += r[k] * f[k];
    }
    return mu * square + 0.5 * lambda * trace * trace;
}

// Record of a run.
typedef struct track
{
    double *gradient;
    double cell;               // volume of a particle, m^d
    double first, most;        // energy, J
    double kinetic_most;       // J
    double top, low, returned; // potential energies: at the start, the lowest, the highest after that; J
    bool shorter;              // steps have been cut
} track;

static frz_status measure(frz_sim *sim, const trial *t, track *seen, frz_diag *diag)
{
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    double elastic = 0.0;
    if (t->young == 0.0)
    {
        frz_energies energies;
        const frz_status status = frz_sim_energies(sim, &energies, diag);
        if (status != FRZ_OK)
            return status;
        // in the middle of the step, where explicit methods have their energy
        stats.kinetic_energy = energies.kinetic;
        stats.potential_energy = energies.potential;
        elastic = energies.elastic;
    }
    if (t->young > 0.0)
    {
        const int64_t count = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE).count;
        const frz_status status = frz_sim_deformation(sim, seen->gradient, count, diag);
        if (status != FRZ_OK)
            return status;
        for (int64_t i = 0; i < count; ++i)
            elastic += seen->cell * corotated_energy(seen->gradient + 9 * i, t->young);
    }
    const double energy = stats.kinetic_energy + stats.potential_energy + elastic;
    if (frz_sim_step_count(sim) == 1)
    {
        seen->first = seen->most = energy;
        seen->top = seen->low = seen->returned = stats.potential_energy;
    }
    seen->most = fmax(seen->most, energy);
    seen->kinetic_most = fmax(seen->kinetic_most, stats.kinetic_energy);
    if (stats.potential_energy < seen->low)
        seen->low = seen->returned = stats.potential_energy;
    seen->returned = fmax(seen->returned, stats.potential_energy);
    return FRZ_OK;
}

static frz_status run(const case_context *context, const trial *t, frz_sim *sim, double until, track *seen,
                      frz_diag *diag)
{
    frz_status status = FRZ_OK;
    double longest = HUGE_VAL;
    while (status == FRZ_OK && frz_sim_time(sim) < until * (1.0 - 1e-9))
    {
        frz_stats stats;
        status = frz_sim_step(sim, fmin(until - frz_sim_time(sim), longest), diag);
        if (status == FRZ_OK)
            status = measure(sim, t, seen, diag);
        frz_sim_stats(sim, &stats);
        if (t->cuts && !seen->shorter && stats.kinetic_energy < in_contact * seen->kinetic_most)
        {
            longest = stats.dt / cut;
            seen->shorter = true;
        }
        if (context->progress != NULL)
            context->progress(context->name, frz_sim_time(sim) / until);
    }
    return status;
}

static void note(const trial *t, const track *seen, bool falls, case_result *result)
{
    char name[64];
    const double growth = fmax(seen->most - seen->first, 0.0) / seen->first;
    snprintf(name, sizeof name, "%s_energy_made", t->label);
    case_limit(result, name, growth, growth_gate);
    if (!falls)
        return;
    snprintf(name, sizeof name, "%s_comes_back", t->label);
    case_limit(result, name, (seen->returned - seen->low) / (seen->top - seen->low), return_gate);
}

static frz_status try_one(const case_context *context, const trial *t, case_result *result, frz_diag *diag)
{
    const bool falls = strncmp(t->scene, "bounce", 6) == 0;
    const char *settings[8] = {"materials.rubber.elastic", t->elastic};
    char place[96];
    int n = 2;
    if (t->across != NULL)
    {
        snprintf(place, sizeof place, "{sphere: {center: [0.25, %s], radius: 0.2}}", t->across);
        settings[n++] = "bodies.right.shape";
        settings[n++] = place;
    }
    settings[n] = NULL;
    frz_sim *sim = NULL;
    track seen = {.gradient = NULL};
    frz_status status = case_sim_with(context, t->scene, settings, result, &sim, diag);
    if (status == FRZ_OK)
    {
        frz_sim_report report;
        frz_sim_report_get(sim, &report);
        seen.cell = pow(report.spacing, t->dimension);
        const int64_t count = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE).count;
        seen.gradient = malloc((size_t)count * 9 * sizeof *seen.gradient);
        if (seen.gradient == NULL)
        {
            snprintf(diag->message, sizeof diag->message, "no memory for the case 'bounce'");
            status = diag->status = FRZ_ERR_MEMORY;
        }
    }
    if (status == FRZ_OK)
        status = run(context, t, sim, falls ? 0.8 : 0.4, &seen, diag);
    if (status == FRZ_OK)
        note(t, &seen, falls, result);
    free(seen.gradient);
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_bounce(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    for (size_t n = 0; n < sizeof trials / sizeof trials[0] && status == FRZ_OK; ++n)
        status = try_one(context, &trials[n], result, diag);
    return status;
}
