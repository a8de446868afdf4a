// SPDX-License-Identifier: MIT
#include "mpm/collide.h"

#include <math.h>

enum
{
    turns = 4,        // over the bodies of a node
    most_sweeps = 50, // over the nodes of bodies that yield
    most_near = 64,   // bodies near one block of nodes
    most_faces = 4,   // of a body, that rise beside the nearest one
    most_halves = 5   // of cells, in which the other side of a wall is looked for
};

static const double surface = 1e-6; // cells; a node this far outside lies on the surface
static const double settled = 1e-6; // change of an impulse in a sweep, relative to the largest
static const double tiny_speed = 1e-30;
static const double rising = 0.2;      // of half a cell, by which a face must be above another to count
static const double same_face = 0.9;   // cosine between normals of one face
static const double near_enough = 0.2; // cells between points and a face at which they touch
static const double facing = 0.5;      // cosine between normals of two sides of a wall, less its sign

static frz_vec3 place_of(const frz_mpm_grid *grid, const frz_mpm_nodes *nodes, int n)
{
    const int i = n % FRZ_MPM_EDGE, j = n / FRZ_MPM_EDGE % FRZ_MPM_EDGE, k = n / (FRZ_MPM_EDGE * FRZ_MPM_EDGE);
    const bool solid = grid->space.dimension == 3;
    return frz_v3(frz_mpm_node_place(grid, nodes, 0, i), frz_mpm_node_place(grid, nodes, 1, j),
                  solid ? frz_mpm_node_place(grid, nodes, 2, k) : 0.0);
}

// Half the diagonal of a block of nodes.
static double block_radius(const frz_mpm_grid *grid)
{
    double square = 0.0;
    for (int a = 0; a < grid->space.dimension; ++a)
        square += grid->space.cell[a] * grid->space.cell[a];
    return 0.5 * (FRZ_MPM_EDGE - 1) * sqrt(square);
}

static frz_vec3 block_center(const frz_mpm_grid *grid, const frz_mpm_nodes *nodes)
{
    const frz_vec3 first = place_of(grid, nodes, 0), last = place_of(grid, nodes, grid->block_nodes - 1);
    return frz_v3_scale(0.5, frz_v3_add(first, last));
}

double frz_mpm_obstacle_distance(const frz_mpm_obstacle *o, frz_vec3 place, double limit, frz_vec3 *normal)
{
    const frz_rigid_body *body = o->body;
    const frz_vec3 from_frame = frz_v3_sub(place, frz_rigid_body_frame(body));
    if (o->shape == NULL)
    {
        const frz_vec3 local = frz_quat_rotate(frz_quat_conjugate(body->rotation), from_frame);
        *normal = frz_v3(0.0, 0.0, 0.0);
        return frz_shape_distance(o->held, frz_v3_add(o->frame, local)) - o->margin;
    }
    frz_vec3 out;
    const frz_quat axes = frz_contact_shape_axes(o->shape, body->rotation);
    const frz_vec3 own = frz_quat_rotate(frz_quat_conjugate(axes), from_frame);
    const double distance = frz_contact_shape_distance(o->shape, own, limit, &out);
    *normal = frz_quat_rotate(axes, out);
    return distance;
}

// Mean over the blocks whose points reach the nodes.
static double friction_of(const frz_mpm_grid *grid, const frz_mpm_nodes *nodes)
{
    double sum = 0.0;
    int points = 0;
    for (int n = 0; n < FRZ_MPM_NEAR; ++n)
        if (nodes->from[n] >= 0)
        {
            const frz_mpm_block *block = &grid->block[nodes->from[n]];
            const int weight = block->end - block->first;
            sum += weight * block->friction;
            points += weight;
        }
    return points > 0 ? sum / points : 0.0;
}

// A face of a body that a node is behind.
typedef struct face
{
    frz_vec3 normal;
    double depth; // of the node, m
} face;

