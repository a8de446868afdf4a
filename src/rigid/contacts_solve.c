// SPDX-License-Identifier: MIT
// Impulses at contacts: complementarity in the normal direction, Coulomb's cone in the tangent plane.
//
// Find impulses l (normal, two tangents) per contact such that, with u the velocity of the toucher against the touched
// after all impulses and b the least normal velocity allowed,
//     0 <= l_n  complementary to  u_n - b >= 0,    |l_t| <= mu l_n,    l_t = -mu l_n u_t / |u_t| where u_t is not 0.
// Each contact is solved by itself as a block (3 x 3) in a fixed order (Gauss-Seidel), and the sweeps are accelerated
// by the nonsmooth nonlinear conjugate gradient method: Silcowitz-Hansen, Niebe & Erleben, "A nonsmooth nonlinear
// conjugate gradient method for interactive contact force problems", The Visual Computer 26 (2010). Islands of bodies
// that touch each other have nothing to do with other islands and are solved at the same time; inside an island the
// order is fixed.
//
// Joints are no rows: velocities have the rates that joints need from the start, and an impulse at a body moves all
// that hangs on it by joints at once (rigid/joints.h), which leaves these rates alone. Ropes are rows without friction.
#include "math/union_find.h"
#include "rigid/contact_rows.h"

enum
{
    patience = 30,       ///< sweeps
    patience_rough = 60, ///< the same with an error that is good enough for bodies that slide only
    patience_new = 200,  ///< the same with new contacts at rest
    most_rounds = 6      ///< of joints, whose rates depend on the velocities that are sought
};

static const double closed = 1.0e-10; ///< error of joints at the end of a step that is left to the next, in spacings
static const double torn = 0.01;      ///< the same, with which a step has failed
// changes of contact velocities that move nothing by more than this in the step, in spacings, are not worth a sweep: a
// body that rests drifts by less than a hundredth of a millionth of a spacing per step on average
static const double still = 1.0e-8, still_max = 1.0e-6;
// The same for bodies that slide or roll on each other by more than frz_contact_still per step, as shares of that: what
// they do next is not known better than that, and no error of theirs piles up as creep. The worst contact may then
// close by a fifth of the overlap that is left alone (contacts_separate.c). Where bodies bounce, errors are not lost in
// the next contact, and less of them is left.
static const double sliding = 2.0e-2, sliding_max = 0.4;
static const double bouncing = 2.0e-4, bouncing_max = 4.0e-2;
// Where impulses are not determined (a body wedged between others), or friction changes direction to and fro, sweeps
// change impulses by the same small amount for ever. So the solver also ends if the change is less than this share of
// the change by contacts and has not come down by half in some number of sweeps; the next step goes on from there.
// Bodies at rest get more of them in the step in which contacts are new; later on, their first sweep is as good as that
// already.
static const double good_enough = 1.0e-4;
// In a mechanism pressed against something by its joints (a heavy chain on the ground) the change can stay above that.
static const double rough = 1.0e-3;
static const double few = 0.05; ///< share of the contacts of an island that may move while it counts as at rest

typedef frz_contact_row row;
typedef frz_rigid_motion motion;

typedef struct island
{
    int first_row, row_count;
    int first_body, body_count; ///< in the list of bodies
    int iterations;
    double error, max_error;
    bool given_up;
    bool moves;
    bool bounces; ///< some of its bodies have restitution
    bool asleep;  ///< all its bodies are
} island;

typedef struct solver
{
    const frz_contact_options *options;
    row *rows; ///< island after island
    int *bodies_of_islands;
    frz_contact_mass *masses; ///< per body
    motion *motions;          ///< per body, and the world's behind them
    motion *before;           ///< at the beginning of the sweep
    motion *direction;        ///< change of the velocities by the impulses of the direction
    island *islands;
    int island_count;
    const frz_joints *joints; ///< null: none
    int rope_count;
    frz_rope *ropes;
    frz_contact_row_maker maker;
} solver;

// ---- one island

typedef struct sweep_result
{
    double squared; ///< of the changes of impulses, as velocities
    double mean, max;
    double scale; ///< mean velocity that the contacts take away
} sweep_result;

