// SPDX-License-Identifier: MIT
#include "rigid/contact_rows.h"

static const double regular =
    1.0e-8; ///< determinants above this share of the trace's cube: cofactors keep eight digits
static const double singular = 1.0e-12; ///< pivots of the 3 x 3 blocks, relative to the largest entry
// A contact that carried a load in the last step and is now open by less than this, in spacings, counts as closed.
// Otherwise each sweep would reduce its load by the impulse that closes the gap only, and many sweeps would be needed.
static const double hairline = 1.0e-4;
static const double locked = 1.0e-8; ///< the same, relative to bodies without joints: joints hold this direction

int frz_contact_reactions(const frz_joints *joints, const frz_rigid_body *body, int number)
{
    const int *members = NULL;
    const int count = joints != NULL ? frz_joints_members(joints, number, &members) : 0;
    return count > 0 ? count : body->joint == FRZ_JOINT_SLIDER;
}

/// Inverse of a symmetric positive block; where it is singular (nothing can turn or move that way) the direction is
/// left out.
static frz_mat3 invert_block(frz_mat3 k, double least)
{
    const double trace = frz_m3_trace(k);
    const double xx = k.m[1][1] * k.m[2][2] - k.m[1][2] * k.m[1][2], yy = k.m[0][0] * k.m[2][2] - k.m[0][2] * k.m[0][2];
    const double zz = k.m[0][0] * k.m[1][1] - k.m[0][1] * k.m[0][1], xy = k.m[0][2] * k.m[1][2] - k.m[0][1] * k.m[2][2];
    const double xz = k.m[0][1] * k.m[1][2] - k.m[0][2] * k.m[1][1], yz = k.m[0][1] * k.m[0][2] - k.m[1][2] * k.m[0][0];
    const double determinant = k.m[0][0] * xx + k.m[0][1] * xy + k.m[0][2] * xz;
    // the smallest eigenvalue is at least the determinant over the square of half the trace
    if (determinant > regular * trace * trace * trace && determinant > 0.25 * least * trace * trace)
        return frz_m3_scale(1.0 / determinant, (frz_mat3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}});
    const frz_eigen3 e = frz_m3_eigen(k);
    double inverse[3];
    for (int i = 0; i < 3; ++i)
        inverse[i] = e.s[i] > fmax(singular * e.s[0], least) ? 1.0 / e.s[i] : 0.0;
    return frz_m3_compose(e.v, inverse, e.v);
}

static frz_vec3 unit_axis(int k)
{
    return frz_v3(k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0);
}

/// Velocity at the end of an arm by unit impulses there: 1/m - [arm] I^-1 [arm].
static frz_mat3 answer_of(const frz_rigid_body *body, frz_vec3 arm)
{
    frz_mat3 answer = frz_m3_zero();
    for (int k = 0; k < 3; ++k)
    {
        const frz_vec3 axis = unit_axis(k);
        const frz_vec3 spin = frz_m3_apply(body->inverse_inertia_world, frz_v3_cross(arm, axis));
        const frz_vec3 velocity = frz_v3_add(frz_rigid_body_yield(body, axis), frz_v3_cross(spin, arm));
        answer.m[0][k] = velocity.x;
        answer.m[1][k] = velocity.y;
        answer.m[2][k] = velocity.z;
    }
    return answer;
}

/// Motions of all that is joined to a side's body by unit impulses; added to those of the other side if they are the
/// same.
static void add_mechanism(const frz_contact_row_maker *maker, const frz_rigid_body *body, int side, frz_contact_row *r)
{
    const int b = r->body[side];
    const int *members = &b;
    int count = maker->joints != NULL ? frz_joints_members(maker->joints, b, &members) : 0;
    const bool joined = count > 0; // else it is a slider of the world
    count = joined ? count : 1;
    frz_contact_reaction *to =
        r->reactions; // the mechanism of the first side is the first in the list, if it is the same
    if (r->reaction_count == 0 || to->body != members[0])
    {
        to += r->reaction_count;
        r->reaction_count += count;
        for (int m = 0; m < count; ++m)
            to[m] = (frz_contact_reaction){.body = members[m]};
    }
    const double sign = side == 0 ? 1.0 : -1.0;
    for (int k = 0; k < 3; ++k)
    {
        const frz_vec3 axis = frz_v3_scale(sign, unit_axis(k));
        const frz_rigid_motion alone = {frz_rigid_body_yield(body, axis),
                                        frz_m3_apply(body->inverse_inertia_world, frz_v3_cross(r->arm[side], axis))};
        if (joined)
            frz_joints_respond(maker->joints, b, &alone, maker->work, maker->response);
        for (int m = 0; m < count; ++m)
        {
            const frz_rigid_motion *by = joined ? &maker->response[m] : &alone;
            to[m].by[k].velocity = frz_v3_add(to[m].by[k].velocity, by->velocity);
            to[m].by[k].spin = frz_v3_add(to[m].by[k].spin, by->spin);
        }
    }
}

