// SPDX-License-Identifier: MIT
// Rigid bodies after a batch of changes: mass, centre and inertia from their particles, motion from the momenta of
// these.
//
// A particle of a rigid body has the velocity of the body at its position and, being a cube with a side of one spacing,
// an angular momentum I w of its own, I = m s^2 / 6. A liquid or elastic particle has none: the own momentum of leaving
// particles goes to the remaining particles of their body. If no particle remains, the particles that left get the
// rotation with this angular momentum.
#include <math.h>
#include <string.h>

#include "base/exact.h"
#include "sim/change_internal.h"

// of the largest principal moment: below, the particles lie on a line
static const double smallest_inertia = 1e-9;

// The sum of vectors.
typedef struct exact_vec3
{
    frz_exact x, y, z;
} exact_vec3;

// Sums over the particles of a component.
typedef struct motion_sum
{
    exact_vec3 linear;  // sum of m v
    exact_vec3 angular; // sum of m x cross v, about the point `about`, and own angular momenta
    frz_vec3 about;
    frz_exact_moments moments;
    bool keeps_frame; // it continues the rigid body of the same number
} motion_sum;

typedef struct mover
{
    frz_batch *batch;
    const frz_components *components;
    const frz_rigid_body *old;
    frz_moment_units units;
    motion_sum *sum;     // by component
    exact_vec3 *lost;    // by body before: angular momentum of particles that have left it
    frz_vec3 *lost_spin; // its value
    bool *has_heir;      // by body before: a part of it is still rigid
} mover;

static void add_exactly(exact_vec3 *sum, double factor, frz_vec3 v)
{
    frz_exact_add(&sum->x, factor * v.x);
    frz_exact_add(&sum->y, factor * v.y);
    frz_exact_add(&sum->z, factor * v.z);
}

static frz_vec3 value_of(const exact_vec3 *sum)
{
    return frz_v3(frz_exact_value(&sum->x), frz_exact_value(&sum->y), frz_exact_value(&sum->z));
}

static double mass_of(const frz_batch *batch, int i)
{
    return frz_particle_mass(batch->model, frz_particles_inverse_density(&batch->state->particles)[i]);
}

static bool was_rigid(const frz_batch *batch, int i)
{
    return batch->before[i] == FRZ_PHASE_RIGID;
}

// Position of a particle relative to a point, by the nearest periodic image.
static frz_vec3 seen_from(const frz_batch *batch, frz_vec3 from, frz_vec3 x)
{
    const frz_grid *grid = &batch->state->neighbors.grid;
    frz_vec3 d = frz_v3_sub(x, from);
    double *at[3] = {&d.x, &d.y, &d.z};
    for (int a = 0; a < 3; ++a)
        if (grid->periodic[a])
            *at[a] -= grid->period[a] * nearbyint(*at[a] / grid->period[a]);
    return d;
}

// Position and velocity of a particle; exact for those of rigid bodies.
static void state_of(const mover *m, int i, frz_vec3 *place, frz_vec3 *velocity)
{
    const frz_state *state = m->batch->state;
    *place = frz_v3_of(frz_field_v4(&state->particles, FRZ_FIELD_ID_position)[i]);
    *velocity = frz_v3_of(frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity)[i]);
    if (!was_rigid(m->batch, i))
        return;
    const frz_rigid_body *body = &m->old[m->batch->old_body[i]];
    const frz_vec3 arm = frz_rigid_body_arm(body, frz_v3_of(m->batch->reference[i]));
    *place = frz_v3_add(body->position, arm);
    *velocity = frz_v3_add(body->velocity, frz_v3_cross(body->spin, arm));
}

// The frame of the particle positions of a rigid component: its own if it continues a rigid body, else one at the
// position of its first particle with the axes of the world.
static void begin_frames(const mover *m)
{
    frz_state *state = m->batch->state;
    for (int n = 0; n < m->components->count; ++n)
    {
        const frz_component *c = &m->components->list[n];
        motion_sum *sum = &m->sum[n];
        memset(sum, 0, sizeof *sum);
        sum->keeps_frame = false;
        if (c->phase != FRZ_PHASE_RIGID)
            continue;
        frz_vec3 velocity;
        state_of(m, c->first, &sum->about, &velocity);
        frz_rigid_body *body = &state->bodies.rigid[c->body];
        sum->keeps_frame = body->mass > 0.0;
        if (!sum->keeps_frame)
        {
            body->position = sum->about;
            body->rotation = (frz_quat){1.0, 0.0, 0.0, 0.0};
            body->origin = frz_v3(0.0, 0.0, 0.0);
        }
    }
}

