// SPDX-License-Identifier: MIT
// The model: the constant data of a simulation.
#pragma once

#include "math/quat.h"
#include "particles/matter.h"
#include "rigid/joints.h"
#include "sim/events.h"
#include "sim/method.h"
#include "sim/sources.h"
#include "sim/thermal.h"
#include "sph/kernels.h"

struct frz_material
{
    char *name;
    double density;       ///< rest density of the liquid, or of a material that does not melt, kg/m^3
    double solid_density; ///< of the solid; the same unless it is given
    frz_melting melting;
    frz_heat_curve curve;                         ///< enthalpy against temperature
    frz_temperature_law laws[FRZ_PROPERTY_COUNT]; ///< of the properties that depend on the temperature
};

/// A pose at a time.
typedef struct frz_keyframe
{
    double time;
    frz_vec3 position;
    frz_quat rotation;
    frz_vec3 rotation_vector; ///< rotation as axis times angle, rad, with whole turns; 0: not known
} frz_keyframe;

typedef enum frz_interpolation
{
    FRZ_INTERPOLATION_LINEAR,
    FRZ_INTERPOLATION_SMOOTH ///< velocity is zero at the keyframes
} frz_interpolation;

typedef struct frz_motion
{
    int count; ///< keyframes; 0 for a body at rest
    frz_keyframe *keyframes;
    frz_interpolation interpolation;
    bool periodic; ///< start over after the last keyframe
} frz_motion;

typedef enum frz_body_kind
{
    FRZ_BODY_LIQUID,
    FRZ_BODY_ELASTIC,
    FRZ_BODY_RIGID,
    FRZ_BODY_STATIC
} frz_body_kind;

typedef struct frz_body
{
    char *name;
    frz_body_kind kind;
    frz_role role;      ///< of its particles, a consequence of its kind
    bool filled;        ///< rigid bodies: made of particles, which can change their phase, not of a shape
    int material;       ///< -1 for bodies of samples
    int chain;          ///< number of the chain that it is a link of, from 1; 0: none
    int like;           ///< the first body whose shape is equal but for where it stands; rigid bodies of samples only
    frz_vec3 position;  ///< at time 0; samples are kept relative to it
    double temperature; ///< initial temperature of its particles, K
    frz_wall_heat wall; ///< bodies of samples
    frz_motion motion;
    bool self_contact;               ///< elastic bodies: contacts within the body
    frz_rigid_body rigid;            ///< rigid bodies: state at time 0; static ones: friction and restitution only
    frz_vec3 force, torque;          ///< rigid bodies: constant load at and about the centre of mass, N, N m
    double damping, angular_damping; ///< rigid bodies: rates at which velocity and spin fade, 1/s
    int64_t sample_count;
    int64_t carved;   ///< samples left out because another body overlaps them
    int first_sample; ///< static and rigid bodies: samples first_sample .. + sample_count of the role of samples
    frz_shape
        *shape; ///< in the pose at time 0: of moving bodies if the model has emitters, of all bodies of samples if a
                ///< method asks for it (FRZ_TRAIT_NEEDS_SHAPES); else null
} frz_body;

/// Elastic particles that lie in a shape at time 0 are held.
typedef struct frz_attachment
{
    char *name;
    frz_shape *shape;
    double margin;     ///< m; particles this near to the shape count as inside
    int of;            ///< elastic body whose particles are held, -1: all
    int body;          ///< static or rigid body that holds them, -1: the world
    frz_vec3 pivot;    ///< about which the motion turns
    frz_motion motion; ///< if the world holds them
    double until;      ///< time of release, s; HUGE_VAL: never
    frz_vec3 face;     ///< along each axis: the last particle that it holds of bodies that go on there; NaN: nowhere
} frz_attachment;

typedef struct frz_probe
{
    char *name;
    frz_vec3 position;
    bool pressure, velocity, density, temperature;
    bool flow;       ///< counts the volume that crosses its patch
    frz_patch patch; ///< if it does
} frz_probe;

typedef struct frz_time_step_rules
{
    double fixed; ///< s; 0 for adaptive
    double max;   ///< s
    double min;   ///< s
    double cfl;   ///< fraction of a spacing a particle may move in a step
} frz_time_step_rules;

