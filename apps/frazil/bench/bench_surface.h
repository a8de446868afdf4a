// SPDX-License-Identifier: MIT
// How fast surfaces of liquids are made. See bench_surface.c.
#pragma once

#include "commands/command.h"

/// `frazil bench surface`; scale as of the dam. Returns the exit code.
int bench_surface(const frz_call *call, double scale, bool quick);
