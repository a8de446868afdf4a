// SPDX-License-Identifier: MIT
// Heat of a material: enthalpy against temperature, and the exchange with walls and the air.
//
// A particle carries the enthalpy per mass (field `enthalpy`, J/kg, 0 at 0 K); its temperature follows:
//
//     solid    h = c_s T                                             up to the solidus T_s
//     mushy    h from c_s T_s up to c_s T_s + L + (c_s + c_l)/2 (T_l - T_s), linear in T
//     liquid   h above that, with slope c_l                          from the liquidus T_l on
//
// With T_s = T_l the mushy part is a step of height L: the temperature stays while the particle melts. A material
// without a melting range has the first line for all temperatures, with the specific heat of the liquid.
#pragma once

#include <stdbool.h>

#include "particles/matter.h"

/// Parameters that every method of the slot `heat` begins with. Zero of the solid ones: as the liquid.
typedef struct frz_thermal
{
    double conductivity, solid_conductivity;   ///< W/(m K)
    double specific_heat, solid_specific_heat; ///< J/(kg K)
    double expansion;                          ///< of the volume, 1/K
    double expansion_reference; ///< temperature at which the density is the material's, K; 0: the scene's
    double convection;          ///< to the air at the free surface, W/(m^2 K)
    double emissivity;          ///< of the free surface
    bool plastic_work;          ///< of elastic bodies becomes heat
    bool friction;              ///< of elastic bodies becomes heat
} frz_thermal;

/// The solid phase of a material. NONE: heat changes no phase.
typedef enum frz_solid_form
{
    FRZ_FORM_RIGID,
    FRZ_FORM_ELASTIC,
    FRZ_FORM_NONE
} frz_solid_form;

/// Melting of a material.
typedef struct frz_melting
{
    bool given;
    double solidus, liquidus; ///< K
    double latent_heat;       ///< J/kg
    frz_solid_form form;
    bool soft;         ///< elastic between solidus and liquidus
    double stiffening; ///< viscosity at the solidus over that at the liquidus
} frz_melting;

/// Properties that may depend on the temperature: each is multiplied by a factor.
typedef enum frz_property
{
    FRZ_PROPERTY_VISCOSITY,
    FRZ_PROPERTY_STIFFNESS, ///< Young's modulus; Poisson's ratio stays
    FRZ_PROPERTY_YIELD,     ///< stress at which it flows
    FRZ_PROPERTY_STRENGTH,  ///< stress or stretch at which it breaks
    FRZ_PROPERTY_COUNT
} frz_property;

/// Factor of a property against the temperature: a table times an Arrhenius term.
typedef struct frz_temperature_law
{
    int count;           ///< rows of the table; 0: none
    double *temperature; ///< K, rising
    double *factor;      ///< linear in between, held beyond
    double activation;   ///< exp(activation (1/T - 1/reference)), K; 0: none
    double reference;    ///< K
} frz_temperature_law;

/// Enthalpy against temperature; made by frz_heat_curve_make.
typedef struct frz_heat_curve
{
    bool conducts;                           ///< the material has a method of the slot `heat`
    double solid, liquid;                    ///< specific heats, J/(kg K)
    double least;                            ///< the smaller one
    double low, high;                        ///< solidus and liquidus, K; HUGE_VAL: it does not melt
    double melts, molten;                    ///< enthalpies there, J/kg
    double latent;                           ///< J/kg
    double solid_conductivity, conductivity; ///< W/(m K)
} frz_heat_curve;

frz_heat_curve frz_heat_curve_make(const frz_thermal *thermal, const frz_melting *melting);

/// Enthalpy at a temperature. At a melting point without a range it is that of the given phase.
double frz_heat_curve_enthalpy(const frz_heat_curve *curve, double temperature, frz_phase phase);

/// Part that is molten: 0 up to the solidus, 1 from the liquidus on.
static inline double frz_heat_curve_fraction(const frz_heat_curve *curve, double enthalpy)
{
    if (enthalpy <= curve->melts)
        return 0.0;
    return enthalpy < curve->molten ? (enthalpy - curve->melts) / (curve->molten - curve->melts) : 1.0;
}

/// Phase that a particle is to have. It melts when it is molten completely and freezes when it is solid completely; in
/// between it is elastic (melting->soft) or keeps its phase. The enthalpies of a change and of its opposite differ, by
/// a kelvin if the range allows it, so that no particle alternates between phases.
frz_phase frz_heat_curve_phase(const frz_heat_curve *curve, double enthalpy, frz_phase phase,
                               const frz_melting *melting);

