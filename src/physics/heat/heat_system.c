// SPDX-License-Identifier: MIT
#include "physics/heat/heat_system.h"

#include <math.h>
#include <string.h>

#include "sim/neighborhood.h"
#include "sim/state_solids.h"
#include "space/search.h"
#include "sph/shear_weight.h"

// particles pressed closer to a wall than this are taken to be there; spacings, half the distance at rest
static const double nearest = 0.25;
// density missing from a particle, as a part of the rest density: up to the first it is disorder of a liquid, from the
// second on surface
static const double calm = 0.05, bare = 0.1;
// W/(m^2 K^4), CODATA 2018
static const double stefan_boltzmann = 5.670374419e-8;

typedef struct box
{
    frz_v4 low, high; // high is below low: empty
} box;

// Input of the passes that make the system.
typedef struct pass
{
    const frz_model *model;
    frz_state *state;
    frz_shear_weight weight, bond_weight; // bonds reach less far
    const frz_real *conductivity;         // by particle
    double unit;                          // s^(d-2)
    double wall_unit;                     // of a sample with the volume 1
    double flux_unit;                     // area of a wall that a sample of volume 1 with weight 1 stands for
    const box *boxes;                     // by body: of the particles of rigid bodies; null: there is at most one
    double *trace;                        // by particle: sum of the moments of its links
    double surface_unit;                  // area of the surface per missing density
} pass;

// A link to j at a distance squared, which waits in the place of its moment for weigh_links.
static inline void put_link(const frz_heat_system *s, int64_t at, int j, frz_real square)
{
    s->other[at] = (uint32_t)j;
    s->moment[at] = square;
}

// Conductances and moments of links from a particle with conductivity a. No branches and no calls: several at a time.
static void weigh(frz_shear_weight weight, frz_real unit, frz_real a, const frz_real *restrict conductivity,
                  const uint32_t *restrict other, frz_real *restrict conductance, frz_real *restrict moment,
                  int64_t count)
{
    for (int64_t k = 0; k < count; ++k)
    {
        const frz_real square = moment[k], b = conductivity[other[k]], sum = a + b;
        const frz_real mean = sum > 0 ? 2 * (a * b) / sum : 0; // of two resistances in series
        const frz_real share = unit * frz_shear_weight_at(&weight, square);
        conductance[k] = share * mean;
        moment[k] = share * square;
    }
}

// The same of the links first..end of particle i.
static void weigh_links(const pass *p, const frz_shear_weight *weight, int i, const frz_heat_system *s, int64_t first,
                        int64_t end)
{
    weigh(*weight, (frz_real)(p->unit * weight->plain), p->conductivity[i], p->conductivity, s->other + first,
          s->conductance + first, s->moment + first, end - first);
}

// ---- constants of the lattice

// Weights of all particles of a half space that a flat wall of samples sees: one sample has this much of the area of a
// face.
static double wall_sum(const frz_model *model, const frz_shear_weight *weight)
{
    const double s = model->spacing;
    const int reach = (int)ceil(model->support / s), depth = model->dimension == 3 ? reach : 0;
    double sum = 0.0;
    for (int k = -depth; k <= depth; ++k)
        for (int i = -reach; i <= reach; ++i)
            for (int j = 1; j <= reach; ++j)
                sum += (double)frz_shear_weight_at(weight, (frz_real)(s * s * (double)(i * i + j * j + k * k)));
    return sum;
}

// What of the missing density of a particle is surface. The sum of what all particles lack is a double integral of the
// kernel over inside and outside: the area, without an error of first order in the curvature. It stays linear where
// there is a surface: a threshold taken off instead counts rough and curved surfaces by half too much.
static double surface_part(double missing)
{
    return missing * fmin(fmax((missing - calm) / (bare - calm), 0.0), 1.0);
}

