// SPDX-License-Identifier: MIT
// The skins of the elastic bodies of a run.
#include "api/run_skins.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/run_reading.h"
#include "base/memory.h"
#include "io/file_replace.h"
#include "particles/matter.h"

static const double finest_cell = 0.5;   // spacings: walls are at least one or two spacings thick
static const double cell_budget = 3.0e6; // cells of a triangulation; more take seconds and show nothing new
static const double longest_edge = 1.0;  // spacings: the mesh resolves the bending of the particles

double frz_triangulation_cell(frz_bounds bounds, double spacing)
{
    const double volume = fmax(bounds.max.x - bounds.min.x, 0.0) * fmax(bounds.max.y - bounds.min.y, 0.0) *
                          fmax(bounds.max.z - bounds.min.z, 0.0);
    return fmax(finest_cell * spacing, cbrt(volume / cell_budget));
}

// ---- meshes at rest

static frz_status import_mesh(const frz_scene *scene, const frz_scene_body *body, frz_mesh **out, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    if (!frz_scene_path(scene, body->skin.mesh, path, sizeof path))
        return frz_fail(diag, FRZ_ERR_FILE, "the path of the skin of %s is too long", body->name);
    FRZ_TRY(frz_mesh_import(frz_scene_root(scene), path, body->skin.scale, out, diag));
    // files repeat a vertex for every normal it has
    if (frz_mesh_weld(*out, 0.0) < 0)
        return frz_fail_memory(diag, "a skin");
    for (int v = 0; v < (*out)->vertex_count; ++v)
        (*out)->vertices[v] =
            frz_v3_add(body->position, frz_quat_rotate(body->rotation, frz_v3_scale(body->scale, (*out)->vertices[v])));
    return FRZ_OK;
}

/// In 2D a slice of the shape, one spacing thick.
static frz_status triangulate_slice(const frz_scene *scene, const frz_scene_body *body, frz_mesh **out, frz_diag *diag)
{
    frz_bounds slice = frz_shape_bounds(body->shape);
    const bool endless = !isfinite(slice.min.z) && !isfinite(slice.max.z);
    slice.min.z = -0.5 * scene->spacing;
    slice.max.z = 0.5 * scene->spacing;
    const double cell = frz_triangulation_cell(slice, scene->spacing);
    if (endless)
        return frz_shape_triangulate(body->shape, cell, slice, out, diag);
    frz_shape *parts[2] = {frz_shape_share(body->shape), NULL}, *cut = NULL;
    frz_status status = frz_shape_box(slice.min, slice.max, &parts[1], diag);
    if (status != FRZ_OK)
        frz_shape_destroy(&parts[0]);
    else
        status = frz_shape_take_combine(FRZ_SHAPE_INTERSECTION, parts, 2, &cut, diag);
    if (status == FRZ_OK)
        status = frz_shape_triangulate(cut, cell, slice, out, diag);
    frz_shape_destroy(&cut);
    return status;
}

static frz_status make_mesh(const frz_scene *scene, const frz_scene_body *body, frz_mesh **out, frz_diag *diag)
{
    const frz_bounds bounds = frz_shape_bounds(body->shape);
    if (body->has_skin)
        FRZ_TRY(import_mesh(scene, body, out, diag));
    else if (scene->dimension < 3)
        FRZ_TRY(triangulate_slice(scene, body, out, diag));
    else
        FRZ_TRY(frz_shape_triangulate(body->shape, frz_triangulation_cell(bounds, scene->spacing), bounds, out, diag));
    FRZ_TRY(frz_mesh_refine(out, longest_edge * scene->spacing, diag));
    return frz_mesh_split_creases(out, diag);
}

// ---- particles at rest

static frz_vec3 place_of(const frz_frame *frame, int64_t row)
{
    return frz_v3(frz_array_value(&frame->position, row, 0), frz_array_value(&frame->position, row, 1),
                  frz_array_value(&frame->position, row, 2));
}

static int64_t id_of(const frz_array_desc *ids, int64_t row)
{
    return ids->type == FRZ_I64 ? ((const int64_t *)ids->data)[row * ids->stride]
                                : (int64_t)frz_array_value(ids, row, 0);
}

typedef struct particle
{
    int64_t id, row;
} particle;

static int compare_ids(const void *a, const void *b)
{
    const particle *left = a, *right = b;
    return (left->id > right->id) - (left->id < right->id);
}

