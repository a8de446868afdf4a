// SPDX-License-Identifier: MIT
#include "sim/change_room.h"

#include <math.h>

#include "base/blocks.h"
#include "base/exact.h"
#include "sim/state.h"

static const frz_real asked = -1;             // value of room before it is computed
static const frz_real least = (frz_real)1e-5; // smaller room counts as 0
// s; longer than the response time of soft solids on top of the melt: a faster lift is an impact for them
static const double fade_time = 0.1;
// speed of the flow that a change of volume makes across a particle, over that of a fall over a spacing
static const double gentle = 0.01;
// 1/s, of scenes without gravity
static const double weightless_rate = 0.5;

void frz_room_ask(frz_state *state, int slot)
{
    frz_field_real(&state->particles, state->fields.room)[slot] = asked;
}

static bool any_asks(const frz_real *room, int count)
{
    int some = 0;
#pragma omp parallel for schedule(static) reduction(+ : some) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
        some += room[i] < 0;
    return some > 0;
}

// A particle whose room is to be computed, or a neighbour of one: molten particles press a solid that they touch from
// now on.
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
    const int count = state->neighbors.pairs.count;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    uint8_t *concerned = FRZ_SCRATCH(&state->scratch, count + 1, uint8_t);
    if (concerned == NULL)
        return frz_fail_memory(diag, "the changes");
#pragma omp parallel for schedule(dynamic, FRZ_BLOCK) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
        concerned[i] = is_concerned(&state->neighbors.pairs, room, i);
    for (int i = 0; i < count; ++i)
        if (concerned[i] != 0)
            room[i] = compression[i] > 1 ? compression[i] - 1 : 0;
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

frz_status frz_room_take(frz_state *state, frz_diag *diag)
{
    if (state->fields.room < 0)
        return FRZ_OK;
    const int count = state->neighbors.pairs.count;
    frz_real *room = frz_field_real(&state->particles, state->fields.room);
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

double frz_room_rate(const frz_model *model)
{
    const double *g = model->gravity, weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    return weight > 0.0 ? gentle * model->dimension * sqrt(2.0 * weight / model->spacing) : weightless_rate;
}

double frz_room_fade(const frz_model *model, frz_state *state, double dt)
{
    if (state->fields.room < 0)
        return 0.0;
    const int count = state->particles.count[FRZ_ROLE_FREE];
    frz_real *room = frz_field_real(&state->particles, state->fields.room);
    const frz_real *pressure = frz_field_real(&state->particles, FRZ_FIELD_ID_pressure);
    const frz_real most = (frz_real)(frz_room_rate(model) * dt), fade = (frz_real)-expm1(-dt / fade_time);
    frz_exact work = {0};
    for (int i = 0; i < count; ++i) // few particles have room > 0
    {
        if (!(room[i] > 0))
            continue;
        const frz_real part = room[i] > least ? fade * room[i] : room[i], gone = part < most ? part : most;
        room[i] -= gone;
        if (pressure[i] > 0)
            frz_exact_add(&work, (double)pressure[i] * (double)gone);
    }
    return model->cell * frz_exact_value(&work);
}
