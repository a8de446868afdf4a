// SPDX-License-Identifier: MIT
// What an event cuts: blades part their two sides, of thicker shapes the surface cuts, and a cut that meets nothing is
// told.
#include "core_trial.h"

static int warnings;

static void listen(void *user, frz_log_level level, const char *text)
{
    (void)user;
    warnings += level == FRZ_LOG_WARNING && strstr(text, "cut nothing") != NULL;
}

// Bodies that a plate of the given state has become once the shape has cut it.
static int pieces(const char *state, const char *shape)
{
    char text[700];
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim_def def = frz_sim_def_default();
    def.threads = 1;
    def.log = listen;
    snprintf(text, sizeof text,
             "dimension: 2\nspacing: 0.05\nduration: 1 s\nframe_rate: 10\ngravity: [0, 0]\n"
             "materials: {gum: {density: 1000, elastic: {method: becker2009, young: 1e5}}}\n"
             "bodies: [{name: plate, %s, material: gum, shape: {box: {min: [0, 0], max: [1, 1]}}}]\n"
             "events: [{at: 0 s, do: cut, of: plate, in: %s}]\n",
             state, shape);
    warnings = 0;
    if (frz_scene_parse(text, "cuts.yaml", NULL, &scene, &diag) != FRZ_OK ||
        frz_sim_create(scene, &def, &sim, &diag) != FRZ_OK || frz_sim_step(sim, 1e-3, &diag) != FRZ_OK)
        fail_msg("%s: %s", shape, diag.message);
    int count = 0;
    for (int b = 0; b < sim->state->bodies.count; ++b)
        count += sim->state->bodies.identity[b].alive != 0;
    frz_scene_destroy(&scene);
    frz_sim_destroy(&sim);
    return count;
}

static void shapes_cut_what_one_expects(void **unused)
{
    (void)unused;
    static const struct
    {
        const char *shape;
        int pieces;
    } cuts[] = {
        {"{box: {min: [0.499, -1], max: [0.501, 2]}}", 2},        // a blade between two rows
        {"{box: {min: [0.46, -1], max: [0.54, 2]}}", 2},          // with particles inside: no dust
        {"{half_space: {point: [0.5, 0.5], normal: [1, 1]}}", 2}, // without a second side
        {"{sphere: {center: [0.5, 0.5], radius: 0.25}}", 2},      // a disc is punched out
        {"{box: {min: [0.3, -1], max: [0.7, 2]}}", 3},            // a slice
        {"{box: {min: [0.2, 0.2], max: [0.25, 0.8]}}", 1},        // a slot
    };
    static const char *const states[] = {"state: elastic", "state: rigid, fill: particles"};
    for (size_t k = 0; k < sizeof cuts / sizeof cuts[0]; ++k)
        for (int s = 0; s < 2; ++s)
        {
            const int found = pieces(states[s], cuts[k].shape);
            if (found != cuts[k].pieces || warnings != 0)
                fail_msg("%s of %s: %d pieces, not %d; %d warnings", cuts[k].shape, states[s], found, cuts[k].pieces,
                         warnings);
        }
}

static void a_cut_that_meets_nothing_is_told(void **unused)
{
    (void)unused;
    assert_int_equal(pieces("state: elastic", "{box: {min: [-0.6, 0], max: [-0.5, 1]}}"), 1);
    assert_int_equal(warnings, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_cut_what_one_expects),
        cmocka_unit_test(a_cut_that_meets_nothing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
