// SPDX-License-Identifier: MIT
// Collapse of a column a wide and 2a high: position Z = x / a of the front over T = t sqrt(2 g / a).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validation.h"

static const double column = 0.05715; // a, m

// Martin & Moyce 1952, n^2 = 2: a = 2.25 in, then a = 1.125 in
static const double measured_t[] = {0.832, 1.219, 1.997, 2.547, 3.345, 4.034, 4.418, 5.091};
static const double measured_z[] = {1.217, 1.474, 2.292, 2.995, 4.134, 4.944, 5.881, 6.980};
static const double small_t[] = {0.849, 1.212, 1.602, 2.283, 2.950, 3.598, 3.905, 4.592, 5.316};
static const double small_z[] = {1.245, 1.443, 1.884, 2.689, 3.728, 4.528, 4.999, 5.841, 6.717};

enum
{
    sample_max = 512,
    measured_count = sizeof measured_t / sizeof *measured_t,
    small_count = sizeof small_t / sizeof *small_t
};

typedef struct front
{
    int count;
    double t[sample_max], z[sample_max];
} front;

// The front is the foremost particle that still has company: 0.2 % of all particles are ahead of it (spray is not front).
static void add_front(const frz_sim *sim, void *user)
{
    front *f = user;
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_LIQUID);
    enum
    {
        ahead_max = 64
    };
    double ahead[ahead_max];
    const int ahead_count = (int)fmin(ahead_max, fmax(1.0, 0.002 * (double)position.count));
    int held = 0;
    for (int64_t i = 0; i < position.count; ++i)
    {
        double x = frz_field_value(&position, i, 0);
        for (int k = 0; k < ahead_count; ++k) // keep the largest, in order
            if (k >= held || x > ahead[k])
            {
                const double moved = k < held ? ahead[k] : 0.0;
                const bool grows = k >= held;
                ahead[k] = x;
                x = moved;
                if (grows)
                {
                    held += 1;
                    break;
                }
            }
    }
    if (f->count < sample_max && held > 0)
    {
        frz_sim_report report;
        frz_sim_report_get(sim, &report);
        f->t[f->count] = frz_sim_time(sim) * sqrt(2.0 * 9.81 / column);
        f->z[f->count] = (ahead[held - 1] + 0.5 * report.spacing) / column; // the water ends half a spacing further
        f->count += 1;
    }
}

static double interpolate(const front *f, double t)
{
    for (int k = 1; k < f->count; ++k)
        if (f->t[k] >= t)
        {
            const double s = (t - f->t[k - 1]) / (f->t[k] - f->t[k - 1]);
            return f->z[k - 1] + s * (f->z[k] - f->z[k - 1]);
        }
    return f->z[f->count - 1];
}

// Root mean square of the relative difference.
static double rms(const front *f, const double *t, const double *z, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; ++k)
    {
        const double difference = interpolate(f, t[k]) / z[k] - 1.0;
        sum += difference * difference;
    }
    return sqrt(sum / count);
}

frz_status validate_dam_break(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    front f;
    memset(&f, 0, sizeof f);
    frz_status status = case_sim(context, "dam_break", &sim, diag);
    const double end = 5.4 / sqrt(2.0 * 9.81 / column);
    if (status == FRZ_OK)
    {
        add_front(sim, &f);
        status = case_advance(context, sim, end, 0.001, add_front, &f, diag);
    }
    if (status == FRZ_OK)
    {
        case_limit(result, "front_rms_a_2.25_in", rms(&f, measured_t, measured_z, measured_count), 0.10);
        case_limit(result, "front_rms_a_1.125_in", rms(&f, small_t, small_z, small_count), 0.10);
        const frz_plot_series series[3] = {{"Frazil", f.t, f.z, f.count, false},
                                           {"Martin & Moyce 1952, a = 2.25 in", measured_t, measured_z, measured_count, true},
                                           {"Martin & Moyce 1952, a = 1.125 in", small_t, small_z, small_count, true}};
        const frz_plot plot = {"Collapse of a water column", "t sqrt(2 g / a)", "front / a", series, 3};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}
