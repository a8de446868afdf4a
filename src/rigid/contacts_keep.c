// SPDX-License-Identifier: MIT
// Contacts besides search and solve: undoing a step, saving, restoring, tuning.
#include <string.h>

#include "base/memory.h"
#include "rigid/contacts_internal.h"

void frz_contacts_tune(frz_contacts *contacts, double tolerance, double max_tolerance, int max_iterations)
{
    contacts->options.tolerance = tolerance;
    contacts->options.max_tolerance = max_tolerance;
    contacts->options.max_iterations = max_iterations;
}

double frz_contacts_last_dt(const frz_contacts *contacts)
{
    return contacts->previous_dt;
}

void frz_contacts_change_lists(frz_contacts *contacts)
{
    const frz_contact_list list = contacts->list;
    contacts->list = contacts->previous;
    contacts->previous = list;
    const frz_contact_pair_list pairs = contacts->pairs;
    contacts->pairs = contacts->previous_pairs;
    contacts->previous_pairs = pairs;
}

void frz_contacts_undo(frz_contacts *contacts, double last_dt)
{
    frz_contacts_change_lists(contacts);
    contacts->previous_dt = last_dt;
    if (contacts->joints != NULL)
        frz_joints_undo(contacts->joints);
}

void frz_contacts_take_joints(frz_contacts *contacts, frz_joints *joints)
{
    FRZ_ASSERT(contacts->joints == NULL);
    contacts->joints = joints;
}

frz_joints *frz_contacts_joints(const frz_contacts *contacts)
{
    return contacts->joints;
}

frz_contacts_memory frz_contacts_recall(const frz_contacts *contacts)
{
    return (frz_contacts_memory){.list = contacts->list.items,
                                 .pairs = contacts->pairs.items,
                                 .count = contacts->list.count,
                                 .pair_count = contacts->pairs.count,
                                 .last_dt = contacts->previous_dt};
}

frz_status frz_contacts_put(frz_contacts *contacts, const frz_contacts_memory *memory, frz_diag *diag)
{
    FRZ_TRY(frz_contact_list_reserve(&contacts->list, memory->count, diag));
    FRZ_TRY(frz_contact_pairs_reserve(&contacts->pairs, memory->pair_count, diag));
    if (memory->count > 0)
        memcpy(contacts->list.items, memory->list, (size_t)memory->count * sizeof *memory->list);
    if (memory->pair_count > 0)
        memcpy(contacts->pairs.items, memory->pairs, (size_t)memory->pair_count * sizeof *memory->pairs);
    contacts->list.count = memory->count;
    contacts->pairs.count = memory->pair_count;
    contacts->previous_dt = memory->last_dt;
    frz_contact_near_clear(&contacts->near);
    return FRZ_OK;
}
