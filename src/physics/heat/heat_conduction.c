// SPDX-License-Identifier: MIT
// Conduction of heat in and between all phases, with latent heat. Cleary & Monaghan 1999, eq. 28, for the pairs;
// enthalpies as the conserved quantity (Voller & Prakash 1987); heat_system.h has the equations.
//
// All materials with heat are one system, which the first of them solves with its own choice of integration. The step
// of the mechanics is never shortened: the heat takes as many parts of it as it needs. Where temperatures change slowly
// it waits: one step of the heat stands for several of the mechanics, as long as no particle can take on more than a
// small part of the temperature around it. Who its neighbours were in the meantime matters no more than that part.
//
// Liquids that expand rise by the Boussinesq force - expansion (T - T_ref) g: the density differs in the weight alone.

#include <math.h>
#include <string.h>

#include "physics/heat/heat_system.h"
#include "physics/heat/heat_volume.h"
#include "sim/change.h"

extern const frz_method frz_method_heat_conduction;

typedef struct conduction
{
    frz_thermal thermal; // first: see sim/thermal.h
    int integration;
    double max_error;
    int max_iterations;
    int every;
} conduction;

static const char *const integration_words[] = {"auto", "explicit", "implicit", NULL};

#define AT(member) offsetof(conduction, member)
static const frz_param conduction_params[] = {
    {"conductivity", "thermal conductivity", FRZ_PARAM_REAL, AT(thermal.conductivity), 0.6, 0.0, 1e6, "W/(m K)"},
    {"specific_heat", "heat per mass and kelvin", FRZ_PARAM_REAL, AT(thermal.specific_heat), 4184.0, 1e-3, 1e9,
     "J/(kg K)"},
    {"solid_conductivity", "conductivity below the melting range; 0: the same", FRZ_PARAM_REAL,
     AT(thermal.solid_conductivity), 0.0, 0.0, 1e6, "W/(m K)"},
    {"solid_specific_heat", "specific heat below the melting range; 0: the same", FRZ_PARAM_REAL,
     AT(thermal.solid_specific_heat), 0.0, 0.0, 1e9, "J/(kg K)"},
    {"expansion", "of the volume of the liquid, which rises where it is warm", FRZ_PARAM_REAL, AT(thermal.expansion),
     0.0, -1.0, 1.0, "1/K"},
    {"expansion_reference", "temperature at which the liquid has its density; 0 K: that of the scene", FRZ_PARAM_REAL,
     AT(thermal.expansion_reference), 0.0, 0.0, 1e6, "K"},
    {"convection", "heat transfer coefficient to the air, which has the temperature of the scene", FRZ_PARAM_REAL,
     AT(thermal.convection), 0.0, 0.0, 1e9, "W/(m2 K)"},
    {"emissivity", "of the free surface, which radiates to surroundings at the temperature of the scene",
     FRZ_PARAM_REAL, AT(thermal.emissivity), 0.0, 0.0, 1.0, ""},
    {"plastic_work", "plastic work of elastic bodies becomes heat", FRZ_PARAM_BOOL, AT(thermal.plastic_work), 0, 0, 1,
     ""},
    {"friction", "friction of elastic bodies becomes heat: half of that at a contact is this side's", FRZ_PARAM_BOOL,
     AT(thermal.friction), 0, 0, 1, ""},
    {"integration", "explicit in substeps, implicit, or the cheaper one (auto); of the first material with heat",
     FRZ_PARAM_WORD, AT(integration), 0, 0, 0, "", integration_words},
    {"max_error", "temperature left unbalanced at which the implicit solver stops", FRZ_PARAM_REAL, AT(max_error), 1e-4,
     1e-12, 10.0, "K"},
    {"max_iterations", "iterations after which conjugate gradients give up", FRZ_PARAM_INT, AT(max_iterations), 1000, 1,
     100000, ""},
    {"every",
     "steps of the mechanics after which the heat goes on at the latest; it waits only while temperatures change by "
     "less than a tenth of the differences around them, and by less than 1 K in regions and at walls; 1: never; of the "
     "first material with heat",
     FRZ_PARAM_INT, AT(every), 8, 1, 1000, ""},
    {0},
};

// The first field is that of frz_state_heat_of_work.
static const frz_field_decl conduction_fields[] = {{"work", 1, "J", FRZ_FIELD_SAVE | FRZ_FIELD_SORT,
                                                    "energy that becomes heat in this step; plastic methods, friction"},
                                                   FRZ_HEAT_VOLUME_FIELD,
                                                   {0}};

enum
{
    steps_of_batch = 8 // between two looks at who melts and freezes: a batch costs about as much as a sort
};

