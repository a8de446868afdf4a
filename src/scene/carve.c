// SPDX-License-Identifier: MIT
// Overlapping bodies: the one with the higher priority keeps the space. And the warnings of `frazil check`.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"
#include "physics/pressure/pressure_system.h"
#include "scene/compile_internal.h"

enum
{
    sentence_size = 512 // bytes of a warning
};

// spacings that a liquid keeps from the surface of another liquid of higher priority
static const double liquid_clearance = 0.25;
// fraction of the volume that may be missing or in excess without a warning
static const double volume_error = 0.005;

// Is body a carved by body b? At equal priority the later body is carved.
static bool gives_way(const frz_scene *scene, int a, int b)
{
    const int pa = scene->bodies.items[a].priority, pb = scene->bodies.items[b].priority;
    return pa < pb || (pa == pb && a > b);
}

// How near to body b's surface a sample of body a may be; HUGE_VAL: they do not carve each other.
static double clearance(const frz_scene *scene, const frz_model *model, int a, int b)
{
    const bool wall_a = model->bodies[a].role == FRZ_ROLE_SAMPLE, wall_b = model->bodies[b].role == FRZ_ROLE_SAMPLE;
    if (wall_a && wall_b)
        return -HUGE_VAL; // walls may run into each other: sample volumes account for it
    if (wall_a)
        return -HUGE_VAL; // a liquid never takes away a wall
    if (wall_b)
        return frz_wall_clearance(model);
    return gives_way(scene, a, b) ? liquid_clearance * scene->spacing : -HUGE_VAL;
}

// From a point to body b. A rigid body that reaches across a periodic seam comes in on the other side; static walls end
// there (frz_compile_clip).
static double distance_to(const frz_scene *scene, const frz_model *model, int b, frz_vec3 point)
{
    int images[3] = {0, 0, 0};
    double length[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < model->dimension; ++a)
        if (model->periodic[a] && model->bodies[b].kind == FRZ_BODY_RIGID)
        {
            images[a] = 1;
            length[a] = model->domain_max[a] - model->domain_min[a];
        }
    double least = HUGE_VAL;
    for (int x = -images[0]; x <= images[0]; ++x)
        for (int y = -images[1]; y <= images[1]; ++y)
            for (int z = -images[2]; z <= images[2]; ++z)
            {
                const frz_vec3 way = frz_v3(x * length[0], y * length[1], z * length[2]);
                least = fmin(least, frz_shape_distance(scene->bodies.items[b].shape, frz_v3_add(point, way)));
            }
    return least;
}

static bool is_taken(const frz_scene *scene, const frz_model *model, int a, frz_vec3 point)
{
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        if (b == a)
            continue;
        const double keep = clearance(scene, model, a, b);
        if (keep > -HUGE_VAL && distance_to(scene, model, b, point) < keep)
            return true;
    }
    return false;
}

frz_status frz_compile_carve(const frz_scene *scene, frz_model *model, frz_point_set *sets, frz_diag *diag)
{
    for (int a = 0; a < scene->bodies.count; ++a)
    {
        if (model->bodies[a].role == FRZ_ROLE_SAMPLE || sets[a].count == 0)
            continue;
        bool *taken = FRZ_ALLOC("carving", sets[a].count, bool);
        if (taken == NULL)
            return frz_fail_memory(diag, "the carving");
#pragma omp parallel for schedule(dynamic, 1024)
        for (int64_t k = 0; k < sets[a].count; ++k)
            taken[k] = is_taken(scene, model, a, sets[a].points[k]);
        int64_t kept = 0;
        for (int64_t k = 0; k < sets[a].count; ++k)
            if (!taken[k])
                sets[a].points[kept++] = sets[a].points[k];
        model->bodies[a].carved = sets[a].count - kept;
        sets[a].count = kept;
        frz_free(taken);
    }
    return FRZ_OK;
}

