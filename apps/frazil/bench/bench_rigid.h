// SPDX-License-Identifier: MIT
// Rigid bodies in contact: speed and penetration. See bench_rigid.c.
#pragma once

#include <stddef.h>

#include "commands/command.h"

typedef enum frz_rigid_case
{
    FRZ_RIGID_FUNNEL, ///< concave bodies run through a funnel
    FRZ_RIGID_BOLT,   ///< a bolt rests in its nut
    FRZ_RIGID_SCREW,  ///< the same without friction: it turns itself down
    FRZ_RIGID_PILE    ///< bodies come to rest in a crate
} frz_rigid_case;

/// One run of the benchmark.
typedef struct frz_rigid_trial
{
    frz_rigid_case of;
    int bodies;            ///< that move, about
    double step, duration; ///< s
} frz_rigid_trial;

extern const double frz_rigid_pitch;  ///< of the bolt, m
extern const double frz_rigid_outlet; ///< height below which a body is through the funnel, m

/// The text of the scene, to be freed; null when memory is short. spacing: of its samples, m.
char *frz_rigid_scene(const frz_rigid_trial *trial, const char *contact, double *spacing);

typedef struct frz_rigid_options
{
    const char *scene;   ///< null: all
    const char *contact; ///< null: distance
    bool quick;
} frz_rigid_options;

/// `frazil bench rigid`; returns the exit code.
int bench_rigid(const frz_call *call, const frz_rigid_options *options);
