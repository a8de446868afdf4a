// SPDX-License-Identifier: MIT
#include "physics/pressure/pressure_system.h"

#include <math.h>
#include <string.h>

#include "sim/boundary.h"

// particles with (almost) no neighbours have no pressure; dimensionless like the diagonal, which is about 0.5 inside
static const frz_real smallest_diagonal = (frz_real)1e-9;
// the same for solid particles. A particle deep in its body has all of its density from the body: others at the edge of
// its support push along a gradient of almost zero, and multipliers of any size leave the residual small. Here
// gradients are a hundredth of the usual ones, at nine tenths of the support: particles at the skin bear the contact
static const frz_real smallest_contact = (frz_real)1e-4;
// kg/m^3, of a scene without liquid
static const double usual_density = 1000.0;
// also see frz_pressure_limit_correction
const double frz_pressure_particle_error = 0.05;
static const double gross_excess_rate = 0.5;
// and at contacts of implicit elastic bodies, see frz_pressure_corrected
static const double contact_recovery = 0.001;
// the step that gravity allows, as in sim/step: a fall by one hundredth of a spacing
static const double force_factor = 0.1;
// an error of compression beyond which single precision has nothing to say, over the usual tolerances
static const double strictest = 0.02;
// dt <= this * spacing / sqrt(p / rho)
static const double pressure_courant = 0.4;

const double frz_pressure_blend = 0.1;

// Walls with a pressure of their own.
static frz_status make_walls(const frz_model *model, frz_state *state, frz_pressure_system *system, frz_diag *diag)
{
    const int samples = state->particles.count[FRZ_ROLE_SAMPLE];
    system->sample_kappa = FRZ_SCRATCH(&state->scratch, samples + 1, frz_real);
    if (system->sample_kappa == NULL)
        return frz_fail_memory(diag, "the pressures of walls");
    memset(system->sample_kappa, 0, (size_t)(samples + 1) * sizeof *system->sample_kappa);
    system->sample_fit = &state->neighbors.sample_fit;
    system->sample_pairs = &state->neighbors.sample_pairs;
    system->sample_scale = (frz_real)(frz_boundary_law(model).plain * model->spacing);
    return FRZ_OK;
}

frz_status frz_pressure_system_make(const frz_model *model, frz_state *state, frz_pressure_system *system,
                                    frz_diag *diag)
{
    const int count = state->neighbors.pairs.count, rows = frz_particles_rows(&state->particles);
    memset(system, 0, sizeof *system);
    system->pairs = &state->neighbors.pairs;
    system->drivers = &state->attempt.drivers;
    system->solid = state->solids.count > 0 ? state->solids.index_of_slot : NULL;
    system->spacing = model->spacing;
    system->state = state;
    system->reference_density = usual_density;
    for (int b = model->body_count - 1; b >= 0; --b)
        if (model->bodies[b].role == FRZ_ROLE_FREE)
            system->reference_density = model->materials[model->bodies[b].material].density;
    system->mass_unit = system->reference_density * model->cell;
    frz_real *mobility = state->one_density ? NULL : FRZ_SCRATCH(&state->scratch, rows + 1, frz_real);
    system->kappa = FRZ_SCRATCH(&state->scratch, rows + 1, frz_real);
    system->displacement = FRZ_SCRATCH(&state->scratch, rows + 1, frz_v4);
    system->block_sums = FRZ_SCRATCH(&state->scratch, frz_block_count(count) + 1, frz_pressure_sums);
    system->block_work = FRZ_SCRATCH(&state->scratch, frz_block_count(count) + 1, frz_pressure_work);
    if ((!state->one_density && mobility == NULL) || system->kappa == NULL || system->displacement == NULL ||
        system->block_sums == NULL || system->block_work == NULL)
        return frz_fail_memory(diag, "the pressure");
    system->strictness = 1.0;
    system->loose = 1;
    system->density_ratio = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    if (!state->one_density)
    {
        const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
#pragma omp parallel for schedule(static) if (count >= frz_parallel_least)
        for (int i = 0; i < count; ++i)
            mobility[i] = (frz_real)(system->reference_density * (double)inverse_density[i]);
        system->mobility = mobility;
    }
    if (frz_boundary_law(model).plain > 0.0)
        FRZ_TRY(make_walls(model, state, system, diag));
    return frz_pressure_bodies_make(model, state, system, diag);
}

