// SPDX-License-Identifier: MIT
// The contents of a checked scene. All numbers are SI, all references are resolved, all shapes are built.
//
// The tables in schema_tables.c say which key fills which member; structs that they fill begin with the mark of the
// place in the text. compile.c turns this into a model.
#pragma once

#include "frazil/scene.h"
#include "base/fail.h"
#include "geom/shape.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "sim/method.h"
#include "sim/thermal.h"

typedef struct frz_tree frz_tree;

/// A place in the scene's text, or in the text of an override.
typedef struct frz_mark
{
    int line, column; ///< 1-based; 0 for values that come from a default
    int source;       ///< index into the tree's names of files and overrides
} frz_mark;

/// A method chosen for a slot: "dfsph", {method: dfsph, parameter: value}, or a bare number for the first parameter of
/// the slot's default method. Optional slots may say "none".
typedef struct frz_choice
{
    frz_mark mark;            ///< zero if the slot's default was taken
    const frz_method *method; ///< null: none
    void *self;               ///< its parameters, owned by the scene; null if it has none
} frz_choice;

typedef struct frz_rgb
{
    bool given; ///< false: the renderer chooses
    unsigned char red, green, blue;
} frz_rgb;

typedef struct frz_name_list
{
    int count;
    char **items;
} frz_name_list;

typedef struct frz_scene_kernel
{
    frz_mark mark;
    char *name;          ///< a name of the kernel table; checked when the scene is compiled
    double support;      ///< support radius / particle spacing; by default that of the methods
    char *bonds;         ///< of the bonds of solid bodies; null: the same
    double bond_support; ///< of these / particle spacing
} frz_scene_kernel;

typedef struct frz_scene_time_step
{
    frz_mark mark;
    double fixed; ///< s; 0: adaptive
    double max;   ///< s; 0: automatic
    double min;   ///< s; a run that needs less has failed
    double cfl;   ///< step / (spacing / largest speed)
} frz_scene_time_step;

typedef struct frz_scene_domain
{
    frz_mark mark;
    bool has_min, has_max;
    frz_vec3 min, max; ///< m; 2D: z is 0
    unsigned periodic; ///< bits 0..2 = x y z; both limits of a periodic axis are given
} frz_scene_domain;

typedef struct frz_scene_melting
{
    frz_mark mark;
    bool has_point, has_solidus, has_liquidus;
    double point, solidus, liquidus; ///< K; the latter two are set in any case
    double latent_heat;              ///< J/kg
    int solid;                       ///< frz_solid_form
    int between;                     ///< frz_scene_between
    double stiffening;               ///< viscosity at the solidus over that at the liquidus
    bool has_density;
    double density; ///< of the solid, kg/m3
} frz_scene_melting;

/// Phase of a material between solidus and liquidus. AUTO: elastic if it has the key.
typedef enum frz_scene_between
{
    FRZ_SCENE_BETWEEN_AUTO,
    FRZ_SCENE_BETWEEN_ELASTIC,
    FRZ_SCENE_BETWEEN_KEEP
} frz_scene_between;

typedef struct frz_scene_factor
{
    frz_mark mark;
    double temperature; ///< K
    double factor;
} frz_scene_factor;

/// How a property depends on the temperature.
typedef struct frz_scene_law
{
    frz_mark mark;
    struct
    {
        int count;
        frz_scene_factor *items;
    } table;
    double activation, reference; ///< K
} frz_scene_law;

typedef struct frz_scene_laws
{
    frz_mark mark;
    frz_scene_law of[FRZ_PROPERTY_COUNT];
} frz_scene_laws;

typedef struct frz_scene_material
{
    frz_mark mark;
    char *name;
    char *from;     ///< always null: the library is expanded before the scene is read
    double density; ///< kg/m3, at rest
    frz_rgb color;
    int look; ///< 0: auto, else 1 + the place in render/looks.def
    bool has_melting;
    frz_scene_melting melting;
    bool has_laws;
    frz_scene_laws laws;
    frz_choice methods[FRZ_SLOT_COUNT]; ///< slots with per_material; the others stay null
} frz_scene_material;

typedef enum frz_scene_state
{
    FRZ_SCENE_LIQUID,
    FRZ_SCENE_STATIC,
    FRZ_SCENE_ELASTIC,
    FRZ_SCENE_RIGID
} frz_scene_state;

