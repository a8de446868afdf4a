// SPDX-License-Identifier: MIT
// The public interface of a simulation.
#include "frazil/sim.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "api/sim_internal.h"
#include "base/memory.h"
#include "base/timers.h"
#include "render/raycast.h"
#include "scene/check_output.h"
#include "scene/compile.h"
#include "sim/measure.h"
#include "sim/step.h"

static const uint32_t def_cookie = 0x66727a31; // "frz1"

frz_sim_def frz_sim_def_default(void)
{
    const frz_sim_def def = {.cookie = def_cookie};
    return def;
}

static void keep_warning(frz_sim *sim, const char *text)
{
    char **grown = frz_realloc("warnings", sim->warnings, (size_t)sim->warning_count + 1, sizeof *grown);
    char *copy = grown != NULL ? frz_strdup(text) : NULL;
    if (grown != NULL)
        sim->warnings = grown;
    if (copy != NULL)
        sim->warnings[sim->warning_count++] = copy;
}

// Keeps warnings and hands them on; notes pass through.
static void collect_warning(void *user, frz_log_level level, const char *text)
{
    frz_sim *sim = user;
    if (level == FRZ_LOG_WARNING)
        keep_warning(sim, text);
    if (sim->log != NULL)
        sim->log(sim->log_user, level, text);
}

static void use_threads(const frz_sim *sim)
{
    omp_set_num_threads(sim->threads > 0 ? sim->threads : omp_get_num_procs());
}

frz_status frz_sim_create(const frz_scene *scene, const frz_sim_def *def, frz_sim **out, frz_diag *diag)
{
    *out = NULL;
    if (scene == NULL || def == NULL || def->cookie != def_cookie)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frz_sim_create needs a scene and a def made by frz_sim_def_default");
    if (def->threads < 0 || def->threads > 4096)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the number of threads must be between 0 (all cores) and 4096, got %d",
                        def->threads);
    frz_sim *sim = FRZ_ALLOC("simulation", 1, frz_sim);
    if (sim == NULL)
        return frz_fail_memory(diag, "the simulation");
    sim->threads = def->threads;
    sim->team = frz_team_of(omp_get_num_procs());
    sim->log = def->log;
    sim->log_user = def->log_user;
    sim->scene_text = frz_strdup(frz_scene_text(scene));
    sim->scene_hash = frz_scene_hash(scene);
    use_threads(sim);
    frz_status status = sim->scene_text != NULL ? FRZ_OK : frz_fail_memory(diag, "the scene's text");
    if (status == FRZ_OK)
        status = frz_scene_check_output(scene, frz_colormap_names(), diag);
    if (status == FRZ_OK)
        status = frz_scene_compile(scene, collect_warning, sim, &sim->model, &sim->state, diag);
    if (status == FRZ_OK)
    {
        sim->announced = FRZ_ALLOC("simulation", sim->model->emitter_count + 1, bool);
        sim->noted_capacity = sim->model->body_count;
        sim->missed = FRZ_ALLOC("simulation", sim->model->body_count + 1, bool);
        sim->crushed = FRZ_ALLOC("simulation", sim->model->body_count + 1, bool);
        status = sim->announced != NULL && sim->missed != NULL && sim->crushed != NULL
                     ? FRZ_OK
                     : frz_fail_memory(diag, "the simulation");
    }
    if (status != FRZ_OK)
        frz_sim_destroy(&sim);
    *out = sim;
    return status;
}

void frz_sim_destroy(frz_sim **sim)
{
    if (sim == NULL || *sim == NULL)
        return;
    frz_state_destroy(&(*sim)->state);
    frz_model_destroy(&(*sim)->model);
    for (int w = 0; w < (*sim)->warning_count; ++w)
        frz_free((*sim)->warnings[w]);
    frz_free((*sim)->warnings);
    frz_free((*sim)->announced);
    frz_free((*sim)->missed);
    frz_free((*sim)->crushed);
    frz_free((*sim)->scene_text);
    frz_free(*sim);
    *sim = NULL;
}

