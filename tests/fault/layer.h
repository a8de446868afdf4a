// SPDX-License-Identifier: MIT
// What libraries to preload (LD_PRELOAD) have in common: they stand between the program and the C library.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>

#define SHARED __attribute__((visibility("default")))

// The function of that name that would have been called without this library.
#define NEXT(name)                                                                                                     \
    static __typeof__(name) *next;                                                                                     \
    if (next == NULL)                                                                                                  \
    next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

// The mode behind the flags of open, if there is one.
#define OPEN_MODE(mode, flags)                                                                                         \
    mode_t mode = 0;                                                                                                   \
    if (((flags) & (O_CREAT | O_TMPFILE)) != 0)                                                                        \
    {                                                                                                                  \
        va_list args;                                                                                                  \
        va_start(args, flags);                                                                                         \
        (mode) = va_arg(args, mode_t);                                                                                 \
        va_end(args);                                                                                                  \
    }