/// A turn that may be more than a whole one.
typedef struct frz_scene_turn
{
    frz_quat rotation;
    frz_vec3
        rotation_vector; ///< axis times angle, rad, whole turns included; 0 if written as angles about several axes
} frz_scene_turn;

typedef struct frz_scene_keyframe
{
    frz_mark mark;
    double time;             ///< s, increasing along the list
    frz_vec3 position;       ///< m, displacement from the body's place
    frz_scene_turn rotation; ///< about the body's position
} frz_scene_keyframe;

typedef enum frz_scene_interpolation
{
    FRZ_SCENE_LINEAR,
    FRZ_SCENE_SMOOTH ///< speed is zero at the keyframes
} frz_scene_interpolation;

typedef struct frz_scene_keyframes
{
    int count;
    frz_scene_keyframe *items;
} frz_scene_keyframes;

/// A point x of the body's shape is at position + p(t) + R(t) (x - position).
typedef struct frz_scene_motion
{
    frz_mark mark;
    frz_scene_keyframes keyframes; ///< none: the body does not move
    bool periodic;                 ///< starts again after the last keyframe
    int interpolation;             ///< frz_scene_interpolation
} frz_scene_motion;

typedef enum frz_scene_visible
{
    FRZ_SCENE_VISIBLE_AUTO,
    FRZ_SCENE_VISIBLE,
    FRZ_SCENE_HIDDEN,
    FRZ_SCENE_SEE_THROUGH
} frz_scene_visible;

/// A hinge or a slider between a rigid body and the world.
typedef struct frz_scene_joint
{
    frz_mark mark;
    frz_vec3 point; ///< m; of a hinge
    frz_vec3 axis;
} frz_scene_joint;

/// A finer surface of an elastic body, for pictures and exports.
typedef struct frz_scene_skin
{
    frz_mark mark;
    char *mesh;   ///< path of a mesh file, as written; null: the body's own shape
    double scale; ///< m per unit of the file
} frz_scene_skin;

/// A part of an elastic body that is rigid: becomes a rigid body of its own, which carries the elastic one
/// (schema_parts.c).
typedef struct frz_scene_rigid_part
{
    frz_mark mark;
    frz_shape *shape;       ///< in its place, as that of the body
    double density, mass;   ///< kg/m3, kg; 0 if not given
    frz_vec3 force, torque; ///< N, N m
    bool driven;
    bool has_hinge, has_slider;
    frz_scene_joint hinge, slider;
    frz_rgb color;
} frz_scene_rigid_part;

typedef enum frz_scene_fill
{
    FRZ_SCENE_FILL_SHAPE,    ///< rigid: the exact shape; it cannot change its phase
    FRZ_SCENE_FILL_PARTICLES ///< rigid: filled with particles like an elastic body
} frz_scene_fill;

typedef struct frz_scene_body
{
    frz_mark mark;
    char *name;          ///< unique; body_<index> if the scene gives none
    int state;           ///< frz_scene_state
    char *material_name; ///< null if none
    int material;        ///< index into materials.items, -1 if none
    frz_shape *shape;    ///< in its place: scaled, turned and moved as below
    frz_mark shape_mark;
    frz_vec3 position; ///< m
    frz_quat rotation;
    double scale;
    frz_vec3 velocity;         ///< m/s, at the start
    frz_vec3 angular_velocity; ///< rad/s about position (rigid: the centre of mass), at the start
    bool has_temperature;
    double temperature; ///< K, at the start; of static and shaped rigid bodies all the time
    bool has_heat_flux, has_heat_transfer;
    double heat_flux;                ///< W/m2, into the matter at a static or shaped rigid body
    double heat_transfer;            ///< W/(m2 K), between such a body's temperature and the matter; 0: no resistance
    double disorder;                 ///< liquid: largest random shift at the start along each axis, in spacings
    double density, mass;            ///< kg/m3, kg; rigid, 0 if not given
    frz_vec3 force, torque;          ///< N, N m; rigid, act all the time
    double damping, angular_damping; ///< 1/s; rigid
    bool driven;                     ///< rigid: keeps its velocity and spin
    bool has_hinge, has_slider;
    frz_scene_joint hinge, slider;
    double friction, restitution; ///< static and rigid
    bool self_contact;            ///< elastic: parts of it that meet touch
    bool sheet;                   ///< elastic: one layer of particles along the surface
    bool has_priority;
    int priority; ///< of overlapping bodies the one with the higher priority keeps the space
    bool has_motion;
    frz_scene_motion motion;
    frz_rgb color;
    int visible; ///< frz_scene_visible
    int look;    ///< as that of a material
    bool has_skin;
    frz_scene_skin skin; ///< placed as the shape is
    bool has_rigid_part;
    frz_scene_rigid_part rigid_part;
    int chain; ///< number of the chain that it is a link of, from 1; 0: none
    bool has_fill;
    int fill;    ///< frz_scene_fill
    bool filled; ///< rigid: made of particles, because the scene says so or an event can change it
} frz_scene_body;

