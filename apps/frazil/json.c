// SPDX-License-Identifier: MIT
#include "json.h"

#include <math.h>
#include <stdlib.h>

enum
{
    indent = 2 // spaces per level
};

static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *at = text; *at != '\0'; ++at)
    {
        const unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", out);
        else if (c == '\t')
            fputs("\\t", out);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

/// Comma, new line and key before a value.
static void begin_value(frz_json *json, const char *key)
{
    if (json->depth > 0)
        fprintf(json->out, "%s\n%*s", json->filled ? "," : "", json->depth * indent, "");
    if (key != NULL)
    {
        write_quoted(json->out, key);
        fputs(": ", json->out);
    }
    json->filled = true;
}

static void begin(frz_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->out);
    ++json->depth;
    json->filled = false;
}

static void end(frz_json *json, char bracket)
{
    --json->depth;
    if (json->filled)
        fprintf(json->out, "\n%*s", json->depth * indent, "");
    fputc(bracket, json->out);
    json->filled = true;
    if (json->depth == 0)
        fputc('\n', json->out);
}

void frz_json_begin_object(frz_json *json, const char *key)
{
    begin(json, key, '{');
}

void frz_json_end_object(frz_json *json)
{
    end(json, '}');
}

void frz_json_begin_array(frz_json *json, const char *key)
{
    begin(json, key, '[');
}

void frz_json_end_array(frz_json *json)
{
    end(json, ']');
}

void frz_json_text(frz_json *json, const char *key, const char *value)
{
    begin_value(json, key);
    if (value != NULL)
        write_quoted(json->out, value);
    else
        fputs("null", json->out);
}

void frz_json_real(frz_json *json, const char *key, double value)
{
    begin_value(json, key);
    char digits[32];
    snprintf(digits, sizeof digits, "%.15g", value);
    if (strtod(digits, NULL) != value) // 15 digits are pretty, 17 are always enough
        snprintf(digits, sizeof digits, "%.17g", value);
    fputs(isfinite(value) ? digits : "null", json->out);
}

void frz_json_integer(frz_json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%lld", (long long)value);
}

void frz_json_boolean(frz_json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
}
