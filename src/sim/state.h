// SPDX-License-Identifier: MIT
// The state: the variable data of a simulation.
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
#include "sim/neighborhood.h"
#include "sim/response.h"
#include "solid/solids.h"

/// Result of an iterative solver. Errors are fractions of the rest density.
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
    int rejected;                ///< rejected tries of this step
    double kinetic_energy;
    double potential_energy;
    double surface_energy; ///< that methods of surface tension know of; they add to it in the force stage
    double friction_heat;  ///< that friction of solids has made in the step, J
    double work;           ///< done from outside in the step, J (sim/energy.h); stages add to it
    frz_heat_stats heat;   ///< of scenes with a material that conducts
    double momentum[3];
    double max_speed;
    double sample_speed;     ///< of the fastest static sample
    double max_acceleration; ///< by all forces, m/s^2
    int64_t changed;         ///< particles that changed their phase after the step
    double change_energy;    ///< kinetic and elastic energy lost by these changes, J
    double joint_frequency;  ///< highest frequency of oscillations by forces of joints, rad/s
    double pressure_speed;   ///< sqrt(p / rho) where the pressure is highest on average over a block, m/s
    int point_substeps;      ///< of material points
    double min[3], max[3];   ///< bounds of the liquid
} frz_step_stats;

/// Whether the liquid has a free surface anywhere; see physics/pressure/pressure_closed.c.
typedef enum frz_free_surface
{
    FRZ_FREE_SURFACE_UNKNOWN,
    FRZ_FREE_SURFACE_FOUND,
    FRZ_FREE_SURFACE_NONE
} frz_free_surface;

/// Reaction of material points on a body.
typedef struct frz_point_reaction
{
    frz_vec3 impulse, moment; ///< kg m/s; about its position
} frz_point_reaction;

/// Material points among the free particles, by slot, in scratch memory; null without material points.
typedef struct frz_points
{
    const bool *is_one;
    const int32_t *touchable;     ///< see frz_pairs_input; null: frz_model_only_points
    frz_v4 *outer;                ///< from the velocity to the settle stage: acceleration by forces, m/s^2; null: done
    frz_point_reaction *reaction; ///< with it, by body: of the velocity stage
    /// with it: turns the changes of velocity of points alone by impulses, by slot, into those through the grid;
    /// touched: of which points
    void (*give)(const struct frz_points *self, frz_v4 *field);
    const bool *touched;
    const void *grid;   ///< give's own
    const void *result; ///< that the method keeps until the try is accepted
} frz_points;

/// Data of one try of a step, in scratch memory.
typedef struct frz_attempt
{
    double dt;               ///< its length, s
    const int *order;        ///< by slot: the slot before the step; null: not sorted yet
    void *rows;              ///< memory that the sort had for a field
    frz_drivers drivers;     ///< particles whose velocity another object determines
    frz_points points;       ///< which particles are material points
    frz_v4 *drift;           ///< by slot: displacement beyond dt times the velocity, m; null: none
    frz_response *responses; ///< of elastic bodies whose implicit step is done
} frz_attempt;

/// Fields of the store that only some scenes have; -1: this one has not.
typedef struct frz_optional_fields
{
    int origin;    ///< first body of a particle; in scenes with changes
    int clearance; ///< see frz_body_surface_clearance (sim/body_surface.h); in scenes with changes
    int room;      ///< tolerated excess compression (sim/change_room.h); in scenes with changes
    int solid;     ///< numbers of solid particles
    int push;      ///< acceleration of material points by pressure and friction in the last step, m/s^2
    int rest;      ///< rounding error of the positions, m
} frz_optional_fields;

struct frz_state
{
    // saved
    double time;
    int64_t step;
    int64_t lost;     ///< particles that left the domain so far
    int64_t rejected; ///< rejected tries so far
    int64_t next_id;  ///< of the next particle that an emitter makes
    frz_step_stats stats;
    frz_particles particles;
    frz_body_table bodies;         ///< sim/body_table.h; saved in part
    frz_neighborhood neighbors;    ///< sim/neighborhood.h; saved in part
    frz_source_states sources;     ///< of emitters, regions and flows
    frz_changes changes;           ///< states of events, totals of changes
    frz_energy_account energy;     ///< sim/energy.h
    frz_heat_account heat;         ///< sim/thermal.h
    frz_free_surface free_surface; ///< pressure method

    // derived; recomputed after a restart
    frz_optional_fields fields;
    frz_samples samples;       ///< of the surfaces of bodies
    frz_contact_state contact; ///< of bodies with each other
    frz_body_links links;      ///< contacts of liquid with movable bodies; made by the coupling method
    frz_solids solids;         ///< solid particles by their own numbers
    frz_bonds bonds;           ///< on demand, see frz_state_bonds; none if no body is solid
    frz_attachments attachments;
    bool any_motion;  ///< some samples move
    bool one_density; ///< all free particles have the same rest density
    bool prepared;
    bool heat_held;          ///< heat and changes of phase by heat are paused (frz_sim_hold_heat)
    double coarsest_tension; ///< distance of the nodes of surface tension at the last warning, m
    frz_attempt attempt;     ///< within a try only
    frz_arena scratch;
    frz_timers timers;
};

/// The field of rounding errors of the positions; null if it is not kept.
static inline frz_v4 *frz_state_position_rest(const frz_state *state)
{
    return state->fields.rest >= 0 ? frz_field_v4(&state->particles, state->fields.rest) : NULL;
}

/// Move a position, and keep the rounding error in rest, which may be null. Sum and error after Knuth (TwoSum).
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

/// The scene body that determines a body's given forces, damping and self-contact.
static inline const frz_body *frz_body_made(const frz_model *model, const frz_state *state, int body)
{
    return &model->bodies[state->bodies.identity[body].made];
}

/// Empty state with capacity for the model's particles; the caller fills liquid and static roles and then calls finish.
FRZ_NODISCARD frz_status frz_state_create(const frz_model *model, int free_capacity, int static_capacity,
                                          frz_state **out, frz_diag *diag);

/// After the particles are filled in: set bounds, grid, and walls at their pose for the present time.
FRZ_NODISCARD frz_status frz_state_finish(const frz_model *model, frz_state *state, frz_diag *diag);
void frz_state_destroy(frz_state **state);

/// Estimate of the top speed of the liquid from the particles at the start: the speed of its fastest particle after a
/// fall from the liquid's highest point to the scene's lowest one, or the speed of a moving wall or of a falling rigid
/// body. m/s; 0 if nothing moves or falls.
double frz_state_expected_speed(const frz_model *model, const frz_state *state);
