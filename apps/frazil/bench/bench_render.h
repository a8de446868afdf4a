// SPDX-License-Identifier: MIT
// How long a path-traced picture takes: see bench_render.c.
#pragma once

#include "commands/command.h"

/// `frazil bench render`. Returns the exit code.
int bench_render(const frz_call *call);
