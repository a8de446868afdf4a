// SPDX-License-Identifier: MIT
// Impulses at contacts: complementarity in the normal direction, Coulomb's cone in the tangent plane.
//
// Find impulses l (normal, two tangents) per contact such that, with u the velocity of the toucher against the touched after all
// impulses and b the least normal velocity allowed,
//     0 <= l_n  complementary to  u_n - b >= 0,    |l_t| <= mu l_n,    l_t = -mu l_n u_t / |u_t| where u_t is not 0.
// Each contact is solved by itself as a block (3 x 3) in a fixed order (Gauss-Seidel), and the sweeps are accelerated by the
// nonsmooth nonlinear conjugate gradient method: Silcowitz-Hansen, Niebe & Erleben, "A nonsmooth nonlinear conjugate
// gradient method for interactive contact force problems", The Visual Computer 26 (2010). Islands of bodies that touch each
// other have nothing to do with other islands and are solved at the same time; inside an island the order is fixed.
//
// Joints are no rows: velocities have the rates that joints need from the start, and an impulse at a body moves all
// that hangs on it by joints at once (rigid/joints.h), which leaves these rates alone. Ropes are rows without friction.
#include "math/union_find.h"
#include "rigid/contact_rows.h"

enum
{
    most_rounds = 6 ///< of joints, whose rates depend on the velocities that are sought
};

static const double closed = 1.0e-10; ///< error of joints at the end of a step that is left to the next, in spacings
static const double torn = 0.01;      ///< the same, with which a step has failed
// changes of contact velocities that move nothing by more than this in the step, in spacings, are not worth a sweep: a body that
// rests drifts by less than a hundredth of a millionth of a spacing per step on average
static const double still = 1.0e-8, still_max = 1.0e-6;

typedef frz_contact_row row;
typedef frz_rigid_motion motion;

typedef struct island
{
    int first_row, row_count;
    int first_body, body_count; ///< in the list of bodies
    int iterations;
    double error, max_error;
    bool given_up;
} island;

typedef struct solver
{
    const frz_contact_options *options;
    row *rows; ///< island after island
    int *bodies_of_islands;
    motion *motions;   ///< per body, and the world's behind them
    motion *before;    ///< at the beginning of the sweep
    motion *direction; ///< what the impulses of the direction do to the velocities
    island *islands;
    int island_count;
    const frz_joints *joints; ///< null: none
    int rope_count;
    frz_rope *ropes;
    frz_contact_row_maker maker;
} solver;

// ---- one contact

static double relative_velocity(const row *r, const motion *motions, int k)
{
    const motion *a = &motions[r->body[0]], *b = &motions[r->body[1]];
    return frz_v3_dot(r->axis[k], frz_v3_sub(a->velocity, b->velocity)) + frz_v3_dot(r->lever[0][k], a->spin) -
           frz_v3_dot(r->lever[1][k], b->spin);
}

static void apply(const row *r, const double change[FRZ_CONTACT_AXES], motion *motions)
{
    for (int k = 0; k < FRZ_CONTACT_AXES; ++k)
    {
        if (change[k] == 0.0)
            continue; // open or without friction: in a mechanism there are many bodies to leave alone
        for (int n = 0; n < r->reaction_count; ++n)
        {
            const frz_contact_reaction *reacts = &r->reactions[n];
            motion *m = &motions[reacts->body];
            m->velocity = frz_v3_mad(m->velocity, change[k], reacts->by[k].velocity);
            m->spin = frz_v3_mad(m->spin, change[k], reacts->by[k].spin);
        }
    }
}

/// Normal first, then the tangent plane: a step towards the solution wherever the contact does not stick.
static void slide_or_part(row *r, motion *motions)
{
    const double normal_velocity = relative_velocity(r, motions, 0) - r->target;
    const double normal = fmax(0.0, r->impulse[0] - normal_velocity / r->normal_response);
    const double first[FRZ_CONTACT_AXES] = {normal - r->impulse[0], 0.0, 0.0};
    apply(r, first, motions);
    r->impulse[0] = normal;
    double tangent[2];
    for (int k = 0; k < 2; ++k)
        tangent[k] = r->impulse[k + 1] - relative_velocity(r, motions, k + 1) / r->tangent_response;
    const double length = sqrt(tangent[0] * tangent[0] + tangent[1] * tangent[1]);
    const double most = r->friction * normal;
    const double scale = length > most ? most / length : 1.0;
    const double second[FRZ_CONTACT_AXES] = {0.0, scale * tangent[0] - r->impulse[1],
                                             scale * tangent[1] - r->impulse[2]};
    apply(r, second, motions);
    r->impulse[1] += second[1];
    r->impulse[2] += second[2];
}

