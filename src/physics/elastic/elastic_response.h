// SPDX-License-Identifier: MIT
// What an elastic body whose implicit step is done answers to later impulses of the same step (sim/response.h): the
// change of velocity d of  (1 + tau c + (tau^2 / m) K) d = b,  b being what the impulses do to single particles.
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
    frz_elastic_matrix matrix; ///< without working arrays and rows, which live as long as the answer is looked for
    double mass;               ///< of a particle, kg
    double tau, dt;            ///< s
    int max_iterations;
    frz_elastic_moments *moments; ///< found by the first answer that needs them
} frz_elastic_response;

/// Of type frz_response_fn.
frz_status frz_elastic_answer(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag);
/// The same of a step that was solved with the contacts of the last one inside: the answer to these was made with the
/// matrix of that step. Makes it that of this matrix, in the answer and in the velocities, from which it was taken.
frz_status frz_elastic_mend(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag);
/// The answer is linear, and moving by spin x arm makes a body larger. What impulses have changed in the spin of a free
/// piece gets the velocity towards its centre that a turn of the piece has, to second order.
frz_status frz_elastic_settle(frz_state *state, const frz_response *self, frz_kicks *kicks, frz_diag *diag);