// Rigid body c->body may have been elastic before: then it has no mass yet.
static frz_vec3 place_in_body(const mover *m, int i, int component)
{
    const frz_batch *batch = m->batch;
    const int slot = m->components->list[component].body;
    const frz_rigid_body *body = &batch->state->bodies.rigid[slot];
    if (m->sum[component].keeps_frame && was_rigid(batch, i) && batch->old_body[i] == slot)
        return frz_v3_of(batch->reference[i]);
    frz_vec3 place, velocity;
    state_of(m, i, &place, &velocity);
    const frz_vec3 away = seen_from(batch, frz_rigid_body_frame(body), place);
    const frz_vec3 local = frz_quat_rotate(frz_quat_conjugate(body->rotation), away);
    // rounded as the field stores it
    return frz_v3((double)(frz_real)local.x, (double)(frz_real)local.y, (double)(frz_real)local.z);
}

static void add_particle(const mover *m, int i, int component)
{
    const frz_batch *batch = m->batch;
    motion_sum *sum = &m->sum[component];
    const double mass = mass_of(batch, i);
    frz_vec3 place, velocity;
    state_of(m, i, &place, &velocity);
    const frz_vec3 arm = seen_from(batch, sum->about, place);
    add_exactly(&sum->linear, mass, velocity);
    add_exactly(&sum->angular, mass, frz_v3_cross(arm, velocity));
    if (was_rigid(batch, i))
        add_exactly(&sum->angular, frz_cube_inertia(mass, batch->model->spacing), m->old[batch->old_body[i]].spin);
    frz_moments_add(&sum->moments, &m->units, mass, place_in_body(m, i, component));
}

// Particles that leave a rigid body keep the velocity of the body at their position.
static void let_go(const mover *m, int i)
{
    const frz_batch *batch = m->batch;
    const int body = batch->old_body[i];
    frz_vec3 place, velocity;
    state_of(m, i, &place, &velocity);
    frz_field_v4(&batch->state->particles, FRZ_FIELD_ID_velocity)[i] = frz_v4_of(velocity);
    add_exactly(&m->lost[body], frz_cube_inertia(mass_of(batch, i), batch->model->spacing), m->old[body].spin);
}

static void add_lost_spin(const mover *m)
{
    for (int n = 0; n < m->components->share_count; ++n)
    {
        const frz_share *s = &m->components->share[n];
        if (m->components->list[s->component].phase != FRZ_PHASE_RIGID || m->has_heir[s->body])
            continue;
        m->has_heir[s->body] = true;
        add_exactly(&m->sum[s->component].angular, 1.0, m->lost_spin[s->body]);
    }
}

// Smallest w with inertia w = angular, except about a line through all particles, where it is undetermined.
static frz_vec3 solve_turn(frz_mat3 inertia, frz_vec3 angular)
{
    frz_eigen3 e = frz_m3_eigen(inertia);
    const double least = smallest_inertia * e.s[0];
    for (int a = 0; a < 3; ++a)
        e.s[a] = e.s[a] > least ? 1.0 / e.s[a] : 0.0;
    return frz_m3_apply(frz_m3_compose(e.v, e.s, e.v), angular);
}

// A body that is no longer rigid: its particles get the rotation that keeps its angular momentum.
static void turn_leavers(const mover *m, int body)
{
    const frz_batch *batch = m->batch;
    frz_exact_moments moments = {0};
    frz_vec3 place, velocity;
    const frz_vec3 frame = m->old[body].position;
    for (int i = 0; i < batch->count; ++i)
        if (was_rigid(batch, i) && batch->old_body[i] == body)
        {
            state_of(m, i, &place, &velocity);
            frz_moments_add(&moments, &m->units, mass_of(batch, i), frz_v3_sub(place, frame));
        }
    if (moments.count < 2)
        return;
    const frz_mass_properties all = frz_moments_properties(&moments, &m->units, batch->model->dimension);
    frz_mat3 inertia = all.inertia;
    const double cubes = frz_cube_inertia(all.mass, batch->model->spacing);
    for (int a = batch->model->dimension == 2 ? 2 : 0; a < 3; ++a)
        inertia.m[a][a] -= cubes;
    const frz_vec3 turn = solve_turn(inertia, m->lost_spin[body]);
    const frz_vec3 center = frz_v3_add(frame, all.center);
    frz_v4 *v = frz_field_v4(&batch->state->particles, FRZ_FIELD_ID_velocity);
    for (int i = 0; i < batch->count; ++i)
        if (was_rigid(batch, i) && batch->old_body[i] == body)
        {
            state_of(m, i, &place, &velocity);
            velocity = frz_v3_add(velocity, frz_v3_cross(turn, frz_v3_sub(place, center)));
            v[i] = frz_v4_of(velocity);
        }
}

