// SPDX-License-Identifier: MIT
// Shapes: a map with one key, out of a table of forms; built at once, meshes are loaded here.
#include "scene/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/suggest.h"

#define AT(type, member)     .offset = offsetof(type, member)
#define LENGTH(type, member) FRZ_KEY_REAL, AT(type, member), .unit = "m", .flags = FRZ_KEY_REQUIRED
#define POINT(type, member)  FRZ_KEY_VECTOR, AT(type, member), .unit = "m", .flags = FRZ_KEY_REQUIRED

enum
{
    deepest_shape = 64, // shapes in shapes
    path_size = 4096,
    note_size = 512,
    phrase_size = 400 // bytes of a part of a message
};

/// Parameters of the primitives; each form uses the members that its table names.
typedef struct box_params
{
    frz_mark mark;
    bool has_min, has_max, has_center, has_size;
    frz_vec3 min, max, center, size;
} box_params;

typedef struct round_params
{
    frz_mark mark;
    frz_vec3 from, to; ///< ends of the axis; spheres and tori use from as center and to as axis
    double radius, radius_to;
} round_params;

typedef struct thread_params
{
    frz_mark mark;
    frz_thread_def def;
} thread_params;

typedef struct heightfield_params
{
    frz_mark mark;
    frz_vec3 min, max;
    frz_grid rows;
} heightfield_params;

typedef struct mesh_params
{
    frz_mark mark;
    char *file;
    double scale;
    bool repair;
} mesh_params;

typedef struct wrap_params
{
    frz_mark mark;
    frz_shape *of;
    double thickness;
    int side;
    unsigned open;
    frz_vec3 position;
    frz_quat rotation;
    double scale;
} wrap_params;

/// Add the position in the scene to a message of the geometry.
static frz_status located(const frz_parse *parse, const frz_node *node, frz_status status, const frz_diag *reason)
{
    if (status == FRZ_OK)
        return FRZ_OK;
    if (status == FRZ_ERR_MEMORY)
        return frz_fail(parse->diag, status, "%s", reason->message);
    return FRZ_PARSE_FAIL(parse, node->mark, "%s%s%s", reason->file, reason->file[0] != '\0' ? ": " : "",
                          reason->message);
}

static frz_status build_box(frz_parse *parse, const frz_node *node, void *params, frz_shape **out)
{
    box_params *p = params;
    const bool by_corners = p->has_min && p->has_max && !p->has_center && !p->has_size;
    const bool by_center = p->has_center && p->has_size && !p->has_min && !p->has_max;
    if (!by_corners && !by_center)
        return FRZ_PARSE_FAIL(parse, node->mark, "box: expected either the keys min and max, or center and size");
    if (by_center)
    {
        p->min = frz_v3_mad(p->center, -0.5, p->size);
        p->max = frz_v3_mad(p->center, 0.5, p->size);
    }
    if (parse->dimension == 2)
    {
        p->min.z = -HUGE_VAL;
        p->max.z = HUGE_VAL;
    }
    frz_diag reason = {0};
    return located(parse, node, frz_shape_box(p->min, p->max, out, &reason), &reason);
}

static frz_status build_sphere(frz_parse *parse, const frz_node *node, void *params, frz_shape **out)
{
    const round_params *p = params;
    frz_diag reason = {0};
    return located(parse, node, frz_shape_sphere(p->from, p->radius, out, &reason), &reason);
}

static frz_status build_cylinder(frz_parse *parse, const frz_node *node, void *params, frz_shape **out)
{
    const round_params *p = params;
    frz_diag reason = {0};
    return located(parse, node, frz_shape_cylinder(p->from, p->to, p->radius, out, &reason), &reason);
}

static frz_status build_capsule(frz_parse *parse, const frz_node *node, void *params, frz_shape **out)
{
    const round_params *p = params;
    frz_diag reason = {0};
    return located(parse, node, frz_shape_capsule(p->from, p->to, p->radius, out, &reason), &reason);
}

static frz_status build_cone(frz_parse *parse, const frz_node *node, void *params, frz_shape **out)
{
    const round_params *p = params;
    frz_diag reason = {0};
    return located(parse, node, frz_shape_cone(p->from, p->to, p->radius, p->radius_to, out, &reason), &reason);
}

