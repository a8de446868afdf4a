// SPDX-License-Identifier: MIT
// Voids between a body and the liquid around it.
#pragma once

#include <frazil/frazil.h>

/// Share of the samples of body number `body` that no liquid particle is nearer to than two spacings, the reach of the kernel: the body's dry
/// part, and what lies at a void. Negative if there is no memory for it.
double bench_dry_share(const frz_sim *sim, int body, double spacing);
