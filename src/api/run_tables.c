// SPDX-License-Identifier: MIT
// The tables of a run. Each begins with the columns step and time; a resumed run cuts the tables back by them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/run_internal.h"
#include "base/memory.h"

enum
{
    usual_digits = 9, // bring back every single-precision value
    usual_rows = 50   // in the time of a frame
};

static const char stats_header[] =
    "step,time,dt,dt_limit,density_iterations,density_error_avg_percent,density_error_max_percent,"
    "divergence_iterations,divergence_error_avg_percent,divergence_error_max_percent,rejected,liquid,lost,"
    "kinetic_energy,potential_energy,momentum_x,momentum_y,momentum_z,max_speed,emitted,blocked,killed,elastic,"
    "contacts,elastic_iterations,contact_iterations,contact_error_avg_percent,contact_error_max_percent,contact_depth,"
    "rigid,changed,change_energy,elastic_energy,surface_energy,energy_made,"
    "heat,latent_heat,wall_heat,surface_heat,region_heat,work_heat,heat_drift,friction_heat,work";
static const char bodies_header[] =
    "step,time,body,position_x,position_y,position_z,orientation_w,orientation_x,orientation_y,orientation_z,"
    "velocity_x,velocity_y,velocity_z,force_x,force_y,force_z,torque_x,torque_y,torque_z,spin_x,spin_y,spin_z,"
    "contact_force_x,contact_force_y,contact_force_z,contact_torque_x,contact_torque_y,contact_torque_z,"
    "number,state,particles,mass,object";

/// A cell with its comma in front: the shortest text that brings the number back.
static void put_exact(frz_text_buffer *row, double value)
{
    frz_buffer_put(row, ",");
    frz_buffer_number(row, value);
}

// A cell with its comma in front, with a decimal point in every locale.
static void put_number(frz_text_buffer *row, int digits, double value)
{
    char text[48];
    snprintf(text, sizeof text, "%.*g", digits, value);
    char *comma = strchr(text, ',');
    if (comma != NULL)
        *comma = '.';
    frz_buffer_put(row, ",");
    frz_buffer_put(row, text);
}

static void put_vector(frz_text_buffer *row, const double *values, int count)
{
    for (int c = 0; c < count; ++c)
        put_number(row, usual_digits, values[c]);
}

static void put_integer(frz_text_buffer *row, int64_t value)
{
    frz_buffer_format(row, ",%lld", (long long)value);
}

// Names are letters, digits, _ and - (checked with the scene), so that no cell needs quotes.
static void put_text(frz_text_buffer *row, const char *text, const char *suffix)
{
    frz_buffer_put(row, ",");
    frz_buffer_put(row, text);
    frz_buffer_put(row, suffix);
}

static void row_begin(frz_run *run)
{
    run->row.length = 0;
    frz_buffer_format(&run->row, "%lld", (long long)frz_sim_step_count(run->sim));
    put_exact(&run->row, frz_sim_time(run->sim));
}

static frz_status row_end(frz_run *run, frz_csv *table, frz_diag *diag)
{
    if (run->row.failed)
        return frz_fail_memory(diag, "a row of a table");
    return frz_csv_row(table, run->row.text, diag);
}

// How many rows of a table belong to steps up to the given one; they come first.
static frz_status count_rows(const char *path, int64_t last_step, int64_t *rows, frz_diag *diag)
{
    *rows = 0;
    if (access(path, F_OK) != 0)
        return FRZ_OK;
    char *text = NULL;
    size_t length = 0;
    FRZ_TRY(frz_text_read(path, &text, &length, diag));
    const char *line = strchr(text, '\n');
    while (line != NULL && strchr(line + 1, '\n') != NULL)
    {
        char *end = NULL;
        const long long step = strtoll(line + 1, &end, 10);
        if (end == line + 1 || *end != ',' || step > last_step)
            break;
        ++*rows;
        line = strchr(line + 1, '\n');
    }
    frz_free(text);
    return FRZ_OK;
}