// Density that the layers of a lattice lack under a flat free surface, summed over the layers.
static double missing_sum(const frz_model *model)
{
    const double s = model->spacing;
    const int reach = (int)ceil(model->support / s), depth = model->dimension == 3 ? reach : 0;
    double total = 0.0;
    for (int layer = 0; layer < reach; ++layer)
    {
        double missing = 0.0;
        for (int k = -depth; k <= depth; ++k)
            for (int i = -reach; i <= reach; ++i)
                for (int j = layer + 1; j <= reach; ++j)
                    missing += model->particle_volume *
                               frz_kernel_value(&model->kernel, s * sqrt((double)(i * i + j * j + k * k)));
        total += surface_part(missing);
    }
    return total;
}

// ---- links

// Number of a solid particle, -1: liquid
static int number_of(const frz_state *state, int i)
{
    return state->solids.count > 0 ? state->solids.index_of_slot[i] : -1;
}

static int64_t add_pairs(const pass *p, int i, frz_heat_system *s, int64_t at)
{
    const frz_pairs *pairs = &p->state->neighbors.pairs;
    const frz_v4 *position = frz_field_v4(&p->state->particles, FRZ_FIELD_ID_position);
    const uint32_t *index = pairs->blocks[i / FRZ_BLOCK].index;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)index[k];
        if (j == i) // padding
            continue;
        const frz_v4 x = frz_minimum_image(&p->state->neighbors.grid, position[i] - position[j]);
        put_link(s, at++, j, frz_v4_dot3(x, x));
    }
    return at;
}

// The rest vector of a bond, the same in bits from both ends up to its sign: that of the end with the lower number, as
// the two differ by roundings at a seam. That of a tie is kept by its elastic end only.
static frz_v4 rest_of(const frz_state *state, int number, int64_t k)
{
    const frz_bonds *bonds = &state->bonds;
    const int far = (int)bonds->other[k];
    if (!frz_bonds_is_tie(bonds, number, k))
        return number < far ? frz_bonds_rest(bonds, number, k) : frz_bonds_rest_far(bonds, number, k);
    if (state->solids.body_phase[bonds->body[number]] == FRZ_PHASE_ELASTIC)
        return frz_bonds_rest(bonds, number, k);
    int64_t back = bonds->begin[far];
    while ((int)bonds->other[back] != number)
        ++back;
    return frz_bonds_rest(bonds, far, back);
}

static int64_t add_bonds(const pass *p, int number, frz_heat_system *s, int64_t at)
{
    const frz_bonds *bonds = &p->state->bonds;
    for (int64_t k = bonds->begin[number]; k < bonds->begin[number + 1]; ++k)
    {
        const int far = (int)bonds->other[k];
        if (far == number || !(bonds->weight[k] > 0) || p->state->solids.slot[far] < 0)
            continue;
        const int j = p->state->solids.slot[far];
        const frz_v4 d = rest_of(p->state, number, k);
        put_link(s, at++, j, frz_v4_dot3(d, d));
    }
    return at;
}

// Whether a particle of a rigid body is near the bounds of another one.
static bool is_near_others(const pass *p, int i, frz_v4 x)
{
    const int own = frz_field_i32(&p->state->particles, FRZ_FIELD_ID_body)[i];
    const frz_real reach = (frz_real)p->model->support;
    bool near = false;
    for (int b = 0; b < p->state->bodies.count && !near; ++b)
    {
        const box *o = &p->boxes[b];
        near = b != own && o->low[0] <= o->high[0];
        for (int a = 0; a < p->model->dimension && near; ++a)
            near = p->state->neighbors.grid.periodic[a] || (x[a] >= o->low[a] - reach && x[a] <= o->high[a] + reach);
    }
    return near;
}

// All particles within the support of i.
static int find_near(const pass *p, int i, frz_v4 x, frz_found *found)
{
    const frz_cell_list *cells = &p->state->neighbors.free_cells;
    const frz_real here[3] = {x[0], x[1], x[2]};
    frz_cell_run runs[FRZ_RUN_MAX];
    const int run_count = frz_cell_runs_at(&p->state->neighbors.grid, cells, here, runs);
    return frz_search(cells, runs, run_count, here, (frz_real)p->model->support, i, found);
}

