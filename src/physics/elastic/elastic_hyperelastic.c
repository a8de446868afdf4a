// SPDX-License-Identifier: MIT
#include "physics/elastic/elastic_hyperelastic.h"

#include <math.h>
#include <string.h>

#include "sim/state_solids.h"

const char *const frz_elastic_law_words[] = {
#define FRZ_LAW(name) #name,
#include "law/laws.def"
#undef FRZ_LAW
    NULL,
};

// The law is linear in a strain, of which the plastic one is taken away. For the tangent a point is left behind that
// has the elastic strain alone, without the rotation of the plastic one: a matrix of Newton's method, not its residual.
static frz_law_point point_of_added(const frz_elastic_law_material *self, frz_mat3 f, int e, frz_quat *rotation)
{
    (void)frz_m3_rotation(f, rotation);
    const frz_mat3 r = frz_m3_from_quat(*rotation), whole = frz_strain_of(self->kind, f, r);
    const frz_mat3 strain = frz_m3_sub(whole, frz_plastic_added_strain(self->added, &self->elastic, whole, e));
    if (self->points != NULL)
    {
        const frz_mat3 stretched = frz_m3_add(frz_m3_identity(), strain);
        frz_quat guess = *rotation;
        self->points[e] = frz_elastic_at(&self->elastic, frz_m3_mul(r, stretched), &guess);
    }
    return (frz_law_point){.energy = 0.5 * frz_m3_dot(strain, frz_strain_stress(&self->elastic, strain)),
                           .stress = frz_strain_piola(&self->elastic, self->kind, strain, f, r)};
}

// Strains |F^T F - I| below this change the moduli of no law by more than what the limit of the step leaves room for.
static const double mild_strain = 0.1;

// Modulus of the fastest wave at a point over that at rest. Waves that are faster than at rest run along the principal
// directions: that of the strongest compression (neo-Hookean laws), or of the strongest stretch (St. Venant-Kirchhoff).
static double stiffening_of(const frz_elastic *elastic, const frz_law_point *point)
{
    const frz_mat3 stretch = frz_m3_mul(frz_m3_transpose(point->f), point->f);
    if (frz_m3_norm(frz_m3_sub(stretch, frz_m3_identity())) < mild_strain)
        return 1.0;
    const frz_eigen3 principal = frz_m3_eigen(stretch);
    double most = 0.0;
    for (int c = 0; c < 3; c += 2)
    {
        const frz_vec3 n = frz_v3(principal.v.m[0][c], principal.v.m[1][c], principal.v.m[2][c]);
        most = fmax(most, frz_m3_eigen(frz_elastic_acoustic(elastic, point, n)).s[0]);
    }
    const double speed = frz_elastic_wave_speed(elastic, 1.0);
    return fmax(1.0, most / (speed * speed));
}

void frz_elastic_law_stress(const void *context, frz_elastic_chunk *chunk)
{
    const frz_elastic_law_material *self = context;
    for (int n = 0; n < chunk->count; ++n)
    {
        frz_v4 *const turn = &self->rotation[chunk->begin + n];
        frz_mat3 f = frz_m3_identity();
        for (int k = 0; k < 9; ++k)
            f.m[k / 3][k % 3] += (double)chunk->h[k][n];
        frz_quat rotation = {(double)(*turn)[3], (double)(*turn)[0], (double)(*turn)[1], (double)(*turn)[2]};
        frz_mat3 back = frz_m3_identity(); // Fp^-1
        if (self->plastic != NULL)
            back = frz_plastic_use_flow(self->plastic, &self->elastic, f, chunk->begin + n);
        frz_law_point point = frz_elastic_at(&self->elastic, frz_m3_mul(f, back), &rotation);
        if (self->stiffening != NULL)
            self->stiffening[chunk->begin + n] = (frz_real)stiffening_of(&self->elastic, &point);
        if (self->points != NULL)
            self->points[chunk->begin + n] = point;
        if (self->added != NULL)
            point = point_of_added(self, f, chunk->begin + n, &rotation);
        if (self->points != NULL)
            (void)frz_m3_rotation(f, &rotation); // for the gradients of sheets, which turn with them
        if (self->plastic != NULL)
            point.stress = frz_m3_mul(point.stress, frz_m3_transpose(back));
        *turn = frz_v4_set((frz_real)rotation.x, (frz_real)rotation.y, (frz_real)rotation.z, (frz_real)rotation.w);
        for (int k = 0; k < 9; ++k)
            chunk->p[k][n] = (frz_real)point.stress.m[k / 3][k % 3];
        chunk->energy[n] = (frz_real)point.energy;
    }
    for (int n = chunk->count; n < (chunk->count + 7) / 8 * 8; ++n)
        for (int k = 0; k < 9; ++k)
            chunk->p[k][n] = 0;
}

