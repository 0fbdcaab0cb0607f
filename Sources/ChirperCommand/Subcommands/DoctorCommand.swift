import ArgumentParser
import Chirper
import ChirperFormats
import Foundation

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Show versions, paths and the health of the store.",
    discussion: """
      Changes nothing without --repair. Exits with 65 if the database is damaged. With --repair the readable part of a \
      damaged database is copied into a new one; the old file stays next to it, and what was lost is reported. The search \
      index is written again. --report prints what the report of a bug needs, without key, queries and paths. --audio reads \
      the kept audio and compares it with the hashes that were stored when each file was completed; --part 3/10 reads the \
      third of ten parts. The hashes are in audio/.sha256, which sha256sum -c --ignore-missing reads too.

        chirper doctor
        chirper doctor --json
        chirper doctor --audio --part 3/10
        chirper doctor --repair
        chirper doctor --report > report.txt
      """
  )

  @Flag(help: "Copy the readable part of a damaged database into a new one.")
  var repair = false

  @Flag(help: "Print what the report of a bug needs, without key, queries and paths.")
  var report = false

  @Flag(help: "Compare the kept audio with the hashes of its files.")
  var audio = false

  @Option(help: .rare("Read one of several parts of the audio, as 3/10.", valueName: "k/n"))
  var part: String?

  @OptionGroup var common: CommonOptions

  func validate() throws {
    if report, repair || audio || common.printer.isJSON {
      throw ValidationError("Type --report without --repair, --audio and --json.")
    }
    if part != nil, !audio {
      throw ValidationError("--part is a part of the audio: type --audio too.")
    }
    _ = try audioPart()
  }

  private func audioPart() throws -> AudioComparison.Part? {
    guard let part else { return nil }
    let numbers = part.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let number = numbers[0], let count = numbers[1],
      let found = AudioComparison.Part(number, of: count)
    else {
      throw ValidationError(
        "\(part) is not a part; type --part as 3/10: the third of ten, at most 1,000.")
    }
    return found
  }

  func run() async throws {
    var doctor = DoctorReport()
    var isIndexWritten = false
    if repair, doctor.areRecordingsSound {
      isIndexWritten = (try? Session.offline(.read).rewriteSearchIndex()) ?? false
      doctor = DoctorReport()
    }
    var repaired: Repair?
    if repair, doctor.isDamaged {
      repaired = try RecordingRepository.repair(directory: ProcessEnvironment.live.storeDirectory())
      doctor = DoctorReport()
    }
    if audio {
      let part = try audioPart()
      let checked = doctor
      doctor = try await common.printer.showingProgress(changesNothing: true) { line in
        var compared = checked
        try compared.compareAudio(part) { count, all in line.show { "audio \(count) of \(all)" } }
        return compared
      }
    }
    let now = WallClock.now()
    var result = Report(
      doctor.json, answer: report ? doctor.anonymousLines(now: now) : doctor.lines(now: now))
    if repair {
      result.json.add("repair", repaired?.json)
      result.json.add("searchIndexWritten", isIndexWritten)
      let index = isIndexWritten ? "the search index was written again" : "nothing to repair"
      result.answer.insert(contentsOf: repaired?.lines ?? ["repair       \(index)"], at: 0)
    }
    doctor.warnings.forEach(common.printer.problem)
    try common.printer.print(result)
    if let error = doctor.error { throw error }
  }
}