// Rigid bodies that touch each other are no pairs of the pressure solve. Counts only if s is null.
static int64_t add_rigid(const pass *p, int i, int number, frz_heat_system *s, int64_t at)
{
    const frz_state *state = p->state;
    const frz_exclusion *solids = &state->solids.exclusion;
    if (p->boxes == NULL || !(solids->reference_by_slot[i][3] > 0) || state->solids.core[number])
        return at;
    const frz_v4 x = frz_field_v4(&state->particles, FRZ_FIELD_ID_position)[i];
    if (!is_near_others(p, i, x))
        return at;
    frz_found found;
    const int near = find_near(p, i, x, &found);
    for (int n = 0; n < near; ++n)
    {
        const int j = frz_lane_index(found.lane[n]);
        if (!(solids->reference_by_slot[j][3] > 0) || solids->group[i] == solids->group[j])
            continue;
        if (s != NULL)
            put_link(s, at, j, found.dx[n] * found.dx[n] + found.dy[n] * found.dy[n] + found.dz[n] * found.dz[n]);
        at += 1;
    }
    return at;
}

// Material points have no pairs with each other and with rigid bodies: their grid does what pairs do for others. Counts
// only if s is null.
static int64_t add_points(const pass *p, int i, frz_heat_system *s, int64_t at)
{
    const frz_state *state = p->state;
    const uint8_t *phase = frz_particles_phase(&state->particles);
    const bool *point = state->attempt.points.is_one;
    if (point == NULL || !(point[i] || phase[i] == FRZ_PHASE_RIGID))
        return at;
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    frz_found found;
    const int near = find_near(p, i, position[i], &found);
    for (int n = 0; n < near; ++n)
    {
        const int j = frz_lane_index(found.lane[n]);
        if (!(point[i] ? point[j] || phase[j] == FRZ_PHASE_RIGID : point[j]))
            continue;
        const frz_v4 x = frz_minimum_image(&state->neighbors.grid, position[i] - position[j]);
        if (s != NULL)
            put_link(s, at, j, frz_v4_dot3(x, x));
        at += 1;
    }
    return at;
}

// ---- free sides

// A particle at a free side lacks neighbours along the surface too: of what it should conduct there it conducts a share
// of one half to one. With n across the surface, t the angle of a link to it and q = g r^2 / (2 s^d), of which the sum
// is d inside, its links along the surface are strengthened so that the sum of q sin^2 t is d - 1 again:
//
//     K_ij (1 + (c_i sin^8 t_i + c_j sin^8 t_j) / 2),     c = (d - 1 - sum q sin^2 t) / sum q sin^10 t
//
// The high power spares links that lead across: the way of heat into the matter must not become shorter.
// Where one end of a link has no free side, half of c goes to a layer that needs none, and as much of that layer's part
// is missing here: together they conduct what they should. Without it a rod of ten layers conducts 5 % less than it
// should, an error of first order in the spacing.

// of the sum of q at least, of a particle that has all its neighbours
static const double whole = 0.97;
// c at most: of single particles and threads
static const double most_strength = 2.0;

// sin^8 from sin^2
static double eighth_power(double sine)
{
    return sine * sine * sine * sine;
}

