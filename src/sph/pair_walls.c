// SPDX-License-Identifier: MIT
#include "sph/pair_walls.h"

#include <math.h>

#include "space/search.h"

enum
{
    wide = 8
};

// distances below this fraction of the support count as coincident
static const double coincident = 1e-6;

// Wall samples near one particle, evaluated.
typedef struct near_walls
{
    frz_found found;
    frz_v4 gradient[FRZ_NEIGHBOR_BUFFER]; // V_b gradW s
    frz_real value[FRZ_NEIGHBOR_BUFFER];  // V_b W
    int slot[FRZ_NEIGHBOR_BUFFER];
    int count;
    frz_sample_sums sums;
} near_walls;

static void kernel8(const frz_kernel *kernel, frz_w8 q, frz_w8 *value, frz_w8 *slope)
{
    if (kernel->id == FRZ_KERNEL_WENDLAND_C2)
        frz_kernel_wide_wendland_c2(q, kernel->dimension, value, slope);
    else if (kernel->id == FRZ_KERNEL_CUBIC_SPLINE)
        frz_kernel_wide_cubic(q, kernel->dimension, value, slope);
    else
        frz_kernel_wide_any(kernel->id, q, kernel->dimension, value, slope);
}

static void evaluate(const frz_pairs_input *in, near_walls *out)
{
    const frz_kernel *kernel = in->kernel;
    frz_found *f = &out->found;
    for (int l = 0; l < wide; ++l) // outside the support
    {
        f->dx[out->count + l] = (frz_real)(2.0 * kernel->support);
        f->dy[out->count + l] = f->dz[out->count + l] = 0;
    }
    const frz_w8 inverse = frz_w8_splat((frz_real)(1.0 / kernel->support));
    const frz_w8 high = frz_w8_splat((frz_real)(kernel->value_factor * in->particle_volume));
    const frz_w8 steep = frz_w8_splat((frz_real)(kernel->slope_factor * in->particle_volume * in->spacing));
    const frz_real share = (frz_real)(1.0 / in->particle_volume);
    const frz_w8 least = frz_w8_splat((frz_real)(coincident * kernel->support));
    out->sums = (frz_sample_sums){{frz_v4_zero(), frz_v4_zero(), frz_v4_zero()}, 0};
    for (int k = 0; k < out->count; k += wide)
    {
        const frz_w8 dx = frz_w8_load(f->dx + k), dy = frz_w8_load(f->dy + k), dz = frz_w8_load(f->dz + k);
        const frz_w8 r = frz_w8_sqrt(dx * dx + dy * dy + dz * dz);
        frz_w8 value, slope;
        kernel8(kernel, r * inverse, &value, &slope);
        const frz_w8 factor = steep * slope / frz_w8_max(r, least);
        const frz_w8 gx = factor * dx, gy = factor * dy, gz = factor * dz;
        value *= high;
        for (int l = 0; l < wide && k + l < out->count; ++l)
        {
            const int slot = in->sample_cells->index[frz_lane_index(f->lane[k + l])];
            const frz_real scale = in->sample_volume[slot] * share;
            out->slot[k + l] = slot;
            out->value[k + l] = scale * value[l];
            out->gradient[k + l] = scale * frz_v4_set(gx[l], gy[l], gz[l], 0);
            frz_sample_sums_add(&out->sums, out->value[k + l], in->sample_normal[slot]);
        }
    }
}

// Gradient, flow and virial of walls at particle i. The local law: half of a pair's virial is the particle's, all of it
// where the wall's own pressure does the other half. The mirrored law: the pairs of the liquid contain the stress along
// a wall, the wall adds that along its normal.
static void add_samples(const frz_pairs_input *in, const near_walls *near, frz_real own, int i, frz_pairs *pairs)
{
    const frz_real steepness = frz_sample_law_steepness(&in->sample_law, &near->sums, own);
    const frz_real plain = frz_sample_law_plain(&in->sample_law, own);
    frz_v4 gradient = frz_v4_zero();
    frz_real flow = 0, virial = 0;
    for (int k = 0; k < near->count; ++k)
    {
        const frz_v4 normal = in->sample_normal[near->slot[k]];
        const frz_v4 away = frz_v4_set(near->found.dx[k], near->found.dy[k], near->found.dz[k], 0);
        const frz_real steep = frz_sample_law_slope(&near->sums, steepness, normal);
        const frz_v4 g = (steep + plain) * near->gradient[k];
        gradient += g;
        if (in->sample_velocity != NULL)
            flow += frz_v4_dot3(g, in->sample_velocity[near->slot[k]]);
        virial += own > 0 ? frz_v4_dot3(g, normal) * frz_v4_dot3(away, normal)
                          : ((frz_real)0.5 * steep + plain) * frz_v4_dot3(near->gradient[k], away);
    }
    pairs->sample_gradient[i] = gradient;
    pairs->sample_flow[i] = flow;
    pairs->virial[i] = virial;
}

