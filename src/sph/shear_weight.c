// SPDX-License-Identifier: MIT
#include "sph/shear_weight.h"

frz_shear_weight frz_shear_weight_make(double spacing, double support, int dimension)
{
    frz_shear_weight weight = {.inverse_square = (frz_real)(1.0 / (support * support))};
    const int reach = (int)ceil(support / spacing);
    const int depth = dimension == 3 ? reach : 0;
    double sum = 0.0, moment = 0.0, half_space = 0.0, layer = 0.0;
    for (int k = -depth; k <= depth; ++k)
        for (int j = -reach; j <= reach; ++j)
            for (int i = -reach; i <= reach; ++i)
            {
                const double r2 = (double)(i * i + j * j + k * k);
                if (r2 == 0.0)
                    continue;
                const double g = (double)frz_shear_weight_at(&weight, (frz_real)(r2 * spacing * spacing));
                sum += g;
                moment += g * r2;
                // Momentum that a linear profile carries through a plane between two rows: rows j apart lie on both
                // sides in j different positions, and their velocities differ by j. One layer of wall samples, whose
                // velocity continues the profile beyond the wall, meets each of them once.
                half_space += j > 0 ? g * j * j : 0.0;
                layer += j > 0 ? g * j : 0.0;
            }
    weight.plain = 2.0 * dimension / moment;
    weight.central = (dimension + 2.0) * weight.plain;
    weight.own = weight.central * sum / dimension;
    weight.wall = weight.plain * half_space / layer;
    return weight;
}
