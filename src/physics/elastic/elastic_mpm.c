// SPDX-License-Identifier: MIT
// The material point method: bodies without bonds and without an undeformed state, which flow, part and merge. Stress
// comes from the deformation gradient that each point carries, forces from a grid that is made anew in each step
// (src/mpm), with APIC by default; with `transfer: flip` and `kernel: cubic` it is the method of Khadke (thesis, sec.
// 4), but for the volumes of points, which are known here.
//
// The velocity stage does the whole of a step for the points of all materials, in substeps as long as waves allow:
// forces from outside (gravity, regions) are spread over them, so that stress answers them as they come. Points move
// with the velocities of nodes; the part beyond dt times their own velocity at the end goes to state->attempt.drift.
//
// Pressure of liquid and of other bodies comes after the stage. What it moved points by would be no strain, and no wall
// would know of it: a point under a load would creep by dt^2 times its acceleration in every step, through floors too.
// So where something can push at points, the velocity stage only foretells how they move, with the push of the last
// step as a force from outside, whose effect is then taken back from the velocities. To pressure, points give way as
// their grid lets them, without stress (mpm/give.h); the settle stage begins again with that push in place of the last
// one. So points move with the grid alone, and the push is in the stress at once.
#include <math.h>
#include <string.h>

#include "mpm/give.h"
#include "mpm/implicit.h"
#include "physics/elastic/elastic_hyperelastic.h"
#include "physics/elastic/elastic_mpm_check.h"

extern const frz_method frz_method_elastic_mpm;

typedef struct mpm
{
    frz_elastic_hyperelastic law; ///< first: FRZ_TRAIT_ANY_LAW
    int transfer;                 ///< frz_mpm_transfer
    double flip_share;
    int kernel;  ///< degree of the splines less 2
    double cell; ///< spacings
    int step;    ///< 1: implicit
} mpm;

static const char *const transfers[] = {"apic", "flip", "pic", "aflip", NULL};
static const char *const steps[] = {"explicit", "implicit", NULL};
static const char *const kernels[] = {"quadratic", "cubic", NULL};

static const frz_param mpm_params[] = {
    FRZ_ELASTIC_PARAM_YOUNG(frz_elastic_hyperelastic),
    FRZ_ELASTIC_PARAM_LAW,
    {"transfer",
     "how points get their velocities back: with gradients (apic), by changes (flip), by both (aflip), or plainly "
     "(pic)",
     FRZ_PARAM_WORD, offsetof(mpm, transfer), 0, 0, 0, "", transfers},
    {"flip_share", "share of changes in the mix of flip with pic, or of aflip with apic, in a step", FRZ_PARAM_REAL,
     offsetof(mpm, flip_share), 0.95, 0.0, 1.0, "", NULL},
    {"kernel", "splines between points and nodes", FRZ_PARAM_WORD, offsetof(mpm, kernel), 0, 0, 0, "", kernels},
    {"cell", "distance of nodes, in spacings", FRZ_PARAM_REAL, offsetof(mpm, cell), 2.0, 1.0, 8.0, "", NULL},
    {"step", "stress from the start of a substep (explicit), or from the end of the step, for stiff bodies (implicit)",
     FRZ_PARAM_WORD, offsetof(mpm, step), 0, 0, 0, "", steps},
    FRZ_ELASTIC_PARAM_REST(frz_elastic_hyperelastic),
    {0},
};

enum
{
    field_strain,
    field_gradient,
    field_memory,
    strains = 6,
    slopes = 9,
    most_substeps = 300,
    step_implicit = 1
};

#define POINT_FIELD(name, components, unit, doc)                                                                       \
    {                                                                                                                  \
        name, components, unit, FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET | FRZ_FIELD_FREE | FRZ_FIELD_FINAL,  \
            doc                                                                                                        \
    }

static const frz_field_decl mpm_fields[] = {
    POINT_FIELD("point_strain", strains, "", "xx, yy, zz, yz, zx, xy of F F^T - I, elastic part; elastic method"),
    POINT_FIELD("point_gradient", slopes, "1/s", "gradient of the velocity around it, row by row; elastic method"),
    POINT_FIELD("point_memory", 1, "", "memory of plastic flow (law/plastic_return.h); elastic method"),
    {0},
};

// Of the step in which the fastest wave passes a cell. A clamped bar of 1.5 x 1.5 cells is stable at 0.43 and not at
// 0.5.
static const double courant = 0.3;
// Where something pushes at points, of the same step: they give way to it without stress (mpm/give.h), which must not
// have come to rest within a step. Sand of 1 MPa below water, let go, made 0.1 J with 2 and 4.7 J with 3, of 4 J that
// moved.
static const double pushed_waves = 2.0;

