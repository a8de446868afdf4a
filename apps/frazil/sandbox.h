// SPDX-License-Identifier: MIT
// Restrict the rights of the process: a second protection behind the rules for paths, where the kernel supports it.
#pragma once

#include <stdbool.h>

/// Paths may be null, and need not exist.
typedef struct frz_sandbox
{
    const char *const *read; ///< files and folders that may be read, ending with null; null: everything may
    const char *write;       ///< folder that may be read and written; null: none
    const char *clean;       ///< folder in which empty folders may be removed; null: none
} frz_sandbox;

/// Only a process that has called this is ever restricted: one that calls the program's functions for other reasons,
/// such as a test, is not.
void frz_sandbox_arm(void);

/// Restrict this process for good: no other files (Landlock), no new processes, no network (seccomp). A kernel that has
/// none of these changes nothing. Call it before the first thread is made.
void frz_sandbox_enter(const frz_sandbox *sandbox);
