// SPDX-License-Identifier: MIT
// Least memory traffic and arithmetic of each stage: a model by counting, see docs/benchmarks.md.
//
// Bytes are the traffic with main memory if every array is used once per sweep and caches keep nothing between sweeps;
// a write counts twice, because the processor reads a line before it writes to it. Neighbours are near in memory
// (particles are sorted), so a gathered array counts like one that is read in order. Flops are the useful ones of the
// formulas, a fused multiply-add being two; conversions, compares and padding lanes do not count.
#include <math.h>
#include <string.h>

#include "bench/bench.h"

/// Cost per particle and per neighbour pair of one pass.
typedef struct pass_cost
{
    double particle_bytes; ///< in a single-precision build; twice that in double precision
    double pair_streams;   ///< how often the pair data is read or written
    double particle_flops, pair_flops;
} pass_cost;

typedef enum solver_kind
{
    no_solver,
    density_solver,
    divergence_solver
} solver_kind;

typedef struct stage_cost
{
    const char *name; ///< of the timer
    pass_cost once;   ///< per step
    solver_kind solver;
    pass_cost iteration;
} stage_cost;

static const double index_bytes = 4.0;
static const double half_pair_bytes = 8.0;    // gradient and value in half precision
static const double double_pair_bytes = 32.0; // in double precision
static const double padding = 1.5;            // lists are padded to multiples of four: this many entries per particle
// cells of one support radius: 27 of them are searched for the neighbours within a sphere, 9 for those within a circle
static const double candidates_3d = 27.0 * 3.0 / (4.0 * M_PI);
static const double candidates_2d = 9.0 / M_PI;
static const double candidate_flops = 8.0; // three differences, a squared length

// An iteration is two sweeps over the pairs and an update:
//   displacement  begin, end 8; kappa 4; gradient sum 16; displacement 16, written: 32           = 60
//   residual      begin, end 8; source, diagonal, kappa, kappa before 16; gradient sum 16;
//                 displacement 16; residual 4, read and written: 8                             = 64
//   update        diagonal, residual 8; kappa 8; kappa before 4, written: 8                    = 24
// and 6 flops per pair in each sweep. Around the iterations, a sweep for the source (velocity 16, compression 4,
// begin, end 8, gradient sum 16, four scalars written 32) and the results (16 + 32 + 24).
#define SOLVER_ONCE                                                                                                    \
    {                                                                                                                  \
        148.0, 1.0, 20.0, 6.0                                                                                          \
    }
#define SOLVER_ITERATION                                                                                               \
    {                                                                                                                  \
        148.0, 2.0, 30.0, 12.0                                                                                         \
    }

static const stage_cost costs[] = {
    // cell of each particle and cell order (position 16; cell and index written and read again: 24; coordinates in cell
    // order 12, written: 40), and 60 bytes of sorted fields read and written (180)
    {.name = "sort", .once = {260.0, 0.0, 10.0, 0.0}},
    // position, body, coordinates 32; list bounds, sums, compression 42, written: 84; pairs written; per pair the
    // distance, the kernel and its gradient, and the sums: 45 flops, plus the candidates (below)
    {.name = "neighbours and density", .once = {116.0, 2.0, 30.0, 45.0}},
    // xsph: velocity 16, begin, end 8, body 4, acceleration read and written 32; 9 flops per pair
    {.name = "forces", .once = {60.0, 1.0, 10.0, 9.0}},
    {.name = "divergence", .once = SOLVER_ONCE, .solver = divergence_solver, .iteration = SOLVER_ITERATION},
    {.name = "density", .once = SOLVER_ONCE, .solver = density_solver, .iteration = SOLVER_ITERATION},
    // position read and written 32, velocity 16 and that before 16, body 4; energies and bounds
    {.name = "integrate", .once = {68.0, 0.0, 40.0, 0.0}},
};

static void add_cost(const frz_bench_result *r, const pass_cost *cost, double particles, double pairs,
                     frz_bench_stage *stage)
{
    const double pair_bytes = index_bytes + (r->double_precision ? double_pair_bytes : half_pair_bytes);
    stage->bytes += cost->particle_bytes * particles * (r->double_precision ? 2.0 : 1.0) +
                    cost->pair_streams * pair_bytes * (pairs + padding * particles);
    stage->flops += cost->particle_flops * particles + cost->pair_flops * pairs;
}

void frz_bench_model(frz_bench_result *r)
{
    for (int s = 0; s < r->stage_count; ++s)
    {
        frz_bench_stage *stage = &r->stages[s];
        stage->bytes = stage->flops = 0.0;
        for (size_t k = 0; k < sizeof costs / sizeof costs[0]; ++k)
        {
            if (strcmp(costs[k].name, stage->name) != 0 || (!r->of->smooths && strcmp(stage->name, "forces") == 0))
                continue;
            add_cost(r, &costs[k].once, r->particle_steps, r->pair_steps, stage);
            const frz_bench_solver *solver = costs[k].solver == density_solver ? &r->density : &r->divergence;
            if (costs[k].solver != no_solver)
                add_cost(r, &costs[k].iteration, solver->particle_iterations, solver->pair_iterations, stage);
        }
        if (strcmp(stage->name, "neighbours and density") == 0)
            stage->flops += candidate_flops * (r->dimension == 3 ? candidates_3d : candidates_2d) * r->pair_steps;
    }
}

double frz_bench_fraction(const frz_bench_result *r, const frz_bench_stage *stage, const char **limit)
{
    // the peak is measured in single precision; twice as wide numbers go at half the rate
    const double flop_rate = r->limits.flop_rate * (r->double_precision ? 0.5 : 1.0);
    *limit = "";
    if (stage->bytes <= 0.0 || stage->seconds <= 0.0 || r->limits.bandwidth <= 0.0 || flop_rate <= 0.0)
        return 0.0;
    const double moving = stage->bytes / r->limits.bandwidth, computing = stage->flops / flop_rate;
    *limit = moving >= computing ? "bandwidth" : "arithmetic";
    return fmax(moving, computing) / stage->seconds;
}
