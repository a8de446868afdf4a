// SPDX-License-Identifier: MIT
// One time step, and its repetition after a failure.
//
//   sort, neighbours, density -> forces -> implicit forces -> pressure -> friction -> integrate -> fracture
//
// Behind each of these stages lies a border (sim/drivers.h), where inlets, attachments and bodies set the velocities of
// their particles again, and contacts answer.
//
// A step that produces NaN, does not converge or moves a particle past its neighbours is rejected and tried again at
// half the size, from the untouched state; after max_tries the run stops with the last good state.
#include "sim/step.h"

#include <math.h>

#include "sim/bodies.h"
#include "sim/change_room.h"
#include "sim/coupling.h"
#include "sim/domain.h"
#include "sim/forces.h"
#include "sim/friction.h"
#include "sim/integrate.h"
#include "sim/motion.h"
#include "sim/neighborhood.h"
#include "sim/response.h"
#include "sim/state.h"

static const int max_tries = 10;
// the force limit, dt <= this * sqrt(spacing / acceleration): a step may fall by one hundredth of a spacing, so that
// the density, linear in the displacement for the solver, stays linear
static const double force_factor = 0.1;
// rad that the fastest swing of a chain may go in a step: it is stable up to 2, at the tension of the last step
static const double joint_factor = 1.0;

const char *frz_dt_limit_name(frz_dt_limit limit)
{
    static const char *const names[] = {
        [FRZ_DT_FIXED] = "fixed",   [FRZ_DT_MAX] = "max",     [FRZ_DT_SPEED] = "speed", [FRZ_DT_FORCE] = "force",
        [FRZ_DT_METHOD] = "method", [FRZ_DT_JOINT] = "joint", [FRZ_DT_FRAME] = "frame", [FRZ_DT_RETRY] = "retry",
    };
    return names[limit];
}

double frz_state_time_step(const frz_model *model, const frz_state *state, frz_dt_limit *limit)
{
    const frz_time_step_rules *rules = &model->time_step;
    if (rules->fixed > 0.0)
    {
        *limit = FRZ_DT_FIXED;
        return rules->fixed;
    }
    double dt = rules->max;
    *limit = FRZ_DT_MAX;
    // the speed of walls that begin to move is known one step late; the gross-move check covers that step
    const double speed =
        fmax(fmax(state->stats.max_speed, state->stats.sample_speed), frz_emitters_speed(model, state));
    const double *g = model->gravity;
    const double force = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) + frz_regions_acceleration(model, state);
    if (speed > 0.0 && rules->cfl * model->spacing / speed < dt)
    {
        dt = rules->cfl * model->spacing / speed;
        *limit = FRZ_DT_SPEED;
    }
    if (force > 0.0 && force_factor * sqrt(model->spacing / force) < dt)
    {
        dt = force_factor * sqrt(model->spacing / force);
        *limit = FRZ_DT_FORCE;
    }
    if (joint_factor < state->stats.joint_frequency * dt)
    {
        dt = joint_factor / state->stats.joint_frequency;
        *limit = FRZ_DT_JOINT;
    }
    for (int n = 0; n < model->instance_count; ++n)
    {
        const frz_instance *instance = &model->instances[n];
        const double bound =
            instance->method->max_dt != NULL ? instance->method->max_dt(model, state, instance) : HUGE_VAL;
        if (bound < dt)
        {
            dt = bound;
            *limit = FRZ_DT_METHOD;
        }
    }
    return dt;
}

// A diverging solver does not identify the cause: find a particle whose forces are not finite and name it.
static void name_culprit(const frz_state *state, frz_diag *diag)
{
    const frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    const int64_t *id = frz_field_i64(&state->particles, FRZ_FIELD_ID_id);
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        if (!isfinite((double)frz_v4_dot3(acceleration[i], acceleration[i])))
        {
            (void)frz_fail(diag, FRZ_ERR_DIVERGED, "the acceleration of particle %lld is not a finite number",
                           (long long)id[i]);
            return;
        }
}

