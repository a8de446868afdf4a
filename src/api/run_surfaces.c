// SPDX-License-Identifier: MIT
// Surfaces of the particles of a run: which particle belongs to which mesh, volumes, walls.
#include "api/run_surfaces.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/render_run_looks.h"
#include "api/run_reading.h"
#include "base/memory.h"
#include "geom/point_hash.h"
#include "particles/matter.h"
#include "scene/suggest.h"

enum
{
    first_body_key = 1 << 16, // keys of groups: materials below, bodies from here on
    no_group = -1,
    phrase_size = 400
};

static const double joined =
    5.0;                         // spacings that a melt goes on into the solid beside it: its end and that of the solid
                                 // are round for two and a half each
static const double above = 0.1; // spacings that a clear liquid lies above the surface of another that it goes on over
static const float least_volume = 0.5f, most_volume = 4.0f; // spacings^d; a lone particle has about 3

// ---- preparing

static frz_status find_method(const char *name, const frz_iso_method **out, frz_diag *diag)
{
    *out = frz_iso_method_find(name);
    if (*out != NULL)
        return FRZ_OK;
    char all[phrase_size], hint[phrase_size];
    frz_suggestion suggestion = {.word = name};
    const char *const *names = frz_iso_method_names();
    for (int k = 0; names[k] != NULL; ++k)
        frz_suggestion_offer(&suggestion, names[k]);
    return frz_fail(diag, FRZ_ERR_ARGUMENT, "unknown method of surfaces '%.60s'; known are %s%s", name,
                    frz_words_join(names, " and ", all, sizeof all),
                    frz_suggestion_text(&suggestion, hint, sizeof hint));
}

static bool is_wall(const frz_scene_body *body)
{
    return (body->state == FRZ_SCENE_STATIC || body->state == FRZ_SCENE_RIGID) && !body->filled && body->shape != NULL;
}

/// The look of the liquid of a material.
static const frz_look *look_of(const frz_scene *scene, int material)
{
    frz_render_mesh mesh = {.mesh = NULL};
    frz_drawn_look(scene, frz_drawn_liquid_body(scene, material), material, &mesh);
    return mesh.look;
}

/// Whether one looks into the liquid of a material.
static bool is_clear(const frz_scene *scene, int material)
{
    return look_of(scene, material)->kind == FRZ_LOOK_CLEAR;
}

/// Whether a liquid of a material can be drawn in one mesh with others: it has a colour, and is shown as usual.
static bool is_plain(const frz_scene *scene, int material)
{
    bool plain = scene->materials.items[material].color.given && !is_clear(scene, material);
    for (int b = 0; b < scene->bodies.count; ++b)
        if (scene->bodies.items[b].material == material && scene->bodies.items[b].state == FRZ_SCENE_LIQUID)
            plain = plain && scene->bodies.items[b].visible == FRZ_SCENE_VISIBLE_AUTO;
    return plain;
}

void frz_run_surfaces_show(frz_run_surfaces *surfaces)
{
    const frz_scene *scene = surfaces->scene;
    surfaces->shown = true;
    for (int m = 0; m < scene->materials.count; ++m)
        for (int first = m; first-- > 0;)
            if (is_plain(scene, m) && is_plain(scene, first) && look_of(scene, m) == look_of(scene, first))
                surfaces->alike[m] = first;
}

