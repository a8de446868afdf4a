// SPDX-License-Identifier: MIT
// Soft bodies that lie on each other, with default steps, which are long for them: blocks do not sink into each other,
// friction holds them on a slope, and neither they nor discs that fall into a box make energy.
#include <math.h>
#include <stdio.h>

#include "validate/validation.h"

static const double growth_gate = 1e-3; // energy made over that at the start
static const double sink_gate = 0.1;    // spacings that the top of the pile sinks, beside its compression by weight
static const double slip_gate = 0.1;    // spacings that a block slides in 0.7 s, once it has settled

typedef struct trial
{
    const char *label;
    const char *scene;
    const char *elastic;
    double settled, end; // s
    double spacing;      // m
    int body;            // that is watched; -1: none
    int axis;
} trial;

static const trial trials[] = {
    {"crossed_1e6_Pa", "pile", "{method: peer2018, young: 1e6, poisson: 0.3}", 0.2, 2.0, 0.025, 3, 1},
    {"crossed_kugelstadt2021", "pile", "{method: kugelstadt2021, young: 1e6, poisson: 0.3}", 0.2, 2.0, 0.025, 3, 1},
    {"slope_peer2018", "pile_slope", "{method: peer2018, young: 2e5, poisson: 0.3}", 0.5, 1.2, 0.02, 2, 0},
    {"slope_tlsph", "pile_slope", "{method: tlsph, young: 2e5, poisson: 0.3}", 0.5, 1.2, 0.02, 2, 0},
    {"slope_becker2009", "pile_slope", "{method: becker2009, young: 2e5, poisson: 0.3}", 0.5, 1.2, 0.02, 2, 0},
    {"discs_peer2018", "pile_balls", "{method: peer2018, young: 5e5, poisson: 0.4}", 0.0, 1.5, 0.015, -1, 0},
};

static double mean_place(const frz_sim *sim, int body, int axis)
{
    const frz_field_view place = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view owner = frz_sim_field(sim, "body", FRZ_SEGMENT_FREE);
    double sum = 0.0;
    int64_t count = 0;
    for (int64_t i = 0; i < place.count; ++i)
        if ((int)frz_field_value(&owner, i, 0) == body)
        {
            sum += frz_field_value(&place, i, axis);
            count += 1;
        }
    return sum / (double)count;
}

static frz_status try_one(const case_context *context, const trial *t, case_result *result, frz_diag *diag)
{
    const char *const settings[] = {"materials.gel.elastic", t->elastic, NULL};
    frz_sim *sim = NULL;
    frz_audit start = {.made = 0.0};
    case_energies most = {.made = 0.0};
    double place = 0.0;
    frz_status status = case_sim_with(context, t->scene, settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = frz_sim_audit(sim, &start, diag);
    if (status == FRZ_OK)
        status = case_advance_audited(context, sim, t->settled, t->end, &most, diag);
    if (status == FRZ_OK && t->body >= 0)
        place = mean_place(sim, t->body, t->axis);
    if (status == FRZ_OK)
        status = case_advance_audited(context, sim, t->end, t->end, &most, diag);
    if (status == FRZ_OK)
    {
        char name[64];
        snprintf(name, sizeof name, "%s_energy_made", t->label);
        case_limit(result, name, most.made / start.energies.potential, growth_gate);
        snprintf(name, sizeof name, "%s_%s", t->label, t->axis == 1 ? "sinks" : "slides");
        if (t->body >= 0)
            case_limit(result, name, fabs(mean_place(sim, t->body, t->axis) - place) / t->spacing,
                       t->axis == 1 ? sink_gate : slip_gate);
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_pile(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_status status = FRZ_OK;
    for (size_t n = 0; n < sizeof trials / sizeof trials[0] && status == FRZ_OK; ++n)
        status = try_one(context, &trials[n], result, diag);
    return status;
}
