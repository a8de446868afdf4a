// SPDX-License-Identifier: MIT
#include "physics/fracture/fracture_bodies.h"

#include <string.h>

#include "sim/state_solids.h"

static bool has_material(const frz_state *state, int body, int material)
{
    const frz_bonds *bonds = &state->bonds;
    bool any = state->solids.body_material[body] == material;
    for (int r = frz_bonds_is_mixed(bonds, body) ? bonds->run_first[body] : 0;
         frz_bonds_is_mixed(bonds, body) && r < bonds->run_first[body + 1]; ++r)
        any = any || bonds->run[r].material == material;
    return any && state->solids.body_phase[body] == FRZ_PHASE_ELASTIC;
}

// The fracture method at a particle: that of its material, else the first one of its body; null without one.
static const frz_instance *keeper_of(const frz_fracture *f, int i)
{
    const frz_bonds *bonds = &f->state->bonds;
    const int body = bonds->body[i];
    const frz_instance *keeper = frz_model_method(f->model, FRZ_SLOT_FRACTURE, frz_fracture_material(f, i));
    for (int r = frz_bonds_is_mixed(bonds, body) ? bonds->run_first[body] : 0;
         keeper == NULL && frz_bonds_is_mixed(bonds, body) && r < bonds->run_first[body + 1]; ++r)
        keeper = frz_model_method(f->model, FRZ_SLOT_FRACTURE, bonds->run[r].material);
    return keeper;
}

frz_status frz_fracture_begin(const frz_model *model, frz_state *state, int material, frz_fracture *f, frz_diag *diag)
{
    const int count = state->bonds.count;
    *f = (frz_fracture){.model = model, .state = state, .material = material};
    FRZ_TRY(frz_elastic_work_make(&state->bonds, &state->scratch, &f->work, diag));
    f->hit = FRZ_SCRATCH(&state->scratch, count + 1, uint8_t);
    f->changed = FRZ_SCRATCH(&state->scratch, count + 1, uint8_t);
    f->near = FRZ_SCRATCH(&state->scratch, count + 1, int32_t);
    f->has_material = FRZ_SCRATCH(&state->scratch, state->solids.body_count + 1, uint8_t);
    if (f->hit == NULL || f->changed == NULL || f->near == NULL || f->has_material == NULL)
        return frz_fail_memory(diag, "the fracture of elastic bodies");
    memset(f->hit, 0, (size_t)count);
    memset(f->changed, 0, (size_t)count);
    for (int b = 0; b < state->solids.body_count; ++b)
    {
        f->has_material[b] = has_material(state, b, material);
        if (f->has_material[b] != 0)
            frz_elastic_gather(state, b, &f->work);
    }
    return FRZ_OK;
}

static const frz_real not_yet = -1; // value of room before the first contact search after the crack opened

const frz_field_decl frz_fracture_fields[] = {
    {"crack_room", 1, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,
     "compression that a crack near the particle began with, -1 if it has just opened; fracture method"},
    {0},
};

// Particles that may get new contacts: two particles of a piece begin to touch when the last walk of FRZ_CRACK_WALK
// bonds between them is cut (solid/crack_faces.c), and from either of them one bond less leads to the cut. Along broken
// bonds, too, since others of that walk may have broken in the same step. Lists the particles near the cuts; returns
// their number.
static int list_near(frz_fracture *f)
{
    const frz_bonds *bonds = &f->state->bonds;
    enum
    {
        met = 2
    };
    int begin = 0, count = 0;
    for (int i = 0; i < bonds->count; ++i)
        if (f->changed[i] != 0)
            f->near[count++] = i;
    for (int bond = 1; bond < FRZ_CRACK_WALK; ++bond)
    {
        const int end = count;
        for (; begin < end; ++begin)
            for (int64_t k = bonds->begin[f->near[begin]]; k < bonds->begin[f->near[begin] + 1]; ++k)
            {
                const int j = (int)bonds->other[k];
                if (f->changed[j] == 0)
                    f->near[count++] = j;
                f->changed[j] |= met;
            }
    }
    return count;
}

frz_status frz_fracture_finish(frz_fracture *f, frz_diag *diag)
{
    FRZ_TRY(frz_fracture_choose(f, diag));
    frz_fracture_open(f);
    const int near = list_near(f);
    for (int n = 0; n < near; ++n)
    {
        const frz_instance *keeper = frz_fracture_is_elastic(f, f->near[n]) ? keeper_of(f, f->near[n]) : NULL;
        if (keeper != NULL)
            frz_field_real(&f->state->particles, keeper->first_field)[f->state->solids.slot[f->near[n]]] = not_yet;
    }
    return FRZ_OK;
}

frz_status frz_fracture_make_room(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                  frz_diag *diag)
{
    (void)dt;
    (void)diag;
    if (!state->solids.cracked)
        return FRZ_OK;
    const frz_fracture f = {.model = model, .state = state, .material = instance->material};
    frz_real *room = frz_field_real(&state->particles, instance->first_field);
    frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < state->bonds.count; ++i)
    {
        if (!frz_fracture_is_elastic(&f, i) || keeper_of(&f, i) != instance)
            continue;
        const int slot = state->solids.slot[i];
        const frz_real excess = compression[slot] > 1 ? compression[slot] - 1 : 0;
        room[slot] = room[slot] < 0 || room[slot] > excess ? excess : room[slot];
        compression[slot] -= room[slot];
    }
    return FRZ_OK;
}