frz_status frz_run_surfaces_create(const frz_scene *scene, const char *directory, const frz_run_skins *skins,
                                   const frz_surface_options *options, frz_run_surfaces *out, frz_diag *diag)
{
    *out = (frz_run_surfaces){.scene = scene, .skins = skins, .options = *options};
    if (options->field_count < 0 || options->field_count > FRZ_ISO_FIELDS_MOST)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "vertices can carry %d fields, not %d", FRZ_ISO_FIELDS_MOST,
                        options->field_count);
    FRZ_TRY(find_method(options->method, &out->method, diag));
    out->alike = FRZ_ALLOC("surface groups", scene->materials.count + 1, int);
    if (out->alike == NULL)
        return frz_fail_memory(diag, "the surfaces of a run");
    for (int m = 0; m < scene->materials.count; ++m)
        out->alike[m] = m;
    if (options->walls_open)
        return FRZ_OK;
    out->poses = FRZ_ALLOC("walls", scene->bodies.count + 1, frz_run_pose);
    out->walls = FRZ_ALLOC("walls", scene->bodies.count + 1, frz_surface_wall);
    frz_status status =
        out->poses == NULL || out->walls == NULL ? frz_fail_memory(diag, "the walls of a surface") : FRZ_OK;
    for (int b = 0; b < scene->bodies.count && status == FRZ_OK; ++b)
        if (is_wall(&scene->bodies.items[b]))
        {
            out->walls[out->wall_count].shape = scene->bodies.items[b].shape;
            status = frz_run_pose_create(directory, &scene->bodies.items[b], &out->poses[out->wall_count++], diag);
        }
    if (status != FRZ_OK)
        frz_run_surfaces_destroy(out);
    return status;
}

void frz_run_surfaces_destroy(frz_run_surfaces *surfaces)
{
    for (int w = 0; w < surfaces->wall_count && surfaces->poses != NULL; ++w)
        frz_run_pose_destroy(&surfaces->poses[w]);
    frz_free(surfaces->poses);
    frz_free(surfaces->walls);
    frz_free(surfaces->alike);
    *surfaces = (frz_run_surfaces){.scene = NULL};
}

// ---- whose particle is which

typedef struct labels
{
    const frz_run_surfaces *surfaces;
    const frz_array_desc *body, *phase, *origin, *material;
} labels;

static int material_of(const labels *l, int64_t row)
{
    const frz_scene *scene = l->surfaces->scene;
    if (l->material != NULL)
        return (int)frz_array_value(l->material, row, 0);
    const frz_array_desc *from = l->origin != NULL ? l->origin : l->body;
    const int body = from != NULL ? (int)frz_array_value(from, row, 0) : -1;
    if (body >= 0 && body < scene->bodies.count)
        return scene->bodies.items[body].material;
    const int emitter = body - scene->bodies.count;
    return emitter >= 0 && emitter < scene->emitters.count ? scene->emitters.items[emitter].material : 0;
}

static bool is_liquid(const labels *l, int64_t row, int body)
{
    const frz_scene *scene = l->surfaces->scene;
    if (l->phase != NULL)
        return (int)frz_array_value(l->phase, row, 0) == FRZ_PHASE_LIQUID;
    return body < 0 || body >= scene->bodies.count || scene->bodies.items[body].state == FRZ_SCENE_LIQUID;
}

/// The mesh that a particle belongs to.
static int key_of(const labels *l, int64_t row)
{
    const int body = l->body != NULL ? (int)frz_array_value(l->body, row, 0) : -1;
    if (is_liquid(l, row, body))
    {
        const int material = material_of(l, row);
        return l->surfaces->options.merge || material < 0 ? 0 : l->surfaces->alike[material];
    }
    const frz_run_skins *skins = l->surfaces->skins;
    const bool skinned = skins != NULL && frz_run_skins_covers(skins, body);
    return skinned || body < 0 ? no_group : first_body_key + body;
}

/// A name as part of a file's name.
static void set_name(frz_frame_surface *out, const char *before, const char *name)
{
    snprintf(out->name, sizeof out->name, "%s%s", before, name);
    for (char *c = out->name; *c != '\0'; ++c)
        *c = *c == '/' ? '_' : *c;
}

