// SPDX-License-Identifier: MIT
// Scenes: from text to checked contents, and queries of them.
#include "scene/scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "scene/embedded.h"
#include "scene/material_library.h"
#include "scene/scene_build.h"
#include "scene/schema.h"
#include "scene/suggest.h"
#include "scene/yaml_tree.h"
#include "sim/model.h"

enum
{
    phrase_size = 400,                          // bytes of a part of a message
    largest_text = 64 * 1024 * 1024,            // bytes
    largest_text_megabytes = largest_text >> 20 // the same for people
};

/// FNV-1a, 64 bits; Fowler, Noll, Vo, http://www.isthe.com/chongo/tech/comp/fnv/
static uint64_t fnv1a(const char *text)
{
    const uint64_t offset_basis = 14695981039346656037u, prime = 1099511628211u;
    uint64_t hash = offset_basis;
    for (const char *c = text; *c != '\0'; ++c)
        hash = (hash ^ (unsigned char)*c) * prime;
    return hash;
}

frz_status frz_scene_build(frz_tree *tree, const char *folder, frz_scene **out, frz_diag *diag)
{
    *out = NULL;
    frz_scene *scene = FRZ_ALLOC("scene", 1, frz_scene);
    if (scene == NULL)
    {
        frz_tree_destroy(&tree);
        return frz_fail_memory(diag, "the scene");
    }
    scene->tree = tree;
    scene->folder = frz_strdup(folder);
    frz_status status = FRZ_OK;
    if (folder != NULL && scene->folder == NULL)
        status = frz_fail_memory(diag, "the scene");
    if (status == FRZ_OK)
        status = frz_material_library_expand(tree, diag);
    if (status == FRZ_OK)
        status = frz_schema_read(tree, scene, diag);
    if (status == FRZ_OK)
    {
        scene->text = frz_tree_emit(tree);
        if (scene->text == NULL)
            status = frz_fail_memory(diag, "the scene's text");
        else
            scene->hash = fnv1a(scene->text);
    }
    if (status != FRZ_OK)
        frz_scene_destroy(&scene);
    *out = scene;
    return status;
}

static frz_status parse_bytes(const char *text, size_t length, const char *name, const char *folder, frz_scene **out,
                              frz_diag *diag)
{
    *out = NULL;
    frz_tree *tree = NULL;
    if (length > largest_text)
        return frz_fail_at(diag, FRZ_ERR_SCENE, name, 0, 0, "expected a scene of at most %d MB, got %zu MB",
                           (int)largest_text_megabytes, length >> 20);
    static const char mark[] = "\xef\xbb\xbf"; // some editors begin UTF-8 with it
    const size_t skipped = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    FRZ_TRY(frz_tree_parse(text + skipped, length - skipped, name, &tree, diag));
    frz_tree_drop(tree, "definitions"); // a place for anchors; aliases are expanded by now
    return frz_scene_build(tree, folder, out, diag);
}

