// SPDX-License-Identifier: MIT
// The state: everything that changes while a simulation runs.
#pragma once

#include "base/arena.h"
#include "base/timers.h"
#include "particles/store.h"
#include "rigid/contacts.h"
#include "sim/attachments.h"
#include "sim/body_links.h"
#include "sim/body_table.h"
#include "sim/change.h"
#include "sim/contact.h"
#include "sim/drivers.h"
#include "sim/energy.h"
#include "sim/model.h"
#include "sim/motion.h"
#include "sim/response.h"
#include "solid/solids.h"
#include "space/grid.h"
#include "sph/affine.h"
#include "sph/sample_fit.h"

/// How an iterative solver fared. Errors are fractions of the rest density.
typedef struct frz_solver_report
{
    int iterations;
    double error_average; ///< mean compression beyond rest over all liquid particles
    double error_max;     ///< largest of any particle
    bool converged;
} frz_solver_report;

typedef enum frz_dt_limit
{
    FRZ_DT_FIXED,
    FRZ_DT_MAX,
    FRZ_DT_SPEED,
    FRZ_DT_FORCE,
    FRZ_DT_METHOD,
    FRZ_DT_JOINT,
    FRZ_DT_FRAME,
    FRZ_DT_RETRY
} frz_dt_limit;

/// Figures of the last step.
typedef struct frz_step_stats
{
    double dt;
    frz_dt_limit dt_limit;
    frz_solver_report divergence;
    frz_solver_report density;
    frz_solver_report viscosity; ///< implicit methods only; its errors are left at zero
    frz_solver_report elastic;   ///< the same; iterations of all bodies
    int rejected;                ///< tries of this step that were thrown away
    double kinetic_energy;
    double potential_energy;
    double surface_energy; ///< that methods of surface tension know of; they add to it in the force stage
    double friction_heat;  ///< that friction of solids has made in the step, J
    frz_heat_stats heat;   ///< of scenes with a material that conducts
    double momentum[3];
    double max_speed;
    double sample_speed;     ///< of the fastest static sample
    double max_acceleration; ///< by all forces, m/s^2
    int64_t changed;         ///< particles that changed their phase after the step
    double change_energy;    ///< kinetic and elastic energy that this cost, J
    double joint_frequency;  ///< of the fastest swing that forces of joints make, rad/s
    double pressure_speed;   ///< sqrt(p / rho) where the pressure is highest on average over a block, m/s
    int point_substeps;      ///< of material points
    double min[3], max[3];   ///< bounds of the liquid
} frz_step_stats;

/// What acted on a body in the last step, about its position there; N and N m.
typedef struct frz_body_load
{
    frz_vec3 fluid_force, fluid_torque;
    frz_vec3 contact_force, contact_torque;
    frz_vec3 friction_force, friction_torque; ///< of elastic bodies; at the end of a step they are part of the former
} frz_body_load;

/// Whether the liquid has a free surface anywhere; see physics/pressure/pressure_closed.c.
typedef enum frz_free_surface
{
    FRZ_FREE_SURFACE_UNKNOWN,
    FRZ_FREE_SURFACE_FOUND,
    FRZ_FREE_SURFACE_NONE
} frz_free_surface;

/// Material points among the free particles, by slot, in scratch memory; null: there are none.
typedef struct frz_points
{
    const bool *is_one;
    const int32_t *touchable; ///< see frz_pairs_input
} frz_points;

struct frz_state
{
    // saved
    double time;
    int64_t step;
    int64_t lost;     ///< particles that left the domain so far
    int64_t rejected; ///< tries thrown away so far
    frz_step_stats stats;
    frz_particles particles;
    double grid_min[3], grid_max[3];
    frz_free_surface free_surface; ///< pressure method
    int64_t next_id;               ///< of the next particle that an emitter makes
    frz_source_states sources;     ///< of emitters, regions and flows
    frz_changes changes;           ///< states of events, totals of changes
    frz_energy_account energy;
    frz_heat_account heat;
    int body_count, body_capacity;
    frz_body_identity *identity; ///< by body: kind, name, particles
    int32_t *last_piece;         ///< by scene body, then by event: the last number that a piece of that name got
    frz_rigid_body *bodies;      ///< by body; saved are the poses and velocities of rigid ones