// Heat of all particles and the latent part of it.
static frz_status measure(const frz_model *model, frz_state *state, double *content, double *latent, frz_diag *diag)
{
    const int count = state->particles.count[FRZ_ROLE_FREE], blocks = frz_block_count(count);
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    double *all = FRZ_SCRATCH(&state->scratch, blocks + 1, double);
    double *molten = FRZ_SCRATCH(&state->scratch, blocks + 1, double);
    if (all == NULL || molten == NULL)
        return frz_fail_memory(diag, "the heat");
    const double *enthalpy = frz_state_enthalpy(&state->particles, model->enthalpy_field);
    const uint8_t *material = frz_particles_material(&state->particles);
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
#pragma omp parallel for schedule(static) if (count >= frz_parallel_some)
    for (int b = 0; b < blocks; ++b)
    {
        double sum = 0.0, part = 0.0;
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
        {
            const frz_heat_curve *curve = &model->materials[material[i]].curve;
            const double mass = frz_particle_mass(model, inverse_density[i]);
            sum += mass * enthalpy[i];
            part += mass * (curve->latent * frz_heat_curve_fraction(curve, enthalpy[i]));
        }
        all[b] = sum;
        molten[b] = part;
    }
    *content = frz_blocks_sum(all, blocks);
    *latent = frz_blocks_sum(molten, blocks);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

// Write the temperatures. One that is no number, or below 0 K, is a failure with a name.
static frz_status store(const frz_model *model, const frz_state *state, const frz_heat_system *s, frz_diag *diag)
{
    frz_real *temperature = frz_field_real(&state->particles, model->temperature_field);
    int bad = s->count;
#pragma omp parallel for schedule(static) reduction(min : bad) if (s->count >= frz_parallel_some)
    for (int i = 0; i < s->count; ++i)
    {
        if (!s->curve[i]->conducts)
            continue;
        temperature[i] = (frz_real)s->temperature[i];
        if (!(s->temperature[i] >= 0.0 && s->temperature[i] < HUGE_VAL))
            bad = i < bad ? i : bad;
    }
    if (bad == s->count)
        return FRZ_OK;
    return frz_fail(diag, FRZ_ERR_DIVERGED,
                    "the temperature of particle %lld would be %g K; look for a heat_flux or a region that takes more "
                    "heat than there is",
                    (long long)frz_field_i64(&state->particles, FRZ_FIELD_ID_id)[bad], s->temperature[bad]);
}

// The first material with heat.
static bool is_first(const frz_model *model, const frz_instance *instance)
{
    int first = 0;
    while (frz_model_method(model, FRZ_SLOT_HEAT, first) == NULL)
        ++first;
    return instance->material == first;
}

// Whether the heat can wait for the next step. Melting and freezing are looked at in batches: it does not wait then.
static bool waits(const frz_state *state, const conduction *self, double dt)
{
    const int64_t step = state->step + 1; // the present one
    return step % self->every != 0 && step % steps_of_batch != 0 &&
           state->heat.waiting + 2.0 * dt <= state->heat.patience;
}

// Figures of the last step of the heat; a restart has them from the account.
static void recall(const frz_heat_account *account, frz_heat_stats *stats)
{
    memcpy(stats->power, account->power, sizeof stats->power);
    stats->surface_area = account->surface_area;
    stats->substeps = (int)account->substeps;
    stats->iterations = (int)account->iterations;
    stats->patience = account->patience;
    stats->span = stats->gained = stats->drift = 0.0;
}

// The heat goes on by a time.
static frz_status go_on(const frz_model *model, frz_state *state, const frz_instance *instance, double span,
                        frz_diag *diag)
{
    const conduction *self = instance->self;
    frz_heat_stats *stats = &state->stats.heat;
    frz_heat_system system;
    double before, latent, entered[FRZ_HEAT_PORTS];
    FRZ_TRY(measure(model, state, &before, &latent, diag));
    FRZ_TRY(frz_heat_system_make(model, state, &system, diag));
    FRZ_TRY(frz_heat_system_add_work(model, state, span, &system, diag));
    const frz_heat_rules rules = {self->integration, self->max_error, self->max_iterations};
    FRZ_TRY(frz_heat_solve(&system, state, &rules, span, entered, diag));
    FRZ_TRY(store(model, state, &system, diag));
    if (system.gain[FRZ_HEAT_WORK] != NULL)
        memset(frz_field_real(&state->particles, instance->first_field), 0, (size_t)system.count * sizeof(frz_real));
    FRZ_TRY(measure(model, state, &stats->content, &stats->latent, diag));
    stats->surface_area = system.surface_area;
    stats->span = span;
    stats->gained = 0.0;
    for (int p = 0; p < FRZ_HEAT_PORTS; ++p)
    {
        stats->power[p] = entered[p] / span;
        stats->gained += entered[p];
    }
    stats->drift = stats->content - before - stats->gained;
    return FRZ_OK;
}

// Temperature of a liquid at which its buoyancy is none, K.
static double reference_of(const frz_model *model, const frz_thermal *thermal)
{
    return thermal->expansion_reference > 0.0 ? thermal->expansion_reference : model->ambient;
}

// Work of the buoyancy, once the velocities of the step are known; temperatures are still those that it was made of.
static frz_status note_buoyancy(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                frz_diag *diag)
{
    const frz_thermal *thermal = &((const conduction *)instance->self)->thermal;
    const int count = state->particles.count[FRZ_ROLE_FREE], blocks = frz_block_count(count);
    double *sums = FRZ_SCRATCH(&state->scratch, blocks + 1, double);
    if (sums == NULL)
        return frz_fail_memory(diag, "the buoyancy");
    const double reference = reference_of(model, thermal);
    const frz_vec3 gravity = frz_v3(model->gravity[0], model->gravity[1], model->gravity[2]);
    const frz_real *temperature = frz_field_real(&state->particles, model->temperature_field);
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const uint8_t *material = frz_particles_material(&state->particles),
                  *phase = frz_particles_phase(&state->particles);
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int b = 0; b < blocks; ++b)
    {
        sums[b] = 0.0;
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
        {
            if (material[i] != instance->material || phase[i] != FRZ_PHASE_LIQUID)
                continue;
            const double mass = frz_particle_mass(model, frz_particles_inverse_density(&state->particles)[i]);
            const frz_vec3 way = frz_v3_scale(dt, frz_v3_of(velocity[i]));
            sums[b] -= mass * ((double)temperature[i] - reference) * frz_v3_dot(gravity, way);
        }
    }
    state->stats.work += thermal->expansion * frz_exact_sum(sums, sizeof *sums, blocks);
    return FRZ_OK;
}

