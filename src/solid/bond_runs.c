// SPDX-License-Identifier: MIT
// Bodies of several materials: the particles of a body are numbered material by material, so that each run of them has
// one law, and bonds lead from run to run like any others.
#include "base/memory.h"
#include "solid/bonds.h"

frz_status frz_bonds_allocate_materials(frz_bonds *bonds, frz_diag *diag)
{
    bonds->material = FRZ_ALLOC("bonds", bonds->count + 1, uint8_t);
    bonds->mass = FRZ_ALLOC("bonds", bonds->count + 1, frz_real);
    return bonds->material != NULL && bonds->mass != NULL ? FRZ_OK
                                                          : frz_fail_memory(diag, "the bonds of the solid bodies");
}

// Runs of all bodies; run may be null. Returns how many.
static int list_runs(const frz_bonds *bonds, int32_t *first, frz_bond_run *run)
{
    int count = 0;
    for (int b = 0; b < bonds->body_count; ++b)
    {
        if (first != NULL)
            first[b] = count;
        for (int i = bonds->first[b]; i < bonds->first[b + 1]; ++i)
        {
            const bool begins = i == bonds->first[b] || bonds->material[i] != bonds->material[i - 1];
            if (begins && run != NULL)
                run[count] = (frz_bond_run){.first = i, .material = bonds->material[i]};
            count += begins;
            if (run != NULL)
                run[count - 1].last = i + 1;
        }
    }
    if (first != NULL)
        first[bonds->body_count] = count;
    return count;
}

frz_status frz_bonds_find_runs(frz_bonds *bonds, frz_diag *diag)
{
    FRZ_FREE(bonds->run_first);
    FRZ_FREE(bonds->run);
    if (bonds->material == NULL)
        return FRZ_OK;
    bonds->run_first = FRZ_ALLOC("bonds", bonds->body_count + 1, int32_t);
    bonds->run = FRZ_ALLOC("bonds", list_runs(bonds, NULL, NULL) + 1, frz_bond_run);
    if (bonds->run_first == NULL || bonds->run == NULL)
        return frz_fail_memory(diag, "the bonds of the solid bodies");
    (void)list_runs(bonds, bonds->run_first, bonds->run);
    return FRZ_OK;
}
