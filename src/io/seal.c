// SPDX-License-Identifier: MIT
// Seals of files.
#include "io/seal.h"

#include <string.h>
#include <unistd.h>

frz_seal frz_seal_make(uint64_t magic, const frz_piece *image)
{
    frz_seal seal = {magic, image->size, FRZ_CHECKSUM_START};
    for (size_t done = 0; done < image->size; done += FRZ_SEAL_PIECE)
    {
        const size_t left = image->size - done, size = left < FRZ_SEAL_PIECE ? left : (size_t)FRZ_SEAL_PIECE;
        seal.checksum = frz_seal_add(seal.checksum, (const char *)image->data + done, size);
    }
    return seal;
}

bool frz_seal_read(int fd, int64_t size, frz_seal *seal)
{
    const off_t body = (off_t)size - (off_t)sizeof *seal;
    return body > 0 && lseek(fd, body, SEEK_SET) == body && frz_read_all(fd, seal, sizeof *seal) &&
           seal->length == (uint64_t)body;
}

const char *frz_seal_flaw(const frz_piece *image, uint64_t magic)
{
    frz_seal seal;
    if (image->size <= sizeof seal)
        return NULL;
    const frz_piece body = {image->data, image->size - sizeof seal};
    memcpy(&seal, (const char *)image->data + body.size, sizeof seal);
    if (seal.magic != magic || seal.length != body.size)
        return NULL;
    return frz_seal_make(magic, &body).checksum == seal.checksum ? NULL : "it is damaged (its checksum does not match)";
}