// Velocities that an implicit step is solved to, of the fastest point's.
static const double least_change = 1e-3;

// ---- the model

static bool is_mpm(const frz_instance *instance)
{
    return instance->method == &frz_method_elastic_mpm;
}

// The first material of the method does the work for all.
static const frz_instance *first_of(const frz_model *model)
{
    int n = 0;
    while (!is_mpm(&model->instances[n])) // who asks is one
        ++n;
    return &model->instances[n];
}

static frz_status material_of(const frz_model *model, const frz_instance *instance, frz_mpm_material *to,
                              frz_diag *diag)
{
    const mpm *self = instance->self;
    FRZ_TRY(frz_elastic_hyperelastic_material(model, instance, &to->elastic, diag));
    to->yield = (frz_yield){.kind = FRZ_YIELD_NEVER};
    const frz_instance *plastic = frz_model_method(model, FRZ_SLOT_PLASTIC, instance->material);
    if (plastic != NULL && plastic->method->yield != NULL)
        plastic->method->yield(model, plastic, &to->yield);
    to->is_common = to->elastic.law == frz_law_find("neo_hookean_log") && to->elastic.plane == FRZ_PLANE_STRAIN;
    to->density = model->materials[instance->material].density;
    to->volume = model->cell;
    to->damping = self->law.common.damping;
    return FRZ_OK;
}

static bool holds_points(const frz_model *model, const frz_attachment *a);

// Nodes are laid so that the first attachment which cuts a body along the axis does so half a cell before a node, where
// a clamp is exact (held_by); else one is at the origin.
static double origin_of(const frz_model *model, int axis, double cell)
{
    for (int n = 0; n < model->attachment_count; ++n)
    {
        const frz_attachment *a = &model->attachments[n];
        const double face = axis == 0 ? a->face.x : axis == 1 ? a->face.y : a->face.z;
        if (isfinite(face) && holds_points(model, a))
            return face + 0.5 * cell - cell * floor(face / cell + 0.5);
    }
    return 0.0;
}

static frz_mpm_space space_of(const frz_model *model, const mpm *self)
{
    frz_mpm_space space = {.dimension = model->dimension, .degree = self->kernel + 2};
    for (int a = 0; a < 3; ++a)
    {
        space.cell[a] = self->cell * model->spacing;
        if (!model->periodic[a] || a >= model->dimension)
        {
            space.origin[a] = a < model->dimension ? origin_of(model, a, space.cell[a]) : 0.0;
            continue;
        }
        const double period = model->domain_max[a] - model->domain_min[a];
        space.origin[a] = model->domain_min[a];
        space.period[a] = (int32_t)fmax(1.0, round(period / (space.cell[a] * FRZ_MPM_EDGE)));
        space.cell[a] = period / (space.period[a] * FRZ_MPM_EDGE);
    }
    return space;
}

static double least_cell(const frz_mpm_space *space)
{
    double least = HUGE_VAL;
    for (int a = 0; a < space->dimension; ++a)
        least = fmin(least, space->cell[a]);
    return least;
}

static frz_status mpm_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    const mpm *self = instance->self, *first = first_of(model)->self;
    const char *name = model->materials[instance->material].name;
    FRZ_TRY(frz_elastic_hyperelastic_check(model, instance, diag));
    if (self->cell != first->cell || self->kernel != first->kernel || self->transfer != first->transfer ||
        self->flip_share != first->flip_share || self->step != first->step)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "material '%s': all materials of the method mpm share one grid; give it the cell, kernel, "
                        "transfer, flip_share and step of material '%s'",
                        name, model->materials[first_of(model)->material].name);
    if (self->step == step_implicit && frz_model_method(model, FRZ_SLOT_PLASTIC, instance->material) != NULL)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "material '%s': the implicit step of mpm knows no plastic flow; leave 'plastic' out, or take "
                        "'step: explicit'",
                        name);
    return frz_elastic_mpm_check_company(model, instance, diag);
}

// Acceleration of points by other things in the last step; null: nothing can push at them.
static frz_v4 *push_of(const frz_state *state)
{
    return state->fields.push >= 0 ? frz_field_v4(&state->particles, state->fields.push) : NULL;
}

// Whether anything pushed at points of the material in the last step.
static bool was_pushed(const frz_state *state, const frz_instance *instance)
{
    const uint8_t *phase = frz_particles_phase(&state->particles),
                  *material = frz_particles_material(&state->particles);
    const frz_v4 *push = push_of(state);
    bool any = false;
    for (int i = 0; push != NULL && i < state->particles.count[FRZ_ROLE_FREE] && !any; ++i)
        any = phase[i] == FRZ_PHASE_POINT && material[i] == instance->material && frz_v4_dot3(push[i], push[i]) > 0;
    return any;
}