// Work of heat on the elastic energy of bodies whose stiffness depends on temperature.
static frz_status go_on_stiff(const frz_model *model, frz_state *state, const frz_instance *instance, double span,
                              frz_diag *diag)
{
    double before, after;
    bool any = false;
    for (int m = 0; m < model->material_count && state->solids.count > 0; ++m)
        any = any || frz_material_depends(&model->materials[m], FRZ_PROPERTY_STIFFNESS);
    if (!any)
        return go_on(model, state, instance, span, diag);
    FRZ_TRY(frz_energy_elastic(model, state, &before, diag));
    FRZ_TRY(go_on(model, state, instance, span, diag));
    FRZ_TRY(frz_energy_elastic(model, state, &after, diag));
    state->stats.work += after - before;
    return FRZ_OK;
}

static frz_status conduct(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                          frz_diag *diag)
{
    if (((const conduction *)instance->self)->thermal.expansion != 0.0)
        FRZ_TRY(note_buoyancy(model, state, instance, dt, diag));
    if (!is_first(model, instance))
        return FRZ_OK;
    frz_heat_stats *stats = &state->stats.heat;
    if (state->heat_held)
    {
        recall(&state->heat, stats);
        return FRZ_OK;
    }
    if (waits(state, instance->self, dt))
    {
        recall(&state->heat, stats);
        return measure(model, state, &stats->content, &stats->latent, diag);
    }
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    FRZ_TRY(go_on_stiff(model, state, instance, state->heat.waiting + dt, diag));
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

static bool is_buoyant(const void *self)
{
    return ((const conduction *)self)->thermal.expansion != 0.0;
}

// The step is good: the books.
static frz_status book(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                       frz_diag *diag)
{
    if (!is_first(model, instance) || state->heat_held)
        return FRZ_OK;
    const frz_heat_stats *stats = &state->stats.heat;
    frz_heat_account *account = &state->heat;
    for (int p = 0; p < FRZ_HEAT_PORTS; ++p)
        account->entered[p] += stats->span * stats->power[p];
    account->drift += stats->drift;
    account->waiting = stats->span > 0.0 ? 0.0 : account->waiting + dt;
    account->patience = stats->patience;
    memcpy(account->power, stats->power, sizeof account->power);
    account->surface_area = stats->surface_area;
    account->substeps = stats->substeps;
    account->iterations = stats->iterations;
    return frz_heat_volume_relax(model, state, instance->first_field + 1, dt, diag);
}

static frz_status rise(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                       frz_diag *diag)
{
    (void)dt;
    (void)diag;
    const frz_thermal *thermal = &((const conduction *)instance->self)->thermal;
    if (is_first(model, instance))
        frz_heat_volume_apply(state, instance->first_field + 1);
    if (thermal->expansion == 0.0)
        return FRZ_OK;
    const double reference = reference_of(model, thermal);
    const frz_real *temperature = frz_field_real(&state->particles, model->temperature_field);
    const uint8_t *material = frz_particles_material(&state->particles),
                  *phase = frz_particles_phase(&state->particles);
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    const frz_v4 gravity =
        frz_v4_set((frz_real)model->gravity[0], (frz_real)model->gravity[1], (frz_real)model->gravity[2], 0);
    const int count = state->particles.count[FRZ_ROLE_FREE];
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
    for (int i = 0; i < count; ++i)
        if (material[i] == instance->material && phase[i] == FRZ_PHASE_LIQUID)
            acceleration[i] -= (frz_real)(thermal->expansion * ((double)temperature[i] - reference)) * gravity;
    return FRZ_OK;
}

static frz_status check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    const frz_thermal *thermal = &((const conduction *)instance->self)->thermal;
    const frz_material *material = &model->materials[instance->material];
    if (!material->melting.given && (thermal->solid_conductivity > 0.0 || thermal->solid_specific_heat > 0.0))
        return frz_fail(
            diag, FRZ_ERR_SCENE,
            "material '%s' has a solid_conductivity or solid_specific_heat, which are for materials with the "
            "key 'melting': it tells when they are solid",
            material->name);
    const frz_instance *elastic = frz_model_method(model, FRZ_SLOT_ELASTIC, instance->material);
    if (frz_model_has_points(model, instance->material) && (thermal->convection > 0.0 || thermal->emissivity > 0.0))
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "material '%s': points of mpm do not know their free surface; leave convection and emissivity "
                        "out, or take another elastic method",
                        material->name);
    const bool tied = material->melting.given && material->melting.soft && material->melting.form == FRZ_FORM_RIGID;
    if (tied && elastic != NULL && elastic->method->max_dt == NULL)
        return frz_fail(
            diag, FRZ_ERR_SCENE,
            "material '%s' is rigid below its solidus and elastic above it; the implicit method %s makes "
            "energy where elastic particles are tied to rigid ones and stand on a film of melt. Use an explicit "
            "one, such as tlsph, or 'melting: {between: keep}'",
            material->name, elastic->method->key);
    return FRZ_OK;
}