void frz_elastic_law_tangent(const void *context, frz_elastic_chunk *chunk)
{
    const frz_elastic_law_material *self = context;
    for (int n = 0; n < (chunk->count + 7) / 8 * 8; ++n)
    {
        frz_mat3 change = frz_m3_zero();
        for (int k = 0; n < chunk->count && k < 9; ++k)
            change.m[k / 3][k % 3] = (double)chunk->h[k][n];
        frz_mat3 back = frz_m3_identity(); // Fp^-1, which stays as it is in the step
        if (n < chunk->count && self->plastic != NULL)
            back = frz_plastic_use_flow(self->plastic, &self->elastic, back, chunk->begin + n);
        if (n < chunk->count)
            change = frz_elastic_tangent(&self->elastic, &self->points[chunk->begin + n], frz_m3_mul(change, back));
        if (self->plastic != NULL)
            change = frz_m3_mul(change, frz_m3_transpose(back));
        for (int k = 0; k < 9; ++k)
            chunk->p[k][n] = (frz_real)change.m[k / 3][k % 3];
        chunk->energy[n] = 0;
    }
}

frz_status frz_elastic_hyperelastic_material(const frz_model *model, const frz_instance *instance, frz_elastic *elastic,
                                             frz_diag *diag)
{
    const frz_elastic_hyperelastic *self = instance->self;
    frz_elastic_def def = frz_elastic_def_default(frz_laws[self->law]);
    def.youngs_modulus = self->common.young;
    def.poisson_ratio = self->common.poisson;
    def.plane = model->dimension == 2 ? (frz_law_plane)self->common.plane : FRZ_PLANE_STRAIN;
    return frz_elastic_prepare(&def, elastic, diag);
}

frz_status frz_elastic_hyperelastic_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    frz_elastic elastic;
    frz_diag cause = {.status = FRZ_OK};
    FRZ_TRY(frz_elastic_check(model, instance, diag));
    if (frz_elastic_hyperelastic_material(model, instance, &elastic, &cause) != FRZ_OK)
        return frz_fail(diag, FRZ_ERR_SCENE, "material '%s': %s", model->materials[instance->material].name,
                        cause.message);
    return FRZ_OK;
}

// A frz_elastic_adapt_fn.
static frz_status adapt(const frz_model *model, const frz_instance *instance, void *context, frz_elastic_use *use,
                        frz_diag *diag)
{
    const frz_elastic_params *params = instance->self;
    frz_elastic_law_material *material = context;
    use->zero_energy = params->zero_energy * params->young;
    material->plastic = frz_plastic_use_of(material->flows, instance->material);
    material->added = frz_plastic_added_of(material->adds, instance->material);
    if (!frz_plastic_added_kind(frz_laws[((const frz_elastic_hyperelastic *)instance->self)->law], &material->kind))
        material->added = NULL;
    return frz_elastic_hyperelastic_material(model, instance, &material->elastic, diag);
}

static frz_status use_of(const frz_model *model, frz_state *state, const frz_instance *instance,
                         frz_elastic_law_material *material, frz_elastic_use *use, frz_diag *diag)
{
    *use = (frz_elastic_use){.stress = frz_elastic_law_stress, .context = material, .corrected = true};
    FRZ_TRY(adapt(model, instance, material, use, diag));
    return frz_elastic_mix(model, state, instance, sizeof *material, adapt, use, diag);
}

