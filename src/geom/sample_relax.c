// SPDX-License-Identifier: MIT
// Relaxation near curved surfaces: points of a lattice that a surface cuts move until they fill the shape evenly.
//
// The lattice is not fitted to the surface: some of its points are too close to it, others too far, and pushing the
// close ones inwards brings them too close to others. Here all points near the surface move a little, in two phases of
// sweeps (Jacobi; the second with momentum) over
//
//     x_i <- x_i - s sum_j (lambda_i + lambda_j) V s gradW_ij
//
// First lambda is one constant, a uniform pressure: points spread towards even distances (particle packing, Colagrossi
// et al. 2012, doi:10.1016/j.cpc.2012.02.032). Then lambda is the density error, V sum W - 1, of either sign: densities
// even out. Beyond the surface the points' mirror images continue the medium, so that the outermost layer comes to rest
// half a spacing below the surface, and lattice layers along plane faces feel nothing. Sums run over the same
// neighbours in the same order for any number of threads.
#include "geom/sample_internal.h"

#include <string.h>

#include "base/memory.h"
#include "geom/point_lists.h"

// The kernel is the liquids' default one (Wendland C2; docs/theory.md says why), since the density of liquids must be
// uniform.
static const double support = 2.1;       ///< of the kernel, in spacings
static const double skin = 0.3;          ///< neighbour lists reach this much further, in spacings
static const double moving_depth = 12.0; ///< deeper points stay where they are, in spacings
static const double uniform = 0.1;       ///< lambda of the first phase: stable (from a fifth on neighbours overshoot)
static const double stiffness = 0.5;     ///< factor of the density error in the second; stable up to about one
static const double momentum = 0.5;      ///< factor of the last step in the second phase: halves the number of sweeps
static const double longest_step = 0.1;  ///< in spacings
static const double clearance = 0.4;     ///< least depth, in spacings
static const double even_enough =
    5e-3; ///< density error of a point at rest in the second phase, which ends when all are
static const double still_enough = 1e-2; ///< step of a point at rest in the first phase, in spacings

enum
{
    packing_sweeps = 40,
    evening_sweeps = 30,
    rest_sweeps = 20, ///< points at rest are tested again after so many
    alone = 4096,     ///< up to so many points one thread is enough; on a busy machine many would wait for each other
    neighbor_limit = 160 ///< there are 65 within support and skin on a lattice in space
};

typedef struct cloud
{
    const frz_shape *shape;
    double spacing;
    int dimension;
    double unit; ///< 1 / support, 1/m
    double norm; ///< sum of the kernel over the lattice
    int count, moving_count;
    frz_vec3 *points;
    int *moving;       ///< which points move
    int *rank;         ///< by point: its number among the moving points, or -1
    frz_vec3 *images;  ///< mirror images behind the surface
    frz_vec3 *listed;  ///< where the points were when the lists were made
    uint8_t *gone;     ///< by point: it has gone far since
    uint8_t *restless; ///< by point: its error or step is worth a sweep
    uint8_t *awake;    ///< by point: it is restless, or has a neighbour that is; the others stay and cost nothing
    double *depth;
    double *lambda;
    frz_vec3 *steps; ///< by moving point
    frz_point_lists near;
} cloud;

/// Of the squared distance in supports.
static double kernel(double q2)
{
    const double q = sqrt(q2), a = q < 1.0 ? 1.0 - q : 0.0, square = a * a;
    return square * square * (1.0 + 4.0 * q);
}

/// Slope by the distance in supports, over that distance.
static double kernel_slope(double q2)
{
    const double q = sqrt(q2), a = q < 1.0 ? 1.0 - q : 0.0;
    return -20.0 * a * a * a;
}

static double lattice_sum(int dimension)
{
    const int reach = (int)support, across = dimension == 3 ? reach : 0;
    double sum = 0.0;
    for (int k = -across; k <= across; ++k)
        for (int j = -reach; j <= reach; ++j)
            for (int i = -reach; i <= reach; ++i)
                sum += kernel((double)(i * i + j * j + k * k) / (support * support));
    return sum;
}

/// Depth and mirror image of every moving point; deep ones get an image out of reach of all points.
static void reflect(cloud *c)
{
#pragma omp parallel for schedule(dynamic, 256) if (c->moving_count > alone)
    for (int m = 0; m < c->moving_count; ++m)
    {
        const int i = c->moving[m];
        if (!c->awake[i])
            continue;
        frz_vec3 normal;
        const double distance = frz_sample_gradient(c->shape, c->points[i], c->dimension, &normal);
        c->depth[i] = -distance;
        c->images[i] = frz_v3_mad(c->points[i], -2.0 * distance, normal);
    }
}

/// Squared distance in supports.
static double squared(const cloud *c, frz_vec3 here, frz_vec3 there)
{
    const frz_vec3 d = frz_v3_sub(here, there);
    return frz_v3_dot(d, d) * c->unit * c->unit;
}

static bool is_near_surface(const cloud *c, int i)
{
    return c->depth[i] * c->unit < 1.0;
}