static bool are_apart(frz_bounds a, frz_bounds b, int dimension)
{
    return a.min.x > b.max.x || b.min.x > a.max.x || a.min.y > b.max.y || b.min.y > a.max.y ||
           (dimension == 3 && (a.min.z > b.max.z || b.min.z > a.max.z));
}

static bool is_endless(frz_bounds b, int dimension)
{
    return fmin(b.min.x, b.min.y) <= -FRZ_ENDLESS || fmax(b.max.x, b.max.y) >= FRZ_ENDLESS ||
           (dimension == 3 && (b.min.z <= -FRZ_ENDLESS || b.max.z >= FRZ_ENDLESS));
}

/// Matter may fall onto an unbounded wall that lies further away: include the places of its surface nearest to the
/// corners of the bodies' extent, if they lie in the domain.
static void include_far_walls(const frz_scene *scene, const frz_model *model, frz_bounds extent, frz_bounds *clip)
{
    const double beyond = model->support + 2.0 * scene->spacing;
    const frz_bounds domain = {{model->domain_min[0], model->domain_min[1], model->domain_min[2]},
                               {model->domain_max[0], model->domain_max[1], model->domain_max[2]}};
    for (int k = 0; k < 8 * scene->bodies.count; ++k)
    {
        const frz_shape *shape = scene->bodies.items[k / 8].shape;
        if (!is_endless(frz_shape_bounds(shape), scene->dimension))
            continue;
        const frz_vec3 corner = {(k & 1) != 0 ? extent.max.x : extent.min.x, (k & 2) != 0 ? extent.max.y : extent.min.y,
                                 (k & 4) != 0 ? extent.max.z : extent.min.z};
        const double distance = frz_shape_distance(shape, corner);
        const frz_vec3 foot = frz_v3_mad(corner, -distance, frz_shape_normal(shape, corner));
        const frz_bounds place = {foot, foot};
        if (are_apart(place, domain, scene->dimension) || !are_apart(place, *clip, scene->dimension))
            continue;
        clip->min = frz_v3(fmin(clip->min.x, foot.x - beyond), fmin(clip->min.y, foot.y - beyond),
                           fmin(clip->min.z, foot.z - beyond));
        clip->max = frz_v3(fmax(clip->max.x, foot.x + beyond), fmax(clip->max.y, foot.y + beyond),
                           fmax(clip->max.z, foot.z + beyond));
    }
}

frz_bounds frz_compile_clip(const frz_scene *scene, const frz_model *model)
{
    // unbounded walls are needed wherever liquid can be: over the extent of the bodies, and once that size beyond
    frz_bounds clip = frz_scene_extent(scene);
    const double size = fmax(fmax(clip.max.x - clip.min.x, clip.max.y - clip.min.y), clip.max.z - clip.min.z);
    const double margin = fmax(0.5 * size, 4.0 * scene->spacing);
    clip.min = frz_v3(clip.min.x - margin, clip.min.y - margin, clip.min.z - margin);
    clip.max = frz_v3(clip.max.x + margin, clip.max.y + margin, clip.max.z + margin);
    include_far_walls(scene, model, frz_scene_extent(scene), &clip);
    const double beyond = model->support;
    double *min[3] = {&clip.min.x, &clip.min.y, &clip.min.z}, *max[3] = {&clip.max.x, &clip.max.y, &clip.max.z};
    for (int a = 0; a < 3 && a < model->dimension; ++a)
    {
        // past a periodic seam the same wall comes again; past an open limit nothing is left to hold
        const double over = model->periodic[a] ? 0.0 : beyond;
        if (scene->domain.has_min)
            *min[a] = fmax(*min[a], model->domain_min[a] - over);
        if (scene->domain.has_max)
            *max[a] = fmin(*max[a], model->domain_max[a] + over);
    }
    return clip;
}

void frz_warn(const frz_warning_sink *to, const char *format, ...)
{
    if (to->log == NULL)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    to->log(to->user, FRZ_LOG_WARNING, text);
}

