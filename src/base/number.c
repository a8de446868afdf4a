// SPDX-License-Identifier: MIT
// Numbers as text and back.
#include "base/number.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    usual_digits = 6, // enough for most numbers that people choose
    all_digits = 17   // enough to bring back every double
};

static locale_t plain_locale;
static pthread_once_t plain_locale_once = PTHREAD_ONCE_INIT;

static void make_plain_locale(void)
{
    plain_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

double frz_number_read(const char *text, const char **end)
{
    const char *c = text;
    c += *c == '+' || *c == '-';
    int digits = 0;
    for (; isdigit((unsigned char)*c); ++c)
        ++digits;
    if (*c == '.')
        for (++c; isdigit((unsigned char)*c); ++c)
            ++digits;
    if (end != NULL)
        *end = text;
    if (digits == 0)
        return 0.0;
    if (*c == 'e' || *c == 'E')
    {
        const char *e = c + 1;
        e += *e == '+' || *e == '-';
        if (isdigit((unsigned char)*e))
        {
            while (isdigit((unsigned char)*e))
                ++e;
            c = e;
        }
    }
    if (end != NULL)
        *end = c;
    // the text may go on with letters that strtod would take ("0x10" ends after the 0 here)
    char number[512];
    const size_t length = (size_t)(c - text);
    if (length >= sizeof number)
        return HUGE_VAL;
    memcpy(number, text, length);
    number[length] = '\0';
    pthread_once(&plain_locale_once, make_plain_locale);
    return plain_locale != (locale_t)0 ? strtod_l(number, NULL, plain_locale) : strtod(number, NULL);
}

char *frz_number_text(double value, char text[FRZ_NUMBER_SIZE])
{
    for (int digits = usual_digits; digits <= all_digits; ++digits)
    {
        snprintf(text, FRZ_NUMBER_SIZE, "%.*g", digits, value);
        char *comma = strchr(text, ',');
        if (comma != NULL)
            *comma = '.';
        if (frz_number_read(text, NULL) == value)
            break;
    }
    // 1e+06 is 1e6 to people
    char *sign = strstr(text, "e+");
    if (sign != NULL)
    {
        const char *digits = sign + 2 + strspn(sign + 2, "0");
        memmove(sign + 1, digits, strlen(digits) + 1);
    }
    return text;
}
