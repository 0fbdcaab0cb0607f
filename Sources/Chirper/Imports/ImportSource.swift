import ChirperModel

/// A file whose rows can be imported.
package protocol ImportSource: Sendable {
  /// The facts about the file, before its rows are counted.
  var claim: ImportClaim { get }
  /// The advice if no row has a sound.
  var advice: String { get }
  /// The name of its list: its DOI, its title or the name of the file.
  var listName: String { get }
  /// The room on the disk that its rows need at most, in bytes.
  var neededBytes: Int64 { get }
  /// The bytes that are read.
  var size: Int64 { get }

  /// Reads the rows, each once, in the order of the file.
  ///
  /// - Parameters:
  ///   - directory: where rows are staged.
  ///   - progress: called with the bytes read so far, now and then.
  func read(
    staging directory: String, _ progress: (Int64) throws -> Void,
    _ body: (ImportedRow) throws -> Void
  ) throws
}

extension ImportSource {
  package var listName: String { claim.doi ?? claim.title ?? claim.file }
}

/// The result of an import.
package struct ImportReport: Sendable {
  /// The result for the recordings of one catalogue.
  package struct List: Sendable {
    package let query: CatalogueQuery
    package var new = 0
    /// The new rows that an earlier file had and a later one did not.
    package var foundAgain = 0
    package var changed = 0
    package var gone = 0
    /// The facts that are stored now; `nil` before the end.
    package var stored: StoredQuery?
  }

  /// The lists of the file, one for each catalogue.
  package internal(set) var lists: [List] = []
  /// The facts about the file, with its rows counted.
  package internal(set) var claim: ImportClaim
}

extension CatalogueQuery {
  /// The rows of a page of a list that is imported.
  static let importedPageSize = 500

  /// The query of a list that is imported. No text that is typed for a catalogue is read as it.
  package static func imported(_ name: String, as catalogue: CatalogueID) -> CatalogueQuery {
    CatalogueQuery(
      catalogue: catalogue, identity: "import:\(name.lowercased())", pageSize: importedPageSize,
      typed: name, requestText: name)
  }
}
