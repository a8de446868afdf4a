// SPDX-License-Identifier: MIT
// Defects between a body and the liquid around it: voids, and squeezed liquid.
#pragma once

#include <frazil/frazil.h>

typedef struct bench_interface
{
    /// fraction of the body's samples with no liquid particle within two spacings: above the water, or at a void
    double dry;
    double squeeze; ///< compression beyond rest of the particles as near as that to a sample: mean, fraction
} bench_interface;

/// Of body number `body`; NaN if there is no memory for it.
bench_interface bench_interface_of(const frz_sim *sim, int body, double spacing);
