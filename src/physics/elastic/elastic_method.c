// SPDX-License-Identifier: MIT
#include "physics/elastic/elastic_method.h"

#include <math.h>
#include <string.h>

#include "physics/plastic/plastic_flow.h"

const double frz_elastic_stability = 0.7;

const char *const frz_elastic_planes[] = {"strain", "stress", NULL};

void frz_elastic_moduli(const frz_model *model, const frz_elastic_params *params, double *lambda, double *mu)
{
    const double e = params->young, nu = params->poisson;
    *mu = e / (2.0 * (1.0 + nu));
    *lambda = e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    if (model->dimension == 2 && params->plane == FRZ_PLANE_STRESS)
        *lambda = 2.0 * *lambda * *mu / (*lambda + 2.0 * *mu);
}

frz_status frz_elastic_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    const frz_elastic_params *params = instance->self;
    frz_elastic_def def = frz_elastic_def_default(frz_law_find("corotated"));
    def.youngs_modulus = params->young;
    def.poisson_ratio = params->poisson;
    frz_elastic elastic;
    frz_diag cause = {.status = FRZ_OK};
    const char *material = model->materials[instance->material].name;
    if (frz_elastic_prepare(&def, &elastic, &cause) != FRZ_OK)
        return frz_fail(diag, FRZ_ERR_SCENE, "material '%s': %s", material, cause.message);
    if (params->plane == FRZ_PLANE_STRESS && model->dimension == 3)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "material '%s': 'plane: stress' is for two dimensions; leave it out in three", material);
    return FRZ_OK;
}

bool frz_elastic_reaches(const frz_model *model, const frz_state *state, const frz_instance *instance, int material)
{
    const frz_bonds *bonds = &state->bonds;
    const frz_instance *other = frz_model_method(model, FRZ_SLOT_ELASTIC, material);
    if (material == instance->material || other == NULL || other->method != instance->method ||
        bonds->run_first == NULL)
        return material == instance->material;
    bool reached = false;
    for (int b = 0; b < bonds->body_count && !reached; ++b)
        for (int r = bonds->run_first[b]; r < bonds->run_first[b + 1] && !reached; ++r)
            reached = bonds->run[r].material == material && frz_elastic_owns(state, instance, b);
    return reached;
}

// Square of the highest frequency of a body that has lost bonds over that of the whole one, at most
// (tests/methods/test_fracture.c).
static const double torn_stiffening = 1.6;

double frz_elastic_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    double most = 0.0;
    for (int b = 0; b < state->solids.body_count && state->bonds.stiffness != NULL; ++b)
        if (frz_elastic_owns(state, instance, b))
            most = fmax(most, state->bonds.stiffness[b]);
    double stiffer = 0.0, damping = 0.0;
    for (int m = 0; m < model->material_count; ++m)
    {
        if (!frz_elastic_reaches(model, state, instance, m))
            continue;
        const frz_elastic_params *params = frz_model_method(model, FRZ_SLOT_ELASTIC, m)->self;
        stiffer = fmax(stiffer, frz_plastic_stiffening(model, state, m) *
                                    frz_state_largest_factor(model, state, m, FRZ_PROPERTY_STIFFNESS));
        damping = fmax(damping, params->damping);
    }
    most *= state->solids.cracked ? torn_stiffening * stiffer : stiffer;
    // symplectic Euler of v' = -omega^2 x - c v is stable while (omega dt)^2 + 2 c dt < 4
    const double bound = 4.0 * frz_elastic_stability * frz_elastic_stability;
    if (!(most > 0.0))
        return damping > 0.0 ? 0.5 * bound / damping : HUGE_VAL;
    const double undamped = frz_elastic_stability * 2.0 / sqrt(most), slower = damping * undamped / bound;
    return undamped / (slower + sqrt(1.0 + slower * slower));
}

frz_status frz_elastic_mix(const frz_model *model, frz_state *state, const frz_instance *instance, size_t context_size,
                           frz_elastic_adapt_fn *adapt, frz_elastic_use *use, frz_diag *diag)
{
    if (state->bonds.run_first == NULL)
        return FRZ_OK;
    frz_elastic_use *by = FRZ_SCRATCH(&state->scratch, FRZ_MATERIAL_NONE + 1, frz_elastic_use);
    if (by == NULL)
        return frz_fail_memory(diag, "the elastic forces");
    for (int m = 0; m <= FRZ_MATERIAL_NONE; ++m)
    {
        by[m] = *use;
        const frz_instance *other = m < model->material_count ? frz_model_method(model, FRZ_SLOT_ELASTIC, m) : NULL;
        if (other == NULL || other == instance || other->method != instance->method)
            continue; // no particle of a body of this method has it
        void *context = FRZ_SCRATCH(&state->scratch, context_size, unsigned char);
        if (context == NULL)
            return frz_fail_memory(diag, "the elastic forces");
        memcpy(context, use->context, context_size);
        by[m].context = context;
        FRZ_TRY(adapt(model, other, context, &by[m], diag));
    }
    use->by_material = by;
    return FRZ_OK;
}

