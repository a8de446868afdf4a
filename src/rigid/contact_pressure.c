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

double frz_contact_pressure_tolerance(const frz_contact_pressure *contact)
{
    return contact->options.tolerance;
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

/// Contact of a sample: how it lies and moves against the mean of its neighbours.
typedef struct touch
{
    int other; ///< body of the nearest neighbour; -1: none
    frz_vec3 normal, tangent;
    double approach, speed; ///< along them
} touch;

static touch find_touch(const frz_contact_pressure *c, int r, const frz_rigid_body *bodies)
{
    const frz_pressure_sample *s = &c->samples[r];
    touch t = {.other = -1};
    double sum = 0.0, nearest = 0.0;
    frz_vec3 middle = {0.0, 0.0, 0.0}, other_velocity = {0.0, 0.0, 0.0};
    for (int k = s->begin; k < s->end; ++k)
    {
        const frz_pressure_neighbor *n = &c->neighbors[k];
        const frz_pressure_sample *o = &c->samples[n->sample];
        sum += n->weight;
        middle = frz_v3_mad(middle, n->weight, o->place);
        other_velocity = frz_v3_mad(other_velocity, n->weight, frz_rigid_body_velocity_at(&bodies[o->body], o->place));
        t.other = n->weight > nearest ? o->body : t.other;
        nearest = fmax(nearest, n->weight);
    }
    if (t.other < 0)
        return t;
    t.normal = frz_v3_normalize(frz_v3_mad(s->place, -1.0 / sum, middle));
    const frz_vec3 relative =
        frz_v3_mad(frz_rigid_body_velocity_at(&bodies[s->body], s->place), -1.0 / sum, other_velocity);
    t.approach = -frz_v3_dot(relative, t.normal);
    const frz_vec3 along = frz_v3_mad(relative, t.approach, t.normal);
    t.speed = frz_v3_length(along);
    t.tangent = t.speed > 0.0 ? frz_v3_scale(1.0 / t.speed, along) : frz_v3(0.0, 0.0, 0.0);
    return t;
}

/// Coulomb friction at one sample, from the velocities that other forces predict; acts on its body and on the one it
/// touches. The load is estimated by the normal velocity, as in the paper.
static void rub(const frz_contact_pressure *c, int r, frz_rigid_body *bodies, frz_contact_pressure_load *loads)
{
    const frz_pressure_sample *s = &c->samples[r];
    const touch t = find_touch(c, r, bodies);
    if (t.other < 0 || !(t.approach > 0.0) || !(t.speed > 0.0))
        return;
    const frz_rigid_body *pair[2] = {&c->bodies[s->body], &c->bodies[t.other]};
    const double friction = sqrt(pair[0]->friction * pair[1]->friction);
    // the load is estimated for the body as a whole: contacts that share it keep it from turning
    const double normal_response = frz_v3_dot(t.normal, frz_rigid_body_yield(pair[0], t.normal)) +
                                   frz_v3_dot(t.normal, frz_rigid_body_yield(pair[1], t.normal));
    if (!(normal_response > 0.0))
        return; // both on hinges: no load that could be estimated
    const double tangent_response = response(pair[0], s->place, t.tangent) + response(pair[1], s->place, t.tangent);
    // where both bodies can move, both have samples here that rub
    const double share =
        (frz_rigid_body_yields(pair[1]) ? 0.5 : 1.0) / (c->contacts[s->body] > 1 ? c->contacts[s->body] : 1);
    const double impulse = share * fmin(friction * t.approach / normal_response, t.speed / tangent_response);
    push(&bodies[s->body], s->place, frz_v3_scale(-impulse, t.tangent), &loads[s->body]);
    push(&bodies[t.other], s->place, frz_v3_scale(impulse, t.tangent), &loads[t.other]);
}

// ---- pressure

/// s_r = (1 - rho_r) / dt + rho_r div v of the velocities without contact forces.
static void set_sources(frz_contact_pressure *c, const frz_rigid_body *bodies)
{
    for (int b = 0; b < c->body_count; ++b)
        c->motions[b] = (frz_pressure_motion){bodies[b].velocity, bodies[b].spin};
#pragma omp parallel for schedule(static) if (c->count > FRZ_CONTACT_FEW)
    for (int r = 0; r < c->count; ++r)
        c->source[r] = (1.0 - c->samples[r].density) / c->dt + frz_contact_pressure_divergence(c, c->motions, r);
}

/// One iteration of Eq. (10). The excess of the density that the pressure leaves at r is -dt (s_r + rho_r div v_rr);
/// pressures push only, so what is below rest without them stays free.
static void iterate(frz_contact_pressure *c)
{
    frz_contact_pressure_push(c, c->pressure);
#pragma omp parallel for schedule(static) if (c->count > FRZ_CONTACT_FEW)
    for (int r = 0; r < c->count; ++r)
    {
        const double residual = c->source[r] + frz_contact_pressure_divergence(c, c->motions, r);
        c->excess[r] = -c->dt * residual;
        c->next[r] = c->diagonal[r] < 0.0
                         ? fmax(0.0, c->pressure[r] + relaxation / contacts_of(c, r) * residual / c->diagonal[r])
                         : 0.0;
    }
}

static void measure(frz_contact_pressure *c)
{
    double sum = 0.0, worst = 0.0;
    int touching = 0;
    for (int r = 0; r < c->count; ++r)
    {
        if (!(c->pressure[r] > 0.0 || c->excess[r] > 0.0))
            continue;
        // a pressure that holds bodies further apart than it should is as wrong as one that lets them overlap: without
        // this, one that is left from an impact would throw them about
        const double error = c->pressure[r] > 0.0 ? fabs(c->excess[r]) : c->excess[r];
        ++touching;
        sum += error;
        worst = fmax(worst, error);
    }
    c->stats.contacts = touching;
    c->stats.error = touching > 0 ? sum / touching : 0.0;
    c->stats.max_error = worst;
}

static void take_next(frz_contact_pressure *c)
{
    double *pressure = c->pressure;
    c->pressure = c->next;
    c->next = pressure;
}

static void solve_pressure(frz_contact_pressure *c)
{
    c->stats.given_up = true;
    for (c->stats.iterations = 1; c->stats.iterations <= c->options.max_iterations; ++c->stats.iterations)
    {
        iterate(c);
        measure(c);
        if (c->stats.error <= c->options.tolerance && c->stats.max_error <= c->options.max_tolerance)
        {
            c->stats.given_up = false;
            break; // the motions belong to the pressure before the update
        }
        take_next(c);
    }
    if (c->stats.given_up)
        frz_contact_pressure_push(c, c->pressure);
}

static frz_status reserve(frz_contact_pressure *c, frz_diag *diag)
{
    c->pressure = FRZ_SCRATCH(&c->scratch, c->count, double);
    c->next = FRZ_SCRATCH(&c->scratch, c->count, double);
    c->source = FRZ_SCRATCH(&c->scratch, c->count, double);
    c->diagonal = FRZ_SCRATCH(&c->scratch, c->count, double);
    c->excess = FRZ_SCRATCH(&c->scratch, c->count, double);
    c->rubbed = FRZ_SCRATCH(&c->scratch, c->body_count, frz_contact_pressure_load);
    if (c->rubbed == NULL || c->pressure == NULL || c->next == NULL || c->source == NULL || c->diagonal == NULL ||
        c->excess == NULL)
        return frz_fail_memory(diag, "the contact pressure");
    return FRZ_OK;
}

/// Friction, which is explicit: impulses in rubbed for the velocities of bodies, which are changed.
static void find_friction(frz_contact_pressure *c, frz_rigid_body *bodies)
{
    for (int b = 0; b < c->body_count; ++b)
        c->rubbed[b] = (frz_contact_pressure_load){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    set_sources(c, bodies);
    count_contacts(c, c->source);
    for (int r = 0; r < c->count; ++r)
    {
        if (frz_rigid_body_yields(&bodies[c->samples[r].body]) && (c->samples[r].density > 1.0 || c->source[r] < 0.0))
            rub(c, r, bodies, c->rubbed);
    }
}

frz_status frz_contact_pressure_begin(frz_contact_pressure *c, const frz_rigid_body *bodies,
                                      const frz_contact_shape *const *shapes, int count, double dt, const double *kept,
                                      frz_diag *diag)
{
    frz_contact_pressure_end(c, NULL);
    c->stats = (frz_contact_pressure_stats){.begun = true};
    c->mark = frz_arena_here(&c->scratch);
    FRZ_TRY(clear_loads(c, count, diag));
    frz_rigid_body *own = FRZ_SCRATCH(&c->scratch, count, frz_rigid_body);
    if (own == NULL)
        return frz_fail_memory(diag, "the contact pressure");
    for (int b = 0; b < count; ++b)
        own[b] = bodies[b];
    FRZ_TRY(frz_contact_pressure_gather(c, own, shapes, count, dt, diag));
    c->stats.samples = c->count;
    FRZ_TRY(reserve(c, diag));
#pragma omp parallel for schedule(dynamic, 64) if (c->count > FRZ_CONTACT_FEW)
    for (int r = 0; r < c->count; ++r)
    {
        c->pressure[r] = kept != NULL ? kept[c->samples[r].number] : 0.0;
        c->diagonal[r] = frz_contact_pressure_diagonal(c, r);
    }
    find_friction(c, own);
    return FRZ_OK;
}

/// Bodies as friction leaves them.
static void add_friction(const frz_contact_pressure *c, frz_rigid_body *bodies)
{
    for (int b = 0; b < c->body_count; ++b)
        frz_rigid_body_act(&bodies[b], c->rubbed[b].impulse, c->rubbed[b].moment);
}

/// Add the impulses of pressure and friction to velocities and loads.
static void add_pressure(frz_contact_pressure *c, frz_rigid_body *bodies)
{
    for (int b = 0; b < c->body_count; ++b)
    {
        bodies[b].velocity = frz_v3_add(bodies[b].velocity, c->motions[b].velocity);
        bodies[b].spin = frz_v3_add(bodies[b].spin, c->motions[b].spin);
        c->loads[b].impulse = frz_v3_add(c->loads[b].impulse, c->rubbed[b].impulse);
        c->loads[b].moment = frz_v3_add(c->loads[b].moment, c->rubbed[b].moment);
    }
}

void frz_contact_pressure_sweep(frz_contact_pressure *c, frz_rigid_body *bodies)
{
    if (!c->stats.begun || c->count == 0)
        return;
    add_friction(c, bodies);
    set_sources(c, bodies);
    iterate(c);
    measure(c);
    ++c->stats.iterations;
    c->stats.visits += c->count;
    add_pressure(c, bodies);
    take_next(c);
}

void frz_contact_pressure_finish(frz_contact_pressure *c, frz_rigid_body *bodies)
{
    if (!c->stats.begun || c->count == 0)
        return;
    const int before = c->stats.iterations;
    add_friction(c, bodies);
    set_sources(c, bodies);
    solve_pressure(c);
    c->stats.visits += (int64_t)c->stats.iterations * c->count;
    c->stats.iterations += before;
    add_pressure(c, bodies);
}

void frz_contact_pressure_end(frz_contact_pressure *c, double *kept)
{
    if (!c->stats.begun)
        return;
    for (int n = 0; kept != NULL && n < c->sample_total; ++n)
        kept[n] = 0.0; // apart from others
    for (int r = 0; kept != NULL && r < c->count; ++r)
        kept[c->samples[r].number] = c->pressure[r];
    c->stats.begun = false;
    frz_arena_release(&c->scratch, c->mark);
}

frz_status frz_contact_pressure_solve(frz_contact_pressure *contact, frz_rigid_body *bodies,
                                      const frz_contact_shape *const *shapes, int count, double dt, double *kept,
                                      frz_diag *diag)
{
    const frz_status status = frz_contact_pressure_begin(contact, bodies, shapes, count, dt, kept, diag);
    if (status == FRZ_OK)
        frz_contact_pressure_finish(contact, bodies);
    frz_contact_pressure_end(contact, status == FRZ_OK ? kept : NULL);
    return status;
}
