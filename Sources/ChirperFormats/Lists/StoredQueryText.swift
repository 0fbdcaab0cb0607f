import Chirper
import ChirperModel
import Foundation

/// The facts about a stored query, in words and for programs.
extension StoredQuery {
  /// `454 recordings from xeno-canto, fetched 3 minutes ago, complete`; a list that was
  /// synced has the words of `state` at its end.
  ///
  /// - Parameter catalogue: of the list, if the repository has it.
  package func origin(in catalogue: Catalogue?, now: Date) -> String {
    let rows =
      if let recordsRead {
        "\(Plural.words(count, "recording")) (\(recordsRead))"
      } else if let total = shownTotals?.recordings, total != count {
        "\(count) of \(about)\(Plural.words(total, "recording"))"
      } else {
        Plural.words(count, "recording")
      }
    let part = if case .partial = completeness, !hasEveryPage { " (\(pages))" } else { "" }
    let checked = checkedAt.map { ", checked \(AgeText.ago($0, now: now))" } ?? ""
    return
      "\(rows) from \(sourceName(catalogue)), fetched \(age(now: now))\(checked), \(state(now: now))\(part)"
  }

  /// `454 of 454 rows, 10 of 10 pages, complete`.
  package func extent(now: Date) -> String {
    let all =
      shownTotals.map { "\(count) of \(about)\(Plural.words($0.recordings, "row"))" }
      ?? Plural.words(count, "row")
    let rows = recordsRead.map { "\(Plural.words(count, "row")) (\($0))" } ?? all
    return "\(rows), \(pages), \(state(now: now))"
  }

  /// The sentence about a list that no sync asks for, because it was imported; `nil` for any other.
  package var importNote: String? {
    guard let imported else { return nil }
    let name = query.typed
    let made = imported.madeOn.map { " of \($0)" } ?? ""
    let ask =
      imported.address.map { "Ask for the same download again (\($0)), then type" } ?? "Type"
    return "\(name): imported from the file \(imported.file)\(made). \(ask): "
      + CommandText.importing(as: name)
  }

  /// `300 of 900 records`; `nil` if each record is a row.
  var recordsRead: String? {
    guard records != count, let totals = shownTotals else { return nil }
    return "\(records) of \(about)\(Plural.words(totals.recordings, "record"))"
  }

  /// The totals; `nil` for an estimate if the end of the list was read, and for one not believed.
  var shownTotals: RecordingPage.Totals? {
    fall != nil || totals?.isEstimate == true && next == nil ? nil : totals
  }

  /// Comes before a total that the catalogue only estimates.
  var about: String { totals?.isEstimate == true ? "about " : "" }

  /// `3 of 10 pages`; an empty list is one page to us and none to some catalogues.
  private var pages: String {
    guard let all = shownTotals?.pages, all > 0 else { return Plural.words(pagesStored, "page") }
    return "\(pagesStored) of \(about)\(Plural.words(all, "page"))"
  }

  /// The age of its oldest page, which is the age a reader can rely on.
  func age(now: Date) -> String { AgeText.ago(oldestFetchedAt, now: now) }

  private var hasEveryPage: Bool {
    totals?.exact.map { $0.pages > 0 && pagesStored >= $0.pages } ?? false
  }

  /// `2 complete lists and 1 partial list searched, the oldest page read 3 days ago`; `nil` for no
  /// list.
  static func searched(_ lists: [StoredQuery], now: Date) -> String? {
    guard let oldest = lists.map(\.oldestFetchedAt).min() else { return nil }
    let states = lists.map { $0.fall == nil ? $0.completeness.word : "shifted" }
    let counts = states.uniqued.map { state in
      Plural.words(states.count { $0 == state }, "\(state) list")
    }
    return
      "\(WordList.and(counts)) searched, the oldest page read \(AgeText.ago(oldest, now: now))"
  }

