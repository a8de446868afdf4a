// SPDX-License-Identifier: MIT
// Implicit corotated SPH with a factorised matrix. Kugelstadt, Bender, Fernandez-Fernandez, Jeske, Loeschner & Longva
// 2021: zero-energy control is part of the system, and the matrix is factorised once.
//
// The part of the energy that does not turn, V mu |F - R|^2 and the zero-energy control, can be factorised once: the
// same matrix for each component of the displacement,
//
//   K = sum_i B_i^T (2 mu V - kappa A_i) B_i + kappa sum_i sum_j q_ij (e_j - e_i) (e_j - e_i)^T,     h_i = B_i u the
//   gradient
//
// in the notation of solid/elastic_sweeps.h. The paper solves with it and treats the resistance to changes of
// volume apart; here m + tau^2 K is the preconditioner of the whole linear problem, which is solved to the tolerance of
// peer2018: the result is the same, the iterations are fewer and each costs more. It is for tau to the next power of
// two, so that a restart makes the same one. Its memory grows with the 4/3rd power of the number of particles.
#include <math.h>

#include "base/memory.h"
#include "physics/elastic/elastic_implicit.h"
#include "sim/state_solids.h"

typedef struct kugelstadt
{
    frz_elastic_params common;
    frz_elastic_step_params step;
} kugelstadt;

static const frz_param kugelstadt_params[] = {
    FRZ_ELASTIC_PARAM_YOUNG(kugelstadt),
    FRZ_ELASTIC_PARAM_ZERO_ENERGY(kugelstadt),
    FRZ_ELASTIC_PARAM_STEP(kugelstadt),
    FRZ_ELASTIC_PARAM_REST(kugelstadt),
    {0},
};

static const frz_field_decl kugelstadt_fields[] = {FRZ_ELASTIC_IMPLICIT_FIELDS, {0}};

enum
{
    list_max = 512,     // bonds of a particle, and itself
    small = 1000,       // particles of a body that is always factorised
    settled_steps = 50, // without a change, after which others are
};

// The matrix being put together.
typedef struct assembly
{
    const frz_bonds *bonds;
    int first;
    double gradient; // tau^2 2 mu V / m
    double control;  // tau^2 kappa / m
    frz_sparse_entry *entries;
    int64_t count;
} assembly;

static void add(assembly *a, int row, int column, double value)
{
    if (row < column)
        return; // the lower triangle is enough
    a->entries[a->count++] = (frz_sparse_entry){row - a->first, column - a->first, value};
}

// The gradient at particle i as a sum over its list: h = sum_k b_k u_k.
static int gradient_row(const frz_bonds *bonds, int i, int *who, frz_vec3 *b)
{
    const frz_mat3 l = frz_bond_matrix(&bonds->correction, i);
    int count = 1;
    who[0] = i;
    b[0] = frz_v3(0.0, 0.0, 0.0);
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && count < list_max; ++k)
    {
        if (!(bonds->weight[k] > 0))
            continue;
        const frz_v4 rest = frz_bonds_rest(bonds, i, k);
        const frz_vec3 d = frz_v3_of(rest);
        who[count] = (int)bonds->other[k];
        b[count] = frz_v3_scale((double)bonds->weight[k], frz_m3_apply(l, d));
        b[0] = frz_v3_sub(b[0], b[count]);
        count += 1;
    }
    return count;
}

static void add_particle(assembly *a, int i)
{
    const frz_bonds *bonds = a->bonds;
    const frz_mat3 moment = frz_bond_matrix(&bonds->moment, i);
    int who[list_max];
    frz_vec3 b[list_max], weighted[list_max];
    const int count = gradient_row(bonds, i, who, b);
    for (int k = 0; k < count; ++k)
        weighted[k] = frz_v3_mad(frz_v3_scale(a->gradient, b[k]), -a->control, frz_m3_apply(moment, b[k]));
    for (int k = 0; k < count; ++k)
        for (int l = 0; l < count; ++l)
            add(a, who[k], who[l], frz_v3_dot(b[k], weighted[l]));
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
    {
        const int j = (int)bonds->other[k];
        const double q = a->control * (double)bonds->weight[k];
        add(a, i, i, q);
        add(a, j, j, q);
        add(a, i, j, -q);
        add(a, j, i, -q);
    }
    add(a, i, i, 1.0);
}

static frz_status kugelstadt_factorize(const frz_model *model, frz_state *state, const frz_instance *instance, int body,
                                       double tau, frz_diag *diag)
{
    const frz_elastic_params *params = instance->self;
    frz_bonds *bonds = &state->bonds;
    const double step = exp2(ceil(log2(tau) - 1e-9));
    if (bonds->factor[body] != NULL && bonds->factor_step[body] == step)
        return FRZ_OK;
    // a factor of a large body costs as much as many steps without: not while it is changing
    const int64_t since = state->step - bonds->changed_step[body];
    if (bonds->changed_step[body] > 0 && since < settled_steps && bonds->first[body + 1] - bonds->first[body] > small)
        return FRZ_OK;
    frz_sparse_cholesky_destroy(&bonds->factor[body]);
    double lambda, mu;
    frz_elastic_moduli(model, params, &lambda, &mu);
    const double density = model->materials[instance->material].density;
    const int first = bonds->first[body], last = bonds->first[body + 1];
    int64_t room = 0;
    for (int i = first; i < last; ++i)
    {
        const int64_t list = bonds->begin[i + 1] - bonds->begin[i] + 1;
        room += list * list + 4 * list + 1;
    }
    assembly a = {.bonds = bonds,
                  .first = first,
                  .gradient = step * step * 2.0 * mu / density,
                  .control = step * step * params->zero_energy * params->young / density,
                  .entries = FRZ_ALLOC("matrix", room, frz_sparse_entry)};
    if (a.entries == NULL)
        return frz_fail_memory(diag, "the matrix of an elastic body");
    for (int i = first; i < last; ++i)
        add_particle(&a, i);
    const frz_status status = frz_sparse_cholesky_create(last - first, a.entries, a.count, &bonds->factor[body], diag);
    frz_free(a.entries);
    bonds->factor_step[body] = step;
    return status;
}

static frz_status kugelstadt_prepare(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                     frz_diag *diag)
{
    (void)instance;
    (void)dt;
    return frz_state_bonds(model, state, diag);
}

static frz_status kugelstadt_velocity(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                      frz_diag *diag)
{
    const kugelstadt *self = instance->self;
    frz_elastic_implicit implicit = {.params = &self->step, .factorize = kugelstadt_factorize};
    return frz_elastic_implicit_corotated(model, state, instance, &implicit, dt, diag);
}

const frz_method frz_method_elastic_kugelstadt2021 = {
    .key = "kugelstadt2021",
    .slot = FRZ_SLOT_ELASTIC,
    .traits = FRZ_TRAIT_PLASTIC_FLOW,
    .doc = "Corotated SPH, implicit, with a matrix that is factorised once; for small bodies of very stiff material.",
    .cite = "Kugelstadt, Bender, Fernandez-Fernandez, Jeske, Loeschner & Longva 2021, doi:10.1145/3480142",
    .self_size = sizeof(kugelstadt),
    .params = kugelstadt_params,
    .fields = kugelstadt_fields,
    .run = {[FRZ_STAGE_PREPARE] = kugelstadt_prepare, [FRZ_STAGE_VELOCITY] = kugelstadt_velocity},
    .energy = frz_elastic_implicit_energy,
    .check = frz_elastic_check,
};