static frz_status run_stage(const frz_model *model, frz_state *state, frz_stage stage, double dt, frz_diag *diag)
{
    static const char *const timers[FRZ_STAGE_COUNT] = {
        [FRZ_STAGE_FORCE] = "forces",  [FRZ_STAGE_VELOCITY] = "velocity", [FRZ_STAGE_PRESSURE] = "pressure",
        [FRZ_STAGE_SETTLE] = "settle", [FRZ_STAGE_HEAT] = "heat",         [FRZ_STAGE_END] = "fracture",
        [FRZ_STAGE_KEEP] = "velocity"};
    const double start = frz_now();
    bool any = false;
    for (int n = 0; n < model->instance_count; ++n)
    {
        // cppcheck-suppress AssignmentIntegerToAddress ; a function pointer from a table, which cppcheck takes for a
        // call
        frz_stage_fn *run = model->instances[n].method->run[stage];
        any = any || run != NULL;
        const frz_status status = run != NULL ? run(model, state, &model->instances[n], dt, diag) : FRZ_OK;
        if (status == FRZ_ERR_DIVERGED && stage == FRZ_STAGE_PRESSURE)
            name_culprit(state, diag);
        if (status != FRZ_OK)
            return status;
    }
    if (any)
        frz_timer_lap(&state->timers, frz_timer_index(&state->timers, timers[stage]), start);
    return FRZ_OK;
}

// Whether no particle has a pressure: material points have stress instead.
static bool has_points_only(const frz_state *state)
{
    const int count = state->particles.count[FRZ_ROLE_FREE];
    bool only = state->attempt.points.is_one != NULL;
    for (int i = 0; only && i < count; ++i)
        only = state->attempt.points.is_one[i];
    return only;
}

static frz_status attempt(const frz_model *model, frz_state *state, double dt, frz_diag *diag)
{
    state->stats.elastic = (frz_solver_report){0}; // methods add to it
    state->stats.surface_energy = 0.0;             // the same
    state->stats.friction_heat = 0.0;              // stages add to it, too
    state->stats.work = 0.0;
    state->stats.point_substeps = 0;
    frz_bodies_begin(model, state, dt);
    FRZ_TRY(frz_neighborhood_update(model, state, diag));
    FRZ_TRY(frz_contact_begin(state, dt, diag));
    FRZ_TRY(frz_coupling_begin(model, state, diag));
    FRZ_TRY(frz_drivers_collect(model, state, diag));
    frz_forces_begin(model, state, dt);
    FRZ_TRY(run_stage(model, state, FRZ_STAGE_FORCE, dt, diag));
    FRZ_TRY(frz_room_take(state, diag)); // from the compressions that methods have computed for the pressure solver
    frz_forces_kick(model, state, dt);
    FRZ_TRY(frz_drivers_border(model, state, dt, FRZ_AFTER_FORCE, diag));
    FRZ_TRY(run_stage(model, state, FRZ_STAGE_VELOCITY, dt, diag));
    FRZ_TRY(frz_drivers_border(model, state, dt, FRZ_AFTER_VELOCITY, diag));
    FRZ_TRY(frz_responses_complete(model, state, diag));
    if (!has_points_only(state))
        FRZ_TRY(run_stage(model, state, FRZ_STAGE_PRESSURE, dt, diag));
    FRZ_TRY(frz_drivers_border(model, state, dt, FRZ_AFTER_PRESSURE, diag));
    FRZ_TRY(frz_solids_apply_friction(model, state, dt, diag));
    FRZ_TRY(run_stage(model, state, FRZ_STAGE_SETTLE, dt, diag));
    FRZ_TRY(frz_drivers_border(model, state, dt, FRZ_AFTER_FRICTION, diag));
    FRZ_TRY(run_stage(model, state, FRZ_STAGE_HEAT, dt, diag));
    FRZ_TRY(frz_regions_work(model, state, dt, diag));
    FRZ_TRY(frz_bodies_move(model, state, dt, diag));
    FRZ_TRY(frz_integrate(model, state, dt, diag));
    FRZ_TRY(run_stage(model, state, FRZ_STAGE_END, dt, diag));
    return run_stage(model, state, FRZ_STAGE_KEEP, dt, diag);
}

// Whole steps of equal size to the next frame, so that none is very short.
static double divide_evenly(double dt, double dt_limit, frz_dt_limit *limit)
{
    if (!(dt_limit < HUGE_VAL))
        return dt;
    const double steps = ceil(dt_limit / dt - 1e-9);
    if (steps <= 1.0)
        *limit = FRZ_DT_FRAME;
    return dt_limit / (steps > 1.0 ? steps : 1.0);
}

