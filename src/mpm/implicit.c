// SPDX-License-Identifier: MIT
#include "mpm/implicit.h"

#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "math/conjugate_gradient.h"

enum
{
    lanes = 8,
    most_conjugate = 2000,
    most_halvings = 12,
    free_changes = 6 // iterations in which walls may let go of nodes
};

// Friction holds below the tolerance of velocities times this.
static const double stuck = 1.0;
static const double inner_tolerance = 0.05; // of a linear system, relative to its right side

// A point within the step.
typedef struct point
{
    frz_mat3 start; // F at the start of the step, without its rotation
    frz_law_point law;
} point;

// How walls hold a node: 0 not, 1 along wall, 2 in all directions.
typedef struct problem
{
    frz_mpm_run *run;
    double dt;
    point *points;      // lanes of groups, one after the other
    double *energy;     // by block
    uint8_t *held;      // by node
    frz_v4 *normal;     // of the wall that holds it
    frz_v4 *wall;       // its velocity
    frz_v4 *slides;     // direction along it, if friction does not hold it
    frz_real *friction; // impulse that it can take
    frz_real *rubs;     // friction over speed at the present velocities
    double creep;       // speed below which friction grows with it, m/s
    frz_real *mass, *inverse;
    double total; // mass
    int nodes;
} problem;

static frz_mat3 lane_of(const frz_wide3 *w, int l)
{
    frz_mat3 m;
    for (int k = 0; k < 9; ++k)
        m.m[k / 3][k % 3] = (double)w->m[k / 3][k % 3][l];
    return m;
}

// (I + dt L) F
static frz_mat3 strained(const frz_mat3 *start, const frz_mat3 *gradient, double dt)
{
    frz_mat3 step = frz_m3_scale(dt, *gradient);
    for (int i = 0; i < 3; ++i)
        step.m[i][i] += 1.0;
    return frz_m3_mul(step, *start);
}

// Stress of the points of a group for a field of velocities, or with change that of its change for a change of the
// field, as a load; returns the energy, J.
static double load_of(const problem *s, int group, const frz_wide3 *gradient, bool change, frz_mpm_load *load)
{
    const frz_mpm_group *g = &s->run->grid.group[group];
    const frz_mpm_space *space = &s->run->grid.space;
    const frz_mpm_material *m = &s->run->materials[g->material];
    double energy = 0.0;
    memset(load, 0, sizeof *load);
    for (int l = 0; l < g->count; ++l)
    {
        point *p = &s->points[group * lanes + l];
        const frz_mat3 slope = lane_of(gradient, l);
        frz_mat3 stress;
        if (change)
            stress = frz_elastic_tangent(&m->elastic, &p->law, frz_m3_scale(s->dt, frz_m3_mul(slope, p->start)));
        else
        {
            p->law = frz_elastic_at(&m->elastic, strained(&p->start, &slope, s->dt), NULL);
            stress = p->law.stress;
            energy += m->volume * p->law.energy;
        }
        const frz_mat3 tau = frz_m3_mul(stress, frz_m3_transpose(p->start));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < space->dimension; ++j)
                load->push.m[i][j][l] = (frz_real)(s->dt * m->volume / space->cell[j] * tau.m[i][j]);
    }
    return energy;
}

// dt sum V P F^T grad w at the nodes for the velocities v, or its change for the change v of them.
static double force(const problem *s, const frz_v4 *v, bool change, frz_v4 *out)
{
    const frz_mpm_grid *grid = &s->run->grid;
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < grid->block_count; ++b)
    {
        frz_v4 now[FRZ_MPM_WINDOW_MAX], *window = grid->spread + (size_t)b * (size_t)grid->window_nodes;
        frz_mpm_collect(grid, v, b, now);
        memset(window, 0, (size_t)grid->window_nodes * sizeof *window);
        s->energy[b] = 0.0;
        for (int n = grid->block[b].first; n < grid->block[b].end; ++n)
        {
            frz_w8 mean[3];
            frz_wide3 affine, gradient;
            frz_mpm_load load;
            frz_mpm_gather(grid, &grid->group[n], now, mean, &affine, &gradient);
            s->energy[b] += load_of(s, n, &gradient, change, &load);
            (void)frz_mpm_scatter(grid, &grid->group[n], &load, window);
        }
    }
#pragma omp parallel for schedule(dynamic, 8)
    for (int b = 0; b < grid->nodes_count; ++b)
    {
        frz_v4 *to = out + (size_t)b * (size_t)grid->block_nodes;
        frz_mpm_reduce(grid, b, to);
        for (int n = 0; n < grid->block_nodes; ++n)
            to[n] = frz_v4_xyz(to[n]);
    }
    double sum = 0.0;
    for (int b = 0; b < grid->block_count; ++b)
        sum += s->energy[b];
    return sum;
}

