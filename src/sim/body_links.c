// SPDX-License-Identifier: MIT
#include "sim/body_links.h"

#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "base/memory.h"
#include "sim/boundary.h"
#include "sim/neighborhood.h"
#include "sim/bodies.h"
#include "sim/state.h"

// Input of the list's construction.
typedef struct maker
{
    const frz_state *state;
    const frz_sample_pairs *walls;
    const int32_t *body; // of the samples
    const bool *yields;  // by body
    frz_real spacing;    // m
    frz_sample_law law;
} maker;

void frz_body_links_destroy(frz_body_links *links)
{
    FRZ_FREE(links->link);
    FRZ_FREE(links->begin);
    FRZ_FREE(links->order);
    FRZ_FREE(links->piece);
    FRZ_FREE(links->entry_count);
    FRZ_FREE(links->piece_begin);
    memset(links, 0, sizeof *links);
}

static bool is_new(const maker *m, int64_t first, int64_t k)
{
    const int own = m->body[m->walls->pair[k].slot];
    for (int64_t n = first; n < k; ++n)
        if (m->body[m->walls->pair[n].slot] == own)
            return false;
    return true;
}

// Bodies near particle i that yield.
static int count_bodies(const maker *m, int i)
{
    const int64_t first = m->walls->begin[i], end = m->walls->begin[i + 1];
    int count = 0;
    for (int64_t k = first; k < end; ++k)
        if (m->yields[m->body[m->walls->pair[k].slot]] && is_new(m, first, k))
            ++count;
    return count;
}

static frz_v4 arm_of(const maker *m, int body, uint32_t slot)
{
    const frz_vec3 arm = frz_rigid_body_arm(&m->state->bodies.rigid[body], m->state->samples.local[slot]);
    return (1 / m->spacing) * frz_v4_of(arm);
}

static void fill(const maker *m, int i, frz_body_link *out)
{
    const int64_t first = m->walls->begin[i], end = m->walls->begin[i + 1];
    const frz_sample_pair *pair = m->walls->pair;
    frz_sample_sums sums = {{frz_v4_zero(), frz_v4_zero(), frz_v4_zero()}, 0};
    for (int64_t k = first; k < end; ++k)
        frz_sample_sums_add(&sums, pair[k].difference[3], m->state->samples.normal[pair[k].slot]);
    const frz_real own = m->state->neighbors.pairs.mirror_own[i], plain = frz_sample_law_plain(&m->law, own);
    const frz_real steepness = frz_sample_law_steepness(&m->law, &sums, own);
    int count = 0;
    for (int64_t k = first; k < end; ++k)
    {
        const int body = m->body[pair[k].slot];
        if (!m->yields[body])
            continue;
        int at = 0;
        while (at < count && out[at].body != body)
            ++at;
        if (at == count)
        {
            // by way of the sample, which is correct across a periodic seam
            const frz_v4 away = frz_v4_xyz((1 / m->spacing) * pair[k].difference);
            out[count++] = (frz_body_link){frz_v4_zero(), away + arm_of(m, body, pair[k].slot), i, body};
        }
        const frz_real steep = frz_sample_law_slope(&sums, steepness, m->state->samples.normal[pair[k].slot]);
        out[at].gradient += (m->spacing * (steep + plain)) * pair[k].gradient;
    }
}

static frz_status reserve(frz_body_links *links, int particles, int bodies, frz_diag *diag)
{
    if (links->begin == NULL || links->particle_capacity < particles)
    {
        FRZ_FREE(links->begin);
        links->particle_capacity = particles + particles / 4;
        links->begin = FRZ_ALLOC("links", links->particle_capacity + 1, int32_t);
    }
    if (links->entry_count == NULL || links->body_capacity < bodies)
    {
        FRZ_FREE(links->entry_count);
        FRZ_FREE(links->piece_begin);
        links->body_capacity = bodies;
        links->entry_count = FRZ_ALLOC("links", bodies + 1, int32_t);
        links->piece_begin = FRZ_ALLOC("links", bodies + 1, int32_t);
    }
    return links->begin != NULL && links->entry_count != NULL && links->piece_begin != NULL
               ? FRZ_OK
               : frz_fail_memory(diag, "the coupling of bodies");
}

