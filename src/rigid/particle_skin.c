// SPDX-License-Identifier: MIT
// Which particles are at the surface of a body, and how the surface lies in front of them.
#include "base/memory.h"
#include "rigid/particle_surface_internal.h"

static const double blocked = 0.6;     ///< cosine between a neighbour and a direction that it closes
static const double least_lean = 0.02; ///< of a particle that has an outer side, in spacings
static const double same_layer = 0.35; ///< heights in a layer; a particle with higher ones in front is below; spacings
static const double balanced = 0.1;    ///< mean way to neighbours of the layer inside a face, in spacings
static const double same_face = 0.95;  ///< cosine between normals
static const double square = 0.02;     ///< cosine between normals of faces at right angles
static const double flat_fall = 0.02;  ///< neighbours lower than this make a face round, in spacings

enum
{
    full_2d = 8, ///< neighbours within 1.5 spacings inside a square lattice
    full_3d = 18,
    layer_2d = 2, ///< of these in a straight face
    layer_3d = 5  ///< at least; on a lattice there are 8
};

bool frz_particle_is_outer(const frz_particle_surface *s, int number)
{
    frz_particle_neighbor list[FRZ_PARTICLE_NEIGHBORS];
    return frz_particle_neighbors(s, number, list) < (s->dimension == 2 ? full_2d : full_3d);
}

/// No neighbour is within about 50 degrees of a direction.
static bool is_open(const frz_particle_neighbor *list, int count, frz_vec3 direction)
{
    for (int k = 0; k < count; ++k)
    {
        const double along = frz_v3_dot(direction, list[k].way);
        if (along > 0.0 && along * along > blocked * blocked * frz_v3_dot(list[k].way, list[k].way))
            return false;
    }
    return true;
}

static frz_vec3 lean_of(const frz_particle_surface *s, const frz_particle_neighbor *list, int count)
{
    const double inverse = 1.0 / (s->radius * s->radius);
    double weight = 1.0; // its own
    frz_vec3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < count; ++k)
    {
        const double left = 1.0 - inverse * frz_v3_dot(list[k].way, list[k].way), w = left * left * left;
        weight += w;
        sum = frz_v3_mad(sum, -w, list[k].way);
    }
    return frz_v3_scale(1.0 / weight, sum);
}

int frz_particle_directions(int dimension, frz_vec3 directions[FRZ_PARTICLE_DIRECTIONS])
{
    int count = 0;
    for (int axis = 0; axis < dimension; ++axis)
    {
        for (int sign = -1; sign <= 1; sign += 2)
        {
            directions[count] = frz_v3(0.0, 0.0, 0.0);
            frz_v3_set(&directions[count++], axis, sign);
        }
    }
    const double part = sqrt(1.0 / dimension);
    for (int corner = 0; corner < 1 << dimension; ++corner)
        directions[count++] = frz_v3(corner & 1 ? part : -part, corner & 2 ? part : -part,
                                     dimension == 2 ? 0.0 : (corner & 4 ? part : -part));
    return count;
}

/// A particle's layer, seen along its normal.
typedef struct layer
{
    int count;
    double lowest;     ///< of the neighbours of the layer
    bool covered;      ///< there is a neighbour above the layer
    frz_vec3 sum;      ///< of ways in the layer
    double square[3];  ///< of ways along the two tangents: 11, 12, 22
    double product[2]; ///< of these with heights
} layer;

static layer look_at_layer(const frz_particle_neighbor *list, int count, frz_vec3 n, const frz_vec3 tangent[2],
                           double spacing)
{
    layer l = {.lowest = HUGE_VAL};
    for (int k = 0; k < count; ++k)
    {
        const double height = frz_v3_dot(n, list[k].way);
        l.covered = l.covered || height > same_layer * spacing;
        if (fabs(height) > same_layer * spacing)
            continue;
        const double a = frz_v3_dot(tangent[0], list[k].way), b = frz_v3_dot(tangent[1], list[k].way);
        ++l.count;
        l.sum = frz_v3_add(l.sum, list[k].way);
        l.lowest = height < l.lowest ? height : l.lowest;
        l.square[0] += a * a;
        l.square[1] += a * b;
        l.square[2] += b * b;
        l.product[0] += a * height;
        l.product[1] += b * height;
    }
    return l;
}

static void set_tangents(frz_vec3 n, int dimension, frz_vec3 tangent[2])
{
    const frz_vec3 z = {0.0, 0.0, 1.0};
    tangent[0] = frz_v3_normalize(dimension == 3 && fabs(n.z) > 0.6 ? frz_v3_cross(n, frz_v3(1.0, 0.0, 0.0))
                                                                    : frz_v3_cross(n, z));
    tangent[1] = frz_v3_cross(n, tangent[0]);
}

/// Lay the normal square to the layer of its particle (least squares): where a particle below the layer is missing, or
/// one too many, the mean place leans.
static frz_vec3 fit_normal(const layer *l, frz_vec3 n, const frz_vec3 tangent[2], int dimension)
{
    if (dimension == 2)
        return frz_v3_normalize(frz_v3_mad(n, -l->product[0] / l->square[0], tangent[0]));
    const double determinant = l->square[0] * l->square[2] - l->square[1] * l->square[1];
    if (!(determinant > 1e-3 * l->square[0] * l->square[2]))
        return n;
    const double a = (l->product[0] * l->square[2] - l->product[1] * l->square[1]) / determinant;
    const double b = (l->product[1] * l->square[0] - l->product[0] * l->square[1]) / determinant;
    return frz_v3_normalize(frz_v3_mad(frz_v3_mad(n, -a, tangent[0]), -b, tangent[1]));
}

