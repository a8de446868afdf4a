// SPDX-License-Identifier: MIT
// Conduction against exact solutions of the half space (Carslaw & Jaeger 1959, chapter 2): a step that spreads, two
// bodies that touch, walls with a temperature, a flux or a heat transfer coefficient, and the air.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/validation.h"

static const double pi = 3.14159265358979323846;

/// Temperature at a place and time.
typedef double temperature_fn(double x, double time, const void *user);

/// Relative error in the mean square of the temperatures along an axis; scale is the largest difference.
static double profile_error(const frz_sim *sim, int axis, temperature_fn *exact, const void *user, double time,
                            double scale)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view t = frz_sim_field(sim, "temperature", FRZ_SEGMENT_FREE);
    double sum = 0.0;
    for (int64_t i = 0; i < x.count; ++i)
    {
        const double miss = frz_field_value(&t, i, 0) - exact(frz_field_value(&x, i, axis), time, user);
        sum += miss * miss;
    }
    return sqrt(sum / (double)x.count) / scale;
}

static frz_status set_profile(frz_sim *sim, temperature_fn *exact, double time, frz_diag *diag)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double *t = malloc(((size_t)x.count + 1) * sizeof *t);
    if (t == NULL)
        return FRZ_ERR_MEMORY;
    for (int64_t i = 0; i < x.count; ++i)
        t[i] = exact(frz_field_value(&x, i, 0), time, NULL);
    const frz_status status = frz_sim_set_temperature(sim, t, x.count, diag);
    free(t);
    return status;
}

static double conservation(const frz_sim *sim)
{
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    return fabs(stats.heat_drift) / stats.heat;
}

// ---- heat-rod

static const double diffusivity = 1e-4;               // m^2/s, of the scenes
static const double rod_start = 10.0, rod_end = 50.0; // s: far from the ends of the rod
static const double cold = 300.0, hot = 400.0;        // K

static double spreading_step(double x, double time, const void *user)
{
    (void)user;
    return 0.5 * (cold + hot) - 0.5 * (hot - cold) * erf(x / (2.0 * sqrt(diffusivity * time)));
}

typedef struct rod
{
    const char *name, *state, *fill, *disorder, *integration;
    double gate;
} rod;

