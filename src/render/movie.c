// SPDX-License-Identifier: MIT
// Films: numbered pictures to H.264, VP9 or GIF with the program ffmpeg, started directly (no shell reads file names).
#include "render/raycast.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum
{
    line_size = 512,          // of what ffmpeg prints; longer lines are cut
    exit_not_found = 127,     // how some systems report a program that cannot be started
    longest_number_width = 20 // digits in a file name pattern
};

/// The place of the frame number in a pattern.
typedef struct number_place
{
    const char *start, *end; ///< the conversion, e.g. "%06d"
    int width;
    bool zero_padded;
} number_place;

/// Find the one conversion such as %d or %06d; "%%" stands for a percent sign. False if there is none or another.
static bool find_number(const char *pattern, number_place *out)
{
    bool found = false;
    for (const char *at = pattern; *at != '\0'; ++at)
    {
        if (*at != '%')
            continue;
        if (at[1] == '%')
        {
            ++at;
            continue;
        }
        number_place place = {.start = at++};
        place.zero_padded = *at == '0';
        for (; *at >= '0' && *at <= '9'; ++at)
            place.width = place.width < longest_number_width ? 10 * place.width + (*at - '0') : place.width;
        if (found || *at != 'd' || place.width > longest_number_width)
            return false;
        place.end = at + 1;
        *out = place;
        found = true;
    }
    return found;
}

/// Write the file name of one frame, by hand because a pattern from outside must not reach printf.
static void frame_name(const char *pattern, const number_place *place, int number, char *out, size_t size)
{
    char digits[64];
    snprintf(digits, sizeof digits, place->zero_padded ? "%0*d" : "%*d", place->width, number);
    size_t used = 0;
    for (const char *at = pattern; *at != '\0' && used + sizeof digits < size;)
    {
        if (at == place->start)
        {
            used += (size_t)snprintf(out + used, size - used, "%s", digits);
            at = place->end;
            continue;
        }
        out[used++] = *at;
        at += at[0] == '%' ? 2 : 1;
    }
    out[used] = '\0';
}

static frz_status check_first_frame(const char *pattern, int first, frz_diag *diag)
{
    number_place place;
    if (!find_number(pattern, &place))
        return frz_fail(diag, FRZ_ERR_ARGUMENT,
                        "the picture pattern '%s' needs exactly one number such as %%06d for the frame", pattern);
    const size_t size = strlen(pattern) + 128;
    char *name = frz_alloc("file name", size, 1);
    if (name == NULL)
        return frz_fail_memory(diag, "a file name");
    frame_name(pattern, &place, first, name, size);
    frz_status status = FRZ_OK;
    if (access(name, R_OK) != 0)
        status =
            frz_fail(diag, FRZ_ERR_FILE, "cannot read the first picture of the film, '%s': %s", name, strerror(errno));
    frz_free(name);
    return status;
}

