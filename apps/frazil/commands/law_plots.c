// SPDX-License-Identifier: MIT
// Curves of the constitutive laws: all of them against each other, and the figures 5 to 7 of Khadke (thesis).
#include "commands/law_plots.h"

#include <math.h>
#include <stdio.h>

enum
{
    points = 241, // of a curve
    reference_points = 25,
    series_most = 10, // curves of a plot
    path_size = 600
};

// For the comparison of all laws: stress over Young's modulus does not depend on it.
static const double compared_ratio = 0.3;

// Lame's constants in the captions of the thesis, Pa.
static const double thesis_mu = 100.0, thesis_lambda = 27.78;

const char *const frz_law_plot_names[] = {"laws_uniaxial.svg",
                                          "laws_confined.svg",
                                          "laws_shear.svg",
                                          "thesis_figure_5.svg",
                                          "thesis_figure_6.svg",
                                          "thesis_figure_7.svg",
                                          NULL};

static frz_status write_plot(const char *directory, int index, const frz_plot *plot, frz_diag *diag)
{
    char path[path_size];
    snprintf(path, sizeof path, "%s/%s", directory, frz_law_plot_names[index]);
    return frz_plot_write(path, plot, diag);
}

static void spread(double from, double to, int count, double *x)
{
    for (int i = 0; i < count; ++i)
        x[i] = from + (to - from) * i / (count - 1);
}

// ---- all laws

typedef struct comparison
{
    frz_law_test test;
    double from, to;
    const char *title, *x_label;
} comparison;

static frz_status draw_comparison(const char *directory, int index, const comparison *what, frz_diag *diag)
{
    static double x[points], y[series_most][points];
    frz_plot_series series[series_most];
    int count = 0;
    spread(what->from, what->to, points, x);
    for (; count < series_most && frz_law_name(count) != NULL; ++count)
    {
        const frz_law_curve_def def = {
            .law = frz_law_name(count), .youngs_modulus = 1.0, .poisson_ratio = compared_ratio, .test = what->test};
        const frz_status status = frz_law_curve(&def, points, x, y[count], diag);
        if (status != FRZ_OK)
            return status;
        series[count] = (frz_plot_series){.label = def.law, .x = x, .y = y[count], .count = points};
    }
    const frz_plot plot = {.title = what->title,
                           .x_label = what->x_label,
                           .y_label = "nominal stress / Young's modulus",
                           .series = series,
                           .series_count = count};
    return write_plot(directory, index, &plot, diag);
}

// ---- figures of the thesis

static double figure_5(double s)
{
    // eq. 14 with the other stretches 1
    return 0.5 * thesis_lambda * s * (s * s + 2.0) - 1.5 * thesis_lambda * s + thesis_mu * (s * s * s - s);
}

static double figure_6(double s)
{
    // derivative of eq. 15
    return thesis_mu * (s - 1.0 / s) + thesis_lambda * log(s) / s;
}

typedef struct figure
{
    const char *title;
    const char *laws[2];
    double from, to;                 // stretches that are drawn
    double (*formula)(double);       // of the thesis
    double formula_from, formula_to; // where it is drawn
} figure;

static const figure figures[] = {
    {"Khadke, fig. 5: St. Venant-Kirchhoff", {"st_venant_kirchhoff", NULL}, -0.1, 2.0, figure_5, -1.0, 2.0},
    {"Khadke, fig. 6: compressible neo-Hookean",
     {"neo_hookean_log", "neo_hookean_quadratic"},
     0.15,
     3.0,
     figure_6,
     0.15,
     3.0},
    {"Khadke, fig. 7: bounded neo-Hookean", {"neo_hookean_bounded", NULL}, -1.0, 3.0, figure_6, 0.3, 3.0},
};

static frz_status draw_figure(const char *directory, int index, const figure *what, frz_diag *diag)
{
    static double x[points], y[2][points], formula_x[reference_points], formula_y[reference_points];
    frz_plot_series series[3];
    int count = 0;
    spread(what->from, what->to, points, x);
    spread(what->formula_from, what->formula_to, reference_points, formula_x);
    for (int i = 0; i < reference_points; ++i)
        formula_y[i] = what->formula(formula_x[i]);
    for (; count < 2 && what->laws[count] != NULL; ++count)
    {
        const frz_law_curve_def def = {.law = what->laws[count],
                                       .youngs_modulus = thesis_mu * (3.0 * thesis_lambda + 2.0 * thesis_mu) /
                                                         (thesis_lambda + thesis_mu),
                                       .poisson_ratio = thesis_lambda / (2.0 * (thesis_lambda + thesis_mu)),
                                       .test = FRZ_LAW_TEST_CONFINED};
        const frz_status status = frz_law_curve(&def, points, x, y[count], diag);
        if (status != FRZ_OK)
            return status;
        series[count] = (frz_plot_series){.label = def.law, .x = x, .y = y[count], .count = points};
    }
    series[count] = (frz_plot_series){
        .label = "formula of the thesis", .x = formula_x, .y = formula_y, .count = reference_points, .markers = true};
    ++count;
    const frz_plot plot = {.title = what->title,
                           .x_label = "principal stretch (the others are 1)",
                           .y_label = "principal stress (Pa)",
                           .series = series,
                           .series_count = count};
    return write_plot(directory, index, &plot, diag);
}

frz_status frz_law_plots_write(const char *directory, frz_diag *diag)
{
    static const comparison comparisons[] = {
        {FRZ_LAW_TEST_UNIAXIAL, 0.3, 2.5, "A bar with free sides, Poisson's ratio 0.3", "stretch"},
        {FRZ_LAW_TEST_CONFINED, 0.15, 2.0, "One principal stretch, the others 1, Poisson's ratio 0.3",
         "principal stretch"},
        {FRZ_LAW_TEST_SHEAR, 0.0, 2.0, "Simple shear, Poisson's ratio 0.3", "displacement / height"}};
    enum
    {
        comparison_count = sizeof comparisons / sizeof comparisons[0],
        figure_count = sizeof figures / sizeof figures[0]
    };
    for (int i = 0; i < comparison_count; ++i)
    {
        const frz_status status = draw_comparison(directory, i, &comparisons[i], diag);
        if (status != FRZ_OK)
            return status;
    }
    for (int i = 0; i < figure_count; ++i)
    {
        const frz_status status = draw_figure(directory, comparison_count + i, &figures[i], diag);
        if (status != FRZ_OK)
            return status;
    }
    return FRZ_OK;
}
