// SPDX-License-Identifier: MIT
// The matrix of an implicit step of one elastic body, over the mass of a particle: 1 + tau c + (tau^2 / m) K, with K
// the stiffness about the place where the forces were last found. It is known by what it does to a vector.
//
// Vectors have an entry for each particle of the body, and behind these two for each rigid body that carries some
// (elastic_carried.h).
#pragma once

#include "physics/elastic/elastic_carried.h"

typedef struct frz_elastic_matrix
{
    const frz_bonds *bonds;
    frz_elastic_use tangent; ///< linear
    frz_elastic_work *work;
    int body, first, count; ///< particles first .. first + count of the bonds; entries count from the first
    frz_real per_mass;      ///< tau^2 / m
    frz_real inertia;       ///< 1 + tau c
    const int32_t *held;    ///< by slot: not 0 where the velocity is given; null if nowhere
    const int32_t *slot;    ///< of the body's particles
    double *columns;        ///< with a factor: the three components one after the other; else null
    frz_elastic_rows rows;
    int unknowns; ///< particles and rows
} frz_elastic_matrix;

static inline bool frz_elastic_is_held(const frz_elastic_matrix *a, int i)
{
    return a->held != NULL && a->slot[i] >= 0 && a->held[a->slot[i]] != 0;
}

/// Room for the preconditioner, if the body has a factor.
FRZ_NODISCARD frz_status frz_elastic_matrix_make_room(frz_elastic_matrix *a, frz_arena *scratch, frz_diag *diag);

/// frz_cg_map_fn: the product with a vector, what is held being left as it is; and about the inverse of that by the
/// body's factor. user is a frz_elastic_matrix.
void frz_elastic_matrix_apply(const void *user, const frz_v4 *x, frz_v4 *out);
void frz_elastic_matrix_precondition(const void *user, const frz_v4 *x, frz_v4 *out);
