// SPDX-License-Identifier: MIT
#include "law/plastic_return.h"

// bound of stretches, for completely crushed points
static const double least_stretch = 1e-3;

double frz_drucker_prager_slope(double angle)
{
    return sqrt(2.0) * tan(angle);
}

static frz_mat3 von_mises_flow(const frz_yield *yield, const frz_elastic *elastic, frz_mat3 fe, double dt,
                               double *memory)
{
    frz_plastic_state state = frz_plastic_state_virgin();
    state.hardened = *memory;
    const frz_plastic_flow flow = frz_plastic_multiplicative_flow(&yield->von_mises, elastic, fe, dt, &state);
    *memory = state.hardened;
    return flow.amount > 0.0 ? frz_m3_mul(fe, state.inverse) : fe;
}

// Shear stress that flow takes away in a step, from the excess over slow friction. With the rate of shear
// x / (sqrt(2) mu dt) the condition is excess - x = rise p x / (x + half), and x its positive root; half is the x of
// half of the rise.
static double flow_of(const frz_drucker_prager *sand, double pressure, double half, double excess)
{
    if (!(excess > 0.0) || !(sand->rise > 0.0))
        return fmax(excess, 0.0);
    const double b = excess - sand->rise * pressure - half, root = sqrt(b * b + 4.0 * excess * half);
    return b > 0.0 ? 0.5 * (b + root) : 2.0 * excess * half / fmax(root - b, 1e-300);
}

// Klar et al. 2016, sec. 6; dilated sand must be compressed to its former volume before it bears a load again
// (Tampubolon et al. 2017, sec. 4.3.4).
static frz_mat3 sand_flow(const frz_drucker_prager *sand, const frz_elastic *elastic, frz_mat3 fe, double dt,
                          double *memory)
{
    const frz_svd3 svd = frz_m3_svd(fe);
    const double tip = sand->tension / elastic->bulk;
    double e[3], volume = 0.0, square = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        e[i] = log(fmax(svd.s[i], least_stretch)) + *memory / 3.0;
        volume += e[i];
    }
    for (int i = 0; i < 3; ++i)
        square += (e[i] - volume / 3.0) * (e[i] - volume / 3.0);
    const double pressure = elastic->bulk * (tip - volume), shear = 2.0 * elastic->mu * sqrt(square);
    const bool apart = !(pressure > 0.0);
    if (!apart && shear <= sand->slope * pressure && !(fabs(*memory) > 0.0))
        return fe;
    const double half = frz_drucker_prager_half(sand, elastic->mu, dt) * sqrt(fmax(pressure, 0.0));
    const double lost = flow_of(sand, pressure, half, shear - sand->slope * pressure);
    const double left = apart ? 0.0 : 1.0 - lost / fmax(shear, 1e-300), mean = apart ? tip / 3.0 : volume / 3.0;
    double s[3];
    for (int i = 0; i < 3; ++i)
        s[i] = exp(mean + left * (e[i] - volume / 3.0));
    *memory = apart ? volume - tip : 0.0;
    return frz_m3_compose(svd.u, s, svd.v);
}

static frz_mat3 snow_flow(const frz_snow *snow, frz_mat3 fe, double *memory)
{
    frz_svd3 svd = frz_m3_svd(fe);
    bool flows = false;
    for (int i = 0; i < 3; ++i)
    {
        const double held = fmin(fmax(svd.s[i], 1.0 - snow->compression), 1.0 + snow->stretch);
        flows = flows || held != svd.s[i];
        *memory += log(fmax(svd.s[i], least_stretch) / held);
        svd.s[i] = held;
    }
    return flows ? frz_m3_compose(svd.u, svd.s, svd.v) : fe;
}

frz_mat3 frz_yield_flow(const frz_yield *yield, const frz_elastic *elastic, frz_mat3 fe, double dt, double *memory)
{
    switch (yield->kind)
    {
    case FRZ_YIELD_VON_MISES:
        return von_mises_flow(yield, elastic, fe, dt, memory);
    case FRZ_YIELD_DRUCKER_PRAGER:
        return sand_flow(&yield->sand, elastic, fe, dt, memory);
    case FRZ_YIELD_SNOW:
        return snow_flow(&yield->snow, fe, memory);
    case FRZ_YIELD_NEVER:
        break;
    }
    return fe;
}

double frz_yield_hardness(const frz_yield *yield, double memory)
{
    if (yield->kind != FRZ_YIELD_SNOW)
        return 1.0;
    return fmin(exp(yield->snow.hardening * (1.0 - exp(memory))), yield->snow.hardest);
}
