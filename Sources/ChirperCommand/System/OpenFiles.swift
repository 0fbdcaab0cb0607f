import Foundation

/// How many files may be open at once.
enum OpenFiles {
  /// With fewer, Dispatch and Foundation were seen to trap instead of telling.
  static let needed = 64

  /// Raises the soft limit where it is too low; throws where the hard one is.
  static func makeRoom() throws(CommandError) {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(needed) else { return }
    limit.rlim_cur = min(limit.rlim_max, 256)
    guard setrlimit(resource, &limit) == 0, limit.rlim_cur >= rlim_t(needed) else {
      throw .fewFiles(limit: Int(clamping: limit.rlim_cur), needed: needed)
    }
  }
}
