// SPDX-License-Identifier: MIT
// Implicit elastic bodies in the pressure system (sim/response.h).
//
// The unknowns of the system are displacements in the step: particles of such bodies move by theta dt for a change of
// velocity of 1, so that their mobility has the factor theta, and the source has the velocity w of their motion. The
// solver approximates the response A^-1 of a body by one number per body, give, times 1 / m. The true response is
// computed once all multipliers are known, for all pairs with a particle of such a body.
#include <math.h>
#include <string.h>

#include "physics/pressure/pressure_system.h"
#include "sim/friction.h"

// Values of frz_pressure_system.beside.
enum
{
    near_soft = 1,    // a particle of an implicit body is near, or it is one
    touches_solid = 2 // it is one, and more than liquid pushes at it
};

static frz_status make_room(frz_state *state, frz_pressure_system *system, frz_diag *diag)
{
    frz_arena *scratch = &state->scratch;
    const int rows = frz_particles_rows(&state->particles);
    frz_real *mobility = FRZ_SCRATCH(scratch, rows + 1, frz_real);
    system->total = FRZ_SCRATCH(scratch, rows + 1, frz_real);
    system->lever = FRZ_SCRATCH(scratch, rows + 1, frz_real);
    system->beside = FRZ_SCRATCH(scratch, rows + 1, uint8_t);
    system->recovers = FRZ_SCRATCH(scratch, rows + 1, bool);
    system->way = FRZ_SCRATCH(scratch, rows + 1, frz_v4);
    if (mobility == NULL || system->total == NULL || system->lever == NULL || system->beside == NULL ||
        system->recovers == NULL || system->way == NULL)
        return frz_fail_memory(diag, "contacts of elastic bodies");
    memset(system->total, 0, (size_t)rows * sizeof *system->total);
    memset(system->beside, 0, (size_t)rows * sizeof *system->beside);
    memset(system->recovers, 0, (size_t)rows * sizeof *system->recovers);
    for (int i = 0; i < system->pairs->count; ++i)
        mobility[i] = system->mobility != NULL ? system->mobility[i] : 1;
    system->mobility = mobility;
    for (int i = 0; i < system->pairs->count; ++i)
        if (frz_kicks_is_soft(system->kicks, i))
        {
            const frz_response *r = system->kicks->of_body[system->kicks->body_of_slot[i]];
            mobility[i] *= (frz_real)(r->theta * system->kicks->give[r->body]);
        }
    return FRZ_OK;
}

frz_status frz_pressure_response_make(frz_state *state, frz_pressure_system *system, frz_diag *diag)
{
    FRZ_TRY(frz_kicks_make(state, &system->kicks, diag));
    if (system->kicks == NULL)
        return FRZ_OK;
    FRZ_TRY(make_room(state, system, diag));
    const frz_pairs *pairs = system->pairs;
    for (int e = 0; e < state->solids.count; ++e)
    {
        const int i = state->solids.slot[e];
        if (i < 0 || !(pairs->diagonal[i] > 0) || !frz_kicks_answers(system->kicks, i))
            continue;
        const frz_response *r = system->kicks->of_body[system->kicks->body_of_slot[i]]; // null: of a tied body
        const bool implicit = r != NULL && !frz_response_is_explicit(r);
        system->beside[i] = near_soft;
        system->recovers[i] = system->recovers[i] || implicit;
        for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
        {
            const uint32_t j = pairs->blocks[i / FRZ_BLOCK].index[k];
            system->beside[j] = near_soft;
            system->recovers[j] = system->recovers[j] || (implicit && state->solids.index_of_slot[j] >= 0);
        }
    }
    return FRZ_OK;
}

frz_real frz_pressure_response_diagonal(const frz_pressure_system *system, int i, frz_real without)
{
    if (system->kicks == NULL || system->beside[i] == 0)
        return without;
    const frz_pairs *pairs = system->pairs;
    const frz_pair_block *block = &pairs->blocks[i / FRZ_BLOCK];
    frz_real sum = system->mobility[i] * frz_v4_dot3(pairs->gradient_sum[i], pairs->gradient_sum[i]);
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const frz_v4 g = frz_v4_xyz(frz_pair_load(&block->pair[k]));
        sum += system->mobility[block->index[k]] * frz_v4_dot3(g, g);
    }
    return sum;
}

void frz_pressure_response_take(const frz_pressure_system *system, const frz_real *taken)
{
    for (int i = 0; system->kicks != NULL && i < system->pairs->count; ++i)
        system->total[i] += taken[i];
}

// The impulse per displacement of a spacing in the step and unit of density: kg/s times m.
static double impulse_unit(const frz_model *model, const frz_pressure_system *system, double dt)
{
    return system->reference_density * model->cell * system->spacing / dt;
}

