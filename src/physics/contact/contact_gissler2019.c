// SPDX-License-Identifier: MIT
// Contacts of rigid bodies by an artificial pressure at their surface samples: Gissler, Peer, Band, Bender & Teschner
// 2019, section 3.4 (rigid/contact_pressure.h has the equations). The iteration ends when the mean excess of the
// artificial density over all samples in contact is below the tolerance, and no sample's is above the larger one: a
// mean alone hides one bad contact.
#include <math.h>

#include "rigid/contact_pressure.h"
#include "sim/coupling.h"
#include "sim/state.h"

typedef struct gissler
{
    double gamma;
    double tolerance, max_tolerance; ///< %
    int max_iterations;
    int friction; ///< frz_contact_rubbing
} gissler;

static const char *const frictions[] = {"explicit", "solved", NULL};

static const frz_param gissler_params[] = {
    {"gamma",
     "Share of the rest density that a sample has by itself (0.7 in the paper); 0: by sample, so that planes touch "
     "where they are.",
     FRZ_PARAM_REAL, offsetof(gissler, gamma), 0.0, 0.0, 0.95, "", NULL},
    {"tolerance", "Mean excess of the artificial density that is left, in percent.", FRZ_PARAM_REAL,
     offsetof(gissler, tolerance), 0.1, 1e-6, 10.0, "%", NULL},
    {"max_tolerance", "The same of the worst sample.", FRZ_PARAM_REAL, offsetof(gissler, max_tolerance), 1.0, 1e-6,
     100.0, "%", NULL},
    {"max_iterations", "The iteration gives up here.", FRZ_PARAM_INT, offsetof(gissler, max_iterations), 1000, 1, 1e6,
     "", NULL},
    {"friction",
     "explicit: as printed, found before the pressure; solved: iterated with the pressure, holds piles and slopes.",
     FRZ_PARAM_WORD, offsetof(gissler, friction), 0, 0, 0, "", frictions},
    {0}};

static frz_status gissler_prepare(const frz_model *model, frz_state *state, const void *parameters, frz_diag *diag)
{
    const gissler *self = parameters;
    frz_contact_pressure_options options = frz_contact_pressure_options_default(model->spacing, model->dimension);
    options.gamma = self->gamma;
    options.tolerance = 0.01 * self->tolerance;
    // as printed, averages decide alone
    options.max_tolerance = frz_coupling_is_interleaved(model) ? HUGE_VAL : 0.01 * self->max_tolerance;
    options.max_iterations = self->max_iterations;
    options.rubbing = (frz_contact_rubbing)self->friction;
    frz_contact_pressure *own = NULL;
    const frz_status status = frz_contact_pressure_create(&options, &own, diag);
    state->contact.own = own;
    return status;
}

static void gissler_destroy(void *own)
{
    frz_contact_pressure *pressure = own;
    frz_contact_pressure_destroy(&pressure);
}

// A try begins: keep a copy of the pressures of samples for undoing it. Contacts are found by the solve.
static frz_status gissler_begin(frz_state *state, double dt, frz_diag *diag)
{
    (void)dt;
    (void)diag;
    frz_contact_pressure_end(state->contact.own, NULL);
    return FRZ_OK;
}

static frz_status gissler_solve(frz_state *state, frz_rigid_body *bodies, bool again, frz_diag *diag)
{
    frz_contact_pressure *pressure = state->contact.own;
    if (again && frz_contact_pressure_report(pressure).begun)
    { // most iterations were those of the liquid
        frz_contact_pressure_finish(pressure, bodies);
        frz_contact_pressure_end(pressure, state->contact.kept);
        return FRZ_OK;
    }
    return frz_contact_pressure_solve(pressure, bodies, (const frz_contact_shape *const *)state->contact.shapes,
                                      state->bodies.count, state->attempt.dt, state->contact.kept, diag);
}

