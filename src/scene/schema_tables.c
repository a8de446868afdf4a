// SPDX-License-Identifier: MIT
// The keys of the scene language. To add a key: a member in scene.h and a row here.
#include "scene/schema.h"

#include "scene/schema_check.h"

#define AT(type, member) .offset = offsetof(type, member)

static const char *const axis_words[] = {"x", "y", "z", NULL};
static const char *const state_words[] = {"liquid", "static", "elastic", "rigid", NULL};
static const char *const visible_words[] = {"auto", "true", "false", "see_through", NULL};
static const char *const look_words[] = {"auto",
#define FRZ_LOOK(name, kind, refraction, roughness, red, green, blue, free_path, priority, own_color, doc) #name,
#include "render/looks.def"
#undef FRZ_LOOK
                                         NULL};
static const char *const fill_words[] = {"shape", "particles", NULL};
static const char *const form_words[] = {"rigid", "elastic", "none", NULL};
static const char *const between_words[] = {"auto", "elastic", "keep", NULL};
static const char *const interpolation_words[] = {"linear", "smooth", NULL};

// clang-format off
static const frz_key kernel_keys[] = {
    {"name", FRZ_KEY_NAME, AT(frz_scene_kernel, name), .fallback = "wendland_c2",
     .doc = "Smoothing kernel: cubic_spline, wendland_c2, wendland_c4, ..."},
    {"support", FRZ_KEY_REAL, AT(frz_scene_kernel, support), .min = 1.5, .max = 4,
     .doc = "Radius of the kernel's support, in particle spacings; if left out 2.1, or 3 with the tension 'area' without walls of 'mirrored'."},
    {"bonds", FRZ_KEY_NAME, AT(frz_scene_kernel, bonds),
     .doc = "Kernel of the bonds of elastic bodies, if it is another one; Solenthaler et al. 2007 use cosine."},
    // Bonds reach to the diagonal neighbours of the lattice. Further ones would blur the strain near surfaces, where
    // all of them lie on one side: a plate of n layers bends with 1 - 2.3 / n^2 of its stiffness, but with 1 - 5.9 /
    // n^2 if bonds reach as far as the liquid's kernel (2.1 spacings).
    {"bond_support", FRZ_KEY_REAL, AT(frz_scene_kernel, bond_support), .fallback = "1.6", .min = 1.45, .max = 3,
     .doc = "Radius of the support of bonds, in particle spacings; the papers have 2. Further bonds soften thin plates."},
    {0}};

static const frz_key time_step_keys[] = {
    {"fixed", FRZ_KEY_REAL, AT(frz_scene_time_step, fixed), .unit = "s", .min = 0, .max = 10,
     .flags = FRZ_KEY_ABOVE_MIN,
     .doc = "Step that is always taken; excludes the other keys. Without it the step adapts itself."},
    {"max", FRZ_KEY_REAL, AT(frz_scene_time_step, max), .unit = "s", .min = 0, .max = 10, .flags = FRZ_KEY_ABOVE_MIN,
     .doc = "Longest step; automatic if left out."},
    {"min", FRZ_KEY_REAL, AT(frz_scene_time_step, min), .unit = "s",
     .fallback = "1e-7 s", .min = 0, .max = 10, .flags = FRZ_KEY_ABOVE_MIN,
     .doc = "Shortest step; a run that needs a shorter one stops with a message."},
    {"cfl", FRZ_KEY_REAL, AT(frz_scene_time_step, cfl), .fallback = "0.4", .min = 0, .max = 2,
     .flags = FRZ_KEY_ABOVE_MIN,
     .doc = "Part of the particle spacing that the fastest particle may travel in a step."},
    {0}};

static const frz_key domain_keys[] = {
    {"min", FRZ_KEY_VECTOR, AT(frz_scene_domain, min), .unit = "m", .has = offsetof(frz_scene_domain, has_min),
     .doc = "Lower corner; particles that leave the domain are removed."},
    {"max", FRZ_KEY_VECTOR, AT(frz_scene_domain, max), .unit = "m", .has = offsetof(frz_scene_domain, has_max),
     .doc = "Upper corner."},
    {"periodic", FRZ_KEY_WORDS, AT(frz_scene_domain, periodic), .words = axis_words,
     .doc = "Periodic axes: particles that leave on one side come in on the other, e.g. [x, z]."},
    {0}};

