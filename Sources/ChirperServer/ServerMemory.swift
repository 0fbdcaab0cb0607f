#if canImport(Glibc)
  import MallocLibrary
#endif

/// The memory of the process. glibc keeps what was freed for later, in a pool for each thread: a server would stay as large as its
/// largest answers at the same time made it.
enum ServerMemory {
  /// Large pieces go back to the system when they are freed, and the pools are few. A column of a segment of the search index, of half
  /// a megabyte, is no such piece: each search reads many, and the system gives new memory page by page.
  static func keepLittle() {
    #if canImport(Glibc)
      _ = mallopt(M_MMAP_THRESHOLD, 9 << 16)
      _ = mallopt(M_TRIM_THRESHOLD, 1 << 22)
      _ = mallopt(M_ARENA_MAX, 2)
    #endif
  }

  /// Small pieces that were freed go back too.
  static func giveBack() {
    #if canImport(Glibc)
      _ = malloc_trim(0)
    #endif
  }
}
