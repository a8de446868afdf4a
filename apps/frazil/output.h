// SPDX-License-Identifier: MIT
// Output for the user: messages, progress, rounded numbers. A bar and colours only on a terminal.
#pragma once

#include <frazil/frazil.h>

/// Colours of the messages on stderr; empty texts when they are not wanted.
typedef struct frz_paintbox
{
    const char *error, *warning, *note, *bold, *plain;
} frz_paintbox;

frz_paintbox frz_output_colors(void);

/// "frazil: error: ..." and "frazil: warning: ..." on stderr, one line each.
void frz_output_error(const char *text);
void frz_output_warning(const char *text);
/// A line for the user on stderr, without prefix.
void frz_output_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// A frz_log_fn: warnings always, notes unless *(const bool *)user, which says quiet.
void frz_output_log(void *user, frz_log_level level, const char *text);

/// A progress display on stderr.
typedef struct frz_progress_bar
{
    bool quiet;
    bool terminal;
    bool open;         ///< a line is on the terminal that must be erased
    double last_time;  ///< of the last display, s
    double last_share; ///< of the work at the last plain line
} frz_progress_bar;

frz_progress_bar frz_progress_bar_create(bool quiet);
/// share: fraction of the work done, 0..1; text: further figures. Does nothing when it is too early for a new display.
void frz_progress_bar_show(frz_progress_bar *bar, double share, double eta, const char *text);
/// Would frz_progress_bar_show display now? Saves making the text.
bool frz_progress_bar_due(const frz_progress_bar *bar, double share);
/// Erase the bar. Call before any other output.
void frz_progress_bar_close(frz_progress_bar *bar);

/// Progress and messages of work on the frames of a run.
typedef struct frz_frames_watch
{
    frz_progress_bar bar;
    bool quiet;
    double elapsed; ///< so far, s
} frz_frames_watch;

frz_frames_watch frz_frames_watch_create(bool quiet);
/// Show that `done` of `total` are made, each a `unit` ("picture"). Returns false when the user asks to stop.
bool frz_frames_watch_show(frz_frames_watch *watch, const char *unit, int done, int total, double elapsed, double eta);
/// A frz_log function; user is a frz_frames_watch.
void frz_frames_watch_log(void *user, frz_log_level level, const char *text);

/// Numbers for people; each returns text.
const char *frz_format_count(int64_t count, char text[32]);                     ///< 1,234,567
const char *frz_format_duration(double seconds, char text[32]);                 ///< 3 min 20 s
const char *frz_format_bytes(double bytes, char text[32]);                      ///< 1.5 GB
const char *frz_format_quantity(double value, const char *unit, char text[32]); ///< 2.5 ms

/// Catch SIGINT and SIGTERM: the first asks to stop (frz_stop_requested), one that comes more than a second later ends
/// the program.
void frz_stop_install(void);
bool frz_stop_requested(void);
