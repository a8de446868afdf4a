// SPDX-License-Identifier: MIT
// Changes of solid particles: a batch between two steps.
//
//   1. frz_solids_leave for every particle that is no longer solid (any time between steps; its bonds are cut)
//   2. frz_solids_find_new_bonds: pairs that are near enough to bond
//   3. frz_solids_components: connected components of old bonds and new ones
//   4. the caller decides on bodies, and writes phase, material and body of the particles
//   5. frz_solids_renumber: new numbers, lists and derived data
//
// Numbers are read from the store's field `solid`, so that the store may have been permuted since the last sort.
// Nothing depends on the number of threads. A call that runs out of memory changes nothing.
#pragma once

#include "base/arena.h"
#include "solid/solids.h"

/// Two slots of the store, a < b.
typedef struct frz_slot_pair
{
    int32_t a, b;
} frz_slot_pair;

typedef struct frz_slot_pairs
{
    frz_slot_pair *pair; ///< ascending by a, then b
    int64_t count;
} frz_slot_pairs;

/// Role of a particle in a search for new bonds.
typedef enum frz_bond_wish
{
    FRZ_BOND_WISH_NONE,
    FRZ_BOND_WISH_NEW, ///< newly solid: bonds with all solids with a wish
    FRZ_BOND_WISH_JOIN ///< already solid: bonds with newly solid ones, and with solids of the same join that it could
                       ///< touch
} frz_bond_wish;

typedef struct frz_new_bonds_input
{
    const frz_solid_space *space;
    const frz_particles *particles; ///< positions, phases (after the batch), numbers
    int field;                      ///< of the numbers; -1: not solid until now
    const frz_solids *solids;
    const frz_bonds *bonds;
    const int8_t *wish;  ///< by slot, frz_bond_wish
    const int32_t *join; ///< by slot: solids with equal, non-negative values are joined; null: none
} frz_new_bonds_input;

/// A solid particle leaves its body: its bonds are cut in both directions, corrections and surfaces around it follow,
/// and its number is -1. The caller changes its phase.
void frz_solids_leave(frz_solids *solids, frz_bonds *bonds, const frz_solid_space *space, frz_particles *particles,
                      int field, int slot);

/// All pairs within the length of a bond at the present positions that may bond and have no bond yet. Free with
/// frz_slot_pairs_destroy.
FRZ_NODISCARD frz_status frz_solids_find_new_bonds(const frz_new_bonds_input *input, frz_arena *scratch,
                                                   frz_slot_pairs *out, frz_diag *diag);
void frz_slot_pairs_destroy(frz_slot_pairs *pairs);

/// Add all ties (solid/bonds.h) whose ends are of one phase now to the pairs: they get new rest vectors.
FRZ_NODISCARD frz_status frz_solids_renew_ties(const frz_bonds *bonds, const frz_particles *particles, int field,
                                               frz_slot_pairs *pairs, frz_arena *scratch, frz_diag *diag);

/// By slot, for each solid particle of a marked body, and for each particle in a pair; -1 for all others.
typedef struct frz_solid_parts
{
    int32_t *object; ///< lowest slot among the particles connected by unbroken bonds and new pairs
    int32_t *part;   ///< the same within one body: rigid particles connected by bonds between rigid ones; all elastic
                     ///< ones of the object
} frz_solid_parts;

/// Objects and their parts. changed: by body; null: all. An object with an end of a new pair is treated as a whole.
FRZ_NODISCARD frz_status frz_solids_components(const frz_solids *solids, const frz_bonds *bonds,
                                               const frz_particles *particles, int field, const uint8_t *changed,
                                               const frz_slot_pairs *pairs, const frz_solid_parts *out,
                                               frz_arena *scratch, frz_diag *diag);

/// New bodies of the particles. Phase and material of bodies are those of their particles.
typedef struct frz_solids_plan
{
    const frz_solid_space *space;
    frz_particles *particles;
    int field;             ///< of the numbers: the old ones, then the new ones
    const frz_v4 *low;     ///< by slot: low parts of the positions; null: none
    int body_count;        ///< rows by body from now on
    const int32_t *body;   ///< by slot: the body of every solid particle from now on, -1: not solid
    const double *reach;   ///< by body: see frz_solids
    const int32_t *object; ///< by body: see frz_solids; null: each is its own
    const frz_v4 *local;   ///< by slot: positions of particles of rigid bodies in body axes; null: the present ones
    const frz_slot_pairs *pairs; ///< to be bonded; pairs with ends of one phase in different bodies are left out
    int64_t step;                ///< of the state, for bodies that change
    int32_t *new_of_old;         ///< out, by old number: the new one, -1: none; null: not wanted
} frz_solids_plan;

/// New numbers: by body, then by old number, then by id for particles without one. Bodies that neither gain nor lose
/// particles or bonds do not change in any bit.
FRZ_NODISCARD frz_status frz_solids_renumber(frz_solids *solids, frz_bonds *bonds, const frz_solids_plan *plan,
                                             frz_arena *scratch, frz_diag *diag);
