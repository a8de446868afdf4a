// SPDX-License-Identifier: MIT
// The account of the energy: its parts add up, losses of changes are on record, and energy that is made is told.
#include "core_trial.h"
#include "compare.h"

typedef struct messages
{
    int count;
    char last[512];
} messages;

static void listen(void *user, frz_log_level level, const char *text)
{
    messages *heard = user;
    if (level != FRZ_LOG_WARNING || strstr(text, "energy") == NULL)
        return;
    heard->count += 1;
    snprintf(heard->last, sizeof heard->last, "%s", text);
}

static frz_sim *sim_of(const char *text, messages *heard)
{
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim_def def = frz_sim_def_default();
    def.threads = 1;
    def.log = listen;
    def.log_user = heard;
    if (frz_scene_parse(text, "energy.yaml", NULL, &scene, &diag) != FRZ_OK ||
        frz_sim_create(scene, &def, &sim, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    frz_scene_destroy(&scene);
    return sim;
}

static double audit(frz_sim *sim, frz_energies *e, double *made)
{
    frz_audit account;
    frz_diag diag = {.status = FRZ_OK};
    if (frz_sim_audit(sim, &account, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
    *e = account.energies;
    *made = account.made;
    return e->kinetic + e->potential + e->elastic + e->surface;
}

static void step(frz_sim *sim)
{
    frz_diag diag = {.status = FRZ_OK};
    if (frz_sim_step(sim, HUGE_VAL, &diag) != FRZ_OK)
        fail_msg("%s", diag.message);
}

// A free bar that is stretched as it starts; the share of its energy by which the sum strays in the time given.
static double stray(const char *method, double until)
{
    char text[600];
    messages heard = {0};
    snprintf(text, sizeof text,
             "dimension: 2\nspacing: 0.05\nduration: 1 s\nframe_rate: 10\ngravity: [0, 0]\n"
             "materials: {gum: {density: 1000, elastic: {method: %s, young: 1e6}}}\n"
             "bodies: [{state: elastic, material: gum, shape: {box: {min: [-0.5, 0], max: [0.5, 0.3]}}}]\n",
             method);
    frz_sim *sim = sim_of(text, &heard);
    const frz_field_view x = frz_sim_field(sim, "position", FRZ_SEGMENT_FREE);
    double *velocity = calloc((size_t)x.count * 3, sizeof *velocity);
    assert_non_null(velocity);
    for (int64_t i = 0; i < x.count; ++i)
        velocity[3 * i] = 2.0 * sin(3.14159265 * frz_field_value(&x, i, 0));
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_set_velocity(sim, velocity, x.count, &diag), FRZ_OK);
    free(velocity);
    frz_energies e;
    double made, first = 0.0, low = HUGE_VAL, high = 0.0, stored = 0.0;
    for (int n = 0; frz_sim_time(sim) < until; ++n)
    {
        step(sim);
        const double sum = audit(sim, &e, &made);
        first = n == 0 ? sum : first;
        low = fmin(low, sum);
        high = fmax(high, sum);
        stored = fmax(stored, e.elastic);
    }
    assert_greater(stored, 0.5 * first); // it has been exchanged
    assert_int_equal(heard.count, 0);
    frz_sim_destroy(&sim);
    return (high - low) / first;
}

static void kinetic_and_elastic_energy_add_up(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"tlsph", "becker2009", "mueller2004", "zhou2013"};
    for (int m = 0; m < 4; ++m)
    {
        const double share = stray(methods[m], 0.1);
        print_message("%s: the sum strays by %.3g of itself\n", methods[m], share);
        assert_less(share, 5e-3);
    }
}

static void strain_that_melts_away_is_on_record(void **unused)
{
    (void)unused;
    messages heard = {0};
    frz_sim *sim =
        sim_of("dimension: 2\nspacing: 0.05\nduration: 1 s\nframe_rate: 10\n"
               "materials: {gum: {density: 1000, elastic: {method: becker2009, young: 1e5}}}\n"
               "bodies:\n"
               "  - {name: block, state: elastic, material: gum, shape: {box: {min: [0, 0], max: [0.5, 1]}}}\n"
               "  - {name: floor, state: static, shape: {box: {min: [-1, -0.1], max: [2, 0]}}}\n"
               "events: [{at: 0.1 s, do: melt, of: block}]\n",
               &heard);
    frz_energies before = {0}, e;
    frz_stats stats = {0};
    double made;
    while (stats.changed == 0 && frz_sim_time(sim) < 0.2)
    {
        (void)audit(sim, &before, &made);
        step(sim);
        frz_sim_stats(sim, &stats);
    }
    (void)audit(sim, &e, &made);
    print_message("elastic energy %.4g J, on record %.4g J\n", before.elastic, stats.change_energy);
    assert_greater(stats.changed, 0);
    assert_greater(before.elastic, 1.0);
    assert_same(e.elastic, 0.0);
    assert_near(stats.change_energy / before.elastic, 1.0, 0.2); // one step later
    assert_int_equal(heard.count, 0);
    frz_sim_destroy(&sim);
}

static void energy_that_comes_from_nowhere_is_told_with_time_and_body(void **unused)
{
    (void)unused;
    messages heard = {0};
    frz_sim *sim =
        sim_of("dimension: 2\nspacing: 0.05\nduration: 1 s\nframe_rate: 10\n"
               "materials: {water: {density: 1000}, gum: {density: 1000, elastic: {method: becker2009}}}\n"
               "bodies:\n"
               "  - {name: tank, state: static, shape: {box: {min: [-1, -0.1], max: [3, 0]}}}\n"
               "  - {name: pond, state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.5, 0.3]}}}\n"
               "  - {name: block, state: elastic, material: gum, shape: {box: {min: [2, 0], max: [2.5, 0.3]}}}\n",
               &heard);
    frz_energies e;
    double made;
    for (int n = 0; n < 10; ++n)
    {
        (void)audit(sim, &e, &made);
        step(sim);
    }
    (void)audit(sim, &e, &made);
    assert_int_equal(heard.count, 0);
    const frz_field_view body = frz_sim_field(sim, "body", FRZ_SEGMENT_FREE);
    double *velocity = calloc((size_t)body.count * 3, sizeof *velocity);
    assert_non_null(velocity);
    for (int64_t i = 0; i < body.count; ++i)
        velocity[3 * i + 1] = frz_field_value(&body, i, 0) == 2.0 ? 1.0 : 0.0;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_set_velocity(sim, velocity, body.count, &diag), FRZ_OK);
    free(velocity);
    step(sim);
    (void)audit(sim, &e, &made);
    print_message("%s\n", heard.last);
    assert_int_equal(heard.count, 1);
    assert_non_null(strstr(heard.last, "body 'block' gained most"));
    assert_greater(made, 50.0);
    assert_less(made, 100.0); // 75 J of 150 kg at 1 m/s
    frz_sim_destroy(&sim);
}

// Scenes in which something outside does work, and how much of it may be missing or too much in the account.
typedef struct work_trial
{
    const char *name, *text;
    double least;  // work that is done, J
    double missed; // energy made over that
    double lost;   // energy lost over that, by viscosity and the time scheme
} work_trial;

#define WORK_SCENE(rest) "dimension: 2\nspacing: 0.02\nduration: 1 s\nframe_rate: 10\n" rest
#define LIFT             "motion: {interpolation: smooth, keyframes: [{time: 0}, {time: 0.3 s, position: [0.05, 0.3]}]}"
static const work_trial work_trials[] = {
    {"a tank of water is lifted",
     WORK_SCENE(
         "materials: {water: {density: 1000}}\nbodies:\n"
         "  - {state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.2, 0.2]}}}\n"
         "  - {state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.2, 0.6]}}, thickness: 0.04}}, " LIFT
         "}\n"),
     50.0, 0.005, 0.05},
    {"a brick is lifted",
     WORK_SCENE("bodies:\n"
                "  - {state: rigid, density: 2000, shape: {box: {min: [0, 0], max: [0.1, 0.1]}}}\n"
                "  - {state: static, friction: 1, shape: {box: {min: [-0.2, -0.1], max: [0.3, 0]}}, " LIFT "}\n"),
     50.0, 0.005, 0.05},
    {"a bar of tlsph is bent",
     WORK_SCENE("materials: {gum: {density: 1000, elastic: {method: tlsph, young: 1e5}}}\nbodies:\n"
                "  - {name: bar, state: elastic, material: gum, shape: {box: {min: [0, 0], max: [0.6, 0.1]}}}\n"
                "attachments:\n"
                "  - {of: bar, shape: {box: {min: [-0.1, -0.1], max: [0.05, 0.2]}}}\n"
                "  - {of: bar, shape: {box: {min: [0.55, -0.1], max: [0.7, 0.2]}}, " LIFT "}\n"),
     50.0, 0.01, 0.02},
    {"dough is pressed",
     WORK_SCENE("materials: {dough: {density: 1000, elastic: {method: peer2018, young: 3e4}}}\nbodies:\n"
                "  - {state: elastic, material: dough, shape: {box: {min: [0, 0], max: [0.2, 0.2]}}}\n"
                "  - {state: static, shape: {box: {min: [-0.2, -0.1], max: [0.4, 0]}}}\n"
                "  - {state: static, shape: {box: {min: [-0.1, 0.2], max: [0.3, 0.3]}}, "
                "motion: {interpolation: smooth, keyframes: [{time: 0}, {time: 0.3 s, position: [0, -0.05]}]}}\n"),
     10.0, 0.01, 0.3},
    {"a region pushes water up",
     WORK_SCENE("materials: {water: {density: 1000}}\nbodies:\n"
                "  - {state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.2, 0.2]}}}\n"
                "regions:\n"
                "  - {action: force, acceleration: [0, 12], shape: {box: {min: [-1, -1], max: [1, 3]}}}\n"),
     15.0, 1e-3, 0.02},
    {"water flows in against water",
     WORK_SCENE("materials: {water: {density: 1000}}\nbodies:\n"
                "  - {state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.3, 0.4]}}}\n"
                "  - {state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.3, 0.6]}}, thickness: 0.04}}}\n"
                "emitters: [{material: water, position: [0, 0.1], direction: [1, 0], width: 0.1, speed: 0.5}]\n"),
     1.0, 0.1, HUGE_VAL},
};

static void work_of_the_outside_is_no_energy_made(void **unused)
{
    (void)unused;
    for (size_t t = 0; t < sizeof work_trials / sizeof work_trials[0]; ++t)
    {
        const work_trial *trial = &work_trials[t];
        messages heard = {0};
        frz_sim *sim = sim_of(trial->text, &heard);
        frz_energies e;
        frz_stats stats = {0};
        double made, most = 0.0;
        const double first = audit(sim, &e, &made);
        while (frz_sim_time(sim) < 0.35)
        {
            step(sim);
            (void)audit(sim, &e, &made);
            most = fmax(most, made);
        }
        frz_sim_stats(sim, &stats);
        const double left = e.kinetic + e.potential + e.elastic + stats.friction_heat - first - stats.work;
        print_message("%s: work %.4g J, of which made %.3g, lost %.3g\n", trial->name, stats.work, most / stats.work,
                      -left / stats.work);
        assert_greater(stats.work, trial->least);
        assert_less(most, trial->missed * stats.work);
        assert_less(-left, trial->lost * stats.work);
        assert_int_equal(heard.count, 0);
        frz_sim_destroy(&sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinetic_and_elastic_energy_add_up),
        cmocka_unit_test(work_of_the_outside_is_no_energy_made),
        cmocka_unit_test(strain_that_melts_away_is_on_record),
        cmocka_unit_test(energy_that_comes_from_nowhere_is_told_with_time_and_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
