// SPDX-License-Identifier: MIT
#include "mpm/substep.h"

#include <math.h>
#include <string.h>

#include "mpm/implicit.h"

// Masses and momenta of points, summed at the nodes.
typedef enum kind_of_load
{
    load_plain,  // momentum
    load_outer,  // with the forces of the substep but stress
    load_forced, // with all of them
    load_places  // where they are
} kind_of_load;

// Momentum of a group with the forces of that kind.
static void load_of(const frz_mpm_run *run, frz_mpm_group *g, double dt, kind_of_load kind, frz_mpm_load *load)
{
    const bool forced = kind != load_plain, strained = kind == load_forced;
    const frz_mpm_material *material = &run->materials[g->material];
    const frz_mpm_space *space = &run->grid.space;
    frz_wide3 tau;
    if (strained)
        frz_mpm_stress(material, dt, g, &tau);
    const frz_w8 fade = frz_w8_splat((frz_real)(1.0 - material->damping * dt));
    for (int i = 0; i < 3; ++i)
    {
        load->momentum[i] = g->mass * (forced ? fade * g->v[i] + frz_w8_splat((frz_real)dt) * g->a[i] : g->v[i]);
        for (int j = 0; j < 3; ++j)
        {
            const double cell = j < space->dimension ? space->cell[j] : 1.0;
            load->slope.m[i][j] = frz_w8_splat(0);
            if (run->transfer == FRZ_MPM_APIC || run->transfer == FRZ_MPM_AFLIP)
                load->slope.m[i][j] = frz_w8_splat((frz_real)cell) * g->mass * g->c.m[i][j];
            // lanes without a point have no stress: theirs is that of F = I
            load->push.m[i][j] = frz_w8_splat(0);
            if (strained)
                load->push.m[i][j] = frz_w8_splat((frz_real)(-dt * material->volume / cell)) * tau.m[i][j];
        }
    }
}

// After the division by masses: the mean way from a node to the points that reach it, m.
static void places_of(const frz_mpm_run *run, const frz_mpm_group *g, frz_mpm_load *load)
{
    memset(load, 0, sizeof *load);
    for (int a = 0; a < run->grid.space.dimension; ++a)
        load->slope.m[a][a] = frz_w8_splat((frz_real)-run->grid.space.cell[a]) * g->mass;
}

static bool spread_block(frz_mpm_run *run, int b, double dt, kind_of_load kind, int *culprit)
{
    const frz_mpm_grid *grid = &run->grid;
    frz_v4 *window = grid->spread + (size_t)b * (size_t)grid->window_nodes;
    bool inside = true;
    memset(window, 0, (size_t)grid->window_nodes * sizeof *window);
    for (int n = grid->block[b].first; n < grid->block[b].end; ++n)
    {
        frz_mpm_load load;
        if (kind == load_places)
            places_of(run, &grid->group[n], &load);
        else
            load_of(run, &grid->group[n], dt, kind, &load);
        const bool here = frz_mpm_scatter(grid, &grid->group[n], &load, window);
        if (!here && inside)
            *culprit = grid->group[n].slot[0];
        inside = inside && here;
    }
    return inside;
}

static frz_status spread(frz_mpm_run *run, double dt, kind_of_load kind, int *culprit, frz_diag *diag)
{
    int bad = run->grid.block_count, slot = -1;
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < run->grid.block_count; ++b)
    {
        int who = -1;
        if (!spread_block(run, b, dt, kind, &who))
#pragma omp critical(frz_mpm_escape)
            if (b < bad) // the lowest one, whichever thread came first
            {
                bad = b;
                slot = who;
            }
    }
    *culprit = slot;
    return slot < 0 ? FRZ_OK : frz_fail(diag, FRZ_ERR_DIVERGED, "a material point moves by more than a cell in a step");
}

static void divide(frz_v4 *node, int count)
{
    for (int n = 0; n < count; ++n)
    {
        const frz_real mass = node[n][3];
        if (mass > 0)
        {
            node[n] *= 1 / mass;
            node[n][3] = mass;
        }
    }
}

static void settle_nodes(frz_mpm_run *run, frz_v4 *to, bool forced)
{
    const frz_mpm_grid *grid = &run->grid;
#pragma omp parallel for schedule(dynamic, 8)
    for (int b = 0; b < grid->nodes_count; ++b)
    {
        frz_v4 *node = to + (size_t)b * (size_t)grid->block_nodes;
        frz_mpm_reduce(grid, b, node);
        divide(node, grid->block_nodes);
        if (forced)
            frz_mpm_contacts_hold(grid, b, run->obstacles, &run->contacts);
    }
    if (forced && run->contacts.any_yields)
        frz_mpm_contacts_solve(grid, run->obstacles, &run->contacts);
}

