// SPDX-License-Identifier: MIT
// Moments of bodies made of particles: exact sums, and the motion that follows from them.
#include "rigid_trial.h"

#include "random_trial.h"
#include "rigid/exact_moments.h"
#include "compare.h"

static const double spacing = 0.02;
static const double particle_mass = 8.3e-3;

static frz_moment_units make_units(void)
{
    frz_diag diag;
    frz_moment_units units;
    rigid_must(frz_moment_units_make(2.0 * particle_mass, 10.0, 1000000, spacing, &units, &diag), &diag);
    return units;
}

static frz_vec3 random_place(double size, int dimension)
{
    return frz_v3(size * draw(), size * draw(), dimension == 3 ? size * draw() : 0.0);
}

/// A lattice of cells with its low corner at a place.
static frz_exact_moments sum_box(const frz_moment_units *units, const int cells[3], frz_vec3 corner, int dimension)
{
    frz_exact_moments sum = {0};
    for (int x = 0; x < cells[0]; ++x)
        for (int y = 0; y < cells[1]; ++y)
            for (int z = 0; z < (dimension == 3 ? cells[2] : 1); ++z)
            {
                const frz_vec3 place = frz_v3_mad(corner, spacing, frz_v3(x + 0.5, y + 0.5, z + 0.5));
                frz_moments_add(&sum, units, particle_mass, frz_v3(place.x, place.y, dimension == 3 ? place.z : 0.0));
            }
    return sum;
}

static void a_lattice_box_has_the_inertia_of_the_box(void **state)
{
    (void)state;
    const frz_moment_units units = make_units();
    const int cells[3] = {7, 4, 5};
    const double a = cells[0] * spacing, b = cells[1] * spacing, c = cells[2] * spacing;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int far = 0; far < 2; ++far)
        {
            const frz_vec3 corner = far ? frz_v3(7.0, -5.0, 3.0) : frz_v3(-0.5 * a, -0.5 * b, -0.5 * c);
            const frz_exact_moments sum = sum_box(&units, cells, corner, dimension);
            assert_int_equal(sum.count, dimension == 3 ? 140 : 28);
            const frz_mass_properties box = frz_moments_properties(&sum, &units, dimension);
            const double m = particle_mass * (double)sum.count, tolerance = far ? 1e-12 : 4e-15;
            assert_near(box.mass / m, 1.0, 1e-15);
            assert_near(box.center.x, (corner.x + 0.5 * a), 4e-15);
            assert_near(box.inertia.m[2][2] / (m / 12.0 * (a * a + b * b)), 1.0, tolerance);
            if (dimension == 2)
                continue;
            assert_near(box.inertia.m[0][0] / (m / 12.0 * (b * b + c * c)), 1.0, tolerance);
            assert_near(box.inertia.m[1][1] / (m / 12.0 * (a * a + c * c)), 1.0, tolerance);
            assert_small(box.inertia.m[0][1], tolerance * box.inertia.m[0][0]);
        }
}

static void removals_leave_the_bits_of_a_fresh_sum(void **state)
{
    (void)state;
    enum
    {
        most = 400,
        events = 10000
    };
    const frz_moment_units units = make_units();
    frz_exact_moments sum = {0}, fresh = {0}, parts[2] = {{0}, {0}};
    frz_vec3 places[most];
    double masses[most];
    int count = 0, removed = 0;
    for (int event = 0; event < events; ++event)
    {
        if (count == 0 || (count < most && draw() > 0.0))
        {
            places[count] = random_place(10.0, 3);
            masses[count] = particle_mass * (1.0 + 0.9 * draw());
            frz_moments_add(&sum, &units, masses[count], places[count]);
            ++count;
            continue;
        }
        const int at = (int)(0.499 * (draw() + 1.0) * count);
        frz_moments_remove(&sum, &units, masses[at], places[at]);
        places[at] = places[--count];
        masses[at] = masses[count];
        ++removed;
    }
    assert_greater(removed, 1000);
    assert_greater(count, 0);
    for (int n = count - 1; n >= 0; --n)
    {
        frz_moments_add(&fresh, &units, masses[n], places[n]);
        frz_moments_add(&parts[n % 2], &units, masses[n], places[n]);
    }
    frz_moments_merge(&parts[0], &parts[1]);
    const size_t size = offsetof(frz_exact_moments, count) + sizeof sum.count; // without padding
    assert_memory_equal(&sum, &fresh, size);
    assert_memory_equal(&parts[0], &fresh, size);
}

