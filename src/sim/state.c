// SPDX-License-Identifier: MIT
#include "sim/state.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "sim/motion.h"
#include "sim/neighborhood.h"

// cells per particle beyond which the search grid is made coarser rather than larger
static const double cells_per_particle = 8.0;
static const double fewest_cells = 1 << 20;
static const double most_cells = 1e15;

// Fields that only scenes with solid bodies have. Elastic forces depend on differences of positions over a spacing: in
// single precision positions far from the origin are too coarse for stiff bodies. A field keeps the rounding error of a
// step's positions for the next step.
static frz_status add_solid_fields(const frz_model *model, frz_state *state, frz_diag *diag)
{
    static const frz_field_decl number = {"solid", 1, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT,
                                          "number among the solid particles, -1: none; solid/solids, sim/change"};
    static const frz_field_decl rest[] = {
        {"position_rest", 3, "m", FRZ_FIELD_SAVE | FRZ_FIELD_SORT, "rounding error of the position; sim/integrate"},
        {0}};
    state->fields.rest = state->fields.solid = -1;
    if (!frz_model_has_solids(model))
        return FRZ_OK;
    FRZ_TRY(frz_particles_add_field(&state->particles, &number, FRZ_I32, &state->fields.solid, diag));
    if (sizeof(frz_real) == sizeof(double))
        return FRZ_OK;
    return frz_particles_add_fields(&state->particles, rest, &state->fields.rest, diag);
}

// Points that nothing but the grid can touch are not pushed.
static frz_status add_push_field(const frz_model *model, frz_state *state, frz_diag *diag)
{
    bool any = false, pushes = frz_model_has_solids(model);
    for (int m = 0; m < model->material_count; ++m)
        any = any || frz_model_has_points(model, m);
    for (int b = 0; b < model->body_count; ++b)
        pushes = pushes || model->bodies[b].kind == FRZ_BODY_LIQUID;
    state->fields.push = -1;
    if (!any || !pushes)
        return FRZ_OK;
    return frz_particles_add_fields(&state->particles, frz_push_table, &state->fields.push, diag);
}

// Frames of scenes in which particles can change have the fields origin and phase.
static frz_status add_change_fields(const frz_model *model, frz_state *state, frz_diag *diag)
{
    state->fields.origin = state->fields.room = state->fields.clearance = -1;
    if (!model->can_change)
        return FRZ_OK;
    state->particles.fields[FRZ_FIELD_ID_phase].decl.flags |= FRZ_FIELD_OUTPUT;
    FRZ_TRY(frz_particles_add_field(&state->particles, frz_origin_table, FRZ_I32, &state->fields.origin, diag));
    FRZ_TRY(frz_particles_add_fields(&state->particles, frz_room_table, &state->fields.room, diag));
    return frz_particles_add_fields(&state->particles, frz_clearance_table, &state->fields.clearance, diag);
}

static frz_status create_sources(const frz_model *model, frz_state *state, frz_diag *diag)
{
    state->sources.travelled = FRZ_ALLOC("emitters", model->emitter_count + 1, double);
    state->sources.emitters = FRZ_ALLOC("emitters", model->emitter_count + 1, frz_emitter_state);
    state->sources.killed = FRZ_ALLOC("regions", model->region_count + 1, int64_t);
    state->sources.flows = FRZ_ALLOC("probes", model->probe_count + 1, frz_flow_state);
    if (state->sources.travelled == NULL || state->sources.emitters == NULL || state->sources.killed == NULL ||
        state->sources.flows == NULL)
        return frz_fail_memory(diag, "the emitters and regions");
    return FRZ_OK;
}