/// False if it has no impulse and needs none, which is told by the normal direction alone.
static bool solve_row(row *r, motion *motions)
{
    const double normal_velocity = relative_velocity(r, motions, 0) - r->target;
    if (r->impulse[0] == 0.0 && r->impulse[1] == 0.0 && r->impulse[2] == 0.0 && normal_velocity >= 0.0)
        return false;
    const frz_vec3 u = {normal_velocity, relative_velocity(r, motions, 1), relative_velocity(r, motions, 2)};
    const frz_vec3 d = frz_m3_apply(r->inverse, u);
    const double stick[FRZ_CONTACT_AXES] = {r->impulse[0] - d.x, r->impulse[1] - d.y, r->impulse[2] - d.z};
    const double cone = r->friction * stick[0];
    if (stick[0] < 0.0 || stick[1] * stick[1] + stick[2] * stick[2] > cone * cone)
    {
        slide_or_part(r, motions);
        return true;
    }
    const double change[FRZ_CONTACT_AXES] = {-d.x, -d.y, -d.z};
    apply(r, change, motions);
    for (int k = 0; k < FRZ_CONTACT_AXES; ++k)
        r->impulse[k] = stick[k];
    return true;
}

// ---- one island

typedef struct sweep_result
{
    double squared; ///< of the changes of impulses, as velocities
    double mean, max;
    double scale; ///< mean velocity that the contacts take away
} sweep_result;

static sweep_result sweep(solver *s, island *is, bool backward)
{
    for (int n = 0; n < is->body_count; ++n)
    {
        const int b = s->bodies_of_islands[is->first_body + n];
        s->before[b] = s->motions[b];
    }
    sweep_result result = {0.0, 0.0, 0.0, 0.0};
    for (int n = 0; n < is->row_count; ++n)
    {
        row *r = &s->rows[is->first_row + (backward ? is->row_count - 1 - n : n)];
        for (int k = 0; k < FRZ_CONTACT_AXES; ++k)
            r->before[k] = r->impulse[k];
        if (!solve_row(r, s->motions))
            continue;
        double squared = 0.0, size = 0.0;
        for (int k = 0; k < FRZ_CONTACT_AXES; ++k)
        {
            squared += (r->impulse[k] - r->before[k]) * (r->impulse[k] - r->before[k]);
            size += fmax(r->impulse[k] * r->impulse[k], r->before[k] * r->before[k]);
        }
        const double error = r->response * sqrt(squared);
        result.squared += error * error;
        result.mean += error;
        result.max = fmax(result.max, error);
        result.scale += r->response * sqrt(size);
    }
    result.mean /= is->row_count;
    result.scale /= is->row_count;
    return result;
}

/// Go on along the direction of the last sweeps by share, and turn it towards this one.
static void accelerate(solver *s, island *is, double share)
{
    for (int n = 0; n < is->row_count; ++n)
    {
        row *r = &s->rows[is->first_row + n];
        for (int k = 0; k < FRZ_CONTACT_AXES; ++k)
        {
            const double gone = r->impulse[k] - r->before[k];
            r->impulse[k] += share * r->direction[k];
            r->direction[k] = share * r->direction[k] + gone;
        }
    }
    for (int n = 0; n < is->body_count; ++n)
    {
        const int b = s->bodies_of_islands[is->first_body + n];
        motion *m = &s->motions[b], *d = &s->direction[b];
        const frz_vec3 gone = frz_v3_sub(m->velocity, s->before[b].velocity);
        const frz_vec3 turned = frz_v3_sub(m->spin, s->before[b].spin);
        m->velocity = frz_v3_mad(m->velocity, share, d->velocity);
        m->spin = frz_v3_mad(m->spin, share, d->spin);
        d->velocity = frz_v3_mad(gone, share, d->velocity);
        d->spin = frz_v3_mad(turned, share, d->spin);
    }
}

