// SPDX-License-Identifier: MIT
// Scenes in which a method of each slot has something to do, and idle twins of methods: for the conformance suite.
#pragma once

#include "core_trial.h"
#include "physics/registry.h"
#include "sim/boundary.h"
#include "sim/coupling.h"
#include "compare.h"

enum
{
    text_size = 4096
};

static const double spacing = 0.05;
static const double gravity = 9.81;

// ---- scenes

static inline bool is_solid(const frz_method *method)
{
    return method->slot == FRZ_SLOT_ELASTIC || method->slot == FRZ_SLOT_PLASTIC || method->slot == FRZ_SLOT_FRACTURE;
}

// Whether the scene has bodies beside its particles.
static inline bool has_bodies(const frz_method *method)
{
    return method->slot == FRZ_SLOT_BOUNDARY || method->slot == FRZ_SLOT_COUPLING || method->slot == FRZ_SLOT_CONTACT;
}

// Parameters with which the method has something to do where things move: what yields or breaks does so early.
static inline const char *acting(const frz_method *method, char *text, size_t size)
{
    text[0] = '\0';
    if (method->slot == FRZ_SLOT_PLASTIC || method->slot == FRZ_SLOT_FRACTURE)
        snprintf(text, size, ", %s: %s", method->params[0].key,
                 strcmp(method->params[0].unit, "Pa") == 0              ? "300"
                 : strcmp(method->params[0].key, "friction_angle") == 0 ? "20"
                                                                        : "0.002");
    return text;
}

// The elastic method beside one of plasticity or fracture.
static inline const char *elastic_of(const frz_method *method)
{
    const bool of_points = method->slot == FRZ_SLOT_PLASTIC && strcmp(method->key, "bargteil2007") != 0 &&
                           method->yield != NULL; // bargteil2007 knows both
    return of_points ? ", elastic: {method: mpm, law: hencky, young: 1e6}"
                     : ", elastic: {method: tlsph, law: corotated, young: 1e6}";
}

typedef struct text_buffer
{
    char text[text_size];
    int used;
} text_buffer;

static inline void put(text_buffer *to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    to->used += vsnprintf(to->text + to->used, (size_t)(text_size - to->used), format, list);
    va_end(list);
    assert_less(to->used, text_size);
}

static inline void put_box(text_buffer *to, int dimension, const double min[3], const double max[3])
{
    put(to, "shape: {box: {min: [%g, %g", min[0], min[1]);
    put(to, dimension == 3 ? ", %g], max: [%g, %g" : "], max: [%g, %g", dimension == 3 ? min[2] : max[0],
        dimension == 3 ? max[0] : max[1], max[1]);
    put(to, dimension == 3 ? ", %g]}}" : "]}}", max[2]);
}

static inline void put_rigid(text_buffer *to, int dimension, const char *name, const double min[3], const double max[3],
                             double speed)
{
    put(to, ", {name: %s, state: rigid, density: 1000, velocity: [%g, 0%s], ", name, speed,
        dimension == 3 ? ", 0" : "");
    put_box(to, dimension, min, max);
    put(to, "}");
}

// A box in the liquid, as heavy as that, or boxes that touch: two on a floor under gravity, else two that meet.
static inline void put_bodies(text_buffer *to, const frz_method *method, int dimension, bool full)
{
    if (method->slot == FRZ_SLOT_CONTACT)
    {
        put_rigid(to, dimension, "lower", (double[]){2.0, 0.0, 0.0}, (double[]){2.2, 0.2, 0.2}, 0.0);
        put_rigid(to, dimension, "upper", (double[]){full ? 2.05 : 2.2, full ? 0.2 : 0.05, 0.0},
                  (double[]){full ? 2.25 : 2.4, full ? 0.4 : 0.25, 0.2}, full ? 0.0 : -1.0);
        if (full)
        {
            put(to, ", {name: floor, state: static, ");
            put_box(to, dimension, (double[]){1.5, -0.1, -0.2}, (double[]){3.0, 0.0, 0.4});
            put(to, "}");
        }
    }
    else if (method->slot == FRZ_SLOT_COUPLING || !full)
        put_rigid(to, dimension, "box", (double[]){0.1, 0.15, 0.05}, (double[]){0.2, 0.3, 0.2}, full ? 0.0 : -0.5);
}

