// SPDX-License-Identifier: MIT
#include "sim/thermal.h"

#include <math.h>

#include "sim/state.h"

// kelvins between the enthalpies at which matter melts and freezes, at least
static const double least_gap = 1.0;

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

frz_phase frz_heat_curve_phase(const frz_heat_curve *curve, double enthalpy, frz_phase phase, frz_solid_form form)
{
    const double gap = fmax(0.5 * (least_gap * curve->least - (curve->molten - curve->melts)), 0.0);
    if (form == FRZ_FORM_NONE)
        return phase;
    if (phase != FRZ_PHASE_LIQUID)
        return enthalpy >= curve->molten + gap ? FRZ_PHASE_LIQUID : phase;
    if (enthalpy > curve->melts - gap)
        return phase;
    return form == FRZ_FORM_RIGID ? FRZ_PHASE_RIGID : FRZ_PHASE_ELASTIC;
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
