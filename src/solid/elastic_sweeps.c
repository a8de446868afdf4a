// SPDX-License-Identifier: MIT
// The two sweeps over the bonds, common to all elastic methods.
#include "solid/elastic_sweeps.h"

#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "solid/elastic_complete.h"

enum
{
    power_steps = 40 // of the power iteration for the highest frequency, which is then accurate to a few percent
};

static const double power_amplitude = 1e-3; // of the displacements there, spacings: small enough to be linear

static frz_status make_work(const frz_bonds *bonds, int begin, int end, frz_arena *scratch, frz_elastic_work *work,
                            frz_diag *diag)
{
    const int rows = bonds->count + 1;
    work->place = FRZ_SCRATCH(scratch, rows, frz_elastic_place);
    work->low = FRZ_SCRATCH(scratch, rows, frz_v4);
    work->with_low = work->change = false;
    work->push = FRZ_SCRATCH(scratch, rows, frz_elastic_push);
    work->force = FRZ_SCRATCH(scratch, rows, frz_v4);
    const int runs = bonds->run_first != NULL ? bonds->run_first[bonds->body_count] : 0;
    work->energy = FRZ_SCRATCH(scratch, rows / FRZ_ELASTIC_CHUNK + 1 + runs, double);
    if (work->place == NULL || work->low == NULL || work->push == NULL || work->force == NULL || work->energy == NULL)
        return frz_fail_memory(diag, "the elastic forces");
#pragma omp parallel for schedule(static) if (end - begin >= frz_parallel_some)
    for (int i = begin; i < end; ++i)
    {
        work->place[i].displacement = frz_v4_zero();
        work->place[i].reference = bonds->reference[i];
    }
    return FRZ_OK;
}

frz_status frz_elastic_work_make(const frz_bonds *bonds, frz_arena *scratch, frz_elastic_work *work, frz_diag *diag)
{
    return make_work(bonds, 0, bonds->count, scratch, work, diag);
}

frz_status frz_elastic_work_make_body(const frz_bonds *bonds, int body, frz_arena *scratch, frz_elastic_work *work,
                                      frz_diag *diag)
{
    return make_work(bonds, bonds->first[body], bonds->first[body + 1], scratch, work, diag);
}

// The sum over the bonds of one particle: q du (x) D by columns.
typedef struct bond_sums
{
    frz_v4 column[3];
} bond_sums;

static inline frz_w8 load_place(const frz_elastic_place *place)
{
    frz_w8 v;
    memcpy(&v, place, sizeof v);
    return v;
}

// Sums of two bonds side by side.
typedef struct wide_sums
{
    frz_w8 x, y, z;
} wide_sums;

// low: null, or the low parts of the displacements; stored: null, or the rest vectors of the bonds of
// a local body
static inline __attribute__((always_inline)) void add_two_bonds(const frz_elastic_place *place, const frz_v4 *low,
                                                                const uint32_t *j, frz_w8 own, frz_w8 own_low,
                                                                frz_w8 weight, const frz_v4 *stored, bool places,
                                                                wide_sums *s)
{
    const frz_w8 a = load_place(&place[j[0]]) - own, b = load_place(&place[j[1]]) - own;
    const frz_w8 rest = stored != NULL ? frz_w8_load_v4(stored) : frz_w8_highs(a, b);
    frz_w8 move = frz_w8_lows(a, b);
    if (places)
        move -= rest;
    if (low != NULL)
        move += frz_w8_join(low[j[0]], low[j[1]]) - own_low;
    const frz_w8 weighted = weight * move;
    s->x += weighted * frz_w8_lane(rest, 0);
    s->y += weighted * frz_w8_lane(rest, 1);
    s->z += weighted * frz_w8_lane(rest, 2);
}

static inline __attribute__((always_inline)) bond_sums sum_bonds(const frz_bonds *bonds, const frz_elastic_place *place,
                                                                 const frz_v4 *low, const frz_v4 *rest, bool places,
                                                                 int i)
{
    const frz_w8 own = load_place(&place[i]), zero = frz_w8_splat(0);
    const frz_w8 own_low = low != NULL ? frz_w8_join(low[i], low[i]) : zero;
    wide_sums even = {zero, zero, zero}, odd = even; // two sums, so that no addition waits for the one before
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; k += 4) // lists are multiples of four
    {
        frz_w8 weight01, weight23;
        frz_w8_splat4(frz_v4_load(bonds->weight + k), &weight01, &weight23);
        const frz_v4 *stored = rest != NULL ? rest + k : NULL, *stored2 = rest != NULL ? rest + k + 2 : NULL;
        add_two_bonds(place, low, bonds->other + k, own, own_low, weight01, stored, places, &even);
        add_two_bonds(place, low, bonds->other + k + 2, own, own_low, weight23, stored2, places, &odd);
    }
    return (bond_sums){{frz_w8_fold(even.x + odd.x), frz_w8_fold(even.y + odd.y), frz_w8_fold(even.z + odd.z)}};
}

