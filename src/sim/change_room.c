// SPDX-License-Identifier: MIT
#include "sim/change_room.h"

#include <math.h>

#include "base/blocks.h"
#include "sim/state.h"

static const double fade_time = 0.1;          // s
static const frz_real asked = -1;             // of the room: not known yet
static const frz_real least = (frz_real)1e-5; // less is none

void frz_room_ask(frz_state *state, int slot)
{
    frz_field_real(&state->particles, state->room_field)[slot] = asked;
}

static bool any_asks(const frz_real *room, int count)
{
    int some = 0;
#pragma omp parallel for schedule(static) reduction(+ : some) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
        some += room[i] < 0;
    return some > 0;
}

// A particle that asks, or a neighbour of one: a solid that touches what has melted is pressed by it from now on.
static bool is_concerned(const frz_pairs *pairs, const frz_real *room, int i)
{
    bool found = room[i] < 0;
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i] && !found; ++k)
        found = room[index[k]] < 0;
    return found;
}

static frz_status give(frz_state *state, frz_real *room, const frz_real *compression, frz_diag *diag)
{
    const int count = state->pairs.count;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    uint8_t *concerned = FRZ_SCRATCH(&state->scratch, count + 1, uint8_t);
    if (concerned == NULL)
        return frz_fail_memory(diag, "the changes");
#pragma omp parallel for schedule(dynamic, FRZ_BLOCK) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
        concerned[i] = is_concerned(&state->pairs, room, i);
    for (int i = 0; i < count; ++i)
        if (concerned[i] != 0)
            room[i] = compression[i] > 1 ? compression[i] - 1 : 0;
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

frz_status frz_room_take(frz_state *state, frz_diag *diag)
{
    if (state->room_field < 0)
        return FRZ_OK;
    const int count = state->pairs.count;
    frz_real *room = frz_field_real(&state->particles, state->room_field);
    frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    if (any_asks(room, count))
        FRZ_TRY(give(state, room, compression, diag));
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
    {
        const frz_real excess = compression[i] > 1 ? compression[i] - 1 : 0;
        room[i] = room[i] < excess ? room[i] : excess;
        compression[i] -= room[i];
    }
    return FRZ_OK;
}

void frz_room_fade(frz_state *state, double dt)
{
    if (state->room_field < 0)
        return;
    const int count = state->particles.count[FRZ_ROLE_FREE];
    frz_real *room = frz_field_real(&state->particles, state->room_field);
    const frz_real left = (frz_real)exp(-dt / fade_time);
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
        room[i] = room[i] > least ? left * room[i] : 0;
}
