// SPDX-License-Identifier: MIT
// What a scene asks for, held against what is sensible, before anything is sampled.
#include <math.h>

#include "scene/compile_internal.h"

// A mesh in millimetres is a thousand times too large; bodies that are meant to differ in size differ by less.
static const double suspicious_ratio = 100.0;
// the same in spacings, for a mesh that is alone in its scene: more than a billion particles in 3D
static const double suspicious_spacings = 1000.0;

/// Longest side of the bounds along which they have an end; 0 if there is none.
static double longest_side(frz_bounds bounds, int dimension)
{
    double longest = 0.0;
    for (int a = 0; a < dimension; ++a)
    {
        const double side = frz_v3_get(bounds.max, a) - frz_v3_get(bounds.min, a);
        if (isfinite(side))
            longest = fmax(longest, side);
    }
    return longest;
}

/// Size of everything but one body: the largest of the other bodies, and the domain if it is given; 0 if there is none.
static double size_of_others(const frz_scene *scene, int body)
{
    double size = 0.0;
    for (int b = 0; b < scene->bodies.count; ++b)
        if (b != body)
            size = fmax(size, longest_side(frz_shape_bounds(scene->bodies.items[b].shape), scene->dimension));
    if (scene->domain.has_min && scene->domain.has_max)
        size = fmax(size, longest_side((frz_bounds){scene->domain.min, scene->domain.max}, scene->dimension));
    return size;
}

/// How many times a mesh is larger than what surrounds it suggests; 0 if there is nothing suspicious.
static double suspicion(const frz_scene *scene, int body, double *size, double *others)
{
    const frz_shape *shape = scene->bodies.items[body].shape;
    *size = longest_side(frz_shape_bounds(shape), scene->dimension);
    *others = size_of_others(scene, body);
    if (!frz_shape_contains(shape, FRZ_SHAPE_MESH))
        return 0.0;
    if (*others > 0.0)
        return *size > suspicious_ratio * *others ? *size / *others : 0.0;
    return *size > suspicious_spacings * scene->spacing ? *size / scene->spacing : 0.0;
}

const char *frz_compile_unit_hint(const frz_scene *scene, int body)
{
    double size, others;
    return suspicion(scene, body, &size, &others) > 0.0 ? "; if its mesh is in millimetres, give it 'scale: 0.001'"
                                                        : "";
}

void frz_compile_warn_units(const frz_scene *scene, const frz_warning_sink *to)
{
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        double size, others;
        const double ratio = suspicion(scene, b, &size, &others);
        if (ratio > 0.0)
            frz_warn(to, "body '%s' is %.3g m long, %.3g times %s%s", scene->bodies.items[b].name, size, ratio,
                     others > 0.0 ? "as long as all else in the scene" : "the spacing",
                     frz_compile_unit_hint(scene, b));
    }
}
