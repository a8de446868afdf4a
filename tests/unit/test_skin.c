// SPDX-License-Identifier: MIT
// labels: tsan
// The skin: exact for rigid and affine motions, smooth, finite for degenerate bodies, open at cracks.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "geom/mesh.h"
#include "math/mat3.h"
#include "surface/skin.h"

enum
{
    MOST = 20000
};

static const double spacing = 0.1;
static frz_vec3 places[MOST], now[MOST];

static void check(frz_status status, const frz_diag *diag)
{
    if (status != FRZ_OK)
        fail_msg("%s", diag->message);
}

/// Particles in the cells of a box of nx x ny x nz spacings at the origin.
static int fill_box(int nx, int ny, int nz)
{
    int count = 0;
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x)
                places[count++] = frz_v3((x + 0.5) * spacing, (y + 0.5) * spacing, (z + 0.5) * spacing);
    return count;
}

/// The box's surface with edges of at most a spacing, sharp edges split.
static frz_mesh *box_mesh(int nx, int ny, int nz)
{
    frz_diag diag = {0};
    frz_shape *box = NULL;
    frz_mesh *mesh = NULL;
    const frz_vec3 high = frz_v3(nx * spacing, ny * spacing, nz * spacing);
    const frz_bounds clip = {{0.0, 0.0, 0.0}, high};
    check(frz_shape_box(frz_v3(0.0, 0.0, 0.0), high, &box, &diag), &diag);
    check(frz_shape_triangulate(box, spacing, clip, &mesh, &diag), &diag);
    check(frz_mesh_refine(&mesh, spacing, &diag), &diag);
    check(frz_mesh_split_creases(&mesh, &diag), &diag);
    frz_shape_destroy(&box);
    return mesh;
}

static frz_skin *make_limited_skin(int count, const frz_mesh *mesh, double stretch_limit)
{
    frz_diag diag = {0};
    frz_skin *skin = NULL;
    const frz_skin_def def = {
        .count = count, .places = places, .spacing = spacing, .mesh = mesh, .stretch_limit = stretch_limit};
    check(frz_skin_create(&def, &skin, &diag), &diag);
    return skin;
}

static frz_skin *make_skin(int count, const frz_mesh *mesh)
{
    return make_limited_skin(count, mesh, 0.0);
}

static frz_vec3 affine(frz_mat3 f, frz_vec3 shift, frz_vec3 x)
{
    return frz_v3_add(shift, frz_m3_apply(f, x));
}

/// Largest distance of the carried vertices from where the map takes them.
static double largest_error(const frz_skin *skin, const frz_mesh *rest, frz_mat3 f, frz_vec3 shift)
{
    double worst = 0.0;
    for (int v = 0; v < rest->vertex_count; ++v)
    {
        const double error =
            frz_v3_length(frz_v3_sub(frz_skin_mesh(skin)->vertices[v], affine(f, shift, rest->vertices[v])));
        assert_true(isfinite(error));
        worst = fmax(worst, error);
    }
    return worst;
}

static double carry(int count, const frz_mesh *mesh, frz_mat3 f, frz_vec3 shift)
{
    frz_skin *skin = make_skin(count, mesh);
    for (int i = 0; i < count; ++i)
        now[i] = affine(f, shift, places[i]);
    frz_skin_deform(skin, now);
    assert_int_equal(frz_skin_mesh(skin)->triangle_count, mesh->triangle_count);
    const double worst = largest_error(skin, mesh, f, shift);
    frz_skin_destroy(&skin);
    return worst;
}

static frz_mat3 rotation(void)
{
    return frz_m3_from_quat(frz_quat_axis_angle(frz_v3(1.0, 2.0, -0.5), 2.5));
}

