// SPDX-License-Identifier: MIT
// Static samples with a pressure of their own, extrapolated from the liquid by moving least squares. Band, Gissler,
// Ihmsen, Cornelis, Peer & Teschner 2018 (pressure boundaries); Band, Gissler, Peer & Teschner 2018 (MLS).
//
//     delta_i = V W(0) + sum_j V W_ij + walls_i
//     walls_i = f sum_b V_b W_ib + (1 - f) gain |T_i|^2                                      sph/sample_law
//     a_i = -(1 / rho_i) ( sum_j (P_i + P_j) V gradW_ij + P_i grad walls_i + f sum_b P_b V_b gradW_ib )
//     P_b = max(0, sum_j m_bj P_j)                                                           sph/sample_fit
//
// f = 1 is the papers' method: walls count like liquid, in the density and with their pressure. But one layer of
// samples with plain sums is no obstacle to a single particle: in space it reaches its rest density only among the
// samples. With f = 0 it does so in front of the surface, but the pressure is that of the particle alone. For any f a
// uniform pressure exerts no force, because both parts have the slope of the missing liquid, the second one twice for
// P_i only. At the surface, half a spacing in front of the samples, a single particle has its rest density if f is at
// most 0.85 in space and 0.95 in the plane (default kernel): the default lies below both.

#include "physics/boundary/boundary_volume.h"
#include "physics/registry.h"
#include "sim/boundary.h"
#include "sim/neighborhood.h"

typedef struct band
{
    double share;
} band;

static const frz_param band_params[] = {
    {"share",
     "part of a wall's push that comes from its own pressure, the rest from that of the particle it pushes; 1 as in "
     "the "
     "papers lets single fast particles through",
     FRZ_PARAM_REAL, offsetof(band, share), 0.75, 0.05, 1.0, ""},
    {0},
};

static frz_sample_law band_law(const frz_model *model, const void *self)
{
    const double share = ((const band *)self)->share;
    return (frz_sample_law){.gain = (1.0 - share) * model->wall_gain, .plain = share * model->wall_plain_gain};
}

static const frz_boundary_ops band_ops = {.volumes = frz_boundary_set_volumes, .law = band_law};

// Before any use of pressures: the velocity stage makes a forecast of them.
static frz_status band_fit(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                           frz_diag *diag)
{
    (void)instance;
    (void)dt;
    return frz_state_sample_fit(model, state, diag);
}

// An iteration towards a given density compensates errors of the extrapolation. A state equation does not iterate on
// its pressures; then these forces are not the gradient of an energy, and ringing lasts.
static frz_status band_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    (void)instance;
    for (int n = 0; n < model->instance_count; ++n)
    {
        const frz_method *method = model->instances[n].method;
        if (method->slot == FRZ_SLOT_PRESSURE && (method->traits & FRZ_TRAIT_SOLVES_PRESSURE) == 0)
        {
            char names[FRZ_METHOD_NAMES_LENGTH];
            return frz_fail(diag, FRZ_ERR_SCENE,
                            "boundary band2018 needs a pressure method that solves for the pressure (%s), not %s; "
                            "choose one of these, or boundary: mirrored",
                            frz_method_names(FRZ_SLOT_PRESSURE, FRZ_TRAIT_SOLVES_PRESSURE, "or", names), method->key);
        }
    }
    return FRZ_OK;
}

const frz_method frz_method_boundary_band2018 = {
    .key = "band2018",
    .slot = FRZ_SLOT_BOUNDARY,
    .traits = FRZ_TRAIT_HIDES_WORK,
    .doc = "Samples with a pressure of their own, carried on from the liquid by moving least squares.",
    .cite =
        "Band, Gissler, Ihmsen, Cornelis, Peer & Teschner 2018, doi:10.1145/3180486; Band, Gissler, Peer & Teschner "
        "2018, doi:10.1016/j.cag.2018.08.001",
    .self_size = sizeof(band),
    .params = band_params,
    .check = band_check,
    .boundary = &band_ops,
    .run = {[FRZ_STAGE_FORCE] = band_fit},
};
