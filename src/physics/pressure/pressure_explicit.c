// SPDX-License-Identifier: MIT
#include "physics/pressure/pressure_explicit.h"

#include <math.h>
#include <string.h>

// speed of sound over the top speed of the flow: density varies by the inverse square, 1 % (Monaghan 1994)
static const double sound_ratio = 10.0;
// m/s, the top speed of a scene in which nothing moves and nothing falls
static const double usual_speed = 1.0;
// Monaghan 1992; Becker & Teschner 2007, eq. 9
static const double sound_courant = 0.4;
static const double viscous_share = 0.6;
static const double force_courant = 0.25;
// c dt / s beyond which the shortest sound wave on a lattice grows: leap-frog needs omega dt < 2, and omega s / c is at
// most the root of the largest eigenvalue of the pressure's matrix (0.98 in 2D, 1.09 in 3D with the default kernel)
static const double growing = 2.0;

double frz_pressure_sound(const frz_model *model, double given)
{
    if (given > 0.0)
        return given;
    return sound_ratio * (model->expected_speed > 0.0 ? model->expected_speed : usual_speed);
}

double frz_pressure_sound_max_dt(const frz_model *model, const frz_state *state, double sound, double alpha)
{
    const double h = 0.5 * model->support, force = state->stats.max_acceleration;
    const double bound = sound_courant * h / (sound * (1.0 + viscous_share * alpha));
    return force > 0.0 ? fmin(bound, force_courant * sqrt(h / force)) : bound;
}

frz_status frz_pressure_sound_check(const frz_model *model, double sound, const char *method, frz_diag *diag)
{
    const double dt = model->time_step.fixed;
    if (!(sound > 0.0) || !(sound * dt > growing * model->spacing))
        return FRZ_OK;
    return frz_fail(diag, FRZ_ERR_SCENE,
                    "pressure %s: a time_step of %g s is too long for a speed of sound of %g m/s at a spacing of %g m; "
                    "use at most %.2g s, leave time_step out, or choose an incompressible method such as dfsph",
                    method, dt, sound, model->spacing, sound_courant * 0.5 * model->support / sound);
}

static void report_density(frz_state *state, const frz_pressure_system *system, const frz_real *compression)
{
    const int count = system->pairs->count, blocks = frz_block_count(count);
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; ++b)
    {
        frz_pressure_sums *sums = &system->block_sums[b];
        sums->error = sums->largest = 0.0;
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
        {
            const double error = (double)compression[i] - 1.0;
            sums->error += error > 0.0 ? error : 0.0;
            sums->largest = error > sums->largest ? error : sums->largest;
        }
    }
    frz_solver_report *report = &state->stats.density;
    memset(report, 0, sizeof *report);
    report->converged = true;
    if (count > 0)
        report->error_average = frz_exact_sum(&system->block_sums->error, sizeof *system->block_sums, blocks) / count;
    for (int b = 0; b < blocks; ++b)
        report->error_max = fmax(report->error_max, system->block_sums[b].largest);
}

void frz_pressure_finish_explicit(frz_state *state, const frz_pressure_system *system, const frz_real *compression,
                                  double dt, double clock)
{
    frz_pressure_apply(state, system, system->kappa, dt, false);
    report_density(state, system, compression);
    frz_pressure_note(state, system);
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "state equation"), clock);
}