static void rigid_and_affine_motions_carry_the_mesh_exactly(void **state)
{
    (void)state;
    const frz_mat3 strange = {{{1.7, 0.4, -0.3}, {0.2, 0.6, 0.5}, {-0.1, 0.3, 2.1}}};
    const frz_vec3 shift = frz_v3(3.0, -2.0, 0.7);
    const int sizes[][3] = {{6, 5, 4}, {8, 2, 2}, {2, 2, 2}};
    for (int k = 0; k < 3; ++k)
    {
        const int *n = sizes[k];
        const int count = fill_box(n[0], n[1], n[2]);
        frz_mesh *mesh = box_mesh(n[0], n[1], n[2]);
        assert_less(carry(count, mesh, frz_m3_identity(), frz_v3(0.0, 0.0, 0.0)), 1e-14);
        assert_less(carry(count, mesh, rotation(), shift), 1e-13);
        assert_less(carry(count, mesh, strange, shift), 1e-13);
        frz_mesh_destroy(&mesh);
    }
}

static void sheets_turn_with_their_mesh_and_stretch_in_their_plane(void **state)
{
    (void)state;
    const int count = fill_box(7, 5, 1);
    frz_mesh *mesh = box_mesh(7, 5, 1);
    const frz_vec3 shift = frz_v3(1.0, 2.0, 3.0);
    assert_less(carry(count, mesh, rotation(), shift), 1e-13);
    const frz_mat3 stretch = {{{1.5, 0.3, 0.0}, {0.0, 0.8, 0.0}, {0.0, 0.0, 1.0}}}; // in the plane
    assert_less(carry(count, mesh, frz_m3_mul(rotation(), stretch), shift), 1e-13);
    frz_mesh_destroy(&mesh);
}

static void rods_turn_with_their_mesh_but_for_their_twist(void **state)
{
    (void)state;
    const int count = fill_box(7, 1, 1);
    frz_mesh *mesh = box_mesh(7, 1, 1);
    const frz_mat3 across = frz_m3_from_quat(frz_quat_axis_angle(frz_v3(0.0, 0.6, 0.8), 1.1)); // about no part of x
    assert_less(carry(count, mesh, across, frz_v3(0.0, 0.0, 1.0)), 1e-13);
    const frz_mat3 back = frz_m3_from_quat(frz_quat_axis_angle(frz_v3(0.0, 0.0, 1.0), 3.14159265358979));
    (void)carry(count, mesh, back, frz_v3(0.0, 0.0, 0.0)); // any twist will do, but finite
    frz_mesh_destroy(&mesh);
}

static void single_particles_and_pairs_give_numbers(void **state)
{
    (void)state;
    frz_mesh *mesh = box_mesh(2, 1, 1);
    for (int count = 1; count <= 2; ++count)
    {
        fill_box(2, 1, 1);
        assert_less(carry(count, mesh, frz_m3_identity(), frz_v3(1.0, 0.0, 0.0)), 1e-14);
        (void)carry(count, mesh, rotation(), frz_v3(1.0, 0.0, 0.0));
    }
    // two particles in one place, and later in another one
    places[0] = places[1] = frz_v3(0.0, 0.0, 0.0);
    assert_less(carry(2, mesh, frz_m3_identity(), frz_v3(0.0, 1.0, 0.0)), 1e-14);
    // everything in one point
    const int count = fill_box(3, 3, 3);
    (void)carry(count, mesh, frz_m3_zero(), frz_v3(0.0, 0.0, 0.0));
    frz_mesh_destroy(&mesh);
}

