// SPDX-License-Identifier: MIT
// Elastic bodies against simple theory: a free spin, a cantilever, a twist that comes back, Cook's membrane.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/solid_probe.h"
#include "validate/validation.h"

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
    double order = 0.0;
    frz_status status = case_sim(context, "free_spin", result, &sim, diag);
    if (status == FRZ_OK)
    {
        const inertia before = inertia_of(sim);
        status = case_advance(context, sim, 2.0, 0.02, NULL, NULL, diag);
        const inertia after = inertia_of(sim);
        const double edge = before.size * length_of(before.spin) / (before.size * before.size); // speed at that radius
        case_limit(result, "momentum_change_over_spin_speed", distance(after.momentum, before.momentum) / edge, 1e-6);
        case_figure(result, "angular_momentum", length_of(after.spin), length_of(before.spin), length_of(before.spin),
                    1e-3);
        case_limit(result, "angular_momentum_turned", distance(after.spin, before.spin) / length_of(before.spin), 1e-3);
        case_figure(result, "size_m", after.size, before.size, before.size, 1e-3);
    }
    frz_sim_destroy(&sim);
    if (status == FRZ_OK)
        status = case_order_in_time(context, "free_spin", 3.2e-4 / context->resolution, 0.1, result, &order, diag);
    if (status == FRZ_OK)
        case_tell(result, "order_in_time_places", order);
    return status;
}

// ---- cantilever

// 10.5 times as long as thick: with an odd number of particles through the thickness a layer of them lies in the plane
// of the clamp, which holds it, and the length is whole.
static const double cantilever_length = 1.05; // m

static frz_status cantilever_tip(const case_context *context, int particles, case_result *result, double *tip,
                                 frz_diag *diag)
{
    static const double thickness = 0.1, settled = 1.0; // m, s
    const double s = thickness / particles;
    char spacing[32], corner[64], clamp[96];
    frz_sim *sim = NULL;
    case_context plain = *context;
    plain.resolution = 1.0;
    snprintf(spacing, sizeof spacing, "%.9g", s);
    snprintf(corner, sizeof corner, "[%.9g, -0.05, -0.05]", -3.5 * s);
    snprintf(clamp, sizeof clamp, "{box: {min: [-0.2, -1, -1], max: [%.9g, 1, 1]}}", 0.25 * s);
    const char *const settings[] = {"spacing", spacing, "bodies.beam.shape.box.min", corner, "attachments.clamp.shape",
                                    clamp,     NULL};
    frz_status status = case_sim_with(&plain, "cantilever", settings, result, &sim, diag);
    if (status == FRZ_OK)
    {
        const double place[3] = {cantilever_length, 0.0, 0.0}, inward[3] = {-s, 0.0, 0.0};
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
    static const int levels[3] = {3, 5, 7};
    static const double load = 1000.0, young = 1.5e7, poisson = 0.3; // N/m^3, Pa, -; as in the scene
    // Timoshenko: rho g A L^4 / (8 E I) + rho g L^2 / (2 k G), I = A h^2 / 12, with Cowper's k of a rectangle
    const double k = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson), shear = 0.5 * young / (1.0 + poisson);
    const double square = cantilever_length * cantilever_length;
    const double bending = -load * square * square * 12.0 / (8.0 * young * 0.1 * 0.1);
    const double exact = bending - load * square / (2.0 * k * shear);
    double tip[3], spacing[3], error[3];
    for (int n = 0; n < 3; ++n)
    {
        const int particles = 2 * (int)floor(0.5 * levels[n] * context->resolution) + 1; // odd
        const frz_status status = cantilever_tip(context, particles, result, &tip[n], diag);
        if (status != FRZ_OK)
            return status;
        spacing[n] = 0.1 / particles;
        error[n] = tip[n] - exact;
    }
    case_figure(result, "tip_y_m", tip[2], exact, exact, 0.03);
    case_tell(result, "order_in_space_tip_y", solid_order_of(spacing, error, 3));
    snprintf(result->note, sizeof result->note,
             "with %.0f, %.0f and %.0f particles through the thickness %.4f, %.4f and %.4f of the theory",
             0.1 / spacing[0], 0.1 / spacing[1], 0.1 / spacing[2], tip[0] / exact, tip[1] / exact, tip[2] / exact);
    return FRZ_OK;
}

// ---- twist