// Difference of displacements. A change has no images: it may be a velocity, or a direction of any length.
static inline frz_v4 difference_of(const frz_bonds *bonds, const frz_elastic_place *place, bool change, int i, int j)
{
    const frz_v4 difference = place[j].displacement - place[i].displacement;
    return change ? difference : frz_bonds_nearest(bonds, difference);
}

// The difference of the displacements of two particles: their distance vector less the rest vector.
static inline frz_v4 move_of(const frz_bonds *bonds, const frz_elastic_place *place, bool change, int i, int64_t k)
{
    const frz_v4 move = difference_of(bonds, place, change, i, (int)bonds->other[k]);
    return frz_bonds_is_local(bonds, bonds->body[i]) && !change ? move - frz_bonds_rest(bonds, i, k) : move;
}

frz_v4 frz_elastic_move(const frz_bonds *bonds, const frz_elastic_place *place, int i, int64_t k)
{
    return move_of(bonds, place, false, i, k);
}

// The same where differences go to the nearest periodic image.
static bond_sums sum_bonds_periodic(const frz_bonds *bonds, const frz_elastic_work *work, int i)
{
    bond_sums sums = {{frz_v4_zero(), frz_v4_zero(), frz_v4_zero()}};
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
    {
        const frz_v4 move = move_of(bonds, work->place, work->change, i, k);
        const frz_v4 rest = frz_bonds_rest(bonds, i, k);
        const frz_v4 weighted = bonds->weight[k] * move;
        for (int c = 0; c < 3; ++c)
            sums.column[c] += rest[c] * weighted;
    }
    return sums;
}

// m := m L by rows, for eight particles
static inline void apply_correction(const frz_bond_matrices *l, int i, const frz_real *row[3], frz_w8 out[3])
{
    const frz_w8 x = frz_w8_load(row[0]), y = frz_w8_load(row[1]), z = frz_w8_load(row[2]);
    out[0] = x * frz_w8_load(l->xx + i) + y * frz_w8_load(l->xy + i) + z * frz_w8_load(l->xz + i);
    out[1] = x * frz_w8_load(l->xy + i) + y * frz_w8_load(l->yy + i) + z * frz_w8_load(l->yz + i);
    out[2] = x * frz_w8_load(l->xz + i) + y * frz_w8_load(l->yz + i) + z * frz_w8_load(l->zz + i);
}

static void correct_chunk(const frz_bonds *bonds, int begin, int count, frz_real m[9][FRZ_ELASTIC_CHUNK])
{
    for (int n = 0; n < count; n += 8)
        for (int r = 0; r < 3; ++r)
        {
            frz_w8 out[3];
            const frz_real *row[3] = {m[3 * r] + n, m[3 * r + 1] + n, m[3 * r + 2] + n};
            apply_correction(&bonds->correction, begin + n, row, out);
            for (int c = 0; c < 3; ++c)
                frz_w8_store(m[3 * r + c] + n, out[c]);
        }
}

static frz_mat3 chunk_matrix(frz_real m[9][FRZ_ELASTIC_CHUNK], int n)
{
    frz_mat3 out;
    for (int k = 0; k < 9; ++k)
        out.m[k / 3][k % 3] = (double)m[k][n];
    return out;
}

// Do all particles of a chunk have neighbours in all directions? Without early exit, sixteen at a time.
static bool is_whole(const frz_bonds *bonds, const frz_elastic_chunk *chunk)
{
    const uint8_t *rank = bonds->rank + chunk->begin;
    uint8_t least = UINT8_MAX;
    for (int n = 0; n < chunk->count; ++n)
        least = rank[n] < least ? rank[n] : least;
    return least >= bonds->dimension;
}

// Sheets, rods and single particles.
static void complete_chunk(const frz_bonds *bonds, const frz_elastic_use *use, frz_elastic_chunk *chunk)
{
    if (is_whole(bonds, chunk))
        return;
    for (int n = 0; n < chunk->count; ++n)
    {
        const int i = chunk->begin + n;
        if (bonds->rank[i] >= bonds->dimension)
            continue;
        const frz_vec3 axis = frz_v3_of(bonds->axis[i]);
        frz_mat3 h = chunk_matrix(chunk->h, n);
        if (use->turned != NULL)
        {
            const frz_v4 q = use->turned[i];
            const frz_quat rotation = {(double)q[3], (double)q[0], (double)q[1], (double)q[2]};
            h = frz_elastic_complete_change(h, frz_m3_from_quat(rotation), bonds->rank[i], bonds->dimension, axis);
        }
        else
            h = frz_elastic_complete(h, bonds->rank[i], bonds->dimension, axis);
        for (int k = 0; k < 9; ++k)
            chunk->h[k][n] = (frz_real)h.m[k / 3][k % 3];
    }
}