static void weights_sum_to_one_and_are_continuous(void **state)
{
    (void)state;
    // vertices along a line from inside the body to eight spacings away from it
    enum
    {
        STEPS = 4000
    };
    const int count = fill_box(5, 5, 5);
    const double step = 1.2 / STEPS;
    frz_diag diag = {0};
    frz_mesh *mesh = NULL;
    check(frz_mesh_create(STEPS, 0, &mesh, &diag), &diag);
    for (int v = 0; v < STEPS; ++v)
        mesh->vertices[v] = frz_v3(0.1 + v * step, 0.22 + 0.3 * v * step, 0.27);
    frz_skin *skin = make_skin(count, mesh);
    double before[125] = {0};
    for (int v = 0; v < STEPS; ++v)
    {
        const int *particles = NULL;
        const double *weights = NULL;
        double dense[125] = {0}, sum = 0.0;
        const int ties = frz_skin_ties(skin, v, &particles, &weights);
        assert_greater(ties, 0);
        for (int k = 0; k < ties; ++k)
        {
            dense[particles[k]] = weights[k];
            sum += weights[k];
        }
        assert_near(sum, 1.0, 1e-14);
        for (int i = 0; i < count && v > 0; ++i)
            assert_near(dense[i], before[i], 6.0 * step / spacing); // slopes of a few per spacing
        memcpy(before, dense, sizeof before);
    }
    frz_skin_destroy(&skin);
    frz_mesh_destroy(&mesh);
}

/// Second order: the error of a smooth deformation goes with the square of the spacing.
static void a_bent_bar_is_followed_to_second_order(void **state)
{
    (void)state;
    double errors[2];
    for (int k = 0; k < 2; ++k)
    {
        const int n = 4 << k;
        const double curvature = 0.5 / n; // of the same bar, measured in spacings
        const int count = fill_box(4 * n, n, n);
        frz_mesh *mesh = box_mesh(4 * n, n, n);
        frz_skin *skin = make_skin(count, mesh);
        const double radius = spacing / curvature;
        for (int i = 0; i < count; ++i)
        {
            const double angle = places[i].x / radius, r = radius + places[i].y;
            now[i] = frz_v3(r * sin(angle), r * cos(angle), places[i].z);
        }
        frz_skin_deform(skin, now);
        errors[k] = 0.0;
        for (int v = 0; v < mesh->vertex_count; ++v)
        {
            const frz_vec3 x = mesh->vertices[v];
            const double angle = x.x / radius, r = radius + x.y;
            const frz_vec3 true_place = frz_v3(r * sin(angle), r * cos(angle), x.z);
            const double error = frz_v3_length(frz_v3_sub(frz_skin_mesh(skin)->vertices[v], true_place));
            errors[k] = fmax(errors[k], error / (n * spacing)); // relative to the bar's thickness
        }
        frz_skin_destroy(&skin);
        frz_mesh_destroy(&mesh);
    }
    print_message("error / thickness: %.4f with 4 particles, %.4f with 8\n", errors[0], errors[1]);
    // each particle is wrong by at most half the curvature times the square of its distance, which is two spacings
    const double bound = 0.5 * (0.5 / 4.0) * 2.0 * 2.0 / 4.0;
    assert_less(errors[0], bound);
    assert_less(errors[1], errors[0] / 3.2);
}

