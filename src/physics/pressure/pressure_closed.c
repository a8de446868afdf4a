// SPDX-License-Identifier: MIT
// Spaces that the liquid fills: periodic boxes, closed tanks without a bubble.
//
// Without a free surface the volume is given. The mean compression depends on the disorder of the particles, and
// pressure cannot change it: a solver that tries raises the pressure without end. Therefore corrections of the density
// exclude their mean and move positions only, never velocities; they are no pressure. A displacement against the
// gradient of the particle concentration comes with them (Lind et al. 2012, Skillen et al. 2013). Heavy and light
// particles move alike in both, since displacements need no mass; weighted by masses, light particles would be shifted
// beyond their neighbours. For the same reason light bodies count with at least the mass of the liquid beside them.
//
// Pressure itself, of the divergence solve, keeps its bound P >= 0 and its source: without the mean of the source a
// liquid falls freely away from its ceiling, for that is a uniform compression. Only the level, which is undetermined,
// is lowered after the step: the lowest pressure is zero. A negative pressure pulls particles into lumps, with the rate
// sqrt(|P| / rho) / s.
//
// That level turns into forces where particles are in disorder (P_i S_i, which vanish on a lattice only) and these into
// friction. If only inertia causes pressures, they are of the order rho v^2, and the shift, whose rate is v / s,
// repairs the lumps of negative pressures. Then the mean is zero instead, and multipliers are unbounded: less friction.
#include "physics/pressure/pressure_system.h"

#include <math.h>

// of a periodic domain, taken by the liquid: nothing is left for a bubble
static const double full_share = 0.995;
// a compression below that of any particle in a full space, for any disorder: a cheap test for most surfaces
static const frz_real surely_surface = (frz_real)0.8;
// (the converse does not hold: a surface at rest is squeezed until it has the rest density)
// push of a uniform pressure beyond which a particle is near a surface, relative to that at a flat surface of the
// lattice
static const double surface_share = 0.5;
// mean compression of a full space that only approaching walls can cause: disorder causes a thousandth (Taylor-Green
// vortices, a box that rises in a tank)
static const double squeezed = 1.02;
// shift over distance travelled by the fastest particle and over the gradient of the concentration (Skillen et al.
// 2013: about two smoothing lengths of a spacing each), and the largest per step in spacings: more than a fifth
// overshoots
static const double shift_factor = 2.0;
static const double shift_most = 0.2;
// least mass of a body in a shift, relative to the liquid beside it: lighter bodies yield as the liquid does
static const double shift_mass = 1.0;

// |sum_j g_ij| of a particle in the last row of a lattice that fills a half space.
static double flat_surface(const frz_model *model)
{
    const int reach = (int)(model->support / model->spacing) + 1, across = model->dimension == 3 ? reach : 0;
    double sum = 0.0;
    for (int y = 1; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x)
            for (int z = -across; z <= across; ++z)
            {
                const double r = model->spacing * sqrt((double)(x * x + y * y + z * z));
                if (r < model->support)
                    sum -= frz_kernel_slope(&model->kernel, r) * y * model->spacing / r;
            }
    return sum * model->particle_volume * model->spacing;
}

// S_i + sum_j g_ij: the push of a uniform pressure on i.
static frz_v4 imbalance(const frz_pairs *pairs, int b, int i)
{
    frz_v4 sum = pairs->gradient_sum[i];
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const frz_v4 pair = frz_pair_load(&pairs->blocks[b].pair[k]);
        sum += pair;
        if (pairs->mirror[i] > 0)
            sum +=
                (pair[3] * pairs->mirror[pairs->blocks[b].index[k]] / pairs->mirror_own[i]) * pairs->sample_gradient[i];
    }
    return sum;
}

// In a domain that is periodic all round, whether the particles' volume is that of the domain; -1 in others.
static int fills_period(const frz_model *model, int count)
{
    double volume = 1.0, liquid = count;
    for (int a = 0; a < model->dimension; ++a)
    {
        if (!model->periodic[a])
            return -1;
        volume *= model->domain_max[a] - model->domain_min[a];
        liquid *= model->spacing;
    }
    return liquid > full_share * volume;
}

