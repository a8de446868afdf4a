// SPDX-License-Identifier: MIT
// Water falls flat on the floor of a tank and comes to rest. Kinetic and potential energy together never grow, and no
// particle is pressed into others: with every pressure method at its defaults, in tanks that fit the particles and in
// some that do not, in the plane and in space.
//
// Energies are over the kinetic energy of the fall. Methods that solve for the pressure store none, so that the sum
// must not rise above its lowest value; with a state equation water springs back, and the sum must not rise above its
// value before the impact (rows that are drawn together to fit a tank hold some energy at the start). The compression
// of such water by an impact depends on its speed of sound: it is reported, not judged.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

static const double gravity = 9.81, density = 1000.0;
static const double fallen = 0.4;     // s
static const double dam_broken = 1.0; // s
// rise of energy that passes, over that of the fall, and compression of a particle
static const double rise_gate = 0.02, growth_gate = 0.005, crowding_gate = 0.2;

typedef struct fall
{
    const char *scene;
    double width, depth, height, drop; // m; a depth of 1 in the plane
} fall;

static const fall falls[] = {
    {"splash", 0.84, 1.0, 1.0, 0.05}, {"splash", 0.84, 1.0, 1.0, 0.1}, {"splash", 1.0137, 1.0, 0.8, 0.07},
    {"splash", 2.71, 1.0, 0.5, 0.07}, {"splash", 3.6, 1.0, 1.0, 0.05}, {"splash_3d", 0.61, 0.53, 0.5, 0.08},
};

static const struct
{
    const char *key;
    bool solves; // for the pressure
} methods[] = {{"dfsph", true}, {"iisph", true}, {"pcisph", true}, {"wcsph", false}, {"sesph", false}};

enum
{
    fall_count = sizeof falls / sizeof falls[0],
    method_count = sizeof methods / sizeof methods[0],
    word_size = 160
};

typedef struct account
{
    bool begun;
    double blow;          // s, when it falls on the floor
    double start, lowest; // J; the highest before the blow
    double growth, rise;  // J, beyond the start and beyond the lowest so far
    double densest;
} account;

static void add_step(const frz_sim *sim, void *user)
{
    account *a = user;
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    const double energy = stats.kinetic_energy + stats.potential_energy;
    if (!a->begun)
        a->start = a->lowest = energy;
    a->begun = true;
    if (frz_sim_time(sim) < a->blow)
        a->start = fmax(a->start, energy);
    a->lowest = fmin(a->lowest, energy);
    a->growth = fmax(a->growth, energy - a->start);
    a->rise = fmax(a->rise, energy - a->lowest);
    const frz_field_view compression = frz_sim_field(sim, "compression", FRZ_SEGMENT_FREE);
    for (int64_t i = 0; i < compression.count; ++i)
        a->densest = fmax(a->densest, frz_field_value(&compression, i, 0));
}

// One fall with one method; the worst figures so far are kept.
static frz_status drop_water(const case_context *context, const fall *f, const char *method, case_result *result,
                             account *worst, frz_diag *diag)
{
    char water[word_size], tank[word_size];
    const bool plane = strcmp(f->scene, "splash") == 0;
    snprintf(water, sizeof water,
             plane ? "{box: {min: [0, %g], max: [%g, %g]}}" : "{box: {min: [0, %g, 0], max: [%g, %g, %g]}}", f->drop,
             f->width, f->drop + f->height, f->depth);
    snprintf(tank, sizeof tank,
             plane ? "{shell: {of: {box: {min: [0, 0], max: [%g, %g]}}, thickness: 60 mm, open: [+y]}}"
                   : "{shell: {of: {box: {min: [0, 0, 0], max: [%g, %g, %g]}}, thickness: 80 mm, open: [+y]}}",
             f->width, 2.0 * (f->drop + f->height), f->depth);
    const char *const settings[] = {
        "bodies.water.shape", water, "bodies.tank.shape", tank, method != NULL ? "pressure" : NULL, method, NULL};
    frz_sim *sim = NULL;
    account a;
    memset(&a, 0, sizeof a);
    a.blow = sqrt(2.0 * f->drop / gravity);
    frz_status status = case_sim_with(context, f->scene, settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance_steps(context, sim, fallen, add_step, &a, diag);
    const double energy = density * f->width * f->depth * f->height * gravity * f->drop;
    worst->growth = fmax(worst->growth, a.growth / energy);
    worst->rise = fmax(worst->rise, a.rise / energy);
    worst->densest = fmax(worst->densest, a.densest);
    frz_sim_destroy(&sim);
    return status;
}

// The dam of the benchmark with free steps: where its front meets the far wall, particles are pressed the most.
static frz_status break_dam(const case_context *context, case_result *result, frz_diag *diag)
{
    static const char *const settings[] = {"spacing", "40 mm", "time_step", "{max: 20 ms}", NULL};
    frz_sim *sim = NULL;
    account a;
    memset(&a, 0, sizeof a);
    frz_status status = case_sim_with(context, "bench_dam", settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance_steps(context, sim, dam_broken, add_step, &a, diag);
    if (status == FRZ_OK)
        case_limit(result, "crowding_dam", a.densest - 1.0, crowding_gate);
    frz_sim_destroy(&sim);
    return status;
}

static void judge(const account *worst, const char *method, bool solves, case_result *result)
{
    char name[word_size];
    snprintf(name, sizeof name, "growth_of_energy_%s", method);
    case_limit(result, name, worst->growth, growth_gate);
    snprintf(name, sizeof name, "rise_of_energy_%s", method);
    if (solves)
        case_limit(result, name, worst->rise, rise_gate);
    snprintf(name, sizeof name, "crowding_%s", method);
    if (solves)
        case_limit(result, name, worst->densest - 1.0, crowding_gate);
    else
        case_tell(result, name, worst->densest - 1.0);
}

frz_status validate_splash_energy(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    // a method that was asked for takes the place of all
    const int count = context->pressure != NULL ? 1 : method_count;
    for (int m = 0; m < count && status == FRZ_OK; ++m)
    {
        account worst;
        memset(&worst, 0, sizeof worst);
        const char *key = context->pressure != NULL ? NULL : methods[m].key;
        for (int n = 0; n < fall_count && status == FRZ_OK; ++n)
            status = drop_water(context, &falls[n], key, result, &worst, diag);
        bool solves = true;
        for (int k = 0; k < method_count; ++k)
            solves = strcmp(result->pressure, methods[k].key) == 0 ? methods[k].solves : solves;
        if (status == FRZ_OK)
            judge(&worst, result->pressure, solves, result);
    }
    if (status == FRZ_OK && context->pressure == NULL)
        status = break_dam(context, result, diag);
    snprintf(result->note, sizeof result->note,
             "Energies over that of the fall; the worst of %d tanks. Crowding: compression of the densest particle.",
             (int)fall_count);
    return status;
}