frz_bounds frz_compile_shape_clip(const frz_model *model, const frz_shape *shape)
{
    const frz_bounds own = frz_shape_bounds(shape);
    const double margin = model->support;
    return (frz_bounds){frz_v3(own.min.x - margin, own.min.y - margin, own.min.z - margin),
                        frz_v3(own.max.x + margin, own.max.y + margin, own.max.z + margin)};
}

frz_bounds frz_compile_body_clip(const frz_scene *scene, const frz_model *model, int body, frz_bounds clip)
{
    if (model->bodies[body].kind != FRZ_BODY_RIGID)
        return clip;
    const frz_bounds own = frz_compile_shape_clip(model, scene->bodies.items[body].shape);
    const frz_vec3 low = own.min, high = own.max;
    return model->dimension == 3 ? own : (frz_bounds){{low.x, low.y, clip.min.z}, {high.x, high.y, clip.max.z}};
}

bool frz_compile_is_outside(const frz_scene *scene, int body, frz_bounds clip)
{
    return are_apart(frz_shape_bounds(scene->bodies.items[body].shape), clip, scene->dimension);
}

// Why a body has no particles.
static const char *reason_for_nothing(const frz_scene *scene, const frz_model *model, int b)
{
    const frz_scene_body *body = &scene->bodies.items[b];
    if (model->bodies[b].carved > 0)
        return "all of its space belongs to other bodies";
    if (!(frz_shape_volume(body->shape, scene->dimension) > 0.0))
        return scene->dimension == 2 ? "nothing is left of its shape in the plane z = 0"
                                     : "nothing is left of its shape";
    if (model->bodies[b].role == FRZ_ROLE_SAMPLE && frz_compile_is_outside(scene, b, frz_compile_clip(scene, model)))
        return "it lies outside the domain";
    return "it is thinner than the spacing";
}

// Volume of a body's shape without its overlap with the bodies that carve it; negative: not known.
static double volume_left(const frz_scene *scene, const frz_model *model, int a)
{
    const frz_shape *own = scene->bodies.items[a].shape;
    if (model->bodies[a].carved == 0)
        return frz_shape_volume(own, scene->dimension);
    frz_shape **parts = FRZ_ALLOC("volumes", scene->bodies.count, frz_shape *);
    if (parts == NULL)
        return -1.0;
    int count = 0;
    parts[count++] = frz_shape_share(scene->bodies.items[a].shape);
    for (int b = 0; b < scene->bodies.count; ++b)
        if (b != a && clearance(scene, model, a, b) > -HUGE_VAL &&
            !are_apart(frz_shape_bounds(own), frz_shape_bounds(scene->bodies.items[b].shape), scene->dimension))
            parts[count++] = frz_shape_share(scene->bodies.items[b].shape);
    frz_shape *left = NULL;
    double volume = -1.0;
    if (count == 1)
        frz_shape_destroy(&parts[0]);
    else if (frz_shape_take_combine(FRZ_SHAPE_DIFFERENCE, parts, count, &left, NULL) == FRZ_OK)
        volume = frz_shape_volume(left, scene->dimension);
    frz_shape_destroy(&left);
    frz_free(parts);
    return volume;
}

// Every particle has the volume of a cube of the spacing. Thin bodies, and those cut by others, have no whole number of
// them. Writes nothing if the volume is right.
static void tell_volume(const frz_scene *scene, const frz_model *model, int b, size_t size, char *text)
{
    const frz_body *made = &model->bodies[b];
    const double volume = volume_left(scene, model, b), filled = (double)made->sample_count * model->cell;
    const double error = filled / volume - 1.0;
    text[0] = '\0';
    if (scene->bodies.items[b].sheet) // it counts as a spacing thick, whatever its shape
        return;
    if (volume > 0.0 && fabs(error) > volume_error && fabs(filled - volume) > model->cell)
        snprintf(text, size, "%.2g %% %s volume than %s (%.4g %s instead of %.4g)", 100.0 * fabs(error),
                 error < 0.0 ? "less" : "more", made->carved > 0 ? "what is left of its shape" : "its shape", filled,
                 scene->dimension == 2 ? "m2" : "m3", volume);
}

