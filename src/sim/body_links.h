// SPDX-License-Identifier: MIT
// Links of liquid and rigid bodies: the part of the walls' gradient at a liquid particle that comes from one body.
//
// The compression delta_i of particle i depends on the position of body B as on that of i, with the opposite sign:
//
//     d delta_i = G_iB . (dx_i - dx_B - dtheta_B x (x_i - x_B)),     G_iB = sum over B's samples of g_ib (sph/pairs.h)
//
// since each g_ib is along x_i - x_b, so that a force at x_i or at x_b has the same torque. (Left out: the part of
// walls_i that changes because B's normals turn against those of another body near the same particle.) A multiplier P_i
// that pushes i by -P_i G_iB pushes B by +P_i G_iB at x_i: momentum and angular momentum are kept for any P.
//
// Where walls have pressures of their own (boundary_band2018) a sample also pushes the liquid by P_b; its reaction is
// H_b = sum_i f V_b gradW_ib, one entry per sample.
//
// Entries are in the order of particles (then samples); a second order, by body, is for sums over bodies. It is cut
// into pieces: the links of one body with one block of particles. Pieces are summed in parallel and added exactly, so
// that neither threads nor the order of blocks matter.
#pragma once

#include "base/exact.h"
#include "base/fail.h"
#include "base/simd.h"
#include "math/vec3.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

typedef struct frz_body_link
{
    frz_v4 gradient; ///< G_iB or H_b, dimensionless like g_ij; last lane 0
    frz_v4 arm;      ///< from the body's position to the particle or sample, in spacings; last lane 0
    int32_t source;  ///< the particle, or the sample (counted from the first of its role)
    int32_t body;
} frz_body_link;

/// Entries of one body at the particles of one block (or at as many samples).
typedef struct frz_link_piece
{
    int body;
    int begin, end; ///< in order
} frz_link_piece;

typedef struct frz_body_links
{
    int particle_links; ///< entries of particles; those of samples follow
    int count;
    int capacity, particle_capacity;
    frz_body_link *link;
    int32_t *begin; ///< [particles + 1] entries of particle i: begin[i] .. begin[i + 1]
    int32_t *order; ///< entries by body
    int piece_count;
    frz_link_piece *piece;
    int body_capacity;
    int32_t *entry_count; ///< entries of each body
    int32_t *piece_begin; ///< [bodies + 1] pieces of body b: piece_begin[b] .. piece_begin[b + 1]
} frz_body_links;

void frz_body_links_destroy(frz_body_links *links);

/// Update state->links for the present neighbourhood.
FRZ_NODISCARD frz_status frz_state_body_links(const frz_model *model, frz_state *state, frz_diag *diag);

/// The sum of a number that every piece has over the pieces of a body. first: of the first piece of all; the next one
/// is stride bytes further.
static inline double frz_body_links_sum(const frz_body_links *links, int body, const double *first, size_t stride)
{
    if (links->piece_count == 0)
        return 0.0;
    const int begin = links->piece_begin[body], end = links->piece_begin[body + 1];
    return frz_exact_sum(first + (size_t)begin * (stride / sizeof *first), stride, end - begin);
}

static inline frz_vec3 frz_body_links_sum3(const frz_body_links *links, int body, const frz_vec3 *first, size_t stride)
{
    return frz_v3(frz_body_links_sum(links, body, &first->x, stride),
                  frz_body_links_sum(links, body, &first->y, stride),
                  frz_body_links_sum(links, body, &first->z, stride));
}

/// Force of particle i on a sample near it (pair k of neighbors.sample_pairs): a force on the sample's body (N), and
/// the vector from the sample to the point where it acts.
typedef void frz_sample_push_fn(const void *user, int i, int64_t k, frz_v4 *force, frz_v4 *away);

/// Velocity of the body of a sample at the vector `away` from it. Friction compares the velocity at the particle with
/// the particle's: then nothing acts where both turn together. (The velocity at the sample belongs to a point further
/// out: liquid in a spinning ring would turn faster than the ring.)
frz_v4 frz_sample_velocity_at(const frz_state *state, uint32_t sample, frz_v4 away);

/// Velocity of particle i relative to the body of the sample of its pair k, at the particle.
frz_v4 frz_sample_slip(const frz_state *state, int i, int64_t k);

/// Whether frz_body_links_push has an effect: there are movable bodies or moving walls.
bool frz_body_links_wanted(const frz_state *state);

/// Apply the forces of all particles on the bodies beside them for dt, before the pressure acts; records them, and the
/// work of moving walls. Needs links.
FRZ_NODISCARD frz_status frz_body_links_push(const frz_model *model, frz_state *state, frz_sample_push_fn *push,
                                             const void *user, double dt, frz_diag *diag);
