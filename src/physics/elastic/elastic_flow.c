// SPDX-License-Identifier: MIT
#include "physics/elastic/elastic_flow.h"

#include <string.h>

#include "law/plastic_wide.h"
#include "physics/plastic/plastic_flow.h"

enum
{
    tail = 16 // numbers behind the last one that wide loads may touch
};

// Input of the sweep over the gradients.
typedef struct flow_sweep
{
    frz_elastic elastic;
    frz_plastic_use plastic;
    frz_plastic_wide wide;
    frz_elastic_corotated *material; // null: it does not flow
} flow_sweep;

// The same for all materials, and which one bodies of a single one are made of.
typedef struct flow_sweeps
{
    const flow_sweep *of;
    int own;
} flow_sweeps;

// Fp^-1 and plastic strain of some particles; those that are gone have not flown.
static frz_wide3 read_flown(const frz_plastic_use *plastic, int begin, int lanes, frz_w8 *hardened)
{
    frz_wide3 back;
    *hardened = frz_w8_splat(0);
    int slot[8];
    for (int l = 0; l < 8; ++l)
    {
        slot[l] = l < lanes ? plastic->slot[begin + l] : -1;
        if (slot[l] >= 0)
            (*hardened)[l] = plastic->hardened[slot[l]];
    }
    for (int r = 0; r < 3; ++r)
    {
        frz_v4 row[8];
        frz_w8 entry[4];
        for (int l = 0; l < 8; ++l)
            row[l] = slot[l] >= 0 ? plastic->row[r][slot[l]] : frz_v4_zero();
        frz_w8_from_v4(row, entry);
        for (int c = 0; c < 3; ++c)
            back.m[r][c] = entry[c] + frz_w8_splat(r == c ? 1 : 0);
    }
    return back;
}

static void write_flown(const frz_plastic_use *plastic, int begin, int lanes, frz_w8_mask flows, const frz_wide3 *back,
                        const frz_w8 *hardened)
{
    for (int l = 0; l < lanes; ++l)
    {
        const int slot = plastic->slot[begin + l];
        if (flows[l] == 0 || slot < 0)
            continue;
        for (int k = 0; k < 9; ++k)
            plastic->row[k / 3][slot][k % 3] = back->m[k / 3][k % 3][l] - (k % 4 == 0 ? 1 : 0);
        plastic->hardened[slot] = (*hardened)[l];
    }
}

// One by one and in double precision: collapsed, inverted, or turned too far in a step.
static void flow_slow(const flow_sweep *sweep, const frz_wide3 *f, int begin, int lanes, frz_wide3 *back)
{
    for (int l = 0; l < lanes; ++l)
    {
        frz_mat3 m;
        for (int k = 0; k < 9; ++k)
            m.m[k / 3][k % 3] = (double)f->m[k / 3][k % 3][l];
        m = frz_plastic_use_flow(&sweep->plastic, &sweep->elastic, m, begin + l);
        for (int k = 0; k < 9; ++k)
            back->m[k / 3][k % 3][l] = (frz_real)m.m[k / 3][k % 3];
    }
}

// back := back factor, normalised to determinant 1: that of the factor is 1, but rounding errors add up over many steps
static void multiply_back(frz_wide3 *back, const frz_wide3 *factor)
{
    const frz_wide3 product = frz_wide3_mul(back, factor);
    const frz_w8 beyond = frz_wide3_determinant(&product) - frz_w8_splat(1);
    const frz_w8 scale = frz_w8_splat(1) - frz_w8_splat((frz_real)(1.0 / 3.0)) * beyond;
    for (int k = 0; k < 9; ++k)
        back->m[k / 3][k % 3] = scale * product.m[k / 3][k % 3];
}

// R^T Fe and R, if they are easy to find.
static bool find_stretch(const frz_wide3 *fe, frz_v4 *rotation, int lanes, frz_wide3 *stretch)
{
    frz_wide_quat q = frz_wide_quat_load(rotation, lanes);
    if (!frz_wide3_rotation(fe, &q))
        return false;
    frz_wide_quat_store(&q, rotation, lanes);
    const frz_wide3 r = frz_wide3_from_quat(&q);
    *stretch = frz_wide3_mul_left(&r, fe);
    const frz_w8 half = frz_w8_splat((frz_real)0.5);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j)
            stretch->m[i][j] = stretch->m[j][i] = half * (stretch->m[i][j] + stretch->m[j][i]);
    return true;
}