// Rigid bodies beside a soft particle: undo the solution's effect of this particle on them. Returns the flow of their
// velocities at the start of the step, which is in that of the samples.
static double take_back_links(const frz_state *state, const frz_pressure_system *system, double unit, int i)
{
    double flow = 0.0;
    for (int n = system->links != NULL ? system->links->begin[i] : 0;
         system->links != NULL && n < system->links->begin[i + 1]; ++n)
    {
        const frz_body_link *link = &system->links->link[n];
        const frz_vec3 g = frz_v3_of(link->gradient), arm = frz_v3_scale(system->spacing, frz_v3_of(link->arm));
        const frz_vec3 impulse = frz_v3_scale(unit * (double)system->total[i], g), moment = frz_v3_cross(arm, impulse);
        const frz_rigid_body *before = &state->bodies.before[link->body];
        flow += frz_v3_dot(g, frz_v3_add(before->velocity, frz_v3_cross(before->spin, arm)));
        if (!(system->total[i] > 0))
            continue;
        frz_kicks *kicks = system->kicks;
        kicks->impulse[link->body] = frz_v3_add(kicks->impulse[link->body], impulse);
        kicks->moment[link->body] = frz_v3_add(kicks->moment[link->body], moment);
        frz_kicks_join_body(kicks, i, link->body);
        frz_rigid_body_act(&state->bodies.rigid[link->body], frz_v3_scale(-1.0, impulse), frz_v3_scale(-1.0, moment));
    }
    return flow;
}

// Compression that a loose particle may reach in the step.
static double room_of(const frz_pressure_system *system, int i)
{
    return fmax(0.0, (double)(system->loose - system->density_ratio[i]));
}

// Is a particle that pushes at a soft one of the kind of this pass?
static bool is_asked(const frz_state *state, frz_kicks_kind kind, int i)
{
    return (state->solids.index_of_slot[i] < 0) == (kind == FRZ_KICKS_LIQUID);
}

// One side of a pair in the unit of frz_pressure_push.
static frz_v4 pair_push(const frz_pressure_system *system, int i, uint32_t k)
{
    const frz_pair_block *block = &system->pairs->blocks[i / FRZ_BLOCK];
    return (system->total[i] + system->total[block->index[k]]) * frz_v4_xyz(frz_pair_load(&block->pair[k]));
}

// Factor from a push to a velocity, for a particle alone.
static frz_real bare_rate(const frz_state *state, const frz_pressure_system *system, double dt, int i)
{
    const double inverse_density = (double)frz_particles_inverse_density(&state->particles)[i];
    return (frz_real)(-system->reference_density * inverse_density * system->spacing / dt);
}

// Push of one kind on a soft particle.
static frz_v4 push_of(const frz_state *state, const frz_pressure_system *system, frz_kicks_kind kind, int i)
{
    const frz_pairs *pairs = system->pairs;
    const frz_pair_block *block = &pairs->blocks[i / FRZ_BLOCK];
    frz_v4 push = frz_v4_zero(), walls = pairs->gradient_sum[i];
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)block->index[k];
        walls -= frz_v4_xyz(frz_pair_load(&block->pair[k]));
        if (j != i && system->total[i] + system->total[j] > 0 && is_asked(state, kind, j))
            push += pair_push(system, i, k);
    }
    if (kind == FRZ_KICKS_CONTACT && pairs->sample_count[i] > 0)
        push += system->total[i] * frz_v4_xyz(walls) + frz_v4_xyz(frz_pressure_wall_push(system, i));
    return push;
}

// Add all pushes on a soft particle, of liquid or of other particles. Returns whether there are any.
static bool kick_soft(const frz_state *state, const frz_pressure_system *system, frz_kicks_kind kind, double unit,
                      double dt, int i)
{
    const frz_pairs *pairs = system->pairs;
    frz_kicks *kicks = system->kicks;
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    frz_v4 push = frz_v4_zero(), walls = pairs->gradient_sum[i];
    bool wet = false, dry = pairs->sample_count[i] > 0;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)index[k];
        walls -= frz_v4_xyz(frz_pair_load(&pairs->blocks[i / FRZ_BLOCK].pair[k]));
        if (j == i || !(system->total[i] + system->total[j] > 0))
            continue;
        wet = wet || is_asked(state, FRZ_KICKS_LIQUID, j);
        dry = dry || is_asked(state, FRZ_KICKS_CONTACT, j);
        if (!is_asked(state, kind, j))
            continue;
        push += pair_push(system, i, k);
        frz_kicks_join(kicks, i, j);
    }
    system->beside[i] = dry ? touches_solid : near_soft;
    const double room = room_of(system, i) * system->spacing / dt;
    if (kind == FRZ_KICKS_LIQUID)
    {
        kicks->kick[i] = bare_rate(state, system, dt, i) * push;
        kicks->given[i] = wet ? unit * (double)system->total[i] * room : 0.0;
        return wet;
    }
    if (pairs->sample_count[i] > 0)
        push += system->total[i] * frz_v4_xyz(walls) + frz_v4_xyz(frz_pressure_wall_push(system, i));
    const double flow = (double)pairs->sample_flow[i] - take_back_links(state, system, unit, i);
    kicks->kick[i] = bare_rate(state, system, dt, i) * push;
    kicks->given[i] = unit * (double)system->total[i] * (flow + (wet ? 0.0 : room));
    return true;
}

