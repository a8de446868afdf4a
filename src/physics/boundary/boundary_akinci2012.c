// SPDX-License-Identifier: MIT
// Static samples as boundary: each has a volume of its own (Akinci et al. 2012), and pushes a particle with that
// particle's pressure. The law is in sph/sample_law.h.

#include "physics/boundary/boundary_volume.h"
#include "sim/boundary.h"

static frz_sample_law akinci_law(const frz_model *model, const void *self)
{
    (void)self;
    return (frz_sample_law){.gain = model->wall_gain};
}

static const frz_boundary_ops akinci_ops = {.volumes = frz_boundary_set_volumes, .law = akinci_law};

const frz_method frz_method_boundary_akinci2012 = {
    .key = "akinci2012",
    .slot = FRZ_SLOT_BOUNDARY,
    .doc = "One layer of samples half a spacing behind the surface, with volumes from their own density.",
    .cite = "Akinci et al. 2012, doi:10.1145/2185520.2185558",
    .boundary = &akinci_ops,
};