/// Read everything ffmpeg says and keep the last line that is not empty.
static void keep_last_line(int descriptor, char line[line_size])
{
    char buffer[1024];
    size_t length = 0;
    bool fresh = true; // the next character starts a new line
    line[0] = '\0';
    for (;;)
    {
        const ssize_t count = read(descriptor, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        for (ssize_t i = 0; i < count; ++i)
        {
            if (buffer[i] == '\n' || buffer[i] == '\r')
            {
                fresh = true;
                continue;
            }
            if (fresh)
                length = 0;
            fresh = false;
            if (length + 1 < line_size)
                line[length++] = buffer[i];
            line[length] = '\0';
        }
    }
}

/// Start ffmpeg with its messages going to a pipe; returns 0 or an errno value.
static int start_program(const char *const *arguments, pid_t *child, int *messages)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0)
    {
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (error == 0)
            error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        if (error == 0)
            error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
        if (error == 0)
            error = posix_spawnp(child, arguments[0], &actions, NULL, (char *const *)arguments, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    (void)close(ends[1]);
    if (error != 0)
        (void)close(ends[0]);
    *messages = ends[0];
    return error;
}

static frz_status run_program(const char *const *arguments, frz_diag *diag)
{
    pid_t child = 0;
    int messages = -1;
    char line[line_size];
    const char *const missing = "the program ffmpeg, which makes films, was not found; install Debian's package ffmpeg";
    const int error = start_program(arguments, &child, &messages);
    if (error == ENOENT)
        return frz_fail(diag, FRZ_ERR_PROGRAM, "%s", missing);
    if (error != 0)
        return frz_fail(diag, FRZ_ERR_PROGRAM, "cannot start ffmpeg: %s", strerror(error));
    keep_last_line(messages, line);
    (void)close(messages);
    int state = 0;
    while (waitpid(child, &state, 0) < 0)
    {
        if (errno != EINTR)
            return frz_fail(diag, FRZ_ERR_PROGRAM, "cannot wait for ffmpeg: %s", strerror(errno));
    }
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return FRZ_OK;
    if (WIFEXITED(state) && WEXITSTATUS(state) == exit_not_found)
        return frz_fail(diag, FRZ_ERR_PROGRAM, "%s", missing);
    if (WIFSIGNALED(state))
        return frz_fail(diag, FRZ_ERR_PROGRAM, "ffmpeg was stopped by signal %d", WTERMSIG(state));
    return frz_fail(diag, FRZ_ERR_PROGRAM, "ffmpeg failed: %s", line[0] != '\0' ? line : "it gave no reason");
}

/// A kind of film: the ending of its name and the words that ffmpeg wants for it.
typedef struct film_kind
{
    const char *ending;
    const char *words[24];
} film_kind;

// yuv420p halves the colour resolution, so both sides must be even; the matrix of HD video is named because players
// would otherwise guess it from the size.
#define VIDEO_FILTER "crop=trunc(iw/2)*2:trunc(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv"
#define VIDEO_COLORS                                                                                                   \
    "-pix_fmt", "yuv420p", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "iec61966-2-1"

static const film_kind film_kinds[] = {
    {".mp4", {"-vf", VIDEO_FILTER, "-c:v", "libx264", "-crf", "18", VIDEO_COLORS, "-movflags", "+faststart"}},
    {".mkv", {"-vf", VIDEO_FILTER, "-c:v", "libx264", "-crf", "18", VIDEO_COLORS}},
    {".webm", {"-vf", VIDEO_FILTER, "-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", VIDEO_COLORS}},
    {".gif", {"-lavfi", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=sierra2_4a"}}};

/// The ending of a film's name: ffmpeg reads the container's kind from it.
static const char *ending_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *const name = slash != NULL ? slash + 1 : path;
    const char *const dot = strrchr(name, '.');
    return dot != NULL && dot != name ? dot : "";
}

static const film_kind *kind_of(const char *path)
{
    const char *const ending = ending_of(path);
    for (size_t k = 0; k < sizeof film_kinds / sizeof film_kinds[0]; ++k)
        if (strcasecmp(ending, film_kinds[k].ending) == 0)
            return &film_kinds[k];
    return ending[0] == '\0' ? &film_kinds[0] : NULL;
}

frz_status frz_movie_check(const char *path, frz_diag *diag)
{
    if (kind_of(path) == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the name of a film ends in .mp4, .mkv, .webm or .gif, got '%.200s'",
                        path);
    FRZ_TRY(frz_file_may_replace(path, diag));
    static const char *const arguments[] = {"ffmpeg", "-hide_banner", "-loglevel", "error", "-version", NULL};
    return run_program(arguments, diag);
}

static frz_status encode(const char *input, int first, double frame_rate, const film_kind *kind, const char *output,
                         frz_diag *diag)
{
    char rate[64], start[32];
    snprintf(rate, sizeof rate, "%.10g", frame_rate);
    snprintf(start, sizeof start, "%d", first);
    const char *arguments[48] = {"ffmpeg", "-hide_banner", "-nostdin", "-loglevel",     "error", "-y", "-f",
                                 "image2", "-framerate",   rate,       "-start_number", start,   "-i", input};
    int count = 14;
    for (int k = 0; kind->words[k] != NULL; ++k)
        arguments[count++] = kind->words[k];
    arguments[count] = output;
    return run_program(arguments, diag);
}

/// Bring the finished file safely to disk, then to its name.
static frz_status publish(const char *temporary, const char *path, frz_diag *diag)
{
    const int descriptor = open(temporary, O_RDONLY | O_CLOEXEC);
    const bool flushed = descriptor >= 0 && fsync(descriptor) == 0;
    const int error = errno;
    if (descriptor >= 0)
        (void)close(descriptor);
    if (!flushed)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot write film '%s': %s", path, strerror(error));
    if (rename(temporary, path) != 0)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot write film '%s': %s", path, strerror(errno));
    return FRZ_OK;
}

frz_status frz_movie_encode(const char *pattern, int first, double frame_rate, const char *path, frz_diag *diag)
{
    if (pattern == NULL || path == NULL || path[0] == '\0')
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a film needs a pattern of picture names and a file name");
    if (!(frame_rate > 0.0) || !isfinite(frame_rate))
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the frame rate of a film must be above 0, got %g", frame_rate);
    if (first < 0)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "the first frame of a film must be 0 or more, got %d", first);
    const film_kind *kind = kind_of(path);
    if (kind == NULL)
        return frz_movie_check(path, diag);
    FRZ_TRY(check_first_frame(pattern, first, diag));
    FRZ_TRY(frz_file_may_replace(path, diag));

    // "file:" keeps ffmpeg from reading a colon or a leading dash in a name as something else
    static const char prefix[] = "file:";
    const size_t input_size = strlen(pattern) + sizeof prefix;
    const size_t output_size = strlen(path) + sizeof prefix + FRZ_TEMPORARY_EXTRA;
    char *input = frz_alloc("file name", input_size, 1);
    char *output = frz_alloc("file name", output_size, 1);
    frz_status status = FRZ_OK;
    if (input == NULL || output == NULL)
        status = frz_fail_memory(diag, "a file name");
    else
    {
        snprintf(input, input_size, "%s%s", prefix, pattern);
        memcpy(output, prefix, sizeof prefix);
        char *const temporary = output + sizeof prefix - 1;
        const int fd = frz_temporary_create(path, kind->ending, temporary, output_size - sizeof prefix + 1);
        if (fd < 0)
            status = frz_fail(diag, FRZ_ERR_FILE, "cannot write film '%s': %s", path, strerror(errno));
        else
        {
            (void)close(fd); // ffmpeg writes over it
            status = encode(input, first, frame_rate, kind, output, diag);
            if (status == FRZ_OK)
                status = publish(temporary, path, diag);
            if (status != FRZ_OK)
                (void)unlink(temporary);
        }
    }
    frz_free(input);
    frz_free(output);
    return status;
}
