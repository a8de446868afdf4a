// SPDX-License-Identifier: MIT
// The table of laws, and code common to all laws: parameters, plane stress, wave speeds.
#include "law/law.h"

#include <string.h>

#define FRZ_LAW(name) extern const frz_law frz_law_##name;
#include "law/laws.def"
#undef FRZ_LAW

#define FRZ_LAW(name) &frz_law_##name,
const frz_law *const frz_laws[] = {
#include "law/laws.def"
    NULL,
};
#undef FRZ_LAW

enum
{
    relax_limit = 60 // steps of the search for a free stretch; Newton's method needs 3 to 8
};

static const double relax_tolerance = 1e-13; // of the stress, relative to the P-wave modulus and the stress
static const double largest_factor = 2.0;    // by which one step may change a free stretch
static const double incompressible = 0.5;    // Poisson's ratio; the bulk modulus is infinite there

const frz_law *frz_law_find(const char *key)
{
    for (const frz_law *const *law = frz_laws; *law != NULL; ++law)
        if (strcmp((*law)->key, key) == 0)
            return *law;
    return NULL;
}

frz_elastic_def frz_elastic_def_default(const frz_law *law)
{
    frz_elastic_def def = {.law = law};
    for (int i = 0; law->params != NULL && law->params[i].key != NULL; ++i)
        def.params[i] = law->params[i].fallback;
    return def;
}

static frz_status check_moduli(const frz_elastic_def *def, frz_diag *diag)
{
    const double nu = def->poisson_ratio;
    if (!(def->youngs_modulus > 0.0 && isfinite(def->youngs_modulus)))
        return frz_fail(diag, FRZ_ERR_SCENE, "Young's modulus must be a positive number of Pa, not %g",
                        def->youngs_modulus);
    if (!(nu > -1.0 && nu < incompressible))
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "Poisson's ratio must lie between -1 and 0.5, not %g (0.5 itself is incompressible: take 0.49)",
                        nu);
    if (nu < def->law->least_poisson)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "the law '%s' needs a Poisson's ratio of at least %g, not %g: below, it attracts itself; take "
                        "'corotated' or 'mooney_rivlin'",
                        def->law->key, def->law->least_poisson, nu);
    return FRZ_OK;
}

frz_status frz_elastic_prepare(const frz_elastic_def *def, frz_elastic *elastic, frz_diag *diag)
{
    FRZ_TRY(check_moduli(def, diag));
    const double e = def->youngs_modulus, nu = def->poisson_ratio;
    const double mu = e / (2.0 * (1.0 + nu));
    const double lambda = e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    *elastic = (frz_elastic){
        .law = def->law, .mu = mu, .lambda = lambda, .bulk = lambda + 2.0 / 3.0 * mu, .plane = def->plane};
    for (int i = 0; def->law->params != NULL && def->law->params[i].key != NULL; ++i)
    {
        const frz_law_param *param = &def->law->params[i];
        if (!(def->params[i] >= param->min && def->params[i] <= param->max))
            return frz_fail(diag, FRZ_ERR_SCENE,
                            "the parameter '%s' of the law '%s' must lie between %g and %g, not %g", param->key,
                            def->law->key, param->min, param->max, def->params[i]);
        elastic->params[i] = def->params[i];
    }
    return FRZ_OK;
}

static frz_law_point evaluate(const frz_elastic *elastic, frz_mat3 f, frz_quat rotation)
{
    frz_law_point point = {.f = f, .rotation = rotation};
    elastic->law->evaluate(elastic, &point);
    return point;
}

/// Newton's step for a free stretch, kept inside the bracket and within a factor of the stretch, because far from rest
/// the tangent may mislead.
static double next_stretch(double stretch, double stress, double slope, double low, double high)
{
    if (slope > 0.0)
    {
        const double newton = stretch - stress / slope;
        const double tried = fmin(fmax(newton, stretch / largest_factor), stretch * largest_factor);
        if (tried > low && tried < high)
            return tried;
    }
    return high < HUGE_VAL ? 0.5 * (low + high) : stretch * largest_factor;
}

