// SPDX-License-Identifier: MIT
// Friction leaves rotation alone: a drop that turns in the open keeps its angular momentum, and liquid in a ring that
// spins comes to turn as fast as the ring.
#include <math.h>
#include <stdio.h>

#include "validate/validation.h"

static const double ring_spin = 10.0; // rad/s, as in the scene

static const char *const methods[] = {"cleary1998", "weiler2018", "morris1997"};
static const size_t judged = 2; // of them; the others are told

// About the origin, of particles of mass 1.
typedef struct turning
{
    double momentum, inertia;
} turning;

static turning measure(const frz_sim *sim)
{
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view velocity = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
    turning sum = {0.0, 0.0};
    for (int64_t i = 0; i < position.count; ++i)
    {
        const double x = frz_field_value(&position, i, 0), y = frz_field_value(&position, i, 1);
        sum.momentum += x * frz_field_value(&velocity, i, 1) - y * frz_field_value(&velocity, i, 0);
        sum.inertia += x * x + y * y;
    }
    return sum;
}

static frz_status try_one(const case_context *context, const char *scene, const char *method, double end,
                          case_result *result, turning *before, turning *after, frz_diag *diag)
{
    frz_sim *sim = NULL;
    const char *const settings[] = {"materials.oil.viscosity.method", method, NULL};
    frz_status status = case_sim_with(context, scene, settings, result, &sim, diag);
    if (status == FRZ_OK)
    {
        *before = measure(sim);
        status = case_advance(context, sim, end, end, NULL, NULL, diag);
    }
    if (status == FRZ_OK)
        *after = measure(sim);
    frz_sim_destroy(&sim);
    return status;
}

static void show(case_result *result, size_t method, const char *name, double error, double gate)
{
    if (method < judged)
        case_limit(result, name, error, gate);
    else
        case_tell(result, name, error);
}

frz_status validate_turning(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    for (size_t m = 0; m < sizeof methods / sizeof *methods && status == FRZ_OK; ++m)
    {
        char name[64];
        turning before, after;
        status = try_one(context, "turning_drop", methods[m], 1.0, result, &before, &after, diag);
        snprintf(name, sizeof name, "%s_momentum_lost", methods[m]);
        if (status == FRZ_OK)
            show(result, m, name, fabs(after.momentum / before.momentum - 1.0), 1e-3);
        if (status == FRZ_OK)
            status = try_one(context, "spinning_ring", methods[m], 2.0, result, &before, &after, diag);
        snprintf(name, sizeof name, "%s_spin_error", methods[m]);
        if (status == FRZ_OK)
            show(result, m, name, fabs(after.momentum / after.inertia / ring_spin - 1.0), 0.01);
    }
    return status;
}
