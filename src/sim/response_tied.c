// SPDX-License-Identifier: MIT
#include "sim/response_tied.h"

#include "sim/state.h"

// The rigid bodies at the far ends of the ties of implicit bodies; whether anything touches them.
bool frz_tied_find(const frz_state *state, const frz_kicks *kicks)
{
    const frz_bonds *bonds = &state->bonds;
    bool any = false;
    for (const frz_response *r = state->attempt.responses; r != NULL && bonds->anchor_first != NULL; r = r->next)
        for (int a = bonds->anchor_first[r->body]; a < bonds->anchor_first[r->body + 1]; ++a)
        {
            const int slot = state->solids.slot[bonds->anchor[a]];
            if (slot >= 0 && !frz_response_is_explicit(r))
                kicks->tied[kicks->body_of_slot[slot]] = r;
        }
    for (int n = 0; n < state->attempt.drivers.count; ++n)
    {
        const int slot = state->attempt.drivers.list[n].slot;
        any = any || (frz_kicks_is_tied(kicks, slot) && state->neighbors.pairs.diagonal[slot] > 0);
    }
    return any;
}

// Velocity at a particle of a rigid body that moves.
static frz_v4 velocity_at(const frz_driven *d, const frz_rigid_motion *motion)
{
    return frz_v4_of(frz_v3_add(motion->velocity, frz_v3_cross(motion->spin, d->arm)));
}

// Motion of a rigid body by the impulses as if it were alone.
frz_rigid_motion frz_tied_motion_alone(const frz_state *state, const frz_kicks *kicks, int b)
{
    const frz_rigid_body *body = &state->bodies.rigid[b];
    return (frz_rigid_motion){frz_rigid_body_yield(body, kicks->impulse[b]),
                              frz_m3_apply(body->inverse_inertia_world, kicks->moment[b])};
}

// Way of a particle of a tied body by the impulses beside that of the body alone, over the length of the step.
static frz_v4 missed_at(const frz_state *state, const frz_kicks *kicks, const frz_driven *d)
{
    const frz_rigid_motion alone = frz_tied_motion_alone(state, kicks, d->body);
    return (frz_real)kicks->tied[d->body]->theta * velocity_at(d, &kicks->motion[d->body]) - velocity_at(d, &alone);
}

static bool is_tied(const frz_kicks *kicks, const frz_driven *d)
{
    return d->body >= 0 && frz_kicks_is_tied(kicks, d->slot);
}

// Particles of tied bodies keep it in the field of the implicit body.
void frz_tied_read_missed(const frz_state *state, const frz_kicks *kicks)
{
    for (int n = 0; n < state->attempt.drivers.count; ++n)
    {
        const frz_driven *d = &state->attempt.drivers.list[n];
        if (!is_tied(kicks, d))
            continue;
        const frz_response *r = kicks->tied[d->body];
        kicks->missed[d->slot] = kicks->missed_liquid[d->slot] =
            (frz_real)r->longer * frz_v4_xyz(r->missed_now[d->slot]);
        r->missed_now[d->slot] = frz_v4_zero();
    }
}

void frz_tied_write_missed(const frz_state *state, const frz_kicks *kicks)
{
    for (int n = 0; n < state->attempt.drivers.count; ++n)
    {
        const frz_driven *d = &state->attempt.drivers.list[n];
        if (is_tied(kicks, d))
            kicks->tied[d->body]->missed_now[d->slot] =
                (frz_real)kicks->scale[kicks->first_body_node + d->body] * missed_at(state, kicks, d);
    }
}

void frz_tied_correct(const frz_state *state, const frz_kicks *kicks, double *error, double *size)
{
    for (int n = 0; n < state->attempt.drivers.count; ++n)
    {
        const frz_driven *d = &state->attempt.drivers.list[n];
        if (!is_tied(kicks, d))
            continue;
        const frz_rigid_motion alone = frz_tied_motion_alone(state, kicks, d->body);
        const frz_v4 kick = velocity_at(d, &alone), missed = missed_at(state, kicks, d);
        const frz_v4 change = missed - kicks->missed_liquid[d->slot];
        *error += (double)frz_v4_dot3(change, change);
        *size += (double)frz_v4_dot3(kick, kick);
        kicks->missed[d->slot] = kicks->missed_liquid[d->slot] = missed;
    }
}
