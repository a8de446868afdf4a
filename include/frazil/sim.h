// SPDX-License-Identifier: MIT
// A simulation in memory: made from a scene, advanced step by step, read through views.
#pragma once

#include "frazil/base.h"
#include "frazil/scene.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct frz_sim frz_sim;

/// How to make a simulation. Start from frz_sim_def_default().
typedef struct frz_sim_def
{
    int threads;     ///< 0: all cores, or one while that is faster. Results are the same bits for any number.
    frz_log_fn *log; ///< receives warnings (overlaps carved, thin walls, ...); may be null
    void *log_user;
    uint32_t cookie; ///< set by frz_sim_def_default; do not touch
} frz_sim_def;

FRZ_API frz_sim_def frz_sim_def_default(void);

/// Sample the scene's bodies and make the simulation at time 0. The scene is not needed afterwards.
/// Owner: the caller destroys. Thread: one simulation at a time per thread.
FRZ_API FRZ_NODISCARD frz_status frz_sim_create(const frz_scene *scene, const frz_sim_def *def, frz_sim **out,
                                                frz_diag *diag);
/// Accepts null, leaves null.
FRZ_API void frz_sim_destroy(frz_sim **sim);

/// One time step, of the size the simulation chooses but at most dt_limit seconds (HUGE_VAL: no limit).
/// FRZ_ERR_DIVERGED: the state is the last good one and can be read and saved.
FRZ_API FRZ_NODISCARD frz_status frz_sim_step(frz_sim *sim, double dt_limit, frz_diag *diag);

/// Steps until the given time exactly.
FRZ_API FRZ_NODISCARD frz_status frz_sim_advance(frz_sim *sim, double until, frz_diag *diag);

FRZ_API double frz_sim_time(const frz_sim *sim);        ///< s
FRZ_API int64_t frz_sim_step_count(const frz_sim *sim); ///< accepted steps so far

/// The two kinds of particles.
typedef enum frz_segment
{
    FRZ_SEGMENT_FREE,   ///< moves freely: liquid, elastic; the field "body" holds the number of its body
    FRZ_SEGMENT_SAMPLES ///< of the surface of a static or rigid body
} frz_segment;

FRZ_API int64_t frz_sim_particle_count(const frz_sim *sim, frz_segment segment);

/// Figures of the last step. Errors are in percent of the rest density.
typedef struct frz_stats
{
    int64_t step;
    double time, dt;
    const char *dt_limit; ///< limit of the step: "fixed", "max", "speed", "force", "method", "joint", "frame", "retry"
    int density_iterations, divergence_iterations;
    int elastic_iterations;                                ///< of implicit elastic methods
    int point_substeps;                                    ///< of material points
    double density_error_average, density_error_max;       ///< %
    double divergence_error_average, divergence_error_max; ///< %
    int rejected;                                          ///< rejected attempts of the last step
    int64_t rejected_total;                                ///< of all steps
    int64_t liquid, elastic, lost;                         ///< particles now; particles that left the domain so far
    int64_t rigid;                                         ///< particles of rigid bodies that consist of particles, now
    int64_t changed;                                       ///< particles that have changed their phase so far
    double change_energy;                                  ///< kinetic and elastic energy lost in these changes, J
    int64_t emitted, blocked; ///< particles that emitters have made so far; that found their place occupied
    int64_t killed;           ///< particles that regions have removed so far
    int contacts;             ///< between bodies, in the last step
    int contact_iterations;   ///< of the contact solver; the most of any group of bodies that touch each other
    int64_t contact_visits;   ///< contacts times sweeps over them; proportional to the solver's time
    double contact_error_average, contact_error_max; ///< %; bounded by the contact method's tolerances
    double contact_depth; ///< largest penetration, m; 0 with contact gissler2019, which computes none
    double kinetic_energy, potential_energy; ///< J (J/m in 2D)
    double friction_heat;                    ///< that friction of solids has made so far, J
    double work; ///< done from outside so far, J: by moved walls, inlets, attachments, given forces and heat
    double momentum[3];
    double max_speed;                            ///< m/s
    int64_t pairs;                               ///< liquid neighbour pairs
    double heat, latent_heat;                    ///< of all particles relative to 0 K, and the latent part of it, J
    double wall_heat, surface_heat, region_heat; ///< heat flow in from walls, from the air and from regions, W
    double work_heat;                            ///< heat made by plastic work, W
    double heat_area;                            ///< surface exposed to air, m^2 (m in 2D), if a material cools there
    double heat_drift;                           ///< change of the heat so far without a source, J: rounding
    int heat_substeps;                           ///< of the last step; 0: it was implicit
    int heat_iterations;                         ///< of the implicit solver in the last step
} frz_stats;

FRZ_API void frz_sim_stats(const frz_sim *sim, frz_stats *out);

/// Parts of the energy of everything that moves, J (J/m in 2D).
typedef struct frz_energies
{
    double kinetic;   ///< of liquids, elastic and rigid bodies
    double potential; ///< in the field of gravity; zero at the origin
    double elastic;   ///< stored in elastic bodies
    double surface;   ///< of liquid surfaces at the start of the last step; 0 where the method has no energy
} frz_energies;