// Data of conjugate gradients.
static frz_status make_conjugate(frz_state *state, frz_pressure_system *system, frz_diag *diag)
{
    const int count = state->neighbors.pairs.count, rows = frz_particles_rows(&state->particles);
    system->step = FRZ_SCRATCH(&state->scratch, rows + 1, frz_real);
    system->product = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    system->step_displacement = FRZ_SCRATCH(&state->scratch, rows + 1, frz_v4);
    system->rough = system->kappa_before; // of other schemes, until the solution is found
    system->rough_residual = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    system->rough_displacement = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4);
    system->block_products = FRZ_SCRATCH(&state->scratch, frz_block_count(count) + 1, frz_pressure_products);
    if (system->step == NULL || system->product == NULL || system->step_displacement == NULL ||
        system->rough_residual == NULL || system->rough_displacement == NULL || system->block_products == NULL)
        return frz_fail_memory(diag, "the pressure solver");
    return frz_pressure_body_preconditioner_make(state, system, diag);
}

frz_status frz_pressure_system_make_iterative(const frz_model *model, frz_state *state,
                                              frz_pressure_iteration iteration, frz_pressure_system *system,
                                              frz_diag *diag)
{
    FRZ_TRY(frz_pressure_system_make(model, state, system, diag));
    FRZ_TRY(frz_pressure_response_make(state, system, diag));
    if (system->interleaved)
        iteration = FRZ_PRESSURE_JACOBI;
    const int count = state->neighbors.pairs.count, rows = frz_particles_rows(&state->particles);
    system->source = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    system->diagonal = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    system->inverse_diagonal = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    system->kappa_before = FRZ_SCRATCH(&state->scratch, rows + 1, frz_real);
    system->residual = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    if (system->source == NULL || system->diagonal == NULL || system->inverse_diagonal == NULL ||
        system->kappa_before == NULL || system->residual == NULL)
        return frz_fail_memory(diag, "the pressure solver");
    if (iteration == FRZ_PRESSURE_CONJUGATE)
        FRZ_TRY(make_conjugate(state, system, diag));
    const frz_real reference = (frz_real)system->reference_density;
    // conjugate gradients find their step length; other schemes need a bound on the interaction of a body's links
    const bool crowd = iteration != FRZ_PRESSURE_CONJUGATE || system->sample_fit != NULL;
#pragma omp parallel for schedule(static) if (count >= frz_parallel_some)
    for (int i = 0; i < count; ++i)
    {
        const frz_real alone = state->neighbors.pairs.diagonal[i] * reference;
        const frz_real liquid = frz_pressure_response_diagonal(system, i, alone);
        const frz_real divisor =
            system->body_response != NULL ? liquid : liquid + frz_pressure_bodies_diagonal(system, i, crowd);
        system->diagonal[i] = liquid + frz_pressure_bodies_diagonal(system, i, false);
        const bool solid = system->solid != NULL && system->solid[i] >= 0;
        const bool counts = divisor > smallest_diagonal && (!solid || alone > smallest_contact);
        system->inverse_diagonal[i] = counts ? 1 / divisor : 0;
        if (system->lever != NULL)
            system->lever[i] = system->diagonal[i] + (alone - liquid);
    }
    system->rows = count;
    for (int e = 0; e < state->solids.count; ++e)
        if (state->solids.slot[e] >= 0 && !(system->inverse_diagonal[state->solids.slot[e]] > 0))
            system->rows -= 1;
    return FRZ_OK;
}

static inline frz_real mobility_of(const frz_pressure_system *system, int i)
{
    return system->mobility != NULL ? system->mobility[i] : 1;
}

void frz_pressure_extrapolate(const frz_pressure_system *system)
{
    if (system->sample_fit != NULL)
        frz_sample_fit_extrapolate(system->sample_fit, system->kappa, system->sample_kappa);
}

static inline void note_mirror(const frz_pressure_system *system, const frz_body_motion *motion, frz_real rate, int i,
                               frz_v4 *field)
{
    const frz_pairs *pairs = system->pairs;
    const frz_real bodies = motion != NULL ? frz_pressure_link_flow(system, motion, i) : 0;
    const frz_real own = frz_v4_dot3(pairs->sample_gradient[i], field[i]) - rate * pairs->sample_flow[i];
    field[i][3] = frz_pair_mirror_change(pairs, own - bodies, i);
}

void frz_pressure_note_mirrors(const frz_pressure_system *system, const frz_body_motion *motion, frz_real rate,
                               frz_v4 *field)
{
    const frz_pairs *pairs = system->pairs;
#pragma omp parallel for schedule(static) if (pairs->count >= frz_parallel_least)
    for (int i = 0; i < pairs->count; ++i)
        if (pairs->mirror[i] > 0)
            note_mirror(system, motion, rate, i, field);
}

