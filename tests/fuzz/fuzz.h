// SPDX-License-Identifier: MIT
// What a fuzz target is: one function that takes any bytes. libFuzzer calls it, or driver.c where there is no clang.
#pragma once

#include <ftw.h>
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

/// True for one of so many inputs, always for the same ones: slow trials are for these.
static inline int fuzz_one_of(const uint8_t *data, size_t size, unsigned many)
{
    uint64_t hash = 1469598103934665603u; // Fowler, Noll and Vo
    for (size_t k = 0; k < size; ++k)
        hash = (hash ^ data[k]) * 1099511628211u;
    return (hash >> 32) % many == 0;
}

static const char *fuzz_folder;

static inline int fuzz_remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

static inline void fuzz_remove_folder(void)
{
    (void)nftw(fuzz_folder, fuzz_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/// A folder of its own, in memory where that is possible, until the program ends. path must stay.
static inline void fuzz_make_folder(char *path, size_t size)
{
    snprintf(path, size, "/dev/shm/frz_fuzz_XXXXXX");
    if (mkdtemp(path) == NULL)
    {
        snprintf(path, size, "/tmp/frz_fuzz_XXXXXX");
        FUZZ_REQUIRE(mkdtemp(path) != NULL);
    }
    fuzz_folder = path;
    FUZZ_REQUIRE(atexit(fuzz_remove_folder) == 0);
}