// Gradients of zero-energy control. sums: those of the first sweep before they are corrected.
static void fit_control(const frz_bonds *bonds, frz_real sums[9][FRZ_ELASTIC_CHUNK], frz_elastic_chunk *chunk)
{
    for (int n = 0; n < chunk->count; ++n)
    {
        const int i = chunk->begin + n;
        if (bonds->rank[i] >= bonds->dimension || bonds->torn[i] == 0)
            continue;
        const frz_mat3 h =
            frz_elastic_fit_across(chunk_matrix(chunk->h, n), chunk_matrix(sums, n), frz_bond_matrix(&bonds->moment, i),
                                   bonds->rank[i], bonds->dimension, frz_v3_of(bonds->axis[i]));
        for (int k = 0; k < 9; ++k)
            chunk->h[k][n] = (frz_real)h.m[k / 3][k % 3];
    }
}

// The rest vectors of a local body, to be counted from the first bond of all; null: it is compact.
static inline const frz_v4 *rest_of(const frz_bonds *bonds, int body)
{
    return frz_bonds_is_local(bonds, body) ? bonds->rest + bonds->rest_shift[body] : NULL;
}

static bond_sums sum_local(const frz_bonds *bonds, const frz_elastic_work *work, const frz_v4 *rest, int i)
{
    if (work->change)
        return sum_bonds(bonds, work->place, NULL, rest, false, i);
    return work->with_low ? sum_bonds(bonds, work->place, work->low, rest, true, i)
                          : sum_bonds(bonds, work->place, NULL, rest, true, i);
}

// Sums of eight particles of a chunk, zero behind its end.
static void sum_eight(const frz_bonds *bonds, const frz_elastic_work *work, int n, frz_elastic_chunk *chunk)
{
    const frz_v4 *rest = rest_of(bonds, bonds->body[chunk->begin]);
    frz_v4 column[3][8];
    for (int l = 0; l < 8; ++l)
    {
        const int i = chunk->begin + n + l;
        bond_sums sums = {{frz_v4_zero(), frz_v4_zero(), frz_v4_zero()}};
        if (n + l < chunk->count)
            sums = bonds->any_periodic ? sum_bonds_periodic(bonds, work, i)
                   : rest != NULL      ? sum_local(bonds, work, rest, i)
                   : work->with_low    ? sum_bonds(bonds, work->place, work->low, NULL, false, i)
                                       : sum_bonds(bonds, work->place, NULL, NULL, false, i);
        for (int c = 0; c < 3; ++c)
            column[c][l] = sums.column[c];
    }
    for (int c = 0; c < 3; ++c)
    {
        frz_w8 row[4];
        frz_w8_from_v4(column[c], row);
        for (int r = 0; r < 3; ++r)
            frz_w8_store(chunk->h[3 * r + c] + n, row[r]);
    }
}

// Gradients of a chunk's particles. sums: null, or the sums before they are corrected.
static void gradient_chunk(const frz_bonds *bonds, const frz_elastic_use *use, const frz_elastic_work *work,
                           frz_elastic_chunk *chunk, frz_real (*sums)[FRZ_ELASTIC_CHUNK])
{
    for (int n = 0; n < chunk->count; n += 8)
        sum_eight(bonds, work, n, chunk);
    if (sums != NULL)
        memcpy(sums, chunk->h, sizeof chunk->h);
    if (use->corrected)
    {
        correct_chunk(bonds, chunk->begin, chunk->count, chunk->h);
        complete_chunk(bonds, use, chunk);
    }
}

static int chunks_of(int particles)
{
    return (particles + FRZ_ELASTIC_CHUNK - 1) / FRZ_ELASTIC_CHUNK;
}

// The particles of a chunk. All of a chunk are of one material.
typedef struct chunk_range
{
    int begin, end, material;
} chunk_range;