// Samples lie half a spacing behind the surface.
static void set_strain(const frz_pairs_input *in, const near_walls *near, int i, frz_pairs *pairs)
{
    const frz_real steepness = frz_sample_law_steepness(&in->sample_law, &near->sums, 1);
    const frz_real behind = (frz_real)(0.5 * in->spacing);
    frz_wall_strain strain = {{0, 0, 0, 0, 0, 0}};
    for (int k = 0; k < near->count; ++k)
    {
        const frz_v4 n = in->sample_normal[near->slot[k]];
        const frz_v4 away = frz_v4_set(near->found.dx[k], near->found.dy[k], near->found.dz[k], 0);
        const frz_real slope = frz_sample_law_slope(&near->sums, steepness, n) * frz_v4_dot3(near->gradient[k], n);
        const frz_v4 rate = slope * (frz_v4_dot3(away, n) - behind) * n;
        strain.n[0] += rate[0] * n[0];
        strain.n[1] += rate[1] * n[1];
        strain.n[2] += rate[2] * n[2];
        strain.n[3] += rate[0] * n[1];
        strain.n[4] += rate[0] * n[2];
        strain.n[5] += rate[1] * n[2];
    }
    pairs->wall_strain[i] = strain;
}

int frz_pairs_drop_attached(const frz_pairs_input *in, int i, frz_found *f, int count)
{
    const int number = in->solids != NULL && in->solids->attached_body != NULL ? in->solids->index_of_slot[i] : -1;
    const int body = number >= 0 ? in->solids->attached_body[number] - 1 : -1;
    if (in->solids != NULL && in->solids->reference_by_slot[i][3] > 0)
        return 0; // rigid: the solver of contacts handles it
    int kept = 0;
    for (int k = 0; k < count; ++k)
    {
        if (body >= 0 && in->sample_body[in->sample_cells->index[frz_lane_index(f->lane[k])]] == body)
            continue;
        f->dx[kept] = f->dx[k];
        f->dy[kept] = f->dy[k];
        f->dz[kept] = f->dz[k];
        f->lane[kept++] = f->lane[k];
    }
    return kept;
}

// Samples around a cell.
typedef struct surroundings
{
    int run_count;
    frz_cell_run runs[FRZ_RUN_MAX];
    frz_pack pack; // for the particles of the block that lie in the cell
} surroundings;

static int search(const frz_pairs_input *in, const surroundings *around, int i, frz_found *found)
{
    const frz_v4 x = in->position[i];
    const frz_real at[3] = {x[0], x[1], x[2]}, support = (frz_real)in->kernel->support;
    return around->pack.count >= 0
               ? frz_pack_search(&around->pack, at, support, -1, found)
               : frz_search(in->sample_cells, around->runs, around->run_count, at, support, -1, found);
}

// Walls of particle i in a cell with these samples around it; false if there are too many.
static bool fill(const frz_pairs_input *in, const surroundings *around, int i, near_walls *near, frz_pairs *pairs,
                 frz_real *compression)
{
    const int number = in->solids != NULL ? in->solids->index_of_slot[i] : -1;
    const bool solid = number >= 0, core = solid && in->solids->core[number];
    const bool point = in->point != NULL && in->point[i]; // the grid keeps it off walls (src/mpm)
    near->count = around->run_count > 0 && !core && !point ? search(in, around, i, &near->found) : 0;
    if (near->count < 0)
        return false;
    if (solid && near->count > 0)
        near->count = frz_pairs_drop_attached(in, i, &near->found, near->count);
    pairs->sample_count[i] = (uint16_t)near->count;
    pairs->sample_gradient[i] = frz_v4_zero();
    pairs->mirror[i] = pairs->sample_flow[i] = pairs->virial[i] = compression[i] = 0;
    const bool mirrored = in->sample_law.mirror > 0.0 && !solid;
    const bool thin = solid && in->solids->thin[number] && in->sample_law.thin > 0.0;
    pairs->mirror_own[i] = mirrored ? 0 : thin ? FRZ_OWN_THIN : FRZ_OWN_LOCAL;
    if (near->count == 0)
        return true;
    evaluate(in, near);
    frz_real steepness;
    if (mirrored)
        pairs->mirror[i] = frz_sample_law_mirror(&in->sample_law, &near->sums, &steepness);
    else
        compression[i] = thin ? frz_sample_law_thin(&in->sample_law, &near->sums)
                              : frz_sample_law_value(&in->sample_law, &near->sums);
    if (!mirrored || pairs->mirror[i] > 0)
        add_samples(in, near, mirrored ? 1 : pairs->mirror_own[i], i, pairs);
    if (pairs->mirror[i] > 0 && in->wants_wall_strain)
        set_strain(in, near, i, pairs);
    return true;
}

frz_status frz_pair_walls_block(const frz_pairs_input *in, int b, int count, frz_pairs *pairs, frz_real *compression,
                                int *culprit)
{
    near_walls near;
    surroundings around;
    around.run_count = 0;
    const int end = frz_block_end(b, count);
    int cell_end = 0;
    for (int i = b * FRZ_BLOCK; i < end; ++i)
    {
        if (i >= cell_end) // particles are sorted by cell
        {
            int cell[3];
            for (int a = 0; a < 3; ++a)
                cell[a] = frz_grid_coordinate(in->grid, a, (double)in->position[i][a]);
            cell_end = in->free_cells->start[frz_grid_cell(in->grid, cell[0], cell[1], cell[2]) + 1];
            around.run_count = frz_cell_runs(in->grid, in->sample_cells, cell[0], cell[1], cell[2], around.runs);
            if (around.run_count > 0)
                frz_pack_group(in->sample_cells, around.runs, around.run_count, in->position, i,
                               cell_end < end ? cell_end : end, (frz_real)in->kernel->support, &around.pack);
        }
        if (fill(in, &around, i, &near, pairs, compression))
            continue;
        *culprit = i;
        return FRZ_ERR_DIVERGED;
    }
    return FRZ_OK;
}
