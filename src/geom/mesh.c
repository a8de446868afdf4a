// SPDX-License-Identifier: MIT
// Triangle meshes: storage, measures, and the examination that decides whether a mesh bounds a solid.
#include "geom/shape_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/// Triangles whose height is below this fraction of their longest edge, or of the mesh, have no usable normal.
static const double degenerate_height = 1.0e-9;

frz_status frz_mesh_create(int vertex_count, int triangle_count, frz_mesh **out, frz_diag *diag)
{
    *out = NULL;
    if (vertex_count < 0 || triangle_count < 0)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a mesh cannot have %d vertices and %d triangles", vertex_count,
                        triangle_count);
    frz_mesh *mesh = FRZ_ALLOC("mesh", 1, frz_mesh);
    if (mesh == NULL)
        return frz_fail_memory(diag, "a mesh");
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
    mesh->vertices = FRZ_ALLOC("mesh vertices", vertex_count, frz_vec3);
    mesh->triangles = frz_alloc("mesh triangles", (size_t)triangle_count, sizeof *mesh->triangles);
    if (mesh->vertices == NULL || mesh->triangles == NULL)
    {
        frz_mesh_destroy(&mesh);
        return frz_fail_memory(diag, "the vertices and triangles of a mesh");
    }
    *out = mesh;
    return FRZ_OK;
}

void frz_mesh_destroy(frz_mesh **mesh)
{
    if (mesh == NULL || *mesh == NULL)
        return;
    frz_free((*mesh)->vertices);
    frz_free((*mesh)->triangles);
    frz_free(*mesh);
    *mesh = NULL;
}

frz_status frz_mesh_copy(const frz_mesh *mesh, frz_mesh **out, frz_diag *diag)
{
    FRZ_TRY(frz_mesh_create(mesh->vertex_count, mesh->triangle_count, out, diag));
    memcpy((*out)->vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    memcpy((*out)->triangles, mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    return FRZ_OK;
}

frz_bounds frz_mesh_bounds(const frz_mesh *mesh)
{
    frz_bounds b = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int i = 0; i < mesh->vertex_count; ++i)
    {
        const frz_vec3 v = mesh->vertices[i];
        b.min = frz_v3(fmin(b.min.x, v.x), fmin(b.min.y, v.y), fmin(b.min.z, v.z));
        b.max = frz_v3(fmax(b.max.x, v.x), fmax(b.max.y, v.y), fmax(b.max.z, v.z));
    }
    return b;
}

double frz_mesh_volume(const frz_mesh *mesh)
{
    if (mesh->triangle_count == 0)
        return 0.0;
    // tetrahedra to a vertex of the mesh rather than to the origin: no loss of digits far away from it
    const frz_vec3 origin = mesh->vertices[mesh->triangles[0][0]];
    double sum = 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        const frz_vec3 a = frz_v3_sub(mesh->vertices[mesh->triangles[t][0]], origin);
        const frz_vec3 b = frz_v3_sub(mesh->vertices[mesh->triangles[t][1]], origin);
        const frz_vec3 c = frz_v3_sub(mesh->vertices[mesh->triangles[t][2]], origin);
        sum += frz_v3_dot(a, frz_v3_cross(b, c));
    }
    return sum / 6.0;
}

/// Length of the segment in which a triangle meets the plane z = 0.
static double section_length(const frz_vec3 v[3])
{
    frz_vec3 ends[3] = {{0.0, 0.0, 0.0}};
    int count = 0;
    for (int i = 0; i < 3; ++i)
    {
        const frz_vec3 a = v[i];
        const frz_vec3 b = v[(i + 1) % 3];
        if ((a.z < 0.0) != (b.z < 0.0))
            ends[count++] = frz_v3_mad(a, a.z / (a.z - b.z), frz_v3_sub(b, a));
    }
    return count == 2 ? frz_v3_length(frz_v3_sub(ends[1], ends[0])) : 0.0;
}