static sweep_result sweep(solver *s, island *is)
{
    for (int n = 0; n < is->body_count; ++n)
    {
        const int b = s->bodies_of_islands[is->first_body + n];
        s->before[b] = s->motions[b];
    }
    sweep_result result = {0.0, 0.0, 0.0, 0.0};
    for (int n = 0; n < is->row_count; ++n)
    {
        row *r = &s->rows[is->first_row + n];
        r->before = r->impulse;
        if (!frz_contact_row_solve(r, s->masses, s->motions))
            continue;
        const frz_vec3 change = frz_v3_sub(r->impulse, r->before);
        const double now = frz_v3_dot(r->impulse, r->impulse), old = frz_v3_dot(r->before, r->before);
        const double error = r->response * frz_v3_length(change);
        result.squared += error * error;
        result.mean += error;
        result.max = error > result.max ? error : result.max;
        result.scale += r->response * sqrt(now > old ? now : old);
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
        const frz_vec3 gone = frz_v3_sub(r->impulse, r->before);
        r->impulse = frz_v3_mad(r->impulse, share, r->direction);
        r->direction = frz_v3_mad(gone, share, r->direction);
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

/// How the sweeps of an island get on.
typedef struct progress
{
    double first; ///< error of the first sweep
    double least; ///< error to be halved
    int since;    ///< sweeps
} progress;

static bool is_done(const solver *s, island *is, const sweep_result *result, progress *p)
{
    is->error = result->mean > 0.0 ? result->mean / result->scale : 0.0;
    is->max_error = result->mean > 0.0 ? result->max / result->scale : 0.0;
    const double moved = s->maker.dt / s->options->spacing;
    const double share = is->bounces ? bouncing : sliding, share_max = is->bounces ? bouncing_max : sliding_max;
    const double least = is->moves ? share * frz_contact_still : still;
    const double least_max = is->moves ? share_max * frz_contact_still : still_max;
    if ((is->error <= s->options->tolerance && is->max_error <= s->options->max_tolerance) ||
        (result->mean * moved <= least && result->max * moved <= least_max))
        return true;
    ++p->since;
    if (is->iterations == 1)
        p->first = is->error;
    if (is->error < 0.5 * p->least)
    {
        p->least = is->error;
        p->since = 0;
    }
    if (is->moves && is->error < rough && p->since >= patience_rough)
        return true;
    const bool is_new = !is->moves && p->first >= good_enough;
    return is->error < good_enough && p->since >= (is_new ? patience_new : patience);
}

static void solve_island(solver *s, island *is)
{
    int moving = 0;
    // before has the motions without contacts; gravity alone makes no impact
    frz_contact_rows_reflect(&s->rows[is->first_row], is->row_count, s->masses, s->before,
                             s->options->restitution_speed + s->options->acceleration * s->maker.dt, s->maker.dt);
    for (int n = 0; n < is->row_count; ++n)
    { // warm start
        const row *r = &s->rows[is->first_row + n];
        moving += r->moving;
        is->bounces = is->bounces || r->restitution > 0.0;
        frz_contact_row_apply(r, r->impulse, s->masses, s->motions);
    }
    is->moves = moving > few * is->row_count;
    double last = 0.0;
    progress p = {.least = HUGE_VAL};
    is->given_up = true;
    for (is->iterations = 1; is->iterations <= s->options->max_iterations; ++is->iterations)
    {
        const sweep_result result = sweep(s, is);
        if (is_done(s, is, &result, &p))
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
        is->asleep = bodies[b].asleep;
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

/// Most reactions of a row.
static int count_reactions(const solver *s, const frz_contact_list *list, int n, const frz_rigid_body *bodies,
                           int world)
{
    const int *pair = s->ropes != NULL && n >= list->count ? s->ropes[n - list->count].body : NULL;
    const int body[2] = {pair != NULL ? pair[0] : list->items[n].key.toucher,
                         pair != NULL ? pair[1] : list->items[n].key.touched};
    int count = 0;
    for (int side = 0; side < 2; ++side)
        count += body[side] != world ? frz_contact_reactions(s->joints, &bodies[body[side]], body[side]) : 0;
    return count;
}

/// Room for the reactions of all rows.
static frz_status reserve_reactions(solver *s, frz_contacts *contacts, const frz_rigid_body *bodies, int world,
                                    const int *slot, frz_diag *diag)
{
    const frz_contact_list *list = &contacts->list;
    const int rows = list->count + s->rope_count;
    int64_t total = 0;
    for (int n = 0; n < rows; ++n)
        total += count_reactions(s, list, n, bodies, world);
    frz_contact_reaction *next = FRZ_SCRATCH(&contacts->scratch, total, frz_contact_reaction);
    if (next == NULL)
        return frz_fail_memory(diag, "the contact solver");
    for (int n = 0; n < rows; ++n)
    {
        s->rows[slot[n]].reactions = next;
        next += count_reactions(s, list, n, bodies, world);
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
        frz_contact *c = &contacts->list.items[n];
        c->impulse = frz_v3(frz_v3_dot(r->impulse, c->normal), frz_v3_dot(r->impulse, c->tangent[0]),
                            frz_v3_dot(r->impulse, c->tangent[1]));
    }
    for (int n = 0; n < s->rope_count; ++n)
        s->ropes[n].impulse = frz_v3_dot(s->rows[slot[contacts->list.count + n]].impulse, s->ropes[n].normal);
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
        if (is->row_count == 0 || is->asleep)
            continue;
        stats->iterations = is->iterations > stats->iterations ? is->iterations : stats->iterations;
        stats->error = fmax(stats->error, is->error);
        stats->max_error = fmax(stats->max_error, is->max_error);
        stats->islands_given_up += is->given_up;
        stats->visits += (int64_t)is->iterations * is->row_count;
    }
}

/// Allocate the data that does not depend on the rows.
static frz_status set_up(solver *s, frz_contacts *contacts, int count, int rows, frz_diag *diag)
{
    frz_arena *scratch = &contacts->scratch;
    int workspace = 1;
    for (int b = 0; b < count && s->joints != NULL; ++b)
        workspace = frz_joints_workspace(s->joints, b) > workspace ? frz_joints_workspace(s->joints, b) : workspace;
    s->rows = FRZ_SCRATCH(scratch, rows, row);
    s->bodies_of_islands = FRZ_SCRATCH(scratch, count, int);
    s->motions = FRZ_SCRATCH(scratch, count + 1, motion);
    s->masses = FRZ_SCRATCH(scratch, count, frz_contact_mass);
    s->before = FRZ_SCRATCH(scratch, count + 1, motion);
    s->direction = FRZ_SCRATCH(scratch, count, motion);
    s->islands = FRZ_SCRATCH(scratch, count, island);
    s->maker.work = FRZ_SCRATCH(scratch, workspace, double);
    s->maker.response = FRZ_SCRATCH(scratch, count, motion);
    if (s->rows == NULL || s->bodies_of_islands == NULL || s->motions == NULL || s->masses == NULL ||
        s->before == NULL || s->direction == NULL || s->islands == NULL || s->maker.work == NULL ||
        s->maker.response == NULL)
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
        s.rope_count = frz_joints_ropes(contacts->joints, count, &s.ropes);
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
        s.masses[b] = (frz_contact_mass){bodies[b].inverse_mass, bodies[b].inverse_inertia_world};
        s.direction[b] = none;
    }
    if (contacts->joints != NULL)
        frz_joints_project(contacts->joints, s.motions, false);
    form_islands(&s, &contacts->list, bodies, count, parent, island_of);
    sort_rows(&s, &contacts->list, bodies, count, island_of, slot);
    FRZ_TRY(reserve_reactions(&s, contacts, bodies, count, slot, diag));
    fill_rows(&s, &contacts->list, bodies, count, slot);
    for (int b = 0; b <= count; ++b)
        s.before[b] = s.motions[b];
#pragma omp parallel for schedule(dynamic, 1) if (contacts->list.count > FRZ_CONTACT_FEW)
    for (int k = 0; k < s.island_count; ++k)
    {
        if (s.islands[k].row_count > 0 && !s.islands[k].asleep)
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

/// The change of velocities without that by impulses of contacts and ropes is by the joints. before is overwritten.
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
    const int rope_count = frz_joints_ropes(contacts->joints, count, &ropes);
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
