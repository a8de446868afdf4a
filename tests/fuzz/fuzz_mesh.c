// SPDX-License-Identifier: MIT
// Mesh files. The first byte chooses the format, scale and repair; the rest is the file.
#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geom/mesh_read.h"
#include "geom/shape_internal.h"

static void use_shape(const frz_shape *shape)
{
    const frz_bounds bounds = frz_shape_bounds(shape);
    FUZZ_REQUIRE(frz_shape_volume(shape, 3) > 0.0);
    for (int k = 0; k < 4; ++k)
    {
        const double t = 0.3 * k;
        const frz_vec3 x = frz_v3_mad(bounds.min, t, frz_v3_sub(bounds.max, bounds.min));
        FUZZ_REQUIRE(isfinite(frz_shape_distance(shape, x)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a.obj", "a.ply", "a.stl", "a.abc"};
    if (size == 0)
        return 0;
    const int64_t before = frz_memory_bytes();
    char *text = malloc(size); // no more than the file and its zero byte, so that a read beyond is seen
    FUZZ_REQUIRE(text != NULL);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    frz_mesh *mesh = NULL;
    frz_shape *shape = NULL;
    frz_diag diag = {.status = FRZ_OK};
    char note[256];
    const char *path = names[data[0] & 3];
    frz_status status = frz_mesh_import_text(path, text, size - 1, (data[0] & 4) != 0 ? 1.0 : 0.001, &mesh, &diag);
    for (int t = 0; status == FRZ_OK && t < mesh->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
            FUZZ_REQUIRE(mesh->triangles[t][c] >= 0 && mesh->triangles[t][c] < mesh->vertex_count);
    if (status == FRZ_OK)
        status = frz_shape_take_imported(mesh, path, (data[0] & 8) != 0, &shape, note, sizeof note, &diag);
    FUZZ_REQUIRE(status == FRZ_OK ? shape != NULL : diag.message[0] != '\0' && diag.status == status);
    if (status == FRZ_OK)
        use_shape(shape);
    frz_shape_destroy(&shape);
    free(text);
    FUZZ_REQUIRE(frz_memory_bytes() == before);
    return 0;
}