static frz_v4 let_go(const problem *s, int n, frz_v4 x)
{
    if (s->held[n] == 2 || !(s->mass[n] > 0))
        return frz_v4_zero();
    return s->held[n] == 1 ? x - frz_v4_dot3(x, s->normal[n]) * s->normal[n] : x;
}

static void apply(const void *user, const frz_v4 *x, frz_v4 *out)
{
    const problem *s = user;
    (void)force(s, x, true, out);
#pragma omp parallel for schedule(static)
    for (int n = 0; n < s->nodes; ++n)
        out[n] = let_go(
            s, n, out[n] + s->mass[n] * x[n] + s->rubs[n] * (x[n] - frz_v4_dot3(x[n], s->slides[n]) * s->slides[n]));
}

static void precondition(const void *user, const frz_v4 *x, frz_v4 *out)
{
    const problem *s = user;
#pragma omp parallel for schedule(static)
    for (int n = 0; n < s->nodes; ++n)
        out[n] = s->inverse[n] > 0 ? x[n] / (s->mass[n] + s->rubs[n]) : frz_v4_zero();
}

static frz_status make_problem(frz_mpm_run *run, double dt, problem *s, frz_diag *diag)
{
    const frz_mpm_grid *grid = &run->grid;
    frz_arena *scratch = run->implicit->scratch;
    *s = (problem){.run = run, .dt = dt, .nodes = grid->nodes_count * grid->block_nodes};
    s->points = FRZ_SCRATCH(scratch, (size_t)grid->group_count * lanes + 1, point);
    s->energy = FRZ_SCRATCH(scratch, grid->block_count + 1, double);
    s->held = FRZ_SCRATCH(scratch, s->nodes + 1, uint8_t);
    s->normal = FRZ_SCRATCH(scratch, s->nodes + 1, frz_v4);
    s->wall = FRZ_SCRATCH(scratch, s->nodes + 1, frz_v4);
    s->slides = FRZ_SCRATCH(scratch, s->nodes + 1, frz_v4);
    s->friction = FRZ_SCRATCH(scratch, s->nodes + 1, frz_real);
    s->rubs = FRZ_SCRATCH(scratch, s->nodes + 1, frz_real);
    s->mass = FRZ_SCRATCH(scratch, s->nodes + 1, frz_real);
    s->inverse = FRZ_SCRATCH(scratch, s->nodes + 1, frz_real);
    if (s->points == NULL || s->energy == NULL || s->held == NULL || s->normal == NULL || s->mass == NULL ||
        s->inverse == NULL || s->wall == NULL || s->slides == NULL || s->friction == NULL || s->rubs == NULL)
        return frz_fail_memory(diag, "the implicit step of material points");
    memset(s->held, 0, (size_t)s->nodes);
    memset(s->friction, 0, (size_t)s->nodes * sizeof *s->friction);
    memset(s->rubs, 0, (size_t)s->nodes * sizeof *s->rubs);
    memset(s->slides, 0, (size_t)s->nodes * sizeof *s->slides);
    s->creep = stuck * run->implicit->tolerance;
    for (int n = 0; n < s->nodes; ++n)
    {
        s->mass[n] = grid->node[n][3];
        s->inverse[n] = s->mass[n] > 0 ? 1 / s->mass[n] : 0;
        s->total += (double)s->mass[n];
    }
#pragma omp parallel for schedule(static)
    for (int g = 0; g < grid->group_count; ++g)
        for (int l = 0; l < grid->group[g].count; ++l)
            s->points[g * lanes + l].start = frz_mpm_stretch(&grid->group[g], l);
    return FRZ_OK;
}

frz_status frz_mpm_implicit_force(frz_mpm_run *run, double dt, const frz_v4 *v, const frz_v4 *change, frz_v4 *out,
                                  double *energy, frz_diag *diag)
{
    problem s;
    FRZ_TRY(make_problem(run, dt, &s, diag));
    *energy = force(&s, v, false, out);
    if (change != NULL)
        (void)force(&s, change, true, out);
    return FRZ_OK;
}

// ---- walls

static frz_vec3 wall_of(const frz_mpm_run *run, const frz_mpm_contact *c)
{
    return frz_rigid_body_velocity_at(run->obstacles[c->obstacle].body, c->place);
}

