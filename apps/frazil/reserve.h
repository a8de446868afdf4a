// SPDX-License-Identifier: MIT
// Memory kept back for libraries that do not survive a failing malloc.
#pragma once

#include <stdbool.h>

/// Whether a library has needed the reserve: memory is short, and it is time to end in order.
bool frz_reserve_needed(void);