// A step in which the fastest particle of the last one or a rigid body would move too far would be rejected: halve it
// beforehand.
static double halve_if_too_fast(const frz_model *model, const frz_state *state, double dt, frz_dt_limit *limit)
{
    const double speed = fmax(state->stats.max_speed, frz_bodies_speed(model, state, dt));
    while (speed * dt > frz_gross_move * model->spacing && 0.5 * dt >= model->time_step.min)
    {
        dt *= 0.5;
        *limit = FRZ_DT_SPEED;
    }
    return dt;
}

// Whether particles come back at a greater height over a periodic seam.
static bool falls_for_ever(const frz_model *model)
{
    bool any = false;
    for (int a = 0; a < model->dimension; ++a)
        any = any || (model->periodic[a] && model->gravity[a] != 0.0);
    return any;
}

// After an accepted step: changes between steps.
static void accept(const frz_model *model, frz_state *state, double dt)
{
    const double start = state->time;
    const int count = state->particles.count[FRZ_ROLE_FREE];
    state->stats.dt = dt;
    state->energy.friction += state->stats.friction_heat;
    state->energy.work += state->stats.work;
    state->time += dt;
    state->step += 1;
    frz_attachments_let_go(model, state, start);
    frz_domain_apply(model, state);
    if (state->particles.count[FRZ_ROLE_FREE] != count || falls_for_ever(model))
        frz_energy_exchange(model, state);
    const double clock = frz_now();
    frz_changes_run(model, state);
    if (model->can_change)
        frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "changes of phase"), clock);
    frz_bodies_park(model, state);
    if (state->any_motion)
        frz_samples_place(model, state);
    const int present = state->particles.count[FRZ_ROLE_FREE];
    frz_emitters_run(model, state, start);
    frz_energy_enter(model, state, present);
}

// The particles as they were before a try. Its scratch memory is not in use any more, but for the order.
static void undo_sort(frz_state *state)
{
    if (state->attempt.order == NULL)
        return;
    frz_particles_restore(&state->particles, FRZ_ROLE_FREE, state->attempt.order, state->attempt.rows);
    // the cells are of the order just undone: nothing can be measured until the next step
    state->neighbors.free_cells.count = 0;
}

frz_status frz_state_step(const frz_model *model, frz_state *state, double dt_limit, frz_diag *diag)
{
    const frz_step_stats before = state->stats;
    frz_dt_limit limit;
    const double longest = frz_state_time_step(model, state, &limit);
    if (longest < model->time_step.min)
        return frz_fail(
            diag, FRZ_ERR_DIVERGED,
            "step %lld at t = %.6g s would have to be %.3g s long (limited by %s), less than time_step.min of "
            "%.3g s: something moves or is pushed too fast; look for a velocity, force or torque that is too "
            "large, or lower time_step.min",
            (long long)(state->step + 1), state->time, longest, frz_dt_limit_name(limit), model->time_step.min);
    double dt = divide_evenly(longest, dt_limit, &limit);
    dt = halve_if_too_fast(model, state, dt, &limit);
    const double least = fmin(dt, model->time_step.min); // a frame may be nearer than that: nothing is too fast then
    FRZ_TRY(frz_emitters_reserve(model, state, dt, diag));
    const frz_arena_mark mark = {0}; // frz_state_finish has left something
    frz_arena_release(&state->scratch, mark);
    frz_diag cause = {.status = FRZ_OK};
    for (int tries = 0; tries < max_tries && dt >= least; ++tries)
    {
        state->attempt.order = NULL;
        const frz_status status = attempt(model, state, dt, &cause);
        if (status != FRZ_OK)
            undo_sort(state);
        frz_arena_release(&state->scratch, mark);
        state->attempt = (frz_attempt){.dt = dt}; // the rest was scratch memory
        if (status == FRZ_OK)
        {
            state->stats.dt_limit = tries > 0 ? FRZ_DT_RETRY : limit;
            state->stats.rejected = tries;
            state->rejected += tries;
            accept(model, state, dt);
            return FRZ_OK;
        }
        state->stats = before;
        frz_bodies_restore(state);
        if (status != FRZ_ERR_DIVERGED)
        {
            if (diag != NULL)
                *diag = cause;
            return status;
        }
        dt *= 0.5;
    }
    return frz_fail(
        diag, FRZ_ERR_DIVERGED,
        "step %lld at t = %.6g s failed at every size down to %.3g s: %s; the state before it is kept. Try a "
        "smaller spacing or time_step.cfl, or look for bodies that overlap or walls that close in",
        (long long)(state->step + 1), state->time, 2.0 * dt, cause.message);
}
