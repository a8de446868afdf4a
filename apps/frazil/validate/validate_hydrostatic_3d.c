// SPDX-License-Identifier: MIT
// Water at rest in tanks in space, with every pressure method: p = rho g (H - y), H from the mass of the water. Tanks
// fit the lattice or do not. A third of the particles of such a tank stand beside a wall, so that pressure and packing
// of the wall layer show. Judged is the mean over all particles two spacings above the floor and three below the
// surface, over every step, and that of the layer beside the side walls.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

static const double density = 1000.0, gravity = 9.81; // as in the scene
static const double from = 0.7, until = 1.5;          // s
static const double gate = 0.01, wall_gate = 0.02;

enum
{
    word_size = 192
};

static const struct
{
    double width, height, depth; // m
    const char *spacing;
} tanks[] = {{0.3, 0.3, 0.3, "20 mm"}, {0.31, 0.253, 0.27, "20 mm"}, {0.2, 0.2, 0.2, "13.7 mm"}};

static const char *const methods[] = {"dfsph", "iisph", "pcisph", "wcsph", "sesph"};

enum
{
    tank_count = sizeof tanks / sizeof tanks[0],
    method_count = sizeof methods / sizeof methods[0]
};

enum
{
    inside,
    at_walls,
    place_count
};

typedef struct column
{
    double spacing, width, depth;
    double level;                                      // m
    double pressure[place_count], weight[place_count]; // sums of pressures, and of rho g (H - y)
} column;

static void add_step(const frz_sim *sim, void *user)
{
    column *c = user;
    frz_stats stats;
    frz_sim_stats(sim, &stats);
    const double phase = (frz_sim_time(sim) - from) / (until - from);
    const double weight = stats.dt * (1.0 - cos(2.0 * M_PI * phase)); // Hann window, for methods that ring
    const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    const frz_field_view pressure = frz_sim_field(sim, "pressure", FRZ_SEGMENT_FREE);
    for (int64_t i = 0; i < position.count; ++i)
    {
        const double x = frz_field_value(&position, i, 0), z = frz_field_value(&position, i, 2);
        const double y = frz_field_value(&position, i, 1);
        if (y < 2.0 * c->spacing || y > c->level - 3.0 * c->spacing)
            continue;
        const double away = fmin(fmin(x, c->width - x), fmin(z, c->depth - z));
        const int place = away < c->spacing ? at_walls : inside;
        c->pressure[place] += weight * frz_field_value(&pressure, i, 0);
        c->weight[place] += weight * density * gravity * (c->level - y);
    }
}

static frz_status stand(const case_context *context, int n, const char *method, case_result *result, frz_diag *diag)
{
    char water[word_size], tank[word_size], name[word_size];
    snprintf(water, sizeof water, "{box: {min: [0, 0, 0], max: [%g, %g, %g]}}", tanks[n].width, tanks[n].height,
             tanks[n].depth);
    snprintf(tank, sizeof tank,
             "{shell: {of: {box: {min: [0, 0, 0], max: [%g, %g, %g]}}, thickness: 60 mm, open: [+y]}}", tanks[n].width,
             1.4 * tanks[n].height, tanks[n].depth);
    const char *const settings[] = {"spacing",
                                    tanks[n].spacing,
                                    "bodies.water.shape",
                                    water,
                                    "bodies.tank.shape",
                                    tank,
                                    method != NULL ? "pressure" : NULL,
                                    method,
                                    NULL};
    column c;
    memset(&c, 0, sizeof c);
    c.width = tanks[n].width;
    c.depth = tanks[n].depth;
    frz_sim *sim = NULL;
    frz_status status = case_sim_with(context, "hydrostatic_3d", settings, result, &sim, diag);
    if (status == FRZ_OK)
    {
        frz_sim_report report;
        frz_sim_report_get(sim, &report);
        c.spacing = report.spacing;
        const int64_t count = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE).count;
        c.level = (double)count * pow(c.spacing, 3.0) / (c.width * c.depth);
        status = case_advance(context, sim, from, 0.1, NULL, NULL, diag);
    }
    if (status == FRZ_OK)
        status = case_advance_steps(context, sim, until, add_step, &c, diag);
    if (status == FRZ_OK)
    {
        const double all = (c.pressure[inside] + c.pressure[at_walls]) / (c.weight[inside] + c.weight[at_walls]);
        snprintf(name, sizeof name, "pressure_%s_tank_%d", result->pressure, n + 1);
        case_figure(result, name, all, 1.0, 1.0, gate);
        snprintf(name, sizeof name, "beside_walls_%s_tank_%d", result->pressure, n + 1);
        case_figure(result, name, c.pressure[at_walls] / c.weight[at_walls], 1.0, 1.0, wall_gate);
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_hydrostatic_3d(const case_context *context, case_result *result, frz_diag *diag)
{
    // a requested method replaces all
    const int count = context->pressure != NULL ? 1 : method_count;
    frz_status status = FRZ_OK;
    for (int m = 0; m < count; ++m)
        for (int n = 0; n < tank_count && status == FRZ_OK; ++n)
            status = stand(context, n, context->pressure != NULL ? NULL : methods[m], result, diag);
    snprintf(result->note, sizeof result->note, "Means of pressure over rho g (H - y); tanks of %g, %g and %g m width.",
             tanks[0].width, tanks[1].width, tanks[2].width);
    return status;
}
