import Chirper

/// The scientific names under which a search finds recordings of a bird that was named, in words.
package enum OtherNamesText {
  /// `also as Sylvia communis`; `nil` without names.
  package static func line(_ names: [String]) -> String? {
    names.isEmpty ? nil : "also as \(FirstNames(names, limit: 5).phrase)"
  }
}
