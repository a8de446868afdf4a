// SPDX-License-Identifier: MIT
// The patch test: under an affine map of a body the deformation gradient of every particle is that map's, for every
// arrangement of the particles, at surfaces too. Under a quadratic map it converges with the spacing.
//
// The particles of a ball (which is filled without a lattice) get velocities that are an affine function of their
// positions, and almost no stiffness, so that after a short time their displacements are that function. The time is
// short because even the softest material (1e-6 Pa) is not without stiffness: it changes gradients by about strain E
// t^2 / (rho s^2), 5e-7 in a second, 5e-13 in a millisecond.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/solid_probe.h"
#include "validate/validation.h"

static const char *const methods[] = {"tlsph",       "becker2009", "peer2018",       "kugelstadt2021",
                                      "mueller2004", "zhou2013",   "solenthaler2007"};

static const double duration = 1.0e-3; // s
// Change of the gradient: stretch, shear and rotation at once, small enough that no particles meet.
static const double slope[9] = {0.2, 0.3, -0.1, -0.2, 0.1, 0.15, 0.1, -0.25, 0.05};
static const double bend = 1.0; // of the quadratic map u_x = bend y^2, 1/m

enum
{
    method_count = sizeof methods / sizeof methods[0],
    level_count = 3
};

typedef struct patch
{
    int dimension;
    bool quadratic;
    bool double_precision; // of the program; found
} patch;

// Velocity at a place.
static void velocity_at(const patch *p, const double x[3], double v[3])
{
    for (int a = 0; a < 3; ++a)
    {
        v[a] = p->quadratic && a == 0 ? bend / duration * x[1] * x[1] : 0.0;
        for (int b = 0; !p->quadratic && a < p->dimension && b < p->dimension && b < 3; ++b)
            v[a] += slope[3 * a + b] / duration * x[b];
    }
}

// The exact gradient, entry k = 3 a + b, for a particle that was at that height.
static double exact_gradient(const patch *p, int k, double y)
{
    const double unit = k % 4 == 0 ? 1.0 : 0.0;
    if (p->quadratic)
        return unit + (k == 1 ? 2.0 * bend * y : 0.0);
    return unit + (k / 3 < p->dimension && k % 3 < p->dimension ? slope[k] : 0.0);
}

static frz_status start(frz_sim *sim, const patch *p, double *velocity, frz_diag *diag)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    for (int64_t i = 0; i < x.count; ++i)
    {
        double place[3] = {0.0, 0.0, 0.0};
        for (int a = 0; a < 3; ++a)
            place[a] = frz_field_value(&x, i, a);
        velocity_at(p, place, velocity + 3 * i);
    }
    return frz_sim_set_velocity(sim, velocity, x.count, diag);
}

// Largest difference of all entries of all particles; of the quadratic map the root mean square.
static frz_status compare(const frz_sim *sim, const patch *p, double *gradient, double *error, frz_diag *diag)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_status status = frz_sim_deformation(sim, gradient, x.count, diag);
    double worst = 0.0, square = 0.0;
    for (int64_t i = 0; status == FRZ_OK && i < x.count; ++i)
    {
        const double y = frz_field_value(&x, i, 1); // the quadratic map does not change y
        for (int k = 0; k < 9; ++k)
        {
            const double d = gradient[9 * i + k] - exact_gradient(p, k, y);
            worst = fmax(worst, fabs(d));
            square += d * d / (double)x.count;
        }
    }
    *error = p->quadratic ? sqrt(square) : worst;
    return status;
}

static frz_status gradient_error(const case_context *context, const char *method, double spacing, patch *p,
                                 case_result *result, double *error, frz_diag *diag)
{
    char s[32];
    snprintf(s, sizeof s, "%.9g", spacing);
    case_context plain = *context;
    plain.resolution = 1.0;
    const char *const settings[] = {"dimension", p->dimension == 2 ? "2" : "3", "spacing", s, "gravity",
                                    p->dimension == 2 ? "[0, 0]" : "[0, 0, 0]",
                                    // in the plane a place has two numbers
                                    "bodies.ball.shape.sphere.center", p->dimension == 2 ? "[0, 0]" : "[0, 0, 0]",
                                    "materials.dust.elastic.method", method, NULL};
    frz_sim *sim = NULL;
    frz_status status = case_sim_with(&plain, "patch", settings, result, &sim, diag);
    const int64_t count = status == FRZ_OK ? frz_sim_particle_count(sim, FRZ_SEGMENT_FREE) : 0;
    double *room = calloc((size_t)(9 * count + 1), sizeof *room);
    if (status == FRZ_OK && room == NULL)
    {
        snprintf(diag->message, sizeof diag->message, "not enough memory for the gradients of %lld particles",
                 (long long)count);
        status = diag->status = FRZ_ERR_MEMORY;
    }
    if (status == FRZ_OK)
        status = start(sim, p, room, diag);
    if (status == FRZ_OK)
        status = case_advance(&plain, sim, duration, 0.5 * duration, NULL, NULL, diag);
    if (status == FRZ_OK)
        status = compare(sim, p, room, error, diag);
    if (status == FRZ_OK)
        p->double_precision = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE).type == FRZ_SCALAR_F64;
    free(room);
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_patch(const case_context *context, case_result *result, frz_diag *diag)
{
    // rounding of places over the spacing, some steps of it
    static const double gate_single = 2.0e-5, gate_double = 1.0e-10;
    static const double spacings[level_count] = {20e-3, 10e-3, 5e-3}; // m
    double errors[level_count] = {0};
    frz_status status = FRZ_OK;
    for (int d = 2; d <= 3; ++d)
        for (int m = 0; status == FRZ_OK && m < method_count; ++m)
        {
            char name[64];
            patch affine = {.dimension = d};
            status =
                gradient_error(context, methods[m], spacings[0] / context->resolution, &affine, result, errors, diag);
            snprintf(name, sizeof name, "%s_%dd", methods[m], d);
            case_limit(result, name, errors[0], affine.double_precision ? gate_double : gate_single);
        }
    for (int k = 0; status == FRZ_OK && k < level_count; ++k)
    {
        patch quadratic = {.dimension = 2, .quadratic = true};
        status = gradient_error(context, methods[0], spacings[k] / context->resolution, &quadratic, result, &errors[k],
                                diag);
    }
    if (status == FRZ_OK)
        case_tell(result, "order_in_space_quadratic_map", solid_order_of(spacings, errors, level_count));
    return status;
}