static frz_status reserve_links(frz_body_links *links, int count, frz_diag *diag)
{
    if (links->link == NULL || links->capacity < count)
    {
        FRZ_FREE(links->link);
        FRZ_FREE(links->order);
        FRZ_FREE(links->piece);
        links->capacity = count + count / 2 + FRZ_BLOCK; // a number that grows once will grow again
        links->link = FRZ_ALLOC("links", links->capacity + 1, frz_body_link);
        links->order = FRZ_ALLOC("links", links->capacity + 1, int32_t);
        links->piece = FRZ_ALLOC("links", links->capacity + 1, frz_link_piece);
    }
    return links->link != NULL && links->order != NULL && links->piece != NULL
               ? FRZ_OK
               : frz_fail_memory(diag, "the coupling of bodies");
}

// Whether two entries of a body belong to one piece.
static bool share_piece(const frz_body_links *links, int n, int m)
{
    return (n < links->particle_links) == (m < links->particle_links) &&
           links->link[n].source / FRZ_BLOCK == links->link[m].source / FRZ_BLOCK;
}

// Entries by body.
static void sort_by_body(frz_body_links *links, int bodies)
{
    memset(links->entry_count, 0, (size_t)(bodies + 1) * sizeof *links->entry_count);
    for (int n = 0; n < links->count; ++n)
        links->entry_count[links->link[n].body] += 1;
    int start = 0;
    for (int b = 0; b < bodies; ++b)
    {
        const int end = start + links->entry_count[b];
        links->entry_count[b] = start;
        start = end;
    }
    for (int n = 0; n < links->count; ++n)
        links->order[links->entry_count[links->link[n].body]++] = n;
    for (int b = bodies - 1; b > 0; --b)
        links->entry_count[b] -= links->entry_count[b - 1];
}

static void cut_into_pieces(frz_body_links *links, int bodies)
{
    links->piece_count = 0;
    int at = 0;
    for (int b = 0; b < bodies; ++b)
    {
        const int end = at + links->entry_count[b];
        links->piece_begin[b] = links->piece_count;
        while (at < end)
        {
            frz_link_piece *piece = &links->piece[links->piece_count++];
            *piece = (frz_link_piece){b, at, at + 1};
            while (piece->end < end && share_piece(links, links->order[at], links->order[piece->end]))
                piece->end += 1;
            at = piece->end;
        }
    }
    links->piece_begin[bodies] = links->piece_count;
}

// H_b of the samples of bodies that yield, if walls have pressures.
static void add_samples(const frz_model *model, const maker *m, frz_body_links *links)
{
    for (int b = 0; b < model->body_count; ++b)
        for (int k = 0; m->yields[b] && k < (int)model->bodies[b].sample_count; ++k)
        {
            const int slot = model->bodies[b].first_sample + k;
            links->link[links->count++] = (frz_body_link){frz_v4_zero(), arm_of(m, b, (uint32_t)slot), slot, b};
        }
    // samples of a body follow each other, and bodies come in order: where a sample's entry is follows from that
    for (int i = 0; i < m->state->neighbors.pairs.count; ++i)
        for (int64_t k = m->walls->begin[i]; k < m->walls->begin[i + 1]; ++k)
        {
            const int slot = (int)m->walls->pair[k].slot, body = m->body[slot];
            if (m->yields[body])
                links->link[links->entry_count[body] + slot - model->bodies[body].first_sample].gradient +=
                    (m->spacing * (frz_real)m->law.plain) * m->walls->pair[k].gradient;
        }
}

