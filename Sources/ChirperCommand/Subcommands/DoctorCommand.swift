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
      index is written again.

        chirper doctor
        chirper doctor --json
        chirper doctor --repair
      """
  )

  @Flag(help: "Copy the readable part of a damaged database into a new one.")
  var repair = false

  @OptionGroup var common: CommonOptions

  func run() throws {
    var report = DoctorReport(.live)
    var isIndexWritten = false
    if repair, report.areRecordingsSound {
      isIndexWritten = (try? Session.offline(.read).rewriteSearchIndex()) ?? false
      report = DoctorReport(.live)
    }
    var repaired: Repair?
    if repair, report.isDamaged {
      repaired = try RecordingRepository.repair(directory: ProcessEnvironment.live.storeDirectory())
      report = DoctorReport(.live)
    }
    if common.json {
      var object = report.json
      if repair { object.add("repair", repaired.map(RepairText.json)) }
      if repair { object.add("searchIndexWritten", isIndexWritten) }
      try ByteSink.printOut(object.text)
    } else {
      var words = repaired.map(RepairText.lines) ?? []
      if isIndexWritten, repaired == nil { words = ["repair       the search index was written again"] }
      if repair, words.isEmpty { words = ["repair       nothing to repair"] }
      let lines = words + report.lines(now: Dependencies.live.now())
      try ByteSink.printOut(lines.map { TerminalText.escaped($0) }.joined(separator: "\n"))
    }
    if let error = report.error { throw error }
  }
}
