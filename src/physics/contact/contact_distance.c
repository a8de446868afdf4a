// SPDX-License-Identifier: MIT
// Contacts of rigid bodies at their true surfaces: signed distances, impulses with Coulomb's cone (rigid/contacts.h).
//
// 0 <= l_n complementary to u_n >= b, |l_t| <= mu l_n, by block Gauss-Seidel with conjugate directions: friction holds
// at rest, bodies touch at their true surfaces, and remaining overlaps are corrected without energy. See
// docs/theory.md.
#include "base/memory.h"
#include "sim/state.h"

typedef struct distance
{
    double tolerance, max_tolerance; ///< %
    int max_iterations;
    double sleep; ///< s
} distance;

static const frz_param distance_params[] = {
    {"tolerance", "Mean change of contact velocities in the last sweep, in percent of their change by contacts.",
     FRZ_PARAM_REAL, offsetof(distance, tolerance), 1e-5, 1e-10, 10.0, "%", NULL},
    {"max_tolerance", "The same of the worst contact.", FRZ_PARAM_REAL, offsetof(distance, max_tolerance), 1e-4, 1e-10,
     1000.0, "%", NULL},
    {"max_iterations", "Largest number of sweeps over the contacts of a group of touching bodies.", FRZ_PARAM_INT,
     offsetof(distance, max_iterations), 1000, 1, 1e6, "", NULL},
    {"sleep",
     "Groups of touching bodies that have all been at rest for this long fall asleep until something moves them; "
     "0: never. Only where there is nothing but rigid and static bodies.",
     FRZ_PARAM_REAL, offsetof(distance, sleep), 0.0, 0.0, 1e6, "s", NULL},
    {0}};

typedef struct distance_memory
{
    double last_dt; ///< of the contacts before the present step, to undo it
    double sleep;   ///< s; of the method's parameters
} distance_memory;

static frz_status distance_prepare(const frz_model *model, frz_state *state, const void *parameters, frz_diag *diag)
{
    (void)model;
    const distance *self = parameters;
    frz_contacts_tune(state->contact.set, 0.01 * self->tolerance, 0.01 * self->max_tolerance, self->max_iterations);
    state->contact.own = FRZ_ALLOC("contacts", 1, distance_memory);
    if (state->contact.own == NULL)
        return frz_fail_memory(diag, "the contacts");
    *(distance_memory *)state->contact.own = (distance_memory){.sleep = self->sleep};
    return FRZ_OK;
}

static frz_status distance_begin(frz_state *state, double dt, frz_diag *diag)
{
    distance_memory *memory = state->contact.own;
    memory->last_dt = frz_contacts_last_dt(state->contact.set);
    // particles push bodies in ways that contacts do not know of
    const bool alone = state->particles.count[FRZ_ROLE_FREE] == 0;
    frz_contacts_let_sleep(state->contact.set, alone ? memory->sleep : 0.0);
    FRZ_TRY(frz_contacts_find(state->contact.set, state->bodies.rigid,
                              (const frz_contact_shape *const *)state->contact.shapes, state->bodies.count, dt, diag));
    return frz_contacts_wake(state->contact.set, state->bodies.rigid, state->bodies.count, diag);
}

static void distance_undo(frz_state *state)
{
    const distance_memory *memory = state->contact.own;
    frz_contacts_undo(state->contact.set, memory->last_dt);
}

static frz_status distance_solve(frz_state *state, frz_rigid_body *bodies, bool again, frz_diag *diag)
{
    return again ? frz_contacts_solve_again(state->contact.set, bodies, state->bodies.count, state->attempt.dt, diag)
                 : frz_contacts_solve(state->contact.set, bodies, state->bodies.count, state->attempt.dt, diag);
}

// Velocity of a body's point in the middle between the start of the step and its end.
static frz_vec3 mean_velocity(const frz_state *state, int b, frz_vec3 place)
{
    return frz_v3_scale(0.5, frz_v3_add(frz_rigid_body_velocity_at(&state->bodies.before[b], place),
                                        frz_rigid_body_velocity_at(&state->bodies.rigid[b], place)));
}

// Work of friction at a contact, which becomes heat.
static double friction_heat(const frz_state *state, const frz_contact *c)
{
    const frz_vec3 rub = frz_v3_mad(frz_v3_scale(c->impulse.y, c->tangent[0]), c->impulse.z, c->tangent[1]);
    const frz_vec3 slide =
        frz_v3_sub(mean_velocity(state, c->key.toucher, c->place), mean_velocity(state, c->key.touched, c->place));
    return -frz_v3_dot(rub, slide);
}

// Force and torque of the impulses on both bodies of each contact.
static void distance_record(frz_state *state)
{
    const frz_contact *list = NULL;
    const int count = frz_contacts_view(state->contact.set, &list);
    for (int k = 0; k < count; ++k)
    {
        const frz_contact *c = &list[k];
        state->stats.friction_heat += friction_heat(state, c);
        const frz_vec3 impulse =
            frz_v3_mad(frz_v3_mad(frz_v3_scale(c->impulse.x, c->normal), c->impulse.y, c->tangent[0]), c->impulse.z,
                       c->tangent[1]);
        for (int side = 0; side < 2; ++side)
        {
            const int b = side == 0 ? c->key.toucher : c->key.touched;
            const frz_vec3 force = frz_v3_scale((side == 0 ? 1.0 : -1.0) / state->attempt.dt, impulse);
            const frz_vec3 arm = frz_v3_sub(c->place, state->bodies.rigid[b].position);
            frz_body_load *load = &state->bodies.loads[b];
            load->contact_force = frz_v3_add(load->contact_force, force);
            load->contact_torque = frz_v3_add(load->contact_torque, frz_v3_cross(arm, force));
        }
    }
}

static frz_status distance_separate(frz_state *state, double dt, frz_diag *diag)
{
    return frz_contacts_separate(state->contact.set, state->bodies.rigid, state->bodies.count, dt, diag);
}

static frz_contact_stats distance_report(const frz_state *state)
{
    return frz_contacts_stats(state->contact.set);
}

static const frz_contact_ops distance_ops = {.prepare = distance_prepare,
                                             .destroy = frz_free,
                                             .begin = distance_begin,
                                             .solve = distance_solve,
                                             .record = distance_record,
                                             .separate = distance_separate,
                                             .undo = distance_undo,
                                             .report = distance_report};

const frz_method frz_method_contact_distance = {
    .key = "distance",
    .slot = FRZ_SLOT_CONTACT,
    .doc = "Impulses where surfaces meet, with friction that holds at rest and restitution; large steps.",
    .cite = "Silcowitz-Hansen, Niebe & Erleben 2010, doi:10.1007/s00371-010-0502-6",
    .self_size = sizeof(distance),
    .params = distance_params,
    .contact = &distance_ops,
};
