// SPDX-License-Identifier: MIT
#include "sph/kernels.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static double cube(double x)
{
    return x * x * x;
}

// Monaghan & Lattanzio 1985, written as truncated powers
static double cubic_value(double q, int dimension)
{
    (void)dimension;
    const double inner = q < 0.5 ? 0.5 - q : 0.0;
    return q < 1.0 ? 2.0 * cube(1.0 - q) - 8.0 * cube(inner) : 0.0;
}

static double cubic_slope(double q, int dimension)
{
    (void)dimension;
    const double inner = q < 0.5 ? 0.5 - q : 0.0;
    return q < 1.0 ? 24.0 * inner * inner - 6.0 * (1.0 - q) * (1.0 - q) : 0.0;
}

// Wendland 1995: the polynomial of lowest degree differs between one dimension and two or three
static double c2_value(double q, int dimension)
{
    const double u = q < 1.0 ? 1.0 - q : 0.0;
    return dimension == 1 ? cube(u) * (1.0 + 3.0 * q) : cube(u) * u * (1.0 + 4.0 * q);
}

static double c2_slope(double q, int dimension)
{
    const double u = q < 1.0 ? 1.0 - q : 0.0;
    return dimension == 1 ? -12.0 * q * u * u : -20.0 * q * cube(u);
}

static double c4_value(double q, int dimension)
{
    const double u = q < 1.0 ? 1.0 - q : 0.0;
    return dimension == 1 ? cube(u) * u * u * (1.0 + 5.0 * q + 8.0 * q * q)
                          : cube(u) * cube(u) * (1.0 + 6.0 * q + 35.0 / 3.0 * q * q);
}

static double c4_slope(double q, int dimension)
{
    const double u = q < 1.0 ? 1.0 - q : 0.0;
    return dimension == 1 ? -14.0 * q * (1.0 + 4.0 * q) * cube(u) * u
                          : -56.0 / 3.0 * q * (1.0 + 5.0 * q) * cube(u) * u * u;
}

// Mueller et al. 2003, eqs. 20-22. The viscosity kernel is made so that its Laplacian is proportional to 1 - q; in one
// and two dimensions that is another function, derived from the same condition (w(1) = w'(1) = 0).
static double poly6_value(double q, int dimension)
{
    (void)dimension;
    return q < 1.0 ? cube(1.0 - q * q) : 0.0;
}

static double poly6_slope(double q, int dimension)
{
    (void)dimension;
    return q < 1.0 ? -6.0 * q * (1.0 - q * q) * (1.0 - q * q) : 0.0;
}

static double spiky_value(double q, int dimension)
{
    (void)dimension;
    return q < 1.0 ? cube(1.0 - q) : 0.0;
}

static double spiky_slope(double q, int dimension)
{
    (void)dimension;
    return q < 1.0 ? -3.0 * (1.0 - q) * (1.0 - q) : 0.0;
}

// the kernel is infinite at the centre; stop short of it
static double off_centre(double q)
{
    return q > 1e-6 ? q : 1e-6;
}

static double viscosity_value(double q, int dimension)
{
    if (q >= 1.0)
        return 0.0;
    const double s = off_centre(q);
    switch (dimension)
    {
    case 1:
        return cube(1.0 - q);
    case 2:
        return s * s / 4.0 - cube(s) / 9.0 - log(s) / 6.0 - 5.0 / 36.0;
    default:
        return -cube(s) / 2.0 + s * s + 0.5 / s - 1.0;
    }
}

static double viscosity_slope(double q, int dimension)
{
    if (q >= 1.0)
        return 0.0;
    const double s = off_centre(q);
    switch (dimension)
    {
    case 1:
        return -3.0 * (1.0 - q) * (1.0 - q);
    case 2:
        return s / 2.0 - s * s / 3.0 - 1.0 / (6.0 * s);
    default:
        return -1.5 * s * s + 2.0 * s - 0.5 / (s * s);
    }
}

// Solenthaler et al. 2007, the kernel before eq. 17: c (2h / pi) (cos((r + h) pi / 2h) + 1) is 1 - sin(pi q / 2). Its
// slope does not vanish at the centre, so that two close particles repel each other. The paper gives the constant in
// three dimensions; those in one and two are integrals by parts.
static double cosine_value(double q, int dimension)
{
    (void)dimension;
    return q < 1.0 ? 1.0 - sin(0.5 * PI * q) : 0.0;
}

static double cosine_slope(double q, int dimension)
{
    (void)dimension;
    return q < 1.0 ? -0.5 * PI * cos(0.5 * PI * q) : 0.0;
}

