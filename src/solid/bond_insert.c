// SPDX-License-Identifier: MIT
// Lists of bonds after a batch of changes: old bonds that are still in one body, new ones in between.
#include <math.h>

#include "base/blocks.h"
#include "solid/renumber_internal.h"

// One list being put together.
typedef struct entry
{
    int32_t other;
    int64_t old; // position in the old lists, -1: new
} entry;

enum
{
    list_most = 1024 // bonds of a particle
};

static const double rounding = 1e-4; // rounding of positions in the density of a lattice

// Does an old bond from n to m remain? A bond between two bodies does if it is unbroken and a tie.
static bool stays(const frz_renumbering *r, int n, int m, int64_t old)
{
    if (m < 0)
        return false;
    return r->bonds.body[m] == r->bonds.body[n] || (frz_renumbering_is_tie(r, n, m) && r->old_bonds->weight[old] > 0);
}

static bool is_gained(const frz_renumbering *r, int n, int m)
{
    return frz_exclusion_lists(r->gain_begin, r->gain, n, m);
}

// New numbers within a body keep the order of the old ones; the far ends of ties may have any number.
static void sort_list(entry *list, int count)
{
    for (int k = 1; k < count; ++k)
    {
        const entry one = list[k];
        int at = k;
        for (; at > 0 && list[at - 1].other > one.other; --at)
            list[at] = list[at - 1];
        list[at] = one;
    }
}

// Old and new bonds, ascending; a new bond replaces an old one. lost: old bonds are left out. Returns their number.
static int merge_list(const frz_renumbering *r, int n, entry out[list_most], bool *lost)
{
    const frz_bonds *old = r->old_bonds;
    const int o = r->old_of_new[n];
    int count = 0;
    *lost = false;
    for (int64_t k = o >= 0 ? old->begin[o] : 0; o >= 0 && k < old->begin[o + 1] && count < list_most; ++k)
    {
        const int p = (int)old->other[k], m = p == o ? -1 : r->new_of_old[p];
        if (!stays(r, n, m, k))
            *lost = *lost || p != o; // padding is no loss
        else if (!is_gained(r, n, m))
            out[count++] = (entry){m, k};
    }
    for (int64_t g = r->gain_begin[n]; g < r->gain_begin[n + 1] && count < list_most; ++g)
        out[count++] = (entry){r->gain[g], -1};
    sort_list(out, count);
    return count;
}

static frz_status count_lists(frz_renumbering *r, frz_diag *diag)
{
    frz_bonds *bonds = &r->bonds;
    int crowded = bonds->count;
    int64_t total = 0;
#pragma omp parallel for schedule(static) reduction(min : crowded) reduction(+ : total)
    for (int n = 0; n < bonds->count; ++n)
    {
        entry list[list_most];
        bool lost;
        const int count = merge_list(r, n, list, &lost);
        crowded = count == list_most && n < crowded ? n : crowded;
        bonds->begin[n + 1] = count; // a count; becomes a position below
        total += count;
        r->remade[n] = lost || r->gain_begin[n] < r->gain_begin[n + 1] || r->old_of_new[n] < 0;
    }
    if (crowded < bonds->count)
        return frz_fail(diag, FRZ_ERR_DIVERGED, "a solid particle has more than %d bonds: it is being crushed",
                        list_most - 1);
    bonds->bond_count = total;
    for (int n = 0; n < bonds->count; ++n)
        bonds->begin[n + 1] =
            bonds->begin[n] + (bonds->begin[n + 1] + FRZ_BOND_PADDING - 1) / FRZ_BOND_PADDING * FRZ_BOND_PADDING;
    return FRZ_OK;
}

