#if Collection

import ChirperModel
import ChirperStore

/// The effect of storing or removing labels.
package typealias LabelChange = ChirperStore.LabelChange
/// The labels that files of one name have for a recording, by one author.
package typealias StoredLabels = ChirperStore.StoredLabels

extension RecordingRepository {
  /// Stores the labels that a file has for recordings, in the place of those that it had before.
  package func setLabels(
    _ labels: [RecordingID: [RecordingDetails.Annotation]], of file: String, by author: String
  ) throws(StoreError) -> LabelChange {
    try store.setLabels(labels, of: file, by: author, at: dependencies.now())
  }

  /// The labels of the files of that name.
  package func storedLabels(of file: String) throws(StoreError) -> [StoredLabels] {
    try store.storedLabels(of: file)
  }

  /// Removes these labels of the files of that name.
  package func remove(_ labels: [StoredLabels], of file: String) throws(StoreError) {
    try store.remove(labels, of: file)
  }

  /// The number of recordings with labels, also of those that are not stored now, and the names of
  /// the files.
  package func labelled() throws(StoreError) -> (recordings: Int, files: [String]) {
    try store.labelled()
  }
}

#endif
