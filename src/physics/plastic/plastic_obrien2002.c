// SPDX-License-Identifier: MIT
// Plastic strain that is subtracted from the strain before the stress is computed: O'Brien, Bargteil & Hodgins 2002, as
// Solenthaler, Schlaefli & Pajarola 2007 use it with SPH. Yields at a von Mises stress, bears no more plastic strain
// than a limit, and may creep (law/plastic.h). For elastic methods whose stress is linear in a strain.
#include <math.h>

#include "physics/elastic/elastic_hyperelastic.h"
#include "physics/plastic/plastic_added.h"

extern const frz_method frz_method_plastic_obrien2002;

typedef struct obrien
{
    double yield, limit, creep_rate;
} obrien;

static const frz_param obrien_params[] = {
    {"yield", "von Mises stress at which the material flows", FRZ_PARAM_REAL, offsetof(obrien, yield), 1.0e4, 0.0,
     1.0e15, "Pa"},
    {"limit", "largest norm of the plastic strain, beyond which the material is elastic again; 0: none", FRZ_PARAM_REAL,
     offsetof(obrien, limit), 0.0, 0.0, 1.0e3, ""},
    {"creep_rate", "how fast stress beyond yield relaxes; 0: at once", FRZ_PARAM_REAL, offsetof(obrien, creep_rate),
     0.0, 0.0, 1.0e12, "1/s"},
    {0},
};

static const frz_field_decl obrien_fields[] = {
    {"plastic_diagonal", 3, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,
     "xx, yy, zz of the plastic strain; elastic method"},
    {"plastic_shear", 3, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,
     "yz, zx, xy of the plastic strain; elastic method"},
    {"plastic_strain", 1, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET | FRZ_FIELD_OUTPUT,
     "equivalent plastic strain so far; elastic method"},
    {0},
};

static frz_plastic_added added_of(const frz_model *model, const frz_state *state, int material, double dt)
{
    const frz_instance *instance = frz_model_method(model, FRZ_SLOT_PLASTIC, material);
    if (instance == NULL || instance->method != &frz_method_plastic_obrien2002)
        return (frz_plastic_added){.amount = NULL};
    const obrien *self = instance->self;
    return (frz_plastic_added){
        .plastic = {.yield_stress = self->yield,
                    .plastic_limit = self->limit > 0.0 ? self->limit : HUGE_VAL,
                    .creep_rate = self->creep_rate},
        .dt = dt,
        .flows = dt > 0.0,
        .diagonal = frz_field_v4(&state->particles, instance->first_field),
        .shear = frz_field_v4(&state->particles, instance->first_field + 1),
        .amount = frz_field_real(&state->particles, instance->first_field + 2),
        .slot = state->solids.slot,
        .relative = frz_state_relative_stress(model, state, material, FRZ_PROPERTY_YIELD),
        .heat = frz_state_heat_of_work(model, state, material),
        .cell = model->cell,
    };
}

frz_plastic_added *frz_plastic_added_all(const frz_model *model, frz_state *state, double dt)
{
    frz_plastic_added *all = FRZ_SCRATCH(&state->scratch, model->material_count + 1, frz_plastic_added);
    for (int m = 0; m < model->material_count && all != NULL; ++m)
        all[m] = added_of(model, state, m, dt);
    return all;
}

frz_mat3 frz_plastic_added_strain(const frz_plastic_added *use, const frz_elastic *elastic, frz_mat3 strain, int e)
{
    const int i = use->slot[e];
    if (i < 0)
        return frz_m3_zero();
    const double xx = (double)use->diagonal[i][0], yy = (double)use->diagonal[i][1], zz = (double)use->diagonal[i][2];
    const double yz = (double)use->shear[i][0], zx = (double)use->shear[i][1], xy = (double)use->shear[i][2];
    frz_mat3 flown = {{{xx, xy, zx}, {xy, yy, yz}, {zx, yz, zz}}};
    if (!use->flows)
        return flown;
    frz_plastic_additive plastic = use->plastic;
    plastic.yield_stress *= frz_relative_stress_at(&use->relative, i);
    const frz_plastic_flow flow = frz_plastic_additive_flow(&plastic, elastic, strain, use->dt, &flown);
    if (flow.amount > 0.0 && use->heat != NULL)
        use->heat[i] += (frz_real)(flow.work * use->cell * frz_relative_stiffness_at(&use->relative, i));
    if (!(flow.amount > 0.0))
        return flown;
    use->diagonal[i] = frz_v4_set((frz_real)flown.m[0][0], (frz_real)flown.m[1][1], (frz_real)flown.m[2][2], 0);
    use->shear[i] = frz_v4_set((frz_real)flown.m[1][2], (frz_real)flown.m[0][2], (frz_real)flown.m[0][1], 0);
    use->amount[i] += (frz_real)flow.amount;
    return flown;
}

bool frz_plastic_added_kind(const frz_law *law, frz_strain_kind *kind)
{
    static const char *const keys[] = {
        [FRZ_STRAIN_SMALL] = "hooke", [FRZ_STRAIN_COROTATED] = "corotated", [FRZ_STRAIN_GREEN] = "st_venant_kirchhoff"};
    for (int k = 0; k < 3; ++k)
        if (law == frz_law_find(keys[k]))
        {
            *kind = (frz_strain_kind)k;
            return true;
        }
    return false;
}

static frz_status obrien_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    const frz_instance *elastic = frz_model_method(model, FRZ_SLOT_ELASTIC, instance->material);
    if (elastic == NULL) // nothing to do for a liquid
        return FRZ_OK;
    const char *material = model->materials[instance->material].name;
    const frz_elastic_params *params = elastic->self;
    if (model->dimension == 2 && params->plane == FRZ_PLANE_STRESS)
        return frz_fail(
            diag, FRZ_ERR_SCENE,
            "material '%s': plastic obrien2002 needs the strain across the plane, which 'plane: stress' does "
            "not keep; use 'plane: strain', or three dimensions",
            material);
    const bool lawful = (elastic->method->traits & FRZ_TRAIT_ANY_LAW) != 0;
    frz_strain_kind kind;
    if (lawful && !frz_plastic_added_kind(frz_laws[((const frz_elastic_hyperelastic *)elastic->self)->law], &kind))
        return frz_fail(
            diag, FRZ_ERR_SCENE,
            "material '%s': plastic obrien2002 works with laws that are linear in a strain (hooke, corotated, "
            "st_venant_kirchhoff), not with %s; choose one of these, or plastic: bargteil2007",
            material, frz_elastic_law_words[((const frz_elastic_hyperelastic *)elastic->self)->law]);
    return FRZ_OK;
}

const frz_method frz_method_plastic_obrien2002 = {
    .key = "obrien2002",
    .slot = FRZ_SLOT_PLASTIC,
    .doc = "Added plastic strain at a von Mises stress, up to a limit, with creep: for small and moderate strains.",
    .cite = "O'Brien, Bargteil & Hodgins 2002, doi:10.1145/566654.566579; Solenthaler, Schlaefli & Pajarola 2007, "
            "doi:10.1002/cav.162",
    .self_size = sizeof(obrien),
    .params = obrien_params,
    .fields = obrien_fields,
    .check = obrien_check,
};
