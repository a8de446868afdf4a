// SPDX-License-Identifier: MIT
// Bonds: the neighbour lists of the undeformed state of elastic bodies. One store for all elastic methods.
//
// All arrays are indexed by the elastic particles' own numbers (solid/solids.h), which no sort changes: bonds need not
// follow the sort, and the memory they touch is as close together as the undeformed lattice.
//
// A bond from i to j is 8 bytes: the index of j, and a weight q_ij = q_ji. With D_ij = X_j - X_i taken from the
// reference positions (so that D_ij = -D_ji in bits) everything else follows:
//
//   kernel gradient        V gradW_ij = q_ij D_ij                     (weights FRZ_BOND_GRADIENT: q ~ -V W'(r) / r)
//   moment matrix          A_i = sum_j q_ij D_ij (x) D_ij             (the identity inside a lattice)
//   correction             L_i = A_i^+                                (pseudo-inverse: also sheets, rods, single ones)
//   gradient of u          H_i = sum_j q_ij (u_j - u_i) (x) D_ij L_i  (exact for every affine map)
//
// H is the least-squares fit of the bonds with the weights q: the corrected SPH gradient and the moving-least-squares
// gradient differ by their weights only. So sum_j q_ij (H_i D_ij - (u_j - u_i)) (x) D_ij = 0, which makes zero-energy
// control cheap (solid/elastic_sweeps.h).
//
// Bodies have one of two forms. Compact bodies (all bodies of the scene, and bodies that have only lost bonds since)
// have reference positions X. A body that has gained bonds after it was deformed or turned has no undeformed state as a
// whole; it is local: every bond stores its own rest vector D_ij, in the axes of particle i's neighbourhood. Where two
// particles with axes of their own were joined, at a seam, D_ji is not -D_ij.
//
// A bond between an elastic and a rigid particle, a tie, leads out of the body: it is in the lists of both ends, and
// has a rest vector in that of the elastic one, whose body is local (solid/anchors.c).
//
// A list is padded to a multiple of four with (self, weight 0), so that loops have no tail. A broken bond has weight 0
// in both directions.
#pragma once

#include "base/fail.h"
#include "base/simd.h"
#include "math/mat3.h"
#include "math/sparse_cholesky.h"
#include "sph/kernels.h"

/// Weight of a bond of length r. Both are scaled so that the moment matrix is the identity inside a lattice, as it
/// would be of an integral.
typedef enum frz_bond_weight
{
    FRZ_BOND_GRADIENT, ///< -V W'(r) / r: with it the sums are those of the SPH gradient
    FRZ_BOND_KERNEL    ///< V W(r): moving least squares
} frz_bond_weight;

/// A symmetric matrix per particle, entries apart for wide loads.
typedef struct frz_bond_matrices
{
    frz_real *xx, *xy, *xz, *yy, *yz, *zz;
} frz_bond_matrices;

/// A bond to a particle of another body.
typedef struct frz_bond_tie
{
    int32_t owner; ///< the elastic particle
    int64_t place; ///< in its list
} frz_bond_tie;

/// Consecutive particles of a body of one material.
typedef struct frz_bond_run
{
    int32_t first, last; ///< particles first .. last - 1
    int32_t material;
} frz_bond_run;

