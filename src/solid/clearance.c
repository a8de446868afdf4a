// SPDX-License-Identifier: MIT
// Isolated particles: solid particles that need no search for contacts with free particles, because none can be near.
//
// A particle is isolated if no particle that it could touch is nearer than the support and a margin. As long as no
// particle has moved further than half of the margin since, none is nearer than the support: a search would find
// nothing. Most particles of a body are isolated for tens of steps, and a search takes a fifth of their step.
//
// The neighbour lists are those of a full search, so none of this data is saved for a restart.
#include "base/blocks.h"
#include "solid/solids.h"
#include "space/search.h"

// margin beyond the support, in supports
static const double margin = 0.5;
// usable part of half of the margin, so that rounding does not matter
static const double usable = 0.99;
// steps that isolation should last: finding it costs about three searches
static const double worth_steps = 8.0;

enum
{
    reach = 2,                                     // cells around its own that a particle and the margin reach
    most_runs = (2 * reach + 1) * (2 * reach + 1), // a row each
};

static double farthest(const frz_solid_space *space)
{
    return usable * 0.5 * margin * space->support;
}

// All candidates around a point of a grid that is not periodic.
static int wide_runs(const frz_grid *grid, const frz_cell_list *list, frz_v4 at, frz_cell_run runs[most_runs])
{
    int cell[3], from[3], to[3], count = 0;
    for (int a = 0; a < 3; ++a)
    {
        const int last = grid->cells[a] - 1;
        cell[a] = frz_grid_coordinate(grid, a, (double)at[a]);
        from[a] = cell[a] > reach ? cell[a] - reach : 0;
        to[a] = cell[a] + reach < last ? cell[a] + reach : last;
    }
    for (int z = from[2]; z <= to[2]; ++z)
        for (int y = from[1]; y <= to[1]; ++y)
        {
            const frz_cell_run run = {.begin = list->start[frz_grid_cell(grid, from[0], y, z)],
                                      .end = list->start[frz_grid_cell(grid, to[0], y, z) + 1]};
            runs[count] = run;
            count += run.begin < run.end;
        }
    return count;
}

// All free particles at their present positions.
typedef struct surroundings
{
    const frz_solid_space *space;
    const frz_grid *grid;
    const frz_cell_list *cells;
    const frz_v4 *position;
    const int32_t *body;
    int count;
} surroundings;

static bool is_clear(const frz_solids *solids, const surroundings *s, int i)
{
    const double own_reach = solids->reach[s->body[i]];
    const frz_v4 x = s->position[i];
    const frz_real at[3] = {x[0], x[1], x[2]};
    frz_cell_run runs[most_runs];
    frz_found found;
    const int run_count = wide_runs(s->grid, s->cells, x, runs);
    const int near =
        frz_search(s->cells, runs, run_count, at, (frz_real)((1.0 + margin) * s->space->support), i, &found);
    bool clear = near >= 0;
    for (int k = 0; k < near && clear; ++k)
        clear = frz_exclusion_holds(&solids->exclusion, i, frz_lane_index(found.lane[k]), own_reach);
    return clear;
}

static void find_clear(frz_solids *solids, const surroundings *s)
{
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < s->count; ++i)
    {
        const int e = solids->index_of_slot[i];
        solids->isolated_at[e] = s->position[i];
        solids->isolated[e] = !solids->core[e] && is_clear(solids, s, i);
    }
}

static bool is_near_old_places(const frz_solids *solids, const surroundings *s)
{
    const frz_real limit = (frz_real)(farthest(s->space) * farthest(s->space));
    bool near = true;
#pragma omp parallel for schedule(static) reduction(&& : near) if (s->count >= frz_parallel_least)
    for (int i = 0; i < s->count; ++i)
    {
        const frz_v4 d = s->position[i] - solids->isolated_at[solids->index_of_slot[i]];
        near = near && frz_v4_dot3(d, d) < limit;
    }
    return near;
}

void frz_solids_isolate(frz_solids *solids, const frz_solid_space *space, const frz_particles *particles,
                        const frz_grid *grid, const frz_cell_list *cells, double step_length)
{
    const surroundings s = {.space = space,
                            .grid = grid,
                            .cells = cells,
                            .position = frz_field_v4(particles, FRZ_FIELD_ID_position),
                            .body = frz_field_i32(particles, FRZ_FIELD_ID_body),
                            .count = particles->count[FRZ_ROLE_FREE]};
    const bool seam = grid->periodic[0] || grid->periodic[1] || grid->periodic[2];
    // liquids approach too fast for isolation to pay, and beside a crack former bonded neighbours may touch
    const bool possible = solids->present > 0 && solids->present == s.count && !solids->cracked && !seam;
    solids->isolated_known = possible && solids->isolated_known && is_near_old_places(solids, &s);
    if (possible && !solids->isolated_known && !(worth_steps * step_length > farthest(space)))
    {
        find_clear(solids, &s);
        solids->isolated_known = true;
    }
    solids->exclusion.isolated_known = solids->isolated_known;
}
