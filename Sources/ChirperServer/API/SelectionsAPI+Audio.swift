import Chirper
import ChirperFormats
import ChirperModel
import Foundation

extension SelectionsAPI {
  /// The kept audio of the selection in a zip file, as `chirper export --audio` writes it: with names
  /// for people, a playlist, credits and a table of all rows. Nothing is fetched.
  func audioFiles(_ request: Request) throws -> Answer {
    let selection = try select(request).selection
    try selection.checkIsWhole(forExport: true)
    try request.needExclusiveAccess()
    guard let kept = try selection.withDownloadedAudio() else {
      throw UserFacingError(
        .notFetched, kind: "no-audio", problem: "No audio of these recordings is kept",
        hint: "Fetch it first, or choose other recordings.")
    }
    try Self.checkFitsZip(AudioFolder.bytes(of: kept))
    let folder = try AudioFolder(selection)
    return Answer(
      type: "application/zip",
      body: .stream { [now] send in
        try await ExportStream.send(to: send) { output in
          var options = WriteOptions(now: now())
          options.columnSet = .tidy
          try folder.write(kept, to: ZipWriter(output, date: options.now), options)
          try output.flush()
        }
      },
      headers: [Self.disposition(selection, "zip")])
  }

  /// The header that names a file of the selection: by its list, if it is of one.
  static func disposition(_ selection: Rows, _ end: String) -> (name: String, value: String) {
    let list = selection.lists.count == 1 ? selection.lists[0].query.typed : ""
    return Answer.disposition("\(AudioFolder.plain(list, 80) ?? "recordings").\(end)")
  }

  /// Refuses audio of more bytes than a zip file takes, before its first byte is sent.
  static func checkFitsZip(_ bytes: Int) throws(UserFacingError) {
    guard bytes >= ZipWriter.mostBytes else { return }
    throw .usage(
      "The audio has \(bytes >> 20) MB, and a zip file takes 4096",
      hint: "Choose fewer recordings.")
  }
}
