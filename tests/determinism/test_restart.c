// SPDX-License-Identifier: MIT
// A run that was killed, stopped or resumed any number of times leaves the same bits as one that never stopped.
// labels: long
#include "run_trial.h"

#include "io/frame_file.h"
#include "compare.h"

enum
{
    all_steps = 200,
    killed = -1 // what trial_session_run says of a killed process
};

// Everything that two finished folders hold is the same.
static void same_results(const char *name_a, const char *name_b)
{
    static const char *const tables[] = {"stats.csv", "bodies.csv", "probes.csv", "sources.csv"};
    char a[512], b[512];
    snprintf(a, sizeof a, "%s", trial_path(name_a));
    snprintf(b, sizeof b, "%s", trial_path(name_b));
    char path_a[600], path_b[600];
    for (int k = 0; k < 4; ++k)
    {
        snprintf(path_a, sizeof path_a, "%s/%s", a, tables[k]);
        snprintf(path_b, sizeof path_b, "%s/%s", b, tables[k]);
        if (access(path_a, F_OK) == 0 || k < 2) // not every scene has probes or sources
            trial_same_text(path_a, path_b);
    }
    snprintf(path_a, sizeof path_a, "%s/checkpoint.h5", a);
    snprintf(path_b, sizeof path_b, "%s/checkpoint.h5", b);
    trial_same_h5(path_a, path_b);
    const int frames = frz_frame_count(a);
    assert_greater(frames, 3);
    assert_int_equal(frames, frz_frame_count(b));
    for (int k = 0; k < frames; ++k)
    {
        snprintf(path_a, sizeof path_a, "%s/frames/frame_%06d.vtkhdf", a, k);
        snprintf(path_b, sizeof path_b, "%s/frames/frame_%06d.vtkhdf", b, k);
        trial_same_h5(path_a, path_b);
    }
}

static void run_straight(const char *scene, const char *folder)
{
    const int status =
        trial_session_run((trial_session){.scene = scene, .folder = folder, .threads = 1, .max_steps = all_steps});
    assert_int_equal(status, FRZ_ERR_STOPPED);
}

static void resume_to_end(const char *folder, int threads)
{
    const int status = trial_session_run((trial_session){.folder = folder, .threads = threads, .max_steps = all_steps});
    assert_int_equal(status, FRZ_ERR_STOPPED);
}

// The scene must do what makes restarting hard.
static void particles_are_lost_in_the_spill_scene(void **state)
{
    (void)state;
    frz_run_def def = frz_run_def_default();
    frz_run *run = NULL;
    frz_diag diag = {.status = FRZ_OK};
    frz_stats stats;
    const trial_session session = {.scene = trial_spill, .folder = "look", .threads = 1, .max_steps = all_steps};
    assert_int_equal(trial_open(&session, &def, &run, &diag), FRZ_OK);
    assert_int_equal(frz_run_execute(run, &diag), FRZ_ERR_STOPPED);
    frz_sim_stats(frz_run_sim(run), &stats);
    assert_greater(stats.lost, 0);
    assert_greater(stats.liquid, 20);
    frz_run_destroy(&run);
}

// A run that is killed behind a checkpoint and resumed has the results of one that was left alone.
static void kill_and_compare(const char *scene, int threads, int threads_resumed)
{
    run_straight(scene, "straight");
    assert_int_equal(trial_session_run((trial_session){.scene = scene,
                                                       .folder = "killed",
                                                       .threads = threads,
                                                       .max_steps = all_steps,
                                                       .checkpoint_steps = 30,
                                                       .kill_at = 77}),
                     killed);
    resume_to_end("killed", threads_resumed);
    same_results("straight", "killed");
}

static void kill_after_a_checkpoint_leaves_no_trace(void **state)
{
    (void)state;
    kill_and_compare(trial_spill, 1, 2);
}

static void emitters_and_drains_go_on_where_they_were(void **state)
{
    (void)state;
    run_straight(trial_tap, "straight");
    assert_int_equal(trial_session_run((trial_session){.scene = trial_tap,
                                                       .folder = "killed",
                                                       .threads = 1,
                                                       .max_steps = all_steps,
                                                       .checkpoint_steps = 31,
                                                       .kill_at = 77}),
                     killed);
    resume_to_end("killed", 2);
    same_results("straight", "killed");
}

static void kill_before_the_first_checkpoint_starts_again(void **state)
{
    (void)state;
    run_straight(trial_spill, "straight");
    assert_int_equal(
        trial_session_run((trial_session){.scene = trial_spill, .folder = "killed", .threads = 1, .kill_at = 77}),
        killed);
    resume_to_end("killed", 1);
    same_results("straight", "killed");
}

static void many_kills_leave_no_trace(void **state)
{
    (void)state;
    run_straight(trial_spill, "straight");
    trial_session session = {
        .scene = trial_spill, .folder = "killed", .threads = 1, .max_steps = all_steps, .checkpoint_steps = 11};
    for (int64_t step = 12; step < all_steps; step += 37)
    {
        session.kill_at = step;
        assert_int_equal(trial_session_run(session), killed);
        session.scene = NULL;
    }
    resume_to_end("killed", 1);
    same_results("straight", "killed");
}

static void stop_on_request_leaves_no_trace(void **state)
{
    (void)state;
    run_straight(trial_spill, "straight");
    trial_session session = {.scene = trial_spill, .folder = "stopped", .threads = 1, .max_steps = 77};
    assert_int_equal(trial_session_run(session), FRZ_ERR_STOPPED);
    resume_to_end("stopped", 1);
    same_results("straight", "stopped");
}

