// SPDX-License-Identifier: MIT
// The keys of events: trigger, target, conversion, result.
#include "scene/schema.h"

#include "scene/schema_check.h"

#define AT(type, member) .offset = offsetof(type, member)

static const char *const change_words[] = {"melt", "freeze", "soften", "harden", "join", "cut", NULL};
static const char *const solid_words[] = {"rigid", "elastic", NULL};
static const char *const measure_words[] = {"pressure", "speed", "density", "temperature", "flow", NULL};

// clang-format off
static const frz_key condition_keys[] = {
    {"probe", FRZ_KEY_NAME, AT(frz_scene_condition, probe_name),
     .doc = "Name of a probe; either this or in."},
    {"field", FRZ_KEY_WORD, AT(frz_scene_condition, field), .words = measure_words,
     .has = offsetof(frz_scene_condition, has_field),
     .doc = "What counts of the probe; flow is the volume that has passed its surface since the start."},
    {"in", FRZ_KEY_SHAPE, AT(frz_scene_condition, shape), .doc = "Space whose particles are counted."},
    {"of", FRZ_KEY_NAMES, AT(frz_scene_condition, of), .flags = FRZ_KEY_OR_ONE,
     .doc = "Whose particles are counted: bodies and emitters, or one material; all if left out."},
    {"above", FRZ_KEY_QUANTITY, AT(frz_scene_condition, above), .has = offsetof(frz_scene_condition, has_above),
     .doc = "It happens when the value, in the unit of the field, or the number of particles is above this."},
    {"below", FRZ_KEY_QUANTITY, AT(frz_scene_condition, below), .has = offsetof(frz_scene_condition, has_below),
     .doc = "It happens when it is below this; either above or below."},
    {0}};

static const frz_section condition_section = {.name = "a condition",
    .doc = "A value of a probe, or a number of particles in a shape, that an event waits for.",
    .size = sizeof(frz_scene_condition), .keys = condition_keys, .check = frz_check_condition};

static const frz_key event_keys[] = {
    {"label", FRZ_KEY_NAME, AT(frz_scene_event, label), .doc = "Unique name for messages; event_<index> if left out."},
    {"at", FRZ_KEY_REAL, AT(frz_scene_event, at), .unit = "s", .min = 0, .max = 1e9,
     .has = offsetof(frz_scene_event, has_at),
     .doc = "When it happens; with a condition, the earliest time at which the condition is checked. At least one of at and when is needed."},
    {"when", FRZ_KEY_SECTION, AT(frz_scene_event, when), .section = &condition_section,
     .has = offsetof(frz_scene_event, has_when), .doc = "What it waits for."},
    {"every", FRZ_KEY_REAL, AT(frz_scene_event, every), .unit = "s", .min = 0, .max = 1e9, .flags = FRZ_KEY_ABOVE_MIN,
     .has = offsetof(frz_scene_event, has_every),
     .doc = "Time after which it happens again, or its condition is checked again; it happens once if left out."},
    {"until", FRZ_KEY_REAL, AT(frz_scene_event, until), .unit = "s", .min = 0, .max = 1e9,
     .has = offsetof(frz_scene_event, has_until), .doc = "When it no longer happens; never if left out."},
    {"do", FRZ_KEY_WORD, AT(frz_scene_event, change), .flags = FRZ_KEY_REQUIRED, .words = change_words,
     .doc = "melt: solid to liquid; freeze: liquid to solid; soften: rigid to elastic; harden: elastic to rigid; join: solid "
            "bodies that touch become one; cut: bonds that pass through the shape break (from side to side of a blade, through the "
            "surface of a thicker shape)."},
    {"to", FRZ_KEY_WORD, AT(frz_scene_event, to), .fallback = "rigid", .words = solid_words,
     .doc = "What freezing makes."},
    {"of", FRZ_KEY_NAMES, AT(frz_scene_event, of), .flags = FRZ_KEY_OR_ONE,
     .doc = "Bodies and emitters, or one material, whose particles change; all that can if left out. A name that a body and a material "
            "have means the body."},
    {"in", FRZ_KEY_SHAPE, AT(frz_scene_event, shape), .doc = "Space in which it happens; everywhere if left out (cut needs one)."},
    {"velocity", FRZ_KEY_VECTOR, AT(frz_scene_event, velocity), .unit = "m/s", .fallback = "[0, 0, 0]",
     .doc = "Velocity of that space, from the time of at on."},
    {"whole", FRZ_KEY_BOOL, AT(frz_scene_event, whole), .fallback = "false",
     .doc = "Bodies whose centre of mass is in the space change as a whole; else the particles that are in it do (melt, "
            "soften, harden)."},
    {"material", FRZ_KEY_NAME, AT(frz_scene_event, material_name),
     .doc = "Name of the material that the particles get; they keep theirs if left out. Masses never change."},
    {"name", FRZ_KEY_NAME, AT(frz_scene_event, name),
     .doc = "Name of the bodies that it makes; that of their source if left out."},
    {"friction", FRZ_KEY_REAL, AT(frz_scene_event, friction), .fallback = "0.3", .min = 0, .max = 100,
     .has = offsetof(frz_scene_event, has_friction),
     .doc = "Coulomb friction of rigid bodies that are born. Bodies that harden or are joined keep theirs if it is left out."},
    {"restitution", FRZ_KEY_REAL, AT(frz_scene_event, restitution), .fallback = "0", .min = 0, .max = 1,
     .has = offsetof(frz_scene_event, has_restitution),
     .doc = "How rigid bodies that are born bounce."},
    {0}};

const frz_section frz_section_event = {.name = "an event",
    .doc = "A change during the run: of the phase of particles, or of the bonds between them.",
    .size = sizeof(frz_scene_event), .keys = event_keys, .auto_name = "event", .name_key = "label",
    .name_offset = offsetof(frz_scene_event, label), .check = frz_check_event};
// clang-format on
