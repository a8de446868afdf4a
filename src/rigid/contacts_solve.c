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
#include "rigid/contacts_internal.h"

enum
{
    frame_axes = 3
};

static const double singular = 1.0e-12; ///< pivots of the 3 x 3 blocks, relative to the largest entry
static const double regular =
    1.0e-8; ///< determinants above this share of the trace's cube: cofactors keep eight digits

// changes of contact velocities that move nothing by more than this in the step, in spacings, are not worth a sweep: a body that
// rests drifts by less than a hundredth of a millionth of a spacing per step on average
static const double still = 1.0e-8, still_max = 1.0e-6;

typedef struct row
{
    int body[2];                   ///< toucher, touched
    bool yields[2];                ///< whether impulses have any effect on them
    frz_vec3 axis[frame_axes];     ///< normal, two tangents
    frz_vec3 lever[2][frame_axes]; ///< arm x axis
    frz_vec3 drift[2][frame_axes]; ///< velocity per impulse
    frz_vec3 swing[2][frame_axes]; ///< inverse inertia times lever: spin per impulse
    frz_mat3 inverse;              ///< of the block
    double normal_response;        ///< velocity per impulse along the normal, 1/kg
    double tangent_response;       ///< largest of the tangent plane
    double response;               ///< trace / 3: the scale for errors
    double friction;
    double target; ///< b
    double impulse[frame_axes];
    double before[frame_axes];    ///< impulse at the beginning of the sweep
    double direction[frame_axes]; ///< of the conjugate gradients
} row;

typedef struct motion
{
    frz_vec3 velocity, spin;
} motion;

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
    double dt; ///< s
    row *rows; ///< island after island
    int *bodies_of_islands;
    motion *motions;   ///< per body
    motion *before;    ///< at the beginning of the sweep
    motion *direction; ///< what the impulses of the direction do to the velocities
    island *islands;
    int island_count;
} solver;

// ---- one contact

static double relative_velocity(const row *r, const motion *motions, int k)
{
    const motion *a = &motions[r->body[0]], *b = &motions[r->body[1]];
    return frz_v3_dot(r->axis[k], frz_v3_sub(a->velocity, b->velocity)) + frz_v3_dot(r->lever[0][k], a->spin) -
           frz_v3_dot(r->lever[1][k], b->spin);
}

static void apply(const row *r, const double change[frame_axes], motion *motions)
{
    for (int side = 0; side < 2; ++side)
    {
        if (!r->yields[side])
            continue; // may belong to several islands: not to be written
        motion *m = &motions[r->body[side]];
        const double sign = side == 0 ? 1.0 : -1.0;
        for (int k = 0; k < frame_axes; ++k)
        {
            m->velocity = frz_v3_mad(m->velocity, sign * change[k], r->drift[side][k]);
            m->spin = frz_v3_mad(m->spin, sign * change[k], r->swing[side][k]);
        }
    }
}