static void solve_island(solver *s, island *is)
{
    for (int n = 0; n < is->row_count; ++n)
        apply(&s->rows[is->first_row + n], s->rows[is->first_row + n].impulse, s->motions); // warm start
    double last = 0.0;
    is->given_up = true;
    for (is->iterations = 1; is->iterations <= s->options->max_iterations; ++is->iterations)
    {
        const sweep_result result = sweep(s, is, false);
        is->error = result.mean > 0.0 ? result.mean / result.scale : 0.0;
        is->max_error = result.mean > 0.0 ? result.max / result.scale : 0.0;
        const double moved = s->maker.dt / s->options->spacing;
        if ((is->error <= s->options->tolerance && is->max_error <= s->options->max_tolerance) ||
            (result.mean * moved <= still && result.max * moved <= still_max))
        {
            is->given_up = false;
            break;
        }
        if (is->iterations == s->options->max_iterations)
            break; // not along the direction any more: it may lead out of the cone
        const double share = last > 0.0 ? result.squared / last : 0.0;
        accelerate(s, is, share > 1.0 ? 0.0 : share);
        last = result.squared;
    }
}

// ---- preparation

static void set_tangents(frz_contact *c)
{
    const frz_vec3 n = c->normal;
    // the axis least along the normal; in 2D z, so that one tangent lies in the plane
    const frz_vec3 helper = fabs(n.z) < 0.6 ? frz_v3(0.0, 0.0, 1.0) : frz_v3(1.0, 0.0, 0.0);
    c->tangent[0] = frz_v3_normalize(frz_v3_cross(helper, n));
    c->tangent[1] = frz_v3_cross(n, c->tangent[0]);
}

/// Impulses of the last step for contacts that are still there.
static void warm_start(frz_contacts *contacts, double dt)
{
    const double scale = contacts->previous_dt > 0.0 ? dt / contacts->previous_dt : 0.0;
    int old = 0;
    for (int n = 0; n < contacts->list.count; ++n)
    {
        frz_contact *c = &contacts->list.items[n];
        set_tangents(c);
        while (old < contacts->previous.count &&
               frz_contact_key_compare(&contacts->previous.items[old].key, &c->key) < 0)
            ++old;
        if (old == contacts->previous.count ||
            frz_contact_key_compare(&contacts->previous.items[old].key, &c->key) != 0)
            continue;
        const frz_contact *p = &contacts->previous.items[old];
        frz_vec3 impulse = frz_v3_scale(p->impulse.x, p->normal);
        impulse = frz_v3_mad(impulse, p->impulse.y, p->tangent[0]);
        impulse = frz_v3_mad(impulse, p->impulse.z, p->tangent[1]);
        c->impulse = frz_v3_scale(scale, frz_v3(frz_v3_dot(impulse, c->normal), frz_v3_dot(impulse, c->tangent[0]),
                                                frz_v3_dot(impulse, c->tangent[1])));
    }
}

// ---- islands

/// Number the islands; island_of[b] is that of body b. Lists the bodies of each island.
static void form_islands(solver *s, const frz_contact_list *list, const frz_rigid_body *bodies, int count, int *parent,
                         int *island_of)
{
    for (int b = 0; b < count; ++b)
        parent[b] = b;
    for (int n = 0; n < list->count; ++n)
    {
        const int a = list->items[n].key.toucher, b = list->items[n].key.touched;
        if (!frz_rigid_body_yields(&bodies[a]) || !frz_rigid_body_yields(&bodies[b]))
            continue;
        frz_set_unite(parent, a, b);
    }
    for (int b = 0; b < count && s->joints != NULL; ++b)
        frz_set_unite(parent, b, frz_joints_group(s->joints, b));
    for (int b = 0; b < count; ++b)
        parent[b] = frz_set_root(parent, b); // the smallest number, so in front of b
    s->island_count = 0;
    for (int b = 0; b < count; ++b)
    {
        const int root = parent[b];
        island_of[b] = root == b ? s->island_count++ : island_of[root];
    }
    for (int k = 0; k < s->island_count; ++k)
        s->islands[k] = (island){0};
    for (int b = 0; b < count; ++b)
        ++s->islands[island_of[b]].body_count;
    int first = 0;
    for (int k = 0; k < s->island_count; ++k)
    {
        s->islands[k].first_body = first;
        first += s->islands[k].body_count;
        s->islands[k].body_count = 0;
    }
    for (int b = 0; b < count; ++b)
    {
        island *is = &s->islands[island_of[b]];
        s->bodies_of_islands[is->first_body + is->body_count++] = b;
    }
}