static const frz_key melting_keys[] = {
    {"point", FRZ_KEY_REAL, AT(frz_scene_melting, point), .unit = "K", .min = 0, .max = FRZ_HOTTEST,
     .flags = FRZ_KEY_ABOVE_MIN, .has = offsetof(frz_scene_melting, has_point),
     .doc = "Temperature at which it melts and freezes; or give solidus and liquidus."},
    {"solidus", FRZ_KEY_REAL, AT(frz_scene_melting, solidus), .unit = "K", .min = 0, .max = FRZ_HOTTEST,
     .flags = FRZ_KEY_ABOVE_MIN, .has = offsetof(frz_scene_melting, has_solidus),
     .doc = "Up to here it is solid."},
    {"liquidus", FRZ_KEY_REAL, AT(frz_scene_melting, liquidus), .unit = "K", .min = 0, .max = FRZ_HOTTEST,
     .flags = FRZ_KEY_ABOVE_MIN, .has = offsetof(frz_scene_melting, has_liquidus),
     .doc = "From here on it is liquid."},
    {"latent_heat", FRZ_KEY_REAL, AT(frz_scene_melting, latent_heat), .unit = "J/kg", .fallback = "0 J/kg", .min = 0,
     .max = 1e9, .doc = "Heat that melting takes and freezing gives back."},
    {"solid", FRZ_KEY_WORD, AT(frz_scene_melting, solid), .fallback = "rigid", .words = form_words,
     .doc = "What its liquid freezes to; none: heat changes no phase, and melting and freezing take heat only. Rigid bodies of a "
            "material that melts are filled with particles unless they say 'fill: shape'."},
    {"between", FRZ_KEY_WORD, AT(frz_scene_melting, between), .fallback = "auto", .words = between_words,
     .doc = "Between solidus and liquidus it is elastic, with a Young's modulus that falls linearly with the temperature from that "
            "of the solid to next to nothing, or keeps the phase that it has; auto: elastic if it has the key 'elastic'."},
    {"stiffening", FRZ_KEY_REAL, AT(frz_scene_melting, stiffening), .fallback = "1", .min = 1e-6, .max = 1e6,
     .doc = "Viscosity at the solidus over that at the liquidus; in between it is linear in the temperature."},
    {"solid_density", FRZ_KEY_REAL, AT(frz_scene_melting, density), .unit = "kg/m3", .min = 0, .max = 1e6,
     .flags = FRZ_KEY_ABOVE_MIN, .has = offsetof(frz_scene_melting, has_density),
     .doc = "Density of the solid (rigid bodies): melting and freezing keep the mass and change the volume. That of the liquid if left out."},
    {0}};

static const frz_section melting_section = {.name = "a melting range", .doc = "When a material melts and freezes, and the heat of it.",
    .size = sizeof(frz_scene_melting), .keys = melting_keys, .short_form = "point", .check = frz_check_melting};

static const frz_key factor_keys[] = {
    {"temperature", FRZ_KEY_REAL, AT(frz_scene_factor, temperature), .unit = "K", .min = 0, .max = FRZ_HOTTEST,
     .flags = FRZ_KEY_REQUIRED, .doc = "Temperature; they rise along the list."},
    {"factor", FRZ_KEY_REAL, AT(frz_scene_factor, factor), .min = 0, .max = 1e6,
     .flags = FRZ_KEY_REQUIRED | FRZ_KEY_ABOVE_MIN, .doc = "By which the property is multiplied there."},
    {0}};

static const frz_section factor_section = {.name = "a row of a table", .doc = "Factor of a property at a temperature.",
    .size = sizeof(frz_scene_factor), .keys = factor_keys};

static const frz_key law_keys[] = {
    {"table", FRZ_KEY_LIST, AT(frz_scene_law, table), .section = &factor_section,
     .doc = "Factors at rising temperatures: linear in between, the first and last ones beyond."},
    {"activation", FRZ_KEY_REAL, AT(frz_scene_law, activation), .unit = "K", .fallback = "0 K", .min = -1e6, .max = 1e6,
     .doc = "Arrhenius' law: a factor exp(activation (1/T - 1/reference)); an energy of activation over the gas constant."},
    {"reference", FRZ_KEY_REAL, AT(frz_scene_law, reference), .unit = "K", .fallback = "293.15 K", .min = 0, .max = FRZ_HOTTEST,
     .flags = FRZ_KEY_ABOVE_MIN, .doc = "Temperature at which that factor is 1."},
    {0}};

static const frz_section law_section = {.name = "a law of the temperature", .doc = "How a property depends on the temperature.",
    .size = sizeof(frz_scene_law), .keys = law_keys, .short_form = "table", .check = frz_check_law};

static const frz_key laws_keys[] = {
    {"viscosity", FRZ_KEY_SECTION, AT(frz_scene_laws, of[FRZ_PROPERTY_VISCOSITY]), .section = &law_section,
     .doc = "Of the viscosity (weiler2018)."},
    {"stiffness", FRZ_KEY_SECTION, AT(frz_scene_laws, of[FRZ_PROPERTY_STIFFNESS]), .section = &law_section,
     .doc = "Of Young's modulus; Poisson's ratio stays."},
    {"yield", FRZ_KEY_SECTION, AT(frz_scene_laws, of[FRZ_PROPERTY_YIELD]), .section = &law_section,
     .doc = "Of the stress at which it flows, and of its hardening."},
    {"strength", FRZ_KEY_SECTION, AT(frz_scene_laws, of[FRZ_PROPERTY_STRENGTH]), .section = &law_section,
     .doc = "Of the stress or the stretch at which it breaks."},
    {0}};

static const frz_section laws_section = {.name = "laws of the temperature",
    .doc = "Properties that depend on the temperature: each is multiplied by a factor, given as a table or by Arrhenius' law.",
    .size = sizeof(frz_scene_laws), .keys = laws_keys};

