// SPDX-License-Identifier: MIT
// Scenes. An accepted one must read back the same from its canonical text; some of the small ones are also made and
// stepped.
#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "frazil/sim.h"
#include "geom/sampling.h"
#include "scene/scene.h"

enum
{
    most_particles = 300,
    most_bodies = 8,
    simulated = 4 // one of so many small scenes
};

static double count_particles(const frz_scene *scene)
{
    double sum = 0.0;
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const frz_scene_body *body = &scene->bodies.items[b];
        const double count = body->state == FRZ_SCENE_LIQUID || body->state == FRZ_SCENE_ELASTIC
                                 ? frz_sample_volume_estimate(body->shape, scene->spacing, scene->dimension)
                                 : frz_sample_surface_estimate(body->shape, scene->spacing, scene->dimension);
        sum += isfinite(count) ? count : most_particles / 8.0; // endless ones are cut at the domain
        if (sum > most_particles)
            break;
    }
    return sum;
}

/// In a layer of all inlets.
static double count_sites(const frz_scene *scene)
{
    double sum = 0.0;
    for (int e = 0; e < scene->emitters.count; ++e)
    {
        const frz_scene_surface *surface = &scene->emitters.items[e].surface;
        const double across = fmax(2.0 * surface->radius, surface->width) / scene->spacing;
        const double up = fmax(2.0 * surface->radius, surface->height) / scene->spacing;
        sum += across * (scene->dimension == 3 ? up : 1.0);
    }
    return sum;
}

/// However large an inlet is, its scene is made or refused; steps are for small ones.
static void simulate(const frz_scene *scene)
{
    frz_sim *sim = NULL;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim_def def = frz_sim_def_default();
    def.threads = 1;
    frz_status status = frz_sim_create(scene, &def, &sim, &diag);
    const int steps = count_sites(scene) < most_particles ? 2 : 0;
    for (int n = 0; n < steps && status == FRZ_OK; ++n)
        status = frz_sim_step(sim, HUGE_VAL, &diag);
    FUZZ_REQUIRE(status == FRZ_OK || diag.message[0] != '\0');
    frz_sim_destroy(&sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int64_t before = frz_memory_bytes();
    char *text = malloc(size + 1);
    FUZZ_REQUIRE(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    frz_scene *scene = NULL, *again = NULL;
    frz_diag diag = {.status = FRZ_OK};
    const frz_status status = frz_scene_parse(text, "fuzz.yaml", NULL, &scene, &diag);
    FUZZ_REQUIRE(status == FRZ_OK || diag.message[0] != '\0');
    if (status == FRZ_OK)
    {
        if (frz_scene_parse(frz_scene_text(scene), "again.yaml", NULL, &again, &diag) != FRZ_OK)
        {
            fprintf(stderr, "%d:%d: %s\n%s", diag.line, diag.column, diag.message, frz_scene_text(scene));
            FUZZ_REQUIRE(!"the canonical text is a good scene");
        }
        FUZZ_REQUIRE(strcmp(frz_scene_text(scene), frz_scene_text(again)) == 0);
        FUZZ_REQUIRE(frz_scene_hash(scene) == frz_scene_hash(again));
        if (fuzz_one_of(data, size, simulated) && scene->bodies.count <= most_bodies &&
            count_particles(scene) < most_particles)
            simulate(scene);
    }
    frz_scene_destroy(&scene);
    frz_scene_destroy(&again);
    free(text);
    FUZZ_REQUIRE(frz_memory_bytes() == before);
    return 0;
}
