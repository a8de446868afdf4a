// SPDX-License-Identifier: MIT
// Common to the pressure methods: displacements from multipliers, compression from displacements, and the solver of the
// bound-constrained problems between them.
//
// The unknown is a Lagrange multiplier P_i >= 0 of the compression; pair forces are antisymmetric for any mix of
// densities:
//
//     a_i = -(1 / rho_i) ( sum_j (P_i + P_j) g_ij + P_i sum_b g_ib ),   g the gradients of sph/pairs over the spacing
//
// which is the transpose of the compression's rate D(v)_i = sum_j (v_i - v_j) . g_ij + sum_b (v_i - v_b) . g_ib: the
// matrix of P -> D(a) is symmetric, and pressure does no work on water at rest. The pressure written out is c_i P_i
// with c_i the virial of i's pairs (about 1): the stress these forces amount to.
//
// All quantities inside are dimensionless: kappa = P dt^2 / (rho_ref s^2) gives displacements in spacings, so single
// (and for the stored gradients half) precision serves at any scale. Walls enter through gradient sums only.
#pragma once

#include <math.h>

#include "base/blocks.h"
#include "sim/state.h"
#include "sph/pair_push.h"

/// Iteration schemes for the bound-constrained problem; each iteration is two sweeps over the pairs.
typedef enum frz_pressure_iteration
{
    FRZ_PRESSURE_CONJUGATE,        ///< projected conjugate gradients, see pressure_conjugate.c
    FRZ_PRESSURE_BARZILAI_BORWEIN, ///< projected gradients with Barzilai-Borwein steps
    FRZ_PRESSURE_CHEBYSHEV,        ///< Jacobi accelerated by Chebyshev polynomials
    FRZ_PRESSURE_JACOBI            ///< relaxed Jacobi
} frz_pressure_iteration;

/// Their names in scenes, in this order; ends with null.
extern const char *const frz_pressure_iteration_words[];

/// Sums over the particles that one residual sweep gives.
typedef struct frz_pressure_sums
{
    double error;             ///< sum of errors
    double hidden;            ///< sum of errors left to later steps
    double largest;           ///< largest error, errors left to later steps included; NaN if any residual is
    double worst_mean;        ///< largest average error of a block
    double worst;             ///< largest error, without that
    double error_near_bodies; ///< largest error of a particle beside a movable rigid body, without that
    double body_change;       ///< largest displacement of a body in the last iteration, spacings
    double ss;                ///< d . D d     with d the last change of kappa and D the diagonal
    double sy;                ///< d . y       with y = A d the change of the residual
    double yy;                ///< y . D^-1 y
} frz_pressure_sums;

/// Kinetic energy that f times the velocities of a displacement adds: f along + f^2 square, J.
typedef struct frz_pressure_work
{
    double along, square;
    double mass, kinetic; ///< kg and J, of all particles that may move
} frz_pressure_work;

/// Inner products of a block in an iteration of conjugate gradients.
typedef struct frz_pressure_products
{
    double rd, dd;             ///< r . d and d . A d
    double sq, qq, sy, qy, yy; ///< with D^-1, over particles that may have an error: s the smoothed residual,
                               ///< q = r - s, y = A d
    double turn;               ///< z . A d, for the next direction
    double nearest;            ///< largest -d / kappa
} frz_pressure_products;

/// Effect of the multipliers on a body: sums over its links, and its displacement by them.
typedef struct frz_body_motion
{
    frz_vec3 force, torque; ///< sum of kappa G, and of kappa arm x G; dimensionless
    frz_vec3 shift;         ///< of its position, in spacings
    frz_vec3 turn;          ///< rad
} frz_body_motion;

enum
{
    FRZ_BODY_DOF = 6 ///< degrees of freedom of a body: three shifts and three turns
};

/// Sums over a body's links for the preconditioner, see pressure_body_preconditioner.c.
typedef struct frz_preconditioner_sums
{
    double pull[FRZ_BODY_DOF];                    ///< G^T D^-1 r
    double stiffness[FRZ_BODY_DOF][FRZ_BODY_DOF]; ///< G^T D^-1 G
} frz_preconditioner_sums;

