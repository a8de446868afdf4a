// SPDX-License-Identifier: MIT
// The smallest program that uses the library: a square of water falls into a basin for half a second.
#include <stdio.h>

#include <frazil/frazil.h>

static const char *const scene_text =
    "dimension: 2\n"
    "spacing: 20 mm\n"
    "duration: 0.5 s\n"
    "materials: {water: {density: 1000 kg/m3}}\n"
    "bodies:\n"
    "  - {name: drop, state: liquid, material: water,\n"
    "     shape: {box: {min: [0.4, 0.3], max: [0.6, 0.5]}}}\n"
    "  - {name: basin, state: static,\n"
    "     shape: {shell: {of: {box: {min: [0, 0], max: [1, 0.8]}}, thickness: 40 mm,\n"
    "                     open: [+y]}}}\n";

int main(void)
{
    frz_diag diag = {0};
    char text[1400];
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    const frz_sim_def def = frz_sim_def_default();
    frz_status status = frz_scene_parse(scene_text, "minimal", NULL, &scene, &diag);
    if (status == FRZ_OK)
        status = frz_sim_create(scene, &def, &sim, &diag);
    for (int frame = 1; status == FRZ_OK && frame <= 5; ++frame)
    {
        status = frz_sim_advance(sim, 0.1 * frame, &diag);
        frz_stats stats;
        frz_sim_stats(sim, &stats);
        printf("t = %.2f s: %lld particles, %lld steps, fastest %.2f m/s, density error %.3f %%\n", stats.time,
               (long long)stats.liquid, (long long)stats.step, stats.max_speed, stats.density_error_average);
    }
    if (status == FRZ_OK)
    {
        // a view borrows the simulation's own memory
        const frz_field_view position = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
        double highest = 0.0;
        for (int64_t i = 0; i < position.count; ++i)
            if (frz_field_value(&position, i, 1) > highest)
                highest = frz_field_value(&position, i, 1);
        printf("highest particle at %.3f m\n", highest);
    }
    else
        fprintf(stderr, "minimal: %s\n", frz_diag_text(&diag, text, sizeof text));
    frz_sim_destroy(&sim);
    frz_scene_destroy(&scene);
    return status == FRZ_OK ? 0 : 1;
}
