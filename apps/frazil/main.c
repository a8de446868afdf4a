// SPDX-License-Identifier: MIT
// Nothing but main, so that tests can call the rest.
#include <stdlib.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "commands/command.h"
#include "sandbox.h"

/// Let threads that wait sleep. By default they spin, and where other programs use the cores a small run then takes
/// fifty times as long. GNU's runtime lets them spin for some microseconds first: threads that fall asleep between any
/// two loops make a small run three times as long (bench dough on two threads). The OpenMP runtime reads the variables
/// before main begins: so the program starts itself once more. A user who has set the policy is left alone; if the
/// program cannot start itself, it continues unchanged.
static void let_threads_sleep(char **argv)
{
    static const char policy[] = "OMP_WAIT_POLICY", spins[] = "GOMP_SPINCOUNT";
    if (getenv(policy) == NULL && setenv(spins, "10000", 0) == 0 && setenv(policy, "passive", 1) == 0)
        (void)execv("/proc/self/exe", argv);
}

/// Give large arrays back to the system when they are freed. The C library raises its threshold for that up to 32 MB
/// by itself; arrays that have grown then leave holes in the heap, 8 % of the memory of bench dam.
static void return_freed_arrays(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 256 << 10);
#endif
}

int main(int argc, char **argv)
{
    let_threads_sleep(argv);
    return_freed_arrays();
    frz_sandbox_arm();
    return frz_program_main(argc, argv);
}