/// A body in the preconditioner.
typedef struct frz_preconditioner_body
{
    double mobility[FRZ_BODY_DOF][FRZ_BODY_DOF]; ///< shift and turn per force and torque
    frz_preconditioner_sums sums;
    double answer[FRZ_BODY_DOF];
} frz_preconditioner_body;

typedef struct frz_pressure_system
{
    const frz_pairs *pairs;
    const frz_real *mobility;   ///< rho_ref / rho by particle; null if all are one
    const int32_t *solid;       ///< by particle: not negative for elastic ones; null without elastic particles
    const frz_drivers *drivers; ///< of driven particles, which push but move with their driver
    double reference_density;   ///< kg/m^3
    double strictness;          ///< factor of the tolerance; see frz_pressure_limit_correction
    double spacing;             ///< m
    const frz_affine *affine;   ///< by particle: corrections of the gradients (sph/affine.h); null: none
    frz_real *kappa;
    frz_v4 *displacement; ///< in spacings; spare lane: see frz_pressure_divergence
    frz_pressure_sums *block_sums;
    frz_pressure_work *block_work;
    const frz_sample_fit *sample_fit; ///< null if walls have no pressure of their own
    const frz_sample_pairs *sample_pairs;
    frz_real *sample_kappa;       ///< by static sample, from the last displacement
    frz_real sample_scale;        ///< factor from gradients of wall pairs to those of pairs
    const frz_body_links *links;  ///< null without movable bodies
    const frz_rigid_body *bodies; ///< by body
    int body_count;
    double *share;           ///< by body: factor of its inverse mass and inertia in the system, see bodies_weigh
    double weight;           ///< displacement of falling bodies by gravity in the step, spacings; 0: no such bodies
    bool interleaved;        ///< contacts take one iteration for each of the liquid, as printed in Gissler et al. 2019
    bool strong;             ///< bodies move with the liquid's displacements, else when the solution is applied
    frz_body_motion *motion; ///< by body: motion of the present displacement
    frz_body_motion *piece_motion; ///< sums of the links' pieces
    frz_v4 *flow_field;            ///< by particle: scratch
    frz_state *state;
    frz_rigid_motion *change_before;   ///< by body: scratch of that
    frz_rigid_motion *change_foreseen; ///< by body: change by contacts in the velocities of driven particles
    frz_joints *joints;                ///< between bodies; null: none
    frz_rigid_motion *joined;          ///< by body: scratch of these
    double mass_unit,
        inertia_unit; ///< units of mass and inertia in the system: those of a particle of rho_ref

    frz_kicks *kicks; ///< impulses on implicit elastic bodies, see pressure_response.c; null: no such body is near
                      ///< anything
    frz_real *total;  ///< with kicks, by particle: sum of the applied multipliers
    uint8_t *beside;  ///< with kicks, by particle: not 0 if a particle of such a body is near
    bool *recovers;   ///< with kicks, by particle: a solid one at a contact of an implicit body
    frz_v4 *way;      ///< with kicks, by particle: velocity of its motion in the step, m/s
    frz_real loose;   ///< compression up to which a particle may be compressed
    const frz_real *density_ratio; ///< the compression, by particle
    frz_real *lever;               ///< with kicks, by particle: the diagonal without them; else null

    // of the iterative methods only
    frz_real *source;
    frz_real *diagonal, *inverse_diagonal; ///< of the matrix; the inverse is 0 for particles without pressure
    frz_real *kappa_before, *residual;
    frz_real *step, *product;         ///< conjugate gradients only: change of kappa, and the matrix times it
    frz_v4 *step_displacement;        ///< the displacement of step
    frz_real *rough, *rough_residual; ///< kappa and residual before smoothing
    frz_v4 *rough_displacement;
    frz_pressure_products *block_products;
    frz_body_motion *step_motion;
    frz_real *body_response; ///< by particle: response of bodies, subtracted from the residual; null: bodies are in the
                             ///< diagonal
    frz_preconditioner_sums *preconditioner_piece; ///< by piece of links: scratch
    frz_preconditioner_body *preconditioner_body;  ///< by body
    const frz_v4 *drift;                           ///< velocities that the first residual adds to the source; else null
    frz_real drift_rate;                           ///< factor from drift to displacements in the step, in spacings
    int rows;                  ///< number of particles in averages: all but elastic ones without contacts
    frz_real correction;       ///< density error that is corrected in full in this step
    frz_real excess_rate;      ///< fraction of the error beyond that which is corrected too
    frz_real recovery;         ///< density error at contacts of implicit elastic bodies that is corrected in this step
    const frz_real *in_places; ///< by particle: fraction of its correction that moves positions, see pressure_places.c;
                               ///< null: none
    const frz_real *compression; ///< density solve: for the error left to later steps; else null
    bool closed;                 ///< there is no free surface, see pressure_closed.c
    bool coasting;               ///< closed, and only inertia and viscosity cause pressures
    bool unbounded;              ///< multipliers may have either sign
} frz_pressure_system;