/// first: the row of one of its particles.
static void name_group(const labels *l, int64_t first, int key, frz_frame_surface *out)
{
    const frz_run_surfaces *s = l->surfaces;
    const frz_scene *scene = s->scene;
    out->body = key >= first_body_key ? key - first_body_key : -1;
    out->material = out->body < 0 && !s->options.merge ? material_of(l, first) : -1;
    out->origin = out->body;
    if (out->body >= 0 && out->body < scene->bodies.count)
    {
        out->material = scene->bodies.items[out->body].material;
        set_name(out, "", scene->bodies.items[out->body].name);
        return;
    }
    if (out->body >= 0) // created during the run
    {
        out->material = material_of(l, first);
        out->origin = l->origin != NULL ? (int)frz_array_value(l->origin, first, 0) : -1;
        snprintf(out->name, sizeof out->name, "body_%d", out->body);
        return;
    }
    const char *name = s->options.merge || key >= scene->materials.count ? "liquid" : scene->materials.items[key].name;
    bool taken = false; // by a body that has a file of its own
    for (int b = 0; b < scene->bodies.count; ++b)
        taken = taken ||
                (scene->bodies.items[b].state != FRZ_SCENE_LIQUID && strcmp(scene->bodies.items[b].name, name) == 0);
    set_name(out, taken ? "liquid_" : "", name);
}

static int compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/// Keys of all particles, and the different ones in ascending order; -1 when memory is short.
static int find_keys(const labels *l, const frz_frame *frame, int *keys, int **groups)
{
    int count = 0;
    int64_t room = 0;
    *groups = NULL;
    for (int64_t i = 0; i < frame->count; ++i)
    {
        keys[i] = key_of(l, i);
        if (keys[i] == no_group || (i > 0 && keys[i] == keys[i - 1]))
            continue;
        bool known = false;
        for (int g = 0; g < count && !known; ++g)
            known = (*groups)[g] == keys[i];
        if (known)
            continue;
        if (count >= room)
        {
            int *grown = frz_realloc("surface groups", *groups, (size_t)(2 * room + 16), sizeof **groups);
            if (grown == NULL)
                return -1;
            *groups = grown;
            room = 2 * room + 16;
        }
        (*groups)[count++] = keys[i];
    }
    if (count > 0)
        qsort(*groups, (size_t)count, sizeof **groups, compare_ints);
    return count;
}

// ---- one mesh

/// Volumes from the density of the frame; false: it has none, or it is not known yet.
static bool find_volumes(const frz_run_surfaces *s, const labels *l, const frz_frame *frame, const int *rows, int count,
                         float *volumes)
{
    const frz_array_desc *density = frz_frame_field(frame, "density");
    for (int e = 0; e < count && density != NULL; ++e)
    {
        const int material = material_of(l, rows[e]);
        const double rho = frz_array_value(density, rows[e], 0);
        if (!(rho > 0.0) || material < 0 || material >= s->scene->materials.count)
            return false;
        const float volume = (float)(s->scene->materials.items[material].density / rho);
        volumes[e] = fminf(fmaxf(volume, least_volume), most_volume);
    }
    return density != NULL;
}

/// Whether the particles of a group differ in colour.
static bool is_motley(const frz_array_desc *tint, const int *rows, int count)
{
    for (int e = 1; e < count; ++e)
        for (int c = 0; c < tint->components; ++c)
            if (frz_array_value(tint, rows[e], c) != frz_array_value(tint, rows[0], c))
                return true;
    return false;
}

static frz_status find_fields(const frz_run_surfaces *s, const frz_frame *frame, frz_iso_def *def, frz_diag *diag)
{
    for (int f = 0; f < s->options.field_count; ++f)
    {
        const frz_array_desc *array = frz_frame_field(frame, s->options.fields[f]);
        if (array == NULL || array->components > 3)
            return frz_fail(diag, FRZ_ERR_ARGUMENT,
                            "frame %d has no field '%.60s' that vertices could carry; add it to output.fields of the "
                            "scene and run it again",
                            frame->index, s->options.fields[f]);
        def->fields[f] = array;
    }
    def->field_count = s->options.field_count;
    return FRZ_OK;
}