static void warn_filled(const frz_scene *scene, const frz_model *model, int b, const frz_warning_sink *to)
{
    const frz_scene_body *body = &scene->bodies.items[b];
    const long long carved = model->bodies[b].carved, kept = model->bodies[b].sample_count;
    char volume[160];
    tell_volume(scene, model, b, sizeof volume, volume);
    if (carved > 0 && !body->has_rigid_part) // the overlap is intended there
        frz_warn(to, "body '%s' gave %lld of %lld particles to bodies that overlap it%s%s", body->name, carved,
                 carved + kept, volume[0] != '\0' ? "; the others have " : "", volume);
    else if (volume[0] != '\0')
        frz_warn(to, "the particles of body '%s' have %s: a smaller spacing comes closer", body->name, volume);
}

// Walls of material points have a shape and no samples.
static void warn_body(const frz_scene *scene, const frz_model *model, int b, bool shaped, const frz_warning_sink *to)
{
    const frz_scene_body *body = &scene->bodies.items[b];
    const frz_body *made = &model->bodies[b];
    if (made->sample_count == 0 && !shaped)
        frz_warn(to, "body '%s' has no particles: %s", body->name, reason_for_nothing(scene, model, b));
    else if (made->role == FRZ_ROLE_FREE)
        warn_filled(scene, model, b, to);
    const bool linked = b > 0 && body->chain > 0 && body[-1].chain == body->chain; // its links are all alike
    const bool told = linked || made->like != b;
    if (made->role == FRZ_ROLE_SAMPLE && !told)
    {
        const double thin = frz_shape_min_thickness(body->shape, scene->dimension, scene->spacing);
        if (thin < 0.999 * scene->spacing)
            frz_warn(
                to,
                "the wall of body '%s' is %.3g m thin, less than the spacing of %.3g m: liquid on both sides will feel "
                "each other through it; make it thicker or the spacing smaller",
                body->name, thin, scene->spacing);
    }
}

static bool is_outside(const frz_model *model, frz_v4 x)
{
    for (int a = 0; a < model->dimension; ++a)
        if (!model->periodic[a] && !(x[a] >= (frz_real)model->domain_min[a] && x[a] < (frz_real)model->domain_max[a]))
            return true;
    return false;
}

// The first step removes particles beyond an open limit.
static void warn_outside(const frz_scene *scene, const frz_model *model, const frz_state *state,
                         const frz_warning_sink *to)
{
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    int64_t *outside = FRZ_ALLOC("warnings", model->body_count + 1, int64_t);
    if (outside == NULL)
        return; // a warning is not worth a failure
    for (int i = 0; i < state->particles.count[FRZ_ROLE_FREE]; ++i)
        outside[body[i]] += is_outside(model, position[i]);
    for (int b = 0; b < scene->bodies.count; ++b)
        if (outside[b] > 0)
            frz_warn(to, "%lld of %lld particles of body '%s' start outside the domain and will be removed",
                     (long long)outside[b], (long long)model->bodies[b].sample_count, scene->bodies.items[b].name);
    frz_free(outside);
}

// Particles that start denser than their rest density, in a liquid or beside a solid, will push each other apart.
static void warn_compression(const frz_state *state, const frz_warning_sink *to)
{
    const frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    const int count = state->particles.count[FRZ_ROLE_FREE];
    int dense = 0;
    double largest = 0.0;
    for (int i = 0; i < count; ++i)
    {
        dense += compression[i] > (frz_real)1.1;
        largest = fmax(largest, (double)compression[i]);
    }
    if (dense > 0)
        frz_warn(to, "%d of %d particles start more than 10 %% too dense (up to %.0f %%): they will push apart", dense,
                 count, 100.0 * (largest - 1.0));
}

