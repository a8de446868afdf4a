// SPDX-License-Identifier: MIT
// Thin wrappers around HDF5: sticky errors, silent error stack, arrays described by frz_array_desc.
//
// Files are built in memory and written by frz_file_replace; a file to be read is first brought to memory. HDF5 never
// sees a failing disk: after a failed read or close HDF5 1.10 keeps the broken file in its tables and crashes when the
// program ends.
#pragma once

#include <hdf5.h>

#include "base/array_desc.h"
#include "base/fail.h"
#include "io/file_replace.h"

/// An open file and its first error. After a failure every further call does nothing.
typedef struct frz_h5
{
    hid_t file;
    frz_piece image; ///< the file that is being read; owned
    bool failed;
    bool passing; ///< the error is temporary (memory), not a fault of the file: trying again later may help
    char reason[256];
    H5E_auto2_t print; ///< the caller's error printer, put back by frz_h5_end
    void *print_data;
} frz_h5;

/// Switch off HDF5's own error printing on this thread, until frz_h5_end.
void frz_h5_begin(frz_h5 *h5);
void frz_h5_end(frz_h5 *h5);

/// Between begin and end. A new file in memory; an existing file for reading (fails with a reason, never prints), whose
/// seal must hold if it has one with that magic: files that another program wrote have none.
void frz_h5_create(frz_h5 *h5);
void frz_h5_open(frz_h5 *h5, const char *path, uint64_t magic);
void frz_h5_close(frz_h5 *h5);

/// The bytes of a file built in memory, valid until the file is changed or closed.
FRZ_NODISCARD frz_status frz_h5_image(frz_h5 *h5, frz_piece *image, frz_diag *diag);

#define FRZ_H5_MAGIC UINT64_C(0x334c414553525a46) ///< "FZRSEAL3" in the file: frames and masters

/// Write a file built in memory to path by frz_file_replace, with a seal behind it.
FRZ_NODISCARD frz_status frz_h5_save(frz_h5 *h5, const char *path, frz_diag *diag);

/// Record a failure (negative result) with HDF5's reason; returns false after any failure. The text names our own
/// finding.
bool frz_h5_check(frz_h5 *h5, int64_t result);
bool frz_h5_require(frz_h5 *h5, bool condition, const char *finding);

/// The same for a temporary failure: lack of memory.
bool frz_h5_need(frz_h5 *h5, bool got_memory);

/// Properties of a dataset or a group (H5P_DATASET_CREATE, ...) to be made. Without dates: equal runs give equal bytes.
hid_t frz_h5_creation_list(frz_h5 *h5, hid_t kind);

/// Groups and datasets; ids are closed by the caller with frz_h5_release, which accepts failed ids.
hid_t frz_h5_group_create(frz_h5 *h5, hid_t parent, const char *name);
hid_t frz_h5_group_open(frz_h5 *h5, hid_t parent, const char *name);
hid_t frz_h5_dataset_open(frz_h5 *h5, hid_t parent, const char *name);
void frz_h5_release(hid_t id);

hid_t frz_h5_native_type(frz_dtype type);

/// Create and fill a small dataset, dims[rank].
void frz_h5_dataset_write(frz_h5 *h5, hid_t parent, const char *name, hid_t type, int rank, const hsize_t *dims,
                          const void *data);

/// Create a dataset rows [x components] and write the array packed, with attribute "unit". sum may be null, else it
/// gets the checksum of the packed bytes, stored as attribute "checksum" as well.
void frz_h5_array_write(frz_h5 *h5, hid_t parent, const frz_array_desc *array, uint64_t *sum);

/// Type, components and rows of a stored array; fails on shapes and types that no array has.
void frz_h5_array_describe(frz_h5 *h5, hid_t dataset, frz_array_desc *array);

/// Read into array->data, honouring its stride. sum as above, of the data read.
void frz_h5_array_read(frz_h5 *h5, hid_t dataset, const frz_array_desc *array, uint64_t *sum);

/// Scalar attributes in native types.
void frz_h5_attribute_write(frz_h5 *h5, hid_t object, const char *name, hid_t type, const void *value);
void frz_h5_attribute_read(frz_h5 *h5, hid_t object, const char *name, hid_t type, void *value);
/// Fixed-length text without terminator padding beyond its length; "" is stored as one null byte.
void frz_h5_text_write(frz_h5 *h5, hid_t object, const char *name, const char *text);
/// Cut to size - 1 bytes.
void frz_h5_text_read(frz_h5 *h5, hid_t object, const char *name, char *text, size_t size);
