// SPDX-License-Identifier: MIT
// Command-line options from a table: parsing, help, "did you mean".
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum frz_option_kind
{
    FRZ_OPTION_FLAG,  ///< bool; takes no value
    FRZ_OPTION_COUNT, ///< int64_t >= 0
    FRZ_OPTION_SMALL, ///< int >= 0
    FRZ_OPTION_REAL,  ///< double
    FRZ_OPTION_TEXT,  ///< const char *
    FRZ_OPTION_LIST   ///< frz_text_list; may be given more than once
} frz_option_kind;

enum
{
    FRZ_TEXT_LIST_MOST = 64 ///< times that an option may be repeated
};

typedef struct frz_text_list
{
    int count;
    const char *items[FRZ_TEXT_LIST_MOST];
} frz_text_list;

/// One option; a table ends with a row without name.
typedef struct frz_option
{
    const char *name; ///< without the dashes
    char letter;      ///< short form, 0 for none
    frz_option_kind kind;
    size_t offset;     ///< into the values
    const char *value; ///< placeholder of the value in the help, e.g. "DIR"
    const char *doc;
} frz_option;

typedef struct frz_option_parse
{
    const frz_option *tables[2]; ///< either may be null
    void *values;
    int argc;
    char **argv;
    const char **words; ///< argc entries; receives the words that are not options
    int word_count;
    char error[256];
} frz_option_parse;

/// False with a sentence in error when the line is wrong. "--" ends the options.
bool frz_options_parse(frz_option_parse *parse);

/// Print the rows of a table for the help.
void frz_options_print(const frz_option *table);

/// "; did you mean '...'?" into text if one of the known words (ending with null) is near, else "". prefix stands
/// before the word in the hint. Returns text.
const char *frz_did_you_mean(const char *word, const char *const *known, const char *prefix, char *text, size_t size);
