import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// Writes what the table view shows to a file: whole or not at all, and never over another.
struct BrowseExporter {
  let repository: RecordingRepository

  /// Returns one line that reports what was done.
  func write(_ path: String, _ query: SearchQuery, _ rows: ListReader) -> String {
    var path = path
    if path.hasPrefix("~/"), let home = ProcessEnvironment.live["HOME"] { path = home + path.dropFirst() }
    guard let format = (path as NSString).pathExtension.isEmpty ? .csv : RecordFormat.ofFile(path) else {
      let ends = RecordFormat.exported.compactMap(\.fileExtension).map { ".\($0)" }
      return "\(path): name it \(UserFacingError.orList(ends))"
    }
    guard !FileManager.default.fileExists(atPath: path) else { return "\(path) exists already: press e for another name" }
    do {
      guard let stored = try repository.stored(query) else { return "this list is not stored" }
      let list = try RecordList(repository, stored, rows: rows)
      try OwnFiles().check(output: path)
      let file = try AtomicFile(path: path)
      let written: Int
      do {
        var options = ExportOptions(now: Dependencies.live.now())
        options.keptAudio = repository.audio.keptFiles(of: [query.catalogue])
        written = try list.export(format, options, to: file.sink).written
        try file.commit()
      } catch {
        file.discard()
        throw error
      }
      return "wrote \(Plural.words(written, "row")) to \(path)"
    } catch {
      return UserFacingError(any: error)?.message ?? "\(error)"
    }
  }
}