/// Temperature, and its derivative by the enthalpy (kg K/J; 0 at a melting point without a range).
static inline double frz_heat_curve_temperature(const frz_heat_curve *curve, double enthalpy, double *slope)
{
    if (enthalpy <= curve->melts)
    {
        *slope = 1.0 / curve->solid;
        return enthalpy / curve->solid;
    }
    if (enthalpy < curve->molten)
    {
        *slope = (curve->high - curve->low) / (curve->molten - curve->melts);
        return curve->low + (enthalpy - curve->melts) * *slope;
    }
    *slope = 1.0 / curve->liquid;
    return curve->high + (enthalpy - curve->molten) / curve->liquid;
}

/// Heat exchange of a static or shaped rigid body at its surface. Without a temperature or flux it insulates.
typedef struct frz_wall_heat
{
    bool has_temperature;
    double temperature; ///< of the surface, or of the medium behind the heat transfer, K
    double transfer;    ///< heat transfer coefficient, W/(m^2 K); 0: the surface itself has the temperature
    double flux;        ///< into the matter, W/m^2
} frz_wall_heat;

/// Ports through which heat enters or leaves.
typedef enum frz_heat_port
{
    FRZ_HEAT_WALLS,
    FRZ_HEAT_SURFACE, ///< convection and radiation
    FRZ_HEAT_REGIONS,
    FRZ_HEAT_WORK, ///< work dissipated in the material: plastic flow
    FRZ_HEAT_PORTS
} frz_heat_port;

/// Figures of the last step that advanced the heat; content and latent part are those of the last step.
typedef struct frz_heat_stats
{
    double content, latent;       ///< heat of all particles relative to 0 K, and the latent part of it, J
    double power[FRZ_HEAT_PORTS]; ///< heat flow in, W
    double gained, drift;         ///< heat gained through all ports, and the change of the content beyond it, J
    double surface_area;          ///< of matter exposed to air, m^2 (m in 2D); 0 if no material needs it
    int substeps;                 ///< explicit ones; 0: the step was implicit
    int iterations;               ///< of the implicit solver
    double span;                  ///< time by which this step advanced the heat, s; 0: not advanced
    double patience;              ///< longest time that the heat may lag behind the mechanics, s
} frz_heat_stats;

/// Totals of a run; saved.
typedef struct frz_heat_account
{
    double entered[FRZ_HEAT_PORTS]; ///< J
    double drift;                   ///< change of the content without a port, J: rounding
    double waiting;                 ///< time by which the heat lags behind the mechanics, s
    double patience;                ///< see frz_heat_stats; 0: not known yet
    double power[FRZ_HEAT_PORTS];   ///< figures of stats that a restart cannot recompute
    double surface_area;
    int64_t substeps, iterations;
} frz_heat_account;

typedef struct frz_material frz_material;
typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

/// Does a property of the material depend on the temperature?
bool frz_material_depends(const frz_material *material, frz_property property);
/// Factor of a property at a temperature. Between solidus and liquidus Young's modulus falls to almost zero (materials
/// that are soft there) and the viscosity to that of the liquid, both linear in the temperature (Solenthaler, Schlaefli
/// & Pajarola 2007, figure 5), on top of the given law.
double frz_material_factor(const frz_material *material, frz_property property, double temperature);
/// A stress of the material for laws of constant stiffness: divided by the factor of Young's modulus. Null: neither
/// depends on the temperature.
typedef struct frz_relative_stress
{
    const frz_material *material;
    const frz_real *temperature; ///< by slot
    frz_property property;
} frz_relative_stress;

frz_relative_stress frz_state_relative_stress(const frz_model *model, const frz_state *state, int material,
                                              frz_property property);
/// The factor of a particle.
static inline double frz_relative_stress_at(const frz_relative_stress *r, int slot)
{
    if (r->material == NULL)
        return 1.0;
    const double T = (double)r->temperature[slot];
    return frz_material_factor(r->material, r->property, T) /
           frz_material_factor(r->material, FRZ_PROPERTY_STIFFNESS, T);
}
/// Factor of Young's modulus of a particle.
static inline double frz_relative_stiffness_at(const frz_relative_stress *r, int slot)
{
    return r->material == NULL ? 1.0
                               : frz_material_factor(r->material, FRZ_PROPERTY_STIFFNESS, (double)r->temperature[slot]);
}
/// The largest factor of a property among the elastic particles of a material; 1 if it does not depend.
double frz_state_largest_factor(const frz_model *model, const frz_state *state, int material, frz_property property);

/// By slot: mechanical energy that becomes heat at the end of the step, J; the code that dissipates it adds it here
/// before the heat stage. Null: the material ignores it. Friction and plastic work are separate choices.
frz_real *frz_state_heat_of_friction(const frz_model *model, const frz_state *state, int material);
frz_real *frz_state_heat_of_work(const frz_model *model, const frz_state *state, int material);

/// Give a free particle a temperature, and the enthalpy that goes with it.
void frz_particle_set_temperature(const frz_model *model, frz_state *state, int slot, double temperature);

static inline double *frz_state_enthalpy(const frz_particles *particles, int field)
{
    return (double *)particles->fields[field].data;
}