frz_status frz_elastic_hyperelastic_prepare(const frz_model *model, frz_state *state, const frz_instance *instance,
                                            frz_bond_weight weight, frz_diag *diag)
{
    FRZ_TRY(frz_state_bonds(model, state, diag));
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_law_material material = {
        .rotation = FRZ_SCRATCH(&state->scratch, state->bonds.count + 1, frz_v4),
    };
    if (material.rotation == NULL)
        return frz_fail_memory(diag, "the elastic forces");
    for (int i = 0; i < state->bonds.count; ++i)
        material.rotation[i] = frz_v4_set(0, 0, 0, 1);
    frz_elastic_use use;
    FRZ_TRY(use_of(model, state, instance, &material, &use, diag));
    FRZ_TRY(frz_elastic_prepare_bodies(model, state, instance, weight, &use, diag));
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

// Where the store has it: methods with other fields, too, have it behind them.
static int stiffening_field(const frz_instance *instance)
{
    int n = 0;
    while (strcmp(instance->method->fields[n].name, "stiffening") != 0)
        ++n;
    return instance->first_field + n;
}

static void write_stiffening(frz_state *state, const frz_instance *instance, const frz_real *stiffening)
{
    const frz_bonds *bonds = &state->bonds;
    frz_real *field = frz_field_real(&state->particles, stiffening_field(instance));
    for (int b = 0; b < state->solids.body_count; ++b)
    {
        if (!frz_elastic_owns(state, instance, b))
            continue;
#pragma omp parallel for schedule(static)
        for (int i = bonds->first[b]; i < bonds->first[b + 1]; ++i)
            if (state->solids.slot[i] >= 0)
                field[state->solids.slot[i]] = stiffening[i];
    }
}

// Largest stiffening of all particles.
static double most_stiffening(const frz_state *state, const frz_instance *instance)
{
    const frz_real *field = frz_field_real(&state->particles, stiffening_field(instance));
    frz_real most = 1;
#pragma omp parallel for schedule(static) reduction(max : most)
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i) // 0 where another method, or none, is at work
        most = field[i] > most ? field[i] : most;
    return (double)most;
}

// How often the step of the body at rest is halved so that it is at most this share of the longest stable one.
static double halvings(double stiffening, double share)
{
    const double rest = frz_elastic_stability / share;
    return fmax(0.0, ceil(0.5 * log2(rest * rest * stiffening)));
}

static double least_halvings(double stiffening)
{
    return halvings(stiffening, 1.0);
}

// A step that follows every swing of the stiffness would change all the time, and every change costs accuracy. So it is
// halved when it would not be stable, and doubled when it is then as far from that as at rest.
double frz_elastic_hyperelastic_max_dt(const frz_model *model, const frz_state *state, const frz_instance *instance)
{
    const double most = most_stiffening(state, instance), rest = frz_elastic_max_dt(model, state, instance);
    const double now = state->stats.dt > 0.0 ? floor(log2(rest / state->stats.dt)) : 0.0;
    const double longer = fmin(now, halvings(most, frz_elastic_stability));
    return rest * exp2(-fmax(longer, least_halvings(most)));
}

// The material as it is now, in the scratch arena; it flows over dt.
static frz_status read_material(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                frz_elastic_law_material *material, frz_diag *diag)
{
    FRZ_TRY(frz_state_bonds(model, state, diag));
    *material = (frz_elastic_law_material){.rotation = frz_elastic_read_turns(state, instance),
                                           .flows = frz_plastic_uses(model, state, dt),
                                           .adds = frz_plastic_added_all(model, state, dt)};
    if (material->rotation == NULL || material->flows == NULL || material->adds == NULL)
        return frz_fail_memory(diag, "the elastic forces");
    return FRZ_OK;
}

