// SPDX-License-Identifier: MIT
// Divergence-free SPH. Bender & Koschier 2017, with number-density volumes (Solenthaler & Pajarola 2008).
//
// Multipliers, forces and the solver are those of pressure_system.h. Two constraints are solved one after the other
// when all other forces are in, with P >= 0 and r <= 0 complementary:
//   divergence   r_i = dt D(v)_i + dt^2 D(a)_i - room_i                 no compression in this step, unless i is loose
//   density      r_i = delta_i - 1 + dt D(v)_i + dt^2 D(a)_i            no excess density at the end of the step
// (The original solves for the divergence before the forces; after them, one solve carries gravity and removes
// divergence, and the second only corrects the remaining drift.)
//
// With viscous liquids the first one has the corrected divergence of sph/affine.h: the weight that it carries bears no
// shear. The change of the density as disordered particles pass each other is then drift. Particles of thin liquids
// never come to rest with it, and at rest a step takes ten times the iterations. So they have it as far as friction
// damps them, in full where buoyancy drives them, else on request.
//
// The correction of the density is limited per step, for it stays in the velocity: overlaps at the start drift apart
// instead of exploding.

#include <math.h>

#include "physics/pressure/pressure_system.h"
#include "sim/neighborhood.h"

typedef struct dfsph
{
    double max_density_error;
    double max_divergence_error;
    double max_particle_error;
    int max_iterations;
    int solver;     // frz_pressure_iteration
    int shear_free; // index into shear_free_words
} dfsph;

enum
{
    shear_free_viscous,
    shear_free_always,
    shear_free_never
};

static const char *const shear_free_words[] = {
    [shear_free_viscous] = "viscous", [shear_free_always] = "always", [shear_free_never] = "never", NULL};

static const frz_param dfsph_params[] = {
    {"max_density_error", "average compression at which the density solver stops", FRZ_PARAM_REAL,
     offsetof(dfsph, max_density_error), 0.02, 1e-6, 10.0, "%"},
    {"max_divergence_error",
     "average compression in the longest step of gravity at which the divergence solver stops; less in shorter ones",
     FRZ_PARAM_REAL, offsetof(dfsph, max_divergence_error), 0.02, 1e-6, 10.0, "%"},
    {"max_particle_error",
     "largest compression of a particle beside a rigid body at which a solver stops; 0: none asked for", FRZ_PARAM_REAL,
     offsetof(dfsph, max_particle_error), 1.0, 0.0, 100.0, "%"},
    {"max_iterations", "iterations after which a solver gives up", FRZ_PARAM_INT, offsetof(dfsph, max_iterations), 200,
     1, 100000, ""},
    {"solver", "how the pressures are iterated; the solution is the same to the tolerance", FRZ_PARAM_WORD,
     offsetof(dfsph, solver), FRZ_PRESSURE_CONJUGATE, 0, 0, "", frz_pressure_iteration_words},
    {"shear_free",
     "whose pressure bears no shear: that of viscous liquids and of those that buoyancy drives, all (small waves live "
     "longer, at twice the cost and more)",
     FRZ_PARAM_WORD, offsetof(dfsph, shear_free), shear_free_viscous, 0, 0, "", shear_free_words},
    {0},
};

static const frz_field_decl dfsph_fields[] = {
    {"dfsph_pressure", 1, "Pa", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET | FRZ_FIELD_FREE,
     "solution of the last divergence solve; warm start"},
    {"dfsph_correction", 1, "Pa", FRZ_FIELD_SAVE | FRZ_FIELD_SORT | FRZ_FIELD_RESET | FRZ_FIELD_FREE,
     "solution of the last density solve; warm start"},
    {0},
};

// compression below which a particle counts as loose (surface, spray) and may be compressed up to it; well below the
// compression inside a liquid at rest after corrections of the density, or the liquid would fall into the gaps they
// make
static const frz_real loose = (frz_real)0.97;
// fraction of the last density correction in the first guess of the next one: a corrected error is gone, so all of it
// would be too much (water at rest gains energy), but a liquid under gravity needs much of it again
static const double keep_correction = 0.5;

// Minus the compression that a loose particle may gain without a pressure, else 0.
static inline frz_real room_of(frz_real compression)
{
    return compression < loose ? compression - loose : 0;
}

// Source of the divergence solve.
static void predict_divergence(const frz_state *state, frz_pressure_system *p, double dt)
{
    const frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    frz_pressure_predict(state, p, dt);
#pragma omp parallel for schedule(static) if (state->neighbors.pairs.count >= frz_parallel_least)
    for (int i = 0; i < state->neighbors.pairs.count; ++i)
        p->source[i] += p->closed ? 0 : room_of(compression[i]);
    frz_pressure_balance(p);
}

