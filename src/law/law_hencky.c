// SPDX-License-Identifier: MIT
// Hencky's law: Hooke's law on the logarithms of the principal stretches. Mohr-Coulomb and Drucker-Prager plasticity
// use it, because the return to the yield surface then is that of small strains (Klar et al. 2016).
#include "law/invariant.h"

static const frz_law_param hencky_params[] = {FRZ_LAW_THRESHOLD, {0}};

// sums of stretches below this are those of an inverted matrix whose rotation has no derivative
static const double least_sum = 1e-12;
static const double least_gap = 1e-6; // stretches nearer to each other are equal

// The energy as a function of the stretches: slopes g_i, and second derivatives.
typedef struct principal
{
    frz_svd3 svd;
    double energy, slope[3], curve[3][3];
} principal;

static principal principal_of(const frz_elastic *elastic, frz_mat3 f)
{
    principal p = {.svd = frz_m3_svd(f)};
    frz_jet log_of[3];
    double sum = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        log_of[i] = frz_jet_log(p.svd.s[i], elastic->params[0]);
        sum += log_of[i].value;
    }
    p.energy = 0.5 * elastic->lambda * sum * sum;
    for (int i = 0; i < 3; ++i)
    {
        const double tau = 2.0 * elastic->mu * log_of[i].value + elastic->lambda * sum;
        p.energy += elastic->mu * log_of[i].value * log_of[i].value;
        p.slope[i] = tau * log_of[i].first;
        for (int j = 0; j < 3; ++j)
            p.curve[i][j] = elastic->lambda * log_of[i].first * log_of[j].first;
        p.curve[i][i] += 2.0 * elastic->mu * log_of[i].first * log_of[i].first + tau * log_of[i].second;
    }
    return p;
}

static void hencky_evaluate(const frz_elastic *elastic, frz_law_point *point)
{
    const principal p = principal_of(elastic, point->f);
    point->energy = p.energy;
    point->stress = frz_m3_compose(p.svd.u, p.slope, p.svd.v);
}

static frz_mat3 hencky_tangent(const frz_elastic *elastic, const frz_law_point *point, frz_mat3 df)
{
    const principal p = principal_of(elastic, point->f);
    const double *s = p.svd.s, *g = p.slope;
    const frz_mat3 turned = frz_m3_mul(frz_m3_mul(frz_m3_transpose(p.svd.u), df), p.svd.v);
    frz_mat3 dp = frz_m3_zero();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
        {
            dp.m[i][i] += p.curve[i][j] * turned.m[j][j];
            if (i == j)
                continue;
            const double gap = s[i] - s[j], sum = s[i] + s[j];
            const double even =
                fabs(gap) > least_gap ? (g[i] - g[j]) / gap : 0.5 * (p.curve[i][i] + p.curve[j][j]) - p.curve[i][j];
            const double odd = fabs(sum) > least_sum ? (g[i] + g[j]) / sum : 0.0;
            dp.m[i][j] += 0.5 * (even + odd) * turned.m[i][j] + 0.5 * (even - odd) * turned.m[j][i];
        }
    return frz_m3_mul(frz_m3_mul(p.svd.u, dp), frz_m3_transpose(p.svd.v));
}

const frz_law frz_law_hencky = {
    .key = "hencky",
    .doc = "Linear in the logarithms of the stretches: any rotation; softens when pulled beyond a stretch of 2.7, so "
           "for materials that flow before.",
    .equation = "mu |E|^2 + lambda/2 tr(E)^2, E = 1/2 log(F^T F)",
    .inverted = "below the threshold each logarithm is continued by its Taylor polynomial of second order, through "
                "negative stretches; the stress jumps where the two smallest stretches are opposite",
    .cite = "Hencky 1928; Klar et al. 2016, doi:10.1145/2897824.2925906",
    .params = hencky_params,
    .least_poisson = -1.0,
    .evaluate = hencky_evaluate,
    .tangent = hencky_tangent,
};
