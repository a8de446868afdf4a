// SPDX-License-Identifier: MIT
#include "law/plastic_wide.h"

#include "math/elementary_wide.h"

enum
{
    root_limit = 12 // Newton steps or halvings; three or four are needed
};

// change of the root at which to stop: beyond it all is rounding of the stress
static const frz_real root_tolerance = 4 * (frz_real)FRZ_REAL_EPSILON;
static const frz_real least_stretch = (frz_real)1e-3; // as in plastic_multiplicative.c

/// Elastic principal stretches as a function of gamma: the deviatoric part of their logarithms is 1 - gamma times the
/// first one.
typedef struct flow_path
{
    frz_w8 mean, deviation[3]; // of the logarithms of the stretches
    frz_w8 strain;             // equivalent plastic strain of gamma = 1
    frz_w8 per_volume;         // 1 / J
    frz_w8 yield;              // before
} flow_path;

frz_plastic_wide frz_plastic_wide_of(const frz_plastic_multiplicative *plastic, const frz_elastic *elastic, double dt)
{
    return (frz_plastic_wide){
        .lambda = (frz_real)elastic->lambda,
        .mu = (frz_real)elastic->mu,
        .yield = (frz_real)plastic->yield_stress,
        .hardening = (frz_real)plastic->hardening,
        .part = (frz_real)-expm1(-plastic->creep_rate * dt),
    };
}

// Lanes whose von Mises stress is beyond yield, from S alone.
static frz_w8_mask beyond_yield(const frz_plastic_wide *self, const frz_wide3 *s, frz_w8 yield)
{
    const frz_w8 mu2 = frz_w8_splat(2 * self->mu), third = frz_w8_splat((frz_real)(1.0 / 3.0)), zero = frz_w8_splat(0);
    const frz_w8 trace = s->m[0][0] + s->m[1][1] + s->m[2][2] - frz_w8_splat(3);
    const frz_w8 diagonal = frz_w8_splat(self->lambda) * trace - mu2;
    const frz_wide3 square = frz_wide3_mul(s, s);
    frz_wide3 tau = square;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            tau.m[i][j] = mu2 * square.m[i][j] + diagonal * s->m[i][j];
    const frz_w8 mean = third * (tau.m[0][0] + tau.m[1][1] + tau.m[2][2]);
    frz_w8 norm = zero;
    for (int i = 0; i < 3; ++i)
    {
        norm += (tau.m[i][i] - mean) * (tau.m[i][i] - mean);
        for (int j = i + 1; j < 3; ++j)
            norm += frz_w8_splat(2) * tau.m[i][j] * tau.m[i][j];
    }
    const frz_w8 volume = frz_wide3_determinant(s), limit = yield * volume;
    return (volume > zero) & (frz_w8_splat((frz_real)1.5) * norm > limit * limit);
}

// Von Mises stress less the yield stress at gamma, and the derivative by gamma.
static frz_w8 excess_at(const frz_plastic_wide *self, const flow_path *path, frz_w8 gamma, frz_w8 *slope)
{
    const frz_w8 one = frz_w8_splat(1), third = frz_w8_splat((frz_real)(1.0 / 3.0));
    const frz_w8 mu2 = frz_w8_splat(2 * self->mu), lambda = frz_w8_splat(self->lambda);
    frz_w8 s[3], rate[3], tau[3], tau_rate[3];
    for (int i = 0; i < 3; ++i)
    {
        s[i] = frz_w8_exp(path->mean + (one - gamma) * path->deviation[i]);
        rate[i] = -path->deviation[i] * s[i];
    }
    const frz_w8 pressure = lambda * ((s[0] - one) + (s[1] - one) + (s[2] - one));
    const frz_w8 pressure_rate = lambda * (rate[0] + rate[1] + rate[2]);
    for (int i = 0; i < 3; ++i)
    {
        tau[i] = s[i] * (mu2 * (s[i] - one) + pressure);
        tau_rate[i] = rate[i] * (mu2 * (s[i] - one) + pressure) + s[i] * (mu2 * rate[i] + pressure_rate);
    }
    const frz_w8 mean = third * (tau[0] + tau[1] + tau[2]);
    frz_w8 norm = frz_w8_splat(0), along = norm;
    for (int i = 0; i < 3; ++i)
    {
        norm += (tau[i] - mean) * (tau[i] - mean);
        along += (tau[i] - mean) * tau_rate[i];
    }
    const frz_w8 three_halves = frz_w8_splat((frz_real)1.5), hardening = frz_w8_splat(self->hardening) * path->strain;
    const frz_w8 stress = frz_w8_sqrt(three_halves * norm);
    // without stress there is no direction to flow in: such a lane is below yield and its slope is not used
    *slope = path->per_volume * three_halves * along / frz_w8_select(stress > frz_w8_splat(0), stress, one) - hardening;
    return path->per_volume * stress - (path->yield + gamma * hardening);
}