static void flow_chunk(const void *context, frz_elastic_chunk *chunk)
{
    const flow_sweeps *sweeps = context;
    const flow_sweep *sweep = &sweeps->of[chunk->material >= 0 ? chunk->material : sweeps->own];
    for (int n = 0; n < (sweep->material != NULL ? chunk->count : 0); n += 8)
    {
        const int begin = chunk->begin + n, lanes = chunk->count - n < 8 ? chunk->count - n : 8;
        frz_w8 hardened;
        frz_wide3 f, stretch, factor, back = read_flown(&sweep->plastic, begin, lanes, &hardened);
        for (int k = 0; k < 9; ++k)
            f.m[k / 3][k % 3] = frz_w8_load(chunk->h[k] + n) + frz_w8_splat(k % 4 == 0 ? 1 : 0);
        const frz_wide3 fe = frz_wide3_mul(&f, &back);
        if (sweep->plastic.dt > 0.0 && sweep->plastic.relative.material == NULL &&
            sweep->plastic.heat == NULL && // else yields differ
            find_stretch(&fe, sweep->material->rotation + begin, lanes, &stretch))
        {
            const frz_w8_mask flows = frz_plastic_wide_flow(&sweep->wide, &stretch, &hardened, &factor);
            if (frz_w8_mask_any(flows))
            {
                frz_wide3 flown = back;
                multiply_back(&flown, &factor);
                for (int k = 0; k < 9; ++k) // lanes without flow keep their bits
                    back.m[k / 3][k % 3] = frz_w8_select(flows, flown.m[k / 3][k % 3], back.m[k / 3][k % 3]);
                write_flown(&sweep->plastic, begin, lanes, flows, &back, &hardened);
            }
        }
        else if (sweep->plastic.dt > 0.0)
            flow_slow(sweep, &f, begin, lanes, &back);
        for (int k = 0; k < 9; ++k)
            memcpy(sweep->material->back[k] + begin, &back.m[k / 3][k % 3], (size_t)lanes * sizeof(frz_real));
    }
}

// Fp^-1 of all particles, the identity to begin with.
static frz_status make_back(const frz_bonds *bonds, frz_arena *scratch, frz_elastic_corotated *material, frz_diag *diag)
{
    for (int k = 0; k < 9; ++k)
    {
        material->back[k] = FRZ_SCRATCH(scratch, bonds->count + tail, frz_real);
        if (material->back[k] == NULL)
            return frz_fail_memory(diag, "plastic flow");
        for (int i = 0; i < bonds->count + tail; ++i)
            material->back[k][i] = k % 4 == 0 ? 1 : 0;
    }
    return FRZ_OK;
}

// How each material flows that bodies of the instance are made of. any: does one of them?
static frz_status find_sweeps(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                              frz_elastic_corotated *material, flow_sweeps *sweeps, bool *any, frz_diag *diag)
{
    const frz_plastic_use *uses = frz_plastic_uses(model, state, dt);
    flow_sweep *of = FRZ_SCRATCH(&state->scratch, model->material_count + 1, flow_sweep);
    if (uses == NULL || of == NULL)
        return frz_fail_memory(diag, "plastic flow");
    *sweeps = (flow_sweeps){of, instance->material};
    *any = false;
    for (int m = 0; m < model->material_count; ++m)
    {
        const frz_plastic_use *use = frz_plastic_use_of(uses, m);
        of[m] = (flow_sweep){.material = NULL};
        if (use == NULL || !frz_elastic_reaches(model, state, instance, m))
            continue;
        const frz_elastic_params *params = frz_model_method(model, FRZ_SLOT_ELASTIC, m)->self;
        frz_elastic_def def = frz_elastic_def_default(frz_law_find("corotated"));
        def.youngs_modulus = params->young;
        def.poisson_ratio = params->poisson;
        of[m] = (flow_sweep){.plastic = *use, .material = material};
        FRZ_TRY(frz_elastic_prepare(&def, &of[m].elastic, diag));
        of[m].wide = frz_plastic_wide_of(&use->plastic, &of[m].elastic, dt);
        *any = true;
    }
    return FRZ_OK;
}

frz_status frz_elastic_let_flow(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                frz_elastic_corotated *material, frz_diag *diag)
{
    const double start = frz_now();
    const frz_bonds *bonds = &state->bonds;
    bool any = false;
    flow_sweeps sweeps;
    FRZ_TRY(find_sweeps(model, state, instance, dt, material, &sweeps, &any, diag));
    if (!any)
        return FRZ_OK;
    FRZ_TRY(make_back(bonds, &state->scratch, material, diag));
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_work work;
    FRZ_TRY(frz_elastic_work_make(bonds, &state->scratch, &work, diag));
    for (int b = 0; b < state->solids.body_count; ++b)
    {
        if (!frz_elastic_owns(state, instance, b))
            continue;
        frz_elastic_gather(state, b, &work);
        frz_elastic_gradients(bonds, b, &work, flow_chunk, &sweeps);
    }
    frz_arena_release(&state->scratch, mark);
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "plastic flow"), start);
    return FRZ_OK;
}