static chunk_range chunk_at(const frz_bonds *bonds, int body, int c)
{
    int first = bonds->first[body], last = bonds->first[body + 1], material = -1;
    if (frz_bonds_is_mixed(bonds, body))
    {
        const frz_bond_run *run = &bonds->run[bonds->run_first[body]];
        for (; c >= chunks_of(run->last - run->first); ++run)
            c -= chunks_of(run->last - run->first);
        first = run->first;
        last = run->last;
        material = run->material;
    }
    const int begin = first + c * FRZ_ELASTIC_CHUNK;
    return (chunk_range){begin, last - begin < FRZ_ELASTIC_CHUNK ? last : begin + FRZ_ELASTIC_CHUNK, material};
}

static void chunk_begin(const frz_bonds *bonds, int body, int c, frz_elastic_chunk *chunk)
{
    const chunk_range range = chunk_at(bonds, body, c);
    chunk->begin = range.begin;
    chunk->count = range.end - range.begin;
    chunk->material = range.material;
}

static int chunk_count(const frz_bonds *bonds, int body)
{
    if (!frz_bonds_is_mixed(bonds, body))
        return chunks_of(bonds->first[body + 1] - bonds->first[body]);
    int count = 0;
    for (int r = bonds->run_first[body]; r < bonds->run_first[body + 1]; ++r)
        count += chunks_of(bonds->run[r].last - bonds->run[r].first);
    return count;
}

// The material of a chunk as a method uses it.
static inline const frz_elastic_use *use_in(const frz_elastic_use *use, const frz_elastic_chunk *chunk)
{
    return chunk->material >= 0 && use->by_material != NULL ? &use->by_material[chunk->material] : use;
}

void frz_elastic_gradients(const frz_bonds *bonds, int body, const frz_elastic_work *work, frz_elastic_stress_fn *visit,
                           const void *context)
{
    const frz_elastic_use use = {.corrected = true};
    const int chunks = chunk_count(bonds, body);
#pragma omp parallel for schedule(static)
    for (int c = 0; c < chunks; ++c)
    {
        frz_elastic_chunk chunk;
        chunk_begin(bonds, body, c, &chunk);
        gradient_chunk(bonds, &use, work, &chunk, NULL);
        visit(context, &chunk);
    }
}

// Input of the second sweep from eight particles of a chunk: gradients and stresses. whole: F replaces H, as positions
// replace displacements.
static inline __attribute__((always_inline)) void
push_eight(frz_w8 volume, frz_w8 kappa, bool whole, const frz_elastic_chunk *chunk, int n, frz_elastic_work *work)
{
    const int begin = chunk->begin + n, lanes = chunk->count - n < 8 ? chunk->count - n : 8;
    const frz_elastic_place *place = work->place + begin;
    frz_elastic_push *push = work->push + begin;
    frz_v4 reference[8], column[8];
    frz_w8 origin[4], entry[4];
    for (int l = 0; l < 8; ++l)
        reference[l] = place[l < lanes ? l : 0].reference;
    frz_w8_from_v4(reference, origin);
    for (int c = 0; c < 3; ++c)
    {
        for (int r = 0; r < 3; ++r)
        {
            frz_w8 gradient = frz_w8_load(chunk->h[3 * r + c] + n);
            if (whole && r == c)
                gradient += frz_w8_splat(1);
            entry[r] = volume * frz_w8_load(chunk->p[3 * r + c] + n) - kappa * gradient;
        }
        entry[3] = origin[c];
        frz_w8_to_v4(entry, column);
        for (int l = 0; l < lanes; ++l)
            push[l].column[c] = column[l];
    }
    for (int l = 0; l < lanes; ++l)
    {
        frz_v4 displacement = place[l].displacement;
        displacement[3] = kappa[l];
        push[l].displacement = displacement;
    }
}

// kappa of eight particles.
static frz_w8 control_of(const frz_bonds *bonds, const frz_elastic_use *use, int body, int begin)
{
    frz_w8 kappa = frz_w8_splat((frz_real)(use->zero_energy * bonds->volume));
    for (int l = 0; l < 8 && bonds->uneven[body] != 0; ++l)
        kappa[l] = (frz_real)(use->zero_energy * (double)bonds->own_volume[begin + l]);
    return bonds->any_scaled ? kappa * frz_w8_load(bonds->scale + begin) : kappa;
}

// Volume of eight particles times the factor of their stiffness: all stresses are linear in Young's modulus.
static inline frz_w8 weight_of(const frz_bonds *bonds, int begin)
{
    const frz_w8 volume = frz_w8_load(bonds->own_volume + begin);
    return bonds->any_scaled ? volume * frz_w8_load(bonds->scale + begin) : volume;
}

// Volume of a particle's energy, with the factor of its stiffness, m^d.
static double stiff_volume(const frz_bonds *bonds, int body, int i)
{
    const double volume = bonds->uneven[body] != 0 ? (double)bonds->own_volume[i] : bonds->volume;
    return bonds->any_scaled ? volume * (double)bonds->scale[i] : volume;
}

