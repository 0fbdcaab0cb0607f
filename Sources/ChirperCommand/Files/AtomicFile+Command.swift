import ChirperFormats
import ChirperModel

extension AtomicFile {
  /// A file for each path; none if one of them cannot be created.
  static func all(_ paths: [String], links: LinkPolicy = .follow) throws -> [AtomicFile] {
    var files: [AtomicFile] = []
    let own = paths.isEmpty ? nil : OwnFiles()
    do {
      for path in paths {
        try own?.check(output: path)
        files.append(try AtomicFile(path: path, links: links))
      }
    } catch {
      for file in files { file.discard() }
      throw error
    }
    return files
  }

  /// Runs work that writes to files. They appear when it is done. If it fails or a signal ends it,
  /// they are removed, and so is the line of its progress.
  static func writing<Result>(
    _ files: [AtomicFile], showing progress: ProgressLine? = nil, _ work: () throws -> Result
  ) throws -> Result {
    guard !files.isEmpty else { return try work() }
    return try SignalHandling.cleaningUp { [temporaries = files.compactMap(\.temporary)] in
      for temporary in temporaries { SQLiteCompanion.deleteAll(with: temporary) }
      progress?.close()
    } during: {
      try committing(files, work)
    }
  }

  /// Writes to a file that appears when all is written, or to standard output without a path.
  static func writing(
    to path: String?, links: LinkPolicy = .follow, _ body: (ByteSink) throws -> Void
  ) throws {
    let files = try all([path].compactMap(\.self), links: links)
    try writing(files) { try body(files.first?.sink ?? ByteSink.standardOutput()) }
  }
}
