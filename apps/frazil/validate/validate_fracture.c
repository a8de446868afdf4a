// SPDX-License-Identifier: MIT
// A free bar is pulled apart: it breaks at the strength it was given, into two pieces, without making energy; by
// explicit and implicit methods, with 4, 8 and 16 particles across it.
//
// Strength: the bar swings along itself in its first mode, beyond its strength. The force across the middle is the rate
// of change of the momentum of one half, independent of the stress that the method computes. Its largest value until a
// crack opens, over the section, is the strength of the bar. The waves come together again when it has broken and break
// it further; that is not judged, but for the energy.
//
// Pieces: the halves are sent apart at 1.5 times the speed whose stress is the strength. Only the middle bears that.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/validation.h"

static const double length = 1.0, width = 0.2;                         // m, as in the scene
static const double density = 1000.0, young = 1.0e5, strength = 1.0e3; // kg/m^3, Pa, Pa; as in the scene
static const double speed_of_sound = 10.0;                             // m/s: sqrt(young / density), Poisson's ratio 0
static const double overload = 1.3; // largest stress of the swing without fracture, over the strength
static const double parting = 1.5;  // the same of the halves that are sent apart
static const double step = 5.0e-5;  // s, until it has broken; the stress grows by 0.13 % in it
static const double watched = 0.1;  // s, half a period: by then it has broken
static const double plotted = 0.05; // s
static const double end_time = 0.5; // s, of the halves sent apart: they are 2 spacings apart with 4 particles across
static const double strength_gate = 0.02;
static const double energy_gate = 0.01; // of the energy at the start, above it

enum
{
    load_max = 4096,
    particle_max = 1 << 14
};

// Stress across the middle over time.
typedef struct load
{
    int count;
    double t[load_max], stress[load_max]; // s, in strengths
} load;

typedef struct outcome
{
    double strength; // measured over given
    double energy;   // the highest over the first
    int pieces;
    int largest_two; // particles in the two largest pieces
    int64_t particles;
} outcome;

static double particle_mass(const frz_sim *sim)
{
    frz_sim_report report;
    frz_sim_report_get(sim, &report);
    return report.particle_mass_max;
}

// Momentum of the right half, kg m/s per metre of thickness; ids do not change, so neither does the half.
static double half_momentum(const frz_sim *sim, const bool *right)
{
    const frz_field_view v = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
    const frz_field_view id = frz_sim_field(sim, "id", FRZ_SEGMENT_FREE);
    double sum = 0.0;
    for (int64_t i = 0; i < v.count; ++i)
        sum += right[(int64_t)frz_field_value(&id, i, 0)] ? frz_field_value(&v, i, 0) : 0.0;
    return particle_mass(sim) * sum;
}

// Initial velocity along the bar at a position, m/s.
typedef double pull_fn(double place);

static double swing_at(double place)
{
    return overload * strength / (density * speed_of_sound) * sin(M_PI * place / length);
}

static double part_at(double place)
{
    return copysign(parting * strength / (density * speed_of_sound), place);
}

static frz_status start(frz_sim *sim, pull_fn *pull, bool *right, frz_diag *diag)
{
    static double velocity[3 * particle_max];
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view id = frz_sim_field(sim, "id", FRZ_SEGMENT_FREE);
    if (x.count > particle_max)
    {
        snprintf(diag->message, sizeof diag->message,
                 "the case 'fracture' has room for %d particles, not %lld; lower --resolution", particle_max,
                 (long long)x.count);
        return diag->status = FRZ_ERR_ARGUMENT;
    }
    for (int64_t i = 0; i < x.count; ++i)
    {
        const double place = frz_field_value(&x, i, 0);
        right[(int64_t)frz_field_value(&id, i, 0)] = place > 0.0;
        velocity[3 * i] = pull(place);
        velocity[3 * i + 1] = velocity[3 * i + 2] = 0.0;
    }
    return frz_sim_set_velocity(sim, velocity, x.count, diag);
}

