// SPDX-License-Identifier: MIT
// Volume after five seconds in a tank: twice the height of the centre of mass times the tank's floor, where it is
// lowest in the last swing: a surface that is not flat can only make this larger.
#include <math.h>
#include <string.h>

#include "validate/validation.h"

enum
{
    sample_max = 512
};

typedef struct level
{
    int count;
    double t[sample_max], ratio[sample_max], exact[sample_max];
} level;

static const double last_swing = 4.2;                                        // s; half a sloshing period before the end
static const double floor_area = 0.6 * 0.2, water_volume = 0.24 * 0.4 * 0.2; // as in the scene

static void add_level(const frz_sim *sim, void *user)
{
    level *l = user;
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double sum = 0.0;
    for (int64_t i = 0; i < position.count; ++i)
        sum += frz_field_value(&position, i, 1);
    if (l->count < sample_max)
    {
        l->t[l->count] = frz_sim_time(sim);
        l->ratio[l->count] = 2.0 * sum / (double)position.count * floor_area / water_volume;
        l->exact[l->count] = 1.0;
        l->count += 1;
    }
}

frz_status validate_volume(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    level l;
    memset(&l, 0, sizeof l);
    frz_status status = case_sim(context, "volume", result, &sim, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, 5.0, 0.02, add_level, &l, diag);
    if (status == FRZ_OK)
    {
        frz_stats stats;
        frz_sim_stats(sim, &stats);
        double flattest = HUGE_VAL;
        for (int k = 0; k < l.count; ++k)
            if (l.t[k] > last_swing)
                flattest = fmin(flattest, l.ratio[k]);
        case_figure(result, "volume_ratio", flattest, 1.0, 1.0, 0.01);
        case_limit(result, "particles_lost", (double)stats.lost, 0.0);
        const frz_plot_series series[2] = {{"2 y_cm A / V", l.t, l.ratio, l.count, false},
                                           {"constant volume, flat surface", l.t, l.exact, l.count, false}};
        const frz_plot plot = {"Volume of sloshing water", "time [s]", "volume / initial volume", series, 2};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}
