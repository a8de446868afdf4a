// SPDX-License-Identifier: MIT
#include "physics/registry.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define FRZ_METHOD(slot, name) extern const frz_method frz_method_##slot##_##name;
#include "physics/methods.def"
#undef FRZ_METHOD

#define FRZ_METHOD(slot, name) &frz_method_##slot##_##name,
const frz_method *const frz_methods[] = {
#include "physics/methods.def"
    NULL,
};
#undef FRZ_METHOD

const frz_method *frz_method_find(frz_slot slot, const char *key)
{
    for (const frz_method *const *m = frz_methods; *m != NULL; ++m)
        if ((*m)->slot == slot && strcmp((*m)->key, key) == 0)
            return *m;
    return NULL;
}

const frz_method *frz_method_default(frz_slot slot)
{
    for (const frz_method *const *m = frz_methods; *m != NULL; ++m)
        if ((*m)->slot == slot)
            return *m;
    return NULL;
}

const char *frz_method_names(frz_slot slot, frz_trait trait, const char *word, char text[FRZ_METHOD_NAMES_LENGTH])
{
    int left = 0;
    for (const frz_method *const *m = frz_methods; *m != NULL; ++m)
        left += (*m)->slot == slot && ((*m)->traits & trait) != 0;
    size_t length = 0;
    text[0] = '\0';
    for (const frz_method *const *m = frz_methods; *m != NULL && length < FRZ_METHOD_NAMES_LENGTH; ++m)
    {
        if ((*m)->slot != slot || ((*m)->traits & trait) == 0)
            continue;
        --left;
        const char *before = length == 0 ? "" : left > 0 ? ", " : " ";
        const bool last = length > 0 && left == 0;
        length += (size_t)snprintf(text + length, FRZ_METHOD_NAMES_LENGTH - length, "%s%s%s%s", before,
                                   last ? word : "", last ? " " : "", (*m)->key);
    }
    return text;
}

void *frz_method_self_create(const frz_method *method)
{
    if (method->self_size == 0)
        return NULL;
    char *self = frz_alloc("method parameters", 1, method->self_size);
    if (self == NULL || method->params == NULL)
        return self;
    for (const frz_param *p = method->params; p->key != NULL; ++p)
    {
        switch (p->kind)
        {
        case FRZ_PARAM_REAL:
            *(double *)(void *)(self + p->offset) = p->fallback;
            break;
        case FRZ_PARAM_INT:
        case FRZ_PARAM_WORD:
            *(int *)(void *)(self + p->offset) = (int)p->fallback;
            break;
        case FRZ_PARAM_BOOL:
            *(bool *)(void *)(self + p->offset) = p->fallback != 0.0;
            break;
        }
    }
    return self;
}
