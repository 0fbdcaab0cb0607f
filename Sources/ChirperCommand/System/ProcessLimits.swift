import ChirperFormats
import Foundation

/// The limits that the system sets for this process.
enum ProcessLimits {
  /// The least number of files that may be open at once. With fewer, Dispatch and
  /// Foundation crashed instead of throwing an error.
  static let openFiles = 64

  /// Raises the limit of open files if it is too low.
  static func allowOpenFiles() throws(UserFacingError) {
    var limit = rlimit()
    guard getrlimit(resource(RLIMIT_NOFILE), &limit) == 0, limit.rlim_cur < rlim_t(openFiles) else {
      return
    }
    limit.rlim_cur = min(limit.rlim_max, 256)
    guard setrlimit(resource(RLIMIT_NOFILE), &limit) == 0, limit.rlim_cur >= rlim_t(openFiles)
    else {
      throw UserFacingError(
        .configuration, kind: "few-files",
        problem:
          "Only \(limit.rlim_cur) files may be open at once here; chirper needs \(openFiles)",
        hint: "Type: ulimit -n 256")
    }
  }

  /// Raises the limit of open files for a server with many connections, as far as the system
  /// lets it.
  static func allowManyFiles() {
    var limit = rlimit()
    guard getrlimit(resource(RLIMIT_NOFILE), &limit) == 0, limit.rlim_cur < 1_200 else { return }
    limit.rlim_cur = min(limit.rlim_max, 1_200)
    setrlimit(resource(RLIMIT_NOFILE), &limit)
  }

  /// Refuses to run with so little memory that Dispatch would wait for threads without end: in
  /// megabytes, of addresses and of data.
  static func checkMemory() throws(UserFacingError) {
    for (kind, needed) in [(RLIMIT_AS, 128), (RLIMIT_DATA, 64)] {
      var limit = rlimit()
      guard getrlimit(resource(kind), &limit) == 0, limit.rlim_cur < rlim_t(needed << 20) else {
        continue
      }
      throw UserFacingError(
        .configuration, kind: "little-memory",
        problem:
          "Only \(limit.rlim_cur >> 20) MB of memory may be used here; chirper needs \(needed)",
        hint: "Type: ulimit -v unlimited -d unlimited")
    }
  }

  /// Keeps the key out of core dumps: from now on a crash of this process writes no file with its
  /// memory. A key in the environment is in memory from the start. Nothing is reported if the
  /// system refuses.
  static func forbidCoreDumps() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(resource(RLIMIT_CORE), &none)
    #if os(Linux)
    // The limit does not bind programs that the system pipes a dump to, such as Ubuntu's apport;
    // what they are given is chosen here. PR_SET_DUMPABLE would do the same, but also keep a
    // debugger's and strace's owner out.
    let filter = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
    if filter >= 0 {
      _ = write(filter, "0", 1)
      close(filter)
    }
    #endif
  }

  #if canImport(Glibc)
  private static func resource(_ kind: __rlimit_resource) -> __rlimit_resource_t {
    __rlimit_resource_t(kind.rawValue)
  }
  #else
  private static func resource(_ kind: Int32) -> Int32 { kind }
  #endif
}