/// Parameters of a solve.
typedef struct frz_pressure_task
{
    const char *name; ///< for messages
    double tolerance; ///< average error, fraction of the rest density
    double bound;     ///< largest error of a particle beside a movable rigid body, the same; 0: none
    double most;      ///< largest error of any particle, the same; 0: none
    double passive;   ///< the length of the step, s, if the first guess may add no kinetic energy; else 0
    bool plain;       ///< the average error decides alone
    int min_iterations, max_iterations;
    frz_pressure_iteration iteration;
} frz_pressure_task;

/// Compression of a particle that one step corrects in full; also the bound on the largest error of a solve.
extern const double frz_pressure_particle_error;

/// Set up the system for one sweep of displacements; scratch memory lives until the caller's release.
FRZ_NODISCARD frz_status frz_pressure_system_make(const frz_model *model, frz_state *state, frz_pressure_system *system,
                                                  frz_diag *diag);
/// The same with the solver's data for an iteration scheme.
FRZ_NODISCARD frz_status frz_pressure_system_make_iterative(const frz_model *model, frz_state *state,
                                                            frz_pressure_iteration iteration,
                                                            frz_pressure_system *system, frz_diag *diag);

/// Give bodies at least this fraction of the mass of the liquid beside them (and their inertia in proportion), unless
/// joints need their true mass. frz_pressure_system_make does so with a small fraction, against rounding errors.
void frz_pressure_bodies_weigh(const frz_pressure_system *system, double least);
/// Add bodies to the preconditioner where possible; else body_response stays null.
FRZ_NODISCARD frz_status frz_pressure_body_preconditioner_make(frz_state *state, frz_pressure_system *system,
                                                               frz_diag *diag);
/// Update the bodies' part of the preconditioner after bodies_weigh.
void frz_pressure_body_preconditioner_weigh(const frz_pressure_system *system);
/// No response: z = r / D.
void frz_pressure_body_preconditioner_clear(const frz_pressure_system *system);
/// Set body_response for the present multipliers and residuals: z = (r - response) / D.
void frz_pressure_body_precondition(const frz_pressure_system *system);

/// Whether no particle is near a free surface at the present positions.
bool frz_pressure_space_is_full(const frz_model *model, const frz_state *state);
/// Set closed if there is no free surface, and unbounded if pressures may then have either sign: see pressure_closed.c.
/// The next functions act only then.
void frz_pressure_find_surface(const frz_model *model, frz_state *state, frz_pressure_system *system);
/// Fails with a message if a moving wall squeezes a liquid that fills its space.
FRZ_NODISCARD frz_status frz_pressure_check_room(const frz_model *model, const frz_state *state,
                                                 const frz_pressure_system *system, frz_diag *diag);
/// Subtract the mean from the source, if multipliers are unbounded.
void frz_pressure_balance(const frz_pressure_system *system);
/// Subtract the common level from the multipliers of the warm start: their mean, or the lowest pressure if they are
/// bounded.
void frz_pressure_level(const frz_model *model, const frz_pressure_system *system);
/// For corrections that move positions only: from here on multipliers are unbounded, and heavy and light particles have
/// the same mobility.
void frz_pressure_begin_shift(frz_pressure_system *system);
/// Move positions by the displacement and towards even spacing without changing velocities; clears the displacement.
void frz_pressure_shift(const frz_model *model, const frz_state *state, const frz_pressure_system *system, double dt);