// Where the rest vectors of local bodies begin.
static void lay_out_rest(frz_renumbering *r)
{
    frz_bonds *bonds = &r->bonds;
    bonds->rest_count = bonds->far_count = 0;
    for (int b = 0; b < bonds->body_count; ++b)
    {
        const int64_t from = bonds->begin[bonds->first[b]], rows = bonds->begin[bonds->first[b + 1]] - from;
        const int o = r->old_body[b];
        const bool was_local = o >= 0 && frz_bonds_is_local(r->old_bonds, o);
        const bool local = r->fate[b] == FRZ_FATE_LOCAL || (was_local && r->fate[b] <= FRZ_FATE_LESS);
        bonds->rest_shift[b] = local ? bonds->rest_count - from : FRZ_BOND_COMPACT;
        bonds->far_shift[b] = local && r->seams[b] != 0 ? bonds->far_count - from : FRZ_BOND_COMPACT;
        bonds->rest_count += local ? rows : 0;
        bonds->far_count += local && r->seams[b] != 0 ? rows : 0;
    }
}

static void store_rest(frz_bonds *bonds, int body, int64_t k, frz_v4 rest, frz_v4 rest_far)
{
    if (bonds->rest_shift[body] != FRZ_BOND_COMPACT)
        bonds->rest[k + bonds->rest_shift[body]] = rest;
    if (bonds->far_shift[body] != FRZ_BOND_COMPACT)
        bonds->rest_far[k + bonds->far_shift[body]] = rest_far;
}

// A bond longer than the support of the bond kernel, because its body was stretched when its rest lengths were measured
// again, keeps a weight as if it were just within the support.
static frz_real weigh(const frz_bond_weigher *w, double length)
{
    const double longest = 0.98 * w->kernel->support;
    return (frz_real)frz_bond_weigh(w, length < longest ? length : longest);
}

// An old bond keeps its rest vector, unless an end renews it, and its weight unless the rest state of the whole body is
// measured again.
static void put_old(const frz_renumbering *r, frz_bonds *bonds, int n, int64_t k, int64_t old, bool anew,
                    const frz_bond_weigher *w)
{
    const int o = r->old_of_new[n];
    const bool tie = frz_bonds_is_tie(bonds, n, k);
    bonds->weight[k] = r->old_bonds->weight[old];
    frz_v4 rest = frz_bonds_rest(r->old_bonds, o, old), rest_far = frz_bonds_rest_far(r->old_bonds, o, old);
    frz_renumbering_renew(r, n, (int)bonds->other[k], &rest, &rest_far);
    store_rest(bonds, bonds->body[n], k, rest, rest_far);
    if (tie || !(bonds->weight[k] > 0))
        return;
    const bool other_kind = bonds->weighing[bonds->body[n]] != r->old_bonds->weighing[r->old_bonds->body[o]];
    if (!anew && !other_kind)
        return;
    const frz_v4 d = frz_bonds_rest(bonds, n, k);
    bonds->weight[k] = weigh(w, sqrt((double)frz_v4_dot3(d, d)));
}

static void put_new(const frz_renumbering *r, frz_bonds *bonds, int n, int64_t k, const frz_bond_weigher *w)
{
    const int m = (int)bonds->other[k], body = bonds->body[n];
    const bool compact = bonds->rest_shift[body] == FRZ_BOND_COMPACT;
    if (compact && bonds->body[m] == body)
    {
        const frz_v4 d = frz_bonds_between(bonds, n, m);
        bonds->weight[k] = weigh(w, sqrt((double)frz_v4_dot3(d, d)));
        return;
    }
    frz_v4 rest, rest_far;
    frz_renumbering_rest(r, n, m, &rest, &rest_far);
    if (!compact)
        store_rest(bonds, body, k, rest, rest_far);
    bonds->weight[k] = weigh(w, frz_v3_length(frz_renumbering_between(r, n, m)));
}