/// Which island two bodies belong to: that of one that can move.
static int pair_island(int a, int b, int world, const frz_rigid_body *bodies, const int *island_of)
{
    if (a != world && (b == world || frz_rigid_body_yields(&bodies[a])))
        return island_of[a];
    return island_of[b];
}

static int row_island(const solver *s, const frz_contact_list *list, int n, const frz_rigid_body *bodies, int world,
                      const int *island_of)
{
    if (n < list->count)
        return pair_island(list->items[n].key.toucher, list->items[n].key.touched, world, bodies, island_of);
    const frz_rope *rope = &s->ropes[n - list->count];
    return pair_island(rope->body[0], rope->body[1], world, bodies, island_of);
}

/// Rows of all contacts, then of all ropes, to their islands.
static void sort_rows(solver *s, const frz_contact_list *list, const frz_rigid_body *bodies, int world,
                      const int *island_of, int *slot)
{
    const int total = list->count + s->rope_count;
    for (int n = 0; n < total; ++n)
        ++s->islands[row_island(s, list, n, bodies, world, island_of)].row_count;
    int first = 0;
    for (int k = 0; k < s->island_count; ++k)
    {
        s->islands[k].first_row = first;
        first += s->islands[k].row_count;
        s->islands[k].row_count = 0;
    }
    for (int n = 0; n < total; ++n)
    {
        island *is = &s->islands[row_island(s, list, n, bodies, world, island_of)];
        slot[n] = is->first_row + is->row_count++;
    }
}

/// Room for the reactions of all rows.
static frz_status reserve_reactions(solver *s, frz_contacts *contacts, const int *slot, frz_diag *diag)
{
    const frz_contact_list *list = &contacts->list;
    int64_t total = 0;
    for (int n = 0; n < list->count; ++n)
        total += frz_contact_reactions(s->joints, list->items[n].key.toucher) +
                 frz_contact_reactions(s->joints, list->items[n].key.touched);
    for (int n = 0; n < s->rope_count; ++n)
        total += frz_contact_reactions(s->joints, s->ropes[n].body[0]) +
                 frz_contact_reactions(s->joints, s->ropes[n].body[1]);
    frz_contact_reaction *next = FRZ_SCRATCH(&contacts->scratch, total, frz_contact_reaction);
    if (next == NULL)
        return frz_fail_memory(diag, "the contact solver");
    for (int n = 0; n < list->count; ++n)
    {
        s->rows[slot[n]].reactions = next;
        next += frz_contact_reactions(s->joints, list->items[n].key.toucher) +
                frz_contact_reactions(s->joints, list->items[n].key.touched);
    }
    for (int n = 0; n < s->rope_count; ++n)
    {
        s->rows[slot[list->count + n]].reactions = next;
        next += frz_contact_reactions(s->joints, s->ropes[n].body[0]) +
                frz_contact_reactions(s->joints, s->ropes[n].body[1]);
    }
    return FRZ_OK;
}

static void fill_rows(solver *s, const frz_contact_list *list, const frz_rigid_body *bodies, int world, const int *slot)
{
#pragma omp parallel for schedule(static) if (list->count > FRZ_CONTACT_FEW && s->joints == NULL)
    for (int n = 0; n < list->count; ++n)
        frz_contact_row_make(&s->maker, &list->items[n], bodies, &s->rows[slot[n]]);
    for (int n = 0; n < s->rope_count; ++n)
        frz_contact_row_make_rope(&s->maker, &s->ropes[n], bodies, world, &s->rows[slot[list->count + n]]);
}