// Energy of the strain of a chunk, J.
static double energy_of(const frz_bonds *bonds, int body, const frz_elastic_chunk *chunk)
{
    double energy = 0.0, uneven = 0.0;
    for (int n = 0; n < chunk->count && bonds->any_scaled; ++n)
        uneven += (double)chunk->energy[n] * (double)bonds->own_volume[chunk->begin + n] *
                  (double)bonds->scale[chunk->begin + n];
    if (bonds->any_scaled)
        return uneven;
    for (int n = 0; n < chunk->count && bonds->uneven[body] == 0; ++n)
        energy += (double)chunk->energy[n];
    for (int n = 0; n < chunk->count && bonds->uneven[body] != 0; ++n)
        uneven += (double)chunk->energy[n] * (double)bonds->own_volume[chunk->begin + n];
    return bonds->uneven[body] != 0 ? uneven : bonds->volume * energy;
}

// First sweep over a chunk: gradients, stresses, and the input of the second sweep.
static double stress_chunk(const frz_bonds *bonds, const frz_elastic_use *use, frz_elastic_work *work,
                           frz_elastic_chunk *chunk)
{
    const int body = bonds->body[chunk->begin];
    const bool whole = frz_bonds_is_local(bonds, body) && !work->change;
    const frz_elastic_use *own = use_in(use, chunk);
    const bool thin = use->corrected && own->zero_energy > 0.0 && !is_whole(bonds, chunk);
    frz_real sums[9][FRZ_ELASTIC_CHUNK];
    gradient_chunk(bonds, use, work, chunk, thin ? sums : NULL);
    own->stress(own->context, chunk);
    if (use->corrected)
        correct_chunk(bonds, chunk->begin, chunk->count, chunk->p);
    if (thin)
        fit_control(bonds, sums, chunk);
    for (int n = 0; n < chunk->count; n += 8)
        push_eight(weight_of(bonds, chunk->begin + n), control_of(bonds, own, body, chunk->begin + n), whole, chunk, n,
                   work);
    return energy_of(bonds, body, chunk);
}

// (C_i + C_j) D + 2 kappa (u_j - u_i) of one bond, its four terms added to two, side by side. Both parts are as large
// as kappa times the rotation of the body, and their sum only as large as kappa times the deviation from the affine
// map. They are added for every bond, with rounding errors that are equal and opposite at its ends, before the sum over
// the bonds rounds again.
static inline __attribute__((always_inline)) frz_w8 half_sums(const frz_elastic_push *push, const frz_v4 *low,
                                                              const frz_v4 *rest, const frz_w8 own[3])
{
    const frz_w8 xy = frz_w8_load_v4(&push->column[0]) + own[0];
    frz_w8 zu = frz_w8_load_v4(&push->column[2]) + own[1];
    if (low != NULL)
        zu += frz_w8_join(frz_v4_zero(), *low) - own[2];
    if (rest != NULL)
    {
        const frz_v4 d = *rest;
        const frz_w8 first = frz_w8_splat2(d[0], d[1]), second = frz_w8_splat2(d[2], zu[7]);
        return frz_w8_fma(zu, second, xy * first);
    }
    return frz_w8_fma(zu, frz_w8_lane(zu, 3), xy * frz_w8_lane(xy, 3)); // the same rounding at both ends
}

// Second sweep, one particle.
static inline __attribute__((always_inline)) frz_v4 sum_forces(const frz_bonds *bonds, const frz_elastic_push *push,
                                                               const frz_v4 *low, const frz_v4 *rest, int i)
{
    // D and u_j - u_i are differences, the rest are sums
    const frz_v4 sum_and_difference = frz_v4_set(1, 1, 1, -1), difference = frz_v4_set(-1, -1, -1, 1);
    const frz_elastic_push *self = &push[i];
    const frz_w8 own[3] = {
        frz_w8_join(sum_and_difference * self->column[0], sum_and_difference * self->column[1]),
        frz_w8_join(sum_and_difference * self->column[2], difference * self->displacement),
        low != NULL ? frz_w8_join(frz_v4_zero(), low[i]) : frz_w8_splat(0),
    };
    frz_w8 even = frz_w8_splat(0), odd = even; // two sums, so that no addition waits for the one before
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; k += 4) // lists are multiples of four
    {
        frz_w8 weight01, weight23, f[4];
        frz_w8_splat4(frz_v4_load(bonds->weight + k), &weight01, &weight23);
        for (int n = 0; n < 4; ++n)
        {
            const uint32_t j = bonds->other[k + n];
            f[n] = half_sums(&push[j], low != NULL ? &low[j] : NULL, rest != NULL ? &rest[k + n] : NULL, own);
        }
        even += weight01 * frz_w8_fold2(f[0], f[1]);
        odd += weight23 * frz_w8_fold2(f[2], f[3]);
    }
    return frz_v4_xyz(frz_w8_fold(even + odd));
}