/// Contribution of mechanisms to the block.
static frz_mat3 answer_of_mechanisms(const frz_contact_row *r)
{
    frz_mat3 block = frz_m3_zero();
    for (int n = 0; n < 2 * r->reaction_count; ++n)
    {
        const frz_contact_reaction *reacts = &r->reactions[n / 2];
        const int side = n % 2;
        if (reacts->body != r->body[side])
            continue;
        const double sign = side == 0 ? 1.0 : -1.0;
        for (int k = 0; k < 3; ++k)
        {
            const frz_vec3 v = frz_v3_add(reacts->by[k].velocity, frz_v3_cross(reacts->by[k].spin, r->arm[side]));
            block.m[0][k] += sign * v.x;
            block.m[1][k] += sign * v.y;
            block.m[2][k] += sign * v.z;
        }
    }
    return block;
}

/// The block of a row: relative velocity per impulse. loose gets the trace / 3 that it would have without joints.
static frz_mat3 make_block(const frz_contact_row_maker *maker, const frz_rigid_body *const pair[2], frz_contact_row *r,
                           double *loose)
{
    frz_mat3 block = frz_m3_zero();
    *loose = 0.0;
    for (int side = 0; side < 2; ++side)
    {
        if (pair[side] == NULL || !frz_rigid_body_yields(pair[side]))
            continue;
        const frz_mat3 answer = answer_of(pair[side], r->arm[side]);
        *loose += frz_m3_trace(answer) / 3.0;
        r->yields[side] = frz_contact_reactions(maker->joints, pair[side], r->body[side]) == 0;
        if (r->yields[side])
            block = frz_m3_add(block, answer);
        else
            add_mechanism(maker, pair[side], side, r);
    }
    return frz_m3_symmetric(frz_m3_add(block, answer_of_mechanisms(r)));
}

void frz_contact_row_make(const frz_contact_row_maker *maker, const frz_contact *c, const frz_rigid_body *bodies,
                          frz_contact_row *r)
{
    const frz_rigid_body *const pair[2] = {&bodies[c->key.toucher], &bodies[c->key.touched]};
    *r = (frz_contact_row){.body = {c->key.toucher, c->key.touched},
                           .moving = c->key.kept == FRZ_CONTACT_MOVING,
                           .normal = c->normal,
                           .reactions = r->reactions};
    for (int side = 0; side < 2; ++side)
        r->arm[side] = frz_v3_sub(c->place, pair[side]->position);
    double loose;
    const frz_mat3 block = make_block(maker, pair, r, &loose);
    const double least = locked * loose;
    r->inverse = invert_block(block, least);
    const frz_vec3 first = frz_m3_apply(block, c->tangent[0]), second = frz_m3_apply(block, c->tangent[1]);
    const double xx = frz_v3_dot(c->tangent[0], first), yy = frz_v3_dot(c->tangent[1], second);
    const double tangent = 0.5 * (xx + yy) + hypot(0.5 * (xx - yy), frz_v3_dot(c->tangent[1], first));
    const double normal = frz_v3_dot(c->normal, frz_m3_apply(block, c->normal));
    r->normal_response = normal > least ? normal : HUGE_VAL; // a locked direction takes no impulse
    r->tangent_response = tangent > least ? tangent : HUGE_VAL;
    r->response = frz_m3_trace(block) / 3.0;
    r->friction = sqrt(pair[0]->friction * pair[1]->friction);
    r->restitution = fmax(pair[0]->restitution, pair[1]->restitution);
    r->gap = c->gap;
    const bool is_closed = c->gap <= 0.0 || (c->impulse.x > 0.0 && c->gap <= hairline * maker->options->spacing);
    r->target = is_closed ? 0.0 : -c->gap / maker->dt;
    r->bounces = r->restitution > 0.0 && c->approach < -maker->options->restitution_speed &&
                 c->gap + maker->dt * c->approach <= 0.0;
    if (r->bounces)
        r->target = -r->restitution * c->approach;
    r->impulse = frz_v3_scale(c->impulse.x, c->normal);
    r->impulse = frz_v3_mad(frz_v3_mad(r->impulse, c->impulse.y, c->tangent[0]), c->impulse.z, c->tangent[1]);
}

void frz_contact_row_make_rope(const frz_contact_row_maker *maker, const frz_rope *rope, const frz_rigid_body *bodies,
                               int world, frz_contact_row *r)
{
    const frz_rigid_body *pair[2] = {NULL, NULL};
    *r = (frz_contact_row){.body = {rope->body[0], rope->body[1]}, .normal = rope->normal, .reactions = r->reactions};
    for (int side = 0; side < 2; ++side)
    {
        if (rope->body[side] == world)
            continue;
        pair[side] = &bodies[rope->body[side]];
        r->arm[side] = frz_v3_sub(rope->place[side], pair[side]->position);
    }
    double loose;
    const frz_mat3 block = make_block(maker, pair, r, &loose);
    const double response = frz_v3_dot(rope->normal, frz_m3_apply(block, rope->normal));
    const bool gives = response > locked * loose;
    r->normal_response = gives ? response : HUGE_VAL;
    r->tangent_response = HUGE_VAL;
    r->inverse = frz_m3_scale(gives ? 1.0 / response : 0.0, frz_m3_outer(rope->normal, rope->normal));
    r->response = response / 3.0;
    r->target = rope->least;
    r->impulse = frz_v3_scale(rope->impulse, rope->normal);
}

