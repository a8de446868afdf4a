// SPDX-License-Identifier: MIT
// Contacts between rigid bodies: found by signed distances, solved as impulses with Coulomb's cone, together with the
// joints.
//
// A step of the caller: frz_contacts_find at the poses and velocities of the beginning, then forces change velocities,
// then frz_contacts_solve makes velocities admissible, then poses follow velocities, then frz_contacts_separate
// corrects the remaining penetrations by moving poses only, so that it adds no energy. All results have the same bits
// for any number of threads.
#pragma once

#include "base/arena.h"
#include "rigid/contact_shape.h"
#include "rigid/joints.h"

typedef struct frz_contact_options
{
    double spacing;           ///< m
    double tolerance;         ///< mean error of contact velocities, relative to their change by the contacts
    double max_tolerance;     ///< the same for the worst contact
    int max_iterations;       ///< sweeps over all contacts of an island
    double push_speed;        ///< m/s; overlapping bodies are driven apart at most this fast
    double restitution_speed; ///< m/s; slower impacts do not bounce
    double acceleration; ///< m/s^2; by outer forces: the search allows for the velocity that bodies gain in the step
    double sleep_after;  ///< s; groups of bodies that have been at rest for this long fall asleep; 0: none
} frz_contact_options;

frz_contact_options frz_contact_options_default(double spacing);

/// Identity of a contact from step to step: the two bodies, and the point of the first.
typedef struct frz_contact_key
{
    int toucher; ///< body whose point it is
    int touched; ///< body whose surface is touched
    int point;   ///< of the toucher
    /// not 0: its bodies hardly move against each other (1: it is carried along from an earlier step)
    int kept;
} frz_contact_key;

typedef struct frz_contact
{
    frz_contact_key key;
    frz_vec3 place;   ///< world
    frz_vec3 normal;  ///< unit, world; from the touched body to the toucher
    double gap;       ///< m; negative where the bodies overlap
    double facing;    ///< cosine between the normal of one surface and the opposite of the other's
    double approach;  ///< normal velocity when it was found, m/s; negative for approach
    frz_vec3 impulse; ///< on the toucher, in the frame (normal, tangent, tangent), kg m/s; answer of the solver
    frz_vec3 tangent[2];
    frz_vec3 anchor[2]; ///< the two surface points, body axes of toucher and touched
    frz_vec3 axis;      ///< the normal in body axes of the touched
} frz_contact;

/// Record of two bodies that may touch, for later steps.
typedef struct frz_contact_pair
{
    int low, high;    ///< bodies
    int first, count; ///< contacts in the list
    int points;       ///< that touch; the contacts are a subset whose constraints imply those of the others
    int fresh;        ///< 1: searched in this step
    double slack;     ///< m; contacts stay valid while the bodies move no more than this against each other
    double margin;    ///< m; contacts with gaps up to this are in the list
    frz_vec3 shift;   ///< pose of the smaller body in axes of the larger one at their last search
    frz_mat3 turn;
} frz_contact_pair;

typedef struct frz_contact_stats
{
    int contacts;         ///< that carry load or can within the step
    int points;           ///< that touch, including those whose contacts are left out because others imply them
    int pairs;            ///< of bodies whose bounds overlap
    int pairs_looked_at;  ///< searched in this step; the others have hardly moved against each other
    int ropes;            ///< that pull, or can within the step
    int overlapping;      ///< pairs of bodies that overlap by more than a tenth of a spacing
    double deepest;       ///< m; largest penetration, 0 if there is none
    int iterations;       ///< largest number of an island
    double error;         ///< mean, as for the tolerance; of the worst island
    double max_error;     ///< worst contact
    int islands_given_up; ///< islands that reached max_iterations
    int asleep;           ///< bodies
    int64_t visits;       ///< contacts times sweeps, of all islands and solves since they were found
    /// The deepest pair of overlapping bodies that approach in spite of their contacts, as between the jaws of a press.
    /// Both 0: none.
    int crushed[2];
    double crushed_by; ///< m; how deep
} frz_contact_stats;

typedef struct frz_contacts frz_contacts;

FRZ_NODISCARD frz_status frz_contacts_create(const frz_contact_options *options, frz_contacts **out, frz_diag *diag);
void frz_contacts_destroy(frz_contacts **contacts);

/// Take over joints of the same bodies, and solve them with the contacts from now on. Call it once at most.
void frz_contacts_take_joints(frz_contacts *contacts, frz_joints *joints);
frz_joints *frz_contacts_joints(const frz_contacts *contacts); ///< null: none
/// Change the stopping rule of the solver.
void frz_contacts_tune(frz_contacts *contacts, double tolerance, double max_tolerance, int max_iterations);

/// Set frz_contact_options.sleep_after.
void frz_contacts_let_sleep(frz_contacts *contacts, double after);

/// All contacts that may close within dt. shapes[b] may be null (a body that touches nothing).
FRZ_NODISCARD frz_status frz_contacts_find(frz_contacts *contacts, const frz_rigid_body *bodies,
                                           const frz_contact_shape *const *shapes, int count, double dt,
                                           frz_diag *diag);
/// After they were found and before forces act: wake sleeping bodies that something may move.
FRZ_NODISCARD frz_status frz_contacts_wake(frz_contacts *contacts, frz_rigid_body *bodies, int count, frz_diag *diag);
/// Impulses such that no pair approaches, with friction and restitution; velocities are changed.
FRZ_NODISCARD frz_status frz_contacts_solve(frz_contacts *contacts, frz_rigid_body *bodies, int count, double dt,
                                            frz_diag *diag);
/// Solve again in the same step for other velocities (without the effect of contacts), starting from the impulses just
/// found.
FRZ_NODISCARD frz_status frz_contacts_solve_again(frz_contacts *contacts, frz_rigid_body *bodies, int count, double dt,
                                                  frz_diag *diag);
/// Move overlapping bodies apart; bodies that have come to rest fall asleep.
FRZ_NODISCARD frz_status frz_contacts_separate(frz_contacts *contacts, frz_rigid_body *bodies, int count, double dt,
                                               frz_diag *diag);

/// Length of the step that was solved last, s; 0 if there was none.
double frz_contacts_last_dt(const frz_contacts *contacts);
/// Restore the state before the last find; last_dt: frz_contacts_last_dt at that time.
void frz_contacts_undo(frz_contacts *contacts, double last_dt);
/// The data that the next step starts from.
typedef struct frz_contacts_memory
{
    frz_contact *list;
    frz_contact_pair *pairs;
    int count, pair_count;
    double last_dt;
} frz_contacts_memory;

/// Points into the contacts.
frz_contacts_memory frz_contacts_recall(const frz_contacts *contacts);
/// Replace it by that of another time.
FRZ_NODISCARD frz_status frz_contacts_put(frz_contacts *contacts, const frz_contacts_memory *memory, frz_diag *diag);

/// Between steps: the surface of a body was made anew from its particles. Its contacts keep their impulses where the
/// same particle still touches, and lose them where it is gone; its pairs are searched again. Positions in the body
/// must refer to the same frame as before. The next find must get the new shape; null: the body touches nothing.
void frz_contacts_remap(frz_contacts *contacts, int body, const frz_contact_shape *before,
                        const frz_contact_shape *after);

/// Of the last find and solve.
frz_contact_stats frz_contacts_stats(const frz_contacts *contacts);
int frz_contacts_view(const frz_contacts *contacts, const frz_contact **list);
