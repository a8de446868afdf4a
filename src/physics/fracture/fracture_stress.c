// SPDX-License-Identifier: MIT
// Fracture by the largest principal stress (Rankine): where it exceeds the tensile strength a crack opens across it.
//
// The crack is a plane across the direction n of that stress, a quarter of a spacing beside the particle, on its side
// of n: the bonds with D . n > h / 4 break, all others stay. (A plane through the particle would leave open to which
// side it belongs; breaking the bonds of both sides makes dust. The lattice has bonds at D . n of 0, h / sqrt 3 and
// more for cracks along its axes and diagonals, so that a quarter is far from all of them.) Of particles that are
// bonded only the one with the highest stress cracks in a step, the others wait what becomes of theirs: a step is
// shorter than sound takes to the neighbour.
//
// Nothing pulls across a free face. The gradient of a particle there does not know, all its bonds being on one side,
// and reports the stress further in; so particles without bonds to one side of n do not crack, nor do the bonds that
// hold them. Else every crack would grind its faces to dust until the stress has left them.
//
// The stress is that of the linear law in the frame of the nearest rotation, sigma_a = 2 mu (s_a - 1) + lambda sum (s_b
// - 1) with the singular values s of F. All laws agree with it to first order in the strain, and what breaks by stress
// is brittle: it breaks at small strain.
#include <math.h>

#include "physics/elastic/elastic_method.h"
#include "physics/fracture/fracture_bodies.h"

extern const frz_method frz_method_fracture_stress;

typedef struct strength
{
    double tensile;
} strength;

static const frz_param strength_params[] = {
    {"strength", "largest principal stress that the material bears", FRZ_PARAM_REAL, offsetof(strength, tensile), 1.0e5,
     1.0e-6, 1.0e15, "Pa"},
    {0},
};

static const double crack_offset = 0.25; // of the crack from the particle, spacings

// What a particle of a material is about to do.
typedef struct crack
{
    frz_v4 normal; // in the undeformed body
    double stress; // largest principal one, Pa; 0 if there is nothing to break
} crack;

// A direction and its opposite are the same plane: the component that is largest, within rounding the first, is
// positive.
static frz_v4 one_sign(frz_vec3 n)
{
    const double a[3] = {n.x, n.y, n.z};
    const double slack = 1.0e-3; // beyond rounding of the strain: crystals have many directions with equal components
    int largest = 0;
    for (int k = 1; k < 3; ++k)
        if (fabs(a[k]) > fabs(a[largest]) + slack)
            largest = k;
    const double sign = a[largest] < 0.0 ? -1.0 : 1.0;
    return frz_v4_set((frz_real)(sign * n.x), (frz_real)(sign * n.y), (frz_real)(sign * n.z), 0);
}

static bool is_ahead(const frz_bonds *bonds, int i, int64_t k, frz_v4 normal)
{
    const int j = (int)bonds->other[k];
    return j != i && bonds->weight[k] > 0 &&
           (double)frz_v4_dot3(frz_bonds_rest(bonds, i, j), normal) > crack_offset * bonds->spacing;
}

static bool has_ahead(const frz_bonds *bonds, int i, frz_v4 normal)
{
    bool any = false;
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && !any; ++k)
        any = is_ahead(bonds, i, k, normal);
    return any;
}

// Does the bond cross the crack, and not just hold the layer at a free face?
static bool crosses(const frz_bonds *bonds, int i, int64_t k, frz_v4 normal)
{
    return is_ahead(bonds, i, k, normal) && has_ahead(bonds, (int)bonds->other[k], normal);
}

static crack crack_at(const frz_bonds *bonds, const frz_elastic_place *place, int i, double lambda, double mu,
                      double tensile)
{
    const frz_mat3 f = frz_m3_add(frz_m3_identity(), frz_elastic_gradient(bonds, place, i));
    const frz_svd3 svd = frz_m3_svd(f);
    const double trace = svd.s[0] + svd.s[1] + svd.s[2] - 3.0;
    crack c = {.normal = one_sign(frz_v3(svd.v.m[0][0], svd.v.m[1][0], svd.v.m[2][0])),
               .stress = 2.0 * mu * (svd.s[0] - 1.0) + lambda * trace};
    bool any = false;
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && c.stress > tensile; ++k)
        any = any || crosses(bonds, i, k, c.normal);
    if (!any || !has_ahead(bonds, i, -c.normal))
        c.stress = 0.0;
    return c;
}

// Of those bonded to each other the highest stress, then the lowest number.
static bool comes_first(const frz_bonds *bonds, const crack *cracks, int i)
{
    bool first = cracks[i].stress > 0.0;
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && first; ++k)
    {
        const int j = (int)bonds->other[k];
        first = !(bonds->weight[k] > 0) || cracks[j].stress < cracks[i].stress ||
                (j >= i && cracks[j].stress <= cracks[i].stress);
    }
    return first;
}

static frz_status strength_end(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                               frz_diag *diag)
{
    (void)dt;
    const strength *self = instance->self;
    const frz_bonds *bonds = &state->bonds;
    const frz_instance *elastic = frz_model_method(model, FRZ_SLOT_ELASTIC, instance->material);
    if (bonds->count == 0 || elastic == NULL)
        return FRZ_OK;
    double lambda, mu;
    frz_elastic_moduli(model, elastic->self, &lambda, &mu);
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_fracture f;
    FRZ_TRY(frz_fracture_begin(model, state, instance->material, &f, diag));
    crack *cracks = FRZ_SCRATCH(&state->scratch, bonds->count + 1, crack);
    if (cracks == NULL)
        return frz_fail_memory(diag, "the fracture of elastic bodies");
#pragma omp parallel for schedule(static)
    for (int i = 0; i < bonds->count; ++i)
        cracks[i] = frz_fracture_sees(&f, i) ? crack_at(bonds, f.work.place, i, lambda, mu, self->tensile)
                                             : (crack){frz_v4_zero(), 0.0};
#pragma omp parallel for schedule(static)
    for (int i = 0; i < bonds->count; ++i)
        f.hit[i] = comes_first(bonds, cracks, i);
    for (int i = 0; i < bonds->count; ++i)
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && f.hit[i] != 0; ++k)
            if (crosses(bonds, i, k, cracks[i].normal))
                frz_fracture_break(&f, i, k);
    frz_fracture_finish(&f);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

static frz_status strength_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    if (frz_model_method(model, FRZ_SLOT_PLASTIC, instance->material) == NULL)
        return FRZ_OK;
    return frz_fail(
        diag, FRZ_ERR_SCENE,
        "material '%s': fracture by 'stress' is for brittle materials and takes all strain for elastic; for "
        "one with 'plastic' choose 'fracture: {method: stretch}'",
        model->materials[instance->material].name);
}

const frz_method frz_method_fracture_stress = {
    .key = "stress",
    .slot = FRZ_SLOT_FRACTURE,
    .doc = "Cracks open across the largest principal stress where it exceeds the tensile strength.",
    .cite = "Rankine's criterion; O'Brien & Hodgins 1999, doi:10.1145/311535.311550",
    .self_size = sizeof(strength),
    .params = strength_params,
    .run = {[FRZ_STAGE_END] = strength_end},
    .check = strength_check,
};
