// SPDX-License-Identifier: MIT
// The outcome of a validation case, for reports.
#pragma once

#include <stdio.h>

#include "validate/validation.h"

typedef struct validation_case
{
    const char *name;
    case_fn *run;
    const char *doc;
    bool quick;    ///< takes less than ten seconds of one core
    bool long_one; ///< runs only if it is named
} validation_case;

typedef struct outcome
{
    const validation_case *of;
    case_result result;
    frz_status status;
    char message[sizeof((frz_diag *)NULL)->message]; ///< why the simulation failed
    double seconds;
    bool passed;
} outcome;

/// All outcomes and their plots as one HTML page that needs no other file.
void frz_validation_page(FILE *file, const outcome *outcomes, int count);
