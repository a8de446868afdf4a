// SPDX-License-Identifier: MIT
// The deformation of elastic particles, for users of the library.
#include "api/sim_internal.h"
#include "base/memory.h"
#include "physics/elastic/elastic_system.h"

static void fill_row(const frz_mat3 *h, double *row)
{
    for (int k = 0; k < 9; ++k)
        row[k] = (k % 4 == 0 ? 1.0 : 0.0) + (h != NULL ? h->m[k / 3][k % 3] : 0.0);
}

frz_status frz_sim_deformation(const frz_sim *sim, double *gradient, int64_t count, frz_diag *diag)
{
    const frz_state *state = sim->state;
    const frz_bonds *bonds = &state->bonds;
    const int free_count = state->particles.count[FRZ_ROLE_FREE];
    if (count != free_count)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "there are %d free particles, but room for the gradients of %lld",
                        free_count, (long long)count);
    frz_elastic_place *place = FRZ_ALLOC("deformation", bonds->count + 1, frz_elastic_place);
    if (place == NULL)
        return frz_fail_memory(diag, "the deformation of the elastic particles");
    frz_elastic_work work = {.place = place};
    for (int b = 0; b < bonds->body_count; ++b)
        frz_elastic_gather(state, b, &work);
    for (int64_t i = 0; i < count; ++i)
        fill_row(NULL, gradient + 9 * i);
    for (int e = 0; e < bonds->count; ++e)
    {
        const frz_mat3 h = frz_elastic_gradient(bonds, place, e);
        if (state->solids.slot[e] >= 0)
            fill_row(&h, gradient + 9 * (state->solids.slot[e] - state->particles.first[FRZ_ROLE_FREE]));
    }
    frz_free(place);
    return FRZ_OK;
}