enum
{
    FRZ_PROBE_PRESSURE = 1,
    FRZ_PROBE_VELOCITY = 2,
    FRZ_PROBE_DENSITY = 4,
    FRZ_PROBE_FLOW = 8,
    FRZ_PROBE_TEMPERATURE = 16
};

typedef struct frz_scene_interval
{
    frz_mark mark;
    bool has_stop;
    double start, stop; ///< s
} frz_scene_interval;

typedef struct frz_scene_intervals
{
    int count;
    frz_scene_interval *items;
} frz_scene_intervals;

/// When something acts; always if there are no intervals.
typedef struct frz_scene_schedule
{
    frz_mark mark;
    frz_scene_intervals on;
    bool has_period;
    double period; ///< s
} frz_scene_schedule;

/// A disc or a rectangle; in 2D a line.
typedef struct frz_scene_surface
{
    bool has_radius, has_width, has_height;
    double radius, width, height; ///< m
    frz_vec3 up;
} frz_scene_surface;

typedef struct frz_scene_emitter
{
    frz_mark mark;
    char *name; ///< unique, also among the bodies; emitter_<index> if the scene gives none
    char *material_name;
    int material; ///< index into materials.items
    frz_vec3 position, direction;
    frz_scene_surface surface;
    bool has_speed, has_flow_rate;
    double speed;     ///< m/s
    double flow_rate; ///< m3/s; in 2D per metre of depth
    bool has_temperature;
    double temperature; ///< K
    frz_scene_schedule schedule;
    int max_particles; ///< 0: no limit
    double friction;   ///< of material points
    frz_rgb color;
} frz_scene_emitter;

typedef enum frz_scene_action
{
    FRZ_SCENE_KILL,
    FRZ_SCENE_FORCE,
    FRZ_SCENE_HEAT
} frz_scene_action;

typedef struct frz_scene_region
{
    frz_mark mark;
    char *name; ///< unique; region_<index> if the scene gives none
    int action; ///< frz_scene_action
    frz_shape *shape;
    char *material_name; ///< null: all
    int material;        ///< index into materials.items, -1: all
    bool has_acceleration, has_velocity, has_drag;
    frz_vec3 acceleration, velocity;
    double drag; ///< 1/s
    bool has_power, has_temperature, has_rate;
    double power;       ///< W/m3
    double temperature; ///< K
    double rate;        ///< 1/s
    frz_scene_schedule schedule;
} frz_scene_region;

typedef struct frz_scene_probe
{
    frz_mark mark;
    char *name; ///< unique; probe_<index> if the scene gives none
    frz_vec3 position;
    bool has_fields;
    unsigned fields; ///< FRZ_PROBE_ bits
    bool has_normal;
    frz_vec3 normal; ///< of the surface that flow is counted through
    frz_scene_surface surface;
} frz_scene_probe;

/// Of a probe's value: in the order of frz_event_field.
typedef enum frz_scene_measure
{
    FRZ_SCENE_MEASURE_PRESSURE,
    FRZ_SCENE_MEASURE_SPEED,
    FRZ_SCENE_MEASURE_DENSITY,
    FRZ_SCENE_MEASURE_TEMPERATURE,
    FRZ_SCENE_MEASURE_FLOW
} frz_scene_measure;

/// Names of an event, looked up: all of the listed bodies and emitters, or one material.
typedef struct frz_scene_target
{
    int body_count;
    int *bodies;  ///< index into bodies.items, emitters behind them; null: all
    int material; ///< index into materials.items, -1: any
} frz_scene_target;

/// Condition of an event: a value of a probe, or a number of particles in a shape.
typedef struct frz_scene_condition
{
    frz_mark mark;
    char *probe_name;
    int probe; ///< index into probes.items, -1: particles are counted
    bool has_field;
    int field;        ///< frz_scene_measure
    frz_shape *shape; ///< where particles are counted
    frz_name_list of;
    frz_scene_target target;
    bool has_above, has_below;
    double above, below; ///< SI, or a count
} frz_scene_condition;

