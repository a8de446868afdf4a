// SPDX-License-Identifier: MIT
// Fracture: what is torn apart becomes pieces that fly apart with the momentum they had, touch again like bodies of
// their own, and are the same after a restart.
// labels: long numbers
#include "core_trial.h"
#include "physics/elastic/elastic_system.h"
#include "sim/state_solids.h"
#include "compare.h"

static const double middle = 0.5;                                               // of the bar along x, m
static const double young = 1e5, density = 1000.0, sound = 10.0, poisson = 0.2; // of the bar
static const double strength = 1e3;
static const char *const by_stress = "{method: stress, strength: 1e3}";
static const char *const by_stretch = "{method: stretch, limit: 0.02}";
static const char *const methods[] = {"tlsph", "becker2009", "peer2018", "kugelstadt2021"};

// A bar of 20 x 4 (x 4) particles in free space.
static frz_sim *make_bar_of(const char *elastic, const char *fracture, int dimension, int threads, double ratio)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{dimension: %d, spacing: 0.05, duration: 10, gravity: [0, 0%s], time_step: {max: 2 ms}, materials: "
             "{chalk: {density: %g, elastic: {method: %s, young: %g, poisson: %g}, fracture: %s}}, bodies: [{name: "
             "bar, state: elastic, material: chalk, shape: {box: {min: [0, 0%s], max: [1, 0.2%s]}}}]}",
             dimension, dimension == 3 ? ", 0" : "", density, elastic, young, ratio, fracture,
             dimension == 3 ? ", 0" : "", dimension == 3 ? ", 0.2" : "");
    return core_sim(text, threads);
}

static frz_sim *make_bar(const char *elastic, const char *fracture, int dimension, int threads)
{
    return make_bar_of(elastic, fracture, dimension, threads, poisson);
}

// Send what was left of the middle to the left, and the rest to the right; speeds below zero close up.
static void part(frz_sim *sim, double speed)
{
    const frz_solids *solids = &sim->state->solids;
    frz_v4 *velocity = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
    for (int e = 0; e < solids->count; ++e)
    {
        const bool left = (double)solids->reference[e][0] < middle;
        velocity[solids->slot[e]] = frz_v4_set((frz_real)(left ? -speed : speed), 0, 0, 0);
    }
}

static double mean_distance_of_halves(const frz_sim *sim)
{
    const frz_solids *solids = &sim->state->solids;
    const frz_v4 *position = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    double sum = 0.0;
    for (int e = 0; e < solids->count; ++e)
        sum += ((double)solids->reference[e][0] < middle ? -1.0 : 1.0) * (double)position[solids->slot[e]][0];
    return sum / (0.5 * solids->count);
}

// Pieces are bodies.
static int count_pieces(const frz_sim *sim)
{
    int pieces = 0;
    for (int b = 0; b < sim->state->bodies.count; ++b)
        pieces += frz_body_is(sim->state, b, FRZ_BODY_ELASTIC);
    return pieces;
}

static frz_vec3 momentum(const frz_sim *sim)
{
    const frz_v4 *velocity = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
    frz_vec3 sum = frz_v3(0.0, 0.0, 0.0);
    for (int i = 0; i < sim->state->particles.count[FRZ_ROLE_FREE]; ++i)
        sum = frz_v3_add(sum, frz_v3((double)velocity[i][0], (double)velocity[i][1], (double)velocity[i][2]));
    return sum;
}

// Share of the particles that are in the pieces of the bar's first and last particle.
static double share_of_the_ends(const frz_sim *sim)
{
    const frz_solids *solids = &sim->state->solids;
    int low = 0, high = 0, held = 0;
    for (int e = 0; e < solids->count; ++e)
    {
        low = solids->reference[e][0] < solids->reference[low][0] ? e : low;
        high = solids->reference[e][0] > solids->reference[high][0] ? e : high;
    }
    assert_int_not_equal(solids->body[low], solids->body[high]);
    for (int e = 0; e < solids->count; ++e)
        held += solids->body[e] == solids->body[low] || solids->body[e] == solids->body[high];
    return (double)held / solids->count;
}

