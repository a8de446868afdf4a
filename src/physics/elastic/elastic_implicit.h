// SPDX-License-Identifier: MIT
// An implicit time step of elastic bodies: Newton's method on the motion's equation, each of its linear problems by
// conjugate gradients without a matrix.
//
// With tau = theta dt the unknown is the velocity w at the time t + tau:
//
//   (1 + tau c) w = v + tau a + (tau / m) f(x + tau w)          a: all other accelerations, c: damping
//
// and the step ends with v' = v + (w - v) / theta and x' = x + dt w (theta 1: backward Euler, 1/2: implicit midpoint).
// Contacts, friction and liquids then change v' to v". Bodies move with theta v" + (1 - theta) v, as in Moreau's scheme
// for contacts: a body at rest on another one does not move.
//
// The first guess is w = v plus the effect of other forces on the body as a whole, so that bodies at rest or in free
// flight cost next to nothing, and f's rotations are those of the position that a body is about to reach: old rotations
// would hold back its spin. One pass is enough for small steps; more passes update the rotations.
#pragma once

#include "physics/elastic/elastic_method.h"

typedef enum frz_elastic_scheme
{
    FRZ_ELASTIC_BACKWARD_EULER, ///< first order; damps motion of few steps' duration
    FRZ_ELASTIC_MIDPOINT,       ///< second order; keeps the energy of small oscillations
    FRZ_ELASTIC_DAMPED          ///< beyond the midpoint: damps motion that steps cannot resolve, and little else
} frz_elastic_scheme;

extern const char *const frz_elastic_scheme_words[]; ///< ends with null

/// Parameters of the step; the member `step` of a method's own.
typedef struct frz_elastic_step_params
{
    int scheme; ///< frz_elastic_scheme
    int passes;
    double tolerance; ///< of the velocities, relative to their change by elasticity in the step; %
    int max_iterations;
} frz_elastic_step_params;

#define FRZ_ELASTIC_PARAM_STEP(type)                                                                                   \
    {"scheme",                                                                                                         \
     "how time is stepped: with the forces at the end of the step, in its middle, or at two thirds of it, which "      \
     "halves in every step what oscillates faster than that; midpoint is for soft bodies: stiff ones that touch "      \
     "each other and turn gain energy",                                                                                \
     FRZ_PARAM_WORD,                                                                                                   \
     offsetof(type, step.scheme),                                                                                      \
     FRZ_ELASTIC_DAMPED,                                                                                               \
     0,                                                                                                                \
     0,                                                                                                                \
     "",                                                                                                               \
     frz_elastic_scheme_words},                                                                                        \
        {"passes",                                                                                                     \
         "times that the rotations are taken anew in a step; midpoint: at least 3",                                    \
         FRZ_PARAM_INT,                                                                                                \
         offsetof(type, step.passes),                                                                                  \
         1,                                                                                                            \
         1,                                                                                                            \
         100,                                                                                                          \
         ""},                                                                                                          \
        {"max_error",                                                                                                  \
         "error of the velocities at which the solver stops, over their change by elasticity in the step",             \
         FRZ_PARAM_REAL,                                                                                               \
         offsetof(type, step.tolerance),                                                                               \
         0.1,                                                                                                          \
         1e-5,                                                                                                         \
         10.0,                                                                                                         \
         "%"},                                                                                                         \
    {                                                                                                                  \
        "max_iterations", "iterations after which the solver gives up", FRZ_PARAM_INT,                                 \
            offsetof(type, step.max_iterations), 500, 1, 100000, ""                                                    \
    }

/// The fields of an implicit method.
#define FRZ_ELASTIC_IMPLICIT_FIELDS                                                                                    \
    FRZ_ELASTIC_ROTATION_FIELD,                                                                                        \
        {"elastic_change", 3, "m/s", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,                                \
         "change of the velocity by the elastic solver in the last step, first guess of the next; elastic "            \
         "method"},                                                                                                    \
        {"elastic_image", 3, "m/s", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,                                 \
         "its product with the solver's matrix, to decide whether it serves as a first guess; elastic method"},        \
        {"elastic_rest", 3, "m/s", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,                                  \
         "residual of the elastic solver, for the next step; elastic method"},                                         \
        {"contact_kick", 3, "m/s", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,                                  \
         "change of velocity of the particle alone by contacts of the last step; elastic method"},                     \
        {"contact_answer", 3, "m/s", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,                                \
         "change of velocity by these as a part of its body; elastic method"},                                         \
        {"liquid_missed", 3, "m/s", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,                                 \
         "error of the estimated answer to liquid in the last step; elastic method"},                                  \
    {                                                                                                                  \
        "contact_rub", 3, "m/s", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,                                    \
            "the part of contact_kick that is friction; elastic method"                                                \
    }

/// The material, for the step.
typedef struct frz_elastic_implicit
{
    const frz_elastic_step_params *params;
    frz_elastic_use force;   ///< at any positions; stores in its context the point of linearisation
    frz_elastic_use tangent; ///< linear
    double modulus;          ///< of pressure waves, Pa: for the effect of rounding errors of positions
    /// Make bonds->factor of a body: an approximation of m + tau^2 K for each component; null: none.
    frz_status (*factorize)(const frz_model *model, frz_state *state, const frz_instance *instance, int body,
                            double tau, frz_diag *diag);
} frz_elastic_implicit;

/// Fill in the tangent, after the force and its modulus; the modulus of bodies of several materials is the largest of
/// these over their densities, times the density of the instance's.
FRZ_NODISCARD frz_status frz_elastic_implicit_tangent(const frz_model *model, frz_state *state,
                                                      const frz_instance *instance, frz_elastic_stress_fn *stress,
                                                      const frz_v4 *turned, frz_elastic_implicit *implicit,
                                                      frz_diag *diag);

/// The velocity stage of an implicit method, whose fields are FRZ_ELASTIC_IMPLICIT_FIELDS.
FRZ_NODISCARD frz_status frz_elastic_implicit_step(const frz_model *model, frz_state *state,
                                                   const frz_instance *instance, const frz_elastic_implicit *implicit,
                                                   double dt, frz_diag *diag);

/// A frz_energy_fn of the corotated material.
frz_status frz_elastic_implicit_energy(const frz_model *model, frz_state *state, const frz_instance *instance,
                                       double *energy, frz_diag *diag);

/// The same for the corotated material. The caller fills in material and factorize of the implicit part, this function
/// the rest.
FRZ_NODISCARD frz_status frz_elastic_implicit_corotated(const frz_model *model, frz_state *state,
                                                        const frz_instance *instance, frz_elastic_implicit *implicit,
                                                        double dt, frz_diag *diag);