typedef enum frz_scene_change
{
    FRZ_SCENE_MELT,
    FRZ_SCENE_FREEZE,
    FRZ_SCENE_SOFTEN,
    FRZ_SCENE_HARDEN,
    FRZ_SCENE_JOIN,
    FRZ_SCENE_CUT
} frz_scene_change;

typedef enum frz_scene_solid
{
    FRZ_SCENE_TO_RIGID,
    FRZ_SCENE_TO_ELASTIC
} frz_scene_solid;

typedef struct frz_scene_event
{
    frz_mark mark;
    char *label; ///< unique; event_<index> if the scene gives none
    bool has_at, has_when, has_every, has_until;
    double at;    ///< s; not before
    double every; ///< s; 0: happens once
    double until; ///< s
    frz_scene_condition when;
    int change; ///< frz_scene_change
    int to;     ///< frz_scene_solid, of freezing
    frz_name_list of;
    frz_scene_target target;
    frz_shape *shape;  ///< null: everywhere
    frz_vec3 velocity; ///< m/s, of the shape
    bool whole;        ///< bodies change as a whole
    char *material_name;
    int material; ///< index into materials.items, -1: particles keep theirs
    char *name;   ///< of new bodies; null: the name of the body they came from
    double friction, restitution;
    bool has_friction, has_restitution;
} frz_scene_event;

typedef struct frz_scene_attachment
{
    frz_mark mark;
    char *name;       ///< unique; attachment_<index> if the scene gives none
    frz_shape *shape; ///< null: all particles in contact with the holding body
    char *of;         ///< name of the elastic body; null: of all of them
    char *to;         ///< "world", which null means too, or the name of a body
    bool has_motion;
    frz_scene_motion motion;
    frz_vec3 pivot; ///< m
    bool has_until;
    double until; ///< s
} frz_scene_attachment;

typedef enum frz_scene_joint_type
{
    FRZ_SCENE_JOINT_BALL,
    FRZ_SCENE_JOINT_HINGE,
    FRZ_SCENE_JOINT_SLIDER,
    FRZ_SCENE_JOINT_FIXED,
    FRZ_SCENE_JOINT_GEAR,
    FRZ_SCENE_JOINT_ROPE
} frz_scene_joint_type;

/// Between two bodies, or a body and the world. Joints of chains stand behind those of the text.
typedef struct frz_scene_pair_joint
{
    frz_mark mark;
    char *name; ///< unique; joint_<index> if the scene gives none; null for joints of chains
    int type;   ///< frz_scene_joint_type
    frz_name_list bodies;
    int body[2]; ///< index into bodies.items, -1: the world
    bool has_point, has_to, has_axis, has_length, has_ratio;
    frz_vec3 point, to; ///< m
    frz_vec3 axis;
    double length; ///< m
    double ratio;
    bool collide;
} frz_scene_pair_joint;

/// Its links are bodies behind those of the text.
typedef struct frz_scene_chain
{
    frz_mark mark;
    char *name; ///< unique; chain_<index> if the scene gives none
    frz_name_list bodies;
    frz_vec3 from, to; ///< m
    int links;
    double radius;  ///< m
    double density; ///< kg/m3
    bool has_length;
    double length; ///< m
    double friction;
    double damping; ///< 1/s
    frz_rgb color;
} frz_scene_chain;

typedef struct frz_scene_camera_keyframe
{
    frz_mark mark;
    double time; ///< s
    bool has_eye, has_target, has_fov;
    frz_vec3 eye, target;
    double fov; ///< degrees
} frz_scene_camera_keyframe;

typedef struct frz_scene_camera_keyframes
{
    int count;
    frz_scene_camera_keyframe *items;
} frz_scene_camera_keyframes;

typedef struct frz_scene_camera
{
    frz_mark mark;
    bool has_eye, has_target, has_fov, has_height; ///< missing values are chosen to fit the scene
    frz_vec3 eye, target, up;
    double fov;       ///< degrees, vertical; perspective
    double height;    ///< m, of the picture; parallel projection (excludes fov)
    double turntable; ///< degrees that the camera goes around the target from the first to the last picture
    char *follow;     ///< name of a body that the camera goes with; null: none; checked when the scene is compiled
    frz_scene_camera_keyframes keyframes;
} frz_scene_camera;

