// SPDX-License-Identifier: MIT
// The keys of joints between bodies, and of chains.
#include "scene/schema.h"

#include "scene/schema_check.h"

#define AT(type, member) .offset = offsetof(type, member)

// the order of frz_scene_joint_type
static const char *const type_words[] = {"ball", "hinge", "slider", "fixed", "gear", "rope", NULL};

// clang-format off
static const frz_key joint_keys[] = {
    {"name", FRZ_KEY_NAME, AT(frz_scene_pair_joint, name), .doc = "Unique name; joint_<index> if left out."},
    {"type", FRZ_KEY_WORD, AT(frz_scene_pair_joint, type), .flags = FRZ_KEY_REQUIRED, .words = type_words,
     .doc = "ball: a point in common. hinge: an axis too. slider: they move along an axis without turning. fixed: they are "
            "one. gear: bodies with a hinge or slider of their own turn by a ratio. rope: two points are at most a length apart."},
    {"bodies", FRZ_KEY_NAMES, AT(frz_scene_pair_joint, bodies), .flags = FRZ_KEY_REQUIRED,
     .doc = "Names of the two bodies, static or rigid, at least one of which can move; world if there is only one."},
    {"point", FRZ_KEY_VECTOR, AT(frz_scene_pair_joint, point), .unit = "m",
     .has = offsetof(frz_scene_pair_joint, has_point),
     .doc = "Where they are joined at the start; of a rope its end at the first body."},
    {"to", FRZ_KEY_VECTOR, AT(frz_scene_pair_joint, to), .unit = "m", .has = offsetof(frz_scene_pair_joint, has_to),
     .doc = "End of a rope at the second body."},
    {"axis", FRZ_KEY_VECTOR, AT(frz_scene_pair_joint, axis), .flags = FRZ_KEY_ANY_Z | FRZ_KEY_NOT_ZERO,
     .has = offsetof(frz_scene_pair_joint, has_axis), .doc = "Direction of a hinge (in 2D always z) or slider."},
    {"length", FRZ_KEY_REAL, AT(frz_scene_pair_joint, length), .unit = "m", .min = 0, .max = 1e6,
     .flags = FRZ_KEY_ABOVE_MIN, .has = offsetof(frz_scene_pair_joint, has_length),
     .doc = "Length of a rope; the distance of its ends at the start if left out."},
    {"ratio", FRZ_KEY_REAL, AT(frz_scene_pair_joint, ratio), .min = -1e6, .max = 1e6,
     .has = offsetof(frz_scene_pair_joint, has_ratio),
     .doc = "Turns of a gear's second body per turn of the first, negative for wheels that mesh from outside; a body with "
            "a slider counts metres, one with a hinge radians."},
    {"collide", FRZ_KEY_BOOL, AT(frz_scene_pair_joint, collide), .fallback = "false",
     .doc = "The two bodies touch each other like others; else they pass through each other."},
    {0}};

const frz_section frz_section_joint = {.name = "a joint",
    .doc = "What holds two rigid bodies together, or a rigid body and the world or a static body. (A hinge or slider of one body "
           "with the world can also be a key of the body.)",
    .size = sizeof(frz_scene_pair_joint), .keys = joint_keys, .auto_name = "joint",
    .name_offset = offsetof(frz_scene_pair_joint, name), .check = frz_check_joint};

static const frz_key chain_keys[] = {
    {"name", FRZ_KEY_NAME, AT(frz_scene_chain, name),
     .doc = "Unique name; chain_<index> if left out. Its links are bodies called <name>_1, <name>_2, ..."},
    {"bodies", FRZ_KEY_NAMES, AT(frz_scene_chain, bodies), .flags = FRZ_KEY_REQUIRED,
     .doc = "What its two ends hang on: names of static or rigid bodies, world, or free for an end that hangs on nothing."},
    {"from", FRZ_KEY_VECTOR, AT(frz_scene_chain, from), .unit = "m", .flags = FRZ_KEY_REQUIRED,
     .doc = "Where it begins, at the first body."},
    {"to", FRZ_KEY_VECTOR, AT(frz_scene_chain, to), .unit = "m", .flags = FRZ_KEY_REQUIRED,
     .doc = "Where it ends, at the second body."},
    {"links", FRZ_KEY_INT, AT(frz_scene_chain, links), .min = 1, .max = 10000, .flags = FRZ_KEY_REQUIRED,
     .doc = "Number of its links, rigid capsules joined by balls."},
    {"radius", FRZ_KEY_REAL, AT(frz_scene_chain, radius), .unit = "m", .min = 0, .max = 1e6,
     .flags = FRZ_KEY_REQUIRED | FRZ_KEY_ABOVE_MIN, .doc = "Of a link; half a spacing at least, for the liquid to feel it."},
    {"density", FRZ_KEY_REAL, AT(frz_scene_chain, density), .unit = "kg/m3", .min = 0, .max = 1e6,
     .flags = FRZ_KEY_REQUIRED | FRZ_KEY_ABOVE_MIN, .doc = "Of a link."},
    {"length", FRZ_KEY_REAL, AT(frz_scene_chain, length), .unit = "m", .min = 0, .max = 1e6,
     .flags = FRZ_KEY_ABOVE_MIN, .has = offsetof(frz_scene_chain, has_length),
     .doc = "Of the chain, if it is longer than from its beginning to its end: it starts as an arc that hangs down."},
    {"friction", FRZ_KEY_REAL, AT(frz_scene_chain, friction), .fallback = "0.3", .min = 0, .max = 100,
     .doc = "Coulomb friction of its links."},
    {"damping", FRZ_KEY_REAL, AT(frz_scene_chain, damping), .unit = "1/s", .fallback = "0 1/s", .min = 0, .max = 1e6,
     .doc = "Rate at which velocities and spins of its links fade."},
    {"color", FRZ_KEY_COLOR, AT(frz_scene_chain, color), .doc = "Colour in pictures: a name or \"#rrggbb\" (in quotes)."},
    {0}};

const frz_section frz_section_chain = {.name = "a chain", .doc = "Links between two points.",
    .size = sizeof(frz_scene_chain), .keys = chain_keys, .auto_name = "chain",
    .name_offset = offsetof(frz_scene_chain, name), .check = frz_check_chain};
// clang-format on
