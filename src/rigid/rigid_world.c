// SPDX-License-Identifier: MIT
#include "rigid/rigid_world.h"

#include "base/memory.h"

frz_status frz_rigid_world_create(const frz_contact_options *options, int capacity, frz_vec3 gravity,
                                  frz_rigid_world **out, frz_diag *diag)
{
    *out = NULL;
    frz_rigid_world *w = FRZ_ALLOC("rigid world", 1, frz_rigid_world);
    if (w == NULL)
        return frz_fail_memory(diag, "a world of bodies");
    w->capacity = capacity;
    w->gravity = gravity;
    w->bodies = FRZ_ALLOC("rigid world", capacity, frz_rigid_body);
    w->shapes = FRZ_ALLOC("rigid world", capacity, frz_contact_shape *);
    frz_status status = frz_contacts_create(options, &w->contacts, diag);
    if (status == FRZ_OK && (w->bodies == NULL || w->shapes == NULL))
        status = frz_fail_memory(diag, "a world of bodies");
    if (status != FRZ_OK)
        frz_rigid_world_destroy(&w);
    *out = w;
    return status;
}

void frz_rigid_world_destroy(frz_rigid_world **world)
{
    if (world == NULL || *world == NULL)
        return;
    for (int b = 0; b < (*world)->count; ++b)
        frz_contact_shape_destroy(&(*world)->shapes[b]);
    frz_free((*world)->bodies);
    frz_free((*world)->shapes);
    frz_contacts_destroy(&(*world)->contacts);
    FRZ_FREE(*world);
}

void frz_rigid_world_take(frz_rigid_world *world, const frz_rigid_body *body, frz_contact_shape *shape)
{
    FRZ_ASSERT(world->count < world->capacity);
    world->bodies[world->count] = *body;
    frz_rigid_body_refresh(&world->bodies[world->count]);
    world->shapes[world->count++] = shape;
}

static void accelerate(const frz_rigid_world *world, frz_rigid_body *body, double dt)
{
    body->velocity = frz_v3_mad(body->velocity, dt, world->gravity);
    const frz_quat back = frz_quat_conjugate(body->rotation);
    const frz_vec3 spin = frz_quat_rotate(back, body->spin);
    const frz_vec3 moment = frz_v3_cross(frz_m3_apply(body->inertia, spin), spin);
    const frz_vec3 change = frz_m3_apply(body->inverse_inertia, moment);
    body->spin = frz_v3_mad(body->spin, dt, frz_quat_rotate(body->rotation, change));
}

static void advance(frz_rigid_body *body, double dt)
{
    body->position = frz_v3_mad(body->position, dt, body->velocity);
    const double rate = frz_v3_length(body->spin);
    if (rate > 0.0)
    {
        const frz_quat turn = frz_quat_axis_angle(body->spin, rate * dt);
        body->rotation = frz_quat_normalize(frz_quat_mul(turn, body->rotation));
    }
    frz_rigid_body_refresh(body);
}

frz_status frz_rigid_world_step(frz_rigid_world *world, double dt, frz_diag *diag)
{
    FRZ_TRY(frz_contacts_find(world->contacts, world->bodies, (const frz_contact_shape *const *)world->shapes,
                              world->count, dt, diag));
    for (int b = 0; b < world->count; ++b)
    {
        if (world->bodies[b].inverse_mass > 0.0)
            accelerate(world, &world->bodies[b], dt);
    }
    FRZ_TRY(frz_contacts_solve(world->contacts, world->bodies, world->count, dt, diag));
    for (int b = 0; b < world->count; ++b)
        advance(&world->bodies[b], dt);
    FRZ_TRY(frz_contacts_separate(world->contacts, world->bodies, world->count, dt, diag));
    world->time += dt;
    return FRZ_OK;
}
