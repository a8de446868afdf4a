// SPDX-License-Identifier: MIT
// Particles at their new positions: periodic seams, open limits, regions that kill, counting surfaces.
#include "sim/domain.h"

#include <math.h>
#include <string.h>

#include "sim/state.h"

// fates of a particle; a number from 0 on is the region that removes it
enum
{
    fate_kept = -1,
    fate_lost = -2
};

bool frz_domain_wrap(const frz_model *model, frz_v4 *x)
{
    for (int a = 0; a < model->dimension; ++a)
    {
        const frz_real min = (frz_real)model->domain_min[a], max = (frz_real)model->domain_max[a];
        if ((*x)[a] >= min && (*x)[a] < max)
            continue;
        if (!model->periodic[a])
            return false;
        (*x)[a] += (*x)[a] < min ? max - min : min - max;
        if (!((*x)[a] >= min && (*x)[a] < max)) // rounding at the seam
            (*x)[a] = min;
    }
    return true;
}

static int fate_of(const frz_model *model, const frz_state *state, const bool *kills, int i)
{
    frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const uint8_t *material = frz_particles_material(&state->particles);
    if (!frz_domain_wrap(model, &position[i]))
        return fate_lost;
    for (int r = 0; r < model->region_count; ++r)
    {
        const frz_region *region = &model->regions[r];
        if (kills[r] && (region->material < 0 || region->material == material[i]) &&
            frz_region_contains(model, region, frz_v3_of(position[i])))
            return r;
    }
    return fate_kept;
}

// Difference to the nearest image of a patch's centre.
static frz_vec3 offset_from(const frz_grid *grid, const frz_patch *patch, frz_vec3 x)
{
    frz_vec3 d = frz_v3_sub(x, patch->center);
    double *along[3] = {&d.x, &d.y, &d.z};
    for (int a = 0; a < 3; ++a)
        if (grid->periodic[a])
            *along[a] -= grid->period[a] * floor(*along[a] / grid->period[a] + 0.5);
    return d;
}

// +1 or -1 if a move crosses the patch along or against its normal, else 0. The side is a function of the position
// alone, so that a particle that crosses and returns counts zero for any time steps.
static int crossing(const frz_model *model, const frz_grid *grid, const frz_patch *patch, frz_vec3 from, frz_vec3 to)
{
    const frz_vec3 a = offset_from(grid, patch, from), b = offset_from(grid, patch, to);
    const double before = frz_v3_dot(a, patch->normal), after = frz_v3_dot(b, patch->normal);
    if ((before < 0.0) == (after < 0.0))
        return 0;
    // a step moves no particle further than a spacing: longer jumps change to another image, half a period away
    if (frz_v3_length(frz_v3_sub(b, a)) > 2.0 * model->spacing)
        return 0;
    const frz_vec3 at = frz_v3_mad(a, before / (before - after), frz_v3_sub(b, a));
    if (!frz_patch_covers(patch, at, model->dimension))
        return 0;
    return after < 0.0 ? -1 : 1;
}

// The cell list still has the positions before the step.
static int64_t count_crossings(const frz_model *model, const frz_state *state, const frz_patch *patch)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const frz_cell_list *before = &state->neighbors.free_cells;
    const int count = state->particles.count[FRZ_ROLE_FREE];
    int64_t sum = 0; // of integers: the same in any order
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < count; ++i)
    {
        const frz_vec3 from = frz_v3((double)before->x[i], (double)before->y[i], (double)before->z[i]);
        sum += crossing(model, &state->neighbors.grid, patch, from, frz_v3_of(position[i]));
    }
    return sum;
}

// Keep the particles of an order; probes and forces still use the cell list of this step.
static void keep(frz_state *state, const int *order, int kept)
{
    frz_particles_permute(&state->particles, FRZ_ROLE_FREE, order, kept, NULL);
    for (int k = 0; k < state->neighbors.free_cells.count; ++k)
        state->neighbors.free_cells.index[k] = -1;
    for (int n = 0; n < kept; ++n)
        state->neighbors.free_cells.index[order[n]] = n;
}

static bool leaves_domain(const frz_model *model, const frz_state *state)
{
    bool inside = true;
    for (int a = 0; a < model->dimension; ++a)
        inside = inside && state->stats.min[a] >= model->domain_min[a] && state->stats.max[a] < model->domain_max[a];
    return !inside;
}

// Wrapped positions and the fate of each particle.
static void decide(const frz_model *model, const frz_state *state, const bool *kills, int *fate)
{
    const int count = state->particles.count[FRZ_ROLE_FREE];
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
        fate[i] = fate_of(model, state, kills, i);
}

void frz_domain_apply(const frz_model *model, frz_state *state)
{
    const int count = state->particles.count[FRZ_ROLE_FREE];
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    int *fate = FRZ_SCRATCH(&state->scratch, count + 1, int);
    int *order = FRZ_SCRATCH(&state->scratch, count + 1, int);
    bool *kills = FRZ_SCRATCH(&state->scratch, model->region_count + 1, bool);
    bool active = leaves_domain(model, state);
    for (int r = 0; kills != NULL && r < model->region_count; ++r)
    {
        const frz_region *region = &model->regions[r];
        kills[r] = region->action == FRZ_REGION_KILL && frz_schedule_is_on(&region->schedule, state->time);
        active = active || kills[r];
    }
    // without memory no particle is removed: searches are still correct, and the next step tries again
    active = active && fate != NULL && order != NULL && kills != NULL;
    if (active)
        decide(model, state, kills, fate);
    for (int p = 0; p < model->probe_count; ++p)
        if (model->probes[p].flow)
            state->sources.flows[p].crossed += count_crossings(model, state, &model->probes[p].patch);
    int kept = 0;
    for (int i = 0; active && i < count; ++i)
    {
        if (fate[i] == fate_kept)
            order[kept++] = i;
        else if (fate[i] == fate_lost)
            state->lost += 1;
        else
            state->sources.killed[fate[i]] += 1;
    }
    if (active && kept < count)
        keep(state, order, kept);
    frz_arena_release(&state->scratch, mark);
}
