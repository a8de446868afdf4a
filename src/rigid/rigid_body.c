// SPDX-License-Identifier: MIT
#include "rigid/rigid_body.h"

#include <math.h>
#include <string.h>

enum
{
    newton_steps = 8
};

// rad; longer turns are made in pieces, for which Newton's method needs few steps
static const double longest_turn = 0.5;
// pieces of a step beyond which nobody asks where a body points: a wild spin must not hold the program up
static const double most_pieces = 1e4;
// of the angular momentum, where the iteration ends
static const double rounding = 1e-15;
// below this angle (rad) the tangent is its argument to rounding
static const double tiny_angle = 1e-8;

frz_rigid_def frz_rigid_def_default(void)
{
    frz_rigid_def def;
    memset(&def, 0, sizeof def);
    def.axis = frz_v3(0.0, 0.0, 1.0);
    return def;
}

static frz_status check_mass(const frz_rigid_def *def, const frz_moments *moments, frz_diag *diag)
{
    if (!(moments->volume < HUGE_VAL))
        return frz_fail(
            diag, FRZ_ERR_SCENE,
            "a rigid body needs a bounded shape, and this one has no end; take its intersection with a box");
    if (!(moments->volume > 0.0))
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "its shape has no volume, so it has no mass; give it a shape with an inside");
    if ((def->mass != 0.0) == (def->density != 0.0))
        return frz_fail(diag, FRZ_ERR_SCENE, "a rigid body needs either a density or a mass");
    const double given = def->mass != 0.0 ? def->mass : def->density;
    if (!(given > 0.0 && given < HUGE_VAL))
        return frz_fail(diag, FRZ_ERR_SCENE, "the %s of a rigid body must be above 0, got %g",
                        def->mass != 0.0 ? "mass" : "density", given);
    return FRZ_OK;
}

// Inertia about a point at -offset from the centre: tr(M) I - M with M = second moments there.
static frz_mat3 inertia_of(frz_mat3 second, double mass, frz_vec3 offset, int dimension)
{
    const frz_mat3 moved = frz_m3_mad(second, mass, frz_m3_outer(offset, offset));
    const double trace = frz_m3_trace(moved);
    return dimension == 2 ? frz_m3_diagonal(0.0, 0.0, trace) : frz_m3_sub(frz_m3_diagonal(trace, trace, trace), moved);
}

static frz_mat3 inverse_of(frz_mat3 inertia, int dimension)
{
    if (dimension == 2)
        return frz_m3_diagonal(0.0, 0.0, 1.0 / inertia.m[2][2]);
    return frz_m3_scale(1.0 / frz_m3_determinant(inertia), frz_m3_transpose(frz_m3_cofactor(inertia)));
}

frz_status frz_rigid_body_make(const frz_rigid_def *def, const frz_moments *moments, int dimension, frz_rigid_body *out,
                               frz_diag *diag)
{
    memset(out, 0, sizeof *out);
    FRZ_TRY(check_mass(def, moments, diag));
    const double density = def->mass != 0.0 ? def->mass / moments->volume : def->density;
    const frz_vec3 center = frz_v3_scale(1.0 / moments->volume, moments->first);
    const frz_mat3 second =
        frz_m3_scale(density, frz_m3_mad(moments->second, -moments->volume, frz_m3_outer(center, center)));
    const bool hinge = def->joint == FRZ_JOINT_HINGE, slider = def->joint == FRZ_JOINT_SLIDER;
    const frz_vec3 axis = frz_v3_normalize(def->axis);
    out->mass = density * moments->volume;
    out->friction = def->friction;
    out->restitution = def->restitution;
    out->joint = def->joint;
    out->axis = axis;
    out->position = hinge ? def->anchor : center;
    if (dimension == 2)
        out->position.z = 0.0;
    out->center = frz_v3_sub(center, out->position);
    out->rotation = frz_quat_identity();
    out->inertia = inertia_of(second, out->mass, out->center, dimension);
    out->velocity = hinge ? frz_v3(0.0, 0.0, 0.0) : def->velocity;
    out->spin = slider ? frz_v3(0.0, 0.0, 0.0) : def->spin;
    if (hinge)
        out->spin = frz_v3_scale(frz_v3_dot(axis, def->spin), axis);
    if (slider)
        out->velocity = frz_v3_scale(frz_v3_dot(axis, def->velocity), axis);
    if (!def->driven && !hinge)
        out->inverse_mass = 1.0 / out->mass;
    if (!def->driven && hinge) // what is left of the inertia is that about the axis
        out->inverse_inertia =
            frz_m3_scale(1.0 / frz_v3_dot(axis, frz_m3_apply(out->inertia, axis)), frz_m3_outer(axis, axis));
    if (!def->driven && def->joint == FRZ_JOINT_NONE)
        out->inverse_inertia = inverse_of(out->inertia, dimension);
    frz_rigid_body_refresh(out);
    return FRZ_OK;
}

