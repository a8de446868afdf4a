// SPDX-License-Identifier: MIT
// Static samples that represent images of the liquid: the mirrored law of sph/sample_law.h. Volumes as in Akinci et al.
// 2012; samples push a particle with its own pressure and those of its neighbours along the wall.

#include <math.h>

#include "physics/boundary/boundary_volume.h"
#include "sim/boundary.h"

static frz_sample_law mirrored_law(const frz_model *model, const void *self)
{
    (void)self;
    const double alone = frz_kernel_value(&model->kernel, 0.0) * model->particle_volume;
    // fraction of the local law's compression that a single particle needs for its rest density at the surface of a
    // wall; with w_ii it gets w_ii / (plane_sum + w_ii - alone)
    const double needed = (1.0 - alone) / (model->wall_gain * model->surface_sum * model->surface_sum);
    if (needed >= 1.0)
        return (frz_sample_law){.gain = model->wall_gain};
    const double more = fmax((needed * model->plane_sum - alone) / (1.0 - needed), 0.0);
    // a flat layer of particles one spacing from the samples gets the compression of the missing lattice layers
    return (frz_sample_law){
        .mirror = sqrt(model->wall_gain / (model->plane_sum + more)), .self = alone + more, .gain = model->wall_gain};
}

static const frz_boundary_ops mirrored_ops = {.volumes = frz_boundary_set_curved_volumes, .law = mirrored_law};

const frz_method frz_method_boundary_mirrored = {
    .key = "mirrored",
    .slot = FRZ_SLOT_BOUNDARY,
    .doc = "Samples that stand for images of the liquid beside them: right pressures along walls in 3D, little drag.",
    .cite = "Volumes: Akinci et al. 2012, doi:10.1145/2185520.2185558",
    .boundary = &mirrored_ops,
    .most_support = 2.1, // at 3 a drop on a floor, held by its surface tension alone, leaks through it
};
