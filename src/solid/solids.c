// SPDX-License-Identifier: MIT
// Solid particles by their own numbers: reference positions and present slots.
#include "solid/solids.h"

#include <math.h>
#include <stdlib.h>

#include "base/blocks.h"
#include "space/search.h"

// where searches find nothing, m; its square is still a number
static const frz_real nowhere = (frz_real)1e15;

void frz_solids_destroy(frz_solids *solids)
{
    frz_free(solids->reach);
    frz_free(solids->body_phase);
    frz_free(solids->body_material);
    frz_free(solids->object);
    frz_free(solids->standing);
    frz_free(solids->slot);
    frz_free(solids->reference_by_slot);
    frz_free(solids->group);
    frz_free(solids->body);
    frz_free(solids->reference);
    frz_free(solids->isolated);
    frz_free(solids->isolated_at);
    frz_free(solids->rest_compression);
    frz_free(solids->core);
    frz_free(solids->thin);
    frz_free(solids->piece);
    frz_free(solids->attached_body);
    frz_free(solids->apart_begin);
    frz_free(solids->apart);
    frz_free(solids->near_begin);
    frz_free(solids->near);
    *solids = (frz_solids){0};
}

frz_status frz_solids_reserve_bodies(frz_solids *solids, int body_count, frz_diag *diag)
{
    if (solids->reach != NULL && solids->body_count >= body_count)
        return FRZ_OK;
    const size_t rows = (size_t)body_count + 1;
    double *reach = frz_realloc("solids", solids->reach, rows, sizeof *reach);
    solids->reach = reach != NULL ? reach : solids->reach;
    uint8_t *phase = frz_realloc("solids", solids->body_phase, rows, sizeof *phase);
    solids->body_phase = phase != NULL ? phase : solids->body_phase;
    uint8_t *material = frz_realloc("solids", solids->body_material, rows, sizeof *material);
    solids->body_material = material != NULL ? material : solids->body_material;
    int32_t *object = frz_realloc("solids", solids->object, rows, sizeof *object);
    solids->object = object != NULL ? object : solids->object;
    if (reach == NULL || phase == NULL || material == NULL || object == NULL)
        return frz_fail_memory(diag, "the solid bodies");
    for (int b = solids->body_count; b < body_count; ++b)
        object[b] = b;
    solids->body_count = body_count; // new rows are zero, and FRZ_PHASE_LIQUID is
    return FRZ_OK;
}

frz_status frz_solids_allocate(frz_solids *solids, int count, frz_diag *diag)
{
    solids->count = count;
    solids->slot = FRZ_ALLOC("solids", count + 1, int32_t);
    solids->body = FRZ_ALLOC("solids", count + 1, int32_t);
    solids->reference = FRZ_ALLOC("solids", count + 1, frz_v4);
    solids->rest_compression = FRZ_ALLOC("solids", count + 1, frz_real);
    solids->core = FRZ_ALLOC("solids", count + 1, bool);
    solids->thin = FRZ_ALLOC("solids", count + 1, bool);
    solids->isolated = FRZ_ALLOC("solids", count + 1, bool);
    solids->isolated_at = FRZ_ALLOC("solids", count + 1, frz_v4);
    solids->piece = FRZ_ALLOC("solids", count + 1, int32_t);
    if (solids->piece == NULL || solids->core == NULL || solids->thin == NULL || solids->slot == NULL ||
        solids->body == NULL || solids->reference == NULL || solids->rest_compression == NULL ||
        solids->isolated == NULL || solids->isolated_at == NULL)
        return frz_fail_memory(diag, "the solid bodies");
    return FRZ_OK;
}

// A solid particle that wants a number.
typedef struct candidate
{
    int32_t body, slot;
    int64_t id;
} candidate;

static int by_body_and_id(const void *a, const void *b)
{
    const candidate *p = a, *q = b;
    if (p->body != q->body)
        return p->body < q->body ? -1 : 1;
    return p->id < q->id ? -1 : p->id > q->id;
}

frz_status frz_solids_number(frz_solids *solids, frz_particles *particles, int field, frz_diag *diag)
{
    int32_t *number = frz_field_i32(particles, field);
    const int32_t *body = frz_field_i32(particles, FRZ_FIELD_ID_body);
    const int64_t *id = frz_field_i64(particles, FRZ_FIELD_ID_id);
    const uint8_t *phase = frz_particles_phase(particles), *material = frz_particles_material(particles);
    const int free = particles->count[FRZ_ROLE_FREE];
    int count = 0;
    for (int i = 0; i < free; ++i)
        count += frz_phase_is_solid(phase[i]);
    candidate *all = FRZ_ALLOC("solids", count + 1, candidate);
    frz_status status =
        all != NULL ? frz_solids_allocate(solids, count, diag) : frz_fail_memory(diag, "the solid bodies");
    int n = 0;
    for (int i = 0; i < free && status == FRZ_OK; ++i)
    {
        number[i] = -1;
        if (frz_phase_is_solid(phase[i]))
            all[n++] = (candidate){body[i], i, id[i]};
    }
    if (n > 0)
        qsort(all, (size_t)n, sizeof *all, by_body_and_id);
    for (int e = 0; e < n; ++e)
    {
        const int b = all[e].body, i = all[e].slot;
        FRZ_ASSERT(b >= 0 && b < solids->body_count);
        number[i] = e;
        solids->body[e] = b;
        solids->body_phase[b] = phase[i];
        solids->body_material[b] = material[i];
        if (phase[i] == FRZ_PHASE_RIGID)
            solids->reach[b] = HUGE_VAL; // a rigid body does not touch itself
    }
    frz_free(all);
    return status;
}

