import Chirper
import ChirperFormats
import Foundation

/// Writes the rows of the table view to a file: whole or not at all, and never over an
/// existing file.
struct BrowseExporter {
  let repository: RecordingRepository

  /// Writes the rows. Returns one line with the result.
  func write(_ path: String, _ selection: Selection) -> String {
    var path = path
    if path.hasPrefix("~/"), let home = ProcessEnvironment.live["HOME"] {
      path = home + path.dropFirst()
    }
    let format = (path as NSString).pathExtension.isEmpty ? .csv : RecordFormat.ofFile(path)
    guard let format else {
      let ends = RecordFormat.forms.compactMap(\.fileExtension).map { ".\($0)" }
      return "\(path): name it \(WordList.or(ends))"
    }
    guard !FileManager.default.fileExists(atPath: path) else {
      return "\(path) exists already: press e for another name"
    }
    do {
      let files = try AtomicFile.all([path])
      let written = try AtomicFile.committing(files) {
        try write(selection, format, to: files[0].sink)
      }
      let unit = selection.lists.isEmpty ? "recording" : "row"
      return Plural.written(written, unit, to: path)
    } catch {
      return UserFacingError.of(error).message
    }
  }

  private func write(
    _ selection: Selection, _ format: RecordFormat, to output: ByteSink
  ) throws -> Int {
    var options = WriteOptions(now: WallClock.now())
    if selection.lists.isEmpty { options.columnSet = .found }
    let rows = try repository.rows(of: selection)
    try rows.checkIsWhole(forExport: true)
    return try rows.write(format, options, to: output).written
  }
}
