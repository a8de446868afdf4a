// SPDX-License-Identifier: MIT
// Two rubber rings fly into each other and rebound (the case of PySPH's rings.py): without a fracture method nothing
// breaks, and the symmetry of the start is kept.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validation.h"

static const double end_time = 1.0e-3;      // s; the rings part after about a third of it
static const double outer_diameter = 0.08;  // m, as in the scene
static const double approach_speed = 238.0; // m/s, of each ring
static const double spacing = 1.25e-3;      // m
static const double lonely_gate = 1.5;      // spacings; rubber stretched by half is not torn
static const double start_gate = 1.0e-6;    // of the diameter
static const double end_gate = 2.0e-5;      // of the diameter, after a collision that makes differences grow tenfold

// Particles by id, and for each the one in its mirror image.
enum
{
    particle_max = 1 << 15 // four times the resolution
};

typedef struct mirror
{
    int count;
    int64_t slot[particle_max];
    int image[particle_max];
} mirror;

static void find_slots(const frz_sim *sim, mirror *m)
{
    const frz_field_view id = frz_sim_field(sim, "id", FRZ_SEGMENT_FREE);
    for (int64_t i = 0; i < id.count; ++i)
        m->slot[(int64_t)frz_field_value(&id, i, 0)] = i;
}

// Distance of particle b from the mirror image of a, m.
static double off_mirror(const mirror *m, const frz_field_view *x, int a, int b)
{
    const int64_t i = m->slot[a], j = m->slot[b];
    return hypot(frz_field_value(x, i, 0) + frz_field_value(x, j, 0),
                 frz_field_value(x, i, 1) - frz_field_value(x, j, 1));
}

static frz_status make_mirror(const frz_sim *sim, mirror *m, frz_diag *diag)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    m->count = (int)x.count;
    if (m->count > particle_max)
    {
        snprintf(diag->message, sizeof diag->message,
                 "the case 'rings' has room for %d particles, not %d; lower "
                 "--resolution",
                 particle_max, m->count);
        return diag->status = FRZ_ERR_ARGUMENT;
    }
    find_slots(sim, m);
    for (int a = 0; a < m->count; ++a)
        for (int b = 0; b < m->count; ++b)
            if (off_mirror(m, &x, a, b) < off_mirror(m, &x, a, m->image[a]))
                m->image[a] = b;
    return FRZ_OK;
}

static double worst_off_mirror(const frz_sim *sim, mirror *m)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double worst = 0.0;
    find_slots(sim, m);
    for (int a = 0; a < m->count; ++a)
        worst = fmax(worst, off_mirror(m, &x, a, m->image[a]));
    return worst;
}

// Mean velocity away from the other ring, m/s.
static double parting_speed(const frz_sim *sim, const mirror *m)
{
    const frz_field_view v = frz_sim_field(sim, "velocity", FRZ_SEGMENT_FREE);
    double sum = 0.0;
    for (int a = 0; a < m->count; ++a) // the left ring was made first
        sum += (a < m->count / 2 ? -1.0 : 1.0) * frz_field_value(&v, m->slot[a], 0);
    return sum / m->count;
}

// Largest distance of any particle from its nearest neighbour, spacings: large for torn-off particles.
static double loneliest(const frz_sim *sim, double unit)
{
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double widest = 0.0;
    for (int64_t a = 0; a < x.count; ++a)
    {
        double nearest = HUGE_VAL;
        for (int64_t b = 0; b < x.count; ++b)
            if (b != a)
                nearest = fmin(nearest, hypot(frz_field_value(&x, a, 0) - frz_field_value(&x, b, 0),
                                              frz_field_value(&x, a, 1) - frz_field_value(&x, b, 1)));
        widest = fmax(widest, nearest / unit);
    }
    return widest;
}

typedef struct collision
{
    double asymmetry_before, asymmetry; // of the diameter
    double loneliest;                   // spacings
    double restitution;
} collision;

static frz_status collide(const case_context *context, collision *out, case_result *result, frz_diag *diag)
{
    frz_sim *sim = NULL;
    static mirror m;
    memset(&m, 0, sizeof m);
    frz_status status = case_sim(context, "rings", result, &sim, diag);
    if (status == FRZ_OK)
        status = make_mirror(sim, &m, diag);
    if (status == FRZ_OK)
    {
        out->asymmetry_before = worst_off_mirror(sim, &m) / outer_diameter;
        status = case_advance(context, sim, end_time, 0.1 * end_time, NULL, NULL, diag);
    }
    if (status == FRZ_OK)
    {
        out->asymmetry = worst_off_mirror(sim, &m) / outer_diameter;
        out->loneliest = loneliest(sim, spacing / context->resolution);
        out->restitution = parting_speed(sim, &m) / approach_speed;
    }
    frz_sim_destroy(&sim);
    return status;
}

frz_status validate_rings(const case_context *context, case_result *result, frz_diag *diag)
{
    static const double coarse_step = 1.6e-7, in_touch = 1e-4; // s; half the resolution bears 1.9e-7 s
    collision found = {0.0, 0.0, 0.0, 0.0};
    case_context coarse = *context;
    coarse.resolution = 0.5 * context->resolution;
    double order = 0.0;
    frz_status status = collide(context, &found, result, diag);
    if (status == FRZ_OK)
        status =
            case_order_in_time(&coarse, "rings", coarse_step / context->resolution, in_touch, result, &order, diag);
    if (status != FRZ_OK)
        return status;
    case_limit(result, "asymmetry_at_start", found.asymmetry_before, start_gate);
    case_limit(result, "asymmetry", found.asymmetry, end_gate);
    case_limit(result, "loneliest_particle_spacings", found.loneliest, lonely_gate);
    // energy stays behind as vibration, so that only the bounds of the restitution are known
    case_figure(result, "restitution", found.restitution, 0.5, 1.0, 0.5);
    case_tell(result, "order_in_time_places", order);
    return FRZ_OK;
}
