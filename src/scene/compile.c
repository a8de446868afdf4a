// SPDX-License-Identifier: MIT
// Model and state from a scene: the order is model, samples, carving, particles, checks.
#include "scene/compile.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geom/sampling.h"
#include "scene/compile_internal.h"

// shortest step after rejections of a fixed one, relative to it: ten halvings
static const double fixed_least = 1.0 / 1024.0;
// how far beyond the scene's bodies a particle may fly before it counts as lost, in sizes of the scene
static const double open_margin = 4.0;
// kg/m^3; only pictures read it
static const double sample_density = 1000.0;
// phase of the particles of each kind of body
static const frz_phase phases[] = {[FRZ_BODY_LIQUID] = FRZ_PHASE_LIQUID,
                                   [FRZ_BODY_ELASTIC] = FRZ_PHASE_ELASTIC,
                                   [FRZ_BODY_RIGID] = FRZ_PHASE_SAMPLE,
                                   [FRZ_BODY_STATIC] = FRZ_PHASE_SAMPLE};

static frz_bounds no_bounds(void)
{
    const frz_bounds none = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    return none;
}

static void extend(double *min, double *max, double from, double to)
{
    if (from > -FRZ_ENDLESS)
        *min = fmin(*min, from);
    if (to < FRZ_ENDLESS)
        *max = fmax(*max, to);
}

frz_bounds frz_scene_extent(const frz_scene *scene)
{
    frz_bounds all = no_bounds();
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const frz_bounds one = frz_shape_bounds(scene->bodies.items[b].shape);
        extend(&all.min.x, &all.max.x, one.min.x, one.max.x);
        extend(&all.min.y, &all.max.y, one.min.y, one.max.y);
        extend(&all.min.z, &all.max.z, one.min.z, one.max.z);
    }
    for (int e = 0; e < scene->emitters.count; ++e)
    {
        const frz_scene_emitter *one = &scene->emitters.items[e];
        const frz_scene_surface *size = &one->surface;
        const double reach = fmax(size->radius, 0.5 * fmax(size->width, size->height));
        extend(&all.min.x, &all.max.x, one->position.x - reach, one->position.x + reach);
        extend(&all.min.y, &all.max.y, one->position.y - reach, one->position.y + reach);
        extend(&all.min.z, &all.max.z, one->position.z - reach, one->position.z + reach);
    }
    if (!(all.min.x <= all.max.x))
        all.min.x = all.max.x = 0.0;
    if (!(all.min.y <= all.max.y))
        all.min.y = all.max.y = 0.0;
    if (!(all.min.z <= all.max.z) || scene->dimension == 2)
        all.min.z = all.max.z = 0.0;
    return all;
}

static void set_domain(const frz_scene *scene, frz_model *model)
{
    const frz_bounds extent = frz_scene_extent(scene);
    const double min[3] = {extent.min.x, extent.min.y, extent.min.z},
                 max[3] = {extent.max.x, extent.max.y, extent.max.z};
    const double given_min[3] = {scene->domain.min.x, scene->domain.min.y, scene->domain.min.z};
    const double given_max[3] = {scene->domain.max.x, scene->domain.max.y, scene->domain.max.z};
    const double size = fmax(fmax(max[0] - min[0], max[1] - min[1]), fmax(max[2] - min[2], 10.0 * scene->spacing));
    for (int a = 0; a < 3; ++a)
    {
        model->domain_min[a] = scene->domain.has_min ? given_min[a] : min[a] - open_margin * size;
        model->domain_max[a] = scene->domain.has_max ? given_max[a] : max[a] + open_margin * size;
        model->periodic[a] = (scene->domain.periodic >> a & 1u) != 0;
    }
    if (model->dimension == 2)
    {
        model->domain_min[2] = -HUGE_VAL;
        model->domain_max[2] = HUGE_VAL;
    }
}

