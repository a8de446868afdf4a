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
    frz_contact_options with_gravity = *options;
    with_gravity.acceleration = frz_v3_length(gravity);
    frz_status status = frz_contacts_create(&with_gravity, &w->contacts, diag);
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
    frz_free((*world)->kept);
    frz_contacts_destroy(&(*world)->contacts);
    frz_contact_pressure_destroy(&(*world)->pressure);
    FRZ_FREE(*world);
}

void frz_rigid_world_take(frz_rigid_world *world, const frz_rigid_body *body, frz_contact_shape *shape)
{
    FRZ_ASSERT(world->count < world->capacity);
    world->bodies[world->count] = *body;
    frz_rigid_body_refresh(&world->bodies[world->count]);
    world->shapes[world->count++] = shape;
}

frz_status frz_rigid_world_keep_pressure(frz_rigid_world *world, frz_diag *diag)
{
    int64_t total = 1;
    for (int b = 0; b < world->count; ++b)
        total += world->shapes[b]->sample_count;
    world->kept = FRZ_ALLOC("contact pressure", total, frz_contact_kept);
    return world->kept != NULL ? FRZ_OK : frz_fail_memory(diag, "the contact pressure");
}

frz_status frz_rigid_world_step(frz_rigid_world *world, double dt, frz_diag *diag)
{
    const frz_contact_shape *const *shapes = (const frz_contact_shape *const *)world->shapes;
    if (world->pressure == NULL)
    {
        FRZ_TRY(frz_contacts_find(world->contacts, world->bodies, shapes, world->count, dt, diag));
        FRZ_TRY(frz_contacts_wake(world->contacts, world->bodies, world->count, diag));
    }
    for (int b = 0; b < world->count; ++b)
    {
        frz_rigid_body *body = &world->bodies[b];
        if (body->asleep)
            continue;
        const frz_vec3 impulse = frz_v3_scale(dt * body->mass, world->gravity);
        const frz_vec3 arm = frz_quat_rotate(body->rotation, body->center);
        frz_rigid_body_act(body, impulse, frz_v3_cross(arm, impulse));
    }
    if (world->pressure == NULL)
        FRZ_TRY(frz_contacts_solve(world->contacts, world->bodies, world->count, dt, diag));
    else
        FRZ_TRY(
            frz_contact_pressure_solve(world->pressure, world->bodies, shapes, world->count, dt, world->kept, diag));
    for (int b = 0; b < world->count; ++b)
        frz_rigid_body_move(&world->bodies[b], dt);
    if (world->pressure == NULL)
        FRZ_TRY(frz_contacts_separate(world->contacts, world->bodies, world->count, dt, diag));
    world->time += dt;
    return FRZ_OK;
}
