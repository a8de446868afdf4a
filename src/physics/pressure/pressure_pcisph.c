// SPDX-License-Identifier: MIT
// Predictive-corrective incompressible SPH. Solenthaler & Pajarola 2009, with number-density volumes.
//
// Until the average compression predicted for the end of the step is small (alg. 2):
//
//     predict       r_i = delta_i - 1 + dt D(v)_i + dt^2 D(a)_i
//     correct       P_i <- max(0, P_i + k r_i),     k = 1 / (2 dt^2 A)     eq. 8; A the diagonal inside a full lattice
//
// The paper sums the density again at the predicted positions; here the change is linear in the displacements, along
// the gradients at the start of the step, as in the other solvers (tests/methods/test_pressure.c holds it against the
// sum). Its k assumes one and the same full neighbourhood for all: that is the difference to relaxed Jacobi, which
// divides by each particle's own diagonal. As in dfsph, the correction of a density error is limited per step.

#include "physics/pressure/pressure_system.h"

typedef struct pcisph
{
    double max_density_error, max_particle_error;
    int min_iterations;
    int max_iterations;
    bool warm_start;
} pcisph;

static const frz_param pcisph_params[] = {
    {"max_density_error", "average compression at which the solver stops", FRZ_PARAM_REAL,
     offsetof(pcisph, max_density_error), 0.02, 1e-6, 10.0, "%"},
    {"max_particle_error",
     "largest compression of a particle beside a rigid body at which the solver stops; 0: none asked for",
     FRZ_PARAM_REAL, offsetof(pcisph, max_particle_error), 1.0, 0.0, 100.0, "%"},
    {"min_iterations", "iterations that are always done", FRZ_PARAM_INT, offsetof(pcisph, min_iterations), 3, 1, 100000,
     ""},
    {"max_iterations", "iterations after which the solver gives up", FRZ_PARAM_INT, offsetof(pcisph, max_iterations),
     500, 1, 100000, ""},
    {"warm_start",
     "start from the mean pressure of the last steps; the paper starts from zero, which takes many times the "
     "iterations in deep water",
     FRZ_PARAM_BOOL, offsetof(pcisph, warm_start), 1, 0, 1, ""},
    {0},
};

static const frz_field_decl pcisph_fields[] = {
    {"pcisph_pressure", 1, "Pa", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET,
     "running mean of the solutions; warm start"},
    {0},
};

// One diagonal for all: that of a particle inside the lattice, where the gradients add up to nothing. A particle whose
// own is larger (crowded, in a corner, a heavy one among light ones) keeps it: the common step would overshoot there.
// So do contacts of implicit elastic bodies, which are in no lattice.
static void share_diagonal(const frz_model *model, const frz_pressure_system *p)
{
    const double square = frz_kernel_lattice_square(&model->kernel, model->spacing, model->particle_volume);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < p->pairs->count; ++i)
    {
        const frz_real mobility = p->mobility != NULL ? p->mobility[i] : 1;
        const frz_real common = 1 / ((frz_real)square * mobility), own = p->inverse_diagonal[i];
        const bool contact = p->beside != NULL && p->beside[i] != 0;
        p->inverse_diagonal[i] = own < common || contact ? own : common;
    }
}

static frz_status pcisph_pressure(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                  frz_diag *diag)
{
    const pcisph *self = instance->self;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    const double clock = frz_now();
    frz_pressure_system p;
    FRZ_TRY(frz_pressure_system_make_iterative(model, state, FRZ_PRESSURE_JACOBI, &p, diag));
    frz_real *warm = frz_field_real(&state->particles, instance->first_field);
    share_diagonal(model, &p);
    frz_pressure_limit_correction(model, dt, &p);
    frz_pressure_start(&p, self->warm_start ? warm : NULL, frz_pressure_to_kappa(&p, dt));
    const frz_pressure_task task = {.name = "density",
                                    .tolerance = 0.01 * self->max_density_error,
                                    .bound = 0.01 * self->max_particle_error,
                                    .most = frz_pressure_particle_error,
                                    .passive = dt,
                                    .min_iterations = self->min_iterations,
                                    .max_iterations = self->max_iterations,
                                    .iteration = FRZ_PRESSURE_JACOBI};
    FRZ_TRY(frz_pressure_solve_step(model, &p, frz_pressure_predict_density, &task, dt, &state->stats.density, diag));
    frz_pressure_apply_correction(model, &p, 0.0, p.strictness * task.tolerance, dt, false);
    frz_pressure_keep(&p, dt, 1.0, frz_pressure_blend, warm);
    frz_pressure_note(state, &p);
    FRZ_TRY(frz_pressure_response_finish(model, state, &p, dt, diag));
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "density"), clock);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

static frz_status pcisph_check(const frz_model *model, const frz_instance *instance, frz_diag *diag)
{
    (void)model;
    const pcisph *self = instance->self;
    if (self->min_iterations <= self->max_iterations)
        return FRZ_OK;
    return frz_fail(diag, FRZ_ERR_SCENE, "pressure pcisph: min_iterations (%d) is above max_iterations (%d)",
                    self->min_iterations, self->max_iterations);
}

const frz_method frz_method_pressure_pcisph = {
    .key = "pcisph",
    .slot = FRZ_SLOT_PRESSURE,
    .traits = FRZ_TRAIT_SOLVES_PRESSURE | FRZ_TRAIT_NEEDS_SURFACE,
    .doc = "Incompressible to a chosen tolerance: predicts the density and corrects the pressure in turn; large steps.",
    .cite = "Solenthaler & Pajarola 2009, doi:10.1145/1531326.1531346",
    .self_size = sizeof(pcisph),
    .params = pcisph_params,
    .fields = pcisph_fields,
    .max_dt = frz_pressure_max_dt,
    .check = pcisph_check,
    .run = {[FRZ_STAGE_PRESSURE] = pcisph_pressure},
};
