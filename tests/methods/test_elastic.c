// SPDX-License-Identifier: MIT
// Bonds and the sweeps that all elastic methods share: gradients of affine maps are exact, forces are the derivative of
// the energy, momentum and angular momentum are kept, and sheets, rods and lone particles do no harm.
#include "core_trial.h"

#include "physics/elastic/elastic_corotated.h"
#include "physics/elastic/elastic_hyperelastic.h"
#include "solid/bonds.h"
#include "compare.h"

enum
{
    most = 1000
};

static const double spacing = 0.1;
static const double support = 0.21;

typedef struct cloud
{
    int count, dimension;
    frz_v4 x[most];
    int32_t body[most];
    frz_bonds bonds;
    frz_arena scratch;
    frz_elastic_work work;
    frz_v4 rotation[most];
} cloud;

// A box of particles of nx * ny * nz, moved off the lattice by a share of the spacing; bonds with the given weights.
static cloud *make_cloud(int nx, int ny, int nz, double disorder, int dimension, frz_bond_weight weight)
{
    cloud *c = FRZ_ALLOC("test", 1, cloud);
    assert_non_null(c);
    uint64_t seed = 5;
    c->dimension = dimension;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
            {
                const int n[3] = {i, j, k}, sizes[3] = {nx, ny, nz};
                frz_v4 x = frz_v4_zero();
                for (int a = 0; a < dimension; ++a)
                    x[a] = (frz_real)(spacing * (n[a] + (sizes[a] > 1 ? disorder * (core_random(&seed) - 0.5) : 0.0)));
                c->rotation[c->count] = frz_v4_set(0, 0, 0, 1);
                c->x[c->count++] = x;
            }
    const frz_kernel kernel = frz_kernel_make(FRZ_KERNEL_CUBIC_SPLINE, support, dimension);
    const frz_bonds_input input = {
        .count = c->count, .reference = c->x, .body = c->body, .body_count = 1, .kernel = &kernel, .spacing = spacing};
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_bonds_build(&input, &c->bonds, &diag), FRZ_OK);
    if (weight != FRZ_BOND_GRADIENT)
        frz_bonds_weigh(&c->bonds, 0, weight);
    assert_int_equal(frz_elastic_work_make(&c->bonds, &c->scratch, &c->work, &diag), FRZ_OK);
    return c;
}

static void destroy_cloud(cloud *c)
{
    frz_bonds_destroy(&c->bonds);
    frz_arena_destroy(&c->scratch);
    frz_free(c);
}

static frz_vec3 v3_of(frz_v4 v)
{
    return frz_v3((double)v[0], (double)v[1], (double)v[2]);
}

// u = (F - I) X
static void deform(cloud *c, frz_mat3 f)
{
    for (int i = 0; i < c->count; ++i)
    {
        const frz_vec3 u = frz_v3_sub(frz_m3_apply(f, v3_of(c->x[i])), v3_of(c->x[i]));
        c->work.place[i].displacement = frz_v4_set((frz_real)u.x, (frz_real)u.y, (frz_real)u.z, 0);
    }
}

// Disordered displacements on top, a share of the spacing.
static void shake(cloud *c, double share, uint64_t seed)
{
    for (int i = 0; i < c->count; ++i)
        for (int a = 0; a < c->dimension; ++a)
            c->work.place[i].displacement[a] += (frz_real)(share * spacing * (2.0 * core_random(&seed) - 1.0));
}

static frz_mat3 some_map(int dimension)
{
    frz_mat3 f = {{{1.2, 0.4, -0.1}, {-0.3, 0.9, 0.2}, {0.15, -0.25, 1.1}}};
    if (dimension == 2)
        for (int a = 0; a < 3; ++a)
            f.m[2][a] = f.m[a][2] = a == 2 ? 1.0 : 0.0;
    return f;
}

// ---- bonds