// number[b]: first entry of the body's samples; returns how many there are in all.
static int place_samples(const frz_model *model, const bool *yields, frz_body_links *links)
{
    int total = 0;
    for (int b = 0; b < model->body_count; ++b) // bodies created during the run have no samples
    {
        links->entry_count[b] = links->particle_links + total;
        total += yields[b] ? (int)model->bodies[b].sample_count : 0;
    }
    return total;
}

static frz_status make_links(const frz_model *model, const maker *m, frz_body_links *links, frz_diag *diag)
{
    const int particles = m->state->neighbors.pairs.count;
    FRZ_TRY(reserve(links, particles, m->state->bodies.count, diag));
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < particles; ++i)
        links->begin[i] = m->state->neighbors.pairs.sample_count[i] > 0 ? count_bodies(m, i) : 0;
    int total = 0;
    for (int i = 0; i < particles; ++i)
    {
        const int number = links->begin[i];
        links->begin[i] = total;
        total += number;
    }
    links->begin[particles] = total;
    links->particle_links = total;
    const bool own = m->law.plain > 0.0;
    const int samples = own ? place_samples(model, m->yields, links) : 0;
    FRZ_TRY(reserve_links(links, total + samples, diag));
    links->count = total;
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < particles; ++i)
        if (links->begin[i] < links->begin[i + 1])
            fill(m, i, links->link + links->begin[i]);
    if (own)
        add_samples(model, m, links);
    sort_by_body(links, m->state->bodies.count);
    cut_into_pieces(links, m->state->bodies.count);
    return FRZ_OK;
}

frz_status frz_state_body_links(const frz_model *model, frz_state *state, frz_diag *diag)
{
    frz_body_links *links = &state->links;
    links->count = links->particle_links = links->piece_count = 0;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    bool *yields = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, bool);
    if (yields == NULL)
        return frz_fail_memory(diag, "the coupling of bodies");
    bool any = false;
    for (int b = 0; b < state->bodies.count; ++b)
    {
        yields[b] = frz_body_is(state, b, FRZ_BODY_RIGID) && frz_rigid_body_yields(&state->bodies.rigid[b]);
        any = any || yields[b];
    }
    frz_status status = FRZ_OK;
    if (any)
        status = frz_state_sample_pairs(model, state, diag);
    if (any && status == FRZ_OK)
    {
        const maker m = {.state = state,
                         .walls = &state->neighbors.sample_pairs,
                         .body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body) +
                                 state->particles.first[FRZ_ROLE_SAMPLE],
                         .yields = yields,
                         .spacing = (frz_real)model->spacing,
                         .law = frz_boundary_law(model)};
        status = make_links(model, &m, links, diag);
    }
    frz_arena_release(&state->scratch, mark);
    return status;
}

// Force and torque on a body.
typedef struct body_push
{
    frz_vec3 force, torque;
} body_push;

static body_push push_of_piece(const frz_state *state, const frz_link_piece *piece, frz_sample_push_fn *push,
                               const void *user)
{
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body) + state->particles.first[FRZ_ROLE_SAMPLE];
    const frz_sample_pairs *walls = &state->neighbors.sample_pairs;
    body_push sum = {frz_v3(0.0, 0.0, 0.0), frz_v3(0.0, 0.0, 0.0)};
    for (int n = piece->begin; n < piece->end; ++n)
    {
        const int entry = state->links.order[n], i = state->links.link[entry].source;
        if (entry >= state->links.particle_links) // of a sample
            continue;
        for (int64_t k = walls->begin[i]; k < walls->begin[i + 1]; ++k)
        {
            const uint32_t sample = walls->pair[k].slot;
            if (body[sample] != piece->body)
                continue;
            frz_v4 force, away;
            push(user, i, k, &force, &away);
            const frz_vec3 f = frz_v3_of(force);
            const frz_vec3 at = frz_rigid_body_arm(&state->bodies.rigid[piece->body], state->samples.local[sample]);
            sum.force = frz_v3_add(sum.force, f);
            sum.torque = frz_v3_add(sum.torque, frz_v3_cross(frz_v3_add(at, frz_v3_of(away)), f));
        }
    }
    return sum;
}

