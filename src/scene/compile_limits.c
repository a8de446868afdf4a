// SPDX-License-Identifier: MIT
// Check the sizes of a scene against sensible limits, before sampling.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "base/machine.h"
#include "base/real.h"
#include "scene/compile_internal.h"
#include "sim/sources.h"

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

/// Ratio of the size of a mesh and of its surroundings, if that suggests a wrong unit; else 0.
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

// ---- frames

frz_status frz_compile_check_frames(const frz_scene *scene, frz_diag *diag)
{
    if (scene->duration * scene->frame_rate < INT_MAX / 2)
        return FRZ_OK;
    return frz_scene_fail(scene, frz_scene_mark_of(scene, "frame_rate"), diag,
                          "a run of %g s at %g frames per second has too many frames; use a lower frame_rate",
                          scene->duration, scene->frame_rate);
}

// ---- places and speeds

// rounding of positions in spacings: beyond the first bound the density is noise, beyond the second particles coincide
static const double doubtful_place = 0.01, useless_place = 0.05;

/// Furthest coordinate of bounds from the origin.
static double reach_of(frz_bounds bounds, int dimension)
{
    double reach = 0.0;
    for (int a = 0; a < dimension; ++a)
        reach = fmax(reach, fmax(fabs(frz_v3_get(bounds.min, a)), fabs(frz_v3_get(bounds.max, a))));
    return reach;
}

frz_status frz_compile_check_places(const frz_scene *scene, const frz_warning_sink *to, frz_diag *diag)
{
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const frz_scene_body *body = &scene->bodies.items[b];
        const double reach = reach_of(frz_shape_bounds(body->shape), scene->dimension);
        const double digit = reach * FRZ_REAL_EPSILON; // distance of two numbers that follow each other
        if (body->state == FRZ_SCENE_STATIC || !isfinite(reach) || digit < doubtful_place * scene->spacing)
            continue;
        if (digit >= useless_place * scene->spacing)
            return frz_scene_fail(scene, body->shape_mark, diag,
                                  "body '%s' lies %.3g m from the origin, where places are %.1g m apart in %s "
                                  "precision, too coarse for a spacing of %g m; move the scene to the origin",
                                  body->name, reach, digit, sizeof(frz_real) == 4 ? "single" : "double",
                                  scene->spacing);
        frz_warn(
            to,
            "body '%s' lies %.3g m from the origin, where places are %.1g m apart: that is coarse for a spacing of "
            "%g m; move the scene to the origin",
            body->name, reach, digit, scene->spacing);
    }
    return FRZ_OK;
}

static frz_status check_speed(const frz_scene *scene, const char *kind, const char *name, frz_mark mark, double speed,
                              frz_diag *diag)
{
    const double shortest =
        scene->time_step.fixed > 0.0 ? fmin(scene->time_step.fixed, scene->time_step.min) : scene->time_step.min;
    if (speed * shortest <= scene->spacing)
        return FRZ_OK;
    return frz_scene_fail(scene, mark, diag,
                          "%s '%s' moves at %.3g m/s: even in the shortest time step (time_step.min, %g s) that is "
                          "%.3g m, more than a spacing of %g m; nothing can follow it",
                          kind, name, speed, shortest, speed * shortest, scene->spacing);
}

frz_status frz_compile_check_speeds(const frz_scene *scene, frz_diag *diag)
{
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const frz_scene_body *body = &scene->bodies.items[b];
        const frz_bounds bounds = frz_shape_bounds(body->shape);
        const double radius = 0.5 * longest_side(bounds, scene->dimension);
        const double speed = frz_v3_length(body->velocity) + radius * frz_v3_length(body->angular_velocity);
        FRZ_TRY(check_speed(scene, "body", body->name, body->mark, speed, diag));
    }
    for (int e = 0; e < scene->emitters.count; ++e)
    {
        const frz_scene_emitter *emitter = &scene->emitters.items[e];
        if (emitter->has_speed)
            FRZ_TRY(check_speed(scene, "emitter", emitter->name, emitter->mark, emitter->speed, diag));
    }
    return FRZ_OK;
}

// ---- memory

// Bytes per particle besides its pairs, and per neighbour, as measured in runs of built-in scenes (demo, soft_cube).
static const double liquid_bytes = 500.0, liquid_pair_bytes = 12.0;
static const double solid_bytes = 1000.0, solid_pair_bytes = 24.0;
static const double sample_bytes = 200.0;
// The same of a material point: alone (frazil bench mpm, and room for scratch memory that grows), and where other
// things can push at it, which the step foretells (sand_castle).
static const double point_bytes = 450.0, pushed_point_bytes = 900.0;
// number of particles whose sampling takes more than a few seconds
static const double worth_a_note = 5.0e5;

