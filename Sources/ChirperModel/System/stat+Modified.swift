import Foundation

extension stat {
  /// The time of the file's last change, in seconds and nanoseconds since 1970.
  package var modified: (seconds: Int, nanoseconds: Int) {
    #if canImport(Darwin)
    (Int(st_mtimespec.tv_sec), Int(st_mtimespec.tv_nsec))
    #else
    (Int(st_mtim.tv_sec), Int(st_mtim.tv_nsec))
    #endif
  }
}
