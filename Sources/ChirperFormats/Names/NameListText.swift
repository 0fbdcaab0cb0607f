import Chirper
import ChirperModel
import Foundation

extension UserFacingError {
  /// The error for a language that no list of names has.
  ///
  /// - Parameter from: where it is set, unless it was typed.
  package static func unknownLanguage(
    _ language: String, from: String? = nil, known: [String]
  ) -> UserFacingError {
    UserFacingError(
      from == nil ? .usage : .configuration, kind: "unknown-language",
      problem: "No list of names has the language \(language.inQuotes)"
        + (from.map { " (\($0))" } ?? ""),
      hint:
        "There are: \(known.joined(separator: ", ")). To add a list of names, type: chirper names add FILE"
    )
  }
}

extension NameList {
  /// `ioc: 351,000 names of 11,131 species, from ioc.csv, added 2 days ago: de, fr, zh-Hant`.
  package func text(now: Date) -> String {
    "\(name): \(numbers), from \(file), added \(AgeText.ago(addedAt, now: now)): "
      + languages.map(\.code).joined(separator: ", ")
  }

  /// `36 names of 12 species`.
  package var numbers: String { "\(Plural.words(names, "name")) of \(species) species" }

  package var json: JSONObject {
    [
      "name": name, "file": file, "addedAt": addedAt, "names": names, "species": species,
      "languages": languages.map { ["code": $0.code, "names": $0.names] as JSONObject },
    ]
  }
}