// By particle: unit normal, and c in its spare lane; and whether a link of it is strengthened.
static void look_for_sides(const pass *p, const frz_heat_system *s, frz_v4 *side, uint8_t *concerned)
{
    const frz_v4 *position = frz_field_v4(&p->state->particles, FRZ_FIELD_ID_position);
    const int dimension = p->model->dimension;
    const double unit = 1.0 / (2.0 * p->model->cell);
#pragma omp parallel for schedule(dynamic, FRZ_BLOCK) if (s->count >= frz_parallel_some)
    for (int i = 0; i < s->count; ++i)
    {
        frz_v4 lean = frz_v4_zero();
        side[i] = lean;
        if (p->trace[i] >= whole * dimension || !(p->trace[i] > 0.0))
            continue;
        for (int64_t k = s->begin[i]; k < s->end[i]; ++k)
        {
            const frz_v4 x = frz_minimum_image(&p->state->neighbors.grid, position[s->other[k]] - position[i]);
            const frz_real square = frz_v4_dot3(x, x);
            lean += square > 0 ? s->moment[k] / square * x : frz_v4_zero();
        }
        const frz_real length = (frz_real)sqrt((double)frz_v4_dot3(lean, lean));
        if (!(length > 0))
            continue;
        const frz_v4 n = lean / length;
        double along = 0.0, strong = 0.0;
        for (int64_t k = s->begin[i]; k < s->end[i]; ++k)
        {
            const frz_v4 x = frz_minimum_image(&p->state->neighbors.grid, position[s->other[k]] - position[i]);
            const frz_real square = frz_v4_dot3(x, x), across = frz_v4_dot3(n, x);
            const double sine = square > 0 ? 1.0 - (double)(across * across / square) : 0.0;
            along += unit * (double)s->moment[k] * sine;
            strong += unit * (double)s->moment[k] * sine * eighth_power(sine);
        }
        side[i] = frz_v4_xyz(n);
        side[i][3] = strong > 0.0 ? (frz_real)fmin(fmax(dimension - 1 - along, 0.0) / strong, most_strength) : 0;
        for (int64_t k = s->begin[i]; k < s->end[i] && side[i][3] != 0; ++k)
            __atomic_store_n(&concerned[s->other[k]], 1, __ATOMIC_RELAXED);
        if (side[i][3] != 0)
            __atomic_store_n(&concerned[i], 1, __ATOMIC_RELAXED);
    }
}

static inline frz_real strength_of(frz_v4 side, frz_v4 way, frz_real square)
{
    if (side[3] == 0)
        return 0;
    const frz_real across = frz_v4_dot3(side, way);
    return side[3] * (frz_real)eighth_power(1.0 - (double)(across * across / square));
}

// Factors of the conductances; they have the same bits from both ends.
static void conduct_along_sides(const pass *p, const frz_heat_system *s, const frz_v4 *side, const uint8_t *concerned)
{
    const frz_v4 *position = frz_field_v4(&p->state->particles, FRZ_FIELD_ID_position);
#pragma omp parallel for schedule(dynamic, FRZ_BLOCK) if (s->count >= frz_parallel_some)
    for (int i = 0; i < s->count; ++i)
    {
        double sum = 0.0;
        if (concerned[i] == 0)
            continue;
        for (int64_t k = s->begin[i]; k < s->end[i]; ++k)
        {
            const int j = (int)s->other[k];
            if (side[i][3] != 0 || side[j][3] != 0)
            {
                const int low = i < j ? i : j, high = i < j ? j : i; // products and sums round the same way
                const frz_v4 x = frz_minimum_image(&p->state->neighbors.grid, position[high] - position[low]);
                const frz_real square = frz_v4_dot3(x, x);
                const frz_real more =
                    square > 0 ? strength_of(side[low], x, square) + strength_of(side[high], x, square) : 0;
                s->conductance[k] *= 1 + (frz_real)0.5 * (more > 0 ? more : 0);
            }
            sum += (double)s->conductance[k];
        }
        s->diagonal[i] = sum;
    }
}

static frz_status strengthen_sides(const pass *p, frz_heat_system *s, frz_diag *diag)
{
    frz_v4 *side = FRZ_SCRATCH(&p->state->scratch, s->count + 1, frz_v4);
    uint8_t *concerned = FRZ_SCRATCH(&p->state->scratch, s->count + 1, uint8_t);
    if (side == NULL || concerned == NULL)
        return frz_fail_memory(diag, "the conduction of heat");
    memset(concerned, 0, (size_t)s->count);
    look_for_sides(p, s, side, concerned);
    conduct_along_sides(p, s, side, concerned);
    return FRZ_OK;
}

// Sums over the links of a particle, while they are at hand.
static void sum_links(const pass *p, const frz_heat_system *s, int i)
{
    const double unit = 1.0 / (2.0 * p->model->cell);
    double trace = 0.0, sum = 0.0;
    for (int64_t k = s->begin[i]; k < s->end[i]; ++k)
    {
        trace += unit * (double)s->moment[k];
        sum += (double)s->conductance[k];
    }
    p->trace[i] = trace;
    s->diagonal[i] = sum;
}

