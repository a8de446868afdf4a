// SPDX-License-Identifier: MIT
// Liquid and rigid bodies as Algorithm 3 of Gissler, Peer, Band, Bender & Teschner 2019 has them, for comparison with
// `strong`: one iteration of contacts for each iteration of the liquid.
//
//     F_f(p_f), v_f; F_fr(p_f); s_r; F_rr = -V grad p_r; v_r = v_s + v_rr; next p_f of v_f, v_r; next p_r of s_r, p_r
//
// Bodies are moved by the liquid in every iteration, as in `strong`. The liquid iterates by relaxed Jacobi, contacts by
// that of contact: gissler2019, and both end by averages: the liquid's tolerance and that of contacts. The paper does
// not tell the liquid's diagonal beside bodies; here bodies are in it, as they are in that of other relaxed iterations
// (pressure_bodies.c), so that a light body does not overshoot.
#include "physics/coupling/coupling_check.h"
#include "physics/registry.h"
#include "sim/body_links.h"
#include "sim/coupling.h"
#include "sim/state.h"

static const frz_coupling_ops gissler_ops = {.link = frz_state_body_links, .strong = true, .interleaved = true};

static frz_status gissler_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    (void)instance;
    FRZ_TRY(frz_coupling_check_pressure(model, "gissler2019", diag));
    for (int n = 0; frz_coupling_has_bodies(model) && n < model->instance_count; ++n)
    {
        const frz_method *method = model->instances[n].method;
        if (method->slot == FRZ_SLOT_CONTACT && method->contact->sweep == NULL)
            return frz_fail(diag, FRZ_ERR_SCENE,
                            "coupling gissler2019 needs contact: gissler2019, whose iterations it interleaves with the "
                            "liquid's, not %s; choose that, or coupling: strong",
                            method->key);
    }
    return FRZ_OK;
}

const frz_method frz_method_coupling_gissler2019 = {
    .key = "gissler2019",
    .slot = FRZ_SLOT_COUPLING,
    .doc = "One iteration of contacts for each of the liquid, as printed; for comparison with strong, which is faster.",
    .cite = "Gissler, Peer, Band, Bender & Teschner 2019, Algorithm 3, doi:10.1145/3284980",
    .check = gissler_check,
    .coupling = &gissler_ops,
};
