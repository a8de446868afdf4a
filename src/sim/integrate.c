// SPDX-License-Identifier: MIT
// Positions after a step; energies, momentum, largest speed and largest change of velocity.
#include "sim/integrate.h"

#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "sim/state.h"

const double frz_gross_move = 1.0;
// square of a speed (m/s) or a distance (m) beyond any scene; also the last one before a float overflows in sums
static const double absurd = 1e30;

typedef struct block_figures
{
    double kinetic, potential, momentum[3];
    double max_speed, max_change; // squares
    double min[3], max[3];
    int fastest; // the particle of max_speed
    int bad;     // first particle that is not finite, -1 if none
} block_figures;

static void advance_block(const frz_model *model, const frz_state *state, double dt, int b, int count, block_figures *f)
{
    frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity),
                 *before = state->attempt.drivers.before;
    const frz_v4 *drift = state->attempt.drift;
    frz_v4 *rest = frz_state_position_rest(state);
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    memset(f, 0, sizeof *f);
    f->bad = -1;
    f->fastest = b * FRZ_BLOCK;
    for (int a = 0; a < 3; ++a)
    {
        f->min[a] = HUGE_VAL;
        f->max[a] = -HUGE_VAL;
    }
    for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
    {
        const frz_v4 v = velocity[i];
        const frz_v4 change = v - before[i];
        const frz_real lag = (frz_real)state->bodies.position_theta[body[i]];
        if (!frz_drivers_has(&state->attempt.drivers, i))
            frz_position_move(&position[i], rest != NULL ? &rest[i] : NULL,
                              (frz_real)dt * (v - lag * change) + (drift != NULL ? drift[i] : frz_v4_zero()));
        const double mass = 1.0 / (double)inverse_density[i];
        const double speed2 = (double)frz_v4_dot3(v, v);
        f->kinetic += 0.5 * mass * speed2;
        if (speed2 > f->max_speed)
        {
            f->max_speed = speed2;
            f->fastest = i;
        }
        const double change2 = (double)frz_v4_dot3(change, change);
        f->max_change = change2 > f->max_change ? change2 : f->max_change;
        for (int a = 0; a < 3; ++a)
        {
            const double x = (double)position[i][a];
            f->potential -= mass * model->gravity[a] * x;
            f->momentum[a] += mass * (double)v[a];
            f->min[a] = x < f->min[a] ? x : f->min[a];
            f->max[a] = x > f->max[a] ? x : f->max[a];
        }
        // positions too: a method may move them without going through the velocity
        if (f->bad < 0 && !(speed2 < absurd && (double)frz_v4_dot3(position[i], position[i]) < absurd))
            f->bad = i;
    }
}

static void collect(const frz_model *model, frz_state *state, const block_figures *figures, int blocks, double dt)
{
    frz_step_stats *stats = &state->stats;
    const double cell = model->cell;
    double max_speed = 0.0, max_change = 0.0;
    stats->kinetic_energy = cell * frz_exact_sum(&figures->kinetic, sizeof *figures, blocks);
    stats->potential_energy = cell * frz_exact_sum(&figures->potential, sizeof *figures, blocks);
    for (int a = 0; a < 3; ++a)
    {
        stats->momentum[a] = cell * frz_exact_sum(&figures->momentum[a], sizeof *figures, blocks);
        stats->min[a] = blocks > 0 ? HUGE_VAL : 0.0;
        stats->max[a] = blocks > 0 ? -HUGE_VAL : 0.0;
    }
    for (int b = 0; b < blocks; ++b)
    {
        const block_figures *f = &figures[b];
        max_speed = fmax(max_speed, f->max_speed);
        max_change = fmax(max_change, f->max_change);
        for (int a = 0; a < 3; ++a)
        {
            stats->min[a] = fmin(stats->min[a], f->min[a]);
            stats->max[a] = fmax(stats->max[a], f->max[a]);
        }
    }
    stats->max_speed = sqrt(max_speed);
    stats->max_acceleration = sqrt(max_change) / dt;
}

frz_status frz_integrate(const frz_model *model, frz_state *state, double dt, frz_diag *diag)
{
    const double start = frz_now();
    const int count = state->particles.count[FRZ_ROLE_FREE], blocks = frz_block_count(count);
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    block_figures *figures = FRZ_SCRATCH(&state->scratch, blocks + 1, block_figures);
    if (figures == NULL)
        return frz_fail_memory(diag, "the statistics");
    frz_drivers_place(state, dt);
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; ++b)
        advance_block(model, state, dt, b, count, &figures[b]);
    int bad = -1, fastest = 0;
    double max_speed = 0.0;
    for (int b = blocks - 1; b >= 0; --b)
    {
        bad = figures[b].bad >= 0 ? figures[b].bad : bad;
        fastest = figures[b].max_speed >= max_speed ? figures[b].fastest : fastest;
        max_speed = fmax(max_speed, figures[b].max_speed);
    }
    if (bad < 0)
        collect(model, state, figures, blocks, dt);
    frz_arena_release(&state->scratch, mark);
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "integrate"), start);
    const int64_t *id = frz_field_i64(&state->particles, FRZ_FIELD_ID_id);
    if (bad >= 0)
        return frz_fail(diag, FRZ_ERR_DIVERGED, "the velocity or position of particle %lld is not a finite number",
                        (long long)id[bad]);
    if (state->stats.max_speed * dt > frz_gross_move * model->spacing)
        return frz_fail(diag, FRZ_ERR_DIVERGED, "particle %lld moves %.2g spacings in one step (speed %.3g m/s)",
                        (long long)id[fastest], state->stats.max_speed * dt / model->spacing, state->stats.max_speed);
    return FRZ_OK;
}