// The push of liquid on a particle of a tied rigid body. Returns whether there is one.
static bool kick_tied(frz_state *state, const frz_pressure_system *system, double dt, int i)
{
    const frz_pairs *pairs = system->pairs;
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    bool wet = false;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)index[k];
        if (j == i || !(system->total[i] + system->total[j] > 0) || !is_asked(state, FRZ_KICKS_LIQUID, j))
            continue;
        frz_kicks_join(system->kicks, i, j);
        wet = true;
    }
    system->kicks->kick[i] = bare_rate(state, system, dt, i) * push_of(state, system, FRZ_KICKS_LIQUID, i);
    if (!system->strong) // it has it already
        frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity)[i] -= system->kicks->kick[i];
    return wet;
}

// Push of soft particles on another one: undo the solution's effect of it.
static void kick_other(frz_state *state, const frz_pressure_system *system, double dt, int i)
{
    const frz_pairs *pairs = system->pairs;
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    const int32_t *of_slot = system->drivers->of_slot;
    const int driver = of_slot != NULL ? of_slot[i] - 1 : -1;
    const int body = driver >= 0 ? system->drivers->driver[driver].body : -1;
    const bool liquid = is_asked(state, FRZ_KICKS_LIQUID, i);
    frz_v4 push = frz_v4_zero();
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)index[k];
        if (j != i && (liquid ? frz_kicks_answers(system->kicks, j) : frz_kicks_is_soft(system->kicks, j)))
            push += pair_push(system, i, k);
    }
    const frz_v4 kick = bare_rate(state, system, dt, i) * push;
    system->kicks->kick[i] = kick;
    if (driver < 0 || (body >= 0 && !system->strong)) // it has it already
        frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity)[i] -= kick;
}

// The same of particles of rigid bodies, whose motion is a part of the solution.
static void take_back_driven(const frz_model *model, frz_state *state, const frz_pressure_system *system)
{
    for (int n = 0; system->strong && n < system->drivers->count; ++n)
    {
        const frz_driven *d = &system->drivers->list[n];
        if (d->body < 0 || system->beside[d->slot] == 0)
            continue;
        const frz_real inverse_density = frz_particles_inverse_density(&state->particles)[d->slot];
        const frz_vec3 impulse =
            frz_v3_scale(-frz_particle_mass(model, inverse_density), frz_v3_of(system->kicks->kick[d->slot]));
        frz_rigid_body_act(&state->bodies.rigid[d->body], impulse, frz_v3_cross(d->arm, impulse));
    }
}

// Replace the solved impulses in the record of forces by the final ones.
static void note_loads(const frz_state *state, const frz_pressure_system *system, double dt)
{
    const frz_kicks *kicks = system->kicks;
    for (int b = 0; system->links != NULL && b < kicks->body_count; ++b)
    {
        const double change = (kicks->scale[kicks->first_body_node + b] - 1.0) / dt;
        frz_body_load *load = &state->bodies.loads[b];
        load->fluid_force = frz_v3_mad(load->fluid_force, change, kicks->impulse[b]);
        load->fluid_torque = frz_v3_mad(load->fluid_torque, change, kicks->moment[b]);
    }
}

// The impulses of liquid, or of everything else; returns whether there are any.
static bool kick_all(frz_state *state, const frz_pressure_system *system, frz_kicks_kind kind, double unit, double dt)
{
    bool any = false;
    for (int i = 0; i < system->pairs->count; ++i)
        if (system->beside[i] != 0 && frz_kicks_is_soft(system->kicks, i))
            any = kick_soft(state, system, kind, unit, dt, i) || any;
        else if (system->beside[i] != 0 && kind == FRZ_KICKS_LIQUID && frz_kicks_is_tied(system->kicks, i))
            any = kick_tied(state, system, dt, i) || any;
        else if (system->beside[i] != 0 && is_asked(state, kind, i))
            kick_other(state, system, dt, i);
    return any;
}

