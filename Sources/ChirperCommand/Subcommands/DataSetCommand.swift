import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

struct DataSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dataset",
    abstract: "Lock a set of recordings, build its folder, and find out what became of it.",
    discussion: """
      NAME.dataset.json says which recordings are meant, and NAME.lock.jsonl which ones they were: a line for each, with \
      hashes of its fields and its audio. A lock and the catalogues are enough to build the set on another machine, or \
      to say for each recording why that is not possible. man 7 chirper-datasets has all of it.

        chirper dataset new wrens 'wren' --where 'q:A type:song' --split 80/10/10
        chirper dataset lock wrens.dataset.json
        chirper dataset build wrens.lock.jsonl wrens
        chirper dataset verify wrens.lock.jsonl --sync
        chirper dataset has XC46088 wrens.lock.jsonl
      """,
    subcommands: [
      New.self, Lock.self, Build.self, Verify.self, Diff.self, Has.self, Leaks.self,
    ]
  )
}

/// Files of data sets, as they are typed.
enum DataSetFile {
  static let (definitionEnd, lockEnd) = (".dataset.json", ".lock.jsonl")

  /// Refuses a file that is there already.
  static func checkIsNew(_ path: String, hint: String) throws(UserFacingError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    throw .cannotCreate(path, "this file exists already", hint: hint)
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

/// The store that a definition chooses from.
struct DataSetSource {
  let repository: RecordingRepository

  init(_ repository: RecordingRepository) { self.repository = repository }

  /// The rows of each selection.
  func selections(of definition: DataSetDefinition, hasNotes: Bool) throws -> [Rows] {
    try definition.checkSearches()
    return try definition.selections.map { chosen in
      var selection = Selection(where: chosen.conditions)
      selection.lists = chosen.lists.map(ListName.typed)
      selection.catalogue = chosen.source.map(CatalogueID.init(rawValue:))
      selection.purposes = chosen.purposes
      if let isDistinct = chosen.isDistinct { selection.copies = isDistinct ? .leftOut : .kept }
      selection.takesNamesAsTyped = !definition.names
      return try selection.rows(in: repository, for: "dataset lock", hasNotes: hasNotes)
    }
  }
}