// Kinetic and elastic energy, J per metre of thickness, of a bar that does not turn: mu e:e with e = sym(F) - I and
// mu = E / 2. Without the energy of zero-energy control.
static frz_status find_energy(const frz_sim *sim, double *energy, frz_diag *diag)
{
    static double gradient[9 * particle_max];
    const frz_field_view v = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
    const frz_status status = frz_sim_deformation(sim, gradient, v.count, diag);
    double sum = 0.0; // per mass
    for (int64_t i = 0; i < v.count && status == FRZ_OK; ++i)
    {
        const double *f = gradient + 9 * i;
        const double along = frz_field_value(&v, i, 0), across = frz_field_value(&v, i, 1);
        const double shear = 0.5 * (f[1] + f[3]);
        const double strain = (f[0] - 1.0) * (f[0] - 1.0) + (f[4] - 1.0) * (f[4] - 1.0) + 2.0 * shear * shear;
        sum += 0.5 * (along * along + across * across) + 0.5 * young / density * strain;
    }
    *energy = particle_mass(sim) * sum;
    return status;
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

// Particles nearer to each other than 1.5 spacings at the end are one piece.
static void count_pieces(const frz_sim *sim, double spacing, outcome *out)
{
    static int parent[particle_max], size[particle_max];
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const int count = (int)x.count;
    for (int i = 0; i < count; ++i)
    {
        parent[i] = i;
        size[i] = 0;
    }
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < i; ++j)
            if (hypot(frz_field_value(&x, i, 0) - frz_field_value(&x, j, 0),
                      frz_field_value(&x, i, 1) - frz_field_value(&x, j, 1)) < 1.5 * spacing)
                parent[root_of(parent, i)] = root_of(parent, j);
    int first = 0, second = 0;
    out->pieces = 0;
    for (int i = 0; i < count; ++i)
        size[root_of(parent, i)] += 1;
    for (int i = 0; i < count; ++i)
    {
        out->pieces += size[i] > 0;
        second = size[i] > first ? first : size[i] > second ? size[i] : second;
        first = size[i] > first ? size[i] : first;
    }
    out->largest_two = first + second;
    out->particles = count;
}

// Where a crack has just opened the methods of fracture set this field to -1 (docs/methods.md).
static bool has_new_crack(const frz_sim *sim)
{
    const frz_field_view room = frz_sim_field(sim, "crack_room", FRZ_SEGMENT_FREE);
    bool any = false;
    for (int64_t i = 0; i < room.count && !any; ++i)
        any = frz_field_value(&room, i, 0) < 0.0;
    return any;
}

// One step after the other while the bar is stretched.
static frz_status watch(frz_sim *sim, const bool *right, load *curve, outcome *out, frz_diag *diag)
{
    double before = half_momentum(sim, right), energy = 0.0, first = 0.0;
    frz_status status = find_energy(sim, &first, diag);
    bool whole = true;
    curve->count = 0;
    out->strength = out->energy = 0.0;
    while (status == FRZ_OK && frz_sim_time(sim) < watched)
    {
        const double from = frz_sim_time(sim);
        status = frz_sim_step(sim, step, diag);
        if (status == FRZ_OK)
            status = find_energy(sim, &energy, diag);
        const double now = half_momentum(sim, right);
        const double stress = (before - now) / ((frz_sim_time(sim) - from) * width * strength);
        before = now;
        out->strength = whole ? fmax(out->strength, stress) : out->strength;
        whole = whole && !has_new_crack(sim);
        out->energy = fmax(out->energy, energy / first);
        if (curve->count < load_max && frz_sim_time(sim) < plotted)
        {
            curve->t[curve->count] = frz_sim_time(sim);
            curve->stress[curve->count++] = stress;
        }
    }
    return status;
}

