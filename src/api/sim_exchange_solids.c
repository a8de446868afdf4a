// SPDX-License-Identifier: MIT
// Solid bodies that have changed since the start: numbers, reference positions, bonds, attachments, surfaces.
#include "api/sim_exchange.h"
#include "base/memory.h"
#include "sim/body_surface.h"
#include "sim/state_solids.h"
#include "solid/saved.h"

static int64_t rows_of(const frz_exchange *x, const char *name)
{
    const int64_t rows = frz_checkpoint_rows(x->reader, name);
    return rows > 0 ? rows : 0;
}

static frz_status read_solids(frz_exchange *x)
{
    frz_solids_rows rows = {.bodies = rows_of(x, "solids.body_phase"),
                            .particles = rows_of(x, "solids.body"),
                            .bonds = rows_of(x, "bonds.other"),
                            .rest = rows_of(x, "bonds.rest"),
                            .rest_far = rows_of(x, "bonds.rest_far"),
                            .standing = rows_of(x, "solids.standing"),
                            .materials = rows_of(x, "bonds.material")};
    if (rows.bodies > x->state->bodies.count)
        return frz_checkpoint_refuse(x->reader, "solids.body_phase", rows.bodies - 1, x->diag,
                                     "is of a body that there is not: there are %d", x->state->bodies.count);
    frz_solids_saved saved;
    FRZ_TRY(frz_solids_saved_room(&rows, &x->state->bonds, &saved, x->diag));
    frz_solid_array arrays[FRZ_SOLID_ARRAYS];
    const int count = frz_solids_saved_list(&saved.solids, &saved.bonds, arrays);
    frz_status status = FRZ_OK;
    for (int a = 0; a < count && status == FRZ_OK; ++a)
        if (arrays[a].array.rows > 0)
            status = frz_checkpoint_read_checked(x->reader, &arrays[a].array,
                                                 FRZ_RANGE(arrays[a].least, arrays[a].most), FRZ_FORM_NUMBERS, x->diag);
    if (status == FRZ_OK)
        return frz_solids_saved_take(&saved, &x->state->solids, &x->state->bonds, x->diag);
    frz_solids_destroy(&saved.solids);
    frz_bonds_destroy(&saved.bonds);
    return status;
}

static void list_solids(frz_exchange *x)
{
    frz_solid_array arrays[FRZ_SOLID_ARRAYS];
    const int count = frz_solids_saved_list(&x->state->solids, &x->state->bonds, arrays);
    FRZ_ASSERT(x->count + count <= FRZ_EXCHANGE_MAX);
    for (int a = 0; a < count; ++a)
        if (arrays[a].array.rows > 0)
            x->arrays[x->count++] = arrays[a].array;
}

// A particle that is attached.
typedef struct attached
{
    int32_t number;
    frz_real place[4];
} attached;

