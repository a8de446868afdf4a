// SPDX-License-Identifier: MIT
// Measurements: averages of the liquid at points, forces on bodies. Both use the positions at the start of the last
// step, for which densities and pressures hold.
#include "sim/measure.h"

#include <math.h>
#include <string.h>

#include "sim/boundary.h"
#include "sim/state.h"
#include "space/search.h"

typedef struct average
{
    double weight, pressure, density, velocity[3];
} average;

// Between a restart and the next step the neighbourhood is not known.
static bool measurable(const frz_state *state)
{
    return state->neighbors.grid.row_rank != NULL;
}

static double found_distance(const frz_found *found, int n)
{
    const double x = (double)found->dx[n], y = (double)found->dy[n], z = (double)found->dz[n];
    return sqrt(x * x + y * y + z * z);
}

// Free particles around a point. Returns how many.
static int search_near(const frz_model *model, const frz_state *state, frz_vec3 point, frz_found *found)
{
    frz_cell_run runs[FRZ_RUN_MAX];
    const frz_real at[3] = {(frz_real)point.x, (frz_real)point.y, model->dimension == 3 ? (frz_real)point.z : 0};
    const int run_count =
        measurable(state) ? frz_cell_runs_at(&state->neighbors.grid, &state->neighbors.free_cells, at, runs) : 0;
    return frz_search(&state->neighbors.free_cells, runs, run_count, at, (frz_real)model->support, -1, found);
}

bool frz_probe_field(const frz_model *model, const frz_state *state, frz_vec3 point, int field, double *value)
{
    frz_found found;
    const int near = search_near(model, state, point, &found);
    const frz_real *values = frz_field_real(&state->particles, field);
    double weights = 0.0, sum = 0.0;
    for (int n = 0; n < near; ++n)
    {
        const int j = state->neighbors.free_cells.index[frz_lane_index(found.lane[n])];
        if (j < 0)
            continue; // removed at the end of the step
        const double weight = frz_kernel_value(&model->kernel, found_distance(&found, n));
        weights += weight;
        sum += weight * (double)values[j];
    }
    *value = weights > 0.0 ? sum / weights : 0.0;
    return weights > 0.0;
}

bool frz_probe_sample(const frz_model *model, const frz_state *state, frz_vec3 point, double *pressure,
                      double velocity[3], double *density)
{
    frz_found found;
    const int near = search_near(model, state, point, &found);
    const frz_real *p = frz_field_real(&state->particles, FRZ_FIELD_ID_pressure);
    const frz_real *rho = frz_field_real(&state->particles, FRZ_FIELD_ID_density);
    const frz_v4 *v = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    average sum = {0};
    for (int n = 0; n < near; ++n)
    {
        const int j = state->neighbors.free_cells.index[frz_lane_index(found.lane[n])];
        if (j < 0)
            continue; // removed at the end of the step
        const double weight = frz_kernel_value(&model->kernel, found_distance(&found, n));
        sum.weight += weight;
        sum.pressure += weight * (double)p[j];
        sum.density += weight * (double)rho[j];
        for (int a = 0; a < 3; ++a)
            sum.velocity[a] += weight * (double)v[j][a];
    }
    const double scale = sum.weight > 0.0 ? 1.0 / sum.weight : 0.0;
    if (pressure != NULL)
        *pressure = scale * sum.pressure;
    if (density != NULL)
        *density = scale * sum.density;
    for (int a = 0; velocity != NULL && a < 3; ++a)
        velocity[a] = scale * sum.velocity[a];
    return sum.weight > 0.0;
}

