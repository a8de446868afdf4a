// SPDX-License-Identifier: MIT
// Plastic deformation that multiplies the elastic one. With Fe = U s V^T and the volume-free stretches
// s* = s / J^(1/3), the flow is Fp <- V (s*)^gamma V^T Fp (Bargteil et al. 2007; Khadke, sec. 2). They take
// gamma = nu (|stress| - yield - hardening) / |stress|, which meets the yield surface only if stress is linear in log
// s, and which, unclamped, flows backwards below yield. Here gamma is the root of the yield condition in 0 ... 1 for
// every law, and nu is the part of it that a time of creep covers.
#include "law/plastic.h"

enum
{
    root_limit = 60 // halvings that would exhaust a double; the secant needs about 6
};

static const double root_tolerance = 1e-13; // of the yield condition, relative to the stress
static const double least_stretch = 1e-3;   // crushed or inverted further, the material must first be pushed back

/// Elastic principal stretches as a function of gamma: the deviatoric part of their logarithms is 1 - gamma times the
/// first one.
typedef struct flow_path
{
    const frz_plastic_multiplicative *plastic;
    const frz_elastic *elastic;
    double mean;         // of the logarithms
    double deviation[3]; // of the logarithms from their mean
    double strain;       // equivalent plastic strain of gamma = 1
    double hardened;     // before
} flow_path;

frz_status frz_plastic_multiplicative_check(const frz_plastic_multiplicative *plastic, const frz_elastic *elastic,
                                            frz_diag *diag)
{
    if (!(plastic->yield_stress >= 0.0))
        return frz_fail(diag, FRZ_ERR_SCENE, "the yield stress must not be negative, but is %g Pa",
                        plastic->yield_stress);
    if (!(plastic->hardening >= 0.0))
        return frz_fail(diag, FRZ_ERR_SCENE, "hardening must not be negative, but is %g Pa", plastic->hardening);
    if (!(plastic->creep_rate > 0.0))
        return frz_fail(diag, FRZ_ERR_SCENE, "the creep rate must be positive, but is %g per s", plastic->creep_rate);
    if (elastic->law->small_strain)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "multiplicative plasticity needs a law for large deformation, which '%s' is not; take "
                        "'corotated' or a neo-Hookean law",
                        elastic->law->key);
    if (elastic->plane == FRZ_PLANE_STRESS)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "multiplicative plasticity works with plane strain, not with plane stress");
    return FRZ_OK;
}

static frz_law_point point_at(const flow_path *path, double gamma)
{
    double s[3];
    for (int i = 0; i < 3; ++i)
        s[i] = exp(path->mean + (1.0 - gamma) * path->deviation[i]);
    return frz_elastic_at(path->elastic, frz_m3_diagonal(s[0], s[1], s[2]), NULL);
}

/// Von Mises stress of the Cauchy stress P F^T / J.
static double stress_at(const flow_path *path, double gamma)
{
    const frz_law_point point = point_at(path, gamma);
    return frz_plastic_von_mises(frz_m3_mul(point.stress, point.f)) / exp(3.0 * path->mean);
}

static double yield_at(const flow_path *path, double gamma)
{
    return path->plastic->yield_stress + path->plastic->hardening * (path->hardened + gamma * path->strain);
}

/// Where the stress meets the yield surface: false position with the Illinois rule, which never leaves the bracket.
/// excess is that of gamma = 0. At gamma = 1 an isotropic law has no shear left.
static double find_gamma(const flow_path *path, double stress, double excess)
{
    double low = 0.0, high = 1.0;
    double above = excess, below = -yield_at(path, 1.0);
    double gamma = excess / stress; // the gamma of Bargteil et al. 2007 (Khadke, sec. 2)
    int last = 0;                   // side of the last point: the same twice halves the weight of the other end
    for (int k = 0; k < root_limit; ++k)
    {
        const double rest = stress_at(path, gamma) - yield_at(path, gamma);
        if (fabs(rest) <= root_tolerance * stress)
            break;
        if (rest > 0.0)
        {
            low = gamma;
            above = rest;
            below *= last > 0 ? 0.5 : 1.0;
            last = 1;
        }
        else
        {
            high = gamma;
            below = rest;
            above *= last < 0 ? 0.5 : 1.0;
            last = -1;
        }
        gamma = low + (high - low) * above / (above - below);
    }
    return gamma;
}

frz_plastic_flow frz_plastic_multiplicative_flow(const frz_plastic_multiplicative *plastic, const frz_elastic *elastic,
                                                 frz_mat3 f, double dt, frz_plastic_state *state)
{
    const frz_svd3 svd = frz_m3_svd(frz_m3_mul(f, state->inverse));
    if (!(svd.s[2] > least_stretch))
        return (frz_plastic_flow){0};
    flow_path path = {.plastic = plastic, .elastic = elastic, .hardened = state->hardened};
    path.mean = (log(svd.s[0]) + log(svd.s[1]) + log(svd.s[2])) / 3.0;
    for (int i = 0; i < 3; ++i)
    {
        path.deviation[i] = log(svd.s[i]) - path.mean;
        path.strain += 2.0 / 3.0 * path.deviation[i] * path.deviation[i];
    }
    path.strain = sqrt(path.strain);
    const double stress = stress_at(&path, 0.0), excess = stress - yield_at(&path, 0.0);
    if (!(excess > 0.0))
        return (frz_plastic_flow){0};
    const double gamma = -expm1(-plastic->creep_rate * dt) * find_gamma(&path, stress, excess);

    double back[3];
    for (int i = 0; i < 3; ++i)
        back[i] = exp(-gamma * path.deviation[i]);
    const frz_mat3 inverse = frz_m3_mul(state->inverse, frz_m3_compose(svd.v, back, svd.v));
    // the product of the factors is 1; this removes the rounding errors of many steps
    state->inverse = frz_m3_scale(1.0 / cbrt(frz_m3_determinant(inverse)), inverse);
    state->hardened += gamma * path.strain;
    const double work = point_at(&path, 0.0).energy - point_at(&path, gamma).energy;
    return (frz_plastic_flow){.amount = gamma * path.strain, .work = fmax(work, 0.0)};
}
