import ArgumentParser
import Chirper
import ChirperFormats
import Foundation

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Show versions, paths and the health of the store.",
    discussion: """
      Changes nothing without --repair. Exits with 65 if the database is damaged. With --repair the readable part of a \
      damaged database is copied into a new one; the old file stays next to it, and what was lost is reported. The search \
      index is written again. --report prints what the report of a bug needs, without key, queries and paths.

        chirper doctor
        chirper doctor --json
        chirper doctor --repair
        chirper doctor --report > report.txt
      """
  )

  @Flag(help: "Copy the readable part of a damaged database into a new one.")
  var repair = false

  @Flag(help: "Print what the report of a bug needs, without key, queries and paths.")
  var report = false

  @OptionGroup var common: CommonOptions

  func validate() throws {
    if report, repair || common.json {
      throw ValidationError("Type --report without --repair and --json.")
    }
  }

  func run() throws {
    var doctor = DoctorReport(.live)
    var isIndexWritten = false
    if repair, doctor.areRecordingsSound {
      isIndexWritten = (try? Session.offline(.read).rewriteSearchIndex()) ?? false
      doctor = DoctorReport(.live)
    }
    var repaired: Repair?
    if repair, doctor.isDamaged {
      repaired = try RecordingRepository.repair(directory: ProcessEnvironment.live.storeDirectory())
      doctor = DoctorReport(.live)
    }
    if common.json {
      var object = doctor.json
      if repair { object.add("repair", repaired.map(RepairText.json)) }
      if repair { object.add("searchIndexWritten", isIndexWritten) }
      try ByteSink.printOut(object.text)
    } else {
      var words = repaired.map(RepairText.lines) ?? []
      if isIndexWritten, repaired == nil {
        words = ["repair       the search index was written again"]
      }
      if repair, words.isEmpty { words = ["repair       nothing to repair"] }
      let now = RecordingRepository.Dependencies.live.now()
      let lines = words + (report ? doctor.anonymousLines(now: now) : doctor.lines(now: now))
      try ByteSink.printOut(lines.map { TerminalText.escaped($0) }.joined(separator: "\n"))
    }
    if let error = doctor.error { throw error }
  }
}
