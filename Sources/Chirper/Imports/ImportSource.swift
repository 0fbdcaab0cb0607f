#if Collection

import ChirperModel
import ChirperStore

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
  /// The lists of the file, one for each catalogue.
  package internal(set) var lists: [FetchReport] = []
  /// The facts about the file, with its rows counted.
  package internal(set) var claim: ImportClaim
  /// Recordings that the next search adds to the index first, if they are many; else 0.
  package internal(set) var unindexed = 0
}

/// Rows of an archive that are joined to others.
package typealias ImportStage = ChirperStore.ImportStage

#endif
