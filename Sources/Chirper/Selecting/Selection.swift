#if Collection

import ChirperModel
import Foundation

/// A question for stored recordings: which of them are chosen, in which order, and which part of
/// that order. `RecordingRepository.rows(of:)` answers it.
///
///     var selection = Selection([query], where: ["q:A type:song"])
///     selection.purposes = [.commercial]
public struct Selection: Hashable, Codable, Sendable {
  /// The lists whose rows are chosen, each recording once, in the order of the lists; empty for
  /// everything that is stored.
  public var lists: [ListName] = []
  /// The only catalogue whose recordings, or typed lists, are meant; `nil` for every one.
  public var catalogue: CatalogueID?
  /// Searches that a row must satisfy, as they are typed: `q:A type:song`.
  public var searches: [String] = []
  /// The recordings that are meant, by their ids; empty for no such condition.
  public var recordings: [RecordingID] = []
  /// The part of the lists, or of everything stored, by what happened to a recording.
  public var part = Part.rows
  /// The uses that the recordings are meant for. Recordings whose licence does not allow one, or
  /// whose place is too uncertain, are left out and counted.
  public var purposes: [Purpose] = []
  /// Whether copies of recordings that are chosen, such as GBIF's of xeno-canto, are chosen too.
  public var copies = Copies.asUsual
  /// Keys by the names of columns, the most important first; empty for the order of the lists, or
  /// the order in which recordings were first stored.
  public var sort: [SortKey] = []
  /// The number of rows before the first one that is read.
  public var offset = 0
  /// The most rows that are read; `nil` for all.
  public var limit: Int?
  /// Whether a name of a bird finds that name only. Otherwise it finds the bird under every name.
  public var takesNamesAsTyped = false
  /// Whether recordings that are in no list any more are among everything stored, whatever the
  /// searches say.
  package var includesUnlisted = false
  /// Whether rows of lists are found as a search of everything stored finds them: in its order, and
  /// counted beside everything else that is stored.
  package var searchesEverything = false

  /// A question for the rows of those lists; without any, for everything that is stored.
  ///
  /// - Parameters:
  ///   - queries: the queries of the lists.
  ///   - searches: the searches that a row must satisfy.
  public init(_ queries: [CatalogueQuery] = [], where searches: [String] = []) {
    lists = queries.map(ListName.query)
    self.searches = searches
  }

  /// A part of the rows of lists. Of everything stored it is a condition of the search.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Part: Hashable, Codable, Sendable {
    /// Every row.
    case rows
    /// Rows that entered a list within this time. Recordings that were there when the list was
    /// first read are not new.
    case new(within: Age)
    /// Rows whose recordings changed within this time.
    case changed(within: Age)
    /// Recordings that left a list upstream.
    case gone
  }

  /// The treatment of copies of recordings that are chosen.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Copies: String, Hashable, Codable, Sendable {
    /// Copies are left out of everything stored, and kept in lists and if recordings are named.
    case asUsual
    /// A copy is left out if its original is chosen.
    case leftOut
    /// Copies are chosen like every other recording.
    case kept
  }

  /// Whether copies are left out.
  package var leavesOutCopies: Bool {
    switch copies {
    case .asUsual: lists.isEmpty && recordings.isEmpty
    case .leftOut: true
    case .kept: false
    }
  }

  /// The search that rows must satisfy; `nil` if every row does.
  ///
  /// - Parameter lists: the lists whose rows are searched for, if everything stored is searched;
  ///   `nil` if the rows are read from the lists.
  func expression(
    in catalogues: [Catalogue], searchedLists lists: [CatalogueQuery]?
  ) throws(SearchExpressionError) -> SearchExpression? {
    var all: [SearchExpression?] = [lists.flatMap(SearchExpression.lists)]
    for typed in searches { all.append(try SearchExpression(typed: typed, in: catalogues)) }
    try SearchExpression.all(Array(all.dropFirst()))?.checkCount()
    if lists != nil {
      all.append(catalogue.map { .sources([$0]) })
      switch part {
      case .rows: break
      case .new(let age):
        all.append(SearchExpression(.new, [age.rawValue], [.entered(age.duration)]))
      case .changed(let age):
        all.append(SearchExpression(.changed, [age.rawValue], [.changed(age.duration)]))
      case .gone: all.append(SearchExpression(.gone, ["yes"], [.gone(true)]))
      }
    }
    return SearchExpression.all(all)
  }

  /// The part of lists that their reader reads.
  func readPart(now: Date) -> ListReader.Part {
    switch part {
    case .rows: .rows
    case .new(let age): .new(since: age.moment(before: now))
    case .changed(let age): .changed(since: age.moment(before: now))
    case .gone: .gone
    }
  }
}

#endif
