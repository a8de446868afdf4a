// SPDX-License-Identifier: MIT
// Refining a triangle mesh: long edges are halved until all are short. Flat faces of a few large triangles can bend
// then.
#include "geom/shape_internal.h"

#include <string.h>

#include "base/memory.h"

enum
{
    most_triangles = 50000000 // a mesh that needs more is a mistake in the spacing
};

static frz_vec3 middle_of(const frz_mesh *mesh, int a, int b)
{
    return frz_v3_scale(0.5, frz_v3_add(mesh->vertices[a], mesh->vertices[b]));
}

/// Number the middles of the long edges, three entries per triangle (-1: not split). Returns their number; pieces gets
/// the new number of triangles of the mesh.
static int mark_long_edges(const frz_mesh *mesh, const frz_mesh_edge *edges, double longest, int *middles,
                           int64_t *pieces)
{
    const int64_t count = 3 * (int64_t)mesh->triangle_count;
    int marked = 0;
    *pieces = mesh->triangle_count;
    for (int64_t first = 0, last = 0; first < count; first = last)
    {
        const frz_mesh_edge edge = edges[first];
        const bool is_long =
            frz_v3_length(frz_v3_sub(mesh->vertices[edge.a], mesh->vertices[edge.b])) > longest && edge.a != edge.b;
        for (; last < count && edges[last].a == edge.a && edges[last].b == edge.b; ++last)
        {
            middles[3 * (int64_t)edges[last].triangle + edges[last].corner] =
                is_long ? mesh->vertex_count + marked : -1;
            *pieces += is_long;
        }
        marked += is_long;
    }
    return marked;
}

static void add_triangle(frz_mesh *mesh, int a, int b, int c)
{
    int *triangle = mesh->triangles[mesh->triangle_count++];
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

/// The pieces of one triangle; middles are those of its edges.
static void split_triangle(const int corners[3], const int middles[3], frz_mesh *out)
{
    int split = 0, whole = 0, halved = 0; // number of edges, and one of each sort
    for (int c = 0; c < 3; ++c)
    {
        split += middles[c] >= 0;
        whole = middles[c] < 0 ? c : whole;
        halved = middles[c] >= 0 ? c : halved;
    }
    const int start = split == 1 ? halved : whole;
    const int a = corners[start], b = corners[(start + 1) % 3], c = corners[(start + 2) % 3];
    const int ab = middles[start], bc = middles[(start + 1) % 3], ca = middles[(start + 2) % 3];
    if (split == 0)
        add_triangle(out, a, b, c);
    else if (split == 1)
    {
        add_triangle(out, a, ab, c);
        add_triangle(out, ab, b, c);
    }
    else if (split == 2) // a corner and a quadrangle, which is cut along its shorter diagonal
    {
        const frz_vec3 *x = out->vertices;
        add_triangle(out, bc, c, ca);
        const bool from_a = frz_v3_length(frz_v3_sub(x[a], x[bc])) <= frz_v3_length(frz_v3_sub(x[b], x[ca]));
        add_triangle(out, a, b, from_a ? bc : ca);
        add_triangle(out, from_a ? a : b, bc, ca);
    }
    else
    {
        add_triangle(out, a, ab, ca);
        add_triangle(out, ab, b, bc);
        add_triangle(out, ca, bc, c);
        add_triangle(out, ab, bc, ca);
    }
}

/// Make the mesh with the marked edges halved.
static frz_status split_edges(const frz_mesh *mesh, const int *middles, int marked, int64_t pieces, frz_mesh **out,
                              frz_diag *diag)
{
    FRZ_TRY(frz_mesh_create(mesh->vertex_count + marked, (int)pieces, out, diag));
    memcpy((*out)->vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        const int *corners = mesh->triangles[t];
        for (int c = 0; c < 3; ++c)
        {
            const int middle = middles[3 * (int64_t)t + c];
            if (middle >= 0)
                (*out)->vertices[middle] = middle_of(mesh, corners[c], corners[(c + 1) % 3]);
        }
    }
    (*out)->triangle_count = 0;
    for (int t = 0; t < mesh->triangle_count; ++t)
        split_triangle(mesh->triangles[t], middles + 3 * (int64_t)t, *out);
    return FRZ_OK;
}

/// Halve every long edge once; done: there was none.
static frz_status refine_once(frz_mesh **mesh, double longest, bool *done, frz_diag *diag)
{
    frz_mesh_edge *edges = frz_mesh_edges(*mesh);
    int *middles = FRZ_ALLOC("mesh edges", 3 * (int64_t)(*mesh)->triangle_count, int);
    frz_mesh *finer = NULL;
    frz_status status = FRZ_OK;
    if (edges == NULL || middles == NULL)
        status = frz_fail_memory(diag, "the edges of a mesh");
    else
    {
        int64_t pieces = 0;
        const int marked = mark_long_edges(*mesh, edges, longest, middles, &pieces);
        *done = marked == 0;
        if (pieces > most_triangles)
            status = frz_fail(diag, FRZ_ERR_ARGUMENT, "a mesh with edges of at most %g m needs more than %d triangles",
                              longest, (int)most_triangles);
        else if (!*done)
            status = split_edges(*mesh, middles, marked, pieces, &finer, diag);
    }
    frz_free(edges);
    frz_free(middles);
    if (finer != NULL)
    {
        frz_mesh_destroy(mesh);
        *mesh = finer;
    }
    return status;
}

frz_status frz_mesh_refine(frz_mesh **mesh, double longest, frz_diag *diag)
{
    if (!(longest > 0.0))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "refining a mesh needs a length > 0, got %g", longest);
    for (int v = 0; v < (*mesh)->vertex_count; ++v)
        if (!frz_v3_is_finite((*mesh)->vertices[v]))
            return frz_fail(diag, FRZ_ERR_ARGUMENT, "vertex %d of the mesh to refine is not finite", v);
    bool done = (*mesh)->triangle_count == 0;
    while (!done)
        FRZ_TRY(refine_once(mesh, longest, &done, diag));
    return FRZ_OK;
}