// Source of the density solve. The final residual of the divergence solve is the remaining dt D(v) (and the room), so
// that no sweep is needed.
static void predict_density(const frz_state *state, frz_pressure_system *p)
{
    const frz_real *compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
#pragma omp parallel for schedule(static) if (state->neighbors.pairs.count >= frz_parallel_least)
    for (int i = 0; i < state->neighbors.pairs.count; ++i)
    {
        const frz_real change = p->residual[i] - (p->closed ? 0 : room_of(compression[i]));
        const frz_real error = frz_pressure_density_error(p, compression, i);
        p->source[i] = frz_pressure_corrected(p, error, i) + change;
    }
    p->drift = NULL;
    frz_pressure_balance(p);
}

static frz_status dfsph_pressure(const frz_model *model, frz_state *state, const frz_instance *instance, double dt,
                                 frz_diag *diag)
{
    const dfsph *self = instance->self;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    double clock = frz_now();
    frz_pressure_system p;
    FRZ_TRY(frz_pressure_system_make_iterative(model, state, (frz_pressure_iteration)self->solver, &p, diag));
    p.loose = loose;
    frz_real *first = frz_field_real(&state->particles, instance->first_field);
    frz_real *second = frz_field_real(&state->particles, instance->first_field + 1);
    const double to_kappa = frz_pressure_to_kappa(&p, dt);
    frz_pressure_limit_correction(model, dt, &p);
    frz_pressure_find_surface(model, state, &p);
    FRZ_TRY(frz_pressure_check_room(model, state, &p, diag));

    FRZ_TRY(frz_state_affine(model, state, &p.affine, diag));
    const double strictness = p.strictness;
    p.strictness = fmin(strictness, frz_pressure_step_share(model, state, dt));
    frz_pressure_start(&p, first, to_kappa);
    const frz_pressure_task divergence = {.name = "divergence",
                                          .tolerance = 0.01 * self->max_divergence_error,
                                          .bound = 0.01 * self->max_particle_error,
                                          .most = frz_pressure_particle_error,
                                          .passive = dt,
                                          .max_iterations = self->max_iterations,
                                          .iteration = (frz_pressure_iteration)self->solver};
    FRZ_TRY(frz_pressure_solve_step(model, &p, predict_divergence, &divergence, dt, &state->stats.divergence, diag));
    const frz_pressure_work work = frz_pressure_work_of(&p, p.kappa_before, dt);
    const double dissipated = -(work.along + work.square) - frz_pressure_lent(&p, dt);
    frz_pressure_apply(state, &p, p.kappa_before, dt, false);
    frz_pressure_level(model, &p);
    frz_pressure_keep(&p, dt, 1.0, 1.0, first);
    clock = frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "divergence"), clock);

    p.affine = NULL; // the density is that of the kernel
    p.strictness = strictness;
    p.compression = frz_field_real(&state->particles, FRZ_FIELD_ID_compression);
    frz_pressure_begin_shift(&p);
    predict_density(state, &p);
    frz_pressure_start(&p, second, to_kappa);
    const frz_pressure_task density = {.name = "density",
                                       .tolerance = 0.01 * self->max_density_error,
                                       .bound = 0.01 * self->max_particle_error,
                                       .max_iterations = self->max_iterations,
                                       .iteration = (frz_pressure_iteration)self->solver};
    FRZ_TRY(frz_pressure_solve(&p, &density, &state->stats.density, diag));
    if (p.closed)
        frz_pressure_shift(model, state, &p, dt);
    else
    {
        FRZ_TRY(frz_pressure_places_make(model, state, &p, diag));
        // motion below the tolerance has the same speed in short steps
        const double unseen = fmin(p.strictness, frz_pressure_step_share(model, state, dt)) * density.tolerance;
        frz_pressure_apply_correction(model, &p, dissipated - frz_pressure_lift(model, &p), unseen, dt, true);
    }
    frz_pressure_keep(&p, dt, keep_correction, 1.0, second);
    frz_pressure_note(state, &p);
    FRZ_TRY(frz_pressure_response_finish(model, state, &p, dt, diag));
    frz_timer_lap(&state->timers, frz_timer_index(&state->timers, "density"), clock);
    frz_arena_release(&state->scratch, mark);
    return FRZ_OK;
}

static frz_affine_use dfsph_affine(const void *self, frz_affine_use wanted)
{
    const int shear_free = ((const dfsph *)self)->shear_free;
    return shear_free == shear_free_always    ? FRZ_AFFINE_FULL
           : shear_free == shear_free_viscous ? wanted
                                              : FRZ_AFFINE_NONE;
}

const frz_method frz_method_pressure_dfsph = {
    .key = "dfsph",
    .slot = FRZ_SLOT_PRESSURE,
    .traits = FRZ_TRAIT_SOLVES_PRESSURE,
    .doc = "Incompressible to a chosen tolerance: divergence-free velocity, then rest density; large steps.",
    .cite = "Bender & Koschier 2017, doi:10.1109/TVCG.2016.2578335",
    .self_size = sizeof(dfsph),
    .params = dfsph_params,
    .fields = dfsph_fields,
    .max_dt = frz_pressure_max_dt,
    .affine = dfsph_affine,
    .run = {[FRZ_STAGE_PRESSURE] = dfsph_pressure},
};