static frz_status make_links(const pass *p, frz_heat_system *s, frz_diag *diag)
{
    frz_state *state = p->state;
    const int count = s->count;
    s->begin = FRZ_SCRATCH(&state->scratch, count + 1, int64_t);
    s->end = FRZ_SCRATCH(&state->scratch, count + 1, int64_t);
    if (s->begin == NULL || s->end == NULL)
        return frz_fail_memory(diag, "the conduction of heat");
#pragma omp parallel for schedule(static) if (count >= frz_parallel_some)
    for (int i = 0; i < count; ++i)
    {
        const int number = number_of(state, i);
        s->end[i] = (int64_t)state->neighbors.pairs.end[i] - (int64_t)state->neighbors.pairs.begin[i];
        if (number >= 0)
            s->end[i] =
                add_rigid(p, i, number, NULL, s->end[i]) + state->bonds.begin[number + 1] - state->bonds.begin[number];
        s->end[i] = add_points(p, i, NULL, s->end[i]);
    }
    int64_t total = 0;
    for (int i = 0; i < count; ++i)
    {
        s->begin[i] = total;
        total += s->end[i];
    }
    s->other = FRZ_SCRATCH(&state->scratch, total + 1, uint32_t);
    s->conductance = FRZ_SCRATCH(&state->scratch, total + 1, frz_real);
    s->moment = FRZ_SCRATCH(&state->scratch, total + 1, frz_real);
    if (s->other == NULL || s->conductance == NULL || s->moment == NULL)
        return frz_fail_memory(diag, "the conduction of heat");
#pragma omp parallel for schedule(dynamic, FRZ_BLOCK) if (count >= frz_parallel_some)
    for (int i = 0; i < count; ++i)
    {
        const int number = number_of(state, i);
        int64_t at = add_pairs(p, i, s, s->begin[i]);
        weigh_links(p, &p->weight, i, s, s->begin[i], at);
        if (number >= 0)
        {
            const int64_t bonds = at, touching = add_bonds(p, number, s, at);
            weigh_links(p, &p->bond_weight, i, s, bonds, touching);
            at = add_rigid(p, i, number, s, touching);
            weigh_links(p, &p->weight, i, s, touching, at);
        }
        const int64_t points = at;
        at = add_points(p, i, s, points);
        weigh_links(p, &p->weight, i, s, points, at);
        s->end[i] = at;
        sum_links(p, s, i);
    }
    return strengthen_sides(p, s, diag);
}

// ---- ports

static frz_status open_port(frz_state *state, frz_heat_system *s, frz_heat_port port, frz_diag *diag)
{
    s->gain[port] = FRZ_SCRATCH(&state->scratch, s->count + 1, double);
    s->loss[port] = FRZ_SCRATCH(&state->scratch, s->count + 1, double);
    if (s->gain[port] == NULL || s->loss[port] == NULL)
        return frz_fail_memory(diag, "the exchange of heat");
    memset(s->gain[port], 0, (size_t)s->count * sizeof(double));
    memset(s->loss[port], 0, (size_t)s->count * sizeof(double));
    return FRZ_OK;
}

