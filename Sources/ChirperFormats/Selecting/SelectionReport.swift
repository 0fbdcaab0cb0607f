import Chirper
import ChirperModel
import Foundation

/// A report on chosen rows, in words for people and as JSON for programs: where they come from, how
/// they were chosen, and what was left out.
package struct SelectionReport: Sendable {
  fileprivate let rows: Rows

  // MARK: Words

  /// Notes about the rows: the results of a search, the origin of the lists, other lists
  /// that are stored, and why columns are tidy.
  package func notes(_ format: RecordFormat, _ options: WriteOptions) -> [String] {
    let isTidy =
      options.columnSet == .raw && rows.catalogueID == nil && options.columns == nil
      && RecordFormat.tidy.contains(format)
    return notes(now: options.now)
      + (isTidy
        ? ["Standard columns written. For a catalogue's own fields, name one with --source."] : [])
  }

  private func notes(now: Date) -> [String] {
    if let results = rows.results {
      guard rows.searched > 0 else {
        return ["Nothing is stored yet. Type: chirper fetch parrot"]
      }
      let found = "\(rows.matched) of \(Plural.words(rows.searched, "recording")) found"
      let lists = (try? rows.searchedLists()).flatMap { StoredQuery.searched($0, now: now) }
      return [[found, lists].compactMap(\.self).joined(separator: "; ")] + leftOutNotes
        + results.catalogues.compactMap { results.catalogue($0)?.notice }
    }
    let matches = rows.expression.map {
      "\(rows.matched) of \(rows.searched) rows satisfy \($0.description.inQuotes)"
    }
    let noun = rows.part.noun
    let changes = rows.part.words.map { words in
      "\(rows.searched == 0 ? "no \(noun)" : Plural.words(rows.searched, noun)) \(words)"
    }
    let origins = rows.lists.map { list in
      (rows.lists.count == 1 ? "" : "\(list.query.typed): ")
        + list.origin(in: rows.repository.catalogue(list.query.catalogue), now: now)
    }
    let also =
      rows.otherLists.isEmpty ? nil : "also stored: \(rows.otherLists.joined(separator: ", "))"
    return [changes, matches].compactMap(\.self) + origins + [also].compactMap(\.self)
  }

  /// Notes on the rows that a search of everything stored left out, and how to see them;
  /// empty for lists.
  package var leftOutNotes: [String] {
    guard rows.lists.isEmpty else { return [] }
    var notes: [String] = []
    if let count = rows.unlisted, count > 0 {
      let more = "\(Plural.words(count, "more recording")) \(Plural.are(count))"
      notes.append("\(more) in no list any more; gone:any finds \(Plural.them(count)) too")
    }
    let count = rows.leftOutCopies
    if count > 0 {
      let copies = count == 1 ? "1 copy of one of them is" : "\(count) copies of them are"
      notes.append("\(copies) left out; --copies yes shows \(Plural.them(count)) too")
    }
    return notes
  }

  /// Notes on the rows that were left out because of purposes or a limit, a sentence each.
  package var choiceNotes: [String] {
    guard let most = rows.perSpecies, rows.beyondLimits > 0 else { return rows.purposes.lines }
    let count = Plural.words(rows.beyondLimits, "row")
    return rows.purposes.lines + ["\(count) left out, more than \(most) of a species"]
  }

  /// A question about a country that is misspelled in the search, if it finds nothing.
  package var spellingNotes: [String] {
    let meant = rows.matched == 0 ? rows.expression?.corrections ?? [] : []
    return [WordList.meant(meant)].compactMap(\.self)
  }

  // MARK: JSON

  /// The members of the JSON format apart from the recordings.
  func head() throws -> JSONObject {
    var head: JSONObject = [:]
    let lists = rows.lists
    let part = rows.part
    if rows.results != nil {
      head = counts
    } else {
      if lists.count == 1 { head = lists[0].query.object(in: rows.catalogue) }
      head.add("origin", ListSnapshot.Source.store.rawValue)
      if lists.count == 1 { head.add(lists[0].object) }
      head.add(known: ["alsoStored": rows.otherLists])
      switch part {
      case .rows: break
      case .new(let since): head.add("newSince", since)
      case .changed(let since): head.add("changedSince", since)
      case .gone: head.add("gone", true)
      }
      head.add(known: ["where": rows.expression?.description, "otherNames": rows.otherNames])
      if rows.expression != nil || part != .rows { head.add("matched", rows.matched) }
    }
    if lists.count != 1 {
      head.add(
        "lists",
        try rows.sources().map { list in
          var object = list.query.object(in: rows.repository.catalogue(list.query.catalogue))
          object.add(list.object)
          return object
        })
    }
    // Everything stored has no copies unless they are asked for, and `copies` counts them.
    if rows.selection.leavesOutCopies, rows.results == nil { head.add("distinct", true) }
    head.add(rows.purposes.object)
    if let most = rows.perSpecies {
      head.add(["perSpecies": most, "beyondLimits": rows.beyondLimits])
    }
    head.add(["offset": rows.offset, "returned": rows.count])
    return head
  }

  /// The report on rows written to a file, as one JSON object.
  package func json(file: String, _ format: RecordFormat, _ summary: ExportSummary, now: Date)
    throws -> JSONObject
  {
    var done: JSONObject = ["file": file, "format": format.name, "written": summary.written]
    if let needs = format.needs {
      var without: JSONObject = [needs: summary.leftOut]
      if format.holdsSounds { without.add("audio", summary.withoutAudio) }
      done.add("without", without)
    }
    return try json(after: done, now: now)
  }

  /// The members of `done`, and the provenance of the rows.
  package func json(after done: JSONObject, now: Date) throws -> JSONObject {
    var done = done
    done.add(try provenance(now: now).object)
    return done
  }

  /// The number of recordings that were found, in the JSON object without its recordings.
  package var counts: JSONObject {
    let results = rows.results
    let sources = (results?.catalogues ?? []).map { id in
      var source: JSONObject = ["source": id.rawValue, "matched": results?.matchedByCatalogue[id]]
      source.add(known: ["notice": rows.repository.catalogue(id)?.notice])
      return source
    }
    var counts: JSONObject = [
      "search": rows.expression?.description, "origin": ListSnapshot.Source.store.rawValue,
      "searched": rows.searched, "matched": rows.chosen,
      "inNoList": results?.unlisted ?? 0, "copies": rows.leftOutCopies,
    ]
    counts.add(known: ["otherNames": rows.otherNames])
    counts.add("sources", sources)
    return counts
  }

  // MARK: Provenance

  func provenance(now: Date) throws -> Provenance {
    let known = try rows.sources().map {
      (stored: $0, catalogue: rows.repository.catalogue($0.query.catalogue))
    }
    let volatile = known.flatMap { $0.catalogue?.volatileFields ?? [] }
    var object = try head()
    object.add(["exportedAt": now, "version": ProgramVersion.current])
    let citations = try known.compactMap { try rows.repository.citation(of: $0.stored) }
    object.add(known: ["volatileFields": Set(volatile).sorted(), "citations": citations])
    let search = rows.expression.map { PlainLine.text($0.description) ?? "" } ?? "everything stored"
    return Provenance(
      known, search: rows.results == nil ? nil : search, object: object, choice: choiceInWords,
      now: now)
  }

  /// The conditions that rows were chosen by, for provenance; empty if all rows were.
  private var choiceInWords: [String] {
    let isOfLists = rows.results == nil
    let satisfies = (isOfLists ? rows.expression : nil).map {
      "rows that satisfy \(PlainLine.text($0.description) ?? "")"
    }
    let single =
      rows.selection.leavesOutCopies && (isOfLists || rows.leftOutCopies > 0)
      ? "no copies of recordings that are among them" : nil
    let window =
      rows.offset > 0 || rows.count < rows.reader.count
      ? "\(Plural.words(rows.count, "row")) from number \(rows.offset + 1)" : nil
    let changes = rows.part.words.map { "\(rows.part.noun)s that \($0)" }
    let unlisted = (rows.unlisted ?? 0) > 0 ? "no recordings that are in no list any more" : nil
    let names = OtherNamesText.line(rows.otherNames)
    let purposes =
      rows.purposes.words.isEmpty
      ? nil : "\(rows.purposes.words) (\(rows.leftOutByPurpose) left out)"
    let most = rows.perSpecies.map { "at most \($0) of a species" }
    return [changes, satisfies, names, unlisted, single, purposes, most, window].compactMap(\.self)
  }
}

extension RecordingRepository {
  /// The citation of a list that was imported, with the texts of its file; `nil` for any other.
  func citation(of stored: StoredQuery) throws -> JSONObject? {
    guard let imported = stored.imported else { return nil }
    let (citations, rights) = try importTexts(of: stored.query)
    guard imported.citation != nil || citations != nil || rights != nil else { return nil }
    return [
      "query": stored.query.typed, "cite": imported.citation, "citations": citations,
      "rights": rights,
    ]
  }
}

extension Rows {
  package var report: SelectionReport { SelectionReport(rows: self) }
}

extension ListReader.Part {
  /// The word for one of its elements: "row", or "recording" if it left the list.
  fileprivate var noun: String { self == .gone ? "recording" : "row" }

  /// The change that its elements have in common, in words; `nil` for the whole list.
  fileprivate var words: String? {
    switch self {
    case .rows: nil
    case .new(let since): "entered the list since \(since.formatted(.iso8601))"
    case .changed(let since): "changed since \(since.formatted(.iso8601))"
    case .gone: "left the list upstream"
    }
  }
}