static frz_status build_torus(frz_parse *parse, const frz_node *node, void *params, frz_shape **out)
{
    const round_params *p = params;
    frz_diag reason = {0};
    return located(parse, node, frz_shape_torus(p->from, p->to, p->radius, p->radius_to, out, &reason), &reason);
}

static frz_status build_thread(frz_parse *parse, const frz_node *node, void *params, frz_shape **out)
{
    const thread_params *p = params;
    frz_diag reason = {0};
    return located(parse, node, frz_shape_thread(&p->def, out, &reason), &reason);
}

static frz_status build_half_space(frz_parse *parse, const frz_node *node, void *params, frz_shape **out)
{
    const round_params *p = params;
    frz_diag reason = {0};
    return located(parse, node, frz_shape_half_space(p->from, p->to, out, &reason), &reason);
}

static frz_status build_heightfield(frz_parse *parse, const frz_node *node, void *params, frz_shape **out)
{
    heightfield_params *p = params;
    if (parse->dimension == 2)
    {
        p->min.z = -HUGE_VAL;
        p->max.z = HUGE_VAL;
    }
    frz_diag reason = {0};
    const frz_status status =
        frz_shape_heightfield(p->min, p->max, p->rows.columns, p->rows.rows, p->rows.values, out, &reason);
    return located(parse, node, status, &reason);
}

static frz_status build_mesh(frz_parse *parse, const frz_node *node, void *params, frz_shape **out)
{
    const mesh_params *p = params;
    const frz_node *file = frz_node_find(node, "file");
    char path[path_size], note[note_size] = "";
    if (p->file[0] == '\0' || !frz_scene_path(parse->scene, p->file, path, sizeof path))
        return FRZ_PARSE_FAIL(parse, file->mark, "file: expected the path of a mesh, got %s",
                              p->file[0] == '\0' ? "an empty text" : "one that is too long");
    frz_diag reason = {0};
    const frz_status status =
        frz_shape_mesh_file(frz_scene_root(parse->scene), path, p->scale, p->repair, out, note, sizeof note, &reason);
    FRZ_TRY(located(parse, file, status, &reason));
    return note[0] != '\0' ? frz_scene_add_note(parse->scene, note, parse->diag) : FRZ_OK;
}

/// Hand the child over to a constructor that takes it.
static frz_shape *give(frz_shape **child)
{
    frz_shape *shape = *child;
    *child = NULL;
    return shape;
}

static frz_status build_shell(frz_parse *parse, const frz_node *node, void *params, frz_shape **out)
{
    wrap_params *p = params;
    frz_diag reason = {0};
    const frz_status status =
        frz_shape_take_shell(give(&p->of), p->thickness, (frz_shell_side)p->side, p->open, out, &reason);
    return located(parse, node, status, &reason);
}

static frz_status build_transform(frz_parse *parse, const frz_node *node, void *params, frz_shape **out)
{
    wrap_params *p = params;
    frz_diag reason = {0};
    const frz_status status = frz_shape_take_transform(give(&p->of), p->scale, p->rotation, p->position, out, &reason);
    return located(parse, node, status, &reason);
}

static const char *const side_words[] = {"inside", "outside", "center", NULL};      // order of frz_shell_side
static const char *const face_words[] = {"-x", "+x", "-y", "+y", "-z", "+z", NULL}; // order of open_mask

// clang-format off
static const frz_key box_keys[] = {
    {"min", FRZ_KEY_VECTOR, AT(box_params, min), .unit = "m", .has = offsetof(box_params, has_min),
     .doc = "Lower corner; goes with max."},
    {"max", FRZ_KEY_VECTOR, AT(box_params, max), .unit = "m", .has = offsetof(box_params, has_max),
     .doc = "Upper corner."},
    {"center", FRZ_KEY_VECTOR, AT(box_params, center), .unit = "m", .has = offsetof(box_params, has_center),
     .doc = "Center; goes with size."},
    {"size", FRZ_KEY_VECTOR, AT(box_params, size), .unit = "m", .has = offsetof(box_params, has_size),
     .doc = "Edge lengths."},
    {0}};