// A scene that chooses the method; parameters is what follows its name, e.g. ", a: 1". The particles: a column in a
// tank (full) or in the open, without gravity.
static inline const char *scene_text(const frz_method *method, const char *parameters, int dimension, bool full,
                                     text_buffer *to)
{
    const frz_slot_info *slot = &frz_slots[method->slot];
    const bool space = dimension == 3, elastic = method->slot == FRZ_SLOT_ELASTIC;
    // small in space: sampling walls takes most of the time
    const double width = space ? 0.3 : 0.5, depth = 0.25;
    char choice[text_size / 2];
    // the coupling that interleaves its iterations with those of contacts works with its own contacts only
    const bool interleaved = method->slot == FRZ_SLOT_COUPLING && strcmp(method->key, "gissler2019") == 0;
    snprintf(choice, sizeof choice, ", %s: {method: %s%s}%s", slot->key, method->key, parameters,
             interleaved ? ", contact: gissler2019" : "");
    to->used = 0;
    put(to, "{dimension: %d, spacing: %g, duration: 10, gravity: [0, %g%s]%s, ", dimension, spacing,
        full ? -gravity : 0.0, space ? ", 0" : "", slot->per_material ? "" : choice);
    put(to, "domain: {min: [-50, -50%s], max: [50, 50%s]}, materials: {stuff: {density: 1000%s%s}}, bodies: [",
        space ? ", -50" : "", space ? ", 50" : "", slot->per_material ? choice : "",
        is_solid(method) && !elastic ? elastic_of(method) : "");
    put(to, "{name: stuff, state: %s, material: stuff, ", is_solid(method) ? "elastic" : "liquid");
    put_box(to, dimension, (double[]){0.0, 0.0, 0.0}, (double[]){width, 0.4, depth});
    put(to, "}");
    if (full) // two boxes: a shell would take twice as long to sample
        put(to,
            ", {name: tank, state: static, shape: {difference: [{box: {min: [-0.15, -0.15%s], max: [%g, 0.6%s]}}, "
            "{box: {min: [0, 0%s], max: [%g, 1%s]}}]}}",
            space ? ", -0.15" : "", width + 0.15, space ? ", 0.4" : "", space ? ", 0" : "", width,
            space ? ", 0.25" : "");
    if (has_bodies(method))
        put_bodies(to, method, dimension, full);
    put(to, "]}");
    return to->text;
}

static inline frz_sim *method_sim(const frz_method *method, int dimension, bool full, int threads)
{
    char parameters[100];
    text_buffer to;
    const char *chosen = full ? "" : acting(method, parameters, sizeof parameters);
    return core_sim(scene_text(method, chosen, dimension, full, &to), threads);
}

// ---- idle twins

static inline frz_status idle_link(const frz_model *model, frz_state *state, frz_diag *diag)
{
    (void)model;
    (void)state;
    (void)diag;
    return FRZ_OK;
}

static inline frz_sample_law idle_law(const frz_model *model, const void *self)
{
    (void)model;
    (void)self;
    return (frz_sample_law){0};
}

static inline frz_status idle_solve(frz_state *state, frz_rigid_body *bodies, bool again, frz_diag *diag)
{
    (void)state;
    (void)bodies;
    (void)again;
    (void)diag;
    return FRZ_OK;
}

static inline void idle_record(frz_state *state)
{
    (void)state;
}

static inline frz_contact_stats idle_report(const frz_state *state)
{
    (void)state;
    return (frz_contact_stats){0};
}