/// kappa of a multiplier of 1 Pa for a step dt.
static inline double frz_pressure_to_kappa(const frz_pressure_system *system, double dt)
{
    return dt * dt / (system->reference_density * system->spacing * system->spacing);
}

/// Whether anything can push at particle i: not within an elastic body.
static inline bool frz_pressure_touches(const frz_pressure_system *system, int i)
{
    return system->solid == NULL || system->solid[i] < 0 || system->pairs->diagonal[i] > 0 ||
           system->sample_fit != NULL;
}

/// Whether no particle can have a pressure, and no movable body is near: elastic bodies without contacts.
static inline bool frz_pressure_is_idle(const frz_pressure_system *system)
{
    return system->inverse_diagonal != NULL && system->rows == 0 && system->links == NULL && system->kicks == NULL &&
           system->drivers->with_body == 0;
}

/// u_i = -(rho_ref / rho_i) (kappa_i S_i + sum_j kappa_j g_ij + sum_b kappa_b g_ib)
void frz_pressure_displace(const frz_pressure_system *system);

/// Set the spare lanes of a field of displacements, with this motion of the bodies (null: none) and walls that move by
/// rate times their velocity.
void frz_pressure_note_mirrors(const frz_pressure_system *system, const frz_body_motion *motion, frz_real rate,
                               frz_v4 *field);

/// kappa of the walls from that of the liquid; for methods that compute displacements themselves.
void frz_pressure_extrapolate(const frz_pressure_system *system);
/// sum_b kappa_b g_ib
static inline frz_v4 frz_pressure_wall_push(const frz_pressure_system *system, int i)
{
    if (system->sample_fit == NULL || system->pairs->sample_count[i] == 0)
        return frz_v4_zero();
    return system->sample_scale * frz_sample_push(system->sample_pairs, system->sample_kappa, i);
}

/// kappa_i S_i + sum_j kappa_j g_ij + sum_b kappa_b g_ib: minus the push at particle i
static inline frz_v4 frz_pressure_push(const frz_pressure_system *system, const frz_real *kappa, int b, int i)
{
    frz_v4 push = frz_pair_push(system->pairs, kappa, b, i) + frz_pressure_wall_push(system, i);
    if (system->affine != NULL)
        push += frz_affine_push(system->pairs, system->affine, kappa, b, i);
    return push;
}

/// Set up the motion of bodies by multipliers; see pressure_bodies.c.
FRZ_NODISCARD frz_status frz_pressure_bodies_make(const frz_model *model, frz_state *state, frz_pressure_system *system,
                                                  frz_diag *diag);
/// motion of all bodies for multipliers of the particles (those of the walls are the system's).
void frz_pressure_bodies_displace(const frz_pressure_system *system, const frz_real *kappa, frz_body_motion *motion);
/// Displacements of particles that bodies drive: with the motion of the bodies in a strong coupling; else as if they
/// were free, and the drivers pass the impulses to the bodies. kappa: the multipliers of the motion.
void frz_pressure_bodies_carry(const frz_pressure_system *system, const frz_real *kappa, const frz_body_motion *motion,
                               frz_v4 *displacement);
/// Contribution of body links to the diagonal at particle i; crowd: as if all links of a body were equal and moved
/// together, which is an upper bound of their interaction.
frz_real frz_pressure_bodies_diagonal(const frz_pressure_system *system, int i, bool crowd);
/// Subtract the flow of bodies' velocities, beyond those of the samples, from the source.
void frz_pressure_bodies_predict(const frz_state *state, const frz_pressure_system *system, double dt);

