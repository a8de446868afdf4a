// SPDX-License-Identifier: MIT
// Scenes of the benchmark of rigid bodies, which are too long to be written by hand.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench_rigid.h"

enum
{
    text_size = 1 << 20
};

const double frz_rigid_pitch = 0.006;
const double frz_rigid_outlet = 0.6;

typedef struct text
{
    char *at;
    size_t left;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(t->at, t->left, format, arguments);
    va_end(arguments);
    const size_t used = length > 0 && (size_t)length < t->left ? (size_t)length : 0;
    t->at += used;
    t->left -= used;
}

static void put_head(text *t, const frz_rigid_trial *trial, double spacing, const char *contact)
{
    put(t, "spacing: %g\nduration: %g\ntime_step: %g\nframe_rate: %g\ncontact: %s\nbodies:\n", spacing, trial->duration,
        trial->step, 1.0 / trial->step, contact);
}

// ---- funnel

/// Rings, crosses and cups, layer by layer above the funnel, each turned its own way.
static void put_funnel(text *t, const frz_rigid_trial *trial)
{
    static const char *const shapes[] = {
        "{torus: {center: [0, 0, 0], major: 0.05, minor: 0.02}}",
        "{union: [{box: {center: [0, 0, 0], size: [0.13, 0.04, 0.04]}}, {box: {center: [0, 0, 0], size: [0.04, 0.13, "
        "0.04]}}]}",
        "{difference: [{cylinder: {from: [0, -0.05, 0], to: [0, 0.05, 0], radius: 0.055}}, {cylinder: {from: [0, "
        "-0.01, "
        "0], to: [0, 0.06, 0], radius: 0.03}}]}"};
    const int edge = 4; // bodies along the edge of a layer
    put(t,
        "  - {name: crate, state: static, friction: 0.4, shape: {shell: {of: {box: {min: [-0.6, 0, -0.6], max: [0.6, "
        "0.5, 0.6]}}, thickness: 0.04, open: [+y]}}}\n");
    put(t,
        "  - {name: funnel, state: static, friction: 0.1, shape: {difference: [{union: [{cone: {from: [0, 0.75, 0], "
        "to: "
        "[0, 1.2, 0], radius_from: 0.27, radius_to: 0.6}}, {cylinder: {from: [0, %g, 0], to: [0, 0.76, 0], radius: "
        "0.27}}, {cylinder: {from: [0, 1.2, 0], to: [0, 1.6, 0], radius: 0.6}}]}, {cone: {from: [0, 0.75, 0], to: [0, "
        "1.2, 0], radius_from: 0.22, radius_to: 0.54}}, {cylinder: {from: [0, 0.5, 0], to: [0, 0.76, 0], radius: "
        "0.22}}, "
        "{cylinder: {from: [0, 1.19, 0], to: [0, 1.7, 0], radius: 0.54}}]}}\n",
        frz_rigid_outlet);
    for (int n = 0; n < trial->bodies; ++n)
    {
        const int layer = n / (edge * edge), x = n % edge, z = n / edge % edge;
        const double shift = layer % 2 == 0 ? -0.02 : 0.02;
        put(t,
            "  - {name: b%d, state: rigid, density: 1500, friction: 0.1, position: [%g, %g, %g], rotation: [%d, %d, "
            "%d], "
            "shape: %s}\n",
            n, 0.17 * (x - 1.5) + shift, 1.15 + 0.16 * layer, 0.17 * (z - 1.5) - shift, 37 * n % 90, 53 * n % 90,
            71 * n % 90, shapes[n % 3]);
    }
}

// ---- bolt

static void put_bolt(text *t, double friction)
{
    put(t,
        "  - {name: nut, state: static, friction: %g, shape: {difference: [{cylinder: {from: [0, -0.01, 0], to: [0, "
        "0.01, "
        "0], radius: 0.022}}, {thread: {from: [0, -0.048, 0], to: [0, 0.048, 0], radius: 0.012, pitch: %g, depth: "
        "0.003, "
        "clearance: 0.0003}}]}}\n",
        friction, frz_rigid_pitch);
    put(t,
        "  - {name: bolt, state: rigid, density: 7800, friction: %g, shape: {union: [{thread: {from: [0, -0.018, 0], "
        "to: "
        "[0, 0.03, 0], radius: 0.012, pitch: %g, depth: 0.003, chamfer: 0.003}}, {cylinder: {from: [0, 0.03, 0], to: "
        "[0, "
        "0.04, 0], radius: 0.02}}]}}\n",
        friction, frz_rigid_pitch);
}

// ---- pile

/// Blocks and pegs fall into a crate that they fill to about its width.
static void put_pile(text *t, const frz_rigid_trial *trial)
{
    static const char *const shapes[] = {"{box: {center: [0, 0, 0], size: [0.12, 0.08, 0.1]}}",
                                         "{box: {center: [0, 0, 0], size: [0.1, 0.1, 0.1]}}",
                                         "{capsule: {from: [-0.03, 0, 0], to: [0.03, 0, 0], radius: 0.045}}"};
    const int edge = (int)lround(cbrt(trial->bodies));
    const double cell = 0.15, half = 0.5 * cell * edge;
    put(t,
        "  - {name: crate, state: static, friction: 0.5, shape: {shell: {of: {box: {min: [%g, 0, %g], max: [%g, %g, "
        "%g]}}, thickness: 0.05, open: [+y]}}}\n",
        -half, -half, half, 2.0 * half, half);
    for (int n = 0; n < trial->bodies; ++n)
    {
        const int layer = n / (edge * edge), x = n % edge, z = n / edge % edge;
        put(t,
            "  - {name: b%d, state: rigid, density: 1000, friction: 0.5, position: [%g, %g, %g], rotation: [%d, %d, "
            "%d], "
            "shape: %s}\n",
            n, cell * (x + 0.5) - half, 0.08 + 0.13 * layer, cell * (z + 0.5) - half, 11 * n % 20, 23 * n % 90,
            17 * n % 20, shapes[n % 3]);
    }
}

char *frz_rigid_scene(const frz_rigid_trial *trial, const char *contact, double *spacing)
{
    char *all = malloc(text_size);
    text t = {all, text_size};
    if (all == NULL)
        return NULL;
    *spacing = trial->of == FRZ_RIGID_FUNNEL ? 0.015 : trial->of == FRZ_RIGID_PILE ? 0.025 : 0.002;
    put_head(&t, trial, *spacing, contact != NULL ? contact : "distance");
    switch (trial->of)
    {
    case FRZ_RIGID_FUNNEL:
        put_funnel(&t, trial);
        break;
    case FRZ_RIGID_BOLT:
        put_bolt(&t, 0.3);
        break;
    case FRZ_RIGID_SCREW:
        put_bolt(&t, 0.0);
        break;
    default:
        put_pile(&t, trial);
        break;
    }
    return all;
}
