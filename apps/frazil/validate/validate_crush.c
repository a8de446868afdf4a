// SPDX-License-Identifier: MIT
// Elastic blocks that a hammer crushes make no energy, whole or breaking: blows of one to four times the speed of
// sound, which press particles flat and inside out.
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

static const double until = 0.05;       // s
static const double growth_gate = 0.01; // energy made over that at the start: beyond it the program warns
static const double pressed = 0.2;      // elastic energy over that at the start: the block was crushed
static const int least_bodies = 13;     // with pieces: it broke

typedef struct trial
{
    const char *label;
    const char *elastic, *fracture; // fracture null: none
    const char *velocity;           // of the hammer
} trial;

#define TLSPH      "{method: tlsph, young: 1e5, poisson: 0.3}"
#define BECKER     "{method: becker2009, young: 1e5, poisson: 0.3}"
#define BY_STRESS  "{method: stress, strength: 5e3}"
#define BY_STRETCH "{method: stretch, limit: 0.2}"

static const trial trials[] = {
    {"tlsph_1c", TLSPH, NULL, "[0, -10]"},
    {"tlsph_2c", TLSPH, NULL, "[0, -20]"},
    {"tlsph_4c", TLSPH, NULL, "[0, -40]"},
    {"tlsph_st_venant", "{method: tlsph, law: st_venant_kirchhoff, young: 1e5, poisson: 0.3}", NULL, "[0, -20]"},
    {"zhou2013_2c", "{method: zhou2013, young: 1e5, poisson: 0.3}", NULL, "[0, -20]"},
    {"becker2009_2c", BECKER, NULL, "[0, -20]"},
    {"tlsph_stress", TLSPH, BY_STRESS, "[0, -10]"},
    {"tlsph_stretch", TLSPH, BY_STRETCH, "[0, -10]"},
    {"tlsph_stretch_2c", TLSPH, BY_STRETCH, "[0, -20]"},
    {"becker2009_stress", BECKER, BY_STRESS, "[0, -10]"},
    {"becker2009_stretch", BECKER, BY_STRETCH, "[0, -10]"},
    {"mueller2004_stretch", "{method: mueller2004, young: 1e5, poisson: 0.3}", BY_STRETCH, "[0, -10]"},
};

/// start: energy of motion at time 0, J
static void note(const trial *t, const frz_sim *sim, double start, const case_energies *most, case_result *result)
{
    char name[64];
    snprintf(name, sizeof name, "%s_energy_made", t->label);
    case_limit(result, name, most->made / start, growth_gate);
    snprintf(name, sizeof name, "%s_pressed", t->label);
    case_limit(result, name, pressed * start / most->elastic, 1.0);
    snprintf(name, sizeof name, "%s_broke", t->label);
    if (t->fracture != NULL)
        case_limit(result, name, (double)least_bodies / frz_sim_body_count(sim), 1.0);
}

static frz_status try_one(const case_context *context, const trial *t, case_result *result, frz_diag *diag)
{
    const char *settings[8] = {"materials.clay.elastic", t->elastic, "bodies.hammer.velocity", t->velocity};
    if (t->fracture != NULL)
    {
        settings[4] = "materials.clay.fracture";
        settings[5] = t->fracture;
    }
    frz_sim *sim = NULL;
    frz_audit start = {.made = 0.0};
    case_energies most = {.made = 0.0};
    frz_status status = case_sim_with(context, "crush", settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = frz_sim_audit(sim, &start, diag);
    if (status == FRZ_OK)
        status = case_advance_audited(context, sim, until, until, &most, diag);
    if (status == FRZ_OK)
        note(t, sim, start.energies.kinetic, &most, result);
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_crush(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    for (size_t n = 0; n < sizeof trials / sizeof trials[0] && status == FRZ_OK; ++n)
        status = try_one(context, &trials[n], result, diag);
    return status;
}
