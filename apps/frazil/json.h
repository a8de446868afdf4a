// SPDX-License-Identifier: MIT
// A small JSON writer: indented, escaped, numbers that read back exactly, NaN and infinity as null.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct frz_json
{
    FILE *out;
    int depth;
    bool filled; ///< the object or array at hand has a member already
} frz_json;

/// key is null for the outermost value and for members of arrays.
void frz_json_begin_object(frz_json *json, const char *key);
void frz_json_end_object(frz_json *json);
void frz_json_begin_array(frz_json *json, const char *key);
void frz_json_end_array(frz_json *json);
void frz_json_text(frz_json *json, const char *key, const char *value); ///< null pointer: null
void frz_json_real(frz_json *json, const char *key, double value);
void frz_json_integer(frz_json *json, const char *key, int64_t value);
void frz_json_boolean(frz_json *json, const char *key, bool value);