static frz_status open_table(frz_run *run, const char *name, const char *header, bool resumed, frz_csv **table,
                             frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    int64_t keep = -1;
    FRZ_TRY(frz_path_format(path, diag, "%s/%s", run->directory, name));
    if (resumed)
        FRZ_TRY(count_rows(path, frz_sim_step_count(run->sim), &keep, diag));
    return frz_csv_open(path, header, keep, table, diag);
}

static void put_probe_header(frz_text_buffer *header, const frz_probe *probe)
{
    if (probe->pressure)
        put_text(header, probe->name, ".pressure");
    if (probe->velocity)
    {
        put_text(header, probe->name, ".velocity_x");
        put_text(header, probe->name, ".velocity_y");
        put_text(header, probe->name, ".velocity_z");
    }
    if (probe->density)
        put_text(header, probe->name, ".density");
    if (probe->temperature)
        put_text(header, probe->name, ".temperature");
    if (probe->flow)
    {
        put_text(header, probe->name, ".flow");
        put_text(header, probe->name, ".volume");
    }
}

// The columns of sources.csv; empty if the scene has neither emitters nor regions that kill.
static void put_sources_header(frz_text_buffer *header, const frz_model *model)
{
    for (int e = 0; e < model->emitter_count; ++e)
    {
        put_text(header, model->emitters[e].name, ".emitted");
        put_text(header, model->emitters[e].name, ".blocked");
    }
    for (int r = 0; r < model->region_count; ++r)
        if (model->regions[r].action == FRZ_REGION_KILL)
            put_text(header, model->regions[r].name, ".killed");
}

static frz_status open_probes(frz_run *run, bool resumed, frz_diag *diag)
{
    const frz_model *model = run->sim->model;
    if (model->probe_count == 0)
        return FRZ_OK;
    frz_text_buffer header = {0};
    frz_buffer_put(&header, "step,time");
    for (int p = 0; p < model->probe_count; ++p)
        put_probe_header(&header, &model->probes[p]);
    char *text = frz_buffer_take(&header);
    if (text == NULL)
        return frz_fail_memory(diag, "the columns of probes.csv");
    const frz_status status = open_table(run, "probes.csv", text, resumed, &run->probes, diag);
    frz_free(text);
    return status;
}

static frz_status open_sources(frz_run *run, bool resumed, frz_diag *diag)
{
    static const char first[] = "step,time";
    frz_text_buffer header = {0};
    frz_buffer_put(&header, first);
    put_sources_header(&header, run->sim->model);
    char *text = frz_buffer_take(&header);
    if (text == NULL)
        return frz_fail_memory(diag, "the columns of sources.csv");
    frz_status status = FRZ_OK;
    if (strcmp(text, first) != 0)
        status = open_table(run, "sources.csv", text, resumed, &run->sources, diag);
    frz_free(text);
    return status;
}

frz_status frz_run_tables_open(frz_run *run, bool resumed, frz_diag *diag)
{
    FRZ_TRY(open_table(run, "stats.csv", stats_header, resumed, &run->stats, diag));
    FRZ_TRY(open_table(run, "bodies.csv", bodies_header, resumed, &run->bodies, diag));
    FRZ_TRY(open_sources(run, resumed, diag));
    return open_probes(run, resumed, diag);
}

void frz_run_tables_close(frz_run *run)
{
    frz_csv_close(&run->stats);
    frz_csv_close(&run->probes);
    frz_csv_close(&run->sources);
    frz_csv_close(&run->bodies);
    frz_free(frz_buffer_take(&run->row));
}

