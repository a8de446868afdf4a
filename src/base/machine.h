// SPDX-License-Identifier: MIT
// Resources of the machine.
#pragma once

#include <stdint.h>

/// Bytes that this process could still take without the system swapping or ending it: free memory and caches, the limit
/// of its control group, its own limit of addresses. INT64_MAX if nothing is known.
int64_t frz_machine_memory(void);
