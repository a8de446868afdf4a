// SPDX-License-Identifier: MIT
// Explicit friction and the relaxed Jacobi iteration of Gissler 2019, section 3.4.2.
#include "rigid/contact_pressure_internal.h"

#include "base/memory.h"

static const double relaxation = 0.5; ///< basis of beta_r, section 3.4.2
static const double rest_gamma = 0.7; ///< appendix A

frz_contact_pressure_options frz_contact_pressure_options_default(double spacing, int dimension)
{
    const frz_contact_pressure_options options = {
        .spacing = spacing,
        .dimension = dimension,
        .gamma = rest_gamma,
        .tolerance = 1.0e-3, // section 3.5
        .max_tolerance = 1.0e-2,
        .max_iterations = 1000,
    };
    return options;
}

frz_status frz_contact_pressure_create(const frz_contact_pressure_options *options, frz_contact_pressure **out,
                                       frz_diag *diag)
{
    *out = FRZ_ALLOC("contact pressure", 1, frz_contact_pressure);
    if (*out == NULL)
        return frz_fail_memory(diag, "the contacts between bodies");
    (*out)->options = *options;
    return FRZ_OK;
}

void frz_contact_pressure_destroy(frz_contact_pressure **contact)
{
    if (contact == NULL || *contact == NULL)
        return;
    frz_arena_destroy(&(*contact)->scratch);
    frz_free((*contact)->loads);
    FRZ_FREE(*contact);
}

frz_contact_pressure_stats frz_contact_pressure_report(const frz_contact_pressure *contact)
{
    return contact->stats;
}

frz_contact_pressure_load frz_contact_pressure_load_of(const frz_contact_pressure *contact, int body)
{
    const frz_contact_pressure_load none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    return body < contact->load_count ? contact->loads[body] : none;
}