static void fill_list(const frz_renumbering *r, frz_bonds *bonds, int n, const frz_bond_weigher *w)
{
    entry list[list_most];
    bool lost;
    const int count = merge_list(r, n, list, &lost);
    const bool anew = r->fate[bonds->body[n]] == FRZ_FATE_RIGID;
    for (int64_t k = bonds->begin[n]; k < bonds->begin[n + 1]; ++k)
    {
        const int at = (int)(k - bonds->begin[n]);
        bonds->other[k] = (uint32_t)(at < count ? list[at].other : n);
        if (at >= count)
            store_rest(bonds, bonds->body[n], k, frz_v4_zero(), frz_v4_zero());
        else if (list[at].old >= 0)
            put_old(r, bonds, n, k, list[at].old, anew, w);
        else
            put_new(r, bonds, n, k, w);
    }
}

// Sum of kernels on a lattice, for the volumes.
static double lattice_sum(const frz_bonds *bonds)
{
    const int reach = (int)ceil(bonds->kernel.support / bonds->spacing), deep = bonds->dimension > 2 ? reach : 0;
    double sum = 0.0;
    for (int z = -deep; z <= deep; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x)
                sum += frz_kernel_value(&bonds->kernel, bonds->spacing * sqrt((double)(x * x + y * y + z * z)));
    return sum;
}

// Volume from the density over the bonds (Solenthaler, Schlaefli & Pajarola 2007, eq. 11), that of a lattice being the
// rest density. Missing neighbours at a surface do not increase the volume.
static frz_real volume_of(const frz_bonds *bonds, int n, double lattice)
{
    double sum = frz_kernel_value(&bonds->kernel, 0.0);
    for (int64_t k = bonds->begin[n]; k < bonds->begin[n + 1]; ++k)
    {
        const frz_v4 d = frz_bonds_rest(bonds, n, k);
        if (bonds->weight[k] > 0)
            sum += frz_kernel_value(&bonds->kernel, sqrt((double)frz_v4_dot3(d, d)));
    }
    const double share = lattice / sum;
    return (frz_real)(share < 1.0 - rounding ? bonds->volume * share : bonds->volume);
}

// Anchors have no strain energy, so that a bond across an interface would be half as stiff as others. Particles beside
// the interface represent the anchors' volume, too: twice their own at a flat interface, where ties make half of the
// moment. With this factor a bar at a rigid part acts longer than it is by a quarter of a spacing, without it by 1.7.
static double tie_factor(const frz_bonds *bonds, int n)
{
    frz_mat3 moment = frz_m3_zero();
    bool any = false;
    for (int64_t k = bonds->begin[n]; k < bonds->begin[n + 1]; ++k)
    {
        if (!frz_bonds_is_tie(bonds, n, k))
            continue;
        const frz_vec3 d = frz_v3_of(frz_bonds_rest(bonds, n, k));
        moment = frz_m3_mad(moment, (double)bonds->weight[k], frz_m3_outer(d, d));
        any = true;
    }
    return any ? 1.0 + fmin(1.0, 2.0 * frz_m3_eigen(moment).s[0]) : 1.0;
}

// Volume of the strain energy of an elastic particle.
static frz_real energy_volume(const frz_renumbering *r, const frz_bonds *bonds, int n, double lattice)
{
    const int o = r->old_of_new[n];
    const double factor = tie_factor(bonds, n);
    const bool was_tied = o >= 0 && (double)r->old_bonds->own_volume[o] > bonds->volume;
    const bool measure = o < 0 || r->gain_begin[n] < r->gain_begin[n + 1] || was_tied;
    const frz_real volume = measure ? volume_of(bonds, n, lattice) : r->old_bonds->own_volume[o];
    return factor > 1.0 ? (frz_real)(factor * (double)volume) : volume;
}

static void copy_matrix(const frz_bond_matrices *from, int o, frz_bond_matrices *to, int n)
{
    to->xx[n] = from->xx[o];
    to->xy[n] = from->xy[o];
    to->xz[n] = from->xz[o];
    to->yy[n] = from->yy[o];
    to->yz[n] = from->yz[o];
    to->zz[n] = from->zz[o];
}

