// SPDX-License-Identifier: MIT
#include "rigid/exact_moments.h"

#include <math.h>

enum
{
    term_bits = 80,     ///< of the largest term: 27 more than a double has
    count_bits = 45,    ///< of the number of terms; with a sign they fit 128
    largest_power = 900 ///< of two, of numbers that units are made for
};

/// Exponent of the unit of which the largest number is 2^term_bits at most.
static int unit_of(double largest)
{
    int power;
    (void)frexp(largest, &power);
    return power - term_bits;
}

frz_status frz_moment_units_make(double largest_mass, double largest_extent, int64_t most_particles, double spacing,
                                 frz_moment_units *out, frz_diag *diag)
{
    const double second = largest_mass * largest_extent * largest_extent, limit = ldexp(1.0, largest_power);
    if (!(largest_mass > 1.0 / limit && largest_mass < limit) || !(second > 1.0 / limit && second < limit))
        return frz_fail(diag, FRZ_ERR_SCENE,
                        "particles of %g kg up to %g m from the middle of their body have a mass or an inertia that "
                        "numbers cannot hold",
                        largest_mass, largest_extent);
    if (most_particles < 0 || most_particles > INT64_C(1) << count_bits)
        return frz_fail(diag, FRZ_ERR_SCENE, "a body of %lld particles is too large", (long long)most_particles);
    *out = (frz_moment_units){.mass = unit_of(largest_mass),
                              .first = unit_of(largest_mass * largest_extent),
                              .second = unit_of(second),
                              .spacing = spacing};
    return FRZ_OK;
}

static frz_int128 to_units(double value, int unit)
{
    const double number = ldexp(value, -unit);
    FRZ_ASSERT(fabs(number) <= ldexp(1.0, term_bits + 1)); // a particle beyond the extent of the units
    return (frz_int128)number;
}

static long double from_units(frz_int128 number, int unit)
{
    return ldexpl((long double)number, unit);
}

/// The terms of one particle: functions of its numbers alone.
static frz_exact_moments terms_of(const frz_moment_units *units, double mass, frz_vec3 r)
{
    const double x = mass * r.x, y = mass * r.y, z = mass * r.z;
    const frz_exact_moments terms = {
        .mass = to_units(mass, units->mass),
        .first = {to_units(x, units->first), to_units(y, units->first), to_units(z, units->first)},
        .second = {to_units(x * r.x, units->second), to_units(y * r.y, units->second), to_units(z * r.z, units->second),
                   to_units(x * r.y, units->second), to_units(x * r.z, units->second),
                   to_units(y * r.z, units->second)},
        .count = 1};
    return terms;
}

static void add_signed(frz_exact_moments *sum, const frz_exact_moments *terms, int sign)
{
    sum->mass += sign * terms->mass;
    for (int k = 0; k < 3; ++k)
        sum->first[k] += sign * terms->first[k];
    for (int k = 0; k < 6; ++k)
        sum->second[k] += sign * terms->second[k];
    sum->count += sign * terms->count;
}

void frz_moments_add(frz_exact_moments *moments, const frz_moment_units *units, double mass, frz_vec3 place)
{
    const frz_exact_moments terms = terms_of(units, mass, place);
    add_signed(moments, &terms, 1);
}

void frz_moments_remove(frz_exact_moments *moments, const frz_moment_units *units, double mass, frz_vec3 place)
{
    const frz_exact_moments terms = terms_of(units, mass, place);
    add_signed(moments, &terms, -1);
}

void frz_moments_merge(frz_exact_moments *moments, const frz_exact_moments *other)
{
    add_signed(moments, other, 1);
}

frz_mass_properties frz_moments_properties(const frz_exact_moments *moments, const frz_moment_units *units,
                                           int dimension)
{
    static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    FRZ_ASSERT(moments->count > 0 && moments->mass > 0);
    // long doubles: far from the frame the second moment about the centre is a small difference
    const long double mass = from_units(moments->mass, units->mass);
    const long double cube = mass * units->spacing * units->spacing / 12.0L; // second moment of a cube along an axis
    long double center[3];
    frz_mat3 second = frz_m3_zero();
    for (int k = 0; k < 3; ++k)
        center[k] = from_units(moments->first[k], units->first) / mass;
    for (int k = 0; k < 6; ++k)
    {
        const int a = rows[k], b = columns[k];
        const long double about =
            from_units(moments->second[k], units->second) - mass * center[a] * center[b] + (a == b ? cube : 0.0L);
        second.m[a][b] = second.m[b][a] = (double)about;
    }
    frz_mass_properties out = {.mass = (double)mass,
                               .center = frz_v3((double)center[0], (double)center[1], (double)center[2])};
    const double plane = second.m[0][0] + second.m[1][1], trace = plane + second.m[2][2];
    out.inertia =
        dimension == 2 ? frz_m3_diagonal(0.0, 0.0, plane) : frz_m3_sub(frz_m3_diagonal(trace, trace, trace), second);
    return out;
}