// Returns the share of the two ends: the rest is rubble.
static double check_parting(const char *elastic, const char *fracture, int dimension, double speed)
{
    frz_sim *sim = make_bar(elastic, fracture, dimension, 1);
    part(sim, speed);
    core_steps(sim, 100);
    const frz_vec3 p = momentum(sim);
    const double apart = mean_distance_of_halves(sim), unbroken = middle + 2.0 * speed * sim->state->time;
    const double share = share_of_the_ends(sim);
    print_message("%s %s in %d dimensions: %d pieces, ends %.3f of the bar, halves %.3f of %.3f m apart, momentum "
                  "%.1e\n",
                  elastic, fracture, dimension, count_pieces(sim), share, apart, unbroken,
                  frz_v3_length(p) / (speed * sim->state->solids.count));
    assert_greater(apart, middle + 0.5 * (unbroken - middle));
    assert_less(frz_v3_length(p), 1e-6 * speed * sim->state->solids.count);
    frz_sim_destroy(&sim);
    return share;
}

static void a_bar_torn_apart_by_stretch_becomes_two_pieces_that_keep_the_momentum(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int m = 0; m < 4; ++m)
            assert_greater_equal(check_parting(methods[m], by_stretch, dimension, 0.3), 1.0);
}

static void a_bar_torn_apart_by_stress_parts_where_it_is_pulled_and_keeps_the_momentum(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int m = 0; m < 4; ++m)
            assert_greater_equal(check_parting(methods[m], by_stress, dimension, 0.15), 1.0);
}

// The first mode of a free bar: its peak stress is density * sound * speed, at the middle, and nowhere else.
static void swing(frz_sim *sim, double speed)
{
    const frz_solids *solids = &sim->state->solids;
    frz_v4 *velocity = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
    for (int e = 0; e < solids->count; ++e)
        velocity[solids->slot[e]] =
            frz_v4_set((frz_real)(-speed * cos(M_PI * (double)solids->reference[e][0] / (2.0 * middle))), 0, 0, 0);
}

static void the_strength_of_a_bar_is_the_given_one_within_one_percent(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int m = 0; m < 2; ++m)
            for (int above = 0; above < 2; ++above)
            {
                frz_sim *sim = make_bar_of(methods[m], by_stress, dimension, 1, 0.0);
                swing(sim, (above ? 1.01 : 0.99) * strength / (density * sound));
                core_steps(sim, 30); // 60 ms; the peak is after a quarter of a period, 50 ms
                assert_int_equal(sim->state->bonds.broken_count > 0, above);
                frz_sim_destroy(&sim);
            }
}

static bool is_across(const frz_bonds *bonds, int i, int64_t k)
{
    return ((double)bonds->reference[i][0] < middle) != ((double)bonds->reference[bonds->other[k]][0] < middle);
}

// A body that has lost bonds at random is not much stiffer than it was: the time step at rest, 0.7 of the longest
// stable one (physics/elastic/elastic_method.c), stays good.
static void broken_bonds_raise_the_highest_frequency_less_than_the_time_step_allows(void **state)
{
    (void)state;
    static const double shares[] = {0.02, 0.1, 0.3, 0.5, 0.7, 0.85};
    static const double ratios[] = {0.0, 0.2, 0.45};
    double most = 0.0;
    for (int n = 0; n < 2 * 2 * 3 * 6; ++n)
    {
        const int m = n % 2, dimension = 2 + n / 2 % 2;
        frz_sim *sim = make_bar_of(methods[m], by_stretch, dimension, 1, ratios[n / 4 % 3]);
        frz_diag diag = {.status = FRZ_OK};
        frz_bonds *bonds = &sim->state->bonds;
        core_steps(sim, 1);
        const double whole = bonds->stiffness[0];
        uint64_t seed = (uint64_t)n;
        for (int i = 0; i < bonds->count; ++i)
            for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
                if ((int)bonds->other[k] > i && bonds->weight[k] > 0 && core_random(&seed) < shares[n / 12])
                    frz_pieces_break(sim->state, i, k);
        for (int i = 0; i < bonds->count; ++i)
            frz_bonds_correct(bonds, i);
        bonds->stiffness[0] = -1.0; // to be found anew
        const frz_instance *elastic = frz_model_method(sim->model, FRZ_SLOT_ELASTIC, 0);
        assert_int_equal(elastic->method->run[FRZ_STAGE_PREPARE](sim->model, sim->state, elastic, 0.0, &diag), FRZ_OK);
        most = fmax(most, sqrt(bonds->stiffness[0] / whole));
        frz_sim_destroy(&sim);
    }
    print_message("highest frequency at most %.3f of that of the whole body\n", most);
    assert_less(most, 1.35);
}

