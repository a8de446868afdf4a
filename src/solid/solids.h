// SPDX-License-Identifier: MIT
// Particles of solid bodies (elastic ones, and rigid ones made of particles) by numbers of their own, 0 .. count - 1,
// the bodies one after the other.
//
// The store sorts them with the liquid at every step. Data of the undeformed body (reference positions, bonds, fields
// of elastic methods) is in the order of the numbers instead, in which neighbours of the body stay neighbours in
// memory. A particle's number is its field `solid`, which is saved; only a batch of changes gives new ones
// (solid/changes.h).
#pragma once

#include <stdbool.h>

#include "base/memory.h"
#include "particles/matter.h"
#include "solid/bonds.h"
#include "space/grid.h"
#include "sph/exclusion.h"
#include "sph/kernels.h"

/// Rest compression below which a particle is at the surface of its body: about 0.7 at a face of a lattice, 0.99 in the
/// layer behind it.
static const frz_real FRZ_SURFACE_COMPRESSION = (frz_real)0.95;
/// Distance of the core from the surface in spacings: particles outside reach the second layer at most.
static const double FRZ_SKIN_DEPTH = 1.6;

/// Parameters from the model.
typedef struct frz_solid_space
{
    int dimension;
    double spacing, support; ///< m
    const frz_kernel *kernel;
    const frz_kernel *bond_kernel;
    double particle_volume; ///< calibrated, see frz_model
    bool periodic[3];
    double domain_min[3], domain_max[3];
    int64_t cell_budget; ///< cells that a search grid may have
} frz_solid_space;

typedef struct frz_solids
{
    int count;           ///< number of solid particles, those that have left included
    int present;         ///< solid particles in the store now; the others have left the domain or are no longer solid
    int body_count;      ///< rows of arrays by body
    double *reach;       ///< by body: particles nearer to each other in the reference state never touch, m
    uint8_t *body_phase; ///< by body: frz_phase of its particles; FRZ_PHASE_LIQUID: no solid particles
    uint8_t *body_material;       ///< by body, of its particles
    int32_t *object;              ///< by body: the lowest body that bonds tie it to, itself without ties
    int32_t *slot;                ///< by number: its slot in the store, -1 if it has left
    const int32_t *index_of_slot; ///< by slot of a free particle: its number here, -1 for liquid; the field `solid`
    frz_v4 *reference_by_slot;    ///< by slot of a free particle, its reference position; 1 in the last lane if rigid
    int32_t *group;               ///< by slot: its piece, its object if nothing is broken; -1: liquid
    int slot_capacity;            ///< rows of reference_by_slot and group
    int32_t *body;                ///< by number
    frz_v4 *reference;            ///< by number: position in the undeformed body, at first that at time 0, m
    frz_v4 *standing; ///< by number: reference positions in axes common to an object, from its last change, m; null: no
                      ///< object has several bodies, and reference serves
    bool *core;       ///< by number: too deep inside its body for contacts; searches skip it
    bool *isolated;   ///< by number: no particle that it could touch is near; valid while
    bool isolated_known;        ///< this is true (solid/clearance.c)
    frz_v4 *isolated_at;        ///< by number: position when isolated was computed, m
    frz_real *rest_compression; ///< by number: its compression by its own piece, undeformed; at most 1
    bool *thin; ///< by number: neither it nor a neighbour in its piece is as full as a flat face: a rod or a sheet
    frz_real flat_compression; ///< rest_compression of a flat face
    int32_t *piece; ///< by number: the same for particles connected by unbroken bonds; all 0 until a bond breaks
    /// by number: 1 + the rigid body that it or a neighbour is attached to and so never touches; null: none
    int32_t *attached_body;
    int64_t *apart_begin;   ///< [count + 1]: apart[apart_begin[e]] .. are e's; null until a bond breaks
    int32_t *apart;         ///< lists, ascending: particles of e's piece beyond a crack, which may touch e
    int64_t apart_capacity; ///< entries allocated for apart
    bool cracked;           ///< bonds have broken
    bool stale;             ///< bonds have broken since piece, rest_compression, core and apart were computed
    int64_t *near_begin;    ///< [count + 1]: near[near_begin[e]] .. are e's; null: there are no local bodies
    int32_t *near; ///< lists, ascending: particles too few bonds away from a surface particle of a local body to touch
                   ///< it
    bool changed;  ///< numbers or bonds differ from those of the scene: they must be saved
    frz_exclusion exclusion; ///< the view of searches on this data
} frz_solids;

/// Positions for distances within an object.
static inline const frz_v4 *frz_solids_places(const frz_solids *solids)
{
    return solids->standing != NULL ? solids->standing : solids->reference;
}