// Nodes that move into walls are held from now on, those that walls would have to pull are let go. impulse: by the
// walls, at nodes that are held. Returns whether anything has changed.
static bool hold(problem *s, frz_v4 *v, const frz_v4 *impulse, bool may_let_go)
{
    const frz_mpm_contacts *contacts = &s->run->contacts;
    bool changed = false;
    for (int k = 0; k < contacts->count && may_let_go; ++k)
    {
        const frz_mpm_contact *c = &contacts->list[k];
        if (s->held[c->node] != 0 && !c->sticks && frz_v3_dot(frz_v3_of(impulse[c->node]), c->normal) < 0.0)
        {
            s->held[c->node] = 0;
            changed = true;
        }
    }
    for (int k = 0; k < contacts->count; ++k)
    {
        const frz_mpm_contact *c = &contacts->list[k];
        const frz_vec3 wall = wall_of(s->run, c), now = frz_v3_of(v[c->node]);
        const double into = frz_v3_dot(frz_v3_sub(wall, now), c->normal);
        if (s->held[c->node] == 2 || !(s->mass[c->node] > 0) || !(c->sticks || into > s->run->implicit->tolerance))
            continue;
        const bool all = c->sticks || s->held[c->node] == 1; // between several walls it does not move
        s->held[c->node] = all ? 2 : 1;
        s->normal[c->node] = frz_v4_of(c->normal);
        const frz_real mass = v[c->node][3];
        v[c->node] = frz_v4_of(all ? wall : frz_v3_mad(now, into, c->normal));
        v[c->node][3] = mass;
        changed = true;
    }
    return changed;
}

// Friction may take this from the nodes that walls hold along one face: mu times what they push with now.
// Nodes that it takes hold of are at rest beside the wall at first: from there Newton's method finds at once whether
// they slide, from beyond the kink of friction it does not find them to stick for long.
static void take_friction(problem *s, frz_v4 *v, const frz_v4 *impulse)
{
    const frz_mpm_contacts *contacts = &s->run->contacts;
    for (int k = 0; k < contacts->count; ++k)
    {
        const frz_mpm_contact *c = &contacts->list[k];
        if (s->held[c->node] != 1 || !(frz_v4_dot3(s->normal[c->node], frz_v4_of(c->normal)) > (frz_real)0.999))
            continue;
        const double push = frz_v3_dot(frz_v3_of(impulse[c->node]), c->normal);
        const bool fresh = !(s->friction[c->node] > 0) && push > 0.0;
        s->friction[c->node] = (frz_real)(c->friction * fmax(push, 0.0));
        s->wall[c->node] = frz_v4_of(wall_of(s->run, c));
        for (int a = 0; fresh && a < 3; ++a)
            v[c->node][a] = s->wall[c->node][a];
    }
}

// Friction at a node divided by the speed along the wall, and the energy of that force for the present push: below the
// least speed the force grows with it.
static frz_real friction_at(const problem *s, int n, frz_v4 v, frz_v4 *along, double *energy)
{
    if (s->held[n] != 1 || !(s->friction[n] > 0))
        return 0;
    const frz_v4 u = frz_v4_xyz(v - s->wall[n]);
    *along = u - frz_v4_dot3(u, s->normal[n]) * s->normal[n];
    const double speed = sqrt((double)frz_v4_dot3(*along, *along)), least = s->creep;
    *energy = (double)s->friction[n] * (speed > least ? speed - 0.5 * least : 0.5 * speed * speed / least);
    return s->friction[n] / (frz_real)fmax(speed, least);
}

// ---- Newton's method

typedef struct iterate
{
    frz_v4 *star, *v, *trial, *residual, *step, *right;
    double *partial;
} iterate;

static frz_status make_iterate(const problem *s, frz_arena *scratch, iterate *it, frz_diag *diag)
{
    frz_v4 **const all[] = {&it->star, &it->trial, &it->residual, &it->step, &it->right};
    for (int k = 0; k < 5; ++k)
    {
        *all[k] = FRZ_SCRATCH(scratch, s->nodes + 1, frz_v4);
        if (*all[k] == NULL)
            return frz_fail_memory(diag, "the implicit step of material points");
    }
    it->partial = FRZ_SCRATCH(scratch, frz_block_count(s->nodes) + 1, double);
    return it->partial != NULL ? FRZ_OK : frz_fail_memory(diag, "the implicit step of material points");
}