// C D of one end of a bond.
static inline frz_v4 push_along(const frz_elastic_push *push, frz_v4 rest)
{
    return rest[0] * push->column[0] + rest[1] * push->column[1] + rest[2] * push->column[2];
}

// The same with rest vectors that differ at the two ends. The factors are rounded by themselves, so that
// the force is equal and opposite.
static frz_v4 sum_forces_seams(const frz_bonds *bonds, const frz_elastic_work *work, const frz_v4 *rest,
                               const frz_v4 *rest_far, int i)
{
    const frz_elastic_push *push = work->push;
    frz_v4 sum = frz_v4_zero();
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
    {
        const int j = (int)bonds->other[k];
        frz_v4 way = push[j].displacement - push[i].displacement;
        if (work->with_low)
            way += work->low[j] - work->low[i];
        const frz_v4 near = push_along(&push[i], rest[k]), far = push_along(&push[j], rest_far[k]);
        sum += bonds->weight[k] * ((near - far) + (push[i].displacement[3] + push[j].displacement[3]) * way);
    }
    return frz_v4_xyz(sum);
}

static frz_v4 sum_forces_periodic(const frz_bonds *bonds, const frz_elastic_work *work, int i)
{
    const frz_elastic_push *push = work->push;
    const bool seams = frz_bonds_has_seams(bonds, bonds->body[i]);
    frz_v4 sum = frz_v4_zero();
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
    {
        const int j = (int)bonds->other[k];
        const frz_v4 rest = frz_bonds_rest(bonds, i, k);
        const frz_real kappa2 = push[i].displacement[3] + push[j].displacement[3];
        frz_v4 pair = kappa2 * difference_of(bonds, work->place, work->change, i, j);
        for (int c = 0; c < 3 && !seams; ++c)
            pair += rest[c] * (push[i].column[c] + push[j].column[c]);
        if (seams)
            pair += push_along(&push[i], rest) - push_along(&push[j], frz_bonds_rest_far(bonds, i, k));
        sum += bonds->weight[k] * pair;
    }
    return frz_v4_xyz(sum);
}

static frz_mat3 gradient_of(const frz_bonds *bonds, const frz_elastic_place *place, bool change, int i)
{
    frz_mat3 sum = frz_m3_zero();
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
    {
        const frz_v4 rest = frz_bonds_rest(bonds, i, k);
        const frz_v4 move = move_of(bonds, place, change, i, k);
        sum = frz_m3_mad(sum, (double)bonds->weight[k], frz_m3_outer(frz_v3_of(move), frz_v3_of(rest)));
    }
    const frz_mat3 h = frz_m3_mul(sum, frz_bond_matrix(&bonds->correction, i));
    if (bonds->rank[i] >= bonds->dimension)
        return h;
    const frz_v4 axis = bonds->axis[i];
    return frz_elastic_complete(h, bonds->rank[i], bonds->dimension, frz_v3_of(axis));
}

// kappa/2 sum_j q |H D - du|^2 of particle n of a chunk, with the gradient that the first sweep has found.
static double control_energy(const frz_bonds *bonds, const frz_elastic_use *use, const frz_elastic_work *work,
                             const frz_elastic_chunk *chunk, int n)
{
    const int i = chunk->begin + n;
    frz_v4 column[3];
    for (int c = 0; c < 3; ++c)
        column[c] = frz_v4_set(chunk->h[c][n], chunk->h[3 + c][n], chunk->h[6 + c][n], 0);
    const bool plain = !bonds->any_periodic && !frz_bonds_is_local(bonds, bonds->body[i]);
    const frz_elastic_place own = work->place[i];
    frz_v4 sums = frz_v4_zero();
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
    {
        const frz_elastic_place *other = &work->place[bonds->other[k]];
        const frz_v4 rest = plain ? other->reference - own.reference : frz_bonds_rest(bonds, i, k);
        frz_v4 move = plain ? other->displacement - own.displacement : move_of(bonds, work->place, work->change, i, k);
        if (work->with_low)
            move += work->low[bonds->other[k]] - work->low[i];
        const frz_v4 error = rest[0] * column[0] + rest[1] * column[1] + rest[2] * column[2] - move;
        sums += bonds->weight[k] * error * error;
    }
    const double sum = (double)(sums[0] + sums[1] + sums[2]);
    return 0.5 * use->zero_energy * stiff_volume(bonds, bonds->body[i], i) * sum;
}