const frz_kernel_info frz_kernels[FRZ_KERNEL_COUNT] = {
    [FRZ_KERNEL_CUBIC_SPLINE] = {"cubic_spline",
                                 "piecewise cubic; the usual choice",
                                 "Monaghan & Lattanzio 1985",
                                 true,
                                 {4.0 / 3.0, 40.0 / (7.0 * PI), 8.0 / PI},
                                 cubic_value,
                                 cubic_slope},
    [FRZ_KERNEL_WENDLAND_C2] = {"wendland_c2",
                                "smooth, does not let particles pair up",
                                "Wendland 1995",
                                true,
                                {5.0 / 4.0, 7.0 / PI, 21.0 / (2.0 * PI)},
                                c2_value,
                                c2_slope},
    [FRZ_KERNEL_WENDLAND_C4] = {"wendland_c4",
                                "smoother still; wants a larger support",
                                "Wendland 1995",
                                true,
                                {3.0 / 2.0, 9.0 / PI, 495.0 / (32.0 * PI)},
                                c4_value,
                                c4_slope},
    [FRZ_KERNEL_POLY6] = {"poly6",
                          "Mueller's density kernel",
                          "Mueller et al. 2003",
                          true,
                          {35.0 / 32.0, 4.0 / PI, 315.0 / (64.0 * PI)},
                          poly6_value,
                          poly6_slope},
    [FRZ_KERNEL_SPIKY] = {"spiky",
                          "Mueller's pressure kernel: its slope does not vanish at the centre",
                          "Mueller et al. 2003",
                          true,
                          {2.0, 10.0 / PI, 15.0 / PI},
                          spiky_value,
                          spiky_slope},
    [FRZ_KERNEL_VISCOSITY] = {"viscosity",
                              "Mueller's viscosity kernel: positive Laplacian; infinite at the centre",
                              "Mueller et al. 2003",
                              false,
                              {2.0, 40.0 / PI, 15.0 / (2.0 * PI)},
                              viscosity_value,
                              viscosity_slope},
    [FRZ_KERNEL_COSINE] = {"cosine",
                           "1 - sin(pi q / 2): Solenthaler's kernel for elastic bodies of few particles",
                           "Solenthaler et al. 2007",
                           true,
                           {1.0 / (2.0 * (1.0 - 2.0 / PI)), 1.0 / (2.0 * PI * (0.5 - 4.0 / (PI * PI))),
                            1.0 / (4.0 * PI * (1.0 / 3.0 - 8.0 / (PI * PI) + 16.0 / (PI * PI * PI)))},
                           cosine_value,
                           cosine_slope},
};

int frz_kernel_find(const char *key)
{
    for (int k = 0; k < FRZ_KERNEL_COUNT; ++k)
        if (strcmp(frz_kernels[k].key, key) == 0)
            return k;
    return -1;
}

frz_kernel frz_kernel_make(frz_kernel_id id, double support, int dimension)
{
    const double sigma = frz_kernels[id].sigma[dimension - 1];
    const frz_kernel kernel = {id, dimension, support, sigma / pow(support, dimension),
                               sigma / pow(support, dimension + 1)};
    return kernel;
}

double frz_kernel_value(const frz_kernel *kernel, double r)
{
    return kernel->value_factor * frz_kernels[kernel->id].value(r / kernel->support, kernel->dimension);
}

double frz_kernel_slope(const frz_kernel *kernel, double r)
{
    return kernel->slope_factor * frz_kernels[kernel->id].slope(r / kernel->support, kernel->dimension);
}

// Sum of W over a lattice of the first axes, at a height (in spacings) above one of its points.
static double lattice_sum(const frz_kernel *kernel, double spacing, int axes, double height)
{
    const int reach = (int)ceil(kernel->support / spacing);
    const int nx = axes > 0 ? reach : 0, ny = axes > 1 ? reach : 0, nz = axes > 2 ? reach : 0;
    double sum = 0.0;
    for (int z = -nz; z <= nz; ++z)
        for (int y = -ny; y <= ny; ++y)
            for (int x = -nx; x <= nx; ++x)
                sum += frz_kernel_value(kernel, spacing * sqrt((double)(x * x + y * y + z * z) + height * height));
    return sum;
}

double frz_kernel_lattice_sum(const frz_kernel *kernel, double spacing)
{
    return lattice_sum(kernel, spacing, kernel->dimension, 0) * pow(spacing, kernel->dimension);
}

double frz_kernel_plane_sum(const frz_kernel *kernel, double spacing)
{
    return lattice_sum(kernel, spacing, kernel->dimension - 1, 0) * pow(spacing, kernel->dimension);
}

double frz_kernel_surface_sum(const frz_kernel *kernel, double spacing)
{
    return lattice_sum(kernel, spacing, kernel->dimension - 1, 0.5) * pow(spacing, kernel->dimension);
}

double frz_kernel_lattice_square(const frz_kernel *kernel, double spacing, double volume)
{
    const int reach = (int)ceil(kernel->support / spacing), depth = kernel->dimension > 2 ? reach : 0;
    double sum = 0.0;
    for (int z = -depth; z <= depth; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x)
            {
                const double r = spacing * sqrt((double)(x * x + y * y + z * z));
                const double g = r > 0.0 ? spacing * volume * frz_kernel_slope(kernel, r) : 0.0;
                sum += g * g;
            }
    return sum;
}

double frz_kernel_wall_plain_gain(const frz_kernel *kernel, double spacing)
{
    const double nearest = lattice_sum(kernel, spacing, kernel->dimension - 1, 1);
    double missing = 0.0;
    for (int layer = 1; layer <= (int)ceil(kernel->support / spacing); ++layer)
        missing += lattice_sum(kernel, spacing, kernel->dimension - 1, layer);
    return missing / nearest;
}

double frz_kernel_wall_gain(const frz_kernel *kernel, double spacing, double volume)
{
    const double nearest = volume * lattice_sum(kernel, spacing, kernel->dimension - 1, 1);
    double missing = 0.0;
    for (int layer = 1; layer <= (int)ceil(kernel->support / spacing); ++layer)
        missing += volume * lattice_sum(kernel, spacing, kernel->dimension - 1, layer);
    return missing / (nearest * nearest);
}

void frz_kernel_wide_any(frz_kernel_id id, frz_w8 q, int dimension, frz_w8 *value, frz_w8 *slope)
{
    for (int l = 0; l < 8; ++l)
    {
        (*value)[l] = (frz_real)frz_kernels[id].value((double)q[l], dimension);
        (*slope)[l] = (frz_real)frz_kernels[id].slope((double)q[l], dimension);
    }
}
