// SPDX-License-Identifier: MIT
// Elastic cases once more with material points: the same scenes, measures and gates.
#include "validate/validation.h"

// The case with these keys of its scene changed.
static frz_status of_points(const case_context *context, case_fn *run, const char *const *settings, case_result *result,
                            frz_diag *diag)
{
    case_context points = *context;
    points.settings = settings;
    return run(&points, result, diag);
}

frz_status validate_mpm_cantilever(const case_context *context, case_result *result, frz_diag *diag)
{
    static const char *const settings[] = {"materials.rubber.elastic.method", "mpm", NULL};
    return of_points(context, validate_cantilever, settings, result, diag);
}

frz_status validate_mpm_csm1(const case_context *context, case_result *result, frz_diag *diag)
{
    static const char *const settings[] = {"materials.rubber.elastic.method", "mpm", NULL};
    return of_points(context, validate_csm1, settings, result, diag);
}

frz_status validate_mpm_rings(const case_context *context, case_result *result, frz_diag *diag)
{
    static const char *const settings[] = {"materials.rubber.elastic.method", "mpm", NULL};
    return of_points(context, validate_rings, settings, result, diag);
}

frz_status validate_mpm_taylor_bar(const case_context *context, case_result *result, frz_diag *diag)
{
    static const char *const settings[] = {"materials.copper.elastic",
                                           "{method: mpm, young: 117e9, poisson: 0.35, law: neo_hookean_log}", NULL};
    return of_points(context, validate_taylor_bar, settings, result, diag);
}
