// SPDX-License-Identifier: MIT
// Triangles for pictures and exports: exact for boxes and meshes, revolved profiles for round shapes, else contours.
#include "geom/shape_internal.h"

#include "base/memory.h"

enum
{
    least_segments = 24, ///< around a circle, so that shapes stay round with coarse cells
    most_segments = 512,
    profile_limit = 2 * most_segments + 4
};

static const double pi = 3.14159265358979323846;

static int segments_for(double radius, double cell)
{
    const double count = ceil(2.0 * pi * radius / cell);
    return (int)fmin(fmax(count, least_segments), most_segments);
}

static frz_status triangulate_box(frz_bounds box, frz_mesh **out, frz_diag *diag)
{
    // corner bits: 1 = max.x, 2 = max.y, 4 = max.z
    static const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    FRZ_TRY(frz_mesh_create(8, 12, out, diag));
    frz_mesh *mesh = *out;
    for (int corner = 0; corner < 8; ++corner)
    {
        mesh->vertices[corner] = frz_v3((corner & 1) ? box.max.x : box.min.x, (corner & 2) ? box.max.y : box.min.y,
                                        (corner & 4) ? box.max.z : box.min.z);
    }
    for (int side = 0; side < 6; ++side)
    {
        const int *q = quads[side];
        const int both[2][3] = {{q[0], q[1], q[2]}, {q[0], q[2], q[3]}};
        for (int t = 0; t < 2; ++t)
        {
            for (int corner = 0; corner < 3; ++corner)
                mesh->triangles[2 * side + t][corner] = both[t][corner];
        }
    }
    return FRZ_OK;
}

// ---- surfaces of revolution

typedef struct profile
{
    int count;
    bool ring; ///< closed on itself (torus); otherwise both ends lie on the axis
    double radius[profile_limit];
    double along[profile_limit];
} profile;

static void add_profile_point(profile *p, double radius, double along)
{
    p->radius[p->count] = radius;
    p->along[p->count] = along;
    ++p->count;
}

/// Quarter or half circles of a profile, end points included.
static void add_arc(profile *p, double radius, double center, double from, double to, int segments)
{
    for (int k = 0; k <= segments; ++k)
    {
        const double angle = from + (to - from) * k / segments;
        add_profile_point(p, fmax(0.0, radius * cos(angle)), center + radius * sin(angle));
    }
}

static void make_profile(const frz_shape *shape, double cell, profile *p)
{
    const frz_shape_round_data *s = &shape->u.round;
    const int around = segments_for(s->radius_a, cell);
    p->count = 0;
    p->ring = false;
    switch (shape->kind)
    {
    case FRZ_SHAPE_SPHERE:
        add_arc(p, s->radius_a, 0.0, -0.5 * pi, 0.5 * pi, around / 2);
        break;
    case FRZ_SHAPE_CAPSULE:
        add_arc(p, s->radius_a, 0.0, -0.5 * pi, 0.0, around / 4);
        add_arc(p, s->radius_a, s->length, 0.0, 0.5 * pi, around / 4);
        break;
    case FRZ_SHAPE_TORUS:
    {
        const int segments = segments_for(s->radius_b, cell);
        p->ring = true;
        for (int k = 0; k < segments; ++k)
        {
            const double angle = 2.0 * pi * k / segments;
            add_profile_point(p, s->radius_a + s->radius_b * cos(angle), s->radius_b * sin(angle));
        }
        break;
    }
    default: // cylinder and cone
        add_profile_point(p, 0.0, 0.0);
        if (s->radius_a > 0.0)
            add_profile_point(p, s->radius_a, 0.0);
        if (s->radius_b > 0.0)
            add_profile_point(p, s->radius_b, s->length);
        add_profile_point(p, 0.0, s->length);
        break;
    }
}

/// Vertex of a profile point on a meridian; points on the axis have one vertex only.
static int revolved_vertex(const profile *p, int segments, int point, int meridian)
{
    if (p->ring)
        return point * segments + meridian % segments;
    if (point == 0)
        return 0;
    if (point == p->count - 1)
        return 1;
    return 2 + (point - 1) * segments + meridian % segments;
}