static void move_group(const frz_mpm_run *run, frz_mpm_group *g, const frz_w8 v[3], const frz_w8 before[3],
                       const frz_wide3 *gradient, double dt)
{
    const frz_mpm_space *space = &run->grid.space;
    const frz_w8 step = frz_w8_splat((frz_real)dt), share = frz_w8_splat((frz_real)run->kept);
    // F <- (I + dt L) F: e <- e + dt (M + M^T) + dt^2 M L^T with M = L (I + e)
    frz_wide3 e = frz_mpm_strain(g), m = frz_wide3_mul(gradient, &e);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m.m[i][j] += gradient->m[i][j];
    const frz_wide3 square = frz_wide3_mul_right(&m, gradient);
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            e.m[i][j] = e.m[j][i] = e.m[i][j] + step * (m.m[i][j] + m.m[j][i] + step * square.m[i][j]);
    frz_mpm_set_strain(g, &e);
    for (int i = 0; i < 3; ++i)
    {
        if (run->transfer == FRZ_MPM_FLIP || run->transfer == FRZ_MPM_AFLIP)
            g->v[i] = v[i] + share * (g->v[i] - before[i]);
        else
            g->v[i] = v[i];
        g->way[i] += step * v[i];
        if (i < space->dimension)
            g->x[i] += frz_w8_splat((frz_real)(dt / space->cell[i])) * v[i];
    }
}

static void return_block(const frz_mpm_run *run, int b, double dt)
{
    const frz_mpm_grid *grid = &run->grid;
    frz_v4 now[FRZ_MPM_WINDOW_MAX], former[FRZ_MPM_WINDOW_MAX];
    frz_mpm_collect(grid, grid->node, b, now);
    if (grid->before != NULL)
        frz_mpm_collect(grid, grid->before, b, former);
    for (int n = grid->block[b].first; n < grid->block[b].end; ++n)
    {
        frz_mpm_group *g = &grid->group[n];
        frz_w8 v[3], before[3];
        frz_wide3 affine, gradient;
        frz_mpm_gather(grid, g, now, v, &affine, &gradient);
        if (grid->before != NULL)
            frz_mpm_gather(grid, g, former, before, NULL, NULL);
        move_group(run, g, v, before, &gradient, dt);
        g->c = affine;
    }
}

frz_status frz_mpm_substep(frz_mpm_run *run, double dt, int *culprit, frz_diag *diag)
{
    if (run->grid.before != NULL)
    {
        FRZ_TRY(spread(run, dt, load_plain, culprit, diag));
        settle_nodes(run, run->grid.before, false);
    }
    FRZ_TRY(spread(run, dt, run->implicit != NULL ? load_outer : load_forced, culprit, diag));
    settle_nodes(run, run->grid.node, run->implicit == NULL);
    if (run->implicit != NULL)
        FRZ_TRY(frz_mpm_implicit_solve(run, dt, diag));
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < run->grid.block_count; ++b)
        return_block(run, b, dt);
    return FRZ_OK;
}

frz_status frz_mpm_weigh(frz_mpm_run *run, frz_diag *diag)
{
    int culprit;
    FRZ_TRY(spread(run, 0.0, load_places, &culprit, diag));
    settle_nodes(run, run->grid.node, false);
    run->grid.weighed = true;
    return FRZ_OK;
}

// ---- points in bodies

static frz_vec3 lane_of(const frz_w8 x[3], int l)
{
    return frz_v3((double)x[0][l], (double)x[1][l], (double)x[2][l]);
}

static void set_lane(frz_w8 x[3], int l, frz_vec3 v)
{
    x[0][l] = (frz_real)v.x;
    x[1][l] = (frz_real)v.y;
    x[2][l] = (frz_real)v.z;
}

// Where a point is at the end of the step, m.
static frz_vec3 end_of(const frz_mpm_grid *grid, const frz_mpm_block *block, const frz_mpm_group *g, int l)
{
    double x[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < grid->space.dimension; ++a)
        x[a] = grid->space.origin[a] + grid->space.cell[a] * ((double)block->at[a] * FRZ_MPM_EDGE + (double)g->x[a][l]);
    return frz_v3(x[0], x[1], x[2]);
}

