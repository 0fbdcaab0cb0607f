import ChirperFormats
import ChirperModel

/// The module `tables.js` of the page: what the page takes from the program's tables.
enum PageTables {
  /// The columns that the page shows unless others were chosen, the most important first: where
  /// not all fit, the last are left out.
  private static let usualColumns = [
    "vernacularName", "behavior", "mediaDuration", "quality", "country", "locality", "eventDate",
    "recordedBy",
  ]
  /// Columns that it shows too where the texts of all are whole.
  private static let wideColumns = ["licenseName", "firstSeenAt"]
  /// What the page needs of each recording, whichever columns it shows: for the marks of a row, its
  /// name, and the card of a narrow screen.
  private static let rowFields = [
    "id", "catalogue", "catalogNumber", "licenseName", "audio", "issues", "vernacularName",
    "acceptedVernacularName", "scientificName", "behavior", "mediaDuration", "quality", "country",
    "eventDate",
  ]
  /// The parameter `columns` of the first rows of a page with the usual columns.
  static let firstFields =
    (rowFields + (usualColumns + wideColumns).filter { !rowFields.contains($0) })
    .joined(separator: ",")

  static let module: String = {
    let formats = RecordFormat.forms.map { format in
      let canBeTidy = RecordFormat.tidy.contains(format)
      let id = format == .credits ? format.fileExtension ?? format.name : format.name
      let object: JSONObject = [
        "id": id, "title": format.title, "canBeTidy": canBeTidy, "isDeck": format.holdsSounds,
      ]
      return object.text
    }
    let headings = DetailColumn.allCases.filter { $0.heading != $0.name }.map {
      "\($0.name.json): \($0.heading.json)"
    }
    let searches = SearchExpression.examples.map {
      "[\($0.search.json), \($0.finds.json)]"
    }
    let tags = CountKey.all.compactMap { key in
      (key.fallback ?? key.column).flatMap(SearchTag.init(askingAbout:)).map {
        "\(key.name.json): \($0.rawValue.json)"
      }
    }
    let searchTags = SearchTag.allCases.map {
      "[\($0.rawValue.json), \($0.finds.json)]"
    }
    let lengths = CountKey.counting(by: \.mediaDuration).map { key in
      (key.range ?? 0...0).map { group in
        let value = key.value(of: group)
        return "\((value.text() ?? "").json): \(key.terms(for: value).json)"
      }
    }
    return """
      export const formats = [\(formats.joined(separator: ", "))]
      export const headings = {\(headings.joined(separator: ", "))}
      export const tags = {\(tags.joined(separator: ", "))}
      export const usualColumns = [\(usualColumns.map(\.json).joined(separator: ", "))]
      export const wideColumns = [\(wideColumns.map(\.json).joined(separator: ", "))]
      export const rowFields = [\(rowFields.map(\.json).joined(separator: ", "))]
      export const longestDecoded = \(SmallSonogram.longest.components.seconds)
      export const smallSonogram = \(SmallSonogram.json.text)
      export const lengths = {\((lengths ?? []).joined(separator: ", "))}
      export const searchTags = [\(searchTags.joined(separator: ", "))]
      export const searches = [\(searches.joined(separator: ", "))]

      """
  }()
}