// Of the displacement, and of that with the drift.
static inline void note_both(const frz_pressure_system *system, const frz_body_motion *motion, int i)
{
    note_mirror(system, motion, 0, i, system->displacement);
    if (system->drift != NULL)
        note_mirror(system, motion, system->drift_rate, i, system->step_displacement);
}

// Displacements of a block where only pairs and walls at rest push, and all give way alike: a loop of its own, which
// keeps to the registers.
static void displace_by_pairs(const frz_pairs *pairs, const frz_real *kappa, int b, frz_v4 *displacement)
{
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
    {
        frz_v4 u = frz_v4_xyz(-frz_pair_push(pairs, kappa, b, i));
        if (pairs->mirror[i] > 0) // others need not load the gradient
            u[3] = frz_pair_mirror_change(pairs, frz_v4_dot3(pairs->sample_gradient[i], u), i);
        displacement[i] = u;
    }
}

// The sum of the displacements and the drift of a block.
static void add_drift(const frz_pressure_system *system, int b)
{
    const frz_pairs *pairs = system->pairs;
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
    {
        system->step_displacement[i] = system->displacement[i] + system->drift_rate * system->drift[i];
        if (pairs->mirror[i] > 0)
            note_mirror(system, NULL, system->drift_rate, i, system->step_displacement);
    }
}

// Material points give way as their grid lets them.
static void give_points(const frz_pressure_system *system)
{
    const frz_points *points = &system->state->attempt.points;
    if (points->give == NULL)
        return;
    points->give(points, system->displacement);
#pragma omp parallel for schedule(static) if (system->pairs->count >= frz_parallel_some)
    for (int i = 0; i < system->pairs->count; ++i)
        if (system->drift != NULL && points->touched[i])
            system->step_displacement[i] = system->displacement[i] + system->drift_rate * system->drift[i];
}

void frz_pressure_displace(const frz_pressure_system *system)
{
    frz_pressure_extrapolate(system);
    const frz_pairs *pairs = system->pairs;
    const frz_real *kappa = system->kappa;
    const int32_t *of_slot = system->drivers->of_slot;
    const int blocks = frz_block_count(pairs->count);
    if (system->mobility == NULL && of_slot == NULL && system->links == NULL && system->affine == NULL &&
        system->sample_fit == NULL && system->state->attempt.points.give == NULL)
    {
#pragma omp parallel for schedule(dynamic, frz_block_grain(blocks))
        for (int b = 0; b < blocks; ++b)
        {
            displace_by_pairs(pairs, kappa, b, system->displacement);
            if (system->drift != NULL)
                add_drift(system, b);
        }
        return;
    }
#pragma omp parallel for schedule(dynamic, frz_block_grain(blocks))
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
        {
            // others push only; and within an elastic body nothing does
            const bool yields = (of_slot == NULL || of_slot[i] == 0) && frz_pressure_touches(system, i);
            system->displacement[i] =
                yields ? frz_v4_xyz(-mobility_of(system, i) * frz_pressure_push(system, kappa, b, i)) : frz_v4_zero();
            if (system->drift != NULL)
                system->step_displacement[i] = system->displacement[i] + system->drift_rate * system->drift[i];
            if (pairs->mirror[i] > 0 && system->links == NULL)
                note_both(system, NULL, i);
        }
    give_points(system);
    if (system->links != NULL && system->strong)
        frz_pressure_bodies_displace(system, kappa, system->motion);
    frz_pressure_bodies_carry(system, kappa, system->motion, system->displacement);
    for (int n = 0; system->drift != NULL && n < system->drivers->count; ++n)
    {
        const int i = system->drivers->list[n].slot;
        system->step_displacement[i] = system->displacement[i] + system->drift_rate * system->drift[i];
        if (pairs->mirror[i] > 0 && system->links == NULL)
            note_both(system, NULL, i);
    }
    if (system->links == NULL)
        return;
    const frz_body_motion *motion = system->strong ? system->motion : NULL;
#pragma omp parallel for schedule(static) if (pairs->count >= frz_parallel_least)
    for (int i = 0; i < pairs->count; ++i)
        if (pairs->mirror[i] > 0)
            note_both(system, motion, i);
}

