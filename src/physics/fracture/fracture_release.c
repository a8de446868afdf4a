// SPDX-License-Identifier: MIT
// Which bonds may break: cracks open only where that releases energy (Griffith 1921).
//
// When bonds break, the deformation gradients of their ends follow the remaining bonds at once. In a body under tension
// the new gradients have less strain. In a crushed body they may have more, even be inverted, if the broken bonds
// determined the shape. Such a crack creates energy, without bound for laws that resist collapse without bound.
//
// The energy of a particle depends on its own bonds only. So the bonds that a method wants to break are cut on trial.
// Bonds with common particles form one crack; its release is the sum over its particles. If a crack would gain energy,
// the particles that gain keep their bonds, and the remaining cuts are tried again. A bond that stays is tested again
// in the next step.
#include <string.h>

#include "physics/fracture/fracture_bodies.h"
#include "sim/state_solids.h"

static const double rounding = 1.0e-5; // of an energy that is a sum in single precision
static const int most_trials = 8;      // then cracks that gain are given up as a whole

frz_status frz_fracture_break(frz_fracture *f, int i, int64_t k, frz_diag *diag)
{
    const frz_bonds *bonds = &f->state->bonds;
    const int j = (int)bonds->other[k];
    if (j == i || !(bonds->weight[k] > 0))
        return FRZ_OK;
    const int64_t most = f->cut_count + 1 + bonds->begin[j + 1] - bonds->begin[j];
    if (most > f->cut_room)
    {
        frz_fracture_cut *cut = FRZ_SCRATCH(&f->state->scratch, 2 * most, frz_fracture_cut);
        if (cut == NULL)
            return frz_fail_memory(diag, "the fracture of elastic bodies");
        if (f->cut_count > 0)
            memcpy(cut, f->cut, (size_t)f->cut_count * sizeof *cut);
        f->cut = cut;
        f->cut_room = 2 * most;
    }
    f->cut[f->cut_count++] = (frz_fracture_cut){.owner = i, .place = k, .weight = bonds->weight[k], .wanted = true};
    bonds->weight[k] = 0;
    for (int64_t n = bonds->begin[j]; n < bonds->begin[j + 1]; ++n)
        if ((int)bonds->other[n] == i && bonds->weight[n] > 0)
        {
            f->cut[f->cut_count++] =
                (frz_fracture_cut){.owner = j, .place = n, .weight = bonds->weight[n], .wanted = true};
            bonds->weight[n] = 0;
        }
    return FRZ_OK;
}

// Arrays of a trial, by number.
typedef struct trial
{
    double *before, *after; // energy of a particle, J
    double *gain, *sum;     // of a crack, at its representative number, J
    int32_t *parent;        // towards that number
} trial;

static int crack_of(const trial *t, int i)
{
    while (t->parent[i] != i)
        i = t->parent[i] = t->parent[t->parent[i]];
    return i;
}

static void set_weights(frz_fracture *f, bool whole)
{
    for (int64_t n = 0; n < f->cut_count; ++n)
        f->state->bonds.weight[f->cut[n].place] = whole || !f->cut[n].wanted ? f->cut[n].weight : 0;
}

static void correct(frz_fracture *f)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < f->state->bonds.count; ++i)
        if (f->changed[i] != 0)
            frz_bonds_correct(&f->state->bonds, i);
}

static frz_status measure(frz_fracture *f, double *each, frz_diag *diag)
{
    frz_state *state = f->state;
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    double *by_body = FRZ_SCRATCH(&state->scratch, state->bodies.count + 1, double);
    if (by_body == NULL)
        return frz_fail_memory(diag, "the fracture of elastic bodies");
    memset(by_body, 0, (size_t)state->bodies.count * sizeof *by_body);
    memset(each, 0, (size_t)state->bonds.count * sizeof *each);
    state->bonds.energy_of = each;
    frz_status status = FRZ_OK;
    for (int m = 0; m < f->model->material_count && status == FRZ_OK; ++m) // a body may be of several
    {
        const frz_instance *elastic = frz_model_method(f->model, FRZ_SLOT_ELASTIC, m);
        if (elastic != NULL && elastic->method->energy != NULL)
            status = elastic->method->energy(f->model, state, elastic, by_body, diag);
    }
    state->bonds.energy_of = NULL;
    frz_arena_release(&state->scratch, mark);
    return status;
}

