// SPDX-License-Identifier: MIT
#include "geom/shape_moments.h"

#include "geom/shape_internal.h"

enum
{
    block_count_axis = 16, ///< blocks along each axis, the unit of parallel work
    block_depth = 3,       ///< halvings inside a block: 128 cells along each axis where the surface passes
    block_depth_2d = 6     ///< 1024 cells along each axis
};

static const double pi = 3.14159265358979323846;

static frz_moments scaled(double factor, frz_moments m)
{
    m.volume *= factor;
    m.first = frz_v3_scale(factor, m.first);
    m.second = frz_m3_scale(factor, m.second);
    return m;
}

static frz_moments added(frz_moments a, frz_moments b)
{
    a.volume += b.volume;
    a.first = frz_v3_add(a.first, b.first);
    a.second = frz_m3_add(a.second, b.second);
    return a;
}

// Moments about the origin of something whose centre of volume is c and whose second moments about c are given.
static frz_moments centred(double volume, frz_vec3 c, frz_mat3 second)
{
    const frz_moments m = {volume, frz_v3_scale(volume, c), frz_m3_mad(second, volume, frz_m3_outer(c, c))};
    return m;
}

static frz_moments of_box(frz_vec3 min, frz_vec3 max, int dimension)
{
    frz_vec3 size = frz_v3_sub(max, min), center = frz_v3_scale(0.5, frz_v3_add(min, max));
    if (dimension == 2)
    {
        size.z = center.z = 0.0;
    }
    const double volume = size.x * size.y * (dimension == 2 ? 1.0 : size.z), part = volume / 12.0;
    return centred(volume, center,
                   frz_m3_diagonal(part * size.x * size.x, part * size.y * size.y, part * size.z * size.z));
}

static frz_moments of_disc(frz_vec3 center, double radius)
{
    const double square = radius * radius - center.z * center.z;
    const double area = square > 0.0 ? pi * square : 0.0, part = 0.25 * area * square;
    return centred(area, frz_v3(center.x, center.y, 0.0), frz_m3_diagonal(part, part, 0.0));
}

// A capsule whose axis lies in the plane: a rectangle between two half discs.
static frz_moments of_stadium(const frz_shape_round_data *capsule)
{
    const double r = capsule->radius_a, l = capsule->length, disc = pi * r * r;
    const frz_mat3 along = frz_m3_outer(capsule->axis, capsule->axis);
    const frz_vec3 side = frz_v3(-capsule->axis.y, capsule->axis.x, 0.0);
    // of u^2 along the axis and v^2 across it, about the middle; half discs begin at u = l / 2
    const double uu = r * l * l * l / 6.0 + 0.25 * disc * r * r + 4.0 / 3.0 * l * r * r * r + 0.25 * disc * l * l;
    const double vv = 2.0 / 3.0 * l * r * r * r + 0.25 * disc * r * r;
    return centred(2.0 * r * l + disc, frz_v3_scale(0.5, frz_v3_add(capsule->a, capsule->b)),
                   frz_m3_mad(frz_m3_scale(uu, along), vv, frz_m3_outer(side, side)));
}

// Square of the radius of a solid of revolution at the place z along its axis, at most quadratic in z.
typedef struct profile
{
    double constant, linear, quadratic; // of the radius if cone, else of its square
    bool cone;
} profile;

// A piece of a solid of revolution between two places along its axis, exact: integrands are polynomials of degree 4.
static frz_moments of_piece(frz_vec3 origin, frz_vec3 axis, double from, double to, const profile *p)
{
    // Gauss-Legendre, three points
    static const double place[3] = {-0.77459666924148337704, 0.0, 0.77459666924148337704};
    static const double weight[3] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
    frz_moments sum = {0.0, {0.0, 0.0, 0.0}, {{{0.0}}}};
    const frz_mat3 along = frz_m3_outer(axis, axis), across = frz_m3_sub(frz_m3_identity(), along);
    for (int k = 0; k < 3; ++k)
    {
        const double z = 0.5 * (from + to) + 0.5 * (to - from) * place[k];
        const double value = p->constant + z * (p->linear + z * p->quadratic);
        const double square = p->cone ? value * value : value;
        const double area = 0.5 * (to - from) * weight[k] * pi * square;
        const frz_vec3 center = frz_v3_mad(origin, z, axis);
        sum = added(sum, centred(area, center, frz_m3_scale(0.25 * area * square, across)));
    }
    return sum;
}

