// SPDX-License-Identifier: MIT
// Corotated stress: with M = I + H (or A + H without correction), R the rotation nearest to M and U = R^T M - I (or -
// A),
//
//   linear:  eps = (U + U^T) / 2,            P = R (2 mu eps + lambda tr(eps) I)                 Becker 2009, eqs.
//   13-16 Green:   eps = (U + U^T + U^T U) / 2,    P = R (I + U) (2 mu eps + lambda tr(eps) I)         Becker 2009,
//   sec. 4
//
// R^T M is symmetric, so that the change of R does no work and P is the derivative of the energy (with correction).
#include "physics/elastic/elastic_corotated.h"

#include "math/mat3_wide.h"
#include "sim/state_solids.h"

// One by one and in double precision: far from the last rotation, collapsed or inverted.
static void rotation_slow(const frz_wide3 *a, const frz_v4 *from, int count, frz_wide_quat *q)
{
    for (int l = 0; l < 8; ++l)
    {
        frz_quat rotation = frz_quat_identity();
        frz_mat3 m;
        for (int k = 0; k < 9; ++k)
            m.m[k / 3][k % 3] = (double)a->m[k / 3][k % 3][l];
        if (l < count)
        {
            rotation = (frz_quat){(double)from[l][3], (double)from[l][0], (double)from[l][1], (double)from[l][2]};
            (void)frz_m3_rotation(m, &rotation);
        }
        q->w[l] = (frz_real)rotation.w;
        q->x[l] = (frz_real)rotation.x;
        q->y[l] = (frz_real)rotation.y;
        q->z[l] = (frz_real)rotation.z;
    }
}