static void *copy_self(const frz_choice *choice)
{
    if (choice->self == NULL)
        return NULL;
    void *self = frz_alloc("method parameters", 1, choice->method->self_size);
    if (self != NULL)
        memcpy(self, choice->self, choice->method->self_size);
    return self;
}

static frz_status add_instance(frz_model *model, const frz_choice *choice, int material, frz_diag *diag)
{
    if (choice->method == NULL)
        return FRZ_OK;
    frz_instance *instance = &model->instances[model->instance_count];
    instance->method = choice->method;
    instance->material = material;
    instance->self = copy_self(choice);
    model->instance_count += 1;
    if (choice->self != NULL && instance->self == NULL)
        return frz_fail_memory(diag, "the methods");
    return FRZ_OK;
}

static frz_status copy_methods(const frz_scene *scene, frz_model *model, frz_diag *diag)
{
    model->instances = FRZ_ALLOC("methods", FRZ_SLOT_COUNT * (scene->materials.count + 1), frz_instance);
    if (model->instances == NULL)
        return frz_fail_memory(diag, "the methods");
    for (int s = 0; s < FRZ_SLOT_COUNT; ++s)
    {
        if (!frz_slots[s].per_material)
            FRZ_TRY(add_instance(model, &scene->methods[s], -1, diag));
        for (int m = 0; frz_slots[s].per_material && m < scene->materials.count; ++m)
            FRZ_TRY(add_instance(model, &scene->materials.items[m].methods[s], m, diag));
    }
    return FRZ_OK;
}

frz_status frz_compile_motion(const frz_scene_motion *from, frz_motion *to, frz_diag *diag)
{
    to->count = from->keyframes.count;
    to->periodic = from->periodic;
    to->interpolation = from->interpolation == FRZ_SCENE_SMOOTH ? FRZ_INTERPOLATION_SMOOTH : FRZ_INTERPOLATION_LINEAR;
    to->keyframes = FRZ_ALLOC("motion", to->count + 1, frz_keyframe);
    if (to->keyframes == NULL)
        return frz_fail_memory(diag, "the motion");
    for (int k = 0; k < to->count; ++k)
    {
        const frz_scene_keyframe *key = &from->keyframes.items[k];
        to->keyframes[k] =
            (frz_keyframe){key->time, key->position, key->rotation.rotation, key->rotation.rotation_vector};
    }
    return FRZ_OK;
}

frz_status frz_scene_body_model(const frz_scene_body *from, frz_body *to, frz_diag *diag)
{
    static const frz_body_kind kinds[] = {
        [FRZ_SCENE_LIQUID] = FRZ_BODY_LIQUID,
        [FRZ_SCENE_STATIC] = FRZ_BODY_STATIC,
        [FRZ_SCENE_ELASTIC] = FRZ_BODY_ELASTIC,
        [FRZ_SCENE_RIGID] = FRZ_BODY_RIGID,
    };
    memset(to, 0, sizeof *to);
    to->name = frz_strdup(from->name);
    if (from->name != NULL && to->name == NULL)
        return frz_fail_memory(diag, "the bodies");
    to->kind = kinds[from->state];
    to->filled = from->filled;
    to->role = to->filled ? FRZ_ROLE_FREE : frz_body_kind_role(to->kind);
    to->material = to->role == FRZ_ROLE_SAMPLE ? -1 : from->material;
    to->chain = from->chain;
    to->position = from->position;
    to->rigid.friction = from->friction;
    to->rigid.restitution = from->restitution;
    to->self_contact = from->self_contact;
    return from->has_motion ? frz_compile_motion(&from->motion, &to->motion, diag) : FRZ_OK;
}

