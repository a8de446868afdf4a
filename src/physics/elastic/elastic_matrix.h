// SPDX-License-Identifier: MIT
// The matrix of an implicit step of one elastic body, over the mass m of a particle: 1 + tau c + (tau^2 / m) K, with K
// the stiffness about the place where the forces were last found. It is known by its product with a vector. In a body
// of several materials m is the mass of a particle of the first one, and the rows of particles with mass m_i are
// multiplied by their share m_i / m, which keeps the matrix symmetric: m_i (1 + tau c_i) / m + (tau^2 / m) K.
//
// Vectors have an entry for each particle of the body, then two for each rigid body that carries some
// (elastic_carried.h).
#pragma once

#include "math/conjugate_gradient.h"
#include "physics/elastic/elastic_carried.h"
#include "physics/elastic/elastic_method.h"

typedef struct frz_elastic_matrix
{
    const frz_bonds *bonds;
    frz_elastic_use tangent; ///< linear
    frz_elastic_work *work;
    int body, first, count; ///< particles first .. first + count of the bonds; entries count from the first
    frz_real per_mass;      ///< tau^2 / m
    frz_real inertia;       ///< 1 + tau c
    frz_real *shares;       ///< by entry: m_i / m; null: 1, the body is of one material
    frz_real *inertias;     ///< by entry: m_i (1 + tau c_i) / m; with shares only
    const int32_t *held;    ///< by slot: not 0 where the velocity is prescribed; null if nowhere
    const int32_t *slot;    ///< of the body's particles
    double *columns;        ///< with a factor: the three components one after the other; else null
    frz_elastic_rows rows;
    int unknowns; ///< particles and rows
} frz_elastic_matrix;

static inline bool frz_elastic_is_held(const frz_elastic_matrix *a, int i)
{
    return a->held != NULL && a->slot[i] >= 0 && a->held[a->slot[i]] != 0;
}

static inline frz_real frz_elastic_share(const frz_elastic_matrix *a, int i)
{
    return a->shares != NULL ? a->shares[i] : 1;
}

static inline frz_real frz_elastic_inertia(const frz_elastic_matrix *a, int i)
{
    return a->shares != NULL ? a->inertias[i] : a->inertia;
}

/// Fill in shares and inertias, if they exist.
void frz_elastic_matrix_mix(const frz_model *model, const frz_state *state, const frz_instance *instance, double tau,
                            const frz_elastic_matrix *a);

/// Room for the preconditioner, if the body has a factor.
FRZ_NODISCARD frz_status frz_elastic_matrix_make_room(frz_elastic_matrix *a, frz_arena *scratch, frz_diag *diag);

/// frz_cg_map_fn: the product with a vector; entries of held particles do not change. user is a frz_elastic_matrix.
void frz_elastic_matrix_apply(const void *user, const frz_v4 *x, frz_v4 *out);
/// A frz_cg_map_fn that approximates its inverse: by the body's factor, or by the inertias of several materials, with
/// which a solution keeps momentum whatever its error. Null: none.
frz_cg_map_fn *frz_elastic_matrix_preconditioner(const frz_elastic_matrix *a);
/// Sum of the shares of all particles.
double frz_elastic_matrix_mass(const frz_elastic_matrix *a);