static bool is_bounded(frz_bounds bounds, int dimension)
{
    bool bounded = true;
    for (int a = 0; a < dimension; ++a)
        bounded = bounded && frz_v3_get(bounds.min, a) > -FRZ_ENDLESS && frz_v3_get(bounds.max, a) < FRZ_ENDLESS;
    return bounded;
}

static const char *what_is_filled(const frz_scene_body *body)
{
    return body->state == FRZ_SCENE_LIQUID    ? "a liquid"
           : body->state == FRZ_SCENE_ELASTIC ? "an elastic body"
                                              : "a rigid body of particles";
}

static frz_status check_size(const frz_scene *scene, int b, double estimate, frz_diag *diag)
{
    const frz_scene_body *body = &scene->bodies.items[b];
    if (!is_bounded(frz_shape_bounds(body->shape), scene->dimension))
        return frz_scene_fail(scene, body->shape_mark, diag,
                              "body '%s': %s needs a bounded shape, and this one has no end; take its intersection "
                              "with a box",
                              body->name, what_is_filled(body));
    if (!(estimate < FRZ_MOST_PARTICLES))
        return frz_scene_fail(scene, body->mark, diag,
                              "body '%s' asks for about %.3g particles at a spacing of %g m; use a larger spacing or a "
                              "smaller shape%s",
                              body->name, estimate, scene->spacing, frz_compile_unit_hint(scene, b));
    return FRZ_OK;
}

static double free_particle_bytes(const frz_scene *scene, const frz_model *model, int material, bool liquid)
{
    if (material >= 0 && frz_model_has_points(model, material))
        return frz_model_only_points(model) ? point_bytes : pushed_point_bytes;
    const double reach = scene->kernel.support;
    const double neighbors = scene->dimension == 3 ? 4.0 / 3.0 * M_PI * reach * reach * reach : M_PI * reach * reach;
    return liquid ? liquid_bytes + neighbors * liquid_pair_bytes : solid_bytes + neighbors * solid_pair_bytes;
}

/// Total particles and memory of the bodies of a scene.
typedef struct demand
{
    double particles, samples, bytes;
} demand;

static frz_status add_body(const frz_scene *scene, const frz_model *model, int b, demand *sum, frz_diag *diag)
{
    const frz_scene_body *body = &scene->bodies.items[b];
    if (model->bodies[b].role == FRZ_ROLE_FREE)
    {
        const double count = body->sheet ? frz_sample_surface_estimate(body->shape, scene->spacing, scene->dimension)
                                         : frz_sample_volume_estimate(body->shape, scene->spacing, scene->dimension);
        FRZ_TRY(check_size(scene, b, count, diag));
        sum->particles += count;
        sum->bytes +=
            count * free_particle_bytes(scene, model, model->bodies[b].material, body->state == FRZ_SCENE_LIQUID);
        return FRZ_OK;
    }
    const double count = frz_sample_surface_estimate(body->shape, scene->spacing, scene->dimension);
    if (isfinite(count)) // unbounded bodies are cut at the domain
    {
        sum->samples += count;
        sum->bytes += count * sample_bytes;
    }
    return FRZ_OK;
}

// The first emitter's; -1: there is none.
static int emitted_material(const frz_model *model)
{
    return model->emitter_count > 0 ? model->bodies[model->emitters[0].body].material : -1;
}

frz_status frz_compile_check_sizes(const frz_scene *scene, const frz_model *model, const frz_warning_sink *to,
                                   frz_diag *diag)
{
    demand sum = {0.0, 0.0, 0.0};
    for (int b = 0; b < scene->bodies.count; ++b)
        FRZ_TRY(add_body(scene, model, b, &sum, diag));
    const double free_bytes = (double)frz_machine_memory();
    if (sum.bytes > free_bytes)
        return frz_fail(
            diag, FRZ_ERR_MEMORY,
            "the scene asks for about %.3g particles and %.3g samples of walls, which take about %.3g GB of "
            "memory, but only %.3g GB are free; use a larger spacing than %g m or a smaller scene",
            sum.particles, sum.samples, sum.bytes / 1.0e9, free_bytes / 1.0e9, scene->spacing);
    const double born = frz_emitters_total(model),
                 more = born * free_particle_bytes(scene, model, emitted_material(model), true);
    if (sum.bytes + more > free_bytes)
        frz_warn(
            to,
            "emitters will make about %.3g particles; together they take about %.3g GB of memory, but only %.3g GB "
            "are free; use a larger spacing, or limit them (max_particles, schedule)",
            born, (sum.bytes + more) / 1.0e9, free_bytes / 1.0e9);
    if (sum.particles + sum.samples > worth_a_note && to->log != NULL)
    {
        char text[160];
        snprintf(text, sizeof text, "placing about %.3g particles and %.3g samples of walls", sum.particles,
                 sum.samples);
        to->log(to->user, FRZ_LOG_INFO, text);
    }
    return FRZ_OK;
}