frz_iso_def frz_run_surfaces_def(const frz_run_surfaces *surfaces, const frz_frame *frame)
{
    const frz_scene *scene = surfaces->scene;
    frz_iso_def def = frz_iso_def_default();
    def.dimension = scene->dimension;
    def.spacing = scene->spacing;
    def.method = surfaces->method;
    def.cell = surfaces->options.cell;
    def.smoothing = surfaces->options.smoothing;
    def.decimate = surfaces->options.decimate;
    def.origin = scene->domain.has_min ? scene->domain.min : frz_v3(0.0, 0.0, 0.0);
    def.periodic = scene->domain.periodic;
    def.domain = (frz_bounds){scene->domain.min, scene->domain.max};
    def.walls = surfaces->walls;
    def.wall_count = surfaces->wall_count;
    def.position = &frame->position;
    def.velocity = frz_frame_field(frame, "velocity");
    return def;
}

/// Rows of a group, ascending, and how many; with those that are marked as joining it.
static int list_rows(const int *keys, int key, int64_t count, const unsigned char *joining, int *rows)
{
    int next = 0;
    for (int i = 0; i < count; ++i)
        if (keys[i] == key || (joining != NULL && joining[i]))
            rows[next++] = i;
    return next;
}

static frz_vec3 place_of(const frz_frame *frame, int64_t row)
{
    return frz_v3(frz_array_value(&frame->position, row, 0), frz_array_value(&frame->position, row, 1),
                  frame->position.components > 2 ? frz_array_value(&frame->position, row, 2) : 0.0);
}

/// The mesh of the liquid that a particle is or would be.
static int mesh_of(const labels *l, int64_t row)
{
    const int material = material_of(l, row);
    return material >= 0 && material < l->surfaces->scene->materials.count ? l->surfaces->alike[material] : -1;
}

/// Mark the solid particles of a liquid's own material that touch it: its surface goes on over them, and no groove is
/// seen between a body and its melt. rows: those of the liquid.
static frz_status mark_joining(const frz_run_surfaces *s, const labels *l, const frz_frame *frame, const int *rows,
                               int count, unsigned char *joining, frz_diag *diag)
{
    const double reach = joined * s->scene->spacing;
    const int liquid = mesh_of(l, rows[0]);
    frz_point_hash hash = {0};
    frz_vec3 *places = FRZ_ALLOC("surface particles", count + 1, frz_vec3);
    frz_status status = places == NULL ? frz_fail_memory(diag, "the particles of a surface") : FRZ_OK;
    if (status == FRZ_OK)
        status = frz_point_hash_create(&hash, count, reach, diag);
    for (int e = 0; e < count && status == FRZ_OK; ++e)
    {
        places[e] = place_of(frame, rows[e]);
        frz_point_hash_insert(&hash, places, e);
    }
    for (int64_t i = 0; i < frame->count && status == FRZ_OK; ++i)
    {
        const int body = l->body != NULL ? (int)frz_array_value(l->body, i, 0) : -1;
        joining[i] = !is_liquid(l, i, body) && mesh_of(l, i) == liquid &&
                     frz_point_hash_any(&hash, places, place_of(frame, i), reach);
    }
    frz_point_hash_destroy(&hash);
    frz_free(places);
    return status;
}

/// Whether a frame has solid particles that would be in the mesh of a liquid if they melted.
static bool has_solid(const labels *l, const frz_frame *frame, int liquid)
{
    for (int64_t i = 0; i < frame->count && l->phase != NULL; ++i)
        if (!is_liquid(l, i, -1) && mesh_of(l, i) == liquid)
            return true;
    return false;
}

/// Whether a clear liquid gives way to another where their meshes overlap: the one of higher priority counts, of equal
/// ones the first (frz_path_medium).
static bool yields(const frz_run_surfaces *s, int key, int other)
{
    if (other < 0 || other >= first_body_key || other == key || !is_clear(s->scene, other))
        return false;
    const int mine = look_of(s->scene, key)->priority, its = look_of(s->scene, other)->priority;
    return its > mine || (its == mine && other < key);
}

/// Mark the particles of clear liquids that this one yields to. Its mesh goes on over them: where two surfaces end at
/// each other both are round, and in the groove between them one would see air.
static bool mark_nested(const frz_run_surfaces *s, const frz_frame *frame, const int *keys, int key, float *nested)
{
    bool any = false;
    int last = no_group;
    bool last_yields = false;
    for (int64_t i = 0; i < frame->count; ++i)
    {
        if (keys[i] != last)
            last_yields = yields(s, key, keys[i]);
        last = keys[i];
        nested[i] = last_yields ? 1.0f : 0.0f;
        any = any || last_yields;
    }
    return any;
}

