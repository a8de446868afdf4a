// SPDX-License-Identifier: MIT
// Neighbour lists. Points are sorted by bucket of the hash grid; the points of a cell share the candidates around it.
#include "geom/point_lists.h"

#include <string.h>

#include "base/memory.h"

enum
{
    most_candidates = 2048, ///< points in a cell and those around it; there are 400 on a lattice in space
    alone = 8192,           ///< up to so many buckets (4096 points) one thread is enough
    spare = 8               ///< spare entries of a list, for points that come closer
};

/// Points in the cells around one, in the order of the lists.
typedef struct candidates
{
    int count;
    int index[most_candidates];
    double x[most_candidates], y[most_candidates], z[most_candidates];
} candidates;

frz_status frz_point_lists_create(frz_point_lists *lists, int count, double radius, frz_diag *diag)
{
    FRZ_TRY(frz_point_hash_create(&lists->hash, count, radius, diag));
    lists->entries = FRZ_ALLOC("neighbour lists of points", count + 1, frz_point_entry);
    lists->number = FRZ_ALLOC("neighbour lists of points", count + 1, int);
    lists->stale = FRZ_ALLOC("neighbour lists of points", lists->hash.mask + 1, uint8_t);
    if (lists->entries == NULL || lists->number == NULL || lists->stale == NULL)
        return frz_fail_memory(diag, "the neighbour lists of points");
    return FRZ_OK;
}

void frz_point_lists_destroy(frz_point_lists *lists)
{
    frz_point_hash_destroy(&lists->hash);
    FRZ_FREE(lists->entries);
    FRZ_FREE(lists->number);
    FRZ_FREE(lists->stale);
    FRZ_FREE(lists->list);
}

/// Where the entries of a bucket end.
static int end_of(const frz_point_lists *lists, uint64_t bucket, int count)
{
    return bucket < lists->hash.mask ? lists->hash.heads[bucket + 1] : count;
}

/// Entries by bucket: a counting sort.
static void sort_entries(frz_point_lists *lists, const frz_vec3 *points, int count)
{
    int *heads = lists->hash.heads;
    memset(heads, 0, (size_t)(lists->hash.mask + 1) * sizeof *heads);
    for (int i = 0; i < count; ++i)
        heads[frz_point_hash_bucket(&lists->hash, points[i], (int64_t[3]){0})] += 1;
    int sum = 0;
    for (uint64_t b = 0; b <= lists->hash.mask; ++b)
        heads[b] = sum += heads[b]; // where a bucket ends; filling it takes this back to where it begins
    for (int i = 0; i < count; ++i)
    {
        frz_point_entry entry = {.point = points[i], .index = i};
        const uint64_t bucket = frz_point_hash_bucket(&lists->hash, points[i], entry.cell);
        lists->entries[--heads[bucket]] = entry;
    }
}