    // derived; made again after a restart
    frz_grid grid;
    frz_cell_list free_cells;
    frz_cell_list sample_cells;
    bool any_motion;
    frz_samples samples;           ///< of the surfaces of bodies
    frz_rigid_body *bodies_before; ///< at the start of the step; the samples move with these velocities
    frz_body_load *loads;          ///< by body, of those that yield to forces
    frz_contact_state contact;     ///< of bodies with each other
    double try_dt;                 ///< length of the present try, s
    frz_body_links links;          ///< liquid that pushes at bodies that yield; made by the coupling method
    bool one_density;              ///< all free particles have the same rest density
    bool prepared;
    int64_t cell_budget; ///< cells that the search grid may have; the same after a restart
    frz_drivers drivers; ///< within a try: whose velocities belong to whom
    int origin_field;    ///< of the store: where particles came from; -1: nothing can change
    int clearance_field; ///< of the store: see frz_body_surface_clearance (sim/body_surface.h); -1: nothing can change
    int room_field;      ///< of the store: compression that is forgiven (sim/change_room.h); -1: nothing can change
    int solid_field;     ///< of the store: numbers of solid particles; -1: there can be none
    int rest_field;      ///< of the store: what rounding left out of the positions, m; -1: not kept
    frz_solids solids;   ///< solid particles by their own numbers
    frz_bonds bonds;     ///< on demand, see frz_state_bonds; none if no body is solid
    frz_attachments attachments;
    /// by body, within a step: weight of the old velocity in the motion, x' = x + dt (v' - theta (v' - v)); 0 but where
    /// an implicit method sets it
    double *position_theta;
    frz_points points; ///< within a try: which particles are material points
    frz_v4 *drift; ///< by slot, within a try: what a method moves it by beyond dt times its velocity, m; null: nothing
    frz_response *responses; ///< within a try: of elastic bodies whose implicit step is done
    frz_pairs pairs;
    frz_sample_pairs sample_pairs; ///< on demand, see frz_state_sample_pairs
    frz_sample_fit sample_fit;     ///< if walls have pressures
    frz_affine_list affine;        ///< on demand, see frz_state_affine
    frz_arena scratch;
    frz_timers timers;
    int instance_timer[FRZ_TIMER_MAX];
    double coarsest_tension; ///< distance of the nodes of surface tension that the user was told of, m
};

/// The field of what rounding left out of the positions; null if it is not kept.
static inline frz_v4 *frz_state_position_rest(const frz_state *state)
{
    return state->fields.rest >= 0 ? frz_field_v4(&state->particles, state->fields.rest) : NULL;
}

/// Move a position, and keep what rounding leaves out of it; rest may be null. Sum and error after Knuth (TwoSum).
static inline void frz_position_move(frz_v4 *position, frz_v4 *rest, frz_v4 way)
{
    const frz_v4 from = *position, step = rest != NULL ? way + *rest : way, to = from + step, taken = to - from;
    *position = to;
    if (rest != NULL)
        *rest = (from - (to - taken)) + (step - taken);
}

/// Is a body alive and of that kind now?
static inline bool frz_body_is(const frz_state *state, int body, frz_body_kind kind)
{
    return state->bodies.identity[body].alive != 0 && state->bodies.identity[body].kind == (int32_t)kind;
}

/// The scene body that a body has its given forces, damping and self-contact from.
static inline const frz_body *frz_body_made(const frz_model *model, const frz_state *state, int body)
{
    return &model->bodies[state->bodies.identity[body].made];
}

/// Empty state with room for the model's particles; the caller fills liquid and static roles and then calls finish.
FRZ_NODISCARD frz_status frz_state_create(const frz_model *model, int free_capacity, int static_capacity,
                                          frz_state **out, frz_diag *diag);

/// After the particles are in: bounds, grid, walls at their pose for the present time.
FRZ_NODISCARD frz_status frz_state_finish(const frz_model *model, frz_state *state, frz_diag *diag);
void frz_state_destroy(frz_state **state);

/// Top speed that a liquid may get, from the particles as they stand at the start: that of its fastest particle after a
/// fall from its highest to the lowest point of anything, or that of a moving wall or of a rigid body, which falls too.
/// m/s; 0 if nothing moves or falls.
double frz_state_expected_speed(const frz_model *model, const frz_state *state);