static void units_that_cannot_be_are_refused(void **state)
{
    (void)state;
    frz_diag diag;
    frz_moment_units units;
    assert_int_not_equal(frz_moment_units_make(0.0, 1.0, 10, spacing, &units, &diag), FRZ_OK);
    assert_int_not_equal(frz_moment_units_make(NAN, 1.0, 10, spacing, &units, &diag), FRZ_OK);
    assert_int_not_equal(frz_moment_units_make(1.0, HUGE_VAL, 10, spacing, &units, &diag), FRZ_OK);
    assert_int_not_equal(frz_moment_units_make(1.0, 1.0, INT64_MAX, spacing, &units, &diag), FRZ_OK);
    assert_int_equal(frz_moment_units_make(1e-20, 1e-6, INT64_C(1) << 40, spacing, &units, &diag), FRZ_OK);
}

typedef struct momentum
{
    frz_vec3 linear, angular; // about the origin
} momentum;

static momentum momentum_of(const frz_rigid_body *body)
{
    return (momentum){frz_v3_scale(body->mass, body->velocity),
                      frz_rigid_body_angular_momentum(body, frz_v3(0.0, 0.0, 0.0))};
}

/// A moving body of random particles.
static frz_rigid_body moving_body(const frz_exact_moments *sum, const frz_moment_units *units, int dimension)
{
    const frz_mass_properties material = frz_moments_properties(sum, units, dimension);
    const frz_quat turn = frz_quat_axis_angle(dimension == 3 ? frz_v3(1.0, 2.0, 3.0) : frz_v3(0.0, 0.0, 1.0), 0.7);
    const frz_vec3 frame = dimension == 3 ? frz_v3(0.3, -0.2, 0.6) : frz_v3(0.3, -0.2, 0.0);
    frz_rigid_body body = frz_rigid_body_of_material(&material, frame, turn, dimension);
    body.velocity = dimension == 3 ? frz_v3(1.0, -2.0, 0.5) : frz_v3(1.0, -2.0, 0.0);
    body.spin = dimension == 3 ? frz_v3(3.0, 1.0, -2.0) : frz_v3(0.0, 0.0, 2.5);
    return body;
}

