// SPDX-License-Identifier: MIT
// Common to all elastic methods: the discrete energy of a bonded body and its derivative, in two sweeps over the bonds.
//
// Notation of solid/bonds.h: D = X_j - X_i, d = D + u_j - u_i, weights q, correction L, volume V. The energy of a body
// is
//
//   U = sum_i V psi(F_i) + kappa/2 sum_i sum_j q_ij |F_i D - d|^2
//   F_i = I + H_i,  H_i = sum_j q_ij (u_j - u_i) (x) D L_i
//
// with psi the material's energy per volume and P = d psi / dF. Its second term is zero-energy control after
// Ganzenmueller 2015: the deviation of the bonds from the affine map F costs energy, and vanishes with the spacing. (He
// takes the part of the error along the bond; the whole vector turns with the body just as well.) F_i being the
// least-squares fit with the weights q, the derivative of the second term by F_i is zero, and only its direct
// derivative remains:
//
//   f_i = -dU/dx_i = sum_j q_ij [(C_i + C_j) D + 2 kappa (u_j - u_i)],      C_i = V P_i L_i - kappa H_i
//
// Pair forces are equal and opposite in bits, so momentum is conserved to rounding; U does not change in a rotation, so
// angular momentum is conserved with it. In a body that has turned both parts of the control's force are as large as
// kappa and cancel: they are added for each bond, where rounding errs equally at both ends, before the sum over the
// bonds. C_j, X_j, u_j and 2 kappa are 16 numbers: the second sweep reads one line of the cache per bond.
//
// In local bodies (solid/bonds.h) D_ij is stored for each bond, in the axes of i, and particles may represent different
// volumes. With d = x_j - x_i, and kappa_i for the volume V_i, the same energy has the force
//
//   f_i = sum_j q_ij [C_i D_ij - C_j D_ji + kappa_i (d - D_ij) + kappa_j (d + D_ji)],  C_i = V_i P_i L_i - kappa_i H_i
//
// which is equal and opposite for any axes, and 0 where all d are the D turned by one rotation per particle.
//
// Ties to rigid particles, the anchors (solid/anchors.c), are in the sums of the elastic end; anchors have C = 0 and
// kappa = 0. Their positions are read like those of the body, and their forces are returned beside the body's.
//
// A factor of the stiffness per particle (bonds->scale) multiplies psi and kappa of that particle, and so V P and C.
//
// A body may be of several materials, which its particles then follow run by run (solid/bond_runs.c): psi and kappa are
// those of the particle. The force is still the derivative of the energy, and a bond between two materials has the mean
// of their stiffnesses.
//
// Without correction (L = I) the same two sweeps are the plain SPH of Solenthaler 2007 and Becker 2009.
//
// A particle whose neighbours lie in a plane or on a line has no gradient across. There F is completed: across a sheet
// to the unit normal of the deformed sheet, around a rod by the smallest rotation. For isotropic materials the
// completion does no work, so that the force above remains the derivative of the energy.
#pragma once

#include "base/arena.h"
#include "solid/bonds.h"

enum
{
    FRZ_ELASTIC_CHUNK = 128 ///< particles; a chunk's gradients and stresses fit the level-1 cache
};

/// Gradients and stresses of some consecutive particles; one array per entry, row by row (xx xy xz yx ..), padded to
/// whole vectors with zeros.
typedef struct frz_elastic_chunk
{
    int begin, count;
    int material;                       ///< of a body of several; -1: its body is of one
    frz_real h[9][FRZ_ELASTIC_CHUNK];   ///< in: H, gradient of the displacement
    frz_real p[9][FRZ_ELASTIC_CHUNK];   ///< out: first Piola-Kirchhoff stress, Pa
    frz_real energy[FRZ_ELASTIC_CHUNK]; ///< out: J per m^d of rest volume
} frz_elastic_chunk;

/// A material: fill p and energy from h.
typedef void frz_elastic_stress_fn(const void *context, frz_elastic_chunk *chunk);

