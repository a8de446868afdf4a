// SPDX-License-Identifier: MIT
#include "bench/bench_void.h"

#include <math.h>
#include <stdlib.h>

// spacings from a sample within which there is liquid where a body is wet; a liquid at rest begins at one
static const double reach = 2.0;

typedef struct point
{
    double x[3];
    double excess; // of liquid: compression beyond rest
    bool wet;      // of samples: liquid is near; of liquid: a sample is
} point;

static point point_at(const frz_field_view *view, int64_t row)
{
    point p = {.x = {0.0, 0.0, 0.0}};
    for (int a = 0; a < 3; ++a)
        p.x[a] = frz_field_value(view, row, a);
    return p;
}

// The body's samples, and the box around them.
static int64_t collect_samples(const frz_sim *sim, int body, point *samples, point *low, point *high)
{
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_SAMPLES);
    const frz_field_view owner = frz_sim_field(sim, "body", FRZ_SEGMENT_SAMPLES);
    int64_t count = 0;
    *low = (point){.x = {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    *high = (point){.x = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int64_t k = 0; k < position.count; ++k)
    {
        if ((int)frz_field_value(&owner, k, 0) != body)
            continue;
        const point p = point_at(&position, k);
        samples[count++] = p;
        for (int a = 0; a < 3; ++a)
        {
            low->x[a] = fmin(low->x[a], p.x[a]);
            high->x[a] = fmax(high->x[a], p.x[a]);
        }
    }
    return count;
}

// Liquid particles in the box and up to margin outside.
static int64_t collect_liquid(const frz_sim *sim, const point *low, const point *high, double margin, point *near)
{
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view compression = frz_sim_field(sim, "compression", FRZ_SEGMENT_FREE);
    int64_t count = 0;
    for (int64_t i = 0; i < position.count; ++i)
    {
        point p = point_at(&position, i);
        p.excess = fmax(frz_field_value(&compression, i, 0) - 1.0, 0.0);
        bool inside = true;
        for (int a = 0; a < 3; ++a)
            inside = inside && p.x[a] >= low->x[a] - margin && p.x[a] <= high->x[a] + margin;
        if (inside)
            near[count++] = p;
    }
    return count;
}

// Mark samples and liquid particles that are near each other.
static void meet(point *samples, int64_t sample_count, point *liquid, int64_t liquid_count, double distance)
{
    for (int64_t k = 0; k < sample_count; ++k)
        for (int64_t i = 0; i < liquid_count; ++i)
        {
            const double x = liquid[i].x[0] - samples[k].x[0], y = liquid[i].x[1] - samples[k].x[1];
            const double z = liquid[i].x[2] - samples[k].x[2];
            if (x * x + y * y + z * z < distance * distance)
                samples[k].wet = liquid[i].wet = true;
        }
}

bench_interface bench_interface_of(const frz_sim *sim, int body, double spacing)
{
    const int64_t samples = frz_sim_particle_count(sim, FRZ_SEGMENT_SAMPLES);
    const int64_t liquid = frz_sim_particle_count(sim, FRZ_SEGMENT_FREE);
    point *of_body = calloc((size_t)(samples + 1), sizeof *of_body);
    point *near = calloc((size_t)(liquid + 1), sizeof *near);
    bench_interface out = {NAN, NAN};
    if (of_body != NULL && near != NULL)
    {
        point low, high;
        const int64_t count = collect_samples(sim, body, of_body, &low, &high);
        const int64_t around = collect_liquid(sim, &low, &high, reach * spacing, near);
        meet(of_body, count, near, around, reach * spacing);
        double dry = 0.0, beside = 0.0, excess = 0.0;
        for (int64_t k = 0; k < count; ++k)
            dry += of_body[k].wet ? 0.0 : 1.0;
        for (int64_t i = 0; i < around; ++i)
        {
            beside += near[i].wet ? 1.0 : 0.0;
            excess += near[i].wet ? near[i].excess : 0.0;
        }
        out = (bench_interface){count > 0 ? dry / (double)count : 0.0, beside > 0.0 ? excess / beside : 0.0};
    }
    free(of_body);
    free(near);
    return out;
}