static bool same_cell(const int64_t a[3], const int64_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static void add_cell(const frz_point_lists *lists, int count, const int64_t cell[3], candidates *near)
{
    const uint64_t bucket = frz_point_hash_bucket_of(&lists->hash, cell);
    const int end = end_of(lists, bucket, count);
    for (int e = lists->hash.heads[bucket]; e < end && near->count < most_candidates; ++e)
    {
        const frz_point_entry *entry = &lists->entries[e];
        if (!same_cell(entry->cell, cell))
            continue;
        near->index[near->count] = entry->index;
        near->x[near->count] = entry->point.x;
        near->y[near->count] = entry->point.y;
        near->z[near->count] = entry->point.z;
        near->count += 1;
    }
}

static void find_candidates(const frz_point_lists *lists, int count, const int64_t center[3], candidates *near)
{
    near->count = 0;
    for (int64_t z = center[2] - 1; z <= center[2] + 1; ++z)
        for (int64_t y = center[1] - 1; y <= center[1] + 1; ++y)
            for (int64_t x = center[0] - 1; x <= center[0] + 1; ++x)
                add_cell(lists, count, (int64_t[3]){x, y, z}, near);
}

/// Which candidates are closer than the radius, one byte each, padded to words; how many, the point itself too.
static int find_close(const candidates *near, frz_vec3 p, double radius, uint8_t *close)
{
    const double square = radius * radius;
    int count = 0;
    for (int c = 0; c < near->count; ++c)
    {
        const double x = near->x[c] - p.x, y = near->y[c] - p.y, z = near->z[c] - p.z;
        close[c] = x * x + y * y + z * z < square;
        count += close[c];
    }
    memset(close + near->count, 0, sizeof(uint64_t));
    return count;
}

/// The candidates that are close, without the point itself, at most limit of them.
static void take_close(const candidates *near, const uint8_t *close, int self, int limit, int *list)
{
    int kept = 0;
    for (int c = 0; c < near->count; c += (int)sizeof(uint64_t))
    {
        uint64_t word;
        memcpy(&word, close + c, sizeof word);
        for (; word != 0 && kept < limit; word &= word - 1)
        {
            const int index = near->index[c + __builtin_ctzll(word) / 8];
            list[kept] = index;
            kept += index != self;
        }
    }
}

/// List the neighbours of the points of one cell, whose first entry is given, up to the capacity. Returns the largest
/// number of neighbours.
static int do_cell(const frz_point_lists *lists, int count, const int *rank, int first, int end, int limit)
{
    candidates near;
    uint8_t close[most_candidates + sizeof(uint64_t)];
    const int64_t *cell = lists->entries[first].cell;
    int most = 0;
    near.count = 0;
    for (int e = first; e < end; ++e)
    {
        const frz_point_entry *entry = &lists->entries[e];
        const int m = rank[entry->index];
        if (m < 0 || !same_cell(entry->cell, cell))
            continue;
        if (near.count == 0)
            find_candidates(lists, count, cell, &near);
        const int others = find_close(&near, entry->point, lists->hash.cell, close) - 1;
        const int number = others < limit ? others : limit;
        most = number > most ? number : most;
        lists->number[m] = number;
        if (number <= lists->stride)
            take_close(&near, close, entry->index, number, lists->list + m * lists->stride);
    }
    return most;
}

/// List all neighbours; the largest number of a point.
static int do_cells(const frz_point_lists *lists, int count, const int *rank, int limit)
{
    const int64_t buckets = (int64_t)lists->hash.mask + 1;
    int most = 0;
#pragma omp parallel for schedule(dynamic, 1024) if (buckets > alone) reduction(max : most)
    for (int64_t b = 0; b < buckets; ++b)
    {
        if (!lists->stale[b])
            continue;
        const int begin = lists->hash.heads[b], end = end_of(lists, (uint64_t)b, count);
        for (int e = begin; e < end; ++e)
        {
            int first = begin; // the first entry of this cell processes all of its points
            while (!same_cell(lists->entries[first].cell, lists->entries[e].cell))
                ++first;
            const int number = first == e ? do_cell(lists, count, rank, e, end, limit) : 0;
            most = number > most ? number : most;
        }
    }
    return most;
}

/// Buckets of the cells around points that have moved; without moved all are stale.
static void mark_stale(frz_point_lists *lists, int count, const uint8_t *moved)
{
    memset(lists->stale, moved == NULL || lists->list == NULL, (size_t)(lists->hash.mask + 1));
    for (int e = 0; e < count && moved != NULL; ++e)
    {
        const int64_t *cell = lists->entries[e].cell;
        if (!moved[lists->entries[e].index])
            continue;
        for (int k = 0; k < 27; ++k)
        {
            const int64_t near[3] = {cell[0] + k % 3 - 1, cell[1] + k / 3 % 3 - 1, cell[2] + k / 9 - 1};
            lists->stale[frz_point_hash_bucket_of(&lists->hash, near)] = 1;
        }
    }
}

frz_status frz_point_lists_make(frz_point_lists *lists, const frz_vec3 *points, int count, const int *rank, int chosen,
                                int limit, const uint8_t *moved, frz_diag *diag)
{
    sort_entries(lists, points, count);
    mark_stale(lists, count, moved);
    for (int most; (most = do_cells(lists, count, rank, limit)) > lists->stride;)
    {
        FRZ_FREE(lists->list);
        lists->stride = most + spare;
        lists->list = FRZ_ALLOC("neighbour lists of points", chosen * lists->stride, int);
        if (lists->list == NULL)
            return frz_fail_memory(diag, "the neighbour lists of points");
        mark_stale(lists, count, NULL); // the old lists are lost
    }
    return FRZ_OK;
}
