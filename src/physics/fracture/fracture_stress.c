// SPDX-License-Identifier: MIT
// Fracture by the largest principal stress (Rankine): where it exceeds the tensile strength a crack opens across it.
//
// The crack is a plane across the direction n of that stress, on one side of the particle: the bonds with D . n > h / 4
// break, all others stay. (A plane through the particle would leave open to which side it belongs; breaking the bonds
// of both sides makes dust. The lattice has bonds at D . n of 0, h / sqrt 3 and more for cracks along its axes and
// diagonals, so that a quarter is far from all of them.) The stress of a bond is the mean of that of its ends: the
// plane lies on the side where the neighbours bear more, so that two particles with a peak of the stress between them
// choose the same plane. Of bonded particles only those crack in a step that choose the plane of the one with the
// highest stress; the others wait a step, which is shorter than the time of sound to the neighbour.
//
// Nothing pulls across a free face. The gradient of a particle there, with all its bonds on one side, gives the stress
// further inside; so particles without bonds to one side of n do not crack, nor do the bonds that hold them. Else every
// crack would grind its faces to dust until the stress has left them.
//
// A single bond left across an open crack has little weight in the fits of both its ends, which do not show its
// stretch. When the other bonds have broken, the fits follow it at once and create energy. So a bond at a crack also
// breaks if it is longer than by the fits of its ends by twice the strain strength / E. The fits at the tip of an
// intact crack miss once that strain, since the strain changes by its own size from one particle to the next there.
//
// In a body of several materials each particle has its own strength, and neighbours are compared by the ratio of stress
// to strength: at a seam the weaker side cracks. The ratio is 0 for a material without a strength. The weaker end of a
// bond determines whether it is a bridge.
//
// The stress is that of the linear law in the frame of the nearest rotation, sigma_a = 2 mu (s_a - 1) + lambda sum (s_b
// - 1) with the singular values s of F. All laws agree with it to first order in the strain, and materials that break
// by stress are brittle: they break at small strain.
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

static const double crack_offset = 0.25; // of the bonds that cross the plane at least, spacings
static const double plane_offset = 0.5;  // of the plane from the particle, and of two planes that are one, spacings
static const double parallel = 0.7;      // cosine of two normals that mean one plane at least: 45 degrees
static const double side_slack = 0.01;   // of the stress: neighbours on both sides that differ by less bear the same
static const double bridge_strain = 2.0; // of a bond beyond the fits of its ends, strength / E

// The crack that a particle may open.
typedef struct crack
{
    frz_mat3 gradient; // F
    frz_v4 normal;     // in the undeformed body
    double tension;    // largest principal stress, times the method's strength over that of the particle, Pa
    double stress;     // the same; 0 if there is nothing to break
    bool torn;         // bonds of it have broken
    double bridge;     // strain of a bond beyond that of the fits
} crack;

// Parameters of a material.
typedef struct bounds
{
    double lambda, mu; // Pa
    double tensile;    // Pa; 0: it does not break
    double bridge;     // strain of a bond beyond that of the fits
    double share;      // the method's strength over this one; 0: it does not break
    frz_relative_stress relative;
    const int32_t *slot; // by number
} bounds;

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
           (double)frz_v4_dot3(frz_bonds_rest(bonds, i, k), normal) > crack_offset * bonds->spacing;
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
    // a rigid particle that holds it has others behind it
    return is_ahead(bonds, i, k, normal) &&
           (frz_bonds_is_tie(bonds, i, k) || has_ahead(bonds, (int)bonds->other[k], normal));
}

static crack look_at(const frz_bonds *bonds, const frz_elastic_place *place, int i, const bounds *bound)
{
    crack c = {.gradient = frz_m3_add(frz_m3_identity(), frz_elastic_gradient(bonds, place, i))};
    const frz_svd3 svd = frz_m3_svd(c.gradient);
    const double trace = svd.s[0] + svd.s[1] + svd.s[2] - 3.0;
    c.normal = one_sign(frz_v3(svd.v.m[0][0], svd.v.m[1][0], svd.v.m[2][0]));
    c.bridge = bound->bridge;
    c.tension = bound->share * (2.0 * bound->mu * (svd.s[0] - 1.0) + bound->lambda * trace);
    c.tension /= bound->slot[i] >= 0 ? frz_relative_stress_at(&bound->relative, bound->slot[i]) : 1.0;
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && !c.torn; ++k)
        c.torn = (int)bonds->other[k] != i && !(bonds->weight[k] > 0);
    return c;
}