/// The particles of one body of a frame, ordered by id; null without memory or particles.
static particle *list_particles(const frz_frame *frame, int body, int64_t *count)
{
    const frz_array_desc *ids = frz_frame_field(frame, "id"), *bodies = frz_frame_field(frame, "body");
    *count = 0;
    for (int64_t i = 0; i < frame->count; ++i)
        *count += frz_array_value(bodies, i, 0) == body;
    particle *list = *count > 0 ? FRZ_ALLOC("skin", *count, particle) : NULL;
    int64_t next = 0;
    for (int64_t i = 0; i < frame->count && list != NULL; ++i)
        if (frz_array_value(bodies, i, 0) == body)
            list[next++] = (particle){id_of(ids, i), i};
    if (list != NULL)
        qsort(list, (size_t)*count, sizeof *list, compare_ids);
    return list;
}

// Bonds of unbreakable materials may stretch without limit; only a bond across a periodic seam is as long as this.
// Lengths at rest.
static const double unbreakable_limit = 10.0;
// Opening of a crack beyond the largest stretch of the material. Lengths at rest.
static const double crack_opening = 0.5;

// The stretch beyond which a bond of a body must have broken.
static double stretch_limit_of(const frz_scene *scene, const frz_scene_body *body)
{
    const frz_choice *fracture = &scene->materials.items[body->material].methods[FRZ_SLOT_FRACTURE];
    if (fracture->method == NULL)
        return unbreakable_limit;
    const double growth = fracture->method->bond_growth != NULL ? fracture->method->bond_growth(fracture->self) : 0.0;
    return 1.0 + growth + crack_opening;
}

static frz_status bind_body(const frz_scene *scene, const frz_frame *frame, frz_body_skin *out, frz_diag *diag)
{
    int64_t count = 0;
    particle *list = list_particles(frame, out->body, &count);
    if (count == 0)
        return FRZ_OK;
    out->ids = FRZ_ALLOC("skin", count, int64_t);
    out->rows = FRZ_ALLOC("skin", count, int64_t);
    out->now = FRZ_ALLOC("skin", count, frz_vec3);
    frz_mesh *mesh = NULL;
    frz_status status = FRZ_OK;
    if (list == NULL || out->ids == NULL || out->rows == NULL || out->now == NULL || count > INT_MAX)
        status = frz_fail_memory(diag, "a skin");
    else
        status = make_mesh(scene, &scene->bodies.items[out->body], &mesh, diag);
    for (int64_t i = 0; i < count && status == FRZ_OK; ++i)
    {
        out->ids[i] = list[i].id;
        out->rows[i] = list[i].row;
        out->now[i] = place_of(frame, list[i].row);
    }
    frz_free(list);
    if (status == FRZ_OK)
    {
        const frz_skin_def def = {.count = (int)count,
                                  .places = out->now,
                                  .spacing = scene->spacing,
                                  .mesh = mesh,
                                  .stretch_limit = stretch_limit_of(scene, &scene->bodies.items[out->body])};
        out->count = (int)count;
        status = frz_skin_create(&def, &out->skin, diag);
    }
    frz_mesh_destroy(&mesh);
    return status;
}

static void destroy_body(frz_body_skin *item)
{
    frz_skin_destroy(&item->skin);
    frz_free(item->ids);
    frz_free(item->rows);
    frz_free(item->now);
}

// ---- the whole

static const char *missing_field(const frz_frame *frame)
{
    if (frz_frame_field(frame, "id") == NULL)
        return "id";
    return frz_frame_field(frame, "body") == NULL ? "body" : NULL;
}

// Material points flow and part: a mesh that is tied to them at time 0 would be torn.
static bool has_skin(const frz_scene *scene, int body)
{
    const frz_scene_body *b = &scene->bodies.items[body];
    if (b->state != FRZ_SCENE_ELASTIC || b->material < 0)
        return false;
    const frz_method *method = scene->materials.items[b->material].methods[FRZ_SLOT_ELASTIC].method;
    return method == NULL || (method->traits & FRZ_TRAIT_NO_REFERENCE) == 0;
}

static frz_status bind_bodies(const frz_scene *scene, const frz_frame *frame, frz_run_skins *out, frz_diag *diag)
{
    out->missing = missing_field(frame);
    for (int b = 0; b < scene->bodies.count && out->missing == NULL; ++b)
    {
        if (!has_skin(scene, b))
            continue;
        frz_body_skin *item = &out->items[out->count++];
        item->body = b;
        FRZ_TRY(bind_body(scene, frame, item, diag));
        if (item->skin == NULL) // a body thinner than the spacing has no particles
            --out->count;
        else
            out->of_body[b] = out->count - 1;
    }
    return FRZ_OK;
}