// Break all bonds across the middle of the bar between two heights.
static void cut(frz_sim *sim, double low, double high)
{
    frz_bonds *bonds = &sim->state->bonds;
    for (int i = 0; i < bonds->count; ++i)
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
        {
            const double a = (double)bonds->reference[i][1], b = (double)bonds->reference[bonds->other[k]][1];
            if (is_across(bonds, i, k) && bonds->weight[k] > 0 && fmin(a, b) > low && fmax(a, b) < high)
                frz_pieces_break(sim->state, i, k);
        }
    for (int i = 0; i < bonds->count; ++i)
        frz_bonds_correct(bonds, i);
}

static void a_notched_bar_breaks_across_the_notch_and_nowhere_else(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int m = 0; m < 4; ++m)
        {
            frz_sim *sim = make_bar(methods[m], by_stress, dimension, 1);
            const frz_bonds *bonds = &sim->state->bonds;
            cut(sim, 0.0, 0.1); // half of its height
            swing(sim, 0.06);   // 0.6 of the strength, were it whole
            core_steps(sim, 60);
            assert_int_equal(count_pieces(sim), 2);
            for (int i = 0; i < bonds->count; ++i)
                for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
                    assert_true(bonds->weight[k] > 0 || (int)bonds->other[k] == i || is_across(bonds, i, k));
            frz_sim_destroy(&sim);
        }
}

// Elastic energy of particle i for the corotated law, with that of zero-energy control, J.
static double energy_at(const frz_bonds *bonds, const frz_elastic_place *place, int i)
{
    const double mu = young / (2.0 * (1.0 + poisson)), lambda = 2.0 * mu * poisson / (1.0 - 2.0 * poisson);
    const double control = 0.5 * young; // its default
    const frz_mat3 h = frz_elastic_gradient(bonds, place, i);
    const frz_svd3 svd = frz_m3_svd(frz_m3_add(frz_m3_identity(), h));
    double trace = 0.0, sum = 0.0;
    for (int a = 0; a < 3; ++a)
    {
        trace += svd.s[a] - 1.0;
        sum += mu * (svd.s[a] - 1.0) * (svd.s[a] - 1.0);
    }
    sum += 0.5 * lambda * trace * trace;
    for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
    {
        const frz_v4 rest = frz_bonds_rest(bonds, i, k);
        const frz_v4 moved = place[bonds->other[k]].displacement - place[i].displacement;
        const frz_vec3 fit = frz_m3_apply(h, frz_v3((double)rest[0], (double)rest[1], (double)rest[2]));
        const frz_vec3 missed = frz_v3_sub(fit, frz_v3((double)moved[0], (double)moved[1], (double)moved[2]));
        sum += 0.5 * control * (double)bonds->weight[k] * frz_v3_dot(missed, missed);
    }
    return bonds->volume * sum;
}

static double energy(const frz_sim *sim)
{
    frz_state *state = sim->state;
    const frz_v4 *velocity = frz_field_v4(&state->particles, FRZ_FIELD_ID_velocity);
    const frz_arena_mark mark = frz_arena_here(&state->scratch);
    frz_elastic_work work;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_elastic_work_make(&state->bonds, &state->scratch, &work, &diag), FRZ_OK);
    frz_elastic_gather(state, 0, &work);
    double sum = 0.0;
    for (int e = 0; e < state->bonds.count; ++e)
    {
        const frz_v4 v = velocity[state->solids.slot[e]];
        sum +=
            energy_at(&state->bonds, work.place, e) + 0.5 * density * state->bonds.volume * (double)frz_v4_dot3(v, v);
    }
    frz_arena_release(&state->scratch, mark);
    return sum;
}

