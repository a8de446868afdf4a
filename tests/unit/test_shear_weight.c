// SPDX-License-Identifier: MIT
// The weight of implicit friction: constants and isotropy, against sums over lattices written out here.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"

#include <math.h>

#include "core_trial.h"
#include "sph/shear_weight.h"

static const double spacing = 0.01, support = 0.021;

// Viscosity that a shear along x, growing along y, feels of the central form, over the right one. The rows are moved
// along themselves at random by up to slide spacings.
static double central_viscosity(int dimension, double slide, uint64_t *seed)
{
    const frz_shear_weight weight = frz_shear_weight_make(spacing, support, dimension);
    const int reach = 3, depth = dimension == 3 ? reach : 0;
    double sum = 0.0;
    for (int j = -reach; j <= reach; ++j)
    {
        const double dx = j != 0 ? slide * core_random(seed) : 0.0;
        const double dz = j != 0 && dimension == 3 ? slide * core_random(seed) : 0.0;
        for (int k = -depth - 1; k <= depth + 1; ++k)
            for (int i = -reach - 1; i <= reach + 1; ++i)
            {
                if (dimension == 2 && k != 0)
                    continue;
                const double x = spacing * (i + dx), y = spacing * j, z = dimension == 3 ? spacing * (k + dz) : 0.0;
                const double r2 = x * x + y * y + z * z;
                // u = y^2 / 2 must give 1
                if (r2 > 0.0)
                    sum += (double)frz_shear_weight_at(&weight, (frz_real)r2) * x * x / r2 * 0.5 * y * y;
            }
    }
    return weight.central * sum / (spacing * spacing);
}

static void shear_along_the_lattice_meets_the_viscosity(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int dimension = 2; dimension <= 3; ++dimension)
        assert_near(central_viscosity(dimension, 0.0, &seed), 1.0, 0.01);
}

static void layers_that_have_slid_past_each_other_keep_the_viscosity(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        double sum = 0.0;
        for (int n = 0; n < 400; ++n)
            sum += central_viscosity(dimension, 1.0, &seed) / 400.0;
        assert_near(sum, 1.0, 0.05);
    }
}

// The plain form on the lattice, and the layer of a wall in place of the half space below.
static void the_plain_form_is_exact_and_a_wall_passes_on_all_momentum(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
    {
        const frz_shear_weight weight = frz_shear_weight_make(spacing, support, dimension);
        double laplacian = 0.0, wall = 0.0;
        for (int k = -3; k <= 3; ++k)
            for (int j = -3; j <= 3; ++j)
                for (int i = -3; i <= 3; ++i)
                {
                    if ((dimension == 2 && k != 0) || (i == 0 && j == 0 && k == 0))
                        continue;
                    const double r2 = spacing * spacing * (i * i + j * j + k * k);
                    const double g = (double)frz_shear_weight_at(&weight, (frz_real)r2);
                    laplacian += weight.plain * g * 0.5 * j * j;
                    // row number j sees the samples j spacings below; a unit gradient differs by j there
                    wall += j > 0 ? weight.wall * g * j : 0.0;
                }
        assert_near(laplacian, 1.0, 1e-5);
        assert_near(wall, 1.0, 1e-5); // stress = mu times gradient
    }
}

static void the_weight_ends_at_the_support(void **state)
{
    (void)state;
    const frz_shear_weight weight = frz_shear_weight_make(spacing, support, 3);
    assert_same(frz_shear_weight_at(&weight, 0), 1);
    assert_same(frz_shear_weight_at(&weight, (frz_real)(1.001 * support * support)), 0);
    assert_greater(frz_shear_weight_at(&weight, (frz_real)(0.9 * support * support)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shear_along_the_lattice_meets_the_viscosity),
        cmocka_unit_test(layers_that_have_slid_past_each_other_keep_the_viscosity),
        cmocka_unit_test(the_plain_form_is_exact_and_a_wall_passes_on_all_momentum),
        cmocka_unit_test(the_weight_ends_at_the_support),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
