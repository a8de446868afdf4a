// SPDX-License-Identifier: MIT
// Sources and sinks of liquid: emitters, regions, and the surfaces that count flow.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/simd.h"
#include "geom/shape.h"

typedef struct frz_model frz_model;
typedef struct frz_state frz_state;

typedef struct frz_interval
{
    double start, stop; ///< s; on from start up to, but not at, stop
} frz_interval;

/// Times of activity. Without intervals: always.
typedef struct frz_schedule
{
    int count;
    frz_interval *intervals; ///< in order, without overlap
    double period;           ///< s, after which the intervals come again; 0: never
} frz_schedule;

bool frz_schedule_is_on(const frz_schedule *schedule, double time);
/// Active time between two moments, s.
double frz_schedule_on_time(const frz_schedule *schedule, double from, double to);

/// A flat disc or rectangle; in 2D the line that it cuts out of the plane z = 0.
typedef struct frz_patch
{
    frz_vec3 center;
    frz_vec3 normal, across, up; ///< unit vectors at right angles
    double radius;               ///< m; 0: a rectangle
    double width, height;        ///< m, along across and up
} frz_patch;

/// Directions from the normal and a preferred up, which need not be at a right angle to it.
frz_patch frz_patch_make(frz_vec3 center, frz_vec3 normal, frz_vec3 up, int dimension);

/// Whether a point, given relative to the centre, is on the patch (its distance from the plane does not count).
bool frz_patch_covers(const frz_patch *patch, frz_vec3 offset, int dimension);

/// Area, m^2; in 2D the length, m.
double frz_patch_area(const frz_patch *patch, int dimension);

/// A flat inlet. Liquid passes it in layers of a square lattice, one spacing apart.
typedef struct frz_emitter
{
    char *name;
    int body; ///< of the particles: a liquid body without samples, in the model's list behind those of the scene
    frz_patch patch;
    double speed; ///< m/s along the patch's normal
    frz_schedule schedule;
    int64_t max_particles; ///< in total; 0: no limit
    int columns, rows;     ///< of the lattice, along across and up
    int *site_of;          ///< [column + columns * row]: number of the site there, or -1
    int site_count;
    frz_vec3 *sites;  ///< relative to the patch's centre
    int sites_carved; ///< left out because a wall is in the way
} frz_emitter;

/// Put the sites on the patch; unusable ones can be taken out afterwards by frz_emitter_carve.
FRZ_NODISCARD frz_status frz_emitter_lay_sites(frz_emitter *emitter, double spacing, int dimension, frz_diag *diag);
/// Take out the sites for which taken is true.
void frz_emitter_carve(frz_emitter *emitter, const bool *taken);
void frz_emitter_destroy(frz_emitter *emitter);

/// Smallest distance of a new liquid particle's centre from a solid's surface, m. (Liquid rests at half a spacing; the
/// rest is for round walls.)
double frz_wall_clearance(const frz_model *model);

/// Distance from the inlet up to which particles keep its velocity, m: free particles then have all neighbours.
double frz_emitter_length(const frz_model *model);
/// Volume per second while it is on, m^3/s (m^2/s in 2D).
double frz_emitter_rate(const frz_model *model, const frz_emitter *emitter);
/// Number of particles emitted up to a time if nothing blocks the inlet.
double frz_emitter_expected(const frz_model *model, const frz_emitter *emitter, double time);
/// Particles that all emitters may make within the model's duration.
double frz_emitters_total(const frz_model *model);

/// Saved as a row of int64 numbers, so that all members are.
typedef struct frz_emitter_state
{
    int64_t layers;    ///< emitted so far
    int64_t emitted;   ///< particles made
    int64_t blocked;   ///< particles not made because their site was occupied
    int64_t exhausted; ///< 1 once max_particles are made
} frz_emitter_state;

typedef enum frz_region_action
{
    FRZ_REGION_KILL,  ///< particles inside are removed
    FRZ_REGION_FORCE, ///< particles inside are pushed
    FRZ_REGION_HEAT   ///< particles inside are heated or cooled
} frz_region_action;

typedef struct frz_region
{
    char *name;
    frz_region_action action;
    int material; ///< index in the model, -1: all liquids
    frz_shape *shape;
    frz_vec3 acceleration; ///< m/s^2
    frz_vec3 velocity;     ///< m/s, towards which drag takes the liquid
    double drag;           ///< 1/s; 0: none
    double power;          ///< W/m^3; below 0: it cools
    double temperature;    ///< K, towards which the rate takes the matter
    double rate;           ///< 1/s; 0: none
    frz_schedule schedule;
} frz_region;

void frz_region_destroy(frz_region *region);
/// Whether a position (wrapped into the domain) is inside, or one of its periodic images.
bool frz_region_contains(const frz_model *model, const frz_region *region, frz_vec3 point);

/// Counted through one probe's patch, in particles; saved like frz_emitter_state.
typedef struct frz_flow_state
{
    int64_t crossed; ///< along the normal minus against it, since the start
    int64_t marked;  ///< the same when the last row was written
} frz_flow_state;

/// State of emitters, regions and flow counters; saved.
typedef struct frz_source_states
{
    double *travelled; ///< by emitter: distance that its flow has advanced, m
    frz_emitter_state *emitters;
    int64_t *killed;       ///< by region: particles removed so far
    frz_flow_state *flows; ///< by probe
    double flow_marked;    ///< time of the last row of flows, s
} frz_source_states;

/// Reserve memory for the particles that emitters may make in a step of this length.
FRZ_NODISCARD frz_status frz_emitters_reserve(const frz_model *model, frz_state *state, double dt, frz_diag *diag);
/// Whether an emitter is on at state->time.
bool frz_emitters_any_on(const frz_model *model, const frz_state *state);
/// The active emitter in whose inlet a free particle is; -1: none, or the particle is too compressed (sim/emitters.c).
int frz_emitters_inlet_of(const frz_model *model, const frz_state *state, int slot);
/// Velocity of the liquid in its inlet.
frz_v4 frz_emitter_velocity(const frz_emitter *emitter);
/// After an accepted step that began at time start: new layers.
void frz_emitters_run(const frz_model *model, frz_state *state, double start);
/// Speed of the fastest emitter that is on between now and the longest step from now, m/s.
double frz_emitters_speed(const frz_model *model, const frz_state *state);

/// Accelerations of the regions that push, added to the acceleration field; see sim/forces.h.
void frz_regions_push(const frz_model *model, frz_state *state, double dt);
/// Once the velocities of a step are known: the work of these, added to that of the step.
FRZ_NODISCARD frz_status frz_regions_work(const frz_model *model, frz_state *state, double dt, frz_diag *diag);
/// Largest acceleration that a region gives now, m/s^2.
double frz_regions_acceleration(const frz_model *model, const frz_state *state);