/// The particles of a group and those that its surface goes on over. Owner: the caller.
static frz_status find_rows(const frz_run_surfaces *s, const labels *l, const frz_frame *frame, const int *keys,
                            int key, bool clear, const float *nested, int **rows, int *count, frz_diag *diag)
{
    *rows = FRZ_ALLOC("surface particles", frame->count + 1, int);
    if (*rows == NULL)
        return frz_fail_memory(diag, "the particles of a surface");
    if (nested != NULL)
    {
        *count = 0;
        for (int i = 0; i < frame->count; ++i)
            if (keys[i] == key || nested[i] > 0.0f)
                (*rows)[(*count)++] = i;
        return FRZ_OK;
    }
    *count = list_rows(keys, key, frame->count, NULL, *rows);
    if (key >= first_body_key || clear || s->options.merge || !has_solid(l, frame, key))
        return FRZ_OK;
    unsigned char *joining = FRZ_ALLOC("surface particles", frame->count + 1, unsigned char);
    if (joining == NULL)
        return frz_fail_memory(diag, "the particles of a surface");
    const frz_status status = mark_joining(s, l, frame, *rows, *count, joining, diag);
    *count = list_rows(keys, key, frame->count, joining, *rows);
    frz_free(joining);
    return status;
}

/// Put the vertices of a liquid that lie over others above their surface, and forget the field that tells which ones do
/// (the last). Surfaces that crossed would be met in one place, and a path would miss one of them. Drops of the others
/// are their own.
static void lift_nested(const frz_run_surfaces *s, const float *nested, frz_surface_mesh *mesh)
{
    const int values = mesh->value_count, kept = values - 1;
    for (int64_t v = 0; v < mesh->mesh->vertex_count; ++v)
    {
        const double share = (double)mesh->values[v * values + kept];
        if (!mesh->walls[v])
            mesh->mesh->vertices[v] =
                frz_v3_mad(mesh->mesh->vertices[v], above * share * s->scene->spacing, mesh->normals[v]);
        memmove(mesh->values + v * kept, mesh->values + v * values, (size_t)kept * sizeof *mesh->values);
    }
    mesh->value_count = kept;
    int64_t own = 0;
    for (int64_t k = 0; k < mesh->spray_count; ++k)
        if (!(nested[mesh->spray[k]] > 0.0f))
            mesh->spray[own++] = mesh->spray[k];
    mesh->spray_count = own;
}

/// nested: memory for a number per particle of the frame.
static frz_status make_group(const frz_run_surfaces *s, const labels *l, const frz_frame *frame, const int *keys,
                             int key, float *nested, frz_frame_surface *out, frz_diag *diag)
{
    int count = 0, *rows = NULL;
    const bool clear = key < first_body_key && is_clear(s->scene, s->options.merge ? -1 : key);
    if (!clear || !s->nested || s->options.field_count >= FRZ_ISO_FIELDS_MOST ||
        !mark_nested(s, frame, keys, key, nested))
        nested = NULL;
    frz_status status = find_rows(s, l, frame, keys, key, clear, nested, &rows, &count, diag);
    for (int m = 0; m < s->scene->materials.count && clear; ++m)
        out->nesting += yields(s, key, m);
    float *volumes = FRZ_ALLOC("surface particles", count + 1, float);
    if (status == FRZ_OK && volumes == NULL)
        status = frz_fail_memory(diag, "the particles of a surface");
    int64_t first = 0;
    while (first < frame->count - 1 && keys[first] != key)
        ++first;
    name_group(l, first, key, out);
    frz_iso_def def = frz_run_surfaces_def(s, frame);
    def.spray_least = out->body >= 0 || (s->shown && !clear) ? 0 : s->options.spray;
    def.wall_count = out->body >= 0 ? 0 : s->wall_count;
    def.rows = rows;
    def.count = count;
    if (status == FRZ_OK && out->body < 0 && find_volumes(s, l, frame, rows, count, volumes))
        def.volumes = volumes;
    if (status == FRZ_OK)
        status = find_fields(s, frame, &def, diag);
    out->tinted = status == FRZ_OK && s->tint != NULL && !clear && def.field_count < FRZ_ISO_FIELDS_MOST &&
                  is_motley(s->tint, rows, count);
    if (out->tinted)
        def.fields[def.field_count++] = s->tint;
    const frz_array_desc over = {"over", "", FRZ_F32, 1, 1, frame->count, nested};
    if (nested != NULL && status == FRZ_OK)
        def.fields[def.field_count++] = &over;
    if (status == FRZ_OK)
        status = frz_iso_surface_create(&def, &out->mesh, diag);
    if (nested != NULL && status == FRZ_OK)
        lift_nested(s, nested, out->mesh);
    frz_free(rows);
    frz_free(volumes);
    return status;
}