frz_status frz_sim_step(frz_sim *sim, double dt_limit, frz_diag *diag)
{
    if (!(dt_limit > 0.0))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the limit of a step must be positive, got %g s", dt_limit);
    use_threads(sim);
    if (sim->threads == 0)
        omp_set_num_threads(frz_team_threads(&sim->team));
    const double start = frz_now();
    const frz_status status = frz_state_step(sim->model, sim->state, dt_limit, diag);
    frz_team_note(&sim->team, frz_now() - start);
    use_threads(sim);
    FRZ_TRY(status);
    frz_sim_announce(sim);
    return FRZ_OK;
}

frz_status frz_sim_advance(frz_sim *sim, double until, frz_diag *diag)
{
    // a remaining time of the size of a rounding error needs no step
    while (until - sim->state->time > 1e-12 * fmax(1.0, fabs(until)))
        FRZ_TRY(frz_sim_step(sim, until - sim->state->time, diag));
    return FRZ_OK;
}

double frz_sim_time(const frz_sim *sim)
{
    return sim->state->time;
}

int64_t frz_sim_step_count(const frz_sim *sim)
{
    return sim->state->step;
}

static frz_role role_of(frz_segment segment)
{
    return segment == FRZ_SEGMENT_SAMPLES ? FRZ_ROLE_SAMPLE : FRZ_ROLE_FREE;
}

int64_t frz_sim_particle_count(const frz_sim *sim, frz_segment segment)
{
    return sim->state->particles.count[role_of(segment)];
}

frz_status frz_sim_set_velocity(frz_sim *sim, const double *velocity, int64_t count, frz_diag *diag)
{
    frz_particles *particles = &sim->state->particles;
    if (count != particles->count[FRZ_ROLE_FREE])
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "there are %d free particles, but velocities for %lld",
                        particles->count[FRZ_ROLE_FREE], (long long)count);
    double fastest = 0.0;
    for (int64_t i = 0; i < 3 * count; ++i)
        if (!isfinite(velocity[i]))
            return frz_fail(diag, FRZ_ERR_ARGUMENT, "the velocity of particle %lld is not a finite number",
                            (long long)(i / 3));
    frz_v4 *target = frz_field_v4(particles, FRZ_FIELD_ID_velocity) + particles->first[FRZ_ROLE_FREE];
    for (int64_t i = 0; i < count; ++i)
    {
        const double *v = velocity + 3 * i;
        target[i] = frz_v4_set((frz_real)v[0], (frz_real)v[1], (frz_real)v[2], 0);
        fastest = fmax(fastest, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    sim->state->stats.max_speed = fastest;
    return FRZ_OK;
}

void frz_sim_hold_heat(frz_sim *sim, bool hold)
{
    sim->state->heat_held = hold;
}

frz_status frz_sim_set_temperature(frz_sim *sim, const double *temperature, int64_t count, frz_diag *diag)
{
    const frz_particles *particles = &sim->state->particles;
    if (!sim->model->has_temperature)
        return frz_fail(diag, FRZ_ERR_ARGUMENT,
                        "the particles have no temperature; give the scene the key 'temperature'");
    if (count != particles->count[FRZ_ROLE_FREE])
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "there are %d free particles, but temperatures for %lld",
                        particles->count[FRZ_ROLE_FREE], (long long)count);
    for (int64_t i = 0; i < count; ++i)
        if (!(temperature[i] >= 0.0 && isfinite(temperature[i])))
            return frz_fail(diag, FRZ_ERR_ARGUMENT,
                            "the temperature of particle %lld is %g K; it must be finite and not below 0 K",
                            (long long)i, temperature[i]);
    for (int64_t i = 0; i < count; ++i)
        frz_particle_set_temperature(sim->model, sim->state, (int)i, temperature[i]);
    return FRZ_OK;
}

// Particles of rigid bodies.
static int64_t count_rigid(const frz_state *state)
{
    int64_t sum = 0;
    for (int b = 0; b < state->bodies.count; ++b)
        sum += frz_body_is(state, b, FRZ_BODY_RIGID) && state->bodies.identity[b].filled != 0
                   ? state->bodies.identity[b].particles
                   : 0;
    return sum;
}

// Particles of elastic bodies: numbered ones and material points.
static int64_t count_elastic(const frz_state *state)
{
    const uint8_t *phase = frz_particles_phase(&state->particles);
    int64_t points = 0;
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        points += phase[i] == FRZ_PHASE_POINT;
    return state->solids.present - count_rigid(state) + points;
}