void frz_pressure_predict(const frz_state *state, frz_pressure_system *system, double dt)
{
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const frz_pairs *pairs = system->pairs;
    const frz_real rate = (frz_real)(dt / system->spacing);
    const int blocks = frz_block_count(pairs->count);
    if (system->way != NULL)
    {
        for (int i = 0; i < pairs->count; ++i)
            system->way[i] = frz_kicks_forecast(system->kicks, state, i);
        frz_pressure_bodies_follow_contacts(system, system->way);
        velocity = system->way;
    }
    if (system->step_displacement != NULL && system->sample_fit == NULL && !system->closed)
    {
        system->drift = velocity;
        system->drift_rate = rate;
#pragma omp parallel for schedule(static) if (pairs->count >= frz_parallel_least)
        for (int i = 0; i < pairs->count; ++i)
            system->source[i] = -rate * pairs->sample_flow[i];
        frz_pressure_bodies_predict(state, system, dt);
        return;
    }
    frz_v4 *moved = system->displacement; // not needed yet
#pragma omp parallel for schedule(static) if (pairs->count >= frz_parallel_least)
    for (int i = 0; i < pairs->count; ++i)
        moved[i] = frz_v4_xyz(velocity[i]);
    frz_pressure_note_mirrors(system, NULL, 1, moved);
#pragma omp parallel for schedule(dynamic, frz_block_grain(blocks))
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
            system->source[i] = rate * (frz_pressure_divergence(system, moved, b, i) - pairs->sample_flow[i]);
    frz_pressure_bodies_predict(state, system, dt);
}

void frz_pressure_predict_density(const frz_state *state, frz_pressure_system *system, double dt)
{
    const frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    system->compression = compression;
    frz_pressure_predict(state, system, dt);
#pragma omp parallel for schedule(static) if (system->pairs->count >= frz_parallel_least)
    for (int i = 0; i < system->pairs->count; ++i)
    {
        const frz_real error = frz_pressure_density_error(system, compression, i);
        system->source[i] += frz_pressure_corrected(system, error, i);
    }
}

// Factor of particle i's multiplier in the warm start. A new contact of an elastic particle has a large multiplier and
// a small gradient, which grows. So the push is kept, not the multiplier, which would eject particles.
static inline frz_real lever(const frz_pressure_system *system, int i)
{
    const bool touches = system->solid != NULL && system->solid[i] >= 0 && system->inverse_diagonal[i] > 0;
    return touches ? (frz_real)sqrt((double)(system->lever != NULL ? system->lever : system->diagonal)[i]) : 1;
}

void frz_pressure_start(const frz_pressure_system *system, const frz_real *warm, double scale)
{
    const frz_real factor = (frz_real)scale;
#pragma omp parallel for schedule(static) if (system->pairs->count >= frz_parallel_some)
    for (int i = 0; i < system->pairs->count; ++i)
    {
        const frz_real guess = warm != NULL ? warm[i] * factor / lever(system, i) : 0;
        system->kappa[i] = system->kappa_before[i] =
            guess > 0 || system->unbounded ? guess : 0; // the space may just have opened
        system->residual[i] = 0;
    }
}

void frz_pressure_apply(const frz_state *state, const frz_pressure_system *system, const frz_real *taken, double dt,
                        bool add)
{
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    frz_real *pressure = frz_field_real(&state->particles, FRZ_FIELD_ID_pressure);
    const frz_real speed = (frz_real)(system->spacing / dt);
    const frz_real scale = (frz_real)(1.0 / frz_pressure_to_kappa(system, dt));
    frz_pressure_note_work(system, taken, dt);
#pragma omp parallel for schedule(static) if (system->pairs->count >= frz_parallel_least)
    for (int i = 0; i < system->pairs->count; ++i)
    {
        if (state->attempt.points.give != NULL &&
            state->attempt.points.touched[i]) // the settle stage wants the push at each alone
            velocity[i] -=
                speed * mobility_of(system, i) * frz_v4_xyz(frz_pressure_push(system, taken, i / FRZ_BLOCK, i));
        else if (system->kicks == NULL || !frz_kicks_is_soft(system->kicks, i))
            velocity[i] += frz_v4_xyz(speed * system->displacement[i]);
        pressure[i] = (add ? pressure[i] : 0) + scale * taken[i] * system->pairs->virial[i];
    }
    const int samples = system->sample_fit != NULL ? state->particles.count[FRZ_ROLE_SAMPLE] : 0;
    for (int b = 0; b < samples; ++b)
        state->samples.pressure[b] = (add ? state->samples.pressure[b] : 0) + scale * system->sample_kappa[b];
    frz_pressure_response_take(system, taken);
    if (system->strong) // the bodies have it already
        frz_drivers_settle(&state->attempt.drivers, velocity);
    frz_pressure_bodies_apply(state, system, taken, dt, !add);
}

