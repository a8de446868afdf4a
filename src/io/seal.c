// SPDX-License-Identifier: MIT
// Seals of files.
#include "io/seal.h"

#include <errno.h>
#include <unistd.h>

#include "base/memory.h"

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

static bool read_fully(int fd, void *data, size_t size)
{
    char *to = data;
    while (size > 0)
    {
        const ssize_t got = read(fd, to, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        size -= (size_t)got;
    }
    return true;
}

bool frz_seal_read(int fd, int64_t size, frz_seal *seal)
{
    const off_t body = (off_t)size - (off_t)sizeof *seal;
    return body > 0 && lseek(fd, body, SEEK_SET) == body && read_fully(fd, seal, sizeof *seal) &&
           seal->length == (uint64_t)body;
}

const char *frz_seal_flaw(int fd, const frz_seal *seal)
{
    const char *flaw = lseek(fd, 0, SEEK_SET) == 0 ? NULL : "it cannot be read";
    char *piece = frz_alloc("reader of seals", FRZ_SEAL_PIECE, 1);
    uint64_t sum = FRZ_CHECKSUM_START;
    if (piece == NULL)
        return "memory ran short";
    for (uint64_t done = 0; done < seal->length && flaw == NULL; done += FRZ_SEAL_PIECE)
    {
        const uint64_t left = seal->length - done;
        const size_t size = left < FRZ_SEAL_PIECE ? (size_t)left : (size_t)FRZ_SEAL_PIECE;
        if (!read_fully(fd, piece, size))
            flaw = "it cannot be read to its end (the disk may be failing)";
        sum = frz_seal_add(sum, piece, size);
    }
    frz_free(piece);
    if (flaw == NULL && sum != seal->checksum)
        flaw = "it is damaged (its checksum does not match)";
    return flaw;
}
