// SPDX-License-Identifier: MIT
// Small text outputs: atomic whole-file writes (run.json, .xmf, .svg) and append-only tables (stats.csv, probes.csv).
#pragma once

#include "base/fail.h"

/// Write text to path by way of a temporary file, fsync and rename.
FRZ_NODISCARD frz_status frz_text_write(const char *path, const char *text, size_t length, frz_diag *diag);

/// Whole file as a null-terminated string (frz_free it).
FRZ_NODISCARD frz_status frz_text_read(const char *path, char **text, size_t *length, frz_diag *diag);

/// Make a folder and its parents; fine if it exists.
FRZ_NODISCARD frz_status frz_folder_make(const char *path, frz_diag *diag);

/// A CSV being appended to: header once, then rows; lines are complete or absent (each row is one write).
typedef struct frz_csv frz_csv;

/// Open for appending. keep_rows >= 0: an existing file is first cut back to its header and that many rows (for a
/// resumed run), atomically; keep_rows < 0 starts an empty file. A torn last line is dropped.
FRZ_NODISCARD frz_status frz_csv_open(const char *path, const char *header, int64_t keep_rows, frz_csv **out,
                                      frz_diag *diag);
/// Append one row (without newline). Buffered; frz_csv_flush writes out.
FRZ_NODISCARD frz_status frz_csv_row(frz_csv *csv, const char *row, frz_diag *diag);
FRZ_NODISCARD frz_status frz_csv_flush(frz_csv *csv, frz_diag *diag);
/// Flush, and bring the rows onto the disk; removed is set if the file is no longer in its folder.
FRZ_NODISCARD frz_status frz_csv_sync(frz_csv *csv, bool *removed, frz_diag *diag);
int64_t frz_csv_row_count(const frz_csv *csv);
/// Closes even when flushing fails. Accepts null.
void frz_csv_close(frz_csv **csv);