frz_status frz_state_create(const frz_model *model, int free_capacity, int static_capacity, frz_state **out,
                            frz_diag *diag)
{
    *out = NULL;
    frz_state *state = FRZ_ALLOC("state", 1, frz_state);
    if (state == NULL)
        return frz_fail_memory(diag, "the state");
    const int capacity[FRZ_ROLE_COUNT] = {[FRZ_ROLE_FREE] = free_capacity, [FRZ_ROLE_SAMPLE] = static_capacity};
    frz_status status = frz_particles_create(capacity, &state->particles, diag);
    state->samples.local = FRZ_ALLOC("walls", static_capacity + 1, frz_vec3);
    state->samples.local_normal = FRZ_ALLOC("walls", static_capacity + 1, frz_vec3);
    state->samples.normal = FRZ_ALLOC("walls", static_capacity + 1, frz_v4);
    state->samples.area = FRZ_ALLOC("walls", static_capacity + 1, frz_real);
    state->samples.pressure = FRZ_ALLOC("walls", static_capacity + 1, frz_real);
    if (status == FRZ_OK &&
        (state->samples.local == NULL || state->samples.local_normal == NULL || state->samples.normal == NULL ||
         state->samples.area == NULL || state->samples.pressure == NULL))
        status = frz_fail_memory(diag, "the walls");
    if (status == FRZ_OK)
        status = frz_bodies_create(model, state, diag);
    if (status == FRZ_OK)
        status = create_sources(model, state, diag);
    if (status == FRZ_OK)
        status = frz_changes_create(model, state, diag);
    // emitted particles count from the start: the grid must not depend on the time of its construction
    const double particles = (double)free_capacity + (double)static_capacity + frz_emitters_total(model);
    state->neighbors.cell_budget = (int64_t)fmin(fmax(cells_per_particle * particles, fewest_cells), most_cells);
    int temperature = 0;
    if (status == FRZ_OK && model->has_temperature)
    {
        status = frz_particles_add_fields(&state->particles, frz_temperature_table, &temperature, diag);
        FRZ_ASSERT(temperature == model->temperature_field);
    }
    int enthalpy = 0;
    if (status == FRZ_OK && model->has_heat)
    {
        status = frz_particles_add_field(&state->particles, frz_enthalpy_table, FRZ_F64, &enthalpy, diag);
        FRZ_ASSERT(enthalpy == model->enthalpy_field);
    }
    for (int n = 0; status == FRZ_OK && n < model->instance_count; ++n)
    {
        int first = 0;
        if (model->instances[n].first_field < state->particles.field_count)
            continue; // shared with another material's instance of the same method
        status =
            frz_particles_add_fields(&state->particles, frz_instance_fields(model, &model->instances[n]), &first, diag);
        FRZ_ASSERT(first == model->instances[n].first_field);
    }
    if (status == FRZ_OK)
        status = add_solid_fields(model, state, diag);
    if (status == FRZ_OK)
        status = add_push_field(model, state, diag);
    if (status == FRZ_OK)
        status = add_change_fields(model, state, diag);
    if (status != FRZ_OK)
        frz_state_destroy(&state);
    *out = state;
    return status;
}

void frz_state_destroy(frz_state **state)
{
    frz_state *s = *state;
    if (s == NULL)
        return;
    frz_particles_destroy(&s->particles);
    frz_grid_destroy(&s->neighbors.grid);
    frz_cell_list_destroy(&s->neighbors.free_cells);
    frz_cell_list_destroy(&s->neighbors.sample_cells);
    frz_solids_destroy(&s->solids);
    frz_bonds_destroy(&s->bonds);
    frz_attachments_destroy(s);
    frz_pairs_destroy(&s->neighbors.pairs);
    frz_sample_pairs_destroy(&s->neighbors.sample_pairs);
    frz_sample_fit_destroy(&s->neighbors.sample_fit);
    frz_affine_destroy(&s->neighbors.affine);
    frz_arena_destroy(&s->scratch);
    frz_free(s->samples.local);
    frz_free(s->samples.local_normal);
    frz_free(s->samples.normal);
    frz_free(s->samples.area);
    frz_free(s->samples.pressure);
    frz_contacts_destroy(&s->contact.set);
    frz_contact_destroy(&s->contact);
    frz_bodies_destroy(s);
    frz_changes_destroy(s);
    frz_energy_destroy(s);
    frz_body_links_destroy(&s->links);
    frz_free(s->sources.travelled);
    frz_free(s->sources.emitters);
    frz_free(s->sources.killed);
    frz_free(s->sources.flows);
    frz_free(s);
    *state = NULL;
}