/// Bring velocities of particles that bodies drive up to the present answer of contacts.
void frz_pressure_bodies_follow_contacts(const frz_pressure_system *system, frz_v4 *velocity);
/// Let contacts answer the present motion of bodies, and add the change to source and residual.
FRZ_NODISCARD frz_status frz_pressure_bodies_interlink(const frz_pressure_system *system, bool *changed,
                                                       frz_diag *diag);
/// One iteration of contacts for that motion, if the coupling interleaves the two; error: residual of the contacts over
/// their tolerance.
FRZ_NODISCARD frz_status frz_pressure_bodies_interleave(const frz_pressure_system *system, double *error,
                                                        frz_diag *diag);
/// Velocities of bodies, and the record of forces on them, from a solution; first: not a correction of one before.
void frz_pressure_bodies_apply(const frz_state *state, const frz_pressure_system *system, const frz_real *taken,
                               double dt, bool first);
/// Move poses of bodies by the present motion without changing velocities; clears the motion.
void frz_pressure_bodies_shift(const frz_state *state, const frz_pressure_system *system);

/// source_i = dt D(v)_i for the present velocities, walls included: the compression they would bring in the step.
/// Conjugate gradients need it in the first residual only, which includes it (drift): D(u) + dt D(v) = D(u + dt v) is
/// one sweep.
void frz_pressure_predict(const frz_state *state, frz_pressure_system *system, double dt);

/// Estimate the response of implicit elastic bodies in contact; see pressure_response.c.
FRZ_NODISCARD frz_status frz_pressure_response_make(frz_state *state, frz_pressure_system *system, frz_diag *diag);
/// The diagonal of the matrix at particle i with the response of these bodies.
frz_real frz_pressure_response_diagonal(const frz_pressure_system *system, int i, frz_real without);
/// Record applied multipliers.
void frz_pressure_response_take(const frz_pressure_system *system, const frz_real *taken);
/// With a solution that is not applied: find their answer to the push of liquid; wrong: the solution reckoned with
/// another one, and is to be found again.
FRZ_NODISCARD frz_status frz_pressure_response_correct(frz_state *state, const frz_pressure_system *system, double dt,
                                                       bool *wrong, frz_diag *diag);
/// When all solutions are applied: let these bodies answer the impulses of the step.
FRZ_NODISCARD frz_status frz_pressure_response_finish(const frz_model *model, frz_state *state,
                                                      const frz_pressure_system *system, double dt, frz_diag *diag);

/// The first guess, warm (Pa) times scale; null for zero.
void frz_pressure_start(const frz_pressure_system *system, const frz_real *warm, double scale);

/// Solve r = source + D(u) with kappa >= 0, r <= 0, kappa r = 0 (unbounded: r = 0, kappa of any sign). On return the
/// displacement, kappa_before and the residual are those of the solution, and kappa is the first guess of the next
/// solve.
FRZ_NODISCARD frz_status frz_pressure_solve(const frz_pressure_system *system, const frz_pressure_task *task,
                                            frz_solver_report *report, frz_diag *diag);

/// Source of a solve from the present velocities.
typedef void frz_pressure_predict_fn(const frz_state *state, frz_pressure_system *system, double dt);

/// The same with a source that is predicted here, for the solve that stops collisions: with the gradients of walls half
/// way through the step, and FRZ_ERR_DIVERGED if the step is too long for a linear solve (pressure_midway.c).
FRZ_NODISCARD frz_status frz_pressure_solve_step(const frz_model *model, frz_pressure_system *system,
                                                 frz_pressure_predict_fn *predict, const frz_pressure_task *task,
                                                 double dt, frz_solver_report *report, frz_diag *diag);

/// Work of the present displacement by kappa, including bodies that move with the liquid, excluding walls and inlets of
/// given motion.
frz_pressure_work frz_pressure_work_of(const frz_pressure_system *p, const frz_real *kappa, double dt);

/// Kinetic energy that the kick of the forces has brought beyond their work on the way that the present displacement
/// leaves, J: the solve removes it again.
double frz_pressure_lent(const frz_pressure_system *p, double dt);

/// Work of the present displacement against gravity and the forces of the force stage, J.
double frz_pressure_lift(const frz_model *model, const frz_pressure_system *p);

