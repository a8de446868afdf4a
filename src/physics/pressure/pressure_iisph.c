// SPDX-License-Identifier: MIT
// Implicit incompressible SPH. Ihmsen, Cornelis, Solenthaler, Horvath & Teschner 2014, with number-density volumes.
//
// One constraint, solved when all other forces are in (eqs. 5-8), with P >= 0 and r <= 0 complementary:
//
//     r_i = delta_i - 1 + dt D(v)_i + dt^2 D(a)_i            no excess density at the end of the step
//
// in the multipliers of pressure_system.h: the paper's coefficients d_ij are gradients frozen at the start of the step,
// as here, and its a_ii (eq. 12) is the diagonal. The paper iterates by Jacobi with a relaxation of 0.5 (eq. 13); here
// that is one of the choices. As in dfsph, the correction of a density error is limited per step, and the first guess
// is a running mean. `classic` follows the paper instead: all of an error is corrected in one step, at least two
// iterations are made, and the first guess is half of the last pressure (sec. 3.2); with solver: jacobi that is its
// algorithm 1.

#include "physics/pressure/pressure_system.h"

typedef struct iisph
{
    double max_density_error, max_particle_error;
    int max_iterations;
    int solver; // frz_pressure_iteration
    bool classic;
} iisph;

// of the paper: least number of iterations, and the fraction of the last pressure in the first guess
static const int classic_iterations = 2;
static const double classic_share = 0.5;

static const frz_param iisph_params[] = {
    {"max_density_error", "average compression at which the solver stops", FRZ_PARAM_REAL,
     offsetof(iisph, max_density_error), 0.02, 1e-6, 10.0, "%"},
    {"max_particle_error",
     "largest compression of a particle beside a rigid body at which the solver stops; 0: none asked for",
     FRZ_PARAM_REAL, offsetof(iisph, max_particle_error), 1.0, 0.0, 100.0, "%"},
    {"max_iterations", "iterations after which the solver gives up", FRZ_PARAM_INT, offsetof(iisph, max_iterations),
     200, 1, 100000, ""},
    {"solver", "how the pressures are iterated; the solution is the same to the tolerance", FRZ_PARAM_WORD,
     offsetof(iisph, solver), FRZ_PRESSURE_CONJUGATE, 0, 0, "", frz_pressure_iteration_words},
    {"classic",
     "errors corrected in one step and a first guess of half the last pressure, for comparison; with "
     "max_particle_error 0 "
     "the average error decides alone",
     FRZ_PARAM_BOOL, offsetof(iisph, classic), 0, 0, 1, ""},
    {0},
};

static const frz_field_decl iisph_fields[] = {
    {"iisph_pressure", 1, "Pa", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,
     "running mean of the solutions; warm start"},
    {0},
};

static frz_status iisph_pressure(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                 frz_diag *diag)
{
    const iisph *self = instance->self;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    const double clock = frz_now();
    frz_pressure_system p;
    FRZ_TRY(frz_pressure_system_make_iterative(model, state, (frz_pressure_iteration)self->solver, &p, diag));
    frz_real *warm = frz_field_real(&state->particles, instance->first_field);
    frz_pressure_limit_correction(model, dt, &p);
    if (self->classic)
        p.excess_rate = 1;
    frz_pressure_start(&p, warm, frz_pressure_to_kappa(&p, dt));
    const frz_pressure_task task = {.name = "density",
                                    .tolerance = 0.01 * self->max_density_error,
                                    .bound = 0.01 * self->max_particle_error,
                                    .most = frz_pressure_particle_error,
                                    .passive = dt,
                                    .plain = self->classic && !(self->max_particle_error > 0.0),
                                    .min_iterations = self->classic ? classic_iterations : 0,
                                    .max_iterations = self->max_iterations,
                                    .iteration = (frz_pressure_iteration)self->solver};
    FRZ_TRY(frz_pressure_solve_step(model, &p, frz_pressure_predict_density, &task, dt, &state->stats.density, diag));
    frz_pressure_apply_correction(model, &p, 0.0, p.strictness * task.tolerance, dt, false);
    frz_pressure_keep(&p, dt, self->classic ? classic_share : 1.0, self->classic ? 1.0 : frz_pressure_blend, warm);
    frz_pressure_note(state, &p);
    FRZ_TRY(frz_pressure_response_finish(model, state, &p, dt, diag));
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "density"), clock);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

const frz_method frz_method_pressure_iisph = {
    .key = "iisph",
    .slot = FRZ_SLOT_PRESSURE,
    .traits = FRZ_TRAIT_SOLVES_PRESSURE | FRZ_TRAIT_NEEDS_SURFACE,
    .doc = "Incompressible to a chosen tolerance: rest density at the end of the step, in one solve; large steps.",
    .cite = "Ihmsen, Cornelis, Solenthaler, Horvath & Teschner 2014, doi:10.1109/TVCG.2013.105",
    .self_size = sizeof(iisph),
    .params = iisph_params,
    .fields = iisph_fields,
    .max_dt = frz_pressure_max_dt,
    .run = {[FRZ_STAGE_PRESSURE] = iisph_pressure},
};
