// SPDX-License-Identifier: MIT
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *frz_version(void)
{
    return FRZ_VERSION;
}

static void fill(frz_diag *diag, frz_status status, const char *file, int line, int column, const char *format,
                 va_list args)
{
    if (diag == NULL)
        return;
    diag->status = status;
    snprintf(diag->file, sizeof diag->file, "%s", file != NULL ? file : "");
    diag->line = line;
    diag->column = column;
    vsnprintf(diag->message, sizeof diag->message, format, args);
}

frz_status(frz_fail)(frz_diag *diag, frz_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(diag, status, NULL, 0, 0, format, args);
    va_end(args);
    return status;
}

frz_status(frz_fail_at)(frz_diag *diag, frz_status status, const char *file, int line, int column, const char *format,
                        ...)
{
    va_list args;
    va_start(args, format);
    fill(diag, status, file, line, column, format, args);
    va_end(args);
    return status;
}

frz_status(frz_fail_memory)(frz_diag *diag, const char *what)
{
    return (frz_fail)(diag, FRZ_ERR_MEMORY, "not enough memory for %s; use a larger spacing or a smaller scene", what);
}

const char *frz_diag_text(const frz_diag *diag, char *text, size_t size)
{
    if (size == 0)
        return text;
    if (diag->file[0] == '\0')
        snprintf(text, size, "%s", diag->message);
    else if (diag->line <= 0)
        snprintf(text, size, "%s: %s", diag->file, diag->message);
    else if (diag->column <= 0)
        snprintf(text, size, "%s:%d: %s", diag->file, diag->line, diag->message);
    else
        snprintf(text, size, "%s:%d:%d: %s", diag->file, diag->line, diag->column, diag->message);
    return text;
}

_Noreturn void frz_assert_failed(const char *condition, const char *file, int line)
{
    // the only place where the library prints: after an internal error, before it aborts
    fprintf(stderr, "frazil: internal error: %s (%s:%d); please report this\n", condition, file, line);
    abort();
}
