// SPDX-License-Identifier: MIT
// The keys of emitters, regions and probes: where liquid comes from, where it goes, and where it is measured.
#include "scene/schema.h"

#include "scene/schema_check.h"

#define AT(type, member) .offset = offsetof(type, member)

static const char *const action_words[] = {"kill", "force", "heat", NULL};
static const char *const probe_words[] = {"pressure", "velocity", "density", "flow", "temperature", NULL};

// clang-format off
static const frz_key interval_keys[] = {
    {"start", FRZ_KEY_REAL, AT(frz_scene_interval, start), .unit = "s", .fallback = "0 s", .min = 0, .max = 1e9,
     .doc = "When it begins to act."},
    {"stop", FRZ_KEY_REAL, AT(frz_scene_interval, stop), .unit = "s", .min = 0, .max = 1e9,
     .has = offsetof(frz_scene_interval, has_stop), .doc = "When it stops; never if left out."},
    {0}};

static const frz_section interval_section = {.name = "an interval", .doc = "From when to when.",
    .size = sizeof(frz_scene_interval), .keys = interval_keys};

static const frz_key schedule_keys[] = {
    {"on", FRZ_KEY_LIST, AT(frz_scene_schedule, on), .flags = FRZ_KEY_REQUIRED | FRZ_KEY_NOT_EMPTY,
     .section = &interval_section, .doc = "Intervals in which it acts, in order."},
    {"period", FRZ_KEY_REAL, AT(frz_scene_schedule, period), .unit = "s", .min = 0, .max = 1e9,
     .flags = FRZ_KEY_ABOVE_MIN, .has = offsetof(frz_scene_schedule, has_period),
     .doc = "Time after which the intervals come again; they must lie within it."},
    {0}};

static const frz_section schedule_section = {.name = "a schedule",
    .doc = "When something acts. Without a schedule it always does.",
    .size = sizeof(frz_scene_schedule), .keys = schedule_keys, .short_form = "on", .check = frz_check_schedule};

// the rows of a surface in another section
#define SURFACE(type) \
    {"radius", FRZ_KEY_REAL, AT(type, surface.radius), .unit = "m", .min = 0, .max = 1e6, .flags = FRZ_KEY_ABOVE_MIN, \
     .has = offsetof(type, surface.has_radius), .doc = "Radius of a disc; in 2D half the length of a line."}, \
    {"width", FRZ_KEY_REAL, AT(type, surface.width), .unit = "m", .min = 0, .max = 1e6, .flags = FRZ_KEY_ABOVE_MIN, \
     .has = offsetof(type, surface.has_width), .doc = "Width of a rectangle; in 2D the length of a line."}, \
    {"height", FRZ_KEY_REAL, AT(type, surface.height), .unit = "m", .min = 0, .max = 1e6, \
     .flags = FRZ_KEY_ABOVE_MIN, .has = offsetof(type, surface.has_height), \
     .doc = "Height of a rectangle, along up."}, \
    {"up", FRZ_KEY_VECTOR, AT(type, surface.up), .fallback = "[0, 1, 0]", .flags = FRZ_KEY_ANY_Z | FRZ_KEY_NOT_ZERO, \
     .doc = "Direction of the height; a surface that looks along it takes z."}

static const frz_key emitter_keys[] = {
    {"name", FRZ_KEY_NAME, AT(frz_scene_emitter, name), .doc = "Unique name; emitter_<index> if left out."},
    {"material", FRZ_KEY_NAME, AT(frz_scene_emitter, material_name), .flags = FRZ_KEY_REQUIRED,
     .doc = "Name of a material."},
    {"position", FRZ_KEY_VECTOR, AT(frz_scene_emitter, position), .unit = "m", .flags = FRZ_KEY_REQUIRED,
     .doc = "Middle of the inlet."},
    {"direction", FRZ_KEY_VECTOR, AT(frz_scene_emitter, direction), .flags = FRZ_KEY_REQUIRED | FRZ_KEY_NOT_ZERO,
     .doc = "Where the liquid goes, at a right angle to the inlet; its length does not count."},
    SURFACE(frz_scene_emitter),
    {"speed", FRZ_KEY_REAL, AT(frz_scene_emitter, speed), .unit = "m/s", .min = 0, .max = 1e6,
     .flags = FRZ_KEY_ABOVE_MIN, .has = offsetof(frz_scene_emitter, has_speed),
     .doc = "Speed of the liquid in the inlet; either this or flow_rate."},
    {"flow_rate", FRZ_KEY_REAL, AT(frz_scene_emitter, flow_rate), .unit = "m3/s", .min = 0, .max = 1e9,
     .flags = FRZ_KEY_ABOVE_MIN, .has = offsetof(frz_scene_emitter, has_flow_rate),
     .doc = "Volume per second, from which the speed follows; in 2D per metre of depth."},
    {"temperature", FRZ_KEY_REAL, AT(frz_scene_emitter, temperature), .unit = "K", .min = 0, .max = FRZ_HOTTEST,
     .has = offsetof(frz_scene_emitter, has_temperature),
     .doc = "Temperature of the liquid; that of the scene if left out."},
    {"schedule", FRZ_KEY_SECTION, AT(frz_scene_emitter, schedule), .section = &schedule_section,
     .doc = "When liquid comes; always if left out."},
    {"max_particles", FRZ_KEY_INT, AT(frz_scene_emitter, max_particles), .min = 1, .max = 1000000000,
     .doc = "Particles after which the emitter stops; no limit if left out."},
    {"friction", FRZ_KEY_REAL, AT(frz_scene_emitter, friction), .fallback = "0.3", .min = 0, .max = 100,
     .doc = "Of material points (elastic method mpm) on solid bodies, as that of a body; liquid has none."},
    {"color", FRZ_KEY_COLOR, AT(frz_scene_emitter, color),
     .doc = "Colour in pictures: a name or \"#rrggbb\" (in quotes)."},
    {0}};