static frz_moments of_round(const frz_shape *shape)
{
    const frz_shape_round_data *r = &shape->u.round;
    const profile ball = {r->radius_a * r->radius_a, 0.0, -1.0, false};
    const profile barrel = {r->radius_a, 0.0, 0.0, true};
    const frz_vec3 z = frz_v3(0.0, 0.0, 1.0);
    switch (shape->kind)
    {
    case FRZ_SHAPE_SPHERE:
        return of_piece(r->a, z, -r->radius_a, r->radius_a, &ball);
    case FRZ_SHAPE_CAPSULE:
        return added(
            added(of_piece(r->a, r->axis, -r->radius_a, 0.0, &ball), of_piece(r->a, r->axis, 0.0, r->length, &barrel)),
            of_piece(r->b, r->axis, 0.0, r->radius_a, &ball));
    case FRZ_SHAPE_TORUS:
    {
        const double big = r->radius_a * r->radius_a, small = r->radius_b * r->radius_b;
        const double volume = 2.0 * pi * pi * r->radius_a * small;
        const frz_mat3 along = frz_m3_outer(r->axis, r->axis);
        const frz_mat3 across = frz_m3_sub(frz_m3_identity(), along);
        return centred(
            volume, r->a,
            frz_m3_mad(frz_m3_scale(0.25 * volume * small, along), volume * (0.5 * big + 0.375 * small), across));
    }
    default:
    {
        const profile cone = {r->radius_a, (r->radius_b - r->radius_a) / r->length, 0.0, true};
        return of_piece(r->a, r->axis, 0.0, r->length, &cone);
    }
    }
}

// Tetrahedra from the origin to the triangles, with the sign of their orientation.
static frz_moments of_mesh(const frz_mesh *mesh)
{
    frz_moments sum = {0.0, {0.0, 0.0, 0.0}, {{{0.0}}}};
    const frz_vec3 base = mesh->vertex_count > 0 ? mesh->vertices[0] : frz_v3(0.0, 0.0, 0.0); // near: keeps the digits
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        frz_vec3 corner[3], total = frz_v3(0.0, 0.0, 0.0);
        for (int k = 0; k < 3; ++k)
        {
            corner[k] = frz_v3_sub(mesh->vertices[mesh->triangles[t][k]], base);
            total = frz_v3_add(total, corner[k]);
        }
        const double volume = frz_v3_dot(corner[0], frz_v3_cross(corner[1], corner[2])) / 6.0;
        // integral of x x^T over a tetrahedron with one corner at the origin: V / 20 (sum_k c_k c_k^T + s s^T)
        frz_mat3 second = frz_m3_outer(total, total);
        for (int k = 0; k < 3; ++k)
            second = frz_m3_add(second, frz_m3_outer(corner[k], corner[k]));
        const frz_moments piece = {volume, frz_v3_scale(0.25 * volume, total), frz_m3_scale(volume / 20.0, second)};
        sum = added(sum, piece);
    }
    if (!(sum.volume > 0.0))
        return sum;
    const frz_vec3 center = frz_v3_scale(1.0 / sum.volume, sum.first);
    return centred(sum.volume, frz_v3_add(base, center),
                   frz_m3_mad(sum.second, -sum.volume, frz_m3_outer(center, center)));
}

static frz_moments of_transform(const frz_shape_transform_data *t, frz_moments m, int dimension)
{
    if (!(m.volume > 0.0) || !(m.volume < HUGE_VAL))
        return m;
    const frz_vec3 center = frz_v3_scale(1.0 / m.volume, m.first);
    const frz_mat3 second = frz_m3_mad(m.second, -m.volume, frz_m3_outer(center, center));
    const frz_mat3 r = frz_m3_from_quat(t->rotation);
    const double size = dimension == 2 ? t->scale * t->scale : t->scale * t->scale * t->scale;
    const frz_mat3 turned = frz_m3_mul(frz_m3_mul(r, second), frz_m3_transpose(r));
    return centred(size * m.volume, frz_shape_transform_apply(t, center),
                   frz_m3_scale(size * t->scale * t->scale, turned));
}

// ---- by integration, as in shape_measure