double frz_mesh_area(const frz_mesh *mesh, int dimension)
{
    double sum = 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        const frz_vec3 v[3] = {mesh->vertices[mesh->triangles[t][0]], mesh->vertices[mesh->triangles[t][1]],
                               mesh->vertices[mesh->triangles[t][2]]};
        if (dimension == 2)
            sum += section_length(v);
        else
            sum += 0.5 * frz_v3_length(frz_v3_cross(frz_v3_sub(v[1], v[0]), frz_v3_sub(v[2], v[0])));
    }
    return sum;
}

bool frz_mesh_triangle_is_degenerate(const frz_mesh *mesh, const int triangle[3], double size)
{
    if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0])
        return true;
    const frz_vec3 a = mesh->vertices[triangle[0]];
    const frz_vec3 ab = frz_v3_sub(mesh->vertices[triangle[1]], a);
    const frz_vec3 ac = frz_v3_sub(mesh->vertices[triangle[2]], a);
    const frz_vec3 bc = frz_v3_sub(ac, ab);
    const double longest = fmax(frz_v3_length(ab), fmax(frz_v3_length(ac), frz_v3_length(bc)));
    const double doubled_area = frz_v3_length(frz_v3_cross(ab, ac));
    return longest <= degenerate_height * size || doubled_area <= degenerate_height * longest * longest;
}

static int compare_edges(const void *left, const void *right)
{
    const frz_mesh_edge *l = left;
    const frz_mesh_edge *r = right;
    if (l->a != r->a)
        return l->a < r->a ? -1 : 1;
    if (l->b != r->b)
        return l->b < r->b ? -1 : 1;
    if (l->triangle != r->triangle)
        return l->triangle < r->triangle ? -1 : 1;
    return (l->corner > r->corner) - (l->corner < r->corner);
}

frz_mesh_edge *frz_mesh_edges(const frz_mesh *mesh)
{
    const size_t count = 3 * (size_t)mesh->triangle_count;
    frz_mesh_edge *edges = FRZ_ALLOC("mesh edges", count, frz_mesh_edge);
    if (edges == NULL)
        return NULL;
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        for (int corner = 0; corner < 3; ++corner)
        {
            const int from = mesh->triangles[t][corner];
            const int to = mesh->triangles[t][(corner + 1) % 3];
            frz_mesh_edge *edge = &edges[3 * (size_t)t + (size_t)corner];
            edge->forward = from < to;
            edge->a = edge->forward ? from : to;
            edge->b = edge->forward ? to : from;
            edge->triangle = t;
            edge->corner = corner;
        }
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    return edges;
}

typedef struct triangle_key
{
    int corners[3]; ///< the smallest first
    int triangle;
} triangle_key;

static int compare_triangles(const void *left, const void *right)
{
    const triangle_key *l = left, *r = right;
    for (int k = 0; k < 3; ++k)
        if (l->corners[k] != r->corners[k])
            return l->corners[k] < r->corners[k] ? -1 : 1;
    return (l->triangle > r->triangle) - (l->triangle < r->triangle);
}

int64_t frz_mesh_find_repeated(const frz_mesh *mesh, bool *marks)
{
    triangle_key *keys = FRZ_ALLOC("mesh triangles", mesh->triangle_count, triangle_key);
    int64_t count = 0;
    if (keys == NULL)
        return -1;
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        const int *of = mesh->triangles[t];
        const int first = of[0] <= of[1] && of[0] <= of[2] ? 0 : of[1] <= of[2] ? 1 : 2;
        keys[t] = (triangle_key){{of[first], of[(first + 1) % 3], of[(first + 2) % 3]}, t};
    }
    qsort(keys, (size_t)mesh->triangle_count, sizeof *keys, compare_triangles);
    for (int k = 1; k < mesh->triangle_count; ++k)
    {
        if (memcmp(keys[k].corners, keys[k - 1].corners, sizeof keys[k].corners) != 0)
            continue;
        ++count;
        if (marks != NULL)
            marks[keys[k].triangle] = true;
    }
    frz_free(keys);
    return count;
}

