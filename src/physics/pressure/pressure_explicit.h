// SPDX-License-Identifier: MIT
// Common to the explicit pressure methods: pressure from a state equation, one sweep of forces, a step that resolves
// sound.
//
// The step of the simulation (velocities by the forces at x_n, positions by the new velocities) is the leap-frog scheme
// with the velocities half a step behind the positions: it needs no code here. With P = p / delta^2 the forces are
// minus the gradient of an energy, so sound waves neither grow nor fade on their own as long as they are resolved.
#pragma once

#include "physics/pressure/pressure_system.h"

/// Speed of sound: the one given, or if that is 0 ten times the speed that the model expects (Becker & Teschner 2007,
/// sec. 3: density varies by less than one percent then).
double frz_pressure_sound(const frz_model *model, double given);

/// dt <= 0.4 h / (c (1 + 0.6 alpha)) and 0.25 sqrt(h / a), h half the support; Monaghan 1992, Becker & Teschner 2007.
double frz_pressure_sound_max_dt(const frz_model *model, const frz_state *state, double sound, double alpha);

/// Refuse a time_step.fixed at which sound waves of a given speed would grow.
FRZ_NODISCARD frz_status frz_pressure_sound_check(const frz_model *model, double sound, const char *method,
                                                  frz_diag *diag);

/// Velocities and pressure from kappa and the displacement; the compression beyond rest as density error; time since
/// clock.
void frz_pressure_finish_explicit(frz_state *state, const frz_pressure_system *system, const frz_real *compression,
                                  double dt, double clock);