static const frz_key sphere_keys[] = {
    {"center", POINT(round_params, from), .doc = "Center."},
    {"radius", LENGTH(round_params, radius), .doc = "Radius."},
    {0}};
static const frz_key rod_keys[] = {
    {"from", POINT(round_params, from), .doc = "One end of the axis."},
    {"to", POINT(round_params, to), .doc = "Other end of the axis."},
    {"radius", LENGTH(round_params, radius), .doc = "Radius."},
    {0}};
static const frz_key cone_keys[] = {
    {"from", POINT(round_params, from), .doc = "One end of the axis."},
    {"to", POINT(round_params, to), .doc = "Other end of the axis."},
    {"radius_from", LENGTH(round_params, radius), .doc = "Radius at from."},
    {"radius_to", LENGTH(round_params, radius_to), .doc = "Radius at to; 0 for a point."},
    {0}};
static const frz_key torus_keys[] = {
    {"center", POINT(round_params, from), .doc = "Center."},
    {"axis", FRZ_KEY_VECTOR, AT(round_params, to), .fallback = "[0, 1, 0]",
     .flags = FRZ_KEY_ANY_Z | FRZ_KEY_NOT_ZERO, .doc = "Direction through the hole."},
    {"major", LENGTH(round_params, radius), .doc = "Radius of the ring."},
    {"minor", LENGTH(round_params, radius_to), .doc = "Radius of the tube."},
    {0}};
static const frz_key thread_keys[] = {
    {"from", POINT(thread_params, def.from), .doc = "One end of the axis."},
    {"to", POINT(thread_params, def.to), .doc = "Other end of the axis."},
    {"radius", LENGTH(thread_params, def.radius), .doc = "Radius of the crests."},
    {"pitch", LENGTH(thread_params, def.pitch), .doc = "Way along the axis per turn; right-handed."},
    {"depth", FRZ_KEY_REAL, AT(thread_params, def.depth), .unit = "m", .fallback = "0",
     .doc = "From crest to root; 0 means that of metric threads, 0.541 times the pitch."},
    {"clearance", FRZ_KEY_REAL, AT(thread_params, def.clearance), .unit = "m", .fallback = "0",
     .doc = "All faces are this much further out: taken away from a block it leaves a nut for the thread without it."},
    {"chamfer", FRZ_KEY_REAL, AT(thread_params, def.chamfer), .unit = "m", .fallback = "0",
     .doc = "How much the ends are tapered, at 45 degrees."},
    {0}};
static const frz_key half_space_keys[] = {
    {"point", POINT(round_params, from), .doc = "A point of the surface."},
    {"normal", FRZ_KEY_VECTOR, AT(round_params, to), .flags = FRZ_KEY_REQUIRED | FRZ_KEY_NOT_ZERO,
     .doc = "Direction out of the solid."},
    {0}};
static const frz_key heightfield_keys[] = {
    {"min", POINT(heightfield_params, min), .doc = "Lower corner; its y is the bottom."},
    {"max", POINT(heightfield_params, max), .doc = "Upper corner; x and z count."},
    {"rows", FRZ_KEY_GRID, AT(heightfield_params, rows), .unit = "m", .flags = FRZ_KEY_REQUIRED,
     .doc = "Heights y along x, one row per z; in 2D one row."},
    {0}};
static const frz_key mesh_keys[] = {
    {"file", FRZ_KEY_TEXT, AT(mesh_params, file), .flags = FRZ_KEY_REQUIRED,
     .doc = "Path relative to the scene's folder (STL, OBJ, PLY)."},
    {"scale", FRZ_KEY_REAL, AT(mesh_params, scale), .fallback = "1", .min = 0, .max = 1e9,
     .flags = FRZ_KEY_ABOVE_MIN, .doc = "Metres per unit of the file."},
    {"repair", FRZ_KEY_BOOL, AT(mesh_params, repair), .fallback = "false",
     .doc = "Mend small faults instead of refusing the mesh."},
    {0}};