// Whether there is room between a face and the points that reach the node. Splines reach further than points touch: a
// body would come to rest half a cell above a floor. From the mean way of the points follows how far from the node they
// begin, if they fill space from there on; what they can come nearer by in the step counts as touching.
static bool is_open(const frz_mpm_grid *grid, const frz_mpm_obstacle *o, const frz_mpm_contact *c, const face *f)
{
    if (!grid->weighed || o->shape == NULL)
        return false;
    const double cell = grid->space.cell[0];
    const double mean = frz_v3_dot(frz_v3_of(grid->node[c->node]), f->normal) / cell;
    const double begin = grid->space.degree == 2 ? 1.347 * mean - 0.515 : 1.284 * mean - 0.551; // fits, to 0.03
    const double wall = frz_v3_length(frz_rigid_body_velocity_at(o->body, c->place));
    return begin * cell - f->depth > near_enough * cell + grid->dt * (grid->speed + wall);
}

// Beside the nearest face of a body other faces may rise, as in the corner of a tank: the normals of those that stand
// within half a cell of the nearest point of the surface. Returns how many there are.
static int faces_beside(const frz_mpm_grid *grid, const frz_mpm_obstacle *o, frz_vec3 place, double distance,
                        frz_vec3 normal, face faces[most_faces])
{
    const double step = 0.5 * grid->space.cell[0];
    const frz_vec3 nearest = frz_v3_mad(place, -distance, normal);
    const bool solid = grid->space.dimension == 3;
    const frz_vec3 axis = fabs(normal.x) < 0.5 ? frz_v3(1.0, 0.0, 0.0) : frz_v3(0.0, 1.0, 0.0);
    const frz_vec3 side = solid ? frz_v3_normalize(frz_v3_cross(normal, axis)) : frz_v3(-normal.y, normal.x, 0.0);
    const frz_vec3 along[2] = {side, frz_v3_cross(normal, side)};
    int count = 0;
    for (int k = 0; k < (solid ? 4 : 2); ++k)
    {
        frz_vec3 other;
        const frz_vec3 there = frz_v3_mad(nearest, k % 2 == 0 ? step : -step, along[k / 2]);
        const double at = frz_mpm_obstacle_distance(o, there, step, &other);
        if (at < -rising * step && frz_v3_dot(other, normal) < same_face)
            faces[count++] = (face){other, -at - frz_v3_dot(frz_v3_sub(place, there), other)};
    }
    return count;
}

// The normal of the other side of a wall, seen from a node in it: behind the middle, other faces are the nearest.
// Returns false if there is none within the reach of a stencil.
static bool other_side(const frz_mpm_grid *grid, const frz_mpm_obstacle *o, frz_vec3 place, frz_vec3 normal,
                       frz_vec3 *other, double *distance)
{
    const double half = 0.5 * grid->space.cell[0];
    for (int k = 1; k <= most_halves; ++k)
    {
        const double way = half * k;
        const double there = frz_mpm_obstacle_distance(o, frz_v3_mad(place, -way, normal), 4.0 * half, other);
        if (frz_v3_dot(*other, normal) < -facing)
        {
            *distance = there - way; // of the node from that face
            return true;
        }
    }
    return false;
}

// The side of a wall that a node is held from: that of the points which reach it. These may be behind the nearest face,
// as beside an edge, or where that face lies on another body: then it is the face nearest to their mean place.
static void choose_side(const frz_mpm_grid *grid, const frz_mpm_obstacle *o, const frz_mpm_contact *c, double *distance,
                        frz_vec3 *normal)
{
    frz_vec3 other;
    double there;
    if (!grid->weighed || o->shape == NULL)
        return;
    const frz_vec3 way = frz_v3_of(grid->node[c->node]), mean = frz_v3_add(c->place, way);
    if (!(frz_v3_dot(way, *normal) + *distance < 0.0))
        return;
    const double outside = frz_mpm_obstacle_distance(o, mean, 2.0 * frz_v3_length(way), &other);
    if (outside > 0.0)
        there = outside - frz_v3_dot(way, other);
    else if (!(frz_v3_dot(way, *normal) < 0.0) || !other_side(grid, o, c->place, *normal, &other, &there))
        return;
    *normal = other;
    *distance = there;
}