frz_status frz_compile_rigid(const frz_scene *scene, int body, const frz_moments *moments, double density,
                             frz_model *model, frz_diag *diag)
{
    const frz_scene_body *from = &scene->bodies.items[body];
    frz_body *to = &model->bodies[body];
    frz_rigid_def def = frz_rigid_def_default();
    def.density = density;
    def.mass = density > 0.0 ? 0.0 : from->mass;
    def.velocity = from->velocity;
    def.spin = from->angular_velocity;
    def.driven = from->driven;
    def.friction = from->friction;
    def.restitution = from->restitution;
    def.joint = from->has_hinge ? FRZ_JOINT_HINGE : from->has_slider ? FRZ_JOINT_SLIDER : FRZ_JOINT_NONE;
    def.anchor = from->hinge.point;
    def.axis = from->has_slider ? from->slider.axis : from->hinge.axis;
    if (def.joint == FRZ_JOINT_NONE)
        def.axis = frz_v3(0.0, 0.0, 1.0);
    frz_diag cause = {.status = FRZ_OK};
    if (frz_rigid_body_make(&def, moments, scene->dimension, &to->rigid, &cause) != FRZ_OK)
        return frz_scene_fail(scene, from->shape_mark, diag, "body '%s': %s", from->name, cause.message);
    to->position = to->rigid.position;
    to->force = from->force;
    to->torque = from->torque;
    to->damping = from->damping;
    to->angular_damping = from->angular_damping;
    return FRZ_OK;
}

// The first body with an equal shape, if both are made of samples; else the body itself. Bodies before it know theirs.
static int find_like(const frz_scene *scene, const frz_model *model, int b)
{
    for (int a = 0; a < b && !model->bodies[b].filled; ++a)
    {
        const frz_body *other = &model->bodies[a];
        if (other->kind == FRZ_BODY_RIGID && !other->filled && other->like == a &&
            !(scene->bodies.items[a].disorder > 0.0) && !(scene->bodies.items[b].disorder > 0.0) &&
            frz_shape_is_like(scene->bodies.items[a].shape, scene->bodies.items[b].shape, scene->dimension))
            return a;
    }
    return b;
}

// Mass and inertia are those of the shape, not of its samples; bodies of particles get the sums over these later.
static frz_status make_rigid(const frz_scene *scene, int b, const frz_moments *own_moments, frz_model *model,
                             frz_diag *diag)
{
    const frz_scene_body *from = &scene->bodies.items[b];
    const bool own = from->density > 0.0 || from->mass > 0.0;
    const double density = own ? from->density : frz_scene_solid_density(&scene->materials.items[from->material]);
    const frz_moments moments = frz_shape_placed_moments(from->shape, own_moments, scene->dimension);
    return frz_compile_rigid(scene, b, &moments, density, model, diag);
}

static frz_status copy_law(const frz_scene_law *from, frz_temperature_law *to, frz_diag *diag)
{
    *to = (frz_temperature_law){.activation = from->activation, .reference = from->reference};
    if (from->table.count == 0)
        return FRZ_OK;
    to->temperature = FRZ_ALLOC("materials", from->table.count, double);
    to->factor = FRZ_ALLOC("materials", from->table.count, double);
    if (to->temperature == NULL || to->factor == NULL)
        return frz_fail_memory(diag, "the materials");
    for (; to->count < from->table.count; ++to->count)
    {
        to->temperature[to->count] = from->table.items[to->count].temperature;
        to->factor[to->count] = from->table.items[to->count].factor;
    }
    return FRZ_OK;
}

static frz_status copy_heat(const frz_scene_material *from, frz_material *to, frz_diag *diag)
{
    const frz_scene_melting *melting = &from->melting;
    const bool elastic = from->methods[FRZ_SLOT_ELASTIC].method != NULL;
    const bool soft =
        melting->between == FRZ_SCENE_BETWEEN_AUTO ? elastic : melting->between == FRZ_SCENE_BETWEEN_ELASTIC;
    to->melting = (frz_melting){.given = from->has_melting,
                                .solidus = melting->solidus,
                                .liquidus = melting->liquidus,
                                .latent_heat = melting->latent_heat,
                                .form = (frz_solid_form)melting->solid,
                                .soft = soft && melting->liquidus > melting->solidus,
                                .stiffening = melting->stiffening};
    for (int p = 0; p < FRZ_PROPERTY_COUNT && from->has_laws; ++p)
        FRZ_TRY(copy_law(&from->laws.of[p], &to->laws[p], diag));
    return FRZ_OK;
}

