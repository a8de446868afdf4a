// SPDX-License-Identifier: MIT
// Pair lists and sums against dense brute force in double precision; antisymmetry and threads bit for bit.
// labels: tsan
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core_trial.h"
#include "sph/pairs.h"

enum
{
    most = 1100,
    body_count = 3
};

static const double spacing = 0.05;
// rounding of a pair as it is stored
static const double pair_rounding = FRZ_PAIR_HALF ? 0x1p-11 : 0.0;
// and of what is computed in working precision from coordinates of size 1 with kernels 0.1 wide
static const double rounding = 300.0 * FRZ_REAL_EPSILON;

typedef struct cloud
{
    int dimension, count;
    frz_v4 *position;
    int32_t *body;
    frz_real *compression;
    frz_real *inverse_density; // by particle
    frz_kernel kernel;
    double volume;
    frz_grid grid;
    frz_cell_list free_cells, sample_cells;
    frz_arena scratch;
    frz_pairs pairs;
} cloud;

typedef struct options
{
    int dimension;
    frz_kernel_id kernel;
    bool periodic, two_densities;
} options;

static double jitter(uint64_t *seed)
{
    return 0.6 * spacing * (core_random(seed) - 0.5);
}

static void fill_liquid(cloud *c)
{
    uint64_t seed = 7;
    const int side = c->dimension == 2 ? 24 : 9, layers = c->dimension == 2 ? 1 : 9;
    for (int z = 0; z < layers; ++z)
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x)
            {
                const frz_real px = (frz_real)(spacing * (x + 0.5) + jitter(&seed));
                const frz_real py = (frz_real)(spacing * (y + 0.5) + jitter(&seed));
                const frz_real pz = c->dimension == 3 ? (frz_real)(spacing * (z + 0.5) + jitter(&seed)) : 0;
                c->body[c->count] = (x / 3 + y + z) % body_count;
                c->position[c->count++] = frz_v4_set(px, py, pz, 0);
            }
}

// Into cell order, as the step does.
static void sort(cloud *c, bool two_densities)
{
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_cell_list_build(&c->grid, c->position, c->count, &c->free_cells, &c->scratch, &diag), FRZ_OK);
    frz_v4 *sorted = FRZ_ALLOC("test", most, frz_v4);
    int32_t *body = FRZ_ALLOC("test", most, int32_t);
    assert_non_null(sorted);
    assert_non_null(body);
    for (int k = 0; k < c->count; ++k)
    {
        sorted[k] = c->position[c->free_cells.index[k]];
        body[k] = c->body[c->free_cells.index[k]];
    }
    frz_free(c->position);
    frz_free(c->body);
    c->position = sorted;
    c->body = body;
    for (int k = 0; k < c->count; ++k)
        c->inverse_density[k] = (frz_real)(1.0 / (two_densities ? 500.0 * (1 + body[k]) : 1000.0));
    frz_cell_list_fill(&c->free_cells, c->position, true);
    assert_int_equal(frz_cell_list_build(&c->grid, NULL, 0, &c->sample_cells, &c->scratch, &diag), FRZ_OK);
    frz_cell_list_fill(&c->sample_cells, NULL, false);
}

static frz_status build(cloud *c, const options *o, int *culprit)
{
    const frz_pairs_input input = {
        .grid = &c->grid,
        .free_cells = &c->free_cells,
        .sample_cells = &c->sample_cells,
        .kernel = &c->kernel,
        .spacing = spacing,
        .particle_volume = c->volume,
        .position = c->position,
        .body = c->body,
        .inverse_density = c->inverse_density,
        .one_density = !o->two_densities,
    };
    frz_diag diag = {.status = FRZ_OK};
    return frz_pairs_build(&input, c->count, &c->pairs, c->compression, culprit, &diag);
}

static void begin(cloud *c, const options *o)
{
    memset(c, 0, sizeof *c);
    c->dimension = o->dimension;
    c->position = FRZ_ALLOC("test", most, frz_v4);
    c->body = FRZ_ALLOC("test", most, int32_t);
    c->compression = FRZ_ALLOC("test", most, frz_real);
    c->inverse_density = FRZ_ALLOC("test", most, frz_real);
    c->kernel = frz_kernel_make(o->kernel, 2.1 * spacing, o->dimension);
    c->volume = pow(spacing, o->dimension) / frz_kernel_lattice_sum(&c->kernel, spacing);
    const int side = o->dimension == 2 ? 24 : 9;
    const double min[3] = {0.0, o->periodic ? 0.0 : -spacing, 0.0},
                 max[3] = {side * spacing, side * spacing, side * spacing};
    const bool periodic[3] = {o->periodic, o->periodic, o->periodic};
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_grid_create(min, max, periodic, c->kernel.support, o->dimension, 1 << 20, &c->grid, &diag),
                     FRZ_OK);
}

