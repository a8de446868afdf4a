// SPDX-License-Identifier: MIT
// HDF5 files, groups and attributes with sticky errors. Arrays are in h5_array.c.
#include "io/h5_util.h"

#include "base/machine.h"
#include "base/memory.h"
#include "io/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    memory_increment = 1 << 20, // bytes by which a file in memory grows at least
    memory_name_size = 64       // bytes
};

static atomic_uint memory_file_number;

void frz_h5_begin(frz_h5 *h5)
{
    H5Eget_auto2(H5E_DEFAULT, &h5->print, &h5->print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void frz_h5_end(frz_h5 *h5)
{
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, h5->print, h5->print_data);
}

// The innermost entry of the error stack is the most specific one; its text may carry line breaks.
static herr_t take_reason(unsigned number, const H5E_error2_t *error, void *reason)
{
    if (number != 0 || error->desc == NULL)
        return 0;
    char *text = reason;
    const size_t size = sizeof((frz_h5 *)NULL)->reason;
    snprintf(text, size, "%s", error->desc);
    for (char *c = text; *c != '\0'; ++c)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return 0;
}

bool frz_h5_check(frz_h5 *h5, int64_t result)
{
    if (h5->failed || result >= 0)
        return !h5->failed;
    h5->failed = true;
    snprintf(h5->reason, sizeof h5->reason, "unknown HDF5 error");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, h5->reason);
    return false;
}

bool frz_h5_require(frz_h5 *h5, bool condition, const char *finding)
{
    if (h5->failed || condition)
        return !h5->failed;
    h5->failed = true;
    snprintf(h5->reason, sizeof h5->reason, "%s", finding);
    return false;
}

bool frz_h5_need(frz_h5 *h5, bool got_memory)
{
    h5->passing |= !h5->failed && !got_memory;
    return frz_h5_require(h5, got_memory, "memory ran short");
}

hid_t frz_h5_creation_list(frz_h5 *h5, hid_t kind)
{
    if (h5->failed)
        return H5I_INVALID_HID;
    const hid_t list = H5Pcreate(kind);
    if (frz_h5_check(h5, list))
        frz_h5_check(h5, H5Pset_obj_track_times(list, false));
    return list;
}

// The core driver compares files by name, so every file in memory needs one of its own.
static const char *memory_name(char name[memory_name_size])
{
    snprintf(name, memory_name_size, "frazil-memory-%ld-%u", (long)getpid(), atomic_fetch_add(&memory_file_number, 1U));
    return name;
}

void frz_h5_create(frz_h5 *h5)
{
    h5->file = H5I_INVALID_HID;
    h5->image = (frz_piece){NULL, 0};
    h5->failed = h5->passing = false;
    char name[memory_name_size];
    const hid_t access_list = H5Pcreate(H5P_FILE_ACCESS);
    const hid_t creation_list = frz_h5_creation_list(h5, H5P_FILE_CREATE);
    if (frz_h5_check(h5, access_list) && frz_h5_check(h5, H5Pset_fapl_core(access_list, memory_increment, false)))
    {
        h5->file = H5Fcreate(memory_name(name), H5F_ACC_TRUNC, creation_list, access_list);
        frz_h5_check(h5, h5->file);
    }
    frz_h5_release(creation_list);
    frz_h5_release(access_list);
}

// ---- reading: HDF5 gets the bytes that we have read, and never a copy of them

static void *lend_image(size_t size, H5FD_file_image_op_t operation, void *image)
{
    (void)operation;
    return size == ((const frz_piece *)image)->size ? (void *)((const frz_piece *)image)->data : NULL;
}

static void *keep_image(void *to, const void *from, size_t size, H5FD_file_image_op_t operation, void *image)
{
    (void)operation;
    (void)image;
    return to == from ? to : memcpy(to, from, size);
}

static void *refuse_growth(void *data, size_t size, H5FD_file_image_op_t operation, void *image)
{
    (void)data;
    (void)size;
    (void)operation;
    (void)image;
    return NULL;
}

