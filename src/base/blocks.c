// SPDX-License-Identifier: MIT
#include "base/blocks.h"

int frz_parallel_least = 4096, frz_parallel_some = 1024;