static frz_status try_rod(const case_context *context, const rod *r, double finer, case_result *result, double *error,
                          double *drift, frz_diag *diag)
{
    char spacing[32];
    snprintf(spacing, sizeof spacing, "%.17g", 0.01 / finer);
    const char *settings[13] = {
        "spacing", spacing, "bodies.rod.state", r->state, "materials.stuff.heat.integration", r->integration};
    int used = 6;
    if (r->fill != NULL)
    {
        settings[used++] = "bodies.rod.fill";
        settings[used++] = r->fill;
    }
    if (r->disorder != NULL)
    {
        settings[used++] = "bodies.rod.disorder";
        settings[used++] = r->disorder;
    }
    frz_sim *sim = NULL;
    frz_status status = case_sim_with(context, "heat_rod", settings, result, &sim, diag);
    if (status == FRZ_OK)
        status = set_profile(sim, spreading_step, rod_start, diag);
    if (status == FRZ_OK)
        status = case_advance(context, sim, rod_end - rod_start, 5.0, NULL, NULL, diag);
    if (status == FRZ_OK)
    {
        *error = profile_error(sim, 0, spreading_step, NULL, rod_end, hot - cold);
        *drift = fmax(*drift, conservation(sim));
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_heat_rod(const case_context *context, case_result *result, frz_diag *diag)
{
    static const rod rods[] = {{"liquid", "liquid", NULL, NULL, "explicit", 0.01},
                               {"implicit", "liquid", NULL, NULL, "implicit", 0.01},
                               {"disordered", "liquid", NULL, "0.1", "auto", 0.01},
                               {"elastic", "elastic", NULL, NULL, "auto", 0.01},
                               {"rigid", "rigid", "particles", NULL, "auto", 0.01}};
    double drift = 0.0, coarse = 0.0;
    for (size_t n = 0; n < sizeof rods / sizeof rods[0]; ++n)
    {
        char name[64];
        double error = 0.0;
        const frz_status status = try_rod(context, &rods[n], 1.0, result, &error, &drift, diag);
        if (status != FRZ_OK)
            return status;
        snprintf(name, sizeof name, "%s_profile_error", rods[n].name);
        case_limit(result, name, error, rods[n].gate);
        coarse = n == 0 ? error : coarse;
    }
    double fine = 0.0;
    const frz_status status = try_rod(context, &rods[0], 2.0, result, &fine, &drift, diag);
    if (status != FRZ_OK)
        return status;
    case_tell(result, "order", log2(coarse / fine)); // 1: layers at the free sides lack neighbours along the rod
    case_limit(result, "heat_drift", drift, 1e-10);
    snprintf(result->note, sizeof result->note,
             "from the error function at %g s to that at %g s; errors are parts of the %g K between the ends",
             rod_start, rod_end, hot - cold);
    return FRZ_OK;
}

// ---- heat-contact

static const double contact_time = 20.0; // s

/// One half of a contact.
typedef struct half_space
{
    double conductivity, diffusivity, temperature; ///< W/(m K), m^2/s, K
} half_space;

static const half_space sides[2] = {{20.0, 20.0 / (1000.0 * 500.0), 400.0}, {200.0, 200.0 / (1000.0 * 2000.0), 300.0}};

static double effusivity(const half_space *side)
{
    return side->conductivity / sqrt(side->diffusivity);
}

static double interface_temperature(void)
{
    const double a = effusivity(&sides[0]), b = effusivity(&sides[1]);
    return (a * sides[0].temperature + b * sides[1].temperature) / (a + b);
}

static double touching(double x, double time, const void *user)
{
    (void)user;
    const half_space *side = &sides[x > 0.0];
    const double at = interface_temperature();
    return at + (side->temperature - at) * erf(fabs(x) / (2.0 * sqrt(side->diffusivity * time)));
}

// Temperature where the bodies meet: that of the nearest layers, weighted with their conductivities.
static double measured_interface(const frz_sim *sim)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view t = frz_sim_field(sim, "temperature", FRZ_SEGMENT_FREE);
    frz_sim_report report;
    frz_sim_report_get(sim, &report);
    double sum = 0.0, weights = 0.0;
    for (int64_t i = 0; i < x.count; ++i)
    {
        const double at = frz_field_value(&x, i, 0);
        if (fabs(at) > 0.75 * report.spacing)
            continue;
        const double weight = sides[at > 0.0].conductivity / fabs(at);
        sum += weight * frz_field_value(&t, i, 0);
        weights += weight;
    }
    return sum / weights;
}

frz_status validate_heat_contact(const case_context *context, case_result *result, frz_diag *diag)
{
    static const struct
    {
        const char *name, *hot, *cold, *hot_fill, *cold_fill;
    } pairs[] = {{"liquids", "liquid", "liquid", NULL, NULL},
                 {"elastic_in_liquid", "elastic", "liquid", NULL, NULL},
                 {"elastic", "elastic", "elastic", NULL, NULL},
                 {"rigid", "rigid", "rigid", "particles", "particles"}};
    const double reference = interface_temperature();
    for (size_t n = 0; n < sizeof pairs / sizeof pairs[0]; ++n)
    {
        const char *const plain[] = {"bodies.hot.state", pairs[n].hot, "bodies.cold.state", pairs[n].cold, NULL};
        const char *const filled[] = {"bodies.hot.state", pairs[n].hot,       "bodies.cold.state",
                                      pairs[n].cold,      "bodies.hot.fill",  pairs[n].hot_fill,
                                      "bodies.cold.fill", pairs[n].cold_fill, NULL};
        frz_sim *sim = NULL;
        frz_status status =
            case_sim_with(context, "heat_contact", pairs[n].hot_fill != NULL ? filled : plain, result, &sim, diag);
        if (status == FRZ_OK)
            status = case_advance(context, sim, contact_time, 1.0, NULL, NULL, diag);
        if (status == FRZ_OK)
        {
            char name[64];
            snprintf(name, sizeof name, "%s_interface", pairs[n].name);
            case_figure(result, name, measured_interface(sim), reference, hot - cold, 0.01);
            snprintf(name, sizeof name, "%s_profile_error", pairs[n].name);
            case_limit(result, name, profile_error(sim, 0, touching, NULL, contact_time, hot - cold), 0.01);
            snprintf(name, sizeof name, "%s_heat_drift", pairs[n].name);
            case_limit(result, name, conservation(sim), 1e-10);
        }
        frz_sim_destroy(&sim);
        if (status != FRZ_OK)
            return status;
    }
    snprintf(result->note, sizeof result->note,
             "errors of temperatures are parts of the 100 K between the bodies; conductivities differ by 10, "
             "diffusivities by 2.5");
    return FRZ_OK;
}

// ---- heat-wall

static const double wall_time = 50.0, wall_conductivity = 100.0; // s, W/(m K)
static const double wall_flux = 20e3;                            // W/m^2
static const double transfer = 1000.0;                           // W/(m^2 K)
static const double depth = 0.6;                                 // m

static double of_temperature(double x, double time, const void *user)
{
    (void)user;
    return cold + (hot - cold) * erfc(x / (2.0 * sqrt(diffusivity * time)));
}

static double of_flux(double x, double time, const void *user)
{
    (void)user;
    const double length = sqrt(diffusivity * time);
    return cold + wall_flux / wall_conductivity *
                      (2.0 * length / sqrt(pi) * exp(-x * x / (4.0 * length * length)) - x * erfc(x / (2.0 * length)));
}

static double of_transfer(double x, double time, const void *user)
{
    (void)user;
    const double length = sqrt(diffusivity * time), biot = transfer / wall_conductivity;
    return cold + (hot - cold) * (erfc(x / (2.0 * length)) - exp(biot * x + biot * biot * length * length) *
                                                                 erfc(x / (2.0 * length) + biot * length));
}

// The liquid is hot and gives its heat to the air above it.
static double of_air(double y, double time, const void *user)
{
    return hot + cold - of_transfer(depth - y, time, user);
}

frz_status validate_heat_wall(const case_context *context, case_result *result, frz_diag *diag)
{
    static const struct
    {
        const char *name, *key, *value, *key2, *value2;
        temperature_fn *exact;
        double scale;
    } walls[] = {{"temperature", "bodies.wall.temperature", "400 K", NULL, NULL, of_temperature, 100.0},
                 {"flux", "bodies.wall.heat_flux", "20 kW/m2", NULL, NULL, of_flux, 16.0}, // K: 2 q / k sqrt(a t / pi)
                 {"transfer", "bodies.wall.temperature", "400 K", "bodies.wall.heat_transfer", "1 kW/(m2 K)",
                  of_transfer, 100.0},
                 {"air", "bodies.liquid.temperature", "400 K", "materials.liquid.heat.convection", "1 kW/(m2 K)",
                  of_air, 100.0}};
    for (size_t n = 0; n < sizeof walls / sizeof walls[0]; ++n)
    {
        const char *const settings[] = {walls[n].key, walls[n].value, walls[n].key2, walls[n].value2, NULL};
        frz_sim *sim = NULL;
        frz_status status = case_sim_with(context, "heat_wall", settings, result, &sim, diag);
        if (status == FRZ_OK)
            status = case_advance(context, sim, wall_time, 1.0, NULL, NULL, diag);
        if (status == FRZ_OK)
        {
            char name[64];
            snprintf(name, sizeof name, "%s_profile_error", walls[n].name);
            case_limit(result, name, profile_error(sim, 1, walls[n].exact, NULL, wall_time, walls[n].scale), 0.01);
            snprintf(name, sizeof name, "%s_heat_drift", walls[n].name);
            case_limit(result, name, conservation(sim), 1e-10);
        }
        frz_sim_destroy(&sim);
        if (status != FRZ_OK)
            return status;
    }
    return FRZ_OK;
}