static frz_status count_edges(const frz_mesh *mesh, frz_mesh_report *report, frz_diag *diag)
{
    frz_mesh_edge *edges = frz_mesh_edges(mesh);
    if (edges == NULL)
        return frz_fail_memory(diag, "the edges of a mesh");
    const int64_t count = 3 * (int64_t)mesh->triangle_count;
    bool crowded = false; // only then can a triangle be there twice
    for (int64_t first = 0, last = 0; first < count; first = last)
    {
        int balance = 0;
        while (last < count && edges[last].a == edges[first].a && edges[last].b == edges[first].b)
            balance += edges[last++].forward ? 1 : -1;
        if ((last - first) % 2 != 0)
            ++report->open_edges;
        else if (balance != 0)
            ++report->inconsistent_edges;
        crowded = crowded || last - first > 2;
    }
    frz_free(edges);
    report->repeated = crowded ? frz_mesh_find_repeated(mesh, NULL) : 0;
    return report->repeated >= 0 ? FRZ_OK : frz_fail_memory(diag, "the triangles of a mesh");
}

frz_status frz_mesh_examine(const frz_mesh *mesh, frz_mesh_report *report, frz_diag *diag)
{
    memset(report, 0, sizeof *report);
    for (int i = 0; i < mesh->vertex_count; ++i)
        report->bad_vertices += !frz_v3_is_finite(mesh->vertices[i]);
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        for (int corner = 0; corner < 3; ++corner)
        {
            const int v = mesh->triangles[t][corner];
            report->bad_triangles += v < 0 || v >= mesh->vertex_count;
        }
    }
    if (mesh->triangle_count == 0 || report->bad_vertices > 0 || report->bad_triangles > 0)
        return FRZ_OK; // nothing else can be measured
    const frz_bounds bounds = frz_mesh_bounds(mesh);
    report->size = frz_v3_length(frz_v3_sub(bounds.max, bounds.min));
    for (int t = 0; t < mesh->triangle_count; ++t)
        report->degenerate += frz_mesh_triangle_is_degenerate(mesh, mesh->triangles[t], report->size);
    report->volume = frz_mesh_volume(mesh);
    return count_edges(mesh, report, diag);
}

frz_status frz_mesh_judge(const frz_mesh_report *report, const char *name, frz_diag *diag)
{
    // relative to the cube around the mesh: a flat sheet has rounding noise instead of a volume
    const double negligible_volume = 1.0e-12 * report->size * report->size * report->size;
    if (report->bad_vertices > 0)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "mesh '%s' has vertices that are not finite numbers (NaN or infinite): %lld; export it again",
                        name, (long long)report->bad_vertices);
    if (report->bad_triangles > 0)
        return frz_fail(diag, FRZ_ERR_SCENE, "mesh '%s' has %lld triangle corners that refer to vertices it lacks",
                        name, (long long)report->bad_triangles);
    if (report->size > FRZ_MESH_LARGEST)
        return frz_fail(diag, FRZ_ERR_SCENE, "mesh '%s' is larger than %g m; give it a scale, or export it again", name,
                        FRZ_MESH_LARGEST);
    if (report->size <= 0.0)
        return frz_fail(diag, FRZ_ERR_SCENE, "mesh '%s' has no triangles with an area", name);
    if (report->repeated > 0)
        return frz_fail(diag, FRZ_ERR_SCENE, "mesh '%s' has %lld triangles twice; set repair to drop the copies", name,
                        (long long)report->repeated);
    if (report->open_edges > 0)
        return frz_fail(
            diag, FRZ_ERR_SCENE,
            "mesh '%s' is not closed: %lld open edges; close its holes in a modelling program or set repair", name,
            (long long)report->open_edges);
    if (report->degenerate > 0)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "mesh '%s' has %lld degenerate triangles (no area); set repair to drop them", name,
                        (long long)report->degenerate);
    if (report->inconsistent_edges > 0)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "mesh '%s' is not oriented: the triangles at %lld edges disagree about inside and outside; set "
                        "repair to orient them",
                        name, (long long)report->inconsistent_edges);
    if (fabs(report->volume) <= negligible_volume)
        return frz_fail(diag, FRZ_ERR_SCENE, "mesh '%s' encloses no volume; it must bound a solid", name);
    if (report->volume < 0.0)
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "mesh '%s' is inverted: its triangles face inwards; flip them or set repair", name);
    return FRZ_OK;
}
