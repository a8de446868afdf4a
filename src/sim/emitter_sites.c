// SPDX-License-Identifier: MIT
// Inlets as lattices of sites, the positions of new particles of a layer.
#include <math.h>

#include "base/memory.h"
#include "sim/model.h"

// extents that miss a whole number of spacings by rounding still hold that many
static const double rounding = 1e-6;
// sites of a disc lie at least this many spacings inside its edge, as the samples of a liquid body do (geom/sampling.h)
static const double edge_depth = 0.25;
// spacings; less than the samples of a liquid keep from the surface of its own shape (geom/sample_relax.c), or a liquid
// that fills a round tank would lose its outermost layer
static const double wall_clearance = 0.38;
// directions closer to parallel than this have no plane in common
static const double parallel = 1e-3;

frz_patch frz_patch_make(frz_vec3 center, frz_vec3 normal, frz_vec3 up, int dimension)
{
    frz_patch patch = {.center = center, .normal = frz_v3_normalize(normal)};
    if (dimension == 2)
        up = frz_v3(0.0, 0.0, 1.0);
    else if (!(frz_v3_length(frz_v3_cross(patch.normal, up)) > parallel * frz_v3_length(up)))
        up = fabs(patch.normal.z) < 0.5 ? frz_v3(0.0, 0.0, 1.0) : frz_v3(1.0, 0.0, 0.0);
    patch.up = frz_v3_normalize(frz_v3_mad(up, -frz_v3_dot(up, patch.normal), patch.normal));
    patch.across = frz_v3_cross(patch.up, patch.normal);
    return patch;
}

bool frz_patch_covers(const frz_patch *patch, frz_vec3 offset, int dimension)
{
    const double x = frz_v3_dot(offset, patch->across);
    const double y = dimension == 3 ? frz_v3_dot(offset, patch->up) : 0.0;
    if (patch->radius > 0.0)
        return x * x + y * y <= patch->radius * patch->radius;
    return fabs(x) <= 0.5 * patch->width && (dimension == 2 || fabs(y) <= 0.5 * patch->height);
}

double frz_patch_area(const frz_patch *patch, int dimension)
{
    if (patch->radius > 0.0)
        return dimension == 3 ? M_PI * patch->radius * patch->radius : 2.0 * patch->radius;
    return dimension == 3 ? patch->width * patch->height : patch->width;
}

static int fitting(double extent, double spacing)
{
    return (int)floor(extent / spacing + rounding);
}

frz_status frz_emitter_lay_sites(frz_emitter *emitter, double spacing, int dimension, frz_diag *diag)
{
    const frz_patch *patch = &emitter->patch;
    const bool round = patch->radius > 0.0;
    emitter->columns = fitting(round ? 2.0 * patch->radius : patch->width, spacing);
    emitter->rows = dimension == 2 ? 1 : fitting(round ? 2.0 * patch->radius : patch->height, spacing);
    const int cells = emitter->columns * emitter->rows;
    emitter->site_of = FRZ_ALLOC("emitters", cells + 1, int);
    emitter->sites = FRZ_ALLOC("emitters", cells + 1, frz_vec3);
    if (emitter->site_of == NULL || emitter->sites == NULL)
        return frz_fail_memory(diag, "the emitters");
    const double reach = patch->radius - edge_depth * spacing * (dimension == 3);
    for (int k = 0; k < cells; ++k)
    {
        const int column = k % emitter->columns, row = k / emitter->columns;
        const double x = spacing * (column - 0.5 * (emitter->columns - 1));
        const double y = spacing * (row - 0.5 * (emitter->rows - 1));
        // even the smallest disc has one particle
        const bool inside = !round || x * x + y * y <= reach * reach || cells == 1;
        emitter->site_of[k] = inside ? emitter->site_count : -1;
        if (inside)
            emitter->sites[emitter->site_count++] = frz_v3_mad(frz_v3_scale(x, patch->across), y, patch->up);
    }
    return FRZ_OK;
}

void frz_emitter_carve(frz_emitter *emitter, const bool *taken)
{
    int kept = 0;
    for (int k = 0; k < emitter->columns * emitter->rows; ++k)
    {
        const int site = emitter->site_of[k];
        if (site < 0)
            continue;
        emitter->site_of[k] = taken[site] ? -1 : kept;
        if (!taken[site])
            emitter->sites[kept++] = emitter->sites[site];
    }
    emitter->sites_carved += emitter->site_count - kept;
    emitter->site_count = kept;
}

void frz_emitter_destroy(frz_emitter *emitter)
{
    frz_free(emitter->name);
    frz_free(emitter->schedule.intervals);
    frz_free(emitter->site_of);
    frz_free(emitter->sites);
}

double frz_wall_clearance(const frz_model *model)
{
    return wall_clearance * model->spacing;
}

double frz_emitter_length(const frz_model *model)
{
    return model->support;
}

double frz_emitter_rate(const frz_model *model, const frz_emitter *emitter)
{
    return emitter->speed * emitter->site_count * model->face;
}

double frz_emitter_expected(const frz_model *model, const frz_emitter *emitter, double time)
{
    const double layers = emitter->speed * frz_schedule_on_time(&emitter->schedule, 0.0, time) / model->spacing;
    const double count = floor(layers + 0.5) * emitter->site_count;
    return emitter->max_particles > 0 ? fmin(count, (double)emitter->max_particles) : count;
}

double frz_emitters_total(const frz_model *model)
{
    double total = 0.0;
    for (int e = 0; e < model->emitter_count; ++e)
        total += frz_emitter_expected(model, &model->emitters[e], model->duration);
    return total;
}