// The first of a try also begins.
static frz_status gissler_sweep(frz_state *state, frz_rigid_body *bodies, double *error, frz_diag *diag)
{
    frz_contact_pressure *pressure = state->contact.own;
    if (!frz_contact_pressure_report(pressure).begun)
        FRZ_TRY(frz_contact_pressure_begin(pressure, bodies, (const frz_contact_shape *const *)state->contact.shapes,
                                           state->bodies.count, state->attempt.dt, state->contact.kept, diag));
    frz_contact_pressure_sweep(pressure, bodies);
    *error = frz_contact_pressure_report(pressure).error / frz_contact_pressure_tolerance(pressure);
    return FRZ_OK;
}

static void gissler_record(frz_state *state)
{
    for (int b = 0; b < state->bodies.count; ++b)
    {
        const frz_contact_pressure_load from = frz_contact_pressure_load_of(state->contact.own, b);
        state->bodies.loads[b].contact_force = frz_v3_scale(1.0 / state->attempt.dt, from.impulse);
        state->bodies.loads[b].contact_torque = frz_v3_scale(1.0 / state->attempt.dt, from.moment);
    }
}

static frz_contact_stats gissler_report(const frz_state *state)
{
    const frz_contact_pressure_stats s = frz_contact_pressure_report(state->contact.own);
    return (frz_contact_stats){.contacts = s.contacts,
                               .iterations = s.iterations,
                               .error = s.error,
                               .max_error = s.max_error,
                               .islands_given_up = s.given_up,
                               .visits = s.visits};
}

static const frz_contact_ops gissler_ops = {.prepare = gissler_prepare,
                                            .destroy = gissler_destroy,
                                            .begin = gissler_begin,
                                            .solve = gissler_solve,
                                            .record = gissler_record,
                                            .report = gissler_report,
                                            .sweep = gissler_sweep,
                                            .keeps_samples = true};

// The source term restores the rest density with any velocity it needs: it cannot include a restitution.
static frz_status gissler_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    const gissler *self = instance->self;
    bool any = false;
    for (int b = 0; b < model->body_count; ++b)
        any = any || model->bodies[b].kind == FRZ_BODY_RIGID;
    for (int b = 0; any && b < model->body_count; ++b)
        if (model->bodies[b].role == FRZ_ROLE_SAMPLE && model->bodies[b].rigid.restitution > 0.0)
            return frz_fail(diag, FRZ_ERR_SCENE,
                            "contact gissler2019 knows no restitution, and body '%s' has one of %g; set it to 0, or "
                            "choose contact: distance",
                            model->bodies[b].name, model->bodies[b].rigid.restitution);
    for (int b = 0; b < model->body_count; ++b)
        if (model->bodies[b].filled)
            return frz_fail(
                diag, FRZ_ERR_SCENE,
                "contact gissler2019 knows no rigid bodies of particles, and body '%s' is filled with them; "
                "choose contact: distance",
                model->bodies[b].name);
    for (int e = 0; e < model->event_count; ++e)
        if (model->events[e].action == FRZ_EVENT_CHANGE && model->events[e].to == FRZ_PHASE_RIGID)
            return frz_fail(diag, FRZ_ERR_SCENE,
                            "contact gissler2019 knows no rigid bodies of particles, and event '%s' makes some; choose "
                            "contact: distance",
                            model->events[e].label);
    if (model->joint_count > 0)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "contact gissler2019 knows no joints between bodies, and the scene has %d; choose contact: "
                        "distance",
                        model->joint_count);
    if (self->max_tolerance < self->tolerance)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "contact gissler2019: max_tolerance (%g %%) is below tolerance (%g %%), which is a mean",
                        self->max_tolerance, self->tolerance);
    return FRZ_OK;
}

const frz_method frz_method_contact_gissler2019 = {
    .key = "gissler2019",
    .slot = FRZ_SLOT_CONTACT,
    .doc = "An artificial pressure at surface samples keeps bodies apart; friction is explicit and creeps, or solved.",
    .cite = "Gissler, Peer, Band, Bender & Teschner 2019, doi:10.1145/3284980",
    .self_size = sizeof(gissler),
    .params = gissler_params,
    .check = gissler_check,
    .contact = &gissler_ops,
};
