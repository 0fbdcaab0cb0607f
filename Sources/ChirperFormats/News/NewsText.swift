import Chirper
import ChirperModel
import Foundation

/// The sums of news over several lists. A recording counts in each list that it is in.
package struct NewsSums {
  /// Rows that entered a list, rows whose recordings changed, and recordings that left a list.
  fileprivate(set) var (new, changed, gone) = (0, 0, 0)
  /// All lists, and those with something in them.
  fileprivate(set) var (lists, some) = (0, 0)

  package init(_ lists: some Sequence<(new: Int, changed: Int, gone: Int)>) {
    for list in lists {
      new += list.new
      changed += list.changed
      gone += list.gone
      self.lists += 1
      if list.new + list.changed + list.gone > 0 { some += 1 }
    }
  }

  /// `2 new, 1 changed, 0 gone in 1 of 3 lists`.
  package var text: String {
    "\(new) new, \(changed) changed, \(gone) gone in \(some) of \(Plural.words(lists, "list"))"
  }
}

extension [StoredQuery.News] {
  private var sums: NewsSums {
    NewsSums(lazy.map { ($0.new.count, $0.changed.count, $0.gone.count) })
  }

  /// A block for each list with something in it, and a line of sums.
  package func text(since: Date, in repository: RecordingRepository) -> String {
    let blocks = filter { !$0.isEmpty }.map {
      $0.lines(details: repository.details(of:)).joined(separator: "\n") + "\n\n"
    }
    return "\(blocks.joined())\(sums.text) since \(since.formatted(.iso8601))\n"
  }

  /// The sums and the lists, for programs.
  package func json(since: Date, in repository: RecordingRepository) -> JSONObject {
    let sums = sums
    return [
      "since": since, "new": sums.new, "changed": sums.changed, "gone": sums.gone,
      "lists": sums.lists, "queries": filter { !$0.isEmpty }.map { $0.json(in: repository) },
    ]
  }
}

extension StoredQuery.News {
  private var kinds: [(name: String, recordings: Recordings)] {
    [("new", new), ("changed", changed), ("gone", gone)]
  }

  /// Whether nothing happened to the list.
  var isEmpty: Bool { kinds.allSatisfy { $0.recordings.count == 0 } }

  /// The recordings of each kind that `lines` names.
  package static let named = 10

  /// The list with its counts, then a line for each of the first recordings of each kind.
  ///
  /// - Parameter details: of a recording.
  func lines(details: (Recording) -> RecordingDetails) -> [String] {
    let counts = kinds.filter { $0.recordings.count > 0 }.map { kind in
      let names = [
        renamed.isEmpty ? nil : "\(renamed.count) renamed",
        differentSpecies.isEmpty ? nil : "\(differentSpecies.count) of a different species",
      ].compactMap(\.self)
      let some = kind.name == "changed" && !names.isEmpty ? " (\(WordList.and(names)))" : ""
      return "\(kind.recordings.count) \(kind.name)\(some)"
    }
    var lines = [
      "\(PlainLine.text(list.query.typed) ?? "") (\(list.query.catalogue)): \(counts.joined(separator: ", "))"
    ]
    for kind in kinds {
      for recording in kind.recordings.first.prefix(Self.named) {
        let line = Self.line(recording, details(recording))
        let isRenamed = kind.name == "changed" && renamed.contains(recording.id)
        let name = isRenamed ? "renamed" : kind.name
        lines.append("  \(name.padding(toLength: 8, withPad: " ", startingAt: 0))\(line)")
      }
      let rest = kind.recordings.count - kind.recordings.first.prefix(Self.named).count
      if rest > 0 { lines.append("          and \(rest) more") }
    }
    return lines
  }

  /// A recording in a line: `XC46088, Eurasian Wren, Germany, 2009-04-23, A. Smith`.
  static func line(_ recording: Recording, _ details: RecordingDetails) -> String {
    let texts = [
      details.catalogNumber ?? recording.id.value,
      details.vernacularName ?? details.scientificName, details.country,
      details.eventDate?.description, details.recordedBy,
    ]
    return texts.compactMap(\.self).compactMap(PlainLine.text).joined(separator: ", ")
  }

  fileprivate func json(in repository: RecordingRepository) -> JSONObject {
    var object = list.query.object(in: repository.catalogue(list.query.catalogue))
    var ids: JSONObject = [:]
    for kind in kinds {
      object.add(kind.name, kind.recordings.count)
      ids.add(kind.name, kind.recordings.first.map(\.id.value))
    }
    ids.add("renamed", renamed.map(\.value).sorted())
    ids.add("differentSpecies", differentSpecies.map(\.value).sorted())
    object.add([
      "renamed": renamed.count, "differentSpecies": differentSpecies.count, "ids": ids,
    ])
    object.add(list.object)
    return object
  }
}