static const frz_key material_keys[] = {
    {"density", FRZ_KEY_REAL, AT(frz_scene_material, density), .unit = "kg/m3", .min = 0, .max = 1e6,
     .flags = FRZ_KEY_ABOVE_MIN, .doc = "Density at rest; needed unless the material is taken from the library."},
    {"from", FRZ_KEY_NAME, AT(frz_scene_material, from),
     .doc = "Material of the library ('frazil info materials') that gives the keys which are left out here, those of maps too."},
    {"color", FRZ_KEY_COLOR, AT(frz_scene_material, color),
     .doc = "Colour in pictures: a name or \"#rrggbb\" (in quotes)."},
    {"look", FRZ_KEY_WORD, AT(frz_scene_material, look), .fallback = "auto", .words = look_words,
     .doc = "Look in pictures of surfaces. auto: liquids look like water, or glossy in the colour that they are given; solids "
            "are glossy, walls matte."},
    {"melting", FRZ_KEY_SECTION, AT(frz_scene_material, melting), .section = &melting_section,
     .has = offsetof(frz_scene_material, has_melting),
     .doc = "When it melts and freezes; a temperature is the point. Needs the key heat."},
    {"by_temperature", FRZ_KEY_SECTION, AT(frz_scene_material, laws), .section = &laws_section,
     .has = offsetof(frz_scene_material, has_laws),
     .doc = "Which of its properties depend on the temperature, and how."},
    {0}};

static const frz_key keyframe_keys[] = {
    {"time", FRZ_KEY_REAL, AT(frz_scene_keyframe, time), .unit = "s", .min = 0, .max = 1e9, .flags = FRZ_KEY_REQUIRED,
     .doc = "Time of this keyframe; the times increase along the list."},
    {"position", FRZ_KEY_VECTOR, AT(frz_scene_keyframe, position), .unit = "m", .fallback = "[0, 0, 0]",
     .doc = "Displacement from the body's place."},
    {"rotation", FRZ_KEY_TURN, AT(frz_scene_keyframe, rotation), .fallback = "[0, 0, 0]",
     .doc = "Turn about the body's position; angles about one axis count whole turns, so that 720 deg are two of them."},
    {0}};

static const frz_section keyframe_section = {.name = "a keyframe", .doc = "Pose of a body at a time.",
    .size = sizeof(frz_scene_keyframe), .keys = keyframe_keys};

static const frz_key motion_keys[] = {
    {"keyframes", FRZ_KEY_LIST, AT(frz_scene_motion, keyframes),
     .flags = FRZ_KEY_REQUIRED | FRZ_KEY_NOT_EMPTY, .section = &keyframe_section,
     .doc = "Poses at increasing times."},
    {"periodic", FRZ_KEY_BOOL, AT(frz_scene_motion, periodic), .fallback = "false",
     .doc = "Start again after the last keyframe."},
    {"interpolation", FRZ_KEY_WORD, AT(frz_scene_motion, interpolation), .fallback = "linear",
     .words = interpolation_words,
     .doc = "How to move between keyframes; smooth comes to rest at each of them."},
    {0}};

static const frz_section motion_section = {.name = "a motion", .doc = "Prescribed motion of a static body or an attachment.",
    .size = sizeof(frz_scene_motion), .keys = motion_keys, .short_form = "keyframes", .check = frz_check_motion};

static const frz_key hinge_keys[] = {
    {"point", FRZ_KEY_VECTOR, AT(frz_scene_joint, point), .unit = "m", .flags = FRZ_KEY_REQUIRED,
     .doc = "A point of the axis, which stays where it is."},
    {"axis", FRZ_KEY_VECTOR, AT(frz_scene_joint, axis), .fallback = "[0, 0, 1]",
     .flags = FRZ_KEY_ANY_Z | FRZ_KEY_NOT_ZERO, .doc = "Direction of the axis; in 2D always z."},
    {0}};

static const frz_section hinge_section = {.name = "a hinge", .doc = "An axis of the world that a rigid body turns about.",
    .size = sizeof(frz_scene_joint), .keys = hinge_keys, .short_form = "point", .check = frz_check_hinge};

static const frz_key slider_keys[] = {
    {"axis", FRZ_KEY_VECTOR, AT(frz_scene_joint, axis), .flags = FRZ_KEY_REQUIRED | FRZ_KEY_NOT_ZERO,
     .doc = "Direction that the body moves along."},
    {0}};

static const frz_section slider_section = {.name = "a slider",
    .doc = "A rail of the world that a rigid body moves along without turning.",
    .size = sizeof(frz_scene_joint), .keys = slider_keys, .short_form = "axis"};

static const frz_key skin_keys[] = {
    {"mesh", FRZ_KEY_TEXT, AT(frz_scene_skin, mesh), .flags = FRZ_KEY_REQUIRED,
     .doc = "Path relative to the scene's folder (STL, OBJ, PLY); it need not be closed."},
    {"scale", FRZ_KEY_REAL, AT(frz_scene_skin, scale), .fallback = "1", .min = 0, .max = 1e9,
     .flags = FRZ_KEY_ABOVE_MIN, .doc = "Metres per unit of the file."},
    {0}};

static const frz_section skin_section = {.name = "a skin", .doc = "Mesh that the particles of an elastic body carry.",
    .size = sizeof(frz_scene_skin), .keys = skin_keys, .short_form = "mesh"};