// Bodies, each with the moments of its shape: made once for those that are like each other.
static frz_status copy_bodies_with(const frz_scene *scene, frz_moments *own_moments, frz_model *model, frz_diag *diag)
{
    while (model->body_count < scene->bodies.count)
    {
        const int b = model->body_count++; // counted before it can fail, so that its memory is freed
        const frz_scene_body *from = &scene->bodies.items[b];
        frz_body *to = &model->bodies[b];
        FRZ_TRY(frz_scene_body_model(from, to, diag));
        to->temperature = from->has_temperature ? from->temperature : scene->temperature;
        to->wall = (frz_wall_heat){from->has_temperature, to->temperature, from->heat_transfer, from->heat_flux};
        to->like = b;
        if (to->kind != FRZ_BODY_RIGID)
            continue;
        to->like = find_like(scene, model, b);
        if (to->like == b)
            own_moments[b] = frz_shape_own_moments(from->shape, scene->dimension);
        FRZ_TRY(make_rigid(scene, b, &own_moments[to->like], model, diag));
    }
    return FRZ_OK;
}

static frz_status copy_bodies(const frz_scene *scene, frz_model *model, frz_diag *diag)
{
    frz_moments *own_moments = FRZ_ALLOC("bodies", scene->bodies.count + 1, frz_moments);
    const frz_status status =
        own_moments != NULL ? copy_bodies_with(scene, own_moments, model, diag) : frz_fail_memory(diag, "the bodies");
    frz_free(own_moments);
    return status;
}

static frz_status copy_things(const frz_scene *scene, frz_model *model, frz_diag *diag)
{
    model->materials = FRZ_ALLOC("materials", scene->materials.count + 1, frz_material);
    model->bodies = FRZ_ALLOC("bodies", scene->bodies.count + scene->emitters.count + 1, frz_body);
    model->probes = FRZ_ALLOC("probes", scene->probes.count + 1, frz_probe);
    if (model->materials == NULL || model->bodies == NULL || model->probes == NULL)
        return frz_fail_memory(diag, "the model");
    while (model->material_count < scene->materials.count)
    {
        const frz_scene_material *from = &scene->materials.items[model->material_count];
        frz_material *to = &model->materials[model->material_count++]; // counted before it can fail
        *to = (frz_material){
            .name = frz_strdup(from->name), .density = from->density, .solid_density = frz_scene_solid_density(from)};
        FRZ_TRY(copy_heat(from, to, diag));
    }
    FRZ_TRY(copy_bodies(scene, model, diag));
    for (; model->probe_count < scene->probes.count; ++model->probe_count)
    {
        const frz_scene_probe *from = &scene->probes.items[model->probe_count];
        model->probes[model->probe_count] = (frz_probe){.name = frz_strdup(from->name),
                                                        .position = from->position,
                                                        .pressure = (from->fields & FRZ_PROBE_PRESSURE) != 0,
                                                        .velocity = (from->fields & FRZ_PROBE_VELOCITY) != 0,
                                                        .density = (from->fields & FRZ_PROBE_DENSITY) != 0,
                                                        .temperature = (from->fields & FRZ_PROBE_TEMPERATURE) != 0};
    }
    bool named = true;
    for (int m = 0; m < model->material_count; ++m)
        named &= scene->materials.items[m].name == NULL || model->materials[m].name != NULL;
    for (int p = 0; p < model->probe_count; ++p)
        named &= scene->probes.items[p].name == NULL || model->probes[p].name != NULL;
    if (!named)
        return frz_fail_memory(diag, "the names of materials and probes");
    FRZ_TRY(frz_compile_sources(scene, model, diag));
    FRZ_TRY(frz_compile_events(scene, model, diag));
    FRZ_TRY(frz_compile_joints(scene, model, diag));
    return frz_compile_solids(scene, model, diag);
}

