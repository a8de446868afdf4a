// SPDX-License-Identifier: MIT
// The bars of Khadke's thesis: pulled, held and released, against springs, chains of masses and the wave equation.
//
// Sections of particles, one spacing s apart, the first one held, the last one pulled and let go; Poisson's ratio is 0
// and the strain linear, so that theory is linear at any extension. But a slender bar that swings back is compressed as
// far as it was stretched, and buckles: held at one end it bears a strain of (pi w / L)^2 / 48, 1 % if it is five times
// as long as wide. The theory excludes buckling because it moves along the bar only, so a comparison is impossible. So
// bars that are stretched far have the strain of the thesis, (F + F^T) / 2 - I, that is Hooke's law: along the bar it
// is the corotated one (R = I), and as forces are linear in the displacement, compression does not soften bending and
// nothing buckles. Released from twice its length such a bar swings through itself, as in its equation, so self-contact
// is off.
//
// With zero_energy: 1 the method is, in one dimension, a chain
// of springs E A / s between the sections, but for the ends: the gradient of an end section is that of its one
// bond, and counts with the section's whole volume. So a bar is held by blocks of two sections, which hide this effect.
// Only where all sections are end sections (the thesis' 8 and 12 nodes) the first section is held alone; the bar's
// volume is then that of its particles and its length that between the end sections, which gives the area.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/solid_probe.h"
#include "validate/validation.h"

static const double pi = 3.14159265358979323846;
static const double young = 100.0, density = 100.0; // Pa, kg/m^3, as in the scene

static const char *const corotated = "{method: becker2009, young: 100 Pa, poisson: 0, zero_energy: 1}";
static const char *const linear = "{method: tlsph, law: hooke, young: 100 Pa, poisson: 0, zero_energy: 1}";

typedef struct bar
{
    int sections, width; // particles along, from the innermost held one on, and across
    int behind, beyond;  // more sections that are held and pulled
    double spacing;      // m
    double extension;    // of the length
    double pull, hold;   // times of the end of the pull and of the release, s
    double step;         // s
    const char *elastic; // null: as in the scene
    double end;          // s
    int samples;         // of the swing; 0: many
    bool points;         // of material points: clamps end at the innermost held sections, not amid their bonds
} bar;

static double bar_length(const bar *b)
{
    return (b->sections - 1) * b->spacing;
}

static double bar_area(const bar *b)
{
    const double section = b->width * b->width * b->spacing * b->spacing;
    return b->behind > 0 ? section : section * b->sections * b->spacing / bar_length(b);
}

static double bar_force(const bar *b)
{
    return young * bar_area(b) * b->extension;
}

// First frequency of equal masses and springs, fixed at one end, rad/s.
static double chain_frequency(const bar *b)
{
    const int masses = b->sections - 1;
    const double stiffness = young * bar_area(b) / b->spacing;
    const double mass = density * b->width * b->width * pow(b->spacing, 3);
    return 2.0 * sqrt(stiffness / mass) * sin(pi / (2.0 * (2.0 * masses + 1.0)));
}

static frz_status make_bar(const case_context *context, const bar *b, case_result *result, frz_sim **sim,
                           frz_diag *diag)
{
    const double s = b->spacing, half = 0.5 * b->width * s, start = -(b->behind + 0.5) * s;
    const double reach = b->points ? 0.0 : 0.5 * s, end = (b->sections + b->beyond - 0.5) * s;
    char spacing[32], step[32], shape[160], wall[160], grip[160], motion[200], until[32];
    const char *const elastic = b->elastic != NULL ? b->elastic : corotated;
    case_context plain = *context;
    plain.resolution = 1.0;
    snprintf(spacing, sizeof spacing, "%.9g", s);
    snprintf(step, sizeof step, "%.9g", b->step);
    snprintf(shape, sizeof shape, "{box: {min: [%.9g, %.9g, %.9g], max: [%.9g, %.9g, %.9g]}}", start, -half, -half, end,
             half, half);
    snprintf(wall, sizeof wall, "{box: {min: [%.9g, -10, -10], max: [%.9g, 10, 10]}}", start - s, reach);
    snprintf(grip, sizeof grip, "{box: {min: [%.9g, -10, -10], max: [%.9g, 10, 10]}}", bar_length(b) - reach, end + s);
    snprintf(
        motion, sizeof motion,
        "{interpolation: smooth, keyframes: [{time: 0, position: [0, 0, 0]}, {time: %.9g, position: [%.9g, 0, 0]}]}",
        b->pull, b->extension * bar_length(b));
    snprintf(until, sizeof until, "%.9g", b->hold);
    const char *const settings[] = {"spacing",
                                    spacing,
                                    "time_step",
                                    step,
                                    "bodies.bar.shape",
                                    shape,
                                    "attachments.wall.shape",
                                    wall,
                                    "attachments.grip.shape",
                                    grip,
                                    "attachments.grip.motion",
                                    motion,
                                    "attachments.grip.until",
                                    until,
                                    "materials.soft.elastic",
                                    elastic,
                                    NULL};
    return case_sim_with(&plain, "bar", settings, result, sim, diag);
}