static const frz_key rigid_part_keys[] = {
    {"shape", FRZ_KEY_SHAPE, AT(frz_scene_rigid_part, shape), .flags = FRZ_KEY_REQUIRED,
     .doc = "Space that the part fills, placed as the shape of the body is; the elastic body leaves it out."},
    {"density", FRZ_KEY_REAL, AT(frz_scene_rigid_part, density), .unit = "kg/m3", .min = 0, .max = 1e6,
     .flags = FRZ_KEY_ABOVE_MIN, .doc = "Density; that of the body's material if neither it nor mass is given."},
    {"mass", FRZ_KEY_REAL, AT(frz_scene_rigid_part, mass), .unit = "kg", .min = 0, .max = 1e12,
     .flags = FRZ_KEY_ABOVE_MIN, .doc = "Mass, instead of a density; in 2D per metre of depth."},
    {"driven", FRZ_KEY_BOOL, AT(frz_scene_rigid_part, driven), .fallback = "false",
     .doc = "It keeps its velocity and spin whatever acts on it: a motor."},
    {"force", FRZ_KEY_VECTOR, AT(frz_scene_rigid_part, force), .unit = "N", .fallback = "[0, 0, 0]",
     .doc = "Force at its centre of mass, all the time; in 2D per metre of depth."},
    {"torque", FRZ_KEY_SPIN, AT(frz_scene_rigid_part, torque), .unit = "N m", .fallback = "[0, 0, 0]",
     .doc = "Torque on it, all the time; in 2D one number, per metre of depth."},
    {"hinge", FRZ_KEY_SECTION, AT(frz_scene_rigid_part, hinge), .section = &hinge_section,
     .has = offsetof(frz_scene_rigid_part, has_hinge),
     .doc = "It turns about an axis of the world; a point is enough."},
    {"slider", FRZ_KEY_SECTION, AT(frz_scene_rigid_part, slider), .section = &slider_section,
     .has = offsetof(frz_scene_rigid_part, has_slider),
     .doc = "It moves along an axis of the world and does not turn; a direction is enough."},
    {"color", FRZ_KEY_COLOR, AT(frz_scene_rigid_part, color),
     .doc = "Colour in pictures: a name or \"#rrggbb\" (in quotes)."},
    {0}};

static const frz_section rigid_part_section = {.name = "a rigid part",
    .doc = "A part of an elastic body that is rigid and carries the rest. In results it is a rigid body with the name of the "
           "body and _rigid behind it.",
    .size = sizeof(frz_scene_rigid_part), .keys = rigid_part_keys, .check = frz_check_rigid_part};