static void end(cloud *c)
{
    frz_free(c->position);
    frz_free(c->body);
    frz_free(c->compression);
    frz_free(c->inverse_density);
    frz_pairs_destroy(&c->pairs);
    frz_cell_list_destroy(&c->free_cells);
    frz_cell_list_destroy(&c->sample_cells);
    frz_grid_destroy(&c->grid);
    frz_arena_destroy(&c->scratch);
}

static double difference(const cloud *c, frz_v4 a, frz_v4 b, double d[3])
{
    double r2 = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        d[k] = (double)a[k] - (double)b[k];
        if (c->grid.periodic[k])
            d[k] -= c->grid.period[k] * nearbyint(d[k] / c->grid.period[k]);
        r2 += d[k] * d[k];
    }
    return sqrt(r2);
}

// What the pass must give for one particle, in double.
typedef struct reference
{
    double compression, gradient_sum[3], square, virial, magnitude;
    int number, undecided;
} reference;

static void add_liquid(const cloud *c, int i, reference *ref)
{
    ref->compression = c->volume * frz_kernel_value(&c->kernel, 0.0);
    for (int j = 0; j < c->count; ++j)
    {
        double d[3];
        const double r = difference(c, c->position[i], c->position[j], d);
        if (j == i || r >= 1.0001 * c->kernel.support)
            continue;
        const double slope = spacing * c->volume * frz_kernel_slope(&c->kernel, r);
        ref->number += r < c->kernel.support;
        ref->undecided += fabs(r / c->kernel.support - 1.0) < 1e-4;
        ref->compression += c->volume * frz_kernel_value(&c->kernel, r);
        for (int a = 0; a < 3 && r > 0.0; ++a)
            ref->gradient_sum[a] += slope * d[a] / r;
        ref->square += slope * slope * (double)c->inverse_density[j];
        ref->virial -= slope * r / spacing / c->dimension;
        ref->magnitude += fabs(slope);
    }
}

static void check_near(double value, double expected, double allowed, const char *what, int i)
{
    if (!(fabs(value - expected) <= allowed))
        fail_msg("%s of particle %d: %.9g, expected %.9g within %.3g", what, i, value, expected, allowed);
}

static void check_particle(const cloud *c, int i, int64_t *liquid_pairs)
{
    reference ref = {.compression = 0.0};
    add_liquid(c, i, &ref);
    *liquid_pairs += ref.number;
    const frz_pairs *p = &c->pairs;
    const double allowed = (pair_rounding + rounding) * (1.0 + ref.magnitude);
    const double own = (double)c->inverse_density[i];
    double sum2 = 0.0;
    for (int a = 0; a < 3; ++a)
    {
        check_near((double)p->gradient_sum[i][a], ref.gradient_sum[a], allowed, "gradient sum", i);
        sum2 += ref.gradient_sum[a] * ref.gradient_sum[a];
    }
    check_near((double)c->compression[i], ref.compression, rounding * (1.0 + ref.compression), "compression", i);
    check_near((double)p->diagonal[i] / own, sum2 + ref.square / own, 4.0 * allowed * (1.0 + ref.magnitude), "diagonal",
               i);
    check_near((double)p->virial[i], ref.virial, allowed * (1.0 + ref.magnitude), "virial", i);
    assert_same(p->sample_flow[i], 0);
    int listed = 0;
    for (uint32_t k = p->begin[i]; k < p->end[i]; ++k)
        listed += p->blocks[i / FRZ_BLOCK].index[k] != (uint32_t)i;
    assert_less_equal(abs(listed - ref.number), ref.undecided);
}