/// Compute the present energy. Takes about as long as the elastic forces of one step.
FRZ_API FRZ_NODISCARD frz_status frz_sim_energies(frz_sim *sim, frz_energies *out, frz_diag *diag);

/// The energy balance. The sum of all parts, less the work that is done from outside, can only fall; the energy of
/// particles that entered or left and of changes of phase is not counted in it.
typedef struct frz_audit
{
    frz_energies energies;
    double made;  ///< how much the sum is above its lowest value so far, J
    double worst; ///< the largest of these so far over its bound: 1 % of scale, the energy that lifts all by 10 % of a
                  ///< spacing, and the work of the last step; above 1 the user is warned
    double scale; ///< the largest sum of kinetic, elastic and surface energy so far, J
    char driver[256]; ///< why the sum may rise in this scene without being an error; empty: it may not
} frz_audit;

/// Compute the energy and update the balance; warns if the energy grew, with time and body. The command-line program
/// does so with every row of stats.csv.
FRZ_API FRZ_NODISCARD frz_status frz_sim_audit(frz_sim *sim, frz_audit *out, frz_diag *diag);

typedef enum frz_scalar
{
    FRZ_SCALAR_F32,
    FRZ_SCALAR_F64,
    FRZ_SCALAR_I32,
    FRZ_SCALAR_I64,
    FRZ_SCALAR_U8
} frz_scalar;

/// A borrowed array of count rows of `components` values; rows are `stride` values apart. Valid until the next step.
typedef struct frz_field_view
{
    const char *name;
    const char *unit;
    frz_scalar type;
    int components, stride;
    int64_t count;
    const void *data; ///< null if there is no such field
} frz_field_view;

/// "position", "velocity", "density", "pressure", "temperature", "id", "body", ... of the free particles or of the
/// samples.
FRZ_API frz_field_view frz_sim_field(const frz_sim *sim, const char *name, frz_segment segment);
/// Name of field number index, null past the last one.
FRZ_API const char *frz_sim_field_name(const frz_sim *sim, int index);
/// Value of one component as double, for every type.
FRZ_API double frz_field_value(const frz_field_view *view, int64_t row, int component);

/// Give the free particles velocities, three numbers each, in the order of the views. Meant for the start of a run.
FRZ_API FRZ_NODISCARD frz_status frz_sim_set_velocity(frz_sim *sim, const double *velocity, int64_t count,
                                                      frz_diag *diag);

/// Give the free particles temperatures, K, in the order of the views. Refused if no key of the scene sets a
/// temperature.
FRZ_API FRZ_NODISCARD frz_status frz_sim_set_temperature(frz_sim *sim, const double *temperature, int64_t count,
                                                         frz_diag *diag);

/// Stop the heat, or let it go on: temperatures, volumes and phases stay as they are, while everything moves on. The
/// time of the pause is lost to the heat, and no checkpoint knows of it. To measure what heat and changes cost.
FRZ_API void frz_sim_hold_heat(frz_sim *sim, bool hold);

/// Deformation gradient of the free particles as their elastic methods see it (corrected: exact for affine maps), nine
/// numbers each, row by row, in the order of the views; the identity for particles that are not elastic.
FRZ_API FRZ_NODISCARD frz_status frz_sim_deformation(const frz_sim *sim, double *gradient, int64_t count,
                                                     frz_diag *diag);

/// SPH average of the liquid at a point: pressure (Pa), velocity (m/s, 3 values), density (kg/m^3); outputs may be
/// null. Returns false (and zeros) where there is no liquid near.
FRZ_API bool frz_sim_probe(const frz_sim *sim, const double point[3], double *pressure, double *velocity,
                           double *density);

/// SPH average at a point of a scalar field, e.g. "temperature", in the field's unit. Returns false (and zero) where
/// there is no liquid near, and for an unknown field.
FRZ_API bool frz_sim_probe_field(const frz_sim *sim, const char *name, const double point[3], double *value);

enum
{
    FRZ_BODY_NAME_MAX = 160 ///< bytes of a body's name, the final zero included
};

/// A body of the scene, or one created during the run.
typedef struct frz_body_info
{
    char name[FRZ_BODY_NAME_MAX]; ///< "bunny"; parts that came off it are "bunny/2", "bunny/3"
    const char *state;            ///< its present state: "liquid", "elastic", "rigid", "static"
    int64_t number;               ///< in the field "body" of its particles; never used again for another one
    int64_t object;               ///< the lowest number of the bodies that bonds tie it to; its own if there are none
    int chain;                    ///< number of the chain that it is a link of, from 1; 0: none
    int64_t particles;            ///< number of its particles now
    int64_t carved;               ///< particles left out because another body overlaps them
    double position[3];           ///< m, now; of rigid bodies the centre of mass, or the hinge
    double orientation[4];        ///< quaternion w x y z, now
    double velocity[3];           ///< m/s
    double force[3];              ///< by the liquid's pressure, N
    double torque[3];             ///< about position, N m
    double spin[3];               ///< rad/s
    double contact_force[3],
        contact_torque[3]; ///< by other bodies: contacts, joints, elastic push and friction, N, N m
    double mass;           ///< kg (kg/m in 2D); of liquid and elastic bodies that of their particles; 0 if static
    bool filled;           ///< rigid: made of particles, so that it can change
} frz_body_info;