static bool has_rigid(const frz_model *model)
{
    bool any = false;
    for (int b = 0; b < model->body_count; ++b)
        any = any || model->bodies[b].kind == FRZ_BODY_RIGID;
    return any;
}

static void warn_full(const frz_model *model, const frz_state *state, const frz_warning_sink *to)
{
    const frz_instance *pressure = frz_model_method(model, FRZ_SLOT_PRESSURE, -1);
    const bool needs_surface = pressure != NULL && (pressure->method->traits & FRZ_TRAIT_NEEDS_SURFACE) != 0;
    int mover = -1;
    for (int b = 0; b < model->body_count; ++b)
        if (model->bodies[b].motion.count > 0)
            mover = b;
    if ((!needs_surface && mover < 0) || state->neighbors.pairs.count == 0 || !frz_pressure_space_is_full(model, state))
        return;
    if (needs_surface)
        frz_warn(
            to,
            "the liquid fills its space, and %s needs a free surface: pressures may rise without end; leave room for "
            "a bubble, or use dfsph or wcsph",
            pressure->method->key);
    if (mover >= 0)
        frz_warn(
            to,
            "the liquid fills its space, and '%s' moves: it must not leave the liquid less room; leave a bubble or "
            "an opening if it does",
            model->bodies[mover].name);
}

static void keep_first(void *user, frz_log_level level, const char *text)
{
    (void)level;
    char *first = user;
    if (first[0] == '\0')
        snprintf(first, sentence_size, "%s", text);
}

frz_status frz_compile_check_empty(const frz_scene *scene, const frz_model *model, const frz_state *state,
                                   frz_diag *diag)
{
    char reason[sentence_size] = "";
    const frz_warning_sink to = {keep_first, reason};
    if (state->particles.count[FRZ_ROLE_FREE] > 0 || model->emitter_count > 0 || has_rigid(model))
        return FRZ_OK;
    for (int b = 0; b < scene->bodies.count; ++b)
        if (scene->bodies.items[b].state != FRZ_SCENE_STATIC)
            warn_body(scene, model, b, false, &to);
    return frz_scene_fail(scene, frz_scene_mark_of(scene, "bodies"), diag, "there is nothing to simulate: %s",
                          reason[0] != '\0' ? reason : "no body is liquid, elastic or rigid, and there is no emitter");
}

frz_status frz_compile_warn(const frz_scene *scene, const frz_model *model, frz_state *state, frz_log_fn *log,
                            void *log_user, frz_diag *diag)
{
    const frz_warning_sink to = {log, log_user};
    for (int n = 0; n < scene->notes.count; ++n)
        frz_warn(&to, "%s", scene->notes.items[n]);
    for (int b = 0; b < scene->bodies.count; ++b)
        warn_body(scene, model, b, state->contact.shapes[b] != NULL, &to);
    frz_compile_warn_sources(model, &to);
    frz_compile_warn_events(model, &to);
    FRZ_TRY(frz_compile_warn_contacts(scene, model, state, &to, diag));
    frz_compile_warn_joints(scene, &to);
    frz_compile_warn_solids(model, state, &to);
    warn_outside(scene, model, state, &to);
    warn_compression(state, &to);
    warn_full(model, state, &to);
    if (model->time_step.fixed > 0.0)
    {
        const double speed = sqrt(2.0 * fabs(model->gravity[1]) * fmax(state->stats.max[1] - state->stats.min[1], 0.0));
        if (speed * model->time_step.fixed > model->spacing)
            frz_warn(&to,
                     "the fixed time step of %g s lets particles move %.1f spacings at the speed of %.3g m/s that this "
                     "scene "
                     "can reach; steps will be split",
                     model->time_step.fixed, speed * model->time_step.fixed / model->spacing, speed);
    }
    return FRZ_OK;
}