static double mpm_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    frz_mpm_material material;
    const frz_mpm_space space = space_of(model, instance->self);
    if (material_of(model, instance, &material, NULL) != FRZ_OK)
        return HUGE_VAL;
    const double wave = least_cell(&space) / frz_elastic_wave_speed(&material.elastic, material.density);
    if (was_pushed(state, instance))
        return pushed_waves * wave;
    return ((const mpm *)instance->self)->step == step_implicit ? HUGE_VAL : most_substeps * courant * wave;
}

// ---- points

typedef struct points
{
    frz_mpm_run run;
    frz_real *strain, *gradient, *memory; // fields
    frz_v4 *push;        // acceleration by later stages: that of the last step, then of this one; may be null
    const frz_v4 *outer; // acceleration by other forces; null: their change of the velocities
    frz_real inverse_dt; // takes that to an acceleration; 0: nobody asks for it
    int substeps;
    frz_rigid_body *bodies; // copies that move obstacles which are no bodies of the state
} points;

static frz_status read_materials(const frz_model *model, frz_state *state, points *p, frz_diag *diag)
{
    frz_mpm_material *materials = FRZ_SCRATCH(&state->scratch, FRZ_MPM_MATERIALS, frz_mpm_material);
    if (materials == NULL)
        return frz_fail_memory(diag, "the material points");
    for (int n = 0; n < model->instance_count; ++n)
        if (is_mpm(&model->instances[n]))
            FRZ_TRY(material_of(model, &model->instances[n], &materials[model->instances[n].material], diag));
    p->run.materials = materials;
    return FRZ_OK;
}

static void find_fields(const frz_state *state, const frz_instance *instance, points *p)
{
    p->strain = frz_field_real(&state->particles, instance->first_field + field_strain);
    p->gradient = frz_field_real(&state->particles, instance->first_field + field_gradient);
    p->memory = frz_field_real(&state->particles, instance->first_field + field_memory);
    p->push = push_of(state);
}

// Acceleration of a point by forces from outside.
static frz_real outside(const points *p, const frz_v4 *before, const frz_v4 *velocity, int i, int axis)
{
    if (p->outer != NULL)
        return p->outer[i][axis] + p->push[i][axis];
    return before != NULL ? p->inverse_dt * (velocity[i][axis] - before[i][axis]) : 0;
}

static void read_group(const frz_model *model, const frz_state *state, const points *p, frz_mpm_group *g)
{
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity),
                 *before = state->attempt.drivers.before;
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    for (int l = 0; l < g->count; ++l)
    {
        const int i = g->slot[l];
        g->mass[l] = (frz_real)frz_particle_mass(model, inverse_density[i]);
        g->memory[l] = p->memory[i];
        for (int k = 0; k < strains; ++k)
            g->e[k][l] = p->strain[(size_t)i * strains + k];
        for (int k = 0; k < slopes; ++k)
            g->c.m[k / 3][k % 3][l] = p->gradient[(size_t)i * slopes + k];
        for (int a = 0; a < 3; ++a)
        {
            g->v[a][l] = before != NULL ? before[i][a] : velocity[i][a];
            g->a[a][l] = outside(p, before, velocity, i, a);
        }
    }
}

// The velocities that pressure finds, those without the effect of the push; push becomes these until the settle stage.
static void foretell(frz_state *state, const points *p, double dt)
{
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    frz_mpm_give_apply(state->attempt.points.grid, p->push);
#pragma omp parallel for schedule(static)
    for (int n = 0; n < p->run.grid.group_count; ++n)
        for (int l = 0; l < p->run.grid.group[n].count; ++l)
        {
            const frz_mpm_group *g = &p->run.grid.group[n];
            const int i = g->slot[l];
            for (int a = 0; a < 3; ++a)
                velocity[i][a] = g->v[a][l] - (frz_real)dt * p->push[i][a];
            p->push[i] = frz_v4_xyz(velocity[i]);
        }
}

// The fields that wait until the step is accepted.
static void keep_group(const points *p, const frz_mpm_group *g)
{
    for (int l = 0; l < g->count; ++l)
    {
        const int i = g->slot[l];
        p->memory[i] = g->memory[l];
        for (int k = 0; k < strains; ++k)
            p->strain[(size_t)i * strains + k] = g->e[k][l];
        for (int k = 0; k < slopes; ++k)
            p->gradient[(size_t)i * slopes + k] = g->c.m[k / 3][k % 3][l];
    }
}