static frz_status find_kernel(const frz_scene *scene, const char *name, frz_kernel_id *id, frz_diag *diag)
{
    const int found = frz_kernel_find(name);
    if (found < 0 || !frz_kernels[found].for_density)
        return frz_scene_fail(
            scene, scene->kernel.mark, diag,
            "there is no kernel '%s' for densities and bonds; use cubic_spline, wendland_c2, wendland_c4, poly6, "
            "spiky or cosine",
            name);
    *id = (frz_kernel_id)found;
    return FRZ_OK;
}

static frz_status set_kernels(const frz_scene *scene, frz_model *model, frz_diag *diag)
{
    const frz_scene_kernel *from = &scene->kernel;
    frz_kernel_id id = FRZ_KERNEL_WENDLAND_C2;
    FRZ_TRY(find_kernel(scene, from->name, &id, diag));
    model->kernel = frz_kernel_make(id, model->support, model->dimension);
    if (from->bonds != NULL)
        FRZ_TRY(find_kernel(scene, from->bonds, &id, diag));
    model->bond_kernel = frz_kernel_make(id, from->bond_support * model->spacing, model->dimension);
    return FRZ_OK;
}

static frz_status make_model(const frz_scene *scene, frz_model *model, frz_diag *diag)
{
    model->dimension = scene->dimension;
    model->spacing = scene->spacing;
    model->cell = pow(scene->spacing, scene->dimension);
    model->face = pow(scene->spacing, scene->dimension - 1);
    model->support = scene->kernel.support * scene->spacing;
    FRZ_TRY(set_kernels(scene, model, diag));
    model->gravity[0] = scene->gravity.x;
    model->gravity[1] = scene->gravity.y;
    model->gravity[2] = scene->dimension == 3 ? scene->gravity.z : 0.0;
    model->has_temperature = frz_scene_has_temperature(scene);
    model->has_heat = frz_scene_has_heat(scene);
    model->ambient = scene->temperature;
    model->duration = scene->duration;
    model->frame_rate = scene->frame_rate;
    model->time_step =
        (frz_time_step_rules){scene->time_step.fixed, scene->time_step.max, scene->time_step.min, scene->time_step.cfl};
    // a fixed step is never too short; rejected steps are repeated with shorter ones
    if (model->time_step.fixed > 0.0)
        model->time_step.min = fmin(model->time_step.min, fixed_least * model->time_step.fixed);
    if (model->time_step.max <= 0.0)
        model->time_step.max = 1.0 / model->frame_rate; // forces and speeds set tighter limits
    FRZ_TRY(frz_compile_check_frames(scene, diag));
    FRZ_TRY(frz_compile_check_speeds(scene, diag));
    set_domain(scene, model);
    FRZ_TRY(copy_things(scene, model, diag));
    FRZ_TRY(copy_methods(scene, model, diag));
    frz_model_finish(model);
    for (int n = 0; n < model->instance_count; ++n)
        if (model->instances[n].method->check != NULL)
            FRZ_TRY(model->instances[n].method->check(model, &model->instances[n], diag));
    return FRZ_OK;
}

// Sampling extends slightly beyond its clip, to include edges; past a periodic seam such a sample would repeat one on
// the other side.
static void drop_past_seams(const frz_model *model, frz_point_set *points)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < points->count; ++k)
    {
        const double at[3] = {points->points[k].x, points->points[k].y, points->points[k].z};
        bool inside = true;
        for (int a = 0; a < 3; ++a) // the third axis is never periodic in the plane
            inside = inside && !(model->periodic[a] && (at[a] < model->domain_min[a] || at[a] >= model->domain_max[a]));
        if (inside)
            points->points[kept++] = points->points[k];
    }
    points->count = kept;
}

