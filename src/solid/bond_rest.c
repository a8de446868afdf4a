// SPDX-License-Identifier: MIT
// Rest vectors of new bonds of a body that has turned or deformed.
//
// The old bonds of a particle are in its original axes, which have become F since (its deformation gradient,
// completed for sheets and rods). A new bond has D_ij = F_i^-1 (x_j - x_i) in these axes: F_i stays as it is, and
// with it the energy of the particle. (With the rotation of F alone a strained particle would gain or lose energy by
// being frozen to.) A particle without old bonds has no axes yet and takes the mean of its partners' rotations; its
// bonds are without stress. Where both ends have the same axes D_ji = -D_ij; where they differ, each end has the rest
// vector in its own: a seam. (All bonds of a particle must be in one set of axes: one that froze between pieces that
// have turned differently would else be strained by what they differ.)
//
// Old bonds of a sheet or rod that gets bonds are renewed in the same way. A rod bends without energy at a particle
// that is fitted along it only; once the particle is fitted across, too, its bend would become a strain.
#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "solid/elastic_complete.h"
#include "solid/renumber_internal.h"

static const double same_axes = 1e-5;   // axes that differ by less count as the same: a strain without weight
static const double most_stretch = 4.0; // norm of a gradient and its inverse; that of no strain is 1.7

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

// Deformation gradient of a particle's remaining old neighbours.
static frz_mat3 old_gradient(const frz_renumbering *r, int n)
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
    return frz_m3_add(frz_m3_identity(), h);
}

static frz_mat3 nearest_rotation(frz_mat3 sum)
{
    frz_quat start = frz_quat_identity();
    return frz_m3_rotation(sum, &start);
}

// Where a neighbourhood is crushed, turned inside out or drawn far apart its rotation alone leads back.
static frz_mat3 way_back(frz_mat3 gradient, frz_mat3 turn)
{
    const double determinant = frz_m3_determinant(gradient);
    if (!(determinant > 0.0))
        return frz_m3_transpose(turn);
    const frz_mat3 inverse = frz_m3_scale(1.0 / determinant, frz_m3_transpose(frz_m3_cofactor(gradient)));
    const bool moderate = frz_m3_norm(gradient) < most_stretch && frz_m3_norm(inverse) < most_stretch;
    return moderate ? inverse : frz_m3_transpose(turn);
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
    r->back = FRZ_SCRATCH(scratch, count + 1, frz_mat3);
    r->history = FRZ_SCRATCH(scratch, count + 1, uint8_t);
    r->renews = FRZ_SCRATCH(scratch, count + 1, uint8_t);
    uint8_t *known = FRZ_SCRATCH(scratch, count + 1, uint8_t), *next = FRZ_SCRATCH(scratch, count + 1, uint8_t);
    if (r->turn == NULL || r->back == NULL || r->history == NULL || r->renews == NULL || known == NULL || next == NULL)
        return frz_fail_memory(diag, "new bonds");
#pragma omp parallel for schedule(static)
    for (int n = 0; n < count; ++n)
    {
        const bool gains = r->gain_begin[n] < r->gain_begin[n + 1] && r->fate[r->bonds.body[n]] == FRZ_FATE_LOCAL;
        const int o = r->old_of_new[n];
        const bool rigid = r->solids.body_phase[r->bonds.body[n]] == FRZ_PHASE_RIGID;
        known[n] = r->history[n] = o >= 0 && r->old_bonds->rank[o] > 0 && !rigid;
        known[n] = known[n] != 0 && gains;
        r->turn[n] = r->back[n] = frz_m3_identity();
        r->renews[n] = known[n] != 0 && r->old_bonds->rank[o] < r->bonds.dimension;
        if (known[n] == 0)
            continue;
        const frz_mat3 gradient = old_gradient(r, n);
        r->turn[n] = nearest_rotation(gradient);
        r->back[n] = way_back(gradient, r->turn[n]);
    }
    spread_turns(r, known, next);
#pragma omp parallel for schedule(static)
    for (int n = 0; n < count; ++n)
        if (r->history[n] == 0)
            r->back[n] = frz_m3_transpose(r->turn[n]);
    return FRZ_OK;
}

static frz_v4 led_back(frz_mat3 back, frz_vec3 d)
{
    return frz_v4_of(frz_m3_apply(back, d));
}

bool frz_renumbering_is_seam(const frz_renumbering *r, int n, int m)
{
    if (frz_renumbering_is_tie(r, n, m))
        return false;
    if (r->history[n] != 0 && r->history[m] != 0)
        return true;
    return frz_m3_norm(frz_m3_sub(r->back[n], r->back[m])) > same_axes;
}

void frz_renumbering_rest(const frz_renumbering *r, int n, int m, frz_v4 *rest, frz_v4 *rest_far)
{
    const frz_vec3 d = frz_renumbering_between(r, n, m);
    if (frz_renumbering_is_tie(r, n, m))
    {
        const bool rigid = r->solids.body_phase[r->bonds.body[n]] == FRZ_PHASE_RIGID;
        *rest = led_back(r->back[rigid ? m : n], d);
        *rest_far = -*rest;
        return;
    }
    if (frz_renumbering_is_seam(r, n, m))
    {
        *rest = led_back(r->back[n], d);
        *rest_far = -led_back(r->back[m], d);
        return;
    }
    *rest = led_back(r->back[r->history[n] != 0 || (r->history[m] == 0 && n < m) ? n : m], d);
    *rest_far = -*rest;
}

void frz_renumbering_renew(const frz_renumbering *r, int n, int m, frz_v4 *rest, frz_v4 *rest_far)
{
    const frz_vec3 d = frz_renumbering_between(r, n, m);
    if (r->renews[n] != 0)
        *rest = led_back(r->back[n], d);
    if (r->renews[m] != 0)
        *rest_far = -led_back(r->back[m], d);
}
