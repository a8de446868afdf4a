// SPDX-License-Identifier: MIT
#include "physics/viscosity/viscosity_walls.h"

#include <math.h>

#include "sim/state.h"

// particles pressed closer to a wall than this are taken to be there; spacings, half the distance at rest
static const double nearest = 0.25;

double frz_viscosity_wall_weight(const frz_model *model, const frz_state *state, const frz_shear_weight *weight,
                                 const frz_sample_pair *pair, double slip_length)
{
    const frz_real *volume =
        frz_field_real(&state->particles, FRZ_FIELD_ID_volume) + state->particles.first[FRZ_ROLE_SAMPLE];
    const double spacing = model->spacing, half = 0.5 * spacing;
    const double depth = (double)frz_v4_dot3(pair->difference, state->samples.normal[pair->slot]);
    if (depth <= 0.0)
        return 0.0;
    const double above = fmax(depth - half, nearest * spacing);
    const double g = (double)frz_shear_weight_at(weight, frz_v4_dot3(pair->difference, pair->difference));
    const double own = (double)(volume[pair->slot] / state->samples.area[pair->slot]); // the layer of samples rubs
    return weight->wall / (spacing * spacing) * (own / model->particle_volume) * g *
           ((above + half) / (above + slip_length));
}
