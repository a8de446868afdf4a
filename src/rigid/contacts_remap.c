// SPDX-License-Identifier: MIT
// Contacts of a body whose points were made anew: contacts on particles that are still there keep their impulses, so
// that a stack does not start from nothing whenever one of its bodies loses a particle.
#include <stdlib.h>

#include "rigid/contacts_internal.h"

/// Number of a saved contact's point on the new surface; -1: gone.
static int new_point(int point, const frz_contact_shape *before, const frz_contact_shape *after)
{
    if (after == NULL) // the body touches nothing any more
        return -1;
    if (point == before->point_count) // a pair deep in each other
        return after->point_count;
    return point < before->point_count ? frz_contact_shape_find_point(after, &before->points[point]) : -1;
}

static int compare_contacts(const void *a, const void *b)
{
    const frz_contact *p = a, *q = b;
    return frz_contact_key_compare(&p->key, &q->key);
}

/// Contacts of a pair in the list, moved to end; returns their new end.
static int remap_pair(frz_contact_list *list, frz_contact_pair *pair, int end, int body,
                      const frz_contact_shape *before, const frz_contact_shape *after)
{
    const int first = end, begin = pair->first, last = pair->first + pair->count;
    const bool changed = pair->low == body || pair->high == body;
    for (int n = begin; n < last; ++n)
    {
        frz_contact c = list->items[n];
        if (c.key.toucher == body)
            c.key.point = new_point(c.key.point, before, after);
        if (c.key.point >= 0)
            list->items[end++] = c;
    }
    pair->first = first;
    if (changed && end - first > 1)
    {
        qsort(&list->items[first], (size_t)(end - first), sizeof *list->items, compare_contacts);
        int kept = first + 1;
        for (int n = first + 1; n < end; ++n) // two points that have become one
        {
            if (compare_contacts(&list->items[kept - 1], &list->items[n]) != 0)
                list->items[kept++] = list->items[n];
        }
        end = kept;
    }
    pair->count = end - first;
    if (changed)
        pair->slack = pair->margin = -1.0; // nothing that was found about it holds
    return end;
}

void frz_contacts_remap(frz_contacts *contacts, int body, const frz_contact_shape *before,
                        const frz_contact_shape *after)
{
    int end = 0;
    for (int n = 0; n < contacts->pairs.count; ++n)
        end = remap_pair(&contacts->list, &contacts->pairs.items[n], end, body, before, after);
    contacts->list.count = end;
    frz_contact_near_forget(&contacts->near, body);
}
