// SPDX-License-Identifier: MIT
// A correction that makes the divergence of a particle exact for affine motion, so that pressure bears no shear.
//
// D(v)_i = sum_j (v_i - v_j) . g_ij is the rate of the compression. In a liquid that is sheared as a whole, v = G x
// with tr G = 0, it should be zero, but it is G : M_i with M_i = sum_j g_ij x_ij^T, and M_i is a multiple of the unit
// matrix on a lattice only. Particles that keep D(v) = 0 under a pressure P have to move apart in such a shear, and the
// stress for this is a part of P: a liquid at depth is a soft solid. The volume of the square lattice at its rest
// density is larger by 0.0, 0.7 and 3.5 % when it is stretched by 0.1, 0.2 and 0.3 (2D, default kernel), so that P
// resists with up to a third of itself. The corrected divergence
//
//     D'(v)_i = sum_j (v_i - v_j) . A_i g_ij,     A_i = c_i M_i^-1,     c_i = tr M_i / d
//
// is c_i tr G for every affine motion and every arrangement (Bonet & Lok 1999 correct gradients in this way). Its
// transpose gives forces P_i A_i g_ij + P_j A_j g_ij: equal and opposite, and without torque, since tr G = 0 in a
// rotation. The pressure, the trace of the stress of P, is the same.
//
// Walls of the mirrored law (sph/sample_law.h) add W_i : G to the divergence, W_i = own_i N_i + m_i sum_j w_ij N_j with
// the strains N of sph/pairs.h. The liquid moves along its walls: n . G t = 0 for their normals n and the directions t
// along them. For such motions the divergence is c_i tr G, c_i = tr (M_i + W_i) / d, with the walls' part unchanged and
//
//     A_i = c_i M_i^-1 - sum_k (l_k / n_k . M_i n_k) n_k n_k^T,     W_i = sum_k l_k n_k n_k^T
//
// which is 1 on a lattice beside a flat wall.
//
// Stored is E = A - 1. It is 0 beside walls of other laws and beside solid particles, which these sums exclude, and
// where neighbours lie in a line.
#pragma once

#include "sph/pairs.h"

/// Columns of E, which is symmetric.
typedef struct frz_affine
{
    frz_v4 column[3];
} frz_affine;

typedef struct frz_affine_list
{
    bool current; ///< made for the present neighbourhood
    int capacity;
    frz_affine *of; ///< by particle
} frz_affine_list;

/// The pairs must have been made with wants_wall_strain.
FRZ_NODISCARD frz_status frz_affine_build(const frz_pairs_input *input, const frz_pairs *pairs, int dimension,
                                          frz_affine_list *list, frz_diag *diag);
void frz_affine_destroy(frz_affine_list *list);

static inline frz_v4 frz_affine_times(const frz_affine *e, frz_v4 x)
{
    return x[0] * e->column[0] + x[1] * e->column[1] + x[2] * e->column[2];
}

/// Contribution of E to frz_pair_push.
static inline frz_v4 frz_affine_push(const frz_pairs *pairs, const frz_affine *of, const frz_real *multiplier, int b,
                                     int i)
{
    const frz_pair_block *block = &pairs->blocks[b];
    frz_v4 by_others = frz_v4_zero(), sum = by_others;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const frz_v4 g = frz_pair_load(&block->pair[k]);
        const uint32_t j = block->index[k];
        by_others += multiplier[j] * frz_affine_times(&of[j], g);
        sum += g;
    }
    return by_others + multiplier[i] * frz_affine_times(&of[i], sum);
}

/// Contribution of E to the divergence of a field at particle i.
static inline frz_real frz_affine_divergence(const frz_pairs *pairs, const frz_affine *of, const frz_v4 *field, int b,
                                             int i)
{
    const frz_pair_block *block = &pairs->blocks[b];
    const frz_v4 own = field[i];
    frz_v4 flow[3] = {frz_v4_zero(), frz_v4_zero(), frz_v4_zero()}; // sum of (f_i - f_j)_a g_ij
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const frz_v4 g = frz_pair_load(&block->pair[k]), difference = own - field[block->index[k]];
        for (int a = 0; a < 3; ++a)
            flow[a] += difference[a] * g;
    }
    frz_real sum = 0;
    for (int a = 0; a < 3; ++a)
        sum += frz_v4_dot3(of[i].column[a], flow[a]);
    return sum;
}