static const frz_key shell_keys[] = {
    {"of", FRZ_KEY_SHAPE, AT(wrap_params, of), .flags = FRZ_KEY_REQUIRED,
     .doc = "Shape whose surface the wall follows."},
    {"thickness", LENGTH(wrap_params, thickness), .doc = "Thickness of the wall."},
    {"side", FRZ_KEY_WORD, AT(wrap_params, side), .fallback = "outside", .words = side_words,
     .doc = "Side of the surface on which the wall lies; outside makes the shape the cavity."},
    {"open", FRZ_KEY_WORDS, AT(wrap_params, open), .words = face_words,
     .doc = "Faces of the bounding box without wall, e.g. [+y] for an open tank."},
    {0}};
static const frz_key transform_keys[] = {
    {"of", FRZ_KEY_SHAPE, AT(wrap_params, of), .flags = FRZ_KEY_REQUIRED,
     .doc = "Shape to place; first scaled, then turned, then moved."},
    {"position", FRZ_KEY_VECTOR, AT(wrap_params, position), .unit = "m", .fallback = "[0, 0, 0]",
     .doc = "Where its origin is put."},
    {"rotation", FRZ_KEY_ROTATION, AT(wrap_params, rotation), .fallback = "[0, 0, 0]", .doc = "Turn about its origin."},
    {"scale", FRZ_KEY_REAL, AT(wrap_params, scale), .fallback = "1", .min = 0, .max = 1e6,
     .flags = FRZ_KEY_ABOVE_MIN, .doc = "Size factor."},
    {0}};

#define SECTION(words, type, rows) \
    static const frz_section type##_##rows = {.name = (words), .doc = "", .size = sizeof(type), .keys = (rows)}
SECTION("a box", box_params, box_keys);
SECTION("a sphere", round_params, sphere_keys);
SECTION("a cylinder or capsule", round_params, rod_keys);
SECTION("a cone", round_params, cone_keys);
SECTION("a torus", round_params, torus_keys);
SECTION("a thread", thread_params, thread_keys);
SECTION("a half space", round_params, half_space_keys);
SECTION("a heightfield", heightfield_params, heightfield_keys);
SECTION("a mesh", mesh_params, mesh_keys);
SECTION("a shell", wrap_params, shell_keys);
SECTION("a transform", wrap_params, transform_keys);

const frz_shape_form frz_shape_forms[] = {
    {"box", "Box with edges along the axes.", &box_params_box_keys, FRZ_SHAPE_BOX, 0, build_box},
    {"sphere", "Sphere; a disc in 2D.", &round_params_sphere_keys, FRZ_SHAPE_SPHERE, 0, build_sphere},
    {"cylinder", "Cylinder with flat ends.", &round_params_rod_keys, FRZ_SHAPE_CYLINDER, 0, build_cylinder},
    {"capsule", "Cylinder with half spheres at the ends.", &round_params_rod_keys, FRZ_SHAPE_CAPSULE, 0, build_capsule},
    {"cone", "Cone or frustum.", &round_params_cone_keys, FRZ_SHAPE_CONE, 0, build_cone},
    {"torus", "Ring.", &round_params_torus_keys, FRZ_SHAPE_TORUS, 0, build_torus},
    {"thread", "Screw thread, right-handed, with the profile of metric threads.", &thread_params_thread_keys,
     FRZ_SHAPE_THREAD, 0, build_thread},
    {"half_space",
     "Everything on one side of a plane. Particles feel it up to half of the scene's size beyond the other bodies; what "
     "goes further falls past it, so give what rolls far a box instead.",
     &round_params_half_space_keys,
     FRZ_SHAPE_HALF_SPACE, 0, build_half_space},
    {"heightfield", "Ground under a grid of heights.", &heightfield_params_heightfield_keys,
     FRZ_SHAPE_HEIGHTFIELD, 0, build_heightfield},
    {"mesh", "Closed triangle mesh from a file.", &mesh_params_mesh_keys, FRZ_SHAPE_MESH, 0, build_mesh},
    {"union", "What is in any of the shapes of a list.", NULL, FRZ_SHAPE_UNION, 1, NULL},
    {"intersection", "What is in all shapes of a list.", NULL, FRZ_SHAPE_INTERSECTION, 1, NULL},
    {"difference", "The first shape of a list without the others.", NULL, FRZ_SHAPE_DIFFERENCE, 2, NULL},
    {"shell", "Wall along the surface of a shape.", &wrap_params_shell_keys, FRZ_SHAPE_SHELL, 0, build_shell},
    {"transform", "A shape scaled, turned and moved.", &wrap_params_transform_keys, FRZ_SHAPE_TRANSFORM, 0,
     build_transform},
    {0}};