static const frz_key body_keys[] = {
    {"name", FRZ_KEY_NAME, AT(frz_scene_body, name), .doc = "Unique name; body_<index> if left out."},
    {"shape", FRZ_KEY_SHAPE, AT(frz_scene_body, shape), .flags = FRZ_KEY_REQUIRED, .doc = "Space that the body fills."},
    {"state", FRZ_KEY_WORD, AT(frz_scene_body, state), .flags = FRZ_KEY_REQUIRED, .words = state_words,
     .doc = "What the body is."},
    {"material", FRZ_KEY_NAME, AT(frz_scene_body, material_name),
     .doc = "Name of a material; liquid and elastic bodies need one. A rigid body takes its density from it."},
    {"density", FRZ_KEY_REAL, AT(frz_scene_body, density), .unit = "kg/m3", .min = 0, .max = 1e6,
     .flags = FRZ_KEY_ABOVE_MIN, .doc = "Density of a rigid body; its mass follows from the volume of its shape."},
    {"mass", FRZ_KEY_REAL, AT(frz_scene_body, mass), .unit = "kg", .min = 0, .max = 1e12, .flags = FRZ_KEY_ABOVE_MIN,
     .doc = "Mass of a rigid body, instead of a density; in 2D per metre of depth."},
    {"fill", FRZ_KEY_WORD, AT(frz_scene_body, fill), .fallback = "shape", .words = fill_words,
     .has = offsetof(frz_scene_body, has_fill),
     .doc = "What a rigid body is made of: its exact shape, or particles, which can melt and break. A body that an event can "
            "change is filled with particles unless it says shape. Particles need a material, and may have a density or mass "
            "of their own besides."},
    {"position", FRZ_KEY_VECTOR, AT(frz_scene_body, position), .unit = "m", .fallback = "[0, 0, 0]",
     .doc = "Where the shape's origin is put."},
    {"rotation", FRZ_KEY_ROTATION, AT(frz_scene_body, rotation), .fallback = "[0, 0, 0]",
     .doc = "Turn about the shape's origin: {axis, angle}, or angles about x, then y, then z; in 2D one angle. Bare "
            "numbers are degrees."},
    {"scale", FRZ_KEY_REAL, AT(frz_scene_body, scale), .fallback = "1", .min = 0, .max = 1e6,
     .flags = FRZ_KEY_ABOVE_MIN,
     .doc = "Size relative to the shape as it is written."},
    {"velocity", FRZ_KEY_VECTOR, AT(frz_scene_body, velocity), .unit = "m/s", .fallback = "[0, 0, 0]",
     .doc = "Velocity at the start (not for static bodies; rigid: of the centre of mass)."},
    {"angular_velocity", FRZ_KEY_SPIN, AT(frz_scene_body, angular_velocity), .unit = "rad/s", .fallback = "[0, 0, 0]",
     .doc = "Spin at the start about the body's position (rigid: about its centre of mass or hinge); in 2D one number."},
    {"temperature", FRZ_KEY_REAL, AT(frz_scene_body, temperature), .unit = "K", .min = 0, .max = FRZ_HOTTEST,
     .has = offsetof(frz_scene_body, has_temperature),
     .doc = "Temperature at the start; that of the scene if left out. The surface of a static or shaped rigid body with this "
            "key keeps it, if a material conducts heat; without it such a body insulates."},
    {"heat_flux", FRZ_KEY_REAL, AT(frz_scene_body, heat_flux), .unit = "W/m2", .min = -1e12, .max = 1e12,
     .has = offsetof(frz_scene_body, has_heat_flux),
     .doc = "Heat that a static or shaped rigid body gives to the matter at its surface; below 0 it takes heat."},
    {"heat_transfer", FRZ_KEY_REAL, AT(frz_scene_body, heat_transfer), .unit = "W/(m2 K)", .min = 0, .max = 1e12,
     .flags = FRZ_KEY_ABOVE_MIN, .has = offsetof(frz_scene_body, has_heat_transfer),
     .doc = "Heat transfer coefficient between the temperature of a static or shaped rigid body and the matter at its surface; "
            "without it the surface has that temperature."},
    {"disorder", FRZ_KEY_REAL, AT(frz_scene_body, disorder), .fallback = "0", .min = 0, .max = 0.25,
     .doc = "Particles of a liquid start at random up to this many spacings off their lattice along each axis; 0.1 keeps it "
            "from arriving in layers."},
    {"driven", FRZ_KEY_BOOL, AT(frz_scene_body, driven), .fallback = "false",
     .doc = "The rigid body keeps its velocity and spin whatever acts on it: a motor."},
    {"force", FRZ_KEY_VECTOR, AT(frz_scene_body, force), .unit = "N", .fallback = "[0, 0, 0]",
     .doc = "Force at the centre of mass of a rigid body, all the time; in 2D per metre of depth."},
    {"torque", FRZ_KEY_SPIN, AT(frz_scene_body, torque), .unit = "N m", .fallback = "[0, 0, 0]",
     .doc = "Torque on a rigid body, all the time; in 2D one number, per metre of depth."},
    {"damping", FRZ_KEY_REAL, AT(frz_scene_body, damping), .unit = "1/s", .fallback = "0 1/s", .min = 0, .max = 1e6,
     .doc = "Rate at which the velocity of a rigid body fades."},
    {"angular_damping", FRZ_KEY_REAL, AT(frz_scene_body, angular_damping), .unit = "1/s", .fallback = "0 1/s",
     .min = 0, .max = 1e6, .doc = "Rate at which the spin of a rigid body fades."},
    {"hinge", FRZ_KEY_SECTION, AT(frz_scene_body, hinge), .section = &hinge_section,
     .has = offsetof(frz_scene_body, has_hinge),
     .doc = "The rigid body turns about an axis of the world; a point is enough."},
    {"slider", FRZ_KEY_SECTION, AT(frz_scene_body, slider), .section = &slider_section,
     .has = offsetof(frz_scene_body, has_slider),
     .doc = "The rigid body moves along an axis of the world and does not turn; a direction is enough."},
    {"friction", FRZ_KEY_REAL, AT(frz_scene_body, friction), .fallback = "0.3", .min = 0, .max = 100,
     .doc = "Coulomb friction of the surface of a solid body; two that touch take the geometric mean."},
    {"restitution", FRZ_KEY_REAL, AT(frz_scene_body, restitution), .fallback = "0", .min = 0, .max = 1,
     .doc = "How a static or rigid body bounces; of two that touch the larger one counts."},
    {"sheet", FRZ_KEY_BOOL, AT(frz_scene_body, sheet), .fallback = "false",
     .doc = "An elastic body of one layer of particles, evenly spread half a spacing below the surface of its shape, or in the "
            "middle of a shape thinner than a spacing: curved sheets and hollow skins. It counts as one spacing thick."},
    {"self_contact", FRZ_KEY_BOOL, AT(frz_scene_body, self_contact), .fallback = "true",
     .doc = "Parts of an elastic body that meet touch each other; else they pass through each other, until it breaks into pieces."},
    {"priority", FRZ_KEY_INT, AT(frz_scene_body, priority), .min = -1000000, .max = 1000000,
     .has = offsetof(frz_scene_body, has_priority),
     .doc = "Where bodies overlap, the one with the higher priority keeps the space; 100 for static and rigid, 50 for "
            "elastic, 0 for liquid bodies if left out."},
    {"motion", FRZ_KEY_SECTION, AT(frz_scene_body, motion), .section = &motion_section,
     .has = offsetof(frz_scene_body, has_motion),
     .doc = "Prescribed motion (static bodies)."},
    {"color", FRZ_KEY_COLOR, AT(frz_scene_body, color),
     .doc = "Colour in pictures: a name or \"#rrggbb\" (in quotes)."},
    {"look", FRZ_KEY_WORD, AT(frz_scene_body, look), .fallback = "auto", .words = look_words,
     .doc = "Look in pictures of surfaces; auto takes that of the material."},
    {"visible", FRZ_KEY_WORD, AT(frz_scene_body, visible), .fallback = "auto", .words = visible_words,
     .doc = "How pictures show the body; auto looks into containers."},
    {"skin", FRZ_KEY_SECTION, AT(frz_scene_body, skin), .section = &skin_section,
     .has = offsetof(frz_scene_body, has_skin),
     .doc = "Fine mesh that stands for an elastic body in pictures and exports, placed as the shape is; the shape itself if "
            "left out. A text is the mesh."},
    {"rigid_part", FRZ_KEY_SECTION, AT(frz_scene_body, rigid_part), .section = &rigid_part_section,
     .has = offsetof(frz_scene_body, has_rigid_part),
     .doc = "A part of the elastic body that is rigid: the handle of a rubber mallet, the bone of a finger."},
    {0}};

