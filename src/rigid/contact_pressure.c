// SPDX-License-Identifier: MIT
// The relaxed Jacobi iteration of Gissler 2019, section 3.4.2.
#include "rigid/contact_pressure_internal.h"

#include "base/memory.h"

static const double relaxation = 0.5; ///< basis of beta_r, section 3.4.2
static const double rest_gamma = 0.7; ///< appendix A
/// Of the last step's pressure, with which the iteration starts (Ihmsen et al. 2014, as the paper's solver of liquids).
/// With all of it a few iterations per step make an integrator, which drives piles to rock at the tolerance's size.
static const double warm_share = 0.5;

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

/// Samples of each body that touch: with pressure, or too dense at the end of the step with the present pressures. The
/// number may not be too small, or the iteration diverges: a sample that warm starts brought along counts, too.
static void count_contacts(frz_contact_pressure *c)
{
    for (int b = 0; b < c->body_count; ++b)
        c->contacts[b] = 0;
    for (int r = 0; r < c->count; ++r)
        c->contacts[c->samples[r].body] += c->pressure[r] > 0.0 || c->excess[r] > 0.0;
}

int frz_contact_pressure_contacts_of(const frz_contact_pressure *c, int r)
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

// ---- pressure

/// s_r = (1 - rho_r) / dt + rho_r div v of the velocities without contact forces.
static void set_sources(frz_contact_pressure *c, const frz_rigid_body *bodies)
{
    for (int b = 0; b < c->body_count; ++b)
        c->free[b] = (frz_pressure_motion){bodies[b].velocity, bodies[b].spin};
#pragma omp parallel for schedule(static) if (c->count > FRZ_CONTACT_FEW)
    for (int r = 0; r < c->count; ++r)
        c->source[r] = (1.0 - c->samples[r].density) / c->dt + frz_contact_pressure_divergence(c, c->free, r);
}

/// Motions of bodies by the present pressures and friction.
static void push_all(frz_contact_pressure *c)
{
    frz_contact_pressure_push(c, c->pressure);
    frz_contact_friction_push(c);
}

/// One iteration of Eq. (10). The excess of the density that the pressure leaves at r is -dt (s_r + rho_r div v_rr);
/// pressures only push, so samples below rest density without them stay free.
static void iterate(frz_contact_pressure *c)
{
    push_all(c);
#pragma omp parallel for schedule(static) if (c->count > FRZ_CONTACT_FEW)
    for (int r = 0; r < c->count; ++r)
        c->excess[r] = -c->dt * (c->source[r] + frz_contact_pressure_divergence(c, c->motions, r));
    count_contacts(c);
#pragma omp parallel for schedule(static) if (c->count > FRZ_CONTACT_FEW)
    for (int r = 0; r < c->count; ++r)
    {
        const double share = relaxation / frz_contact_pressure_contacts_of(c, r);
        const double change = -share * c->excess[r] / (c->dt * c->diagonal[r]);
        c->next[r] = c->diagonal[r] < 0.0 ? fmax(0.0, c->pressure[r] + change) : 0.0;
    }
    frz_contact_friction_iterate(c);
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
        double error = c->pressure[r] > 0.0 ? fabs(c->excess[r]) : c->excess[r];
        if (c->grips != NULL)
            error = fmax(error, c->grips[r].error);
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
    frz_contact_friction_take_next(c);
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
            break; // the motions belong to the pressure before the update; the next step starts from that after it
        }
        take_next(c);
    }
    if (c->stats.given_up)
        push_all(c);
}

static frz_status reserve(frz_contact_pressure *c, frz_diag *diag)
{
    c->pressure = FRZ_SCRATCH(&c->scratch, c->count, double);
    c->next = FRZ_SCRATCH(&c->scratch, c->count, double);
    c->source = FRZ_SCRATCH(&c->scratch, c->count, double);
    c->diagonal = FRZ_SCRATCH(&c->scratch, c->count, double);
    c->excess = FRZ_SCRATCH(&c->scratch, c->count, double);
    c->rubbed = FRZ_SCRATCH(&c->scratch, c->body_count, frz_contact_pressure_load);
    c->free = FRZ_SCRATCH(&c->scratch, c->body_count, frz_pressure_motion);
    if (c->free == NULL || c->rubbed == NULL || c->pressure == NULL || c->next == NULL || c->source == NULL ||
        c->diagonal == NULL || c->excess == NULL)
        return frz_fail_memory(diag, "the contact pressure");
    return FRZ_OK;
}

frz_status frz_contact_pressure_begin(frz_contact_pressure *c, const frz_rigid_body *bodies,
                                      const frz_contact_shape *const *shapes, int count, double dt,
                                      const frz_contact_kept *kept, frz_diag *diag)
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
    c->grips = NULL;
#pragma omp parallel for schedule(dynamic, 64) if (c->count > FRZ_CONTACT_FEW)
    for (int r = 0; r < c->count; ++r)
    {
        c->pressure[r] = kept != NULL ? warm_share * kept[c->samples[r].number].pressure : 0.0;
        c->diagonal[r] = frz_contact_pressure_diagonal(c, r);
    }
    for (int b = 0; b < count; ++b)
        c->rubbed[b] = (frz_contact_pressure_load){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (c->options.rubbing == FRZ_RUBBING_SOLVED)
        return frz_contact_friction_begin(c, kept, diag);
    set_sources(c, own);
    frz_contact_friction_explicit(c, own);
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

void frz_contact_pressure_end(frz_contact_pressure *c, frz_contact_kept *kept)
{
    if (!c->stats.begun)
        return;
    for (int n = 0; kept != NULL && n < c->sample_total; ++n)
        kept[n] = (frz_contact_kept){0}; // apart from others
    for (int r = 0; kept != NULL && r < c->count; ++r)
        kept[c->samples[r].number] = (frz_contact_kept){
            c->next[r], c->grips != NULL ? frz_v3_scale(1.0 / c->dt, c->grips[r].next) : frz_v3(0.0, 0.0, 0.0)};
    c->stats.begun = false;
    frz_arena_release(&c->scratch, c->mark);
}

frz_status frz_contact_pressure_solve(frz_contact_pressure *contact, frz_rigid_body *bodies,
                                      const frz_contact_shape *const *shapes, int count, double dt,
                                      frz_contact_kept *kept, frz_diag *diag)
{
    const frz_status status = frz_contact_pressure_begin(contact, bodies, shapes, count, dt, kept, diag);
    if (status == FRZ_OK)
        frz_contact_pressure_finish(contact, bodies);
    frz_contact_pressure_end(contact, status == FRZ_OK ? kept : NULL);
    return status;
}
