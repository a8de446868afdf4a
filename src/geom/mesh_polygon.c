// SPDX-License-Identifier: MIT
// Faces of more than three corners: fans of convex ones, ears cut off from others (Meisters 1975). Triangles without
// area are avoided where possible, because corners in the middle of a straight edge are common.
#include "geom/mesh_read.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/grow.h"

enum
{
    most_corners = 1024, // of a face that is not convex: the time goes with their square
    most_restarts = 8    // of the search for ears, in faces that cross themselves
};

/// Doubled area over the square of the longest edge below which a triangle has none (as in the examination of meshes,
/// with a margin).
static const double least_area = 2.0e-9;

frz_status frz_mesh_polygon_corner(frz_mesh_reader *reader, int vertex)
{
    if (reader->polygon_count == INT_MAX / 4)
        return frz_mesh_read_fail(reader, -1, "it has a face with more than %d corners", INT_MAX / 4);
    int *grown = frz_grow("mesh face", reader->polygon, &reader->polygon_room, reader->polygon_count + 1,
                          frz_grow_spare(reader->polygon_count), sizeof *grown);
    if (grown == NULL)
        return frz_fail_memory(reader->diag, "a face of a mesh");
    reader->polygon = grown;
    reader->polygon[reader->polygon_count++] = vertex;
    return FRZ_OK;
}

/// A face seen along its normal.
typedef struct polygon
{
    const frz_vec3 *vertices;
    const int *corners;
    int count;
    frz_vec3 normal; ///< Newell's, not of unit length: twice the area
} polygon;

static frz_vec3 corner_of(const polygon *p, int k)
{
    return p->vertices[p->corners[k]];
}

static frz_vec3 newell_normal(const polygon *p)
{
    const frz_vec3 origin = corner_of(p, 0);
    frz_vec3 sum = {0.0, 0.0, 0.0};
    for (int k = 1; k + 1 < p->count; ++k)
        sum =
            frz_v3_add(sum, frz_v3_cross(frz_v3_sub(corner_of(p, k), origin), frz_v3_sub(corner_of(p, k + 1), origin)));
    return sum;
}

/// Sense of a triangle seen along the normal; 0 for one without an area.
static int turn(const polygon *p, int a, int b, int c)
{
    const frz_vec3 ab = frz_v3_sub(corner_of(p, b), corner_of(p, a));
    const frz_vec3 ac = frz_v3_sub(corner_of(p, c), corner_of(p, a));
    const frz_vec3 bc = frz_v3_sub(ac, ab);
    const frz_vec3 area = frz_v3_cross(ab, ac);
    const double longest = fmax(frz_v3_dot(ab, ab), fmax(frz_v3_dot(ac, ac), frz_v3_dot(bc, bc)));
    if (!(frz_v3_length(area) > least_area * longest))
        return 0;
    return frz_v3_dot(area, p->normal) > 0.0 ? 1 : -1;
}

/// All triangles from corner 0 have the right sense, and no corner turns back.
static bool is_fan(const polygon *p)
{
    for (int k = 1; k + 1 < p->count; ++k)
        if (turn(p, 0, k, k + 1) <= 0)
            return false;
    for (int k = 0; k < p->count; ++k)
        if (turn(p, k, (k + 1) % p->count, (k + 2) % p->count) < 0)
            return false;
    return true;
}

// ---- ears

typedef struct ears
{
    polygon p;
    int next[most_corners], before[most_corners];
    bool reflex[most_corners], ear[most_corners];
} ears;

static bool same_place(frz_vec3 a, frz_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// Inside the triangle or on its edge, seen along the normal.
static bool is_covered(const polygon *p, const int triangle[3], int k)
{
    const frz_vec3 x = corner_of(p, k);
    for (int e = 0; e < 3; ++e)
    {
        const frz_vec3 a = corner_of(p, triangle[e]), b = corner_of(p, triangle[(e + 1) % 3]);
        if (same_place(x, a))
            return false; // a hole is joined to the outline by a corner that comes twice
        if (frz_v3_dot(frz_v3_cross(frz_v3_sub(b, a), frz_v3_sub(x, a)), p->normal) < 0.0)
            return false;
    }
    return true;
}

static void judge_corner(ears *e, int k)
{
    const int triangle[3] = {e->before[k], k, e->next[k]};
    const int sense = turn(&e->p, triangle[0], k, triangle[2]);
    e->reflex[k] = sense <= 0;
    e->ear[k] = sense > 0;
    for (int other = e->next[triangle[2]]; e->ear[k] && other != triangle[0]; other = e->next[other])
        if (e->reflex[other] && is_covered(&e->p, triangle, other))
            e->ear[k] = false;
}

static void judge_all(ears *e, int start)
{
    int k = start;
    do
    {
        e->reflex[k] = turn(&e->p, e->before[k], k, e->next[k]) <= 0;
        k = e->next[k];
    } while (k != start);
    do
    {
        judge_corner(e, k);
        k = e->next[k];
    } while (k != start);
}

static int find_ear(const ears *e, int start)
{
    int k = start;
    do
    {
        if (e->ear[k])
            return k;
        k = e->next[k];
    } while (k != start);
    return -1;
}

static frz_status cut_ears(frz_mesh_reader *reader, ears *e)
{
    const int *corners = e->p.corners;
    int left = e->p.count, restarts = 0, at = 0;
    for (int k = 0; k < left; ++k)
    {
        e->next[k] = (k + 1) % left;
        e->before[k] = (k + left - 1) % left;
    }
    judge_all(e, 0);
    for (; left > 3; --left)
    {
        int tip = find_ear(e, at);
        if (tip < 0 && restarts++ < most_restarts)
        {
            judge_all(e, at);
            tip = find_ear(e, at);
        }
        if (tip < 0)
            tip = at; // a face that crosses itself: any triangulation is as good
        const int before = e->before[tip], next = e->next[tip];
        FRZ_TRY(frz_mesh_add_triangle(reader, corners[before], corners[tip], corners[next]));
        e->next[before] = next;
        e->before[next] = before;
        judge_corner(e, before);
        judge_corner(e, next);
        at = next;
    }
    return frz_mesh_add_triangle(reader, corners[e->before[at]], corners[at], corners[e->next[at]]);
}

static frz_status triangulate(frz_mesh_reader *reader, int64_t line)
{
    polygon p = {reader->mesh->vertices, reader->polygon, reader->polygon_count, {0.0, 0.0, 0.0}};
    p.normal = newell_normal(&p);
    if (p.count == 3 || is_fan(&p))
    {
        for (int k = 1; k + 1 < p.count; ++k)
            FRZ_TRY(frz_mesh_add_triangle(reader, p.corners[0], p.corners[k], p.corners[k + 1]));
        return FRZ_OK;
    }
    if (p.count > most_corners)
        return frz_mesh_read_fail(reader, line, "a face of %d corners that is not convex; split it into triangles",
                                  p.count);
    ears e = {.p = p};
    return cut_ears(reader, &e);
}

frz_status frz_mesh_polygon_end(frz_mesh_reader *reader, int64_t line)
{
    const int count = reader->polygon_count;
    const frz_status status =
        count >= 3 ? triangulate(reader, line)
                   : frz_mesh_read_fail(reader, line, "a face needs at least 3 corners, found %d", count);
    reader->polygon_count = 0;
    return status;
}
