// SPDX-License-Identifier: MIT
#include "bench/bench_limits.h"

#include <omp.h>
#include <stddef.h>
#include <stdlib.h>

// The triad of McCalpin's STREAM benchmark, a[i] = b[i] + s c[i]. Stores are ordinary ones, so the processor reads a
// line before it writes to it (write-allocate), as it does for the simulation's own arrays: four streams are counted.

enum
{
    repeats = 5,
    triad_count = 1 << 25, // floats per array: three arrays are 403 MB, far more than a cache
    alignment = 64,        // bytes
    chains = 12, // independent sums: two units with a latency of four or five cycles need ten; fits 16 registers
    chain_length = 20 * 1000000 // multiply-adds per chain and run: about a tenth of a second
};

// the widest vector of the machine
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
typedef float vector __attribute__((vector_size(VECTOR_BYTES)));

enum
{
    lanes = VECTOR_BYTES / sizeof(float)
};

// Static schedules everywhere: each thread uses the memory that it touched first.
static double time_triad(float *a, const float *b, const float *c, float s, int threads)
{
    double best = 0.0;
    for (int r = 0; r < repeats; ++r)
    {
        const double start = omp_get_wtime();
#pragma omp parallel for schedule(static) num_threads(threads)
        for (ptrdiff_t i = 0; i < triad_count; ++i)
            a[i] = b[i] + s * c[i];
        const double seconds = omp_get_wtime() - start;
        best = r == 0 || seconds < best ? seconds : best;
    }
    return best;
}

static bool measure_bandwidth(int threads, double *bandwidth)
{
    const size_t bytes = triad_count * sizeof(float);
    float *a = aligned_alloc(alignment, bytes), *b = aligned_alloc(alignment, bytes),
          *c = aligned_alloc(alignment, bytes);
    const bool good = a != NULL && b != NULL && c != NULL;
    if (good)
    {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (ptrdiff_t i = 0; i < triad_count; ++i)
        {
            a[i] = 0.0f;
            b[i] = 1.0f;
            c[i] = 2.0f;
        }
        *bandwidth = FRZ_TRIAD_STREAMS * (double)bytes / time_triad(a, b, c, 3.0f, threads);
    }
    free(a);
    free(b);
    free(c);
    return good;
}

/// Returns something that depends on every operation, so that none can be left out.
static float run_chains(float factor, float term)
{
    vector x[chains];
    const vector f = factor - (vector){0}, t = term - (vector){0};
    for (int k = 0; k < chains; ++k)
        x[k] = t * (float)(k + 1);
    for (int n = 0; n < chain_length; ++n)
    {
#pragma GCC unroll 16
        for (int k = 0; k < chains; ++k)
            x[k] = x[k] * f + t;
    }
    float sum = 0.0f;
    for (int k = 0; k < chains; ++k)
        for (int l = 0; l < lanes; ++l)
            sum += x[k][l];
    return sum;
}

static double measure_flop_rate(int threads)
{
    volatile float factor = 0.999f, term = 0.001f; // tends to one: no overflow, no denormal numbers
    volatile float result = 0.0f;
    double best = 0.0;
    for (int r = 0; r < repeats; ++r)
    {
        const double start = omp_get_wtime();
#pragma omp parallel num_threads(threads)
        {
            const float sum = run_chains(factor, term);
#pragma omp critical(frz_bench_chains)
            result = result + sum;
        }
        const double seconds = omp_get_wtime() - start;
        best = r == 0 || seconds < best ? seconds : best;
    }
    return 2.0 * lanes * chains * (double)chain_length * threads / best;
}

bool frz_bench_limits_measure(int threads, frz_bench_limits *out)
{
    *out = (frz_bench_limits){.vector_floats = lanes};
    out->flop_rate = measure_flop_rate(threads);
    return measure_bandwidth(threads, &out->bandwidth);
}
