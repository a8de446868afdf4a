// SPDX-License-Identifier: MIT
// A growing text, for XDMF and SVG. Failures stick: add freely, check failed once at the end.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct frz_text_builder
{
    char *text; ///< null-terminated, or null while nothing was added
    size_t length;
    size_t capacity;
    bool failed; ///< memory ran short; text is not complete
} frz_text_builder;

void frz_text_add(frz_text_builder *builder, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Add text with &, <, > and quotes escaped; control characters, which XML forbids, become spaces.
void frz_text_add_xml(frz_text_builder *builder, const char *text);

void frz_text_builder_destroy(frz_text_builder *builder);
