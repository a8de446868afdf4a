// SPDX-License-Identifier: MIT
// A growing text, for XDMF and SVG.
#include "io/text_builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum
{
    first_capacity = 4096 // bytes
};

// Reserve extra more bytes and the terminator.
static bool make_room(frz_text_builder *builder, size_t extra)
{
    if (builder->failed)
        return false;
    size_t capacity = builder->capacity > 0 ? builder->capacity : first_capacity;
    while (builder->length + extra + 1 > capacity)
        capacity *= 2;
    if (capacity == builder->capacity)
        return true;
    char *larger = frz_realloc("text", builder->text, capacity, 1);
    if (larger == NULL)
    {
        builder->failed = true;
        return false;
    }
    builder->text = larger;
    builder->capacity = capacity;
    return true;
}

void frz_text_add(frz_text_builder *builder, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        builder->failed = true;
    else if (make_room(builder, (size_t)length))
    {
        vsnprintf(builder->text + builder->length, (size_t)length + 1, format, again);
        builder->length += (size_t)length;
    }
    va_end(again);
}

void frz_text_add_xml(frz_text_builder *builder, const char *text)
{
    for (const char *c = text; *c != '\0'; ++c)
    {
        switch (*c)
        {
        case '&':
            frz_text_add(builder, "&amp;");
            break;
        case '<':
            frz_text_add(builder, "&lt;");
            break;
        case '>':
            frz_text_add(builder, "&gt;");
            break;
        case '"':
            frz_text_add(builder, "&quot;");
            break;
        case '\'':
            frz_text_add(builder, "&apos;");
            break;
        default:
            frz_text_add(builder, "%c", (unsigned char)*c < ' ' ? ' ' : *c);
        }
    }
}

void frz_text_builder_destroy(frz_text_builder *builder)
{
    frz_free(builder->text);
    *builder = (frz_text_builder){0};
}
