// SPDX-License-Identifier: MIT
// Contacts between rigid bodies as in Gissler, Peer, Band, Bender & Teschner 2019 (section 3.4): an artificial pressure
// at the surface samples keeps an artificial density from exceeding its rest value. For comparison with contacts.h,
// which is better: here friction is explicit by default, bodies meet at a distance set by the kernel, and corrections
// of positions are velocities.
//
// With samples half a spacing below the surface the true surfaces touch when samples are one spacing apart. The paper's
// gamma = 0.7 lets them come nearer, to about 0.7 spacings. No gamma that is the same at all samples makes a face flat:
// a sample in its middle has fewer neighbours of its own body than one near an edge and reaches rest density first, so
// that a box stands on the middle of a box. With gamma = 0 each sample has its own, for which a plane at one spacing
// gives rest density.
#pragma once

#include "rigid/contact_shape.h"
#include "rigid/rigid_body.h"

/// Friction of contact_pressure.h.
typedef enum frz_contact_rubbing
{
    FRZ_RUBBING_EXPLICIT, ///< as printed: before the pressure, with the load estimated from normal velocities
    FRZ_RUBBING_SOLVED    ///< an impulse at each sample, iterated with the pressure, which gives the load
} frz_contact_rubbing;

typedef struct frz_contact_pressure_options
{
    double spacing;       ///< m
    int dimension;        ///< 2 or 3
    double gamma;         ///< of the artificial rest volume; 0: by sample, so that planes touch at their true position
    double tolerance;     ///< mean excess of the density over all samples in contact, as a share of rest
    double max_tolerance; ///< the same of the worst sample; HUGE_VAL: any
    int max_iterations;
    frz_contact_rubbing rubbing;
} frz_contact_pressure_options;

/// The paper's: gamma 0.7, mean 0.1 %, explicit friction.
frz_contact_pressure_options frz_contact_pressure_options_default(double spacing, int dimension);

typedef struct frz_contact_pressure_stats
{
    int samples;      ///< near another body
    int contacts;     ///< that carry pressure
    int iterations;   ///< 0 if nothing was near
    double error;     ///< mean excess of the density in the end
    double max_error; ///< of the worst sample
    bool given_up;    ///< max_iterations was reached
    bool begun;       ///< by frz_contact_pressure_begin, and not ended
    int64_t visits;   ///< samples times iterations of this solve
} frz_contact_pressure_stats;

/// Result of a step at a sample, from which the next one starts.
typedef struct frz_contact_kept
{
    double pressure;   ///< Pa
    frz_vec3 friction; ///< N
} frz_contact_kept;

typedef struct frz_contact_pressure frz_contact_pressure;

FRZ_NODISCARD frz_status frz_contact_pressure_create(const frz_contact_pressure_options *options,
                                                     frz_contact_pressure **out, frz_diag *diag);
void frz_contact_pressure_destroy(frz_contact_pressure **contact);

/// Friction and contact forces of a step dt on bodies whose velocities hold all other forces; velocities are changed.
/// kept has an entry for each sample of all bodies, body by body: start of the iteration and its result; null: it
/// starts from zero.
FRZ_NODISCARD frz_status frz_contact_pressure_solve(frz_contact_pressure *contact, frz_rigid_body *bodies,
                                                    const frz_contact_shape *const *shapes, int count, double dt,
                                                    frz_contact_kept *kept, frz_diag *diag);

/// The same iteration by iteration, for Algorithm 3 of the paper: contacts and friction follow from the bodies at the
/// beginning, ...
FRZ_NODISCARD frz_status frz_contact_pressure_begin(frz_contact_pressure *contact, const frz_rigid_body *bodies,
                                                    const frz_contact_shape *const *shapes, int count, double dt,
                                                    const frz_contact_kept *kept, frz_diag *diag);
/// ... an iteration takes bodies with the velocities that all other forces give them, the liquid's with them, changes
/// these by the present pressures (lines 6 to 8), and finds the next ones (line 10), ...
void frz_contact_pressure_sweep(frz_contact_pressure *contact, frz_rigid_body *bodies);
/// ... then iterations go on without the liquid if the tolerance is not reached, and the pressures act on bodies, ...
void frz_contact_pressure_finish(frz_contact_pressure *contact, frz_rigid_body *bodies);
/// ... and the end. kept may be null. Without a beginning: nothing happens.
void frz_contact_pressure_end(frz_contact_pressure *contact, frz_contact_kept *kept);
frz_contact_pressure_stats frz_contact_pressure_report(const frz_contact_pressure *contact);
double frz_contact_pressure_tolerance(const frz_contact_pressure *contact); ///< of the mean excess, as a share of rest

/// Impulse and its moment about a body's position, kg m/s and kg m^2/s.
typedef struct frz_contact_pressure_load
{
    frz_vec3 impulse, moment;
} frz_contact_pressure_load;

/// Load of contacts on a body in the last solve, also on immovable bodies.
frz_contact_pressure_load frz_contact_pressure_load_of(const frz_contact_pressure *contact, int body);
