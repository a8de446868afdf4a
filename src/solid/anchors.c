// SPDX-License-Identifier: MIT
// Anchors: rigid particles at the far ends of bonds of elastic bodies.
//
// The energy of such a bond, a tie, belongs to the elastic particle alone: its gradient depends on the position of the
// anchor, and the anchor has no strain. So the force on the anchor is minus the sum of the forces of its ties.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "solid/bonds.h"

// A tie and where it leads to.
typedef struct led
{
    int32_t body, anchor;
    frz_bond_tie tie;
} led;

static int by_anchor(const void *a, const void *b)
{
    const led *p = a, *q = b;
    if (p->body != q->body)
        return p->body < q->body ? -1 : 1;
    if (p->anchor != q->anchor)
        return p->anchor < q->anchor ? -1 : 1;
    return p->tie.place < q->tie.place ? -1 : p->tie.place > q->tie.place;
}

// All ties of local bodies; list may be null. Returns how many.
static int64_t list_ties(const frz_bonds *bonds, led *list)
{
    int64_t count = 0;
    for (int i = 0; i < bonds->count && bonds->rest != NULL; ++i)
        for (int64_t k = bonds->begin[i]; frz_bonds_is_local(bonds, bonds->body[i]) && k < bonds->begin[i + 1]; ++k)
        {
            if (!frz_bonds_is_tie(bonds, i, k) || !(bonds->weight[k] > 0))
                continue;
            if (list != NULL)
                list[count] = (led){bonds->body[i], (int32_t)bonds->other[k], {i, k}};
            count += 1;
        }
    return count;
}

static void forget(frz_bonds *bonds)
{
    FRZ_FREE(bonds->anchor_first);
    FRZ_FREE(bonds->anchor);
    FRZ_FREE(bonds->tie_first);
    FRZ_FREE(bonds->tie);
}

static void fill(frz_bonds *bonds, const led *list, int64_t count)
{
    int anchors = 0, body = 0;
    for (int64_t n = 0; n < count; ++n)
    {
        bonds->tie[n] = list[n].tie;
        if (n > 0 && list[n].body == list[n - 1].body && list[n].anchor == list[n - 1].anchor)
            continue;
        for (; body <= list[n].body; ++body)
            bonds->anchor_first[body] = anchors;
        bonds->anchor[anchors] = list[n].anchor;
        bonds->tie_first[anchors++] = n;
    }
    for (; body <= bonds->body_count; ++body)
        bonds->anchor_first[body] = anchors;
    bonds->tie_first[anchors] = count;
}

frz_status frz_bonds_find_anchors(frz_bonds *bonds, frz_diag *diag)
{
    forget(bonds);
    const int64_t count = list_ties(bonds, NULL);
    if (count == 0)
        return FRZ_OK;
    led *list = FRZ_ALLOC("bonds", count, led);
    bonds->anchor_first = FRZ_ALLOC("bonds", bonds->body_count + 1, int32_t);
    bonds->anchor = FRZ_ALLOC("bonds", count, int32_t);
    bonds->tie_first = FRZ_ALLOC("bonds", count + 1, int64_t);
    bonds->tie = FRZ_ALLOC("bonds", count, frz_bond_tie);
    const bool good = list != NULL && bonds->anchor_first != NULL && bonds->anchor != NULL &&
                      bonds->tie_first != NULL && bonds->tie != NULL;
    if (good)
    {
        (void)list_ties(bonds, list);
        qsort(list, (size_t)count, sizeof *list, by_anchor);
        fill(bonds, list, count);
    }
    else
        forget(bonds);
    frz_free(list);
    return good ? FRZ_OK : frz_fail_memory(diag, "the bonds of the solid bodies");
}

bool frz_bonds_has_anchor(const frz_bonds *bonds, int body, int number)
{
    int low = bonds->anchor_first != NULL ? bonds->anchor_first[body] : 0;
    int high = bonds->anchor_first != NULL ? bonds->anchor_first[body + 1] : 0;
    const int end = high;
    while (low < high)
    {
        const int middle = low + (high - low) / 2;
        if (bonds->anchor[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && bonds->anchor[low] == number;
}
