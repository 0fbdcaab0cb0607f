import Chirper

/// Notes on recordings that satisfy a search and are left out; `nil` for no recordings.
package enum LeftOutText {
  /// Describes recordings that are in no list any more.
  package static func unlisted(_ count: Int) -> String? {
    guard count > 0 else { return nil }
    let (are, them) = count == 1 ? ("is", "it") : ("are", "them")
    let more = Plural.words(count, "more recording")
    return "\(more) \(are) in no list any more; gone:any finds \(them) too"
  }

  /// Describes copies of recordings found.
  package static func copies(_ count: Int) -> String? {
    guard count > 0 else { return nil }
    let copies = count == 1 ? "1 copy of one of them is" : "\(count) copies of them are"
    return "\(copies) left out; --all-copies shows \(count == 1 ? "it" : "them") too"
  }
}
