// SPDX-License-Identifier: MIT
// Is a small implicit elastic problem faster than real time: see bench_dough.c.
#pragma once

#include "commands/command.h"

/// `frazil bench dough` over at most so many steps; overrides are "key=value". Returns the exit code.
int bench_dough(const frz_call *call, int64_t most_steps, const frz_text_list *overrides);
