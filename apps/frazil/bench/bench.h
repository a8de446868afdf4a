// SPDX-License-Identifier: MIT
// A benchmark: its measurements, the least memory traffic and arithmetic of each stage, and the report.
#pragma once

#include <frazil/frazil.h>

#include "bench/bench_limits.h"

enum
{
    FRZ_BENCH_STAGES = 16,
    FRZ_BENCH_SCALE_TEXTS = 11,
    FRZ_BENCH_PRESET_TEXTS = 4
};

/// Overrides ("key=value") that make a scene's edges larger by a factor.
typedef struct frz_bench_scaling
{
    int count;
    char texts[FRZ_BENCH_SCALE_TEXTS][200];
} frz_bench_scaling;

/// The rival of a case: another setting of the same scene, or the same scene whose heat is held from the first measured
/// step on, for comparison.
typedef struct frz_bench_rival
{
    const char *name;    ///< null: none
    const char *setting; ///< "key=value"; null: the heat is held
    int64_t most_steps;  ///< largest number of measured steps
} frz_bench_rival;

typedef struct frz_bench_case
{
    const char *name;
    const char *scene; ///< a builtin one
    const char *doc;
    void (*scale)(double factor, frz_bench_scaling *out);
    bool smooths; ///< its force stage is xsph, the one that the model counts
    frz_bench_rival rival;
    int64_t warmup; ///< steps before those that are measured, unless the user tells
} frz_bench_case;

/// A pressure method in a comparison: with a suitable step, and at the same tolerance as the others where it has one.
typedef struct frz_bench_preset
{
    const char *solver;
    const char *settings[FRZ_BENCH_PRESET_TEXTS];   ///< overrides "key=value"; null behind the last
    double density_tolerance, divergence_tolerance; ///< requested or expected average errors, %
} frz_bench_preset;

extern const frz_bench_preset frz_bench_presets[]; ///< the first is the default; ends with a null name

/// Sums over the steps of a solver.
typedef struct frz_bench_solver
{
    int64_t iterations;
    double particle_iterations, pair_iterations; ///< iterations times the particles and the pairs of their step
    double error_sum;                            ///< of the steps' average errors, %
    double error_worst;                          ///< largest average error of a step, %
    double error_largest;                        ///< largest error of any particle, %
    double tolerance;                            ///< %
} frz_bench_solver;

typedef struct frz_bench_stage
{
    const char *name;
    double seconds; ///< of all steps
    int64_t calls;
    double bytes, flops; ///< of all steps, by the model; 0: not modelled
} frz_bench_stage;

typedef struct frz_bench_result
{
    const frz_bench_case *of;
    const frz_bench_preset *preset;
    double scale;
    int threads, dimension;
    int64_t steps, warmup;
    int64_t liquid, walls; ///< at the start
    bool double_precision;
    double seconds;                    ///< of all steps
    double cpu_seconds;                ///< of all steps and threads: independent of other programs
    double simulated_time;             ///< s
    double particle_steps, pair_steps; ///< sums over the steps
    frz_bench_solver density, divergence;
    int64_t rejected, lost;
    int64_t library_peak; ///< bytes that the library held at most
    double process_peak;  ///< bytes of memory that the process used at most; 0 if unknown
    char cpu[128];
    frz_bench_limits limits;
    int stage_count;
    frz_bench_stage stages[FRZ_BENCH_STAGES]; ///< the last one is the time without a timer
    int64_t rival_steps;                      ///< 0 without a rival
    double rival_seconds, rival_time;         ///< wall-clock and simulated time of the rival's steps
    double rival_cpu;                         ///< processor time of them
    double common_seconds, common_time;       ///< of the first steps, as many as the rival took at most
    double common_cpu;
} frz_bench_result;

/// Fill in bytes and flops of the stages.
void frz_bench_model(frz_bench_result *result);

/// Part of the limit that binds a stage which the stage reaches, and its name; 0 and "" if it is not modelled.
double frz_bench_fraction(const frz_bench_result *result, const frz_bench_stage *stage, const char **limit);

/// earlier is the JSON text of another result to compare with, from file, or null.
void frz_bench_print_text(const frz_bench_result *result, const char *earlier, const char *file);
void frz_bench_print_json(const frz_bench_result *result, const char *earlier, const char *file);

/// An iteration scheme of the pressure, in one of the methods and cases.
typedef struct frz_bench_iteration
{
    const char *of;     ///< case
    int64_t most_steps; ///< largest number of measured steps
    const char *name;
    frz_bench_preset preset;
} frz_bench_iteration;

extern const frz_bench_iteration frz_bench_iterations[]; ///< ends with a null name

/// Tables of results, a line each: all presets, and behind them all iterations.
void frz_bench_print_solvers(const frz_bench_result *results, int count, bool json);

/// The elastic methods on one beam (bench_beam.c).
typedef struct frz_bench_beam
{
    const char *method; ///< null: all
    int threads;
    int64_t most_steps; ///< of each run
    bool compare;       ///< with a run of short steps, for the error; takes long
    bool json;
    const char *plots; ///< folder for plots; null: none
    bool overhead;     ///< measure the cost of rotation instead
} frz_bench_beam;

bool frz_bench_beam_knows(const char *method);
/// Prints while it measures.
frz_status frz_bench_beam_run(const frz_bench_beam *bench, frz_diag *diag);
/// The same for the cost of rotation, with a plot (bench_beam_overhead.c).
frz_status frz_bench_beam_overhead(const frz_bench_beam *bench, frz_diag *diag);

/// Does the text look like a result of frz_bench_print_json?
bool frz_bench_is_result(const char *text);
