// SPDX-License-Identifier: MIT
// Shared by the files that compile a scene.
#pragma once

#include "geom/sampling.h"
#include "scene/compile.h"

/// Where warnings go.
typedef struct frz_warning_sink
{
    frz_log_fn *log; ///< may be null
    void *user;
} frz_warning_sink;

void frz_warn(const frz_warning_sink *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// The part of the world in which static bodies are sampled: the domain, or the scene's extent with a margin.
frz_bounds frz_compile_clip(const frz_scene *scene, const frz_model *model);

/// The part of the world in which a body is sampled: rigid bodies whole, for they move, static ones in clip, as above.
frz_bounds frz_compile_body_clip(const frz_scene *scene, const frz_model *model, int body, frz_bounds clip);

/// The same for a shape that is sampled whole.
frz_bounds frz_compile_shape_clip(const frz_model *model, const frz_shape *shape);

/// Whether a body has nothing in clip, as above.
bool frz_compile_is_outside(const frz_scene *scene, int body, frz_bounds clip);

/// Warn of meshes so large that they must be in millimetres; before sampling, which may take long because of it.
void frz_compile_warn_units(const frz_scene *scene, const frz_warning_sink *to);
/// Addition to a message about the size of a body: empty, or that its mesh may be in millimetres.
const char *frz_compile_unit_hint(const frz_scene *scene, int body);

/// Refuse a run of more frames than can be counted.
FRZ_NODISCARD frz_status frz_compile_check_frames(const frz_scene *scene, frz_diag *diag);
/// Refuse bodies so far from the origin that numbers are too coarse there, and warn before that.
FRZ_NODISCARD frz_status frz_compile_check_places(const frz_scene *scene, const frz_warning_sink *to, frz_diag *diag);
/// Refuse bodies and emitters so fast that no time step is short enough.
FRZ_NODISCARD frz_status frz_compile_check_speeds(const frz_scene *scene, frz_diag *diag);
/// A scene may not ask for more particles than an index holds.
#define FRZ_MOST_PARTICLES 2.0e9
/// Coordinates (m) beyond this belong to unbounded shapes such as half spaces.
#define FRZ_ENDLESS 1.0e30

/// Refuse unbounded bodies, bodies with too many particles, and scenes that do not fit into the memory of the machine;
/// logs a note if sampling takes long.
FRZ_NODISCARD frz_status frz_compile_check_sizes(const frz_scene *scene, const frz_model *model,
                                                 const frz_warning_sink *to, frz_diag *diag);
/// Refuse a scene in which nothing can move, and say why that is so.
FRZ_NODISCARD frz_status frz_compile_check_empty(const frz_scene *scene, const frz_model *model, const frz_state *state,
                                                 frz_diag *diag);

/// Remove samples that lie in a body of higher priority; counts them in the model.
FRZ_NODISCARD frz_status frz_compile_carve(const frz_scene *scene, frz_model *model, frz_point_set *sets,
                                           frz_diag *diag);

/// Emitters with their bodies, regions, and the surfaces of probes. Bodies and probes must be there.
FRZ_NODISCARD frz_status frz_compile_sources(const frz_scene *scene, frz_model *model, frz_diag *diag);

/// Events. Bodies, emitters and probes must be there.
FRZ_NODISCARD frz_status frz_compile_events(const frz_scene *scene, frz_model *model, frz_diag *diag);

/// Warnings about events.
void frz_compile_warn_events(const frz_model *model, const frz_warning_sink *to);

/// A rigid body of the given density (0: of the scene's mass) with these moments; its position is its centre of mass.
FRZ_NODISCARD frz_status frz_compile_rigid(const frz_scene *scene, int body, const frz_moments *moments, double density,
                                           frz_model *model, frz_diag *diag);

/// Mass, centre and inertia of rigid bodies of particles, once these are known.
FRZ_NODISCARD frz_status frz_compile_fill(const frz_scene *scene, frz_model *model, const frz_point_set *sets,
                                          frz_diag *diag);

/// Of the particles of a body that is filled with as many.
frz_real frz_compile_inverse_density(const frz_scene *scene, const frz_model *model, int body, int64_t count);

/// Whether nothing within the bounds is in the domain.
bool frz_compile_is_beyond(const frz_model *model, frz_bounds bounds);

/// Keyframes of a motion.
FRZ_NODISCARD frz_status frz_compile_motion(const frz_scene_motion *from, frz_motion *to, frz_diag *diag);

/// Attachments, and whether elastic bodies have a method. Bodies and methods must be there.
FRZ_NODISCARD frz_status frz_compile_solids(const frz_scene *scene, frz_model *model, frz_diag *diag);

/// Refuse a fixed time step at which an explicit elastic method is unstable.
FRZ_NODISCARD frz_status frz_compile_check_step(const frz_scene *scene, const frz_model *model, const frz_state *state,
                                                frz_diag *diag);

/// Warn of probable mistakes in emitters, regions and surfaces.
void frz_compile_warn_sources(const frz_model *model, const frz_warning_sink *to);

/// Where attachments end within the bodies that they hold, once these have their particles.
void frz_compile_faces(frz_model *model, const frz_state *state);

/// Surfaces of bodies for contacts, if there are rigid bodies; sets are their samples.
FRZ_NODISCARD frz_status frz_compile_contacts(const frz_scene *scene, const frz_model *model, const frz_point_set *sets,
                                              frz_state *state, frz_diag *diag);
/// Bodies that start inside each other. Fails if memory runs short.
FRZ_NODISCARD frz_status frz_compile_warn_contacts(const frz_scene *scene, const frz_model *model, frz_state *state,
                                                   const frz_warning_sink *to, frz_diag *diag);

/// Joints between bodies. Bodies must be there.
FRZ_NODISCARD frz_status frz_compile_joints(const frz_scene *scene, frz_model *model, frz_diag *diag);
/// Warn of joints outside of their bodies.
void frz_compile_warn_joints(const frz_scene *scene, const frz_warning_sink *to);

/// Warn of attachments that hold no particles.
void frz_compile_warn_solids(const frz_model *model, const frz_state *state, const frz_warning_sink *to);

/// Say everything that is suspicious.
FRZ_NODISCARD frz_status frz_compile_warn(const frz_scene *scene, const frz_model *model, frz_state *state,
                                          frz_log_fn *log, void *log_user, frz_diag *diag);