static void write_group(frz_state *state, double dt, const frz_mpm_group *g)
{
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    for (int l = 0; l < g->count; ++l)
    {
        const int i = g->slot[l];
        for (int a = 0; a < 3; ++a)
        {
            velocity[i][a] = g->v[a][l];
            state->attempt.drift[i][a] = g->way[a][l] - (frz_real)dt * g->v[a][l];
        }
    }
}

// All points of the store, in groups by block.
static frz_status gather_points(const frz_model *model, frz_state *state, const mpm *self, points *p, frz_diag *diag)
{
    const int count = state->particles.count[FRZ_ROLE_FREE];
    const uint8_t *phase = frz_particles_phase(&state->particles),
                  *material = frz_particles_material(&state->particles);
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    int32_t *slot = FRZ_SCRATCH(&state->scratch, count + 1, int32_t);
    if (slot == NULL)
        return frz_fail_memory(diag, "the material points");
    int found = 0;
    for (int i = 0; i < count; ++i)
        if (phase[i] == FRZ_PHASE_POINT)
            slot[found++] = i;
    const frz_mpm_space space = space_of(model, self);
    FRZ_TRY(frz_mpm_grid_build(&space, frz_field_v4(&state->particles, FRZ_FIELD_ID_position), material, slot, found,
                               &state->scratch, &p->run.grid, diag));
    const frz_mpm_grid *grid = &p->run.grid;
#pragma omp parallel for schedule(static)
    for (int b = 0; b < grid->block_count; ++b)
    {
        double friction = 0.0;
        int points_here = 0;
        for (int n = grid->block[b].first; n < grid->block[b].end; ++n)
        {
            read_group(model, state, p, &grid->group[n]);
            for (int l = 0; l < grid->group[n].count; ++l)
                friction += state->bodies.rigid[body[grid->group[n].slot[l]]].friction;
            points_here += grid->group[n].count;
        }
        grid->block[b].friction = friction / points_here;
    }
    return FRZ_OK;
}

// ---- bodies

// Does an attachment hold bodies of points?
static bool holds_points(const frz_model *model, const frz_attachment *a)
{
    if (a->of < 0)
        return true;
    const frz_instance *elastic = frz_model_method(model, FRZ_SLOT_ELASTIC, model->bodies[a->of].material);
    return elastic != NULL && is_mpm(elastic);
}

// Nodes that an attachment holds. One that is no part of a body has a motion of its own. A field of quadratic splines
// whose nodes are zero up to one of them is that of a body clamped half a cell before that node: with those held that
// are less than a cell outside, the clamp is at the surface of the shape to half a cell, on either side.
static frz_mpm_obstacle held_by(const frz_model *model, frz_state *state, int a, double cell, double dt,
                                frz_rigid_body *own)
{
    const frz_attachment *attachment = &model->attachments[a];
    const int carrier = frz_attachments_carrier(model, a);
    frz_mpm_obstacle o = {.held = attachment->shape, .margin = attachment->margin + cell};
    o.force = &state->attachments.item[a].force;
    if (carrier >= 0)
    {
        o.body = &state->bodies.rigid[carrier];
        o.frame = model->bodies[carrier].position;
        o.yields = frz_rigid_body_yields(o.body);
        return o;
    }
    frz_vec3 pivot, position, end;
    frz_quat rotation, turned;
    frz_attachments_pose(model, a, state->time, &pivot, &position, &rotation);
    frz_attachments_pose(model, a, state->time + dt, &pivot, &end, &turned);
    *own = (frz_rigid_body){.position = position, .rotation = rotation};
    own->velocity = frz_v3_scale(1.0 / dt, frz_v3_sub(end, position));
    const frz_quat back = {rotation.w, -rotation.x, -rotation.y, -rotation.z};
    const frz_quat turn = frz_quat_mul(turned, back);
    const double sign = turn.w < 0.0 ? -1.0 : 1.0; // the shorter way round; small turns are twice their vector part
    own->spin = frz_v3_scale(2.0 * sign / dt, frz_v3(turn.x, turn.y, turn.z));
    o.body = own;
    o.frame = pivot;
    return o;
}