// The largest energy of a bar torn apart, in what it began with.
static double largest_energy(const char *elastic, const char *fracture, int dimension, double speed)
{
    frz_sim *sim = make_bar(elastic, fracture, dimension, 1);
    part(sim, speed);
    const double first = energy(sim);
    double largest = 0.0;
    for (int n = 0; n < 100; ++n)
    {
        core_steps(sim, 1);
        largest = fmax(largest, energy(sim) / first);
    }
    frz_sim_destroy(&sim);
    return largest;
}

static void breaking_makes_no_energy(void **state)
{
    (void)state;
    // positions and velocities of the explicit scheme are half a step apart: their energy swings with the stress
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int m = 0; m < 4; ++m)
        {
            const double whole = largest_energy(methods[m], "{method: stress, strength: 1e9}", dimension, 0.15);
            const double broken = largest_energy(methods[m], by_stress, dimension, 0.15);
            print_message("%s in %d dimensions: energy at most %.4f broken, %.4f whole\n", methods[m], dimension,
                          broken, whole);
            assert_less(broken, whole + 1e-6);
        }
}

static void a_bar_below_its_strength_stays_whole(void **state)
{
    (void)state;
    frz_sim *sim = make_bar("tlsph", by_stress, 3, 1);
    part(sim, 0.03); // a third of the strength: density * speed of sound * speed
    core_steps(sim, 100);
    assert_int_equal(sim->state->bonds.broken_count, 0);
    frz_sim_destroy(&sim);
}

static void halves_that_come_back_do_not_pass_through_each_other(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        frz_sim *sim = make_bar("tlsph", by_stretch, dimension, 1);
        part(sim, 0.3);
        core_steps(sim, 60);
        assert_int_equal(count_pieces(sim), 2);
        part(sim, -0.3);
        double nearest = HUGE_VAL;
        for (int n = 0; n < 200; ++n)
        {
            core_steps(sim, 1);
            nearest = fmin(nearest, mean_distance_of_halves(sim));
        }
        print_message("%d dimensions: nearest %.3f m, in the end %.3f m, %d pieces\n", dimension, nearest,
                      mean_distance_of_halves(sim), count_pieces(sim));
        assert_greater(nearest, 0.9 * middle);
        assert_greater(mean_distance_of_halves(sim), 1.05 * middle); // they have bounced
        frz_sim_destroy(&sim);
    }
}

// Smallest distance along x of particles of both halves at the same height, above a height, m.
static double narrowest_gap(const frz_sim *sim, double above)
{
    const frz_solids *solids = &sim->state->solids;
    const frz_v4 *position = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_position);
    double right_least = HUGE_VAL, left_most = -HUGE_VAL;
    for (int e = 0; e < solids->count; ++e)
    {
        if ((double)solids->reference[e][1] < above)
            continue;
        const double x = (double)position[solids->slot[e]][0];
        if ((double)solids->reference[e][0] < middle)
            left_most = fmax(left_most, x);
        else
            right_least = fmin(right_least, x);
    }
    return right_least - left_most;
}

// A bar with a crack that leaves one layer of four, whose halves move towards each other; the narrowest gap, spacings.
static double close_crack(int dimension, double speed, bool touching)
{
    frz_sim *sim = make_bar("tlsph", "{method: stretch, limit: 10}", dimension, 1);
    core_steps(sim, 1);
    if (!touching)
        sim->state->solids.reach[0] = HUGE_VAL; // as with self_contact: false
    cut(sim, 0.05, HUGE_VAL);
    part(sim, -speed);
    double gap = HUGE_VAL, largest = 0.0;
    for (int n = 0; n < 40; ++n)
    {
        core_steps(sim, 1);
        gap = fmin(gap, narrowest_gap(sim, 0.1) / 0.05);
        largest = fmax(largest, frz_v3_length(momentum(sim)));
    }
    print_message("%d dimensions, speed %g: narrowest gap %.3f spacings, momentum %.1e\n", dimension, speed, gap,
                  largest / sim->state->solids.count);
    assert_int_equal(count_pieces(sim), 1);
    assert_less(largest, 1e-6 * 0.3 * sim->state->solids.count);
    frz_sim_destroy(&sim);
    return gap;
}