static void bonds_go_both_ways_with_the_same_weight(void **state)
{
    (void)state;
    cloud *c = make_cloud(7, 6, 5, 0.4, 3, FRZ_BOND_GRADIENT);
    const frz_bonds *b = &c->bonds;
    int64_t found = 0;
    for (int i = 0; i < b->count; ++i)
        for (int64_t k = b->begin[i]; k < b->begin[i + 1]; ++k)
        {
            const int j = (int)b->other[k];
            if (j == i)
                continue;
            int64_t back = b->begin[j];
            while (back < b->begin[j + 1] && (int)b->other[back] != i)
                back += 1;
            assert_less(back, b->begin[j + 1]);
            assert_same(b->weight[k], b->weight[back]);
            assert_greater_equal(b->weight[k], 0);
            found += 1;
        }
    assert_int_equal(found, b->bond_count);
    destroy_cloud(c);
}

static void bonds_are_all_pairs_within_the_support(void **state)
{
    (void)state;
    cloud *c = make_cloud(6, 6, 5, 0.5, 3, FRZ_BOND_GRADIENT);
    int64_t pairs = 0;
    for (int i = 0; i < c->count; ++i)
        for (int j = 0; j < c->count; ++j)
        {
            const frz_v4 d = c->x[i] - c->x[j];
            pairs += i != j && frz_v4_dot3(d, d) < (frz_real)support * (frz_real)support;
        }
    assert_int_equal(pairs, c->bonds.bond_count);
    destroy_cloud(c);
}

static void breaking_a_bond_takes_both_directions(void **state)
{
    (void)state;
    cloud *c = make_cloud(5, 5, 1, 0.2, 2, FRZ_BOND_GRADIENT);
    frz_bonds_break(&c->bonds, 12, c->bonds.begin[12]);
    const int j = (int)c->bonds.other[c->bonds.begin[12]];
    frz_bonds_correct(&c->bonds, 12);
    frz_bonds_correct(&c->bonds, j);
    deform(c, some_map(2));
    for (int64_t k = c->bonds.begin[j]; k < c->bonds.begin[j + 1]; ++k)
        assert_true(c->bonds.other[k] != 12 || c->bonds.weight[k] == 0);
    const frz_mat3 h = frz_elastic_gradient(&c->bonds, c->work.place, 12);
    assert_less(frz_m3_norm(frz_m3_sub(frz_m3_add(h, frz_m3_identity()), some_map(2))), 1e-5);
    frz_bonds_detach(&c->bonds, 12);
    assert_int_equal(c->bonds.rank[12], 0);
    destroy_cloud(c);
}

// ---- gradients

static double worst_gradient(int dimension, double disorder, frz_bond_weight weight)
{
    cloud *c = make_cloud(7, 7, dimension == 3 ? 7 : 1, disorder, dimension, weight);
    const frz_mat3 f = some_map(dimension);
    deform(c, f);
    double worst = 0.0;
    for (int i = 0; i < c->count; ++i)
    {
        const frz_mat3 h = frz_elastic_gradient(&c->bonds, c->work.place, i);
        worst = fmax(worst, frz_m3_norm(frz_m3_sub(frz_m3_add(h, frz_m3_identity()), f)));
    }
    destroy_cloud(c);
    return worst;
}

static void affine_maps_are_exact_to_rounding_wherever_the_particles_are(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int weight = 0; weight < 2; ++weight)
        {
            assert_less(worst_gradient(dimension, 0.0, (frz_bond_weight)weight), 50.0 * FRZ_REAL_EPSILON);
            assert_less(worst_gradient(dimension, 0.6, (frz_bond_weight)weight), 200.0 * FRZ_REAL_EPSILON);
        }
}

// ---- forces

static frz_elastic elastic_of(const char *law)
{
    frz_elastic_def def = frz_elastic_def_default(frz_law_find(law));
    def.youngs_modulus = 1e5;
    def.poisson_ratio = 0.3;
    frz_elastic elastic;
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_elastic_prepare(&def, &elastic, &diag), FRZ_OK);
    return elastic;
}

// The derivative of the energy along a disordered direction by forces and by differences; the relative error.
static double derivative_error(cloud *c, const frz_elastic_use *use)
{
    frz_v4 direction[most];
    uint64_t seed = 77;
    double by_force = 0.0;
    const double step = 2e-3 * spacing;
    (void)frz_elastic_forces(&c->bonds, 0, use, &c->work);
    for (int i = 0; i < c->count; ++i)
    {
        direction[i] = frz_v4_zero();
        for (int a = 0; a < c->dimension; ++a)
            direction[i][a] = (frz_real)(2.0 * core_random(&seed) - 1.0);
        by_force -= (double)frz_v4_dot3(direction[i], c->work.force[i]);
    }
    double energy[2];
    for (int side = 0; side < 2; ++side)
    {
        const frz_real s = (frz_real)(side == 0 ? step : -2.0 * step);
        for (int i = 0; i < c->count; ++i)
            c->work.place[i].displacement += s * direction[i];
        energy[side] = frz_elastic_energy(&c->bonds, 0, use, &c->work);
    }
    return fabs((energy[0] - energy[1]) / (2.0 * step) / by_force - 1.0);
}

