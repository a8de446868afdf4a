// SPDX-License-Identifier: MIT
// Gain in step length if bodies move within the pressure solve: see bench_coupling.c.
#pragma once

#include "commands/command.h"

typedef struct bench_coupling_wish
{
    const char *scene;        ///< sphere, capsule, propeller; null: the first
    const char *rule;         ///< paper, strict; null: one after the other
    const frz_text_list *set; ///< overrides of the scene
    bool quick;               ///< a shorter time
    bool sweep;               ///< the light body with densities from a hundredth of the water's to the water's
    const char *plots;        ///< folder for plots; null: none
} bench_coupling_wish;

/// `frazil bench coupling`; returns the exit code.
int bench_coupling(const frz_call *call, const bench_coupling_wish *wish);
