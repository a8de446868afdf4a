// SPDX-License-Identifier: MIT
// A rigid body in motion: what forces and contacts act on. Double precision throughout.
//
// Body axes are the scene's axes at time 0 (rotation = identity there). Their origin, position, is the centre of mass;
// for a body on a hinge it is the hinge's point, about which alone it can turn: then inverse_mass is 0 and
// inverse_inertia has the direction of the hinge only, and everything that acts at a place of the body does the right
// thing without knowing of the hinge. In two dimensions bodies move in the plane and turn about z: inverse_inertia has
// its zz entry only, and masses are per metre of depth.
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
    bool parked;   ///< it has left the domain: forces, contacts and joints have no effect on it any more
    bool asleep;   ///< it rests without velocity, and is left alone until something may move it
    frz_vec3 axis; ///< of the joint, a unit vector of the world
    frz_vec3
        origin; ///< where places of its shape are counted from, from the position, body axes; zero unless loaded or reshaped
    double rest_time; ///< s; for how long it has hardly moved (rigid/contacts_sleep.c)
} frz_rigid_body;

/// Mass, centre and inertia of a body, from where places of its shape are counted, body axes.
typedef struct frz_mass_properties
{
    double mass;      ///< kg
    frz_vec3 center;  ///< of mass, m
    frz_mat3 inertia; ///< about the centre of mass, kg m^2
} frz_mass_properties;

/// Point masses that move with a body as parts of it: sums over their places from where the body's shape is counted
/// from.
typedef struct frz_rigid_load
{
    double mass;     ///< kg
    frz_vec3 first;  ///< sum of m r, kg m
    frz_mat3 second; ///< sum of m r r^T, kg m^2
} frz_rigid_load;

/// What a body is made from. Start from frz_rigid_def_default().
typedef struct frz_rigid_def
{
    double density;          ///< kg/m^3; 0 if the mass is given
    double mass;             ///< kg (kg/m in two dimensions); 0 if the density is given
    frz_vec3 velocity, spin; ///< at the start: of the centre of mass, and about it
    bool driven;             ///< keeps velocity and spin whatever acts on it
    frz_joint joint;
    frz_vec3 anchor, axis; ///< of the joint; a slider needs no anchor
    double friction, restitution;
} frz_rigid_def;

frz_rigid_def frz_rigid_def_default(void);

/// A body of a shape with the given moments, as it stands at time 0.
FRZ_NODISCARD frz_status frz_rigid_body_make(const frz_rigid_def *def, const frz_moments *moments, int dimension,
                                             frz_rigid_body *out, frz_diag *diag);

/// Stop a body where it is, for good.
void frz_rigid_body_park(frz_rigid_body *body);

/// Make a body that was made as bare carry a load from now on (an empty one: none any more). Its material moves as it
/// did, so that position and velocity become those of the new centre of mass. Bodies that do not yield stay as they
/// are.
void frz_rigid_body_load(frz_rigid_body *body, const frz_rigid_body *bare, const frz_rigid_load *load, int dimension);

/// A free body at rest of given material, whose places are counted from a frame that stands and is turned as told.
/// Friction and restitution are the caller's to set.
frz_rigid_body frz_rigid_body_of_material(const frz_mass_properties *material, frz_vec3 frame, frz_quat rotation,
                                          int dimension);
/// Give a body other material in the same frame, as when particles leave it with the velocity they have in it. What
/// stays moves as it did: position and velocity become those of the new centre of mass (a hinge stays where it is), and
/// the spin is kept. A body that forces do not move or turn stays so.
void frz_rigid_body_reshape(frz_rigid_body *body, const frz_mass_properties *material, int dimension);
/// Give a free body all of a linear (kg m/s) and an angular momentum (kg m^2/s, about a place of the world), as when
/// bodies become one.
void frz_rigid_body_set_momentum(frz_rigid_body *body, frz_vec3 linear, frz_vec3 angular, frz_vec3 about);

/// Position and rotation after dt with the present velocity and spin; free bodies also get the spin that they have
/// then.
void frz_rigid_body_move(frz_rigid_body *body, double dt);

double frz_rigid_body_energy(const frz_rigid_body *body); ///< kinetic, J

/// About a place of the world, kg m^2/s.
frz_vec3 frz_rigid_body_angular_momentum(const frz_rigid_body *body, frz_vec3 about);

/// The rotation by a vector: about its direction by its length in radians.
frz_quat frz_quat_from_vector(frz_vec3 v);

/// Inverse inertia in world axes for the present rotation.
static inline void frz_rigid_body_refresh(frz_rigid_body *body)
{
    const frz_mat3 r = frz_m3_from_quat(body->rotation);
    body->inverse_inertia_world = frz_m3_mul(frz_m3_mul(r, body->inverse_inertia), frz_m3_transpose(r));
}

/// From the position to a place of the shape, world axes.
static inline frz_vec3 frz_rigid_body_arm(const frz_rigid_body *body, frz_vec3 place)
{
    return frz_quat_rotate(body->rotation, frz_v3_add(body->origin, place));
}

/// Where places of its shape are counted from now; without a load the position.
static inline frz_vec3 frz_rigid_body_frame(const frz_rigid_body *body)
{
    return frz_v3_add(body->position, frz_quat_rotate(body->rotation, body->origin));
}

/// Velocity of the material point that is at a place of the world now.
static inline frz_vec3 frz_rigid_body_velocity_at(const frz_rigid_body *body, frz_vec3 place)
{
    return frz_v3_add(body->velocity, frz_v3_cross(body->spin, frz_v3_sub(place, body->position)));
}

/// Whether forces have any effect on it.
static inline bool frz_rigid_body_yields(const frz_rigid_body *body)
{
    return body->inverse_mass > 0.0 || frz_m3_trace(body->inverse_inertia) > 0.0;
}

/// Change of the velocity by an impulse: a slider takes its share along the axis.
static inline frz_vec3 frz_rigid_body_yield(const frz_rigid_body *body, frz_vec3 impulse)
{
    if (body->joint == FRZ_JOINT_SLIDER)
        impulse = frz_v3_scale(frz_v3_dot(body->axis, impulse), body->axis);
    return frz_v3_scale(body->inverse_mass, impulse);
}

/// Act with an impulse (kg m/s) at the position and a moment (kg m^2/s).
static inline void frz_rigid_body_act(frz_rigid_body *body, frz_vec3 impulse, frz_vec3 moment)
{
    body->velocity = frz_v3_add(body->velocity, frz_rigid_body_yield(body, impulse));
    body->spin = frz_v3_add(body->spin, frz_m3_apply(body->inverse_inertia_world, moment));
}

/// Act with an impulse (kg m/s) at a place.
static inline void frz_rigid_body_push(frz_rigid_body *body, frz_vec3 place, frz_vec3 impulse)
{
    frz_rigid_body_act(body, impulse, frz_v3_cross(frz_v3_sub(place, body->position), impulse));
}
