// SPDX-License-Identifier: MIT
// Drag of air that is not simulated. Gissler et al. 2017, "Approximate air-fluid interactions for SPH".
//
//     F_i = (1/2) rho_air |v_rel| v_rel C_i A_i,     v_rel = v_air - v_i
//
// A lone particle is a drop of the particle's volume that the wind flattens (Taylor analogy breakup, O'Rourke & Amsden
// 1987): with the deformation y in 0 .. 1, its drag coefficient is C_sphere (1 + 2.632 y) (Liu et al. 1993) and its
// area pi (L + C_b L y)^2. In a crowd it is a piece of a body: coefficient 1, area one spacing squared. Neighbours
// upwind shield it: the area counts by one minus the largest cosine between the direction upwind and that to a
// neighbour. In the plane a particle is taken for the drop of the same spacing. The air keeps the momentum it takes.

#include <math.h>

#include "base/blocks.h"
#include "sim/state.h"

typedef struct gissler
{
    double air_density, air_viscosity;
    double wind[3];
    double tension, viscosity;
} gissler;

static const frz_param gissler_params[] = {
    {"air_density", "density of the air", FRZ_PARAM_REAL, offsetof(gissler, air_density), 1.2041, 0.0, 100.0, "kg/m3"},
    {"air_viscosity", "dynamic viscosity of the air", FRZ_PARAM_REAL, offsetof(gissler, air_viscosity), 1.845e-5,
     1.0e-7, 1.0, "Pa s"},
    {"wind_x", "velocity of the air, first component", FRZ_PARAM_REAL, offsetof(gissler, wind[0]), 0.0, -1000.0, 1000.0,
     "m/s"},
    {"wind_y", "velocity of the air, second component", FRZ_PARAM_REAL, offsetof(gissler, wind[1]), 0.0, -1000.0,
     1000.0, "m/s"},
    {"wind_z", "velocity of the air, third component", FRZ_PARAM_REAL, offsetof(gissler, wind[2]), 0.0, -1000.0, 1000.0,
     "m/s"},
    {"tension", "surface tension that holds drops round", FRZ_PARAM_REAL, offsetof(gissler, tension), 0.0728, 1.0e-6,
     100.0, "N/m"},
    {"viscosity", "dynamic viscosity of the liquid, which damps their deformation", FRZ_PARAM_REAL,
     offsetof(gissler, viscosity), 1.0e-3, 0.0, 1.0e6, "Pa s"},
    {0},
};

static const double pi = 3.14159265358979323846;
// of the Taylor analogy breakup model, O'Rourke & Amsden 1987
static const double tab_force = 1.0 / 3.0, tab_stiffness = 8.0, tab_damping = 5.0, tab_bulge = 0.5;
// drag of a flattened drop over that of a sphere at y = 1, less one; Liu, Mather & Reitz 1993
static const double flattened_drag = 2.632;
// sphere: 24/Re (1 + Re^(2/3)/6) up to this Reynolds number, then constant; Liu et al. 1993
static const double turbulent_reynolds = 1000.0, turbulent_drag = 0.424;
// a particle inside has all the neighbours its support holds; from this part of them on it is a piece of a body
// (Gissler et al. 2017)
static const double crowd = 2.0 / 3.0;

static double sphere_drag(double reynolds)
{
    return reynolds > turbulent_reynolds ? turbulent_drag : 24.0 / reynolds * (1.0 + pow(reynolds, 2.0 / 3.0) / 6.0);
}

// Largest deformation over the Weber number: the drop's first swing under a sudden wind, damped by its viscosity.
static double deformation_per_weber(const gissler *self, double density, double radius)
{
    const double rate = tab_damping * self->viscosity / (2.0 * density * radius * radius);
    const double square = tab_stiffness * self->tension / (density * radius * radius * radius) - rate * rate;
    // y'' + 2 rate y' + (square + rate^2) y = load: the first maximum is the rest value times 1 + exp(-rate pi / omega)
    const double swing = square > 0.0 ? 1.0 + exp(-rate * pi / sqrt(square)) : 1.0;
    return tab_force / (tab_stiffness * tab_bulge) * swing;
}

