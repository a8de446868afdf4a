// SPDX-License-Identifier: MIT
#include "sim/model.h"

#include <math.h>

#include "base/memory.h"

const frz_slot_info frz_slots[FRZ_SLOT_COUNT] = {
    [FRZ_SLOT_PRESSURE] = {"pressure", false, true, "how liquids keep their volume"},
    [FRZ_SLOT_BOUNDARY] = {"boundary", false, true, "how liquids feel static bodies"},
    [FRZ_SLOT_COUPLING] = {"coupling", false, true, "how liquids and rigid bodies act on each other"},
    [FRZ_SLOT_CONTACT] = {"contact", false, true, "how rigid bodies keep out of each other and of static ones"},
    [FRZ_SLOT_VISCOSITY] = {"viscosity", true, false,
                            "friction inside a liquid; a bare number is the dynamic viscosity"},
    [FRZ_SLOT_TENSION] = {"tension", true, false,
                          "forces at the surface of a liquid; a bare number is the surface tension"},
    [FRZ_SLOT_VORTICITY] = {"vorticity", true, false, "gives back the swirl that the particles lose"},
    [FRZ_SLOT_DRAG] = {"drag", true, false, "drag of the air around, which is not simulated"},
    [FRZ_SLOT_ELASTIC] = {"elastic", true, false, "how elastic bodies resist; a bare number is Young's modulus"},
    [FRZ_SLOT_PLASTIC] = {"plastic", true, false, "how elastic bodies yield; a bare number is the yield stress"},
    [FRZ_SLOT_FRACTURE] = {"fracture", true, false, "how elastic bodies break; a bare number is the tensile strength"},
    [FRZ_SLOT_HEAT] = {"heat", true, false, "conduction of heat; a bare number is the conductivity"},
};

// One field for solids and liquids, so that conduction, melting and freezing share it.
const frz_field_decl frz_temperature_table[] = {
    {"temperature", 1, "K", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_OUTPUT,
     "temperature, if the scene speaks of any; scene/compile, sim/emitters"},
    {0}};

// The conserved quantity; temperatures follow from it.
const frz_field_decl frz_enthalpy_table[] = {{"enthalpy", 1, "J/kg", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_HALO,
                                              "heat per mass, 0 at 0 K, if a material conducts heat; physics/heat"},
                                             {0}};

// Keeps the first body of a particle through changes of phase.
const frz_field_decl frz_origin_table[] = {
    {"origin", 1, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_OUTPUT,
     "body of the scene that the particle was made in, emitters counted on behind the bodies; never changes"},
    {0}};

const frz_field_decl frz_room_table[] = {
    {"room", 1, "", FRZ_FIELD_SAVE | FRZ_FIELD_SORT,
     "excess compression tolerated since the particle, or a neighbour, changed its "
     "phase; -1: not known yet; sim/change_room"},
    {0}};

const frz_field_decl frz_clearance_table[] = {
    {"clearance", 3, "m", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,
     "from the particle to where contacts see it, in axes of its rigid body; sim/body_surface"},
    {0}};

const frz_field_decl frz_push_table[] = {
    {"point_push", 3, "m/s^2", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,
     "acceleration by pressure and friction in the last step, of material points; physics/elastic"},
    {0}};

void frz_model_finish(frz_model *model)
{
    const double lattice = frz_kernel_lattice_sum(&model->kernel, model->spacing);
    model->particle_volume = model->cell / lattice;
    model->plane_sum = frz_kernel_plane_sum(&model->kernel, model->spacing) / lattice;
    model->surface_sum = frz_kernel_surface_sum(&model->kernel, model->spacing) / lattice;
    model->wall_gain = frz_kernel_wall_gain(&model->kernel, model->spacing, model->particle_volume);
    model->wall_plain_gain = frz_kernel_wall_plain_gain(&model->kernel, model->spacing);
    int field = FRZ_FIELD_CORE_COUNT;
    if (model->has_temperature)
        model->temperature_field = field++;
    if (model->has_heat)
        model->enthalpy_field = field++;
    for (int n = 0; n < model->instance_count; ++n)
    {
        frz_instance *instance = &model->instances[n];
        instance->first_field = field;
        const frz_field_decl *decl = frz_instance_fields(model, instance);
        // materials with the same method share its fields
        for (int k = 0; k < n; ++k)
            if (model->instances[k].method == instance->method)
            {
                instance->first_field = model->instances[k].first_field;
                decl = NULL;
            }
        for (; decl != NULL && decl->name != NULL; ++decl)
            field += 1;
    }
    for (int m = 0; m < model->material_count; ++m)
    {
        const frz_instance *heat = frz_model_method(model, FRZ_SLOT_HEAT, m);
        model->materials[m].curve = frz_heat_curve_make(heat != NULL ? heat->self : NULL, &model->materials[m].melting);
    }
}