static void forces_are_the_derivative_of_the_energy(void **state)
{
    (void)state;
    static const char *const laws[] = {"corotated", "st_venant_kirchhoff", "neo_hookean_log"};
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int weight = 0; weight < 2; ++weight)
            for (int l = 0; l < 3; ++l)
            {
                cloud *c = make_cloud(6, 6, dimension == 3 ? 5 : 1, 0.3, dimension, (frz_bond_weight)weight);
                const frz_elastic_law_material material = {elastic_of(laws[l]), c->rotation};
                const frz_elastic_use use = {frz_elastic_law_stress, &material, true, 0.5e5};
                deform(c, some_map(dimension));
                shake(c, 0.1, 3);
                const double error = derivative_error(c, &use);
                if (!(error < 2e-3))
                    fail_msg("%s, weight %d, %d dimensions: %g", laws[l], weight, dimension, error);
                destroy_cloud(c);
            }
}

// With a stiffness of its own for every particle, which may differ a thousandfold from one to the next.
static void forces_are_the_derivative_where_the_stiffness_varies(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        cloud *c = make_cloud(6, 6, dimension == 3 ? 5 : 1, 0.3, dimension, FRZ_BOND_GRADIENT);
        const frz_elastic_law_material material = {elastic_of("neo_hookean_log"), c->rotation};
        const frz_elastic_use use = {frz_elastic_law_stress, &material, true, 0.5e5};
        uint64_t seed = 5;
        deform(c, some_map(dimension));
        shake(c, 0.1, 3);
        const double even = frz_elastic_energy(&c->bonds, 0, &use, &c->work);
        c->bonds.any_scaled = true;
        for (int i = 0; i < c->count; ++i)
            c->bonds.scale[i] = (frz_real)0.25;
        assert_near(frz_elastic_energy(&c->bonds, 0, &use, &c->work) / even, 0.25, 1e-5);
        for (int i = 0; i < c->count; ++i)
            c->bonds.scale[i] = (frz_real)pow(10.0, -3.0 * core_random(&seed));
        assert_less(derivative_error(c, &use), 2e-3);
        destroy_cloud(c);
    }
}

// Total force and torque as shares of the sum of their sizes.
static void check_balance(cloud *c, const frz_elastic_use *use, double allowed)
{
    (void)frz_elastic_forces(&c->bonds, 0, use, &c->work);
    frz_vec3 force = frz_v3(0.0, 0.0, 0.0), torque = force;
    double size = 0.0, arm = 0.0;
    for (int i = 0; i < c->count; ++i)
    {
        const frz_vec3 x = v3_of(c->x[i] + c->work.place[i].displacement), f = v3_of(c->work.force[i]);
        force = frz_v3_add(force, f);
        torque = frz_v3_add(torque, frz_v3_cross(x, f));
        size += frz_v3_length(f);
        arm += frz_v3_length(frz_v3_cross(x, f));
    }
    assert_less_equal(frz_v3_length(force), allowed * size);
    assert_less_equal(frz_v3_length(torque), allowed * arm);
}

// Two materials, the second a hundred times as stiff, in runs of numbers.
static void mix(cloud *c, frz_elastic_corotated material[2], frz_elastic_use uses[FRZ_MATERIAL_NONE + 1])
{
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_bonds_allocate_materials(&c->bonds, &diag), FRZ_OK);
    for (int i = 0; i < c->count; ++i)
    {
        c->bonds.material[i] = i >= 2 * c->count / 5;
        c->bonds.mass[i] = 1;
    }
    assert_int_equal(frz_bonds_find_runs(&c->bonds, &diag), FRZ_OK);
    assert_int_equal(frz_elastic_work_make(&c->bonds, &c->scratch, &c->work, &diag), FRZ_OK);
    for (int m = 0; m < 2; ++m)
    {
        const double scale = m == 0 ? 1.0 : 100.0;
        material[m] = (frz_elastic_corotated){.lambda = scale * 5e4, .mu = scale * 4e4, .rotation = c->rotation};
        uses[m] = (frz_elastic_use){frz_elastic_corotated_stress, &material[m], true, scale * 1e4};
    }
}