bool frz_pressure_space_is_full(const frz_model *model, const frz_state *state)
{
    const frz_pairs *pairs = &state->neighbors.pairs;
    const int known = state->particles.count[FRZ_ROLE_SAMPLE] == 0 ? fills_period(model, pairs->count) : -1;
    if (known >= 0)
        return known == 1;
    const frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    frz_real lowest = pairs->count > 0 ? 1 : 0;
#pragma omp parallel for schedule(static) reduction(min : lowest)
    for (int i = 0; i < pairs->count; ++i)
        lowest = compression[i] < lowest ? compression[i] : lowest;
    if (!(lowest > surely_surface))
        return false;
    const double limit =
        2.0 * surface_share * flat_surface(model); // liquid and, standing in for it, no wall: S = sum g
    frz_real most = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(max : most)
    for (int b = 0; b < frz_block_count(pairs->count); ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
        {
            const frz_v4 sum = imbalance(pairs, b, i);
            const frz_real square = frz_v4_dot3(sum, sum);
            most = square > most ? square : most;
        }
    return (double)most < limit * limit;
}

// Whether liquid comes or goes, or the space around it changes.
static bool may_open(const frz_model *model, const frz_state *state)
{
    bool may = model->emitter_count > 0 || state->lost > 0;
    for (int r = 0; r < model->region_count; ++r)
        may = may || state->sources.killed[r] > 0;
    for (int b = 0; b < model->body_count; ++b)
        may = may || model->bodies[b].motion.count > 0;
    return may;
}

// Whether nothing but inertia and viscosity makes pressures.
static bool is_coasting(const frz_model *model, const frz_state *state)
{
    bool coasting = state->one_density;
    for (int a = 0; a < 3; ++a)
        coasting = coasting && model->gravity[a] == 0.0;
    for (int r = 0; r < model->region_count; ++r)
        coasting = coasting && model->regions[r].action != FRZ_REGION_FORCE;
    for (int n = 0; n < model->instance_count; ++n)
        coasting = coasting && model->instances[n].method->slot != FRZ_SLOT_TENSION;
    for (int b = 0; b < model->body_count; ++b)
        coasting = coasting && frz_v3_dot(model->bodies[b].force, model->bodies[b].force) == 0.0 &&
                   frz_v3_dot(model->bodies[b].torque, model->bodies[b].torque) == 0.0;
    return coasting;
}

void frz_pressure_find_surface(const frz_model *model, frz_state *state, frz_pressure_system *system)
{
    // particles in disorder may look like a surface; a space that was full stays so, unless something can open it
    if (state->free_surface == FRZ_FREE_SURFACE_UNKNOWN || may_open(model, state))
        state->free_surface = frz_pressure_space_is_full(model, state) ? FRZ_FREE_SURFACE_NONE : FRZ_FREE_SURFACE_FOUND;
    system->closed = state->free_surface == FRZ_FREE_SURFACE_NONE;
    system->coasting = system->closed && is_coasting(model, state);
    system->unbounded = system->coasting;
}

static double mean_of(const frz_pressure_system *system, const frz_real *field)
{
    const int count = system->pairs->count, blocks = frz_block_count(count);
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; ++b)
    {
        double sum = 0.0;
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
            sum += (double)field[i];
        system->block_sums[b].error = sum;
    }
    return frz_exact_sum(&system->block_sums->error, sizeof *system->block_sums, blocks) / count;
}

frz_status frz_pressure_check_room(const frz_model *model, const frz_state *state, const frz_pressure_system *system,
                                   frz_diag *diag)
{
    int mover = -1;
    for (int b = 0; b < model->body_count; ++b)
        if (model->bodies[b].motion.count > 0)
            mover = b;
    if (!system->closed || mover < 0 || system->pairs->count == 0)
        return FRZ_OK;
    const frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    const double mean = mean_of(system, compression);
    if (!(mean > squeezed))
        return FRZ_OK;
    return frz_fail(
        diag, FRZ_ERR_DIVERGED,
        "the liquid fills its space, is %.1f %% too dense on average and cannot get out of the way of '%s'; "
        "leave an opening or a bubble",
        100.0 * (mean - 1.0), model->bodies[mover].name);
}

static void take_mean_out(const frz_pressure_system *system, frz_real *field)
{
    const int count = system->pairs->count;
    const frz_real mean = (frz_real)mean_of(system, field);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
        field[i] -= mean;
}

void frz_pressure_balance(const frz_pressure_system *system)
{
    if (system->unbounded)
        take_mean_out(system, system->source);
}

// Mean of the multipliers around particle i: single ones are often zero.
static frz_real smoothed(const frz_pressure_system *system, frz_real self, int b, int i)
{
    const frz_pairs *pairs = system->pairs;
    frz_real weight = self, sum = self * system->kappa[i];
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const frz_real w = frz_pair_load(&pairs->blocks[b].pair[k])[3];
        weight += w;
        sum += w * system->kappa[pairs->blocks[b].index[k]];
    }
    return sum / weight;
}

