// SPDX-License-Identifier: MIT
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    longest_word = 32, // letters of a word that is compared
    most_known = 64,   // options of a command
    help_column = 28   // where the explanations start
};

/// Number of insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment).
static int edit_distance(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    if (n > longest_word || m > longest_word)
        return INT_MAX;
    int d[longest_word + 1][longest_word + 1];
    for (size_t i = 0; i <= n; ++i)
    {
        for (size_t j = 0; j <= m; ++j)
        {
            if (i == 0 || j == 0)
            {
                d[i][j] = (int)(i + j);
                continue;
            }
            const int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            const int changed = 1 + (d[i - 1][j] < d[i][j - 1] ? d[i - 1][j] : d[i][j - 1]);
            d[i][j] = replaced < changed ? replaced : changed;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    }
    return d[n][m];
}

const char *frz_did_you_mean(const char *word, const char *const *known, const char *prefix, char *text, size_t size)
{
    const char *best = NULL;
    int best_distance = INT_MAX;
    for (int i = 0; known[i] != NULL; ++i)
    {
        const int distance = edit_distance(word, known[i]);
        // one slip in three letters is a typing error, more is another word
        if (distance <= ((int)strlen(known[i]) + 2) / 3 && distance < best_distance)
        {
            best = known[i];
            best_distance = distance;
        }
    }
    if (best != NULL)
        snprintf(text, size, "; did you mean '%s%s'?", prefix, best);
    else
        text[0] = '\0';
    return text;
}

static const frz_option *find_long(const frz_option_parse *parse, const char *name, size_t length)
{
    for (int t = 0; t < 2; ++t)
        for (const frz_option *row = parse->tables[t]; row != NULL && row->name != NULL; ++row)
            if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
                return row;
    return NULL;
}

static const frz_option *find_short(const frz_option_parse *parse, char letter)
{
    for (int t = 0; t < 2; ++t)
        for (const frz_option *row = parse->tables[t]; row != NULL && row->name != NULL; ++row)
            if (row->letter == letter)
                return row;
    return NULL;
}

static bool fail_unknown(frz_option_parse *parse, const char *argument)
{
    const char *known[most_known + 1] = {NULL};
    int count = 0;
    for (int t = 0; t < 2; ++t)
        for (const frz_option *row = parse->tables[t]; row != NULL && row->name != NULL && count < most_known; ++row)
            known[count++] = row->name;
    char name[longest_word + 2], hint[64] = "";
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
    const size_t dashes = strspn(name, "-");
    frz_did_you_mean(name + dashes, known, "--", hint, sizeof hint);
    snprintf(parse->error, sizeof parse->error, "unknown option '%.80s'%s", argument, hint);
    return false;
}

static bool store_integer(frz_option_parse *parse, const frz_option *option, const char *text)
{
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    const long long most = option->kind == FRZ_OPTION_SMALL ? INT_MAX : INT64_MAX;
    if (end == text || *end != '\0' || errno != 0 || number < 0 || number > most)
    {
        snprintf(parse->error, sizeof parse->error, "--%s: expected a whole number, 0 or more, got '%.60s'",
                 option->name, text);
        return false;
    }
    char *slot = (char *)parse->values + option->offset;
    if (option->kind == FRZ_OPTION_SMALL)
        *(int *)(void *)slot = (int)number;
    else
        *(int64_t *)(void *)slot = number;
    return true;
}

static bool store_real(frz_option_parse *parse, const frz_option *option, const char *text)
{
    char *end = NULL;
    const double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number))
    {
        snprintf(parse->error, sizeof parse->error, "--%s: expected a number, got '%.60s'", option->name, text);
        return false;
    }
    *(double *)(void *)((char *)parse->values + option->offset) = number;
    return true;
}

static bool store(frz_option_parse *parse, const frz_option *option, const char *text)
{
    void *slot = (char *)parse->values + option->offset;
    switch (option->kind)
    {
    case FRZ_OPTION_FLAG:
        *(bool *)slot = true;
        return true;
    case FRZ_OPTION_COUNT:
    case FRZ_OPTION_SMALL:
        return store_integer(parse, option, text);
    case FRZ_OPTION_REAL:
        return store_real(parse, option, text);
    case FRZ_OPTION_TEXT:
        *(const char **)slot = text;
        return true;
    default:
        break;
    }
    frz_text_list *list = slot;
    if (list->count == FRZ_TEXT_LIST_MOST)
    {
        snprintf(parse->error, sizeof parse->error, "--%s may be given %d times at most", option->name,
                 (int)FRZ_TEXT_LIST_MOST);
        return false;
    }
    list->items[list->count++] = text;
    return true;
}

/// Take one option; *index moves on past a value that is an argument of its own.
static bool take_option(frz_option_parse *parse, int *index)
{
    const char *argument = parse->argv[*index];
    const bool is_long = argument[1] == '-';
    const char *name = argument + (is_long ? 2 : 1);
    const size_t length = strcspn(name, "=");
    const frz_option *option = is_long ? find_long(parse, name, length) : find_short(parse, name[0]);
    if (option == NULL)
        return fail_unknown(parse, argument);
    const char *value = NULL;
    if (is_long && name[length] == '=')
        value = name + length + 1;
    else if (!is_long && name[1] != '\0')
        value = name + 1; // -oDIR
    if (option->kind == FRZ_OPTION_FLAG)
    {
        if (value == NULL)
            return store(parse, option, "");
        snprintf(parse->error, sizeof parse->error, "--%s takes no value", option->name);
        return false;
    }
    if (value == NULL && *index + 1 < parse->argc)
        value = parse->argv[++*index];
    if (value == NULL)
    {
        snprintf(parse->error, sizeof parse->error, "--%s needs a value: --%s %s", option->name, option->name,
                 option->value);
        return false;
    }
    return store(parse, option, value);
}

bool frz_options_parse(frz_option_parse *parse)
{
    bool options_end = false;
    parse->word_count = 0;
    parse->error[0] = '\0';
    for (int i = 0; i < parse->argc; ++i)
    {
        const char *argument = parse->argv[i];
        if (options_end || argument[0] != '-' || argument[1] == '\0')
            parse->words[parse->word_count++] = argument;
        else if (strcmp(argument, "--") == 0)
            options_end = true;
        else if (!take_option(parse, &i))
            return false;
    }
    return true;
}

void frz_options_print(const frz_option *table)
{
    for (const frz_option *row = table; row != NULL && row->name != NULL; ++row)
    {
        char left[64];
        const bool takes_value = row->kind != FRZ_OPTION_FLAG;
        char letter[8] = "    "; // as wide as "-o, "
        if (row->letter != '\0')
            snprintf(letter, sizeof letter, "-%c, ", row->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, row->name, takes_value ? " " : "",
                 takes_value ? row->value : "");
        printf("  %-*s %s\n", help_column, left, row->doc);
    }
}