void frz_sim_stats(const frz_sim *sim, frz_stats *out)
{
    const frz_state *state = sim->state;
    const frz_step_stats *s = &state->stats;
    const frz_contact_stats contacts = frz_contact_report(state);
    frz_emitter_state sources = {0};
    int64_t killed = 0;
    for (int e = 0; e < sim->model->emitter_count; ++e)
    {
        sources.emitted += state->sources.emitters[e].emitted;
        sources.blocked += state->sources.emitters[e].blocked;
    }
    for (int r = 0; r < sim->model->region_count; ++r)
        killed += state->sources.killed[r];
    *out = (frz_stats){
        .step = state->step,
        .time = state->time,
        .dt = s->dt,
        .dt_limit = frz_dt_limit_name(s->dt_limit),
        .density_iterations = s->density.iterations,
        .divergence_iterations = s->divergence.iterations,
        .elastic_iterations = s->elastic.iterations,
        .point_substeps = s->point_substeps,
        .density_error_average = 100.0 * s->density.error_average,
        .density_error_max = 100.0 * s->density.error_max,
        .divergence_error_average = 100.0 * s->divergence.error_average,
        .divergence_error_max = 100.0 * s->divergence.error_max,
        .rejected = s->rejected,
        .rejected_total = state->rejected,
        .liquid = state->particles.count[FRZ_ROLE_FREE] - count_elastic(state) - count_rigid(state),
        .elastic = count_elastic(state),
        .rigid = count_rigid(state),
        .changed = state->changes.changed,
        .change_energy = state->changes.energy,
        .contacts = contacts.contacts,
        .contact_iterations = contacts.iterations,
        .contact_visits = contacts.visits,
        .contact_error_average = 100.0 * contacts.error,
        .contact_error_max = 100.0 * contacts.max_error,
        .contact_depth = contacts.deepest,
        .lost = state->lost,
        .emitted = sources.emitted,
        .blocked = sources.blocked,
        .killed = killed,
        .kinetic_energy = s->kinetic_energy,
        .potential_energy = s->potential_energy,
        .friction_heat = state->energy.friction,
        .work = state->energy.work,
        .momentum = {s->momentum[0], s->momentum[1], s->momentum[2]},
        .heat = s->heat.content,
        .latent_heat = s->heat.latent,
        .wall_heat = s->heat.power[FRZ_HEAT_WALLS],
        .surface_heat = s->heat.power[FRZ_HEAT_SURFACE],
        .region_heat = s->heat.power[FRZ_HEAT_REGIONS],
        .work_heat = s->heat.power[FRZ_HEAT_WORK],
        .heat_area = s->heat.surface_area,
        .heat_drift = state->heat.drift,
        .heat_substeps = s->heat.substeps,
        .heat_iterations = s->heat.iterations,
        .max_speed = s->max_speed,
        .pairs = state->neighbors.pairs.pair_count,
    };
}

static frz_scalar scalar_of(frz_dtype type)
{
    switch (type)
    {
    case FRZ_F64:
        return FRZ_SCALAR_F64;
    case FRZ_I32:
        return FRZ_SCALAR_I32;
    case FRZ_I64:
        return FRZ_SCALAR_I64;
    case FRZ_U8:
        return FRZ_SCALAR_U8;
    default:
        return FRZ_SCALAR_F32;
    }
}

frz_field_view frz_sim_field(const frz_sim *sim, const char *name, frz_segment segment)
{
    frz_field_view view = {.name = name, .unit = ""};
    const int field = frz_particles_find(&sim->state->particles, name);
    if (field < 0)
        return view;
    const frz_array_desc desc = frz_particles_view(&sim->state->particles, field, role_of(segment));
    view = (frz_field_view){desc.name, desc.unit, scalar_of(desc.type), desc.components, desc.stride,
                            desc.rows, desc.data};
    return view;
}

const char *frz_sim_field_name(const frz_sim *sim, int index)
{
    const frz_particles *particles = &sim->state->particles;
    return index >= 0 && index < particles->field_count ? particles->fields[index].decl.name : NULL;
}

double frz_field_value(const frz_field_view *view, int64_t row, int component)
{
    const int64_t at = row * view->stride + component;
    switch (view->type)
    {
    case FRZ_SCALAR_F64:
        return ((const double *)view->data)[at];
    case FRZ_SCALAR_I32:
        return (double)((const int32_t *)view->data)[at];
    case FRZ_SCALAR_I64:
        return (double)((const int64_t *)view->data)[at];
    case FRZ_SCALAR_U8:
        return (double)((const uint8_t *)view->data)[at];
    default:
        return (double)((const float *)view->data)[at];
    }
}

