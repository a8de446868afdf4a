// SPDX-License-Identifier: MIT
// Friction of contacts by artificial pressure: explicit, as printed in Gissler 2019 (section 3.4.2), or solved.
//
// As printed, friction is found before the pressure, from a load that the normal velocity of the free motion tells. In
// a pile all bodies fall alike, so that nothing rubs between them; and the bound on a sample, its share of the
// tangential velocity over t K t, has the turning in K that the pressure forbids afterwards, so that a block on a slope
// keeps a part of its speed in every step.
//
// Solved, each sample has an impulse f along its tangent plane as an unknown beside its pressure, with the load N that
// the pressures of this iteration give:
//     f <- P(f - share v_t / response),  |P| <= mu N
// v_t is the velocity against the bodies around the sample, all taken at its place, so that impulse and its reaction
// keep momentum and angular momentum. Samples of both sides rub: each with half of the load.
#include "rigid/contact_pressure_internal.h"

static const double relaxation = 0.5; ///< as that of the pressure

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

/// Whether the density of a sample is above rest, or will be if nothing but free motion happens.
static bool rubs(const frz_contact_pressure *c, int r)
{
    return c->samples[r].density > 1.0 || c->source[r] < 0.0;
}

void frz_contact_friction_explicit(frz_contact_pressure *c, frz_rigid_body *bodies)
{
    for (int b = 0; b < c->body_count; ++b)
        c->contacts[b] = 0;
    for (int r = 0; r < c->count; ++r)
        c->contacts[c->samples[r].body] += rubs(c, r);
    for (int r = 0; r < c->count; ++r)
    {
        if (frz_rigid_body_yields(&bodies[c->samples[r].body]) && rubs(c, r))
            rub(c, r, bodies, c->rubbed);
    }
}

// ---- solved with the pressure

/// Velocities along two tangents per impulse along them, summed.
static double response_across(const frz_rigid_body *body, frz_vec3 place, frz_vec3 normal)
{
    return response(body, place, frz_v3(1.0, 0.0, 0.0)) + response(body, place, frz_v3(0.0, 1.0, 0.0)) +
           response(body, place, frz_v3(0.0, 0.0, 1.0)) - response(body, place, normal);
}

static frz_pressure_grip make_grip(const frz_contact_pressure *c, int r, frz_vec3 impulse)
{
    const frz_pressure_sample *s = &c->samples[r];
    const frz_rigid_body *own = &c->bodies[s->body];
    frz_pressure_grip g = {.normal = find_touch(c, r, c->bodies).normal};
    for (int k = s->begin; k < s->end; ++k)
        g.weights += c->neighbors[k].weight;
    g.response = response_across(own, s->place, g.normal);
    for (int k = s->begin; g.weights > 0.0 && k < s->end; ++k)
    {
        const frz_rigid_body *other = &c->bodies[c->samples[c->neighbors[k].sample].body];
        const double share = c->neighbors[k].weight / g.weights;
        g.coefficient += share * sqrt(own->friction * other->friction);
        g.response += share * response_across(other, s->place, g.normal);
    }
    g.impulse = g.next = frz_v3_mad(impulse, -frz_v3_dot(impulse, g.normal), g.normal);
    return g;
}

frz_status frz_contact_friction_begin(frz_contact_pressure *c, const frz_contact_kept *kept, frz_diag *diag)
{
    c->grips = FRZ_SCRATCH(&c->scratch, c->count + 1, frz_pressure_grip);
    if (c->grips == NULL)
        return frz_fail_memory(diag, "the contact pressure");
#pragma omp parallel for schedule(static) if (c->count > FRZ_CONTACT_FEW)
    for (int r = 0; r < c->count; ++r)
    {
        const frz_vec3 none = {0.0, 0.0, 0.0};
        c->grips[r] = make_grip(c, r, kept != NULL ? frz_v3_scale(c->dt, kept[c->samples[r].number].friction) : none);
    }
    return FRZ_OK;
}