typedef struct bar_run
{
    solid_track track; // of the free end after the release
    double force;      // of the grip, mean over the hold, which is a whole number of periods of the bar that is held, N
    int forces;
    double from;
} bar_run;

static void add_force(const frz_sim *sim, void *user)
{
    bar_run *run = user;
    if (frz_sim_time(sim) < run->from)
        return;
    run->force += frz_sim_attachment(sim, 1).force[0];
    run->forces += 1;
}

static frz_status run_bar(const case_context *context, const bar *b, bar_run *run, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    memset(run, 0, sizeof *run);
    run->from = b->pull;
    frz_status status = make_bar(context, b, result, &sim, diag);
    if (status == FRZ_OK)
    {
        const double place[3] = {bar_length(b), 0.5 * b->spacing, 0.5 * b->spacing},
                     inward[3] = {-b->spacing, 0.0, 0.0};
        run->track.point = solid_point_at(sim, place, inward);
        status = case_advance_steps(context, sim, b->hold, add_force, run, diag);
    }
    if (status == FRZ_OK && b->end > b->hold)
        status = case_advance(context, sim, b->end, (b->end - b->hold) / (b->samples > 0 ? b->samples : 4000),
                              solid_track_add, &run->track, diag);
    run->force /= run->forces > 0 ? run->forces : 1;
    frz_sim_destroy(&sim);
    return status;
}

static void put_figures(const bar *b, const bar_run *run, double frequency, case_result *result)
{
    char name[64];
    snprintf(name, sizeof name, "force_over_EAdx/L_%g%%", 100.0 * b->extension);
    case_figure(result, name, run->force / bar_force(b), 1.0, 1.0, 0.01);
    snprintf(name, sizeof name, "frequency_rad/s_%g%%", 100.0 * b->extension);
    case_figure(result, name, solid_track_frequency(&run->track, frequency), frequency, frequency, 0.02);
}

// The measured end against a cosine.
static frz_status plot_swing(const case_context *context, const bar *b, const bar_run *run, double frequency,
                             const char *title, case_result *result, frz_diag *diag)
{
    static double exact[track_max];
    for (int k = 0; k < run->track.count; ++k)
        exact[k] = b->extension * bar_length(b) * cos(frequency * (run->track.t[k] - b->hold));
    const frz_plot_series series[2] = {{"measured", run->track.t, run->track.u, run->track.count, false},
                                       {"theory, first mode", run->track.t, exact, run->track.count, false}};
    const frz_plot plot = {title, "time [s]", "displacement of the free end [m]", series, 2};
    return case_plot(context, result, &plot, diag);
}

static const double extensions[3] = {0.002, 0.2, 1.0};