static double density_at(const cloud *c, int m)
{
    const int i = c->moving[m], count = c->near.number[m], *list = c->near.list + m * c->near.stride;
    const frz_vec3 here = c->points[i];
    const bool near_surface = is_near_surface(c, i);
    double sum = kernel(0.0) + (near_surface ? kernel(squared(c, here, c->images[i])) : 0.0);
    double part[neighbor_limit];
    for (int k = 0; k < count; ++k) // apart from the sum, which has an order, so that it goes many at a time
        part[k] = kernel(squared(c, here, c->points[list[k]]));
    for (int k = 0; k < count; ++k)
    {
        sum += part[k];
        if (near_surface && is_near_surface(c, list[k]))
            sum += kernel(squared(c, here, c->images[list[k]]));
    }
    return sum / c->norm;
}

static frz_vec3 push(const cloud *c, frz_vec3 here, frz_vec3 there, double weight)
{
    return frz_v3_scale(weight * kernel_slope(squared(c, here, there)), frz_v3_sub(here, there));
}

/// - s sum_j (lambda_i + lambda_j) V s gradW_ij
static frz_vec3 step_of(const cloud *c, int m)
{
    const int i = c->moving[m], count = c->near.number[m], *list = c->near.list + m * c->near.stride;
    const frz_vec3 here = c->points[i];
    const double own = c->lambda[i];
    const bool near_surface = is_near_surface(c, i);
    double x[neighbor_limit], y[neighbor_limit], z[neighbor_limit];
    for (int k = 0; k < count; ++k) // apart from the sum, as above
    {
        const frz_vec3 part = push(c, here, c->points[list[k]], own + c->lambda[list[k]]);
        x[k] = part.x;
        y[k] = part.y;
        z[k] = part.z;
    }
    frz_vec3 sum = {0.0, 0.0, 0.0};
    if (near_surface)
        sum = push(c, here, c->images[i], 2.0 * own);
    for (int k = 0; k < count; ++k)
    {
        sum = frz_v3_add(sum, (frz_vec3){x[k], y[k], z[k]});
        if (near_surface && is_near_surface(c, list[k]))
            sum = frz_v3_add(sum, push(c, here, c->images[list[k]], own + c->lambda[list[k]]));
    }
    const double s2 = c->spacing * c->spacing;
    return frz_v3_scale(-s2 * c->unit * c->unit / c->norm, sum);
}

/// Points at rest take no step and forget their last one.
static void find_steps(cloud *c, bool evening)
{
#pragma omp parallel for schedule(dynamic, 256) if (c->moving_count > alone)
    for (int m = 0; m < c->moving_count; ++m)
    {
        const int i = c->moving[m];
        frz_vec3 step = c->awake[i] ? step_of(c, m) : (frz_vec3){0.0, 0.0, 0.0};
        if (evening && c->awake[i])
            step = frz_v3_mad(step, momentum, c->steps[m]);
        const double length = frz_v3_length(step), allowed = longest_step * c->spacing;
        c->steps[m] = length > allowed ? frz_v3_scale(allowed / length, step) : step;
        if (!evening)
            c->restless[i] = length > still_enough * c->spacing;
    }
}

/// lambda from the densities. Returns the largest error of the awake points.
static double find_errors(cloud *c)
{
    double largest = 0.0;
#pragma omp parallel for schedule(dynamic, 256) if (c->moving_count > alone) reduction(max : largest)
    for (int m = 0; m < c->moving_count; ++m)
    {
        const int i = c->moving[m];
        if (!c->awake[i])
            continue;
        const double error = density_at(c, m) - 1.0;
        c->lambda[i] = stiffness * error;
        c->restless[i] = fabs(error) > even_enough;
        largest = fmax(largest, fabs(error));
    }
    return largest;
}

/// Wake the neighbours of restless points, and let the others rest.
static void wake(cloud *c)
{
    memset(c->awake, 0, (size_t)c->count);
    for (int m = 0; m < c->moving_count; ++m)
    {
        if (!c->restless[c->moving[m]])
            continue;
        const int *list = c->near.list + m * c->near.stride;
        c->awake[c->moving[m]] = 1;
        for (int k = 0; k < c->near.number[m]; ++k)
            c->awake[list[k]] = 1;
    }
}

/// Lists that hold as long as no point has gone far. With skin s a pair is listed in time if points are listed again
/// that have gone 0.2 s, as soon as one has gone 0.4 s: 0.4 s for one of the two, and 0.4 s + 0.2 s for the other.
static frz_status update_lists(cloud *c, frz_diag *diag)
{
    const bool listed = c->near.list != NULL;
    const double far = 0.2 * skin * c->spacing;
    double farthest = 0.0;
    memset(c->gone, 0, (size_t)c->count);
    for (int m = 0; m < c->moving_count && listed; ++m)
    {
        const int i = c->moving[m];
        const frz_vec3 d = frz_v3_sub(c->points[i], c->listed[i]);
        const double square = frz_v3_dot(d, d);
        farthest = fmax(farthest, square);
        c->gone[i] = square > far * far;
    }
    if (listed && farthest <= 4.0 * far * far)
        return FRZ_OK;
    for (int i = 0; i < c->count; ++i)
        c->listed[i] = c->gone[i] || !listed ? c->points[i] : c->listed[i];
    return frz_point_lists_make(&c->near, c->points, c->count, c->rank, c->moving_count, neighbor_limit,
                                listed ? c->gone : NULL, diag);
}