static frz_wide3 moment_at(const frz_bond_matrices *moment, int i)
{
    if (moment == NULL)
    {
        const frz_w8 one = frz_w8_splat(1), zero = frz_w8_splat(0);
        return (frz_wide3){{{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}};
    }
    const frz_w8 xx = frz_w8_load(moment->xx + i), xy = frz_w8_load(moment->xy + i), xz = frz_w8_load(moment->xz + i),
                 yy = frz_w8_load(moment->yy + i), yz = frz_w8_load(moment->yz + i), zz = frz_w8_load(moment->zz + i);
    return (frz_wide3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}

// Fp^-1 of eight particles.
static frz_wide3 back_at(const frz_elastic_corotated *self, int i)
{
    frz_wide3 b;
    for (int k = 0; k < 9; ++k)
        b.m[k / 3][k % 3] = frz_w8_load(self->back[k] + i);
    return b;
}

// Take the plastic strain of some particles from their strain, after they have flown.
static void take_flown(const frz_elastic_corotated *self, int begin, int lanes, frz_wide3 *strain)
{
    const frz_elastic elastic = {.lambda = self->lambda, .mu = self->mu};
    for (int l = 0; l < lanes; ++l)
    {
        frz_mat3 e;
        for (int k = 0; k < 9; ++k)
            e.m[k / 3][k % 3] = (double)strain->m[k / 3][k % 3][l];
        const frz_mat3 flown = frz_plastic_added_strain(self->added, &elastic, e, begin + l);
        for (int k = 0; k < 9; ++k)
            strain->m[k / 3][k % 3][l] -= (frz_real)flown.m[k / 3][k % 3];
    }
}

// From U to the stress in the turned frame (before R) and the energy. lanes: of the particles from begin on whose
// plastic strain counts; 0 for a change of the stress.
static frz_wide3 turned_stress(const frz_elastic_corotated *self, int begin, int lanes, frz_wide3 *u, frz_w8 *energy)
{
    const frz_w8 half = frz_w8_splat((frz_real)0.5), zero = frz_w8_splat(0);
    const frz_w8 mu2 = frz_w8_splat((frz_real)(2.0 * self->mu)), lambda = frz_w8_splat((frz_real)self->lambda);
    frz_wide3 square = {{{zero}}}, stress, strain;
    if (self->green)
        square = frz_wide3_mul_left(u, u);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            strain.m[i][j] = half * (u->m[i][j] + u->m[j][i] + square.m[i][j]);
    if (self->added != NULL && lanes > 0)
        take_flown(self, begin, lanes, &strain);
    frz_w8 dot = zero, trace = zero;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
        {
            stress.m[i][j] = mu2 * strain.m[i][j];
            dot += strain.m[i][j] * strain.m[i][j];
            trace += i == j ? strain.m[i][j] : zero;
        }
    for (int i = 0; i < 3; ++i)
        stress.m[i][i] += lambda * trace;
    *energy = half * (mu2 * dot + lambda * trace * trace);
    if (!self->green)
        return stress;
    for (int i = 0; i < 3; ++i)
        u->m[i][i] += frz_w8_splat(1);
    return frz_wide3_mul(u, &stress);
}

// The rotations of eight particles, from those of the last step, which they replace.
static frz_wide3 turn(const frz_wide3 *m, frz_v4 *rotation, int lanes)
{
    frz_wide_quat q = frz_wide_quat_load(rotation, lanes);
    if (!frz_wide3_rotation(m, &q))
        rotation_slow(m, rotation, lanes, &q);
    frz_wide_quat_store(&q, rotation, lanes);
    return frz_wide3_from_quat(&q);
}

void frz_elastic_corotated_stress(const void *context, frz_elastic_chunk *chunk)
{
    const frz_elastic_corotated *self = context;
    for (int n = 0; n < chunk->count; n += 8)
    {
        const int lanes = chunk->count - n < 8 ? chunk->count - n : 8;
        frz_wide3 r, u, p;
        frz_w8 energy;
        for (int k = 0; k < 9; ++k)
            u.m[k / 3][k % 3] = frz_w8_load(chunk->h[k] + n);
        if (self->rotation != NULL)
        {
            const frz_wide3 rest = moment_at(self->moment, chunk->begin + n);
            frz_wide3 m;
            for (int k = 0; k < 9; ++k)
                m.m[k / 3][k % 3] = rest.m[k / 3][k % 3] + u.m[k / 3][k % 3];
            if (self->back[0] != NULL)
            {
                const frz_wide3 back = back_at(self, chunk->begin + n);
                m = frz_wide3_mul(&m, &back);
            }
            r = turn(&m, self->rotation + chunk->begin + n, lanes);
            u = frz_wide3_mul_left(&r, &m);
            for (int k = 0; k < 9; ++k)
                u.m[k / 3][k % 3] -= rest.m[k / 3][k % 3];
        }
        p = turned_stress(self, chunk->begin + n, lanes, &u, &energy);
        if (self->rotation != NULL)
            p = frz_wide3_mul(&r, &p);
        if (self->back[0] != NULL)
        {
            const frz_wide3 back = back_at(self, chunk->begin + n);
            p = frz_wide3_mul_right(&p, &back);
        }
        for (int k = 0; k < 9; ++k)
            frz_w8_store(chunk->p[k] + n, p.m[k / 3][k % 3]);
        frz_w8_store(chunk->energy + n, energy);
    }
}

void frz_elastic_corotated_tangent(const void *context, frz_elastic_chunk *chunk)
{
    const frz_elastic_corotated *self = context;
    for (int n = 0; n < chunk->count; n += 8)
    {
        const int lanes = chunk->count - n < 8 ? chunk->count - n : 8;
        const frz_wide_quat q = frz_wide_quat_load(self->rotation + chunk->begin + n, lanes);
        const frz_wide3 r = frz_wide3_from_quat(&q);
        frz_wide3 h;
        frz_w8 energy;
        for (int k = 0; k < 9; ++k)
            h.m[k / 3][k % 3] = frz_w8_load(chunk->h[k] + n);
        const frz_wide3 back = self->back[0] != NULL ? back_at(self, chunk->begin + n) : h;
        if (self->back[0] != NULL)
            h = frz_wide3_mul(&h, &back);
        frz_wide3 u = frz_wide3_mul_left(&r, &h);
        const frz_wide3 stress = turned_stress(self, 0, 0, &u, &energy);
        frz_wide3 p = frz_wide3_mul(&r, &stress);
        if (self->back[0] != NULL)
            p = frz_wide3_mul_right(&p, &back);
        for (int k = 0; k < 9; ++k)
            frz_w8_store(chunk->p[k] + n, p.m[k / 3][k % 3]);
        frz_w8_store(chunk->energy + n, energy);
    }
}

frz_status frz_elastic_corotated_adapt(const frz_model *model, const frz_instance *instance, void *context,
                                       frz_elastic_use *use, frz_diag *diag)
{
    (void)diag;
    const frz_elastic_params *params = instance->self;
    frz_elastic_corotated *material = context;
    frz_elastic_moduli(model, params, &material->lambda, &material->mu);
    material->added = frz_plastic_added_of(material->adds, instance->material);
    use->zero_energy = use->corrected ? params->zero_energy * params->young : 0.0;
    return FRZ_OK;
}

static frz_status use_of(const frz_model *model, frz_state *state, const frz_instance *instance,
                         const frz_elastic_linear *linear, frz_elastic_corotated *material, frz_elastic_use *use,
                         frz_diag *diag)
{
    material->green = linear->green;
    material->moment = linear->correction ? NULL : &state->bonds.moment;
    *use =
        (frz_elastic_use){.stress = frz_elastic_corotated_stress, .context = material, .corrected = linear->correction};
    FRZ_TRY(frz_elastic_corotated_adapt(model, instance, material, use, diag));
    return frz_elastic_mix(model, state, instance, sizeof *material, frz_elastic_corotated_adapt, use, diag);
}

frz_status frz_elastic_linear_prepare(const frz_model *model, frz_state *state, const frz_instance *instance,
                                      const frz_elastic_linear *linear, frz_diag *diag)
{
    FRZ_TRY(frz_state_bonds(model, state, diag));
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_corotated material = {.lambda = 0.0};
    if (linear->turning)
    {
        material.rotation = FRZ_SCRATCH(&state->scratch, state->bonds.count + 1, frz_v4);
        if (material.rotation == NULL)
            return frz_fail_memory(diag, "the elastic forces");
        for (int i = 0; i < state->bonds.count; ++i)
            material.rotation[i] = frz_v4_set(0, 0, 0, 1);
    }
    frz_elastic_use use;
    FRZ_TRY(use_of(model, state, instance, linear, &material, &use, diag));
    FRZ_TRY(frz_elastic_prepare_bodies(model, state, instance, linear->weight, &use, diag));
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

// The material as it is now, in the scratch arena; its plastic strain grows over dt.
static frz_status read_material(const frz_model *model, frz_state *state, const frz_instance *instance,
                                const frz_elastic_linear *linear, double dt, frz_elastic_corotated *material,
                                frz_diag *diag)
{
    *material = (frz_elastic_corotated){.adds = frz_plastic_added_all(model, state, dt)};
    material->rotation = linear->turning ? frz_elastic_read_turns(state, instance) : NULL;
    const bool short_of = material->adds == NULL || (linear->turning && material->rotation == NULL);
    return short_of ? frz_fail_memory(diag, "the elastic forces") : FRZ_OK;
}

frz_status frz_elastic_linear_energy(const frz_model *model, frz_state *state, const frz_instance *instance,
                                     const frz_elastic_linear *linear, double *energy, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_corotated material;
    FRZ_TRY(frz_state_bonds(model, state, diag));
    FRZ_TRY(read_material(model, state, instance, linear, 0.0, &material, diag));
    frz_elastic_use use;
    FRZ_TRY(use_of(model, state, instance, linear, &material, &use, diag));
    FRZ_TRY(frz_elastic_add_energy(model, state, instance, &use, true, energy, diag));
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

frz_status frz_elastic_linear_force(const frz_model *model, frz_state *state, const frz_instance *instance,
                                    const frz_elastic_linear *linear, double dt, frz_diag *diag)
{
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_corotated material;
    FRZ_TRY(frz_state_bonds(model, state, diag));
    FRZ_TRY(read_material(model, state, instance, linear, dt, &material, diag));
    frz_elastic_use use;
    FRZ_TRY(use_of(model, state, instance, linear, &material, &use, diag));
    FRZ_TRY(frz_elastic_add_forces(model, state, instance, &use, diag));
    if (linear->turning)
        frz_elastic_write_turns(state, instance, material.rotation);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}
