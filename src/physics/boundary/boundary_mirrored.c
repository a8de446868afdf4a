// SPDX-License-Identifier: MIT
// Static samples that stand for images of the liquid: the mirrored law of sph/sample_law. Volumes as in Akinci et al.
// 2012; samples push with the pressures of the particle that they push and of its neighbours along the wall.

#include <math.h>

#include "physics/boundary/boundary_volume.h"
#include "sim/boundary.h"

static frz_sample_law mirrored_law(const frz_model *model, const void *self)
{
    (void)self;
    // a flat layer of particles one spacing from the samples gets what the missing lattice layers would add
    return (frz_sample_law){.mirror = sqrt(model->wall_gain / model->plane_sum), .gain = model->wall_gain};
}

static const frz_boundary_ops mirrored_ops = {.volumes = frz_boundary_set_volumes, .law = mirrored_law};

const frz_method frz_method_boundary_mirrored = {
    .key = "mirrored",
    .slot = FRZ_SLOT_BOUNDARY,
    .doc = "Samples that stand for images of the liquid beside them: right pressures along walls in 3D, little drag.",
    .cite = "Volumes: Akinci et al. 2012, doi:10.1145/2185520.2185558",
    .boundary = &mirrored_ops,
    .most_support = 2.1, // at 3 a drop on a floor, held by its surface tension alone, leaks through it
};