// For those that yield; a hinge leaves the inertia about its axis.
static void set_inverses(frz_rigid_body *body, const frz_rigid_body *bare, int dimension)
{
    const frz_vec3 axis = body->axis;
    body->inverse_mass = bare->inverse_mass > 0.0 ? 1.0 / body->mass : 0.0;
    if (body->joint == FRZ_JOINT_HINGE)
        body->inverse_inertia =
            frz_m3_scale(1.0 / frz_v3_dot(axis, frz_m3_apply(body->inertia, axis)), frz_m3_outer(axis, axis));
    else if (frz_m3_trace(bare->inverse_inertia) > 0.0)
        body->inverse_inertia = inverse_of(body->inertia, dimension);
}

// Both inertias are about the place the shape is counted from; a body without a hinge then turns about the new centre.
void frz_rigid_body_load(frz_rigid_body *body, const frz_rigid_body *bare, const frz_rigid_load *load, int dimension)
{
    if (!frz_rigid_body_yields(bare))
        return;
    const double mass = bare->mass + load->mass;
    const bool hinge = bare->joint == FRZ_JOINT_HINGE;
    const frz_vec3 center = frz_v3_scale(1.0 / mass, frz_v3_mad(load->first, bare->mass, bare->center));
    const frz_vec3 frame = frz_rigid_body_frame(body), along = hinge ? frz_v3(0.0, 0.0, 0.0) : center;
    const frz_vec3 arm = frz_quat_rotate(body->rotation, along);
    const frz_vec3 velocity = frz_rigid_body_velocity_at(body, frz_v3_add(frame, arm));
    const frz_mat3 moved = frz_m3_mad(load->second, -mass, frz_m3_outer(along, along));
    const double trace = frz_m3_trace(moved);
    const frz_mat3 added =
        dimension == 2 ? frz_m3_diagonal(0.0, 0.0, trace) : frz_m3_sub(frz_m3_diagonal(trace, trace, trace), moved);
    body->mass = mass;
    body->inertia = frz_m3_add(bare->inertia, added);
    body->center = hinge ? center : frz_v3(0.0, 0.0, 0.0);
    body->origin = frz_v3_scale(-1.0, along);
    body->position = frz_v3_add(frame, arm);
    body->velocity = velocity;
    set_inverses(body, bare, dimension);
    frz_rigid_body_refresh(body);
}

frz_rigid_body frz_rigid_body_of_material(const frz_mass_properties *material, frz_vec3 frame, frz_quat rotation,
                                          int dimension)
{
    frz_rigid_body body;
    memset(&body, 0, sizeof body);
    body.axis = frz_v3(0.0, 0.0, 1.0);
    body.position = frame;
    body.rotation = rotation;
    body.inverse_mass = 1.0; // it yields
    body.inverse_inertia = frz_m3_identity();
    frz_rigid_body_reshape(&body, material, dimension);
    return body;
}

void frz_rigid_body_reshape(frz_rigid_body *body, const frz_mass_properties *material, int dimension)
{
    const frz_rigid_body before = *body;
    const bool hinge = body->joint == FRZ_JOINT_HINGE;
    const frz_vec3 frame = frz_rigid_body_frame(body);
    const frz_vec3 along = hinge ? frz_v3_scale(-1.0, body->origin) : material->center;
    if (!hinge)
    {
        body->position = frz_v3_add(frame, frz_quat_rotate(body->rotation, along));
        body->velocity = frz_rigid_body_velocity_at(&before, body->position);
    }
    body->origin = frz_v3_scale(-1.0, along);
    body->center = frz_v3_sub(material->center, along);
    body->mass = material->mass;
    // about the position, from that about the centre of mass
    const frz_mat3 moved = frz_m3_scale(body->mass, frz_m3_outer(body->center, body->center));
    const double trace = frz_m3_trace(moved);
    const frz_mat3 added =
        dimension == 2 ? frz_m3_diagonal(0.0, 0.0, trace) : frz_m3_sub(frz_m3_diagonal(trace, trace, trace), moved);
    body->inertia = frz_m3_add(material->inertia, added);
    set_inverses(body, &before, dimension);
    frz_rigid_body_refresh(body);
}

void frz_rigid_body_set_momentum(frz_rigid_body *body, frz_vec3 linear, frz_vec3 angular, frz_vec3 about)
{
    const frz_vec3 own = frz_v3_sub(angular, frz_v3_cross(frz_v3_sub(body->position, about), linear));
    body->velocity = frz_v3_scale(body->inverse_mass, linear);
    body->spin = frz_m3_apply(body->inverse_inertia_world, own);
}

frz_quat frz_quat_from_vector(frz_vec3 v)
{
    const double angle = frz_v3_length(v);
    return angle > 0.0 ? frz_quat_axis_angle(v, angle) : frz_quat_identity();
}

static frz_mat3 cross_matrix(frz_vec3 v)
{
    const frz_mat3 m = {{{0.0, -v.z, v.y}, {v.z, 0.0, -v.x}, {-v.y, v.x, 0.0}}};
    return m;
}

// tan(a / 2) / (a / 2)
static double stretch(double angle)
{
    return angle > tiny_angle ? tan(0.5 * angle) / (0.5 * angle) : 1.0;
}

