// SPDX-License-Identifier: MIT
// Small simulations for tests that look inside: made from a scene's text, or filled with particles by hand.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/sim_internal.h"
#include "base/memory.h"

/// Which sanitizer looks on; gcc and clang say it differently.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CORE_THREAD_SANITIZER 1
#elif __has_feature(address_sanitizer)
#define CORE_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define CORE_ADDRESS_SANITIZER 1
#endif
#ifndef CORE_THREAD_SANITIZER
#define CORE_THREAD_SANITIZER 0
#endif
#ifndef CORE_ADDRESS_SANITIZER
#define CORE_ADDRESS_SANITIZER 0
#endif

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

/// Kinetic, potential and elastic energy, and the energy that changes of phase have taken, J.
static inline double core_energy(frz_sim *sim)
{
    frz_energies e;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_energies(sim, &e, &diag), FRZ_OK);
    return e.kinetic + e.potential + e.elastic + sim->state->changes.energy;
}

/// The scene can be read but not simulated, and the sentence that says so has these words.
static inline void core_refused(const char *text, const char *words)
{
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_diag diag = {.status = FRZ_OK};
    const frz_sim_def def = frz_sim_def_default();
    assert_int_equal(frz_scene_parse(text, "test.yaml", NULL, &scene, &diag), FRZ_OK);
    assert_int_equal(frz_sim_create(scene, &def, &sim, &diag), FRZ_ERR_SCENE);
    assert_null(sim);
    if (strstr(diag.message, words) == NULL)
        fail_msg("'%s' is not in: %s", words, diag.message);
    frz_scene_destroy(&scene);
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
        frz_particles_inverse_density(store)[i] = (frz_real)(1.0 / sim->model->materials[0].density);
        frz_particle_set_temperature(sim->model, sim->state, i, 300.0 + 37 * i % 100); // something to conduct
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

/// Twenty steps on, ten more take no memory.
static inline void core_assert_steady(frz_sim *sim)
{
    core_steps(sim, 20);
    const int64_t before = frz_memory_allocation_count();
    core_steps(sim, 10);
    assert_int_equal(frz_memory_allocation_count(), before);
}

static inline int core_remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

/// Remove a folder with all that is in it; 0 if it is gone.
static inline int core_remove_folder(const char *path)
{
    return nftw(path, core_remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/// Save one simulation and restore the other from it; what restoring said.
static inline frz_status core_pass_on(frz_sim *from, frz_sim *to)
{
    static const char *const names[] = {"checkpoint.h5", "checkpoint.old.h5"};
    char folder[] = "/tmp/frz_trial_XXXXXX", path[64];
    frz_diag diag = {.status = FRZ_OK};
    assert_non_null(mkdtemp(folder));
    if (frz_sim_save(from, folder, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    const frz_status status = frz_sim_restore(to, folder, &diag);
    for (int n = 0; n < 2; ++n)
    {
        snprintf(path, sizeof path, "%s/%s", folder, names[n]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
    return status;
}

static inline uint64_t core_hash_bytes(uint64_t hash, const void *data, size_t size)
{
    for (size_t k = 0; k < size; ++k)
        hash = (hash ^ ((const unsigned char *)data)[k]) * 1099511628211u;
    return hash;
}

/// Bytes of one row of a field that carry meaning (rows of vectors are padded).
static inline size_t core_row(const frz_array_desc *view)
{
    return frz_dtype_size(view->type) * (size_t)view->components;
}

/// Hash (FNV-1a) of everything a checkpoint would hold of the particles, of the bodies, and of the clock.
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
            hash = core_hash_bytes(hash, (const char *)view.data + (size_t)i * stride, row);
    }
    for (int b = 0; b < sim->model->body_count; ++b)
        hash = core_hash_bytes(hash, &sim->state->bodies.rigid[b], sizeof sim->state->bodies.rigid[b]);
    return core_hash_bytes(hash, &sim->state->time, sizeof sim->state->time);
}

/// Mean place of the particles of a body.
static inline frz_vec3 core_center(const frz_sim *sim, int body)
{
    const frz_particles *particles = &sim->state->particles;
    const frz_v4 *position = frz_field_v4(particles, FRZ_FIELD_ID_position);
    frz_vec3 sum = {0.0, 0.0, 0.0};
    int count = 0;
    for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
        if (frz_field_i32(particles, FRZ_FIELD_ID_body)[i] == body)
        {
            sum = frz_v3_add(sum, frz_v3_of(position[i]));
            count += 1;
        }
    if (count == 0)
        fail_msg("body %d has no particles", body);
    return frz_v3_scale(1.0 / count, sum);
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