static void destroy_event(frz_event *event)
{
    frz_free(event->label);
    frz_free(event->name);
    frz_free(event->target.bodies);
    frz_free(event->count.bodies);
    frz_shape_destroy(&event->target.shape);
    frz_shape_destroy(&event->count.shape);
}

void frz_model_destroy(frz_model **model)
{
    frz_model *m = *model;
    if (m == NULL)
        return;
    for (int i = 0; i < m->material_count; ++i)
    {
        frz_free(m->materials[i].name);
        for (int p = 0; p < FRZ_PROPERTY_COUNT; ++p)
        {
            frz_free(m->materials[i].laws[p].temperature);
            frz_free(m->materials[i].laws[p].factor);
        }
    }
    for (int i = 0; i < m->body_count; ++i)
    {
        frz_free(m->bodies[i].name);
        frz_free(m->bodies[i].motion.keyframes);
        frz_shape_destroy(&m->bodies[i].shape);
    }
    for (int i = 0; i < m->probe_count; ++i)
        frz_free(m->probes[i].name);
    for (int i = 0; i < m->emitter_count; ++i)
        frz_emitter_destroy(&m->emitters[i]);
    for (int i = 0; i < m->region_count; ++i)
        frz_region_destroy(&m->regions[i]);
    for (int i = 0; i < m->event_count; ++i)
        destroy_event(&m->events[i]);
    for (int i = 0; i < m->instance_count; ++i)
        frz_free(m->instances[i].self);
    for (int i = 0; i < m->attachment_count; ++i)
    {
        frz_free(m->attachments[i].name);
        frz_free(m->attachments[i].motion.keyframes);
        frz_shape_destroy(&m->attachments[i].shape);
    }
    frz_free(m->attachments);
    frz_free(m->joints);
    frz_free(m->emitters);
    frz_free(m->regions);
    frz_free(m->events);
    frz_free(m->materials);
    frz_free(m->bodies);
    frz_free(m->probes);
    frz_free(m->instances);
    frz_free(m);
    *model = NULL;
}

const frz_instance *frz_model_friction(const frz_model *model)
{
    for (int n = 0; n < model->instance_count; ++n)
        if (model->instances[n].method->friction_rate != NULL)
            return &model->instances[n];
    return NULL;
}

const frz_instance *frz_model_method(const frz_model *model, frz_slot slot, int material)
{
    for (int n = 0; n < model->instance_count; ++n)
        if (model->instances[n].method->slot == slot && model->instances[n].material == material)
            return &model->instances[n];
    return NULL;
}

bool frz_model_has_points(const frz_model *model, int material)
{
    const frz_instance *elastic = frz_model_method(model, FRZ_SLOT_ELASTIC, material);
    return elastic != NULL && (elastic->method->traits & FRZ_TRAIT_NO_REFERENCE) != 0;
}

static bool needs_pairs(const frz_instance *instance)
{
    const frz_slot slot = instance->method->slot;
    return slot == FRZ_SLOT_VISCOSITY || slot == FRZ_SLOT_TENSION || slot == FRZ_SLOT_VORTICITY ||
           slot == FRZ_SLOT_DRAG || slot == FRZ_SLOT_FRACTURE || slot == FRZ_SLOT_HEAT;
}

bool frz_model_only_points(const frz_model *model)
{
    bool only = !model->can_change, any = false;
    for (int b = 0; b < model->body_count; ++b) // emitters have bodies, too
        if (model->bodies[b].role == FRZ_ROLE_FREE)
        {
            any = true;
            only = only && model->bodies[b].material >= 0 && frz_model_has_points(model, model->bodies[b].material);
        }
    for (int n = 0; n < model->instance_count; ++n)
        only = only && !needs_pairs(&model->instances[n]);
    return only && any;
}

const frz_field_decl *frz_instance_fields(const frz_model *model, const frz_instance *instance)
{
    const bool idle = instance->method->slot == FRZ_SLOT_PRESSURE && frz_model_only_points(model);
    return idle ? NULL : instance->method->fields;
}

bool frz_model_has_solids(const frz_model *model)
{
    bool any = model->can_change;
    for (int b = 0; b < model->body_count; ++b)
        any = any ||
              (model->bodies[b].kind == FRZ_BODY_ELASTIC && !frz_model_has_points(model, model->bodies[b].material));
    return any;
}