frz_status frz_scene_parse(const char *text, const char *name, const char *folder, frz_scene **out, frz_diag *diag)
{
    if (out == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frz_scene_parse needs a place for the scene, got null");
    *out = NULL;
    if (text == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frz_scene_parse needs a text, got null");
    return parse_bytes(text, strlen(text), name != NULL ? name : "scene", folder, out, diag);
}

frz_status frz_scene_load(const char *path, frz_scene **out, frz_diag *diag)
{
    if (out == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frz_scene_load needs a place for the scene, got null");
    *out = NULL;
    if (path == NULL || path[0] == '\0')
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frz_scene_load needs a path, got none");
    char *text = NULL;
    size_t length = 0;
    FRZ_TRY(frz_scene_file_read(path, largest_text, &text, &length, diag));
    const char *slash = strrchr(path, '/');
    char *folder = NULL;
    if (slash != NULL)
    {
        // "/scene.yaml" lies in "/"
        const size_t folder_length = slash == path ? 1 : (size_t)(slash - path);
        folder = frz_alloc("text", folder_length + 1, 1);
        if (folder == NULL)
        {
            frz_free(text);
            return frz_fail_memory(diag, "the scene");
        }
        memcpy(folder, path, folder_length);
    }
    const frz_status status = parse_bytes(text, length, path, folder, out, diag);
    frz_free(folder);
    frz_free(text);
    return status;
}

frz_status frz_scene_builtin(const char *name, frz_scene **out, frz_diag *diag)
{
    if (out == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frz_scene_builtin needs a place for the scene, got null");
    *out = NULL;
    if (name == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frz_scene_builtin needs a name, got null");
    frz_suggestion suggestion = {.word = name};
    for (const frz_embedded_scene *scene = frz_embedded_scenes; scene->name != NULL; ++scene)
    {
        if (strcmp(scene->name, name) == 0)
            return frz_scene_parse(scene->text, name, NULL, out, diag);
        frz_suggestion_offer(&suggestion, scene->name);
    }
    char hint[phrase_size];
    return frz_fail(diag, FRZ_ERR_ARGUMENT, "there is no builtin scene '%.60s'%s", name,
                    frz_suggestion_text(&suggestion, hint, sizeof hint));
}

static const frz_embedded_scene *builtin_at(int index)
{
    const frz_embedded_scene *scene = frz_embedded_scenes;
    for (int i = 0; i < index && scene->name != NULL; ++i)
        ++scene;
    return index < 0 || scene->name == NULL ? NULL : scene;
}

const char *frz_scene_builtin_name(int index)
{
    const frz_embedded_scene *scene = builtin_at(index);
    return scene != NULL ? scene->name : NULL;
}

const char *frz_scene_builtin_kind(int index)
{
    const frz_embedded_scene *scene = builtin_at(index);
    return scene != NULL ? scene->kind : NULL;
}

void frz_scene_destroy(frz_scene **scene)
{
    if (scene == NULL || *scene == NULL)
        return;
    frz_scene *s = *scene;
    for (int e = 0; e < s->events.count; ++e)
    {
        frz_free(s->events.items[e].target.bodies);
        frz_free(s->events.items[e].when.target.bodies);
    }
    frz_section_clear(&frz_section_scene, s);
    for (int i = 0; i < s->notes.count; ++i)
        frz_free(s->notes.items[i]);
    frz_free((void *)s->notes.items);
    frz_tree_destroy(&s->tree);
    frz_free(s->folder);
    frz_free(s->text);
    FRZ_FREE(*scene);
}

frz_status frz_scene_add_note(frz_scene *scene, const char *note, frz_diag *diag)
{
    frz_name_list *notes = &scene->notes;
    char **grown = frz_realloc("scene", (void *)notes->items, (size_t)notes->count + 1, sizeof *grown);
    if (grown == NULL)
        return frz_fail_memory(diag, "the scene");
    notes->items = grown;
    notes->items[notes->count] = frz_strdup(note);
    if (notes->items[notes->count] == NULL)
        return frz_fail_memory(diag, "the scene");
    notes->count += 1;
    return FRZ_OK;
}

frz_status frz_scene_fail(const frz_scene *scene, frz_mark mark, frz_diag *diag, const char *format, ...)
{
    char sentence[sizeof diag->message];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return frz_tree_fail(scene->tree, mark, diag, "%s", sentence);
}

const char *frz_scene_root(const frz_scene *scene)
{
    return scene->folder != NULL ? scene->folder : "";
}

frz_status frz_scene_allow_files(const char *folder, frz_diag *diag)
{
    return frz_files_allow(folder, diag);
}

bool frz_scene_path(const frz_scene *scene, const char *file, char *text, size_t size)
{
    const bool relative = file[0] != '/' && scene->folder != NULL && scene->folder[0] != '\0';
    const int length = snprintf(text, size, "%s%s%s", relative ? scene->folder : "", relative ? "/" : "", file);
    return length >= 0 && (size_t)length < size;
}

const char *frz_scene_text(const frz_scene *scene)
{
    return scene->text;
}

uint64_t frz_scene_hash(const frz_scene *scene)
{
    return scene->hash;
}

const char *frz_scene_title(const frz_scene *scene)
{
    return scene->title;
}

double frz_scene_duration(const frz_scene *scene)
{
    return scene->duration;
}

double frz_scene_frame_rate(const frz_scene *scene)
{
    return scene->frame_rate;
}

int frz_scene_dimension(const frz_scene *scene)
{
    return scene->dimension;
}

void frz_text_free(char *text)
{
    frz_free(text);
}

bool frz_scene_melts(const frz_scene *scene, int material)
{
    return material >= 0 && scene->materials.items[material].has_melting &&
           scene->materials.items[material].melting.solid != FRZ_FORM_NONE;
}

bool frz_scene_can_change(const frz_scene *scene)
{
    bool can = scene->events.count > 0;
    for (int m = 0; m < scene->materials.count; ++m)
        can = can || frz_scene_melts(scene, m);
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const frz_scene_body *body = &scene->bodies.items[b];
        const bool elastic = body->state == FRZ_SCENE_ELASTIC && body->material >= 0;
        can = can || body->filled ||
              (elastic && scene->materials.items[body->material].methods[FRZ_SLOT_FRACTURE].method != NULL);
    }
    return can;
}

double frz_scene_solid_density(const frz_scene_material *material)
{
    const bool given = material->has_melting && material->melting.has_density;
    return given ? material->melting.density : material->density;
}

bool frz_scene_has_heat(const frz_scene *scene)
{
    bool has = false;
    for (int m = 0; m < scene->materials.count; ++m)
        has = has || scene->materials.items[m].methods[FRZ_SLOT_HEAT].method != NULL;
    return has;
}

bool frz_scene_has_temperature(const frz_scene *scene)
{
    const char *name = frz_temperature_table[0].name;
    bool has = scene->has_temperature || frz_scene_has_heat(scene);
    for (int b = 0; b < scene->bodies.count; ++b)
        has = has || scene->bodies.items[b].has_temperature;
    for (int m = 0; m < scene->materials.count; ++m)
        has = has || scene->materials.items[m].has_laws;
    for (int e = 0; e < scene->emitters.count; ++e)
        has = has || scene->emitters.items[e].has_temperature;
    for (int p = 0; p < scene->probes.count; ++p)
        has = has || (scene->probes.items[p].fields & FRZ_PROBE_TEMPERATURE) != 0;
    for (int e = 0; e < scene->events.count; ++e)
        has = has || (scene->events.items[e].when.probe >= 0 &&
                      scene->events.items[e].when.field == FRZ_SCENE_MEASURE_TEMPERATURE);
    for (int k = 0; k < scene->output.fields.count; ++k)
        has = has || strcmp(scene->output.fields.items[k], name) == 0;
    return has || (scene->output.color.field != NULL && strcmp(scene->output.color.field, name) == 0);
}