static void densities(const frz_model *model, frz_state *state)
{
    state->one_density = true;
    double common = 0.0;
    for (int b = 0; b < model->body_count; ++b)
    {
        const frz_body *body = &model->bodies[b];
        const double density = body->material >= 0 ? model->materials[body->material].density : 1000.0;
        if (body->role != FRZ_ROLE_FREE)
            continue;
        if (common > 0.0 && density != common)
            state->one_density = false;
        common = density;
    }
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles); // rigid bodies have their own
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        state->one_density = state->one_density && inverse_density[i] == inverse_density[0];
}

// Largest mean speed between two keyframes, and the peak of the smooth interpolation, 3/2 of it.
static double sample_speed(const frz_model *model)
{
    double fastest = 0.0;
    for (int b = 0; b < model->body_count; ++b)
    {
        const frz_motion *motion = &model->bodies[b].motion;
        const double peak = motion->interpolation == FRZ_INTERPOLATION_SMOOTH ? 1.5 : 1.0;
        for (int k = 1; k < motion->count; ++k)
        {
            const frz_keyframe *from = &motion->keyframes[k - 1], *to = &motion->keyframes[k];
            if (to->time > from->time)
                fastest = fmax(fastest, peak * frz_v3_length(frz_v3_sub(to->position, from->position)) /
                                            (to->time - from->time));
        }
    }
    return fastest;
}

// Speed of the fastest point of a rigid body as it starts.
static double start_speed(const frz_body *body, const frz_state *state)
{
    const frz_rigid_body *rigid = &body->rigid;
    double fastest = frz_v3_length(rigid->velocity);
    const int samples = body->role == FRZ_ROLE_SAMPLE ? (int)body->sample_count : 0; // particles have their own speeds
    for (int k = body->first_sample; k < body->first_sample + samples; ++k)
        fastest = fmax(fastest,
                       frz_v3_length(frz_v3_add(rigid->velocity, frz_v3_cross(rigid->spin, state->samples.local[k]))));
    return fastest;
}

// The same at the end of a fall to a potential (m^2/s^2).
static double rigid_speed(const frz_model *model, const frz_state *state, double lowest)
{
    double fastest = 0.0;
    for (int b = 0; b < model->body_count; ++b)
    {
        const frz_body *body = &model->bodies[b];
        if (body->kind != FRZ_BODY_RIGID)
            continue;
        const frz_vec3 x = body->rigid.position;
        const double potential = -model->gravity[0] * x.x - model->gravity[1] * x.y - model->gravity[2] * x.z;
        const bool falls = body->rigid.inverse_mass > 0.0 && potential > lowest && lowest < HUGE_VAL;
        const double start = start_speed(body, state);
        fastest = fmax(fastest, sqrt(start * start + (falls ? 2.0 * (potential - lowest) : 0.0)));
    }
    return fastest;
}

double frz_state_expected_speed(const frz_model *model, const frz_state *state)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    double highest = -HUGE_VAL, lowest = HUGE_VAL, square = 0.0; // potentials -g . x, m^2/s^2
    for (int r = 0; r < FRZ_ROLE_COUNT; ++r)
        for (int i = state->particles.first[r]; i < state->particles.first[r] + state->particles.count[r]; ++i)
        {
            double potential = 0.0;
            for (int a = 0; a < 3; ++a)
                potential -= model->gravity[a] * (double)position[i][a];
            lowest = fmin(lowest, potential);
            if (r != FRZ_ROLE_FREE)
                continue;
            highest = fmax(highest, potential);
            square = fmax(square, (double)frz_v4_dot3(velocity[i], velocity[i]));
        }
    double speed = sqrt(square + (highest > lowest ? 2.0 * (highest - lowest) : 0.0));
    for (int e = 0; e < model->emitter_count; ++e)
    {
        const frz_emitter *emitter = &model->emitters[e];
        const double potential = -model->gravity[0] * emitter->patch.center.x -
                                 model->gravity[1] * emitter->patch.center.y -
                                 model->gravity[2] * emitter->patch.center.z;
        const double fall = potential > lowest && lowest < HUGE_VAL ? 2.0 * (potential - lowest) : 0.0;
        speed = fmax(speed, sqrt(emitter->speed * emitter->speed + fall));
    }
    return fmax(fmax(speed, sample_speed(model)), rigid_speed(model, state, lowest));
}

