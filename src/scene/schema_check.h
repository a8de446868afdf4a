// SPDX-License-Identifier: MIT
// Checks of combinations of keys, one per section that needs it.
#pragma once

#include "scene/schema.h"

frz_section_check_fn frz_check_scene;
frz_section_check_fn frz_check_time_step;
frz_section_check_fn frz_check_domain;
frz_section_check_fn frz_check_motion;
frz_section_check_fn frz_check_body;
frz_section_check_fn frz_check_probe;
frz_section_check_fn frz_check_camera;
frz_section_check_fn frz_check_coloring;
