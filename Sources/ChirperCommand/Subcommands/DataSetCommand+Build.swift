import ArgumentParser
import Chirper
import ChirperFormats

extension DataSetCommand {
  struct Build: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "build", abstract: "Make the folder of a data set from its lock.",
      discussion: """
        Copies the audio of each line, fetches what is not kept at the catalogue's pace, and writes tables, credits, \
        licences, a paragraph for a paper and descriptions for programs next to it. A file whose audio is not what was \
        locked is left out, and so is a recording whose licence does not allow everyone to pass it on, and one of which \
        the stored record says otherwise than the lock. No file is touched that chirper did not write. After an \
        interruption the same command continues.

          chirper dataset build wrens.lock.jsonl wrens
          chirper dataset build wrens.lock.jsonl /media/card/wrens --plain-names
        """)

    @Argument(help: "A lock.", completion: .file(extensions: ["jsonl"]))
    var lock: String

    @Argument(help: "The folder to make.", completion: .directory)
    var folder: String

    @Flag(
      name: .customLong("plain-names"),
      help: .rare("Only ASCII letters, digits and _ in the names of folders."))
    var plainNames = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
      let build = try DataSetBuild(
        lock, to: folder, from: Session().repositoryOrReadOnly(), usesPlainNames: plainNames,
        isAllowed: OwnFiles().check)
      let report = try await common.printer.showingProgress { line in
        try await build.run { count, all in line.show { "audio \(count) of \(all)" } }
      }
      try common.printer.print(
        Report(report.json(folder: folder), notes: report.lines(folder: folder)))
      guard report.missing > 0 else { return }
      try report.audio.checkIsComplete()
      throw UserFacingError(
        .partly, kind: "not-the-same",
        problem: report.contradicted.isEmpty
          ? "The audio of \(Plural.words(report.missing, "recording")) is not what was locked"
          : "Not every recording is as the lock says",
        hint: "Type: \(CommandText.line("dataset verify", lock)) --sync")
    }
  }
}
