// SPDX-License-Identifier: MIT
#include "base/team.h"

enum
{
    steps_of_comparison = 8, // half of them with one thread
    first_steps = 2,         // these fill caches and lists
    shortest_interval = 32,
    longest_interval = 1024 // the slower half of a comparison is half a per cent of the steps then
};

// s; longer steps have so much work in each loop that waking threads does not matter
static const double long_step = 0.2;
// what is gained by a change must be more than the scatter between steps
static const double gain_of_change = 0.9;
// a difference that one pair of steps shows beyond doubt
static const double clear_ratio = 3.0;

frz_team frz_team_of(int most)
{
    return (frz_team){.most = most, .pause = first_steps, .interval = shortest_interval};
}

int frz_team_threads(const frz_team *team)
{
    const bool alone = team->pause > 0 ? team->alone : team->compared % 2 == 1;
    return alone ? 1 : team->most;
}

static bool is_clear(const frz_team *team)
{
    const double all = team->together[0], one = team->together[1];
    return all > clear_ratio * one || one > clear_ratio * all;
}

static void decide(frz_team *team)
{
    const double now = team->together[team->alone], other = team->together[!team->alone];
    const bool change = other < gain_of_change * now;
    team->alone = team->alone != change;
    if (change)
        team->interval = shortest_interval;
    else if (team->interval < longest_interval)
        team->interval *= 2;
    team->pause = team->interval;
    team->compared = 0;
    team->together[0] = team->together[1] = 0.0;
}

void frz_team_note(frz_team *team, double seconds)
{
    if (team->most <= 1)
        return;
    if (team->pause > 0)
    {
        // the comparison that is due begins with this step's successor, unless threads cannot matter
        if (--team->pause == 0 && !team->alone && seconds > long_step)
            team->pause = team->interval;
        return;
    }
    team->together[team->compared % 2] += seconds;
    ++team->compared;
    if (team->compared == steps_of_comparison || (team->compared % 2 == 0 && is_clear(team)))
        decide(team);
}