static herr_t leave_image(void *data, H5FD_file_image_op_t operation, void *image)
{
    (void)data;
    (void)operation;
    (void)image;
    return 0;
}

static void *same_user(void *image)
{
    return image;
}

static herr_t leave_user(void *image)
{
    (void)image;
    return 0;
}

// All bytes of a regular file; the reason goes to h5.
static void read_image(frz_h5 *h5, int fd)
{
    struct stat info;
    if (!frz_h5_require(h5, fstat(fd, &info) == 0 && S_ISREG(info.st_mode), "it is not a regular file"))
        return;
    if (!frz_h5_require(h5, info.st_size > 0, "it is empty") ||
        !frz_h5_require(h5, info.st_size < frz_machine_memory(), "it is larger than the memory of this machine"))
        return;
    void *data = frz_alloc("file image", (size_t)info.st_size, 1);
    h5->image = (frz_piece){data, (size_t)info.st_size};
    if (!frz_h5_need(h5, data != NULL) || frz_read_all(fd, data, h5->image.size))
        return;
    h5->passing = true;
    frz_h5_require(h5, false, strerrordesc_np(errno));
}

static void open_image(frz_h5 *h5)
{
    H5FD_file_image_callbacks_t callbacks = {.image_malloc = lend_image,
                                             .image_memcpy = keep_image,
                                             .image_realloc = refuse_growth,
                                             .image_free = leave_image,
                                             .udata_copy = same_user,
                                             .udata_free = leave_user,
                                             .udata = &h5->image};
    char name[memory_name_size];
    const hid_t access_list = H5Pcreate(H5P_FILE_ACCESS);
    if (frz_h5_check(h5, access_list) && frz_h5_check(h5, H5Pset_fapl_core(access_list, memory_increment, false)) &&
        frz_h5_check(h5, H5Pset_fclose_degree(access_list, H5F_CLOSE_STRONG)) &&
        frz_h5_check(h5, H5Pset_file_image_callbacks(access_list, &callbacks)) &&
        frz_h5_check(h5, H5Pset_file_image(access_list, (void *)h5->image.data, h5->image.size)))
    {
        h5->file = H5Fopen(memory_name(name), H5F_ACC_RDONLY, access_list);
        frz_h5_check(h5, h5->file);
    }
    frz_h5_release(access_list);
}

void frz_h5_open(frz_h5 *h5, const char *path, uint64_t magic)
{
    h5->file = H5I_INVALID_HID;
    h5->image = (frz_piece){NULL, 0};
    h5->failed = h5->passing = false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe must not be waited for
    if (fd < 0)
    {
        h5->passing = errno != ENOENT;
        frz_h5_require(h5, false, strerrordesc_np(errno));
        return;
    }
    read_image(h5, fd);
    close(fd);
    const char *flaw = h5->failed ? NULL : frz_seal_flaw(&h5->image, magic);
    if (frz_h5_require(h5, flaw == NULL, flaw))
        open_image(h5);
}

void frz_h5_close(frz_h5 *h5)
{
    if (h5->file >= 0)
        H5Fclose(h5->file);
    h5->file = H5I_INVALID_HID;
    frz_free((void *)h5->image.data);
    h5->image = (frz_piece){NULL, 0};
}

frz_status frz_h5_image(frz_h5 *h5, frz_piece *image, frz_diag *diag)
{
    frz_h5_check(h5, H5Fflush(h5->file, H5F_SCOPE_LOCAL));
    ssize_t size = 0;
    void **memory = NULL;
    if (!h5->failed)
    {
        size = H5Fget_file_image(h5->file, NULL, 0);
        frz_h5_check(h5, size);
    }
    if (!h5->failed)
        frz_h5_check(h5, H5Fget_vfd_handle(h5->file, H5P_DEFAULT, (void **)&memory));
    if (h5->failed)
        return frz_fail(diag, FRZ_ERR_MEMORY, "cannot build an HDF5 file in memory: %s", h5->reason);
    *image = (frz_piece){*memory, (size_t)size};
    return FRZ_OK;
}