// m (v - v*) + dt sum V P F^T grad w, the impulse that walls must give; returns E.
static double residual_of(const problem *s, const iterate *it, const frz_v4 *v, frz_v4 *out)
{
    const double stored = force(s, v, false, out);
    frz_v4 *away = it->right;
#pragma omp parallel for schedule(static)
    for (int n = 0; n < s->nodes; ++n)
    {
        away[n] = frz_v4_xyz(v[n] - it->star[n]);
        out[n] += s->mass[n] * away[n];
    }
    double rubbed = 0.0;
    for (int k = 0; k < s->run->contacts.count; ++k)
    {
        const int n = s->run->contacts.list[k].node;
        frz_v4 along = frz_v4_zero();
        double part = 0.0;
        if (k > 0 && s->run->contacts.list[k - 1].node == n)
            continue;
        s->rubs[n] = friction_at(s, n, v[n], &along, &part);
        out[n] += s->rubs[n] * along;
        const double speed = sqrt((double)frz_v4_dot3(along, along));
        s->slides[n] = speed > s->creep ? along / (frz_real)speed : frz_v4_zero();
        rubbed += part;
    }
    return stored + rubbed + 0.5 * frz_cg_dot(s->nodes, away, away, s->mass, it->partial);
}

// right: the free part of the residual, negative.
static void take_right(const problem *s, const iterate *it)
{
#pragma omp parallel for schedule(static)
    for (int n = 0; n < s->nodes; ++n)
        it->right[n] = -let_go(s, n, it->residual[n]);
}

// Go along the step as far as E falls. Returns E there; the residual is that of the new velocities.
static double go(const problem *s, const iterate *it, double before)
{
    double part = 1.0, after = before;
    for (int k = 0; k < most_halvings; ++k)
    {
#pragma omp parallel for schedule(static)
        for (int n = 0; n < s->nodes; ++n)
            it->trial[n] = it->v[n] + (frz_real)part * it->step[n];
        after = residual_of(s, it, it->trial, it->residual);
        if (after <= before + 1e-6 * fabs(before))
            break;
        part *= 0.5;
    }
    memcpy(it->v, it->trial, (size_t)s->nodes * sizeof *it->v);
    return after;
}

static frz_status solve_step(const problem *s, const iterate *it, frz_diag *diag)
{
    const double norm = sqrt(frz_cg_dot(s->nodes, it->right, it->right, s->inverse, it->partial));
    const frz_cg cg = {.count = s->nodes,
                       .user = s,
                       .apply = apply,
                       .precondition = precondition,
                       .weight = s->inverse,
                       .tolerance = inner_tolerance * norm,
                       .max_iterations = most_conjugate,
                       .from_zero = true};
    frz_cg_report report;
    memset(it->step, 0, (size_t)s->nodes * sizeof *it->step);
    FRZ_TRY(frz_cg_solve(&cg, it->right, it->step, s->run->implicit->scratch, &report, diag));
    s->run->implicit->conjugate += report.iterations;
    return FRZ_OK;
}

static frz_status iterate_all(problem *s, const iterate *it, frz_diag *diag)
{
    frz_mpm_implicit *self = s->run->implicit;
    memset(it->residual, 0, (size_t)s->nodes * sizeof *it->residual);
    (void)hold(s, it->v, it->residual, false);
    double energy = residual_of(s, it, it->v, it->residual);
    for (int k = 0; k < FRZ_MPM_NEWTON_MAX; ++k)
    {
        const bool changed = hold(s, it->v, it->residual, k > 0 && k < free_changes);
        if (k > 0 && k < free_changes)
            take_friction(s, it->v, it->residual);
        if (changed || (k > 0 && k < free_changes))
            energy = residual_of(s, it, it->v, it->residual);
        take_right(s, it);
        self->newton += 1;
        FRZ_TRY(solve_step(s, it, diag));
        // kinetic and elastic energy of the change of velocities, as a velocity of all mass
        const double square = frz_cg_dot(s->nodes, it->right, it->step, NULL, it->partial) / s->total;
        if (!isfinite(square))
            break;
        energy = go(s, it, energy);
        if (square <= self->tolerance * self->tolerance && (k >= free_changes || !changed))
            return FRZ_OK;
    }
    return frz_fail(diag, FRZ_ERR_DIVERGED, "the implicit step of material points does not converge");
}

frz_status frz_mpm_implicit_solve(frz_mpm_run *run, double dt, frz_diag *diag)
{
    problem s;
    iterate it = {.v = run->grid.node};
    frz_arena *scratch = run->implicit->scratch;
    const frz_arena_mark mark = frz_arena_here(scratch);
    FRZ_TRY(make_problem(run, dt, &s, diag));
    FRZ_TRY(make_iterate(&s, scratch, &it, diag));
    memcpy(it.star, it.v, (size_t)s.nodes * sizeof *it.v);
    FRZ_TRY(iterate_all(&s, &it, diag));
    frz_arena_release(scratch, mark);
    return FRZ_OK;
}