typedef struct frz_scene_coloring
{
    frz_mark mark;
    char *field; ///< null: automatic; checked when the scene is compiled
    char *map;   ///< null: automatic
    bool has_min, has_max;
    double min, max; ///< in the field's unit
} frz_scene_coloring;

typedef struct frz_scene_image
{
    frz_mark mark;
    int width, height;
} frz_scene_image;

typedef struct frz_scene_output
{
    frz_mark mark;
    bool has_fields;
    frz_name_list fields;    ///< checked when the scene is compiled
    double checkpoint_every; ///< s of wall-clock time; 0: none
    int stats_every;         ///< steps; 0: by the time of a frame
    frz_scene_camera camera;
    frz_scene_coloring color;
    frz_scene_image image;
    double foam; ///< of clear liquids in path-traced pictures; 0: none, 1: as water has
} frz_scene_output;

typedef struct frz_scene_materials
{
    int count;
    frz_scene_material *items;
} frz_scene_materials;

typedef struct frz_scene_bodies
{
    int count;
    frz_scene_body *items;
} frz_scene_bodies;

typedef struct frz_scene_probes
{
    int count;
    frz_scene_probe *items;
} frz_scene_probes;

typedef struct frz_scene_emitters
{
    int count;
    frz_scene_emitter *items;
} frz_scene_emitters;

typedef struct frz_scene_regions
{
    int count;
    frz_scene_region *items;
} frz_scene_regions;

typedef struct frz_scene_attachments
{
    int count;
    frz_scene_attachment *items;
} frz_scene_attachments;

typedef struct frz_scene_joints
{
    int count;
    frz_scene_pair_joint *items;
} frz_scene_joints;

typedef struct frz_scene_chains
{
    int count;
    frz_scene_chain *items;
} frz_scene_chains;

typedef struct frz_scene_events
{
    int count;
    frz_scene_event *items;
} frz_scene_events;

struct frz_scene
{
    frz_mark mark;
    char *title;
    int dimension;  ///< 2 or 3
    double spacing; ///< m
    frz_scene_kernel kernel;
    frz_vec3 gravity; ///< m/s2
    bool has_temperature;
    double temperature; ///< K, of bodies and emitters that give none
    int seed;           ///< of random numbers at the start
    double duration;    ///< s
    double frame_rate;  ///< 1/s
    frz_scene_time_step time_step;
    frz_choice methods[FRZ_SLOT_COUNT]; ///< scene-wide slots; the per-material ones stay null
    frz_scene_domain domain;
    frz_scene_materials materials;
    frz_scene_bodies bodies;
    frz_scene_emitters emitters;
    frz_scene_regions regions;
    frz_scene_attachments attachments;
    frz_scene_joints joints;
    frz_scene_chains chains;
    frz_scene_probes probes;
    frz_scene_events events;
    frz_scene_output output;

    frz_name_list notes; ///< notes for the user, e.g. repairs of meshes
    frz_tree *tree;      ///< the text as nodes, overrides included
    char *folder;        ///< relative paths start here; null: current folder
    char *text;          ///< canonical YAML
    uint64_t hash;
};

/// Whether any key concerns temperatures: given to the scene, a body or an emitter, measured, a condition of an event,
/// written or shown.
bool frz_scene_has_temperature(const frz_scene *scene);
/// Whether a material conducts heat.
bool frz_scene_has_heat(const frz_scene *scene);
/// Density of the material where it is solid, kg/m3.
double frz_scene_solid_density(const frz_scene_material *material);
/// Whether heat changes the phase of a material.
bool frz_scene_melts(const frz_scene *scene, int material);
/// Can particles change their phase while it runs?
bool frz_scene_can_change(const frz_scene *scene);

/// Fail at a place of the scene's text: fills in file, line and column. Returns FRZ_ERR_SCENE.
frz_status frz_scene_fail(const frz_scene *scene, frz_mark mark, frz_diag *diag, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// The folder below which files must lie that the scene names; "" is the current one.
const char *frz_scene_root(const frz_scene *scene);
/// Full path of a file that the scene names, in text of size bytes; false if it does not fit.
bool frz_scene_path(const frz_scene *scene, const char *file, char *text, size_t size);

/// Position in the text of the value of a dotted path (as in frz_scene_set); if it is missing, of its nearest parent.
frz_mark frz_scene_mark_of(const frz_scene *scene, const char *path);