/// A method's parameters of the sweeps.
typedef struct frz_elastic_use
{
    frz_elastic_stress_fn *stress;
    const void *context;
    bool corrected;     ///< with L, else without
    double zero_energy; ///< kappa / V, Pa; 0: no control. With correction only
    /// FRZ_MATERIAL_NONE + 1 uses whose stress, context and zero_energy are those of each material, for bodies of
    /// several; null: there are no such bodies.
    const struct frz_elastic_use *by_material;
    const frz_v4 *turned; ///< rotations (quaternions by number) of a material that is linear about them; else null
    /// Called for particles begin .. end by the threads that process them: first to fill in the displacements, and
    /// again when their forces are known. May be null.
    void (*begin)(const void *user, int begin, int end);
    void (*finish)(const void *user, int begin, int end);
    const void *user;
} frz_elastic_use;

/// Displacement and reference position side by side: the input of the first sweep from a neighbour. Local bodies have
/// no undeformed state; the displacement is then the position.
typedef struct frz_elastic_place
{
    frz_v4 displacement, reference;
} frz_elastic_place;

/// Input of the second sweep from a neighbour: every vector with its factor in the spare lane.
typedef struct frz_elastic_push
{
    frz_v4 column[3];    ///< of C; and the component of the reference position
    frz_v4 displacement; ///< and kappa
} frz_elastic_push;

/// Working arrays by number, from the scratch arena.
typedef struct frz_elastic_work
{
    frz_elastic_place *place;
    frz_v4 *low;   ///< low parts of the displacements
    bool with_low; ///< use low: the displacements are those of positions, not of a change
    bool change;   ///< the displacements are a change of positions (of a local body: else they are positions)
    frz_elastic_push *push;
    frz_v4 *force;  ///< N (per metre of thickness in the plane)
    double *energy; ///< by chunk of a body, J
} frz_elastic_work;

/// Three numbers of twice the working precision (in single precision), for sums and for storage.
typedef double frz_elastic_wide __attribute__((vector_size(4 * sizeof(double))));

static inline frz_elastic_wide frz_elastic_widen(frz_v4 a)
{
    return __builtin_convertvector(a, frz_elastic_wide);
}

static inline void frz_elastic_split(frz_elastic_wide a, frz_v4 *high, frz_v4 *low)
{
    *high = __builtin_convertvector(a, frz_v4);
    *low = __builtin_convertvector(a - frz_elastic_widen(*high), frz_v4);
}

/// Arrays for all elastic particles; the reference positions are filled in.
FRZ_NODISCARD frz_status frz_elastic_work_make(const frz_bonds *bonds, frz_arena *scratch, frz_elastic_work *work,
                                               frz_diag *diag);

/// The same for one body.
FRZ_NODISCARD frz_status frz_elastic_work_make_body(const frz_bonds *bonds, int body, frz_arena *scratch,
                                                    frz_elastic_work *work, frz_diag *diag);

/// Forces of a body from its displacements. Returns the energy of the strain, J, without that of the control.
double frz_elastic_forces(const frz_bonds *bonds, int body, const frz_elastic_use *use, frz_elastic_work *work);

/// Elastic energy of a body from its displacements, J, with that of the zero-energy control.
double frz_elastic_energy(const frz_bonds *bonds, int body, const frz_elastic_use *use, frz_elastic_work *work);

/// Corrected and completed gradients of a body from its displacements: visit is called with each chunk, of which only h
/// is filled in.
void frz_elastic_gradients(const frz_bonds *bonds, int body, const frz_elastic_work *work, frz_elastic_stress_fn *visit,
                           const void *context);

/// The difference of the displacements of the two ends of bond k of particle i: of positions, not of a change.
frz_v4 frz_elastic_move(const frz_bonds *bonds, const frz_elastic_place *place, int i, int64_t k);

/// Gradient of the displacement of one particle, corrected and completed; in double precision.
frz_mat3 frz_elastic_gradient(const frz_bonds *bonds, const frz_elastic_place *place, int i);

/// Square of the highest frequency of a body at rest, 1/s^2: power iteration with the forces themselves. density in
/// kg/m^3; particles of mixed bodies have their own masses. Anchors count as free particles of the same mass as those
/// of the body, which gives a higher frequency than the rigid bodies that they belong to.
double frz_elastic_stiffness(const frz_bonds *bonds, int body, const frz_elastic_use *use, double density,
                             frz_elastic_work *work);
