// SPDX-License-Identifier: MIT
// Multiplicative plastic flow (law/plastic.h) of the corotated law, eight particles at once in working precision.
//
// The stress of that law is known from the stretch alone, S = R^T Fe = V s V^T, without its decomposition:
// tau = (2 mu (S - I) + lambda tr(S - I) I) S is the Kirchhoff stress in the turned frame. So particles below yield,
// most of them in most steps, cost a few products. Those beyond it need s and V, and the root of the yield condition.
#pragma once

#include "law/plastic.h"
#include "math/mat3_wide.h"

/// The material.
typedef struct frz_plastic_wide
{
    frz_real lambda, mu;       ///< Lame's constants of the corotated law, Pa
    frz_real yield, hardening; ///< Pa
    frz_real part;             ///< fraction of the distance to the yield surface that a step covers
} frz_plastic_wide;

frz_plastic_wide frz_plastic_wide_of(const frz_plastic_multiplicative *plastic, const frz_elastic *elastic, double dt);

/// Let eight particles with the stretches S (symmetric) flow. Returns the lanes that did; they are to multiply their
/// Fp^-1 from the right with *factor (the identity elsewhere; not set if no lane flows), and their plastic strain has
/// grown.
frz_w8_mask frz_plastic_wide_flow(const frz_plastic_wide *plastic, const frz_wide3 *stretch, frz_w8 *hardened,
                                  frz_wide3 *factor);

/// Is any lane set?
static inline bool frz_w8_mask_any(frz_w8_mask mask)
{
    bool any = false;
    for (int l = 0; l < 8; ++l)
        any |= mask[l] != 0; // without a branch per lane
    return any;
}
