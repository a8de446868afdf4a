// SPDX-License-Identifier: MIT
// Edit distance and suggestions.
#include "scene/suggest.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum
{
    longest_word = 64 // bytes; keys and names are shorter
};

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int frz_edit_distance(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    if (n > longest_word || m > longest_word)
        return INT_MAX;
    int rows[3][longest_word + 1]; // two rows back (for swaps), one row back, current
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; ++j)
        last[j] = (int)j;
    for (size_t i = 1; i <= n; ++i)
    {
        row[0] = (int)i;
        for (size_t j = 1; j <= m; ++j)
        {
            const char p = (char)tolower((unsigned char)a[i - 1]), q = (char)tolower((unsigned char)b[j - 1]);
            row[j] = smaller(last[j - 1] + (p != q), 1 + smaller(last[j], row[j - 1]));
            if (i > 1 && j > 1 && p == tolower((unsigned char)b[j - 2]) && q == tolower((unsigned char)a[i - 2]))
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        int *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[m];
}

void frz_suggestion_offer(frz_suggestion *suggestion, const char *known)
{
    const int distance = frz_edit_distance(suggestion->word, known);
    // one slip in three letters is a typing error, more is another word
    const int length = smaller((int)strlen(known), longest_word);
    const int limit = smaller((length + 2) / 3, length - 1);
    if (distance <= limit && (suggestion->best == NULL || distance < suggestion->distance))
    {
        suggestion->best = known;
        suggestion->distance = distance;
    }
}

const char *frz_suggestion_text(const frz_suggestion *suggestion, char *text, size_t size)
{
    if (suggestion->best != NULL)
        snprintf(text, size, "; did you mean '%s'?", suggestion->best);
    else if (size > 0)
        text[0] = '\0';
    return text;
}

const char *frz_words_join(const char *const *words, const char *last_glue, char *text, size_t size)
{
    size_t used = 0;
    if (size > 0)
        text[0] = '\0';
    for (int i = 0; words[i] != NULL; ++i)
    {
        const char *glue = i == 0 ? "" : words[i + 1] == NULL ? last_glue : ", ";
        const int length = snprintf(text + used, size - used, "%s%s", glue, words[i]);
        if (length < 0 || used + (size_t)length >= size)
        {
            if (size > 3)
                memcpy(text + size - 4, "...", 4);
            break;
        }
        used += (size_t)length;
    }
    return text;
}