/// Outward normal of a particle, and whether it is inside a plane face.
static void lay_surface(const frz_particle_surface *s, const frz_particle_neighbor *list, int count,
                        frz_particle_side *side)
{
    const int least = s->dimension == 2 ? layer_2d : layer_3d;
    frz_vec3 n = frz_v3_normalize(side->lean), tangent[2];
    side->outward = n;
    set_tangents(n, s->dimension, tangent);
    layer l = look_at_layer(list, count, n, tangent, s->spacing);
    if (l.covered || l.count < least || frz_v3_length(l.sum) > balanced * s->spacing * l.count)
        return;
    n = fit_normal(&l, n, tangent, s->dimension);
    set_tangents(n, s->dimension, tangent);
    l = look_at_layer(list, count, n, tangent, s->spacing);
    if (l.covered || l.count < least)
        return;
    side->outward = n;
    side->flat = side->whole = l.lowest > -flat_fall * s->spacing;
    side->face[0] = n;
    side->face_count = side->flat ? 1 : 0;
}

/// Bits of the open directions.
static uint16_t look_around(const frz_particle_surface *s, const frz_particle_neighbor *list, int count)
{
    frz_vec3 directions[FRZ_PARTICLE_DIRECTIONS];
    const int number = frz_particle_directions(s->dimension, directions);
    unsigned open = 0;
    for (int k = 0; k < number; ++k)
        open |= (unsigned)is_open(list, count, directions[k]) << k;
    return (uint16_t)open;
}

/// A particle of the skin, unless it is inside: with a gap beside it that is too narrow for anything.
static void take_particle(frz_particle_surface *s, int particle, const frz_particle_neighbor *list, int count)
{
    frz_particle_side side = {.lean = lean_of(s, list, count)};
    if (frz_v3_length(side.lean) > least_lean * s->spacing)
        lay_surface(s, list, count, &side);
    if (!side.flat)
        side.open = look_around(s, list, count);
    if (!side.flat && side.open == 0 && !is_open(list, count, frz_v3_normalize(side.lean)))
        return;
    s->number[particle] = s->skin_count;
    s->skin[s->skin_count] = particle;
    s->sides[s->skin_count++] = side;
}

// ---- borders of faces

static bool has_face(const frz_particle_side *side, frz_vec3 normal)
{
    for (int k = 0; k < side->face_count; ++k)
    {
        if (frz_v3_dot(side->face[k], normal) > same_face)
            return true;
    }
    return false;
}

/// Whether faces square to each other are all that is open: then the particle leans the way they face.
static bool is_whole(const frz_particle_side *side, double spacing)
{
    frz_vec3 rest = side->lean;
    for (int a = 0; a < side->face_count; ++a)
    {
        const double along = frz_v3_dot(side->lean, side->face[a]);
        if (along < least_lean * spacing)
            return false;
        rest = frz_v3_mad(rest, -along, side->face[a]);
        for (int b = 0; b < a; ++b)
        {
            if (fabs(frz_v3_dot(side->face[a], side->face[b])) > square)
                return false;
        }
    }
    return frz_v3_length(rest) < least_lean * spacing;
}

/// Plane faces that end at a particle: those that neighbours are inside of.
static void find_borders(frz_particle_surface *s, int number)
{
    frz_particle_neighbor list[FRZ_PARTICLE_NEIGHBORS];
    const int count = frz_particle_neighbors(s, s->skin[number], list);
    frz_particle_side *side = &s->sides[number];
    for (int k = 0; k < count && side->face_count < FRZ_PARTICLE_FACES; ++k)
    {
        const int other = s->number[list[k].number];
        if (other < 0 || !s->sides[other].flat)
            continue;
        const frz_vec3 n = s->sides[other].outward;
        bool border = fabs(frz_v3_dot(n, list[k].way)) < flat_fall * s->spacing && !has_face(side, n);
        for (int m = 0; m < count && border; ++m)
            border = frz_v3_dot(n, list[m].way) < same_layer * s->spacing;
        if (border)
            side->face[side->face_count++] = n;
    }
    side->whole = side->face_count > 0 && is_whole(side, s->spacing);
}

frz_status frz_particle_skin_make(frz_particle_surface *s, const bool *skin, const int *order, frz_diag *diag)
{
    const int full = s->dimension == 2 ? full_2d : full_3d;
    int most = 0;
    for (int n = 0; n < s->count; ++n)
        most += skin == NULL || skin[order[n]];
    s->skin = FRZ_ALLOC("particle surface", most + 1, int);
    s->sides = FRZ_ALLOC("particle surface", most + 1, frz_particle_side);
    s->number = FRZ_ALLOC("particle surface", s->count, int);
    if (s->skin == NULL || s->sides == NULL || s->number == NULL)
        return frz_fail_memory(diag, "the surface of a body made of particles");
    for (int n = 0; n < s->count; ++n)
    {
        frz_particle_neighbor list[FRZ_PARTICLE_NEIGHBORS];
        s->number[n] = -1;
        if (skin != NULL && !skin[order[n]])
            continue;
        const int count = frz_particle_neighbors(s, n, list);
        if (skin != NULL || count < full)
            take_particle(s, n, list, count);
    }
    for (int k = 0; k < s->skin_count; ++k)
    {
        if (!s->sides[k].flat)
            find_borders(s, k);
    }
    return FRZ_OK;
}