static void bodies_of_two_materials_have_forces_of_one_energy(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        cloud *c = make_cloud(6, 6, dimension == 3 ? 6 : 1, 0.3, dimension, FRZ_BOND_GRADIENT);
        frz_elastic_corotated material[2];
        frz_elastic_use uses[FRZ_MATERIAL_NONE + 1];
        mix(c, material, uses);
        frz_elastic_use use = uses[0];
        use.by_material = uses;
        deform(c, some_map(dimension));
        shake(c, 0.2, 9);
        check_balance(c, &use, 1e-5);
        assert_less(derivative_error(c, &use), 2e-3);
        destroy_cloud(c);
    }
}

static void forces_and_torques_of_a_body_on_itself_cancel(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        cloud *c = make_cloud(6, 6, dimension == 3 ? 6 : 1, 0.3, dimension, FRZ_BOND_GRADIENT);
        frz_elastic_corotated material = {.lambda = 5e4, .mu = 4e4, .rotation = c->rotation};
        const frz_elastic_use use = {frz_elastic_corotated_stress, &material, true, 1e4};
        deform(c, some_map(dimension));
        shake(c, 0.2, 9);
        check_balance(c, &use, 1e-5);
        destroy_cloud(c);
    }
}

static void the_quick_corotated_stress_is_that_of_the_law(void **state)
{
    (void)state;
    static const char *const laws[] = {"corotated", "st_venant_kirchhoff"};
    for (int green = 0; green < 2; ++green)
    {
        cloud *a = make_cloud(6, 6, 6, 0.3, 3, FRZ_BOND_GRADIENT), *b = make_cloud(6, 6, 6, 0.3, 3, FRZ_BOND_GRADIENT);
        const frz_elastic_law_material slow = {elastic_of(laws[green]), a->rotation};
        const frz_elastic_corotated quick = {
            .lambda = slow.elastic.lambda, .mu = slow.elastic.mu, .green = green == 1, .rotation = b->rotation};
        const frz_elastic_use slow_use = {frz_elastic_law_stress, &slow, true, 0.0};
        const frz_elastic_use quick_use = {frz_elastic_corotated_stress, &quick, true, 0.0};
        deform(a, some_map(3));
        deform(b, some_map(3));
        shake(a, 0.1, 4);
        shake(b, 0.1, 4);
        const double ea = frz_elastic_forces(&a->bonds, 0, &slow_use, &a->work);
        const double eb = frz_elastic_forces(&b->bonds, 0, &quick_use, &b->work);
        assert_near(ea, eb, 1e-5 * ea);
        double size = 0.0, worst = 0.0;
        for (int i = 0; i < a->count; ++i)
        {
            size = fmax(size, frz_v3_length(v3_of(a->work.force[i])));
            worst = fmax(worst, frz_v3_length(v3_of(a->work.force[i] - b->work.force[i])));
        }
        assert_less(worst, 1e-4 * size);
        destroy_cloud(a);
        destroy_cloud(b);
    }
}

static void a_turned_body_feels_nothing(void **state)
{
    (void)state;
    for (int correction = 0; correction < 2; ++correction)
    {
        cloud *c = make_cloud(6, 6, 6, 0.2, 3, FRZ_BOND_GRADIENT);
        const frz_elastic_corotated material = {
            .lambda = 5e4, .mu = 4e4, .moment = correction ? NULL : &c->bonds.moment, .rotation = c->rotation};
        const frz_elastic_use use = {frz_elastic_corotated_stress, &material, correction == 1, 0.0};
        deform(c, frz_m3_from_quat(frz_quat_axis_angle(frz_v3(1.0, 2.0, -0.5), 2.5)));
        (void)frz_elastic_forces(&c->bonds, 0, &use, &c->work);
        for (int i = 0; i < c->count; ++i) // a strain of 1 would be 1e5 Pa spacing^2 = 1e3 N
            assert_less(frz_v3_length(v3_of(c->work.force[i])), 1e3 * 1e-5);
        destroy_cloud(c);
    }
}