/// Kinetic energy below a tolerance of the compression in a step, J: that of motion that changes no distance by more
/// than the tolerance, and the same fraction of the present kinetic energy.
double frz_pressure_unseen(const frz_pressure_system *system, const frz_pressure_work *work, double tolerance,
                           double dt);

/// Bound of multipliers beyond which positions oscillate from step to step with growing amplitude: see
/// pressure_closed.c.
double frz_pressure_steady(const frz_model *model);

/// Whether the multiplier of particle i may move positions: not of elastic particles, since it would strain their
/// bodies.
static inline bool frz_pressure_may_move(const frz_pressure_system *system, int i)
{
    const uint8_t phase = frz_particles_phase(&system->state->particles)[i];
    return phase == FRZ_PHASE_LIQUID || phase == FRZ_PHASE_RIGID;
}

/// Set the fractions of corrections of the density that move positions, if a liquid is viscous enough.
FRZ_NODISCARD frz_status frz_pressure_places_make(const frz_model *model, frz_state *state, frz_pressure_system *system,
                                                  frz_diag *diag);
/// Move positions and poses by a fraction of the multipliers (share null: the same for all), as far as the motion is
/// stable, without changing velocities. The system's multipliers and displacements are overwritten.
void frz_pressure_move_places(const frz_model *model, const frz_pressure_system *system, const frz_real *taken,
                              const frz_real *share, frz_real all);

/// As frz_pressure_apply for the solution kappa_before, but the part that would add more kinetic energy than pressure
/// has removed in this step (J) moves positions: see pressure_energy.c.
void frz_pressure_apply_correction(const frz_model *model, const frz_pressure_system *system, double taken_energy,
                                   double tolerance, double dt, bool add);

/// Add the work that moved walls and held particles do by these multipliers to that of the step. The work on elastic
/// particles that answer with their bodies is added by frz_pressure_response_finish.
void frz_pressure_note_work(const frz_pressure_system *p, const frz_real *taken, double dt);
/// Velocity of immovable walls along their gradients at particle i, m/s.
double frz_pressure_wall_flow(const frz_pressure_system *system, int i);

/// Velocities from the displacement, pressure from taken (added to the present one if add).
void frz_pressure_apply(const frz_state *state, const frz_pressure_system *system, const frz_real *taken, double dt,
                        bool add);

/// warm = (1 - blend) warm + blend keep kappa, in Pa: the warm start of the next step
void frz_pressure_keep(const frz_pressure_system *system, double dt, double keep, double blend, frz_real *warm);

/// Weight of a new solution in the warm start of a method with one solve. Its solution is the sum of the hydrostatic
/// part, which stays from step to step, and of the correction of errors, which ends with them: kept, it would cause an
/// error of the opposite sign (water at rest trembles). The running mean over some ten steps keeps the first and loses
/// the second. Against half of the last solution (Ihmsen et al. 2014, sec. 3.2) water at rest takes a quarter of the
/// iterations.
extern const double frz_pressure_blend;

/// Record the highest pressure, averaged over blocks, in state->stats.pressure_speed.
void frz_pressure_note(frz_state *state, const frz_pressure_system *system);

/// dt <= 0.4 spacing / sqrt(p / rho): pressure acts along gradients frozen at the start of the step; the forces that
/// the turning of the gradients would add have the frequency sqrt(p / rho) / s, and an explicit step must resolve it.
double frz_pressure_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance);

/// Set the density error that is corrected in a step, in proportion to dt over the longest step that gravity allows:
/// then corrections have the same speed for any step, and a repetition with a smaller step is gentler, not harsher.
/// With several liquids also the tolerance, by the square of that ratio: it then bounds the same acceleration, and
/// errors of the pressure that are small for a heavy liquid do not accelerate a light one.
void frz_pressure_limit_correction(const frz_model *model, double dt, frz_pressure_system *system);

/// Factor of a tolerance of the divergence (compression in a step) for a step of this length. The tolerance is that of
/// the longest step: the one that gravity allows at rest, that of the Courant number at speed. In shorter steps it
/// bounds the same rate of compression. With a constant number, water at rest would fall in short enough steps, and the
/// density solve would push it up again.
double frz_pressure_step_share(const frz_model *model, const frz_state *state, double dt);

