// SPDX-License-Identifier: MIT
#include "sim/thermal.h"

#include <math.h>

#include "base/blocks.h"
#include "sim/state.h"

// kelvins between the enthalpies at which matter melts and freezes, at least
static const double least_gap = 1.0;
// factor of Young's modulus at the liquidus: a solid close to melting still coheres, and no stress law divides by zero
static const double least_stiffness = 1e-3;
// bound of factors that depend on the temperature, for single precision and for the convergence of solvers
static const double widest_factor = 1e6;

frz_heat_curve frz_heat_curve_make(const frz_thermal *thermal, const frz_melting *melting)
{
    frz_heat_curve curve = {.solid = 1.0, .liquid = 1.0, .least = 1.0, .low = HUGE_VAL, .high = HUGE_VAL};
    curve.melts = curve.molten = HUGE_VAL;
    if (thermal == NULL)
        return curve;
    curve.conducts = true;
    curve.liquid = curve.solid = thermal->specific_heat;
    curve.conductivity = curve.solid_conductivity = thermal->conductivity;
    if (melting->given)
    {
        if (thermal->solid_specific_heat > 0.0)
            curve.solid = thermal->solid_specific_heat;
        if (thermal->solid_conductivity > 0.0)
            curve.solid_conductivity = thermal->solid_conductivity;
        curve.low = melting->solidus;
        curve.high = melting->liquidus;
        curve.latent = melting->latent_heat;
        curve.melts = curve.solid * curve.low;
        curve.molten = curve.melts + curve.latent + 0.5 * (curve.solid + curve.liquid) * (curve.high - curve.low);
    }
    curve.least = fmin(curve.solid, curve.liquid);
    return curve;
}

double frz_heat_curve_enthalpy(const frz_heat_curve *curve, double temperature, frz_phase phase)
{
    const bool at_point = temperature == curve->low && temperature == curve->high;
    if (temperature < curve->low || (at_point && phase != FRZ_PHASE_LIQUID))
        return curve->solid * temperature;
    if (temperature < curve->high)
        return curve->melts + (temperature - curve->low) * (curve->molten - curve->melts) / (curve->high - curve->low);
    return curve->molten + curve->liquid * (temperature - curve->high);
}

static frz_phase solid_phase(frz_solid_form form)
{
    return form == FRZ_FORM_RIGID ? FRZ_PHASE_RIGID : FRZ_PHASE_ELASTIC;
}

// Three states: solid, soft and liquid.
static frz_phase phase_of_soft(const frz_heat_curve *curve, double enthalpy, frz_phase phase, frz_solid_form form)
{
    const double gap = fmin(0.5 * least_gap * curve->least, 0.25 * (curve->molten - curve->melts));
    const frz_phase solid = solid_phase(form);
    if (phase == FRZ_PHASE_LIQUID ? enthalpy >= curve->molten - gap : enthalpy >= curve->molten + gap)
        return FRZ_PHASE_LIQUID;
    if (phase == FRZ_PHASE_RIGID ? enthalpy <= curve->melts + gap : enthalpy <= curve->melts - gap)
        return phase == FRZ_PHASE_RIGID ? phase : solid;
    return FRZ_PHASE_ELASTIC;
}

frz_phase frz_heat_curve_phase(const frz_heat_curve *curve, double enthalpy, frz_phase phase,
                               const frz_melting *melting)
{
    const double gap = fmax(0.5 * (least_gap * curve->least - (curve->molten - curve->melts)), 0.0);
    if (melting->form == FRZ_FORM_NONE)
        return phase;
    if (melting->soft)
        return phase_of_soft(curve, enthalpy, phase, melting->form);
    if (phase != FRZ_PHASE_LIQUID)
        return enthalpy >= curve->molten + gap ? FRZ_PHASE_LIQUID : phase;
    return enthalpy > curve->melts - gap ? phase : solid_phase(melting->form);
}

static double law_at(const frz_temperature_law *law, double temperature)
{
    double factor = 1.0;
    if (law->activation != 0.0)
        factor = exp(law->activation * (1.0 / fmax(temperature, 1.0) - 1.0 / law->reference));
    if (law->count == 0)
        return factor;
    int row = 0;
    while (row < law->count && law->temperature[row] <= temperature)
        ++row;
    if (row == 0 || row == law->count)
        return factor * law->factor[row == 0 ? 0 : law->count - 1];
    const double from = law->temperature[row - 1], part = (temperature - from) / (law->temperature[row] - from);
    return factor * (law->factor[row - 1] + part * (law->factor[row] - law->factor[row - 1]));
}

