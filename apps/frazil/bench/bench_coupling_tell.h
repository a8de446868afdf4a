// SPDX-License-Identifier: MIT
// Output of the coupling benchmark: tables, JSON, plots.
#pragma once

#include "bench/bench_coupling_run.h"

/// All runs of a scene by one rule: the converged one first.
typedef struct coupling_series
{
    const coupling_scene *of;
    const coupling_rule *rule;
    coupling_run runs[COUPLING_RUNS];
    int count, code;
    // processor time of weak over that of strong coupling; 0: there is none
    double gain;          ///< weak coupling that is the same, strong coupling at the paper's step
    double best_gain;     ///< the same for strong coupling at its cheapest step
    double own_step_gain; ///< weak coupling that is the same as strong coupling at the step of the weak one
    double paper_ratio;   ///< both at the paper's steps, whether weak coupling is the same or not
    bool strong_is_same;  ///< strong coupling at the paper's step is the same as the converged run
} coupling_series;

void coupling_print_head(const coupling_series *all);
void coupling_print_run(const coupling_run *run);
void coupling_print_gains(const coupling_series *all);
void coupling_print_json(const coupling_series *list, int count, const double *density, const double *sweep,
                         int sweep_count);
/// Force of the liquid on the body over time: strong and weak coupling at the paper's step, weak where it is the same.
FRZ_NODISCARD frz_status coupling_plot_force(const char *folder, const coupling_series *all, frz_diag *diag);
/// The gain over the ratio of densities.
FRZ_NODISCARD frz_status coupling_plot_sweep(const char *folder, const double *ratio, const double *gain, int count,
                                             frz_diag *diag);
