import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel

extension DataSetCommand {
  struct Has: ParsableCommand {
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
      // `xeno-canto:46088`, as Darwin Core has ids.
      let parts = recording.split(separator: ":", maxSplits: 1).map(String.init)
      let named = Catalogues.known.filter { parts.count == 2 && $0.id.rawValue == parts[0] }
        .map { RecordingID(catalogue: $0.id, value: parts[1]) }
      let ids = Set(Catalogues.known.flatMap { $0.ids(for: recording) } + named)
      let records = Set(Catalogues.all.flatMap { $0.ids(for: recording) } + named)
      // The id of a sound is that of its record, a hyphen, and a suffix.
      func isMeant(_ id: RecordingID) -> Bool {
        let record = String(id.value.prefix { $0 != "-" })
        return ids.contains(id)
          || records.contains(RecordingID(catalogue: id.catalogue, value: record))
      }
      let number =
        Catalogues.known.lazy.compactMap { $0.catalogueNumber(in: recording) }.first
        ?? recording
      var found: [JSONObject] = []
      var lines: [String] = []
      for path in locks {
        let lock = try LockReader(path)
        var isThere = false
        while let locked = try lock.next() {
          let isOne =
            isMeant(locked.id) || locked.text(.references) == recording
            || locked.text(.catalogNumber)?.lowercased() == number.lowercased()
          let isCopy = !isOne && locked.original.map(isMeant) == true
          guard isOne || isCopy else { continue }
          isThere = true
          found.append([
            "lock": path, "catalogue": locked.id.catalogue.rawValue, "id": locked.id.value,
            "isCopy": isCopy, "split": locked.split?.rawValue,
          ])
          let part = locked.split.map { ", in \($0.rawValue)" } ?? ""
          lines.append("\(path): \(isCopy ? "a copy, " : "")\(locked.label)\(part)")
        }
        if !isThere { lines.append("\(path): no") }
      }
      // Every number and page has a digit; an archive's own id may have none.
      guard !found.isEmpty || recording.contains(where: \.isNumber) else {
        throw UserFacingError.usage(
          "\(recording.inQuotes) is not the number, id or page of a recording",
          example: CommandText.line("dataset has", "XC46088", also: CommandText.quoted(locks[0])))
      }
      try common.printer.print(Report(["recording": recording, "found": found], answer: lines))
    }
  }
}