// The contacts of a node with one obstacle; to may be null. Returns how many.
static int find_node(const frz_mpm_grid *grid, const frz_mpm_obstacle *o, frz_mpm_contact contact, double limit,
                     frz_mpm_contact *to)
{
    face faces[1 + most_faces];
    int count = 1, kept = 0;
    double distance = frz_mpm_obstacle_distance(o, contact.place, limit, &faces[0].normal);
    if (!(distance <= surface * grid->space.cell[0]))
        return 0;
    choose_side(grid, o, &contact, &distance, &faces[0].normal);
    faces[0].depth = -distance;
    if (o->shape != NULL)
        count += faces_beside(grid, o, contact.place, distance, faces[0].normal, faces + 1);
    for (int n = 0; n < count; ++n)
    {
        if (is_open(grid, o, &contact, &faces[n]))
            continue;
        contact.normal = faces[n].normal;
        if (to != NULL)
            to[kept] = contact;
        ++kept;
    }
    return kept;
}

// The contacts of a block of nodes; to may be null. Returns how many.
static int find_block(const frz_mpm_grid *grid, int b, const frz_mpm_obstacle *obstacles, int count,
                      frz_mpm_contact *to)
{
    const frz_mpm_nodes *nodes = &grid->nodes[b];
    const double radius = block_radius(grid), friction = friction_of(grid, nodes);
    const frz_vec3 center = block_center(grid, nodes);
    int found = 0, near = 0, touched[most_near];
    frz_vec3 normal;
    for (int o = 0; o < count && near < most_near; ++o)
        if (frz_mpm_obstacle_distance(&obstacles[o], center, radius, &normal) <= (1.0 + surface) * radius)
            touched[near++] = o;
    for (int n = 0; n < grid->block_nodes && near > 0; ++n)
        for (int t = 0; t < near; ++t)
        {
            const frz_mpm_obstacle *o = &obstacles[touched[t]];
            const frz_mpm_contact contact = {.node = b * grid->block_nodes + n,
                                             .obstacle = touched[t],
                                             .sticks = o->shape == NULL,
                                             .place = place_of(grid, nodes, n),
                                             .friction = sqrt(friction * o->friction)};
            found += find_node(grid, o, contact, radius, to != NULL ? to + found : NULL);
        }
    return found;
}

frz_status frz_mpm_contacts_find(frz_mpm_grid *grid, const frz_mpm_obstacle *obstacles, int count, frz_arena *scratch,
                                 frz_mpm_contacts *contacts, frz_diag *diag)
{
    *contacts = (frz_mpm_contacts){0};
    if (count == 0)
        return FRZ_OK;
    for (int o = 0; o < count; ++o)
        contacts->any_yields = contacts->any_yields || obstacles[o].yields;
#pragma omp parallel for schedule(dynamic, 16)
    for (int b = 0; b < grid->nodes_count; ++b)
        grid->nodes[b].contact_end = find_block(grid, b, obstacles, count, NULL);
    for (int b = 0; b < grid->nodes_count; ++b)
    {
        grid->nodes[b].contact = contacts->count;
        contacts->count += grid->nodes[b].contact_end;
        grid->nodes[b].contact_end = contacts->count;
    }
    contacts->list = FRZ_SCRATCH(scratch, contacts->count + 1, frz_mpm_contact);
    if (contacts->list == NULL)
        return frz_fail_memory(diag, "the contacts of the material points");
#pragma omp parallel for schedule(dynamic, 16)
    for (int b = 0; b < grid->nodes_count; ++b)
        if (grid->nodes[b].contact < grid->nodes[b].contact_end)
            (void)find_block(grid, b, obstacles, count, contacts->list + grid->nodes[b].contact);
    return FRZ_OK;
}

