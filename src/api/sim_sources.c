// SPDX-License-Identifier: MIT
// The public interface of emitters, regions, attachments and flows.
#include <math.h>
#include <stdio.h>

#include "api/sim_internal.h"

int frz_sim_emitter_count(const frz_sim *sim)
{
    return sim->model->emitter_count;
}

frz_emitter_info frz_sim_emitter(const frz_sim *sim, int index)
{
    const frz_model *model = sim->model;
    const frz_emitter *emitter = &model->emitters[index];
    const frz_emitter_state *status = &sim->state->sources.emitters[index];
    const double rate = frz_emitter_rate(model, emitter);
    return (frz_emitter_info){
        .name = emitter->name,
        .speed = emitter->speed,
        .flow_rate = rate,
        .particle_rate = rate / model->cell,
        .sites = emitter->site_count,
        .sites_carved = emitter->sites_carved,
        .expected = frz_emitter_expected(model, emitter, model->duration),
        .max_particles = emitter->max_particles,
        .emitted = status->emitted,
        .blocked = status->blocked,
        .exhausted = status->exhausted != 0,
    };
}

int frz_sim_region_count(const frz_sim *sim)
{
    return sim->model->region_count;
}

frz_region_info frz_sim_region(const frz_sim *sim, int index)
{
    const frz_region *region = &sim->model->regions[index];
    return (frz_region_info){
        .name = region->name,
        .action = region->action == FRZ_REGION_KILL   ? "kill"
                  : region->action == FRZ_REGION_HEAT ? "heat"
                                                      : "force",
        .material = region->material >= 0 ? sim->model->materials[region->material].name : NULL,
        .volume = frz_shape_volume(region->shape, sim->model->dimension),
        .killed = sim->state->sources.killed[index],
    };
}

int frz_sim_attachment_count(const frz_sim *sim)
{
    return sim->model->attachment_count;
}

frz_attachment_info frz_sim_attachment(const frz_sim *sim, int index)
{
    const frz_attachment_state *status = &sim->state->attachments.item[index];
    return (frz_attachment_info){
        .name = sim->model->attachments[index].name,
        .particles = status->count,
        .force = {status->force.x, status->force.y, status->force.z},
    };
}

double frz_sim_flow(const frz_sim *sim, int index)
{
    if (index < 0 || index >= sim->model->probe_count)
        return 0.0;
    return (double)sim->state->sources.flows[index].crossed * sim->model->cell;
}

// Contacts cannot stop given motions that press a body from two sides: the user may have meant the motion to end
// earlier.
static void announce_crushed(frz_sim *sim)
{
    const frz_contact_stats stats = frz_contact_report(sim->state);
    const int a = stats.crushed[0], b = stats.crushed[1];
    if (a == b || a >= sim->noted_capacity || b >= sim->noted_capacity || (sim->crushed[a] && sim->crushed[b]))
        return;
    sim->crushed[a] = sim->crushed[b] = true;
    char text[512], name_a[FRZ_BODY_NAME_SIZE], name_b[FRZ_BODY_NAME_SIZE];
    frz_bodies_name(sim->model, sim->state, a, name_a);
    frz_bodies_name(sim->model, sim->state, b, name_b);
    snprintf(text, sizeof text,
             "bodies '%.80s' and '%.80s' are pressed %.3g m into each other at t = %.6g s and come closer still: rigid "
             "contacts cannot give way; end the motion that presses them earlier, or make one of them elastic",
             name_a, name_b, stats.crushed_by, sim->state->time);
    if (sim->log != NULL)
        sim->log(sim->log_user, FRZ_LOG_WARNING, text);
}

// Grow the flags of warnings by body; without memory the latest bodies get no warning.
static void make_room(frz_sim *sim)
{
    const int count = sim->state->bodies.capacity, known = sim->noted_capacity;
    if (count <= known)
        return;
    bool *missed = frz_realloc("simulation", sim->missed, (size_t)count + 1, sizeof *missed);
    sim->missed = missed != NULL ? missed : sim->missed;
    bool *crushed = frz_realloc("simulation", sim->crushed, (size_t)count + 1, sizeof *crushed);
    sim->crushed = crushed != NULL ? crushed : sim->crushed;
    if (missed == NULL || crushed == NULL)
        return;
    memset(missed + known, 0, (size_t)(count - known + 1) * sizeof *missed);
    memset(crushed + known, 0, (size_t)(count - known + 1) * sizeof *crushed);
    sim->noted_capacity = count;
}

void frz_sim_announce(frz_sim *sim)
{
    make_room(sim);
    if (sim->state->changes.warning[0] != '\0' && sim->log != NULL)
        sim->log(sim->log_user, FRZ_LOG_WARNING, sim->state->changes.warning);
    sim->state->changes.warning[0] = '\0';
    announce_crushed(sim);
    for (int e = 0; e < sim->model->emitter_count; ++e)
    {
        if (sim->state->sources.emitters[e].exhausted == 0 || sim->announced[e])
            continue;
        char text[256];
        snprintf(text, sizeof text, "emitter '%.80s' stopped at t = %.6g s: it has made its max_particles, %lld",
                 sim->model->emitters[e].name, sim->state->time, (long long)sim->model->emitters[e].max_particles);
        sim->announced[e] = true;
        if (sim->log != NULL)
            sim->log(sim->log_user, FRZ_LOG_WARNING, text);
    }
    for (int b = 0; b < sim->state->bodies.count && b < sim->noted_capacity; ++b)
    {
        if (!sim->state->bodies.rigid[b].parked || sim->missed[b])
            continue;
        char text[256], name[FRZ_BODY_NAME_SIZE];
        frz_bodies_name(sim->model, sim->state, b, name);
        snprintf(text, sizeof text, "body '%.80s' left the domain at t = %.6g s and is simulated no further", name,
                 sim->state->time);
        sim->missed[b] = true;
        if (sim->log != NULL)
            sim->log(sim->log_user, FRZ_LOG_WARNING, text);
    }
}

// Bytes that one liquid particle takes: its fields, its pairs (index and gradient of each neighbour within the support)
// and the scratch memory of a solver, about as much as the fields again.
static double particle_bytes(const frz_sim *sim)
{
    const frz_particles *particles = &sim->state->particles;
    const double reach = sim->model->support / sim->model->spacing;
    const double neighbors =
        sim->model->dimension == 3 ? 4.0 / 3.0 * M_PI * reach * reach * reach : M_PI * reach * reach;
    double fields = 0.0;
    for (int f = 0; f < particles->field_count; ++f)
        fields += (double)(particles->fields[f].stride * (particles->fields[f].spare != NULL ? 2 : 1)) *
                  (double)frz_dtype_size(particles->fields[f].type);
    return 2.0 * fields + neighbors * (double)(sizeof(frz_pair) + sizeof(uint32_t));
}

void frz_sim_report_growth(const frz_sim *sim, frz_sim_report *report)
{
    const double more = frz_emitters_total(sim->model);
    report->expected_liquid = (double)report->liquid + more;
    report->expected_memory = report->memory + more * particle_bytes(sim);
}