static const frz_key attachment_keys[] = {
    {"name", FRZ_KEY_NAME, AT(frz_scene_attachment, name), .doc = "Unique name; attachment_<index> if left out."},
    {"shape", FRZ_KEY_SHAPE, AT(frz_scene_attachment, shape),
     .doc = "Particles of elastic bodies that lie in it at the start are held; if left out, those within two spacings of the body "
            "that holds them."},
    {"of", FRZ_KEY_NAME, AT(frz_scene_attachment, of),
     .doc = "Elastic body whose particles are held; of all bodies if left out."},
    {"to", FRZ_KEY_NAME, AT(frz_scene_attachment, to), .doc = "What holds them: world, or the name of a static or rigid body; world if left out."},
    {"motion", FRZ_KEY_SECTION, AT(frz_scene_attachment, motion), .section = &motion_section,
     .has = offsetof(frz_scene_attachment, has_motion),
     .doc = "How the world moves them; not at all if left out."},
    {"pivot", FRZ_KEY_VECTOR, AT(frz_scene_attachment, pivot), .unit = "m", .fallback = "[0, 0, 0]",
     .doc = "Point about which the motion turns them."},
    {"until", FRZ_KEY_REAL, AT(frz_scene_attachment, until), .unit = "s", .min = 0, .max = 1e9,
     .has = offsetof(frz_scene_attachment, has_until), .doc = "When it lets go; never if left out."},
    {0}};

static const frz_section attachment_section = {.name = "an attachment",
    .doc = "A part of elastic bodies that is held.",
    .size = sizeof(frz_scene_attachment), .keys = attachment_keys, .check = frz_check_attachment,
    .auto_name = "attachment", .name_offset = offsetof(frz_scene_attachment, name)};

static const frz_key camera_keyframe_keys[] = {
    {"time", FRZ_KEY_REAL, AT(frz_scene_camera_keyframe, time), .unit = "s", .min = 0, .max = 1e9,
     .flags = FRZ_KEY_REQUIRED, .doc = "Time of this keyframe; the times increase along the list."},
    {"eye", FRZ_KEY_VECTOR, AT(frz_scene_camera_keyframe, eye), .unit = "m", .flags = FRZ_KEY_ANY_Z,
     .has = offsetof(frz_scene_camera_keyframe, has_eye), .doc = "Where the camera is; as before if left out."},
    {"target", FRZ_KEY_VECTOR, AT(frz_scene_camera_keyframe, target), .unit = "m", .flags = FRZ_KEY_ANY_Z,
     .has = offsetof(frz_scene_camera_keyframe, has_target), .doc = "Point that it looks at; as before if left out."},
    {"fov", FRZ_KEY_REAL, AT(frz_scene_camera_keyframe, fov), .unit = "deg", .min = 1, .max = 150,
     .has = offsetof(frz_scene_camera_keyframe, has_fov), .doc = "Vertical angle of view; as before if left out."},
    {0}};

static const frz_section camera_keyframe_section = {.name = "a keyframe of the camera",
    .doc = "View at one time; a smooth curve leads through the keyframes.",
    .size = sizeof(frz_scene_camera_keyframe), .keys = camera_keyframe_keys};

static const frz_key camera_keys[] = {
    {"eye", FRZ_KEY_VECTOR, AT(frz_scene_camera, eye), .unit = "m", .flags = FRZ_KEY_ANY_Z,
     .has = offsetof(frz_scene_camera, has_eye),
     .doc = "Where the camera is; chosen to fit if left out."},
    {"target", FRZ_KEY_VECTOR, AT(frz_scene_camera, target), .unit = "m", .flags = FRZ_KEY_ANY_Z,
     .has = offsetof(frz_scene_camera, has_target),
     .doc = "Point that it looks at; chosen to fit if left out."},
    {"up", FRZ_KEY_VECTOR, AT(frz_scene_camera, up), .fallback = "[0, 1, 0]", .flags = FRZ_KEY_ANY_Z | FRZ_KEY_NOT_ZERO,
     .doc = "Direction that is up in the picture."},
    {"fov", FRZ_KEY_REAL, AT(frz_scene_camera, fov), .unit = "deg", .fallback = "40 deg", .min = 1, .max = 150,
     .has = offsetof(frz_scene_camera, has_fov),
     .doc = "Vertical angle of view; excludes height."},
    {"height", FRZ_KEY_REAL, AT(frz_scene_camera, height), .unit = "m", .min = 0, .max = 1e9,
     .flags = FRZ_KEY_ABOVE_MIN, .has = offsetof(frz_scene_camera, has_height),
     .doc = "Height of the picture in a parallel projection; excludes fov."},
    {"turntable", FRZ_KEY_REAL, AT(frz_scene_camera, turntable), .unit = "deg", .min = -36000, .max = 36000,
     .doc = "Angle by which the camera goes around its target from the first to the last picture."},
    {"follow", FRZ_KEY_NAME, AT(frz_scene_camera, follow),
     .doc = "Body that the camera goes with, at the distance that it has at the start; with an eye and no target it "
            "looks at it."},
    {"keyframes", FRZ_KEY_LIST, AT(frz_scene_camera, keyframes), .section = &camera_keyframe_section,
     .doc = "Views at several times."},
    {0}};