static void take_lowest_out(const frz_model *model, const frz_pressure_system *system)
{
    const int count = system->pairs->count;
    const frz_real self = (frz_real)(frz_kernel_value(&model->kernel, 0.0) * model->particle_volume);
    frz_real lowest = (frz_real)HUGE_VALF;
#pragma omp parallel for schedule(dynamic, 4) reduction(min : lowest)
    for (int b = 0; b < frz_block_count(count); ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
        {
            const frz_real here = smoothed(system, self, b, i);
            lowest = here < lowest ? here : lowest;
        }
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
        system->kappa[i] = system->kappa[i] > lowest ? system->kappa[i] - lowest : 0;
}

void frz_pressure_level(const frz_model *model, const frz_pressure_system *system)
{
    if (system->unbounded)
        take_mean_out(system, system->kappa);
    else if (system->closed)
        take_lowest_out(model, system);
}

void frz_pressure_begin_shift(frz_pressure_system *system)
{
    const bool coupled = system->links != NULL && system->strong;
    system->unbounded = system->closed;
    if (!system->closed || (system->mobility == NULL && !coupled))
        return;
    frz_pressure_bodies_weigh(system, shift_mass);
    frz_pressure_body_preconditioner_weigh(system);
    const frz_pairs *pairs = system->pairs;
    system->mobility = NULL;
    system->strictness = 1.0;
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < frz_block_count(pairs->count); ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, pairs->count); ++i)
        {
            frz_real sum = frz_v4_dot3(pairs->gradient_sum[i], pairs->gradient_sum[i]);
            for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
            {
                const frz_v4 g = frz_v4_xyz(frz_pair_load(&pairs->blocks[b].pair[k]));
                sum += frz_v4_dot3(g, g);
            }
            system->diagonal[i] = sum + frz_pressure_bodies_diagonal(system, i, false);
            const frz_real divisor =
                system->body_response != NULL ? sum : sum + frz_pressure_bodies_diagonal(system, i, true);
            system->inverse_diagonal[i] = system->inverse_diagonal[i] > 0 ? 1 / divisor : 0;
        }
}

// A uniform multiplier draws particles displaced from their lattice positions back by this factor times it, in the
// stiffest pattern: every second plane moved along its normal. d = -kappa (S_i + sum_j g_ij), and both sums change by
// sum_j (1 - cos(k . x_ij)) W''.
static double stiffest_pattern(const frz_model *model)
{
    const int reach = (int)(model->support / model->spacing) + 1, across = model->dimension == 3 ? reach : 0;
    const double moved = 1e-3 * model->spacing; // for a central difference of the slope
    double sum = 0.0;
    for (int x = 1; x <= reach; x += 2) // planes between move along
        for (int y = -reach; y <= reach; ++y)
            for (int z = -across; z <= across; ++z)
                for (int side = -1; side <= 1; side += 2)
                {
                    const double far = model->spacing * x + side * moved;
                    const double r = hypot(far, model->spacing * sqrt((double)(y * y + z * z)));
                    if (r < model->support)
                        sum += side * frz_kernel_slope(&model->kernel, r) * far / r;
                }
    const double both_sums = 2.0, both_sides = 2.0, apart = 2.0; // 1 - cos(pi)
    return both_sums * both_sides * apart * sum / (2.0 * moved) * model->particle_volume * model->spacing *
           model->spacing;
}

double frz_pressure_steady(const frz_model *model)
{
    return 1.0 / stiffest_pattern(model);
}

// A uniform multiplier beyond 1 / stiffest_pattern overshoots. From twice that on particles oscillate with growing
// amplitude from step to step until rows merge; a negative one pulls them into lumps. So the sum of the multipliers of
// correction and spreading is clamped between these bounds, and the remaining error is corrected in a later step. Flows
// driven by inertia alone are not clamped: they do not need it, and it would add friction.
void frz_pressure_shift(const frz_model *model, const frz_state *state, const frz_pressure_system *system, double dt)
{
    frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const double travel = shift_factor * state->stats.max_speed * dt / model->spacing;
    // the push of a uniform pressure, -kappa (S_i + sum_j g_ij): zero on a lattice, also at walls
    const frz_real spread = (frz_real)(0.5 * (travel < shift_most ? travel : shift_most));
    const frz_real spacing = (frz_real)model->spacing, most = (frz_real)frz_pressure_steady(model);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < system->pairs->count; ++i)
    {
        const frz_real both = system->kappa_before[i] + spread;
        system->residual[i] = system->kappa[i]; // kept for the next step; the residual is no longer needed
        system->kappa[i] = system->coasting ? both : both > most ? most : both > 0 ? both : 0;
    }
    frz_pressure_displace(system);
    frz_pressure_bodies_shift(state, system);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < system->pairs->count; ++i)
    {
        position[i] += frz_v4_xyz(spacing * system->displacement[i]);
        system->kappa[i] = system->residual[i];
        system->displacement[i] = frz_v4_zero();
    }
}