// Force of a particle on the wall samples near it, the reaction to
//     m_i a_ib = -cell (P_i grad(gain |T_i|^2) + (P_i + P_b) plain grad(V_b W_ib))
// in the local law of sph/sample_law.h; in the mirrored one -cell P_i own_i grad m_i, P_i that of acting_multiplier.
static void add_reaction(const frz_model *model, const frz_state *state, const frz_sample_law *law, int i,
                         double pressure, bool elastic, frz_found *found, frz_body_push *pushes)
{
    frz_cell_run runs[FRZ_RUN_MAX];
    const frz_cell_list *walls = &state->neighbors.sample_cells;
    const int first = state->particles.first[FRZ_ROLE_SAMPLE];
    const frz_real *volume = frz_field_real(&state->particles, FRZ_FIELD_ID_volume) + first;
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body) + first;
    const frz_real at[3] = {state->neighbors.free_cells.x[i], state->neighbors.free_cells.y[i],
                            state->neighbors.free_cells.z[i]};
    const int near = frz_search(walls, runs, frz_cell_runs_at(&state->neighbors.grid, walls, at, runs), at,
                                (frz_real)model->support, -1, found);
    frz_sample_sums sums = {{frz_v4_zero(), frz_v4_zero(), frz_v4_zero()}, 0};
    for (int n = 0; n < near; ++n)
    {
        const int slot = walls->index[frz_lane_index(found->lane[n])];
        const frz_real value = volume[slot] * (frz_real)frz_kernel_value(&model->kernel, found_distance(found, n));
        frz_sample_sums_add(&sums, value, state->samples.normal[slot]);
    }
    const double cell = model->cell;
    const frz_real own = state->neighbors.pairs.mirror_own[i], steepness = frz_sample_law_steepness(law, &sums, own);
    const double plain = (double)frz_sample_law_plain(law, own);
    for (int n = 0; n < near; ++n)
    {
        const double r = found_distance(found, n);
        if (!(r > 0.0))
            continue;
        const int slot = walls->index[frz_lane_index(found->lane[n])];
        const int b = body[slot];
        const double steep = (double)frz_sample_law_slope(&sums, steepness, state->samples.normal[slot]);
        const double push = pressure * (steep + plain) + (double)state->samples.pressure[slot] * plain;
        const double scale = cell * push * (double)volume[slot] * frz_kernel_slope(&model->kernel, r) / r;
        const frz_vec3 away = frz_v3((double)found->dx[n], (double)found->dy[n], (double)found->dz[n]);
        const frz_vec3 f = frz_v3_scale(scale, away);
        const frz_vec3 arm = frz_v3_sub(frz_v3_sub(frz_v3((double)at[0], (double)at[1], (double)at[2]), away),
                                        state->bodies.rigid[b].position);
        frz_vec3 *force = elastic ? &pushes[b].elastic_force : &pushes[b].force;
        frz_vec3 *torque = elastic ? &pushes[b].elastic_torque : &pushes[b].torque;
        *force = frz_v3_add(*force, f);
        *torque = frz_v3_add(*torque, frz_v3_cross(arm, f));
    }
}

// The multiplier that acted at particle i, from its pressure.
static double multiplier_of(const frz_state *state, int i)
{
    const int slot = state->neighbors.free_cells.index[i];
    const double virial = (double)state->neighbors.pairs.virial[i];
    const frz_real *pressure = frz_field_real(&state->particles, FRZ_FIELD_ID_pressure);
    return slot >= 0 && virial > 0.0 ? (double)pressure[slot] / virial : 0.0;
}

// The multiplier with which walls push particle i; it includes those of its neighbours where walls mirror the liquid
// (frz_pair_mirrored).
static double acting_multiplier(const frz_state *state, int i)
{
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_pair_block *block = &pairs->blocks[i / FRZ_BLOCK];
    double sum = 0.0;
    for (uint32_t k = pairs->begin[i]; pairs->mirror[i] > 0 && k < pairs->end[i]; ++k)
    {
        const int j = (int)block->index[k];
        if (pairs->mirror[j] > 0)
            sum += (double)(frz_pair_load(&block->pair[k])[3] * pairs->mirror[j]) * multiplier_of(state, j);
    }
    return multiplier_of(state, i) + (sum > 0.0 ? sum / (double)pairs->mirror_own[i] : 0.0);
}

// Force of the liquid. For rigid bodies that yield: the solver's total less the reactions of elastic particles; for
// other bodies: the sum of the liquid's reactions.
void frz_body_pushes(const frz_model *model, const frz_state *state, frz_body_push *pushes)
{
    memset(pushes, 0, (size_t)state->bodies.count * sizeof *pushes);
    if (!measurable(state))
        return;
    const int count = frz_model_only_points(model) ? 0 : state->neighbors.free_cells.count; // these have no pressure
    const uint8_t *phase = frz_particles_phase(&state->particles);
    const frz_sample_law law = frz_boundary_law(model);
    frz_found found;
    for (int i = 0; i < count; ++i)
    {
        const double multiplier = acting_multiplier(state, i);
        // walls with a pressure of their own push at particles without one, too
        const int slot = state->neighbors.free_cells.index[i];
        if (slot >= 0 && (multiplier > 0.0 || law.plain > 0.0))
            add_reaction(model, state, &law, i, multiplier, phase[slot] == FRZ_PHASE_ELASTIC, &found, pushes);
    }
    for (int b = 0; b < state->bodies.count; ++b)
        if (frz_body_is(state, b, FRZ_BODY_RIGID) && frz_rigid_body_yields(&state->bodies.rigid[b]))
        {
            pushes[b].force = frz_v3_sub(state->bodies.loads[b].fluid_force, pushes[b].elastic_force);
            pushes[b].torque = frz_v3_sub(state->bodies.loads[b].fluid_torque, pushes[b].elastic_torque);
        }
}
