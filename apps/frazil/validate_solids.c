// SPDX-License-Identifier: MIT
// Elastic bodies against simple theory: a free spin, a cantilever, a twist that comes back, Cook's membrane.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solid_probe.h"
#include "validation.h"

// ---- free spin

typedef struct inertia
{
    double center[3], momentum[3], spin[3];
    double size; // root mean square distance from the centre, m
} inertia;

// Per unit of mass, all particles having the same.
static inertia inertia_of(const frz_sim *sim)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view v = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
    inertia sum;
    memset(&sum, 0, sizeof sum);
    for (int64_t i = 0; i < x.count; ++i)
        for (int a = 0; a < 3; ++a)
        {
            sum.center[a] += frz_field_value(&x, i, a) / (double)x.count;
            sum.momentum[a] += frz_field_value(&v, i, a) / (double)x.count;
        }
    for (int64_t i = 0; i < x.count; ++i)
    {
        double r[3], w[3];
        for (int a = 0; a < 3; ++a)
        {
            r[a] = frz_field_value(&x, i, a) - sum.center[a];
            w[a] = frz_field_value(&v, i, a) - sum.momentum[a];
            sum.size += r[a] * r[a] / (double)x.count;
        }
        for (int a = 0; a < 3; ++a)
        {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            sum.spin[a] += (r[b] * w[c] - r[c] * w[b]) / (double)x.count;
        }
    }
    sum.size = sqrt(sum.size);
    return sum;
}

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double distance(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return length_of(d);
}

frz_status validate_free_spin(const case_context *context, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    frz_status status = case_sim(context, "free_spin", result, &sim, diag);
    if (status == FRZ_OK)
    {
        const inertia before = inertia_of(sim);
        status = case_advance(context, sim, 2.0, 0.02, NULL, NULL, diag);
        const inertia after = inertia_of(sim);
        const double edge = before.size * length_of(before.spin) / (before.size * before.size); // speed at that radius
        case_limit(result, "momentum_change_over_spin_speed", distance(after.momentum, before.momentum) / edge, 1e-5);
        case_figure(result, "angular_momentum", length_of(after.spin), length_of(before.spin), length_of(before.spin),
                    1e-3);
        case_limit(result, "angular_momentum_turned", distance(after.spin, before.spin) / length_of(before.spin), 1e-3);
        case_figure(result, "size_m", after.size, before.size, before.size, 1e-3);
    }
    frz_sim_destroy(&sim);
    return status;
}

// ---- cantilever

