// SPDX-License-Identifier: MIT
#include "mpm/stress.h"

#include <math.h>

#include "math/elementary_wide.h"

enum
{
    lanes = 8
};

// Strains |V - I| below this change the speed of waves by no more than what the limit of the step leaves room for.
static const double mild_strain = 0.1;
// A single point that is crushed must not bring all others to a stand.
static const double most_stiffening = 16.0;
// Below this ratio of volumes the common law is continued (law/invariant.h).
static const frz_real continued = (frz_real)0.1;
// least squares of stretches
static const frz_real least_square = (frz_real)1e-6;

frz_mat3 frz_mpm_stretch(const frz_mpm_group *g, int l)
{
    const frz_wide3 e = frz_mpm_strain(g);
    frz_mat3 strain;
    for (int k = 0; k < 9; ++k)
        strain.m[k / 3][k % 3] = (double)e.m[k / 3][k % 3][l];
    const frz_eigen3 principal = frz_m3_eigen(strain);
    double s[3];
    for (int i = 0; i < 3; ++i)
        s[i] = sqrt(fmax(1.0 + principal.s[i], (double)least_square));
    return frz_m3_compose(principal.v, s, principal.v);
}

static void set_strain(frz_mat3 f, int l, frz_mpm_group *g)
{
    const frz_mat3 b = frz_m3_mul(f, frz_m3_transpose(f));
    for (int i = 0; i < 3; ++i)
    {
        g->e[i][l] = (frz_real)(b.m[i][i] - 1.0);
        g->e[3 + i][l] = (frz_real)b.m[(i + 1) % 3][(i + 2) % 3];
    }
}

// ---- any law

static frz_law_point point_of(const frz_mpm_material *m, const frz_mpm_group *g, int l, double dt, double *memory)
{
    frz_mat3 f = frz_mpm_stretch(g, l);
    *memory = (double)g->memory[l];
    f = frz_yield_flow(&m->yield, &m->elastic, f, dt, memory);
    return frz_elastic_at(&m->elastic, f, NULL);
}

static void any_stress(const frz_mpm_material *m, double dt, frz_mpm_group *g, frz_wide3 *tau)
{
    for (int l = 0; l < lanes; ++l)
    {
        frz_mat3 stress = frz_m3_zero();
        if (l < g->count)
        {
            double memory;
            const frz_law_point point = point_of(m, g, l, dt, &memory);
            stress = frz_m3_scale(frz_yield_hardness(&m->yield, memory),
                                  frz_m3_mul(point.stress, frz_m3_transpose(point.f)));
            if (m->yield.kind != FRZ_YIELD_NEVER)
                set_strain(point.f, l, g);
            g->memory[l] = (frz_real)memory;
        }
        for (int k = 0; k < 9; ++k)
            tau->m[k / 3][k % 3][l] = (frz_real)stress.m[k / 3][k % 3];
    }
}

frz_w8 frz_mpm_energy(const frz_mpm_material *m, const frz_mpm_group *g)
{
    frz_w8 energy = frz_w8_splat(0);
    for (int l = 0; l < g->count; ++l)
    {
        double memory;
        const frz_law_point point = point_of(m, g, l, 0.0, &memory);
        energy[l] = (frz_real)(m->volume * frz_yield_hardness(&m->yield, memory) * point.energy);
    }
    return energy;
}

// Waves that are faster than at rest run along principal directions; a wave of the reference state is carried with the
// stretch of its direction.
static double point_wave(const frz_mpm_material *m, frz_mat3 f)
{
    const double rest = m->elastic.lambda + 2.0 * m->elastic.mu;
    const frz_law_point point = frz_elastic_at(&m->elastic, f, NULL);
    const frz_eigen3 principal = frz_m3_eigen(frz_m3_mul(frz_m3_transpose(f), f));
    double most = rest;
    for (int c = 0; c < 3; ++c)
    {
        const frz_vec3 n = frz_v3(principal.v.m[0][c], principal.v.m[1][c], principal.v.m[2][c]);
        const double modulus = frz_m3_eigen(frz_elastic_acoustic(&m->elastic, &point, n)).s[0];
        most = fmax(most, principal.s[c] * modulus);
    }
    return isfinite(most) ? fmin(most, most_stiffening * rest) : most_stiffening * rest;
}

