// SPDX-License-Identifier: MIT
// The table of all methods.
#pragma once

#include "sim/method.h"

extern const frz_method *const frz_methods[]; ///< in the order of methods.def; ends with null

/// Find by slot and key; null if there is none.
const frz_method *frz_method_find(frz_slot slot, const char *key);

/// The slot's first method in methods.def.
const frz_method *frz_method_default(frz_slot slot);

enum
{
    FRZ_METHOD_NAMES_LENGTH = 256
};

/// The slot's methods that have a trait, for a sentence: "a, b and c" with the word "and". Returns text.
const char *frz_method_names(frz_slot slot, frz_trait trait, const char *word, char text[FRZ_METHOD_NAMES_LENGTH]);

/// Parameter struct filled with the defaults (frz_free it); null for methods without parameters or memory.
void *frz_method_self_create(const frz_method *method);