// Mean tension of the neighbours to one side; 0 if there are none.
static double tension_ahead(const frz_bonds *bonds, const crack *cracks, int i, frz_v4 normal)
{
    double sum = 0.0, weight = 0.0;
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
        if (is_ahead(bonds, i, k, normal))
        {
            sum += (double)bonds->weight[k] * cracks[bonds->other[k]].tension;
            weight += (double)bonds->weight[k];
        }
    return weight > 0.0 ? sum / weight : 0.0;
}

// The side of the plane, and whether there is anything to break.
static void place_plane(const frz_bonds *bonds, crack *cracks, int i, double tensile)
{
    crack *c = &cracks[i];
    c->stress = 0.0;
    if (!(c->tension > tensile))
        return;
    const double ahead = tension_ahead(bonds, cracks, i, c->normal),
                 behind = tension_ahead(bonds, cracks, i, -c->normal);
    if (behind > ahead + side_slack * c->tension)
        c->normal = -c->normal;
    bool any = false;
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && !any; ++k)
        any = crosses(bonds, i, k, c->normal);
    if (any && has_ahead(bonds, i, -c->normal))
        c->stress = c->tension;
}

// The normal as the body is now.
static frz_vec3 turned_normal(const crack *c)
{
    return frz_v3_normalize(frz_m3_apply(c->gradient, frz_v3_of(c->normal)));
}

// Do the cracks of two particles lie in one plane?
static bool mean_one_plane(const frz_bonds *bonds, const crack *cracks, int i, int64_t k)
{
    const int j = (int)bonds->other[k];
    double cosine = (double)frz_v4_dot3(cracks[i].normal, cracks[j].normal);
    if (frz_bonds_is_local(bonds, bonds->body[i])) // normals in the axes of each
        cosine = frz_v3_dot(turned_normal(&cracks[i]), turned_normal(&cracks[j]));
    const double between = (double)frz_v4_dot3(frz_bonds_rest(bonds, i, k), cracks[i].normal) / bonds->spacing;
    const double apart = between + (cosine > 0.0 ? plane_offset : -plane_offset) - plane_offset;
    return fabs(cosine) > parallel && fabs(apart) < plane_offset;
}

// Whether a particle has the highest stress of its bonded neighbours (then the lowest number), or the plane of that
// one.
static bool comes_first(const frz_bonds *bonds, const crack *cracks, int i)
{
    bool first = cracks[i].stress > 0.0;
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && first; ++k)
    {
        const int j = (int)bonds->other[k];
        first = j == i || !(bonds->weight[k] > 0) || cracks[j].stress < cracks[i].stress ||
                (j > i && cracks[j].stress <= cracks[i].stress) || mean_one_plane(bonds, cracks, i, k);
    }
    return first;
}

// Is the bond at a crack and longer than the mean of the fits of its ends by more than a strain? The same from both
// ends in bits: all differences change their sign only.
static bool is_bridge(const frz_bonds *bonds, const frz_elastic_place *place, const crack *cracks, int i, int64_t k)
{
    const int j = (int)bonds->other[k];
    if (j == i || !(bonds->weight[k] > 0) || !(cracks[i].torn || cracks[j].torn) || frz_bonds_is_tie(bonds, i, k))
        return false;
    const frz_v4 rest = frz_bonds_rest(bonds, i, k);
    const frz_v4 now = rest + frz_elastic_move(bonds, place, i, k);
    const frz_mat3 sum = frz_m3_add(cracks[i].gradient, cracks[j].gradient);
    frz_vec3 fit = frz_m3_apply(sum, frz_v3_of(rest));
    if (frz_bonds_has_seams(bonds, bonds->body[i]))
    {
        const frz_v4 far = -frz_bonds_rest_far(bonds, i, k);
        fit = frz_v3_add(frz_m3_apply(cracks[i].gradient, frz_v3_of(rest)),
                         frz_m3_apply(cracks[j].gradient, frz_v3_of(far)));
    }
    const double length = sqrt((double)frz_v4_dot3(rest, rest)), longer = sqrt((double)frz_v4_dot3(now, now));
    return longer - 0.5 * frz_v3_length(fit) > fmin(cracks[i].bridge, cracks[j].bridge) * length;
}