bool frz_sim_probe(const frz_sim *sim, const double point[3], double *pressure, double *velocity, double *density)
{
    return frz_probe_sample(sim->model, sim->state, frz_v3(point[0], point[1], point[2]), pressure, velocity, density);
}

bool frz_sim_probe_field(const frz_sim *sim, const char *name, const double point[3], double *value)
{
    const frz_particles *particles = &sim->state->particles;
    const int field = frz_particles_find(particles, name);
    *value = 0.0;
    if (field < 0 || particles->fields[field].type != FRZ_DTYPE_REAL || particles->fields[field].decl.components != 1)
        return false;
    return frz_probe_field(sim->model, sim->state, frz_v3(point[0], point[1], point[2]), field, value);
}

// Emitters are bodies of the model without rows of their own.
static bool is_listed(const frz_sim *sim, int b)
{
    const frz_model *model = sim->model;
    const bool emitter = b < model->body_count && b >= model->body_count - model->emitter_count;
    return !emitter && sim->state->bodies.identity[b].alive != 0;
}

int frz_sim_body_count(const frz_sim *sim)
{
    int count = 0;
    for (int b = 0; b < sim->state->bodies.count; ++b)
        count += is_listed(sim, b);
    return count;
}

static void put3(double out[3], frz_vec3 v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

// Convert a force and its torque about the body's centre of mass to another point; lever leads from it to the centre.
static void put_load(double *force_out, double *torque_out, frz_vec3 force, frz_vec3 torque, frz_vec3 lever)
{
    put3(force_out, force);
    put3(torque_out, frz_v3_add(torque, frz_v3_cross(lever, force)));
}

// mass: of its particles.
static frz_body_info describe(const frz_sim *sim, int b, double mass, const frz_body_push *push)
{
    static const char *const kind_names[] = {[FRZ_BODY_LIQUID] = "liquid",
                                             [FRZ_BODY_ELASTIC] = "elastic",
                                             [FRZ_BODY_RIGID] = "rigid",
                                             [FRZ_BODY_STATIC] = "static"};
    const frz_state *state = sim->state;
    const frz_body *body = frz_body_made(sim->model, state, b);
    const frz_rigid_body *pose = &state->bodies.rigid[b];
    const bool own = b == state->bodies.identity[b].made;
    frz_body_info info = {
        .state = kind_names[state->bodies.identity[b].kind],
        .number = b,
        .object = state->bodies.identity[b].object,
        .chain = own ? body->chain : 0,
        .filled = state->bodies.identity[b].filled != 0,
        .particles = state->bodies.identity[b].particles,
        .carved = own ? body->carved : 0,
        .orientation = {pose->rotation.w, pose->rotation.x, pose->rotation.y, pose->rotation.z},
    };
    _Static_assert(sizeof info.name == FRZ_BODY_NAME_SIZE, "names have one size");
    frz_bodies_name(sim->model, state, b, info.name);
    // of the body without attached particles; a body made of particles may have lost any of them
    const frz_vec3 place = state->bodies.identity[b].filled != 0 ? pose->position : frz_rigid_body_frame(pose);
    put3(info.position, place);
    put3(info.velocity, frz_rigid_body_velocity_at(pose, place));
    put3(info.spin, pose->spin);
    const frz_body_load *load = &state->bodies.loads[b];
    const frz_vec3 lever =
        frz_v3_sub(pose->position, place); // loads are about the centre of mass of body and attached particles
    put_load(info.force, info.torque, push->force, push->torque, lever);
    put_load(info.contact_force, info.contact_torque, frz_v3_add(load->contact_force, push->elastic_force),
             frz_v3_add(load->contact_torque, push->elastic_torque), lever);
    const frz_body_kind kind = state->bodies.identity[b].kind;
    info.mass = kind == FRZ_BODY_LIQUID || kind == FRZ_BODY_ELASTIC ? mass
                : state->bodies.identity[b].filled != 0             ? pose->mass
                                                                    : body->rigid.mass;
    return info;
}

// Mass of the particles of every body, in the order of the store; null if memory is short.
static double *particle_masses(const frz_sim *sim)
{
    const frz_particles *particles = &sim->state->particles;
    const int32_t *body = frz_field_i32(particles, FRZ_FIELD_ID_body);
    const frz_real *inverse_density = frz_particles_inverse_density(particles);
    double *mass = FRZ_ALLOC("masses", sim->state->bodies.count + 1, double);
    for (int i = 0; mass != NULL && i < particles->count[FRZ_ROLE_FREE]; ++i)
        mass[body[i]] += sim->model->cell / (double)inverse_density[i];
    return mass;
}

frz_status frz_sim_bodies(const frz_sim *sim, frz_body_info *out)
{
    const int count = sim->state->bodies.count;
    frz_body_push *pushes = FRZ_ALLOC("forces", count + 1, frz_body_push);
    double *mass = particle_masses(sim);
    if (pushes != NULL)
        frz_body_pushes(sim->model, sim->state, pushes);
    const frz_body_push unknown = {0};
    const bool known = pushes != NULL && mass != NULL;
    int listed = 0;
    for (int b = 0; b < count; ++b)
        if (is_listed(sim, b))
            out[listed++] = describe(sim, b, known ? mass[b] : 0.0, known ? &pushes[b] : &unknown);
    frz_free(pushes);
    frz_free(mass);
    return known ? FRZ_OK : FRZ_ERR_MEMORY;
}

static const char *method_of(const frz_model *model, frz_slot slot)
{
    for (int n = 0; n < model->instance_count; ++n)
        if (model->instances[n].method->slot == slot)
            return model->instances[n].method->key;
    return "";
}

void frz_sim_report_get(const frz_sim *sim, frz_sim_report *out)
{
    const frz_model *model = sim->model;
    const frz_state *state = sim->state;
    frz_dt_limit limit;
    memset(out, 0, sizeof *out);
    out->dimension = model->dimension;
    out->spacing = model->spacing;
    out->support = model->support;
    out->liquid = state->particles.count[FRZ_ROLE_FREE] - count_elastic(state) - count_rigid(state);
    out->elastic = count_elastic(state);
    out->walls = state->particles.count[FRZ_ROLE_SAMPLE];
    for (int b = 0; b < model->body_count; ++b)
    {
        if (model->bodies[b].role != FRZ_ROLE_FREE)
            continue;
        const double mass = model->materials[model->bodies[b].material].density * model->cell;
        out->particle_mass_min = out->particle_mass_min > 0.0 ? fmin(out->particle_mass_min, mass) : mass;
        out->particle_mass_max = fmax(out->particle_mass_max, mass);
    }
    out->memory = (double)frz_memory_bytes();
    frz_sim_report_growth(sim, out);
    out->time_step = frz_state_time_step(model, state, &limit);
    out->time_step_limit = frz_dt_limit_name(limit);
    out->pressure = method_of(model, FRZ_SLOT_PRESSURE);
    out->expected_speed = fmax(model->expected_speed, state->stats.max_speed);
    out->expected_time_step = out->time_step;
    if (model->time_step.fixed <= 0.0 && out->expected_speed > 0.0)
        out->expected_time_step = fmin(out->time_step, model->time_step.cfl * model->spacing / out->expected_speed);
    out->expected_steps = model->duration / out->expected_time_step;
    out->warning_count = sim->warning_count;
}

const char *frz_sim_warning(const frz_sim *sim, int index)
{
    return index >= 0 && index < sim->warning_count ? sim->warnings[index] : NULL;
}

frz_timer_info frz_sim_timer(const frz_sim *sim, int index)
{
    const frz_timers *timers = &sim->state->timers;
    frz_timer_info info = {NULL, 0.0, 0};
    if (index >= 0 && index < timers->count)
        info = (frz_timer_info){timers->name[index], timers->seconds[index], timers->calls[index]};
    return info;
}

void frz_sim_timers_reset(frz_sim *sim)
{
    memset(sim->state->timers.seconds, 0, sizeof sim->state->timers.seconds);
    memset(sim->state->timers.calls, 0, sizeof sim->state->timers.calls);
}

void frz_memory_info(int64_t *bytes, int64_t *peak, int64_t *allocations)
{
    *bytes = frz_memory_bytes();
    *peak = frz_memory_peak();
    *allocations = frz_memory_allocation_count();
}