// A rigid body that is longer than a periodic domain would overlap itself.
static frz_status check_periodic_size(const frz_scene *scene, const frz_model *model, int b, frz_diag *diag)
{
    const frz_scene_body *body = &scene->bodies.items[b];
    const frz_bounds bounds = frz_shape_bounds(body->shape);
    const frz_vec3 size = frz_v3_sub(bounds.max, bounds.min);
    for (int a = 0; a < model->dimension && model->bodies[b].kind == FRZ_BODY_RIGID; ++a)
    {
        const double length = model->domain_max[a] - model->domain_min[a];
        if (model->periodic[a] && frz_v3_get(size, a) > length)
            return frz_scene_fail(
                scene, body->shape_mark, diag,
                "body '%s' is %.4g m long along %c, more than the periodic domain (%.4g m), and would "
                "overlap itself; use a longer domain or a smaller shape",
                body->name, frz_v3_get(size, a), "xyz"[a], length);
    }
    return FRZ_OK;
}

// The samples of another body, for one that is like it.
static frz_status copy_samples(const frz_scene *scene, int from, int to, const frz_point_set *samples,
                               frz_point_set *points, frz_diag *diag)
{
    frz_shape *own[2] = {NULL, NULL};
    frz_placement at[2];
    frz_status status = frz_shape_unplace(scene->bodies.items[from].shape, scene->dimension, &own[0], &at[0], diag);
    if (status == FRZ_OK)
        status = frz_shape_unplace(scene->bodies.items[to].shape, scene->dimension, &own[1], &at[1], diag);
    for (int64_t k = 0; status == FRZ_OK && k < samples->count; ++k)
        status = frz_point_set_append(
            points, frz_placement_apply(&at[1], frz_placement_invert(&at[0], samples->points[k])), diag);
    frz_shape_destroy(&own[0]);
    frz_shape_destroy(&own[1]);
    return status;
}

static frz_status sample_body(const frz_scene *scene, const frz_model *model, int b, frz_bounds clip,
                              const frz_point_set *sets, frz_point_set *points, frz_diag *diag)
{
    const frz_scene_body *body = &scene->bodies.items[b];
    const int like = model->bodies[b].like;
    const bool filled = model->bodies[b].role == FRZ_ROLE_FREE;
    frz_diag cause = {.status = FRZ_OK};
    frz_status status;
    if (like != b)
        status = copy_samples(scene, like, b, &sets[like], points, &cause);
    else if (filled && !body->sheet)
        status = frz_sample_volume(body->shape, scene->spacing, scene->dimension, points, &cause);
    else
        status = frz_sample_surface(body->shape, scene->spacing, scene->dimension,
                                    frz_compile_body_clip(scene, model, b, clip), points, &cause);
    if (status != FRZ_OK && status != FRZ_ERR_MEMORY)
        return frz_scene_fail(scene, body->mark, diag, "body '%s': %s%s", body->name, cause.message,
                              frz_compile_unit_hint(scene, b));
    if (status != FRZ_OK)
        return frz_fail_memory(diag, "the particles");
    if (model->bodies[b].kind == FRZ_BODY_STATIC) // rigid bodies cross seams whole
        drop_past_seams(model, points);
    if (model->bodies[b].kind == FRZ_BODY_RIGID && frz_compile_is_outside(scene, b, clip))
        return frz_scene_fail(scene, body->shape_mark, diag,
                              "body '%s' lies outside the domain, where nothing is simulated; put it inside the domain",
                              body->name);
    FRZ_TRY(check_periodic_size(scene, model, b, diag));
    if (model->bodies[b].kind == FRZ_BODY_RIGID && !filled && points->count < model->dimension)
        return frz_scene_fail(scene, body->shape_mark, diag,
                              "body '%s': at a spacing of %g m only %lld samples fit on its surface, too few to feel "
                              "anything; use a smaller spacing or a larger shape",
                              body->name, scene->spacing, (long long)points->count);
    return FRZ_OK;
}

static frz_phase phase_of(const frz_model *model, const frz_body *body)
{
    if (body->kind == FRZ_BODY_ELASTIC && frz_model_has_points(model, body->material))
        return FRZ_PHASE_POINT;
    return body->filled ? FRZ_PHASE_RIGID : phases[body->kind];
}

