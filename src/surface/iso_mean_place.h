// SPDX-License-Identifier: MIT
// Shared by the methods of the weighted mean position. Channels: sum of W, then sums of W times the place from the
// node.
#pragma once

#include "surface/iso_internal.h"

void frz_iso_mean_splat(frz_iso_block *block, frz_v4 point);
void frz_iso_mean_calibrate(frz_iso_field *field);
/// From a node to the mean place, cells; without the part across a wall.
frz_vec3 frz_iso_mean_offset(const frz_iso_block *block, int at);
/// Values R f - |offset|; factor gives f (null: 1) where the offset is shorter than R.
void frz_iso_mean_finish(frz_iso_block *block, double (*factor)(const frz_iso_block *block, int at, frz_vec3 offset));
