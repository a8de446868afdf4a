// SPDX-License-Identifier: MIT
// A rigid body in motion: what forces and contacts act on. Double precision throughout.
//
// Body axes are the scene's axes at time 0 (rotation = identity there) with the origin in the centre of mass. In two dimensions
// bodies move in the plane and turn about z: inverse_inertia has its zz entry only, and masses are per metre of depth.
#pragma once

#include "math/mat3.h"

typedef struct frz_rigid_body
{
    // constants
    double inverse_mass;      ///< 1/kg; 0 for bodies that forces do not move (static, keyframed)
    frz_mat3 inertia;         ///< about the centre of mass, body axes, kg m^2
    frz_mat3 inverse_inertia; ///< body axes; zero for bodies that forces do not turn
    double friction;          ///< Coulomb coefficient of its surface; a contact takes the geometric mean of the two
    double restitution;       ///< of its surface, 0..1; a contact takes the larger of the two

    // state
    frz_vec3 position; ///< of the centre of mass, m
    frz_quat rotation; ///< from body axes to the world's
    frz_vec3 velocity; ///< of the centre of mass, m/s
    frz_vec3 spin;     ///< angular velocity in world axes, rad/s

    // derived, by frz_rigid_body_refresh
    frz_mat3 inverse_inertia_world;
} frz_rigid_body;

/// Inverse inertia in world axes for the present rotation.
static inline void frz_rigid_body_refresh(frz_rigid_body *body)
{
    const frz_mat3 r = frz_m3_from_quat(body->rotation);
    body->inverse_inertia_world = frz_m3_mul(frz_m3_mul(r, body->inverse_inertia), frz_m3_transpose(r));
}

/// Velocity of the material point that is at a place of the world now.
static inline frz_vec3 frz_rigid_body_velocity_at(const frz_rigid_body *body, frz_vec3 place)
{
    return frz_v3_add(body->velocity, frz_v3_cross(body->spin, frz_v3_sub(place, body->position)));
}

/// Act with an impulse (kg m/s) at a place.
static inline void frz_rigid_body_push(frz_rigid_body *body, frz_vec3 place, frz_vec3 impulse)
{
    const frz_vec3 moment = frz_v3_cross(frz_v3_sub(place, body->position), impulse);
    body->velocity = frz_v3_mad(body->velocity, body->inverse_mass, impulse);
    body->spin = frz_v3_add(body->spin, frz_m3_apply(body->inverse_inertia_world, moment));
}