static frz_status add_stats(frz_run *run, frz_diag *diag)
{
    frz_text_buffer *row = &run->row;
    frz_stats stats;
    frz_audit audit;
    frz_sim_stats(run->sim, &stats);
    FRZ_TRY(frz_sim_audit(run->sim, &audit, diag));
    row_begin(run);
    put_exact(row, stats.dt);
    put_text(row, stats.dt_limit, "");
    put_integer(row, stats.density_iterations);
    put_number(row, usual_digits, stats.density_error_average);
    put_number(row, usual_digits, stats.density_error_max);
    put_integer(row, stats.divergence_iterations);
    put_number(row, usual_digits, stats.divergence_error_average);
    put_number(row, usual_digits, stats.divergence_error_max);
    put_integer(row, stats.rejected);
    put_integer(row, stats.liquid);
    put_integer(row, stats.lost);
    put_number(row, usual_digits, audit.energies.kinetic);
    put_number(row, usual_digits, audit.energies.potential);
    put_vector(row, stats.momentum, 3);
    put_number(row, usual_digits, stats.max_speed);
    put_integer(row, stats.emitted);
    put_integer(row, stats.blocked);
    put_integer(row, stats.killed);
    put_integer(row, stats.elastic);
    put_integer(row, stats.contacts);
    put_integer(row, stats.elastic_iterations);
    put_integer(row, stats.contact_iterations);
    put_number(row, usual_digits, stats.contact_error_average);
    put_number(row, usual_digits, stats.contact_error_max);
    put_number(row, usual_digits, stats.contact_depth);
    put_integer(row, stats.rigid);
    put_integer(row, stats.changed);
    put_number(row, usual_digits, stats.change_energy);
    put_number(row, usual_digits, audit.energies.elastic);
    put_number(row, usual_digits, audit.energies.surface);
    put_number(row, usual_digits, audit.driver[0] == '\0' ? audit.made : 0.0);
    put_exact(row, stats.heat);
    put_number(row, usual_digits, stats.latent_heat);
    put_number(row, usual_digits, stats.wall_heat);
    put_number(row, usual_digits, stats.surface_heat);
    put_number(row, usual_digits, stats.region_heat);
    put_number(row, usual_digits, stats.work_heat);
    put_number(row, usual_digits, stats.heat_drift);
    put_number(row, usual_digits, stats.friction_heat);
    put_number(row, usual_digits, stats.work);
    return row_end(run, run->stats, diag);
}

// Mean flow since the last row, and the volume since the start.
static void put_flow(frz_run *run, int p)
{
    frz_state *state = run->sim->state;
    frz_flow_state *flow = &state->sources.flows[p];
    const double cell = run->sim->model->cell;
    const double time = state->time - state->sources.flow_marked;
    put_number(&run->row, usual_digits, time > 0.0 ? cell * (double)(flow->crossed - flow->marked) / time : 0.0);
    put_number(&run->row, usual_digits, cell * (double)flow->crossed);
    flow->marked = flow->crossed;
}

static frz_status add_sources(frz_run *run, frz_diag *diag)
{
    const frz_model *model = run->sim->model;
    const frz_state *state = run->sim->state;
    row_begin(run);
    for (int e = 0; e < model->emitter_count; ++e)
    {
        put_integer(&run->row, state->sources.emitters[e].emitted);
        put_integer(&run->row, state->sources.emitters[e].blocked);
    }
    for (int r = 0; r < model->region_count; ++r)
        if (model->regions[r].action == FRZ_REGION_KILL)
            put_integer(&run->row, state->sources.killed[r]);
    return row_end(run, run->sources, diag);
}

static frz_status add_probes(frz_run *run, frz_diag *diag)
{
    const frz_model *model = run->sim->model;
    row_begin(run);
    for (int p = 0; p < model->probe_count; ++p)
    {
        const frz_probe *probe = &model->probes[p];
        const double point[3] = {probe->position.x, probe->position.y, probe->position.z};
        double pressure = 0.0, density = 0.0, velocity[3] = {0.0};
        (void)frz_sim_probe(run->sim, point, &pressure, velocity, &density); // zeros where there is no liquid
        if (probe->pressure)
            put_number(&run->row, usual_digits, pressure);
        if (probe->velocity)
            put_vector(&run->row, velocity, 3);
        if (probe->density)
            put_number(&run->row, usual_digits, density);
        if (probe->temperature)
        {
            double temperature = 0.0;
            (void)frz_sim_probe_field(run->sim, "temperature", point, &temperature);
            put_number(&run->row, usual_digits, temperature);
        }
        if (probe->flow)
            put_flow(run, p);
    }
    run->sim->state->sources.flow_marked = run->sim->state->time;
    return row_end(run, run->probes, diag);
}