static double energy_chunk(const frz_bonds *bonds, int body, const frz_elastic_use *use, frz_elastic_work *work, int c)
{
    frz_elastic_chunk chunk;
    chunk_begin(bonds, body, c, &chunk);
    double energy = stress_chunk(bonds, use, work, &chunk);
    const frz_elastic_use *own = use_in(use, &chunk);
    for (int n = 0; n < chunk.count; ++n)
    {
        const double control = own->zero_energy > 0.0 ? control_energy(bonds, own, work, &chunk, n) : 0.0;
        energy += control;
        if (bonds->energy_of != NULL)
            bonds->energy_of[chunk.begin + n] =
                stiff_volume(bonds, body, chunk.begin + n) * (double)chunk.energy[n] + control;
    }
    return energy;
}

double frz_elastic_energy(const frz_bonds *bonds, int body, const frz_elastic_use *use, frz_elastic_work *work)
{
    const int chunks = chunk_count(bonds, body);
#pragma omp parallel for schedule(static)
    for (int c = 0; c < chunks; ++c)
        work->energy[c] = energy_chunk(bonds, body, use, work, c);
    return frz_blocks_sum(work->energy, chunks);
}

static void force_local(const frz_bonds *bonds, const frz_elastic_work *work, const frz_v4 *rest, int begin, int end)
{
    const int body = bonds->body[begin];
    const bool seams = frz_bonds_has_seams(bonds, body);
    const frz_v4 *rest_far = seams ? bonds->rest_far + bonds->far_shift[body] : NULL;
    for (int i = begin; i < end; ++i)
        work->force[i] = seams            ? sum_forces_seams(bonds, work, rest, rest_far, i)
                         : work->with_low ? sum_forces(bonds, work->push, work->low, rest, i)
                                          : sum_forces(bonds, work->push, NULL, rest, i);
}

static void force_chunk(const frz_bonds *bonds, const frz_elastic_work *work, int begin, int end)
{
    const int body = begin < end ? bonds->body[begin] : 0;
    const frz_v4 *rest = rest_of(bonds, body);
    if (rest != NULL && !bonds->any_periodic)
    {
        force_local(bonds, work, rest, begin, end);
        return;
    }
    for (int i = begin; i < end; ++i)
        work->force[i] = bonds->any_periodic ? sum_forces_periodic(bonds, work, i)
                         : work->with_low    ? sum_forces(bonds, work->push, work->low, NULL, i)
                                             : sum_forces(bonds, work->push, NULL, NULL, i);
}

static int anchors_begin(const frz_bonds *bonds, int body)
{
    return bonds->anchor_first != NULL ? bonds->anchor_first[body] : 0;
}

static int anchors_end(const frz_bonds *bonds, int body)
{
    return bonds->anchor_first != NULL ? bonds->anchor_first[body + 1] : 0;
}

// Anchors have no stress of their own.
static void push_anchors(const frz_bonds *bonds, int body, frz_elastic_work *work)
{
    for (int a = anchors_begin(bonds, body); a < anchors_end(bonds, body); ++a)
    {
        const int j = bonds->anchor[a];
        work->push[j] = (frz_elastic_push){.displacement = frz_v4_xyz(work->place[j].displacement)};
    }
}

// Forces on anchors, once the second sweep has its input.
static void force_anchors(const frz_bonds *bonds, int body, const frz_elastic_work *work)
{
    for (int a = anchors_begin(bonds, body); a < anchors_end(bonds, body); ++a)
    {
        const int j = bonds->anchor[a];
        frz_v4 sum = frz_v4_zero();
        for (int64_t t = bonds->tie_first[a]; t < bonds->tie_first[a + 1]; ++t)
        {
            const int i = bonds->tie[t].owner;
            const int64_t k = bonds->tie[t].place;
            frz_v4 way = difference_of(bonds, work->place, work->change, i, j);
            if (work->with_low)
                way += work->low[j] - work->low[i];
            sum -= bonds->weight[k] *
                   (push_along(&work->push[i], frz_bonds_rest(bonds, i, k)) + work->push[i].displacement[3] * way);
        }
        work->force[j] = frz_v4_xyz(sum);
    }
}