// ---- all of a frame

static labels labels_of(const frz_run_surfaces *surfaces, const frz_frame *frame)
{
    const labels l = {surfaces, frz_frame_field(frame, "body"), frz_frame_field(frame, "phase"),
                      frz_frame_field(frame, "origin"), frz_frame_field(frame, "material")};
    return l;
}

static void place_walls(const frz_run_surfaces *surfaces, double time)
{
    for (int w = 0; w < surfaces->wall_count; ++w)
        frz_run_pose_at(&surfaces->poses[w], time, &surfaces->walls[w].position, &surfaces->walls[w].rotation);
}

int *frz_run_surfaces_liquid(const frz_run_surfaces *surfaces, const frz_frame *frame, const bool *wanted, int *count)
{
    const labels l = labels_of(surfaces, frame);
    int *rows = FRZ_ALLOC("liquid particles", frame->count + 1, int);
    *count = 0;
    place_walls(surfaces, frame->time);
    for (int i = 0; i < frame->count && rows != NULL; ++i)
    {
        const int material = material_of(&l, i), body = l.body != NULL ? (int)frz_array_value(l.body, i, 0) : -1;
        if (material >= 0 && material < surfaces->scene->materials.count && wanted[material] && is_liquid(&l, i, body))
            rows[(*count)++] = i;
    }
    return rows;
}

frz_status frz_run_surfaces_make(frz_run_surfaces *surfaces, const frz_frame *frame, frz_frame_surfaces *out,
                                 frz_diag *diag)
{
    *out = (frz_frame_surfaces){0};
    if (frame->count > INT_MAX)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "frame %d has too many particles for a surface", frame->index);
    place_walls(surfaces, frame->time);
    const labels l = labels_of(surfaces, frame);
    int *keys = FRZ_ALLOC("surface groups", frame->count + 1, int), *groups = NULL;
    const int count = keys != NULL ? find_keys(&l, frame, keys, &groups) : -1;
    float *nested = FRZ_ALLOC("surface particles", (surfaces->nested ? frame->count : 0) + 1, float);
    if (count >= 0 && nested != NULL)
        out->items = FRZ_ALLOC("surfaces", count + 1, frz_frame_surface);
    frz_status status = out->items != NULL ? FRZ_OK : frz_fail_memory(diag, "the surfaces of a frame");
    for (int g = 0; g < count && status == FRZ_OK; ++g)
        status = make_group(surfaces, &l, frame, keys, groups[g], nested, &out->items[out->count++], diag);
    frz_free(nested);
    frz_free(keys);
    frz_free(groups);
    if (status != FRZ_OK)
        frz_frame_surfaces_destroy(out);
    return status;
}

void frz_frame_surfaces_destroy(frz_frame_surfaces *surfaces)
{
    for (int k = 0; k < surfaces->count; ++k)
        frz_surface_mesh_destroy(&surfaces->items[k].mesh);
    frz_free(surfaces->items);
    *surfaces = (frz_frame_surfaces){0};
}