static void find_cracks(const frz_fracture *f, const trial *t)
{
    for (int i = 0; i < f->state->bonds.count; ++i)
    {
        t->parent[i] = i;
        t->gain[i] = t->sum[i] = 0.0;
    }
    for (int64_t n = 0; n < f->cut_count; ++n)
        if (f->cut[n].wanted)
        {
            const int a = crack_of(t, f->cut[n].owner), b = crack_of(t, (int)f->state->bonds.other[f->cut[n].place]);
            t->parent[a > b ? a : b] = a > b ? b : a;
        }
    for (int i = 0; i < f->state->bonds.count; ++i)
        if (f->changed[i] != 0)
        {
            t->gain[crack_of(t, i)] += t->after[i] - t->before[i];
            t->sum[crack_of(t, i)] += t->before[i];
        }
}

// Bonds that a crack which gains energy must leave whole. Returns whether there are any.
static bool refuse(frz_fracture *f, const trial *t, bool all)
{
    bool any = false;
    for (int64_t n = 0; n < f->cut_count; ++n)
    {
        const int i = f->cut[n].owner, j = (int)f->state->bonds.other[f->cut[n].place], crack = crack_of(t, i);
        const bool gains = t->after[i] > t->before[i] || t->after[j] > t->before[j];
        if (!f->cut[n].wanted || !(t->gain[crack] > rounding * t->sum[crack]) || !(all || gains))
            continue;
        f->cut[n].wanted = false;
        any = true;
    }
    return any;
}

frz_status frz_fracture_choose(frz_fracture *f, frz_diag *diag)
{
    const int count = f->state->bonds.count;
    frz_arena *scratch = &f->state->scratch;
    if (f->cut_count == 0)
        return FRZ_OK;
    const trial t = {.before = FRZ_SCRATCH(scratch, count + 1, double),
                     .after = FRZ_SCRATCH(scratch, count + 1, double),
                     .gain = FRZ_SCRATCH(scratch, count + 1, double),
                     .sum = FRZ_SCRATCH(scratch, count + 1, double),
                     .parent = FRZ_SCRATCH(scratch, count + 1, int32_t)};
    if (t.before == NULL || t.after == NULL || t.gain == NULL || t.sum == NULL || t.parent == NULL)
        return frz_fail_memory(diag, "the fracture of elastic bodies");
    for (int64_t n = 0; n < f->cut_count; ++n)
        f->changed[f->cut[n].owner] = 1;
    set_weights(f, true);
    FRZ_TRY(measure(f, t.before, diag));
    bool again = true;
    for (int trials = 1; again; ++trials)
    {
        set_weights(f, false);
        correct(f);
        FRZ_TRY(measure(f, t.after, diag));
        find_cracks(f, &t);
        again = refuse(f, &t, trials >= most_trials);
    }
    return FRZ_OK;
}

void frz_fracture_open(frz_fracture *f)
{
    for (int64_t n = 0; n < f->cut_count; ++n)
        f->changed[f->cut[n].owner] = 1;
    set_weights(f, true);
    correct(f);
    memset(f->changed, 0, (size_t)f->state->bonds.count);
    for (int64_t n = 0; n < f->cut_count; ++n)
        if (f->cut[n].wanted)
        {
            frz_pieces_break(f->state, f->cut[n].owner, f->cut[n].place);
            f->changed[f->cut[n].owner] = 1;
        }
    correct(f);
}