// Samples of bodies without a material count as water.
static frz_real inverse_density_of(const frz_scene *scene, const frz_model *model, int b)
{
    const int material = model->bodies[b].material;
    if (model->bodies[b].filled)
        return frz_compile_inverse_density(scene, model, b, model->bodies[b].sample_count);
    return (frz_real)(1.0 / (material >= 0 ? model->materials[material].density : sample_density));
}

// Exact surfaces for methods that ask for them.
static void keep_shapes(const frz_scene *scene, frz_model *model)
{
    bool needed = false;
    for (int n = 0; n < model->instance_count; ++n)
        needed = needed || (model->instances[n].method->traits & FRZ_TRAIT_NEEDS_SHAPES) != 0;
    for (int b = 0; b < scene->bodies.count && needed; ++b)
        if (model->bodies[b].role == FRZ_ROLE_SAMPLE && model->bodies[b].shape == NULL)
            model->bodies[b].shape = frz_shape_share(scene->bodies.items[b].shape);
}

// The rows that a body has in the store. Samples of static bodies are there for pairs, and material points alone have
// none.
static int64_t row_count(const frz_model *model, const frz_point_set *sets, int b)
{
    return model->bodies[b].kind == FRZ_BODY_STATIC && frz_model_only_points(model) ? 0 : sets[b].count;
}

static void put_particles(const frz_scene *scene, frz_model *model, frz_state *state, const frz_point_set *sets)
{
    frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    int64_t *id = frz_field_i64(&state->particles, FRZ_FIELD_ID_id);
    int32_t *body = frz_field_i32(&state->particles, FRZ_FIELD_ID_body);
    uint8_t *phase = frz_particles_phase(&state->particles), *material = frz_particles_material(&state->particles);
    frz_real *inverse_density = frz_particles_inverse_density(&state->particles);
    int64_t next_id = 0;
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const frz_role role = model->bodies[b].role;
        const frz_scene_body *from = &scene->bodies.items[b];
        model->bodies[b].sample_count = row_count(model, sets, b);
        model->bodies[b].first_sample = state->particles.count[role];
        for (int64_t k = 0; k < model->bodies[b].sample_count; ++k)
        {
            const int slot = state->particles.first[role] + state->particles.count[role];
            const frz_vec3 x = sets[b].points[k];
            const frz_vec3 arm = frz_v3_sub(x, model->bodies[b].position);
            position[slot] = frz_v4_of(x);
            if (role == FRZ_ROLE_FREE)
            {
                const frz_vec3 v = frz_v3_add(from->velocity, frz_v3_cross(from->angular_velocity, arm));
                velocity[slot] = frz_v4_set((frz_real)v.x, (frz_real)v.y, scene->dimension == 3 ? (frz_real)v.z : 0, 0);
            }
            else
            {
                state->samples.local[state->particles.count[role]] = arm;
                state->samples.local_normal[state->particles.count[role]] =
                    frz_sample_normal(from->shape, x, scene->spacing, scene->dimension);
            }
            id[slot] = next_id++;
            body[slot] = b;
            phase[slot] = (uint8_t)phase_of(model, &model->bodies[b]);
            material[slot] = (uint8_t)(model->bodies[b].material >= 0 ? model->bodies[b].material : FRZ_MATERIAL_NONE);
            inverse_density[slot] = inverse_density_of(scene, model, b);
            frz_particle_set_temperature(model, state, slot, model->bodies[b].temperature);
            state->particles.count[role] += 1;
        }
    }
}

// In a valid scene the search grid can only refuse a periodic domain.
static frz_status finish_state(const frz_scene *scene, const frz_model *model, frz_state *state, frz_diag *diag)
{
    frz_diag cause = {.status = FRZ_OK};
    const frz_status status = frz_state_finish(model, state, &cause);
    if (status == FRZ_ERR_SCENE)
        return frz_scene_fail(scene, frz_scene_mark_of(scene, "domain"), diag, "%s", cause.message);
    if (status != FRZ_OK && diag != NULL)
        *diag = cause;
    return status;
}

