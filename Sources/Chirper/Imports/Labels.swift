#if Collection

import ChirperModel
import ChirperStore

/// The effect of storing or removing labels.
package typealias LabelChange = ChirperStore.LabelChange

extension RecordingRepository {
  /// Stores the labels that a file has for recordings, in the place of those that it had before.
  package func setLabels(
    _ labels: [RecordingID: [RecordingDetails.Annotation]], of file: String, by author: String
  ) throws(StoreError) -> LabelChange {
    try store.setLabels(labels, of: file, by: author, at: dependencies.now())
  }

  /// Removes the labels of the files of that name.
  package func removeLabels(of file: String) throws(StoreError) -> LabelChange {
    try store.removeLabels(of: file)
  }

  /// The number of recordings with labels, also of those that are not stored now, and the names of
  /// the files.
  package func labelled() throws(StoreError) -> (recordings: Int, files: [String]) {
    try store.labelled()
  }
}

#endif