// The simulation with an idle twin of the method: the same entry, whose functions do nothing. One at a time.
static inline void make_idle(frz_sim *sim, const frz_method *method)
{
    static frz_method twin;
    static frz_boundary_ops boundary;
    static frz_coupling_ops coupling;
    static frz_contact_ops contact;
    twin = *method;
    memset(twin.run, 0, sizeof twin.run);
    twin.yield = NULL;
    twin.run[FRZ_STAGE_PREPARE] = method->run[FRZ_STAGE_PREPARE]; // others may rely on what it prepares
    if (method->boundary != NULL)
    {
        boundary = *method->boundary;
        boundary.law = idle_law;
        twin.boundary = &boundary;
    }
    if (method->coupling != NULL)
    {
        coupling = *method->coupling;
        coupling.link = idle_link;
        twin.coupling = &coupling;
    }
    if (method->contact != NULL)
    {
        contact = (frz_contact_ops){.prepare = method->contact->prepare,
                                    .destroy = method->contact->destroy,
                                    .solve = idle_solve,
                                    .record = idle_record,
                                    .report = idle_report};
        twin.contact = &contact;
        if (sim->state->contact.ops != NULL) // it has been prepared
            sim->state->contact.ops = &contact;
    }
    int found = 0;
    for (int n = 0; n < sim->model->instance_count; ++n)
        if (sim->model->instances[n].method == method)
        {
            sim->model->instances[n].method = &twin;
            found += 1;
        }
    assert_int_equal(found, 1);
}

// Where everything is, how it moves and how warm it is, without what methods keep for themselves.
static inline uint64_t motion_hash(const frz_sim *sim)
{
    const frz_particles *particles = &sim->state->particles;
    uint64_t hash = 14695981039346656037u;
    for (int64_t id = 0; id < particles->count[FRZ_ROLE_FREE]; ++id)
    {
        const int i = core_slot(sim, id);
        assert_greater_equal(i, 0);
        hash = core_hash_bytes(hash, &frz_field_v4(particles, FRZ_FIELD_ID_position)[i], 3 * sizeof(frz_real));
        hash = core_hash_bytes(hash, &frz_field_v4(particles, FRZ_FIELD_ID_velocity)[i], 3 * sizeof(frz_real));
        if (sim->model->has_heat)
            hash = core_hash_bytes(hash, &frz_state_enthalpy(particles, sim->model->enthalpy_field)[i], sizeof(double));
    }
    for (int b = 0; b < sim->model->body_count; ++b)
    {
        hash = core_hash_bytes(hash, &sim->state->bodies.rigid[b].position, sizeof(frz_vec3));
        hash = core_hash_bytes(hash, &sim->state->bodies.rigid[b].velocity, sizeof(frz_vec3));
        hash = core_hash_bytes(hash, &sim->state->bodies.rigid[b].spin, sizeof(frz_vec3));
    }
    return hash;
}

// The steps must work; a failure names the method.
static inline void run(const frz_method *method, frz_sim *sim, int steps)
{
    frz_diag diag = {.status = FRZ_OK};
    for (int n = 0; n < steps; ++n)
        if (frz_sim_step(sim, HUGE_VAL, &diag) != FRZ_OK)
            fail_msg("%s %s, step %d: %s", frz_slots[method->slot].key, method->key, n + 1, diag.message);
}

// Stir the liquid: something to do for pressure and friction.
static inline void stir(frz_sim *sim, double speed)
{
    frz_particles *particles = &sim->state->particles;
    uint64_t seed = 11;
    for (int64_t id = 0; id < particles->count[FRZ_ROLE_FREE]; ++id)
    {
        frz_v4 v = frz_v4_zero();
        for (int a = 0; a < sim->model->dimension; ++a)
            v[a] = (frz_real)(speed * (2.0 * core_random(&seed) - 1.0));
        frz_field_v4(particles, FRZ_FIELD_ID_velocity)[core_slot(sim, id)] = v;
    }
    sim->state->stats.max_speed = speed * 2.0;
}
