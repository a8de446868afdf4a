// SPDX-License-Identifier: MIT
// Zhu & Bridson 2005: phi(x) = |x - xbar| - R with the weighted mean xbar of the places of the particles around x
// (Solenthaler 2007, eqs. 22 and 23 with f = 1). R is such that the surface of a lattice at rest lies half a spacing in
// front of it.
#include <math.h>

#include "surface/iso_internal.h"
#include "surface/iso_mean_place.h"

void frz_iso_mean_splat(frz_iso_block *block, frz_v4 point)
{
    const frz_iso_kernel *kernel = &block->field->kernel;
    const frz_real h = (frz_real)kernel->support, inverse = 1 / (h * h);
    const frz_iso_box box = frz_iso_box_around(block, point, frz_v4_splat(h));
    for (int x = box.low[0]; x <= box.high[0]; x += 8)
    {
        const frz_w8 rx = (point[0] - (frz_real)x) - frz_iso_steps(), along = 1 - rx * rx * inverse;
        for (int z = box.low[2]; z <= box.high[2]; ++z)
            for (int y = box.low[1]; y <= box.high[1]; ++y)
            {
                const frz_real ry = point[1] - (frz_real)y, rz = point[2] - (frz_real)z;
                const frz_w8 q = frz_w8_max(along - (ry * ry + rz * rz) * inverse, frz_w8_splat(0)), w = q * q * q;
                const frz_w8 terms[4] = {w, w * rx, w * ry, w * rz};
                const int at = frz_iso_index(block, x, y, z);
                for (int c = 0; c < 4; ++c)
                    frz_w8_store(block->channel[c] + at, frz_w8_load(block->channel[c] + at) + terms[c]);
            }
    }
}

static double add_weight(const void *user, frz_vec3 r, double volume)
{
    (void)volume;
    return frz_iso_kernel_value(user, frz_v3_dot(r, r));
}

static double add_depth(const void *user, frz_vec3 r, double volume)
{
    (void)volume;
    return -r.y * frz_iso_kernel_value(user, frz_v3_dot(r, r));
}

void frz_iso_mean_calibrate(frz_iso_field *field)
{
    const double lift = FRZ_ISO_LIFT * field->cells->spacing;
    double weight = 0.0, depth = 0.0;
    frz_iso_lattice_plane(field, lift, add_weight, &field->kernel, &weight);
    frz_iso_lattice_plane(field, lift, add_depth, &field->kernel, &depth);
    field->level = depth / weight;
    field->slope = 1.0;
}

frz_vec3 frz_iso_mean_offset(const frz_iso_block *block, int at)
{
    const double weight = (double)block->channel[0][at];
    frz_vec3 offset = {(double)block->channel[1][at] / weight, (double)block->channel[2][at] / weight,
                       (double)block->channel[3][at] / weight};
    if (!block->walled || !(block->shade[at] > 0))
        return offset;
    // the liquid would go on behind the wall: no offset across it
    const frz_real *wall = block->wall + at;
    const frz_vec3 slope = {(double)(wall[1] - wall[-1]), (double)(wall[ISO_STRIDE] - wall[-ISO_STRIDE]),
                            block->layers > 1 ? (double)(wall[ISO_LAYER] - wall[-ISO_LAYER]) : 0.0};
    const double length = frz_v3_length(slope), share = fmin(2.0 * (double)block->shade[at], 1.0);
    if (!(length > 0.5 && length < 4.0)) // no distance on some side
        return offset;
    const frz_vec3 n = frz_v3_scale(1.0 / length, slope);
    return frz_v3_mad(offset, -share * frz_v3_dot(offset, n), n);
}

void frz_iso_mean_finish(frz_iso_block *block, double (*factor)(const frz_iso_block *block, int at, frz_vec3 offset))
{
    const double radius = block->field->level, outside = -block->field->kernel.support;
    const int rim = block->walled ? 1 : 0; // differences of the wall's distance need a node on each side
    for (int z = 0; z < block->layers; ++z)
        for (int y = 0; y < ISO_NODES; ++y)
            for (int x = 0; x < ISO_NODES; ++x)
            {
                const int at = z * ISO_LAYER + y * ISO_STRIDE + x;
                const bool edge = rim && (x == 0 || y == 0 || x == ISO_NODES - 1 || y == ISO_NODES - 1 ||
                                          (block->layers > 1 && (z == 0 || z == ISO_NODES - 1)));
                block->value[at] = (frz_real)outside;
                if (!(block->channel[0][at] > 0) || edge)
                    continue;
                const frz_vec3 offset = frz_iso_mean_offset(block, at);
                const double length = frz_v3_length(offset);
                const double f = factor != NULL && length < radius ? factor(block, at, offset) : 1.0;
                block->value[at] = (frz_real)(radius * f - length);
            }
}

static void splat(frz_iso_block *block, frz_v4 point, int particle)
{
    (void)particle;
    frz_iso_mean_splat(block, point);
}

static void finish(frz_iso_block *block)
{
    frz_iso_mean_finish(block, NULL);
}

const frz_iso_method frz_iso_zhu2005 = {
    .name = "zhu2005",
    .doc = "distance from the weighted mean place of the particles around",
    .channels = 4,
    .support = 2.0,
    .calibrate = frz_iso_mean_calibrate,
    .splat = splat,
    .finish = finish,
};
