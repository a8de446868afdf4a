// SPDX-License-Identifier: MIT
// Corrections where gradients at the start of a step are too inaccurate.
//
// The solver is linear in the step: gradients are those of its start. In an impact this is too inaccurate.
//
// Walls. The compression by a wall grows ever steeper towards it: a particle that approaches by 0.4 spacings is
// compressed three times as much as by the gradient, and the next step has to push it out again. Gradients half way are
// exact to second order (midpoint rule), so the gradients of walls are evaluated half way along the velocity before the
// pressure. Their push is along the same gradient, and the matrix stays symmetric. Particles beside bodies that yield
// keep the gradients of the start: the push on the body is along the gradient of the start.
//
// Pairs. In water that falls flat rows merge and particles are shot into corners: the pressure that stops the whole
// column in one step is so large that its error, a hundredth, moves single particles by a good part of a spacing. Such
// a step is too long. If pressure moves a particle far, and gradients half way predict a compression that exceeds that
// of the solver by more than a step can correct, the step is tried again at half the length. Not with fixed steps,
// which are the user's choice.
#include <math.h>

#include "physics/pressure/pressure_iterate.h"
#include "sim/neighborhood.h"

// compression by walls in a step, from their gradient, below which the gradient is accurate enough
static const frz_real worth_a_look = (frz_real)0.01;
// displacement of a particle by pressure, or of two relative to each other, below which gradients are accurate enough,
// in spacings per step
static const frz_real short_way = (frz_real)0.05;
// times that pressures are found again with the answer of elastic bodies to them; they take four or five after a blow
static const int most_answers = 8;

// Data of the step in the units of the pressure system.
typedef struct outlook
{
    const frz_pressure_system *p;
    frz_pairs_input input;
    const frz_v4 *velocity;
    frz_real rate;
    bool solved; // the displacement counts
} outlook;

// The implicit elastic body of a free particle; null: none.
static const frz_response *implicit_of(const frz_pressure_system *p, int i)
{
    const frz_response *r =
        p->kicks != NULL && frz_kicks_is_soft(p->kicks, i) ? p->kicks->of_body[p->kicks->body_of_slot[i]] : NULL;
    return r != NULL && !frz_response_is_explicit(r) ? r : NULL;
}

// Displacement of particle i in the step, in spacings. Velocities of implicit bodies are without the contacts of the
// step (sim/response.h): before these are known, they move as by those of the last one. What rests stays where it is.
static inline frz_v4 way_of(const outlook *o, int i)
{
    const frz_response *r = o->solved ? NULL : implicit_of(o->p, i);
    if (r == NULL)
        return o->rate * o->velocity[i] + (o->solved ? o->p->displacement[i] : frz_v4_zero());
    const frz_state *state = o->p->state;
    const int number = state->solids.index_of_slot[i] - state->bonds.first[r->body];
    return o->rate * (frz_kicks_way(state, i) + (frz_real)r->theta * r->begin_answer[number]);
}

static inline bool is_short(frz_v4 way)
{
    return !(frz_v4_dot3(way, way) > short_way * short_way);
}

// g_ij half way, for a displacement of i relative to j.
static frz_v4 pair_midway(const outlook *o, int i, int j, frz_v4 way)
{
    const frz_v4 difference = frz_minimum_image(o->input.grid, o->input.position[i] - o->input.position[j]);
    const frz_v4 there = difference + (frz_real)(0.5 * o->input.spacing) * way;
    const double r = sqrt((double)frz_v4_dot3(there, there));
    const double slope = r > 0.0 ? frz_kernel_slope(o->input.kernel, r) / r : 0.0;
    const double bare = (double)frz_pairs_bare(o->p->pairs, i, j);
    return (frz_real)(slope * o->input.particle_volume * o->input.spacing / bare) * frz_v4_xyz(there);
}

// By how much more than the solver thinks pairs will compress particle i.
static frz_real more_by_pairs(const outlook *o, int i)
{
    const frz_pairs *pairs = o->p->pairs;
    const frz_pair_block *block = &pairs->blocks[i / FRZ_BLOCK];
    const frz_v4 own = way_of(o, i);
    frz_real more = 0;
    for (uint32_t k = pairs->begin[i]; k < pairs->end[i]; ++k)
    {
        const int j = (int)block->index[k];
        const frz_v4 way = own - way_of(o, j);
        if (j != i && !is_short(way))
            more += frz_v4_dot3(way, pair_midway(o, i, j, way) - frz_v4_xyz(frz_pair_load(&block->pair[k])));
    }
    return more;
}

static frz_real compression_along(frz_v4 gradient, frz_real flow, frz_v4 way, frz_real rate)
{
    return frz_v4_dot3(way, gradient) - rate * flow;
}

