// SPDX-License-Identifier: MIT
// Emitters, regions and counting surfaces of the model, and the warnings of `frazil check` about them.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "scene/compile_internal.h"

// sites of one inlet, which are laid before anything moves and take a second at most, and particles of one emitter,
// beyond which a scene is refused
static const double most_sites = 1e7;
static const double most_particles = 1e9;
// an inlet that misses a spacing by rounding still gets a particle
static const double rounding = 1e-6;
// distance of the points tested along the path through an inlet when walls are carved out of it, in spacings
static const double path_step = 0.5;

static frz_patch make_patch(const frz_scene *scene, frz_vec3 center, frz_vec3 normal, const frz_scene_surface *surface)
{
    frz_patch patch = frz_patch_make(center, normal, surface->up, scene->dimension);
    patch.radius = surface->radius;
    patch.width = surface->width;
    patch.height = surface->height;
    return patch;
}

static frz_status copy_schedule(const frz_scene_schedule *from, frz_schedule *to, frz_diag *diag)
{
    to->period = from->period;
    if (from->on.count == 0)
        return FRZ_OK;
    to->intervals = FRZ_ALLOC("schedule", from->on.count, frz_interval);
    if (to->intervals == NULL)
        return frz_fail_memory(diag, "the schedules");
    for (; to->count < from->on.count; ++to->count)
        to->intervals[to->count] = (frz_interval){from->on.items[to->count].start, from->on.items[to->count].stop};
    return FRZ_OK;
}

static bool is_in_domain(const frz_model *model, frz_vec3 x)
{
    const double at[3] = {x.x, x.y, x.z};
    for (int a = 0; a < model->dimension; ++a)
        if (!(at[a] >= model->domain_min[a] && at[a] < model->domain_max[a]))
            return false;
    return true;
}

static frz_status check_inlet(const frz_scene *scene, const frz_model *model, const frz_scene_emitter *emitter,
                              frz_diag *diag)
{
    const frz_scene_surface *surface = &emitter->surface;
    const bool round = surface->has_radius;
    const double width = (round ? 2.0 * surface->radius : surface->width) / scene->spacing;
    const double height =
        scene->dimension == 2 ? 1.0 : (round ? 2.0 * surface->radius : surface->height) / scene->spacing;
    if (width < 1.0 - rounding || height < 1.0 - rounding)
        return frz_scene_fail(scene, emitter->mark, diag,
                              "emitter '%s': the inlet is narrower than the spacing of %g m, so that no particle fits; "
                              "make it larger or the spacing smaller",
                              emitter->name, scene->spacing);
    if (width * height > most_sites)
        return frz_scene_fail(scene, emitter->mark, diag,
                              "emitter '%s' asks for about %.3g particles in every layer; use a larger spacing or a "
                              "smaller inlet",
                              emitter->name, width * height);
    if (!is_in_domain(model, emitter->position))
        return frz_scene_fail(scene, emitter->mark, diag, "emitter '%s' lies outside the domain", emitter->name);
    return FRZ_OK;
}

// Whether a wall that stands still is in the way of particles from a site.
static bool is_walled(const frz_scene *scene, const frz_model *model, const frz_emitter *emitter, int site)
{
    const double step = path_step * model->spacing;
    const frz_vec3 start = frz_v3_add(emitter->patch.center, emitter->sites[site]);
    const int steps = (int)(frz_emitter_length(model) / step);
    for (int n = 0; n <= steps; ++n)
        for (int b = 0; b < scene->bodies.count; ++b)
            if (model->bodies[b].role == FRZ_ROLE_SAMPLE && !frz_body_moves(&model->bodies[b]) &&
                frz_shape_distance(scene->bodies.items[b].shape, frz_v3_mad(start, n * step, emitter->patch.normal)) <
                    frz_wall_clearance(model))
                return true;
    return false;
}

static frz_status carve_sites(const frz_scene *scene, const frz_model *model, frz_emitter *emitter, frz_diag *diag)
{
    bool *taken = FRZ_ALLOC("carving", emitter->site_count + 1, bool);
    if (taken == NULL)
        return frz_fail_memory(diag, "the carving");
    for (int k = 0; k < emitter->site_count; ++k)
        taken[k] = is_walled(scene, model, emitter, k);
    frz_emitter_carve(emitter, taken);
    frz_free(taken);
    return FRZ_OK;
}

static frz_status add_emitter(const frz_scene *scene, frz_model *model, frz_diag *diag)
{
    const frz_scene_emitter *from = &scene->emitters.items[model->emitter_count];
    FRZ_TRY(check_inlet(scene, model, from, diag));
    frz_emitter *to = &model->emitters[model->emitter_count++];
    frz_body *body = &model->bodies[model->body_count];
    to->name = frz_strdup(from->name);
    to->body = model->body_count++;
    to->max_particles = from->max_particles;
    to->patch = make_patch(scene, from->position, from->direction, &from->surface);
    *body = (frz_body){
        .name = frz_strdup(from->name), .role = FRZ_ROLE_FREE, .material = from->material, .position = from->position};
    body->temperature = from->has_temperature ? from->temperature : scene->temperature;
    body->rigid.friction = from->friction;
    if (to->name == NULL || body->name == NULL)
        return frz_fail_memory(diag, "the emitters");
    FRZ_TRY(copy_schedule(&from->schedule, &to->schedule, diag));
    FRZ_TRY(frz_emitter_lay_sites(to, model->spacing, model->dimension, diag));
    FRZ_TRY(carve_sites(scene, model, to, diag));
    const double cells = to->site_count * model->face;
    const double area = cells > 0.0 ? cells : frz_patch_area(&to->patch, model->dimension);
    to->speed = from->has_speed ? from->speed : from->flow_rate / area;
    const double expected = frz_emitter_expected(model, to, model->duration);
    if (expected > most_particles)
        return frz_scene_fail(scene, from->mark, diag,
                              "emitter '%s' would make about %.3g particles; use a larger spacing, a schedule or "
                              "max_particles",
                              from->name, expected);
    return FRZ_OK;
}

