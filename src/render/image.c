// SPDX-License-Identifier: MIT
// Pictures in memory and as PNG files. Files appear complete or not at all.
#include "render/raycast.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "render/paint.h"

void frz_image_destroy(frz_image *image)
{
    if (image == NULL)
        return;
    FRZ_FREE(image->rgb);
    image->width = image->height = 0;
}

frz_status frz_image_create(int width, int height, frz_image *out, frz_diag *diag)
{
    memset(out, 0, sizeof *out);
    if (width < 1 || height < 1 || width > FRZ_IMAGE_MAX_SIDE || height > FRZ_IMAGE_MAX_SIDE)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a picture must have 1 to %d pixels on each side, got %d x %d",
                        FRZ_IMAGE_MAX_SIDE, width, height);
    out->rgb = frz_alloc("picture", (size_t)width * (size_t)height, 3);
    if (out->rgb == NULL)
        return frz_fail(diag, FRZ_ERR_MEMORY, "not enough memory for a picture of %d x %d pixels", width, height);
    out->width = width;
    out->height = height;
    return FRZ_OK;
}

static frz_status write_and_flush(const frz_image *image, FILE *file, const char *path, frz_diag *diag)
{
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)image->width,
                     .height = (png_uint_32)image->height,
                     .format = PNG_FORMAT_RGB};
    errno = 0;
    if (png_image_write_to_stdio(&png, file, 0, image->rgb, image->width * 3, NULL) == 0)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot write picture '%s': %s", path,
                        errno != 0 ? strerror(errno) : png.message); // libpng does not say that the disk is full
    if (fflush(file) != 0 || fsync(fileno(file)) != 0)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot write picture '%s': %s", path, strerror(errno));
    return FRZ_OK;
}

frz_status frz_image_write_png(const frz_image *image, const char *path, frz_diag *diag)
{
    if (image == NULL || image->rgb == NULL || path == NULL || path[0] == '\0')
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "writing a picture needs a picture and a file name");
    FRZ_TRY(frz_file_may_replace(path, diag));
    const size_t size = strlen(path) + FRZ_TEMPORARY_EXTRA;
    char *temporary = frz_alloc("file name", size, 1);
    if (temporary == NULL)
        return frz_fail_memory(diag, "a file name");
    frz_status status = FRZ_OK;
    const int fd = frz_temporary_create(path, "", temporary, size);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file == NULL)
        status = frz_fail(diag, FRZ_ERR_FILE, "cannot write picture '%s': %s", path, strerror(errno));
    else
    {
        status = write_and_flush(image, file, path, diag);
        if (fclose(file) != 0 && status == FRZ_OK)
            status = frz_fail(diag, FRZ_ERR_FILE, "cannot write picture '%s': %s", path, strerror(errno));
        if (status == FRZ_OK && rename(temporary, path) != 0)
            status = frz_fail(diag, FRZ_ERR_FILE, "cannot write picture '%s': %s", path, strerror(errno));
    }
    if (fd >= 0 && file == NULL)
        (void)close(fd);
    if (fd >= 0 && status != FRZ_OK)
        (void)unlink(temporary);
    frz_free(temporary);
    return status;
}

frz_status frz_image_read_png(const char *path, frz_image *out, frz_diag *diag)
{
    memset(out, 0, sizeof *out);
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (png_image_begin_read_from_file(&png, path) == 0)
        return frz_fail(diag, FRZ_ERR_FILE, "cannot read picture '%s': %s", path, png.message);
    png.format = PNG_FORMAT_RGB;
    if (png.width > FRZ_IMAGE_MAX_SIDE || png.height > FRZ_IMAGE_MAX_SIDE)
    {
        png_image_free(&png);
        return frz_fail(diag, FRZ_ERR_FILE, "picture '%s' is larger than %d pixels on a side", path,
                        FRZ_IMAGE_MAX_SIDE);
    }
    const frz_status status = frz_image_create((int)png.width, (int)png.height, out, diag);
    if (status != FRZ_OK)
    {
        png_image_free(&png);
        return status;
    }
    const png_color white = {255, 255, 255}; // shows through where the file is transparent
    if (png_image_finish_read(&png, &white, out->rgb, out->width * 3, NULL) == 0)
    {
        frz_image_destroy(out);
        return frz_fail(diag, FRZ_ERR_FILE, "cannot read picture '%s': %s", path, png.message);
    }
    return FRZ_OK;
}
