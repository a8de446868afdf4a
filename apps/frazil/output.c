// SPDX-License-Identifier: MIT
#include "output.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "clocks.h"

enum
{
    bar_width = 24,       // characters
    words_width = 40,     // columns of share and time left beside it
    default_columns = 100 // of a terminal of unknown width
};

static const double bar_interval = 0.1;   // s between two displays on a terminal
static const double line_interval = 30.0; // s between two plain lines
static const double line_share = 0.1;     // of the work between two plain lines

frz_paintbox frz_output_colors(void)
{
    const char *no_color = getenv("NO_COLOR"); // https://no-color.org: set and not empty
    const char *terminal = getenv("TERM");
    const bool colored = isatty(STDERR_FILENO) && (no_color == NULL || no_color[0] == '\0') &&
                         (terminal == NULL || strcmp(terminal, "dumb") != 0);
    const frz_paintbox plain = {"", "", "", "", ""};
    const frz_paintbox colors = {"\033[1;31m", "\033[1;33m", "\033[36m", "\033[1m", "\033[0m"};
    return colored ? colors : plain;
}

/// A message is one line, even if it quotes line breaks.
static void write_line(FILE *out, const char *text)
{
    for (const char *at = text; *at != '\0'; ++at)
        fputc((unsigned char)*at < ' ' ? ' ' : *at, out);
    fputc('\n', out);
}

void frz_output_error(const char *text)
{
    const frz_paintbox colors = frz_output_colors();
    fprintf(stderr, "frazil: %serror:%s ", colors.error, colors.plain);
    write_line(stderr, text);
}

void frz_output_warning(const char *text)
{
    const frz_paintbox colors = frz_output_colors();
    fprintf(stderr, "frazil: %swarning:%s ", colors.warning, colors.plain);
    write_line(stderr, text);
}

void frz_output_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void frz_output_log(void *user, frz_log_level level, const char *text)
{
    const bool *quiet = user;
    if (level == FRZ_LOG_WARNING)
        frz_output_warning(text);
    else if (quiet == NULL || !*quiet)
        write_line(stderr, text);
}

// ---- progress

frz_progress_bar frz_progress_bar_create(bool quiet)
{
    const frz_progress_bar bar = {
        .quiet = quiet, .terminal = isatty(STDERR_FILENO) == 1, .last_time = frz_wall_seconds(), .last_share = -1.0};
    return bar;
}

bool frz_progress_bar_due(const frz_progress_bar *bar, double share)
{
    if (bar->quiet)
        return false;
    const double waited = frz_wall_seconds() - bar->last_time;
    if (bar->terminal)
        return waited >= bar_interval || !bar->open;
    if (bar->last_share < 0.0) // the first line comes with the first tenth
        return share >= line_share || waited >= line_interval;
    return share - bar->last_share >= line_share || waited >= line_interval;
}

static int terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : default_columns;
}

void frz_progress_bar_show(frz_progress_bar *bar, double share, double eta, const char *text)
{
    if (!frz_progress_bar_due(bar, share))
        return;
    share = fmin(fmax(share, 0.0), 1.0);
    char left[32], line[512];
    const char *rest = eta >= 0.0 ? frz_format_duration(eta, left) : "unknown";
    bar->last_time = frz_wall_seconds();
    if (!bar->terminal)
    {
        snprintf(line, sizeof line, "%3.0f %%  left: %s  %s", 100.0 * share, rest, text);
        write_line(stderr, line);
        // lines stand at full tenths even when a step jumped over one
        bar->last_share = floor(share / line_share) * line_share;
        return;
    }
    char cells[bar_width + 1];
    const int columns = terminal_columns();
    const int width = columns - words_width < bar_width ? columns - words_width : bar_width;
    const int full = (int)(share * width);
    for (int i = 0; i < width; ++i)
        cells[i] = i < full ? '#' : '.';
    cells[width > 0 ? width : 0] = '\0';
    // the time left comes early, and the bar shrinks for it: a narrow terminal cuts the end of the line
    snprintf(line, sizeof line, width > 0 ? "[%s] %5.1f %%  left: %s  %s" : "%s%5.1f %%  left: %s  %s", cells,
             100.0 * share, rest, text);
    fprintf(stderr, "\r%.*s\033[K", columns - 1, line);
    (void)fflush(stderr);
    bar->open = true;
}

void frz_progress_bar_close(frz_progress_bar *bar)
{
    if (bar->open)
        fputs("\r\033[K", stderr);
    bar->open = false;
}

