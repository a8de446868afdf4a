// SPDX-License-Identifier: MIT
// A text that grows: for the writers of scenes, schemas and reference pages.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Zero is the empty text. A failed allocation sets failed and makes further calls do nothing.
typedef struct frz_text_buffer
{
    char *text; ///< null while empty
    size_t length, capacity;
    bool failed;
} frz_text_buffer;

void frz_buffer_add(frz_text_buffer *buffer, const char *text, size_t length);
void frz_buffer_put(frz_text_buffer *buffer, const char *text);
void frz_buffer_format(frz_text_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Text between double quotes with the escapes of JSON.
void frz_buffer_json(frz_text_buffer *buffer, const char *text);

/// The shortest text of a number without loss, with a point in every locale; +-HUGE_VAL becomes "inf".
void frz_buffer_number(frz_text_buffer *buffer, double value);

/// Give the text away (frz_free it), or null if memory was short. The buffer is empty afterwards.
char *frz_buffer_take(frz_text_buffer *buffer);
