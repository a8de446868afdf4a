// SPDX-License-Identifier: MIT
// Rest vectors of new bonds of a body that has turned or deformed.
//
// The old bonds of a particle are in its original axes, which have turned by R since (the rotation of its deformation
// gradient). A new bond without stress has D_ij = R_i^T (x_j - x_i) in these axes. A particle without old bonds has no
// axes yet and takes those of its partners; then D_ji = -D_ij. If both particles have axes, each has the rest vector in
// its own: a seam.
#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "solid/elastic_complete.h"
#include "solid/renumber_internal.h"

frz_vec3 frz_renumbering_between(const frz_renumbering *r, int n, int m)
{
    const frz_vec3 d = frz_v3_sub(frz_renumbering_place(r, m), frz_renumbering_place(r, n));
    if (!r->old_bonds->any_periodic && !r->bonds.any_periodic)
        return d;
    double way[3] = {d.x, d.y, d.z};
    for (int a = 0; a < 3; ++a)
    {
        const double period = (double)r->bonds.period[a];
        if (r->bonds.periodic[a] && way[a] > 0.5 * period)
            way[a] -= period;
        else if (r->bonds.periodic[a] && way[a] < -0.5 * period)
            way[a] += period;
    }
    return frz_v3(way[0], way[1], way[2]);
}

// Rotation of a particle's remaining old neighbours.
static frz_mat3 old_turn(const frz_renumbering *r, int n)
{
    const frz_bonds *bonds = r->old_bonds;
    const int o = r->old_of_new[n];
    frz_mat3 sum = frz_m3_zero();
    for (int64_t k = bonds->begin[o]; k < bonds->begin[o + 1]; ++k)
    {
        const int m = r->new_of_old[bonds->other[k]];
        if (m < 0 || m == n || !(bonds->weight[k] > 0))
            continue;
        if (frz_bonds_is_tie(bonds, o, k) && !frz_bonds_is_local(bonds, bonds->body[o]))
            continue;
        const frz_vec3 rest = frz_v3_of(frz_bonds_rest(bonds, o, k));
        const frz_vec3 move = frz_v3_sub(frz_renumbering_between(r, n, m), rest);
        sum = frz_m3_mad(sum, (double)bonds->weight[k], frz_m3_outer(move, rest));
    }
    frz_mat3 h = frz_m3_mul(sum, frz_bond_matrix(&bonds->correction, o));
    if (bonds->rank[o] < bonds->dimension)
        h = frz_elastic_complete(h, bonds->rank[o], bonds->dimension, frz_v3_of(bonds->axis[o]));
    frz_quat start = frz_quat_identity();
    return frz_m3_rotation(frz_m3_add(frz_m3_identity(), h), &start);
}

static frz_mat3 nearest_rotation(frz_mat3 sum)
{
    frz_quat start = frz_quat_identity();
    return frz_m3_rotation(sum, &start);
}

// The mean rotation of a particle's future bond partners whose rotation is known; false if none is.
static bool partners_turn(const frz_renumbering *r, const frz_bond_weigher *w, const uint8_t *known, int n,
                          frz_mat3 *out)
{
    frz_mat3 sum = frz_m3_zero();
    bool any = false;
    for (int64_t k = r->gain_begin[n]; k < r->gain_begin[n + 1]; ++k)
    {
        const int m = r->gain[k];
        if (known[m] == 0)
            continue;
        any = true;
        sum = frz_m3_mad(sum, frz_bond_weigh(w, frz_v3_length(frz_renumbering_between(r, n, m))), r->turn[m]);
    }
    if (any)
        *out = nearest_rotation(sum);
    return any;
}

// Spread rotations from particles with a known one to others, a bond further in each pass.
static void spread_turns(frz_renumbering *r, uint8_t *known, uint8_t *next)
{
    const frz_bond_weigher w = frz_bond_weigher_of(&r->bonds, FRZ_BOND_KERNEL);
    bool more = true;
    while (more)
    {
        int found = 0;
#pragma omp parallel for schedule(static) reduction(+ : found)
        for (int n = 0; n < r->bonds.count; ++n)
        {
            next[n] = known[n];
            if (known[n] != 0 || r->gain_begin[n] == r->gain_begin[n + 1] ||
                r->fate[r->bonds.body[n]] != FRZ_FATE_LOCAL)
                continue;
            frz_mat3 turn;
            if (!partners_turn(r, &w, known, n, &turn))
                continue;
            r->turn[n] = turn; // not read before the next pass
            next[n] = 1;
            found += 1;
        }
        more = found > 0;
        memcpy(known, next, (size_t)r->bonds.count);
    }
}

frz_status frz_renumbering_find_turns(frz_renumbering *r, frz_arena *scratch, frz_diag *diag)
{
    const int count = r->bonds.count;
    r->turn = FRZ_SCRATCH(scratch, count + 1, frz_mat3);
    r->history = FRZ_SCRATCH(scratch, count + 1, uint8_t);
    uint8_t *known = FRZ_SCRATCH(scratch, count + 1, uint8_t), *next = FRZ_SCRATCH(scratch, count + 1, uint8_t);
    if (r->turn == NULL || r->history == NULL || known == NULL || next == NULL)
        return frz_fail_memory(diag, "new bonds");
#pragma omp parallel for schedule(static)
    for (int n = 0; n < count; ++n)
    {
        const bool gains = r->gain_begin[n] < r->gain_begin[n + 1] && r->fate[r->bonds.body[n]] == FRZ_FATE_LOCAL;
        const int o = r->old_of_new[n];
        const bool rigid = r->solids.body_phase[r->bonds.body[n]] == FRZ_PHASE_RIGID;
        known[n] = r->history[n] = o >= 0 && r->old_bonds->rank[o] > 0 && !rigid;
        r->turn[n] = gains && r->history[n] != 0 ? old_turn(r, n) : frz_m3_identity();
        known[n] = known[n] != 0 && gains;
    }
    spread_turns(r, known, next);
    return FRZ_OK;
}

static frz_v4 turned_back(frz_mat3 turn, frz_vec3 d)
{
    const frz_vec3 v = frz_m3_apply(frz_m3_transpose(turn), d);
    return frz_v4_of(v);
}

void frz_renumbering_rest(const frz_renumbering *r, int n, int m, frz_v4 *rest, frz_v4 *rest_far)
{
    const frz_vec3 d = frz_renumbering_between(r, n, m);
    if (frz_renumbering_is_tie(r, n, m))
    {
        const bool rigid = r->solids.body_phase[r->bonds.body[n]] == FRZ_PHASE_RIGID;
        *rest = turned_back(r->turn[rigid ? m : n], d);
        *rest_far = -*rest;
        return;
    }
    if (r->history[n] != 0 && r->history[m] != 0)
    {
        *rest = turned_back(r->turn[n], d);
        *rest_far = -turned_back(r->turn[m], d);
        return;
    }
    const frz_mat3 turn = r->history[n] != 0   ? r->turn[n]
                          : r->history[m] != 0 ? r->turn[m]
                                               : nearest_rotation(frz_m3_add(r->turn[n], r->turn[m]));
    *rest = turned_back(turn, d);
    *rest_far = -*rest;
}
