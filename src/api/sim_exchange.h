// SPDX-License-Identifier: MIT
// Exchange between a simulation and a checkpoint, part by part; the same functions list arrays for writing and read
// them.
//
// To save something new, add a function to the parts in sim_exchange.c: a table of its members (io/checkpoint_table.h)
// that is handed to exchange_rows. With a length of its own it is read into a list first: see exchange_contacts for
// structs and exchange_bonds for plain numbers. A single number is a row in sim_checkpoint.c. Data of the next step
// without a table is lost in a restart: tests/determinism and the conformance suite detect that.
#pragma once

#include "api/sim_internal.h"
#include "io/checkpoint_table.h"

enum
{
    FRZ_EXCHANGE_MAX = FRZ_FIELD_MAX + 160 ///< arrays of a checkpoint
};

typedef struct frz_exchange
{
    const frz_model *model;
    frz_state *state;
    frz_checkpoint_reader *reader; ///< null: list the arrays for writing
    frz_diag *diag;
    int count;
    frz_array_desc arrays[FRZ_EXCHANGE_MAX];
    char names[FRZ_EXCHANGE_MAX][48]; ///< of fields that two methods have under one name
    int name_count;
    double contacts_last_dt; ///< s; storage of its array
    int64_t *broken;         ///< positions of broken bonds, made for writing; null: none
    void *attached;          ///< attached particles with their positions; null: none
    int32_t *attached_count; ///< number of particles of each attachment; null: none
} frz_exchange;

/// Bodies of the state: those of the scene and those created since.
static inline int frz_exchange_body_count(const frz_exchange *exchange)
{
    return exchange->state->bodies.count;
}

static inline frz_body_kind frz_exchange_body_kind(const frz_exchange *exchange, int body)
{
    return (frz_body_kind)exchange->state->bodies.identity[body].kind;
}

// sim_exchange_solids.c: solid bodies that have changed

/// Solid particles, their bonds, and attached particles.
FRZ_NODISCARD frz_status frz_exchange_solids(frz_exchange *exchange);
/// After reading the particles: the surfaces of rigid bodies made of particles.
FRZ_NODISCARD frz_status frz_exchange_surfaces(frz_exchange *exchange);
/// So many rows of a table, listed or read.
FRZ_NODISCARD frz_status frz_exchange_rows(frz_exchange *exchange, const frz_checkpoint_table *table, int64_t rows,
                                           void *data);

/// List everything for writing, or read it and check it. After a failed reading the state can only be destroyed.
FRZ_NODISCARD frz_status frz_exchange_all(frz_exchange *exchange);
void frz_exchange_end(frz_exchange *exchange);

// sim_exchange_check.c: values read from a file that have to agree with others

/// Identities of bodies: the bodies of the scene first, and no impossible kind.
FRZ_NODISCARD frz_status frz_exchange_check_identities(const frz_exchange *exchange);
FRZ_NODISCARD frz_status frz_exchange_check_emitters(const frz_exchange *exchange);
FRZ_NODISCARD frz_status frz_exchange_check_bodies(const frz_exchange *exchange);
FRZ_NODISCARD frz_status frz_exchange_check_contacts(const frz_exchange *exchange, const frz_contacts_memory *memory);
FRZ_NODISCARD frz_status frz_exchange_check_particles(const frz_exchange *exchange);
FRZ_NODISCARD frz_status frz_exchange_check_broken(const frz_exchange *exchange, const int64_t *place, int64_t count);
/// Clock and bounds, after the values are read.
FRZ_NODISCARD frz_status frz_exchange_check_values(const frz_exchange *exchange);