static void the_faces_of_a_crack_that_does_not_part_a_body_touch(void **state)
{
    (void)state;
    assert_near(close_crack(2, 0.0, true), 1.0, 1e-4); // faces that fit do not push
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        const double with = close_crack(dimension, 0.3, true), without = close_crack(dimension, 0.3, false);
        assert_greater(with, 0.55); // particles at an edge have little around them and come nearer than others
        assert_less(without, 0.5);
    }
}

// A bar that swings beyond its strength breaks many times. Faces so near to the tip of their crack that a walk of five
// bonds leads around it do not touch and may overlap; when the tip moves on they touch at once, some spacings away from
// what has just broken. Steps are a twentieth of the longest stable one: what is pushed out in one of them is fast.
static void faces_behind_the_tip_of_a_crack_begin_to_touch_without_a_push(void **state)
{
    (void)state;
    frz_diag diag = {.status = FRZ_OK};
    frz_sim *sim =
        core_sim("{dimension: 2, spacing: 0.0125, duration: 1, gravity: [0, 0], materials: {chalk: {density: "
                 "1000, elastic: {method: becker2009, young: 1e5, poisson: 0}, fracture: {method: stress, "
                 "strength: 1e3}}}, bodies: [{name: bar, state: elastic, material: chalk, shape: {box: {min: "
                 "[-0.5, -0.1], max: [0.5, 0.1]}}}]}",
                 1);
    const frz_solids *solids = &sim->state->solids;
    frz_v4 *velocity = frz_field_v4(&sim->state->particles, FRZ_FIELD_ID_velocity);
    for (int e = 0; e < solids->count; ++e)
        velocity[solids->slot[e]] =
            frz_v4_set((frz_real)(2.0 * 0.1 * sin(M_PI * (double)solids->reference[e][0])), 0, 0, 0);
    double fastest = 0.0;
    while (sim->state->time < 0.095)
    {
        assert_int_equal(frz_sim_step(sim, 5e-5, &diag), FRZ_OK);
        fastest = fmax(fastest, sim->state->stats.max_speed);
    }
    print_message("%d pieces, fastest particle %.2f m/s\n", count_pieces(sim), fastest);
    assert_greater(sim->state->bonds.broken_count, 1000);
    assert_less(fastest, 0.5); // 4.6 m/s if only those beside a new crack begin without a push
    frz_sim_destroy(&sim);
}

enum
{
    bar_count = 80 // particles of make_bar in 2D
};

// By id, because pieces are renumbered: whether a walk of FRZ_CRACK_WALK whole bonds leads from one particle to the
// other. Such two do not touch.
static void find_walks(const frz_sim *sim, bool joined[bar_count][bar_count])
{
    const frz_bonds *bonds = &sim->state->bonds;
    const int64_t *id = frz_field_i64(&sim->state->particles, FRZ_FIELD_ID_id);
    const int32_t *slot = sim->state->solids.slot;
    memset(joined, 0, sizeof(bool[bar_count][bar_count]));
    for (int first = 0; first < bar_count; ++first)
    {
        joined[first][first] = true;
        for (int bond = 0; bond < FRZ_CRACK_WALK; ++bond)
        {
            bool before[bar_count];
            memcpy(before, joined[first], sizeof before);
            for (int i = 0; i < bar_count; ++i)
                for (int64_t k = bonds->begin[i]; before[id[slot[i]]] && k < bonds->begin[i + 1]; ++k)
                    if (bonds->weight[k] > 0)
                        joined[first][id[slot[bonds->other[k]]]] = true;
        }
    }
}

