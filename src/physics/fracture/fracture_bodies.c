// SPDX-License-Identifier: MIT
#include "physics/fracture/fracture_bodies.h"

#include <string.h>

frz_status frz_fracture_begin(const frz_model *model, frz_state *state, int material, frz_fracture *f, frz_diag *diag)
{
    const int count = state->bonds.count;
    *f = (frz_fracture){.model = model, .state = state, .material = material};
    FRZ_TRY(frz_elastic_work_make(&state->bonds, &state->scratch, &f->work, diag));
    f->hit = FRZ_SCRATCH(&state->scratch, count + 1, uint8_t);
    f->changed = FRZ_SCRATCH(&state->scratch, count + 1, uint8_t);
    if (f->hit == NULL || f->changed == NULL)
        return frz_fail_memory(diag, "the fracture of elastic bodies");
    memset(f->hit, 0, (size_t)count);
    memset(f->changed, 0, (size_t)count);
    for (int b = 0; b < model->body_count; ++b)
        if (model->bodies[b].kind == FRZ_BODY_ELASTIC && model->bodies[b].material == material)
            frz_elastic_gather(state, b, &f->work);
    return FRZ_OK;
}

void frz_fracture_break(frz_fracture *f, int i, int64_t k)
{
    frz_pieces_break(f->state, i, k);
    f->changed[i] = f->changed[f->state->bonds.other[k]] = 1;
}

void frz_fracture_finish(frz_fracture *f)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < f->state->bonds.count; ++i)
        if (f->changed[i] != 0)
            frz_bonds_correct(&f->state->bonds, i);
}