// Speed that no point exceeds at the start of the step or by forces from outside, m/s.
static double fastest(const frz_mpm_grid *grid, double dt)
{
    double most = 0.0;
#pragma omp parallel for schedule(static) reduction(max : most)
    for (int n = 0; n < grid->group_count; ++n)
        for (int l = 0; l < grid->group[n].count; ++l)
        {
            const frz_mpm_group *g = &grid->group[n];
            double v = 0.0, a = 0.0;
            for (int k = 0; k < 3; ++k)
            {
                v += (double)g->v[k][l] * (double)g->v[k][l];
                a += (double)g->a[k][l] * (double)g->a[k][l];
            }
            most = fmax(most, sqrt(v) + dt * sqrt(a));
        }
    return most;
}

static frz_status find_obstacles(const frz_model *model, frz_state *state, double dt, points *p, frz_diag *diag)
{
    const int most = state->bodies.count + model->attachment_count;
    p->run.obstacles = FRZ_SCRATCH(&state->scratch, most + 1, frz_mpm_obstacle);
    p->bodies = FRZ_SCRATCH(&state->scratch, model->attachment_count + 1, frz_rigid_body);
    if (p->run.obstacles == NULL || p->bodies == NULL)
        return frz_fail_memory(diag, "the material points");
    for (int b = 0; b < state->bodies.count; ++b)
        if (state->contact.shapes[b] != NULL && !state->bodies.rigid[b].parked)
            p->run.obstacles[p->run.obstacle_count++] = (frz_mpm_obstacle){
                .shape = state->contact.shapes[b],
                .body = &state->bodies.rigid[b],
                .yields = frz_body_is(state, b, FRZ_BODY_RIGID) && frz_rigid_body_yields(&state->bodies.rigid[b]),
                .friction = state->bodies.rigid[b].friction,
            };
    for (int a = 0; a < model->attachment_count; ++a)
        if (frz_attachments_hold_now(model, state, a) && holds_points(model, &model->attachments[a]))
            p->run.obstacles[p->run.obstacle_count++] =
                held_by(model, state, a, 0.999 * least_cell(&p->run.grid.space), dt, &p->bodies[a]);
    if (p->run.obstacle_count > 0)
        FRZ_TRY(frz_mpm_weigh(&p->run, diag));
    p->run.grid.dt = dt;
    p->run.grid.speed = fastest(&p->run.grid, dt);
    return frz_mpm_contacts_find(&p->run.grid, p->run.obstacles, p->run.obstacle_count, &state->scratch,
                                 &p->run.contacts, diag);
}

// Bodies that yield have been kicked for the whole step: take that back, or give a part of it.
static void kick_bodies(frz_state *state, const frz_rigid_motion *kick, double part)
{
    for (int b = 0; b < state->bodies.count; ++b)
        if (frz_body_is(state, b, FRZ_BODY_RIGID))
        {
            state->bodies.rigid[b].velocity = frz_v3_mad(state->bodies.rigid[b].velocity, part, kick[b].velocity);
            state->bodies.rigid[b].spin = frz_v3_mad(state->bodies.rigid[b].spin, part, kick[b].spin);
        }
}

static void record_loads(frz_state *state, const points *p, double dt)
{
    for (int n = 0; n < p->run.obstacle_count; ++n)
    {
        const frz_mpm_obstacle *o = &p->run.obstacles[n];
        if (!o->yields)
            continue;
        frz_body_load *load = &state->bodies.loads[o->body - state->bodies.rigid];
        load->contact_force = frz_v3_mad(load->contact_force, 1.0 / dt, o->impulse);
        load->contact_torque = frz_v3_mad(load->contact_torque, 1.0 / dt, o->moment);
    }
}

static void note_reactions(frz_state *state, const points *p)
{
    for (int n = 0; n < p->run.obstacle_count; ++n)
    {
        const frz_mpm_obstacle *o = &p->run.obstacles[n];
        if (!o->yields)
            continue;
        frz_point_reaction *sum = &state->attempt.points.reaction[o->body - state->bodies.rigid];
        sum->impulse = frz_v3_add(sum->impulse, o->impulse);
        sum->moment = frz_v3_add(sum->moment, o->moment);
    }
}

// Bodies as if the velocity stage had not acted on them.
static void take_back_reactions(frz_state *state)
{
    for (int b = 0; b < state->bodies.count; ++b)
        if (frz_body_is(state, b, FRZ_BODY_RIGID))
            frz_rigid_body_act(&state->bodies.rigid[b], frz_v3_scale(-1.0, state->attempt.points.reaction[b].impulse),
                               frz_v3_scale(-1.0, state->attempt.points.reaction[b].moment));
}

// ---- the stage

static double longest_substep(const points *p)
{
    const frz_mpm_grid *grid = &p->run.grid;
    double most = 0.0;
#pragma omp parallel for schedule(static) reduction(max : most)
    for (int n = 0; n < grid->group_count; ++n)
        most = fmax(most, frz_mpm_wave_square(&p->run.materials[grid->group[n].material], &grid->group[n]));
    return courant * least_cell(&grid->space) / sqrt(most);
}

