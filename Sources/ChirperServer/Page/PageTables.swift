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
    let formats = RecordFormat.forms.map { format -> JSONObject in
      let id = format == .credits ? format.fileExtension ?? format.name : format.name
      return [
        "id": id, "title": format.title, "canBeTidy": RecordFormat.tidy.contains(format),
        "isDeck": format.holdsSounds,
      ]
    }
    var headings: JSONObject = [:]
    for column in DetailColumn.allCases where column.heading != column.name {
      headings.add(column.name, column.heading)
    }
    var tags: JSONObject = [:]
    for key in CountKey.all {
      let tag = (key.fallback ?? key.column).flatMap(SearchTag.init(askingAbout:))
      tags.add(known: [key.name: tag?.rawValue])
    }
    var lengths: JSONObject = [:]
    if let key = CountKey.counting(by: \.mediaDuration) {
      for group in key.range ?? 0...0 {
        let value = key.value(of: group)
        lengths.add(value.text() ?? "", key.terms(for: value))
      }
    }
    let searchTags = SearchTag.allCases.map { [$0.rawValue, $0.finds] }
    let searches = SearchExpression.examples.map { [$0.search, $0.finds] }
    return """
      export const formats = \(formats.json)
      export const headings = \(headings.text)
      export const tags = \(tags.text)
      export const usualColumns = \(usualColumns.json)
      export const wideColumns = \(wideColumns.json)
      export const rowFields = \(rowFields.json)
      export const longestDecoded = \(SmallSonogram.longest.components.seconds)
      export const smallSonogram = \(SmallSonogram.json.text)
      export const lengths = \(lengths.text)
      export const searchTags = \(searchTags.json)
      export const searches = \(searches.json)

      """
  }()
}