// The same for the pressures of elastic particles: the impulses of liquid have another factor than those of contacts.
static void note_pressures(const frz_state *state, const frz_pressure_system *system, uint8_t whose)
{
    frz_real *pressure = frz_field_real(&state->particles, FRZ_FIELD_ID_pressure);
    for (int i = 0; i < system->pairs->count; ++i)
        if (system->beside[i] == whose && state->solids.index_of_slot[i] >= 0)
            pressure[i] *= (frz_real)frz_kicks_scale(system->kicks, i);
}

// Kicks of one kind by the multipliers of total, on soft particles only. Those of contacts have the friction of the
// last step, which is found later. Returns whether there are any, or were in the last step.
static bool foresee_kicks(const frz_state *state, const frz_pressure_system *system, frz_kicks_kind kind, double dt)
{
    const frz_kicks *kicks = system->kicks;
    bool any = false;
    for (int i = 0; i < system->pairs->count; ++i)
    {
        const bool answers = kind == FRZ_KICKS_LIQUID ? frz_kicks_answers(kicks, i) : frz_kicks_is_soft(kicks, i);
        if (system->beside[i] == 0 || !answers)
            continue;
        const frz_v4 push = bare_rate(state, system, dt, i) * push_of(state, system, kind, i);
        const frz_v4 missed =
            kind == FRZ_KICKS_LIQUID ? kicks->missed_liquid[i] : frz_v4_xyz(kicks->missed[i] - kicks->missed_liquid[i]);
        const bool pushed = frz_v4_dot3(push, push) > 0;
        kicks->kick[i] = pushed && kind == FRZ_KICKS_CONTACT ? push + kicks->last_rub[i] : push;
        any = any || pushed || frz_v4_dot3(missed, missed) > 0;
    }
    return any;
}

frz_status frz_pressure_response_correct(frz_state *state, const frz_pressure_system *system, double dt, bool *wrong,
                                         frz_diag *diag)
{
    frz_kicks *kicks = system->kicks;
    *wrong = false;
    if (kicks == NULL || !kicks->implicit)
        return FRZ_OK;
    for (int i = 0; i < system->pairs->count; ++i)
        system->total[i] = system->kappa_before[i];
    frz_pressure_system of_total = *system;
    of_total.kappa = system->total;
    frz_pressure_extrapolate(&of_total);
    for (frz_kicks_kind kind = FRZ_KICKS_LIQUID; kind <= FRZ_KICKS_CONTACT; ++kind)
    {
        bool far = false;
        if (foresee_kicks(state, system, kind, dt))
            FRZ_TRY(frz_kicks_correct(state, kicks, kind, &far, diag));
        *wrong = *wrong || far;
    }
    memset(system->total, 0, (size_t)system->pairs->count * sizeof *system->total);
    return FRZ_OK;
}

// Work of moved walls on elastic particles, with the impulses as they act.
static void note_work(frz_state *state, const frz_pressure_system *system, double unit)
{
    for (int i = 0; state->any_motion && i < system->pairs->count; ++i)
        if (system->beside[i] != 0 && frz_kicks_is_soft(system->kicks, i) && system->pairs->sample_count[i] > 0)
            state->stats.work -=
                unit * (double)system->total[i] * frz_kicks_scale(system->kicks, i) * frz_pressure_wall_flow(system, i);
}

frz_status frz_pressure_response_finish(const frz_model *model, frz_state *state, const frz_pressure_system *system,
                                        double dt, frz_diag *diag)
{
    frz_kicks *kicks = system->kicks;
    if (kicks == NULL)
        return FRZ_OK;
    const double unit = impulse_unit(model, system, dt);
    frz_pressure_system of_total = *system;
    of_total.kappa = system->total;
    frz_pressure_extrapolate(&of_total);
    frz_kicks_foresee(state, kicks);
    if (kick_all(state, system, FRZ_KICKS_LIQUID, unit, dt))
    {
        take_back_driven(model, state, system);
        FRZ_TRY(frz_kicks_apply(model, state, kicks, FRZ_KICKS_LIQUID, diag));
        note_loads(state, system, dt);
        note_pressures(state, system, near_soft);
        frz_kicks_next(state, kicks);
    }
    frz_kicks_settle_liquid(kicks);
    (void)kick_all(state, system, FRZ_KICKS_CONTACT, unit, dt);
    take_back_driven(model, state, system);
    FRZ_TRY(frz_solids_kick_friction(model, state, kicks, dt, diag));
    FRZ_TRY(frz_kicks_apply(model, state, kicks, FRZ_KICKS_CONTACT, diag));
    note_pressures(state, system, touches_solid);
    frz_solids_note_friction(model, state, kicks, dt);
    note_loads(state, system, dt);
    note_work(state, system, unit);
    return FRZ_OK;
}