double frz_mpm_wave_square(const frz_mpm_material *m, const frz_mpm_group *g)
{
    double most = 0.0;
    for (int l = 0; l < g->count; ++l)
    {
        double square = 0.0;
        for (int k = 0; k < 6; ++k)
            square += (k < 3 ? 0.25 : 0.5) * (double)g->e[k][l] * (double)g->e[k][l];
        // sand is never strained far; what it has come apart by is no strain
        const bool mild = square < mild_strain * mild_strain || m->yield.kind == FRZ_YIELD_DRUCKER_PRAGER;
        const double modulus = mild ? m->elastic.lambda + 2.0 * m->elastic.mu : point_wave(m, frz_mpm_stretch(g, l));
        most = fmax(most, modulus * frz_yield_hardness(&m->yield, (double)g->memory[l]));
    }
    return most / m->density;
}

// ---- eight at once

// log(1 + d) with all digits for small d.
static inline frz_w8 log_plus(frz_w8 d)
{
    const frz_w8 one = frz_w8_splat(1), two = frz_w8_splat(2), t = d / (two + d), tt = t * t;
    const frz_w8 series = two * t *
                          (one + tt * (frz_w8_splat((frz_real)(1.0 / 3.0)) +
                                       tt * (frz_w8_splat((frz_real)0.2) + tt * frz_w8_splat((frz_real)(1.0 / 7.0)))));
    const frz_w8_mask small = tt < frz_w8_splat((frz_real)0.01);
    return frz_w8_select(small, series, frz_w8_log(frz_w8_max(one + d, frz_w8_splat(least_square))));
}

// exp(x) - 1 with all digits for small x.
static inline frz_w8 exp_less(frz_w8 x)
{
    const frz_w8 one = frz_w8_splat(1), limit = frz_w8_splat(80);
    const frz_w8 series =
        x * (one + x * (frz_w8_splat((frz_real)0.5) +
                        x * (frz_w8_splat((frz_real)(1.0 / 6.0)) +
                             x * (frz_w8_splat((frz_real)(1.0 / 24.0)) + x * frz_w8_splat((frz_real)(1.0 / 120.0))))));
    const frz_w8_mask small = x * x < frz_w8_splat((frz_real)0.01);
    const frz_w8 held = frz_w8_max(-limit, -frz_w8_max(-limit, -x)); // min(x, limit), at least -limit
    return frz_w8_select(small, series, frz_w8_exp(held) - one);
}

// v diag(s) v^T
static frz_wide3 compose(const frz_wide3 *v, const frz_w8 s[3])
{
    frz_wide3 a = *v; // every entry is set below
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            a.m[i][j] = a.m[j][i] =
                v->m[i][0] * s[0] * v->m[j][0] + v->m[i][1] * s[1] * v->m[j][1] + v->m[i][2] * s[2] * v->m[j][2];
    return a;
}

static inline bool any_of(frz_w8_mask mask)
{
    bool any = false;
    for (int l = 0; l < lanes; ++l)
        any |= mask[l] != 0;
    return any;
}

// flow_of of law/plastic_return.c.
static frz_w8 sand_flow(const frz_mpm_material *m, double dt, frz_w8 pressure, frz_w8 excess)
{
    const frz_w8 zero = frz_w8_splat(0), least = frz_w8_splat((frz_real)1e-30), held = frz_w8_max(excess, zero);
    if (!(m->yield.sand.rise > 0.0))
        return held;
    const frz_w8 press = frz_w8_max(pressure, zero);
    const frz_w8 half =
        frz_w8_splat((frz_real)frz_drucker_prager_half(&m->yield.sand, m->elastic.mu, dt)) * frz_w8_sqrt(press);
    const frz_w8 b = held - frz_w8_splat((frz_real)m->yield.sand.rise) * press - half;
    const frz_w8 product = frz_w8_splat(4) * held * half, root = frz_w8_sqrt(b * b + product);
    const frz_w8 large = frz_w8_splat((frz_real)0.5) * (b + root);
    const frz_w8 small = frz_w8_splat((frz_real)0.5) * product / frz_w8_max(root - b, least);
    return frz_w8_select(b > zero, large, small);
}

