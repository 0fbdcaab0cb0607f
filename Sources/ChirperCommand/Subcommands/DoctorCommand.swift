import ArgumentParser
import Chirper
import Foundation

/// `chirper doctor`.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Tell versions, places and the health of the store.",
    discussion: """
      Reads, and changes nothing. Ends with 65 where the database is damaged.

        chirper doctor
        chirper doctor --json
      """
  )

  @OptionGroup var common: CommonOptions

  func run() throws {
    var checkup = Checkup(.live)
    checkup.look()
    let sink = ByteSink.standardOutput()
    if common.json {
      try sink.line(checkup.json.text)
    } else {
      for line in checkup.lines(now: Dependencies.live.now()) { try sink.line(TerminalText.visible(line)) }
    }
    try sink.flush()
    if let explanation = checkup.explanation { throw explanation }
  }
}