static const frz_section camera_section = {.name = "a camera", .doc = "View of the pictures.",
    .size = sizeof(frz_scene_camera), .keys = camera_keys, .check = frz_check_camera};

static const frz_key coloring_keys[] = {
    {"field", FRZ_KEY_NAME, AT(frz_scene_coloring, field),
     .doc = "Field that colours the particles; chosen by the renderer if left out."},
    {"map", FRZ_KEY_NAME, AT(frz_scene_coloring, map), .doc = "Colour map."},
    {"min", FRZ_KEY_REAL, AT(frz_scene_coloring, min), .has = offsetof(frz_scene_coloring, has_min),
     .doc = "Value of the first colour, in the field's SI unit; the smallest value if left out."},
    {"max", FRZ_KEY_REAL, AT(frz_scene_coloring, max), .has = offsetof(frz_scene_coloring, has_max),
     .doc = "Value of the last colour; the largest value if left out."},
    {0}};

static const frz_section coloring_section = {.name = "a colouring", .doc = "Colours of the particles in pictures.",
    .size = sizeof(frz_scene_coloring), .keys = coloring_keys, .short_form = "field", .check = frz_check_coloring};

static const frz_key image_keys[] = {
    {"width", FRZ_KEY_INT, AT(frz_scene_image, width), .fallback = "1280", .min = 16, .max = 16384, .doc = "Pixels."},
    {"height", FRZ_KEY_INT, AT(frz_scene_image, height), .fallback = "720", .min = 16, .max = 16384, .doc = "Pixels."},
    {0}};

static const frz_section image_section = {.name = "an image", .doc = "Size of the pictures.",
    .size = sizeof(frz_scene_image), .keys = image_keys};

static const frz_key output_keys[] = {
    {"fields", FRZ_KEY_NAMES, AT(frz_scene_output, fields), .has = offsetof(frz_scene_output, has_fields),
     .doc = "Particle fields in the frames; a useful choice if left out."},
    {"checkpoint_every", FRZ_KEY_REAL, AT(frz_scene_output, checkpoint_every), .unit = "s",
     .fallback = "60 s", .min = 0, .max = 1e6,
     .doc = "Wall-clock time between checkpoints while running; 0: only one at the end."},
    {"stats_every", FRZ_KEY_INT, AT(frz_scene_output, stats_every), .fallback = "0", .min = 0, .max = 1000000000,
     .doc = "Steps between two rows of stats.csv; 0: a row with every step, but of short steps no more than 50 in the time of a frame."},
    {"camera", FRZ_KEY_SECTION, AT(frz_scene_output, camera), .section = &camera_section,
     .doc = "View of the pictures."},
    {"color", FRZ_KEY_SECTION, AT(frz_scene_output, color), .section = &coloring_section,
     .doc = "Colours of the particles; a name is the field."},
    {"image", FRZ_KEY_SECTION, AT(frz_scene_output, image), .section = &image_section, .doc = "Size of the pictures."},
    {"foam", FRZ_KEY_REAL, AT(frz_scene_output, foam), .fallback = "0", .min = 0, .max = 10,
     .doc = "White points where clear liquids have taken in air, in pictures of surfaces; 1: about as much as water has, 0: none."},
    {0}};

static const frz_section kernel_section = {.name = "a kernel", .doc = "Smoothing kernel.",
    .size = sizeof(frz_scene_kernel), .keys = kernel_keys, .short_form = "name"};
static const frz_section time_step_section = {.name = "a time step", .doc = "Length of the steps.",
    .size = sizeof(frz_scene_time_step), .keys = time_step_keys, .short_form = "fixed", .check = frz_check_time_step};
static const frz_section domain_section = {.name = "a domain", .doc = "Limits of the simulated space.",
    .size = sizeof(frz_scene_domain), .keys = domain_keys, .check = frz_check_domain};
static const frz_section material_section = {.name = "a material", .doc = "What a liquid is made of.",
    .size = sizeof(frz_scene_material), .keys = material_keys, .name_offset = offsetof(frz_scene_material, name),
    .slots = FRZ_SLOTS_MATERIAL, .slots_offset = offsetof(frz_scene_material, methods),
    .check = frz_check_material};
static const frz_section body_section = {.name = "a body", .doc = "A liquid or a solid in the scene.",
    .size = sizeof(frz_scene_body), .keys = body_keys, .auto_name = "body",
     .name_offset = offsetof(frz_scene_body, name),
    .check = frz_check_body};
static const frz_section output_section = {.name = "an output", .doc = "What is written and how it is shown.",
    .size = sizeof(frz_scene_output), .keys = output_keys};

