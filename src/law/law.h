// SPDX-License-Identifier: MIT
// The interface of a constitutive law: one constant of this type in one file, and one line in law/laws.def. A law gives
// the energy per rest volume of a deformation gradient F, and its first and second derivative. Laws are pure functions.
#pragma once

#include "base/fail.h"
#include "math/mat3.h"

enum
{
    FRZ_LAW_PARAMS = 4 ///< parameters of a law besides Young's modulus and Poisson's ratio
};

typedef struct frz_law frz_law;

/// Condition across the plane of a two-dimensional body.
typedef enum frz_law_plane
{
    FRZ_PLANE_STRAIN, ///< no motion: F33 is given, 1 in two dimensions. Also the choice for three dimensions
    FRZ_PLANE_STRESS  ///< no stress: F33 is the root of P33 = 0, for thin sheets
} frz_law_plane;

/// One parameter of a law; a table ends with a null key.
typedef struct frz_law_param
{
    const char *key;
    const char *doc;
    double fallback, min, max;
} frz_law_param;

/// The user's parameters of an elastic material.
typedef struct frz_elastic_def
{
    const frz_law *law;
    double youngs_modulus; ///< Pa
    double poisson_ratio;
    frz_law_plane plane;
    double params[FRZ_LAW_PARAMS]; ///< in the order of the law's table
} frz_elastic_def;

/// An elastic material ready for use.
typedef struct frz_elastic
{
    const frz_law *law;
    double mu, lambda; ///< Lame's constants, Pa
    double bulk;       ///< lambda + 2/3 mu, Pa
    frz_law_plane plane;
    double params[FRZ_LAW_PARAMS];
} frz_elastic;

/// A law at one deformation gradient: its results, and intermediate values for the tangent.
typedef struct frz_law_point
{
    frz_mat3 f;        ///< deformation gradient; with the computed F33 in plane stress
    double energy;     ///< J per m^3 of rest volume
    frz_mat3 stress;   ///< first Piola-Kirchhoff stress P = d energy / dF, Pa
    frz_quat rotation; ///< in: guess (identity, or of the last step); out: rotation of F, for laws that use it
    frz_mat3 memo;     ///< the law's own: cofactors, rotation or second Piola-Kirchhoff stress
    double terms[8];   ///< the law's own
} frz_law_point;

typedef void frz_law_evaluate_fn(const frz_elastic *elastic, frz_law_point *point);
typedef frz_mat3 frz_law_tangent_fn(const frz_elastic *elastic, const frz_law_point *point, frz_mat3 df);

/// A scalar function of J = det F with its derivatives.
typedef struct frz_jet
{
    double value, first, second;
} frz_jet;

/// Coefficients of the energy a(J) |F|^2 + b(J) |cof F|^2 + c(J).
typedef struct frz_law_volume
{
    frz_jet a, b, c;
} frz_law_volume;

struct frz_law
{
    const char *key;      ///< its name in scenes
    const char *doc;      ///< one sentence
    const char *equation; ///< the energy as text
    const char *inverted; ///< its behaviour under collapse and inversion
    const char *cite;
    const frz_law_param *params;   ///< null if none
    double least_poisson;          ///< smaller ratios make the energy unbounded below; -1: none does
    bool small_strain;             ///< neither objective nor isotropic: for small rotations only
    frz_law_evaluate_fn *evaluate; ///< fills energy, stress and intermediate values of a point whose f and rotation are
                                   ///< set
    frz_law_tangent_fn *tangent;   ///< dP for a change of F
    /// For laws of invariants, whose evaluate and tangent are those of law/invariant.h.
    frz_law_volume (*volume)(const frz_elastic *elastic, double j);
};

extern const frz_law *const frz_laws[]; ///< in the order of laws.def; ends with null

/// The law of that name, or null.
const frz_law *frz_law_find(const char *key);

/// The law with its default parameters; Young's modulus and Poisson's ratio are to be set.
frz_elastic_def frz_elastic_def_default(const frz_law *law);

/// Check the user's parameters and prepare the law.
FRZ_NODISCARD frz_status frz_elastic_prepare(const frz_elastic_def *def, frz_elastic *elastic, frz_diag *diag);

/// Energy and stress at F. rotation is a first guess and receives the rotation of F if the law uses one; null: none.
/// Every finite F gives finite results, collapsed and inverted ones included. In plane stress the result is NaN if no
/// thickness makes P33 vanish.
frz_law_point frz_elastic_at(const frz_elastic *elastic, frz_mat3 f, frz_quat *rotation);

/// The change of P for a change of F, at a point that frz_elastic_at made. In plane stress df33 is ignored.
frz_mat3 frz_elastic_tangent(const frz_elastic *elastic, const frz_law_point *point, frz_mat3 df);

/// Symmetric tensor A with A_ik = C_ijkl n_j n_l (n a unit vector of the rest state): its eigenvalues over the density
/// are the squared speeds of small waves on top of the deformation at the point. Pa.
frz_mat3 frz_elastic_acoustic(const frz_elastic *elastic, const frz_law_point *point, frz_vec3 n);

/// Speed of the fastest small wave at rest, m/s, for a density in kg/m^3.
double frz_elastic_wave_speed(const frz_elastic *elastic, double density);

/// Change the free diagonal entries of F (free marks which: 1 or 0) together until the sum of their stresses vanishes,
/// starting from the value in F. False if that value is not found.
bool frz_elastic_relax(const frz_elastic *elastic, const int free[3], frz_mat3 *f);