// Rigid bodies answer after an implicit step only, which would make light ones on stiff points jump.
static bool touches_rigid(const points *p)
{
    bool any = false;
    for (int k = 0; k < p->run.contacts.count && p->run.contacts.any_yields && !any; ++k)
        any = p->run.obstacles[p->run.contacts.list[k].obstacle].yields;
    return any;
}

static frz_status run_substeps(frz_state *state, points *p, double dt, frz_diag *diag)
{
    const double parts = p->run.implicit != NULL ? 1.0 : ceil(dt / longest_substep(p) - 1e-9);
    if (!(parts <= 4.0 * most_substeps)) // stiffer than at rest by a factor of 16 at most
        return frz_fail(diag, FRZ_ERR_DIVERGED, "material points have become too stiff for the step");
    p->substeps = parts > 1.0 ? (int)parts : 1;
    p->run.kept = pow(p->run.flip_share, 1.0 / p->substeps); // of a step, however many substeps it has
    frz_rigid_motion *kick = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, frz_rigid_motion);
    if (kick == NULL)
        return frz_fail_memory(diag, "the material points");
    for (int b = 0; b < state->bodies.count; ++b)
        kick[b] = (frz_rigid_motion){frz_v3_sub(state->bodies.rigid[b].velocity, state->bodies.before[b].velocity),
                                     frz_v3_sub(state->bodies.rigid[b].spin, state->bodies.before[b].spin)};
    kick_bodies(state, kick, -1.0);
    for (int n = 0; n < p->substeps; ++n)
    {
        int culprit = -1;
        kick_bodies(state, kick, 1.0 / p->substeps);
        const frz_status status = frz_mpm_substep(&p->run, dt / p->substeps, &culprit, diag);
        if (status == FRZ_ERR_DIVERGED && culprit >= 0)
            return frz_fail(diag, FRZ_ERR_DIVERGED, "particle %lld moves by more than a cell in one step",
                            (long long)frz_field_i64(&state->particles, FRZ_FIELD_ID_id)[culprit]);
        FRZ_TRY(status);
    }
    return FRZ_OK;
}

// Which points something can push at in this step after the velocity stage; null: none.
static frz_status find_touched(frz_state *state, const bool **out, frz_diag *diag)
{
    const int count = state->particles.count[FRZ_ROLE_FREE];
    *out = NULL;
    if (state->attempt.points.touchable == NULL || state->attempt.points.touchable[count] == 0)
        return FRZ_OK;
    bool *touched = FRZ_SCRATCH(&state->scratch, count + 1, bool), any = false;
    if (touched == NULL)
        return frz_fail_memory(diag, "the material points");
    for (int i = 0; i < count; ++i)
    {
        touched[i] = state->attempt.points.is_one[i] && state->neighbors.pairs.diagonal[i] > 0 &&
                     !frz_drivers_has(&state->attempt.drivers, i);
        any = any || touched[i];
    }
    *out = any ? touched : NULL;
    return FRZ_OK;
}

static void give_way(const frz_points *self, frz_v4 *field)
{
    frz_mpm_give_apply(self->grid, field);
}

// How points answer the pressure; lives until the end of the try.
static frz_status make_give(frz_state *state, points *p, frz_diag *diag)
{
    frz_mpm_give *give = FRZ_SCRATCH(&state->scratch, 1, frz_mpm_give);
    if (give == NULL)
        return frz_fail_memory(diag, "the material points");
    FRZ_TRY(frz_mpm_give_make(&p->run, state->attempt.points.touched, &state->scratch, give, diag));
    state->attempt.points.grid = give;
    state->attempt.points.give = give_way;
    return FRZ_OK;
}

// Velocities and ways at the end; the rest waits until the step is accepted. The grid is not needed any more.
static frz_status write_points(frz_state *state, const points *p, double dt, frz_diag *diag)
{
    const int count = state->particles.count[FRZ_ROLE_FREE];
    frz_arena_release(&state->scratch, p->run.grid.groups_end);
    state->attempt.drift = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4); // until the end of the try
    points *last = FRZ_SCRATCH(&state->scratch, 1, points);
    if (state->attempt.drift == NULL || last == NULL)
        return frz_fail_memory(diag, "the material points");
    memset(state->attempt.drift, 0, (size_t)count * sizeof *state->attempt.drift);
