// SPDX-License-Identifier: MIT
#include "scene/check_output.h"

#include <stdio.h>
#include <string.h>

#include "particles/store.h"
#include "scene/suggest.h"
#include "sim/model.h"

enum
{
    phrase_size = 400 // bytes of a part of a message
};

/// Names, ending with null.
typedef struct name_table
{
    int count;
    const char *names[FRZ_FIELD_MAX + 2];
} name_table;

static const frz_field_decl core_fields[] = {
#define FRZ_FIELD(name, components, type, unit, flags, doc) {#name, components, unit, flags, doc},
#include "particles/fields.def"
#undef FRZ_FIELD
};

static void add_name(name_table *table, const char *name)
{
    bool known = table->count >= FRZ_FIELD_MAX;
    for (int k = 0; k < table->count; ++k)
        known = known || strcmp(table->names[k], name) == 0;
    if (!known)
        table->names[table->count++] = name;
}

static void add_fields(const frz_choice *choice, unsigned flags, name_table *table)
{
    const frz_field_decl *field = choice->method != NULL ? choice->method->fields : NULL;
    for (; field != NULL && field->name != NULL; ++field)
        if ((field->flags & flags) == flags)
            add_name(table, field->name);
}

/// All fields that particles of the scene will have, with all of the flags.
static name_table fields_of(const frz_scene *scene, unsigned flags)
{
    name_table table = {.count = 0};
    for (int f = 0; f < FRZ_FIELD_CORE_COUNT; ++f)
        if ((core_fields[f].flags & flags) == flags)
            add_name(&table, core_fields[f].name);
    if (frz_scene_has_temperature(scene) && (frz_temperature_table[0].flags & flags) == flags)
        add_name(&table, frz_temperature_table[0].name);
    if (frz_scene_has_heat(scene) && (frz_enthalpy_table[0].flags & flags) == flags)
        add_name(&table, frz_enthalpy_table[0].name);
    if (frz_scene_can_change(scene) && (frz_origin_table[0].flags & flags) == flags)
        add_name(&table, frz_origin_table[0].name);
    if (frz_scene_can_change(scene))
        add_name(&table, core_fields[FRZ_FIELD_ID_phase].name);
    for (int s = 0; s < FRZ_SLOT_COUNT; ++s)
    {
        add_fields(&scene->methods[s], flags, &table);
        for (int m = 0; m < scene->materials.count; ++m)
            add_fields(&scene->materials.items[m].methods[s], flags, &table);
    }
    return table;
}

static bool has_name(const char *const *known, const char *name)
{
    while (*known != NULL && strcmp(*known, name) != 0)
        ++known;
    return *known != NULL;
}

/// Fails unless the name is known. The argument what is "field" or "colour map".
static frz_status need_name(const frz_scene *scene, const char *path, const char *what, const char *name,
                            const char *const *known, frz_diag *diag)
{
    if (has_name(known, name))
        return FRZ_OK;
    char hint[phrase_size], list[phrase_size];
    frz_suggestion suggestion = {.word = name};
    for (int k = 0; known[k] != NULL; ++k)
        frz_suggestion_offer(&suggestion, known[k]);
    return frz_scene_fail(scene, frz_scene_mark_of(scene, path), diag, "there is no %s '%.60s' (known: %s)%s", what,
                          name, frz_words_join(known, " and ", list, sizeof list),
                          frz_suggestion_text(&suggestion, hint, sizeof hint));
}

static frz_status check_color_field(const frz_scene *scene, const name_table *all, frz_diag *diag)
{
    static const char path[] = "output.color.field";
    const char *name = scene->output.color.field;
    if (name == NULL || strcmp(name, "none") == 0)
        return FRZ_OK;
    FRZ_TRY(need_name(scene, path, "field", name, all->names, diag));
    name_table written = {.count = 0};
    if (!scene->output.has_fields)
        written = fields_of(scene, FRZ_FIELD_OUTPUT);
    if (!scene->output.has_fields && scene->events.count > 0)
        add_name(&written, core_fields[FRZ_FIELD_ID_material].name);
    for (int k = 0; k < scene->output.fields.count; ++k)
        add_name(&written, scene->output.fields.items[k]);
    add_name(&written, core_fields[FRZ_FIELD_ID_position].name); // which every frame has
    char list[phrase_size];
    if (!has_name(written.names, name))
        return frz_scene_fail(scene, frz_scene_mark_of(scene, path), diag,
                              "color: the frames will not hold the field '%s', only %s; add it to output.fields", name,
                              frz_words_join(written.names, " and ", list, sizeof list));
    return FRZ_OK;
}

static frz_status check_follow(const frz_scene *scene, frz_diag *diag)
{
    const char *name = scene->output.camera.follow;
    char hint[phrase_size];
    frz_suggestion suggestion = {.word = name};
    for (int b = 0; name != NULL && b < scene->bodies.count; ++b)
    {
        if (strcmp(scene->bodies.items[b].name, name) == 0)
            return FRZ_OK;
        frz_suggestion_offer(&suggestion, scene->bodies.items[b].name);
    }
    if (name == NULL)
        return FRZ_OK;
    return frz_scene_fail(scene, frz_scene_mark_of(scene, "output.camera.follow"), diag,
                          "camera: there is no body '%.60s' to follow%s", name,
                          frz_suggestion_text(&suggestion, hint, sizeof hint));
}

frz_status frz_scene_check_output(const frz_scene *scene, const char *const *maps, frz_diag *diag)
{
    const name_table all = fields_of(scene, 0);
    for (int k = 0; k < scene->output.fields.count; ++k)
    {
        char path[64];
        snprintf(path, sizeof path, "output.fields.%d", k);
        FRZ_TRY(need_name(scene, path, "field", scene->output.fields.items[k], all.names, diag));
    }
    FRZ_TRY(check_color_field(scene, &all, diag));
    FRZ_TRY(check_follow(scene, diag));
    if (scene->output.color.map != NULL)
        FRZ_TRY(need_name(scene, "output.color.map", "colour map", scene->output.color.map, maps, diag));
    return FRZ_OK;
}