frz_status validate_bar_8(const case_context *context, case_result *result, frz_diag *diag)
{
    static bar_run run;
    bar b = {.sections = 2, .width = 2, .spacing = 0.01, .pull = 0.2, .hold = 0.4, .step = 5e-4, .end = 0.8};
    const double frequency = chain_frequency(&b);
    for (int k = 0; k < 3; ++k)
    {
        b.extension = extensions[k];
        const frz_status status = run_bar(context, &b, &run, result, diag);
        if (status != FRZ_OK)
            return status;
        put_figures(&b, &run, frequency, result);
    }
    frz_status status =
        plot_swing(context, &b, &run, frequency, "Bar of 8 particles released from twice its length", result, diag);
    double step[3], error[3];
    b.extension = extensions[1];
    for (int k = 0; k < 3 && status == FRZ_OK; ++k) // long steps, so that their error is seen
    {
        b.step = step[k] = 2e-3 / (1 << k);
        b.samples = 200 << k;
        status = run_bar(context, &b, &run, result, diag);
        error[k] = solid_track_frequency(&run.track, frequency) - frequency;
    }
    if (status == FRZ_OK)
        case_tell(result, "order_in_time_frequency", solid_order_of(step, error, 3));
    return status;
}

// Force while it is held by blocks at both ends, then, with a free end, the frequency.
static frz_status hold_and_release(const case_context *context, const bar *released, bar_run *run, double *force_ratio,
                                   case_result *result, frz_diag *diag)
{
    bar held = *released;
    held.behind = held.beyond = 1;
    held.end = held.hold;
    frz_status status = run_bar(context, &held, run, result, diag);
    *force_ratio = run->force / bar_force(&held);
    if (status == FRZ_OK)
        status = run_bar(context, released, run, result, diag);
    if (released->behind == 0)
        *force_ratio = run->force / bar_force(released);
    return status;
}

// A bar of so many masses behind the wall, with so large an extension: its figures, and the error of the force.
static frz_status chain_of_masses(const case_context *context, int masses, double extension, const char *elastic,
                                  bar_run *run, double *force_error, case_result *result, frz_diag *diag)
{
    char name[64];
    const char *const law = elastic == linear ? "" : "_corotated";
    double ratio = 0.0;
    bar b = {.sections = masses + 1, .width = 2, .spacing = 0.01, .extension = extension, .step = 5e-4};
    b.elastic = elastic;
    b.behind = masses > 2; // 12 nodes are the thesis'
    const double frequency = chain_frequency(&b), period = 2.0 * pi / frequency;
    b.pull = 8.0 * period; // slowly, so that nothing swings when it is held
    b.hold = 9.0 * period;
    b.end = 14.0 * period;
    const frz_status status = hold_and_release(context, &b, run, &ratio, result, diag);
    if (status != FRZ_OK)
        return status;
    const double measured = solid_track_frequency(&run->track, frequency);
    *force_error = ratio - 1.0;
    snprintf(name, sizeof name, "n=%d_%g%%_force_over_EAdx/L%s", masses, 100.0 * extension, law);
    case_figure(result, name, ratio, 1.0, 1.0, 0.01);
    snprintf(name, sizeof name, "n=%d_%g%%_frequency_rad/s%s", masses, 100.0 * extension, law);
    case_figure(result, name, measured, frequency, frequency, 0.02);
    return masses == 8 && extension >= 1.0
               ? plot_swing(context, &b, run, frequency, "Bar of 9 sections, released from twice its length", result,
                            diag)
               : FRZ_OK;
}

frz_status validate_bar_n(const case_context *context, case_result *result, frz_diag *diag)
{
    static const int masses[] = {2, 4, 8, 16};
    static bar_run run;
    double spacing[4], error[4];
    frz_status status = FRZ_OK;
    for (int k = 0; k < 4 && status == FRZ_OK; ++k)
    {
        spacing[k] = 1.0 / masses[k];
        for (int e = 0; e < 3 && status == FRZ_OK; ++e)
            status = chain_of_masses(context, masses[k], extensions[e], linear, &run, &error[k], result, diag);
        double unused;
        for (int e = 0; e < 2 && status == FRZ_OK; ++e)
            status = chain_of_masses(context, masses[k], extensions[e], corotated, &run, &unused, result, diag);
    }
    if (status == FRZ_OK) // the first one is held in another way
        case_tell(result, "order_in_space_force", solid_order_of(spacing + 1, error + 1, 3));
    return status;
}

enum
{
    energy_max = 512 // particles of the bar
};

typedef struct energy_track
{
    double start, period;
    double most[16]; // largest kinetic energy in each period, J
    solid_track end; // of the bar
} energy_track;

