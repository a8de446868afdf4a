// SPDX-License-Identifier: MIT
// Data of a renumbering, shared by its files. Old data is only read, so that the renumbering can be abandoned at any
// point.
#pragma once

#include "math/mat3.h"
#include "solid/bonds_internal.h"
#include "solid/changes.h"

/// Fate of a body in a renumbering.
typedef enum frz_body_fate
{
    FRZ_FATE_KEPT,  ///< the same particles and bonds
    FRZ_FATE_LESS,  ///< a part of one old body, with old bonds only
    FRZ_FATE_FRESH, ///< new particles only: their present positions are its undeformed state
    FRZ_FATE_LOCAL, ///< an elastic body whose old parts have new bonds
    FRZ_FATE_RIGID  ///< a rigid body that has changed: its present shape is the undeformed state
} frz_body_fate;

typedef struct frz_renumbering
{
    const frz_solids *old;
    const frz_bonds *old_bonds;
    const frz_solids_plan *plan;
    frz_solids solids; ///< the new ones
    frz_bonds bonds;
    int32_t *old_of_new, *slot_of_new, *new_of_slot, *new_of_old;
    int64_t *gain_begin; ///< by new number: gain[gain_begin[n]] .. are its new bond partners, ascending
    int32_t *gain;
    uint8_t *fate;     ///< by body, frz_body_fate
    int32_t *old_body; ///< by body: the old body of its particles, -1: none, -2: several
    uint8_t *seams;    ///< by body: it has seams
    uint8_t *remade;   ///< by new number: its list has changed
    frz_mat3 *turn;    ///< by new number: rotation of its neighbourhood, for particles with new bonds in local bodies
    frz_mat3 *back;    ///< by new number: leads from present vectors to its axes
    uint8_t *history;  ///< by new number: it has old bonds, and so its own axes
    uint8_t *renews;   ///< by new number: its old bonds get new rest vectors
} frz_renumbering;

/// Would a bond between two new numbers be a tie: are they of different phases?
static inline bool frz_renumbering_is_tie(const frz_renumbering *r, int n, int m)
{
    return r->solids.body_phase[r->bonds.body[n]] != r->solids.body_phase[r->bonds.body[m]];
}

/// Position of a new number, low part included.
static inline frz_vec3 frz_renumbering_place(const frz_renumbering *r, int n)
{
    const int slot = r->slot_of_new[n];
    const frz_vec3 x = frz_v3_of(frz_field_v4(r->plan->particles, FRZ_FIELD_ID_position)[slot]);
    return r->plan->low != NULL ? frz_v3_add(x, frz_v3_of(r->plan->low[slot])) : x;
}

/// Vector from one new number to another, to the nearest periodic image.
frz_vec3 frz_renumbering_between(const frz_renumbering *r, int n, int m);

/// turn, back, history and renews of all particles with new bonds in local bodies.
FRZ_NODISCARD frz_status frz_renumbering_find_turns(frz_renumbering *r, frz_arena *scratch, frz_diag *diag);

/// Does a new bond of a local body have a rest vector in the axes of each end?
bool frz_renumbering_is_seam(const frz_renumbering *r, int n, int m);

/// Rest vectors of a new bond of a local body, in the axes of n and of m; of a tie in those of its elastic end.
void frz_renumbering_rest(const frz_renumbering *r, int n, int m, frz_v4 *rest, frz_v4 *rest_far);

/// Rest vectors of an old bond of a local body at ends that renew theirs; others stay as given.
void frz_renumbering_renew(const frz_renumbering *r, int n, int m, frz_v4 *rest, frz_v4 *rest_far);

/// Lists, weights, rest vectors, volumes, corrections of r->bonds.
FRZ_NODISCARD frz_status frz_renumbering_make_lists(frz_renumbering *r, frz_diag *diag);