#pragma omp parallel for schedule(static)
    for (int n = 0; n < p->run.grid.group_count; ++n)
        write_group(state, dt, &p->run.grid.group[n]);
    *last = *p;
    state->attempt.points.result = last;
    return FRZ_OK;
}

// The whole of a step, foretold or done.
static frz_status run_points(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                             const frz_v4 *outer, bool is_told, frz_diag *diag)
{
    const mpm *self = instance->self;
    points p = {.outer = outer,
                .inverse_dt = (frz_real)(1.0 / dt),
                .run = {.transfer = (frz_mpm_transfer)self->transfer, .flip_share = self->flip_share}};
    FRZ_TRY(read_materials(model, state, &p, diag));
    find_fields(state, instance, &p);
    FRZ_TRY(gather_points(model, state, self, &p, diag));
    const frz_mpm_grid *grid = &p.run.grid;
    if (self->transfer == FRZ_MPM_FLIP || self->transfer == FRZ_MPM_AFLIP)
    {
        p.run.grid.before =
            FRZ_SCRATCH(&state->scratch, (size_t)grid->nodes_count * (size_t)grid->block_nodes + 1, frz_v4);
        if (p.run.grid.before == NULL)
            return frz_fail_memory(diag, "the material points");
    }
    if (grid->block_count > 0)
    {
        FRZ_TRY(find_obstacles(model, state, dt, &p, diag));
        if (is_told)
            FRZ_TRY(make_give(state, &p, diag));
        frz_mpm_implicit implicit = {.scratch = &state->scratch, .tolerance = least_change * p.run.grid.speed + 1e-12};
        if (self->step == step_implicit && !touches_rigid(&p))
            p.run.implicit = &implicit;
        const frz_arena_mark mark = frz_arena_here(&state->scratch);
        FRZ_TRY(run_substeps(state, &p, dt, diag));
        frz_arena_release(&state->scratch, mark);
        state->stats.elastic.iterations += implicit.conjugate;
        frz_mpm_catch(&p.run);
        state->stats.point_substeps += p.substeps;
        if (is_told)
        {
            note_reactions(state, &p);
            foretell(state, &p, dt);
            return FRZ_OK;
        }
        record_loads(state, &p, dt);
        state->stats.work += frz_mpm_contacts_tell(&p.run.contacts, p.run.obstacles, dt);
        FRZ_TRY(write_points(state, &p, dt, diag));
    }
    return FRZ_OK;
}

static frz_status mpm_keep(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                           frz_diag *diag)
{
    (void)dt;
    (void)diag;
    const points *p = state->attempt.points.result;
    if (instance != first_of(model) || p == NULL)
        return FRZ_OK;
#pragma omp parallel for schedule(static)
    for (int n = 0; n < p->run.grid.group_count; ++n)
        keep_group(p, &p->run.grid.group[n]);
    return FRZ_OK;
}

// Mass over volume as it is now, with what sand has come apart by and snow was pressed together.
static frz_status mpm_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                            frz_diag *diag)
{
    (void)dt;
    frz_mpm_material one;
    points p = {0};
    const uint8_t *phase = frz_particles_phase(&state->particles),
                  *material = frz_particles_material(&state->particles);
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    frz_real *density = frz_field_real(&state->particles, FRZ_FIELD_ID_density);
    FRZ_TRY(material_of(model, instance, &one, diag));
    find_fields(state, instance, &p);
    const bool swells = one.yield.kind == FRZ_YIELD_DRUCKER_PRAGER || one.yield.kind == FRZ_YIELD_SNOW;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        if (phase[i] == FRZ_PHASE_POINT && material[i] == instance->material)
        {
            const frz_real *e = p.strain + (size_t)i * strains;
            const double x = 1.0 + (double)e[0], y = 1.0 + (double)e[1], z = 1.0 + (double)e[2];
            const double yz = (double)e[3], zx = (double)e[4], xy = (double)e[5];
            const double square = x * (y * z - yz * yz) - xy * (xy * z - yz * zx) + zx * (xy * yz - y * zx);
            const double volume = sqrt(fmax(square, 1e-6)) * (swells ? exp((double)p.memory[i]) : 1.0);
            density[i] = (frz_real)(1.0 / ((double)inverse_density[i] * volume));
        }
    return FRZ_OK;
}