static void take_answers(solver *s, frz_contacts *contacts, frz_rigid_body *bodies, int count, const int *slot)
{
    for (int n = 0; n < contacts->list.count; ++n)
    {
        const row *r = &s->rows[slot[n]];
        contacts->list.items[n].impulse = frz_v3(r->impulse[0], r->impulse[1], r->impulse[2]);
    }
    for (int n = 0; n < s->rope_count; ++n)
        s->ropes[n].impulse = s->rows[slot[contacts->list.count + n]].impulse[0];
    for (int b = 0; b < count; ++b)
    {
        if (!frz_rigid_body_yields(&bodies[b]))
            continue;
        bodies[b].velocity = s->motions[b].velocity;
        bodies[b].spin = s->motions[b].spin;
    }
    frz_contact_stats *stats = &contacts->stats;
    for (int k = 0; k < s->island_count; ++k)
    {
        const island *is = &s->islands[k];
        if (is->row_count == 0)
            continue;
        stats->iterations = is->iterations > stats->iterations ? is->iterations : stats->iterations;
        stats->error = fmax(stats->error, is->error);
        stats->max_error = fmax(stats->max_error, is->max_error);
        stats->islands_given_up += is->given_up;
        stats->visits += (int64_t)is->iterations * is->row_count;
    }
}

/// Room for what does not depend on the rows.
static frz_status set_up(solver *s, frz_contacts *contacts, int count, int rows, frz_diag *diag)
{
    frz_arena *scratch = &contacts->scratch;
    int workspace = 1;
    for (int b = 0; b < count && s->joints != NULL; ++b)
        workspace = frz_joints_workspace(s->joints, b) > workspace ? frz_joints_workspace(s->joints, b) : workspace;
    s->rows = FRZ_SCRATCH(scratch, rows, row);
    s->bodies_of_islands = FRZ_SCRATCH(scratch, count, int);
    s->motions = FRZ_SCRATCH(scratch, count + 1, motion);
    s->before = FRZ_SCRATCH(scratch, count, motion);
    s->direction = FRZ_SCRATCH(scratch, count, motion);
    s->islands = FRZ_SCRATCH(scratch, count, island);
    s->maker.work = FRZ_SCRATCH(scratch, workspace, double);
    s->maker.response = FRZ_SCRATCH(scratch, count, motion);
    if (s->rows == NULL || s->bodies_of_islands == NULL || s->motions == NULL || s->before == NULL ||
        s->direction == NULL || s->islands == NULL || s->maker.work == NULL || s->maker.response == NULL)
        return frz_fail_memory(diag, "the contact solver");
    return FRZ_OK;
}

static frz_status solve_all(frz_contacts *contacts, frz_rigid_body *bodies, int count, double dt, frz_diag *diag)
{
    frz_arena *scratch = &contacts->scratch;
    solver s = {.options = &contacts->options,
                .joints = contacts->joints,
                .maker = {.options = &contacts->options, .joints = contacts->joints, .dt = dt}};
    if (s.joints != NULL)
        s.rope_count = frz_joints_ropes(contacts->joints, &s.ropes);
    const int rows = contacts->list.count + s.rope_count;
    FRZ_TRY(set_up(&s, contacts, count, rows, diag));
    int *parent = FRZ_SCRATCH(scratch, count, int);
    int *island_of = FRZ_SCRATCH(scratch, count, int);
    int *slot = FRZ_SCRATCH(scratch, rows, int);
    if (parent == NULL || island_of == NULL || slot == NULL)
        return frz_fail_memory(diag, "the contact solver");
    const motion none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    s.motions[count] = none;
    for (int b = 0; b < count; ++b)
    {
        s.motions[b] = (motion){bodies[b].velocity, bodies[b].spin};
        s.direction[b] = none;
    }
    if (contacts->joints != NULL)
        frz_joints_project(contacts->joints, s.motions, false);
    form_islands(&s, &contacts->list, bodies, count, parent, island_of);
    sort_rows(&s, &contacts->list, bodies, count, island_of, slot);
    FRZ_TRY(reserve_reactions(&s, contacts, slot, diag));
    fill_rows(&s, &contacts->list, bodies, count, slot);
#pragma omp parallel for schedule(dynamic, 1) if (contacts->list.count > FRZ_CONTACT_FEW)
    for (int k = 0; k < s.island_count; ++k)
    {
        if (s.islands[k].row_count > 0)
            solve_island(&s, &s.islands[k]);
    }
    take_answers(&s, contacts, bodies, count, slot);
    return FRZ_OK;
}

static void take_push(const frz_rigid_body *body, frz_vec3 place, frz_vec3 impulse, motion *from)
{
    const frz_vec3 moment = frz_v3_cross(frz_v3_sub(place, body->position), impulse);
    from->velocity = frz_v3_sub(from->velocity, frz_rigid_body_yield(body, impulse));
    from->spin = frz_v3_sub(from->spin, frz_m3_apply(body->inverse_inertia_world, moment));
}