frz_status validate_twist(const case_context *context, case_result *result, frz_diag *diag)
{
    static solid_places start, now;
    frz_sim *sim = NULL;
    double order = 0.0;
    frz_status status = case_sim(context, "twist", result, &sim, diag);
    if (status == FRZ_OK)
    {
        frz_sim_report report;
        frz_sim_report_get(sim, &report);
        solid_places_take(sim, &start);
        status = case_advance(context, sim, 1.4, 0.02, NULL, NULL, diag);
        solid_places_take(sim, &now);
        const double twisted = solid_places_distance(&now, &start) / report.spacing;
        if (status == FRZ_OK)
            status = case_advance(context, sim, 5.0, 0.02, NULL, NULL, diag);
        solid_places_take(sim, &now);
        case_limit(result, "left_over_in_spacings", solid_places_distance(&now, &start) / report.spacing, 0.01);
        snprintf(result->note, sizeof result->note, "at 270 degrees the particles are %.2f spacings from their places",
                 twisted);
    }
    frz_sim_destroy(&sim);
    if (status == FRZ_OK)
        status = case_order_in_time(context, "twist", 1.28e-3 / context->resolution, 0.7, result, &order, diag);
    if (status == FRZ_OK)
        case_tell(result, "order_in_time_places", order);
    return status;
}

// ---- Cook's membrane

// Displacement of the middle of the loaded edge for a load of one thousandth of Young's modulus (per metre of
// thickness), m. The load is spread over the last column of particles; how many these are depends on how they fill the
// panel.
static frz_status cook_middle(const case_context *context, double s, case_result *result, double *middle,
                              frz_diag *diag)
{
    static const double load = 5e3, height = 16.0, density = 1000.0, settled = 30.0; // N/m, m, kg/m^3, s
    static const double unit = 1e3;                                                  // N/m
    char spacing[32], push[64], edge[96], corner[64], clamp[96];
    frz_sim *sim = NULL;
    case_context plain = *context;
    plain.resolution = 1.0;
    snprintf(spacing, sizeof spacing, "%.9g", s);
    snprintf(push, sizeof push, "[0, %.9g]", load / (density * height * s));
    snprintf(edge, sizeof edge, "{box: {min: [%.9g, 40], max: [50, 70]}}", 48.0 - s);
    snprintf(corner, sizeof corner, "[%.9g, -8]", -4.5 * s);
    snprintf(clamp, sizeof clamp, "{box: {min: [-20, -20], max: [%.9g, 70]}}", 0.25 * s);
    const char *const settings[] = {"spacing",
                                    spacing,
                                    "bodies.panel.shape.intersection.0.box.min",
                                    corner,
                                    "attachments.clamp.shape",
                                    clamp,
                                    "regions.edge.acceleration",
                                    push,
                                    "regions.edge.shape",
                                    edge,
                                    NULL};
    frz_status status = case_sim_with(&plain, "cook", settings, result, &sim, diag);
    if (status == FRZ_OK)
    {
        const double above[3] = {48.0, 52.0 + 0.5 * s, 0.0}, below[3] = {48.0, 52.0 - 0.5 * s, 0.0};
        const double inward[3] = {-s, 0.0, 0.0};
        const solid_point points[2] = {solid_point_at(sim, above, inward), solid_point_at(sim, below, inward)};
        const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
        int loaded = 0;
        for (int64_t i = 0; i < x.count; ++i)
            loaded += frz_field_value(&x, i, 0) > 48.0 - s;
        status = case_advance(context, sim, settled, 0.5, NULL, NULL, diag);
        double u[2][3];
        for (int k = 0; k < 2; ++k)
            solid_point_displacement(sim, &points[k], u[k]);
        *middle = 0.5 * (u[0][1] + u[1][1]) * (unit / load) * height / (loaded * s);
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_cook(const case_context *context, case_result *result, frz_diag *diag)
{
    // m, for E = 1 MPa and 1 kN/m. 23.96 F / E is quoted for the middle of the edge; bilinear elements, 16 to 256 along
    // each side and extrapolated, give 23.967 there and 25.18 at the upper corner.
    static const double exact = 23.967e-3;
    static const double columns[3] = {48.5, 68.5, 96.5}; // a layer stands in the plane of the clamp
    double middle[3], error[3], spacings[3];
    for (int k = 0; k < 3; ++k)
    {
        spacings[k] = 48.0 / (floor(columns[k] * context->resolution) + 0.5);
        const frz_status status = cook_middle(context, spacings[k], result, &middle[k], diag);
        if (status != FRZ_OK)
            return status;
        error[k] = middle[k] - exact;
    }
    case_figure(result, "middle_y_m", middle[2], exact, exact, 0.05);
    case_tell(result, "order_in_space_middle_y", solid_order_of(spacings, error, 3));
    snprintf(result->note, sizeof result->note, "at spacings of %.3f, %.3f and %.3f m: %.3f, %.3f, %.3f mm",
             spacings[0], spacings[1], spacings[2], 1e3 * middle[0], 1e3 * middle[1], 1e3 * middle[2]);
    return FRZ_OK;
}