// ---- solving

void frz_contact_row_apply(const frz_contact_row *r, frz_vec3 impulse, const frz_contact_mass *masses,
                           frz_rigid_motion *motions)
{
    for (int side = 0; side < 2; ++side)
    {
        if (!r->yields[side])
            continue;
        const double sign = side == 0 ? 1.0 : -1.0;
        const frz_contact_mass *mass = &masses[r->body[side]];
        frz_rigid_motion *m = &motions[r->body[side]];
        m->velocity = frz_v3_mad(m->velocity, sign * mass->inverse, impulse);
        m->spin = frz_v3_mad(m->spin, sign, frz_m3_apply(mass->inertia, frz_v3_cross(r->arm[side], impulse)));
    }
    for (int n = 0; n < r->reaction_count; ++n)
    {
        const frz_contact_reaction *reacts = &r->reactions[n];
        frz_rigid_motion *m = &motions[reacts->body];
        const double part[3] = {impulse.x, impulse.y, impulse.z};
        for (int k = 0; k < 3; ++k)
        {
            m->velocity = frz_v3_mad(m->velocity, part[k], reacts->by[k].velocity);
            m->spin = frz_v3_mad(m->spin, part[k], reacts->by[k].spin);
        }
    }
}

static frz_vec3 relative_velocity(const frz_contact_row *r, const frz_rigid_motion *motions)
{
    const frz_rigid_motion *a = &motions[r->body[0]], *b = &motions[r->body[1]];
    const frz_vec3 turned = frz_v3_sub(frz_v3_cross(a->spin, r->arm[0]), frz_v3_cross(b->spin, r->arm[1]));
    return frz_v3_add(frz_v3_sub(a->velocity, b->velocity), turned);
}

double frz_contact_row_speed(const frz_contact_row *r, const frz_rigid_motion *motions)
{
    return frz_v3_dot(relative_velocity(r, motions), r->normal);
}

/// Normal first, then the tangent plane: a step towards the solution wherever the contact does not stick.
static void slide_or_part(frz_contact_row *r, double normal_velocity, const frz_contact_mass *masses,
                          frz_rigid_motion *motions)
{
    const double old = frz_v3_dot(r->impulse, r->normal);
    const double wanted = old - normal_velocity / r->normal_response;
    const double normal = wanted > 0.0 ? wanted : 0.0;
    const frz_vec3 along = frz_v3_mad(r->impulse, -old, r->normal);
    frz_contact_row_apply(r, frz_v3_scale(normal - old, r->normal), masses, motions);
    frz_vec3 tangent = {0.0, 0.0, 0.0};
    const double most = r->friction * normal;
    if (most > 0.0)
    {
        const frz_vec3 u = relative_velocity(r, motions);
        const frz_vec3 slip = frz_v3_mad(u, -frz_v3_dot(u, r->normal), r->normal);
        tangent = frz_v3_mad(along, -1.0 / r->tangent_response, slip);
        const double length = frz_v3_length(tangent);
        if (length > most)
            tangent = frz_v3_scale(most / length, tangent);
    }
    frz_contact_row_apply(r, frz_v3_sub(tangent, along), masses, motions);
    r->impulse = frz_v3_mad(tangent, normal, r->normal);
}

bool frz_contact_row_solve(frz_contact_row *r, const frz_contact_mass *masses, frz_rigid_motion *motions)
{
    const frz_vec3 u = relative_velocity(r, motions);
    const double normal_velocity = frz_v3_dot(u, r->normal) - r->target;
    if (r->impulse.x == 0.0 && r->impulse.y == 0.0 && r->impulse.z == 0.0 && normal_velocity >= 0.0)
        return false;
    const frz_vec3 d = frz_m3_apply(r->inverse, frz_v3_mad(u, -r->target, r->normal));
    const frz_vec3 stick = frz_v3_sub(r->impulse, d);
    const double normal = frz_v3_dot(stick, r->normal), cone = r->friction * normal;
    const frz_vec3 tangent = frz_v3_mad(stick, -normal, r->normal);
    if (normal < 0.0 || frz_v3_dot(tangent, tangent) > cone * cone)
    {
        slide_or_part(r, normal_velocity, masses, motions);
        return true;
    }
    frz_contact_row_apply(r, frz_v3_scale(-1.0, d), masses, motions);
    r->impulse = stick;
    return true;
}