// The velocity that a node may have beside a surface that moves with a given one.
static frz_vec3 held_velocity(const frz_mpm_contact *c, frz_vec3 v, frz_vec3 wall)
{
    if (c->sticks)
        return wall;
    const frz_vec3 u = frz_v3_sub(v, wall);
    const double into = -frz_v3_dot(u, c->normal);
    if (!(into > 0.0))
        return v;
    const frz_vec3 along = frz_v3_mad(u, into, c->normal);
    const double speed = frz_v3_length(along), held = c->friction * into;
    const double left = speed > held ? 1.0 - held / fmax(speed, tiny_speed) : 0.0;
    return frz_v3_mad(wall, left, along);
}

// A node beside a body that does not yield.
static void hold_node(const frz_mpm_obstacle *o, frz_mpm_contact *c, frz_v4 *node)
{
    const frz_vec3 before = frz_v3_of(*node);
    const frz_vec3 after = held_velocity(c, before, frz_rigid_body_velocity_at(o->body, c->place));
    const frz_real mass = (*node)[3];
    if (c->sticks)
        c->taken = frz_v3_mad(c->taken, (double)mass, frz_v3_sub(after, before));
    *node = frz_v4_of(after);
    (*node)[3] = mass;
}

void frz_mpm_contacts_hold(const frz_mpm_grid *grid, int nodes, const frz_mpm_obstacle *obstacles,
                           const frz_mpm_contacts *contacts)
{
    const frz_mpm_nodes *block = &grid->nodes[nodes];
    for (int first = block->contact, end; first < block->contact_end; first = end)
    {
        frz_v4 *node = &grid->node[contacts->list[first].node];
        for (end = first + 1; end < block->contact_end && contacts->list[end].node == contacts->list[first].node;)
            ++end;
        if (!((*node)[3] > 0))
            continue;
        for (int turn = 0; turn < (end - first > 1 ? turns : 1); ++turn)
            for (int k = first; k < end; ++k)
                if (!obstacles[contacts->list[k].obstacle].yields)
                    hold_node(&obstacles[contacts->list[k].obstacle], &contacts->list[k], node);
    }
}

// Change of the velocity of a body at a place along a direction by an impulse along it, 1/kg.
static double give_of(const frz_rigid_body *body, frz_vec3 place, frz_vec3 direction)
{
    const frz_vec3 arm = frz_v3_sub(place, body->position);
    const frz_vec3 turned = frz_m3_apply(body->inverse_inertia_world, frz_v3_cross(arm, direction));
    const frz_vec3 moved = frz_v3_add(frz_rigid_body_yield(body, direction), frz_v3_cross(turned, arm));
    return fmax(0.0, frz_v3_dot(moved, direction));
}

void frz_mpm_obstacle_push(frz_mpm_obstacle *o, frz_vec3 place, frz_vec3 impulse)
{
    frz_rigid_body_push(o->body, place, impulse);
    o->impulse = frz_v3_add(o->impulse, impulse);
    o->moment = frz_v3_add(o->moment, frz_v3_cross(frz_v3_sub(place, o->body->position), impulse));
}

// An impulse on a node, and its opposite on the body.
static void exchange(frz_mpm_obstacle *o, const frz_mpm_contact *c, double inverse_mass, frz_vec3 impulse, frz_v4 *node)
{
    const frz_vec3 before = frz_v3_of(*node);
    const frz_v4 after = frz_v4_of(frz_v3_mad(before, inverse_mass, impulse));
    const frz_real mass = (*node)[3];
    // the body takes what the node really got, after rounding
    const frz_vec3 taken = frz_v3_scale(-(double)mass, frz_v3_sub(frz_v3_of(after), before));
    *node = after;
    (*node)[3] = mass;
    frz_mpm_obstacle_push(o, c->place, taken);
}

