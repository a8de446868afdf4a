// SPDX-License-Identifier: MIT
// The table of field methods, and what they share: the kernel, sums over a lattice at rest, densities.
#include <math.h>
#include <string.h>

#include "surface/iso_internal.h"

#define FRZ_ISO_METHOD(name) extern const frz_iso_method frz_iso_##name;
#include "surface/iso_methods.def"
#undef FRZ_ISO_METHOD

static const frz_iso_method *const methods[] = {
#define FRZ_ISO_METHOD(name) &frz_iso_##name,
#include "surface/iso_methods.def"
#undef FRZ_ISO_METHOD
};

static const char *const names[] = {
#define FRZ_ISO_METHOD(name) #name,
#include "surface/iso_methods.def"
#undef FRZ_ISO_METHOD
    NULL};

enum
{
    method_count = sizeof methods / sizeof methods[0],
    lattice_layers = 5, // spacings that a kernel may reach
    plane_samples = 8   // along each side of a cell of the lattice
};

static const double pi = 3.14159265358979323846;
static const double least_free = 0.1; // part of the kernel that walls leave free, at least

const frz_iso_method *frz_iso_method_find(const char *name)
{
    if (name == NULL)
        return methods[0];
    for (int m = 0; m < method_count; ++m)
        if (strcmp(methods[m]->name, name) == 0)
            return methods[m];
    return NULL;
}

const char *const *frz_iso_method_names(void)
{
    return names;
}

const char *frz_iso_method_name(const frz_iso_method *method)
{
    return method->name;
}

frz_iso_kernel frz_iso_kernel_create(int dimension, double support)
{
    // integrals of (1 - q^2)^3: 64 pi / 315 h^3 over a ball, pi / 4 h^2 over a disc
    const frz_iso_kernel kernel = {support, dimension == 3 ? 315.0 / (64.0 * pi * support * support * support)
                                                           : 4.0 / (pi * support * support)};
    return kernel;
}

// ---- a lattice at rest fills the space below the plane y = 0; its first layer lies half a spacing below

double frz_iso_lattice_volume(const frz_iso_field *field, int layer)
{
    const double a = field->cells->spacing;
    const int deep = field->cells->dimension == 3 ? lattice_layers : 0;
    const frz_iso_kernel kernel = frz_iso_kernel_create(field->cells->dimension, 2.0 * a);
    double density = 0.0;
    for (int j = 0; j < layer + lattice_layers; ++j)
        for (int i = -lattice_layers; i <= lattice_layers; ++i)
            for (int k = -deep; k <= deep; ++k)
                density += frz_iso_kernel_value(&kernel, a * a * (i * i + k * k + (j - layer) * (j - layer)));
    return 1.0 / density;
}

void frz_iso_lattice_plane(const frz_iso_field *field, double height, frz_iso_term *term, const void *user,
                           double *mean)
{
    const double a = field->cells->spacing;
    const int deep = field->cells->dimension == 3 ? lattice_layers : 0, across = deep > 0 ? plane_samples : 1;
    double sum = 0.0;
    for (int j = 0; j < lattice_layers; ++j)
    {
        const double volume = frz_iso_lattice_volume(field, j);
        for (int s = 0; s < plane_samples; ++s)
            for (int t = 0; t < across; ++t)
                for (int i = -lattice_layers; i <= lattice_layers; ++i)
                    for (int k = -deep; k <= deep; ++k)
                    {
                        const double x = i + (s + 0.5) / plane_samples, z = deep > 0 ? k + (t + 0.5) / across : 0.0;
                        sum += term(user, frz_v3(a * x, -a * (j + 0.5) - height, a * z), volume);
                    }
    }
    *mean = sum / (plane_samples * across);
}

// ---- densities

void frz_iso_splat_kernel(frz_iso_block *block, frz_v4 point, frz_real *out)
{
    const frz_iso_kernel *kernel = &block->field->kernel;
    const frz_real h = (frz_real)kernel->support, inverse = 1 / (h * h);
    const frz_real amount = point[3] * (frz_real)kernel->normalization;
    const frz_iso_box box = frz_iso_box_around(block, point, frz_v4_splat(h));
    for (int x = box.low[0]; x <= box.high[0]; x += 8)
    {
        const frz_w8 dx = frz_iso_steps() + ((frz_real)x - point[0]);
        const frz_w8 along = 1 - dx * dx * inverse;
        for (int z = box.low[2]; z <= box.high[2]; ++z)
        {
            const frz_real dz = (frz_real)z - point[2];
            for (int y = box.low[1]; y <= box.high[1]; ++y)
            {
                const frz_real dy = (frz_real)y - point[1];
                const frz_w8 q = frz_w8_max(along - (dy * dy + dz * dz) * inverse, frz_w8_splat(0));
                frz_real *row = out + frz_iso_index(block, x, y, z);
                frz_w8_store(row, frz_w8_load(row) + amount * (q * q * q));
            }
        }
    }
}

void frz_iso_finish_density(frz_iso_block *block)
{
    const frz_iso_field *field = block->field;
    const int size = block->layers * ISO_LAYER;
    const frz_real level = (frz_real)field->level, scale = (frz_real)(1.0 / field->slope);
    const frz_real *sum = block->channel[0];
    if (!block->walled)
    {
        for (int i = 0; i < size; ++i)
            block->value[i] = (sum[i] - level) * scale;
        return;
    }
    const frz_real least = (frz_real)least_free;
    for (int i = 0; i < size; ++i)
    {
        const frz_real open = 1 - block->shade[i];
        block->value[i] = (sum[i] / (open > least ? open : least) - level) * scale;
    }
}
