// SPDX-License-Identifier: MIT
// Validation cases: each is one file with one function, and one line in validation_cases.def.
#pragma once

#include <frazil/frazil.h>

/// One number held against theory or experiment.
typedef struct figure
{
    char name[64];
    double value, reference;
    double error; ///< as the gate counts it, e.g. relative difference
    double gate;  ///< largest error that passes; infinite for a figure that is reported, not judged
    bool passed;
} figure;

enum
{
    figure_max = 64,
    note_size = 768
};

typedef struct case_result
{
    figure figures[figure_max];
    int figure_count;
    char note[note_size]; ///< the choices of the case and their reasons, in a sentence
    char plot[512];       ///< path of the plot, empty if none was asked for
    char pressure[32];    ///< name of the pressure method
} case_result;

/// Input of a case.
typedef struct case_context
{
    const char *name;
    const char *directory; ///< where plots go; null: none
    const char *pressure;  ///< method instead of the scene's; null: the scene's
    const char *boundary;  ///< the same
    const char *const
        *settings; ///< keys of all scenes and their values, after those of the case; ends with null; or null
    int threads;
    double resolution;                                   ///< 1 as shipped; 2 halves the spacing
    void (*progress)(const char *name, double fraction); ///< may be null
} case_context;

typedef frz_status case_fn(const case_context *context, case_result *result, frz_diag *diag);

/// Make the simulation of a builtin scene at the context's resolution, with its pressure method; notes which that is.
FRZ_NODISCARD frz_status case_sim(const case_context *context, const char *scene, case_result *result, frz_sim **out,
                                  frz_diag *diag);

/// The same with keys of the scene set to other values; settings alternates keys and values and ends with null.
FRZ_NODISCARD frz_status case_sim_with(const case_context *context, const char *scene, const char *const *settings,
                                       case_result *result, frz_sim **out, frz_diag *diag);

/// Advance in intervals, calling measure (may be null) after each.
typedef void measure_fn(const frz_sim *sim, void *user);
FRZ_NODISCARD frz_status case_advance(const case_context *context, frz_sim *sim, double until, double interval,
                                      measure_fn *measure, void *user, frz_diag *diag);

/// The same, calling measure after every step.
FRZ_NODISCARD frz_status case_advance_steps(const case_context *context, frz_sim *sim, double until,
                                            measure_fn *measure, void *user, frz_diag *diag);

/// Energies of a run, J: the largest ones after a step, and the last account.
typedef struct case_energies
{
    double made, kinetic, elastic;
    frz_audit last;
} case_energies;

/// Advance step by step and audit the energy after each. end: time that progress is told of.
FRZ_NODISCARD frz_status case_advance_audited(const case_context *context, frz_sim *sim, double until, double end,
                                              case_energies *most, frz_diag *diag);

/// Observed order with which the places of all particles at a time come closer to each other as a fixed step is halved
/// twice.
FRZ_NODISCARD frz_status case_order_in_time(const case_context *context, const char *scene, double step, double until,
                                            case_result *result, double *order, frz_diag *diag);

/// The energy of all simulations of a case without a source of work: case_advance and case_advance_steps audit it.
/// begin: a new case; end: record the largest rise over its bound, if there was such a simulation.
void case_watch_begin(void);
void case_watch_end(case_result *result);

/// Record a figure whose error is |value - reference| / |scale|.
void case_figure(case_result *result, const char *name, double value, double reference, double scale, double gate);
/// Record a figure that must not exceed its gate.
void case_limit(case_result *result, const char *name, double value, double gate);
/// Record a figure that is reported, not judged, such as an observed order of convergence.
void case_tell(case_result *result, const char *name, double value);

/// Relative error in the mean square of the velocity along x against a profile u(y).
typedef double profile_fn(double y, const void *user);
double case_profile_error(const frz_sim *sim, profile_fn *exact, const void *user);

/// Height y and velocity u along x of every liquid particle, to plot a profile.
enum
{
    profile_max = 4096
};

typedef struct case_profile
{
    int count;
    double y[profile_max], u[profile_max];
} case_profile;

void case_take_profile(const frz_sim *sim, case_profile *profile);

/// Write <directory>/<name>.svg if plots are wanted.
FRZ_NODISCARD frz_status case_plot(const case_context *context, case_result *result, const frz_plot *plot,
                                   frz_diag *diag);

/// Least-squares line y = a + b x; returns the coefficient of determination.
double case_fit_line(const double *x, const double *y, int count, double *a, double *b);

#define VALIDATION_CASE(name, function, doc) case_fn function;
#define VALIDATION_QUICK                     VALIDATION_CASE
#define VALIDATION_LONG(name, function, doc) case_fn function;
#include "validate/validation_cases.def"
#undef VALIDATION_CASE
#undef VALIDATION_QUICK
#undef VALIDATION_LONG