// ---- bodies that do not fill the space

static void sheets_rods_pairs_and_single_particles_do_no_harm(void **state)
{
    (void)state;
    static const struct
    {
        int n[3], dimension, rank;
    } cases[] = {{{6, 6, 1}, 3, 2}, {{1, 6, 6}, 3, 2}, {{8, 1, 1}, 3, 1}, {{8, 1, 1}, 2, 1},
                 {{1, 2, 1}, 3, 1}, {{1, 1, 1}, 3, 0}, {{1, 1, 1}, 2, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    {
        cloud *c = make_cloud(cases[k].n[0], cases[k].n[1], cases[k].n[2], 0.0, cases[k].dimension, FRZ_BOND_GRADIENT);
        assert_int_equal(c->bonds.rank[0], cases[k].rank);
        const frz_elastic_law_material material = {elastic_of("neo_hookean_log"), c->rotation};
        const frz_elastic_use use = {frz_elastic_law_stress, &material, true, 1e4};
        // a turn by half a circle is no deformation
        frz_mat3 turn = frz_m3_from_quat(frz_quat_axis_angle(frz_v3(0.0, 0.0, 1.0), 3.14159265358979));
        deform(c, turn);
        assert_less(frz_elastic_energy(&c->bonds, 0, &use, &c->work), 1e-6);
        deform(c, some_map(cases[k].dimension));
        shake(c, 0.1, 8);
        if (cases[k].rank > 0)
            assert_less(derivative_error(c, &use), 5e-3);
        check_balance(c, &use, 1e-5);
        for (int i = 0; i < c->count; ++i)
            assert_true(isfinite((double)frz_v4_dot3(c->work.force[i], c->work.force[i])));
        destroy_cloud(c);
    }
}

// ---- time step

static void the_highest_frequency_is_found_from_below(void **state)
{
    (void)state;
    cloud *c = make_cloud(9, 9, 9, 0.0, 3, FRZ_BOND_GRADIENT);
    const frz_elastic_corotated material = {.lambda = 0.0, .mu = 5e4, .rotation = c->rotation};
    const frz_elastic_use use = {frz_elastic_corotated_stress, &material, true, 0.0};
    const double rate = sqrt(frz_elastic_stiffness(&c->bonds, 0, &use, 1000.0, &c->work));
    const double wave = sqrt(1e5 / 1000.0) / spacing;
    print_message("highest frequency: %.3f c / spacing\n", rate / wave);
    assert_greater(rate, 0.5 * wave);
    assert_less(rate, 2.0 * wave);
    destroy_cloud(c);
}

// ---- plastic flow

// A block between two grips, pulled out and brought back: what an elastic one forgets, a plastic one keeps.
static double force_after_a_pull(const char *plastic)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "{dimension: 3, spacing: 0.1, duration: 10, gravity: [0, 0, 0], materials: {dough: {density: 1000, elastic: "
        "{method: tlsph, young: 1e5, poisson: 0.3, damping: 20}%s}}, bodies: [{name: block, state: elastic, material: "
        "dough, shape: {box: {min: [0, 0, 0], max: [0.6, 0.3, 0.3]}}}], attachments: [{name: left, shape: {box: {min: "
        "[-1, -1, -1], max: [0.1, 1, 1]}}}, {name: right, shape: {box: {min: [0.5, -1, -1], max: [1, 1, 1]}}, motion: "
        "{interpolation: smooth, keyframes: [{time: 0, position: [0, 0, 0]}, {time: 0.2, position: [0.1, 0, 0]}, "
        "{time: 0.4, position: [0, 0, 0]}]}}]}",
        plastic);
    frz_sim *sim = core_sim(text, 1);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(frz_sim_advance(sim, 1.0, &diag), FRZ_OK);
    const double force = frz_sim_attachment(sim, 1).force[0];
    frz_sim_destroy(&sim);
    return force;
}

static void what_flowed_does_not_come_back(void **state)
{
    (void)state;
    const double yield = 2e3, area = 0.09;
    assert_small(force_after_a_pull(""), 1e-3 * yield * area);
    // longer by a quarter than the place it is pressed back into, it pushes with its yield stress
    const double force = force_after_a_pull(", plastic: {yield: 2e3}");
    print_message("force %g N, yield stress times area %g N\n", force, yield * area);
    assert_less(force, -0.7 * yield * area);
    assert_greater(force, -1.6 * yield * area);
}

