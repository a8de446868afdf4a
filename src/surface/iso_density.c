// SPDX-License-Identifier: MIT
// Level set of the density: phi(x) = sum_j V_j W(x - x_j) with V_j = m_j / rho_j from the density of the frame, so that
// phi is 1 inside. The level is the mean of phi in the plane half a spacing in front of a lattice at rest.
#include "surface/iso_internal.h"

static double add_kernel(const void *user, frz_vec3 r, double volume)
{
    return volume * frz_iso_kernel_value(user, frz_v3_dot(r, r));
}

static void calibrate(frz_iso_field *field)
{
    const double step = 0.05 * field->cells->spacing, lift = FRZ_ISO_LIFT * field->cells->spacing;
    double below = 0.0, above = 0.0;
    frz_iso_lattice_plane(field, lift, add_kernel, &field->kernel, &field->level);
    frz_iso_lattice_plane(field, lift - step, add_kernel, &field->kernel, &below);
    frz_iso_lattice_plane(field, lift + step, add_kernel, &field->kernel, &above);
    field->slope = (below - above) / (2.0 * step);
}

static void splat(frz_iso_block *block, frz_v4 point, int particle)
{
    (void)particle;
    frz_iso_splat_kernel(block, point, block->channel[0]);
}

const frz_iso_method frz_iso_density = {
    .name = "density",
    .doc = "level set of the SPH density, with the volumes of the frame",
    .channels = 1,
    .support = 2.0,
    .calibrate = calibrate,
    .splat = splat,
    .finish = frz_iso_finish_density,
};
