// SPDX-License-Identifier: MIT
// Foam of the liquids of a run: the air of the frames one after the other.
#include "api/run_foam.h"

#include <math.h>

#include "api/run_reading.h"
#include "base/memory.h"

void frz_run_foam_create(const frz_run_surfaces *surfaces, const char *directory, double amount, bool *liquids,
                         int first, frz_run_foam *out)
{
    const double back = ceil(frz_foam_memory() * surfaces->scene->frame_rate);
    *out = (frz_run_foam){.directory = directory, .surfaces = surfaces, .amount = amount, .liquids = liquids};
    out->next = back < first ? first - (int)back : 0;
    for (int m = 0; m < surfaces->scene->materials.count; ++m)
        out->wanted = out->wanted || liquids[m];
}

void frz_run_foam_destroy(frz_run_foam *foam)
{
    frz_foam_destroy(&foam->foam);
    frz_foam_points_destroy(&foam->points);
    frz_free(foam->liquids);
    *foam = (frz_run_foam){.wanted = false};
}

/// Go on to a frame that has the needed fields.
static frz_status advance(frz_run_foam *f, const frz_frame *frame, bool with_points, frz_diag *diag)
{
    frz_iso_def def = frz_run_surfaces_def(f->surfaces, frame);
    const frz_foam_liquid liquid = {&def, frz_frame_field(frame, "id"), frame->time, f->amount};
    if (liquid.ids == NULL || def.velocity == NULL)
        return FRZ_OK;
    int *rows = frz_run_surfaces_liquid(f->surfaces, frame, f->liquids, &def.count);
    if (rows == NULL)
        return frz_fail_memory(diag, "the foam of a liquid");
    def.rows = rows;
    const frz_status status = frz_foam_advance(&f->foam, &liquid, with_points ? &f->points : NULL, diag);
    frz_free(rows);
    return status;
}

frz_status frz_run_foam_make(frz_run_foam *foam, const frz_frame *frame, frz_log_fn *log, void *user, frz_diag *diag)
{
    if (!foam->wanted)
        return FRZ_OK;
    if (frz_frame_field(frame, "id") == NULL || frz_frame_field(frame, "velocity") == NULL)
    {
        foam->wanted = false;
        if (log != NULL)
            log(user, FRZ_LOG_WARNING,
                "there is no foam, because the frames have no id or no velocity; add both to output.fields of the "
                "scene and run it again");
        return FRZ_OK;
    }
    for (; foam->next < frame->index; ++foam->next)
    {
        frz_frame_data data;
        if (frz_frame_read(foam->directory, foam->next, &data, NULL) != FRZ_OK)
            continue; // a frame that is missing; those around it tell enough
        const frz_status status = advance(foam, &data.frame, false, diag);
        frz_frame_data_destroy(&data);
        FRZ_TRY(status);
    }
    foam->next = frame->index + 1;
    return advance(foam, frame, true, diag);
}