static void kill_in_three_dimensions_leaves_no_trace(void **state)
{
    (void)state;
    run_straight(trial_cube, "straight");
    assert_int_equal(trial_session_run((trial_session){.scene = trial_cube,
                                                       .folder = "killed",
                                                       .threads = 1,
                                                       .max_steps = all_steps,
                                                       .checkpoint_steps = 50,
                                                       .kill_at = 77}),
                     killed);
    resume_to_end("killed", 1);
    same_results("straight", "killed");
}

// Elastic methods that keep fields of one name, each with a body that turns and touches others.
static const char three_methods[] =
    "dimension: 2\n"
    "spacing: 20 mm\n"
    "duration: 10 s\n"
    "frame_rate: 50\n"
    "time_step: {max: 1 ms}\n"
    "materials:\n"
    "  rubber: {density: 1000, elastic: {method: tlsph, young: 2e5}}\n"
    "  jelly: {density: 1000, elastic: {method: peer2018, young: 1e5}}\n"
    "  cork: {density: 500, elastic: {method: becker2009, young: 1e5}}\n"
    "bodies:\n"
    "  - {name: floor, state: static, shape: {box: {min: [-0.5, -0.06], max: [0.7, 0]}}}\n"
    "  - {name: low, state: elastic, material: rubber, rotation: 10, shape: {box: {min: [0, 0.03], max: [0.2, "
    "0.11]}}}\n"
    "  - {name: middle, state: elastic, material: jelly, rotation: 20, velocity: [0.2, -0.5], shape: {box: {min: "
    "[0.14, 0.1], "
    "max: [0.26, 0.22]}}}\n"
    "  - {name: high, state: elastic, material: cork, velocity: [0, -1], shape: {box: {min: [-0.02, 0.2], max: [0.1, "
    "0.28]}}}\n"
    "output: {checkpoint_every: 0}\n";

static void several_elastic_methods_go_on_where_they_were(void **state)
{
    (void)state;
    kill_and_compare(three_methods, 1, 2);
}

// Pressure and friction at samples of bodies start from those of the last step.
static const char pressed_boxes[] =
    "spacing: 20 mm\n"
    "duration: 10 s\n"
    "frame_rate: 50\n"
    "time_step: 4 ms\n"
    "gravity: [3, -9, 0]\n"
    "contact: {method: gissler2019, friction: solved}\n"
    "bodies:\n"
    "  - {name: floor, state: static, shape: {box: {min: [-0.15, -0.06, -0.15], max: [0.15, 0, 0.15]}}}\n"
    "  - {name: low, state: rigid, density: 1000, shape: {box: {min: [-0.05, 0, -0.05], max: [0.05, 0.1, 0.05]}}}\n"
    "  - {name: high, state: rigid, density: 500, shape: {box: {min: [-0.03, 0.1, -0.05], max: [0.07, 0.2, 0.05]}}}\n"
    "output: {checkpoint_every: 0}\n";

static void pressures_of_contacts_go_on_where_they_were(void **state)
{
    (void)state;
    kill_and_compare(pressed_boxes, 1, 2);
}

static void frames_lie_at_their_exact_times(void **state)
{
    (void)state;
    run_straight(trial_spill, "straight");
    const int frames = frz_frame_count(trial_path("straight"));
    for (int k = 0; k < frames; ++k)
    {
        frz_frame_data data = {0};
        frz_diag diag = {.status = FRZ_OK};
        assert_int_equal(frz_frame_read(trial_path("straight"), k, &data, &diag), FRZ_OK);
        const double expected = k / 50.0;
        assert_memory_equal(&data.frame.time, &expected, sizeof expected);
        frz_frame_data_destroy(&data);
    }
}

static void a_finished_run_resumes_as_a_no_op(void **state)
{
    (void)state;
    assert_int_equal(
        trial_session_run((trial_session){.scene = trial_spill, .folder = "done", .threads = 1, .duration = 0.045}),
        FRZ_OK);
    assert_int_equal(frz_frame_count(trial_path("done")), 3); // at 0, 20 and 40 ms
    size_t before_length = 0, after_length = 0;
    char *before = trial_read(trial_path("done/run.json"), &before_length);
    assert_non_null(strstr(before, "\"state\": \"finished\""));
    assert_int_equal(trial_session_run((trial_session){.folder = "done", .threads = 1}), FRZ_OK);
    char *after = trial_read(trial_path("done/run.json"), &after_length);
    assert_string_equal(before, after);
    frz_free(before);
    frz_free(after);
}

#define TRIAL(test) cmocka_unit_test_setup_teardown(test, trial_setup, trial_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRIAL(kill_after_a_checkpoint_leaves_no_trace),
        TRIAL(emitters_and_drains_go_on_where_they_were),
        TRIAL(kill_before_the_first_checkpoint_starts_again),
        TRIAL(many_kills_leave_no_trace),
        TRIAL(stop_on_request_leaves_no_trace),
        TRIAL(kill_in_three_dimensions_leaves_no_trace),
        TRIAL(several_elastic_methods_go_on_where_they_were),
        TRIAL(pressures_of_contacts_go_on_where_they_were),
        TRIAL(frames_lie_at_their_exact_times),
        TRIAL(a_finished_run_resumes_as_a_no_op),
        TRIAL(particles_are_lost_in_the_spill_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
