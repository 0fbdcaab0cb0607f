import Chirper

/// What is said of recordings that a search leaves out, because they are in no list any more.
package enum UnlistedText {
  /// `nil` if there are none.
  package static func note(_ count: Int) -> String? {
    guard count > 0 else { return nil }
    let (are, them) = count == 1 ? ("is", "it") : ("are", "them")
    let more = Plural.words(count, "more recording")
    return "\(more) \(are) in no list any more; gone:any finds \(them) too"
  }
}