typedef struct frz_bonds
{
    int count; ///< elastic particles
    int dimension;
    double spacing;
    double volume; ///< of a particle inside a lattice at rest, m^d: spacing^d
    frz_kernel kernel;
    bool any_periodic, periodic[3];
    frz_real period[3]; ///< on periodic axes, else 0
    int body_count;
    int *first;                    ///< [body_count + 1]: the particles of body b are first[b] .. first[b + 1]
    int32_t *body;                 ///< by particle
    frz_v4 *reference;             ///< X; undefined in local bodies
    int64_t *begin;                ///< [count + 1]: the bonds of i are begin[i] .. begin[i + 1], padding included
    int64_t list_rows;             ///< places in all lists: begin[count]
    uint32_t *other;               ///< the particle at the other end
    frz_real *weight;              ///< q, 1/m^2
    int64_t *rest_shift;           ///< by body: rest[k + rest_shift] is bond k's; FRZ_BOND_COMPACT: not stored
    int64_t *far_shift;            ///< the same for rest_far; FRZ_BOND_COMPACT: the body has no seams
    frz_v4 *rest;                  ///< of local bodies: D_ij; null: no local bodies
    frz_v4 *rest_far;              ///< of local bodies with seams: D_ji in the axes of j; null: no seams
    int64_t rest_count, far_count; ///< rows of these
    frz_real *own_volume;          ///< by particle: volume of its strain energy, m^d; volume unless its body is uneven
    uint8_t *uneven;               ///< by body: volumes differ
    bool any_scaled;               ///< stiffness differs from particle to particle
    frz_real *scale;               ///< by particle: factor of Young's modulus, if it does
    uint8_t *torn;                 ///< by particle: it has lost bonds, including bonds removed from its list
    uint8_t *material;             ///< by particle; null: every body is of one material
    frz_real *mass;                ///< by particle, kg; with material only
    int32_t *run_first;            ///< [body_count + 1]: runs of body b are run[run_first[b]] ..; with material only
    frz_bond_run *run;             ///< ascending by material within a body
    frz_bond_matrices moment;      ///< A
    frz_bond_matrices correction;  ///< L
    uint8_t *rank;        ///< directions in which the particle has neighbours; below the dimension it is a sheet or rod
    frz_v4 *axis;         ///< rank 1: along the rod; rank 2 in space: across the sheet; else zero
    int64_t bond_count;   ///< without padding, each direction counted
    int64_t broken_count; ///< the same, of broken bonds
    frz_sparse_cholesky **factor; ///< by body: factored matrix of an elastic method; null: none
    double *factor_step;          ///< by body: time step of the factored matrix, s
    double *stiffness; ///< by body: square of the highest frequency at rest, 1/s^2, -1: not known; the elastic method
    uint8_t *weighing; ///< by body: frz_bond_weight
    double *energy_of; ///< by particle: output of frz_elastic_energy, J; null: not wanted
    int64_t *changed_step; ///< by body: step of its last change of particles in a batch; 0: never
    int32_t *anchor_first; ///< [body_count + 1]: anchors of body b are anchor[anchor_first[b]] ..; null: none
    int32_t *anchor;       ///< rigid particles at the far ends of the body's ties, ascending
    int64_t *tie_first;    ///< by place in anchor, and one more: its first tie
    frz_bond_tie *tie;     ///< in the order of the owners
} frz_bonds;

enum
{
    FRZ_BOND_PADDING = 4 ///< lists are multiples of this
};
/// Value of rest_shift and far_shift if no rest vectors are stored; larger than any position in a list.
#define FRZ_BOND_COMPACT INT64_MIN

/// Input of the construction of bonds; arrays by number, the bodies one after the other.
typedef struct frz_bonds_input
{
    int count;
    const frz_v4 *reference; ///< undeformed positions, m
    const int32_t *body;     ///< particles of one body bond
    int body_count;
    const frz_kernel *kernel;
    double spacing;
    bool periodic[3];
    double domain_min[3], domain_max[3]; ///< on periodic axes
} frz_bonds_input;

/// All bonds within the support of the kernel, with weights FRZ_BOND_GRADIENT.
FRZ_NODISCARD frz_status frz_bonds_build(const frz_bonds_input *input, frz_bonds *bonds, frz_diag *diag);
void frz_bonds_destroy(frz_bonds *bonds);

/// Find the anchors of all bodies, once lists are complete.
FRZ_NODISCARD frz_status frz_bonds_find_anchors(frz_bonds *bonds, frz_diag *diag);
/// Is a particle an anchor of the body?
bool frz_bonds_has_anchor(const frz_bonds *bonds, int body, int number);

