import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel

struct DatasetDiff: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Show which recordings of two locks are different.",
    discussion: """
      A line for each: - only in OLD, + only in NEW, else what changed. The first lines of the files are not compared.

        chirper dataset diff wrens-2026-11.lock.jsonl wrens-2026-12.lock.jsonl
      """)

  @Argument(help: "A lock.", completion: .file(extensions: ["jsonl"]))
  var old: String

  @Argument(help: "A later lock.", completion: .file(extensions: ["jsonl"]))
  var new: String

  @OptionGroup var common: CommonOptions

  func run() throws {
    let (left, right) = (try DataSetFile.lock(old), try DataSetFile.lock(new))
    let sink = ByteSink.standardOutput()
    var lines = DataSetLines(sink, isJSON: common.json, member: "differences")
    var counts = (removed: 0, added: 0, changed: 0)
    let same = try LockDifference.forEach(left, right) { line in
      switch line {
      case .removed: counts.removed += 1
      case .added: counts.added += 1
      case .changed: counts.changed += 1
      }
      try lines.add(line.text, line.json)
    }
    try lines.end([
      "removed": counts.removed, "added": counts.added, "changed": counts.changed, "same": same,
    ])
    if !common.json {
      Console.line(
        "\(counts.removed) removed, \(counts.added) added, \(counts.changed) changed, \(same) the same"
      )
    }
  }
}

struct DatasetHas: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "has", abstract: "Say whether a recording, or a copy of it, is in a lock.",
    discussion: """
      RECORDING is a number (XC46088), an id or the address of its page.

        chirper dataset has XC46088 wrens.lock.jsonl warblers.lock.jsonl
      """)

  @Argument(help: "A recording.")
  var recording: String

  @Argument(help: "Locks.", completion: .file(extensions: ["jsonl"]))
  var locks: [String]

  @OptionGroup var common: CommonOptions

  func run() throws {
    let ids = Set(Catalogues.known.flatMap { $0.ids(for: recording) })
    let number =
      Catalogues.known.lazy.compactMap { $0.catalogueNumber(in: recording) }.first
      ?? recording
    var found: [JSONObject] = []
    for path in locks {
      let lock = try DataSetFile.lock(path)
      var isThere = false
      while let locked = try lock.next() {
        let isOne =
          ids.contains(locked.id)
          || locked.text(.catalogNumber)?.lowercased() == number.lowercased()
        let isCopy = !isOne && locked.original.map(ids.contains) == true
        guard isOne || isCopy else { continue }
        isThere = true
        found.append([
          "lock": path, "catalogue": locked.id.catalogue.rawValue, "id": locked.id.value,
          "isCopy": isCopy, "split": locked.split?.rawValue,
        ])
        guard !common.json else { continue }
        let part = locked.split.map { ", in \($0.rawValue)" } ?? ""
        try ByteSink.printOut(
          TerminalText.escaped(
            "\(path): \(isCopy ? "a copy, \(locked.label)" : locked.label)\(part)"))
      }
      if !isThere, !common.json { try ByteSink.printOut("\(TerminalText.escaped(path)): no") }
    }
    if common.json {
      try ByteSink.printOut((["recording": recording, "found": found] as JSONObject).text)
    }
  }
}

struct DatasetLeaks: ParsableCommand {
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
    var given = try splitFile.map { try DataSetParts(name: $0, read: InputFile.opened($0)) }
    let reader = try DataSetFile.lock(lock)
    var (groups, parts) = (DataSetGroups(), [DataSetPart?]())
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
    try ByteSink.printOut(common.json ? leaks.json.text : leaks.text)
  }
}

/// Lines of a command, or one JSON object with all of them.
struct DataSetLines {
  private let sink: ByteSink
  private let isJSON: Bool
  private var isFirst = true

  init(_ sink: ByteSink, isJSON: Bool, member: String) {
    (self.sink, self.isJSON) = (sink, isJSON)
    if isJSON { sink.buffer += "{\"\(member)\":[".utf8 }
  }

  mutating func add(_ text: String, _ json: JSONObject) throws {
    if isJSON {
      sink.buffer += "\(isFirst ? "" : ",")\n\(json.text)".utf8
      isFirst = false
      try sink.writeIfFull()
    } else {
      try sink.line(TerminalText.escaped(text))
    }
  }

  /// Ends the object with further members.
  func end(_ members: JSONObject) throws {
    if isJSON { try sink.line("\n],\(members.text.dropFirst())") }
    try sink.flush()
  }
}