static frz_moments of_cell(const frz_shape *shape, frz_vec3 center, frz_vec3 half, int dimension, int depth)
{
    const frz_moments whole = of_box(frz_v3_sub(center, half), frz_v3_add(center, half), dimension);
    const double distance = frz_shape_distance(shape, center);
    const double radius = frz_v3_length(half);
    if (distance >= radius)
        return scaled(0.0, whole);
    if (distance <= -radius)
        return whole;
    if (depth == 0) // a plane across the cell; exact where the surface is along an axis
    {
        const frz_vec3 n = frz_shape_normal(shape, center);
        const double width = 2.0 * (fabs(n.x) * half.x + fabs(n.y) * half.y + fabs(n.z) * half.z);
        const double share = width > 0.0 ? 0.5 - distance / width : (distance < 0.0 ? 1.0 : 0.0);
        return scaled(fmin(fmax(share, 0.0), 1.0), whole);
    }
    const frz_vec3 quarter = frz_v3_scale(0.5, half);
    frz_moments sum = {0.0, {0.0, 0.0, 0.0}, {{{0.0}}}};
    for (int corner = 0; corner < (dimension == 2 ? 4 : 8); ++corner)
    {
        const frz_vec3 shift = {(corner & 1) ? quarter.x : -quarter.x, (corner & 2) ? quarter.y : -quarter.y,
                                dimension == 2 ? 0.0
                                : (corner & 4) ? quarter.z
                                               : -quarter.z};
        sum = added(sum, of_cell(shape, frz_v3_add(center, shift), quarter, dimension, depth - 1));
    }
    return sum;
}

static frz_moments integrate(const frz_shape *shape, int dimension)
{
    const frz_bounds bounds = shape->bounds;
    const int n = block_count_axis, layers = dimension == 2 ? 1 : n;
    frz_moments total = {0.0, {0.0, 0.0, 0.0}, {{{0.0}}}};
    frz_vec3 half = frz_v3_scale(0.5 / n, frz_v3_sub(bounds.max, bounds.min));
    if (dimension == 2)
        half.z = 0.0;
    for (int k = 0; k < layers; ++k) // layer by layer: the sums of all blocks at once are much for a stack
    {
        frz_moments sums[block_count_axis * block_count_axis];
#pragma omp parallel for schedule(dynamic)
        for (int block = 0; block < n * n; ++block)
        {
            const int i = block % n, j = block / n;
            const frz_vec3 center = {bounds.min.x + (2 * i + 1) * half.x, bounds.min.y + (2 * j + 1) * half.y,
                                     dimension == 2 ? 0.0 : bounds.min.z + (2 * k + 1) * half.z};
            sums[block] = of_cell(shape, center, half, dimension, dimension == 2 ? block_depth_2d : block_depth);
        }
        for (int block = 0; block < n * n; ++block)
            total = added(total, sums[block]);
    }
    return total;
}

static bool is_placed(const frz_shape *shape, int dimension)
{
    return shape->kind == FRZ_SHAPE_TRANSFORM && (dimension == 3 || frz_shape_transform_is_planar(&shape->u.transform));
}

frz_moments frz_shape_moments(const frz_shape *shape, int dimension)
{
    const frz_moments nothing = {0.0, {0.0, 0.0, 0.0}, {{{0.0}}}};
    if (frz_bounds_is_empty(shape->bounds, dimension))
        return nothing;
    if (!frz_bounds_is_finite(shape->bounds, dimension))
    {
        frz_moments endless = nothing;
        endless.volume = HUGE_VAL;
        return endless;
    }
    switch (shape->kind)
    {
    case FRZ_SHAPE_BOX:
        if (dimension == 2 && !(shape->u.box.min.z <= 0.0 && shape->u.box.max.z >= 0.0))
            return nothing;
        return of_box(shape->u.box.min, shape->u.box.max, dimension);
    case FRZ_SHAPE_SPHERE:
        return dimension == 2 ? of_disc(shape->u.round.a, shape->u.round.radius_a) : of_round(shape);
    case FRZ_SHAPE_CAPSULE:
        if (dimension == 2 && shape->u.round.a.z == 0.0 && shape->u.round.b.z == 0.0)
            return of_stadium(&shape->u.round);
        return dimension == 2 ? integrate(shape, 2) : of_round(shape);
    case FRZ_SHAPE_CYLINDER:
    case FRZ_SHAPE_CONE:
    case FRZ_SHAPE_TORUS:
        return dimension == 2 ? integrate(shape, 2) : of_round(shape);
    case FRZ_SHAPE_MESH:
        return dimension == 2 ? integrate(shape, 2) : of_mesh(shape->u.mesh.mesh);
    case FRZ_SHAPE_TRANSFORM:
        if (is_placed(shape, dimension))
            return of_transform(&shape->u.transform, frz_shape_moments(shape->children[0], dimension), dimension);
        return integrate(shape, dimension);
    default:
        return integrate(shape, dimension);
    }
}

frz_moments frz_shape_own_moments(const frz_shape *shape, int dimension)
{
    return frz_shape_moments(is_placed(shape, dimension) ? shape->children[0] : shape, dimension);
}

frz_moments frz_shape_placed_moments(const frz_shape *shape, const frz_moments *own, int dimension)
{
    return is_placed(shape, dimension) ? of_transform(&shape->u.transform, *own, dimension) : *own;
}