// Walls that particle i sees; returns the area of walls that it stands for, in faces.
// A surface lies half a spacing before its samples. A profile that is linear between the particle and the surface goes
// on to the sample; with a heat transfer coefficient h it reaches the given temperature k / h behind the surface.
static double add_walls(const pass *p, int i, const frz_heat_system *s)
{
    const frz_state *state = p->state;
    const int first = state->particles.first[FRZ_ROLE_SAMPLE];
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body) + first;
    const frz_real *volume = frz_field_real(&state->particles, FRZ_FIELD_ID_volume) + first;
    const frz_v4 x = frz_field_v4(&state->particles, FRZ_FIELD_ID_position)[i];
    const frz_real here[3] = {x[0], x[1], x[2]};
    const double spacing = p->model->spacing, half = 0.5 * spacing, conductivity = (double)p->conductivity[i];
    double area = 0.0;
    frz_cell_run runs[FRZ_RUN_MAX];
    frz_found found;
    const int run_count = frz_cell_runs_at(&state->neighbors.grid, &state->neighbors.sample_cells, here, runs);
    const int near = run_count > 0 ? frz_search(&state->neighbors.sample_cells, runs, run_count, here,
                                                (frz_real)p->model->support, -1, &found)
                                   : 0;
    for (int n = 0; n < near; ++n)
    {
        const int slot = state->neighbors.sample_cells.index[frz_lane_index(found.lane[n])];
        const frz_wall_heat *wall = &p->model->bodies[body[slot]].wall;
        const frz_v4 d = frz_v4_set(found.dx[n], found.dy[n], found.dz[n], 0);
        const double depth = (double)frz_v4_dot3(d, state->samples.normal[slot]);
        if (depth <= 0.0) // a face that looks elsewhere
            continue;
        const double share = (double)volume[slot] * (double)frz_shear_weight_at(&p->weight, frz_v4_dot3(d, d));
        area += p->flux_unit * share;
        s->gain[FRZ_HEAT_WALLS][i] += wall->flux * p->model->face * p->flux_unit * share;
        if (!wall->has_temperature)
            continue;
        const double above = fmax(depth - half, nearest * spacing);
        const double behind = wall->transfer > 0.0 ? conductivity / wall->transfer : 0.0;
        const double rate = p->wall_unit * conductivity * share * (above + half) / (above + behind);
        s->loss[FRZ_HEAT_WALLS][i] += rate;
        s->gain[FRZ_HEAT_WALLS][i] += rate * wall->temperature;
    }
    return area;
}

// Area of the free surface of a particle, from the density that it lacks; exact for a flat lattice.
static double surface_of(const pass *p, int i)
{
    const frz_real *compression = frz_field_real(&p->state->particles, FRZ_FIELD_ID_compression);
    return p->model->face * p->surface_unit * surface_part(1.0 - (double)compression[i]);
}

// Radiation is linearised about the temperature at the start of the step.
static void add_surface(const pass *p, int i, double area, const frz_heat_system *s)
{
    const int material = frz_particles_material(&p->state->particles)[i];
    const frz_thermal *thermal = frz_model_method(p->model, FRZ_SLOT_HEAT, material)->self;
    const double T = s->temperature[i], air = p->model->ambient;
    const double radiation = area * thermal->emissivity * stefan_boltzmann;
    const double slope = 4.0 * radiation * T * T * T, convection = area * thermal->convection;
    s->loss[FRZ_HEAT_SURFACE][i] = convection + slope;
    s->gain[FRZ_HEAT_SURFACE][i] = convection * air + radiation * (air * air * air * air - T * T * T * T) + slope * T;
}

static void add_regions(const frz_model *model, const frz_state *state, int i, const frz_heat_system *s)
{
    const frz_v4 x = frz_field_v4(&state->particles, FRZ_FIELD_ID_position)[i];
    const uint8_t *material = frz_particles_material(&state->particles);
    for (int r = 0; r < model->region_count; ++r)
    {
        const frz_region *region = &model->regions[r];
        if (region->action != FRZ_REGION_HEAT || !frz_schedule_is_on(&region->schedule, state->time) ||
            (region->material >= 0 && region->material != material[i]) ||
            !frz_region_contains(model, region, frz_v3_of(x)))
            continue;
        const double rate = s->mass[i] * s->curve[i]->liquid * region->rate;
        s->gain[FRZ_HEAT_REGIONS][i] += model->cell * region->power + rate * region->temperature;
        s->loss[FRZ_HEAT_REGIONS][i] += rate;
    }
}

static bool any_region(const frz_model *model, const frz_state *state)
{
    bool any = false;
    for (int r = 0; r < model->region_count; ++r)
        any = any || (model->regions[r].action == FRZ_REGION_HEAT &&
                      frz_schedule_is_on(&model->regions[r].schedule, state->time));
    return any;
}

static bool any_wall(const frz_model *model)
{
    bool any = false;
    for (int b = 0; b < model->body_count; ++b)
        any = any || (model->bodies[b].role == FRZ_ROLE_SAMPLE &&
                      (model->bodies[b].wall.has_temperature || model->bodies[b].wall.flux != 0.0));
    return any;
}

