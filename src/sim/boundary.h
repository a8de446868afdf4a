// SPDX-License-Identifier: MIT
// Interface of a boundary method: volumes and gains of the samples of static and rigid bodies.
#pragma once

#include "sph/sample_law.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

struct frz_boundary_ops
{
    /// Compute the volumes of samples; called once before the first step and after a restart.
    void (*volumes)(const frz_model *model, frz_state *state);
    /// Contribution of samples to the compression; self are the method's parameters.
    frz_sample_law (*law)(const frz_model *model, const void *self);
};

/// The law of the model's boundary method.
frz_sample_law frz_boundary_law(const frz_model *model);
void frz_boundary_prepare(const frz_model *model, frz_state *state);