/// The part of a density error that is not corrected in this step: most of the part beyond the limit.
static inline frz_real frz_pressure_left_aside(const frz_pressure_system *system, frz_real error)
{
    return error > system->correction ? (1 - system->excess_rate) * (error - system->correction) : 0;
}

/// The corrected part. An elastic particle deep in its body with another particle or a wall at the edge of its support
/// has a small error and a much smaller gradient: the displacement that would correct it, error over gradient, is
/// limited like that of others. Contacts of implicit bodies recover slowly from penetration. Impulses of contacts do no
/// work in total (sim/response.h), so that deep contacts part at the expense of others; larger corrections would weaken
/// all impulses, those that hold bodies included, and piles would sink.
static inline frz_real frz_pressure_corrected(const frz_pressure_system *system, frz_real error, int i)
{
    const frz_real kept = error - frz_pressure_left_aside(system, error);
    if (system->solid == NULL || system->solid[i] < 0 || !(kept > 0))
        return kept;
    const frz_real usual_diagonal = (frz_real)0.5;
    const bool recovers = system->recovers != NULL && system->recovers[i];
    const frz_real diagonal = recovers ? system->lever[i] : system->diagonal[i];
    const frz_real slope = (frz_real)sqrt((double)(diagonal / usual_diagonal)), weak = slope < 1 ? slope : 1;
    if (recovers)
        return kept < weak * system->recovery ? kept : weak * system->recovery;
    return weak < 1 && kept > weak * system->correction
               ? weak * (system->correction + system->excess_rate * (kept - system->correction * weak))
               : kept;
}

/// delta_i - 1. At most zero for particles that an inlet carries along a wall: they cannot move away, so a correction
/// would only push their neighbours. The same holds for attached particles, but not for particles of a rigid body,
/// which moves.
static inline frz_real frz_pressure_density_error(const frz_pressure_system *system, const frz_real *compression, int i)
{
    const bool held = frz_drivers_has(system->drivers, i) && !frz_drivers_is_rigid(system->drivers, i);
    return compression[i] > 1 && held ? 0 : compression[i] - 1;
}

/// source_i = delta_i - 1 (as far as it is corrected in this step, once limit_correction was called) + dt D(v)_i
void frz_pressure_predict_density(const frz_state *state, frz_pressure_system *system, double dt);

/// sum_j (f_i - f_j) . g_ij + f_i . sum_b g_ib + m_i sum_j w_ij f_j[3] for a vector field with its change of m_j in the
/// spare lanes (frz_pair_mirror_change), g_ij corrected if system->affine is set
static inline frz_real frz_pressure_divergence(const frz_pressure_system *system, const frz_v4 *field, int b, int i)
{
    const frz_real plain = frz_pair_divergence(system->pairs, field, b, i);
    return system->affine == NULL ? plain : plain + frz_affine_divergence(system->pairs, system->affine, field, b, i);
}

/// Change of delta_i by the motion of bodies: sum_B G_iB . (shift + turn x arm).
static inline frz_real frz_pressure_link_flow(const frz_pressure_system *system, const frz_body_motion *motion, int i)
{
    double sum = 0.0;
    for (int n = system->links->begin[i]; n < system->links->begin[i + 1]; ++n)
    {
        const frz_body_link *link = &system->links->link[n];
        const frz_body_motion *m = &motion[link->body];
        const frz_vec3 g = frz_v3_of(link->gradient);
        const frz_vec3 arm = frz_v3_of(link->arm);
        sum += frz_v3_dot(g, frz_v3_add(m->shift, frz_v3_cross(m->turn, arm)));
    }
    return (frz_real)sum;
}

/// The same by the motion of the multipliers in a strong coupling; else 0.
static inline frz_real frz_pressure_body_flow(const frz_pressure_system *system, const frz_body_motion *motion, int i)
{
    return system->links == NULL || !system->strong ? 0 : frz_pressure_link_flow(system, motion, i);
}
