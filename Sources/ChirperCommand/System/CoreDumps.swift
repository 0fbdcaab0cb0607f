import Foundation

/// Keeps the key out of core dumps. A key in the environment is in memory from the start, so dumps are off from the start.
enum CoreDumps {
  /// From now on a crash of this process writes no file with its memory. Nothing is reported where the system refuses.
  static func turnOff() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    #else
      setrlimit(RLIMIT_CORE, &none)
    #endif
    #if os(Linux)
      // The limit does not bind programs that the system pipes a dump to, such as Ubuntu's apport; what they are given is
      // chosen here. PR_SET_DUMPABLE would do the same, but also keep a debugger's and strace's owner out.
      let filter = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
      if filter >= 0 {
        _ = write(filter, "0", 1)
        close(filter)
      }
    #endif
  }
}
