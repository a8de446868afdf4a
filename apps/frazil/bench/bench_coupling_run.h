// SPDX-License-Identifier: MIT
// One run of the coupling benchmark, and by which rules it is compared.
#pragma once

#include "bench/bench_coupling.h"

enum
{
    COUPLING_SAMPLES = 20, ///< times at which a run is compared
    COUPLING_BODIES = 16,  ///< in a scene, at most
    COUPLING_TRACK = 2048, ///< points of a track, at most
    COUPLING_RUNS = 32,    ///< of a scene by one rule, at most
    COUPLING_SETTINGS = 4  ///< of a rule
};

/// How a body's way is measured.
typedef enum coupling_way
{
    COUPLING_HEIGHT, ///< of its position, m
    COUPLING_TURN    ///< integral of its spin about x, rad
} coupling_way;

typedef struct coupling_scene
{
    const char *name, *scene, *body;
    coupling_way way;
    double step;                 ///< of strong coupling, s
    double end_time, quick_time; ///< s
    int refined;                 ///< the converged run has a step so many times shorter
    double least_way;            ///< what differences are held against where the body hardly moves
    const char *plain;           ///< pressure method as printed: tolerance 0.1 %, relaxed Jacobi, no further bounds
    const char *exact;           ///< the same for the converged run, with a tolerance for its step
    // of the paper: tables 1 and 2
    double paper_gain, paper_weak_step, paper_frame; ///< s; seconds per frame on 16 cores with strong coupling
} coupling_scene;

/// Rule by which a run counts as the same as another one.
typedef struct coupling_rule
{
    const char *name;
    const char *title; ///< a sentence
    bool plain;        ///< the scene's pressure method as printed, else as it is in the scene
    bool always;       ///< the way is compared at all times, else in the end
    bool bounds;       ///< rates, rejected tries and voids are compared too
} coupling_rule;

/// Positions of a body and forces of the liquid on it, step by step or less often.
typedef struct coupling_track
{
    int count;
    double time[COUPLING_TRACK], way[COUPLING_TRACK], force[COUPLING_TRACK];
} coupling_track;

typedef struct coupling_run
{
    const char *coupling;
    const char *pressure; ///< null: as in the scene
    double step;          ///< s
    bool converged;       ///< the others are compared with it
    bool judged;          ///< else it goes on to the end whatever it does
    double way[COUPLING_SAMPLES];
    double dry[COUPLING_SAMPLES]; ///< share of the body that liquid keeps away from
    double last_way;
    double start, turn;                 ///< height at the start, m, and angle turned, rad
    double compared_time, compared_way; ///< at the last comparison of rates
    double time;                        ///< simulated, s
    double wall, cpu;                   ///< s
    int64_t steps;
    double iterations;      ///< per step, both solves
    double difference;      ///< from the reference over its longest way, the least way at least: largest
    double end_difference;  ///< the same in the end, over its way there
    double rate_difference; ///< the same of the rate, over the highest
    double void_share;      ///< largest dry share beyond that of the reference
    double squeeze;         ///< largest mean compression of the liquid beside the body
    double shaking;        ///< force: root mean square of its distance from the mean of its neighbours, over the weight
    double worst_error;    ///< largest average density error of a step, %
    double worst_particle; ///< largest density error of a particle, %
    int64_t liquid, walls;
    int64_t rejected;
    double twin_difference; ///< from strong coupling at the same step, over its way; 0: not compared
    const char *verdict;    ///< why it is not the same; null: it is
    coupling_track track;
} coupling_run;

/// Tolerances of a rule: 5 % of the body's path, and further bounds.
extern const double coupling_same_way, coupling_same_dry, coupling_same_rate, coupling_frame_time;

/// Simulate; reference may be null. Returns an exit code.
int coupling_measure(const frz_call *call, const bench_coupling_wish *wish, const coupling_scene *of,
                     const coupling_rule *rule, const coupling_run *reference, coupling_run *out);
/// Processor time per simulated second.
double coupling_cost(const coupling_run *run);
/// The largest of some samples.
double coupling_largest(const double *values);
