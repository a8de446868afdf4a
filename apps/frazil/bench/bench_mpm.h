// SPDX-License-Identifier: MIT
// Speed of the material point method: see bench_mpm.c.
#pragma once

#include "commands/command.h"

/// `frazil bench mpm` over so many steps, with all edges scale times as long. Returns the exit code.
int bench_mpm(const frz_call *call, int64_t steps, double scale);
