// SPDX-License-Identifier: MIT
// A rigid body in motion. Double precision throughout.
//
// Body axes are the scene's axes at time 0 (rotation = identity there). Their origin, position, is the centre of mass;
// for a body on a hinge it is the hinge's point, about which alone it can turn: then inverse_mass is 0 and
// inverse_inertia has the direction of the hinge only, so that impulses at any point of the body act correctly without
// a special case for the hinge. In two dimensions bodies move in the plane and turn about z: inverse_inertia has its zz
// entry only, and masses are per metre of depth.
#pragma once

#include "base/fail.h"
#include "geom/shape_moments.h"
#include "math/mat3.h"

typedef enum frz_joint
{
    FRZ_JOINT_NONE,
    FRZ_JOINT_HINGE, ///< turns about an axis of the world
    FRZ_JOINT_SLIDER ///< moves along an axis of the world, without turning
} frz_joint;

typedef struct frz_rigid_body
{
    // constants
    double inverse_mass;      ///< 1/kg; 0 for bodies that forces do not move (static, keyframed, driven, on a hinge)
    frz_mat3 inertia;         ///< about the position, body axes, kg m^2
    frz_mat3 inverse_inertia; ///< body axes; zero for bodies that forces do not turn
    double friction;          ///< Coulomb coefficient of its surface; a contact takes the geometric mean of the two
    double restitution;       ///< of its surface, 0..1; a contact takes the larger of the two

    // state
    frz_vec3 position; ///< of the centre of mass (or of the hinge), m
    frz_quat rotation; ///< from body axes to the world's
    frz_vec3 velocity; ///< of the position, m/s
    frz_vec3 spin;     ///< angular velocity in world axes, rad/s

    // derived, by frz_rigid_body_refresh
    frz_mat3 inverse_inertia_world;

    // more constants
    double mass;     ///< kg
    frz_vec3 center; ///< of mass, from the position, body axes; zero without a hinge
    frz_joint joint;
    bool parked;      ///< it has left the domain: forces, contacts and joints have no effect on it any more
    bool asleep;      ///< at rest without velocity, and not simulated until something may move it
    frz_vec3 axis;    ///< of the joint, a unit vector of the world
    frz_vec3 origin;  ///< origin of its shape, from the position, body axes; zero unless loaded or reshaped
    double rest_time; ///< s; time for which it has hardly moved (rigid/contacts_sleep.c)
} frz_rigid_body;

/// Mass, centre and inertia of a body, relative to the origin of its shape, body axes.
typedef struct frz_mass_properties
{
    double mass;      ///< kg
    frz_vec3 center;  ///< of mass, m
    frz_mat3 inertia; ///< about the centre of mass, kg m^2
} frz_mass_properties;

/// Point masses that move with a body as parts of it: sums over their positions r from the origin of the body's shape.
typedef struct frz_rigid_load
{
    double mass;     ///< kg
    frz_vec3 first;  ///< sum of m r, kg m
    frz_mat3 second; ///< sum of m r r^T, kg m^2
} frz_rigid_load;

/// Parameters of a new body. Start from frz_rigid_def_default().
typedef struct frz_rigid_def
{
    double density;          ///< kg/m^3; 0 if the mass is given
    double mass;             ///< kg (kg/m in two dimensions); 0 if the density is given
    frz_vec3 velocity, spin; ///< at the start: of the centre of mass, and about it
    bool driven;             ///< keeps velocity and spin under all forces
    frz_joint joint;
    frz_vec3 anchor, axis; ///< of the joint; a slider needs no anchor
    double friction, restitution;
} frz_rigid_def;

frz_rigid_def frz_rigid_def_default(void);

/// A body of a shape with the given moments, as it stands at time 0.
FRZ_NODISCARD frz_status frz_rigid_body_make(const frz_rigid_def *def, const frz_moments *moments, int dimension,
                                             frz_rigid_body *out, frz_diag *diag);

/// Stop a body for good.
void frz_rigid_body_park(frz_rigid_body *body);