/// Number of bodies now. It changes when a body is created, merges with another, or loses its last particle.
FRZ_API int frz_sim_body_count(const frz_sim *sim);
/// All bodies; out holds frz_sim_body_count entries. The call computes the forces. On FRZ_ERR_MEMORY the forces and the
/// masses of bodies of particles are 0.
FRZ_API frz_status frz_sim_bodies(const frz_sim *sim, frz_body_info *out);

/// One emitter of the scene.
typedef struct frz_emitter_info
{
    const char *name;
    double speed;          ///< m/s
    double flow_rate;      ///< while it is on, m^3/s (m^2/s in 2D)
    double particle_rate;  ///< while it is on, 1/s
    int sites;             ///< particles of a layer
    int sites_carved;      ///< left out because a wall is in the way
    double expected;       ///< particles by the end of the scene if nothing blocks it
    int64_t max_particles; ///< 0: no limit
    int64_t emitted;       ///< particles made so far
    int64_t blocked;       ///< particles not made because their place was occupied
    bool exhausted;        ///< max_particles are made
} frz_emitter_info;

FRZ_API int frz_sim_emitter_count(const frz_sim *sim);
/// Index from 0 to below the count.
FRZ_API frz_emitter_info frz_sim_emitter(const frz_sim *sim, int index);

/// One region of the scene.
typedef struct frz_region_info
{
    const char *name;
    const char *action;   ///< "kill", "force", "heat"
    const char *material; ///< null: all
    double volume;        ///< m^3 (m^2 in 2D); HUGE_VAL if it has no end
    int64_t killed;       ///< particles removed so far
} frz_region_info;

FRZ_API int frz_sim_region_count(const frz_sim *sim);
/// Index from 0 to below the count.
FRZ_API frz_region_info frz_sim_region(const frz_sim *sim, int index);

/// One attachment of the scene.
typedef struct frz_attachment_info
{
    const char *name;
    int64_t particles; ///< that it holds
    double force[3];   ///< on them during the last step, N (N/m in 2D)
} frz_attachment_info;

FRZ_API int frz_sim_attachment_count(const frz_sim *sim);
/// Index from 0 to below the count.
FRZ_API frz_attachment_info frz_sim_attachment(const frz_sim *sim, int index);

/// Volume that has passed the surface of probe number index so far, m^3 (m^2 in 2D); 0 if it counts no flow.
FRZ_API double frz_sim_flow(const frz_sim *sim, int index);

/// The figures of `frazil check`: sizes and estimates.
typedef struct frz_sim_report
{
    int dimension;
    double spacing, support; ///< m
    int64_t liquid, elastic, walls;
    double particle_mass_min, particle_mass_max; ///< kg
    double memory;                               ///< bytes held now
    double expected_liquid;                      ///< most particles at the end, if emitters work and nothing is removed
    double expected_memory;                      ///< bytes then
    double time_step;                            ///< first step, s
    const char *time_step_limit;
    const char *pressure;      ///< name of the pressure method
    double expected_speed;     ///< sqrt(2 g H) or the fastest body, m/s
    double expected_time_step; ///< at that speed, s
    double expected_steps;
    int warning_count;
} frz_sim_report;

FRZ_API void frz_sim_report_get(const frz_sim *sim, frz_sim_report *out);
/// Warning number index, null past the last one. Owner: the simulation.
FRZ_API const char *frz_sim_warning(const frz_sim *sim, int index);

/// Wall-clock seconds and calls per stage since the start; name is null past the last one.
typedef struct frz_timer_info
{
    const char *name;
    double seconds;
    int64_t calls;
} frz_timer_info;

FRZ_API frz_timer_info frz_sim_timer(const frz_sim *sim, int index);
FRZ_API void frz_sim_timers_reset(frz_sim *sim);

/// Write directory/checkpoint.h5 (the older one is kept as checkpoint.old.h5).
FRZ_API FRZ_NODISCARD frz_status frz_sim_save(const frz_sim *sim, const char *directory, frz_diag *diag);
/// Take the state from directory/checkpoint.h5, which must come from the same scene. After a failure the state is
/// undefined: destroy the simulation.
FRZ_API FRZ_NODISCARD frz_status frz_sim_restore(frz_sim *sim, const char *directory, frz_diag *diag);

/// Bytes the library holds, the most it ever held, and the number of allocations it has made.
FRZ_API void frz_memory_info(int64_t *bytes, int64_t *peak, int64_t *allocations);

#ifdef __cplusplus
}
#endif