static void push_body(frz_contact_pressure *c, int body, frz_vec3 place, frz_vec3 impulse)
{
    const frz_rigid_body *b = &c->bodies[body];
    const frz_vec3 moment = frz_v3_cross(frz_v3_sub(place, b->position), impulse);
    frz_pressure_motion *m = &c->motions[body];
    m->velocity = frz_v3_add(m->velocity, frz_rigid_body_yield(b, impulse));
    m->spin = frz_v3_add(m->spin, frz_m3_apply(b->inverse_inertia_world, moment));
    c->loads[body].impulse = frz_v3_add(c->loads[body].impulse, impulse);
    c->loads[body].moment = frz_v3_add(c->loads[body].moment, moment);
}

void frz_contact_friction_push(frz_contact_pressure *c)
{
    for (int r = 0; c->grips != NULL && r < c->count; ++r)
    {
        const frz_pressure_grip *g = &c->grips[r];
        const frz_pressure_sample *s = &c->samples[r];
        if (!(frz_v3_dot(g->impulse, g->impulse) > 0.0))
            continue;
        push_body(c, s->body, s->place, g->impulse);
        for (int k = s->begin; k < s->end; ++k)
            push_body(c, c->samples[c->neighbors[k].sample].body, s->place,
                      frz_v3_scale(-c->neighbors[k].weight / g->weights, g->impulse));
    }
}

/// Velocity of a body at a place, with the present contact forces.
static frz_vec3 velocity_at(const frz_contact_pressure *c, int body, frz_vec3 place)
{
    const frz_vec3 spin = frz_v3_add(c->free[body].spin, c->motions[body].spin);
    return frz_v3_add(frz_v3_add(c->free[body].velocity, c->motions[body].velocity),
                      frz_v3_cross(spin, frz_v3_sub(place, c->bodies[body].position)));
}

/// Velocity of a sample along its tangent plane against the bodies around it.
static frz_vec3 slip_of(const frz_contact_pressure *c, int r)
{
    const frz_pressure_sample *s = &c->samples[r];
    const frz_pressure_grip *g = &c->grips[r];
    frz_vec3 v = velocity_at(c, s->body, s->place);
    for (int k = s->begin; k < s->end; ++k)
        v = frz_v3_mad(v, -c->neighbors[k].weight / g->weights,
                       velocity_at(c, c->samples[c->neighbors[k].sample].body, s->place));
    return frz_v3_mad(v, -frz_v3_dot(v, g->normal), g->normal);
}

void frz_contact_friction_iterate(frz_contact_pressure *c)
{
    if (c->grips == NULL)
        return;
#pragma omp parallel for schedule(static) if (c->count > FRZ_CONTACT_FEW)
    for (int r = 0; r < c->count; ++r)
    {
        frz_pressure_grip *g = &c->grips[r];
        const double load =
            0.5 * c->dt * frz_v3_dot(frz_contact_pressure_force(c, c->pressure, r), g->normal); // half: both sides rub
        const double most = g->coefficient * fmax(load, 0.0);
        g->error = 0.0;
        g->next = frz_v3(0.0, 0.0, 0.0);
        if (!(g->weights > 0.0) || !(g->response > 0.0) || !(most > 0.0))
            continue;
        const frz_vec3 slip = slip_of(c, r);
        const double share = relaxation / frz_contact_pressure_contacts_of(c, r);
        const frz_vec3 wanted = frz_v3_mad(g->impulse, -share / g->response, slip);
        const double size = frz_v3_length(wanted);
        g->next = size > most ? frz_v3_scale(most / size, wanted) : wanted;
        g->error = size > most ? 0.0 : frz_v3_length(slip) * share / (relaxation * g->response * most);
    }
}

void frz_contact_friction_take_next(frz_contact_pressure *c)
{
    for (int r = 0; c->grips != NULL && r < c->count; ++r)
        c->grips[r].impulse = c->grips[r].next;
}