static frz_status make_room(frz_solids *solids, int slots, frz_diag *diag)
{
    if (solids->group != NULL && solids->slot_capacity >= slots)
        return FRZ_OK;
    FRZ_FREE(solids->reference_by_slot);
    FRZ_FREE(solids->group);
    solids->reference_by_slot = FRZ_ALLOC("solids", slots + 1, frz_v4);
    solids->group = FRZ_ALLOC("solids", slots + 1, int32_t);
    if (solids->reference_by_slot == NULL || solids->group == NULL)
        return frz_fail_memory(diag, "the solid bodies");
    solids->slot_capacity = slots;
    return FRZ_OK;
}

frz_status frz_solids_locate(frz_solids *solids, frz_particles *particles, int field, frz_diag *diag)
{
    if (solids->count > 0)
        FRZ_TRY(make_room(solids, particles->capacity[FRZ_ROLE_FREE], diag));
    int32_t *number = frz_field_i32(particles, field);
    const uint8_t *phase = frz_particles_phase(particles);
    for (int e = 0; e < solids->count; ++e)
        solids->slot[e] = -1;
    solids->present = 0;
    solids->index_of_slot = number;
    for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
    {
        if (!frz_phase_is_solid(phase[i]))
        {
            number[i] = -1;
            continue;
        }
        const int e = number[i];
        if (e < 0 || e >= solids->count || solids->slot[e] >= 0)
            return frz_fail(diag, FRZ_ERR_FILE,
                            "particle %lld has the number %d among %d solid particles, which %s; the checkpoint is "
                            "damaged, run the scene anew",
                            (long long)frz_field_i64(particles, FRZ_FIELD_ID_id)[i], e, solids->count,
                            e < 0 || e >= solids->count ? "is none of theirs" : "another one has");
        solids->slot[e] = i;
        solids->present += 1;
    }
    return FRZ_OK;
}

// The bodies at their present positions, with cells for searches.
typedef struct standing
{
    const frz_solid_space *space;
    const frz_particles *particles;
    const frz_grid *grid;
    const frz_cell_list *cells;
    const frz_solids *solids;
} standing;

// The neighbours of free particle i, where they are now.
static int neighbors_of(const standing *s, int i, frz_found *found)
{
    const frz_v4 *position = frz_field_v4(s->particles, FRZ_FIELD_ID_position);
    const frz_real at[3] = {position[i][0], position[i][1], position[i][2]};
    frz_cell_run runs[FRZ_RUN_MAX];
    const int run_count = frz_cell_runs(s->grid, s->cells, frz_grid_coordinate(s->grid, 0, (double)at[0]),
                                        frz_grid_coordinate(s->grid, 1, (double)at[1]),
                                        frz_grid_coordinate(s->grid, 2, (double)at[2]), runs);
    return frz_search(s->cells, runs, run_count, at, (frz_real)s->space->support, i, found);
}

static double distance_to(const frz_found *found, int k)
{
    const double dx = (double)found->dx[k], dy = (double)found->dy[k], dz = (double)found->dz[k];
    return sqrt(dx * dx + dy * dy + dz * dz);
}

// Compression of a particle by those of its own body. High values at dense parts of a body are no contact.
static frz_real own_fill(const standing *s, int i)
{
    const int32_t *body = frz_field_i32(s->particles, FRZ_FIELD_ID_body);
    frz_found found;
    const int near = neighbors_of(s, i, &found);
    double sum = frz_kernel_value(s->space->kernel, 0.0);
    for (int k = 0; k < near; ++k)
        if (body[frz_lane_index(found.lane[k])] == body[i])
            sum += frz_kernel_value(s->space->kernel, distance_to(&found, k));
    return (frz_real)fmin(s->space->particle_volume * sum, 1.0);
}

frz_real frz_solids_flat_compression(const frz_solid_space *space)
{
    const int reach = (int)ceil(space->support / space->spacing), depth = space->dimension == 3 ? reach : 0;
    double sum = 0.0;
    for (int z = -depth; z <= depth; ++z)
        for (int y = -reach; y <= 0; ++y)
            for (int x = -reach; x <= reach; ++x)
                sum += frz_kernel_value(space->kernel, space->spacing * sqrt((double)(x * x + y * y + z * z)));
    return (frz_real)(space->particle_volume * sum);
}

