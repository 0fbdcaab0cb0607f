import Chirper
import ChirperModel

extension TaxonomyMove {
  /// The result for the list, in sentences for people.
  ///
  /// - Parameters:
  ///   - query: the list's query.
  ///   - catalogue: the list's catalogue.
  package func lines(_ query: CatalogueQuery, in catalogue: Catalogue?) -> [String] {
    let name = "\(catalogue?.name ?? query.catalogue.rawValue)'s new taxonomy"
    let taxon = taxa.map { "\($0.name) (\($0.rank), \($0.key))" }.joined(separator: " and ")
    let command = CommandText.line(
      "sync", query.typed, source: query.catalogue.rawValue, also: "--move")
    let found = Plural.words(newerRecords ?? 0, "record")
    let ids = missingIDs.joined(separator: ", ")
    let rest = missing > missingIDs.count ? " and \(missing - missingIDs.count) more" : ""
    switch result {
    case .moved:
      let left = missing == 0 ? "" : "; not there: \(ids)\(rest)"
      return [
        "moved to \(name): \(taxon), \(found), the list had \(records)\(left)"
      ]
    case .recordingsMissing:
      return [
        "\(name) has \(found) of \(taxon), this list \(records); "
          + "\(Plural.words(missing, "row")) of it not there: \(ids)\(rest)",
        "the list stays as it is; to move it: \(command)",
      ]
    case .renamed:
      return [
        "\(name) has a different name for the taxon of this list: \(taxon)",
        "the list stays as it is; to move it: \(command)",
      ]
    case .taxonMissing:
      let nearest = taxon.isEmpty ? "" : "; the nearest is \(taxon)"
      return ["\(name) does not have the taxon of this list\(nearest); the list stays as it is"]
    case .undecided:
      return ["\(name) could not be asked about this list; the next sync asks again"]
    }
  }

  /// The result for `--json`.
  package var json: JSONObject {
    var object: JSONObject = ["result": word, "rows": rows, "records": records]
    object.add("newerRecords", newerRecords)
    object.add("taxa", taxa.map { "\($0.key) \($0.name)" })
    object.add("missing", missing)
    object.add("missingIDs", missingIDs)
    return object
  }

  private var word: String {
    switch result {
    case .moved: "moved"
    case .recordingsMissing: "recordings-missing"
    case .renamed: "renamed"
    case .taxonMissing: "taxon-missing"
    case .undecided: "undecided"
    }
  }
}
