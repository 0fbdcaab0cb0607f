import ChirperModel
import ChirperRemote
import Foundation

/// What the store holds of a query, in words and for programs.
extension StoredQuery {
  /// `454 recordings from xeno-canto, fetched 3 minutes ago, complete`.
  func origin(now: Date) -> String {
    let rows =
      if let total = totals?.recordings, total != count {
        "\(count) of \(Plural.words(total, "recording"))"
      } else {
        Plural.words(count, "recording")
      }
    let part = if case .partial = completeness { " (\(pages))" } else { "" }
    let checked = checkedAt.map { ", checked \(DurationText.ago($0, now: now))" } ?? ""
    return "\(rows) from \(place), fetched \(age(now: now))\(checked), \(state)\(part)"
  }

  /// `454 of 454 rows, 10 of 10 pages, complete`.
  var extent: String {
    let rows = totals.map { "\(count) of \(Plural.words($0.recordings, "row"))" } ?? Plural.words(count, "row")
    return "\(rows), \(pages), \(state)"
  }

  /// `3 of 10 pages`; an empty list is one page to us and none to some catalogues.
  private var pages: String {
    guard let all = totals?.pages, all > 0 else { return Plural.words(pagesStored, "page") }
    return "\(pagesStored) of \(Plural.words(all, "page"))"
  }

  /// The age of its oldest page, which is what a reader can rely on.
  func age(now: Date) -> String { DurationText.ago(oldestFetchedAt, now: now) }

  private var state: String {
    switch completeness {
    case .partial, .complete, .verified: completeness.word
    case .shifted(let rows, let total?) where rows != total:
      "shifted (\(rows) rows where the catalogue counts \(total); sync heals it)"
    case .shifted: "shifted (the list moved while it was read; sync heals it)"
    }
  }

  private var place: String {
    query.catalogue == .sample
      ? "the built-in sample (made up, no real data)" : Catalogues.named(query.catalogue)?.name ?? query.catalogue.rawValue
  }

  /// The members that every JSON object about a stored query has.
  func addMembers(to object: inout JSONObject) {
    object.add("rows", count)
    object.add("total", totals?.recordings)
    object.add("pagesStored", pagesStored)
    object.add("pages", totals?.pages)
    object.add("next", next)
    object.add("completeness", completeness.word)
    var fetchedAt = JSONObject()
    fetchedAt.add("oldest", oldestFetchedAt)
    fetchedAt.add("newest", newestFetchedAt)
    object.add("fetchedAt", fetchedAt)
    object.add("checkedAt", checkedAt)
  }
}

extension SearchQuery {
  /// The members that say which query a JSON object is about.
  func addMembers(to object: inout JSONObject) {
    object.add("query", typed)
    object.add("source", catalogue.rawValue)
    object.add("sent", sent)
    object.add("pageSize", pageSize)
    if catalogue == .sample { object.add("notice", SampleNotice.short) }
  }
}

/// `1 page`, `2 pages`.
enum Plural {
  static func words(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}

/// Says that the sample's recordings are none.
enum SampleNotice {
  static let short = "The sample catalogue is built in and made up; nothing in it is data."
  static let fallback = "No xeno-canto key is set, so the built-in sample catalogue answers. \(CommandText.howToGetAKey)"
}
