// SPDX-License-Identifier: MIT
// Limits of the domain: periodic seams, particles that leave or are removed, flow through surfaces.
#pragma once

#include <stdbool.h>

#include "base/simd.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Wrap periodic positions, count particles that crossed the probes' patches, remove particles that left the domain or
/// are in a region that kills.
void frz_domain_apply(const frz_model *model, frz_state *state);
/// Take a position back into a periodic domain; false if it lies beyond an open limit.
bool frz_domain_wrap(const frz_model *model, frz_v4 *position);
