// SPDX-License-Identifier: MIT
// Failures: fill a frz_diag and return its status in one expression.
#pragma once

#include "frazil/base.h"

/// Set diag (may be null) to status and the formatted sentence; returns status.
frz_status frz_fail(frz_diag *diag, frz_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// The same with a place in a file (line and column 1-based, 0 if unknown).
frz_status frz_fail_at(frz_diag *diag, frz_status status, const char *file, int line, int column, const char *format,
                       ...) __attribute__((format(printf, 6, 7)));

/// Out of memory; `what` names the data.
frz_status frz_fail_memory(frz_diag *diag, const char *what);

// the static analyser cannot see across files that a failure is never FRZ_OK
#ifdef __clang_analyzer__
#define frz_fail(...)        (frz_fail(__VA_ARGS__), FRZ_ERR_ARGUMENT)
#define frz_fail_at(...)     (frz_fail_at(__VA_ARGS__), FRZ_ERR_ARGUMENT)
#define frz_fail_memory(...) (frz_fail_memory(__VA_ARGS__), FRZ_ERR_MEMORY)
#endif

/// Forward a failing status.
#define FRZ_TRY(expression)                                                                                            \
    do                                                                                                                 \
    {                                                                                                                  \
        const frz_status frz_try_status = (expression);                                                                \
        if (frz_try_status != FRZ_OK)                                                                                  \
            return frz_try_status;                                                                                     \
    } while (0)

/// For internal errors only; kept in every build, since it is only used where it is cheap.
#define FRZ_ASSERT(condition) ((condition) ? (void)0 : frz_assert_failed(#condition, __FILE__, __LINE__))

_Noreturn void frz_assert_failed(const char *condition, const char *file, int line);