/// What is left of the change of velocities without the impulses of contacts and ropes is the joints'. before is overwritten.
static void note_joints(frz_contacts *contacts, const frz_rigid_body *bodies, int count, motion *before)
{
    for (int b = 0; b < count; ++b)
    {
        before[b].velocity = frz_v3_sub(bodies[b].velocity, before[b].velocity);
        before[b].spin = frz_v3_sub(bodies[b].spin, before[b].spin);
    }
    for (int n = 0; n < contacts->list.count; ++n)
    {
        const frz_contact *c = &contacts->list.items[n];
        frz_vec3 impulse = frz_v3_scale(c->impulse.x, c->normal);
        impulse = frz_v3_mad(frz_v3_mad(impulse, c->impulse.y, c->tangent[0]), c->impulse.z, c->tangent[1]);
        take_push(&bodies[c->key.toucher], c->place, impulse, &before[c->key.toucher]);
        take_push(&bodies[c->key.touched], c->place, frz_v3_scale(-1.0, impulse), &before[c->key.touched]);
    }
    frz_rope *ropes = NULL;
    const int rope_count = frz_joints_ropes(contacts->joints, &ropes);
    for (int n = 0; n < rope_count; ++n)
    {
        for (int side = 0; side < 2; ++side)
        {
            const int b = ropes[n].body[side];
            const double sign = side == 0 ? 1.0 : -1.0;
            if (b < count)
                take_push(&bodies[b], ropes[n].place[side], frz_v3_scale(sign * ropes[n].impulse, ropes[n].normal),
                          &before[b]);
        }
    }
    frz_joints_note(contacts->joints, before);
}

/// Until joints are closed at the end of the step: their rates depend on how bodies turn within it.
static frz_status solve_joined(frz_contacts *contacts, frz_rigid_body *bodies, int count, double dt, frz_diag *diag)
{
    frz_arena *scratch = &contacts->scratch;
    motion *free = FRZ_SCRATCH(scratch, count, motion);
    frz_rigid_body *ahead = FRZ_SCRATCH(scratch, count, frz_rigid_body);
    if (free == NULL || ahead == NULL)
        return frz_fail_memory(diag, "the joints of bodies");
    for (int b = 0; b < count; ++b)
        free[b] = (motion){bodies[b].velocity, bodies[b].spin};
    double error = HUGE_VAL;
    for (int n = 0; n < most_rounds && error > closed * contacts->options.spacing; ++n)
    {
        for (int b = 0; b < count; ++b)
        {
            bodies[b].velocity = free[b].velocity;
            bodies[b].spin = free[b].spin;
        }
        const frz_arena_mark mark = frz_arena_here(scratch);
        const frz_status status = solve_all(contacts, bodies, count, dt, diag);
        frz_arena_release(scratch, mark);
        if (status != FRZ_OK)
            return status;
        error = frz_joints_correct(contacts->joints, bodies, ahead, dt);
    }
    if (!(error < torn * contacts->options.spacing))
        return frz_fail(diag, FRZ_ERR_DIVERGED, "joints of bodies do not close within the step, by %.2g spacings",
                        error / contacts->options.spacing);
    note_joints(contacts, bodies, count, free);
    return FRZ_OK;
}

frz_status frz_contacts_solve_again(frz_contacts *contacts, frz_rigid_body *bodies, int count, double dt,
                                    frz_diag *diag)
{
    if (contacts->list.count == 0 && contacts->joints == NULL)
        return FRZ_OK;
    const frz_arena_mark mark = frz_arena_here(&contacts->scratch);
    const frz_status status = contacts->joints == NULL ? solve_all(contacts, bodies, count, dt, diag)
                                                       : solve_joined(contacts, bodies, count, dt, diag);
    frz_arena_release(&contacts->scratch, mark);
    return status;
}

frz_status frz_contacts_solve(frz_contacts *contacts, frz_rigid_body *bodies, int count, double dt, frz_diag *diag)
{
    warm_start(contacts, dt);
    contacts->previous_dt = dt;
    return frz_contacts_solve_again(contacts, bodies, count, dt, diag);
}