static void set_motion(const mover *m, int n)
{
    const frz_batch *batch = m->batch;
    const frz_component *c = &m->components->list[n];
    const motion_sum *sum = &m->sum[n];
    frz_rigid_body *body = &batch->state->bodies.rigid[c->body];
    const frz_mass_properties material = frz_moments_properties(&sum->moments, &m->units, batch->model->dimension);
    if (sum->keeps_frame)
        frz_rigid_body_reshape(body, &material, batch->model->dimension);
    else
    {
        const double friction = body->friction, restitution = body->restitution;
        *body = frz_rigid_body_of_material(&material, body->position, body->rotation, batch->model->dimension);
        body->friction = friction;
        body->restitution = restitution;
    }
    // the body may have been counted from beyond a periodic seam: its momenta are about the same image
    const frz_vec3 center = seen_from(batch, sum->about, body->position);
    frz_rigid_body_set_momentum(body, value_of(&sum->linear), value_of(&sum->angular),
                                frz_v3_sub(body->position, center));
}

static void place_particles(const mover *m)
{
    const frz_batch *batch = m->batch;
    frz_v4 *v = frz_field_v4(&batch->state->particles, FRZ_FIELD_ID_velocity);
    for (int i = 0; i < batch->count; ++i)
    {
        const int n = m->components->of_slot[i];
        if (n < 0 || m->components->list[n].phase != FRZ_PHASE_RIGID)
            continue;
        const frz_rigid_body *body = &batch->state->bodies.rigid[m->components->list[n].body];
        const frz_vec3 arm = frz_rigid_body_arm(body, frz_v3_of(batch->reference[i]));
        const frz_vec3 velocity = frz_v3_add(body->velocity, frz_v3_cross(body->spin, arm));
        v[i] = frz_v4_of(velocity);
    }
}

static frz_status begin(mover *m, frz_diag *diag)
{
    frz_state *state = m->batch->state;
    const frz_model *model = m->batch->model;
    const int bodies = state->bodies.count, components = m->components->count;
    m->sum = FRZ_SCRATCH(&state->scratch, components + 1, motion_sum);
    m->lost = FRZ_SCRATCH(&state->scratch, bodies + 1, exact_vec3);
    m->lost_spin = FRZ_SCRATCH(&state->scratch, bodies + 1, frz_vec3);
    m->has_heir = FRZ_SCRATCH(&state->scratch, bodies + 1, bool);
    if (m->sum == NULL || m->lost == NULL || m->lost_spin == NULL || m->has_heir == NULL)
        return frz_fail_memory(diag, "the changes");
    memset(m->lost, 0, (size_t)bodies * sizeof *m->lost);
    memset(m->has_heir, 0, (size_t)bodies * sizeof *m->has_heir);
    double largest = 0.0, extent = model->spacing;
    const frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    for (int i = 0; i < m->batch->count; ++i)
        largest = fmax(largest, frz_particle_mass(model, inverse_density[i]));
    for (int a = 0; a < 3; ++a)
        extent = fmax(extent, state->neighbors.grid_max[a] - state->neighbors.grid_min[a]);
    if (m->batch->count == 0)
        largest = 1.0; // the last particle is gone, and any unit will do
    return frz_moment_units_make(largest, 4.0 * extent, INT32_MAX, model->spacing, &m->units, diag);
}

frz_status frz_changes_move_rigid(frz_batch *batch, const frz_components *components, const frz_rigid_body *old,
                                  frz_diag *diag)
{
    mover m = {.batch = batch, .components = components, .old = old};
    FRZ_TRY(begin(&m, diag));
    begin_frames(&m);
    frz_vec3 *local = FRZ_SCRATCH(&batch->state->scratch, batch->count + 1, frz_vec3);
    if (local == NULL)
        return frz_fail_memory(diag, "the changes");
    for (int i = 0; i < batch->count; ++i)
    {
        const int n = components->of_slot[i];
        const bool rigid = n >= 0 && components->list[n].phase == FRZ_PHASE_RIGID;
        if (rigid)
        {
            add_particle(&m, i, n);
            local[i] = place_in_body(&m, i, n);
        }
        else if (was_rigid(batch, i) && batch->wanted[i] != FRZ_CHANGE_NONE)
            let_go(&m, i);
    }
    for (int b = 0; b < batch->state->bodies.count; ++b)
        m.lost_spin[b] = value_of(&m.lost[b]);
    add_lost_spin(&m);
    for (int b = 0; b < batch->state->bodies.count; ++b)
        if (!m.has_heir[b] && frz_v3_dot(m.lost_spin[b], m.lost_spin[b]) > 0.0)
            turn_leavers(&m, b);
    for (int i = 0; i < batch->count; ++i)
        if (components->of_slot[i] >= 0 && components->list[components->of_slot[i]].phase == FRZ_PHASE_RIGID)
            batch->reference[i] = frz_v4_of(local[i]);
    for (int n = 0; n < components->count; ++n)
        if (components->list[n].phase == FRZ_PHASE_RIGID)
            set_motion(&m, n);
    place_particles(&m);
    return FRZ_OK;
}