frz_status frz_elastic_hyperelastic_energy(const frz_model *model, frz_state *state, const frz_instance *instance,
                                           bool is_explicit, double *energy, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_law_material material;
    FRZ_TRY(read_material(model, state, instance, 0.0, &material, diag));
    frz_elastic_use use;
    FRZ_TRY(use_of(model, state, instance, &material, &use, diag));
    FRZ_TRY(frz_elastic_add_energy(model, state, instance, &use, is_explicit, energy, diag));
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

// The step was chosen for the stiffness of a step ago. Particles that a blow presses together in one step may have
// become much stiffer since.
static frz_status check_step(const frz_model *model, const frz_state *state, const frz_instance *instance, double dt,
                             frz_diag *diag)
{
    const double halved = least_halvings(most_stiffening(state, instance));
    if (dt <= (1.0 + 1e-9) * frz_elastic_max_dt(model, state, instance) * exp2(-halved))
        return FRZ_OK;
    return frz_fail(diag, FRZ_ERR_DIVERGED,
                    "material '%s' is pressed or stretched so far that it is too stiff for the step",
                    model->materials[instance->material].name);
}

frz_status frz_elastic_hyperelastic_force(const frz_model *model, frz_state *state, const frz_instance *instance,
                                          double dt, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_law_material material;
    FRZ_TRY(read_material(model, state, instance, dt, &material, diag));
    material.stiffening = FRZ_SCRATCH(&state->scratch, state->bonds.count + 1, frz_real);
    if (material.stiffening == NULL)
        return frz_fail_memory(diag, "the elastic forces");
    frz_elastic_use use;
    FRZ_TRY(use_of(model, state, instance, &material, &use, diag));
    FRZ_TRY(frz_elastic_add_forces(model, state, instance, &use, diag));
    frz_elastic_write_turns(state, instance, material.rotation);
    write_stiffening(state, instance, material.stiffening);
    frz_arena_release(&state->scratch, mark);
    return check_step(model, state, instance, dt, diag);
}

// Bodies flow at the place where the step finds them; within it the plastic strain is constant.
static frz_status flow_first(const frz_model *model, frz_state *state, const frz_instance *instance,
                             const frz_elastic_use *force, frz_plastic_use *flows, frz_plastic_added *adds,
                             frz_diag *diag)
{
    bool any = false;
    for (int m = 0; m < model->material_count; ++m)
        any = any || ((frz_plastic_use_of(flows, m) != NULL || adds[m].flows) &&
                      frz_elastic_reaches(model, state, instance, m));
    if (any)
        FRZ_TRY(frz_elastic_add_flow(model, state, instance, force, diag));
    for (int m = 0; m < model->material_count; ++m)
    {
        flows[m].dt = 0.0;
        adds[m].flows = false;
    }
    return FRZ_OK;
}

frz_status frz_elastic_hyperelastic_velocity(const frz_model *model, frz_state *state, const frz_instance *instance,
                                             const frz_elastic_step_params *step, double dt, frz_diag *diag)
{
    FRZ_TRY(frz_state_bonds(model, state, diag));
    // the data of the tangent live until the end of the try: responses use them
    frz_elastic_law_material *material = FRZ_SCRATCH(&state->scratch, 1, frz_elastic_law_material);
    if (material == NULL)
        return frz_fail_memory(diag, "the elastic solver");
    frz_plastic_use *flows = frz_plastic_uses(model, state, dt);
    frz_plastic_added *adds = frz_plastic_added_all(model, state, dt);
    *material = (frz_elastic_law_material){
        .rotation = frz_elastic_read_turns(state, instance),
        .flows = flows,
        .adds = adds,
        .points = FRZ_SCRATCH(&state->scratch, state->bonds.count + 1, frz_law_point),
    };
    if (material->rotation == NULL || material->points == NULL || flows == NULL || adds == NULL)
        return frz_fail_memory(diag, "the elastic solver");
    frz_elastic_implicit implicit = {.params = step};
    FRZ_TRY(use_of(model, state, instance, material, &implicit.force, diag));
    FRZ_TRY(flow_first(model, state, instance, &implicit.force, flows, adds, diag));
    implicit.modulus = material->elastic.lambda + 2.0 * material->elastic.mu;
    FRZ_TRY(frz_elastic_implicit_tangent(model, state, instance, frz_elastic_law_tangent, material->rotation, &implicit,
                                         diag));
    FRZ_TRY(frz_elastic_implicit_step(model, state, instance, &implicit, dt, diag));
    frz_elastic_write_turns(state, instance, material->rotation);
    return FRZ_OK;
}
