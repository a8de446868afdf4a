// SPDX-License-Identifier: MIT
// How much a run will write, whether that fits the disk, and how much memory it takes.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "api/run_internal.h"
#include "frazil/run.h"

// bytes; they follow from src/io/frame_write.c, src/io/frame_master.c and src/api/run_tables.c
static const double frame_overhead = 12.5e3; ///< of an HDF5 file with the groups of VTKHDF
static const double index_bytes = 2.8e3;     ///< of a frame in particles.vtkhdf and particles.xmf
static const double body_bytes = 90.0;       ///< of a row of bodies.csv
static const double step_bytes = 200.0;      ///< of a row of stats.csv
static const double block = 4096.0;          ///< files take whole blocks
static const double vertex_bytes = 16.0;     ///< of a particle's cell
static const double checkpoints = 2.0;       ///< are kept, each about as large as a frame
static const double frame_copies = 2.0;      ///< in memory while one is made: rows that were collected, and the file
static const double program_bytes = 21e6;    ///< of a run of 9 particles: libraries and their tables

static double particle_bytes(const frz_scene *scene, const frz_particles *particles)
{
    int fields[FRZ_FIELD_MAX];
    const int count = frz_run_fields(scene, particles, fields);
    double bytes = vertex_bytes;
    for (int k = -1; k < count; ++k)
    {
        const int field = k < 0 ? FRZ_FIELD_ID_position : fields[k];
        const frz_array_desc view = frz_particles_view(particles, field, FRZ_ROLE_FREE);
        bytes += (double)frz_dtype_size(view.type) * view.components;
    }
    return bytes;
}

static double frame_bytes(double particles, double each, double bodies)
{
    return block * ceil((frame_overhead + particles * each) / block) + index_bytes + bodies * body_bytes;
}

/// Bytes free on the disk of a folder, or of the nearest one above it that exists; infinite if unknown.
static double free_bytes(const char *directory)
{
    char path[FRZ_PATH_SIZE];
    struct statvfs info;
    snprintf(path, sizeof path, "%s", directory);
    for (;;)
    {
        if (statvfs(path[0] != '\0' ? path : ".", &info) == 0)
            return (double)info.f_bavail * (double)info.f_frsize;
        char *slash = strrchr(path, '/');
        if (path[0] == '\0' || slash == path)
            return HUGE_VAL;
        *(slash != NULL ? slash : path) = '\0';
    }
}

frz_run_size frz_run_size_get(const frz_scene *scene, const frz_sim *sim, const char *directory)
{
    frz_sim_report report;
    frz_sim_report_get(sim, &report);
    const frz_particles *particles = &sim->state->particles;
    const double now = particles->count[FRZ_ROLE_FREE], later = now + report.expected_liquid - (double)report.liquid;
    const double each = particle_bytes(scene, particles), bodies = frz_sim_body_count(sim);
    frz_run_size size = {.frames = floor(scene->duration * scene->frame_rate + 1e-9) + 1.0};
    size.steps = fmax(report.expected_steps, size.frames);
    const double first = frame_bytes(now, each, bodies), last = frame_bytes(later, each, bodies);
    size.least_bytes = (size.frames + checkpoints) * first;
    size.bytes = (size.frames + checkpoints) * 0.5 * (first + last) + size.steps * step_bytes;
    size.free_bytes = free_bytes(directory);
    size.memory = report.memory + frame_copies * first + program_bytes;
    size.expected_memory = report.expected_memory + frame_copies * last + program_bytes;
    return size;
}

frz_status frz_run_size_check(const frz_run_size *size, frz_diag *diag)
{
    if (size->least_bytes <= size->free_bytes)
        return FRZ_OK;
    return frz_fail(
        diag, FRZ_ERR_FILE,
        "the run would write %.4g frames, which take about %.3g GB of disk space, but only %.3g GB are free; "
        "use a lower frame_rate, a larger spacing, or another disk",
        size->frames, size->least_bytes / 1e9, size->free_bytes / 1e9);
}
