// SPDX-License-Identifier: MIT
// "Did you mean": the known word nearest to a misspelt one.
#pragma once

#include <stddef.h>

/// Number of insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment);
/// words longer than 64 bytes count as unlike anything.
int frz_edit_distance(const char *a, const char *b);

/// Feed the known words one by one; best stays null while nothing is near enough.
typedef struct frz_suggestion
{
    const char *word; ///< the misspelt one
    const char *best;
    int distance;
} frz_suggestion;

void frz_suggestion_offer(frz_suggestion *suggestion, const char *known);

/// "; did you mean 'best'?" or "" into text. Returns text.
const char *frz_suggestion_text(const frz_suggestion *suggestion, char *text, size_t size);

/// Write "a, b or c" from words (ending with null) into text, cut with "..." when it is too long. Returns text.
const char *frz_words_join(const char *const *words, const char *last_glue, char *text, size_t size);