// Two particles begin to touch when the last walk between them is cut, which may be some bonds away from both. They may
// overlap by then, and must not push each other out: both begin with the room that they have taken.
static void who_begins_to_touch_at_a_crack_begins_without_a_push(void **state)
{
    (void)state;
    static bool before[bar_count][bar_count], after[bar_count][bar_count];
    frz_sim *sim = make_bar_of("becker2009", by_stress, 2, 1, 0.0);
    const frz_bonds *bonds = &sim->state->bonds;
    const int field = frz_model_method(sim->model, FRZ_SLOT_FRACTURE, 0)->first_field;
    assert_int_equal(bonds->count, bar_count);
    swing(sim, 0.15);
    find_walks(sim, before);
    int begun = 0, far = 0;
    for (int n = 0; n < 60; ++n)
    {
        const int64_t broken = bonds->broken_count;
        core_steps(sim, 1);
        if (bonds->broken_count == broken)
            continue;
        find_walks(sim, after);
        const int64_t *id = frz_field_i64(&sim->state->particles, FRZ_FIELD_ID_id);
        const frz_real *room = frz_field_real(&sim->state->particles, field);
        for (int i = 0; i < bar_count; ++i)
        {
            const int slot = sim->state->solids.slot[i];
            bool begins = false;
            for (int j = 0; j < bar_count; ++j)
                begins = begins || (before[id[slot]][j] && !after[id[slot]][j]);
            if (begins && !(room[slot] < 0))
                fail_msg("particle %d begins to touch in step %d with a push", (int)id[slot], n);
            begun += begins;
            far += begins && bonds->torn[i] == 0;
        }
        memcpy(before, after, sizeof before);
    }
    print_message("%d begin to touch, %d of them have all their bonds\n", begun, far);
    assert_greater(far, 10);
    frz_sim_destroy(&sim);
}

static void a_restart_after_breaking_goes_on_bit_for_bit(void **state)
{
    (void)state;
    for (int m = 0; m < 4; ++m)
    {
        frz_sim *straight = make_bar(methods[m], by_stress, 3, 2), *resumed = make_bar(methods[m], by_stress, 3, 1);
        part(straight, 0.3);
        core_steps(straight, 40);
        assert_greater(straight->state->bonds.broken_count, 0);
        assert_int_equal(core_pass_on(straight, resumed), FRZ_OK);
        core_steps(straight, 20);
        core_steps(resumed, 20);
        assert_int_equal(straight->state->bonds.broken_count, resumed->state->bonds.broken_count);
        assert_same(core_hash(straight), core_hash(resumed));
        core_steps(straight, 5);
        assert_int_equal(core_pass_on(resumed, straight), FRZ_OK); // pieces are taken over as they are
        assert_same(core_hash(straight), core_hash(resumed));
        frz_sim_destroy(&straight);
        frz_sim_destroy(&resumed);
    }
}

static void stress_and_plastic_flow_are_refused_together(void **state)
{
    (void)state;
    core_refused("{dimension: 2, spacing: 0.1, duration: 1, materials: {m: {density: 1000, elastic: 1e5, plastic: 1e3, "
                 "fracture: 1e3}}, bodies: [{state: elastic, material: m, shape: {box: {min: [0, 0], max: [1, 1]}}}]}",
                 "stretch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_torn_apart_by_stretch_becomes_two_pieces_that_keep_the_momentum),
        cmocka_unit_test(a_bar_torn_apart_by_stress_parts_where_it_is_pulled_and_keeps_the_momentum),
        cmocka_unit_test(the_strength_of_a_bar_is_the_given_one_within_one_percent),
        cmocka_unit_test(a_notched_bar_breaks_across_the_notch_and_nowhere_else),
        cmocka_unit_test(breaking_makes_no_energy),
        cmocka_unit_test(faces_behind_the_tip_of_a_crack_begin_to_touch_without_a_push),
        cmocka_unit_test(who_begins_to_touch_at_a_crack_begins_without_a_push),
        cmocka_unit_test(broken_bonds_raise_the_highest_frequency_less_than_the_time_step_allows),
        cmocka_unit_test(a_bar_below_its_strength_stays_whole),
        cmocka_unit_test(halves_that_come_back_do_not_pass_through_each_other),
        cmocka_unit_test(the_faces_of_a_crack_that_does_not_part_a_body_touch),
        cmocka_unit_test(a_restart_after_breaking_goes_on_bit_for_bit),
        cmocka_unit_test(stress_and_plastic_flow_are_refused_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