static frz_status add_region(const frz_scene *scene, frz_model *model, frz_diag *diag)
{
    static const frz_region_action actions[] = {
        [FRZ_SCENE_KILL] = FRZ_REGION_KILL, [FRZ_SCENE_FORCE] = FRZ_REGION_FORCE, [FRZ_SCENE_HEAT] = FRZ_REGION_HEAT};
    const frz_scene_region *from = &scene->regions.items[model->region_count];
    frz_region *to = &model->regions[model->region_count++];
    *to = (frz_region){
        .name = frz_strdup(from->name),
        .action = actions[from->action],
        .material = from->material,
        .shape = frz_shape_share(from->shape),
        .acceleration = from->acceleration,
        .velocity = from->velocity,
        .drag = from->drag,
        .power = from->power,
        .temperature = from->temperature,
        .rate = from->rate,
    };
    if (to->name == NULL)
        return frz_fail_memory(diag, "the regions");
    return copy_schedule(&from->schedule, &to->schedule, diag);
}

frz_status frz_compile_sources(const frz_scene *scene, frz_model *model, frz_diag *diag)
{
    model->emitters = FRZ_ALLOC("emitters", scene->emitters.count + 1, frz_emitter);
    model->regions = FRZ_ALLOC("regions", scene->regions.count + 1, frz_region);
    if (model->emitters == NULL || model->regions == NULL)
        return frz_fail_memory(diag, "the emitters and regions");
    while (model->emitter_count < scene->emitters.count)
        FRZ_TRY(add_emitter(scene, model, diag));
    while (model->region_count < scene->regions.count)
        FRZ_TRY(add_region(scene, model, diag));
    for (int b = 0; b < scene->bodies.count && model->emitter_count > 0; ++b)
        if (frz_body_moves(&model->bodies[b]))
            model->bodies[b].shape = frz_shape_share(scene->bodies.items[b].shape);
    for (int p = 0; p < model->probe_count; ++p)
    {
        const frz_scene_probe *from = &scene->probes.items[p];
        model->probes[p].flow = (from->fields & FRZ_PROBE_FLOW) != 0;
        if (model->probes[p].flow)
            model->probes[p].patch = make_patch(scene, from->position, from->normal, &from->surface);
    }
    return FRZ_OK;
}

// ---- warnings

static void warn_emitter(const frz_model *model, const frz_emitter *emitter, const frz_warning_sink *to)
{
    if (emitter->site_count == 0)
        frz_warn(to, "emitter '%s' makes nothing: all of its inlet is inside walls", emitter->name);
    else if (emitter->sites_carved > 0)
        frz_warn(to, "emitter '%s' gave %d of %d places in its inlet to walls", emitter->name, emitter->sites_carved,
                 emitter->sites_carved + emitter->site_count);
    if (!(frz_schedule_on_time(&emitter->schedule, 0.0, model->duration) > 0.0))
        frz_warn(to, "emitter '%s' is never on within the %g s of the scene", emitter->name, model->duration);
    for (int r = 0; r < model->region_count; ++r)
    {
        const frz_region *region = &model->regions[r];
        const bool same = region->material < 0 || region->material == model->bodies[emitter->body].material;
        if (region->action == FRZ_REGION_KILL && same && frz_region_contains(model, region, emitter->patch.center))
            frz_warn(to, "emitter '%s' lies in region '%s', which removes its liquid at once", emitter->name,
                     region->name);
    }
}

bool frz_compile_is_beyond(const frz_model *model, frz_bounds bounds)
{
    const double min[3] = {bounds.min.x, bounds.min.y, bounds.min.z},
                 max[3] = {bounds.max.x, bounds.max.y, bounds.max.z};
    bool beyond = false;
    for (int a = 0; a < model->dimension; ++a)
        beyond = beyond || max[a] <= model->domain_min[a] || min[a] >= model->domain_max[a];
    return beyond;
}

static void warn_region(const frz_model *model, const frz_region *region, const frz_warning_sink *to)
{
    if (!(frz_shape_volume(region->shape, model->dimension) > 0.0))
        frz_warn(to, "region '%s' holds no space: nothing is left of its shape%s", region->name,
                 model->dimension == 2 ? " in the plane z = 0" : "");
    else if (frz_compile_is_beyond(model, frz_shape_bounds(region->shape)))
        frz_warn(to, "region '%s' lies outside the domain, where no liquid can be", region->name);
    if (!(frz_schedule_on_time(&region->schedule, 0.0, model->duration) > 0.0))
        frz_warn(to, "region '%s' never acts within the %g s of the scene", region->name, model->duration);
}

void frz_compile_warn_sources(const frz_model *model, const frz_warning_sink *to)
{
    for (int e = 0; e < model->emitter_count; ++e)
        warn_emitter(model, &model->emitters[e], to);
    for (int r = 0; r < model->region_count; ++r)
        warn_region(model, &model->regions[r], to);
    for (int p = 0; p < model->probe_count; ++p)
    {
        const frz_probe *probe = &model->probes[p];
        if (!is_in_domain(model, probe->flow ? probe->patch.center : probe->position))
            frz_warn(to, "probe '%s' lies outside the domain, where %s", probe->name,
                     probe->flow ? "nothing flows" : "it reads nothing");
    }
}