// clang-format on

/// The form that a shape's key names; null after filling in the diagnosis.
static const frz_shape_form *find_form(const frz_parse *parse, const frz_node *node)
{
    const char *names[sizeof frz_shape_forms / sizeof frz_shape_forms[0]] = {NULL};
    frz_suggestion suggestion = {.word = node->first->key};
    for (int i = 0; frz_shape_forms[i].key != NULL; ++i)
    {
        names[i] = frz_shape_forms[i].key;
        frz_suggestion_offer(&suggestion, names[i]);
        if (strcmp(names[i], node->first->key) == 0)
            return &frz_shape_forms[i];
    }
    char hint[phrase_size], all[phrase_size];
    const bool near = suggestion.best != NULL;
    FRZ_PARSE_FAIL(
        parse, node->first->key_mark, "unknown shape '%.60s'%s%s", node->first->key, near ? "" : "; known shapes are ",
        near ? frz_suggestion_text(&suggestion, hint, sizeof hint) : frz_words_join(names, " and ", all, sizeof all));
    return NULL;
}

static frz_status read_combined(frz_parse *parse, const frz_shape_form *form, const frz_node *node, frz_shape **out)
{
    char got[phrase_size];
    if (node->kind != FRZ_NODE_LIST || node->count < form->min_children)
        return FRZ_PARSE_FAIL(parse, node->mark, "%s: expected a list of at least %d shape%s, got %s", form->key,
                              form->min_children, form->min_children == 1 ? "" : "s",
                              frz_node_describe(node, got, sizeof got));
    frz_shape **children = FRZ_ALLOC("shapes", node->count, frz_shape *);
    if (children == NULL)
        return frz_fail_memory(parse->diag, "a shape");
    frz_status status = FRZ_OK;
    int count = 0;
    for (const frz_node *child = node->first; child != NULL && status == FRZ_OK; child = child->next)
    {
        status = frz_shape_read(parse, child, &children[count]);
        count += status == FRZ_OK;
    }
    frz_diag reason = {0};
    if (status == FRZ_OK)
        status = located(parse, node, frz_shape_take_combine(form->kind, children, count, out, &reason), &reason);
    else
        for (int i = 0; i < count; ++i)
            frz_shape_destroy(&children[i]);
    frz_free((void *)children);
    return status;
}

static frz_status read_simple(frz_parse *parse, const frz_shape_form *form, const frz_node *node, frz_shape **out)
{
    union
    {
        box_params box;
        round_params round;
        heightfield_params heightfield;
        mesh_params mesh;
        wrap_params wrap;
    } params;
    memset(&params, 0, sizeof params);
    frz_status status = frz_section_read(parse, form->section, node, &params);
    if (status == FRZ_OK)
        status = form->build(parse, node, &params, out);
    frz_section_clear(form->section, &params);
    if (status != FRZ_OK)
        frz_shape_destroy(out);
    return status;
}

frz_status frz_shape_read(frz_parse *parse, const frz_node *node, frz_shape **out)
{
    char got[phrase_size];
    if (node->kind != FRZ_NODE_MAP || node->count != 1)
        return FRZ_PARSE_FAIL(parse, node->mark, "expected a shape as one key such as 'box: {...}', got %s",
                              frz_node_describe(node, got, sizeof got));
    const frz_shape_form *form = find_form(parse, node);
    if (form == NULL)
        return FRZ_ERR_SCENE;
    if (parse->shape_depth >= deepest_shape)
        return FRZ_PARSE_FAIL(parse, node->mark, "expected at most %d shapes inside each other", (int)deepest_shape);
    parse->shape_depth += 1;
    const frz_status status = form->section != NULL ? read_simple(parse, form, node->first, out)
                                                    : read_combined(parse, form, node->first, out);
    parse->shape_depth -= 1;
    return status;
}