static void a_body_in_two_halves_is_open_between_them(void **state)
{
    (void)state;
    const int count = fill_box(8, 4, 4);
    frz_mesh *mesh = box_mesh(8, 4, 4);
    frz_skin *skin = make_skin(count, mesh);
    const double gap = 5.0 * spacing;
    for (int i = 0; i < count; ++i)
        now[i] = frz_v3_add(places[i], frz_v3(places[i].x > 4.0 * spacing ? gap : 0.0, 0.0, 0.0));
    frz_skin_deform(skin, now);
    const frz_mesh *carried = frz_skin_mesh(skin);
    // no vertex hangs in the gap: each moved with one half, exactly
    for (int v = 0; v < mesh->vertex_count; ++v)
    {
        const double moved = carried->vertices[v].x - mesh->vertices[v].x;
        assert_true(fabs(moved) < 1e-13 || fabs(moved - gap) < 1e-13);
    }
    // what is left out is the band around the crack, 4 sides of 4 spacings
    assert_less(carried->triangle_count, mesh->triangle_count);
    assert_greater(4 * carried->triangle_count, 3 * mesh->triangle_count);
    for (int t = 0; t < carried->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
        {
            const int a = carried->triangles[t][c], b = carried->triangles[t][(c + 1) % 3];
            assert_less(frz_v3_length(frz_v3_sub(carried->vertices[a], carried->vertices[b])), 2.0 * spacing);
        }
    frz_skin_deform(skin, places); // closed again
    assert_int_equal(frz_skin_mesh(skin)->triangle_count, mesh->triangle_count);
    frz_skin_destroy(&skin);
    frz_mesh_destroy(&mesh);
}

static void what_does_not_break_stretches_and_what_is_brittle_opens_early(void **state)
{
    (void)state;
    static const double limits[] = {1.5, 3.0, 10.0};
    static const bool whole_at_two[] = {false, true, true}, whole_at_five[] = {false, false, true};
    const int count = fill_box(8, 4, 4);
    frz_mesh *mesh = box_mesh(8, 4, 4);
    for (int k = 0; k < 3; ++k)
    {
        frz_skin *skin = make_limited_skin(count, mesh, limits[k]);
        for (int stretch = 2; stretch <= 5; stretch += 3)
        {
            for (int i = 0; i < count; ++i)
                now[i] = frz_v3(stretch * places[i].x, places[i].y, places[i].z);
            frz_skin_deform(skin, now);
            const bool whole = frz_skin_mesh(skin)->triangle_count == mesh->triangle_count;
            assert_int_equal(whole, stretch == 2 ? whole_at_two[k] : whole_at_five[k]);
        }
        frz_skin_destroy(&skin);
    }
    frz_mesh_destroy(&mesh);
}

static void particles_that_are_gone_leave_a_hole(void **state)
{
    (void)state;
    const int count = fill_box(8, 4, 4);
    frz_mesh *mesh = box_mesh(8, 4, 4);
    frz_skin *skin = make_skin(count, mesh);
    for (int i = 0; i < count; ++i)
        now[i] = places[i].x > 4.0 * spacing ? frz_v3(NAN, NAN, NAN) : places[i];
    frz_skin_deform(skin, now);
    const int left = frz_skin_mesh(skin)->triangle_count;
    assert_greater(left, 0);
    assert_less(left, mesh->triangle_count);
    for (int v = 0; v < mesh->vertex_count; ++v)
    {
        assert_true(isfinite(frz_v3_length(frz_skin_mesh(skin)->vertices[v])));
        assert_near(frz_v3_length(frz_skin_normals(skin)[v]), 1.0, 1e-12);
    }
    for (int i = 0; i < count; ++i)
        now[i] = frz_v3(NAN, NAN, NAN);
    frz_skin_deform(skin, now);
    assert_int_equal(frz_skin_mesh(skin)->triangle_count, 0);
    frz_skin_destroy(&skin);
    frz_mesh_destroy(&mesh);
}

static void normals_are_those_of_the_faces_up_to_the_edges(void **state)
{
    (void)state;
    const int count = fill_box(4, 4, 4);
    frz_mesh *mesh = box_mesh(4, 4, 4);
    frz_skin *skin = make_skin(count, mesh);
    const frz_mat3 turned = rotation();
    for (int i = 0; i < count; ++i)
        now[i] = frz_m3_apply(turned, places[i]);
    frz_skin_deform(skin, now);
    const frz_mesh *carried = frz_skin_mesh(skin);
    for (int t = 0; t < mesh->triangle_count; ++t)
    {
        const int *corner = mesh->triangles[t];
        const frz_vec3 a = mesh->vertices[corner[0]];
        const frz_vec3 face = frz_v3_normalize(
            frz_v3_cross(frz_v3_sub(mesh->vertices[corner[1]], a), frz_v3_sub(mesh->vertices[corner[2]], a)));
        const frz_vec3 expected = frz_m3_apply(turned, face);
        for (int c = 0; c < 3; ++c)
            assert_less(frz_v3_length(frz_v3_sub(frz_skin_normals(skin)[carried->triangles[t][c]], expected)), 1e-9);
    }
    frz_skin_destroy(&skin);
    frz_mesh_destroy(&mesh);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    const int count = fill_box(12, 8, 8);
    frz_mesh *mesh = box_mesh(12, 8, 8);
    for (int i = 0; i < count; ++i)
        now[i] = frz_v3_add(places[i], frz_v3(places[i].x > 0.6 ? 0.5 : 0.0, 0.3 * sin(7.0 * places[i].x), 0.0));
    const size_t size = (size_t)mesh->vertex_count * sizeof(frz_vec3);
    frz_vec3 *first = malloc(size);
    for (int threads = 1; threads <= 3; ++threads)
    {
        omp_set_num_threads(threads);
        frz_skin *skin = make_skin(count, mesh);
        frz_skin_deform(skin, now);
        if (threads == 1)
            memcpy(first, frz_skin_mesh(skin)->vertices, size);
        assert_memory_equal(first, frz_skin_mesh(skin)->vertices, size);
        frz_skin_destroy(&skin);
    }
    free(first);
    frz_mesh_destroy(&mesh);
}

static void refining_keeps_area_and_stays_closed(void **state)
{
    (void)state;
    frz_diag diag = {0};
    frz_shape *shape = NULL;
    frz_mesh *mesh = NULL;
    const frz_bounds clip = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    check(frz_shape_cylinder(frz_v3(0.0, 0.0, 0.0), frz_v3(0.0, 0.9, 0.0), 0.2, &shape, &diag), &diag);
    check(frz_shape_triangulate(shape, 0.05, clip, &mesh, &diag), &diag);
    const int coarse = mesh->triangle_count;
    check(frz_mesh_refine(&mesh, 0.05, &diag), &diag);
    assert_greater(mesh->triangle_count, 4 * coarse);
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
            assert_less_equal(frz_v3_length(frz_v3_sub(mesh->vertices[mesh->triangles[t][c]],
                                                       mesh->vertices[mesh->triangles[t][(c + 1) % 3]])),
                              0.05);
    // a mesh that closes is a shape
    frz_shape *solid = NULL;
    frz_mesh *copy = NULL;
    check(frz_mesh_copy(mesh, &copy, &diag), &diag);
    check(frz_shape_take_mesh(copy, &solid, &diag), &diag);
    assert_near(frz_shape_volume(solid, 3) / frz_shape_volume(shape, 3), 1.0, 0.02);
    // the two rims are sharp: as many copies as there are vertices on them
    const int vertices = mesh->vertex_count;
    check(frz_mesh_split_creases(&mesh, &diag), &diag);
    int on_rims = 0;
    for (int v = 0; v < vertices; ++v)
    {
        const frz_vec3 x = mesh->vertices[v];
        on_rims += hypot(x.x, x.z) > 0.195 && (x.y < 1e-9 || x.y > 0.9 - 1e-9);
    }
    assert_int_equal(mesh->vertex_count, vertices + on_rims);
    frz_shape_destroy(&solid);
    frz_shape_destroy(&shape);
    frz_mesh_destroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_and_affine_motions_carry_the_mesh_exactly),
        cmocka_unit_test(sheets_turn_with_their_mesh_and_stretch_in_their_plane),
        cmocka_unit_test(rods_turn_with_their_mesh_but_for_their_twist),
        cmocka_unit_test(single_particles_and_pairs_give_numbers),
        cmocka_unit_test(weights_sum_to_one_and_are_continuous),
        cmocka_unit_test(a_bent_bar_is_followed_to_second_order),
        cmocka_unit_test(a_body_in_two_halves_is_open_between_them),
        cmocka_unit_test(what_does_not_break_stretches_and_what_is_brittle_opens_early),
        cmocka_unit_test(particles_that_are_gone_leave_a_hole),
        cmocka_unit_test(normals_are_those_of_the_faces_up_to_the_edges),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(refining_keeps_area_and_stays_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
