// SPDX-License-Identifier: MIT
#include "math/symmetric_eigen.h"

#include <math.h>

enum
{
    sweep_max = 12 // convergence is quadratic: five or six sweeps do
};

// what is off the diagonal counts as nothing below this fraction of what is on it, squared: the rounding of doubles
static const double negligible = 1e-32;

// Turn rows and columns p and q so that a[p][q] becomes zero; v collects the turns, one eigenvector per row.
static void rotate(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0.0)
        return;
    const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
    const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; ++k)
    {
        const double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k)
    {
        const double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k)
    {
        const double x = v[p][k], y = v[q][k];
        v[p][k] = c * x - s * y;
        v[q][k] = s * x + c * y;
    }
    a[p][q] = a[q][p] = 0.0;
}

void frz_symmetric_eigen(const double m[3][3], double value[3], double vector[3][3])
{
    double a[3][3];
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
        {
            a[r][c] = r <= c ? m[r][c] : m[c][r];
            vector[r][c] = r == c ? 1.0 : 0.0;
        }
    for (int sweep = 0; sweep < sweep_max; ++sweep)
    {
        const double off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        if (off <= negligible * (a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2]))
            break;
        rotate(a, vector, 0, 1);
        rotate(a, vector, 0, 2);
        rotate(a, vector, 1, 2);
    }
    for (int k = 0; k < 3; ++k)
        value[k] = a[k][k];
}
