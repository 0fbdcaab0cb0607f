import Foundation

/// A file that the user names to be written.
enum OutputFile {
  /// Writes it completely or not at all, also where a signal ends the program.
  static func write(to path: String, _ body: (ByteSink) throws -> Void) throws {
    try OwnFiles().check(output: path)
    let file = try AtomicFile(path: path)
    try SignalHandling.cleaningUp { [temporary = file.temporary] in
      if let temporary { unlink(temporary) }
    } during: {
      do {
        try body(file.sink)
        try file.commit()
      } catch {
        file.discard()
        throw error
      }
    }
  }
}