static void strong_damping_shortens_explicit_steps_instead_of_throwing_bodies_about(void **state)
{
    (void)state;
    static const char *const methods[] = {"tlsph", "becker2009", "mueller2004", "solenthaler2007", "zhou2013"};
    static const char *const sizes[] = {"0.3, 0.2", "0.1, 0.1"}; // a block, and a particle without bonds
    for (int n = 0; n < 10; ++n)
    {
        char text[1024];
        snprintf(
            text, sizeof text,
            "{dimension: 2, spacing: 0.1, duration: 1, gravity: [0, -10], materials: {tar: {density: 1000, elastic: "
            "{method: %s, young: 1e5, damping: 2e4}}}, bodies: [{name: b, state: elastic, material: tar, velocity: "
            "[1, 0], shape: {box: {min: [0, 0], max: [%s]}}}]}",
            methods[n % 5], sizes[n / 5]);
        frz_sim *sim = core_sim(text, 1);
        core_steps(sim, 200);
        assert_less(sim->state->stats.max_speed, 1e-3); // it sinks at g / damping
        frz_sim_destroy(&sim);
    }
}

static void plastic_flow_is_refused_where_the_method_has_no_law(void **state)
{
    (void)state;
    core_refused(
        "{dimension: 2, spacing: 0.1, duration: 1, materials: {m: {density: 1000, elastic: {method: becker2009}, "
        "plastic: 1e3}}, bodies: [{state: elastic, material: m, shape: {box: {min: [0, 0], max: [1, 1]}}}]}",
        "tlsph, peer2018, kugelstadt2021, zhou2013 and mpm, not with becker2009");
}

static int most_bonds(const char *kernel)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "{dimension: 3, spacing: 0.1, duration: 1, %s, materials: {m: {density: 1000, elastic: {method: becker2009, "
        "young: 1e5, poisson: 0.2}}}, bodies: [{name: a, state: elastic, material: m, shape: {box: {min: [0, 0, 0], "
        "max: [0.5, 0.5, 0.5]}}}]}",
        kernel);
    frz_sim *sim = core_sim(text, 1);
    const frz_bonds *bonds = &sim->state->bonds;
    int most_of_one = 0;
    for (int i = 0; i < bonds->count; ++i)
    {
        int count = 0;
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
            count += bonds->weight[k] > 0;
        most_of_one = count > most_of_one ? count : most_of_one;
    }
    frz_sim_destroy(&sim);
    return most_of_one;
}

static void bonds_reach_as_far_as_the_scene_says(void **state)
{
    (void)state;
    assert_int_equal(most_bonds("kernel: cubic_spline"), 18);
    assert_int_equal(most_bonds("kernel: {bonds: cosine, bond_support: 2.05}"), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bonds_go_both_ways_with_the_same_weight),
        cmocka_unit_test(bonds_are_all_pairs_within_the_support),
        cmocka_unit_test(breaking_a_bond_takes_both_directions),
        cmocka_unit_test(affine_maps_are_exact_to_rounding_wherever_the_particles_are),
        cmocka_unit_test(forces_are_the_derivative_of_the_energy),
        cmocka_unit_test(forces_are_the_derivative_where_the_stiffness_varies),
        cmocka_unit_test(bodies_of_two_materials_have_forces_of_one_energy),
        cmocka_unit_test(forces_and_torques_of_a_body_on_itself_cancel),
        cmocka_unit_test(the_quick_corotated_stress_is_that_of_the_law),
        cmocka_unit_test(a_turned_body_feels_nothing),
        cmocka_unit_test(sheets_rods_pairs_and_single_particles_do_no_harm),
        cmocka_unit_test(the_highest_frequency_is_found_from_below),
        cmocka_unit_test(what_flowed_does_not_come_back),
        cmocka_unit_test(strong_damping_shortens_explicit_steps_instead_of_throwing_bodies_about),
        cmocka_unit_test(plastic_flow_is_refused_where_the_method_has_no_law),
        cmocka_unit_test(bonds_reach_as_far_as_the_scene_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
