// SPDX-License-Identifier: MIT
// Checks of combinations of keys, one per section that needs it.
#pragma once

#include "scene/schema.h"

/// Mark of a key's value, or of the section if the key is not there.
frz_mark frz_mark_at(const frz_node *node, const char *key);

/// Index of a material by name; fails with a suggestion at the key 'material' of node.
FRZ_NODISCARD frz_status frz_resolve_material(frz_parse *parse, const char *name, const frz_node *node, int *out);

/// Materials of emitters and regions, and names that emitters and bodies share (schema_check_sources.c).
FRZ_NODISCARD frz_status frz_check_sources(frz_parse *parse, const frz_node *node, frz_scene *scene);

/// Bodies of joints, and the links of chains (schema_check_joints.c).
FRZ_NODISCARD frz_status frz_check_joints(frz_parse *parse, const frz_node *node, frz_scene *scene);

/// Of a body whose scene gives none.
int frz_body_priority(frz_scene_state state);

/// Make the rigid parts of elastic bodies bodies of their own, with an attachment (schema_parts.c).
FRZ_NODISCARD frz_status frz_check_parts(frz_parse *parse, frz_scene *scene);

frz_section_check_fn frz_check_scene;
frz_section_check_fn frz_check_time_step;
frz_section_check_fn frz_check_domain;
frz_section_check_fn frz_check_motion;
frz_section_check_fn frz_check_body;
frz_section_check_fn frz_check_schedule;
frz_section_check_fn frz_check_emitter;
frz_section_check_fn frz_check_region;
frz_section_check_fn frz_check_probe;
frz_section_check_fn frz_check_hinge;
frz_section_check_fn frz_check_joint;
frz_section_check_fn frz_check_chain;
frz_section_check_fn frz_check_rigid_part;
frz_section_check_fn frz_check_attachment;
frz_section_check_fn frz_check_camera;
frz_section_check_fn frz_check_coloring;
