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

/// Names of events and all that they can do (schema_check_events.c).
FRZ_NODISCARD frz_status frz_check_events(frz_parse *parse, const frz_node *node, frz_scene *scene);

/// Which rigid bodies are made of particles, and whether they can be (schema_check_changes.c).
FRZ_NODISCARD frz_status frz_check_filled(frz_parse *parse, frz_scene *scene);

/// Whether the conversions of events are possible.
FRZ_NODISCARD frz_status frz_check_changes(frz_parse *parse, const frz_scene *scene);

/// Whether a target names a body (or emitter, behind the bodies), or nothing.
bool frz_scene_target_has(const frz_scene_target *target, int body);

/// "melt", "freeze", ...
const char *frz_event_change_name(const frz_scene_event *event);

/// Of a body whose scene gives none.
int frz_body_priority(frz_scene_state state);

/// Make the rigid parts of elastic bodies bodies of their own, with an attachment (schema_parts.c).
FRZ_NODISCARD frz_status frz_check_parts(frz_parse *parse, frz_scene *scene);

/// Keys of heat of a body.
FRZ_NODISCARD frz_status frz_check_wall_heat(frz_parse *parse, const frz_node *node, const frz_scene_body *body);
/// Check the heat of materials; refuse bodies and regions that heat if no material conducts.
FRZ_NODISCARD frz_status frz_check_heat(frz_parse *parse, const frz_scene *scene);

frz_section_check_fn frz_check_scene;
frz_section_check_fn frz_check_time_step;
frz_section_check_fn frz_check_domain;
frz_section_check_fn frz_check_melting;
frz_section_check_fn frz_check_law;
frz_section_check_fn frz_check_material;
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
frz_section_check_fn frz_check_condition;
frz_section_check_fn frz_check_event;
frz_section_check_fn frz_check_camera;
frz_section_check_fn frz_check_coloring;