typedef struct air
{
    frz_v4 velocity;
    double radius;    // of the drop that a lone particle is, m
    double weber;     // of a wind of 1 m/s
    double give;      // deformation over Weber number
    double reynolds;  // of a wind of 1 m/s
    double body_area; // m^2
    double neighbours;
    double scale; // (1/2) rho_air / mass of the particle
} air;

static air air_of(const frz_model *model, const frz_instance *instance)
{
    const gissler *self = instance->self;
    const double s = model->spacing, density = model->materials[instance->material].density;
    const double radius = s * cbrt(3.0 / (4.0 * pi)), reach = model->support / s;
    return (air){
        .velocity = frz_v4_set((frz_real)self->wind[0], (frz_real)self->wind[1], (frz_real)self->wind[2], 0),
        .radius = radius,
        .weber = self->air_density * radius / self->tension,
        .give = deformation_per_weber(self, density, radius),
        .reynolds = 2.0 * radius * self->air_density / self->air_viscosity,
        .body_area = s * s,
        .neighbours = model->dimension == 3 ? 4.0 / 3.0 * pi * reach * reach * reach : pi * reach * reach,
        .scale = 0.5 * self->air_density / (density * s * s * s),
    };
}

// Acceleration over relative velocity, 1/s, of a particle in the open.
static double drag_rate(const air *around, double speed, double crowding)
{
    const double y = fmin(around->weber * speed * speed * around->give, 1.0);
    const double drop = sphere_drag(around->reynolds * speed) * (1.0 + flattened_drag * y);
    const double wide = around->radius * (1.0 + tab_bulge * y);
    const double coefficient = (1.0 - crowding) * drop + crowding;
    const double area = (1.0 - crowding) * pi * wide * wide + crowding * around->body_area;
    return around->scale * coefficient * area * speed;
}

static frz_status gissler_force(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                frz_diag *diag)
{
    (void)diag;
    const air around = air_of(model, instance);
    const frz_pairs *pairs = &state->neighbors.pairs;
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const frz_v4 *position = frz_field_v4(&state->particles, FRZ_FIELD_ID_position);
    const uint8_t *material = frz_particles_material(&state->particles);
    frz_v4 *acceleration = frz_field_v4(&state->particles, FRZ_FIELD_ID_acceleration);
    if (!(around.scale > 0.0))
        return FRZ_OK;
#pragma omp parallel for schedule(dynamic, 512)
    for (int i = 0; i < pairs->count; ++i)
    {
        const frz_v4 relative = around.velocity - velocity[i];
        const double speed = sqrt((double)frz_v4_dot3(relative, relative));
        if (material[i] != instance->material || speed == 0.0)
            continue;
        double hidden = 0.0, near = pairs->sample_count[i];
        for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
        {
            const uint32_t j = pairs->blocks[i / FRZ_BLOCK].index[k];
            const frz_v4 x = frz_minimum_image(&state->neighbors.grid, position[i] - position[j]);
            const double distance = sqrt((double)frz_v4_dot3(x, x));
            if (distance == 0.0)
                continue;
            near += 1.0;
            hidden = fmax(hidden, (double)frz_v4_dot3(x, relative) / (distance * speed));
        }
        const double crowding = fmin(near / (crowd * around.neighbours), 1.0);
        const double rate = (1.0 - fmin(hidden, 1.0)) * drag_rate(&around, speed, crowding);
        // implicit in the relative velocity: a light particle takes the wind's velocity, and not more
        acceleration[i] += (frz_real)(rate / (1.0 + dt * rate)) * relative;
    }
    return FRZ_OK;
}

extern const frz_method frz_method_drag_gissler2017;
const frz_method frz_method_drag_gissler2017 = {
    .key = "gissler2017",
    .slot = FRZ_SLOT_DRAG,
    .traits = FRZ_TRAIT_HIDES_ENERGY,
    .doc = "Drag of still or moving air on surfaces, spray and jets, by exposed area; drops flatten in the wind.",
    .cite = "Gissler, Band, Peer, Ihmsen & Teschner 2017, doi:10.2312/vriphys.20171081",
    .self_size = sizeof(gissler),
    .params = gissler_params,
    .run = {[FRZ_STAGE_FORCE] = gissler_force},
    .exempt = {[FRZ_CONFORMANCE_MOMENTUM] = "the air takes up momentum and is not simulated"},
};