// The particles of all attachments one after the other, then the counts.
static frz_status exchange_attached(frz_exchange *x)
{
    frz_attachments *attachments = &x->state->attachments;
    int64_t total = 0;
    for (int a = 0; a < attachments->count; ++a)
        total += attachments->item[a].count;
    const frz_checkpoint_member counts[] = {FRZ_PLAIN("attachments.count", FRZ_I32, FRZ_RANGE(0.0, (double)total))};
    const frz_checkpoint_member members[] = {
        FRZ_MEMBER("attachments.number", attached, number, FRZ_I32, 1, FRZ_RANGE_INDEX(x->state->solids.count),
                   FRZ_FORM_NUMBERS),
        FRZ_MEMBER("attachments.place", attached, place, FRZ_DTYPE_REAL, 3, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS)};
    const frz_checkpoint_table count_table = FRZ_TABLE(counts, int32_t), held_table = FRZ_TABLE(members, attached);
    int64_t rows = total;
    if (x->reader != NULL)
        FRZ_TRY(frz_checkpoint_table_rows(x->reader, &held_table, &rows, x->diag));
    if (rows > total)
        return frz_checkpoint_refuse(x->reader, "attachments.number", total, x->diag,
                                     "is beyond what the scene attaches");
    x->attached = FRZ_ALLOC("checkpoint", total + 1, attached);
    x->attached_count = FRZ_ALLOC("checkpoint", attachments->count + 1, int32_t);
    if (x->attached == NULL || x->attached_count == NULL)
        return frz_fail_memory(x->diag, "the attachments");
    attached *held = x->attached;
    int32_t *count = x->attached_count;
    int64_t at = 0;
    for (int a = 0; a < attachments->count && x->reader == NULL; ++a)
    {
        count[a] = attachments->item[a].count;
        for (int k = 0; k < count[a]; ++k, ++at)
        {
            held[at].number = attachments->item[a].number[k];
            for (int c = 0; c < 3; ++c)
                held[at].place[c] = attachments->item[a].place[k][c];
        }
    }
    FRZ_TRY(frz_exchange_rows(x, &count_table, attachments->count, count));
    FRZ_TRY(frz_exchange_rows(x, &held_table, rows, held));
    at = 0;
    for (int a = 0; a < attachments->count && x->reader != NULL; ++a)
    {
        frz_attachment_state *item = &attachments->item[a];
        if (count[a] > item->count || count[a] > rows - at)
            return frz_checkpoint_refuse(x->reader, "attachments.count", a, x->diag, "is more than there can be");
        item->count = count[a];
        for (int k = 0; k < count[a]; ++k, ++at)
        {
            item->number[k] = held[at].number;
            item->place[k] = frz_v4_set(held[at].place[0], held[at].place[1], held[at].place[2], 0);
        }
        item->marked = false;
    }
    return FRZ_OK;
}

frz_status frz_exchange_solids(frz_exchange *x)
{
    if (!x->model->can_change)
        return FRZ_OK;
    // arrays by particle are missing if all particles have melted
    const bool changed =
        x->reader != NULL ? frz_checkpoint_rows(x->reader, "solids.body_phase") >= 0 : x->state->solids.changed;
    if (!changed)
        return FRZ_OK;
    if (x->reader == NULL)
        list_solids(x);
    else
    {
        FRZ_TRY(read_solids(x));
        // the next batch of changes may come before the next step, and needs the pieces
        FRZ_TRY(frz_pieces_update(x->model, x->state, x->diag));
    }
    return x->state->attachments.count > 0 ? exchange_attached(x) : FRZ_OK;
}

static frz_status make_surface(const frz_exchange *x, int body, frz_body_particles *list)
{
    frz_state *state = x->state;
    const int32_t *own = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    const int32_t *number = frz_field_i32(&state->particles, state->fields.solid);
    const frz_v4 *clearance = frz_field_v4(&state->particles, state->fields.clearance);
    list->count = 0;
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        if (own[i] == body)
        {
            list->place[list->count] =
                frz_v3_add(frz_v3_of(state->solids.reference[number[i]]), frz_v3_of(clearance[i]));
            list->id[list->count++] = frz_field_i64(&state->particles, FRZ_FIELD_ID_id)[i];
        }
    if (list->count == 0)
        return frz_checkpoint_refuse(x->reader, "bodies.alive", body, x->diag, "is 1, but no particle belongs to it");
    return frz_body_surface_make(x->model, state, body, list, x->diag);
}

frz_status frz_exchange_surfaces(frz_exchange *x)
{
    frz_state *state = x->state;
    if (x->reader == NULL || !x->model->can_change || state->contact.set == NULL)
        return FRZ_OK;
    const int count = state->particles.count[FRZ_ROLE_FREE];
    frz_body_particles list = {.place = FRZ_ALLOC("checkpoint", count + 1, frz_vec3),
                               .id = FRZ_ALLOC("checkpoint", count + 1, int64_t)};
    const bool enough = list.place != NULL && list.id != NULL;
    frz_status status = enough ? FRZ_OK : frz_fail_memory(x->diag, "the surfaces of bodies");
    for (int b = 0; b < state->bodies.count && status == FRZ_OK; ++b)
    {
        const frz_body_identity *identity = &state->bodies.identity[b];
        if (identity->filled == 0)
            continue;
        if (!frz_body_is(state, b, FRZ_BODY_RIGID))
            frz_body_surface_drop(state, b); // also of a body that has become a part of another one whole
        else if (identity->intact == 0)
            status = make_surface(x, b, &list);
    }
    frz_free(list.place);
    frz_free(list.id);
    return status;
}
