// SPDX-License-Identifier: MIT
// How many threads the steps of a simulation take: all that are allowed, or one where that is faster.
//
// Threads wait for each other at the end of every parallel loop. Where other programs use the cores, a thread that is
// waited for may have to wait itself for some milliseconds; a small simulation of fifty loops per step then takes
// twenty times as long on two threads as on one. So both are tried for a few steps in turn, again and again, and the
// faster one is kept. Results have the same bits for any number of threads.
#pragma once

#include <stdbool.h>

typedef struct frz_team
{
    int most;           ///< threads that are allowed
    bool alone;         ///< one thread is enough at present
    int pause;          ///< steps until the next comparison
    int interval;       ///< steps between the last two comparisons
    int compared;       ///< steps of the comparison at hand; even ones with all threads, odd ones with one
    double together[2]; ///< time of its steps with all threads and with one, s
} frz_team;

frz_team frz_team_of(int most);

/// Threads that the next step takes.
int frz_team_threads(const frz_team *team);

/// How long that step took on the clock, s.
void frz_team_note(frz_team *team, double seconds);