/// Normal first, then the tangent plane: a step towards the solution wherever the contact does not stick.
static void slide_or_part(row *r, motion *motions)
{
    const double normal_velocity = relative_velocity(r, motions, 0) - r->target;
    const double normal = fmax(0.0, r->impulse[0] - normal_velocity / r->normal_response);
    const double first[frame_axes] = {normal - r->impulse[0], 0.0, 0.0};
    apply(r, first, motions);
    r->impulse[0] = normal;
    double tangent[2];
    for (int k = 0; k < 2; ++k)
        tangent[k] = r->impulse[k + 1] - relative_velocity(r, motions, k + 1) / r->tangent_response;
    const double length = sqrt(tangent[0] * tangent[0] + tangent[1] * tangent[1]);
    const double most = r->friction * normal;
    const double scale = length > most ? most / length : 1.0;
    const double second[frame_axes] = {0.0, scale * tangent[0] - r->impulse[1], scale * tangent[1] - r->impulse[2]};
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
    const double stick[frame_axes] = {r->impulse[0] - d.x, r->impulse[1] - d.y, r->impulse[2] - d.z};
    const double cone = r->friction * stick[0];
    if (stick[0] < 0.0 || stick[1] * stick[1] + stick[2] * stick[2] > cone * cone)
    {
        slide_or_part(r, motions);
        return true;
    }
    const double change[frame_axes] = {-d.x, -d.y, -d.z};
    apply(r, change, motions);
    for (int k = 0; k < frame_axes; ++k)
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
        for (int k = 0; k < frame_axes; ++k)
            r->before[k] = r->impulse[k];
        if (!solve_row(r, s->motions))
            continue;
        double squared = 0.0, size = 0.0;
        for (int k = 0; k < frame_axes; ++k)
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
        for (int k = 0; k < frame_axes; ++k)
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
        const double moved = s->dt / s->options->spacing;
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

/// Inverse of a symmetric positive block; where it is singular (nothing can turn or move that way) the direction is left out.
static frz_mat3 invert_block(frz_mat3 k)
{
    const double trace = frz_m3_trace(k);
    const double xx = k.m[1][1] * k.m[2][2] - k.m[1][2] * k.m[1][2], yy = k.m[0][0] * k.m[2][2] - k.m[0][2] * k.m[0][2];
    const double zz = k.m[0][0] * k.m[1][1] - k.m[0][1] * k.m[0][1], xy = k.m[0][2] * k.m[1][2] - k.m[0][1] * k.m[2][2];
    const double xz = k.m[0][1] * k.m[1][2] - k.m[0][2] * k.m[1][1], yz = k.m[0][1] * k.m[0][2] - k.m[1][2] * k.m[0][0];
    const double determinant = k.m[0][0] * xx + k.m[0][1] * xy + k.m[0][2] * xz;
    if (determinant > regular * trace * trace * trace)
        return frz_m3_scale(1.0 / determinant, (frz_mat3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}});
    const frz_eigen3 e = frz_m3_eigen(k);
    double inverse[3];
    for (int i = 0; i < 3; ++i)
        inverse[i] = e.s[i] > singular * e.s[0] ? 1.0 / e.s[i] : 0.0;
    return frz_m3_compose(e.v, inverse, e.v);
}

static void prepare_block(row *r)
{
    frz_mat3 block = frz_m3_zero();
    for (int i = 0; i < frame_axes; ++i)
    {
        for (int j = 0; j < frame_axes; ++j)
        {
            for (int side = 0; side < 2; ++side)
                block.m[i][j] +=
                    frz_v3_dot(r->axis[i], r->drift[side][j]) + frz_v3_dot(r->lever[side][i], r->swing[side][j]);
        }
    }
    r->inverse = invert_block(frz_m3_symmetric(block));
    r->normal_response = block.m[0][0];
    const double mean = 0.5 * (block.m[1][1] + block.m[2][2]);
    r->tangent_response = mean + hypot(0.5 * (block.m[1][1] - block.m[2][2]), block.m[1][2]);
    r->response = frz_m3_trace(block) / 3.0;
}

static void prepare_row(const frz_contacts *contacts, const frz_contact *c, const frz_rigid_body *bodies, double dt,
                        row *r)
{
    const frz_rigid_body *pair[2] = {&bodies[c->key.toucher], &bodies[c->key.touched]};
    *r = (row){.body = {c->key.toucher, c->key.touched}, .axis = {c->normal, c->tangent[0], c->tangent[1]}};
    for (int side = 0; side < 2; ++side)
    {
        r->yields[side] = frz_rigid_body_yields(pair[side]);
        const frz_vec3 arm = frz_v3_sub(c->place, pair[side]->position);
        for (int k = 0; k < frame_axes; ++k)
        {
            r->lever[side][k] = frz_v3_cross(arm, r->axis[k]);
            r->drift[side][k] = frz_rigid_body_yield(pair[side], r->axis[k]);
            r->swing[side][k] = frz_m3_apply(pair[side]->inverse_inertia_world, r->lever[side][k]);
        }
    }
    prepare_block(r);
    r->friction = sqrt(pair[0]->friction * pair[1]->friction);
    const double restitution = fmax(pair[0]->restitution, pair[1]->restitution);
    r->target = c->gap > 0.0 ? -c->gap / dt : 0.0;
    if (restitution > 0.0 && c->approach < -contacts->options.restitution_speed && c->gap + dt * c->approach <= 0.0)
        r->target = -restitution * c->approach;
    r->impulse[0] = c->impulse.x;
    r->impulse[1] = c->impulse.y;
    r->impulse[2] = c->impulse.z;
}

// ---- islands

static int find_root(int *parent, int b)
{
    while (parent[b] != b)
    {
        parent[b] = parent[parent[b]];
        b = parent[b];
    }
    return b;
}

/// Number the islands; island_of[n] is that of contact n. Lists the bodies of each island.
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
        const int root_a = find_root(parent, a), root_b = find_root(parent, b);
        parent[root_a > root_b ? root_a : root_b] = root_a > root_b ? root_b : root_a;
    }
    for (int b = 0; b < count; ++b)
        parent[b] = find_root(parent, b); // the smallest number, so in front of b
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