// Whether an obstacle is so thin behind a place on its surface that no node may be in it.
static bool is_thin(const frz_mpm_obstacle *o, frz_vec3 surface, frz_vec3 normal, double cell)
{
    frz_vec3 ignored;
    return frz_mpm_obstacle_distance(o, frz_v3_mad(surface, -cell, normal), cell, &ignored) > -0.5 * cell;
}

// How deep a point may be in an obstacle. Nodes in a wall hold points, and where that begins depends on where the first
// one is, to half a cell.
static double most_depth(const frz_mpm_obstacle *o, frz_vec3 surface, frz_vec3 normal, double cell)
{
    return is_thin(o, surface, normal, cell) ? 0.0 : 0.5 * cell;
}

// How far a point is to be moved back along which normal. One that has come past the middle of a thin wall, or through
// it, has to go back where it came from.
static double way_back(const frz_mpm_obstacle *o, frz_vec3 place, frz_vec3 way, double cell, frz_vec3 *normal)
{
    const double distance = frz_mpm_obstacle_distance(o, place, cell, normal), length = frz_v3_length(way);
    if (distance < length)
    {
        frz_vec3 first, ignored;
        const double before = frz_mpm_obstacle_distance(o, frz_v3_sub(place, way), cell, &first);
        const frz_vec3 middle = frz_v3_mad(place, -0.5, way);
        if (before > 0.0 && before < length && frz_v3_dot(first, *normal) < 0.0 &&
            (distance < 0.0 || frz_mpm_obstacle_distance(o, middle, cell, &ignored) < 0.0))
        {
            *normal = first;
            return -frz_v3_dot(way, first);
        }
    }
    if (!(distance < 0.0))
        return 0.0;
    return -distance - most_depth(o, frz_v3_mad(place, -distance, *normal), *normal, cell);
}

static void catch_point(frz_mpm_run *run, const frz_mpm_block *block, frz_mpm_group *g, int l, frz_mpm_obstacle *o)
{
    frz_vec3 normal;
    const frz_vec3 place = end_of(&run->grid, block, g, l);
    const double depth = way_back(o, place, lane_of(g->way, l), run->grid.space.cell[0], &normal);
    if (!(depth > 0.0))
        return;
    const frz_vec3 v = lane_of(g->v, l), wall = frz_rigid_body_velocity_at(o->body, place);
    const double into = -frz_v3_dot(frz_v3_sub(v, wall), normal);
    set_lane(g->way, l, frz_v3_mad(lane_of(g->way, l), depth, normal));
    if (!(into > 0.0))
        return;
    const frz_vec3 kick = frz_v3_scale(into, normal);
    set_lane(g->v, l, frz_v3_add(v, kick));
    if (o->yields)
        frz_mpm_obstacle_push(o, place, frz_v3_scale(-(double)g->mass[l], frz_v3_sub(lane_of(g->v, l), v)));
}

static void catch_block(frz_mpm_run *run, int b, bool yields)
{
    const frz_mpm_grid *grid = &run->grid;
    const frz_mpm_block *block = &grid->block[b];
    double radius = 0.0, middle[3] = {0.0, 0.0, 0.0};
    frz_vec3 normal;
    for (int a = 0; a < 3 && a < grid->space.dimension; ++a)
    {
        const double half = (0.5 * FRZ_MPM_EDGE + 1.0) * grid->space.cell[a];
        middle[a] = grid->space.origin[a] + grid->space.cell[a] * block->at[a] * FRZ_MPM_EDGE + half;
        radius += half * half;
    }
    radius = sqrt(radius) + grid->space.cell[0];
    const frz_vec3 center = frz_v3(middle[0], middle[1], middle[2]);
    for (int n = 0; n < run->obstacle_count; ++n)
    {
        frz_mpm_obstacle *o = &run->obstacles[n];
        if (o->shape == NULL || o->yields != yields || frz_mpm_obstacle_distance(o, center, radius, &normal) > radius)
            continue;
        for (int k = block->first; k < block->end; ++k)
            for (int l = 0; l < grid->group[k].count; ++l)
                catch_point(run, block, &grid->group[k], l, o);
    }
}

void frz_mpm_catch(frz_mpm_run *run)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int b = 0; b < run->grid.block_count; ++b)
        catch_block(run, b, false);
    for (int b = 0; run->contacts.any_yields && b < run->grid.block_count; ++b)
        catch_block(run, b, true);
}
