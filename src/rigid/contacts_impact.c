// SPDX-License-Identifier: MIT
// Impacts of bodies that touch others: separation velocities of contacts with restitution.
//
// With Newton's rule alone, u' = -e u at the contact that is hit and u' >= 0 at all others, a ball that meets a row of
// touching balls pushes all of them at once, and most of the energy is lost. Here impacts propagate from contact to
// contact: as long as some contacts approach, the impulses l that just stop all of these (contacts that are hit at the
// same time share the impact) are applied (1 + e) fold, and the velocities are tested again. That is the operator of
// Smith, Kaufman, Vouga, Tamstorf & Grinspun, "Reflections on simultaneous impact", ACM Trans. Graph. 31 (2012): it
// keeps momentum and symmetry, for e = 1 the energy too, since l is complementary to the velocity half way, and it
// ends, because every reflection at a contact leads to velocities that are further apart there. With these velocities
// as targets the contact solver then adds friction and resting contacts.
#include "rigid/contact_rows.h"

enum
{
    most_reflections = 1000,
    most_sweeps = 200
};

static const double exact = 1.0e-12; ///< change of impulses with which sweeps end, relative to the largest

/// Impulses at rows that were struck in this reflection such that none of them approaches; motions are changed.
static void stop_approach(frz_contact_row *rows, int count, const frz_contact_mass *masses, frz_rigid_motion *motions)
{
    double largest = 0.0, change = HUGE_VAL;
    for (int k = 0; k < most_sweeps && change > exact * largest; ++k)
    {
        change = 0.0;
        for (int n = 0; n < count; ++n)
        {
            frz_contact_row *r = &rows[n];
            if (!r->struck)
                continue;
            const double blow = fmax(0.0, r->blow - frz_contact_row_speed(r, motions) / r->normal_response);
            frz_contact_row_apply(r, frz_v3_scale(blow - r->blow, r->normal), masses, motions);
            change = fmax(change, fabs(blow - r->blow));
            largest = fmax(largest, blow);
            r->blow = blow;
        }
    }
}

/// Rows that approach each other faster than the least impact speed and meet within the step.
static int strike(frz_contact_row *rows, int count, const frz_rigid_motion *motions, double slowest, double dt)
{
    int struck = 0;
    for (int n = 0; n < count; ++n)
    {
        frz_contact_row *r = &rows[n];
        const double speed = r->restitution > 0.0 ? frz_contact_row_speed(r, motions) : 0.0;
        r->blow = 0.0;
        r->struck = speed < -slowest && r->gap + dt * speed <= 0.0;
        r->reflected = r->reflected || r->struck;
        struck += r->struck;
    }
    return struck;
}

void frz_contact_rows_reflect(frz_contact_row *rows, int count, const frz_contact_mass *masses,
                              frz_rigid_motion *motions, double slowest, double dt)
{
    int bounces = 0, elastic = 0;
    for (int n = 0; n < count; ++n)
    {
        bounces += rows[n].bounces;
        elastic += rows[n].restitution > 0.0;
    }
    if (bounces == 0 || elastic < 2)
        return;
    for (int k = 0; k < most_reflections && strike(rows, count, motions, slowest, dt) > 0; ++k)
    {
        stop_approach(rows, count, masses, motions);
        for (int n = 0; n < count; ++n)
        {
            if (rows[n].struck)
                frz_contact_row_apply(&rows[n], frz_v3_scale(rows[n].restitution * rows[n].blow, rows[n].normal),
                                      masses, motions);
        }
    }
    for (int n = 0; n < count; ++n)
    {
        if (rows[n].reflected)
            rows[n].target = fmax(frz_contact_row_speed(&rows[n], motions), fmin(0.0, -rows[n].gap / dt));
    }
}