static frz_status cantilever_tip(const case_context *context, int particles, case_result *result, double *tip,
                                 frz_diag *diag)
{
    static const double thickness = 0.1, length = 1.0, settled = 0.75; // m, m, s
    const double s = thickness / particles;
    char spacing[32], corner[64];
    frz_sim *sim = NULL;
    case_context plain = *context;
    plain.resolution = 1.0;
    snprintf(spacing, sizeof spacing, "%.9g", s);
    snprintf(corner, sizeof corner, "[%.9g, -0.05, -0.05]", -3.0 * s);
    const char *const settings[] = {"spacing", spacing, "bodies.beam.shape.box.min", corner, NULL};
    frz_status status = case_sim_with(&plain, "cantilever", settings, result, &sim, diag);
    if (status == FRZ_OK)
    {
        const double place[3] = {length, 0.5 * s, 0.5 * s}, inward[3] = {-s, 0.0, 0.0};
        const solid_point point = solid_point_at(sim, place, inward);
        status = case_advance(context, sim, settled, 0.01, NULL, NULL, diag);
        double u[3];
        solid_point_displacement(sim, &point, u);
        *tip = u[1];
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_cantilever(const case_context *context, case_result *result, frz_diag *diag)
{
    static const int shipped[2] = {4, 6};
    // Euler-Bernoulli: rho g A L^4 / (8 E I), I = A h^2 / 12
    const double exact = -1000.0 * 1.0 * 12.0 / (8.0 * 1.5e7 * 0.1 * 0.1);
    double tip[2];
    for (int k = 0; k < 2; ++k)
    {
        const int particles = (int)floor(shipped[k] * context->resolution + 0.5);
        const frz_status status = cantilever_tip(context, particles, result, &tip[k], diag);
        if (status != FRZ_OK)
            return status;
    }
    case_figure(result, "tip_y_m", tip[1], exact, exact, 0.03);
    snprintf(
        result->note, sizeof result->note,
        "with %d and %d particles through the thickness %.4f and %.4f of Euler-Bernoulli; shear, which that leaves "
        "out, adds 1 %%",
        shipped[0], shipped[1], tip[0] / exact, tip[1] / exact);
    return FRZ_OK;
}

// ---- twist

// Root mean square of the distance of all particles from their places in a list by id.
static double distance_from(const frz_sim *sim, const double (*places)[3], int64_t count)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view id = frz_sim_field(sim, "id", FRZ_SEGMENT_FREE);
    double square = 0.0;
    for (int64_t i = 0; i < x.count; ++i)
    {
        const int64_t n = (int64_t)frz_field_value(&id, i, 0);
        for (int a = 0; a < 3 && n < count; ++a)
            square += pow(frz_field_value(&x, i, a) - places[n][a], 2.0) / (double)x.count;
    }
    return sqrt(square);
}

enum
{
    twist_max = 32768
};

frz_status validate_twist(const case_context *context, case_result *result, frz_diag *diag)
{
    static double start[twist_max][3];
    frz_sim *sim = NULL;
    frz_status status = case_sim(context, "twist", result, &sim, diag);
    if (status == FRZ_OK)
    {
        frz_sim_report report;
        frz_sim_report_get(sim, &report);
        const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
        const frz_field_view id = frz_sim_field(sim, "id", FRZ_SEGMENT_FREE);
        for (int64_t i = 0; i < x.count; ++i)
            for (int a = 0; a < 3 && (int64_t)frz_field_value(&id, i, 0) < twist_max; ++a)
                start[(int64_t)frz_field_value(&id, i, 0)][a] = frz_field_value(&x, i, a);
        status = case_advance(context, sim, 1.4, 0.02, NULL, NULL, diag);
        const double twisted = distance_from(sim, start, twist_max) / report.spacing;
        if (status == FRZ_OK)
            status = case_advance(context, sim, 5.0, 0.02, NULL, NULL, diag);
        case_limit(result, "left_over_in_spacings", distance_from(sim, start, twist_max) / report.spacing, 0.01);
        snprintf(result->note, sizeof result->note, "at 270 degrees the particles are %.2f spacings from their places",
                 twisted);
    }
    frz_sim_destroy(&sim);
    return status;
}

// ---- Cook's membrane

// Displacement of the upper corner of the loaded edge. The load is spread over the last column of particles; how many these are
// depends on how the lattice is cut, so that the displacement is taken per load that the clamp bears.
static frz_status cook_corner(const case_context *context, double s, case_result *result, double *corner,
                              frz_diag *diag)
{
    static const double load = 1000.0, height = 16.0, density = 1000.0, settled = 50.0; // N/m, m, kg/m^3, s
    char spacing[32], push[64], edge[96];
    frz_sim *sim = NULL;
    case_context plain = *context;
    plain.resolution = 1.0;
    snprintf(spacing, sizeof spacing, "%.9g", s);
    snprintf(push, sizeof push, "[0, %.9g]", load / (density * height * s));
    snprintf(edge, sizeof edge, "{box: {min: [%.9g, 40], max: [50, 70]}}", 48.0 - s);
    const char *const settings[] = {"spacing", spacing, "regions.edge.acceleration", push, "regions.edge.shape",
                                    edge,      NULL};
    frz_status status = case_sim_with(&plain, "cook", settings, result, &sim, diag);
    if (status == FRZ_OK)
    {
        const double place[3] = {48.0, 60.0, 0.0}, inward[3] = {-s, 0.0, 0.0};
        const solid_point point = solid_point_at(sim, place, inward);
        status = case_advance(context, sim, settled, 0.5, NULL, NULL, diag);
        double u[3];
        solid_point_displacement(sim, &point, u);
        *corner = -u[1] * load / frz_sim_attachment(sim, 0).force[1];
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_cook(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double exact =
        23.96e-3; // m; 23.96 for E = 1 and F = 1, here the load is a thousandth of Young's modulus
    double corner[3];
    for (int k = 0; k < 3; ++k)
    {
        const frz_status status = cook_corner(context, 2.0 / (1 << k) / context->resolution, result, &corner[k], diag);
        if (status != FRZ_OK)
            return status;
    }
    case_figure(result, "corner_y_m", corner[2], exact, exact, 0.05);
    snprintf(result->note, sizeof result->note,
             "corner_y with 8, 16 and 32 particles along the loaded edge: %.3f, %.3f, %.3f mm; observed order %.2f",
             1e3 * corner[0], 1e3 * corner[1], 1e3 * corner[2], solid_order(corner[0], corner[1], corner[2], 2.0));
    return FRZ_OK;
}
