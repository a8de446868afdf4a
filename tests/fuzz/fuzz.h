// SPDX-License-Identifier: MIT
// What a fuzz target is: one function that takes any bytes. libFuzzer calls it, or driver.c where there is no clang.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/// Any bytes; returns 0. A crash, a sanitizer report or a long wait is a finding.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// What must hold whatever the input was.
#define FUZZ_REQUIRE(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))

static inline void fuzz_fail(const char *condition, const char *file, int line)
{
    fprintf(stderr, "fuzz: %s does not hold (%s:%d)\n", condition, file, line);
    abort();
}

/// A folder of its own, in memory where that is possible.
static inline void fuzz_make_folder(char *path, size_t size)
{
    snprintf(path, size, "/dev/shm/frz_fuzz_XXXXXX");
    if (mkdtemp(path) != NULL)
        return;
    snprintf(path, size, "/tmp/frz_fuzz_XXXXXX");
    FUZZ_REQUIRE(mkdtemp(path) != NULL);
}