bool frz_elastic_relax(const frz_elastic *elastic, const int free[3], frz_mat3 *f)
{
    const frz_mat3 along = frz_m3_diagonal(free[0], free[1], free[2]);
    const double modulus = elastic->lambda + 2.0 * elastic->mu;
    double stretch = free[0] != 0 ? f->m[0][0] : free[1] != 0 ? f->m[1][1] : f->m[2][2];
    double low = 0.0, high = HUGE_VAL; // the stress is negative below and positive above
    frz_quat rotation = frz_quat_identity();
    for (int k = 0; k < relax_limit; ++k)
    {
        for (int i = 0; i < 3; ++i)
            f->m[i][i] = free[i] != 0 ? stretch : f->m[i][i];
        const frz_law_point point = evaluate(elastic, *f, rotation);
        const double stress = frz_m3_dot(point.stress, along);
        if (fabs(stress) <= relax_tolerance * (modulus + frz_m3_norm(point.stress)))
            return true;
        rotation = point.rotation;
        low = stress < 0.0 ? stretch : low;
        high = stress > 0.0 ? stretch : high;
        const double slope = frz_m3_dot(elastic->law->tangent(elastic, &point, along), along);
        stretch = next_stretch(stretch, stress, slope, low, high);
    }
    return false;
}

frz_law_point frz_elastic_at(const frz_elastic *elastic, frz_mat3 f, frz_quat *rotation)
{
    static const int across[3] = {0, 0, 1};
    bool found = true;
    if (elastic->plane == FRZ_PLANE_STRESS)
    {
        f.m[2][2] = 1.0;
        found = frz_elastic_relax(elastic, across, &f);
    }
    frz_law_point point = evaluate(elastic, f, rotation != NULL ? *rotation : frz_quat_identity());
    if (rotation != NULL)
        *rotation = point.rotation;
    if (!found)
    {
        point.energy = NAN;
        point.stress = frz_m3_scale(NAN, point.stress);
    }
    return point;
}

frz_mat3 frz_elastic_tangent(const frz_elastic *elastic, const frz_law_point *point, frz_mat3 df)
{
    if (elastic->plane == FRZ_PLANE_STRAIN)
        return elastic->law->tangent(elastic, point, df);
    // static condensation: the thickness follows so that P33 stays zero
    const frz_mat3 across = frz_m3_diagonal(0.0, 0.0, 1.0);
    df.m[2][2] = 0.0;
    const frz_mat3 direct = elastic->law->tangent(elastic, point, df);
    const frz_mat3 thicker = elastic->law->tangent(elastic, point, across);
    return frz_m3_mad(direct, -direct.m[2][2] / thicker.m[2][2], thicker);
}

frz_mat3 frz_elastic_acoustic(const frz_elastic *elastic, const frz_law_point *point, frz_vec3 n)
{
    static const frz_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    frz_mat3 acoustic;
    for (int k = 0; k < 3; ++k)
    {
        const frz_vec3 answer = frz_m3_apply(frz_elastic_tangent(elastic, point, frz_m3_outer(axes[k], n)), n);
        acoustic.m[0][k] = answer.x;
        acoustic.m[1][k] = answer.y;
        acoustic.m[2][k] = answer.z;
    }
    return acoustic;
}

double frz_elastic_wave_speed(const frz_elastic *elastic, double density)
{
    // all laws are isotropic at rest: any direction in the plane will do
    const frz_law_point rest = frz_elastic_at(elastic, frz_m3_identity(), NULL);
    const frz_eigen3 eigen = frz_m3_eigen(frz_elastic_acoustic(elastic, &rest, frz_v3(1.0, 0.0, 0.0)));
    return sqrt(eigen.s[0] / density);
}