frz_status frz_run_skins_create(const frz_scene *scene, const char *directory, frz_run_skins *out, frz_diag *diag)
{
    *out = (frz_run_skins){.body_count = scene->bodies.count};
    int elastic = 0;
    for (int b = 0; b < scene->bodies.count; ++b)
        elastic += has_skin(scene, b);
    out->items = FRZ_ALLOC("skins", elastic, frz_body_skin);
    out->of_body = FRZ_ALLOC("skins", scene->bodies.count, int);
    if (out->items == NULL || out->of_body == NULL)
    {
        frz_run_skins_destroy(out);
        return frz_fail_memory(diag, "the skins of a run");
    }
    for (int b = 0; b < scene->bodies.count; ++b)
        out->of_body[b] = -1;
    if (elastic == 0)
        return FRZ_OK;
    frz_frame_data data;
    frz_status status = frz_frame_read(directory, 0, &data, diag);
    if (status == FRZ_OK)
    {
        status = bind_bodies(scene, &data.frame, out, diag);
        frz_frame_data_destroy(&data);
    }
    if (status != FRZ_OK)
        frz_run_skins_destroy(out);
    return status;
}

void frz_run_skins_destroy(frz_run_skins *skins)
{
    for (int k = 0; k < skins->count; ++k)
        destroy_body(&skins->items[k]);
    frz_free(skins->items);
    frz_free(skins->of_body);
    *skins = (frz_run_skins){0};
}

bool frz_run_skins_covers(const frz_run_skins *skins, int body)
{
    const int number = skins->of_body != NULL && body >= 0 && body < skins->body_count ? skins->of_body[body] : -1;
    return number >= 0 && !(skins->closed_only && skins->items[number].open);
}

/// Index of an id among those of a body, or -1: a body may gain particles.
static int find_id(const frz_body_skin *item, int64_t id)
{
    int low = 0, high = item->count;
    while (low < high)
    {
        const int middle = low + (high - low) / 2;
        if (item->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < item->count && item->ids[low] == id ? low : -1;
}

double frz_run_skins_body(const frz_frame *frame, int64_t row)
{
    const frz_array_desc *body = frz_frame_field(frame, "body"), *origin = frz_frame_field(frame, "origin"),
                         *phase = frz_frame_field(frame, "phase");
    const bool elastic = phase != NULL && (int)frz_array_value(phase, row, 0) == FRZ_PHASE_ELASTIC;
    if (origin != NULL && elastic)
        return frz_array_value(origin, row, 0);
    return body != NULL ? frz_array_value(body, row, 0) : -1.0;
}

frz_status frz_run_skins_place(frz_run_skins *skins, const frz_frame *frame, frz_diag *diag)
{
    const char *missing = missing_field(frame);
    if (skins->count == 0)
        return FRZ_OK;
    if (missing != NULL)
        return frz_fail(diag, FRZ_ERR_FILE, "frame %d has no field '%s', which tells whose particle is which",
                        frame->index, missing);
    const frz_array_desc *ids = frz_frame_field(frame, "id");
    for (int k = 0; k < skins->count; ++k)
        for (int i = 0; i < skins->items[k].count; ++i)
        {
            skins->items[k].now[i] = frz_v3(NAN, NAN, NAN);
            skins->items[k].rows[i] = -1;
        }
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < frame->count; ++row)
    {
        const double body = frz_run_skins_body(frame, row);
        const int number = body >= 0.0 && body < skins->body_count ? skins->of_body[(int)body] : -1;
        const int slot = number >= 0 ? find_id(&skins->items[number], id_of(ids, row)) : -1;
        if (slot < 0)
            continue;
        skins->items[number].now[slot] = place_of(frame, row);
        skins->items[number].rows[slot] = row;
    }
    for (int k = 0; k < skins->count; ++k)
    {
        skins->items[k].open = false;
        for (int i = 0; i < skins->items[k].count; ++i)
            skins->items[k].open = skins->items[k].open || skins->items[k].rows[i] < 0;
        frz_skin_deform(skins->items[k].skin, skins->items[k].now);
    }
    return FRZ_OK;
}
