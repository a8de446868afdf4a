// SPDX-License-Identifier: MIT
// Growing text.
#include "scene/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

enum
{
    first_capacity = 1024, // bytes
    line_size = 1024       // bytes; formatted pieces are lines, longer texts go through frz_buffer_put
};

void frz_buffer_add(frz_text_buffer *buffer, const char *text, size_t length)
{
    if (buffer->failed)
        return;
    if (buffer->text == NULL || buffer->length + length + 1 > buffer->capacity)
    {
        size_t capacity = buffer->capacity > 0 ? buffer->capacity : first_capacity;
        while (capacity < buffer->length + length + 1)
            capacity *= 2;
        char *grown = frz_realloc("text", buffer->text, capacity, 1);
        if (grown == NULL)
        {
            buffer->failed = true;
            return;
        }
        buffer->text = grown;
        buffer->capacity = capacity;
    }
    memcpy(buffer->text + buffer->length, text, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

void frz_buffer_put(frz_text_buffer *buffer, const char *text)
{
    frz_buffer_add(buffer, text, strlen(text));
}

void frz_buffer_format(frz_text_buffer *buffer, const char *format, ...)
{
    char line[line_size];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length < 0 || length >= line_size)
        buffer->failed = true;
    else
        frz_buffer_add(buffer, line, (size_t)length);
}

void frz_buffer_json(frz_text_buffer *buffer, const char *text)
{
    frz_buffer_add(buffer, "\"", 1);
    for (const char *c = text; *c != '\0'; ++c)
    {
        if (*c == '"' || *c == '\\')
            frz_buffer_format(buffer, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            frz_buffer_format(buffer, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            frz_buffer_add(buffer, c, 1);
    }
    frz_buffer_add(buffer, "\"", 1);
}

void frz_buffer_number(frz_text_buffer *buffer, double value)
{
    char text[FRZ_NUMBER_SIZE];
    frz_buffer_put(buffer, frz_number_text(value, text));
}

char *frz_buffer_take(frz_text_buffer *buffer)
{
    if (!buffer->failed && buffer->text == NULL)
        frz_buffer_add(buffer, "", 0);
    char *text = buffer->text;
    if (buffer->failed)
        FRZ_FREE(text);
    *buffer = (frz_text_buffer){0};
    return text;
}
