// SPDX-License-Identifier: MIT
// The cases of marching cubes (Lorensen & Cline 1987), made by rule instead of from a list.
//
// On every face of the cube the surface runs from where it enters the inside to where it leaves it, walking around the
// face; of two inside corners at opposite ends each is cut off on its own. The rule looks at the face alone, so that
// the cubes on both sides agree, and the surface is closed. The pieces on the faces join to loops of three to seven
// edges. Loops are cut into triangles by diagonals that lie on no face of the cube: the cube behind the face might have
// the same diagonal, and four triangles would meet there. Such diagonals exist for all loops.
#include "surface/iso_internal.h"

enum
{
    edge_count = 12,
    face_count = 6,
    loop_most = 12
};

typedef struct cube
{
    int faces[face_count][4];           // corners, counter-clockwise seen from outside
    unsigned faces_of_edge[edge_count]; // bits
} cube;

/// Edge between two corners that differ in one bit: 4 axis + number among those along the axis.
static int edge_between(int a, int b)
{
    const int bit = a ^ b, low = a & b;
    const int axis = bit >> 1; // 1, 2, 4 -> 0, 1, 2
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return 4 * axis + (low >> u & 1) + 2 * (low >> v & 1);
}

static void make_cube(cube *c)
{
    for (int e = 0; e < edge_count; ++e)
        c->faces_of_edge[e] = 0;
    for (int f = 0; f < face_count; ++f)
    {
        const int axis = f / 2, side = f % 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        const int around[4] = {0, 1 << u, 1 << u | 1 << v, 1 << v};
        for (int k = 0; k < 4; ++k)
            c->faces[f][k] = around[side ? k : 3 - k] | side << axis;
        for (int k = 0; k < 4; ++k)
            c->faces_of_edge[edge_between(c->faces[f][k], c->faces[f][(k + 1) % 4])] |= 1u << f;
    }
}

/// For every edge that the surface crosses, the next one around the loop; -1: not crossed.
static void link_edges(const cube *c, int inside, int next[edge_count])
{
    for (int e = 0; e < edge_count; ++e)
        next[e] = -1;
    for (int f = 0; f < face_count; ++f)
        for (int k = 0; k < 4; ++k)
        {
            const int *q = c->faces[f];
            if (!(inside >> q[k] & 1) || (inside >> q[(k + 1) % 4] & 1))
                continue; // the inside does not end here
            int start = k;
            while (inside >> q[(start + 3) % 4] & 1)
                start = (start + 3) % 4;
            next[edge_between(q[k], q[(k + 1) % 4])] = edge_between(q[(start + 3) % 4], q[start]);
        }
}

/// Cut the polygon of loop[first..last] into triangles; false if that takes a diagonal on a face.
static bool cut_loop(const cube *c, const int *loop, int first, int last, frz_iso_case *out)
{
    if (last - first < 2)
        return true;
    const signed char before = out->count;
    for (int k = first + 1; k < last; ++k)
    {
        const bool left = k == first + 1 || (c->faces_of_edge[loop[first]] & c->faces_of_edge[loop[k]]) == 0;
        const bool right = k == last - 1 || (c->faces_of_edge[loop[k]] & c->faces_of_edge[loop[last]]) == 0;
        out->count = before;
        if (!left || !right || !cut_loop(c, loop, first, k, out) || !cut_loop(c, loop, k, last, out))
            continue;
        signed char *triangle = out->edges[out->count++];
        triangle[0] = (signed char)loop[last]; // counter-clockwise seen from outside
        triangle[1] = (signed char)loop[k];
        triangle[2] = (signed char)loop[first];
        return true;
    }
    out->count = before;
    return false;
}

void frz_iso_table_create(frz_iso_case *cases)
{
    cube c;
    make_cube(&c);
    for (int inside = 0; inside < 256; ++inside)
    {
        int next[edge_count];
        link_edges(&c, inside, next);
        cases[inside].count = 0;
        for (int e = 0; e < edge_count; ++e)
        {
            int loop[loop_most], length = 0;
            for (int at = e; next[at] >= 0; ++length)
            {
                const int to = next[at];
                loop[length] = at;
                next[at] = -1;
                at = to;
            }
            const bool cut = cut_loop(&c, loop, 0, length - 1, &cases[inside]);
            FRZ_ASSERT(cut);
        }
    }
}
