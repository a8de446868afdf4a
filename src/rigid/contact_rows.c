// SPDX-License-Identifier: MIT
#include "rigid/contact_rows.h"

static const double regular =
    1.0e-8; ///< determinants above this share of the trace's cube: cofactors keep eight digits
static const double singular = 1.0e-12; ///< pivots of the 3 x 3 blocks, relative to the largest entry
static const double locked =
    1.0e-8; ///< the same, relative to what bodies without joints would do: joints hold this way

int frz_contact_reactions(const frz_joints *joints, int body)
{
    const int *members = NULL;
    const int count = joints != NULL ? frz_joints_members(joints, body, &members) : 0;
    return count > 0 ? count : 1;
}

/// Inverse of a symmetric positive block; where it is singular (nothing can turn or move that way) the direction is left out.
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

/// Motions of a side's body, or of all that is joined to it, by unit impulses; added to those of the other side if they are the same.
static void add_side(const frz_contact_row_maker *maker, const frz_rigid_body *body, int side, frz_contact_row *r)
{
    const int b = r->body[side];
    const int *members = &b;
    int count = maker->joints != NULL ? frz_joints_members(maker->joints, b, &members) : 0;
    const bool joined = count > 0;
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
    for (int k = 0; k < FRZ_CONTACT_AXES; ++k)
    {
        const double sign = side == 0 ? 1.0 : -1.0;
        const frz_rigid_motion alone = {
            frz_v3_scale(sign, frz_rigid_body_yield(body, r->axis[k])),
            frz_v3_scale(sign, frz_m3_apply(body->inverse_inertia_world, r->lever[side][k]))};
        r->loose += sign / 3.0 * (frz_v3_dot(r->axis[k], alone.velocity) + frz_v3_dot(r->lever[side][k], alone.spin));
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

static void prepare_block(frz_contact_row *r)
{
    frz_mat3 block = frz_m3_zero();
    for (int n = 0; n < r->reaction_count; ++n)
    {
        const frz_contact_reaction *reacts = &r->reactions[n];
        for (int side = 0; side < 2; ++side)
        {
            const double sign = side == 0 ? 1.0 : -1.0;
            for (int i = 0; i < FRZ_CONTACT_AXES && reacts->body == r->body[side]; ++i)
            {
                for (int j = 0; j < FRZ_CONTACT_AXES; ++j)
                    block.m[i][j] += sign * (frz_v3_dot(r->axis[i], reacts->by[j].velocity) +
                                             frz_v3_dot(r->lever[side][i], reacts->by[j].spin));
            }
        }
    }
    const double least = locked * r->loose;
    r->inverse = invert_block(frz_m3_symmetric(block), least);
    const double mean = 0.5 * (block.m[1][1] + block.m[2][2]);
    const double tangent = mean + hypot(0.5 * (block.m[1][1] - block.m[2][2]), block.m[1][2]);
    r->normal_response = block.m[0][0] > least ? block.m[0][0] : HUGE_VAL; // what is locked takes no impulse
    r->tangent_response = tangent > least ? tangent : HUGE_VAL;
    r->response = frz_m3_trace(block) / 3.0;
}

void frz_contact_row_make(const frz_contact_row_maker *maker, const frz_contact *c, const frz_rigid_body *bodies,
                          frz_contact_row *r)
{
    const frz_rigid_body *pair[2] = {&bodies[c->key.toucher], &bodies[c->key.touched]};
    *r = (frz_contact_row){.body = {c->key.toucher, c->key.touched},
                           .axis = {c->normal, c->tangent[0], c->tangent[1]},
                           .reactions = r->reactions};
    for (int side = 0; side < 2; ++side)
    {
        const frz_vec3 arm = frz_v3_sub(c->place, pair[side]->position);
        for (int k = 0; k < FRZ_CONTACT_AXES; ++k)
            r->lever[side][k] = frz_v3_cross(arm, r->axis[k]);
        if (frz_rigid_body_yields(pair[side]))
            add_side(maker, pair[side], side, r);
    }
    prepare_block(r);
    r->friction = sqrt(pair[0]->friction * pair[1]->friction);
    const double restitution = fmax(pair[0]->restitution, pair[1]->restitution);
    r->target = c->gap > 0.0 ? -c->gap / maker->dt : 0.0;
    if (restitution > 0.0 && c->approach < -maker->options->restitution_speed &&
        c->gap + maker->dt * c->approach <= 0.0)
        r->target = -restitution * c->approach;
    r->impulse[0] = c->impulse.x;
    r->impulse[1] = c->impulse.y;
    r->impulse[2] = c->impulse.z;
}

void frz_contact_row_make_rope(const frz_contact_row_maker *maker, const frz_rope *rope, const frz_rigid_body *bodies,
                               int world, frz_contact_row *r)
{
    *r = (frz_contact_row){.body = {rope->body[0], rope->body[1]}, .axis = {rope->normal}, .reactions = r->reactions};
    for (int side = 0; side < 2; ++side)
    {
        if (rope->body[side] == world)
            continue;
        const frz_rigid_body *body = &bodies[rope->body[side]];
        r->lever[side][0] = frz_v3_cross(frz_v3_sub(rope->place[side], body->position), rope->normal);
        if (frz_rigid_body_yields(body))
            add_side(maker, body, side, r);
    }
    prepare_block(r);
    r->target = rope->least;
    r->impulse[0] = rope->impulse;
}