/// Take the steps, not closer to the surface than allowed; the longest of them comes back.
static double move(cloud *c)
{
    double longest = 0.0;
#pragma omp parallel for schedule(dynamic, 256) if (c->moving_count > alone) reduction(max : longest)
    for (int m = 0; m < c->moving_count; ++m)
    {
        const int i = c->moving[m];
        if (!c->awake[i])
            continue;
        const frz_vec3 before = c->points[i];
        frz_vec3 p = frz_v3_add(before, c->steps[m]), normal;
        if (c->depth[i] < (clearance + longest_step) * c->spacing)
        {
            const double excess = frz_sample_gradient(c->shape, p, c->dimension, &normal) + clearance * c->spacing;
            p = frz_v3_mad(p, -fmax(excess, 0.0), normal);
        }
        if (c->dimension == 2)
            p.z = 0.0;
        c->points[i] = p;
        longest = fmax(longest, frz_v3_length(frz_v3_sub(p, before)));
    }
    return longest;
}

/// Sweeps of one phase, until little happens.
static frz_status sweep(cloud *c, bool evening, frz_diag *diag)
{
    for (int i = 0; i < c->count; ++i)
        c->lambda[i] = evening ? 0.0 : uniform; // points that stay have no error
    memset(c->steps, 0, (size_t)c->moving_count * sizeof *c->steps);
    bool quiet = true; // awake points are at rest: all points are tested before the end
    for (int n = 0; n < (evening ? evening_sweeps : packing_sweeps); ++n)
    {
        const bool all = quiet || n % rest_sweeps == 0;
        if (all)
            memset(c->awake, 1, (size_t)c->count);
        FRZ_TRY(update_lists(c, diag));
        reflect(c);
        if (evening)
        {
            quiet = find_errors(c) < even_enough;
            if (quiet && all)
                break;
            wake(c);
        }
        find_steps(c, evening);
        const double longest = move(c);
        if (!evening)
        {
            quiet = longest < still_enough * c->spacing;
            if (quiet && all)
                break;
            wake(c);
        }
    }
    return FRZ_OK;
}

static frz_status prepare(cloud *c, frz_diag *diag)
{
    c->unit = 1.0 / (support * c->spacing);
    c->norm = lattice_sum(c->dimension);
    c->moving = FRZ_ALLOC("relaxed sample points", c->count, int);
    c->rank = FRZ_ALLOC("relaxed sample points", c->count, int);
    c->images = FRZ_ALLOC("relaxed sample points", c->count, frz_vec3);
    c->listed = FRZ_ALLOC("relaxed sample points", c->count, frz_vec3);
    c->gone = FRZ_ALLOC("relaxed sample points", c->count, uint8_t);
    c->restless = FRZ_ALLOC("relaxed sample points", c->count, uint8_t);
    c->awake = FRZ_ALLOC("relaxed sample points", c->count, uint8_t);
    c->steps = FRZ_ALLOC("relaxed sample points", c->count, frz_vec3);
    c->depth = FRZ_ALLOC("relaxed sample points", c->count, double);
    c->lambda = FRZ_ALLOC("relaxed sample points", c->count, double);
    if (c->moving == NULL || c->rank == NULL || c->images == NULL || c->steps == NULL || c->depth == NULL ||
        c->lambda == NULL || c->listed == NULL || c->gone == NULL || c->restless == NULL || c->awake == NULL)
        return frz_fail_memory(diag, "spreading particles evenly in a shape");
    FRZ_TRY(frz_point_lists_create(&c->near, c->count, (support + skin) * c->spacing, diag));
#pragma omp parallel for schedule(dynamic, 256) if (c->moving_count > alone)
    for (int i = 0; i < c->count; ++i)
        c->depth[i] = -frz_shape_distance(c->shape, c->points[i]);
    for (int i = 0; i < c->count; ++i)
    {
        const bool moves = c->depth[i] < moving_depth * c->spacing;
        c->rank[i] = moves ? c->moving_count : -1;
        if (moves)
            c->moving[c->moving_count++] = i;
    }
    return FRZ_OK;
}

frz_status frz_sample_relax(const frz_shape *shape, double spacing, int dimension, frz_vec3 *points, int64_t count,
                            frz_diag *diag)
{
    cloud c = {.shape = shape, .spacing = spacing, .dimension = dimension, .count = (int)count, .points = points};
    frz_status status = prepare(&c, diag);
    if (status == FRZ_OK)
        status = sweep(&c, false, diag);
    if (status == FRZ_OK)
        status = sweep(&c, true, diag);
    frz_point_lists_destroy(&c.near);
    frz_free(c.moving);
    frz_free(c.rank);
    frz_free(c.images);
    frz_free(c.listed);
    frz_free(c.gone);
    frz_free(c.restless);
    frz_free(c.awake);
    frz_free(c.steps);
    frz_free(c.depth);
    frz_free(c.lambda);
    return status;
}