static void add_energy(const frz_sim *sim, void *user)
{
    energy_track *track = user;
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    solid_track_add(sim, &track->end);
    const int k = (int)((frz_sim_time(sim) - track->start) / track->period);
    if (k >= 0 && k < 16)
        track->most[k] = fmax(track->most[k], stats.kinetic_energy);
}

// Velocities of the first mode, which then swings alone.
static frz_status start_first_mode(frz_sim *sim, const bar *b, double speed, frz_diag *diag)
{
    static double velocity[3 * energy_max];
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    for (int64_t i = 0; i < x.count && i < energy_max; ++i)
    {
        const double along = frz_field_value(&x, i, 0) / (bar_length(b) + 0.5 * b->spacing);
        velocity[3 * i] = along > 0.0 ? speed * sin(0.5 * pi * along) : 0.0;
        velocity[3 * i + 1] = velocity[3 * i + 2] = 0.0;
    }
    return frz_sim_set_velocity(sim, velocity, x.count, diag);
}

// All of the energy is kinetic once in every half period, when the bar passes through its length at rest.
static frz_status swing_freely(const case_context *context, const bar *b, double periods, energy_track *track,
                               case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    frz_status status = make_bar(context, b, result, &sim, diag);
    if (status == FRZ_OK)
        status = start_first_mode(sim, b, 0.05 * sqrt(young / density), diag); // strains of up to 5 %
    if (status == FRZ_OK)
    {
        const double place[3] = {bar_length(b), 0.5 * b->spacing, 0.5 * b->spacing},
                     inward[3] = {-b->spacing, 0.0, 0.0};
        track->end.point = solid_point_at(sim, place, inward);
        status = case_advance_steps(context, sim, periods * track->period, add_energy, track, diag);
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_energy(const case_context *context, case_result *result, frz_diag *diag)
{
    static energy_track track;
    bar b = {.sections = 17, .width = 4, .behind = 1, .spacing = 0.01, .extension = 0.05, .pull = 1.0, .step = 5e-4};
    const double frequency = chain_frequency(&b), period = 2.0 * pi / frequency;
    track = (energy_track){.start = -0.25 * period, .period = period};
    frz_status status = swing_freely(context, &b, 10.5, &track, result, diag);
    case_figure(result, "kinetic_energy_after_10_periods_J", track.most[10], track.most[0], track.most[0], 0.01);
    double measured[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3 && status == FRZ_OK; ++k)
    {
        b.step = 4e-3 / (1 << k); // the first one is all but the longest that is stable
        track = (energy_track){.start = -0.25 * period, .period = period};
        status = swing_freely(context, &b, 5.0, &track, result, diag);
        measured[k] = solid_track_frequency(&track.end, frequency);
    }
    if (status == FRZ_OK)
        case_tell(result, "order_in_time_frequency", solid_order(measured[0], measured[1], measured[2], 2.0));
    return status;
}

// Displacement of the free end of a continuous bar after the release, first ten modes, as in the thesis.
static double saw_tooth(double extension, double length, double time)
{
    const double speed = sqrt(young / density);
    double sum = 0.0;
    for (int mode = 1; mode < 20; mode += 2)
        sum += 8.0 / (pi * pi * mode * mode) * cos(mode * pi * speed * time / (2.0 * length));
    return extension * length * sum;
}

// A bar of so many sections, a quarter as wide; the force that holds it, its frequency, and the distance from the
// saw-tooth in the mean square over the amplitude.
typedef struct long_bar
{
    double force, frequency, difference;
} long_bar;

static const double long_length = 5.0; // m, from the innermost held section to the free face
static const double long_load = 20.0;  // N

// The 5 m bar; of no extension: as long as the load of the thesis makes it.
static frz_status run_long_bar(const case_context *context, int sections, double extension, const char *elastic,
                               bar_run *run, double *exact, long_bar *out, case_result *result, frz_diag *diag)
{
    bar b = {.sections = sections, .width = sections / 4, .behind = 1, .elastic = elastic};
    b.points = strstr(elastic, "mpm") != NULL;
    b.spacing = long_length / (b.sections - 0.5);
    b.extension = extension > 0.0 ? extension : long_load / (young * bar_area(&b));
    const double period = 4.0 * long_length / sqrt(young / density);
    b.step = (b.points ? 0.04 : 0.02) * period / b.sections;
    b.pull = 3.0 * period;
    b.hold = 3.5 * period;
    b.end = 6.0 * period;
    double ratio = 0.0;
    const frz_status status = hold_and_release(context, &b, run, &ratio, result, diag);
    double square = 0.0;
    for (int k = 0; status == FRZ_OK && k < run->track.count; ++k)
    {
        exact[k] = saw_tooth(b.extension, long_length, run->track.t[k] - b.hold);
        square += (run->track.u[k] - exact[k]) * (run->track.u[k] - exact[k]) / run->track.count;
    }
    const double swings = solid_track_period(&run->track, 0.0); // the track is too short for a Fourier transform
    *out = (long_bar){.force = ratio,
                      .frequency = swings > 0.0 ? 1.0 / swings : 0.0,
                      .difference = sqrt(square) / (b.extension * long_length)};
    return status;
}

static frz_status plot_saw_tooth(const case_context *context, const bar_run *run, const double *exact,
                                 case_result *result, frz_diag *diag)
{
    const frz_plot_series series[2] = {{"measured", run->track.t, run->track.u, run->track.count, false},
                                       {"wave equation, ten modes", run->track.t, exact, run->track.count, false}};
    const frz_plot plot = {"Bar of 4000 particles, released", "time [s]", "displacement of the free end [m]", series,
                           2};
    return case_plot(context, result, &plot, diag);
}

static void put_long_bar(const char *what, const long_bar *found, case_result *result)
{
    char name[64];
    const double frequency = sqrt(young / density) / (4.0 * long_length);
    snprintf(name, sizeof name, "%s_force_over_EAdx/L", what);
    case_figure(result, name, found->force, 1.0, 1.0, 0.01);
    snprintf(name, sizeof name, "%s_frequency_Hz", what);
    case_figure(result, name, found->frequency, frequency, frequency, 0.01);
    snprintf(name, sizeof name, "%s_rms_of_curve_over_amplitude", what);
    case_limit(result, name, found->difference, 0.05);
}

frz_status validate_bar_4000(const case_context *context, case_result *result, frz_diag *diag)
{
    static const int levels[3] = {12, 24, 40}; // the last one has 4000 particles
    static bar_run run;
    static double exact[track_max];
    double spacing[3], difference[3];
    long_bar found = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k)
    {
        const frz_status status = run_long_bar(context, levels[k], 0.0, corotated, &run, exact, &found, result, diag);
        if (status != FRZ_OK)
            return status;
        spacing[k] = 1.0 / levels[k];
        difference[k] = found.difference;
    }
    put_long_bar("20N_corotated", &found, result);
    for (int e = 0; e < 3; ++e)
    {
        char name[16];
        const frz_status status =
            run_long_bar(context, levels[2], extensions[e], linear, &run, exact, &found, result, diag);
        if (status != FRZ_OK)
            return status;
        snprintf(name, sizeof name, "%g%%", 100.0 * extensions[e]);
        put_long_bar(name, &found, result);
    }
    case_tell(result, "order_in_space_rms_of_curve", solid_order_of(spacing, difference, 3));
    return plot_saw_tooth(context, &run, exact, result, diag);
}

// The same bar of material points. Its 41 sections put the grip half a cell before a node, as the wall is, where clamps
// are exact for a beam that bends. Theory is linear and their laws are not, so the extension is small.
frz_status validate_mpm_bar(const case_context *context, case_result *result, frz_diag *diag)
{
    static bar_run run;
    static double exact[track_max];
    long_bar found;
    const char *const elastic = "{method: mpm, transfer: aflip, young: 100 Pa, poisson: 0}";
    const frz_status status = run_long_bar(context, 41, extensions[0], elastic, &run, exact, &found, result, diag);
    if (status != FRZ_OK)
        return status;
    put_long_bar("0.2%", &found, result);
    return plot_saw_tooth(context, &run, exact, result, diag);
}