static const frz_key scene_keys[] = {
    {"title", FRZ_KEY_TEXT, AT(frz_scene, title), .fallback = "", .doc = "Name for people."},
    {"dimension", FRZ_KEY_INT, AT(frz_scene, dimension), .fallback = "3", .min = 2, .max = 3,
     .doc = "2 or 3; in 2D vectors may have two components and shapes are cut at z = 0."},
    {"spacing", FRZ_KEY_REAL, AT(frz_scene, spacing), .unit = "m", .min = 0, .max = 1e6,
     .flags = FRZ_KEY_REQUIRED | FRZ_KEY_ABOVE_MIN,
     .doc = "Distance of neighbouring particles at the start: the resolution."},
    {"kernel", FRZ_KEY_SECTION, AT(frz_scene, kernel), .section = &kernel_section,
     .doc = "Smoothing kernel; a name is enough."},
    {"gravity", FRZ_KEY_VECTOR, AT(frz_scene, gravity), .unit = "m/s2", .fallback = "[0, -9.81, 0]", .doc = "Gravity."},
    {"temperature", FRZ_KEY_REAL, AT(frz_scene, temperature), .unit = "K", .fallback = "293.15 K", .min = 0,
     .max = FRZ_HOTTEST, .has = offsetof(frz_scene, has_temperature),
     .doc = "Temperature of bodies and emitters that give none. Particles have one only if some key of the scene speaks of "
            "it."},
    {"seed", FRZ_KEY_INT, AT(frz_scene, seed), .fallback = "0", .min = 0, .max = 1000000000,
     .doc = "What is at random at the start (disorder of bodies) is the same for the same seed, and different for another."},
    {"duration", FRZ_KEY_REAL, AT(frz_scene, duration), .unit = "s", .min = 0, .max = 1e9,
     .flags = FRZ_KEY_REQUIRED | FRZ_KEY_ABOVE_MIN,
     .doc = "Simulated time."},
    {"frame_rate", FRZ_KEY_REAL, AT(frz_scene, frame_rate), .unit = "1/s",
     .fallback = "50 1/s", .min = 0, .max = 1e9, .flags = FRZ_KEY_ABOVE_MIN,
     .doc = "Frames per second of simulated time."},
    {"time_step", FRZ_KEY_SECTION, AT(frz_scene, time_step), .section = &time_step_section,
     .doc = "Length of the steps; a time is a fixed step."},
    {"domain", FRZ_KEY_SECTION, AT(frz_scene, domain), .section = &domain_section,
     .doc = "Limits of the simulated space."},
    {"materials", FRZ_KEY_MAP, AT(frz_scene, materials), .section = &material_section, .doc = "Materials by name."},
    {"bodies", FRZ_KEY_LIST, AT(frz_scene, bodies), .section = &body_section,
     .doc = "What is in the scene; at least one body or emitter is needed."},
    {"emitters", FRZ_KEY_LIST, AT(frz_scene, emitters), .section = &frz_section_emitter,
     .doc = "Inlets through which liquid comes in."},
    {"regions", FRZ_KEY_LIST, AT(frz_scene, regions), .section = &frz_section_region,
     .doc = "Parts of space that remove, push, heat or cool matter."},
    {"attachments", FRZ_KEY_LIST, AT(frz_scene, attachments), .section = &attachment_section,
     .doc = "Parts of elastic bodies that are held by the world, a static or a rigid body."},
    {"joints", FRZ_KEY_LIST, AT(frz_scene, joints), .section = &frz_section_joint,
     .doc = "Joints between rigid bodies."},
    {"chains", FRZ_KEY_LIST, AT(frz_scene, chains), .section = &frz_section_chain,
     .doc = "Chains of rigid links."},
    {"probes", FRZ_KEY_LIST, AT(frz_scene, probes), .section = &frz_section_probe,
     .doc = "Points where fields are recorded, and surfaces through which flow is counted."},
    {"events", FRZ_KEY_LIST, AT(frz_scene, events), .section = &frz_section_event,
     .doc = "Changes of phase, joins and cuts, at given times or conditions."},
    {"output", FRZ_KEY_SECTION, AT(frz_scene, output), .section = &output_section,
     .doc = "What is written and how it is shown."},
    {0}};

const frz_section frz_section_scene = {.name = "a scene", .doc = "The whole file.", .size = sizeof(frz_scene),
     .keys = scene_keys,
    .slots = FRZ_SLOTS_SCENE, .slots_offset = offsetof(frz_scene, methods), .check = frz_check_scene};

const frz_color_name frz_color_names[] = {
    {"black", 0, 0, 0}, {"white", 255, 255, 255}, {"gray", 128, 128, 128}, {"silver", 192, 192, 192},
    {"red", 220, 50, 47}, {"orange", 230, 126, 34}, {"yellow", 241, 196, 15}, {"green", 39, 174, 96},
    {"cyan", 26, 188, 196}, {"blue", 41, 128, 215}, {"navy", 20, 60, 120}, {"purple", 142, 68, 173},
    {"magenta", 214, 51, 132}, {"pink", 244, 160, 190}, {"brown", 121, 85, 61}, {"beige", 236, 222, 190},
    {0}};
// clang-format on