// One contact; returns the change of its normal impulse.
static double solve_contact(frz_mpm_obstacle *o, frz_mpm_contact *c, frz_v4 *node)
{
    const double inverse_mass = 1.0 / (double)(*node)[3];
    frz_vec3 u = frz_v3_sub(frz_v3_of(*node), frz_rigid_body_velocity_at(o->body, c->place));
    if (c->sticks)
    {
        const double size = frz_v3_length(u);
        if (!(size > tiny_speed))
            return 0.0;
        const double give = inverse_mass + give_of(o->body, c->place, frz_v3_scale(1.0 / size, u));
        c->taken = frz_v3_mad(c->taken, -1.0 / give, u);
        exchange(o, c, inverse_mass, frz_v3_scale(-1.0 / give, u), node);
        return size / give;
    }
    const double give = inverse_mass + give_of(o->body, c->place, c->normal);
    const double push = fmax(0.0, c->pushed - frz_v3_dot(u, c->normal) / give), change = push - c->pushed;
    c->pushed = push;
    exchange(o, c, inverse_mass, frz_v3_scale(change, c->normal), node);
    u = frz_v3_sub(frz_v3_of(*node), frz_rigid_body_velocity_at(o->body, c->place));
    const frz_vec3 along = frz_v3_mad(u, -frz_v3_dot(u, c->normal), c->normal);
    const double speed = frz_v3_length(along);
    const double side =
        inverse_mass + (speed > tiny_speed ? give_of(o->body, c->place, frz_v3_scale(1.0 / speed, along)) : 0.0);
    frz_vec3 rub = frz_v3_mad(c->rubbed, -1.0 / side, along);
    const double most = c->friction * c->pushed, size = frz_v3_length(rub);
    rub = size > most ? frz_v3_scale(most / size, rub) : rub;
    const frz_vec3 more = frz_v3_sub(rub, c->rubbed);
    c->rubbed = rub;
    exchange(o, c, inverse_mass, more, node);
    return fabs(change) + frz_v3_length(more);
}

void frz_mpm_contacts_solve(const frz_mpm_grid *grid, frz_mpm_obstacle *obstacles, const frz_mpm_contacts *contacts)
{
    for (int k = 0; k < contacts->count; ++k)
    {
        contacts->list[k].pushed = 0.0;
        contacts->list[k].rubbed = frz_v3(0.0, 0.0, 0.0);
    }
    for (int sweep = 0; sweep < most_sweeps; ++sweep)
    {
        double change = 0.0, largest = 0.0;
        for (int k = 0; k < contacts->count; ++k)
        {
            frz_mpm_contact *c = &contacts->list[k];
            frz_mpm_obstacle *o = &obstacles[c->obstacle];
            frz_v4 *node = &grid->node[c->node];
            if (!((*node)[3] > 0))
                continue;
            if (o->yields)
            {
                change = fmax(change, solve_contact(o, c, node));
                largest = fmax(largest, c->pushed);
                continue;
            }
            hold_node(o, c, node);
        }
        if (change <= settled * largest)
            break;
    }
}

double frz_mpm_contacts_tell(const frz_mpm_contacts *contacts, const frz_mpm_obstacle *obstacles, double dt)
{
    double work = 0.0;
    for (int k = 0; k < contacts->count; ++k)
    {
        const frz_mpm_contact *c = &contacts->list[k];
        const frz_mpm_obstacle *o = &obstacles[c->obstacle];
        if (o->force == NULL)
            continue;
        *o->force = frz_v3_mad(*o->force, 1.0 / dt, c->taken);
        if (!o->yields)
            work += frz_v3_dot(c->taken, frz_rigid_body_velocity_at(o->body, c->place));
    }
    return work;
}