// Whether any material cools in the air.
static bool any_surface(const frz_model *model)
{
    bool any = false;
    for (int m = 0; m < model->material_count; ++m)
    {
        const frz_instance *instance = frz_model_method(model, FRZ_SLOT_HEAT, m);
        const frz_thermal *thermal = instance != NULL ? instance->self : NULL;
        any = any || (thermal != NULL && (thermal->convection > 0.0 || thermal->emissivity > 0.0));
    }
    return any;
}

static frz_status make_ports(const pass *p, frz_heat_system *s, frz_diag *diag)
{
    const frz_model *model = p->model;
    const frz_state *state = p->state;
    const bool walls = any_wall(model), surface = any_surface(model), regions = any_region(model, state);
    if (walls)
        FRZ_TRY(open_port(p->state, s, FRZ_HEAT_WALLS, diag));
    if (surface)
        FRZ_TRY(open_port(p->state, s, FRZ_HEAT_SURFACE, diag));
    if (regions)
        FRZ_TRY(open_port(p->state, s, FRZ_HEAT_REGIONS, diag));
    const int blocks = frz_block_count(s->count);
#pragma omp parallel for schedule(dynamic, 4) if (s->count >= frz_parallel_some)
    for (int b = 0; b < blocks; ++b)
    {
        double area_sum = 0.0;
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, s->count); ++i)
        {
            const int number = number_of(state, i);
            // pairs of walls leave out material points, rigid particles, and those that are attached
            const bool point = state->attempt.points.is_one != NULL && state->attempt.points.is_one[i];
            const bool at_wall =
                point || (number < 0 ? state->neighbors.pairs.sample_count[i] > 0 : !state->solids.core[number]);
            double covered = 0.0;
            if (!s->curve[i]->conducts)
                continue;
            if (walls && at_wall)
                covered = add_walls(p, i, s);
            if (surface)
            {
                const bool rigid = number >= 0 && state->solids.exclusion.reference_by_slot[i][3] > 0;
                const double area = fmax(surface_of(p, i) - (rigid ? model->face * covered : 0.0), 0.0);
                add_surface(p, i, area, s);
                area_sum += area;
            }
            if (regions)
                add_regions(model, state, i, s);
            for (int port = 0; port < FRZ_HEAT_PORTS; ++port)
                s->diagonal[i] += s->loss[port] != NULL ? s->loss[port][i] : 0.0;
        }
        s->partial[b] = area_sum;
    }
    s->surface_area = frz_blocks_sum(s->partial, blocks);
    return FRZ_OK;
}

// ---- the whole

static frz_status reserve(const frz_model *model, frz_state *state, frz_heat_system *s, frz_real **conductivity,
                          frz_diag *diag)
{
    const int count = state->particles.count[FRZ_ROLE_FREE];
    memset(s, 0, sizeof *s);
    s->count = count;
    s->curve = FRZ_SCRATCH(&state->scratch, count + 1, const frz_heat_curve *);
    s->mass = FRZ_SCRATCH(&state->scratch, count + 1, double);
    s->start = FRZ_SCRATCH(&state->scratch, count + 1, double);
    s->enthalpy = frz_state_enthalpy(&state->particles, model->enthalpy_field);
    s->temperature = FRZ_SCRATCH(&state->scratch, count + 1, double);
    s->slope = FRZ_SCRATCH(&state->scratch, count + 1, double);
    s->diagonal = FRZ_SCRATCH(&state->scratch, count + 1, double);
    s->partial = FRZ_SCRATCH(&state->scratch, frz_block_count(count) + 1, double);
    *conductivity = FRZ_SCRATCH(&state->scratch, count + 1, frz_real);
    if (s->curve == NULL || s->mass == NULL || s->start == NULL || s->temperature == NULL || s->slope == NULL ||
        s->diagonal == NULL || s->partial == NULL || *conductivity == NULL)
        return frz_fail_memory(diag, "the heat");
    return FRZ_OK;
}

void frz_heat_system_refresh(const frz_heat_system *s)
{
#pragma omp parallel for schedule(static) if (s->count >= frz_parallel_least)
    for (int i = 0; i < s->count; ++i)
        s->temperature[i] = frz_heat_curve_temperature(s->curve[i], s->enthalpy[i], &s->slope[i]);
}

