// SPDX-License-Identifier: MIT
#include "physics/elastic/elastic_system.h"

#include "base/blocks.h"

frz_elastic_wide frz_elastic_position(const frz_state *state, int number)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const frz_v4 *rest = frz_state_position_rest(state);
    const int slot = state->solids.slot[number];
    if (slot < 0)
        return frz_elastic_widen(frz_v4_zero());
    const frz_elastic_wide x = frz_elastic_widen(frz_v4_xyz(position[slot]));
    return rest != NULL ? x + frz_elastic_widen(frz_v4_xyz(rest[slot])) : x;
}

frz_elastic_wide frz_elastic_displacement(const frz_state *state, int number)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const frz_v4 *rest = frz_state_position_rest(state);
    const int slot = state->solids.slot[number];
    if (slot < 0)
        return frz_elastic_widen(frz_v4_zero());
    frz_elastic_wide d = frz_elastic_widen(frz_v4_xyz(position[slot]));
    if (!frz_bonds_is_local(&state->bonds, state->bonds.body[number]))
        d -= frz_elastic_widen(frz_v4_xyz(state->bonds.reference[number]));
    return rest != NULL ? d + frz_elastic_widen(frz_v4_xyz(rest[slot])) : d;
}

void frz_elastic_gather(const frz_state *state, int body, frz_elastic_work *work)
{
    const frz_bonds *bonds = &state->bonds;
    work->with_low = work->low != NULL && state->fields.rest >= 0;
    work->change = false;
#pragma omp parallel for schedule(static) if (bonds->count >= frz_parallel_some)
    for (int i = bonds->first[body]; i < bonds->first[body + 1]; ++i)
    {
        frz_v4 low;
        frz_elastic_split(frz_elastic_displacement(state, i), &work->place[i].displacement, &low);
        if (work->low != NULL)
            work->low[i] = low;
    }
    const bool anchored = bonds->anchor_first != NULL;
    for (int a = anchored ? bonds->anchor_first[body] : 0; anchored && a < bonds->anchor_first[body + 1]; ++a)
    {
        frz_v4 low;
        const int j = bonds->anchor[a];
        frz_elastic_split(frz_elastic_position(state, j), &work->place[j].displacement, &low);
        if (work->low != NULL)
            work->low[j] = low;
    }
}