static frz_status make_state(const frz_scene *scene, frz_model *model, frz_state **state, frz_log_fn *log,
                             void *log_user, frz_diag *diag)
{
    frz_point_set *sets = FRZ_ALLOC("samples", model->body_count + 1, frz_point_set);
    if (sets == NULL)
        return frz_fail_memory(diag, "the samples");
    frz_status status = FRZ_OK;
    const frz_bounds clip = frz_compile_clip(scene, model);
    const frz_warning_sink to = {log, log_user};
    frz_compile_warn_units(scene, &to);
    status = frz_compile_check_places(scene, &to, diag);
    if (status == FRZ_OK)
        status = frz_compile_check_sizes(scene, model, &to, diag);
    for (int b = 0; status == FRZ_OK && b < scene->bodies.count; ++b)
        status = sample_body(scene, model, b, clip, sets, &sets[b], diag);
    if (status == FRZ_OK)
        status = frz_compile_carve(scene, model, sets, diag);
    if (status == FRZ_OK)
        status = frz_compile_fill(scene, model, sets, diag);
    for (int b = 0; status == FRZ_OK && b < scene->bodies.count; ++b)
        if (scene->bodies.items[b].disorder > 0.0)
            frz_sample_disorder(&sets[b], scene->bodies.items[b].disorder * scene->spacing, scene->dimension,
                                ((uint64_t)scene->seed << 32) + (uint64_t)b); // bodies differ from each other
    double total[FRZ_ROLE_COUNT] = {0.0};
    for (int b = 0; b < model->body_count; ++b)
        total[model->bodies[b].role] += (double)row_count(model, sets, b);
    if (status == FRZ_OK && total[FRZ_ROLE_FREE] + total[FRZ_ROLE_SAMPLE] > FRZ_MOST_PARTICLES)
        status = frz_fail(diag, FRZ_ERR_SCENE, "the scene asks for %.3g particles; use a larger spacing",
                          total[FRZ_ROLE_FREE] + total[FRZ_ROLE_SAMPLE]);
    if (status == FRZ_OK)
        status = frz_state_create(model, (int)total[FRZ_ROLE_FREE], (int)total[FRZ_ROLE_SAMPLE], state, diag);
    if (status == FRZ_OK)
    {
        put_particles(scene, model, *state, sets);
        keep_shapes(scene, model);
        frz_compile_faces(model, *state);
        model->expected_speed = frz_state_expected_speed(model, *state);
        status = frz_compile_contacts(scene, model, sets, *state, diag);
    }
    if (status == FRZ_OK)
    {
        status = finish_state(scene, model, *state, diag);
    }
    if (status == FRZ_OK)
    {
        status = frz_compile_check_step(scene, model, *state, diag);
    }
    if (status == FRZ_OK)
        status = frz_compile_check_empty(scene, model, *state, diag);
    if (status == FRZ_OK)
        status = frz_compile_warn(scene, model, *state, log, log_user, diag);
    for (int b = 0; b < model->body_count; ++b)
        frz_point_set_destroy(&sets[b]);
    frz_free(sets);
    return status;
}

frz_status frz_scene_compile(const frz_scene *scene, frz_log_fn *log, void *log_user, frz_model **model,
                             frz_state **state, frz_diag *diag)
{
    *state = NULL;
    *model = FRZ_ALLOC("model", 1, frz_model);
    if (*model == NULL)
        return frz_fail_memory(diag, "the model");
    frz_status status = make_model(scene, *model, diag);
    if (status == FRZ_OK)
        status = make_state(scene, *model, state, log, log_user, diag);
    if (status != FRZ_OK)
    {
        frz_state_destroy(state);
        frz_model_destroy(model);
    }
    return status;
}