static bool is_thin(const standing *s, int e)
{
    const frz_solids *solids = s->solids;
    frz_found found;
    const int near = neighbors_of(s, solids->slot[e], &found);
    bool thin = !frz_solids_is_full(solids, solids->rest_compression[e]);
    for (int k = 0; k < near && thin; ++k)
    {
        const int other = solids->index_of_slot[frz_lane_index(found.lane[k])];
        thin = other < 0 || solids->body[other] != solids->body[e] ||
               !frz_solids_is_full(solids, solids->rest_compression[other]);
    }
    return thin;
}

static bool is_core(const standing *s, int e)
{
    const frz_solids *solids = s->solids;
    frz_found found;
    const int near = neighbors_of(s, solids->slot[e], &found);
    bool core = solids->rest_compression[e] >= FRZ_SURFACE_COMPRESSION;
    for (int k = 0; k < near && core; ++k)
    {
        const int other = solids->index_of_slot[frz_lane_index(found.lane[k])];
        const bool deep = other >= 0 && solids->body[other] == solids->body[e] &&
                          solids->rest_compression[other] >= FRZ_SURFACE_COMPRESSION;
        core = deep || distance_to(&found, k) > FRZ_SKIN_DEPTH * s->space->spacing;
    }
    return core;
}

void frz_solids_remember(frz_solids *solids, const frz_solid_space *space, const frz_particles *particles,
                         const frz_grid *grid, const frz_cell_list *cells)
{
    const standing s = {space, particles, grid, cells, solids};
    const frz_v4 *position = frz_field_v4(particles, FRZ_FIELD_ID_position);
    solids->flat_compression = frz_solids_flat_compression(space);
#pragma omp parallel for schedule(static)
    for (int e = 0; e < solids->count; ++e)
    {
        solids->reference[e] = position[solids->slot[e]];
        solids->rest_compression[e] = own_fill(&s, solids->slot[e]);
    }
#pragma omp parallel for schedule(static)
    for (int e = 0; e < solids->count; ++e)
    {
        solids->core[e] = is_core(&s, e);
        solids->thin[e] = is_thin(&s, e);
    }
}

static void fill_exclusion(frz_solids *solids)
{
    solids->exclusion = (frz_exclusion){
        .reach = solids->reach,
        .index_of_slot = solids->index_of_slot,
        .reference_by_slot = solids->reference_by_slot,
        .group = solids->group,
        .core = solids->core,
        .isolated = solids->isolated,
        .isolated_known = solids->isolated_known,
        .rest_compression = solids->rest_compression,
        .thin = solids->thin,
        .flat_compression = solids->flat_compression,
        .attached_body = solids->attached_body,
        .cracked = solids->cracked,
        .apart_begin = solids->apart_begin,
        .apart = solids->apart,
        .near_begin = solids->near_begin,
        .near = solids->near,
    };
}

void frz_solids_show(frz_solids *solids, int count, frz_cell_list *cells)
{
    fill_exclusion(solids);
#pragma omp parallel for schedule(static) if (count >= frz_parallel_some)
    for (int i = 0; i < count; ++i)
    {
        const int e = solids->index_of_slot[i];
        solids->group[i] = e < 0 ? -1 : solids->cracked ? solids->piece[e] : solids->object[solids->body[e]];
        solids->reference_by_slot[i] = e < 0 ? frz_v4_zero() : solids->reference[e];
        if (e >= 0 && solids->core[e])
            cells->x[i] = nowhere;
        if (e >= 0)
            solids->reference_by_slot[i][3] = solids->body_phase[solids->body[e]] == FRZ_PHASE_RIGID ? 1 : 0;
    }
}

frz_status frz_solids_bond(const frz_solids *solids, const frz_solid_space *space, frz_bonds *bonds, frz_diag *diag)
{
    frz_bonds_input input = {
        .count = solids->count,
        .reference = solids->reference,
        .body = solids->body,
        .body_count = solids->body_count,
        .kernel = space->bond_kernel,
        .spacing = space->spacing,
    };
    for (int a = 0; a < 3; ++a)
    {
        input.periodic[a] = space->periodic[a];
        input.domain_min[a] = space->domain_min[a];
        input.domain_max[a] = space->domain_max[a];
    }
    return frz_bonds_build(&input, bonds, diag);
}

void frz_solids_detach_lost(frz_solids *solids, frz_bonds *bonds)
{
    if (solids->present == solids->count)
        return;
    for (int e = 0; e < solids->count; ++e)
        if (solids->slot[e] < 0 && bonds->rank[e] > 0)
        {
            frz_bonds_detach(bonds, e);
            solids->stale = solids->cracked;
        }
}