static void copy_particle(const frz_bonds *old, int o, frz_bonds *bonds, int n)
{
    copy_matrix(&old->moment, o, &bonds->moment, n);
    copy_matrix(&old->correction, o, &bonds->correction, n);
    bonds->rank[n] = old->rank[o];
    bonds->axis[n] = old->axis[o];
}

/// Whether moment and correction of particle n, formerly o, are still valid for its list: sums depend on the order of
/// the bonds, and ties count in local bodies only.
static bool keeps_sums(const frz_renumbering *r, const frz_bonds *bonds, int n, int o)
{
    const frz_bonds *old = r->old_bonds;
    if (frz_bonds_is_local(bonds, bonds->body[n]) != frz_bonds_is_local(old, old->body[o]))
        return false;
    int last = -1;
    for (int64_t k = bonds->begin[n]; k < bonds->begin[n + 1]; ++k)
    {
        const int other = (int)bonds->other[k];
        const int was = other != n ? r->old_of_new[other] : last; // n itself fills lists up
        if (was < last)
            return false;
        last = was;
    }
    return true;
}

static void finish_particle(const frz_renumbering *r, frz_bonds *bonds, int n, double lattice)
{
    const int o = r->old_of_new[n], body = bonds->body[n];
    bonds->torn[n] = r->remade[n] != 0 && r->fate[body] != FRZ_FATE_FRESH ? 1 : o >= 0 ? r->old_bonds->torn[o] : 0;
    if (r->solids.body_phase[body] == FRZ_PHASE_RIGID)
        bonds->own_volume[n] = (frz_real)bonds->volume;
    else
        bonds->own_volume[n] = energy_volume(r, bonds, n, lattice);
    if (r->remade[n] != 0 || r->fate[body] == FRZ_FATE_RIGID || !keeps_sums(r, bonds, n, o))
        frz_bonds_correct(bonds, n);
    else
        copy_particle(r->old_bonds, o, bonds, n);
}

static void find_uneven(frz_bonds *bonds)
{
    const frz_real even = (frz_real)bonds->volume;
    for (int b = 0; b < bonds->body_count; ++b)
    {
        bonds->uneven[b] = 0;
        for (int n = bonds->first[b]; n < bonds->first[b + 1] && bonds->uneven[b] == 0; ++n)
            bonds->uneven[b] = bonds->own_volume[n] < even || bonds->own_volume[n] > even;
    }
}

// Ties have the weight that the elastic end gives them at both ends.
static void weigh_ties_back(frz_bonds *bonds)
{
    const int64_t ties = bonds->anchor_first != NULL ? bonds->tie_first[bonds->anchor_first[bonds->body_count]] : 0;
    for (int64_t t = 0; t < ties; ++t)
        frz_bonds_weigh_back(bonds, bonds->tie[t].owner, bonds->tie[t].place);
}

frz_status frz_renumbering_make_lists(frz_renumbering *r, frz_diag *diag)
{
    frz_bonds *bonds = &r->bonds;
    FRZ_TRY(count_lists(r, diag));
    lay_out_rest(r);
    FRZ_TRY(frz_bonds_allocate_lists(bonds, diag));
    const frz_bond_weigher w[] = {frz_bond_weigher_of(bonds, FRZ_BOND_GRADIENT),
                                  frz_bond_weigher_of(bonds, FRZ_BOND_KERNEL)};
    const double lattice = lattice_sum(bonds);
#pragma omp parallel for schedule(static)
    for (int n = 0; n < bonds->count; ++n)
        fill_list(r, bonds, n, &w[bonds->weighing[bonds->body[n]]]);
    FRZ_TRY(frz_bonds_find_anchors(bonds, diag));
    weigh_ties_back(bonds);
#pragma omp parallel for schedule(static)
    for (int n = 0; n < bonds->count; ++n)
        finish_particle(r, bonds, n, lattice);
    find_uneven(bonds);
    return FRZ_OK;
}
