// SPDX-License-Identifier: MIT
// labels: tsan
// Joints between rigid bodies: exact motions, conservation, chains, gears, ropes.
#include "rigid_trial.h"

#include <omp.h>
#include "compare.h"

static const double spacing = 0.02;
static const double gravity = 9.81;

static const rigid_material wood = {700.0, 0.3, 0.0};

static void join(frz_rigid_world *world, const frz_pair_joint *list, int count, int dimension)
{
    frz_diag diag;
    frz_joints *joints = NULL;
    rigid_must(frz_joints_create(list, count, world->bodies, world->count, dimension, spacing, &joints, &diag), &diag);
    frz_contacts_take_joints(world->contacts, joints);
}

/// A joint of two bodies at a place of the world, as they stand now.
static frz_pair_joint at(const frz_rigid_world *world, frz_pair_joint_kind kind, int a, int b, frz_vec3 place)
{
    frz_pair_joint joint = {.kind = kind, .body = {a, b}, .anchor = {place, place}, .axis = {0.0, 0.0, 1.0}};
    for (int side = 0; side < 2; ++side)
    {
        if (joint.body[side] >= 0)
            joint.anchor[side] = frz_v3_sub(place, world->bodies[joint.body[side]].position);
    }
    return joint;
}

static frz_vec3 anchor_place(const frz_rigid_world *world, const frz_pair_joint *joint, int side)
{
    if (joint->body[side] < 0)
        return joint->anchor[side];
    const frz_rigid_body *body = &world->bodies[joint->body[side]];
    return frz_v3_add(body->position, frz_quat_rotate(body->rotation, joint->anchor[side]));
}

static double gap(const frz_rigid_world *world, const frz_pair_joint *joint)
{
    return frz_v3_length(frz_v3_sub(anchor_place(world, joint, 0), anchor_place(world, joint, 1)));
}

/// Energy with velocities in the middle between two steps' ends: those of the scheme are half a step behind.
static double level_energy(frz_rigid_world *world, double dt)
{
    frz_diag diag;
    frz_rigid_body before[8];
    FRZ_ASSERT(world->count <= 8);
    memcpy(before, world->bodies, (size_t)world->count * sizeof *before);
    rigid_must(frz_rigid_world_step(world, dt, &diag), &diag);
    double sum = 0.0;
    for (int b = 0; b < world->count; ++b)
    {
        frz_rigid_body mean = before[b];
        mean.velocity = frz_v3_scale(0.5, frz_v3_add(before[b].velocity, world->bodies[b].velocity));
        mean.spin = frz_v3_scale(0.5, frz_v3_add(before[b].spin, world->bodies[b].spin));
        sum += frz_rigid_body_energy(&mean) - mean.mass * frz_v3_dot(world->gravity, before[b].position);
    }
    return sum;
}

