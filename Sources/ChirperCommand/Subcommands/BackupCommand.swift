import ArgumentParser
import Chirper
import ChirperFormats
import Foundation

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the whole store into one file.",
    discussion: """
      The file is a database as it was at one moment. To use it, copy it to chirper.sqlite in a data directory. The kept audio \
      is not in it: FILE.audio.tsv lists it with sizes, by the names in the directory audio.

        chirper backup /media/usb/chirper.sqlite
        chirper backup birds-2026-11.sqlite --json
      """
  )

  @Argument(help: "The file to write.", completion: .file())
  var file: String

  @OptionGroup var common: CommonOptions

  func run() throws {
    let directory = try ProcessEnvironment.live.dataDirectory()
    let repository = try Session.offline(.read)
    let database = RecordingRepository.database(in: directory).path
    guard FileManager.default.fileExists(atPath: database) else {
      throw UserFacingError(
        .notFetched, kind: "no-database", subject: database,
        problem: "this database does not exist, because nothing was fetched yet",
        hint: "Type: chirper fetch parrot, or set CHIRPER_DATA_DIR to the directory of your store.")
    }
    guard !file.isEmpty, file != "-" else {
      throw UserFacingError.usage(
        "backup needs the name of a file",
        example: "chirper backup chirper-backup.sqlite")
    }
    if AtomicFile.isDevice(file) { throw UserFacingError.notAFile(path: file) }
    let progress = common.printer.progress()
    let files = try AtomicFile.all([file, file + ".audio.tsv"])
    let audio = repository.audio.downloadedFiles()
    let bytes = try AtomicFile.writing(files, showing: progress) {
      guard let copy = files[0].temporary else { throw UserFacingError.notAFile(path: file) }
      defer { progress.close() }
      do throws(StoreError) {
        try repository.backup(to: URL(filePath: copy)) { copied, all in
          progress.show { "copied \(copied * 100 / max(all, 1)) %" }
        }
      } catch {
        guard case .diskFull = error.reason else { throw error }
        throw StoreError(.diskFull(path: file))
      }
      try files[1].sink.line("file\tbytes")
      for file in audio { try files[1].sink.line("\(file.name)\t\(file.bytes)") }
      return (try? FileManager.default.attributesOfItem(atPath: copy)[.size] as? NSNumber)?
        .int64Value ?? 0
    }
    try common.printer.print(report(bytes, audio))
  }

  private func report(_ bytes: Int64, _ audio: [(name: String, bytes: Int64)]) -> Report {
    let audioBytes = audio.reduce(0) { $0 + $1.bytes }
    let members: JSONObject = [
      "list": file + ".audio.tsv", "files": audio.count, "bytes": audioBytes,
    ]
    let size = audioBytes > 0 ? " (\(SizeText.words(audioBytes)))" : ""
    return Report(
      ["file": file, "bytes": bytes, "audio": members],
      notes: [
        "\(file): \(SizeText.words(bytes)) copied; \(file).audio.tsv lists "
          + Plural.words(audio.count, "audio file") + size
      ])
  }
}
