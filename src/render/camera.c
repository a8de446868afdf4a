// SPDX-License-Identifier: MIT
// Cameras: one that shows everything, and the frame of rays that belongs to a camera.
#include "render/view.h"

#include <math.h>

static const double auto_fov = 0.5235987755982988;     // rad (30 degrees): little distortion, still some depth
static const double auto_azimuth = 0.5585053606381855; // rad (32 degrees) from +z towards +x: two sides in view
static const double auto_elevation = 0.33;             // rad (19 degrees): surface and floor both visible
static const double auto_margin = 1.12;                // picture over content, leaves air for legend and shadow
static const double flat_view_cosine = 0.9999;         // closer to the z axis than this is a 2D picture
static const int centering_rounds = 6;                 // each round shrinks the off-centre error about tenfold

/// An interval that is surely finite and not empty.
static void tame_interval(double *min, double *max)
{
    static const double largest = 1e30; // m; keeps squares finite
    const bool has_min = isfinite(*min) && fabs(*min) < largest;
    const bool has_max = isfinite(*max) && fabs(*max) < largest;
    if (!has_min && !has_max)
    {
        *min = -0.5;
        *max = 0.5;
    }
    else if (!has_min)
        *min = *max - 1.0;
    else if (!has_max)
        *max = *min + 1.0;
    if (*min > *max)
        *min = *max = 0.5 * (*min + *max);
}

static frz_camera auto_flat(frz_vec3 center, frz_vec3 size, double aspect)
{
    const double height = fmax(fmax(size.y, size.x / aspect), 1e-12);
    frz_camera camera = {.target = center, .up = {0.0, 1.0, 0.0}, .vertical_fov = 0.0};
    camera.ortho_height = auto_margin * height;
    camera.eye = frz_v3(center.x, center.y, center.z + fmax(camera.ortho_height, size.z));
    return camera;
}

typedef struct corner_fit
{
    double distance;         ///< from the target at which all corners are in the picture
    double shift_x, shift_y; ///< of the target, that would centre them
} corner_fit;

/// Frame the corners of a box of the given size, seen from target + distance * back.
static corner_fit fit_corners(frz_vec3 center, frz_vec3 size, frz_vec3 target, const frz_vec3 axes[3], double tangent_x,
                              double tangent_y)
{
    corner_fit fit = {0.0, 0.0, 0.0};
    double x[8], y[8], toward[8];
    for (int corner = 0; corner < 8; ++corner)
    {
        const frz_vec3 half = frz_v3((corner & 1 ? 0.5 : -0.5) * size.x, (corner & 2 ? 0.5 : -0.5) * size.y,
                                     (corner & 4 ? 0.5 : -0.5) * size.z);
        const frz_vec3 offset = frz_v3_sub(frz_v3_add(center, half), target);
        x[corner] = frz_v3_dot(offset, axes[0]);
        y[corner] = frz_v3_dot(offset, axes[1]);
        toward[corner] = frz_v3_dot(offset, axes[2]);
        const double need = fmax(fabs(x[corner]) / tangent_x, fabs(y[corner]) / tangent_y);
        fit.distance = fmax(fit.distance, toward[corner] + auto_margin * need);
    }
    double min_x = HUGE_VAL, max_x = -HUGE_VAL, min_y = HUGE_VAL, max_y = -HUGE_VAL;
    for (int corner = 0; corner < 8; ++corner)
    {
        const double depth = fmax(fit.distance - toward[corner], 1e-12 * fit.distance);
        min_x = fmin(min_x, x[corner] / depth);
        max_x = fmax(max_x, x[corner] / depth);
        min_y = fmin(min_y, y[corner] / depth);
        max_y = fmax(max_y, y[corner] / depth);
    }
    fit.shift_x = 0.5 * (min_x + max_x) * fit.distance;
    fit.shift_y = 0.5 * (min_y + max_y) * fit.distance;
    return fit;
}