static void revolve_vertices(const frz_shape *shape, const profile *p, int segments, frz_mesh *mesh)
{
    const frz_shape_round_data *s = &shape->u.round;
    const frz_vec3 w = shape->kind == FRZ_SHAPE_SPHERE ? frz_v3(0.0, 1.0, 0.0) : s->axis;
    const frz_vec3 helper = fabs(w.x) < 0.6 ? frz_v3(1.0, 0.0, 0.0) : frz_v3(0.0, 1.0, 0.0); // not along w
    const frz_vec3 u = frz_v3_normalize(frz_v3_cross(helper, w));
    const frz_vec3 v = frz_v3_cross(w, u);
    for (int k = 0; k < p->count; ++k)
    {
        for (int m = 0; m < segments; ++m)
        {
            const double angle = 2.0 * pi * m / segments;
            frz_vec3 x = frz_v3_mad(s->a, p->along[k], w);
            x = frz_v3_mad(x, p->radius[k] * cos(angle), u);
            x = frz_v3_mad(x, p->radius[k] * sin(angle), v);
            mesh->vertices[revolved_vertex(p, segments, k, m)] = x;
        }
    }
}

static void revolve_triangles(const profile *p, int segments, frz_mesh *mesh)
{
    mesh->triangle_count = 0;
    const int spans = p->ring ? p->count : p->count - 1;
    for (int k = 0; k < spans; ++k)
    {
        for (int m = 0; m < segments; ++m)
        {
            const int next = (k + 1) % p->count;
            const int a = revolved_vertex(p, segments, k, m);
            const int b = revolved_vertex(p, segments, k, m + 1);
            const int c = revolved_vertex(p, segments, next, m + 1);
            const int d = revolved_vertex(p, segments, next, m);
            const int both[2][3] = {{a, b, c}, {a, c, d}};
            for (int t = 0; t < 2; ++t)
            {
                const int *corner = both[t];
                if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
                    continue; // at a pole
                int *triangle = mesh->triangles[mesh->triangle_count++];
                triangle[0] = corner[0];
                triangle[1] = corner[1];
                triangle[2] = corner[2];
            }
        }
    }
}

static frz_status triangulate_round(const frz_shape *shape, double cell, frz_mesh **out, frz_diag *diag)
{
    const frz_shape_round_data *s = &shape->u.round;
    const double widest = shape->kind == FRZ_SHAPE_TORUS ? s->radius_a + s->radius_b : fmax(s->radius_a, s->radius_b);
    const int segments = segments_for(widest, cell);
    profile *p = FRZ_ALLOC("profile", 1, profile);
    if (p == NULL)
        return frz_fail_memory(diag, "the outline of a round shape");
    make_profile(shape, cell, p);
    const int vertices = p->ring ? p->count * segments : 2 + (p->count - 2) * segments;
    const frz_status status = frz_mesh_create(vertices, 2 * p->count * segments, out, diag);
    if (status == FRZ_OK)
    {
        revolve_vertices(shape, p, segments, *out);
        revolve_triangles(p, segments, *out);
    }
    frz_free(p);
    return status;
}

// ---- all kinds

frz_status frz_shape_triangulate(const frz_shape *shape, double cell, frz_bounds clip, frz_mesh **out, frz_diag *diag)
{
    *out = NULL;
    if (!(cell > 0.0) || !isfinite(cell))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "triangulation: the cell size must be a number > 0, got %g", cell);
    const bool bounded = frz_bounds_is_finite(shape->bounds, 3);
    const frz_bounds box = bounded ? shape->bounds : frz_bounds_intersect(shape->bounds, clip);
    if (!frz_bounds_is_finite(box, 3) && !frz_bounds_is_empty(box, 3))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a shape without end can only be triangulated inside a finite box");
    if (frz_bounds_is_empty(box, 3))
        return frz_mesh_create(0, 0, out, diag);
    switch (shape->kind)
    {
    case FRZ_SHAPE_BOX:
        return triangulate_box(box, out, diag);
    case FRZ_SHAPE_SPHERE:
    case FRZ_SHAPE_CYLINDER:
    case FRZ_SHAPE_CAPSULE:
    case FRZ_SHAPE_CONE:
    case FRZ_SHAPE_TORUS:
        return triangulate_round(shape, cell, out, diag);
    case FRZ_SHAPE_MESH:
    case FRZ_SHAPE_HEIGHTFIELD:
        return frz_mesh_copy(shape->u.mesh.mesh, out, diag);
    case FRZ_SHAPE_TRANSFORM:
    {
        const frz_shape_transform_data *t = &shape->u.transform;
        const frz_bounds local = frz_shape_transform_invert_bounds(t, clip);
        FRZ_TRY(frz_shape_triangulate(shape->children[0], cell / t->scale, local, out, diag));
        for (int v = 0; v < (*out)->vertex_count; ++v)
            (*out)->vertices[v] = frz_shape_transform_apply(t, (*out)->vertices[v]);
        return FRZ_OK;
    }
    default:
        return frz_shape_contour(shape, cell, box, out, diag);
    }
}
