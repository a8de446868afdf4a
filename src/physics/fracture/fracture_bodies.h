// SPDX-License-Identifier: MIT
// Common to the methods of fracture: the loop over the bodies of a material at the end of a step, and the first contact
// of the faces of a crack.
//
// In a body of several materials each particle breaks by the method of its own; a material without one does not break,
// and its particles at a crack are treated by the first material of the body that does.
//
// A crack opens where the body is strained, and its faces do not fit: particles that were bonded are contacts now and
// may be nearer to each other than contacts may be. Pushing them out at once would create energy, enough to break the
// bonds next to them. So the first compression of a particle near a new crack is its room: contacts act beyond it only,
// and it shrinks as the faces part. Near is not beside: when the tip of a crack moves on, the faces behind it begin to
// touch, and they may overlap.
#pragma once

#include "physics/elastic/elastic_system.h"

/// A bond that is cut, in one direction.
typedef struct frz_fracture_cut
{
    int owner;
    int64_t place;   ///< in the owner's list
    frz_real weight; ///< before
    bool wanted;     ///< it shall break
} frz_fracture_cut;

/// A material's bodies at the end of a step.
typedef struct frz_fracture
{
    const frz_model *model;
    frz_state *state;
    int material;
    frz_elastic_work work; ///< displacements at the end of the step
    uint8_t *has_material; ///< by body: elastic, with particles of the material
    uint8_t *hit;          ///< by number: the method wants to break bonds of it
    uint8_t *changed;      ///< by number: it has lost bonds
    int32_t *near;         ///< list, with capacity for all particles
    frz_fracture_cut *cut; ///< bonds that the method wants to break, both directions
    int64_t cut_count, cut_room;
} frz_fracture;

/// Displacements and empty marks from the scratch arena; the caller releases it.
FRZ_NODISCARD frz_status frz_fracture_begin(const frz_model *model, frz_state *state, int material, frz_fracture *f,
                                            frz_diag *diag);

/// Cut the bond at place k of particle i, on trial.
FRZ_NODISCARD frz_status frz_fracture_break(frz_fracture *f, int i, int64_t k, frz_diag *diag);

/// Restore the cut bonds of cracks that would gain energy.
FRZ_NODISCARD frz_status frz_fracture_choose(frz_fracture *f, frz_diag *diag);
/// Break the remaining ones, and correct the gradients of all that lost bonds.
void frz_fracture_open(frz_fracture *f);

/// Choose, open, and remember whose contacts are new.
FRZ_NODISCARD frz_status frz_fracture_finish(frz_fracture *f, frz_diag *diag);

/// The fields of a method of fracture.
extern const frz_field_decl frz_fracture_fields[];

/// A frz_stage_fn of the force stage: subtract the room of cracks from the compression.
frz_status frz_fracture_make_room(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                  frz_diag *diag);

/// Material of a solid particle, by number.
static inline int frz_fracture_material(const frz_fracture *f, int i)
{
    const frz_bonds *bonds = &f->state->bonds;
    const int body = bonds->body[i];
    return frz_bonds_is_mixed(bonds, body) ? bonds->material[i] : f->state->solids.body_material[body];
}

/// Is it an elastic particle that has not left?
static inline bool frz_fracture_is_elastic(const frz_fracture *f, int i)
{
    const frz_solids *solids = &f->state->solids;
    return solids->slot[i] >= 0 && solids->body_phase[solids->body[i]] == FRZ_PHASE_ELASTIC;
}

/// Is it one that breaks by the method of f->material?
static inline bool frz_fracture_breaks(const frz_fracture *f, int i)
{
    return frz_fracture_is_elastic(f, i) && frz_fracture_material(f, i) == f->material;
}

/// Is it in a body with such particles? The method knows the displacements of these.
static inline bool frz_fracture_knows(const frz_fracture *f, int i)
{
    return frz_fracture_is_elastic(f, i) && f->has_material[f->state->solids.body[i]] != 0;
}
