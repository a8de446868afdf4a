// SPDX-License-Identifier: MIT
// Which frames have their surfaces or pictures.
#include "api/frames_done.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/text_file.h"

enum
{
    line_size = 96
};

/// "frame 12 <when it was written> <size>", or false if there is no such frame.
static bool frame_line(const char *directory, int index, char line[line_size])
{
    char path[FRZ_PATH_SIZE];
    struct stat info;
    if (frz_path_format(path, NULL, "%s/frames/frame_%06d.vtkhdf", directory, index) != FRZ_OK ||
        stat(path, &info) != 0)
        return false;
    snprintf(line, line_size, "frame %d %lld.%09ld %lld\n", index, (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
             (long long)info.st_size);
    return true;
}

frz_status frz_frames_done_open(frz_frames_done *out, const char *folder, frz_diag *diag)
{
    FRZ_TRY(frz_path_format(out->path, diag, "%s/done.txt", folder));
    char *text = NULL;
    size_t length = 0;
    const bool same = !out->text.failed && frz_text_read(out->path, &text, &length, NULL) == FRZ_OK &&
                      length >= out->text.length && memcmp(text, out->text.text, out->text.length) == 0;
    if (same)
        frz_text_add(&out->text, "%s", text + out->text.length);
    frz_free(text);
    return out->text.failed ? frz_fail_memory(diag, "the list of finished frames") : FRZ_OK;
}

void frz_frames_done_close(frz_frames_done *done)
{
    frz_text_builder_destroy(&done->text);
}

void frz_frames_done_remove(const frz_frames_done *done)
{
    (void)unlink(done->path);
}

bool frz_frames_done_has(const frz_frames_done *done, const char *directory, int index)
{
    char line[line_size];
    return done->text.text != NULL && frame_line(directory, index, line) && strstr(done->text.text, line) != NULL;
}

frz_status frz_frames_done_add(frz_frames_done *done, const char *directory, int index, frz_diag *diag)
{
    char line[line_size];
    if (!frame_line(directory, index, line))
        return FRZ_OK; // removed meanwhile
    frz_text_add(&done->text, "%s", line);
    if (done->text.failed)
        return frz_fail_memory(diag, "the list of finished frames");
    return frz_text_write(done->path, done->text.text, done->text.length, diag);
}

double frz_frames_time_left(double elapsed, int done, int kept, int total)
{
    if (done == total)
        return 0.0;
    return done > kept ? elapsed / (done - kept) * (total - done) : -1.0;
}