const frz_section frz_section_emitter = {.name = "an emitter",
    .doc = "A flat inlet, a disc (radius) or a rectangle (width and height), through which liquid comes in, "
           "or sand and snow: a material with the elastic method mpm comes as material points.",
    .size = sizeof(frz_scene_emitter), .keys = emitter_keys, .auto_name = "emitter",
    .name_offset = offsetof(frz_scene_emitter, name), .check = frz_check_emitter};

static const frz_key region_keys[] = {
    {"name", FRZ_KEY_NAME, AT(frz_scene_region, name), .doc = "Unique name; region_<index> if left out."},
    {"shape", FRZ_KEY_SHAPE, AT(frz_scene_region, shape), .flags = FRZ_KEY_REQUIRED, .doc = "Space in which it acts."},
    {"action", FRZ_KEY_WORD, AT(frz_scene_region, action), .flags = FRZ_KEY_REQUIRED, .words = action_words,
     .doc = "kill removes particles and counts them (a drain); force pushes them; heat heats or cools them."},
    {"material", FRZ_KEY_NAME, AT(frz_scene_region, material_name),
     .doc = "Name of the only material it acts on; all if left out."},
    {"acceleration", FRZ_KEY_VECTOR, AT(frz_scene_region, acceleration), .unit = "m/s2",
     .has = offsetof(frz_scene_region, has_acceleration), .doc = "Added to gravity (force)."},
    {"velocity", FRZ_KEY_VECTOR, AT(frz_scene_region, velocity), .unit = "m/s",
     .has = offsetof(frz_scene_region, has_velocity), .doc = "Velocity that drag takes the liquid to (force); 0 if left out."},
    {"drag", FRZ_KEY_REAL, AT(frz_scene_region, drag), .unit = "1/s", .min = 0, .max = 1e9, .flags = FRZ_KEY_ABOVE_MIN,
     .has = offsetof(frz_scene_region, has_drag),
     .doc = "How fast the velocity is taken on (force): the difference falls by 63 % in 1 / drag seconds."},
    {"power", FRZ_KEY_REAL, AT(frz_scene_region, power), .unit = "W/m3", .min = -1e15, .max = 1e15,
     .has = offsetof(frz_scene_region, has_power), .doc = "Heat per volume and second (heat); below 0 it cools."},
    {"temperature", FRZ_KEY_REAL, AT(frz_scene_region, temperature), .unit = "K", .min = 0, .max = FRZ_HOTTEST,
     .has = offsetof(frz_scene_region, has_temperature), .doc = "Temperature that the matter is taken to (heat)."},
    {"rate", FRZ_KEY_REAL, AT(frz_scene_region, rate), .unit = "1/s", .min = 0, .max = 1e9, .flags = FRZ_KEY_ABOVE_MIN,
     .has = offsetof(frz_scene_region, has_rate),
     .doc = "How fast the temperature is taken on (heat): the difference falls by 63 % in about 1 / rate seconds."},
    {"schedule", FRZ_KEY_SECTION, AT(frz_scene_region, schedule), .section = &schedule_section,
     .doc = "When it acts; always if left out."},
    {0}};

const frz_section frz_section_region = {.name = "a region", .doc = "A part of space that acts on the liquid in it.",
    .size = sizeof(frz_scene_region), .keys = region_keys, .auto_name = "region",
    .name_offset = offsetof(frz_scene_region, name), .check = frz_check_region};

static const frz_key probe_keys[] = {
    {"name", FRZ_KEY_NAME, AT(frz_scene_probe, name), .doc = "Unique name; probe_<index> if left out."},
    {"position", FRZ_KEY_VECTOR, AT(frz_scene_probe, position), .unit = "m", .flags = FRZ_KEY_REQUIRED,
     .doc = "Where it measures; middle of the surface."},
    {"fields", FRZ_KEY_WORDS, AT(frz_scene_probe, fields), .words = probe_words,
     .has = offsetof(frz_scene_probe, has_fields),
     .doc = "What it measures; pressure if left out, or flow if there is a normal."},
    {"normal", FRZ_KEY_VECTOR, AT(frz_scene_probe, normal), .flags = FRZ_KEY_NOT_ZERO,
     .has = offsetof(frz_scene_probe, has_normal),
     .doc = "For flow: direction through the surface in which flow counts as positive."},
    SURFACE(frz_scene_probe),
    {0}};

const frz_section frz_section_probe = {.name = "a probe",
    .doc = "A point where fields are recorded, or a surface through which flow is counted: a disc (radius) or a "
           "rectangle (width and height). Rows are written as output.stats_every says.",
    .size = sizeof(frz_scene_probe), .keys = probe_keys, .auto_name = "probe",
    .name_offset = offsetof(frz_scene_probe, name), .check = frz_check_probe};
// clang-format on