void frz_pressure_keep(const frz_pressure_system *system, double dt, double keep, double blend, frz_real *warm)
{
    const frz_real scale = (frz_real)(1.0 / frz_pressure_to_kappa(system, dt)) * (frz_real)(keep * blend);
    const frz_real old = (frz_real)(1.0 - blend);
#pragma omp parallel for schedule(static) if (system->pairs->count >= frz_parallel_some)
    for (int i = 0; i < system->pairs->count; ++i)
        warm[i] = old * warm[i] + scale * system->kappa[i] * lever(system, i);
}

// p / rho of particle i, for the lightest liquid that its pressure acts on; interface: whether that is a neighbour's.
static double pressure_over_density(const frz_state *state, const frz_pressure_system *system, int b, int i,
                                    bool *interface)
{
    const frz_pairs *pairs = system->pairs;
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    const frz_real own = inverse_density[i];
    frz_real lightest = own;
    for (uint32_t k = pairs->begin[i]; system->mobility != NULL && k < pairs->end[i]; ++k)
    {
        const frz_real other = inverse_density[pairs->blocks[b].index[k]];
        lightest = other > lightest ? other : lightest;
    }
    *interface = lightest > own;
    return (double)(frz_field_real(&state->particles, FRZ_FIELD_ID_pressure)[i] * lightest);
}

// Single spikes say nothing about stability: averages over blocks, and over the heavy side of all interfaces.
void frz_pressure_note(frz_state *state, const frz_pressure_system *system)
{
    const int count = system->pairs->count, blocks = frz_block_count(count);
#pragma omp parallel for schedule(static) if (count >= frz_parallel_some)
    for (int b = 0; b < blocks; ++b)
    {
        double sum[2] = {0.0, 0.0}, number[2] = {0.0, 0.0};
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
        {
            bool interface = false;
            const double ratio = pressure_over_density(state, system, b, i, &interface);
            sum[interface] += ratio;
            number[interface] += 1.0;
        }
        system->block_sums[b].error = number[0] > 0.0 ? sum[0] / number[0] : 0.0;
        system->block_sums[b].ss = sum[1];
        system->block_sums[b].sy = number[1];
    }
    const frz_pressure_sums *sums = system->block_sums;
    const double sum = frz_exact_sum(&sums->ss, sizeof *sums, blocks);
    const double number = frz_exact_sum(&sums->sy, sizeof *sums, blocks);
    double highest = 0.0;
    for (int b = 0; b < blocks; ++b)
        highest = fmax(highest, sums[b].error);
    state->stats.pressure_speed = sqrt(fmax(highest, number > 0.0 ? sum / number : 0.0));
}

double frz_pressure_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    (void)instance;
    const double speed = state->stats.pressure_speed;
    return speed > 0.0 ? pressure_courant * model->spacing / speed : HUGE_VAL;
}

// The longest step that gravity allows; 0 without gravity.
static double gravity_step(const frz_model *model)
{
    const double *g = model->gravity;
    const double force = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    return force > 0.0 ? force_factor * sqrt(model->spacing / force) : 0.0;
}

double frz_pressure_step_share(const frz_model *model, const frz_state *state, double dt)
{
    const double longest = gravity_step(model);
    if (!(longest > 0.0))
        return 1.0;
    const double part = dt / longest, way = state->stats.max_speed * dt / (model->time_step.cfl * model->spacing);
    return fmin(fmax(fmax(part, way), strictest), 1.0);
}

void frz_pressure_limit_correction(const frz_model *model, double dt, frz_pressure_system *system)
{
    const double falls = gravity_step(model);
    const double longest = falls > 0.0 ? fmin(falls, model->time_step.max) : model->time_step.max;
    const double part = fmin(1.0, dt / longest);
    // explicit elastic bodies: later steps turn an error of a contact into a velocity. Their steps are short, so that
    // the error must be small compared with the displacement in a step
    bool contacts = false;
    for (const frz_response *r = system->state->attempt.responses; r != NULL; r = r->next)
        contacts = contacts || frz_response_is_explicit(r);
    const double way = contacts ? system->state->stats.max_speed * dt / model->spacing : part;
    if (system->mobility != NULL || contacts)
        system->strictness = fmax(fmin(part * part, way * way), strictest);
    system->correction = (frz_real)(frz_pressure_particle_error * part);
    system->excess_rate = (frz_real)(gross_excess_rate * part);
    system->recovery = (frz_real)(contact_recovery * part);
}