/// Allocate materials and masses; and, once materials are filled in, find the runs of each body.
FRZ_NODISCARD frz_status frz_bonds_allocate_materials(frz_bonds *bonds, frz_diag *diag);
FRZ_NODISCARD frz_status frz_bonds_find_runs(frz_bonds *bonds, frz_diag *diag);
/// Is a body of several materials?
static inline bool frz_bonds_is_mixed(const frz_bonds *bonds, int body)
{
    return bonds->run_first != NULL && bonds->run_first[body] + 1 < bonds->run_first[body + 1];
}

/// Rows for so many bodies; new ones have no particles.
FRZ_NODISCARD frz_status frz_bonds_reserve_bodies(frz_bonds *bonds, int body_count, frz_diag *diag);

/// Recompute the weights of a body's bonds with another weight function; broken bonds stay broken.
void frz_bonds_weigh(frz_bonds *bonds, int body, frz_bond_weight kind);

/// Break the bond at position k of particle i's list, in both directions. The corrections of both ends are out of date
/// until frz_bonds_correct has been called for them.
void frz_bonds_break(frz_bonds *bonds, int i, int64_t k);

/// Break all bonds of a removed particle, and correct its former neighbours.
void frz_bonds_detach(frz_bonds *bonds, int i);

/// Moment matrix, correction, rank and axis of particle i from its bonds.
void frz_bonds_correct(frz_bonds *bonds, int i);

/// A difference of displacements or reference positions, taken to the nearest periodic image.
static inline frz_v4 frz_bonds_nearest(const frz_bonds *bonds, frz_v4 difference)
{
    for (int a = 0; a < 3; ++a)
    {
        if (bonds->periodic[a] && difference[a] > bonds->period[a] / 2)
            difference[a] -= bonds->period[a];
        else if (bonds->periodic[a] && difference[a] < -bonds->period[a] / 2)
            difference[a] += bonds->period[a];
    }
    return difference;
}

static inline bool frz_bonds_is_local(const frz_bonds *bonds, int body)
{
    return bonds->rest != NULL && bonds->rest_shift[body] != FRZ_BOND_COMPACT;
}

static inline bool frz_bonds_has_seams(const frz_bonds *bonds, int body)
{
    return bonds->rest_far != NULL && bonds->far_shift[body] != FRZ_BOND_COMPACT;
}

/// Is the bond at position k of particle i's list a tie to another body?
static inline bool frz_bonds_is_tie(const frz_bonds *bonds, int i, int64_t k)
{
    return bonds->body[bonds->other[k]] != bonds->body[i];
}

/// X_j - X_i of a compact body
static inline frz_v4 frz_bonds_between(const frz_bonds *bonds, int i, int j)
{
    const frz_v4 rest = bonds->reference[j] - bonds->reference[i];
    return bonds->any_periodic ? frz_bonds_nearest(bonds, rest) : rest;
}

/// D_ij of the bond at position k of particle i's list; ties have one in local bodies only
static inline frz_v4 frz_bonds_rest(const frz_bonds *bonds, int i, int64_t k)
{
    const int body = bonds->body[i];
    if (frz_bonds_is_local(bonds, body))
        return frz_v4_xyz(bonds->rest[k + bonds->rest_shift[body]]);
    return frz_bonds_between(bonds, i, (int)bonds->other[k]);
}

/// D_ji in the axes of the other end
static inline frz_v4 frz_bonds_rest_far(const frz_bonds *bonds, int i, int64_t k)
{
    const int body = bonds->body[i];
    if (frz_bonds_has_seams(bonds, body))
        return frz_v4_xyz(bonds->rest_far[k + bonds->far_shift[body]]);
    return -frz_bonds_rest(bonds, i, k);
}

static inline frz_mat3 frz_bond_matrix(const frz_bond_matrices *a, int i)
{
    const double xx = (double)a->xx[i], xy = (double)a->xy[i], xz = (double)a->xz[i];
    const double yy = (double)a->yy[i], yz = (double)a->yz[i], zz = (double)a->zz[i];
    return (frz_mat3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}
