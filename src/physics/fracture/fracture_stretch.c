// SPDX-License-Identifier: MIT
// Fracture by stretch: a bond breaks when its relative elongation exceeds a limit. Each bond breaks independently and
// at once, as in peridynamics (Silling & Askari 2005, sec. 4); for tough materials, and for those that flow before they
// break.
#include <math.h>

#include "physics/fracture/fracture_bodies.h"

extern const frz_method frz_method_fracture_stretch;

typedef struct stretch
{
    double limit;
} stretch;

static const frz_param stretch_params[] = {
    {"limit", "growth at which a bond breaks, in its length", FRZ_PARAM_REAL, offsetof(stretch, limit), 0.3, 1.0e-6,
     100.0, ""},
    {0},
};

// Growth at which the bonds of a particle break; anchor: it holds a bond of one of the material.
static double limit_of(const frz_fracture *f, int i, bool anchor)
{
    const int material = anchor ? f->material : frz_fracture_material(f, i), slot = f->state->solids.slot[i];
    const frz_material *stuff = &f->model->materials[material];
    const frz_instance *instance = frz_model_method(f->model, FRZ_SLOT_FRACTURE, material);
    if (instance == NULL || instance->method != &frz_method_fracture_stretch)
        return HUGE_VAL;
    const double limit = ((const stretch *)instance->self)->limit;
    if (!f->model->has_temperature || !frz_material_depends(stuff, FRZ_PROPERTY_STRENGTH) || slot < 0)
        return limit;
    const frz_real *temperature = frz_field_real(&f->state->particles, f->model->temperature_field);
    return limit * frz_material_factor(stuff, FRZ_PROPERTY_STRENGTH, (double)temperature[slot]);
}

// The same from both ends in bits: both differences change their sign only, and the weaker end counts.
static bool is_torn(const frz_fracture *f, int i, int64_t k)
{
    const frz_bonds *bonds = &f->state->bonds;
    const frz_elastic_place *place = f->work.place;
    const int j = (int)bonds->other[k];
    if (j == i || !(bonds->weight[k] > 0))
        return false;
    const double limit = fmin(limit_of(f, i, false), limit_of(f, j, frz_bonds_is_tie(bonds, i, k)));
    const frz_v4 rest = frz_bonds_rest(bonds, i, k);
    const frz_v4 now = rest + frz_elastic_move(bonds, place, i, k);
    const double longest = (1.0 + limit) * sqrt((double)frz_v4_dot3(rest, rest));
    return (double)frz_v4_dot3(now, now) > longest * longest;
}

static frz_status stretch_end(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                              frz_diag *diag)
{
    (void)dt;
    const frz_bonds *bonds = &state->bonds;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_fracture f;
    if (bonds->count == 0)
        return FRZ_OK;
    FRZ_TRY(frz_fracture_begin(model, state, instance->material, &f, diag));
#pragma omp parallel for schedule(static)
    for (int i = 0; i < bonds->count; ++i)
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && frz_fracture_breaks(&f, i); ++k)
            f.hit[i] |= is_torn(&f, i, k);
    for (int i = 0; i < bonds->count; ++i)
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && f.hit[i] != 0; ++k)
            if (is_torn(&f, i, k))
                FRZ_TRY(frz_fracture_break(&f, i, k, diag));
    FRZ_TRY(frz_fracture_finish(&f, diag));
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

static double stretch_growth(const void *self)
{
    return ((const stretch *)self)->limit;
}

const frz_method frz_method_fracture_stretch = {
    .key = "stretch",
    .slot = FRZ_SLOT_FRACTURE,
    .doc = "Bonds break that are stretched beyond a share of their length.",
    .cite = "Silling & Askari 2005, doi:10.1016/j.compstruc.2004.11.026",
    .self_size = sizeof(stretch),
    .params = stretch_params,
    .fields = frz_fracture_fields,
    .run = {[FRZ_STAGE_FORCE] = frz_fracture_make_room, [FRZ_STAGE_END] = stretch_end},
    .bond_growth = stretch_growth,
};
