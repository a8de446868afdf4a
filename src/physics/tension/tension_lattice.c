// SPDX-License-Identifier: MIT
#include "physics/tension/tension_lattice.h"

#include <math.h>

// c below which a particle lacks liquid: liquids may be a few percent thin inside (dfsph leaves them so down to 0.97),
// and that must not hold them together like a solid
static const double full = 0.9;
// |g| over that of a flat surface from which on it counts as surface: disorder inside stays below
static const double gate = 0.3;
// energy of a flat film's surface over that of the lattice it started from, in 2D and 3D; measured, see test_tension.c
static const double relaxed_share[2] = {0.328, 0.290};
// step of the numerical derivative, spacings
static const double nudge = 0.01;

enum
{
    layer_count = 12, // deeper than any surface reaches
    deep_count = 8    // layers in which the energy is summed; those below have the lattice's density
};

double frz_tension_cohesion(double c)
{
    return c < full ? 0.5 * (full - c) * (full - c) : 0.0;
}

double frz_tension_cohesion_slope(double c)
{
    return c < full ? c - full : 0.0;
}

double frz_tension_area(double ratio)
{
    return ratio > gate ? 0.5 * (ratio - gate) * (ratio - gate) : 0.0;
}

double frz_tension_area_slope(double ratio)
{
    return ratio > gate ? ratio - gate : 0.0;
}

// Sums over one lattice plane at the height z (spacings): k, and s dk/dz.
typedef struct plane
{
    double value, slope;
} plane;

static plane plane_sum(const frz_model *model, double z)
{
    const double ratio = pow(model->spacing / model->support, 2.0);
    const int reach = (int)ceil(model->support / model->spacing), deep = model->dimension == 3 ? reach : 0;
    plane sum = {0.0, 0.0};
    for (int y = -deep; y <= deep; ++y)
        for (int x = -reach; x <= reach; ++x)
        {
            const double u = fmax(1.0 - ratio * (x * x + y * y + z * z), 0.0);
            sum.value += u * u * u;
            sum.slope -= 6.0 * u * u * ratio * z;
        }
    return sum;
}

// Both terms of the energy over a column of a half lattice whose outermost layer has moved inwards (spacings).
static void column_energy(const frz_model *model, const frz_tension_lattice *l, double inwards, double *cohesion,
                          double *area)
{
    double a[layer_count], g[layer_count], weight[layer_count][layer_count];
    for (int n = 0; n < layer_count; ++n)
    {
        a[n] = g[n] = 0.0;
        for (int m = 0; m < layer_count; ++m)
        {
            const plane p = plane_sum(model, n - m + (n == 0 ? inwards : 0.0) - (m == 0 ? inwards : 0.0));
            weight[n][m] = l->norm * p.value;
            a[n] += weight[n][m];
            g[n] += l->norm * p.slope;
        }
        a[n] = n < deep_count ? a[n] : 1.0;
    }
    *cohesion = *area = 0.0;
    for (int n = 0; n < deep_count; ++n)
    {
        double c = 0.0;
        for (int m = 0; m < layer_count; ++m)
            c += weight[n][m] * a[m];
        *cohesion += frz_tension_cohesion(c);
        *area += frz_tension_area(fabs(g[n]) / l->gradient);
    }
}

frz_tension_lattice frz_tension_lattice_make(const frz_model *model)
{
    frz_tension_lattice l = {.volume = model->particle_volume};
    const int reach = (int)ceil(model->support / model->spacing);
    double missing = 0.0, slope = 0.0;
    for (int z = 1; z <= reach; ++z)
    {
        missing += plane_sum(model, z).value;
        slope -= plane_sum(model, z).slope;
    }
    l.norm = 1.0 / (plane_sum(model, 0.0).value + 2.0 * missing);
    l.gradient = l.norm * slope;
    l.wall = missing / plane_sum(model, 1.0).value;
    double cohesion[3], area[3];
    for (int n = 0; n < 3; ++n)
        column_energy(model, &l, nudge * (n - 1), &cohesion[n], &area[n]);
    l.mix = -(cohesion[2] - cohesion[0]) / (area[2] - area[0]);
    l.energy = cohesion[1] + l.mix * area[1];
    return l;
}

void frz_tension_layers(const frz_model *model, const frz_tension_lattice *lattice, double *sum, double *depth)
{
    double weights = 0.0;
    *sum = *depth = 0.0;
    for (int n = 0; n < deep_count; ++n)
    {
        double g = 0.0;
        for (int m = 0; m < layer_count; ++m)
            g += lattice->norm * plane_sum(model, n - m).slope;
        const double weight = frz_tension_area_slope(fabs(g) / lattice->gradient);
        *sum += fabs(g);
        *depth += weight * (n + 0.5);
        weights += weight;
    }
    *depth /= weights;
}

double frz_tension_energy_scale(const frz_model *model, const frz_tension_lattice *lattice, double tension)
{
    const double share = relaxed_share[model->dimension == 3];
    return tension * model->face / (lattice->energy * share);
}
