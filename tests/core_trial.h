// SPDX-License-Identifier: MIT
// Small simulations for tests that look inside: made from a scene's text, or filled with particles by hand.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/sim_internal.h"
#include "base/memory.h"

/// The same numbers every time: a linear congruential generator (Knuth), high bits; in [0, 1).
static inline double core_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0; // 2^53
}

/// A simulation of a scene's text; fails the test with the sentence if there is none.
static inline frz_sim *core_sim(const char *text, int threads)
{
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_diag diag = {.status = FRZ_OK};
    char sentence[1400];
    frz_sim_def def = frz_sim_def_default();
    def.threads = threads;
    frz_status status = frz_scene_parse(text, "test.yaml", NULL, &scene, &diag);
    if (status == FRZ_OK)
        status = frz_sim_create(scene, &def, &sim, &diag);
    frz_scene_destroy(&scene);
    if (status != FRZ_OK)
        fail_msg("%s\n%s", frz_diag_text(&diag, sentence, sizeof sentence), text);
    return sim;
}

/// A liquid particle put in by hand; all belong to body 0.
typedef struct core_particle
{
    double x[3], v[3];
} core_particle;

/// Replace all particles of a simulation (walls too) by the given liquid.
static inline void core_refill(frz_sim *sim, const core_particle *particles, int count)
{
    frz_diag diag = {.status = FRZ_OK};
    frz_state_destroy(&sim->state);
    for (int b = 0; b < sim->model->body_count; ++b)
    {
        sim->model->bodies[b].sample_count = 0;
        sim->model->bodies[b].first_sample = 0;
    }
    assert_int_equal(frz_state_create(sim->model, count, 0, &sim->state, &diag), FRZ_OK);
    frz_particles *store = &sim->state->particles;
    for (int i = 0; i < count; ++i)
    {
        const double *x = particles[i].x, *v = particles[i].v;
        frz_field_v4(store, FRZ_FIELD_ID_position)[i] = frz_v4_set((frz_real)x[0], (frz_real)x[1], (frz_real)x[2], 0);
        frz_field_v4(store, FRZ_FIELD_ID_velocity)[i] = frz_v4_set((frz_real)v[0], (frz_real)v[1], (frz_real)v[2], 0);
        frz_field_i64(store, FRZ_FIELD_ID_id)[i] = i;
    }
    store->count[FRZ_ROLE_FREE] = count;
    assert_int_equal(frz_state_finish(sim->model, sim->state, &diag), FRZ_OK);
}

static inline void core_steps(frz_sim *sim, int steps)
{
    frz_diag diag = {.status = FRZ_OK};
    for (int n = 0; n < steps; ++n)
        if (frz_sim_step(sim, HUGE_VAL, &diag) != FRZ_OK)
            fail_msg("step %d: %s", n, diag.message);
}

/// Bytes of one row of a field that carry meaning (rows of vectors are padded).
static inline size_t core_row(const frz_array_desc *view)
{
    return frz_dtype_size(view->type) * (size_t)view->components;
}

/// Hash (FNV-1a) of everything a checkpoint would hold of the particles, and of the clock.
static inline uint64_t core_hash(const frz_sim *sim)
{
    const frz_particles *particles = &sim->state->particles;
    uint64_t hash = 14695981039346656037u;
    for (int f = 0; f < particles->field_count; ++f)
    {
        if ((particles->fields[f].decl.flags & FRZ_FIELD_SAVE) == 0)
            continue;
        const frz_array_desc view = frz_particles_view(particles, f, FRZ_ROLE_FREE);
        const size_t row = core_row(&view), stride = frz_dtype_size(view.type) * (size_t)view.stride;
        for (int64_t i = 0; i < view.rows; ++i)
            for (size_t k = 0; k < row; ++k)
                hash = (hash ^ ((const unsigned char *)view.data)[(size_t)i * stride + k]) * 1099511628211u;
    }
    unsigned char clock[sizeof(double)];
    memcpy(clock, &sim->state->time, sizeof clock);
    for (size_t k = 0; k < sizeof clock; ++k)
        hash = (hash ^ clock[k]) * 1099511628211u;
    return hash;
}

/// Slot of the liquid particle with that id, -1 if it is gone.
static inline int core_slot(const frz_sim *sim, int64_t id)
{
    const int64_t *ids = frz_field_i64(&sim->state->particles, FRZ_FIELD_ID_id);
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        if (ids[i] == id)
            return i;
    return -1;
}
