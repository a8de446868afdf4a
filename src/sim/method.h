// SPDX-License-Identifier: MIT
// The interface of a method: one constant of this type in one file, and one line in physics/methods.def.
//
// From the entry follow the scene keys and their checking, the JSON schema, the reference page, checkpointing of the
// method's fields, its timer, and the conformance suite.
#pragma once

#include "base/fail.h"
#include "base/real.h"
#include "particles/field_decl.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;
typedef struct frz_batch frz_batch;
typedef struct frz_method frz_method;
typedef struct frz_boundary_ops frz_boundary_ops; // sim/boundary.h
typedef struct frz_coupling_ops frz_coupling_ops; // sim/coupling.h
typedef struct frz_contact_ops frz_contact_ops;   // sim/contact.h
typedef struct frz_yield frz_yield;               // law/plastic_return.h

/// Where a method is chosen. Key, scope and meaning of each are in frz_slots.
typedef enum frz_slot
{
    FRZ_SLOT_PRESSURE,
    FRZ_SLOT_BOUNDARY,
    FRZ_SLOT_COUPLING,
    FRZ_SLOT_CONTACT,
    FRZ_SLOT_VISCOSITY,
    FRZ_SLOT_TENSION,
    FRZ_SLOT_VORTICITY,
    FRZ_SLOT_DRAG,
    FRZ_SLOT_ELASTIC,
    FRZ_SLOT_PLASTIC,
    FRZ_SLOT_FRACTURE,
    FRZ_SLOT_HEAT,
    FRZ_SLOT_COUNT
} frz_slot;

typedef struct frz_slot_info
{
    const char *key;   ///< scene key
    bool per_material; ///< chosen inside a material (else at the top level of the scene)
    bool required;     ///< without a choice the slot's first method in methods.def is taken; else none
    const char *doc;
} frz_slot_info;

extern const frz_slot_info frz_slots[FRZ_SLOT_COUNT];

/// Stages of a step, in order; a method fills in the ones it takes part in.
typedef enum frz_stage
{
    FRZ_STAGE_PREPARE,  ///< once before the first step and after a restart: derived data of static bodies
    FRZ_STAGE_FORCE,    ///< neighbours and densities are known: add to the acceleration field
    FRZ_STAGE_VELOCITY, ///< velocities hold all explicit forces: implicit ones change them (viscosity)
    FRZ_STAGE_PRESSURE, ///< velocities hold all other forces: keep the volume (velocities, and positions if need be)
    FRZ_STAGE_SETTLE, ///< pressure and friction have acted: bodies whose velocity stage only predicted their motion move
    FRZ_STAGE_HEAT,   ///< velocities are those of the end, positions those of the start: enthalpies change
    FRZ_STAGE_END,    ///< the step is accepted and final: changes that do not move particles
    FRZ_STAGE_KEEP,   ///< nothing fails any more: write fields with FRZ_FIELD_FINAL; must not fail
    FRZ_STAGE_COUNT
} frz_stage;

typedef enum frz_param_kind
{
    FRZ_PARAM_REAL, ///< double
    FRZ_PARAM_INT,  ///< int
    FRZ_PARAM_BOOL, ///< bool
    FRZ_PARAM_WORD  ///< int, index into words
} frz_param_kind;

/// One parameter of a method; a table ends with a null key. The first parameter is the one that a bare number sets
/// ("viscosity: 0.001 Pa s").
typedef struct frz_param
{
    const char *key;
    const char *doc;
    frz_param_kind kind;
    size_t offset; ///< in the method's parameter struct
    double fallback, min, max;
    const char *unit;         ///< SI, e.g. "Pa s"; "" for pure numbers; "%" for percent (stored as given)
    const char *const *words; ///< of FRZ_PARAM_WORD, which has no range: the choices; ends with null
} frz_param;

/// A method chosen by a scene, with its parameters.
typedef struct frz_instance
{
    const frz_method *method;
    void *self;      ///< parameter struct of method->self_size bytes, or null
    int material;    ///< index in the model, -1 for scene-wide methods
    int first_field; ///< the method's fields start here in the store
} frz_instance;

/// Run one stage. A return of FRZ_ERR_DIVERGED rejects the step; anything else but FRZ_OK stops the run.
typedef frz_status frz_stage_fn(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                frz_diag *diag);

/// Largest stable time step, s; HUGE_VAL if the method sets none.
typedef double frz_max_dt_fn(const frz_model *model, const frz_state *state, const frz_instance *instance);

/// Add the energy that the method stores in each body at the present positions to energy, by body, J. Changes nothing.
typedef frz_status frz_energy_fn(const frz_model *model, frz_state *state, const frz_instance *instance, double *energy,
                                 frz_diag *diag);

/// In the change stage (sim/change.h): request changes of phase by frz_changes_request, from the saved state alone.
typedef void frz_method_changes_fn(const frz_model *model, const frz_state *state, const frz_instance *instance,
                                   frz_batch *batch);

/// Refuse a combination the method cannot do, by name, before anything runs.
typedef frz_status frz_method_check_fn(const frz_model *model, const frz_instance *instance, frz_diag *diag);

/// Elasticity: can particles with these parameters and those be of one body? Parameters of the
/// whole body must be the same for both.
typedef bool frz_mixes_fn(const void *self, const void *other);

