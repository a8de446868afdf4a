// SPDX-License-Identifier: MIT
// The system behind contact_pressure.h, for the files that make and solve it and for tests of its diagonal.
#pragma once

#include "base/arena.h"
#include "rigid/contact_pressure.h"

/// A surface sample with samples of other bodies in its support.
typedef struct frz_pressure_sample
{
    frz_vec3 place;     ///< world
    double rest_volume; ///< V0 = gamma / sum over the own body of W
    double density;     ///< rest is 1
    double volume;      ///< V0 / density where it is compressed, else V0
    int body;
    int number;     ///< among the samples of all bodies
    int begin, end; ///< neighbours
} frz_pressure_sample;

typedef struct frz_pressure_neighbor
{
    int sample;
    double weight;     ///< W
    frz_vec3 gradient; ///< of W at the sample whose neighbour it is
} frz_pressure_neighbor;

/// Velocity and spin of a body by contact forces.
typedef struct frz_pressure_motion
{
    frz_vec3 velocity, spin;
} frz_pressure_motion;

struct frz_contact_pressure
{
    frz_contact_pressure_options options;
    frz_contact_pressure_stats stats;
    frz_arena scratch;
    int load_count, load_capacity;
    frz_contact_pressure_load *loads; ///< by body, of the last solve; by pressure alone while it iterates

    // of the present step, in scratch
    const frz_rigid_body *bodies;
    int body_count;
    double dt;
    int sample_total;             ///< of all bodies
    int count;                    ///< of those near another body
    frz_pressure_sample *samples; ///< body after body
    frz_pressure_neighbor *neighbors;
    frz_pressure_motion *motions; ///< by body
    int *contacts;                ///< by body: samples that touch
    double *pressure, *next;      ///< by sample: of this iteration and of the next one
    double *source, *diagonal, *excess;
    frz_contact_pressure_load *rubbed; ///< by body: explicit friction, which is known from the start
    frz_pressure_motion *free;         ///< by body: motions without contact forces
    struct frz_pressure_grip *grips;   ///< by sample: friction that is solved; null: it is explicit
    frz_arena_mark mark;               ///< before all of these
};

/// Friction at a sample.
typedef struct frz_pressure_grip
{
    frz_vec3 normal;        ///< of its contact
    double weights;         ///< of its neighbours, summed
    double response;        ///< velocity along the tangents per impulse along them, summed over both
    double coefficient;     ///< of friction, with the bodies around it
    frz_vec3 impulse, next; ///< on its body, of this iteration and of the next one, kg m/s
    double error;           ///< impulse that would stop its slip, as a share of the largest; 0 where it slides
} frz_pressure_grip;

/// Samples near other bodies, their neighbours and densities; arrays in the scratch arena.
FRZ_NODISCARD frz_status frz_contact_pressure_gather(frz_contact_pressure *contact, const frz_rigid_body *bodies,
                                                     const frz_contact_shape *const *shapes, int count, double dt,
                                                     frz_diag *diag);
/// Force of a pressure field on a sample, N.
frz_vec3 frz_contact_pressure_force(const frz_contact_pressure *contact, const double *pressure, int r);
/// Motions of bodies by contact forces of a pressure field: the first loop of section 3.4.2.
void frz_contact_pressure_push(frz_contact_pressure *contact, const double *pressure);
/// rho div v at a sample for the motions: Eq. (9) times rho.
double frz_contact_pressure_divergence(const frz_contact_pressure *contact, const frz_pressure_motion *motions, int r);
/// b_r: the change of -rho div v at a sample by a unit of its own pressure.
double frz_contact_pressure_diagonal(const frz_contact_pressure *contact, int r);

/// Contacts of the bodies that a sample's pressure moves, the largest number of them; at least 1.
int frz_contact_pressure_contacts_of(const frz_contact_pressure *contact, int r);
/// Friction as printed: impulses in rubbed, for the velocities of bodies, which are changed.
void frz_contact_friction_explicit(frz_contact_pressure *contact, frz_rigid_body *bodies);
/// Grips of all samples, with the impulses of the last step.
FRZ_NODISCARD frz_status frz_contact_friction_begin(frz_contact_pressure *contact, const frz_contact_kept *kept,
                                                    frz_diag *diag);
/// Add the impulses of the grips to motions and loads.
void frz_contact_friction_push(frz_contact_pressure *contact);
/// The next impulses of the grips, for the present motions and pressures.
void frz_contact_friction_iterate(frz_contact_pressure *contact);
void frz_contact_friction_take_next(frz_contact_pressure *contact);

double frz_contact_kernel(double distance, double spacing, int dimension);