static frz_status pull_apart(const case_context *context, const char *method, int across, load *curve, outcome *out,
                             case_result *result, frz_diag *diag)
{
    static bool right[particle_max];
    char spacing[32];
    case_context plain = *context;
    plain.resolution = 1.0;
    snprintf(spacing, sizeof spacing, "%.9g", width / across);
    const char *const settings[] = {"spacing", spacing, "materials.chalk.elastic.method", method, NULL};
    frz_sim *swinging = NULL, *parted = NULL;
    frz_status status = case_sim_with(&plain, "fracture", settings, result, &swinging, diag);
    if (status == FRZ_OK)
        status = start(swinging, swing_at, right, diag);
    if (status == FRZ_OK)
        status = watch(swinging, right, curve, out, diag);
    if (status == FRZ_OK)
        status = case_sim_with(&plain, "fracture", settings, result, &parted, diag);
    if (status == FRZ_OK)
        status = start(parted, part_at, right, diag);
    if (status == FRZ_OK)
        status = frz_sim_advance(parted, end_time, diag);
    if (status == FRZ_OK)
        count_pieces(parted, width / across, out);
    frz_sim_destroy(&swinging);
    frz_sim_destroy(&parted);
    return status;
}

static frz_status plot_loads(const case_context *context, const load curves[3], const char *const labels[3],
                             case_result *result, frz_diag *diag)
{
    static load exact;
    exact.count = 0;
    for (int k = 0; k < curves[0].count; ++k)
    {
        exact.t[k] = curves[0].t[k];
        exact.stress[k] = overload * sin(M_PI * speed_of_sound * exact.t[k] / length);
        exact.count += 1;
    }
    frz_plot_series series[4];
    for (int n = 0; n < 3; ++n)
        series[n] = (frz_plot_series){labels[n], curves[n].t, curves[n].stress, curves[n].count, false};
    series[3] = (frz_plot_series){"a bar that bears it", exact.t, exact.stress, exact.count, false};
    const frz_plot plot = {"Fracture: stress across the middle of the bar", "time [s]", "stress / strength", series, 4};
    return case_plot(context, result, &plot, diag);
}

frz_status validate_fracture(const case_context *context, case_result *result, frz_diag *diag)
{
    static const char *const methods[] = {"tlsph", "becker2009", "peer2018"};
    static const int across[3] = {4, 8, 16};
    static load curves[3], other;
    static char labels[3][32];
    int worst_pieces = 2;
    double crumbs = 0.0, energy = 0.0;
    for (int m = 0; m < 3; ++m)
        for (int n = 0; n < 3; ++n)
        {
            outcome out;
            char name[64];
            const int particles =
                2 * (int)lround(0.5 * across[n] * context->resolution); // the middle is between layers
            const frz_status status =
                pull_apart(context, methods[m], particles, m == 0 ? &curves[n] : &other, &out, result, diag);
            if (status != FRZ_OK)
                return status;
            snprintf(name, sizeof name, "strength_%s_%d_across", methods[m], particles);
            snprintf(labels[n], sizeof labels[n], "%d particles across", particles);
            case_figure(result, name, out.strength, 1.0, 1.0, strength_gate);
            worst_pieces = abs(out.pieces - 2) > abs(worst_pieces - 2) ? out.pieces : worst_pieces;
            crumbs = fmax(crumbs, 1.0 - (double)out.largest_two / (double)out.particles);
            energy = fmax(energy, out.energy);
            if (context->progress != NULL)
                context->progress(context->name, (3 * m + n + 1) / 9.0);
        }
    case_figure(result, "pieces", worst_pieces, 2.0, 1.0, 0.0);
    case_limit(result, "particles_beside_the_halves", crumbs, 0.0);
    case_limit(result, "energy_made", fmax(energy - 1.0, 0.0), energy_gate);
    const char *const names[3] = {labels[0], labels[1], labels[2]};
    return plot_loads(context, curves, names, result, diag);
}