// By default every step has a row, but short ones have no more than usual_rows together in the time of a frame.
static bool is_row_due(const frz_run *run)
{
    if (run->stats_every > 0)
        return frz_sim_step_count(run->sim) % run->stats_every == 0;
    const double rate = usual_rows * run->frame_rate, time = frz_sim_time(run->sim);
    return floor(time * rate + 1e-9) > floor((time - run->sim->state->stats.dt) * rate + 1e-9);
}

frz_status frz_run_tables_step(frz_run *run, frz_diag *diag)
{
    if (!is_row_due(run))
        return FRZ_OK;
    FRZ_TRY(add_stats(run, diag));
    if (run->sources != NULL)
        FRZ_TRY(add_sources(run, diag));
    return run->probes != NULL ? add_probes(run, diag) : FRZ_OK;
}

static frz_status add_body(frz_run *run, const frz_body_info *body, frz_diag *diag)
{
    row_begin(run);
    put_text(&run->row, body->name, "");
    put_vector(&run->row, body->position, 3);
    put_vector(&run->row, body->orientation, 4);
    put_vector(&run->row, body->velocity, 3);
    put_vector(&run->row, body->force, 3);
    put_vector(&run->row, body->torque, 3);
    put_vector(&run->row, body->spin, 3);
    put_vector(&run->row, body->contact_force, 3);
    put_vector(&run->row, body->contact_torque, 3);
    put_integer(&run->row, body->number);
    put_text(&run->row, body->state, "");
    put_integer(&run->row, body->particles);
    put_number(&run->row, usual_digits, body->mass);
    put_integer(&run->row, body->object);
    return row_end(run, run->bodies, diag);
}

frz_status frz_run_tables_bodies(frz_run *run, frz_diag *diag)
{
    const int count = frz_sim_body_count(run->sim);
    frz_body_info *info = FRZ_ALLOC("bodies", count + 1, frz_body_info);
    if (info == NULL)
        return frz_fail_memory(diag, "the rows of bodies.csv");
    frz_status status = frz_sim_bodies(run->sim, info);
    if (status != FRZ_OK)
        status = frz_fail_memory(diag, "the rows of bodies.csv");
    for (int b = 0; b < count && status == FRZ_OK; ++b)
        status = add_body(run, &info[b], diag);
    frz_free(info);
    return status;
}

// Write rows to the disk. A run does not end without a checkpoint because another program removed a table.
static frz_status sync_table(frz_run *run, frz_csv *table, const char *name, frz_diag *diag)
{
    bool removed = false;
    FRZ_TRY(frz_csv_sync(table, &removed, diag));
    if (removed && !run->table_gap)
        frz_run_log(run, FRZ_LOG_WARNING, "%s was removed from %s; its rows are lost until the run is resumed", name,
                    run->directory);
    run->table_gap = run->table_gap || removed;
    return FRZ_OK;
}

frz_status frz_run_tables_flush(frz_run *run, bool durable, frz_diag *diag)
{
    const struct
    {
        frz_csv *table;
        const char *name;
    } tables[] = {{run->stats, "stats.csv"},
                  {run->probes, "probes.csv"},
                  {run->sources, "sources.csv"},
                  {run->bodies, "bodies.csv"}};
    for (int k = 0; k < (int)(sizeof tables / sizeof tables[0]); ++k)
    {
        if (tables[k].table == NULL)
            continue;
        FRZ_TRY(frz_csv_flush(tables[k].table, diag));
        if (durable)
            FRZ_TRY(sync_table(run, tables[k].table, tables[k].name, diag));
    }
    return FRZ_OK;
}