// Every list: neighbours of the right distance, each once, then padding; sums made of the pairs as they are stored.
static void check_list(const cloud *c, int i, frz_v4 *row)
{
    const frz_pairs *p = &c->pairs;
    const frz_pair_block *block = &p->blocks[i / FRZ_BLOCK];
    double sum[3] = {0.0, 0.0, 0.0};
    assert_int_equal((p->end[i] - p->begin[i]) % 4, 0);
    memset(row, 0, (size_t)c->count * sizeof *row);
    for (uint32_t k = p->begin[i]; k < p->end[i]; ++k)
    {
        const int j = (int)block->index[k];
        const frz_v4 pair = frz_pair_load(&block->pair[k]);
        assert_in_range(j, 0, c->count - 1);
        if (j == i)
        {
            assert_same(pair[0], 0);
            assert_same(pair[1], 0);
            assert_same(pair[2], 0);
            assert_same(pair[3], 0);
            continue;
        }
        double d[3];
        const double r = difference(c, c->position[i], c->position[j], d);
        assert_less(r, 1.0001 * c->kernel.support);
        assert_same(row[j][0], 0);
        assert_same(row[j][1], 0);
        assert_same(row[j][3], 0);
        const double w = c->volume * frz_kernel_value(&c->kernel, r);
        const double slope = spacing * c->volume * frz_kernel_slope(&c->kernel, r) / r;
        check_near((double)pair[3], w, pair_rounding * w + rounding, "stored kernel", i);
        for (int a = 0; a < 3; ++a)
        {
            const double g = slope * d[a];
            check_near((double)pair[a], g, pair_rounding * fabs(g) + rounding, "stored gradient", i);
            sum[a] += (double)pair[a];
        }
        row[j] = pair;
    }
    for (int a = 0; a < 3; ++a)
        check_near((double)p->gradient_sum[i][a], sum[a], 0.1 * rounding, "sum of stored gradients", i);
}

static void check_antisymmetry(const cloud *c, const frz_v4 *matrix)
{
    const size_t n = (size_t)c->count;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < i; ++j)
        {
            const frz_v4 there = matrix[i * n + j], back = matrix[j * n + i];
            assert_same(there[0], -back[0]);
            assert_same(there[1], -back[1]);
            assert_same(there[2], -back[2]);
            assert_same(there[3], back[3]);
        }
}

static void check_cloud(const options *o)
{
    cloud c;
    begin(&c, o);
    fill_liquid(&c);
    sort(&c, o->two_densities);
    int culprit = -1;
    assert_int_equal(build(&c, o, &culprit), FRZ_OK);
    frz_v4 *matrix = FRZ_ALLOC("test", (size_t)c.count * (size_t)c.count, frz_v4);
    assert_non_null(matrix);
    int64_t liquid_pairs = 0;
    for (int i = 0; i < c.count; ++i)
    {
        check_particle(&c, i, &liquid_pairs);
        check_list(&c, i, matrix + (size_t)i * (size_t)c.count);
    }
    assert_less_equal(llabs(c.pairs.pair_count - liquid_pairs), 2);
    check_antisymmetry(&c, matrix);
    frz_free(matrix);
    end(&c);
}

static void every_kernel_gives_what_brute_force_gives(void **state)
{
    (void)state;
    for (int k = 0; k < FRZ_KERNEL_COUNT; ++k)
        for (int dimension = 2; dimension <= 3 && frz_kernels[k].for_density; ++dimension)
            check_cloud(&(options){.dimension = dimension, .kernel = (frz_kernel_id)k});
}

static void periodic_clouds_agree_with_brute_force(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
        check_cloud(&(options){.dimension = dimension, .periodic = true});
}

static void liquids_of_two_densities_agree_with_brute_force(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
        check_cloud(&(options){.dimension = dimension, .two_densities = true});
}

static void a_lattice_has_exactly_the_rest_density(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        const options o = {.dimension = dimension, .periodic = true};
        cloud c;
        begin(&c, &o);
        const int side = dimension == 2 ? 24 : 9;
        for (int n = 0; n < (dimension == 2 ? side * side : side * side * side); ++n)
        {
            const int y = n / side % side, z = n / side / side;
            c.position[c.count++] = frz_v4_set((frz_real)(spacing * (n % side + 0.5)), (frz_real)(spacing * (y + 0.5)),
                                               dimension == 3 ? (frz_real)(spacing * (z + 0.5)) : 0, 0);
        }
        sort(&c, o.two_densities);
        int culprit = -1;
        assert_int_equal(build(&c, &o, &culprit), FRZ_OK);
        for (int i = 0; i < c.count; ++i)
        {
            check_near((double)c.compression[i], 1.0, rounding, "compression", i);
            for (int a = 0; a < 3; ++a)
                check_near((double)c.pairs.gradient_sum[i][a], 0.0, rounding, "gradient sum", i);
        }
        end(&c);
    }
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t k = 0; k < size; ++k)
        hash = (hash ^ ((const unsigned char *)bytes)[k]) * 1099511628211u; // FNV-1a
    return hash;
}

