// SPDX-License-Identifier: MIT
// Common to explicit elastic methods: parameters, preparation, force stage, time step. A method adds its stress.
#pragma once

#include "law/law.h"
#include "physics/elastic/elastic_system.h"

/// First member of every elastic method's parameters.
typedef struct frz_elastic_params
{
    double young; ///< Pa
    double poisson;
    double damping;     ///< 1/s
    double zero_energy; ///< kappa / (V young)
    int plane;          ///< frz_law_plane
} frz_elastic_params;

extern const char *const frz_elastic_planes[]; ///< words of `plane`

#define FRZ_ELASTIC_PARAM_YOUNG(type)                                                                                  \
    {"young", "Young's modulus", FRZ_PARAM_REAL, offsetof(type, common.young), 1.0e6, 1.0e-6, 1.0e15, "Pa"},           \
    {                                                                                                                  \
        "poisson", "Poisson's ratio, above -1 and below 0.5", FRZ_PARAM_REAL, offsetof(type, common.poisson), 0.3,     \
            -1.0, 0.5, ""                                                                                              \
    }
// One point per particle misses the energy of strains that vary in between, and near a surface the fit is that of a
// point further in: together a plate of n layers bends with 1 - 2.3 / n^2 of its stiffness. Zero-energy control adds
// 4.5 / n^2 times its factor (both for lattices and bonds of 1.6 spacings, docs/theory.md). At one half the two cancel.
#define FRZ_ELASTIC_PARAM_ZERO_ENERGY(type)                                                                            \
    {                                                                                                                  \
        "zero_energy",                                                                                                 \
            "stiffness against motions that the gradient does not see, in Young's moduli; at 0.5 the bending of a "    \
            "plate is "                                                                                                \
            "right already at a few particles through its thickness",                                                  \
            FRZ_PARAM_REAL, offsetof(type, common.zero_energy), 0.5, 0.0, 10.0, ""                                     \
    }
#define FRZ_ELASTIC_PARAM_REST(type)                                                                                   \
    {"damping",                                                                                                        \
     "rate at which all velocities die away, for states of rest; 0: not at all",                                       \
     FRZ_PARAM_REAL,                                                                                                   \
     offsetof(type, common.damping),                                                                                   \
     0.0,                                                                                                              \
     0.0,                                                                                                              \
     1.0e6,                                                                                                            \
     "1/s"},                                                                                                           \
    {                                                                                                                  \
        "plane", "in two dimensions: nothing moves across the plane (strain), or nothing pushes (stress)",             \
            FRZ_PARAM_WORD, offsetof(type, common.plane), 0, 0, 0, "", frz_elastic_planes                              \
    }

/// Moduli for a law that is linear in the strain; in plane stress lambda is that of zero stress across the plane.
void frz_elastic_moduli(const frz_model *model, const frz_elastic_params *params, double *lambda, double *mu);

/// A frz_method_check_fn: moduli, and a fixed time step.
frz_status frz_elastic_check(const frz_model *model, const frz_instance *instance, frz_diag *diag);

/// Factor of the step 2 / omega at which symplectic Euler loses its stability: the power iteration may be a few percent
/// low, and deformed bodies are stiffer than at rest.
extern const double frz_elastic_stability;

/// A frz_max_dt_fn: the limit by the highest frequency of the material's bodies.
double frz_elastic_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance);

/// Whether this instance computes that body. In a body of several materials it is the instance of the first.
static inline bool frz_elastic_owns(const frz_state *state, const frz_instance *instance, int body)
{
    return state->solids.body_phase[body] == FRZ_PHASE_ELASTIC &&
           state->solids.body_material[body] == instance->material;
}

/// Whether a body that this instance computes has particles of that material.
bool frz_elastic_reaches(const frz_model *model, const frz_state *state, const frz_instance *instance, int material);

/// Fill in the law of another material in a copy of the context of a use, and its zero_energy.
typedef frz_status frz_elastic_adapt_fn(const frz_model *model, const frz_instance *instance, void *context,
                                        frz_elastic_use *use, frz_diag *diag);

/// Uses for bodies of several materials, made from that of the instance, in the scratch arena: use->by_material. Does
/// nothing if there are no such bodies.
FRZ_NODISCARD frz_status frz_elastic_mix(const frz_model *model, frz_state *state, const frz_instance *instance,
                                         size_t context_size, frz_elastic_adapt_fn *adapt, frz_elastic_use *use,
                                         frz_diag *diag);
/// The same uses with another stress: by_material of the tangent. Null if use has none, or memory is short.
const frz_elastic_use *frz_elastic_mix_like(frz_state *state, const frz_elastic_use *use,
                                            frz_elastic_stress_fn *stress);

/// Damping of a particle of a body that the instance computes, 1/s.
double frz_elastic_damping(const frz_model *model, const frz_state *state, const frz_instance *instance, int number);

/// Preparation, once the bonds are there (frz_state_bonds): weights, and the highest frequency for the time step.
FRZ_NODISCARD frz_status frz_elastic_prepare_bodies(const frz_model *model, frz_state *state,
                                                    const frz_instance *instance, frz_bond_weight weight,
                                                    const frz_elastic_use *use, frz_diag *diag);

/// The force stage: adds to the accelerations of the material's particles.
FRZ_NODISCARD frz_status frz_elastic_add_forces(const frz_model *model, frz_state *state, const frz_instance *instance,
                                                const frz_elastic_use *use, frz_diag *diag);
/// Evaluate the same forces for their side effect: plastic strains at the present positions.
FRZ_NODISCARD frz_status frz_elastic_add_flow(const frz_model *model, frz_state *state, const frz_instance *instance,
                                              const frz_elastic_use *use, frz_diag *diag);

/// The energy of the material's bodies, added by body. Explicit methods: in the middle of the last step, where the
/// velocities belong (sim/energy.h).
FRZ_NODISCARD frz_status frz_elastic_add_energy(const frz_model *model, frz_state *state, const frz_instance *instance,
                                                const frz_elastic_use *use, bool is_explicit, double *energy,
                                                frz_diag *diag);

/// The field of a method that warm-starts rotations: the vector parts of their quaternions, whose scalar part is not
/// negative.
#define FRZ_ELASTIC_ROTATION_FIELD                                                                                     \
    {                                                                                                                  \
        "turn", 3, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,                                              \
            "vector part of the quaternion that turned the particle's neighbourhood; elastic method"                   \
    }

/// Quaternions by number from the scratch arena, read from the method's first field; null when memory is short.
frz_v4 *frz_elastic_read_turns(frz_state *state, const frz_instance *instance);
void frz_elastic_write_turns(frz_state *state, const frz_instance *instance, const frz_v4 *turns);
