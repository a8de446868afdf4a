// SPDX-License-Identifier: MIT
// Scenes: the description of a simulation, parsed and checked.
#pragma once

#include "frazil/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct frz_scene frz_scene;

/// Allow scenes to name files below this folder; by default they may only name files below their own folder. The
/// permission holds for the whole process; give it before loading scenes.
FRZ_API FRZ_NODISCARD frz_status frz_scene_allow_files(const char *folder, frz_diag *diag);

/// Read and check a scene file (YAML 1.2, so JSON too). Relative mesh paths are relative to the file's folder.
/// Owner: the caller destroys the scene. Thread: any, one scene per thread.
FRZ_API FRZ_NODISCARD frz_status frz_scene_load(const char *path, frz_scene **out, frz_diag *diag);

/// The same from text. name stands for the file in messages; folder resolves relative paths (null: current folder).
FRZ_API FRZ_NODISCARD frz_status frz_scene_parse(const char *text, const char *name, const char *folder,
                                                 frz_scene **out, frz_diag *diag);

/// A scene that comes with the program (see frz_scene_builtin_name).
FRZ_API FRZ_NODISCARD frz_status frz_scene_builtin(const char *name, frz_scene **out, frz_diag *diag);

/// Materials of the library, which a material of a scene takes its values from (`from: paraffin_wax`): name, meaning,
/// source of the values and keys as YAML. Null past the last one. Owner: static.
FRZ_API const char *frz_material_name(int index);
FRZ_API const char *frz_material_doc(int index);
FRZ_API const char *frz_material_source(int index);
FRZ_API const char *frz_material_text(int index);

/// Name of the builtin scene number index, or null past the last one. Owner: static.
FRZ_API const char *frz_scene_builtin_name(int index);
/// Its purpose: "show", "benchmark" or "validation". Owner: static.
FRZ_API const char *frz_scene_builtin_kind(int index);

/// Override one key, as if the file said so: path is dotted, with list positions or names as numbers or keys, e.g.
/// "spacing", "materials.water.density", "bodies.0.velocity"; value is YAML. The scene is checked again as a whole; on
/// failure it stays as it was.
FRZ_API FRZ_NODISCARD frz_status frz_scene_set(frz_scene *scene, const char *path, const char *value, frz_diag *diag);

/// The complete scene as YAML text, overrides included; parsing it gives the same scene. Owner: the scene.
FRZ_API const char *frz_scene_text(const frz_scene *scene);

/// Hash of the meaning of the text above (overrides included). Two runs with the same hash are the same simulation.
FRZ_API uint64_t frz_scene_hash(const frz_scene *scene);

FRZ_API const char *frz_scene_title(const frz_scene *scene);
FRZ_API double frz_scene_duration(const frz_scene *scene);
FRZ_API double frz_scene_frame_rate(const frz_scene *scene);
FRZ_API int frz_scene_dimension(const frz_scene *scene);

/// Accepts null, leaves null.
FRZ_API void frz_scene_destroy(frz_scene **scene);

/// JSON Schema (draft 2020-12) of the scene language, for editors. Owner: the caller frees with frz_text_free.
FRZ_API char *frz_schema_json(void);
/// Reference page of the scene keys, and of the methods, as Markdown. Owner: the caller frees with frz_text_free.
FRZ_API char *frz_schema_markdown(void);
FRZ_API char *frz_methods_markdown(void);
/// The table of methods as JSON. Owner: the caller frees with frz_text_free.
FRZ_API char *frz_methods_json(void);

/// Free a text that a frz_ function gave away. Accepts null.
FRZ_API void frz_text_free(char *text);

#ifdef __cplusplus
}
#endif