frz_frames_watch frz_frames_watch_create(bool quiet)
{
    return (frz_frames_watch){.bar = frz_progress_bar_create(quiet), .quiet = quiet};
}

bool frz_frames_watch_show(frz_frames_watch *watch, const char *unit, int done, int total, double elapsed, double eta)
{
    char text[64];
    watch->elapsed = elapsed;
    snprintf(text, sizeof text, "%s %d of %d", unit, done, total);
    frz_progress_bar_show(&watch->bar, (double)done / total, eta, text);
    return !frz_stop_requested();
}

void frz_frames_watch_log(void *user, frz_log_level level, const char *text)
{
    frz_frames_watch *watch = user;
    frz_progress_bar_close(&watch->bar);
    frz_output_log(&watch->quiet, level, text);
}

// ---- numbers

const char *frz_format_count(int64_t count, char text[32])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%lld", (long long)count);
    int used = 0;
    for (int i = 0; i < length; ++i)
    {
        text[used++] = digits[i];
        const int left = length - 1 - i;
        if (left > 0 && left % 3 == 0 && digits[i] != '-')
            text[used++] = ',';
    }
    text[used] = '\0';
    return text;
}

const char *frz_format_duration(double seconds, char text[32])
{
    if (!(seconds >= 0.0) || seconds > 1e12)
        snprintf(text, 32, "unknown");
    else if (seconds < 9.95)
        snprintf(text, 32, "%.1f s", seconds);
    else if (seconds < 59.5)
        snprintf(text, 32, "%.0f s", seconds);
    else if (seconds < 3600.0)
        snprintf(text, 32, "%d min %02d s", (int)(seconds / 60.0), (int)fmod(seconds, 60.0));
    else if (seconds < 172800.0)
        snprintf(text, 32, "%d h %02d min", (int)(seconds / 3600.0), (int)(fmod(seconds, 3600.0) / 60.0));
    else
        snprintf(text, 32, "%.1f days", seconds / 86400.0);
    return text;
}

const char *frz_format_bytes(double bytes, char text[32])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 4)
    {
        bytes /= 1000.0;
        ++unit;
    }
    snprintf(text, 32, "%.3g %s", bytes, units[unit]);
    return text;
}

const char *frz_format_quantity(double value, const char *unit, char text[32])
{
    static const char *const prefixes[] = {"n", "u", "m", ""};
    double scaled = value;
    int prefix = 3;
    while (prefix > 0 && fabs(scaled) > 0.0 && fabs(scaled) < 0.9995)
    {
        scaled *= 1000.0;
        --prefix;
    }
    if (value == 0.0 || fabs(scaled) < 0.9995)
        snprintf(text, 32, "%.3g %s", value, unit);
    else
        snprintf(text, 32, "%.4g %s%s", scaled, prefixes[prefix], unit);
    return text;
}

// ---- stop on request

static volatile sig_atomic_t stop_requested;

static void request_stop(int signal_number)
{
    (void)signal_number;
    stop_requested = 1;
}

// A signal within this time is the same request heard twice: 'timeout' signals a process and then its group.
static const time_t repeat_time = 1; // s

static volatile sig_atomic_t first_request; // s, and one more: 0 is none

static void request_stop_or_end(int signal_number)
{
    const int error = errno;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    stop_requested = 1;
    if (first_request == 0)
        first_request = (sig_atomic_t)(now.tv_sec + 1);
    else if (now.tv_sec + 1 - first_request > repeat_time)
    {
        (void)signal(signal_number, SIG_DFL);
        (void)raise(signal_number);
    }
    errno = error;
}

/// Install the handler unless the parent process set the signal to be ignored (nohup).
static void install(int signal_number, void (*handler)(int))
{
    struct sigaction old, action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        (void)sigaction(signal_number, &action, NULL);
}

void frz_stop_install(void)
{
    // a second request ends the program as usual
    install(SIGINT, request_stop_or_end);
    install(SIGTERM, request_stop_or_end);
    // a closed terminal or pipe raises the signal again with every message
    install(SIGHUP, request_stop);
    install(SIGPIPE, request_stop);
    // signals of batch systems before they kill; the limit of processor time raises one every second
    install(SIGXCPU, request_stop);
    install(SIGUSR1, request_stop);
    install(SIGUSR2, request_stop);
}

bool frz_stop_requested(void)
{
    return stop_requested != 0;
}
