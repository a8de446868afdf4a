// SPDX-License-Identifier: MIT
// Plastic flow that multiplies the elastic deformation, F = Fe Fp, with linear hardening and creep: Bargteil et al.
// 2007, in the form of law/plastic.h. Elastic methods call it where they have F: the stress is that of
// Fe = F Fp^-1, P = Pe Fp^-T.
#include <math.h>

#include "law/plastic_return.h"
#include "physics/plastic/plastic_flow.h"
#include "physics/registry.h"

extern const frz_method frz_method_plastic_bargteil2007;

typedef struct bargteil
{
    double yield, hardening, creep_rate;
} bargteil;

static const frz_param bargteil_params[] = {
    {"yield", "von Mises stress at which the virgin material flows", FRZ_PARAM_REAL, offsetof(bargteil, yield), 1.0e4,
     0.0, 1.0e15, "Pa"},
    {"hardening", "growth of the yield stress per plastic strain", FRZ_PARAM_REAL, offsetof(bargteil, hardening), 0.0,
     0.0, 1.0e15, "Pa"},
    {"creep_rate", "how fast stress beyond yield relaxes; 0: at once", FRZ_PARAM_REAL, offsetof(bargteil, creep_rate),
     0.0, 0.0, 1.0e12, "1/s"},
    {0},
};

static const frz_field_decl bargteil_fields[] = {
    {"plastic_x", 3, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET, "first row of Fp^-1 - I; elastic method"},
    {"plastic_y", 3, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET, "second row of Fp^-1 - I; elastic method"},
    {"plastic_z", 3, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET, "third row of Fp^-1 - I; elastic method"},
    {"plastic_strain", 1, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET | FRZ_FIELD_OUTPUT,
     "equivalent plastic strain so far; elastic method"},
    {0},
};

static frz_plastic_multiplicative flow_of(const bargteil *self)
{
    return (frz_plastic_multiplicative){.yield_stress = self->yield,
                                        .hardening = self->hardening,
                                        .creep_rate = self->creep_rate > 0.0 ? self->creep_rate : HUGE_VAL};
}

static frz_plastic_use use_of(const frz_model *model, const frz_state *state, int material, double dt)
{
    const frz_instance *instance = frz_model_method(model, FRZ_SLOT_PLASTIC, material);
    if (instance == NULL || instance->method != &frz_method_plastic_bargteil2007)
        return (frz_plastic_use){.hardened = NULL};
    frz_plastic_use use = {
        .plastic = flow_of(instance->self),
        .dt = dt,
        .hardened = frz_field_real(&state->particles, instance->first_field + 3),
        .slot = state->solids.slot,
        .relative = frz_state_relative_stress(model, state, material, FRZ_PROPERTY_YIELD),
        .heat = frz_state_heat_of_work(model, state, material),
        .cell = model->cell,
    };
    for (int a = 0; a < 3; ++a)
        use.row[a] = frz_field_v4(&state->particles, instance->first_field + a);
    return use;
}

frz_plastic_use *frz_plastic_uses(const frz_model *model, frz_state *state, double dt)
{
    frz_plastic_use *uses = FRZ_SCRATCH(&state->scratch, model->material_count + 1, frz_plastic_use);
    for (int m = 0; m < model->material_count && uses != NULL; ++m)
        uses[m] = use_of(model, state, m, dt);
    return uses;
}

frz_mat3 frz_plastic_use_flow(const frz_plastic_use *use, const frz_elastic *elastic, frz_mat3 f, int e)
{
    const int i = use->slot[e];
    frz_plastic_state state = frz_plastic_state_virgin();
    if (i < 0)
        return state.inverse;
    for (int k = 0; k < 9; ++k)
        state.inverse.m[k / 3][k % 3] += (double)use->row[k / 3][i][k % 3];
    if (!(use->dt > 0.0))
        return state.inverse;
    state.hardened = (double)use->hardened[i];
    frz_plastic_multiplicative plastic = use->plastic;
    const double relative = frz_relative_stress_at(&use->relative, i);
    plastic.yield_stress *= relative;
    plastic.hardening *= relative;
    const frz_plastic_flow flow = frz_plastic_multiplicative_flow(&plastic, elastic, f, use->dt, &state);
    if (flow.amount > 0.0 && use->heat != NULL)
        use->heat[i] += (frz_real)(flow.work * use->cell * frz_relative_stiffness_at(&use->relative, i));
    if (!(flow.amount > 0.0))
        return state.inverse;
    for (int k = 0; k < 9; ++k)
        use->row[k / 3][i][k % 3] = (frz_real)(state.inverse.m[k / 3][k % 3] - (k % 4 == 0 ? 1.0 : 0.0));
    use->hardened[i] = (frz_real)state.hardened;
    return state.inverse;
}

static void bargteil_yield(const frz_model *model, const frz_instance *instance, frz_yield *yield)
{
    (void)model;
    yield->kind = FRZ_YIELD_VON_MISES;
    yield->von_mises = flow_of(instance->self);
}

// The 2-norm squared is at most the product of the largest sums of rows and of columns.
static double norm_bound(const frz_plastic_use *use, int i)
{
    double rows = 0.0, columns[3] = {0.0, 0.0, 0.0};
    for (int r = 0; r < 3; ++r)
    {
        double sum = 0.0;
        for (int c = 0; c < 3; ++c)
        {
            const double entry = fabs((double)use->row[r][i][c] + (r == c ? 1.0 : 0.0));
            sum += entry;
            columns[c] += entry;
        }
        rows = fmax(rows, sum);
    }
    return rows * fmax(fmax(columns[0], columns[1]), columns[2]);
}

double frz_plastic_stiffening(const frz_model *model, const frz_state *state, int material)
{
    const frz_plastic_use use = use_of(model, state, material, 0.0);
    const uint8_t *own = frz_particles_material(&state->particles);
    double most = 1.0;
    for (int e = 0; e < (use.hardened != NULL ? state->solids.count : 0); ++e)
        if (use.slot[e] >= 0 && own[use.slot[e]] == material)
            most = fmax(most, norm_bound(&use, use.slot[e]));
    return most;
}

static frz_status bargteil_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    const frz_instance *elastic = frz_model_method(model, FRZ_SLOT_ELASTIC, instance->material);
    if (elastic == NULL || (elastic->method->traits & FRZ_TRAIT_PLASTIC_FLOW) != 0) // a liquid flows anyway
        return FRZ_OK;
    char names[FRZ_METHOD_NAMES_LENGTH];
    return frz_fail(diag, FRZ_ERR_SCENE,
                    "material '%s': plastic flow works with the elastic methods %s, not with %s; choose one of these, "
                    "or plastic: obrien2002",
                    model->materials[instance->material].name,
                    frz_method_names(FRZ_SLOT_ELASTIC, FRZ_TRAIT_PLASTIC_FLOW, "and", names), elastic->method->key);
}

const frz_method frz_method_plastic_bargteil2007 = {
    .key = "bargteil2007",
    .slot = FRZ_SLOT_PLASTIC,
    .doc = "Multiplicative plastic flow at a von Mises stress, with hardening and creep; keeps the volume.",
    .cite = "Bargteil, Wojtan, Hodgins & Turk 2007, doi:10.1145/1276377.1276397; Khadke (thesis), sec. 2",
    .self_size = sizeof(bargteil),
    .params = bargteil_params,
    .fields = bargteil_fields,
    .check = bargteil_check,
    .yield = bargteil_yield,
};