// Mark and break bonds, from the possible cracks of all particles.
static frz_status open_cracks(frz_fracture *f, const crack *cracks, frz_diag *diag)
{
    const frz_bonds *bonds = &f->state->bonds;
    const frz_elastic_place *place = f->work.place;
    enum
    {
        cracking = 1,
        bridged = 2
    };
#pragma omp parallel for schedule(static)
    for (int i = 0; i < bonds->count; ++i)
    {
        if (!frz_fracture_breaks(f, i))
            continue;
        f->hit[i] = comes_first(bonds, cracks, i) ? cracking : 0;
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && (f->hit[i] & bridged) == 0; ++k)
            f->hit[i] |= is_bridge(bonds, place, cracks, i, k) ? bridged : 0;
    }
    for (int i = 0; i < bonds->count; ++i)
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1] && f->hit[i] != 0; ++k)
            if (((f->hit[i] & cracking) != 0 && crosses(bonds, i, k, cracks[i].normal)) ||
                ((f->hit[i] & bridged) != 0 && is_bridge(bonds, place, cracks, i, k)))
                FRZ_TRY(frz_fracture_break(f, i, k, diag));
    return frz_fracture_finish(f, diag);
}

static bounds bounds_of(const frz_model *model, const frz_state *state, double tensile, int material)
{
    const frz_instance *elastic = frz_model_method(model, FRZ_SLOT_ELASTIC, material);
    const frz_instance *own = frz_model_method(model, FRZ_SLOT_FRACTURE, material);
    bounds bound = {.bridge = HUGE_VAL, .slot = state->solids.slot};
    if (elastic == NULL || own == NULL || own->method != &frz_method_fracture_stress)
        return bound;
    bound.tensile = ((const strength *)own->self)->tensile;
    bound.share = tensile / bound.tensile;
    bound.bridge = bridge_strain * bound.tensile / ((const frz_elastic_params *)elastic->self)->young;
    bound.relative = frz_state_relative_stress(model, state, material, FRZ_PROPERTY_STRENGTH);
    frz_elastic_moduli(model, elastic->self, &bound.lambda, &bound.mu);
    return bound;
}

static frz_status strength_end(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                               frz_diag *diag)
{
    (void)dt;
    const strength *self = instance->self;
    const frz_bonds *bonds = &state->bonds;
    if (bonds->count == 0 || frz_model_method(model, FRZ_SLOT_ELASTIC, instance->material) == NULL)
        return FRZ_OK;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_fracture f;
    FRZ_TRY(frz_fracture_begin(model, state, instance->material, &f, diag));
    crack *cracks = FRZ_SCRATCH(&state->scratch, bonds->count + 1, crack);
    bounds *bound = FRZ_SCRATCH(&state->scratch, model->material_count + 1, bounds);
    if (cracks == NULL || bound == NULL)
        return frz_fail_memory(diag, "the fracture of elastic bodies");
    for (int m = 0; m < model->material_count; ++m)
        bound[m] = bounds_of(model, state, self->tensile, m);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < bonds->count; ++i)
        cracks[i] = frz_fracture_knows(&f, i) ? look_at(bonds, f.work.place, i, &bound[frz_fracture_material(&f, i)])
                                              : (crack){.bridge = HUGE_VAL};
#pragma omp parallel for schedule(static)
    for (int i = 0; i < bonds->count; ++i)
        place_plane(bonds, cracks, i, self->tensile);
    FRZ_TRY(open_cracks(&f, cracks, diag));
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
    .fields = frz_fracture_fields,
    .run = {[FRZ_STAGE_FORCE] = frz_fracture_make_room, [FRZ_STAGE_END] = strength_end},
    .check = strength_check,
};
