// SPDX-License-Identifier: MIT
// Particles of solid bodies (elastic ones, and rigid ones made of particles) by numbers of their own, 0 .. count - 1,
// the bodies one after the other.
//
// The store sorts them with the liquid at every step; what belongs to the undeformed body (reference places, bonds,
// everything that elastic methods keep) is in the order of the numbers instead, in which neighbours of the body stay
// neighbours in memory. A particle's number is its field `solid`, which is saved; only a batch of changes gives new
// ones (solid/changes.h).
#pragma once

#include <stdbool.h>

#include "base/memory.h"
#include "particles/matter.h"
#include "solid/bonds.h"
#include "space/grid.h"
#include "sph/exclusion.h"
#include "sph/kernels.h"

/// Fill below which a particle is at the surface of its body: a face of a lattice has about 0.7, the layer behind it
/// 0.99.
static const frz_real FRZ_SURFACE_COMPRESSION = (frz_real)0.95;
/// Spacings that the core keeps from the surface: the second layer is the last one a particle outside can be in reach
/// of.
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
    int count;           ///< numbers that have been given
    int present;         ///< of their particles in the store now; the others have left the domain or are solid no more
    int body_count;      ///< rows of arrays by body
    double *reach;       ///< by body: those of its particles that were nearer to each other never touch, m
    uint8_t *body_phase; ///< by body: frz_phase of its particles; FRZ_PHASE_LIQUID: it has none here
    uint8_t *body_material;       ///< by body, of its particles
    int32_t *object;              ///< by body: the lowest of those that bonds tie it to, itself if there are none
    int32_t *slot;                ///< by number: where it is in the store, -1 if it has left
    const int32_t *index_of_slot; ///< by slot of a free particle: its number here, -1 for liquid; the field `solid`
    frz_v4 *reference_by_slot;    ///< by slot of a free particle, its reference position; 1 in the last lane if rigid
    int32_t *group;               ///< by slot: its piece, its object if nothing is broken; -1: liquid
    int slot_capacity;            ///< rows of reference_by_slot and group
    int32_t *body;                ///< by number
    frz_v4 *reference;            ///< by number: place in the undeformed body, at first that at time 0, m
    frz_v4 *standing; ///< by number: places of all particles of an object in common axes, those of its last change, m;
                      ///< null: no object has several bodies, and reference serves
    bool *core;       ///< by number: so deep inside its body that nothing else comes near; searches pass it by
    bool *isolated;   ///< by number: nothing that it could touch is near, and none can come near as long as
    bool isolated_known;        ///< this is so (solid/clearance.c)
    frz_v4 *isolated_at;        ///< by number: where it was when that was found out, m
    frz_real *rest_compression; ///< by number: its compression by its own piece, undeformed; at most 1
    bool *thin; ///< by number: neither it nor a neighbour in its piece is as full as a flat face: a rod or a sheet
    frz_real flat_compression; ///< rest_compression of a flat face
    int32_t *piece; ///< by number: the same for those that bonds still hold together; all 0 until a bond breaks
    /// by number: 1 + the body that it does not touch, because it or neighbours of it are part of that; null: none
    int32_t *attached_body;
    int64_t *apart_begin; ///< [count + 1]: apart[apart_begin[e]] .. are e's; null until a bond breaks
    int32_t
        *apart; ///< lists, ascending: particles of e's piece beyond a crack, which bonds do not keep from it any more
    int64_t apart_capacity; ///< numbers that apart has room for
    bool cracked;           ///< bonds have broken
    bool stale;             ///< and piece, fill, core and apart do not know yet
    int64_t *near_begin;    ///< [count + 1]: near[near_begin[e]] .. are e's; null: there are no local bodies
    int32_t *near; ///< lists, ascending: who is so few bonds from a particle at the surface of a local body that
                   ///< it is no contact
    bool changed;  ///< numbers or bonds are not those that the scene makes any more: they must be saved
    frz_exclusion exclusion; ///< all this as searches see it
} frz_solids;

/// Places by which to tell distances within an object.
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

/// Time 0: the bodies as they stand are the undeformed ones. cells: of the sorted free particles.
void frz_solids_remember(frz_solids *solids, const frz_solid_space *space, const frz_particles *particles,
                         const frz_grid *grid, const frz_cell_list *cells);

/// Before a search: what it needs to know by slot. Those deep inside their bodies are out of its reach until the next
/// sort.
void frz_solids_show(frz_solids *solids, int count, frz_cell_list *cells);

/// Tell particles that searches may pass by, because nothing can have come near them. step_length: how far the fastest
/// particle moves in a step, m.
void frz_solids_isolate(frz_solids *solids, const frz_solid_space *space, const frz_particles *particles,
                        const frz_grid *grid, const frz_cell_list *cells, double step_length);

/// All bonds of the undeformed bodies.
FRZ_NODISCARD frz_status frz_solids_bond(const frz_solids *solids, const frz_solid_space *space, frz_bonds *bonds,
                                         frz_diag *diag);
/// Take out of the bonds the particles that have left since.
void frz_solids_detach_lost(frz_solids *solids, frz_bonds *bonds);

/// Make the pieces current if bonds have broken: who holds together, who is at a surface.
FRZ_NODISCARD frz_status frz_solids_part(frz_solids *solids, const frz_bonds *bonds, const frz_solid_space *space,
                                         frz_arena *scratch, frz_diag *diag);
enum
{
    /// Bonds of a walk between particles that do not touch: the 4.2 spacings within which those of a piece do not take
    /// at most four along the sides and face diagonals of a lattice, and one is for other arrangements.
    FRZ_CRACK_WALK = 5
};
/// Near lists of local bodies; on failure they are as they were.
FRZ_NODISCARD frz_status frz_solids_find_near(frz_solids *solids, const frz_bonds *bonds, frz_arena *scratch,
                                              frz_diag *diag);

/// Who of a piece is beyond a crack from whom; a part of the former.
FRZ_NODISCARD frz_status frz_crack_faces_find(frz_solids *solids, const frz_bonds *bonds, frz_arena *scratch,
                                              frz_diag *diag);

/// Break the bond at place k of particle i's list. For the end of a step: a step that is tried again must find it
/// whole. Then call frz_bonds_correct for both ends.
void frz_solids_break(frz_solids *solids, frz_bonds *bonds, int i, int64_t k);

/// Places of the broken bonds, one for both directions, in rising order; returns how many. place may be null.
int64_t frz_solids_list_broken(const frz_solids *solids, const frz_bonds *bonds, int64_t *place);
/// Break these, of bonds that are whole.
FRZ_NODISCARD frz_status frz_solids_put_broken(frz_solids *solids, frz_bonds *bonds, const int64_t *place,
                                               int64_t count, frz_diag *diag);
