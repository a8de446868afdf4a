// SPDX-License-Identifier: MIT
// Peak memory bandwidth and arithmetic of the machine, measured with the same threads as a benchmark.
#pragma once

#include <stdbool.h>

enum
{
    FRZ_TRIAD_STREAMS = 4 ///< memory streams counted per element: two reads, one write, and the read before the write
};

typedef struct frz_bench_limits
{
    double bandwidth;  ///< bytes/s of a triad over arrays that no cache holds
    double flop_rate;  ///< 1/s, single precision, fused multiply-adds counted as two
    int vector_floats; ///< lanes of the vectors used for it
} frz_bench_limits;

/// Best of several runs each; takes about two seconds. False if there is not enough memory for the arrays.
bool frz_bench_limits_measure(int threads, frz_bench_limits *out);