/// Fracture: relative elongation of a bond at which it breaks; self are the method's parameters.
typedef double frz_bond_growth_fn(const void *self);

/// Plasticity: yield law of a material point, which has only its deformation gradient; self are the parameters.
typedef void frz_yield_fn(const frz_model *model, const frz_instance *instance, frz_yield *yield);

/// Conformance tests a method may declare itself exempt from, with a reason that is printed in the docs.
typedef enum frz_conformance
{
    FRZ_CONFORMANCE_MOMENTUM,
    FRZ_CONFORMANCE_REST,
    FRZ_CONFORMANCE_ROTATION,
    FRZ_CONFORMANCE_TRANSLATION,
    FRZ_CONFORMANCE_COUNT
} frz_conformance;

/// Properties that other methods may query, so that no method has to know the names of others.
typedef enum frz_trait
{
    FRZ_TRAIT_SOLVES_PRESSURE = 1 << 0, ///< pressures come from a system of equations, not from a state equation
    FRZ_TRAIT_PLASTIC_FLOW = 1 << 1,    ///< elastic: takes a plastic deformation as a factor of the whole one
    FRZ_TRAIT_ANY_LAW = 1 << 2,         ///< elastic: parameters are a frz_elastic_hyperelastic
    FRZ_TRAIT_SPARES_BODIES = 1 << 3,   ///< acts on liquid beside rigid bodies without a reaction; with a warning
    FRZ_TRAIT_NEEDS_SURFACE = 1 << 4,   ///< pressure: has no solution where there is no free surface; the user is
                                        ///< warned
    FRZ_TRAIT_HIDES_ENERGY = 1 << 5,    ///< stores energy that it cannot compute
    FRZ_TRAIT_BY_TEMPERATURE = 1 << 6,  ///< viscosity: uses frz_material_factor
    FRZ_TRAIT_NEEDS_AFFINE =
        1 << 7, ///< viscosity: its stresses are small beside the pressure, which must bear no shear
    FRZ_TRAIT_NO_REFERENCE = 1 << 8,  ///< elastic: particles are material points, without bonds and undeformed state
    FRZ_TRAIT_RUBS_ALL = 1 << 9,      ///< viscosity: has the friction with liquids of other methods, too
    FRZ_TRAIT_HIDES_WORK = 1 << 10,   ///< does not compute the work of moving walls
    FRZ_TRAIT_NEEDS_SHAPES = 1 << 11, ///< needs exact surfaces of bodies of samples (sim/wall_shape.h)
} frz_trait;

/// How much of the correction of sph/affine.h the divergence of a pressure method has.
typedef enum frz_affine_use
{
    FRZ_AFFINE_NONE,
    FRZ_AFFINE_BY_FRICTION, ///< as far as friction damps the motion that it causes (sim/neighborhood.c)
    FRZ_AFFINE_FULL
} frz_affine_use;

/// wanted: by the methods of viscosity and heat.
typedef frz_affine_use frz_affine_fn(const void *self, frz_affine_use wanted);

/// Heat: whether the weight of the liquid depends on its temperature.
typedef bool frz_buoyant_fn(const void *self);

/// Viscosity: rate at which friction slows a particle among neighbours at rest, 1/s, by particle; 0 for particles that
/// are not liquid. For all materials that have the method.
typedef frz_status frz_friction_rate_fn(const frz_model *model, frz_state *state, const frz_instance *instance,
                                        frz_real *rate, frz_diag *diag);

struct frz_method
{
    const char *key; ///< its name in scenes
    frz_slot slot;
    const char *doc;  ///< one sentence
    const char *cite; ///< "Bender & Koschier 2017, doi:..."
    size_t self_size;
    const frz_param *params;      ///< null if none
    const frz_field_decl *fields; ///< null if none
    frz_stage_fn *run[FRZ_STAGE_COUNT];
    const frz_boundary_ops *boundary; ///< of methods of that slot; null in others
    const frz_coupling_ops *coupling;
    const frz_contact_ops *contact;
    frz_max_dt_fn *max_dt;
    frz_energy_fn *energy;          ///< null: the method stores none
    frz_method_changes_fn *changes; ///< null: it requests no changes of phase
    frz_method_check_fn *check;
    frz_mixes_fn *mixes;                 ///< null: any parameters mix
    frz_bond_growth_fn *bond_growth;     ///< null: bonds break almost unstretched, or the method breaks none
    frz_affine_fn *affine;               ///< null: never
    frz_friction_rate_fn *friction_rate; ///< null: the pressure solver needs no rate
    frz_buoyant_fn *buoyant;             ///< null: never
    frz_yield_fn *yield;                 ///< null: only bodies with an undeformed state flow
    unsigned traits;                     ///< of frz_trait
    double support;      ///< default kernel support in spacings of scenes with this method; 0: no preference
    double most_support; ///< of a boundary method: longer supports let liquid through its walls; 0: no limit
    const char *exempt[FRZ_CONFORMANCE_COUNT]; ///< reason, or null
};

static inline bool frz_method_mixes(const frz_method *method, const void *self, const void *other)
{
    return method->mixes == NULL || method->mixes(self, other);
}
