// SPDX-License-Identifier: MIT
// Append-only tables: only whole lines ever reach the file, also when the disk is full.
#include "io/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file_replace.h"

enum
{
    buffer_size = 1 << 16 // bytes of rows gathered before a write
};

struct frz_csv
{
    char path[FRZ_PATH_SIZE];
    int fd;
    int64_t rows;
    off_t complete; // bytes of whole lines in the file
    size_t used;    // bytes waiting in buffer
    char *buffer;
    size_t capacity;
};

// Bytes of the header and the first keep_rows complete rows of text; rows gets the number of rows found.
static size_t complete_prefix(const char *text, size_t header_length, int64_t keep_rows, int64_t *rows)
{
    const char *end = text + header_length;
    *rows = 0;
    while (*rows < keep_rows)
    {
        const char *newline = strchr(end, '\n');
        if (newline == NULL)
            break;
        end = newline + 1;
        ++*rows;
    }
    return (size_t)(end - text);
}

// Bring the existing file to header and keep_rows rows. Sets length 0 when the file must start empty.
static frz_status cut_back(frz_csv *csv, const char *header, int64_t keep_rows, size_t *kept, frz_diag *diag)
{
    *kept = 0;
    if (access(csv->path, F_OK) != 0)
        return FRZ_OK;
    char *text = NULL;
    size_t length = 0;
    FRZ_TRY(frz_text_read(csv->path, &text, &length, diag));
    const size_t header_length = strlen(header);
    if (memchr(text, '\n', length) == NULL) // empty, or not even the header was complete
    {
        frz_free(text);
        return FRZ_OK;
    }
    if (length <= header_length || strncmp(text, header, header_length) != 0 || text[header_length] != '\n')
    {
        frz_free(text);
        return frz_fail(diag, FRZ_ERR_FILE,
                        "cannot append to %s: its columns are not the ones written now; go on with the version of "
                        "frazil that run.json names, or move the file away",
                        csv->path);
    }
    *kept = complete_prefix(text, header_length + 1, keep_rows, &csv->rows);
    const frz_status status = *kept == length ? FRZ_OK : frz_text_write(csv->path, text, *kept, diag);
    frz_free(text);
    return status;
}

static frz_status start_anew(frz_csv *csv, const char *header, size_t *length, frz_diag *diag)
{
    const frz_piece pieces[] = {{header, strlen(header)}, {"\n", 1}};
    *length = pieces[0].size + 1;
    csv->rows = 0;
    return frz_file_replace(csv->path, pieces, 2, diag);
}

static frz_status open_at(frz_csv *csv, const char *header, int64_t keep_rows, frz_diag *diag)
{
    size_t length = 0;
    if (keep_rows >= 0)
        FRZ_TRY(cut_back(csv, header, keep_rows, &length, diag));
    if (length == 0)
        FRZ_TRY(start_anew(csv, header, &length, diag));
    csv->complete = (off_t)length;
    csv->fd = open(csv->path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (csv->fd < 0)
        return frz_fail_file(diag, "write", csv->path, errno);
    return FRZ_OK;
}

frz_status frz_csv_open(const char *path, const char *header, int64_t keep_rows, frz_csv **out, frz_diag *diag)
{
    *out = NULL;
    frz_csv *csv = FRZ_ALLOC("csv", 1, frz_csv);
    char *buffer = FRZ_ALLOC("csv", buffer_size, char);
    if (csv == NULL || buffer == NULL)
    {
        frz_free(csv);
        frz_free(buffer);
        return frz_fail_memory(diag, path);
    }
    csv->buffer = buffer;
    csv->capacity = buffer_size;
    csv->fd = -1;
    frz_status status = frz_path_format(csv->path, diag, "%s", path);
    if (status == FRZ_OK)
        status = open_at(csv, header, keep_rows, diag);
    if (status != FRZ_OK)
        frz_csv_close(&csv);
    *out = csv;
    return status;
}

frz_status frz_csv_row(frz_csv *csv, const char *row, frz_diag *diag)
{
    const size_t length = strlen(row);
    if (strchr(row, '\n') != NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a row of %s must not contain a line break", csv->path);
    if (csv->used + length + 1 > csv->capacity)
        FRZ_TRY(frz_csv_flush(csv, diag));
    if (length + 1 > csv->capacity)
    {
        char *larger = frz_realloc("csv", csv->buffer, length + 1, 1);
        if (larger == NULL)
            return frz_fail_memory(diag, csv->path);
        csv->buffer = larger;
        csv->capacity = length + 1;
    }
    memcpy(csv->buffer + csv->used, row, length);
    csv->buffer[csv->used + length] = '\n';
    csv->used += length + 1;
    ++csv->rows;
    return FRZ_OK;
}

frz_status frz_csv_flush(frz_csv *csv, frz_diag *diag)
{
    if (csv->used == 0)
        return FRZ_OK;
    if (frz_write_all(csv->fd, csv->buffer, csv->used))
    {
        csv->complete += (off_t)csv->used;
        csv->used = 0;
        return FRZ_OK;
    }
    const int error = errno;
    // remove a part of a line; the rows stay in the buffer, so that a later flush can still save them
    if (ftruncate(csv->fd, csv->complete) != 0)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot write %s: its last line may be torn (%s)", csv->path,
                        strerrordesc_np(error));
    return frz_fail_file(diag, "write", csv->path, error);
}

frz_status frz_csv_sync(frz_csv *csv, bool *removed, frz_diag *diag)
{
    struct stat info;
    FRZ_TRY(frz_csv_flush(csv, diag));
    if (fsync(csv->fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        return frz_fail_file(diag, "flush", csv->path, errno);
    *removed = fstat(csv->fd, &info) == 0 && info.st_nlink == 0;
    return FRZ_OK;
}

int64_t frz_csv_row_count(const frz_csv *csv)
{
    return csv->rows;
}

void frz_csv_close(frz_csv **csv)
{
    if (csv == NULL || *csv == NULL)
        return;
    frz_csv *closing = *csv;
    if (closing->fd >= 0)
    {
        frz_diag ignored; // close always succeeds; callers that need the reason call flush before
        const frz_status status = frz_csv_flush(closing, &ignored);
        if (status == FRZ_OK)
            (void)fsync(closing->fd);
        close(closing->fd);
    }
    frz_free(closing->buffer);
    frz_free(closing);
    *csv = NULL;
}