// Bounds of everything, with a margin of one support.
static void first_bounds(const frz_model *model, frz_state *state)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    for (int a = 0; a < 3; ++a)
    {
        double min = HUGE_VAL, max = -HUGE_VAL, liquid_min = HUGE_VAL, liquid_max = -HUGE_VAL;
        for (int r = 0; r < FRZ_ROLE_COUNT; ++r)
            for (int i = state->particles.first[r]; i < state->particles.first[r] + state->particles.count[r]; ++i)
            {
                const double x = (double)position[i][a];
                min = fmin(min, x);
                max = fmax(max, x);
                if (r == FRZ_ROLE_FREE)
                {
                    liquid_min = fmin(liquid_min, x);
                    liquid_max = fmax(liquid_max, x);
                }
            }
        state->stats.min[a] = liquid_min <= liquid_max ? liquid_min : 0.0;
        state->stats.max[a] = liquid_min <= liquid_max ? liquid_max : 0.0;
        state->neighbors.grid_min[a] = (min <= max ? min : 0.0) - model->support;
        state->neighbors.grid_max[a] = (min <= max ? max : 0.0) + model->support;
        if (model->periodic[a])
        {
            state->neighbors.grid_min[a] = model->domain_min[a];
            state->neighbors.grid_max[a] = model->domain_max[a];
        }
    }
}

static void number_particles(frz_state *state)
{
    const int64_t *id = frz_field_i64(&state->particles, FRZ_FIELD_ID_id);
    for (int r = 0; r < FRZ_ROLE_COUNT; ++r)
        for (int i = state->particles.first[r]; i < state->particles.first[r] + state->particles.count[r]; ++i)
            state->next_id = id[i] >= state->next_id ? id[i] + 1 : state->next_id;
}

frz_status frz_state_finish(const frz_model *model, frz_state *state, frz_diag *diag)
{
    densities(model, state);
    number_particles(state);
    if (state->fields.origin >= 0)
        memcpy(frz_field_i32(&state->particles, state->fields.origin),
               frz_field_i32(&state->particles, FRZ_FIELD_ID_body),
               (size_t)state->particles.count[FRZ_ROLE_FREE] * sizeof(int32_t));
    for (int b = 0; b < model->body_count; ++b)
    {
        state->any_motion = state->any_motion || frz_body_moves(&model->bodies[b]);
        state->bodies.rigid[b] = model->bodies[b].rigid;
        state->bodies.identity[b].particles = model->bodies[b].sample_count;
        if (model->bodies[b].kind == FRZ_BODY_RIGID)
            state->stats.sample_speed = fmax(state->stats.sample_speed, start_speed(&model->bodies[b], state));
    }
    frz_samples_place(model, state);
    first_bounds(model, state);
    const double *g = model->gravity;
    state->stats.max_acceleration = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    // until the first pressure solve: that of the liquid standing still
    double head = 0.0;
    for (int a = 0; a < model->dimension; ++a)
        head += fabs(g[a]) * (state->stats.max[a] - state->stats.min[a]);
    state->stats.pressure_speed = sqrt(head);
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        state->stats.max_speed = fmax(state->stats.max_speed, sqrt((double)frz_v4_dot3(velocity[i], velocity[i])));
    frz_particles_mirror(&state->particles, FRZ_ROLE_FREE);
    return frz_neighborhood_update(model, state, diag);
}
