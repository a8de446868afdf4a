// SPDX-License-Identifier: MIT
// Which frames have their surfaces.
#include "api/surface_done.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "io/text_file.h"

enum
{
    line_size = 96
};

static void add_options(frz_text_builder *text, const frz_surface_def *def)
{
    const frz_surface_options *o = &def->options;
    frz_text_add(text,
                 "frazil %s format %d method %s cell %.17g smoothing %d decimate %.17g spray %d open %d merge %d "
                 "bodies %d fields",
                 frz_version(), (int)def->format, o->method != NULL ? o->method : frz_surface_methods()[0], o->cell,
                 o->smoothing, o->decimate, o->spray, o->walls_open, o->merge, def->bodies);
    for (int f = 0; f < o->field_count; ++f)
        frz_text_add(text, " %s", o->fields[f]);
    frz_text_add(text, "\n");
}

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

frz_status frz_surface_done_open(const char *folder, const frz_surface_def *def, frz_surface_done *out, frz_diag *diag)
{
    *out = (frz_surface_done){.path = ""};
    FRZ_TRY(frz_path_format(out->path, diag, "%s/done.txt", folder));
    add_options(&out->text, def);
    char *text = NULL;
    size_t length = 0;
    const bool same = !out->text.failed && frz_text_read(out->path, &text, &length, NULL) == FRZ_OK &&
                      length >= out->text.length && memcmp(text, out->text.text, out->text.length) == 0;
    if (same)
        frz_text_add(&out->text, "%s", text + out->text.length);
    frz_free(text);
    return out->text.failed ? frz_fail_memory(diag, "the list of surfaces") : FRZ_OK;
}

void frz_surface_done_close(frz_surface_done *done)
{
    frz_text_builder_destroy(&done->text);
}

bool frz_surface_done_has(const frz_surface_done *done, const char *directory, int index)
{
    char line[line_size];
    return done->text.text != NULL && frame_line(directory, index, line) && strstr(done->text.text, line) != NULL;
}

frz_status frz_surface_done_add(frz_surface_done *done, const char *directory, int index, frz_diag *diag)
{
    char line[line_size];
    if (!frame_line(directory, index, line))
        return FRZ_OK; // taken away meanwhile
    frz_text_add(&done->text, "%s", line);
    if (done->text.failed)
        return frz_fail_memory(diag, "the list of surfaces");
    return frz_text_write(done->path, done->text.text, done->text.length, diag);
}
