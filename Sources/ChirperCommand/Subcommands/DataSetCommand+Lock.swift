import ArgumentParser
import Chirper
import ChirperFormats

extension DataSetCommand {
  struct Lock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "lock", abstract: "Write down which recordings a data set has now.",
      discussion: """
        Writes a first line with the selections and the state of their lists, and then a line for each recording with its \
        values, a hash of its fields, and a hash of its audio. Audio that is not kept is fetched, at the \
        catalogue's pace. The lock is written whole or not at all; after an interruption the same command continues.

          chirper dataset lock wrens.dataset.json
          chirper dataset lock wrens.dataset.json --no-audio
          chirper dataset lock wrens.dataset.json -o wrens-2026-12.lock.jsonl
        """)

    @Argument(help: "A file NAME.dataset.json.", completion: .file(extensions: ["json"]))
    var file: String

    @Flag(name: .customLong("no-audio"), help: "Leave out the audio; such a lock cannot be built.")
    var noAudio = false

    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: "The file to write. (default: NAME.lock.jsonl next to FILE)", completion: .file())
    var output: String?

    @OptionGroup var common: CommonOptions

    func run() async throws {
      let definition = try DataSetDefinition(file)
      let path = output ?? DataSet.lockPath(of: file)
      guard !["", "-"].contains(path) else {
        throw UserFacingError.usage(
          "A lock needs the name of a file",
          example: "-o wrens-2026-12\(DataSet.lockEnd)")
      }
      try DataSet.checkIsNew(path)
      let parts = try definition.givenParts(besides: file)
      let repository = try noAudio ? Session.offline(.read) : Session().repositoryOrReadOnly()
      let selections = try definition.rows(in: repository, common.printer)
      let lock = try await common.printer.showingProgress { [noAudio] line in
        do {
          return try await DataSetLock(
            definition, choosingFrom: selections, parts: parts, hasAudio: !noAudio, in: repository
          ) { count in
            line.show { "choosing, \(count) read" }
          } progress: { count, all in
            line.show { "audio \(count) of \(all)" }
          }
        } catch let missing as DataSetLock.MissingAudio {
          throw UserFacingError(missing.error, missing.id).with(
            hint: "\(path) was not written. Type the same command again: it continues.")
        }
      }
      do {
        try AtomicFile.writing(to: path, links: .refuse) { try lock.write(to: $0) }
      } catch {
        try DataSet.checkIsNew(path)
        throw error
      }
      let report = lock.report
      try common.printer.print(Report(report.json(file: path), notes: report.lines(file: path)))
      guard report.refused > 0 else { return }
      throw UserFacingError(
        .partly, kind: "audio-missing",
        problem: "The audio of \(Plural.words(report.refused, "recording")) is not there",
        hint: "The lock does not have \(Plural.them(report.refused)).")
    }
  }
}
