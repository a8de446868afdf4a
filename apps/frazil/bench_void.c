// SPDX-License-Identifier: MIT
#include "bench_void.h"

#include <math.h>
#include <stdlib.h>

// spacings from a sample within which there is liquid where a body is wet; a liquid at rest begins at one
static const double reach = 2.0;

typedef struct point
{
    double x[3];
} point;

static point point_at(const frz_field_view *view, int64_t row)
{
    point p = {{0.0, 0.0, 0.0}};
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
    *low = (point){{HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    *high = (point){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
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
    int64_t count = 0;
    for (int64_t i = 0; i < position.count; ++i)
    {
        const point p = point_at(&position, i);
        bool inside = true;
        for (int a = 0; a < 3; ++a)
            inside = inside && p.x[a] >= low->x[a] - margin && p.x[a] <= high->x[a] + margin;
        if (inside)
            near[count++] = p;
    }
    return count;
}

static bool is_dry(const point *sample, const point *near, int64_t count, double distance)
{
    for (int64_t i = 0; i < count; ++i)
    {
        const double x = near[i].x[0] - sample->x[0], y = near[i].x[1] - sample->x[1], z = near[i].x[2] - sample->x[2];
        if (x * x + y * y + z * z < distance * distance)
            return false;
    }
    return true;
}

double bench_dry_share(const frz_sim *sim, int body, double spacing)
{
    const int64_t samples = frz_sim_particle_count(sim, FRZ_SEGMENT_SAMPLES);
    const int64_t liquid = frz_sim_particle_count(sim, FRZ_SEGMENT_FREE);
    point *of_body = malloc((size_t)(samples + 1) * sizeof *of_body);
    point *near = malloc((size_t)(liquid + 1) * sizeof *near);
    double share = -1.0;
    if (of_body != NULL && near != NULL)
    {
        point low, high;
        const int64_t count = collect_samples(sim, body, of_body, &low, &high);
        const int64_t around = collect_liquid(sim, &low, &high, reach * spacing, near);
        int64_t dry = 0;
        for (int64_t k = 0; k < count; ++k)
            dry += is_dry(&of_body[k], near, around, reach * spacing);
        share = count > 0 ? (double)dry / (double)count : 0.0;
    }
    free(of_body);
    free(near);
    return share;
}