// One step of torque-free rotation in body axes: L' = exp(-dt w) L with w = I^-1 (L + L') / 2, the implicit midpoint
// rule with its Cayley transform made an exponential. R' = R exp(dt w) then keeps R L, the angular momentum, and L' - L
// is along (L + L') x w, so that L . I^-1 L, twice the energy, is kept too: both to rounding, for any step. Newton's
// method on
//     f(L') = L' - L - dt c (m x J m) = 0,   m = (L + L') / 2,  J = I^-1,  c = tan(a/2) / (a/2),  a = dt |J m|
// with c held fixed in the derivative.
static frz_vec3 turn(frz_mat3 inverse, double dt, frz_vec3 *momentum)
{
    const frz_vec3 before = *momentum;
    frz_vec3 after = before, w = frz_m3_apply(inverse, before);
    for (int n = 0; n < newton_steps; ++n)
    {
        const frz_vec3 m = frz_v3_scale(0.5, frz_v3_add(before, after));
        w = frz_m3_apply(inverse, m);
        const double c = dt * stretch(dt * frz_v3_length(w));
        const frz_vec3 f = frz_v3_mad(frz_v3_sub(after, before), -c, frz_v3_cross(m, w));
        if (frz_v3_length(f) <= rounding * frz_v3_length(before))
            break;
        const frz_mat3 slope =
            frz_m3_mad(frz_m3_identity(), -0.5 * c, frz_m3_sub(frz_m3_mul(cross_matrix(m), inverse), cross_matrix(w)));
        const frz_mat3 solve = frz_m3_scale(1.0 / frz_m3_determinant(slope), frz_m3_transpose(frz_m3_cofactor(slope)));
        after = frz_v3_sub(after, frz_m3_apply(solve, f));
    }
    *momentum = after;
    return w;
}

// A body that turns freely.
static void tumble(frz_rigid_body *body, double dt)
{
    const int pieces = (int)fmin(ceil(dt * frz_v3_length(body->spin) / longest_turn), most_pieces);
    const double part = dt / (pieces > 1 ? pieces : 1);
    const frz_quat back = frz_quat_conjugate(body->rotation);
    frz_vec3 momentum = frz_m3_apply(body->inertia, frz_quat_rotate(back, body->spin)); // in body axes
    for (int n = 0; n < (pieces > 1 ? pieces : 1); ++n)
    {
        const frz_vec3 w = turn(body->inverse_inertia, part, &momentum);
        body->rotation = frz_quat_normalize(frz_quat_mul(body->rotation, frz_quat_from_vector(frz_v3_scale(part, w))));
    }
    body->spin = frz_quat_rotate(body->rotation, frz_m3_apply(body->inverse_inertia, momentum));
}

void frz_rigid_body_move(frz_rigid_body *body, double dt)
{
    if (body->asleep)
        return;
    if (body->joint == FRZ_JOINT_SLIDER) // rounding must not add up to a way off the axis
        body->velocity = frz_v3_scale(frz_v3_dot(body->axis, body->velocity), body->axis);
    if (body->joint == FRZ_JOINT_HINGE)
        body->spin = frz_v3_scale(frz_v3_dot(body->axis, body->spin), body->axis);
    body->position = frz_v3_mad(body->position, dt, body->velocity);
    if (body->joint == FRZ_JOINT_NONE && frz_m3_trace(body->inverse_inertia) > 0.0)
        tumble(body, dt);
    else
        body->rotation =
            frz_quat_normalize(frz_quat_mul(frz_quat_from_vector(frz_v3_scale(dt, body->spin)), body->rotation));
    frz_rigid_body_refresh(body);
}

void frz_rigid_body_park(frz_rigid_body *body)
{
    body->parked = true;
    body->asleep = false;
    body->inverse_mass = 0.0;
    body->inverse_inertia = frz_m3_zero();
    body->velocity = body->spin = frz_v3(0.0, 0.0, 0.0);
    frz_rigid_body_refresh(body);
}

// Angular momentum about the position, for a body whose position is its centre of mass or does not move.
static frz_vec3 own_momentum(const frz_rigid_body *body)
{
    const frz_vec3 spin = frz_quat_rotate(frz_quat_conjugate(body->rotation), body->spin);
    return frz_quat_rotate(body->rotation, frz_m3_apply(body->inertia, spin));
}

double frz_rigid_body_energy(const frz_rigid_body *body)
{
    return 0.5 * body->mass * frz_v3_dot(body->velocity, body->velocity) +
           0.5 * frz_v3_dot(body->spin, own_momentum(body));
}

frz_vec3 frz_rigid_body_angular_momentum(const frz_rigid_body *body, frz_vec3 about)
{
    const frz_vec3 center = frz_v3_add(body->position, frz_quat_rotate(body->rotation, body->center));
    const frz_vec3 velocity = frz_rigid_body_velocity_at(body, center);
    const frz_vec3 arm = frz_v3_sub(center, body->position);
    // about the centre of mass, and that of the mass there
    const frz_vec3 inner = frz_v3_mad(own_momentum(body), -body->mass, frz_v3_cross(arm, velocity));
    return frz_v3_mad(inner, body->mass, frz_v3_cross(frz_v3_sub(center, about), velocity));
}
