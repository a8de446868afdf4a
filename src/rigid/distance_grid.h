// SPDX-License-Identifier: MIT
// The signed distance of a shape, kept in a sparse grid around its surface: a query is one interpolation.
#pragma once

#include "geom/shape.h"

typedef struct frz_distance_grid frz_distance_grid;

/// Nodes are a cell apart; blocks of nodes exist within band of the surface. Shape and grid share axes.
FRZ_NODISCARD frz_status frz_distance_grid_create(const frz_shape *shape, frz_bounds bounds, double cell, double band,
                                                  frz_distance_grid **out, frz_diag *diag);
void frz_distance_grid_destroy(frz_distance_grid **grid);

/// Distance and unit gradient; outside the band a lower bound of the size, with the right sign, and some gradient.
double frz_distance_grid_at(const frz_distance_grid *grid, frz_vec3 place, frz_vec3 *normal);