// frz_yield_flow of sand and Hencky's law, in the axes of F F^T.
static void sand_stress(const frz_mpm_material *m, double dt, frz_mpm_group *g, frz_wide3 *tau)
{
    const frz_real mu = (frz_real)m->elastic.mu, bulk = (frz_real)m->elastic.bulk;
    const frz_w8 zero = frz_w8_splat(0), one = frz_w8_splat(1), third = frz_w8_splat((frz_real)(1.0 / 3.0));
    const frz_w8 tip = frz_w8_splat((frz_real)(m->yield.sand.tension / m->elastic.bulk));
    frz_wide3 v;
    frz_w8 d[3], raw[3], e[3], stress[3];
    const frz_wide3 strain = frz_mpm_strain(g);
    frz_wide3_eigen(&strain, &v, d);
    for (int i = 0; i < 3; ++i)
    {
        raw[i] = frz_w8_splat((frz_real)0.5) * log_plus(d[i]);
        e[i] = raw[i] + third * g->memory;
    }
    const frz_w8 volume = e[0] + e[1] + e[2], mean = third * volume;
    const frz_w8 a0 = e[0] - mean, a1 = e[1] - mean, a2 = e[2] - mean;
    const frz_w8 shear = frz_w8_splat(2 * mu) * frz_w8_sqrt(a0 * a0 + a1 * a1 + a2 * a2);
    const frz_w8 pressure = frz_w8_splat(bulk) * (tip - volume);
    const frz_w8 room = frz_w8_splat((frz_real)m->yield.sand.slope) * pressure;
    const frz_w8_mask apart = ~(pressure > zero), yields = shear > room;
    const frz_w8_mask moved = apart | yields | (g->memory != zero);
    const frz_w8 bears = shear - sand_flow(m, dt, pressure, shear - room);
    frz_w8 left = frz_w8_select(yields, bears / frz_w8_max(shear, frz_w8_splat((frz_real)1e-30)), one);
    left = frz_w8_select(apart, zero, left);
    const frz_w8 center = frz_w8_select(apart, third * tip, mean), trace = center + center + center;
    e[0] = center + left * a0;
    e[1] = center + left * a1;
    e[2] = center + left * a2;
    if (any_of(moved))
    {
        frz_w8 r[3];
        for (int i = 0; i < 3; ++i)
            r[i] = exp_less(e[i] + e[i]);
        const frz_wide3 flown = compose(&v, r);
        for (int i = 0; i < 6; ++i)
        {
            const frz_w8 after = i < 3 ? flown.m[i][i] : flown.m[(i - 2) % 3][(i - 1) % 3];
            g->e[i] = frz_w8_select(moved, after, g->e[i]);
        }
        g->memory = frz_w8_select(apart, volume - tip, zero);
    }
    const frz_w8 pressing = frz_w8_splat((frz_real)m->elastic.lambda) * trace;
    for (int i = 0; i < 3; ++i)
        stress[i] = frz_w8_splat(2 * mu) * e[i] + pressing;
    *tau = compose(&v, stress);
}

// neo_hookean_log: tau = mu (F F^T - I) + lambda log J I. Returns false where the law is continued.
static bool common_stress(const frz_mpm_material *m, const frz_mpm_group *g, frz_wide3 *tau)
{
    *tau = frz_mpm_strain(g);
    const frz_w8 *e = g->e;
    // J^2 - 1 from e, without the digits that 1 takes: trace, principal minors, determinant
    const frz_w8 minors = e[0] * e[1] - e[5] * e[5] + e[1] * e[2] - e[3] * e[3] + e[2] * e[0] - e[4] * e[4];
    const frz_w8 growth = e[0] + e[1] + e[2] + minors + frz_wide3_determinant(tau);
    if (any_of(~(growth > frz_w8_splat(continued * continued - 1))))
        return false;
    const frz_w8 pressing = frz_w8_splat((frz_real)(0.5 * m->elastic.lambda)) * log_plus(growth);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            tau->m[i][j] = frz_w8_splat((frz_real)m->elastic.mu) * tau->m[i][j] + (i == j ? pressing : frz_w8_splat(0));
    return true;
}

void frz_mpm_stress(const frz_mpm_material *material, double dt, frz_mpm_group *group, frz_wide3 *tau)
{
    const frz_yield_kind kind = material->yield.kind;
    if (kind == FRZ_YIELD_DRUCKER_PRAGER)
        sand_stress(material, dt, group, tau);
    else if (!(kind == FRZ_YIELD_NEVER && material->is_common && common_stress(material, group, tau)))
        any_stress(material, dt, group, tau);
}
