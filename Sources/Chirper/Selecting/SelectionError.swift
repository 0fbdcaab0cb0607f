#if Collection

import ChirperModel

/// The reason why a selection chooses no rows, apart from errors of the store and of its searches.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum SelectionError: PresentableError, Hashable {
  /// The list is not stored.
  case notStored(CatalogueQuery)
  /// A name that no stored list has.
  case neverFetched(UnknownList)
  /// The text is stored from several catalogues, and only one may be meant.
  case ambiguous(text: String, catalogues: [CatalogueID])
  /// The repository does not have the list's catalogue, so nothing is known about its fields.
  case unknownCatalogue(CatalogueID)
  /// The recordings do not have a column of that name; the hint names some that they have.
  case unknownColumn(String, hint: String)
  /// A word for an order (`rank`, `stored`) cannot be used as it is among the keys.
  case order(String, OrderFault)

  /// The fault of a word for an order.
  public enum OrderFault: Hashable, Sendable {
    /// The word is the whole order, and there are further keys.
    case hasFurtherKeys
    /// The word is not the first key.
    case isNotFirst
    /// The word is asked for in descending order.
    case hasOneDirection

    fileprivate var text: String {
      switch self {
      case .hasFurtherKeys: "cannot be combined with other sort keys"
      case .isNotFirst: "must be the first sort key"
      case .hasOneDirection: "has one direction only"
      }
    }
  }

  /// A name that no stored list has, and what is stored instead.
  public struct UnknownList: Hashable, Sendable {
    /// The name as it was typed.
    public let text: String
    /// The only catalogue whose lists were meant; `nil` for every one.
    public let catalogue: CatalogueID?
    /// Names of stored lists that are spelled nearly so.
    public let nearest: [String]
    /// The results of a search for the name, if no name is spelled nearly so.
    package let matches: WordMatches?
  }

  /// The error in words for a person.
  public var presentation: ErrorPresentation {
    switch self {
    case .notStored(let query):
      .init(
        .notFetched, code: "never-fetched", title: "Nothing stored",
        sentence: "Nothing is stored of \(query.typed.inQuotes)", advice: "Search for it first.")
    case .neverFetched(let list):
      .init(
        .notFetched, code: "never-fetched", title: "Nothing stored",
        sentence:
          "\(list.text.inQuotes) was never fetched\(list.catalogue.map { " from \($0)" } ?? "")",
        advice: WordList.meant(list.nearest.map(\.inQuotes)))
    case .ambiguous(let text, let catalogues):
      .init(
        .usage, code: "usage", title: "Several lists",
        sentence: "\(text.inQuotes) is stored from \(WordList.and(catalogues.map(\.rawValue)))",
        advice: catalogues.first.map { "Name its catalogue, as in: \($0.rawValue):\(text)" })
    case .unknownCatalogue(let id):
      .init(
        .configuration, code: "unknown-source", title: "Unknown service",
        sentence: "The list is of \(id), which this version does not know",
        advice: "Update to the newest version.")
    case .unknownColumn(let name, let hint):
      .init(
        .usage, code: "unknown-column", title: "Unknown column",
        sentence: "Unknown column \(name.inQuotes)", advice: hint)
    case .order(let name, let fault):
      .init(
        .usage, code: "usage", title: "Unusable order", sentence: "\(name) \(fault.text)",
        advice: fault == .hasFurtherKeys ? "Leave one of them out." : nil)
    }
  }
}

#endif
