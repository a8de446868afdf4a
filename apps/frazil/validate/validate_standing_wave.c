// SPDX-License-Identifier: MIT
// First sloshing mode of a tank: omega^2 = g k tanh(k h), k = pi / L.
//
// Chosen over the rotating square because that case needs a liquid that bears tension: its exact pressure is negative
// in the middle, and a solver that lets surfaces separate must not reproduce it. The surface starts tilted; the
// centre of mass then swings with the first mode (of the others only odd ones are excited, weighted with 1 / n^4).
#include <math.h>
#include <string.h>

#include "validate/validation.h"

enum
{
    sample_max = 4096
};

typedef struct swing
{
    int count;
    double t[sample_max], x[sample_max];
} swing;

static void add_centre(const frz_sim *sim, void *user)
{
    swing *s = user;
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double sum = 0.0;
    for (int64_t i = 0; i < position.count; ++i)
        sum += frz_field_value(&position, i, 0);
    if (s->count < sample_max)
    {
        s->t[s->count] = frz_sim_time(sim);
        s->x[s->count] = sum / (double)position.count;
        s->count += 1;
    }
}

// Mean time between zero crossings, times two.
static double period_of(const swing *s, double middle, int *crossings)
{
    double first = 0.0, last = 0.0;
    *crossings = 0;
    for (int k = 1; k < s->count; ++k)
    {
        const double a = s->x[k - 1] - middle, b = s->x[k] - middle;
        if ((a < 0.0) == (b < 0.0))
            continue;
        last = s->t[k - 1] + (s->t[k] - s->t[k - 1]) * a / (a - b);
        if (*crossings == 0)
            first = last;
        *crossings += 1;
    }
    return *crossings > 1 ? 2.0 * (last - first) / (*crossings - 1) : 0.0;
}

frz_status validate_standing_wave(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double pi = 3.14159265358979323846, length = 1.0, depth = 0.5, gravity = 9.81; // as in the scene
    frz_sim *sim = NULL;
    swing s;
    memset(&s, 0, sizeof s);
    frz_status status = case_sim(context, "standing_wave", result, &sim, diag);
    if (status == FRZ_OK)
    {
        add_centre(sim, &s);
        status = case_advance(context, sim, 5.0, 0.01, add_centre, &s, diag);
    }
    if (status == FRZ_OK)
    {
        const double k = pi / length, omega = sqrt(gravity * k * tanh(k * depth));
        int crossings = 0;
        const double period = period_of(&s, 0.5 * length, &crossings);
        double start = s.x[0] - 0.5 * length, late = 0.0;
        for (int n = 0; n < s.count; ++n)
            if (s.t[n] > 5.0 - 2.0 * pi / omega)
                late = fmax(late, fabs(s.x[n] - 0.5 * length));
        case_figure(result, "period_s", period, 2.0 * pi / omega, 2.0 * pi / omega, 0.02);
        case_limit(result, "amplitude_lost_in_four_periods", 1.0 - late / fabs(start), 0.35);
        static double exact[sample_max];
        for (int n = 0; n < s.count; ++n)
            exact[n] = 0.5 * length + start * cos(omega * s.t[n]);
        const frz_plot_series series[2] = {{"measured", s.t, s.x, s.count, false},
                                           {"linear theory, undamped", s.t, exact, s.count, false}};
        const frz_plot plot = {"Standing wave", "time [s]", "centre of mass x [m]", series, 2};
        status = case_plot(context, result, &plot, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}