double frz_elastic_forces(const frz_bonds *bonds, int body, const frz_elastic_use *use, frz_elastic_work *work)
{
    const int chunks = chunk_count(bonds, body), first = bonds->first[body], last = bonds->first[body + 1];
    push_anchors(bonds, body, work);
#pragma omp parallel if (last - first >= frz_parallel_some)
    {
        if (use->begin != NULL)
        {
#pragma omp for schedule(static)
            for (int c = 0; c < chunks; ++c)
            {
                const chunk_range range = chunk_at(bonds, body, c);
                use->begin(use->user, range.begin, range.end);
            }
        }
#pragma omp for schedule(static)
        for (int c = 0; c < chunks; ++c)
        {
            frz_elastic_chunk chunk;
            chunk_begin(bonds, body, c, &chunk);
            work->energy[c] = stress_chunk(bonds, use, work, &chunk);
        }
#pragma omp for schedule(static) nowait
        for (int c = 0; c < chunks; ++c)
        {
            const chunk_range range = chunk_at(bonds, body, c);
            force_chunk(bonds, work, range.begin, range.end);
            if (use->finish != NULL)
                use->finish(use->user, range.begin, range.end);
        }
    }
    force_anchors(bonds, body, work);
    return frz_blocks_sum(work->energy, chunks);
}

frz_mat3 frz_elastic_gradient(const frz_bonds *bonds, const frz_elastic_place *place, int i)
{
    return gradient_of(bonds, place, false, i);
}

// A displacement with a part in every mode: disorder that is the same every time.
static frz_v4 first_guess(int i, int dimension)
{
    uint32_t seed = (uint32_t)i;
    frz_v4 v = frz_v4_zero();
    for (int a = 0; a < dimension; ++a)
    {
        seed = seed * 1664525u + 1013904223u; // Knuth; Numerical Recipes
        v[a] = (frz_real)(seed >> 8) / (frz_real)(1 << 23) - 1;
    }
    return v;
}

// Particles of a body and its anchors, as one list.
static int member_count(const frz_bonds *bonds, int body)
{
    return bonds->first[body + 1] - bonds->first[body] + anchors_end(bonds, body) - anchors_begin(bonds, body);
}

static int member(const frz_bonds *bonds, int body, int n)
{
    const int own = bonds->first[body + 1] - bonds->first[body];
    return n < own ? bonds->first[body] + n : bonds->anchor[anchors_begin(bonds, body) + n - own];
}

// Mass of a particle over that of one of the density that is meant.
static double relative_mass(const frz_bonds *bonds, int body, int i, double mass)
{
    return frz_bonds_is_mixed(bonds, body) && bonds->body[i] == body ? (double)bonds->mass[i] / mass : 1.0;
}

// Largest force on a particle of a body over its relative mass.
static double largest_force(const frz_bonds *bonds, int body, double mass, const frz_v4 *force)
{
    double most = 0.0;
    for (int n = 0; n < member_count(bonds, body); ++n)
    {
        const int i = member(bonds, body, n);
        const double relative = relative_mass(bonds, body, i, mass);
        most = fmax(most, (double)frz_v4_dot3(force[i], force[i]) / (relative * relative));
    }
    return sqrt(most);
}

double frz_elastic_stiffness(const frz_bonds *bonds, int body, const frz_elastic_use *use, double density,
                             frz_elastic_work *work)
{
    const int members = member_count(bonds, body);
    const double amplitude = power_amplitude * bonds->spacing, mass = density * bonds->volume;
    work->with_low = false;
    work->change = true;
    for (int n = 0; n < members; ++n)
    {
        const int i = member(bonds, body, n);
        work->place[i].displacement = (frz_real)amplitude * first_guess(i, bonds->dimension);
    }
    double quotient = 0.0;
    for (int step = 0; step < power_steps; ++step)
    {
        (void)frz_elastic_forces(bonds, body, use, work);
        frz_exact along = {0}, square = {0};
        for (int n = 0; n < members; ++n)
        {
            const int i = member(bonds, body, n);
            const frz_v4 u = work->place[i].displacement;
            frz_exact_add(&along, -(double)frz_v4_dot3(u, work->force[i]));
            frz_exact_add(&square, relative_mass(bonds, body, i, mass) * (double)frz_v4_dot3(u, u));
        }
        const double length = frz_exact_value(&square);
        quotient = length > 0.0 ? fmax(quotient, frz_exact_value(&along) / length) : 0.0;
        const double most = largest_force(bonds, body, mass, work->force);
        const double scale = most > 0.0 ? -amplitude / most : 0.0;
        for (int n = 0; n < members; ++n)
        {
            const int i = member(bonds, body, n);
            work->place[i].displacement = (frz_real)(scale / relative_mass(bonds, body, i, mass)) * work->force[i];
        }
    }
    work->change = false;
    return quotient / mass;
}