// Input of the settle stage: forces from outside, and the points that something can push at.
static frz_status prepare_settle(frz_state *state, double dt, frz_diag *diag)
{
    const int count = state->particles.count[FRZ_ROLE_FREE];
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity),
                 *before = state->attempt.drivers.before;
    frz_v4 *outer = FRZ_SCRATCH(&state->scratch, count + 1, frz_v4);
    frz_point_reaction *reaction = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, frz_point_reaction);
    if (outer == NULL || reaction == NULL)
        return frz_fail_memory(diag, "the material points");
    memset(reaction, 0, (size_t)state->bodies.count * sizeof *reaction);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
        outer[i] = (velocity[i] - before[i]) / (frz_real)dt;
    state->attempt.points.outer = outer;
    state->attempt.points.reaction = reaction;
    return FRZ_OK;
}

static frz_status mpm_velocity(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                               frz_diag *diag)
{
    if (instance != first_of(model))
        return FRZ_OK;
    const int count = state->particles.count[FRZ_ROLE_FREE];
    FRZ_TRY(find_touched(state, &state->attempt.points.touched, diag));
    const bool *touched = state->attempt.points.touched;
    frz_v4 *push = push_of(state);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < (push != NULL ? count : 0); ++i)
        if (touched == NULL || !touched[i])
            push[i] = frz_v4_zero();
    if (touched != NULL)
        FRZ_TRY(prepare_settle(state, dt, diag));
    return run_points(model, state, instance, dt, state->attempt.points.outer, touched != NULL, diag);
}

static frz_status mpm_settle(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                             frz_diag *diag)
{
    if (instance != first_of(model))
        return FRZ_OK;
    const uint8_t *phase = frz_particles_phase(&state->particles);
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    frz_v4 *push = push_of(state);
    if (state->attempt.points.outer == NULL)
        return FRZ_OK;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        push[i] = phase[i] == FRZ_PHASE_POINT && !frz_drivers_has(&state->attempt.drivers, i)
                      ? frz_v4_xyz((velocity[i] - push[i]) / (frz_real)dt)
                      : frz_v4_zero();
    take_back_reactions(state);
    state->attempt.points.give = NULL;
    return run_points(model, state, instance, dt, state->attempt.points.outer, false, diag);
}

static frz_status mpm_energy(const frz_model *model, frz_state *state, const frz_instance *instance, double *energy,
                             frz_diag *diag)
{
    const int count = state->particles.count[FRZ_ROLE_FREE], blocks = frz_block_count(count);
    const uint8_t *phase = frz_particles_phase(&state->particles),
                  *material = frz_particles_material(&state->particles);
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    points p = {0};
    frz_mpm_material one;
    double *each = FRZ_SCRATCH(&state->scratch, count + 1, double);
    if (each == NULL)
        return frz_fail_memory(diag, "the energy of the material points");
    FRZ_TRY(material_of(model, instance, &one, diag));
    find_fields(state, instance, &p);
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; ++b)
        for (int i = b * FRZ_BLOCK; i < frz_block_end(b, count); ++i)
        {
            each[i] = 0.0;
            if (phase[i] != FRZ_PHASE_POINT || material[i] != instance->material)
                continue;
            frz_mpm_group g;
            memset(&g, 0, sizeof g);
            g.count = 1;
            g.slot[0] = i;
            read_group(model, state, &p, &g);
            each[i] = (double)frz_mpm_energy(&one, &g)[0];
        }
    for (int i = 0; i < count; ++i)
        energy[body[i]] += each[i]; // in slot order, which no number of threads changes
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

const frz_method frz_method_elastic_mpm = {
    .key = "mpm",
    .slot = FRZ_SLOT_ELASTIC,
    .traits = FRZ_TRAIT_PLASTIC_FLOW | FRZ_TRAIT_NO_REFERENCE | FRZ_TRAIT_HIDES_WORK,
    .doc = "Material point method: a body without bonds that may flow, part and merge; any constitutive law, explicit, "
           "in substeps.",
    .cite = "Sulsky, Chen & Schreyer 1994, doi:10.1016/0045-7825(94)90112-0; Jiang et al. 2015, doi:10.1145/2766996; "
            "Fei et al. 2021, doi:10.1145/3450626.3459678; "
            "Khadke (thesis), sec. 4",
    .self_size = sizeof(mpm),
    .params = mpm_params,
    .fields = mpm_fields,
    .run = {[FRZ_STAGE_FORCE] = mpm_force,
            [FRZ_STAGE_VELOCITY] = mpm_velocity,
            [FRZ_STAGE_SETTLE] = mpm_settle,
            [FRZ_STAGE_KEEP] = mpm_keep},
    .max_dt = mpm_max_dt,
    .energy = mpm_energy,
    .check = mpm_check,
    .exempt = {[FRZ_CONFORMANCE_ROTATION] = FRZ_MPM_FIXED_NODES, [FRZ_CONFORMANCE_TRANSLATION] = FRZ_MPM_FIXED_NODES},
};
