// SPDX-License-Identifier: MIT
// Shared by the files that make bonds.
#pragma once

#include "solid/bonds.h"

/// Parameters of the weight of a bond.
typedef struct frz_bond_weigher
{
    const frz_kernel *kernel;
    frz_bond_weight kind;
    double spacing;
    double factor;
} frz_bond_weigher;

frz_bond_weigher frz_bond_weigher_of(const frz_bonds *bonds, frz_bond_weight kind);
/// q of a bond of length r
double frz_bond_weigh(const frz_bond_weigher *weigher, double r);

/// Copy the weight of the bond at position k of particle i's list to its other end.
void frz_bonds_weigh_back(frz_bonds *bonds, int i, int64_t k);

/// Arrays by particle and by body, empty; on failure the caller destroys them.
FRZ_NODISCARD frz_status frz_bonds_allocate(frz_bonds *bonds, int count, int body_count, frz_diag *diag);
/// The lists, once begin is filled in.
FRZ_NODISCARD frz_status frz_bonds_allocate_lists(frz_bonds *bonds, frz_diag *diag);