frz_status frz_h5_save(frz_h5 *h5, const char *path, frz_diag *diag)
{
    frz_piece image;
    FRZ_TRY(frz_h5_image(h5, &image, diag));
    const frz_seal seal = frz_seal_make(FRZ_H5_MAGIC, &image);
    const frz_piece pieces[] = {image, {&seal, sizeof seal}};
    return frz_file_replace(path, pieces, 2, diag);
}

hid_t frz_h5_group_create(frz_h5 *h5, hid_t parent, const char *name)
{
    if (h5->failed)
        return H5I_INVALID_HID;
    // remember the order of creation, so that fields come back in the order they were given
    const hid_t list = frz_h5_creation_list(h5, H5P_GROUP_CREATE);
    hid_t group = H5I_INVALID_HID;
    if (!h5->failed &&
        frz_h5_check(h5, H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED)))
    {
        group = H5Gcreate2(parent, name, H5P_DEFAULT, list, H5P_DEFAULT);
        frz_h5_check(h5, group);
    }
    frz_h5_release(list);
    return group;
}

hid_t frz_h5_group_open(frz_h5 *h5, hid_t parent, const char *name)
{
    if (h5->failed)
        return H5I_INVALID_HID;
    const hid_t group = H5Gopen2(parent, name, H5P_DEFAULT);
    frz_h5_check(h5, group);
    return group;
}

hid_t frz_h5_dataset_open(frz_h5 *h5, hid_t parent, const char *name)
{
    if (h5->failed)
        return H5I_INVALID_HID;
    const hid_t dataset = H5Dopen2(parent, name, H5P_DEFAULT);
    frz_h5_check(h5, dataset);
    return dataset;
}

void frz_h5_release(hid_t id)
{
    if (id >= 0)
        H5Idec_ref(id);
}

void frz_h5_attribute_write(frz_h5 *h5, hid_t object, const char *name, hid_t type, const void *value)
{
    if (h5->failed)
        return;
    const hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5I_INVALID_HID;
    if (frz_h5_check(h5, space))
    {
        attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        frz_h5_check(h5, attribute);
    }
    if (!h5->failed)
        frz_h5_check(h5, H5Awrite(attribute, type, value));
    frz_h5_release(attribute);
    frz_h5_release(space);
}

void frz_h5_attribute_read(frz_h5 *h5, hid_t object, const char *name, hid_t type, void *value)
{
    if (h5->failed)
        return;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t space = frz_h5_check(h5, attribute) ? H5Aget_space(attribute) : H5I_INVALID_HID;
    // a damaged attribute with many values would overrun the one that is expected
    if (!h5->failed && frz_h5_check(h5, space))
        frz_h5_require(h5, H5Sget_simple_extent_npoints(space) == 1, "an attribute has more than one value");
    if (!h5->failed)
        frz_h5_check(h5, H5Aread(attribute, type, value));
    frz_h5_release(space);
    frz_h5_release(attribute);
}

static hid_t text_type(frz_h5 *h5, size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (frz_h5_check(h5, type) && frz_h5_check(h5, H5Tset_size(type, size)))
        frz_h5_check(h5, H5Tset_strpad(type, H5T_STR_NULLPAD));
    return type;
}

void frz_h5_text_write(frz_h5 *h5, hid_t object, const char *name, const char *text)
{
    if (h5->failed)
        return;
    const size_t length = strlen(text);
    const hid_t type = text_type(h5, length > 0 ? length : 1);
    frz_h5_attribute_write(h5, object, name, type, text);
    frz_h5_release(type);
}

void frz_h5_text_read(frz_h5 *h5, hid_t object, const char *name, char *text, size_t size)
{
    memset(text, 0, size);
    if (h5->failed)
        return;
    const hid_t type = text_type(h5, size);
    frz_h5_attribute_read(h5, object, name, type, text);
    frz_h5_release(type);
    text[size - 1] = '\0';
}