/// Which island a contact belongs to: that of a body that can move.
static int contact_island(const frz_contact *c, const frz_rigid_body *bodies, const int *island_of)
{
    return island_of[frz_rigid_body_yields(&bodies[c->key.toucher]) ? c->key.toucher : c->key.touched];
}

static void fill_rows(solver *s, const frz_contacts *contacts, const frz_rigid_body *bodies, const int *island_of,
                      int *slot, double dt)
{
    const frz_contact_list *list = &contacts->list;
    for (int n = 0; n < list->count; ++n)
        ++s->islands[contact_island(&list->items[n], bodies, island_of)].row_count;
    int first = 0;
    for (int k = 0; k < s->island_count; ++k)
    {
        s->islands[k].first_row = first;
        first += s->islands[k].row_count;
        s->islands[k].row_count = 0;
    }
    for (int n = 0; n < list->count; ++n)
    {
        island *is = &s->islands[contact_island(&list->items[n], bodies, island_of)];
        slot[n] = is->first_row + is->row_count++;
    }
#pragma omp parallel for schedule(static) if (list->count > FRZ_CONTACT_FEW)
    for (int n = 0; n < list->count; ++n)
        prepare_row(contacts, &list->items[n], bodies, dt, &s->rows[slot[n]]);
}

static void take_answers(solver *s, frz_contacts *contacts, frz_rigid_body *bodies, int count, const int *slot)
{
    for (int n = 0; n < contacts->list.count; ++n)
    {
        const row *r = &s->rows[slot[n]];
        contacts->list.items[n].impulse = frz_v3(r->impulse[0], r->impulse[1], r->impulse[2]);
    }
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

static frz_status solve_all(frz_contacts *contacts, frz_rigid_body *bodies, int count, double dt, frz_diag *diag)
{
    frz_arena *scratch = &contacts->scratch;
    solver s = {.options = &contacts->options, .dt = dt};
    s.rows = FRZ_SCRATCH(scratch, contacts->list.count, row);
    s.bodies_of_islands = FRZ_SCRATCH(scratch, count, int);
    s.motions = FRZ_SCRATCH(scratch, count, motion);
    s.before = FRZ_SCRATCH(scratch, count, motion);
    s.direction = FRZ_SCRATCH(scratch, count, motion);
    s.islands = FRZ_SCRATCH(scratch, count, island);
    int *parent = FRZ_SCRATCH(scratch, count, int);
    int *island_of = FRZ_SCRATCH(scratch, count, int);
    int *slot = FRZ_SCRATCH(scratch, contacts->list.count, int);
    if (s.rows == NULL || s.bodies_of_islands == NULL || s.motions == NULL || s.before == NULL || s.direction == NULL ||
        s.islands == NULL || parent == NULL || island_of == NULL || slot == NULL)
        return frz_fail_memory(diag, "the contact solver");
    for (int b = 0; b < count; ++b)
    {
        s.motions[b] = (motion){bodies[b].velocity, bodies[b].spin};
        s.direction[b] = (motion){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    }
    form_islands(&s, &contacts->list, bodies, count, parent, island_of);
    fill_rows(&s, contacts, bodies, island_of, slot, dt);
#pragma omp parallel for schedule(dynamic, 1) if (contacts->list.count > FRZ_CONTACT_FEW)
    for (int k = 0; k < s.island_count; ++k)
    {
        if (s.islands[k].row_count > 0)
            solve_island(&s, &s.islands[k]);
    }
    take_answers(&s, contacts, bodies, count, slot);
    return FRZ_OK;
}

frz_status frz_contacts_solve_again(frz_contacts *contacts, frz_rigid_body *bodies, int count, double dt,
                                    frz_diag *diag)
{
    if (contacts->list.count == 0)
        return FRZ_OK;
    const frz_arena_mark mark = frz_arena_here(&contacts->scratch);
    const frz_status status = solve_all(contacts, bodies, count, dt, diag);
    frz_arena_release(&contacts->scratch, mark);
    return status;
}

frz_status frz_contacts_solve(frz_contacts *contacts, frz_rigid_body *bodies, int count, double dt, frz_diag *diag)
{
    warm_start(contacts, dt);
    contacts->previous_dt = dt;
    return frz_contacts_solve_again(contacts, bodies, count, dt, diag);
}
