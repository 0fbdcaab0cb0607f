#if canImport(Glibc)
import MallocLibrary
#endif

/// The settings for the memory of the process. glibc keeps freed memory for later, in a
/// pool for each thread. A server would stay as large as its largest answers at one time
/// made it.
enum ServerMemory {
  /// Makes large pieces go back to the system when they are freed, and the pools few. A
  /// column of a segment of the search index, of half a megabyte, does not count as large:
  /// each search reads many, and the system gives new memory page by page.
  static func limitAllocatorPools() {
    #if canImport(Glibc)
    _ = mallopt(M_MMAP_THRESHOLD, 9 << 16)
    _ = mallopt(M_TRIM_THRESHOLD, 1 << 22)
    _ = mallopt(M_ARENA_MAX, 2)
    #endif
  }

  /// Gives small pieces that were freed back to the system.
  static func trimAllocator() {
    #if canImport(Glibc)
    _ = malloc_trim(0)
    #endif
  }
}