static bool has_range(const frz_melting *melting)
{
    return melting->given && melting->liquidus > melting->solidus;
}

static bool softens(const frz_material *material, frz_property property)
{
    return has_range(&material->melting) &&
           ((property == FRZ_PROPERTY_STIFFNESS && material->melting.soft) ||
            (property == FRZ_PROPERTY_VISCOSITY && material->melting.stiffening != 1.0));
}

bool frz_material_depends(const frz_material *material, frz_property property)
{
    const frz_temperature_law *law = &material->laws[property];
    return law->count > 0 || law->activation != 0.0 || softens(material, property);
}

double frz_material_factor(const frz_material *material, frz_property property, double temperature)
{
    const frz_melting *melting = &material->melting;
    double factor = law_at(&material->laws[property], temperature);
    if (softens(material, property))
    {
        const double solid =
            fmin(fmax((melting->liquidus - temperature) / (melting->liquidus - melting->solidus), 0.0), 1.0);
        factor *= property == FRZ_PROPERTY_STIFFNESS ? fmax(solid, least_stiffness)
                                                     : 1.0 + solid * (melting->stiffening - 1.0);
    }
    return fmin(fmax(factor, 1.0 / widest_factor), widest_factor);
}

frz_relative_stress frz_state_relative_stress(const frz_model *model, const frz_state *state, int material,
                                              frz_property property)
{
    const frz_material *stuff = &model->materials[material];
    const bool any = frz_material_depends(stuff, property) || frz_material_depends(stuff, FRZ_PROPERTY_STIFFNESS);
    if (!model->has_temperature || !any)
        return (frz_relative_stress){.property = property};
    return (frz_relative_stress){stuff, frz_field_real(&state->particles, model->temperature_field), property};
}

double frz_state_largest_factor(const frz_model *model, const frz_state *state, int material, frz_property property)
{
    const frz_material *stuff = &model->materials[material];
    if (!model->has_temperature || !frz_material_depends(stuff, property))
        return 1.0;
    const frz_real *temperature = frz_field_real(&state->particles, model->temperature_field);
    const uint8_t *own = frz_particles_material(&state->particles), *phase = frz_particles_phase(&state->particles);
    const int count = state->particles.count[FRZ_ROLE_FREE];
    double largest = 0.0;
#pragma omp parallel for schedule(static) reduction(max : largest) if (count >= frz_parallel_some)
    for (int i = 0; i < count; ++i)
        if (own[i] == material && phase[i] == FRZ_PHASE_ELASTIC)
            largest = fmax(largest, frz_material_factor(stuff, property, (double)temperature[i]));
    return largest > 0.0 ? largest : 1.0;
}

frz_real *frz_state_heat_of_work(const frz_model *model, const frz_state *state, int material)
{
    const frz_instance *heat = frz_model_method(model, FRZ_SLOT_HEAT, material);
    const frz_thermal *thermal = heat != NULL ? heat->self : NULL;
    return thermal != NULL && thermal->plastic_work ? frz_field_real(&state->particles, heat->first_field) : NULL;
}

frz_real *frz_state_heat_of_friction(const frz_model *model, const frz_state *state, int material)
{
    const frz_instance *heat = frz_model_method(model, FRZ_SLOT_HEAT, material);
    const frz_thermal *thermal = heat != NULL ? heat->self : NULL;
    return thermal != NULL && thermal->friction ? frz_field_real(&state->particles, heat->first_field) : NULL;
}

void frz_particle_set_temperature(const frz_model *model, frz_state *state, int slot, double temperature)
{
    if (!model->has_temperature)
        return;
    const frz_particles *particles = &state->particles;
    frz_field_real(particles, model->temperature_field)[slot] = (frz_real)temperature;
    const int material = frz_particles_material(particles)[slot];
    if (model->has_heat && material < model->material_count)
        frz_state_enthalpy(particles, model->enthalpy_field)[slot] = frz_heat_curve_enthalpy(
            &model->materials[material].curve, temperature, (frz_phase)frz_particles_phase(particles)[slot]);
}