// Arithmetic-geometric mean: the exact period of a pendulum is T0 / agm(1, cos(amplitude / 2)).
static double agm(double a, double b)
{
    while (fabs(a - b) > 1e-15 * a)
    {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

/// Mean period over some swings of a box on a ball or hinge at its end, let go at an angle (rad) from below.
static double measure_period(frz_pair_joint_kind kind, double amplitude, double dt)
{
    frz_rigid_world *world = rigid_world(spacing, gravity);
    const frz_vec3 half = {0.02, 0.2, 0.03};
    const frz_vec3 center = {0.2 * sin(amplitude), -0.2 * cos(amplitude), 0.0};
    rigid_box(world, center, half, frz_quat_axis_angle(frz_v3(0.0, 0.0, 1.0), amplitude), wood, spacing);
    const frz_pair_joint joint = at(world, kind, 0, -1, frz_v3(0.0, 0.0, 0.0));
    join(world, &joint, 1, 3);
    double first = 0.0, last = 0.0;
    int crossings = 0;
    for (double before = world->bodies[0].position.x; crossings < 5;)
    {
        frz_diag diag;
        rigid_must(frz_rigid_world_step(world, dt, &diag), &diag);
        const double now = world->bodies[0].position.x;
        if (before > 0.0 && now <= 0.0)
        {
            last = world->time - dt * now / (now - before);
            first = crossings++ == 0 ? last : first;
        }
        before = now;
    }
    assert_less(gap(world, &joint), 1e-9 * spacing);
    frz_rigid_world_destroy(&world);
    return (last - first) / (crossings - 1);
}

static void a_pendulum_has_the_exact_period_of_second_order(void **state)
{
    (void)state;
    // physical pendulum: T0 = 2 pi sqrt(I / (m g d)) with I about the joint
    const double inertia = (0.02 * 0.02 + 0.2 * 0.2) / 3.0 + 0.2 * 0.2; // per mass
    const double small = 2.0 * rigid_pi * sqrt(inertia / (gravity * 0.2));
    const double amplitude = 1.0;
    const double exact = small / agm(1.0, cos(0.5 * amplitude));
    for (int kind = 0; kind < 2; ++kind)
    {
        const frz_pair_joint_kind which = kind == 0 ? FRZ_PAIR_BALL : FRZ_PAIR_HINGE;
        const double coarse = measure_period(which, amplitude, 0.01) / exact - 1.0;
        const double fine = measure_period(which, amplitude, 0.005) / exact - 1.0;
        assert_small(fine, 1e-4);
        assert_small(coarse, 6.0 * fabs(fine));
        assert_greater(fabs(coarse), 2.5 * fabs(fine));
    }
}

static frz_rigid_world *make_double_pendulum(frz_pair_joint joints[2])
{
    frz_rigid_world *world = rigid_world(spacing, gravity);
    const frz_vec3 half = {0.15, 0.02, 0.03};
    rigid_box(world, frz_v3(0.15, 0.0, 0.0), half, frz_quat_identity(), wood, spacing);
    rigid_box(world, frz_v3(0.45, 0.0, 0.0), half, frz_quat_identity(), wood, spacing);
    joints[0] = at(world, FRZ_PAIR_HINGE, 0, -1, frz_v3(0.0, 0.0, 0.0));
    joints[1] = at(world, FRZ_PAIR_HINGE, 1, 0, frz_v3(0.3, 0.0, 0.0));
    join(world, joints, 2, 3);
    return world;
}

static void a_double_pendulum_keeps_its_energy_and_does_not_drift(void **state)
{
    (void)state;
    double worst[2] = {0.0, 0.0};
    frz_pair_joint joints[2];
    double scale = 0.0;
    for (int trial = 0; trial < 2; ++trial)
    {
        frz_rigid_world *world = make_double_pendulum(joints);
        const double dt = trial == 0 ? 0.002 : 0.001;
        const double start = level_energy(world, dt);
        scale = world->bodies[0].mass * gravity * 0.6;
        for (int n = 0; n < (int)(10.0 / dt); ++n)
        {
            worst[trial] = fmax(worst[trial], fabs(level_energy(world, dt) - start) / scale);
            assert_less(gap(world, &joints[0]), 1e-8 * spacing);
            assert_less(gap(world, &joints[1]), 1e-8 * spacing);
        }
        assert_small(world->bodies[1].position.z, 1e-12);
        frz_rigid_world_destroy(&world);
    }
    assert_less(worst[0], 0.01);
    assert_less(worst[1], 0.4 * worst[0]); // second order, over ten seconds of chaos
}

static void free_joined_bodies_keep_their_momentum_to_rounding(void **state)
{
    (void)state;
    frz_rigid_world *world = rigid_world(spacing, 0.0);
    for (int n = 0; n < 4; ++n)
    {
        rigid_box(world, frz_v3(0.2 * n, 0.01 * n, 0.02 * n), frz_v3(0.09, 0.02, 0.03),
                  frz_quat_axis_angle(frz_v3(1.0, 2.0, n), 0.3 * n), wood, spacing);
        world->bodies[n].velocity = frz_v3(0.5 * n, -1.0 + n, 0.3);
        world->bodies[n].spin = frz_v3(n, 1.0, -2.0 * n);
    }
    const frz_pair_joint joints[3] = {at(world, FRZ_PAIR_BALL, 0, 1, frz_v3(0.1, 0.0, 0.0)),
                                      at(world, FRZ_PAIR_HINGE, 2, 1, frz_v3(0.3, 0.01, 0.02)),
                                      at(world, FRZ_PAIR_SLIDER, 2, 3, frz_v3(0.5, 0.02, 0.04))};
    join(world, joints, 3, 3);
    frz_vec3 linear[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, angular[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    double energy[2] = {0.0, 0.0};
    for (int k = 0; k < 2; ++k)
    {
        if (k == 1)
            rigid_run(world, 0.002, 2.0);
        for (int b = 0; b < 4; ++b)
        {
            linear[k] = frz_v3_mad(linear[k], world->bodies[b].mass, world->bodies[b].velocity);
            angular[k] =
                frz_v3_add(angular[k], frz_rigid_body_angular_momentum(&world->bodies[b], frz_v3(0.0, 0.0, 0.0)));
            energy[k] += frz_rigid_body_energy(&world->bodies[b]);
        }
    }
    assert_less(frz_v3_length(frz_v3_sub(linear[1], linear[0])), 1e-11 * frz_v3_length(linear[0]));
    assert_less(frz_v3_length(frz_v3_sub(angular[1], angular[0])), 1e-10 * frz_v3_length(angular[0]));
    assert_less(energy[1], energy[0]); // they did not fit together at the start
    for (int j = 0; j < 2; ++j)
        assert_less(gap(world, &joints[j]), 1e-8 * spacing);
    const frz_quat turn = frz_quat_mul(world->bodies[2].rotation, frz_quat_conjugate(world->bodies[3].rotation));
    assert_less(hypot(hypot(turn.x, turn.y), turn.z), 1e-9);
    frz_rigid_world_destroy(&world);
}

/// A chain of capsules between two places, laid out along a semicircle's polygon; joints from left to right.
static frz_rigid_world *make_chain(int links, double width)
{
    frz_diag diag;
    frz_rigid_world *world = rigid_world(spacing, gravity);
    frz_pair_joint joints[64];
    const double radius = 0.5 * width;
    for (int n = 0; n < links; ++n)
    {
        const double from = rigid_pi * n / links, to = rigid_pi * (n + 1) / links;
        const frz_vec3 a = {-radius * cos(from), -radius * sin(from), 0.0};
        const frz_vec3 b = {-radius * cos(to), -radius * sin(to), 0.0};
        frz_shape *shape = NULL;
        rigid_must(frz_shape_capsule(a, b, 0.01, &shape, &diag), &diag);
        const frz_moments moments = frz_shape_moments(shape, 3);
        frz_rigid_def def = frz_rigid_def_default();
        def.density = 2000.0;
        frz_rigid_body body;
        rigid_must(frz_rigid_body_make(&def, &moments, 3, &body, &diag), &diag);
        rigid_take(world, shape, body.position, body.mass, body.inertia, wood, spacing, 3, 10.0);
        joints[n] = at(world, FRZ_PAIR_BALL, n, n - 1, a);
        if (n == links - 1)
            joints[links] = at(world, FRZ_PAIR_BALL, n, -1, b);
    }
    join(world, joints, links + 1, 3);
    return world;
}

// Equilibrium of a chain of equal links: the vertical force in link n is (n + 1/2 - links / 2) m g and the horizontal
// one is H, so that slopes are known but for H, which the width gives.
static double sag_of_links(int links, double length, double width)
{
    double low = 0.0, high = 1e3; // H / (m g)
    for (int k = 0; k < 200; ++k)
    {
        const double pull = 0.5 * (low + high);
        double across = 0.0;
        for (int n = 0; n < links; ++n)
            across += length * pull / hypot(pull, n + 0.5 - 0.5 * links);
        *(across < width ? &low : &high) = pull;
    }
    double sag = 0.0;
    for (int n = 0; n < links / 2; ++n)
        sag += length * fabs(n + 0.5 - 0.5 * links) / hypot(low, n + 0.5 - 0.5 * links);
    return sag;
}

static void a_chain_hangs_as_a_catenary(void **state)
{
    (void)state;
    enum
    {
        links = 20
    };
    const double width = 1.0, length = width * sin(0.5 * rigid_pi / links);
    frz_rigid_world *world = make_chain(links, width);
    for (int n = 0; n < 1500; ++n)
    {
        frz_diag diag;
        rigid_must(frz_rigid_world_step(world, 0.01, &diag), &diag);
        for (int b = 0; b < links; ++b) // let it come to rest
        {
            world->bodies[b].velocity = frz_v3_scale(0.98, world->bodies[b].velocity);
            world->bodies[b].spin = frz_v3_scale(0.98, world->bodies[b].spin);
        }
    }
    double lowest = 0.0;
    for (int b = 0; b < links; ++b)
    {
        const frz_pair_joint joint = frz_joints_view(frz_contacts_joints(world->contacts))[b];
        lowest = fmin(lowest, anchor_place(world, &joint, 0).y);
    }
    const double exact = sag_of_links(links, length, width);
    // the catenary of the same length: sag = a (cosh(w / 2a) - 1) with 2 a sinh(w / 2a) = length
    double low = 1e-2, high = 1e2;
    for (int k = 0; k < 200; ++k)
    {
        const double a = 0.5 * (low + high);
        *(2.0 * a * sinh(0.5 * width / a) > links * length ? &low : &high) = a;
    }
    const double smooth = low * (cosh(0.5 * width / low) - 1.0);
    assert_small(lowest + exact, 1e-6);
    assert_near(exact, smooth, 2e-3); // of the polygon
    frz_rigid_world_destroy(&world);
}

static int put_wheel(frz_rigid_world *world, frz_vec3 center, double radius)
{
    frz_diag diag;
    frz_shape *shape = NULL;
    frz_contact_shape *surface = NULL;
    rigid_must(
        frz_shape_cylinder(frz_v3(center.x, center.y, -0.05), frz_v3(center.x, center.y, 0.05), radius, &shape, &diag),
        &diag);
    const frz_moments moments = frz_shape_moments(shape, 3);
    frz_rigid_def def = frz_rigid_def_default();
    def.density = 1000.0;
    def.joint = FRZ_JOINT_HINGE;
    def.anchor = center;
    frz_rigid_body body;
    rigid_must(frz_rigid_body_make(&def, &moments, 3, &body, &diag), &diag);
    const frz_contact_shape_def surface_def = {
        .shape = shape, .center = center, .spacing = spacing, .dimension = 3, .clip = rigid_all(10.0), .name = "wheel"};
    rigid_must(frz_contact_shape_create(&surface_def, &surface, &diag), &diag);
    frz_shape_destroy(&shape);
    frz_rigid_world_take(world, &body, surface);
    return world->count - 1;
}

static void gears_keep_their_ratio_exactly_and_share_the_torque(void **state)
{
    (void)state;
    frz_rigid_world *world = rigid_world(spacing, 0.0);
    put_wheel(world, frz_v3(0.0, 0.0, 0.0), 0.1);
    put_wheel(world, frz_v3(1.0, 0.0, 0.0), 0.2);
    const frz_pair_joint joint = {.kind = FRZ_PAIR_GEAR, .body = {0, 1}, .ratio = -0.5, .axis = {0.0, 0.0, 1.0}};
    join(world, &joint, 1, 3);
    const double torque = 3.0, dt = 0.005;
    const double inertia[2] = {world->bodies[0].inertia.m[2][2], world->bodies[1].inertia.m[2][2]};
    for (int n = 0; n < 400; ++n)
    {
        frz_diag diag;
        frz_rigid_body_act(&world->bodies[0], frz_v3(0.0, 0.0, 0.0), frz_v3(0.0, 0.0, dt * torque));
        rigid_must(frz_rigid_world_step(world, dt, &diag), &diag);
    }
    const double exact = torque * 2.0 / (inertia[0] + 0.25 * inertia[1]);
    assert_near(world->bodies[0].spin.z, exact, 1e-10 * exact);
    assert_small(world->bodies[1].spin.z + 0.5 * exact, 1e-10 * exact);
    const frz_joint_memory *memory = frz_joints_memory(frz_contacts_joints(world->contacts));
    assert_greater(memory->angle[0], 6.3); // more than a turn
    assert_small(memory->angle[1] + 0.5 * memory->angle[0], 1e-11 * memory->angle[0]);
    frz_rigid_world_destroy(&world);
}

static void a_rope_pulls_but_does_not_push(void **state)
{
    (void)state;
    frz_rigid_world *world = rigid_world(spacing, gravity);
    rigid_box(world, frz_v3(0.0, -0.2, 0.0), frz_v3(0.05, 0.05, 0.05), frz_quat_identity(), wood, spacing);
    frz_pair_joint joint = at(world, FRZ_PAIR_ROPE, 0, -1, frz_v3(0.0, -0.15, 0.0));
    joint.anchor[1] = frz_v3(0.3, 0.0, 0.0);
    joint.length = 0.5;
    join(world, &joint, 1, 3);
    rigid_run(world, 0.002, 0.1);
    assert_small(world->bodies[0].velocity.y + 0.1 * gravity, 1e-12); // falls freely, for it is slack
    double longest = 0.0;
    for (int n = 0; n < 1000; ++n)
    {
        rigid_run(world, 0.002, 0.002);
        longest = fmax(longest, gap(world, &joint));
    }
    assert_greater(longest, joint.length - 1e-9);
    assert_less(longest, joint.length + 1e-7 * spacing);
    frz_rigid_world_destroy(&world);
}

/// Links from a place downwards, joined in order; returns the number of joints.
static int put_links(frz_rigid_world *world, frz_vec3 top, frz_vec3 step, int count, int first_partner,
                     frz_pair_joint *joints)
{
    for (int n = 0; n < count; ++n)
    {
        const frz_vec3 from = frz_v3_mad(top, n, step);
        const frz_vec3 half = {0.5 * fabs(step.x) + 0.01, 0.5 * fabs(step.y) + 0.01, 0.02};
        const int b = rigid_box(world, frz_v3_mad(from, 0.5, step), half, frz_quat_identity(), wood, spacing);
        joints[n] = at(world, FRZ_PAIR_BALL, b, n == 0 ? first_partner : b - 1, from);
    }
    return count;
}

static void a_load_of_a_thousand_links_swings_on_a_chain_like_a_pendulum(void **state)
{
    (void)state;
    enum
    {
        links = 10
    };
    frz_rigid_world *world = rigid_world(spacing, gravity);
    frz_pair_joint joints[links + 1];
    put_links(world, frz_v3(0.0, 0.0, 0.0), frz_v3(0.0, -0.1, 0.0), links, -1, joints);
    const int load = rigid_sphere(world, frz_v3(0.0, -1.2, 0.0), 0.2, (rigid_material){3000.0, 0.3, 0.0}, spacing);
    joints[links] = at(world, FRZ_PAIR_BALL, load, links - 1, frz_v3(0.0, -1.0, 0.0));
    join(world, joints, links + 1, 3);
    assert_greater(world->bodies[load].mass, 900.0 * world->bodies[0].mass);
    world->bodies[load].velocity = frz_v3(0.2, 0.0, 0.0);
    double longest = 0.0;
    const double dt = 0.0005; // the zigzag of such a chain has sqrt(12 T / (m l)), about 1000 rad/s
    for (int n = 0; n < 2000; ++n)
    {
        rigid_run(world, dt, dt);
        for (int j = 0; j <= links; ++j)
            longest = fmax(longest, gap(world, &joints[j]));
    }
    frz_joints *all = frz_contacts_joints(world->contacts);
    const double weight = gravity * world->bodies[load].mass;
    frz_vec3 moment;
    const double tension = frz_v3_length(frz_joints_impulse(all, links, 0, &moment)) / dt;
    const double inertia = world->bodies[0].inertia.m[2][2];
    assert_near(tension / weight, 1.0, 0.05);
    assert_near(frz_joints_frequency(all, world->bodies, dt) / sqrt(0.1 * weight / inertia), 1.0, 0.1);
    assert_less(longest, 1e-8 * spacing);
    assert_int_equal(frz_contacts_stats(world->contacts).islands_given_up, 0);
    frz_rigid_world_destroy(&world);
}

static void a_chain_falls_on_the_ground_and_comes_to_rest(void **state)
{
    (void)state;
    enum
    {
        links = 6
    };
    frz_rigid_world *world = rigid_world(spacing, gravity);
    rigid_ground(world, 0.0, 0.5, 0.7, spacing);
    frz_pair_joint joints[links];
    put_links(world, frz_v3(-0.3, 0.1, 0.0), frz_v3(0.1, 0.0, 0.0), links, -1, joints);
    world->bodies[1].spin = frz_v3(0.0, 1.0, 2.0);
    join(world, joints + 1, links - 1, 3);
    rigid_run(world, 0.005, 2.0);
    double fastest = 0.0;
    for (int n = 1; n <= links; ++n)
        fastest = fmax(fastest, frz_v3_length(world->bodies[n].velocity));
    for (int j = 1; j < links; ++j)
        assert_less(gap(world, &joints[j]), 1e-8 * spacing);
    const frz_contact_stats stats = frz_contacts_stats(world->contacts);
    assert_less(fastest, 1e-4);
    assert_less(stats.deepest, 0.02 * spacing);
    frz_rigid_world_destroy(&world);
}

static frz_rigid_world *swinging_chain(void)
{
    frz_rigid_world *world = make_chain(12, 0.6);
    rigid_run(world, 0.004, 0.4);
    return world;
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    rigid_assert_threads_change_nothing(swinging_chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_has_the_exact_period_of_second_order),
        cmocka_unit_test(a_double_pendulum_keeps_its_energy_and_does_not_drift),
        cmocka_unit_test(free_joined_bodies_keep_their_momentum_to_rounding),
        cmocka_unit_test(a_chain_hangs_as_a_catenary),
        cmocka_unit_test(gears_keep_their_ratio_exactly_and_share_the_torque),
        cmocka_unit_test(a_rope_pulls_but_does_not_push),
        cmocka_unit_test(a_load_of_a_thousand_links_swings_on_a_chain_like_a_pendulum),
        cmocka_unit_test(a_chain_falls_on_the_ground_and_comes_to_rest),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
    };
    omp_set_num_threads(1); // worlds of a few bodies: more threads only wait
    return cmocka_run_group_tests(tests, NULL, NULL);
}
