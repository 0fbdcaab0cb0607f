import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel

extension DataSetCommand {
  struct Leaks: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "leaks",
      abstract:
        "Count the test recordings of which the training part has a recordist, session or copy.",
      discussion: """
        A session is one recordist, one day and places within a kilometre. --split-file counts those of a different split.

          chirper dataset leaks wrens.lock.jsonl
          chirper dataset leaks wrens.lock.jsonl --split-file random.csv
        """)

    @Argument(help: "A lock.", completion: .file(extensions: ["jsonl"]))
    var lock: String

    @Option(
      name: .customLong("split-file"),
      help: "A CSV file with the part of each recording, in columns id and split.",
      completion: .file())
    var splitFile: String?

    @OptionGroup var common: CommonOptions

    func run() throws {
      var given = try splitFile.map { try DataSetParts($0) }
      let reader = try LockReader(lock)
      var groups = DataSetGroups()
      var parts = [DataSetPart?]()
      while let recording = try reader.next() {
        groups.add(recording)
        parts.append(
          given == nil
            ? recording.split : given?.part(of: recording.id, recording.text(.catalogNumber)))
      }
      guard parts.contains(where: { $0 != nil }) else {
        throw UserFacingError.usage(
          "\(lock) has no parts", hint: "Name a lock with a split, or a split with --split-file.")
      }
      if let line = given?.unusedLine { Console.line(line) }
      let leaks = groups.leaks(parts)
      try common.printer.print(Report(leaks.json, answer: [leaks.text]))
    }
  }
}
