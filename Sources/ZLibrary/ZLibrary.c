#include "ZLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// As in zlib.h, whose binary interface is fixed.
struct stream {
  const uint8_t *next_in;
  unsigned available_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned available_out;
  unsigned long total_out;
  const char *message;
  void *state;
  void *allocate;
  void *free;
  void *opaque;
  int data_type;
  unsigned long adler;
  unsigned long reserved;
};

enum {
  result_ok = 0,
  result_end = 1,
  result_buffer = -5,
  flush_none = 0,
  flush_finish = 4,
  default_level = -1,
  method_deflate = 8,
  // Negative: no header and no checksum around the data.
  raw_window = -15,
  default_memory = 8,
  default_strategy = 0,
};

static struct {
  const char *(*version)(void);
  int (*deflate_init)(struct stream *, int level, int method, int window, int memory, int strategy, const char *version, int size);
  int (*deflate)(struct stream *, int flush);
  int (*deflate_end)(struct stream *);
  unsigned long (*crc32)(unsigned long, const uint8_t *, unsigned);
} z;

static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
#ifdef __APPLE__
  const char *name = "/usr/lib/libz.1.dylib";
#elif defined(__ANDROID__)
  const char *name = "libz.so";
#else
  const char *name = "libz.so.1";
#endif
  // RTLD_LOCAL: nobody else in the process gets to see these names.
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  *(void **)&z.version = dlsym(library, "zlibVersion");
  *(void **)&z.deflate_init = dlsym(library, "deflateInit2_");
  *(void **)&z.deflate = dlsym(library, "deflate");
  *(void **)&z.deflate_end = dlsym(library, "deflateEnd");
  *(void **)&z.crc32 = dlsym(library, "crc32");
  is_loaded = z.version != NULL && z.deflate_init != NULL && z.deflate != NULL && z.deflate_end != NULL && z.crc32 != NULL;
}

bool z_library_load(void) {
  pthread_once(&once, load);
  return is_loaded;
}

void *z_library_deflate_start(void) {
  struct stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) return NULL;
  int result = z.deflate_init(
    stream, default_level, method_deflate, raw_window, default_memory, default_strategy, z.version(), (int)sizeof *stream);
  if (result == result_ok) return stream;
  free(stream);
  return NULL;
}

// One call takes at most so much: zlib counts in unsigned int.
static unsigned limited(size_t count) { return count > 1u << 30 ? 1u << 30 : (unsigned)count; }

int z_library_deflate(void *opaque, const uint8_t *input, size_t *count, uint8_t *output, size_t *room, bool is_last) {
  struct stream *stream = opaque;
  unsigned given = limited(*count), free_room = limited(*room);
  stream->next_in = input;
  stream->available_in = given;
  stream->next_out = output;
  stream->available_out = free_room;
  int result = z.deflate(stream, is_last && given == *count ? flush_finish : flush_none);
  *count -= given - stream->available_in;
  *room -= free_room - stream->available_out;
  if (result == result_end) return 1;
  // No progress was possible: there was nothing to read, or no room.
  return result == result_ok || result == result_buffer ? 0 : -1;
}

void z_library_deflate_end(void *opaque) {
  z.deflate_end(opaque);
  free(opaque);
}

uint32_t z_library_crc32(uint32_t before, const uint8_t *bytes, size_t count) {
  unsigned long value = before;
  while (count > 0) {
    unsigned part = limited(count);
    value = z.crc32(value, bytes, part);
    bytes += part;
    count -= part;
  }
  return (uint32_t)value;
}
