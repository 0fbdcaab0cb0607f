import Chirper

/// The scientific names under which a search finds recordings of a bird that was named, in words.
package enum OtherNamesText {
  /// The most names that are shown.
  private static let shown = 5

  /// `also as Sylvia communis`; `nil` without names.
  package static func line(_ names: [String]) -> String? {
    guard !names.isEmpty else { return nil }
    let more = names.count - shown
    let first = names.prefix(more > 0 ? shown : names.count)
    return "also as \(WordList.and(first + (more > 0 ? ["\(more) more"] : [])))"
  }
}