frz_v4 frz_sample_velocity_at(const frz_state *state, uint32_t sample, frz_v4 away)
{
    const int slot = state->particles.first[FRZ_ROLE_SAMPLE] + (int)sample;
    const int32_t body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body)[slot];
    const frz_v4 velocity = frz_v4_xyz(frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity)[slot]);
    const frz_vec3 turn = frz_v3_cross(state->bodies.rigid[body].spin, frz_v3_of(away));
    return velocity + frz_v4_of(turn);
}

frz_v4 frz_sample_slip(const frz_state *state, int i, int64_t k)
{
    const frz_sample_pair *pair = &state->neighbors.sample_pairs.pair[k];
    return frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity)[i] -
           frz_sample_velocity_at(state, pair->slot, pair->difference);
}

bool frz_body_links_wanted(const frz_state *state)
{
    return state->links.count > 0 || state->any_motion;
}

// Power of walls that are moved, by the forces of the particles of a block on their samples.
static double power_of_block(const frz_state *state, int block, frz_sample_push_fn *push, const void *user)
{
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body) + state->particles.first[FRZ_ROLE_SAMPLE];
    const frz_sample_pairs *walls = &state->neighbors.sample_pairs;
    double power = 0.0;
    for (int i = block * FRZ_BLOCK; i < frz_block_end(block, state->neighbors.pairs.count); ++i)
        for (int64_t k = walls->begin[i]; k < walls->begin[i + 1]; ++k)
        {
            const uint32_t sample = walls->pair[k].slot;
            const int b = body[sample];
            if (frz_body_is(state, b, FRZ_BODY_RIGID) && frz_rigid_body_yields(&state->bodies.rigid[b]))
                continue;
            frz_v4 force, away;
            push(user, i, k, &force, &away);
            power -= (double)frz_v4_dot3(force, frz_sample_velocity_at(state, sample, away));
        }
    return power;
}

static frz_status add_wall_work(frz_state *state, frz_sample_push_fn *push, const void *user, double dt, frz_diag *diag)
{
    const int blocks = frz_block_count(state->neighbors.pairs.count);
    double *power = FRZ_SCRATCH(&state->scratch, blocks + 1, double);
    if (power == NULL)
        return frz_fail_memory(diag, "the work of walls");
#pragma omp parallel for schedule(dynamic, 4) if (blocks > 1)
    for (int b = 0; b < blocks; ++b)
        power[b] = power_of_block(state, b, push, user);
    state->stats.work += dt * frz_exact_sum(power, sizeof *power, blocks);
    return FRZ_OK;
}

frz_status frz_body_links_push(const frz_model *model, frz_state *state, frz_sample_push_fn *push, const void *user,
                               double dt, frz_diag *diag)
{
    const frz_body_links *links = &state->links;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    body_push *piece = FRZ_SCRATCH(&state->scratch, links->piece_count + 1, body_push);
    if (piece == NULL)
        return frz_fail_memory(diag, "the forces on bodies");
    if (state->any_motion)
        FRZ_TRY(add_wall_work(state, push, user, dt, diag));
#pragma omp parallel for schedule(dynamic, 4) if (links->count >= frz_parallel_some)
    for (int p = 0; p < links->piece_count; ++p)
        piece[p] = push_of_piece(state, &links->piece[p], push, user);
    for (int b = 0; links->count > 0 && b < model->body_count; ++b)
        if (links->entry_count[b] > 0)
            frz_bodies_push(state, b, frz_body_links_sum3(links, b, &piece->force, sizeof *piece),
                            frz_body_links_sum3(links, b, &piece->torque, sizeof *piece), dt);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}