/// The field of temperatures, as a table of its own.
extern const frz_field_decl frz_temperature_table[];
/// The field of enthalpies, numbers of double precision.
extern const frz_field_decl frz_enthalpy_table[];
/// The field of origins, in scenes in which something can change.
extern const frz_field_decl frz_origin_table[];
extern const frz_field_decl frz_room_table[];
extern const frz_field_decl frz_clearance_table[];
/// The field of accelerations of material points by other bodies, in scenes in which these can touch them.
extern const frz_field_decl frz_push_table[];

struct frz_model
{
    int dimension;
    double spacing;
    double cell;    ///< volume of a particle at rest, spacing^d, m^d
    double face;    ///< spacing^(d - 1)
    double support; ///< m
    frz_kernel kernel;
    frz_kernel bond_kernel; ///< of the bonds of solid bodies
    double particle_volume; ///< calibrated: the lattice has exactly the rest density, m^d
    double plane_sum;       ///< sum of W * particle_volume over a flat wall of samples
    double surface_sum;     ///< the same at the wall's surface, half a spacing in front of them
    double wall_gain;       ///< of the wall function, see sph/pairs
    double wall_plain_gain; ///< of walls with a pressure of their own, see sph/pairs
    double gravity[3];
    bool has_temperature;  ///< particles carry a temperature
    int temperature_field; ///< in the store, if they do
    bool has_heat;         ///< a material conducts heat: particles carry an enthalpy
    int enthalpy_field;    ///< in the store, if they do
    double ambient;        ///< temperature of the air and of the surroundings, K
    double expected_speed; ///< of the liquid, see frz_state_expected_speed, m/s
    double duration;
    double frame_rate;
    frz_time_step_rules time_step;
    bool periodic[3];
    double domain_min[3], domain_max[3]; ///< particles that leave an open domain are removed and counted
    int material_count;
    frz_material *materials;
    int body_count;
    frz_body *bodies;
    int probe_count;
    frz_probe *probes;
    int emitter_count;
    frz_emitter *emitters;
    int region_count;
    frz_region *regions;
    int attachment_count;
    frz_attachment *attachments;
    int joint_count;
    frz_pair_joint *joints; ///< between bodies; those of single bodies with the world are the bodies' own
    int event_count;
    frz_event *events;
    bool can_change; ///< the scene has events, bodies that can break, or filled bodies
    int instance_count;
    frz_instance *instances; ///< methods in the order they run
};

/// Compute derived numbers (kernel, calibration, field layout of the methods); called after the scene's values are set.
void frz_model_finish(frz_model *model);
void frz_model_destroy(frz_model **model);
/// The method that fills a slot of a material, or of the scene (material -1); null if none does.
const frz_instance *frz_model_method(const frz_model *model, frz_slot slot, int material);
/// The method of viscosity with rates of friction; null: none.
const frz_instance *frz_model_friction(const frz_model *model);

/// Whether elastic bodies of a material are made of material points.
bool frz_model_has_points(const frz_model *model, int material);
/// Whether it has, or may get, bodies of particles with an undeformed state.
bool frz_model_has_solids(const frz_model *model);

/// Whether all free particles are material points for ever, on which only their grid acts: no particle has neighbours
/// or a pressure.
bool frz_model_only_points(const frz_model *model);

/// Fields of a method; null: none, or not written in this scene.
const frz_field_decl *frz_instance_fields(const frz_model *model, const frz_instance *instance);

/// Pose of a body at a time: a sample at position + s at time 0 is at pose position + R s.
void frz_body_pose(const frz_body *body, double time, frz_vec3 *position, frz_quat *rotation);

/// Mass of a particle, kg (kg/m in 2D).
static inline double frz_particle_mass(const frz_model *model, frz_real inverse_density)
{
    return model->cell / (double)inverse_density;
}

/// Kind of a body whose particles have this phase.
static inline frz_body_kind frz_phase_kind(frz_phase phase)
{
    const bool elastic = phase == FRZ_PHASE_ELASTIC || phase == FRZ_PHASE_POINT;
    return phase == FRZ_PHASE_RIGID ? FRZ_BODY_RIGID : elastic ? FRZ_BODY_ELASTIC : FRZ_BODY_LIQUID;
}

/// Role of the particles of a kind of body.
static inline frz_role frz_body_kind_role(frz_body_kind kind)
{
    return kind == FRZ_BODY_LIQUID || kind == FRZ_BODY_ELASTIC ? FRZ_ROLE_FREE : FRZ_ROLE_SAMPLE;
}

static inline bool frz_body_moves(const frz_body *body)
{
    return body->motion.count > 0 || body->kind == FRZ_BODY_RIGID;
}