static bool several_rigid(const frz_state *state)
{
    int rigid = 0;
    for (int b = 0; b < state->bodies.count; ++b)
        rigid += frz_body_is(state, b, FRZ_BODY_RIGID) && state->bodies.identity[b].filled != 0;
    return rigid > 1;
}

static frz_status bound_rigid(frz_state *state, pass *p, frz_diag *diag)
{
    box *boxes = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, box);
    if (boxes == NULL)
        return frz_fail_memory(diag, "the conduction of heat");
    for (int b = 0; b < state->bodies.count; ++b)
        boxes[b] = (box){.low = frz_v4_set(1, 1, 1, 0), .high = frz_v4_zero()};
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    const uint8_t *phase = frz_particles_phase(&state->particles);
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
    {
        if (phase[i] != FRZ_PHASE_RIGID)
            continue;
        box *own = &boxes[body[i]];
        const frz_v4 x = position[i];
        if (own->low[0] > own->high[0])
            *own = (box){x, x};
        for (int a = 0; a < 3; ++a)
        {
            own->low[a] = x[a] < own->low[a] ? x[a] : own->low[a];
            own->high[a] = x[a] > own->high[a] ? x[a] : own->high[a];
        }
    }
    p->boxes = boxes;
    return FRZ_OK;
}

frz_status frz_heat_system_make(const frz_model *model, frz_state *state, frz_heat_system *s, frz_diag *diag)
{
    frz_real *conductivity;
    FRZ_TRY(reserve(model, state, s, &conductivity, diag));
    if (state->solids.count > 0)
        FRZ_TRY(frz_state_bonds(model, state, diag));
    const uint8_t *material = frz_particles_material(&state->particles);
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
#pragma omp parallel for schedule(static) if (s->count >= frz_parallel_least)
    for (int i = 0; i < s->count; ++i)
    {
        const frz_heat_curve *curve = &model->materials[material[i]].curve;
        const double molten = frz_heat_curve_fraction(curve, s->enthalpy[i]);
        s->curve[i] = curve;
        s->mass[i] = frz_particle_mass(model, inverse_density[i]);
        s->start[i] = s->enthalpy[i];
        conductivity[i] =
            (frz_real)(curve->solid_conductivity + molten * (curve->conductivity - curve->solid_conductivity));
    }
    frz_heat_system_refresh(s);
    pass p = {.model = model, .state = state, .conductivity = conductivity};
    p.trace = FRZ_SCRATCH(&state->scratch, s->count + 1, double);
    if (p.trace == NULL)
        return frz_fail_memory(diag, "the heat");
    if (several_rigid(state))
        FRZ_TRY(bound_rigid(state, &p, diag));
    p.weight = frz_shear_weight_make(model->spacing, model->support, model->dimension);
    if (state->solids.count > 0)
        p.bond_weight = frz_shear_weight_make(model->spacing, state->bonds.kernel.support, model->dimension);
    const double square = model->spacing * model->spacing;
    p.unit = model->cell / square;
    p.wall_unit = model->cell / square * p.weight.wall / model->particle_volume;
    p.flux_unit = 1.0 / (wall_sum(model, &p.weight) * model->particle_volume);
    p.surface_unit = 1.0 / missing_sum(model);
    FRZ_TRY(make_links(&p, s, diag));
    return make_ports(&p, s, diag);
}

frz_status frz_heat_system_add_work(const frz_model *model, frz_state *state, double dt, frz_heat_system *s,
                                    frz_diag *diag)
{
    const frz_real *work = NULL;
    for (int m = 0; m < model->material_count && work == NULL; ++m)
    {
        work = frz_state_heat_of_work(model, state, m);
        work = work == NULL ? frz_state_heat_of_friction(model, state, m) : work;
    }
    if (work == NULL)
        return FRZ_OK;
    FRZ_TRY(open_port(state, s, FRZ_HEAT_WORK, diag));
    for (int i = 0; i < s->count; ++i)
        s->gain[FRZ_HEAT_WORK][i] = (double)work[i] / dt;
    return FRZ_OK;
}
