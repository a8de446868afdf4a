// SPDX-License-Identifier: MIT
// Neighbour pairs of the liquid with all kernel values and sums that the solvers need, computed once per step.
//
// Per pair of liquid particles: index of the neighbour and (g, w) with
//     g_ij = s V gradW_ij (1 + m_i m_j)   (dimensionless; s the spacing, V the particles' volume)
//     w_ij = V W_ij
// Per particle: compression delta_i = V W(0) + sum_j w_ij + walls, and the sums below. Static samples enter only
// through sums: a solver iteration never visits them.
//
// sph/sample_law.h defines the compression by walls. Of the mirrored law, m_i sum_j w_ij m_j, these pairs have the part
// that changes with w_ij, sample_gradient the part that changes with m_i as i moves alone, and the change of a
// neighbour's m_j is left to the sums over pairs (sph/pair_push.h): d delta_i = ... + m_i sum_j w_ij d m_j.
//
// Elastic particles are in the lists like liquid ones, except for pairs of neighbours in the reference state: the
// elastic method computes the forces of those pairs, and in the density they count as if they had never moved. So a
// solid may be compressed by its own stress as far as its material allows, and the pressure solve treats all contacts
// with other bodies, with itself and with the liquid.
//
// Lists are kept in blocks of FRZ_BLOCK particles, each block with buffers that grow by themselves; a list is padded to
// a multiple of four with (self, zero), so that loops have no tail.
#pragma once

#include "base/blocks.h"
#include "base/fail.h"
#include "particles/store.h"
#include "space/grid.h"
#include "space/search.h"
#include "sph/exclusion.h"
#include "sph/kernels.h"
#include "sph/sample_law.h"

typedef struct frz_pair_block
{
    int capacity;
    bool own; ///< the buffers are the block's own, because it has outgrown its share of the slab
    frz_pair *pair;
    uint32_t *index;
} frz_pair_block;

/// Change of m_i of the mirrored wall law in a motion v = G x of the liquid along walls at rest: the sum over samples N
/// : G = sum_b (dm_i / dd_b) d_b n . G n, with d_b the distance from the surface along the normal n of sample b.
/// Symmetric: xx, yy, zz, xy, xz, yz; m.
typedef struct frz_wall_strain
{
    frz_real n[6];
} frz_wall_strain;

typedef struct frz_pairs
{
    int count; ///< liquid particles
    int capacity;
    frz_pair_block *blocks;
    int block_capacity;
    frz_pair *pair_slab; ///< one allocation, divided evenly among the blocks at first
    uint32_t *index_slab;
    uint32_t *begin, *end;  ///< list of a particle in its block's buffers, padding included
    uint16_t *sample_count; ///< static samples within the support
    frz_v4 *gradient_sum;   ///< S_i = sum_j g_ij + sum_b g_ib: gradient of i's compression by its position
    frz_real *virial;   ///< c_i = -(1/d) (sum_j x_ij . V gradW_ij + sum_b ...): turns the multiplier P_i into pressure
    frz_real *diagonal; ///< |S_i|^2 / rho_i + sum_j |g_ij|^2 / rho_j, rest densities
    frz_v4 *sample_gradient;      ///< sum_b g_ib, the part of walls in S_i
    frz_real *sample_flow;        ///< sum_b v_b . g_ib, for moving walls
    frz_real *mirror;             ///< m_i of the mirrored wall law; 0: i is not near a wall, or has the local law
    frz_real *mirror_own;         ///< coefficient of grad m_i in sample_gradient as i moves alone; 0 where m_i is,
                                  ///< negative in the local law
    frz_wall_strain *wall_strain; ///< where m_i is not 0; if input.wants_wall_strain
    int64_t pair_count;           ///< liquid neighbours in total, without padding
} frz_pairs;

/// Input of the pass.
typedef struct frz_pairs_input
{
    const frz_grid *grid;
    const frz_cell_list *free_cells; ///< in store order (index is the identity)
    const frz_cell_list *sample_cells;
    const frz_kernel *kernel;
    double spacing;
    double particle_volume;
    const frz_v4 *position;          ///< of the liquid
    const int32_t *body;             ///< of the liquid
    const frz_real *inverse_density; ///< 1 / rest density, by particle
    bool one_density;                ///< all liquids have the same rest density
    const frz_exclusion *solids;     ///< null if there are no solid particles
    const bool *point;               ///< by particle: it is a material point; null: none
    const int32_t *touchable;        ///< by particle, and one more: number of particles before it that a material point
                                     ///< can touch
    frz_sample_law sample_law;
    const int32_t *sample_body;    ///< of the static role, by slot
    const frz_v4 *sample_normal;   ///< of the static role, by slot
    const frz_real *sample_volume; ///< of the static role, by slot
    const frz_v4 *sample_velocity; ///< null if no wall moves
    bool wants_wall_strain;        ///< fill wall_strain, for sph/affine.h
} frz_pairs_input;

/// Find all pairs and fill compression. A particle with too many neighbours gives FRZ_ERR_DIVERGED and *culprit.
FRZ_NODISCARD frz_status frz_pairs_build(const frz_pairs_input *input, int count, frz_pairs *pairs,
                                         frz_real *compression, int *culprit, frz_diag *diag);
void frz_pairs_destroy(frz_pairs *pairs);

/// Factor that turns g_ij into s V gradW_ij.
static inline frz_real frz_pairs_bare(const frz_pairs *pairs, int i, int j)
{
    return 1 / (1 + pairs->mirror[i] * pairs->mirror[j]);
}

/// Remove the samples of the body that particle i is attached to from the found ones; returns the number that remain.
int frz_pairs_drop_attached(const frz_pairs_input *input, int i, frz_found *found, int count);