// Where the stress meets the yield surface: Newton's method between a point beyond it and one below, which halves where
// a step would leave them. At gamma = 1 an isotropic law has no shear left.
static frz_w8 find_gamma(const frz_plastic_wide *self, const flow_path *path)
{
    const frz_w8 zero = frz_w8_splat(0), half = frz_w8_splat((frz_real)0.5);
    frz_w8 low = zero, high = frz_w8_splat(1), gamma = zero;
    for (int k = 0; k < root_limit; ++k)
    {
        frz_w8 slope;
        const frz_w8 excess = excess_at(self, path, gamma, &slope);
        const frz_w8_mask above = excess > zero, falling = slope < zero;
        low = frz_w8_select(above, gamma, low);
        high = frz_w8_select(above, high, gamma);
        const frz_w8 next = gamma - excess / frz_w8_select(falling, slope, frz_w8_splat(-1));
        const frz_w8_mask inside = falling & (next >= low) & (next <= high);
        const frz_w8 taken = frz_w8_select(inside, next, half * (low + high)), change = taken - gamma;
        gamma = taken;
        if (!frz_w8_mask_any(frz_w8_max(change, -change) > frz_w8_splat(root_tolerance)))
            break;
    }
    return gamma;
}

// v diag(s) v^T
static frz_wide3 compose(const frz_wide3 *v, const frz_w8 s[3])
{
    frz_wide3 scaled = *v;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            scaled.m[i][j] *= s[j];
    return frz_wide3_mul_right(&scaled, v);
}

frz_w8_mask frz_plastic_wide_flow(const frz_plastic_wide *plastic, const frz_wide3 *stretch, frz_w8 *hardened,
                                  frz_wide3 *factor)
{
    const frz_w8 one = frz_w8_splat(1), third = frz_w8_splat((frz_real)(1.0 / 3.0)), zero = frz_w8_splat(0);
    flow_path path = {.yield = frz_w8_splat(plastic->yield) + frz_w8_splat(plastic->hardening) * *hardened};
    frz_w8_mask flows = beyond_yield(plastic, stretch, path.yield);
    if (!frz_w8_mask_any(flows))
        return flows;
    frz_wide3 v;
    frz_w8 s[3], logarithm[3], back[3];
    frz_wide3_eigen(stretch, &v, s);
    for (int i = 0; i < 3; ++i)
        flows &= s[i] > frz_w8_splat(least_stretch);
    for (int i = 0; i < 3; ++i)
        logarithm[i] = frz_w8_log(frz_w8_select(flows, s[i], one)); // lanes that do not flow are at rest from here on
    path.mean = third * (logarithm[0] + logarithm[1] + logarithm[2]);
    path.per_volume = frz_w8_exp(frz_w8_splat(-3) * path.mean);
    path.strain = zero;
    for (int i = 0; i < 3; ++i)
    {
        path.deviation[i] = logarithm[i] - path.mean;
        path.strain += frz_w8_splat((frz_real)(2.0 / 3.0)) * path.deviation[i] * path.deviation[i];
    }
    path.strain = frz_w8_sqrt(path.strain);
    const frz_w8 found = frz_w8_splat(plastic->part) * find_gamma(plastic, &path);
    const frz_w8 gamma = frz_w8_select(flows, found, zero);
    for (int i = 0; i < 3; ++i)
        back[i] = frz_w8_exp(-gamma * path.deviation[i]);
    *factor = compose(&v, back);
    *hardened += gamma * path.strain;
    return flows;
}