frz_camera frz_camera_auto(frz_bounds bounds, int dimension, double aspect)
{
    tame_interval(&bounds.min.x, &bounds.max.x);
    tame_interval(&bounds.min.y, &bounds.max.y);
    if (dimension < 3)
        bounds.min.z = bounds.max.z = 0.0;
    else
        tame_interval(&bounds.min.z, &bounds.max.z);
    if (!(aspect > 0.0) || !isfinite(aspect))
        aspect = 1.0;
    const frz_vec3 center = frz_v3_scale(0.5, frz_v3_add(bounds.min, bounds.max));
    frz_vec3 size = frz_v3_sub(bounds.max, bounds.min);
    const double smallest = fmax(1e-9, 1e-6 * fmax(fmax(fabs(center.x), fabs(center.y)), fabs(center.z)));
    if (fmax(fmax(size.x, size.y), size.z) < smallest)
        size = frz_v3(1.0, 1.0, dimension < 3 ? 0.0 : 1.0);
    if (dimension < 3)
        return auto_flat(center, size, aspect);

    const frz_vec3 back =
        frz_v3(sin(auto_azimuth) * cos(auto_elevation), sin(auto_elevation), cos(auto_azimuth) * cos(auto_elevation));
    const frz_vec3 right = frz_v3_normalize(frz_v3_cross(frz_v3(0.0, 1.0, 0.0), back));
    const frz_vec3 axes[3] = {right, frz_v3_cross(back, right), back};
    const double tangent_y = tan(0.5 * auto_fov);
    frz_camera camera = {.target = center, .up = {0.0, 1.0, 0.0}, .vertical_fov = auto_fov};
    corner_fit fit = fit_corners(center, size, camera.target, axes, tangent_y * aspect, tangent_y);
    for (int round = 0; round < centering_rounds; ++round)
    {
        camera.target = frz_v3_mad(frz_v3_mad(camera.target, fit.shift_x, axes[0]), fit.shift_y, axes[1]);
        fit = fit_corners(center, size, camera.target, axes, tangent_y * aspect, tangent_y);
    }
    camera.eye = frz_v3_mad(camera.target, fit.distance, back);
    camera.ortho_height = 2.0 * fit.distance * tangent_y;
    return camera;
}

static bool is_finite_vec3(frz_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static frz_vec3f dominant_axis(frz_vec3 a)
{
    if (fabs(a.y) >= fabs(a.x) && fabs(a.y) >= fabs(a.z))
        return frz_v3f(0.0f, a.y < 0.0 ? -1.0f : 1.0f, 0.0f);
    if (fabs(a.z) >= fabs(a.x))
        return frz_v3f(0.0f, 0.0f, a.z < 0.0 ? -1.0f : 1.0f);
    return frz_v3f(a.x < 0.0 ? -1.0f : 1.0f, 0.0f, 0.0f);
}

frz_status frz_view_create(const frz_camera *camera, double aspect, frz_view *out, frz_diag *diag)
{
    const frz_vec3 sight = frz_v3_sub(camera->target, camera->eye);
    const double distance = frz_v3_length(sight);
    if (!is_finite_vec3(camera->eye) || !is_finite_vec3(camera->target) || !is_finite_vec3(camera->up))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the camera's eye, target and up must be finite numbers");
    if (!(distance > 0.0) || !isfinite(distance))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the camera's eye and target must be different points");
    const frz_vec3 forward = frz_v3_scale(1.0 / distance, sight);
    frz_vec3 right = frz_v3_cross(forward, frz_v3_normalize(camera->up));
    if (frz_v3_length(right) < 1e-9)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the camera's up must not lie along its line of sight");
    right = frz_v3_normalize(right);
    const bool orthographic = !(camera->vertical_fov > 0.0);
    if (orthographic && !(camera->ortho_height > 0.0 && isfinite(camera->ortho_height)))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "an orthographic camera needs a height above 0, got %g",
                        camera->ortho_height);
    if (!orthographic && !(camera->vertical_fov < 3.0))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the camera's field of view must be below 3 rad, got %g",
                        camera->vertical_fov);

    const double half_height = orthographic ? 0.5 * camera->ortho_height / distance : tan(0.5 * camera->vertical_fov);
    out->origin = camera->target;
    out->unit = distance;
    out->eye = frz_v3f_from(frz_v3_scale(-1.0, forward));
    out->forward = frz_v3f_from(forward);
    out->right = frz_v3f_from(right);
    out->up = frz_v3f_from(frz_v3_cross(right, forward));
    out->half_height = (float)half_height;
    out->half_width = (float)(half_height * aspect);
    out->shift_x = 0.0f;
    out->orthographic = orthographic;
    out->flat = orthographic && fabs(forward.z) > flat_view_cosine;
    out->world_up = dominant_axis(camera->up);
    return FRZ_OK;
}

void frz_view_reserve_right(frz_view *view, float share)
{
    const float scale = 1.0f / (1.0f - share);
    view->half_width *= scale;
    view->half_height *= scale;
    view->shift_x = share * view->half_width;
}