static uint64_t hash_of(const cloud *c)
{
    const frz_pairs *p = &c->pairs;
    const size_t n = (size_t)c->count;
    uint64_t hash = hash_bytes(14695981039346656037u, c->compression, n * sizeof *c->compression);
    hash = hash_bytes(hash, p->begin, n * sizeof *p->begin);
    hash = hash_bytes(hash, p->end, n * sizeof *p->end);
    hash = hash_bytes(hash, p->gradient_sum, n * sizeof *p->gradient_sum);
    hash = hash_bytes(hash, p->virial, n * sizeof *p->virial);
    hash = hash_bytes(hash, p->diagonal, n * sizeof *p->diagonal);
    hash = hash_bytes(hash, p->sample_flow, n * sizeof *p->sample_flow);
    hash = hash_bytes(hash, &p->pair_count, sizeof p->pair_count);
    for (size_t i = 0; i < n; ++i)
    {
        const frz_pair_block *block = &p->blocks[i / FRZ_BLOCK];
        const size_t length = p->end[i] - p->begin[i];
        hash = hash_bytes(hash, block->index + p->begin[i], length * sizeof *block->index);
        hash = hash_bytes(hash, block->pair + p->begin[i], length * sizeof *block->pair);
    }
    return hash;
}

static void one_two_and_five_threads_give_the_same_bits(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 5};
    const int before = omp_get_max_threads();
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        const options o = {.dimension = dimension, .two_densities = true};
        uint64_t hash[3];
        for (int n = 0; n < 3; ++n)
        {
            cloud c;
            int culprit = -1;
            omp_set_num_threads(threads[n]);
            begin(&c, &o);
            fill_liquid(&c);
            sort(&c, o.two_densities);
            assert_int_equal(build(&c, &o, &culprit), FRZ_OK);
            hash[n] = hash_of(&c);
            end(&c);
        }
        assert_same(hash[0], hash[1]);
        assert_same(hash[0], hash[2]);
    }
    omp_set_num_threads(before);
}

static void a_second_build_allocates_nothing_and_gives_the_same(void **state)
{
    (void)state;
    const options o = {.dimension = 3};
    cloud c;
    int culprit = -1;
    begin(&c, &o);
    fill_liquid(&c);
    sort(&c, o.two_densities);
    assert_int_equal(build(&c, &o, &culprit), FRZ_OK);
    const uint64_t first = hash_of(&c);
    const int64_t count = frz_memory_allocation_count();
    assert_int_equal(build(&c, &o, &culprit), FRZ_OK);
    assert_int_equal(frz_memory_allocation_count(), count);
    assert_same(hash_of(&c), first);
    end(&c);
}

static void none_one_and_two_coincident_particles(void **state)
{
    (void)state;
    for (int count = 0; count <= 2; ++count)
    {
        const options o = {.dimension = 3};
        cloud c;
        int culprit = -1;
        begin(&c, &o);
        for (; c.count < count; ++c.count)
            c.position[c.count] = frz_v4_set((frz_real)0.2, (frz_real)0.2, (frz_real)0.2, 0);
        sort(&c, o.two_densities);
        assert_int_equal(build(&c, &o, &culprit), FRZ_OK);
        assert_int_equal(c.pairs.pair_count, count == 2 ? 2 : 0);
        const double centre = c.volume * frz_kernel_value(&c.kernel, 0.0);
        for (int i = 0; i < count; ++i)
        {
            check_near((double)c.compression[i], count * centre, rounding, "compression", i);
            for (int a = 0; a < 3; ++a)
                assert_same(c.pairs.gradient_sum[i][a], 0);
        }
        end(&c);
    }
}

static void the_first_crushed_particle_is_named(void **state)
{
    (void)state;
    const options o = {.dimension = 2};
    cloud c;
    begin(&c, &o);
    // a lonely particle that comes first in cell order, then a crowd over two blocks
    c.position[c.count++] = frz_v4_set((frz_real)0.01, (frz_real)0.01, 0, 0);
    for (int i = 0; i < 700; ++i)
        c.position[c.count++] = frz_v4_set((frz_real)0.7, (frz_real)0.7, 0, 0);
    sort(&c, o.two_densities);
    for (int threads = 1; threads <= 5; threads += 4)
    {
        int culprit = -1;
        omp_set_num_threads(threads);
        assert_int_equal(build(&c, &o, &culprit), FRZ_ERR_DIVERGED);
        assert_int_equal(culprit, 1);
    }
    omp_set_num_threads(1);
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_gives_what_brute_force_gives),
        cmocka_unit_test(periodic_clouds_agree_with_brute_force),
        cmocka_unit_test(liquids_of_two_densities_agree_with_brute_force),
        cmocka_unit_test(a_lattice_has_exactly_the_rest_density),
        cmocka_unit_test(one_two_and_five_threads_give_the_same_bits),
        cmocka_unit_test(a_second_build_allocates_nothing_and_gives_the_same),
        cmocka_unit_test(none_one_and_two_coincident_particles),
        cmocka_unit_test(the_first_crushed_particle_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
