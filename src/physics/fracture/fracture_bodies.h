// SPDX-License-Identifier: MIT
// What the methods of fracture share: going through the bodies of a material at the end of a step.
#pragma once

#include "physics/elastic/elastic_system.h"

/// A material's bodies at the end of a step.
typedef struct frz_fracture
{
    const frz_model *model;
    frz_state *state;
    int material;
    frz_elastic_work work; ///< displacements at the end of the step
    uint8_t *hit;          ///< by number: the method wants to break bonds of it
    uint8_t *changed;      ///< by number: it has lost bonds
} frz_fracture;

/// Displacements and empty marks from the scratch arena; the caller releases it.
FRZ_NODISCARD frz_status frz_fracture_begin(const frz_model *model, frz_state *state, int material, frz_fracture *f,
                                            frz_diag *diag);

/// Break the bond at place k of particle i.
void frz_fracture_break(frz_fracture *f, int i, int64_t k);

/// Correct the gradients of all that lost bonds.
void frz_fracture_finish(frz_fracture *f);

/// Does the material's fracture see this particle? Not those that are gone.
static inline bool frz_fracture_sees(const frz_fracture *f, int i)
{
    const frz_solids *solids = &f->state->solids;
    return solids->slot[i] >= 0 && f->model->bodies[solids->body[i]].material == f->material;
}