/// Replace the load of a body, which without load is bare (an empty load: none). The motion of its matter does not
/// change: position and velocity become those of the new centre of mass. Immovable bodies do not change.
void frz_rigid_body_load(frz_rigid_body *body, const frz_rigid_body *bare, const frz_rigid_load *load, int dimension);

/// A free body at rest with given mass properties and frame (position and rotation). The caller sets friction and
/// restitution.
frz_rigid_body frz_rigid_body_of_material(const frz_mass_properties *material, frz_vec3 frame, frz_quat rotation,
                                          int dimension);
/// Replace the mass properties of a body in the same frame, as when particles leave it with their velocity. The motion
/// of the rest does not change: position and velocity become those of the new centre of mass (a hinge keeps its
/// position), and the spin is kept. A body that forces do not move or turn stays so.
void frz_rigid_body_reshape(frz_rigid_body *body, const frz_mass_properties *material, int dimension);
/// Set the linear (kg m/s) and angular momentum (kg m^2/s, about a point of the world) of a free body, as when bodies
/// become one.
void frz_rigid_body_set_momentum(frz_rigid_body *body, frz_vec3 linear, frz_vec3 angular, frz_vec3 about);

/// Position and rotation after dt with the present velocity and spin; free bodies also get their spin at that time.
void frz_rigid_body_move(frz_rigid_body *body, double dt);

double frz_rigid_body_energy(const frz_rigid_body *body); ///< kinetic, J

/// About a point of the world, kg m^2/s.
frz_vec3 frz_rigid_body_angular_momentum(const frz_rigid_body *body, frz_vec3 about);

/// The rotation by a vector: about its direction by its length in radians.
frz_quat frz_quat_from_vector(frz_vec3 v);

/// Inverse inertia in world axes for the present rotation.
static inline void frz_rigid_body_refresh(frz_rigid_body *body)
{
    const frz_mat3 r = frz_m3_from_quat(body->rotation);
    body->inverse_inertia_world = frz_m3_mul(frz_m3_mul(r, body->inverse_inertia), frz_m3_transpose(r));
}

/// Vector from the position to a point of the shape, world axes.
static inline frz_vec3 frz_rigid_body_arm(const frz_rigid_body *body, frz_vec3 place)
{
    return frz_quat_rotate(body->rotation, frz_v3_add(body->origin, place));
}

/// Origin of its shape in the world; without a load the position.
static inline frz_vec3 frz_rigid_body_frame(const frz_rigid_body *body)
{
    return frz_v3_add(body->position, frz_quat_rotate(body->rotation, body->origin));
}

/// Velocity of the material point at a position in the world.
static inline frz_vec3 frz_rigid_body_velocity_at(const frz_rigid_body *body, frz_vec3 place)
{
    return frz_v3_add(body->velocity, frz_v3_cross(body->spin, frz_v3_sub(place, body->position)));
}

/// Whether it is movable: forces have an effect on it.
static inline bool frz_rigid_body_yields(const frz_rigid_body *body)
{
    return body->inverse_mass > 0.0 || frz_m3_trace(body->inverse_inertia) > 0.0;
}

/// Change of the velocity by an impulse; of a slider by its component along the axis.
static inline frz_vec3 frz_rigid_body_yield(const frz_rigid_body *body, frz_vec3 impulse)
{
    if (body->joint == FRZ_JOINT_SLIDER)
        impulse = frz_v3_scale(frz_v3_dot(body->axis, impulse), body->axis);
    return frz_v3_scale(body->inverse_mass, impulse);
}

/// Apply an impulse (kg m/s) at the position and a moment (kg m^2/s).
static inline void frz_rigid_body_act(frz_rigid_body *body, frz_vec3 impulse, frz_vec3 moment)
{
    body->velocity = frz_v3_add(body->velocity, frz_rigid_body_yield(body, impulse));
    body->spin = frz_v3_add(body->spin, frz_m3_apply(body->inverse_inertia_world, moment));
}

/// Apply an impulse (kg m/s) at a point of the world.
static inline void frz_rigid_body_push(frz_rigid_body *body, frz_vec3 place, frz_vec3 impulse)
{
    frz_rigid_body_act(body, impulse, frz_v3_cross(frz_v3_sub(place, body->position), impulse));
}
