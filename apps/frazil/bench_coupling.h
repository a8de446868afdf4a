// SPDX-License-Identifier: MIT
// How much longer steps may be if bodies move within the pressure solve: see bench_coupling.c.
#pragma once

#include "command.h"

/// `frazil bench coupling`; returns the exit code.
int bench_coupling(const frz_call *call);