const frz_elastic_use *frz_elastic_mix_like(frz_state *state, const frz_elastic_use *use, frz_elastic_stress_fn *stress)
{
    if (use->by_material == NULL)
        return NULL;
    frz_elastic_use *by = FRZ_SCRATCH(&state->scratch, FRZ_MATERIAL_NONE + 1, frz_elastic_use);
    for (int m = 0; m <= FRZ_MATERIAL_NONE && by != NULL; ++m)
    {
        by[m] = use->by_material[m];
        by[m].stress = stress;
    }
    return by;
}

double frz_elastic_damping(const frz_model *model, const frz_state *state, const frz_instance *instance, int number)
{
    const frz_bonds *bonds = &state->bonds;
    if (frz_bonds_is_mixed(bonds, bonds->body[number]))
        instance = frz_model_method(model, FRZ_SLOT_ELASTIC, bonds->material[number]);
    return ((const frz_elastic_params *)instance->self)->damping;
}

// Factor by which particles of the body are heavier than the lightest anchor; at least 1.
static double lightest_anchor(const frz_model *model, const frz_state *state, int body, double density)
{
    const frz_bonds *bonds = &state->bonds;
    const bool anchored = bonds->anchor_first != NULL;
    double factor = 1.0;
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    const int32_t *number = frz_field_i32(&state->particles, state->fields.solid);
    for (int i = 0; anchored && i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        if (number[i] >= 0 && frz_bonds_has_anchor(bonds, body, number[i]))
            factor = fmax(factor, density * model->cell / frz_particle_mass(model, inverse_density[i]));
    return factor;
}

frz_status frz_elastic_prepare_bodies(const frz_model *model, frz_state *state, const frz_instance *instance,
                                      frz_bond_weight weight, const frz_elastic_use *use, frz_diag *diag)
{
    frz_bonds *bonds = &state->bonds;
    const double density = model->materials[instance->material].density;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_work work;
    FRZ_TRY(frz_elastic_work_make(bonds, &state->scratch, &work, diag));
    const bool scaled = bonds->any_scaled;
    bonds->any_scaled = false; // frequencies are those of the given modulus: temperatures change from step to step
    for (int b = 0; b < state->solids.body_count; ++b)
    {
        if (!frz_elastic_owns(state, instance, b) || bonds->stiffness[b] >= 0.0)
            continue;
        if (bonds->weighing[b] != weight)
            frz_bonds_weigh(bonds, b, weight);
        bonds->stiffness[b] =
            lightest_anchor(model, state, b, density) * frz_elastic_stiffness(bonds, b, use, density, &work);
    }
    bonds->any_scaled = scaled;
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

// Velocities belong to the middles of steps: from one to the next the forces act for half of the last step and half of
// this one, over the length of this one. With equal steps that is 1; acting for the length of this step alone, forces
// would make energy whenever the step is shortened while a body is pressed and lengthened while it springs back, as the
// limit of a law that stiffens does.
static frz_real kick_share(const frz_state *state)
{
    return (frz_real)(0.5 * (state->stats.dt + state->attempt.dt) / state->attempt.dt);
}

// The same where each particle has its own mass and damping.
static void add_mixed_forces(const frz_model *model, frz_state *state, const frz_instance *instance, int body,
                             const frz_v4 *force)
{
    const frz_real share = kick_share(state);
    const frz_bonds *bonds = &state->bonds;
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
#pragma omp parallel for schedule(static) if (bonds->count >= frz_parallel_some)
    for (int i = bonds->first[body]; i < bonds->first[body + 1]; ++i)
    {
        const int slot = state->solids.slot[i];
        if (slot >= 0)
            acceleration[slot] += share * ((1 / bonds->mass[i]) * force[i] -
                                           (frz_real)frz_elastic_damping(model, state, instance, i) * velocity[slot]);
    }
}

static void add_body_forces(const frz_model *model, frz_state *state, const frz_instance *instance, int body,
                            const frz_v4 *force)
{
    const frz_elastic_params *params = instance->self;
    const frz_bonds *bonds = &state->bonds;
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    const double mass = model->materials[instance->material].density * bonds->volume;
    const frz_real share = kick_share(state);
    const frz_real inverse_mass = share * (frz_real)(1.0 / mass), damping = share * (frz_real)params->damping;
    const bool mixed = frz_bonds_is_mixed(bonds, body);
    if (mixed)
        add_mixed_forces(model, state, instance, body, force);
#pragma omp parallel for schedule(static) if (bonds->count >= frz_parallel_some)
    for (int i = bonds->first[body]; i < (mixed ? 0 : bonds->first[body + 1]); ++i)
    {
        const int slot = state->solids.slot[i];
        if (slot >= 0)
            acceleration[slot] += inverse_mass * force[i] - damping * velocity[slot];
    }
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    const bool anchored = bonds->anchor_first != NULL;
    for (int a = anchored ? bonds->anchor_first[body] : 0; anchored && a < bonds->anchor_first[body + 1]; ++a)
    {
        const int slot = state->solids.slot[bonds->anchor[a]]; // its body takes the force at the border of the stage
        if (slot >= 0)
            acceleration[slot] +=
                share * (frz_real)(1.0 / frz_particle_mass(model, inverse_density[slot])) * force[bonds->anchor[a]];
    }
}

// One pass over the bodies of an instance: which output is wanted of the sweeps.
typedef struct body_pass
{
    bool add_forces;  // to the accelerations
    double *energy;   // by body: only this is computed and added; null: forces are
    double time_back; // displacements are taken so long ago, s
} body_pass;

static void shift_back(const frz_state *state, int body, double time, frz_elastic_work *work)
{
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    for (int i = state->bonds.first[body]; i < state->bonds.first[body + 1]; ++i)
        if (state->solids.slot[i] >= 0)
            work->place[i].displacement -= (frz_real)time * frz_v4_xyz(velocity[state->solids.slot[i]]);
    const frz_bonds *bonds = &state->bonds;
    const bool anchored = bonds->anchor_first != NULL;
    for (int a = anchored ? bonds->anchor_first[body] : 0; anchored && a < bonds->anchor_first[body + 1]; ++a)
        if (state->solids.slot[bonds->anchor[a]] >= 0)
            work->place[bonds->anchor[a]].displacement -=
                (frz_real)time * frz_v4_xyz(velocity[state->solids.slot[bonds->anchor[a]]]);
}

static frz_status pass_bodies(const frz_model *model, frz_state *state, const frz_instance *instance,
                              const frz_elastic_use *use, const body_pass *pass, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_work work;
    FRZ_TRY(frz_elastic_work_make(&state->bonds, &state->scratch, &work, diag));
    for (int b = 0; b < state->solids.body_count; ++b)
    {
        if (!frz_elastic_owns(state, instance, b))
            continue;
        frz_elastic_gather(state, b, &work);
        if (pass->time_back > 0.0)
            shift_back(state, b, pass->time_back, &work);
        if (pass->energy != NULL)
            pass->energy[b] += frz_elastic_energy(&state->bonds, b, use, &work);
        else
            (void)frz_elastic_forces(&state->bonds, b, use, &work);
        if (pass->add_forces)
            add_body_forces(model, state, instance, b, work.force);
    }
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

frz_status frz_elastic_add_forces(const frz_model *model, frz_state *state, const frz_instance *instance,
                                  const frz_elastic_use *use, frz_diag *diag)
{
    const body_pass pass = {.add_forces = true};
    return pass_bodies(model, state, instance, use, &pass, diag);
}

frz_status frz_elastic_add_flow(const frz_model *model, frz_state *state, const frz_instance *instance,
                                const frz_elastic_use *use, frz_diag *diag)
{
    const body_pass pass = {.add_forces = false};
    return pass_bodies(model, state, instance, use, &pass, diag);
}

frz_status frz_elastic_add_energy(const frz_model *model, frz_state *state, const frz_instance *instance,
                                  const frz_elastic_use *use, bool is_explicit, double *energy, frz_diag *diag)
{
    const bool between = is_explicit && state->bonds.energy_of == NULL; // fracture asks about the places as they are
    const body_pass pass = {.energy = energy, .time_back = between ? 0.5 * state->stats.dt : 0.0};
    return pass_bodies(model, state, instance, use, &pass, diag);
}

frz_v4 *frz_elastic_read_turns(frz_state *state, const frz_instance *instance)
{
    const frz_bonds *bonds = &state->bonds;
    const frz_v4 *field = frz_field_v4(&state->particles, instance->first_field);
    frz_v4 *turns = FRZ_SCRATCH(&state->scratch, bonds->count + 1, frz_v4);
    for (int b = 0; b < state->solids.body_count && turns != NULL; ++b)
    {
        if (!frz_elastic_owns(state, instance, b))
            continue;
#pragma omp parallel for schedule(static) if (bonds->count >= frz_parallel_some)
        for (int i = bonds->first[b]; i < bonds->first[b + 1]; ++i)
        {
            const int slot = state->solids.slot[i];
            frz_v4 q = slot >= 0 ? frz_v4_xyz(field[slot]) : frz_v4_zero();
            const frz_real square = frz_v4_dot3(q, q);
            q[3] = square < 1 ? (frz_real)sqrt(1.0 - (double)square) : 0;
            turns[i] = q;
        }
    }
    return turns;
}

void frz_elastic_write_turns(frz_state *state, const frz_instance *instance, const frz_v4 *turns)
{
    const frz_bonds *bonds = &state->bonds;
    frz_v4 *field = frz_field_v4(&state->particles, instance->first_field);
    for (int b = 0; b < state->solids.body_count; ++b)
    {
        if (!frz_elastic_owns(state, instance, b))
            continue;
#pragma omp parallel for schedule(static) if (bonds->count >= frz_parallel_some)
        for (int i = bonds->first[b]; i < bonds->first[b + 1]; ++i)
        {
            const int slot = state->solids.slot[i];
            if (slot >= 0)
                field[slot] = frz_v4_xyz(turns[i][3] < 0 ? -turns[i] : turns[i]);
        }
    }
}
