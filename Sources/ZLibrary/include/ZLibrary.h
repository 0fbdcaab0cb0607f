// The part of zlib that zip files need, loaded by the first call of z_library_load and not before (docs/decisions/0022).
//
// No name of zlib is declared or defined here, so an app can link any zlib of its own beside this, and nothing of zlib is
// needed at build time.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether zlib is there with every function that is needed; loads it the first time. Safe on any thread.
bool z_library_load(void);

// Everything below needs a z_library_load that gave true. A stream belongs to one thread at a time.

/// A new stream that compresses into raw deflate, as zip files contain it; NULL: no memory.
void *z_library_deflate_start(void);

/// Compresses bytes.
///
/// - Parameters:
///   - input, count: what is to be compressed next; `*count` becomes the number of bytes that are left.
///   - output, room: where the result goes; `*room` becomes the number of bytes that are still free.
///   - is_last: whether nothing follows.
/// - Returns: 1 where the end of the stream was written, 0 where there is more to do, below 0 after an error.
int z_library_deflate(void *stream, const uint8_t *input, size_t *count, uint8_t *output, size_t *room, bool is_last);

void z_library_deflate_end(void *stream);

/// The CRC-32 of bytes, continued from that of the bytes before them; 0 for none.
uint32_t z_library_crc32(uint32_t before, const uint8_t *bytes, size_t count);