  /// The completeness. A complete list that was synced without a walk since has pages of different
  /// days: `complete; every page read within 14 days`.
  private func state(now: Date) -> String {
    if let fall { return "shifted (\(fall.text))" }
    return switch completeness {
    case .complete:
      [
        completeness.word, checkedAt.map { _ in readWithin(now: now) },
        departuresText,
      ].compactMap(\.self).joined(separator: "; ")
    case .partial where hasEveryPage:
      "partial (its pages were not checked as one list; run chirper sync to do so)"
    case .imported: ["imported", imported?.origin].compactMap(\.self).joined(separator: " ")
    case .partial where imported != nil: "partial (import the same file again to continue)"
    case .partial, .verified: completeness.word
    case .shifted where imported != nil:
      "shifted (the file could not be read in full; import one that can)"
    case .shifted where skipped > 0:
      "shifted (\(Plural.words(skipped, "record")) could not be read; run chirper sync to try again)"
    case .shifted(let rows, let total?) where rows != total:
      "shifted (\(Plural.words(rows, records == count ? "row" : "record")), the catalogue counts \(total); run chirper sync to fix it)"
    case .shifted: "shifted (the list changed while it was read; run chirper sync to fix it)"
    }
  }

  /// `2 departures unconfirmed`: recordings that left while as many entered; `nil` for 0.
  package var departuresText: String? {
    unconfirmedDepartures > 0
      ? "\(Plural.words(unconfirmedDepartures, "departure")) unconfirmed" : nil
  }

  /// `every page read within 14 days`.
  func readWithin(now: Date) -> String {
    let days = max(1, Int((now.timeIntervalSince(oldestFetchedAt) / 86_400).rounded(.up)))
    return "every page read within \(days == 1 ? "a day" : "\(days) days")"
  }

  private func sourceName(_ catalogue: Catalogue?) -> String {
    guard let catalogue else { return query.catalogue.rawValue }
    return catalogue.isBuiltIn
      ? "the built-in \(catalogue.name) (made up, no real data)" : catalogue.name
  }

  /// The members that every JSON object about a stored query has.
  package var object: JSONObject {
    var object: JSONObject = ["rows": count]
    if records != count { object.add("records", records) }
    object.add([
      "total": totals?.recordings, "pagesStored": pagesStored, "pages": totals?.pages,
      "next": next, "completeness": completeness.word,
    ])
    if unconfirmedDepartures > 0 { object.add("unconfirmedDepartures", unconfirmedDepartures) }
    object.add([
      "fetchedAt": ["oldest": oldestFetchedAt, "newest": newestFetchedAt] as JSONObject,
      "oldestReadAt": oldestFetchedAt, "checkedAt": checkedAt, "walkedAt": walkedAt,
    ])
    object.add(known: ["imported": imported?.object])
    if let fall {
      let members: JSONObject = [
        "found": fall.found, "seenAt": fall.seenAt, "believedFrom": fall.believedFrom,
      ]
      object.add("fall", members)
    }
    return object
  }
}

extension ImportClaim {
  /// The day and the DOI of the file: `on 2026-11-20, https://doi.org/10.15468/dl.8k2qf5`.
  fileprivate var origin: String? {
    let parts = [madeOn.map { "from a file of \($0)" }, address].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// The title, day and DOI as they are cited; `nil` for a file without a DOI.
  var citation: String? {
    address.map { [title, madeOn, $0].compactMap(\.self).joined(separator: ", ") }
  }

  /// The members of a JSON object about an imported list.
  var object: JSONObject {
    var object: JSONObject = [
      "file": file, "doi": doi, "title": title, "madeOn": madeOn, "rows": rows,
      "silent": silent, "unreadable": unreadable,
    ]
    let lines = unread.map { ["line": $0.line, "reason": $0.reason] as JSONObject }
    object.add(known: ["lines": lines])
    return object
  }
}

extension StoredQuery.Fall {
  /// `0 rows were found, the others stay until a sync after 2026-05-28T20:26:40Z finds the
  /// same`, for example.
  package var text: String {
    "\(Plural.words(found, "row")) \(Plural.were(found)) found, the others stay until \(decision)"
  }

  /// The condition under which the other rows leave, with the time in UTC.
  package var decision: String { "a sync after \(believedFrom.formatted(.iso8601)) finds the same" }
}

extension CatalogueQuery {
  /// The members that name the query of a JSON object.
  ///
  /// - Parameter catalogue: of the query, if the repository has it.
  package func object(in catalogue: Catalogue?) -> JSONObject {
    var object: JSONObject = [
      "query": typed, "source": self.catalogue.rawValue, "sent": requestText,
      "pageSize": pageSize,
    ]
    object.add(known: ["notice": catalogue?.notice])
    return object
  }
}