// What is all molten or frozen asks for its phase, in batches. Liquid in an inlet flows in as it is.
static void melt_and_freeze(const frz_model *model, const frz_state *state, const frz_instance *instance,
                            frz_batch *batch)
{
    const frz_material *stuff = &model->materials[instance->material];
    const frz_particles *particles = &state->particles;
    if (!stuff->melting.given || stuff->melting.form == FRZ_FORM_NONE || state->step % steps_of_batch != 0 ||
        state->heat_held)
        return;
    const double *enthalpy = frz_state_enthalpy(particles, model->enthalpy_field);
    const uint8_t *material = frz_particles_material(particles), *phase = frz_particles_phase(particles);
    const bool inlets = frz_emitters_any_on(model, state), points = frz_model_has_points(model, instance->material);
    for (int i = 0; i < particles->count[FRZ_ROLE_FREE]; ++i)
    {
        if (material[i] != instance->material)
            continue;
        const frz_phase now = (frz_phase)phase[i];
        if (points && now == FRZ_PHASE_LIQUID) // what was a material point does not become one again
            continue;
        const frz_phase next = frz_heat_curve_phase(&stuff->curve, enthalpy[i], now, &stuff->melting);
        if (next != now && !(inlets && frz_emitters_inlet_of(model, state, i) >= 0))
            frz_changes_request(batch, i, next, -1);
    }
}

const frz_method frz_method_heat_conduction = {
    .key = "conduction",
    .slot = FRZ_SLOT_HEAT,
    .doc =
        "Conduction in and between all phases with latent heat, exchange with walls and air, and buoyancy; conserves "
        "heat to rounding and never shortens the time step.",
    .cite = "Cleary & Monaghan 1999, doi:10.1006/jcph.1998.6118",
    .self_size = sizeof(conduction),
    .params = conduction_params,
    .fields = conduction_fields,
    .check = check,
    .changes = melt_and_freeze,
    .buoyant = is_buoyant,
    .run = {[FRZ_STAGE_FORCE] = rise, [FRZ_STAGE_HEAT] = conduct, [FRZ_STAGE_END] = book},
};