static inline bool frz_phase_is_solid(uint8_t phase)
{
    return phase == FRZ_PHASE_ELASTIC || phase == FRZ_PHASE_RIGID;
}

/// rest_compression of a flat face of a lattice.
frz_real frz_solids_flat_compression(const frz_solid_space *space);

/// Whether a particle of this rest_compression is as full as a flat face is; sampling leaves faces even to a percent.
static inline bool frz_solids_is_full(const frz_solids *solids, frz_real rest_compression)
{
    return rest_compression >= (frz_real)0.99 * solids->flat_compression;
}

/// Does a crack lie between two particles of a piece?
static inline bool frz_solids_are_apart(const frz_solids *solids, int a, int b)
{
    return frz_exclusion_lists(solids->apart_begin, solids->apart, a, b);
}

void frz_solids_destroy(frz_solids *solids);

/// The arrays by number, empty; on failure the caller destroys them.
FRZ_NODISCARD frz_status frz_solids_allocate(frz_solids *solids, int count, frz_diag *diag);

/// Rows for so many bodies; new ones have a reach of 0 and no particles.
FRZ_NODISCARD frz_status frz_solids_reserve_bodies(frz_solids *solids, int body_count, frz_diag *diag);

/// Time 0: number the solid particles of the store by body and id, and write the numbers into the given field.
FRZ_NODISCARD frz_status frz_solids_number(frz_solids *solids, frz_particles *particles, int field, frz_diag *diag);

/// Find the slots of all numbers after a sort. Liquid particles get the number -1.
FRZ_NODISCARD frz_status frz_solids_locate(frz_solids *solids, frz_particles *particles, int field, frz_diag *diag);

/// Time 0: the present positions are the undeformed bodies. cells: of the sorted free particles.
void frz_solids_remember(frz_solids *solids, const frz_solid_space *space, const frz_particles *particles,
                         const frz_grid *grid, const frz_cell_list *cells);

/// Before a search: fill its data by slot. It skips particles deep inside their bodies until the next sort.
void frz_solids_show(frz_solids *solids, int count, frz_cell_list *cells);

/// Mark particles that searches may skip, because no other particle can have come near them. step_length: distance that
/// the fastest particle moves in a step, m.
void frz_solids_isolate(frz_solids *solids, const frz_solid_space *space, const frz_particles *particles,
                        const frz_grid *grid, const frz_cell_list *cells, double step_length);

/// All bonds of the undeformed bodies.
FRZ_NODISCARD frz_status frz_solids_bond(const frz_solids *solids, const frz_solid_space *space, frz_bonds *bonds,
                                         frz_diag *diag);
/// Remove particles that have left from the bonds.
void frz_solids_detach_lost(frz_solids *solids, frz_bonds *bonds);

/// Update the pieces if bonds have broken: particles connected by bonds, and particles at a surface.
FRZ_NODISCARD frz_status frz_solids_part(frz_solids *solids, const frz_bonds *bonds, const frz_solid_space *space,
                                         frz_arena *scratch, frz_diag *diag);
enum
{
    /// Bonds of a walk between particles that do not touch: particles of a piece within 4.2 spacings do not touch; that
    /// distance takes at most four bonds along the sides and face diagonals of a lattice, and one is added for other
    /// arrangements.
    FRZ_CRACK_WALK = 5
};
/// Compute the near lists of local bodies; on failure they do not change.
FRZ_NODISCARD frz_status frz_solids_find_near(frz_solids *solids, const frz_bonds *bonds, frz_arena *scratch,
                                              frz_diag *diag);

/// Compute the lists `apart`: particles of one piece on opposite sides of a crack; part of frz_solids_part.
FRZ_NODISCARD frz_status frz_crack_faces_find(frz_solids *solids, const frz_bonds *bonds, frz_arena *scratch,
                                              frz_diag *diag);

/// Break the bond at position k of particle i's list. Only at the end of a step: a repeated step must find it unbroken.
/// Then call frz_bonds_correct for both ends.
void frz_solids_break(frz_solids *solids, frz_bonds *bonds, int i, int64_t k);

/// Positions of the broken bonds in the lists, one for both directions, in rising order; returns their number. place
/// may be null.
int64_t frz_solids_list_broken(const frz_solids *solids, const frz_bonds *bonds, int64_t *place);
/// Break these bonds, none of which may be broken yet.
FRZ_NODISCARD frz_status frz_solids_put_broken(frz_solids *solids, frz_bonds *bonds, const int64_t *place,
                                               int64_t count, frz_diag *diag);
