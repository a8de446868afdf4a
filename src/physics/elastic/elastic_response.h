// SPDX-License-Identifier: MIT
// Answer of an elastic body whose implicit step is done to later impulses of the same step (sim/response.h): the change
// of velocity d of (1 + tau c + (tau^2 / m) K) d = b, with b the effect of the impulses on single particles.
#pragma once

#include "physics/elastic/elastic_matrix.h"
#include "sim/response.h"

/// Sums over the particles of a body that has no cracks, at the places of the step's start.
typedef struct frz_elastic_moments
{
    double mass;                ///< over that of a particle of its first material
    frz_elastic_wide x;         ///< sum of m x
    frz_elastic_wide second[3]; ///< sum of m x x^T by columns
    bool known;
} frz_elastic_moments;

typedef struct frz_elastic_response
{
    frz_response base;
    frz_elastic_matrix matrix; ///< without working arrays and rows, which exist during an answer only
    double mass;               ///< of a particle, kg
    double tau, dt;            ///< s
    int max_iterations;
    frz_elastic_moments *moments; ///< found by the first answer that needs them
} frz_elastic_response;

/// Of type frz_response_fn.
frz_status frz_elastic_answer(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag);
/// For a step that was solved with the contacts of the last one inside: the answer to these belongs to the matrix of
/// that step. Replaces it by that of this matrix, in the answer and in the velocities.
frz_status frz_elastic_mend(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag);
/// The answer is linear, and motion by spin x arm makes a body larger. Corrects the change of spin of a free piece by
/// the velocity towards its centre that a rotation has, to second order.
frz_status frz_elastic_settle(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag);