// Walls of particle i half way. Returns their compression beyond the solver's prediction, 0 if they are not usable.
static frz_real more_by_walls(const outlook *o, int i, frz_sample_slope *slope)
{
    const frz_pairs *pairs = o->p->pairs;
    const frz_body_links *links = o->p->links;
    if (pairs->sample_count[i] == 0 || (links != NULL && links->begin[i] < links->begin[i + 1]))
        return 0;
    const frz_v4 g = pairs->sample_gradient[i], way = way_of(o, i);
    const frz_real known = compression_along(g, pairs->sample_flow[i], way, o->rate);
    if (!(known > worth_a_look) && !o->solved)
        return 0; // motion along a wall does not compress, except in corners, where few particles move far
    // relative to the wall, which may move: along the gradient by its flow
    const frz_real square = frz_v4_dot3(g, g), flow = o->rate * pairs->sample_flow[i];
    const frz_v4 against = square > 0 ? way - (flow / square) * g : way;
    *slope =
        frz_sample_slope_at(&o->input, pairs, i, o->input.position[i] + (frz_real)(0.5 * o->input.spacing) * against);
    const frz_real more = compression_along(slope->gradient, slope->flow, way, o->rate) - known;
    return more > worth_a_look ? more : 0;
}

static void take_walls(const outlook *o, int i)
{
    const frz_pressure_system *p = o->p;
    frz_pairs *pairs = &p->state->neighbors.pairs;
    frz_sample_slope slope = {frz_v4_zero(), 0, 0};
    if (!(more_by_walls(o, i, &slope) > 0))
        return;
    const frz_v4 before = pairs->gradient_sum[i], now = before + slope.gradient - pairs->sample_gradient[i];
    const frz_real mobility = p->mobility != NULL ? p->mobility[i] : 1;
    const frz_real more = mobility * (frz_v4_dot3(now, now) - frz_v4_dot3(before, before));
    const frz_real divisor = p->inverse_diagonal[i] > 0 ? 1 / p->inverse_diagonal[i] + more : 0;
    pairs->gradient_sum[i] = now;
    pairs->sample_gradient[i] = slope.gradient;
    pairs->sample_flow[i] = slope.flow;
    pairs->mirror_own[i] = slope.own;
    p->diagonal[i] += more;
    p->inverse_diagonal[i] = divisor > 0 ? 1 / divisor : p->inverse_diagonal[i];
}

// Particles of implicit elastic bodies: how far these move is known when the body has answered (pressure_response.c).
static bool answers_later(const frz_pressure_system *p, int i)
{
    if (p->kicks == NULL || !frz_kicks_answers(p->kicks, i))
        return false;
    const frz_response *r = p->kicks->of_body[p->kicks->body_of_slot[i]];
    return r == NULL || !frz_response_is_explicit(r); // tied bodies have none of their own
}

// The first particle whose compression will exceed the solver's prediction by more than a step can correct, -1: none;
// the same one for any number of threads. Only particles that pressure moves far are tested.
static int crushed(const outlook *o)
{
    const frz_pressure_system *p = o->p;
    const frz_real most = (frz_real)frz_pressure_particle_error;
    int first = p->pairs->count;
#pragma omp parallel for schedule(dynamic, 512) reduction(min : first) if (p->pairs->count >= frz_parallel_least)
    for (int i = 0; i < p->pairs->count; ++i)
        if (!is_short(p->displacement[i]) && i < first && !answers_later(p, i))
        {
            frz_sample_slope slope = {frz_v4_zero(), 0, 0};
            first = more_by_pairs(o, i) + more_by_walls(o, i, &slope) > most ? i : first;
        }
    return first < p->pairs->count ? first : -1;
}

// Implicit elastic bodies answer the push of liquid otherwise than was reckoned with when it changes (sim/response.h):
// then the pressures are found again, with the answer to those just found.
static frz_status solve_with_bodies(frz_pressure_system *p, frz_pressure_predict_fn *predict,
                                    const frz_pressure_task *task, double dt, frz_solver_report *report, frz_diag *diag)
{
    bool wrong = true;
    int iterations = 0;
    for (int n = 0; wrong; ++n)
    {
        predict(p->state, p, dt);
        FRZ_TRY(frz_pressure_solve(p, task, report, diag));
        iterations += report->iterations;
        if (n == most_answers)
            break;
        FRZ_TRY(frz_pressure_response_correct(p->state, p, dt, &wrong, diag));
    }
    report->iterations = iterations;
    return FRZ_OK;
}

frz_status frz_pressure_solve_step(const frz_model *model, frz_pressure_system *p, frz_pressure_predict_fn *predict,
                                   const frz_pressure_task *task, double dt, frz_solver_report *report, frz_diag *diag)
{
    outlook o = {.p = p,
                 .input = frz_state_pairs_input(model, p->state),
                 .velocity = frz_field_v4(&p->state->particles, FRZ_FIELD_ID_velocity),
                 .rate = (frz_real)(dt / p->spacing)};
#pragma omp parallel for schedule(dynamic, 512) if (p->pairs->count >= frz_parallel_least)
    for (int i = 0; i < p->pairs->count; ++i)
        if (p->pairs->sample_count[i] > 0 && !frz_drivers_has(p->drivers, i))
            take_walls(&o, i);
    FRZ_TRY(solve_with_bodies(p, predict, task, dt, report, diag));
    o.solved = true;
    const int bad = model->time_step.fixed > 0.0 ? -1 : crushed(&o);
    if (bad < 0)
        return FRZ_OK;
    return frz_fail(diag, FRZ_ERR_DIVERGED, "pressure drives particle %lld into its neighbours or a wall",
                    (long long)frz_field_i64(&p->state->particles, FRZ_FIELD_ID_id)[bad]);
}
