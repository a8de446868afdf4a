// SPDX-License-Identifier: MIT
// The table of looks.
#include "render/look.h"

#include <string.h>

static const frz_look looks[] = {
#define FRZ_LOOK(name, kind, refraction, roughness, red, green, blue, free_path, priority, own_color, doc)             \
    {#name, FRZ_LOOK_##kind, refraction, roughness, {red, green, blue}, free_path, priority, own_color, doc},
#include "render/looks.def"
#undef FRZ_LOOK
};

static const char *const names[] = {
#define FRZ_LOOK(name, kind, refraction, roughness, red, green, blue, free_path, priority, own_color, doc) #name,
#include "render/looks.def"
#undef FRZ_LOOK
    NULL};

const frz_look *frz_look_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof looks / sizeof looks[0]; ++i)
        if (strcmp(looks[i].name, name) == 0)
            return &looks[i];
    return NULL;
}

const char *const *frz_look_names(void)
{
    return names;
}