static void a_body_that_loses_particles_keeps_the_rest_of_its_momentum(void **state)
{
    (void)state;
    const frz_moment_units units = make_units();
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        enum
        {
            count = 60,
            lost = 45
        };
        frz_exact_moments sum = {0}, gone = {0};
        frz_vec3 places[count];
        for (int n = 0; n < count; ++n)
        {
            places[n] = random_place(0.1, dimension);
            frz_moments_add(&sum, &units, particle_mass, places[n]);
        }
        frz_rigid_body body = moving_body(&sum, &units, dimension), part = body;
        const momentum before = momentum_of(&body);
        const frz_vec3 frame = frz_rigid_body_frame(&body);
        for (int n = 0; n < lost; ++n)
        {
            frz_moments_remove(&sum, &units, particle_mass, places[n]);
            frz_moments_add(&gone, &units, particle_mass, places[n]);
        }
        const frz_mass_properties rest = frz_moments_properties(&sum, &units, dimension),
                                  other = frz_moments_properties(&gone, &units, dimension);
        frz_rigid_body_reshape(&body, &rest, dimension);
        frz_rigid_body_reshape(&part, &other, dimension);
        const frz_vec3 shifted = frz_v3_sub(body.position, part.position);
        assert_greater(frz_v3_length(shifted), 0.01); // the centres have moved
        assert_less(frz_v3_length(frz_v3_sub(frz_rigid_body_frame(&body), frame)), 1e-15);
        const momentum a = momentum_of(&body), b = momentum_of(&part);
        const frz_vec3 linear = frz_v3_sub(frz_v3_add(a.linear, b.linear), before.linear);
        const frz_vec3 angular = frz_v3_sub(frz_v3_add(a.angular, b.angular), before.angular);
        assert_less(frz_v3_length(linear), 1e-14 * frz_v3_length(before.linear));
        assert_less(frz_v3_length(angular), 1e-14 * frz_v3_length(before.angular));
        // and back: the momentum of both parts in one body
        frz_moments_merge(&sum, &gone);
        const frz_mass_properties whole = frz_moments_properties(&sum, &units, dimension);
        frz_rigid_body_reshape(&body, &whole, dimension);
        body.velocity = body.spin = frz_v3(9.0, 9.0, 9.0);
        frz_rigid_body_set_momentum(&body, before.linear, before.angular, frz_v3(0.0, 0.0, 0.0));
        const momentum again = momentum_of(&body);
        assert_less(frz_v3_length(frz_v3_sub(again.linear, before.linear)), 1e-14 * frz_v3_length(before.linear));
        assert_less(frz_v3_length(frz_v3_sub(again.angular, before.angular)), 1e-14 * frz_v3_length(before.angular));
        assert_true(dimension == 3 || (body.spin.x == 0.0 && body.spin.y == 0.0));
    }
}

static void bodies_of_few_particles_have_an_inverse_inertia(void **state)
{
    (void)state;
    const frz_moment_units units = make_units();
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        frz_exact_moments sum = {0};
        for (int count = 1; count <= 3; ++count) // on a line
        {
            frz_moments_add(&sum, &units, particle_mass, frz_v3(count * spacing, 0.1, 0.0));
            const frz_mass_properties material = frz_moments_properties(&sum, &units, dimension);
            const frz_rigid_body body =
                frz_rigid_body_of_material(&material, frz_v3(0.0, 0.0, 0.0), frz_quat_identity(), dimension);
            const double least = count * particle_mass * spacing * spacing / 6.0;
            const double entry = dimension == 3 ? body.inverse_inertia.m[0][0] * least
                                                : body.inverse_inertia.m[2][2] * material.inertia.m[2][2];
            assert_near(entry, 1.0, 1e-9);
            assert_less(frz_m3_norm(body.inverse_inertia), 2.0 / least);
        }
    }
}

static void what_is_held_stays_held(void **state)
{
    (void)state;
    const frz_moment_units units = make_units();
    frz_exact_moments sum = {0};
    for (int n = 0; n < 20; ++n)
        frz_moments_add(&sum, &units, particle_mass, random_place(0.1, 3));
    frz_rigid_body body = moving_body(&sum, &units, 3);
    body.inverse_mass = 0.0;
    body.inverse_inertia = frz_m3_zero();
    frz_moments_remove(&sum, &units, particle_mass, frz_v3(0.01, 0.02, 0.03));
    const frz_mass_properties rest = frz_moments_properties(&sum, &units, 3);
    const double mass = body.mass;
    frz_rigid_body_reshape(&body, &rest, 3);
    assert_less(body.mass, mass);
    assert_false(frz_rigid_body_yields(&body));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lattice_box_has_the_inertia_of_the_box),
        cmocka_unit_test(removals_leave_the_bits_of_a_fresh_sum),
        cmocka_unit_test(units_that_cannot_be_are_refused),
        cmocka_unit_test(a_body_that_loses_particles_keeps_the_rest_of_its_momentum),
        cmocka_unit_test(bodies_of_few_particles_have_an_inverse_inertia),
        cmocka_unit_test(what_is_held_stays_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
