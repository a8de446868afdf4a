// SPDX-License-Identifier: MIT
// Static samples as boundary: each stands for a volume of its own (Akinci et al. 2012), and pushes with the pressure of
// the particle that it pushes. How: sph/pairs.

#include "physics/boundary/boundary_volume.h"

static frz_status akinci_prepare(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                 frz_diag *diag)
{
    (void)instance;
    (void)dt;
    (void)diag;
    state->wall_share = 0.0;
    frz_boundary_set_volumes(model, state);
    return FRZ_OK;
}

const frz_method frz_method_boundary_akinci2012 = {
    .key = "akinci2012",
    .slot = FRZ_SLOT_BOUNDARY,
    .doc = "One layer of samples half a spacing behind the surface, with volumes from their own density.",
    .cite = "Akinci et al. 2012, doi:10.1145/2185520.2185558",
    .run = {[FRZ_STAGE_PREPARE] = akinci_prepare},
};