/// Room for the loads of all bodies, which are zero then.
static frz_status clear_loads(frz_contact_pressure *c, int count, frz_diag *diag)
{
    if (count > c->load_capacity)
    {
        frz_free(c->loads);
        c->load_capacity = c->load_count = 0;
        c->loads = FRZ_ALLOC("contact loads", count, frz_contact_pressure_load);
        if (c->loads == NULL)
            return frz_fail_memory(diag, "the contact forces");
        c->load_capacity = count;
    }
    c->load_count = count;
    for (int b = 0; b < count; ++b)
        c->loads[b] = (frz_contact_pressure_load){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    return FRZ_OK;
}

static void take_velocities(frz_contact_pressure *c, frz_pressure_motion *motions)
{
    for (int b = 0; b < c->body_count; ++b)
        motions[b] = (frz_pressure_motion){c->bodies[b].velocity, c->bodies[b].spin};
}

/// Samples of each body whose density is above rest now or would be at the end of the step.
static void count_contacts(frz_contact_pressure *c, const double *source)
{
    for (int b = 0; b < c->body_count; ++b)
        c->contacts[b] = 0;
    for (int r = 0; r < c->count; ++r)
        c->contacts[c->samples[r].body] += c->samples[r].density > 1.0 || source[r] < 0.0;
}

/// Contacts of the bodies that a sample's pressure moves, the largest number of them; at least 1.
static int contacts_of(const frz_contact_pressure *c, int r)
{
    const frz_pressure_sample *s = &c->samples[r];
    int most = 1;
    if (frz_rigid_body_yields(&c->bodies[s->body]) && c->contacts[s->body] > most)
        most = c->contacts[s->body];
    for (int k = s->begin; k < s->end; ++k)
    {
        const int body = c->samples[c->neighbors[k].sample].body;
        if (frz_rigid_body_yields(&c->bodies[body]) && c->contacts[body] > most)
            most = c->contacts[body];
    }
    return most;
}

// ---- friction

/// Velocity along an axis per impulse along it at a place of a body.
static double response(const frz_rigid_body *body, frz_vec3 place, frz_vec3 axis)
{
    const frz_vec3 lever = frz_v3_cross(frz_v3_sub(place, body->position), axis);
    return frz_v3_dot(axis, frz_rigid_body_yield(body, axis)) +
           frz_v3_dot(lever, frz_m3_apply(body->inverse_inertia_world, lever));
}

static void push(frz_rigid_body *body, frz_vec3 place, frz_vec3 impulse, frz_contact_pressure_load *load)
{
    const frz_vec3 moment = frz_v3_cross(frz_v3_sub(place, body->position), impulse);
    frz_rigid_body_act(body, impulse, moment);
    load->impulse = frz_v3_add(load->impulse, impulse);
    load->moment = frz_v3_add(load->moment, moment);
}

/// Coulomb friction at one sample, from the velocities that other forces predict; acts on its body and on the one it
/// touches.
static void rub(const frz_contact_pressure *c, int r, frz_rigid_body *bodies, frz_contact_pressure_load *loads)
{
    const frz_pressure_sample *s = &c->samples[r];
    double sum = 0.0, nearest = 0.0;
    frz_vec3 middle = {0.0, 0.0, 0.0}, other_velocity = {0.0, 0.0, 0.0};
    int other = -1;
    for (int k = s->begin; k < s->end; ++k)
    {
        const frz_pressure_neighbor *n = &c->neighbors[k];
        const frz_pressure_sample *o = &c->samples[n->sample];
        sum += n->weight;
        middle = frz_v3_mad(middle, n->weight, o->place);
        other_velocity = frz_v3_mad(other_velocity, n->weight, frz_rigid_body_velocity_at(&bodies[o->body], o->place));
        other = n->weight > nearest ? o->body : other;
        nearest = fmax(nearest, n->weight);
    }
    if (other < 0)
        return;
    const frz_vec3 normal = frz_v3_normalize(frz_v3_mad(s->place, -1.0 / sum, middle));
    const frz_vec3 relative =
        frz_v3_mad(frz_rigid_body_velocity_at(&bodies[s->body], s->place), -1.0 / sum, other_velocity);
    const double approach = -frz_v3_dot(relative, normal);
    const frz_vec3 along = frz_v3_mad(relative, approach, normal);
    const double speed = frz_v3_length(along);
    if (approach <= 0.0 || speed <= 0.0)
        return;
    const frz_vec3 tangent = frz_v3_scale(1.0 / speed, along);
    const frz_rigid_body *pair[2] = {&c->bodies[s->body], &c->bodies[other]};
    const double friction = sqrt(pair[0]->friction * pair[1]->friction);
    // the load is estimated for the body as a whole: contacts that share it keep it from turning
    const double normal_response = frz_v3_dot(normal, frz_rigid_body_yield(pair[0], normal)) +
                                   frz_v3_dot(normal, frz_rigid_body_yield(pair[1], normal));
    if (!(normal_response > 0.0))
        return; // both on hinges: no load that could be estimated
    const double tangent_response = response(pair[0], s->place, tangent) + response(pair[1], s->place, tangent);
    // where both bodies can move, both have samples here that rub
    const double share =
        (frz_rigid_body_yields(pair[1]) ? 0.5 : 1.0) / (c->contacts[s->body] > 1 ? c->contacts[s->body] : 1);
    const double impulse = share * fmin(friction * approach / normal_response, speed / tangent_response);
    push(&bodies[s->body], s->place, frz_v3_scale(-impulse, tangent), &loads[s->body]);
    push(&bodies[other], s->place, frz_v3_scale(impulse, tangent), &loads[other]);
}

// ---- pressure

typedef struct jacobi
{
    double *pressure, *source, *diagonal, *factor;
} jacobi;

/// s_r = (1 - rho_r) / dt + rho_r div v of the velocities without contact forces.
static void set_sources(frz_contact_pressure *c, const jacobi *j)
{
    take_velocities(c, c->motions);
#pragma omp parallel for schedule(static) if (c->count > FRZ_CONTACT_FEW)
    for (int r = 0; r < c->count; ++r)
        j->source[r] = (1.0 - c->samples[r].density) / c->dt + frz_contact_pressure_divergence(c, c->motions, r);
}

/// One iteration of Eq. (10). The excess of the density that the pressure leaves at r is -dt (s_r + rho_r div v_rr);
/// pressures push only, so what is below rest without them stays free.
static void iterate(frz_contact_pressure *c, const jacobi *j, double *excess)
{
    frz_contact_pressure_push(c, j->pressure);
#pragma omp parallel for schedule(static) if (c->count > FRZ_CONTACT_FEW)
    for (int r = 0; r < c->count; ++r)
    {
        const double residual = j->source[r] + frz_contact_pressure_divergence(c, c->motions, r);
        excess[r] = -c->dt * residual;
        if (j->diagonal[r] < 0.0)
            j->factor[r] = fmax(0.0, j->pressure[r] + relaxation / contacts_of(c, r) * residual / j->diagonal[r]);
    }
}

static void measure(frz_contact_pressure *c, const jacobi *j, const double *excess)
{
    double sum = 0.0, worst = 0.0;
    int touching = 0;
    for (int r = 0; r < c->count; ++r)
    {
        if (!(j->pressure[r] > 0.0 || excess[r] > 0.0))
            continue;
        ++touching;
        sum += fmax(excess[r], 0.0);
        worst = fmax(worst, excess[r]);
    }
    c->stats.contacts = touching;
    c->stats.error = touching > 0 ? sum / touching : 0.0;
    c->stats.max_error = worst;
}

static void solve_pressure(frz_contact_pressure *c, const jacobi *j, double *excess)
{
    c->stats.given_up = true;
    for (c->stats.iterations = 1; c->stats.iterations <= c->options.max_iterations; ++c->stats.iterations)
    {
        iterate(c, j, excess);
        measure(c, j, excess);
        if (c->stats.error <= c->options.tolerance && c->stats.max_error <= c->options.max_tolerance)
        {
            c->stats.given_up = false;
            break; // the motions belong to the pressure before the update
        }
        for (int r = 0; r < c->count; ++r)
            j->pressure[r] = j->factor[r];
    }
    if (c->stats.given_up)
        frz_contact_pressure_push(c, j->pressure);
}

static frz_status solve_gathered(frz_contact_pressure *c, frz_rigid_body *bodies, frz_diag *diag)
{
    const jacobi j = {FRZ_SCRATCH(&c->scratch, c->count, double), FRZ_SCRATCH(&c->scratch, c->count, double),
                      FRZ_SCRATCH(&c->scratch, c->count, double), FRZ_SCRATCH(&c->scratch, c->count, double)};
    double *excess = FRZ_SCRATCH(&c->scratch, c->count, double);
    frz_contact_pressure_load *rubbed = FRZ_SCRATCH(&c->scratch, c->body_count, frz_contact_pressure_load);
    if (rubbed == NULL || j.pressure == NULL || j.source == NULL || j.diagonal == NULL || j.factor == NULL ||
        excess == NULL)
        return frz_fail_memory(diag, "the contact pressure");
    for (int b = 0; b < c->body_count; ++b)
        rubbed[b] = c->loads[b];
    set_sources(c, &j);
    count_contacts(c, j.source);
    for (int r = 0; r < c->count; ++r)
    {
        if (frz_rigid_body_yields(&bodies[c->samples[r].body]) && (c->samples[r].density > 1.0 || j.source[r] < 0.0))
            rub(c, r, bodies, rubbed);
    }
    set_sources(c, &j);
#pragma omp parallel for schedule(dynamic, 64) if (c->count > FRZ_CONTACT_FEW)
    for (int r = 0; r < c->count; ++r)
    {
        j.pressure[r] = 0.0;
        j.factor[r] = 0.0;
        j.diagonal[r] = frz_contact_pressure_diagonal(c, r);
    }
    solve_pressure(c, &j, excess);
    c->stats.visits = (int64_t)c->stats.iterations * c->count;
    for (int b = 0; b < c->body_count; ++b)
    {
        bodies[b].velocity = frz_v3_add(bodies[b].velocity, c->motions[b].velocity);
        bodies[b].spin = frz_v3_add(bodies[b].spin, c->motions[b].spin);
        c->loads[b].impulse = frz_v3_add(c->loads[b].impulse, rubbed[b].impulse);
        c->loads[b].moment = frz_v3_add(c->loads[b].moment, rubbed[b].moment);
    }
    return FRZ_OK;
}

frz_status frz_contact_pressure_solve(frz_contact_pressure *contact, frz_rigid_body *bodies,
                                      const frz_contact_shape *const *shapes, int count, double dt, frz_diag *diag)
{
    contact->stats = (frz_contact_pressure_stats){0};
    FRZ_TRY(clear_loads(contact, count, diag));
    const frz_arena_mark mark = frz_arena_here(&contact->scratch);
    frz_status status = frz_contact_pressure_gather(contact, bodies, shapes, count, dt, diag);
    contact->stats.samples = contact->count;
    if (status == FRZ_OK && contact->count > 0)
        status = solve_gathered(contact, bodies, diag);
    frz_arena_release(&contact->scratch, mark);
    return status;
}
