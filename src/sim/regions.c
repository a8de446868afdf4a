// SPDX-License-Identifier: MIT
// Regions: parts of space that push the liquid in them, or remove it (sim/domain.c).
#include <math.h>

#include "base/blocks.h"
#include "base/exact.h"
#include "base/memory.h"
#include "sim/state.h"

void frz_region_destroy(frz_region *region)
{
    frz_free(region->name);
    frz_free(region->schedule.intervals);
    frz_shape_destroy(&region->shape);
}

static bool holds(const frz_shape *shape, frz_bounds bounds, frz_vec3 p)
{
    return p.x >= bounds.min.x && p.x <= bounds.max.x && p.y >= bounds.min.y && p.y <= bounds.max.y &&
           p.z >= bounds.min.z && p.z <= bounds.max.z && frz_shape_distance(shape, p) < 0.0;
}

bool frz_region_contains(const frz_model *model, const frz_region *region, frz_vec3 point)
{
    const frz_bounds bounds = frz_shape_bounds(region->shape);
    if (holds(region->shape, bounds, point))
        return true;
    if (!model->periodic[0] && !model->periodic[1] && !model->periodic[2])
        return false;
    // a region may reach over a seam
    int images[3];
    double period[3];
    for (int a = 0; a < 3; ++a)
    {
        images[a] = model->periodic[a] ? 1 : 0;
        period[a] = model->periodic[a] ? model->domain_max[a] - model->domain_min[a] : 0.0;
    }
    for (int z = -images[2]; z <= images[2]; ++z)
        for (int y = -images[1]; y <= images[1]; ++y)
            for (int x = -images[0]; x <= images[0]; ++x)
                if (holds(region->shape, bounds,
                          frz_v3(point.x + x * period[0], point.y + y * period[1], point.z + z * period[2])))
                    return true;
    return false;
}

// Drag is integrated exactly: a velocity v becomes u + (v - u) exp(-drag dt), for any length of the step.
static void push(const frz_model *model, const frz_state *state, const frz_region *region, double dt)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const uint8_t *material = frz_particles_material(&state->particles);
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    const frz_real share = (frz_real)(-expm1(-region->drag * dt) / dt);
    const frz_v4 steady = frz_v4_of(region->acceleration), target = frz_v4_of(region->velocity);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        if (region->material >= 0 && region->material != material[i])
            continue;
        const frz_v4 x = position[i];
        if (frz_region_contains(model, region, frz_v3_of(x)))
            acceleration[i] += steady + share * (target - velocity[i]);
    }
}

// Work of a region in a step, J.
static frz_status add_work(const frz_model *model, frz_state *state, const frz_region *region, double dt,
                           frz_diag *diag)
{
    const int count = state->particles.count[FRZ_ROLE_FREE], blocks = frz_block_count(count);
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    double *sums = FRZ_SCRATCH(&state->scratch, blocks + 1, double);
    if (sums == NULL)
        return frz_fail_memory(diag, "the regions");
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity),
                 *before = state->attempt.drivers.before;
    const uint8_t *material = frz_particles_material(&state->particles);
    const double share = -expm1(-region->drag * dt) / dt;
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; ++b)
    {
        sums[b] = 0.0;
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
        {
            if ((region->material >= 0 && region->material != material[i]) ||
                !frz_region_contains(model, region, frz_v3_of(position[i])))
                continue;
            const frz_vec3 slip = frz_v3_sub(region->velocity, frz_v3_of(before[i]));
            const frz_vec3 way = frz_v3_scale(dt, frz_v3_of(velocity[i]));
            sums[b] += frz_particle_mass(model, frz_particles_inverse_density(&state->particles)[i]) *
                       frz_v3_dot(frz_v3_mad(region->acceleration, share, slip), way);
        }
    }
    state->stats.work += frz_exact_sum(sums, sizeof *sums, blocks);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

frz_status frz_regions_work(const frz_model *model, frz_state *state, double dt, frz_diag *diag)
{
    for (int r = 0; r < model->region_count; ++r)
        if (model->regions[r].action == FRZ_REGION_FORCE &&
            frz_schedule_is_on(&model->regions[r].schedule, state->time))
            FRZ_TRY(add_work(model, state, &model->regions[r], dt, diag));
    return FRZ_OK;
}

void frz_regions_push(const frz_model *model, frz_state *state, double dt)
{
    for (int r = 0; r < model->region_count; ++r)
        if (model->regions[r].action == FRZ_REGION_FORCE &&
            frz_schedule_is_on(&model->regions[r].schedule, state->time))
            push(model, state, &model->regions[r], dt);
}

double frz_regions_acceleration(const frz_model *model, const frz_state *state)
{
    double largest = 0.0;
    for (int r = 0; r < model->region_count; ++r)
        if (model->regions[r].action == FRZ_REGION_FORCE &&
            frz_schedule_is_on(&model->regions[r].schedule, state->time))
            largest = fmax(largest, frz_v3_length(model->regions[r].acceleration));
    return largest;
}
