import ChirperModel
import ChirperStore
import Foundation

extension RecordingStore {
  /// The ids of a list in order, and what is wrong with the store.
  package func audit(of query: CatalogueQuery) throws -> (ids: [String], problems: [String]) {
    (
      try ids(of: query).map(\.value),
      try diagnosis(of: URL(filePath: path).deletingLastPathComponent()).problems
    )
  }
}
